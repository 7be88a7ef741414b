"""Guard sets as text and as JSON: data only, read back without importing or running what they name."""

from __future__ import annotations

import hashlib
import io
import json
import sys
import tokenize
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn, Protocol

import attrs

from guardlang.errors import GuardlangError, GuardNameError, PortabilityError
from guardlang.guard import Guard
from guardlang.jsontext import Path, format_error, line_and_column, parse_json, place_of
from guardlang.origin import Origin
from guardlang.parse import parse
from guardlang.render import literal
from guardlang.sources import Const, ConstantSource
from guardlang.values import type_name
from guardlang.walk import postorder

__all__ = ["FORMAT", "content_hash", "import_path", "read_json", "read_text", "split_line", "to_json", "to_text"]

FORMAT = "guardlang.guards/1"
_namespace_of: Callable[[Any], dict[str, Any]] = vars(types.ModuleType)["__dict__"].__get__


class Holder(Protocol):
    """What holds guards and takes them: a guard set."""

    objects: dict[str, Any]

    def __iter__(self) -> Iterator[Guard]:
        """Yield the guards."""
        ...

    def add(self, guard: Any, *, reason: str | None = None, origin: Origin | str | None = None) -> Guard:
        """Take a guard."""
        ...


def to_text(guards: Holder) -> str:
    """Return guards as a text, one a line, `#` before the origins.

    Args:
        guards: the set.
    """
    lines = []
    for guard in guards:
        origins = " | ".join(_one_line(str(origin)) for origin in guard.origins)
        lines.append(f"{guard}  # {origins}\n" if origins else f"{guard}\n")
    return "".join(lines)


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)


def read_text(text: str, guards: Holder, *, file: str = "<guards>") -> None:
    r"""Add the guards of a text to a set: one a line, `#` starts the origin; blank lines and lines of comment are passed over.

    Args:
        text: the content of a guard file.
        guards: the set.
        file: the file's name, for errors.

    Raises:
        GuardlangError: a line is no guard; its message begins with file, line and column.

    Example:
        >>> from guardlang import GuardSet
        >>> guards = GuardSet()
        >>> read_text("L['n'] == 1  # model.py:3\n", guards)
        >>> guards.to_json().count("model.py:3")
        1
    """
    for number, line in enumerate(text.split("\n"), 1):
        body, origin = split_line(line.removesuffix("\r"))
        if not body.strip():
            continue
        try:
            guards.add(body, origin=origin or None)
        except GuardlangError as error:
            column = (error.start or 0) + 1
            error.message = f"{file}:{number}:{column}: {error.message}"
            raise


def split_line(line: str) -> tuple[str, str]:
    """Return a guard and what stands behind its `#`; a `#` inside a string is part of the string.

    Args:
        line: a line of a guard file.

    Example:
        >>> split_line("L['#'] == 1  # model.py:3")
        ("L['#'] == 1  ", 'model.py:3')
    """
    if "#" not in line:
        return line, ""
    try:
        for token in tokenize.generate_tokens(io.StringIO(line).readline):
            if token.type == tokenize.COMMENT:
                return line[: token.start[1]], token.string[1:].strip()
    except (tokenize.TokenError, SyntaxError):
        # Unbalanced brackets or quotes: the parser says so with the place.
        return line, ""
    return line, ""


def to_json(guards: Holder) -> str:
    """Return a set as JSON text.

    Args:
        guards: the set.

    Raises:
        PortabilityError: a named object has no import path and no literal.
    """
    return json.dumps(_document(guards, origins=True), indent=1, sort_keys=True)


def content_hash(guards: Holder) -> str:
    """Return a hash of what the guards say: equal for equal sets in every process; origins do not count.

    Args:
        guards: the set.

    Returns:
        64 hexadecimal digits (SHA-256).

    Example:
        >>> from guardlang import GuardSet
        >>> first, second = GuardSet(), GuardSet()
        >>> _ = first.add("L['n'] == 1"), second.add("L['n']==1", origin="f.py:1")
        >>> content_hash(first) == content_hash(second)
        True
    """
    document = json.dumps(_document(guards, origins=False), sort_keys=True)
    return hashlib.sha256(document.encode()).hexdigest()


def _document(guards: Holder, *, origins: bool) -> dict[str, Any]:
    held = list(guards)
    objects: dict[str, Any] = {}
    homeless: list[str] = []
    for node in postorder(*[guard.expr for guard in held]):
        if isinstance(node, ConstantSource) and node.name not in objects:
            where = _whereabouts(node)
            if where is None:
                homeless.append(node.name)
            else:
                objects[node.name] = where
    if homeless:
        raise PortabilityError(
            f"{', '.join(homeless)}: no other process can find {'it' if len(homeless) == 1 else 'them'} by an import path",
            hint="move what is defined in a script or a function to a module, or guard it by value",
        )
    entries = []
    for guard in held:
        entry: dict[str, Any] = {"guard": str(guard)}
        if origins and guard.origins:
            entry["origins"] = [origin.as_dict() for origin in guard.origins]
        entries.append(entry)
    return {"format": FORMAT, "guards": entries, "objects": objects}


def _whereabouts(node: ConstantSource) -> dict[str, str] | None:
    try:
        return {"literal": literal(Const(node.content).value)}
    except GuardlangError:
        path = import_path(node.value)
        return None if path is None else {"import": path}


