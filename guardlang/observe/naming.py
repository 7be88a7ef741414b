"""Names for the live objects that guards speak of: the import path where there is one, else a name made from the path in the frame."""

from __future__ import annotations

import builtins
import keyword
import re
import sys
import types
from typing import Any

from guardlang.interning import text_of
from guardlang.ast import Expr
from guardlang.reading.descriptors import class_dict
from guardlang.sources import ConstantSource
from guardlang.values import type_name

__all__ = ["Names", "import_path"]

_qualname_of = type.__dict__["__qualname__"].__get__
_function_module = types.FunctionType.__dict__["__module__"].__get__
_NO_NAME = re.compile(r"[^A-Za-z0-9_]+")


class Names:
    """The names of the live objects of one set, given on first use and the same in every run.

    Args:
        objects: the objects that have a name already.

    Example:
        >>> names = Names({})
        >>> print(names.of(int)), print(names.of([], hint="L['x']"))
        int
        the_L_x
        (None, None)
    """

    def __init__(self, objects: dict[str, Any]) -> None:
        self._by_id: dict[int, ConstantSource] = {}
        self._taken: dict[str, Any] = dict(objects)
        for name, value in objects.items():
            self._by_id.setdefault(id(value), ConstantSource(name, value))

    def of(self, x: Any, hint: Expr | str = "") -> ConstantSource:
        """Return the named object.

        Args:
            x: the object.
            hint: the path it was found at, for one that has no name of its own.
        """
        found = self._by_id.get(id(x))
        if found is None:
            name = import_path(x) or self._made_up(x, hint if type(hint) is str else text_of(hint))  # type: ignore[arg-type]
            if self._taken.get(name, x) is not x:
                name = self._numbered(name)
            found = ConstantSource(name, x)
            self._taken[name] = x
            self._by_id[id(x)] = found
        return found

    def _made_up(self, x: Any, hint: str) -> str:
        if issubclass(type(x), type):
            own = _NO_NAME.sub("_", type_name(x)).strip("_")
            if own and not keyword.iskeyword(own) and not hasattr(builtins, own) and own not in ("L", "G", "S"):
                return own
        return "the_" + (_NO_NAME.sub("_", hint).strip("_") or _NO_NAME.sub("_", type_name(type(x))))

    def _numbered(self, name: str) -> str:
        number = 2
        while f"{name}_{number}" in self._taken:
            number += 1
        return f"{name}_{number}"


def import_path(x: Any) -> str | None:
    """Return the dotted name under which an import finds exactly this object, or None.

    Args:
        x: any object.

    Example:
        >>> import math
        >>> import_path(math.sin), import_path(len), import_path(math), import_path([])
        ('math.sin', 'len', 'math', None)
    """
    cls = type(x)
    if cls is types.ModuleType:
        name = x.__dict__.get("__name__")
        return name if type(name) is str and sys.modules.get(name) is x and _is_dotted(name) else None
    if issubclass(cls, type):
        module, qualname = class_dict(x).get("__module__", "builtins"), _qualname_of(x)
        if cls is not type and type(module) is not str:
            return None
    elif cls is types.FunctionType or cls is types.BuiltinFunctionType:
        module, qualname = x.__module__, x.__name__ if cls is types.BuiltinFunctionType else x.__qualname__
    elif cls is types.CodeType:
        return None
    elif x is Ellipsis or x is NotImplemented:
        return type_name(cls).removesuffix("Type") if x is NotImplemented else "Ellipsis"
    else:
        return None
    if type(module) is not str:
        return None
    path = f"{module}.{qualname}"
    if not _is_dotted(path) or _found(module, qualname) is not x:
        return None
    return qualname if module == "builtins" else path


def _is_dotted(path: str) -> bool:
    return all(part.isidentifier() and part.isascii() and not keyword.iskeyword(part) for part in path.split("."))


def _found(module: str, qualname: str) -> Any:
    """Return what a path names now, through the dicts of modules and classes only; None when there is nothing."""
    found: Any = sys.modules.get(module)
    for part in qualname.split("."):
        if issubclass(type(found), types.ModuleType):
            found = object.__getattribute__(found, "__dict__").get(part)
        elif issubclass(type(found), type):
            found = class_dict(found).get(part)
        else:
            return None
    return found
