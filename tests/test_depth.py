"""Long chains through every pass, 100,000 nodes in the longest: nothing recurses, and nothing is quadratic."""

import json

import pytest

from guardlang import GuardSet, evaluate, parse, render
from guardlang.ast import BinOp, BoolOp, Call, Compare, IfExp, Not, TupleDisplay, UnaryOp
from guardlang.codegen.plan import make_plan
from guardlang.errors import GuardSyntaxError
from guardlang.parse import MAX_DEPTH
from guardlang.purity import is_pure
from guardlang.sources import AttrSource, Const, GetItemSource, LocalSource, TypeSource, WeakRefCallSource
from guardlang.typecheck import check_condition
from guardlang.walk import children, fold, postorder, rewrite

# A pass over 100,000 nodes takes a second in all: one shape goes the whole way, the others well past any limit on recursion.
DEPTH = 2_000
FULL_DEPTH = 100_000
FULL = ("not",)
# Python's own compiler takes 0.4 ms for each statement.
COMPILED_DEPTH = 1_500
X = LocalSource("x")
ONE = Const(1)


class Link:
    pass


LEVELS = [DEPTH]


def depth():
    return LEVELS[-1]


def loop():
    x = Link()
    x.u = x
    x.n = 1
    return {"x": x}


def nest(start, step):
    for _ in range(depth()):
        start = step(start)
    return start


def is_one(expr):
    return Compare(("==",), (expr, ONE))


def list_loop():
    x = [1]
    x[0] = x
    return {"x": x}


# Shape: how it is built, and a frame with the verdict.
SHAPES = {
    "attributes": (lambda: is_one(AttrSource(nest(X, lambda e: AttrSource(e, "u")), "n")), loop, "TRUE"),
    "items": (lambda: Compare(("is",), (nest(X, lambda e: GetItemSource(e, Const(0))), X)), list_loop, "TRUE"),
    "not": (lambda: nest(is_one(X), Not), lambda: {"x": 1}, "TRUE"),
    "sum": (lambda: is_one(nest(X, lambda e: BinOp("+", e, ONE))), lambda: {"x": 1 - depth()}, "TRUE"),
    "sum on the right": (lambda: is_one(nest(X, lambda e: BinOp("-", ONE, e))), lambda: {"x": 1}, "TRUE"),
    "negation": (lambda: is_one(nest(X, lambda e: UnaryOp("~", e))), lambda: {"x": 1}, "TRUE"),
    "one long or": (
        lambda: BoolOp("or", tuple(Compare(("==",), (X, Const(n))) for n in range(depth()))),
        lambda: {"x": depth() - 1},
        "TRUE",
    ),
    "one long and": (
        lambda: BoolOp("and", tuple(Compare(("!=",), (X, Const(n))) for n in range(depth()))),
        lambda: {"x": depth() - 1},
        "FALSE",
    ),
    "nested or": (
        lambda: nest(is_one(X), lambda e: BoolOp("or", (e, is_one(LocalSource("y"))))),
        lambda: {"x": 2, "y": 1},
        "TRUE",
    ),
    "nested and": (lambda: nest(is_one(X), lambda e: BoolOp("and", (is_one(X), e))), lambda: {"x": 1}, "TRUE"),
    "nested if": (lambda: nest(is_one(X), lambda e: IfExp(is_one(X), e, is_one(LocalSource("y")))), lambda: {"x": 1}, "TRUE"),
    "nested test": (lambda: nest(is_one(X), lambda e: IfExp(e, is_one(X), is_one(LocalSource("y")))), lambda: {"x": 1}, "TRUE"),
    "one long chain": (lambda: Compare(("==",) * depth(), (X, *[ONE] * depth())), lambda: {"x": 1}, "TRUE"),
    "calls": (lambda: is_one(nest(X, lambda e: Call("int", (e,)))), lambda: {"x": 1}, "TRUE"),
    "tuples": (lambda: Compare(("==",), (nest(X, lambda e: TupleDisplay((e,))), Const((1,)))), lambda: {"x": 1}, "UNDEFINED"),
    "types": (lambda: Compare(("is",), (nest(X, TypeSource), TypeSource(X))), lambda: {"x": int}, "TRUE"),
    "references": (lambda: is_one(nest(X, WeakRefCallSource)), lambda: {"x": 1}, "UNDEFINED"),
    "wide relation": (lambda: Call("same", tuple([X] * depth())), lambda: {"x": 1}, "TRUE"),
}


