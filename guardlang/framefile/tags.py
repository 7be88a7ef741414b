"""What each tag of a frame file means."""

from __future__ import annotations

import functools
import re
from typing import Any

from guardlang.errors import nearest
from guardlang.framefile.builder import Builder, Place, Tag
from guardlang.framefile.described import DescribedTensor, construct
from guardlang.framefile.standins import is_dotted
from guardlang.framefile.tensors import make_tensor
from guardlang.jsontext import Members, Path, Unfit

__all__ = ["TAGS"]

_NAN = float("nan")
_FLOATS = {"nan": _NAN, "-nan": -_NAN, "inf": float("inf"), "-inf": float("-inf")}
_INTEGER = re.compile(r"-?(?:0x[0-9a-fA-F]+|[0-9]+)")
_MAX_HEXADECIMAL = 100_000
_MAX_DECIMAL = 4_000


def _list(builder: Builder, place: Place) -> Any:
    items = builder.items(place)
    made: Any = list.__new__(builder.class_of(place)) if place.is_derived else []
    builder.hold(place, made)
    for position, item in enumerate(items):
        list.append(made, None)
        builder.fill((*place.inner, position), item, place.depth + 1, functools.partial(list.__setitem__, made, position))
    return _with_attributes(builder, place, made)


def _dict(builder: Builder, place: Place) -> Any:
    made: Any = dict.__new__(builder.class_of(place)) if place.is_derived else {}
    builder.hold(place, made)
    if isinstance(place.content, Members):
        for name, item in builder.names_and_values(place.inner, place.content).items():
            builder.fill((*place.inner, name), item, place.depth + 1, functools.partial(dict.__setitem__, made, name))
        return _with_attributes(builder, place, made)
    for position, pair in enumerate(builder.items(place, "a list of pairs of key and value, or an object")):
        where = (*place.inner, position)
        if not isinstance(pair, list) or len(pair) != 2:
            builder.fail(where, "an entry of a dict is a pair", "write [key, value]")
        key = builder.key((*where, 0), pair[0], place.depth + 1)
        if dict.__contains__(made, key):
            builder.fail((*where, 0), "the key is there twice", "keys that are equal, such as 1 and true, are one key")
        builder.fill((*where, 1), pair[1], place.depth + 1, functools.partial(dict.__setitem__, made, key))
    return _with_attributes(builder, place, made)


def _tuple(builder: Builder, place: Place) -> Any:
    return _immutable(builder, place, tuple, builder.parts(place))


def _items_of_set(builder: Builder, place: Place) -> set[Any]:
    made: set[Any] = set()
    for position, item in enumerate(builder.items(place)):
        where = (*place.inner, position)
        held = builder.key(where, item, place.depth + 1)
        if held in made:
            builder.fail(where, "the item is there twice", "items that are equal, such as 1 and true, are one item")
        made.add(held)
    return made


def _set(builder: Builder, place: Place) -> Any:
    items = _items_of_set(builder, place)
    made: Any = set.__new__(builder.class_of(place)) if place.is_derived else set()
    set.update(made, items)
    return _with_attributes(builder, place, made)


def _frozenset(builder: Builder, place: Place) -> Any:
    return _immutable(builder, place, frozenset, _items_of_set(builder, place))


def _str(builder: Builder, place: Place) -> Any:
    if type(place.content) is not str:
        builder.fail(place.inner, "takes a text")
    return _immutable(builder, place, str, place.content)


def _bytes(builder: Builder, place: Place) -> Any:
    try:
        content = bytes.fromhex(place.content)
    except (TypeError, ValueError):
        builder.fail(place.inner, "takes bytes as hexadecimal digits", 'b"hi" is {"$bytes": "68 69"}')
    return _immutable(builder, place, bytes, content)


def _int(builder: Builder, place: Place) -> Any:
    text = str(place.content) if type(place.content) is int else place.content
    if type(text) is not str or not _INTEGER.fullmatch(text):
        builder.fail(place.inner, "takes an int as a text", 'write {"$int": "-12"} or {"$int": "0xff"}')
    if len(text) > (_MAX_HEXADECIMAL if "x" in text else _MAX_DECIMAL):
        hint = f"decimal numbers may have {_MAX_DECIMAL} digits, hexadecimal ones {_MAX_HEXADECIMAL}"
        builder.fail(place.inner, f"an int of {len(text)} digits", hint)
    return _immutable(builder, place, int, int(text, 16 if "x" in text else 10))


def _float(builder: Builder, place: Place) -> Any:
    return _immutable(builder, place, float, _real(builder, place.inner, place.content))


def _complex(builder: Builder, place: Place) -> Any:
    parts = builder.items(place, "the real and the imaginary part")
    if len(parts) != 2:
        builder.fail(place.inner, "takes the real and the imaginary part", 'write {"$complex": [1, -2.5]}')
    numbers = []
    for position, part in enumerate(parts):
        where: Path = (*place.inner, position)
        if isinstance(part, Members) and list(part) == ["$float"]:
            where, part = (*where, "$float"), part["$float"]  # noqa: PLW2901  # the number itself, one level down
        numbers.append(_real(builder, where, part))
    return _immutable(builder, place, complex, complex(*numbers))


