"""A frame: the mappings that a check is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from guardlang.errors import GuardTypeError
from guardlang.values import mro_of, type_name

__all__ = ["Frame", "plain_mapping"]


def plain_mapping(mapping: Any, which: str) -> dict[str, Any]:
    """Return a mapping given to a check as a dict that can be read without running code.

    Args:
        mapping: a dict, a mapping that can be copied into one, or None for no names.
        which: what it is, for the message.

    Raises:
        GuardTypeError: it is no mapping.

    Example:
        >>> plain_mapping({"x": 1}, "locals")
        {'x': 1}
    """
    if type(mapping) is dict:
        return mapping
    if mapping is None:
        return {}
    if dict in mro_of(type(mapping)):
        return dict.copy(mapping)
    if isinstance(mapping, Mapping):
        return dict(mapping)
    raise GuardTypeError(f"the {which} of a check are a mapping, not {type_name(type(mapping))}")


@attrs.frozen(eq=False, init=False)
class Frame:
    """The locals and globals of one call, and optionally values for ambient state instead of the current ones.

    Args:
        locals: what `L['x']` reads.
        globals: what `G['x']` reads.
        state: what `S['x']` reads; None for the registered readers.

    Example:
        >>> Frame({"x": 1}).locals["x"]
        1
    """

    locals: dict[str, Any]
    globals: dict[str, Any]
    state: Mapping[str, Any] | None

    def __init__(self, locals: Any = None, globals: Any = None, state: Mapping[str, Any] | None = None) -> None:
        self.__attrs_init__(plain_mapping(locals, "locals"), plain_mapping(globals, "globals"), state)
