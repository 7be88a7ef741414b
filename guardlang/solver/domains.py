"""What is known of integers: bounds, remainders, excluded values and equations, each with the facts it follows from.

Every sum of atoms that occurs in a fact has a row: the interval it lies in. Equations with a unit coefficient are solved and
substituted; remainders of an atom by constants are kept apart and tighten its bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, TypeAlias

from guardlang.ast import Expr
from guardlang.solver.facts import Fact
from guardlang.solver.normal import is_size, maximum, quotient
from guardlang.solver.polynomial import Atom, Choice, Monomial, Peak, Polynomial, Quotient, number, opaque
from guardlang.solver.trail import Trail
from guardlang.sources import AttrSource

__all__ = ["Numbers", "combine", "linear"]

Key: TypeAlias = Monomial | Polynomial
_Bound: TypeAlias = tuple[int, Fact]

_MAX_REWRITES = 40
_MAX_EXCLUDED = 64


def linear(poly: Polynomial, relation: str, rule: str, premises: tuple[Fact, ...], extra: Any = None) -> Fact:
    """Return a fact on an integer polynomial."""
    return Fact("linear", (poly, relation), rule, premises, extra)


def combine(parts: list[tuple[int, Fact]], divisor: int = 1) -> Fact:
    """Return the sum of multiples of facts, divided by a common divisor of its coefficients and rounded to the tighter side.

    Args:
        parts: a factor, which is not negative unless the fact is an equation, and a fact.
        divisor: positive; divides all coefficients but the constant.

    Example:
        >>> from guardlang.sources import LocalSource
        >>> x = Polynomial({(LocalSource("x"),): 2, (): -5})
        >>> combine([(1, linear(x, ">=", "assume", ()))], 2).args[0]
        L['x'] - 3
    """
    total = Polynomial({})
    for factor, fact in parts:
        total = total.plus(fact.args[0], factor)
    if divisor > 1:
        terms = {mono: value // divisor for mono, value in total.terms.items()}
        total = Polynomial({mono: value for mono, value in terms.items() if value})
    return Fact(
        "linear", (total, ">="), "combine", tuple(fact for _, fact in parts), (tuple(factor for factor, _ in parts), divisor)
    )


class Row:
    """What is known of one sum of atoms; replaced as a whole when it changes."""

    __slots__ = ("high", "low", "unequal")

    def __init__(self, low: _Bound | None, high: _Bound | None, unequal: tuple[_Bound, ...]) -> None:
        self.low = low
        self.high = high
        self.unequal = unequal


_EMPTY = Row(None, None, ())


class Numbers:
    """The store of integer facts.

    Args:
        trail: where changes are recorded.
        absurd: told the fact that cannot be, once there is one.
    """

    def __init__(self, trail: Trail, absurd: Callable[[Fact], None]) -> None:
        self.trail = trail
        self.absurd = absurd
        self.rows: dict[Key, Row] = {}
        self.solved: dict[Atom, tuple[Polynomial, Fact]] = {}
        self.remainders: dict[Atom, tuple[int, int, Fact]] = {}
        self.divisible: dict[Polynomial, tuple[int, Fact]] = {}
        # For each atom the keys of rows it occurs in, as a chain of pairs: cheap to extend and to undo.
        self.occurs: dict[Atom, Any] = {}
        self.products: dict[Monomial, bool] = {}

    # Taking in facts.

    def add(self, fact: Fact) -> None:
        """Take in a fact of kind `linear`.

        Args:
            fact: the fact; its polynomial may mention solved atoms.
        """
        if self.solved or self.remainders:
            fact = self.reduced(fact)
        poly, relation = fact.args
        terms = poly.terms
        constant = terms.get((), 0)
        if len(terms) == (1 if constant else 0):
            if not (constant >= 0 if relation == ">=" else constant == 0 if relation == "==" else constant != 0):
                self.absurd(Fact("absurd", (), "false", (fact,)))
            return
        if relation == "==":
            self._equation(fact)
            return
        key, factor = self.key(poly)
        row = self.rows.get(key)
        if row is None:
            row = self._register(key)
        if relation == "!=":
            self._exclude(key, row, factor, constant, fact)
        elif factor > 0:
            low = -(constant // factor)
            if row.low is None or low > row.low[0]:
                self._bound(key, row, (low, fact if factor == 1 else combine([(1, fact)], factor)), None)
        else:
            high = constant // -factor
            if row.high is None or high < row.high[0]:
                self._bound(key, row, None, (high, fact if factor == -1 else combine([(1, fact)], -factor)))

    def key(self, poly: Polynomial) -> tuple[Key, int]:
        """Return the row that a polynomial belongs to, and the factor of the row in it."""
        return poly.row

    def _register(self, key: Key) -> Row:
        monos = (key,) if isinstance(key, tuple) else key.terms
        seen: dict[Atom, None] = {}
        for mono in monos:
            for atom in mono:
                seen[atom] = None
                if isinstance(atom, Quotient | Peak | Choice):
                    seen.update(dict.fromkeys(atom.atoms()))
        for atom in seen:
            self.trail.set(self.occurs, atom, (key, self.occurs.get(atom)))
        row = _EMPTY
        floor = _floor(key)
        if floor is not None:
            row = Row(floor, None, ())
        self.trail.set(self.rows, key, row)
        return row

    def _bound(self, key: Key, row: Row, low: _Bound | None, high: _Bound | None) -> None:
        low = self._stepped(key, low or row.low, 1, row)
        high = self._stepped(key, high or row.high, -1, row)
        self.trail.set(self.rows, key, Row(low, high, row.unequal))
        if low is None or high is None:
            return
        if low[0] > high[0]:
            self.absurd(Fact("absurd", (), "sum", (low[1], high[1]), (1, 1)))
        elif low[0] == high[0] and low[1].args[1] != "==":
            poly = self.form(key) - number(low[0])
            self._equation(linear(poly, "==", "squeeze", (low[1], high[1])))

    def _stepped(self, key: Key, bound: _Bound | None, step: int, row: Row) -> _Bound | None:
        """Move a bound inwards to the next value that remainder and exclusions allow."""
        if bound is None:
            return None
        value, fact = bound
        known = self.remainders.get(key[0]) if isinstance(key, tuple) and len(key) == 1 else None
        if known is not None:
            modulus, rest, why = known
            gap = (rest - value) * step % modulus
            if gap:
                value += gap * step
                poly = (self.form(key) - number(value)).times(step)
                fact = linear(poly, ">=", "step", (fact, why))
        moved = True
        while moved and row.unequal:
            moved = False
            for excluded, why in row.unequal:
                if excluded == value:
                    value += step
                    poly = (self.form(key) - number(value)).times(step)
                    fact = linear(poly, ">=", "past", (fact, why))
                    moved = True
        return (value, fact)

    def _exclude(self, key: Key, row: Row, factor: int, constant: int, fact: Fact) -> None:
        if constant % factor:
            return
        value = -constant // factor
        if len(row.unequal) >= _MAX_EXCLUDED or any(value == other for other, _ in row.unequal):
            return
        row = Row(row.low, row.high, (*row.unequal, (value, fact)))
        self.trail.set(self.rows, key, row)
        if (row.low and row.low[0] == value) or (row.high and row.high[0] == value):
            self._bound(key, row, None, None)

    @staticmethod
    def form(key: Key) -> Polynomial:
        """Return the sum that a row is about."""
        return Polynomial({key: 1}) if isinstance(key, tuple) else key

    # Equations.

    def _equation(self, fact: Fact) -> None:
        poly: Polynomial = fact.args[0]
        content = poly.content
        constant = poly.terms.get((), 0)
        if constant % content:
            self.absurd(Fact("absurd", (), "indivisible", (fact,), content))
            return
        if content > 1:
            poly = Polynomial({mono: int(factor) // content for mono, factor in poly.terms.items()})
            fact = linear(poly, "==", "divide", (fact,), content)
            constant = poly.terms.get((), 0)
        self._remainder_of(poly, fact)
        atom = _solvable(poly)
        if atom is not None:
            value = Polynomial({mono: v for mono, v in poly.terms.items() if mono != (atom,)}).times(-poly.terms[atom,])
            self._solve(atom, value, fact)
            return
        key, factor = self.key(poly)
        row = self.rows.get(key)
        if row is None:
            row = self._register(key)
        value_ = -constant // factor
        if (row.low and row.low[0] > value_) or (row.high and row.high[0] < value_):
            bad = row.low if row.low and row.low[0] > value_ else row.high
            assert bad is not None
            self._clash(fact, bad[1])
            return
        for excluded, why in row.unequal:
            if excluded == value_:
                self.absurd(Fact("absurd", (), "excluded", (fact, why)))
                return
        self.trail.set(self.rows, key, Row((value_, fact), (value_, fact), ()))

    def _clash(self, equation: Fact, bound: Fact) -> None:
        """Report an equation and a bound on the same sum that do not go together."""
        for sign in (1, -1):
            total = bound.args[0].plus(equation.args[0], sign)
            if total.is_constant and total.constant < 0:
                self.absurd(Fact("absurd", (), "sum", (bound, equation), (1, sign)))
                return

    def _solve(self, atom: Atom, value: Polynomial, fact: Fact) -> None:
        self.trail.set(self.solved, atom, (value, fact))
        known = self.remainders.get(atom)
        if known is not None:
            modulus, rest, why = known
            self._divisible(Fact("divides", (value - number(rest), modulus), "carry", (why, fact), atom))
        self._renew(atom)

    def _renew(self, atom: Atom) -> None:
        """Take in again what was known of the rows that an atom occurs in."""
        chain = self.occurs.get(atom)
        if chain is None:
            return
        self.trail.set(self.occurs, atom, None)
        while chain is not None:
            key, chain = chain
            row = self.rows.get(key, _EMPTY)
            if row is _EMPTY:
                continue
            reduced = self.reduced(linear(self.form(key), ">=", "assume", ()))
            if reduced.args[0] == self.form(key):
                # The row stays as it is; only its chain was taken away.
                self.trail.set(self.occurs, atom, (key, self.occurs.get(atom)))
                continue
            self.trail.set(self.rows, key, _EMPTY)
            for bound in (row.low, row.high):
                if bound is not None:
                    self.add(bound[1])
            for _, why in row.unequal:
                self.add(why)

    def reduced(self, fact: Fact) -> Fact:
        """Return a fact with solved atoms replaced, and quotients whose remainder is known."""
        poly, relation = fact.args
        used: dict[Atom, Fact] = {}
        result = self.rewrite(poly, used)
        if result is poly:
            return fact
        scale = result.scale
        if scale > 1:
            result = result.times(scale).whole()
        return linear(result, relation, "rewrite", (fact, *used.values()), (scale, tuple(used)))

    def rewrite(self, poly: Polynomial, used: dict[Atom, Fact]) -> Polynomial:
        """Return a polynomial with everything replaced that is known of its atoms.

        Args:
            poly: the polynomial.
            used: gains the facts that justify the replacements.
        """
        if not self.solved and not self.remainders:
            return poly
        for _ in range(_MAX_REWRITES):
            changes: dict[Atom, Polynomial] = {}
            for atom in poly.atoms:
                other = self._replacement(atom, used)
                if other is not None:
                    changes[atom] = other
            if not changes:
                break
            poly = substitute(poly, changes)
        return poly

    def _replacement(self, atom: Atom, used: dict[Atom, Fact]) -> Polynomial | None:
        found = self.solved.get(atom)
        if found is not None:
            used[atom] = found[1]
            return found[0]
        if not isinstance(atom, Quotient | Peak | Choice):
            return None
        if isinstance(atom, Quotient) and atom.parts[1].is_constant and self.remainders:
            exact = self._exact_quotient(atom, used)
            if exact is not None:
                return exact
        parts = tuple(self.rewrite(part, used) for part in atom.parts)
        if parts == atom.parts:
            return None
        return remade(atom, parts)

    def _exact_quotient(self, atom: Quotient, used: dict[Atom, Fact]) -> Polynomial | None:
        divisor = int(atom.parts[1].constant)
        premises: list[Fact] = []
        rest = self.residue(atom.parts[0], divisor, premises)
        if rest is None:
            return None
        fact = Fact("divides", (atom.parts[0] - number(rest), divisor), "residue", tuple(premises))
        used[atom] = fact
        return (atom.parts[0] - number(rest)).times(Fraction(1, divisor)).whole()

    # Remainders.

    def residue(self, poly: Polynomial, modulus: int, premises: list[Fact]) -> int | None:
        """Return a polynomial modulo a constant, None when it is not known.

        Args:
            poly: integer coefficients.
            modulus: positive.
            premises: gains what it rests on.
        """
        total = 0
        for mono, factor in poly.terms.items():
            if type(factor) is not int:
                return None
            if not mono:
                total += factor
            elif factor % modulus:
                product = factor
                rest = modulus
                for atom in mono:
                    known = self.remainders.get(atom)
                    if known is None:
                        return None
                    rest = math.gcd(rest, known[0]) if len(mono) > 1 else known[0]
                    product *= known[1]
                if rest * (factor if len(mono) == 1 else 1) % modulus:
                    return None
                premises.extend(self.remainders[atom][2] for atom in mono)
                total += product
        return total % modulus

    def _remainder_of(self, poly: Polynomial, fact: Fact) -> None:
        """Read what an equation says of remainders: where a quotient's own multiple cancels its numerator."""
        for atom in poly.atoms:
            if not isinstance(atom, Quotient) or not atom.parts[1].is_constant:
                continue
            top, divisor = atom.parts[0], int(atom.parts[1].constant)
            factor = poly.terms.get((atom,), 0)
            if factor % divisor or not factor:
                continue
            # poly = factor * atom + rest, and rest must be -(factor / divisor) * (top - r).
            rest = poly - Polynomial({(atom,): factor}) + top.times(factor // divisor)
            if rest.is_constant and rest.constant % (factor // divisor) == 0:
                self._divisible(
                    Fact("divides", (top - number(rest.constant // (factor // divisor)), divisor), "exact", (fact,), atom)
                )
                return

    def _divisible(self, fact: Fact) -> None:
        """Take in that a polynomial is a multiple of a constant."""
        poly, modulus = fact.args
        poly = self.rewrite_divisible(poly, modulus)
        if poly is None:
            return
        terms = {mono: factor % modulus for mono, factor in poly.terms.items() if factor % modulus}
        constant = terms.pop((), 0)
        if not terms:
            if constant:
                self.absurd(Fact("absurd", (), "remainder", (fact,)))
            return
        if len(terms) > 1 or len(next(iter(terms))) > 1:
            self.trail.set(self.divisible, Polynomial(terms), (modulus, fact))
            return
        (((atom,), factor),) = terms.items()
        common = math.gcd(factor, modulus)
        if constant % common:
            self.absurd(Fact("absurd", (), "remainder", (fact,)))
            return
        reduced = modulus // common
        rest = -(constant // common) * pow(factor // common, -1, reduced) % reduced if reduced > 1 else 0
        if reduced > 1:
            self._remember(
                atom, reduced, rest, Fact("divides", (Polynomial({(atom,): 1}) - number(rest), reduced), "unit", (fact,))
            )

    def rewrite_divisible(self, poly: Polynomial, modulus: int) -> Polynomial | None:
        """Return the polynomial if its coefficients are integers; what a proof of divisibility can speak of."""
        return poly if modulus > 0 and all(type(f) is int for f in poly.terms.values()) else None

    def _remember(self, atom: Atom, modulus: int, rest: int, fact: Fact) -> None:
        known = self.remainders.get(atom)
        if known is not None:
            first, second, why = known
            common = math.gcd(first, modulus)
            if (second - rest) % common:
                self.absurd(Fact("absurd", (), "remainders", (why, fact)))
                return
            if first % modulus == 0:
                return
            both = first // common * modulus
            step = (rest - second) // common * pow(first // common, -1, modulus // common) if modulus > common else 0
            rest = (second + first * step) % both
            fact = Fact("divides", (Polynomial({(atom,): 1}) - number(rest), both), "together", (why, fact))
            modulus = both
        self.trail.set(self.remainders, atom, (modulus, rest, fact))
        key = (atom,)
        row = self.rows.get(key)
        if row is not None and row is not _EMPTY:
            self._bound(key, row, None, None)
        solved = self.solved.get(atom)
        if solved is not None and solved[0].is_constant and (solved[0].constant - rest) % modulus:
            self.absurd(Fact("absurd", (), "unfit", (solved[1], fact)))
            return
        self._renew(atom)

    # Questions.

    def silent(self, poly: Polynomial) -> bool:
        """Tell whether a number of dimensions occurs of which nothing is known: its definedness would bring bounds."""
        return any(isinstance(atom, AttrSource) and (atom,) not in self.rows and atom not in self.solved for atom in poly.atoms)

    def decide(self, poly: Polynomial, relation: str, effort: int = 64) -> Fact | None:
        """Return the fact that a polynomial stands in a relation to zero, None when it is not seen at once.

        Args:
            poly: integer coefficients.
            relation: `>=`, `==` or `!=`.
            effort: how many differences to look at.
        """
        used: dict[Atom, Fact] = {}
        plain = self.rewrite(poly, used)
        scale = plain.scale
        if scale > 1:
            plain = plain.times(scale).whole()
        found = self._decide(plain, relation, effort)
        if found is None or plain is poly:
            return found
        return linear(poly, relation, "unrewrite", (found, *used.values()), (scale, tuple(used)))

    def decide_otherwise(self, poly: Polynomial) -> Fact | None:
        """Return that a polynomial is not negative without the bound of its own row.

        Args:
            poly: integer coefficients.
        """
        used: dict[Atom, Fact] = {}
        plain = self.rewrite(poly, used)
        scale = plain.scale
        if scale > 1:
            plain = plain.times(scale).whole()
        if plain.is_constant:
            found = self._decide(plain, ">=", 0)
        else:
            key, factor = plain.row
            row = self.rows.get(key)
            if row is None:
                return None
            mark = self.trail.mark()
            floor = _floor(key)
            self.trail.set(self.rows, key, Row(floor, row.high, ()) if factor > 0 else Row(row.low, None, ()))
            found = self._at_least(plain, 24)
            self.trail.undo(mark)
        if found is None or plain is poly:
            return found
        return linear(poly, ">=", "unrewrite", (found, *used.values()), (scale, tuple(used)))

    def _decide(self, poly: Polynomial, relation: str, effort: int) -> Fact | None:
        if poly.is_constant:
            value = poly.constant
            holds = value >= 0 if relation == ">=" else value == 0 if relation == "==" else value != 0
            return linear(poly, relation, "number", ()) if holds else None
        if relation == ">=":
            return self._at_least(poly, effort)
        if relation == "==":
            low = self._at_least(poly, effort)
            high = self._at_least(-poly, effort) if low is not None else None
            return None if low is None or high is None else linear(poly, "==", "squeeze", (low, high))
        row, factor = self.row_of(poly)
        if row is not None and poly.constant % factor == 0:
            for value, why in row.unequal:
                if value == -poly.constant // factor:
                    return linear(poly, "!=", "multiple", (why,))
        for sign in (1, -1):
            beyond = self._at_least(poly.times(sign) - number(1), effort)
            if beyond is not None:
                return linear(poly, "!=", "beyond", (beyond,))
        for atom in poly.atoms:
            known = self.remainders.get(atom)
            if known is not None:
                premises: list[Fact] = []
                rest = self.residue(poly, known[0], premises)
                if rest:
                    return linear(poly, "!=", "rest", tuple(premises), known[0])
        return None

    def _at_least(self, poly: Polynomial, effort: int) -> Fact | None:
        """Return that a polynomial is not negative."""
        value = self._least(poly, 3)
        if value is not None and value >= 0:
            low = self.lower(poly)
            if low is not None and (poly - low.args[0]).constant >= 0:
                return linear(poly, ">=", "weaken", (low,))
        implied = self._implied(poly, effort)
        if implied is not None:
            return linear(poly, ">=", "weaken", (implied,))
        path = self._path(poly, effort)
        return None if path is None else linear(poly, ">=", "weaken", (path,))

    def _path(self, poly: Polynomial, effort: int) -> Fact | None:
        """Return a sum of differences that bounds `a - b + constant` from below by zero."""
        pair = _difference(poly)
        if pair is None:
            return None
        start, goal = pair
        # The best known lower bound of start - atom, with the fact.
        best: dict[Atom | None, tuple[int, Fact | None]] = {start: (0, None)}
        queue: list[Atom | None] = [start]
        position = 0
        while position < len(queue) and position < effort:
            atom = queue[position]
            position += 1
            gained, fact = best[atom]
            for other, gap, edge in self._steps_down(atom):
                total = gained + gap
                if other in best and best[other][0] >= total:
                    continue
                joined = edge if fact is None else combine([(1, fact), (1, edge)])
                best[other] = (total, joined)
                if other is goal and total + poly.constant >= 0:
                    return joined
                if other is not goal and other is not start:
                    queue.append(other)
        return None

    def _steps_down(self, atom: Atom | None) -> Iterator[tuple[Atom | None, int, Fact]]:
        """Yield atoms that an atom exceeds by at least some amount; None stands for zero."""
        if atom is None:
            return
        row = self.rows.get((atom,))
        if row is not None and row.low is not None:
            yield None, row.low[0], _one_sided(row.low, (atom,), 1)
        cells = self.occurs.get(atom)
        while cells is not None:
            key, cells = cells
            if isinstance(key, tuple) or len(key.terms) != 2:
                continue
            row = self.rows.get(key)
            if row is None:
                continue
            factor = key.terms.get((atom,), 0)
            other: Monomial = next((mono for mono in key.terms if mono != (atom,)), ())
            if abs(factor) != 1 or len(other) != 1 or key.terms[other] != -factor:
                continue
            bound = row.low if factor > 0 else row.high
            if bound is not None:
                yield other[0], bound[0] * factor, _one_sided(bound, key, int(factor))

    def lower(self, poly: Polynomial, depth: int = 3) -> Fact | None:
        """Return the fact that a polynomial is at least some constant: `args[0]` is `poly - constant`.

        Args:
            poly: integer coefficients, rewritten.
            depth: how far to look into quotients and products.
        """
        if poly.is_constant:
            return Fact("linear", (Polynomial({}), ">="), "zero")
        row, factor = self.row_of(poly)
        if row is not None:
            bound = row.low if factor > 0 else row.high
            if bound is not None:
                fact = _one_sided(bound, self.key(poly)[0], 1 if factor > 0 else -1)
                return fact if abs(factor) == 1 else combine([(abs(factor), fact)])
        parts: list[tuple[int, Fact]] = []
        for mono, value in poly.terms.items():
            if not mono:
                continue
            found = self._mono_bound(mono, 1 if value > 0 else -1, depth)
            if found is None:
                return None
            parts.append((abs(int(value)), found))
        return combine(parts)

    def _least(self, poly: Polynomial, depth: int) -> int | None:
        """Return what `lower` would show to be the least value of a polynomial, without the proof."""
        terms = poly.terms
        constant = terms.get((), 0)
        if len(terms) == (1 if constant else 0):
            return int(constant)
        key, factor = poly.row
        row = self.rows.get(key)
        if row is not None:
            bound = row.low if factor > 0 else row.high
            if bound is not None:
                return int(constant + factor * bound[0])
        total = int(constant)
        for mono, value in terms.items():
            if not mono:
                continue
            least = self._least_of(mono, 1 if value > 0 else -1, depth)
            if least is None:
                return None
            total += abs(int(value)) * least
        return total

    def _least_of(self, mono: Monomial, sign: int, depth: int) -> int | None:
        row = self.rows.get(mono)
        if row is not None:
            bound = row.low if sign > 0 else row.high
            if bound is not None:
                return sign * bound[0]
        if not depth:
            return None
        atom = mono[0]
        if len(mono) == 1:
            if isinstance(atom, Quotient):
                if not atom.parts[1].is_constant:
                    return None
                divisor = int(atom.parts[1].constant)
                inner = self._least(atom.parts[0].times(sign), depth - 1)
                # Down: the floor of the least. Up: the negative of the floor of the greatest.
                return None if inner is None else inner // divisor if sign > 0 else -(-inner // divisor)
            if isinstance(atom, Peak):
                found = [self._least(part.times(sign), depth - 1) for part in atom.parts]
                known = [value for value in found if value is not None]
                if sign > 0:
                    return max(known, default=None)
                return min(known) if len(known) == len(found) else None
            return 0 if sign > 0 and not isinstance(atom, Choice) and is_size(atom) else None
        if sign < 0:
            return None
        product = 1
        for atom in mono:
            least = self._least_of((atom,), 1, depth - 1)
            if least is None or least < 0:
                return None
            product *= least
        return product

    def _implied(self, poly: Polynomial, effort: int) -> Fact | None:
        """Return a bound of a single atom that a longer sum gives it by the bounds of its other parts."""
        if len(poly.terms) - (() in poly.terms) != 1:
            return None
        mono, scale = poly.row
        if not isinstance(mono, tuple) or len(mono) != 1:
            return None
        sign = 1 if scale > 0 else -1
        cells = self.occurs.get(mono[0])
        for _ in range(min(effort, 12)):
            if cells is None:
                break
            key, cells = cells
            if isinstance(key, tuple):
                continue
            row = self.rows.get(key)
            factor = key.terms.get(mono, 0)
            if row is None or not factor:
                continue
            # key * direction = |factor| * sign * atom + rest.
            direction = 1 if factor * sign > 0 else -1
            bound = row.low if direction > 0 else row.high
            if bound is None:
                continue
            rest = (Polynomial({mono: factor}) - key).times(direction)
            least = self._least(rest, 2)
            if least is None:
                continue
            size = abs(int(factor))
            value = -(-(direction * bound[0] + least) // size)
            if abs(scale) * value + poly.constant < 0:
                continue
            below = self.lower(rest)
            if below is None:
                continue
            made = combine([(1, _one_sided(bound, key, direction)), (1, below)], size)
            return made if abs(scale) == 1 else combine([(abs(scale), made)])
        return None

    def row_of(self, poly: Polynomial) -> tuple[Row | None, int]:
        """Return the row of a polynomial without its constant, and its factor."""
        key, factor = self.key(poly)
        row = self.rows.get(key)
        if row is None or row is _EMPTY:
            return None, factor
        return row, factor

    def _mono_bound(self, mono: Monomial, sign: int, depth: int) -> Fact | None:
        """Return a fact `sign * mono - constant >= 0`."""
        row = self.rows.get(mono)
        if row is not None:
            bound = row.low if sign > 0 else row.high
            if bound is not None:
                return _one_sided(bound, mono, sign)
        if not depth:
            return None
        if len(mono) == 1:
            atom = mono[0]
            if isinstance(atom, Quotient):
                return self._quotient_bound(atom, sign, depth)
            if isinstance(atom, Peak):
                return self._peak_bound(atom, sign, depth)
            if isinstance(atom, Choice):
                return None
            if sign > 0 and is_size(atom):
                return size_axiom(atom)
            return None
        if sign > 0:
            return self._product_bound(mono, depth)
        return None

    def _quotient_bound(self, atom: Quotient, sign: int, depth: int) -> Fact | None:
        top, bottom = atom.parts
        if not bottom.is_constant:
            return None
        divisor = int(bottom.constant)
        below = self.lower(top.times(sign), depth - 1)
        if below is None:
            return None
        axioms = quotient_axioms(atom)
        return combine([(1, axioms[1 if sign > 0 else 0]), (1, below)], divisor)

    def _peak_bound(self, atom: Peak, sign: int, depth: int) -> Fact | None:
        if sign > 0:
            best: Fact | None = None
            for number_, part in enumerate(atom.parts):
                below = self.lower(part, depth - 1)
                if below is not None:
                    fact = combine([(1, peak_axiom(atom, number_)), (1, below)])
                    if best is None or fact.args[0].constant < best.args[0].constant:
                        best = fact
            return best
        found = []
        for part in atom.parts:
            above = self.lower(-part, depth - 1)
            if above is None:
                return None
            found.append(above)
        # -part - c >= 0 for each part, so -max >= min of the c.
        least = min((-part - fact.args[0]).constant for part, fact in zip(atom.parts, found, strict=False))
        poly = Polynomial({(atom,): -1}) - number(least)
        return linear(poly, ">=", "all parts", tuple(found))

    def _product_bound(self, mono: Monomial, depth: int) -> Fact | None:
        head: Fact | None = None
        for atom in mono:
            below = self.lower(Polynomial({(atom,): 1}), depth - 1)
            if below is None or below.args[0].constant > 0:
                return None
            if head is None:
                head = below
                continue
            # (p - a) * (q - b) >= 0 with a, b >= 0, so p * q >= a * q + b * p - a * b >= a * b.
            product = linear(head.args[0] * below.args[0], ">=", "product", (head, below))
            first, second = int(-head.args[0].constant), int(-below.args[0].constant)
            head = combine([(1, product), (first, below), (second, head)])
        return head


def _one_sided(bound: _Bound, key: Key, sign: int) -> Fact:
    """Return a bound as `sign * key - constant >= 0`, also where it is an equation."""
    fact = bound[1]
    if fact.args[1] != "==":
        return fact
    first = key if isinstance(key, tuple) else next(iter(key.terms))
    whole = 1 if isinstance(key, tuple) else key.terms[first]
    return combine([(1 if fact.args[0].terms[first] * sign * whole > 0 else -1, fact)])


def _difference(poly: Polynomial) -> tuple[Atom, Atom | None] | None:
    """Return the atoms of `a - b + constant`; b is None for `a + constant`."""
    plus: Atom | None = None
    minus: Atom | None = None
    for mono, factor in poly.terms.items():
        if not mono:
            continue
        if len(mono) != 1 or (factor == 1 and plus is not None) or (factor == -1 and minus is not None) or abs(factor) != 1:
            return None
        if factor == 1:
            plus = mono[0]
        else:
            minus = mono[0]
    return None if plus is None else (plus, minus)


def _solvable(poly: Polynomial) -> Atom | None:
    """Return an atom that an equation can be solved for: unit coefficient, and it occurs nowhere else in it."""
    found: Atom | None = None
    inner: set[Atom] | None = None
    for mono, factor in poly.terms.items():
        if len(mono) != 1 or factor not in (1, -1):
            continue
        atom = mono[0]
        if inner is None:
            inner = set()
            for other in poly.atoms:
                if isinstance(other, Quotient | Peak | Choice):
                    inner.update(other.atoms())
            for other_mono in poly.terms:
                if len(other_mono) > 1:
                    inner.update(other_mono)
        if atom in inner:
            continue
        if not isinstance(atom, Quotient | Peak | Choice):
            return atom
        found = found or atom
    return found


def substitute(poly: Polynomial, changes: dict[Atom, Polynomial]) -> Polynomial:
    """Return a polynomial with atoms replaced.

    Example:
        >>> from guardlang.sources import LocalSource
        >>> x = LocalSource("x")
        >>> substitute(Polynomial({(x, x): 1}), {x: number(3)})
        9
    """
    total = Polynomial({})
    same: dict[Monomial, Any] = {}
    for mono, factor in poly.terms.items():
        if not any(atom in changes for atom in mono):
            same[mono] = factor
            continue
        product = number(factor)
        for atom in mono:
            product = product * (changes[atom] if atom in changes else Polynomial({(atom,): 1}))
        total = total + product
    return (total + Polynomial(same)).whole()


def remade(atom: Quotient | Peak | Choice, parts: tuple[Polynomial, ...]) -> Polynomial | None:
    """Return an opaque atom with other parts, None when it cannot be said."""
    if isinstance(atom, Quotient):
        scale = math.lcm(parts[0].scale, parts[1].scale)
        top, bottom = (part.times(scale).whole() for part in parts)
        return quotient(top, bottom) if bottom.terms else None
    if any(part.scale > 1 for part in parts):
        return None
    if isinstance(atom, Peak):
        return maximum(parts)
    return opaque(Choice, parts, atom.test)


def _floor(key: Key) -> _Bound | None:
    """Return the bound that a sum has by what it is: a size is not negative."""
    if isinstance(key, Polynomial) or len(key) != 1:
        return None
    atom = key[0]
    if isinstance(atom, Quotient | Peak | Choice) or not is_size(atom):
        return None
    return 0, size_axiom(atom)


def size_axiom(atom: Expr) -> Fact:
    """Return that a size is not negative."""
    return linear(Polynomial({(atom,): 1}), ">=", "size", ())


def quotient_axioms(atom: Quotient) -> tuple[Fact, Fact]:
    """Return `a - k*q >= 0` and `k*q + k - 1 - a >= 0` for `q = a // k` with a positive constant k."""
    top, bottom = atom.parts
    multiple = Polynomial({(atom,): 1}) * bottom
    return (
        linear(top - multiple, ">=", "quotient", (), atom),
        linear(multiple + bottom - number(1) - top, ">=", "quotient", (), atom),
    )


def peak_axiom(atom: Peak, part: int) -> Fact:
    """Return that a maximum is at least one of its parts."""
    return linear(Polynomial({(atom,): 1}) - atom.parts[part], ">=", "peak", (), atom)


def chain(cells: Any) -> Iterator[Any]:
    """Yield the items of a chain of pairs."""
    while cells is not None:
        item, cells = cells
        yield item
