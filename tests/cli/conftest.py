"""The command line as its users meet it: arguments in; output, errors and exit status out."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from guardlang.cli import main

GOLDENS = Path(__file__).parent.parent / "goldens" / "cli"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command in a directory that has the example files."""
    for file in GOLDENS.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    for name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)

    def invoke(*args, stdin=None, **env):
        result = CliRunner().invoke(main, list(args), input=stdin, env=env)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert "Traceback" not in result.output
        return result

    return invoke


@pytest.fixture
def golden():
    """Give the text of a golden file."""
    return lambda name: (GOLDENS / name).read_text(encoding="utf-8")
