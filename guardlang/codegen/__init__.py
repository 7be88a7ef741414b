"""From guards to checks: one plan, several backends."""

from __future__ import annotations

from guardlang.codegen.backends import backend_names, build_check, register_backend
from guardlang.codegen.check import Check, Request
from guardlang.codegen.plan import Load, Plan, Test, make_plan

__all__ = ["Check", "Load", "Plan", "Request", "Test", "backend_names", "build_check", "make_plan", "register_backend"]
