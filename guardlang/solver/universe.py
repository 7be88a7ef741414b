"""The objects that a query speaks of, as numbers: a number for each class, value and identity that occurs in it.

SMT strings and enumerations behave unlike Python's, so what is no number is known to the formulas by its code only.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

from guardlang.values import Undefined, equal, exact_key, identity_key, is_value, mro_of

__all__ = ["BUILTIN_TYPES", "CLASS_BASE", "NUMBER_TYPES", "Universe"]

# The first four may equal a number; all of the rest are no numbers.
NUMBER_TYPES = (bool, int, float, complex)
BUILTIN_TYPES: tuple[type, ...] = (
    *NUMBER_TYPES,
    str,
    bytes,
    type(None),
    list,
    tuple,
    dict,
    set,
    frozenset,
    range,
    slice,
    type(Ellipsis),
    type(NotImplemented),
    bytearray,
    deque,
)

# The identity of the class with code c is CLASS_BASE + c, so that `type(x)` needs no table.
CLASS_BASE = 1000
_SINGLETONS: tuple[Any, ...] = (None, False, True, Ellipsis, NotImplemented)


class Universe:
    """Numbers the classes, values and objects of one query in the order of the query.

    Args:
        constants: every constant of the query.

    Example:
        >>> universe = Universe(["b", "a", 3])
        >>> universe.value("a") < universe.value("b"), universe.class_code(bool), universe.identity(None)
        (True, 0, 0)
    """

    def __init__(self, constants: Iterable[Any]) -> None:
        self.classes: list[type] = list(BUILTIN_TYPES)
        self._class_codes = {cls: code for code, cls in enumerate(self.classes)}
        self._objects: dict[Any, int] = {}
        self._exact: dict[Any, int] = {}
        self._others: list[Any] = []
        found = list(constants)
        # Codes of strings follow their order, so that `<` on them is `<` on codes.
        texts: list[Any] = sorted({c for c in found if type(c) is str})
        texts += sorted({c for c in found if type(c) is bytes})
        self.texts: dict[Any, int] = {text: code for code, text in enumerate(texts, start=1)}

    def class_code(self, cls: type) -> int:
        """Return the code of a class."""
        code = self._class_codes.setdefault(cls, len(self.classes))
        if code == len(self.classes):
            self.classes.append(cls)
        return code

    def subclasses(self, cls: type) -> list[int]:
        """Return the codes of the known classes that are `cls` or derived from it."""
        self.class_code(cls)
        return [code for code, other in enumerate(self.classes) if cls in mro_of(other)]

    def identity(self, thing: Any) -> int:
        """Return the code of an object that has a lasting identity."""
        for code, singleton in enumerate(_SINGLETONS):
            if thing is singleton:
                return code
        if issubclass(type(thing), type):
            return CLASS_BASE + self.class_code(thing)
        return self._objects.setdefault(identity_key(thing), -1 - len(self._objects))

    def value(self, value: Any) -> int:
        """Return the code of a value that is no number and no class: equal values have equal codes."""
        if type(value) in (str, bytes):
            return self.texts.setdefault(value, len(self.texts) + 1)
        for number, other in enumerate(self._others):
            if equal(other, value):
                return len(self.texts) + 1 + number
        self._others.append(value)
        return len(self.texts) + len(self._others)

    def exact(self, value: Any) -> int | None:
        """Return a code that two values share exactly when `exact` holds between them; None for what is no value."""
        if not is_value(value):
            return None
        try:
            return self._exact.setdefault(exact_key(value), len(self._exact))
        except Undefined:
            return None
