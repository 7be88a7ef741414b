"""Witnesses: concrete frames in which facts hold and a guard does not: built, repaired, and replayed before they are given."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from guardlang.ast import Call, Expr
from guardlang.frame import Frame
from guardlang.semantics import Evaluation, evaluate
from guardlang.solver.models import ABSENT
from guardlang.solver.repairs import Move, direct_repairs, pool_of, trial_repairs
from guardlang.solver.showing import show_frame
from guardlang.solver.sketch import Decision, Impossible, Sketch, place_of
from guardlang.sources import AttrSource, Const, ConstantSource, GlobalSource, LocalSource, TypeSource
from guardlang.values import Undefined
from guardlang.walk import children, postorder

__all__ = ["DEFAULT_STEPS", "Witness", "build"]

# Guards evaluated in the search for one witness, at the most.
DEFAULT_STEPS = 20_000
# Values tried for one guard, once there is one that repairs it.
_MAX_TRIALS = 100


class Witness(Frame):
    """A frame that refutes a claim: replayed, and printed without running code of what it holds.

    Args:
        locals: what `L['x']` reads.
        globals: what `G['x']` reads.
        kept: objects that only weak references of the frame lead to.

    Example:
        >>> print(Witness({"n": 3, "s": "a"}))
        L = {'n': 3, 's': 'a'}
    """

    __slots__ = ("kept",)
    kept: tuple[Any, ...]

    def __init__(self, locals: Any = None, globals: Any = None, kept: tuple[Any, ...] = ()) -> None:
        super().__init__(locals, globals)
        object.__setattr__(self, "kept", kept)

    def __str__(self) -> str:
        return show_frame(self.locals, self.globals)


def build(
    facts: Sequence[Expr],
    violated: Expr | None = None,
    hints: Mapping[Expr, object] = {},
    *,
    steps: int = DEFAULT_STEPS,
) -> Witness | None:
    """Return a frame in which all facts are TRUE and another guard is not.

    Args:
        facts: guards that must hold.
        violated: the guard that must not hold; None for a frame in which the facts hold.
        hints: values for sources, lengths, types and attributes to start from, such as a solver's model; `ABSENT` for what is
            undefined.
        steps: how many guards may be evaluated in the search.

    Returns:
        A frame that `evaluate` has confirmed, or None when none was found.

    Example:
        >>> from guardlang.parse import parse
        >>> print(build([parse("type(L['n']) is int"), parse("L['n'] > 2")], parse("L['n'] > 4")))
        L = {'n': 3}
    """
    search = _Search(steps)
    locals_: dict[str, Any] = {}
    globals_: dict[str, Any] = {}
    kept: list[Any] = []
    for members in _components(facts, violated):
        goals = [(guard, holds) for guard, holds in members]
        frame = search.frame(goals, hints)
        if frame is None:
            return None
        locals_.update(frame.locals)
        globals_.update(frame.globals)
        kept += frame.kept
    witness = Witness(locals_, globals_, tuple(kept))
    held = all(evaluate(fact, witness.locals, witness.globals) for fact in facts)
    if not held or (violated is not None and evaluate(violated, witness.locals, witness.globals)):
        return None
    return witness


def _components(facts: Sequence[Expr], violated: Expr | None) -> list[list[tuple[Expr, bool]]]:
    """Return the guards in groups that share no input, in the order of their first guards."""
    goals: list[tuple[Expr, bool]] = [(fact, True) for fact in facts]
    if violated is not None:
        goals.append((violated, False))
    leader: dict[Expr, Expr] = {}

    def find(root: Expr) -> Expr:
        while leader[root] is not root:
            leader[root] = leader[leader[root]]
            root = leader[root]
        return root

    owners: list[Expr | None] = []
    for guard, _ in goals:
        roots = [node for node in postorder(guard) if isinstance(node, (LocalSource, GlobalSource))]
        for root in roots:
            leader.setdefault(root, root)
            leader[find(root)] = find(roots[0])
        owners.append(roots[0] if roots else None)
    groups: dict[Expr | None, list[tuple[Expr, bool]]] = {}
    for goal, owner in zip(goals, owners, strict=True):
        groups.setdefault(None if owner is None else find(owner), []).append(goal)
    return list(groups.values())


class _Search:
    """Local search with a budget of steps: the first guard that is wrong is repaired by the move that leaves fewest wrong."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def frame(self, goals: list[tuple[Expr, bool]], hints: Mapping[Expr, object]) -> Witness | None:
        """Return a frame for guards that share inputs, or None."""
        guards = tuple(guard for guard, _ in goals)
        empty = Sketch(guards)
        # Values that nobody asked for may stand in the way, so a start without hints is the second chance.
        for sketch in ([empty.with_decisions(_decisions(empty, hints))] if hints else []) + [empty]:
            found = self._repair(sketch, goals)
            if found is not None:
                return found
        return None

    def _repair(self, sketch: Sketch, goals: list[tuple[Expr, bool]]) -> Witness | None:
        pool = pool_of(sketch.guards)
        seen: set[Hashable] = set()
        limit = self.steps // 2
        spent_from = self.steps
        frame, wrong = self._try(sketch, goals)
        while wrong:
            seen.add(sketch.key)
            best: tuple[Sketch, Frame | None, list[int]] | None = None
            for position in wrong[:3]:
                best = self._best(sketch, goals, position, len(wrong), pool, seen, best)
                if best is not None and len(best[2]) <= len(wrong):
                    break
                if self.steps <= 0 or spent_from - self.steps > limit:
                    break
            spent = self.steps <= 0 or spent_from - self.steps > limit
            if best is None or (spent and best[2]):
                return None
            sketch, frame, wrong = best
        return None if frame is None else Witness(frame.locals, frame.globals, tuple(sketch.made.values()))

    def _best(
        self,
        sketch: Sketch,
        goals: list[tuple[Expr, bool]],
        position: int,
        count: int,
        pool: list[Any],
        seen: set[Hashable],
        best: tuple[Sketch, Frame | None, list[int]] | None,
    ) -> tuple[Sketch, Frame | None, list[int]] | None:
        """Return the first change that leaves fewer guards wrong, else the one that repairs this guard and breaks fewest.

        A change that follows from the form of the guard may leave as many wrong as before: others can be repaired after it.
        """
        guard, holds = goals[position]
        tried = 0
        direct = ((move, True) for move in direct_repairs(guard, holds, self._reader(sketch)))
        for move, follows in itertools.chain(direct, ((move, False) for move in trial_repairs(guard, pool))):
            if self.steps <= 0:
                break
            if not move:
                continue
            other = sketch.with_decisions(move)
            if other.key in seen:
                continue
            frame, wrong = self._try(other, goals)
            if frame is None:
                seen.add(other.key)
                continue
            if len(wrong) < count or (follows and len(wrong) == count and position not in wrong):
                return other, frame, wrong
            if position not in wrong and (best is None or len(wrong) < len(best[2])):
                best = other, frame, wrong
            tried += not follows
            if best is not None and tried > _MAX_TRIALS:
                break
        return best

    def _try(self, sketch: Sketch, goals: list[tuple[Expr, bool]]) -> tuple[Frame | None, list[int]]:
        """Return the frame of a sketch and the guards that are wrong in it."""
        self.steps -= len(goals)
        try:
            frame = sketch.frame()
        except (Impossible, RecursionError):
            return None, list(range(len(goals)))
        look = Evaluation(frame)
        return frame, [n for n, (guard, holds) in enumerate(goals) if bool(look.truth(guard)) is not holds]

    def _reader(self, sketch: Sketch) -> Any:
        def read(expr: Expr, move: Move) -> Any:
            self.steps -= 1
            try:
                frame = (sketch.with_decisions(move) if move else sketch).frame()
            except (Impossible, RecursionError):
                raise Undefined("cannot be built") from None
            return Evaluation(frame).value(expr)

        return read


def _decisions(sketch: Sketch, hints: Mapping[Expr, object]) -> Iterator[Decision]:
    """Yield what hints decide: values of leaves, classes, lengths; nothing about an object that others are read from."""
    present = {node for node in sketch.nodes if hints.get(node) is not ABSENT}
    inner = {children(node)[0] for node in present if place_of(node) and children(node)}
    for node in sketch.nodes:
        if node not in hints:
            continue
        value = hints[node]
        if isinstance(node, TypeSource) and place_of(node.base):
            if issubclass(type(value), type) and (node.base in inner or node.base not in hints):
                yield Decision("class", node.base, value)
        elif isinstance(node, Call) and node.function == "len" and place_of(node.args[0]):
            if type(value) is int and 0 <= value < 1000 and not isinstance(hints.get(node.args[0]), str):
                yield Decision("length", node.args[0], value)
        elif place_of(node) and (node not in inner or value is ABSENT):
            if not isinstance(node, (Const, ConstantSource)):
                yield Decision("value", node, value)
        elif isinstance(node, AttrSource) and place_of(node) and node.member == "ndim":
            yield Decision("value", node, value)
