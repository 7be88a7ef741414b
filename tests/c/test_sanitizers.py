"""Random sets and frames, hostile ones among them, under the address and undefined behaviour sanitizers.

`GUARDLANG_SANITIZED_SETS` says how many sets; each takes the compiler seconds.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import random, sys
from guardlang import evaluate
from guardlang.testing import Generator, Hooks

draw = random.Random(int(sys.argv[1]))
for _ in range(int(sys.argv[2])):
    trial = Generator(draw, Hooks()).trial()
    check = trial.guards.compile("c")
    for frame in trial.frames * 3:
        assert check(*frame) is all(evaluate(guard.expr, *frame) for guard in trial.guards), trial
print("clean")
"""


def library(compiler, name):
    told = subprocess.run(
        [*compiler.command, f"-print-file-name={name}"], capture_output=True, text=True, check=False
    ).stdout.strip()
    return told if Path(told).is_absolute() and Path(told).exists() else None


@pytest.mark.skipif(sys.platform != "linux", reason="the sanitizers are loaded before Python as Linux does it")
def test_the_sanitizers_find_nothing(compiler, tmp_path):
    libraries = [library(compiler, name) for name in ("libasan.so", "libubsan.so")]
    if None in libraries:
        pytest.skip("the compiler brings no sanitizers")
    settings = {
        "GUARDLANG_CACHE": str(tmp_path),
        "GUARDLANG_CFLAGS": "-O0 -fsanitize=address,undefined -fno-sanitize-recover=all",
        "LD_PRELOAD": " ".join(libraries),
        # Python keeps what it allocated for good; the tests of memory count that.
        "ASAN_OPTIONS": "detect_leaks=0",
        "PYTHONMALLOC": "malloc",
    }
    count = os.environ.get("GUARDLANG_SANITIZED_SETS", "3")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, "1", count], env={**os.environ, **settings}, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "clean", done.stderr[-3000:]
