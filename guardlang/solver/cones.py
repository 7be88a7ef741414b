"""Which guards a question depends on: those that speak of the same terms, nearest first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from weakref import WeakKeyDictionary

from guardlang.ast import Expr
from guardlang.sources import (
    AttrSource,
    CallFunctionNoArgsSource,
    Const,
    ConstantSource,
    DynamicAttrSource,
    DynamicGetItemSource,
    GetItemSource,
    GlobalSource,
    GlobalStateSource,
    LocalSource,
    TensorPropertySource,
    TupleIteratorGetItemSource,
    TypeSource,
    WeakRefCallSource,
)
from guardlang.walk import children, postorder

__all__ = ["Cones", "subjects", "subjects_and_bases"]

_SOURCES = (
    LocalSource, GlobalSource, GlobalStateSource, AttrSource, GetItemSource, TensorPropertySource, TupleIteratorGetItemSource,
    WeakRefCallSource, CallFunctionNoArgsSource, DynamicAttrSource, DynamicGetItemSource,
)  # fmt: skip
_subjects: WeakKeyDictionary[Expr, tuple[Expr, ...]] = WeakKeyDictionary()


def subjects(expr: Expr) -> tuple[Expr, ...]:
    """Return the sources that a guard speaks of: those that are not read further. `type(x)` and `len(x)` speak of `x`.

    Example:
        >>> from guardlang.parse import parse
        >>> [str(source) for source in subjects(parse("len(L['x']) == L['y'].n"))]
        ["L['x']", "L['y'].n"]
    """
    found = _subjects.get(expr)
    if found is None:
        seen: dict[Expr, None] = {}
        inner: set[Expr] = set()
        for node in postorder(expr):
            if isinstance(node, _SOURCES):
                seen[node] = None
                inner.update(children(node))
        found = tuple(node for node in seen if node not in inner)
        if expr not in found:
            _subjects[expr] = found
    return found


def subjects_and_bases(expr: Expr) -> Iterator[Expr]:
    """Yield what a guard speaks of, and what that is read from.

    Example:
        >>> from guardlang.parse import parse
        >>> [str(source) for source in subjects_and_bases(parse("L['y'].n > 1"))]
        ["L['y'].n", "L['y']"]
    """
    for subject in subjects(expr):
        yield subject
        yield from _bases(subject)


class Cones:
    """An index of guards by what they speak of.

    Args:
        guards: the guards.

    Example:
        >>> from guardlang.parse import parse
        >>> guards = [parse(t) for t in ("L['a'] < L['b']", "L['c'] > 1", "L['b'] < 3")]
        >>> Cones(guards).around(parse("L['a'] < 9"), 10)
        (0, 2)
    """

    def __init__(self, guards: Iterable[Expr]) -> None:
        self.guards = tuple(guards)
        self.by_subject: dict[Expr, list[int]] = {}
        for place, guard in enumerate(self.guards):
            for subject in subjects(guard):
                self.by_subject.setdefault(subject, []).append(place)

    def around(self, goal: Expr, limit: int, *, without: Iterable[int] = (), rounds: int = 6) -> tuple[int, ...]:
        """Return the places of the guards nearest to a goal, in order.

        Args:
            goal: the question.
            limit: how many guards at the most.
            without: places that do not count.
            rounds: how many steps away a guard may be.
        """
        taken: dict[int, None] = {}
        skipped = set(without)
        seen: dict[Expr, None] = {}
        level = [*subjects(goal)]
        for _ in range(rounds):
            level.extend(base for subject in list(level) for base in _bases(subject))
            level = [subject for subject in level if subject not in seen]
            seen.update(dict.fromkeys(level))
            places: dict[int, None] = {}
            for subject in level:
                for place in self.by_subject.get(subject, ())[:limit]:
                    if place not in taken and place not in skipped:
                        places[place] = None
            if not places:
                break
            fresh = sorted(places, key=lambda place: (len(subjects(self.guards[place])), place))
            level = []
            for place in fresh:
                if len(taken) >= limit:
                    return tuple(sorted(taken))
                taken[place] = None
                level.extend(subjects(self.guards[place]))
        return tuple(sorted(taken))


def _bases(subject: Expr) -> Iterator[Expr]:
    while isinstance(subject, _SOURCES) and children(subject):
        subject = children(subject)[0]
        if not isinstance(subject, Const | ConstantSource | TypeSource):
            yield subject
