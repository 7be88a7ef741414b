"""The functions that come with guardlang: context variables, memory formats, and the float functions of traced programs."""

from __future__ import annotations

import contextvars
import math
from collections.abc import Callable
from typing import Any

from guardlang.adapters import adapter_for
from guardlang.functions import register_function, register_source
from guardlang.types import ANY, BOOL, FLOAT, INT, TENSOR, seq
from guardlang.values import Undefined, type_name

__all__ = ["contextvar_get", "dense", "is_cow"]


def contextvar_get(variable: Any, *default: Any) -> Any:
    """Return the value of a context variable in the caller's context.

    Args:
        variable: a `ContextVar`.
        default: what to return when it has no value; goes before the variable's own default.

    Raises:
        Undefined: it is no context variable, or has no value and no default.

    Example:
        >>> contextvar_get(contextvars.ContextVar("depth"), 3)
        3
    """
    if type(variable) is not contextvars.ContextVar:
        raise Undefined(f"is not a context variable, but a {type_name(type(variable))}")
    try:
        return variable.get(*default)
    except LookupError:
        raise Undefined("has no value in this context") from None


def is_cow(x: Any) -> bool:
    """Return whether the memory of a tensor is shared until it is written to.

    Args:
        x: a tensor.

    Raises:
        Undefined: it is no tensor, or its library does not tell.

    Example:
        >>> is_cow([])
        Traceback (most recent call last):
        ...
        guardlang.values.Undefined: is not a tensor, but a list
    """
    adapter = adapter_for(type(x))
    if adapter is None:
        raise Undefined(f"is not a tensor, but a {type_name(type(x))}")
    return adapter.is_cow(x)


def dense(sizes: Any, strides: Any) -> bool:
    """Return whether the elements of a tensor fill their memory without gaps and without overlap.

    Sorted by stride, each dimension of more than one element must start where the one before it ended.

    Args:
        sizes: a tuple of ints.
        strides: a tuple of as many ints.

    Raises:
        Undefined: they are anything else.

    Example:
        >>> dense((2, 3), (1, 2)), dense((2, 3), (4, 1)), dense((1, 3), (9, 1)), dense((0, 3), (9, 7))
        (True, False, True, False)
    """
    for operand in (sizes, strides):
        if type(operand) is not tuple or not all(type(n) is int for n in operand):
            raise Undefined("needs a tuple of ints for the sizes and one for the strides")
    if len(sizes) != len(strides):
        raise Undefined(f"has {len(sizes)} sizes but {len(strides)} strides")
    if len(sizes) == 1:
        return bool(strides[0] == 1 or sizes[0] < 2)
    expected = 1
    for size, stride in sorted(zip(sizes, strides, strict=True), key=lambda pair: int(pair[1])):
        if size == 1:
            continue
        if stride != expected:
            return False
        expected *= size
    return True


def _of_float(name: str, function: Callable[[float], float]) -> Callable[[Any], float]:
    def evaluate(x: Any) -> float:
        if type(x) is not float and type(x) is not int and type(x) is not bool:
            raise Undefined(f"needs a real number, not a {type_name(type(x))}")
        try:
            return function(float(x))
        except (ValueError, OverflowError):
            raise Undefined(f"has no value: {name} is not defined there, or too large") from None

    return evaluate


_FLOAT_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "acos": math.acos,
    "asin": math.asin,
    "asinh": math.asinh,
    "atan": math.atan,
    "cos": math.cos,
    "cosh": math.cosh,
    "exp": math.exp,
    "log": math.log,
    "log2": math.log2,
    "sin": math.sin,
    "sinh": math.sinh,
    "tan": math.tan,
    "tanh": math.tanh,
}

register_source("contextvar_get", contextvar_get, parameters=(ANY, ANY), optional=1)
register_function("dense", dense, parameters=(seq(INT), seq(INT)), result=BOOL)
register_function("is_cow", is_cow, parameters=(TENSOR,), result=BOOL)
for _name, _function in _FLOAT_FUNCTIONS.items():
    register_function(_name, _of_float(_name, _function), parameters=(FLOAT,), result=FLOAT)
