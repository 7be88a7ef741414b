"""`x.shape[i]`, `x.stride(i)` and the other facts of a tensor that are read by position or by a method call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from guardlang.adapters import TensorAdapter, adapter_for
from guardlang.reading.attributes import plain_shape, read_attribute
from guardlang.values import Undefined, type_name

__all__ = ["tensor_property"]


def tensor_property(x: Any, prop: str, index: Any = None) -> Any:
    """Return a fact of a tensor through the adapter of its type.

    Args:
        x: any object. Without an adapter `shape` is a plain attribute that must be a tuple of sizes; the others are undefined.
        prop: `shape`, `stride`, `storage_offset`, `data_ptr` or `is_contiguous`.
        index: the dimension, for the first two; negative ones count from the last.

    Returns:
        An int, or a bool for `is_contiguous`.

    Raises:
        Undefined: not a tensor, no such dimension, or a fact that the tensor does not have.

    Example:
        >>> class Table:
        ...     shape = (3, 4)
        >>> tensor_property(Table(), "shape", -1)
        4
        >>> tensor_property(Table(), "stride", 0)
        Traceback (most recent call last):
            ...
        guardlang.values.Undefined: is not a tensor, but a Table
    """
    adapter = adapter_for(type(x))
    if adapter is None:
        if prop == "shape":
            shape = plain_shape(x)
            if shape is None:
                read_attribute(x, "shape")
                raise Undefined("has a .shape that is no tuple of sizes")
            return _of_dimension(shape, index)
        raise Undefined(f"is not a tensor, but a {type_name(type(x))}")
    try:
        if prop == "shape":
            return _of_dimension(adapter.shape(x), index)
        if prop == "stride":
            return _of_dimension(adapter.stride(x), index)
        return _METHODS[prop](adapter, x)
    except Undefined:
        raise
    except Exception as error:  # noqa: BLE001  # an adapter is anybody's code
        raise Undefined(f"has no {prop}: {type_name(type(error))} while it was read") from None


_METHODS: dict[str, Callable[[TensorAdapter, Any], Any]] = {
    "storage_offset": lambda adapter, x: adapter.storage_offset(x),
    "data_ptr": lambda adapter, x: adapter.data_ptr(x),
    "is_contiguous": lambda adapter, x: adapter.is_contiguous(x),
}


def _of_dimension(facts: tuple[int, ...], index: Any) -> int:
    if type(index) is not int:
        raise Undefined(f"has no dimension given by a {type_name(type(index))}: a dimension is an int")
    if not -len(facts) <= index < len(facts):
        raise Undefined(f"has {len(facts)} dimension{'' if len(facts) == 1 else 's'}")
    return facts[index]
