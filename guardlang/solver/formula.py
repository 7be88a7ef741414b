"""Formulas: the terms over Bool, Int and Real that every SMT solver understands, folded while they are built.

Division here is SMT-LIB's own, Euclidean one; Python's floor division is made of it in `encode`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from fractions import Fraction

import attrs

__all__ = ["BOOL", "FALSE", "INT", "REAL", "TRUE", "Builder", "Term", "subterms", "value_of"]

BOOL, INT, REAL = "Bool", "Int", "Real"


@attrs.frozen(eq=False, slots=True, repr=False)
class Term:
    """A term: an operator of SMT-LIB and its operands, or a leaf.

    Args:
        op: `const`, `var`, `apply` or the name that SMT-LIB gives the operator.
        args: operands.
        sort: `Bool`, `Int` or `Real`.
        value: the bool, int or Fraction of a constant, the name of a variable or function.
    """

    op: str
    args: tuple[Term, ...]
    sort: str
    value: bool | int | Fraction | str = ""

    def __str__(self) -> str:
        if not self.args:
            return str(self.value)
        return f"({self.value if self.op == 'apply' else self.op} {' '.join(map(str, self.args))})"


TRUE = Term("const", (), BOOL, True)
FALSE = Term("const", (), BOOL, False)


def subterms(*roots: Term, skip: Container[Term] = ()) -> Iterator[Term]:
    """Yield every term below the roots once, operands first.

    Args:
        roots: where to start.
        skip: terms that are left out with all that is below them.

    Example:
        >>> make = Builder()
        >>> [str(t) for t in subterms(make.lt(make.variable("n", INT), make.integer(3)))]
        ['n', '3', '(< n 3)']
    """
    seen: set[Term] = set()
    stack = [(root, False) for root in reversed(roots)]
    while stack:
        term, done = stack.pop()
        if done:
            yield term
        elif term not in seen and term not in skip:
            seen.add(term)
            if not term.args:
                yield term
                continue
            stack.append((term, True))
            stack.extend([(arg, False) for arg in reversed(term.args)])


class Builder:
    """Makes the terms of one query; equal terms are one object, and constants fold.

    Example:
        >>> make = Builder()
        >>> n = make.variable("n", INT)
        >>> str(make.both(make.le(n, n), make.lt(n, make.add(make.integer(2), make.integer(3)))))
        '(< n 5)'
    """

    def __init__(self) -> None:
        self._table: dict[object, Term] = {}

    def _term(self, op: str, args: tuple[Term, ...], sort: str, value: bool | int | Fraction | str = "") -> Term:
        key = (op, args, sort, value)
        found = self._table.get(key)
        if found is None:
            found = self._table[key] = Term(op, args, sort, value)
        return found

    def variable(self, name: str, sort: str) -> Term:
        """Return the variable of that name."""
        return self._term("var", (), sort, name)

    def apply(self, name: str, args: tuple[Term, ...], sort: str) -> Term:
        """Return an application of an uninterpreted function."""
        return self._term("apply", args, sort, name)

    def integer(self, value: int) -> Term:
        """Return an integer constant."""
        return self._term("const", (), INT, int(value))

    def real(self, value: Fraction | int) -> Term:
        """Return a rational constant."""
        return self._term("const", (), REAL, Fraction(value))

    def boolean(self, value: bool) -> Term:
        """Return TRUE or FALSE."""
        return TRUE if value else FALSE

    def negate(self, a: Term) -> Term:
        """Return `not a`."""
        if a.op == "const":
            return self.boolean(not a.value)
        return a.args[0] if a.op == "not" else self._term("not", (a,), BOOL)

    def both(self, *parts: Term) -> Term:
        """Return the conjunction."""
        return self._junction("and", parts, TRUE, FALSE)

    def either(self, *parts: Term) -> Term:
        """Return the disjunction."""
        return self._junction("or", parts, FALSE, TRUE)

    def _junction(self, op: str, parts: tuple[Term, ...], unit: Term, zero: Term) -> Term:
        kept: dict[Term, None] = {}
        for part in parts:
            if part is zero:
                return zero
            if part is not unit:
                kept.update(dict.fromkeys(part.args if part.op == op else (part,)))
        if any(part.op == "not" and part.args[0] in kept for part in kept):
            return zero
        if not kept:
            return unit
        return next(iter(kept)) if len(kept) == 1 else self._term(op, tuple(kept), BOOL)

    def implies(self, a: Term, b: Term) -> Term:
        """Return `not a or b`."""
        return self.either(self.negate(a), b)

    def equal(self, a: Term, b: Term) -> Term:
        """Return `a = b` for two terms of one sort."""
        if a is b:
            return TRUE
        if a.op == b.op == "const":
            return self.boolean(a.value == b.value)
        for this, other in ((a, b), (b, a)):
            if this is TRUE:
                return other
            if this is FALSE:
                return self.negate(other)
            pushed = self._into_choice(this, other, self.equal)
            if pushed is not None:
                return pushed
        return self._term("=", (a, b), BOOL)

    def _into_choice(self, choice: Term, constant: Term, test: Callable[[Term, Term], Term]) -> Term | None:
        """Return a test of a choice between constants as a formula over its condition; None for other terms."""
        if choice.op != "ite" or constant.op != "const":
            return None
        condition, yes, no = choice.args
        if yes.op != "const" and no.op != "const":
            return None
        return self.choose(condition, test(yes, constant), test(no, constant))

    def choose(self, condition: Term, yes: Term, no: Term) -> Term:
        """Return `yes if condition else no`."""
        if condition is TRUE or yes is no:
            return yes
        if condition is FALSE:
            return no
        if yes.sort == BOOL:
            if yes.op == "const":
                return self.either(condition, no) if yes.value else self.both(self.negate(condition), no)
            if no.op == "const":
                return self.implies(condition, yes) if no.value else self.both(condition, yes)
        return self._term("ite", (condition, yes, no), yes.sort)

    def le(self, a: Term, b: Term) -> Term:
        """Return `a <= b`."""
        if a is b:
            return TRUE
        if a.op == b.op == "const":
            return self.boolean(_number(a) <= _number(b))
        return self._term("<=", (a, b), BOOL)

    def lt(self, a: Term, b: Term) -> Term:
        """Return `a < b`."""
        return self.boolean(_number(a) < _number(b)) if a.op == b.op == "const" else self._strict(a, b)

    def _strict(self, a: Term, b: Term) -> Term:
        return FALSE if a is b else self._term("<", (a, b), BOOL)

    def _constant(self, value: Fraction | int, sort: str) -> Term:
        return self.integer(int(value)) if sort == INT else self.real(value)

    def add(self, a: Term, b: Term) -> Term:
        """Return `a + b`."""
        if a.op == b.op == "const":
            return self._constant(_number(a) + _number(b), a.sort)
        if _is(a, 0):
            return b
        return a if _is(b, 0) else self._term("+", (a, b), a.sort)

    def multiply(self, a: Term, b: Term) -> Term:
        """Return `a * b`."""
        if a.op == b.op == "const":
            return self._constant(_number(a) * _number(b), a.sort)
        if a.op != "const":
            a, b = (b, a) if b.op == "const" else (a, b)
        if _is(a, 1):
            return b
        return a if _is(a, 0) else self._term("*", (a, b), a.sort)

    def minus(self, a: Term) -> Term:
        """Return `-a`."""
        return self.multiply(self._constant(-1, a.sort), a)

    def subtract(self, a: Term, b: Term) -> Term:
        """Return `a - b`."""
        return self.add(a, self.minus(b))

    def divide(self, a: Term, b: Term) -> Term:
        """Return SMT-LIB's `div`: the remainder is never negative, a zero divisor gives anything."""
        if _is(b, 1):
            return a
        if a.op == b.op == "const" and not _is(b, 0):
            return self.integer(_euclid(int(_number(a)), int(_number(b)))[0])
        return self._term("div", (a, b), INT)

    def modulo(self, a: Term, b: Term) -> Term:
        """Return SMT-LIB's `mod`, never negative."""
        if _is(b, 1):
            return self.integer(0)
        if a.op == b.op == "const" and not _is(b, 0):
            return self.integer(_euclid(int(_number(a)), int(_number(b)))[1])
        return self._term("mod", (a, b), INT)

    def to_real(self, a: Term) -> Term:
        """Return an integer as a real."""
        return self.real(int(_number(a))) if a.op == "const" else self._term("to_real", (a,), REAL)

    def floor(self, a: Term) -> Term:
        """Return SMT-LIB's `to_int`: the largest integer that is not above a."""
        if a.op == "const":
            return self.integer(_number(a).__floor__())
        return a.args[0] if a.op == "to_real" else self._term("to_int", (a,), INT)


