"""The table of example expressions: one row for each corner of the language, feeding every pass and every backend.

A row is `row(text, type, *frames)`. A frame is `(locals, verdict)` or `(locals, globals, verdict)`. The verdict of a condition is
`T`, `F`, or a string: UNDEFINED, for a reason that contains it. That of any other expression is `gives(value)`, to the bit, or a
string.
"""

import collections
import enum
import itertools
import math
import types
import weakref
from typing import Any, NamedTuple

NAN, INF = math.nan, math.inf
BIG = 2**53
T, F = True, False


class Row(NamedTuple):
    text: str
    type: str
    frames: tuple
    canonical: str


class gives(NamedTuple):
    value: Any


def row(text, type, *frames, canonical=None):
    whole = [frame if len(frame) == 3 else (frame[0], {}, frame[1]) for frame in frames]
    return Row(text, type, tuple(whole), canonical or text)


class Point:
    k = 5

    def __init__(self, **members):
        self.__dict__.update(members)

    @property
    def area(self):
        raise AssertionError

    def move(self):
        raise AssertionError

    @staticmethod
    def origin():
        raise AssertionError


class Slotted:
    __slots__ = ("full", "hollow")

    def __init__(self):
        self.full = 1


class Dynamic:
    def __getattr__(self, name):
        raise AssertionError


class Colour(enum.IntEnum):
    RED = 1


class Name(str):
    __slots__ = ()

    def __eq__(self, other):
        raise AssertionError

    __hash__ = str.__hash__


class Floaty(float):
    pass


class Loud:
    def __eq__(self, other):
        raise AssertionError

    __hash__ = None


class Missing(dict):
    def __missing__(self, key):
        raise AssertionError


class Overrides(list):
    def __len__(self):
        raise AssertionError

    def __getitem__(self, key):
        raise AssertionError

    def __contains__(self, key):
        raise AssertionError


class Meta(type):
    def __instancecheck__(cls, x):
        raise AssertionError


class WithMeta(metaclass=Meta):
    pass


class Pair(NamedTuple):
    left: int
    right: int


class Grid:
    shape = (2, 3)


class Fake:
    shape = "ab"


def make(k):
    def run(x, y=1, *, z=2):
        return x + k

    return run


def empty_cell():
    def run():
        return late

    if run is None:
        late = 1
    return run


def rotated():
    made = collections.OrderedDict(a=1, b=2)
    made.move_to_end("a")
    return made


def advanced(it, count=1):
    for _ in range(count):
        next(it)
    return it


ONE, OTHER = Point(), Point()
LIST = [1, 2]
CODE = make(0).__code__
OBJECTS = {
    "Point": Point,
    "WithMeta": WithMeta,
    "Colour": Colour,
    "ONE": ONE,
    "LIST": LIST,
    "CODE": CODE,
    "pkg.mod.K": 7,
    "CLASSES": (int, str),
    "collections": collections,
    "types": types,
}


def x(value):
    return {"x": value}


def ab(a, b):
    return {"a": a, "b": b}


