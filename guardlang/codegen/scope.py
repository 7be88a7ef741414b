"""The names of a generated function: variables for what it reads, cells for what it was built with."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Callable
from typing import Any

from guardlang.ast import Expr
from guardlang.sources import (
    AttrSource,
    Const,
    ConstantSource,
    GetItemSource,
    GlobalSource,
    GlobalStateSource,
    LocalSource,
    TensorPropertySource,
)

__all__ = ["Scope"]

_NO_LETTER = re.compile(r"[^A-Za-z0-9_]+")
_LONGEST = 24


class Scope:
    """Gives out names that cannot clash, whatever the inputs are called.

    Example:
        >>> scope = Scope()
        >>> scope.variable(LocalSource("it's")), scope.variable(LocalSource("it's"))
        ('it_s', 'it_s_2')
    """

    def __init__(self) -> None:
        self.cells: dict[str, Any] = {}
        self._taken: set[str] = {"L", "G", "check", "make", *dir(builtins), *keyword.kwlist}
        self._by_identity: dict[int, str] = {}
        self._used: dict[str, int] = {}
        self._late: list[tuple[str, Callable[[], Any]]] = []

    def variable(self, node: Expr) -> str:
        """Return a new variable, named after what the node reads.

        Args:
            node: what the variable will hold.
        """
        return self.fresh(_hint(node))

    def fresh(self, hint: str) -> str:
        """Return a new name that looks like the hint.

        Args:
            hint: any text.
        """
        base = _NO_LETTER.sub("_", hint)[:_LONGEST].strip("_") or "value"
        if base[0].isdigit():
            base = f"item_{base}"
        name = base
        while name in self._taken:
            self._used[base] = self._used.get(base, 1) + 1
            name = f"{base}_{self._used[base]}"
        self._taken.add(name)
        return name

    def cell(self, hint: str, value: Any) -> str:
        """Return the name of a cell that holds an object; the same one for the same object.

        Args:
            hint: what the name should look like.
            value: the object.
        """
        known = self._by_identity.get(id(value))
        if known is None:
            known = self.fresh(hint)
            self.cells[known] = value
            self._by_identity[id(value)] = known
        return known

    def late_cell(self, hint: str, value: Callable[[], Any]) -> str:
        """Return the name of a cell whose content is known only when everything has been printed.

        Args:
            hint: what the name should look like.
            value: gives the content.
        """
        name = self.fresh(hint)
        self.cells[name] = None
        self._late.append((name, value))
        return name

    def finish(self) -> dict[str, Any]:
        """Return all cells with their contents."""
        for name, value in self._late:
            self.cells[name] = value()
        return self.cells


def _hint(node: Expr) -> str:
    match node:
        case LocalSource() | GlobalSource() | ConstantSource():
            return node.name.rpartition(".")[2] if isinstance(node, ConstantSource) else node.name
        case GlobalStateSource():
            return node.name.removeprefix("torch.")
        case AttrSource():
            return node.member
        case GetItemSource(index=Const(value=str() as key)):
            return key
        case GetItemSource(index=Const(value=int() as key)):
            return f"item_{key}"
        case TensorPropertySource(index=Const(value=int() as key)):
            return f"{node.prop.value}_{key}"
        case TensorPropertySource():
            return node.prop.value
    return "value"
