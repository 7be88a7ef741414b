"""Values as text for people: bounded, deterministic, and never through an input's own `__repr__`."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from guardlang.adapters import adapter_for
from guardlang.reading.descriptors import class_dict
from guardlang.render import literal, sorted_literals
from guardlang.values import TypeSet, type_name, value_type_of

__all__ = ["class_path", "show"]

_LONGEST = 120
_MOST_ITEMS = 8
_DEEPEST = 3
_SCALARS = TypeSet(type(None), type(Ellipsis), bool, int, float, complex, str, bytes, range)
_CONTAINERS = TypeSet(tuple, list, dict, set, frozenset, slice)
_FUNCTIONS = TypeSet(types.FunctionType, types.BuiltinFunctionType)
_namespace_of: Callable[[Any], dict[str, Any]] = vars(types.ModuleType)["__dict__"].__get__
_qualname_of = type.__dict__["__qualname__"].__get__


def show(x: Any) -> str:
    """Return a short text of any object.

    Args:
        x: the object.

    Returns:
        The literal of a value; for other objects the type and, where known, a name or a shape.

    Example:
        >>> show({"a": [1, 2.0]}), show(object()), show(int)
        ("{'a': [1, 2.0]}", 'an object of type object', 'int')
    """
    text = _show(x, 0)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _show(x: Any, depth: int) -> str:
    cls = type(x)
    if cls in _SCALARS:
        return _scalar(x)
    if cls in _CONTAINERS:
        return _container(x, cls, depth)
    if issubclass(cls, type):
        return class_path(x)
    if cls is types.ModuleType:
        return f"module {_own(x, '__name__')}"
    if cls in _FUNCTIONS:
        return f"function {cls.__dict__['__qualname__'].__get__(x)}"
    if cls is types.CodeType:
        return f"code of {x.co_name}"
    value_type = value_type_of(cls)
    if value_type is not None:
        return _registered(x, depth)
    return _object(x, cls)


def _scalar(x: Any) -> str:
    if (type(x) is str or type(x) is bytes) and len(x) > _LONGEST:
        return f"{x[:_LONGEST]!r}... ({len(x)} long)"
    if type(x) is int and x.bit_length() > 512:
        return f"an int of {x.bit_length()} bits"
    return literal(x)


def _container(x: Any, cls: type, depth: int) -> str:
    if depth >= _DEEPEST:
        return "..."
    if cls is slice:
        return "slice(" + ", ".join(_show(part, depth + 1) for part in (x.start, x.stop, x.step)) + ")"
    if cls is dict:
        items = [f"{_show(k, depth + 1)}: {_show(v, depth + 1)}" for k, v in list(x.items())[:_MOST_ITEMS]]
    elif cls is tuple or cls is list:
        items = [_show(item, depth + 1) for item in x[:_MOST_ITEMS]]
    elif all(type(item) in _SCALARS for item in x):
        items = sorted_literals(x)[:_MOST_ITEMS]
    else:
        items = sorted(_show(item, depth + 1) for item in x)[:_MOST_ITEMS]
    if len(x) > _MOST_ITEMS:
        items.append(f"... {len(x)} items")
    inner = ", ".join(items)
    if cls is tuple:
        return f"({inner},)" if len(x) == 1 else f"({inner})"
    if cls is list:
        return f"[{inner}]"
    if cls is frozenset:
        return f"frozenset({{{inner}}})" if x else "frozenset()"
    if cls is set and not x:
        return "set()"
    return f"{{{inner}}}"


def _registered(x: Any, depth: int) -> str:
    value_type = value_type_of(type(x))
    if value_type is not None and value_type.name is not None and value_type.arguments is not None:
        return literal(x)
    plain = value_type.value_of(x) if value_type is not None else None
    return plain if type(plain) is str else f"{type_name(type(x))} {_show(plain, depth + 1)}"


def _object(x: Any, cls: type) -> str:
    adapter = adapter_for(cls)
    kind = f"{'an' if type_name(cls)[:1] in 'AEIOUaeiou' else 'a'} {type_name(cls)}"
    if adapter is not None:
        try:
            return f"{kind} of shape {adapter.shape(x)}"
        except Exception:  # noqa: BLE001  # an adapter is anybody's code
            return kind
    if cls is object:
        return "an object of type object"
    return f"an object of type {type_name(cls)}"


def _own(x: Any, name: str) -> str:
    found = _namespace_of(x).get(name)
    return found if type(found) is str else "?"


def class_path(cls: type) -> str:
    """Return the name of a class with its module, without asking its metaclass.

    Example:
        >>> class_path(int), class_path(type(show))
        ('int', 'function')
    """
    name = _qualname_of(cls)
    module = class_dict(cls).get("__module__")
    if type(module) is str and module not in ("builtins", "__main__"):
        return f"{module}.{name}"
    return str(name)
