"""The Python backend: a plan printed as one straight-line function, built as syntax trees and compiled."""

from __future__ import annotations

import ast
import gc
import hashlib
import linecache
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

from guardlang.ast import Compare, Expr
from guardlang.codegen import pyast as py
from guardlang.codegen.check import Check, Request
from guardlang.codegen.interp import evaluator
from guardlang.codegen.lowering import Lowering, NotLowered
from guardlang.codegen.plan import MAX_HEIGHT, Load, Plan, Test, make_plan
from guardlang.codegen.scope import Scope
from guardlang.frame import plain_mapping
from guardlang.interning import text_of
from guardlang.sources import AttrSource, ConstantSource, TensorPropertySource, TypeSource
from guardlang.values import Undefined, hashable
from guardlang.walk import children

__all__ = ["build"]

# Conditions that nest deeper above the variables are left to the interpreter: Python's compiler would run out of stack.
_MAX_NESTING = 3 * MAX_HEIGHT

# From so many facts on, a look at the class of the tensors costs less than a call for each (about 0.1 us against 0.04 us each).
_MANY_FACTS = 3

# The names that generated code may use besides its variables and cells.
_BUILTINS = (type, len, id, bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset, range, slice)
_NAMESPACE = {builtin.__name__: builtin for builtin in _BUILTINS} | {"Exception": Exception}


def build(request: Request) -> Check:
    """Return a check as a Python function.

    Args:
        request: what to build.

    Returns:
        A function whose text is in `source` and in `linecache`, for tracebacks and debuggers.

    Example:
        >>> from guardlang.parse import parse
        >>> check = build(Request((parse("type(L['n']) is int"), parse("L['n'] == 1"))))
        >>> print(check.source)
        def make(plain_mapping):
        <BLANKLINE>
            def check(L, G=None, /):
                if type(L) is not dict:
                    L = plain_mapping(L, 'locals')
                try:
                    n = L['n']
                    # 0: type(L['n']) is int
                    if type(n) is not int:
                        return False
                    # 1: L['n'] == 1
                    if n != 1:
                        return False
                except Exception:
                    return False
                return True
            return check
        <BLANKLINE>
    """
    with _collection_paused():
        printer = _Printer(request)
        source = printer.source()
    name = f"<guardlang check {hashlib.sha256(source.encode()).hexdigest()[:16]}>"
    namespace: dict[str, Any] = {"__builtins__": _NAMESPACE, "__name__": "guardlang.generated"}
    exec(compile(source, name, "exec"), namespace)  # noqa: S102  # the text was printed from syntax trees of our own
    check = namespace["make"](**printer.cells)
    check.backend = "python"
    check.source = source
    check.report = tuple(printer.report)
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    return cast("Check", check)


