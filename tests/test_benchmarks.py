"""The runner of the benchmarks, with a clock and benchmarks of its own: no test here depends on time."""

import gc
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

import benchmarks.__main__ as runner
from benchmarks.measure import compare
from benchmarks.report import Result, print_table
from benchmarks.rows import Row


class Clock:
    """Seconds that pass only when a case says so."""

    def __init__(self):
        self.now = 0.0
        self.calls = []

    def __call__(self):
        return self.now

    def case(self, name, cost):
        def call(*args):
            assert not gc.isenabled()
            self.calls.append((name, args))
            self.now += cost

        return call


@pytest.mark.parametrize("args", [(), (1,), (1, 2), (1, 2, 3)])
def test_compare_gives_seconds_of_one_call(args):
    clock = Clock()
    medians = compare({"a": clock.case("a", 0.25), "b": clock.case("b", 1.0)}, args=args, rounds=3, shortest=0.5, clock=clock)
    assert medians == {"a": 0.25, "b": 1.0}
    assert {seen for _, seen in clock.calls} == {args}


def test_compare_takes_turns_and_starts_with_another_case_each_round():
    clock = Clock()
    cases = {name: clock.case(name, 1.0) for name in "abc"}
    compare(cases, rounds=3, shortest=1.0, clock=clock)
    assert "".join(name for name, _ in clock.calls) == "abc" + "abc" + "bca" + "cab"


def test_compare_makes_samples_as_long_as_asked():
    clock = Clock()
    compare({"a": clock.case("a", 0.125)}, rounds=1, shortest=1.0, clock=clock)
    lengths = [1, 10, 10]  # tried alone, then enough, then the round
    assert len(clock.calls) == sum(lengths)


def test_compare_leaves_the_collector_as_it_was():
    assert gc.isenabled()

    def broken():
        raise KeyError("broken")

    with pytest.raises(KeyError):
        compare({"a": broken})
    assert gc.isenabled()


def test_compare_refuses_no_rounds():
    with pytest.raises(ValueError, match="rounds is 0: a median needs one sample at least"):
        compare({"a": int}, rounds=0)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Three benchmarks: one that measures, one that needs something, one that fails after its first row."""
    sources = {
        "bench_good.py": "yield Row.of('fast', ours=1.0, theirs=2.0, goal=0.6, note='peer')",
        "bench_lacking.py": "raise Unavailable('needs a moon')\n    yield",
        "bench_broken.py": "yield Row.of('slow', ours=4.0, theirs=2.0, goal=1.1)\n    raise KeyError('k')",
    }
    for name, body in sources.items():
        text = f"from benchmarks.rows import Row, Unavailable\n\n\ndef rows(options):\n    {body}\n"
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(runner, "HERE", tmp_path)
    monkeypatch.setattr("benchmarks.__path__", [str(tmp_path)])
    return tmp_path


def invoke(folder: Path, *args: str):
    outcome = CliRunner().invoke(runner.main, ["--json", str(folder / "results.json"), *args])
    return outcome, json.loads((folder / "results.json").read_text(encoding="utf-8"))


def test_runner_prints_and_writes_every_row_and_fails_for_an_error_alone(folder):
    outcome, document = invoke(folder)
    assert outcome.exit_code == 1
    assert [(row["benchmark"], row["name"], row["ratio"], row["met"]) for row in document["rows"]] == [
        ("broken", "slow", 2.0, False),
        ("good", "fast", 0.5, True),
    ]
    assert document["skipped"] == {"lacking": "needs a moon"}
    assert document["failed"] == {"broken": "KeyError: 'k'"}
    assert "skipped lacking: needs a moon" in outcome.output
    assert "failed broken: KeyError: 'k'" in outcome.output


def test_runner_runs_what_it_is_asked_for(folder):
    outcome, document = invoke(folder, "--only", "good", "--only", "lacking")
    assert outcome.exit_code == 0
    assert [row["benchmark"] for row in document["rows"]] == ["good"]


def test_runner_names_the_benchmarks_there_are(folder):
    outcome = CliRunner().invoke(runner.main, ["--only", "god"])
    assert outcome.exit_code == 2
    assert "no benchmark is called 'god'; there are: broken, good, lacking" in outcome.output


def test_table_marks_a_ratio_past_its_goal(capsys):
    row = Row.of("slow [x]", ours=4.0, theirs=2.0, goal=1.1)
    print_table([Result("b", rows=(row,))], Console(width=100, no_color=True))
    assert "slow [x]  4 s   2 s     2.000  <= 1.1  NO" in capsys.readouterr().out
