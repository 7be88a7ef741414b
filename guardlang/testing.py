"""Strategies for property tests: sources, expressions, guard sets, values, hostile values, and frames that fit a set or nearly.

Needs hypothesis, which the extra `test` installs. Everything is drawn from a `random.Random`, so that a search without hypothesis
can use the same generators: `Generator(random.Random(7)).trial()`.
"""

from __future__ import annotations

import collections
import itertools
import math
import types
import weakref
from collections.abc import Callable
from random import Random
from typing import Any

import attrs
from hypothesis import strategies as st

from guardlang.ast import BinOp, BoolOp, Call, Compare, Expr, IfExp, Not, TupleDisplay, UnaryOp
from guardlang.errors import GuardlangError
from guardlang.guards import GuardSet
from guardlang.sources import (
    AttrSource,
    Const,
    ConstantSource,
    DynamicAttrSource,
    DynamicGetItemSource,
    GetItemSource,
    GlobalSource,
    LocalSource,
    TensorProperty,
    TensorPropertySource,
    TupleIteratorGetItemSource,
    TypeSource,
    WeakRefCallSource,
)
from guardlang.typecheck import check_condition, check_types
from guardlang.values import TypeSet, type_name

__all__ = [
    "Generator",
    "Hooks",
    "HostileValue",
    "Trial",
    "conditions",
    "expressions",
    "fingerprint",
    "guard_sets",
    "hostile_values",
    "sources",
    "trials",
    "values",
]

_LOCALS = ("a", "b", "n", "x", "d", "s")
_GLOBALS = ("g", "n")
_MEMBERS = ("u", "v", "inner", "shape", "ndim", "real", "__dict__", "a b", "stop", "cell_contents", "__class__")
_KEYS: tuple[Any, ...] = ("k", 0, 1, -1, True, "u", 1.0, None, (1, 2), float("nan"))
_INTS = (0, 1, -1, 2, 3, 7, 8, 256, 257, -6, 2**31, 2**53, 2**53 + 1, 2**63, -(2**63), 2**64, 10**30, 2**40000, -(2**65536))
_FLOATS = (0.0, -0.0, 1.0, -1.5, 2.5, 0.1, 1e16, 2.0**53, 1e308, 5e-324, math.inf, -math.inf, math.nan, -math.nan)
_TEXTS = ("", "a", "k", "u", "it's", '"', "\n", "*/", "\\", "\0", "\ud800", "é", "L['x']")
_SCALARS: tuple[Any, ...] = (
    *(None, True, False, ..., NotImplemented),
    *(1, 0, 2, -1, 1.0, "a", "k"),
    *_INTS,
    *_FLOATS,
    *(1j, complex(1, -0.0), complex(math.nan, 1), complex(-0.0, 2)),
    *_TEXTS,
    *(b"", b"a", b"\xff"),
    *(range(3), range(0, 6, 2), range(5, 0, -1), slice(1, None)),
)
_CLASSES: tuple[type, ...] = (int, bool, float, str, list, tuple, dict, type(None), object, type)
_ARITHMETIC = ("+", "-", "*", "//", "%", "/", "**", "<<", ">>", "&", "|", "^")
_ORDER = ("<", "<=", ">", ">=")
_SIZED = TypeSet(list, tuple, dict, str, set)
_SEQUENCES = TypeSet(list, tuple)
_VALUES = TypeSet(int, float, str, bytes, tuple, frozenset)


