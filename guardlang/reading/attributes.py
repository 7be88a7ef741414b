"""`x.a`: the attribute that Python's own lookup would find, as far as no code of the object's type has to run."""

from __future__ import annotations

import types
from typing import Any

from guardlang.adapters import NOT_HANDLED, adapter_for
from guardlang.reading.descriptors import ABSENT, Effect, Rule, class_dict, find_in_mro, impurity_of, rule_of
from guardlang.values import Undefined, mro_of, type_name

__all__ = ["has_attribute", "plain_shape", "read_attribute"]

_read_plainly = object.__getattribute__
_HEAP_TYPE = 1 << 9
_flags_of = type.__dict__["__flags__"].__get__
_CLASS_DOC = type.__dict__["__doc__"]
_CLASS_ANNOTATIONS = type.__dict__["__annotations__"]  # noqa: RUF063  # the getter itself


def read_attribute(x: Any, name: str) -> Any:
    """Return what `object.__getattribute__` (for a class, `type.__getattribute__`) would find, reading only.

    Instance dicts, slots, class attributes and getters in C are read. `__getattr__`, `__getattribute__`, properties and other
    Python descriptors are not run. The facts of a tensor come from the adapter of its type.

    Args:
        x: any object.
        name: the attribute.

    Returns:
        The attribute's value.

    Raises:
        Undefined: there is none, Python code would have to run, or each read would make a new object.

    Example:
        >>> read_attribute(range(3), "stop"), read_attribute(int, "__mro__")
        (3, (<class 'int'>, <class 'object'>))
        >>> read_attribute([], "append")
        Traceback (most recent call last):
            ...
        guardlang.values.Undefined: has 'append' as a method: each read makes a new bound object; write type(x).append
    """
    cls = type(x)
    adapter = adapter_for(cls)
    try:
        if adapter is not None:
            fact = adapter.attribute(x, name)
            if fact is not NOT_HANDLED:
                return fact
        elif name == "ndim":
            # Sizes and their number imply each other, for tensors and for what only looks like one.
            shape = plain_shape(x)
            return _rank(shape, cls)
        return _of_class(x, cls, name) if issubclass(cls, type) else _of_instance(x, cls, name)
    except Undefined:
        raise
    except Exception as error:  # noqa: BLE001  # a stored key's own `__eq__` raised
        raise Undefined(f"has no readable attribute {name!r}: {type_name(type(error))} while it was looked up") from None


def has_attribute(x: Any, name: str) -> bool:
    """Return whether the pure read of an attribute is defined.

    Args:
        x: any object.
        name: the attribute.

    Example:
        >>> has_attribute(1j, "real"), has_attribute(1j, "shape")
        (True, False)
    """
    try:
        read_attribute(x, name)
    except Undefined:
        return False
    return True


def plain_shape(x: Any) -> tuple[int, ...] | None:
    """Return the `.shape` of an object without an adapter when it is a tuple of sizes, None otherwise.

    Args:
        x: any object.

    Example:
        >>> class Table:
        ...     shape = (3, 4)
        >>> plain_shape(Table()), plain_shape(3)
        ((3, 4), None)
    """
    try:
        shape = read_attribute(x, "shape")
    except Undefined:
        return None
    if not issubclass(type(shape), tuple):
        return None
    sizes = tuple.__getitem__(shape, slice(None))
    return sizes if all(type(size) is int and size >= 0 for size in sizes) else None


def _rank(shape: tuple[int, ...] | None, cls: type) -> int:
    if shape is None:
        raise Undefined(f"is not a tensor, but a {type_name(cls)}: x.__dict__['ndim'] reads an attribute of that name")
    return len(shape)


def _of_instance(x: Any, cls: type, name: str) -> Any:
    found = find_in_mro(cls, name)
    if found is ABSENT:
        try:
            # With nothing of that name on the class this reads the instance dict and nothing else.
            return _read_plainly(x, name)
        except AttributeError:
            raise Undefined(f"has no attribute {name!r}") from None
    rule = rule_of(type(found))
    if not rule.data:
        if rule.on_instance is Effect.ITSELF or rule.on_instance is Effect.RUN:
            return _read_plainly(x, name)
        own = _instance_entry(x, cls, name)
        if own is not ABSENT:
            return own
    return _result(found, rule, rule.on_instance, x, cls, name)


def _of_class(x: Any, meta: type, name: str) -> Any:
    found_on_meta = find_in_mro(meta, name)
    meta_rule = rule_of(type(found_on_meta))
    if found_on_meta is not ABSENT and meta_rule.data:
        if found_on_meta is _CLASS_DOC and _flags_of(x) & _HEAP_TYPE:
            return _class_doc(x)
        if found_on_meta is _CLASS_ANNOTATIONS:
            return _class_annotations(x)
        return _result(found_on_meta, meta_rule, meta_rule.on_instance, x, meta, name)
    found = find_in_mro(x, name)
    if found is not ABSENT:
        rule = rule_of(type(found))
        return _result(found, rule, rule.on_class, None, x, name)
    if found_on_meta is ABSENT:
        raise Undefined(f"has no attribute {name!r}")
    return _result(found_on_meta, meta_rule, meta_rule.on_instance, x, meta, name)


def _class_doc(x: type) -> Any:
    # `type.__doc__` would call the `__get__` of an entry `__doc__`, Python code or not.
    own = class_dict(x).get("__doc__")
    rule = rule_of(type(own))
    return _result(own, rule, rule.on_class, None, x, "__doc__")


def _class_annotations(x: type) -> Any:
    # `type.__annotations__` would make and store an empty dict where there is none, and from 3.14 on run `__annotate__`.
    space = class_dict(x)
    for entry in ("__annotations__", "__annotations_cache__"):
        own = space.get(entry, ABSENT)
        if type(own) is dict:
            return own
    raise Undefined("has no attribute '__annotations__' yet: it is made when it is first asked for")


def _result(found: Any, rule: Rule, effect: Effect, x: Any, cls: type, name: str) -> Any:
    """Return what reading a class attribute gives, where that needs no more than code in C that reads."""
    if effect is Effect.ITSELF:
        return found
    if effect is Effect.RUN:
        cause = impurity_of(found)
        if cause is not None:
            raise Undefined(f"has an attribute {name!r} that cannot be read: {cause}")
        return _run(found, rule, x, cls, name)
    if effect is Effect.FRESH:
        where = f"write type(x).{name}" if x is not None else f"write x.__dict__[{name!r}]"
        raise Undefined(f"has {name!r} as a method: each read makes a new bound object; {where}")
    raise Undefined(f"has {name!r} only through a {type_name(type(found))}: Python code would run")


def _run(found: Any, rule: Rule, x: Any, cls: type, name: str) -> Any:
    try:
        return rule.get(found, x, cls)
    except AttributeError:
        raise Undefined(f"has no value in its attribute {name!r}") from None
    except ValueError:
        if cls is types.CellType:
            raise Undefined("is an empty cell") from None
        raise


def _instance_entry(x: Any, cls: type, name: str) -> Any:
    """Return the entry of the instance dict, or ABSENT.

    The dict is found where C declares it. A class with an entry `__dict__` of its own hides it: then a method is taken to be what
    the class has, which is undefined in any case.
    """
    for base in mro_of(cls):
        holder: Any = class_dict(base).get("__dict__")
        if type(holder) is types.GetSetDescriptorType or type(holder) is types.MemberDescriptorType:
            if impurity_of(holder) is not None:
                return ABSENT
            own = rule_of(type(holder)).get(holder, x, cls)
            return ABSENT if own is None else dict.get(own, name, ABSENT)
    return ABSENT
