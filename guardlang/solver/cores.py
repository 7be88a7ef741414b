"""Minimal cores: guards that contradict each other, none of which can be left out."""

from __future__ import annotations

from collections.abc import Sequence

from guardlang.ast import Expr
from guardlang.solver.registry import solvers_named

__all__ = ["minimal_core"]


def minimal_core(facts: Sequence[Expr], core: Sequence[int], *, solver: str = "all", budget: int = 100) -> tuple[int, ...]:
    """Return a part of a core that still contradicts itself and has nothing to spare, as far as the solver can tell.

    Args:
        facts: all guards.
        core: places of guards that contradict each other.
        solver: the solver's name.
        budget: steps, relative to 100.

    Example:
        >>> from guardlang.parse import parse
        >>> guards = [parse(t) for t in ("L['n'] is None", "L['m'] > 3", "L['n'] is True")]
        >>> minimal_core(guards, (0, 1, 2))
        (0, 2)
    """
    kept = list(core)
    solvers = [one for _, one in solvers_named(solver)]
    # Later guards go first, so that of two that say the same the one added first stays.
    for place in reversed(core):
        rest = [other for other in kept if other != place]
        guards = [facts[other] for other in rest]
        for one in solvers:
            finding = one.prove(guards, None, budget=budget)
            if finding.kind == "proved":
                needed = {rest[position] for position in finding.core}
                kept = [other for other in rest if other in needed]
                break
            if finding.kind == "refuted":
                break
    return tuple(kept)
