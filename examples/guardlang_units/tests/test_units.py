"""The plug-in is found by its entry points alone: these tests use the language, never the plug-in's module."""

from __future__ import annotations

import subprocess
import sys

import pytest
from guardlang_units import Quantity, Samples, system

from guardlang import G, GuardNameError, GuardSet, GuardTypeError, L, S, Truth, apply, evaluate, parse, render

BACKENDS = ["interp", "python"]


def holds(text: str, backend: str, **inputs: object) -> bool:
    guards = GuardSet()
    guards.add(text)
    verdict = guards.compile(backend)(inputs)
    assert verdict is bool(guards.explain(inputs))
    return verdict


@pytest.mark.parametrize("backend", BACKENDS)
def test_source_kinds_read_what_a_quantity_holds(backend):
    assert holds("units.number(L['q']) == 3 and units.unit(L['q']) == 'km'", backend, q=Quantity(3, "km"))
    assert not holds("units.number(L['q']) == 3", backend, q=Quantity(4, "km"))


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_source_kind_has_identity(backend):
    number = float("nan")
    assert holds("units.number(L['q']) is L['n']", backend, q=Quantity(number, "s"), n=number)


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_relation_takes_any_number_of_operands(backend):
    text = "units.compatible(L['a'], L['b'], L['c'])"
    assert holds(text, backend, a=Quantity(1, "m"), b=Quantity(2, "km"), c=Quantity(3, "ft"))
    assert not holds(text, backend, a=Quantity(1, "m"), b=Quantity(2, "km"), c=Quantity(3, "s"))


@pytest.mark.parametrize("backend", BACKENDS)
def test_quantities_are_values(backend):
    assert holds("L['q'] == units.Quantity(3, 'km')", backend, q=Quantity(3000, "m"))
    assert not holds("L['q'] == units.Quantity(3, 'km')", backend, q=Quantity(3000, "kg"))


@pytest.mark.parametrize("backend", BACKENDS)
def test_samples_have_a_shape(backend):
    assert holds("L['x'].ndim == 1 and L['x'].shape[0] % 4 == 0", backend, x=Samples([1.0] * 8, "s"))
    assert not holds("L['x'].shape[0] % 4 == 0", backend, x=Samples([1.0] * 7, "s"))


@pytest.mark.parametrize("backend", BACKENDS)
def test_state_is_read_in_the_calling_thread(backend):
    assert holds("S['units.system'] == 'metric'", backend)
    token = system.set("imperial")
    try:
        assert not holds("S['units.system'] == 'metric'", backend)
    finally:
        system.reset(token)


def test_what_is_no_quantity_is_undefined_with_a_reason():
    truth = evaluate(parse("units.measure(L['q'], 'm') > 1.0"), {"q": 5})
    assert truth == Truth.UNDEFINED
    assert "is not a quantity" in truth.reason
    truth = evaluate(parse("units.measure(L['q'], 'm') > 1.0"), {"q": Quantity(1, "s")})
    assert "is a time, which is not measured in m" in truth.reason


def test_no_code_of_an_input_runs():
    class Liar:
        @property
        def __class__(self):
            raise AssertionError("asked for its class")

        def __getattribute__(self, name):
            raise AssertionError(f"asked for {name}")

    assert evaluate(parse("units.compatible(L['a'], L['b'])"), {"a": Liar(), "b": Liar()}) == Truth.UNDEFINED


def test_text_and_operators_are_one_expression():
    text = "units.measure(L['height'], 'm') >= 100"
    assert parse(render(parse(text))) is parse(text)
    guards = GuardSet()
    guards.add(text)
    assert (apply("units.measure", L["height"], "m") >= 100) in guards
    assert (apply("units.measure", G["height"], "m") >= 100) not in guards
    assert S["units.system"] is not None


def test_errors_help():
    with pytest.raises(GuardTypeError, match="2 or more operands"):
        parse("units.compatible(L['a'])")
    with pytest.raises(GuardNameError, match=r"did you mean 'units\.measure'"):
        parse("units.mesure(L['a'], 'm') > 1.0")


def test_a_failure_is_explained():
    guards = GuardSet()
    guards.add("units.measure(L['height'], 'm') >= 100", origin="climb.py:14")
    text = str(guards.explain({"height": Quantity(0.05, "km")}))
    assert "got 50.0" in text
    assert "climb.py:14" in text


def test_it_is_loaded_by_nobody_but_the_guard():
    code = (
        "import sys, guardlang as gl; assert 'guardlang_units' not in sys.modules; "
        "gl.parse('units.number(L[\"q\"]) == 1'); assert 'guardlang_units.plugin' in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_command_line_knows_it_too(tmp_path):
    (tmp_path / "flight.guards").write_text(
        "units.compatible(L['height'], L['floor'])  # climb.py:12\nunits.measure(L['height'], 'm') >= 100  # climb.py:14\n"
    )
    (tmp_path / "climb.py").write_text(
        "from guardlang_units import Quantity\n"
        "def example():\n    return {'L': {'height': Quantity(90, 'm'), 'floor': Quantity(300, 'ft')}}\n"
    )
    command = [sys.executable, "-m", "guardlang", "explain", "flight.guards", "--frame", "climb:example"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "1 of 2 guards fails" in result.stdout
    assert "got 90.0" in result.stdout
