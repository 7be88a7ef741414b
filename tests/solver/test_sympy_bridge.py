"""Sympy in and out: every class of torch's shape expressions means what it means to torch, and polynomials are exact."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from typing import Any

import pytest

from guardlang.ast import BinOp, Compare, Expr
from guardlang.errors import GuardNameError, UnsupportedGuard
from guardlang.frame import Frame
from guardlang.parse import parse
from guardlang.semantics import Evaluation, evaluate
from guardlang.solver.sympy_bridge import bounds_from_sympy, divide, factor, from_sympy, isolate, to_sympy
from guardlang.sources import Const, LocalSource
from guardlang.values import Undefined

sympy = pytest.importorskip("sympy", reason="needs sympy")

X, Y, Z = (LocalSource(name) for name in "xyz")
SOURCES: dict[Any, Expr] = {"x": X, "y": Y, "z": Z}
x, y = sympy.symbols("x y", integer=True)
z = sympy.Symbol("z", real=True)


def term(text: str) -> Expr:
    return parse(f"{text} == 0").operands[0]


def text_of(expression: Any) -> str:
    return str(from_sympy(expression, SOURCES).expr)


def value(expr: Expr, **names: Any) -> Any:
    try:
        return Evaluation(Frame(names)).value(expr)
    except Undefined:
        return "undefined"


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (x + 3, "L['x'] + 3"),
        (2 * x * y - x - 1, "-L['x'] + 2 * (L['x'] * L['y']) - 1"),
        (-x, "-L['x']"),
        (x**3, "L['x'] ** 3"),
        (sympy.Integer(7), "7"),
        (sympy.Abs(x), "abs(L['x'])"),
        (sympy.floor(x / 2), "L['x'] // 2"),
        (sympy.ceiling(x / 2), "-(-L['x'] // 2)"),
        (sympy.Mod(x, 3), "L['x'] % 3"),
        (sympy.Max(x, y), "max(L['x'], L['y'])"),
        (sympy.Eq(x, y), "L['x'] == L['y']"),
        (sympy.Ne(x, 2), "L['x'] != 2"),
        (sympy.Gt(x, 2), "L['x'] > 2"),
        (sympy.And(x > 2, y <= 3), "L['y'] <= 3 and L['x'] > 2"),
        (sympy.Or(x > 2, sympy.Not(sympy.Eq(y, 3), evaluate=False)), "L['x'] > 2 or not L['y'] == 3"),
        (sympy.true, "True"),
        (sympy.false, "False"),
        (sympy.Piecewise((x, x > 2), (y, True)), "L['x'] if L['x'] > 2 else L['y']"),
        (sympy.sqrt(z), "sqrt(L['z'])"),
        (z * sympy.Float(0.1), "0.1 * L['z']"),
        (x < sympy.oo, "True"),
        (sympy.Gt(x, sympy.Rational(1, 2)), "2 * L['x'] > 1"),
    ],
)
def test_sympy_classes(expression: Any, text: str) -> None:
    assert text_of(expression) in (text, text.replace("0.1 * L['z']", "L['z'] * 0.1"))


def test_a_rational_coefficient_is_a_division_that_is_guarded() -> None:
    found = from_sympy(sympy.Eq(x / 2 + y / 3 + 1, 5), SOURCES)
    assert [str(guard) for guard in found.guards] == ["(3 * L['x'] + 2 * L['y'] + 6) % 6 == 0"]
    for a, b in itertools.product(range(-6, 7), repeat=2):
        rest = sympy.Rational(a, 2) + sympy.Rational(b, 3) + 1
        frame = {"x": a, "y": b}
        assert bool(evaluate(found.guards[0], frame)) is bool(rest.is_integer)
        if rest.is_integer:
            assert bool(evaluate(found.expr, frame)) is (rest == 5)


def test_a_quotient_of_symbols_is_guarded() -> None:
    found = from_sympy(x / y, SOURCES)
    assert (str(found.expr), [str(g) for g in found.guards]) == ("L['x'] // L['y']", ["L['x'] % L['y'] == 0"])


def test_bounds_leave_infinity_out() -> None:
    assert [str(g) for g in bounds_from_sympy(X, 2, sympy.oo)] == ["L['x'] >= 2"]
    assert [str(g) for g in bounds_from_sympy(X, -sympy.oo, sympy.Integer(9))] == ["L['x'] <= 9"]


def test_errors_name_what_is_wrong_and_what_would_help() -> None:
    with pytest.raises(GuardNameError, match="the symbol 's9' has no source"):
        from_sympy(sympy.Symbol("s9"), SOURCES)
    with pytest.raises(UnsupportedGuard, match="nothing for sympy's gamma"):
        from_sympy(sympy.gamma(x), SOURCES)
    with pytest.raises(UnsupportedGuard, match="literal exponent"):
        from_sympy(sympy.Pow(x, y), SOURCES)
    with pytest.raises(UnsupportedGuard, match="last case"):
        from_sympy(sympy.Piecewise((x, x > 2), (y, x < 0)), SOURCES)
    with pytest.raises(UnsupportedGuard, match="constant"):
        from_sympy(sympy.pi, SOURCES)
    with pytest.raises(UnsupportedGuard, match="a bound, not a value"):
        from_sympy(sympy.oo, SOURCES)


def torch_functions() -> Any:
    pytest.importorskip("torch", reason="needs torch")
    from torch.utils._sympy import functions

    return functions


PYTHON: dict[str, Any] = {
    "FloorDiv": lambda a, b: a // b,
    "PythonMod": lambda a, b: a % b,
    "IntTrueDiv": lambda a, b: a / b,
    "BitwiseFn_bitwise_and": lambda a, b: a & b,
    "BitwiseFn_bitwise_or": lambda a, b: a | b,
    "BitwiseFn_bitwise_xor": lambda a, b: a ^ b,
    "Max": max,
    "Min": min,
    "Where": lambda a, b: max(b, a),
    "ModularIndexing": lambda a, b: (a // b) % 3,
    "LShift": lambda a, b: a << b,
    "RShift": lambda a, b: a >> b,
    "PowByNatural": lambda a, b: a**b if b >= 0 else 1 // 0,
}


@pytest.mark.parametrize("name", PYTHON)
def test_torch_classes_of_two_ints(name: str) -> None:
    functions = torch_functions()
    a, b = sympy.Symbol("x", integer=True), sympy.Symbol("y", integer=True)
    build = {"Where": lambda f: f(a > b, a, b), "ModularIndexing": lambda f: f(a, b, 3)}.get(name, lambda f: f(a, b))
    found = from_sympy(build(getattr(functions, name)), SOURCES)
    for p, q in itertools.product(range(-6, 7), repeat=2):
        try:
            expected = PYTHON[name](p, q)
        except (ZeroDivisionError, ValueError):
            expected = "undefined"
        held = all(evaluate(guard, {"x": p, "y": q}) for guard in found.guards)
        got = value(found.expr, x=p, y=q) if held else "undefined"
        assert got == expected, (name, p, q)


@pytest.mark.parametrize(
    ("name", "python"),
    [
        ("FloorToInt", math.floor),
        ("CeilToInt", math.ceil),
        ("TruncToInt", math.trunc),
        ("TruncToFloat", lambda f: float(math.trunc(f))),
        ("RoundToInt", round),
        ("OpaqueUnaryFn_sqrt", math.sqrt),
        ("ToFloat", float),
        ("Identity", lambda f: f),
    ],
)
def test_torch_classes_of_one_number(name: str, python: Any) -> None:
    functions = torch_functions()
    symbol = sympy.Symbol("x", integer=True) if name == "ToFloat" else sympy.Symbol("x", real=True)
    found = from_sympy(getattr(functions, name)(symbol), SOURCES)
    for number in (0.5, 1.5, 2.5, -2.5, -0.5, 7.0, 3):
        if number >= 0 or name != "OpaqueUnaryFn_sqrt":
            assert value(found.expr, x=number) == python(number), (name, number)


def test_torch_classes_with_guards_of_their_own() -> None:
    functions = torch_functions()
    clean = from_sympy(functions.CleanDiv(x, y), SOURCES)
    assert (str(clean.expr), [str(g) for g in clean.guards]) == ("L['x'] // L['y']", ["L['x'] % L['y'] == 0"])
    power = from_sympy(functions.PowByNatural(x, y), SOURCES)
    assert [str(g) for g in power.guards] == ["L['y'] >= 0"]
    decimals = from_sympy(functions.RoundDecimal(z, 2), SOURCES).expr
    assert value(decimals, z=2.675) == 2.67
    dense = from_sympy(functions.IsNonOverlappingAndDenseIndicator(x, 3, y, 1), SOURCES).expr
    assert str(dense) == "int(dense((L['x'], 3), (L['y'], 1)))"
    trunc = from_sympy(functions.TruncToInt(functions.IntTrueDiv(x, y)), SOURCES).expr
    assert str(trunc) == "trunc(L['x'] / L['y'])"


def test_torch_infinity_is_no_bound() -> None:
    pytest.importorskip("torch", reason="needs torch")
    from torch.utils._sympy.numbers import int_oo

    assert [str(g) for g in bounds_from_sympy(X, 2, int_oo)] == ["L['x'] >= 2"]
    assert bounds_from_sympy(X, -int_oo, int_oo) == ()


@pytest.mark.parametrize(
    "text",
    [
        "L['x'] + 3 * L['y'] - 2 == 0", "(L['x'] + 1) ** 2 > L['y']", "L['x'] // 3 <= -2", "L['x'] % -4 != 1",
        "not (L['x'] == L['y'] or L['x'] > 2)", "max(L['x'], L['y']) >= abs(L['x'])", "-L['x'] < L['y'] // -2",
    ],
)  # fmt: skip
def test_out_and_in_again_means_the_same(text: str) -> None:
    guard = parse(text)
    found = to_sympy(guard)
    again = from_sympy(found.expression, found.sources)
    for a, b in itertools.product(range(-7, 8), repeat=2):
        frame = {"x": a, "y": b}
        assert all(evaluate(side, frame) for side in again.guards)
        assert bool(evaluate(again.expr, frame)) is bool(evaluate(guard, frame)), (text, a, b)


@pytest.mark.parametrize(
    "text", ["L['x'] // L['y'] == 0", "L['x'] / 2 == 1", "L['x'] == 1.5", "L['x'] is None", "L['x'] & 3 == 1"]
)
def test_what_sympy_would_compute_otherwise_is_not_exported(text: str) -> None:
    with pytest.raises(UnsupportedGuard):
        to_sympy(parse(text))


def test_division_of_polynomials() -> None:
    quotient = divide(term("L['x']*L['x'] - L['y']*L['y']"), term("L['x'] + L['y']"))
    assert quotient is not None
    for a, b in itertools.product(range(-5, 6), repeat=2):
        assert value(quotient, x=a, y=b) * (a + b) == a * a - b * b
    assert divide(term("L['x'] * L['y'] + 1"), term("L['x']")) is None
    assert divide(term("L['x']"), term("2 * L['x']")) is None
    assert divide(term("L['x']"), term("L['x'] - L['x']")) is None
    assert str(divide(term("(L['x'] // L['y']) * L['z']"), Z)) == "L['x'] // L['y']"


def test_division_agrees_with_python_on_random_polynomials() -> None:
    import random

    rng = random.Random(5)
    for _ in range(10):
        left, right = (
            term(" + ".join(f"{rng.randint(-3, 3)} * L['x'] ** {rng.randint(0, 2)} * L['y']" for _ in range(3))) for _ in range(2)
        )
        quotient = divide(BinOp("*", left, right), right)
        if quotient is not None:
            for a, b in itertools.product(range(-3, 4), repeat=2):
                assert value(quotient, x=a, y=b) * value(right, x=a, y=b) == value(left, x=a, y=b) * value(right, x=a, y=b)


def test_factors() -> None:
    found = factor(term("6 * L['x'] * L['x'] * L['y'] - 6 * L['y']"))
    assert found is not None
    constant, factors = found
    for a, b in itertools.product(range(-4, 5), repeat=2):
        product = constant
        for part, power in factors:
            product *= value(part, x=a, y=b) ** power
        assert product == 6 * a * a * b - 6 * b


def test_isolating_a_part() -> None:
    left, right = parse("3 * L['x'] + 2 == L['x'] * L['y'] - L['z']").operands
    found = isolate(left, right, X)
    assert found is not None
    for a, b, c in itertools.product(range(-3, 4), repeat=3):
        same = value(found.coefficient, x=a, y=b, z=c) * a == value(found.rest, x=a, y=b, z=c)
        assert same is (3 * a + 2 == a * b - c)
    assert isolate(*parse("L['x'] * L['x'] == 4").operands, X) is None
    assert isolate(*parse("L['y'] == 4").operands, X) is None


def test_what_is_too_large_is_left_alone() -> None:
    assert factor(term("(L['x'] + L['y'] + 1) ** 64")) is None
    assert divide(term("L['x'] ** 30"), X) is None
    assert factor(Compare(("==",), (X, Const(1)))) is None


def test_a_deep_tree_is_imported() -> None:
    expression = x
    for n in range(400):
        expression = sympy.Max(expression + 1, n, evaluate=False)
    assert value(from_sympy(expression, SOURCES).expr, x=0) == 400


def test_importing_the_bridge_does_not_import_sympy() -> None:
    code = "import sys, guardlang.solver.sympy_bridge; sys.exit('sympy' in sys.modules or 'z3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
