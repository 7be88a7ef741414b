"""Errors of guardlang: each is also the builtin error a reader expects, and says where and what would be right."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = [
    "BuildError",
    "CompilerNotFound",
    "FrameFormatError",
    "GuardNameError",
    "GuardRejected",
    "GuardSyntaxError",
    "GuardTypeError",
    "GuardlangError",
    "NoTracingContext",
    "PortabilityError",
    "UnknownBackend",
    "UnsupportedGuard",
    "nearest",
]

# A caret line under a text of megabytes helps nobody: only this much around the place is shown.
_EXCERPT = 100


class GuardlangError(Exception):
    """Base of every error that guardlang raises on purpose.

    Args:
        message: what is wrong, in one sentence.
        text: the guard text it was found in, if any.
        start: offset of the first wrong character in `text`, in characters from 0.
        end: offset past the last wrong character.
        hint: what would be right.

    Example:
        >>> error = GuardTypeError("a number has no length", text="len(3) == 1", start=4, end=5)
        >>> print(error)
        a number has no length
          len(3) == 1
              ^
    """

    def __init__(
        self,
        message: str,
        *,
        text: str | None = None,
        start: int | None = None,
        end: int | None = None,
        hint: str | None = None,
    ) -> None:
        self.message = message
        self.source_text = text
        self.start = start
        self.end = end
        self.hint = hint
        super().__init__(message)

    def __str__(self) -> str:
        lines = [self.message]
        if self.source_text is not None and self.start is not None:
            lines += _excerpt(self.source_text, self.start, self.end)
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)


def _excerpt(text: str, start: int, end: int | None) -> list[str]:
    """Return the line of `text` that holds `start` and a line of carets under start..end."""
    start = min(max(start, 0), len(text))
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", start)
    last = len(text) if last < 0 else last
    stop = min(last, max(start + 1, start + 1 if end is None else end))
    left = max(first, start - _EXCERPT // 2)
    right = min(last, left + _EXCERPT)
    before = "..." if left > first else ""
    after = "..." if right < last else ""
    line = "".join(c if c.isprintable() else "?" for c in text[left:right])
    carets = " " * (len(before) + start - left) + "^" * max(1, min(stop, right) - start)
    return [f"  {before}{line}{after}", f"  {carets}"]


class GuardSyntaxError(GuardlangError, SyntaxError):
    """A text that is not in the language: not Python's syntax, or a construct that guards do not have."""

    @property
    def msg(self) -> str:  # type: ignore[override]  # a field of every SyntaxError
        """The whole text: tracebacks print this of a SyntaxError."""
        return str(self)


class GuardNameError(GuardlangError, NameError):
    """A name that is no function, no builtin and not in `objects`."""


class GuardTypeError(GuardlangError, TypeError):
    """An expression that can never be defined, such as `len(3)`, or is no condition."""


class UnsupportedGuard(GuardlangError, TypeError):
    """A guard on something that guards cannot speak of, such as a temporary of the tracer."""


class GuardRejected(GuardlangError, ValueError):
    """A guard that does not hold on the example it was made from."""


class NoTracingContext(GuardlangError, RuntimeError):
    """A guard that was added while nothing was being traced in this thread or task."""


class UnknownBackend(GuardlangError, LookupError):
    """A backend name that is not registered."""


class CompilerNotFound(GuardlangError, RuntimeError):
    """No C compiler was found."""


class BuildError(GuardlangError, RuntimeError):
    """The C compiler refused the generated source."""


class PortabilityError(GuardlangError, ValueError):
    """A guard that cannot leave this process: it names an object that has no importable name."""


class FrameFormatError(GuardlangError, ValueError):
    """A frame or guard file that does not have the documented form."""


def nearest(name: str, known: Iterable[str], *, count: int = 3) -> str | None:
    """Return a hint with the known names closest to `name`.

    Args:
        name: the name that was not found.
        known: the names that would have been.
        count: how many names to give at the most.

    Returns:
        A sentence, or None when nothing is close.

    Example:
        >>> nearest("lenn", ["len", "keys"])
        "did you mean 'len'?"
    """
    from difflib import get_close_matches

    matches = get_close_matches(name[:200], sorted(known), n=count, cutoff=0.6)
    if not matches:
        return None
    return "did you mean " + " or ".join(repr(m) for m in matches) + "?"