def _real(builder: Builder, path: Path, content: Any) -> float:
    if type(content) is str and content in _FLOATS:
        return _FLOATS[content]
    if isinstance(content, Unfit):
        builder.fail(path, content.message, content.hint)
    if type(content) not in (int, float):
        builder.fail(path, "takes a number, or one of the texts nan, -nan, inf, -inf", 'write {"$float": "nan"}')
    try:
        return float(content)
    except OverflowError:
        builder.fail(path, "too large for a float")


def _range(builder: Builder, place: Place) -> Any:
    parts = builder.parts(place)
    if not 1 <= len(parts) <= 3 or not all(type(part) is int for part in parts):
        builder.fail(place.inner, "takes one to three ints", 'range(2, 8) is {"$range": [2, 8]}')
    if len(parts) == 3 and not parts[2]:
        builder.fail((*place.inner, 2), "the step of a range is not zero")
    return builder.hold(place, range(*parts))


def _slice(builder: Builder, place: Place) -> Any:
    parts = builder.parts(place)
    if not 1 <= len(parts) <= 3:
        builder.fail(place.inner, "takes one to three values", 'slice(0, 8, None) is {"$slice": [0, 8, null]}')
    return builder.hold(place, slice(*parts))


def _iterator(builder: Builder, place: Place) -> Any:
    made = builder.build(place.inner, place.content, place.depth + 1)
    if type(made) not in (list, tuple, range):
        builder.fail(place.inner, "takes a list, a tuple or a range", 'write {"$iterator": [1, 2]}')
    return builder.hold(place, iter(made))


def _constant(builder: Builder, place: Place) -> Any:
    known = {"Ellipsis": ..., "NotImplemented": NotImplemented}
    if type(place.content) is not str or place.content not in known:
        builder.fail(place.inner, "takes Ellipsis or NotImplemented")
    return known[place.content]


def _call(builder: Builder, place: Place) -> Any:
    """Build a value of a registered type, or describe one; nothing else is ever called."""
    if type(place.content) is not str or not is_dotted(place.content):
        hint = 'write {"$call": "torch.device", "$arguments": ["cpu"]}'
        builder.fail(place.inner, "takes the dotted name of a value type", hint)
    path = (*place.path, "$arguments")
    arguments = place.node.get("$arguments", [])
    if not isinstance(arguments, list):
        builder.fail(path, "takes a list")
    literals = [builder.build((*path, n), item, place.depth + 1) for n, item in enumerate(arguments)]
    try:
        return builder.hold(place, construct(place.content, literals))
    except Exception as error:  # noqa: BLE001  # a registered constructor's own complaint is the user's answer
        builder.fail(place.path, f"{place.content}: {error}")


def _object(builder: Builder, place: Place) -> Any:
    members = builder.names_and_values(place.inner, place.content)
    cls = builder.class_of(place)
    try:
        made = object.__new__(cls)
    except TypeError:
        builder.fail((*place.path, "$type"), f"objects of {place.node['$type']!r:.60} are not made of attributes alone")
    builder.hold(place, made)
    builder.set_attributes(place.inner, made, members, place.depth)
    return made


def _name(builder: Builder, place: Place) -> Any:
    if type(place.content) is not str or not place.content:
        builder.fail(place.inner, "a name is a text such as torch.float32")
    return builder.named_object(place.content, place.inner, place.depth)


def _ref(builder: Builder, place: Place) -> Any:
    label = place.content
    if type(label) is not str:
        builder.fail(place.inner, "a label is a text")
    if label not in builder.labels:
        hint = nearest(label, builder.labels) or 'an object gets one by "$label"'
        builder.fail(place.inner, f"no object has the label {label!r:.60}", hint)
    return builder.labelled(label, place.path, place.depth + 1)


def _immutable(builder: Builder, place: Place, kind: Any, content: Any) -> Any:
    made = kind.__new__(builder.class_of(place), content) if place.is_derived else kind(content)
    return _with_attributes(builder, place, made)


def _with_attributes(builder: Builder, place: Place, made: Any) -> Any:
    builder.hold(place, made)
    if "$attributes" in place.node:
        path = (*place.path, "$attributes")
        members = builder.names_and_values(path, place.node["$attributes"])
        builder.set_attributes(path, made, members, place.depth)
    return made


_DERIVED = ("$label", "$type", "$attributes")

TAGS: dict[str, Tag] = {
    "$list": Tag(_list, list, _DERIVED),
    "$tuple": Tag(_tuple, tuple, _DERIVED),
    "$dict": Tag(_dict, dict, _DERIVED),
    "$set": Tag(_set, set, _DERIVED),
    "$frozenset": Tag(_frozenset, frozenset, _DERIVED),
    "$str": Tag(_str, str, _DERIVED),
    "$bytes": Tag(_bytes, bytes, _DERIVED),
    "$int": Tag(_int, int, _DERIVED),
    "$float": Tag(_float, float, _DERIVED),
    "$complex": Tag(_complex, complex, _DERIVED),
    "$range": Tag(_range),
    "$slice": Tag(_slice),
    "$iterator": Tag(_iterator),
    "$constant": Tag(_constant, beside=()),
    "$object": Tag(_object, object, ("$label", "$type"), "types.SimpleNamespace"),
    "$tensor": Tag(make_tensor, DescribedTensor, ("$label", "$type"), "torch.Tensor"),
    "$call": Tag(_call, beside=("$label", "$arguments")),
    "$name": Tag(_name, beside=()),
    "$ref": Tag(_ref, beside=()),
}
