"""Polynomials over opaque atoms, with exact coefficients: what integer terms are in the solver."""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from typing import TypeAlias
from weakref import WeakKeyDictionary, WeakValueDictionary

from guardlang.ast import Expr

__all__ = ["MAX_DEGREE", "MAX_TERMS", "ONE", "ZERO", "Atom", "Choice", "Monomial", "Peak", "Polynomial", "Quotient", "number"]

# Beyond these a term is opaque: products of sums grow exponentially.
MAX_TERMS = 64
MAX_DEGREE = 6


class _Opaque:
    """Base of the atoms that are made of polynomials: equal structure is one object."""

    __slots__ = ("__weakref__", "parts", "rank")

    parts: tuple[Polynomial, ...]
    rank: int

    def atoms(self) -> Iterable[Atom]:
        """Yield the atoms of the polynomials inside, level by level."""
        for part in self.parts:
            for atom in part.atoms:
                yield atom
                if isinstance(atom, _Opaque):
                    yield from atom.atoms()


class Quotient(_Opaque):
    """`parts[0] // parts[1]`, Python's floor division."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"({self.parts[0]}) // ({self.parts[1]})"


class Peak(_Opaque):
    """The largest of the parts."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"max({', '.join(map(str, self.parts))})"


class Choice(_Opaque):
    """`parts[0] if test else parts[1]`."""

    __slots__ = ("test",)

    test: Expr

    def __repr__(self) -> str:
        return f"({self.parts[0]} if {self.test} else {self.parts[1]})"


Atom: TypeAlias = Expr | Quotient | Peak | Choice
Monomial: TypeAlias = tuple[Atom, ...]
_Number: TypeAlias = int | Fraction

_lock = threading.RLock()
_ranks: WeakKeyDictionary[Expr, int] = WeakKeyDictionary()
_opaque: WeakValueDictionary[Hashable, Quotient | Peak | Choice] = WeakValueDictionary()
_counter = itertools.count()


def _rank(atom: Atom) -> int:
    """Return the place of an atom in the order of first use; it decides no verdict and no text."""
    if isinstance(atom, _Opaque):
        return atom.rank
    found = _ranks.get(atom)
    if found is None:
        with _lock:
            found = _ranks.setdefault(atom, next(_counter))
    return found


def opaque(kind: type[Quotient | Peak | Choice], parts: tuple[Polynomial, ...], test: Expr | None = None) -> Polynomial:
    """Return the polynomial of one opaque atom.

    Example:
        >>> str(opaque(Peak, (number(1), number(2))))
        'max(1, 2)'
    """
    key = (kind, parts, test)
    with _lock:
        atom = _opaque.get(key)
        if atom is None:
            atom = kind()
            atom.parts = parts
            atom.rank = next(_counter)
            if isinstance(atom, Choice):
                assert test is not None
                atom.test = test
            _opaque[key] = atom
    return Polynomial({(atom,): 1})


