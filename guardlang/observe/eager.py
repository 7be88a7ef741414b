"""Eager observation: everything below a value, each object once."""

from __future__ import annotations

import gc

from guardlang.observe.place import Place

__all__ = ["walk"]


def walk(place: Place) -> None:
    """Pin a value and everything below it.

    An object that is met again is not walked again, whatever the policy says of identity: that it is the same one is a guard.

    Args:
        place: where to start.
    """
    # Nothing that is made here is garbage, and looking for some would take half of the time.
    pause = gc.isenabled()
    gc.disable()
    try:
        _walk(place)
    finally:
        if pause:
            gc.enable()


def _walk(place: Place) -> None:
    partition = place.session.partition
    first_met: dict[int, Place] = {}
    pending = [place]
    while pending:
        place = pending.pop()
        if place.rule.identifies(place.value):
            first = first_met.setdefault(id(place.value), place)
            if first is not place:
                if not place.quiet:
                    for met in (first, place):
                        partition.meet(met.value, met.source, first)
                continue
        home = place.used()
        home.rule.settle(home)
        pending.extend(reversed(list(home.rule.parts(home))))
