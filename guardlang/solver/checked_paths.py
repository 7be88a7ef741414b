"""The checker's paths: what is one object, or one value, by a set of steps between terms."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from guardlang.ast import Compare, Expr
from guardlang.solver.facts import Fact
from guardlang.sources import Const, ConstantSource
from guardlang.walk import children

__all__ = ["joined", "object_of", "same_path", "value_path"]


def object_of(node: Any) -> tuple[Any, Any] | None:
    """Return the live object and the value of a constant, None for any other expression.

    Example:
        >>> object_of(Const(3))
        (3, 3)
    """
    if isinstance(node, Const):
        return node.value, node.value
    if isinstance(node, ConstantSource):
        return node.value, node.content
    return None


def _name(term: Expr) -> Hashable:
    """Return what a term is known by: constants of lasting identity by their object."""
    held = object_of(term)
    if held is None or (isinstance(term, Const) and not (held[0] is None or type(held[0]) is bool)):
        return ("term", id(term))
    return ("object", id(held[0]))


def joined(pairs: Iterable[tuple[Expr, Expr]], left: Expr, right: Expr) -> bool:
    """Tell whether steps between terms lead from one to another.

    Args:
        pairs: the steps.
        left: where to start.
        right: where to arrive.
    """
    neighbours: dict[Hashable, list[Hashable]] = {}
    for one, other in pairs:
        neighbours.setdefault(_name(one), []).append(_name(other))
        neighbours.setdefault(_name(other), []).append(_name(one))
    seen = {_name(left)}
    pending = [_name(left)]
    while pending:
        for reached in neighbours.get(pending.pop(), ()):
            if reached not in seen:
                seen.add(reached)
                pending.append(reached)
    return _name(right) in seen


def same_path(facts: Sequence[Fact], left: Expr, right: Expr) -> bool:
    """Tell whether facts of kind `same` lead from one term to another.

    Args:
        facts: the facts; others are passed over.
        left: a term.
        right: a term.
    """
    return joined([fact.args for fact in facts if fact.kind == "same"], left, right)


def value_path(facts: Sequence[Fact], left: Expr, right: Expr) -> bool:
    """Tell whether equations that hold lead from one term to another.

    Args:
        facts: the facts; others are passed over.
        left: a term.
        right: a term.
    """
    steps = []
    for fact in facts:
        if fact.kind == "equal":
            steps.append(fact.args)
        elif fact.kind in ("true", "false"):
            link = fact.args[0]
            wanted = "==" if fact.kind == "true" else "!="
            if isinstance(link, Compare) and link.ops == (wanted,):
                steps.append(link.operands)
    return joined(steps, left, right)


def same_reading(facts: Sequence[Fact], left: Expr, right: Expr) -> bool:
    """Tell whether two terms read the same of what facts say to be the same objects.

    Args:
        facts: facts of kind `same` among others.
        left: a term.
        right: a term.
    """
    if left is right or same_path(facts, left, right):
        return True
    if type(left) is not type(right):
        return False
    for name in ("member", "prop", "function", "op", "ops"):
        if getattr(left, name, None) != getattr(right, name, None):
            return False
    first, second = children(left), children(right)
    if not first or len(first) != len(second) or isinstance(left, Const | ConstantSource):
        return False
    return all(same_reading(facts, one, other) for one, other in zip(first, second, strict=False))


__all__ += ["same_reading"]
