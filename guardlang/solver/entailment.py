"""What the facts say of a condition at once: true, false, or nothing yet. No case is looked into."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from guardlang.ast import BoolOp, Call, Compare, Expr, IfExp, Not
from guardlang.frame import Frame
from guardlang.purity import is_pure
from guardlang.semantics import Evaluation, Unreadable
from guardlang.solver.context import Context, classes_named, is_condition
from guardlang.solver.definedness import classes_of, defined
from guardlang.solver.domains import chain
from guardlang.solver.facts import Fact
from guardlang.solver.normal import literal
from guardlang.solver.orders import rational
from guardlang.solver.relations import constant
from guardlang.solver.structure import links
from guardlang.sources import AttrSource, Const, ConstantSource, GetItemSource
from guardlang.values import Undefined, equal, mro_of
from guardlang.walk import children, rebuild

__all__ = ["entailed_by_others", "recheck", "truth_of"]


def truth_of(context: Context, expr: Expr, effort: int = 64, *, only_true: bool = False) -> Fact | None:
    """Return the fact that a condition is true, or the one that it is false, None when neither is seen at once.

    Args:
        context: what is known.
        expr: the condition.
        effort: how many differences to look at.
        only_true: whether it is of no use to learn that a comparison of integers is false.

    Example:
        >>> from guardlang.parse import parse
        >>> known = Context([parse("L['x'].shape[0] > 3")])
        >>> [truth_of(known, parse(t)) and truth_of(known, parse(t)).kind for t in
        ...  ("L['x'].shape[0] >= 4", "L['x'].shape[0] < 2", "L['x'].shape[0] < 9")]
        ['true', 'false', None]
    """
    known = context.known(expr)
    if known is not None:
        return known
    if context.same.head:
        used: list[Fact] = []
        other = context.canonical(expr, used)
        if other is not expr:
            found = truth_of(context, other, effort, only_true=only_true)
            return None if found is None else Fact(found.kind, (expr,), "rename", (found, *used))
    return _derived(context, expr, effort, only_true)


def recheck(context: Context) -> Fact | None:
    """Return a contradiction between a condition that is stated and what the other facts say of it, None when there is none.

    Args:
        context: what is known.

    Example:
        >>> from guardlang.parse import parse
        >>> recheck(Context([parse("keys(L['d']) == ('a',)"), parse("'b' in L['d']")])).kind
        'absurd'
    """
    for expr, fact in list(context.truths.items()):
        if isinstance(expr, Call) or (isinstance(expr, Compare) and expr.ops[0] in ("in", "not in", "==", "!=")):
            found = _derived(context, expr, 0)
            if found is not None and found.kind != fact.kind:
                return Fact("absurd", (), "both", (fact, found))
    return None


def entailed_by_others(context: Context, expr: Expr) -> Fact | None:
    """Return that a comparison of integers is true by what is known of other sums than its own, None when it is not seen.

    Args:
        context: what is known, the comparison among it.
        expr: the comparison. Whether the proof rests on it is for the caller to see.
    """
    if isinstance(expr, Not) and isinstance(expr.operand, Compare) and len(expr.operand.ops) == 1:
        found, link = literal(expr.operand), expr.operand
        chosen = found.false if found is not None else None
    elif isinstance(expr, Compare) and len(expr.ops) == 1:
        found, link = literal(expr), expr
        chosen = found.true if found is not None else None
    else:
        return None
    if found is None or chosen is None or chosen[1] != ">=":
        return None
    premises = context.int_premises(found.leaves) if found.leaves else ()
    if not isinstance(premises, tuple):
        return None
    known = context.numbers.decide_otherwise(chosen[0])
    if known is None:
        return None
    parts = []
    for side in link.operands:
        place = place_by_others(context, side, expr)
        if place is None:
            return None
        parts.append(place)
    whole = Fact("defined", (link,), "comparison", (*parts, *premises))
    kind = "true" if link is expr else "false"
    made = Fact(kind, (link,), "compare", (known, whole, *premises))
    return made if link is expr else Fact("true", (expr,), "not", (made,))


def place_by_others(context: Context, expr: Expr, guard: Expr) -> Fact | None:
    """Return that a term is defined by another guard than the one that is tried; its facts are for the caller to check."""
    del guard
    return defined(context, expr)


def _derived(context: Context, expr: Expr, effort: int, only_true: bool = False) -> Fact | None:
    match expr:
        case Not(operand=operand):
            below = truth_of(context, operand, effort)
            return None if below is None else Fact(_other(below.kind), (expr,), "not", (below,))
        case BoolOp(op=op, operands=operands):
            return _junction(context, expr, op, operands, effort)
        case IfExp():
            test = truth_of(context, expr.test, effort)
            if test is None:
                return None
            chosen = truth_of(context, expr.body if test.kind == "true" else expr.orelse, effort)
            return None if chosen is None else Fact(chosen.kind, (expr,), "chosen", (test, chosen))
        case Compare(ops=ops, operands=operands):
            if len(ops) > 1:
                return _junction(context, expr, "and", links(expr), effort)
            found = _link(context, expr, ops[0], operands[0], operands[1], effort, only_true)
        case Call():
            found = _call(context, expr)
        case Const(value=value) if type(value) is bool:
            return Fact("true" if value else "false", (expr,), "constant")
        case _:
            return None
    return found if found is not None else _by_values(context, expr)


def _other(kind: str) -> str:
    return "false" if kind == "true" else "true"


def _junction(context: Context, expr: Expr, op: str, operands: tuple[Expr, ...], effort: int) -> Fact | None:
    stop = "false" if op == "and" else "true"
    facts = []
    for operand in operands:
        found = truth_of(context, operand, effort)
        if found is None:
            return None
        facts.append(found)
        if found.kind == stop:
            return Fact(stop, (expr,), "junction", tuple(facts))
    return Fact(_other(stop), (expr,), "junction", tuple(facts))


def _link(context: Context, expr: Compare, op: str, left: Expr, right: Expr, effort: int, only_true: bool) -> Fact | None:
    if op in ("is", "is not"):
        return _identity(context, expr, op, left, right)
    if op in ("in", "not in"):
        return _membership(context, expr, op, left, right)
    if op in ("==", "!=") and is_condition(left) and is_condition(right):
        first, second = truth_of(context, left, effort), truth_of(context, right, effort)
        if first is None or second is None:
            return None
        return Fact(_kind((first.kind == second.kind) is (op == "==")), (expr,), "conditions", (first, second))
    numeric = _integers(context, expr, effort, only_true)
    if numeric is not None:
        return numeric
    if op in ("==", "!="):
        return _equality(context, expr, op, left, right)
    return _order(context, expr, op, left, right)


def _kind(truth: bool) -> str:
    return "true" if truth else "false"


def _integers(context: Context, expr: Compare, effort: int, only_true: bool) -> Fact | None:
    found = literal(expr)
    if found is None:
        return None
    premises = context.int_premises(found.leaves) if found.leaves else ()
    if not isinstance(premises, tuple):
        return None
    for kind, (poly, relation) in (("true", found.true), ("false", found.false)):
        known = context.numbers.decide(poly, relation, effort)
        if known is not None:
            whole = defined(context, expr)
            return None if whole is None else Fact(kind, (expr,), "compare", (known, whole, *premises))
        # A goal that needs a bound that its own definedness brings: once it is defined, look again.
        if kind == "true" and context.numbers.silent(poly) and defined(context, expr) is not None:
            known = context.numbers.decide(poly, relation, effort)
            if known is not None:
                return Fact(kind, (expr,), "compare", (known, defined(context, expr), *premises))  # type: ignore[arg-type]  # defined
        if only_true:
            break
    return None


def _order(context: Context, expr: Compare, op: str, left: Expr, right: Expr) -> Fact | None:
    """Decide an order of numbers that need not be integers."""
    sides: list[Any] = [rational(side.value) if isinstance(side, Const) else side for side in (left, right)]
    if None in sides:
        return None
    for kind, chosen in (("true", op), ("false", _OPPOSITE_ORDER[op])):
        low, high = sides if chosen in ("<", "<=") else reversed(sides)
        facts = _in_order(context, low, high, chosen in ("<", ">"))
        if facts:
            return Fact(kind, (expr,), "order", facts)
    return None


_OPPOSITE_ORDER = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def _in_order(context: Context, low: Any, high: Any, strict: bool) -> tuple[Fact, ...]:
    """Return facts by which `low < high` (or `<=`); none when it is not known. A side is a term or a Fraction."""
    orders = context.orders
    if isinstance(low, Fraction) and isinstance(high, Fraction):
        return ()
    if isinstance(low, Fraction):
        bound = orders.low.get(high)
        enough = bound is not None and (bound[0] > low or (bound[0] == low and (bound[1] or not strict)))
        return (bound[2],) if bound is not None and enough else ()
    if isinstance(high, Fraction):
        bound = orders.high.get(low)
        enough = bound is not None and (bound[0] < high or (bound[0] == high and (bound[1] or not strict)))
        return (bound[2],) if bound is not None and enough else ()
    path = orders.path(low, high)
    if path is not None and (path.args[2] or not strict):
        return (path,)
    if low in orders.high and high in orders.low:
        below, above = orders.high[low], orders.low[high]
        if below[0] < above[0] or (below[0] == above[0] and (below[1] or above[1] or not strict)):
            return below[2], above[2]
    return ()


def _identity(context: Context, expr: Compare, op: str, left: Expr, right: Expr) -> Fact | None:
    """Decide `is` from what is one object and what is not."""
    places = [defined(context, side) for side in (left, right)]
    if None in places:
        return None
    facts = tuple(place for place in places if place is not None)
    found = same_fact(context, left, right)
    if found is not None:
        return Fact(_kind(op == "is"), (expr,), "identity", (found, *facts))
    other = apart_fact(context, left, right)
    return None if other is None else Fact(_kind(op == "is not"), (expr,), "identity", (other, *facts))


def same_fact(context: Context, left: Expr, right: Expr) -> Fact | None:
    """Return the fact that two terms are one object, None when it is not known.

    Args:
        context: what is known.
        left: a term or a constant.
        right: a term or a constant.
    """
    if left is right:
        return Fact("same", (left, right), "transitive")
    found = context.same.fact(left, right)
    if found is not None:
        return found
    if context.same.head:
        first, second = context.named(left), context.named(right)
        if (first is not left or second is not right) and context.same.find(first) is context.same.find(second):
            why = tuple(f for f in (context.naming(left), context.naming(right)) if f is not None)
            return Fact("same", (left, right), "transitive", (*why, *context.same.why(first, second)))
    first_object, second_object = (context.objects.get(context.same.find(side)) for side in (left, right))
    if first_object is not None and second_object is not None and first_object[0] is second_object[0]:
        return Fact("same", (left, right), "transitive", (*context.object_path(left), *context.object_path(right)))
    for part, other in ((left, right), (right, left)):
        held = constant(other)
        if held is None:
            continue
        thing = held[0]
        known = context.objects.get(context.same.find(part))
        if known is not None and known[0] is thing:
            return Fact("same", (part, other), "one object", context.object_path(part))
        if thing is None or type(thing) is bool:
            exact = context.exacts.get(context.same.find(part))
            kinds = classes_of(context, part)
            value = context.value_fact(part)
            if exact is not None and exact[0] is thing:
                return Fact("same", (part, other), "singleton", (exact[1], *_path(context, part, exact[1])))
            if kinds is not None and kinds[0] == {type(thing)} and (thing is None or value is not None):
                if thing is None:
                    return Fact("same", (part, other), "singleton", kinds[1])
                assert value is not None
                if value.args[1].value == thing:
                    return Fact("same", (part, other), "singleton", (value, *kinds[1]))
        base = getattr(part, "base", None)
        if issubclass(type(thing), type) and type(part).__name__ == "TypeSource" and base is not None:
            kinds = classes_of(context, base)
            if kinds is not None and kinds[0] == {thing}:
                return Fact("same", (part, other), "class", kinds[1])
    return None


def _path(context: Context, part: Expr, fact: Fact) -> tuple[Fact, ...]:
    """Return why a fact on another name of an object speaks of this one."""
    expr = fact.args[0]
    for other in children(expr) if hasattr(expr, "args") or hasattr(expr, "operands") else (expr,):
        if context.same.find(other) is context.same.find(part):
            return context.same.why(other, part)
    return ()


def apart_fact(context: Context, left: Expr, right: Expr) -> Fact | None:
    """Return the fact that two terms are different objects, None when it is not known.

    Args:
        context: what is known.
        left: a term or a constant.
        right: a term or a constant.
    """
    first, second = constant(left), constant(right)
    if first is not None and second is not None:
        return Fact("apart", (left, right), "constants") if first[0] is not second[0] else None
    same = context.same
    for terms, why in chain(context.apart.get(same.find(left))):
        mine = next((term for term in terms if same.find(term) is same.find(left)), None)
        theirs = next((term for term in terms if term is not mine and same.find(term) is same.find(right)), None)
        if mine is not None and theirs is not None:
            return Fact("apart", (left, right), "apart", (why, *same.why(mine, left), *same.why(theirs, right)))
    kinds = [classes_of(context, side) for side in (left, right)]
    for (side, other), pair in zip(((left, right), (right, left)), (kinds, kinds[::-1]), strict=False):
        held = constant(other)
        if held is not None and pair[0] is not None and not isinstance(side, Const | ConstantSource):
            if type(held[0]) not in pair[0][0]:
                return Fact("apart", (left, right), "classes", pair[0][1])
            value = context.value_fact(side)
            if value is not None and held[0] is not None and type(held[0]) is bool and not _same_value(value.args[1], other):
                return Fact("apart", (left, right), "values", (value,))
        known = context.objects.get(same.find(side))
        if held is not None and known is not None and known[0] is not held[0]:
            return Fact("apart", (left, right), "objects", context.object_path(side))
        base = getattr(side, "base", None)
        if held is not None and type(side).__name__ == "TypeSource" and base is not None:
            inner = classes_of(context, base)
            if inner is not None and held[0] not in inner[0]:
                return Fact("apart", (left, right), "other class", inner[1])
    if kinds[0] is not None and kinds[1] is not None and not kinds[0][0] & kinds[1][0]:
        return Fact("apart", (left, right), "classes", kinds[0][1] + kinds[1][1])
    return None


def _same_value(left: Expr, right: Expr) -> bool:
    first, second = constant(left), constant(right)
    assert first is not None
    assert second is not None
    try:
        return equal(first[1], second[1])
    except Undefined:
        return True


def _membership(context: Context, expr: Compare, op: str, item: Expr, container: Expr) -> Fact | None:
    keys = Call("keys", (container,))
    for part in (keys, container):
        known = context.value_fact(part)
        if known is not None and isinstance(item, Const) and type(item.value) is str:
            items: Any = known.args[1].value if isinstance(known.args[1], Const) else None
            if (part is keys and type(items) is tuple) or (type(items) is dict and part is container):
                inside = any(type(key) is str and key == item.value for key in items)
                return Fact(_kind(inside is (op == "in")), (expr,), "known keys", (known,))
    entry: Expr = GetItemSource(container, item)
    if isinstance(item, Const) and type(item.value) is str and isinstance(entry, GetItemSource):
        for other in context.same.class_of(container):
            place: Expr = GetItemSource(other, item)
            if place in context.defined:
                why = context.same.why(other, container)
                return Fact(_kind(op == "in"), (expr,), "entry", (context.definition(place), *why))
    opposite = Compare(("not in" if op == "in" else "in",), (item, container))
    known = context.known(opposite)
    if known is not None:
        return Fact(_other(known.kind), (expr,), "opposite", (known,))
    return _choices(context, expr, op, item, container)


def _choices(context: Context, expr: Compare, op: str, item: Expr, container: Expr) -> Fact | None:
    held = constant(container)
    if held is None or type(held[1]) not in (tuple, list):
        return None
    choices = context.finite.get(context.equal.find(item))
    if choices is None or constant(choices[1].args[0].operands[1]) is None:
        return None
    inside = [any(_equal(one, other) for other in held[1]) for one in choices[0]]
    if all(inside) or not any(inside):
        path = context.equal.why(choices[1].args[0].operands[0], item)
        if defined(context, expr) is None:
            return None
        return Fact(_kind(inside[0] is (op == "in")), (expr,), "choices", (choices[1], *path))
    return None


def _equal(left: object, right: object) -> bool:
    try:
        return equal(left, right)
    except Undefined:
        return False


def _equality(context: Context, expr: Compare, op: str, left: Expr, right: Expr) -> Fact | None:
    opposite = Compare(("!=" if op == "==" else "==",), (left, right))
    known = context.known(opposite)
    if known is not None:
        return Fact(_other(known.kind), (expr,), "opposite", (known,))
    if left is right:
        return _reflexive(context, expr, op, left)
    for part, other in ((left, right), (right, left)):
        held = constant(other)
        if held is None:
            continue
        value = context.value_fact(part)
        if value is not None:
            mine = constant(value.args[1])
            assert mine is not None
            return Fact(_kind(_equal(mine[1], held[1]) is (op == "==")), (expr,), "known value", (value,))
        for node, why in chain(context.unequal.get(context.equal.find(part))):
            theirs = constant(node)
            if theirs is not None and _equal(theirs[1], held[1]):
                path = context.equal.why(why.args[0], part)
                return Fact(_kind(op == "!="), (expr,), "excluded value", (why, *path))
        if issubclass(type(held[0]), type):
            found = same_fact(context, part, other) or apart_fact(context, part, other)
            if found is not None and type(part).__name__ == "TypeSource":
                place = defined(context, part)
                if place is not None:
                    return Fact(_kind((found.kind == "same") is (op == "==")), (expr,), "class equality", (found, place))
        return None
    values = [context.value_fact(side) for side in (left, right)]
    if values[0] is not None and values[1] is not None:
        agree = _same_value(values[0].args[1], values[1].args[1])
        return Fact(_kind(agree is (op == "==")), (expr,), "known values", (values[0], values[1]))
    fact = context.equal.fact(left, right)
    if fact is not None:
        return Fact(_kind(op == "=="), (expr,), "equal", (fact,))
    if context.same.find(left) is context.same.find(right):
        return _reflexive(context, expr, op, left)
    return None


# Equal to themselves, whatever their value: no NaN among them.
_FAITHFUL = frozenset({bool, int, str, bytes, type(None)})


def _reflexive(context: Context, expr: Compare, op: str, part: Expr) -> Fact | None:
    kinds = classes_of(context, part)
    left, right = expr.operands
    why = context.same.why(left, right)
    if kinds is not None and kinds[0] <= _FAITHFUL:
        place = defined(context, part)
        if place is not None:
            return Fact(_kind(op == "=="), (expr,), "itself", (place, *kinds[1], *why))
    value = context.value_fact(part)
    if value is not None:
        return Fact(_kind(op == "=="), (expr,), "itself", (value, *why))
    return None


def _call(context: Context, expr: Call) -> Fact | None:
    name, args = expr.function, expr.args
    match name:
        case "same" | "distinct":
            return _partition(context, expr, name, args)
        case "hasattr":
            node: Expr = AttrSource(args[0], args[1].value) if isinstance(args[1], Const) else args[0]
            if node is args[0]:
                return None
            place = defined(context, node)
            return None if place is None else Fact("true", (expr,), "attribute", (place,))
        case "isinstance":
            return _instance(context, expr, args)
        case "exact":
            return _exact(context, expr, args)
        case "isnan":
            kinds = classes_of(context, args[0])
            place = defined(context, args[0])
            if kinds is not None and place is not None and kinds[0] <= {bool, int}:
                return Fact("false", (expr,), "no nan", (place, *kinds[1]))
            if place is not None and context.orders.is_ordered(args[0]):
                return Fact("false", (expr,), "no nan", (place, context.orders.witness(args[0])))
    return None


def _partition(context: Context, expr: Call, name: str, args: tuple[Expr, ...]) -> Fact | None:
    places = [defined(context, arg) for arg in args]
    if None in places:
        return None
    facts = tuple(place for place in places if place is not None)
    if name == "same":
        found = [same_fact(context, args[0], other) for other in args[1:]]
        if None not in found:
            return Fact("true", (expr,), "all same", facts + tuple(f for f in found if f is not None))
        for other in args[1:]:
            gap = apart_fact(context, args[0], other)
            if gap is not None:
                return Fact("false", (expr,), "some apart", (*facts, gap))
        return None
    for position, first in enumerate(args):
        if first in args[:position]:
            return Fact("false", (expr,), "some same", (*facts, Fact("same", (first, first), "transitive")))
    gaps: list[Fact] = []
    for group, why in chain(context.apart.get(context.same.find(args[0]))):
        if set(args) <= set(group):
            return Fact("true", (expr,), "among distinct", (*facts, why))
    if len(args) > 64:
        return None
    for position, first in enumerate(args):
        for second in args[position + 1 :]:
            one = same_fact(context, first, second)
            if one is not None:
                return Fact("false", (expr,), "some same", (*facts, one))
            gap = apart_fact(context, first, second)
            if gap is None:
                return None
            gaps.append(gap)
    return Fact("true", (expr,), "all apart", (*facts, *gaps))


def _instance(context: Context, expr: Call, args: tuple[Expr, ...]) -> Fact | None:
    targets = classes_named(args[1])
    if targets is None:
        return None
    place = defined(context, args[0])
    if place is None:
        return None
    kinds = classes_of(context, args[0])
    if kinds is not None:
        fitting = {any(target is base for target in targets for base in mro_of(cls)) for cls in kinds[0]}
        if len(fitting) == 1:
            return Fact(_kind(fitting.pop()), (expr,), "classes", (place, *kinds[1]))
    for others, truth, why in chain(context.instances.get(context.same.find(args[0]))):
        path = context.same.why(why.args[0].args[0], args[0])
        if truth and all(any(target is base for target in targets for base in mro_of(cls)) for cls in others):
            return Fact("true", (expr,), "base class", (place, why, *path))
        if not truth and all(any(other is base for other in others for base in mro_of(cls)) for cls in targets):
            return Fact("false", (expr,), "derived class", (place, why, *path))
    return None


def exact_value(context: Context, part: Expr) -> tuple[object, tuple[Fact, ...]] | None:
    """Return the one value that a term can have, to the bit, with the facts that say so; None when there may be several.

    Args:
        context: what is known.
        part: the term.
    """
    known = context.exacts.get(context.same.find(part))
    if known is not None:
        return known[0], (known[1], *_path(context, part, known[1]))
    kinds = classes_of(context, part)
    if kinds is None or len(kinds[0]) != 1:
        return None
    (cls,) = kinds[0]
    if cls is type(None):
        return None, kinds[1]
    fact = context.value_fact(part)
    if fact is None:
        return _solved_int(context, part, cls, kinds[1])
    held = constant(fact.args[1])
    assert held is not None
    value = held[1]
    if cls in (str, bytes) and type(value) is cls:
        return value, (fact, *kinds[1])
    if cls in (bool, int, float) and type(value) in (bool, int, float) and not (cls is float and value == 0):
        try:
            made = cls(value)
        except (ValueError, OverflowError):
            return None
        if made == value:
            return made, (fact, *kinds[1])
    return None


def _solved_int(context: Context, part: Expr, cls: type, premises: tuple[Fact, ...]) -> tuple[object, tuple[Fact, ...]] | None:
    solved = context.numbers.solved.get(part)
    if cls is int and solved is not None and solved[0].is_constant:
        return solved[0].constant, (solved[1], *premises)
    return None


def _exact(context: Context, expr: Call, args: tuple[Expr, ...]) -> Fact | None:
    part, held = (args[0], constant(args[1])) if constant(args[1]) is not None else (args[1], constant(args[0]))
    if held is None or defined(context, expr) is None:
        return None
    kinds = classes_of(context, part)
    if kinds is not None and type(held[1]) not in kinds[0]:
        return Fact("false", (expr,), "not exact", kinds[1])
    return None


_LIMIT = 64


def _by_values(context: Context, expr: Expr) -> Fact | None:
    """Decide a condition by evaluating it, where all that it reads has one possible value."""
    if not context.values and not context.exacts and not context.numbers.solved:
        return None
    facts: list[Fact] = []
    count = [0]
    closed = _closed(context, expr, facts, count)
    if closed is None or not is_pure(closed):
        return None
    try:
        value = Evaluation(Frame()).value(closed)
    except Unreadable:
        return None
    if type(value) is not bool:
        return None
    return Fact(_kind(value), (expr,), "evaluate", tuple(facts), closed)


def _closed(context: Context, expr: Expr, facts: list[Fact], count: list[int], loose: bool = False) -> Expr | None:
    """Return an expression with everything it reads replaced by its value; None when something is not known.

    With `loose` an equal value will do.
    """
    count[0] += 1
    if count[0] > _LIMIT:
        return None
    if isinstance(expr, Const | ConstantSource):
        return expr
    known = exact_value(context, expr)
    if known is not None:
        facts.extend(known[1])
        try:
            return Const(known[0])
        except TypeError:
            return None
    if loose:
        fact = context.value_fact(expr)
        if fact is not None:
            facts.append(fact)
            held: Expr = fact.args[1]
            return held
    below = children(expr)
    if not below:
        return None
    # These give equal results for equal values.
    if isinstance(expr, Call):
        loose = expr.function == "len" or (loose and expr.function in ("set", "frozenset"))
    else:
        loose = isinstance(expr, Compare) and set(expr.ops) <= {"==", "!="}
    parts = []
    for part in below:
        closed = _closed(context, part, facts, count, loose)
        if closed is None:
            return None
        parts.append(closed)
    return rebuild(expr, tuple(parts))
