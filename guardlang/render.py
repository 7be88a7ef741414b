"""Nodes to text. What `ast.unparse` would print, with set literals sorted, and without recursion."""

from __future__ import annotations

import cmath
import enum
import math
from collections.abc import Iterable
from typing import Any, cast

from guardlang.ast import BinOp, BoolOp, Call, Compare, Expr, IfExp, Not, TupleDisplay, UnaryOp
from guardlang.errors import GuardlangError
from guardlang.exhaustive import assert_never
from guardlang.interning import Node, set_printer
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
    TensorProperty,
    TensorPropertySource,
    TupleIteratorGetItemSource,
    TypeSource,
    WeakRefCallSource,
)
from guardlang.values import value_type_of

__all__ = ["MAX_TEXT", "literal", "render"]

# A shared node is printed at each place it stands; sharing can make the text exponentially longer than the expression.
MAX_TEXT = 50_000_000

# Python refuses to print or read decimal integers past 4,300 digits; hexadecimal ones have no limit.
_MAX_DECIMAL_BITS = 4_300 * 3


class _Precedence(enum.IntEnum):
    TUPLE = 1
    TEST = 2
    OR = 3
    AND = 4
    NOT = 5
    COMPARISON = 6
    BIT_OR = 7
    BIT_XOR = 8
    BIT_AND = 9
    SHIFT = 10
    SUM = 11
    TERM = 12
    FACTOR = 13
    POWER = 14
    AWAIT = 15
    ATOM = 16

    def next(self, steps: int = 1) -> _Precedence:
        return _Precedence(min(self + steps, _Precedence.ATOM))


_BINARY = {
    "|": _Precedence.BIT_OR,
    "^": _Precedence.BIT_XOR,
    "&": _Precedence.BIT_AND,
    "<<": _Precedence.SHIFT,
    ">>": _Precedence.SHIFT,
    "+": _Precedence.SUM,
    "-": _Precedence.SUM,
    "*": _Precedence.TERM,
    "/": _Precedence.TERM,
    "//": _Precedence.TERM,
    "%": _Precedence.TERM,
    "**": _Precedence.POWER,
}

# What is left to print, last first: a finished piece of text, or a node and the weakest binding that needs no parentheses.
_Piece = str | tuple[Node, _Precedence]


def render(expr: Expr) -> str:
    """Return the text of an expression; `parse` gives the same node back.

    Args:
        expr: any expression.

    Raises:
        GuardlangError: the text would be longer than `MAX_TEXT`, because shared nodes stand in it again and again.

    Example:
        >>> from guardlang.parse import parse
        >>> render(parse("((L['a']+1)) >=  0x10"))
        "L['a'] + 1 >= 16"
    """
    out: list[str] = []
    size = 0
    pending: list[_Piece] = [(expr, _Precedence.TEST)]
    while pending:
        piece = pending.pop()
        if isinstance(piece, str):
            out.append(piece)
            size += len(piece)
            if size > MAX_TEXT:
                raise GuardlangError(f"the text of the expression is longer than {MAX_TEXT} characters")
            continue
        node, needed = piece
        binding, pieces = _pieces(cast("Expr", node))
        if binding < needed:
            pieces = ["(", *pieces, ")"]
        pending.extend(reversed(pieces))
    return "".join(out)


def _pieces(expr: Expr) -> tuple[_Precedence, list[_Piece]]:
    """Return how strongly an expression binds and what it is printed as."""
    atom = _Precedence.ATOM
    test = _Precedence.TEST
    match expr:
        case LocalSource():
            return atom, [f"L[{expr.name!r}]"]
        case GlobalSource():
            return atom, [f"G[{expr.name!r}]"]
        case GlobalStateSource():
            return atom, [f"S[{expr.name!r}]"]
        case ConstantSource():
            return atom, [expr.name]
        case Const():
            text = literal(expr.value)
            return (_Precedence.FACTOR if text.startswith("-") else atom), [text]
        case AttrSource():
            # `1.real` would be read as a float.
            dot = " ." if isinstance(expr.base, Const) and type(expr.base.value) is int else "."
            return atom, [(expr.base, atom), dot + expr.member]
        case GetItemSource():
            return atom, [(expr.base, atom), "[", *_index(expr.index), "]"]
        case TensorPropertySource():
            return atom, [(expr.base, atom), *_property(expr)]
        case TypeSource():
            return atom, ["type(", (expr.base, test), ")"]
        case WeakRefCallSource():
            return atom, ["deref(", (expr.base, test), ")"]
        case CallFunctionNoArgsSource():
            return atom, ["call(", (expr.base, test), ")"]
        case DynamicAttrSource():
            return atom, ["getattr(", (expr.base, test), f", {expr.member!r})"]
        case DynamicGetItemSource():
            return atom, ["getitem(", (expr.base, test), ", ", (expr.index, test), ")"]
        case TupleIteratorGetItemSource():
            return atom, ["peek(", (expr.base, test), ", ", (expr.index, test), ")"]
        case UnaryOp():
            return _Precedence.FACTOR, [expr.op, (expr.operand, _Precedence.FACTOR)]
        case Not():
            return _Precedence.NOT, ["not ", (expr.operand, _Precedence.NOT)]
        case BinOp():
            binding = _BINARY[expr.op]
            left, right = binding, binding.next()
            if expr.op == "**":
                left, right = right, left
            return binding, [(expr.left, left), f" {expr.op} ", (expr.right, right)]
        case Compare():
            inner = _Precedence.COMPARISON.next()
            pieces: list[_Piece] = [(expr.operands[0], inner)]
            for op, operand in zip(expr.ops, expr.operands[1:], strict=True):
                pieces += [f" {op} ", (operand, inner)]
            return _Precedence.COMPARISON, pieces
        case BoolOp():
            binding = _Precedence.OR if expr.op == "or" else _Precedence.AND
            pieces = []
            for position, operand in enumerate(expr.operands):
                # `ast.unparse` lets each operand bind one level tighter than the one before it.
                pieces += [f" {expr.op} ", (operand, binding.next(position + 1))]
            return binding, pieces[1:]
        case IfExp():
            inner = test.next()
            return test, [(expr.body, inner), " if ", (expr.test, inner), " else ", (expr.orelse, test)]
        case Call():
            return atom, [f"{expr.function}(", *_comma(expr.args), ")"]
        case TupleDisplay():
            return atom, ["(", *_comma(expr.items), ",)" if len(expr.items) == 1 else ")"]
        case _:
            assert_never(expr)


