"""Redundancy removal: which guards the others imply, each drop with its proof.

Guards are taken in from the strongest kind to the weakest, and one that follows from those before it is dropped. What is kept is
then tried against its neighbours, whichever order they came in. A guard is never dropped by a proof that rests on itself, and no
guard that a proof rests on is dropped after it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from guardlang.ast import BinOp, Call, Compare, Expr, Not, UnaryOp
from guardlang.interning import text_of
from guardlang.purity import is_pure
from guardlang.solver.certificates import Certificate, CertificateError
from guardlang.solver.cones import Cones, subjects
from guardlang.solver.context import Context
from guardlang.solver.entailment import entailed_by_others
from guardlang.solver.facts import support
from guardlang.solver.prover import prove
from guardlang.solver.registry import Solver, solvers_named
from guardlang.solver.search import Budget
from guardlang.sources import Const, TypeSource

__all__ = ["Drop", "Simplified", "simplify"]

_CONE = 12
# Cases that the search of the tier built in may look at in one run.
_SEARCH = 30


@attrs.frozen(eq=False)
class Drop:
    """A guard that the others imply.

    Args:
        guard: the guard.
        because: guards that are enough, in the order of the question.
        solver: which solver found it.
        proof: what the checker replays; None for a guard that the caller assumed.
        facts: the guards that the proof refers to by place.
    """

    guard: Expr
    because: tuple[Expr, ...]
    solver: str = "builtin"
    proof: Any = attrs.field(default=None, repr=False)
    facts: tuple[Expr, ...] = attrs.field(default=(), repr=False)

    def check(self) -> None:
        """Have the checker replay the proof.

        Raises:
            CertificateError: a step does not follow, or the proof rests on the guard itself.
        """
        if self.solver == "assumed":
            return
        if self.guard in self.because:
            raise CertificateError("the proof rests on the guard that it drops")
        Certificate(self.facts, self.guard, self.proof).check()


@attrs.frozen(eq=False)
class Simplified:
    """The outcome of `simplify`.

    Args:
        kept: the guards that stay, in the order of the question.
        dropped: the guards that go, with reasons.
        unknown: guards that stay though no solver could tell whether they could go.
        contradiction: guards that contradict each other; all guards are kept then.
        assumed: facts of the caller.
    """

    kept: tuple[Expr, ...]
    dropped: tuple[Drop, ...] = ()
    unknown: tuple[Expr, ...] = ()
    contradiction: tuple[Expr, ...] = ()
    assumed: tuple[Expr, ...] = ()

    def validate(self) -> None:
        """Check that what is kept implies what was dropped: every proof again, and that no two guards hold each other up.

        Raises:
            CertificateError: a drop does not follow from what is kept.
        """
        certain = {*self.kept, *self.assumed}
        pending = list(self.dropped)
        while pending:
            ready = [drop for drop in pending if drop.solver == "assumed" or certain.issuperset(drop.because)]
            if not ready:
                raise CertificateError(f"the drop of {pending[0].guard} rests on guards that are gone")
            for drop in ready:
                drop.check()
                certain.add(drop.guard)
            pending = [drop for drop in pending if drop.guard not in certain]


def simplify(guards: Iterable[Expr], *, solver: str = "builtin", budget: int = 100, assume: Iterable[Expr] = ()) -> Simplified:
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
        # Guards that proofs of drops rest on; they stay.
        self.needed: set[int] = set()
        self.steps = Budget()
        self.impure = {place for place, guard in enumerate(self.facts) if not is_pure(guard)}
        self.assumed = frozenset(assume)

    def result(self) -> Simplified:
        for guard in self.guards:
            if guard in self.assumed:
                place = self.facts.index(guard)
                self.drops[-1 - place] = Drop(guard, (guard,), "assumed")
        context = self._forward()
        if context.absurd is not None:
            return Simplified(self.guards, contradiction=tuple(self.facts[place] for place in support([context.absurd])))
        self._around_itself(context)
        self._among_neighbours()
        drops = sorted(self.drops.items())
        gone = {drop.guard for _, drop in drops}
        order = {guard: place for place, guard in enumerate(self.guards)}
        return Simplified(
            tuple(guard for guard in self.guards if guard not in gone),
            tuple(sorted((drop for _, drop in drops), key=lambda drop: order[drop.guard])),
            tuple(self.unknown),
            assumed=self.facts[: self.base],
        )

    def _forward(self) -> Context:
        """Take in the guards from strong to weak and drop what follows; stop at a contradiction."""
        context = Context()
        for place in range(self.base):
            context.add(self.facts[place], place)
        ranked = sorted(range(self.base, len(self.facts)), key=lambda place: rank(self.facts[place]))
        for place in ranked:
            guard = self.facts[place]
            proof = prove(context, guard) if place not in self.impure else None
            if context.absurd is not None:
                break
            if proof is None:
                context.add(guard, place)
            else:
                because = support([proof])
                self._drop(place, because, "builtin", proof)
                self.needed.update(because)
        return context

    def _drop(self, place: int, because: Sequence[int], solver: str, proof: Any) -> None:
        self.drops[place] = Drop(self.facts[place], tuple(self.facts[other] for other in because), solver, proof, self.facts)

    def _around_itself(self, context: Context) -> None:
        """Drop what follows from the others by facts that do not rest on it, weak guards first."""
        for place in self._candidates():
            guard = self.facts[place]
            proof = entailed_by_others(context, guard)
            if proof is None:
                continue
            because = support([proof])
            # What was dropped before is implied by the guards that it was dropped for; none of these goes any more.
            if place not in because and not any(other in self.drops for other in because):
                self._drop(place, because, "builtin", proof)
                self.needed.update(because)

    def _candidates(self) -> list[int]:
        kept = [place for place in range(self.base, len(self.facts)) if place not in self.drops and place not in self.needed]
        return sorted(kept, key=lambda place: rank(self.facts[place]), reverse=True)

    def _among_neighbours(self) -> None:
        """Put what is kept to the solvers, each guard with those that speak of the same things.

        The number of steps does not grow with the number of guards for the tier built in: a large set gets its cheap steps only.
        """
        candidates = [place for place in self._candidates() if place not in self.impure]
        cones = Cones(self.facts)
        candidates = [place for place in candidates if self._may_follow(self.facts[place], place, cones)]
        candidates.sort(key=lambda place: text_of(self.facts[place]))
        self.steps = Budget(_SEARCH * self.budget // 100, 4)
        for place in candidates:
            if place in self.needed or (self.steps.nodes <= 0 and len(self.solvers) == 1):
                continue
            guard = self.facts[place]
            cone = cones.around(guard, _CONE, without=(place, *self.drops), rounds=3)
            if cone:
                self._try(place, cone, self.solvers)

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
                proof = prove(context, guard, self.steps) if self.steps.nodes > 0 else None
                if proof is not None:
                    because = support([proof])
                    self._drop(place, because, name, proof)
                    self.needed.update(because)
                    return
                continue
            finding = solver.prove([self.facts[other] for other in cone], guard, budget=self.budget)
            reason = finding.kind
            if finding.kind == "proved":
                because = tuple(cone[position] for position in finding.core)
                self._drop(place, because, name, finding.proof)
                self.needed.update(because)
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
                return 2, _equation_rank(left, right), 0
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


def _equation_rank(left: Expr, right: Expr) -> float:
    """Equations of terms before remainders, large moduli before small ones."""
    if not isinstance(left, BinOp) and not isinstance(right, BinOp):
        return -math.inf
    for side in (left, right):
        if isinstance(side, BinOp) and side.op == "%" and isinstance(side.right, Const) and type(side.right.value) is int:
            return -1.0 * min(abs(side.right.value), 1 << 64)
    return 0.0


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
