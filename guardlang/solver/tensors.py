"""Tensors of a witness: real ones when torch is there and the guards ask for them, else plain objects with the same facts."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from guardlang.ast import Expr
from guardlang.sources import AttrSource, Const, TensorProperty, TensorPropertySource
from guardlang.values import mro_of

__all__ = ["is_tensor_like", "make", "plain_facts"]

_FACTS = ("shape", "ndim", "dtype", "device", "layout", "requires_grad")
_MAX_RANK = 64


def is_tensor_like(cls: Any, parts: Iterable[Expr]) -> bool:
    """Tell whether an object is a tensor by its class, or by what is read from it.

    Args:
        cls: its class, or None.
        parts: the places read from it.

    Example:
        >>> from guardlang.sources import LocalSource
        >>> is_tensor_like(object, [AttrSource(LocalSource("x"), "ndim")])
        True
    """
    torch = sys.modules.get("torch")
    if torch is not None and (cls is not None) and issubclass(type(cls), type) and torch.Tensor in mro_of(cls):
        return True
    if cls is not None and cls is not object:
        return False
    return any(
        isinstance(p, TensorPropertySource) or (isinstance(p, AttrSource) and p.member in ("shape", "ndim")) for p in parts
    )


def make(cls: Any, parts: Mapping[Expr, Any], absent: Iterable[Expr], rank: int | None) -> Any:
    """Return a real tensor with the wanted facts; None when torch is not there or the guards do not ask for one.

    Args:
        cls: the class it must have.
        parts: the value wanted for each place read from it.
        absent: places that must not be there.
        rank: the number of dimensions, if decided.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        return None
    real = cls is not None and cls is not object
    for part in [*parts, *absent]:
        real = real or (isinstance(part, TensorPropertySource) and part.prop is not TensorProperty.SIZE)
    if not real:
        return None
    absent = list(absent)
    sizes = _indexed(parts, absent, TensorProperty.SIZE, rank, _rank_of(parts))
    count = len(_indexed(parts, absent, TensorProperty.STRIDE, len(sizes), None))
    sizes += [1] * (count - len(sizes))
    strides = _strides(sizes, parts)
    named = {p.member: v for p, v in parts.items() if isinstance(p, AttrSource)}
    dtype = named.get("dtype")
    options: dict[str, Any] = {"dtype": dtype if type(dtype) is torch.dtype else torch.float32, "device": "meta"}
    if type(named.get("device")) is torch.device:
        options["device"] = named["device"]
    elif any(isinstance(p, AttrSource) and p.member == "device" for p in parts):
        options["device"] = "cpu"
    try:
        offset = next((v for p, v in parts.items() if _is(p, TensorProperty.STORAGE_OFFSET)), 0)
        tensor = torch.empty_strided(sizes, strides, **options)
        if type(offset) is int and offset > 0:
            needed = offset + 1 + sum((n - 1) * s for n, s in zip(sizes, strides, strict=True) if n > 0)
            tensor = torch.empty(needed, **options).as_strided(sizes, strides, offset)
        if named.get("requires_grad") is True:
            tensor.requires_grad_(True)
        if cls is not None and cls is not object and cls is not torch.Tensor:
            tensor = torch.Tensor._make_subclass(cls, tensor)  # noqa: SLF001  # the one way that runs no code of the class
        return tensor
    except (RuntimeError, TypeError, ValueError, NotImplementedError):
        return None


def plain_facts(parts: Mapping[Expr, Any], absent: Iterable[Expr]) -> dict[str, Any]:
    """Return the attributes of a plain object that looks like a tensor.

    Args:
        parts: the value wanted for each place read from it.
        absent: places that must not be there.

    Example:
        >>> from guardlang.sources import LocalSource
        >>> size = TensorPropertySource(LocalSource("x"), TensorProperty.SIZE, Const(1))
        >>> plain_facts({size: 8}, [])
        {'shape': (1, 8), 'ndim': 2}
    """
    absent = list(absent)
    sizes = _indexed(parts, absent, TensorProperty.SIZE, None, _rank_of(parts))
    facts: dict[str, Any] = {"shape": tuple(sizes), "ndim": len(sizes)}
    for part, value in parts.items():
        if isinstance(part, AttrSource) and part.member not in ("shape", "ndim"):
            facts[part.member] = value
    return facts


def _is(part: Expr, prop: TensorProperty) -> bool:
    return isinstance(part, TensorPropertySource) and part.prop is prop


def _dimension(part: Expr, prop: TensorProperty) -> int | None:
    """Return the dimension that a place reads a property of."""
    if isinstance(part, TensorPropertySource) and part.prop is prop and isinstance(part.index, Const):
        index = part.index.value
        return index if type(index) is int else None
    return None


def _rank_of(parts: Mapping[Expr, Any]) -> int | None:
    for part, value in parts.items():
        if isinstance(part, AttrSource) and part.member == "ndim" and type(value) is int and 0 <= value <= _MAX_RANK:
            return value
    return None


def _indexed(
    parts: Mapping[Expr, Any], absent: Iterable[Expr], prop: TensorProperty, rank: int | None, stated: int | None
) -> list[int]:
    """Return one number for each dimension: the wanted ones, and 1 elsewhere."""
    wanted = {n: value for part, value in parts.items() if (n := _dimension(part, prop)) is not None}
    missing = [n for part in absent if (n := _dimension(part, prop)) is not None]
    positions = [n for n in wanted if -_MAX_RANK <= n < _MAX_RANK]
    count = rank if rank is not None else stated
    if count is None:
        count = max([n + 1 if n >= 0 else -n for n in positions], default=0)
        count = min([count, *[n if n >= 0 else -n - 1 for n in missing]])
    numbers = [1] * min(count, _MAX_RANK)
    for n in positions:
        if -count <= n < count and type(wanted[n]) is int:
            numbers[n] = max(0, wanted[n])
    return numbers


def _strides(sizes: list[int], parts: Mapping[Expr, Any]) -> list[int]:
    strides = [1] * len(sizes)
    for n in range(len(sizes) - 2, -1, -1):
        strides[n] = strides[n + 1] * max(1, sizes[n + 1])
    for part, value in parts.items():
        dimension = _dimension(part, TensorProperty.STRIDE)
        if dimension is not None and -len(sizes) <= dimension < len(sizes) and type(value) is int and value >= 0:
            strides[dimension] = value
    return strides
