"""Whether guards keep what was demanded of the inputs: the guards that do not, the user's lines, and what would be enough."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import attrs

from guardlang.ast import BinOp, Compare, Expr
from guardlang.errors import GuardTypeError
from guardlang.frame import Frame
from guardlang.guard import Guard
from guardlang.interning import text_of
from guardlang.semantics import Evaluation, Unreadable
from guardlang.shapes.conditions import SWAPPED
from guardlang.shapes.constraints import Constraint, DerivedFrom, EqualTo, Free, InRange, MultipleOf
from guardlang.shapes.errors import ConstraintViolation, ConstraintWarning
from guardlang.solver import Consistent, Contradiction, Proved, Refuted, implies, satisfiable
from guardlang.sources import Const
from guardlang.walk import postorder

__all__ = ["Violation", "report", "violations_of"]


@attrs.frozen(eq=False)
class Violation:
    """Demands that guards go against.

    Args:
        constraints: the demands on one source.
        guards: the guards that go against them; none can be left out.
        example: for a demand on values, a value that would have to be accepted and is not.
        proved: False where the solver found neither a proof nor a counterexample.
        suggestion: demands that would be enough, proved; None where none was found.
    """

    constraints: tuple[Constraint, ...]
    guards: tuple[Guard, ...]
    example: Any = None
    proved: bool = True
    suggestion: str | None = None

    @property
    def severity(self) -> str:
        """The strictest severity of the demands."""
        return max((one.severity for one in self.constraints), key=("ignore", "warn", "error").index)

    def __str__(self) -> str:
        demands = " and ".join(one.name or str(one) for one in self.constraints)
        lines = list(dict.fromkeys(str(one.origin) for one in self.constraints if one.origin is not None))
        source = text_of(self.constraints[0].source)
        if any(isinstance(one, Free) for one in self.constraints):
            what = f"{source} has no other value"
        elif not self.proved:
            what = f"not known to hold for every {source} that is demanded"
        else:
            what = f"{source} = {self.example} is refused"
        head = f"{demands}: {what}" + (f"   demanded at {'; '.join(lines)}" if lines else "")
        body = [f"  {guard}" + (f"   {guard.origin}" if guard.origin is not None else "") for guard in self.guards]
        tail = [f"  hint: {self.suggestion} would be enough"] if self.suggestion else []
        return "\n".join([head, *body, *tail])


def violations_of(
    guards: Sequence[Guard], constraints: Sequence[Constraint], structure: Collection[Expr], *, budget: int = 100
) -> tuple[Violation, ...]:
    """Return the demands that guards go against.

    A guard that speaks of a source with a demand on its values must hold whenever all demands are met, given the guards that
    speak of no such source. The guards as a whole must leave a source that is demanded to be free more than one value.

    Args:
        guards: the guards.
        constraints: the demands, merged.
        structure: guards that make the sources the numbers they are; nothing is demanded of these.
        budget: steps of the solver, relative to 100.

    Example:
        >>> from guardlang import parse
        >>> guard = Guard(parse("L['x'].shape[0] <= 10"))
        >>> found = violations_of([guard], [InRange("L['x'].shape[0]", 2, 64)], ())
        >>> print(found[0])
        InRange(L['x'].shape[0], 2, 64): L['x'].shape[0] = 11 is refused
          L['x'].shape[0] <= 10
          hint: InRange(L['x'].shape[0], 2, 10) would be enough
    """
    strict = [one for one in constraints if not isinstance(one, Free)]
    found = list(_strict_violations(guards, strict, structure, budget)) if strict else []
    for one in constraints:
        if isinstance(one, Free):
            core = _forced(guards, one.source, budget)
            if core:
                found.append(Violation((one,), core))
    return tuple(found)


def _strict_violations(
    guards: Sequence[Guard], constraints: Sequence[Constraint], structure: Collection[Expr], budget: int
) -> Iterator[Violation]:
    demanded = dict.fromkeys(source for one in constraints for source in one.sources)
    obliged: dict[Expr, list[Guard]] = {}
    premises: list[Expr] = [guard.expr for guard in guards if guard.expr in structure]
    for guard in guards:
        if guard.expr in structure:
            continue
        source = next((node for node in postorder(guard.expr) if node in demanded), None)
        if source is None:
            premises.append(guard.expr)
        else:
            obliged.setdefault(source, []).append(guard)
    premises += [fact for one in constraints for fact in one.facts()]
    for source, mine in obliged.items():
        failing: list[Guard] = []
        example, proved = None, True
        for guard in mine:
            verdict = implies(premises, (guard.expr,), budget=budget)
            if isinstance(verdict, Proved):
                continue
            failing.append(guard)
            if isinstance(verdict, Refuted):
                example = _value(source, verdict.witness) if example is None else example
            else:
                proved = False
        if failing:
            concerned = tuple(one for one in constraints if source in one.sources)
            suggestion = _suggestion(source, failing, concerned, premises, budget)
            yield Violation(concerned, tuple(failing), example, proved or example is not None, suggestion)


def _value(source: Expr, frame: Frame) -> Any:
    try:
        return Evaluation(frame).value(source)
    except Unreadable:
        return None


def _forced(guards: Sequence[Guard], source: Expr, budget: int) -> tuple[Guard, ...]:
    """Return guards that leave a source no second value, as few as the solver can tell; none if it sees one or cannot tell."""
    facts = tuple(guard.expr for guard in guards)
    some = satisfiable(facts, budget=budget)
    if not isinstance(some, Consistent):
        return ()
    value = _value(source, some.witness)
    if value is None:
        return ()
    other = Compare(("!=",), (source, Const(value)))
    verdict = satisfiable((*facts, other), budget=budget)
    if not isinstance(verdict, Contradiction):
        return ()
    return tuple(guard for guard in guards if guard.expr in verdict.core)


def _suggestion(
    source: Expr, failing: Sequence[Guard], constraints: Sequence[Constraint], premises: Sequence[Expr], budget: int
) -> str | None:
    """Return demands under which the failing guards are certain, if some are seen and the solver proves it."""
    low, high = None, None
    for one in constraints:
        if isinstance(one, InRange) and one.source is source:
            low, high = one.low, one.high
    found: list[Constraint] = []
    bounded = False
    for guard in failing:
        for op, left, right in _links(guard.expr):
            if left is source and isinstance(right, Const) and type(right.value) is int:
                bounded = True
                if op in (">", ">=", "=="):
                    least = right.value + (op == ">")
                    low = least if low is None else max(low, least)
                if op in ("<", "<=", "=="):
                    most = right.value - (op == "<")
                    high = most if high is None else min(high, most)
            else:
                found += _relation(source, op, left, right)
    if bounded and (low is None or high is None or low <= high):
        found.insert(0, InRange(source, low, high))
    found = list({one.key: one for one in found}.values())
    if not found:
        return None
    facts = [*premises, *(fact for one in found for fact in one.facts())]
    if not isinstance(implies(facts, [guard.expr for guard in failing], budget=budget), Proved):
        return None
    if isinstance(satisfiable(facts, budget=budget), Contradiction):
        return None
    return " and ".join(str(one) for one in found)


def _links(expr: Expr) -> Iterator[tuple[str, Expr, Expr]]:
    """Yield a comparison of two operands as it stands and the other way round."""
    if isinstance(expr, Compare) and len(expr.ops) == 1 and expr.ops[0] in SWAPPED:
        left, right = expr.operands
        yield expr.ops[0], left, right
        yield SWAPPED[expr.ops[0]], right, left


def _relation(source: Expr, op: str, left: Expr, right: Expr) -> list[Constraint]:
    """Return the demand that a comparison spells out: a multiple, an equality, or a linear equation."""
    if op != "==":
        return []
    match left:
        case BinOp(op="%", left=base, right=Const(value=factor)) if base is source and right is Const(0):
            return [MultipleOf(source, factor)] if type(factor) is int and factor > 0 else []
    scale, shift, root = 1, 0, right
    match root:
        case BinOp(op="+" | "-", left=inner, right=Const(value=value)) if type(value) is int:
            shift, root = value if root.op == "+" else -value, inner
    match root:
        case BinOp(op="*", left=inner, right=Const(value=value)) if type(value) is int:
            scale, root = value, inner
    try:
        made: Constraint = EqualTo(left, root) if (scale, shift) == (1, 0) else DerivedFrom(left, root, scale, shift)
    except GuardTypeError:
        # One of the two is no source.
        return []
    return [made] if source in made.sources else []


def report(violations: Sequence[Violation]) -> tuple[Violation, ...]:
    """Raise for the violations of severity `error`, warn for those of `warn`, and return those below.

    Args:
        violations: what `violations_of` found.

    Raises:
        ConstraintViolation: there is one of severity `error`; names all of these.
    """
    serious = [one for one in violations if one.severity == "error"]
    if serious:
        count = "a demand on the inputs is" if len(serious) == 1 else f"{len(serious)} demands on the inputs are"
        raise ConstraintViolation("\n".join([f"{count} violated", *map(str, serious)]), tuple(serious))
    rest = []
    for one in violations:
        if one.severity == "warn":
            warnings.warn(str(one), ConstraintWarning, stacklevel=3)
        else:
            rest.append(one)
    return tuple(rest)
