"""The rules as data: for each kind of value a twin that must pass, and changes, some of which only a read notices."""

import collections
import contextvars
import enum
import functools
import io
import itertools
import math
import sys
import types
import typing
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple


class Read(NamedTuple):
    """A question of the traced program, and the values for which its answer would be another."""

    ask: Callable[[Any], object]
    changes: list[Callable[[], Any]]


class Row(NamedTuple):
    """A kind of value.

    `make` gives the example, `twin` another value that every set must accept; `changes` are noticed in any case, those of a read
    only by a set that was made with it.
    """

    name: str
    make: Callable[[], Any]
    twin: Callable[[], Any]
    changes: list[Callable[[], Any]]
    reads: dict[str, Read] = {}


class Config:
    scale = 2

    def __init__(self, **fields):
        self.__dict__.update(fields)

    def run(self):
        return self.scale


class Other(Config):
    pass


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a


class Stack(list):
    limit = 3


class Table(dict):
    pass


class Point(NamedTuple):
    x: Any
    y: Any


class Color(enum.Enum):
    RED = 1
    GREEN = 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Count(int):
    pass


class Name(str):
    pass


class Ratio(float):
    pass


def twice(x, by=2, *, base=0):
    return x * by + base


def thrice(x, by=2, *, base=0):
    return x * by + by


def closure_over(value):
    def inner():
        return value

    return inner


def copy_of(function, **changes):
    parts = {
        "code": function.__code__,
        "globals": function.__globals__,
        "argdefs": function.__defaults__,
        "closure": function.__closure__,
    }
    parts.update(changes)
    made = types.FunctionType(parts["code"], parts["globals"], "f", parts["argdefs"], parts["closure"])
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def with_attribute(**attributes):
    made = copy_of(twice)
    made.__dict__.update(attributes)
    return made


def advanced(it, n):
    for _ in range(n):
        next(it)
    return it


class Variable:
    """Stands for a weakly referable referent that is kept alive."""

    kept: list = []


def living(**fields):
    kept = Config(**fields)
    Variable.kept.append(kept)
    return weakref.ref(kept)


def dead():
    return weakref.ref(Config())


def has(text):
    return lambda handle: handle.contains(text)


NAN, NEGATIVE_NAN = float("nan"), math.copysign(float("nan"), -1.0)
KEY, OTHER_KEY = Config(), Config()
VARIABLE = contextvars.ContextVar("variable", default=1)
SHARED = Config(a=1)

