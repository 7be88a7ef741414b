"""What guardlang is taught of quantities. Each function is named by an entry point, and called when it is first needed.

What a guard calls must be pure: it is given any object, asks for its exact class and reads slots through the class; it never runs
a method that the object brings along. Where it has no answer it raises `Undefined`, and the guard does not hold.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from guardlang import (
    TensorAdapter,
    Undefined,
    ValueType,
    register_function,
    register_source,
    register_state_reader,
    register_tensor_adapter,
    register_value_type,
)
from guardlang.types import ANY, BOOL, FLOAT, STR
from guardlang_units import UNITS, Quantity, Samples, system

__all__ = ["add_functions", "add_sources", "add_state_readers", "add_tensor_adapters", "add_value_types"]

_number_of = Quantity.__dict__["number"].__get__
_unit_of = Quantity.__dict__["unit"].__get__
_numbers_of = Samples.__dict__["numbers"].__get__


def add_sources() -> None:
    """Add `units.number(x)` and `units.unit(x)`: paths to what a quantity holds."""
    register_source("units.number", number, parameters=(ANY,))
    register_source("units.unit", unit, parameters=(ANY,), result=STR)


def add_functions() -> None:
    """Add the relation `units.compatible(a, b, ...)` and the function `units.measure(x, unit)`."""
    register_function("units.compatible", compatible, parameters=(ANY, ANY), variadic=True, result=BOOL)
    register_function("units.measure", measure, parameters=(ANY, STR), result=FLOAT)


def add_value_types() -> None:
    """Make quantities values: `==` compares them, and guards may hold them as constants."""
    register_value_type(
        ValueType(
            Quantity,
            value_of=_plain_value,
            name="units.Quantity",
            construct=Quantity,
            arguments=lambda quantity: (number(quantity), unit(quantity)),
        )
    )


def add_tensor_adapters() -> None:
    """Have the shape of samples read as that of a tensor of one dimension."""
    register_tensor_adapter(Samples, SamplesAdapter())


def add_state_readers() -> None:
    """Add `S['units.system']`: the preferred system of units in the calling thread."""
    register_state_reader("units.system", system.get)


def number(x: Any) -> Any:
    """Return the number of a quantity, in its own unit.

    Example:
        >>> number(Quantity(3, "km"))
        3
    """
    return _number_of(_quantity(x))


def unit(x: Any) -> str:
    """Return the unit of a quantity.

    Example:
        >>> unit(Quantity(3, "km"))
        'km'
    """
    return str(_unit_of(_quantity(x)))


def compatible(*quantities: Any) -> bool:
    """Return whether all quantities have the same dimension.

    Example:
        >>> compatible(Quantity(1, "m"), Quantity(2, "km")), compatible(Quantity(1, "m"), Quantity(1, "s"))
        (True, False)
    """
    return len({_dimension(x) for x in quantities}) == 1


def measure(x: Any, wanted: str) -> float:
    """Return a quantity as a number of another unit.

    Example:
        >>> measure(Quantity(3, "km"), "m")
        3000.0
    """
    if wanted not in UNITS:
        raise Undefined(f"cannot be measured in {wanted!r}, which is no unit")
    dimension, factor = UNITS[wanted]
    if _dimension(x) != dimension:
        raise Undefined(f"is a {_dimension(x)}, which is not measured in {wanted}")
    return float(_in_first_unit(x) / factor)


class SamplesAdapter(TensorAdapter):
    """Reads samples as a tensor of one dimension.

    Example:
        >>> SamplesAdapter().shape(Samples([1.0, 2.5], "s"))
        (2,)
    """

    def shape(self, x: Any) -> tuple[int, ...]:
        """Return the number of samples."""
        return (len(_numbers_of(x)),)


def _quantity(x: Any) -> Any:
    # Not `isinstance`, which would ask `x.__class__`.
    if type(x) is not Quantity:
        raise Undefined("is not a quantity")
    return x


def _dimension(x: Any) -> str:
    return UNITS[unit(x)][0]


def _in_first_unit(x: Any) -> Fraction:
    return Fraction(number(x)) * UNITS[unit(x)][1]


def _plain_value(x: Any) -> tuple[str, int, int]:
    """Return builtin values that two quantities share exactly when they are equal."""
    amount = _in_first_unit(x)
    return _dimension(x), amount.numerator, amount.denominator
