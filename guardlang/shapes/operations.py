"""What Python's operators give on symbols: results fold where they can, what Python would refuse is a branch like any other."""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Callable
from typing import Any

from guardlang.ast import BinOp, BoolOp, Call, Compare, Expr, IfExp, UnaryOp
from guardlang.errors import GuardTypeError
from guardlang.shapes.conditions import OPPOSITE, SWAPPED, negation
from guardlang.shapes.symbols import Affine, Engine, Symbolic, SymBool, SymFloat, SymInt
from guardlang.sources import Const

__all__ = ["apply", "compare", "compute"]

_PYTHON: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_FLOAT_OPERATORS = frozenset({"+", "-", "*", "/", "//", "%", "**"})
_INFINITY = float("inf")
# With numbers of other types, complex ones too, a symbol computes as its value, which pins it.
_KNOWN = frozenset({int, float, SymInt, SymFloat})
# Shifts by more than this stay shifts: as factors they would be too long to read.
_LARGEST_SHIFT = 64


def compute(engine: Engine, op: str, left: Any, right: Any) -> Any:
    """Return `left op right`, one of them symbolic.

    Args:
        engine: the environment of the symbol.
        op: an arithmetic or bitwise operator.
        left: a symbol or any object.
        right: a symbol or any object.

    Returns:
        A symbol, or a plain number where it does not depend on the symbol; NotImplemented if an operand is no number.

    Raises:
        ZeroDivisionError: as Python does; that the divisor is zero is a guard then.
        ValueError: a negative shift, likewise.
    """
    if op in ("&", "|", "^") and _is_condition(left) and _is_condition(right):
        return _logical(engine, op, left, right)
    left, right = _number(engine, left), _number(engine, right)
    if left is NotImplemented or right is NotImplemented:
        return NotImplemented
    kinds = (type(left), type(right))
    if not _KNOWN.issuperset(kinds):
        return _on_values(engine, op, left, right)
    if float in kinds or SymFloat in kinds:
        return _floating(engine, op, left, right) if op in _FLOAT_OPERATORS else NotImplemented
    return _INTEGER[op](engine, op, left, right)


def _number(engine: Engine, x: Any) -> Any:
    """Return an operand as a symbol that is no condition, or as a number; NotImplemented for anything else."""
    cls = type(x)
    if cls is int or cls is float or cls is complex:
        return x
    if issubclass(cls, Symbolic):
        if x.env is not engine:
            raise GuardTypeError(f"{x} belongs to another environment", hint="one trace has one ShapeEnv")
        return _as_int(engine, x) if cls is SymBool else x
    for base in (int, float):
        # A bool, an enum member, a numpy float: the base type's own value.
        if issubclass(cls, base):
            return base(x)
    # A Fraction, a Decimal, a numpy integer: numbers of which the language knows nothing.
    return x if issubclass(cls, numbers.Number) else NotImplemented


def _as_int(engine: Engine, condition: SymBool) -> SymInt:
    term = IfExp(condition.expr, Const(1), Const(0))
    return SymInt(engine, (term, 1, 0), None if condition.hint is None else int(condition.hint))


def _on_values(engine: Engine, op: str, left: Any, right: Any) -> Any:
    """Return the result on the values of the example, which pins them."""
    return _PYTHON[op](*(engine.specialize(side) if isinstance(side, Symbolic) else side for side in (left, right)))


def _hint(engine: Engine, op: str, left: Any, right: Any) -> Any:
    values = [side.hint if isinstance(side, Symbolic) else side for side in (left, right)]
    if None in values:
        return None
    try:
        return _PYTHON[op](*values)
    except (ArithmeticError, ValueError):
        return _on_values(engine, op, left, right)


def _expr(x: Any) -> Expr:
    return x.expr if isinstance(x, Symbolic) else Const(x)


def _affine(x: Any) -> Affine:
    affine: Affine = x.affine
    return affine


def _integer(engine: Engine, affine: Affine, hint: int | None) -> SymInt | int:
    return SymInt(engine, affine, hint) if affine[1] else affine[2]


def _opaque(engine: Engine, op: str, left: Any, right: Any) -> SymInt:
    return SymInt(engine, (BinOp(op, _expr(left), _expr(right)), 1, 0), _hint(engine, op, left, right))


def _sum(engine: Engine, op: str, left: Any, right: Any) -> Any:
    hint = _hint(engine, op, left, right)
    sign = 1 if op == "+" else -1
    if type(right) is int:
        term, scale, shift = _affine(left)
        return SymInt(engine, (term, scale, shift + sign * right), hint)
    other, factor, rest = _affine(right)
    if type(left) is int:
        return SymInt(engine, (other, sign * factor, left + sign * rest), hint)
    term, scale, shift = _affine(left)
    if term is other:
        return _integer(engine, (term, scale + sign * factor, shift + sign * rest), hint)
    return _opaque(engine, op, left, right)


