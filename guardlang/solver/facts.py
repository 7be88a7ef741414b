"""Facts: what the solver knows and why. A proof is a fact with the facts it follows from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from guardlang.ast import Expr

__all__ = ["Fact", "ancestors", "assume", "given", "support"]


class Fact:
    """A statement and its justification; never changed once made.

    Kinds and their arguments:
        `true` and `false` (expr): the condition is defined and has that truth.
        `defined` (expr): reading and computing it gives a value.
        `type` (expr, classes): its exact class is one of the classes.
        `value` (expr): it is a value, so that `==` on it is defined.
        `same`, `apart` (a, b): one object; two objects.
        `equals`, `differs` (expr, constant): equal, unequal to the value of a constant node.
        `linear` (polynomial, relation): the polynomial is an integer and `>= 0`, `== 0` or `!= 0`.
        `divides` (polynomial, modulus): the polynomial is an integer and a multiple of the modulus.
        `order` (low, high, strict): both are ordered numbers, `low < high` or `low <= high`; a side is a term or a Fraction.
        `clause` (alternatives): one of the alternatives holds; each is a tuple of pairs of kind and arguments.
        `absurd` (): never.

    Args:
        kind: what is stated.
        args: of what.
        rule: the name of the rule it follows by.
        premises: the facts that the rule was applied to.
        extra: what else the rule needs to be checked.

    Example:
        >>> Fact("absurd", (), "assume").kind
        'absurd'
    """

    __slots__ = ("args", "extra", "kind", "known_support", "premises", "rule")

    def __init__(self, kind: str, args: tuple[Any, ...], rule: str, premises: tuple[Fact, ...] = (), extra: Any = None) -> None:
        self.kind = kind
        self.args = args
        self.rule = rule
        self.premises = premises
        self.extra = extra
        self.known_support: frozenset[int] | None = None

    @property
    def support(self) -> frozenset[int]:
        """The places of the guards that the fact rests on."""
        if self.known_support is None:
            for fact in ancestors([self], known=True):
                below = fact.premises
                if fact.rule == "given":
                    fact.known_support = frozenset({fact.extra})
                elif len(below) == 1:
                    fact.known_support = below[0].known_support
                else:
                    fact.known_support = frozenset().union(*(premise.known_support or _NOTHING for premise in below))
            assert self.known_support is not None
        return self.known_support

    def __repr__(self) -> str:
        return f"<{self.kind} {' '.join(map(str, self.args))} by {self.rule}>"


def given(number: int, guard: Expr) -> Fact:
    """Return the fact that a guard of the question holds.

    Args:
        number: its place in the question.
        guard: the guard.
    """
    return Fact("true", (guard,), "given", (), number)


def assume(kind: str, *args: Any) -> Fact:
    """Return an assumption, to be discharged by a rule that reasons by cases."""
    return Fact(kind, args, "assume")


_NOTHING: frozenset[int] = frozenset()


def ancestors(facts: Iterable[Fact], *, known: bool = False) -> Iterator[Fact]:
    """Yield the facts of a proof, each once, premises before what follows from them.

    Args:
        facts: the last steps.
        known: whether to leave out facts whose support has been computed, with all that they follow from.
    """
    done: set[int] = set()
    stack: list[tuple[Fact, bool]] = [(fact, False) for fact in facts]
    stack.reverse()
    while stack:
        fact, ready = stack.pop()
        if ready:
            yield fact
            continue
        if id(fact) in done or (known and fact.known_support is not None):
            continue
        done.add(id(fact))
        stack.append((fact, True))
        stack.extend((premise, False) for premise in reversed(fact.premises) if id(premise) not in done)


def support(facts: Iterable[Fact]) -> tuple[int, ...]:
    """Return the places of the guards that facts rest on, in order.

    Example:
        >>> from guardlang.parse import parse
        >>> first = given(4, parse("L['a'] is None"))
        >>> support([Fact("defined", (parse("L['a']"),), "operand", (first,))])
        (4,)
    """
    return tuple(sorted(_NOTHING.union(*(fact.support for fact in facts))))
