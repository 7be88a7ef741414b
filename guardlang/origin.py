"""Where a guard comes from: the user's file, line and code, and why."""

from __future__ import annotations

import linecache
import os
import sys
from types import FrameType
from typing import Any

import attrs

__all__ = ["Origin", "here", "of_frame"]


@attrs.frozen
class Origin:
    """A place in somebody's program, with what stands there.

    Args:
        file: the file's name; None when only a text is known.
        line: the line, from 1.
        function: the function it is in.
        code: the source line, stripped.
        text: what a guard file said after `#`, instead of a place.
        reason: why the guard was added.

    Example:
        >>> str(Origin(file="/home/me/model.py", line=31, code="x.view(4, -1)"))
        'model.py:31   x.view(4, -1)'
    """

    file: str | None = None
    line: int | None = None
    function: str | None = None
    code: str | None = None
    text: str | None = None
    reason: str | None = None

    @property
    def place(self) -> str:
        """File name and line, or the text of a guard file."""
        if self.file is None:
            return self.text or ""
        name = os.path.basename(self.file)  # noqa: PTH119  # pathlib alone would be a tenth of what the import may cost
        return name if self.line is None else f"{name}:{self.line}"

    def __str__(self) -> str:
        return "   ".join(part for part in (self.place, self.code, self.reason and f"({self.reason})") if part)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that are known.

        Example:
            >>> Origin(file="model.py", line=3).as_dict()
            {'file': 'model.py', 'line': 3}
        """
        return {name: value for name, value in attrs.asdict(self).items() if value is not None}


def here(*, skip: int = 0, reason: str | None = None) -> Origin:
    """Return the place of the caller.

    Args:
        skip: how many frames above the caller to go.
        reason: why the guard is added.

    Example:
        >>> here(reason="tiled by 8").reason
        'tiled by 8'
    """
    return of_frame(sys._getframe(1 + skip), reason=reason)  # noqa: SLF001  # the documented way to the caller


def of_frame(frame: FrameType, *, reason: str | None = None) -> Origin:
    """Return the place where a Python frame stands.

    Args:
        frame: a live frame.
        reason: why the guard is added.

    Example:
        >>> of_frame(sys._getframe()).function
        '<module>'
    """
    file, line = frame.f_code.co_filename, frame.f_lineno
    code = linecache.getline(file, line, frame.f_globals).strip() or None
    return Origin(file=file, line=line, function=frame.f_code.co_name, code=code, reason=reason)
