"""What Python's operators cannot say: identity, membership, short circuits, chains, and the functions of the language."""

from __future__ import annotations

from collections.abc import Callable

from guardlang.ast import BoolOp, Call, Compare, IfExp, Not
from guardlang.dsl.term import G, L, Term, compared, lift, wrap  # noqa: F401  # G and L for the examples
from guardlang.errors import GuardNameError, GuardTypeError
from guardlang.functions import lookup
from guardlang.language import FUNCTIONS
from guardlang.sources import (
    AttrSource,
    CallFunctionNoArgsSource,
    DynamicAttrSource,
    DynamicGetItemSource,
    TupleIteratorGetItemSource,
    TypeSource,
    WeakRefCallSource,
)

__all__ = [
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
    "max_",
    "min_",
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


def is_(a: object, b: object) -> Term:
    """Return the guard `a is b`.

    Example:
        >>> is_(L["a"], L["b"])
        <Term L['a'] is L['b']>
    """
    return compared("is", a, b)


def is_not(a: object, b: object) -> Term:
    """Return the guard `a is not b`.

    Example:
        >>> is_not(L["a"], None)
        <Term L['a'] is not None>
    """
    return compared("is not", a, b)


def in_(k: object, container: object) -> Term:
    """Return the guard `k in container`.

    Example:
        >>> in_("k", L["d"])
        <Term 'k' in L['d']>
    """
    return compared("in", k, container)


def not_in(k: object, container: object) -> Term:
    """Return the guard `k not in container`.

    Example:
        >>> not_in("k", L["d"])
        <Term 'k' not in L['d']>
    """
    return compared("not in", k, container)


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
    return wrap(Compare(tuple(map(str, ops)), tuple(lift(operand) for operand in (first, *operands))))


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
    return wrap(BoolOp(op, tuple(lift(condition) for condition in conditions)))


def not_(condition: object) -> Term:
    """Return `not condition`.

    Example:
        >>> not_(L["n"] == 1)
        <Term not L['n'] == 1>
    """
    return wrap(Not(lift(condition)))


def if_(test: object, body: object, orelse: object) -> Term:
    """Return `body if test else orelse`.

    Example:
        >>> if_(L["n"] > 1, L["a"], L["b"]) == 3
        <Term (L['a'] if L['n'] > 1 else L['b']) == 3>
    """
    return wrap(IfExp(lift(test), lift(body), lift(orelse)))


def type_(x: object) -> Term:
    """Return `type(x)`, the exact class.

    Example:
        >>> is_(type_(L["x"]), int)
        <Term type(L['x']) is int>
    """
    return wrap(TypeSource(lift(x)))


def attr(x: object, name: str) -> Term:
    """Return `x.name` for any name, also one that `Term` itself has.

    Example:
        >>> attr(L["x"], "__class__")
        <Term L['x'].__class__>
    """
    return wrap(AttrSource(lift(x), name))


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
    return wrap(WeakRefCallSource(lift(reference)))


def peek(iterator: object, position: object) -> Term:
    """Return `peek(iterator, position)`: an item left of an iterator, without consuming it.

    Example:
        >>> peek(L["it"], 0) == 3
        <Term peek(L['it'], 0) == 3>
    """
    return wrap(TupleIteratorGetItemSource(lift(iterator), lift(position)))


def call(x: object) -> Term:
    """Return `call(x)`: x called without operands. Impure.

    Example:
        >>> call(L["f"]) == 1
        <Term call(L['f']) == 1>
    """
    return wrap(CallFunctionNoArgsSource(lift(x)))


def getattr_(x: object, name: str) -> Term:
    """Return `getattr(x, name)`: the full attribute protocol. Impure.

    Example:
        >>> getattr_(L["x"], "area") == 6
        <Term getattr(L['x'], 'area') == 6>
    """
    return wrap(DynamicAttrSource(lift(x), name))


def getitem(x: object, key: object) -> Term:
    """Return `getitem(x, key)`: the full item protocol. Impure.

    Example:
        >>> getitem(L["d"], "k") == 3
        <Term getitem(L['d'], 'k') == 3>
    """
    return wrap(DynamicGetItemSource(lift(x), lift(key)))


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


def _call(name: str, *operands: object) -> Term:
    return wrap(Call(name, tuple(lift(operand) for operand in operands)))


def _function(name: str, example: str, text: str, says: str) -> Callable[..., Term]:
    """Return the builder of the calls of one function of the language, documented with an example."""
    python_name = example.partition("(")[0]

    def build(*operands: object) -> Term:
        signature = FUNCTIONS[name]
        if not signature.least <= len(operands) <= signature.most:
            raise GuardTypeError(f"{name} does not take {len(operands)} operands")
        return _call(name, *operands)

    build.__name__ = build.__qualname__ = python_name
    build.__doc__ = f"""Return `{name}(...)`: {says}.

    Args:
        operands: terms, nodes or constants.

    Raises:
        GuardTypeError: not so many operands.

    Example:
        >>> {example}
        <Term {text}>
    """
    return build


same = _function("same", 'same(L["a"], G["b"])', "same(L['a'], G['b'])", "whether all are one object")
distinct = _function(
    "distinct",
    'distinct(L["a"], L["b"], L["c"])',
    "distinct(L['a'], L['b'], L['c'])",
    "whether no two are one object",
)
overlapping = _function(
    "overlapping",
    'overlapping(L["x"], L["y"])',
    "overlapping(L['x'], L['y'])",
    "which share memory, in groups of positions",
)
exact = _function("exact", 'exact(L["x"], 0.0)', "exact(L['x'], 0.0)", "the same exact type and the same value to the bit")
keys = _function("keys", 'keys(L["d"])', "keys(L['d'])", "the keys of a dict in order, as a tuple")
values = _function("values", 'values(L["d"])', "values(L['d'])", "the values of a dict in order, as a tuple")
dispatch_keys = _function("dispatch_keys", 'dispatch_keys(L["x"])', "dispatch_keys(L['x'])", "the dispatch keys in effect")
remaining = _function("remaining", 'remaining(L["it"])', "remaining(L['it'])", "how many items an iterator has left")
is_instance = _function("isinstance", 'is_instance(L["x"], int)', "isinstance(L['x'], int)", "a subclass test by the real MRO")
isnan = _function("isnan", 'isnan(L["v"])', "isnan(L['v'])", "whether a number is NaN")
sqrt = _function("sqrt", 'sqrt(L["v"])', "sqrt(L['v'])", "the square root as a float")
floor = _function("floor", 'floor(L["v"])', "floor(L['v'])", "the integer below")
ceil = _function("ceil", 'ceil(L["v"])', "ceil(L['v'])", "the integer above")
trunc = _function("trunc", 'trunc(L["v"])', "trunc(L['v'])", "the integer towards zero")
len_ = _function("len", 'len_(L["xs"])', "len(L['xs'])", "the length, by the base type")
abs_ = _function("abs", 'abs_(L["n"])', "abs(L['n'])", "the absolute value")
min_ = _function("min", 'min_(L["a"], L["b"])', "min(L['a'], L['b'])", "Python's minimum")
max_ = _function("max", 'max_(L["a"], L["b"])', "max(L['a'], L['b'])", "Python's maximum")
round_ = _function("round", 'round_(L["v"], 2)', "round(L['v'], 2)", "rounding half to even, in decimal")
int_ = _function("int", 'int_(L["n"])', "int(L['n'])", "the base value of an int, or a float towards zero")
float_ = _function("float", 'float_(L["v"])', "float(L['v'])", "the base value of a float, or an int rounded")
bool_ = _function("bool", 'bool_(L["x"])', "bool(L['x'])", "the truth of a value")
str_ = _function("str", 'str_(L["s"])', "str(L['s'])", "the base value of a str")
tuple_ = _function("tuple", 'tuple_(L["t"])', "tuple(L['t'])", "the base value of a tuple")
set_ = _function("set", 'set_(keys(L["d"]))', "set(keys(L['d']))", "the items of a tuple as a set")
