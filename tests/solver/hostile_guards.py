"""Random guards and frames of every type, for the tests that compare the solver with the reference."""

from __future__ import annotations

import math
import random
from typing import Any

from guardlang.ast import Expr
from guardlang.errors import GuardlangError
from guardlang.parse import parse


class Thing:
    pass


class Special(Thing):
    pass


class Number(int):
    pass


OBJECTS = {"Thing": Thing, "Special": Special}

_VALUES: list[Any] = [
    0, 1, 2, -1, 3, 7, -5, True, False, None, 0.0, -0.0, 1.0, 1.5, -2.5, math.nan, -math.nan, math.inf, 1e308, 2**53 + 1,
    2.0**53, "a", "b", "", b"a", (1, 2), (1,), [1, 2], [], {"k": 1}, {}, {1}, frozenset({1, 2}), 1j, complex(1, 0), int, bool,
    Thing, object(), ..., Number(3), range(3), range(0), (math.nan,), ("a",), 10**30,
]  # fmt: skip
_SOURCES = [
    "L['a']", "L['b']", "L['c']", "L['a'].n", "L['b'].n", "L['a'][0]", "L['b'][0]", "L['b']['k']", "L['a']['k']", "L['c'].m",
]  # fmt: skip
_NUMBERS = ["0", "1", "2", "3", "-1", "7", "1.5", "0.0", "True", "-2.5", "9007199254740993", "len(L['a'])", "len(L['b'])"]
_CONSTANTS = [
    "0", "1", "True", "None", "1.0", "0.0", "-0.0", "'a'", "'b'", "''", "(1, 2)", "('a',)", "float('nan')", "2.5", "{1}",
    "[1, 2]", "b'a'", "...", "1j", "7", "(float('nan'),)",
]  # fmt: skip
_CONTAINERS = ["(1, 2)", "(1.5, None)", "{1, 2}", "[0.0, 1]", "range(3)", "'abc'", "(L['a'], 2)", "frozenset({1})"]


def value(rng: random.Random, depth: int = 0) -> Any:
    """Return a value or object of any type."""
    if depth or rng.random() < 0.8:
        return rng.choice(_VALUES)
    thing = rng.choice([Thing, Special])()
    thing.__dict__.update(n=value(rng, 1), m=value(rng, 1))
    return rng.choice([thing, {"k": value(rng, 1)}, [value(rng, 1), value(rng, 1)], (value(rng, 1),)])


def frame(rng: random.Random) -> dict[str, Any]:
    """Return locals, some missing, some the same object."""
    found = {name: value(rng) for name in "abc" if rng.random() < 0.95}
    if "a" in found and rng.random() < 0.3:
        found["b"] = found["a"]
    return found


def guards(rng: random.Random, count: int) -> list[Expr]:
    """Return random guards that the type checker accepts."""
    found: list[Expr] = []
    while len(found) < count:
        try:
            found.append(parse(_condition(rng, 2), objects=OBJECTS))
        except GuardlangError:
            continue
    return found


def _number(rng: random.Random, depth: int) -> str:
    if depth <= 0 or rng.random() < 0.25:
        return rng.choice(_SOURCES + _NUMBERS)
    shape = rng.random()
    if shape < 0.6:
        operator = rng.choice(["+", "-", "*", "//", "%", "/", "**", "<<", ">>", "&", "|", "^"])
        return f"({_number(rng, depth - 1)} {operator} {_number(rng, depth - 1)})"
    if shape < 0.7:
        return f"({rng.choice('-~')}{_number(rng, depth - 1)})"
    if shape < 0.9:
        name = rng.choice(["abs", "floor", "ceil", "trunc", "round", "sqrt", "int", "float", "bool"])
        return f"{name}({_number(rng, depth - 1)})"
    if shape < 0.95:
        return f"{rng.choice(['min', 'max'])}({_number(rng, depth - 1)}, {_number(rng, depth - 1)})"
    return f"({_number(rng, depth - 1)} if {_condition(rng, depth - 1)} else {_number(rng, depth - 1)})"


def _condition(rng: random.Random, depth: int) -> str:
    shape = rng.random()
    if depth > 0 and shape < 0.3:
        parts = [_condition(rng, depth - 1) for _ in range(3)]
        return rng.choice([f"(not {parts[0]})", f"({parts[0]} and {parts[1]})", f"({parts[0]} or {parts[1]})",
                           f"({parts[0]} if {parts[1]} else {parts[2]})"])  # fmt: skip
    if shape < 0.5:
        return f"({_number(rng, depth)} {rng.choice(['<', '<=', '>', '>=', '==', '!='])} {_number(rng, depth)})"
    if shape < 0.55:
        return f"({_number(rng, 0)} < {_number(rng, 1)} {rng.choice(['<=', '=='])} {_number(rng, 0)})"
    return _relation(rng, depth)


def _relation(rng: random.Random, depth: int) -> str:
    a, b, c = (rng.choice(_SOURCES) for _ in range(3))
    cls = rng.choice(["int", "float", "bool", "str", "list", "dict", "tuple", "Thing", "Special", "object"])
    return rng.choice(
        [
            f"type({a}) {rng.choice(['is', 'is not', '=='])} {rng.choice([cls, f'type({b})'])}",
            f"isinstance({a}, {cls})",
            f"{a} {rng.choice(['is', 'is not'])} {rng.choice(['None', 'True', 'False', 'int', b, c])}",
            f"{a} {rng.choice(['==', '!='])} {rng.choice([*_CONSTANTS, b])}",
            f"exact({a}, {rng.choice(_CONSTANTS)})",
            f"{rng.choice(['same', 'distinct'])}({a}, {b}, {c})",
            f"{a} {rng.choice(['in', 'not in'])} {rng.choice([*_CONTAINERS, b])}",
            f"{rng.choice(['1', repr('k'), repr('n')])} in {a}",
            f"hasattr({a}, {rng.choice(['n', 'm', 'k'])!r})",
            f"isnan({_number(rng, depth - 1)})",
            f"bool({a})",
            f"({a}, {_number(rng, 0)}) == {rng.choice(['(1, 2)', f'({b}, 1)', '(1,)'])}",
            f"{a} {rng.choice(['<', '<='])} {rng.choice(_CONSTANTS)}",
            f"len({a}) == {rng.choice('012')}",
            f"keys({a}) == ('k',)",
            f"set(keys({a})) == {{'k'}}",
        ]
    )
