"""Frames as text, without running code of what they hold."""

from __future__ import annotations

from typing import Any

from guardlang.values import type_name

__all__ = ["show", "show_frame"]

_PLAIN = (type(None), bool, int, float, complex, str, bytes, range, type(Ellipsis))
_MAX_ITEMS = 20
_MAX_DEPTH = 6
_MAX_TEXT = 200


def show_frame(locals_: dict[str, Any], globals_: dict[str, Any]) -> str:
    """Return the mappings of a frame as text; an object that occurs again is named by the place where it was shown first.

    Args:
        locals_: what `L` reads.
        globals_: what `G` reads.

    Example:
        >>> shared = [1]
        >>> print(show_frame({"a": shared, "b": shared}, {}))
        L = {'a': [1], 'b': <the object at L['a']>}
    """
    shown: dict[int, str] = {}
    lines = [f"L = {_mapping('L', locals_, shown)}"]
    if globals_:
        lines.append(f"G = {_mapping('G', globals_, shown)}")
    return "\n".join(lines)


def show(value: Any) -> str:
    """Return an object as text.

    Args:
        value: any object; of user objects only the class and the instance dict are looked at.

    Example:
        >>> show({"k": (1, None)}), show(object())
        ("{'k': (1, None)}", '<object>')
    """
    return _show(value, "it", {}, 0)


def _mapping(root: str, mapping: dict[str, Any], shown: dict[int, str]) -> str:
    parts = [f"{name!r}: {_show(value, f'{root}[{name!r}]', shown, 0)}" for name, value in mapping.items()]
    return "{" + ", ".join(parts) + "}"


def _show(value: Any, path: str, shown: dict[int, str], depth: int) -> str:
    cls = type(value)
    if cls in _PLAIN:
        return _plain(value)
    if issubclass(cls, type):
        return type_name(value)
    if id(value) in shown:
        return f"<the object at {shown[id(value)]}>"
    if depth > _MAX_DEPTH:
        return "..."
    shown[id(value)] = path
    if cls in (list, tuple):
        items = [_show(item, f"{path}[{n}]", shown, depth + 1) for n, item in enumerate(value[:_MAX_ITEMS])]
        items += ["..."] if len(value) > _MAX_ITEMS else []
        text = ", ".join(items)
        return f"[{text}]" if cls is list else f"({text},)" if len(value) == 1 else f"({text})"
    if cls is dict:
        entries = list(value.items())[:_MAX_ITEMS]
        items = [f"{_show(k, 'a key', {}, depth + 1)}: {_show(v, _at(path, k), shown, depth + 1)}" for k, v in entries]
        items += ["..."] if len(value) > _MAX_ITEMS else []
        return "{" + ", ".join(items) + "}"
    if cls in (set, frozenset):
        items = sorted(_show(item, "an item", {}, depth + 1) for item in value)[:_MAX_ITEMS]
        text = "{" + ", ".join(items) + "}" if items else f"{cls.__name__}()"
        return text if cls is set or not items else f"frozenset({text})"
    return _instance(value, cls, path, shown, depth)


def _plain(value: Any) -> str:
    if type(value) is int and value.bit_length() > 1000:
        return f"<int of {value.bit_length()} bits>"
    text = repr(value)
    return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 3] + "..."


def _at(path: str, key: Any) -> str:
    return f"{path}[{_plain(key)}]" if type(key) in _PLAIN else f"{path}[...]"


def _instance(value: Any, cls: type, path: str, shown: dict[int, str], depth: int) -> str:
    try:
        own = object.__getattribute__(value, "__dict__")
    except AttributeError:
        own = {}
    if type(own) is not dict or not own:
        return f"<{type_name(cls)}>"
    items = [f"{name}={_show(item, f'{path}.{name}', shown, depth + 1)}" for name, item in own.items() if type(name) is str]
    return f"<{type_name(cls)} {', '.join(items[:_MAX_ITEMS])}>"
