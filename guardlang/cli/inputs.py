"""What the commands are given: guards, a frame, and objects for the names in them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import click

from guardlang import portable
from guardlang.errors import FrameFormatError, GuardlangError
from guardlang.frame import Frame
from guardlang.framefile import (
    Names,
    constructors_in,
    decode,
    import_module,
    install_constructors,
    is_program_path,
    object_at,
    program_frame,
    program_names,
    read_frame,
)
from guardlang.guards import GuardSet

__all__ = ["Inputs", "read_guards", "read_inputs"]

_STDIN = "-"
_JSON_START = re.compile(r'\s*\{\s*(?:"(?:format|guards|objects)"\s*:|\})')
# What an error advises a program to do, and what it means here.
_ADVICE = {
    "pass the object in `objects`": "give it by --objects: a module, or module:NAME of a mapping",
    "pass them in `objects`; nothing is imported": "give them by --objects: a module, or module:NAME of a mapping",
}


@attrs.frozen(eq=False)
class Inputs:
    """Guards and the frame to check them on.

    Args:
        guards: the guards.
        frame: the frame.
    """

    guards: GuardSet
    frame: Frame


def read_inputs(guards_path: str, frame_path: str, objects_paths: Sequence[str]) -> Inputs:
    """Read guards and a frame that name the same objects by the same names.

    Args:
        guards_path: a file, or `-`.
        frame_path: a file, `-`, or `module:function`.
        objects_paths: modules, and `module:NAME` of mappings.

    Raises:
        GuardlangError: one of them is wrong; says where.
        OSError: a file cannot be read.
    """
    if guards_path == frame_path == _STDIN:
        raise click.UsageError("GUARDS and FRAME cannot both be standard input")
    file = _parsed(_read(guards_path))
    objects = _objects(objects_paths, file.texts)
    if is_program_path(frame_path) and not Path(frame_path).exists():
        _look_in_current_directory()
        frame = program_frame(frame_path)
        known = program_names(file.texts, known=objects, modules=[frame_path.partition(":")[0]])
    else:
        read = read_frame(_read(frame_path), objects=objects, file=_file_name(frame_path))
        frame, known = read.frame, read.names.for_guards(file.texts)
        _stand_in_for_libraries(file.texts)
    return Inputs(_guards(file, known, guards_path), frame)


def read_guards(paths: Sequence[str], objects_paths: Sequence[str], *, stand_ins: bool) -> list[GuardSet]:
    """Read sets of guards alone, which name the same objects by the same names.

    Args:
        paths: files, or `-`.
        objects_paths: modules, and `module:NAME` of mappings.
        stand_ins: whether other names are stand-ins. They must not be where something is proved: two names may stand for one
            object, and one class may be derived from another.

    Raises:
        GuardlangError: a guard is wrong; says where.
        OSError: a file cannot be read.
    """
    if list(paths).count(_STDIN) > 1:
        raise click.UsageError("only one of the files can be standard input")
    files = [_parsed(_read(path)) for path in paths]
    texts = [text for file in files for text in file.texts]
    known = _objects(objects_paths, texts)
    if stand_ins:
        known = Names(known).for_guards(texts)
        _stand_in_for_libraries(texts)
    return [_guards(file, known, path) for file, path in zip(files, paths, strict=True)]


@attrs.frozen(eq=False)
class _GuardFile:
    """A guard file: its text, whether it is JSON, its guards, and the names that have a value in the file itself."""

    text: str
    is_json: bool
    texts: tuple[str, ...] = ()
    literals: frozenset[str] = frozenset()


def _guards(file: _GuardFile, known: Mapping[str, Any], path: str) -> GuardSet:
    guards = GuardSet({name: x for name, x in known.items() if name not in file.literals})
    read = portable.read_json if file.is_json else portable.read_text
    try:
        read(file.text, guards, file=_file_name(path))
    except GuardlangError as error:
        error.hint = _ADVICE.get(error.hint or "", error.hint)
        raise
    return guards


def _objects(paths: Sequence[str], texts: Iterable[str]) -> dict[str, Any]:
    """Return the objects that mappings give, and those that names in guards stand for in modules that the user names."""
    objects: dict[str, Any] = {}
    modules = [path for path in paths if ":" not in path]
    if paths:
        _look_in_current_directory()
    for path in paths:
        if path in modules:
            import_module(path)
            continue
        found = object_at(path)
        if not isinstance(found, Mapping) or not all(type(name) is str for name in found):
            hint = 'write OBJECTS = {"torch.Tensor": torch.Tensor}'
            raise FrameFormatError(f"--objects {path}: not a mapping of names to objects", hint=hint)
        objects.update(found)
    return program_names(texts, known=objects, modules=modules) if modules else objects


def _look_in_current_directory() -> None:
    """Let modules of the current directory be imported, as `python` itself does; console scripts do not."""
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))


def _stand_in_for_libraries(texts: Iterable[str]) -> None:
    install_constructors(name for text in texts for name in constructors_in(text))


def _read(path: str) -> str:
    if path == _STDIN:
        return decode(sys.stdin.buffer.read(), file=_file_name(path))
    return decode(Path(path).read_bytes(), file=path)


def _file_name(path: str) -> str:
    return "<stdin>" if path == _STDIN else path


def _is_json(text: str) -> bool:
    # A guard may begin with a set or a dict too: `{1, 2} <= L['s']`.
    return _JSON_START.match(text) is not None


def _parsed(text: str) -> _GuardFile:
    """Return what a guard file holds, as far as that can be told; errors come when the guards are added."""
    if not _is_json(text):
        return _GuardFile(text, False, tuple(portable.split_line(line)[0] for line in text.split("\n")))
    try:
        document = json.loads(text)
        texts = tuple(entry["guard"] for entry in document["guards"] if type(entry["guard"]) is str)
        literals = frozenset(name for name, where in document.get("objects", {}).items() if "literal" in where)
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return _GuardFile(text, True)
    return _GuardFile(text, True, texts, literals)
