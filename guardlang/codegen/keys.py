"""Questions about the keys of a dict, quick for the usual dict whose keys are all strings."""

from __future__ import annotations

from typing import Any

from guardlang.reading import contains, keys_of
from guardlang.values import equal

__all__ = ["has_key", "keys_are"]


def keys_are(d: Any, names: tuple[str, ...]) -> bool:
    """Return `keys(d) == names` as the interpreter means it.

    Args:
        d: any object.
        names: strings.

    Raises:
        Undefined: d has no keys, or one of them is no value.

    Example:
        >>> keys_are({"a": 1, "b": 2}, ("a", "b")), keys_are({"b": 1, "a": 2}, ("a", "b"))
        (True, False)
    """
    if type(d) is not dict:
        return equal(keys_of(d), names)
    if len(d) == len(names):
        for key, name in zip(d, names, strict=True):
            if key is not name and (type(key) is not str or key != name):
                break
        else:
            return True
    for key in d:
        if type(key) is not str:
            return equal(keys_of(d), names)
    return False


def has_key(d: Any, name: str) -> bool:
    """Return `name in d` as the interpreter means it.

    Args:
        d: any object.
        name: a string.

    Raises:
        Undefined: d holds nothing, or the question has no answer without running code.

    Example:
        >>> has_key({"a": 1}, "a"), has_key(["a"], "b")
        (True, False)
    """
    if type(d) is not dict:
        return contains(d, name)
    for key in d:
        if type(key) is not str:
            # The `__eq__` of a stored key could run in CPython's own lookup.
            return contains(d, name)
    return name in d
