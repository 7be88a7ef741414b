"""Rules for observing torch's tensors, types, and the other objects that are no modules."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import torch

from guardlang.ast import BoolOp, Call, Compare, Expr, Not
from guardlang.errors import UnsupportedGuard
from guardlang.observe.attributes import attribute_of, instance_dict
from guardlang.observe.observer import Observer, refuse
from guardlang.observe.place import Place
from guardlang.observe.registry import observes, register_identity, register_observer
from guardlang.observe.rules_scalars import NAMED, Named, OfValueTypes
from guardlang.observe.rules_sequences import OfSequences
from guardlang.observe.tensors import OfTensorLikes
from guardlang.pytorch import modules  # noqa: F401  # importing a module of rules registers them
from guardlang.pytorch.dispatch import has_python_key
from guardlang.reading import read_attribute
from guardlang.reading.descriptors import ABSENT, find_in_mro
from guardlang.sources import (
    AttrSource,
    CallFunctionNoArgsSource,
    Const,
    DynamicAttrSource,
    DynamicGetItemSource,
    GetItemSource,
    TypeSource,
)
from guardlang.values import Undefined, is_value, type_name

__all__ = ["OfTensors"]

_C: Any = torch._C
_Quietly: Any = _C.DisableTorchFunctionSubclass
_MARK = "_has_dynamo_dim_marking"
_INDEX_MARKS = (
    "_dynamo_dynamic_indices",
    "_dynamo_weak_dynamic_indices",
    "_dynamo_unbacked_indices",
    "_dynamo_strict_unbacked_indices",
    "_dynamo_static_indices",
)
_UNBACKED_MARKS = ("_dynamo_shape_ids", "_dynamo_unbacked_bounds")


@observes(torch.Tensor, priority=1)
class OfTensors(OfTensorLikes):
    """Tensors: type, dispatch keys, dtype, device, layout, requires_grad, sizes, strides and the user's dimension marks."""

    usual = ("dispatch_keys", "dtype", "device", "layout", "requires_grad", "shape", "stride", "marks")

    def pin(self, at: Place) -> None:
        x = at.value
        if _is_fake(x):
            self._pin_fake(at)
            return
        kind = _unguardable(x)
        if kind is not None:
            refuse(at, f"is {kind}, of which guards know nothing", hint="leave it out of what is traced")
        if at.policy.tensors == "identity" or getattr(x, "_dynamo_static_input_type", None) == "guarded":
            at.add_is(at.source, x)
        elif has_python_key(x) and find_in_mro(type(x), "__torch_dispatch__") is not ABSENT:
            self._pin_wrapper(at)
        else:
            super().pin(at)

    def pin_fact(self, at: Place, name: str) -> None:
        if name == "dispatch_keys":
            self.dispatch_keys(at)
        elif name == "dtype":
            at.add_equal(AttrSource(at.source, name), self._read(at, name))
        elif name == "marks":
            _pin_marks(at)
        else:
            super().pin_fact(at, name)

    def _pin_wrapper(self, at: Place) -> None:
        """Pin a tensor whose class answers for it: what is not dispatched, and the tensors that it is made of."""
        x = at.value
        at.add_type()
        inner = _inner_names(x)
        if inner is None:
            refuse(at, f"is of class {type_name(type(x))}, which answers for its facts and has no __tensor_flatten__")
        names, metadata = inner
        for name in ("dtype", "device", "layout", "requires_grad"):
            try:
                value = read_attribute(x, name)
            except Undefined:
                continue
            if name == "dtype":
                at.add_equal(AttrSource(at.source, name), value)
            else:
                at.child(AttrSource(at.source, name), value, name).used()
        if type(x).__name__ == "DTensor":
            _pin_spec(at)
        elif type(x).__name__ != "AsyncCollectiveTensor":
            self._pin_metadata(at, metadata)
        for name in names:
            at.child(AttrSource(at.source, name), _attribute(x, name), name).used()

    def _pin_metadata(self, at: Place, metadata: Any) -> None:
        flatten = CallFunctionNoArgsSource(DynamicAttrSource(at.source, "__tensor_flatten__"))
        path = DynamicGetItemSource(flatten, Const(1))
        if metadata is None:
            at.add_is(path, None)
        elif is_value(metadata):
            at.add_exact(path, metadata)
        else:
            refuse(at, "has metadata that is no value", hint="give its class a rule of its own by observes")

    def _pin_fake(self, at: Place) -> None:
        """Pin what a fake tensor stands for: a real one of the same facts."""
        x = at.value
        real = getattr(x, "pytype", None) or torch.Tensor
        at.add(Compare(("is",), (TypeSource(at.source), at.named(real))))
        at.add_equal(AttrSource(at.source, "dtype"), x.dtype)
        at.add_equal(AttrSource(at.source, "device"), x.fake_device)
        at.add_is(AttrSource(at.source, "layout"), x.layout)
        at.add_is(AttrSource(at.source, "requires_grad"), bool(x.requires_grad))
        self.pin_sizes(at)
        self.pin_strides(at)

    def _read(self, at: Place, fact: str) -> Any:
        if _is_fake(at.value):
            facts = at.value.stride() if fact == "stride" else getattr(at.value, fact)
            if fact in ("shape", "stride") and any(type(number) is not int for number in facts):
                refuse(at, f"has a symbolic {fact}", hint='Policy(shapes="symbol") leaves it to the shapes')
            return facts
        return super()._read(at, fact)

    def pin_sizes(self, at: Place) -> None:
        if _is_fake(at.value) and at.policy.shapes == "symbol":
            at.add_equal(AttrSource(at.source, "ndim"), at.value.dim())
        else:
            super().pin_sizes(at)

    def attribute(self, at: Place, name: str) -> Place:
        if name == "grad":
            return at.child(AttrSource(at.source, name), read_attribute(at.value, name), name)
        return super().attribute(at, name)

    def parts(self, at: Place) -> Iterable[Place]:
        if not _is_fake(at.value):
            yield self.attribute(at, "grad")
            own = instance_dict(at.value)
            for name in own or ():
                # Written by the compiler, and no input.
                if not name.startswith("_dynamo_") and name != _MARK and own is not None:
                    yield at.child(GetItemSource(AttrSource(at.source, "__dict__"), Const(name)), own[name], name)


