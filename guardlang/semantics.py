"""The reference interpreter: what every guard means. Plain and slow; every backend must agree with it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from typing import Any

from guardlang import arithmetic
from guardlang.adapters import adapter_for, overlapping
from guardlang.ast import BinOp, BoolOp, Call, Compare, Expr, IfExp, Not, TupleDisplay, UnaryOp
from guardlang.exhaustive import assert_never
from guardlang.frame import Frame
from guardlang.functions import lookup
from guardlang.interning import text_of
from guardlang.purity import impure_parts
from guardlang.reading import (
    base_bytes,
    base_complex,
    base_float,
    base_int,
    base_str,
    base_tuple,
    contains,
    dereference,
    has_attribute,
    is_instance_of_any,
    item_by_position,
    keys_of,
    length,
    peek,
    read_attribute,
    read_item,
    remaining,
    tensor_property,
    truthiness,
    values_of,
)
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
    TensorPropertySource,
    TupleIteratorGetItemSource,
    TypeSource,
    WeakRefCallSource,
)
from guardlang.state import reader_of
from guardlang.truth import Truth
from guardlang.values import TypeSet, Undefined, equal, exact, hashable, less, type_name

__all__ = ["FUNCTIONS", "Evaluation", "Unreadable", "condition", "evaluate", "register_opaque"]

# A step of the evaluation: yields the operands it needs, gets their values back, returns its own.
_Steps = Generator[Expr, Any, Any]


def evaluate(expr: Expr, locals: Any, globals: Any = None, *, state: Mapping[str, Any] | None = None) -> Truth:
    """Return what a guard says about a frame.

    Args:
        expr: a condition.
        locals: the mapping that `L` reads.
        globals: the mapping that `G` reads; may be left out.
        state: values for `S`; None reads the current ones.

    Returns:
        TRUE, FALSE, or UNDEFINED with the path and the cause.

    Example:
        >>> from guardlang.parse import parse
        >>> guard = parse("L['d']['k'] == 1")
        >>> str(evaluate(guard, {"d": {"k": True}})), str(evaluate(guard, {"d": {}}))
        ('TRUE', "UNDEFINED: L['d'] has no key 'k'")
    """
    return Evaluation(Frame(locals, globals, state)).truth(expr)


class Unreadable(Undefined):
    """An undefined part of a guard: which node, and why.

    Args:
        node: the innermost part that is undefined.
        cause: why, as the end of a sentence that starts with the node's text.
    """

    def __init__(self, node: Expr, cause: str) -> None:
        self.node = node
        super().__init__(cause)

    @property
    def reason(self) -> str:
        """The path and the cause, as one sentence."""
        return f"{text_of(_subject(self.node))} {self.cause}"


def _subject(node: Expr) -> Expr:
    """Return what the cause of an undefined node speaks of: what was read from, if the node is a read."""
    match node:
        case AttrSource() | TensorPropertySource() | WeakRefCallSource() | TupleIteratorGetItemSource():
            return node.base
        case CallFunctionNoArgsSource() | DynamicAttrSource() | DynamicGetItemSource():
            return node.base
        case GetItemSource(base=Call(function="keys" | "values", args=(mapping,))):
            return mapping
        case GetItemSource():
            return node.base
        case Call(args=(operand,)) if node.function in FUNCTIONS:
            return operand
    return node


class Evaluation:
    """One look at one frame: every pure source is read once, however many guards use it.

    Args:
        frame: the frame.

    Example:
        >>> from guardlang.parse import parse
        >>> look = Evaluation(Frame({"n": 7}))
        >>> look.truth(parse("L['n'] % 2 == 1")).kind, look.value(parse("L['n'] % 2"))
        ('TRUE', 1)
    """

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self._results: dict[Expr, Any] = {}

    def truth(self, expr: Expr) -> Truth:
        """Return what a condition says about the frame.

        Args:
            expr: a condition.
        """
        try:
            value = self.value(expr)
        except Unreadable as error:
            return Truth.undefined(error.reason)
        if type(value) is not bool:
            return Truth.undefined(f"{text_of(expr)} is not a condition")
        return Truth.TRUE if value else Truth.FALSE

    def value(self, expr: Expr) -> Any:
        """Return the value of an expression in the frame.

        Args:
            expr: any expression.

        Raises:
            Unreadable: it is undefined; has the part and the cause.
        """
        impure = impure_parts(expr)
        return self._run(expr, impure, {} if impure else self._results)

    def known(self, expr: Expr) -> Any:
        """Return the value of a pure part that has been read already.

        Raises:
            KeyError: it was not read, or it is undefined.
        """
        value = self._results[expr]
        if isinstance(value, Unreadable):
            raise KeyError(expr)
        return value

    def _run(self, root: Expr, impure: frozenset[Expr], own: dict[Expr, Any]) -> Any:
        """Evaluate with a stack of our own; `own` holds the results of impure parts of this guard alone."""

        def results(node: Expr) -> dict[Expr, Any]:
            return own if node in impure else self._results

        stack: list[tuple[Expr, _Steps]] = []
        pending: Expr | None = root
        value: Any = None
        while True:
            if pending is not None:
                held = results(pending).get(pending, _MISSING)
                if held is _MISSING:
                    stack.append((pending, self._steps(pending)))
                    value = None
                elif type(held) is Unreadable:
                    return self._give_up(stack, held, results)
                else:
                    value = held
                pending = None
            if not stack:
                return value
            node, steps = stack[-1]
            try:
                pending = steps.send(value)
            except StopIteration as stop:
                value = results(node)[node] = stop.value
                stack.pop()
            except Undefined as error:
                return self._give_up(stack, Unreadable(node, error.cause), results)
            except RuntimeError as error:
                # A container changed by another thread while it was read, or the caller's stack is used up.
                return self._give_up(stack, Unreadable(node, f"cannot be read: {error}"), results)

    def _give_up(self, stack: list[tuple[Expr, _Steps]], error: Unreadable, results: Callable[[Expr], dict[Expr, Any]]) -> Any:
        """Make everything that waits for an undefined part undefined too."""
        for node, steps in stack:
            results(node)[node] = error
            steps.close()
        raise error from None

    def _steps(self, expr: Expr) -> _Steps:
        match expr:
            case LocalSource():
                return self._named(self.frame.locals, expr.name, "is not among the locals")
            case GlobalSource():
                return self._named(self.frame.globals, expr.name, "is not among the globals")
            case GlobalStateSource():
                return self._state(expr)
            case Const():
                return _constant(expr.value)
            case ConstantSource():
                return _constant(expr.content)
            case AttrSource():
                return _attribute(expr)
            case GetItemSource():
                return _item(expr)
            case TensorPropertySource():
                return _tensor(expr)
            case TypeSource():
                return _apply((expr.base,), type)
            case WeakRefCallSource():
                return _apply((expr.base,), dereference)
            case TupleIteratorGetItemSource():
                return _apply((expr.base, expr.index), peek)
            case CallFunctionNoArgsSource():
                return _apply((expr.base,), _call_it)
            case DynamicAttrSource():
                return _apply((expr.base, Const(expr.member)), _get_attribute)
            case DynamicGetItemSource():
                return _apply((expr.base, expr.index), _get_item)
            case UnaryOp():
                return _apply((expr.operand,), lambda a: arithmetic.unary(expr.op, a))
            case BinOp():
                return _apply((expr.left, expr.right), lambda a, b: arithmetic.binary(expr.op, a, b))
            case Not():
                return _apply((expr.operand,), lambda a: not condition(a))
            case Compare():
                return self._compare(expr)
            case BoolOp():
                return _bool(expr)
            case IfExp():
                return _if(expr)
            case Call():
                return self._function(expr)
            case TupleDisplay():
                return _apply(expr.items, lambda *items: items)
            case _:
                assert_never(expr)

    def _named(self, mapping: dict[str, Any], name: str, cause: str) -> _Steps:
        value = mapping.get(name, _MISSING)
        if value is _MISSING:
            raise Undefined(cause)
        return value
        yield

    def _state(self, expr: GlobalStateSource) -> _Steps:
        if self.frame.state is None:
            return reader_of(expr.name)()
        if expr.name not in self.frame.state:
            raise Undefined("is not among the state of the frame")
        return self.frame.state[expr.name]
        yield

    def _compare(self, expr: Compare) -> _Steps:
        left = yield from self._operand(expr.operands[0], expr.ops[0])
        for position, op in enumerate(expr.ops):
            right = yield from self._operand(expr.operands[position + 1], op)
            if not _comparison(op, left, right):
                return False
            if position + 1 < len(expr.ops):
                left = yield from self._operand(expr.operands[position + 1], expr.ops[position + 1])
        return True

    def _operand(self, expr: Expr, op: str) -> _Steps:
        if op in ("is", "is not"):
            return (yield from self._identity(expr))
        return (yield expr)

    def _identity(self, expr: Expr) -> _Steps:
        """Return the object itself: a named object counts as the live one, not as the copy of its value."""
        while isinstance(expr, IfExp):
            expr = expr.body if condition((yield expr.test)) else expr.orelse
        if isinstance(expr, ConstantSource):
            return expr.value
        return (yield expr)

    def _function(self, expr: Call) -> _Steps:
        name = expr.function
        if name in ("same", "distinct"):
            objects = []
            for arg in expr.args:
                objects.append((yield from self._identity(arg)))
            identities = {id(x) for x in objects}
            return len(identities) == (1 if name == "same" else len(objects))
        if name == "isinstance":
            x = yield expr.args[0]
            classes = yield from self._classes(expr.args[1])
            return is_instance_of_any(x, classes)
        args = []
        for arg in expr.args:
            args.append((yield arg))
        builtin = FUNCTIONS.get(name)
        if builtin is not None:
            return builtin(*args)
        function = lookup(name)
        if function is None:
            raise Undefined("calls a function that is not registered here")
        try:
            return function.evaluate(*args)
        except Undefined:
            raise
        except Exception as error:  # noqa: BLE001
            # A plug-in's function: whatever it raises means that it has no value here.
            raise Undefined(f"failed with {type_name(type(error))}") from None

    def _classes(self, expr: Expr) -> _Steps:
        if isinstance(expr, TupleDisplay):
            classes = []
            for item in expr.items:
                classes.append((yield from self._identity(item)))
            return tuple(classes)
        return (yield from self._identity(expr))


_MISSING = object()


def _constant(value: Any) -> _Steps:
    return value
    yield


def _apply(operands: Iterable[Expr], function: Callable[..., Any]) -> _Steps:
    values = []
    for operand in operands:
        values.append((yield operand))
    return function(*values)


def _attribute(expr: AttrSource) -> _Steps:
    base = yield expr.base
    return read_attribute(base, expr.member)


def _item(expr: GetItemSource) -> _Steps:
    base = expr.base
    if isinstance(base, Call) and base.function in ("keys", "values"):
        # By position: the tuple is never built.
        mapping = yield base.args[0]
        index = yield expr.index
        return item_by_position(mapping, index, base.function)
    container = yield base
    index = yield expr.index
    return read_item(container, index)


def _tensor(expr: TensorPropertySource) -> _Steps:
    base = yield expr.base
    index = (yield expr.index) if expr.index is not None else None
    return tensor_property(base, expr.prop.value, index)


def condition(value: Any) -> bool:
    """Return a value where a condition is needed.

    Args:
        value: any object.

    Raises:
        Undefined: it is not True or False.

    Example:
        >>> condition(True)
        True
    """
    if type(value) is not bool:
        raise Undefined(f"needs a condition, not {type_name(type(value))}")
    return value


def _bool(expr: BoolOp) -> _Steps:
    for operand in expr.operands:
        if condition((yield operand)) is (expr.op == "or"):
            return expr.op == "or"
    return expr.op == "and"


def _if(expr: IfExp) -> _Steps:
    return (yield expr.body if condition((yield expr.test)) else expr.orelse)


def _comparison(op: str, left: Any, right: Any) -> bool:
    match op:
        case "is":
            return left is right
        case "is not":
            return left is not right
        case "==":
            return equal(left, right)
        case "!=":
            return not equal(left, right)
        case "in":
            return contains(right, left)
        case "not in":
            return not contains(right, left)
        case _:
            return less(op, left, right)


def _get_attribute(x: Any, name: str) -> Any:
    return _impurely(lambda: getattr(x, name))


def _get_item(x: Any, key: Any) -> Any:
    return _impurely(lambda: x[key])


def _call_it(x: Any) -> Any:
    return _impurely(x)


def _impurely(run: Callable[[], Any]) -> Any:
    """Run code of an input's type, as the guard asked for; whatever it raises is "undefined"."""
    try:
        return run()
    except Exception as error:  # noqa: BLE001
        raise Undefined(f"raised {type_name(type(error))}") from None


