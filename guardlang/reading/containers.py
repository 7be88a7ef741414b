"""`x[k]`, `len(x)` and `k in x` by the base type's own access, whatever a derived class overrides."""

from __future__ import annotations

import collections
import types
from collections.abc import Callable, Iterable
from typing import Any

from guardlang.reading.descriptors import ABSENT
from guardlang.reading.lookup import entry_of, is_among_keys, is_member
from guardlang.reading.mappings import dict_behind
from guardlang.values import TypeSet, Undefined, equal, is_value, type_name

__all__ = ["contains", "length", "read_item"]

# By exact type, for speed; classes derived from these are found by `_base_of`.
_BASES: tuple[Any, ...] = (dict, list, tuple, str, set, frozenset, bytes, bytearray, range, collections.deque)
_base_by_id: dict[int, Any] = {id(base): base for base in (*_BASES, types.MappingProxyType)}

_EMPTY: dict[Any, Any] = {}
_KEYS, _VALUES, _ITEMS = type(_EMPTY.keys()), type(_EMPTY.values()), type(_EMPTY.items())
_VIEWS: tuple[Any, ...] = (_KEYS, _VALUES, _ITEMS)
_base_by_id.update({id(view): view for view in _VIEWS})


def _base_of(cls: type) -> Any:
    """Return the builtin container that a class is or is derived from."""
    base = _base_by_id.get(id(cls))
    if base is not None:
        return base
    for base in (*_BASES, *_VIEWS):
        if issubclass(cls, base):
            return base
    return None


def read_item(x: Any, key: Any) -> Any:
    """Return an item of a list, tuple, str, range or deque by position, or of a dict or mappingproxy by key.

    Args:
        x: any object.
        key: an exact int, negative ones counting from the end; for dicts any value that has a hash. `__missing__` is not asked.

    Raises:
        Undefined: there is no such item, or x is none of these.

    Example:
        >>> read_item([5, 6], -1), read_item({"a": 1}, "a"), read_item("abc", 0)
        (6, 1, 'a')
        >>> read_item({}, "a")
        Traceback (most recent call last):
        ...
        guardlang.values.Undefined: has no key 'a'
    """
    base = _base_of(type(x))
    if base is dict or base is types.MappingProxyType:
        inner = dict_behind(x)
        if inner is None:
            raise Undefined("is a mappingproxy of something that is not a dict")
        found = entry_of(inner, key)
        if found is ABSENT:
            raise Undefined(f"has no key {_shown(key)}")
        return found
    get = _ITEM_BY_BASE.get(base)
    if get is None:
        raise Undefined(f"has no items to read: it is of type {type_name(type(x))}")
    if type(key) is not int:
        raise Undefined(f"is of type {type_name(type(x))} and takes an int as index, not a {type_name(type(key))}")
    try:
        return get(x, key)
    except (IndexError, OverflowError):  # the second one for an index past the machine word
        count = length(x)
        raise Undefined(f"has {_shown(count)} item{'' if count == 1 else 's'}, so none at {_shown(key)}") from None


_ITEM_BY_BASE: dict[type | None, Callable[[Any, int], Any]] = {
    list: list.__getitem__,
    tuple: tuple.__getitem__,
    str: str.__getitem__,
    range: range.__getitem__,
    collections.deque: collections.deque.__getitem__,
}


_SHOWN = TypeSet(int, bool, float, bytes, type(None))


def _shown(key: Any) -> str:
    """Return a short text of a key; only keys whose text needs no code of their type are shown."""
    if type(key) is str:
        return repr(key if len(key) <= 60 else f"{key[:57]}...")
    if type(key) in _SHOWN:
        text = repr(key) if type(key) is not int or key.bit_length() < 200 else "this big"
        return text if len(text) <= 60 else f"{text[:57]}..."
    return f"of type {type_name(type(key))} with this value"


