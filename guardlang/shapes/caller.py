"""Which line of the user's program a symbol was asked in."""

from __future__ import annotations

import os
import sys
from types import CodeType, FrameType

import guardlang
from guardlang.origin import Origin, of_frame

__all__ = ["user_line"]

# With the separator, so that a project named guardlang_tools beside it is not taken for the library.
_LIBRARY = os.path.join(os.path.dirname(os.path.abspath(guardlang.__file__)), "")  # noqa: PTH118, PTH120, PTH100  # as in origin

_of_library: dict[CodeType, bool] = {}


def user_line(frameworks: tuple[str, ...] = (), *, reason: str | None = None) -> Origin:
    """Return the innermost place in the call stack that is neither in this library nor in a framework.

    Args:
        frameworks: import paths of modules or packages whose frames are passed over.
        reason: why the guard is added.

    Example:
        >>> user_line(reason="unrolled").reason
        'unrolled'
    """
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  # the documented way to the caller
    outermost = frame
    while frame is not None:
        if not _is_library(frame.f_code) and not _is_framework(frame, frameworks):
            return of_frame(frame, reason=reason)
        outermost, frame = frame, frame.f_back
    assert outermost is not None
    return of_frame(outermost, reason=reason)


def _is_library(code: CodeType) -> bool:
    known = _of_library.get(code)
    if known is None:
        known = _of_library[code] = code.co_filename.startswith((_LIBRARY, "<attrs", "<frozen"))
    return known


def _is_framework(frame: FrameType, frameworks: tuple[str, ...]) -> bool:
    if not frameworks:
        return False
    module = frame.f_globals.get("__name__")
    return type(module) is str and any(module == name or module.startswith(f"{name}.") for name in frameworks)
