"""The intern table: structurally equal nodes are one object, in every thread, for as long as anybody holds it."""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar
from weakref import WeakValueDictionary

import attrs

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: object) -> Callable[[_T], _T]:
        """Do nothing: only type checkers ask what `node` makes of a class, and `typing` has this from 3.11 on."""
        return lambda decorator: decorator


__all__ = ["Node", "interned_count", "node"]

# Re-entrant: a garbage collection inside the locked part may run a destructor that builds a node.
_lock = threading.RLock()
_table: WeakValueDictionary[Hashable, Node] = WeakValueDictionary()

_T = TypeVar("_T", bound=type)


class _Interned(type):
    """Metaclass that returns the existing node when an equal one is alive."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        candidate: Node = super().__call__(*args, **kwargs)
        canonical = candidate._canonical()
        if canonical is not candidate:
            return canonical
        with _lock:
            return _table.setdefault((cls, candidate._key()), candidate)


def _reader(read: Callable[[Any], Hashable]) -> Callable[[Any], Hashable]:
    """Return a function in C as one that becomes a method."""

    def key(self: Any) -> Hashable:
        return read(self)

    return key


@dataclass_transform(eq_default=False, frozen_default=True)
def node(cls: _T) -> _T:
    """Make a class a frozen node: slots, weakly referable, compared and hashed by identity.

    Args:
        cls: a subclass of `Node` with annotated fields.

    Returns:
        The node class.

    Example:
        >>> @node
        ... class Pair(Node):
        ...     left: int
        ...     right: int
        >>> Pair(1, 2) is Pair(1, 2)
        True
    """
    made: Any = attrs.frozen(eq=False, slots=True, weakref_slot=True, repr=False)(cls)
    names = [field.name for field in attrs.fields(made)]
    if len(names) > 1 and made._key is Node._key:
        # The key is half of what a node costs: fields read in C are read in a third of the time.
        made._key = _reader(operator.attrgetter(*names))
    return made  # type: ignore[no-any-return]


@node
class Node(metaclass=_Interned):
    """Base of every node: immutable data, one object for each structure."""

    __slots__: ClassVar[tuple[str, ...]]

    def _key(self) -> Hashable:
        """Return what makes two nodes of this class the same; child nodes count by identity."""
        return tuple(getattr(self, name) for name in self.__slots__ if name != "__weakref__")

    def _canonical(self) -> Node:
        """Return the node that this spelling stands for; itself unless it has a shorter one."""
        return self

    def __str__(self) -> str:
        return text_of(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {text_of(self)}>"

    def __copy__(self) -> Node:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Node:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, name) for name in self.__slots__ if name != "__weakref__")


def _structural_text(node: Node) -> str:
    return type(node).__name__


_printer: Callable[[Node], str] = _structural_text


def set_printer(printer: Callable[[Node], str]) -> None:
    """Install the function that gives a node its text; `render` does so when it is imported."""
    global _printer
    _printer = printer


def text_of(node: Node) -> str:
    """Return the text of a node through the installed printer."""
    return _printer(node)


def interned_count() -> int:
    """Return how many nodes are alive.

    Example:
        >>> interned_count() >= 0
        True
    """
    return len(_table)
