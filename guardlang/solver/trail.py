"""Tables whose changes can be undone, and the state of a search that is made of them."""

from __future__ import annotations

from typing import Any

__all__ = ["Trail"]

_ABSENT = object()


class Trail:
    """A record of changes to dicts; `undo` takes back those made since a mark.

    Example:
        >>> trail, table = Trail(), {"a": 1}
        >>> mark = trail.mark()
        >>> trail.set(table, "a", 2), trail.set(table, "b", 3)
        (None, None)
        >>> trail.undo(mark)
        >>> table
        {'a': 1}
    """

    __slots__ = ("_changes",)

    def __init__(self) -> None:
        self._changes: list[tuple[dict[Any, Any], Any, Any]] = []

    def set(self, table: dict[Any, Any], key: Any, value: Any) -> None:
        """Store an entry of a table, remembering what was there."""
        self._changes.append((table, key, table.get(key, _ABSENT)))
        table[key] = value

    def mark(self) -> int:
        """Return the present place, for `undo`."""
        return len(self._changes)

    def undo(self, mark: int) -> None:
        """Take back every change made since a mark."""
        changes = self._changes
        while len(changes) > mark:
            table, key, old = changes.pop()
            if old is _ABSENT:
                del table[key]
            else:
                table[key] = old