SOURCES = [
    row("L['x']", "Any", (x(1), gives(1)), ({}, "L['x'] is not among the locals")),
    row("G['x']", "Any", ({}, x(1), gives(1)), (x(1), "G['x'] is not among the globals")),
    row("S['sys.modules']['sys'].maxsize", "Any", ({}, gives(2**63 - 1))),
    row("L['it\\'s']", "Any", ({"it's": 1}, gives(1)), canonical='L["it\'s"]'),
    row("L['\\ud800\\x00\"']", "Any", ({'\ud800\0"': 1}, gives(1))),
    row("7", "Int", ({}, gives(7))),
    row("pkg.mod.K", "Int", ({}, gives(7))),
    row("collections.OrderedDict is L['x']", "Bool", (x(collections.OrderedDict), T), (x(dict), F)),
    row("L['x'].u", "Any", (x(Point(u=1)), gives(1)), (x(Point()), "L['x'] has no attribute 'u'"), (x(3), "has no attribute")),
    row("L['x'].k", "Any", (x(Point()), gives(5)), (x(Point(k=6)), gives(6)), (x(Point), gives(5))),
    row("L['x'].area", "Any", (x(Point()), "Python code would run"), (x(Point(area=1)), "Python code would run")),
    row("L['x'].move is L['y']", "Bool", ({"x": Point(), "y": 1}, "each read makes a new bound object")),
    row("L['x'].origin is L['y']", "Bool", ({"x": Point(), "y": Point.origin}, T), ({"x": Point, "y": 1}, F)),
    row("L['x'].missing", "Any", (x(Dynamic()), "has no attribute 'missing'")),
    row("L['x'].full", "Any", (x(Slotted()), gives(1))),
    row("L['x'].hollow", "Any", (x(Slotted()), "has no value in its attribute 'hollow'")),
    row("L['x'].stop", "Any", (x(range(3)), gives(3)), (x(slice(1, 4)), gives(4))),
    row("L['x'].__dict__['a b']", "Any", (x(Point(**{"a b": 1})), gives(1)), (x(Slotted()), "has no attribute '__dict__'")),
    row("L['x'].pi", "Any", (x(math), gives(math.pi)), (x(collections), "has no attribute 'pi'")),
    row("type(L['x']).__mro__[1] is object", "Bool", (x(Point()), T), (x(True), F)),
    row("type(L['x']).__dict__['k']", "Any", (x(Point()), gives(5)), (x(3), "has no key 'k'")),
    row("L['x'].__code__ is CODE", "Bool", (x(make(1)), T), (x(row), F), (x(len), "has no attribute '__code__'")),
    row("L['x'].__closure__[0].cell_contents", "Any", (x(make(4)), gives(4)), (x(empty_cell()), "is an empty cell")),
    row("L['x'].__defaults__[0]", "Any", (x(make(4)), gives(1)), (x(empty_cell()), "has no items to read")),
    row("L['x'].__kwdefaults__['z']", "Any", (x(make(4)), gives(2))),
    row("L['x'].__func__.__code__.co_name", "Any", (x(Point().move), gives("move"))),
    row(
        "L['x']['k']",
        "Any",
        (x({"k": 1}), gives(1)),
        (x({}), "L['x'] has no key 'k'"),
        (x([1]), "takes an int as index, not a str"),
    ),
    row("L['x']['k']", "Any", (x(Missing(k=1)), gives(1)), (x(Missing()), "has no key 'k'"), (x(Point()), "has no items")),
    row("L['x'][0]", "Any", (x([5]), gives(5)), (x((5,)), gives(5)), (x("ab"), gives("a")), (x(range(3, 9)), gives(3))),
    row("L['x'][0]", "Any", (x({0: 5}), gives(5)), (x({False: 5}), gives(5)), (x(collections.deque([5])), gives(5))),
    row("L['x'][0]", "Any", (x([]), "has 0 items"), (x(b"a"), "has no items to read"), (x({1}), "has no items to read")),
    row("L['x'][-1]", "Any", (x([5, 6]), gives(6)), (x(Overrides([5, 6])), gives(6)), (x({}), "has no key -1")),
    row("L['x'][True]", "Any", (x({1: 5}), gives(5)), (x([5, 6]), "takes an int as index, not a bool")),
    row("L['x'][1, 2]", "Any", (x({(1, 2): 5}), gives(5)), (x({}), "has no key")),
    row("L['x'][L['y']]", "Any", ({"x": {"k": 1}, "y": "k"}, gives(1)), ({"x": {1: 1}, "y": []}, "a list has no hash")),
    row("L['x'][float('nan')]", "Any", (x({NAN: 1}), "has no key nan")),
    row("L['x']['k']", "Any", (x(types.MappingProxyType({"k": 1})), gives(1))),
    row("type(L['x'])", "Type", (x(True), gives(bool)), (x(Point()), gives(Point))),
    row("deref(L['x']) is L['y']", "Bool", ({"x": weakref.ref(ONE), "y": ONE}, T), (x(ONE), "is not a weak reference")),
    row("deref(L['x']) is None", "Bool", (x(weakref.ref(Point())), T), (x(weakref.ref(ONE)), F)),
    row(
        "call(L['x'])",
        "Any",
        (x(lambda: 3), gives(3)),
        (x(lambda: 1 / 0), "raised ZeroDivisionError"),
        (x(3), "raised TypeError"),
    ),
    row("getattr(L['x'], 'a b')", "Any", (x(Point(**{"a b": 2})), gives(2)), (x(3), "raised AttributeError")),
    row("getitem(L['x'], 'k')", "Any", (x({"k": 2}), gives(2)), (x({}), "raised KeyError")),
    row(
        "peek(L['x'], 1)",
        "Any",
        (x(iter((5, 6))), gives(6)),
        (x(advanced(iter([5, 6, 7]))), gives(7)),
        (x([5, 6]), "is not a tuple"),
    ),
    row(
        "peek(L['x'], 0)",
        "Any",
        (x(itertools.count(3)), gives(3)),
        (x(iter(())), "has 0 items left"),
        (x(iter(range(4, 9))), gives(4)),
    ),
    row(
        "L['x'].shape[0]",
        "Int",
        (x(Grid()), gives(2)),
        (x(Fake()), "has a .shape that is no tuple of sizes"),
        (x(3), "no attribute"),
    ),
    row("L['x'].shape[-1]", "Int", (x(Grid()), gives(3))),
    row("L['x'].shape[2]", "Int", (x(Grid()), "has 2 dimensions")),
    row("L['x'].shape", "Seq[Int]", (x(Grid()), gives((2, 3)))),
    row("L['x'].ndim", "Int", (x(Grid()), gives(2)), (x(Fake()), "is not a tensor"), (x(Point(ndim=4)), "is not a tensor")),
    row("L['x'].stride(0)", "Int", (x(Grid()), "is not a tensor")),
    row("L['x'].storage_offset()", "Int", (x([]), "is not a tensor, but a list")),
    row("L['x'].data_ptr()", "Int", (x(3), "is not a tensor")),
    row("L['x'].is_contiguous()", "Bool", (x(3), "is not a tensor")),
    row("L['x'].dtype", "Any", (x(Point(dtype=3)), gives(3))),
    row("L['x'].__class__ is Point", "Bool", (x(Point()), T), (x(3), F)),
]

