"""Arithmetic of the language as formulas: exact for ints and bools, with safe bounds for floats."""

from __future__ import annotations

from fractions import Fraction

import attrs

from guardlang.solver import arithmetic
from guardlang.solver.formula import BOOL, FALSE, REAL, TRUE, Term
from guardlang.solver.valuation import Encoded, Valuation

__all__ = ["View", "binary", "equal_numbers", "function", "less_numbers", "unary"]

# Integers up to here are floats; quotients of smaller ones round to no other integer part.
_EXACT = 2**53
# Shifts and powers whose operands are below these bounds stay within the cap on bits, and convert to float.
_SMALL_BASE = 2**512
_SMALL_EXPONENT = 64


@attrs.frozen(eq=False)
class View:
    """A number as a float sees it: exact for ints.

    Args:
        nan: whether it is a NaN.
        inf: -1, 0 or 1.
        real: the finite value.
    """

    nan: Term
    inf: Term
    real: Term


def _whole(values: Valuation, *operands: Encoded) -> Term:
    """Return whether all are ints or bools."""
    return values.make.both(*[values.is_tag(value, bool, int) for value in operands])


def _numbers(values: Valuation, *operands: Encoded) -> Term:
    return values.make.both(*[values.is_number(value) for value in operands])


def _view(values: Valuation, value: Encoded) -> View:
    make = values.make
    whole = _whole(values, value)
    if whole is TRUE:
        return View(FALSE, make.integer(0), make.to_real(value.integer))
    real = make.choose(whole, make.to_real(value.integer), value.real)
    return View(make.both(make.negate(whole), value.nan), make.choose(whole, make.integer(0), value.inf), real)


def equal_numbers(values: Valuation, a: Encoded, b: Encoded) -> Term:
    """Return whether two numbers are equal; an int against a float is compared exactly."""
    make = values.make
    whole = _whole(values, a, b)
    on_integers = make.equal(a.integer, b.integer)
    if whole is TRUE:
        return on_integers
    x, y = _view(values, a), _view(values, b)
    no_nan = make.both(make.negate(x.nan), make.negate(y.nan))
    return make.choose(whole, on_integers, make.both(no_nan, make.equal(x.inf, y.inf), make.equal(x.real, y.real)))


def less_numbers(values: Valuation, a: Encoded, b: Encoded, *, strict: bool) -> Term:
    """Return `a < b`, or `a <= b`, for two numbers."""
    make = values.make
    compare = make.lt if strict else make.le
    whole = _whole(values, a, b)
    on_integers = compare(a.integer, b.integer)
    if whole is TRUE:
        return on_integers
    x, y = _view(values, a), _view(values, b)
    no_nan = make.both(make.negate(x.nan), make.negate(y.nan))
    level = make.both(make.equal(x.inf, y.inf), compare(x.real, y.real))
    return make.choose(whole, on_integers, make.both(no_nan, make.either(make.lt(x.inf, y.inf), level)))


def unary(values: Valuation, op: str, a: Encoded) -> Encoded:
    """Return `-a` or `~a`."""
    make = values.make
    whole = _whole(values, a)
    number = make.minus(a.integer)
    if op == "~":
        return values.integer(make.both(a.defined, whole), make.subtract(number, make.integer(1)))
    result = values.integer(make.both(a.defined, whole), number)
    if whole is TRUE:
        return result
    negated = attrs.evolve(
        values.number(a.defined), nan=a.nan, inf=make.minus(a.inf), real=make.minus(a.real), negative=make.negate(a.negative)
    )
    return _mixed(values, (a,), result, negated)


def _mixed(values: Valuation, operands: tuple[Encoded, ...], whole: Encoded, real: Encoded, other: type = complex) -> Encoded:
    """Return the result on ints, the one on floats, or for complex operands anything of class `other`."""
    all_whole, numbers = _whole(values, *operands), _numbers(values, *operands)
    result = values.pick(all_whole, whole, real)
    if numbers is TRUE:
        return result
    make = values.make
    complexes = values.is_tag(operands[0], complex)
    for operand in operands[1:]:
        complexes = make.either(complexes, values.is_tag(operand, complex))
    # Subclasses of numbers, strings and containers are no operands; a complex number is.
    defined = make.both(*[o.defined for o in operands], complexes, values.fresh("defined", BOOL))
    return values.pick(numbers, result, values.free(defined, other))


