"""A frame to JSON: what can be written down is, and what cannot is named."""

from __future__ import annotations

import json
import math
import types
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from guardlang.adapters import MemoryExtent, TensorAdapter, adapter_for, connected
from guardlang.errors import PortabilityError
from guardlang.frame import Frame
from guardlang.framefile.builder import MAX_DEPTH
from guardlang.framefile.described import DescribedDevice, DescribedTensor, DescribedValue
from guardlang.framefile.reader import FORMAT
from guardlang.framefile.tensors import DEFAULTS
from guardlang.jsontext import Path, path_text
from guardlang.portable import import_path
from guardlang.reading import peek, remaining
from guardlang.reading.descriptors import ABSENT, class_dict, find_in_mro
from guardlang.render import literal
from guardlang.values import TypeSet, Undefined, mro_of, type_name, value_type_of

__all__ = ["dump_frame"]

_PLAIN = TypeSet(type(None), bool, str)
_UNLABELLED = TypeSet(*_PLAIN, int, float)
_BASES: tuple[Any, ...] = (list, tuple, dict, set, frozenset, str, bytes, int, float, complex)
_BASE_SET = TypeSet(*_BASES)
_HEAP_TYPE = 1 << 9
_flags_of = type.__dict__["__flags__"].__get__
_module_of = type.__dict__["__module__"].__get__
_own_bases_of = type.__dict__["__bases__"].__get__
_qualname_of = type.__dict__["__qualname__"].__get__
_MAX_DECIMAL = 4_000


def dump_frame(frame: Frame, *, objects: Mapping[str, Any] | None = None) -> str:
    """Return the JSON text of a frame; reading it gives a frame on which guards have the same verdicts.

    Args:
        frame: the frame. It is read as purely as by a check.
        objects: live objects that are written as their names.

    Raises:
        PortabilityError: it holds something that has no description, such as a lock; says where.

    Example:
        >>> shared = [1, 2]
        >>> print(dump_frame(Frame({"a": shared, "b": shared, "c": (float("inf"),)})))
        {
         "format": "guardlang.frame/1",
         "L": {
          "a": {"$list": [1, 2], "$label": "o1"},
          "b": {"$ref": "o1"},
          "c": {"$tuple": [{"$float": "inf"}]}
         }
        }
    """
    return _Writer(objects or {}).text(frame)


