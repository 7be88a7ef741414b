"""The functions of the language: their names, arities and types. What they mean is in `semantics`."""

from __future__ import annotations

import attrs

from guardlang.functions import reserve
from guardlang.types import ANY, BOOL, BYTES, COMPLEX, FLOAT, INT, SET, STR, Type, seq

__all__ = ["FUNCTIONS", "MANY", "METHODS", "ROOTS", "SPECIAL_FORMS", "Signature"]

MANY = 1_000_000
ROOTS = ("L", "G", "S")


@attrs.frozen
class Signature:
    """How often a function takes operands, what they must be able to be, and what it gives.

    Args:
        least: fewest operands.
        most: most operands.
        result: the type of the result.
        operand: a word for what each operand must be able to be; see `typecheck`.
        pure: whether it never runs code of an input's type.
    """

    least: int
    most: int
    result: Type
    operand: str = "any"
    pure: bool = True


FUNCTIONS: dict[str, Signature] = {
    "abs": Signature(1, 1, ANY, "number"),
    "bool": Signature(1, 1, BOOL, "truthy"),
    "bytes": Signature(1, 1, BYTES, "bytes"),
    "ceil": Signature(1, 1, INT, "real"),
    "complex": Signature(1, 2, COMPLEX, "number"),
    "dispatch_keys": Signature(1, 1, SET, "object"),
    "distinct": Signature(2, MANY, BOOL, "identity"),
    "exact": Signature(2, 2, BOOL),
    "float": Signature(1, 1, FLOAT, "real"),
    "floor": Signature(1, 1, INT, "real"),
    "frozenset": Signature(1, 1, SET, "items"),
    "hasattr": Signature(2, 2, BOOL),
    "int": Signature(1, 1, INT, "real"),
    "isinstance": Signature(2, 2, BOOL),
    "isnan": Signature(1, 1, BOOL, "real"),
    "keys": Signature(1, 1, seq(), "map"),
    "len": Signature(1, 1, INT, "sized"),
    "max": Signature(2, MANY, ANY, "real"),
    "min": Signature(2, MANY, ANY, "real"),
    "opaque": Signature(1, MANY, BOOL, pure=False),
    "overlapping": Signature(1, MANY, seq(SET), "object"),
    "remaining": Signature(1, 1, INT, "object"),
    "round": Signature(1, 2, ANY, "real"),
    "same": Signature(2, MANY, BOOL, "identity"),
    "set": Signature(1, 1, SET, "items"),
    "sqrt": Signature(1, 1, FLOAT, "real"),
    "str": Signature(1, 1, STR, "str"),
    "trunc": Signature(1, 1, INT, "real"),
    "tuple": Signature(1, 1, seq(), "seq"),
    "values": Signature(1, 1, seq(), "map"),
}

# Functions whose calls are source nodes of their own: name to number of operands.
SPECIAL_FORMS: dict[str, int] = {"type": 1, "deref": 1, "peek": 2, "call": 1, "getattr": 2, "getitem": 2}

# Methods of tensors that a text may call: name to number of operands.
METHODS: dict[str, int] = {"stride": 1, "storage_offset": 0, "data_ptr": 0, "is_contiguous": 0}

reserve([*ROOTS, *FUNCTIONS, *SPECIAL_FORMS])
