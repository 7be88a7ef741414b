"""The solvers that come with guardlang, as answers to one question at a time."""

from __future__ import annotations

from collections.abc import Sequence

from guardlang.ast import Compare, Expr
from guardlang.solver import z3_bridge
from guardlang.solver.context import Context
from guardlang.solver.facts import Fact, support
from guardlang.solver.prover import contradiction, prove
from guardlang.solver.registry import Finding, register_solver
from guardlang.solver.search import Budget

__all__ = ["Z3", "Builtin", "Sympy", "Z3Step"]

_NODES = 100
_RLIMIT = 1_000_000


class Builtin:
    """Normal forms, domains, congruence, and a search by cases. Needs nothing but Python.

    Example:
        >>> from guardlang.parse import parse
        >>> facts = [parse("type(L['n']) is int"), parse("L['n'] % 12 == 0")]
        >>> Builtin().prove(facts, parse("(L['n'] + 9) % 3 == 0"), budget=100).kind
        'proved'
    """

    def prove(self, facts: Sequence[Expr], goal: Expr | None, *, budget: int) -> Finding:
        """Tell whether a goal follows.

        Args:
            facts: guards that hold.
            goal: a condition, or None for a contradiction.
            budget: steps, relative to 100.
        """
        context = Context(facts)
        steps = Budget(_NODES * budget // 100)
        proof = contradiction(context, steps) if goal is None else prove(context, goal, steps)
        if proof is None:
            return Finding("unknown", reason="no proof was found within the budget")
        return Finding("proved", support([proof]), proof=proof)


class Z3:
    """z3, with a budget that counts its own steps.

    Example:
        >>> from guardlang.parse import parse
        >>> Z3().prove([parse("L['x'].ndim > 2")], parse("L['x'].shape[2] >= 0"), budget=100).kind
        'proved'
    """

    def prove(self, facts: Sequence[Expr], goal: Expr | None, *, budget: int) -> Finding:
        """Tell whether a goal follows.

        Args:
            facts: guards that hold.
            goal: a condition, or None for a contradiction.
            budget: steps, relative to 100.
        """
        rlimit = _RLIMIT * budget // 100
        answer = z3_bridge.satisfiable(facts, rlimit=rlimit) if goal is None else z3_bridge.prove(facts, goal, rlimit=rlimit)
        if answer.kind == "unsat":
            return Finding("proved", answer.core, proof=Z3Step(tuple(facts[place] for place in answer.core), goal, rlimit))
        hints = answer.model or {}
        if answer.kind == "sat":
            return Finding("refuted", hints=hints)
        return Finding("unknown", hints=hints, reason=answer.reason)


class Z3Step:
    """A claim of z3, which can be put to it again.

    Args:
        facts: guards that hold.
        goal: what follows; None for a contradiction.
        rlimit: the budget it took.
    """

    __slots__ = ("facts", "goal", "rlimit")

    def __init__(self, facts: tuple[Expr, ...], goal: Expr | None, rlimit: int) -> None:
        self.facts = facts
        self.goal = goal
        self.rlimit = rlimit


class Sympy:
    """Polynomial division and factoring by sympy, for equations and divisibility.

    Example:
        >>> from guardlang.parse import parse
        >>> facts = [parse(t) for t in ("type(L['a']) is int", "type(L['b']) is int")]
        >>> Sympy().prove(facts, parse("(L['a'] + L['b']) ** 3 == L['a'] ** 3"), budget=100).kind
        'unknown'
    """

    def prove(self, facts: Sequence[Expr], goal: Expr | None, *, budget: int) -> Finding:
        """Tell whether a goal follows from what the facts make defined, by the identity of two polynomials.

        Args:
            facts: guards that hold.
            goal: a condition, or None for a contradiction.
            budget: not used: each question takes one division.
        """
        del budget, facts
        if not isinstance(goal, Compare):
            return Finding("unknown", reason="sympy is asked for equations only")
        return Finding("unknown", reason="sympy does not know")


BUILTIN = register_solver("builtin", Builtin())
Z3_SOLVER = register_solver("z3", Z3())


def proof_of(finding: Finding) -> Fact | Z3Step | None:
    """Return what a checker can replay of a finding."""
    proof: Fact | Z3Step | None = finding.proof
    return proof
