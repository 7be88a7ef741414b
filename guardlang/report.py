"""What became of each guard of a set that was simplified: kept, or dropped with its reason."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import attrs

from guardlang.ast import Expr
from guardlang.guard import Guard
from guardlang.solver import Simplified

__all__ = ["Dropped", "SimplifyReport", "report_of"]


@attrs.frozen(eq=False)
class Dropped:
    """A guard that the others imply.

    Args:
        guard: the guard.
        because: guards that are enough to imply it.
        solver: which solver found it.
        proof: what the checker replays.
    """

    guard: Guard
    because: tuple[Guard, ...]
    solver: str
    proof: Any = attrs.field(default=None, repr=False)


@attrs.frozen(eq=False)
class SimplifyReport:
    """The outcome of `GuardSet.simplify`: every added guard is in `kept` or in `dropped`.

    Args:
        kept: the guards that stay.
        dropped: the guards that go, each with the guards that imply it.
        unknown: guards that stay because no solver could tell within its budget.
        contradiction: guards that contradict each other; then everything is kept.
        found: the same in the solver's terms, with the proofs.

    Example:
        >>> from guardlang import GuardSet
        >>> guards = GuardSet()
        >>> _ = guards.add("exact(L['n'], 4)", origin="f.py:1"), guards.add("L['n'] > 2", origin="f.py:2")
        >>> print(guards.simplify().report)
        1 of 2 guards kept, 1 dropped
          L['n'] > 2   f.py:2
            because exact(L['n'], 4)   f.py:1
    """

    kept: tuple[Guard, ...]
    dropped: tuple[Dropped, ...] = ()
    unknown: tuple[Guard, ...] = ()
    contradiction: tuple[Guard, ...] = ()
    found: Simplified | None = attrs.field(default=None, repr=False)

    def validate(self) -> None:
        """Have the independent checker replay the proof of every drop: what is kept implies what was added.

        Raises:
            CertificateError: a drop does not follow from what is kept.

        Example:
            >>> from guardlang import GuardSet
            >>> guards = GuardSet()
            >>> _ = guards.add("L['a'] is L['b']"), guards.add("same(L['b'], L['a'])")
            >>> report = guards.simplify().report
            >>> report.validate()
            >>> len(report.dropped)
            1
        """
        if self.found is not None:
            self.found.validate()

    def __str__(self) -> str:
        total = len(self.kept) + len(self.dropped)
        lines = [f"{len(self.kept)} of {total} guard{'' if total == 1 else 's'} kept, {len(self.dropped)} dropped"]
        for drop in self.dropped:
            lines.append(f"  {_line(drop.guard)}")
            lines += [f"    because {_line(guard)}" for guard in drop.because]
        if self.unknown:
            lines.append("kept, for no solver could tell:")
            lines += [f"  {_line(guard)}" for guard in self.unknown]
        if self.contradiction:
            lines.append("kept, for these contradict each other:")
            lines += [f"  {_line(guard)}" for guard in self.contradiction]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return {
            "kept": [str(guard) for guard in self.kept],
            "dropped": [
                {"guard": str(drop.guard), "because": [str(guard) for guard in drop.because], "solver": drop.solver}
                for drop in self.dropped
            ],
            "unknown": [str(guard) for guard in self.unknown],
            "contradiction": [str(guard) for guard in self.contradiction],
        }

    def to_json(self) -> str:
        """Return the report as JSON text.

        Example:
            >>> print(SimplifyReport(()).to_json())
            {"contradiction": [], "dropped": [], "kept": [], "unknown": []}
        """
        return json.dumps(self.as_dict(), sort_keys=True)


def _line(guard: Guard) -> str:
    return "   ".join([str(guard), *map(str, guard.origins)])


def report_of(found: Simplified, guards: Mapping[Expr, Guard]) -> SimplifyReport:
    """Return the report of a simplification in terms of the guards of the set.

    Args:
        found: what the solver says.
        guards: the guards of the set by their expressions; others (facts of the caller) have no origin.
    """

    def named(exprs: tuple[Expr, ...]) -> tuple[Guard, ...]:
        return tuple(guards.get(expr) or Guard(expr) for expr in exprs)

    dropped = tuple(
        Dropped(guards[drop.guard], named(drop.because), drop.solver, drop.proof)
        for drop in found.dropped
        if drop.guard in guards
    )
    return SimplifyReport(named(found.kept), dropped, named(found.unknown), named(found.contradiction), found)
