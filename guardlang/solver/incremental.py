"""Facts that come one by one: a tracer asks whether a guard is known already, adds it if not, and may go back."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from guardlang.ast import Expr
from guardlang.solver.context import Context
from guardlang.solver.facts import support
from guardlang.solver.prover import prove
from guardlang.solver.search import Budget

__all__ = ["Knowledge", "Mark"]


@attrs.frozen(eq=False)
class Mark:
    """A state of a `Knowledge`, to go back to."""

    place: tuple[int, int]
    count: int


class Knowledge:
    """What a growing set of guards makes certain.

    Args:
        guards: guards that hold from the start.

    Example:
        >>> from guardlang.parse import parse
        >>> known = Knowledge()
        >>> known.add(parse("L['x'].shape[0] == 8")), known.add(parse("L['x'].shape[0] % 4 == 0"))
        (True, False)
        >>> mark = known.mark()
        >>> known.add(parse("L['x'].shape[1] == 2")), len(known)
        (True, 2)
        >>> known.undo(mark)
        >>> len(known)
        1
    """

    def __init__(self, guards: Iterable[Expr] = ()) -> None:
        self._context = Context()
        self._guards: list[Expr] = []
        for guard in guards:
            self.add(guard)

    def __len__(self) -> int:
        return len(self._guards)

    @property
    def guards(self) -> tuple[Expr, ...]:
        """The guards that were not known when they were added."""
        return tuple(self._guards)

    @property
    def contradiction(self) -> tuple[Expr, ...]:
        """Guards that contradict each other, as far as it is seen at once; empty when none do."""
        absurd = self._context.absurd
        return () if absurd is None else tuple(self._guards[place] for place in support([absurd]))

    def why(self, guard: Expr, *, cases: int = 0) -> tuple[Expr, ...] | None:
        """Return guards that make another one certain, None when it is not known to be.

        Args:
            guard: the condition in question.
            cases: how many cases may be looked at.

        Example:
            >>> from guardlang.parse import parse
            >>> known = Knowledge([parse("L['n'] is None"), parse("L['m'] is True")])
            >>> [str(guard) for guard in known.why(parse("L['n'] is not True"))]
            ["L['n'] is None"]
        """
        proof = prove(self._context, guard, Budget(cases) if cases else None)
        return None if proof is None else tuple(self._guards[place] for place in support([proof]))

    def add(self, guard: Expr) -> bool:
        """Add a guard unless it is known; return whether it was new.

        Args:
            guard: a condition that holds.
        """
        if prove(self._context, guard) is not None:
            return False
        self._context.add(guard, len(self._guards))
        self._guards.append(guard)
        return True

    def mark(self) -> Mark:
        """Return the present state."""
        return Mark(self._context.mark(), len(self._guards))

    def undo(self, mark: Mark) -> None:
        """Forget what was added since a mark.

        Args:
            mark: what `mark` gave; of the marks since then none is good any more.
        """
        self._context.undo(mark.place)
        del self._guards[mark.count :]
