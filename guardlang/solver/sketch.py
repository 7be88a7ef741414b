"""A sketch of a frame: what is decided about each source, and the frame that is made of it.

A decision names a source by its path, with aliased prefixes replaced, so that `a is b` makes one decision of `a.n` and `b.n`.
"""

from __future__ import annotations

import copy
import itertools
import types
import weakref
from collections import deque
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import attrs

from guardlang.ast import Call, Compare, Expr
from guardlang.frame import Frame
from guardlang.reading.descriptors import ABSENT as ABSENT_ENTRY
from guardlang.reading.descriptors import class_dict, find_in_mro, rule_of
from guardlang.solver import tensors
from guardlang.solver.models import ABSENT
from guardlang.sources import (
    AttrSource,
    CallFunctionNoArgsSource,
    Const,
    DynamicAttrSource,
    DynamicGetItemSource,
    GetItemSource,
    GlobalSource,
    LocalSource,
    TensorPropertySource,
    TupleIteratorGetItemSource,
    WeakRefCallSource,
)
from guardlang.values import Undefined, exact_key, identity_key, mro_of
from guardlang.walk import children, postorder, rebuild

__all__ = ["Decision", "Example", "Impossible", "Sketch", "default_of", "place_of"]

_MAX_LENGTH = 10_000


class Impossible(Exception):
    """A decision that no object can be made for."""


class Example:
    """A plain object of a witness: only its attributes matter."""


@attrs.frozen(eq=False)
class Decision:
    """One decision about a source.

    Args:
        kind: `value`, `class`, `alias`, `length`, `order`.
        node: the source.
        payload: the value, or `ABSENT`; the class; the source that it is the same object as; the length; the keys in order.
    """

    kind: str
    node: Expr
    payload: Any

    @property
    def key(self) -> Hashable:
        """What makes two decisions the same."""
        try:
            return (self.kind, self.node, exact_key(self.payload))
        except Undefined:
            return (self.kind, self.node, identity_key(self.payload))


_ROOTS = (LocalSource, GlobalSource)
_ACCESSORS = (
    AttrSource,
    DynamicAttrSource,
    GetItemSource,
    DynamicGetItemSource,
    TensorPropertySource,
    WeakRefCallSource,
    CallFunctionNoArgsSource,
    TupleIteratorGetItemSource,
)


def place_of(node: Expr) -> bool:
    """Tell whether a node is a place of the frame that a decision can be about.

    Example:
        >>> from guardlang.parse import parse
        >>> place_of(parse("L['x'].n == 1").operands[0]), place_of(parse("len(L['x']) == 1").operands[0])
        (True, False)
    """
    while isinstance(node, _ACCESSORS):
        if not all(isinstance(part, Const) for part in children(node)[1:]):
            return False
        node = node.base
    return isinstance(node, _ROOTS)


def default_of(cls: type) -> Any:
    """Return the plainest value of a builtin class; ABSENT when the class is none of these.

    Example:
        >>> default_of(int), default_of(str)
        (1, 'a')
    """
    return _DEFAULTS.get(cls, ABSENT)


_DEFAULTS: dict[type, Any] = {
    bool: True,
    int: 1,
    float: 1.5,
    complex: 1j,
    str: "a",
    bytes: b"a",
    type(None): None,
    range: range(2),
    type(Ellipsis): ...,
    frozenset: frozenset(),
    slice: slice(None),
}
_FILLED = (list, tuple, dict, set, frozenset, deque)


