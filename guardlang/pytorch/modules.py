"""Rules for observing `torch.nn.Module`: what its `__getattr__` finds is read in the tables where it looks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

from guardlang.ast import Call, Expr
from guardlang.observe.attributes import attribute_of, class_attribute, instance_dict, pin_not_in_classes
from guardlang.observe.observer import Observer, refuse
from guardlang.observe.place import Place
from guardlang.observe.registry import observes
from guardlang.reading.descriptors import ABSENT, find_in_mro
from guardlang.sources import AttrSource, Const, GetItemSource, GlobalStateSource, TypeSource
from guardlang.values import mro_of, type_name

__all__ = ["OfNnModules"]

_Module = torch.nn.Module
_TABLES = ("_parameters", "_buffers", "_modules")
_HOOKS = ("_backward_pre_hooks", "_backward_hooks", "_forward_hooks", "_forward_pre_hooks")
_GLOBAL_HOOKS = (
    "_global_backward_pre_hooks",
    "_global_backward_hooks",
    "_global_forward_hooks",
    "_global_forward_pre_hooks",
)
_HOME = GetItemSource(GlobalStateSource("sys.modules"), Const("torch.nn.modules.module"))


@observes(_Module, priority=1)
class OfNnModules(Observer):
    """Modules: the type, and whether the instance has a `forward` of its own; hooks when the module is called."""

    def pin(self, at: Place) -> None:
        cls = type(at.value)
        if issubclass(cls, torch.jit.ScriptModule):
            refuse(at, "is a scripted module, which answers by code of its own")
        if issubclass(cls, torch.nn.modules.lazy.LazyModuleMixin) and at.value.has_uninitialized_params():
            refuse(at, "is an uninitialised module", hint="run it once before")
        super().pin(at)
        at.add_in("forward", AttrSource(at.source, "__dict__"), "forward" in (instance_dict(at.value) or ()))
        if type_name(cls) == "OptimizedModule" and cls.__module__ == "torch._dynamo.eval_frame":
            # Its `__getattr__` gives what the module inside has.
            path = GetItemSource(AttrSource(at.source, "_modules"), at.session.literal("_orig_mod"))
            at.child(path, at.value._modules["_orig_mod"], "_orig_mod").used()

    def attribute(self, at: Place, name: str) -> Place:
        m, cls = at.value, type(at.value)
        if name in ("forward", "__call__"):
            self.pin_hooks(at)
            if name not in (instance_dict(m) or ()):
                return class_attribute(at, name)
        if self._is_plain(at, name):
            return attribute_of(at, name)
        if find_in_mro(cls, "__getattr__") is not _Module.__getattr__:
            refuse(at, f"has a __getattr__ of its own, which alone knows what {name!r} is")
        at.add_in(name, AttrSource(at.source, "__dict__"), False)
        pin_not_in_classes(at, TypeSource(at.source), name, len(mro_of(cls)))
        for table in _TABLES:
            entries = instance_dict(m)[table]  # type: ignore[index]  # a module without one is not initialised
            path = AttrSource(at.source, table)
            at.add_in(name, path, name in entries)
            if name in entries:
                return at.child(GetItemSource(path, at.session.literal(name)), entries[name], name)
        raise AttributeError(f"{at.term} has no attribute {name!r}")

    def _is_plain(self, at: Place, name: str) -> bool:
        """Tell whether an attribute is found before `__getattr__` is asked."""
        return name in (instance_dict(at.value) or ()) or find_in_mro(type(at.value), name) is not ABSENT or name == "__dict__"

    def has_attribute(self, at: Place, name: str) -> bool:
        try:
            self.attribute(at, name)
        except AttributeError:
            return False
        return True

    def pin_hooks(self, at: Place) -> None:
        """Pin which hooks a call would run: as a rule none."""
        if not at.policy.hooks:
            return
        own = instance_dict(at.value) or {}
        for name in _HOOKS:
            if name in own:
                self._pin_hook_table(at, AttrSource(at.source, name), own[name])
        # A quiet place adds nothing, so it does not count as the first.
        for name in _GLOBAL_HOOKS if not at.quiet and at.session.is_first("torch.hooks") else ():
            table = getattr(torch.nn.modules.module, name, None)
            if table is not None:
                self._pin_hook_table(at, AttrSource(_HOME, name), table)

    def _pin_hook_table(self, at: Place, path: Expr, table: Any) -> None:
        at.add_length(path, len(table))
        for i, hook in enumerate(table.values()):
            at.child(GetItemSource(Call("values", (path,)), Const(i)), hook, i).used()

    def truth(self, at: Place) -> bool:
        return super().truth(at) if find_in_mro(type(at.value), "__len__") is ABSENT else self.length(at) > 0

    def length(self, at: Place) -> int:
        if not isinstance(at.value, torch.nn.Sequential | torch.nn.ModuleList | torch.nn.ModuleDict):
            refuse(at, "has no length that can be read without running its code")
        entries = at.value._modules
        at.add_length(AttrSource(at.source, "_modules"), len(entries))
        return len(entries)

    def iterate(self, at: Place) -> list[Any]:
        if not isinstance(at.value, torch.nn.Sequential | torch.nn.ModuleList):
            refuse(at, "cannot be iterated over without running its code")
        return self._children(at)

    def _children(self, at: Place) -> list[Place]:
        path, entries = AttrSource(at.source, "_modules"), at.value._modules
        at.add_exact(Call("keys", (path,)), tuple(entries))
        return [at.child(GetItemSource(path, at.session.literal(name)), child, name) for name, child in entries.items()]

    def item(self, at: Place, key: Any) -> Place:
        children = at.value._modules
        if type(key) is int and isinstance(at.value, torch.nn.Sequential | torch.nn.ModuleList):
            count = len(children)
            if not -count <= key < count:
                self.length(at)
                raise IndexError(f"{at.term} has {count} modules, so none at {key}")
            return self._children(at)[key]
        if type(key) is str and isinstance(at.value, torch.nn.ModuleDict):
            path = AttrSource(at.source, "_modules")
            at.add_in(key, path, key in children)
            if key not in children:
                raise KeyError(key)
            return at.child(GetItemSource(path, Const(key)), children[key], key)
        refuse(at, "has no items that can be read without running its code")

    def parts(self, at: Place) -> Iterable[Place]:
        own = instance_dict(at.value) or {}
        self.pin_hooks(at)
        for table in _TABLES:
            entries = own.get(table, {})
            path = AttrSource(at.source, table)
            if entries:
                at.add_exact(Call("keys", (path,)), tuple(entries))
            else:
                at.add_length(path, 0)
            for name, value in entries.items():
                yield at.child(GetItemSource(path, at.session.literal(name)), value, name)
        for name, value in own.items():
            if name not in _INTERNAL:
                yield at.child(AttrSource(at.source, name), value, name)


_INTERNAL = frozenset(torch.nn.Module().__dict__) - {"training"}
