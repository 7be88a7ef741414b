"""Rules for what has no parts: numbers, texts, singletons, registered value types, and objects that are known by name."""

from __future__ import annotations

import contextvars
import enum
import math
import types
import typing
import weakref
from collections.abc import Iterable
from typing import Any

from guardlang.ast import Call, Compare, Expr, Not
from guardlang.errors import UnsupportedGuard
from guardlang.observe.attributes import attribute_of
from guardlang.observe.naming import import_path
from guardlang.observe.observer import Observer, refuse
from guardlang.observe.place import Place
from guardlang.observe.registry import observes
from guardlang.reading import base_bytes, base_complex, base_float, base_int, base_str, contains, length, truthiness
from guardlang.reading.containers import read_item
from guardlang.sources import AttrSource, Const, GetItemSource, WeakRefCallSource
from guardlang.values import Undefined, mro_of, value_type_of

__all__ = ["FACT", "NAMED", "SHAPE", "Named", "OfScalars", "OfSingletons", "OfValueTypes"]


class _Leaf(Observer):
    """A value without parts."""

    def identifies(self, x: Any) -> bool:
        return False

    def parts(self, at: Place) -> Iterable[Place]:
        return ()


@observes(type(None), bool, type(...), type(NotImplemented), derived=False)
class OfSingletons(_Leaf):
    """None, bools, Ellipsis and NotImplemented: there is one object for each value."""

    def pin(self, at: Place) -> None:
        at.add_is(at.source, at.value)

    def constant(self, at: Place) -> Any:
        return at.value

    def truth(self, at: Place) -> bool:
        return bool(at.value) if at.value is not NotImplemented else True


@observes(int, float, complex, str, bytes)
class OfScalars(_Leaf):
    """Numbers and texts; those of derived classes by their base value."""

    def is_whole(self, x: Any) -> bool:
        return type(x) in _BASES

    def pin(self, at: Place) -> None:
        x, scalars = at.value, at.policy.scalars
        if type(x) not in _BASES:
            # An int subclass may be anything, an enum from a library among others: pinned at once.
            at.add_type()
            self._pin_base(at)
        elif scalars == "constant" or (at.policy.eager and scalars == "read") or (type(x) is float and not math.isfinite(x)):
            at.add_exact(at.source, x)
        else:
            at.add_type()
            if scalars == "symbol" and type(x) is float:
                at.add(Not(Call("isnan", (at.source,))))

    def _pin_base(self, at: Place) -> None:
        base, read, strict = next(entry for entry in _READS if issubclass(type(at.value), entry[0]))
        try:
            value = read(at.value)
        except Undefined as error:
            refuse(at, error.cause)
        source = Call(base.__name__, (at.source,))
        if strict:
            at.add_exact(source, value)
        else:
            at.add_equal(source, value)

    def constant(self, at: Place) -> Any:
        x = at.value
        if type(x) in _BASES:
            if at.policy.scalars == "symbol" and type(x) in (int, float) and not (type(x) is float and not math.isfinite(x)):
                refuse(at, "is a symbol: its value is no constant", hint="ask the shapes, or read `example` as a hint")
            at.add_exact(at.source, x)
        return x

    def settle(self, at: Place) -> None:
        if type(at.value) in _BASES:
            if at.policy.scalars == "symbol":
                at.used()
            else:
                at.add_exact(at.source, at.value)

    def attribute(self, at: Place, name: str) -> Place:
        return attribute_of(at, name)

    def truth(self, at: Place) -> bool:
        if type(at.value) not in _BASES:
            return super().truth(at)
        verdict = truthiness(at.value)
        test = Call("bool", (at.source,))
        at.add(test if verdict else Not(test))
        return verdict

    def length(self, at: Place) -> int:
        if not issubclass(type(at.value), (str, bytes)):
            refuse(at, "has no length")
        count = length(at.value)
        at.add_length(at.source, count)
        return count

    def contains(self, at: Place, key: Any) -> bool:
        if not issubclass(type(at.value), (str, bytes)):
            refuse(at, "has no items")
        verdict = contains(at.value, key)
        at.add_in(key, at.source, verdict)
        return verdict

    def item(self, at: Place, key: Any) -> Place:
        if not issubclass(type(at.value), str):
            refuse(at, "has no items that can be read one by one", hint="use its whole value")
        try:
            found = read_item(at.value, key)
        except Undefined as error:
            at.add_length(at.source, length(at.value))
            raise IndexError(f"{at.term} {error.cause}") from None
        return at.child(GetItemSource(at.source, Const(key)), found, key)


_BASES = (int, float, complex, str, bytes)
_READS: tuple[tuple[Any, Any, bool], ...] = (
    (int, base_int, False),
    (float, base_float, True),
    (str, base_str, False),
    (bytes, base_bytes, False),
    (complex, base_complex, True),
)


