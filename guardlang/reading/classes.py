"""`isinstance(x, T)` by the real classes: what `__class__`, `__instancecheck__` or a registration claims does not count."""

from __future__ import annotations

from typing import Any

from guardlang.values import Undefined, type_name

__all__ = ["is_instance"]

_is_subclass = type.__subclasscheck__


def is_instance(x: Any, cls: Any) -> bool:
    """Return whether the exact class of an object is a class or derived from it.

    Args:
        x: any object.
        cls: the class.

    Raises:
        Undefined: `cls` is no class.

    Example:
        >>> is_instance(True, int), is_instance(1, bool)
        (True, False)
    """
    if not issubclass(type(cls), type):
        raise Undefined(f"asks for instances of a {type_name(type(cls))}, which is no class")
    # `type.__subclasscheck__` compares the classes of the MRO by identity; `in` would ask a metaclass for equality.
    return bool(_is_subclass(cls, type(x)))
