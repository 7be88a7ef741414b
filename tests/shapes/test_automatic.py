"""The lattice of automatic dynamic: its laws, its JSON, and how few entries it needs on a recorded history."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import guardlang as gl
from guardlang.shapes import AutomaticDynamic, DimensionPolicy, ShapeEnv

STATIC, DYNAMIC, INFER = DimensionPolicy.STATIC, DimensionPolicy.DYNAMIC, DimensionPolicy.INFER_STRIDE
AUTOMATIC = DimensionPolicy.AUTOMATIC

NUMBERS = st.one_of(st.integers(0, 3), st.sampled_from([True, 1.0, -0.0, float("nan")]))
SHAPES = st.lists(st.tuples(st.integers(1, 3), st.integers(0, 6)), max_size=3)
EVENTS = st.lists(st.tuples(st.sampled_from(["L['a']", "L['b']"]), st.one_of(NUMBERS, SHAPES)), max_size=6)


def history(events):
    made = AutomaticDynamic()
    for source, seen in events:
        if isinstance(seen, list):
            made.tensor(source, [size for size, _ in seen], [stride for _, stride in seen])
        else:
            made.scalar(source, seen)
    return made


def joined(*histories):
    made = AutomaticDynamic()
    for one in histories:
        made.merge(one)
    return made


@given(EVENTS, EVENTS, EVENTS)
def test_join_is_commutative_associative_and_idempotent(first, second, third):
    a, b, c = history(first), history(second), history(third)
    assert joined(a, b) == joined(b, a)
    assert joined(joined(a, b), c) == joined(a, joined(b, c))
    assert joined(a, a) == joined(a) == a
    assert joined(a, AutomaticDynamic()) == a
    assert joined(a, b).to_json() == joined(b, a).to_json()


@given(EVENTS, EVENTS)
def test_ranks_that_saw_halves_agree_with_one_that_saw_all(first, second):
    assert joined(history(first), history(second)) == history(first + second) == history(second + first)


@given(EVENTS)
def test_json_keeps_everything(events):
    made = history(events)
    again = AutomaticDynamic.from_json(made.to_json())
    assert again == made
    assert again.to_json() == made.to_json()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is no history"),
        ("[]", "is no history"),
        ('{"format": "guardlang-automatic-dynamic-1", "sources": {"a": {"size": [{"infer": "x"}]}}}', "is no history"),
        ('{"format": "guardlang-automatic-dynamic-1", "sources": {"a": {"colour": 1}}}', "is no history"),
        ('{"format": "other", "sources": {}}', "has the format 'other'"),
    ],
)
def test_json_that_is_no_history(text, message):
    with pytest.raises(gl.FrameFormatError, match=message):
        AutomaticDynamic.from_json(text)


@pytest.mark.parametrize(
    ("seen", "sizes", "strides"),
    [
        ([((2, 3), (3, 1))], (STATIC, STATIC), (INFER, STATIC)),
        ([((2, 3), (3, 1)), ((2, 4), (4, 1))], (STATIC, DYNAMIC), (INFER, STATIC)),
        ([((2, 3), (3, 1)), ((2, 3), (1, 2))], (STATIC, STATIC), (DYNAMIC, DYNAMIC)),
        ([((2, 3), (8, 1)), ((2, 3), (9, 1))], (STATIC, STATIC), (DYNAMIC, STATIC)),
        ([((2, 3), (3, 1)), ((2,), (1,))], (DYNAMIC,), (INFER,)),
        ([((2,), (1,)), ((3,), (1,)), ((2,), (1,))], (DYNAMIC,), (STATIC,)),
    ],
)
def test_what_varied(seen, sizes, strides):
    made = AutomaticDynamic()
    choices = [made.tensor("L['x']", *one) for one in seen]
    assert (choices[-1].sizes, choices[-1].strides) == (sizes, strides)


def test_a_number_where_a_tensor_was_makes_everything_dynamic():
    made = AutomaticDynamic()
    assert made.scalar("L['x']", 3) is False
    assert made.tensor("L['x']", (2, 3)).sizes == (DYNAMIC, DYNAMIC)
    assert made.scalar("L['x']", 3) is True
    assert repr(made) == "<AutomaticDynamic of 1 sources>"


def test_the_constant_that_was_left_behind_is_told_once():
    made = AutomaticDynamic()
    made.tensor("L['x']", (2, 3))
    assert made.excluded("L['x']") == ()
    made.tensor("L['x']", (2, 4))
    assert made.excluded("L['x']") == (None, 3)
    made.tensor("L['x']", (2, 5))
    assert made.excluded("L['x']") == ()


class Strided:
    """What guards read of a tensor, with no adapter: plain attributes."""

    def __init__(self, shape):
        self.shape = shape
        self.ndim = len(shape)


def recorded_history():
    """Return 200 shapes as a training run with a last short batch and sequences of many lengths makes them."""
    draw = random.Random(7)
    return [(8 if number % 10 != 9 else draw.choice((3, 5)), draw.choice((16, 32, 32, 48, 80, 96)), 64) for number in range(200)]


def entries_by_the_lattice(shapes):
    """Count what a cache must hold if an entry accepts exactly the element of the lattice that it was made for."""
    entries = []
    state = None
    for shape in shapes:
        if any(all(mine in (None, size) for mine, size in zip(entry, shape, strict=True)) for entry in entries):
            continue
        state = shape if state is None else tuple(a if a == b else None for a, b in zip(state, shape, strict=True))
        entries.append(state)
    return len(entries)


def steps_of_the_join(shapes):
    """Count the values of the join of all shapes so far: what is seen at a step is accepted by no entry made before."""
    steps = [shapes[0]]
    for shape in shapes:
        now = tuple(a if a == b else None for a, b in zip(steps[-1], shape, strict=True))
        if now != steps[-1]:
            steps.append(now)
    return len(steps)


def test_a_history_of_200_shapes_needs_the_fewest_entries_that_the_lattice_allows():
    history_ = AutomaticDynamic()
    shapes = recorded_history()
    checks = []
    for shape in shapes:
        x = Strided(shape)
        if any(check(x) for check in checks):
            continue
        env = ShapeEnv(automatic=history_)
        sizes = env.tensor("L['x']", shape, policy=AUTOMATIC).shape
        # The program: a loop over heads, a branch that all shapes take alike.
        assert sizes[2] == 64
        assert sizes[0] * sizes[1] > 4
        checks.append(env.guards.compile(signature=("x",), example={"x": x}))
    assert len(set(shapes)) > 10
    assert len(checks) == entries_by_the_lattice(shapes) == steps_of_the_join(shapes) == 3
    assert all(any(check(Strided(shape)) for check in checks) for shape in shapes)


def test_histories_of_two_ranks_spare_the_entry_between():
    first, second = AutomaticDynamic(), AutomaticDynamic()
    first.tensor("L['x']", (8, 16))
    second.tensor("L['x']", (3, 32))
    first.merge(second)
    env = ShapeEnv(automatic=first)
    x = env.tensor("L['x']", (8, 16), policy=AUTOMATIC)
    assert str(x.shape) == "(<SymInt L['x'].shape[0]>, <SymInt L['x'].shape[1]>)"
    assert env.guards.compile(signature=("x",))(Strided((77, 99)))


def test_linked_strides_stay_linked():
    history_ = AutomaticDynamic()
    for width in (3, 4):
        env = ShapeEnv(automatic=history_)
        x = env.tensor("L['x']", (2, width), strides=(width, 1), policy=AUTOMATIC)
    assert (str(x.shape), str(x.strides)) == ("(2, <SymInt L['x'].shape[1]>)", "(<SymInt L['x'].shape[1]>, 1)")
    assert "L['x'].stride(0) == L['x'].shape[1]" in str(env.guards)
