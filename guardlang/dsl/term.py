"""A term: an expression with Python's operators. The operators live in this wrapper, never in the nodes."""

from __future__ import annotations

import builtins
import types
from collections.abc import Callable
from typing import Any, NoReturn, cast
from weakref import WeakKeyDictionary

from guardlang.ast import BinOp, Call, Compare, Expr, TupleDisplay, UnaryOp
from guardlang.errors import GuardlangError, GuardNameError, GuardTypeError
from guardlang.interning import Node, text_of
from guardlang.language import METHODS
from guardlang.sources import (
    AttrSource,
    Const,
    ConstantSource,
    GetItemSource,
    GlobalSource,
    GlobalStateSource,
    LocalSource,
    TensorProperty,
    TensorPropertySource,
)
from guardlang.values import type_name, value_type_of

__all__ = ["G", "L", "S", "Term", "compared", "lift", "named", "wrap"]

_terms: WeakKeyDictionary[Node, Term] = WeakKeyDictionary()


class Term:
    """An expression with Python's operators; `lift` gives the node.

    `==` and `<` build guards, so a term has no truth of its own, and `and`, `or`, `not`, `is`, `in` and chains have functions
    instead: `and_`, `or_`, `not_`, `is_`, `in_`, `chain`.

    Args:
        expr: the node.

    Example:
        >>> L["x"].shape[0] % 8 == 0
        <Term L['x'].shape[0] % 8 == 0>
    """

    __slots__ = ("__weakref__", "_expr")
    _expr: Expr

    def __init__(self, expr: Expr) -> None:
        object.__setattr__(self, "_expr", expr)

    def __getattr__(self, name: str) -> Term:
        return wrap(AttrSource(self._expr, name))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise GuardTypeError("guards are data: an expression cannot be assigned to")

    def __getitem__(self, key: object) -> Term:
        if isinstance(key, slice):
            raise GuardTypeError("guards have no slices", hint="compare the items one by one")
        return wrap(GetItemSource(self._expr, lift(key)))

    def __call__(self, *operands: object) -> Term:
        """Return the call of one of the tensor methods that guards know, such as `x.stride(0)`."""
        method = self._expr
        if not isinstance(method, AttrSource) or method.member not in METHODS:
            raise GuardTypeError(
                f"{text_of(method)} cannot be called", hint="call(x) calls x without operands; guards call nothing by name"
            )
        if len(operands) != METHODS[method.member]:
            raise GuardTypeError(f".{method.member} takes {METHODS[method.member]} operands, not {len(operands)}")
        index = lift(operands[0]) if operands else None
        return wrap(TensorPropertySource(method.base, TensorProperty(method.member), index))

    def __bool__(self) -> NoReturn:
        raise GuardTypeError(
            f"the guard {text_of(self._expr)} has no truth until it is checked",
            hint="use and_, or_, not_, is_, in_ and chain(a, '<', b, '<=', c) instead of and, or, not, is, in and a < b <= c",
        )

    def __iter__(self) -> NoReturn:
        raise GuardTypeError(f"{text_of(self._expr)} cannot be iterated over", hint="name each item: x[0], x[1], ...")

    def __contains__(self, item: object) -> NoReturn:
        raise GuardTypeError("`in` gives Python's answer, not a guard", hint="write in_(k, d)")

    def __len__(self) -> NoReturn:
        raise GuardTypeError("len() gives Python's answer, not a guard", hint="write len_(x)")

    def __hash__(self) -> int:
        return hash(self._expr)

    def __repr__(self) -> str:
        return f"<Term {text_of(self._expr)}>"

    def __str__(self) -> str:
        return text_of(self._expr)

    def __copy__(self) -> Term:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Term:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return wrap, (self._expr,)

    def __eq__(self, other: object) -> Term:  # type: ignore[override]  # a guard, not a bool
        return compared("==", self, other)

    def __ne__(self, other: object) -> Term:  # type: ignore[override]  # a guard, not a bool
        return compared("!=", self, other)

    def __lt__(self, other: object) -> Term:
        return compared("<", self, other)

    def __le__(self, other: object) -> Term:
        return compared("<=", self, other)

    def __gt__(self, other: object) -> Term:
        return compared(">", self, other)

    def __ge__(self, other: object) -> Term:
        return compared(">=", self, other)

    def __add__(self, other: object) -> Term:
        return _binary("+", self, other)

    def __radd__(self, other: object) -> Term:
        return _binary("+", other, self)

    def __sub__(self, other: object) -> Term:
        return _binary("-", self, other)

    def __rsub__(self, other: object) -> Term:
        return _binary("-", other, self)

    def __mul__(self, other: object) -> Term:
        return _binary("*", self, other)

    def __rmul__(self, other: object) -> Term:
        return _binary("*", other, self)

    def __truediv__(self, other: object) -> Term:
        return _binary("/", self, other)

    def __rtruediv__(self, other: object) -> Term:
        return _binary("/", other, self)

    def __floordiv__(self, other: object) -> Term:
        return _binary("//", self, other)

    def __rfloordiv__(self, other: object) -> Term:
        return _binary("//", other, self)

    def __mod__(self, other: object) -> Term:
        return _binary("%", self, other)

    def __rmod__(self, other: object) -> Term:
        return _binary("%", other, self)

    def __pow__(self, other: object) -> Term:
        return _binary("**", self, other)

    def __rpow__(self, other: object) -> Term:
        return _binary("**", other, self)

    def __lshift__(self, other: object) -> Term:
        return _binary("<<", self, other)

    def __rlshift__(self, other: object) -> Term:
        return _binary("<<", other, self)

    def __rshift__(self, other: object) -> Term:
        return _binary(">>", self, other)

    def __rrshift__(self, other: object) -> Term:
        return _binary(">>", other, self)

    def __and__(self, other: object) -> Term:
        return _binary("&", self, other)

    def __rand__(self, other: object) -> Term:
        return _binary("&", other, self)

    def __or__(self, other: object) -> Term:
        return _binary("|", self, other)

    def __ror__(self, other: object) -> Term:
        return _binary("|", other, self)

    def __xor__(self, other: object) -> Term:
        return _binary("^", self, other)

    def __rxor__(self, other: object) -> Term:
        return _binary("^", other, self)

    def __neg__(self) -> Term:
        return wrap(UnaryOp("-", self._expr))

    def __invert__(self) -> Term:
        return wrap(UnaryOp("~", self._expr))

    def __abs__(self) -> Term:
        return wrap(Call("abs", (self._expr,)))