def _rounded(values: Valuation, defined: Term, operands: tuple[View, ...], exact: Term) -> Encoded:
    """Return a float near an exact result; for operands that are not finite, any float."""
    make = values.make
    result = values.number(defined)
    zero, limit = make.real(0), make.real(_EXACT)
    finite = make.both(*[make.both(make.negate(v.nan), make.equal(v.inf, make.integer(0))) for v in operands])
    low, high = make.to_real(make.floor(exact)), make.to_real(arithmetic.ceiling(make, exact))
    # Rounding is monotonic and keeps the integers that are floats.
    near = make.both(make.le(low, result.real), make.le(result.real, high))
    moderate = make.both(make.le(make.minus(limit), exact), make.le(exact, limit))
    signs = make.both(
        make.implies(make.le(zero, exact), make.both(make.le(zero, result.real), make.le(make.integer(0), result.inf))),
        make.implies(make.le(exact, zero), make.both(make.le(result.real, zero), make.le(result.inf, make.integer(0)))),
    )
    bounded = make.implies(moderate, make.both(make.equal(result.inf, make.integer(0)), near))
    values.side.append(make.implies(finite, make.both(make.negate(result.nan), signs, bounded)))
    return result


def _nan_through(values: Valuation, x: View, y: View, result: Encoded) -> Encoded:
    """State that a NaN among the operands makes the result one."""
    values.side.append(values.make.implies(values.make.either(x.nan, y.nan), result.nan))
    return result


def _with_infinities(values: Valuation, x: View, y: View, result: Encoded) -> Encoded:
    """State what a sum is when an operand is infinite."""
    make = values.make
    zero = make.integer(0)
    no_nan = make.both(make.negate(x.nan), make.negate(y.nan))
    for one, other in ((x, y), (y, x)):
        wins = make.either(make.equal(other.inf, zero), make.equal(other.inf, one.inf))
        infinite = make.both(no_nan, make.negate(make.equal(one.inf, zero)), wins)
        values.side.append(make.implies(infinite, make.both(make.negate(result.nan), make.equal(result.inf, one.inf))))
    return _nan_through(values, x, y, result)


def _as_float(values: Valuation, a: Encoded) -> tuple[Term, View]:
    """Return whether a number converts to float, and the float."""
    make = values.make
    whole = _whole(values, a)
    if whole is FALSE:
        return TRUE, _view(values, a)
    if a.integer.op == "const" and abs(int(Fraction(a.integer.value))) <= _EXACT:
        converted, fits = make.to_real(a.integer), TRUE
    else:
        exact = make.to_real(a.integer)
        rounded = _rounded(values, TRUE, (View(FALSE, make.integer(0), exact),), exact)
        values.side.append(make.equal(rounded.inf, make.integer(0)))
        converted, fits = rounded.real, values.fresh("fits", BOOL)
        values.side.append(make.implies(_at_most(values, a.integer, 2**1000), fits))
    plain = _view(values, a)
    return make.either(make.negate(whole), fits), View(plain.nan, plain.inf, make.choose(whole, converted, a.real))


def _at_most(values: Valuation, number: Term, bound: int) -> Term:
    make = values.make
    return make.both(make.le(make.integer(-bound), number), make.le(number, make.integer(bound)))


def _capped(result: Encoded) -> Encoded:
    """Return a constant result that is too large for the language as undefined."""
    number = result.integer
    if number.op == "const" and int(Fraction(number.value)).bit_length() > arithmetic.MAX_BITS:
        return attrs.evolve(result, defined=FALSE)
    return result


def binary(values: Valuation, op: str, a: Encoded, b: Encoded) -> Encoded:
    """Return `a op b` for an arithmetic or bitwise operator."""
    if op in ("<<", ">>", "&", "|", "^"):
        return _bitwise(values, op, a, b)
    make = values.make
    both = make.both(a.defined, b.defined)
    whole = _whole(values, a, b)
    on_integers = _on_integers(values, op, a, b, both)
    if whole is TRUE:
        return on_integers
    return _mixed(values, (a, b), on_integers, _on_floats(values, op, a, b, both))


