"""Which observed objects are one and which are different, and which tensors share memory: one relation for each question.

The relations are made when somebody looks at the set of guards, so that observing n objects takes n steps.
"""

from __future__ import annotations

from typing import Any

import attrs

from guardlang.adapters import overlapping
from guardlang.ast import Call, Compare, Expr
from guardlang.guard import Guard
from guardlang.guards import GuardSet
from guardlang.sources import Const
from guardlang.values import Undefined

__all__ = ["Block", "Partition", "has_memory"]


@attrs.define(eq=False)
class Block:
    """One object and the paths that reach it.

    Args:
        value: the object, kept alive so that its id stays its own.
        place: where it was met first.
        sources: the paths, the first one first.
        apart: whether the program relies on it not being another of the blocks.
    """

    value: Any
    place: Any
    sources: dict[Expr, None]
    apart: bool = False


class Partition:
    """The objects of a frame by identity: a layer of a set of guards.

    Args:
        guards: the set.

    Example:
        >>> from guardlang.dsl import L, lift
        >>> guards = GuardSet()
        >>> partition = Partition(guards)
        >>> x, y = [], []
        >>> for name, value in (("a", x), ("b", x), ("c", y)):
        ...     _ = partition.meet(value, lift(L[name]), None, apart=True)
        >>> partition.settle()
        >>> print(guards, end="")
        same(L['a'], L['b'])
        distinct(L['a'], L['c'])
    """

    def __init__(self, guards: GuardSet) -> None:
        self.guards = guards
        self._blocks: dict[int, Block] = {}
        # What was done, in order, so that it can be undone.
        self._log: list[tuple[str, int, Expr | None]] = []
        self._changed: dict[int, None] = {}
        self._same: dict[int, Guard | None] = {}
        self._distinct: Guard | None = None
        self._overlapping: Guard | None = None
        self._stale = False
        self._tensors: dict[int, tuple[Any, Expr]] = {}
        self._memory_matters = False
        # Another object after each `forget`.
        self._generation = object()

    def find(self, value: Any) -> Block | None:
        """Return the block of an object that has been met, or None.

        Args:
            value: the object.
        """
        return self._blocks.get(id(value))

    def meet(self, value: Any, source: Expr, place: Any, *, apart: bool = False) -> Block:
        """Take note that a path reaches an object.

        Args:
            value: the object.
            source: the path.
            place: where it is observed, kept for an object that was not met before.
            apart: whether it matters that no other object is this one.

        Returns:
            The block of the object.
        """
        key = id(value)
        block = self._blocks.get(key)
        if block is None:
            block = self._blocks[key] = Block(value, place, {source: None})
            self._log.append(("block", key, None))
        elif source not in block.sources:
            block.sources[source] = None
            self._log.append(("source", key, source))
            self._changed[key] = None
        if apart and not block.apart:
            block.apart = self._stale = True
            self._log.append(("apart", key, None))
        return block

    def note_tensor(self, value: Any, source: Expr) -> None:
        """Take note of a tensor, whose memory matters as soon as one of them is written to.

        Args:
            value: the tensor.
            source: its path.
        """
        if id(value) not in self._tensors:
            self._tensors[id(value)] = (value, source)
            self._log.append(("tensor", id(value), None))
            self._stale = self._stale or self._memory_matters

    def compare_memory(self) -> None:
        """Have the memory that the tensors share be part of the guards."""
        if not self._memory_matters:
            self._memory_matters = self._stale = True
            self._log.append(("memory", 0, None))

    def settle(self) -> None:
        """Bring the relations in the set up to date."""
        for key in self._changed:
            block = self._blocks[key]
            self._same[key] = self._put(self._same.get(key), Call("same", tuple(block.sources)))
        self._changed.clear()
        if self._stale:
            self._stale = False
            apart = [next(iter(block.sources)) for block in self._blocks.values() if block.apart]
            if len(apart) > 1:
                self._distinct = self._put(self._distinct, Call("distinct", tuple(apart)))
            self._settle_memory()

    def _settle_memory(self) -> None:
        if not self._memory_matters:
            return
        tensors = [(value, source) for value, source in self._tensors.values() if has_memory(value)]
        if len(tensors) > 1:
            groups = overlapping([value for value, _ in tensors])
            relation = Call("overlapping", tuple(source for _, source in tensors))
            self._overlapping = self._put(self._overlapping, Compare(("==",), (relation, Const(groups))))

    def _put(self, old: Guard | None, expr: Expr) -> Guard | None:
        """Put a relation in the place of an older one; what somebody else has added stays theirs."""
        if old is not None:
            if old.expr is expr:
                return old
            self.guards.take_back(old)
        if self.guards.holds(expr):
            return None
        return self.guards.hold(Guard(expr), {})

    def mark(self) -> Any:
        """Return how much was done, and the relations that say so."""
        return self._generation, len(self._log), dict(self._same), self._distinct, self._overlapping

    def restore(self, mark: Any) -> None:
        """Undo what was done since a mark.

        Args:
            mark: what `mark` gave, or None for everything.
        """
        generation, count, same, self._distinct, self._overlapping = (None, 0, {}, None, None) if mark is None else mark
        self._same = dict(same)
        if generation is not self._generation:  # what was noted then has been let go of
            count, self._same, self._distinct, self._overlapping = 0, {}, None, None
        while len(self._log) > count:
            self._undo(*self._log.pop())
        self._changed.clear()
        self._stale = False

    def forget(self) -> None:
        """Let go of the objects. The relations stay in the set, and new ones start anew beside them."""
        self.settle()
        self._blocks, self._tensors, self._same, self._log = {}, {}, {}, []
        self._distinct = self._overlapping = None
        self._memory_matters = False
        self._generation = object()

    def _undo(self, what: str, key: int, source: Expr | None) -> None:
        if what == "block":
            del self._blocks[key]
        elif what == "source" and source is not None:
            del self._blocks[key].sources[source]
        elif what == "apart":
            self._blocks[key].apart = False
        elif what == "tensor":
            del self._tensors[key]
        else:
            self._memory_matters = False


def has_memory(x: Any) -> bool:
    """Tell whether the memory of a tensor can be compared with that of others.

    Args:
        x: any object.

    Example:
        >>> has_memory([])
        False
    """
    try:
        overlapping([x])
    except Undefined:
        return False
    return True
