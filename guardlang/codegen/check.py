"""What a compiled check is, and what a backend is asked to build."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import attrs

from guardlang.ast import Expr
from guardlang.errors import GuardNameError, GuardTypeError, nearest
from guardlang.sources import LocalSource
from guardlang.walk import postorder

__all__ = ["Check", "Request"]


class Check(Protocol):
    """A compiled set of guards: call it with the locals and, if need be, the globals of a frame.

    A check never raises because of what the frame holds; it raises `GuardTypeError` when it is given no mapping.
    With a signature it takes the values of the locals in that order instead of a mapping.

    Attributes:
        backend: the name of the backend that built it.
        source: the text of what was built.
        report: what was decided while building, a line each.
    """

    backend: str
    source: str
    report: tuple[str, ...]

    def __call__(self, locals: Mapping[str, Any], globals: Mapping[str, Any] | None = None, /) -> bool:
        """Return whether all guards hold."""
        ...


@attrs.frozen(eq=False)
class Request:
    """A check to build.

    Args:
        guards: the conditions, in the order of addition.
        signature: names of locals for a positional check; None for one that takes mappings.
    """

    guards: tuple[Expr, ...]
    signature: tuple[str, ...] | None = None

    def __attrs_post_init__(self) -> None:
        if self.signature is None:
            return
        if len(set(self.signature)) != len(self.signature):
            raise GuardTypeError("the signature names a local twice")
        known = set(self.signature)
        for node in postorder(*self.guards):
            if isinstance(node, LocalSource) and node.name not in known:
                raise GuardNameError(
                    f"the guards read L[{node.name!r:.80}], which the signature does not name",
                    hint=nearest(node.name, known) or "add the name to the signature",
                )
