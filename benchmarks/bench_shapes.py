"""Branches on symbolic numbers: 100,000 of them, 95 in 100 decided by what is known."""

from __future__ import annotations

import time
from collections.abc import Iterator

import guardlang as gl
from benchmarks.measure import compare
from benchmarks.rows import Options, Row

__all__ = ["rows"]

BRANCHES = 100_000
PER_INPUT = 100
GOAL_SECONDS = 1.5


def rows(options: Options) -> Iterator[Row]:
    """Yield the time of the branches against the goal, and the cost of one branch that comes again against one on an int."""
    env = gl.ShapeEnv()
    start = time.perf_counter()
    taken = branches(env, BRANCHES // PER_INPUT)
    seconds = time.perf_counter() - start
    assert taken == BRANCHES
    note = f"{len(env.guards)} guards, {env.queries} questions to the solver"
    yield Row("100,000 branches / the goal", seconds, GOAL_SECONDS, seconds / GOAL_SECONDS, 1.0, note)
    symbol = gl.ShapeEnv().symbol(gl.L["n"], hint=37)
    assert symbol > 5
    timed = compare({"symbol": lambda n: bool(n > 5), "int": lambda n: bool(n > 5)}, args=(symbol,), rounds=options.rounds)
    plain = compare({"int": lambda n: bool(n > 5)}, args=(37,), rounds=options.rounds)
    yield Row("a known branch / on an int", timed["symbol"], plain["int"], timed["symbol"] / plain["int"], None, "")


def branches(env: gl.ShapeEnv, inputs: int) -> int:
    """Return how many branches were taken on the sizes of some inputs: a hundred for each, of which three are new."""
    taken = []
    for number in range(inputs):
        n = env.symbol(gl.L["x"][number].shape[0], hint=64)
        m = env.symbol(gl.L["x"][number].shape[1], hint=96)
        # Two facts came with the symbols: three more.
        taken += [bool(n > 15), bool(n % 8 == 0), bool(n < m)]
        taken += [bool(n != bound) for bound in range(16)]
        taken += [bool(n + bound > 15) for bound in range(30)]
        taken += [bool(2 * m >= bound - 20) for bound in range(24)]
        taken += [bool(m > n), bool(m != n), bool(n <= m), bool(n % 8 == 0), bool(n % 8 != 0)]
        taken += [bool(n * 8 + bound > 100) for bound in range(22)]
    return len(taken)
