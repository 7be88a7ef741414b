"""Exact questions about integer polynomials, answered by sympy: division, factors, and isolating a variable.

The expressions count as integers; every part that is no polynomial is one unknown. Whoever uses an answer still has to know that
all parts are defined.
"""

from __future__ import annotations

from typing import Any

import attrs

from guardlang.ast import BinOp, Expr
from guardlang.errors import UnsupportedGuard
from guardlang.solver.sympy_export import Exporter
from guardlang.solver.sympy_import import from_sympy

__all__ = ["Isolated", "divide", "factor", "isolate"]

# Beyond these the division of polynomials takes longer than its answer is worth.
_MAX_TERMS = 400
_MAX_DEGREE = 24


@attrs.frozen
class Isolated:
    """An equation solved for one part: it says the same as `coefficient * part == rest`.

    Args:
        coefficient: free of the part.
        rest: free of the part.
    """

    coefficient: Expr
    rest: Expr


def divide(numerator: Expr, divisor: Expr) -> Expr | None:
    """Return the polynomial q with integer coefficients for which `numerator == q * divisor` everywhere; None without one.

    So `numerator % divisor == 0` and `numerator // divisor == q` wherever the divisor is not 0.

    Args:
        numerator: a polynomial in its parts.
        divisor: a polynomial in its parts.

    Example:
        >>> from guardlang.parse import parse
        >>> a2b2, sum_ = (parse(t).operands[0] for t in ("L['a']*L['a'] - L['b']*L['b'] == 0", "L['a'] + L['b'] == 0"))
        >>> str(divide(a2b2, sum_))
        "L['a'] - L['b']"
    """
    found = _polynomials(numerator, divisor)
    if found is None:
        return None
    exporter, (top, bottom) = found
    if bottom.is_zero:
        return None
    quotient, rest = top.div(bottom)
    if not rest.is_zero or not all(c.is_Integer for c in quotient.coeffs()):
        return None
    return _back(exporter, quotient.as_expr())


def factor(expr: Expr) -> tuple[int, tuple[tuple[Expr, int], ...]] | None:
    """Return the constant and the irreducible factors of a polynomial with their powers; None for what is too large.

    Args:
        expr: a polynomial in its parts.

    Example:
        >>> from guardlang.parse import parse
        >>> constant, factors = factor(parse("2*L['a']*L['a'] + 4*L['a'] + 2 == 0").operands[0])
        >>> constant, [(str(part), power) for part, power in factors]
        (2, [("L['a'] + 1", 2)])
    """
    found = _polynomials(expr)
    if found is None:
        return None
    exporter, (polynomial,) = found
    constant, factors = polynomial.factor_list()
    return int(constant), tuple((_back(exporter, part.as_expr()), int(power)) for part, power in factors)


def isolate(left: Expr, right: Expr, part: Expr) -> Isolated | None:
    """Return `left == right` solved for a part that it holds linearly; None when it does not.

    Args:
        left: one side.
        right: the other.
        part: a source or another part of them.

    Example:
        >>> from guardlang.parse import parse
        >>> left, right = parse("2 * L['n'] + L['m'] == 3 * L['n'] + 7").operands
        >>> found = isolate(left, right, right.left.right)
        >>> str(found.coefficient), str(found.rest)
        ('1', "L['m'] - 7")
    """
    found = _polynomials(BinOp("-", left, right))
    if found is None:
        return None
    exporter, (polynomial,) = found
    symbol = next((s for s, node in exporter.sources.items() if node is part), None)
    if symbol is None or symbol not in polynomial.gens or polynomial.degree(symbol) != 1:
        return None
    expression = polynomial.as_expr()
    coefficient = expression.coeff(symbol, 1)
    rest = exporter.sympy.expand(coefficient * symbol - expression)
    # Of the two signs the one whose leading coefficient is positive.
    if exporter.sympy.Poly(coefficient, *polynomial.gens).LC() < 0:
        coefficient, rest = -coefficient, -rest
    return Isolated(_back(exporter, coefficient), _back(exporter, rest))


def _polynomials(*exprs: Expr) -> tuple[Exporter, list[Any]] | None:
    """Return the polynomials of some expressions in common unknowns; None for what is none, or too large."""
    exporter = Exporter(opaque=True)
    try:
        expressions = [exporter.convert(expr) for expr in exprs]
    except UnsupportedGuard:
        return None
    if any(getattr(e, "is_Relational", False) or getattr(e, "is_Boolean", False) for e in expressions):
        return None
    generators = list(exporter.sources) or [exporter.sympy.Symbol("x", integer=True)]
    if any(_too_large(expression, generators, exporter.sympy) for expression in expressions):
        return None
    return exporter, [exporter.sympy.Poly(expression, *generators, domain="QQ") for expression in expressions]


def _too_large(expression: Any, generators: list[Any], sympy: Any) -> bool:
    """Tell whether a polynomial has a degree or may have terms beyond the bounds, without expanding it."""
    degrees: dict[Any, tuple[int, int]] = {}
    for node in sympy.postorder_traversal(expression):
        below = [degrees[arg] for arg in node.args]
        if node.is_Add:
            degrees[node] = (max(d for d, _ in below), sum(t for _, t in below))
        elif node.is_Mul:
            terms = 1
            for _, count in below:
                terms *= count
            degrees[node] = (sum(d for d, _ in below), terms)
        elif node.is_Pow:
            power = int(node.exp)
            degree, terms = below[0]
            degrees[node] = (degree * power, min(terms**power, _MAX_TERMS + 1))
        else:
            degrees[node] = (1 if node in generators else 0, 1)
        if degrees[node][0] > _MAX_DEGREE or degrees[node][1] > _MAX_TERMS:
            return True
    return False


def _back(exporter: Exporter, expression: Any) -> Expr:
    return from_sympy(expression, exporter.sources).expr
