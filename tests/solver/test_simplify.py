"""Redundancy removal: what goes, what stays, whatever the order, the hash seed or the thread."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
import threading

import pytest

from guardlang.parse import parse
from guardlang.solver import Contradiction, Refuted, Unknown, disjoint, equivalent, implies, satisfiable, simplify
from guardlang.solver.incremental import Knowledge
from guardlang.solver.registry import Finding, UnknownSolver, register_solver


def kept(*texts: str, solver: str = "builtin") -> list[str]:
    found = simplify([parse(text) for text in texts], solver=solver)
    found.validate()
    return [str(guard) for guard in found.kept]


def test_of_two_bounds_the_stronger_stays_in_any_order() -> None:
    for texts in itertools.permutations(["L['x'].shape[0] >= 2", "L['x'].shape[0] >= 1", "L['x'].shape[0] > 0"]):
        assert kept(*texts) == ["L['x'].shape[0] >= 2"]


def test_what_three_guards_share_goes_in_any_order() -> None:
    for texts in itertools.permutations(
        ["2 * L['x'].shape[0] > L['y'].shape[0]", "L['y'].shape[0] >= 4", "L['x'].shape[0] >= 3"]
    ):
        assert set(kept(*texts)) == {"2 * L['x'].shape[0] > L['y'].shape[0]", "L['y'].shape[0] >= 4"}


def test_two_guards_that_imply_each_other_leave_one() -> None:
    assert len(kept("L['x'].shape[0] > 3", "L['x'].shape[0] >= 4")) == 1


def test_a_drop_needs_definedness_too() -> None:
    assert len(kept("type(L['xs']) is list", "L['xs'][2] is L['xs'][2]")) == 2


def test_an_impure_guard_is_never_dropped() -> None:
    assert len(kept("getattr(L['x'], 'a') is None", "call(L['f']) == call(L['f'])")) == 2


def test_a_contradiction_keeps_everything_and_is_told() -> None:
    guards = [parse(text) for text in ("L['n'] is None", "L['m'] == 1", "L['n'] is True")]
    found = simplify(guards)
    assert found.kept == tuple(guards)
    assert set(found.contradiction) == {guards[0], guards[2]}


def test_what_the_caller_assumes_goes() -> None:
    found = simplify([parse("L['x'].shape[0] >= 1")], assume=[parse("L['x'].shape[0] == 4")])
    assert found.kept == ()
    found.validate()


def test_an_unknown_solver_is_named_with_a_hint() -> None:
    with pytest.raises(UnknownSolver, match="builtin"):
        simplify([parse("L['n'] is None")], solver="biultin")


def test_a_solver_of_ones_own_is_asked_after_the_tier_built_in() -> None:
    asked = []

    class Oracle:
        def prove(self, facts, goal, *, budget):
            asked.append(str(goal))
            return Finding("unknown", reason="it does not know")

    register_solver("oracle of the test", Oracle())
    verdict = implies([parse("L['n'] == 1")], [parse("isnan(L['m'])")], solver="oracle of the test")
    assert isinstance(verdict, Refuted | Unknown)
    assert asked
    assert set(asked) == {"isnan(L['m'])"}


def test_satisfiable_on_nothing_and_on_a_contradiction() -> None:
    assert bool(satisfiable([]))
    verdict = satisfiable([parse("L['a'] < 1"), parse("L['b'] > 0"), parse("L['a'] > 2")])
    assert isinstance(verdict, Contradiction)
    assert [str(guard) for guard in verdict.core] == ["L['a'] < 1", "L['a'] > 2"]
    assert "contradiction between" in str(verdict)


def test_disjoint_and_equivalent() -> None:
    ints = parse("type(L['n']) is int")
    assert bool(disjoint([ints, parse("L['n'] < 2")], [parse("L['n'] > 1")]))
    assert not disjoint([ints], [parse("L['n'] > 1")])
    assert bool(equivalent([ints, parse("L['n'] > 3")], [ints, parse("L['n'] >= 4")]))
    assert isinstance(equivalent([parse("L['n'] > 3")], [parse("L['n'] >= 4")]), Refuted)


def test_a_chain_of_differences() -> None:
    chain = [parse(f"L['x{n}'].shape[0] < L['x{n + 1}'].shape[0]") for n in range(300)]
    assert bool(implies(chain, [parse("L['x0'].shape[0] + 300 <= L['x300'].shape[0]")], solver="builtin"))


def test_knowledge_grows_and_shrinks() -> None:
    known = Knowledge([parse("L['x'].shape[0] % 8 == 0")])
    mark = known.mark()
    assert known.add(parse("L['x'].shape[0] >= 1"))
    assert not known.add(parse("L['x'].shape[0] >= 8"))
    known.undo(mark)
    assert known.add(parse("L['x'].shape[0] >= 8"))
    known.add(parse("L['x'].shape[0] < 8"))
    assert {"L['x'].shape[0] >= 8", "L['x'].shape[0] < 8"} <= {str(guard) for guard in known.contradiction}


TEXTS = [
    "type(L['n']) is int", "L['n'] > 3", "L['n'] >= 4", "L['a'] is L['b']", "L['a'].k == 'x'", "L['b'].k == 'x'",
    "L['x'].shape[0] == L['y'].shape[0]", "L['y'].shape[0] % 8 == 0", "L['x'].shape[0] % 4 == 0", "L['x'].ndim >= 1",
    "keys(L['d']) == ('a', 'b')", "len(L['d']) == 2", "'a' in L['d']", "L['s'] in ('p', 'q')", "L['s'] != 'r'",
]  # fmt: skip

PROGRAM = """
import sys
from guardlang.parse import parse
from guardlang.solver import simplify, satisfiable
guards = [parse(text) for text in sys.argv[1:]]
found = simplify(guards)
print([str(guard) for guard in found.kept])
print([(str(drop.guard), [str(other) for other in drop.because]) for drop in found.dropped])
print(satisfiable(guards + [parse("L['n'] < 2")]))
"""


def test_the_same_bytes_under_any_hash_seed() -> None:
    outputs = set()
    for seed in ("0", "1", "4242"):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *TEXTS],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            capture_output=True,
            check=True,
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1


def test_the_same_guards_stay_in_any_order_of_addition() -> None:
    rng = random.Random(1)
    expected = None
    for _ in range(12):
        texts = TEXTS[:]
        rng.shuffle(texts)
        found = {text for text in kept(*texts) if text not in ("L['n'] > 3", "L['n'] >= 4", "L['a'].k == 'x'", "L['b'].k == 'x'")}
        expected = expected or found
        assert found == expected


def test_threads_agree() -> None:
    results: list[list[str]] = []
    threads = [threading.Thread(target=lambda: results.append(kept(*TEXTS, solver="all"))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 3
    assert results[0] == results[1] == results[2]
