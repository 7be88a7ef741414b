"""The normal form of integer expressions: polynomials in which floor division, maxima and conditionals are atoms.

`a % k` becomes `a - k * (a // k)`, so that quotient and remainder need one atom. Everything here holds for all integers; where a
divisor may be zero the form says which polynomials must not be zero.
"""

from __future__ import annotations

import math
from fractions import Fraction
from weakref import WeakKeyDictionary

import attrs

from guardlang.ast import BinOp, Call, Compare, Expr, IfExp, UnaryOp
from guardlang.solver.polynomial import (
    MAX_DEGREE,
    MAX_TERMS,
    ONE,
    Choice,
    Peak,
    Polynomial,
    Quotient,
    divide_exactly,
    number,
    opaque,
)
from guardlang.sources import AttrSource, Const, TensorProperty, TensorPropertySource

__all__ = [
    "Form",
    "Literal",
    "comparison",
    "is_size",
    "literal",
    "maximum",
    "normal_form",
    "quotient",
    "remainder",
    "statically_int",
]

# Arithmetic nested deeper than this is opaque; the form is made by recursion.
_MAX_NESTING = 150
_MAX_CONSTANT_BITS = 4096
_RESULTS_INT = frozenset({"len", "remaining", "floor", "ceil", "trunc", "int"})
_NONE: tuple[Expr, ...] = ()


@attrs.frozen(eq=False)
class Form:
    """An expression as a polynomial.

    Args:
        value: the polynomial, exact when every expression in `leaves` is an exact int or bool.
        leaves: expressions that are not known to be ints by what they are.
        divisors: polynomials that must not be zero for the expression to be defined.
    """

    value: Polynomial
    leaves: tuple[Expr, ...] = _NONE
    divisors: tuple[Polynomial, ...] = ()


class Literal:
    """A comparison between integers: what it says when it is true and when it is false.

    `true` and `false` are a polynomial and its relation to zero; the rest is as in `Form`.
    """

    __slots__ = ("divisors", "false", "leaves", "true")

    def __init__(
        self,
        true: tuple[Polynomial, str],
        false: tuple[Polynomial, str],
        leaves: tuple[Expr, ...],
        divisors: tuple[Polynomial, ...],
    ) -> None:
        self.true = true
        self.false = false
        self.leaves = leaves
        self.divisors = divisors


_literals: WeakKeyDictionary[Expr, Literal | None] = WeakKeyDictionary()
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def literal(expr: Compare) -> Literal | None:
    """Return a comparison of two operands as polynomials, None when it is not between integers.

    Example:
        >>> from guardlang.parse import parse
        >>> literal(parse("L['n'] > 3")).true, literal(parse("L['n'] > 3")).false
        ((L['n'] - 4, '>='), (3 - L['n'], '>='))
    """
    if expr in _literals:
        return _literals[expr]
    first, second = (_side(operand) for operand in expr.operands)
    found = None
    op = expr.ops[0]
    if first is not None and second is not None and op in _OPPOSITE:
        leaves = first.leaves or second.leaves
        if first.leaves and second.leaves:
            leaves = tuple(dict.fromkeys(first.leaves + second.leaves))
        found = Literal(
            comparison(op, first.value, second.value),
            comparison(_OPPOSITE[op], first.value, second.value),
            leaves,
            first.divisors + second.divisors,
        )
    if expr not in (found.leaves if found is not None else ()):
        _literals[expr] = found
    return found


def _side(expr: Expr) -> Form | None:
    """Return an operand of a comparison as a polynomial; a float constant is the rational number that it is."""
    if isinstance(expr, Const) and type(expr.value) is float:
        value = expr.value
        return None if value != value or math.isinf(value) else Form(number(Fraction(value)))
    return normal_form(expr)


def comparison(op: str, left: Polynomial, right: Polynomial) -> tuple[Polynomial, str]:
    """Return a comparison of integers as a polynomial and its relation to zero.

    Args:
        op: an order or equality operator.
        left: integer valued, or a rational constant.
        right: likewise.

    Example:
        >>> comparison("<", number(1), number(Fraction(3, 2)))
        (0, '>=')
    """
    difference = right - left if op in ("<", "<=") else left - right
    scale = difference.scale
    if scale > 1:
        difference = difference.times(scale).whole()
    if op in ("<", ">"):
        return difference - ONE, ">="
    return difference, ">=" if op in ("<=", ">=") else op


