"""From guards to checks: one plan, several backends."""

from __future__ import annotations

from guardlang.codegen.backends import backend_names, build_check, register_backend
from guardlang.codegen.check import Check, Request

__all__ = ["Check", "Request", "backend_names", "build_check", "register_backend"]
