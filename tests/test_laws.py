"""The laws of the design on random sets and frames; the frames hold objects whose every hook is counted and raises."""

import ast
import contextlib
import itertools
import random

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from guardlang import GuardSet, evaluate, parse, render
from guardlang.codegen import backend_names
from guardlang.codegen.plan import Test as PlanTest
from guardlang.codegen.plan import conjuncts, make_plan
from guardlang.purity import is_pure
from guardlang.sources import Const, ConstantSource
from guardlang.testing import Generator, Hooks, conditions, expressions, fingerprint, hostile_values, trials, values
from guardlang.values import Undefined, equal, exact, hashable, is_value, snapshot
from guardlang.walk import children, fold, postorder, rebuild, rewrite

# A backend that calls a compiler of another language for each set gets a few sets only; its own tests give it more.
SLOW = {"c"}
COMPILED = [name for name in backend_names() if name not in ("reference", "interp", "auto", *SLOW)]


def named_objects(expr):
    return {node.name: node.value for node in postorder(expr) if isinstance(node, ConstantSource)}


# Text.


@given(expressions())
def test_the_text_of_an_expression_is_the_expression(expr):
    assert parse(render(expr), named_objects(expr)) is expr


@given(expressions())
def test_the_text_is_what_python_prints(expr):
    """Except for the literals: sets are sorted, and there are texts for infinities and NaN."""
    text = render(expr)
    if not any(isinstance(node, Const) and type(node.value) not in (bool, str, type(None)) for node in postorder(expr)):
        assert ast.unparse(ast.parse(text, mode="eval")) == text


@given(values())
def test_the_text_of_a_constant_is_the_constant(value):
    try:
        constant = Const(value)
    except TypeError:
        assert not is_value(value) or "Class" in repr(value) or isinstance(value, type) or any_class(value)
        return
    assert exact(constant.value, value)
    assert parse(render(constant)) is constant


def any_class(value):
    """Tell whether a value is or holds a class or NotImplemented, which have names and no literals."""
    pending = [value]
    while pending:
        x = pending.pop()
        if isinstance(x, type) or x is NotImplemented:
            return True
        if isinstance(x, dict):
            pending += [*x, *x.values()]
        elif isinstance(x, tuple | list | set | frozenset):
            pending += x
    return False


@given(trials())
def test_json_gives_the_same_guards_back(trial):
    guards = trial.guards
    objects = {name: value for expr in guards.exprs for name, value in named_objects(expr).items()}
    importable = GuardSet(objects)
    for expr in guards.exprs:
        if not named_objects(expr).keys() - {"int", "bool", "float", "str", "list", "tuple", "dict"}:
            importable.add(expr)
    text = importable.to_json()
    assert GuardSet.from_json(text, objects).exprs == importable.exprs
    assert GuardSet.from_json(text, objects).to_json() == text


# Values.


@given(values(), values())
def test_equality_is_pythons_but_for_nan(a, b):
    if is_value(a) and is_value(b):
        assert equal(a, b) is equal(b, a)
        if equal(a, b):
            assert a == b
        if exact(a, b) and equal(a, a):
            assert equal(a, b)


@given(values())
def test_a_snapshot_is_exactly_the_value(value):
    if is_value(value):
        assert exact(snapshot(value), value)


@given(values())
def test_what_is_looked_up_has_a_hash(value):
    with contextlib.suppress(Undefined):
        found = hashable(value)
        assert type(found) is set or isinstance(hash(found), int)


# Walks.


@given(expressions())
def test_walks_agree(expr):
    order = list(postorder(expr))
    assert len(set(order)) == len(order)
    assert order[-1] is expr
    place = {node: number for number, node in enumerate(order)}
    for node in order:
        assert all(place[child] < place[node] for child in children(node))
        assert rebuild(node, children(node)) is node
    assert rewrite(expr, lambda node: node) is expr
    assert fold([expr], lambda node, below: 1 + sum(below))[expr] >= len(order)


# One meaning.


def verdict(guards, frame):
    return all(evaluate(expr, *frame) for expr in guards.exprs)


@pytest.mark.parametrize("backend", COMPILED)
@given(data=st.data())
def test_a_compiled_set_says_what_the_interpreter_says(backend, data):
    trial = data.draw(trials())
    check = trial.guards.compile(backend)
    for frame in trial.frames:
        expected = verdict(trial.guards, frame)
        assert check(*frame) is expected, check.source
    for expr in trial.guards.exprs:
        alone = GuardSet()
        alone.add(expr)
        single = alone.compile(backend)
        for frame in trial.frames:
            truth = evaluate(expr, *frame)
            assert single(*frame) is bool(truth), f"{truth}\n{single.source}"