class Polynomial:
    """A sum of coefficient times product of atoms; immutable.

    Args:
        terms: coefficients that are not zero, by monomial; the empty monomial is the constant.

    Example:
        >>> from guardlang.sources import LocalSource
        >>> x = Polynomial({(LocalSource("x"),): 1})
        >>> str((x + number(1)) * (x - number(1)))
        "L['x']*L['x'] - 1"
    """

    __slots__ = ("_atoms", "_hash", "_row", "terms")

    def __init__(self, terms: Mapping[Monomial, _Number]) -> None:
        self.terms = terms
        self._hash = 0
        self._atoms: tuple[Atom, ...] | None = None
        self._row: tuple[Monomial | Polynomial, int] | None = None

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Polynomial) and self.terms == other.terms)

    def __hash__(self) -> int:
        if not self._hash:
            self._hash = hash(frozenset(self.terms.items())) or 1
        return self._hash

    def __repr__(self) -> str:
        text = ""
        for mono, factor in self.terms.items():
            body = "*".join(map(str, mono))
            size = abs(factor)
            piece = body if body and size == 1 else f"{size}*{body}" if body else str(size)
            text += (" - " if factor < 0 else " + ") + piece
        if not text:
            return "0"
        return text[3:] if text.startswith(" + ") else "-" + text[3:]

    @property
    def constant(self) -> _Number:
        """The constant term."""
        return self.terms.get((), 0)

    @property
    def is_constant(self) -> bool:
        """Whether there is nothing but the constant."""
        return not self.terms or (len(self.terms) == 1 and () in self.terms)

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """The atoms of all monomials, each once, in the order of the terms."""
        if self._atoms is None:
            self._atoms = tuple(dict.fromkeys(atom for mono in self.terms for atom in mono))
        return self._atoms

    @property
    def single(self) -> Atom | None:
        """The atom that the polynomial is, if it is just that."""
        if len(self.terms) == 1:
            ((mono, factor),) = self.terms.items()
            if factor == 1 and len(mono) == 1:
                return mono[0]
        return None

    def __add__(self, other: Polynomial) -> Polynomial:
        return self.plus(other, 1)

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self.plus(other, -1)

    def __neg__(self) -> Polynomial:
        return self.times(-1)

    def plus(self, other: Polynomial, factor: _Number) -> Polynomial:
        """Return `self + factor * other`."""
        terms = dict(self.terms)
        for mono, value in other.terms.items():
            total = terms.get(mono, 0) + factor * value
            if total:
                terms[mono] = total
            else:
                terms.pop(mono, None)
        return Polynomial(terms)

    def times(self, factor: _Number) -> Polynomial:
        """Return the polynomial multiplied by a number."""
        if factor == 1:
            return self
        if not factor:
            return ZERO
        return Polynomial({mono: value * factor for mono, value in self.terms.items()})

    def __mul__(self, other: Polynomial) -> Polynomial:
        if other.is_constant:
            return self.times(other.constant)
        if self.is_constant:
            return other.times(self.constant)
        terms: dict[Monomial, _Number] = {}
        for left, first in self.terms.items():
            for right, second in other.terms.items():
                mono = _product(left, right)
                total = terms.get(mono, 0) + first * second
                if total:
                    terms[mono] = total
                else:
                    terms.pop(mono, None)
        return Polynomial(terms)

    @property
    def row(self) -> tuple[Monomial | Polynomial, int]:
        """The sum without constant and common factor that this is a multiple of, and the factor.

        A single monomial stands for itself. Of a sum and its negative the one with a positive first term is taken.
        """
        if self._row is None:
            terms = self.terms
            if len(terms) - (() in terms) == 1:
                for mono, factor in terms.items():
                    if mono:
                        self._row = (mono, int(factor))
            else:
                content = self.content
                if terms[min((mono for mono in terms if mono), key=_order)] < 0:
                    content = -content
                self._row = (Polynomial({mono: int(factor) // content for mono, factor in terms.items() if mono}), content)
            assert self._row is not None
        return self._row

    @property
    def degree(self) -> int:
        """The number of factors of the longest monomial."""
        return max(map(len, self.terms), default=0)

    @property
    def content(self) -> int:
        """The greatest common divisor of the integer coefficients without the constant; 0 for a constant."""
        result = 0
        for mono, factor in self.terms.items():
            if mono:
                result = math.gcd(result, int(factor))
        return result

    @property
    def scale(self) -> int:
        """The least positive integer that makes all coefficients integers."""
        result = 1
        for factor in self.terms.values():
            if type(factor) is not int:
                result = math.lcm(result, factor.denominator)
        return result

    def whole(self) -> Polynomial:
        """Return the polynomial with integral fractions as ints."""
        if all(type(factor) is int for factor in self.terms.values()):
            return self
        return Polynomial({m: int(f) if f.denominator == 1 else f for m, f in self.terms.items()})


def _product(left: Monomial, right: Monomial) -> Monomial:
    if not left or not right:
        return left or right
    return tuple(sorted(left + right, key=_rank))


def number(value: _Number) -> Polynomial:
    """Return a constant polynomial.

    Example:
        >>> number(0) == ZERO
        True
    """
    return Polynomial({(): value}) if value else ZERO


ZERO = Polynomial({})
ONE = Polynomial({(): 1})


def divide_exactly(left: Polynomial, right: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Return quotient and remainder of the division of polynomials, integer coefficients only.

    Example:
        >>> from guardlang.sources import LocalSource
        >>> x = Polynomial({(LocalSource("x"),): 1})
        >>> [str(p) for p in divide_exactly(x * x - number(1), x + number(1))]
        ["L['x'] - 1", '0']
    """
    if right.is_constant or len(right.terms) > 8 or len(left.terms) > MAX_TERMS:
        return ZERO, left
    # By text, so that the result does not depend on which atom was met first.
    lead = max(right.terms, key=_text_order)
    factor = right.terms[lead]
    quotient, rest = ZERO, left
    for _ in range(4 * MAX_TERMS):
        # The largest divisible term goes first; what is left over stays in the remainder.
        for mono in sorted(rest.terms, key=_text_order, reverse=True):
            cofactor = _without(mono, lead)
            if cofactor is not None and rest.terms[mono] % factor == 0:
                step = Polynomial({cofactor: rest.terms[mono] // factor})
                break
        else:
            return quotient, rest
        quotient = quotient + step
        rest = rest - step * right
        if len(rest.terms) > MAX_TERMS:
            break
    return ZERO, left


def _order(mono: Monomial) -> tuple[int, tuple[int, ...]]:
    return len(mono), tuple(map(_rank, mono))


def _text_order(mono: Monomial) -> tuple[int, list[str]]:
    return len(mono), sorted(map(str, mono))


def _without(mono: Monomial, divisor: Monomial) -> Monomial | None:
    left = list(mono)
    for atom in divisor:
        if atom not in left:
            return None
        left.remove(atom)
    return tuple(left)
