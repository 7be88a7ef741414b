"""A compiled check beside the explanation: both must say the same."""

from __future__ import annotations

from guardlang.cli.inputs import Inputs
from guardlang.errors import GuardlangError
from guardlang.explain import Explanation
from guardlang.sources import GlobalStateSource
from guardlang.walk import postorder

__all__ = ["verdict_of"]


def verdict_of(backend: str, inputs: Inputs, explanation: Explanation) -> bool:
    """Return what a compiled check says of a frame.

    Args:
        backend: which backend compiles it.
        inputs: the guards and the frame.
        explanation: what the reference interpreter says.

    Raises:
        UnknownBackend: there is none of that name.
        GuardlangError: the frame brings its own state, which compiled checks do not read; or the two do not agree.
    """
    check = inputs.guards.compile(backend)
    reads_state = any(isinstance(node, GlobalStateSource) for node in postorder(*inputs.guards.exprs))
    if inputs.frame.state is not None and reads_state:
        raise GuardlangError(
            "the guards read the state of the frame, and a compiled check reads that of this process",
            hint="leave out --backend",
        )
    holds = check(inputs.frame.locals, inputs.frame.globals)
    if holds is not bool(explanation):
        raise GuardlangError(
            f"the backend {check.backend} says that the guards {'hold' if holds else 'do not hold'}, which is wrong",
            hint="this is a bug in the backend: please report it with the guards and the frame",
        )
    return holds
