"""z3: asks whether facts and the failure of a goal can be had together.

A context of its own and fresh solvers for each question, fixed seeds, a budget that counts z3's own steps. What a context has
seen before changes z3's models and the steps it takes, so a shared one would make answers depend on what was asked earlier; a new
one costs 2 ms. z3's incremental mode is not used: it leaves out the preprocessing that makes these questions easy.
"""

from __future__ import annotations

import importlib
import operator
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs

from guardlang.ast import Expr
from guardlang.solver.encode import Encoder, known_types
from guardlang.solver.formula import BOOL, FALSE, INT, TRUE, Term, subterms
from guardlang.solver.models import model_values
from guardlang.solver.smt_text import Script, decimal, number_of

__all__ = ["Answer", "Lowering", "available", "new_context", "prove", "satisfiable", "version"]

# Steps of z3 for one question: about a second on one core; every row of the integer truths is decided within.
DEFAULT_RLIMIT = 3_000_000
# Made under a lock: z3 crashes when two threads make their contexts at once.
_making = threading.Lock()
# Deeper formulas would exhaust the stack of z3's own recursion.
_MAX_DEPTH = 5_000


@attrs.frozen
class Answer:
    """What z3 says about a question.

    Args:
        kind: `unsat`, `sat` or `unknown`.
        core: for unsat, positions of facts that are enough for it, in order.
        model: for sat, a candidate: values for sources and other nodes; `ABSENT` for what is undefined. Only a frame that was
            built from it and replayed is a witness.
        reason: for unknown, why.
    """

    kind: str
    core: tuple[int, ...] = ()
    model: Mapping[Expr, object] | None = None
    reason: str = ""


def available() -> bool:
    """Tell whether z3 can be imported."""
    return _z3() is not None


def version() -> str:
    """Return the version of z3, for the keys of cached verdicts; empty without z3."""
    z3 = _z3()
    return "" if z3 is None else str(z3.get_version_string())


def prove(
    facts: Sequence[Expr],
    goal: Expr,
    *,
    types: Mapping[Expr, str | type] = {},
    defined: Collection[Expr] = (),
    rlimit: int = DEFAULT_RLIMIT,
    small_core: bool = True,
) -> Answer:
    """Ask whether there is a frame in which all facts are TRUE and the goal is not.

    Args:
        facts: guards that hold; they also give types where they state them outright.
        goal: the guard in question.
        types: exact types of nodes, for frames in which the facts hold and the node is defined.
        defined: nodes that are defined in all frames in which the facts hold.
        rlimit: budget in steps of z3, for each of the queries that this takes.
        small_core: whether to look for facts that can be left out; otherwise an unsat answer names all.

    Returns:
        `unsat` when there is none: the facts make the goal defined and true. Its core leaves out what `types` rest on.

    Example:
        >>> from guardlang.parse import parse
        >>> facts = [parse(t) for t in ("L['m'] == 1", "type(L['n']) is int", "L['n'] % 12 == 0")]
        >>> prove(facts, parse("L['n'] % 4 == 0"))
        Answer(kind='unsat', core=(1, 2), model=None, reason='')
    """
    return _ask(tuple(facts), goal, types, defined, rlimit, small_core)


def satisfiable(
    facts: Sequence[Expr],
    *,
    types: Mapping[Expr, str | type] = {},
    defined: Collection[Expr] = (),
    rlimit: int = DEFAULT_RLIMIT,
    small_core: bool = True,
) -> Answer:
    """Ask whether there is a frame in which all facts are TRUE.

    Args:
        facts: the guards.
        types: as for `prove`.
        defined: as for `prove`.
        rlimit: as for `prove`.
        small_core: as for `prove`.

    Example:
        >>> from guardlang.parse import parse
        >>> satisfiable([parse("L['x'].shape[0] % 4 == 3"), parse("L['x'].shape[0] % 6 == 2")]).kind
        'unsat'
    """
    return _ask(tuple(facts), None, types, defined, rlimit, small_core)


def _ask(
    facts: tuple[Expr, ...],
    goal: Expr | None,
    types: Mapping[Expr, str | type],
    defined: Collection[Expr],
    rlimit: int,
    small_core: bool,
) -> Answer:
    z3 = _z3()
    if z3 is None:
        return Answer("unknown", reason="z3 is not installed")
    question = _Question(z3, facts, goal, types, defined, rlimit)
    try:
        answer = question.answer()
        if answer.kind == "unsat" and small_core:
            return attrs.evolve(answer, core=question.small_core())
        return answer
    except RecursionError:
        return Answer("unknown", reason="the guards are nested too deeply for z3")
    except z3.Z3Exception as error:
        return Answer("unknown", reason=f"z3 gave up: {_message(error)}")


