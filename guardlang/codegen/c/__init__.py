"""Guards as C: one file from a plan, compiled with the user's compiler, loaded and cached."""

from __future__ import annotations

from guardlang.codegen.check import Check, Request

__all__ = ["build"]


def build(request: Request) -> Check:
    """Return a check in C.

    Args:
        request: what to build.

    Raises:
        CompilerNotFound: there is no C compiler.
        BuildError: the compiler refused the text.

    Example:
        >>> from guardlang.parse import parse
        >>> build(Request((parse("L['n'] > 1"),)))({"n": 2})
        True
    """
    from guardlang.codegen.c.backend import build as build_now

    return build_now(request)