class Hooks:
    """Makes classes whose every hook notes that it was reached, and raises.

    Args:
        reached: the names of the hooks that ran, in order.

    Example:
        >>> hooks = Hooks()
        >>> x = hooks.make(list, [1, 2])
        >>> list.__len__(x), hooks.reached
        (2, [])
        >>> len(x)
        Traceback (most recent call last):
        ZeroDivisionError: list.__len__
        >>> hooks.reached
        ['list.__len__']
    """

    def __init__(self) -> None:
        self.reached: list[str] = []
        self._classes: dict[tuple[type, bool], type] = {}

    def hook(self, name: str) -> Callable[..., Any]:
        """Return a function that notes its name and raises.

        Args:
            name: what is noted.
        """

        def run(*args: object, **kwargs: object) -> Any:
            self.reached.append(name)
            raise ZeroDivisionError(name)

        return run

    def hostile_class(self, base: type = object, *, metaclass: bool = False) -> type:
        """Return a class derived from `base` that overrides every hook; the same one for the same arguments.

        Args:
            base: the class to derive from.
            metaclass: whether the hooks of the class itself are overridden too.
        """
        known = self._classes.get((base, metaclass))
        if known is None:
            space = {name: self.hook(f"{base.__name__}.{name}") for name in _HOOKS}
            space["__class__"] = property(self.hook(f"{base.__name__}.__class__"))  # type: ignore[assignment]
            space["loud"] = property(self.hook(f"{base.__name__}.loud"))  # type: ignore[assignment]
            space["u"] = property(self.hook(f"{base.__name__}.u"))  # type: ignore[assignment]
            if base in _VALUES:
                # What CPython hashes on its own way, as in a set of classes in pytest.
                space["__hash__"] = base.__hash__
            known = self._metaclass()("Hostile", (base,), space) if metaclass else type("Hostile", (base,), space)
            if metaclass:
                self._armed = True
            self._classes[base, metaclass] = known
        return known

    _armed = False

    def _metaclass(self) -> Any:
        """Return a metaclass whose hooks note that they were reached once its classes are finished."""

        def hook(name: str, usual: Callable[..., Any]) -> Callable[..., Any]:
            def run(*args: Any, **kwargs: Any) -> Any:
                if self._armed:
                    self.reached.append(f"metaclass.{name}")
                    raise ZeroDivisionError(name)
                return usual(*args, **kwargs)

            return run

        self._armed = False
        return type("HostileMeta", (type,), {name: hook(name, getattr(type, name)) for name in _META_HOOKS})

    def make(self, base: type = object, *args: Any, metaclass: bool = False, **members: Any) -> Any:
        """Return an object of a hostile class.

        Args:
            base: the class that its class derives from.
            args: what the base makes it from.
            metaclass: whether its class has hostile hooks of its own.
            members: entries of its instance dict.
        """
        cls = self.hostile_class(base, metaclass=metaclass)
        if base in (list, set, dict, collections.deque, collections.OrderedDict):
            made: Any = base.__new__(cls)
            base.__init__(made, *args)
        else:
            made = base.__new__(cls, *args)
        for name, value in members.items():
            object.__setattr__(made, name, value)
        return made


_HOOKS = (
    "__getattribute__",
    "__getattr__",
    "__eq__",
    "__ne__",
    "__lt__",
    "__le__",
    "__gt__",
    "__ge__",
    "__hash__",
    "__bool__",
    "__len__",
    "__length_hint__",
    "__iter__",
    "__next__",
    "__reversed__",
    "__contains__",
    "__getitem__",
    "__missing__",
    "__repr__",
    "__str__",
    "__bytes__",
    "__format__",
    "__int__",
    "__float__",
    "__complex__",
    "__index__",
    "__trunc__",
    "__floor__",
    "__ceil__",
    "__round__",
    "__abs__",
    "__neg__",
    "__pos__",
    "__invert__",
    "__add__",
    "__radd__",
    "__sub__",
    "__rsub__",
    "__mul__",
    "__rmul__",
    "__truediv__",
    "__floordiv__",
    "__mod__",
    "__rmod__",
    "__pow__",
    "__call__",
    "__dir__",
    "__reduce__",
    "__reduce_ex__",
    "__sizeof__",
    "__instancecheck__",
    "__subclasscheck__",
    "__get__",
    "__set__",
    "__array__",
    "keys",
    "values",
    "items",
    "get",
    "copy",
    "pop",
    "index",
    "count",
)
_META_HOOKS = (
    "__getattribute__",
    "__eq__",
    "__ne__",
    "__hash__",
    "__instancecheck__",
    "__subclasscheck__",
    "__repr__",
    "__call__",
    "__dir__",
    "__subclasses__",
    "mro",
)