def _is_fake(x: Any) -> bool:
    module = sys.modules.get("torch._subclasses.fake_tensor")
    return module is not None and issubclass(type(x), module.FakeTensor)


def _unguardable(x: Any) -> str | None:
    with _Quietly():
        if _C.TensorBase.is_nested.__get__(x) and not has_python_key(x):
            return "a nested tensor"
        if _C.TensorBase.layout.__get__(x) not in (torch.strided, torch.jagged, torch._mkldnn):
            return "a sparse tensor"
        if isinstance(x, torch.nn.parameter.UninitializedTensorMixin):
            return "an uninitialised tensor"
        if torch.autograd.forward_ad._current_level >= 0 and not has_python_key(x):
            primal_and_tangent = torch._VF._unpack_dual(x, level=torch.autograd.forward_ad._current_level)
            if primal_and_tangent[1] is not None:
                return "a dual tensor"
    return None


# Classes of torch that hold one tensor, and where.
_HELD = {"AsyncCollectiveTensor": "elem", "FunctionalTensor": "elem", "DTensor": "_local_tensor"}


def _inner_names(x: Any) -> tuple[tuple[str, ...], Any] | None:
    held = _HELD.get(type_name(type(x)))
    if held is not None:
        return (held,), None
    if find_in_mro(type(x), "__tensor_flatten__") is ABSENT:
        return None
    names, metadata = x.__tensor_flatten__()
    return tuple(names), metadata


