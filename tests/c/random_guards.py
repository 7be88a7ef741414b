"""Random guards and frames, hostile ones among them, for comparing a backend with the interpreter."""

from __future__ import annotations

import collections
import random
import types
import weakref
from typing import Any


class Plain:
    level = 3
    table = {"a": 1}

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)

    def method(self) -> int:
        return 1

    @property
    def computed(self) -> int:
        raise AssertionError("a check ran a property")

    @staticmethod
    def helper() -> int:
        return 2


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self) -> None:
        self.a = 1


class Loud:
    """Runs into an error whatever Python code of it is run."""

    def _loud(self, *_: Any) -> Any:
        raise AssertionError("a check ran code of an input's type")

    __eq__ = __lt__ = __len__ = __getitem__ = __contains__ = __bool__ = __int__ = __float__ = __index__ = __call__ = _loud
    __add__ = __radd__ = __mul__ = __iter__ = __getattr__ = _loud

    def __hash__(self) -> int:
        raise AssertionError("a check ran code of an input's type")


class LoudGetattribute:
    def __getattribute__(self, name: str) -> Any:
        raise AssertionError("a check ran code of an input's type")


# Making a dict compares its keys; only a check must not.
ARMED = [False]


class LoudKey:
    def __init__(self, like: Any) -> None:
        self.like = hash(like)

    def __hash__(self) -> int:
        return self.like

    def __eq__(self, other: object) -> bool:
        if type(other) is LoudKey or not ARMED[0]:
            return self is other
        raise AssertionError("a check ran code of a key's type")


class Number(int):
    __eq__ = __lt__ = __add__ = __mod__ = Loud._loud
    __hash__ = int.__hash__


class Text(str):
    __eq__ = __lt__ = __len__ = Loud._loud
    __hash__ = str.__hash__


class Row(list):
    __len__ = __getitem__ = __eq__ = Loud._loud


class Pair(tuple):
    __slots__ = ()
    __len__ = __getitem__ = __eq__ = Loud._loud
    __hash__ = tuple.__hash__


class Table(dict):
    __len__ = __getitem__ = __contains__ = __eq__ = __missing__ = Loud._loud


Point = collections.namedtuple("Point", "x y")
SHARED = Plain(a=1, b=[1, 2], n=None)
OBJECTS = {"Plain": Plain, "Slotted": Slotted, "SHARED": SHARED, "Number": Number, "Point": Point}

_SCALARS: list[Any] = [
    *[None, True, False, 0, 1, -1, 2, 3, 7, 8, 255, 2**31, 2**53, 2**53 + 1, 2**62, 2**63 - 1, -(2**63), 2**63, 2**64, -(2**64), 10**30],
    *[0.0, -0.0, 0.5, 1.0, 2.0, -1.5, 3.7, 1e300, -1e300, float("inf"), float("-inf"), float("nan"), 2.0**53, 2.0**63, 1e19],
    *["", "a", "b", "ab", "k", "\u00e9", "x" * 40, b"", b"a", b"k", 1j, 0j, 1 + 0j],
]


def value(random: random.Random, depth: int = 0) -> Any:
    """Return a random object: a value most of the time."""
    kind = random.random()
    if depth > 3 or kind < 0.5:
        return random.choice(_SCALARS)
    inner = lambda: value(random, depth + 1)  # noqa: E731
    some = lambda: [inner() for _ in range(random.randrange(4))]  # noqa: E731
    choice = random.randrange(26)
    match choice:
        case 0 | 1:
            return some()
        case 2 | 3:
            return tuple(some())
        case 4 | 5 | 6 | 7:
            return {random.choice(["a", "b", "k", 1, 0, True, 2.0, None, (1, 2), b"a"]): inner() for _ in range(random.randrange(4))}
        case 8:
            return {x for x in some() if type(x) in (int, str, float, bytes, type(None))}
        case 9:
            return range(random.randrange(5), random.randrange(9), random.choice([1, 2, -1]))
        case 10 | 11:
            return Plain(**{name: inner() for name in random.sample(["a", "b", "n", "level", "method", "k"], random.randrange(4))})
        case 12:
            return Slotted()
        case 13:
            return random.choice([Loud, LoudGetattribute])()
        case 14:
            return random.choice([Number(random.randrange(9)), Text("a"), Text("ab"), Row([1, 2]), Pair((1, 2)), Table(a=1), Point(1, inner())])
        case 15:
            return collections.OrderedDict(a=inner(), b=2)
        case 16:
            return random.choice([SHARED, Plain, Slotted, int, str, types, value])
        case 17:
            return collections.deque(some())
        case 18:
            return {LoudKey(random.choice(["a", "k", 1])): inner(), "a": inner()}
        case 19:
            return random.choice([{}.keys(), {"a": 1}.keys(), {"a": 1}.values(), Plain.__dict__, types.MappingProxyType({"a": 1})])
        case 20:
            return weakref.ref(SHARED)
        case 21:
            return iter(random.choice([(1, 2), [1, 2, 3], range(5)]))
        case 22:
            return slice(random.choice([None, 1]), 2)
        case 23:
            return frozenset([1, "a"])
        case 24:
            return (lambda x, y=1: x) if random.random() < 0.5 else len
        case _:
            return object()