IDENTITY = [
    row("L['a'] is L['b']", "Bool", (ab(LIST, LIST), T), (ab([], []), F), (ab(NAN, NAN), T), ({"a": 1}, "L['b'] is not among")),
    row("L['a'] is not L['b']", "Bool", (ab(LIST, LIST), F), (ab([], []), T)),
    row("L['x'] is None", "Bool", (x(None), T), (x(0), F), (x(Loud()), F)),
    row("L['x'] is not None", "Bool", (x(None), F), (x(0), T)),
    row("L['x'] is True", "Bool", (x(True), T), (x(1), F)),
    row("L['x'] is ...", "Bool", (x(...), T), (x(None), F)),
    row("L['x'] is NotImplemented", "Bool", (x(NotImplemented), T), (x(None), F)),
    row("L['x'] is int", "Bool", (x(int), T), (x(bool), F)),
    row("L['x'] is LIST", "Bool", (x(LIST), T), (x([1, 2]), F)),
    row("L['x'] == LIST", "Bool", (x(LIST), T), (x([1, 2.0]), T), (x((1, 2)), F)),
    row("(LIST if L['x'] == 1 else None) is L['y']", "Bool", ({"x": 1, "y": LIST}, T), ({"x": 1, "y": [1, 2]}, F)),
    row(
        "L['a'] is L['b'] is L['c']",
        "Bool",
        ({**ab(ONE, ONE), "c": ONE}, T),
        ({**ab(ONE, ONE), "c": OTHER}, F),
        (ab(ONE, OTHER), F),
    ),
    row("same(L['a'], L['b'])", "Bool", (ab(LIST, LIST), T), (ab([], []), F)),
    row(
        "same(L['a'], L['b'], L['c'])",
        "Bool",
        ({**ab(ONE, ONE), "c": ONE}, T),
        ({**ab(ONE, ONE), "c": 1}, F),
        (ab(1, 2), "L['c']"),
    ),
    row("not same(L['a'], L['b'], L['c'])", "Bool", ({**ab(ONE, OTHER), "c": ONE}, T), (ab(1, 2), "L['c'] is not among")),
    row("L['z'] == 1 or not same(L['a'], L['b'], L['c'])", "Bool", ({**ab(1, 2), "z": 0}, "L['c'] is not among"), ({"z": 1}, T)),
    row("distinct(L['a'], L['b'])", "Bool", (ab([], []), T), (ab(LIST, LIST), F)),
    row("distinct(L['a'], L['b'], L['c'])", "Bool", ({**ab(ONE, OTHER), "c": LIST}, T), ({**ab(ONE, OTHER), "c": ONE}, F)),
    row("type(L['x']) is int", "Bool", (x(1), T), (x(True), F), (x(Colour.RED), F)),
    row("type(L['x']) is not int", "Bool", (x(1), F), (x(True), T)),
    row("type(L['x']) is type(L['y'])", "Bool", ({"x": 1, "y": 2}, T), ({"x": 1, "y": True}, F)),
    row("type(L['x']) == Point", "Bool", (x(Point()), T), (x(1), F)),
    row("isinstance(L['x'], int)", "Bool", (x(True), T), (x(Colour.RED), T), (x(1.0), F)),
    row("isinstance(L['x'], (int, str))", "Bool", (x(""), T), (x(True), T), (x(1.0), F)),
    row("isinstance(L['x'], CLASSES)", "Bool", (x(""), T), (x(1.0), F)),
    row("isinstance(L['x'], WithMeta)", "Bool", (x(WithMeta()), T), (x(1), F)),
    row("isinstance(L['x'], L['y'])", "Bool", ({"x": 1, "y": int}, T), ({"x": 1, "y": 3}, "is no class")),
]

