"""How a value is read without running code of its type, without changing it and without consuming it.

Every function returns what it read, or raises `guardlang.values.Undefined` with the cause; it raises nothing else.
"""

from __future__ import annotations

from guardlang.reading.attributes import has_attribute, read_attribute
from guardlang.reading.classes import is_instance, is_instance_of_any
from guardlang.reading.containers import contains, length, read_item
from guardlang.reading.conversions import base_bytes, base_complex, base_float, base_int, base_str, base_tuple, truthiness
from guardlang.reading.iterators import peek, remaining
from guardlang.reading.mappings import item_by_position, keys_of, values_of
from guardlang.reading.references import dereference
from guardlang.reading.tensors import tensor_property

__all__ = [
    "base_bytes",
    "base_complex",
    "base_float",
    "base_int",
    "base_str",
    "base_tuple",
    "contains",
    "dereference",
    "has_attribute",
    "is_instance",
    "is_instance_of_any",
    "item_by_position",
    "keys_of",
    "length",
    "peek",
    "read_attribute",
    "read_item",
    "remaining",
    "tensor_property",
    "truthiness",
    "values_of",
]
