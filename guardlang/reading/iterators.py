"""`remaining(it)` and `peek(it, i)`: what an iterator has left, without consuming it."""

from __future__ import annotations

import gc
import itertools
import re
import sys
from collections.abc import Callable
from typing import Any

from guardlang.reading.containers import length
from guardlang.values import Undefined, type_name

__all__ = ["peek", "remaining"]

_SEQUENCES: tuple[Any, ...] = ((), [], range(0), range(2**70))
_KINDS: tuple[Any, ...] = tuple(type(iter(sequence)) for sequence in _SEQUENCES)
_COUNT_TEXT = re.compile(r"count\((-?\d+)")


def remaining(it: Any) -> int:
    """Return how many items a tuple, list or range iterator has left; a list may still grow.

    Args:
        it: any object.

    Raises:
        Undefined: it is no such iterator, or never ends.

    Example:
        >>> it = iter((5, 6, 7)); next(it)
        5
        >>> remaining(it), remaining(it)
        (2, 2)
    """
    # The length hints of these types are in C and count; they do not ask a derived class for its `__len__`.
    hint = _HINTS.get(id(type(it)))
    if hint is not None:
        return hint(it)
    if type(it) is itertools.count:
        raise Undefined("never ends")
    raise Undefined(f"is not a tuple, list or range iterator, but a {type_name(type(it))}")


_HINTS: dict[int, Callable[[Any], int]] = {id(kind): kind.__length_hint__ for kind in _KINDS}


def peek(it: Any, index: Any) -> Any:
    """Return one of the items that an iterator has left.

    Args:
        it: a tuple, list or range iterator, or an `itertools.count` of ints.
        index: how many items to pass over.

    Raises:
        Undefined: it is no such iterator, or has no item there.

    Example:
        >>> it = iter(range(0, 9, 2)); next(it)
        0
        >>> peek(it, 0), peek(it, 1), next(it)
        (2, 4, 2)
    """
    if type(index) is not int or index < 0:
        raise Undefined("has items left only at the positions 0, 1, 2, ...")
    if type(it) is itertools.count:
        first, step = _state_of_count(it)
        return first + index * step if index else first
    left = remaining(it)
    if index >= left:
        raise Undefined(f"has {left} item{'' if left == 1 else 's'} left")
    # In C: the constructor, its argument (the sequence), and from where on, unless the sequence is what is left.
    state = _REDUCE[id(type(it))](it)
    sequence, position = state[1][0], (state[2] or 0) + index if len(state) > 2 else index
    try:
        return _item(sequence, position)
    except IndexError:
        raise Undefined(f"has {length(sequence)} items by now") from None


_REDUCE: dict[int, Callable[[Any], Any]] = {id(kind): kind.__reduce__ for kind in _KINDS}


def _item(sequence: Any, position: int) -> Any:
    for base in (tuple, list, range):
        if issubclass(type(sequence), base):
            return base.__getitem__(sequence, position)
    raise Undefined(f"iterates over a {type_name(type(sequence))}")


def _state_of_count(it: itertools.count[Any]) -> tuple[int, int]:
    """Return the next number and the step of a count.

    `__reduce__` would do, but warns from Python 3.12 on and is gone in 3.14; the collector sees the same two objects.
    """
    held = [x for x in gc.get_referents(it) if x is not itertools.count]
    if not 1 <= len(held) <= 2 or not all(type(x) is int or type(x) is bool for x in held):
        raise Undefined("is a count of something else than ints")
    if len(held) == 2:
        return held[0], held[1]
    # A count in a machine word has no object for its number; with ints only, its text is CPython's own.
    text = itertools.count.__repr__(it)
    match = _COUNT_TEXT.match(text)
    if match is None:
        # The largest word is where CPython changes over to objects, and it prints the object before there is one.
        return sys.maxsize, held[0]
    return int(match[1]), held[0]
