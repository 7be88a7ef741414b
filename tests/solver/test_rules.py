"""Every rule is proved: by the tier built in with the rule in the proof, by z3, and by brute force."""

from __future__ import annotations

import pytest

from guardlang.parse import parse
from guardlang.solver import oracle, z3_bridge
from guardlang.solver.checker import check
from guardlang.solver.context import Context
from guardlang.solver.facts import ancestors
from guardlang.solver.prover import prove
from guardlang.solver.rules import RULES, Rule, table
from guardlang.solver.search import Budget


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.kind}-{rule.name}".replace(" ", "-"))
def test_the_example_of_a_rule_follows(rule: Rule) -> None:
    facts, goal = [parse(text) for text in rule.before], parse(rule.after)
    proof = prove(Context(facts), goal, Budget())
    assert proof is not None
    assert (rule.kind, rule.name) in {(fact.kind, fact.rule) for fact in ancestors([proof])}
    check(facts, goal, proof)
    assert z3_bridge.prove(facts, goal).kind == "unsat"
    assert oracle.counterexample(facts, goal) is None


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.kind}-{rule.name}".replace(" ", "-"))
def test_an_example_needs_its_last_guard(rule: Rule) -> None:
    """The guards before the rule are no decoration: without the last one there is no proof."""
    facts = [parse(text) for text in rule.before[:-1]]
    assert prove(Context(facts), parse(rule.after), Budget()) is None


def test_the_table_has_a_line_for_each_rule() -> None:
    assert len(table().splitlines()) == len(RULES) + 2
