"""What can go wrong with symbols, beyond what can go wrong with guards."""

from __future__ import annotations

from typing import Any

from guardlang.errors import GuardlangError

__all__ = ["ConstraintViolation", "ConstraintWarning", "StaleSymbol", "UndecidedBranch"]


class UndecidedBranch(GuardlangError, RuntimeError):
    """A branch on a number that has no value while tracing, where nothing known decides it."""


class StaleSymbol(GuardlangError, RuntimeError):
    """A symbol that was made after the checkpoint that its environment has gone back to."""


class ConstraintViolation(GuardlangError, ValueError):
    """Guards that go against what was demanded of the inputs.

    Args:
        message: what is wrong.
        violations: one record for each constraint that is violated.
        hint: what would be right.
    """

    def __init__(self, message: str, violations: tuple[Any, ...] = (), *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.violations = violations


class ConstraintWarning(UserWarning):
    """Guards that go against a constraint whose severity is `warn`."""
