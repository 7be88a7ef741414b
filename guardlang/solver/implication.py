"""Does one set of guards imply another, do two exclude each other, does one contradict itself: a proof, a frame, or neither."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from guardlang.ast import Expr
from guardlang.solver import tiers, witness
from guardlang.solver.cones import Cones, subjects_and_bases
from guardlang.solver.context import Context
from guardlang.solver.cores import minimal_core
from guardlang.solver.facts import support
from guardlang.solver.prover import prove
from guardlang.solver.registry import Finding, solvers_named
from guardlang.solver.verdict import Consistent, Contradiction, Proved, Refuted, Unknown

__all__ = ["disjoint", "equivalent", "implies", "satisfiable"]

# Guards given to the search and to z3 for one goal: first the nearest, then more.
_SMALL, _LARGE = 14, 60


def implies(
    facts: Iterable[Expr], goals: Iterable[Expr], *, solver: str = "all", budget: int = 100
) -> Proved | Refuted | Unknown:
    """Tell whether all goals hold on every frame on which all facts hold.

    Args:
        facts: guards that hold.
        goals: guards in question.
        solver: the solver's name.
        budget: steps, relative to 100.

    Returns:
        Proved with facts that are enough, Refuted with a frame on which the facts hold and a goal does not, or Unknown.

    Example:
        >>> from guardlang.parse import parse
        >>> verdict = implies([parse("L['a'] is L['b']"), parse("L['b'].n > 2")], [parse("L['a'].n > 1")])
        >>> print(verdict)
        proved, because
          L['a'] is L['b']
          L['b'].n > 2
    """
    facts, goals = tuple(dict.fromkeys(facts)), tuple(dict.fromkeys(goals))
    question = _Question(facts, solver, budget)
    used: dict[int, None] = {}
    proofs: list[Any] = []
    open_goals: list[tuple[Expr, Finding]] = []
    for goal in goals:
        finding = question.prove(goal)
        if finding.kind == "proved":
            used.update(dict.fromkeys(finding.core))
            proofs.append(finding.proof)
            continue
        open_goals.append((goal, finding))
        if finding.kind == "refuted":
            frame = witness.build(facts, goal, finding.hints)
            if frame is not None:
                return Refuted(frame, goal)
    if not open_goals:
        return Proved(tuple(facts[place] for place in sorted(used)), tuple(proofs))
    for goal, finding in open_goals:
        if finding.kind != "refuted":
            frame = witness.build(facts, goal, finding.hints)
            if frame is not None:
                return Refuted(frame, goal)
    clash = question.contradiction()
    if clash.kind == "proved":
        return Proved(tuple(facts[place] for place in clash.core), (clash.proof,))
    return Unknown(open_goals[0][1].reason or "neither a proof nor a frame was found within the budget")


class _Question:
    """The facts of a question, taken in once for all goals."""

    def __init__(self, facts: Sequence[Expr], solver: str, budget: int) -> None:
        self.facts = tuple(facts)
        self.budget = budget
        self.solvers = solvers_named(solver)
        self.builtin = self.solvers[0][0] == "builtin"
        self.context = Context(self.facts if self.builtin else ())
        self._cones: Cones | None = None

    @property
    def cones(self) -> Cones:
        if self._cones is None:
            self._cones = Cones(self.facts)
        return self._cones

    def prove(self, goal: Expr) -> Finding:
        """Return what the solvers say about a goal."""
        if self.builtin:
            proof = prove(self.context, goal, effort=64 + 2 * len(self.facts))
            if proof is not None:
                return Finding("proved", support([proof]), proof=proof)
        last = Finding("unknown", reason="no solver was asked")
        cone: tuple[int, ...] | None = None
        for limit in (_SMALL, _LARGE):
            wider = self.cones.around(goal, limit)
            if wider == cone:
                break
            cone = wider
            last = self._ask(goal, cone, last)
            if last.kind == "proved" or (last.kind == "refuted" and len(cone) == len(self.facts)):
                return last
        return last

    def _ask(self, goal: Expr | None, cone: tuple[int, ...], last: Finding) -> Finding:
        facts = [self.facts[place] for place in cone]
        for _, solver in self.solvers:
            finding = solver.prove(facts, goal, budget=self.budget)
            if finding.kind == "proved":
                return Finding("proved", tuple(cone[place] for place in finding.core), proof=finding.proof)
            if finding.kind == "refuted" or last.kind != "refuted":
                last = finding
        return last

    def contradiction(self) -> Finding:
        """Return what the solvers say about the facts as a whole."""
        if self.context.absurd is not None:
            return Finding("proved", support([self.context.absurd]), proof=self.context.absurd)
        last = Finding("unknown", reason="no solver was asked")
        for group in _components(self.facts):
            if len(group) > _LARGE:
                last = Finding("unknown", reason=f"{len(group)} guards that depend on each other are too many to search")
                if not any(name == "z3" for name, _ in self.solvers):
                    continue
            finding = self._ask(None, group, Finding("unknown"))
            if finding.kind == "proved":
                return finding
            if finding.kind == "unknown":
                last = finding
        return last


def _components(facts: Sequence[Expr]) -> list[tuple[int, ...]]:
    """Return the places of guards that speak of connected things, in order of their first member."""
    head: dict[Any, Any] = {}

    def find(item: Any) -> Any:
        while item in head:
            item = head[item]
        return item

    for place, guard in enumerate(facts):
        for subject in subjects_and_bases(guard):
            one, other = find(place), find(subject)
            if one is not other and one != other:
                head[one] = other
    groups: dict[Any, list[int]] = {}
    for place in range(len(facts)):
        groups.setdefault(find(place), []).append(place)
    return [tuple(group) for group in groups.values()]


def satisfiable(facts: Iterable[Expr], *, solver: str = "all", budget: int = 100) -> Consistent | Contradiction | Unknown:
    """Tell whether some frame satisfies all guards.

    Args:
        facts: the guards.
        solver: the solver's name.
        budget: steps, relative to 100.

    Returns:
        Consistent with a frame, Contradiction with a minimal core, or Unknown.

    Example:
        >>> from guardlang.parse import parse
        >>> print(satisfiable([parse("L['x'] is None"), parse("L['y'] == 1"), parse("len(L['x']) == 0")]))
        contradiction between
          L['x'] is None
          len(L['x']) == 0
    """
    facts = tuple(dict.fromkeys(facts))
    question = _Question(facts, solver, budget)
    finding = question.contradiction()
    if finding.kind == "proved":
        core = minimal_core(facts, finding.core, solver=solver, budget=budget)
        proof = tiers.Builtin().prove([facts[place] for place in core], None, budget=budget).proof or finding.proof
        return Contradiction(tuple(facts[place] for place in core), (proof,))
    frame = witness.build(facts, None, finding.hints)
    if frame is not None:
        return Consistent(frame)
    return Unknown(finding.reason or "neither a contradiction nor a frame was found within the budget")


def disjoint(
    first: Iterable[Expr], second: Iterable[Expr], *, solver: str = "all", budget: int = 100
) -> Proved | Refuted | Unknown:
    """Tell whether no frame satisfies both sets.

    Args:
        first: a set of guards.
        second: another.
        solver: the solver's name.
        budget: steps, relative to 100.

    Returns:
        Proved with guards of both that contradict each other, Refuted with a frame on which both hold, or Unknown.

    Example:
        >>> from guardlang.parse import parse
        >>> bool(disjoint([parse("type(L['n']) is int")], [parse("type(L['n']) is str")]))
        True
    """
    verdict = satisfiable((*first, *second), solver=solver, budget=budget)
    if isinstance(verdict, Contradiction):
        return Proved(verdict.core, verdict.proofs)
    return Refuted(verdict.witness) if isinstance(verdict, Consistent) else verdict


def equivalent(
    first: Iterable[Expr], second: Iterable[Expr], *, solver: str = "all", budget: int = 100
) -> Proved | Refuted | Unknown:
    """Tell whether two sets hold on the same frames.

    Args:
        first: a set of guards.
        second: another.
        solver: the solver's name.
        budget: steps, relative to 100.

    Example:
        >>> from guardlang.parse import parse
        >>> ints = [parse("type(L['n']) is int")]
        >>> bool(equivalent([*ints, parse("L['n'] > 3")], [*ints, parse("L['n'] >= 4")]))
        True
    """
    first, second = tuple(first), tuple(second)
    forward = implies(first, second, solver=solver, budget=budget)
    if isinstance(forward, Refuted):
        return forward
    backward = implies(second, first, solver=solver, budget=budget)
    if isinstance(backward, Refuted):
        return backward
    if isinstance(forward, Proved) and isinstance(backward, Proved):
        return Proved(tuple(dict.fromkeys(forward.core + backward.core)), forward.proofs + backward.proofs)
    return forward if isinstance(forward, Unknown) else backward
