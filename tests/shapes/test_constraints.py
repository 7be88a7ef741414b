"""Demands on the inputs: merged, checked by the solver, violations with the guards and the lines."""

from __future__ import annotations

import pytest

import guardlang as gl
from guardlang.shapes import ConstraintViolation, ConstraintWarning, DerivedFrom, EqualTo, Free, InRange, MultipleOf, ShapeEnv

X, Y, N = "L['x'].shape[0]", "L['y'].shape[0]", "L['n']"


def traced(branches, demands, **options):
    env = ShapeEnv(**options)
    x, y, n = env.symbol(X, hint=24), env.symbol(Y, hint=48), env.symbol(N, hint=3)
    for demand in demands:
        env.constrain(demand)
    branches(x, y, n)
    return env


@pytest.mark.parametrize(
    ("demands", "branches"),
    [
        ([InRange(X, 2, 64)], lambda x, y, n: x < 100),
        ([InRange(X, 0, 64)], lambda x, y, n: x != 1),
        ([InRange(X, 8, None)], lambda x, y, n: x * 3 > 23),
        ([MultipleOf(X, 8)], lambda x, y, n: (x % 4 == 0, x // 8 * 8 == x)),
        ([InRange(X, 8, 64), MultipleOf(X, 8)], lambda x, y, n: x // 8 >= 1),
        ([EqualTo(Y, X)], lambda x, y, n: True),
        ([DerivedFrom(Y, X, 2, 0)], lambda x, y, n: (y == 2 * x, y % 2 == 0)),
        ([DerivedFrom(Y, X, 2, 0), MultipleOf(X, 4)], lambda x, y, n: y % 8 == 0),
        ([InRange(X, 2, 64)], lambda x, y, n: (y % 16 == 0, n == 3)),
        ([Free(X)], lambda x, y, n: (x % 8 == 0, x < y)),
    ],
)
def test_demands_that_are_met(demands, branches):
    env = traced(lambda x, y, n: [bool(one) for one in _each(branches(x, y, n))], demands)
    assert env.violations() == env.verify() == ()


def _each(conditions):
    return conditions if isinstance(conditions, tuple) else (conditions,)


@pytest.mark.parametrize(
    ("demands", "branches", "guards", "suggestion"),
    [
        ([InRange(X, 2, 64)], lambda x, y, n: x % 8 == 0, [f"{X} % 8 == 0"], f"MultipleOf({X}, 8)"),
        ([InRange(X, 2, 64)], lambda x, y, n: (x > 10, x <= 32), [f"{X} > 10", f"{X} <= 32"], f"InRange({X}, 11, 32)"),
        ([InRange(X, 2, 64)], lambda x, y, n: x == 24, [f"{X} == 24"], f"InRange({X}, 24, 24)"),
        ([InRange(X, 2, 64)], lambda x, y, n: y == 2 * x, [f"{Y} == {X} * 2"], f"DerivedFrom({Y}, {X}, 2, 0)"),
        ([InRange(X, 2, 64)], lambda x, y, n: y == x + 24, [f"{Y} == {X} + 24"], f"DerivedFrom({Y}, {X}, 1, 24)"),
        ([InRange(X, 2, 64)], lambda x, y, n: x < y, [f"{X} < {Y}"], None),
        ([InRange(X, 2, 64)], lambda x, y, n: x * x % 8 == 0, [f"{X} * {X} % 8 == 0"], None),
        (
            [InRange(X, 2, 64)],
            lambda x, y, n: (x % 8 == 0, x >= 16),
            [f"{X} % 8 == 0", f"{X} >= 16"],
            f"InRange({X}, 16, 64) and MultipleOf({X}, 8)",
        ),
    ],
)
def test_demands_that_are_violated(demands, branches, guards, suggestion):
    env = traced(lambda x, y, n: [bool(one) for one in _each(branches(x, y, n))], demands)
    (found,) = env.violations()
    assert [str(guard) for guard in found.guards] == guards
    assert found.suggestion == suggestion
    assert found.proved
    assert found.severity == "error"
    with pytest.raises(ConstraintViolation) as caught:
        env.verify()
    assert caught.value.violations[0].guards == found.guards


def test_a_suggestion_is_enough():
    env = traced(lambda x, y, n: (bool(x % 8 == 0), bool(x >= 16)), [InRange(X, 2, 64)])
    assert len(env.violations()) == 1
    env.constrain(InRange(X, 16, 64))
    env.constrain(MultipleOf(X, 8))
    assert env.violations() == ()


def test_a_violation_names_lines():
    env = ShapeEnv()
    x = env.symbol(X, hint=24)
    env.constrain(InRange(X, 2, 64, name="batch"))
    assert x % 8 == 0
    with pytest.raises(ConstraintViolation) as caught:
        env.verify()
    first, head, guard, hint = str(caught.value).splitlines()
    assert first == "a demand on the inputs is violated"
    assert head.startswith(f"batch: {X} = ")
    assert "is refused   demanded at test_constraints.py:" in head
    assert head.endswith('env.constrain(InRange(X, 2, 64, name="batch"))')
    assert guard.startswith(f"  {X} % 8 == 0   test_constraints.py:")
    assert guard.endswith("assert x % 8 == 0")
    assert hint == f"  hint: MultipleOf({X}, 8) would be enough"
    example = caught.value.violations[0].example
    assert 2 <= example <= 64
    assert example % 8


def test_what_pins_a_free_source_is_named():
    env = traced(lambda x, y, n: (bool(n > 1), bool(x * 2 == y), bool(y == 48), bool(n < 100)), [])
    env.assert_free(N)
    with pytest.raises(ConstraintViolation) as caught:
        env.assert_free(X)
    assert [str(guard) for guard in caught.value.violations[0].guards] == [f"{X} * 2 == {Y}", f"{Y} == 48"]
    assert f"{X} has no other value" in str(caught.value)
    env.constrain(Free(X, severity="warn"))
    with pytest.warns(ConstraintWarning, match="has no other value"):
        assert env.verify() == ()
    env.constrain(Free(X, severity="error"))
    with pytest.raises(ConstraintViolation):
        env.verify()


def test_violations_that_are_ignored_are_returned():
    env = traced(lambda x, y, n: bool(x % 8 == 0), [InRange(X, 2, 64, severity="ignore")])
    (found,) = env.verify()
    assert found.severity == "ignore"


def test_ranges_intersect_and_multiples_combine():
    env = ShapeEnv()
    for demand in (
        InRange(X, 2, 64, name="a", severity="warn"),
        InRange(X, 8, None, name="b"),
        MultipleOf(X, 6),
        MultipleOf(X, 4),
    ):
        env.constrain(demand)
    assert [str(one) for one in env.constraints] == [f"InRange({X}, 8, 64)", f"MultipleOf({X}, 12)"]
    assert (env.constraints[0].name, env.constraints[0].severity) == ("a", "error")
    env.constrain(EqualTo(X, Y))
    env.constrain(EqualTo(Y, X))
    assert len(env.constraints) == 3


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (InRange(X, 2, 8), InRange(X, 9, 12)),
        (InRange(X, 2, 7), MultipleOf(X, 8)),
        (EqualTo(X, Y), DerivedFrom(X, Y, 1, 3)),
    ],
)
def test_demands_that_no_input_meets(first, second):
    env = ShapeEnv()
    env.symbol(X, hint=8)
    env.constrain(first)
    with pytest.raises(ConstraintViolation) as caught:
        env.constrain(second)
    message = str(caught.value)
    assert message.startswith("no input can meet all of these demands")
    assert str(first) in message
    assert str(second) in message
    assert message.count("test_constraints.py:") == 2
    assert len(env.constraints) == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: InRange(X, 5, 4), "no value of L\\['x'\\].shape\\[0\\] is from 5 to 4"),
        (lambda: MultipleOf(X, 0), "the factor is positive"),
        (lambda: Free(X, severity="loud"), "severity is one of ignore, warn, error"),
        (lambda: Free("3 + 4"), "is no source"),
    ],
)
def test_demands_that_make_no_sense(make, message):
    with pytest.raises(gl.GuardTypeError, match=message):
        make()


def test_assumed_demands_decide_branches():
    env = ShapeEnv()
    x = env.symbol(X, hint=24)
    env.constrain(InRange(X, 2, 64), assume=True)
    count = len(env.guards)
    assert x < 65
    assert len(env.guards) == count
    assert env.verify() == ()
