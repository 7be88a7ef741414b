"""The z3 bridge: never claims what does not follow, and proves what it should."""

from __future__ import annotations

import random
import sys
import threading

import pytest

from guardlang.ast import BinOp, Compare
from guardlang.parse import parse
from guardlang.semantics import evaluate
from guardlang.solver import z3_bridge
from guardlang.solver.encode import Encoder
from guardlang.solver.formula import INT, Builder
from guardlang.solver.smt_text import decimal, number_of
from guardlang.sources import Const
from tests.solver import hostile_guards

pytest.importorskip("z3", reason="the bridge needs z3-solver")


def kind(facts: list[str], goal: str) -> str:
    return z3_bridge.prove([parse(fact) for fact in facts], parse(goal)).kind


PROVED = [
    (["type(L['n']) is int"], "L['n'] == L['n']"),
    (["type(L['n']) is int", "not L['n'] < 2"], "L['n'] >= 2"),
    (["type(L['n']) is int", "L['n'] % 12 == 0"], "L['n'] % 4 == 0"),
    (["type(L['n']) is int", "L['n'] >= 9223372036854775807"], "L['n'] + 2 >= 9223372036854775809"),
    (["type(L['n']) is int", "type(L['d']) is int", "L['d'] != 0"], "L['n'] % L['d'] == L['n'] % L['d']"),
    (["type(L['n']) is int"], "L['n'] >> 1 == L['n'] // 2"),
    (["type(L['n']) is int"], "L['n'] & 7 == L['n'] % 8"),
    (["type(L['n']) is int", "0 <= L['n'] < 1000"], "floor(L['n'] / 2) == L['n'] // 2"),
    (["type(L['v']) is float", "L['v'] == 3"], "exact(L['v'], 3.0)"),
    (["type(L['v']) is float", "L['v'] >= 3.5"], "L['v'] > 3 and not isnan(L['v'])"),
    (["type(L['v']) is float", "isnan(L['v'])"], "L['v'] != L['v']"),
    (["type(L['n']) is int", "type(L['v']) is float", "L['n'] == L['v']", "L['v'] > 2.5"], "L['n'] >= 3"),
    (["L['s'] in ('a', 'b')", "L['s'] != 'a'"], "exact(L['s'], 'b')"),
    (["L['s'] == 'b'"], "L['s'] < 'c'"),
    (["L['x'] is True"], "L['x'] == 1"),
    (["L['x'] is None"], "type(L['x']) is not int"),
    (["L['a'] is L['b']", "L['a'].n == 3"], "L['b'].n == 3"),
    (["distinct(L['a'], L['b'], L['c'])"], "L['c'] is not L['a']"),
    (["L['x'].ndim > 2"], "L['x'].shape[2] == L['x'].shape[2]"),
    (["L['x'].shape[0] > 3"], "L['x'].shape[0] >= 4"),
    (["L['x'].shape == (2, 3)"], "L['x'].shape[1] == 3 and L['x'].shape[-2] == 2"),
    (["L['x'].shape == (2, 3)"], "L['x'].ndim == 2 and len(L['x'].shape) == 2"),
    (["L['x'].ndim == 1", "L['x'].shape[0] == 3"], "L['x'].shape == (3,)"),
    (["L['a'] == L['b']", "len(L['a']) == 2", "len(L['b']) == 1"], "L['c'] is None"),
    (["L['b'].k == 1.5"], "type(L['b']) is not int"),
    (["keys(L['d']) == ('a', 'b')"], "set(keys(L['d'])) == {'a', 'b'}"),
    (["keys(L['d']) == ('a', 'b')"], "len(L['d']) == 2 and 'b' in L['d'] and 'c' not in L['d']"),
    (["type(L['x']) is bool"], "isinstance(L['x'], int)"),
    (["type(L['xs']) is list", "len(L['xs']) == 3"], "L['xs'][-3] is L['xs'][-3]"),
]
OPEN = [
    (["type(L['v']) is float"], "L['v'] == L['v']"),
    (["type(L['v']) is float", "not L['v'] < 2"], "L['v'] >= 2"),
    (["type(L['v']) is float", "L['v'] == 0.0"], "exact(L['v'], 0.0)"),
    (["L['n'] > 3"], "L['n'] >= 4"),
    (["L['a'] is L['b']"], "L['a'] == L['b']"),
    (["L['a'] == L['b']"], "L['a'] is L['b']"),
    (["type(L['n']) is int", "type(L['d']) is int"], "L['n'] % L['d'] == L['n'] % L['d']"),
    (["type(L['n']) is int", "type(L['k']) is int"], "L['n'] << L['k'] == L['n'] << L['k']"),
    (["type(L['n']) is int"], "(L['n'] / 3) * 3 == L['n']"),
    (["type(L['n']) is int"], "float(L['n']) == L['n']"),
    (["opaque('KIND', L['x'])"], "opaque('KIND', L['x'])"),
    (["set(keys(L['d'])) == {'a', 'b'}"], "keys(L['d']) == ('a', 'b')"),
    (["L['x'] is None or L['x'].n == 3"], "hasattr(L['x'], 'n')"),
    (["isinstance(L['x'], int)"], "type(L['x']) is bool"),
    (["L['x'].ndim == 2"], "L['x'].shape[2] == L['x'].shape[2]"),
    (["len(L['s']) == 2", "L['s'] == L['t']"], "L['s'] is L['t']"),
]


@pytest.mark.parametrize(("facts", "goal"), PROVED)
def test_what_follows_is_proved(facts: list[str], goal: str) -> None:
    assert kind(facts, goal) == "unsat"


