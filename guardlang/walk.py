"""Walks over expressions: iterative, each shared node once, so depth and sharing cost nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from guardlang.ast import BinOp, BoolOp, Call, Compare, Expr, IfExp, Not, TupleDisplay, UnaryOp
from guardlang.exhaustive import assert_never
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

__all__ = ["children", "fold", "postorder", "rebuild", "rewrite"]

T = TypeVar("T")


def children(expr: Expr) -> tuple[Expr, ...]:
    """Return the direct operands of an expression, in the order in which they are written.

    Example:
        >>> from guardlang.sources import LocalSource
        >>> children(Not(LocalSource("x")))
        (<LocalSource L['x']>,)
    """
    return _CHILDREN[type(expr)](expr)


def _none(_: Any) -> tuple[Expr, ...]:
    return ()


def _base(expr: Any) -> tuple[Expr, ...]:
    return (expr.base,)


def _base_and_index(expr: Any) -> tuple[Expr, ...]:
    return (expr.base,) if expr.index is None else (expr.base, expr.index)


# A table and not a `match`, for this is asked of every node in every pass; the tests hold it against the union.
_CHILDREN: dict[type, Callable[[Any], tuple[Expr, ...]]] = {
    LocalSource: _none,
    GlobalSource: _none,
    GlobalStateSource: _none,
    ConstantSource: _none,
    Const: _none,
    AttrSource: _base,
    TypeSource: _base,
    WeakRefCallSource: _base,
    CallFunctionNoArgsSource: _base,
    DynamicAttrSource: _base,
    GetItemSource: _base_and_index,
    DynamicGetItemSource: _base_and_index,
    TupleIteratorGetItemSource: _base_and_index,
    TensorPropertySource: _base_and_index,
    UnaryOp: lambda expr: (expr.operand,),
    Not: lambda expr: (expr.operand,),
    BinOp: lambda expr: (expr.left, expr.right),
    Compare: lambda expr: expr.operands,
    BoolOp: lambda expr: expr.operands,
    IfExp: lambda expr: (expr.body, expr.test, expr.orelse),
    Call: lambda expr: expr.args,
    TupleDisplay: lambda expr: expr.items,
}


def rebuild(expr: Expr, parts: tuple[Expr, ...]) -> Expr:
    """Return the expression with other operands, in the order of `children`.

    Example:
        >>> from guardlang.sources import LocalSource
        >>> rebuild(Not(LocalSource("x")), (LocalSource("y"),))
        <Not not L['y']>
    """
    match expr:
        case LocalSource() | GlobalSource() | GlobalStateSource() | ConstantSource() | Const():
            return expr
        case AttrSource() | DynamicAttrSource():
            return type(expr)(parts[0], expr.member)
        case TypeSource() | WeakRefCallSource() | CallFunctionNoArgsSource() | Not():
            return type(expr)(parts[0])
        case GetItemSource() | DynamicGetItemSource() | TupleIteratorGetItemSource():
            return type(expr)(parts[0], parts[1])
        case TensorPropertySource():
            return TensorPropertySource(parts[0], expr.prop, parts[1] if len(parts) > 1 else None)
        case UnaryOp():
            return UnaryOp(expr.op, parts[0])
        case BinOp():
            return BinOp(expr.op, parts[0], parts[1])
        case Compare():
            return Compare(expr.ops, parts)
        case BoolOp():
            return BoolOp(expr.op, parts)
        case IfExp():
            return IfExp(parts[1], parts[0], parts[2])
        case Call():
            return Call(expr.function, parts)
        case TupleDisplay():
            return TupleDisplay(parts)
        case _:
            assert_never(expr)


def postorder(*roots: Expr) -> Iterator[Expr]:
    """Yield every node below the roots once, operands before what uses them.

    Args:
        roots: where to start; a node that several roots share is yielded with the first.

    Example:
        >>> from guardlang.sources import LocalSource
        >>> x = LocalSource("x")
        >>> [type(node).__name__ for node in postorder(BinOp("+", x, x))]
        ['LocalSource', 'BinOp']
    """
    seen: set[Expr] = set()
    for root in roots:
        stack: list[tuple[Expr, bool]] = [(root, False)]
        while stack:
            node, done = stack.pop()
            if done:
                yield node
                continue
            if node in seen:
                continue
            seen.add(node)
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(children(node)) if child not in seen)


def fold(roots: Iterable[Expr], step: Callable[[Expr, tuple[T, ...]], T]) -> dict[Expr, T]:
    """Return the result of `step` for every node, computed from the results of its operands.

    Args:
        roots: where to start.
        step: gets a node and the results of its `children`.

    Example:
        >>> from guardlang.sources import LocalSource
        >>> x = LocalSource("x")
        >>> fold([Not(Not(x))], lambda node, below: 1 + sum(below))[Not(Not(x))]
        3
    """
    results: dict[Expr, T] = {}
    for node in postorder(*roots):
        results[node] = step(node, tuple(results[child] for child in children(node)))
    return results


def rewrite(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """Return the expression with `change` applied to every node, operands first.

    Args:
        expr: the expression.
        change: gets a node whose operands are already changed; returns it or another.

    Example:
        >>> from guardlang.sources import LocalSource
        >>> rewrite(Not(LocalSource("x")), lambda n: LocalSource("y") if n is LocalSource("x") else n)
        <Not not L['y']>
    """

    def step(node: Expr, parts: tuple[Expr, ...]) -> Expr:
        return change(rebuild(node, parts))

    return fold([expr], step)[expr]
