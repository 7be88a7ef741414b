"""`keys(d) == ('a', 'b')` without building the tuple of keys."""

from __future__ import annotations

from typing import Any

from guardlang.reading import keys_of
from guardlang.values import equal

__all__ = ["keys_are"]


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
        for key, name in zip(d, names):
            if key is not name and (type(key) is not str or key != name):
                break
        else:
            return True
    for key in d:
        if type(key) is not str:
            return equal(keys_of(d), names)
    return False
