"""When an expression can be read and computed, as far as the facts tell."""

from __future__ import annotations

from guardlang.ast import BinOp, BoolOp, Call, Compare, Expr, IfExp, Not, TupleDisplay, UnaryOp
from guardlang.solver.context import Context, classes_named
from guardlang.solver.domains import chain, linear
from guardlang.solver.facts import Fact
from guardlang.solver.normal import normal_form, statically_int
from guardlang.solver.polynomial import Polynomial, number
from guardlang.solver.structure import COMPLEX, REAL, WHOLE
from guardlang.sources import (
    AttrSource,
    Const,
    ConstantSource,
    GetItemSource,
    TensorProperty,
    TensorPropertySource,
    TypeSource,
)
from guardlang.values import Undefined, hashable, is_value, mro_of
from guardlang.walk import children

__all__ = ["classes_of", "defined", "is_value_fact"]

_SIZED = frozenset({list, tuple, dict, set, frozenset, str, bytes, bytearray, range})
_SCALARS = frozenset({bool, int, float, complex, str, bytes, type(None)})
_REAL_FUNCTIONS = frozenset({"min", "max", "abs", "isnan"})


def defined(context: Context, expr: Expr) -> Fact | None:
    """Return the fact that an expression is defined, None when the facts do not tell.

    Args:
        context: what is known.
        expr: the expression; all its operands count, also those that a short circuit would skip.

    Example:
        >>> from guardlang.parse import parse
        >>> known = Context([parse("type(L['n']) is int")])
        >>> defined(known, parse("L['n'] + 1")) is not None, defined(known, parse("L['m']"))
        (True, None)
    """
    if isinstance(expr, Const | ConstantSource):
        return Fact("defined", (expr,), "constant")
    if expr in context.defined:
        return context.definition(expr)
    if expr in context.truths:
        return Fact("defined", (expr,), "decided", (context.truths[expr],))
    operands: list[Fact] = []
    for part in children(expr):
        fact = defined(context, part)
        if fact is None:
            return None
        operands.append(fact)
    match expr:
        case AttrSource():
            return _attribute(context, expr, operands)
        case TensorPropertySource():
            return _dimension(context, expr, operands)
        case GetItemSource():
            return _item(context, expr, operands)
        case TypeSource():
            return Fact("defined", (expr,), "always", tuple(operands))
        case UnaryOp(op=op, operand=operand):
            return _numbers(context, expr, (operand,), WHOLE if op == "~" else COMPLEX, operands)
        case BinOp():
            return _operation(context, expr, operands)
        case Compare() | Not() | BoolOp() | IfExp() | TupleDisplay():
            return _condition(context, expr, operands)
        case Call():
            return _call(context, expr, operands)
    return _alias(context, expr, operands)


def _alias(context: Context, expr: Expr, operands: list[Fact]) -> Fact | None:
    """Return that a term is defined because it reads what another one reads."""
    if not context.same.head:
        return None
    twin = context.twin(expr)
    if twin is None or twin is expr:
        return None
    why = [fact for a, b in zip(children(expr), children(twin), strict=False) if a is not b for fact in context.same.why(a, b)]
    del operands
    return Fact("defined", (expr,), "alias", (context.definition(twin), *why))


def _attribute(context: Context, expr: AttrSource, operands: list[Fact]) -> Fact | None:
    found = _alias(context, expr, operands)
    if found is not None:
        return found
    fact = _of_tensor(context, expr)
    if fact is not None:
        # From now on its bounds are known too.
        context.define(expr, fact)
    return fact


def _of_tensor(context: Context, expr: AttrSource) -> Fact | None:
    if expr.member in ("ndim", "shape"):
        for base in context.same.class_of(expr.base):
            for part in chain(context.sized.get(base)):
                if isinstance(part, TensorPropertySource):
                    why = context.same.why(base, expr.base)
                    return Fact("defined", (expr,), "tensor", (context.definition(part), *why))
            for member in ("ndim", "shape"):
                part = AttrSource(base, member)
                if part in context.defined:
                    why = context.same.why(base, expr.base)
                    return Fact("defined", (expr,), "tensor", (context.definition(part), *why))
    return None


