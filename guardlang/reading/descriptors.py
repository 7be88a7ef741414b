"""Which descriptors may be run: what each kind does when it is found on the class of an instance, and on a class itself."""

from __future__ import annotations

import enum
import functools
import io
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import attrs

from guardlang.values import mro_of

__all__ = ["ABSENT", "PLAIN", "Effect", "Rule", "class_dict", "declare_impure", "find_in_mro", "impurity_of", "rule_of"]


class _Absent(enum.Enum):
    ABSENT = enum.auto()


# What a lookup returns when there is nothing: no input can be this object.
ABSENT = _Absent.ABSENT

_class_dict: Callable[[type], types.MappingProxyType[str, Any]] = type.__dict__["__dict__"].__get__


def class_dict(cls: type) -> types.MappingProxyType[str, Any]:
    """Return the own dict of a class without asking its metaclass.

    Example:
        >>> "bit_length" in class_dict(int)
        True
    """
    return cls.__dict__ if type(cls) is type else _class_dict(cls)


def find_in_mro(cls: type, name: str) -> Any:
    """Return the first entry of that name in the dicts of a class and its bases, unbound, or ABSENT.

    Example:
        >>> find_in_mro(bool, "bit_length") is int.__dict__["bit_length"]
        True
    """
    for base in mro_of(cls):
        space = base.__dict__ if type(base) is type else _class_dict(base)
        if name in space:
            return space[name]
    return ABSENT


class Effect(enum.Enum):
    """What Python's attribute lookup would do with a descriptor."""

    ITSELF = enum.auto()  # hand out the descriptor itself
    RUN = enum.auto()  # call code in C that only reads
    FRESH = enum.auto()  # make a bound object, a new one at each read
    CODE = enum.auto()  # run Python code, or code that nothing is known of


@attrs.frozen(eq=False)
class Rule:
    """How objects of one type behave as class attributes.

    Args:
        on_instance: the effect of a read through an instance.
        on_class: the effect of a read through the class.
        data: whether it goes before the instance dict.
        get: the `__get__` to call where the effect is RUN.
    """

    on_instance: Effect
    on_class: Effect
    data: bool
    get: Callable[[Any, Any, Any], Any]


def _never(*_: object) -> Any:
    raise AssertionError("only rules with the effect RUN are called")


PLAIN = Rule(Effect.ITSELF, Effect.ITSELF, False, _never)

_METHODS_BY_KIND = (
    types.FunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    type(functools.lru_cache(maxsize=None)(lambda: None)),
)


class _Shown(NamedTuple):
    field: int


# What a named field is, under a name that is not private.
_TUPLE_GETTER = type(_Shown.__dict__["field"])


def _rules() -> dict[type, tuple[Effect, Effect]]:
    table: dict[type, tuple[Effect, Effect]] = {}
    for kind in (types.GetSetDescriptorType, types.MemberDescriptorType, _TUPLE_GETTER):
        table[kind] = (Effect.RUN, Effect.ITSELF)
    for kind in _METHODS_BY_KIND:
        table[kind] = (Effect.FRESH, Effect.ITSELF)
    for kind in (classmethod, types.ClassMethodDescriptorType):
        table[kind] = (Effect.FRESH, Effect.FRESH)
    for kind in (property, functools.cached_property):
        table[kind] = (Effect.CODE, Effect.ITSELF)
    table[staticmethod] = (Effect.RUN, Effect.RUN)
    table[types.MethodType] = (Effect.ITSELF, Effect.ITSELF)
    return table


def _is_data(kind: type) -> bool:
    return find_in_mro(kind, "__set__") is not ABSENT or find_in_mro(kind, "__delete__") is not ABSENT


# By the `__get__` that a type has or inherits: a class derived from `property` that leaves `__get__` alone is a property.
_by_getter: dict[int, tuple[Effect, Effect]] = {}
# By the id of types that live as long as the interpreter; a class is never hashed, its metaclass could have a say in it.
_by_kind: dict[int, Rule] = {}
for _kind, (_on_instance, _on_class) in _rules().items():
    _getter = find_in_mro(_kind, "__get__")
    if _getter is ABSENT:  # an implementation of Python without this descriptor in C
        continue
    _by_getter[id(_getter)] = (_on_instance, _on_class)
    _by_kind[id(_kind)] = Rule(_on_instance, _on_class, _is_data(_kind), _getter)
for _kind in (bool, int, float, complex, str, bytes, tuple, list, dict, set, frozenset, type(None), type, types.ModuleType):
    _by_kind[id(_kind)] = PLAIN
for _kind in (types.BuiltinFunctionType, types.CodeType, types.MappingProxyType, types.SimpleNamespace):
    _by_kind[id(_kind)] = PLAIN


def rule_of(kind: type) -> Rule:
    """Return how objects of a type behave as class attributes.

    Args:
        kind: the exact type of a class attribute.

    Example:
        >>> rule_of(property).on_instance, rule_of(int) is PLAIN
        (<Effect.CODE: 4>, True)
    """
    known = _by_kind.get(id(kind))
    if known is not None:
        return known
    getter = find_in_mro(kind, "__get__")
    if getter is ABSENT:
        return PLAIN
    on_instance, on_class = _by_getter.get(id(getter), (Effect.CODE, Effect.CODE))
    return Rule(on_instance, on_class, _is_data(kind), getter)


_impure: dict[int, tuple[Any, str]] = {}


def declare_impure(descriptor: Any, cause: str) -> None:
    """Have a descriptor in C never run, because it does more than read.

    Args:
        descriptor: an entry of the dict of a type in C.
        cause: what it does, as the end of the sentence "... cannot be read: ".

    Example:
        >>> declare_impure(types.FrameType.__dict__["f_locals"], "it copies the variables of the frame")
    """
    _impure[id(descriptor)] = (descriptor, cause)


def impurity_of(descriptor: Any) -> str | None:
    """Return why a descriptor is never run, or None.

    Example:
        >>> impurity_of(type.__dict__["__mro__"]) is None
        True
    """
    entry = _impure.get(id(descriptor))
    return None if entry is None else entry[1]


def _declare(kind: type, names: str, cause: str) -> None:
    space = class_dict(kind)
    for name in names.split():
        if name in space:
            declare_impure(space[name], cause)


# The getters in CPython itself that write, run Python code or keep a fresh object: found by reading its sources, 3.10 to 3.14.
_declare(types.FunctionType, "__annotations__", "the dict is made when it is first asked for")
_declare(types.ModuleType, "__annotations__ __annotate__", "the dict is made when it is first asked for")
_declare(type, "__annotations__ __annotate__", "the dict is made when it is first asked for")
_declare(types.FrameType, "f_locals", "it copies the variables of the frame")
for _kind in (property, classmethod, staticmethod):
    _declare(_kind, "__isabstractmethod__", "it asks the function, which may be Python code")
for _kind in (types.GenericAlias, types.UnionType):
    _declare(_kind, "__parameters__", "it asks the arguments, which may be Python code")
for _kind in (
    types.MethodType,
    types.BuiltinFunctionType,
    types.MethodWrapperType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
):
    _declare(_kind, "__qualname__", "it asks the metaclass, which may be Python code")
_declare(types.MethodType, "__doc__", "it asks the function, which may be Python code")
_declare(mro_of(io.IOBase)[1], "closed", "it asks the stream, which may be Python code")
for _kind in (io.TextIOWrapper, io.BufferedReader, io.BufferedWriter, io.BufferedRandom):
    _declare(_kind, "closed name mode newlines", "it asks the stream, which may be Python code")
