"""Repairs: decisions that may give a guard the truth that a witness needs, the most direct ones first."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

from guardlang.ast import BinOp, BoolOp, Call, Compare, Expr, IfExp, Not, TupleDisplay
from guardlang.solver.models import ABSENT
from guardlang.solver.sketch import Decision, default_of, place_of
from guardlang.sources import (
    AttrSource,
    Const,
    ConstantSource,
    GetItemSource,
    LocalSource,
    TensorProperty,
    TensorPropertySource,
    TypeSource,
)
from guardlang.values import Undefined, exact_key, is_value, mro_of
from guardlang.walk import postorder

__all__ = ["Move", "Reader", "direct_repairs", "pool_of", "trial_repairs"]

# Decisions that are made together.
Move = tuple[Decision, ...]
# Gives the value of an expression under the decisions made so far, and with one place changed; raises Undefined.
Reader = Callable[[Expr, "Move"], Any]

_OTHER_CLASSES = (int, str, type(None), list, float, bool, dict, tuple, object)
_SMALL = (0, 1, 2, 3, -1, 4, 5, 7, 8, 6, 10, 16, -2, -3, -7)
_FLOATS = (0.5, 1.5, -0.0, 0.0, math.nan, 2.5, 1e16, math.inf, -math.inf, -1e16, 1e308)


def pool_of(guards: tuple[Expr, ...]) -> list[Any]:
    """Return the values that a place may be tried with: the constants of the guards, their neighbours, and small plain values.

    Args:
        guards: the guards.

    Example:
        >>> from guardlang.parse import parse
        >>> pool_of((parse("L['n'] > 7"),))[:3]
        [7, 8, 6]
    """
    found: list[Any] = []
    for node in postorder(*guards):
        value = node.value if isinstance(node, Const) else node.content if isinstance(node, ConstantSource) else ...
        if value is ... or not is_value(value):
            continue
        found.append(value)
        if type(value) is int:
            found += [value + 1, value - 1, -value, 2 * value]
            found += [float(value), value + 0.5] if abs(value) < 2**53 else []
        elif type(value) is float and math.isfinite(value):
            found += [-value, value + 1.0, value - 1.0, int(value)]
        elif type(value) in (tuple, list):
            found += value
    found += [*_SMALL, "a", "", None, True, False, *_FLOATS, "b", (), (1,), b"", int, object]
    distinct: dict[Any, Any] = {}
    for value in found:
        try:
            distinct.setdefault(exact_key(value), value)
        except Undefined:
            continue
    return list(distinct.values())


def direct_repairs(guard: Expr, holds: bool, read: Reader) -> Iterator[Move]:
    """Yield moves that follow from the form of a guard and may make it TRUE, or anything but TRUE.

    Args:
        guard: the guard.
        holds: whether it shall be TRUE.
        read: evaluates under the decisions made so far.
    """
    yield from _wanted(guard, holds, read)
    for place in _places(guard):
        for target in _solved(guard, place, read):
            yield (Decision("value", place, target),)


def trial_repairs(guard: Expr, pool: list[Any]) -> Iterator[Move]:
    """Yield moves that try the places of a guard with one value or class after the other.

    Args:
        guard: the guard.
        pool: the values.
    """
    places = _places(guard)
    for place in places:
        for value in pool:
            yield (Decision("value", place, value),)
    for place in places:
        yield (Decision("value", place, ABSENT),)
        for cls in _OTHER_CLASSES:
            yield (Decision("class", place, cls),)
    yield from _pairs(places, pool)


def _places(guard: Expr) -> list[Expr]:
    """Return the places of a guard, the ones that nothing is read from first."""
    places = [node for node in postorder(guard) if place_of(node)]
    inner = {node.base for node in places if not isinstance(node, LocalSource) and hasattr(node, "base")}
    return [p for p in places if p not in inner] + [p for p in places if p in inner]


def _pairs(places: list[Expr], pool: list[Any]) -> Iterator[Move]:
    """Yield changes of two places at once, over the first values of the pool."""
    for a, b in itertools.combinations(places[:4], 2):
        for x, y in itertools.product(pool[:8], repeat=2):
            yield (Decision("value", a, x), Decision("value", b, y))


def _wanted(expr: Expr, holds: bool, read: Reader) -> Iterator[Move]:
    """Yield moves that follow from the form of a condition."""
    match expr:
        case Not():
            yield from _wanted(expr.operand, not holds, read)
        case BoolOp():
            for operand in expr.operands:
                yield from _wanted(operand, holds, read)
            if holds is (expr.op == "and"):
                every = [next(_wanted(operand, holds, read), ()) for operand in expr.operands]
                yield tuple(itertools.chain.from_iterable(every))
        case IfExp():
            yield from _wanted(expr.body, holds, read)
            yield from _wanted(expr.orelse, holds, read)
            yield from _wanted(expr.test, True, read)
            yield from _wanted(expr.test, False, read)
        case Compare():
            for n, op in enumerate(expr.ops):
                yield from _compared(op, expr.operands[n], expr.operands[n + 1], holds, read)
        case Call():
            yield from _called(expr, holds, read)
        case _:
            if place_of(expr):
                yield (Decision("value", expr, holds),)
    for node in postorder(expr):
        is_size = isinstance(node, TensorPropertySource) and node.prop is TensorProperty.SIZE
        if holds and is_size and place_of(node) and _reads(read, node) is None:
            yield (Decision("value", node, 1),)


def _reads(read: Reader, expr: Expr, move: Move = ()) -> tuple[Any] | None:
    """Return the value of an expression in a tuple; None when it is undefined."""
    try:
        return (read(expr, move),)
    except Undefined:
        return None


def _compared(op: str, left: Expr, right: Expr, holds: bool, read: Reader) -> Iterator[Move]:
    if op.startswith("not ") or op in ("!=", "is not"):
        yield from _compared({"not in": "in", "!=": "==", "is not": "is"}[op], left, right, not holds, read)
        return
    if op == "is":
        yield from _identical(left, right, holds, read)
    elif op == "==":
        yield from _equated(left, right, holds, read)
        yield from _equated(right, left, holds, read)
    elif op == "in":
        yield from _contained(left, right, holds, read)


def _identical(left: Expr, right: Expr, holds: bool, read: Reader) -> Iterator[Move]:
    for a, b in ((left, right), (right, left)):
        fixed = b.value if isinstance(b, (Const, ConstantSource)) else ...
        if isinstance(a, TypeSource) and place_of(a.base):
            yield from _typed(a.base, fixed, holds)
            if isinstance(b, TypeSource) and holds:
                other = _reads(read, b)
                if other is not None:
                    yield from _typed(a.base, other[0], True)
        elif place_of(a) and fixed is not ...:
            yield (Decision("value", a, fixed if holds else None if fixed is not None else 1),)
            if not holds:
                yield (Decision("value", a, ABSENT),)
    if place_of(left) and place_of(right):
        if holds:
            yield (Decision("alias", right, left),)
            yield (Decision("alias", left, right),)
        else:
            yield (Decision("alias", right, None),)
            yield (Decision("alias", left, None),)
            yield (Decision("class", right, object),)
            yield (Decision("class", left, object),)


def _typed(place: Expr, cls: Any, holds: bool) -> Iterator[Move]:
    """Yield decisions that give a place a class, or another one."""
    if not issubclass(type(cls), type):
        return
    if holds:
        value = default_of(cls)
        if value is not ABSENT and cls not in (str, bytes, range, frozenset):
            yield (Decision("value", place, value),)
        yield (Decision("class", place, cls),)
        return
    for other in _OTHER_CLASSES:
        if other is not cls:
            yield (Decision("class", place, other),)


def _equated(target: Expr, source: Expr, holds: bool, read: Reader) -> Iterator[Move]:
    """Yield decisions that make one side of an equality what the other is, or something else."""
    current = _reads(read, source)
    if not holds:
        if current is not None:
            for value in _others(current[0]):
                yield from _given(target, value)
        return
    wanted = source.value if isinstance(source, Const) and type(source.value) is tuple else None
    if wanted is not None and isinstance(target, TupleDisplay) and len(target.items) == len(wanted):
        moves = [next(_given(item, value), ()) for item, value in zip(target.items, wanted, strict=True)]
        yield tuple(itertools.chain.from_iterable(moves))
    if current is not None and is_value(current[0]):
        yield from _given(target, current[0])
    elif place_of(target) and place_of(source):
        yield (Decision("value", target, 1), Decision("value", source, 1))


def _given(target: Expr, value: Any) -> Iterator[Move]:
    """Yield decisions that give an expression a value, where its form says how."""
    if isinstance(target, Call) and target.args and place_of(target.args[0]):
        place = target.args[0]
        if target.function == "len" and type(value) is int and value >= 0:
            yield (Decision("length", place, value),)
            yield (Decision("class", place, str), Decision("length", place, value))
            return
        if target.function == "keys" and type(value) is tuple:
            yield (Decision("order", place, value), Decision("class", place, dict))
            return
        if target.function in ("int", "float", "str", "bool", "tuple", "abs"):
            yield (Decision("value", place, value),)
    if isinstance(target, Call) and target.function in ("set", "frozenset") and isinstance(target.args[0], Call):
        inner = target.args[0]
        if type(value) in (set, frozenset) and inner.function == "keys" and place_of(inner.args[0]):
            ordered = _ordered(value)
            for keys in (ordered, ordered[::-1]):
                yield (Decision("order", inner.args[0], tuple(keys)), Decision("class", inner.args[0], dict))
            return
    if place_of(target):
        yield (Decision("value", target, value),)
        if type(value) in (list, tuple):
            yield (Decision("class", target, type(value)),)


def _ordered(items: Any) -> list[Any]:
    """Return the items of a set in an order that does not depend on hashes."""
    return sorted(items, key=lambda item: (type(item).__name__, repr(item) if type(item) in (str, int, bytes, float) else ""))


def _others(value: Any) -> list[Any]:
    """Return values that differ from one, the nearest first."""
    cls = type(value)
    if cls is bool:
        return [not value, None]
    if cls is int:
        return [value + 1, value - 1, value + 2, -value, None, "a"]
    if cls is float:
        return [math.nan, -value, value + 1.0, 0.0, -0.0]
    if cls is str:
        return [value + "a", "", None]
    if cls is tuple:
        return [value[::-1], (*value, "z"), value[:-1]]
    if cls in (set, frozenset):
        return [cls([*value, "z"]), cls(_ordered(value)[1:])]
    return [None, 1]


def _contained(left: Expr, right: Expr, holds: bool, read: Reader) -> Iterator[Move]:
    key = _reads(read, left)
    if place_of(right) and key is not None and is_value(key[0]):
        try:
            entry = GetItemSource(right, Const(key[0]))
        except (TypeError, Undefined):
            return
        if holds:
            yield (Decision("value", entry, 1),)
            yield (Decision("class", right, dict), Decision("value", entry, 1))
            yield (Decision("value", right, (key[0],)),)
        else:
            yield (Decision("value", entry, ABSENT),)
            yield (Decision("value", right, ()),)
            yield (Decision("order", right, ("other",)), Decision("value", entry, ABSENT))
    held = _reads(read, right)
    if held is None or type(held[0]) not in (tuple, list, set, frozenset, dict, str, range):
        return
    items = list(held[0])[:64] if type(held[0]) not in (set, frozenset) else _ordered(held[0])
    outside = [other for item in items[-2:] for other in _others(item)]
    for value in items if holds else [*outside, None]:
        yield from _given(left, value)


def _called(expr: Call, holds: bool, read: Reader) -> Iterator[Move]:
    match expr.function:
        case "same":
            for other in expr.args[1:]:
                yield from _identical(expr.args[0], other, holds, read)
            if holds and all(map(place_of, expr.args)):
                yield tuple(Decision("alias", other, expr.args[0]) for other in expr.args[1:])
        case "distinct":
            for a, b in itertools.combinations(expr.args, 2):
                yield from _identical(a, b, not holds, read)
            if holds:
                places = [arg for arg in expr.args if place_of(arg)]
                apart = [Decision("alias", place, None) for place in places]
                yield (*apart, *[Decision("class", place, object) for place in places])
        case "exact":
            yield from _equated(expr.args[0], expr.args[1], holds, read)
            yield from _equated(expr.args[1], expr.args[0], holds, read)
        case "hasattr":
            member = expr.args[1]
            place = AttrSource(expr.args[0], member.value) if isinstance(member, Const) else expr.args[0]
            if place_of(place):
                yield (Decision("value", place, 1 if holds else ABSENT),)
        case "isinstance":
            fixed = expr.args[1].value if isinstance(expr.args[1], ConstantSource) else None
            if place_of(expr.args[0]):
                classes = fixed if type(fixed) is tuple else (fixed,)
                for cls in classes:
                    yield from _typed(expr.args[0], cls, holds)
                    if holds and issubclass(type(cls), type):
                        yield from _derived(expr.args[0], cls)
        case "bool":
            if place_of(expr.args[0]):
                yield (Decision("value", expr.args[0], 1 if holds else 0),)
        case "isnan":
            yield from _given(expr.args[0], math.nan if holds else 1.5)
            if place_of(expr.args[0]):
                yield (Decision("value", expr.args[0], math.nan if holds else 1.5),)
        case _:
            return


def _derived(place: Expr, cls: type) -> Iterator[Move]:
    """Yield decisions for builtin classes derived from a class that may itself be abstract."""
    for other in _OTHER_CLASSES:
        if other is not cls and cls in mro_of(other):
            yield from _typed(place, other, True)


def _solved(guard: Expr, place: Expr, read: Reader) -> Iterator[Any]:
    """Yield numbers at which the two sides of a comparison of the guard meet, as far as they depend on a place linearly."""
    current = _reads(read, place)
    start = current[0] if current is not None and type(current[0]) in (int, float) else 1
    if type(start) is float and not math.isfinite(start):
        start = 1.0
    for node in postorder(guard):
        if not isinstance(node, Compare):
            continue
        for left, right in itertools.pairwise(node.operands):
            sides = (left, right)
            if not any(place in postorder(side) for side in sides):
                continue
            yield from _crossing(BinOp("-", left, right), place, start, read)
            for side in sides:
                if isinstance(side, BinOp) and side.op in ("%", "//"):
                    yield from _crossing(BinOp("-", side.left, side.right), place, start, read)


def _crossing(difference: Expr, place: Expr, start: Any, read: Reader) -> Iterator[Any]:
    here = _reads(read, difference, (Decision("value", place, start),))
    for step in (1, 64):
        there = _reads(read, difference, (Decision("value", place, start + step),))
        if here is None or there is None or type(here[0]) is not type(there[0]) or type(here[0]) not in (int, float):
            return
        slope = there[0] - here[0]
        if slope == 0 or slope != slope:
            continue
        if type(here[0]) is int and type(start) is int:
            root = start - here[0] * step // slope
            yield from (root, root + 1, root - 1, root + 2, root - 2)
        else:
            distance = here[0] * step / slope
            if math.isfinite(distance):
                yield from (start - distance, start - distance + 1, start - distance - 1)
        return
