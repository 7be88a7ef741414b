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


def user_line(frameworks: tuple[str, ...] = (), known: dict[tuple[CodeType, int], Origin] | None = None) -> Origin:
    """Return the innermost place in the call stack that is neither in this library nor in a framework.

    Args:
        frameworks: import paths of modules or packages whose frames are passed over.
        known: origins made before, by code and line; gains the one that is returned.

    Example:
        >>> user_line().function
        '<module>'
    """
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  # the documented way to the caller
    outermost = frame
    while frame is not None:
        if not _is_library(frame.f_code) and not _is_framework(frame, frameworks):
            return _origin(frame, known)
        outermost, frame = frame, frame.f_back
    assert outermost is not None
    return _origin(outermost, known)


def _origin(frame: FrameType, known: dict[tuple[CodeType, int], Origin] | None) -> Origin:
    if known is None:
        return of_frame(frame)
    place = (frame.f_code, frame.f_lineno)
    origin = known.get(place)
    if origin is None:
        origin = known[place] = of_frame(frame)
    return origin


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
