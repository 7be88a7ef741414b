"""What is wrong with an input is told with file, line and column, a caret and a remedy, and never with a traceback."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

LINE = "L['n'] == 1\n"
FRAME = '{"L": {"n": 1}}'

GUARD_ERRORS = {
    "syntax": (
        LINE + "L['n'] =\n",
        "error: g:2:8: not an expression: invalid syntax\n  L['n'] =\n         ^\n",
    ),
    "type": (
        "# a comment\n\nlen(3) == 1\n",
        "error: g:3:5: len: an Int has no length\n  len(3) == 1\n      ^\n",
    ),
    "unknown function": (
        "lenn(L['n']) == 1\n",
        "error: g:1:1: unknown function 'lenn'\n  lenn(L['n']) == 1\n  ^^^^^^^^^^^^\nhint: did you mean 'len'?\n",
    ),
    "no condition": ("L['n']\n", "error: g:1:1: L['n'] is a value, not a condition\n"),
    "false": ("1 == 2\n", "error: g:1:1: 1 == 2 reads no input and is never true\n"),
    "unknown state": ("S['torch.grad_mod'] is True\n", "hint: did you mean 'torch.grad_mode'"),
    "json syntax": ('{"format": "guardlang.guards/1",, }', "error: g:1:33: not JSON: "),
    "json form": ('{"format": "guardlang.guards/1", "guards": {}}', '"guards" must be a list\n'),
    "json guard": (
        '{"format": "guardlang.guards/1",\n "guards": [{"guard": "L[1] == 1"}]}',
        "error: g:2:23: guards[0]: L[...] takes the name as a string literal\n",
    ),
    "json origin": (
        '{"format": "guardlang.guards/1",\n "guards": [{"guard": "L[\'n\'] == 1", "origins": [{"line": "x"}]}]}',
        "g:2:59: guards[0]['origins'][0]['line']: is not an int\n",
    ),
    "not utf-8": (b"L['n'] == 1\n\xff", "error: g:2:1: the file is not UTF-8\nhint: save it as UTF-8\n"),
}


@pytest.mark.parametrize("name", GUARD_ERRORS)
def test_errors_in_guards(run, tmp_path, name):
    content, says = GUARD_ERRORS[name]
    (tmp_path / "g").write_bytes(content if isinstance(content, bytes) else content.encode())
    (tmp_path / "f.json").write_text(FRAME)
    result = run("check", "g", "--frame", "f.json")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert says in result.stderr


def test_errors_in_frames_name_the_place(run, tmp_path):
    (tmp_path / "g").write_text(LINE)
    (tmp_path / "f.json").write_text('{\n "L": {\n  "n": {"$tupel": [1]}\n }\n}')
    result = run("check", "g", "--frame", "f.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "error: f.json:3:9: L['n']['$tupel']: there is no tag '$tupel'\n"
        '    "n": {"$tupel": [1]}\n'
        "          ^^^^^^^^\n"
        "hint: did you mean '$tuple'?\n"
    )


def test_missing_and_unreadable_files(run, tmp_path):
    (tmp_path / "f.json").write_text(FRAME)
    assert run("check", "nothing", "--frame", "f.json").stderr == "error: nothing: No such file or directory\n"
    assert run("check", "f.json", "--frame", "nothing.json").stderr == "error: nothing.json: No such file or directory\n"
    assert run("check", ".", "--frame", "f.json").exit_code == 2
    assert run("check", "f.json").exit_code == 2


def test_an_unknown_backend_or_solver(run, tmp_path):
    (tmp_path / "g").write_text(LINE)
    result = run("show", "g", "--backend", "pyton")
    assert (result.exit_code, result.stderr) == (2, "error: no backend is called 'pyton'\nhint: did you mean 'python'?\n")
    result = run("simplify", "g", "--solver", "z4")
    assert result.exit_code == 2
    assert "z4" in result.stderr


HOSTILE = "[bold]a\nb\x1b[31m\u202e\u2028\ud800'\"*/]]>&<script>" + "x" * 100_000


def test_hostile_names_are_escaped_wherever_they_show(run, tmp_path):
    import json

    (tmp_path / "g").write_text(f"L[{HOSTILE!a}] == 1  # \x1b[31m[red]\u202eorigin\n", encoding="utf-8")
    (tmp_path / "hit.json").write_text(json.dumps({"L": {HOSTILE: 1}}))
    (tmp_path / "miss.json").write_text(json.dumps({"L": {HOSTILE: HOSTILE}}))
    (tmp_path / "none.json").write_text('{"L": {}}')
    assert run("check", "g", "--frame", "hit.json", "--backend", "python").exit_code == 0
    for args in (["explain"], ["explain", "--json"], ["explain", "--html", "o.html"], ["check"]):
        for frame in ("miss.json", "none.json"):
            result = run(*args, "g", "--frame", frame)
            assert result.exit_code == 1
            assert all(c.isprintable() or c == "\n" for c in result.output)
    page = (tmp_path / "o.html").read_text(encoding="utf-8")
    assert all(c.isprintable() or c == "\n" for c in page)
    assert "<script" not in page
    assert run("show", "g").exit_code == 0
    shown = run("explain", "g", "--frame", "miss.json", FORCE_COLOR="1").output
    assert "[red]" in shown
    assert "\u202e" not in shown


def test_hostile_names_in_errors(run, tmp_path):
    (tmp_path / "g").write_text(LINE)
    (tmp_path / "f.json").write_text('{"L": {"\\u001b[31m[bold]\\n": {"$no\\u001b[1m": 1}}}')
    result = run("check", "g", "--frame", "f.json")
    assert result.exit_code == 2
    assert "\x1b" not in result.stderr
    assert "[bold]" in result.stderr


def test_a_broken_program_is_told_without_a_traceback(run, tmp_path):
    (tmp_path / "g").write_text(LINE)
    (tmp_path / "cli_frames.py").write_text(
        "import sys\n"
        "print('imported')\n"
        "def good():\n    print('called')\n    return {'L': {'n': 1}}\n"
        "def pair():\n    return {'n': 1}, {}\n"
        "def fails():\n    raise KeyError('x')\n"
        "def exits():\n    sys.exit(0)\n"
        "def odd():\n    return {'n': 1}\n"
    )
    (tmp_path / "cli_broken.py").write_text("1 +\n")
    good = run("check", "g", "--frame", "cli_frames:good")
    assert (good.exit_code, good.stdout) == (0, "the guard holds\n")
    assert good.stderr == "imported\ncalled\n"
    assert run("check", "g", "--frame", "cli_frames:pair").exit_code == 0
    for name, says in {
        "cli_frames:fails": "cli_frames:fails failed at",
        "cli_frames:exits": "SystemExit: 0",
        "cli_frames:odd": 'hint: return {"L": {...}, "G": {...}}, or the locals in a tuple of one',
        "cli_frames:nothing": "cli_frames:nothing: there is no 'nothing' in cli_frames",
        "cli_nothing:f": "importing cli_nothing failed: ModuleNotFoundError: No module named 'cli_nothing'",
        "cli_broken:f": "SyntaxError",
    }.items():
        result = run("check", "g", "--frame", name)
        assert (result.exit_code, result.stdout) == (2, "")
        assert says in result.stderr


def test_objects_that_are_no_mapping(run, tmp_path):
    (tmp_path / "g").write_text(LINE)
    (tmp_path / "f.json").write_text(FRAME)
    result = run("check", "g", "--frame", "f.json", "--objects", "math:pi")
    assert result.exit_code == 2
    assert "--objects math:pi: not a mapping of names to objects" in result.stderr
    assert run("check", "g", "--frame", "f.json", "--objects", "a:b:c").exit_code == 2


def test_a_name_that_the_program_has_not_imported_is_an_error(run, tmp_path):
    (tmp_path / "g").write_text("type(L['n']) is nowhere.Thing\n")
    (tmp_path / "cli_lonely.py").write_text("class Mine: pass\ndef frame():\n    return {'L': {'n': Mine()}}\n")
    result = run("check", "g", "--frame", "cli_lonely:frame")
    assert result.exit_code == 2
    assert "g:1:17: unknown name 'nowhere.Thing'" in result.stderr
    (tmp_path / "own").write_text("type(L['n']) is Mine and type(L['n']) is cli_lonely.Mine\n")
    assert run("check", "own", "--frame", "cli_lonely:frame").exit_code == 0


@given(guards=st.binary(max_size=60), frame=st.binary(max_size=60))
def test_no_content_makes_a_traceback(tmp_path_factory, guards, frame):
    from click.testing import CliRunner

    from guardlang.cli import main

    folder = tmp_path_factory.mktemp("hostile")
    (folder / "g").write_bytes(guards)
    (folder / "f").write_bytes(frame)
    for path in ("f", "good"):
        (folder / "good").write_text(FRAME)
        result = CliRunner().invoke(main, ["explain", str(folder / "g"), "--frame", str(folder / path)])
        assert result.exception is None or isinstance(result.exception, SystemExit)
        assert result.exit_code in (0, 1, 2)
        assert (result.exit_code == 2) == result.stderr.startswith("error: ")
