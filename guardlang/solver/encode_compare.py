"""Comparisons, membership and relations of the language as formulas."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from guardlang.ast import Call, Compare, Expr
from guardlang.solver.encode_numbers import equal_numbers, less_numbers
from guardlang.solver.formula import BOOL, FALSE, TRUE, Term
from guardlang.solver.universe import BUILTIN_TYPES, NUMBER_TYPES
from guardlang.solver.valuation import Encoded, Valuation
from guardlang.sources import Const, ConstantSource
from guardlang.values import mro_of

__all__ = ["Items", "chain", "exactly", "instance", "partition"]

# Gives the items of a tuple that is written out in the guard, or None.
Items = Callable[[Expr], "tuple[Encoded, ...] | None"]
# Exact objects of these classes equal only objects of the same class.
_APART = (str, bytes, type(None), list, dict, range, slice, type(Ellipsis), type(NotImplemented))
# These have a hash whatever they hold; tuples and frozensets have one if their items do.
_HASHABLE = (bool, int, float, complex, str, bytes, type(None), range, type(Ellipsis))
_NO_NUMBERS = tuple(cls for cls in BUILTIN_TYPES if cls not in NUMBER_TYPES)
_NO_CONTAINERS = (bool, int, float, complex, type(None), slice, type(Ellipsis), type(NotImplemented))
_UNHASHABLE = (list, dict, slice)


def chain(values: Valuation, node: Compare, below: tuple[Encoded, ...], items: Items) -> Encoded:
    """Return a comparison, or a chain of them that stops at the first false link.

    Args:
        values: the values of the query.
        node: the comparison.
        below: its operands.
        items: finds written-out items.
    """
    make = values.make
    result: Encoded | None = None
    for position in range(len(node.ops) - 1, -1, -1):
        pair = node.operands[position : position + 2]
        link = _link(values, node.ops[position], pair, below[position : position + 2], items)
        if result is None:
            result = link
            continue
        assert link.truth is not None
        assert result.truth is not None
        defined = make.both(link.defined, make.either(make.negate(link.truth), result.defined))
        result = values.condition(defined, make.both(link.truth, result.truth))
    assert result is not None
    return result


def _link(values: Valuation, op: str, nodes: tuple[Expr, ...], pair: tuple[Encoded, ...], items: Items) -> Encoded:
    make = values.make
    (left, right), (a, b) = nodes, pair
    if op.startswith("not ") or op in ("!=", "is not"):
        positive = {"not in": "in", "!=": "==", "is not": "is"}[op]
        link = _link(values, positive, nodes, pair, items)
        assert link.truth is not None
        return values.condition(link.defined, make.negate(link.truth))
    both = make.both(a.defined, b.defined)
    match op:
        case "is":
            _unify(values, a, b)
            return values.condition(both, TRUE if left is right else make.equal(a.identity, b.identity))
        case "==":
            shown = (items(left), items(right))
            if shown[0] is not None and shown[1] is not None and _one_kind(left, right):
                return _equal_items(values, both, shown[0], shown[1])
            return values.condition(make.both(both, a.valued, b.valued), equals(values, a, b))
        case "in":
            return _member(values, nodes, pair, items)
        case _:
            return _ordered(values, op, both, a, b)


def _one_kind(left: Expr, right: Expr) -> bool:
    return all(type(side.value) is tuple for side in (left, right) if isinstance(side, Const))


def _unify(values: Valuation, a: Encoded, b: Encoded) -> None:
    """State that one object has one content, where identity is no function's argument."""
    make = values.make
    if values.by_identity and a.keys and b.keys:
        return
    fields = ("tag", "integer", "nan", "inf", "real", "negative", "code", "valued", "unequal", "bits")
    for named, other in ((a, b), (b, a)):
        if named.identity.op == "const" and other.identity.op != "const":
            same = [make.equal(getattr(named, name), getattr(other, name)) for name in ("tag", "code", "valued")]
            values.side.append(make.implies(make.equal(a.identity, b.identity), make.both(*same)))
            return
    if a.identity.op != "const" and b.identity.op != "const":
        same = [make.equal(getattr(a, name), getattr(b, name)) for name in fields]
        values.side.append(make.implies(make.equal(a.identity, b.identity), make.both(*same)))