class _Writer:
    def __init__(self, objects: Mapping[str, Any]) -> None:
        self.names = {id(x): name for name, x in objects.items()}
        self.kept = list(objects.values())
        self.seen: dict[int, int] = {}
        self.labels: dict[int, str] = {}
        self.extents: dict[int, MemoryExtent] = {}
        self.storages: dict[int, tuple[str, int]] = {}
        self.classes: dict[int, str] = {}
        self.types: dict[str, list[str]] = {}

    def text(self, frame: Frame) -> str:
        sections = {"L": frame.locals, "G": frame.globals, "S": frame.state}
        given = {name: content for name, content in sections.items() if content or name == "L"}
        for name, content in given.items():
            self._count((name,), (content or {}).values())
        self._name_storages()
        written = {
            section: {name: self._write((section, name), x, 1) for name, x in (content or {}).items()}
            for section, content in given.items()
        }
        document: dict[str, Any] = {"format": FORMAT}
        if self.types:
            document["types"] = dict(sorted(self.types.items()))
        return _laid_out(document | written)

    # First pass: which objects are reached twice, so that they need a label.

    def _count(self, path: Path, roots: Iterable[Any]) -> None:
        pending = [(path, x) for x in reversed(list(roots))]
        while pending:
            where, x = pending.pop()
            if type(x) in _UNLABELLED or id(x) in self.names:
                continue
            self.seen[id(x)] = self.seen.get(id(x), 0) + 1
            if self.seen[id(x)] == 1:
                self.kept.append(x)
                pending += [(where, part) for part in reversed(list(self._parts(x)))]

    def _parts(self, x: Any) -> Iterable[Any]:
        cls = type(x)
        base = _base_of(cls)
        if base is dict:
            for key, value in dict.items(x):
                yield key
                yield value
        elif base in (list, tuple, set, frozenset):
            yield from base.__iter__(x)
        elif cls in _SEQUENCE_ITERATORS:
            yield from _items_left(x)
        elif base is None and not self._is_named(x):
            adapter = adapter_for(cls)
            if adapter is not None:
                self._note_extent(adapter, x)
        if base is not cls and not self._is_named(x) and value_type_of(cls) is None:
            yield from _attributes_of(x).values()

    def _is_named(self, x: Any) -> bool:
        cls = type(x)
        return id(x) in self.names or issubclass(cls, type) or cls in _NAMED

    def _note_extent(self, adapter: TensorAdapter, x: Any) -> None:
        try:
            extent = adapter.extent(x)
        except Undefined:
            return
        if extent is not None:
            self.extents[id(x)] = extent

    def _name_storages(self) -> None:
        """Give tensors that share memory a storage in common: by runs of extents, so that no address gets into the text."""
        by_storage: dict[Any, list[tuple[int, int, int]]] = {}
        for position, extent in enumerate(self.extents.values()):
            by_storage.setdefault(extent.storage, []).append((extent.first, position, extent.stop))
        holders = list(self.extents)
        runs = [run for extents in by_storage.values() for run in connected(extents) if len(run) > 1]
        for number, run in enumerate(sorted(runs, key=min), 1):
            base = min(self.extents[holders[position]].first for position in run)
            for position in run:
                self.storages[holders[position]] = (f"s{number}", base)

    # Second pass.

    def _write(self, path: Path, x: Any, depth: int) -> Any:
        cls = type(x)
        if cls in _PLAIN:
            return x
        if id(x) in self.names:
            return {"$name": self.names[id(x)]}
        if cls is int:
            return x if x.bit_length() < _MAX_DECIMAL * 3 else {"$int": hex(x)}
        if cls is float:
            return x if math.isfinite(x) else {"$float": _odd(x)}
        if depth > MAX_DEPTH:
            self._refuse(path, f"is nested deeper than {MAX_DEPTH} levels")
        if self.seen.get(id(x), 0) < 2 or x is ... or x is NotImplemented or self._is_named(x) or self._is_constant(x):
            return self._describe(path, x, depth)
        return self._write_shared(path, x, depth)

    def _is_constant(self, x: Any) -> bool:
        return value_type_of(type(x)) is not None and import_path(x) is not None

    def _write_shared(self, path: Path, x: Any, depth: int) -> Any:
        label = self.labels.get(id(x))
        if label is not None:
            return {"$ref": label}
        label = self.labels[id(x)] = f"o{len(self.labels) + 1}"
        described = self._describe(path, x, depth)
        if isinstance(described, list):
            described = {"$list": described}
        elif not any(name.startswith("$") for name in described):
            described = {"$dict": described}
        return described | {"$label": label}

    def _describe(self, path: Path, x: Any, depth: int) -> Any:
        cls = type(x)
        if x is ... or x is NotImplemented:
            return {"$constant": "Ellipsis" if x is ... else "NotImplemented"}
        if self._is_named(x):
            return self._name(path, x)
        if cls is range or cls is slice:
            parts = [self._write((*path, part), getattr(x, part), depth + 1) for part in ("start", "stop", "step")]
            return {f"${cls.__name__}": parts}
        if cls in _SEQUENCE_ITERATORS or cls in _RANGE_ITERATORS:
            return {"$iterator": self._iterated(path, x, depth)}
        value_type = value_type_of(cls)
        if value_type is not None:
            return self._value(path, x, depth)
        base = _base_of(cls)
        if base is None:
            adapter = adapter_for(cls)
            return self._plain_object(path, x, depth) if adapter is None else self._tensor(path, adapter, x, depth)
        described = self._content(path, x, base, depth)
        if base is cls:
            return described
        described = {"$list": described} if isinstance(described, list) else described
        if base is dict and "$dict" not in described:
            described = {"$dict": described}
        attributes = self._attributes(path, x, depth)
        described["$type"] = self._class(path, cls, base)
        return described | ({"$attributes": attributes} if attributes else {})

    def _iterated(self, path: Path, x: Any, depth: int) -> Any:
        """Return what an iterator is to be made of: a list, tuple or range of what it has left."""
        if type(x) in _RANGE_ITERATORS:
            left = remaining(x)
            first = peek(x, 0) if left else 0
            step = peek(x, 1) - first if left > 1 else 1
            return self._describe(path, range(first, first + left * step, step), depth)
        items = [self._write((*path, n), item, depth + 2) for n, item in enumerate(_items_left(x))]
        return items if type(x) is _LIST_ITERATOR else {"$tuple": items}

    def _content(self, path: Path, x: Any, base: Any, depth: int) -> Any:
        if base is dict:
            return self._dict(path, x, depth)
        if base is list or base is tuple:
            items = [self._write((*path, n), item, depth + 1) for n, item in enumerate(base.__iter__(x))]
            return items if base is list else {"$tuple": items}
        if base is set or base is frozenset:
            return {f"${base.__name__}": [self._write(path, item, depth + 1) for item in _in_order(base.__iter__(x))]}
        if base is complex:
            parts = (complex.__dict__["real"].__get__(x), complex.__dict__["imag"].__get__(x))
            return {"$complex": [self._write(path, part, depth) for part in parts]}
        if base is bytes:
            return {"$bytes": bytes.hex(x, " ") if x else ""}
        if base is int:
            return {"$int": hex(int.__int__(x)) if int.bit_length(x) >= _MAX_DECIMAL * 3 else str(int.__int__(x))}
        if base is float:
            number = float.__float__(x)
            return {"$float": number if math.isfinite(number) else _odd(number)}
        return {"$str": str.__str__(x)}

    def _dict(self, path: Path, x: Any, depth: int) -> Any:
        entries = list(dict.items(x))
        if all(type(key) is str for key, _ in entries):
            written = {key: self._write((*path, key), value, depth + 1) for key, value in entries}
            return {"$dict": written} if any(key.startswith("$") for key in written) else written
        return {
            "$dict": [
                [self._write((*path, n), key, depth + 1), self._write((*path, n), value, depth + 1)]
                for n, (key, value) in enumerate(entries)
            ]
        }

    def _name(self, path: Path, x: Any) -> Any:
        if id(x) in self.names:
            return {"$name": self.names[id(x)]}
        if issubclass(type(x), type):
            return {"$name": self._class(path, x, _base_of(x) or object)}
        found = import_path(x)
        if found is None:
            self._refuse(path, f"is a {type_name(type(x))} without an import path")
        return {"$name": _dotted(found)}

    def _value(self, path: Path, x: Any, depth: int) -> Any:
        if type(x) is DescribedDevice:
            return {"$call": "torch.device", "$arguments": [str(x)]}
        if issubclass(type(x), DescribedValue):
            arguments = [self._write((*path, n), item, depth + 1) for n, item in enumerate(x.arguments)]
            return {"$call": x.constructor, "$arguments": arguments}
        value_type = value_type_of(type(x))
        found = import_path(x)
        if found is not None:
            return {"$name": _dotted(found)}
        if value_type is None or value_type.name is None or value_type.arguments is None:
            self._refuse(path, f"is a {type_name(type(x))}, which has neither a name nor a literal")
        arguments = [self._write((*path, n), item, depth + 1) for n, item in enumerate(value_type.arguments(x))]
        return {"$call": value_type.name, "$arguments": arguments}

    def _tensor(self, path: Path, adapter: TensorAdapter, x: Any, depth: int) -> Any:
        fields: dict[str, Any] = {"shape": list(_read(path, adapter.shape, x))}
        for name in ("stride", "storage_offset", "dtype", "device", "layout", "requires_grad", "dispatch_keys"):
            try:
                fact = getattr(adapter, name)(x)
            except Undefined:
                if name in DEFAULTS:
                    fields[name] = None
                continue
            if type(fact) is frozenset:
                fact = sorted(fact)
            written = list(fact) if type(fact) is tuple else self._write((*path, name), fact, depth + 1)
            fields[name] = _short(name, written)
        is_computed = fields.get("storage_offset") is not None and type(fields.get("dtype")) is str
        fields |= self._memory(adapter, x, is_computed=is_computed)
        attributes = self._attributes(path, x, depth)
        if attributes:
            fields["attributes"] = attributes
        return {"$tensor": fields, "$type": self._class(path, type(x), object)}

    def _memory(self, adapter: TensorAdapter, x: Any, *, is_computed: bool) -> dict[str, Any]:
        """Return the fields that say where the elements are, as far as the other facts do not."""
        extent = self.extents.get(id(x))
        if extent is not None:
            storage, base = self.storages.get(id(x), (None, extent.first))
            where = [extent.first - base, extent.stop - base]
            if storage is not None:
                return {"storage": storage, "extent": where}
            return {} if is_computed else {"extent": where}
        try:
            adapter.extent(x)
        except Undefined:
            return {"extent": None}
        return {}

    def _plain_object(self, path: Path, x: Any, depth: int) -> Any:
        cls = type(x)
        made_by_c = [base for base in mro_of(cls) if not _flags_of(base) & _HEAP_TYPE]
        if any(base is not object and base is not types.SimpleNamespace for base in made_by_c):
            self._refuse(path, f"is an object of type {type_name(cls)}, which is more than its attributes")
        return {"$object": self._attributes(path, x, depth), "$type": self._class(path, cls, object)}

    def _attributes(self, path: Path, x: Any, depth: int) -> dict[str, Any]:
        return {name: self._write((*path, name), value, depth + 1) for name, value in _attributes_of(x).items()}

    def _class(self, path: Path, cls: type, base: Any) -> str:
        """Return the name of a class, and note the names of its bases."""
        known = self.names.get(id(cls)) or self.classes.get(id(cls))
        if known is not None:
            return known
        module = _module_of(cls)
        name = str(_qualname_of(cls))
        if type(module) is str and module not in ("builtins", "__main__"):
            name = f"{module}.{name}"
        taken = set(self.classes.values())
        number = 2
        plain = name
        while name in taken:
            name = f"{plain}#{number}"
            number += 1
        self.classes[id(cls)] = name
        self.kept.append(cls)
        implied = (object, base, DescribedTensor)
        above = [b for b in _own_bases_of(cls) if not any(b is other for other in implied) and _flags_of(b) & _HEAP_TYPE]
        if above and _flags_of(cls) & _HEAP_TYPE:
            self.types[name] = [self._class(path, b, base) for b in above]
        return name

    def _refuse(self, path: Path, what: str) -> NoReturn:
        raise PortabilityError(
            f"{path_text(path)} {what}", hint="pass it in `objects` to have it written as a name, or leave it out of the frame"
        )


