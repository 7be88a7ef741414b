"""A plan as a tree: what is read from where, so that equal parts of it become one C function.

A region is a source with everything that is read from it. Its code speaks of slots, cells and kept values relative to itself;
they get numbers only when a region is placed in a function. So regions of the same form have the same code, whatever they are
called and whatever they are compared with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import attrs

from guardlang.ast import Expr
from guardlang.codegen.plan import Load, Plan, Test
from guardlang.walk import children

__all__ = ["Cell", "Code", "Note", "Region", "Tree", "make_tree"]


@attrs.frozen
class Cell:
    """A constant of the C code.

    Args:
        letter: `o` an object, `i` an int in a machine word, `d` a float, `a` the name of an attribute.
        content: the object, or what the number or the access is made from.
    """

    letter: str
    content: Any


@attrs.frozen(eq=False)
class Note:
    """A comment; its text is made when somebody reads the code.

    Args:
        expr: what the statements below do, in the language of guards.
        number: the position of the guard in the set; None for a source.
    """

    expr: Expr
    number: int | None = None


@attrs.define(eq=False)
class Code:
    """Statements of a region.

    Args:
        comment: what they do.
        lines: C with marks: `$v3` a slot, `$k3` a cell, `$t3` a tensor, `$e3` a kept value, each the region's own; `$p` the
            value of the parent and `$f3` a kept value counted as the parent does.
    """

    comment: Note | None
    lines: list[str]


@attrs.define(eq=False)
class Region:
    """A source, what is tested about it, and the regions of what is read from it.

    Args:
        node: the source; None for the whole check.
        parent: the region that it is read from.
        from_parent_only: whether it is read from the value of the parent and nothing else.
        steps: tests and regions, in order.
        kept: whether its value is needed outside.
    """

    node: Expr | None
    parent: Region | None
    from_parent_only: bool = True
    steps: list[Test | Region] = attrs.Factory(list)
    kept: bool = False
    depth: int = 0

    # Filled in by the printer.
    load: Code | None = None
    codes: list[Code | Region] = attrs.Factory(list)
    cells: list[Cell] = attrs.Factory(list)
    slots: int = 0
    tensors: int = 0
    all_cells: int = 0
    all_kept: int = 0
    kept_at: int = 0

    def children(self) -> Iterator[Region]:
        """Yield the regions directly inside, in order."""
        return (step for step in self.steps if isinstance(step, Region))


@attrs.frozen(eq=False)
class Tree:
    """All regions of a plan.

    Args:
        root: the whole check.
        regions: every region, each after its parent.
        by_node: the region of each source that is read once for all.
        outside: tests that no region can hold, by guard number.
    """

    root: Region
    regions: list[Region]
    by_node: dict[Expr, Region]

    def operands(self, expr: Expr) -> list[Region]:
        """Return the regions whose values an expression is computed from.

        Args:
            expr: an expression; a source that has a region stands for itself.
        """
        found: dict[Expr, Region] = {}
        seen: set[Expr] = set()
        pending = [expr]
        while pending:
            node = pending.pop()
            if node in seen:
                continue
            seen.add(node)
            region = self.by_node.get(node)
            if region is not None:
                found[node] = region
            else:
                pending.extend(children(node))
        return list(found.values())


def make_tree(plan: Plan, is_fact: Any) -> Tree:
    """Return the tree of a plan.

    Args:
        plan: the plan.
        is_fact: tells for a node whether it is computed wherever it is needed and not read once for all.
    """
    root = Region(None, None)
    tree = Tree(root, [root], {})
    for step in plan.steps:
        if isinstance(step, Load):
            if is_fact(step.node):
                continue
            below = _distinct(region for child in children(step.node) for region in tree.operands(child))
            parent = _common(below) or root
            _keep(below, parent)
            region = Region(step.node, parent, all(one is parent for one in below), depth=parent.depth + 1)
            parent.steps.append(region)
            tree.by_node[step.node] = region
            tree.regions.append(region)
        else:
            below = _distinct(tree.operands(step.expr))
            home = _common(below) or root
            _keep(below, home)
            home.steps.append(step)
    _place_kept(tree)
    return tree


def _distinct(regions: Iterable[Region]) -> list[Region]:
    return list({id(region): region for region in regions}.values())


def _common(regions: list[Region]) -> Region | None:
    """Return the innermost region that holds all of them."""
    if not regions:
        return None
    first, *rest = regions
    for region in rest:
        second = region
        while first is not second:
            if first.depth >= second.depth:
                assert first.parent is not None
                first = first.parent
            else:
                assert second.parent is not None
                second = second.parent
    return first


def _keep(regions: list[Region], home: Region) -> None:
    for region in regions:
        if region is not home:
            region.kept = True


def _place_kept(tree: Tree) -> None:
    for region in reversed(tree.regions):
        region.all_kept = int(region.kept) + sum(child.all_kept for child in region.children())
    for region in tree.regions:
        place = region.kept_at + int(region.kept)
        for child in region.children():
            child.kept_at = place
            place += child.all_kept
