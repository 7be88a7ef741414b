"""`int(x)`, `float(x)`, `str(x)`, ...: the base value of a number, a text or a tuple, whatever a derived class overrides."""

from __future__ import annotations

import math
from typing import Any

from guardlang.adapters import NOT_HANDLED, scalar_value
from guardlang.values import TypeSet, Undefined, type_name

__all__ = ["base_bytes", "base_complex", "base_float", "base_int", "base_str", "base_tuple", "truthiness"]

_WHOLE = slice(None)
_real_of = complex.__dict__["real"].__get__
_imag_of = complex.__dict__["imag"].__get__


def base_int(x: Any) -> int:
    """Return the int of a real number: a float is cut towards zero.

    Args:
        x: a number, an object of a class derived from one, or of a registered scalar type.

    Raises:
        Undefined: x is no real number, or is a NaN or infinite.

    Example:
        >>> base_int(True), base_int(-2.5)
        (1, -2)
    """
    number = _real_number(x)
    if type(number) is float:
        if not math.isfinite(number):
            raise Undefined(f"is {number}, which no int equals")
        return int(number)
    return int(number)


def base_float(x: Any) -> float:
    """Return the float of a real number.

    Args:
        x: a number, an object of a class derived from one, or of a registered scalar type.

    Raises:
        Undefined: x is no real number, or is too large.

    Example:
        >>> base_float(3), base_float(True)
        (3.0, 1.0)
    """
    try:
        return float(_real_number(x))
    except OverflowError:
        raise Undefined("is too large for a float") from None


def base_complex(real: Any, imag: Any = 0) -> complex:
    """Return the complex number of a number, or of a real and an imaginary part.

    Args:
        real: a number, or an object of a class derived from one.
        imag: a number to be multiplied by 1j and added.

    Raises:
        Undefined: one is no number, or is too large.

    Example:
        >>> base_complex(2), base_complex(1, -2.5)
        ((2+0j), (1-2.5j))
    """
    parts = [_number(part) for part in (real, imag)]
    try:
        return complex(*parts) if type(imag) is not int or imag else complex(parts[0])
    except OverflowError:
        raise Undefined("is too large for a complex number") from None


def base_str(x: Any) -> str:
    """Return the text of a str, or of an object of a class derived from str.

    Args:
        x: any object.

    Raises:
        Undefined: x is no str.

    Example:
        >>> class Name(str):
        ...     def __str__(self): return "other"
        >>> base_str(Name("a"))
        'a'
    """
    if type(x) is str:
        return x
    if issubclass(type(x), str):
        return str.__str__(x)
    raise Undefined(f"is not a str, but a {type_name(type(x))}")


def base_bytes(x: Any) -> bytes:
    """Return the bytes of a bytes object, or of an object of a class derived from bytes.

    Args:
        x: any object.

    Raises:
        Undefined: x is no bytes object.

    Example:
        >>> base_bytes(b"ab")
        b'ab'
    """
    if issubclass(type(x), bytes):
        return bytes.__getitem__(x, _WHOLE)
    raise Undefined(f"is not bytes, but a {type_name(type(x))}")


def base_tuple(x: Any) -> tuple[Any, ...]:
    """Return the items of a tuple, or of an object of a class derived from tuple, as an exact tuple.

    Args:
        x: any object.

    Raises:
        Undefined: x is no tuple.

    Example:
        >>> from collections import namedtuple
        >>> base_tuple(namedtuple("Point", "x y")(1, 2))
        (1, 2)
    """
    if issubclass(type(x), tuple):
        return tuple.__getitem__(x, _WHOLE)
    raise Undefined(f"is not a tuple, but a {type_name(type(x))}")


_HAVE_TRUTH = TypeSet(bool, int, float, complex, str, bytes, tuple, list, dict, set, frozenset, range, type(None))


def truthiness(x: Any) -> bool:
    """Return the truth of None, a number, a str, bytes or an exact container.

    Args:
        x: any object.

    Raises:
        Undefined: x is anything else: its `__bool__` or `__len__` would run.

    Example:
        >>> truthiness([]), truthiness(0.5), truthiness(None)
        (False, True, False)
    """
    if type(x) in _HAVE_TRUTH:
        return bool(x)
    raise Undefined(f"has no truth of its own: a {type_name(type(x))} may have its own __bool__")


_NUMBERS = TypeSet(bool, int, float, complex)


def _number(x: Any) -> Any:
    cls = type(x)
    if cls is int or cls is float or cls is complex:
        return x
    if issubclass(cls, int):
        return int.__int__(x)
    if issubclass(cls, float):
        return float.__float__(x)
    if issubclass(cls, complex):
        return complex(_real_of(x), _imag_of(x))
    value = scalar_value(x)
    if value is NOT_HANDLED or type(value) not in _NUMBERS:
        raise Undefined(f"is not a number, but a {type_name(cls)}")
    return int(value) if type(value) is bool else value


def _real_number(x: Any) -> Any:
    number = _number(x)
    if type(number) is complex:
        raise Undefined("is a complex number, which has no order and no int or float")
    return number
