"""Identity and value: classes of terms that are one object, what they equal, what they are not."""

from __future__ import annotations

from typing import Any

from guardlang.ast import Call, Expr
from guardlang.interning import Node
from guardlang.solver.facts import Fact
from guardlang.solver.trail import Trail
from guardlang.sources import (
    AttrSource,
    Const,
    ConstantSource,
    GetItemSource,
    TensorPropertySource,
    TupleIteratorGetItemSource,
    TypeSource,
    WeakRefCallSource,
)
from guardlang.walk import children

__all__ = ["Classes", "signature"]

_SOURCES = (
    AttrSource,
    GetItemSource,
    TensorPropertySource,
    TupleIteratorGetItemSource,
    TypeSource,
    WeakRefCallSource,
)
# A function whose result depends on nothing but the objects it is given.
_FUNCTIONS = frozenset(
    {"len", "keys", "values", "remaining", "dispatch_keys", "hasattr", "isinstance", "bool", "isnan", "int", "float", "str"}
)


class Classes:
    """Terms that stand for one thing, merged by facts; each merge can be explained and undone.

    Args:
        trail: where changes are recorded.
        kind: the kind of the facts that merge: `same` for one object, `equal` for equal values.
    """

    def __init__(self, trail: Trail, kind: str) -> None:
        self.trail = trail
        self.kind = kind
        # Representative by term, and the edges of the proof forest.
        self.head: dict[Expr, Expr] = {}
        self.members: dict[Expr, tuple[Expr, ...]] = {}
        self.edges: dict[Expr, tuple[tuple[Expr, Fact], ...]] = {}

    def find(self, term: Expr) -> Expr:
        """Return the representative of a term."""
        return self.head.get(term, term)

    def class_of(self, term: Expr) -> tuple[Expr, ...]:
        """Return every term of the class of a term."""
        return self.members.get(self.find(term), (term,))

    def union(self, left: Expr, right: Expr, fact: Fact) -> tuple[Expr, Expr] | None:
        """Merge the classes of two terms.

        Args:
            left: a term.
            right: another.
            fact: why they are one.

        Returns:
            The representative that stays and the one that is gone, None when they were one before.
        """
        first, second = self.find(left), self.find(right)
        if first is second:
            return None
        trail = self.trail
        trail.set(self.edges, left, (*self.edges.get(left, ()), (right, fact)))
        trail.set(self.edges, right, (*self.edges.get(right, ()), (left, fact)))
        big, small = self.class_of(first), self.class_of(second)
        if len(big) < len(small):
            first, second, big, small = second, first, small, big
        for term in small:
            trail.set(self.head, term, first)
        trail.set(self.members, first, big + small)
        return first, second

    def why(self, left: Expr, right: Expr) -> tuple[Fact, ...]:
        """Return the facts on the path between two terms of one class."""
        if left is right:
            return ()
        before: dict[Expr, tuple[Expr, Fact]] = {}
        frontier = [left]
        while frontier:
            following: list[Expr] = []
            for term in frontier:
                for other, fact in self.edges.get(term, ()):
                    if other is left or other in before:
                        continue
                    before[other] = (term, fact)
                    if other is right:
                        return _path_back(before, left, right)
                    following.append(other)
            frontier = following
        return ()

    def fact(self, left: Expr, right: Expr) -> Fact | None:
        """Return the fact that two terms are one, None when it is not known."""
        if self.find(left) is not self.find(right):
            return None
        return Fact(self.kind, (left, right), "transitive", self.why(left, right))


def _path_back(before: dict[Expr, tuple[Expr, Fact]], left: Expr, right: Expr) -> tuple[Fact, ...]:
    path = []
    term = right
    while term is not left:
        term, fact = before[term]
        path.append(fact)
    return tuple(reversed(path))


def signature(node: Expr, classes: Classes) -> tuple[Any, ...] | None:
    """Return what two terms share when they read the same of the same objects; None for terms that make new objects."""
    if isinstance(node, Call):
        if node.function not in _FUNCTIONS:
            return None
        extra: Any = node.function
    elif isinstance(node, _SOURCES):
        extra = getattr(node, "member", None) or getattr(node, "prop", None)
    else:
        return None
    return (type(node), extra, *map(classes.find, children(node)))


def constant(node: Node) -> tuple[Any, Any] | None:
    """Return the live object and the value of a constant node, None for any other node."""
    if isinstance(node, Const):
        return node.value, node.value
    if isinstance(node, ConstantSource):
        return node.value, node.content
    return None
