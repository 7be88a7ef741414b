"""When `x.a` of Python itself is the pure read: what a class must look like, and how a check makes sure that it still does.

For an object whose exact class is known, Python's attribute access runs no code of the class and gives what `read_attribute`
gives if the class has neither `__getattribute__` nor `__getattr__` and the name is either found nowhere in the class, so that it
is read from the instance, or is a slot or another descriptor in C. Classes can be changed at any time, so a check asks again on
every call: one lookup for each class that can change, however many objects of it are read.
"""

from __future__ import annotations

import functools
import types
from typing import Any

import attrs

from guardlang.values import mro_of

__all__ = ["ClassShape", "Layer"]

_PLAIN_DESCRIPTORS = (types.MemberDescriptorType, types.GetSetDescriptorType)
_HEAP_TYPE = 1 << 9
_dict_of = type.__dict__["__dict__"].__get__
_flags_of = type.__dict__["__flags__"].__get__

# Types in C whose `__getattribute__` is the generic one; others, such as modules, have their own.
_GENERIC: tuple[type, ...] = (
    object,
    tuple,
    list,
    dict,
    set,
    frozenset,
    str,
    bytes,
    int,
    float,
    complex,
    slice,
    range,
    BaseException,
    functools.partial,
    types.FunctionType,
    types.CodeType,
    types.CellType,
)


@attrs.define(eq=False)
class Layer:
    """One class of an MRO that can be changed: the names it must not have, and the descriptors it must still have.

    Args:
        owner: the class.
        absent: names that must not be in its dict.
        present: names with the very objects that must be in its dict.
    """

    owner: type
    absent: set[str] = attrs.Factory(set)
    present: dict[str, Any] = attrs.Factory(dict)

    def absent_names(self) -> tuple[str, ...]:
        """Return the names that must be absent, sorted."""
        return tuple(sorted(self.absent))


class ClassShape:
    """What a check relies on about one exact class.

    Args:
        cls: the class.

    Example:
        >>> class Point:
        ...     def __init__(self, x):
        ...         self.x = x
        >>> shape = ClassShape(Point)
        >>> shape.can_read("x"), [sorted(layer.absent) for layer in shape.layers]
        (True, [['__getattr__', '__getattribute__', 'x']])
    """

    def __init__(self, cls: type) -> None:
        self.cls = cls
        self.mro = mro_of(cls)
        self.layers = [Layer(base) for base in self.mro if _flags_of(base) & _HEAP_TYPE]
        self._readable: dict[str, bool] = {}
        self._usable = type(cls) is type or _plain_metaclass(type(cls))

    def can_read(self, name: str) -> bool:
        """Tell whether `x.name` is the pure read for objects of this class, and note what that rests on.

        Args:
            name: an attribute that Python's syntax can spell.
        """
        if name not in self._readable:
            found, owner = self._find(name)
            if owner is None:
                # `__getattr__` is asked only for what is not found.
                readable = self._lacks("__getattr__") and self._has_dict() and self._note(name, None, "__getattr__")
            else:
                readable = type(found) in _PLAIN_DESCRIPTORS and self._note(name, owner)
            self._readable[name] = readable
        return self._readable[name]

    def can_call(self, name: str) -> bool:
        """Tell whether `x.name()` calls the method in C of a base that cannot be changed, and note what that rests on.

        Args:
            name: a method.

        Example:
            >>> class Words(list):
            ...     pass
            >>> ClassShape(Words).can_call("copy"), ClassShape(Words).can_call("spoken")
            (True, False)
        """
        found, owner = self._find(name)
        fixed = owner is not None and not _flags_of(owner) & _HEAP_TYPE
        return fixed and type(found) is types.MethodDescriptorType and self._note(name, owner)

    def in_dict_only(self, name: str) -> bool:
        """Tell whether `x.__dict__` is the instance dict and the only place of an attribute, and note what that rests on.

        Args:
            name: an attribute.
        """
        return self._find(name)[1] is None and self._has_dict() and self.can_read("__dict__") and self._note(name, None)

    def _has_dict(self) -> bool:
        return type(self._find("__dict__")[0]) in _PLAIN_DESCRIPTORS

    def _lacks(self, hook: str) -> bool:
        """Tell whether no class of the MRO has a hook of its own."""
        return not any(hook in _dict_of(base) for base in self.mro if not any(base is known for known in _GENERIC))

    def _note(self, name: str, owner: type | None, *hooks: str) -> bool:
        """Note that a name is found at its owner or nowhere; False when the class cannot be relied on at all."""
        if not self._usable or not self._lacks("__getattribute__"):
            return False
        above = True
        for layer in self.layers:
            layer.absent.update(("__getattribute__", *hooks))
            if name == "__dict__":
                # No class can be given another one: `type` has a descriptor of that name that cannot be set.
                continue
            if layer.owner is owner:
                layer.present[name] = self._find(name)[0]
                above = False
            elif above:
                layer.absent.add(name)
        return True

    def _find(self, name: str) -> tuple[Any, type | None]:
        for base in self.mro:
            entries = _dict_of(base)
            if name in entries:
                return entries[name], base
        return None, None


def _plain_metaclass(meta: type) -> bool:
    """Tell whether a metaclass leaves reading attributes of its classes' instances, and of the classes, alone."""
    own = [base for base in mro_of(meta) if base is not type and base is not object]
    return not any(name in _dict_of(base) for base in own for name in ("__mro__", "__dict__", "__getattribute__"))
