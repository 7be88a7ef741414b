"""Base values of numbers, texts and tuples, whatever a derived class overrides."""

import enum
import math
from typing import NamedTuple

import pytest

from guardlang.reading import base_bytes, base_complex, base_float, base_int, base_str, base_tuple, truthiness
from guardlang.values import Undefined


class Pair(NamedTuple):
    x: int
    y: int


class Level(enum.IntEnum):
    TWO = 2


class Name(str, enum.Enum):
    A = "a"


def loud(base):
    def hook(*args):
        raise ZeroDivisionError

    names = ("int", "float", "complex", "index", "trunc", "str", "repr", "bytes", "iter", "getitem", "len", "bool", "eq")
    return type("Loud", (base,), {**dict.fromkeys([f"__{name}__" for name in names], hook), "__hash__": None})


def cause(function, *args):
    with pytest.raises(Undefined) as caught:
        function(*args)
    return caught.value.cause


@pytest.mark.parametrize(
    ("x", "number"),
    [(5, 5), (True, 1), (2.9, 2), (-2.9, -2), (1e300, int(1e300)), (Level.TWO, 2), (loud(int)(7), 7), (loud(float)(7.5), 7)],
    ids=lambda value: type(value).__name__,
)
def test_ints(x, number):
    got = base_int(x)
    assert got == number
    assert type(got) is int


@pytest.mark.parametrize(
    ("x", "number"),
    [
        (5, 5.0),
        (True, 1.0),
        (2.5, 2.5),
        (Level.TWO, 2.0),
        (loud(int)(7), 7.0),
        (loud(float)(7.5), 7.5),
        (2**53 + 1, float(2**53)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_floats(x, number):
    got = base_float(x)
    assert got == number
    assert type(got) is float


def test_the_sign_of_zero_and_nan_are_kept():
    assert math.copysign(1, base_float(loud(float)(-0.0))) == -1
    assert math.isnan(base_float(float("nan")))


@pytest.mark.parametrize("function", [base_int, base_float])
@pytest.mark.parametrize("x", ["1", b"1", None, [1], object(), loud(str)("1")], ids=lambda value: type(value).__name__)
def test_what_is_no_number(function, x):
    assert "is not a number, but a" in cause(function, x)


@pytest.mark.parametrize(
    ("function", "x", "words"),
    [
        (base_int, float("nan"), "is nan, which no int equals"),
        (base_int, float("inf"), "is inf, which no int equals"),
        (base_int, 1j, "is a complex number"),
        (base_float, 1j, "is a complex number"),
        (base_float, 10**400, "is too large for a float"),
        (base_complex, 10**400, "is too large for a complex number"),
        (base_complex, "1", "is not a number"),
        (base_str, 1, "is not a str, but a int"),
        (base_str, b"a", "is not a str, but a bytes"),
        (base_bytes, "a", "is not bytes, but a str"),
        (base_bytes, bytearray(b"a"), "is not bytes, but a bytearray"),
        (base_tuple, [1], "is not a tuple, but a list"),
        (truthiness, object(), "may have its own __bool__"),
        (truthiness, Level.TWO, "may have its own __bool__"),
        (truthiness, loud(list)(), "may have its own __bool__"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_undefined(function, x, words):
    assert words in cause(function, x)


def test_complex_numbers():
    assert base_complex(2) == 2 + 0j
    assert base_complex(loud(complex)(1 + 2j)) == 1 + 2j
    assert base_complex(1, 2) == 1 + 2j
    assert str(base_complex(complex(-0.0, -0.0))) == str(complex(-0.0, -0.0))
    assert type(base_complex(Level.TWO)) is complex


def test_texts_bytes_and_tuples():
    pair = Pair(1, 2)
    for function, x, value in [
        (base_str, Name.A, "a"),
        (base_str, loud(str)("ab"), "ab"),
        (base_bytes, loud(bytes)(b"ab"), b"ab"),
        (base_tuple, pair, (1, 2)),
        (base_tuple, loud(tuple)((1, 2)), (1, 2)),
    ]:
        got = function(x)
        assert got == value
        assert type(got) is type(value)


@pytest.mark.parametrize(
    ("x", "truth"),
    [
        (None, False),
        (0.0, False),
        (float("nan"), True),
        (0j, False),
        ("", False),
        (b"a", True),
        ([], False),
        ({}, False),
        ({1}, True),
    ],
)
def test_truth(x, truth):
    assert truthiness(x) is truth
    assert truthiness(range(0)) is False
