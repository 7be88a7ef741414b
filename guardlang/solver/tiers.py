"""The solvers that come with guardlang, as answers to one question at a time."""

from __future__ import annotations

from collections.abc import Sequence

from guardlang.ast import BinOp, BoolOp, Compare, Expr, IfExp, Not
from guardlang.solver import z3_bridge
from guardlang.solver.context import Context
from guardlang.solver.definedness import classes_of, defined
from guardlang.solver.facts import support
from guardlang.solver.prover import contradiction, prove
from guardlang.solver.registry import Finding, register_solver
from guardlang.solver.search import Budget
from guardlang.solver.structure import WHOLE, all_parts
from guardlang.sources import Const

__all__ = ["Z3", "Builtin", "Sympy", "SympyStep", "Z3Step"]

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


class SympyStep:
    """An identity of polynomials that sympy found, which can be put to it again.

    Args:
        facts: guards that make the goal defined, between ints.
        goal: the equation.
    """

    __slots__ = ("facts", "goal")

    def __init__(self, facts: tuple[Expr, ...], goal: Expr) -> None:
        self.facts = facts
        self.goal = goal


class Sympy:
    """Polynomial division by sympy, for equations and divisibility between ints.

    Example:
        >>> from guardlang.parse import parse
        >>> facts = [parse(t) for t in ("type(L['a']) is int", "type(L['b']) is int", "L['a'] - L['b'] != 0")]
        >>> Sympy().prove(facts, parse("(L['a'] ** 3 - L['b'] ** 3) % (L['a'] - L['b']) == 0"), budget=100).kind
        'proved'
    """

    def prove(self, facts: Sequence[Expr], goal: Expr | None, *, budget: int) -> Finding:
        """Tell whether a goal follows from what the facts make defined, by the identity of two polynomials.

        Args:
            facts: guards that hold.
            goal: a condition, or None for a contradiction.
            budget: not used: each question takes one division.
        """
        del budget
        unknown = Finding("unknown", reason="sympy is asked for equations between ints only")
        if not isinstance(goal, Compare) or goal.ops != ("==",):
            return unknown
        context = Context(facts)
        place = defined(context, goal)
        kinds = [classes_of(context, side) for side in goal.operands]
        if place is None or any(found is None or not found[0] <= WHOLE for found in kinds) or not _identity(goal):
            return unknown
        used = [place, *(fact for found in kinds if found is not None for fact in found[1])]
        return Finding("proved", support(used), proof=SympyStep(tuple(facts), goal))


def _identity(goal: Compare) -> bool:
    """Tell whether an equation holds for all ints for which it is defined."""
    from guardlang.solver.sympy_bridge import divide

    left, right = goal.operands
    if any(isinstance(part, Compare | BoolOp | Not | IfExp) for part in all_parts(goal)):
        return False
    zero = Const(0)
    for side, other in ((left, right), (right, left)):
        if other is zero and isinstance(side, BinOp) and side.op == "%" and divide(side.left, side.right) is not None:
            return True
    return divide(BinOp("-", left, right), Const(1)) is zero


BUILTIN = register_solver("builtin", Builtin())
SYMPY = register_solver("sympy", Sympy())
Z3_SOLVER = register_solver("z3", Z3())