class _Node:
    """An object with an instance dict."""

    def __init__(self, **members: Any) -> None:
        self.__dict__.update(members)


class _Slots:
    """An object with slots, of which one may be empty."""

    __slots__ = ("__weakref__", "u", "v")


class _Loud:
    """An object with a property, a `__getattr__` and a class attribute."""

    v = 7

    def __init__(self, reached: list[str]) -> None:
        self.__dict__["reached"] = reached

    @property
    def u(self) -> Any:
        """Note that it ran."""
        self.__dict__["reached"].append("property u")
        return 1

    def __getattr__(self, name: str) -> Any:
        self.__dict__["reached"].append(f"__getattr__ {name}")
        return 1


class _Number(int):
    """An int of a derived class."""


_OBJECTS: dict[str, Any] = {
    "Node": _Node,
    "Slots": _Slots,
    "Number": _Number,
    "THING": _Node(u=1),
    "LIST": [1, 2],
    "NAN": math.nan,
    "CLASSES": (int, str),
    "deque": collections.deque,
}


class HostileValue:
    """An object that must be asked nothing; its `repr` would run a hook, so this has one of its own.

    Args:
        value: the object.
        hooks: what notes when a hook of it runs.
    """

    def __init__(self, value: Any, hooks: Hooks) -> None:
        # No attrs class: hypothesis prints the fields of those itself.
        self.value = value
        self.hooks = hooks

    def __repr__(self) -> str:
        return f"<HostileValue of type {type_name(type(self.value))}>"


@attrs.frozen(eq=False)
class Trial:
    """Guards and frames to check them on.

    Args:
        guards: the set.
        frames: pairs of locals and globals: the first is the one that most guards were made from, the others differ from it.
        hooks: what notes when a hook of a hostile object runs.
    """

    guards: GuardSet
    frames: tuple[tuple[dict[str, Any], dict[str, Any]], ...]
    hooks: Hooks

    def __repr__(self) -> str:
        return f"<Trial\n{self.guards}>"


