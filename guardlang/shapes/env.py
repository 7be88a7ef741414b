"""ShapeEnv: symbols for the numbers of an example, and the guards that the trace leaves on them."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from guardlang.ast import Call, Compare, Expr, Not
from guardlang.errors import GuardRejected, GuardTypeError
from guardlang.frame import Frame
from guardlang.guard import Guard
from guardlang.guards import Checkpoint, GuardSet
from guardlang.interning import text_of
from guardlang.origin import Origin
from guardlang.semantics import Evaluation
from guardlang.shapes import operations
from guardlang.shapes.automatic import AutomaticDynamic
from guardlang.shapes.caller import user_line
from guardlang.shapes.conditions import OPPOSITE, negation, parts
from guardlang.shapes.constraints import Constraint, Free, merged
from guardlang.shapes.errors import StaleSymbol, UndecidedBranch
from guardlang.shapes.knowledge import Knowledge
from guardlang.shapes.naming import kind_of, source_of
from guardlang.shapes.obligations import Violation, report, violations_of
from guardlang.shapes.policy import DimensionPolicy
from guardlang.shapes.symbols import Symbolic, SymBool, SymFloat, SymInt
from guardlang.shapes.tensors import TensorSymbols, tensor_symbols
from guardlang.sources import AttrSource, Const, ConstantSource, TensorProperty, TensorPropertySource, TypeSource
from guardlang.values import exact
from guardlang.walk import postorder, rewrite

__all__ = ["Assumption", "ShapeCheckpoint", "ShapeEnv", "Symbol"]

# Cases that the solver may look at for a number without a hint, where not knowing is an error.
_EFFORT = 60


@attrs.frozen(eq=False)
class Symbol:
    """What an environment holds of a source.

    Args:
        source: the source.
        kind: size, stride, offset, length, int, float or bool.
        hint: the value on the example; None for none.
        policy: how it is treated, after all rules.
        value: the symbol, or the constant it was pinned to.
        origin: the user's line that asked for it first.
    """

    source: Expr
    kind: str
    hint: Any
    policy: DimensionPolicy
    value: Any
    origin: Origin


@attrs.frozen(eq=False)
class Assumption:
    """That a source equals another because their hints did.

    Args:
        source: the source.
        other: the first one with the same hint.
        guard: the guard that holds the trace to it.
    """

    source: Expr
    other: Expr
    guard: Guard

    def __str__(self) -> str:
        return str(self.guard)


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


class ShapeEnv:
    """Symbols for sizes, strides, offsets, integers, floats and booleans of one trace. A symbol is its source.

    Every branch that a program takes on a symbol adds a guard to `guards`, with the user's line, unless what is known decides it.
    The guards hold for exactly those inputs that take the same branches, errors that Python raises for a zero divisor, a negative
    shift or a NaN included; a result too large for a float is the exception, it is not foreseen.

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
        if undecided not in ("error", "defer"):
            raise GuardTypeError(f"undecided is 'error' or 'defer', not {undecided!r:.40}")
        self.guards = GuardSet() if guards is None else guards
        self.deferred = GuardSet(self.guards.objects)
        self.policy = policy
        self.specialize_zero_one = specialize_zero_one
        self.undecided = undecided
        self.frameworks = tuple(frameworks)
        self.automatic = AutomaticDynamic() if automatic is None else automatic
        self._lock = threading.RLock()
        self._knowledge = Knowledge()
        self._seen = 0
        self._symbols: dict[Expr, Symbol] = {}
        # Every source that ever was a symbol here, also before a restore.
        self._made: dict[Expr, bool] = {}
        self._assumptions: dict[Expr, Assumption] = {}
        self._constraints: dict[tuple[Any, ...], Constraint] = {}
        # What was decided while there were assumptions: which of it rests on them is seen when one is lifted.
        self._log: dict[Expr, tuple[bool, Origin]] = {}

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

    def hold(self, fact: Expr, *, reason: str | None = None) -> None:
        """Add a condition that holds on the example to the guards and to what is known, with the user's line.

        Args:
            fact: the condition.
            reason: why, for explanations.
        """
        with self._lock:
            self._sync()
            self._hold(fact, user_line(self.frameworks), reason)

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
        origin = user_line(self.frameworks)
        backed = policy is not DimensionPolicy.UNBACKED
        value = _symbolic(self, expr, kind, hint if backed else None)
        if policy is DimensionPolicy.STATIC:
            made: Any = hint
            self._hold(_pinned(expr, kind, hint), origin, "static")
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
            for fact in self._shape_facts(expr, kind, policy):
                self._hold(fact, origin, None, backed=backed)
                if isinstance(value, SymInt) and isinstance(fact, Compare) and fact.operands[0] is expr:
                    self._knowledge.learn(SymBool(self, True, link=(fact.ops[0], value, _value(fact.operands[1]))), True)
        return made

    def _shape_facts(self, expr: Expr, kind: str, policy: DimensionPolicy) -> list[Expr]:
        """Return what makes a source a number of its kind."""
        match kind:
            case "size":
                special = self.specialize_zero_one and policy is not DimensionPolicy.UNBACKED
                return [_at_least(expr, 2 if special else 0)]
            case "length" | "offset":
                return [_at_least(expr, 0)]
            case "stride":
                assert isinstance(expr, TensorPropertySource)
                index = expr.index.value if isinstance(expr.index, Const) else 0
                return [_at_least(_rank(expr.base), index + 1 if index >= 0 else -index)]
            case "float":
                return [_is_class(expr, float), Not(Call("isnan", (expr,)))]
            case "bool":
                return [] if isinstance(expr, TensorPropertySource) else [_is_class(expr, bool)]
        return [_is_class(expr, int)]

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

    def _hold(self, fact: Expr, origin: Origin, reason: str | None, *, backed: bool = True) -> Guard:
        """Add a fact to the guards, or to the checks where it has no value while tracing."""
        origin = origin if reason is None else attrs.evolve(origin, reason=reason)
        # As a guard, not as an expression: what is made of symbols needs no check of its types.
        guard = (self.guards if backed else self.deferred).add(Guard(fact, (origin,)))
        self._knowledge.add(fact)
        self._seen = len(self.guards)
        return guard

    # Decisions.

    def compute(self, op: str, left: Any, right: Any) -> Any:
        """Return `left op right`, one of them a symbol; what Python's operators on symbols do."""
        return operations.compute(self, op, left, right)

    def compare(self, op: str, left: Any, right: Any) -> Any:
        """Return whether `left op right`, one of them a symbol; what Python's comparisons of symbols do."""
        return operations.compare(self, op, left, right)

    def apply(self, function: str, operand: Symbolic, digits: Any = None) -> Any:
        """Return a function of one symbol, such as `abs` or `floor`; what Python's functions on symbols do."""
        return operations.apply(self, function, operand, digits)

    def decide(self, condition: SymBool | bool) -> bool:
        """Return the truth of a condition, recording it unless what is known decides it; what `if` on a `SymBool` does.

        Args:
            condition: a symbolic condition, or a plain truth.

        Raises:
            UndecidedBranch: it depends on a number without a hint and nothing known decides it.
            StaleSymbol: a symbol in it was made after a checkpoint that was restored.

        Example:
            >>> env = ShapeEnv()
            >>> env.decide(env.symbol("L['n']", hint=3) % 2 == 1)
            True
        """
        if type(condition) is not SymBool:
            return bool(condition)
        if len(self.guards) == self._seen:
            truth = self._knowledge.quick(condition)
            if truth is not None:
                return truth
        with self._lock:
            truth = self._known(condition)
            if truth is not None:
                return truth
            if condition.hint is None:
                return self._defer(condition)
            self._record(condition, condition.hint)
            return bool(condition.hint)

    def known(self, condition: SymBool | bool) -> bool | None:
        """Return the truth of a condition if what is known decides it, else None. Nothing is recorded.

        Args:
            condition: a symbolic condition, or a plain truth.

        Example:
            >>> env = ShapeEnv()
            >>> n = env.symbol("L['x'].shape[0]", hint=8)
            >>> env.known(n > 1), env.known(n > 7)
            (True, None)
        """
        if type(condition) is not SymBool:
            return bool(condition)
        with self._lock:
            return self._known(condition)

    def decide_or(self, condition: SymBool | bool, default: bool) -> bool:
        """Return the truth of a condition, or a default where it depends on a number without a hint and nothing decides it.

        Args:
            condition: a symbolic condition, or a plain truth.
            default: what is right for the program in either case; nothing is recorded for it.

        Example:
            >>> env = ShapeEnv()
            >>> count = env.symbol("L['count']")
            >>> env.decide_or(count == 0, default=False)
            False
        """
        if type(condition) is not SymBool:
            return bool(condition)
        if condition.hint is not None:
            return self.decide(condition)
        truth = self.known(condition)
        return default if truth is None else truth

    def check(self, condition: SymBool | bool, *, reason: str | None = None) -> None:
        """State a condition that the trace relies on: a guard, or a check when the program runs.

        Args:
            condition: a symbolic condition, or a plain truth.
            reason: why, for explanations.

        Raises:
            GuardRejected: it is false, on the example or by what is known.

        Example:
            >>> env = ShapeEnv()
            >>> count = env.symbol("L['count']")
            >>> env.check(count > 0)
            >>> bool(count != 0)
            True
            >>> for guard in env.deferred:
            ...     print(guard)
            type(L['count']) is int
            L['count'] > 0
        """
        if type(condition) is not SymBool:
            if not condition:
                raise GuardRejected("a condition that the trace relies on is false")
            return
        with self._lock:
            truth = self._known(condition)
            if truth is None:
                truth = condition.hint is not False
                if truth:
                    self._record(condition, True, reason=reason, backed=condition.hint is not None)
            if not truth:
                raise GuardRejected(
                    f"{condition} is relied on and does not hold", hint="the example or an earlier branch contradicts it"
                )

    def specialize(self, symbol: Symbolic) -> Any:
        """Return the value of a symbol, recording that it has this value; what `int(x)` does.

        Args:
            symbol: the symbol.

        Raises:
            UndecidedBranch: it has no hint, and what is known leaves more than one value.

        Example:
            >>> env = ShapeEnv()
            >>> list(range(env.symbol("L['n']", hint=2)))
            [0, 1]
            >>> for guard in env.guards:
            ...     print(guard)
            type(L['n']) is int
            L['n'] == 2
        """
        if type(symbol) is SymBool:
            return self.decide(symbol)
        value = symbol.hint
        if value is None:
            value = self._only_value(symbol)
        if type(symbol) is SymInt:
            if not self.decide(symbol == value):
                raise AssertionError("a hint is the value of its expression")
            return value
        self.decide(SymBool(self, True, expr=Call("exact", (symbol.expr, Const(value)))))
        return value

    def _only_value(self, symbol: Symbolic) -> Any:
        if type(symbol) is SymInt:
            with self._lock:
                self._sync()
                value = self._knowledge.only_value(symbol.affine)
            if value is not None:
                return value
        text = str(symbol)
        raise UndecidedBranch(
            f"the value of {text} is needed, and it has none while tracing",
            hint=f"state it by env.check({text} == ...), or keep the program from asking (range, int and an index need a number)",
        )

    def _known(self, condition: SymBool) -> bool | None:
        self._sync()
        truth = self._knowledge.quick(condition)
        if truth is not None:
            # Recorded, or logged when it was asked: whatever rests on an assumption is in the log already.
            return truth
        truth = self._knowledge.ask(condition, _EFFORT if condition.hint is None else 0)
        if truth is not None and self._assumptions and condition.expr not in self._log:
            self._log[condition.expr] = (truth, user_line(self.frameworks))
        return truth

    def _sync(self) -> None:
        """Take in what others have added to the set of guards, and forget what they have taken away."""
        if len(self.guards) == self._seen:
            return
        present = dict.fromkeys(self.guards.exprs)
        facts = [fact for fact in self._knowledge.facts if fact in present or fact in self.deferred]
        facts += [fact for fact in present if fact not in self._knowledge]
        self._knowledge.restore(facts)
        self._seen = len(self.guards)

    def _record(self, condition: SymBool, truth: bool, *, reason: str | None = None, backed: bool = True) -> None:
        expr = condition.expr
        # Most environments never go back, and then no symbol can be stale.
        for node in postorder(expr) if len(self._made) != len(self._symbols) else ():
            if node in self._made and node not in self._symbols:
                raise StaleSymbol(
                    f"{text_of(node)} was made after the checkpoint that was restored", hint="ask for the symbol again"
                )
        if not truth:
            link = condition.link
            expr = Compare((OPPOSITE[link[0]],), expr.operands) if link and isinstance(expr, Compare) else negation(expr)
        origin = user_line(self.frameworks, reason=reason)
        for part in parts(expr):
            self._hold(part, origin, None, backed=backed)
        self._knowledge.learn(condition, truth)

    def _defer(self, condition: SymBool) -> bool:
        if self.undecided == "error":
            raise self._undecided_branch(condition)
        truth = self._guess(condition.expr)
        self._record(condition, truth, backed=False)
        return truth

    def _guess(self, expr: Expr) -> bool:
        """Return which side the guesses are on; the one that holds where there are none."""
        table = {source: Const(symbol.hint) for source, symbol in self._symbols.items() if symbol.hint is not None}
        closed = rewrite(expr, lambda node: table.get(node, node))
        return Evaluation(Frame()).truth(closed).kind != "FALSE"

    def _undecided_branch(self, condition: SymBool) -> UndecidedBranch:
        expr = condition.expr
        read = [node for node in postorder(expr) if node in self._symbols]
        unbacked = [node for node in read if self._symbols[node].policy is DimensionPolicy.UNBACKED]
        names = ", ".join(dict.fromkeys(text_of(node) for node in unbacked))
        known = [text_of(fact) for fact in self._knowledge.facts if any(node in unbacked for node in postorder(fact))]
        opposite = operations.compare(self, "==", condition, False)
        lines = [f"a branch on {text_of(expr)}: {names} {'has' if len(unbacked) == 1 else 'have'} no value while tracing"]
        if known:
            lines.append(f"known: {'; '.join(known)}")
        return UndecidedBranch(
            "\n".join(lines),
            hint=f"env.check({text_of(expr)}) or env.check({opposite}) before the branch decides it, "
            f"env.decide_or(..., default) goes one way in any case, undecided='defer' checks when the program runs",
        )

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
                        self._hold(part, origin, None)

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
                constraint = attrs.evolve(constraint, origin=user_line(self.frameworks))
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
            found += self._shape_facts(symbol.source, symbol.kind, symbol.policy)
            if isinstance(symbol.source, TensorPropertySource):
                base = symbol.source.base
                found += [expr for expr in self.guards.exprs if isinstance(expr, Compare) and expr.operands[0] is _rank(base)]
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
        demand = Free(source_of(source), origin=user_line(self.frameworks))
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

    @property
    def queries(self) -> int:
        """How many questions the solver was asked; the others were answered from what it had said before."""
        return self._knowledge.queries


def _value(expr: Expr) -> Any:
    assert isinstance(expr, Const)
    return expr.value


def _symbolic(env: ShapeEnv, expr: Expr, kind: str, hint: Any) -> Symbolic:
    if kind == "float":
        return SymFloat(env, expr, hint)
    if kind == "bool":
        whole = isinstance(expr, TensorPropertySource)
        return SymBool(env, hint, expr=expr if whole else Compare(("is",), (expr, Const(True))))
    return SymInt(env, (expr, 1, 0), hint)


def _pinned(expr: Expr, kind: str, hint: Any) -> Expr:
    if kind == "bool":
        return Compare(("is",), (expr, Const(hint)))
    if kind in ("int", "float"):
        return Call("exact", (expr, Const(hint)))
    return Compare(("==",), (expr, Const(hint)))


def _rank(base: Expr) -> Expr:
    return AttrSource(base, "ndim")


def _at_least(expr: Expr, low: int) -> Expr:
    return Compare((">=",), (expr, Const(low)))


def _is_class(expr: Expr, cls: type) -> Expr:
    return Compare(("is",), (TypeSource(expr), ConstantSource(cls.__name__, cls)))


def _same_number(left: Any, right: Any) -> bool:
    return type(left) is type(right) and exact(left, right)
