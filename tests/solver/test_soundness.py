"""Random guards against frames of every kind: what is dropped holds where the rest holds, and every proof is accepted."""

from __future__ import annotations

import enum
import random

import pytest

from guardlang.ast import Expr
from guardlang.errors import GuardlangError
from guardlang.frame import Frame
from guardlang.parse import parse, parse_condition
from guardlang.semantics import Evaluation
from guardlang.solver import simplify
from guardlang.solver.checker import check
from guardlang.solver.context import Context
from guardlang.solver.prover import contradiction, prove
from guardlang.solver.search import Budget


class Thing:
    def __init__(self, **fields: object) -> None:
        self.__dict__.update(fields)


class Liar:
    @property
    def __class__(self) -> type:
        return int


class Derived(int):
    pass


class Color(enum.IntEnum):
    RED = 1


P, Q = Thing(n=1, k=[1]), Thing(n=2, k=None)
OBJECTS = {"Thing": Thing, "NoneType": type(None), "P": P, "Q": Q, "Color": Color}
NAMES = ("a", "b", "c")
INTS = (-9, -8, -5, -3, -2, -1, 0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 100)
NAN = float("nan")
HOSTILE = (
    None, True, False, 0, 1, 2, -3, 8, 2**63, 0.0, -0.0, 1.0, 2.5, NAN, float("inf"), 1j, 1 + 0j, "", "a", "ab", b"a", (), (1, 2),
    (1.0, 2), ("a", "b"), [], [1, 2], {}, {"a": 1}, {"b": 2, "a": 1}, {1: 2}, set(), {1, 2}, range(3), P, Q, Thing(),
    Thing(n=NAN),
    Thing(n="a", k={"a": 1}), int, bool, Liar(), Derived(3), Color.RED, object(),
)  # fmt: skip
CONSTANTS = (
    "None", "True", "0", "1", "2", "1.0", "0.0", "-0.0", "2.5", "'a'", "'ab'", "(1, 2)", "('a', 'b')", "[1, 2]", "{'a': 1}",
    "{1, 2}", "float('nan')", "()",
)  # fmt: skip