class Generator:
    """Draws sources, expressions, values and frames.

    Args:
        random: where the choices come from.
        hooks: what hostile objects report to; None for no hostile objects.

    Example:
        >>> draw = Generator(Random(1))
        >>> trial = draw.trial()
        >>> check = trial.guards.compile()
        >>> all(type(check(*frame)) is bool for frame in trial.frames)
        True
    """

    def __init__(self, random: Random, hooks: Hooks | None = None) -> None:
        self.random = random
        self.hooks = hooks

    def _one(self, choices: Any) -> Any:
        return choices[self.random.randrange(len(choices))]

    def _chance(self, per_cent: int) -> bool:
        return self.random.randrange(100) < per_cent

    # Values and frames.

    def value(self, depth: int = 2) -> Any:
        """Return a value: a scalar, a container of values, or a class.

        Args:
            depth: how deeply containers may nest.
        """
        kind = self.random.randrange(9)
        if depth <= 0 or kind <= 3:
            return self._one(_SCALARS)
        if kind == 4:
            return tuple(self._values(depth))
        if kind == 5:
            return self._values(depth)
        if kind == 6:
            return {self._one(_KEYS): self.value(depth - 1) for _ in range(self.random.randrange(4))}
        if kind == 7:
            return self._one((set, frozenset))([self._one(_SCALARS[:-4]) for _ in range(self.random.randrange(4))])
        return self._one(_CLASSES)

    def _values(self, depth: int) -> list[Any]:
        return [self.value(depth - 1) for _ in range(self.random.randrange(4))]

    def anything(self, depth: int = 3) -> Any:
        """Return any object: a value, an object with attributes, an iterator, a function, or a hostile object.

        Args:
            depth: how deeply objects may nest.
        """
        kind = self.random.randrange(10)
        if depth <= 0 or kind <= 3:
            return self.value(depth)
        if kind == 4:
            return _Node(**{name: self.anything(depth - 1) for name in ("u", "v", "inner") if self._chance(70)})
        if kind == 5:
            return {self._one(_KEYS): self.anything(depth - 1) for _ in range(self.random.randrange(4))}
        if kind == 6:
            return self._one((list, tuple, collections.deque))(
                [self.anything(depth - 1) for _ in range(self.random.randrange(4))]
            )
        if kind == 7 and self.hooks is not None:
            return self.hostile(depth - 1)
        return self._special(depth - 1)

    def _special(self, depth: int) -> Any:
        kind = self.random.randrange(12)
        inner = self.anything(depth)
        if kind == 0:
            slots = _Slots()
            _Slots.__dict__["u"].__set__(slots, inner)
            return slots
        if kind == 1:
            return self._one((iter([inner, 1]), iter((inner, 2)), iter(range(4)), itertools.count(3), iter(range(2**70))))
        if kind == 2:
            return weakref.ref(self._one((_Node, _OBJECTS["THING"])))
        if kind == 3:
            return _closure(inner)
        if kind == 4:
            module = types.ModuleType("example")
            module.__dict__["u"] = inner
            return module
        if kind == 5:
            return type("Class", (), {"u": inner, "shape": (2, 3)})
        if kind == 6:
            return type("Class", (), {"v": inner, "shape": self._one(((2, 3), (2**40000,), [2], (-1,), ("a",)))})()
        if kind == 7:
            return _Number(self._one(_INTS))
        if kind == 8:
            return types.MappingProxyType({"k": inner})
        if kind == 9:
            return collections.OrderedDict(k=inner, u=1)
        if kind == 10:
            return self._one(({"k": inner}.keys(), {"k": inner}.values(), {"k": inner}.items(), bytearray(b"ab")))
        return self._one(tuple(_OBJECTS.values()))

    def hostile(self, depth: int = 1) -> Any:
        """Return an object whose hooks report to `hooks`, of a class derived from some builtin type.

        Args:
            depth: how deeply what it holds may nest.
        """
        hooks = self.hooks or Hooks()
        kind = self.random.randrange(9)
        metaclass = self._chance(25)
        if kind == 0:
            return hooks.make(metaclass=metaclass, v=self.anything(depth), inner=1)
        if kind == 1:
            return hooks.make(list, [self.anything(depth) for _ in range(2)], metaclass=metaclass)
        if kind == 2:
            return hooks.make(tuple, (self.anything(depth), 1), metaclass=metaclass)
        if kind == 3:
            return hooks.make(dict, {"k": self.anything(depth), 1: 2}, metaclass=metaclass)
        if kind == 4:
            return hooks.make(int, self._one((1, 0, 7)), metaclass=metaclass)
        if kind == 5:
            return hooks.make(self._one((float, str)), self._one(("1", "0")), metaclass=metaclass)
        if kind == 6:
            return hooks.make(set, [1, "k"], metaclass=metaclass)
        if kind == 7:
            return _Loud(hooks.reached)
        return hooks.hostile_class(metaclass=metaclass)

    def frame(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the locals and globals of a frame; some of its objects are reached by several paths."""
        locals: dict[str, Any] = {}
        for name in _LOCALS:
            if self._chance(92):
                locals[name] = self._one(tuple(locals.values())) if locals and self._chance(20) else self.anything()
        globals = {
            name: self._one(tuple(locals.values())) if locals and self._chance(40) else self.anything() for name in _GLOBALS
        }
        return locals, globals

    def changed(self, frame: tuple[dict[str, Any], dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return a frame in which one or two names stand for something else, or for nothing.

        Args:
            frame: locals and globals; they stay as they are.
        """
        locals, globals = dict(frame[0]), dict(frame[1])
        for _ in range(1 + self.random.randrange(2)):
            name = self._one(_LOCALS)
            how = self.random.randrange(4)
            if how == 0:
                locals[name] = self.anything()
            elif how == 1:
                locals[name] = locals.get(self._one(_LOCALS))
            elif how == 2:
                locals[name] = self._nearly(locals.get(name))
            else:
                locals.pop(name, None)
        return locals, globals

    def _nearly(self, x: Any) -> Any:
        """Return something that is easily taken for x."""
        cls = type(x)
        if cls is int:
            return self._one(
                (x + 1, bool(x), float(x) if abs(x) < 2**60 else x, _Number(x), -x, str(x)[:9] if abs(x) < 2**60 else "")
            )
        if cls is float:
            return self._one((-x, math.nan, float(x), x + 1))
        if cls is str:
            return self._one((x + "a", x.encode("utf-8", "replace"), type("Text", (str,), {})(x)))
        if cls is list or cls is tuple:
            return self._one((list(x), tuple(x), [*x, 1], x[1:], dict.fromkeys(range(len(x)), 1)))
        if cls is dict:
            return self._one((dict(x), dict(reversed(x.items())), collections.OrderedDict(x), {**x, "z": 1}))
        if cls is _Node:
            made = _Node(**x.__dict__)
            return self._one((made, type("Node", (_Node,), {"__slots__": ()})(**x.__dict__), x.__dict__))
        return self.value()

    # Expressions.

    def source(self, depth: int = 3) -> Expr:
        """Return a source, or a read through a function of the language.

        Args:
            depth: how many steps it may take.
        """
        kind = self.random.randrange(16)
        if depth <= 0 or kind <= 4:
            return LocalSource(self._one(_LOCALS)) if self._chance(85) else GlobalSource(self._one(_GLOBALS))
        base = self.source(depth - 1)
        if kind <= 7:
            return AttrSource(base, self._one(_MEMBERS))
        if kind <= 10:
            return GetItemSource(base, Const(self._one(_KEYS)))
        if kind == 11:
            return GetItemSource(base, self.source(depth - 2))
        if kind == 12:
            return GetItemSource(Call(self._one(("keys", "values")), (base,)), Const(self._one((0, 1, -1, 5, True))))
        if kind == 13:
            return WeakRefCallSource(base)
        if kind == 14:
            return TupleIteratorGetItemSource(base, Const(self._one((0, 1, 2, -1))))
        if self._chance(50):
            return TypeSource(base)
        prop = self._one(tuple(TensorProperty))
        return TensorPropertySource(base, prop, Const(self._one((0, 1, -1, 2))) if prop.indexed else None)

    def operand(self, depth: int = 3) -> Expr:
        """Return an expression of any kind; it need not be well typed.

        Args:
            depth: how high it may be.
        """
        kind = self.random.randrange(20)
        if depth <= 0 or kind <= 5:
            return self.source(depth)
        if kind <= 8:
            return self.constant()
        if kind <= 13:
            return self.number(depth)
        if kind == 14:
            return Call(
                self._one(("keys", "values", "tuple", "str", "bytes", "set", "frozenset", "complex")), (self.operand(depth - 1),)
            )
        if kind == 15:
            return TupleDisplay(tuple(self.operand(depth - 1) for _ in range(1 + self.random.randrange(3))))
        if kind == 16:
            return IfExp(self.condition(depth - 1), self.operand(depth - 1), self.operand(depth - 1))
        if kind == 17:
            return Call("overlapping", tuple(self.source(1) for _ in range(1 + self.random.randrange(2))))
        return self.condition(depth - 1)

    def constant(self) -> Expr:
        """Return a literal, or a named object."""
        if self._chance(20):
            return self.named()
        value = self.value()
        try:
            return Const(value)
        except GuardlangError:
            return self.named()

    def named(self) -> Expr:
        """Return a named object: a class, or one whose value may be a copy."""
        if self._chance(50):
            cls = self._one(_CLASSES[:7])
            return ConstantSource(cls.__name__, cls)
        name = self._one(tuple(_OBJECTS))
        return ConstantSource(name, _OBJECTS[name])

    def number(self, depth: int = 3) -> Expr:
        """Return an expression that is a number, if it is defined.

        Args:
            depth: how high it may be.
        """
        kind = self.random.randrange(12)
        if depth <= 0 or kind <= 2:
            return self.source(depth) if self._chance(60) else Const(self._one(_INTS + _FLOATS))
        if kind <= 6:
            return BinOp(self._one(_ARITHMETIC), self.number(depth - 1), self.number(depth - 1))
        if kind == 7:
            return UnaryOp(self._one(("-", "~")), self.number(depth - 1))
        if kind == 8:
            return Call(self._one(("len", "remaining")), (self.source(depth - 1),))
        if kind == 9:
            return Call(self._one(("min", "max")), tuple(self.number(depth - 1) for _ in range(2 + self.random.randrange(2))))
        if kind == 10:
            return Call("round", (self.number(depth - 1), Const(self._one((0, 1, -1, 2)))))
        name = self._one(("abs", "floor", "ceil", "trunc", "round", "sqrt", "int", "float", "complex"))
        return Call(name, (self.number(depth - 1),))

    def object(self, depth: int = 2) -> Expr:
        """Return an operand of `is`.

        Args:
            depth: how high it may be.
        """
        kind = self.random.randrange(8)
        if kind <= 4:
            return self.source(depth)
        if kind == 5:
            return Const(self._one((None, True, False, ...)))
        if kind == 6 and depth > 0:
            return IfExp(self.condition(depth - 1), self.object(depth - 1), self.object(depth - 1))
        return self.named()

    def condition(self, depth: int = 3) -> Expr:
        """Return a condition; it need not be well typed.

        Args:
            depth: how high it may be.
        """
        kind = self.random.randrange(22)
        if kind <= 2:
            return Compare((self._one(("is", "is not")),), (TypeSource(self.source(depth)), self.named()))
        if kind == 3:
            return Compare((self._one(("is", "is not")),), (self.object(depth), self.object(depth)))
        if kind == 4:
            return Call(self._one(("same", "distinct")), tuple(self.object(1) for _ in range(2 + self.random.randrange(3))))
        if kind <= 7:
            return Compare((self._one(("==", "!=")),), (self.operand(depth - 1), self.operand(depth - 1)))
        if kind == 8:
            return Call("exact", (self.operand(depth - 1), self.operand(depth - 1)))
        if kind <= 10:
            return Compare((self._one(_ORDER),), (self.number(depth - 1), self.number(depth - 1)))
        if kind == 11:
            ops = tuple(self._one((*_ORDER, "==", "is", "in", "!=")) for _ in range(2 + self.random.randrange(2)))
            return Compare(ops, tuple(self.operand(depth - 1) for _ in range(len(ops) + 1)))
        if kind == 12:
            return Compare((self._one(("in", "not in")),), (self.operand(depth - 1), self.operand(depth - 1)))
        if kind == 13:
            return Compare((self._one(("in", "not in")),), (Const(self._one(_KEYS)), self.source(depth)))
        if kind == 14:
            return Call("hasattr", (self.operand(depth - 1), Const(self._one(_MEMBERS))))
        if kind == 15:
            return Call("isinstance", (self.operand(depth - 1), self._classes()))
        if kind == 16:
            return Call(self._one(("bool", "isnan")), (self.operand(depth - 1),))
        if depth <= 0:
            return Const(self._one((True, False)))
        if kind == 17:
            return Not(self.condition(depth - 1))
        if kind == 18:
            return IfExp(self.condition(depth - 1), self.condition(depth - 1), self.condition(depth - 1))
        return BoolOp(self._one(("and", "or")), tuple(self.condition(depth - 1) for _ in range(2 + self.random.randrange(2))))

    def _classes(self) -> Expr:
        if self._chance(60):
            return self.named()
        return TupleDisplay(tuple(self.named() for _ in range(1 + self.random.randrange(3))))

    def impure(self) -> Expr:
        """Return a condition that may run code of an input's type."""
        base = self.source(2)
        if self._chance(50):
            read: Expr = DynamicAttrSource(base, self._one(_MEMBERS[:7]))
        else:
            read = DynamicGetItemSource(base, Const(self._one(_KEYS)))
        wanted = self.constant()
        return Compare((self._one(("==", "is not")),), (read, wanted if self._chance(80) else Const(None)))

    def fitting(self, locals: dict[str, Any], globals: dict[str, Any]) -> Expr:
        """Return a condition that was true of something in a frame, most of the time.

        Args:
            locals: the locals of the frame.
            globals: its globals.
        """
        expr, x = self._walk(locals, globals)
        kind = self.random.randrange(10)
        cls = type(x)
        if kind <= 3:
            return Compare(("is",), (TypeSource(expr), ConstantSource(type_name(cls), cls)))
        if kind == 4:
            other, y = self._walk(locals, globals)
            return Compare(("is" if x is y else "is not",), (expr, other))
        if cls in _SIZED and kind == 5:
            return Compare(("==",), (Call("len", (expr,)), Const(cls.__len__(x))))
        if cls is dict and kind == 6:
            return Compare(("==",), (Call("keys", (expr,)), Const(tuple(x))))
        if cls is int and kind <= 7:
            return Compare((self._one(("<=", ">=", "==")),), (BinOp("%", expr, Const(3)), Const(x % 3)))
        try:
            constant = Const(x)
        except GuardlangError:
            return Call("hasattr", (expr, Const(self._one(("u", "v", "inner")))))
        return Call("exact", (expr, constant)) if self._chance(50) else Compare(("==",), (expr, constant))

    def _walk(self, locals: dict[str, Any], globals: dict[str, Any]) -> tuple[Expr, Any]:
        """Return a source and the object that it reads, a few steps into a frame."""
        roots = [(LocalSource(name), x) for name, x in locals.items()] + [(GlobalSource(name), x) for name, x in globals.items()]
        if not roots:
            return LocalSource("a"), None
        expr: Expr
        expr, x = self._one(roots)
        for _ in range(self.random.randrange(4)):
            cls = type(x)
            if cls in _SEQUENCES and x:
                position = self.random.randrange(len(x))
                expr, x = GetItemSource(expr, Const(position)), x[position]
            elif cls is dict and x:
                key = self._one(list(x))
                expr, x = GetItemSource(expr, Const(key)), x[key]
            elif cls is _Node and x.__dict__:
                name = self._one(list(x.__dict__))
                expr, x = AttrSource(expr, name), x.__dict__[name]
            else:
                break
        return expr, x

    # Sets.

    def guard(self, draw: Callable[[], Expr]) -> Expr:
        """Return what a function draws, again until it is a well typed condition.

        Args:
            draw: draws an expression.
        """
        for _ in range(6):
            expr = draw()
            try:
                check_condition(expr)
            except GuardlangError:
                continue
            return expr
        return Compare(("is",), (TypeSource(LocalSource("a")), ConstantSource("int", int)))

    def trial(self, *, impure: bool = False) -> Trial:
        """Return a guard set with frames on which its guards are likely to hold, or to fail one by one.

        Args:
            impure: whether guards that may run code of the inputs may be among them.
        """
        frame = self.frame()
        guards = GuardSet()
        for _ in range(1 + self.random.randrange(8)):
            if impure and self._chance(25):
                expr = self.guard(self.impure)
            elif self._chance(60):
                expr = self.guard(lambda: self.fitting(*frame))
            else:
                expr = self.guard(lambda: self.condition(2 + self.random.randrange(3)))
            try:
                guards.add(expr)
            except GuardlangError:
                # Reads nothing and is not true, or a second object of the same name.
                continue
        frames = [frame, *[self.changed(frame) for _ in range(3)]]
        return Trial(guards, tuple(frames), self.hooks or Hooks())


def _closure(inner: Any) -> Callable[[], Any]:
    def run(u: int = 1) -> Any:
        return inner, u

    return run


def fingerprint(*roots: Any) -> tuple[Any, ...]:
    """Return what objects hold, by identity: equal before and after something that changed and consumed nothing.

    Args:
        roots: where to start. Builtin containers, instance dicts and iterators are looked into, by the base type's own methods.

    Example:
        >>> it = iter([1, 2])
        >>> before = fingerprint([it])
        >>> next(it)
        1
        >>> fingerprint([it]) == before
        False
    """
    seen: dict[int, Any] = {}
    facts: list[Any] = []
    pending = list(roots)
    while pending:
        x = pending.pop()
        if id(x) in seen:
            continue
        seen[id(x)] = x
        cls = type(x)
        held: list[Any] = []
        if issubclass(cls, list | tuple | collections.deque):
            base: Any = next(b for b in (list, tuple, collections.deque) if issubclass(cls, b))
            held = [*base.__iter__(x)]
        elif issubclass(cls, dict):
            held = [part for pair in dict.items(x) for part in pair]
        elif cls in _ITERATORS:
            facts.append(cls.__length_hint__(x))
        elif cls is itertools.count:
            facts.append(itertools.count.__repr__(x))
        space = _instance_dict(x)
        if space is not None:
            held += [part for pair in dict.items(space) for part in pair]
        facts.append((id(x), *map(id, held)))
        pending.extend(held)
    return tuple(facts)


_SEQUENCE_KINDS: tuple[Any, ...] = ((), [], range(0), range(2**70))
_ITERATORS = TypeSet(*[type(iter(sequence)) for sequence in _SEQUENCE_KINDS])


def _instance_dict(x: Any) -> dict[str, Any] | None:
    try:
        space = object.__getattribute__(x, "__dict__")
    except AttributeError:
        return None
    return space if issubclass(type(space), dict) else None


def _drawn(make: Callable[[Generator], Any]) -> st.SearchStrategy[Any]:
    return st.randoms(use_true_random=False, note_method_calls=False).map(lambda random: make(Generator(random, Hooks())))


def values() -> st.SearchStrategy[Any]:
    """Return a strategy of values: scalars at every edge, containers of them, classes.

    Example:
        >>> from guardlang.values import is_value
        >>> from hypothesis import find
        >>> find(values(), is_value) is None
        True
    """
    return _drawn(lambda draw: draw.value())


def hostile_values() -> st.SearchStrategy[HostileValue]:
    """Return a strategy of objects whose every hook raises, each with what notes which hooks ran.

    Example:
        >>> from hypothesis import find
        >>> find(hostile_values(), lambda found: True).hooks.reached
        []
    """
    return _drawn(lambda draw: HostileValue(draw.hostile(), draw.hooks or Hooks()))


def sources() -> st.SearchStrategy[Expr]:
    """Return a strategy of sources and reads.

    Example:
        >>> from hypothesis import find
        >>> find(sources(), lambda source: True)
        <LocalSource L['a']>
    """
    return _drawn(lambda draw: draw.source())


def expressions() -> st.SearchStrategy[Expr]:
    """Return a strategy of well typed expressions of every kind.

    Example:
        >>> from hypothesis import find
        >>> check_types(find(expressions(), lambda expr: isinstance(expr, BinOp))).name in ("Any", "Int", "Float")
        True
    """
    return _drawn(lambda draw: draw.operand(3)).filter(_is_well_typed)


def _is_well_typed(expr: Expr) -> bool:
    try:
        check_types(expr)
    except GuardlangError:
        return False
    return True


def conditions() -> st.SearchStrategy[Expr]:
    """Return a strategy of well typed conditions.

    Example:
        >>> from hypothesis import find
        >>> check_condition(find(conditions(), lambda expr: isinstance(expr, Not)))
    """
    return _drawn(lambda draw: draw.guard(lambda: draw.condition(3)))


def guard_sets() -> st.SearchStrategy[GuardSet]:
    """Return a strategy of guard sets.

    Example:
        >>> from hypothesis import Phase, find, settings
        >>> quick = settings(phases=[Phase.generate], max_examples=5)
        >>> type(find(guard_sets(), lambda guards: True, settings=quick)).__name__
        'GuardSet'
    """
    return _drawn(lambda draw: draw.trial().guards)


def trials(*, impure: bool = False) -> st.SearchStrategy[Trial]:
    """Return a strategy of guard sets with frames, hostile objects among their inputs.

    Args:
        impure: whether guards that may run code of the inputs may be among them.

    Example:
        >>> from hypothesis import Phase, find, settings
        >>> quick = settings(phases=[Phase.generate], max_examples=5)
        >>> trial = find(trials(), lambda trial: True, settings=quick)
        >>> [trial.guards.compile()(*frame) for frame in trial.frames].count(None)
        0
    """
    return _drawn(lambda draw: draw.trial(impure=impure))
