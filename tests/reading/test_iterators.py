"""What iterators have left is read without consuming it and without asking the sequence."""

import gc
import itertools
import sys

import pytest

from guardlang.reading import dereference, is_instance, peek, remaining
from guardlang.values import Undefined


def advanced(it, steps):
    for _ in range(steps):
        next(it)
    return it


def cause(function, *args):
    with pytest.raises(Undefined) as caught:
        function(*args)
    return caught.value.cause


class Loud:
    def __len__(self):
        raise ZeroDivisionError

    def __length_hint__(self):
        raise ZeroDivisionError

    def __getitem__(self, index):
        raise ZeroDivisionError

    def __reduce__(self):
        raise ZeroDivisionError


class LoudList(Loud, list):
    pass


class LoudTuple(Loud, tuple):
    __slots__ = ()


@pytest.mark.parametrize("steps", [0, 1, 2])
@pytest.mark.parametrize(
    "sequence",
    [(5, 6, 7), [5, 6, 7], range(5, 12, 3), range(7, 0, -3), range(2**70, 2**70 + 3), LoudList([5, 6, 7]), LoudTuple((5, 6, 7))],
    ids=lambda sequence: type(sequence).__name__,
)
def test_items_left(sequence, steps):
    it = advanced(iter(sequence), steps)
    count = 3 - steps
    assert remaining(it) == count
    seen = [peek(it, i) for i in range(count)]
    assert f"has {count} item" in cause(peek, it, count)
    assert remaining(it) == count
    assert seen == list(it)


@pytest.mark.parametrize("sequence", [(1,), [1], range(1), range(2**70, 2**70 + 1)], ids=lambda s: type(s).__name__)
def test_an_exhausted_iterator_has_nothing_left(sequence):
    it = iter(sequence)
    list(it)
    assert remaining(it) == 0
    assert cause(peek, it, 0) == "has 0 items left"


def test_an_iterator_over_a_growing_list():
    items = [1]
    it = advanced(iter(items), 1)
    assert remaining(it) == 0
    items.append(2)
    assert (remaining(it), peek(it, 0)) == (1, 2)
    items.clear()
    assert remaining(it) == 0
    assert cause(peek, it, 0) == "has 0 items left"


def test_an_exhausted_list_iterator_stays_exhausted():
    items = [1]
    it = iter(items)
    list(it)
    items.append(2)
    assert remaining(it) == 0


@pytest.mark.parametrize(
    ("it", "items"),
    [
        (itertools.count(), [0, 1, 2]),
        (itertools.count(-4), [-4, -3, -2]),
        (itertools.count(5, -2), [5, 3, 1]),
        (itertools.count(sys.maxsize), [sys.maxsize, sys.maxsize + 1, sys.maxsize + 2]),
        (itertools.count(2**70, 2**65), [2**70, 2**70 + 2**65, 2**70 + 2**66]),
        (itertools.count(1, True), [1, 2, 3]),
        (advanced(itertools.count(7, 0), 3), [7, 7, 7]),
        (advanced(itertools.count(), 3), [3, 4, 5]),
        (advanced(itertools.count(sys.maxsize - 1), 3), [sys.maxsize + 2, sys.maxsize + 3, sys.maxsize + 4]),
    ],
)
def test_counts(it, items):
    assert [peek(it, i) for i in range(3)] == items
    assert cause(remaining, it) == "never ends"
    assert list(itertools.islice(it, 3)) == items


def test_counts_of_other_numbers_are_undefined():
    class Number:
        def __add__(self, other):
            raise ZeroDivisionError

        __float__ = __add__

        def __repr__(self):
            raise ZeroDivisionError

    for it in (itertools.count(0.5), itertools.count(1, 0.5), itertools.count(Number())):
        assert cause(peek, it, 0) == "is a count of something else than ints"


@pytest.mark.parametrize(
    "x",
    [
        iter("ab"),
        iter({}),
        iter({1}),
        reversed([1]),
        reversed((1,)),
        (i for i in [1]),
        map(abs, [1]),
        zip([1]),
        [1],
        None,
        itertools.repeat(1),
    ],
    ids=lambda x: type(x).__name__,
)
def test_other_iterators_are_undefined(x):
    assert "is not a tuple, list or range iterator, but a" in cause(remaining, x)
    assert "is not a tuple, list or range iterator, but a" in cause(peek, x, 0)


@pytest.mark.parametrize("index", [-1, True, 0.0, "a", None])
def test_positions_are_ints_from_zero(index):
    assert "only at the positions 0, 1, 2" in cause(peek, iter([1, 2]), index)


def test_weak_references():
    import weakref

    class Buffer:
        __hash__ = None

        def __eq__(self, other):
            raise ZeroDivisionError

    class Own(weakref.ref):
        def __call__(self):
            raise ZeroDivisionError

    held = Buffer()
    w = weakref.ref(held)
    assert dereference(w) is held
    for other in (Own(held), weakref.proxy(held), held, None):
        assert "is not a weak reference" in cause(dereference, other)
    del held, other
    gc.collect()
    assert dereference(w) is None


def test_instances_are_known_by_their_real_class():
    class Meta(type):
        def __instancecheck__(cls, x):
            raise ZeroDivisionError

        def __subclasscheck__(cls, x):
            raise ZeroDivisionError

        def __eq__(cls, other):
            raise ZeroDivisionError

        def __hash__(cls):
            raise ZeroDivisionError

    class A(metaclass=Meta):
        pass

    class B(A):
        __class__ = property(lambda self: int)

    assert is_instance(B(), A)
    assert is_instance(B(), object)
    assert not is_instance(A(), B)
    assert not is_instance(B(), int)
    assert is_instance(A, Meta)
    assert is_instance(True, int)
    assert "which is no class" in cause(is_instance, 1, (int,))
    assert "which is no class" in cause(is_instance, 1, list[int])