def equals(values: Valuation, a: Encoded, b: Encoded) -> Term:
    """Return whether two values are equal.

    Example:
        >>> from guardlang.solver.formula import Builder
        >>> from guardlang.solver.universe import Universe
        >>> values = Valuation(Builder(), Universe(["a", "b"]), by_identity=False)
        >>> str(equals(values, values.constant("a"), values.constant("b")))
        'False'
    """
    make = values.make
    number_a, number_b = values.is_number(a), values.is_number(b)
    numbers = make.both(number_a, number_b)
    as_numbers = equal_numbers(values, a, b) if numbers is not FALSE else FALSE
    if numbers is TRUE:
        return as_numbers
    apart = make.either(values.is_tag(a, *_APART), values.is_tag(b, *_APART))
    alike = make.either(make.negate(apart), make.equal(a.tag, b.tag))
    as_others = make.both(alike, make.equal(a.code, b.code), make.negate(a.unequal), make.negate(b.unequal))
    one_number = make.both(make.either(number_a, number_b), make.negate(numbers))
    if one_number is FALSE:
        return make.choose(numbers, as_numbers, as_others)
    # A complex number, or a value type that stands for a number, may equal an int.
    perhaps = make.both(*[make.negate(values.is_tag(side, *_NO_NUMBERS)) for side in (a, b)])
    if perhaps is not FALSE:
        perhaps = make.both(perhaps, _equals_number(values, a, b))
    return make.choose(numbers, as_numbers, make.choose(one_number, perhaps, as_others))


def _equals_number(values: Valuation, a: Encoded, b: Encoded) -> Term:
    """Return whether a value equals a number that it is not: one fact for each value and constant."""
    for constant, other in ((a, b), (b, a)):
        number = constant.integer if values.is_tag(constant, bool, int) is TRUE else constant.real
        plain = values.is_number(constant) is TRUE and number.op == "const" and constant.nan is FALSE
        if plain and constant.inf.op == "const" and constant.inf.value == 0:
            ratio = Fraction(number.value)
            return values.fact(other, f"equals the number {ratio.numerator:#x}/{ratio.denominator:#x}", BOOL)
    return values.fresh("equal", BOOL)


def _equal_items(values: Valuation, both: Term, left: tuple[Encoded, ...], right: tuple[Encoded, ...]) -> Encoded:
    """Return the equality of two tuples that are written out."""
    make = values.make
    valued = make.both(both, *[item.valued for item in (*left, *right)])
    if len(left) != len(right):
        return values.condition(valued, FALSE)
    return values.condition(valued, make.both(*[equals(values, x, y) for x, y in zip(left, right, strict=True)]))


def _ordered(values: Valuation, op: str, both: Term, a: Encoded, b: Encoded) -> Encoded:
    make = values.make
    if op in (">", ">="):
        a, b, op = b, a, "<" if op == ">" else "<="
    numbers = make.both(values.is_number(a), values.is_number(b))
    as_numbers = less_numbers(values, a, b, strict=op == "<") if numbers is not FALSE else FALSE
    if numbers is TRUE:
        return values.condition(both, as_numbers)
    texts = make.either(
        make.both(values.is_tag(a, str), values.is_tag(b, str)), make.both(values.is_tag(a, bytes), values.is_tag(b, bytes))
    )
    sets = make.both(values.is_tag(a, set, frozenset), values.is_tag(b, set, frozenset))
    as_texts = (make.lt if op == "<" else make.le)(a.code, b.code)
    as_sets, defined_sets = FALSE, FALSE
    if sets is not FALSE:
        as_sets = values.fresh("subset", BOOL)
        defined_sets = make.both(sets, a.valued, b.valued)
    defined = make.both(both, make.either(numbers, texts, defined_sets))
    return values.condition(defined, make.choose(numbers, as_numbers, make.choose(texts, as_texts, as_sets)))


def _member(values: Valuation, nodes: tuple[Expr, ...], pair: tuple[Encoded, ...], items: Items) -> Encoded:
    make = values.make
    key, container = pair
    both = make.both(key.defined, container.defined)
    shown = items(nodes[1])
    if shown is not None:
        # A sequence is searched from the left; what is no value makes the search undefined only if nothing was found.
        matches = [make.both(key.valued, item.valued, equals(values, key, item)) for item in shown]
        found = make.either(*matches)
        searched = make.both(*[item.valued for item in shown])
        return values.condition(make.both(both, key.valued, make.either(found, searched)), found)
    holder = nodes[1]
    content = holder.value if isinstance(holder, Const) else holder.content if isinstance(holder, ConstantSource) else None
    if type(content) in (set, frozenset, dict):
        matches = [equals(values, key, values.constant(item)) for item in _canonical(content)]
        can_hash = make.both(key.valued, _has_hash(values, key))
        return values.condition(make.both(both, can_hash), make.either(*matches))
    if type(content) is range and values.is_tag(key, bool, int) is TRUE:
        return values.condition(both, _in_range(values, key.integer, content))
    readable = make.both(values.fresh("searchable", BOOL), make.negate(values.is_tag(container, *_NO_CONTAINERS)))
    found = values.fresh("member", BOOL)
    if type(content) is str:
        readable = make.both(readable, values.is_tag(key, str))
    if isinstance(nodes[0], Const) and type(nodes[0].value) is str:
        # Only a mapping has items under string keys.
        item = values.fact(container, f"has {values.item_name(nodes[0].value)}", BOOL)
        values.side.append(make.implies(make.both(container.defined, item), make.both(readable, found)))
        mapping = values.is_mapping(container)
        values.side.append(make.implies(mapping, make.both(readable, make.equal(found, item))))
    return values.condition(make.both(both, readable), found)