def _attribute(x: Any, name: str) -> Any:
    try:
        return read_attribute(x, name)
    except Undefined as error:
        raise UnsupportedGuard(f"the inner tensor {name!r} of a {type_name(type(x))} {error.cause}") from None


def _pin_spec(at: Place) -> None:
    """Pin how a distributed tensor is laid out: its mesh, its placements and its global sizes."""
    spec: Expr = AttrSource(at.source, "_spec")
    value = at.value._spec
    at.add_is(AttrSource(spec, "mesh"), value.mesh)
    at.child(AttrSource(spec, "placements"), value.placements, "placements").used()
    for i, placement in enumerate(value.placements):
        at.child(GetItemSource(AttrSource(spec, "placements"), Const(i)), placement, i).used()
    if value.tensor_meta is not None and at.policy.shapes == "static":
        at.add_equal(AttrSource(AttrSource(spec, "tensor_meta"), "shape"), tuple(value.tensor_meta.shape))


def _pin_marks(at: Place) -> None:
    """Pin which dimensions the user has marked: no more of them than the example has."""
    own = instance_dict(at.value) or {}
    if _MARK not in own:
        at.add(Not(Call("hasattr", (at.source, Const(_MARK)))))
        return
    for name in _INDEX_MARKS:
        absent = Not(Call("hasattr", (at.source, Const(name))))
        if name not in own:
            at.add(absent)
        else:
            within = Compare(("<=",), (AttrSource(at.source, name), Const(frozenset(own[name]))))
            at.add(BoolOp("or", (absent, within)))
    if any("unbacked" in name and name in own for name in _INDEX_MARKS):
        for name in _UNBACKED_MARKS:
            if name in own and is_value(own[name]):
                at.add_equal(AttrSource(at.source, name), own[name])


@observes(torch.Size)
class OfSizes(OfSequences):
    """`torch.Size`: type, length, and its ints when they are read."""

    bases = (torch.Size,)

    def identifies(self, x: Any) -> bool:
        return False

    def constant(self, at: Place) -> Any:
        at.add_exact(at.source, at.value)
        return at.value

    def pin(self, at: Place) -> None:
        super().pin(at)
        if at.policy.scalars == "constant":
            at.add_exact(at.source, at.value)


for _kind in (torch.dtype, torch.layout, torch.memory_format, torch.device):
    register_observer(_kind, OfValueTypes())


@observes(torch.finfo, torch.iinfo)
class OfTypeInfos(Named):
    """What torch knows of a type of numbers: the type says it all."""

    def __init__(self) -> None:
        super().__init__()

    def pin(self, at: Place) -> None:
        at.add_type()
        at.add_equal(AttrSource(at.source, "dtype"), at.value.dtype)


class _Refused(Observer):
    """What no guard can speak of."""

    def __init__(self, what: str) -> None:
        self._what = what

    def pin(self, at: Place) -> None:
        refuse(at, f"is {self._what}, of which guards know nothing", hint="leave it out of what is traced")


register_observer(torch.utils.hooks.RemovableHandle, _Refused("a handle of a hook"))


@observes(torch.SymInt, torch.SymFloat, torch.SymBool)
class OfSymbols(Observer):
    """Symbolic numbers: nothing is pinned, what is known of them are expressions of their own."""

    def identifies(self, x: Any) -> bool:
        return False

    def pin(self, at: Place) -> None:
        """Add nothing."""

    def constant(self, at: Place) -> Any:
        refuse(at, "is a symbol: it has no constant", hint="ask the shapes")

    def truth(self, at: Place) -> bool:
        refuse(at, "is a symbol: its truth is a question to the shapes")

    def parts(self, at: Place) -> Iterable[Place]:
        return ()


@observes(torch.autocast, priority=1)
class OfAutocasts(Observer):
    """Autocast objects: what they set."""

    def pin(self, at: Place) -> None:
        at.add_type()
        for name in ("device", "fast_dtype", "_enabled", "_cache_enabled"):
            attribute_of(at, name).specialise()

    def parts(self, at: Place) -> Iterable[Place]:
        return ()


