"""Time several ways of doing the same work in one process, in turns."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from statistics import median
from time import perf_counter
from typing import Any

__all__ = ["compare"]

SHORTEST_SAMPLE = 1e-3
LARGEST_COUNT = 10_000_000


def compare(
    cases: Mapping[str, Callable[..., object]],
    *,
    args: Sequence[Any] = (),
    rounds: int = 15,
    shortest: float = SHORTEST_SAMPLE,
    clock: Callable[[], float] = perf_counter,
) -> dict[str, float]:
    """Return the median seconds of one call of each case.

    In every round each case is sampled once, and the round starts with another case each time, so that what the machine does in
    between (frequency, neighbours, caches) falls on all of them alike. A sample is as many calls as last `shortest` seconds. The
    garbage collector is off while sampling and runs between rounds.

    Args:
        cases: what to call, by name.
        args: the arguments of every call. Pass them here and not in a lambda: its call would count on both sides.
        rounds: samples a case.
        shortest: the least seconds of a sample.
        clock: what tells seconds.

    Example:
        >>> medians = compare({"sum": sum, "max": max}, args=([3, 1, 2],), rounds=3, shortest=1e-5)
        >>> list(medians), all(seconds > 0 for seconds in medians.values())
        (['sum', 'max'], True)
    """
    if rounds < 1:
        raise ValueError(f"rounds is {rounds}: a median needs one sample at least")
    names = list(cases)
    collecting = gc.isenabled()
    gc.disable()
    try:
        counts = {name: calls_in(cases[name], args, shortest, clock) for name in names}
        samples: dict[str, list[float]] = {name: [] for name in names}
        for turn in range(rounds):
            gc.collect()
            first = turn % len(names) if names else 0
            for name in names[first:] + names[:first]:
                samples[name].append(seconds_of(cases[name], args, counts[name], clock) / counts[name])
    finally:
        if collecting:
            gc.enable()
    return {name: median(taken) for name, taken in samples.items()}


def calls_in(call: Callable[..., object], args: Sequence[Any], shortest: float, clock: Callable[[], float]) -> int:
    """Return how many calls last `shortest` seconds; finding out warms the case up."""
    count = 1
    while (taken := seconds_of(call, args, count, clock)) < shortest and count < LARGEST_COUNT:
        wanted = count * 10 if taken <= 0 else int(count * shortest / taken * 1.2) + 1
        count = min(max(wanted, count + 1), count * 10, LARGEST_COUNT)
    return count


def seconds_of(call: Callable[..., object], args: Sequence[Any], count: int, clock: Callable[[], float]) -> float:
    """Return the seconds that `count` calls take.

    One loop for each number of arguments: `call(*args)` would cost as much as a small check does.
    """
    match tuple(args):
        case ():
            start = clock()
            for _ in repeat(None, count):
                call()
            return clock() - start
        case (only,):
            start = clock()
            for _ in repeat(None, count):
                call(only)
            return clock() - start
        case (first, second):
            start = clock()
            for _ in repeat(None, count):
                call(first, second)
            return clock() - start
        case several:
            start = clock()
            for _ in repeat(None, count):
                call(*several)
            return clock() - start
