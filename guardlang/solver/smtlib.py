"""SMT-LIB 2: a question about guards as text that any solver for integers, reals and uninterpreted functions reads."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from guardlang.ast import Expr
from guardlang.interning import text_of
from guardlang.solver.encode import Encoder, known_types
from guardlang.solver.formula import Term
from guardlang.solver.smt_text import Script
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
    script = Script([term for _, term in parts] + side)
    lines = [f"; {name}: {meaning}" for name, meaning in _meanings(encoder, script.functions).items()]
    lines += ["(set-logic ALL)", *script.declarations]
    for comment, term in parts:
        lines += [f"; {comment}", *script.assertion(term)]
    lines.append("; what holds of the names")
    for term in side:
        lines += script.assertion(term)
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


def _meanings(encoder: Encoder, functions: Mapping[tuple[str, str], str]) -> dict[str, str]:
    meanings = dict(encoder.values.names)
    for node, encoded in encoder.atoms.items():
        for field in ("integer", "real"):
            term: Term = getattr(encoded, field)
            if term.op == "var" and meanings.get(str(term.value)) == field:
                meanings[str(term.value)] = f"{field} of {_comment(node)}"
    meanings.update({name: function for (function, _), name in functions.items()})
    return {name: "".join(c if " " <= c <= "~" else "?" for c in meaning) for name, meaning in meanings.items()}