_LITERAL = TypeSet(type(None), bool, int, float, complex, str, bytes, range)
_NAMED = TypeSet(types.FunctionType, types.BuiltinFunctionType, types.ModuleType, types.CodeType)
_LIST_ITERATOR: type = type(iter([]))
_SEQUENCE_ITERATORS = TypeSet(type(iter(())), _LIST_ITERATOR)
_RANGE_ITERATORS = TypeSet(type(iter(range(0))), type(iter(range(2**70))))


def _items_left(x: Any) -> list[Any]:
    return [peek(x, position) for position in range(remaining(x))]


def _base_of(cls: type) -> Any:
    """Return the builtin type whose content an object of a class has, or None."""
    if cls in _BASE_SET:
        return cls
    for base in mro_of(cls):
        if base in _BASE_SET:
            return base
    return None


def _attributes_of(x: Any) -> dict[str, Any]:
    """Return the slots and the instance dict of an object, without running code of its class."""
    cls = type(x)
    found: dict[str, Any] = {}
    for base in reversed(mro_of(cls)):
        if not _flags_of(base) & _HEAP_TYPE:
            continue
        for name, entry in class_dict(base).items():
            if type(entry) is types.MemberDescriptorType and name != "__weakref__" and type(name) is str:
                try:
                    found[name] = entry.__get__(x)
                except AttributeError:
                    continue
    holder = find_in_mro(cls, "__dict__")
    if holder is not ABSENT and type(holder) in _DICT_HOLDERS:
        own = holder.__get__(x)
        if type(own) is dict:
            found.update({name: value for name, value in own.items() if type(name) is str})
    found.pop("_guardlang_description", None)
    return found