EQUALITY = [
    row("L['x'] == 1", "Bool", (x(1), T), (x(True), T), (x(1.0), T), (x(1 + 0j), T), (x("1"), F), (x(None), F)),
    row(
        "L['x'] == 1",
        "Bool",
        (x(Colour.RED), "has its own __eq__"),
        (x(Loud()), "has its own __eq__"),
        (x(Point()), "has no value"),
    ),
    row("L['x'] != 1", "Bool", (x(2), T), (x(1.0), F), (x(NAN), T), (x(Loud()), "has its own __eq__")),
    row("L['x'] == None", "Bool", (x(None), T), (x(0), F), (x(Point()), "has its own __eq__")),
    row("L['x'] == 'a'", "Bool", (x("a"), T), (x(b"a"), F), (x(Name("a")), "has its own __eq__")),
    row("L['x'] == b'a'", "Bool", (x(b"a"), T), (x("a"), F)),
    row(
        "L['x'] == L['x']", "Bool", (x(NAN), F), (x([NAN]), F), (x({"k": NAN}), F), (x((1, [2])), T), (x(Point()), "has no value")
    ),
    row(
        "L['x'] == (1, 2)",
        "Bool",
        (x((1, 2.0)), T),
        (x([1, 2]), F),
        (x(Pair(1, 2)), "has its own __eq__"),
        (x((1, Loud())), "own __eq__"),
    ),
    row("L['x'] == (1, 2)", "Bool", (x((Loud(),)), "has its own __eq__"), (x((1,)), F), (x(()), F)),
    row("L['x'] == [1, [2]]", "Bool", (x([1, [2]]), T), (x([1, [3]]), F), (x(Overrides([1])), "has its own __eq__")),
    row(
        "L['x'] == {'a': 1, 'b': 2}",
        "Bool",
        (x({"b": 2, "a": 1.0}), T),
        (x({"a": 1}), F),
        (x(Missing(a=1)), "has its own __eq__"),
    ),
    row("L['x'] == {1, 2}", "Bool", (x({2.0, 1}), T), (x(frozenset({1, 2})), T), (x({1}), F), (x([1, 2]), F)),
    row("L['x'] == frozenset({1})", "Bool", (x({1}), T), (x({True}), T)),
    row("L['x'] == range(0, 6, 2)", "Bool", (x(range(0, 5, 2)), T), (x(range(0, 7, 2)), F), (x([0, 2, 4]), F)),
    row("L['x'] == range(0)", "Bool", (x(range(3, 3)), T), (x(range(2**70, 2**70)), T), canonical="L['x'] == range(0, 0)"),
    row("L['x'] == slice(1, None, 2)", "Bool", (x(slice(1, None, 2)), T), (x(slice(1.0, None, 2)), T), (x(slice(1)), F)),
    row("L['x'] == int", "Bool", (x(int), T), (x(bool), F), (x(1), F)),
    row("L['x'] == float('nan')", "Bool", (x(NAN), F), (x(1), F)),
    row("L['x'] == 9007199254740993", "Bool", (x(BIG + 1), T), (x(float(BIG)), F)),
    row("exact(L['x'], 1)", "Bool", (x(1), T), (x(True), F), (x(1.0), F), (x(Loud()), F)),
    row("exact(L['x'], 0.0)", "Bool", (x(0.0), T), (x(-0.0), F), (x(0), F)),
    row("exact(L['x'], -0.0)", "Bool", (x(-0.0), T), (x(0.0), F)),
    row("exact(L['x'], float('nan'))", "Bool", (x(NAN), T), (x(-NAN), F), (x(1.0), F)),
    row("exact(L['x'], -float('nan'))", "Bool", (x(-NAN), T), (x(NAN), F)),
    row("exact(L['x'], (1, [2.0]))", "Bool", (x((1, [2.0])), T), (x((1, [2])), F), (x([1, [2.0]]), F), (x((1, Loud())), F)),
    row("exact(L['x'], {'a': 1, 'b': 2})", "Bool", (x({"a": 1, "b": 2}), T), (x({"b": 2, "a": 1}), F)),
    row("exact(L['x'], {1, 2})", "Bool", (x({2, 1}), T), (x({1.0, 2}), F), (x(frozenset({1, 2})), F)),
    row("exact(L['x'], 'a')", "Bool", (x("a"), T), (x(Name("a")), F), (x("b"), F)),
    row("exact(L['x'], None)", "Bool", (x(None), T), (x(0), F)),
    row("exact(L['x'], True)", "Bool", (x(True), T), (x(1), F)),
    row("exact(L['x'], 1j)", "Bool", (x(1j), T), (x(complex(-0.0, 1)), F)),
    row("exact(L['x'], range(0, 6, 2))", "Bool", (x(range(0, 6, 2)), T), (x(range(0, 5, 2)), F)),
    row("exact(L['a'], L['b'])", "Bool", (ab(ONE, OTHER), "has no value"), (ab(ONE, 1), F), (ab(LIST, [1, 2]), T)),
]

