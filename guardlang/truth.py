"""The three verdicts of a guard, with the reason for one that is undefined."""

from __future__ import annotations

from typing import ClassVar

import attrs

__all__ = ["Truth"]


@attrs.frozen
class Truth:
    """What a guard says about a frame: compared by kind, true only for TRUE.

    Args:
        kind: `TRUE`, `FALSE` or `UNDEFINED`.
        reason: for UNDEFINED, the path that could not be read and why; not compared.

    Example:
        >>> Truth.undefined("L['x'] is not in the frame") == Truth.UNDEFINED
        True
        >>> bool(Truth.TRUE), bool(Truth.UNDEFINED)
        (True, False)
    """

    kind: str
    reason: str | None = attrs.field(default=None, eq=False)

    TRUE: ClassVar[Truth]
    FALSE: ClassVar[Truth]
    UNDEFINED: ClassVar[Truth]

    @staticmethod
    def undefined(reason: str) -> Truth:
        """Return UNDEFINED with a reason."""
        return Truth("UNDEFINED", reason)

    def __bool__(self) -> bool:
        return self.kind == "TRUE"

    def __str__(self) -> str:
        return self.kind if self.reason is None else f"{self.kind}: {self.reason}"


Truth.TRUE = Truth("TRUE")
Truth.FALSE = Truth("FALSE")
Truth.UNDEFINED = Truth("UNDEFINED")
