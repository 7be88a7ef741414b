"""What is said about a frame that a set of guards was checked on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import attrs

from guardlang.guard import Guard

__all__ = ["Blocked", "Explanation", "Failure"]

_WIDEST = 60


@attrs.frozen(eq=False)
class Failure:
    """A guard that is false.

    Args:
        guard: the guard.
        got: the actual value, or what is wrong, as a phrase.
        values: the sources it reads and their values, as texts.
    """

    guard: Guard
    got: str
    values: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return f"{self.guard}   {self.got}"


@attrs.frozen(eq=False)
class Blocked:
    """Guards that could not be evaluated, for one reason.

    Args:
        guards: the guards.
        reason: the path that could not be read and why.
    """

    guards: tuple[Guard, ...]
    reason: str


@attrs.frozen(eq=False)
class Explanation:
    """Why a set of guards holds on a frame or does not: true when it holds.

    Args:
        total: how many guards there are.
        failures: the guards that are false, in the order of addition.
        blocked: the guards that could not be evaluated, grouped by what blocked them.
        hints: what could be done.
        entry: the name of what the guards protect, if it has one.

    Example:
        >>> from guardlang import GuardSet
        >>> guards = GuardSet()
        >>> _ = guards.add("L['n'] == 4")
        >>> explanation = guards.explain({"n": 7})
        >>> bool(explanation)
        False
        >>> print(explanation)
        1 of 1 guard fails
          L['n'] == 4   got 7
    """

    total: int
    failures: tuple[Failure, ...] = ()
    blocked: tuple[Blocked, ...] = ()
    hints: tuple[str, ...] = ()
    entry: str | None = None

    def __bool__(self) -> bool:
        return not self.failures and not self.blocked

    @property
    def not_evaluated(self) -> tuple[Guard, ...]:
        """All guards that could not be evaluated."""
        return tuple(guard for group in self.blocked for guard in group.guards)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """Yield the text line by line, without line ends."""
        yield self.headline()
        rows = [(str(f.guard), f.got, " | ".join(map(str, f.guard.origins))) for f in self.failures]
        left, middle = (min(_WIDEST, max((len(row[i]) for row in rows), default=0)) for i in (0, 1))
        for text, got, origin in rows:
            yield f"  {text:{left}}   {got:{middle}}   {origin}".rstrip()
        for group in self.blocked:
            if len(group.guards) == 1:
                yield f"not evaluated: {group.guards[0]}   ({group.reason}){_origin(group.guards[0])}"
            else:
                yield f"not evaluated, because {group.reason}:"
                for guard in group.guards:
                    yield f"  {guard}{_origin(guard)}"
        for hint in self.hints:
            yield f"hint: {hint}"

    def headline(self) -> str:
        """Return the first line: how many guards fail, and for what."""
        where = f" for entry {self.entry!r}" if self.entry is not None else ""
        plural = "" if self.total == 1 else "s"
        if self:
            return f"all {self.total} guards hold{where}" if self.total != 1 else f"the guard holds{where}"
        if not self.failures:
            count = len(self.not_evaluated)
            return f"{count} of {self.total} guard{plural} cannot be evaluated{where}"
        count = len(self.failures)
        return f"{count} of {self.total} guard{plural} fail{'s' if count == 1 else ''}{where}"

    def as_dict(self) -> dict[str, Any]:
        """Return the explanation as JSON values."""
        return {
            "holds": bool(self),
            "entry": self.entry,
            "total": self.total,
            "failures": [
                {**_guard_dict(f.guard), "got": f.got, "values": [{"source": s, "value": v} for s, v in f.values]}
                for f in self.failures
            ],
            "not_evaluated": [
                {"reason": group.reason, "guards": [_guard_dict(guard) for guard in group.guards]} for group in self.blocked
            ],
            "hints": list(self.hints),
        }

    def to_json(self) -> str:
        """Return the explanation as JSON text.

        Example:
            >>> import json
            >>> json.loads(Explanation(total=2).to_json())["holds"]
            True
        """
        return json.dumps(self.as_dict(), indent=1)


def _origin(guard: Guard) -> str:
    return "".join(f"   {origin}" for origin in guard.origins)


def _guard_dict(guard: Guard) -> dict[str, Any]:
    return {"guard": str(guard), "origins": [origin.as_dict() for origin in guard.origins]}
