"""GuardSet: guards by text or operators, with their origins; compiled, explained, compared, saved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

import attrs

from guardlang.ast import Expr
from guardlang.codegen import Check, Request, build_check
from guardlang.dsl import Term, lift
from guardlang.errors import GuardlangError, GuardNameError, GuardRejected, GuardTypeError
from guardlang.explain import Explanation
from guardlang.frame import Frame
from guardlang.guard import Guard
from guardlang.interning import Node, text_of
from guardlang.origin import Origin
from guardlang.parse import parse_condition
from guardlang.purity import is_pure
from guardlang.semantics import Evaluation
from guardlang.sources import ConstantSource, GlobalSource, GlobalStateSource, LocalSource
from guardlang.state import reader_of
from guardlang.typecheck import check_condition
from guardlang.values import type_name
from guardlang.walk import postorder, rewrite

if TYPE_CHECKING:
    from guardlang.report import SimplifyReport
    from guardlang.solver import Consistent, Contradiction, Proved, Refuted, Unknown

__all__ = ["Checkpoint", "GuardSet", "Layer"]

_Verdict = TypeVar("_Verdict")


class Layer(Protocol):
    """What adds guards to a set as a whole, such as one relation between all objects that were observed."""

    def settle(self) -> None:
        """Bring the guards of the layer up to date; called whenever somebody looks at the set."""

    def mark(self) -> Any:
        """Return what `restore` needs to come back to the present state."""

    def restore(self, mark: Any) -> None:
        """Go back to the state of a mark, or to the beginning for None."""


@attrs.frozen(eq=False)
class Checkpoint:
    """A mark of what a set held; `restore` goes back to it."""

    owner: GuardSet
    guards: dict[Expr, Guard]
    objects: dict[str, Any]
    layers: dict[str, Any]


class GuardSet:
    """Guards that must all hold.

    Args:
        objects: live objects by the (dotted) names that texts may use. Builtins are always there. The set keeps them alive.

    Example:
        >>> guards = GuardSet()
        >>> _ = guards.add("type(L['x']) is list")
        >>> _ = guards.add("len(L['x']) == 2", reason="unrolled")
        >>> check = guards.compile()
        >>> check({"x": [1, 2]}), check({"x": (1, 2)})
        (True, False)
    """

    def __init__(self, objects: Mapping[str, Any] | None = None) -> None:
        self.objects: dict[str, Any] = dict(objects or {})
        self._held: dict[Expr, Guard] = {}
        #: What adds guards to the set as a whole, by name.
        self.layers: dict[str, Layer] = {}
        #: What became of each guard of the set that this one was simplified from; None for a set that was not.
        self.report: SimplifyReport | None = None

    def add(self, guard: str | Term | Expr | Guard, *, reason: str | None = None, origin: Origin | str | None = None) -> Guard:
        """Add a guard; one that is there already gains the new origin.

        Args:
            guard: a text, an expression built with operators, a node, or a guard of another set.
            reason: why it is needed, for explanations.
            origin: where it comes from: `here()`, or a text.

        Returns:
            The guard as the set holds it.

        Raises:
            GuardSyntaxError: the text is not in the language.
            GuardNameError: the text uses a name that is not known, or ambient state without a reader.
            GuardTypeError: it can never be defined, or is no condition.
            GuardRejected: it reads nothing and is not true.

        Example:
            >>> guards = GuardSet()
            >>> str(guards.add("L['n']  ==  1", origin="f.py:3"))
            "L['n'] == 1"
        """
        if isinstance(guard, Guard):
            expr, origins = guard.expr, guard.origins
        else:
            expr, origins = self._condition(guard), ()
        names = self._check(expr, guard if isinstance(guard, str) else None)
        extra = _origin(origin, reason)
        if extra is not None:
            origins = (*origins, extra)
        return self.hold(Guard(expr, origins), names)

    def hold(self, guard: Guard, names: Mapping[str, Any]) -> Guard:
        """Add a guard that is known to be right, such as one made by a rule: nothing is checked.

        Args:
            guard: the guard.
            names: the named objects that it uses.

        Returns:
            The guard as the set holds it.

        Example:
            >>> from guardlang.parse import parse
            >>> guards = GuardSet()
            >>> guards.hold(Guard(parse("L['n'] == 1")), {})
            <Guard L['n'] == 1>
        """
        held = self._held.get(guard.expr)
        if held is not None:
            guard = Guard(guard.expr, tuple(dict.fromkeys((*held.origins, *guard.origins))))
        self.objects.update(names)
        self._held[guard.expr] = guard
        return guard

    def holds(self, expr: Expr) -> bool:
        """Tell whether a condition is in the set as it is, without the layers being asked for theirs.

        Args:
            expr: the condition.

        Example:
            >>> from guardlang.parse import parse
            >>> GuardSet().holds(parse("L['n'] == 1"))
            False
        """
        return expr in self._held

    def take_back(self, guard: Guard) -> None:
        """Remove a guard that its layer replaces by another; one that has been added by somebody else as well stays.

        Args:
            guard: what `hold` returned.

        Example:
            >>> from guardlang.parse import parse
            >>> guards = GuardSet()
            >>> guards.take_back(guards.hold(Guard(parse("L['n'] == 1")), {}))
            >>> len(guards)
            0
        """
        if self._held.get(guard.expr) is guard:
            del self._held[guard.expr]

    @property
    def _guards(self) -> dict[Expr, Guard]:
        for layer in self.layers.values():
            layer.settle()
        return self._held

    def _condition(self, guard: object) -> Expr:
        if isinstance(guard, str):
            return parse_condition(guard, self.objects)
        if not isinstance(guard, Term | Node):
            raise GuardTypeError(
                f"a guard is a text or an expression, not {type_name(type(guard))}",
                hint="`is`, `in`, `and`, `or` and `not` give Python's own answer: use is_, in_, and_, or_, not_",
            )
        expr = lift(guard)
        check_condition(expr)
        return expr

    def _check(self, expr: Expr, text: str | None) -> dict[str, Any]:
        """Return the named objects of a guard; refuse unknown state, clashing names and constant falsehoods."""
        names: dict[str, Any] = {}
        reads = False
        for node in postorder(expr):
            if isinstance(node, GlobalStateSource):
                _check_state(node, text)
            reads = reads or isinstance(node, LocalSource | GlobalSource | GlobalStateSource)
            if isinstance(node, ConstantSource):
                if self.objects.get(node.name, node.value) is not node.value:
                    raise GuardNameError(
                        f"the name {node.name} stands for another object in this set", hint="give one of them another name"
                    )
                names[node.name] = node.value
        if not reads and is_pure(expr):
            truth = Evaluation(Frame()).truth(expr)
            if not truth:
                raise GuardRejected(f"{text_of(expr)} reads no input and is never true")
        return names

    def __iter__(self) -> Iterator[Guard]:
        return iter(tuple(self._guards.values()))

    def __len__(self) -> int:
        return len(self._guards)

    def __contains__(self, guard: object) -> bool:
        """Tell whether a guard (or its expression) is in the set."""
        if isinstance(guard, Guard):
            return guard.expr in self._guards
        if isinstance(guard, Term | Node):
            return lift(guard) in self._guards
        return False

    def __str__(self) -> str:
        from guardlang import portable

        return portable.to_text(self)

    def __repr__(self) -> str:
        return f"<GuardSet of {len(self)} guards>"

    @property
    def exprs(self) -> tuple[Expr, ...]:
        """The conditions, in the order of addition."""
        return tuple(self._guards)

    def compile(
        self,
        backend: str = "auto",
        *,
        signature: Sequence[str] | None = None,
        example: Any = None,
    ) -> Check:
        """Return a check: a function that tells whether all guards hold on a frame.

        Args:
            backend: `auto`, `python`, `interp`, or the name of a registered one.
            signature: names of locals; the check then takes their values by position instead of mappings.
            example: the frame the guards were made from, as locals or as a pair of locals and globals: they must hold on it.

        Raises:
            GuardRejected: a guard does not hold on the example.
            UnknownBackend: no backend has that name.

        Example:
            >>> guards = GuardSet()
            >>> _ = guards.add("L['a'] is L['b']")
            >>> x = []
            >>> guards.compile(signature=("a", "b"))(x, x)
            True
        """
        if example is not None:
            self._check_example(example)
        return build_check(backend, Request(self.exprs, tuple(signature) if signature is not None else None))

    def _check_example(self, example: Any) -> None:
        frame = example if type(example) is tuple and len(example) == 2 else (example, None)
        found = self.explain(*frame)
        if found:
            return
        bad = found.failures[0].guard if found.failures else found.not_evaluated[0]
        origin = f" (from {bad.origin})" if bad.origin is not None else ""
        raise GuardRejected(f"the guard {bad} does not hold on the example{origin}\n{found}")

    def explain(
        self, locals: Any, globals: Any = None, *, state: Mapping[str, Any] | None = None, entry: str | None = None
    ) -> Explanation:
        """Return why the guards hold on a frame or do not.

        Args:
            locals: the mapping that `L` reads.
            globals: the mapping that `G` reads.
            state: values for `S`; None reads the current ones.
            entry: a name for what the guards protect.

        Example:
            >>> guards = GuardSet()
            >>> _ = guards.add("L['n'] % 8 == 0")
            >>> print(guards.explain({"n": 12}))
            1 of 1 guard fails
              L['n'] % 8 == 0   got 4   (L['n'] = 12)
        """
        from guardlang.explain.failures import explain

        return explain(tuple(self), Frame(locals, globals, state), entry=entry)

    def checkpoint(self) -> Checkpoint:
        """Return a mark of the present guards, for `restore`.

        Example:
            >>> guards = GuardSet()
            >>> mark = guards.checkpoint()
            >>> _ = guards.add("L['n'] == 1")
            >>> guards.restore(mark)
            >>> len(guards)
            0
        """
        guards = dict(self._guards)
        return Checkpoint(self, guards, dict(self.objects), {name: layer.mark() for name, layer in self.layers.items()})

    def restore(self, mark: Checkpoint) -> None:
        """Go back to a mark: guards and origins added since are gone, removed ones are back.

        Args:
            mark: what `checkpoint` of this set gave.

        Raises:
            GuardTypeError: the mark belongs to another set.
        """
        if mark.owner is not self:
            raise GuardTypeError("the checkpoint belongs to another set")
        self._held = dict(mark.guards)
        self.objects = dict(mark.objects)
        for name, layer in self.layers.items():
            layer.restore(mark.layers.get(name))

    def diff(self, other: GuardSet) -> GuardSet:
        """Return the guards of this set that the other does not have.

        Args:
            other: the set to compare with.

        Example:
            >>> first, second = GuardSet(), GuardSet()
            >>> _ = first.add("L['n'] == 1"), first.add("L['m'] == 2"), second.add("L['n'] == 1")
            >>> print(first.diff(second), end="")
            L['m'] == 2
        """
        return self.filter(lambda guard: guard.expr not in other._guards)

    def filter(self, keep: Callable[[Guard], bool]) -> GuardSet:
        """Return the guards for which a function is true, with their origins.

        Args:
            keep: gets a guard.

        Example:
            >>> guards = GuardSet()
            >>> _ = guards.add("L['n'] == 1"), guards.add("G['m'] == 2")
            >>> print(guards.filter(lambda guard: str(guard).startswith("G")), end="")
            G['m'] == 2
        """
        made = GuardSet(self.objects)
        made._held = {expr: guard for expr, guard in self._guards.items() if keep(guard)}
        return made

    def substitute(self, replacements: Mapping[Any, Any]) -> GuardSet:
        """Return the guards with sources replaced by others, everywhere and all at once.

        Args:
            replacements: terms or nodes to terms, nodes or constants.

        Raises:
            GuardTypeError: a guard can never be defined after the replacement.

        Example:
            >>> from guardlang.dsl import L
            >>> guards = GuardSet()
            >>> _ = guards.add("L['x'].n == L['y']")
            >>> print(guards.substitute({L["x"]: L["y"], L["y"]: L["x"]}), end="")
            L['y'].n == L['x']
        """
        table = {lift(old): lift(new) for old, new in replacements.items()}
        made = GuardSet(self.objects)
        for guard in self:
            changed = _replace(guard.expr, table)
            try:
                check_condition(changed)
                made.add(Guard(changed, guard.origins))
            except GuardlangError as error:
                error.message = f"after the substitution, {guard} becomes {text_of(changed)}: {error.message}"
                raise
        return made

    def simplify(self, solver: str = "builtin", *, budget: int = 100, assume: GuardSet | Iterable[Any] = ()) -> GuardSet:
        """Return the guards that the others do not imply; `report` of the result says why each other one is gone.

        Args:
            solver: `builtin`, `z3`, `sympy`, `all` or a registered one.
            budget: steps, relative to 100; a solver that runs out changes nothing.
            assume: guards that hold anyhow, as a set or as texts and expressions.

        Raises:
            UnknownSolver: no solver has that name.

        Example:
            >>> guards = GuardSet()
            >>> _ = guards.add("exact(L['n'], 4)"), guards.add("L['n'] > 2")
            >>> print(guards.simplify(), end="")
            exact(L['n'], 4)
        """
        from guardlang.report import report_of
        from guardlang.solver import simplify

        facts = assume if isinstance(assume, GuardSet) else self._more(assume)
        found = simplify(self.exprs, solver=solver, budget=budget, assume=facts.exprs)
        kept = set(found.kept)
        made = self.filter(lambda guard: guard.expr in kept)
        made.report = report_of(found, self._guards)
        return made

    def _more(self, guards: Iterable[Any]) -> GuardSet:
        """Return other guards as a set that knows the same names."""
        made = GuardSet(self.objects)
        for guard in guards:
            made.add(guard)
        return made

    def implies(self, other: GuardSet, *, solver: str = "all", budget: int = 100) -> Proved | Refuted | Unknown:
        """Tell whether the other set holds on every frame on which this one does.

        Args:
            other: the set in question.
            solver: `builtin`, `z3`, `sympy`, `all` or a registered one.
            budget: steps, relative to 100.

        Returns:
            Proved with guards of this set that are enough, Refuted with a frame as the witness, or Unknown with the reason.

        Example:
            >>> first, second = GuardSet(), GuardSet()
            >>> _ = first.add("L['x'].shape[0] == 16"), second.add("L['x'].shape[0] % 8 == 0")
            >>> bool(first.implies(second)), bool(second.implies(first))
            (True, False)
        """
        from guardlang.solver import implies

        return self._in_guards(implies(self.exprs, other.exprs, solver=solver, budget=budget), other)

    def disjoint(self, other: GuardSet, *, solver: str = "all", budget: int = 100) -> Proved | Refuted | Unknown:
        """Tell whether no frame satisfies both sets; a refutation has a frame that does.

        Args:
            other: the other set.
            solver: the solver's name.
            budget: steps, relative to 100.

        Example:
            >>> first, second = GuardSet(), GuardSet()
            >>> _ = first.add("L['n'] == 1"), second.add("L['n'] == 2")
            >>> bool(first.disjoint(second))
            True
        """
        from guardlang.solver import disjoint

        return self._in_guards(disjoint(self.exprs, other.exprs, solver=solver, budget=budget), other)

    def equivalent(self, other: GuardSet, *, solver: str = "all", budget: int = 100) -> Proved | Refuted | Unknown:
        """Tell whether two sets hold on the same frames; a refutation has a frame on which they differ.

        Args:
            other: the other set.
            solver: the solver's name.
            budget: steps, relative to 100.

        Example:
            >>> first, second = GuardSet(), GuardSet()
            >>> _ = first.add("L['a'] is L['b']"), second.add("same(L['b'], L['a'])")
            >>> bool(first.equivalent(second))
            True
        """
        from guardlang.solver import equivalent

        return self._in_guards(equivalent(self.exprs, other.exprs, solver=solver, budget=budget), other)

    def satisfiable(self, *, solver: str = "all", budget: int = 100) -> Consistent | Contradiction | Unknown:
        """Tell whether some frame satisfies all guards.

        Args:
            solver: the solver's name.
            budget: steps, relative to 100.

        Returns:
            Consistent with a frame, Contradiction with a core of which no guard can be left out, or Unknown.

        Example:
            >>> guards = GuardSet()
            >>> _ = guards.add("L['n'] == 1", origin="f.py:3"), guards.add("L['m'] == 2"), guards.add("L['n'] > 4")
            >>> print(guards.satisfiable())
            contradiction between
              L['n'] == 1
              L['n'] > 4
        """
        from guardlang.solver import satisfiable

        return self._in_guards(satisfiable(self.exprs, solver=solver, budget=budget), self)

    def witness(self, violating: Any = None, *, solver: str = "all", budget: int = 100) -> Frame | None:
        """Return a frame on which all guards hold but one.

        Args:
            violating: the guard that must not hold: one of the set, or any other; None for a frame on which all hold.
            solver: the solver's name.
            budget: steps, relative to 100.

        Returns:
            A frame on which this has been checked, or None when there is none or none was found.

        Example:
            >>> guards = GuardSet()
            >>> _ = guards.add("type(L['n']) is int"), guards.add("L['n'] > 2")
            >>> frame = guards.witness(violating="L['n'] > 2")
            >>> type(frame.locals["n"]) is int, frame.locals["n"] > 2
            (True, False)
        """
        from guardlang.solver import implies, satisfiable

        if violating is None:
            found: Any = satisfiable(self.exprs, solver=solver, budget=budget)
        else:
            goal = violating.expr if isinstance(violating, Guard) else self._condition(violating)
            others = tuple(expr for expr in self.exprs if expr is not goal)
            found = implies(others, (goal,), solver=solver, budget=budget)
        return getattr(found, "witness", None)

    def _in_guards(self, verdict: _Verdict, other: GuardSet) -> _Verdict:
        """Return a verdict that speaks of guards, with their origins, instead of expressions."""
        known = {**other._guards, **self._guards}
        changes: dict[str, Any] = {}
        core, violated = getattr(verdict, "core", ()), getattr(verdict, "violated", None)
        if core:
            changes["core"] = tuple(known.get(expr) or Guard(expr) for expr in core)
        if violated is not None:
            changes["violated"] = known.get(violated) or Guard(violated)
        evolved: _Verdict = attrs.evolve(cast("Any", verdict), **changes) if changes else verdict
        return evolved

    def to_json(self) -> str:
        """Return the set as JSON text, the same for equal sets everywhere.

        Raises:
            PortabilityError: a named object has no import path and no literal.

        Example:
            >>> guards = GuardSet()
            >>> _ = guards.add("type(L['n']) is int")
            >>> print(GuardSet.from_json(guards.to_json()), end="")
            type(L['n']) is int
        """
        from guardlang import portable

        return portable.to_json(self)

    @classmethod
    def from_json(cls, text: str, objects: Mapping[str, Any] | None = None) -> GuardSet:
        """Return the set that `to_json` wrote. Nothing that the text names is imported.

        Args:
            text: the JSON text.
            objects: the live objects for the names that the guards use.

        Raises:
            FrameFormatError: the text does not have the form.
            GuardNameError: a name is not in `objects`.
        """
        from guardlang import portable

        made = cls(objects)
        portable.read_json(text, made)
        return made


def _origin(origin: Origin | str | None, reason: str | None) -> Origin | None:
    if isinstance(origin, str):
        return Origin(text=origin, reason=reason)
    if origin is None:
        return Origin(reason=reason) if reason is not None else None
    return attrs.evolve(origin, reason=reason) if reason is not None else origin


def _check_state(node: GlobalStateSource, text: str | None) -> None:
    try:
        reader_of(node.name)
    except GuardlangError as error:
        if text is not None and error.source_text is None:
            error.source_text = text
            error.start = max(text.find("S["), 0)
            error.end = text.find("]", error.start) + 1
        raise


def _replace(expr: Expr, table: Mapping[Expr, Expr]) -> Expr:
    """Replace nodes from the top: what a replacement brings in is not replaced again."""
    if not any(node in table for node in postorder(expr)):
        return expr
    marks: dict[Expr, Expr] = {LocalSource(f"\0{number}"): new for number, new in enumerate(table.values())}
    hidden = dict(zip(table, marks, strict=True))
    expr = rewrite(expr, lambda node: hidden.get(node, node))
    return rewrite(expr, lambda node: marks.get(node, node))
