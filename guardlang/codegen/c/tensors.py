"""What C code can tell about tensors without Python."""

from __future__ import annotations

from guardlang.ast import Expr
from guardlang.sources import Const, ConstantSource, TensorPropertySource

__all__ = ["TensorFacts"]


class TensorFacts:
    """No facts."""

    def flag(self, expr: TensorPropertySource) -> str | None:
        return None

    def is_flag(self, node: Expr) -> bool:
        return False

    def comparison(self, left: Expr, right: Const | ConstantSource) -> tuple[str, Expr, list[int]] | None:
        return None

    def number(self, expr: Expr) -> tuple[str, Expr, int | None] | None:
        return None
