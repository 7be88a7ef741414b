"""Rules for lists, tuples, deques, sets, and what else is read by position or by membership."""

from __future__ import annotations

import collections
from collections.abc import Iterable
from typing import Any

from guardlang.observe.attributes import attribute_of, class_attribute, instance_dict
from guardlang.observe.observer import Observer, refuse
from guardlang.observe.place import Place
from guardlang.observe.registry import observes
from guardlang.reading import contains, length, read_item
from guardlang.reading.descriptors import ABSENT, find_in_mro
from guardlang.sources import AttrSource, Const, GetItemSource
from guardlang.values import TypeSet, Undefined, is_value, snapshot, type_name

__all__ = ["OfRanges", "OfSequences", "OfSets", "refuse_override"]

_FLAT = TypeSet(type(None), bool, int, float, complex, str, bytes)
_Deque: Any = collections.deque


@observes(list, tuple, collections.deque)
class OfSequences(Observer):
    """Lists, tuples, deques and classes derived from them, read by the base type's own access."""

    #: The classes whose special methods are known to run no code of the value.
    bases: tuple[Any, ...] = (list, tuple, _Deque)

    def identifies(self, x: Any) -> bool:
        # A tuple of scalars is shared by the compiler at will, like the scalars themselves.
        return type(x) is not tuple or not all(type(item) in _FLAT for item in x)

    def pin(self, at: Place) -> None:
        x = at.value
        super().pin(at)
        at.add_length(at.source, length(x))
        if issubclass(type(x), _Deque):
            limit = _Deque.maxlen.__get__(x)
            if limit is None:
                at.add_is(AttrSource(at.source, "maxlen"), None)
            else:
                at.add_exact(AttrSource(at.source, "maxlen"), limit)

    def item(self, at: Place, key: Any) -> Place:
        refuse_override(at, "__getitem__", self.bases)
        if type(key) is not int:
            refuse(at, f"takes an int as index, not a {type_name(type(key))}", hint="read the items of a slice one by one")
        try:
            found = read_item(at.value, key)
        except Undefined as error:
            raise IndexError(f"{at.term} {error.cause}") from None
        # The length is pinned, so a position from the end is one from the start.
        position = key if key >= 0 else key + length(at.value)
        return at.child(GetItemSource(at.source, at.session.literal(position)), found, position)

    def length(self, at: Place) -> int:
        refuse_override(at, "__len__", self.bases)
        return length(at.value)

    def iterate(self, at: Place) -> list[Place]:
        refuse_override(at, "__iter__", self.bases)
        return self._items(at)

    def _items(self, at: Place) -> list[Place]:
        count = length(at.value)
        return [at.child(GetItemSource(at.source, at.session.literal(i)), read_item(at.value, i), i) for i in range(count)]

    def contains(self, at: Place, key: Any) -> bool:
        refuse_override(at, "__contains__", self.bases)
        return search(at, key)

    def truth(self, at: Place) -> bool:
        for name in ("__bool__", "__len__"):
            refuse_override(at, name, self.bases)
        return length(at.value) > 0

    def constant(self, at: Place) -> Any:
        if is_value(at.value):
            at.add_exact(at.source, at.value)
            return snapshot(at.value)
        refuse(at, "holds objects that are no values", hint="read the items one by one")

    def parts(self, at: Place) -> Iterable[Place]:
        items = self._items(at)
        return [*items, *super().parts(at)] if instance_dict(at.value) is not None else items


def search(at: Place, key: Any) -> bool:
    """Tell whether a sequence holds something, and pin that: a value by equality, the object of a handle by identity.

    Args:
        at: the place of the sequence.
        key: a value or a handle.
    """
    from guardlang.observe.handle import Handle, place_of

    if not isinstance(key, Handle):
        verdict = _contains(at, key)
        at.add_in(key, at.source, verdict)
        return verdict
    wanted = place_of(key)
    if is_value(wanted.value):
        refuse(at, "is searched for a value", hint="give the value itself: handle.value in ...")
    if type(find_in_mro(type(wanted.value), "__eq__")).__name__ == "function":
        refuse(at, f"is searched for an object whose class {type_name(type(wanted.value))} has its own __eq__")
    found = False
    for i in range(length(at.value)):
        item = Handle(at.child(GetItemSource(at.source, at.session.literal(i)), read_item(at.value, i), i))
        if item.is_(key):
            found = True
            break
    return found


