"""The backend that compiles nothing: each check asks the reference interpreter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from guardlang.ast import Expr
from guardlang.codegen.check import Check, Request
from guardlang.frame import Frame
from guardlang.interning import text_of
from guardlang.purity import is_pure
from guardlang.semantics import Evaluation

__all__ = ["build", "evaluator"]


def build(request: Request) -> Check:
    """Return a check that interprets its guards.

    Args:
        request: what to build.

    Example:
        >>> from guardlang.parse import parse
        >>> build(Request((parse("L['n'] == 1"),)))({"n": True})
        True
    """
    holds = evaluator(request.guards)
    check: Any
    if request.signature is None:

        def check(locals: Any, globals: Any = None, /) -> bool:
            return holds(locals, globals)

    else:
        names = request.signature

        def check(*values: Any, globals: Any = None) -> bool:
            if len(values) != len(names):
                raise TypeError(f"check() takes {len(names)} values, not {len(values)}")
            return holds(dict(zip(names, values, strict=True)), globals)

    check.backend = "interp"
    check.source = "".join(f"{text_of(guard)}\n" for guard in request.guards)
    check.report = ()
    return cast("Check", check)


def evaluator(guards: Sequence[Expr]) -> Callable[[Any, Any], bool]:
    """Return a function that tells whether guards hold: the pure ones first, then the others in their order.

    Example:
        >>> from guardlang.parse import parse
        >>> evaluator([parse("L['n'] == 1")])({"n": 2}, None)
        False
    """
    ordered = sorted(guards, key=lambda guard: not is_pure(guard))

    def holds(locals: Any, globals: Any) -> bool:
        look = Evaluation(Frame(locals, globals))
        return all(look.truth(guard) for guard in ordered)

    return holds