class Writer:
    """Writes random guards."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def guard(self) -> Expr:
        while True:
            try:
                return parse_condition(self.condition(2), OBJECTS)
            except GuardlangError:
                continue

    def source(self) -> str:
        suffix = self.rng.choice(["", "", "", "", "", ".n", ".k", "['a']", "[0]", "[-1]"])
        return f"L[{self.rng.choice(NAMES)!r}]{suffix}"

    def number(self, depth: int) -> str:
        choose, roll = self.rng.choice, self.rng.random()
        if depth <= 0 or roll < 0.45:
            return self.source() if self.rng.random() < 0.7 else str(choose([0, 1, 2, 3, 4, 8, -1, -2, 16, 0.5, 2.0, True]))
        if roll < 0.85:
            op = choose(["+", "-", "*", "//", "%", "//", "%", "/", "&", ">>", "<<", "**"])
            return f"({self.number(depth - 1)} {op} {self.number(depth - 1)})"
        if roll < 0.92:
            return f"{choose(['min', 'max'])}({self.number(depth - 1)}, {self.number(depth - 1)})"
        if roll < 0.95:
            return f"{choose(['abs', 'int', 'floor'])}({self.number(depth - 1)})"
        if roll < 0.98:
            return f"len({self.source()})"
        return f"({self.number(depth - 1)} if {self.condition(0)} else {self.number(depth - 1)})"

    def condition(self, depth: int) -> str:
        choose, source = self.rng.choice, self.source
        forms = [
            lambda: f"{self.number(2)} {choose(['<', '<=', '>', '>=', '==', '!='])} {self.number(2)}",
            lambda: f"{self.number(2)} {choose(['<', '<=', '>', '>=', '==', '!='])} {self.number(1)}",
            lambda: f"{self.number(1)} {choose(['<', '<='])} {self.number(1)} {choose(['<', '<=', '=='])} {self.number(1)}",
            lambda: f"{source()} {choose(['==', '!='])} {choose(CONSTANTS)}",
            lambda: f"{source()} {choose(['==', '!='])} {source()}",
            lambda: f"type({source()}) is {choose(['int', 'bool', 'float', 'str', 'list', 'dict', 'Thing', 'NoneType'])}",
            lambda: f"{source()} {choose(['is', 'is not'])} {choose(['None', 'True', 'False', 'int', 'P', 'Q'])}",
            lambda: f"{source()} {choose(['is', 'is not'])} {source()}",
            lambda: f"isinstance({source()}, {choose(['int', 'bool', '(int, str)', 'list', 'object', 'Color'])})",
            lambda: f"hasattr({source()}, {choose(['n', 'k', 'real'])!r})",
            lambda: f"len({source()}) {choose(['==', '>', '<'])} {choose([0, 1, 2])}",
            lambda: f"{source()} in {choose(['(1, 2)', '[1, None]', '{1, 2, 3}'])}",
            lambda: f"'a' {choose(['in', 'not in'])} {source()}",
            lambda: f"keys({source()}) == {choose(['()', repr(('a',)), repr(('a', 'b'))])}",
            lambda: f"set(keys({source()})) == {choose([repr({'a'}), repr(frozenset('a'))])}",
            lambda: f"exact({source()}, {choose(CONSTANTS)})",
            lambda: f"{choose(['same', 'distinct'])}({source()}, {source()}, {source()})",
            lambda: f"isnan({source()})",
            lambda: f"bool({source()})",
        ]
        if depth > 0:
            inner = self.condition
            forms += [
                lambda: f"not ({inner(depth - 1)})",
                lambda: f"(({inner(depth - 1)}) {choose(['and', 'or'])} ({inner(depth - 1)}))",
                lambda: f"(({inner(depth - 1)}) == ({inner(depth - 1)}))",
                lambda: f"(({inner(depth - 1)}) if ({inner(depth - 1)}) else ({inner(depth - 1)}))",
            ]
        return choose(forms)()

    def frame(self) -> Frame:
        rng = self.rng
        pool = INTS if rng.random() < 0.5 else HOSTILE
        values = [rng.choice(pool) for _ in NAMES]
        if rng.random() < 0.3:
            values[1] = values[0]
        if rng.random() < 0.3:
            values = [Thing(n=value, k=rng.choice(HOSTILE)) for value in values]
            values[1] = rng.choice(values)
        return Frame(dict(zip(NAMES, values, strict=True)))


@pytest.mark.parametrize("seed", range(6))
def test_random_sets_against_hostile_frames(seed: int) -> None:
    rng = random.Random(seed)
    writer = Writer(rng)
    looks = [Evaluation(writer.frame()) for _ in range(250)]
    ints = [parse(f"type(L[{name!r}]) is int") for name in NAMES]
    alias = [parse("L['a'] is L['b']")]
    for _ in range(40):
        guards = rng.choice([[], ints, ints, alias]) + [writer.guard() for _ in range(rng.choice([1, 2, 3, 5]))]
        goal = writer.guard()
        context = Context(guards)
        end = contradiction(context, Budget(30))
        proof = prove(context, goal, Budget(30))
        small = simplify(guards)
        small.validate()
        if end is not None:
            check(guards, None, end)
        if proof is not None:
            check(guards, goal, proof)
        for look in looks:
            full = all(look.truth(guard) for guard in guards)
            shown = [str(guard) for guard in guards], dict(look.frame.locals)
            if full:
                assert end is None, shown
                assert not small.contradiction, shown
                assert proof is None or look.truth(goal), (shown, str(goal))
            assert full is all(look.truth(guard) for guard in small.kept), (shown, [str(guard) for guard in small.kept])
