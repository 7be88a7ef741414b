"""Quantities with units: a small library of its own, which knows nothing of guards. `plugin` has what guards need."""

from __future__ import annotations

import contextvars
from collections.abc import Sequence
from fractions import Fraction

__all__ = ["UNITS", "Quantity", "Samples", "system"]

# For each unit its dimension, and how many of the dimension's first unit it is: exactly.
UNITS: dict[str, tuple[str, Fraction]] = {
    "m": ("length", Fraction(1)),
    "km": ("length", Fraction(1000)),
    "ft": ("length", Fraction(3048, 10000)),
    "s": ("time", Fraction(1)),
    "min": ("time", Fraction(60)),
    "kg": ("mass", Fraction(1)),
}

# Which system of units results are shown in.
system: contextvars.ContextVar[str] = contextvars.ContextVar("system", default="metric")


class Quantity:
    """A number of a unit.

    Args:
        number: how many.
        unit: of what; a key of `UNITS`.

    Example:
        >>> Quantity(3, "km") == Quantity(3000, "m")
        True
    """

    __slots__ = ("number", "unit")

    def __init__(self, number: float, unit: str) -> None:
        if unit not in UNITS:
            raise ValueError(f"there is no unit {unit!r}")
        self.number = number
        self.unit = unit

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Quantity):
            return NotImplemented
        (mine, factor), (theirs, other_factor) = UNITS[self.unit], UNITS[other.unit]
        return mine == theirs and Fraction(self.number) * factor == Fraction(other.number) * other_factor

    def __hash__(self) -> int:
        dimension, factor = UNITS[self.unit]
        return hash((dimension, Fraction(self.number) * factor))


class Samples:
    """A series of numbers of one unit.

    Args:
        numbers: the numbers.
        unit: their unit.

    Example:
        >>> len(Samples([1.0, 2.5], "s").numbers)
        2
    """

    __slots__ = ("numbers", "unit")

    def __init__(self, numbers: Sequence[float], unit: str) -> None:
        self.numbers = tuple(numbers)
        self.unit = unit
