"""The facts of torch's tensors, read without `__torch_function__` and `__torch_dispatch__`, and torch's value types."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import torch

from guardlang.adapters import NOT_HANDLED, MemoryExtent, TensorAdapter, register_tensor_adapter
from guardlang.pytorch.dispatch import has_python_key, names_in_effect
from guardlang.reading.descriptors import declare_impure
from guardlang.values import Undefined, ValueType, register_value_type, type_name

__all__ = ["TorchAdapter"]

_C: Any = torch._C
_Base: Any = _C.TensorBase
# With every override off: a mode would still be asked while only those of subclasses are.
_Quietly: Any = _C.DisableTorchFunction


def _getter(name: str) -> Callable[[Any], Any]:
    get: Callable[[Any], Any] = _Base.__dict__[name].__get__
    return get


_shape_of, _ndim_of, _dtype_of = _getter("shape"), _getter("ndim"), _getter("dtype")
_device_of, _layout_of, _requires_grad_of = _getter("device"), _getter("layout"), _getter("requires_grad")
_is_leaf, _retains_grad, _grad_of = _getter("is_leaf"), _getter("retains_grad"), _getter("grad")
_is_meta = _getter("is_meta")

# Getters that read a field. `dispatched`: a class may answer them itself, when its tensors have the Python dispatch key.
_FIELDS = "_version _base grad_fn is_leaf retains_grad output_nr _backward_hooks _post_accumulate_grad_hooks name itemsize"
_DISPATCHED = """
    is_cpu is_cuda is_ipu is_maia is_meta is_mkldnn is_mps is_mtia is_nested is_quantized is_sparse is_sparse_csr is_vulkan is_xla
    is_xpu nbytes names
"""


class TorchAdapter(TensorAdapter):
    """Reads `torch.Tensor`, `torch.nn.Parameter` and classes derived from them.

    A tensor with the Python dispatch key may have its class answer for sizes, strides, offset and memory, and nothing tells
    whether it does: without an adapter of its own these facts are undefined. So are symbolic sizes.

    Example:
        >>> facts = TorchAdapter()
        >>> x = torch.ones(2, 3)
        >>> facts.shape(x), facts.stride(x), facts.attribute(x, "is_leaf")
        ((2, 3), (3, 1), True)
    """

    direct_classes = frozenset({torch.Tensor, torch.nn.Parameter})
    direct_reads: Mapping[str, Callable[[Any], Any]] = MappingProxyType(
        {name: _getter(name) for name in ("shape", "ndim", "dtype", "device", "layout", "requires_grad", "is_leaf")}
        | {name: getattr(_Base, name) for name in ("stride", "storage_offset", "is_contiguous")}
    )
    overrides_active = staticmethod(_C._has_torch_function_unary)

    @staticmethod
    def native() -> Any:
        from guardlang.pytorch.native import native_tensors

        return native_tensors()

    # Torch gives zeros for these facts of sparse tensors.
    direct_when = MappingProxyType(dict.fromkeys(("stride", "storage_offset", "is_contiguous"), ("layout", torch.strided)))

    def shape(self, x: Any) -> tuple[int, ...]:
        _refuse_dispatched(x, "shape")
        with _Quietly():
            return _plain_ints(_shape_of(x), "shape")

    def ndim(self, x: Any) -> int:
        _refuse_dispatched(x, "ndim")
        with _Quietly():
            return int(_ndim_of(x))

    def stride(self, x: Any) -> tuple[int, ...]:
        _refuse_dispatched(x, "strides")
        with _Quietly():
            return _strides_of(x)

    def storage_offset(self, x: Any) -> int:
        _refuse_dispatched(x, "storage offset")
        with _Quietly():
            _refuse_sparse(x, "storage offset")
            return _plain_ints((_or_undefined(_Base.storage_offset, x, "has no storage offset"),), "storage offset")[0]

    def dtype(self, x: Any) -> Any:
        with _Quietly():
            return _dtype_of(x)

    def device(self, x: Any) -> Any:
        return _read_field(_device_of, x, "device")

    def layout(self, x: Any) -> Any:
        return _read_field(_layout_of, x, "layout")

    def requires_grad(self, x: Any) -> bool:
        with _Quietly():
            return bool(_requires_grad_of(x))

    def data_ptr(self, x: Any) -> int:
        _refuse_dispatched(x, "address")
        with _Quietly():
            if not _has_memory(x):
                raise Undefined("has no memory, so no address")
            return int(_or_undefined(_Base.data_ptr, x, "has no address"))

    def is_contiguous(self, x: Any) -> bool:
        _refuse_dispatched(x, "memory layout")
        with _Quietly():
            _refuse_sparse(x, "memory layout")
            return bool(_or_undefined(_Base.is_contiguous, x, "has no memory layout that is or is not contiguous"))

    def dispatch_keys(self, x: Any) -> frozenset[str]:
        return names_in_effect(x)

    def extent(self, x: Any) -> MemoryExtent | None:
        _refuse_dispatched(x, "memory")
        with _Quietly():
            if not _has_memory(x):
                raise Undefined("has no memory that can be compared")
            shape = _plain_ints(_shape_of(x), "shape")
            if 0 in shape:
                return None
            strides = _strides_of(x)
            first = _plain_ints((_Base.storage_offset(x),), "storage offset")[0]
            last = first + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
            width = int(_Base.element_size(x))
            return MemoryExtent(("torch", _C._storage_address(x)), first * width, (last + 1) * width)

    def is_cow(self, x: Any) -> bool:
        _refuse_dispatched(x, "memory")
        return bool(_or_undefined(_C._is_cow_tensor, x, "does not tell whether its memory is shared until written to"))

    def attribute(self, x: Any, name: str) -> Any:
        read = _ATTRIBUTES.get(name)
        return NOT_HANDLED if read is None else read(self, x)


def _refuse_dispatched(x: Any, fact: str) -> None:
    cls = type(x)
    if cls is torch.Tensor or cls is torch.nn.Parameter:  # these have no `__torch_dispatch__` of their own
        return
    if has_python_key(x):
        raise Undefined(f"has a {fact} that its class {type_name(cls)} may answer by Python code: it needs an adapter of its own")


def _refuse_sparse(x: Any, fact: str) -> None:
    # Torch gives zeros for some of these facts of sparse tensors.
    layout = _layout_of(x)
    if layout is not torch.strided:
        raise Undefined(f"has no {fact}: its layout is {layout}")


def _strides_of(x: Any) -> tuple[int, ...]:
    _refuse_sparse(x, "strides")
    return _plain_ints(_or_undefined(_Base.stride, x, "has no strides"), "strides")


def _plain_ints(facts: Any, fact: str) -> tuple[int, ...]:
    for number in facts:
        if type(number) is not int:
            raise Undefined(f"has a symbolic {fact}")
    return tuple(facts)


def _or_undefined(read: Callable[[Any], Any], x: Any, cause: str) -> Any:
    try:
        return read(x)
    except (RuntimeError, NotImplementedError):
        raise Undefined(cause) from None


def _has_memory(x: Any) -> bool:
    return bool(_C._has_storage(x)) and not _is_meta(x)


@functools.cache
def _probe_class() -> Any:
    """Return the class of a dispatch mode that stands before everything else and only takes note that it was asked."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Probe(TorchDispatchMode):  # type: ignore[misc]  # torch is not followed
        asked = False

        def __torch_dispatch__(self, *_: object) -> Any:
            self.asked = True
            raise RuntimeError

    return Probe


