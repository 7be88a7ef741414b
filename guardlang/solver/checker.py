"""The checker: replays a proof step by step, with no code of what found it.

It shares the expressions and their meaning (`semantics`, `values`) with the solver, and the shape of facts; arithmetic, paths and
classes are its own. A step that it does not understand is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from guardlang.ast import Expr
from guardlang.errors import GuardlangError
from guardlang.solver import checked_numbers, checked_terms
from guardlang.solver.facts import Fact, ancestors

__all__ = ["CertificateError", "check", "check_z3"]

Rule = Callable[[Fact], bool]
_RULES: dict[tuple[str, str], Rule] = {**checked_numbers.RULES, **checked_terms.RULES}


class CertificateError(GuardlangError, ValueError):
    """A proof with a step that does not follow."""


def check(facts: Sequence[Expr], goal: Expr | None, proof: Fact) -> None:
    """Accept a proof or refuse it.

    Args:
        facts: the guards of the question, in the order by which the proof refers to them.
        goal: what it is to prove; None for a contradiction between the facts.
        proof: its last step.

    Raises:
        CertificateError: a step does not follow, or the last one says something else.

    Example:
        >>> from guardlang.parse import parse
        >>> from guardlang.solver.context import Context
        >>> from guardlang.solver.prover import prove
        >>> facts, goal = [parse("L['x'].shape[0] > 3")], parse("L['x'].shape[0] >= 4")
        >>> check(facts, goal, prove(Context(facts), goal))
        >>> check([], goal, prove(Context(facts), goal))
        Traceback (most recent call last):
            ...
        guardlang.solver.checker.CertificateError: the proof uses a guard that was not given: L['x'].shape[0] > 3
    """
    if goal is None:
        if proof.kind != "absurd":
            raise CertificateError(f"the proof ends with {proof.kind}, not with a contradiction")
    elif proof.kind != "true" or proof.args[0] is not goal:
        raise CertificateError("the proof does not end with the goal")
    open_: dict[int, frozenset[int]] = {}
    for fact in ancestors([proof]):
        open_[id(fact)] = _step(facts, fact, open_)
    if open_[id(proof)]:
        raise CertificateError("the proof rests on an assumption that it made")


def _step(facts: Sequence[Expr], fact: Fact, open_: dict[int, frozenset[int]]) -> frozenset[int]:
    """Check one step; return the assumptions that it rests on."""
    if fact.rule == "given":
        place = fact.extra
        if fact.kind != "true" or type(place) is not int or not 0 <= place < len(facts) or facts[place] is not fact.args[0]:
            raise CertificateError(f"the proof uses a guard that was not given: {fact.args[0]}")
        return frozenset()
    if fact.rule == "assume":
        return frozenset({id(fact)})
    used = [open_[id(premise)] for premise in fact.premises]
    discharge = _DISCHARGES.get((fact.kind, fact.rule))
    if discharge is not None:
        return discharge(fact, used)
    rule = _RULES.get((fact.kind, fact.rule))
    if rule is None:
        raise CertificateError(f"no rule {fact.rule!r} gives a fact of kind {fact.kind!r}")
    if not rule(fact):
        raise CertificateError(f"the step does not follow: {fact.kind} by {fact.rule}")
    return frozenset().union(*used)


def _literals(facts: Sequence[Fact]) -> tuple[tuple[object, ...], ...]:
    return tuple((fact.kind, *fact.args) for fact in facts)


def _same_literals(facts: Sequence[Fact], alternative: Sequence[Sequence[object]]) -> bool:
    mine = _literals(facts)
    return len(mine) == len(alternative) and all(
        len(left) == len(right) and all(a is b or a == b for a, b in zip(left, right, strict=False))
        for left, right in zip(mine, alternative, strict=False)
    )


def _by_cases(fact: Fact, used: list[frozenset[int]]) -> frozenset[int]:
    """Every alternative of a clause ends in a contradiction."""
    clause, ends = fact.premises[0], fact.premises[1:]
    if clause.kind != "clause" or not len(clause.args) == len(ends) == len(fact.extra):
        raise CertificateError("cases do not match their clause")
    return used[0] | _without_cases(clause.args, ends, fact.extra, used[1:])


def _without_cases(
    alternatives: Sequence[Sequence[Sequence[object]]],
    ends: Sequence[Fact],
    assumed: Sequence[Sequence[Fact]],
    used: list[frozenset[int]],
) -> frozenset[int]:
    rest: frozenset[int] = frozenset()
    for alternative, end, facts, open_ in zip(alternatives, ends, assumed, used, strict=False):
        if end.kind != "absurd" or not _same_literals(facts, alternative) or any(one.rule != "assume" for one in facts):
            raise CertificateError("a case does not end in a contradiction of its own assumptions")
        rest |= open_ - {id(one) for one in facts}
    return rest


def _struck(fact: Fact, used: list[frozenset[int]]) -> frozenset[int]:
    """Some alternatives of a clause end in contradictions; the others are left."""
    clause, ends = fact.premises[0], fact.premises[1:]
    if clause.kind != "clause" or len(ends) != len(fact.extra):
        raise CertificateError("cases do not match their clause")
    gone = [_literals(facts) for facts in fact.extra]
    left = [alternative for alternative in clause.args if not any(_equal_literals(one, alternative) for one in gone)]
    if len(left) != len(fact.args) or not all(_equal_literals(a, b) for a, b in zip(left, fact.args, strict=False)):
        raise CertificateError("the alternatives that are left are not those of the clause")
    chosen = [next(alt for alt in clause.args if _equal_literals(one, alt)) for one in gone]
    return used[0] | _without_cases(chosen, ends, fact.extra, used[1:])


def _equal_literals(left: Sequence[Sequence[object]], right: Sequence[Sequence[object]]) -> bool:
    return len(left) == len(right) and all(
        len(one) == len(other) and all(a is b or a == b for a, b in zip(one, other, strict=False))
        for one, other in zip(left, right, strict=False)
    )


def _contradiction(fact: Fact, used: list[frozenset[int]]) -> frozenset[int]:
    """A condition that is defined and cannot be false is true."""
    (denied,) = fact.extra
    place, end = fact.premises
    fits = (
        place.kind == "defined"
        and place.args[0] is fact.args[0]
        and end.kind == "absurd"
        and denied.rule == "assume"
        and (denied.kind, denied.args) == ("false", fact.args)
    )
    if not fits:
        raise CertificateError("the contradiction is not one with the goal's being false")
    return used[0] | (used[1] - {id(denied)})


def _in_turn(fact: Fact, used: list[frozenset[int]]) -> frozenset[int]:
    """Each part is defined under what the parts before it say when the evaluation goes on."""
    parts, going = checked_terms.short_circuit(fact.args[0])
    rest: frozenset[int] = frozenset()
    assumed: set[int] = set()
    for place, part in enumerate(parts):
        if place >= len(fact.premises):
            raise CertificateError("a part is not shown to be defined")
        premise = fact.premises[place]
        rest |= used[place] - assumed
        if premise.kind == "absurd":
            return rest
        step = fact.extra[place]
        if premise.kind != "defined" or premise.args[0] is not part or (step.kind, step.args) != (going, (part,)):
            raise CertificateError("a part is not shown to be defined")
        assumed.add(id(step))
    if len(fact.premises) > len(parts):
        rest |= used[len(parts)] - assumed
    return rest


def _branches(fact: Fact, used: list[frozenset[int]]) -> frozenset[int]:
    """A conditional is defined if its test is, and each side when it is taken."""
    expr = fact.args[0]
    first, yes, no = fact.premises
    rest = used[0]
    if first.kind != "defined" or first.args[0] is not expr.test:
        raise CertificateError("the test is not shown to be defined")
    for kind, part, premise, step, open_ in zip(
        ("true", "false"), (expr.body, expr.orelse), (yes, no), fact.extra, used[1:], strict=False
    ):
        fits = premise.kind == "absurd" or (premise.kind == "defined" and premise.args[0] is part)
        if not fits or (step.kind, step.args) != (kind, (expr.test,)):
            raise CertificateError("a side is not shown to be defined")
        rest |= open_ - {id(step)}
    return rest


_DISCHARGES: dict[tuple[str, str], Callable[[Fact, list[frozenset[int]]], frozenset[int]]] = {
    ("absurd", "cases"): _by_cases,
    ("clause", "struck"): _struck,
    ("true", "contradiction"): _contradiction,
    ("defined", "in turn"): _in_turn,
    ("defined", "branches"): _branches,
}


def check_z3(facts: Sequence[Expr], goal: Expr | None, *, rlimit: int) -> None:
    """Have z3 prove a claim of its own again.

    Args:
        facts: guards that are enough.
        goal: what follows from them; None for a contradiction.
        rlimit: the budget.

    Raises:
        CertificateError: z3 does not prove it.

    Example:
        >>> from guardlang.parse import parse
        >>> check_z3([parse("L['x'].shape[0] == 4")], parse("L['x'].shape[0] > 2"), rlimit=1_000_000)
    """
    from guardlang.solver import z3_bridge

    if goal is None:
        answer = z3_bridge.satisfiable(facts, rlimit=rlimit, small_core=False)
    else:
        answer = z3_bridge.prove(facts, goal, rlimit=rlimit, small_core=False)
    if answer.kind != "unsat":
        raise CertificateError(f"z3 does not prove it again: {answer.kind}")
