"""Names of ambient state without torch: known, and undefined until it is imported."""

import subprocess
import sys

import pytest

from guardlang.errors import GuardNameError
from guardlang.state import declared_names, reader_of, register_state_reader
from guardlang.values import Undefined


def test_a_registered_reader_is_asked_at_each_read():
    level = [1]
    register_state_reader("test.level", lambda: level[0])
    read = reader_of("test.level")
    assert read() == 1
    level[0] = 2
    assert read() == 2
    assert "test.level" in declared_names()


def test_an_error_in_a_reader_is_undefined():
    def broken():
        raise ZeroDivisionError

    def refusing():
        raise Undefined("refuses")

    register_state_reader("test.broken", broken)
    register_state_reader("test.refusing", refusing)
    with pytest.raises(Undefined, match="cannot be read: ZeroDivisionError in its reader"):
        reader_of("test.broken")()
    with pytest.raises(Undefined, match=r"^refuses$"):
        reader_of("test.refusing")()


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("torch.grad_mod", "torch.grad_mode"),
        ("torch.autocast.cpu.enable", "torch.autocast.cpu.enabled"),
        ("sys.module", "sys.modules"),
    ],
)
def test_an_unknown_name_is_an_error_with_the_nearest(name, near):
    with pytest.raises(GuardNameError, match=f"there is no state '{name}'") as caught:
        reader_of(name)
    assert near in str(caught.value)


@pytest.mark.parametrize(
    "name", ["torch.autocast.gpu.enabled", "torch.fp32_precision.cuda", "torch.current_stream", "torch.current_stream.Cuda 0", ""]
)
def test_names_outside_the_families_are_unknown(name):
    with pytest.raises(GuardNameError):
        reader_of(name)


def test_sys_modules():
    assert reader_of("sys.modules")() is sys.modules


def test_torch_names_are_known_without_torch_and_bind_once_it_is_there():
    code = """
import sys
from guardlang.state import declared_names, reader_of
from guardlang.values import Undefined
readers = [reader_of(name) for name in declared_names() if name.startswith("torch.")]
readers += [reader_of("torch.fp32_precision.cuda.matmul"), reader_of("torch.current_stream.cuda:0")]
for read in readers:
    try:
        read()
    except Undefined as error:
        assert error.cause == "cannot be read: torch is not imported", error.cause
    else:
        raise AssertionError("was defined")
assert "torch" not in sys.modules
assert "numpy" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
