"""The static types of expressions: gradual, so a source is `Any` until guards say more."""

from __future__ import annotations

from typing import Any as _Any

import attrs

from guardlang.values import value_type_of

__all__ = [
    "ANY",
    "BOOL",
    "BYTES",
    "COMPLEX",
    "DEVICE",
    "DTYPE",
    "FLOAT",
    "INT",
    "LAYOUT",
    "MAP",
    "NONE",
    "NUMBERS",
    "OBJECT",
    "SET",
    "STR",
    "TENSOR",
    "TYPE",
    "Type",
    "join",
    "seq",
    "type_of_value",
]


@attrs.frozen
class Type:
    """A static type: a name and, for a sequence, the type of its items.

    Example:
        >>> str(seq(INT))
        'Seq[Int]'
    """

    name: str
    item: Type | None = None

    def __str__(self) -> str:
        return self.name if self.item is None else f"{self.name}[{self.item}]"


ANY = Type("Any")
BOOL = Type("Bool")
INT = Type("Int")
FLOAT = Type("Float")
COMPLEX = Type("Complex")
STR = Type("Str")
BYTES = Type("Bytes")
NONE = Type("NoneT")
TYPE = Type("Type")
OBJECT = Type("Object")
TENSOR = Type("Tensor")
DTYPE = Type("Dtype")
DEVICE = Type("Device")
LAYOUT = Type("Layout")
MAP = Type("Map")
SET = Type("Set")

NUMBERS = frozenset({BOOL, INT, FLOAT, COMPLEX})

_BY_PYTHON_TYPE: dict[type, Type] = {
    bool: BOOL,
    int: INT,
    float: FLOAT,
    complex: COMPLEX,
    str: STR,
    bytes: BYTES,
    type(None): NONE,
    dict: MAP,
    set: SET,
    frozenset: SET,
}


def seq(item: Type = ANY) -> Type:
    """Return the type of a sequence of `item`."""
    return Type("Seq", item)


def join(first: Type, second: Type) -> Type:
    """Return the least type that covers both; `Any` when they have nothing in common.

    Example:
        >>> str(join(INT, INT)), str(join(INT, STR))
        ('Int', 'Any')
    """
    if first == second:
        return first
    if first.name == second.name == "Seq":
        return seq()
    return ANY


def type_of_value(value: _Any) -> Type:
    """Return the static type of a constant.

    Args:
        value: a literal or a named object.

    Example:
        >>> str(type_of_value((1, 2))), str(type_of_value(int))
        ('Seq[Int]', 'Type')
    """
    cls = type(value)
    known = _BY_PYTHON_TYPE.get(cls)
    if known is not None:
        return known
    if cls is tuple or cls is list:
        items = [type_of_value(item) for item in value]
        item = items[0] if items else ANY
        for other in items[1:]:
            item = join(item, other)
        return seq(item)
    if cls is range:
        return seq(INT)
    if issubclass(cls, type):
        return TYPE
    if value_type_of(cls) is not None:
        return ANY
    return OBJECT
