"""The checker accepts what was proved and refuses every proof that was tampered with."""

from __future__ import annotations

import pytest

from guardlang.ast import Expr
from guardlang.parse import parse
from guardlang.solver.checker import CertificateError, check
from guardlang.solver.context import Context
from guardlang.solver.domains import linear
from guardlang.solver.facts import Fact, ancestors, assume
from guardlang.solver.polynomial import Polynomial, number
from guardlang.solver.prover import prove
from guardlang.solver.search import Budget

QUESTIONS = [
    (["type(L['a']) is int", "type(L['b']) is int", "L['a'] - L['b'] >= 3", "L['b'] >= 2"], "L['a'] > 4"),
    (["type(L['a']) is int", "L['a'] % 12 == 0"], "L['a'] % 4 == 0"),
    (["type(L['a']) is int"], "max(L['a'], 3) >= L['a']"),
    (["L['a'] is L['b']", "L['b'].n > 2"], "L['a'].n > 1"),
    (["L['a'] in ('x', 'y')", "L['a'] != 'x'"], "L['a'] == 'y'"),
    (["type(L['a']) is float", "L['a'] == 3"], "exact(L['a'], 3.0)"),
    (["distinct(L['a'], L['b'])", "L['c'] is L['a']"], "L['c'] is not L['b']"),
    (["L['a'].ndim > 2"], "L['a'].shape[2] >= 0"),
]


def proved(texts: list[str], goal_text: str) -> tuple[list[Expr], Expr, Fact]:
    facts, goal = [parse(text) for text in texts], parse(goal_text)
    proof = prove(Context(facts), goal, Budget())
    assert proof is not None
    return facts, goal, proof


def copied(root: Fact, changed: Fact, change: Fact) -> Fact:
    """Return a proof with one of its facts replaced."""
    made: dict[int, Fact] = {}
    for fact in ancestors([root]):
        if fact is changed:
            made[id(fact)] = change
        else:
            premises = tuple(made[id(premise)] for premise in fact.premises)
            same = all(a is b for a, b in zip(premises, fact.premises, strict=True))
            made[id(fact)] = fact if same else Fact(fact.kind, fact.args, fact.rule, premises, fact.extra)
    return made[id(root)]


@pytest.mark.parametrize(("texts", "goal_text"), QUESTIONS)
def test_a_proof_is_accepted(texts: list[str], goal_text: str) -> None:
    check(*proved(texts, goal_text))


@pytest.mark.parametrize(("texts", "goal_text"), QUESTIONS)
def test_a_proof_of_another_goal_is_refused(texts: list[str], goal_text: str) -> None:
    facts, _, proof = proved(texts, goal_text)
    with pytest.raises(CertificateError, match="does not end with the goal"):
        check(facts, parse("L['z'] is None"), proof)


@pytest.mark.parametrize(("texts", "goal_text"), QUESTIONS)
def test_a_proof_from_other_guards_is_refused(texts: list[str], goal_text: str) -> None:
    facts, goal, proof = proved(texts, goal_text)
    used = {fact.extra for fact in ancestors([proof]) if fact.rule == "given"}
    for place in used:
        others = [parse("L['z'] is None") if number_ == place else fact for number_, fact in enumerate(facts)]
        with pytest.raises(CertificateError, match="was not given"):
            check(others, goal, proof)


@pytest.mark.parametrize(("texts", "goal_text"), QUESTIONS)
def test_a_fact_that_becomes_stronger_is_refused(texts: list[str], goal_text: str) -> None:
    facts, goal, proof = proved(texts, goal_text)
    tried = 0
    for fact in list(ancestors([proof])):
        if fact.kind != "linear" or fact.args[1] != ">=" or fact.rule == "assume":
            continue
        stronger = Fact("linear", (fact.args[0] - number(10**9), ">="), fact.rule, fact.premises, fact.extra)
        with pytest.raises(CertificateError):
            check(facts, goal, copied(proof, fact, stronger))
        tried += 1
    assert tried or not any(fact.kind == "linear" and fact.args[1] == ">=" for fact in ancestors([proof]))


@pytest.mark.parametrize(("texts", "goal_text"), QUESTIONS)
def test_a_step_without_its_premises_is_refused(texts: list[str], goal_text: str) -> None:
    facts, goal, proof = proved(texts, goal_text)
    for fact in list(ancestors([proof])):
        if fact.premises and fact.kind in ("linear", "absurd", "same", "type", "order"):
            bare = Fact(fact.kind, fact.args, fact.rule, (), fact.extra)
            with pytest.raises((CertificateError, IndexError, ValueError)):
                check(facts, goal, copied(proof, fact, bare))


def test_a_negative_factor_of_an_inequality_is_refused() -> None:
    x = Polynomial({(parse("L['x'].shape[0]"),): 1})
    size = linear(x, ">=", "size", ())
    proof = Fact("absurd", (), "sum", (size, linear(x - number(-1), ">=", "size", ())), (1, -1))
    with pytest.raises(CertificateError):
        check([], None, proof)


def test_an_assumption_that_is_not_discharged_is_refused() -> None:
    goal = parse("L['x'] is None")
    with pytest.raises(CertificateError, match="assumption"):
        check([], goal, assume("true", goal))


def test_an_unknown_rule_is_refused() -> None:
    goal = parse("L['x'] is None")
    with pytest.raises(CertificateError, match="no rule"):
        check([], goal, Fact("true", (goal,), "because I say so"))


def test_the_sign_of_a_gcd_is_caught() -> None:
    """A divisor that is taken negative turns a bound around: the one-line bug that only a checker sees."""
    x = Polynomial({(parse("L['x'].shape[0]"),): 1})
    size = linear(x.times(2), ">=", "product", (linear(x, ">=", "size", ()), linear(number(2), ">=", "number", ())))
    wrong = Fact("linear", (-x, ">="), "combine", (size,), ((1,), -2))
    goal = parse("L['x'].shape[0] <= 0")
    with pytest.raises(CertificateError):
        check([], goal, Fact("true", (goal,), "compare", (wrong, Fact("defined", (goal,), "comparison"))))
