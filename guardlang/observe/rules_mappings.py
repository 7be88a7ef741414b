"""Rules for dicts, their views, and proxies of dicts."""

from __future__ import annotations

import collections
import sys
import types
from collections.abc import Iterable
from typing import Any

from guardlang.ast import Call, Expr
from guardlang.observe.observer import Observer, refuse
from guardlang.observe.place import Place
from guardlang.observe.registry import observes, register_identity
from guardlang.observe.rules_sequences import refuse_override
from guardlang.reading import keys_of, length, values_of
from guardlang.reading.descriptors import find_in_mro
from guardlang.reading.lookup import is_among_keys
from guardlang.sources import AttrSource, GetItemSource
from guardlang.values import Undefined, exact, is_value, snapshot, type_name

__all__ = ["OfDicts", "OfProxies", "OfViews", "has_literal_keys"]

_OrderedDict: Any = collections.OrderedDict
_BASES: tuple[Any, ...] = (dict, _OrderedDict, collections.defaultdict)


def has_literal_keys(keys: tuple[Any, ...]) -> bool:
    """Tell whether keys can be looked up without running code, and told apart by their text.

    Args:
        keys: the keys.

    Example:
        >>> has_literal_keys(("a", 1, (2, None))), has_literal_keys((object(),))
        (True, False)
    """
    return all(type(key) is str or (is_value(key) and key == key) for key in keys)


