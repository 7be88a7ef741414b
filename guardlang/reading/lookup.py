"""Hash containers asked about a key.

CPython compares two keys only when their hashes are equal. Where a stored key has the hash of the key and an `__eq__` in Python,
that would run: membership is then undefined. An item is read by CPython's own lookup, as the program itself would read it; an
error of such an `__eq__` is undefined.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from typing import Any

from guardlang.reading.descriptors import ABSENT, find_in_mro
from guardlang.values import TypeSet, Undefined, equal, hashable, type_name

__all__ = ["entry_of", "is_among_keys", "is_member"]


def entry_of(d: dict[Any, Any], key: Any) -> Any:
    """Return the value that a dict holds for a key, or ABSENT; `__missing__` is not asked.

    Args:
        d: a dict or an object of a derived class.
        key: a value that has a hash. A NaN is the key of nothing.

    Raises:
        Undefined: the key has no hash, or the `__eq__` of a stored key raised.

    Example:
        >>> entry_of({1: "a"}, True), entry_of({}, 2) is ABSENT
        ('a', True)
    """
    if type(key) is set:
        raise Undefined("cannot be asked for a set, which has no hash")
    return _ask(lambda: dict.get(d, key, ABSENT)) if _can_be_found(key) else ABSENT


def is_among_keys(d: dict[Any, Any], key: Any) -> bool:
    """Return whether a dict has a key.

    Args:
        d: a dict or an object of a derived class.
        key: a value that has a hash. A NaN is the key of nothing.

    Raises:
        Undefined: the key has no hash, or a stored key would have to be asked.

    Example:
        >>> is_among_keys({"a": 1}, "a")
        True
    """
    if type(key) is set:
        raise Undefined("cannot be asked for a set, which has no hash")
    if not _can_be_found(key) or _holds_loud_key(dict.keys(d), d, key):
        return False
    return entry_of(d, key) is not ABSENT


def is_member(items: set[Any] | frozenset[Any], key: Any) -> bool:
    """Return whether a set has a member.

    Args:
        items: a set or frozenset, or an object of a derived class.
        key: a value that has a hash. A NaN is in nothing.

    Raises:
        Undefined: the key has no hash, or a stored member would have to be asked.

    Example:
        >>> nan = float("nan")
        >>> is_member({1, nan}, 1.0), is_member({1, nan}, nan)
        (True, False)
    """
    base: Any = set if issubclass(type(items), set) else frozenset
    if not _can_be_found(key) or _holds_loud_key(base.__iter__(items), items, key):
        return False
    return bool(_ask(lambda: base.__contains__(items, hashable(key))))


_NEVER_NAN = TypeSet(str, int, bool, bytes, type(None))


def _can_be_found(key: Any) -> bool:
    """Check that a key has a hash that runs no code; tell whether it equals itself."""
    if id(type(key)) in _NEVER_NAN.ids:
        return True
    key = hashable(key)
    return equal(key, key)


def _ask(question: Callable[[], Any]) -> Any:
    try:
        return question()
    except Exception as error:  # noqa: BLE001  # a stored key's own `__eq__` raised
        raise Undefined(f"cannot be searched: {type_name(type(error))} while keys were compared") from None


def _holds_loud_key(stored: Iterable[Any], container: Any, key: Any) -> bool:
    """Refuse when CPython's lookup would run the `__eq__` of a stored key; otherwise return False."""
    loud = False
    try:
        for item in stored:
            if type(item) is not str and _is_loud(type(item)):
                loud = True
                break
    except RuntimeError:
        raise Undefined("was changed while it was read") from None
    if loud and _shares_hash(container, hash(hashable(key))):
        raise Undefined("cannot be searched: it has a key of the same hash that would be compared by Python code")
    return False


_QUIET = TypeSet(str, int, bool, float, complex, bytes, type(None), range, type)
_DEEPEST = 50


def _is_loud(cls: type) -> bool:
    """Tell whether comparing an object of a class may run Python code, going by the class alone."""
    if id(cls) in _QUIET.ids:
        return False
    return issubclass(cls, (tuple, frozenset)) or not _has_equality_in_c(cls)


def _has_equality_in_c(cls: type) -> bool:
    return type(find_in_mro(cls, "__eq__")) is types.WrapperDescriptorType


def _is_compared_in_c(x: Any, depth: int = 0) -> bool:
    """Tell whether comparing an object, and what it holds, runs no Python code."""
    cls = type(x)
    if depth > _DEEPEST or not _has_equality_in_c(cls):
        return False
    for base in (tuple, frozenset):
        if issubclass(cls, base):
            return all(_is_compared_in_c(item, depth + 1) for item in base.__iter__(x))
    return True


class _Probe:
    """Stands for the key: of equal hash, and asked before what it is compared with."""

    def __init__(self, key_hash: int) -> None:
        self.hash = key_hash
        self.met = False

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        self.met = self.met or not _is_compared_in_c(other)
        return True


def _shares_hash(container: Any, key_hash: int) -> bool:
    """Tell whether a container holds something of a hash that Python code would compare, by the hashes that it stores.

    Merged into a container that holds the probe, each stored key meets the probe with its stored hash: no `__hash__` runs, and
    the probe stands on the left of each comparison. Only stored keys that share a hash with each other may be compared again.
    """
    probe = _Probe(key_hash)
    try:
        if not issubclass(type(container), dict):
            set.update({probe}, container)
        elif find_in_mro(type(container), "__iter__") is dict.__iter__:
            # Not `update`, which looks for a method `keys` first.
            _ = {probe: None, **container}
        # Else merging would go through the overridden methods, of which CPython's own lookup runs none.
    except Exception:  # noqa: BLE001  # two stored keys of one hash were compared, and one of them raised
        return True
    return probe.met