@contextmanager
def _collection_paused() -> Iterator[None]:
    """Hold off the garbage collector: syntax trees are many and free themselves, and every full collection walks all of torch.

    Measured with torch imported: a quarter of the time of a build of 1,000 guards.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class _Printer:
    """Prints one plan."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.plan: Plan = make_plan(request.guards)
        self.scope = Scope()
        self.report: list[str] = []
        self._interpreters: dict[tuple[Expr, ...], _Lazy] = {}
        self.parameters: dict[str, str] | None = None
        if request.signature is not None:
            self.parameters = {name: self.scope.fresh(name) for name in request.signature}
        self.lowering = Lowering(self.scope, self.parameters, self._interpret_all, many_facts=self._counts_many_facts())
        self.cells: dict[str, Any] = {}

    def source(self) -> str:
        """Return the text of the module that makes the check, and fill `cells`."""
        groups = [self._load(step) if isinstance(step, Load) else self._test(step) for step in self.plan.steps]
        groups += [self._leave_to_interpreter(number, self.plan.guards[number]) for number in self.plan.impure]
        self.lowering.finish()
        guard_lines = [f"            {line}" for line in _printed(groups)]
        lines = [f"        {line}" for line in self._entry()]
        if guard_lines:
            lines += ["        try:", *guard_lines, "        except Exception:", "            return False"]
        lines.append("        return True")
        self.cells = self.scope.finish()
        header = f"def make({', '.join(self.cells)}):"
        return "\n".join([header, "", f"    {self._signature()}", *lines, "    return check", ""])

    def _counts_many_facts(self) -> bool:
        facts = {
            (step.node.base, step.node.prop if isinstance(step.node, TensorPropertySource) else step.node.member)
            for step in self.plan.steps
            if isinstance(step, Load) and isinstance(step.node, TensorPropertySource | AttrSource)
        }
        return len(facts) >= _MANY_FACTS

    def _signature(self) -> str:
        if self.parameters is None:
            return "def check(L, G=None, /):"
        names = "".join(f"{name}, " for name in self.parameters.values())
        return f"def check({names}{'/, ' if names else ''}*, globals=None):"

    def _entry(self) -> list[str]:
        """Return the lines that make sure of the mappings: what the caller gives, not what the frame holds."""
        mapping = self.scope.cell("plain_mapping", plain_mapping)
        lines = []
        if self.parameters is None:
            lines += ["if type(L) is not dict:", f"    L = {mapping}(L, 'locals')"]
        else:
            lines.append("G = globals")
        if self.lowering.reads_globals:
            lines += ["if type(G) is not dict:", f"    G = {mapping}(G, 'globals')"]
        return lines

    def _load(self, step: Load) -> tuple[str | None, list[ast.stmt]]:
        try:
            value = self.lowering.value(step.node)
        except NotLowered:
            raise AssertionError(f"a load that cannot be printed: {text_of(step.node)}") from None
        variable = value.id if isinstance(value, ast.Name) and step.node not in self.lowering.variables else None
        if variable is not None and self.parameters is not None and variable in self.parameters.values():
            self.lowering.variables[step.node] = variable
            return None, self._taken()
        name = self.scope.variable(step.node)
        statements = [*self._taken(), py.store(name, value)]
        kind = self.lowering.kind(step.node)
        if kind is not None:
            self.lowering.types[step.node] = kind
        self.lowering.variables[step.node] = name
        if isinstance(step.node, TensorPropertySource) and isinstance(value, ast.Call) and step.node.prop.indexed:
            # Read through the adapter, which gives exact ints only.
            self.lowering.types[step.node] = int
        return None, statements

    def _test(self, step: Test) -> tuple[str | None, list[ast.stmt]]:
        text = text_of(step.expr)
        comment = f"{step.guard}: {_one_line(text)}"
        # Every level of nesting takes a character at least.
        if len(text) > _MAX_NESTING and self._height(step.expr) > _MAX_NESTING:
            return self._leave_to_interpreter(step.guard, step.expr)
        try:
            condition = self.lowering.truth(step.expr)
        except NotLowered:
            # What was noted on the way stays, and so do the statements that it rests on.
            before = self._taken()
            note, asked = self._leave_to_interpreter(step.guard, step.expr)
            return note, [*before, *asked]
        statements = [*self._taken(), ast.If(py.negated(condition), [ast.Return(py.constant(False))], [])]
        self._learn(step.expr)
        return comment, statements

    def _taken(self) -> list[ast.stmt]:
        taken = list(self.lowering.before)
        self.lowering.before.clear()
        return taken

    def _learn(self, expr: Expr) -> None:
        """Take note of what a test has proved for everything after it."""
        match expr:
            case Compare(ops=("is",), operands=(TypeSource(base=base), ConstantSource(value=cls))):
                if issubclass(type(cls), type) and _has_plain_hash(cls):
                    self.lowering.types[base] = cls

    def _height(self, expr: Expr) -> int:
        """Return how deeply a condition nests above the variables that it reads."""
        level, height = [expr], 0
        while level and height <= _MAX_NESTING:
            known = self.lowering.variables
            level = list(dict.fromkeys(child for node in level if node not in known for child in children(node)))
            height += 1
        return height

    def _leave_to_interpreter(self, number: int, expr: Expr) -> tuple[str | None, list[ast.stmt]]:
        text = _one_line(text_of(expr))
        self.report.append(f"guard {number} is evaluated by the interpreter: {text}")
        holds = self._interpret(f"guard_{number}", (expr,))
        return f"{number}: {text}", [ast.If(py.negated(holds), [ast.Return(py.constant(False))], [])]

    def _interpret_all(self) -> ast.expr:
        return self._interpret("interpret", self.plan.guards)

    def _interpret(self, hint: str, guards: tuple[Expr, ...]) -> ast.expr:
        """Return the tree that asks the interpreter about guards."""
        function = self._interpreters.setdefault(guards, _Lazy(guards))
        mapping: ast.expr = py.name("L")
        if self.parameters is not None:
            names: list[ast.expr | None] = [py.constant(name) for name in self.parameters]
            mapping = ast.Dict(names, [py.name(variable) for variable in self.parameters.values()])
        return py.call(self.scope.cell(hint, function), mapping, py.name("G"))


def _printed(groups: list[tuple[str | None, list[ast.stmt]]]) -> Iterator[str]:
    """Yield the lines of statements, each group under its comment.

    All are printed at once, which is cheaper than one by one; a number that stands alone holds the place of a comment.
    """
    body: list[ast.stmt] = []
    for number, (comment, statements) in enumerate(groups):
        body += [ast.Expr(py.constant(number))] if comment is not None else []
        body += statements
    for line in ast.unparse(ast.Module(body, [])).split("\n") if body else []:
        yield f"# {groups[int(line)][0]}" if line.isdigit() else line


class _Lazy:
    """The interpreter for some guards, made when it is first asked."""

    def __init__(self, guards: tuple[Expr, ...]) -> None:
        self._guards = guards
        self._holds: Callable[[Any, Any], bool] | None = None

    def __call__(self, locals: Any, globals: Any) -> bool:
        if self._holds is None:
            self._holds = evaluator(self._guards)
        return self._holds(locals, globals)


def _has_plain_hash(cls: type) -> bool:
    """Tell whether a class can be compared and looked up without asking its metaclass."""
    try:
        hashable(cls)
    except Undefined:
        return False
    return True


def _one_line(text: str) -> str:
    return text if len(text) <= 160 else text[:157] + "..."
