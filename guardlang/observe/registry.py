"""The rules by type: what is pinned of a value when it is observed, and how what is below it is read."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from guardlang import plugins
from guardlang.dsl import Term
from guardlang.observe.observer import Observer
from guardlang.values import mro_of

if TYPE_CHECKING:
    from guardlang.observe.place import Place

__all__ = ["observes", "register_observer", "rule_for"]

_T = TypeVar("_T")

Guards = Callable[[Any, Term], Iterable[object]]


@attrs.frozen(eq=False)
class _Entry:
    owner: Any
    rule: Observer
    derived: bool
    priority: int


# By the id of the class or object, which the entry keeps alive: hashing an object would ask its class.
_by_type: dict[int, _Entry] = {}
_by_identity: dict[int, _Entry] = {}

# Libraries that are never imported here, and what teaches the rules for their types once somebody else imported them.
_absent: dict[str, str] = {"torch": "guardlang.pytorch.observe", "numpy": "guardlang.numpy_observe"}
_lock = threading.RLock()


def register_observer(cls: type, rule: Observer | Guards, *, derived: bool = True, priority: int = 0) -> Observer:
    """Have the objects of a class observed by a rule from then on.

    Args:
        cls: the class.
        rule: an `Observer`, or a function that takes a value and its path and gives the guards that pin it.
        derived: whether objects of derived classes without a rule of their own are observed by it too.
        priority: among the bases of a class the rule with the highest goes first, then the nearest.

    Returns:
        The rule as an `Observer`.

    Example:
        >>> import fractions
        >>> from guardlang import GuardSet, L, observe, type_
        >>> rule = register_observer(fractions.Fraction, lambda x, at: [at._numerator == x.numerator])
        >>> guards = GuardSet()
        >>> _ = observe(fractions.Fraction(1, 3), L["f"], into=guards)
        >>> print(guards, end="")
        type(L['f']) is fractions.Fraction
        L['f']._numerator == 1
    """
    made = rule if isinstance(rule, Observer) else _OfFunction(rule)
    _by_type[id(cls)] = _Entry(cls, made, derived, priority)
    return made


def observes(*classes: type, derived: bool = True, priority: int = 0) -> Callable[[_T], _T]:
    """Return a decorator that registers a rule for some classes.

    Args:
        classes: the classes.
        derived: whether objects of derived classes without a rule of their own are observed by it too.
        priority: among the bases of a class the rule with the highest goes first, then the nearest.

    Returns:
        A decorator for a class derived from `Observer`, or for a function that takes a value and its path and gives guards.

    Example:
        >>> class Grid:
        ...     rows = 3
        >>> @observes(Grid)
        ... def observe_grid(grid, at):
        ...     yield at.rows == grid.rows
    """

    def register(rule: _T) -> _T:
        made: Any = rule() if isinstance(rule, type) else rule
        for cls in classes:
            register_observer(cls, made, derived=derived, priority=priority)
        return rule

    return register


def register_identity(x: Any, rule: Observer) -> None:
    """Have one object observed by a rule of its own.

    Args:
        x: the object.
        rule: the rule.
    """
    _by_identity[id(x)] = _Entry(x, rule, False, 0)


class _OfFunction(Observer):
    """A rule whose guards come from a function; everything else is as for any object."""

    def __init__(self, guards: Guards) -> None:
        self._guards = guards

    def pin(self, at: Place) -> None:
        at.add_type()
        for guard in self._guards(at.value, at.term):
            at.add_checked(guard)


def rule_for(x: Any) -> Observer:
    """Return the rule for a value: by exact type, then by identity, then by the bases of its type.

    Args:
        x: any object.
    """
    cls = type(x)
    found = _by_type.get(id(cls))
    if found is not None and id(x) not in _by_identity:
        return found.rule
    special = _by_identity.get(id(x))
    if special is not None:
        return special.rule
    if _learn_present() or plugins.has_news("guardlang.observers"):
        return rule_for(x)
    best: _Entry | None = None
    for base in mro_of(cls):
        entry = _by_type.get(id(base))
        if entry is not None and (entry.derived or base is cls) and (best is None or entry.priority > best.priority):
            best = entry
    return _ANY if best is None else best.rule


def _learn_present() -> bool:
    """Load the rules for the libraries that have been imported since the last call."""
    if not _absent:
        return False
    learned = False
    for library in tuple(_absent):
        module = sys.modules.get(library)
        if module is None or getattr(getattr(module, "__spec__", None), "_initializing", False):
            continue
        with _lock:
            rules = _absent.pop(library, None)
            if rules is not None:
                importlib.import_module(rules)
                learned = True
    return learned


_ANY = Observer()