class Sketch:
    """Decisions about the places of some guards; changed by making another one.

    Args:
        guards: the guards that the frame is for.
        decisions: what is decided.

    Example:
        >>> from guardlang.parse import parse
        >>> guard = parse("L['d']['k'] == 3")
        >>> Sketch([guard]).with_decisions([Decision("value", guard.operands[0], 3)]).frame().locals
        {'d': {'k': 3}}
    """

    def __init__(self, guards: Iterable[Expr], decisions: Mapping[tuple[str, Expr], Decision] | None = None) -> None:
        self.guards = tuple(guards)
        self.decisions = dict(decisions or {})
        self.nodes = list(postorder(*self.guards))
        self.forget()

    def with_decisions(self, changes: Iterable[Decision]) -> Sketch:
        """Return the sketch with some decisions replaced."""
        other = copy.copy(self)
        other.decisions = dict(self.decisions)
        other.forget()
        for change in changes:
            other.decide(change)
        return other

    def forget(self) -> None:
        """Drop what was derived from the decisions."""
        self._named: dict[Expr, Expr] = {}
        self._children: dict[Expr, dict[Expr, None]] | None = None
        # What was made for the last frame: nothing else may hold the object of a weak reference.
        self.made: dict[Expr, Any] = {}

    def decide(self, change: Decision) -> None:
        """Make a decision, and drop those that it contradicts."""
        kind, payload = change.kind, change.payload
        if kind == "alias":
            self.decisions.pop(("alias", change.node), None)
            if payload is not None:
                self.decisions["alias", change.node] = change
            self.forget()
            return
        node = self.canonical(change.node)
        self.decisions[kind, node] = Decision(kind, node, payload)
        if kind != "value":
            self.decisions.pop(("value", node), None)
        elif payload is not ABSENT:
            self.decisions.pop(("class", node), None)
            self._make_room(node)

    def _make_room(self, node: Expr) -> None:
        """Drop decisions by which the places above a node hold something that has no parts."""
        while isinstance(node, _ACCESSORS):
            node = node.base
            self.decisions.pop(("value", node), None)

    @property
    def key(self) -> Hashable:
        """What makes two sketches the same."""
        return frozenset(decision.key for decision in self.decisions.values())

    def canonical(self, node: Expr) -> Expr:
        """Return the path of a place with aliases resolved."""
        known = self._named.get(node)
        if known is not None:
            return known
        self._named[node] = node  # a circle of aliases ends here
        place: Expr = node
        if isinstance(node, _ACCESSORS):
            base, *rest = children(node)
            place = rebuild(node, (self.canonical(base), *rest))
        alias = self.decisions.get(("alias", place))
        result = place if alias is None else self.canonical(alias.payload)
        self._named[node] = result
        return result

    def value(self, node: Expr) -> tuple[Any, ...]:
        """Return the decided value of a place in a tuple; an empty one when nothing is decided."""
        held = self.decisions.get(("value", self.canonical(node)))
        return () if held is None else (held.payload,)

    def children_of(self, node: Expr) -> list[Expr]:
        """Return the places read from a place."""
        if self._children is None:
            self._children = {}
            for place in self._places():
                if isinstance(place, _ACCESSORS):
                    self._children.setdefault(place.base, {})[place] = None
        return list(self._children.get(self.canonical(node), ()))

    def _places(self) -> list[Expr]:
        found: dict[Expr, None] = {}
        for used in itertools.chain(self.nodes, [decision.node for decision in self.decisions.values()]):
            node = used
            if isinstance(used, Call) and used.function == "hasattr" and isinstance(used.args[1], Const):
                node = AttrSource(used.args[0], used.args[1].value)
            if place_of(node):
                place = self.canonical(node)
                while place not in found:
                    found[place] = None
                    if not isinstance(place, _ACCESSORS):
                        break
                    place = place.base
        return list(found)

    def frame(self) -> Frame:
        """Return the frame that the decisions describe.

        Raises:
            Impossible: some object cannot be made.
        """
        made: dict[Expr, Any] = {}
        locals_: dict[str, Any] = {}
        globals_: dict[str, Any] = {}
        for node in self.nodes:
            if isinstance(node, _ROOTS):
                value = self.make(node, made)
                if value is not ABSENT:
                    (locals_ if isinstance(node, LocalSource) else globals_)[node.name] = value
        self.made = made
        return Frame(locals_, globals_)

    def make(self, node: Expr, made: dict[Expr, Any]) -> Any:
        """Return the object at a place, made once; `ABSENT` for none.

        Args:
            node: the place.
            made: the objects made so far.
        """
        node = self.canonical(node)
        if node not in made:
            made[node] = ABSENT
            made[node] = self._object(node, made)
        return made[node]

    def _object(self, node: Expr, made: dict[Expr, Any]) -> Any:
        held = self.decisions.get(("value", node))
        cls = self.class_of(node)
        if held is not None and (held.payload is ABSENT or cls is None):
            return held.payload
        parts = {part: value for part in self.children_of(node) if (value := self.make(part, made)) is not ABSENT}
        if tensors.is_tensor_like(cls, self.children_of(node)):
            absent = [part for part in self.children_of(node) if part not in parts]
            return self._tensor(node, cls, parts, absent)
        if cls in (list, tuple, deque):
            return self._sequence(node, cls, parts)
        if cls in (dict, set, frozenset):
            return self._mapping(node, cls, parts)
        if cls is weakref.ref:
            target = next(iter(parts.values()), Example())
            # A dead referent would read as None.
            made[WeakRefCallSource(node)] = target
            return _reference(target)
        if cls is not None and cls in _DEFAULTS:
            return self._scalar(node, cls)
        if any(isinstance(part, CallFunctionNoArgsSource) for part in parts):
            return _returning(next(value for part, value in parts.items() if isinstance(part, CallFunctionNoArgsSource)))
        return self._instance(cls, parts)

    def class_of(self, node: Expr) -> Any:
        """Return the class that an object at a place will have; None for a leaf whose value is decided."""
        decided = self.decisions.get(("class", node))
        if decided is not None:
            return decided.payload
        if ("value", node) in self.decisions:
            return None
        present = [part for part in self.children_of(node) if self.value(part) != (ABSENT,)]
        for part in present or self.children_of(node):
            if isinstance(part, (GetItemSource, DynamicGetItemSource)) and isinstance(part.index, Const):
                return list if type(part.index.value) is int else dict
            if isinstance(part, TupleIteratorGetItemSource):
                return type(iter(()))
            if isinstance(part, WeakRefCallSource):
                return weakref.ref
            return object
        if ("order", node) in self.decisions:
            return dict
        if ("length", node) in self.decisions:
            return list
        return self._usual_class(node)

    def _usual_class(self, node: Expr) -> type:
        """Return the class that the guards ask of a place by what they do with it."""
        for user in self.nodes:
            if isinstance(user, Call) and any(self.canonical(arg) is node for arg in user.args if place_of(arg)):
                if user.function in ("keys", "values"):
                    return dict
                if user.function == "len":
                    return list
            if isinstance(user, Compare) and user.ops[-1] in ("in", "not in"):
                holder = user.operands[-1]
                if place_of(holder) and self.canonical(holder) is node:
                    return dict
        return int

    def _scalar(self, node: Expr, cls: type) -> Any:
        length = self.decisions.get(("length", node))
        if length is None or cls not in (str, bytes, range):
            return _DEFAULTS[cls]
        count = _bounded(length.payload)
        return range(count) if cls is range else _DEFAULTS[cls] * count

    def _sequence(self, node: Expr, cls: Any, parts: dict[Expr, Any]) -> Any:
        wanted = {key[0]: value for part, value in parts.items() if (key := _index_of(part)) and type(key[0]) is int}
        positions = list(wanted)
        least = max([n + 1 if n >= 0 else -n for n in positions], default=0)
        unread = [_index_of(part) for part in self.children_of(node) if part not in parts]
        absent = [key[0] for key in unread if key and type(key[0]) is int]
        length = self.decisions.get(("length", node))
        count = _bounded(least if length is None else length.payload)
        count = min([count, *[n if n >= 0 else -n - 1 for n in absent]])
        items: list[Any] = [1] * count
        for n in positions:
            if -count <= n < count:
                items[n] = wanted[n]
        return cls(items)

    def _mapping(self, node: Expr, cls: Any, parts: dict[Expr, Any]) -> Any:
        wanted = {key[0]: value for part, value in parts.items() if (key := _index_of(part)) and _can_hash(key[0])}
        order = self.decisions.get(("order", node))
        if order is not None:
            keys = list(order.payload)
            wanted = {key: wanted.get(key, 1) for key in [*keys, *[k for k in wanted if k not in keys]]}
        length = self.decisions.get(("length", node))
        if length is not None:
            for n in itertools.count():
                if len(wanted) >= _bounded(length.payload):
                    break
                wanted.setdefault(f"key{n}", 1)
            while len(wanted) > length.payload:
                wanted.popitem()
        return wanted if cls is dict else cls(wanted)

    def _tensor(self, node: Expr, cls: Any, parts: dict[Expr, Any], absent: list[Expr]) -> Any:
        length = self.decisions.get(("length", node))
        made = tensors.make(cls, parts, absent, None if length is None else length.payload)
        if made is not None:
            return made
        return self._instance(object, tensors.plain_facts(parts, absent))

    def _instance(self, cls: Any, parts: Mapping[Any, Any]) -> Any:
        """Return an object with some attributes, made without running any code of its class."""
        if cls is None or cls is object:
            cls = Example
        thing = new_instance(cls)
        for part, value in parts.items():
            name = part.member if isinstance(part, (AttrSource, DynamicAttrSource)) else part
            if isinstance(name, str):
                _set(thing, name, value)
        return thing


