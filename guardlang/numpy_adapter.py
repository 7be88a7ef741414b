"""The facts of numpy's arrays, read in place, and numpy's value types.

Arrays are in main memory and have no gradients. Their device and layout are torch's, so that they compare with those of tensors;
while torch is not imported these two are undefined.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from guardlang.adapters import (
    MemoryExtent,
    TensorAdapter,
    register_scalar_type,
    register_tensor_adapter,
)
from guardlang.reading.descriptors import declare_impure
from guardlang.values import Undefined, ValueType, register_value_type

__all__ = ["NumpyAdapter"]

_space: Any = np.ndarray.__dict__
_shape_of, _ndim_of, _dtype_of = _space["shape"].__get__, _space["ndim"].__get__, _space["dtype"].__get__
_strides_of, _itemsize_of, _flags_of = _space["strides"].__get__, _space["itemsize"].__get__, _space["flags"].__get__
_interface_of = _space["__array_interface__"].__get__


class NumpyAdapter(TensorAdapter):
    """Reads `numpy.ndarray` and classes derived from it.

    Example:
        >>> facts = NumpyAdapter()
        >>> x = np.zeros((2, 3), dtype="int16")[:, ::2]
        >>> facts.shape(x), facts.stride(x), facts.is_contiguous(x)
        ((2, 2), (3, 2), False)
    """

    def shape(self, x: Any) -> tuple[int, ...]:
        return tuple(_shape_of(x))

    def ndim(self, x: Any) -> int:
        return int(_ndim_of(x))

    def stride(self, x: Any) -> tuple[int, ...]:
        width = _itemsize_of(x)
        strides = _strides_of(x)
        if not width or any(step % width for step in strides):
            raise Undefined("has strides that are not a whole number of elements")
        return tuple(step // width for step in strides)

    def storage_offset(self, x: Any) -> int:
        raise Undefined("is a numpy array, which has no storage to count an offset in")

    def dtype(self, x: Any) -> Any:
        return _dtype_of(x)

    def device(self, x: Any) -> Any:
        return _torch("device").device("cpu")

    def layout(self, x: Any) -> Any:
        return _torch("layout").strided

    def requires_grad(self, x: Any) -> bool:
        return False

    def data_ptr(self, x: Any) -> int:
        return int(_interface_of(x)["data"][0])

    def is_contiguous(self, x: Any) -> bool:
        return bool(_flags_of(x).c_contiguous)

    def extent(self, x: Any) -> MemoryExtent | None:
        shape = _shape_of(x)
        if 0 in shape:
            return None
        steps = [(size - 1) * step for size, step in zip(shape, _strides_of(x), strict=True)]
        first = self.data_ptr(x) + sum(step for step in steps if step < 0)
        stop = self.data_ptr(x) + sum(step for step in steps if step > 0) + _itemsize_of(x)
        # Arrays over one buffer need not share a base object: addresses tell.
        return MemoryExtent("numpy", first, stop)


def _torch(fact: str) -> Any:
    torch = sys.modules.get("torch")
    if torch is None:
        raise Undefined(f"is a numpy array, whose {fact} is torch's, and torch is not imported")
    return torch


for _name in ("T", "mT", "real", "imag", "flat", "data", "ctypes", "__array_interface__", "__array_struct__"):
    if _name in _space:
        declare_impure(_space[_name], "each read makes a new object")

register_tensor_adapter(np.ndarray, NumpyAdapter())


def _number_of(x: Any) -> Any:
    return np.generic.item(x)


register_scalar_type(np.generic, _number_of)

_BUILTIN_DTYPES = 256


def _dtype_value(dtype: Any) -> Any:
    """Return a plain value that two dtypes share exactly when numpy holds them equal."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return ("subarray", _dtype_value(base), tuple(shape))
    if dtype.names is not None:
        fields = dtype.fields
        return ("fields", tuple((name, *_field_value(fields[name])) for name in dtype.names), dtype.itemsize)
    if dtype.num < _BUILTIN_DTYPES:
        return dtype.str
    return (dtype.str, dtype.type)


def _field_value(field: tuple[Any, ...]) -> tuple[Any, ...]:
    dtype, offset, *title = field
    return (_dtype_value(dtype), offset, *title)


def _dtype_literal(dtype: Any) -> Any:
    """Return the literal from which `numpy.dtype` makes an equal dtype."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return (_dtype_literal(base), tuple(shape))
    if dtype.names is not None:
        fields = [dtype.fields[name] for name in dtype.names]
        literal: dict[str, Any] = {
            "names": list(dtype.names),
            "formats": [_dtype_literal(field[0]) for field in fields],
            "offsets": [field[1] for field in fields],
            "itemsize": dtype.itemsize,
        }
        if any(len(field) > 2 for field in fields):
            literal["titles"] = [field[2] if len(field) > 2 else None for field in fields]
        return literal
    if dtype.isbuiltin == 1 and dtype.kind in "biufc":
        return dtype.name
    return dtype.str


register_value_type(
    ValueType(
        np.dtype,
        value_of=_dtype_value,
        subclasses=True,
        name="numpy.dtype",
        construct=np.dtype,
        arguments=lambda dtype: (_dtype_literal(dtype),),
    )
)
