"""Sums for the checker: exact polynomials of its own, made from expressions and from the solver's claims alike.

Nothing here is shared with the solver's normal form. A term is a mapping from products to coefficients; a product is a frozenset
of pairs of factor and power, so that it has no order.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from guardlang.ast import BinOp, Call, Expr, IfExp, UnaryOp
from guardlang.sources import AttrSource, Const, TensorProperty, TensorPropertySource

__all__ = ["Sum", "atom", "constant", "floor_division", "largest", "leaves_of", "sum_of", "sum_of_claim"]

_ONE: frozenset[Any] = frozenset()


class Sum:
    """A polynomial with rational coefficients, compared by value.

    Example:
        >>> (constant(2) + constant(3)) == constant(5)
        True
    """

    __slots__ = ("items",)

    def __init__(self, items: Mapping[frozenset[Any], Fraction]) -> None:
        self.items = {product: value for product, value in items.items() if value}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sum) and self.items == other.items

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def key(self) -> Hashable:
        """A hashable form."""
        return frozenset(self.items.items())

    def __add__(self, other: Sum) -> Sum:
        items = dict(self.items)
        for product, value in other.items.items():
            items[product] = items.get(product, Fraction(0)) + value
        return Sum(items)

    def __neg__(self) -> Sum:
        return self.scaled(-1)

    def __sub__(self, other: Sum) -> Sum:
        return self + -other

    def scaled(self, factor: Fraction | int) -> Sum:
        """Return the sum multiplied by a number."""
        return Sum({product: value * factor for product, value in self.items.items()})

    def __mul__(self, other: Sum) -> Sum:
        items: dict[frozenset[Any], Fraction] = {}
        for left, first in self.items.items():
            for right, second in other.items.items():
                powers = dict(left)
                for factor, power in right:
                    powers[factor] = powers.get(factor, 0) + power
                product = frozenset(powers.items())
                items[product] = items.get(product, Fraction(0)) + first * second
        return Sum(items)

    @property
    def number(self) -> Fraction:
        """The constant term."""
        return self.items.get(_ONE, Fraction(0))

    @property
    def is_number(self) -> bool:
        """Whether there is nothing but a constant."""
        return all(product == _ONE for product in self.items)

    @property
    def variable_part(self) -> Sum:
        """The sum without its constant."""
        return Sum({product: value for product, value in self.items.items() if product != _ONE})

    def ratio(self, other: Sum) -> Fraction | None:
        """Return the number k with `self == k * other`, None when there is none."""
        if not other.items or self.items.keys() != other.items.keys():
            return None
        ratios = {self.items[product] / value for product, value in other.items.items()}
        return ratios.pop() if len(ratios) == 1 else None

    def factors(self) -> set[Any]:
        """Return every factor that occurs in a product."""
        return {factor for product in self.items for factor, _ in product}

    def replaced(self, table: Mapping[Any, Sum]) -> Sum:
        """Return the sum with factors replaced, also inside quotients and maxima."""
        total = constant(0)
        for product, value in self.items.items():
            part = constant(value)
            for factor, power in product:
                inner = _replaced(factor, table)
                for _ in range(power):
                    part = part * inner
            total = total + part
        return total


def _replaced(factor: Any, table: Mapping[Any, Sum]) -> Sum:
    if factor in table:
        return table[factor]
    if isinstance(factor, tuple) and factor[0] == "//":
        top, bottom = (Sum(dict(side)).replaced(table) for side in factor[1:])
        if (top, bottom) != (Sum(dict(factor[1])), Sum(dict(factor[2]))) and bottom.items:
            return floor_division(top, bottom)
    if isinstance(factor, tuple) and factor[0] == "max":
        return largest([Sum(dict(part)).replaced(table) for part in factor[1]])
    if isinstance(factor, tuple) and factor[0] == "if":
        return _choice(factor[1], *(Sum(dict(part)).replaced(table) for part in factor[2:]))
    return atom(factor)


def constant(value: Fraction | int) -> Sum:
    """Return a constant sum."""
    return Sum({_ONE: Fraction(value)})


def atom(factor: Any) -> Sum:
    """Return the sum that is one factor."""
    return Sum({frozenset({(factor, 1)}): Fraction(1)})


def largest(parts: Iterable[Sum]) -> Sum:
    """Return the maximum of integers; parts that differ by a constant are one."""
    flat: list[Sum] = []
    for part in parts:
        only = _single(part)
        if isinstance(only, tuple) and only[0] == "max":
            flat.extend(Sum(dict(inner)) for inner in only[1])
        else:
            flat.append(part)
    by_shape: dict[Any, Sum] = {}
    for part in flat:
        shape = part.variable_part.key
        if shape not in by_shape or by_shape[shape].number < part.number:
            by_shape[shape] = part
    kept = list(by_shape.values())
    return kept[0] if len(kept) == 1 else atom(("max", frozenset(part.key for part in kept)))


def _single(part: Sum) -> Any:
    if len(part.items) == 1:
        ((product, value),) = part.items.items()
        if value == 1 and len(product) == 1:
            ((factor, power),) = product
            return factor if power == 1 else None
    return None


def _choice(test: Expr, first: Sum, second: Sum) -> Sum:
    return atom(("if", test, first.key, second.key))


def floor_division(top: Sum, bottom: Sum) -> Sum:
    """Return the floor of an integer divided by another one that is not zero.

    Integral multiples of the divisor go out of the quotient; a common factor cancels; for positive constants quotients of
    quotients are one quotient. Each of these holds for floor division of all integers.
    """
    scale = math.lcm(*(value.denominator for side in (top, bottom) for value in side.items.values()), 1)
    if scale > 1:
        top, bottom = top.scaled(scale), bottom.scaled(scale)
    if bottom.is_number:
        divisor = int(bottom.number)
        return _by_number(top, divisor) if divisor > 0 else _by_number(-top, -divisor)
    outside, rest = _long_division(top, bottom)
    if not rest.items:
        return outside
    common = math.gcd(*(int(value) for side in (rest, bottom) for value in side.items.values()))
    rest, bottom = rest.scaled(Fraction(1, common)), bottom.scaled(Fraction(1, common))
    if rest == bottom:
        return outside + constant(1)
    return outside + atom(("//", rest.key, bottom.key))


def _by_number(top: Sum, divisor: int) -> Sum:
    outside: dict[frozenset[Any], Fraction] = {}
    inside: dict[frozenset[Any], Fraction] = {}
    for product, value in top.items.items():
        whole, left = divmod(int(value), divisor)
        outside[product], inside[product] = Fraction(whole), Fraction(left)
    rest = Sum(inside)
    shape = rest.variable_part
    if not shape.items:
        return Sum(outside)
    common = math.gcd(divisor, *(int(value) for value in shape.items.values()))
    if common > 1:
        small = Sum({product: Fraction(int(value) // common) for product, value in rest.items.items()})
        return Sum(outside) + (_by_number(small, divisor // common) if divisor > common else small)
    only = _single(rest)
    if isinstance(only, tuple) and only[0] == "//" and Sum(dict(only[2])).is_number and Sum(dict(only[2])).number > 0:
        return Sum(outside) + floor_division(Sum(dict(only[1])), Sum(dict(only[2])).scaled(divisor))
    return Sum(outside) + atom(("//", rest.key, constant(divisor).key))


def _long_division(top: Sum, bottom: Sum) -> tuple[Sum, Sum]:
    if len(bottom.items) > 8 or len(top.items) > 64:
        return constant(0), top
    lead = max(bottom.items, key=_place)
    quotient, rest = constant(0), top
    for _ in range(256):
        for product in sorted(rest.items, key=_place, reverse=True):
            left = _divided(product, lead)
            if left is not None and (rest.items[product] / bottom.items[lead]).denominator == 1:
                step = Sum({left: rest.items[product] / bottom.items[lead]})
                break
        else:
            return quotient, rest
        quotient, rest = quotient + step, rest - step * bottom
        if len(rest.items) > 64:
            break
    return constant(0), top


def _place(product: frozenset[Any]) -> tuple[int, list[str]]:
    return sum(power for _, power in product), sorted(text for factor, power in product for text in [text_of(factor)] * power)


def text_of(factor: Any) -> str:
    """Return a text that orders factors."""
    if not isinstance(factor, tuple):
        return str(factor)
    if factor[0] == "//":
        return f"({_sum_text(factor[1])}) // ({_sum_text(factor[2])})"
    if factor[0] == "max":
        return f"max({', '.join(sorted(map(_sum_text, factor[1])))})"
    return f"({_sum_text(factor[2])} if {factor[1]} else {_sum_text(factor[3])})"


def _sum_text(key: Any) -> str:
    return " + ".join(sorted(f"{value}*{_place(product)[1]}" for product, value in key))


def _divided(product: frozenset[Any], divisor: frozenset[Any]) -> frozenset[Any] | None:
    powers = dict(product)
    for factor, power in divisor:
        left = powers.get(factor, 0) - power
        if left < 0:
            return None
        powers[factor] = left
    return frozenset((factor, power) for factor, power in powers.items() if power)


# From expressions.

_INT_FUNCTIONS = ("len", "remaining", "floor", "ceil", "trunc", "int")
_MAX_DEPTH = 150


def is_int_term(expr: Expr) -> bool:
    """Tell whether a term is an int wherever it is defined."""
    if isinstance(expr, TensorPropertySource):
        return expr.prop is not TensorProperty.IS_CONTIGUOUS
    if isinstance(expr, AttrSource):
        return expr.member == "ndim"
    if isinstance(expr, Const):
        return type(expr.value) in (int, bool)
    return isinstance(expr, Call) and expr.function in _INT_FUNCTIONS


def leaves_of(expr: Expr) -> set[Expr]:
    """Return the terms that must be ints for `sum_of` to be the value of an expression."""
    found: set[Expr] = set()
    pending = [expr]
    while pending:
        node = pending.pop()
        inner = _operands(node)
        if inner is not None:
            pending.extend(inner)
        elif not is_int_term(node) and not isinstance(node, Const):
            found.add(node)
    return found


def _operands(node: Expr) -> tuple[Expr, ...] | None:
    if isinstance(node, BinOp):
        power = node.op == "**" and not (
            isinstance(node.right, Const) and type(node.right.value) is int and node.right.value >= 0
        )
        # These need not give an int.
        return None if node.op == "/" or power else (node.left, node.right)
    if isinstance(node, UnaryOp):
        return (node.operand,)
    if isinstance(node, IfExp):
        return (node.body, node.orelse)
    if isinstance(node, Call) and node.function in ("min", "max", "abs"):
        return node.args
    return None


def sum_of(expr: Expr, depth: int = 0) -> Sum | None:
    """Return the value of an integer expression, None when it is no integer arithmetic.

    Example:
        >>> from guardlang.parse import parse
        >>> sum_of(parse("(L['n'] + 1) * 2 - 2")) == sum_of(parse("L['n'] + L['n']"))
        True
    """
    if isinstance(expr, Const):
        value = expr.value
        if type(value) is float and math.isfinite(value) and depth == 0:
            return constant(Fraction(value))
        return constant(int(value)) if type(value) in (int, bool) else None
    inner = _operands(expr)
    if inner is None:
        return atom(expr)
    if depth > _MAX_DEPTH:
        return None
    parts = [sum_of(part, depth + 1) for part in inner]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return atom(expr)
    found = _computed(expr, known)
    return atom(expr) if found is None else found


def _computed(expr: Expr, parts: list[Sum]) -> Sum | None:
    match expr:
        case UnaryOp(op=op):
            return -parts[0] if op == "-" else -parts[0] - constant(1)
        case IfExp():
            return _choice(expr.test, parts[0], parts[1])
        case Call(function="max"):
            return largest(parts)
        case Call(function="min"):
            return -largest(-part for part in parts)
        case Call(function="abs"):
            return largest([parts[0], -parts[0]])
        case BinOp(op=op):
            return _operation(op, parts[0], parts[1])
    return None


def _operation(op: str, left: Sum, right: Sum) -> Sum | None:
    match op:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "//" | "%":
            if not right.items:
                return None
            whole = floor_division(left, right)
            return whole if op == "//" else left - right * whole
        case "**":
            if not right.is_number or not 0 <= right.number <= 6:
                return None
            result = constant(1)
            for _ in range(int(right.number)):
                result = result * left
            return result
        case "<<" | ">>":
            if not right.is_number or not 0 <= right.number <= 1024:
                return None
            power = constant(2 ** int(right.number))
            return left * power if op == "<<" else floor_division(left, power)
    return None


def sum_of_claim(polynomial: Any) -> Sum:
    """Return a polynomial of the solver as a sum of the checker's own.

    Args:
        polynomial: has `terms`: coefficients by tuple of factors; a factor that is no expression has `parts`.
    """
    total = constant(0)
    for factors, value in polynomial.terms.items():
        part = constant(Fraction(value))
        for factor in factors:
            part = part * factor_of_claim(factor)
        total = total + part
    return total


def factor_of_claim(factor: Any) -> Sum:
    """Return one factor of the solver's as a sum."""
    parts = getattr(factor, "parts", None)
    if parts is None:
        return atom(factor)
    inner = [sum_of_claim(part) for part in parts]
    name = type(factor).__name__
    if name == "Quotient":
        return floor_division(inner[0], inner[1])
    if name == "Peak":
        return largest(inner)
    return _choice(factor.test, inner[0], inner[1])
