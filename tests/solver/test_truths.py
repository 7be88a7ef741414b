"""External truths on integers: nothing wrong is claimed, nearly all of it is proved, and the checker accepts each proof."""

from __future__ import annotations

import ast
import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from guardlang.ast import Expr, Not
from guardlang.parse import parse
from guardlang.solver import tiers
from guardlang.solver.checker import check
from guardlang.solver.context import Context
from guardlang.solver.prover import prove
from guardlang.solver.search import Budget

DATA = Path(__file__).parent.parent / "data" / "integers.jsonl"
PARTS = 8


class _Locals(ast.NodeTransformer):
    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self.names:
            return node
        return ast.Subscript(ast.Name("L", ast.Load()), ast.Constant(node.id), ast.Load())


def _guard(row: dict[str, Any], text: str) -> Expr:
    return parse(ast.unparse(_Locals(set(row["vars"])).visit(ast.parse(text, mode="eval"))))


def _rows(part: int) -> Iterator[tuple[dict[str, Any], list[Expr], Expr]]:
    for line in DATA.read_text(encoding="utf-8").splitlines()[part::PARTS]:
        row = json.loads(line)
        facts = [parse(f"type(L[{name!r}]) is int") for name in row["vars"]]
        facts += [_guard(row, text) for text in row["assume"]]
        yield row, facts, _guard(row, row["query"])


@functools.cache
def _verdicts(part: int) -> list[tuple[str, str]]:
    found = []
    for row, facts, query in _rows(part):
        says = "undecided"
        for verdict, goal in (("valid", query), ("unsat", Not(query))):
            proof = prove(Context(facts), goal, Budget())
            if proof is not None:
                check(facts, goal, proof)
                says = verdict
                break
        found.append((row["truth"], says))
    return found


@pytest.mark.parametrize("part", range(PARTS))
def test_no_claim_of_the_tier_built_in_is_wrong(part: int) -> None:
    wrong = [(truth, says) for truth, says in _verdicts(part) if says not in (truth, "undecided")]
    assert wrong == []


def test_the_tier_built_in_proves_nearly_all() -> None:
    verdicts = [pair for part in range(PARTS) for pair in _verdicts(part) if pair[0] != "contingent"]
    proved = sum(truth == says for truth, says in verdicts)
    assert proved / len(verdicts) >= 0.97


@pytest.mark.parametrize("part", range(PARTS))
def test_z3_proves_what_is_left(part: int) -> None:
    left = []
    for (truth, says), (_, facts, query) in zip(_verdicts(part), _rows(part), strict=True):
        if truth != "contingent" and says == "undecided":
            goal = query if truth == "valid" else Not(query)
            if tiers.Z3().prove(facts, goal, budget=100).kind != "proved":
                left.append(str(query))
    assert left == []
