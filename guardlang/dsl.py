"""Expressions built with Python's operators: `L['x'].shape[0] % 8 == 0`. The operators live in a wrapper, never in the nodes."""

from __future__ import annotations

import builtins
import types
from collections.abc import Callable
from typing import Any, NoReturn, cast
from weakref import WeakKeyDictionary

from guardlang.ast import BinOp, BoolOp, Call, Compare, Expr, IfExp, Not, TupleDisplay, UnaryOp
from guardlang.errors import GuardlangError, GuardNameError, GuardTypeError
from guardlang.functions import lookup
from guardlang.interning import Node, text_of
from guardlang.language import FUNCTIONS, METHODS
from guardlang.sources import (
    AttrSource,
    CallFunctionNoArgsSource,
    Const,
    ConstantSource,
    DynamicAttrSource,
    DynamicGetItemSource,
    GetItemSource,
    GlobalSource,
    GlobalStateSource,
    LocalSource,
    TensorProperty,
    TensorPropertySource,
    TupleIteratorGetItemSource,
    TypeSource,
    WeakRefCallSource,
)
from guardlang.values import type_name, value_type_of

__all__ = [
    "G",
    "L",
    "S",
    "Term",
    "abs_",
    "and_",
    "apply",
    "attr",
    "bool_",
    "call",
    "ceil",
    "chain",
    "deref",
    "dispatch_keys",
    "distinct",
    "exact",
    "float_",
    "floor",
    "getattr_",
    "getitem",
    "has_attr",
    "if_",
    "in_",
    "int_",
    "is_",
    "is_instance",
    "is_not",
    "isnan",
    "keys",
    "len_",
    "lift",
    "max_",
    "min_",
    "named",
    "not_",
    "not_in",
    "opaque",
    "or_",
    "overlapping",
    "peek",
    "remaining",
    "round_",
    "same",
    "set_",
    "sqrt",
    "str_",
    "trunc",
    "tuple_",
    "type_",
    "values",
]

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
        return _wrap(AttrSource(self._expr, name))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise GuardTypeError("guards are data: an expression cannot be assigned to")

    def __getitem__(self, key: object) -> Term:
        if isinstance(key, slice):
            raise GuardTypeError("guards have no slices", hint="compare the items one by one")
        return _wrap(GetItemSource(self._expr, lift(key)))

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
        return _wrap(TensorPropertySource(method.base, TensorProperty(method.member), index))

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
        return _wrap, (self._expr,)

    def __eq__(self, other: object) -> Term:  # type: ignore[override]  # a guard, not a bool
        return _compare("==", self, other)

    def __ne__(self, other: object) -> Term:  # type: ignore[override]  # a guard, not a bool
        return _compare("!=", self, other)

    def __lt__(self, other: object) -> Term:
        return _compare("<", self, other)

    def __le__(self, other: object) -> Term:
        return _compare("<=", self, other)

    def __gt__(self, other: object) -> Term:
        return _compare(">", self, other)

    def __ge__(self, other: object) -> Term:
        return _compare(">=", self, other)

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
        return _wrap(UnaryOp("-", self._expr))

    def __invert__(self) -> Term:
        return _wrap(UnaryOp("~", self._expr))

    def __abs__(self) -> Term:
        return _call("abs", self)


