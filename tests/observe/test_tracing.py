"""The dynamic scope: who sees which context, marks, inner regions, and the user's lines."""

import asyncio
import contextvars
import threading

import pytest

import guardlang as gl
from guardlang import G, GuardNameError, GuardSet, L, NoTracingContext, Policy, TracingContext


def test_a_guard_without_a_context_is_an_error():
    assert gl.current() is None
    with pytest.raises(NoTracingContext, match="no trace is going on"):
        gl.guard(L["n"] == 1)


def trace_and_fail(context):
    with gl.tracing(context):
        gl.guard(L["n"] == 1)
        raise ZeroDivisionError


def test_contexts_nest_and_are_left_after_an_error():
    with gl.tracing(TracingContext()) as outer:
        inner = TracingContext(capture=False)
        with pytest.raises(ZeroDivisionError):
            trace_and_fail(inner)
        assert gl.current() is outer
        gl.guard(L["m"] == 1)
    assert gl.current() is None
    assert [str(guard) for guard in inner.guards] == ["L['n'] == 1"]
    assert [str(guard) for guard in outer.guards] == ["L['m'] == 1"]


def test_threads_have_contexts_of_their_own():
    seen = []

    def work(run):
        seen.append(run(gl.current))

    with gl.tracing() as context:
        here = contextvars.copy_context()
        for run in (lambda f: f(), here.run):
            thread = threading.Thread(target=work, args=(run,))
            thread.start()
            thread.join()
    assert seen == [None, context]


def test_tasks_have_contexts_of_their_own():
    async def trace(number, gate):
        with gl.tracing() as context:
            await gate.wait()
            gl.guard(L["n"] == number)
            await asyncio.sleep(0)
            assert gl.current() is context
            return [str(guard) for guard in context.guards]

    async def main():
        gate = asyncio.Event()
        tasks = [asyncio.create_task(trace(number, gate)) for number in range(3)]
        gate.set()
        return await asyncio.gather(*tasks)

    assert asyncio.run(main()) == [[f"L['n'] == {number}"] for number in range(3)]


def lower_layer():
    return gl.guard(L["n"] > 2)


def test_the_users_line_is_found_past_the_modules_to_skip():
    namespace = {"__name__": "framework.layers", "gl": gl, "L": L}
    exec("def lower():\n    return gl.guard(L['n'] > 2)", namespace)
    with gl.tracing(TracingContext(skip=("framework",), depth=2)) as context:
        added = namespace["lower"]()  # this line
    assert added.origin.function == "test_the_users_line_is_found_past_the_modules_to_skip"
    assert added.origin.code.endswith("# this line")
    assert len(context.stack_of(added)) == 2
    with gl.tracing(TracingContext(skip=("frame",))):
        assert namespace["lower"]().origin.function == "lower"
    with gl.tracing(TracingContext(capture=False)):
        assert lower_layer().origin is None


def test_observed_guards_carry_the_users_line():
    with gl.tracing() as context:
        context.observe([1], L["x"])[0].pin()
    assert {guard.origin.function for guard in context.guards} == {"test_observed_guards_carry_the_users_line"}


class Counter:
    def __init__(self):
        self.count = 0

    def settle(self):
        pass

    def mark(self):
        return self.count

    def restore(self, mark):
        self.count = mark or 0


def test_a_mark_covers_every_layer():
    counter = Counter()
    with gl.tracing(TracingContext(capture=False)) as context:
        context.add_layer("counter", counter)
        x = context.observe({"a": 1}, L["x"])
        context.values["fake mode"] = 1
        context.set_arguments(L["x"])
        mark = context.checkpoint()
        counter.count = 5
        _ = x["a"].value
        context.observe([], L["y"])
        context.bind(3, L["n"])
        context.values["fake mode"] = 2
        context.set_arguments(L["x"], L["y"])
        gl.guard(L["n"] == 3)
        assert [str(guard) for guard in context.diff(mark)] == [
            "'a' in L['x']",
            "exact(L['x']['a'], 1)",
            "type(L['y']) is list",
            "len(L['y']) == 0",
            "L['n'] == 3",
            "distinct(L['x'], L['y'])",
        ]
        context.restore(mark)
        assert [str(guard) for guard in context.guards] == ["type(L['x']) is dict"]
        assert (counter.count, context.values["fake mode"], len(context.arg_sources), len(context.bindings)) == (0, 1, 1, 0)
        assert x["a"].value == 1
        assert len(context.guards) == 3


def test_layers_that_know_inputs_by_position():
    with gl.tracing(TracingContext(capture=False)) as context:
        context.set_arguments(L["x"], G["y"], None)
        gl.guard(gl.same(context.argument(0), context.argument(1)))
        with pytest.raises(GuardNameError, match="argument 2 of the traced program has no source"):
            context.argument(2)
    assert str(context.guards) == "same(L['x'], G['y'])\n"


def test_an_inner_region_becomes_part_of_the_outer():
    outer, inner = TracingContext(capture=False), TracingContext(capture=False)
    with gl.tracing(inner):
        inner.observe([1, 2], L["xs"])[0].pin()
        gl.guard(L["xs"][0] < L["n"], origin="inner.py:3")
    outer.absorb(inner, {L["xs"]: L["self"].items, L["n"]: 5})
    assert str(outer.guards).splitlines() == [
        "type(L['self'].items) is list",
        "len(L['self'].items) == 2",
        "type(L['self'].items[0]) is int",
        "L['self'].items[0] < 5  # inner.py:3",
    ]
    with pytest.raises(GuardNameError, match=r"reads L\['n'\], which is nothing in the outer frame"):
        outer.absorb(inner, {L["xs"]: L["ys"]})


def test_leaving_a_context_lets_go_of_the_examples():
    import gc
    import weakref

    class Node:
        pass

    node = Node()
    with gl.tracing() as context:
        context.observe(node, L["x"])
        with gl.tracing(context):
            pass
        context.observe(node, L["y"])
    alive = weakref.ref(node)
    del node
    gc.collect()
    assert alive() is None
    assert "same(L['x'], L['y'])" in str(context.guards)


def test_bindings():
    context = TracingContext()
    binding = context.bind((2, 3), L["sizes"], placeholder="arg0")
    assert context.bindings[binding.source] is binding
    assert str(binding.expr) == "L['sizes']"
    assert str(context.bind(7, None).expr) == "7"
    with pytest.raises(gl.GuardTypeError, match="what has no source is a constant"):
        context.bind(object(), None)
    with pytest.raises(gl.GuardTypeError, match=r"L\['sizes'\] has no shape"):
        binding.symbol("shape", 0)


def test_a_constant_is_no_input():
    guards = GuardSet()
    x = gl.observe([1, None], gl.named("TABLE", [1, None]), into=guards, policy=Policy(eager=True))
    assert x[0].value == 1
    assert x[1].is_none()
    assert len(guards) == 0


def test_observe_needs_a_set():
    with pytest.raises(gl.GuardTypeError, match="needs the set that its guards go to"):
        gl.observe(1, L["n"], into=[])
