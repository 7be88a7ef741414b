"""Which expressions may run code of an input's type: they are evaluated last, once, and never shared."""

from __future__ import annotations

from weakref import WeakSet

from guardlang.ast import Call, Expr
from guardlang.functions import lookup
from guardlang.language import FUNCTIONS
from guardlang.sources import CallFunctionNoArgsSource, DynamicAttrSource, DynamicGetItemSource
from guardlang.walk import children, postorder

__all__ = ["impure_parts", "is_pure", "runs_user_code"]


def runs_user_code(node: Expr) -> bool:
    """Tell whether a node itself, apart from its operands, may run code of an input's type.

    Example:
        >>> from guardlang.parse import parse
        >>> runs_user_code(parse("call(L['f'])")), runs_user_code(parse("L['f']"))
        (True, False)
    """
    match node:
        case CallFunctionNoArgsSource() | DynamicAttrSource() | DynamicGetItemSource():
            return True
        case Call():
            signature = FUNCTIONS.get(node.function)
            if signature is not None:
                return not signature.pure
            function = lookup(node.function)
            return function is not None and not function.pure
    return False


def impure_parts(expr: Expr) -> frozenset[Expr]:
    """Return the nodes below an expression that are impure or have an impure operand.

    Example:
        >>> from guardlang.parse import parse
        >>> sorted(map(str, impure_parts(parse("call(L['f']) == L['n']"))))
        ["call(L['f'])", "call(L['f']) == L['n']"]
    """
    found: set[Expr] = set()
    for node in postorder(expr):
        if runs_user_code(node) or any(child in found for child in children(node)):
            found.add(node)
    return frozenset(found)


def is_pure(expr: Expr) -> bool:
    """Tell whether evaluating an expression never runs code of an input's type.

    Example:
        >>> from guardlang.parse import parse
        >>> is_pure(parse("getattr(L['x'], 'a') == 1"))
        False
    """
    if expr in _always_pure:
        return True
    of_language = True
    for node in postorder(expr):
        if runs_user_code(node):
            return False
        of_language = of_language and not (isinstance(node, Call) and node.function not in FUNCTIONS)
    if of_language:
        _always_pure.add(expr)
    return True


# Conditions found pure whose functions are all of the language: no plug-in can change that.
_always_pure: WeakSet[Expr] = WeakSet()
