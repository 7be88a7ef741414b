"""A place: one value at one path of the frame, and the set of guards that what is read of it goes to."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import attrs

from guardlang.ast import Call, Compare, Expr, TupleDisplay
from guardlang.dsl import Term, lift
from guardlang.dsl.term import wrap
from guardlang.errors import UnsupportedGuard
from guardlang.guard import Guard
from guardlang.guards import GuardSet
from guardlang.interning import text_of
from guardlang.observe.naming import Names
from guardlang.observe.observer import Observer
from guardlang.observe.partition import Partition
from guardlang.observe.policy import Policy
from guardlang.observe.registry import rule_for
from guardlang.origin import Origin
from guardlang.sources import Const, ConstantSource, TypeSource

__all__ = ["LAYER", "Place", "Session", "capture_origins", "session_of"]

LAYER = "observe"

_SINGLETONS: dict[int, Const] = {id(x): Const(x) for x in (None, True, False, ...)}

# What gives the line of the user's program that a guard comes from; set by the tracing context.
capture_origins: ContextVar[Callable[[], Origin | None] | None] = ContextVar("guardlang_origins", default=None)


class Session:
    """What has been observed into one set of guards.

    Args:
        guards: the set.
    """

    def __init__(self, guards: GuardSet) -> None:
        self.guards = guards
        self.names = Names(guards)
        self.partition = Partition(guards)
        # The literals that paths and guards repeat, made once.
        self._literals: dict[tuple[type, Any], Const] = {}
        # Another object after each `restore`: what a place has pinned before may be gone from the set.
        self.epoch = object()
        self._done: dict[str, object] = {}

    def is_first(self, what: str) -> bool:
        """Tell whether something that is the same for all places is to be pinned for the first time.

        Args:
            what: a name for it.
        """
        first = self._done.get(what) is not self.epoch
        self._done[what] = self.epoch
        return first

    def literal(self, x: str | int | tuple[str, ...]) -> Const:
        """Return the literal of a text, an int, or a tuple of texts.

        Args:
            x: of exactly one of these types.
        """
        found = self._literals.get((type(x), x))
        if found is None:
            found = self._literals[type(x), x] = Const(x)
        return found

    def settle(self) -> None:
        """Bring the relations between objects up to date."""
        self.partition.settle()

    def mark(self) -> Any:
        """Return how far the observation has come."""
        return self.partition.mark()

    def restore(self, mark: Any) -> None:
        """Go back to a mark; None is the beginning."""
        self.partition.restore(mark)
        self.epoch = object()

    def forget(self) -> None:
        """Let go of the examples; the relations between them stay in the set."""
        self.partition.forget()
        self.epoch = object()


def session_of(guards: GuardSet) -> Session:
    """Return the session of a set, a new one for a set into which nothing has been observed.

    Args:
        guards: the set.

    Example:
        >>> guards = GuardSet()
        >>> session_of(guards) is session_of(guards)
        True
    """
    found = guards.layers.get(LAYER)
    if not isinstance(found, Session):
        found = guards.layers[LAYER] = Session(guards)
    return found


@attrs.define(eq=False)
class Place:
    """A value at a path.

    Args:
        value: the example value.
        source: the path.
        session: what its guards go to.
        policy: how it is observed.
        rule: the rule of its type.
        quiet: whether it is no input, so that nothing about it is a guard.
    """

    value: Any
    source: Expr
    session: Session
    policy: Policy
    rule: Observer
    quiet: bool = False
    written: bool = False
    #: What a rule has found out about the value and would have to find out again.
    notes: dict[str, Any] = attrs.field(factory=dict)
    _seen: dict[Expr, None] = attrs.field(factory=dict)
    _epoch: object = None
    _home: Place | None = None

    @property
    def term(self) -> Term:
        """The path with operators."""
        return wrap(self.source)

    def used(self) -> Place:
        """Pin what the rule pins of any value of its kind, once.

        Returns:
            The place where the same object was met first, which stands for all others.
        """
        if self._epoch is self.session.epoch and self._home is not None:
            return self._home
        self._epoch, self._home = self.session.epoch, self
        if self.quiet:
            return self
        first = self._meet()
        if first is not self:
            self._home = first.used()
            return self._home
        self.rule.pin(self)
        return self

    def _meet(self) -> Place:
        rule, partition, alias = self.rule, self.session.partition, self.policy.alias
        if rule.tensor and self.policy.overlap != "none":
            partition.note_tensor(self.value, self.source)
            if self.policy.overlap == "all":
                partition.compare_memory()
        if alias in ("none", "read") or (alias == "tensors" and not rule.tensor) or not rule.identifies(self.value):
            return self
        first: Place = partition.meet(self.value, self.source, self, apart=True).place
        return first

    def identify(self) -> None:
        """Have the identity of the object told apart from that of others, because the program relies on it."""
        if not self.quiet:
            self.session.partition.meet(self.value, self.source, self, apart=True)

    def add(self, expr: Expr) -> None:
        """Add a guard made by a rule.

        Args:
            expr: a condition that is known to be well typed.
        """
        guards = self.session.guards
        if self.quiet or guards.holds(expr):
            return
        capture = capture_origins.get()
        origin = capture() if capture is not None else None
        guards.hold(Guard(expr, () if origin is None else (origin,)), {})

    def add_checked(self, guard: object) -> None:
        """Add a guard that somebody else made.

        Args:
            guard: what `GuardSet.add` takes.
        """
        if self.quiet:
            return
        capture = capture_origins.get()
        self.session.guards.add(guard if isinstance(guard, str) else lift(guard), origin=capture() if capture else None)

    def add_type(self) -> None:
        """Add `type(x) is T`."""
        self.add(Compare(("is",), (TypeSource(self.source), self.named(type(self.value)))))

    def add_is(self, source: Expr, x: Any, hint: str = "") -> None:
        """Add `source is K`.

        Args:
            source: a path.
            x: the object.
            hint: a name for an object without one; by default made from the path.
        """
        known: Expr = _SINGLETONS[id(x)] if id(x) in _SINGLETONS else self.named(x, hint or source)
        self.add(Compare(("is",), (source, known)))

    def add_exact(self, source: Expr, x: Any) -> None:
        """Add `exact(source, c)`.

        Args:
            source: a path.
            x: a value.
        """
        self.add(Call("exact", (source, self.constant(x))))

    def add_equal(self, source: Expr, x: Any) -> None:
        """Add `source == c`.

        Args:
            source: a path.
            x: a value.
        """
        self.add(Compare(("==",), (source, self.constant(x))))

    def add_length(self, source: Expr, count: int) -> None:
        """Add `len(source) == n`.

        Args:
            source: a path.
            count: n.
        """
        self.add(Compare(("==",), (Call("len", (source,)), self.session.literal(count))))

    def add_in(self, key: Any, source: Expr, present: bool) -> None:
        """Add `c in source`, or `c not in source`.

        Args:
            key: a value.
            source: a path.
            present: which of the two.
        """
        self.add(Compare(("in" if present else "not in",), (self.constant(key), source)))

    def constant(self, x: Any) -> Expr:
        """Return a literal, or a named object for a value that has no literal.

        Args:
            x: a value.
        """
        if type(x) is str or type(x) is int or (type(x) is tuple and all(type(item) is str for item in x)):
            return self.session.literal(x)
        lifted = lift(x)
        for part in [lifted, *getattr(lifted, "items", ())]:
            if isinstance(part, ConstantSource):
                # Not by its own name if the set knows it by another.
                return self.named(x) if lifted is part else self._display(x)
        return lifted

    def _display(self, items: Any) -> Expr:
        return TupleDisplay(tuple(self.constant(item) for item in items))

    def named(self, x: Any, hint: Expr | str = "") -> ConstantSource:
        """Return a live object by the name that the set has for it.

        Args:
            x: the object.
            hint: a path or a name for an object without an import path.
        """
        return self.session.names.of(x, hint or self.source)

    def child(self, source: Expr, value: Any, name: Any = None, rule: Observer | None = None) -> Place:
        """Return the place of something below this one.

        Args:
            source: its path.
            value: what is there.
            name: the attribute's name, the position or the key, which chooses its policy.
            rule: the rule that reads it; by default that of its type.

        Raises:
            UnsupportedGuard: the program has written to the object, so what is there now is not what was there at entry.
        """
        if self.written and source not in self._seen:
            raise UnsupportedGuard(
                f"{text_of(source)} is read for the first time after the program wrote to {text_of(self.source)}",
                hint="guards speak of the values at entry: observe what is read before it is written to",
            )
        self._seen[source] = None
        policy = self.policy.below(name)
        return Place(value, source, self.session, policy, rule or rule_for(value), self.quiet)

    def specialise(self) -> None:
        """Pin the value as a whole if nothing is below it, and what its rule pins otherwise."""
        home = self if self.rule.is_whole(self.value) else self.used()
        home.rule.settle(home)

    def constant_value(self) -> Any:
        """Pin the value as a constant, and return it."""
        # `exact(x, 7)` says the type as well.
        home = self if self.rule.is_whole(self.value) else self.used()
        return home.rule.constant(home)
