"""What a check does and in which order, before any backend prints it.

A set holds when every guard is TRUE, and a guard that is undefined does not hold. So a guard `a and b` is two tests, a chain is a
test for each link, and every part that a guard evaluates in any case may be read before the guard and shared with others: if it
is undefined, the guard that needs it fails anyway. Only what stands behind `or`, `if`, or a later operand must be left in place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import attrs

from guardlang.ast import BinOp, BoolOp, Call, Compare, Expr, IfExp, Not, UnaryOp
from guardlang.purity import is_pure
from guardlang.sources import (
    AttrSource,
    Const,
    ConstantSource,
    GetItemSource,
    GlobalSource,
    GlobalStateSource,
    LocalSource,
    TensorPropertySource,
    TupleIteratorGetItemSource,
    TypeSource,
    WeakRefCallSource,
)
from guardlang.walk import children

__all__ = ["Load", "Plan", "Step", "Test", "conjuncts", "make_plan", "unconditional"]

# Expressions higher than this are computed in several statements, so that no printer and no compiler runs out of stack.
MAX_HEIGHT = 40


@attrs.frozen(eq=False)
class Load:
    """Read a source, or compute a shared part, once."""

    node: Expr


@attrs.frozen(eq=False)
class Test:
    """Fail with a number unless a condition is TRUE.

    Args:
        guard: the position of the guard in the set: the number of the failure.
        expr: the condition, the guard itself or one of its conjuncts.
    """

    guard: int
    expr: Expr


Step: TypeAlias = Load | Test


@attrs.frozen(eq=False)
class Plan:
    """The steps of a check.

    Args:
        guards: the guards, as added.
        steps: loads and tests of the pure guards; every part that a test needs in any case is loaded before it.
        impure: positions of the guards that may run user code: evaluated after the steps, in this order, by the interpreter.
    """

    guards: tuple[Expr, ...]
    steps: tuple[Step, ...]
    impure: tuple[int, ...]


def make_plan(guards: Sequence[Expr]) -> Plan:
    """Return the plan of a set of guards.

    Args:
        guards: conditions, in the order of addition.

    Returns:
        Loads ordered by what makes them readable: a source, the tests of it alone with those of its type first, then what is
        read from it. Relations follow the last source they need; ambient state comes after the inputs; conditions with parts that
        may not be evaluated come last.

    Example:
        >>> from guardlang.parse import parse
        >>> plan = make_plan([parse("L['x'].n == 2"), parse("type(L['x']) is int")])
        >>> [str(step.expr) if isinstance(step, Test) else f"load {step.node}" for step in plan.steps]
        ["load L['x']", "type(L['x']) is int", "load L['x'].n", "L['x'].n == 2"]
    """
    pure = [is_pure(guard) for guard in guards]
    tests = [Test(number, part) for number, guard in enumerate(guards) if pure[number] for part in conjuncts(guard)]
    steps = tuple(_Order(tests).steps())
    return Plan(tuple(guards), steps, tuple(number for number, plain in enumerate(pure) if not plain))


def conjuncts(guard: Expr) -> Iterator[Expr]:
    """Yield conditions that are all TRUE exactly when the guard is.

    Example:
        >>> from guardlang.parse import parse
        >>> [str(part) for part in conjuncts(parse("2 <= L['n'] < 9 and L['a'] is L['b']"))]
        ["2 <= L['n']", "L['n'] < 9", "L['a'] is L['b']"]
    """
    stack = [guard]
    while stack:
        expr = stack.pop()
        if isinstance(expr, BoolOp) and expr.op == "and":
            stack.extend(reversed(expr.operands))
        elif isinstance(expr, Compare) and len(expr.ops) > 1:
            yield from (Compare((op,), expr.operands[i : i + 2]) for i, op in enumerate(expr.ops))
        else:
            yield expr


def unconditional(expr: Expr) -> tuple[list[Expr], bool]:
    """Return the parts that are evaluated whenever the expression is, operands first, and whether there are others.

    Example:
        >>> from guardlang.parse import parse
        >>> parts, others = unconditional(parse("L['x'] is None or L['x'].n > 3"))
        >>> [str(part) for part in parts], others
        (["L['x']", 'None', "L['x'] is None", "L['x'] is None or L['x'].n > 3"], True)
    """
    return _region(expr, lambda _: False)


def _region(root: Expr, stops: Callable[[Expr], bool]) -> tuple[list[Expr], bool]:
    """Return what is evaluated whenever an expression is, operands first, without what is below a part that stops the walk."""
    order: list[Expr] = []
    seen: set[Expr] = set()
    others = False
    stack: list[tuple[Expr, bool]] = [(root, False)]
    while stack:
        node, done = stack.pop()
        if done:
            order.append(node)
            continue
        if node in seen:
            continue
        seen.add(node)
        if node is not root and stops(node):
            order.append(node)
            continue
        stack.append((node, True))
        always, rest = _operands(node)
        others = others or rest
        stack.extend((child, False) for child in reversed(always))
    return order, others


def _operands(node: Expr) -> tuple[tuple[Expr, ...], bool]:
    """Return the operands that are always evaluated, and whether there are others."""
    match node:
        case BoolOp():
            return node.operands[:1], True
        case IfExp():
            return (node.test,), True
        case Compare() if len(node.ops) > 1:
            return node.operands[:2], True
        case GetItemSource(base=Call(function="keys" | "values") as base):
            # Read by position: the tuple itself is never built.
            return (*base.args, node.index), False
    return children(node), False


_SOURCES = (
    LocalSource,
    GlobalSource,
    GlobalStateSource,
    AttrSource,
    GetItemSource,
    TensorPropertySource,
    TupleIteratorGetItemSource,
    WeakRefCallSource,
)
_SHARED = (BinOp, UnaryOp, Call)


def _is_source(node: Expr) -> bool:
    return isinstance(node, _SOURCES)


def _rank(test: Test) -> int:
    """Return how soon a test should run among those that are ready: what proves a type first, then what is cheap."""
    match test.expr:
        case Compare(ops=("is" | "is not",), operands=(TypeSource(), _)):
            return 0
        case Compare(ops=("is" | "is not",)):
            return 1
        case Compare(operands=(left, Const() | ConstantSource())) if not isinstance(left, Call):
            return 2
        case Not() | Compare():
            return 3
    return 4


class _Order:
    """Turns tests into steps: a walk down the tree of sources, each followed by the tests that it makes ready."""

    def __init__(self, tests: list[Test]) -> None:
        self.tests = tests
        self.uses: dict[Expr, int] = {}
        self.dependents: dict[Expr, list[Expr]] = {}
        self.unmet: dict[Expr, int] = {}
        self.waiting: dict[Expr, list[int]] = {}
        self.missing: list[int] = []
        self.late: list[int] = []
        self.ready: list[int] = []
        self._collect()

    def steps(self) -> Iterator[Step]:
        yield from self._flush()
        roots = [node for node, count in self.unmet.items() if count == 0]
        stack = sorted(roots, key=lambda node: isinstance(node, GlobalStateSource))[::-1]
        while stack:
            node = stack.pop()
            yield Load(node)
            for number in self.waiting[node]:
                self.missing[number] -= 1
                if self.missing[number] == 0:
                    self.ready.append(number)
            yield from self._flush()
            readable = []
            for dependent in self.dependents[node]:
                self.unmet[dependent] -= 1
                if self.unmet[dependent] == 0:
                    readable.append(dependent)
            stack.extend(reversed(readable))
        for number in self.late:
            yield self.tests[number]

    def _flush(self) -> Iterator[Step]:
        for number in sorted(self.ready, key=lambda n: (_rank(self.tests[n]), n)):
            yield self.tests[number]
        self.ready.clear()

    def _collect(self) -> None:
        found = [_region(test.expr, _is_source) for test in self.tests]
        self.uses = self._count_uses([(test.expr, parts) for test, (parts, _) in zip(self.tests, found, strict=True)])
        for number, (test, (parts, conditional)) in enumerate(zip(self.tests, found, strict=True)):
            loads = self._loads_of(test.expr, parts)
            for node in loads:
                self._add(node)
                self.waiting[node].append(number)
            self.missing.append(len(loads) + (1 if conditional else 0))
            if conditional:
                self.late.append(number)
            elif not loads:
                self.ready.append(number)

    def _count_uses(self, regions: list[tuple[Expr, list[Expr]]]) -> dict[Expr, int]:
        """Return how often each part is an operand, counting what a source reads from once, however many tests use the source."""
        uses: dict[Expr, int] = {}
        sources: set[Expr] = set()
        pending = list(reversed(regions))
        while pending:
            root, parts = pending.pop()
            for part in parts:
                if part is not root and _is_source(part):
                    if part not in sources:
                        sources.add(part)
                        pending.append((part, _region(part, _is_source)[0]))
                    continue
                for child in set(_operands(part)[0]):
                    uses[child] = uses.get(child, 0) + 1
        return uses

    def _loads_of(self, root: Expr, parts: list[Expr]) -> list[Expr]:
        """Return the parts below a root that get a load, operands first."""
        loads: list[Expr] = []
        height: dict[Expr, int] = {}
        for part in parts:
            if part is root:
                continue
            below = 0 if _is_source(part) else max((height.get(child, 0) for child in _operands(part)[0]), default=0)
            height[part] = below + 1
            if isinstance(part, (Const, ConstantSource, TypeSource)):
                continue
            shared = isinstance(part, _SHARED) and self.uses.get(part, 0) > 1
            if part in self.unmet or _is_source(part) or shared or below >= MAX_HEIGHT:
                height[part] = 0
                loads.append(part)
        return loads

    def _add(self, wanted: Expr) -> None:
        """Register a load and what must be loaded before it."""
        pending = [wanted]
        while pending:
            node = pending[-1]
            if node in self.unmet:
                pending.pop()
                continue
            parts, _ = _region(node, lambda part: _is_source(part) or part in self.unmet)
            loads = self._loads_of(node, parts)
            first = [load for load in loads if load not in self.unmet]
            if first:
                pending.extend(reversed(first))
                continue
            pending.pop()
            self.unmet[node] = len(loads)
            self.dependents[node] = []
            self.waiting[node] = []
            for load in loads:
                self.dependents[load].append(node)