def wrap(expr: Expr) -> Term:
    """Return the one term of a node, so that terms can be dict keys.

    Args:
        expr: the node.

    Example:
        >>> wrap(LocalSource("x")) is L["x"]
        True
    """
    term = _terms.get(expr)
    if term is None:
        term = _terms.setdefault(expr, Term(expr))
    return term


def lift(operand: object) -> Expr:
    """Return the expression of an operand: a term's node, a node itself, or a constant.

    Args:
        operand: a `Term`, a node, a literal, a class, function or module (named by its import path), or a tuple of these.

    Raises:
        GuardTypeError: an object that has no literal and no name of its own.

    Example:
        >>> lift(L["x"]), lift(3), lift(int)
        (<LocalSource L['x']>, <Const 3>, <ConstantSource int>)
    """
    if isinstance(operand, Term):
        return operand._expr  # noqa: SLF001  # every attribute of a term but this one is an expression
    if isinstance(operand, Node):
        return cast("Expr", operand)
    if type(operand) is tuple and any(isinstance(item, (Term, Node)) or _own_name(item) for item in operand):
        return TupleDisplay(tuple(lift(item) for item in operand))
    name = _own_name(operand)
    if name is not None:
        return ConstantSource(name, operand)
    try:
        return Const(operand)
    except GuardTypeError as error:
        raise GuardTypeError(error.message, hint="give it a name: named('NAME', object)") from None


def _own_name(x: object) -> str | None:
    """Return the import path by which an object names itself; None for one that has no name."""
    if x is NotImplemented:
        return "NotImplemented"
    cls = type(x)
    if issubclass(cls, types.ModuleType):
        return cast("str | None", getattr(x, "__name__", None))
    if issubclass(cls, type) or cls in (types.FunctionType, types.BuiltinFunctionType):
        module, name = getattr(x, "__module__", None), getattr(x, "__qualname__", "")
        if module in (None, builtins.__name__):
            return name if getattr(builtins, name, None) is x else None
        return f"{module}.{name}" if "<" not in name else None
    value_type = value_type_of(cls)
    if value_type is not None and value_type.arguments is None and not value_type.like_plain:
        # A singleton of a registered type, such as torch.float32, prints as its import path.
        return str(x)
    return None


def named(name: str, value: object) -> Term:
    """Return a live object under a name of your choice.

    Args:
        name: identifiers joined by dots.
        value: the object; the expression keeps it alive.

    Raises:
        GuardNameError: the name cannot stand in a text.

    Example:
        >>> named("MODEL", object())
        <Term MODEL>
    """
    try:
        return wrap(ConstantSource(name, value))
    except GuardlangError as error:
        raise GuardNameError(error.message, hint=error.hint) from None


class _Root:
    """`L`, `G` or `S`: `L['x']` is the source of a name."""

    def __init__(self, name: str, make: Callable[[str], Expr]) -> None:
        self._name = name
        self._make = make

    def __getitem__(self, key: str) -> Term:
        if not isinstance(key, str):
            raise GuardTypeError(f"{self._name}[...] takes a name, a str, not {type_name(type(key))}")
        return wrap(self._make(str(key)))

    def __repr__(self) -> str:
        return self._name


L = _Root("L", LocalSource)
G = _Root("G", GlobalSource)
S = _Root("S", GlobalStateSource)


def compared(op: str, left: object, right: object) -> Term:
    """Return the comparison of two operands.

    Args:
        op: a comparison operator of the language.
        left: a term, a node or a constant.
        right: the same.

    Example:
        >>> compared("is", L["a"], None)
        <Term L['a'] is None>
    """
    return wrap(Compare((op,), (lift(left), lift(right))))


def _binary(op: str, left: object, right: object) -> Term:
    return wrap(BinOp(op, lift(left), lift(right)))
