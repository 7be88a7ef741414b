"""The solver: what guards imply, what contradicts what, and what may be dropped, each answer with its proof or its frame."""

from __future__ import annotations

from guardlang.solver.implication import disjoint, equivalent, implies, satisfiable
from guardlang.solver.registry import Finding, Solver, UnknownSolver, register_solver
from guardlang.solver.simplify import Drop, Simplified, simplify
from guardlang.solver.verdict import Consistent, Contradiction, Proved, Refuted, Unknown, Verdict

__all__ = [
    "Consistent",
    "Contradiction",
    "Drop",
    "Finding",
    "Proved",
    "Refuted",
    "Simplified",
    "Solver",
    "Unknown",
    "UnknownSolver",
    "Verdict",
    "disjoint",
    "equivalent",
    "implies",
    "register_solver",
    "satisfiable",
    "simplify",
]
