"""A guard: a condition, with where it comes from and why."""

from __future__ import annotations

import attrs

from guardlang.ast import Expr
from guardlang.interning import text_of
from guardlang.origin import Origin

__all__ = ["Guard"]


@attrs.frozen(eq=False, repr=False)
class Guard:
    """A condition of a set and every origin it was added from.

    Args:
        expr: the condition.
        origins: where it comes from, in the order of addition; empty when nobody said.

    Example:
        >>> from guardlang.parse import parse
        >>> str(Guard(parse("L['n'] == 1")))
        "L['n'] == 1"
    """

    expr: Expr
    origins: tuple[Origin, ...] = ()

    @property
    def origin(self) -> Origin | None:
        """The first origin, or None."""
        return self.origins[0] if self.origins else None

    def __str__(self) -> str:
        return text_of(self.expr)

    def __repr__(self) -> str:
        return f"<Guard {text_of(self.expr)}>"