def _on_integers(values: Valuation, op: str, a: Encoded, b: Encoded, both: Term) -> Encoded:
    make = values.make
    x, y = a.integer, b.integer
    nonzero = make.negate(make.equal(y, make.integer(0)))
    match op:
        case "+":
            return _capped(values.integer(both, make.add(x, y)))
        case "-":
            return _capped(values.integer(both, make.subtract(x, y)))
        case "*":
            return _capped(values.integer(both, make.multiply(x, y)))
        case "//" | "%":
            if nonzero is FALSE:
                return values.integer(FALSE, x)
            result = arithmetic.floor_divide(make, x, y) if op == "//" else arithmetic.modulo(make, x, y)
            return values.integer(make.both(both, nonzero), result)
        case "/":
            return _true_division(values, a, b, make.both(both, nonzero))
        case _:
            return _power(values, x, y, both)


def _true_division(values: Valuation, a: Encoded, b: Encoded, defined: Term) -> Encoded:
    """Return the correctly rounded quotient of two ints."""
    make = values.make
    x, y = a.integer, b.integer
    if defined is FALSE or make.equal(y, make.integer(0)) is TRUE:
        return values.number(FALSE)
    numerator = make.to_real(x)
    if y.op == "const":
        exact = make.multiply(make.real(1 / Fraction(y.value)), numerator)
    else:
        exact = values.fresh("quotient", REAL)
        nonzero = make.negate(make.equal(y, make.integer(0)))
        values.side.append(make.implies(nonzero, make.equal(make.multiply(exact, make.to_real(y)), numerator)))
    fits = values.fresh("fits", BOOL)
    values.side.append(make.implies(_at_most(values, x, 2**1000), fits))
    result = _rounded(values, make.both(defined, fits), (View(FALSE, make.integer(0), exact),), exact)
    # Below 2**53 the distance of a quotient to the next integer is more than the rounding error.
    floor = arithmetic.floor_divide(make, x, y)
    whole = make.equal(make.to_real(make.floor(result.real)), result.real)
    divides = make.equal(arithmetic.modulo(make, x, y), make.integer(0))
    exactly = make.both(make.equal(make.floor(result.real), floor), make.equal(whole, divides))
    small = make.both(_at_most(values, x, _EXACT - 1), make.negate(make.equal(y, make.integer(0))))
    values.side.append(make.implies(small, exactly))
    values.side.append(make.equal(result.inf, make.integer(0)))
    return result


def _power(values: Valuation, x: Term, n: Term, both: Term) -> Encoded:
    make = values.make
    zero = make.integer(0)
    negative = make.lt(n, zero)
    if negative is FALSE:
        result, known = arithmetic.integer_power(make, x, n)
        values.side.append(known)
        if n.op == "const" and x.op != "const" and int(Fraction(n.value)) <= _SMALL_EXPONENT:
            return values.integer(both, result)
        return _capped(values.integer(make.both(both, _fits(values, x, n)), result))
    fraction = values.number(make.both(both, negative, make.negate(make.equal(x, zero)), values.fresh("fits", BOOL)))
    between = make.both(make.le(make.real(0), fraction.real), make.le(fraction.real, make.real(1)))
    values.side.append(make.implies(make.lt(zero, x), between))
    if negative is TRUE:
        return fraction
    result, known = arithmetic.integer_power(make, x, n)
    values.side.append(known)
    return values.pick(negative, fraction, values.integer(make.both(both, _fits(values, x, n)), result))


def _fits(values: Valuation, x: Term, n: Term) -> Term:
    """Return whether `x ** n` or `x << n` is within the cap on bits: known for small operands, free for others."""
    make = values.make
    if x.op == n.op == "const":
        return TRUE
    fits = values.fresh("fits", BOOL)
    small = make.both(_at_most(values, x, _SMALL_BASE), _at_most(values, n, _SMALL_EXPONENT))
    values.side.append(make.implies(small, fits))
    return fits