_forms: WeakKeyDictionary[Expr, Form | None] = WeakKeyDictionary()


def is_size(expr: Expr) -> bool:
    """Tell whether an expression is never negative by what it is.

    Example:
        >>> from guardlang.parse import parse
        >>> is_size(parse("len(L['x'])")), is_size(parse("L['x'].stride(0)"))
        (True, False)
    """
    match expr:
        case TensorPropertySource(prop=TensorProperty.SIZE) | AttrSource(member="ndim") | Call(function="len" | "remaining"):
            return True
    return False


def statically_int(expr: Expr) -> bool:
    """Tell whether an expression is an int by what it is.

    Example:
        >>> from guardlang.parse import parse
        >>> statically_int(parse("L['x'].shape[0]")), statically_int(parse("L['n']"))
        (True, False)
    """
    match expr:
        case TensorPropertySource(prop=prop):
            return prop is not TensorProperty.IS_CONTIGUOUS
        case AttrSource(member=member):
            return member == "ndim"
        case Call(function=function):
            return function in _RESULTS_INT
        case Const(value=value):
            return type(value) in (int, bool)
    return False


def normal_form(expr: Expr) -> Form | None:
    """Return an expression as a polynomial, None when it cannot be an integer.

    Example:
        >>> from guardlang.parse import parse
        >>> str(normal_form(parse("(64 * L['n'] + 61) % 256")).value)
        "64*L['n'] + 61 - 256*(L['n']) // (4)"
    """
    if expr in _forms:
        return _forms[expr]
    return _form(expr, 0)


def _form(expr: Expr, depth: int) -> Form | None:
    match expr:
        case Const(value=value):
            if type(value) not in (int, bool) or value.bit_length() > _MAX_CONSTANT_BITS:
                return None
            return Form(number(int(value)))
        case BinOp() | UnaryOp() | IfExp():
            pass
        case Call(function=function):
            if function not in ("min", "max", "abs"):
                return _leaf(expr)
        case _:
            return _leaf(expr)
    if expr in _forms:
        return _forms[expr]
    if depth > _MAX_NESTING:
        return _leaf(expr)
    found = _compound(expr, depth + 1)
    if found is not None and (
        len(found.value.terms) > MAX_TERMS
        or found.value.degree > MAX_DEGREE
        or any(abs(f).bit_length() > _MAX_CONSTANT_BITS for f in found.value.terms.values() if type(f) is int)
    ):
        found = None
    if found is None:
        return _leaf(expr)
    if expr not in found.leaves:
        _forms[expr] = found
    return found


def _leaf(expr: Expr) -> Form:
    return Form(Polynomial({(expr,): 1}), _NONE if statically_int(expr) else (expr,))


def _compound(expr: BinOp | UnaryOp | IfExp | Call, depth: int) -> Form | None:
    """Return the form of an operation, None when it has to be opaque."""
    parts: tuple[Expr, ...]
    match expr:
        case BinOp():
            parts = (expr.left, expr.right)
        case UnaryOp():
            parts = (expr.operand,)
        case IfExp():
            parts = (expr.body, expr.orelse)
        case Call():
            parts = expr.args
    below = []
    for part in parts:
        form = _form(part, depth)
        if form is None:
            return None
        below.append(form)
    divisors = tuple(divisor for form in below for divisor in form.divisors)
    leaves: tuple[Expr, ...] = below[0].leaves
    if len(below) > 1:
        leaves = tuple(dict.fromkeys(leaf for form in below for leaf in form.leaves))
    values = [form.value for form in below]
    match expr:
        case UnaryOp(op="-"):
            return Form(-values[0], leaves, divisors)
        case UnaryOp():
            return Form((-values[0]) - ONE, leaves, divisors)
        case IfExp():
            # A part that is not evaluated need not be defined.
            return Form(opaque(Choice, (values[0], values[1]), expr.test), leaves, ()) if not divisors else None
        case Call(function="abs"):
            return Form(maximum((values[0], -values[0])), leaves, divisors)
        case Call(function="max"):
            return Form(maximum(tuple(values)), leaves, divisors)
        case Call():
            return Form(-maximum(tuple(-value for value in values)), leaves, divisors)
    return _binary(expr.op, values[0], values[1], leaves, divisors)


