"""Arithmetic on exact numbers: Python's results, with everything that Python would raise made undefined."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from guardlang.values import TypeSet, Undefined, type_name

__all__ = ["MAX_BITS", "binary", "bounded", "is_nan", "maximum", "minimum", "round_to", "square_root", "unary", "whole"]

# Integers past this size are undefined as results, so that no check can be made to run for minutes.
MAX_BITS = 2**16

_REAL = TypeSet(bool, int, float)
_NUMBERS = TypeSet(bool, int, float, complex)
_WHOLE = TypeSet(bool, int)


def binary(op: str, a: Any, b: Any) -> Any:
    """Return `a op b` for exact numbers.

    Args:
        op: an arithmetic or bitwise operator of the language.
        a: left operand, any object.
        b: right operand, any object.

    Raises:
        Undefined: an operand is no number, or Python would raise, or the result is past 2**16 bits.

    Example:
        >>> binary("//", -7, 2), binary("%", -7, 2), binary("**", 2, -1)
        (-4, 1, 0.5)
    """
    ta, tb = type(a), type(b)
    if ta not in _NUMBERS or tb not in _NUMBERS:
        raise Undefined(f"{op} is for numbers, not {type_name(ta if ta not in _NUMBERS else tb)}")
    try:
        result = _BINARY[op](a, b)
    except (ArithmeticError, TypeError, ValueError) as error:
        raise Undefined(f"{op}: {error}") from None
    if type(result) is complex and complex not in (ta, tb):
        raise Undefined(f"{op}: the result is complex")
    return bounded(op, result)


def bounded(op: str, result: Any) -> Any:
    """Return a result, unless it is an integer past 2**16 bits.

    Args:
        op: what made it, for the message.
        result: a number.

    Raises:
        Undefined: it is too large.

    Example:
        >>> bounded("+", 5)
        5
    """
    if type(result) is int and result.bit_length() > MAX_BITS:
        raise Undefined(f"{op}: the result is past 2**16 bits")
    return result


def _power(a: Any, b: Any) -> Any:
    if type(a) in _WHOLE and type(b) in _WHOLE and b > 0:
        bits = int(a).bit_length() if a >= 0 else (-int(a)).bit_length()
        if bits > 1 and (bits - 1) * b >= MAX_BITS:
            raise OverflowError("the result is past 2**16 bits")
    return a**b


def _shift_left(a: Any, b: Any) -> Any:
    if type(a) in _WHOLE and type(b) in _WHOLE and a != 0 and b > MAX_BITS:
        raise OverflowError("the result is past 2**16 bits")
    return a << b


def _shift_right(a: Any, b: Any) -> Any:
    if type(a) in _WHOLE and type(b) in _WHOLE and b.bit_length() > 32:
        # Python refuses counts that do not fit its machine word, though the result is plain.
        if b < 0:
            raise ValueError("negative shift count")
        return -1 if a < 0 else 0
    return a >> b


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "**": _power,
    "<<": _shift_left,
    ">>": _shift_right,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
}


def unary(op: str, a: Any) -> Any:
    """Return `-a`, `~a` or `abs(a)` for an exact number.

    Args:
        op: `-`, `~` or `abs`.
        a: any object.

    Raises:
        Undefined: a is no number (for `~`, no integer), or the result is past 2**16 bits.

    Example:
        >>> unary("~", True), unary("abs", -3)
        (-2, 3)
    """
    cls = type(a)
    if cls not in (_WHOLE if op == "~" else _NUMBERS):
        raise Undefined(f"{op} is for {'ints' if op == '~' else 'numbers'}, not {type_name(cls)}")
    if cls is bool:
        a = int(a)
    if op == "~":
        return bounded(op, ~a)
    if op == "-":
        return bounded(op, -a)
    try:
        return bounded(op, abs(a))
    except OverflowError as error:
        raise Undefined(f"abs: {error}") from None


def _real(name: str, a: Any) -> None:
    if type(a) not in _REAL:
        raise Undefined(f"{name} is for int and float, not {type_name(type(a))}")


def whole(name: str, a: Any) -> int:
    """Return `floor(a)`, `ceil(a)` or `trunc(a)`.

    Args:
        name: which of the three.
        a: any object.

    Raises:
        Undefined: a is no int or float, or is NaN or infinite.

    Example:
        >>> whole("floor", -2.5), whole("ceil", -2.5), whole("trunc", -2.5)
        (-3, -2, -2)
    """
    _real(name, a)
    if type(a) is not float:
        return int(a)
    if not math.isfinite(a):
        raise Undefined(f"{name} of {a} is no integer")
    return _WHOLE_PART[name](a)


_WHOLE_PART: dict[str, Callable[[float], int]] = {"floor": math.floor, "ceil": math.ceil, "trunc": math.trunc}


def round_to(a: Any, digits: Any = None) -> Any:
    """Return `round(a)` or `round(a, digits)`: half to even, in decimal.

    Args:
        a: any object.
        digits: an exact int, or None for an integer result.

    Raises:
        Undefined: a is no int or float, digits is no int, or Python would raise.

    Example:
        >>> round_to(2.5), round_to(2.675, 2), round_to(15, -1)
        (2, 2.67, 20)
    """
    _real("round", a)
    if digits is None:
        if type(a) is float and not math.isfinite(a):
            raise Undefined(f"round of {a} is no integer")
        return round(a)
    if type(digits) not in _WHOLE:
        raise Undefined(f"round: digits are an int, not {type_name(type(digits))}")
    if type(a) is not float:
        if digits >= 0:
            return int(a)
        # 10**-digits must not be computed when it dwarfs a: the result is zero.
        return 0 if -digits > int(a).bit_length() else bounded("round", round(int(a), digits))
    try:
        return round(a, max(-400, min(400, digits)))
    except OverflowError as error:
        raise Undefined(f"round: {error}") from None


def is_nan(a: Any) -> bool:
    """Return whether an int or float is NaN.

    Args:
        a: any object.

    Raises:
        Undefined: a is no int or float.

    Example:
        >>> is_nan(float("nan")), is_nan(10**400)
        (True, False)
    """
    _real("isnan", a)
    return bool(a != a)


def square_root(a: Any) -> float:
    """Return the square root as a float.

    Args:
        a: any object.

    Raises:
        Undefined: a is no int or float, is negative, or is too large for a float.

    Example:
        >>> square_root(9)
        3.0
    """
    _real("sqrt", a)
    try:
        return math.sqrt(a)
    except (ValueError, OverflowError) as error:
        raise Undefined(f"sqrt: {error}") from None


def minimum(*operands: Any) -> Any:
    """Return Python's `min`, from left to right, NaN included.

    Args:
        operands: any objects.

    Raises:
        Undefined: one is no int or float.

    Example:
        >>> minimum(2, 2.0, 3)
        2
    """
    for operand in operands:
        _real("min", operand)
    return min(operands)


def maximum(*operands: Any) -> Any:
    """Return Python's `max`, from left to right, NaN included.

    Args:
        operands: any objects.

    Raises:
        Undefined: one is no int or float.

    Example:
        >>> maximum(2, 2.0, 3)
        3
    """
    for operand in operands:
        _real("max", operand)
    return max(operands)
