"""How a dimension, a stride or a scalar of an example is treated: as a constant, or as a symbol of some kind."""

from __future__ import annotations

import enum

__all__ = ["DimensionPolicy"]


class DimensionPolicy(enum.Enum):
    """What becomes of one number of an example.

    `STATIC` pins it to its value. `DYNAMIC` makes it a symbol. `DUCK` makes it a symbol that is taken to equal the first duck
    symbol of its kind with the same hint: an assumption that can be listed and lifted; offsets and addresses are never ducked.
    `UNBACKED` makes it a symbol without a hint. `INFER_STRIDE` computes a stride from sizes and other strides where the example
    allows it, and makes it a symbol elsewhere. `AUTOMATIC` asks the recorded history whether the number has varied.

    Example:
        >>> [policy.name for policy in DimensionPolicy]
        ['STATIC', 'DYNAMIC', 'DUCK', 'UNBACKED', 'INFER_STRIDE', 'AUTOMATIC']
    """

    STATIC = "static"
    DYNAMIC = "dynamic"
    DUCK = "duck"
    UNBACKED = "unbacked"
    INFER_STRIDE = "infer stride"
    AUTOMATIC = "automatic"