def source(random: random.Random, depth: int = 0) -> str:
    """Return the text of a random source."""
    root = random.choice(["L['x']", "L['y']", "L['n']", "L['m']", "L['d']", "G['g']"])
    text = root
    while depth < 3 and random.random() < 0.45:
        depth += 1
        step = random.randrange(12)
        if step < 4:
            text += "." + random.choice(["a", "b", "n", "level", "method", "k", "__dict__", "computed", "helper", "x", "real", "__name__", "__class__"])
        elif step < 8:
            text += f"[{random.choice(['0', '1', '-1', '2', repr('a'), repr('k'), repr('b'), 'True', 'None', '1.0', '(1, 2)'])}]"
        elif step == 8:
            text = f"keys({text})[{random.choice(['0', '1', '-1'])}]"
        elif step == 9:
            text = f"values({text})[{random.choice(['0', '1', '-1'])}]"
        elif step == 10:
            text = f"deref({text})"
        else:
            text = f"{text}[L['n']]"
    return text


def literal(random: random.Random) -> str:
    """Return the text of a random literal."""
    x = random.choice(_SCALARS)
    if random.random() < 0.15:
        return random.choice(["(1, 2)", "[1, 2]", "(1, 'a')", "{'a': 1}", "()", "(1, (2, 3.0))", "{1, 2}", "frozenset({1})", "(float('nan'),)"])
    if x != x or x in (float("inf"), float("-inf")):
        return f"float('{x}')" if x != float("-inf") else "-float('inf')"
    return repr(x)


def number(random: random.Random, depth: int = 0) -> str:
    """Return the text of a random number."""
    kind = random.random()
    if depth > 2 or kind < 0.35:
        return source(random, 1)
    if kind < 0.6:
        return random.choice(["0", "1", "2", "3", "8", "-1", "-3", "0.5", "2.0", "1e19", str(2**62), str(2**63), str(-(2**63))])
    inner = lambda: number(random, depth + 1)  # noqa: E731
    if kind < 0.85:
        return f"({inner()} {random.choice(['+', '-', '*', '/', '//', '%', '**', '<<', '>>', '&', '|', '^'])} {inner()})"
    return random.choice(
        [
            lambda: f"-({inner()})",
            lambda: f"~({inner()})",
            lambda: f"abs({inner()})",
            lambda: f"min({inner()}, {inner()})",
            lambda: f"max({inner()}, {inner()}, 2)",
            lambda: f"len({source(random)})",
            lambda: f"{random.choice(['floor', 'ceil', 'trunc', 'round', 'int', 'float', 'sqrt'])}({inner()})",
        ]
    )()


def condition(random: random.Random, depth: int = 0) -> str:
    """Return the text of a random guard."""
    x = source(random)
    kind = random.randrange(19 if depth < 2 else 15)
    inner = lambda: f"({condition(random, depth + 1)})"  # noqa: E731
    match kind:
        case 0:
            return f"type({x}) is {random.choice(['int', 'str', 'dict', 'list', 'float', 'Plain', 'tuple', 'bool', 'Slotted', 'Number'])}"
        case 1:
            return f"{x} {random.choice(['is', 'is not'])} {random.choice(['None', 'True', 'False', 'SHARED', source(random), source(random)])}"
        case 2 | 3:
            return f"{x} {random.choice(['==', '!='])} {literal(random)}"
        case 4:
            return f"{x} == {source(random)}"
        case 5 | 6 | 7:
            return f"{number(random)} {random.choice(['<', '<=', '>', '>=', '==', '!='])} {number(random)}"
        case 8:
            return f"{literal(random)} {random.choice(['in', 'not in'])} {x}"
        case 9:
            return f"{x} {random.choice(['in', 'not in'])} {random.choice(['(1, 2)', '{1, 2.5, None}', '[1, None]', repr('abc'), source(random), '(1, (2,))'])}"
        case 10:
            return f"{random.choice(['same', 'distinct'])}({', '.join([x, source(random), source(random)][: random.randrange(2, 4)])})"
        case 11:
            return f"isinstance({x}, {random.choice(['int', 'dict', 'Plain', '(int, str)', 'object', 'tuple'])})"
        case 12:
            return f"hasattr({x}, '{random.choice(['a', 'b', 'level', 'method', 'computed', '__dict__', 'real', 'k'])}')"
        case 13:
            return f"exact({x}, {literal(random)})"
        case 14:
            return random.choice([f"isnan({number(random)})", f"keys({x}) == {random.choice([repr(('a', 'b')), repr(('a',)), '()'])}", f"bool({x})", f"{x} < {literal(random)}"])
        case 15:
            return f"not {inner()}"
        case 16:
            return f"{inner()} and {inner()}"
        case 17:
            return f"{inner()} or {inner()}"
        case _:
            return f"({condition(random, depth + 1)} if {condition(random, depth + 1)} else {condition(random, depth + 1)})"


def frame(random: random.Random) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return random locals and globals; some names refer to one object."""
    names = {name: value(random) for name in ("x", "y", "n", "m", "d") if random.random() < 0.95}
    if random.random() < 0.3:
        names["y"] = names.get("x")
    if random.random() < 0.5:
        names["n"] = random.choice([0, 1, 2, 3, 8, True, 2.5, -1, 2**63])
    if random.random() < 0.3:
        names["d"] = {"a": value(random), "k": value(random)}
    return names, ({"g": value(random)} if random.random() < 0.9 else {})
