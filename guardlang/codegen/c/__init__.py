"""Guards as C: one file from a plan, compiled with the user's compiler, loaded and cached."""

from __future__ import annotations

from guardlang.codegen.c.backend import build

__all__ = ["build"]