ORDER = [
    row("L['x'] < 2", "Bool", (x(1), T), (x(True), T), (x(1.5), T), (x(2), F), (x(NAN), F), (x("a"), "has no order")),
    row("L['x'] <= 9007199254740992.0", "Bool", (x(BIG), T), (x(BIG + 1), F)),
    row("L['x'] > 2", "Bool", (x(3), T), (x(2), F), (x(1j), "has no order"), (x(Colour.RED), "has no order")),
    row("L['x'] >= 2", "Bool", (x(2), T), (x(INF), T), (x(-INF), F)),
    row("not L['x'] < 2", "Bool", (x(NAN), T), (x(3), T), (x(1), F)),
    row("L['x'] < 'b'", "Bool", (x("a"), T), (x("b"), F), (x(1), "< between int and str"), (x(Name("a")), "has no order")),
    row("L['x'] < b'b'", "Bool", (x(b"a"), T), (x("a"), "has no order")),
    row("L['x'] <= {1, 2}", "Bool", (x({1.0}), T), (x(frozenset()), T), (x({3}), F), (x([1]), "has no order")),
    row("L['x'] < frozenset({1, 2})", "Bool", (x({1}), T), (x({1, 2}), F)),
    row("2 <= L['x'] <= 8", "Bool", (x(5), T), (x(9), F), (x(1), F), (x("a"), "has no order")),
    row("1 < L['x'] < L['y']", "Bool", ({"x": 0, "y": "a"}, F), ({"x": 2, "y": "a"}, "has no order"), ({"x": 2, "y": 3}, T)),
    row("1 < L['x'] < L['y']", "Bool", ({"x": 0}, F), ({"x": 2}, "L['y'] is not among the locals")),
    row("L['x'] == 1 == L['y']", "Bool", ({"x": 1, "y": 1.0}, T), ({"x": 2, "y": 3}, F)),
]

ARITHMETIC = [
    row("L['x'] + 1", "Any", (x(1), gives(2)), (x(True), gives(2)), (x(0.5), gives(1.5)), (x("a"), "+ is for numbers, not str")),
    row(
        "L['x'] + 1",
        "Any",
        (x(2**63 - 1), gives(2**63)),
        (x([]), "not list"),
        (x(Colour.RED), "not Colour"),
        (x(INF), gives(INF)),
    ),
    row("L['x'] - 0.5", "Any", (x(1), gives(0.5)), (x(10**400), "-: int too large")),
    row("L['x'] * 3", "Any", (x(2), gives(6)), (x("a"), "for numbers"), (x(2**65536), "past 2**16 bits")),
    row("L['x'] * L['x']", "Any", (x(2**40000), "past 2**16 bits"), (x(2**32767), gives(2**65534))),
    row("len(L['x']) * len(L['x'])", "Int", (x(range(2**40000)), "past 2**16 bits"), (x([1, 2]), gives(4))),
    row("L['x'].shape[0] * L['x'].shape[0]", "Int", (x(Point(shape=(2**40000,))), "past 2**16 bits"), (x(Grid()), gives(4))),
    row("L['x'] // 2", "Any", (x(-7), gives(-4)), (x(-7.0), gives(-4.0)), (x(1j), "//")),
    row("L['x'] // L['y']", "Any", ({"x": 7, "y": 0}, "division or modulo by zero"), ({"x": 7, "y": -2}, gives(-4))),
    row("L['x'] % 8", "Any", (x(12), gives(4)), (x(-1), gives(7)), (x("%d"), "% is for numbers")),
    row("L['x'] % L['y']", "Any", ({"x": 7, "y": 0}, "%:"), ({"x": -7, "y": 3}, gives(2)), ({"x": -7.5, "y": 2}, gives(0.5))),
    row("L['x'] / 2", "Any", (x(7), gives(3.5)), (x(10**400), "/: int")),
    row("L['x'] / 0", "Any", (x(1), "division by zero"), (x(1.0), "division by zero")),
    row("L['x'] ** 2", "Any", (x(3), gives(9)), (x(1.5), gives(2.25)), (x(2**40000), "past 2**16 bits")),
    row("2 ** L['x']", "Any", (x(10), gives(1024)), (x(-1), gives(0.5)), (x(10**9), "past 2**16 bits")),
    row("L['x'] ** 0.5", "Any", (x(4), gives(2.0)), (x(-4), "the result is complex"), (x(0.0), gives(0.0))),
    row("L['x'] ** (-1)", "Any", (x(2), gives(0.5)), (x(0), "cannot be raised to a negative power")),
    row("L['x'] << 3", "Int", (x(1), gives(8)), (x(1.0), "<<"), (x(True), gives(8)), (x(2**65535), "past 2**16 bits")),
    row("1 << L['x']", "Int", (x(-1), "negative shift count"), (x(10**6), "past 2**16 bits"), (x(3), gives(8))),
    row("L['x'] >> 1", "Int", (x(-3), gives(-2)), (x(5), gives(2))),
    row("L['x'] >> 10 ** 20", "Int", (x(5), gives(0)), (x(-5), gives(-1))),
    row("L['x'] & 6", "Int", (x(3), gives(2)), (x(True), gives(0)), (x({1}), "& is for numbers")),
    row("L['x'] | 6", "Int", (x(1), gives(7)), (x({}), "| is for numbers")),
    row("L['x'] ^ 6", "Int", (x(3), gives(5)), (x(-1), gives(-7)), (x(1.0), "^")),
    row("(L['x'] == 1) & (L['y'] == 1)", "Bool", ({"x": 1, "y": 1}, T), ({"x": 1, "y": 2}, F)),
    row("-L['x']", "Any", (x(3), gives(-3)), (x(True), gives(-1)), (x(0.0), gives(-0.0)), (x("a"), "- is for numbers")),
    row("~L['x']", "Int", (x(3), gives(-4)), (x(True), gives(-2)), (x(1.0), "~ is for ints, not float")),
    row("abs(L['x'])", "Any", (x(-3), gives(3)), (x(True), gives(1)), (x(3 + 4j), gives(5.0)), (x(None), "abs is for numbers")),
    row(
        "min(L['x'], 2)",
        "Any",
        (x(1), gives(1)),
        (x(2.0), gives(2.0)),
        (x(NAN), gives(NAN)),
        (x("a"), "min is for int and float"),
    ),
    row("max(2, L['x'], 1)", "Any", (x(3), gives(3)), (x(NAN), gives(2)), (x(True), gives(2))),
    row("floor(L['x'])", "Int", (x(-2.5), gives(-3)), (x(True), gives(1)), (x(NAN), "floor of nan"), (x(1j), "floor is for")),
    row("ceil(L['x'])", "Int", (x(-2.5), gives(-2)), (x(INF), "ceil of inf")),
    row("trunc(L['x'])", "Int", (x(-2.5), gives(-2)), (x(1e300), gives(int(1e300)))),
    row("round(L['x'])", "Int", (x(2.5), gives(2)), (x(3.5), gives(4)), (x(NAN), "round of nan"), (x(7), gives(7))),
    row("round(L['x'], 1)", "Any", (x(0.25), gives(0.2)), (x(7), gives(7)), (x(NAN), gives(NAN))),
    row("round(L['x'], -1)", "Any", (x(15), gives(20)), (x(25), gives(20)), (x(True), gives(0))),
    row("sqrt(L['x'])", "Float", (x(9), gives(3.0)), (x(-1), "sqrt"), (x(10**400), "sqrt"), (x(INF), gives(INF))),
    row("isnan(L['x'])", "Bool", (x(NAN), T), (x(1), F), (x(10**400), F), (x("nan"), "isnan is for int and float")),
    row(
        "int(L['x'])",
        "Int",
        (x(2.9), gives(2)),
        (x(Colour.RED), gives(1)),
        (x("3"), "is not a number"),
        (x(NAN), "is nan"),
        (x(1j), "complex"),
    ),
    row(
        "float(L['x'])",
        "Float",
        (x(3), gives(3.0)),
        (x(Floaty(2.5)), gives(2.5)),
        (x(10**400), "too large"),
        (x("3"), "is not a number"),
    ),
    row("complex(L['x'])", "Complex", (x(3), gives(3 + 0j)), (x("3"), "is not a number")),
    row("str(L['x'])", "Str", (x("a"), gives("a")), (x(Name("a")), gives("a")), (x(3), "is not a str")),
    row("bytes(L['x'])", "Bytes", (x(b"a"), gives(b"a")), (x(3), "is not bytes")),
    row("tuple(L['x'])", "Seq[Any]", (x(Pair(1, 2)), gives((1, 2))), (x([1]), "is not a tuple")),
    row("bool(L['x'])", "Bool", (x(1), T), (x([]), F), (x(None), F), (x(NAN), T), (x(Point()), "has no truth of its own")),
    row("bool(L['x'])", "Bool", (x(Overrides()), "has no truth"), (x({}), F), (x(b""), F), (x(range(2**70)), T), (x("a"), T)),
]

