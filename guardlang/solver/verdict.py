"""Verdicts: what the solver answers, in the terms of whoever asked."""

from __future__ import annotations

from typing import Any, TypeAlias

import attrs

from guardlang.interning import Node, text_of

__all__ = ["Consistent", "Contradiction", "Proved", "Refuted", "Unknown", "Verdict"]


def _text(item: Any) -> str:
    return text_of(item) if isinstance(item, Node) else str(item)


@attrs.frozen(eq=False)
class Proved:
    """It follows, on every frame.

    Args:
        core: guards that are enough for it, in the order of the question.
        proofs: what a checker can replay.

    Example:
        >>> bool(Proved(())), str(Proved(()))
        (True, 'proved: it holds on every frame')
    """

    core: tuple[Any, ...] = ()
    proofs: tuple[Any, ...] = attrs.field(default=(), repr=False)

    def __bool__(self) -> bool:
        return True

    def __str__(self) -> str:
        if not self.core:
            return "proved: it holds on every frame"
        return "\n".join(["proved, because", *(f"  {_text(guard)}" for guard in self.core)])

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as plain data."""
        return {"verdict": "proved", "because": [_text(guard) for guard in self.core]}


@attrs.frozen(eq=False)
class Refuted:
    """It does not follow: here is a frame.

    Args:
        witness: a frame on which it has been replayed.
        violated: the guard that fails there, if one was asked for.

    Example:
        >>> bool(Refuted(None))
        False
    """

    witness: Any
    violated: Any = None

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        what = f"refuted: {_text(self.violated)} fails on" if self.violated is not None else "refuted by"
        return "\n".join([what, *(f"  {line}" for line in str(self.witness).splitlines())])

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as plain data."""
        return {
            "verdict": "refuted",
            "violated": None if self.violated is None else _text(self.violated),
            "witness": str(self.witness),
        }


@attrs.frozen(eq=False)
class Unknown:
    """Neither a proof nor a frame was found within the budget.

    Args:
        reason: why.

    Example:
        >>> bool(Unknown("the budget is used up"))
        False
    """

    reason: str

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return f"unknown: {self.reason}"

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as plain data."""
        return {"verdict": "unknown", "reason": self.reason}


@attrs.frozen(eq=False)
class Consistent:
    """All guards hold on some frame.

    Args:
        witness: such a frame, replayed.

    Example:
        >>> bool(Consistent(None))
        True
    """

    witness: Any
    core: tuple[Any, ...] = ()

    def __bool__(self) -> bool:
        return True

    def __str__(self) -> str:
        return "\n".join(["satisfiable, by", *(f"  {line}" for line in str(self.witness).splitlines())])

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as plain data."""
        return {"verdict": "satisfiable", "witness": str(self.witness)}


@attrs.frozen(eq=False)
class Contradiction:
    """No frame satisfies all guards.

    Args:
        core: guards that contradict each other; none of them can be left out.
        proofs: what a checker can replay.

    Example:
        >>> bool(Contradiction(()))
        False
    """

    core: tuple[Any, ...]
    proofs: tuple[Any, ...] = attrs.field(default=(), repr=False)

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return "\n".join(["contradiction between", *(f"  {_text(guard)}" for guard in self.core)])

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as plain data."""
        return {"verdict": "contradiction", "core": [_text(guard) for guard in self.core]}


Verdict: TypeAlias = Proved | Refuted | Unknown
