"""Functions that plug-ins add to the language, and source kinds of the same form: `name(a, b)`."""

from __future__ import annotations

import importlib
import keyword
from collections.abc import Callable, Iterable
from typing import Any

import attrs

from guardlang import plugins
from guardlang.errors import GuardNameError
from guardlang.types import ANY, Type
from guardlang.values import Undefined, type_name

__all__ = ["Function", "known_functions", "lookup", "register_function", "register_source", "reserve"]


@attrs.frozen(eq=False)
class Function:
    """A function of the language that a plug-in brings.

    Args:
        name: how it is called in a text; may be dotted.
        evaluate: its meaning: gets the values of the operands, returns a value or raises `Undefined`.
        parameters: the types of its operands.
        optional: how many of the last parameters may be left out.
        variadic: whether the last parameter may be given any number of times.
        result: the type of what it returns.
        pure: whether it never runs code of an input's type, changes nothing and consumes nothing.
        identity: whether it returns an object that was there before, so that `is` makes sense on it.
        lower_python: gives the `ast` of a call from the `ast` of the operands; None calls `evaluate`.
        lower_c: gives the C of a call; None calls `evaluate`.
        lower_z3: gives the z3 term of a call; None leaves the function uninterpreted.
    """

    name: str
    evaluate: Callable[..., Any]
    parameters: tuple[Type, ...] = (ANY,)
    optional: int = 0
    variadic: bool = False
    result: Type = ANY
    pure: bool = True
    identity: bool = False
    lower_python: Callable[..., Any] | None = None
    lower_c: Callable[..., Any] | None = None
    lower_z3: Callable[..., Any] | None = None

    @property
    def least(self) -> int:
        """The fewest operands."""
        return len(self.parameters) - self.optional

    @property
    def most(self) -> int | None:
        """The most operands; None for any number."""
        return None if self.variadic else len(self.parameters)

    def __call__(self, *operands: Any) -> Any:
        """Return what the function gives for some values.

        Args:
            operands: the values of the operands.

        Raises:
            Undefined: it has no value for them, which is also what any other error in `evaluate` means.

        Example:
            >>> half = Function("half", lambda n: n // 2)
            >>> half(7)
            3
        """
        try:
            return self.evaluate(*operands)
        except Undefined:
            raise
        except Exception as error:  # noqa: BLE001  # a plug-in is anybody's code
            raise Undefined(f"has no value: {type_name(type(error))} in {self.name}") from None


_functions: dict[str, Function] = {}
_reserved: set[str] = set()


def reserve(names: Iterable[str]) -> None:
    """Keep names from being registered: the language has them itself.

    Args:
        names: the names.

    Example:
        >>> reserve(["len"])
        >>> register_function("len", lambda x: 0)
        Traceback (most recent call last):
            ...
        guardlang.errors.GuardNameError: 'len' is part of the language
        hint: give the function another name
    """
    _reserved.update(names)


def register_function(
    name: str,
    evaluate: Callable[..., Any],
    *,
    parameters: tuple[Type, ...] = (ANY,),
    optional: int = 0,
    variadic: bool = False,
    result: Type = ANY,
    pure: bool = True,
    identity: bool = False,
    lower_python: Callable[..., Any] | None = None,
    lower_c: Callable[..., Any] | None = None,
    lower_z3: Callable[..., Any] | None = None,
    replace: bool = False,
) -> Function:
    """Add a function to the language.

    Args:
        name: how it is called in a text; may be dotted.
        evaluate: its meaning: gets the values of the operands, returns a value or raises `Undefined`.
        parameters: the types of its operands.
        optional: how many of the last parameters may be left out.
        variadic: whether the last parameter may be given any number of times.
        result: the type of what it returns.
        pure: whether it never runs code of an input's type, changes nothing and consumes nothing.
        identity: whether it returns an object that was there before, so that `is` makes sense on it.
        lower_python: gives the `ast` of a call from the `ast` of the operands; None calls `evaluate`.
        lower_c: gives the C of a call; None calls `evaluate`.
        lower_z3: gives the z3 term of a call; None leaves the function uninterpreted.
        replace: whether a function of that name that is already there is given up.

    Returns:
        The record of the function.

    Raises:
        GuardNameError: the name is no name, is part of the language, or is taken.

    Example:
        >>> gcd = register_function("example_double", lambda n: 2 * n)
        >>> lookup("example_double") is gcd, gcd(4)
        (True, 8)
    """
    function = Function(name, evaluate, parameters, optional, variadic, result, pure, identity, lower_python, lower_c, lower_z3)
    return _register(function, replace=replace)


def register_source(
    name: str,
    read: Callable[..., Any],
    *,
    parameters: tuple[Type, ...] = (ANY,),
    optional: int = 0,
    result: Type = ANY,
    pure: bool = True,
    replace: bool = False,
) -> Function:
    """Add a kind of source to the language: an access path written `name(base, ...)`.

    Args:
        name: how it is written in a text; may be dotted.
        read: gives the object at the path from the base and the other operands, or raises `Undefined`.
        parameters: the types of the base and the other operands.
        optional: how many of the last parameters may be left out.
        result: the type of what is read.
        pure: whether reading never runs code of an input's type, changes nothing and consumes nothing.
        replace: whether what is already there under that name is given up.

    Returns:
        The record of the source kind: a function whose results have identity.

    Raises:
        GuardNameError: the name is no name, is part of the language, or is taken.

    Example:
        >>> register_source("example_inner", lambda x: x.__dict__["inner"]).identity
        True
    """
    function = Function(name, read, parameters, optional, result=result, pure=pure, identity=True)
    return _register(function, replace=replace)


def _register(function: Function, *, replace: bool) -> Function:
    name = function.name
    if not name or not all(part.isidentifier() and not keyword.iskeyword(part) for part in name.split(".")):
        raise GuardNameError(f"{name!r} cannot be the name of a function: it is not made of identifiers")
    if name in _reserved:
        raise GuardNameError(f"{name!r} is part of the language", hint="give the function another name")
    if name in _functions and not replace:
        raise GuardNameError(f"a function {name!r} is registered already", hint="pass replace=True to give it up")
    _functions[name] = function
    return function


def lookup(name: str) -> Function | None:
    """Return the function of a name, or None; looks among the plug-ins when it is not known yet.

    Args:
        name: the name, as written.

    Example:
        >>> lookup("no_such_function") is None
        True
    """
    found = _functions.get(name)
    if found is None and _load_library():
        found = _functions.get(name)
    if found is None and _load_plugins():
        found = _functions.get(name)
    return found


def known_functions() -> tuple[str, ...]:
    """Return the names of all functions that plug-ins and the library have added, sorted.

    Example:
        >>> "contextvar_get" in known_functions()
        True
    """
    _load_library()
    _load_plugins()
    return tuple(sorted(_functions))


# Names of modules, not imported from here otherwise: they are made of what lies above this one.
_shipped = {"guardlang.library"}


def _load_library() -> bool:
    missing = tuple(_shipped)
    for module in missing:
        # Another thread that is at it holds the lock of the import, so this waits for it.
        importlib.import_module(module)
        _shipped.discard(module)
    return bool(missing)


def _load_plugins() -> bool:
    loaded = [plugins.load(group) for group in ("guardlang.functions", "guardlang.sources")]
    return True in loaded