class Named(Observer):
    """What is known by identity: `x is K`. Its attributes can change all the same, so they are read like those of any object.

    Args:
        telling: whether a program can tell two of them apart; the names say it all, so as a rule it is not asked.
    """

    def __init__(self, *, telling: bool = False) -> None:
        self._telling = telling

    def identifies(self, x: Any) -> bool:
        return self._telling

    def pin(self, at: Place) -> None:
        at.add_is(at.source, at.value)

    def constant(self, at: Place) -> Any:
        return at.value

    def parts(self, at: Place) -> Iterable[Place]:
        return ()


NAMED = Named()


for _kind in (
    types.CodeType,
    contextvars.ContextVar,
    types.GenericAlias,
    types.UnionType,
    typing.TypeVar,
    typing.ForwardRef,
    typing.ParamSpec,
    typing.NewType,
):
    observes(_kind)(NAMED)
for _name in ("_GenericAlias", "_SpecialForm", "_BaseGenericAlias", "_SpecialGenericAlias"):
    if hasattr(typing, _name):
        observes(getattr(typing, _name))(NAMED)


class OfValueTypes(_Leaf):
    """Objects of a registered value type: by value, or by identity where there is one object for each value."""

    def pin(self, at: Place) -> None:
        value_type = value_type_of(type(at.value))
        if value_type is not None and value_type.arguments is None:
            if import_path(at.value) is not None:
                at.add_is(at.source, at.value)
                return
            at.add_type()
        at.add_equal(at.source, at.value)

    def constant(self, at: Place) -> Any:
        return at.value


@observes(enum.Enum, priority=1)
class OfEnumMembers(Named):
    """Members of enums: `x is T.R`; `.value` and `.name` are what the member holds."""

    def __init__(self) -> None:
        super().__init__()

    def pin(self, at: Place) -> None:
        cls = type(at.value)
        owner = import_path(cls) or at.named(cls).name
        name = object.__getattribute__(at.value, "__dict__").get("_name_")
        if type(name) is str and name.isidentifier():
            at.add_is(at.source, at.value, f"{owner}.{name}")
        else:
            at.add_is(at.source, at.value)

    def attribute(self, at: Place, name: str) -> Place:
        if name in ("value", "name"):
            # Python code in `enum` that gives what the member holds, unless a class has its own.
            owner = next(base for base in mro_of(type(at.value)) if name in base.__dict__)
            if owner is enum.Enum:
                return attribute_of(at, f"_{name}_")
        return attribute_of(at, name)


@observes(weakref.ref, derived=False)
class OfWeakReferences(Observer):
    """Weak references: whether the object is alive, and the object."""

    def identifies(self, x: Any) -> bool:
        return False

    def pin(self, at: Place) -> None:
        at.add_type()
        alive = at.value() is not None
        at.add(Compare(("is not" if alive else "is",), (WeakRefCallSource(at.source), Const(None))))

    def parts(self, at: Place) -> Iterable[Place]:
        return [at.child(WeakRefCallSource(at.source), at.value(), "()")]


class OfFacts(_Leaf):
    """Facts that the language gives as plain values, such as `x.shape[0]`: the type is known without a guard."""

    def pin(self, at: Place) -> None:
        """Add nothing: that the fact can be read says what it is."""

    def constant(self, at: Place) -> Any:
        if type(at.value) is bool:
            at.add_is(at.source, at.value)
        else:
            at.add_equal(at.source, at.value)
        return at.value

    def settle(self, at: Place) -> None:
        self.constant(at)

    def truth(self, at: Place) -> bool:
        return bool(self.constant(at))


FACT = OfFacts()


class OfShapes(_Leaf):
    """A tuple of facts: its length is a fact as well, its items are read by position."""

    def pin(self, at: Place) -> None:
        """Add nothing: what is read of it is pinned."""

    def length(self, at: Place) -> int:
        at.add_equal(self._length(at), len(at.value))
        return len(at.value)

    def _length(self, at: Place) -> Expr:
        if isinstance(at.source, AttrSource):
            return AttrSource(at.source.base, "ndim")
        return Call("len", (at.source,))

    def item(self, at: Place, key: Any) -> Place:
        if type(key) is not int:
            raise UnsupportedGuard(f"{at.term} takes an int as index")
        count = len(at.value)
        if not -count <= key < count:
            self.length(at)
            raise IndexError(f"{at.term} has {count} items, so none at {key}")
        if key < 0:
            self.length(at)
            key += count
        return at.child(GetItemSource(at.source, Const(key)), at.value[key], key, rule=FACT)

    def iterate(self, at: Place) -> list[Place]:
        return [self.item(at, i) for i in range(self.length(at))]

    def constant(self, at: Place) -> Any:
        at.add_equal(at.source, tuple(at.value))
        return at.value

    def settle(self, at: Place) -> None:
        self.constant(at)

    def truth(self, at: Place) -> bool:
        return self.length(at) > 0


SHAPE = OfShapes()