class OfStreams(Observer):
    """Streams, events and memory pools: the type and the device."""

    def pin(self, at: Place) -> None:
        at.add_type()
        try:
            device = read_attribute(at.value, "device")
        except Undefined:
            return
        at.child(AttrSource(at.source, "device"), device, "device").used()

    def parts(self, at: Place) -> Iterable[Place]:
        return ()


for _name in ("Stream", "Event"):
    if hasattr(torch, _name):
        register_observer(getattr(torch, _name), OfStreams())

for _owner, _names in (
    (torch.profiler, "record_function"),
    (torch.cuda, "StreamContext"),
):
    for _name in _names.split():
        if hasattr(_owner, _name):
            register_observer(getattr(_owner, _name), NAMED)


@observes(torch._ops.OpOverload, torch._ops.OpOverloadPacket)
class OfOperators(Named):
    """Operators: by identity."""

    def __init__(self) -> None:
        super().__init__()

    def pin(self, at: Place) -> None:
        at.add_is(at.source, at.value, f"torch.ops.{at.value}")


@observes(torch._ops.HigherOrderOperator)
class OfHigherOrderOperators(Named):
    """Higher-order operators: the type and the name."""

    def __init__(self) -> None:
        super().__init__()

    def pin(self, at: Place) -> None:
        at.add_type()
        attribute_of(at, "_name").specialise()


@observes(torch.optim.Optimizer)
class OfOptimizers(Named):
    """Optimizers: by identity, with what their groups and their state hold."""

    def __init__(self) -> None:
        super().__init__(telling=True)

    def parts(self, at: Place) -> Iterable[Place]:
        return [attribute_of(at, name) for name in ("param_groups", "state")]


class _OfEnumsInC(Named):
    """Members of enums of pybind11, such as dispatch keys."""

    def __init__(self) -> None:
        super().__init__()

    def pin(self, at: Place) -> None:
        at.add_is(at.source, at.value, f"torch._C.{type_name(type(at.value))}.{at.value.name}")


for _name in ("DispatchKey", "_TorchDispatchModeKey", "_AutogradFunctionKind"):
    if hasattr(_C, _name):
        register_observer(getattr(_C, _name), _OfEnumsInC())


@observes(_C.ScriptFunction)
class OfScriptFunctions(Named):
    """Scripted functions: by identity."""

    def __init__(self) -> None:
        super().__init__()


class _OfPytreeNodes(Observer):
    """The table of pytree's node types: its classes in order, and what each is registered with."""

    def pin(self, at: Place) -> None:
        at.add_type()
        keys = tuple(dict.keys(at.value))
        at.add_length(at.source, len(keys))
        for i, (key, value) in enumerate(dict.items(at.value)):
            at.add_is(GetItemSource(Call("keys", (at.source,)), Const(i)), key)
            at.add_is(GetItemSource(Call("values", (at.source,)), Const(i)), value)

    def parts(self, at: Place) -> Iterable[Place]:
        return ()


register_identity(torch.utils._pytree.SUPPORTED_NODES, _OfPytreeNodes())


class OfPlacements(Observer):
    """Placements of distributed tensors: by value."""

    def identifies(self, x: Any) -> bool:
        return False

    def pin(self, at: Place) -> None:
        at.add_type()
        for name in ("dim", "reduce_op", "split_factor"):
            try:
                value = read_attribute(at.value, name)
            except Undefined:
                continue
            at.child(AttrSource(at.source, name), value, name).specialise()

    def parts(self, at: Place) -> Iterable[Place]:
        return ()


if torch.distributed.is_available():
    from torch.distributed.device_mesh import DeviceMesh
    from torch.distributed.tensor.placement_types import Placement

    register_observer(Placement, OfPlacements())
    register_observer(DeviceMesh, NAMED)
    register_observer(torch.distributed.ProcessGroup, NAMED)
