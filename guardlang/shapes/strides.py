"""Which strides of a tensor follow from its sizes."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["ascending", "inferred"]


def ascending(strides: Sequence[int]) -> list[int]:
    """Return the dimensions in the order in which elements lie in memory: by stride, the later of two equal ones first.

    Example:
        >>> ascending((12, 1, 4))
        [1, 2, 0]
    """
    return sorted(range(len(strides)), key=lambda dim: (strides[dim], -dim))


def inferred(shape: Sequence[int], strides: Sequence[int]) -> tuple[int | None, ...]:
    """Return for each stride the dimension whose size times stride it is, None where there is none.

    Dimensions are visited in memory order and only those visited before count, the last of them first.

    Example:
        >>> inferred((2, 3), (3, 1)), inferred((2, 3), (4, 1))
        ((1, None), (None, None))
    """
    found: list[int | None] = [None] * len(strides)
    visited: list[int] = []
    for dim in ascending(strides):
        found[dim] = next((other for other in reversed(visited) if shape[other] * strides[other] == strides[dim]), None)
        visited.append(dim)
    return tuple(found)