def new_instance(cls: Any) -> Any:
    """Return an object of a class, made without running any code of it.

    Args:
        cls: the class.

    Raises:
        Impossible: it cannot be done.

    Example:
        >>> class Point:
        ...     def __init__(self): raise RuntimeError
        >>> type(new_instance(Point)).__name__
        'Point'
    """
    if type(cls) is not type and not issubclass(type(cls), type):
        raise Impossible("not a class")
    members = class_dict(cls).get("_member_map_")
    if type(members) is dict and members:
        return next(iter(members.values()))
    try:
        if cls in _FILLED or cls is bytearray:
            return cls()
        for base in mro_of(cls):
            maker = class_dict(base).get("__new__")
            if maker is None:
                continue
            if base is object or base in (int, float, str, bytes, list, tuple, dict, set, frozenset):
                return base.__new__(cls)
            break
    except (TypeError, ValueError):
        pass
    raise Impossible("no object of the class can be made without running its code")


def _set(thing: Any, name: str, value: Any) -> None:
    found = find_in_mro(type(thing), name)
    if found is not ABSENT_ENTRY and type(found) is not types.MemberDescriptorType and rule_of(type(found)).data:
        raise Impossible(f"writing {name!r} would run code of the class")
    try:
        object.__setattr__(thing, name, value)
    except (AttributeError, TypeError):
        raise Impossible(f"an attribute {name!r} cannot be set") from None


def _index_of(part: Expr) -> tuple[Any, ...]:
    """Return the constant key of an item in a tuple; an empty one for other places."""
    if isinstance(part, (GetItemSource, DynamicGetItemSource)) and isinstance(part.index, Const):
        return (part.index.value,)
    return ()


def _can_hash(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _bounded(length: int) -> int:
    if not 0 <= length <= _MAX_LENGTH:
        raise Impossible("too long")
    return length


def _reference(target: Any) -> Any:
    try:
        return weakref.ref(target)
    except TypeError:
        raise Impossible("no weak reference to such an object") from None


def _returning(value: Any) -> Any:
    return lambda: value
