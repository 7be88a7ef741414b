"""The dispatch keys of a tensor and of the calling thread, by name."""

from __future__ import annotations

from typing import Any

import torch

__all__ = ["excluded_names", "has_python_key", "included_names", "names_in_effect"]

_C: Any = torch._C
_keys_of = _C._dispatch_keys
_included = _C._dispatch_tls_local_include_set
_excluded = _C._dispatch_tls_local_exclude_set


def _bits(name: str) -> int:
    key = getattr(_C.DispatchKey, name, None)
    return 0 if key is None else int(_C.DispatchKeySet(key).raw_repr())


_PYTHON = _bits("Python")
# Kept out: Python dispatch is a matter of the thread's modes and the tensor's class, which have guards of their own.
_PYTHON_KEYS = _PYTHON | _bits("PythonTLSSnapshot") | _bits("PythonDispatcher")


def has_python_key(x: Any) -> bool:
    """Return whether the facts of a tensor may be answered by its class's `__torch_dispatch__`.

    Args:
        x: a tensor.

    Example:
        >>> has_python_key(torch.ones(2))
        False
    """
    return bool(_keys_of(x).raw_repr() & _PYTHON)


def names_in_effect(x: Any) -> frozenset[str]:
    """Return the keys of a tensor with those that the calling thread adds and without those that it takes away.

    Args:
        x: a tensor.

    Example:
        >>> sorted(names_in_effect(torch.ones(2)))
        ['ADInplaceOrView', 'AutogradCPU', 'BackendSelect', 'CPU']
    """
    return _names((_keys_of(x).raw_repr() | _included().raw_repr()) & ~_excluded().raw_repr() & ~_PYTHON_KEYS)


def included_names() -> frozenset[str]:
    """Return the keys that the calling thread adds.

    Example:
        >>> sorted(included_names())
        ['ADInplaceOrView', 'BackendSelect']
    """
    return _names(_included().raw_repr())


def excluded_names() -> frozenset[str]:
    """Return the keys that the calling thread takes away.

    Example:
        >>> "AutocastCPU" in excluded_names()
        True
    """
    return _names(_excluded().raw_repr())


# Bits differ between builds and are never shown; there are only a few sets in one process.
_names_by_bits: dict[int, frozenset[str]] = {}


def _names(bits: int) -> frozenset[str]:
    known = _names_by_bits.get(bits)
    if known is None:
        text = str(_C._dispatch_keyset_to_string(_C.DispatchKeySet.from_raw_repr(bits)))
        inside = text[text.index("(") + 1 : text.rindex(")")]
        known = _names_by_bits[bits] = frozenset(name for name in inside.split(", ") if name)
    return known
