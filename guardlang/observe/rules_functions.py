"""Rules for what can be called: functions, methods, partials, classes, descriptors, modules."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterable
from typing import Any

from guardlang.ast import Call
from guardlang.observe.attributes import attribute_of, attribute_of_class, has_attribute
from guardlang.observe.naming import import_path
from guardlang.observe.observer import Observer, refuse
from guardlang.observe.place import Place
from guardlang.observe.registry import observes
from guardlang.observe.rules_scalars import Named
from guardlang.reading.descriptors import ABSENT, find_in_mro
from guardlang.sources import AttrSource

__all__ = ["OfClasses", "OfFunctions", "OfModules"]


@observes(types.FunctionType)
class OfFunctions(Observer):
    """Functions: the code and the globals. Defaults, cells and attributes when they are read."""

    def identifies(self, x: Any) -> bool:
        return False

    def pin(self, at: Place) -> None:
        x = at.value
        super().pin(at)
        path = import_path(x)
        at.add_is(AttrSource(at.source, "__code__"), x.__code__, f"{path}.__code__" if path else "")
        module = x.__globals__.get("__name__")
        home = import_path(_module_of(module)) if type(module) is str else None
        named = home is not None and _module_of(module).__dict__ is x.__globals__
        at.add_is(AttrSource(at.source, "__globals__"), x.__globals__, f"{home}.__dict__" if named else "")

    def attribute(self, at: Place, name: str) -> Place:
        place = attribute_of(at, name)
        if name == "__defaults__" and place.value is not None:
            place.used()
        return place

    def truth(self, at: Place) -> bool:
        return True

    def constant(self, at: Place) -> Any:
        # A function made anew by the same code is the same constant only if nothing that it closes over can differ.
        at.add_is(at.source, at.value)
        return at.value

    def parts(self, at: Place) -> Iterable[Place]:
        x = at.value
        for name in ("__defaults__", "__kwdefaults__", "__closure__"):
            yield at.child(AttrSource(at.source, name), getattr(x, name), name)
        if x.__dict__:
            yield at.child(AttrSource(at.source, "__dict__"), x.__dict__, "__dict__")


def _module_of(name: str) -> Any:
    import sys

    return sys.modules.get(name)


@observes(types.CellType, derived=False)
class OfCells(Observer):
    """Cells: the content, or that there is none."""

    def has_attribute(self, at: Place, name: str) -> bool:
        return has_attribute(at, name)

    def parts(self, at: Place) -> Iterable[Place]:
        if self.has_attribute(at, "cell_contents"):
            yield self.attribute(at, "cell_contents")


@observes(types.MethodType, derived=False)
class OfMethods(Observer):
    """Bound methods: the function and the object."""

    def identifies(self, x: Any) -> bool:
        return False

    def pin(self, at: Place) -> None:
        at.add_type()
        for part in self.parts(at):
            part.used()

    def attribute(self, at: Place, name: str) -> Place:
        if name not in ("__func__", "__self__", "__class__"):
            # What else is asked of a bound method its function answers.
            function = at.child(AttrSource(at.source, "__func__"), at.value.__func__, "__func__").used()
            return function.rule.attribute(function, name)
        return attribute_of(at, name)

    def truth(self, at: Place) -> bool:
        return True

    def parts(self, at: Place) -> Iterable[Place]:
        return [at.child(AttrSource(at.source, name), getattr(at.value, name), name) for name in ("__func__", "__self__")]


@observes(types.BuiltinFunctionType, derived=False)
class OfBuiltinFunctions(Observer):
    """Functions in C: by identity. A bound one is made anew at each read: its name and its object."""

    def identifies(self, x: Any) -> bool:
        return False

    def pin(self, at: Place) -> None:
        if self._is_bound(at):
            at.add_type()
            at.add_equal(AttrSource(at.source, "__name__"), at.value.__name__)
            for part in self.parts(at):
                part.used()
        else:
            at.add_is(at.source, at.value)

    def _is_bound(self, at: Place) -> bool:
        owner = at.value.__self__
        return owner is not None and not issubclass(type(owner), types.ModuleType)

    def truth(self, at: Place) -> bool:
        return True

    def constant(self, at: Place) -> Any:
        if self._is_bound(at):
            refuse(at, "is made anew at each read", hint="read __self__ and __name__")
        return at.value

    def parts(self, at: Place) -> Iterable[Place]:
        if self._is_bound(at):
            yield at.child(AttrSource(at.source, "__self__"), at.value.__self__, "__self__")


@observes(types.MethodWrapperType, derived=False)
class OfMethodWrappers(Observer):
    """Bound special methods in C: the name and the object."""

    def identifies(self, x: Any) -> bool:
        return False

    def pin(self, at: Place) -> None:
        at.add_type()
        at.add_equal(AttrSource(at.source, "__name__"), at.value.__name__)
        for part in self.parts(at):
            part.used()

    def truth(self, at: Place) -> bool:
        return True

    def parts(self, at: Place) -> Iterable[Place]:
        return [at.child(AttrSource(at.source, "__self__"), at.value.__self__, "__self__")]


@observes(
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
    derived=False,
)
class OfDescriptorsInC(Observer):
    """Descriptors in C: the class and the name that they belong to."""

    def identifies(self, x: Any) -> bool:
        return False

    def pin(self, at: Place) -> None:
        at.add_type()
        at.add_is(AttrSource(at.source, "__objclass__"), at.value.__objclass__)
        at.add_equal(AttrSource(at.source, "__name__"), at.value.__name__)

    def truth(self, at: Place) -> bool:
        return True

    def parts(self, at: Place) -> Iterable[Place]:
        return ()


@observes(staticmethod, classmethod, property, functools.cached_property)
class OfDescriptors(Observer):
    """Static and class methods and properties: the functions in them."""

    _fields = ("__func__", "fget", "fset", "fdel", "func")

    def identifies(self, x: Any) -> bool:
        return False

    def attribute(self, at: Place, name: str) -> Place:
        return attribute_of(at, name)

    def truth(self, at: Place) -> bool:
        return True

    def parts(self, at: Place) -> Iterable[Place]:
        for name in self._fields:
            if find_in_mro(type(at.value), name) is not ABSENT or (name == "func" and "func" in _dict_of(at.value)):
                yield self.attribute(at, name)


def _dict_of(x: Any) -> dict[str, Any]:
    return object.__getattribute__(x, "__dict__") if issubclass(type(x), functools.cached_property) else {}


@observes(functools.partial)
class OfPartials(Observer):
    """Partials: the function and what it is given."""

    def pin(self, at: Place) -> None:
        x = at.value
        super().pin(at)
        at.add_length(AttrSource(at.source, "args"), len(x.args))
        at.add_exact(Call("keys", (AttrSource(at.source, "keywords"),)), tuple(x.keywords))

    def truth(self, at: Place) -> bool:
        return True

    def parts(self, at: Place) -> Iterable[Place]:
        return [self.attribute(at, name) for name in ("func", "args", "keywords")]


@observes(type(functools.lru_cache(maxsize=None)(lambda: None)), derived=False)
class OfCachedFunctions(Observer):
    """Functions with a cache: the function behind."""

    def identifies(self, x: Any) -> bool:
        return False

    def truth(self, at: Place) -> bool:
        return True

    def parts(self, at: Place) -> Iterable[Place]:
        return [self.attribute(at, "__wrapped__")]


@observes(type)
class OfClasses(Named):
    """Classes: by identity. Attributes at the class of the MRO that has them."""

    def __init__(self) -> None:
        super().__init__()

    def attribute(self, at: Place, name: str) -> Place:
        return attribute_of_class(at, name)

    def has_attribute(self, at: Place, name: str) -> bool:
        try:
            attribute_of_class(at, name)
        except AttributeError:
            return False
        return True

    def truth(self, at: Place) -> bool:
        meta = type(at.value)
        for name in ("__bool__", "__len__"):
            if meta is not type and find_in_mro(meta, name) is not ABSENT:
                refuse(at, f"has a metaclass with a {name}, which decides its truth")
        return True


@observes(types.ModuleType)
class OfModules(Named):
    """Python modules: by identity, with the names read from them."""

    def __init__(self) -> None:
        super().__init__()

    def truth(self, at: Place) -> bool:
        return True
