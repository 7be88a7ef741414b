"""From guards and a frame to an explanation: every guard is evaluated by the reference interpreter, as purely as by a check."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from guardlang.ast import BoolOp, Call, Compare, Expr, IfExp, Not
from guardlang.codegen.plan import conjuncts, unconditional
from guardlang.explain.explanation import Blocked, Explanation, Failure
from guardlang.explain.hints import hints_for
from guardlang.explain.show import class_path, show
from guardlang.frame import Frame
from guardlang.guard import Guard
from guardlang.interning import text_of
from guardlang.purity import is_pure
from guardlang.semantics import Evaluation, Unreadable
from guardlang.sources import (
    AttrSource,
    Const,
    ConstantSource,
    GetItemSource,
    GlobalSource,
    GlobalStateSource,
    LocalSource,
    TensorPropertySource,
    TupleIteratorGetItemSource,
    TypeSource,
    WeakRefCallSource,
)

__all__ = ["explain"]

_READ = (
    LocalSource,
    GlobalSource,
    GlobalStateSource,
    AttrSource,
    GetItemSource,
    TensorPropertySource,
    TupleIteratorGetItemSource,
    WeakRefCallSource,
)
_AFTER_PURE = "it may run user code, which a check does only when all other guards hold"


def explain(guards: Sequence[Guard], frame: Frame, *, entry: str | None = None) -> Explanation:
    """Return why guards hold on a frame or do not.

    Args:
        guards: the guards, in the order of addition.
        frame: what they are checked on.
        entry: the name of what they protect.

    Returns:
        Every guard that is false with its values, and every guard that is undefined with the path that blocked it. A guard that
        may run user code is evaluated only if all others hold, as in a check.

    Example:
        >>> from guardlang.parse import parse
        >>> print(explain([Guard(parse("L['d']['k'] == 1"))], Frame({"d": {}})))
        1 of 1 guard cannot be evaluated
        not evaluated: L['d']['k'] == 1   (L['d'] has no key 'k')
    """
    look = Evaluation(frame)
    failures: list[Failure] = []
    blocked: dict[str, list[Guard]] = {}
    impure: list[Guard] = []
    for guard in guards:
        if is_pure(guard.expr):
            _judge(guard, look, failures, blocked)
        else:
            impure.append(guard)
    if failures or blocked:
        if impure:
            blocked.setdefault(_AFTER_PURE, []).extend(impure)
    else:
        for guard in impure:
            _judge(guard, look, failures, blocked)
            if failures or blocked:
                rest = impure[impure.index(guard) + 1 :]
                if rest:
                    blocked.setdefault(_AFTER_PURE, []).extend(rest)
                break
    groups = tuple(Blocked(tuple(held), reason) for reason, held in blocked.items())
    hints = tuple(dict.fromkeys(hint for failure in failures for hint in hints_for(failure.guard.expr, look)))
    return Explanation(len(guards), tuple(failures), groups, hints, entry)


def _judge(guard: Guard, look: Evaluation, failures: list[Failure], blocked: dict[str, list[Guard]]) -> None:
    try:
        value = look.value(guard.expr)
    except Unreadable as error:
        blocked.setdefault(error.reason, []).append(guard)
        return
    if value is not True:
        failures.append(Failure(guard, _describe(guard.expr, look), _values(guard.expr, look)))


def _describe(expr: Expr, look: Evaluation) -> str:
    """Return what is wrong, as a phrase, for a condition that is false."""
    parts = list(conjuncts(expr))
    if len(parts) > 1:
        expr = next(part for part in parts if _value(part, look) is not True)
    match expr:
        case Compare(ops=("is" | "is not" as op,)):
            return _describe_identity(op, expr.operands[0], expr.operands[1], look)
        case Compare(ops=("in" | "not in",)):
            return _listing(expr, look) or f"got {_shown(expr.operands[0], look)}"
        case Compare():
            return _describe_comparison(expr, look)
        case Call(function="exact"):
            return f"got {_shown(expr.args[0], look)}{_type_note(expr, look)}"
        case Call(function="same"):
            return _describe_same(expr.args, look)
        case Call(function="distinct"):
            return _describe_distinct(expr.args, look)
        case Call(function="isinstance"):
            return f"got {_kind(_value(expr.args[0], look))}"
        case Call(function="hasattr"):
            return f"no such attribute on {_kind(_value(expr.args[0], look))}"
        case Not() | BoolOp() | IfExp() | Call():
            return _listing(expr, look) or "is false"
    return _listing(expr, look) or "is false"


def _describe_identity(op: str, left: Expr, right: Expr, look: Evaluation) -> str:
    x, y = _identity(left, look), _identity(right, look)
    if op == "is not":
        return f"both are {show(x)}" if isinstance(right, Const) else f"one object: {_kind(x)}"
    if isinstance(left, TypeSource):
        return f"got {class_path(x)}"
    if isinstance(right, Const | ConstantSource):
        return f"got {show(x)}" if type(x) is not type(y) or show(x) != show(y) else f"got another {_kind(x).split(' ', 1)[1]}"
    if type(x) is type(y):
        return f"two different objects of type {class_path(type(x))}"
    return f"two different objects: {show(x)} and {show(y)}"


def _describe_comparison(expr: Compare, look: Evaluation) -> str:
    left, right = expr.operands
    if isinstance(right, Const | ConstantSource):
        return f"got {_shown(left, look)}{_because(left, look)}"
    if isinstance(left, Const | ConstantSource):
        return f"got {_shown(right, look)}{_because(right, look)}"
    return f"got {_shown(left, look)} and {_shown(right, look)}{_because(expr, look)}"


def _describe_same(args: tuple[Expr, ...], look: Evaluation) -> str:
    first = _identity(args[0], look)
    others = [text_of(arg) for arg in args[1:] if _identity(arg, look) is not first]
    return f"{_words(others)} {'is' if len(others) == 1 else 'are'} not the object {text_of(args[0])}, {_kind(first)}"


def _describe_distinct(args: tuple[Expr, ...], look: Evaluation) -> str:
    groups: dict[int, list[Expr]] = {}
    for arg in args:
        groups.setdefault(id(_identity(arg, look)), []).append(arg)
    shared = [group for group in groups.values() if len(group) > 1]
    return "; ".join(
        f"{_words([text_of(arg) for arg in group])} are one object, {_kind(_identity(group[0], look))}" for group in shared
    )


def _words(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else ", ".join(texts[:-1]) + " and " + texts[-1]


def _kind(x: Any) -> str:
    name = class_path(type(x))
    return f"{'an' if name[:1] in 'aeiouAEIOU' else 'a'} {name}"


def _identity(expr: Expr, look: Evaluation) -> Any:
    return expr.value if isinstance(expr, ConstantSource) else _value(expr, look)


_NOT_READ = object()


def _value(expr: Expr, look: Evaluation) -> Any:
    """Return the value of a part of a guard that was evaluated; impure parts are not run again."""
    try:
        return look.value(expr) if is_pure(expr) else _NOT_READ
    except Unreadable:
        return _NOT_READ


def _shown(expr: Expr, look: Evaluation) -> str:
    value = _value(expr, look)
    return "another value" if value is _NOT_READ else show(value)


def _type_note(expr: Call, look: Evaluation) -> str:
    """Return the type where the text of a value alone does not tell it from the expected one."""
    x, wanted = (_value(arg, look) for arg in expr.args)
    return f" of type {class_path(type(x))}" if show(x) == show(wanted) else ""


def _values(expr: Expr, look: Evaluation) -> tuple[tuple[str, str], ...]:
    """Return the outermost sources that a condition reads, with their values."""
    parts, _ = unconditional(expr)
    inner: set[Expr] = set()
    for part in parts:
        if isinstance(part, AttrSource | GetItemSource | TensorPropertySource | TupleIteratorGetItemSource | WeakRefCallSource):
            inner.add(part.base)
    read = [part for part in parts if isinstance(part, _READ) and part not in inner and is_pure(part)]
    return tuple((text_of(part), _shown(part, look)) for part in read)


def _listing(expr: Expr, look: Evaluation) -> str:
    return ", ".join(f"{source} = {value}" for source, value in _values(expr, look))


def _because(expr: Expr, look: Evaluation) -> str:
    """Return the sources of a computed operand; nothing for an operand that is a source itself."""
    if isinstance(expr, _READ):
        return ""
    if isinstance(expr, Compare) and all(isinstance(operand, _READ) for operand in expr.operands):
        return ""
    listing = _listing(expr, look)
    return f"   ({listing})" if listing else ""
