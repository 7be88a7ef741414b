"""Formulas as SMT-LIB commands: declarations, definitions of shared terms, assertions.

Every name is numbered, so no text of a guard can be part of a command.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from guardlang.solver.formula import BOOL, INT, Term, subterms

__all__ = ["Script", "decimal", "number_of"]

# A term whose text is longer gets a name, so that the text of what holds it stays short.
_LONG = 500
# Python refuses to write integers with more digits in one go.
_CHUNK = 4000


class Script:
    """The commands for some formulas.

    Args:
        terms: all of them.

    Example:
        >>> from guardlang.solver.formula import Builder
        >>> make = Builder()
        >>> condition = make.lt(make.variable("v0", INT), make.integer(-2))
        >>> script = Script([condition])
        >>> script.declarations + script.assertion(condition)
        ['(declare-const v0 Int)', '(assert (< v0 (- 2)))']
    """

    def __init__(self, terms: Sequence[Term]) -> None:
        self.functions: dict[tuple[str, str], str] = {}
        self._uses: dict[Term, int] = {}
        variables: dict[str, str] = {}
        signatures: list[str] = []
        for term in subterms(*terms):
            for arg in term.args:
                self._uses[arg] = self._uses.get(arg, 0) + 1
            if term.op == "var":
                variables[str(term.value)] = term.sort
            elif term.op == "apply" and (str(term.value), term.sort) not in self.functions:
                name = self.functions[str(term.value), term.sort] = f"f{len(self.functions)}"
                signatures.append(f"(declare-fun {name} ({' '.join(arg.sort for arg in term.args)}) {term.sort})")
        ordered = sorted(variables, key=lambda name: int(name[1:]))
        self.declarations = [f"(declare-const {name} {variables[name]})" for name in ordered] + signatures
        self._texts: dict[Term, str] = {}
        self._defined = 0

    def assertion(self, term: Term, mark: str = "") -> list[str]:
        """Return the commands that assert a formula.

        Args:
            term: the formula.
            mark: the name of a Boolean constant on which the assertion depends.
        """
        lines = self._definitions(term)
        text = self._texts[term]
        return [*lines, f"(assert (=> {mark} {text}))" if mark else f"(assert {text})"]

    def _definitions(self, root: Term) -> list[str]:
        """Return definitions of the shared terms below a term that have no name yet."""
        lines = []
        for term in subterms(root, skip=self._texts):
            text = self._printed(term)
            if term.args and (self._uses.get(term, 0) > 1 or len(text) > _LONG) and term is not root:
                name = f"t{self._defined}"
                self._defined += 1
                lines.append(f"(define-fun {name} () {term.sort} {text})")
                text = name
            self._texts[term] = text
        return lines

    def _printed(self, term: Term) -> str:
        if term.op == "const":
            return _literal(term)
        if term.op == "var":
            return str(term.value)
        head = self.functions[str(term.value), term.sort] if term.op == "apply" else term.op
        return f"({head} {' '.join([self._texts[arg] for arg in term.args])})"


def _literal(term: Term) -> str:
    if term.sort == BOOL:
        return "true" if term.value else "false"
    number = Fraction(term.value)
    top, bottom = decimal(abs(number.numerator)), decimal(number.denominator)
    if term.sort != INT:
        top = f"{top}.0" if number.denominator == 1 else f"(/ {top}.0 {bottom}.0)"
    return f"(- {top})" if number < 0 else top


def decimal(number: int) -> str:
    """Return the digits of an integer of any size.

    Example:
        >>> decimal(-(10**5000)) == "-1" + "0" * 5000
        True
    """
    if number < 0:
        return "-" + decimal(-number)
    chunks = []
    while number >= 10**_CHUNK:
        number, low = divmod(number, 10**_CHUNK)
        chunks.append(str(low).zfill(_CHUNK))
    return str(number) + "".join(reversed(chunks))


def number_of(digits: str) -> int:
    """Return the integer of any size that some digits stand for.

    Example:
        >>> number_of("-1" + "0" * 5000) == -(10**5000)
        True
    """
    if digits.startswith("-"):
        return -number_of(digits[1:])
    total = 0
    for start in range(0, len(digits), _CHUNK):
        chunk = digits[start : start + _CHUNK]
        total = total * 10 ** len(chunk) + int(chunk)
    return total
