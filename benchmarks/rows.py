"""What a benchmark is asked and what it answers."""

from __future__ import annotations

from pathlib import Path

import attrs

__all__ = ["Options", "Row", "Unavailable"]


class Unavailable(Exception):
    """What a benchmark raises when something that it needs is not there; the message says what.

    Example:
        >>> raise Unavailable("needs a C compiler")
        Traceback (most recent call last):
        benchmarks.rows.Unavailable: needs a C compiler
    """


@attrs.frozen
class Options:
    """What the command line asks of every benchmark.

    Args:
        rounds: how many samples of each side a median is taken of.
        traces: a checkout of the public shape traces, for the benchmarks that can replay them.

    Example:
        >>> Options().traces is None
        True
    """

    rounds: int = 15
    traces: Path | None = None


@attrs.frozen
class Row:
    """One measured ratio.

    Args:
        name: what was measured.
        ours: seconds that guardlang takes.
        theirs: seconds that the peer takes.
        ratio: ours over theirs.
        goal: the highest ratio wanted; None where the row is only for information.
        note: who the peer is, and what else a reader must know.

    Example:
        >>> row = Row.of("check, 20 guards", ours=2e-6, theirs=4e-6, goal=0.75, note="a list of closures")
        >>> row.ratio, row.met
        (0.5, True)
    """

    name: str
    ours: float
    theirs: float
    ratio: float
    goal: float | None = None
    note: str = ""

    @classmethod
    def of(cls, name: str, *, ours: float, theirs: float, goal: float | None = None, note: str = "") -> Row:
        """Make a row whose ratio is that of its two times.

        Example:
            >>> Row.of("parse", ours=1.0, theirs=4.0).ratio
            0.25
        """
        return cls(name, ours, theirs, ours / theirs, goal, note)

    @property
    def met(self) -> bool | None:
        """Whether the ratio is within the goal; None where there is no goal."""
        return None if self.goal is None else self.ratio <= self.goal
