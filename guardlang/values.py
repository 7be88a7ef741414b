"""What a value is: equality, exactness, order and copies of values, without running code of any input's type.

Values are None, Ellipsis, NotImplemented, bool, int, float, complex, str, bytes, exact tuple, list, dict, set, frozenset, range
and slice of values, classes, and registered value types. Everything else is an object: it has identity and nothing more.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any

import attrs

__all__ = [
    "MAX_VALUE_DEPTH",
    "TypeSet",
    "Undefined",
    "ValueType",
    "constructor_of",
    "constructors",
    "equal",
    "exact",
    "exact_key",
    "find_types_with",
    "hashable",
    "identity_key",
    "is_value",
    "less",
    "mro_of",
    "register_value_type",
    "snapshot",
    "type_name",
    "value_type_of",
]

# Values nested deeper than this are undefined: a bound that every backend can keep without exhausting its stack.
MAX_VALUE_DEPTH = 100

mro_of: Callable[[type], tuple[type, ...]] = type.__dict__["__mro__"].__get__
_dict_of: Callable[[type], Mapping[str, Any]] = type.__dict__["__dict__"].__get__
_name_of: Callable[[type], str] = type.__dict__["__name__"].__get__


class TypeSet:
    """A set of classes that asks no metaclass: `type(x) in {int, str}` would call a `__hash__` or `__eq__` of the metaclass of x.

    Args:
        types: classes that live as long as the set.

    Example:
        >>> int in TypeSet(int, str), bool in TypeSet(int, str)
        (True, False)
    """

    __slots__ = ("ids", "types")

    def __init__(self, *types: type) -> None:
        self.types = types
        self.ids = frozenset(map(id, types))

    def __contains__(self, cls: type) -> bool:
        return id(cls) in self.ids

    def __iter__(self) -> Iterator[type]:
        return iter(self.types)


_NUMBERS = TypeSet(bool, int, float, complex)
_SCALARS = TypeSet(*_NUMBERS, type(None), type(Ellipsis), type(NotImplemented), str, bytes)
_SETS = TypeSet(set, frozenset)


class Undefined(Exception):
    """What was asked for cannot be read or computed without running code of an input's type, or does not exist.

    Args:
        cause: why, as the end of a sentence that starts with the path.
    """

    def __init__(self, cause: str) -> None:
        self.cause = cause
        super().__init__(cause)


def type_name(cls: type) -> str:
    """Return the bare name of a class without asking its metaclass.

    Example:
        >>> type_name(int)
        'int'
    """
    return _name_of(cls)


@attrs.frozen(eq=False)
class ValueType:
    """A type whose objects are values.

    Args:
        type: the class; its subclasses count only with `subclasses`.
        value_of: gives the plain value that decides equality; must not run code of the object's class.
        like_plain: whether the object equals that plain value itself, as `torch.Size` equals a tuple.
        native: whether `==` between two objects of the exact type is this equality, computed in C.
        subclasses: whether objects of derived classes are values too.
        name: how a constant of the type is written, such as `torch.device`; None if it has no text.
        construct: builds an object from the literals in the parentheses.
        arguments: gives the literals from which `construct` builds an equal object.
    """

    type: type
    value_of: Callable[[Any], Any]
    like_plain: bool = False
    native: bool = False
    subclasses: bool = False
    name: str | None = None
    construct: Callable[..., Any] | None = None
    arguments: Callable[[Any], tuple[Any, ...]] | None = None


# By the id of the class, which the record keeps alive: hashing a class would ask its metaclass.
_exact_types: dict[int, ValueType] = {}
_base_types: dict[int, ValueType] = {}
_finders: list[Callable[[], bool]] = []
constructors: dict[str, ValueType] = {}


def register_value_type(value_type: ValueType) -> ValueType:
    """Make the objects of a type values: `==`, `exact` and hash containers accept them from then on.

    Args:
        value_type: the type and what its values are.

    Returns:
        The same record.

    Example:
        >>> from fractions import Fraction
        >>> as_pair = lambda f: (object.__getattribute__(f, "_numerator"), object.__getattribute__(f, "_denominator"))
        >>> entry = register_value_type(ValueType(Fraction, as_pair))
        >>> equal(Fraction(1, 2), Fraction(2, 4))
        True
    """
    (_base_types if value_type.subclasses else _exact_types)[id(value_type.type)] = value_type
    if value_type.name is not None:
        constructors[value_type.name] = value_type
    return value_type


def value_type_of(cls: type) -> ValueType | None:
    """Return the registered value type of a class, or None."""
    found = _exact_types.get(id(cls))
    if found is not None:
        return found
    if _base_types:
        for base in mro_of(cls):
            found = _base_types.get(id(base))
            if found is not None:
                return found
    return value_type_of(cls) if _found_more() else None


def constructor_of(name: str) -> ValueType | None:
    """Return the registered value type whose constants are written with a name, or None.

    Args:
        name: as written, such as `torch.device`.
    """
    found = constructors.get(name)
    if found is None and _found_more():
        return constructors.get(name)
    return found


def find_types_with(finder: Callable[[], bool]) -> None:
    """Have a function asked whenever a class or a constructor is not known.

    Args:
        finder: registers what it can, and returns whether that was anything new.
    """
    _finders.append(finder)


def _found_more() -> bool:
    found = [finder() for finder in _finders]
    return True in found


def is_value(x: Any) -> bool:
    """Tell whether an object is a value all the way down.

    Example:
        >>> is_value((1, [2.0, {"a": None}])), is_value([object()])
        (True, False)
    """
    try:
        _Numbering().of(x)
    except Undefined:
        return False
    return True


def equal(a: Any, b: Any) -> bool:
    """Return whether two values are equal as Python values, without the identity shortcut inside containers.

    Args:
        a: any object.
        b: any object.

    Returns:
        The verdict; a NaN anywhere makes it False.

    Raises:
        Undefined: one of them is no value.

    Example:
        >>> equal(1, True), equal([1.0], [1]), equal([float("nan")], [float("nan")])
        (True, True, False)
    """
    ta, tb = type(a), type(b)
    if id(ta) in _SCALARS.ids and id(tb) in _SCALARS.ids:
        # `'a' == b'a'` raises under python -bb.
        if (ta is str and tb is bytes) or (ta is bytes and tb is str):
            return False
        return bool(a == b)
    if (ta is tb or (ta in _SETS and tb in _SETS)) and _is_flat(a) and _is_flat(b):
        return bool(a == b)
    numbering = _Numbering()
    same = numbering.of(a) == numbering.of(b)
    return same and not numbering.nan


_FLAT_ITEMS = TypeSet(int, bool, str, type(None))


def _is_flat(x: Any) -> bool:
    """Tell whether a container holds only scalars for which Python's own equality of containers is right: no floats, no bytes."""
    cls = type(x)
    if cls is tuple or cls is list or cls in _SETS:
        ids = _FLAT_ITEMS.ids
        return all(id(type(item)) in ids for item in x)
    return False


