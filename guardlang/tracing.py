"""The dynamic scope of a trace: one object that every layer below adds its guards to."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from types import FrameType
from typing import Any

import attrs

from guardlang.ast import Expr
from guardlang.dsl import Term, lift
from guardlang.dsl.term import wrap
from guardlang.errors import GuardNameError, NoTracingContext
from guardlang.guard import Guard
from guardlang.guards import Checkpoint, GuardSet, Layer
from guardlang.interning import text_of
from guardlang.observe import Binding, Handle, Policy, observe, release
from guardlang.observe.place import capture_origins
from guardlang.origin import Origin, of_frame
from guardlang.sources import LocalSource
from guardlang.walk import children

__all__ = ["Binding", "Mark", "TracingContext", "current", "guard", "tracing"]

_current: ContextVar[TracingContext | None] = ContextVar("guardlang_tracing", default=None)


@attrs.frozen(eq=False)
class Mark:
    """A mark of what a context held; `restore` goes back to it."""

    guards: Checkpoint
    values: dict[Any, Any]
    arg_sources: dict[int, Expr]
    bindings: dict[Expr, Binding]


class TracingContext:
    """What the layers of one trace share: the set of guards, where inputs come from, and whatever else they hand on.

    Args:
        guards: the set that gets the guards; by default a new one.
        capture: whether a guard without an origin gets the line of the user's program that is being traced.
        skip: modules whose frames are not the user's: names, and the prefixes of the names of their submodules.
        depth: how many frames of the user's stack are kept for each guard.
        policy: how values are observed.

    Example:
        >>> from guardlang import L
        >>> with tracing(TracingContext(capture=False)) as context:
        ...     _ = guard(L["n"] > 2)
        >>> print(context.guards, end="")
        L['n'] > 2
    """

    def __init__(
        self,
        guards: GuardSet | None = None,
        *,
        capture: bool = True,
        skip: tuple[str, ...] = (),
        depth: int = 1,
        policy: Policy | None = None,
    ) -> None:
        self.guards = GuardSet() if guards is None else guards
        #: Anything that a layer wants to hand to the layers below, by any key.
        self.values: dict[Any, Any] = {}
        #: Where the arguments of the traced program come from, for layers that know them by position.
        self.arg_sources: dict[int, Expr] = {}
        #: What is known of the inputs, by path.
        self.bindings: dict[Expr, Binding] = {}
        self._policy = policy
        self._depth = depth if capture else 0
        self._skip = ("guardlang", *skip)
        self._stacks: dict[Expr, tuple[Origin, ...]] = {}

    def guard(
        self, condition: str | Term | Expr | Guard, *, reason: str | None = None, origin: Origin | str | None = None
    ) -> Guard:
        """Add a guard, with the user's line as its origin when none is given.

        Args:
            condition: what `GuardSet.add` takes.
            reason: why it is needed.
            origin: where it comes from.

        Returns:
            The guard as the set holds it.

        Example:
            >>> context = TracingContext(skip=("doctest",))
            >>> str(context.guard("L['n'] == 1", origin="f.py:3").origin)
            'f.py:3'
        """
        stack = self.user_stack() if origin is None and self._depth else ()
        added = self.guards.add(condition, reason=reason, origin=origin if origin is not None else stack[0] if stack else None)
        if stack:
            self._stacks.setdefault(added.expr, stack)
        return added

    def observe(self, value: Any, source: Any, *, policy: Policy | None = None) -> Handle:
        """Observe an example value into the context's set.

        Args:
            value: the example.
            source: its path.
            policy: what is pinned; by default the policy of the context.

        Example:
            >>> from guardlang import L
            >>> context = TracingContext()
            >>> context.observe([1], L["x"])[0].value
            1
        """
        return observe(value, source, into=self.guards, policy=policy or self._policy)

    def bind(self, value: Any, source: Any, *, placeholder: Any = None) -> Binding:
        """Take note of an input: its facts are copied, the value is not kept.

        Args:
            value: the example.
            source: its path; None for a value that is no input.
            placeholder: what stands for it in the traced program.

        Example:
            >>> from guardlang import L
            >>> TracingContext().bind(3, L["n"], placeholder="arg0").facts["type"]
            <class 'int'>
        """
        binding = Binding.of(value, source, placeholder=placeholder)
        if binding.source is not None:
            self.bindings[binding.source] = binding
        return binding

    def argument(self, position: int) -> Term:
        """Return the path of an argument that a layer knows by its position.

        Args:
            position: the position, from 0.

        Raises:
            GuardNameError: nobody said where it comes from.

        Example:
            >>> from guardlang import L
            >>> context = TracingContext()
            >>> context.set_arguments(L["x"], L["y"].a)
            >>> context.argument(1)
            <Term L['y'].a>
        """
        source = self.arg_sources.get(position)
        if source is None:
            raise GuardNameError(
                f"argument {position} of the traced program has no source",
                hint="only inputs can be guarded: give its source by set_arguments",
            )
        return wrap(source)

    def set_arguments(self, *sources: Any) -> None:
        """Say where the arguments of the traced program come from.

        Args:
            sources: their paths in order; None for one that is no input.

        Example:
            >>> from guardlang import L
            >>> TracingContext().set_arguments(L["x"], None)
        """
        self.arg_sources = {i: lift(source) for i, source in enumerate(sources) if source is not None}

    def add_layer(self, name: str, layer: Layer) -> None:
        """Have a layer take part in checkpoints, and give its guards when somebody looks at the set.

        Args:
            name: the layer's name.
            layer: has `settle`, `mark` and `restore`.

        Example:
            >>> class Counter:
            ...     count = 0
            ...     def settle(self): pass
            ...     def mark(self): return self.count
            ...     def restore(self, mark): self.count = mark or 0
            >>> context, counter = TracingContext(), Counter()
            >>> context.add_layer("counter", counter)
            >>> mark = context.checkpoint()
            >>> counter.count = 5
            >>> context.restore(mark)
            >>> counter.count
            0
        """
        self.guards.layers[name] = layer

    def checkpoint(self) -> Mark:
        """Return a mark of everything in the context, every layer's part included, for `restore` and `diff`.

        Example:
            >>> context = TracingContext()
            >>> mark = context.checkpoint()
            >>> _ = context.guard("L['n'] == 1")
            >>> context.restore(mark)
            >>> len(context.guards)
            0
        """
        return Mark(self.guards.checkpoint(), dict(self.values), dict(self.arg_sources), dict(self.bindings))

    def restore(self, mark: Mark) -> None:
        """Go back to a mark.

        Args:
            mark: what `checkpoint` of this context gave.
        """
        self.guards.restore(mark.guards)
        self.values, self.arg_sources, self.bindings = dict(mark.values), dict(mark.arg_sources), dict(mark.bindings)

    def diff(self, mark: Mark) -> GuardSet:
        """Return the guards that were added since a mark.

        Args:
            mark: what `checkpoint` of this context gave.

        Example:
            >>> context = TracingContext(capture=False)
            >>> _ = context.guard("L['n'] == 1")
            >>> mark = context.checkpoint()
            >>> _ = context.guard("L['m'] == 2")
            >>> print(context.diff(mark), end="")
            L['m'] == 2
        """
        return self.guards.filter(lambda added: added.expr not in mark.guards.guards)

    def absorb(self, inner: TracingContext | GuardSet, sources: Mapping[Any, Any]) -> None:
        """Add the guards of an inner region, whose locals are paths of this frame.

        Args:
            inner: the region's context or set.
            sources: the inner paths, and what they are in this frame.

        Raises:
            GuardNameError: an inner guard reads a local that is nothing in this frame.

        Example:
            >>> from guardlang import L
            >>> outer, inner = TracingContext(), TracingContext(capture=False)
            >>> _ = inner.guard("L['n'] > 0")
            >>> outer.absorb(inner, {L["n"]: L["x"].shape[0]})
            >>> print(outer.guards, end="")
            L['x'].shape[0] > 0
        """
        guards = inner.guards if isinstance(inner, TracingContext) else inner
        table = {lift(old): lift(new) for old, new in sources.items()}
        for added in guards:
            for local in _locals_outside(added.expr, table):
                raise GuardNameError(
                    f"the inner guard {added} reads {text_of(local)}, which is nothing in the outer frame",
                    hint=f"say what it is: absorb(..., {{{text_of(local)}: ...}})",
                )
        for added in guards.substitute(table):
            self.guards.add(added)

    def user_stack(self) -> tuple[Origin, ...]:
        """Return the frames of the user's program that are running, the innermost first.

        Example:
            >>> TracingContext(capture=False).user_stack()
            ()
        """
        found: list[Origin] = []
        frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  # the documented way to the caller
        while frame is not None and len(found) < self._depth:
            if not self._is_skipped(frame):
                found.append(of_frame(frame))
            frame = frame.f_back
        return tuple(found)

    def _is_skipped(self, frame: FrameType) -> bool:
        module = frame.f_globals.get("__name__")
        if type(module) is not str:
            return False
        return any(module == name or module.startswith(f"{name}.") for name in self._skip)

    def stack_of(self, added: Guard) -> tuple[Origin, ...]:
        """Return the frames of the user's program that a guard was added from, the innermost first.

        Args:
            added: a guard of the set.

        Example:
            >>> context = TracingContext(depth=3)
            >>> len(context.stack_of(context.guard("L['n'] == 1"))) >= 1
            True
        """
        return self._stacks.get(added.expr, ())

    def _origin(self) -> Origin | None:
        stack = self.user_stack()
        return stack[0] if stack else None


def _locals_outside(expr: Expr, table: Mapping[Expr, Expr]) -> Iterator[Expr]:
    """Yield the locals that an expression reads other than below a node of the table."""
    pending = [expr]
    while pending:
        node = pending.pop()
        if node in table:
            continue
        if isinstance(node, LocalSource):
            yield node
        pending.extend(children(node))


@contextlib.contextmanager
def tracing(context: TracingContext | None = None) -> Iterator[TracingContext]:
    """Make a context the current one for the calling thread or task, and what it calls.

    When it ends, the examples that were observed are let go of; the guards stay.

    Args:
        context: the context; by default a new one.

    Example:
        >>> with tracing() as outer:
        ...     with tracing() as inner:
        ...         assert current() is inner
        ...     current() is outer
        True
    """
    context = TracingContext() if context is None else context
    token = _current.set(context)
    origins = capture_origins.set(context._origin if context._depth else None)  # noqa: SLF001  # the two are one
    try:
        yield context
    finally:
        capture_origins.reset(origins)
        _current.reset(token)
        if _current.get() is not context:
            release(context.guards)


def current() -> TracingContext | None:
    """Return the current context, or None.

    Example:
        >>> current() is None
        True
    """
    return _current.get()


def guard(condition: str | Term | Expr | Guard, *, reason: str | None = None, origin: Origin | str | None = None) -> Guard:
    """Add a guard to the current context.

    Args:
        condition: what `GuardSet.add` takes.
        reason: why it is needed.
        origin: where it comes from; by default the line of the user's program.

    Returns:
        The guard as the set holds it.

    Raises:
        NoTracingContext: there is no current context.

    Example:
        >>> guard("L['n'] == 1")
        Traceback (most recent call last):
            ...
        guardlang.errors.NoTracingContext: no trace is going on that the guard could belong to
        hint: add it inside `with tracing(TracingContext()):`, in the same thread or task
    """
    context = _current.get()
    if context is None:
        raise NoTracingContext(
            "no trace is going on that the guard could belong to",
            hint="add it inside `with tracing(TracingContext()):`, in the same thread or task",
        )
    return context.guard(condition, reason=reason, origin=origin)
