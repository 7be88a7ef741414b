"""Names for the live objects that guards speak of: the import path where there is one, else a name made from the path."""

from __future__ import annotations

import builtins
import keyword
import re
import sys
import types
from typing import Any

from guardlang.ast import Expr
from guardlang.guards import GuardSet
from guardlang.interning import text_of
from guardlang.reading.descriptors import class_dict
from guardlang.sources import ConstantSource
from guardlang.values import type_name, value_type_of

__all__ = ["Names", "import_path"]

_qualname_of = type.__dict__["__qualname__"].__get__
_module_of = type.__dict__["__module__"].__get__
_NO_NAME = re.compile(r"[^A-Za-z0-9_]+")


class Names:
    """The names of the live objects of one set, given on first use and the same in every run.

    Args:
        guards: the set; the objects that it has already keep their names.

    Example:
        >>> names = Names(GuardSet())
        >>> print(names.of(int), names.of([], "L['x']"))
        int the_L_x
    """

    def __init__(self, guards: GuardSet) -> None:
        self._guards = guards
        self._by_id: dict[int, ConstantSource] = {}
        for name, value in guards.objects.items():
            self._by_id.setdefault(id(value), ConstantSource(name, value))

    def of(self, x: Any, hint: Expr | str = "") -> ConstantSource:
        """Return the named object; from then on the set knows it by that name.

        Args:
            x: the object.
            hint: for one without an import path a dotted name, or the path it was found at.
        """
        found = self._by_id.get(id(x))
        if found is None:
            name = import_path(x)
            if name is None:
                given = isinstance(hint, str) and _is_dotted(hint)
                name = str(hint) if given else self._made_up(x, hint if isinstance(hint, str) else text_of(hint))
            found = self._by_id[id(x)] = ConstantSource(self._free(name, x), x)
        elif self._guards.objects.get(found.name, x) is not x:
            found = self._by_id[id(x)] = ConstantSource(self._free(found.name, x), x)
        self._guards.objects[found.name] = x
        return found

    def _made_up(self, x: Any, hint: str) -> str:
        if issubclass(type(x), type):
            own = _NO_NAME.sub("_", type_name(x)).strip("_")
            if own and not keyword.iskeyword(own) and not hasattr(builtins, own) and own not in ("L", "G", "S"):
                return own
        return "the_" + (_NO_NAME.sub("_", hint).strip("_") or _NO_NAME.sub("_", type_name(type(x))))

    def _free(self, name: str, x: Any) -> str:
        taken = self._guards.objects
        if taken.get(name, x) is x:
            return name
        number = 2
        while f"{name}_{number}" in taken:
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
        try:
            module, qualname = _module_of(x), _qualname_of(x)
        except AttributeError:  # made by `type(...)` where no module is running
            return None
    elif cls is types.FunctionType or cls is types.BuiltinFunctionType:
        module, qualname = x.__module__, x.__name__ if cls is types.BuiltinFunctionType else x.__qualname__
    elif x is NotImplemented:
        return "NotImplemented"
    else:
        value_type = value_type_of(cls)
        # A singleton of a registered type, such as torch.float32, prints as its import path.
        singleton = value_type is not None and value_type.arguments is None and not value_type.like_plain
        return str(x) if singleton and not (value_type and value_type.subclasses) else None
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
