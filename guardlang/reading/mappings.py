"""Dicts, and what stands for a dict: keys and values in order, by position, and by key."""

from __future__ import annotations

import collections
import gc
import types
from collections.abc import Iterator
from itertools import islice
from typing import Any

from guardlang.reading.descriptors import find_in_mro
from guardlang.values import TypeSet, Undefined, hashable, type_name

__all__ = ["dict_behind", "item_by_position", "keys_of", "values_of"]

_OrderedDict: Any = collections.OrderedDict


def dict_behind(x: Any) -> dict[Any, Any] | None:
    """Return the dict that an object is or that a mappingproxy shows, or None.

    Args:
        x: any object.

    Example:
        >>> dict_behind(int.__dict__) is None, dict_behind([]) is None
        (False, True)
    """
    cls = type(x)
    if issubclass(cls, dict):
        return x  # type: ignore[no-any-return]
    if cls is types.MappingProxyType:
        shown = gc.get_referents(x)
        if len(shown) == 1 and issubclass(type(shown[0]), dict):
            return shown[0]  # type: ignore[no-any-return]
    return None


def keys_of(d: Any) -> tuple[Any, ...]:
    """Return the keys of a dict or mappingproxy in order; those of an OrderedDict in its own order.

    Args:
        d: any object.

    Raises:
        Undefined: d is no dict, or its order cannot be read.

    Example:
        >>> ordered = collections.OrderedDict(a=1, b=2)
        >>> ordered.move_to_end("a")
        >>> keys_of(ordered)
        ('b', 'a')
    """
    return _all(d, "keys")


def values_of(d: Any) -> tuple[Any, ...]:
    """Return the values of a dict or mappingproxy, in the order of its keys.

    Args:
        d: any object.

    Raises:
        Undefined: d is no dict, or its order cannot be read.

    Example:
        >>> values_of({"a": 1, "b": 2})
        (1, 2)
    """
    return _all(d, "values")


def item_by_position(d: Any, index: Any, of: str = "keys") -> Any:
    """Return the key or the value at a position of a dict, without hashing or comparing anything.

    Args:
        d: any object.
        index: the position; negative ones count from the last.
        of: `keys` or `values`.

    Raises:
        Undefined: d is no dict, or has no such position.

    Example:
        >>> item_by_position({"a": 1, "b": 2}, -1), item_by_position({"a": 1, "b": 2}, 0, "values")
        ('b', 1)
    """
    inner = _dict_of(d)
    if type(index) is not int:
        raise Undefined(f"has no position given by a {type_name(type(index))}: a position is an int")
    count = dict.__len__(inner)
    if not -count <= index < count:
        raise Undefined(f"has {count} {'entry' if count == 1 else 'entries'}")
    view = _view(inner, of)
    try:
        steps: Iterator[Any] = iter(view) if index >= 0 else reversed(view)
        return next(islice(steps, index if index >= 0 else -index - 1, None))
    except (RuntimeError, StopIteration, KeyError):
        raise Undefined("was changed while it was read") from None


def _dict_of(d: Any) -> dict[Any, Any]:
    inner = dict_behind(d)
    if inner is None:
        raise Undefined(f"is not a dict, but a {type_name(type(d))}")
    return inner


def _all(d: Any, of: str) -> tuple[Any, ...]:
    view = _view(_dict_of(d), of)
    try:
        return tuple(view)
    except (RuntimeError, KeyError):
        raise Undefined("was changed while it was read") from None


def _view(inner: dict[Any, Any], of: str) -> Any:
    if not issubclass(type(inner), _OrderedDict) or dict.__len__(inner) < 2:
        return dict.keys(inner) if of == "keys" else dict.values(inner)
    # CPython hashes the keys of an OrderedDict again when it walks through it.
    for key in tuple(dict.keys(inner)):
        if not _hashes_quietly(key):
            cause = f"has a key of type {type_name(type(key))}: Python code would run to find the order of an OrderedDict"
            raise Undefined(cause)
    return _OrderedDict.keys(inner) if of == "keys" else _OrderedDict.values(inner)


_PLAIN_KEYS = TypeSet(str, int, bool, bytes, type(None))


def _hashes_quietly(key: Any) -> bool:
    if type(key) in _PLAIN_KEYS or find_in_mro(type(key), "__hash__") is object.__hash__:
        return True
    try:
        hashable(key)
    except Undefined:
        return False
    return True
