"""Adapters of a tensor type that is not torch's, and numpy's."""

import subprocess
import sys

import pytest

from guardlang.adapters import (
    NOT_HANDLED,
    MemoryExtent,
    TensorAdapter,
    adapter_for,
    overlapping,
    register_scalar_type,
    register_tensor_adapter,
    scalar_value,
)
from guardlang.reading import base_float, base_int, read_attribute, tensor_property
from guardlang.values import Undefined


def cause(function, *args):
    with pytest.raises(Undefined) as caught:
        function(*args)
    return caught.value.cause


class Block:
    """A run of bytes in a named storage."""

    def __init__(self, storage, first, stop):
        self.place = (storage, first, stop)
        self.shape = "hidden by the adapter"


class BlockAdapter(TensorAdapter):
    def shape(self, x):
        return (x.place[2] - x.place[1],)

    def extent(self, x):
        return MemoryExtent(*x.place)

    def stride(self, x):
        raise ZeroDivisionError


register_tensor_adapter(Block, BlockAdapter())


def test_an_adapter_goes_before_the_attribute():
    x = Block("s", 0, 4)
    assert read_attribute(x, "shape") == (4,)
    assert read_attribute(x, "place") == ("s", 0, 4)
    assert tensor_property(x, "shape", -1) == 4


def test_an_adapter_is_found_by_the_real_bases_as_they_are_now():
    class Plain:
        pass

    class Changing(Plain):
        pass

    class Other(Block):
        pass

    assert adapter_for(Changing) is None
    Changing.__bases__ = (Other,)
    assert adapter_for(Changing) is adapter_for(Block)


def test_facts_that_an_adapter_does_not_have():
    x = Block("s", 0, 4)
    for name in ("dtype", "device", "layout", "requires_grad"):
        assert f"has no {name}" in cause(read_attribute, x, name)
    for prop in ("storage_offset", "data_ptr", "is_contiguous"):
        assert cause(tensor_property, x, prop).startswith("has no")
    for fact in ("dispatch_keys", "is_cow", "stride"):
        with pytest.raises((Undefined, ZeroDivisionError)):
            getattr(adapter_for(Block), fact)(x)
    assert "ZeroDivisionError while it was read" in cause(tensor_property, x, "stride", 0)
    assert "has no memory that can be compared" in cause(TensorAdapter().extent, x)
    assert "has no shape" in cause(TensorAdapter().ndim, x)


def test_an_error_in_an_extent_is_undefined():
    class Broken(Block):
        pass

    class BrokenAdapter(BlockAdapter):
        def extent(self, x):
            raise ZeroDivisionError

    register_tensor_adapter(Broken, BrokenAdapter())
    assert "has operand 1 whose memory cannot be read: ZeroDivisionError" in cause(
        overlapping, [Block("s", 0, 1), Broken("s", 0, 1)]
    )


def test_groups_against_the_definition():
    import itertools
    import random

    draw = random.Random(0)
    for _ in range(200):
        places = []
        for _ in range(draw.randrange(7)):
            first = draw.randrange(8)
            places.append((draw.choice("ab"), first, first + draw.randrange(4)))
        groups = [{n} for n, (_, first, stop) in enumerate(places) if first < stop]
        for m, n in itertools.combinations(range(len(places)), 2):
            (s, a, b), (t, c, d) = places[m], places[n]
            if s == t and max(a, c) < min(b, d):
                left = next(group for group in groups if m in group)
                right = next(group for group in groups if n in group)
                if left is not right:
                    groups.remove(right)
                    left |= right
        expected = sorted((frozenset(group) for group in groups if len(group) > 1), key=min)
        assert overlapping([Block(*place) for place in places]) == tuple(expected)


def test_scalar_types():
    class Half:
        pass

    class Broken:
        pass

    def broken(_):
        raise ZeroDivisionError

    register_scalar_type(Half, lambda _: 0.5)
    register_scalar_type(Broken, broken)
    assert base_float(Half()) == 0.5
    assert base_int(type("Derived", (Half,), {})()) == 0
    assert scalar_value(object()) is NOT_HANDLED
    assert "has no number: ZeroDivisionError" in cause(base_int, Broken())


def test_no_library_is_imported_for_the_sake_of_a_guard():
    code = """
import sys
from guardlang.adapters import adapter_for
from guardlang.reading import read_attribute
from guardlang.values import constructor_of, value_type_of
class C:
    n = 1
assert read_attribute(C(), "n") == 1 and adapter_for(C) is None
assert value_type_of(C) is None and constructor_of("torch.device") is None
assert not {"torch", "numpy"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
