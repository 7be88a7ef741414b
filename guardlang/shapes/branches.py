"""Branches: conditions on symbols are decided by what is known, else by the example, which leaves a guard."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from types import CodeType
from typing import Any

import attrs

from guardlang.ast import Call, Compare, Expr
from guardlang.errors import GuardRejected, GuardTypeError
from guardlang.frame import Frame
from guardlang.guard import Guard
from guardlang.guards import GuardSet
from guardlang.interning import text_of
from guardlang.origin import Origin
from guardlang.purity import is_pure
from guardlang.semantics import Evaluation
from guardlang.shapes import operations
from guardlang.shapes.caller import user_line
from guardlang.shapes.conditions import OPPOSITE, negation, parts
from guardlang.shapes.errors import StaleSymbol, UndecidedBranch
from guardlang.shapes.knowledge import Knowledge
from guardlang.shapes.policy import DimensionPolicy
from guardlang.shapes.records import Assumption, Symbol
from guardlang.shapes.symbols import Symbolic, SymBool, SymInt
from guardlang.sources import Const
from guardlang.walk import postorder, rewrite

__all__ = ["Branches"]

# Cases that the solver may look at for a number without a hint, where not knowing is an error.
_EFFORT = 60


class Branches:
    """The part of an environment that decides conditions and records what the decisions rest on.

    Args:
        guards: the set that takes the guards.
        undecided: `error` or `defer`.
        frameworks: import paths of modules whose frames are no user's lines.
    """

    def __init__(self, guards: GuardSet, undecided: str, frameworks: Iterable[str]) -> None:
        if undecided not in ("error", "defer"):
            raise GuardTypeError(f"undecided is 'error' or 'defer', not {undecided!r:.40}")
        self.guards = guards
        self.deferred = GuardSet(guards.objects)
        self.undecided = undecided
        self.frameworks = tuple(frameworks)
        self._lock = threading.RLock()
        self._knowledge = Knowledge()
        self._seen = 0
        self._lines: dict[tuple[CodeType, int], Origin] = {}
        self._symbols: dict[Expr, Symbol] = {}
        # Every source that ever was a symbol here, also before a restore.
        self._made: dict[Expr, bool] = {}
        self._assumptions: dict[Expr, Assumption] = {}
        # What was decided while there were assumptions: which of it rests on them is seen when one is lifted.
        self._log: dict[Expr, tuple[bool, Origin]] = {}

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
            >>> from guardlang.shapes import ShapeEnv
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
            >>> from guardlang.shapes import ShapeEnv
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
            >>> from guardlang.shapes import ShapeEnv
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
            >>> from guardlang.shapes import ShapeEnv
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
            >>> from guardlang.shapes import ShapeEnv
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
            self._log[condition.expr] = (truth, user_line(self.frameworks, self._lines))
        return truth

    def _sync(self) -> None:
        """Take in what others have added to the set of guards, and forget what they have taken away."""
        if len(self.guards) == self._seen:
            return
        # What runs code may say something else the next time: no fact.
        present = dict.fromkeys(expr for expr in self.guards.exprs if is_pure(expr))
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
        origin = user_line(self.frameworks, self._lines)
        for part in parts(expr):
            self._hold(part, origin, reason, backed=backed)
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

    def _unbacked(self, expr: Expr) -> list[Expr]:
        """Return the numbers without a hint that a condition reads."""
        read = [self._symbols[node] for node in postorder(expr) if node in self._symbols]
        return [symbol.source for symbol in dict.fromkeys(read) if symbol.policy is DimensionPolicy.UNBACKED]

    def _undecided_branch(self, condition: SymBool) -> UndecidedBranch:
        expr = condition.expr
        unbacked = self._unbacked(expr)
        names = ", ".join(map(text_of, unbacked))
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

    def hold(self, fact: Expr, *, reason: str | None = None) -> None:
        """Add a condition that holds on the example to the guards and to what is known, with the user's line.

        Args:
            fact: the condition.
            reason: why, for explanations.
        """
        with self._lock:
            self._sync()
            self._hold(fact, user_line(self.frameworks, self._lines), reason)

    def _hold(self, fact: Expr, origin: Origin, reason: str | None, *, backed: bool = True) -> Guard:
        """Add a fact to the guards, or to the checks where it has no value while tracing."""
        origin = origin if reason is None else attrs.evolve(origin, reason=reason)
        # As a guard, not as an expression: what is made of symbols needs no check of its types.
        guard = (self.guards if backed else self.deferred).add(Guard(fact, (origin,)))
        self._knowledge.add(fact)
        self._seen = len(self.guards)
        return guard

    @property
    def queries(self) -> int:
        """How many questions the solver was asked; the others were answered from what it had said before."""
        return self._knowledge.queries
