"""The conformance cases of `tests/cases`, on every registered backend.

A case is one JSON object on a line: `id`, `kind`, `title`, and
    check     `guards`, `frames`: on each frame all backends and the explanation say `holds`; `fails` are guards that the
              explanation lists, `says` words that it contains
    reject    `guards`, `error` (a base of the exception), `says`; `at: compile` refuses `example`
    text      `text` renders as `canonical`, and both are the same expression
    implies   `a`, `b`, `verdict`; a refuted verdict has a witness, which is replayed
    simplify  `guards`; `at_most`, `keeps`, `drops` of the result, or `contradiction`, the smallest core; `frames` as for check
    table     `sets`, `frames` with the `entry` that is found
`setup` is Python that defines names for the frames and for `objects`, the names of the guard texts; `before` runs ahead of a
frame, and `enter` is a context that it is checked in; `needs` names modules.
"""

import contextlib
import json
from pathlib import Path

import pytest

import guardlang
from guardlang import GuardSet, parse, render
from guardlang.codegen import backend_names

FOLDER = Path(__file__).with_name("cases")
CASES = [json.loads(line) for file in sorted(FOLDER.glob("*.jsonl")) for line in file.read_text("utf-8").splitlines() if line]
BACKENDS = [name for name in backend_names() if name != "reference"]


def of_kind(kind):
    return pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CASES if case["kind"] == kind])


class Scene:
    """The names of one case, and what is made of them."""

    def __init__(self, case):
        for module in case.get("needs", []):
            pytest.importorskip(module)
        self.names = {"__name__": "case"}
        exec(case.get("setup", ""), self.names)
        self.objects = {name: self.value(code) for name, code in case.get("objects", {}).items()}

    def value(self, code):
        return {} if code is None else eval(code, self.names)

    def guards(self, texts):
        made = GuardSet(objects=self.objects)
        for text in texts:
            made.add(text)
        return made

    def canonical(self, texts):
        return sorted(render(parse(text, self.objects)) for text in texts)

    @contextlib.contextmanager
    def frame(self, frame):
        exec(frame.get("before", ""), self.names)
        locals, globals = self.value(frame["L"]), self.value(frame.get("G"))
        with self.value(frame["enter"]) if "enter" in frame else contextlib.nullcontext():
            yield locals, globals


def texts_of(guards):
    return sorted(render(guard.expr) for guard in guards)


def assert_frames(scene, guards, frames):
    checks = {name: guards.compile(name) for name in BACKENDS}
    for number, frame in enumerate(frames):
        with scene.frame(frame) as (locals, globals):
            verdicts = {name: check(locals, globals) for name, check in checks.items()}
            explanation = guards.explain(locals, globals)
        assert verdicts == dict.fromkeys(BACKENDS, frame["holds"]), f"frame {number}\n{explanation}"
        assert bool(explanation) is frame["holds"], f"frame {number}\n{explanation}"
        text = str(explanation)
        assert text.strip()
        for word in frame.get("says", []):
            assert word.lower() in text.lower(), f"frame {number}"
        failing = [str(failure.guard) for failure in explanation.failures]
        for wanted in scene.canonical(frame.get("fails", [])):
            assert wanted in failing, f"frame {number}\n{text}"


def test_all_kinds_are_run():
    assert {case["kind"] for case in CASES} == {"check", "reject", "text", "implies", "simplify", "table"}
    assert len({case["id"] for case in CASES}) == len(CASES) > 200


@of_kind("check")
def test_check(case):
    scene = Scene(case)
    assert_frames(scene, scene.guards(case["guards"]), case["frames"])


@of_kind("reject")
def test_reject(case):
    scene = Scene(case)
    if case.get("at") == "compile":
        guards, example = scene.guards(case["guards"]), tuple(scene.value(case["example"].get(root)) for root in "LG")
        with pytest.raises(guardlang.GuardlangError) as caught:
            guards.compile(example=example)
    else:
        with pytest.raises(guardlang.GuardlangError) as caught:
            scene.guards(case["guards"])
    assert case["error"] in [base.__name__ for base in type(caught.value).__mro__]
    for word in case.get("says", []):
        assert word.lower() in str(caught.value).lower()


@of_kind("text")
def test_text(case):
    scene = Scene(case)
    expr = parse(case["text"], scene.objects)
    assert render(expr) == str(expr) == case["canonical"]
    assert parse(case["canonical"], scene.objects) is expr


@pytest.mark.skipif(not hasattr(GuardSet, "implies"), reason="GuardSet cannot prove yet")
@of_kind("implies")
def test_implies(case):
    scene = Scene(case)
    first, second = scene.guards(case["a"]), scene.guards(case["b"])
    verdict = first.implies(second)
    assert type(verdict).__name__.lower() == case["verdict"], str(verdict)
    if case["verdict"] == "refuted":
        witness = verdict.witness
        assert first.compile("interp")(witness.locals, witness.globals)
        assert not second.compile("interp")(witness.locals, witness.globals)


@pytest.mark.skipif(not hasattr(GuardSet, "simplify"), reason="GuardSet cannot simplify yet")
@of_kind("simplify")
def test_simplify(case):
    scene = Scene(case)
    guards = scene.guards(case["guards"])
    small = guards.simplify()
    texts = texts_of(small)
    assert len(texts) <= case.get("at_most", len(texts))
    assert not set(scene.canonical(case.get("drops", []))) & set(texts)
    assert set(scene.canonical(case.get("keeps", []))) <= set(texts)
    frames = case.get("frames", [])
    assert_frames(scene, guards, frames)
    if "contradiction" in case:
        verdict = guards.satisfiable()
        assert not verdict
        assert texts_of(verdict.core) == scene.canonical(case["contradiction"])
    else:
        assert_frames(
            scene, small, [{key: value for key, value in frame.items() if key not in ("fails", "says")} for frame in frames]
        )


@pytest.mark.skipif(not hasattr(guardlang, "GuardTable"), reason="there is no GuardTable yet")
@of_kind("table")
@pytest.mark.parametrize("backend", BACKENDS)
def test_table(case, backend):
    scene = Scene(case)
    table = guardlang.GuardTable(backend=backend)
    for number, texts in enumerate(case["sets"]):
        table.add(scene.guards(texts), number)
    for number, frame in enumerate(case["frames"]):
        with scene.frame(frame) as (locals, globals):
            assert table.lookup(locals, globals) == frame["entry"], f"frame {number}"
            text = str(table.explain(locals, globals))
        assert text.strip()
        for word in frame.get("says", []):
            assert word.lower() in text.lower(), f"frame {number}"