class _Question:
    """One question with its formulas, asked of a fresh solver each time."""

    def __init__(
        self,
        z3: Any,
        facts: tuple[Expr, ...],
        goal: Expr | None,
        types: Mapping[Expr, str | type],
        defined: Collection[Expr],
        rlimit: int,
    ) -> None:
        self.z3 = z3
        self.facts = facts
        self.goal = goal
        self.types = dict(types)
        self.defined = defined
        self.rlimit = rlimit
        self.context = new_context(z3)

    def answer(self) -> Answer:
        encoder, asserted = self._encode(self.facts)
        if any(term is FALSE for term in asserted):
            return Answer("unsat", core=tuple(range(len(self.facts))))
        if _depth(asserted) > _MAX_DEPTH:
            return Answer("unknown", reason="the guards are nested too deeply for z3")
        solver, lowering = self._solver(asserted)
        kind = str(solver.check())
        if kind == "unsat":
            return Answer("unsat", core=tuple(range(len(self.facts))))
        if kind == "sat":
            return Answer("sat", model=model_values(encoder, lowering.reader(solver.model())))
        return Answer("unknown", reason=_reason(solver.reason_unknown()))

    def small_core(self) -> tuple[int, ...]:
        """Return facts that are enough: z3's own cores are neither ordered nor minimal, so what is not needed is left out."""
        kept = self._tracked_core() or tuple(range(len(self.facts)))
        if len(kept) > _MAX_DELETIONS:
            return kept
        for position in kept:
            rest = tuple(n for n in kept if n != position)
            if self._refutes(rest):
                kept = rest
        return kept

    def _refutes(self, kept: tuple[int, ...]) -> bool:
        """Tell whether some of the facts are enough. Only what these facts themselves say of types is used, beside `types`."""
        _, asserted = self._encode(tuple(self.facts[n] for n in kept))
        return any(term is FALSE for term in asserted) or str(self._solver(asserted)[0].check()) == "unsat"

    def _tracked_core(self) -> tuple[int, ...] | None:
        """Return a core by z3's own tracking, checked again by a plain query; None when it finds none in time."""
        encoder, _ = self._encode((), order=self.facts)
        formulas = [encoder.formula(fact).true for fact in self.facts]
        rest = self._failure(encoder)
        marks = {f"m{n}": n for n in range(len(formulas))}
        script = Script([*encoder.side, *rest, *formulas])
        lines = [*script.declarations, *[f"(declare-const {mark} Bool)" for mark in marks]]
        for term in [*encoder.side, *rest]:
            lines += script.assertion(term)
        for mark, formula in zip(marks, formulas, strict=True):
            lines += script.assertion(formula, mark)
        solver = self._fresh()
        solver.from_string("\n".join(lines))
        if str(solver.check([self.z3.Bool(mark, ctx=self.context) for mark in marks])) != "unsat":
            return None
        core = tuple(sorted(marks[str(mark)] for mark in solver.unsat_core()))
        return core if self._refutes(core) else None

    def _encode(self, facts: tuple[Expr, ...], order: tuple[Expr, ...] = ()) -> tuple[Encoder, list[Term]]:
        guards = (*(order or facts), *(() if self.goal is None else (self.goal,)))
        types = {**known_types(facts), **self.types}
        encoder = Encoder(guards, types=types, defined=self.defined)
        asserted = [encoder.formula(fact).true for fact in facts]
        if not order:
            asserted += self._failure(encoder)
            asserted += encoder.side
        return encoder, [term for term in asserted if term is not TRUE]

    def _failure(self, encoder: Encoder) -> list[Term]:
        return [] if self.goal is None else [encoder.make.negate(encoder.formula(self.goal).true)]

    def _fresh(self) -> Any:
        solver = self.z3.Solver(ctx=self.context)
        solver.set("rlimit", self.rlimit)
        solver.set("random_seed", 0)
        return solver

    def _solver(self, asserted: list[Term]) -> tuple[Any, Lowering]:
        # As text: z3 parses it several times faster than z3py makes the same terms.
        script = Script(asserted)
        lines = list(script.declarations)
        for term in asserted:
            lines += script.assertion(term)
        solver = self._fresh()
        solver.from_string("\n".join(lines))
        return solver, Lowering(self.z3, self.context, script.functions)


