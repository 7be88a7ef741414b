"""`check`, `explain`, `show`, `simplify`, `implies`: what each prints and how it exits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from guardlang import GuardSet
from guardlang.cli import main

HOLDS = ("model.guards", "--frame", "holds.json")
FAILS = ("model.guards", "--frame", "fails.json")


def test_check_says_by_its_status_whether_the_guards_hold(run):
    assert (run("check", *HOLDS).exit_code, run("check", *FAILS).exit_code) == (0, 1)
    assert run("check", *HOLDS).output == "all 8 guards hold\n"
    assert run("check", *FAILS).output == "5 of 8 guards fail\n"
    quiet = run("check", "-q", *FAILS)
    assert (quiet.exit_code, quiet.output) == (1, "")


def test_explain_says_why(run, golden):
    result = run("explain", *FAILS)
    assert result.exit_code == 1
    assert result.stdout == golden("explain.txt")
    result = run("explain", *HOLDS)
    assert (result.exit_code, result.stdout) == (0, "all 8 guards hold\n")


def test_explain_as_json_is_the_explanation(run, golden):
    result = run("explain", *FAILS, "--json")
    assert result.exit_code == 1
    assert result.stdout == golden("explain.json")
    document = json.loads(result.stdout)
    assert [document["holds"], document["total"], len(document["failures"])] == [False, 8, 5]


def test_explain_as_html_is_one_escaped_page(run, golden, tmp_path):
    assert run("explain", *FAILS, "--html", "out.html").exit_code == 1
    page = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert page == golden("explain.html")
    for needle in ("<script", "<b>train", "\x1b", "http", "src="):
        assert needle not in page


def test_a_page_that_cannot_be_written_is_an_error(run):
    result = run("explain", *FAILS, "--html", "nowhere/out.html")
    assert result.exit_code == 2
    assert result.stderr == "error: nowhere/out.html: No such file or directory\n"


@pytest.mark.parametrize("backend", ["interp", "python", "auto"])
def test_a_compiled_check_is_held_against_the_explanation(run, backend):
    assert run("check", *HOLDS, "--backend", backend).exit_code == 0
    assert run("explain", *FAILS, "--backend", backend).exit_code == 1


def test_a_backend_that_is_wrong_is_an_error(run, monkeypatch):
    def wrong(request):
        def check(locals, globals=None, /):
            return True

        check.backend = "wrong"
        return check

    monkeypatch.setitem(run_backends(), "wrong", wrong)
    result = run("check", *FAILS, "--backend", "wrong")
    assert result.exit_code == 2
    assert "the backend wrong says that the guards hold, which is wrong" in result.stderr


def run_backends():
    from guardlang.codegen import backends

    return backends._backends


def test_the_state_of_a_frame_is_read_instead_of_the_current_one(run, tmp_path):
    (tmp_path / "s.guards").write_text("S['torch.grad_mode'] is True\n")
    (tmp_path / "on.json").write_text('{"L": {}, "S": {"torch.grad_mode": true}}')
    (tmp_path / "off.json").write_text('{"L": {}, "S": {"torch.grad_mode": false}}')
    (tmp_path / "none.json").write_text('{"L": {}, "S": {}}')
    assert run("check", "s.guards", "--frame", "on.json").exit_code == 0
    assert run("check", "s.guards", "--frame", "off.json").exit_code == 1
    assert "is not among the state of the frame" in run("explain", "s.guards", "--frame", "none.json").stdout
    result = run("check", "s.guards", "--frame", "on.json", "--backend", "python")
    assert result.exit_code == 2
    assert "a compiled check reads that of this process" in result.stderr


def test_show_prints_the_code_of_a_check(run):
    result = run("show", "model.guards")
    assert result.exit_code == 0
    assert "# 3: L['skip'] is L['x']" in result.stdout
    compile(result.stdout, "shown", "exec")
    guards = run("show", "model.guards", "--backend", "interp")
    assert guards.stdout.splitlines()[:2] == ["type(L['x']) is torch.Tensor", "L['x'].shape[0] % 8 == 0"]


def test_show_prints_the_question_of_a_solver(run, tmp_path):
    (tmp_path / "n.guards").write_text("type(L['n']) is int\nL['n'] > 2\n")
    result = run("show", "n.guards", "--backend", "smtlib")
    assert result.exit_code == 0
    assert result.stdout.rstrip().endswith("(check-sat)")


def test_simplify_prints_guards_that_say_the_same(run, tmp_path):
    (tmp_path / "n.guards").write_text("type(L['n']) is int\nL['n'] % 8 == 0  # m.py:3\nL['n'] % 4 == 0  # m.py:4\n")
    result = run("simplify", "n.guards")
    assert result.exit_code == 0
    assert result.stdout == "type(L['n']) is int\nL['n'] % 8 == 0  # m.py:3\n"
    assert "2 of 3 guards kept, 1 dropped" in result.stderr
    (tmp_path / "small.guards").write_text(result.stdout)
    assert run("implies", "small.guards", "n.guards").exit_code == 0
    assert json.loads(run("simplify", "n.guards", "--json").stdout)["dropped"][0]["guard"] == "L['n'] % 4 == 0"


def test_simplify_tells_of_a_contradiction(run, tmp_path):
    (tmp_path / "n.guards").write_text("exact(L['n'], 1)\nL['n'] > 2\n")
    result = run("simplify", "n.guards")
    assert result.exit_code == 1
    assert "contradict each other" in result.stderr


def test_implies_proves_or_gives_a_frame(run, tmp_path):
    (tmp_path / "a.guards").write_text("exact(L['n'], 8)\n")
    (tmp_path / "b.guards").write_text("L['n'] % 4 == 0\n")
    proved = run("implies", "a.guards", "b.guards")
    assert (proved.exit_code, proved.stdout) == (0, "proved, because\n  exact(L['n'], 8)\n")
    refuted = run("implies", "b.guards", "a.guards", "--json")
    assert refuted.exit_code == 1
    assert json.loads(refuted.stdout)["verdict"] == "refuted"


@pytest.mark.parametrize("command", [("simplify",), ("implies", "c.guards"), ("show", "--backend", "smtlib")])
def test_nothing_is_proved_about_stand_ins(run, tmp_path, command):
    # Of real classes, one may be derived from the other: as stand-ins, one guard would seem to exclude the other.
    (tmp_path / "c.guards").write_text("type(L['e']) is decimal.Overflow\nisinstance(L['e'], decimal.Inexact)\n")
    result = run(*command, "c.guards")
    assert result.exit_code == 2
    assert "unknown name 'decimal.Overflow'" in result.stderr
    assert "hint: give it by --objects: a module, or module:NAME of a mapping" in result.stderr


def test_named_modules_give_the_objects_of_a_proof(run, tmp_path):
    (tmp_path / "a.guards").write_text("type(L['e']) is decimal.Overflow\n")
    (tmp_path / "b.guards").write_text("isinstance(L['e'], decimal.Inexact)\n")
    assert run("implies", "a.guards", "b.guards", "--objects", "decimal").exit_code == 0


def test_guards_in_json_are_read_like_text(run, tmp_path):
    guards = GuardSet()
    guards.add("L['n'] == 1", origin="f.py:3")
    (tmp_path / "n.json").write_text(guards.to_json())
    (tmp_path / "f.json").write_text('{"L": {"n": 2}}')
    result = run("explain", "n.json", "--frame", "f.json")
    assert result.stdout == "1 of 1 guard fails\n  L['n'] == 1   got 2   f.py:3\n"


def test_named_objects_of_json_guards_are_stand_ins_too(run, tmp_path):
    from collections import OrderedDict

    guards = GuardSet({"OrderedDict": OrderedDict, "LIMIT": 4})
    guards.add("type(L['d']) is OrderedDict and len(L['d']) < LIMIT")
    (tmp_path / "d.json").write_text(guards.to_json())
    (tmp_path / "f.json").write_text('{"L": {"d": {"$dict": {"a": 1}, "$type": "OrderedDict"}}}')
    assert run("check", "d.json", "--frame", "f.json").exit_code == 0


def test_a_guard_file_may_begin_with_a_set_or_a_dict(run, tmp_path):
    (tmp_path / "s.guards").write_text('{1, 2} <= L[\'s\']\n{"a": 1} == L["d"]\n')
    (tmp_path / "f.json").write_text('{"L": {"s": {"$set": [1, 2, 3]}, "d": {"a": 1}}}')
    assert run("check", "s.guards", "--frame", "f.json").exit_code == 0


def test_a_dash_is_standard_input(run, golden):
    assert run("check", "-", "--frame", "holds.json", stdin=golden("model.guards")).exit_code == 0
    assert run("check", "model.guards", "--frame", "-", stdin=golden("holds.json")).exit_code == 0
    result = run("check", "-", "--frame", "-", stdin="")
    assert result.exit_code == 2
    assert "cannot both be standard input" in result.stderr
    assert "only one of the files" in run("implies", "-", "-", stdin="").stderr


@pytest.mark.parametrize("command", ["check", "explain", "show", "simplify", "implies"])
def test_every_command_tells_its_exit_status(run, command):
    result = run(command, "--help")
    assert result.exit_code == 0
    assert "Exit status: 0" in result.stdout
    assert "2 an error" in result.stdout


def test_help_names_every_command_and_both_formats(run):
    text = run("--help").stdout
    for word in (*main.commands, "GUARDS", "FRAME", "module:function", "stand-in", "Exit status"):
        assert word in text


def test_the_version_is_that_of_the_package(run):
    import guardlang

    assert run("--version").stdout == f"guardlang {guardlang.__version__}\n"


def test_the_readme_shows_what_is_printed(run, tmp_path):
    readme = (Path(__file__).parent.parent.parent / "README.md").read_text(encoding="utf-8")
    shown = readme.split("$ cat model.guards\n")[1].split("```")[0]
    guards, rest = shown.split("\n$ cat frame.json\n")
    frame, rest = rest.split("\n\n$ guardlang ")
    command, output = rest.split("\n", 1)
    (tmp_path / "model.guards").write_text(guards)
    (tmp_path / "frame.json").write_text(frame)
    result = run(*command.split())
    assert (result.exit_code, result.stdout) == (1, output)
