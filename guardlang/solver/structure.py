"""What a condition evaluates, whatever its value: its operands, and the classes they must have for it to be defined."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from guardlang.ast import BinOp, BoolOp, Call, Compare, Expr, IfExp, UnaryOp
from guardlang.solver.normal import statically_int
from guardlang.sources import Const
from guardlang.walk import children, postorder

__all__ = ["COMPLEX", "REAL", "WHOLE", "all_parts", "demands", "links", "strict_parts"]

WHOLE = frozenset({bool, int})
REAL = frozenset({bool, int, float})
COMPLEX = frozenset({bool, int, float, complex})

_all: WeakKeyDictionary[Expr, tuple[Expr, ...]] = WeakKeyDictionary()
_strict: WeakKeyDictionary[Expr, tuple[Expr, ...]] = WeakKeyDictionary()
_demands: WeakKeyDictionary[Expr, tuple[tuple[Expr, frozenset[type]], ...]] = WeakKeyDictionary()


def links(expr: Compare) -> tuple[Compare, ...]:
    """Return the comparisons of a chain, each between two operands.

    Example:
        >>> from guardlang.parse import parse
        >>> [str(link) for link in links(parse("1 < L['n'] <= 3"))]
        ["1 < L['n']", "L['n'] <= 3"]
    """
    return tuple(
        Compare((op,), pair) for op, pair in zip(expr.ops, zip(expr.operands, expr.operands[1:], strict=False), strict=False)
    )


def all_parts(expr: Expr) -> tuple[Expr, ...]:
    """Return every part below an expression, each once, operands first.

    Example:
        >>> from guardlang.parse import parse
        >>> [str(part) for part in all_parts(parse("L['a'] is L['b'].n"))]
        ["L['a']", "L['b']", "L['b'].n"]
    """
    found = _all.get(expr)
    if found is None:
        found = _all[expr] = tuple(part for part in postorder(expr) if part is not expr)
    return found


def strict_parts(expr: Expr) -> tuple[Expr, ...]:
    """Return the parts below an expression that are defined whenever it is, each once, operands first.

    Example:
        >>> from guardlang.parse import parse
        >>> [str(part) for part in strict_parts(parse("L['a'] > 1 or L['b'] is None"))]
        ["L['a']", "L['a'] > 1"]
    """
    found = _strict.get(expr)
    if found is not None:
        return found
    seen: dict[Expr, None] = {}
    stack: list[tuple[Expr, bool]] = [(part, False) for part in reversed(_evaluated(expr))]
    while stack:
        part, ready = stack.pop()
        if ready:
            seen[part] = None
            continue
        if part in seen or isinstance(part, Const):
            continue
        known = _strict.get(part)
        if known is not None:
            seen.update(dict.fromkeys(known))
            seen[part] = None
            continue
        below = _evaluated(part)
        stack.append((part, True))
        stack.extend((other, False) for other in reversed(below))
    result = tuple(seen)
    _strict[expr] = result
    return result


def _evaluated(expr: Expr) -> tuple[Expr, ...]:
    """Return the operands that are evaluated in any case."""
    match expr:
        case BoolOp():
            return expr.operands[:1]
        case IfExp():
            return (expr.test,)
        case Compare():
            return expr.operands[:2]
    return children(expr)


def demands(expr: Expr) -> tuple[tuple[Expr, frozenset[type]], ...]:
    """Return pairs of a part and the exact classes of which its value must be one if the expression is defined.

    Example:
        >>> from guardlang.parse import parse
        >>> [(str(part), sorted(c.__name__ for c in classes)) for part, classes in demands(parse("L['n'] % 2 == 0"))]
        [("L['n']", ['bool', 'float', 'int'])]
    """
    found = _demands.get(expr)
    if found is None:
        pairs: list[tuple[Expr, frozenset[type]]] = []
        for part in (*strict_parts(expr), expr):
            pairs.extend(_operand_classes(part))
        # The class of a result follows from the classes of what it is made of.
        found = tuple(pair for pair in pairs if not isinstance(pair[0], Const | BinOp | UnaryOp) and not statically_int(pair[0]))
        _demands[expr] = found
    return found


_REAL_FUNCTIONS = frozenset({"min", "max", "floor", "ceil", "trunc", "sqrt", "isnan"})


def _operand_classes(part: Expr) -> list[tuple[Expr, frozenset[type]]]:
    match part:
        case BinOp(op=op):
            classes = WHOLE if op in ("<<", ">>", "&", "|", "^") else REAL if op in ("//", "%") else COMPLEX
            return [(part.left, classes), (part.right, classes)]
        case UnaryOp(op=op):
            return [(part.operand, WHOLE if op == "~" else COMPLEX)]
        case Call(function=function, args=args) if function in _REAL_FUNCTIONS:
            return [(arg, REAL) for arg in args]
        case Call(function="abs", args=args):
            return [(args[0], COMPLEX)]
        case Call(function="round", args=args):
            return [(args[0], REAL)]
        case Compare(ops=(("<" | "<=" | ">" | ">="), *_)):
            left, right = part.operands[:2]
            if _is_real(left):
                return [(right, REAL)]
            if _is_real(right):
                return [(left, REAL)]
            for side, other in ((left, right), (right, left)):
                if isinstance(side, Const) and type(side.value) in (str, bytes):
                    return [(other, frozenset({type(side.value)}))]
            if isinstance(left, BinOp | UnaryOp) or isinstance(right, BinOp | UnaryOp):
                return [(left, REAL), (right, REAL)]
    return []


def _is_real(expr: Expr) -> bool:
    return statically_int(expr) or (isinstance(expr, Const) and type(expr.value) is float)