def _dimension(context: Context, expr: TensorPropertySource, operands: list[Fact]) -> Fact | None:
    found = _alias(context, expr, operands)
    if found is not None:
        return found
    if expr.prop is not TensorProperty.SIZE or not isinstance(expr.index, Const) or type(expr.index.value) is not int:
        return None
    index = expr.index.value
    needed = index + 1 if index >= 0 else -index
    for base in context.same.class_of(expr.base):
        why = context.same.why(base, expr.base)
        deepest = context.deepest.get(base)
        if deepest is not None and deepest[0] >= needed:
            return Fact("defined", (expr,), "lower dimension", (context.definition(deepest[1]), *why))
        rank = AttrSource(base, "ndim")
        if rank in context.defined:
            enough = context.numbers.decide(Polynomial({(rank,): 1}) - number(needed), ">=")
            if enough is not None:
                return Fact("defined", (expr,), "dimension", (enough, context.definition(rank), *why))
    return None


def _item(context: Context, expr: GetItemSource, operands: list[Fact]) -> Fact | None:
    found = _alias(context, expr, operands)
    if found is not None:
        return found
    base, index = expr.base, expr.index
    kinds = classes_of(context, base)
    is_dict = (kinds is not None and kinds[0] <= {dict}) or any(
        truth and all(dict in mro_of(target) for target in targets)
        for targets, truth, _ in chain(context.instances.get(context.same.find(base)))
    )
    if is_dict and isinstance(index, Const):
        held = context.known(Compare(("in",), (index, base)))
        if held is not None and held.kind == "true":
            kind_facts = (
                kinds[1]
                if kinds is not None
                else tuple(why for _, truth, why in chain(context.instances.get(context.same.find(base))) if truth)
            )
            return Fact("defined", (expr,), "key", (held, *kind_facts))
        return None
    if kinds is None or not kinds[0] <= {list, tuple} or not isinstance(index, Const) or type(index.value) is not int:
        return None
    needed = index.value + 1 if index.value >= 0 else -index.value
    for other in context.same.class_of(base):
        size = Call("len", (other,))
        if size in context.defined:
            enough = context.numbers.decide(Polynomial({(size,): 1}) - number(needed), ">=")
            if enough is not None:
                return Fact("defined", (expr,), "index", (enough, *kinds[1], *context.same.why(other, base)))
    return None


def classes_of(context: Context, expr: Expr) -> tuple[frozenset[type], tuple[Fact, ...]] | None:
    """Return the exact classes that the value of an expression may have, with the facts that say so.

    Args:
        context: what is known.
        expr: the expression.

    Example:
        >>> from guardlang.parse import parse
        >>> sorted(c.__name__ for c in classes_of(Context([parse("L['n'] % 8 == 0")]), parse("L['n']"))[0])
        ['bool', 'float', 'int']
    """
    if isinstance(expr, Const | ConstantSource):
        return frozenset({type(expr.value)}), ()
    if statically_int(expr):
        return frozenset({int}), ()
    fact = context.types.get(context.same.find(expr))
    if fact is not None:
        return fact.args[1], context.type_premises(expr)
    match expr:
        case Compare() | BoolOp() | Not():
            return frozenset({bool}), ()
        case Call(function="keys" | "values" | "tuple"):
            return frozenset({tuple}), ()
        case Call(function="set"):
            return frozenset({set}), ()
        case Call(function="frozenset" | "dispatch_keys"):
            return frozenset({frozenset}), ()
        case Call(function="str"):
            return frozenset({str}), ()
        case Call(function="float" | "sqrt"):
            return frozenset({float}), ()
        case Call(function="isinstance" | "hasattr" | "exact" | "same" | "distinct" | "isnan" | "bool"):
            return frozenset({bool}), ()
        case AttrSource(member="shape"):
            return None
        case BinOp() | UnaryOp() | Call(function="abs" | "min" | "max"):
            below = [classes_of(context, part) for part in children(expr)]
            if any(found is None or not found[0] <= REAL for found in below):
                return None
            facts = tuple(fact for found in below if found is not None for fact in found[1])
            return _arithmetic_classes(expr, [found[0] for found in below if found is not None]), facts
        case IfExp():
            first, second = classes_of(context, expr.body), classes_of(context, expr.orelse)
            if first is None or second is None:
                return None
            return first[0] | second[0], first[1] + second[1]
    return None


