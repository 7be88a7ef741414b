"""Files as text, and frames from files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from guardlang.errors import FrameFormatError
from guardlang.framefile.reader import FrameFile, read_frame
from guardlang.jsontext import line_and_column

__all__ = ["decode", "load_frame"]


def load_frame(path: str | Path, *, objects: Mapping[str, Any] | None = None) -> FrameFile:
    """Return the frame of a JSON file.

    Args:
        path: the file.
        objects: live objects for names in the file; all others get stand-ins.

    Raises:
        FrameFormatError: the file does not have the form.
        OSError: it cannot be read.
    """
    return read_frame(decode(Path(path).read_bytes(), file=str(path)), objects=objects, file=str(path))


def decode(content: bytes, *, file: str) -> str:
    r"""Return the text of a file in UTF-8, with or without a byte order mark.

    Args:
        content: the bytes of the file.
        file: its name, for errors.

    Raises:
        FrameFormatError: it is not UTF-8; has line and column.

    Example:
        >>> decode(b"a\xffb", file="x.guards")
        Traceback (most recent call last):
            ...
        guardlang.errors.FrameFormatError: x.guards:1:2: the file is not UTF-8
        hint: save it as UTF-8
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8-sig")
        line, column = line_and_column(before, len(before))
        raise FrameFormatError(f"{file}:{line}:{column}: the file is not UTF-8", hint="save it as UTF-8") from None
