"""SMT-LIB 2: a question about guards as text that any solver for integers, reals and uninterpreted functions reads."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction

from guardlang.ast import Expr
from guardlang.interning import text_of
from guardlang.solver.encode import Encoder, known_types
from guardlang.solver.formula import BOOL, Term, subterms
from guardlang.solver.z3_bridge import decimal
from guardlang.walk import fold

__all__ = ["to_smtlib"]

_MAX_COMMENT = 500
_MAX_NODES = 1_000


def to_smtlib(
    facts: Sequence[Expr],
    goal: Expr | None = None,
    *,
    types: Mapping[Expr, str | type] = {},
    defined: Collection[Expr] = (),
) -> str:
    """Return a script that is unsatisfiable exactly if the encoding proves the goal, or without one that the facts contradict.

    Every name is numbered and a comment says what it stands for, so no text of a guard is ever part of a command.

    Args:
        facts: guards that hold.
        goal: the guard in question, asserted not to hold.
        types: exact types that are known beyond what the facts state.
        defined: nodes that are known to be defined.

    Returns:
        Commands from `set-logic` to `check-sat`.

    Example:
        >>> from guardlang.parse import parse
        >>> print(to_smtlib([parse("type(L['n']) is int"), parse("L['n'] > 2")]))
        ; v0: identity
        ; v1: defined
        ; v2: integer of L['n']
        ; v3: metaclass
        ; v4: identity
        (set-logic ALL)
        (declare-const v1 Bool)
        (declare-const v2 Int)
        (declare-const v3 Int)
        ; fact 0: type(L['n']) is int
        (assert v1)
        ; fact 1: L['n'] > 2
        (assert (and v1 (< 2 v2)))
        ; what holds of the names
        (assert (<= 18 v3))
        (check-sat)
    """
    roots = (*facts, *(() if goal is None else (goal,)))
    encoder = Encoder(roots, types={**known_types(facts), **types}, defined=defined)
    parts = [(f"fact {n}: {_comment(fact)}", encoder.formula(fact).true) for n, fact in enumerate(facts)]
    if goal is not None:
        parts.append((f"not the goal: {_comment(goal)}", encoder.make.negate(encoder.formula(goal).true)))
    side = list(encoder.side)
    terms = [term for _, term in parts] + side
    functions = _functions(terms)
    lines = [f"; {name}: {meaning}" for name, meaning in _meanings(encoder, functions).items()]
    lines.append("(set-logic ALL)")
    lines += _declarations(terms, functions)
    printer = _Printer(functions, terms)
    for comment, term in parts:
        lines += [f"; {comment}", *printer.definitions(term), f"(assert {printer.text(term)})"]
    lines.append("; what holds of the names")
    for term in side:
        lines += [*printer.definitions(term), f"(assert {printer.text(term)})"]
    lines.append("(check-sat)")
    return "\n".join(lines)


def _comment(guard: Expr) -> str:
    """Return the text of a guard on one line of plain characters."""
    # A text writes out what nodes share, so it may be exponentially longer than the guard.
    size = fold([guard], lambda _, below: 1 + sum(below))[guard]
    if size > _MAX_NODES:
        return f"an expression of {size if size < 10**6 else 'more than a million'} parts"
    text = text_of(guard)
    text = "".join(c if " " <= c <= "~" else "?" for c in text)
    return text if len(text) <= _MAX_COMMENT else text[: _MAX_COMMENT - 3] + "..."


def _functions(terms: Iterable[Term]) -> dict[tuple[str, str], str]:
    """Return a numbered name for each uninterpreted function and sort."""
    found: dict[tuple[str, str], str] = {}
    for term in subterms(*terms):
        if term.op == "apply":
            found.setdefault((str(term.value), term.sort), f"f{len(found)}")
    return found


def _meanings(encoder: Encoder, functions: Mapping[tuple[str, str], str]) -> dict[str, str]:
    meanings = dict(encoder.values.names)
    for node, encoded in encoder.atoms.items():
        for field in ("integer", "real"):
            term: Term = getattr(encoded, field)
            if term.op == "var" and meanings.get(str(term.value)) == field:
                meanings[str(term.value)] = f"{field} of {_comment(node)}"
    meanings.update({name: function for (function, _), name in functions.items()})
    return {name: "".join(c if " " <= c <= "~" else "?" for c in meaning) for name, meaning in meanings.items()}


def _declarations(terms: Iterable[Term], functions: Mapping[tuple[str, str], str]) -> list[str]:
    variables: dict[str, str] = {}
    signatures: dict[str, str] = {}
    for term in subterms(*terms):
        if term.op == "var":
            variables[str(term.value)] = term.sort
        elif term.op == "apply":
            name = functions[str(term.value), term.sort]
            signatures[name] = f"(declare-fun {name} ({' '.join(arg.sort for arg in term.args)}) {term.sort})"
    ordered = sorted(variables, key=lambda name: int(name[1:]))
    return [f"(declare-const {name} {variables[name]})" for name in ordered] + list(signatures.values())


class _Printer:
    """Prints terms; one that is used more than once gets a name, so that sharing costs no more than its size."""

    def __init__(self, functions: Mapping[tuple[str, str], str], terms: Sequence[Term]) -> None:
        self._functions = functions
        self._uses: dict[Term, int] = {}
        for term in subterms(*terms):
            for arg in term.args:
                self._uses[arg] = self._uses.get(arg, 0) + 1
        self._names: dict[Term, str] = {}
        self._texts: dict[Term, str] = {}

    def definitions(self, root: Term) -> list[str]:
        """Return definitions of the shared terms below a term that have no name yet."""
        lines = []
        for term in subterms(root):
            if term in self._texts:
                continue
            text = self._printed(term)
            # Naming also keeps the text of deep terms short.
            if term.args and (self._uses.get(term, 0) > 1 or len(text) > _MAX_COMMENT) and term is not root:
                name = self._names[term] = f"t{len(self._names)}"
                lines.append(f"(define-fun {name} () {term.sort} {text})")
                text = name
            self._texts[term] = text
        return lines

    def text(self, root: Term) -> str:
        """Return the text of a term whose shared parts are defined."""
        return self._texts[root]

    def _printed(self, term: Term) -> str:
        if term.op == "const":
            return _literal(term)
        if term.op == "var":
            return str(term.value)
        head = self._functions[str(term.value), term.sort] if term.op == "apply" else term.op
        return f"({head} {' '.join(self._texts[arg] for arg in term.args)})"


def _literal(term: Term) -> str:
    if term.sort == BOOL:
        return "true" if term.value else "false"
    number = Fraction(term.value)
    if term.sort == "Int":
        return _signed(decimal(abs(number.numerator)), negative=number < 0)
    top, bottom = decimal(abs(number.numerator)), decimal(number.denominator)
    return _signed(f"{top}.0" if number.denominator == 1 else f"(/ {top}.0 {bottom}.0)", negative=number < 0)


def _signed(text: str, *, negative: bool) -> str:
    return f"(- {text})" if negative else text
