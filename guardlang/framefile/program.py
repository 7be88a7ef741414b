"""A frame that a program makes: `module:function`. Here alone the user's code is imported and run, because the user names it."""

from __future__ import annotations

import contextlib
import importlib
import re
import sys
import traceback
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from guardlang.errors import FrameFormatError
from guardlang.frame import Frame
from guardlang.framefile.standins import names_in
from guardlang.reading import read_attribute
from guardlang.values import Undefined, type_name

__all__ = ["import_module", "is_program_path", "object_at", "program_frame", "program_names"]

_PATH = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*(?:\.[^\W\d]\w*)*")


def is_program_path(text: str) -> bool:
    """Tell whether a text is of the form `module:name`.

    Example:
        >>> is_program_path("package.frames:usual"), is_program_path("frame.json")
        (True, False)
    """
    return _PATH.fullmatch(text) is not None


def program_frame(path: str) -> Frame:
    """Import a module and return the frame that a function of it gives.

    Args:
        path: `module:function`. The function takes no arguments and returns a `Frame`, a tuple of one to three mappings (locals,
            globals, state), or a mapping of these by the names L, G and S. What it prints goes to standard error.

    Raises:
        FrameFormatError: the module or function is not there, it failed, or what it returned is none of these.

    Example:
        >>> program_frame("platform:uname")
        Traceback (most recent call last):
            ...
        guardlang.errors.FrameFormatError: platform:uname returned an object of type uname_result
        hint: return {"L": {...}, "G": {...}}, or the locals in a tuple of one
    """
    made = object_at(path)
    if callable(made):
        made = _run(path, made)
    frame = _as_frame(made)
    if frame is None:
        raise FrameFormatError(
            f"{path} returned an object of type {type_name(type(made))}",
            hint='return {"L": {...}, "G": {...}}, or the locals in a tuple of one',
        )
    return frame


def object_at(path: str) -> Any:
    """Import a module and return what is there under a name.

    Args:
        path: `module:name`.

    Raises:
        FrameFormatError: there is no such module, it failed when imported, or has no such name.

    Example:
        >>> object_at("math:pi") > 3
        True
    """
    if not is_program_path(path):
        raise FrameFormatError(f"{path!r:.100} is not of the form module:name", hint="write package.module:function")
    module_name, _, name = path.partition(":")
    import_module(module_name)
    found: Any = sys.modules[module_name]
    for part in name.split("."):
        try:
            found = vars(found)[part] if type(found) is types.ModuleType else getattr(found, part)
        except (KeyError, AttributeError):
            raise FrameFormatError(f"{path}: there is no {part!r} in {module_name}") from None
    return found


def import_module(name: str) -> None:
    """Import a module that the user names.

    Args:
        name: its dotted name.

    Raises:
        FrameFormatError: there is none, or it failed.

    Example:
        >>> import_module("no_such_module")
        Traceback (most recent call last):
            ...
        guardlang.errors.FrameFormatError: importing no_such_module failed: ModuleNotFoundError: No module named 'no_such_module'
    """
    _run(f"importing {name}", lambda: importlib.import_module(name))


def _run(what: str, call: Callable[[], Any]) -> Any:
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return call()
    except (Exception, SystemExit) as error:  # noqa: BLE001  # the user's code may raise anything
        lines = traceback.format_exception_only(type(error), error)[-1].strip()
        raise FrameFormatError(f"{what} failed{_place(error)}: {lines}") from None


def _place(error: BaseException) -> str:
    """Return where an error was raised, unless it was in the machinery of imports."""
    places = traceback.extract_tb(error.__traceback__)[1:]
    if not places or places[-1].filename.startswith("<frozen"):
        return ""
    return f" at {places[-1].filename}:{places[-1].lineno}"


def _as_frame(made: Any) -> Frame | None:
    if type(made) is Frame:
        return made
    if type(made) is tuple and 1 <= len(made) <= 3:
        parts = list(made)
    elif isinstance(made, Mapping) and "L" in made and set(made) <= {"L", "G", "S"}:
        parts = [made["L"], made.get("G"), made.get("S")]
    else:
        return None
    if not all(part is None or isinstance(part, Mapping) for part in parts):
        return None
    return Frame(*parts)


def program_names(texts: Iterable[str], *, known: Mapping[str, Any], modules: Sequence[str] = ()) -> dict[str, Any]:
    """Return the live objects for names in guards: from what is imported already. Nothing is imported for it.

    Args:
        texts: the guards.
        known: objects that go before.
        modules: modules whose own names may be used without theirs.

    Example:
        >>> sorted(program_names(["L['p'] is math.pi"], known={}, modules=["math"]))
        ['math.pi']
    """
    objects = dict(known)
    for name in dict.fromkeys(name for text in texts for name in names_in(text)):
        if any(name == prefix or name.startswith(f"{prefix}.") for prefix in objects):
            continue
        for found in _candidates(name, modules):
            objects[name] = found
            break
    return objects


def _candidates(name: str, modules: Sequence[str]) -> Iterable[Any]:
    parts = name.split(".")
    for module in modules:
        if module in sys.modules:
            yield from _follow(sys.modules[module], parts)
    for cut in range(len(parts), 0, -1):
        found = sys.modules.get(".".join(parts[:cut]))
        if found is not None:
            yield from _follow(found, parts[cut:])


def _follow(found: Any, parts: list[str]) -> Iterable[Any]:
    for part in parts:
        try:
            found = read_attribute(found, part)
        except Undefined:
            return
    yield found
