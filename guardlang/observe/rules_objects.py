"""Rules for the other objects of the library whose contents cannot be read purely: only their type is pinned."""

from __future__ import annotations

import io
import types
from collections.abc import Iterable

from guardlang.observe.observer import Observer
from guardlang.observe.place import Place
from guardlang.observe.registry import observes

__all__ = ["OfOneWayIterators"]


@observes(
    types.GeneratorType,
    types.CoroutineType,
    types.AsyncGeneratorType,
    zip,
    map,
    filter,
    enumerate,
    reversed,
    io.IOBase,
)
class OfOneWayIterators(Observer):
    """Generators, files and the like: to read them would consume them."""

    def truth(self, at: Place) -> bool:
        return True

    def parts(self, at: Place) -> Iterable[Place]:
        return ()
