"""The solvers that a question can be put to: by name, in the order in which they are asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import attrs

from guardlang.ast import Expr
from guardlang.errors import GuardlangError, nearest

__all__ = ["Finding", "Solver", "UnknownSolver", "register_solver", "solvers_named"]


class UnknownSolver(GuardlangError, LookupError):
    """A solver name that is not registered."""


@attrs.frozen(eq=False)
class Finding:
    """What a solver says about a goal.

    Args:
        kind: `proved`, `refuted` or `unknown`.
        core: for proved, the places of facts that are enough.
        hints: for refuted or unknown, values of sources to build a witness from.
        reason: for unknown, why.
        proof: for proved, what a checker can replay.
    """

    kind: str
    core: tuple[int, ...] = ()
    hints: Mapping[Expr, object] = attrs.field(factory=dict)
    reason: str = ""
    proof: Any = None


@runtime_checkable
class Solver(Protocol):
    """Answers questions about guards."""

    def prove(self, facts: Sequence[Expr], goal: Expr | None, *, budget: int) -> Finding:
        """Tell whether a goal is true on every frame on which all facts are true.

        Args:
            facts: guards that hold.
            goal: a condition; None asks whether the facts contradict each other.
            budget: steps, relative to 100.
        """


_solvers: dict[str, Solver] = {}


def register_solver(name: str, solver: Solver) -> Solver:
    """Make a solver known by a name.

    Args:
        name: what `solver=` is given.
        solver: the solver.

    Example:
        >>> class Doubtful:
        ...     def prove(self, facts, goal, *, budget):
        ...         return Finding("unknown", reason="it never knows")
        >>> solver = register_solver("doubtful", Doubtful())
        >>> [name for name, _ in solvers_named("doubtful")]
        ['builtin', 'doubtful']
    """
    _solvers[name] = solver
    return solver


def solvers_named(name: str) -> list[tuple[str, Solver]]:
    """Return the solvers that a name stands for, in the order in which they are asked.

    The tier built in comes first, except for `z3`, which asks z3 alone; `all` is the tier built in, sympy, then z3.

    Args:
        name: `builtin`, `z3`, `sympy`, `all` or a registered name.

    Raises:
        UnknownSolver: there is none of that name.
    """
    known = [*_solvers, "all"]
    if name not in known:
        raise UnknownSolver(f"there is no solver {name!r:.80}", hint=nearest(name, known) or f"known are {', '.join(known)}")
    if name == "all":
        names = ["builtin", "sympy", "z3"]
    elif name in ("builtin", "z3"):
        names = [name]
    else:
        names = ["builtin", name]
    return [(each, _solvers[each]) for each in names if each in _solvers]
