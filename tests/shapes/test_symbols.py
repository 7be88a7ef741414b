"""A program on symbols gives what it gives on numbers, and its guards hold for exactly the inputs that take the same branches."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

import guardlang as gl
from guardlang.shapes import ShapeEnv, Symbolic
from tests.shapes.programs import programs, run

NAMES = ("a", "b", "c")
SMALL = st.integers(-4, 5)


def plain(number):
    return number.hint if isinstance(number, Symbolic) else number


def neighbours(inputs, others):
    """Yield the inputs with one number replaced by another that is likely to take another branch, then some at random."""
    for place, value in enumerate(inputs):
        more = (value + 0.5, 0.0, -0.0, math.inf, -math.inf, math.nan) if type(value) is float else ()
        for other in (0, 1, -1, 2, -value, value + 1, value - 1, 2 * value, *more):
            yield (*inputs[:place], other, *inputs[place + 1 :])
    yield from others


def holds(env, inputs):
    frame = dict(zip(NAMES, inputs, strict=True))
    return all(gl.evaluate(guard.expr, frame) for guard in env.guards)


def trace(program, inputs, **options):
    env = ShapeEnv(**options)
    symbols = [env.symbol(gl.L[name], hint=value) for name, value in zip(NAMES, inputs, strict=True)]
    return env, *run(program, symbols)


@given(programs(SMALL), st.tuples(SMALL, SMALL, SMALL), st.lists(st.tuples(SMALL, SMALL, SMALL), max_size=6))
def test_integers(program, inputs, others):
    env, branches, numbers = trace(program, inputs)
    expected, values = run(program, list(inputs))
    assert branches == expected
    assert [plain(number) for number in numbers] == values
    assert [type(plain(number)) for number in numbers] == [type(value) for value in values]
    assert holds(env, inputs)
    for other in neighbours(inputs, others):
        # A power with a negative exponent is a float: the type of a number is a branch too.
        taken, results = run(program, list(other))
        alike = list(map(type, results)) == list(map(type, values))
        assert holds(env, other) == (taken == expected and alike)


FLOATS = st.one_of(SMALL, st.sampled_from([0.0, -0.0, 0.5, -1.5, 2.5, 1e16, 1e300, float("inf"), -7.25]))
# Powers and the operators that need ints pin their operands or end the program where a float is among them.
SMOOTH = ("+", "-", "*", "//", "%", "/", "divmod", "min", "max")


def same(left, right):
    return type(left) is type(right) and (left == right or (left != left and right != right))


@given(programs(FLOATS), st.tuples(FLOATS, FLOATS, FLOATS), st.lists(st.tuples(FLOATS, FLOATS, FLOATS), max_size=6))
def test_floats(program, inputs, others):
    env, branches, numbers = trace(program, inputs)
    expected, values = run(program, list(inputs))
    assert branches == expected
    assert all(same(plain(number), value) for number, value in zip(numbers, values, strict=True))
    assert holds(env, inputs)
    for other in neighbours(inputs, others):
        if holds(env, other):
            assert run(program, list(other))[0] == expected


@given(programs(FLOATS, SMOOTH), st.tuples(FLOATS, FLOATS, FLOATS), st.lists(st.tuples(FLOATS, FLOATS, FLOATS), max_size=6))
def test_floats_where_nothing_is_pinned(program, inputs, others):
    env, _, _ = trace(program, inputs)
    expected, _ = run(program, list(inputs))
    for other in neighbours(inputs, others):
        # A float symbol stands for every float but a NaN.
        kinds = [type(value) for value in other] == [type(value) for value in inputs] and not any(map(math.isnan, other))
        assert holds(env, other) == (kinds and run(program, list(other))[0] == expected)
