"""Brute force: what small frames say about a claim. The check of last resort, and the first one that was written."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from guardlang.ast import Expr
from guardlang.frame import Frame
from guardlang.semantics import Evaluation
from guardlang.sources import LocalSource
from guardlang.walk import postorder

__all__ = ["SMALL_VALUES", "counterexample", "frames"]

SMALL_VALUES: tuple[Any, ...] = (
    0, 1, 2, 3, -1, -7, 8, True, False, None, 0.0, -0.0, 2.5, 3.0, float("nan"), float("inf"), "a", "b", (), ("a", "b"), [1, 2],
    {"a": 1}, {"a": 1, "b": 2},
)  # fmt: skip


def frames(names: Sequence[str], values: Iterable[Any] = SMALL_VALUES, *, limit: int = 20_000) -> Iterator[Frame]:
    """Yield frames that give locals every combination of some values; the same object under two names is among them.

    Args:
        names: the locals.
        values: what each may be.
        limit: how many frames at the most.

    Example:
        >>> [frame.locals for frame in frames(["n"], [1, 2])]
        [{'n': 1}, {'n': 2}]
    """
    for combination in itertools.islice(itertools.product(tuple(values), repeat=len(names)), limit):
        yield Frame(dict(zip(names, combination, strict=False)))


def counterexample(
    facts: Iterable[Expr], goal: Expr | None, values: Iterable[Any] = SMALL_VALUES, *, limit: int = 20_000
) -> Frame | None:
    """Return a small frame on which all facts are TRUE and the goal is not, None when there is none.

    Args:
        facts: guards on locals.
        goal: a condition; None looks for any frame on which the facts are TRUE.
        values: what each local may be.
        limit: how many frames to try.

    Example:
        >>> from guardlang.parse import parse
        >>> counterexample([parse("L['n'] > 2")], parse("L['n'] >= 3")).locals
        {'n': 2.5}
    """
    facts = tuple(facts)
    roots = facts if goal is None else (*facts, goal)
    names = sorted({node.name for node in postorder(*roots) if isinstance(node, LocalSource)})
    for frame in frames(names, values, limit=limit):
        look = Evaluation(frame)
        if all(look.truth(fact) for fact in facts) and (goal is None or not look.truth(goal)):
            return frame
    return None
