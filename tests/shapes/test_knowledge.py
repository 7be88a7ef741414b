"""What bounds say of a comparison, against all values; facts that are taken back."""

from __future__ import annotations

import operator

from hypothesis import given
from hypothesis import strategies as st

import guardlang as gl
from guardlang.shapes import ShapeEnv
from guardlang.shapes.knowledge import Knowledge

PYTHON = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne}
COMPARISON = st.tuples(st.sampled_from(sorted(PYTHON)), st.integers(-3, 3).filter(bool), st.integers(-4, 4), st.integers(-9, 9))
VALUES = range(-40, 41)


def condition(env, comparison):
    op, scale, shift, right = comparison
    return PYTHON[op](env.symbol("L['n']", hint=0) * scale + shift, right)


def holds(comparison, value):
    op, scale, shift, right = comparison
    return PYTHON[op](value * scale + shift, right)


@given(st.lists(COMPARISON, max_size=4), COMPARISON)
def test_bounds_are_right(facts, question):
    env, known = ShapeEnv(), Knowledge()
    left = [value for value in VALUES if all(holds(fact, value) for fact in facts)]
    for fact in facts:
        known.learn(condition(env, fact), True)
    answer = known.quick(condition(env, question))
    if answer is not None:
        assert all(holds(question, value) == answer for value in left)


@given(st.integers(-9, 9), st.integers(-9, 9), st.sampled_from(sorted(PYTHON)), st.sampled_from(sorted(PYTHON)))
def test_bounds_are_as_tight_as_one_comparison_allows(first, second, op, other):
    env, known = ShapeEnv(), Knowledge()
    known.learn(condition(env, (op, 1, 0, first)), True)
    left = {holds((other, 1, 0, second), value) for value in VALUES if holds((op, 1, 0, first), value)}
    answer = known.quick(condition(env, (other, 1, 0, second)))
    assert answer is (left.pop() if len(left) == 1 else None)


def test_differences_of_two_numbers_are_known_both_ways_round():
    env, known = ShapeEnv(), Knowledge()
    n, m = env.symbol("L['n']", hint=1), env.symbol("L['m']", hint=5)
    known.learn(n + 1 < m, True)
    answers = [
        (n < m, True),
        (m > n + 1, True),
        (m - 1 > n, True),
        (n == m, False),
        (m <= n, False),
        (n + 2 < m, None),
        (n + m > 3, None),
    ]
    for asked, answer in answers:
        assert known.quick(asked) is answer


def test_facts_are_taken_back_with_what_followed():
    known = Knowledge()
    texts = ["type(L['n']) is int", "L['n'] > 3", "L['n'] < 9"]
    facts = [gl.parse(text) for text in texts]
    known.restore(facts)
    assert known.truth(gl.parse("L['n'] != 10")) is True
    known.restore(facts[:2])
    assert known.truth(gl.parse("L['n'] != 10")) is None
    assert known.truth(gl.parse("L['n'] != 3")) is True
    known.restore([facts[0], facts[2]])
    assert known.truth(gl.parse("L['n'] != 10")) is True
    assert known.truth(gl.parse("L['n'] != 3")) is None
    assert known.facts == [facts[0], facts[2]]
    assert facts[2] in known
    assert facts[1] not in known
