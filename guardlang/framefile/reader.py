"""JSON to a frame. Nothing that the text names is imported, called or evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import attrs

from guardlang.errors import FrameFormatError, nearest
from guardlang.frame import Frame
from guardlang.framefile.builder import Builder
from guardlang.framefile.standins import Names
from guardlang.framefile.tags import TAGS
from guardlang.jsontext import Members, Path, format_error, parse_json

__all__ = ["FORMAT", "FrameFile", "read_frame"]

FORMAT = "guardlang.frame/1"

_SECTIONS = ("format", "types", "names", "L", "G", "S")
_EMPTY = Members(())


@attrs.frozen(eq=False)
class FrameFile:
    """A frame that was read, and the objects of the names in it.

    Args:
        frame: the frame.
        names: gives guards the same objects for the same names.

    Example:
        >>> from guardlang.guards import GuardSet
        >>> read = read_frame('{"L": {"x": {"$tensor": {"shape": [2, 3]}}}}')
        >>> text = "type(L['x']) is torch.Tensor"
        >>> guards = GuardSet(read.names.for_guards([text]))
        >>> _ = guards.add(text)
        >>> guards.compile()(read.frame.locals)
        True
    """

    frame: Frame
    names: Names


def read_frame(text: str, *, objects: Mapping[str, Any] | None = None, file: str = "<frame>") -> FrameFile:
    """Return the frame that a JSON text describes.

    Args:
        text: the JSON text.
        objects: live objects for names in the text; all others get stand-ins.
        file: the name of the file, for errors.

    Raises:
        FrameFormatError: the text does not have the form; says where, by path, line and column, and what would be right.

    Example:
        >>> read_frame('{"L": {"x": {"$tuple": [1, {"$float": "inf"}]}}}').frame.locals
        {'x': (1, inf)}
        >>> read_frame('{"L": {"x": {"$tupel": [1]}}}', file="frame.json")
        Traceback (most recent call last):
            ...
        guardlang.errors.FrameFormatError: frame.json:1:14: L['x']['$tupel']: there is no tag '$tupel'
          {"L": {"x": {"$tupel": [1]}}}
                       ^^^^^^^^
        hint: did you mean '$tuple'?
    """
    try:
        return _Document(text, file).read(dict(objects or {}))
    except RecursionError:
        raise FrameFormatError(f"{file}: nested too deeply to be read here") from None


class _Document:
    """The parts of a frame file."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        content = parse_json(text, file=file)
        if not isinstance(content, Members):
            self._fail((), 'a frame file is an object such as {"L": {"x": 1}}')
        self.content: Members = content

    def read(self, objects: dict[str, Any]) -> FrameFile:
        self._check_sections()
        named = self._members("names")
        bases = {name: self._bases(name, content) for name, content in self._members("types").items()}
        for section, given in (("names", list(named)), ("types", list(bases))):
            for name in given:
                if name in objects:
                    self._fail((section, name), f"{name!r:.60} is among the objects that were passed", "leave it out")
        names = Names(objects, bases)
        builder = Builder(self.text, self.file, TAGS, names, named)
        builder.scan(self.content, ("names", "L", "G", "S"))
        for name in named:
            builder.named_object(name, ("names", name), 0)
        frame = {
            section: {name: builder.build((section, name), value, 1) for name, value in self._members(section).items()}
            for section in ("L", "G", "S")
        }
        return FrameFile(Frame(frame["L"], frame["G"], frame["S"] if "S" in self.content else None), names)

    def _check_sections(self) -> None:
        content = self.content
        if content.repeated is not None:
            self._fail((content.repeated,), "is there twice", "keep one")
        for section in content:
            if section not in _SECTIONS:
                hint = nearest(section, _SECTIONS) or f"there are {', '.join(_SECTIONS)}"
                self._fail((section,), f"no part of a frame is called {section!r:.60}", hint)
        if content.get("format", FORMAT) != FORMAT:
            self._fail(("format",), "is another format", f'this is "{FORMAT}"')
        if "L" not in content:
            self._fail((), "the frame has no locals", 'add "L": {} when there are none')

    def _members(self, section: str) -> Members:
        content = self.content.get(section, _EMPTY)
        if not isinstance(content, Members):
            self._fail((section,), "takes an object of names and values")
        if content.repeated is not None:
            self._fail((section, content.repeated), "is there twice", "keep one")
        return content

    def _bases(self, name: str, content: Any) -> tuple[str, ...]:
        if not isinstance(content, list) or not all(type(base) is str and base for base in content):
            self._fail(("types", name), "the bases of a class are a list of names", 'such as ["torch.nn.Module"]')
        return tuple(content)

    def _fail(self, path: Path, message: str, hint: str | None = None) -> NoReturn:
        raise format_error(message, self.text, path, file=self.file, hint=hint, at_name=True)
