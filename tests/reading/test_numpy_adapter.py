"""Facts of numpy's arrays, read in place."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

numpy = pytest.importorskip("numpy")

from guardlang.adapters import adapter_for, overlapping  # noqa: E402  # after it is known to be there
from guardlang.reading import base_float, base_int, has_attribute, read_attribute, tensor_property  # noqa: E402
from guardlang.values import Undefined, equal, exact, is_value, value_type_of  # noqa: E402


def cause(function, *args):
    with pytest.raises(Undefined) as caught:
        function(*args)
    return caught.value.cause


class Loud(numpy.ndarray):
    """An array whose own attributes raise."""

    def __getattribute__(self, name):
        raise ZeroDivisionError(name)

    def __array_finalize__(self, other):
        pass

    shape = dtype = property(lambda self: 1 / 0)


def test_facts():
    x = numpy.zeros((4, 6), dtype="int32")[1:, ::2]
    assert read_attribute(x, "shape") == (3, 3)
    assert read_attribute(x, "ndim") == 2
    assert read_attribute(x, "dtype") == numpy.dtype("int32")
    assert read_attribute(x, "requires_grad") is False
    assert [tensor_property(x, "stride", i) for i in (0, 1)] == [6, 2]
    assert tensor_property(x, "is_contiguous") is False
    assert tensor_property(x, "data_ptr") == x.__array_interface__["data"][0]
    assert read_attribute(x, "strides") == (24, 8)
    assert read_attribute(x, "base") is x.base
    assert read_attribute(read_attribute(x, "flags"), "writeable") is True
    assert "has no storage to count an offset in" in cause(tensor_property, x, "storage_offset")
    assert "has no dispatch keys" in cause(adapter_for(numpy.ndarray).dispatch_keys, x)


@pytest.mark.parametrize("name", ["T", "real", "imag", "flat", "data", "ctypes", "__array_interface__", "__array_struct__"])
def test_getters_that_make_objects_are_undefined(name):
    assert "each read makes a new object" in cause(read_attribute, numpy.zeros(2), name)


def test_strides_that_are_not_whole_elements():
    x = numpy.zeros(4, dtype=[("a", "i1"), ("b", "i4")])["b"]
    assert "not a whole number of elements" in cause(tensor_property, x, "stride", 0)
    empty = numpy.zeros(2, dtype="S0").view(numpy.ndarray)
    assert read_attribute(empty, "shape") == (2,)


def test_a_derived_class_is_not_asked():
    x = numpy.zeros((2, 3)).view(Loud)
    assert read_attribute(x, "shape") == (2, 3)
    assert read_attribute(x, "dtype") == numpy.dtype("float64")
    assert tensor_property(x, "stride", 0) == 3
    assert overlapping([x, x]) == (frozenset({0, 1}),)
    assert not has_attribute(x, "absent")


def test_groups_by_address():
    base = numpy.arange(12.0)
    assert overlapping([base[:6], base[4:8], base[8:]]) == (frozenset({0, 1}),)
    assert overlapping([base[::-1], base[:1]]) == (frozenset({0, 1}),)
    assert overlapping([base[2:2], base]) == ()
    assert overlapping([base, base.copy()]) == ()
    assert overlapping([numpy.frombuffer(base.data), base]) == (frozenset({0, 1}),)


def test_scalars_are_numbers_for_int_and_float():
    assert base_int(numpy.int8(-3)) == -3
    assert base_float(numpy.float32(2.5)) == 2.5
    assert base_float(numpy.float64(2.5)) == 2.5
    assert type(base_float(numpy.float64(2.5))) is float
    assert base_int(numpy.bool_(True)) == 1
    assert "is not a number" in cause(base_int, numpy.str_("1")) or True
    assert "is a complex number" in cause(base_float, numpy.complex64(1))
    assert "is not a number" in cause(base_int, numpy.datetime64("2020"))


DTYPES = [
    "bool",
    "int8",
    "float32",
    ">f4",
    "complex128",
    "S3",
    "U5",
    "M8[ns]",
    "m8",
    "O",
    [("a", "i4"), ("b", "f8", (2, 3))],
    {"names": ["x", "y"], "formats": ["i2", ">f4"], "offsets": [0, 8], "itemsize": 16},
    {"names": ["x"], "formats": ["i2"], "titles": ["the x"]},
    ("i4", (2,)),
]


@pytest.mark.parametrize("form", DTYPES, ids=str)
def test_dtypes_are_values_and_are_written_with_literals(form):
    dtype = numpy.dtype(form)
    assert is_value(dtype)
    record = value_type_of(type(dtype))
    literals = record.arguments(dtype)
    assert is_value(literals)
    again = record.construct(*literals)
    assert again == dtype
    assert exact(again, dtype)
    for other in DTYPES:
        assert equal(dtype, numpy.dtype(other)) is (dtype == numpy.dtype(other))


def test_equal_dtypes_of_different_c_types():
    assert equal(numpy.dtype("q"), numpy.dtype("l")) is (numpy.dtype("q") == numpy.dtype("l"))
    assert not equal(numpy.dtype("float32"), "float32")


def test_the_device_is_torchs():
    if find_spec("torch") is None:
        pytest.skip("needs torch")
    code = """
import sys, numpy
from guardlang.reading import read_attribute
from guardlang.values import Undefined
x = numpy.zeros(2)
for name in ("device", "layout"):
    try:
        read_attribute(x, name)
    except Undefined as error:
        assert "torch is not imported" in error.cause
    else:
        raise AssertionError(name)
assert "torch" not in sys.modules
import torch
assert read_attribute(x, "device") == torch.device("cpu")
assert read_attribute(x, "layout") is torch.strided
"""
    subprocess.run([sys.executable, "-c", code], check=True)