_DICT_HOLDERS = TypeSet(types.GetSetDescriptorType, types.MemberDescriptorType)


def _read(path: Path, read: Any, x: Any) -> Any:
    try:
        return read(x)
    except Undefined as error:
        raise PortabilityError(f"{path_text(path)} {error.cause}") from None


def _short(name: str, written: Any) -> Any:
    """Return a fact of a tensor in its short form: a dtype or layout as its name, a device as its text."""
    if name in ("dtype", "layout") and type(written) is dict and list(written) == ["$name"]:
        return written["$name"]
    if name == "device" and type(written) is dict and written.get("$call") == "torch.device":
        return written["$arguments"][0]
    return written


def _dotted(path: str) -> str:
    module, _, name = path.partition(":")
    return name if module == "builtins" else f"{module}.{name}" if name else module


def _odd(x: float) -> str:
    sign = "-" if math.copysign(1.0, x) < 0 else ""
    return sign + ("nan" if x != x else "inf")


def _in_order(items: Iterable[Any]) -> list[Any]:
    """Return the items of a set in an order that no hash decides; objects that are no values are ordered by class alone."""
    return sorted(items, key=lambda item: (0, item, "") if type(item) is int else (1, 0, _sort_text(item, 0)))


def _sort_text(x: Any, depth: int) -> str:
    """Return a text that two values share only when they are equal."""
    cls = type(x)
    if cls in _LITERAL:
        return literal(x)
    if depth > MAX_DEPTH:
        return "..."
    if cls is tuple:
        return f"({', '.join(_sort_text(item, depth + 1) for item in x)})"
    if cls is frozenset:
        return f"{{{', '.join(sorted(_sort_text(item, depth + 1) for item in x))}}}"
    if issubclass(cls, type):
        return f"{_module_of(x)}.{_qualname_of(x)}"
    value_type = value_type_of(cls)
    plain = "" if value_type is None else _sort_text(value_type.value_of(x), depth + 1)
    return f"{_qualname_of(cls)} {plain}"


def _laid_out(document: Mapping[str, Any]) -> str:
    """Return JSON with a name of the frame on each line."""
    parts = []
    for section, content in document.items():
        if isinstance(content, dict) and content:
            inner = ",\n".join(f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in content.items())
            parts.append(f" {json.dumps(section)}: {{\n{inner}\n }}")
        else:
            parts.append(f" {json.dumps(section)}: {json.dumps(content)}")
    return "{\n" + ",\n".join(parts) + "\n}"