CONTAINERS = [
    row("'k' in L['x']", "Bool", (x({"k": 1}), T), (x({}), F), (x(["k"]), T), (x("ok"), T), (x({"k"}), T), (x(Missing(k=1)), T)),
    row(
        "'k' in L['x']",
        "Bool",
        (x(["j"]), F),
        (x([Loud()]), "has no equal item"),
        (x(["k", Loud()]), T),
        (x(3), "has no members"),
    ),
    row(
        "'k' in L['x']",
        "Bool",
        (x(Overrides(["k"])), T),
        (x(types.MappingProxyType({"k": 1})), T),
        (x({"k": 1}.keys()), T),
        (x(b"k"), "bytes"),
    ),
    row("'k' not in L['x']", "Bool", (x({}), T), (x({"k": 1}), F), (x(3), "has no members")),
    row(
        "1 in L['x']",
        "Bool",
        (x([True]), T),
        (x({1.0: 0}), T),
        (x(range(4)), T),
        (x("1"), "for a str"),
        (x(b"\1"), T),
        (x({2: 1}.values()), T),
    ),
    row("1 in L['x']", "Bool", (x(range(0, 4, 2)), F), (x({(1, 2)}), F), (x(collections.deque([1])), T)),
    row("2.0 in L['x']", "Bool", (x(range(5)), T), (x([2]), T), (x({2}), T)),
    row("float('nan') in L['x']", "Bool", (x([NAN]), F), (x({NAN}), F), (x({NAN: 1}), F)),
    row("(1, 2) in L['x']", "Bool", (x({(1, 2): 0}), T), (x([(1.0, 2)]), T), (x({1: 2}.items()), T)),
    row(
        "L['k'] in L['d']",
        "Bool",
        ({"k": [], "d": {}}, "a list has no hash"),
        ({"k": [], "d": [[]]}, T),
        ({"k": Point(), "d": {}}, "own __hash__"),
    ),
    row("len(L['x'])", "Int", (x([1, 2]), gives(2)), (x(Overrides([1])), gives(1)), (x("abc"), gives(3)), (x({}), gives(0))),
    row(
        "len(L['x'])",
        "Int",
        (x(bytearray(b"ab")), gives(2)),
        (x(range(10**30)), gives(10**30)),
        (x({1: 2}.items()), gives(1)),
        (x(3), "no length"),
    ),
    row(
        "len(L['x'])", "Int", (x(collections.deque([1])), gives(1)), (x(iter([])), "has no length"), (x(Grid()), "has no length")
    ),
    row(
        "remaining(L['x'])",
        "Int",
        (x(iter((1, 2))), gives(2)),
        (x(advanced(iter(range(5)), 2)), gives(3)),
        (x(itertools.count()), "never ends"),
    ),
    row(
        "keys(L['x'])",
        "Seq[Any]",
        (x({"b": 1, "a": 2}), gives(("b", "a"))),
        (x(rotated()), gives(("b", "a"))),
        (x([]), "is not a dict"),
    ),
    row("values(L['x'])", "Seq[Any]", (x({"b": 1, "a": 2}), gives((1, 2))), (x(3), "is not a dict")),
    row(
        "keys(L['x']) == ('a', 'b')",
        "Bool",
        (x({"a": 1, "b": 2}), T),
        (x({"b": 1, "a": 2}), F),
        (x({"a": 1, 2: 3}), F),
        (x(3), "not a dict"),
    ),
    row(
        "keys(L['x']) == ('a', 'b')",
        "Bool",
        (x({"a": 1, Point(): 2}), "has no value"),
        (x({Point(): 1}), "has no value"),
        (x({}), F),
    ),
    row("set(keys(L['x'])) == {'a', 'b'}", "Bool", (x({"b": 1, "a": 2}), T), (x({"a": 1}), F)),
    row("keys(L['x'])[0]", "Any", (x({"a": 1}), gives("a")), (x({}), "has 0 entries")),
    row("keys(L['x'])[0] is L['y']", "Bool", ({"x": {ONE: 1}, "y": ONE}, T), ({"x": {ONE: 1}, "y": OTHER}, F)),
    row("values(L['x'])[-1]", "Any", (x({"a": 1, "b": 2}), gives(2)), (x({}), "has 0 entries")),
    row(
        "set(L['x']) == {1}",
        "Bool",
        (x([1, True]), T),
        (x([[1]]), "a list has no hash"),
        (x([{1}]), "which has no hash"),
        (x("a"), "needs a tuple"),
    ),
    row("frozenset(L['x']) == {1}", "Bool", (x((1,)), T), (x({1}), T)),
    row(
        "hasattr(L['x'], 'u')",
        "Bool",
        (x(Point(u=1)), T),
        (x(Point()), F),
        (x(Dynamic()), F),
        ({}, "L['x'] is not among the locals"),
    ),
    row("hasattr(L['x'], 'area')", "Bool", (x(Point()), F)),
    row("hasattr(L['x'].u, 'v')", "Bool", (x(Point(u=Point(v=1))), T), (x(Point()), "has no attribute 'u'")),
    row("(L['x'], 1) == (2, 1)", "Bool", (x(2), T), (x(3), F), (x(Loud()), "own __eq__")),
    row("(L['x'],)", "Seq[Any]", (x(2), gives((2,)))),
    row("dispatch_keys(L['x']) == {'CPU'}", "Bool", (x(3), "is not a tensor")),
    row("overlapping(L['a'], L['b']) == ()", "Bool", (ab(1, 2), "has operand 0 that is not a tensor")),
]

