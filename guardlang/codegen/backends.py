"""The registry of backends."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from guardlang import plugins
from guardlang.codegen.check import Check, Request
from guardlang.errors import UnknownBackend, nearest

__all__ = ["backend_names", "build_check", "register_backend"]

Build = Callable[[Request], Check]

_backends: dict[str, Build] = {}

# The backends that come with guardlang: the module whose `build` it is, imported when it is first asked for.
_SHIPPED: dict[str, str] = {
    "auto": "guardlang.codegen.c.auto",
    "c": "guardlang.codegen.c",
    "interp": "guardlang.codegen.interp",
    "python": "guardlang.codegen.python",
}


def register_backend(name: str, build: Build) -> Build:
    """Add a backend; a second one of the same name replaces the first.

    Args:
        name: what `compile(backend=...)` is given.
        build: makes a check from a request; must agree with `evaluate` on every frame.

    Returns:
        The same function.

    Example:
        >>> from guardlang.codegen.interp import build
        >>> register_backend("reference", build) is build
        True
    """
    _backends[name] = build
    return build


def backend_names() -> list[str]:
    """Return the names of all backends, sorted.

    Example:
        >>> "python" in backend_names()
        True
    """
    plugins.load("guardlang.backends")
    return sorted({*_SHIPPED, *_backends})


def build_check(name: str, request: Request) -> Check:
    """Return the check that a backend builds.

    Args:
        name: the backend.
        request: what to build.

    Raises:
        UnknownBackend: there is none of that name.

    Example:
        >>> from guardlang.parse import parse
        >>> build_check("interp", Request((parse("L['n'] > 1"),)))({"n": 2})
        True
    """
    build = _backends.get(name)
    if build is None and name in _SHIPPED:
        build = register_backend(name, import_module(_SHIPPED[name]).build)
    if build is None:
        known = backend_names()
        build = _backends.get(name)
        if build is None:
            hint = nearest(name, known) or f"there are {', '.join(known)}"
            raise UnknownBackend(f"no backend is called {name!r:.80}", hint=hint)
    return build(request)