def import_path(x: Any) -> str | None:
    """Return `module:name` under which another process would find the same object; None when there is none.

    Args:
        x: a class, function, module or other object.

    Example:
        >>> import_path(int), import_path(lambda: 0) is None
        ('builtins:int', True)
    """
    cls = type(x)
    if cls is types.ModuleType:
        name = _namespace_of(x).get("__name__")
        return f"{name}:" if type(name) is str and sys.modules.get(name) is x and name != "__main__" else None
    for module, name in _candidates(x):
        if module == "__main__" or type(module) is not str or type(name) is not str:
            continue
        found: Any = sys.modules.get(module)
        for part in name.split("."):
            found = getattr(found, part, None) if type(found) is types.ModuleType or issubclass(type(found), type) else None
        if found is x:
            return f"{module}:{name}"
    return None


def _candidates(x: Any) -> Iterator[tuple[Any, Any]]:
    cls = type(x)
    if issubclass(cls, type) or cls in (types.FunctionType, types.BuiltinFunctionType):
        yield getattr(x, "__module__", None) or "builtins", getattr(x, "__qualname__", None)
        return
    text = str(x) if type_name(cls) in ("dtype", "layout", "memory_format") else ""
    module, _, name = text.rpartition(".")
    if module:
        yield module, name


def read_json(text: str, guards: Holder, *, file: str = "<guards>") -> None:
    """Add the guards of a JSON text to a set.

    Args:
        text: what `to_json` wrote.
        guards: an empty set that knows the named objects.
        file: the file's name, for errors.

    Raises:
        FrameFormatError: the text does not have the form.
        GuardNameError: a name is not known to the set.

    Example:
        >>> from guardlang import GuardSet
        >>> guards = GuardSet()
        >>> read_json('{"format": "guardlang.guards/1", "guards": [{"guard": "L[1] == 1"}]}', guards, file="a.json")
        Traceback (most recent call last):
            ...
        guardlang.errors.GuardSyntaxError: a.json:1:55: guards[0]: L[...] takes the name as a string literal
          L[1] == 1
          ^^^^
        hint: write L['x']
    """
    _Document(text, file).read(guards)


class _Document:
    """A set of guards in JSON."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.content = parse_json(text, file=file)

    def read(self, guards: Holder) -> None:
        """Add the guards to a set."""
        self._check_form()
        self._check_objects(guards)
        for number, entry in enumerate(self.content["guards"]):
            path = ("guards", number)
            if not isinstance(entry, Mapping) or type(entry.get("guard")) is not str:
                self._fail(path, 'has no text under "guard"')
            origins = entry.get("origins", [])
            if not isinstance(origins, list):
                self._fail((*path, "origins"), "is not a list")
            read: list[Origin | None] = [self._origin(fields, (*path, "origins", n)) for n, fields in enumerate(origins)]
            try:
                for origin in read or [None]:
                    guards.add(entry["guard"], origin=origin)
            except GuardlangError as error:
                line, column = line_and_column(self.text, place_of(self.text, (*path, "guard"))[0])
                error.message = f"{self.file}:{line}:{column}: guards[{number}]: {error.message}"
                raise

    def _check_form(self) -> None:
        content = self.content
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            self._fail((), f'a guard file in JSON is an object with "format": "{FORMAT}"')
        if not isinstance(content.get("guards"), list):
            self._fail((), '"guards" must be a list')
        if not isinstance(content.setdefault("objects", {}), dict):
            self._fail(("objects",), "must be an object")

    def _check_objects(self, guards: Holder) -> None:
        """Give the set the literals among the named objects; name all others that the caller did not pass."""
        missing = []
        for name, where in self.content["objects"].items():
            root = name.split(".")
            if any(".".join(root[:cut]) in guards.objects for cut in range(len(root), 0, -1)):
                continue
            if isinstance(where, Mapping) and type(where.get("literal")) is str:
                guards.objects[name] = self._literal(where["literal"], ("objects", name, "literal"))
            elif not (isinstance(where, Mapping) and str(where.get("import", "")).startswith("builtins:")):
                missing.append(name)
        if missing:
            names = ", ".join(f"{name[:80]!r}"[1:-1] for name in missing)
            raise GuardNameError(
                f"the guards name objects that were not passed: {names}",
                hint="pass them in `objects`; nothing is imported",
            )

    def _literal(self, text: str, path: Path) -> Any:
        try:
            expr = parse(text)
        except GuardlangError as error:
            self._fail(path, error.message)
        if not isinstance(expr, Const):
            self._fail(path, "is no literal")
        return expr.value

    def _origin(self, fields: Any, path: Path) -> Origin:
        if not isinstance(fields, Mapping) or not set(fields) <= set(_ORIGIN_FIELDS):
            self._fail(path, f"an origin has the fields {', '.join(_ORIGIN_FIELDS)}")
        for name, value in fields.items():
            if type(value) is not (int if name == "line" else str):
                self._fail((*path, name), f"is not {'an int' if name == 'line' else 'a text'}")
        return Origin(**fields)

    def _fail(self, path: Path, message: str) -> NoReturn:
        raise format_error(message, self.text, path, file=self.file)


_ORIGIN_FIELDS = tuple(sorted(field.name for field in attrs.fields(Origin)))