def _on_floats(values: Valuation, op: str, a: Encoded, b: Encoded, both: Term) -> Encoded:
    """Return the result when at least one operand is a float."""
    make = values.make
    fits_a, x = _as_float(values, a)
    fits_b, y = _as_float(values, b)
    defined = make.both(both, fits_a, fits_b)
    zero = make.both(make.negate(y.nan), make.equal(y.inf, make.integer(0)), make.equal(y.real, make.real(0)))
    match op:
        case "+":
            return _with_infinities(values, x, y, _rounded(values, defined, (x, y), make.add(x.real, y.real)))
        case "-":
            y = View(y.nan, make.minus(y.inf), make.minus(y.real))
            return _with_infinities(values, x, y, _rounded(values, defined, (x, y), make.add(x.real, y.real)))
        case "*":
            return _nan_through(values, x, y, _rounded(values, defined, (x, y), make.multiply(x.real, y.real)))
        case "/":
            exact = values.fresh("quotient", REAL)
            values.side.append(make.implies(make.negate(zero), make.equal(make.multiply(exact, y.real), x.real)))
            finite = View(FALSE, y.inf, exact)
            quotient = _rounded(values, make.both(defined, make.negate(zero)), (x, y, finite), exact)
            return _nan_through(values, x, y, quotient)
        case "//" | "%":
            return _nan_through(values, x, y, values.number(make.both(defined, make.negate(zero))))
        case _:
            # A negative base may give a complex number, which is undefined, and a large result overflows.
            return values.number(make.both(defined, values.fresh("defined", BOOL)))


def _bitwise(values: Valuation, op: str, a: Encoded, b: Encoded) -> Encoded:
    make = values.make
    x, y = a.integer, b.integer
    defined = make.both(a.defined, b.defined, _whole(values, a, b))
    if op in ("<<", ">>"):
        defined = make.both(defined, make.le(make.integer(0), y))
        if defined is FALSE:
            return values.integer(FALSE, x)
        if op == ">>":
            shifted, known = arithmetic.shift_right(make, x, y)
        else:
            shifted, known = arithmetic.shift_left(make, x, y)
            if not (y.op == "const" and int(Fraction(y.value)) <= _SMALL_EXPONENT):
                defined = make.both(defined, _fits(values, x, y))
            if y.op == "const" and int(Fraction(y.value)) > arithmetic.MAX_BITS:
                defined, shifted = make.both(defined, make.equal(x, make.integer(0))), make.integer(0)
        values.side.append(known)
        return _capped(values.integer(defined, shifted))
    common, known = arithmetic.bit_and(make, x, y)
    values.side.append(known)
    if op == "|":
        common = make.subtract(make.add(x, y), common)
    elif op == "^":
        common = make.subtract(make.add(x, y), make.multiply(make.integer(2), common))
    bools = make.both(values.is_tag(a, bool), values.is_tag(b, bool))
    result = values.integer(defined, common, tag=make.choose(bools, make.integer(0), make.integer(1)))
    return attrs.evolve(result, truth=make.equal(common, make.integer(1))) if bools is TRUE else result


def function(values: Valuation, name: str, args: tuple[Encoded, ...]) -> Encoded:
    """Return a numeric function of the language."""
    make = values.make
    a = args[0]
    whole = _whole(values, a)
    match name:
        case "max" | "min":
            return _extreme(values, name, args)
        case "isnan":
            return values.condition(make.both(a.defined, values.is_number(a)), make.both(make.negate(whole), a.nan))
        case "bool":
            return _truthiness(values, a)
        case "abs":
            return _absolute(values, a)
        case "floor" | "ceil" | "trunc" | "int" | "round":
            return _to_integer(values, name, args)
        case "float":
            fits, view = _as_float(values, a)
            known = make.both(a.defined, values.is_number(a), fits)
            number = attrs.evolve(values.number(known), nan=view.nan, inf=view.inf, real=view.real)
            number = attrs.evolve(number, negative=make.choose(whole, make.lt(view.real, make.real(0)), a.negative))
            return _or_subclass(values, a, number, float)
        case _:
            fits, view = _as_float(values, a)
            under = make.either(make.lt(view.real, make.real(0)), make.lt(view.inf, make.integer(0)))
            below = make.both(make.negate(view.nan), under)
            root = values.number(make.both(a.defined, values.is_number(a), fits, make.negate(below)))
            values.side.append(make.le(make.real(0), root.real))
            return root