class _Numbering:
    """Gives equal values equal numbers; each object is visited once, so shared and deep structure costs no more than its size."""

    __slots__ = ("by_id", "by_key", "kept", "nan")

    def __init__(self) -> None:
        self.by_key: dict[Hashable, int] = {}
        self.by_id: dict[int, int] = {}
        # An id means something only while its object lives, and plain values of registered types are made on the way.
        self.kept: list[Any] = []
        self.nan = False

    def of(self, x: Any, depth: int = 0) -> int:
        known = self.by_id.get(id(x))
        if known is not None:
            return known
        if depth > MAX_VALUE_DEPTH:
            raise Undefined(f"is nested deeper than {MAX_VALUE_DEPTH} levels")
        key = self._key(x, depth + 1)
        number = key if type(key) is int else self.by_key.setdefault(key, len(self.by_key))
        if id(type(x)) not in _SCALARS.ids:
            self.by_id[id(x)] = number
            self.kept.append(x)
        return number

    def _key(self, x: Any, depth: int) -> Hashable:
        """Return what decides the number; an int is the number itself."""
        cls = type(x)
        if id(cls) in _SCALARS.ids:
            return self._scalar(x, cls)
        if cls is tuple or cls is list:
            return (cls, *[self.of(item, depth) for item in x])
        if cls is dict:
            return (dict, frozenset([(self.of(k, depth), self.of(v, depth)) for k, v in x.items()]))
        if cls is set or cls is frozenset:
            return (set, frozenset([self.of(item, depth) for item in x]))
        if cls is range:
            count = _range_length(x)
            return (range, count, x.start if count else None, x.step if count > 1 else None)
        if cls is slice:
            return (slice, self.of(x.start, depth), self.of(x.stop, depth), self.of(x.step, depth))
        if issubclass(cls, type):
            return (type, id(x))
        value_type = value_type_of(cls)
        if value_type is None:
            raise Undefined(f"has no value: an object of type {type_name(cls)} has its own __eq__")
        plain = self.of(value_type.value_of(x), depth)
        return plain if value_type.like_plain else (ValueType, id(value_type), plain)

    def _scalar(self, x: Any, cls: type) -> Hashable:
        if id(cls) in _NUMBERS.ids:
            if x != x:
                self.nan = True
            return ("number", x)
        return (cls, x)


