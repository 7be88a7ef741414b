"""SMT-LIB text: deterministic, safe against hostile names, and read by other solvers with the same verdict."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from typing import Any

import pytest

from guardlang.ast import BinOp, Compare
from guardlang.parse import parse
from guardlang.solver import z3_bridge
from guardlang.solver.smtlib import to_smtlib
from guardlang.sources import Const, LocalSource
from tests.solver import hostile_guards

QUESTIONS: list[tuple[list[str], str | None, bool]] = [
    (["type(L['n']) is int", "L['n'] % 12 == 0"], "L['n'] % 4 == 0", True),
    (["type(L['n']) is int", "L['n'] % 4 == 0"], "L['n'] % 12 == 0", False),
    (["type(L['n']) is int", "L['n'] % -3 == 1"], None, True),
    (["L['x'].shape[0] % 4 == 3", "L['x'].shape[0] % 6 == 2"], None, True),
    (["type(L['v']) is float"], "L['v'] == L['v']", False),
    (["type(L['v']) is float", "L['v'] >= 3.5"], "L['v'] > 3", True),
    (["type(L['n']) is int", "0 <= L['n'] < 1000"], "floor(L['n'] / 2) == L['n'] // 2", True),
    (["L['s'] in ('a', 'b')", "L['s'] != 'a'"], "L['s'] == 'b'", True),
    (["L['a'] is L['b']", "L['a'].n > 2"], "L['b'].n > 2", True),
    (["distinct(L['a'], L['b'])"], "L['a'] is L['b']", False),
    (["L['x'].ndim > 2"], "L['x'].shape[2] >= 0", True),
]


def script(facts: list[str], goal: str | None) -> str:
    return to_smtlib([parse(fact) for fact in facts], None if goal is None else parse(goal))


def ask_z3(text: str) -> str:
    z3 = pytest.importorskip("z3", reason="needs z3-solver")
    solver = z3.Solver(ctx=z3.Context())
    solver.from_string(text)
    return str(solver.check())


def ask_cvc5(text: str) -> str:
    cvc5: Any = pytest.importorskip("cvc5", reason="needs cvc5: pip install cvc5")
    solver = cvc5.Solver()
    solver.setOption("rlimit", "2000000")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "guards")
    manager = parser.getSymbolManager()
    answer = ""
    while True:
        command = parser.nextCommand()
        if command.isNull():
            return answer.strip()
        answer = str(command.invoke(solver, manager)) or answer


@pytest.mark.parametrize(("facts", "goal", "unsat"), QUESTIONS)
@pytest.mark.parametrize("ask", [ask_z3, ask_cvc5])
def test_other_readers_give_the_same_verdict(ask: Any, facts: list[str], goal: str | None, unsat: bool) -> None:
    answer = ask(script(facts, goal))
    assert answer == "unsat" if unsat else answer in ("sat", "unknown")


def test_random_questions_are_read_and_never_contradict_the_bridge() -> None:
    rng = random.Random(11)
    for _ in range(4):
        guards = hostile_guards.guards(rng, 4)
        text = to_smtlib(guards[:-1], guards[-1])
        z3_answer = z3_bridge.prove(guards[:-1], guards[-1], rlimit=200_000, small_core=False).kind
        other = ask_cvc5(text)
        assert {z3_answer, other} != {"sat", "unsat"}, text


@pytest.mark.parametrize(
    "name", ["|", "a b", "x) (assert false", "\n(assert false)", "\\", '"', "\u2028", "é", "", "; ", "v0", "x" * 5000]
)
def test_hostile_names_stay_in_comments(name: str) -> None:
    guard = Compare((">",), (LocalSource(name), Const(2)))
    text = to_smtlib([guard])
    assert ask_z3(text) == "sat"
    assert all(line.startswith((";", "(")) for line in text.splitlines())


def test_hostile_attributes_and_strings_stay_in_comments() -> None:
    facts = ["L['x'].n == 'a) (assert false'", "L['x'] is L['y']", "L['x'].__dict__['a |b\\n('] == 2"]
    assert ask_z3(script(facts, None)) == "sat"


def test_numbers_of_any_size_and_sign() -> None:
    big = 10**5000
    node = LocalSource("n")
    text = to_smtlib([Compare(("==",), (node, Const(-big))), Compare((">",), (node, Const(0.1)))], types={node: "int"})
    assert "(- 1" + "0" * 5000 + ")" in text
    assert ask_z3(text) == "unsat"
    assert "(/ 3602879701896397.0 36028797018963968.0)" in text


def test_shared_terms_are_written_once() -> None:
    total = LocalSource("n")
    for _ in range(60):
        total = BinOp("*", total, total)
    text = to_smtlib([Compare((">",), (total, Const(0)))], types={LocalSource("n"): "int"})
    assert len(text) < 20_000


def test_text_does_not_depend_on_the_hash_seed() -> None:
    code = (
        "from guardlang.parse import parse; from guardlang.solver.smtlib import to_smtlib;"
        "print(to_smtlib([parse(\"L['x'] in {'b', 'a', 'c', 1, None}\"), parse(\"set(keys(L['d'])) == {'k', 'b'}\")]))"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(texts) == 1