@pytest.fixture(name="at_depth")
def _at_depth(request):
    LEVELS.append(request.param)
    yield
    LEVELS.pop()


PAIRS = [pytest.param(shape, DEPTH, id=shape) for shape in SHAPES] + [
    pytest.param(shape, FULL_DEPTH, id=f"{shape} in full") for shape in FULL
]


@pytest.mark.parametrize(("shape", "at_depth"), PAIRS, indirect=["at_depth"])
def test_every_pass(shape, at_depth):
    build, frame, verdict = SHAPES[shape]
    expr = build()
    assert expr is build()
    check_condition(expr)
    assert is_pure(expr)
    order = list(postorder(expr))
    assert order[-1] is expr
    assert fold([expr], lambda node, below: 1 + max(below, default=0))[expr] >= 2
    assert rewrite(expr, lambda node: node) is expr
    assert sum(1 for node in order for _ in children(node)) >= len(order) - 1
    text = render(expr)
    assert len(text) >= DEPTH // 2
    plan = make_plan([expr])
    assert {step.guard for step in plan.steps if hasattr(step, "guard")} == {0}
    locals = frame()
    truth = evaluate(expr, locals)
    assert truth.kind == verdict, str(truth)[-200:]
    guards = GuardSet()
    guards.add(expr)
    assert guards.compile("interp")(locals) is (verdict == "TRUE")
    explanation = guards.explain(locals)
    assert bool(explanation) is (verdict == "TRUE")
    assert str(explanation)
    assert json.loads(explanation.to_json())["holds"] is (verdict == "TRUE")
    assert len(json.loads(guards.to_json())["guards"]) == 1
    assert len(guards.substitute({LocalSource("nowhere"): X})) == 1


@pytest.mark.parametrize(
    ("shape", "at_depth"), [pytest.param(shape, COMPILED_DEPTH, id=shape) for shape in SHAPES], indirect=["at_depth"]
)
def test_compiled(shape, at_depth):
    build, frame, verdict = SHAPES[shape]
    guards = GuardSet()
    guards.add(build())
    locals = frame()
    assert guards.compile("python")(locals) is (verdict == "TRUE")


@pytest.mark.parametrize("at_depth", [FULL_DEPTH], indirect=True)
def test_compiled_at_full_depth(at_depth):
    guards = GuardSet()
    guards.add(SHAPES["not"][0]())
    assert guards.compile("python")({"x": 1})


def test_a_long_or_in_text_round_trips():
    text = " or ".join(f"L['x'] == {n}" for n in range(2_000))
    expr = parse(text)
    assert parse(render(expr)) is expr


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5_000 + "L['x']" + ")" * 5_000 + " == 1",
        "not " * 50_000 + "L['x'] == 1",
        "-" * 50_000 + "L['x'] == 1",
        "L['x']" + ".u" * 50_000 + " == 1",
        "L['x']" + "[0]" * 50_000 + " == 1",
        " + ".join(["L['x']"] * 50_000) + " == 1",
        "[" * 3_000 + "]" * 3_000 + " == L['x']",
        "len(" * 3_000 + "L['x']" + ")" * 3_000 + " == 1",
        "1 if L['x'] == 1 else " * 3_000 + "2",
        "L['x'] == " + "{1: " * 2_000 + "1" + "}" * 2_000,
    ],
    ids=lambda text: text[:12],
)
def test_deep_text_is_refused_with_a_clear_error(text):
    guards = GuardSet()
    with pytest.raises(GuardSyntaxError) as caught:
        guards.add(text)
    message = str(caught.value)
    assert f"nested deeper than {MAX_DEPTH} levels" in message or "too many nested parentheses" in message
    assert len(message) < 2_000
    assert len(guards) == 0


def test_depth_at_the_limit_works():
    guards = GuardSet()
    guards.add("not " * (MAX_DEPTH - 10) + "L['x'] == 1")
    assert guards.compile()({"x": 1})
