"""Linear constraints over integers: a contradiction with the multipliers that show it, or a place to look at both sides of.

The general simplex of Dutertre and de Moura on exact rationals, with Bland's rule, so that it ends. Budgets count pivots.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import attrs

__all__ = ["Conflict", "Feasible", "solve"]


@attrs.frozen(eq=False)
class Conflict:
    """The rows contradict each other.

    Args:
        multipliers: for each row that takes part its number and a factor that is not negative; the sum of factor times row is a
            negative constant.
    """

    multipliers: tuple[tuple[int, int], ...]


@attrs.frozen(eq=False)
class Feasible:
    """A rational point that satisfies all rows.

    Args:
        point: the value of every variable.
    """

    point: dict[int, Fraction]


def solve(rows: Sequence[tuple[dict[int, int], int]], budget: int) -> Conflict | Feasible | None:
    """Return whether rational numbers satisfy `sum(c * x) + k >= 0` for every row.

    Args:
        rows: coefficients by number of the variable, and the constant.
        budget: how many pivots may be made.

    Returns:
        A conflict, a point, or None when the budget was used up.

    Example:
        >>> solve([({0: 1}, -3), ({0: -1}, 2)], 10).multipliers
        ((0, 1), (1, 1))
    """
    return _Tableau(rows).run(budget)


class _Tableau:
    """Basic variables as combinations of the others; the slack of row i is the variable `~i` and must be at least `-k`."""

    def __init__(self, rows: Sequence[tuple[dict[int, int], int]]) -> None:
        self.low: dict[int, Fraction] = {}
        self.basic: dict[int, dict[int, Fraction]] = {}
        self.value: dict[int, Fraction] = {}
        self.constants = [constant for _, constant in rows]
        for number, (terms, constant) in enumerate(rows):
            slack = ~number
            self.basic[slack] = {x: Fraction(c) for x, c in terms.items() if c}
            self.low[slack] = Fraction(-constant)
            self.value[slack] = Fraction(0)
            for x in terms:
                self.value.setdefault(x, Fraction(0))

    def run(self, budget: int) -> Conflict | Feasible | None:
        for _ in range(budget):
            # Slacks count downwards from -1: the first row that is violated has the largest number.
            broken = max((x for x in self.basic if x in self.low and self.value[x] < self.low[x]), default=None)
            if broken is None:
                return Feasible({x: v for x, v in self.value.items() if x >= 0})
            row = self.basic[broken]
            # The violated slack must grow; a free variable may move either way, a slack at its bound only upwards.
            entering = None
            for x in sorted(row, reverse=True):
                factor = row[x]
                if x >= 0 or factor > 0 or self.value[x] > self.low[x]:
                    entering = x
                    break
            if entering is None:
                return self._conflict(broken, row)
            self._pivot(broken, entering)
        return None

    def _conflict(self, broken: int, row: dict[int, Fraction]) -> Conflict:
        # broken = sum(factor * slack) with all factors negative: the difference is zero though each part is bounded.
        parts = {~broken: Fraction(1)}
        for slack, factor in row.items():
            parts[~slack] = -factor
        scale = 1
        for factor in parts.values():
            scale = scale * factor.denominator // _gcd(scale, factor.denominator)
        return Conflict(tuple(sorted((number, int(factor * scale)) for number, factor in parts.items())))

    def _pivot(self, leaving: int, entering: int) -> None:
        row = self.basic.pop(leaving)
        factor = row.pop(entering)
        shift = (self.low[leaving] - self.value[leaving]) / factor
        # leaving = factor * entering + rest, so entering = leaving / factor - rest / factor.
        solved = {x: -c / factor for x, c in row.items()}
        solved[leaving] = 1 / factor
        self.value[leaving] = self.low[leaving]
        self.value[entering] += shift
        for other, terms in self.basic.items():
            weight = terms.pop(entering, None)
            if weight is None:
                continue
            self.value[other] += weight * shift
            for x, c in solved.items():
                total = terms.get(x, 0) + weight * c
                if total:
                    terms[x] = Fraction(total)
                else:
                    terms.pop(x, None)
        self.basic[entering] = solved


def _gcd(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return a
