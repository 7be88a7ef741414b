"""`deref(w)`: the object of a weak reference."""

from __future__ import annotations

import weakref
from typing import Any

from guardlang.values import Undefined, type_name

__all__ = ["dereference"]

_call = weakref.ref.__call__


def dereference(w: Any) -> Any:
    """Return the object of a weak reference, or None when it is dead.

    Args:
        w: exactly a `weakref.ref`; a derived class may have its own `__call__`.

    Raises:
        Undefined: w is anything else.

    Example:
        >>> class Buffer: pass
        >>> held = Buffer()
        >>> dereference(weakref.ref(held)) is held
        True
    """
    if type(w) is not weakref.ref:
        raise Undefined(f"is not a weak reference, but a {type_name(type(w))}")
    return _call(w)