def _canonical(content: Any) -> list[Any]:
    """Return the items of a set or dict in an order that does not depend on hashes."""
    return list(content) if type(content) is dict else sorted(content, key=lambda item: (type(item).__name__, _text(item)))


def _text(item: Any) -> str:
    return repr(item) if type(item) in (bool, int, float, complex, str, bytes, type(None)) else ""


def _in_range(values: Valuation, number: Term, content: range) -> Term:
    make = values.make
    if content.start == content.stop or not content:
        return FALSE
    low, high = sorted((content[0], content[-1]))
    inside = make.both(make.le(make.integer(low), number), make.le(number, make.integer(high)))
    step = make.integer(abs(content.step))
    return make.both(inside, make.equal(make.modulo(make.subtract(number, make.integer(low)), step), make.integer(0)))


def _has_hash(values: Valuation, key: Encoded) -> Term:
    make = values.make
    if values.is_tag(key, *_HASHABLE) is TRUE:
        return TRUE
    unknown = make.both(make.negate(values.is_tag(key, *_UNHASHABLE)), values.fact(key, "has a hash", BOOL))
    return make.either(values.is_tag(key, *_HASHABLE), unknown)


def partition(values: Valuation, name: str, below: tuple[Encoded, ...]) -> Encoded:
    """Return `same(...)` or `distinct(...)`."""
    make = values.make
    defined = make.both(*[part.defined for part in below])
    if name == "same":
        for part in below[1:]:
            _unify(values, below[0], part)
        return values.condition(defined, make.both(*[make.equal(below[0].identity, part.identity) for part in below[1:]]))
    differ = [make.negate(make.equal(a.identity, b.identity)) for n, a in enumerate(below) for b in below[n + 1 :]]
    return values.condition(defined, make.both(*differ))


def exactly(values: Valuation, below: tuple[Encoded, ...]) -> Encoded:
    """Return `exact(x, c)`."""
    make = values.make
    a, b = below
    both = make.both(a.defined, b.defined)
    same_class = make.equal(a.tag, b.tag)
    whole, real = values.is_tag(a, bool, int), values.is_tag(a, float)
    finite = make.both(make.equal(a.inf, b.inf), make.equal(a.real, b.real))
    same_kind = make.choose(a.nan, b.nan, make.both(make.negate(b.nan), finite))
    same_float = make.both(make.equal(a.negative, b.negative), same_kind)
    other = FALSE
    if make.either(whole, real) is not TRUE:
        other = make.both(make.equal(a.bits, b.bits), make.either(a.unequal, make.equal(a.code, b.code)))
        other = make.both(other, make.equal(a.unequal, b.unequal))
        other = make.choose(values.is_tag(a, str, bytes, type(None)), make.equal(a.code, b.code), other)
    same = make.both(same_class, make.choose(whole, make.equal(a.integer, b.integer), make.choose(real, same_float, other)))
    plain = make.both(make.either(a.valued, b.valued))
    # Of two objects that are no values nothing is known; where the first difference decides, a value is not needed.
    defined = make.both(both, make.either(make.negate(same_class), make.both(a.valued, b.valued), values.fresh("defined", BOOL)))
    return values.condition(defined, make.both(same, plain))


def instance(values: Valuation, node: Call, below: tuple[Encoded, ...]) -> Encoded:
    """Return `isinstance(x, T)`: by the real class lattice for known classes, free but consistent for others."""
    make = values.make
    a, b = below
    both = make.both(a.defined, b.defined)
    wanted = node.args[1]
    value = wanted.value if isinstance(wanted, ConstantSource) else None
    classes = value if type(value) is tuple else (value,)
    if not all(issubclass(type(cls), type) for cls in classes):
        return values.condition(make.both(both, values.fresh("defined", BOOL)), values.fresh("instance", BOOL))
    return values.condition(both, make.either(*[_is_instance(values, a, cls) for cls in classes]))


def _is_instance(values: Valuation, a: Encoded, cls: type) -> Term:
    make = values.make
    codes = values.universe.subclasses(cls)
    known = make.either(*[make.equal(a.tag, make.integer(code)) for code in codes])
    if a.tag.op == "const":
        return known
    others = make.le(make.integer(len(values.universe.classes)), a.tag)
    derived = values.fact(a, f"derives from {values.universe.class_code(cls)}", BOOL)
    for base in mro_of(cls)[1:]:
        values.side.append(make.implies(derived, values.fact(a, f"derives from {values.universe.class_code(base)}", BOOL)))
    return make.either(known, make.both(others, TRUE if cls is object else derived))
