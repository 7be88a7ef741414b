"""Guards from example values: `observe` gives a handle, and what is read through it becomes guards."""

from __future__ import annotations

from typing import Any

from guardlang.dsl import lift
from guardlang.errors import GuardTypeError
from guardlang.guards import GuardSet
from guardlang.observe import (  # noqa: F401  # importing a module of rules registers them
    rules_functions,
    rules_iterators,
    rules_mappings,
    rules_objects,
    rules_scalars,
    rules_sequences,
)
from guardlang.observe.binding import Binding
from guardlang.observe.handle import Handle, place_of
from guardlang.observe.observer import Observer
from guardlang.observe.place import LAYER, Place, session_of
from guardlang.observe.policy import Policy
from guardlang.observe.registry import observes, register_observer, rule_for
from guardlang.sources import Const, ConstantSource
from guardlang.typecheck import check_types
from guardlang.walk import postorder

__all__ = ["Binding", "Handle", "Observer", "Place", "Policy", "observe", "observes", "place_of", "register_observer", "release"]


def observe(value: Any, source: Any, *, into: GuardSet, policy: Policy | None = None) -> Handle:
    """Observe an example value: pin what its kind asks for, and give a handle that records what is read of it.

    Children are observed when they are asked for, or all at once with `Policy(eager=True)`. Objects that are observed at several
    paths of one set are pinned to be one object, and different ones to be different, as `Policy.alias` says.

    Args:
        value: the example.
        source: its path. A path that starts at a named object or a literal is no input: nothing about it is a guard.
        into: the set that gets the guards. It keeps the examples alive until `release`.
        policy: what is pinned.

    Returns:
        The handle.

    Raises:
        UnsupportedGuard: something that would have to be pinned cannot be read without running code of the value's type.

    Example:
        >>> from guardlang import GuardSet, L
        >>> guards = GuardSet()
        >>> point = observe((3, 4.5), L["p"], into=guards, policy=Policy(eager=True))
        >>> print(guards, end="")
        type(L['p']) is tuple
        len(L['p']) == 2
        exact(L['p'][0], 3)
        exact(L['p'][1], 4.5)
    """
    if not isinstance(into, GuardSet):
        raise GuardTypeError("observe needs the set that its guards go to", hint="into=GuardSet()")
    path = lift(source)
    check_types(path)
    rooted = [node for node in postorder(path) if not isinstance(node, Const)]
    quiet = not rooted or isinstance(rooted[0], ConstantSource)
    place = Place(value, path, session_of(into), policy or Policy(), rule_for(value), quiet)
    return Handle(place).pin()


def release(guards: GuardSet) -> None:
    """Let go of the examples that were observed into a set. Its guards stay; handles that are still there start anew.

    Args:
        guards: the set.

    Example:
        >>> from guardlang import GuardSet, L
        >>> guards = GuardSet()
        >>> _ = observe([], L["x"], into=guards)
        >>> release(guards)
        >>> len(guards)
        2
    """
    if LAYER in guards.layers:
        session_of(guards).forget()
