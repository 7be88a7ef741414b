"""The encoding of guards says what Python computes: on all small ints for each operator, and on random guards."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest

from guardlang.parse import parse
from guardlang.semantics import evaluate
from guardlang.solver import arithmetic
from guardlang.solver.encode import Encoder, Formula, known_types
from guardlang.solver.formula import INT, REAL, Builder, subterms, value_of

INTS = range(-20, 21)
A, B = parse("L['a'] == L['b']").operands


def encoded(text: str, kind: str = "int") -> tuple[Encoder, Formula, dict[str, str]]:
    guard = parse(text)
    encoder = Encoder([guard], types={A: kind, B: kind}, defined=[A, B])
    formula = encoder.formula(guard)
    names = {name: str(encoder.atoms[n].integer.value) for name, n in (("a", A), ("b", B)) if n in encoder.atoms}
    return encoder, formula, names


CONDITIONS = ["{} < 3", "{} % 3 == 1"]


EXPRESSIONS = [
    "L['a'] + L['b']", "L['a'] - L['b']", "L['a'] * L['b']", "L['a'] // L['b']", "L['a'] % L['b']", "min(L['a'], L['b'])",
    "max(L['a'], L['b'])", "abs(L['a'] - L['b'])", "-L['a'] + ~L['b']", "L['a'] // L['b'] // -2", "L['a'] % L['b'] % -3",
    "L['a'] ** 2 - L['b'] ** 3", "L['a'] >> 2", "(L['a'] << 3) + (L['b'] >> 100)", "L['a'] & 12", "L['b'] & -7", "L['a'] | 10",
    "L['a'] ^ 22", "L['a'] if L['b'] > 0 else L['b']", "floor(L['a']) + ceil(L['b'])", "round(L['a']) + trunc(L['b'])",
    "int(L['a'])", "L['a'] // 3 - L['b'] // -4", "L['a'] % 5 + L['b'] % -6",
]  # fmt: skip


@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_integer_operators_agree_with_python_on_all_small_pairs(expression: str, condition: str) -> None:
    text = condition.format(f"({expression})")
    encoder, formula, names = encoded(text)
    guard = parse(text)
    for pair in itertools.product(INTS, repeat=2):
        frame = {"a": pair[0], "b": pair[1]}
        values = {variable: frame[name] for name, variable in names.items()}
        truth = evaluate(guard, frame)
        assert value_of(formula.defined, values) is (truth.kind != "UNDEFINED"), (text, pair)
        assert value_of(formula.true, values) is bool(truth), (text, pair)
        assert all(value_of(term, values) for term in encoder.side), (text, pair)


@pytest.mark.parametrize(
    "text", ["L['a'] & L['b'] == L['a']", "L['a'] | L['b'] == True", "~L['a'] < -L['b']", "L['a'] + L['b'] == 2"]
)
def test_bools_are_numbers(text: str) -> None:
    guard = parse(text)
    for frame in ({"a": a, "b": b} for a, b in itertools.product((False, True), repeat=2)):
        facts = [parse(f"L[{name!r}] is {value}") for name, value in frame.items()]
        encoder = Encoder([*facts, guard], types={A: "bool", B: "bool"}, defined=[A, B])
        formula = encoder.formula(guard)
        names = [str(encoder.atoms[node].integer.value) for node in (A, B)]
        values = dict(zip(names, [int(v) for v in frame.values()], strict=True))
        if not any(term.op == "apply" for term in subterms(formula.true)):
            assert value_of(formula.true, values) is bool(evaluate(guard, frame)), frame


def test_division_table_of_python() -> None:
    make = Builder()
    for a, b in itertools.product(INTS, INTS):
        if b:
            constant = [make.integer(a), make.integer(b)]
            assert arithmetic.floor_divide(make, *constant).value == a // b
            assert arithmetic.modulo(make, *constant).value == a % b
            x, y = make.variable("x", INT), make.variable("y", INT)
            assert value_of(arithmetic.floor_divide(make, x, y), {"x": a, "y": b}) == a // b
            assert value_of(arithmetic.modulo(make, x, y), {"x": a, "y": b}) == a % b


def test_masks_of_any_run_of_bits() -> None:
    make = Builder()
    x = make.variable("x", INT)
    for mask in range(-40, 41):
        term, _ = arithmetic.bit_and(make, x, make.integer(mask))
        for number in INTS:
            assert value_of(term, {"x": number}) == number & mask, (number, mask)


def test_rounding_of_reals() -> None:
    make = Builder()
    r = make.variable("r", REAL)
    cases = [
        (arithmetic.floor, math.floor),
        (arithmetic.ceiling, math.ceil),
        (arithmetic.truncate, math.trunc),
        (arithmetic.round_half_even, round),
    ]
    for (encode, python), quarter in itertools.product(cases, range(-21, 22)):
        number = Fraction(quarter, 4)
        assert value_of(encode(make, r), {"r": number}) == python(number), (python, number)


def test_types_that_facts_state_are_found() -> None:
    texts = ["type(L['a']) is int and L['a'] > 2", "str == type(L['b'])", "type(L['c']) is int or L['d'] > 1"]
    facts = [parse(text) for text in texts]
    assert {str(node): cls for node, cls in known_types(facts).items()} == {"L['a']": int, "L['b']": str}


def test_a_result_that_is_too_large_is_undefined() -> None:
    for text in ("1 << 70000 == L['a']", "2 ** 70000 == L['a']"):
        _, formula, _ = encoded(text)
        assert formula.defined.value is False
    _, formula, _ = encoded("(-1) ** 9007199254740993 == -1 and 1 ** 9007199254740993 == 0 ** 0")
    assert formula.true.value is True


def test_no_randomness_in_the_order_of_variables() -> None:
    texts = ["L['x'] in {'b', 'a', 'c'}", "L['y'] == 'c'", "len(L['x']) > 1"]
    dumps = []
    for _ in range(2):
        guards = [parse(text) for text in texts]
        encoder = Encoder(guards)
        dumps.append([str(encoder.formula(guard).true) for guard in guards] + [str(term) for term in encoder.side])
    assert dumps[0] == dumps[1]