class _Mapping(Observer):
    """What is read by key or by position."""

    def keys(self, at: Place) -> tuple[Any, ...]:
        self._refuse(at, "keys", "__iter__")
        return self._keys(at)

    def _refuse(self, at: Place, *names: str) -> None:
        for name in names:
            refuse_override(at, name, _BASES)

    def _keys(self, at: Place) -> tuple[Any, ...]:
        keys = _read_keys(at)
        if has_literal_keys(keys):
            at.add_exact(Call("keys", (at.source,)), keys)
            return keys
        return tuple(self._key(at, i, key) for i, key in enumerate(keys))

    def entries(self, at: Place) -> list[tuple[Any, Place]]:
        self._refuse(at, "__iter__", "__getitem__")
        keys = self._keys(at)
        if self._is_literal(at) and not self._by_position(at):
            values = values_of(at.value)
            paths = [GetItemSource(at.source, at.constant(key)) for key in keys]
            return [(k, at.child(path, v, k)) for k, v, path in zip(keys, values, paths, strict=True)]
        self.pin_positions(at)
        return [(key, self._at_position(at, i)) for i, key in enumerate(keys)]

    def _is_literal(self, at: Place) -> bool:
        """Tell whether the dict has only keys that can be looked up; once, or a loop over its items would take n**2 steps."""
        known = at.notes.get("literal")
        if known is None:
            known = at.notes["literal"] = has_literal_keys(_read_keys(at))
        return bool(known)

    def _by_position(self, at: Place) -> bool:
        return False

    def _key(self, at: Place, i: int, key: Any) -> Any:
        """Return a key of a dict that has other keys than literals: the value itself, or its place."""
        if is_value(key):
            return key
        return at.child(GetItemSource(Call("keys", (at.source,)), at.session.literal(i)), key, i)

    def pin_positions(self, at: Place) -> None:
        """Pin the keys by position: no key is hashed or compared."""
        keys = _read_keys(at)
        at.add_length(at.source, len(keys))
        for i, key in enumerate(keys):
            path = GetItemSource(Call("keys", (at.source,)), at.session.literal(i))
            if is_value(key):
                at.add_exact(path, key)
            else:
                at.add_is(path, key)

    def item(self, at: Place, key: Any) -> Place:
        from guardlang.observe.handle import Handle, place_of

        self._refuse(at, "__getitem__")
        if isinstance(key, Handle):
            wanted: Any = place_of(key).value
            position = next((i for i, held in enumerate(_read_keys(at)) if held is wanted), None)
            if position is None:
                refuse(at, "is asked for the object of a handle that is not among its keys", hint="ask for its value")
            self.pin_positions(at)
            return self._at_position(at, position)
        if not is_value(key):
            refuse(at, "is asked for a key that is no value", hint="give the handle of the key")
        if not self._is_literal(at):
            pairs = enumerate(_read_keys(at))
            position = next((i for i, held in pairs if is_value(held) and _equal_key(held, key)), None)
            if position is not None:
                return self._at_position(at, position)
            self._missing(at, key)
            raise KeyError(key)
        present = self._asked(at, key)
        at.add_in(key, at.source, present)
        if not present:
            self._missing(at, key)
            raise KeyError(key)
        return at.child(GetItemSource(at.source, at.constant(key)), _value_of(at.value, key), key)

    def _missing(self, at: Place, key: Any) -> None:
        """Pin what happens to a key that is not there."""
        if find_in_mro(type(at.value), "__missing__") is not find_in_mro(dict, "__missing__"):
            if not issubclass(type(at.value), collections.defaultdict):
                refuse(at, "has its own __missing__", hint="trace class_attribute('__missing__') on it")
            self.attribute(at, "default_factory").used()

    def _asked(self, at: Place, key: Any) -> bool:
        try:
            return is_among_keys(_dict(at.value), key)
        except Undefined as error:
            refuse(at, error.cause)

    def _at_position(self, at: Place, position: int) -> Place:
        return at.child(
            GetItemSource(Call("values", (at.source,)), at.session.literal(position)), values_of(at.value)[position], position
        )

    def contains(self, at: Place, key: Any) -> bool:
        from guardlang.observe.handle import Handle, place_of

        self._refuse(at, "__contains__")
        if isinstance(key, Handle):
            wanted = place_of(key).value
            found = any(held is wanted for held in _read_keys(at))
            if not found and not is_value(wanted):
                refuse(at, "is searched for an object that is not among its keys, which its own __eq__ may tell otherwise")
            self.pin_positions(at)
            place_of(key).used()
            return found
        verdict = self._asked(at, key)
        at.add_in(key, at.source, verdict)
        return verdict

    def length(self, at: Place) -> int:
        self._refuse(at, "__len__")
        return self._length(at)

    def _length(self, at: Place) -> int:
        count = length(at.value)
        at.add_length(at.source, count)
        return count

    def truth(self, at: Place) -> bool:
        self._refuse(at, "__bool__", "__len__")
        return self._length(at) > 0

    def iterate(self, at: Place) -> list[Any]:
        self._refuse(at, "__iter__")
        return list(self._keys(at))

    def constant(self, at: Place) -> Any:
        if type(at.value) is not dict or not is_value(at.value):
            refuse(at, "holds objects that are no values, or is no plain dict", hint="read its items one by one")
        at.add_exact(at.source, at.value)
        return snapshot(at.value)

    def parts(self, at: Place) -> Iterable[Place]:
        keys = self._keys(at)
        if self._is_literal(at):
            values = values_of(at.value)
            for key, value in zip(keys, values, strict=True):
                yield at.child(GetItemSource(at.source, at.constant(key)), value, key)
        else:
            self.pin_positions(at)
            for position in range(len(keys)):
                yield self._at_position(at, position)


def _dict(x: Any) -> Any:
    from guardlang.reading.mappings import dict_behind

    return dict_behind(x)


def _read_keys(at: Place) -> tuple[Any, ...]:
    try:
        return keys_of(at.value)
    except Undefined as error:
        refuse(at, error.cause)


def _value_of(x: Any, key: Any) -> Any:
    return dict.__getitem__(_dict(x), key)


def _equal_key(held: Any, key: Any) -> bool:
    return type(held) is type(key) and exact(held, key) if type(held) is not bool else held is key


@observes(dict)
class OfDicts(_Mapping):
    """Dicts: the type, and then what is asked for. With keys that are no values, all keys by position from the start.

    A class derived from dict is pinned to its keys in order from the start, and read by position.
    """

    def pin(self, at: Place) -> None:
        super().pin(at)
        if self._is_derived(at):
            at.add_length(at.source, length(at.value))
            self._pin_keys(at)
        elif not self._is_literal(at):
            self.pin_positions(at)

    def _by_position(self, at: Place) -> bool:
        return self._is_derived(at)

    def _is_derived(self, at: Place) -> bool:
        return all(type(at.value) is not base for base in _BASES)

    def _pin_keys(self, at: Place) -> None:
        keys = _read_keys(at)
        if has_literal_keys(keys):
            at.add_exact(Call("keys", (at.source,)), keys)
        else:
            self.pin_positions(at)

    def item(self, at: Place, key: Any) -> Place:
        if self._is_derived(at) and is_value(key):
            self._refuse(at, "__getitem__")
            for position, held in enumerate(_read_keys(at)):
                if is_value(held) and _equal_key(held, key):
                    return self._at_position(at, position)
        return super().item(at, key)

    def parts(self, at: Place) -> Iterable[Place]:
        yield from super().parts(at)
        if issubclass(type(at.value), collections.defaultdict):
            yield self.attribute(at, "default_factory")
        if self._is_derived(at):
            yield from Observer.parts(self, at)


