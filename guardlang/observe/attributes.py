"""Attributes of objects and classes: where Python finds them, and what must not be there for it to find them there."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

from guardlang.ast import Call, Expr, Not
from guardlang.observe.observer import refuse
from guardlang.observe.place import Place
from guardlang.reading import read_attribute
from guardlang.reading.descriptors import ABSENT, Effect, class_dict, rule_of
from guardlang.sources import AttrSource, Const, DynamicAttrSource, GetItemSource, TypeSource
from guardlang.values import Undefined, mro_of

__all__ = [
    "attribute_of",
    "attribute_of_class",
    "class_attribute",
    "has_attribute",
    "instance_dict",
    "instance_parts",
    "truth_of",
]


def attribute_of(at: Place, name: str) -> Place:
    """Return the place of an attribute of an object that is no class.

    An attribute of the instance is read where it is. One of its class is read at the class that has it, and pinned not to be in
    the instance dict nor in a class before it.

    Args:
        at: the place of the object.
        name: the attribute.

    Raises:
        AttributeError: there is none, which is pinned.
        UnsupportedGuard: only Python code can give it.
    """
    x, cls = at.value, type(at.value)
    _refuse_own_lookup(at, name)
    if name == "__class__":
        return at.child(TypeSource(at.source), cls, name)
    _, found = _find(cls, name)
    if found is not ABSENT:
        rule = rule_of(type(found))
        own = instance_dict(x) if not rule.data else None
        if own is None or dict.get(own, name, ABSENT) is ABSENT:
            return _attribute_of_type(at, name, found)
    try:
        value = read_attribute(x, name)
    except Undefined as error:
        _pin_absence(at, name, error)
        raise AttributeError(f"{at.term} {error.cause}") from None
    return at.child(AttrSource(at.source, name), value, name)


def _attribute_of_type(at: Place, name: str, found: Any) -> Place:
    rule = rule_of(type(found))
    if rule.on_instance is Effect.RUN and type(found) is not staticmethod:
        # Slots and getters in C: the read goes through the instance.
        try:
            return at.child(AttrSource(at.source, name), read_attribute(at.value, name), name)
        except Undefined as error:
            if "has no value" in error.cause:  # an empty slot
                at.add(Not(Call("hasattr", (at.source, at.session.literal(name)))))
                raise AttributeError(f"{at.term} {error.cause}") from None
            return _impure(at, name, error.cause)
    if rule.on_instance is Effect.CODE:
        return _impure(at, name, "is found only by Python code: observe it at its class by class_attribute, and trace that")
    return class_attribute(at, name)


def _impure(at: Place, name: str, why: str) -> Place:
    if at.policy.impure == "refuse":
        refuse(at, f"has an attribute {name!r} that {why}" if not why.startswith("has") else why)
    return at.child(DynamicAttrSource(at.source, name), getattr(at.value, name), name)


def class_attribute(at: Place, name: str) -> Place:
    """Return the place of an attribute of the type of an object, unbound, at the class that has it.

    Args:
        at: the place of the object.
        name: the attribute.

    Raises:
        AttributeError: no class has it, which is pinned.
    """
    cls = type(at.value)
    index, found = _find(cls, name)
    kind = TypeSource(at.source)
    if found is ABSENT:
        pin_not_in_classes(at, kind, name, len(mro_of(cls)))
        raise AttributeError(f"the type of {at.term} has no attribute {name!r}")
    if not rule_of(type(found)).data and instance_dict(at.value) is not None:
        at.add_in(name, AttrSource(at.source, "__dict__"), False)
    pin_not_in_classes(at, kind, name, index)
    return at.child(GetItemSource(_dict_of_class(kind, index), at.session.literal(name)), found, name)


def attribute_of_class(at: Place, name: str) -> Place:
    """Return the place of an attribute of a class, unbound, at the class of its MRO that has it.

    Args:
        at: the place of a class.
        name: the attribute.

    Raises:
        AttributeError: there is none, which is pinned.
        UnsupportedGuard: only Python code of its metaclass can give it.
    """
    cls: Any = at.value
    meta = type(cls)
    _refuse_own_lookup(at, name)
    if name == "__class__":
        return at.child(TypeSource(at.source), meta, name)
    _, on_meta = _find(meta, name)
    index, found = _find(cls, name)
    if (on_meta is not ABSENT and rule_of(type(on_meta)).data) or (found is ABSENT and on_meta is not ABSENT):
        try:
            return at.child(AttrSource(at.source, name), read_attribute(cls, name), name)
        except Undefined as error:
            return _impure(at, name, error.cause)
    pin_not_in_classes(at, at.source, name, index)
    if found is ABSENT:
        if _find(meta, "__getattr__")[1] is not ABSENT:
            return _impure(at, name, "only the __getattr__ of its metaclass can give")
        raise AttributeError(f"the class {at.term} has no attribute {name!r}")
    return at.child(GetItemSource(_dict_of_class(at.source, index), at.session.literal(name)), found, name)


def has_attribute(at: Place, name: str) -> bool:
    """Tell whether an object has an attribute, and pin that.

    Args:
        at: the place of the object.
        name: the attribute.

    Raises:
        UnsupportedGuard: only Python code can tell.
    """
    _refuse_own_lookup(at, name)
    try:
        read_attribute(at.value, name)
    except Undefined as error:
        if "as a method" in error.cause:
            class_attribute(at, name)
            return True
        _, found = _find(type(at.value), name)
        if found is not ABSENT and rule_of(type(found)).on_instance is Effect.CODE:
            # The getter may raise AttributeError, so only running it tells.
            refuse(at, f"has {name!r} only through a property or the like, whose code decides whether there is one")
        _pin_absence(at, name, error)
        return False
    at.add(Call("hasattr", (at.source, at.session.literal(name))))
    return True


def _pin_absence(at: Place, name: str, error: Undefined) -> None:
    cls = type(at.value)
    if _find(cls, "__getattr__")[1] is not ABSENT:
        refuse(at, f"has a __getattr__, which alone knows whether there is {name!r}")
    if _find(cls, name)[1] is not ABSENT and "has no value" not in error.cause:
        refuse(at, error.cause)
    at.add(Not(Call("hasattr", (at.source, at.session.literal(name)))))


def pin_not_in_classes(at: Place, cls: Expr, name: str, count: int) -> None:
    """Pin that the first classes of an MRO have no entry of a name.

    Args:
        at: the place that the guards go to.
        cls: the path of the class.
        name: the entry.
        count: how many classes.
    """
    for index in range(count):
        at.add_in(name, _dict_of_class(cls, index), False)


def _dict_of_class(cls: Expr, index: int) -> Expr:
    owner = cls if index == 0 else GetItemSource(AttrSource(cls, "__mro__"), Const(index))
    return AttrSource(owner, "__dict__")


def _find(cls: type, name: str) -> tuple[int, Any]:
    """Return the first entry of a name in an MRO and the position of its class; the length of the MRO and ABSENT for none."""
    bases = mro_of(cls)
    for index, base in enumerate(bases):
        space = class_dict(base)
        if name in space:
            return index, space[name]
    return len(bases), ABSENT


def _refuse_own_lookup(at: Place, name: str) -> None:
    found = _find(type(at.value), "__getattribute__")[1]
    if type(found) is types.FunctionType:
        refuse(at, f"has a __getattribute__ in Python, which alone knows what its attribute {name!r} is")


def instance_dict(x: Any) -> dict[str, Any] | None:
    """Return the instance dict of an object, or None.

    Args:
        x: any object.

    Example:
        >>> instance_dict(Exception()), instance_dict(3)
        ({}, None)
    """
    try:
        found = read_attribute(x, "__dict__")
    except Undefined:
        return None
    return found if issubclass(type(found), dict) else None


def instance_parts(at: Place) -> Iterator[Place]:
    """Return the places of the attributes of an instance: those of its dict and of its slots.

    Args:
        at: the place of the object.
    """
    own = instance_dict(at.value)
    if own is not None:
        names = tuple(dict.keys(own))
        path = AttrSource(at.source, "__dict__")
        at.add_exact(Call("keys", (path,)), names)
        for name in names:
            # Not `x.a`, which a data descriptor of the class would hide.
            yield at.child(GetItemSource(path, at.session.literal(name)), own[name], name)
    for base in mro_of(type(at.value)):
        space = class_dict(base)
        if "__slots__" not in space:
            continue
        for name, entry in space.items():
            if type(entry) is types.MemberDescriptorType:
                try:
                    value = read_attribute(at.value, name)
                except Undefined:
                    at.add(Not(Call("hasattr", (at.source, at.session.literal(name)))))
                else:
                    yield at.child(AttrSource(at.source, name), value, name)


def truth_of(at: Place) -> bool:
    """Return the truth of an object, and pin that its type does not say otherwise.

    Args:
        at: the place of the object.

    Raises:
        UnsupportedGuard: its type has a `__bool__` or a `__len__`.
    """
    cls = type(at.value)
    for name in ("__bool__", "__len__"):
        index, found = _find(cls, name)
        if found is not ABSENT:
            refuse(at, f"has a truth that its {name} decides", hint=f"trace class_attribute({name!r}) on it")
        pin_not_in_classes(at, TypeSource(at.source), name, index)
    return True