# Above this many facts in z3's core, one query for each is too much.
_MAX_DELETIONS = 24


class Lowering:
    """Formulas as z3 terms.

    Args:
        z3: the module.
        context: where the terms live.
        functions: the names of uninterpreted functions in a script that was read in that context.
    """

    def __init__(self, z3: Any, context: Any, functions: Mapping[tuple[str, str], str] = {}) -> None:
        self.z3 = z3
        self.context = context
        self.functions = functions
        self._made: dict[Term, Any] = {}

    def lower(self, root: Term) -> Any:
        """Return the z3 term of a term of ours."""
        for term in subterms(root):
            if term not in self._made:
                self._made[term] = self._step(term, [self._made[arg] for arg in term.args])
        return self._made[root]

    def _step(self, term: Term, args: list[Any]) -> Any:
        z3, context = self.z3, self.context
        match term.op:
            case "const":
                return self._constant(term)
            case "var":
                return z3.Const(str(term.value), self._sort(term.sort))
            case "apply":
                sorts = [self._sort(arg.sort) for arg in term.args]
                name = self.functions.get((str(term.value), term.sort), f"{term.sort} {term.value}")
                return z3.Function(name, *sorts, self._sort(term.sort))(*args)
            case "not":
                return z3.Not(args[0], ctx=context)
            case "and":
                return z3.And(*args)
            case "or":
                return z3.Or(*args)
            case "ite":
                return z3.If(args[0], args[1], args[2], ctx=context)
            case _:
                return self._conversion(term.op, args[0]) if len(args) == 1 else _OPERATIONS[term.op](args[0], args[1])

    def _conversion(self, op: str, arg: Any) -> Any:
        return self.z3.ToReal(arg) if op == "to_real" else self.z3.ToInt(arg)

    def _sort(self, sort: str) -> Any:
        z3 = self.z3
        make = z3.BoolSort if sort == BOOL else z3.IntSort if sort == INT else z3.RealSort
        return make(self.context)

    def _constant(self, term: Term) -> Any:
        if term.sort == BOOL:
            return self.z3.BoolVal(bool(term.value), ctx=self.context)
        number = Fraction(term.value)
        if term.sort == INT:
            return self.z3.IntVal(decimal(number.numerator), ctx=self.context)
        text = f"{decimal(number.numerator)}/{decimal(number.denominator)}"
        return self.z3.RealVal(text, ctx=self.context)

    def reader(self, model: Any) -> Callable[[Term], bool | int | Fraction]:
        """Return a function that gives the value of a term in a model."""

        def read(term: Term) -> bool | int | Fraction:
            value = model.eval(self.lower(term), model_completion=True)
            if term.sort == BOOL:
                return bool(self.z3.is_true(value))
            if term.sort == INT:
                return number_of(value.as_string()) if self.z3.is_int_value(value) else 0
            if not self.z3.is_rational_value(value):
                # An irrational root: a float near it is all that a witness needs.
                value = value.approx(20) if self.z3.is_algebraic_value(value) else self.z3.RealVal(0, ctx=self.context)
            return Fraction(number_of(value.numerator().as_string()), number_of(value.denominator().as_string()))

        return read


_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "<=": operator.le,
    "<": operator.lt,
    "+": operator.add,
    "*": operator.mul,
    "div": operator.truediv,  # z3py's `/` on integers is SMT-LIB's div
    "mod": operator.mod,
}


def _depth(terms: Iterable[Term]) -> int:
    depths: dict[Term, int] = {}
    for term in subterms(*terms):
        depths[term] = 1 + max((depths[arg] for arg in term.args), default=0)
    return max(depths.values(), default=0)


def _z3() -> Any:
    """Return the module z3, or None when it is not there."""
    try:
        return importlib.import_module("z3")
    except ImportError:
        return None


def new_context(z3: Any) -> Any:
    """Return a context that nothing was asked in yet."""
    with _making:
        return z3.Context()


def _reason(text: str) -> str:
    budget = "rlimit" in text or "canceled" in text or "max. resource limit" in text
    return "z3's budget was used up" if budget else f"z3 does not know: {text}"


def _message(error: Exception) -> str:
    argument = error.args[0] if error.args else ""
    return argument.decode("utf-8", "replace") if isinstance(argument, bytes) else str(argument)