def _range_length(x: range) -> int:
    """Return the number of items of a range of any size; `len` overflows past the machine word."""
    span, step = x.stop - x.start, x.step
    return max(0, -(-span // step))


def exact(a: Any, b: Any) -> bool:
    """Return whether two values have the same exact types and the same value to the bit, all the way down.

    The first difference from the left decides; dicts also compare the order of their items.

    Args:
        a: any object.
        b: any object.

    Returns:
        The verdict. `0.0` is not `-0.0`; a NaN equals a NaN with the same sign.

    Raises:
        Undefined: two objects of one type that are no values stand opposite each other.

    Example:
        >>> exact(1, True), exact((1,), (1.0,)), exact(0.0, -0.0), exact([1], [1])
        (False, False, False, True)
    """
    pairs = [(a, b, 0)]
    # With the objects, so that an id is not met again as another object's.
    seen: dict[tuple[int, int], tuple[Any, Any]] = {}
    while pairs:
        x, y, depth = pairs.pop()
        cls = type(x)
        if cls is not type(y):
            return False
        if id(cls) in _SCALARS.ids:
            if _bits(x) != _bits(y):
                return False
            continue
        if (id(x), id(y)) in seen:
            continue
        if depth > MAX_VALUE_DEPTH:
            raise Undefined(f"is nested deeper than {MAX_VALUE_DEPTH} levels")
        seen[id(x), id(y)] = (x, y)
        children = _exact_children(x, y, cls)
        if children is None:
            return False
        pairs.extend((p, q, depth + 1) for p, q in reversed(children))
    return True


def _exact_children(x: Any, y: Any, cls: type) -> list[tuple[Any, Any]] | None:
    """Return the pairs that must be exact for x and y to be; None when they differ by themselves."""
    if cls is tuple or cls is list:
        return list(zip(x, y, strict=True)) if len(x) == len(y) else None
    if cls is dict:
        if len(x) != len(y):
            return None
        return [pair for (k, v), (m, w) in zip(x.items(), y.items(), strict=True) for pair in ((k, m), (v, w))]
    if cls is set or cls is frozenset:
        if len(x) != len(y):
            return None
        return [] if {exact_key(item) for item in x} == {exact_key(item) for item in y} else None
    if cls is range or cls is slice:
        return [(x.start, y.start), (x.stop, y.stop), (x.step, y.step)]
    if issubclass(cls, type):
        return [] if x is y else None
    value_type = value_type_of(cls)
    if value_type is None:
        raise Undefined(f"has no value: an object of type {type_name(cls)} has its own __eq__")
    return [(value_type.value_of(x), value_type.value_of(y))]


def _bits(x: Any) -> Hashable:
    """Return a key of a scalar that keeps the sign of zero and of NaN, and nothing else of a NaN."""
    if type(x) is float:
        return ("nan", math.copysign(1.0, x)) if x != x else struct.pack("<d", x)
    if type(x) is complex:
        return (_bits(x.real), _bits(x.imag))
    return x  # type: ignore[no-any-return]  # every other scalar is its own key


def exact_key(x: Any, depth: int = 0) -> Hashable:
    """Return a key that two values share exactly when `exact` holds between them.

    Args:
        x: a value.
        depth: levels above x; leave it out.

    Raises:
        Undefined: x is no value.

    Example:
        >>> exact_key(1) == exact_key(True), exact_key([0.0]) == exact_key([0.0])
        (False, True)
    """
    cls = type(x)
    if id(cls) in _SCALARS.ids:
        return (cls, _bits(x))
    if depth > MAX_VALUE_DEPTH:
        raise Undefined(f"is nested deeper than {MAX_VALUE_DEPTH} levels")
    if cls is tuple or cls is list:
        return (cls, *[exact_key(item, depth + 1) for item in x])
    if cls is dict:
        return (dict, *[(exact_key(k, depth + 1), exact_key(v, depth + 1)) for k, v in x.items()])
    if cls is set or cls is frozenset:
        return (cls, frozenset([exact_key(item, depth + 1) for item in x]))
    if cls is range or cls is slice:
        return (cls, exact_key(x.start, depth + 1), exact_key(x.stop, depth + 1), exact_key(x.step, depth + 1))
    if issubclass(cls, type):
        return (type, id(x))
    value_type = value_type_of(cls)
    if value_type is None:
        raise Undefined(f"has no value: an object of type {type_name(cls)} has its own __eq__")
    return (cls, exact_key(value_type.value_of(x), depth + 1))


def identity_key(x: object) -> Hashable:
    """Return a key of the object itself, good for as long as the holder of the key holds the object."""
    return ("object", id(x))


def less(op: str, a: Any, b: Any) -> bool:
    """Return `a op b` for `<`, `<=`, `>`, `>=` on numbers, strings, bytes and sets of values (subset).

    Args:
        op: the operator.
        a: left operand.
        b: right operand.

    Raises:
        Undefined: the two have no order.

    Example:
        >>> less("<", 2**53, 2.0**53), less("<=", {1}, {1, 2})
        (False, True)
    """
    ta, tb = type(a), type(b)
    order = _ORDERED.get(id(ta))
    if order is not None and order == _ORDERED.get(id(tb)):
        return _compare(op, a, b)
    if ta in _SETS and tb in _SETS:
        numbering = _Numbering()
        left, right = ({numbering.of(item) for item in side} for side in (a, b))
        if numbering.nan:
            # A NaN is in nothing, so a set that holds one is part of no set and has no parts equal to it.
            left, right = _with_nan_apart(a, left), _with_nan_apart(b, right)
        return _compare(op, left, right)
    raise Undefined(f"has no order: {op} between {type_name(ta)} and {type_name(tb)}")


_ORDERED: dict[int, str] = {id(bool): "number", id(int): "number", id(float): "number", id(str): "str", id(bytes): "bytes"}


def _with_nan_apart(side: Any, numbers: set[int]) -> set[Any]:
    """Return `numbers` with one mark of its own for a side that holds a NaN."""
    return numbers | {("nan", id(side))} if any(_holds_nan(item) for item in side) else numbers


def _holds_nan(x: Any) -> bool:
    numbering = _Numbering()
    numbering.of(x)
    return numbering.nan


def _compare(op: str, a: Any, b: Any) -> bool:
    if op == "<":
        return bool(a < b)
    if op == "<=":
        return bool(a <= b)
    if op == ">":
        return bool(a > b)
    return bool(a >= b)


def hashable(x: Any) -> Any:
    """Return a value as it can be looked up in a hash container without running code of its type.

    Args:
        x: any object; a set is looked up as the frozenset of its items, as Python does.

    Raises:
        Undefined: x is no value, or a value that has no hash.

    Example:
        >>> hashable((1, "a"))
        (1, 'a')
    """
    if id(type(x)) in _SCALARS.ids:
        return x
    if type(x) is set:
        return frozenset(x) if all(_check_hashable(item, 1) for item in x) else x
    _check_hashable(x, 0)
    return x


_UNHASHABLE = TypeSet(list, dict, set, slice)


def _check_hashable(x: Any, depth: int) -> bool:
    cls = type(x)
    if id(cls) in _SCALARS.ids or cls is range:
        return True
    if depth > MAX_VALUE_DEPTH:
        raise Undefined(f"is nested deeper than {MAX_VALUE_DEPTH} levels")
    if cls is tuple or cls is frozenset:
        return all(_check_hashable(item, depth + 1) for item in x)
    if issubclass(cls, type):
        if _slot_of(cls, "__hash__") is type.__hash__ and _slot_of(cls, "__eq__") is type.__eq__:
            return True
        raise Undefined(f"cannot be looked up: the metaclass {type_name(cls)} has its own __hash__ or __eq__")
    if value_type_of(cls) is not None:
        is_value(x)
        return True
    if cls in _UNHASHABLE:
        raise Undefined(f"cannot be looked up: a {type_name(cls)} has no hash")
    raise Undefined(f"cannot be looked up: an object of type {type_name(cls)} has its own __hash__")


def _slot_of(cls: type, name: str) -> Any:
    for base in mro_of(cls):
        entries = _dict_of(base)
        if name in entries:
            return entries[name]
    return object.__dict__[name]


def snapshot(x: Any, *, strict: bool = True) -> Any:
    """Return a copy of a value that nobody else can change; an immutable value is returned as it is.

    Args:
        x: a value.
        strict: whether anything else is an error; otherwise it is returned as it is.

    Raises:
        Undefined: x is no value and `strict`.

    Example:
        >>> original = [1, [2]]
        >>> copy = snapshot(original)
        >>> original[1].append(3)
        >>> copy
        [1, [2]]
    """
    if id(type(x)) in _SCALARS.ids:
        return x
    if not is_value(x):
        if strict:
            raise Undefined(f"is no value: it holds an object of type {type_name(type(x))}, or one that is no value")
        return x
    return _copy(x)


def _copy(x: Any) -> Any:
    cls = type(x)
    if cls is list:
        return [_copy(item) for item in x]
    if cls is dict:
        return {_copy(k): _copy(v) for k, v in x.items()}
    if cls is set:
        return {_copy(item) for item in x}
    if cls is tuple:
        items = tuple(_copy(item) for item in x)
        return x if all(p is q for p, q in zip(items, x, strict=True)) else items
    return x