def _binary(
    op: str, left: Polynomial, right: Polynomial, leaves: tuple[Expr, ...], divisors: tuple[Polynomial, ...]
) -> Form | None:
    match op:
        case "+":
            return Form(left + right, leaves, divisors)
        case "-":
            return Form(left - right, leaves, divisors)
        case "*":
            if len(left.terms) * len(right.terms) > MAX_TERMS:
                return None
            return Form(left * right, leaves, divisors)
        case "//" | "%":
            if not right.terms:
                return None
            if not right.is_constant:
                divisors = (*divisors, right)
            value = quotient(left, right) if op == "//" else remainder(left, right)
            return Form(value, leaves, divisors)
        case "**":
            exponent = right.constant
            if not right.is_constant or not 0 <= exponent <= MAX_DEGREE or left.degree * exponent > MAX_DEGREE:
                return None
            value = ONE
            for _ in range(int(exponent)):
                value = value * left
                if len(value.terms) > MAX_TERMS:
                    return None
            return Form(value, leaves, divisors)
        case "<<" | ">>":
            shift = right.constant
            if not right.is_constant or not 0 <= shift <= 1024:
                return None
            power = number(1 << int(shift))
            return Form(left * power if op == "<<" else quotient(left, power), leaves, divisors)
    return None


def maximum(parts: tuple[Polynomial, ...]) -> Polynomial:
    """Return the largest of some polynomials, as simply as it can be said for all integers.

    Example:
        >>> str(maximum((number(2), number(5))))
        '5'
    """
    flat: list[Polynomial] = []
    for part in parts:
        inner = part.single
        flat.extend(inner.parts if isinstance(inner, Peak) else [part])
    kept: list[Polynomial] = []
    for part in flat:
        for position, other in enumerate(kept):
            gap = part - other
            if gap.is_constant:
                if gap.constant > 0:
                    kept[position] = part
                break
        else:
            kept.append(part)
    if len(kept) == 1:
        return kept[0]
    return opaque(Peak, tuple(kept))


def quotient(left: Polynomial, right: Polynomial) -> Polynomial:
    """Return `left // right` for a divisor that is not zero.

    Example:
        >>> str(quotient(number(-7), number(2)))
        '-4'
    """
    if right.is_constant:
        divisor = int(right.constant)
        return _by_constant(left, divisor) if divisor > 0 else _by_constant(-left, -divisor)
    whole, rest = divide_exactly(left, right)
    if not rest.terms:
        return whole
    # A common factor of all coefficients cancels: floor(g*a / g*b) is floor(a / b) for every g but zero.
    common = math.gcd(rest.content, right.content, int(rest.constant), int(right.constant))
    if common > 1:
        rest, right = rest.times(Fraction(1, common)).whole(), right.times(Fraction(1, common)).whole()
        if right.is_constant:
            return whole + quotient(rest, right)
    if rest.terms == right.terms:
        return whole + ONE
    return whole + opaque(Quotient, (rest, right))


def _by_constant(left: Polynomial, divisor: int) -> Polynomial:
    """Return `left // divisor` for a positive constant: what is divisible goes out, the rest is reduced."""
    if divisor == 1:
        return left
    outside: dict[tuple[object, ...], int] = {}
    inside = {}
    for mono, factor in left.terms.items():
        whole, rest = divmod(int(factor), divisor)
        if whole:
            outside[mono] = whole
        if rest:
            inside[mono] = rest
    rest_form = Polynomial(inside)
    out = Polynomial(outside)  # type: ignore[arg-type]  # the same monomials
    content = rest_form.content
    if not content:
        return out
    common = math.gcd(content, divisor)
    if common > 1:
        rest_form = Polynomial({mono: int(factor) // common for mono, factor in inside.items() if int(factor) // common})
        return out + _by_constant(rest_form, divisor // common)
    inner = rest_form.single
    if isinstance(inner, Quotient) and inner.parts[1].is_constant:
        # (a // m) // n is a // (m * n) for positive n.
        return out + quotient(inner.parts[0], inner.parts[1].times(divisor))
    return out + opaque(Quotient, (rest_form, number(divisor)))


def remainder(left: Polynomial, right: Polynomial) -> Polynomial:
    """Return `left % right` for a divisor that is not zero.

    Example:
        >>> str(remainder(number(-7), number(3)))
        '2'
    """
    return left - right * quotient(left, right)
