"""C without Python agrees with the interpreter."""

import ctypes
import itertools
import random
import subprocess

import pytest

from guardlang import GuardSet, evaluate
from guardlang.codegen.c.building import find_compiler
from guardlang.codegen.c.dlpack import write_dlpack
from guardlang.errors import PortabilityError

torch = pytest.importorskip("torch")

STRICT = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-Wpedantic")
TEXTS = [
    "L['x'].dtype == torch.float32",
    "L['x'].device == torch.device('cpu')",
    "L['x'].ndim == 2",
    "L['x'].shape[1] == L['y'].shape[0]",
    "L['x'].shape[0] % 8 == 0",
    "L['x'].shape[0] // -3 == -(L['n'] - 1)",
    "L['n'] % -5 <= 0",
    "2 <= L['n'] < 100 and L['n'] * L['x'].shape[0] != 12 or L['n'] == 5",
    "L['x'].is_contiguous()",
    "L['y'].stride(-1) == 1",
    "min(L['n'], L['y'].shape[0], 4) > max(L['x'].shape[0] - 6, -1)",
    "not L['n'] == 3",
    "(L['n'] == 1 if L['n'] < 2 else L['x'].shape[2] > 1)",
    "L['n'] * L['n'] > L['n']",
    "L['n'] + 9223372036854775807 > 0",
    "type(L['n']) is int",
]


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


def as_dlpack(x, strides=True):
    code, bits = {torch.float32: (2, 32), torch.int64: (0, 64)}[x.dtype]
    row = ctypes.c_int64 * max(x.dim(), 1)
    return Tensor(None, 1, 0, x.dim(), code, bits, 1, row(*x.shape), row(*x.stride()) if strides else None, 0)


def build(guards, folder, name="guards"):
    made = write_dlpack(guards.exprs, name)
    (folder / f"{name}.h").write_text(made.header)
    (folder / f"{name}.c").write_text(made.source)
    path = folder / f"{name}.so"
    subprocess.run([*find_compiler().command, *STRICT, "-shared", "-fPIC", folder / f"{name}.c", "-o", path], check=True)
    return ctypes.CDLL(str(path))


def guards_of(*texts):
    guards = GuardSet(objects={"torch": torch})
    for text in texts:
        guards.add(text)
    return guards


def tensors(draw):
    shape = [draw.choice([0, 1, 2, 3, 8, 16]) for _ in range(draw.choice([1, 2, 2, 2, 3]))]
    x = torch.empty(shape, dtype=draw.choice([torch.float32, torch.float32, torch.int64]))
    return x.transpose(0, -1) if draw.random() < 0.3 else x


@pytest.mark.parametrize("text", TEXTS)
def test_each_guard_says_what_the_interpreter_says(text, tmp_path):
    guards = guards_of(text)
    library = build(guards, tmp_path)
    library.guards_check.restype = ctypes.c_int
    (guard,) = guards.exprs
    names = [name for name in sorted("nxy", key=lambda name: text.find(f"L['{name}']")) if f"L['{name}']" in text]
    draw = random.Random(text)
    for _ in range(300):
        frame = {"x": tensors(draw), "y": tensors(draw), "n": draw.choice([-7, -1, 0, 1, 2, 3, 5, 6, 99, 2**31, 2**62, -(2**63)])}
        args = [ctypes.c_int64(frame[name]) if name == "n" else ctypes.byref(as_dlpack(frame[name])) for name in names]
        said, meant = library.guards_check(*args), bool(evaluate(guard, frame))
        if "is_contiguous" in text:
            assert said == 1 - meant
        elif said == 0 or ("L['n'] *" not in text and "L['n'] +" not in text):
            assert said == 1 - meant, frame
        else:
            # Past 64 bits the C check may only say that it does not know.
            assert not meant or abs(frame["n"]) > 2**30 or frame["n"] > 0


def test_missing_strides_mean_rows_without_gaps(tmp_path):
    library = build(guards_of("L['x'].stride(0) == 3", "L['x'].is_contiguous()"), tmp_path)
    assert library.guards_check(ctypes.byref(as_dlpack(torch.empty(2, 3), strides=False))) == 0
    assert library.guards_check(ctypes.byref(as_dlpack(torch.empty(3, 2).t()))) == 1


def test_the_number_of_the_first_failure_has_a_text(tmp_path):
    library = build(guards_of("L['n'] > 1", "L['m'] == 7"), tmp_path, "pair")
    library.pair_text.restype = ctypes.c_char_p
    check = lambda n, m: library.pair_check(ctypes.c_int64(n), ctypes.c_int64(m))  # noqa: E731
    assert [check(n, m) for n, m in itertools.product((1, 2), (6, 7))] == [1, 1, 2, 0]
    assert [library.pair_text(number) for number in (0, 1, 2, 3)] == [None, b"L['n'] > 1", b"L['m'] == 7", None]


def test_what_cannot_be_said_is_refused_or_listed():
    guards = guards_of("L['x'].ndim == 2", "L['x'].requires_grad is False", "L['s'] == 'a'")
    with pytest.raises(PortabilityError, match="requires_grad is False cannot be C over DLPack tensors"):
        write_dlpack(guards.exprs)
    made = write_dlpack(guards.exprs, partial=True)
    assert [text for text, _ in made.refused] == ["L['x'].requires_grad is False", "L['s'] == 'a'"]
    assert "left out: L['s'] == 'a'" in made.source


def test_names_and_texts_are_escaped(tmp_path):
    guards = guards_of("L['int'] > 1", "L['it*/s'] > 2", "L['\\\\\"??/'] > 3")
    library = build(guards, tmp_path)
    assert library.guards_check(*[ctypes.c_int64(n) for n in (2, 3, 4)]) == 0
