"""Redundancy removal: which guards the others imply, each drop with its proof.

Guards are taken in from the strongest kind to the weakest, and one that follows from those before it is dropped. What is kept is then
tried against its neighbours, whichever order they came in. A guard is never dropped by a fact that rests on itself, because it is
never among the facts that it is tried against.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from guardlang.ast import BinOp, Call, Compare, Expr, Not, UnaryOp
from guardlang.purity import is_pure
from guardlang.solver.cones import Cones, subjects
from guardlang.solver.context import Context
from guardlang.solver.facts import support
from guardlang.solver.prover import prove
from guardlang.solver.registry import Solver, solvers_named
from guardlang.solver.search import Budget
from guardlang.sources import Const, TypeSource

__all__ = ["Drop", "Simplified", "simplify"]

_CONE = 12
# Above this many guards in one cone only the cheap steps are tried.
_QUICK_CONE = 10


@attrs.frozen(eq=False)
class Drop:
    """A guard that the others imply.

    Args:
        guard: the guard.
        because: guards that are enough, in the order of the question.
        solver: which solver found it.
        proof: what the checker replays; None where it is a duplicate of an earlier guard.
    """

    guard: Expr
    because: tuple[Expr, ...]
    solver: str = "builtin"
    proof: Any = attrs.field(default=None, repr=False)


@attrs.frozen(eq=False)
class Simplified:
    """The outcome of `simplify`.

    Args:
        kept: the guards that stay, in the order of the question.
        dropped: the guards that go, with reasons.
        unknown: guards that stay though no solver could tell whether they could go.
        contradiction: guards that contradict each other; all guards are kept then.
    """

    kept: tuple[Expr, ...]
    dropped: tuple[Drop, ...] = ()
    unknown: tuple[Expr, ...] = ()
    contradiction: tuple[Expr, ...] = ()


def simplify(
    guards: Iterable[Expr], *, solver: str = "builtin", budget: int = 100, assume: Iterable[Expr] = ()
) -> Simplified:
    """Return the guards that the others do not imply.

    Args:
        guards: the guards; impure ones are never dropped.
        solver: the solver's name.
        budget: steps, relative to 100.
        assume: facts of the caller that hold anyhow.

    Example:
        >>> from guardlang.parse import parse
        >>> texts = ["L['a'] is L['b']", "L['a'].n > 2", "L['b'].n > 2", "hasattr(L['b'], 'n')"]
        >>> [str(guard) for guard in simplify([parse(text) for text in texts]).kept]
        ["L['a'] is L['b']", "L['a'].n > 2"]
    """
    return _Run(tuple(dict.fromkeys(guards)), tuple(dict.fromkeys(assume)), solver, budget).result()


class _Run:
    """One run: the guards by place, facts of the caller before all of them."""

    def __init__(self, guards: tuple[Expr, ...], assume: tuple[Expr, ...], solver: str, budget: int) -> None:
        self.guards = guards
        self.facts = assume + tuple(guard for guard in guards if guard not in assume)
        self.base = len(assume)
        self.solvers = solvers_named(solver)
        self.budget = budget
        self.drops: dict[int, Drop] = {}
        self.unknown: list[Expr] = []
        self.assumed = frozenset(assume)

    def result(self) -> Simplified:
        for guard in self.guards:
            if guard in self.assumed:
                place = self.facts.index(guard)
                self.drops[-1 - place] = Drop(guard, (guard,), "assumed")
        clash = self._forward()
        if clash is not None:
            return Simplified(self.guards, contradiction=clash)
        self._among_neighbours()
        drops = sorted(self.drops.items())
        gone = {drop.guard for _, drop in drops}
        order = {guard: place for place, guard in enumerate(self.guards)}
        return Simplified(
            tuple(guard for guard in self.guards if guard not in gone),
            tuple(sorted((drop for _, drop in drops), key=lambda drop: order[drop.guard])),
            tuple(self.unknown),
        )

    def _forward(self) -> tuple[Expr, ...] | None:
        """Take in the guards from strong to weak and drop what follows; return a contradiction if there is one."""
        context = Context()
        for place in range(self.base):
            context.add(self.facts[place], place)
        ranked = sorted(range(self.base, len(self.facts)), key=lambda place: rank(self.facts[place]))
        for place in ranked:
            guard = self.facts[place]
            proof = prove(context, guard) if is_pure(guard) else None
            if context.absurd is not None:
                break
            if proof is None:
                context.add(guard, place)
            else:
                self._drop(place, support([proof]), "builtin", proof)
        if context.absurd is None:
            return None
        return tuple(self.facts[place] for place in support([context.absurd]))

    def _drop(self, place: int, because: Sequence[int], solver: str, proof: Any) -> None:
        self.drops[place] = Drop(self.facts[place], tuple(self.facts[other] for other in because), solver, proof)

    def _among_neighbours(self) -> None:
        """Try each guard that is kept against those that speak of the same things."""
        cones = Cones(self.facts)
        deep = [(name, solver) for name, solver in self.solvers]
        for place in sorted(
            (p for p in range(self.base, len(self.facts)) if p not in self.drops), key=lambda p: rank(self.facts[p]), reverse=True
        ):
            guard = self.facts[place]
            if not is_pure(guard) or not self._may_follow(guard, place, cones):
                continue
            cone = cones.around(guard, _CONE, without=(place, *self.drops), rounds=3)
            if cone:
                self._try(place, cone, deep)

    def _may_follow(self, guard: Expr, place: int, cones: Cones) -> bool:
        """Tell whether everything a guard speaks of is spoken of by others that are kept."""
        for subject in subjects(guard):
            others = cones.by_subject.get(subject, ())
            if not any(other != place and other not in self.drops for other in others[:8]):
                return False
        return True

    def _try(self, place: int, cone: tuple[int, ...], solvers: Sequence[tuple[str, Solver]]) -> None:
        guard = self.facts[place]
        reason = "unknown"
        for name, solver in solvers:
            if name == "builtin":
                context = Context()
                for other in cone:
                    context.add(self.facts[other], other)
                proof = prove(context, guard, Budget(self.budget // 5, 4))
                if proof is not None:
                    self._drop(place, support([proof]), name, proof)
                    return
                continue
            finding = solver.prove([self.facts[other] for other in cone], guard, budget=self.budget)
            reason = finding.kind
            if finding.kind == "proved":
                self._drop(place, [cone[position] for position in finding.core], name, finding.proof)
                return
            if finding.kind == "refuted":
                return
        if reason == "unknown" and len(solvers) > 1:
            self.unknown.append(guard)


def rank(guard: Expr) -> tuple[int, Any, int]:
    """Return the place of a guard in the order from strong to weak; guards of one place keep the order of addition.

    Example:
        >>> from guardlang.parse import parse
        >>> rank(parse("type(L['n']) is int")) < rank(parse("L['n'] == 3")) < rank(parse("L['n'] > 3"))
        True
    """
    match guard:
        case Compare(ops=(op,), operands=(left, right)):
            if op == "is":
                return 0 if isinstance(left, TypeSource) or isinstance(right, TypeSource) else 1, 0, 0
            if op == "is not":
                return 6, 0, 0
            if op == "==":
                return 2, 0, 0
            if op in ("<", "<=", ">", ">="):
                return _bound_rank(op, left, right)
            if op == "!=":
                return 6, 0, 0
            return (3, 0, 0) if isinstance(right, Const) else (5, 0, 0)
        case Call(function="exact" | "same"):
            return 1, 0, 0
        case Call(function="isinstance"):
            return 7, 0, 0
        case Call(function="hasattr"):
            return 8, 0, 0
        case Not(operand=Compare(ops=(op,), operands=(left, right))) if op in _OPPOSITE:
            return rank(Compare((_OPPOSITE[op],), (left, right)))
    return 3, 0, 0


_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def _bound_rank(op: str, left: Expr, right: Expr) -> tuple[int, Any, int]:
    """Strong bounds before weak ones."""
    if isinstance(left, Const):
        left, right, op = right, left, {"<": ">", "<=": ">=", ">": "<", ">=": "<="}[op]
    if not isinstance(right, Const) or type(right.value) not in (int, float, bool) or isinstance(left, BinOp | UnaryOp):
        return 3, 0, 0
    value = right.value
    if value != value:
        return 3, 0, 0
    return (4, -value, 0 if op == ">" else 1) if op in (">", ">=") else (5, value, 0 if op == "<" else 1)