LOGIC = [
    row(
        "L['x'] == 1 and L['y'] == 2",
        "Bool",
        ({"x": 1, "y": 2}, T),
        ({"x": 2}, F),
        ({"x": 1}, "L['y'] is not among"),
        ({"y": 3}, "L['x'] is"),
    ),
    row(
        "L['x'] == 1 or L['y'] == 2",
        "Bool",
        ({"x": 1}, T),
        ({"x": 2, "y": 2}, T),
        ({"x": 2, "y": 3}, F),
        ({"y": 2}, "L['x'] is not among"),
    ),
    row("L['x'] is None or L['x'].u == 1", "Bool", (x(None), T), (x(Point(u=1)), T), (x(Point()), "has no attribute 'u'")),
    row("not L['x'] == 1", "Bool", (x(2), T), (x(1), F), ({}, "is not among the locals")),
    row("not not L['x'] == 1", "Bool", (x(1), T)),
    row("not (L['x'] == 1 and L['y'] == 2)", "Bool", ({"x": 2}, T), ({"x": 1}, "L['y']"), ({"x": 1, "y": 2}, F)),
    row(
        "L['a'] if L['x'] == 1 else L['b']",
        "Any",
        ({"x": 1, "a": 5}, gives(5)),
        ({"x": 2, "b": 6}, gives(6)),
        ({"x": 2, "a": 5}, "L['b']"),
    ),
    row(
        "(L['a'] if L['x'] == 1 else L['b']) == 5",
        "Bool",
        ({"x": 1, "a": 5}, T),
        ({"x": 2, "b": 6}, F),
        ({"a": 5}, "L['x'] is not"),
    ),
    row("(L['x'] == 1) == (L['y'] == 1)", "Bool", ({"x": 1, "y": 1}, T), ({"x": 1, "y": 2}, F)),
    row("L['x'] == 1 or (L['y'] == 1 and L['z'] == 1)", "Bool", ({"x": 2, "y": 2}, F), ({"x": 2, "y": 1, "z": 1}, T)),
    row("opaque('NO_DECIDER', L['x'])", "Bool", (x(1), "has nothing installed that decides 'NO_DECIDER'")),
    row("True", "Bool", ({}, T)),
    row("contextvar_get(L['x'])", "Any", (x(3), "is not a context variable")),
    row("dense((2, 3), (3, 1))", "Bool", ({}, T)),
    row("log2(L['x'])", "Float", (x(8), gives(3.0)), (x(-1), "is not defined there"), (x("a"), "needs a real number")),
]

