"""Where an attribute of the instances of a class is found: what the C code keeps for as long as the class does not change."""

from __future__ import annotations

import enum
import types
from typing import Any

from guardlang.adapters import adapter_for
from guardlang.reading.descriptors import ABSENT, Effect, find_in_mro, impurity_of, rule_of
from guardlang.values import mro_of

__all__ = ["Place", "resolve"]


class Place(enum.IntEnum):
    """The enumeration of the same name in `runtime.h`."""

    UNKNOWN = 0
    OWN = 1
    OWN_OR_CLASS = 2
    OWN_OR_NEVER = 3
    GETTER = 4
    OF_CLASS = 5


_PLAIN_DESCRIPTORS = (types.MemberDescriptorType, types.GetSetDescriptorType)


def resolve(x: Any, name: str) -> tuple[int, Any]:
    """Return where `read_attribute` finds an attribute of objects of the class of x.

    Args:
        x: an object.
        name: the attribute.

    Returns:
        The place, and what the class holds there. UNKNOWN where reading takes more than C code can do.

    Example:
        >>> class Point:
        ...     dimensions = 2
        >>> resolve(Point(), "x"), resolve(Point(), "dimensions")
        ((1, None), (2, 2))
    """
    cls = type(x)
    adapter = adapter_for(cls)
    if name == "ndim":
        # The reader derives it from the sizes.
        return int(Place.UNKNOWN), None
    if adapter is not None and not (id(cls) in map(id, adapter.direct_classes) and find_in_mro(cls, name) is ABSENT):
        return int(Place.UNKNOWN), None
    try:
        place, found = _of_class(x, cls, name) if issubclass(cls, type) else _of_instance(cls, name)
    except Exception:  # noqa: BLE001  # a stored key's own `__eq__` raised
        return int(Place.UNKNOWN), None
    return int(place), found


def _of_instance(cls: type, name: str) -> tuple[Place, Any]:
    # A class with an entry `__dict__` of its own hides where the instance dict is.
    if type(find_in_mro(cls, "__dict__")) not in (*_PLAIN_DESCRIPTORS, type(ABSENT)):
        return Place.UNKNOWN, None
    found = find_in_mro(cls, name)
    if found is ABSENT:
        return Place.OWN, None
    rule = rule_of(type(found))
    if rule.on_instance is Effect.ITSELF:
        return (Place.UNKNOWN, None) if rule.data else (Place.OWN_OR_CLASS, found)
    if rule.on_instance is Effect.RUN and rule.data and type(found) in _PLAIN_DESCRIPTORS and impurity_of(found) is None:
        return Place.GETTER, found
    if rule.on_instance is Effect.FRESH and not rule.data:
        return Place.OWN_OR_NEVER, None
    return Place.UNKNOWN, None


def _of_class(x: type, meta: type, name: str) -> tuple[Place, Any]:
    on_meta = find_in_mro(meta, name)
    if on_meta is not ABSENT and rule_of(type(on_meta)).data:
        return Place.UNKNOWN, None
    found = find_in_mro(x, name)
    if found is not ABSENT and rule_of(type(found)).on_class is Effect.ITSELF and "__mro__" not in _own_names(x):
        return Place.OF_CLASS, found
    return Place.UNKNOWN, None


def _own_names(x: type) -> set[str]:
    return {
        name
        for base in mro_of(type(x))
        if base is not type and base is not object
        for name in ("mro", "__mro__")
        if name in type.__dict__["__dict__"].__get__(base)
    }
