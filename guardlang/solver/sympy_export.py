"""Guards as sympy expressions, for the part that sympy computes exactly: integer polynomials, floors, relations, logic."""

from __future__ import annotations

import importlib
import operator
from collections.abc import Callable, Iterable
from typing import Any

import attrs

from guardlang.ast import BinOp, BoolOp, Call, Compare, Expr, Not, UnaryOp
from guardlang.errors import UnsupportedGuard
from guardlang.sources import Const
from guardlang.walk import children, postorder

__all__ = ["Exported", "Exporter", "to_sympy"]


@attrs.frozen
class Exported:
    """An exported expression.

    Args:
        expression: the sympy expression.
        sources: what each symbol stands for.
    """

    expression: Any
    sources: dict[Any, Expr]


def to_sympy(expr: Expr) -> Exported:
    """Return the sympy expression of a guard or term over integers.

    Sympy's constructors drop what is undefined (`0 * (a // b)` becomes 0), so only divisors that are literals are exported.

    Args:
        expr: the expression. Every part that is no arithmetic becomes an integer symbol.

    Raises:
        UnsupportedGuard: a part that sympy would not compute as Python does.

    Example:
        >>> from guardlang.parse import parse
        >>> str(to_sympy(parse("(L['a'] + 1) ** 2 == L['b'] % 4")).expression)
        'Eq((x0 + 1)**2, Mod(x1, 4))'
    """
    exporter = Exporter()
    return Exported(exporter.convert(expr), exporter.sources)


class Exporter:
    """Exports several expressions over the same symbols.

    Args:
        opaque: whether what sympy has no exact form for becomes a symbol too, instead of an error.

    Example:
        >>> from guardlang.parse import parse
        >>> exporter = Exporter(opaque=True)
        >>> str(exporter.convert(parse("L['a'] // L['b'] + L['a'] == 0").operands[0]))
        'x0 + x1'
    """

    def __init__(self, *, opaque: bool = False) -> None:
        self.sympy = importlib.import_module("sympy")
        self.opaque = opaque
        self.sources: dict[Any, Expr] = {}
        self._symbols: dict[Expr, Any] = {}

    def convert(self, expr: Expr) -> Any:
        """Return the sympy expression of one expression.

        Args:
            expr: the expression.

        Raises:
            UnsupportedGuard: a part has no exact form.
        """
        done: dict[Expr, Any] = {}
        for node in self._needed(expr):
            done[node] = self._step(node, done)
        return done[expr]

    def symbol(self, node: Expr) -> Any:
        """Return the symbol of a part, an integer."""
        if node not in self._symbols:
            symbol = self.sympy.Symbol(f"x{len(self._symbols)}", integer=True)
            self._symbols[node] = symbol
            self.sources[symbol] = node
        return self._symbols[node]

    def _needed(self, expr: Expr) -> Iterable[Expr]:
        """Yield the nodes down to those that become symbols, operands first."""
        reached = {expr}
        for node in reversed(list(postorder(expr))):
            if node in reached and self._is_arithmetic(node):
                reached.update(children(node))
        return [node for node in postorder(expr) if node in reached]

    def _is_arithmetic(self, node: Expr) -> bool:
        match node:
            case UnaryOp(op="-") | Not() | BoolOp() | Const():
                return True
            case BinOp(op="+" | "-" | "*"):
                return True
            case BinOp(op="**"):
                return _natural(node.right)
            case BinOp(op="//" | "%"):
                return not self.opaque and _nonzero(node.right)
            case Compare():
                return len(node.ops) == 1 and node.ops[0] in _RELATIONS
            case Call(function="min" | "max" | "abs"):
                return not self.opaque
            case _:
                return False

    def _step(self, node: Expr, done: dict[Expr, Any]) -> Any:
        sympy = self.sympy
        if not self._is_arithmetic(node):
            if not self.opaque and isinstance(node, (UnaryOp, BinOp, Compare, Call)) and not _names_a_value(node):
                raise UnsupportedGuard("sympy has no exact form for a part of this", hint="export its operands")
            return self.symbol(node)
        match node:
            case Const():
                return self._constant(node.value)
            case UnaryOp():
                return -done[node.operand]
            case Not():
                return sympy.Not(done[node.operand])
            case BoolOp():
                parts = [done[operand] for operand in node.operands]
                return sympy.And(*parts) if node.op == "and" else sympy.Or(*parts)
            case Compare():
                return getattr(sympy, _RELATIONS[node.ops[0]])(*[done[operand] for operand in node.operands])
            case Call():
                name = {"min": "Min", "max": "Max", "abs": "Abs"}[node.function]
                return getattr(sympy, name)(*[done[arg] for arg in node.args])
            case BinOp(op="//"):
                return sympy.floor(done[node.left] / done[node.right])
            case BinOp(op="%"):
                return sympy.Mod(done[node.left], done[node.right])
            case BinOp():
                return _OPERATIONS[node.op](done[node.left], done[node.right])
            case _:
                return self.symbol(node)

    def _constant(self, value: Any) -> Any:
        if type(value) is bool:
            return self.sympy.true if value else self.sympy.false
        if type(value) is int:
            return self.sympy.Integer(value)
        raise UnsupportedGuard("only integers and truth values are exact in sympy", hint="compare floats in the language")


_RELATIONS = {"==": "Eq", "!=": "Ne", "<": "Lt", "<=": "Le", ">": "Gt", ">=": "Ge"}
_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "**": operator.pow,
}
_MAX_EXPONENT = 64


def _natural(expr: Expr) -> bool:
    return isinstance(expr, Const) and type(expr.value) is int and 0 <= expr.value <= _MAX_EXPONENT


def _nonzero(expr: Expr) -> bool:
    return isinstance(expr, Const) and type(expr.value) is int and expr.value != 0


def _names_a_value(node: Expr) -> bool:
    """Tell whether a call is a value of its own, such as a length, that a symbol may stand for."""
    return isinstance(node, Call) and node.function in ("len", "remaining", "int", "floor", "ceil", "round", "trunc")
