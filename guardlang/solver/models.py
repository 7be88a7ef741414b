"""Models as hints: the values that a solver's model gives to the nodes of a query."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction

from guardlang.ast import Expr
from guardlang.solver.encode import Encoder
from guardlang.solver.formula import Term
from guardlang.solver.universe import CLASS_BASE
from guardlang.solver.valuation import Encoded
from guardlang.sources import Const, ConstantSource

__all__ = ["ABSENT", "Absent", "model_values"]


class Absent:
    """The hint that a node is undefined.

    Example:
        >>> ABSENT
        ABSENT
    """

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()


def model_values(encoder: Encoder, read: Callable[[Term], bool | int | Fraction]) -> Mapping[Expr, object]:
    """Return a value for each node of a query that the model says something of.

    Args:
        encoder: the encoder of the query.
        read: gives the value of a term in the model.

    Returns:
        A number, string, class or None for a node, or `ABSENT`.
    """
    found: dict[Expr, object] = {}
    for node, encoded in encoder.atoms.items():
        if isinstance(node, (Const, ConstantSource)):
            continue
        if not read(encoded.defined):
            found[node] = ABSENT
        elif encoded.truth is not None:
            found[node] = bool(read(encoded.truth))
        else:
            value = _value(encoder, encoded, read)
            if value is not None:
                found[node] = value[0]
    return found


def _value(encoder: Encoder, encoded: Encoded, read: Callable[[Term], bool | int | Fraction]) -> tuple[object] | None:
    universe = encoder.universe
    identity = int(read(encoded.identity))
    if CLASS_BASE <= identity < CLASS_BASE + len(universe.classes):
        return (universe.classes[identity - CLASS_BASE],)
    tag = int(read(encoded.tag))
    cls = universe.classes[tag] if 0 <= tag < len(universe.classes) else object
    if cls is type(None):
        return (None,)
    if cls is bool:
        return (bool(read(encoded.integer)),)
    if cls is int:
        return (int(read(encoded.integer)),)
    if cls is float:
        return (_float(encoded, read),)
    if cls is str:
        code = read(encoded.code)
        return next(((text,) for text, number in universe.texts.items() if number == code and type(text) is str), None)
    return None


def _float(encoded: Encoded, read: Callable[[Term], bool | int | Fraction]) -> float:
    sign = -1.0 if read(encoded.negative) else 1.0
    if read(encoded.nan):
        return math.copysign(math.nan, sign)
    infinity = int(read(encoded.inf))
    if infinity:
        return infinity * math.inf
    try:
        return math.copysign(float(Fraction(read(encoded.real))), sign)
    except OverflowError:
        return sign * math.inf
