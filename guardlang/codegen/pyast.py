"""A short spelling of the Python syntax trees that the Python backend builds."""

from __future__ import annotations

import ast
from typing import Any

__all__ = ["attribute", "call", "choose", "compare", "constant", "every", "item", "name", "negated", "store"]

_COMPARISONS: dict[str, type[ast.cmpop]] = {
    "<": ast.Lt,
    "<=": ast.LtE,
    ">": ast.Gt,
    ">=": ast.GtE,
    "==": ast.Eq,
    "!=": ast.NotEq,
    "is": ast.Is,
    "is not": ast.IsNot,
    "in": ast.In,
    "not in": ast.NotIn,
}
# Operators whose negation says the opposite for operands of builtin types; `<` has none because of NaN.
_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


def name(identifier: str) -> ast.Name:
    """Return the tree that reads a variable."""
    return ast.Name(identifier, ast.Load())


def constant(value: Any) -> ast.Constant:
    """Return the tree of a literal."""
    return ast.Constant(value)


def call(function: str | ast.expr, *args: ast.expr) -> ast.Call:
    """Return the tree of `function(a, b)`."""
    return ast.Call(name(function) if isinstance(function, str) else function, list(args), [])


def attribute(base: ast.expr, member: str) -> ast.Attribute:
    """Return the tree of `base.member`."""
    return ast.Attribute(base, member, ast.Load())


def item(base: ast.expr, index: ast.expr) -> ast.Subscript:
    """Return the tree of `base[index]`."""
    return ast.Subscript(base, index, ast.Load())


def compare(left: ast.expr, *rest: str | ast.expr) -> ast.Compare:
    """Return the tree of `left op right`, or of a chain: operators and operands in turn."""
    ops = [_COMPARISONS[op]() for op in rest[0::2] if isinstance(op, str)]
    operands = [operand for operand in rest[1::2] if isinstance(operand, ast.expr)]
    return ast.Compare(left, ops, operands)


def every(op: str, *conditions: ast.expr) -> ast.expr:
    """Return the tree of `a and b` or `a or b`; of the condition itself when there is one."""
    if len(conditions) == 1:
        return conditions[0]
    return ast.BoolOp(ast.And() if op == "and" else ast.Or(), list(conditions))


def choose(test: ast.expr, body: ast.expr, orelse: ast.expr) -> ast.IfExp:
    """Return the tree of `body if test else orelse`."""
    return ast.IfExp(test, body, orelse)


def store(identifier: str, value: ast.expr) -> ast.Assign:
    """Return the tree of `identifier = value`."""
    return ast.Assign([ast.Name(identifier, ast.Store())], value, lineno=1)


def negated(condition: ast.expr) -> ast.expr:
    """Return the tree of the opposite condition on builtin operands."""
    if isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Not):
        return condition.operand
    if isinstance(condition, ast.Compare) and len(condition.ops) == 1 and type(condition.ops[0]) in _OPPOSITE:
        return ast.Compare(condition.left, [_OPPOSITE[type(condition.ops[0])]()], condition.comparators)
    return ast.UnaryOp(ast.Not(), condition)
