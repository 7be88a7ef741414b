"""Why a set of guards does not hold: which guards fail, with which values, and which could not be evaluated."""

from __future__ import annotations

from guardlang.explain.explanation import Blocked, Explanation, Failure

__all__ = ["Blocked", "Explanation", "Failure"]