def _wrap(expr: Expr) -> Term:
    """Return the one term of a node, so that terms can be dict keys."""
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
        >>> is_(L["model"], named("MODEL", object()))
        <Term L['model'] is MODEL>
    """
    try:
        return _wrap(ConstantSource(name, value))
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
        return _wrap(self._make(str(key)))

    def __repr__(self) -> str:
        return self._name


L = _Root("L", LocalSource)
G = _Root("G", GlobalSource)
S = _Root("S", GlobalStateSource)


def _compare(op: str, left: object, right: object) -> Term:
    return _wrap(Compare((op,), (lift(left), lift(right))))


def _binary(op: str, left: object, right: object) -> Term:
    return _wrap(BinOp(op, lift(left), lift(right)))


def _call(name: str, *operands: object) -> Term:
    return _wrap(Call(name, tuple(lift(operand) for operand in operands)))


def is_(a: object, b: object) -> Term:
    """Return the guard `a is b`.

    Example:
        >>> is_(L["a"], L["b"])
        <Term L['a'] is L['b']>
    """
    return _compare("is", a, b)


def is_not(a: object, b: object) -> Term:
    """Return the guard `a is not b`.

    Example:
        >>> is_not(L["a"], None)
        <Term L['a'] is not None>
    """
    return _compare("is not", a, b)


def in_(k: object, container: object) -> Term:
    """Return the guard `k in container`.

    Example:
        >>> in_("k", L["d"])
        <Term 'k' in L['d']>
    """
    return _compare("in", k, container)


def not_in(k: object, container: object) -> Term:
    """Return the guard `k not in container`.

    Example:
        >>> not_in("k", L["d"])
        <Term 'k' not in L['d']>
    """
    return _compare("not in", k, container)


def chain(first: object, *rest: object) -> Term:
    """Return a chained comparison.

    Args:
        first: the first operand.
        rest: an operator as a string and an operand, again and again.

    Example:
        >>> chain(2, "<=", L["n"], "<", L["m"])
        <Term 2 <= L['n'] < L['m']>
    """
    ops, operands = rest[0::2], rest[1::2]
    if not ops or len(ops) != len(operands):
        raise GuardTypeError("chain takes an operand and then pairs of an operator and an operand")
    for op in ops:
        if op not in ("<", "<=", ">", ">=", "==", "!=", "is", "is not", "in", "not in"):
            raise GuardTypeError("chain: each second argument is a comparison operator as a string, such as '<='")
    return _wrap(Compare(tuple(map(str, ops)), tuple(lift(operand) for operand in (first, *operands))))


def and_(*conditions: object) -> Term:
    """Return `a and b and ...`.

    Example:
        >>> and_(L["n"] > 1, L["n"] < 5)
        <Term L['n'] > 1 and L['n'] < 5>
    """
    return _bool("and", conditions)


def or_(*conditions: object) -> Term:
    """Return `a or b or ...`.

    Example:
        >>> or_(is_(L["x"], None), L["x"].n > 3)
        <Term L['x'] is None or L['x'].n > 3>
    """
    return _bool("or", conditions)


def _bool(op: str, conditions: tuple[object, ...]) -> Term:
    if len(conditions) < 2:
        raise GuardTypeError(f"{op}_ takes two conditions or more, not {len(conditions)}")
    return _wrap(BoolOp(op, tuple(lift(condition) for condition in conditions)))


def not_(condition: object) -> Term:
    """Return `not condition`.

    Example:
        >>> not_(L["n"] == 1)
        <Term not L['n'] == 1>
    """
    return _wrap(Not(lift(condition)))


def if_(test: object, body: object, orelse: object) -> Term:
    """Return `body if test else orelse`.

    Example:
        >>> if_(L["n"] > 1, L["a"], L["b"]) == 3
        <Term (L['a'] if L['n'] > 1 else L['b']) == 3>
    """
    return _wrap(IfExp(lift(test), lift(body), lift(orelse)))


def type_(x: object) -> Term:
    """Return `type(x)`, the exact class.

    Example:
        >>> is_(type_(L["x"]), int)
        <Term type(L['x']) is int>
    """
    return _wrap(TypeSource(lift(x)))


def attr(x: object, name: str) -> Term:
    """Return `x.name` for any name, also one that `Term` itself has.

    Example:
        >>> attr(L["x"], "__class__")
        <Term L['x'].__class__>
    """
    return _wrap(AttrSource(lift(x), name))


def has_attr(x: object, name: str) -> Term:
    """Return the guard `hasattr(x, name)`: the pure read of the attribute is defined.

    Example:
        >>> has_attr(L["x"], "w")
        <Term hasattr(L['x'], 'w')>
    """
    return _call("hasattr", x, name)


def deref(reference: object) -> Term:
    """Return `deref(reference)`: the object of a weak reference, None when it is dead.

    Example:
        >>> is_not(deref(L["w"]), None)
        <Term deref(L['w']) is not None>
    """
    return _wrap(WeakRefCallSource(lift(reference)))


def peek(iterator: object, position: object) -> Term:
    """Return `peek(iterator, position)`: an item left of an iterator, without consuming it.

    Example:
        >>> peek(L["it"], 0) == 3
        <Term peek(L['it'], 0) == 3>
    """
    return _wrap(TupleIteratorGetItemSource(lift(iterator), lift(position)))


def call(x: object) -> Term:
    """Return `call(x)`: x called without operands. Impure.

    Example:
        >>> call(L["f"]) == 1
        <Term call(L['f']) == 1>
    """
    return _wrap(CallFunctionNoArgsSource(lift(x)))


def getattr_(x: object, name: str) -> Term:
    """Return `getattr(x, name)`: the full attribute protocol. Impure.

    Example:
        >>> getattr_(L["x"], "area") == 6
        <Term getattr(L['x'], 'area') == 6>
    """
    return _wrap(DynamicAttrSource(lift(x), name))


def getitem(x: object, key: object) -> Term:
    """Return `getitem(x, key)`: the full item protocol. Impure.

    Example:
        >>> getitem(L["d"], "k") == 3
        <Term getitem(L['d'], 'k') == 3>
    """
    return _wrap(DynamicGetItemSource(lift(x), lift(key)))


def opaque(kind: str, *operands: object) -> Term:
    """Return `opaque(kind, ...)`: something outside the language decides. Impure.

    Example:
        >>> opaque("EVEN", L["n"])
        <Term opaque('EVEN', L['n'])>
    """
    return _call("opaque", kind, *operands)


def apply(name: str, *operands: object) -> Term:
    """Return the call of a function of the language or of a plug-in by its name.

    Args:
        name: the function.
        operands: what it is applied to.

    Raises:
        GuardNameError: no such function.

    Example:
        >>> apply("floor", L["x"]) == 3
        <Term floor(L['x']) == 3>
    """
    if name not in FUNCTIONS and lookup(name) is None:
        raise GuardNameError(f"unknown function {name!r:.100}", hint="register_function adds one")
    return _call(name, *operands)


def _function(name: str, says: str) -> Callable[..., Term]:
    def build(*operands: object) -> Term:
        signature = FUNCTIONS[name]
        if not signature.least <= len(operands) <= signature.most:
            raise GuardTypeError(f"{name} does not take {len(operands)} operands")
        return _call(name, *operands)

    build.__name__ = build.__qualname__ = name
    build.__doc__ = f"Return `{name}(...)`: {says}."
    return build


same = _function("same", "all operands are one object; any number of operands")
distinct = _function("distinct", "no two operands are one object; any number of operands")
overlapping = _function("overlapping", "which of the tensors share memory, as groups of argument positions")
exact = _function("exact", "the same exact type and the same value to the bit")
keys = _function("keys", "the keys of a dict in order, as a tuple")
values = _function("values", "the values of a dict in order, as a tuple")
dispatch_keys = _function("dispatch_keys", "the names of the dispatch keys in effect")
remaining = _function("remaining", "how many items an iterator has left")
is_instance = _function("isinstance", "a subclass test by the real MRO")
isnan = _function("isnan", "whether a number is NaN")
sqrt = _function("sqrt", "the square root as a float")
floor = _function("floor", "the integer below")
ceil = _function("ceil", "the integer above")
trunc = _function("trunc", "the integer towards zero")
len_ = _function("len", "the length, by the base type")
abs_ = _function("abs", "the absolute value")
min_ = _function("min", "Python's minimum")
max_ = _function("max", "Python's maximum")
round_ = _function("round", "half to even")
int_ = _function("int", "the base value of an int, or a float towards zero")
float_ = _function("float", "the base value of a float, or an int rounded")
bool_ = _function("bool", "the truth of a value")
str_ = _function("str", "the base value of a str")
tuple_ = _function("tuple", "the base value of a tuple")
set_ = _function("set", "the items of a tuple as a set")
