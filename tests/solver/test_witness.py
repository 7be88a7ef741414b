"""Witnesses: frames that refute, built and replayed."""

from __future__ import annotations

import enum
import math
import random
from typing import Any

import pytest

from guardlang.ast import Expr
from guardlang.parse import parse
from guardlang.semantics import evaluate
from guardlang.solver import witness
from guardlang.solver.models import ABSENT
from guardlang.solver.showing import show, show_frame
from guardlang.solver.sketch import Impossible, new_instance
from tests.solver import hostile_guards


class Box:
    pass


class Slotted:
    __slots__ = ("n",)


class Loud:
    def __new__(cls) -> Any:
        raise AssertionError("no code of the class may run")


class Guarded:
    def __init__(self) -> None:
        raise AssertionError("no code of the class may run")

    def __setattr__(self, name: str, value: object) -> None:
        raise AssertionError("no code of the class may run")

    @property
    def shut(self) -> int:
        raise AssertionError("no code of the class may run")

    def __repr__(self) -> str:
        raise AssertionError("no code of the class may run")


class Colour(enum.Enum):
    RED = 1


OBJECTS = {"Box": Box, "Slotted": Slotted, "Loud": Loud, "Guarded": Guarded, "Colour": Colour}


def guards(texts: list[str]) -> list[Expr]:
    return [parse(text, objects=OBJECTS) for text in texts]


def build(facts: list[str], violated: str | None = None, hints: dict[Expr, object] | None = None) -> witness.Witness | None:
    found = witness.build(guards(facts), None if violated is None else guards([violated])[0], hints or {})
    if found is not None:
        for fact in guards(facts):
            assert evaluate(fact, found.locals, found.globals), fact
        if violated is not None:
            assert not evaluate(guards([violated])[0], found.locals, found.globals)
    return found


REFUTABLE = [
    (["type(L['v']) is float"], "L['v'] == L['v']"),
    (["type(L['v']) is float", "L['v'] > 0.0"], "L['v'] + 1.0 > L['v']"),
    (["L['n'] > 3"], "L['n'] >= 4"),
    (["type(L['v']) is float", "L['v'] == 0.0"], "exact(L['v'], 0.0)"),
    (["type(L['n']) is int", "L['n'] > 18446744073709551615"], "L['n'] % 2 == 0"),
    (["type(L['n']) is int"], "L['n'] % -3 >= 0"),
    (["type(L['n']) is int", "type(L['d']) is int"], "L['n'] % L['d'] == L['n'] % L['d']"),
    (["L['x'].shape[0] == 3 * L['y'].shape[0]", "1 <= L['y'].shape[0] <= 8"], "L['x'].shape[0] // 3 != 2"),
    (["L['x'].shape[0] == L['y'].shape[0]", "L['x'].shape[0] >= 2"], "L['x'].shape[0] == 6"),
    (["L['x'].ndim == 2"], "L['x'].shape[2] == L['x'].shape[2]"),
    (["L['a'] is L['b']"], "L['a'] == L['b']"),
    (["L['a'] == L['b']", "type(L['a']) is list"], "L['a'] is L['b']"),
    (["set(keys(L['d'])) == {'a', 'b'}"], "keys(L['d']) == ('a', 'b')"),
    (["keys(L['d']) == ('a', 'b')", "L['d']['a'] == 5"], "L['d']['b'] == 5"),
    (["'k' in L['d']", "type(L['d']) is dict"], "len(L['d']) == 1"),
    (["L['x'] is None or L['x'].n == 3"], "hasattr(L['x'], 'n')"),
    (["isinstance(L['x'], int)"], "type(L['x']) is bool"),
    (["L['a'] is True"], "L['b'] is True"),
    (["type(L['o']) is Box", "L['o'].n == 3", "L['o'].m is L['o'].n"], "L['o'].m == 4"),
    (["type(L['o']) is Slotted", "L['o'].n == 3"], "L['o'].n == 4"),
    (["type(L['o']) is Guarded", "L['o'].n == 3"], "L['o'].n == 4"),
    (["type(L['o']) is Colour"], "L['o'] is None"),
    (["len(L['xs']) == 3", "type(L['xs']) is tuple", "L['xs'][1] == 'a'"], "L['xs'][2] == 'a'"),
    (["len(L['s']) == 4", "type(L['s']) is str"], "L['s'] == 'abcd'"),
    (["same(L['a'], L['b'], L['c'])", "L['b'].n == 2"], "L['c'].n > 2"),
    (["distinct(L['a'], L['b'], L['c'])", "type(L['a']) is list"], "L['a'] is L['b']"),
    (["G['limit'] > L['n']", "type(L['n']) is int"], "G['limit'] == L['n'] + 1"),
    (["deref(L['w']).n == 3"], "deref(L['w']) is L['x']"),
    (["L['s'] in ('a', 'b')"], "L['s'] == 'b'"),
    (["isnan(L['v'])"], "L['v'] == L['v']"),
    (["L['d']['a']['b'] == 7", "L['d']['a']['c'] == 8"], "L['d']['a']['b'] == L['d']['a']['c']"),
]


