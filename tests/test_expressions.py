"""Every row of the table through every pass: text, types, meaning, plan, backends, explanation, JSON."""

import ast
import functools

import pytest

from guardlang import GuardSet, evaluate, parse, render
from guardlang.codegen import backend_names
from guardlang.codegen.plan import Test as PlanTest
from guardlang.codegen.plan import conjuncts, make_plan
from guardlang.frame import Frame
from guardlang.language import FUNCTIONS, SPECIAL_FORMS
from guardlang.purity import is_pure
from guardlang.semantics import Evaluation, Unreadable
from guardlang.sources import Const, ConstantSource, GlobalSource, LocalSource
from guardlang.truth import Truth
from guardlang.typecheck import static_type
from guardlang.values import exact
from guardlang.walk import postorder
from tests.expressions import OBJECTS, ROWS, gives

BACKENDS = [name for name in backend_names() if name != "reference"]
NUMBERED = [pytest.param(row, id=f"{number}-{row.text[:40]}") for number, row in enumerate(ROWS)]
CASES = [
    pytest.param(row, frame, id=f"{number}-{row.text[:40]}-{position}")
    for number, row in enumerate(ROWS)
    for position, frame in enumerate(row.frames)
]


def expr_of(row):
    return parse(row.text, OBJECTS)


def guards_of(text, **more):
    guards = GuardSet(objects={**OBJECTS, **more})
    guards.add(text)
    return guards


def reads(row):
    return any(isinstance(node, LocalSource | GlobalSource) for node in postorder(expr_of(row)))


class Checks:
    """One guard on every backend; several frames share what was compiled."""

    def __init__(self, guards):
        self.guards = guards
        self.checks = {name: guards.compile(name) for name in BACKENDS}

    def __call__(self, locals, globals):
        return {name: check(locals, globals) for name, check in self.checks.items()}


@functools.cache
def checks_of(text):
    return Checks(guards_of(text))


@pytest.mark.parametrize("row", NUMBERED)
def test_text(row):
    expr = expr_of(row)
    assert render(expr) == row.canonical
    assert parse(row.canonical, OBJECTS) is expr


@pytest.mark.parametrize("row", NUMBERED)
def test_text_is_what_python_prints(row):
    expr = expr_of(row)
    if not any(isinstance(node, Const) for node in postorder(expr)):
        assert ast.unparse(ast.parse(row.canonical, mode="eval")) == row.canonical


@pytest.mark.parametrize("row", NUMBERED)
def test_type(row):
    assert str(static_type(expr_of(row))) == row.type


@pytest.mark.parametrize(("row", "frame"), CASES)
def test_meaning(row, frame):
    locals, globals, verdict = frame
    expr = expr_of(row)
    if row.type == "Bool":
        truth = evaluate(expr, locals, globals)
        if isinstance(verdict, str):
            assert truth == Truth.UNDEFINED
            assert verdict in truth.reason
        else:
            assert truth == (Truth.TRUE if verdict else Truth.FALSE), truth
            assert truth.reason is None
        return
    look = Evaluation(Frame(locals, globals))
    if isinstance(verdict, gives):
        assert exact(look.value(expr), verdict.value), look.value(expr)
    else:
        with pytest.raises(Unreadable) as caught:
            look.value(expr)
        assert verdict in caught.value.reason


@pytest.mark.parametrize(("row", "frame"), CASES)
def test_every_backend_and_the_explanation_agree(row, frame):
    locals, globals, verdict = frame
    if row.type == "Bool":
        checks, expected = checks_of(row.text), verdict is True
    elif isinstance(verdict, gives):
        # The wanted value is an input, so that the frames of a row share one check.
        checks, expected = checks_of(f"exact({row.text}, G['wanted'])"), True
        globals = {**globals, "wanted": verdict.value}
    else:
        checks, expected = checks_of(f"exact({row.text}, 1) or True"), False
    guards = checks.guards
    assert checks(locals, globals) == dict.fromkeys(BACKENDS, expected)
    explanation = guards.explain(locals, globals)
    assert bool(explanation) is expected
    if not expected:
        text = str(explanation)
        assert str(guards).rstrip("\n") in text
        if isinstance(verdict, str):
            assert explanation.blocked
            assert verdict in text
        else:
            assert explanation.failures[0].got


@pytest.mark.parametrize(("row", "frame"), [case for case in CASES if case.values[0].type == "Bool" and reads(case.values[0])])
def test_opposite(row, frame):
    """Negated, a true guard is false and an undefined one stays undefined: a backend must tell false from undefined."""
    locals, globals, verdict = frame
    checks = checks_of(f"not ({row.text})")
    assert checks(locals, globals) == dict.fromkeys(BACKENDS, verdict is False)


@pytest.mark.parametrize("row", NUMBERED)
def test_plan_loses_nothing(row):
    expr = expr_of(row)
    if row.type != "Bool":
        return
    plan = make_plan([expr])
    tested = [step.expr for step in plan.steps if isinstance(step, PlanTest)]
    assert tested == (list(conjuncts(expr)) if is_pure(expr) else []) or sorted(map(str, tested)) == sorted(
        map(str, conjuncts(expr))
    )
    assert plan.impure == (() if is_pure(expr) else (0,))


@pytest.mark.parametrize("row", NUMBERED)
def test_json(row):
    if row.type != "Bool" or any(isinstance(node, ConstantSource) for node in postorder(expr_of(row))):
        return
    guards = guards_of(row.text)
    again = GuardSet.from_json(guards.to_json())
    assert again.exprs == guards.exprs


def test_every_function_and_every_node_is_in_the_table():
    nodes = {node for row in ROWS for node in postorder(expr_of(row))}
    called = {node.function for node in nodes if hasattr(node, "function")}
    assert set(FUNCTIONS) <= called
    assert set(SPECIAL_FORMS) == {"type", "deref", "peek", "call", "getattr", "getitem"}
    from guardlang.walk import _CHILDREN

    assert set(_CHILDREN) == {type(node) for node in nodes}
