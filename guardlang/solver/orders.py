"""Order of numbers that need not be integers: bounds of single terms, and who is below whom.

Nothing is added or subtracted here, so it holds for floats, infinities included. A NaN is below and above nothing: a term that
stands in an order that holds is none.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from guardlang.ast import Expr
from guardlang.solver.facts import Fact
from guardlang.solver.structure import REAL, WHOLE
from guardlang.solver.trail import Trail
from guardlang.sources import Const

if TYPE_CHECKING:
    from guardlang.solver.context import Context

__all__ = ["Orders", "rational"]

_Bound = tuple[Fraction, bool, Fact]


def rational(value: Any) -> Fraction | None:
    """Return a real number that is not infinite as a fraction, None for anything else.

    Example:
        >>> rational(0.5), rational(float("inf")), rational("a")
        (Fraction(1, 2), None, None)
    """
    cls = type(value)
    if cls is int or cls is bool:
        return Fraction(int(value))
    if cls is float and value == value and value not in (float("inf"), float("-inf")):
        return Fraction(value)
    return None


class Orders:
    """Bounds of terms that are ordered numbers.

    Args:
        trail: where changes are recorded.
        absurd: told the fact that cannot be.
    """

    def __init__(self, trail: Trail, absurd: Callable[[Fact], None]) -> None:
        self.trail = trail
        self.absurd = absurd
        # Bounds as (value, whether it is excluded, fact of kind `order`).
        self.low: dict[Expr, _Bound] = {}
        self.high: dict[Expr, _Bound] = {}
        self.above: dict[Expr, Any] = {}
        self.below: dict[Expr, Any] = {}

    def compare(self, context: Context, op: str, left: Expr, right: Expr, truth: bool, fact: Fact) -> None:
        """Take in an order that holds or does not.

        Args:
            context: knows classes.
            op: the operator.
            left: left operand.
            right: right operand.
            truth: whether it holds.
            fact: the condition.
        """
        sides = [rational(side.value) if isinstance(side, Const) else side for side in (left, right)]
        if None in sides:
            return
        first, second = sides
        premises: tuple[Fact, ...] = (fact,)
        for side in (left, right):
            if isinstance(side, Const):
                continue
            known = context.types.get(context.same.find(side))
            if known is None or not known.args[1] <= REAL:
                # Strings and sets are ordered too.
                return
            if not truth and not known.args[1] <= WHOLE and not self.is_ordered(side):
                # It may be a NaN.
                return
            premises += context.type_premises(side)
            if not truth and not known.args[1] <= WHOLE:
                premises += (self.witness(side),)
        if op in (">", ">="):
            first, second = second, first
        strict = op in ("<", ">")
        if not truth:
            first, second, strict = second, first, not strict
        self.add(Fact("order", (first, second, strict), "order", premises))
        for side in (left, right):
            if not isinstance(side, Const):
                self.link(context, side)

    def link(self, context: Context, part: Expr) -> None:
        """Give the other names of an ordered number the same bounds.

        Args:
            context: knows what is one object.
            part: a term that is known to be no NaN.
        """
        for other in context.same.class_of(part):
            if other is part or not context.types or isinstance(other, Const):
                continue
            cells = self.above.get(part)
            while cells is not None:
                (known, _, fact), cells = cells
                if known is other and fact.rule == "same order":
                    break
            else:
                premises = (self.witness(part), *context.same.why(part, other))
                self.add(Fact("order", (part, other, False), "same order", premises))
                self.add(Fact("order", (other, part, False), "same order", premises))

    def is_ordered(self, part: Expr) -> bool:
        """Tell whether a term is known to be no NaN."""
        return part in self.low or part in self.high or part in self.above or part in self.below

    def witness(self, part: Expr) -> Fact:
        """Return an order that a term stands in, which shows that it is no NaN."""
        for table in (self.low, self.high):
            if part in table:
                return table[part][2]
        cells: Any = self.above.get(part) or self.below.get(part)
        found: Fact = cells[0][2]
        return found

    def equals(self, context: Context, part: Expr, value: Any, fact: Fact) -> None:
        """Take in that a real number equals a constant."""
        limit = rational(value)
        if limit is None:
            return
        known = context.types.get(context.same.find(part))
        if known is None or not known.args[1] <= REAL:
            return
        premises = (fact, *context.type_premises(part))
        self.add(Fact("order", (limit, part, False), "equal order", premises))
        self.add(Fact("order", (part, limit, False), "equal order", premises))

    def differs(self, context: Context, part: Expr, node: Expr, fact: Fact) -> None:
        """Take in that a real number does not equal a constant: a bound at that value is excluded."""
        limit = rational(node.value) if isinstance(node, Const) else None
        if limit is None:
            return
        for table, upper in ((self.low, False), (self.high, True)):
            bound = table.get(part)
            if bound is not None and bound[0] == limit and not bound[1]:
                args = (part, limit, True) if upper else (limit, part, True)
                self.add(Fact("order", args, "not equal order", (bound[2], fact)))
        del context

    def add(self, fact: Fact) -> None:
        """Take in a fact of kind `order`.

        Args:
            fact: the fact.
        """
        pending = [fact]
        while pending:
            fact = pending.pop()
            low, high, strict = fact.args
            if isinstance(low, Fraction) and isinstance(high, Fraction):
                if low > high or (low == high and strict):
                    self.absurd(Fact("absurd", (), "disorder", (fact,)))
                    return
            elif isinstance(low, Fraction):
                held = self.low.get(high)
                if held is not None and (held[0], held[1]) >= (low, strict):
                    continue
                self.trail.set(self.low, high, (low, strict, fact))
                if self._crossed(high):
                    return
                pending.extend(self._onwards(high, fact, up=True))
            elif isinstance(high, Fraction):
                held = self.high.get(low)
                if held is not None and (held[0], not held[1]) <= (high, not strict):
                    continue
                self.trail.set(self.high, low, (high, strict, fact))
                if self._crossed(low):
                    return
                pending.extend(self._onwards(low, fact, up=False))
            else:
                self.trail.set(self.above, low, ((high, strict, fact), self.above.get(low)))
                self.trail.set(self.below, high, ((low, strict, fact), self.below.get(high)))
                if low in self.low:
                    pending.append(_joined(self.low[low][2], fact))
                if high in self.high:
                    pending.append(_joined(fact, self.high[high][2]))
                path = self.path(high, low)
                if path is not None and (path.args[2] or strict):
                    self.absurd(Fact("absurd", (), "disorder", (_joined(fact, path),)))
                    return

    def _onwards(self, part: Expr, fact: Fact, *, up: bool) -> list[Fact]:
        found = []
        cells = (self.above if up else self.below).get(part)
        for _ in range(16):
            if cells is None:
                break
            (_, _, edge), cells = cells
            found.append(_joined(fact, edge) if up else _joined(edge, fact))
        return found

    def _crossed(self, part: Expr) -> bool:
        low, high = self.low.get(part), self.high.get(part)
        if low is None or high is None:
            return False
        if low[0] > high[0] or (low[0] == high[0] and (low[1] or high[1])):
            self.absurd(Fact("absurd", (), "disorder", (_joined(low[2], high[2]),)))
            return True
        return False

    def path(self, low: Expr, high: Expr, limit: int = 4096) -> Fact | None:
        """Return the fact that one term is not above another, by steps between terms; strict if it can be.

        Args:
            low: where to start.
            high: where to arrive.
            limit: how many terms to look at.
        """
        best: dict[tuple[Expr, bool], Fact | None] = {(low, False): None}
        queue = [(low, False)]
        for state in queue:
            if len(best) > limit:
                break
            part, strict = state
            cells = self.above.get(part)
            while cells is not None:
                (other, sharp, edge), cells = cells
                reached = (other, strict or sharp)
                if reached not in best and (other, True) not in best:
                    before = best[state]
                    best[reached] = edge if before is None else _joined(before, edge)
                    queue.append(reached)
        found = best.get((high, True))
        return found if found is not None else best.get((high, False)) if high is not low else None


def _joined(first: Fact, second: Fact) -> Fact:
    """Return what follows from `a < b` and `b < c`."""
    return Fact("order", (first.args[0], second.args[1], first.args[2] or second.args[2]), "order chain", (first, second))