def _arithmetic_classes(expr: Expr, below: list[frozenset[type]]) -> frozenset[type]:
    whole = all(classes <= WHOLE for classes in below)
    if isinstance(expr, BinOp):
        if expr.op == "/":
            return frozenset({float})
        if expr.op in ("&", "|", "^") and whole:
            return WHOLE
        if expr.op == "**" and not (isinstance(expr.right, Const) and type(expr.right.value) is int and expr.right.value >= 0):
            return REAL
    if isinstance(expr, Call) and expr.function in ("min", "max"):
        return frozenset().union(*below)
    return frozenset({int}) if whole else frozenset({int, float})


def _numbers(
    context: Context, expr: Expr, parts: tuple[Expr, ...], classes: frozenset[type], operands: list[Fact]
) -> Fact | None:
    facts = list(operands)
    for part in parts:
        kinds = classes_of(context, part)
        if kinds is None or not kinds[0] <= classes:
            return None
        facts.extend(kinds[1])
    return Fact("defined", (expr,), "numbers", tuple(facts))


def _operation(context: Context, expr: BinOp, operands: list[Fact]) -> Fact | None:
    pair = (expr.left, expr.right)
    match expr.op:
        case "+" | "-" | "*":
            made = _numbers(context, expr, pair, WHOLE, operands)
            # An int of any size need not fit a float.
            return made if made is not None else _numbers(context, expr, pair, frozenset({float}), operands)
        case "&" | "|" | "^":
            return _numbers(context, expr, pair, WHOLE, operands)
        case "//" | "%":
            made = _numbers(context, expr, pair, WHOLE, operands)
            if made is None:
                return None
            zero = _nonzero(context, expr.right)
            return None if zero is None else Fact("defined", (expr,), "divisor", (*made.premises, *zero))
        case "<<" | ">>" | "**":
            made = _numbers(context, expr, pair, WHOLE, operands)
            exponent = expr.right
            if made is None or not isinstance(exponent, Const) or not 0 <= exponent.value <= 1024:
                return None
            return Fact("defined", (expr,), "numbers", made.premises)
    return None


def _nonzero(context: Context, divisor: Expr) -> tuple[Fact, ...] | None:
    if isinstance(divisor, Const):
        return () if divisor.value else None
    form = normal_form(divisor)
    if form is None:
        return None
    premises = context.int_premises(form.leaves)
    if not isinstance(premises, tuple):
        return None
    fact = context.numbers.decide(form.value, "!=")
    return None if fact is None else (fact, *premises)


def _condition(context: Context, expr: Expr, operands: list[Fact]) -> Fact | None:
    match expr:
        case Compare(ops=ops):
            facts = list(operands)
            for op, left, right in zip(ops, expr.operands, expr.operands[1:], strict=False):
                found = _link(context, op, left, right)
                if found is None:
                    return None
                facts.extend(found)
            return Fact("defined", (expr,), "comparison", tuple(facts))
        case TupleDisplay():
            return Fact("defined", (expr,), "always", tuple(operands))
        case IfExp():
            return Fact("defined", (expr,), "conditions", tuple(operands))
    return Fact("defined", (expr,), "conditions", tuple(operands))


def _link(context: Context, op: str, left: Expr, right: Expr) -> tuple[Fact, ...] | None:
    if op in ("is", "is not"):
        return ()
    if op in ("==", "!="):
        first, second = is_value_fact(context, left), is_value_fact(context, right)
        return None if first is None or second is None else (*first, *second)
    kinds = [classes_of(context, side) for side in (left, right)]
    if op in ("in", "not in"):
        return _membership(context, left, right)
    if None in kinds:
        return None
    (first_kinds, first_facts), (second_kinds, second_facts) = (found for found in kinds if found is not None)
    for group in (REAL, frozenset({str}), frozenset({bytes})):
        if first_kinds <= group and second_kinds <= group:
            return first_facts + second_facts
    return None


