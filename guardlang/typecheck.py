"""The static rules: what can never be defined, or is no condition, is refused when it is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from guardlang.ast import BinOp, BoolOp, Call, Compare, Expr, IfExp, Not, TupleDisplay, UnaryOp
from guardlang.errors import GuardlangError, GuardTypeError
from guardlang.exhaustive import assert_never
from guardlang.functions import lookup
from guardlang.interning import text_of
from guardlang.language import FUNCTIONS
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
from guardlang.types import (
    ANY,
    BOOL,
    BYTES,
    COMPLEX,
    FLOAT,
    INT,
    MAP,
    NONE,
    NUMBERS,
    OBJECT,
    SET,
    STR,
    TYPE,
    Type,
    join,
    seq,
    type_of_value,
)
from guardlang.walk import fold

__all__ = ["Locate", "check_condition", "check_types", "static_type", "types_of"]

# Adds the text and the place of a node to an error; without one the error stands alone.
Locate = Callable[[GuardlangError, "Expr | None"], GuardlangError]

_REAL = frozenset({BOOL, INT, FLOAT})
_WHOLE = frozenset({BOOL, INT})
_ATTRIBUTES: dict[str, Type] = {"shape": seq(INT), "ndim": INT}
_PROPERTIES = {
    TensorProperty.SIZE: INT,
    TensorProperty.STRIDE: INT,
    TensorProperty.STORAGE_OFFSET: INT,
    TensorProperty.DATA_PTR: INT,
    TensorProperty.IS_CONTIGUOUS: BOOL,
}


def _nowhere(error: GuardlangError, _: Expr | None) -> GuardlangError:
    return error


def check_types(expr: Expr, locate: Locate = _nowhere) -> Type:
    """Return the static type of an expression.

    Args:
        expr: the expression.
        locate: gives an error its place.

    Raises:
        GuardTypeError: some part of it can never be defined.

    Example:
        >>> from guardlang.sources import Const
        >>> check_types(Call("len", (Const(3),)))
        Traceback (most recent call last):
        guardlang.errors.GuardTypeError: len: an Int has no length
    """
    return types_of(expr, locate=locate)[expr]


def types_of(*exprs: Expr, locate: Locate = _nowhere) -> dict[Expr, Type]:
    """Return the static type of every node below some expressions.

    Args:
        exprs: the expressions.
        locate: gives an error its place.

    Raises:
        GuardTypeError: some part can never be defined.

    Example:
        >>> from guardlang.sources import LocalSource
        >>> str(types_of(TypeSource(LocalSource("x")))[TypeSource(LocalSource("x"))])
        'Type'
    """
    checker = _Checker(locate)
    return fold(exprs, checker.step)


def static_type(expr: Expr) -> Type:
    """Return the static type of an expression that has been checked.

    Example:
        >>> from guardlang.sources import LocalSource
        >>> str(static_type(LocalSource("x")))
        'Any'
    """
    return types_of(expr)[expr]


def check_condition(expr: Expr, locate: Locate = _nowhere) -> None:
    """Refuse an expression that can never be defined or is no condition.

    Args:
        expr: an expression.
        locate: gives the error its place.

    Raises:
        GuardTypeError: some part can never be defined, or the type of the whole is not Bool.

    Example:
        >>> from guardlang.sources import LocalSource
        >>> check_condition(Not(Compare(("is",), (LocalSource("a"), LocalSource("b")))))
    """
    kind = check_types(expr, locate)
    if kind == BOOL:
        return
    raise locate(_not_a_condition(expr, kind), expr)


def _not_a_condition(expr: Expr, kind: Type) -> GuardTypeError:
    text = _brief(expr)
    what = "a value" if kind == ANY else f"of type {kind}"
    return GuardTypeError(f"{text} is {what}, not a condition", hint=f"compare it with something, or write bool({text})")


def _brief(expr: Expr) -> str:
    text = text_of(expr)
    return text if len(text) <= 80 else text[:77] + "..."


class _Checker:
    """The rules, one for each kind of node."""

    def __init__(self, locate: Locate) -> None:
        self.locate = locate

    def fail(self, place: Expr, message: str, hint: str | None = None) -> NoReturn:
        raise self.locate(GuardTypeError(message, hint=hint), place)

    def step(self, expr: Expr, below: tuple[Type, ...]) -> Type:
        match expr:
            case LocalSource() | GlobalSource() | GlobalStateSource():
                return ANY
            case Const():
                return type_of_value(expr.value)
            case ConstantSource():
                return type_of_value(expr.content)
            case AttrSource():
                return _ATTRIBUTES.get(expr.member, ANY)
            case GetItemSource():
                return self._item(expr, below[0], below[1])
            case TensorPropertySource():
                return self._property(expr, below)
            case TypeSource():
                return TYPE
            case WeakRefCallSource():
                self._object("deref", expr.base, below[0])
                return ANY
            case TupleIteratorGetItemSource():
                self._object("peek", expr.base, below[0])
                self._position(expr.index, below[1])
                return ANY
            case CallFunctionNoArgsSource() | DynamicAttrSource() | DynamicGetItemSource():
                return ANY
            case UnaryOp():
                return self._unary(expr, below[0])
            case Not():
                self._condition(expr.operand, below[0])
                return BOOL
            case BinOp():
                return self._binary(expr, below[0], below[1])
            case Compare():
                for position, op in enumerate(expr.ops):
                    self._comparison(expr, op, position, below)
                return BOOL
            case BoolOp():
                for operand, kind in zip(expr.operands, below, strict=True):
                    self._condition(operand, kind)
                return BOOL
            case IfExp():
                self._condition(expr.test, below[1])
                return join(below[0], below[2])
            case Call():
                return self._call(expr, below)
            case TupleDisplay():
                item = below[0]
                for other in below[1:]:
                    item = join(item, other)
                return seq(item)
            case _:
                assert_never(expr)

    def _condition(self, operand: Expr, kind: Type) -> None:
        if kind != BOOL:
            raise self.locate(_not_a_condition(operand, kind), operand)

    def _item(self, expr: GetItemSource, base: Type, index: Type) -> Type:
        if base == STR or base.name == "Seq":
            self._position(expr.index, index)
            return STR if base == STR else (base.item or ANY)
        if base in (ANY, OBJECT, MAP):
            return ANY
        self.fail(expr, f"{_article(base)} has no positions: {_brief(expr.base)}")

    def _position(self, index: Expr, kind: Type) -> None:
        if kind not in (INT, ANY):
            self.fail(index, f"an index is an int, not {_article(kind)}")

    def _property(self, expr: TensorPropertySource, below: tuple[Type, ...]) -> Type:
        self._object(f".{expr.prop.value}", expr.base, below[0])
        if expr.index is not None:
            self._position(expr.index, below[1])
        return _PROPERTIES[expr.prop]

    def _object(self, name: str, operand: Expr, kind: Type) -> None:
        if kind not in (ANY, OBJECT, TYPE):
            self.fail(operand, f"{name}: {_article(kind)} is no such object")

    def _unary(self, expr: UnaryOp, kind: Type) -> Type:
        if expr.op == "~":
            self._number(expr.operand, kind, "~", _WHOLE)
            return INT
        self._number(expr.operand, kind, "-", NUMBERS)
        return INT if kind in _WHOLE else kind

    def _number(self, operand: Expr, kind: Type, name: str, allowed: frozenset[Type]) -> None:
        if kind != ANY and kind not in allowed:
            hint = "numbers are never read from strings" if kind == STR else None
            self.fail(operand, f"{name} is for {_kinds(allowed)}, not {_article(kind)}", hint)

    def _binary(self, expr: BinOp, left: Type, right: Type) -> Type:
        whole = expr.op in ("<<", ">>", "&", "|", "^")
        allowed = _WHOLE if whole else _REAL if expr.op in ("//", "%") else NUMBERS
        for operand, kind in ((expr.left, left), (expr.right, right)):
            self._number(operand, kind, expr.op, allowed)
        if whole:
            return BOOL if left == right == BOOL and expr.op in "&|^" else ANY if BOOL == left == right else INT
        if ANY in (left, right):
            return ANY
        if COMPLEX in (left, right):
            return COMPLEX
        if expr.op == "/" or FLOAT in (left, right):
            return FLOAT
        if expr.op == "**" and not (isinstance(expr.right, Const) and expr.right.value >= 0):
            return ANY
        return INT

    def _comparison(self, expr: Compare, op: str, position: int, below: tuple[Type, ...]) -> None:
        sides = [(expr.operands[side], below[side]) for side in (position, position + 1)]
        (_, left_kind), (right, right_kind) = sides
        if op in ("is", "is not"):
            for operand, kind in sides:
                self._identity(operand, kind, op)
        elif op in ("in", "not in"):
            self._membership(left_kind, right, right_kind)
        elif op not in ("==", "!="):
            groups = [self._order_group(operand, kind, op) for operand, kind in sides]
            if None not in groups and groups[0] != groups[1]:
                self.fail(right, f"{op} has no meaning between {_article(left_kind)} and {_article(right_kind)}")

    def _order_group(self, operand: Expr, kind: Type, op: str) -> str | None:
        if kind in _REAL:
            return "number"
        if kind in (STR, BYTES, SET):
            return kind.name
        if kind in (ANY, OBJECT):
            return None
        self.fail(operand, f"{op} has no meaning for {_article(kind)}", "numbers, str, bytes and sets have an order")

    def _membership(self, item: Type, container: Expr, kind: Type) -> None:
        if kind in NUMBERS or kind in (NONE, TYPE):
            self.fail(container, f"{_article(kind)} contains nothing")
        if kind == STR and item not in (STR, ANY, OBJECT):
            self.fail(container, f"a str contains strings only, not {_article(item)}")

    def _identity(self, operand: Expr, kind: Type, name: str) -> None:
        match operand:
            case Const(value=None | True | False) | ConstantSource() | TypeSource():
                return
            case Const() if operand.value is ...:
                return
            case Const():
                self.fail(operand, f"{name}: the identity of {_article(kind)} is an accident", "write == or exact(x, c)")
            case AttrSource(member="shape" | "ndim"):
                self.fail(operand, f"{name}: {_brief(operand)} is made afresh at each read", "write ==")
            case IfExp():
                self._identity(operand.body, kind, name)
                self._identity(operand.orelse, kind, name)
            case Call():
                function = lookup(operand.function)
                if function is None or not function.identity:
                    self.fail(operand, f"{name}: the result of {operand.function}() is made afresh", "write ==")
            case (
                LocalSource()
                | GlobalSource()
                | GlobalStateSource()
                | AttrSource()
                | GetItemSource()
                | WeakRefCallSource()
                | CallFunctionNoArgsSource()
                | DynamicAttrSource()
                | DynamicGetItemSource()
                | TupleIteratorGetItemSource()
            ):
                return
            case _:
                self.fail(operand, f"{name}: {_brief(operand)} is a computed value and has no identity", "write ==")

    def _call(self, expr: Call, below: tuple[Type, ...]) -> Type:
        signature = FUNCTIONS.get(expr.function)
        if signature is None:
            function = lookup(expr.function)
            if function is None:
                self.fail(expr, f"unknown function {expr.function!r:.100}", "register_function adds one")
            return function.result
        for operand, kind in zip(expr.args, below, strict=True):
            self._operand(expr.function, signature.operand, operand, kind)
        if expr.function == "hasattr":
            if not (isinstance(expr.args[1], Const) and type(expr.args[1].value) is str):
                self.fail(expr.args[1], "hasattr takes the attribute as a string literal")
        elif expr.function == "isinstance":
            if below[1] not in (TYPE, ANY) and not (below[1].name == "Seq" and below[1].item in (TYPE, ANY)):
                self.fail(expr.args[1], f"isinstance takes a class or a tuple of classes, not {_article(below[1])}")
        elif expr.function == "opaque":
            if not (isinstance(expr.args[0], Const) and type(expr.args[0].value) is str):
                self.fail(expr.args[0], "opaque takes its kind as a string literal")
        elif expr.function == "complex":
            if all(isinstance(arg, Const) and kind in _REAL for arg, kind in zip(expr.args, below, strict=True)):
                self.fail(expr, "complex: the number is too large for a float")
        elif expr.function == "round":
            if len(below) == 2 and below[1] not in (INT, BOOL, ANY):
                self.fail(expr.args[1], f"round: digits are an int, not {_article(below[1])}")
            return INT if len(below) == 1 else ANY
        elif expr.function in ("abs", "min", "max"):
            kinds = {INT if kind == BOOL and expr.function == "abs" else kind for kind in below}
            return kinds.pop() if len(kinds) == 1 else ANY
        return signature.result

    def _operand(self, name: str, wanted: str, operand: Expr, kind: Type) -> None:
        if wanted == "identity":
            self._identity(operand, kind, name)
        elif kind == ANY or wanted == "any":
            return
        elif wanted == "object":
            self._object(name, operand, kind)
        elif wanted in ("real", "number"):
            self._number(operand, kind, name, _REAL if wanted == "real" else NUMBERS)
        elif wanted == "sized":
            if kind in NUMBERS or kind in (NONE, TYPE):
                self.fail(operand, f"{name}: {_article(kind)} has no length")
        elif wanted == "map":
            if kind not in (MAP, OBJECT):
                self.fail(operand, f"{name}: {_article(kind)} has no keys")
        elif wanted == "truthy":
            if kind in (TYPE, OBJECT):
                self.fail(operand, f"{name}: {_article(kind)} has its own __bool__")
        elif wanted == "items":
            if kind.name != "Seq" and kind not in (SET, OBJECT):
                self.fail(operand, f"{name}: {_article(kind)} has no items")
            if isinstance(operand, Const):
                self.fail(operand, f"{name}: an item of it has no hash")
        elif not (kind == OBJECT or kind.name.lower().startswith(wanted)):
            self.fail(operand, f"{name}: {_article(kind)} has no base value of that type")


def _article(kind: Type) -> str:
    names = {NONE: "None", ANY: "a value"}
    if kind in names:
        return names[kind]
    return f"{'an' if str(kind)[0] in 'AIO' else 'a'} {kind}"


def _kinds(allowed: frozenset[Type]) -> str:
    return "ints" if allowed == _WHOLE else "int and float" if allowed == _REAL else "numbers"