TEXTS = [
    row("((L['a']   is (L['b'])))", "Bool", canonical="L['a'] is L['b']"),
    row("0x10 <= L['n'] < 1_000", "Bool", canonical="16 <= L['n'] < 1000"),
    row('L["x"] == "a"', "Bool", canonical="L['x'] == 'a'"),
    row("L['x'] == -1", "Bool"),
    row("L['x'] == - (1)", "Bool", canonical="L['x'] == -1"),
    row("L['x'] == (-1) ** 2", "Bool"),
    row("L['x'] == -1 ** 2", "Bool", canonical="L['x'] == -1 ** 2"),
    row("(-L['x']) ** 2 == L['x'] ** -L['y']", "Bool", canonical="(-L['x']) ** 2 == L['x'] ** (-L['y'])"),
    row("(L['x'] ** 2) ** 3 == L['x'] ** (2 ** 3)", "Bool", canonical="(L['x'] ** 2) ** 3 == L['x'] ** 2 ** 3"),
    row("L['a'] - (L['b'] - L['c']) == 0", "Bool"),
    row("(L['a'] - L['b']) - L['c'] == 0", "Bool", canonical="L['a'] - L['b'] - L['c'] == 0"),
    row("(L['a'] | L['b']) & ~L['c'] == 0", "Bool"),
    row("(L['x'] == 1) == (L['y'] is not None)", "Bool"),
    row("not (L['x'] == 1 or L['y'] == 2)", "Bool"),
    row("(L['x'] == 1 and L['y'] == 1) or L['z'] == 1", "Bool", canonical="L['x'] == 1 and L['y'] == 1 or L['z'] == 1"),
    row("L['x'] == {3, 1, 2}", "Bool", canonical="L['x'] == {1, 2, 3}"),
    row("L['x'] == set()", "Bool"),
    row("L['x'] == set((1, 2))", "Bool", canonical="L['x'] == {1, 2}"),
    row("L['x'] == {'b': [1, (2,)], 'a': {}}", "Bool"),
    row("L['x'] == complex(1, -0.0)", "Bool", canonical="L['x'] == complex(1.0, -0.0)"),
    row("L['x'] == 1 + 2j", "Bool", canonical="L['x'] == (1+2j)"),
    row("L['x'] == -float('inf')", "Bool"),
    row("L['x'] == 1e400", "Bool", canonical="L['x'] == float('inf')"),
    row("L['x'].__dict__['class'] == 1", "Bool"),
    row("L['x'] == 'a' 'b'", "Bool", canonical="L['x'] == 'ab'"),
    row("  L['x'] == 1  ", "Bool", canonical="L['x'] == 1"),
    row("(L['x'] ==\n 1)", "Bool", canonical="L['x'] == 1"),
    row("L['x'] == 1 # comment", "Bool", canonical="L['x'] == 1"),
    row("L['x'] == 'é\\u2028\\n'", "Bool", canonical="L['x'] == 'é\\u2028\\n'"),
    row("L['x'] == L['y'] if L['z'] == 1 else L['x'] is None", "Bool"),
    row("(1 if L['x'] == 1 else 2) + 1 == 2", "Bool"),
    row("L['x'][L['y'], 0]", "Any"),
    row("L['x'][L['y'],]", "Any"),
]

ROWS = [*SOURCES, *IDENTITY, *EQUALITY, *ORDER, *ARITHMETIC, *CONTAINERS, *LOGIC, *TEXTS]
