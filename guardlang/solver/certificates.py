"""Certificates: proofs as they are kept with a verdict, checked again, and shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from guardlang.ast import Expr
from guardlang.solver.checker import CertificateError, check, check_z3
from guardlang.solver.facts import Fact, ancestors
from guardlang.solver.tiers import Sympy, SympyStep, Z3Step

__all__ = ["Certificate", "CertificateError"]


@attrs.frozen(eq=False)
class Certificate:
    """A proof with the question that it answers.

    Args:
        facts: the guards that the proof refers to by place.
        goal: what is proved; None for a contradiction.
        proof: the last step.

    Example:
        >>> from guardlang.parse import parse
        >>> from guardlang.solver.context import Context
        >>> from guardlang.solver.prover import prove
        >>> facts, goal = (parse("L['x'].shape[0] > 3"),), parse("L['x'].shape[0] >= 4")
        >>> certificate = Certificate(facts, goal, prove(Context(facts), goal))
        >>> certificate.check()
        >>> certificate.steps()[0]
        "1  true     L['x'].shape[0] > 3   given"
    """

    facts: tuple[Expr, ...]
    goal: Expr | None
    proof: Any

    def check(self) -> None:
        """Have the checker replay the proof; a claim of z3 is put to z3 again.

        Raises:
            CertificateError: a step does not follow.
        """
        if isinstance(self.proof, Z3Step):
            if self.proof.goal is not self.goal or not set(self.proof.facts) <= set(self.facts):
                raise CertificateError("the claim of z3 is about another question")
            check_z3(self.proof.facts, self.goal, rlimit=self.proof.rlimit)
        elif isinstance(self.proof, SympyStep):
            again = self.proof.goal is self.goal and set(self.proof.facts) <= set(self.facts)
            if not again or Sympy().prove(self.proof.facts, self.goal, budget=100).kind != "proved":
                raise CertificateError("sympy does not find the identity again")
        elif isinstance(self.proof, Fact):
            check(self.facts, self.goal, self.proof)
        else:
            raise CertificateError("the solver gave no proof that could be checked")

    def steps(self) -> list[str]:
        """Return the proof as numbered lines: the fact, the rule, and the lines that it was applied to."""
        if not isinstance(self.proof, Fact):
            return ["1  z3"]
        places: dict[int, int] = {}
        lines: list[str] = []
        for number, fact in enumerate(ancestors([self.proof]), start=1):
            places[id(fact)] = number
            used = "".join(f" {places[id(premise)]}" for premise in fact.premises)
            lines.append(f"{number}  {fact.kind:<8} {_text(fact.args)}   {fact.rule}{used}")
        return lines


def _text(args: Sequence[Any]) -> str:
    return " ".join(_argument(arg) for arg in args)


def _argument(arg: Any) -> str:
    if isinstance(arg, frozenset):
        return "{" + ", ".join(sorted(cls.__name__ for cls in arg)) + "}"
    if isinstance(arg, tuple):
        return "(" + " ".join(map(_argument, arg)) + ")"
    return str(arg)