@pytest.mark.parametrize(("facts", "violated"), REFUTABLE)
def test_a_witness_is_found_without_hints(facts: list[str], violated: str) -> None:
    assert build(facts, violated) is not None


@pytest.mark.parametrize(
    ("facts", "violated"),
    [
        (["type(L['n']) is int"], "L['n'] == L['n']"),
        (["L['a'] is L['b']"], "L['b'] is L['a']"),
        (["L['n'] == 3", "L['n'] == 4"], "L['m'] == 1"),
        (["type(L['o']) is Loud"], "L['o'] is None"),
        (["L['x'] == 1"], "L['x'] > 0"),
    ],
)
def test_no_witness_is_made_up(facts: list[str], violated: str) -> None:
    assert witness.build(guards(facts), guards([violated])[0], steps=2_000) is None


def test_facts_alone_have_an_example() -> None:
    found = build(["type(L['n']) is int", "L['n'] % 8 == 0", "L['n'] > 100", "L['s'] == 'a'"])
    assert found is not None
    assert found.locals["n"] % 8 == 0
    assert build([]) is not None


def test_hints_are_where_the_search_starts() -> None:
    facts = ["L['n'] > 5", "L['m'] == L['n'] + 1"]
    n, m = (parse(f"L[{name!r}] == 0").operands[0] for name in "nm")
    found = build(facts, "L['n'] == 6", {n: 123456, m: 123457})
    assert found is not None
    assert found.locals == {"n": 123456, "m": 123457}


def test_a_wrong_hint_does_no_harm() -> None:
    n = parse("L['n'] == 0").operands[0]
    for hint in (ABSENT, "text", None, math.nan, int):
        assert build(["type(L['n']) is int", "L['n'] > 2"], "L['n'] > 4", {n: hint}) is not None


def test_small_values_come_first() -> None:
    found = build(["type(L['n']) is int", "L['n'] > 2"], "L['n'] > 4")
    assert found is not None
    assert found.locals == {"n": 3}


def test_an_alias_is_one_object() -> None:
    found = build(["L['a'] is L['b']", "L['a'].n == 3"], "L['b'].n == 4")
    assert found is not None
    assert found.locals["a"] is found.locals["b"]


def test_objects_are_made_without_running_their_code() -> None:
    assert type(new_instance(Guarded)) is Guarded
    assert new_instance(Colour) is Colour.RED
    with pytest.raises(Impossible):
        new_instance(Loud)
    with pytest.raises(Impossible):
        new_instance("no class")
    assert build(["type(L['o']) is Guarded", "L['o'].shut == 3"]) is None


def test_no_steps_no_witness() -> None:
    assert witness.build(guards(["L['n'] % 97 == 13"]), guards(["L['n'] == 13"])[0], steps=1) is None


def test_the_text_of_a_witness_runs_no_code_of_its_objects() -> None:
    found = build(["type(L['o']) is Guarded", "L['o'].n == 3", "L['p'] is L['o']", "G['x'] == 'a'"], "L['o'].n == 4")
    assert found is not None
    assert str(found) == "L = {'o': <Guarded n=3>, 'p': <the object at L['o']>}\nG = {'x': 'a'}"


def test_texts_of_values() -> None:
    assert show([1, (2,), {"k": {3}}, frozenset(), None, int]) == "[1, (2,), {'k': {3}}, frozenset(), None, int]"
    assert show("x" * 300).endswith("...")
    assert show(1 << 5000) == "<int of 5001 bits>"
    assert show(list(range(30))).endswith("19, ...]")
    nested: list[Any] = []
    nested.append(nested)
    assert show(nested) == "[<the object at it>]"
    deep: Any = 1
    for _ in range(10):
        deep = [deep]
    assert show(deep) == "[[[[[[[...]]]]]]]"
    assert show_frame({}, {}) == "L = {}"


def test_a_witness_is_the_same_in_every_run() -> None:
    texts = [str(build(facts, violated)) for facts, violated in REFUTABLE[:12]]
    assert texts == [str(build(facts, violated)) for facts, violated in REFUTABLE[:12]]


def test_what_is_returned_replays_on_random_guards() -> None:
    rng = random.Random(3)
    built = 0
    for _ in range(12):
        some = hostile_guards.guards(rng, 3)
        found = witness.build(some[:2], some[2], steps=300)
        if found is not None:
            built += 1
            assert all(evaluate(guard, found.locals, found.globals) for guard in some[:2])
            assert not evaluate(some[2], found.locals, found.globals)
    assert built > 2


def test_a_tensor_is_real_when_the_guards_ask_for_one() -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("guardlang.pytorch")
    objects = {"Tensor": torch.Tensor, "f32": torch.float32, "Parameter": torch.nn.Parameter}
    texts = ["type(L['x']) is Tensor", "L['x'].dtype is f32", "L['x'].ndim == 2", "L['x'].shape[1] == 8"]
    facts = [parse(text, objects=objects) for text in texts]
    found = witness.build(facts, parse("L['x'].stride(0) == 8", objects=objects))
    assert found is not None
    x = found.locals["x"]
    assert type(x) is torch.Tensor
    assert x.shape[1] == 8
    assert x.stride(0) != 8
