"""Colours on a terminal, plain text in a pipe, and a quick start."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import guardlang

pty = pytest.importorskip("pty")  # Windows has none

COMMAND = [sys.executable, "-m", "guardlang"]
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "NO_COLOR", "COLUMNS")}
# Commands run in another directory; the package need not be installed.
ENVIRONMENT["PYTHONPATH"] = str(Path(guardlang.__file__).parent.parent)
ANSI = re.compile(r"\x1b\[[0-9;]*m")
COLOUR = re.compile(r"\x1b\[(?:[0-9]+;)*[39][0-7](?:;[0-9]+)*m")


def in_process(*args, **env):
    """Run the command in a process of its own, with pipes for output."""
    return subprocess.run([*COMMAND, *args], capture_output=True, check=False, env=ENVIRONMENT | env)


def on_terminal(*args, **env):
    """Run the command on a terminal of its own; give the exit status and what was shown."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *args], stdin=slave, stdout=slave, stderr=slave, env=ENVIRONMENT | {"TERM": "xterm", "COLUMNS": "200"} | env
    )
    os.close(slave)
    shown = b""
    while True:
        try:
            part = os.read(master, 65_536)
        except OSError:  # Linux says so when the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(master)
    return process.wait(), shown.decode().replace("\r\n", "\n")


@pytest.fixture
def fails(run):
    """Arguments of a command whose guards do not hold; `run` has put the files there."""
    return ("explain", "model.guards", "--frame", "fails.json")


def test_a_pipe_gets_plain_text(fails, golden):
    result = in_process(*fails)
    assert result.returncode == 1
    assert result.stdout.decode() == golden("explain.txt")
    assert result.stderr == b""


def test_a_terminal_gets_colours_and_the_same_words(fails, golden):
    status, shown = on_terminal(*fails)
    assert status == 1
    assert COLOUR.search(shown)
    plain = ANSI.sub("", shown)
    for line in golden("explain.txt").splitlines():
        for phrase in re.split(r" {3,}", line.strip()):
            assert phrase in plain
    assert "\\x1b[31m" in plain


def test_no_color_is_honoured(fails):
    status, shown = on_terminal(*fails, NO_COLOR="1")
    assert status == 1
    assert "5 of 8 guards fail" in shown
    assert not COLOUR.search(shown)


def test_a_dumb_terminal_gets_plain_text(fails, golden):
    assert on_terminal(*fails, TERM="dumb") == (1, golden("explain.txt"))


def test_errors_and_code_on_a_terminal(run):
    status, shown = on_terminal("show", "nothing.guards")
    assert status == 2
    assert ANSI.sub("", shown) == "error: nothing.guards: No such file or directory\n"
    status, shown = on_terminal("show", "model.guards")
    assert status == 0
    assert COLOUR.search(shown)
    status, shown = on_terminal("check", "model.guards", "--frame", "holds.json")
    assert (status, ANSI.sub("", shown)) == (0, "all 8 guards hold\n")


def test_a_stream_that_cannot_encode_a_character_gets_an_escape(run, tmp_path):
    (tmp_path / "g").write_text("L['é'] == '→'\n", encoding="utf-8")
    (tmp_path / "f.json").write_text('{"L": {"é": "ß"}}', encoding="utf-8")
    result = in_process("explain", "g", "--frame", "f.json", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert result.returncode == 1
    assert result.stdout == b"1 of 1 guard fails\n  L['\\xe9'] == '\\u2192'   got '\\xdf'\n"


def test_a_reader_that_goes_away_makes_no_traceback(run):
    process = subprocess.Popen(
        [*COMMAND, "show", "model.guards"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT
    )
    process.stdout.close()
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()
    process.wait()


def test_the_script_and_the_module_are_one_command():
    from importlib.metadata import entry_points

    from guardlang.cli import main

    points = entry_points(group="console_scripts", name="guardlang")
    if not points:
        pytest.skip("guardlang is not installed here")
    assert points["guardlang"].load() is main


def test_help_and_a_check_load_no_heavy_library(run):
    code = (
        "import sys\n"
        "from guardlang.cli import main\n"
        "try:\n    main(sys.argv[1:])\n"
        "except SystemExit:\n    pass\n"
        "heavy = {'rich', 'torch', 'numpy', 'sympy', 'z3', 'pygments'} & set(sys.modules)\n"
        "sys.exit(f'loaded {sorted(heavy)}' if heavy else 0)\n"
    )
    for args in (["--help"], ["explain", "model.guards", "--frame", "fails.json"], ["show", "model.guards"]):
        result = subprocess.run([sys.executable, "-c", code, *args], capture_output=True, check=False, env=ENVIRONMENT)
        assert result.returncode == 0, result.stderr


def test_equal_inputs_give_equal_output_under_any_hash_seed(fails, golden):
    outputs = {in_process(*fails, PYTHONHASHSEED=seed).stdout.decode() for seed in ("0", "1", "2")}
    assert outputs == {golden("explain.txt")}
