"""Guards on ambient state, all at once: as long as nothing has changed since they held, they hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from guardlang.ast import Expr
from guardlang.codegen import python
from guardlang.codegen.check import Request
from guardlang.purity import is_pure
from guardlang.sources import GlobalSource, GlobalStateSource, LocalSource
from guardlang.state import has_own_reader
from guardlang.walk import postorder

__all__ = ["AmbientGuards", "split_ambient"]


def split_ambient(guards: Sequence[Expr], watches: Sequence[Any]) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """Return the positions of the guards that speak of watched state alone, and the watches that they need.

    Args:
        guards: the guards.
        watches: what can be watched; each has `names` and `make`.

    Example:
        >>> from guardlang.parse import parse
        >>> split_ambient([parse("L['n'] == 1")], [])
        ((), ())
    """
    by_name = {name: watch for watch in watches for name in watch.names if not has_own_reader(name)}
    positions: list[int] = []
    needed: dict[int, Any] = {}
    for position, guard in enumerate(guards):
        nodes = list(postorder(guard))
        names = [node.name for node in nodes if isinstance(node, GlobalStateSource)]
        reads_frame = any(isinstance(node, LocalSource | GlobalSource) for node in nodes)
        if names and not reads_frame and is_pure(guard) and all(name in by_name for name in names):
            positions.append(position)
            needed.update({id(by_name[name]): by_name[name] for name in names})
    return tuple(positions), tuple(watch for watch in watches if id(watch) in needed)


class AmbientGuards:
    """Asks the guards themselves, and takes a snapshot to compare with when they hold.

    Args:
        guards: guards on watched state alone.
        watches: what they need.

    Example:
        >>> AmbientGuards((), ())()
        (True, ())
    """

    def __init__(self, guards: tuple[Expr, ...], watches: tuple[Any, ...]) -> None:
        self._guards = guards
        self._watches = watches
        self._check: Callable[..., bool] | None = None

    def __call__(self) -> tuple[bool, tuple[object, ...] | None]:
        """Return whether the guards hold, and what tells that nothing has changed: functions, operands and results in turn."""
        if self._check is None:
            self._check = python.build(Request(self._guards))
        # The snapshot is taken before the guards are asked and compared after: what changes in between is noticed.
        taken = [watch.make() for watch in self._watches]
        holds = self._check({})
        if not holds or any(one is None for one in taken):
            return holds, None
        snapshot = [one for one in taken if one is not None]
        if not all(function(*operands) is result for function, operands, result in snapshot):
            return holds, None
        return holds, tuple(part for one in snapshot for part in one)
