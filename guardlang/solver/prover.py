"""Proofs of one goal from facts: that it is defined, then that it cannot be false."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from guardlang.ast import BoolOp, Compare, Expr, IfExp, Not
from guardlang.solver.context import Context
from guardlang.solver.definedness import defined
from guardlang.solver.entailment import truth_of
from guardlang.solver.facts import Fact, assume
from guardlang.solver.search import Budget, refute
from guardlang.solver.structure import links

__all__ = ["contradiction", "prove"]


def prove(context: Context, goal: Expr, budget: Budget | None = None, *, effort: int = 64) -> Fact | None:
    """Return the fact that a goal is true, None when no proof is found.

    Args:
        context: the facts; as before when this returns.
        goal: a condition.
        budget: what the search by cases may spend; None looks at no cases.
        effort: how many differences to look at before that.

    Example:
        >>> from guardlang.parse import parse
        >>> known = Context([parse("type(L['n']) is int"), parse("L['n'] // 4 == 3")])
        >>> prove(known, parse("L['n'] % 16 >= 12"), Budget()).kind
        'true'
    """
    if context.absurd is not None:
        return Fact("true", (goal,), "anything", (context.absurd,))
    found = truth_of(context, goal, effort, only_true=budget is None)
    if found is not None:
        return found if found.kind == "true" else None
    if budget is None:
        return None
    match goal:
        case BoolOp(op="and", operands=operands):
            return _all(context, goal, operands, budget)
        case Compare(ops=ops) if len(ops) > 1:
            return _all(context, goal, links(goal), budget)
    place = _defined(context, goal, budget)
    if place is None:
        return None
    mark = context.mark()
    denied = assume("false", goal)
    context.take(denied)
    end = refute(context, budget)
    context.undo(mark)
    return None if end is None else Fact("true", (goal,), "contradiction", (place, end), (denied,))


def _all(context: Context, goal: Expr, parts: Sequence[Expr], budget: Budget) -> Fact | None:
    facts = []
    for part in parts:
        found = prove(context, part, budget)
        if found is None:
            return None
        facts.append(found)
    return Fact("true", (goal,), "junction", tuple(facts))


def _defined(context: Context, expr: Expr, budget: Budget) -> Fact | None:
    """Return that a condition is defined, each part under what the parts before it make certain."""
    place = defined(context, expr)
    if place is not None:
        return place
    match expr:
        case Not(operand=operand):
            below = _defined(context, operand, budget)
            return None if below is None else Fact("defined", (expr,), "conditions", (below,))
        case BoolOp(op=op, operands=operands):
            return _in_turn(context, expr, operands, "true" if op == "and" else "false", budget)
        case Compare(ops=ops) if len(ops) > 1:
            return _in_turn(context, expr, links(expr), "true", budget)
        case Compare(ops=("==" | "!=",), operands=(left, right)):
            sides = [_defined(context, side, budget) for side in (left, right)]
            if None in sides or not all(isinstance(side, Compare | BoolOp | Not) for side in (left, right)):
                return None
            return Fact("defined", (expr,), "comparison", tuple(side for side in sides if side is not None))
        case IfExp(test=test, body=body, orelse=orelse):
            first = _defined(context, test, budget)
            if first is None:
                return None
            return _branches(context, expr, first, (("true", test, body), ("false", test, orelse)), budget)
    return None


def _in_turn(context: Context, expr: Expr, parts: Sequence[Expr], going: str, budget: Budget) -> Fact | None:
    mark = context.mark()
    facts: list[Fact] = []
    assumed: list[Fact] = []
    for part in parts:
        fact = _defined(context, part, budget)
        end = refute(context, budget) if fact is None else None
        if end is not None:
            fact = Fact("defined", (part,), "anything", (end,))
        if fact is None:
            context.undo(mark)
            return None
        facts.append(fact)
        step = assume(going, part)
        assumed.append(step)
        context.take(step)
        stopped = _contradiction_of(context)
        if stopped is not None:
            facts.append(stopped)
            break
    context.undo(mark)
    return Fact("defined", (expr,), "in turn", tuple(facts), tuple(assumed))


def _contradiction_of(context: Context) -> Fact | None:
    return context.absurd


def _branches(context: Context, expr: Expr, first: Fact, sides: Iterable[tuple[str, Expr, Expr]], budget: Budget) -> Fact | None:
    facts = [first]
    assumed = []
    for kind, test, part in sides:
        mark = context.mark()
        step = assume(kind, test)
        context.take(step)
        fact = refute(context, budget) if context.absurd is not None else _defined(context, part, budget)
        context.undo(mark)
        if fact is None:
            return None
        facts.append(fact)
        assumed.append(step)
    return Fact("defined", (expr,), "branches", tuple(facts), tuple(assumed))


def contradiction(context: Context, budget: Budget) -> Fact | None:
    """Return a proof that the facts contradict each other, None when none is found.

    Args:
        context: the facts.
        budget: what may be spent.

    Example:
        >>> from guardlang.parse import parse
        >>> facts = [parse("type(L['n']) is int"), parse("2 * L['n'] == 5")]
        >>> contradiction(Context(facts), Budget()).kind
        'absurd'
    """
    return refute(context, budget)