_GROUPS = TypeSet(tuple, list, set, frozenset)


def _as_set(kind: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def build(x: Any) -> Any:
        if type(x) not in _GROUPS:
            raise Undefined(f"needs a tuple, a list or a set, not {type_name(type(x))}")
        for item in x:
            if type(item) is set:
                raise Undefined("has an item that is a set, which has no hash")
            hashable(item)
        return kind(x)

    return build


def _dispatch_keys(x: Any) -> frozenset[str]:
    adapter = adapter_for(type(x))
    if adapter is None:
        raise Undefined("is not a tensor")
    return adapter.dispatch_keys(x)


_deciders: dict[str, Callable[..., object]] = {}


def register_opaque(kind: str, decide: Callable[..., object]) -> None:
    """Install what decides `opaque(kind, x, ...)` guards; without one such a guard never holds.

    Args:
        kind: the first operand of the guard.
        decide: gets the other operands; the guard holds when it returns True.

    Example:
        >>> from guardlang.parse import parse
        >>> register_opaque("EVEN", lambda n: n % 2 == 0)
        >>> evaluate(parse("opaque('EVEN', L['n'])"), {"n": 4}).kind
        'TRUE'
    """
    _deciders[kind] = decide


def _opaque(kind: str, *operands: Any) -> bool:
    decide = _deciders.get(kind)
    if decide is None:
        raise Undefined(f"has nothing installed that decides {kind!r}")
    return _impurely(lambda: decide(*operands)) is True


# What each function of the language means, but for those on identities and classes.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": lambda a: arithmetic.unary("abs", a),
    "bool": truthiness,
    "bytes": base_bytes,
    "ceil": lambda a: arithmetic.whole("ceil", a),
    "complex": base_complex,
    "dispatch_keys": _dispatch_keys,
    "exact": exact,
    "float": base_float,
    "floor": lambda a: arithmetic.whole("floor", a),
    "frozenset": _as_set(frozenset),
    "hasattr": has_attribute,
    "int": base_int,
    "isnan": arithmetic.is_nan,
    "keys": keys_of,
    "len": length,
    "max": arithmetic.maximum,
    "min": arithmetic.minimum,
    "opaque": _opaque,
    "overlapping": lambda *tensors: overlapping(tensors),
    "remaining": remaining,
    "round": arithmetic.round_to,
    "set": _as_set(set),
    "sqrt": arithmetic.square_root,
    "str": base_str,
    "trunc": lambda a: arithmetic.whole("trunc", a),
    "tuple": base_tuple,
    "values": values_of,
}
