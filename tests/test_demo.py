"""`make demo` checks its own outcomes; here it is run like that."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def test_the_demo_runs_and_explains_five_misses():
    pytest.importorskip("torch")
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    result = subprocess.run(
        [sys.executable, ROOT / "examples" / "demo.py"], capture_output=True, text=True, check=False, env=environment
    )
    assert result.returncode == 0, result.stderr
    assert "all 10 guards hold" in result.stdout
    assert result.stdout.count("Broken: ") == 5
    assert result.stdout.count("of 10 guards fail") == 5