def _read_field(get: Callable[[Any], Any], x: Any, fact: str) -> Any:
    """Return what a getter in C gives, unless it would ask the class's `__torch_dispatch__`."""
    with _Quietly():
        cls = type(x)
        if cls is torch.Tensor or cls is torch.nn.Parameter or not has_python_key(x):
            return get(x)
        # Nothing tells which facts a class answers itself. A mode is asked before any class, so none of its code runs.
        probe = _probe_class()()
        _C._push_on_torch_dispatch_stack(probe)
        try:
            return get(x)
        except RuntimeError:
            if not probe.asked:
                raise
            raise Undefined(f"has a {fact} that its class {type_name(cls)} answers by Python code") from None
        finally:
            _C._pop_torch_dispatch_stack(None)


def _grad(x: Any) -> Any:
    # Reading it on a tensor that keeps no gradient warns, and gives None.
    with _Quietly():
        return _grad_of(x) if _is_leaf(x) or _retains_grad(x) else None


def _field(name: str, dispatched: bool) -> Callable[[TorchAdapter, Any], Any]:
    get = _getter(name)

    def read(_: TorchAdapter, x: Any) -> Any:
        if dispatched:
            return _read_field(get, x, name)
        with _Quietly():
            return get(x)

    return read


_ATTRIBUTES: dict[str, Callable[[TorchAdapter, Any], Any]] = {
    "shape": TorchAdapter.shape,
    "ndim": TorchAdapter.ndim,
    "dtype": TorchAdapter.dtype,
    "device": TorchAdapter.device,
    "layout": TorchAdapter.layout,
    "requires_grad": TorchAdapter.requires_grad,
    "grad": lambda _, x: _grad(x),
}
for _names, _dispatched in ((_FIELDS, False), (_DISPATCHED, True)):
    for _name in _names.split():
        if _name in _Base.__dict__:
            _ATTRIBUTES[_name] = _field(_name, _dispatched)
for _name, _entry in _Base.__dict__.items():
    if type(_entry).__name__ == "getset_descriptor" and _name not in _ATTRIBUTES:
        declare_impure(_entry, "each read makes a new tensor, or may run Python code")

register_tensor_adapter(torch.Tensor, TorchAdapter())


def _text_of(x: Any) -> str:
    return repr(x)


register_value_type(
    ValueType(
        torch.device,
        value_of=lambda device: (device.type, device.index),
        native=True,
        name="torch.device",
        construct=torch.device,
        arguments=lambda device: (str(device),),
    )
)
for _singletons in (torch.dtype, torch.layout, torch.memory_format):
    # One object for each name, so that the name is the value.
    register_value_type(ValueType(_singletons, value_of=_text_of, native=True))
register_value_type(
    ValueType(
        torch.Size,
        value_of=tuple,
        like_plain=True,
        name="torch.Size",
        construct=torch.Size,
        arguments=lambda size: (tuple(size),),
    )
)
