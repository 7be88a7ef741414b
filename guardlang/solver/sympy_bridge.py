"""Sympy: expressions in and out, and exact questions about polynomials. Importing this module does not import sympy."""

from __future__ import annotations

from guardlang.solver.sympy_export import Exported, Exporter, to_sympy
from guardlang.solver.sympy_import import Imported, bounds_from_sympy, from_sympy
from guardlang.solver.sympy_polynomials import Isolated, divide, factor, isolate

__all__ = [
    "Exported",
    "Exporter",
    "Imported",
    "Isolated",
    "bounds_from_sympy",
    "divide",
    "factor",
    "from_sympy",
    "isolate",
    "to_sympy",
]
