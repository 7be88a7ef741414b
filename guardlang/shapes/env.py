"""ShapeEnv: symbols for the numbers of an example, and the guards that the trace leaves on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from guardlang.ast import Compare, Expr
from guardlang.errors import GuardTypeError
from guardlang.guards import Checkpoint, GuardSet
from guardlang.interning import text_of
from guardlang.origin import Origin
from guardlang.shapes.automatic import AutomaticDynamic
from guardlang.shapes.branches import Branches
from guardlang.shapes.caller import user_line
from guardlang.shapes.conditions import negation, parts
from guardlang.shapes.constraints import Constraint, Free, merged
from guardlang.shapes.naming import kind_of, source_of
from guardlang.shapes.obligations import Violation, report, violations_of
from guardlang.shapes.policy import DimensionPolicy
from guardlang.shapes.records import Assumption, Symbol, pinned, rank_of, shape_facts, symbolic
from guardlang.shapes.symbols import Symbolic
from guardlang.shapes.tensors import TensorSymbols, tensor_symbols
from guardlang.sources import Const, TensorProperty, TensorPropertySource
from guardlang.values import exact

__all__ = ["ShapeCheckpoint", "ShapeEnv"]


@attrs.frozen(eq=False)
class ShapeCheckpoint:
    """A mark of everything that an environment holds, for `restore`."""

    owner: ShapeEnv
    guards: Checkpoint
    deferred: Checkpoint
    symbols: dict[Expr, Symbol]
    assumptions: dict[Expr, Assumption]
    constraints: dict[tuple[Any, ...], Constraint]
    facts: tuple[Expr, ...]
    log: dict[Expr, tuple[bool, Origin]]
    automatic: AutomaticDynamic


class ShapeEnv(Branches):
    """Symbols for sizes, strides, offsets, integers, floats and booleans of one trace. A symbol is its source.

    Every branch that a program takes on a symbol adds a guard to `guards`, with the user's line, unless what is known decides it.
    The guards hold for exactly those inputs that take the same branches, errors that Python raises for a zero divisor, a negative
    shift or a NaN included; that an int is too large for a float is not foreseen.

    One environment may be used by several threads. Nothing is global.

    Args:
        guards: the set that takes the guards; a new one by default.
        policy: how numbers are treated that are given no policy.
        specialize_zero_one: whether sizes and strides of 0 and 1 are constants, and other sizes at least 2.
        undecided: what a branch on a number without a hint does when nothing decides it: `error`, or `defer`, which takes the
            side of the guess (the one that holds, without a guess) and adds it to the checks in `deferred`.
        frameworks: import paths of modules whose frames are no user's lines.
        automatic: the history that the policy AUTOMATIC asks.

    Attributes:
        guards: conditions on the inputs.
        deferred: conditions that are to be checked when their values are there.

    Example:
        >>> from guardlang import L
        >>> env = ShapeEnv()
        >>> n = env.symbol(L["x"].shape[0], hint=32)
        >>> "long" if n > 5 else "short"
        'long'
        >>> bool(n > 3), bool(n * 2 > 10)
        (True, True)
        >>> for guard in env.guards:
        ...     print(guard)
        L['x'].shape[0] >= 2
        L['x'].shape[0] > 5
    """

    def __init__(
        self,
        *,
        guards: GuardSet | None = None,
        policy: DimensionPolicy = DimensionPolicy.DYNAMIC,
        specialize_zero_one: bool = True,
        undecided: str = "error",
        frameworks: Iterable[str] = (),
        automatic: AutomaticDynamic | None = None,
    ) -> None:
        super().__init__(GuardSet() if guards is None else guards, undecided, frameworks)
        self.policy = policy
        self.specialize_zero_one = specialize_zero_one
        self.automatic = AutomaticDynamic() if automatic is None else automatic
        self._constraints: dict[tuple[Any, ...], Constraint] = {}

    def __repr__(self) -> str:
        return f"<ShapeEnv of {len(self._symbols)} symbols, {len(self.guards)} guards>"

    # Symbols.

    def symbol(self, source: Any, hint: Any = None, *, policy: DimensionPolicy | None = None) -> Any:
        """Return the number at a source, as a symbol or as a constant. A source that was asked for before gives the same again.

        Args:
            source: a term, a node or a text.
            hint: the value on the example: an int, a float or a bool. With UNBACKED it is a guess that no guard rests on.
            policy: how it is treated; the environment's by default, UNBACKED where there is no hint.

        Returns:
            `SymInt`, `SymFloat` or `SymBool`, or the hint itself where it is pinned.

        Raises:
            GuardTypeError: the source cannot be a symbol, or the hint does not fit it or an earlier one.

        Example:
            >>> env = ShapeEnv()
            >>> env.symbol("L['x'].shape[0]", hint=1), env.symbol("L['n']", hint=1)
            (1, <SymInt L['n']>)
            >>> for guard in env.guards:
            ...     print(guard)
            L['x'].shape[0] == 1
            type(L['n']) is int
        """
        expr = source_of(source)
        with self._lock:
            held = self._symbols.get(expr)
            if held is not None:
                if hint is not None and held.policy is not DimensionPolicy.UNBACKED and not _same_number(hint, held.hint):
                    raise GuardTypeError(
                        f"{text_of(expr)} was {held.hint} before and is {hint!r:.40} now", hint="one trace has one example"
                    )
                return held.value
            kind = kind_of(expr, hint)
            chosen = self._choose(expr, kind, hint, policy or (self.policy if hint is not None else DimensionPolicy.UNBACKED))
            return self._make(expr, kind, hint, chosen)

    def tensor(
        self,
        source: Any,
        shape: Sequence[int],
        strides: Sequence[int] | None = None,
        offset: int | None = None,
        policy: DimensionPolicy | Sequence[DimensionPolicy] | Mapping[int, DimensionPolicy] | None = None,
    ) -> TensorSymbols:
        """Return the sizes, strides and offset of a tensor. The number of its dimensions is pinned.

        Args:
            source: where the tensor is.
            shape: its sizes on the example.
            strides: its strides on the example; None leaves strides out.
            offset: its storage offset; None leaves it out.
            policy: one policy for all sizes, one for each dimension, or those of some dimensions by number. Strides follow:
                constants where all sizes are, else computed from sizes where the example allows it, else symbols. The offset is a
                constant where all sizes are, else a symbol.

        Example:
            >>> env = ShapeEnv()
            >>> x = env.tensor("L['x']", (8, 16), strides=(16, 1), policy=[DimensionPolicy.STATIC, DimensionPolicy.DYNAMIC])
            >>> x.shape, x.strides
            ((8, <SymInt L['x'].shape[1]>), (<SymInt L['x'].shape[1]>, 1))
            >>> for guard in env.guards:
            ...     print(guard)
            L['x'].ndim == 2
            L['x'].shape[0] == 8
            L['x'].shape[1] >= 2
            L['x'].stride(1) == 1
            L['x'].stride(0) == L['x'].shape[1]
        """
        with self._lock:
            return tensor_symbols(self, source_of(source), tuple(shape), strides, offset, policy)

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """What is held of every source, in the order in which they were asked for."""
        return tuple(self._symbols.values())

    def _choose(self, expr: Expr, kind: str, hint: Any, policy: DimensionPolicy) -> DimensionPolicy:
        if policy is DimensionPolicy.UNBACKED:
            return policy
        if hint is None:
            raise GuardTypeError(
                f"{text_of(expr)} has no hint", hint="give the value on the example, or the policy UNBACKED if there is none yet"
            )
        if policy is DimensionPolicy.AUTOMATIC:
            varied = self.automatic.scalar(text_of(expr), hint)
            policy = DimensionPolicy.DYNAMIC if varied else DimensionPolicy.STATIC
        if (kind in ("size", "stride") and self.specialize_zero_one and hint in (0, 1)) or hint != hint:
            # A NaN equals nothing: there is no symbol whose comparisons could be guarded.
            return DimensionPolicy.STATIC
        if (policy is DimensionPolicy.DUCK and kind in ("offset", "bool")) or (
            policy is DimensionPolicy.INFER_STRIDE and kind != "stride"
        ):
            return DimensionPolicy.DYNAMIC
        return policy

    def _make(self, expr: Expr, kind: str, hint: Any, policy: DimensionPolicy) -> Any:
        origin = user_line(self.frameworks, self._lines)
        backed = policy is not DimensionPolicy.UNBACKED
        value = symbolic(self, expr, kind, hint if backed else None)
        if policy is DimensionPolicy.STATIC:
            made: Any = hint
            self._hold(pinned(expr, kind, hint), origin, "static")
        elif policy is DimensionPolicy.INFER_STRIDE:
            made = self._infer(expr, hint, origin)
            made = value if made is None else made
        else:
            made = value
        self._made[expr] = True
        self._symbols[expr] = Symbol(expr, kind, hint, policy, made, origin)
        if made is value:
            if policy is DimensionPolicy.DUCK:
                self._duck(expr, kind, hint, origin)
            for fact in self._facts_of(expr, kind, policy):
                self._hold(fact, origin, None, backed=backed)
                match fact:
                    case Compare(ops=(">=",), operands=(left, Const(value=low))) if left is expr:
                        self._knowledge.learn(value >= low, True)
        return made

    def _facts_of(self, source: Expr, kind: str, policy: DimensionPolicy) -> list[Expr]:
        special = self.specialize_zero_one and policy is not DimensionPolicy.UNBACKED
        return shape_facts(source, kind, 2 if special else 0)

    def _infer(self, expr: Expr, hint: int, origin: Origin) -> Any:
        """Return a stride as a size times a stride of the same tensor, None where the example has no such pair."""
        assert isinstance(expr, TensorPropertySource)
        for other in reversed(self.symbols):
            source = other.source
            if other.kind != "stride" or not isinstance(source, TensorPropertySource) or source.base is not expr.base:
                continue
            size = self._symbols.get(TensorPropertySource(source.base, TensorProperty.SIZE, source.index))
            if size is None or None in (size.hint, other.hint) or size.hint * other.hint != hint:
                continue
            product = size.value * other.value
            right = product.expr if isinstance(product, Symbolic) else Const(product)
            self._hold(Compare(("==",), (expr, right)), origin, "contiguous")
            return product
        return None

    def _duck(self, expr: Expr, kind: str, hint: Any, origin: Origin) -> None:
        for other in self.symbols:
            same = other.policy is DimensionPolicy.DUCK and other.kind == kind and _same_number(other.hint, hint)
            if same and other.source is not expr and other.source not in self._assumptions:
                equality = Compare(("==",), (expr, other.source))
                guard = self._hold(equality, origin, "equal on the example")
                self._assumptions[expr] = Assumption(expr, other.source, guard)
                return

    # Assumptions.

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """The equalities that are taken to hold because hints were equal, in the order in which they were made."""
        return tuple(self._assumptions.values())

    def lift(self, source: Any) -> None:
        """Give up the assumption that a source equals another: what was decided by it becomes guards of its own.

        Args:
            source: the source of an assumption.

        Raises:
            GuardTypeError: there is no assumption on it.

        Example:
            >>> env = ShapeEnv(policy=DimensionPolicy.DUCK)
            >>> n, m = env.symbol("L['x'].shape[0]", hint=8), env.symbol("L['y'].shape[0]", hint=8)
            >>> bool(n > 4), bool(m > 4), [str(assumption) for assumption in env.assumptions]
            (True, True, ["L['y'].shape[0] == L['x'].shape[0]"])
            >>> env.lift("L['y'].shape[0]")
            >>> for guard in env.guards:
            ...     print(guard)
            L['x'].shape[0] >= 2
            L['y'].shape[0] >= 2
            L['x'].shape[0] > 4
            L['y'].shape[0] > 4
        """
        expr = source_of(source)
        with self._lock:
            self._sync()
            assumption = self._assumptions.pop(expr, None)
            if assumption is None:
                raise GuardTypeError(f"there is no assumption on {text_of(expr)}", hint="env.assumptions lists them")
            gone = assumption.guard.expr
            mark = self.guards.checkpoint()
            del mark.guards[gone]
            self.guards.restore(mark)
            self._knowledge.restore([fact for fact in self._knowledge.facts if fact is not gone])
            self._seen = len(self.guards)
            for condition, (truth, origin) in tuple(self._log.items()):
                if self._knowledge.truth(condition) is None:
                    for part in parts(condition if truth else negation(condition)):
                        self._hold(part, origin, None, backed=not self._unbacked(part))

    # Constraints.

    def constrain(self, constraint: Constraint, *, assume: bool = False) -> None:
        """Demand something of the inputs that `verify` checks against the guards. Several demands on a source are merged.

        Args:
            constraint: `InRange`, `MultipleOf`, `EqualTo`, `DerivedFrom` or `Free`.
            assume: whether it also becomes guards, so that branches which it decides are decided.

        Raises:
            ConstraintViolation: it contradicts an earlier demand.

        Example:
            >>> from guardlang.shapes import InRange
            >>> env = ShapeEnv()
            >>> n = env.symbol("L['x'].shape[0]", hint=8)
            >>> env.constrain(InRange("L['x'].shape[0]", 2, 64), assume=True)
            >>> bool(n < 100)
            True
            >>> env.verify()
            ()
        """
        with self._lock:
            if constraint.origin is None:
                constraint = attrs.evolve(constraint, origin=user_line(self.frameworks, self._lines))
            assert constraint.origin is not None
            self._constraints = merged(self._constraints, constraint, self._structure())
            if assume:
                for fact in constraint.facts():
                    self._hold(fact, constraint.origin, constraint.name)

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The demands, merged, in the order of the first demand on each source."""
        return tuple(self._constraints.values())

    def violations(self, *, budget: int = 100) -> tuple[Violation, ...]:
        """Return the demands that the guards go against, with the guards that do it.

        Args:
            budget: steps of the solver, relative to 100.

        Example:
            >>> from guardlang.shapes import InRange
            >>> env = ShapeEnv()
            >>> n = env.symbol("L['x'].shape[0]", hint=8)
            >>> env.constrain(InRange("L['x'].shape[0]", 2, 64))
            >>> bool(n % 8 == 0)
            True
            >>> [violation.suggestion for violation in env.violations()]
            ["MultipleOf(L['x'].shape[0], 8)"]
        """
        with self._lock:
            return violations_of(tuple(self.guards), self.constraints, self._structure(), budget=budget)

    def _structure(self) -> frozenset[Expr]:
        """Return the guards that make sources the numbers they are."""
        found: list[Expr] = []
        for symbol in self.symbols:
            found += self._facts_of(symbol.source, symbol.kind, symbol.policy)
            if isinstance(symbol.source, TensorPropertySource):
                base = symbol.source.base
                found += [expr for expr in self.guards.exprs if isinstance(expr, Compare) and expr.operands[0] is rank_of(base)]
        return frozenset(found)

    def verify(self, *, budget: int = 100) -> tuple[Violation, ...]:
        """Check all demands: raise for violations of severity `error`, warn for `warn`, return what is left.

        Args:
            budget: steps of the solver, relative to 100.

        Raises:
            ConstraintViolation: names each violation, the guards and the user's lines.
        """
        return report(self.violations(budget=budget))

    def assert_free(self, source: Any, *, budget: int = 100) -> None:
        """Check that the guards leave a source more than one value.

        Args:
            source: the source.
            budget: steps of the solver, relative to 100.

        Raises:
            ConstraintViolation: they pin it; has the guards and the lines.

        Example:
            >>> env = ShapeEnv()
            >>> n = env.symbol("L['x'].shape[0]", hint=8)
            >>> env.assert_free("L['x'].shape[0]")
        """
        demand = Free(source_of(source), origin=user_line(self.frameworks, self._lines))
        with self._lock:
            found = violations_of(tuple(self.guards), (demand,), self._structure(), budget=budget)
        report(found)

    # Speculation.

    def checkpoint(self) -> ShapeCheckpoint:
        """Return a mark of symbols, guards, checks, assumptions, demands and history.

        Example:
            >>> env = ShapeEnv()
            >>> n = env.symbol("L['n']", hint=3)
            >>> mark = env.checkpoint()
            >>> bool(n > 2)
            True
            >>> env.restore(mark)
            >>> for guard in env.guards:
            ...     print(guard)
            type(L['n']) is int
        """
        with self._lock:
            self._sync()
            return ShapeCheckpoint(
                self,
                self.guards.checkpoint(),
                self.deferred.checkpoint(),
                dict(self._symbols),
                dict(self._assumptions),
                dict(self._constraints),
                tuple(self._knowledge.facts),
                dict(self._log),
                self.automatic.copy(),
            )

    def restore(self, mark: ShapeCheckpoint) -> None:
        """Go back to a mark. Symbols made since are stale: a branch on one is an error until it is asked for again.

        Args:
            mark: what `checkpoint` of this environment gave.

        Raises:
            GuardTypeError: the mark belongs to another environment.
        """
        if mark.owner is not self:
            raise GuardTypeError("the checkpoint belongs to another environment")
        with self._lock:
            self.guards.restore(mark.guards)
            self.deferred.restore(mark.deferred)
            self._symbols = dict(mark.symbols)
            self._assumptions = dict(mark.assumptions)
            self._constraints = dict(mark.constraints)
            self._log = dict(mark.log)
            self._knowledge.restore(mark.facts)
            self._seen = len(self.guards)
            self.automatic.become(mark.automatic)


def _same_number(left: Any, right: Any) -> bool:
    return type(left) is type(right) and exact(left, right)