def _membership(context: Context, item: Expr, container: Expr) -> tuple[Fact, ...] | None:
    if isinstance(container, Const | ConstantSource):
        content = container.value if isinstance(container, Const) else container.content
        if type(content) in (tuple, list) and is_value(content):
            return is_value_fact(context, item)
        return None
    if not isinstance(item, Const) or type(item.value) is not str:
        return None
    try:
        hashable(item.value)
    except Undefined:
        return None
    kinds = classes_of(context, container)
    if kinds is not None and kinds[0] <= {dict}:
        return kinds[1]
    known = Call("keys", (container,))
    if known in context.defined:
        return (context.definition(known),)
    return None


def is_value_fact(context: Context, expr: Expr) -> tuple[Fact, ...] | None:
    """Return the facts that an expression gives a value, so that `==` on it is defined; None when they do not tell.

    Args:
        context: what is known.
        expr: a defined expression.

    Example:
        >>> from guardlang.parse import parse
        >>> is_value_fact(Context(), parse("L['x']")) is None
        True
    """
    if isinstance(expr, Const):
        return ()
    if isinstance(expr, ConstantSource):
        return () if is_value(expr.content) else None
    if isinstance(expr, TypeSource):
        return ()
    for other in context.same.class_of(expr):
        if other in context.valued:
            return (context.valued[other], *context.same.why(other, expr))
    kinds = classes_of(context, expr)
    if kinds is not None and kinds[0] <= _SCALARS:
        return kinds[1]
    if isinstance(expr, Call) and expr.function in ("set", "frozenset", "dispatch_keys"):
        return ()
    return None


def _call(context: Context, expr: Call, operands: list[Fact]) -> Fact | None:
    found = _alias(context, expr, operands)
    if found is not None:
        return found
    name, args = expr.function, expr.args
    facts = tuple(operands)
    if name in ("same", "distinct"):
        return Fact("defined", (expr,), "always", facts)
    if name == "hasattr":
        return Fact("defined", (expr,), "always", facts)
    if name == "isinstance" and classes_named(args[1]) is not None:
        return Fact("defined", (expr,), "always", facts)
    if name == "exact":
        for side in args:
            if isinstance(side, Const) and type(side.value) in _SCALARS:
                return Fact("defined", (expr,), "always", facts)
        values = [is_value_fact(context, side) for side in args]
        if None in values:
            return None
        return Fact("defined", (expr,), "values", facts + tuple(f for value in values if value is not None for f in value))
    if name in _REAL_FUNCTIONS:
        return _numbers(context, expr, args, REAL, operands)
    if name in ("floor", "ceil", "trunc", "int") and len(args) == 1:
        return _numbers(context, expr, args, WHOLE, operands)
    if name == "len":
        return _length(context, expr, facts)
    if name == "bool":
        kinds = classes_of(context, args[0])
        if kinds is not None and kinds[0] <= _SCALARS | {list, tuple, dict, set, frozenset}:
            return Fact("defined", (expr,), "truthiness", (*facts, *kinds[1]))
    if name == "keys":
        kinds = classes_of(context, args[0])
        if kinds is not None and kinds[0] <= {dict}:
            return Fact("defined", (expr,), "keys", (*facts, *kinds[1]))
    if name in ("set", "frozenset"):
        known = context.value_fact(args[0])
        if known is not None:
            value = known.args[1].value
            if type(value) in (tuple, list, set, frozenset) and _all_hashable(value):
                return Fact("defined", (expr,), "items", (*facts, known))
    return None


def _all_hashable(items: object) -> bool:
    try:
        for item in items:  # type: ignore[attr-defined]  # a sequence or a set, by its exact type
            hashable(item)
    except Undefined:
        return False
    return True


def _length(context: Context, expr: Call, facts: tuple[Fact, ...]) -> Fact | None:
    arg = expr.args[0]
    kinds = classes_of(context, arg)
    if kinds is not None and kinds[0] <= _SIZED:
        return Fact("defined", (expr,), "sized", (*facts, *kinds[1]))
    keys = Call("keys", (arg,))
    if keys in context.defined:
        return Fact("defined", (expr,), "sized", (context.definition(keys),))
    if isinstance(arg, AttrSource) and arg.member == "shape":
        return Fact("defined", (expr,), "sized", facts)
    return None


__all__ += ["linear"]
