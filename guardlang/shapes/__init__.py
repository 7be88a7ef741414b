"""Symbolic shapes: numbers of an example that stay open while tracing, and the guards that a trace leaves on them."""

from __future__ import annotations

from guardlang.shapes.automatic import AutomaticDynamic, TensorChoice
from guardlang.shapes.constraints import Constraint, DerivedFrom, EqualTo, Free, InRange, MultipleOf
from guardlang.shapes.env import ShapeCheckpoint, ShapeEnv
from guardlang.shapes.errors import ConstraintViolation, ConstraintWarning, StaleSymbol, UndecidedBranch
from guardlang.shapes.obligations import Violation
from guardlang.shapes.policy import DimensionPolicy
from guardlang.shapes.records import Assumption, Symbol
from guardlang.shapes.symbols import Symbolic, SymBool, SymFloat, SymInt
from guardlang.shapes.tensors import TensorSymbols

__all__ = [
    "Assumption",
    "AutomaticDynamic",
    "Constraint",
    "ConstraintViolation",
    "ConstraintWarning",
    "DerivedFrom",
    "DimensionPolicy",
    "EqualTo",
    "Free",
    "InRange",
    "MultipleOf",
    "ShapeCheckpoint",
    "ShapeEnv",
    "StaleSymbol",
    "SymBool",
    "SymFloat",
    "SymInt",
    "Symbol",
    "Symbolic",
    "TensorChoice",
    "TensorSymbols",
    "UndecidedBranch",
    "Violation",
]
