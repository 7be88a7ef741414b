"""`isinstance(x, T)` by the real classes: what `__class__`, `__instancecheck__` or a registration claims does not count."""

from __future__ import annotations

from typing import Any

from guardlang.values import Undefined, type_name

__all__ = ["is_instance", "is_instance_of_any"]

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


def is_instance_of_any(x: Any, classes: Any) -> bool:
    """Return whether the exact class of an object is one of some classes or derived from one.

    Args:
        x: any object.
        classes: a class, or an exact tuple of classes.

    Raises:
        Undefined: one of them is no class.

    Example:
        >>> is_instance_of_any(True, (str, int)), is_instance_of_any(1, ())
        (True, False)
    """
    # Every one is asked: one that is no class makes the whole undefined, wherever it stands.
    verdicts = [is_instance(x, cls) for cls in (classes if type(classes) is tuple else (classes,))]
    return any(verdicts)
