"""What is demanded of the inputs: ranges, multiples, equalities, freedom. Obligations on the guards, checked by the solver."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from guardlang.ast import BinOp, Compare, Expr
from guardlang.errors import GuardTypeError
from guardlang.interning import text_of
from guardlang.origin import Origin
from guardlang.shapes.errors import ConstraintViolation
from guardlang.shapes.naming import source_of
from guardlang.solver import Contradiction, satisfiable
from guardlang.sources import Const

__all__ = ["Constraint", "DerivedFrom", "EqualTo", "Free", "InRange", "MultipleOf", "merged"]

_SEVERITIES = ("ignore", "warn", "error")


def _severity(_: Any, __: Any, value: Any) -> None:
    if value not in _SEVERITIES:
        raise GuardTypeError(f"severity is one of {', '.join(_SEVERITIES)}, not {value!r:.40}")


@attrs.frozen
class Constraint:
    """A demand on one source.

    Args:
        source: a term, a node or a text.
        severity: what `ShapeEnv.verify` does about a violation: `error`, `warn` or `ignore`.
        name: how messages call it.
        origin: who demands it; the user's line by default.
    """

    source: Expr = attrs.field(converter=source_of)
    severity: str = attrs.field(default="error", validator=_severity, kw_only=True)
    name: str | None = attrs.field(default=None, kw_only=True)
    origin: Origin | None = attrs.field(default=None, kw_only=True)

    def facts(self) -> tuple[Expr, ...]:
        """Return what the caller promises in turn, as conditions."""
        return ()

    @property
    def sources(self) -> tuple[Expr, ...]:
        """The sources it speaks of."""
        return (self.source,)

    @property
    def key(self) -> tuple[Any, ...]:
        """What two demands have in common that are merged into one."""
        return (self.source, type(self))

    def merge(self, other: Any) -> Constraint:
        """Return both demands as one; the first name and the first line stay, the stricter severity counts.

        Args:
            other: a demand of the same class on the same source.
        """
        return attrs.evolve(self, **self.shared(other))

    def shared(self, other: Constraint) -> dict[str, Any]:
        """Return the fields that every class of demands merges alike."""
        stricter = max(self.severity, other.severity, key=_SEVERITIES.index)
        return {"severity": stricter, "name": self.name or other.name}

    def __str__(self) -> str:
        return f"{type(self).__name__}({text_of(self.source)})"


@attrs.frozen
class InRange(Constraint):
    """Every value from `low` to `high` must be accepted, less what the rule on sizes of 0 and 1 excludes.

    Args:
        low: the least value; None for none.
        high: the greatest value; None for none.

    Example:
        >>> print(InRange("L['x'].shape[0]", 2, 64))
        InRange(L['x'].shape[0], 2, 64)
    """

    low: int | None = None
    high: int | None = None

    def __attrs_post_init__(self) -> None:
        if self.low is not None and self.high is not None and self.low > self.high:
            raise GuardTypeError(f"no value of {text_of(self.source)} is from {self.low} to {self.high}")

    def facts(self) -> tuple[Expr, ...]:
        """Return that the value is in the range."""
        low = () if self.low is None else (Compare((">=",), (self.source, Const(self.low))),)
        high = () if self.high is None else (Compare(("<=",), (self.source, Const(self.high))),)
        return low + high

    def merge(self, other: Any) -> Constraint:
        """Return the intersection.

        Raises:
            ConstraintViolation: it is empty; names both lines.
        """
        lows = [low for low in (self.low, other.low) if low is not None]
        highs = [high for high in (self.high, other.high) if high is not None]
        low, high = max(lows, default=None), min(highs, default=None)
        if low is not None and high is not None and low > high:
            raise _clash([self, other])
        return attrs.evolve(self, low=low, high=high, **self.shared(other))

    def __str__(self) -> str:
        return f"InRange({text_of(self.source)}, {self.low}, {self.high})"


@attrs.frozen
class MultipleOf(Constraint):
    """Every multiple of `factor` must be accepted.

    Args:
        factor: a positive int.

    Example:
        >>> print(MultipleOf("L['x'].shape[0]", 8))
        MultipleOf(L['x'].shape[0], 8)
    """

    factor: int = 1

    def __attrs_post_init__(self) -> None:
        if self.factor < 1:
            raise GuardTypeError(f"a multiple of {self.factor}: the factor is positive")

    def facts(self) -> tuple[Expr, ...]:
        """Return that the value is a multiple."""
        return (Compare(("==",), (BinOp("%", self.source, Const(self.factor)), Const(0))),)

    def merge(self, other: Any) -> Constraint:
        """Return the multiples of both factors."""
        return attrs.evolve(self, factor=math.lcm(self.factor, other.factor), **self.shared(other))

    def __str__(self) -> str:
        return f"MultipleOf({text_of(self.source)}, {self.factor})"


@attrs.frozen
class DerivedFrom(Constraint):
    """The value is always `scale * root + shift`, for any root.

    Args:
        root: another source.
        scale: an int.
        shift: an int.

    Example:
        >>> print(DerivedFrom("L['y'].shape[0]", "L['x'].shape[0]", 2, 1))
        DerivedFrom(L['y'].shape[0], L['x'].shape[0], 2, 1)
    """

    root: Expr = attrs.field(converter=source_of, kw_only=False)
    scale: int = 1
    shift: int = 0

    def facts(self) -> tuple[Expr, ...]:
        """Return the equation."""
        right = self.root if self.scale == 1 else BinOp("*", Const(self.scale), self.root)
        if self.shift:
            right = BinOp("+" if self.shift > 0 else "-", right, Const(abs(self.shift)))
        return (Compare(("==",), (self.source, right)),)

    @property
    def sources(self) -> tuple[Expr, ...]:
        """The source and the root."""
        return (self.source, self.root)

    @property
    def key(self) -> tuple[Any, ...]:
        """Two equations are one demand only if they are the same."""
        return (self.source, type(self), self.root, self.scale, self.shift)

    def __str__(self) -> str:
        return f"DerivedFrom({text_of(self.source)}, {text_of(self.root)}, {self.scale}, {self.shift})"


@attrs.frozen
class EqualTo(Constraint):
    """The value always equals that of another source.

    Args:
        other: the other source.

    Example:
        >>> print(EqualTo("L['y'].shape[0]", "L['x'].shape[0]"))
        EqualTo(L['y'].shape[0], L['x'].shape[0])
    """

    other: Expr = attrs.field(converter=source_of, kw_only=False)

    def facts(self) -> tuple[Expr, ...]:
        """Return the equation."""
        return (Compare(("==",), (self.source, self.other)),)

    @property
    def sources(self) -> tuple[Expr, ...]:
        """Both sources."""
        return (self.source, self.other)

    @property
    def key(self) -> tuple[Any, ...]:
        """The pair, whichever is named first."""
        return (frozenset(self.sources), type(self))

    def __str__(self) -> str:
        return f"EqualTo({text_of(self.source)}, {text_of(self.other)})"


@attrs.frozen
class Free(Constraint):
    """The guards must leave at least two values.

    Example:
        >>> print(Free("L['x'].shape[0]", severity="warn"))
        Free(L['x'].shape[0])
    """


def merged(
    table: Mapping[tuple[Any, ...], Constraint], constraint: Constraint, structure: Iterable[Expr] = ()
) -> dict[tuple[Any, ...], Constraint]:
    """Return the demands with one more.

    Args:
        table: the demands so far.
        constraint: another.
        structure: what makes the sources the numbers they are.

    Raises:
        ConstraintViolation: no input can meet them all; names those that contradict each other, with their lines.

    Example:
        >>> first = merged({}, InRange("L['x'].shape[0]", 2, 64))
        >>> both = merged(first, InRange("L['x'].shape[0]", 8, None))
        >>> [str(one) for one in both.values()]
        ["InRange(L['x'].shape[0], 8, 64)"]
    """
    made = dict(table)
    held = made.get(constraint.key)
    made[constraint.key] = constraint if held is None else held.merge(constraint)
    facts = {fact: one for one in (*table.values(), made[constraint.key]) for fact in one.facts()}
    verdict = satisfiable((*structure, *facts), solver="builtin", budget=20)
    if isinstance(verdict, Contradiction):
        raise _clash([facts[fact] for fact in verdict.core if fact in facts])
    return made


def _clash(constraints: Iterable[Constraint]) -> ConstraintViolation:
    lines = [f"  {one}   {one.origin or ''}".rstrip() for one in dict.fromkeys(constraints)]
    return ConstraintViolation("\n".join(["no input can meet all of these demands", *lines]))