@pytest.mark.parametrize("backend", sorted(SLOW & set(backend_names())))
@settings(max_examples=6)
@given(data=st.data())
def test_a_slow_backend_says_what_the_interpreter_says(backend, data):
    trial = data.draw(trials())
    check = trial.guards.compile(backend)
    for frame in trial.frames:
        trial.hooks.reached.clear()
        said = check(*frame)
        assert trial.hooks.reached == []
        assert said is verdict(trial.guards, frame)


@given(trials())
def test_a_positional_check_says_the_same(trial):
    names = ("a", "b", "n", "x", "d", "s")
    check = trial.guards.compile("python", signature=names)
    for locals, globals in trial.frames:
        if set(names) <= set(locals):
            assert check(*[locals[name] for name in names], globals=globals) is verdict(trial.guards, (locals, globals))


@pytest.mark.parametrize("backend", COMPILED)
@given(data=st.data())
def test_impure_guards_run_the_same_code_in_the_same_order(backend, data):
    trial = data.draw(trials(impure=True))
    checks = [trial.guards.compile(name) for name in ("interp", backend)]
    for frame in trial.frames:
        ran = []
        for check in checks:
            trial.hooks.reached.clear()
            ran.append((check(*frame), list(trial.hooks.reached)))
        assert ran[0] == ran[1], checks[1].source


@given(trials(), st.randoms(use_true_random=False))
def test_the_order_of_guards_does_not_matter(trial, shuffled):
    guards = list(trial.guards)
    shuffled.shuffle(guards)
    other = GuardSet()
    for guard in guards:
        other.add(guard)
    check = other.compile("python")
    for frame in trial.frames:
        assert check(*frame) is verdict(trial.guards, frame)


# Total and pure.


@pytest.mark.parametrize("way", ["evaluate", "explain", *COMPILED])
@given(data=st.data())
def test_no_hook_runs_and_nothing_changes(way, data):
    trial = data.draw(trials())
    guards = trial.guards
    look = {
        "evaluate": lambda *frame: [evaluate(expr, *frame) for expr in guards.exprs],
        "explain": lambda *frame: (str(guards.explain(*frame)), guards.explain(*frame).to_json()),
    }.get(way) or guards.compile(way)
    for frame in trial.frames:
        before = fingerprint(*frame)
        trial.hooks.reached.clear()
        look(*frame)
        assert trial.hooks.reached == []
        assert fingerprint(*frame) == before


@given(hostile_values(), st.data())
def test_one_hostile_object_is_asked_nothing(hostile, data):
    x, hooks = hostile.value, hostile.hooks
    expr = data.draw(conditions())
    guards = GuardSet()
    try:
        guards.add(expr)
    except ValueError:
        return
    frame = dict.fromkeys(("a", "b", "n", "x", "d", "s"), x), {"g": x, "n": x}
    checks = [guards.compile(name) for name in COMPILED]
    hooks.reached.clear()
    truth = evaluate(expr, *frame)
    assert [check(*frame) for check in checks] == [bool(truth)] * len(checks)
    assert bool(guards.explain(*frame)) is bool(truth)
    assert hooks.reached == []


@given(st.integers(0, 2**32))
def test_the_generator_itself_runs_no_hook(seed):
    hooks = Hooks()
    draw = Generator(random.Random(seed), hooks)
    for _ in range(3):
        fingerprint(*draw.frame())
    assert hooks.reached == []


# Nothing lost, every miss explained.


@given(trials(impure=True))
def test_every_guard_is_in_the_plan(trial):
    exprs = trial.guards.exprs
    plan = make_plan(exprs)
    assert plan.guards == exprs
    tested = [(step.guard, step.expr) for step in plan.steps if isinstance(step, PlanTest)]
    for number, expr in enumerate(exprs):
        if is_pure(expr):
            own = [part for guard, part in tested if guard == number]
            assert sorted(map(render, own)) == sorted(map(render, conjuncts(expr)))
        else:
            assert number in plan.impure
    assert list(plan.impure) == sorted(plan.impure)


@given(trials())
def test_an_explanation_is_empty_exactly_when_the_set_holds(trial):
    note(str(trial.guards))
    for frame in trial.frames:
        explanation = trial.guards.explain(*frame)
        truths = {expr: evaluate(expr, *frame) for expr in trial.guards.exprs}
        assert bool(explanation) is all(map(bool, truths.values()))
        failing = {failure.guard.expr for failure in explanation.failures}
        blocked = {guard.expr for guard in explanation.not_evaluated}
        assert failing == {expr for expr, truth in truths.items() if truth.kind == "FALSE"}
        assert blocked == {expr for expr, truth in truths.items() if truth.kind == "UNDEFINED"}
        assert all(failure.got for failure in explanation.failures)
        assert all(group.reason for group in explanation.blocked)
        if not explanation:
            text = str(explanation)
            assert all(render(expr) in text for expr in itertools.chain(failing, blocked))
