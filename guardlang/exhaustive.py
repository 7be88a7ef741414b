"""The end of a `match` over a closed union: the type checker proves that it is never reached."""

from __future__ import annotations

from typing import NoReturn

__all__ = ["assert_never"]


def assert_never(value: NoReturn) -> NoReturn:
    """Fail: a node class is missing from a `match`.

    Args:
        value: what no case took; the type checker reports the call unless nothing is left.

    Raises:
        AssertionError: always.

    Example:
        >>> assert_never(3)
        Traceback (most recent call last):
        AssertionError: no case for int
    """
    raise AssertionError(f"no case for {type(value).__name__}")
