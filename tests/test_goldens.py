"""Goldens: error messages, explanations and generated source, as files that one can read.

`GUARDLANG_UPDATE_GOLDENS=1 pytest tests/test_goldens.py` writes them anew; read the difference before you keep it.
"""

import os
from pathlib import Path

import pytest

from guardlang import GuardlangError, GuardSet, Origin, parse
from guardlang.parse import parse_condition

FOLDER = Path(__file__).with_name("goldens")
UPDATE = bool(os.environ.get("GUARDLANG_UPDATE_GOLDENS"))


def assert_golden(name, text):
    file = FOLDER / name
    if UPDATE:
        file.write_text(text, "utf-8")
    assert file.read_text("utf-8") == text


class Point:
    pass


OBJECTS = {"Point": Point, "K": 7}

# Every message of the parser and of the static rules.
REFUSED = {
    "syntax": [
        "",
        "L['x'] ==",
        "L['x'] == 1;",
        "L['x'] = 1",
        "L['x'] == 'a",
        "L['x'] == \0",
        "L['x'] == '\ud800'",
        "not " * 2000 + "True",
        "L['x'][1:2] == 1",
        "+L['x'] == 1",
        "L['x'] @ L['y'] == 1",
        "[i for i in L['x']] == []",
        "{i for i in L['x']} == 1",
        "{i: 1 for i in L['x']} == 1",
        "(i for i in L['x']) is None",
        "f'{L}' == 'a'",
        "(lambda: 1) is L['x']",
        "(y := 1) == L['x']",
        "(yield) is L['x']",
        "(*L['x'],) == (1,)",
        "L['x'] == {**L['y']}",
        "L['x'] == [L['y']]",
        "L['x'] == {L['y']: 1}",
        "len(x=L['x']) == 1",
        "len(*L['x']) == 1",
        "L['f'](1) == 2",
        "(L['f'])(1)(2) == 2",
        "L['x'].size(0) == 2",
        "L['x'].strid(0) == 2",
        "L['x'].item() == 2",
        "L == 1",
        "L.x == 1",
        "L[0] == 1",
        "G[K] == 1",
        "slice(L['x']) == L['y']",
    ],
    "names": [
        "nosuchname == L['x']",
        "Pont is type(L['x'])",
        "keys is L['x']",
        "open('x') is None",
        "K(1) == 1",
        "lenn(L['x']) == 1",
        "nosuchfunction(L['x'])",
        "Point.nothing is L['x']",
    ],
    "operands": [
        "len() == 1",
        "same(L['x'])",
        "exact(L['x'])",
        "round(1, 2, 3) == 1",
        "type(L['x'], 1) is int",
        "L['x'].stride() == 1",
        "L['x'].storage_offset(0) == 1",
        "getattr(L['x'], L['y']) == 1",
        "float('one') == L['x']",
        "range('a') == L['x']",
        "range(0, 1, 0) == L['x']",
        "slice() == L['x']",
        "L['x'] == {[1]: 2}",
        "L['x'] == {[1], 2}",
        "L['x'] == set(([1],))",
    ],
    "types": [
        "L['x']",
        "L['x'].shape[0] + 1",
        "not L['x']",
        "L['x'] and L['y'] == 1",
        "1 if L['x'] else 2",
        "'text'",
        "len(3) == 1",
        "len(None) == 1",
        "keys('a') == ()",
        "{1, 2}[0] == 1",
        "b'a'[0] == 1",
        "'abc'['a'] == 'b'",
        "(1, 2)[1.0] == 1",
        "L['x'].shape['a'] == 1",
        "peek(L['x'], 'a') == 1",
        "deref(3) is None",
        "remaining('a') == 1",
        "(3).stride(0) == 1",
        "-'a' == L['x']",
        "~1.5 == L['x']",
        "L['x'] + 'a' == 1",
        "L['x'] % 'a' == 1",
        "L['x'] // 1j == 1",
        "L['x'] & 1.5 == 1",
        "L['x'] is 5",
        "L['x'] is 'a'",
        "L['x'] is ()",
        "L['x'].shape is L['y']",
        "len(L['x']) is L['y']",
        "keys(L['x']) is L['y']",
        "L['x'] + 1 is L['y']",
        "same(L['x'], 3)",
        "distinct(L['x'], L['y'] * 2)",
        "L['x'] is (3 if L['y'] == 1 else None)",
        "L['x'].shape < 'a'",
        "L['x'] < None",
        "1 < 'a'",
        "('a' < b'a') == L['x']",
        "'a' in 3",
        "1 in None",
        "1 in 'abc'",
        "hasattr(L['x'], L['y'])",
        "isinstance(L['x'], 3)",
        "isinstance(L['x'], 'int')",
        "opaque(L['x'])",
        "round(L['x'], 'a') == 1",
        "abs('a') == 1",
        "sqrt(1j) == 1",
        "bool(int)",
        "set(3) == {3}",
        "str(3) == '3'",
        "tuple(3) == (3,)",
        "bytes('a') == b'a'",
        "complex(0x1" + "0" * 300 + ") == L['x']",
    ],
}


