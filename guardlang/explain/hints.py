"""What a reader can do about a guard that fails: a rule for each well-known trap."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from guardlang.ast import Call, Compare, Expr
from guardlang.interning import text_of
from guardlang.purity import is_pure
from guardlang.semantics import Evaluation
from guardlang.sources import TypeSource
from guardlang.values import Undefined, equal, mro_of, type_name

__all__ = ["hints_for"]


def hints_for(expr: Expr, look: Evaluation) -> Iterator[str]:
    """Yield hints about a pure guard that is false.

    Args:
        expr: the guard.
        look: the evaluation that found it false.

    Example:
        >>> from guardlang.frame import Frame
        >>> from guardlang.parse import parse
        >>> guard = parse("L['x'] == L['x']")
        >>> look = Evaluation(Frame({"x": float("nan")}))
        >>> look.truth(guard).kind, list(hints_for(guard, look))
        ('FALSE', ["a NaN equals nothing, itself included: write isnan(L['x'])"])
    """
    if not is_pure(expr):
        return
    match expr:
        case Call(function="exact", args=(operand, wanted)):
            x, y = look.value(operand), look.value(wanted)
            if _equal(x, y):
                yield f"the values are equal but not exactly: write {text_of(operand)} == {text_of(wanted)} if that is enough"
        case Compare(ops=("==",), operands=(operand, _)):
            x = look.value(operand)
            if type(x) is float and x != x:
                yield f"a NaN equals nothing, itself included: write isnan({text_of(operand)})"
        case Compare(ops=("is",), operands=(TypeSource(base=base) as left, right)):
            got, wanted_class = look.value(left), look.value(right)
            if issubclass(type(wanted_class), type) and any(cls is wanted_class for cls in mro_of(got)):
                test = f"isinstance({text_of(base)}, {text_of(right)})"
                yield f"{type_name(got)} is derived from the expected type: write {test} if that is enough"


def _equal(x: Any, y: Any) -> bool:
    try:
        return equal(x, y)
    except Undefined:
        return False
