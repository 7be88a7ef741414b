"""How a check in C is called, and what it leaves behind: no reference, no error, no change."""

import collections
import gc
import sys
import types
import weakref

import pytest

from guardlang.errors import GuardTypeError


def test_a_check_takes_any_mapping(compiled):
    check = compiled("L['n'] == 1", "G['m'] == 2")

    class Names(dict):
        def __getitem__(self, key):
            raise AssertionError("a check ran code of the mapping's type")

    module = types.ModuleType("m")
    module.m = 2
    assert check({"n": 1}, module.__dict__)
    assert check(Names(n=1), Names(m=2))
    assert check(collections.ChainMap({"n": 1}), types.MappingProxyType({"m": 2}))
    assert check(collections.OrderedDict(n=1), {"m": 2})
    assert not check({"n": 1})
    assert not check({"n": 1}, None)


def test_what_is_no_mapping_is_refused(compiled):
    check = compiled("L['n'] == 1", "G['m'] == 2")
    with pytest.raises(GuardTypeError, match="locals of a check are a mapping, not int"):
        check(3)
    with pytest.raises(GuardTypeError, match="globals of a check are a mapping, not int"):
        check({}, 3)


@pytest.mark.parametrize("args", [(), ({}, {}, {})])
def test_other_numbers_of_arguments_are_refused(compiled, args):
    with pytest.raises(TypeError, match=f"not {len(args)} arguments"):
        compiled("L['n'] == 1")(*args)


def test_keywords_are_refused(compiled):
    with pytest.raises(TypeError, match="by position"):
        compiled("L['n'] == 1")(locals={})


def test_a_positional_check_takes_values(compiled):
    check = compiled("L['a'] is L['b']", "G['m'] == 2", signature=("a", "b"))
    x = []
    assert check(x, x, globals={"m": 2})
    assert not check(x, [], globals={"m": 2})
    assert not check(x, x)
    with pytest.raises(TypeError, match="takes 2 values, not 1"):
        check(x)
    with pytest.raises(TypeError, match="no keyword but globals"):
        check(x, x, other={})


def test_a_positional_check_leaves_guards_to_python(compiled):
    check = compiled("1 in L['a']", "L['b'] > 2", signature=("b", "a"))
    assert check(3, {1, 2})
    assert not check(3, {2})


def test_a_check_can_carry_attributes_and_be_weakly_referenced_by_its_parts(compiled):
    check = compiled("L['n'] == 1")
    assert check.backend == "c"
    assert "int holds(" in check.source.replace("static ", "")
    assert check.report == ()


TEXTS = [
    "type(L['x']) is Plain",
    "L['x'].a[0] == 1",
    "L['x'].a[1] == 'text'",
    "L['x'].table['k'] is L['y']",
    "not hasattr(L['x'], 'missing')",
    "len(L['x'].a) == 2",
    "L['x'].a[0] + 1 < 2**40",
    "keys(L['x'].table) == ('k',)",
    "exact(L['t'], (1, (2.0, 'a')))",
    "distinct(L['x'], L['y'], L['t'])",
    "deref(L['w']) is L['x']",
    "L['n'] is None or L['n'].a == 3",
    "1 in L['s']",
    "L['x'].level == 3",
    "type(L['x']).level == 3",
]


class Plain:
    level = 3

    def __init__(self, **members):
        self.__dict__.update(members)


def frames():
    y = Plain(a=3)
    x = Plain(a=[1, "text"], table={"k": y})
    good = {"x": x, "y": y, "t": (1, (2.0, "a")), "w": weakref.ref(x), "n": None, "s": {1, 2}}
    yield good, True
    yield good | {"n": y}, True
    yield good | {"n": 3}, False
    yield good | {"t": (1, (2, "a"))}, False
    yield good | {"x": y}, False
    yield {"x": x}, False
    yield {}, False


def test_references_are_given_back(compiled):
    check = compiled(*TEXTS, Plain=Plain)
    held = list(frames())
    for frame, holds in held:
        assert check(frame) is holds
    tracked = [value for frame, _ in held for value in frame.values()]
    before = [sys.getrefcount(value) for value in tracked]
    for _ in range(2000):
        for frame, holds in held:
            assert check(frame) is holds
    assert [sys.getrefcount(value) for value in tracked] == before


def test_memory_does_not_grow(compiled):
    check = compiled(*TEXTS, Plain=Plain)
    held = list(frames())

    def run(rounds):
        for _ in range(rounds):
            for frame, _ in held:
                check(frame)

    run(100)
    gc.collect()
    before = sys.getallocatedblocks()
    run(5000)
    gc.collect()
    assert sys.getallocatedblocks() - before < 50


def test_a_check_and_what_it_holds_can_be_collected(compiled):
    class Held:
        pass

    held = Held()
    check = compiled("L['x'] is held", held=held)
    check.itself = check
    assert check({"x": held})
    alive = weakref.ref(held)
    del held, check
    gc.collect()
    # The nodes of the guards are held by nobody either.
    assert alive() is None


def test_a_change_of_a_class_is_noticed(compiled):
    class Base:
        level = 1

    class Derived(Base):
        pass

    check = compiled("L['x'].level == 1")
    x = Derived()
    assert check({"x": x})
    Base.level = 2
    assert not check({"x": x})
    Base.level = 1
    assert check({"x": x})
    Derived.level = property(lambda self: 1)
    assert not check({"x": x})
    del Derived.level
    assert check({"x": x})
    x.level = 5
    assert not check({"x": x})
    del x.level
    other = type("Other", (), {"level": 1})
    Derived.__bases__ = (other,)
    assert check({"x": x})
    other.level = 3
    assert not check({"x": x})


def test_a_change_of_a_metaclass_and_of_a_class_that_is_read_is_noticed(compiled):
    class Meta(type):
        pass

    class Read(metaclass=Meta):
        level = 1

    check = compiled("L['x'].level == 1")
    assert check({"x": Read})
    Read.level = 2
    assert not check({"x": Read})
    Read.level = 1
    assert check({"x": Read})
    Meta.level = property(lambda cls: 1)
    assert not check({"x": Read})


def test_an_interrupt_is_not_swallowed(compiled):
    class Interrupting(collections.abc.Mapping):
        def __getitem__(self, key):
            raise KeyboardInterrupt

        def __iter__(self):
            return iter(["n"])

        def __len__(self):
            return 1

    with pytest.raises(KeyboardInterrupt):
        compiled("L['n'] == 1")(Interrupting())
