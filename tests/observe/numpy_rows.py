"""The rules for numpy as data."""

import numpy as np

from tests.observe.rows import Config, Read, Row


def array(**changes):
    made = np.arange(6, dtype=changes.get("dtype", "int64")).reshape(changes.get("shape", (2, 3)))
    made.flags.writeable = changes.get("writeable", True)
    return made


ROWS = [
    Row(
        "ndarray",
        array,
        lambda: array() + 1,
        [
            lambda: array(dtype="int32"),
            lambda: array(dtype=">i8"),
            lambda: array(shape=(3, 2)),
            lambda: array(shape=(2, 3, 1)),
            lambda: array().T.copy().T,
            lambda: array(writeable=False),
            lambda: [[0, 1, 2], [3, 4, 5]],
        ],
    ),
    Row(
        "0-d ndarray",
        lambda: np.array(2.0),
        lambda: np.array(3.0),
        [lambda: np.float64(2.0), lambda: 2.0, lambda: np.array([2.0])],
    ),
    Row(
        "numpy float",
        lambda: np.float64(0.0),
        lambda: np.float64(0.0),
        [lambda: 0.0, lambda: np.float32(0.0), lambda: np.array(0.0)],
        {"value": Read(lambda x: x.value, [lambda: np.float64(-0.0), lambda: np.float64(1), lambda: np.float64("nan")])},
    ),
    Row(
        "numpy int",
        lambda: np.int8(3),
        lambda: np.int8(3),
        [lambda: 3, lambda: np.int16(3), lambda: np.uint8(3)],
        {"value": Read(lambda x: x.value, [lambda: np.int8(4), lambda: np.int8(0), lambda: np.int8(-3)])},
    ),
    Row(
        "numpy bool",
        lambda: np.True_,
        lambda: np.bool_(True),
        [lambda: True, lambda: 1, lambda: np.int8(1)],
        {"truth": Read(bool, [lambda: np.False_, lambda: np.bool_(0), lambda: np.bool_(False)])},
    ),
    Row(
        "numpy complex",
        lambda: np.complex128(1 + 2j),
        lambda: np.complex128(1 + 2j),
        [lambda: 1 + 2j, lambda: np.complex64(1 + 2j), lambda: None],
        {"value": Read(lambda x: x.value, [lambda: np.complex128(1), lambda: np.complex128(2j), lambda: np.complex128(0)])},
    ),
    Row(
        "numpy str",
        lambda: np.str_("a"),
        lambda: np.str_("a"),
        [lambda: "a", lambda: np.bytes_(b"a"), lambda: 1],
        {"value": Read(lambda x: x.value, [lambda: np.str_("b"), lambda: np.str_(""), lambda: np.str_("A")])},
    ),
    Row(
        "numpy dtype",
        lambda: np.dtype("int8"),
        lambda: np.dtype("i1"),
        [lambda: np.dtype("int16"), lambda: np.int8, lambda: "int8"],
    ),
    Row(
        "numpy iinfo",
        lambda: np.iinfo("int8"),
        lambda: np.iinfo("int8"),
        [lambda: np.iinfo("int16"), lambda: np.finfo("float32"), Config],
    ),
    Row(
        "numpy finfo",
        lambda: np.finfo("float32"),
        lambda: np.finfo("float32"),
        [lambda: np.finfo("float64"), lambda: np.iinfo("int8"), Config],
    ),
    Row("ufunc", lambda: np.sin, lambda: np.sin, [lambda: np.cos, lambda: np.concatenate, lambda: abs]),
    Row("numpy function", lambda: np.concatenate, lambda: np.concatenate, [lambda: np.stack, lambda: np.sin, lambda: len]),
    Row("numpy class", lambda: np.ndarray, lambda: np.ndarray, [lambda: np.generic, array, lambda: list]),
    Row("numpy module", lambda: np, lambda: np, [lambda: np.linalg, lambda: None, dict]),
]