@pytest.mark.parametrize(("facts", "goal"), OPEN)
def test_what_does_not_follow_is_not_proved(facts: list[str], goal: str) -> None:
    assert kind(facts, goal) != "unsat"


def test_never_refutes_a_frame_that_exists() -> None:
    rng = random.Random(7)
    for _ in range(3):
        guards = hostile_guards.guards(rng, 10)
        frame = hostile_guards.frame(rng)
        held = [guard for guard in guards if evaluate(guard, frame)]
        assert z3_bridge.satisfiable(held, rlimit=200_000, small_core=False).kind != "unsat", list(map(str, held))
        for guard in guards:
            if guard not in held:
                answer = z3_bridge.prove(held, guard, rlimit=200_000, small_core=False)
                assert answer.kind != "unsat", (str(guard), list(map(str, held)))


def test_lowering_computes_what_the_formula_says() -> None:
    import z3

    for text in ("L['a'] // L['b']", "L['a'] % L['b']", "(L['a'] & 12) // L['b']", "L['a'] // -3 + L['b'] % -4"):
        guard = parse(f"{text} == L['c']")
        nodes = {name: parse(f"L[{name!r}] == 0").operands[0] for name in "abc"}
        encoder = Encoder([guard], types=dict.fromkeys(nodes.values(), "int"), defined=list(nodes.values()))
        formula = encoder.formula(guard)
        lowering = z3_bridge.Lowering(z3, z3_bridge.new_context(z3))
        true = lowering.lower(formula.true)
        variables = [lowering.lower(encoder.atoms[node].integer) for node in nodes.values()]
        for a in range(-20, 21, 3):
            for b in range(-20, 21):
                try:
                    c, fails = eval(text, {"L": {"a": a, "b": b}}), False
                except ZeroDivisionError:
                    c, fails = 0, True
                numbers = [z3.IntVal(n, ctx=true.ctx) for n in (a, b, c)]
                result = z3.simplify(z3.substitute(true, *zip(variables, numbers, strict=True)))
                assert z3.is_true(result) is not fails, (text, a, b)


def test_the_core_names_what_is_needed() -> None:
    facts = [parse(t) for t in ("L['m'] > 0", "type(L['n']) is int", "L['n'] > 5", "L['n'] < 100", "L['n'] < 6")]
    answer = z3_bridge.satisfiable(facts)
    assert (answer.kind, answer.core) == ("unsat", (1, 2, 4))


def test_types_and_definedness_can_be_given() -> None:
    goal = parse("L['n'] + 1 > L['n']")
    node = goal.operands[1]
    assert z3_bridge.prove([], goal).kind == "sat"
    assert z3_bridge.prove([], goal, types={node: "int"}).kind == "sat"
    assert z3_bridge.prove([], goal, types={node: "no such type"}, defined=[node]).kind == "sat"
    assert z3_bridge.prove([], goal, types={node: int}, defined=[node]).kind == "unsat"


def test_a_model_gives_values() -> None:
    answer = z3_bridge.prove([parse("type(L['n']) is int"), parse("L['n'] > 18446744073709551615")], parse("L['n'] % 2 == 0"))
    node = parse("L['n'] == 0").operands[0]
    assert answer.kind == "sat"
    assert answer.model is not None
    value = answer.model[node]
    assert isinstance(value, int)
    assert value > 2**64 - 1
    assert value % 2 == 1


def test_a_used_up_budget_is_unknown() -> None:
    facts = [parse(f"type(L[{name!r}]) is int") for name in "xyz"] + [parse(f"L[{name!r}] > 2") for name in "xyz"]
    answer = z3_bridge.prove(facts, parse("L['x'] ** 3 + L['y'] ** 3 != L['z'] ** 3"), rlimit=20_000)
    assert (answer.kind, answer.reason) == ("unknown", "z3's budget was used up")


def test_without_z3_everything_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)
    answer = z3_bridge.prove([], parse("L['n'] == 1"))
    assert (answer.kind, answer.reason) == ("unknown", "z3 is not installed")
    assert not z3_bridge.available()
    assert z3_bridge.version() == ""


def test_numbers_of_many_digits() -> None:
    big = 10**5000
    assert kind(["type(L['n']) is int", f"L['n'] == {'9' * 4000}"], "L['n'] > 0") == "unsat"
    assert number_of(decimal(-big)) == -big
    make = Builder()
    assert make.add(make.integer(big), make.integer(1)) is make.integer(big + 1)
    assert make.variable("n", INT) is make.variable("n", INT)


def test_a_deep_guard_is_unknown() -> None:
    total = parse("L['n'] == 0").operands[0]
    for _ in range(3_000):
        total = BinOp("+", BinOp("*", total, total), Const(1))
    answer = z3_bridge.prove([parse("type(L['n']) is int")], Compare((">",), (total, Const(0))))
    assert (answer.kind, answer.reason) == ("unknown", "the guards are nested too deeply for z3")


def test_threads_do_not_disturb_each_other() -> None:
    facts, goal = [parse("type(L['n']) is int"), parse("L['n'] % 12 == 0")], parse("L['n'] % 4 == 0")
    kinds: list[str] = []

    def ask() -> None:
        for _ in range(3):
            kinds.append(z3_bridge.prove(facts, goal).kind)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert kinds == ["unsat"] * 12


def test_the_same_question_has_the_same_answer() -> None:
    facts = [parse("L['x'].shape[0] * L['x'].shape[1] == 24"), parse("L['x'].shape[0] > 2")]
    answers = [z3_bridge.prove(facts, parse("L['x'].shape[1] > 5")) for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]
    assert answers[0].kind == "sat"
