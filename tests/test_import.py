"""`import guardlang` is light: the libraries of the adapters and the solvers stay out until something needs them."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

HEAVY = ("numpy", "sympy", "torch", "z3")


def loaded_after(code: str) -> list[str]:
    """Run `code` in a fresh interpreter with warnings as errors and tell which heavy libraries it loaded."""
    report = f"\nimport sys\nprint([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code + report], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return eval(done.stdout)


def test_heavy_libraries_are_found_when_loaded():
    assert loaded_after("import sympy") == ["sympy"]


def test_import_loads_no_heavy_library():
    assert loaded_after("import guardlang") == []


@pytest.mark.skipif(find_spec("torch") is None, reason="needs torch")
def test_import_loads_no_heavy_library_where_torch_is_installed():
    code = "from importlib.util import find_spec\nassert find_spec('torch') is not None\nimport guardlang"
    assert loaded_after(code) == []


def test_every_public_name_is_reachable():
    code = "import guardlang\nfor name in guardlang.__all__: getattr(guardlang, name)"
    assert "z3" not in loaded_after(code)
    assert "sympy" not in loaded_after(code)