def _number(term: Term) -> Fraction | int:
    assert not isinstance(term.value, str)
    return term.value


def _is(term: Term, value: int) -> bool:
    return term.op == "const" and term.sort != BOOL and term.value == value


def _euclid(a: int, b: int) -> tuple[int, int]:
    remainder = a % abs(b)
    return (a - remainder) // b, remainder


def value_of(root: Term, values: Mapping[str, bool | int | Fraction]) -> bool | int | Fraction:
    """Return the value of a term without uninterpreted functions; a zero divisor counts as giving zero.

    Args:
        root: the term.
        values: a value for the name of each variable.

    Example:
        >>> make = Builder()
        >>> value_of(make.modulo(make.variable("n", INT), make.integer(4)), {"n": -3})
        1
    """
    known: dict[Term, bool | int | Fraction] = {}
    for term in subterms(root):
        args = [known[arg] for arg in term.args]
        if term.op == "const":
            assert not isinstance(term.value, str)
            known[term] = term.value
        elif term.op == "var":
            known[term] = values[str(term.value)]
        elif term.op == "ite":
            known[term] = args[1] if args[0] else args[2]
        elif term.op in ("div", "mod") and args[1] == 0:
            known[term] = 0
        else:
            known[term] = _OPERATIONS[term.op](args)
    return known[root]


_OPERATIONS: dict[str, Callable[[list[bool | int | Fraction]], bool | int | Fraction]] = {
    "not": lambda a: not a[0],
    "and": all,
    "or": any,
    "=": lambda a: a[0] == a[1],
    "<=": lambda a: a[0] <= a[1],
    "<": lambda a: a[0] < a[1],
    "+": lambda a: a[0] + a[1],
    "*": lambda a: a[0] * a[1],
    "div": lambda a: _euclid(int(a[0]), int(a[1]))[0],
    "mod": lambda a: _euclid(int(a[0]), int(a[1]))[1],
    "to_real": lambda a: Fraction(a[0]),
    "to_int": lambda a: a[0].__floor__(),
}