def length(x: Any) -> int:
    """Return the number of items of a builtin container, or of an object of a class derived from one.

    Args:
        x: list, tuple, dict, set, frozenset, str, bytes, bytearray, range, deque, a view of a dict, or a mappingproxy of a dict.

    Raises:
        Undefined: x is none of these.

    Example:
        >>> length("abc"), length({}.keys()), length(range(10**30))
        (3, 0, 1000000000000000000000000000000)
    """
    base = _base_of(type(x))
    if base is range:
        # `len` overflows past the machine word.
        span, step = x.stop - x.start, x.step
        return max(0, int(-(-span // step)))
    count = _LENGTH_BY_BASE.get(base)
    if count is not None:
        return count(x)
    inner = dict_behind(x)
    if inner is None:
        raise Undefined(f"has no length: it is of type {type_name(type(x))}")
    return dict.__len__(inner)


_LENGTH_BY_BASE: dict[type | None, Callable[[Any], int]] = {
    base: base.__len__ for base in (*_BASES, *_VIEWS) if base is not range
}


def contains(x: Any, item: Any) -> bool:
    """Return whether an item is in a container, by the base type's own membership and the equality of values.

    Args:
        x: what `length` accepts. A sequence holds what equals one of its items; when none is equal and one is no value, that is
            undefined. A dict holds its keys, a str its parts.
        item: a value; in a dict or set one that has a hash. A NaN is in nothing.

    Raises:
        Undefined: x is no container, or the question has no answer without running code.

    Example:
        >>> contains([1, 2], True), contains({"a": 1}, "b"), contains("abc", "bc"), contains(range(5), 2.0)
        (True, False, True, True)
    """
    base = _base_of(type(x))
    ask = _MEMBERSHIP.get(base)
    if ask is None:
        raise Undefined(f"has no members: it is of type {type_name(type(x))}")
    return ask(x, item)


def _in_dict(x: Any, item: Any) -> bool:
    inner = dict_behind(x)
    if inner is None:
        raise Undefined("is a mappingproxy of something that is not a dict")
    return is_among_keys(inner, item)


def _in_sequence(iterate: Callable[[Any], Iterable[Any]]) -> Callable[[Any, Any], bool]:
    def ask(x: Any, item: Any) -> bool:
        return _among(iterate(x), item)

    return ask


def _among(items: Iterable[Any], item: Any) -> bool:
    if not is_value(item):
        raise Undefined(f"cannot be searched for an object of type {type_name(type(item))}: it has its own __eq__")
    unknown: Undefined | None = None
    try:
        for candidate in items:
            try:
                if equal(candidate, item):
                    return True
            except Undefined as error:
                unknown = unknown or error
    except RuntimeError:
        raise Undefined("was changed while it was read") from None
    if unknown is not None:
        raise Undefined(f"has no equal item, but one that {unknown.cause}")
    return False


def _in_range(x: range, item: Any) -> bool:
    cls = type(item)
    if cls is complex and item.imag == 0:
        item, cls = item.real, float
    if cls is float:
        # By value: a float with no fraction is the int that it equals.
        return item == item and abs(item) != float("inf") and item == int(item) and range.__contains__(x, int(item))
    if cls is int or cls is bool:
        return range.__contains__(x, int(item))
    if not is_value(item):
        raise Undefined(f"cannot be searched for an object of type {type_name(cls)}: it has its own __eq__")
    return False


def _in_str(x: str, item: Any) -> bool:
    if type(item) is not str:
        raise Undefined(f"is a str, which can only be searched for a str, not a {type_name(type(item))}")
    return str.__contains__(x, item)


def _in_bytes(contains_in: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def ask(x: Any, item: Any) -> bool:
        if type(item) is bytes:
            return contains_in(x, item)
        if (type(item) is int or type(item) is bool) and 0 <= item < 256:
            return contains_in(x, int(item))
        raise Undefined("can only be searched for bytes or an int from 0 to 255")

    return ask


def _in_keys(view: Any, item: Any) -> bool:
    return _in_dict(view.mapping, item)


def _in_items(view: Any, item: Any) -> bool:
    if not is_value(item):
        raise Undefined(f"cannot be searched for an object of type {type_name(type(item))}: it has its own __eq__")
    if type(item) is not tuple or len(item) != 2:
        return False
    inner = dict_behind(view.mapping)
    if inner is None:
        raise Undefined("is a view of something that is not a dict")
    return is_among_keys(inner, item[0]) and equal(entry_of(inner, item[0]), item[1])


def _values_behind(view: Any) -> Iterable[Any]:
    inner = dict_behind(view.mapping)
    if inner is None:
        raise Undefined("is a view of something that is not a dict")
    # Whether one is equal does not depend on the order, so an OrderedDict is not asked for its own.
    return dict.values(inner)


_MEMBERSHIP: dict[type | None, Callable[[Any, Any], bool]] = {
    dict: _in_dict,
    types.MappingProxyType: _in_dict,
    set: is_member,
    frozenset: is_member,
    list: _in_sequence(list.__iter__),
    tuple: _in_sequence(tuple.__iter__),
    collections.deque: _in_sequence(collections.deque.__iter__),
    range: _in_range,
    str: _in_str,
    bytes: _in_bytes(bytes.__contains__),
    bytearray: _in_bytes(bytearray.__contains__),
    _KEYS: _in_keys,
    _VALUES: _in_sequence(_values_behind),
    _ITEMS: _in_items,
}
