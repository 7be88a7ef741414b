"""What an environment holds of its sources, and what makes a source a number of its kind."""

from __future__ import annotations

from typing import Any

import attrs

from guardlang.ast import Call, Compare, Expr, Not
from guardlang.guard import Guard
from guardlang.origin import Origin
from guardlang.shapes.policy import DimensionPolicy
from guardlang.shapes.symbols import Engine, Symbolic, SymBool, SymFloat, SymInt
from guardlang.sources import AttrSource, Const, ConstantSource, TensorPropertySource, TypeSource

__all__ = ["Assumption", "Symbol", "pinned", "rank_of", "shape_facts", "symbolic"]


@attrs.frozen(eq=False)
class Symbol:
    """What an environment holds of a source.

    Args:
        source: the source.
        kind: size, stride, offset, length, int, float or bool.
        hint: the value on the example; None for none.
        policy: how it is treated, after all rules.
        value: the symbol, or the constant it was pinned to.
        origin: the user's line that asked for it first.
    """

    source: Expr
    kind: str
    hint: Any
    policy: DimensionPolicy
    value: Any
    origin: Origin


@attrs.frozen(eq=False)
class Assumption:
    """That a source equals another because their hints did.

    Args:
        source: the source.
        other: the first one with the same hint.
        guard: the guard that holds the trace to it.
    """

    source: Expr
    other: Expr
    guard: Guard

    def __str__(self) -> str:
        return str(self.guard)


def symbolic(env: Engine, source: Expr, kind: str, hint: Any) -> Symbolic:
    """Return the symbol of a source.

    Args:
        env: the environment.
        source: the source.
        kind: what stands there.
        hint: the value on the example; None for none.
    """
    if kind == "float":
        return SymFloat(env, source, hint)
    if kind == "bool":
        whole = isinstance(source, TensorPropertySource)
        return SymBool(env, hint, source if whole else Compare(("is",), (source, Const(True))))
    return SymInt(env, (source, 1, 0), hint)


def pinned(source: Expr, kind: str, hint: Any) -> Expr:
    """Return the guard that a source has its value on the example.

    Args:
        source: the source.
        kind: what stands there.
        hint: the value.

    Example:
        >>> from guardlang import parse
        >>> print(pinned(parse("L['n']"), "int", 3))
        exact(L['n'], 3)
    """
    if kind == "bool":
        return Compare(("is",), (source, Const(hint)))
    if kind in ("int", "float"):
        return Call("exact", (source, Const(hint)))
    return Compare(("==",), (source, Const(hint)))


def shape_facts(source: Expr, kind: str, least: int) -> list[Expr]:
    """Return what makes a source a number of its kind.

    Args:
        source: the source.
        kind: what stands there.
        least: the least size that the trace is for.

    Example:
        >>> from guardlang import parse
        >>> [str(fact) for fact in shape_facts(parse("L['v']"), "float", 0)]
        ["type(L['v']) is float", "not isnan(L['v'])"]
    """
    match kind:
        case "size":
            return [_at_least(source, least)]
        case "length" | "offset":
            return [_at_least(source, 0)]
        case "stride":
            assert isinstance(source, TensorPropertySource)
            index = source.index.value if isinstance(source.index, Const) else 0
            return [_at_least(rank_of(source.base), index + 1 if index >= 0 else -index)]
        case "float":
            return [_is_class(source, float), Not(Call("isnan", (source,)))]
        case "bool":
            return [] if isinstance(source, TensorPropertySource) else [_is_class(source, bool)]
    return [_is_class(source, int)]


def rank_of(tensor: Expr) -> Expr:
    """Return the number of dimensions of a tensor.

    Args:
        tensor: where it is.
    """
    return AttrSource(tensor, "ndim")


def _at_least(expr: Expr, low: int) -> Expr:
    return Compare((">=",), (expr, Const(low)))


def _is_class(expr: Expr, cls: type) -> Expr:
    return Compare(("is",), (TypeSource(expr), ConstantSource(cls.__name__, cls)))
