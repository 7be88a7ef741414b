"""What is known of the symbols so far, and whether it decides a condition. The incremental solver, with what was learnt from it.

Questions that come again are answered from a table; comparisons of one term with constants are answered by its bounds, without
making a node. Both tables live on the solver's trail, so that going back takes back exactly what followed from what is taken
back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from guardlang.ast import Expr
from guardlang.shapes.conditions import OPPOSITE, negation
from guardlang.shapes.symbols import Affine, SymBool, SymInt
from guardlang.solver.context import Context
from guardlang.solver.entailment import truth_of
from guardlang.solver.prover import prove
from guardlang.solver.search import Budget

__all__ = ["Knowledge"]

_Bounds = tuple["int | None", "int | None"]


class Knowledge:
    """Facts, in the order of addition.

    Attributes:
        facts: the conditions that hold.
        queries: how many questions the solver was asked.

    Example:
        >>> from guardlang import parse
        >>> known = Knowledge()
        >>> known.add(parse("type(L['n']) is int"))
        >>> known.add(parse("L['n'] > 3"))
        >>> [known.truth(parse(text)) for text in ("L['n'] > 2", "L['n'] == 0", "L['n'] > 4")]
        [True, False, None]
    """

    def __init__(self) -> None:
        self.facts: list[Expr] = []
        self.queries = 0
        self._held: dict[Expr, bool] = {}
        self._context = Context()
        self._marks: list[tuple[int, int]] = []
        self._answers: dict[Any, bool] = {}
        # By term, or by a pair of terms for their difference.
        self._bounds: dict[Any, _Bounds] = {}
        self._places: dict[Expr, int] = {}

    def __contains__(self, fact: Expr) -> bool:
        return fact in self._held

    def add(self, fact: Expr, condition: SymBool | None = None, truth: bool = True) -> None:
        """Take in a condition that holds.

        Args:
            fact: the condition.
            condition: the comparison of symbols that it came from, for the bounds of its term.
            truth: what that comparison is.
        """
        if fact in self._held:
            return
        self._marks.append(self._context.mark())
        self.facts.append(fact)
        self._context.trail.set(self._held, fact, True)
        self._context.add(fact)
        if condition is not None:
            self.learn(condition, truth)

    def restore(self, facts: Sequence[Expr]) -> None:
        """Go to another list of facts; what both lists start with is kept.

        Args:
            facts: the facts to have.
        """
        same = 0
        for mine, wanted in zip(self.facts, facts, strict=False):
            if mine is not wanted:
                break
            same += 1
        if same < len(self.facts):
            self._context.undo(self._marks[same])
            del self.facts[same:], self._marks[same:]
        for fact in facts[same:]:
            self.add(fact)

    def quick(self, condition: SymBool) -> bool | None:
        """Return the truth of a condition that was asked before or that the bounds of one term decide, else None.

        Args:
            condition: any condition.
        """
        link = condition.link
        if link is None:
            return self._answers.get(condition.expr)
        op, affine, right = link[0], link[1].affine, link[2]
        if type(right) is SymInt:
            affine, right = self._difference(affine, right.affine), 0
        bounds = self._bounds.get(affine[0])
        if bounds is not None:
            truth = _within(op, affine, right, bounds)
            if truth is not None:
                return truth
        return self._answers.get((op, affine, right)) if self._answers else None

    def _difference(self, left: Affine, right: Affine) -> tuple[Any, int, int]:
        """Return the difference of two integers as one: its term is the pair of theirs, the one met first coming first."""
        places = self._places
        first, second = places.setdefault(left[0], len(places)), places.setdefault(right[0], len(places))
        if first < second:
            return (left[0], left[1], right[0], right[1]), 1, left[2] - right[2]
        return (right[0], right[1], left[0], left[1]), -1, left[2] - right[2]

    def ask(self, condition: SymBool, effort: int = 0) -> bool | None:
        """Return the truth of a condition by what the solver sees, and remember it.

        Args:
            condition: any condition.
            effort: cases that the solver may look at.
        """
        truth = self.truth(condition.expr, effort)
        if truth is not None:
            self.learn(condition, truth)
        return truth

    def only_value(self, affine: Affine) -> int | None:
        """Return the value of an integer if its term has only one within its bounds, else None.

        Args:
            affine: the integer.
        """
        term, scale, shift = affine
        low, high = self._bounds.get(term, (None, None))
        return scale * low + shift if low is not None and low == high else None

    def truth(self, expr: Expr, effort: int = 0) -> bool | None:
        """Return whether the facts make a condition true or false, None when the solver does not see it.

        Args:
            expr: a condition.
            effort: cases that the solver may look at.
        """
        self.queries += 1
        if self._context.absurd is not None:
            return None
        found = truth_of(self._context, expr)
        if found is not None:
            return found.kind == "true"
        if effort:
            if prove(self._context, expr, Budget(effort)) is not None:
                return True
            if prove(self._context, negation(expr), Budget(effort)) is not None:
                return False
        return None

    def learn(self, condition: SymBool, truth: bool) -> None:
        """Note that a condition is true or false under the facts as they are.

        Args:
            condition: any condition.
            truth: what it is.
        """
        trail = self._context.trail
        link = condition.link
        if link is None:
            trail.set(self._answers, condition.expr, truth)
            return
        op, affine, right = link[0], link[1].affine, link[2]
        if type(right) is SymInt:
            affine, right = self._difference(affine, right.affine), 0
        before = self._bounds.get(affine[0], (None, None))
        after = _narrowed(op if truth else OPPOSITE[op], affine, right, before)
        if after != before:
            trail.set(self._bounds, affine[0], after)
        if _within(op, affine, right, after) is None:
            trail.set(self._answers, (op, affine, right), truth)


def _within(op: str, affine: tuple[Any, int, int], right: int, bounds: _Bounds) -> bool | None:
    """Tell whether a comparison holds for all values of a term within its bounds, or for none."""
    _, scale, shift = affine
    low, high = bounds
    if scale != 1 or shift:
        if scale < 0:
            low, high = high, low
        low = None if low is None else scale * low + shift
        high = None if high is None else scale * high + shift
    if op in (">", "<="):
        truth = True if low is not None and low > right else False if high is not None and high <= right else None
        return truth if op == ">" or truth is None else not truth
    if op in (">=", "<"):
        truth = True if low is not None and low >= right else False if high is not None and high < right else None
        return truth if op == ">=" or truth is None else not truth
    if (low is not None and right < low) or (high is not None and right > high) or (right - shift) % scale:
        return op == "!="
    return (op == "==") if low == right == high else None


def _narrowed(op: str, affine: tuple[Any, int, int], right: int, bounds: _Bounds) -> _Bounds:
    """Return the bounds of a term for which a comparison holds too."""
    _, scale, shift = affine
    low, high = bounds
    # From `scale * term + shift op right`: the largest term below and the smallest above.
    value = right - shift
    if op in ("<", ">"):
        value += 1 if op == ">" else -1
    upper = op in ("<", "<=", "==")
    lower = op in (">", ">=", "==")
    if scale < 0:
        value, scale, upper, lower = -value, -scale, lower, upper
    if lower:
        least = -(-value // scale)
        low = least if low is None or least > low else low
    if upper:
        most = value // scale
        high = most if high is None or most < high else high
    if op == "!=":
        quotient, rest = divmod(value, scale)
        if not rest and low == quotient:
            low += 1
        if not rest and high == quotient:
            high -= 1
    return low, high