@pytest.mark.parametrize("topic", REFUSED)
def test_messages(topic):
    blocks = []
    for text in REFUSED[topic]:
        with pytest.raises(GuardlangError) as caught:
            parse_condition(text, OBJECTS)
        shown = ascii(text)[1:-1]
        blocks.append(f"{shown if len(shown) < 80 else shown[:77] + '...'}\n{type(caught.value).__name__}: {caught.value}\n")
    text = "\n".join(blocks)
    assert "guardlang." not in text
    assert_golden(f"messages_{topic}.txt", text)


def test_messages_of_sets():
    blocks = []

    def refused(what, act):
        with pytest.raises(GuardlangError) as caught:
            act()
        blocks.append(f"{what}\n{type(caught.value).__name__}: {caught.value}\n")

    guards = GuardSet(OBJECTS)
    guards.add("L['n'] == 3", origin=Origin(file="/home/me/model.py", line=31, code="x.view(4, -1)", reason="tiled"))
    refused("a bool", lambda: guards.add(True))
    refused("false", lambda: guards.add("1 == 2"))
    refused("undefined", lambda: guards.add("1 / 0 == 1"))
    refused("unknown state", lambda: guards.add("S['torch.grad_mod'] is True"))
    refused("unknown backend", lambda: guards.compile("pyton"))
    refused("false on its example", lambda: guards.compile(example={"n": 4}))
    refused("undefined on its example", lambda: guards.compile(example={}))
    refused("signature lacks a name", lambda: guards.compile(signature=("m",)))
    refused("signature names one twice", lambda: guards.compile(signature=("n", "n")))
    refused("mark of another set", lambda: guards.restore(GuardSet().checkpoint()))
    refused("no mapping", lambda: guards.compile()(3))
    refused("another object of that name", lambda: GuardSet({"Point": int}).add(parse("type(L['x']) is Point", OBJECTS)))
    refused("not JSON", lambda: GuardSet.from_json("{"))
    refused("another format", lambda: GuardSet.from_json("{}"))
    assert_golden("messages_sets.txt", "\n".join(blocks))


def example_set():
    guards = GuardSet(OBJECTS)
    guards.add("type(L['x']) is Point", origin=Origin(file="/home/me/model.py", line=12, code="def forward(x):"))
    guards.add("L['x'].n % 8 == 0", reason="tiled by 8")
    guards.add("L['x'].n >= 16 or L['flag'] is True")
    guards.add("keys(L['d']) == ('a', 'b')")
    guards.add("exact(L['d']['a'], 1.0)", origin="config.toml")
    guards.add("same(L['a'], L['b'], G['c'])")
    guards.add("L['items'][0] is not L['items'][1]")
    guards.add("2 <= len(L['items']) < 5")
    guards.add("hasattr(L['x'], 'w')")
    guards.add("K in L['items']")
    guards.add("isinstance(L['d'], dict)")
    guards.add("getattr(L['x'], 'n') == 16")
    return guards


def example_frame(**changes):
    x = Point()
    x.n, x.w = 16, None
    shared = [1]
    locals = {"x": x, "flag": False, "d": {"a": 1.0, "b": 2}, "a": shared, "b": shared, "items": [7, 8, 9]}
    return {**locals, **changes}, {"c": shared}


def broken():
    x = Point()
    x.n = 12
    return example_frame(x=x, d={"b": 2, "a": 1}, b=[1], items=[8, 8])


def test_source():
    guards = example_set()
    for signature, name in ((None, "mapping.py"), (("x", "flag", "d", "a", "b", "items"), "positional.py")):
        check = guards.compile("python", signature=signature)
        locals, globals = example_frame()
        assert check(*locals.values(), globals=globals) if signature else check(locals, globals)
        assert_golden(name, check.source)


def test_explanations():
    guards = example_set()
    frames = {
        "holds": example_frame(),
        "broken": broken(),
        "another type": example_frame(x=3),
        "nothing there": ({}, {}),
        "only the impure guard fails": example_frame(x=type("Loud", (Point,), {"__getattr__": None})()),
    }
    blocks = [f"--- {name}\n{guards.explain(*frame)}\n" for name, frame in frames.items()]
    assert_golden("explanations.txt", "\n".join(blocks))
    assert_golden("explanation.json", guards.explain(*broken()).to_json() + "\n")
