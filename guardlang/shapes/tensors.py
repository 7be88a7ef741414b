"""The numbers of a tensor as symbols: sizes, then strides from the innermost outwards, then the offset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from guardlang.ast import Compare, Expr
from guardlang.errors import GuardTypeError
from guardlang.interning import text_of
from guardlang.shapes.policy import DimensionPolicy
from guardlang.shapes.strides import ascending
from guardlang.shapes.symbols import Symbolic
from guardlang.sources import AttrSource, Const, TensorProperty, TensorPropertySource

if TYPE_CHECKING:
    from guardlang.shapes.env import ShapeEnv

__all__ = ["TensorSymbols", "tensor_symbols"]


@attrs.frozen
class TensorSymbols:
    """The numbers of one tensor, each a symbol or a constant.

    Args:
        shape: the sizes.
        strides: the strides; None if they were not asked for.
        offset: the storage offset; None if it was not asked for.
    """

    shape: tuple[Any, ...]
    strides: tuple[Any, ...] | None = None
    offset: Any = None


def tensor_symbols(
    env: ShapeEnv,
    source: Expr,
    shape: tuple[int, ...],
    strides: Sequence[int] | None,
    offset: int | None,
    policy: DimensionPolicy | Sequence[DimensionPolicy] | Mapping[int, DimensionPolicy] | None,
) -> TensorSymbols:
    """Return the symbols of a tensor and pin how many dimensions it has.

    Args:
        env: the environment.
        source: the tensor.
        shape: its sizes on the example.
        strides: its strides, or None.
        offset: its offset, or None.
        policy: as `ShapeEnv.tensor` takes it.

    Raises:
        GuardTypeError: there are not as many strides or policies as sizes.
    """
    if strides is not None and len(strides) != len(shape):
        raise GuardTypeError(f"{text_of(source)} has {len(shape)} sizes and {len(strides)} strides")
    sizes = _size_policies(env, len(shape), policy)
    stride_policies: list[DimensionPolicy | None] = [None] * len(shape)
    if DimensionPolicy.AUTOMATIC in sizes:
        choice = env.automatic.tensor(text_of(source), shape, strides)
        sizes = [chosen if each is DimensionPolicy.AUTOMATIC else each for each, chosen in zip(sizes, choice.sizes, strict=True)]
        if choice.strides is not None:
            stride_policies = list(choice.strides)
    env.hold(Compare(("==",), (AttrSource(source, "ndim"), Const(len(shape)))))
    made = tuple(
        env.symbol(TensorPropertySource(source, TensorProperty.SIZE, Const(dim)), size, policy=sizes[dim])
        for dim, size in enumerate(shape)
    )
    static = not any(isinstance(size, Symbolic) for size in made)
    default = DimensionPolicy.STATIC if static else DimensionPolicy.INFER_STRIDE
    steps: list[Any] = [None] * len(shape)
    for dim in ascending(strides) if strides is not None else ():
        assert strides is not None
        place = TensorPropertySource(source, TensorProperty.STRIDE, Const(dim))
        steps[dim] = env.symbol(place, strides[dim], policy=stride_policies[dim] or default)
    start: Any = offset
    if offset is not None:
        place = TensorPropertySource(source, TensorProperty.STORAGE_OFFSET)
        start = env.symbol(place, offset, policy=DimensionPolicy.STATIC if static else DimensionPolicy.DYNAMIC)
    return TensorSymbols(made, tuple(steps) if strides is not None else None, start)


def _size_policies(
    env: ShapeEnv, rank: int, policy: DimensionPolicy | Sequence[DimensionPolicy] | Mapping[int, DimensionPolicy] | None
) -> list[DimensionPolicy]:
    if policy is None or isinstance(policy, DimensionPolicy):
        return [policy or env.policy] * rank
    if isinstance(policy, Mapping):
        wrong = [dim for dim in policy if not -rank <= dim < rank]
        if wrong:
            raise GuardTypeError(f"a policy for dimension {wrong[0]} of {rank}")
        named = {dim % rank: each for dim, each in policy.items()}
        return [named.get(dim, env.policy) for dim in range(rank)]
    if len(policy) != rank:
        raise GuardTypeError(f"{len(policy)} policies for {rank} dimensions")
    return list(policy)