def _product(engine: Engine, op: str, left: Any, right: Any) -> Any:
    if type(left) is int:
        left, right = right, left
    if type(right) is not int:
        return _opaque(engine, op, left, right)
    term, scale, shift = _affine(left)
    return _integer(engine, (term, scale * right, shift * right), _hint(engine, op, left, right))


def _division(engine: Engine, op: str, left: Any, right: Any) -> Any:
    _nonzero(engine, op, left, right)
    if type(right) is int and type(left) is SymInt:
        term, scale, shift = _affine(left)
        whole, rest = divmod(scale, right)
        if not rest:
            # Whatever the term is, this part divides without remainder.
            quotient = (term, whole, shift // right)
            return _integer(engine, quotient, _hint(engine, op, left, right)) if op == "//" else shift % right
    elif type(left) is SymInt and _affine(left) == _affine(right):
        return 1 if op == "//" else 0
    return _opaque(engine, op, left, right)


def _nonzero(engine: Engine, op: str, left: Any, right: Any) -> None:
    """Branch on whether a divisor is zero, and fail as Python does if it is."""
    if isinstance(right, Symbolic):
        if not compare(engine, "!=", right, 0):
            _PYTHON[op](1.0 if type(left) in (float, SymFloat) else 1, 0)
    elif right == 0:
        _PYTHON[op](1.0 if type(left) in (float, SymFloat) else 1, right)


def _true_division(engine: Engine, op: str, left: Any, right: Any) -> Any:
    _nonzero(engine, op, left, right)
    return SymFloat(engine, BinOp("/", _expr(left), _expr(right)), _hint(engine, op, left, right))


def _power(engine: Engine, op: str, left: Any, right: Any) -> Any:
    if right >= 0:
        if type(right) is int and right < 2:
            return left if right else 1
        return _opaque(engine, op, left, right)
    if left == 0:
        return 0**-1
    return SymFloat(engine, BinOp("**", _expr(left), _expr(right)), _hint(engine, op, left, right))


def _shift(engine: Engine, op: str, left: Any, right: Any) -> Any:
    if not right >= 0:
        raise ValueError("negative shift count")
    if type(right) is int and right <= _LARGEST_SHIFT:
        return _INTEGER["*" if op == "<<" else "//"](engine, "*" if op == "<<" else "//", left, 1 << right)
    return _opaque(engine, op, left, right)


_INTEGER: dict[str, Callable[[Engine, str, Any, Any], Any]] = {
    "+": _sum,
    "-": _sum,
    "*": _product,
    "/": _true_division,
    "//": _division,
    "%": _division,
    "**": _power,
    "<<": _shift,
    ">>": _shift,
    "&": _opaque,
    "|": _opaque,
    "^": _opaque,
}


def _floating(engine: Engine, op: str, left: Any, right: Any) -> Any:
    if op in ("/", "//", "%"):
        _nonzero(engine, op, left, right)
    elif op == "**" and not left > 0:
        # Zero, a sign or a NaN decides whether there is a result and of which type.
        return _on_values(engine, op, left, right)
    result = SymFloat(engine, BinOp(op, _expr(left), _expr(right)), _hint(engine, op, left, right))
    if op == "**" and not result >= 0:
        # Powers of positive numbers are never negative: what the guard says is that this one is no overflow.
        return _on_values(engine, op, left, right)
    return result


# Comparisons.


def compare(engine: Engine, op: str, left: Any, right: Any) -> Any:
    """Return whether `left op right`, one of them symbolic.

    Args:
        engine: the environment of the symbol.
        op: a comparison operator.
        left: a symbol or any object.
        right: a symbol or any object.

    Returns:
        A `SymBool`, or a bool where it does not depend on the symbol; NotImplemented if an operand is no number.
    """
    if op in ("==", "!=") and _is_condition(left) and _is_condition(right):
        if type(left) is bool:
            left, right = right, left
        if type(right) is bool:
            return left if right is (op == "==") else _not(engine, left)
        different = _logical(engine, "^", left, right)
        return different if op == "!=" else _not(engine, different)
    left, right = _number(engine, left), _number(engine, right)
    if left is NotImplemented or right is NotImplemented:
        return NotImplemented
    kinds = (type(left), type(right))
    if not _KNOWN.issuperset(kinds):
        return _on_values(engine, op, left, right)
    if kinds[0] is not SymInt and kinds[1] is SymInt:
        left, right, op = right, left, SWAPPED[op]
    if type(left) is SymInt and type(right) in (int, SymInt):
        return _compare_integers(engine, op, left, right)
    return SymBool(engine, _hint(engine, op, left, right), expr=Compare((op,), (_expr(left), _expr(right))))


def _compare_integers(engine: Engine, op: str, left: SymInt, right: SymInt | int) -> SymBool | bool:
    hint = _hint(engine, op, left, right)
    if type(right) is not SymInt:
        return SymBool(engine, hint, link=(op, left, right))
    term, scale, shift = left.affine
    other, factor, rest = right.affine
    if term is not other:
        return SymBool(engine, hint, link=(op, left, right))
    # Of one term: all of it to the left, the constant to the right.
    scale, bound = scale - factor, rest - shift
    if not scale:
        return bool(_PYTHON[op](0, bound))
    if scale < 0:
        scale, bound, op = -scale, -bound, SWAPPED[op]
    if bound % scale == 0:
        scale, bound = 1, bound // scale
    value = None if left.hint is None or right.hint is None else (left.hint - shift) // left.affine[1] * scale
    return SymBool(engine, hint, link=(op, SymInt(engine, (term, scale, 0), value), bound))


# Conditions.


def _is_condition(x: Any) -> bool:
    return type(x) is SymBool or type(x) is bool


def _logical(engine: Engine, op: str, left: Any, right: Any) -> SymBool | bool:
    for side in (left, right):
        if isinstance(side, Symbolic) and side.env is not engine:
            raise GuardTypeError(f"{side} belongs to another environment", hint="one trace has one ShapeEnv")
    if type(left) is bool:
        left, right = right, left
    if type(right) is bool:
        if op == "^":
            return _not(engine, left) if right else left
        return left if right is (op == "&") else right
    hint = None if left.hint is None or right.hint is None else bool(_PYTHON[op](left.hint, right.hint))
    sides = (left.expr, right.expr)
    expr = Compare(("!=",), sides) if op == "^" else BoolOp("and" if op == "&" else "or", sides)
    return SymBool(engine, hint, expr=expr)


def _not(engine: Engine, condition: SymBool | bool) -> SymBool | bool:
    if type(condition) is not SymBool:
        return not condition
    hint = None if condition.hint is None else not condition.hint
    if condition.link is not None:
        op, left, right = condition.link
        return SymBool(engine, hint, link=(OPPOSITE[op], left, right))
    return SymBool(engine, hint, expr=negation(condition.expr))


# One operand.


def apply(engine: Engine, function: str, operand: Symbolic, digits: Any = None) -> Any:
    """Return a function of the language of one symbol.

    Args:
        engine: the environment of the symbol.
        function: `-`, `+`, `abs`, `floor`, `ceil`, `trunc` or `round`.
        operand: the symbol.
        digits: for `round`.

    Raises:
        ValueError: an integer is asked of a NaN.
        OverflowError: an integer is asked of an infinity.
    """
    x: Any = _as_int(engine, operand) if type(operand) is SymBool else operand
    if function == "+":
        return x
    if isinstance(digits, Symbolic):
        digits = engine.specialize(digits)
    if type(x) is SymFloat:
        return _of_float(engine, function, x, digits)
    if function == "-":
        term, scale, shift = x.affine
        return SymInt(engine, (term, -scale, -shift), None if x.hint is None else -x.hint)
    if function == "abs":
        return SymInt(engine, (Call("abs", (x.expr,)), 1, 0), None if x.hint is None else abs(x.hint))
    if function == "round" and digits is not None and digits < 0:
        hint = None if x.hint is None else round(x.hint, digits)
        return SymInt(engine, (Call("round", (x.expr, Const(digits))), 1, 0), hint)
    return x


_WHOLE: dict[str, Callable[[float], int]] = {"floor": math.floor, "ceil": math.ceil, "trunc": math.trunc, "round": round}


def _of_float(engine: Engine, function: str, x: SymFloat, digits: Any) -> Any:
    known = x.hint is not None
    if function == "-":
        return SymFloat(engine, UnaryOp("-", x.expr), -x.hint if known else None)
    magnitude = SymFloat(engine, Call("abs", (x.expr,)), abs(x.hint) if known else None)
    if function == "abs":
        return magnitude
    if function == "round" and digits is not None:
        return SymFloat(engine, Call("round", (x.expr, Const(digits))), round(x.hint, digits) if known else None)
    if not magnitude < _INFINITY:
        # An infinity or a NaN: the error is Python's.
        return _WHOLE[function](float(engine.specialize(x)))
    return SymInt(engine, (Call(function, (x.expr,)), 1, 0), _WHOLE[function](x.hint) if known else None)
