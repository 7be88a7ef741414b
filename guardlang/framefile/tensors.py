"""Described tensors from tagged JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

from guardlang.errors import nearest
from guardlang.framefile.builder import Builder, Place
from guardlang.framefile.described import DescribedTensor, Description, Storage, contiguous_strides, device_of
from guardlang.jsontext import Members, Path

__all__ = ["DEFAULTS", "make_tensor"]

# The facts that a tensor has when the description leaves them out; null makes them undefined.
DEFAULTS = ("stride", "storage_offset", "requires_grad")


def make_tensor(builder: Builder, place: Place) -> Any:
    """Return the tensor that the fields at a place describe.

    Args:
        builder: builds what the fields hold.
        place: the tagged object.

    Raises:
        FrameFormatError: the fields describe no tensor.
    """
    fields = builder.names_and_values(place.inner, place.content)
    for name in fields:
        if name not in _FIELDS:
            hint = nearest(name, _FIELDS) or f"there are {', '.join(_FIELDS)}"
            builder.fail((*place.inner, name), f"tensors have no field {name!r:.60}", hint, at_name=True)
    if "shape" not in fields:
        builder.fail(place.inner, "the tensor has no shape", 'add "shape": [2, 3]')
    shape = _sizes(builder, (*place.inner, "shape"), fields["shape"])
    facts: dict[str, Any] = {"stride": contiguous_strides(shape), "storage_offset": 0, "requires_grad": False}
    for name, read in _FACTS.items():
        if name in fields and fields[name] is None and name in DEFAULTS:
            del facts[name]
        elif name in fields:
            facts[name] = read(builder, (*place.inner, name), fields[name], place.depth)
    if len(facts.get("stride", shape)) != len(shape):
        builder.fail((*place.inner, "stride"), f"{len(facts['stride'])} strides for {len(shape)} dimensions")
    description = _memory(builder, place, fields, Description(shape, facts))
    made = builder.hold(place, DescribedTensor.of(builder.class_of(place), description))
    path = (*place.inner, "attributes")
    attributes = builder.names_and_values(path, fields.get("attributes", Members(())))
    builder.set_attributes(path, made, attributes, place.depth)
    return made


def _memory(builder: Builder, place: Place, fields: Members, description: Description) -> Description:
    """Add where the elements are: in a storage of their own, or one that other tensors name too."""
    if "storage" in fields:
        label = fields["storage"]
        if type(label) is not str:
            hint = 'write "storage": "s1"'
            builder.fail((*place.inner, "storage"), "a storage is a label that tensors share", hint)
        description = attrs.evolve(description, storage=builder.storages.setdefault(label, Storage()))
    if "extent" not in fields:
        return description
    if fields["extent"] is None:
        return attrs.evolve(description, has_extent=False)
    where = (*place.inner, "extent")
    extent = _sizes(builder, where, fields["extent"])
    if len(extent) != 2 or extent[0] > extent[1]:
        builder.fail(where, "takes the first byte in the storage and the byte past the last", 'write "extent": [0, 48]')
    return attrs.evolve(description, extent=(extent[0], extent[1]))


def _sizes(builder: Builder, path: Path, node: Any) -> tuple[int, ...]:
    if not isinstance(node, list):
        builder.fail(path, "takes a list")
    return tuple(_count(builder, (*path, position), size, 0) for position, size in enumerate(node))


def _count(builder: Builder, path: Path, node: Any, _: int) -> int:
    if type(node) is not int or not 0 <= node < 2**63:
        builder.fail(path, "takes an int from 0 to 2**63 - 1")
    return node


def _strides(builder: Builder, path: Path, node: Any, _: int) -> tuple[int, ...]:
    if not isinstance(node, list) or not all(type(step) is int and abs(step) < 2**63 for step in node):
        builder.fail(path, "takes a list of ints")
    return tuple(node)


def _named_or_built(builder: Builder, path: Path, node: Any, depth: int) -> Any:
    return builder.named_object(node, path, depth) if type(node) is str else builder.build(path, node, depth + 1)


def _device(builder: Builder, path: Path, node: Any, depth: int) -> Any:
    if type(node) is not str:
        return builder.build(path, node, depth + 1)
    try:
        return device_of(node)
    except ValueError as error:
        builder.fail(path, str(error))


def _truth(builder: Builder, path: Path, node: Any, _: int) -> bool:
    if type(node) is not bool:
        builder.fail(path, "takes true or false")
    return node


def _key_names(builder: Builder, path: Path, node: Any, _: int) -> frozenset[str]:
    if not isinstance(node, list) or not all(type(name) is str for name in node):
        builder.fail(path, "takes a list of names")
    return frozenset(node)


_FACTS: dict[str, Callable[[Builder, Path, Any, int], Any]] = {
    "stride": _strides,
    "storage_offset": _count,
    "dtype": _named_or_built,
    "device": _device,
    "layout": _named_or_built,
    "requires_grad": _truth,
    "data_ptr": _count,
    "dispatch_keys": _key_names,
    "itemsize": _count,
}
_FIELDS = ("shape", *_FACTS, "storage", "extent", "attributes")
