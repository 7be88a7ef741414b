"""Proof by cases: a contradiction from facts that do not contradict each other at once.

Each step draws what follows without cases, then looks at all cases of one question: a clause, which part of a maximum is the
largest, the sign of a divisor, the sides of an integer or of a value that is excluded. Budgets count steps.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import attrs

from guardlang.solver import products
from guardlang.solver.context import Context
from guardlang.solver.domains import linear, peak_axiom, quotient_axioms, size_axiom
from guardlang.solver.entailment import recheck
from guardlang.solver.facts import Fact, assume
from guardlang.solver.normal import is_size
from guardlang.solver.polynomial import Choice, Monomial, Peak, Polynomial, Quotient, number
from guardlang.solver.simplex import Conflict, solve

__all__ = ["Budget", "refute"]

_Literal = tuple[Any, ...]
_MAX_ROWS = 160
_PIVOTS = 120


@attrs.define(eq=False)
class Budget:
    """How much a search may still do.

    Args:
        nodes: cases to look at.
        depth: cases within cases.
    """

    nodes: int = 200
    depth: int = 12


def refute(context: Context, budget: Budget, depth: int = 0) -> Fact | None:
    """Return a proof that the facts contradict each other, None when none is found.

    Args:
        context: the facts; as before when this returns.
        budget: what may be spent; shared by all cases.
        depth: how many assumptions have been made.

    Example:
        >>> from guardlang.parse import parse
        >>> context = Context([parse("type(L['a']) is int"), parse("max(L['a'], 3) < L['a']")])
        >>> refute(context, Budget()).kind
        'absurd'
    """
    if context.absurd is not None:
        return context.absurd
    budget.nodes -= 1
    if budget.nodes < 0 or depth > budget.depth:
        return None
    mark = context.mark()
    try:
        return _refute(context, budget, depth)
    finally:
        context.undo(mark)


def _refute(context: Context, budget: Budget, depth: int) -> Fact | None:
    narrowest = _propagate(context, budget)
    if context.absurd is not None:
        return context.absurd
    clash = recheck(context)
    if clash is not None:
        return clash
    outcome = _arithmetic(context)
    if isinstance(outcome, Fact):
        return outcome
    question = narrowest if narrowest is not None and len(narrowest.args) <= 2 else None
    if question is None:
        question = _opaque_question(context) or narrowest or _excluded(context) or _fractional(outcome) or _sign_question(context)
    if question is None:
        return None
    return _cases(context, question, budget, depth)


def _cases(context: Context, question: Fact, budget: Budget, depth: int) -> Fact | None:
    """Refute every alternative of a clause."""
    ends: list[Fact] = []
    assumed: list[tuple[Fact, ...]] = []
    for alternative in question.args:
        mark = context.mark()
        facts = _suppose(context, alternative)
        end = refute(context, budget, depth + 1)
        context.undo(mark)
        if end is None:
            return None
        ends.append(end)
        assumed.append(facts)
    return Fact("absurd", (), "cases", (question, *ends), tuple(assumed))


def _suppose(context: Context, alternative: tuple[_Literal, ...]) -> tuple[Fact, ...]:
    facts = tuple(assume(kind, *args) for kind, *args in alternative)
    for fact in facts:
        context.take(fact)
    return facts


def _propagate(context: Context, budget: Budget) -> Fact | None:
    """Strike out alternatives that cannot be, until nothing changes; return the clause with the fewest left."""
    done: set[Fact] = set()
    best: Fact | None = None
    for _ in range(8):
        best = None
        changed = False
        for clause in list(context.clauses):
            if clause in done or not context.clauses.get(clause):
                continue
            left: list[tuple[_Literal, ...]] = []
            struck: list[tuple[Fact, tuple[Fact, ...]]] = []
            for alternative in clause.args:
                mark = context.mark()
                facts = _suppose(context, alternative)
                end = context.absurd
                context.undo(mark)
                if end is None:
                    left.append(alternative)
                else:
                    struck.append((end, facts))
            if not left:
                context.fail(Fact("absurd", (), "cases", (clause, *(e for e, _ in struck)), tuple(f for _, f in struck)))
                return None
            if len(left) == len(clause.args):
                if best is None or len(clause.args) < len(best.args):
                    best = clause
                continue
            reduced = Fact(
                "clause", tuple(left), "struck", (clause, *(end for end, _ in struck)), tuple(facts for _, facts in struck)
            )
            context.trail.set(context.clauses, clause, False)
            if len(left) == 1:
                done.add(clause)
                changed = True
                for kind, *args in left[0]:
                    context.take(Fact(kind, tuple(args), "only case", (reduced,)))
                if context.absurd is not None:
                    return None
            else:
                context.take(reduced)
                if best is None or len(left) < len(best.args):
                    best = reduced
        if not changed:
            break
    del budget
    return best


# Linear arithmetic.


def _arithmetic(context: Context) -> Fact | dict[Monomial, Fraction] | None:
    """Return a contradiction between linear facts, or a rational point that satisfies them."""
    facts = _linear_facts(context)
    if not facts or len(facts) > _MAX_ROWS:
        return None
    columns: dict[Monomial, int] = {}
    rows: list[tuple[dict[int, int], int]] = []
    origins: list[tuple[int, Fact]] = []
    for fact in facts:
        poly, relation = fact.args
        for sign in (1, -1) if relation == "==" else (1,):
            terms = {}
            for mono, factor in poly.terms.items():
                if mono:
                    terms[columns.setdefault(mono, len(columns))] = int(factor) * sign
            rows.append((terms, int(poly.constant) * sign))
            origins.append((sign, fact))
    result = solve(rows, _PIVOTS)
    if result is None:
        return None
    if isinstance(result, Conflict):
        premises = tuple(origins[row][1] for row, _ in result.multipliers)
        factors = tuple(origins[row][0] * factor for row, factor in result.multipliers)
        return Fact("absurd", (), "sum", premises, factors)
    return {mono: result.point[column] for mono, column in columns.items()}


def _linear_facts(context: Context) -> list[Fact]:
    """Return the bounds of all rows, and what holds of the atoms in them by what they are."""
    numbers = context.numbers
    found: list[Fact] = []
    for row in numbers.rows.values():
        for bound in (row.low, row.high):
            if bound is not None and (bound is not row.low or row.high is None or row.low[1] is not row.high[1]):
                found.append(bound[1])
        if row.low is not None and row.high is not None and row.low[1] is row.high[1]:
            found.append(row.low[1])
    known = set(found)
    done: set[Any] = set()
    for atom in numbers.solved:
        if isinstance(atom, Quotient | Peak):
            done.add(atom)
            for axiom in _axioms(context, atom):
                reduced = numbers.reduced(axiom)
                if reduced not in known:
                    known.add(reduced)
                    found.append(reduced)
    position = 0
    while position < len(found) and len(found) <= _MAX_ROWS:
        poly = found[position].args[0]
        position += 1
        for atom in poly.atoms:
            if atom in done:
                continue
            done.add(atom)
            for axiom in _axioms(context, atom):
                reduced = numbers.reduced(axiom)
                if reduced not in known:
                    known.add(reduced)
                    found.append(reduced)
        for mono in poly.terms:
            if len(mono) > 1 and mono not in done:
                done.add(mono)
                found.extend(products.about(context, mono))
    return products.multiplied(context, found)


def _axioms(context: Context, atom: Any) -> list[Fact]:
    if isinstance(atom, Quotient):
        if atom.parts[1].is_constant:
            return list(quotient_axioms(atom))
        return products.quotient_facts(context, atom)
    if isinstance(atom, Peak):
        return [peak_axiom(atom, part) for part in range(len(atom.parts))]
    if isinstance(atom, Choice):
        return []
    return [size_axiom(atom)] if is_size(atom) else []


# Questions.


def _atoms(context: Context) -> dict[Any, None]:
    """Return every atom of a fact on integers, also those within others."""
    atoms: dict[Any, None] = {}
    for key, row in context.numbers.rows.items():
        if row.low is None and row.high is None and not row.unequal:
            continue
        for mono in (key,) if isinstance(key, tuple) else key.terms:
            for atom in mono:
                atoms[atom] = None
                if isinstance(atom, Quotient | Peak | Choice):
                    atoms.update(dict.fromkeys(atom.atoms()))
    return atoms


def _opaque_question(context: Context) -> Fact | None:
    """Ask which part of a maximum is the largest, or which way a conditional goes."""
    for atom in {**_atoms(context), **dict.fromkeys(context.numbers.solved)}:
        if atom in context.asked or not isinstance(atom, Peak | Choice):
            continue
        context.trail.set(context.asked, atom, True)
        if isinstance(atom, Peak):
            value = Polynomial({(atom,): 1})
            alternatives: list[tuple[_Literal, ...]] = []
            for part in atom.parts:
                others: list[_Literal] = [("linear", part - other, ">=") for other in atom.parts if other is not part]
                alternatives.append((("linear", value - part, "=="), *others))
            return Fact("clause", tuple(alternatives), "maximum")
        value = Polynomial({(atom,): 1})
        sides = (("true", atom.test), ("false", atom.test))
        ways = tuple((side, ("linear", value - part, "==")) for side, part in zip(sides, atom.parts, strict=False))
        return Fact("clause", ways, "choice")
    return None


def _excluded(context: Context) -> Fact | None:
    """Ask on which side of an excluded value a sum is."""
    for key, row in context.numbers.rows.items():
        for value, fact in row.unequal:
            if (row.low is not None and row.low[0] > value) or (row.high is not None and row.high[0] < value):
                continue
            poly = context.numbers.form(key) - number(value)
            above = (("linear", poly - number(1), ">="),)
            below = (("linear", -poly - number(1), ">="),)
            return Fact("clause", (above, below), "either side", (fact,))
    return None


def _fractional(point: dict[Monomial, Fraction] | None) -> Fact | None:
    """Ask on which side of a fraction an atom is."""
    if not point:
        return None
    for mono, value in point.items():
        if value.denominator > 1:
            floor = math.floor(value)
            poly = Polynomial({mono: 1})
            below = (("linear", number(floor) - poly, ">="),)
            above = (("linear", poly - number(floor + 1), ">="),)
            return Fact("clause", (below, above), "integer")
    return None


def _sign_question(context: Context) -> Fact | None:
    """Ask for the sign of a divisor, or of a factor of a product, that is not known yet."""
    for divisor, fact in products.unsigned(context):
        if fact is not None:
            above = (("linear", divisor - number(1), ">="),)
            below = (("linear", -divisor - number(1), ">="),)
            return Fact("clause", (above, below), "either side", (fact,))
        above = (("linear", divisor, ">="),)
        below = (("linear", -divisor - number(1), ">="),)
        return Fact("clause", (above, below), "integer")
    return None


__all__ += ["linear"]
