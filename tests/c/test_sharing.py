"""Equal parts of a set are one function over a table of constants."""

import re

from guardlang import GuardSet
from guardlang.ast import Compare
from guardlang.sources import Const, GetItemSource, LocalSource


def layers(count, guards_of_layer):
    guards = GuardSet()
    for number in range(count):
        for text in guards_of_layer:
            guards.add(text.format(f"L['m']['layers'][{number}]", size=number + 1))
    return guards


LAYER = ["type({}) is dict", "type({}['w']) is tuple", "len({}['w']) == {size}", "{}['bias'] is None", "{}['rate'] == 0.5"]


def code(check):
    return check.source.partition("#define READS_GLOBALS")[2].partition("/* The object that is called")[0]


def frame(count):
    return {"m": {"layers": [{"w": tuple(range(n + 1)), "bias": None, "rate": 0.5} for n in range(count)]}}


def test_the_code_does_not_grow_with_the_number_of_layers():
    few, many = (layers(count, LAYER).compile("c") for count in (3, 60))
    assert len(re.findall(r"static int part_", code(many))) == len(re.findall(r"static int part_", code(few))) == 1
    assert code(many).count("length_of") == 1
    assert few(frame(3))
    assert many(frame(60))
    for number in (0, 30, 59):
        broken = frame(60)
        broken["m"]["layers"][number]["rate"] = 0.25
        assert not many(broken)


def test_relations_reach_into_shared_parts():
    guards = layers(5, LAYER)
    guards.add(f"distinct({', '.join(f'''L['m']['layers'][{n}]['w']''' for n in range(5))})")
    guards.add("L['m']['layers'][0]['rate'] is L['m']['layers'][4]['rate']")
    check = guards.compile("c")
    good = frame(5)
    for layer in good["m"]["layers"]:
        layer["rate"] = good["m"]["layers"][0]["rate"]
    assert check(good)
    good["m"]["layers"][4]["rate"] = float("0.5")
    assert not check(good)


def test_sources_deeper_than_the_recursion_limit():
    depth = 3000
    source = LocalSource("x")
    for _ in range(depth):
        source = GetItemSource(source, Const(0))
    guards = GuardSet()
    guards.add(Compare(("==",), (source, Const(7))))
    value = 7
    for _ in range(depth):
        value = [value]
    assert guards.compile("c")({"x": value})
