"""Every kind of value: what its guards accept, what they notice, and what they notice only if it was read."""

from importlib.util import find_spec

import pytest

from guardlang import GuardSet, L, Policy, observe
from tests.observe.rows import ROWS as PLAIN

ROWS = list(PLAIN)
if find_spec("numpy") is not None:
    from tests.observe.numpy_rows import ROWS as OF_NUMPY

    ROWS += OF_NUMPY
if find_spec("torch") is not None:
    from tests.observe.torch_rows import ROWS as OF_TORCH

    ROWS += OF_TORCH

READS = [(row, label) for row in ROWS for label in row.reads]


def names(row):
    return row if isinstance(row, str) else row.name.replace(" ", "-")


def observed(value, ask=None, policy=None):
    guards = GuardSet()
    handle = observe(value, L["x"], into=guards, policy=policy)
    if ask is not None:
        ask(handle)
    return guards


def holds(guards, value):
    frame = {"x": value}
    found = guards.explain(frame)
    assert bool(found) is guards.compile()(frame), str(found)
    return bool(found)


@pytest.mark.parametrize("row", ROWS, ids=names)
def test_the_example_and_its_twin_pass(row):
    value = row.make()
    guards = observed(value)
    assert holds(guards, value), str(guards.explain({"x": value}))
    assert holds(guards, row.twin()), str(guards.explain({"x": row.twin()}))


@pytest.mark.parametrize("row", ROWS, ids=names)
def test_changes_of_kind_are_noticed_without_any_read(row):
    guards = observed(row.make())
    assert len(row.changes) >= 3
    for change in row.changes:
        assert not holds(guards, change()), f"{change()!r} passes\n{guards}"


@pytest.mark.parametrize(("row", "label"), READS, ids=names)
def test_a_change_is_noticed_if_and_only_if_it_was_read(row, label):
    read = row.reads[label]
    unread, value = observed(row.make()), row.make()
    guards = observed(value, read.ask)
    assert holds(guards, value), str(guards.explain({"x": value}))
    assert holds(guards, row.twin()), str(guards.explain({"x": row.twin()}))
    assert len(read.changes) >= 3
    for change in read.changes:
        assert not holds(guards, change()), f"{change()!r} passes\n{guards}"
    accepted = [change for change in read.changes if holds(unread, change())]
    assert accepted, f"no change of {label} is one that only the read notices\n{unread}"


@pytest.mark.parametrize("row", ROWS, ids=names)
def test_eager_observation_accepts_the_example_and_one_made_the_same_way(row):
    value = row.make()
    guards = observed(value, policy=Policy(eager=True))
    assert holds(guards, value), str(guards.explain({"x": value}))
    assert holds(guards, row.make()), str(guards.explain({"x": row.make()}))


@pytest.mark.parametrize("row", ROWS, ids=names)
def test_text_can_be_read_back(row):
    guards = observed(row.make())
    again = GuardSet(guards.objects)
    for guard in guards:
        again.add(str(guard))
    assert again.exprs == guards.exprs