def _contains(at: Place, key: Any) -> bool:
    try:
        return contains(at.value, key)
    except Undefined as error:
        refuse(at, error.cause)


def refuse_override(at: Place, name: str, bases: tuple[Any, ...]) -> None:
    """Refuse what a derived class answers by code of its own.

    Args:
        at: the place of the value.
        name: the special method.
        bases: the builtin classes whose own method runs no code of the value.
    """
    cls = type(at.value)
    if any(cls is base for base in bases):
        return
    found = find_in_mro(cls, name)
    if found is ABSENT:
        return
    for base in bases:
        if found is find_in_mro(base, name):
            # Which class has it is part of what the program saw.
            class_attribute(at, name)
            return
    refuse(at, f"has its own {name}", hint=f"trace class_attribute({name!r}) on it")


@observes(set, frozenset)
class OfSets(Observer):
    """Sets: as a whole, or only what membership was asked."""

    def identifies(self, x: Any) -> bool:
        return type(x) is not frozenset

    def contains(self, at: Place, key: Any) -> bool:
        refuse_override(at, "__contains__", (set, frozenset))
        verdict = _contains(at, key)
        at.add_in(key, at.source, verdict)
        return verdict

    def length(self, at: Place) -> int:
        refuse_override(at, "__len__", (set, frozenset))
        at.add_length(at.source, length(at.value))
        return length(at.value)

    def truth(self, at: Place) -> bool:
        for name in ("__bool__", "__len__"):
            refuse_override(at, name, (set, frozenset))
        return self.length(at) > 0

    def iterate(self, at: Place) -> list[Any]:
        refuse_override(at, "__iter__", (set, frozenset))
        return sorted_items(self.constant(at))

    def constant(self, at: Place) -> Any:
        x = at.value
        if type(x) is not set and type(x) is not frozenset:
            refuse(at, "is of a derived class, so only its members can be asked for")
        if not is_value(x):
            refuse(at, "has members that are no values", hint="ask only for members, and for the length")
        at.add_exact(at.source, x)
        return snapshot(x)

    def settle(self, at: Place) -> None:
        if is_value(at.value):
            self.constant(at)
        else:
            self.length(at)

    def parts(self, at: Place) -> Iterable[Place]:
        return ()


def sorted_items(items: Any) -> list[Any]:
    """Return the members of a set in an order that does not depend on hashes: by type, then by text.

    Args:
        items: a set of values.
    """
    from guardlang.dsl import lift
    from guardlang.interning import text_of

    return sorted(items, key=lambda item: (type_name(type(item)), text_of(lift(item))))


@observes(range, slice, derived=False)
class OfRanges(Observer):
    """Ranges and slices: the ints they were made of, which need not be plain ones."""

    _fields = ("start", "stop", "step")

    def identifies(self, x: Any) -> bool:
        return False

    def pin(self, at: Place) -> None:
        at.add_type()
        for name in self._fields:
            self.attribute(at, name).specialise()

    def attribute(self, at: Place, name: str) -> Place:
        return attribute_of(at, name)

    def length(self, at: Place) -> int:
        return int(self._range(at, length))

    def _range(self, at: Place, read: Any, *operands: Any) -> Any:
        if type(at.value) is not range:
            refuse(at, "is no sequence")
        return read(at.value, *operands)

    def item(self, at: Place, key: Any) -> Place:
        try:
            found = self._range(at, read_item, key)
        except Undefined as error:
            raise IndexError(f"{at.term} {error.cause}") from None
        return at.child(GetItemSource(at.source, Const(key)), found, key)

    def iterate(self, at: Place) -> list[Place]:
        count = self.length(at)
        return [self.item(at, i) for i in range(count)]

    def contains(self, at: Place, key: Any) -> bool:
        verdict = self._range(at, contains, key)
        at.add_in(key, at.source, verdict)
        return bool(verdict)

    def truth(self, at: Place) -> bool:
        return type(at.value) is not range or length(at.value) > 0

    def constant(self, at: Place) -> Any:
        at.add_exact(at.source, at.value)
        return at.value

    def parts(self, at: Place) -> Iterable[Place]:
        return ()