@observes(types.MappingProxyType, derived=False)
class OfProxies(_Mapping):
    """Proxies of dicts: ordered keys from the start."""

    def _refuse(self, at: Place, *names: str) -> None:
        """Do nothing: the dict behind is read by its base type, which is what the language reads."""

    def pin(self, at: Place) -> None:
        at.add_type()
        if _dict(at.value) is None:
            refuse(at, "is a proxy of something that is not a dict")
        keys = _read_keys(at)
        if has_literal_keys(keys):
            at.add_exact(Call("keys", (at.source,)), keys)
        else:
            self.pin_positions(at)

    def identifies(self, x: Any) -> bool:
        # `cls.__dict__` makes a new proxy each time.
        return False


class OfModuleTable(_Mapping):
    """`sys.modules`: the dict itself, and the modules asked for."""

    def pin(self, at: Place) -> None:
        at.add_is(at.source, at.value, "sys.modules")

    def identifies(self, x: Any) -> bool:
        return False

    def parts(self, at: Place) -> Iterable[Place]:
        return ()


register_identity(sys.modules, OfModuleTable())

_EMPTY: dict[Any, Any] = {}
_ODD = _OrderedDict()
_KEYS = (type(_EMPTY.keys()), type(_ODD.keys()))
_VALUES = (type(_EMPTY.values()), type(_ODD.values()))
_ITEMS = (type(_EMPTY.items()), type(_ODD.items()))


@observes(*_KEYS, *_VALUES, *_ITEMS, derived=False)
class OfViews(Observer):
    """Views of dicts: keys as constants, values by position."""

    def identifies(self, x: Any) -> bool:
        return False

    def pin(self, at: Place) -> None:
        at.add_type()
        keys = self._keys(at)
        if type(at.value) in _KEYS or type(at.value) in _ITEMS:
            if not has_literal_keys(keys):
                refuse(at, "shows keys that are no values", hint="read the dict itself")
            at.add_exact(Call("keys", (self._mapping(at),)), keys)
        else:
            at.add_length(self._mapping(at), len(keys))

    def _mapping(self, at: Place) -> Expr:
        return AttrSource(at.source, "mapping")

    def _keys(self, at: Place) -> tuple[Any, ...]:
        try:
            return keys_of(at.value.mapping)
        except Undefined as error:
            refuse(at, error.cause)

    def keys(self, at: Place) -> tuple[Any, ...]:
        if type(at.value) not in _KEYS:
            refuse(at, "has no keys to iterate over")
        return self._keys(at)

    def _values(self, at: Place) -> list[Place]:
        path = Call("values", (self._mapping(at),))
        values = values_of(at.value.mapping)
        return [at.child(GetItemSource(path, at.session.literal(i)), value, i) for i, value in enumerate(values)]

    def iterate(self, at: Place) -> list[Any]:
        if type(at.value) in _KEYS:
            return list(self._keys(at))
        if type(at.value) in _VALUES:
            return list(self._values(at))
        from guardlang.observe.handle import Handle

        return [(key, Handle(place)) for key, place in zip(self._keys(at), self._values(at), strict=True)]

    def length(self, at: Place) -> int:
        return len(self._keys(at))

    def contains(self, at: Place, key: Any) -> bool:
        if type(at.value) not in _KEYS or not is_value(key):
            refuse(at, f"cannot be searched for a {type_name(type(key))}")
        return is_among_keys(dict.fromkeys(self._keys(at)), key)

    def truth(self, at: Place) -> bool:
        return self.length(at) > 0

    def parts(self, at: Place) -> Iterable[Place]:
        return () if type(at.value) in _KEYS else self._values(at)
