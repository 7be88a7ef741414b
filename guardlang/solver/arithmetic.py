"""Python's integer arithmetic as formulas: floor division, sign of the modulo, shifts and bits of integers without bound."""

from __future__ import annotations

from fractions import Fraction

from guardlang.solver.formula import INT, TRUE, Builder, Term

__all__ = [
    "MAX_BITS",
    "bit_and",
    "ceiling",
    "floor",
    "floor_divide",
    "integer_power",
    "modulo",
    "round_half_even",
    "shift_left",
    "shift_right",
    "truncate",
]

# Results with more bits are undefined in the language.
MAX_BITS = 2**16
# Powers up to this exponent are written out as products.
_MAX_EXPONENT = 64
# Masks up to this many bits are written out as sums of runs of bits.
_MAX_MASK = 256


def floor_divide(make: Builder, a: Term, b: Term) -> Term:
    """Return Python's `a // b` for b != 0.

    Example:
        >>> make = Builder()
        >>> str(floor_divide(make, make.integer(7), make.integer(-2)))
        '-4'
    """
    # Euclid's quotient is the floor for a positive divisor only.
    positive = make.divide(a, b)
    if b.op == "const":
        return positive if isinstance(b.value, int) and b.value > 0 else make.divide(make.minus(a), make.minus(b))
    return make.choose(make.lt(make.integer(0), b), positive, make.divide(make.minus(a), make.minus(b)))


def modulo(make: Builder, a: Term, b: Term) -> Term:
    """Return Python's `a % b` for b != 0: it has the sign of b.

    Example:
        >>> make = Builder()
        >>> str(modulo(make, make.integer(7), make.integer(-2)))
        '-1'
    """
    if b.op == "const":
        if isinstance(b.value, int) and b.value > 0:
            return make.modulo(a, b)
        return make.minus(make.modulo(make.minus(a), make.minus(b)))
    return make.subtract(a, make.multiply(b, floor_divide(make, a, b)))


def power_of_two(make: Builder, n: Term) -> tuple[Term, Term]:
    """Return `2 ** n` for n >= 0, and what is known of it."""
    if n.op == "const" and isinstance(n.value, int):
        return make.integer(1 << n.value if 0 <= n.value <= MAX_BITS else 1), TRUE
    result = make.apply("pow2", (n,), INT)
    zero, one = make.integer(0), make.integer(1)
    known = [make.lt(n, result), make.implies(make.equal(n, zero), make.equal(result, one))]
    known += [make.implies(make.equal(n, make.integer(k)), make.equal(result, make.integer(2**k))) for k in range(1, 9)]
    known.append(make.implies(make.lt(zero, n), make.equal(make.modulo(result, make.integer(2)), zero)))
    return result, make.implies(make.le(zero, n), make.both(*known))


def shift_left(make: Builder, a: Term, n: Term) -> tuple[Term, Term]:
    """Return `a << n` for n >= 0, and what is known of it."""
    factor, known = power_of_two(make, n)
    return make.multiply(a, factor), known


def shift_right(make: Builder, a: Term, n: Term) -> tuple[Term, Term]:
    """Return `a >> n` for n >= 0, and what is known of it.

    Example:
        >>> make = Builder()
        >>> str(shift_right(make, make.integer(-5), make.integer(1))[0])
        '-3'
    """
    if n.op == "const" and isinstance(n.value, int) and n.value > MAX_BITS:
        return make.choose(make.lt(a, make.integer(0)), make.integer(-1), make.integer(0)), TRUE
    factor, known = power_of_two(make, n)
    return make.divide(a, factor), known