def _comma(items: tuple[Expr, ...]) -> list[_Piece]:
    pieces: list[_Piece] = []
    for item in items:
        pieces += [", ", (item, _Precedence.TEST)]
    return pieces[1:]


def _index(index: Expr) -> list[_Piece]:
    """Return the pieces between the brackets: a tuple stands there without parentheses."""
    if isinstance(index, TupleDisplay):
        return [*_comma(index.items), *([","] if len(index.items) == 1 else [])]
    if isinstance(index, Const) and type(index.value) is tuple and index.value:
        return [literal(index.value)[1:-1]]
    return [(index, _Precedence.TEST)]


def _property(expr: TensorPropertySource) -> list[_Piece]:
    if expr.index is None:
        return [f".{expr.prop.value}()"]
    if expr.prop is TensorProperty.SIZE:
        return [".shape[", *_index(expr.index), "]"]
    return [f".{expr.prop.value}(", (expr.index, _Precedence.TEST), ")"]


def literal(value: Any) -> str:
    """Return the text of a constant, from which `parse` builds an exactly equal one.

    Args:
        value: a value of a `Const`.

    Example:
        >>> literal({3, 1, 2}), literal(float("nan")), literal(())
        ('{1, 2, 3}', "float('nan')", '()')
    """
    cls = type(value)
    if cls is int:
        return _integer(value)
    if cls is float:
        return _real(value)
    if cls is complex:
        return _complex(value)
    if cls is tuple:
        inner = ", ".join(map(literal, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if cls is list:
        return "[" + ", ".join(map(literal, value)) + "]"
    if cls is dict:
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    if cls is set:
        return "{" + ", ".join(sorted_literals(value)) + "}" if value else "set()"
    if cls is frozenset:
        return "frozenset({" + ", ".join(sorted_literals(value)) + "})" if value else "frozenset()"
    if cls is range:
        steps = (value.start, value.stop) if value.step == 1 else (value.start, value.stop, value.step)
        return "range(" + ", ".join(map(literal, steps)) + ")"
    if cls is slice:
        return "slice(" + ", ".join(map(literal, (value.start, value.stop, value.step))) + ")"
    if value is ...:
        return "..."
    value_type = value_type_of(cls)
    if value_type is not None and value_type.name is not None and value_type.arguments is not None:
        return f"{value_type.name}(" + ", ".join(map(literal, value_type.arguments(value))) + ")"
    return repr(value)


def _integer(value: int) -> str:
    return repr(value) if value.bit_length() <= _MAX_DECIMAL_BITS else hex(value)


def _real(value: float) -> str:
    sign = "-" if math.copysign(1.0, value) < 0 else ""
    if math.isnan(value):
        return f"{sign}float('nan')"
    if math.isinf(value):
        return f"{sign}float('inf')"
    return repr(value)


def _complex(value: complex) -> str:
    """Return `1+2j` in parentheses where Python reads that back to the bit, else `complex(re, im)`."""
    plus_real, plus_imaginary = (math.copysign(1.0, part) > 0 for part in (value.real, value.imag))
    reads_back = plus_real and plus_imaginary if value.real == 0 else plus_imaginary or value.imag != 0
    if cmath.isfinite(value) and reads_back:
        return repr(value)
    return f"complex({_real(value.real)}, {_real(value.imag)})"


def sorted_literals(items: Iterable[Any]) -> list[str]:
    """Return the texts of the items of a set in an order that does not depend on hashes.

    Example:
        >>> sorted_literals({10, 9, "a"})
        ['9', '10', "'a'"]
    """

    def order(item: Any) -> tuple[Any, ...]:
        if type(item) in (bool, int, float) and item == item:
            return (0, item, "")
        return (1, 0, literal(item))

    return [literal(item) for item in sorted(items, key=order)]


def _print(node: Node) -> str:
    return render(cast("Expr", node))


set_printer(_print)
