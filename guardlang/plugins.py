"""Packages that add to guardlang, found by their entry points, and libraries whose types it learns once they are imported."""

from __future__ import annotations

import importlib
import sys
import threading
import types
import warnings

from guardlang.values import find_types_with

__all__ = ["GROUPS", "PluginWarning", "has_news", "load", "load_present"]

GROUPS = (
    "guardlang.sources",
    "guardlang.functions",
    "guardlang.tensor_adapters",
    "guardlang.value_types",
    "guardlang.state_readers",
    "guardlang.observers",
    "guardlang.solvers",
    "guardlang.backends",
)


class PluginWarning(UserWarning):
    """A plug-in that could not be loaded: guardlang goes on without it."""


# Libraries that guardlang never imports itself, and what teaches it their types once somebody else did.
_absent: dict[str, str] = {"torch": "guardlang.pytorch.tensors", "numpy": "guardlang.numpy_adapter"}
_learning: set[str] = set()
_started: set[str] = set()
_loaded: set[str] = set()
_lock = threading.RLock()


def has_news(group: str) -> bool:
    """Load what a miss calls for: the types of libraries imported since the last call, and the plug-ins of a group.

    Args:
        group: one of `GROUPS`.

    Returns:
        Whether there was anything to load, so that it is worth looking again.

    Example:
        >>> has_news("guardlang.value_types") and has_news("guardlang.value_types")
        False
    """
    # Asked on every miss, so the common answer comes first.
    for library in tuple(_absent):
        if library in sys.modules and load_present():
            return True
    return group not in _loaded and load(group)


def load_present() -> bool:
    """Learn the types of the libraries that have been imported since the last call.

    Returns:
        Whether there was a library to learn.

    Example:
        >>> load_present() and load_present()
        False
    """
    found = [library for library in tuple(_absent) if _is_imported(library)]
    if not found:
        return False
    with _lock:
        for library in found:
            # What is imported here may ask again; other threads wait at the lock.
            if library in _absent and library not in _learning:
                _learning.add(library)
                _import(_absent[library], f"the support of {library}")
                del _absent[library]
        return any(library not in _absent for library in found)


def _is_imported(library: str) -> bool:
    module = sys.modules.get(library)
    return module is not None and not getattr(getattr(module, "__spec__", None), "_initializing", False)


def _import(module: str, what: str) -> None:
    try:
        importlib.import_module(module)
    except Exception as error:  # noqa: BLE001  # a plug-in is anybody's code
        warnings.warn(f"{what} could not be loaded: {type(error).__name__}: {error}", PluginWarning, stacklevel=4)


def load(group: str) -> bool:
    """Load the plug-ins of a group, the first time it is asked for.

    An entry point names a module whose import registers what it brings, or a function without arguments that does so. One that
    fails is left out with a warning that names it.

    Args:
        group: one of `GROUPS`.

    Returns:
        Whether anything was loaded by this call.

    Example:
        >>> load("guardlang.observers") and load("guardlang.observers")
        False
    """
    if group in _loaded:
        return False
    with _lock:
        if group in _started:
            # Finished by another thread in the meantime, or asked by a plug-in that is being loaded.
            return group in _loaded
        _started.add(group)
        from importlib.metadata import entry_points

        points = sorted(entry_points(group=group), key=lambda point: (point.name, point.value))
        for point in points:
            try:
                plugin = point.load()
                if not isinstance(plugin, types.ModuleType):
                    plugin()
            except Exception as error:  # noqa: BLE001  # a plug-in is anybody's code
                text = f"plug-in {point.name!r} ({point.value}) of {group} could not be loaded: {type(error).__name__}: {error}"
                warnings.warn(text, PluginWarning, stacklevel=3)
        _loaded.add(group)
        return bool(points)


find_types_with(lambda: has_news("guardlang.value_types"))
