"""Rules for iterators: what is left of them, without consuming it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from guardlang.ast import Call
from guardlang.observe.observer import Observer, refuse
from guardlang.observe.place import Place
from guardlang.observe.registry import observes
from guardlang.reading import peek, remaining
from guardlang.sources import Const, TupleIteratorGetItemSource
from guardlang.values import Undefined

__all__ = ["OfCounts", "OfRangeIterators", "OfSequenceIterators"]


def _path(at: Place, i: int) -> TupleIteratorGetItemSource:
    return TupleIteratorGetItemSource(at.source, Const(i))


@observes(type(iter(())), type(iter([])), derived=False)
class OfSequenceIterators(Observer):
    """Iterators of tuples and lists: how many items are left, and these."""

    def pin(self, at: Place) -> None:
        at.add_type()
        at.add_equal(Call("remaining", (at.source,)), remaining(at.value))

    def iterate(self, at: Place) -> list[Place]:
        return [at.child(_path(at, i), peek(at.value, i), i) for i in range(remaining(at.value))]

    def length(self, at: Place) -> int:
        return remaining(at.value)

    def parts(self, at: Place) -> Iterable[Place]:
        return self.iterate(at)


@observes(type(iter(range(0))), type(iter(range(2**70))), derived=False)
class OfRangeIterators(OfSequenceIterators):
    """Iterators of ranges: two items and the number of those left say everything."""

    def pin(self, at: Place) -> None:
        super().pin(at)
        for i in range(min(2, remaining(at.value))):
            at.add_equal(_path(at, i), peek(at.value, i))

    def parts(self, at: Place) -> Iterable[Place]:
        return ()


@observes(itertools.count, derived=False)
class OfCounts(Observer):
    """Counts: the next number and the step."""

    def pin(self, at: Place) -> None:
        at.add_type()
        try:
            numbers = [peek(at.value, i) for i in range(2)]
        except Undefined as error:
            refuse(at, error.cause)
        for i, number in enumerate(numbers):
            at.add_exact(_path(at, i), number)

    def item(self, at: Place, key: Any) -> Place:
        return at.child(_path(at, key), peek(at.value, key), key)

    def parts(self, at: Place) -> Iterable[Place]:
        return ()