ROWS = [
    Row(
        "list",
        lambda: [1, "a"],
        lambda: [1, "a"],
        [lambda: (1, "a"), lambda: [1], lambda: [1, "a", 2]],
        {
            "item": Read(lambda x: x[0].value, [lambda: [2, "a"], lambda: [1.0, "a"], lambda: [True, "a"]]),
            "item from the end": Read(lambda x: x[-1].value, [lambda: [1, "b"], lambda: [1, b"a"], lambda: [1, Name("a")]]),
            "member": Read(lambda x: 1 in x, [lambda: [3, "a"], lambda: [[], 2], lambda: ["1", "a"]]),
            "no member": Read(lambda x: 5 in x, [lambda: [5, "a"], lambda: [1, 5], lambda: [5.0, "a"]]),
            "iteration": Read(lambda x: [item.value for item in x], [lambda: [2, "a"], lambda: [1, "b"], lambda: [None, "a"]]),
            "whole": Read(lambda x: x.value, [lambda: [1, "b"], lambda: [True, "a"], lambda: [1.0, "a"]]),
        },
    ),
    Row(
        "nested list",
        lambda: [[1, [2]], {"k": (3,)}],
        lambda: [[1, [2]], {"k": (3,)}],
        [lambda: [[1, [2]]], lambda: None, lambda: ([1, [2]], {"k": (3,)})],
        {"deep": Read(lambda x: x[0][1][0].value, [lambda: [[1, [3]], 0], lambda: [[1, [2, 3]], 0], lambda: [[1, (2,)], 0]])},
    ),
    Row(
        "tuple",
        lambda: (1, [2]),
        lambda: (1, [2]),
        [lambda: [1, [2]], lambda: (1,), lambda: Point(1, [2])],
        {"item": Read(lambda x: x[1][0].value, [lambda: (1, [3]), lambda: (1, []), lambda: (1, (2,))])},
    ),
    Row(
        "deque",
        lambda: collections.deque([1, 2], 5),
        lambda: collections.deque([1, 2], 5),
        [
            lambda: collections.deque([1, 2]),
            lambda: collections.deque([1, 2], 6),
            lambda: [1, 2],
            lambda: collections.deque([1], 5),
        ],
        {
            "item": Read(
                lambda x: x[1].value,
                [
                    lambda: collections.deque([1, 3], 5),
                    lambda: collections.deque([1, True], 5),
                    lambda: collections.deque([2, 1], 5),
                ],
            )
        },
    ),
    Row(
        "namedtuple",
        lambda: Point(1, 2),
        lambda: Point(1, 2),
        [lambda: (1, 2), lambda: [1, 2], lambda: None],
        {"field": Read(lambda x: x[0].value, [lambda: Point(3, 2), lambda: Point(1.0, 2), lambda: Point(None, 2)])},
    ),
    Row(
        "list subclass",
        lambda: Stack([1]),
        lambda: Stack([1]),
        [lambda: [1], lambda: Stack([1, 2]), lambda: Stack()],
        {
            "class attribute": Read(
                lambda x: x.limit.value,
                [
                    lambda: with_fields(Stack([1]), limit=3),
                    lambda: with_fields(Stack([1]), limit=4),
                    lambda: type("Stack", (list,), {})([1]),
                ],
            ),
            "item": Read(lambda x: x[0].value, [lambda: Stack([2]), lambda: Stack([None]), lambda: Stack([True])]),
        },
    ),
    Row(
        "dict",
        lambda: {"a": 1, "b": None},
        lambda: {"a": 1, "b": None},
        [lambda: [], lambda: collections.OrderedDict(a=1, b=None), lambda: Table(a=1, b=None)],
        {
            "item": Read(lambda x: x["a"].value, [lambda: {"a": 2}, lambda: {"b": 1}, lambda: {"a": 1.0}]),
            "member": Read(has("a"), [lambda: {"b": 1}, dict, lambda: {"A": 1}]),
            "no member": Read(has("z"), [lambda: {"z": 1}, lambda: {"a": 1, "z": 0}, lambda: {"z": None}]),
            "length": Read(len, [lambda: {"a": 1}, dict, lambda: {"a": 1, "b": 2, "c": 3}]),
            "keys": Read(lambda x: x.keys(), [lambda: {"b": None, "a": 1}, lambda: {"a": 1}, lambda: {"a": 1, "b": 1, "c": 1}]),
            "iteration": Read(list, [lambda: {"b": None, "a": 1}, lambda: {"a": 1}, lambda: {"a": 1, 1: None}]),
            "items": Read(
                lambda x: [v.is_none() for _, v in x.items()],
                [lambda: {"a": None, "b": None}, lambda: {"a": 1, "b": 2}, lambda: {"b": None, "a": 1}],
            ),
            "none": Read(lambda x: x["b"].is_none(), [lambda: {"b": 1}, dict, lambda: {"b": False}]),
            "not none": Read(lambda x: x["a"].is_none(), [lambda: {"a": None}, lambda: {"b": 1}, dict]),
            "whole": Read(lambda x: x.value, [lambda: {"a": 1}, lambda: {"b": None, "a": 1}, lambda: {"a": True, "b": None}]),
            "truth": Read(bool, [dict, lambda: {"a": 1}, lambda: {1: 1, 2: 2, 3: 3}]),
        },
    ),
    Row(
        "dict with object keys",
        lambda: {KEY: 1, "b": 2},
        lambda: {KEY: 1, "b": 2},
        [lambda: {OTHER_KEY: 1, "b": 2}, lambda: {"b": 2, KEY: 1}, lambda: {KEY: 1}, lambda: {KEY: 1, "c": 2}],
        {
            "item": Read(
                lambda x: x["b"].value, [lambda: {KEY: 1, "b": 3}, lambda: {KEY: 1, "b": 2.0}, lambda: {KEY: 1, "b": None}]
            )
        },
    ),
    Row(
        "OrderedDict",
        lambda: collections.OrderedDict(a=1, b=2),
        lambda: collections.OrderedDict(a=1, b=2),
        [lambda: {"a": 1, "b": 2}, list, lambda: collections.defaultdict(int, a=1, b=2)],
        {
            "keys": Read(
                list,
                [lambda: collections.OrderedDict(b=2, a=1), collections.OrderedDict, lambda: collections.OrderedDict(a=1)],
            )
        },
    ),
    Row(
        "defaultdict",
        lambda: collections.defaultdict(list, a=1),
        lambda: collections.defaultdict(list, a=1),
        [lambda: {"a": 1}, lambda: Table(a=1), lambda: None],
        {
            "factory": Read(
                lambda x: missing(x, "z"),
                [
                    lambda: collections.defaultdict(set, a=1),
                    lambda: collections.defaultdict(None, a=1),
                    lambda: collections.defaultdict(list, z=1),
                ],
            )
        },
    ),
    Row(
        "dict subclass",
        lambda: Table(a=1, b=2),
        lambda: Table(a=1, b=2),
        [lambda: {"a": 1, "b": 2}, lambda: Table(b=2, a=1), lambda: Table(a=1)],
        {"item": Read(lambda x: x["a"].value, [lambda: Table(a=2, b=2), lambda: Table(a=None, b=2), lambda: Table(a=True, b=2)])},
    ),
    Row(
        "dict_keys",
        lambda: {"a": 1, "b": 2}.keys(),
        lambda: {"a": 3, "b": 4}.keys(),
        [lambda: {"b": 1, "a": 2}.keys(), lambda: {"a": 1}.keys(), lambda: {"a": 1, "b": 2}.values()],
    ),
    Row(
        "dict_values",
        lambda: {"a": 1, "b": 2}.values(),
        lambda: {"a": 1, "b": 2}.values(),
        [lambda: {"a": 1}.values(), lambda: {"a": 1, "b": 2}.items(), lambda: [1, 2]],
        {
            "items": Read(
                lambda x: [v.value for v in x],
                [lambda: {"a": 2, "b": 2}.values(), lambda: {"a": 1, "b": 1}.values(), lambda: {"a": True, "b": 2}.values()],
            )
        },
    ),
    Row(
        "dict_items",
        lambda: {"a": 1}.items(),
        lambda: {"a": 1}.items(),
        [lambda: {"b": 1}.items(), lambda: {}.items(), lambda: {"a": 1}.keys()],
        {
            "items": Read(
                lambda x: [v.value for _, v in x],
                [lambda: {"a": 2}.items(), lambda: {"a": 1.0}.items(), lambda: {"a": None}.items()],
            )
        },
    ),
    Row(
        "odict_values",
        lambda: collections.OrderedDict(a=1).values(),
        lambda: collections.OrderedDict(a=1).values(),
        [lambda: {"a": 1}.values(), lambda: collections.OrderedDict().values(), lambda: collections.OrderedDict(a=1).keys()],
    ),
    Row(
        "mappingproxy",
        lambda: types.MappingProxyType({"a": 1}),
        lambda: types.MappingProxyType({"a": 1}),
        [lambda: {"a": 1}, lambda: types.MappingProxyType({"b": 1}), lambda: types.MappingProxyType({"a": 1, "b": 1})],
        {
            "item": Read(
                lambda x: x["a"].value,
                [
                    lambda: types.MappingProxyType({"a": 2}),
                    lambda: types.MappingProxyType({"a": 1.0}),
                    lambda: types.MappingProxyType({"a": None}),
                ],
            )
        },
    ),
    Row(
        "set",
        lambda: {1, 2},
        lambda: {2, 1},
        [lambda: frozenset({1, 2}), lambda: [1, 2], lambda: None],
        {
            "whole": Read(lambda x: x.value, [lambda: {1.0, 2.0}, lambda: {1}, lambda: {1, 2, 3}]),
            "member": Read(has(1), [lambda: {2}, set, lambda: {"1"}]),
            "no member": Read(has(5), [lambda: {5}, lambda: {1, 2, 5}, lambda: {5.0}]),
            "length": Read(len, [lambda: {1}, set, lambda: {1, 2, 3}]),
            "iteration": Read(list, [lambda: {1, 3}, lambda: {1.0, 2}, lambda: {1, 2, 3}]),
        },
    ),
    Row(
        "frozenset",
        lambda: frozenset({1, 2}),
        lambda: frozenset({2, 1}),
        [lambda: {1, 2}, lambda: (1, 2), lambda: None],
        {"whole": Read(lambda x: x.value, [lambda: frozenset({1.0, 2.0}), lambda: frozenset({1}), lambda: frozenset({True, 2})])},
    ),
    Row(
        "tuple iterator",
        lambda: iter((1, 2, 3)),
        lambda: advanced(iter((0, 1, 2, 3)), 1),
        [lambda: advanced(iter((1, 2, 3)), 1), lambda: iter([1, 2, 3]), lambda: iter(())],
        {
            "items": Read(
                lambda x: [v.value for v in x], [lambda: iter((1, 2, 4)), lambda: iter((1, 2.0, 3)), lambda: iter((None, 2, 3))]
            )
        },
    ),
    Row(
        "list iterator",
        lambda: iter([1, 2]),
        lambda: iter([1, 2]),
        [lambda: iter([1]), lambda: iter((1, 2)), lambda: [1, 2]],
        {"items": Read(lambda x: [v.value for v in x], [lambda: iter([1, 3]), lambda: iter([True, 2]), lambda: iter([[], 2])])},
    ),
    Row(
        "range iterator",
        lambda: iter(range(2, 9, 3)),
        lambda: advanced(iter(range(-1, 10, 3)), 1),
        [lambda: iter(range(2, 12, 3)), lambda: iter(range(2, 5)), lambda: iter(range(3, 10, 3)), lambda: iter((2, 5, 8))],
    ),
    Row(
        "count",
        lambda: itertools.count(3, 2),
        lambda: advanced(itertools.count(1, 2), 1),
        [lambda: itertools.count(3), lambda: itertools.count(4, 2), lambda: iter(range(3, 100, 2))],
    ),
    Row(
        "generator",
        lambda: (i for i in ()),
        lambda: (j for j in (1, 2)),
        [lambda: iter(()), lambda: None, lambda: zip()],
    ),
    Row(
        "zip",
        lambda: zip([1], [2], strict=True),
        lambda: zip((), (), strict=False),
        [lambda: map(str, []), lambda: [(1, 2)], lambda: iter([])],
    ),
    Row("file", io.StringIO, io.StringIO, [io.BytesIO, lambda: None, str]),
    Row(
        "slice",
        lambda: slice(1, 5, None),
        lambda: slice(1, 5, None),
        [lambda: slice(True, 5, None), lambda: slice(1, 6), lambda: slice(1, 5, 1), lambda: range(1, 5)],
    ),
    Row(
        "range",
        lambda: range(1, 3),
        lambda: range(1, 3),
        [lambda: range(3), lambda: range(1, 4), lambda: range(1, 3, 5), lambda: slice(1, 3)],
    ),
    Row("None", lambda: None, lambda: None, [lambda: False, lambda: 0, lambda: ...]),
    Row("bool", lambda: True, lambda: True, [lambda: False, lambda: 1, lambda: 1.0]),
    Row("Ellipsis", lambda: ..., lambda: ..., [lambda: None, lambda: NotImplemented, lambda: type(...)]),
    Row("NotImplemented", lambda: NotImplemented, lambda: NotImplemented, [lambda: None, lambda: ..., lambda: False]),
    Row(
        "int",
        lambda: 7,
        lambda: 7,
        [lambda: 7.0, lambda: True, lambda: Count(7), lambda: "7"],
        {
            "value": Read(lambda x: x.value, [lambda: 8, lambda: 0, lambda: -7]),
            "truth": Read(bool, [lambda: 0, int, lambda: 1 - 1]),
        },
    ),
    Row(
        "float",
        lambda: 0.0,
        lambda: 0.0,
        [lambda: 0, lambda: Ratio(0), lambda: False],
        {"value": Read(lambda x: x.value, [lambda: -0.0, lambda: 1.0, lambda: NAN])},
    ),
    Row("nan", lambda: NAN, lambda: float("nan"), [lambda: NEGATIVE_NAN, lambda: 1.0, lambda: float("inf")]),
    Row(
        "complex",
        lambda: 1 + 0j,
        lambda: 1 + 0j,
        [lambda: 1, lambda: 1.0, lambda: True],
        {"value": Read(lambda x: x.value, [lambda: complex(1, -0.0), lambda: 1 + 1j, lambda: 2 + 0j])},
    ),
    Row(
        "str",
        lambda: "abc",
        lambda: str(b"abc", "ascii"),
        [lambda: Name("abc"), lambda: b"abc", lambda: 3],
        {
            "value": Read(lambda x: x.value, [lambda: "abd", str, lambda: "ABC"]),
            "length": Read(len, [lambda: "ab", str, lambda: "abcd"]),
            "member": Read(has("b"), [lambda: "ac", str, lambda: "B"]),
        },
    ),
    Row(
        "bytes",
        lambda: b"ab",
        lambda: b"ab",
        [lambda: "ab", bytearray, lambda: 1],
        {"value": Read(lambda x: x.value, [lambda: b"ac", bytes, lambda: b"abc"])},
    ),
    Row("int subclass", lambda: Count(3), lambda: Count(3), [lambda: 3, lambda: Count(4), lambda: True]),
    Row("str subclass", lambda: Name("a"), lambda: Name("a"), [lambda: "a", lambda: Name("b"), lambda: b"a"]),
    Row("float subclass", lambda: Ratio(0.0), lambda: Ratio(0.0), [lambda: 0.0, lambda: Ratio(-0.0), lambda: Ratio(1.0)]),
    Row("enum member", lambda: Color.RED, lambda: Color.RED, [lambda: Color.GREEN, lambda: 1, lambda: Level.LOW]),
    Row("int enum member", lambda: Level.LOW, lambda: Level.LOW, [lambda: Level.HIGH, lambda: 1, lambda: True]),
    Row("enum class", lambda: Color, lambda: Color, [lambda: Level, lambda: Color.RED, lambda: enum.Enum]),
    Row(
        "object",
        lambda: Config(a=1, b=2),
        lambda: Config(a=1, b=2),
        [lambda: Other(a=1, b=2), lambda: None, lambda: Config],
        {
            "attribute": Read(lambda x: x.a.value, [lambda: Config(a=2), Config, lambda: Config(a=1.0)]),
            "absence": Read(
                lambda x: x.has_attribute("z"), [lambda: Config(z=1), lambda: Config(z=None), lambda: Config(a=1, z=0)]
            ),
            "presence": Read(lambda x: x.has_attribute("a"), [Config, lambda: Config(b=1), lambda: Config(A=1)]),
            "class attribute": Read(
                lambda x: x.scale.value, [lambda: Config(scale=2), lambda: Config(scale=3), lambda: Config(a=1, b=2, scale=None)]
            ),
            "method": Read(
                lambda x: x.run.pin(), [lambda: Config(run=1), lambda: Config(run=Config.run), lambda: Config(run=None)]
            ),
        },
    ),
    Row(
        "object with slots",
        lambda: Slotted(1),
        lambda: Slotted(1),
        [Config, lambda: None, lambda: Slotted],
        {
            "slot": Read(lambda x: x.a.value, [lambda: Slotted(2), lambda: Slotted(True), lambda: Slotted(None)]),
            "empty slot": Read(
                lambda x: x.has_attribute("b"), [lambda: with_slot(1), lambda: with_slot(None), lambda: with_slot(0)]
            ),
        },
    ),
    Row(
        "function",
        lambda: twice,
        lambda: copy_of(twice),
        [lambda: thrice, lambda: copy_of(twice, globals={}), lambda: twice.__code__, lambda: len],
        {
            "default": Read(
                lambda f: f.__defaults__[0].value,
                [
                    lambda: copy_of(twice, argdefs=(3,)),
                    lambda: copy_of(twice, argdefs=()),
                    lambda: copy_of(twice, argdefs=(2.0,)),
                ],
            ),
            "attribute": Read(
                lambda f: f.has_attribute("a"),
                [lambda: with_attribute(a=1), lambda: with_attribute(a=None), lambda: with_attribute(a=twice)],
            ),
        },
    ),
    Row(
        "closure",
        lambda: closure_over(1),
        lambda: closure_over(1),
        [lambda: twice, lambda: None, lambda: closure_over],
        {
            "cell": Read(
                lambda f: f.__closure__[0].cell_contents.value,
                [lambda: closure_over(2), lambda: closure_over(1.0), lambda: closure_over(None)],
            )
        },
    ),
    Row(
        "bound method",
        lambda: Config(a=1).run,
        lambda: Config(a=1).run,
        [lambda: Config.run, lambda: types.MethodType(twice, Config(a=1)), lambda: Other(a=1).run],
        {
            "self": Read(
                lambda m: m.attribute("__self__").a.value,
                [lambda: Config(a=2).run, lambda: Config().run, lambda: Config(a=None).run],
            )
        },
    ),
    Row("builtin function", lambda: len, lambda: len, [lambda: abs, lambda: twice, lambda: [].append]),
    Row(
        "builtin bound method",
        lambda: [1].append,
        lambda: [1].append,
        [lambda: [1].pop, lambda: [1, 2].append, lambda: len],
        {
            "self": Read(
                lambda m: m.attribute("__self__")[0].value, [lambda: [2].append, lambda: [None].append, lambda: [1.0].append]
            )
        },
    ),
    Row(
        "method-wrapper",
        lambda: [1].__len__,
        lambda: [1].__len__,
        [lambda: [1].__iter__, lambda: [1, 2].__len__, lambda: (1,).__len__],
    ),
    Row(
        "wrapper descriptor",
        lambda: list.__len__,
        lambda: list.__len__,
        [lambda: tuple.__len__, lambda: list.__iter__, lambda: len],
    ),
    Row(
        "method descriptor",
        lambda: list.append,
        lambda: list.append,
        [lambda: list.pop, lambda: collections.deque.append, lambda: len],
    ),
    Row(
        "getset descriptor",
        lambda: types.FunctionType.__code__,
        lambda: types.FunctionType.__code__,
        [lambda: types.FunctionType.__defaults__, lambda: types.FrameType.f_back, lambda: 1],
    ),
    Row(
        "partial",
        lambda: functools.partial(twice, 1, by=2),
        lambda: functools.partial(twice, 1, by=2),
        [lambda: functools.partial(twice, by=2), lambda: functools.partial(twice, 1), lambda: twice],
        {
            "parts": Read(
                lambda p: (p.func.pin(), p.args[0].value, p.keywords["by"].value),
                [
                    lambda: functools.partial(thrice, 1, by=2),
                    lambda: functools.partial(twice, 2, by=2),
                    lambda: functools.partial(twice, 1, by=3),
                ],
            )
        },
    ),
    Row(
        "lru_cache",
        lambda: functools.lru_cache(copy_of(twice)),
        lambda: functools.lru_cache(copy_of(twice)),
        [lambda: twice, lambda: len, lambda: None],
        {
            "function": Read(
                lambda f: f.attribute("__wrapped__").pin(),
                [
                    lambda: functools.lru_cache(thrice),
                    lambda: functools.lru_cache(closure_over),
                    lambda: functools.lru_cache(len),
                ],
            )
        },
    ),
    Row(
        "staticmethod",
        lambda: staticmethod(twice),
        lambda: staticmethod(twice),
        [lambda: classmethod(twice), lambda: twice, lambda: property(twice)],
        {
            "function": Read(
                lambda d: d.attribute("__func__").pin(),
                [lambda: staticmethod(thrice), lambda: staticmethod(len), lambda: staticmethod(Config)],
            )
        },
    ),
    Row(
        "property",
        lambda: property(twice),
        lambda: property(twice),
        [lambda: staticmethod(twice), lambda: twice, lambda: None],
        {"getter": Read(lambda d: d.fget.pin(), [lambda: property(thrice), lambda: property(len), property])},
    ),
    Row("class", lambda: Config, lambda: Config, [lambda: Other, Config, lambda: int]),
    Row("module", lambda: math, lambda: math, [lambda: sys, lambda: types.ModuleType("math"), lambda: None]),
    Row("code", lambda: twice.__code__, lambda: twice.__code__, [lambda: thrice.__code__, lambda: twice, lambda: None]),
    Row("generic alias", lambda: GENERIC, lambda: GENERIC, [lambda: list[str], lambda: list, lambda: typing.Any]),
    Row("typing object", lambda: typing.Any, lambda: typing.Any, [lambda: typing.Union, lambda: None, lambda: object]),
    Row(
        "weak reference",
        lambda: living(a=1),
        lambda: living(a=1),
        [dead, lambda: None, lambda: Config(a=1)],
        {
            "referent": Read(
                lambda w: w.attribute("__class__") and referent(w).a.value, [lambda: living(a=2), living, lambda: living(a=None)]
            )
        },
    ),
    Row(
        "context variable",
        lambda: VARIABLE,
        lambda: VARIABLE,
        [lambda: contextvars.ContextVar("variable"), lambda: None, lambda: 1],
    ),
    Row("sys.modules", lambda: sys.modules, lambda: sys.modules, [lambda: dict(sys.modules), dict, lambda: None]),
    Row(
        "cell",
        lambda: types.CellType(1),
        lambda: types.CellType(1),
        [lambda: 1, lambda: [1], lambda: None],
        {
            "content": Read(
                lambda c: c.cell_contents.value, [lambda: types.CellType(2), types.CellType, lambda: types.CellType(1.0)]
            )
        },
    ),
]

GENERIC = list[int]


def referent(handle):
    from guardlang.observe import Handle, place_of

    return Handle(next(iter(place_of(handle).rule.parts(place_of(handle)))))


def with_fields(x, **fields):
    x.__dict__.update(fields)
    return x


def with_slot(b):
    made = Slotted(1)
    made.b = b
    return made


def missing(handle, key):
    try:
        handle[key]
    except KeyError:
        return True
    return False
