"""Conditions turned round: opposites, sides swapped, and what a condition says in parts."""

from __future__ import annotations

from guardlang.ast import BoolOp, Compare, Expr, Not

__all__ = ["OPPOSITE", "SWAPPED", "negation", "parts"]

#: The comparison that is true when another is false, between ordered operands.
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "==", "is": "is not", "is not": "is"}
#: The comparison that says the same of the same operands in the other order.
SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


def negation(expr: Expr) -> Expr:
    """Return a condition that is true where another is false, and undefined where it is undefined.

    Args:
        expr: a condition. An order of floats gets a `not`, as both it and its opposite are false on a NaN.

    Example:
        >>> from guardlang import parse, render
        >>> [render(negation(parse(text))) for text in ("L['n'] == 3", "L['v'] < 2.5", "not L['v'] < 2.5")]
        ["L['n'] != 3", "not L['v'] < 2.5", "L['v'] < 2.5"]
    """
    match expr:
        case Not(operand=operand):
            return operand
        case Compare(ops=("==" | "!=" | "is" | "is not",)):
            return Compare((OPPOSITE[expr.ops[0]],), expr.operands)
    return Not(expr)


def parts(expr: Expr) -> list[Expr]:
    """Return conditions that all hold where one does: the operands of `and`, the opposites of those of a false `or`.

    Args:
        expr: a condition.

    Example:
        >>> from guardlang import parse
        >>> [str(part) for part in parts(parse("not (L['a'] == 1 or L['b'] == 2)"))]
        ["L['a'] != 1", "L['b'] != 2"]
    """
    match expr:
        case BoolOp(op="and", operands=operands):
            return [part for operand in operands for part in parts(operand)]
        case Not(operand=BoolOp(op="or", operands=operands)):
            return [part for operand in operands for part in parts(negation(operand))]
    return [expr]
