"""Expression nodes: a closed union, data only. What they mean is in `semantics`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from guardlang.interning import Node, node
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
from guardlang.values import Undefined, hashable

__all__ = [
    "BINARY_OPERATORS",
    "COMPARISON_OPERATORS",
    "BinOp",
    "BoolOp",
    "Call",
    "Compare",
    "Expr",
    "IfExp",
    "Not",
    "TupleDisplay",
    "UnaryOp",
]

BINARY_OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^")
COMPARISON_OPERATORS = ("<", "<=", ">", ">=", "==", "!=", "is", "is not", "in", "not in")


@node
class UnaryOp(Node):
    """`-x` or `~x`. The negative of a number literal is a literal."""

    op: str
    operand: Expr

    def _canonical(self) -> Node:
        if self.op == "-" and isinstance(self.operand, Const) and type(self.operand.value) in (int, float, complex):
            return Const(-self.operand.value)
        return self


@node
class Not(Node):
    """`not x`."""

    operand: Expr


@node
class BinOp(Node):
    """`left op right` for an arithmetic or bitwise operator. `1 + 2j` of literals is the complex literal."""

    op: str
    left: Expr
    right: Expr

    def _canonical(self) -> Node:
        if self.op in ("+", "-") and isinstance(self.left, Const) and isinstance(self.right, Const):
            real, imaginary = self.left.value, self.right.value
            if type(real) in (int, float) and type(imaginary) is complex:
                return Const(real + imaginary if self.op == "+" else real - imaginary)
        return self


@node
class Compare(Node):
    """`a < b`, or a chain `a < b <= c`: operators and one operand more than operators."""

    ops: tuple[str, ...]
    operands: tuple[Expr, ...]


@node
class BoolOp(Node):
    """`a and b and ...` or `a or b or ...`: two operands or more."""

    op: str
    operands: tuple[Expr, ...]


@node
class IfExp(Node):
    """`body if test else orelse`."""

    test: Expr
    body: Expr
    orelse: Expr


@node
class Call(Node):
    """A function of the language or of a plug-in applied to operands: `len(x)`, `same(a, b, c)`. `set((1, 2))` is a literal."""

    function: str
    args: tuple[Expr, ...]

    def _canonical(self) -> Node:
        # The text of the call is how such a constant is written, so it must be the constant.
        fold = _CONSTRUCTORS.get(self.function)
        if fold is None or not all(isinstance(arg, Const) for arg in self.args):
            return self
        try:
            return Const(fold(*[arg.value for arg in self.args if isinstance(arg, Const)]))
        except (TypeError, ValueError, OverflowError, Undefined):
            return self


def _folded_set(kind: type[set[Any] | frozenset[Any]]) -> Callable[..., Any]:
    def fold(items: Any) -> Any:
        if type(items) not in (tuple, list, set, frozenset):
            raise TypeError
        for item in items:
            hashable(item)
        return kind(items)

    return fold


def _folded_complex(*parts: Any) -> complex:
    if not all(type(part) in (bool, int, float) for part in parts):
        raise TypeError
    return complex(*parts)


_CONSTRUCTORS: dict[str, Callable[..., Any]] = {
    "complex": _folded_complex,
    "frozenset": _folded_set(frozenset),
    "set": _folded_set(set),
}


@node
class TupleDisplay(Node):
    """`(a, b)` with an item that is no literal; a tuple of literals is a `Const`."""

    items: tuple[Expr, ...]

    def _canonical(self) -> Node:
        if all(isinstance(item, Const) for item in self.items):
            return Const(tuple(item.value for item in self.items if isinstance(item, Const)))
        return self


Source: TypeAlias = (
    LocalSource
    | GlobalSource
    | GlobalStateSource
    | ConstantSource
    | AttrSource
    | GetItemSource
    | TypeSource
    | WeakRefCallSource
    | CallFunctionNoArgsSource
    | DynamicAttrSource
    | DynamicGetItemSource
    | TupleIteratorGetItemSource
    | TensorPropertySource
)
Expr: TypeAlias = Source | Const | UnaryOp | Not | BinOp | Compare | BoolOp | IfExp | Call | TupleDisplay
