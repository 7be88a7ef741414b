"""Sources that may be symbols, and what kind of number stands there."""

from __future__ import annotations

from typing import Any

from guardlang.ast import Call, Expr
from guardlang.dsl import Term, lift
from guardlang.errors import GuardTypeError
from guardlang.interning import Node, text_of
from guardlang.parse import parse
from guardlang.sources import (
    AttrSource,
    CallFunctionNoArgsSource,
    DynamicAttrSource,
    DynamicGetItemSource,
    GetItemSource,
    GlobalSource,
    GlobalStateSource,
    LocalSource,
    TensorProperty,
    TensorPropertySource,
    TupleIteratorGetItemSource,
    WeakRefCallSource,
)
from guardlang.values import type_name

__all__ = ["kind_of", "source_of"]

_SOURCES = (
    LocalSource,
    GlobalSource,
    GlobalStateSource,
    AttrSource,
    GetItemSource,
    TensorPropertySource,
    TupleIteratorGetItemSource,
    WeakRefCallSource,
)
_IMPURE = (CallFunctionNoArgsSource, DynamicAttrSource, DynamicGetItemSource)
_KINDS = {
    TensorProperty.SIZE: "size",
    TensorProperty.STRIDE: "stride",
    TensorProperty.STORAGE_OFFSET: "offset",
    TensorProperty.DATA_PTR: "offset",
}


def source_of(source: object) -> Expr:
    """Return the node of a source.

    Args:
        source: a term, a node or a text.

    Raises:
        GuardTypeError: it is no access path, or reading it may run code.

    Example:
        >>> source_of("L['x'].shape[0]")
        <TensorPropertySource L['x'].shape[0]>
    """
    if isinstance(source, str):
        expr = parse(source)
    elif isinstance(source, Term | Node):
        expr = lift(source)
    else:
        raise GuardTypeError(f"a source is a term, a node or a text, not {type_name(type(source))}")
    if isinstance(expr, _SOURCES) or (isinstance(expr, Call) and expr.function in ("len", "remaining")):
        return expr
    if isinstance(expr, _IMPURE):
        raise GuardTypeError(
            f"{text_of(expr)} may give another number each time it is read",
            hint="a symbol is a source that reads without running code",
        )
    raise GuardTypeError(f"{text_of(expr)} is no source", hint="a symbol is an access path, such as L['x'].shape[0] or L['n']")


def kind_of(source: Expr, hint: Any) -> str:
    """Return what a source is by its form, or by its hint: size, stride, offset, length, int, float or bool.

    Args:
        source: the node.
        hint: the value on the example; None for none.

    Raises:
        GuardTypeError: the hint cannot be the value of such a source.

    Example:
        >>> kind_of(source_of("L['x'].stride(0)"), 4), kind_of(source_of("L['n']"), 4)
        ('stride', 'int')
    """
    match source:
        case TensorPropertySource(prop=TensorProperty.IS_CONTIGUOUS):
            kind = "bool"
        case TensorPropertySource(prop=prop):
            kind = _KINDS[prop]
        case Call() | AttrSource(member="ndim"):
            kind = "length"
        case _:
            kind = {bool: "bool", float: "float"}.get(type(hint), "int")
    wanted: type = {"bool": bool, "float": float}.get(kind, int)
    if hint is not None and type(hint) is not wanted:
        raise GuardTypeError(
            f"the hint of {text_of(source)} is of type {type_name(type(hint))}",
            hint=f"give the value on the example as {wanted.__name__}({text_of(source)})",
        )
    if kind in ("size", "length", "offset") and isinstance(hint, int) and hint < 0:
        raise GuardTypeError(f"{text_of(source)} cannot be {hint}", hint="sizes, lengths and offsets are never negative")
    return kind