def bit_and(make: Builder, a: Term, b: Term) -> tuple[Term, Term]:
    """Return `a & b` in two's complement, and what is known of it.

    `a | b` is `a + b - (a & b)`, and `a ^ b` is `a + b - 2 * (a & b)`.

    Example:
        >>> make = Builder()
        >>> str(bit_and(make, make.integer(-6), make.integer(3))[0])
        '2'
    """
    if a.op == "const":
        a, b = b, a
    if b.op == "const" and isinstance(b.value, int) and b.value.bit_length() <= _MAX_MASK:
        if b.value < 0:
            return make.subtract(a, _mask(make, a, ~b.value)), TRUE
        return _mask(make, a, b.value), TRUE
    result = make.apply("bit_and", (a, b), INT)
    zero = make.integer(0)
    known = [
        make.implies(make.le(zero, a), make.both(make.le(zero, result), make.le(result, a))),
        make.implies(make.le(zero, b), make.both(make.le(zero, result), make.le(result, b))),
        make.implies(make.both(make.lt(a, zero), make.lt(b, zero)), make.both(make.le(result, a), make.le(result, b))),
        make.implies(make.equal(a, b), make.equal(result, a)),
    ]
    return result, make.both(*known)


def _mask(make: Builder, a: Term, mask: int) -> Term:
    """Return `a & mask` for a mask that is not negative: a sum over its runs of ones."""
    total = make.integer(0)
    low = 0
    while mask >> low:
        if not mask >> low & 1:
            low += 1
            continue
        high = low
        while mask >> high & 1:
            high += 1
        run = make.modulo(make.divide(a, make.integer(1 << low)), make.integer(1 << (high - low)))
        total = make.add(total, make.multiply(make.integer(1 << low), run))
        low = high
    return total


def integer_power(make: Builder, a: Term, n: Term) -> tuple[Term, Term]:
    """Return `a ** n` for n >= 0, and what is known of it.

    Example:
        >>> make = Builder()
        >>> str(integer_power(make, make.variable("a", INT), make.integer(2))[0])
        '(* a a)'
    """
    if n.op == "const" and isinstance(n.value, int):
        if a.op == "const" and isinstance(a.value, int):
            return make.integer(_constant_power(a.value, n.value)), TRUE
        if 0 <= n.value <= _MAX_EXPONENT:
            product = make.integer(1)
            for _ in range(n.value):
                product = make.multiply(product, a)
            return product, TRUE
    if a.op == "const" and a.value == 2:
        return power_of_two(make, n)
    result = make.apply("power", (a, n), INT)
    zero, one = make.integer(0), make.integer(1)
    known = [
        make.implies(make.equal(n, zero), make.equal(result, one)),
        make.implies(make.equal(n, one), make.equal(result, a)),
        make.implies(make.lt(zero, a), make.lt(zero, result)),
        make.implies(make.both(make.lt(one, a), make.lt(zero, n)), make.both(make.lt(n, result), make.le(a, result))),
        make.implies(make.both(make.equal(a, zero), make.lt(zero, n)), make.equal(result, zero)),
    ]
    return result, make.implies(make.le(zero, n), make.both(*known))


def _constant_power(a: int, n: int) -> int:
    """Return `a ** n`, or some number that is too large where the power is."""
    if n < 0 or (abs(a) > 1 and (a.bit_length() - 1) * n > MAX_BITS):
        return 1 << MAX_BITS
    return int(a**n)


def floor(make: Builder, r: Term) -> Term:
    """Return the largest integer that is not above the real r."""
    return make.floor(r)


def ceiling(make: Builder, r: Term) -> Term:
    """Return the smallest integer that is not below the real r."""
    return make.minus(make.floor(make.minus(r)))


def truncate(make: Builder, r: Term) -> Term:
    """Return the real r rounded towards zero."""
    return make.choose(make.le(make.real(0), r), make.floor(r), ceiling(make, r))


def round_half_even(make: Builder, r: Term) -> Term:
    """Return the integer nearest to the real r, the even one of two.

    Example:
        >>> make = Builder()
        >>> [str(round_half_even(make, make.real(Fraction(n, 2)))) for n in (-5, -1, 1, 3, 5)]
        ['-2', '0', '0', '2', '2']
    """
    half = make.add(r, make.real(Fraction(1, 2)))
    up = make.floor(half)
    odd = make.equal(make.modulo(up, make.integer(2)), make.integer(1))
    tie = make.equal(make.to_real(up), half)
    return make.choose(make.both(tie, odd), make.subtract(up, make.integer(1)), up)