def _or_subclass(values: Valuation, a: Encoded, number: Encoded, cls: type) -> Encoded:
    """Return a conversion, which for an object of another class may read the number that it derives from."""
    make = values.make
    numbers = values.is_number(a)
    if numbers is TRUE:
        return number
    other = values.free(make.both(a.defined, values.fresh("derived", BOOL)), cls)
    return values.pick(numbers, number, other)


def _truthiness(values: Valuation, a: Encoded) -> Encoded:
    make = values.make
    whole = _whole(values, a)
    view = _view(values, a)
    zero = make.both(make.negate(view.nan), make.equal(view.inf, make.integer(0)), make.equal(view.real, make.real(0)))
    nonzero = make.negate(make.choose(whole, make.equal(a.integer, make.integer(0)), zero))
    numbers = values.is_number(a)
    if numbers is TRUE:
        return values.condition(a.defined, nonzero)
    none = values.is_tag(a, type(None))
    known = make.either(numbers, none, values.is_tag(a, str, bytes, list, tuple, dict, set, frozenset, range))
    readable = make.both(a.defined, make.either(known, values.fresh("has a truth", BOOL)))
    other = make.both(make.negate(none), values.fact(a, "is not empty", BOOL))
    return values.condition(readable, make.choose(numbers, nonzero, other))


def _absolute(values: Valuation, a: Encoded) -> Encoded:
    make = values.make
    whole = _whole(values, a)
    negative = make.lt(a.integer, make.integer(0))
    result = values.integer(make.both(a.defined, whole), make.choose(negative, make.minus(a.integer), a.integer))
    if whole is TRUE:
        return result
    below = make.lt(a.real, make.real(0))
    size = make.choose(below, make.minus(a.real), a.real)
    inf = make.choose(make.lt(a.inf, make.integer(0)), make.minus(a.inf), a.inf)
    positive = attrs.evolve(values.number(a.defined), nan=a.nan, inf=inf, real=size, negative=FALSE)
    return _mixed(values, (a,), result, positive, float)


def _extreme(values: Valuation, name: str, args: tuple[Encoded, ...]) -> Encoded:
    """Return the first operand that no later one beats, as Python does, NaN included."""
    make = values.make
    defined = make.both(*[make.both(arg.defined, values.is_number(arg)) for arg in args])
    result = args[0]
    for arg in args[1:]:
        pair = (result, arg) if name == "max" else (arg, result)
        result = values.pick(less_numbers(values, *pair, strict=True), arg, result)
    return attrs.evolve(result, defined=defined, keys=())


def _to_integer(values: Valuation, name: str, args: tuple[Encoded, ...]) -> Encoded:
    make = values.make
    a = args[0]
    whole = _whole(values, a)
    if len(args) == 2:
        return _rounded_to_digits(values, a, args[1])
    result = values.integer(make.both(a.defined, values.is_number(a)), a.integer)
    if whole is not TRUE:
        finite = make.both(make.negate(a.nan), make.equal(a.inf, make.integer(0)))
        rounding = {"floor": arithmetic.floor, "ceil": arithmetic.ceiling, "round": arithmetic.round_half_even}
        rounded = rounding.get(name, arithmetic.truncate)(make, a.real)
        defined = make.both(a.defined, values.is_number(a), make.either(whole, finite))
        result = values.integer(defined, make.choose(whole, a.integer, rounded))
    return _or_subclass(values, a, result, int) if name == "int" else result


def _rounded_to_digits(values: Valuation, a: Encoded, digits: Encoded) -> Encoded:
    make = values.make
    operands = make.both(a.defined, digits.defined)
    whole = _whole(values, a)
    if make.both(whole, values.is_tag(digits, bool, int), make.le(make.integer(0), digits.integer)) is TRUE:
        return values.integer(operands, a.integer)
    defined = make.both(operands, values.is_number(a), values.fresh("defined", BOOL))
    return values.pick(whole, values.free(defined, int), values.number(defined))
