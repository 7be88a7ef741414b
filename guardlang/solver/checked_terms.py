"""The checker's rules on conditions, definedness, classes, identity and values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from guardlang.ast import BinOp, BoolOp, Call, Compare, Expr, IfExp, Not, TupleDisplay, UnaryOp
from guardlang.frame import Frame
from guardlang.semantics import Evaluation, Unreadable
from guardlang.solver.checked_paths import object_of, same_path, same_reading, value_path
from guardlang.solver.checked_sums import is_int_term, sum_of, sum_of_claim
from guardlang.solver.facts import Fact
from guardlang.sources import (
    AttrSource,
    Const,
    ConstantSource,
    GetItemSource,
    TensorProperty,
    TensorPropertySource,
    TypeSource,
)
from guardlang.values import Undefined, equal, is_value, mro_of
from guardlang.walk import children

__all__ = ["RULES", "short_circuit"]

_WHOLE = frozenset({bool, int})
_REAL = frozenset({bool, int, float})
_COMPLEX = frozenset({bool, int, float, complex})
_SCALARS: frozenset[type] = frozenset({bool, int, float, complex, str, bytes, type(None)})
_SIZED: frozenset[type] = frozenset({list, tuple, dict, set, frozenset, str, bytes, bytearray, range})
_TRUTHY: frozenset[type] = _SCALARS | frozenset({list, tuple, dict, set, frozenset})
_OTHER = {"true": "false", "false": "true"}


def _links(expr: Compare) -> list[Expr]:
    return [Compare((op,), (a, b)) for op, a, b in zip(expr.ops, expr.operands, expr.operands[1:], strict=False)]


def short_circuit(expr: Expr) -> tuple[list[Expr], str]:
    """Return the parts that a condition evaluates in turn, and the kind of fact on which it goes on.

    Example:
        >>> from guardlang.parse import parse
        >>> [str(part) for part in short_circuit(parse("1 < L['n'] < 3"))[0]], short_circuit(parse("1 < L['n'] < 3"))[1]
        (["1 < L['n']", "L['n'] < 3"], 'true')
    """
    if isinstance(expr, BoolOp):
        return list(expr.operands), "true" if expr.op == "and" else "false"
    if isinstance(expr, Compare):
        return _links(expr), "true"
    return [expr], "true"


def _equal(left: Any, right: Any) -> bool:
    try:
        return equal(left, right)
    except Undefined:
        return False


def _value(node: Expr) -> Any:
    held = object_of(node)
    return _NOTHING if held is None else held[1]


_NOTHING = object()


# Which parts are evaluated with a condition.


def _evaluated(expr: Expr) -> tuple[Expr, ...]:
    if isinstance(expr, BoolOp):
        return expr.operands[:1]
    if isinstance(expr, IfExp):
        return (expr.test,)
    if isinstance(expr, Compare):
        return expr.operands[:2]
    return children(expr)


def _is_evaluated(part: Expr, expr: Expr) -> bool:
    pending, seen = [expr], set()
    while pending:
        node = pending.pop()
        if node is part:
            return True
        if id(node) not in seen:
            seen.add(id(node))
            pending.extend(_evaluated(node))
    return False


def _operand(fact: Fact) -> bool:
    (premise,) = fact.premises
    if premise.kind not in ("true", "false", "defined"):
        return False
    return _is_evaluated(fact.args[0], premise.args[0])


# Conditions.


def _part(fact: Fact) -> bool:
    (whole,) = fact.premises
    expr = whole.args[0]
    parts, going = short_circuit(expr)
    return isinstance(expr, BoolOp | Compare) and whole.kind == fact.kind == going and any(p is fact.args[0] for p in parts)


def _not(fact: Fact) -> bool:
    (premise,) = fact.premises
    for one, other in ((fact, premise), (premise, fact)):
        expr = one.args[0]
        if isinstance(expr, Not) and expr.operand is other.args[0]:
            return premise.kind == _OTHER[fact.kind]
    return False


def _junction(fact: Fact) -> bool:
    parts, going = short_circuit(fact.args[0])
    if fact.kind == going:
        return len(fact.premises) == len(parts) and all(
            p.kind == going and p.args[0] is q for p, q in zip(fact.premises, parts, strict=False)
        )
    *before, last = fact.premises
    return (
        len(fact.premises) <= len(parts) and all(p.kind == going for p in before) and last.kind == fact.kind
        and all(p.args[0] is q for p, q in zip(fact.premises, parts, strict=False))
    )  # fmt: skip


def _chosen(fact: Fact) -> bool:
    test, chosen = fact.premises
    expr = fact.args[0]
    side = expr.body if test.kind == "true" else expr.orelse
    return isinstance(expr, IfExp) and test.args[0] is expr.test and chosen.args[0] is side and chosen.kind == fact.kind


def _conditions(fact: Fact) -> bool:
    first, second = fact.premises
    link = fact.args[0]
    if not isinstance(link, Compare) or (first.args[0], second.args[0]) != link.operands or link.ops not in (("==",), ("!=",)):
        return False
    return ((first.kind == second.kind) is (link.ops == ("==",))) is (fact.kind == "true")


def _only_case(fact: Fact) -> bool:
    (clause,) = fact.premises
    return clause.kind == "clause" and len(clause.args) == 1 and any(_literal_is(one, fact) for one in clause.args[0])


def _literal_is(literal: Sequence[Any], fact: Fact) -> bool:
    return (
        literal[0] == fact.kind
        and len(literal) == len(fact.args) + 1
        and all(a is b or a == b for a, b in zip(literal[1:], fact.args, strict=False))
    )


def _constant_condition(fact: Fact) -> bool:
    expr = fact.args[0]
    return isinstance(expr, Const) and type(expr.value) is bool and expr.value is (fact.kind == "true")


def _is_bool(fact: Fact) -> bool:
    (premise,) = fact.premises
    part, node = premise.args
    held = object_of(node)
    return premise.kind == "same" and part is fact.args[0] and held is not None and held[0] is (fact.kind == "true")


def _alias(fact: Fact) -> bool:
    known, *path = fact.premises
    return known.kind == fact.kind and same_reading(path, known.args[0], fact.args[0])


def _opposite(fact: Fact) -> bool:
    (premise,) = fact.premises
    mine, theirs = fact.args[0], premise.args[0]
    pairs = {("==", "!="), ("!=", "=="), ("in", "not in"), ("not in", "in")}
    return (
        premise.kind == _OTHER[fact.kind] and mine.operands == theirs.operands and len(mine.ops) == 1
        and (mine.ops[0], theirs.ops[0]) in pairs
    )  # fmt: skip


def _anything(fact: Fact) -> bool:
    return fact.premises[0].kind == "absurd"


def _substituted(fact: Fact) -> bool:
    """Evaluate a condition with what it reads replaced by values that are known."""
    closed = fact.extra
    if not _stands_for(closed, fact.args[0], fact.premises, loose=False):
        return False
    try:
        value = Evaluation(Frame()).value(closed)
    except Unreadable:
        return False
    return value is (fact.kind == "true")


def _stands_for(closed: Expr, expr: Expr, facts: Sequence[Fact], *, loose: bool) -> bool:
    if closed is expr:
        return not _reads(expr)
    if isinstance(closed, Const) and (_exactly(expr, closed.value, facts) or (loose and _valued(expr, closed, facts))):
        return True
    if isinstance(closed, Const) and isinstance(expr, Call) and _is_folded(closed, expr, facts, loose=loose):
        return True
    if loose and isinstance(closed, ConstantSource) and _valued(expr, closed, facts):
        return True
    if type(closed) is not type(expr) or any(
        getattr(closed, name, None) != getattr(expr, name, None) for name in ("op", "ops", "function", "member", "prop")
    ):
        return False
    if isinstance(expr, Call):
        loose = expr.function == "len" or (loose and expr.function in ("set", "frozenset"))
    else:
        loose = isinstance(expr, Compare) and set(expr.ops) <= {"==", "!="}
    mine, theirs = children(closed), children(expr)
    return (
        len(mine) == len(theirs)
        and bool(theirs)
        and all(_stands_for(a, b, facts, loose=loose) for a, b in zip(mine, theirs, strict=False))
    )


def _is_folded(closed: Const, expr: Call, facts: Sequence[Fact], *, loose: bool) -> bool:
    """Tell whether a literal stands for a call on a literal, which may be written as what it gives."""
    if not (expr.function == "len" or (loose and expr.function in ("set", "frozenset"))):
        return False
    known = [fact for fact in facts if fact.kind == "equals" and fact.args[0] is expr.args[0]]
    return any(_folds(expr.function, fact.args[1], closed) for fact in known)


def _folds(function: str, node: Expr, closed: Const) -> bool:
    try:
        return _identical(Evaluation(Frame()).value(Call(function, (node,))), closed.value)
    except Unreadable:
        return False


def _reads(expr: Expr) -> bool:
    return not isinstance(expr, Const | ConstantSource) and (not children(expr) or any(map(_reads, children(expr))))


def _valued(part: Expr, node: Expr, facts: Sequence[Fact]) -> bool:
    return any(fact.kind == "equals" and fact.args[0] is part and fact.args[1] is node for fact in facts)


def _types(part: Expr, facts: Sequence[Fact]) -> frozenset[type] | None:
    """Return the exact classes of a term by facts on it, or by what it is."""
    held = object_of(part)
    if held is not None:
        return frozenset({type(held[0])})
    if is_int_term(part):
        return frozenset({int})
    for fact in facts:
        if fact.kind == "type" and fact.args[0] is part:
            classes: frozenset[type] = fact.args[1]
            return classes
    match part:
        case Compare() | BoolOp() | Not():
            return frozenset({bool})
        case Call(function=("keys" | "values" | "tuple")):
            return frozenset({tuple})
        case Call(function=("isinstance" | "hasattr" | "exact" | "same" | "distinct" | "isnan" | "bool")):
            return frozenset({bool})
        case Call(function="set"):
            return frozenset({set})
        case Call(function=("frozenset" | "dispatch_keys")):
            return frozenset({frozenset})
        case Call(function="str"):
            return frozenset({str})
        case Call(function=("float" | "sqrt")):
            return frozenset({float})
        case BinOp() | UnaryOp() | Call(function=("abs" | "min" | "max")):
            below = [_types(child, facts) for child in children(part)]
            known = [classes for classes in below if classes is not None]
            if len(known) < len(below) or any(not classes <= _REAL for classes in known):
                return None
            return _result(part, known)
        case IfExp():
            first, second = _types(part.body, facts), _types(part.orelse, facts)
            return None if first is None or second is None else first | second
    return None


def _result(part: Expr, below: list[frozenset[type]]) -> frozenset[type]:
    whole = all(classes <= _WHOLE for classes in below)
    if isinstance(part, BinOp):
        if part.op == "/":
            return frozenset({float})
        if part.op in ("&", "|", "^") and whole:
            return _WHOLE
        if part.op == "**" and not (isinstance(part.right, Const) and type(part.right.value) is int and part.right.value >= 0):
            return _REAL
    if isinstance(part, Call) and part.function in ("min", "max"):
        return frozenset().union(*below)
    return frozenset({int}) if whole else frozenset({int, float})


def _exactly(part: Expr, value: Any, facts: Sequence[Fact]) -> bool:
    """Tell whether facts leave a term one value, to the bit."""
    paths = [fact for fact in facts if fact.kind == "same"]
    for fact in facts:
        if fact.kind == "true" and isinstance(fact.args[0], Call) and fact.args[0].function == "exact":
            first, second = fact.args[0].args
            for mine, other in ((first, second), (second, first)):
                if same_reading(paths, mine, part) and _identical(_value(other), value):
                    return True
        if fact.kind == "same":
            for mine, other in (fact.args, fact.args[::-1]):
                held = object_of(other)
                single = held is not None and (held[0] is None or type(held[0]) is bool) and held[0] is value
                if single and (mine is part or same_path(paths, mine, part)):
                    return True
    classes = _types(part, facts)
    if classes is None or len(classes) != 1 or type(value) not in classes:
        return False
    if value is None:
        return True
    if type(value) not in (bool, int, float, str, bytes) or (type(value) is float and value == 0):
        return False
    for fact in facts:
        if fact.kind == "equals" and fact.args[0] is part and _equal(_value(fact.args[1]), value):
            return True
        if fact.kind == "linear" and fact.args[1] == "==" and type(value) is int:
            term = sum_of(part)
            gap = sum_of_claim(fact.args[0])
            ratio = None if term is None else gap.variable_part.ratio(term.variable_part)
            if (
                term is not None
                and ratio
                and (gap - term.scaled(ratio)).is_number
                and -(gap - term.scaled(ratio)).number / ratio == value
            ):
                return True
    return False


def _identical(left: Any, right: Any) -> bool:
    from guardlang.values import exact

    try:
        return left is not _NOTHING and exact(left, right)
    except Undefined:
        return False


# Clauses.


def _if_clause(fact: Fact) -> bool:
    (premise,) = fact.premises
    expr, kind = premise.args[0], premise.kind
    if not isinstance(expr, IfExp):
        return False
    wanted = ((("true", expr.test), (kind, expr.body)), (("false", expr.test), (kind, expr.orelse)))
    return _same_alternatives(fact.args, wanted)


def _same_alternatives(left: Sequence[Any], right: Sequence[Any]) -> bool:
    return len(left) == len(right) and all(
        len(a) == len(b)
        and all(
            len(x) == len(y) and all(u is v or u == v for u, v in zip(x, y, strict=False)) for x, y in zip(a, b, strict=False)
        )
        for a, b in zip(left, right, strict=False)
    )


def _some_part(fact: Fact) -> bool:
    (premise,) = fact.premises
    parts, going = short_circuit(premise.args[0])
    stop = premise.kind
    if stop != _OTHER[going] or not isinstance(premise.args[0], BoolOp | Compare):
        return False
    wanted: list[tuple[tuple[str, Expr], ...]] = []
    before: list[tuple[str, Expr]] = []
    for part in parts:
        wanted.append((*before, (stop, part)))
        before.append((going, part))
    return _same_alternatives(fact.args, wanted)


def _condition_clause(fact: Fact) -> bool:
    (premise,) = fact.premises
    link = premise.args[0]
    if not isinstance(link, Compare) or link.ops not in (("==",), ("!=",)) or not all(map(_is_condition, link.operands)):
        return False
    agree = (link.ops == ("==",)) is (premise.kind == "true")
    left, right = link.operands
    wanted = (
        (("true", left), ("true" if agree else "false", right)),
        (("false", left), ("false" if agree else "true", right)),
    )
    return _same_alternatives(fact.args, wanted)


def _is_condition(expr: Expr) -> bool:
    if isinstance(expr, IfExp):
        return _is_condition(expr.body) and _is_condition(expr.orelse)
    return _types(expr, ()) == frozenset({bool})


def _member_clause(fact: Fact) -> bool:
    """A term in a list of values equals one of them: one that nothing excludes."""
    first, *others = fact.premises
    found = _inside(first)
    if found is None:
        return False
    part, items = found
    left = [alternative[0][2] for alternative in fact.args if len(alternative) == 1 and alternative[0][:2] == ("equals", part)]
    if len(left) != len(fact.args):
        return False
    excluded = [
        one.args[1] for one in others if one.kind == "differs" and (one.args[0] is part or value_path(others, one.args[0], part))
    ]
    return all(
        any(_identical(_value(node), item) for node in left) or any(_equal(_value(node), item) for node in excluded)
        for item in items
    )


def _inside(fact: Fact) -> tuple[Expr, list[Any]] | None:
    """Return the term and the values of a membership that holds."""
    link = fact.args[0] if fact.kind in ("true", "false") else None
    if not isinstance(link, Compare) or link.ops != (("in",) if fact.kind == "true" else ("not in",)):
        return None
    items = _value(link.operands[1])
    if type(items) not in (tuple, list, set, frozenset, dict):
        return None
    return link.operands[0], list(items)


# Classes.


def _classes_named(expr: Expr) -> tuple[type, ...] | None:
    if isinstance(expr, ConstantSource):
        parts = expr.value if type(expr.value) is tuple else (expr.value,)
    elif isinstance(expr, TupleDisplay):
        parts = tuple(item.value if isinstance(item, ConstantSource) else None for item in expr.items)
    else:
        return None
    return parts if all(issubclass(type(part), type) for part in parts) else None


def _derives(cls: type, targets: Sequence[type]) -> bool:
    return any(base is target for base in mro_of(cls) for target in targets)


def _demanded(part: Expr, whole: Expr) -> frozenset[type] | None:
    """Return the classes that a part must have for an evaluated operation on it to be defined."""
    allowed: frozenset[type] | None = None
    pending, seen = [whole], set()
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        pending.extend(_evaluated(node))
        if any(child is part for child in _evaluated(node)):
            classes = _needs(node, part)
            if classes is not None:
                allowed = classes if allowed is None else allowed & classes
    return allowed


def _needs(node: Expr, part: Expr) -> frozenset[type] | None:
    match node:
        case BinOp(op=op):
            return _WHOLE if op in ("<<", ">>", "&", "|", "^") else _REAL if op in ("//", "%") else _COMPLEX
        case UnaryOp(op=op):
            return _WHOLE if op == "~" else _COMPLEX
        case Call(function=("min" | "max" | "floor" | "ceil" | "trunc" | "sqrt" | "isnan" | "round")):
            return _REAL
        case Call(function="abs"):
            return _COMPLEX
        case Compare(ops=(("<" | "<=" | ">" | ">="), *_)):
            left, right = node.operands[:2]
            other = right if left is part else left
            if is_int_term(other) or isinstance(other, BinOp | UnaryOp):
                return _REAL
            if isinstance(other, Const) and type(other.value) in (int, bool, float):
                return _REAL
            if isinstance(other, Const) and type(other.value) in (str, bytes):
                return frozenset({type(other.value)})
            return None
    return None


def _operand_class(fact: Fact) -> bool:
    (premise,) = fact.premises
    allowed = _demanded(fact.args[0], premise.args[0]) if premise.kind in ("true", "false") else None
    return allowed is not None and allowed <= fact.args[1]


def _both_classes(fact: Fact) -> bool:
    first, second, *path = fact.premises
    part = fact.args[0]
    return (
        first.kind == second.kind == "type" and (first.args[1] & second.args[1]) <= fact.args[1]
        and all(one.args[0] is part or same_path(path, one.args[0], part) for one in (first, second))
    )  # fmt: skip


def _narrowed(fact: Fact) -> bool:
    known, test, *path = fact.premises
    call = test.args[0]
    if known.kind != "type" or not isinstance(call, Call) or call.function != "isinstance" or test.kind not in ("true", "false"):
        return False
    targets = _classes_named(call.args[1])
    part = fact.args[0]
    if targets is None or not all(one is part or same_path(path, one, part) for one in (known.args[0], call.args[0])):
        return False
    claimed: frozenset[type] = fact.args[1]
    return {cls for cls in known.args[1] if _derives(cls, targets) is (test.kind == "true")} <= claimed


def _type_alias(fact: Fact) -> bool:
    known, *path = fact.premises
    return known.kind == "type" and known.args[1] <= fact.args[1] and same_path(path, known.args[0], fact.args[0])


def _type_is(fact: Fact) -> bool:
    (premise,) = fact.premises
    part, node = premise.args
    held = object_of(node)
    return (
        premise.kind == "same" and isinstance(part, TypeSource) and part.base is fact.args[0]
        and held is not None and fact.args[1] == {held[0]}
    )  # fmt: skip


def _object_class(fact: Fact) -> bool:
    (premise,) = fact.premises
    part, node = premise.args
    held = object_of(node)
    return premise.kind == "same" and part is fact.args[0] and held is not None and fact.args[1] == {type(held[0])}


def _exact_class(fact: Fact) -> bool:
    (premise,) = fact.premises
    call = premise.args[0]
    if premise.kind != "true" or not isinstance(call, Call) or call.function != "exact":
        return False
    first, second = call.args
    return any(
        mine is fact.args[0] and object_of(other) is not None and fact.args[1] == {type(_value(other))}
        for mine, other in ((first, second), (second, first))
    )


# Identity.


def _said_same(fact: Fact) -> bool:
    (premise,) = fact.premises
    expr = premise.args[0]
    pair = set(map(id, fact.args))
    match expr:
        case Compare(ops=(op,), operands=operands):
            return op == ("is" if premise.kind == "true" else "is not") and pair == set(map(id, operands))
        case Call(function="same", args=args):
            return premise.kind == "true" and pair <= set(map(id, args))
        case Call(function="distinct", args=args):
            return premise.kind == "false" and len(args) == 2 and pair == set(map(id, args))
    return False


def _said_apart(fact: Fact) -> bool:
    (premise,) = fact.premises
    expr = premise.args[0]
    pair = set(map(id, fact.args))
    match expr:
        case Compare(ops=(op,), operands=operands):
            return op == ("is not" if premise.kind == "true" else "is") and pair == set(map(id, operands))
        case Call(function="same", args=args):
            return premise.kind == "false" and len(args) == 2 and pair == set(map(id, args))
    return False


def _class_value(fact: Fact) -> bool:
    (premise,) = fact.premises
    return (
        premise.kind == "equals" and set(map(id, premise.args)) == set(map(id, fact.args))
        and issubclass(type(_value(premise.args[1])), type)
    )  # fmt: skip


def _transitive(fact: Fact) -> bool:
    left, right = fact.args
    return left is right or same_path(fact.premises, left, right)


def _congruence(fact: Fact) -> bool:
    return same_reading(fact.premises, *fact.args)


def _singleton(fact: Fact) -> bool:
    part, node = fact.args
    held = object_of(node)
    if held is None or not (held[0] is None or type(held[0]) is bool):
        return False
    return _exactly(part, held[0], fact.premises)


def _of_class(fact: Fact) -> bool:
    part, node = fact.args
    held = object_of(node)
    return isinstance(part, TypeSource) and held is not None and _types(part.base, fact.premises) == frozenset({held[0]})


def _constants_apart(fact: Fact) -> bool:
    first, second = (object_of(side) for side in fact.args)
    return first is not None and second is not None and first[0] is not second[0]


def _distinct(fact: Fact) -> Sequence[Expr]:
    """Return the terms that a fact says to be different objects."""
    if fact.kind == "apart":
        return fact.args
    expr = fact.args[0]
    if isinstance(expr, Call) and expr.function == "distinct" and fact.kind == "true":
        return expr.args
    return ()


def _among(fact: Fact) -> bool:
    first, *path = fact.premises
    terms = _distinct(first)
    left, right = fact.args
    for one in terms:
        for other in terms:
            if one is not other and _reaches(path, one, left) and _reaches(path, other, right):
                return True
    return False


def _reaches(path: Sequence[Fact], one: Expr, other: Expr) -> bool:
    return one is other or same_path(path, one, other)


def _apart_classes(fact: Fact) -> bool:
    first, second = (_types(side, fact.premises) for side in fact.args)
    return first is not None and second is not None and not first & second


def _apart_values(fact: Fact) -> bool:
    (premise,) = fact.premises
    for part, node in (fact.args, fact.args[::-1]):
        held = object_of(node)
        single = held is not None and type(held[0]) in (bool, type(None))
        if single and premise.kind == "equals" and premise.args[0] is part and not _equal(_value(premise.args[1]), _value(node)):
            return True
    return False


def _apart_objects(fact: Fact) -> bool:
    for part, node in (fact.args, fact.args[::-1]):
        held = object_of(node)
        if held is None:
            continue
        for premise in fact.premises:
            for side in premise.args if premise.kind == "same" else ():
                other = object_of(side)
                if other is not None and other[0] is not held[0] and same_path(fact.premises, part, side):
                    return True
    return False


def _other_class(fact: Fact) -> bool:
    for part, node in (fact.args, fact.args[::-1]):
        held = object_of(node)
        if isinstance(part, TypeSource) and held is not None:
            classes = _types(part.base, fact.premises)
            return classes is not None and held[0] not in classes
    return False


def _identity(fact: Fact) -> bool:
    known, *places = fact.premises
    link = fact.args[0]
    if not isinstance(link, Compare) or link.ops not in (("is",), ("is not",)) or not _all_defined(link.operands, places):
        return False
    if set(map(id, known.args)) != set(map(id, link.operands)) or known.kind not in ("same", "apart"):
        return False
    return ((known.kind == "same") is (link.ops == ("is",))) is (fact.kind == "true")


def _all_defined(parts: Sequence[Expr], facts: Sequence[Fact]) -> bool:
    known = {id(fact.args[0]) for fact in facts if fact.kind == "defined"}
    return all(id(part) in known or isinstance(part, Const | ConstantSource) for part in parts)


def _partition(fact: Fact) -> bool:
    call = fact.args[0]
    if not isinstance(call, Call) or not _all_defined(call.args, fact.premises):
        return False
    pairs = {(one.kind, frozenset(map(id, one.args))) for one in fact.premises if one.kind in ("same", "apart")}
    every = [frozenset({id(a), id(b)}) for n, a in enumerate(call.args) for b in call.args[n + 1 :]]
    same = [pair for pair in every if len(pair) == 1 or ("same", pair) in pairs]
    apart = [pair for pair in every if ("apart", pair) in pairs]
    if call.function == "same":
        if fact.kind == "true":
            return all(frozenset({id(call.args[0]), id(b)}) in same for b in call.args[1:])
        return bool(apart)
    if fact.kind == "false":
        return bool(same)
    groups = [_distinct(one) for one in fact.premises]
    if any({id(a) for a in call.args} <= {id(g) for g in group} for group in groups) and len(set(map(id, call.args))) == len(
        call.args
    ):
        return True
    return len(apart) == len(every)


# Values.


def _compared(fact: Fact) -> bool:
    (premise,) = fact.premises
    link = premise.args[0]
    if not isinstance(link, Compare) or len(link.ops) != 1 or premise.kind not in ("true", "false"):
        return False
    wanted = "==" if (fact.kind == "equals") is (premise.kind == "true") else "!="
    part, node = fact.args
    return link.ops == (wanted,) and set(map(id, link.operands)) == {id(part), id(node)} and object_of(node) is not None


def _equal_values(fact: Fact) -> bool:
    known, *path = fact.premises
    part, node = fact.args
    return known.kind == "equals" and known.args[1] is node and value_path(path, known.args[0], part)


def _same_value(fact: Fact) -> bool:
    known, *path = fact.premises
    part, node = fact.args
    return known.kind == "equals" and known.args[1] is node and same_path(path, known.args[0], part)


def _exact_value(fact: Fact) -> bool:
    (premise,) = fact.premises
    call, (part, node) = premise.args[0], fact.args
    if premise.kind != "true" or not isinstance(call, Call) or call.function != "exact":
        return False
    value = _value(node)
    return set(map(id, call.args)) == {id(part), id(node)} and value is not _NOTHING and _equal(value, value)


def _object_value(fact: Fact) -> bool:
    (premise,) = fact.premises
    held = object_of(fact.args[1])
    return premise.kind == "same" and premise.args == fact.args and held is not None and type(held[0]) in (bool, type(None))


def _not_member(fact: Fact) -> bool:
    (premise,) = fact.premises
    link = premise.args[0]
    if not isinstance(link, Compare) or link.ops != (("not in",) if premise.kind == "true" else ("in",)):
        return False
    items = _value(link.operands[1])
    part, node = fact.args
    return (
        type(items) in (tuple, list, set, frozenset, dict) and link.operands[0] is part
        and any(_identical(item, _value(node)) for item in items)
    )  # fmt: skip


def _known_value(fact: Fact) -> bool:
    (premise,) = fact.premises
    link = fact.args[0]
    if premise.kind != "equals" or not isinstance(link, Compare) or link.ops not in (("==",), ("!=",)):
        return False
    for part, node in (link.operands, link.operands[::-1]):
        if premise.args[0] is part and object_of(node) is not None and is_value(_value(node)):
            return (_equal(_value(premise.args[1]), _value(node)) is (link.ops == ("==",))) is (fact.kind == "true")
    return False


def _known_values(fact: Fact) -> bool:
    first, second = fact.premises
    link = fact.args[0]
    if link.ops not in (("==",), ("!=",)) or (first.args[0], second.args[0]) != link.operands:
        return False
    agree = _equal(_value(first.args[1]), _value(second.args[1]))
    return first.kind == second.kind == "equals" and (agree is (link.ops == ("==",))) is (fact.kind == "true")


def _excluded_value(fact: Fact) -> bool:
    known, *path = fact.premises
    link = fact.args[0]
    if known.kind != "differs" or link.ops not in (("==",), ("!=",)):
        return False
    for part, node in (link.operands, link.operands[::-1]):
        reached = known.args[0] is part or value_path(path, known.args[0], part)
        if reached and object_of(node) is not None and _equal(_value(known.args[1]), _value(node)):
            return (fact.kind == "true") is (link.ops == ("!=",))
    return False


def _class_equality(fact: Fact) -> bool:
    known, place = fact.premises
    link = fact.args[0]
    sides = set(map(id, link.operands))
    classes = all(isinstance(side, TypeSource) or issubclass(type(_value(side)), type) for side in link.operands)
    if set(map(id, known.args)) != sides or known.kind not in ("same", "apart") or not classes or place.kind != "defined":
        return False
    return ((known.kind == "same") is (link.ops == ("==",))) is (fact.kind == "true") and link.ops in (("==",), ("!=",))


def _equal_terms(fact: Fact) -> bool:
    (premise,) = fact.premises
    link = fact.args[0]
    return (
        premise.kind == "equal" and link.ops in (("==",), ("!=",)) and set(map(id, premise.args)) == set(map(id, link.operands))
        and (fact.kind == "true") is (link.ops == ("==",))
    )  # fmt: skip


def _equal_path(fact: Fact) -> bool:
    return value_path(fact.premises, *fact.args)


def _itself(fact: Fact) -> bool:
    """What is no NaN and holds none equals itself."""
    link = fact.args[0]
    left, right = link.operands
    if link.ops not in (("==",), ("!=",)) or (fact.kind == "true") is not (link.ops == ("==",)):
        return False
    if left is not right and not same_path(fact.premises, left, right):
        return False
    for fact_ in fact.premises:
        if fact_.kind == "equals" and fact_.args[0] in (left, right):
            return True
    places = any(one.kind == "defined" and one.args[0] in (left, right) for one in fact.premises)
    for side in (left, right):
        classes = _types(side, fact.premises)
        if classes is not None and classes <= {bool, int, str, bytes, type(None)} and places:
            return True
    return False


def _known_keys(fact: Fact) -> bool:
    (premise,) = fact.premises
    link = fact.args[0]
    if premise.kind != "equals" or link.ops not in (("in",), ("not in",)) or not isinstance(link.operands[0], Const):
        return False
    key, container = link.operands
    items = _value(premise.args[1])
    by_keys = premise.args[0] is Call("keys", (container,)) and type(items) is tuple
    if type(key.value) is not str or not (by_keys or (premise.args[0] is container and type(items) is dict)):
        return False
    inside = any(type(item) is str and item == key.value for item in items)
    return (inside is (link.ops == ("in",))) is (fact.kind == "true")


def _entry(fact: Fact) -> bool:
    known, *path = fact.premises
    link = fact.args[0]
    if link.ops not in (("in",), ("not in",)) or known.kind != "defined":
        return False
    key, container = link.operands
    place = known.args[0]
    reads = isinstance(place, GetItemSource) and place.index is key and isinstance(key, Const) and type(key.value) is str
    return reads and _reaches(path, place.base, container) and (fact.kind == "true") is (link.ops == ("in",))


def _choices(fact: Fact) -> bool:
    known, *path = fact.premises
    link = fact.args[0]
    found = _inside(known)
    items = _value(link.operands[1])
    if found is None or type(items) not in (tuple, list) or link.ops not in (("in",), ("not in",)):
        return False
    if found[0] is not link.operands[0] and not value_path(path, found[0], link.operands[0]):
        return False
    inside = {any(_equal(one, other) for other in items) for one in found[1]}
    return len(inside) == 1 and (inside.pop() is (link.ops == ("in",))) is (fact.kind == "true")


def _instance(fact: Fact) -> bool:
    place, *others = fact.premises
    call = fact.args[0]
    if (
        not isinstance(call, Call)
        or call.function != "isinstance"
        or place.kind != "defined"
        or place.args[0] is not call.args[0]
    ):
        return False
    targets, classes = _classes_named(call.args[1]), _types(call.args[0], others)
    if targets is None or classes is None:
        return False
    return {_derives(cls, targets) for cls in classes} == {fact.kind == "true"}


def _by_instance(fact: Fact) -> bool:
    place, known, *path = fact.premises
    call, other = fact.args[0], known.args[0]
    if not all(isinstance(one, Call) and one.function == "isinstance" for one in (call, other)):
        return False
    mine, theirs = _classes_named(call.args[1]), _classes_named(other.args[1])
    if mine is None or theirs is None or known.kind != fact.kind or place.kind != "defined" or place.args[0] is not call.args[0]:
        return False
    if not _reaches(path, other.args[0], call.args[0]):
        return False
    lower, upper = (theirs, mine) if fact.kind == "true" else (mine, theirs)
    return all(_derives(cls, upper) for cls in lower)


def _no_nan(fact: Fact) -> bool:
    place, *others = fact.premises
    call = fact.args[0]
    if not isinstance(call, Call) or call.function != "isnan" or place.args[0] is not call.args[0] or fact.kind != "false":
        return False
    classes = _types(call.args[0], others)
    ordered = any(one.kind == "order" and any(side is call.args[0] for side in one.args[:2]) for one in others)
    return ordered or (classes is not None and classes <= _WHOLE)


def _attribute(fact: Fact) -> bool:
    (place,) = fact.premises
    call = fact.args[0]
    return (
        isinstance(call, Call) and call.function == "hasattr" and fact.kind == "true" and isinstance(call.args[1], Const)
        and place.kind == "defined" and place.args[0] is AttrSource(call.args[0], call.args[1].value)
    )  # fmt: skip


def _not_exact(fact: Fact) -> bool:
    call = fact.args[0]
    if not isinstance(call, Call) or call.function != "exact" or fact.kind != "false":
        return False
    for part, node in (call.args, call.args[::-1]):
        classes = _types(part, fact.premises)
        if object_of(node) is not None and classes is not None and type(_value(node)) not in classes:
            return True
    return False


# Contradictions.


def _both(fact: Fact) -> bool:
    first, second = fact.premises
    return {first.kind, second.kind} == {"true", "false"} and first.args[0] is second.args[0]


def _bad_constant(fact: Fact) -> bool:
    (premise,) = fact.premises
    expr = premise.args[0]
    return isinstance(expr, Const) and premise.kind in ("true", "false") and expr.value is not (premise.kind == "true")


def _missing(fact: Fact) -> bool:
    missing, place, *path = fact.premises
    call, node = missing.args[0], place.args[0]
    if missing.kind != "false" or place.kind != "defined" or not isinstance(call, Call) or call.function != "hasattr":
        return False
    absent = AttrSource(call.args[0], _value(call.args[1]))
    return same_reading(path, absent, node)


def _no_class(fact: Fact) -> bool:
    (premise,) = fact.premises
    return premise.kind == "type" and not premise.args[1]


def _no_such_value(fact: Fact) -> bool:
    for known in fact.premises:
        if known.kind != "equals":
            continue
        for other in fact.premises:
            if other.kind != "type":
                continue
            reached = other.args[0] is known.args[0] or same_path(fact.premises, other.args[0], known.args[0])
            if reached and _impossible(_value(known.args[1]), other.args[1]):
                return True
    return False


def _impossible(value: Any, classes: frozenset[type]) -> bool:
    if type(value) not in _SCALARS or not classes <= _SCALARS:
        return False
    if type(value) not in _COMPLEX:
        return type(value) not in classes
    for cls in classes & _COMPLEX:
        try:
            if cls(value.real if type(value) is complex and cls is not complex else value) == value:
                return False
        except (ValueError, OverflowError):
            continue
    return True


def _instances(fact: Fact) -> bool:
    yes, no, *path = fact.premises
    if not (yes.kind == "true" and no.kind == "false"):
        return False
    first, second = yes.args[0], no.args[0]
    lower, upper = _classes_named(first.args[1]), _classes_named(second.args[1])
    calls = all(isinstance(one, Call) and one.function == "isinstance" for one in (first, second))
    if not calls or lower is None or upper is None or not _reaches(path, first.args[0], second.args[0]):
        return False
    return all(_derives(cls, upper) for cls in lower)


def _two_values(fact: Fact) -> bool:
    first, second, *path = fact.premises
    return (
        first.kind == second.kind == "equals" and not _equal(_value(first.args[1]), _value(second.args[1]))
        and (first.args[0] is second.args[0] or value_path(path, first.args[0], second.args[0]))
    )  # fmt: skip


def _not_this_value(fact: Fact) -> bool:
    first, second, *path = fact.premises
    return (
        first.kind == "equals" and second.kind == "differs" and _equal(_value(first.args[1]), _value(second.args[1]))
        and (first.args[0] is second.args[0] or value_path(path, first.args[0], second.args[0]))
    )  # fmt: skip


def _unequal(fact: Fact) -> bool:
    first, *path = fact.premises
    link = first.args[0]
    said = isinstance(link, Compare) and link.ops == (("!=",) if first.kind == "true" else ("==",))
    return said and first.kind in ("true", "false") and value_path(path, *link.operands)


def _no_choice(fact: Fact) -> bool:
    first, second, *path = fact.premises
    for choice, known in ((first, second), (second, first)):
        found = _inside(choice) if choice.kind in ("true", "false") else None
        if found is not None and known.kind == "equals":
            reached = found[0] is known.args[0] or value_path(path, found[0], known.args[0])
            if reached and not any(_equal(_value(known.args[1]), item) for item in found[1]):
                return True
    return False


def _no_case(fact: Fact) -> bool:
    (premise,) = fact.premises
    return premise.kind == "clause" and not premise.args


def _not_apart(fact: Fact) -> bool:
    first, *path = fact.premises
    terms = list(_distinct(first))
    return any((one is other or same_path(path, one, other)) for place, one in enumerate(terms) for other in terms[place + 1 :])


def _two_objects(fact: Fact) -> bool:
    ends = [side for one in fact.premises if one.kind == "same" for side in one.args if object_of(side) is not None]
    for place, one in enumerate(ends):
        for other in ends[place + 1 :]:
            first, second = object_of(one), object_of(other)
            assert first is not None
            assert second is not None
            if first[0] is not second[0] and same_path(fact.premises, one, other):
                return True
    return False


# Definedness.


def _constant_place(fact: Fact) -> bool:
    return isinstance(fact.args[0], Const | ConstantSource)


def _decided(fact: Fact) -> bool:
    (premise,) = fact.premises
    return premise.kind in ("true", "false") and premise.args[0] is fact.args[0]


def _always(fact: Fact) -> bool:
    expr = fact.args[0]
    match expr:
        case TypeSource() | TupleDisplay():
            pass
        case Call(function=("same" | "distinct" | "hasattr")):
            pass
        case Call(function="isinstance"):
            if _classes_named(expr.args[1]) is None:
                return False
            return _all_defined(expr.args[:1], fact.premises)
        case Call(function="exact"):
            if not any(isinstance(side, Const) and type(side.value) in _SCALARS for side in expr.args):
                return False
        case _:
            return False
    return _all_defined(children(expr), fact.premises)


def _has_attribute(fact: Fact) -> bool:
    (premise,) = fact.premises
    call = premise.args[0]
    return (
        premise.kind == "true" and isinstance(call, Call) and call.function == "hasattr" and isinstance(call.args[1], Const)
        and fact.args[0] is AttrSource(call.args[0], call.args[1].value)
    )  # fmt: skip


def _of_tensor(fact: Fact) -> bool:
    place, *path = fact.premises
    expr, part = fact.args[0], place.args[0]
    known = isinstance(part, TensorPropertySource) or (isinstance(part, AttrSource) and part.member in ("ndim", "shape"))
    return (
        isinstance(expr, AttrSource) and expr.member in ("ndim", "shape") and known and place.kind == "defined"
        and _reaches(path, part.base, expr.base)
    )  # fmt: skip


def _needed(index: Any) -> int | None:
    if not isinstance(index, Const) or type(index.value) is not int:
        return None
    return int(index.value + 1 if index.value >= 0 else -index.value)


def _lower_dimension(fact: Fact) -> bool:
    place, *path = fact.premises
    expr, part = fact.args[0], place.args[0]
    if not isinstance(expr, TensorPropertySource) or not isinstance(part, TensorPropertySource) or place.kind != "defined":
        return False
    mine, theirs = _needed(expr.index), _needed(part.index)
    return (
        expr.prop is TensorProperty.SIZE and mine is not None and theirs is not None and theirs >= mine
        and _reaches(path, part.base, expr.base)
    )  # fmt: skip


def _dimension(fact: Fact) -> bool:
    enough, place, *path = fact.premises
    expr, rank = fact.args[0], place.args[0]
    if not isinstance(expr, TensorPropertySource) or expr.prop is not TensorProperty.SIZE or not isinstance(rank, AttrSource):
        return False
    needed = _needed(expr.index)
    return (
        needed is not None and rank.member == "ndim" and place.kind == "defined" and _at_least(enough, rank, needed)
        and _reaches(path, rank.base, expr.base)
    )  # fmt: skip


def _at_least(fact: Fact, term: Expr, needed: int) -> bool:
    from guardlang.solver.checked_sums import atom, constant

    return fact.kind == "linear" and fact.args[1] == ">=" and sum_of_claim(fact.args[0]) == atom(term) - constant(needed)


def _index(fact: Fact) -> bool:
    enough, *others = fact.premises
    expr = fact.args[0]
    if not isinstance(expr, GetItemSource):
        return False
    needed = _needed(expr.index)
    classes = _types(expr.base, others)
    if needed is None or classes is None or not classes <= {list, tuple}:
        return False
    bases = {id(expr.base): expr.base, **{id(side): side for one in others if one.kind == "same" for side in one.args}}
    return any(_at_least(enough, Call("len", (base,)), needed) and _reaches(others, base, expr.base) for base in bases.values())


def _key(fact: Fact) -> bool:
    held, *others = fact.premises
    expr, link = fact.args[0], held.args[0]
    if not isinstance(expr, GetItemSource) or held.kind not in ("true", "false") or not isinstance(link, Compare):
        return False
    if link.ops != (("in",) if held.kind == "true" else ("not in",)) or link.operands != (expr.index, expr.base):
        return False
    if _types(expr.base, others) == frozenset({dict}):
        return True
    return any(
        one.kind == "true" and isinstance(one.args[0], Call) and one.args[0].function == "isinstance"
        and one.args[0].args[0] is expr.base
        and all(dict in mro_of(cls) for cls in _classes_named(one.args[0].args[1]) or (object,))
        for one in others
    )  # fmt: skip


def _numbers(fact: Fact) -> bool:
    expr = fact.args[0]
    classes = [_types(part, fact.premises) for part in children(expr)]
    if None in classes or not _all_defined(children(expr), fact.premises):
        return False
    known = [one for one in classes if one is not None]
    whole = all(one <= _WHOLE for one in known)
    match expr:
        case UnaryOp(op=op):
            return all(one <= (_WHOLE if op == "~" else _COMPLEX) for one in known)
        case BinOp(op=("+" | "-" | "*")):
            return whole or all(one <= {float} for one in known)
        case BinOp(op=("&" | "|" | "^")):
            return whole
        case BinOp(op=("<<" | ">>" | "**"), right=right):
            return whole and isinstance(right, Const) and 0 <= right.value <= 1024
        case BinOp(op=("//" | "%")):
            return whole and isinstance(expr.right, Const) and bool(expr.right.value)
        case Call(function=("min" | "max" | "abs" | "isnan")):
            return all(one <= _REAL for one in known)
        case Call(function=("floor" | "ceil" | "trunc" | "int")):
            return whole
    return False


def _nonzero(fact: Fact) -> bool:
    """A quotient of ints whose divisor is not zero."""
    others = fact.premises
    expr = fact.args[0]
    if not isinstance(expr, BinOp) or expr.op not in ("//", "%"):
        return False
    classes = [_types(part, others) for part in children(expr)]
    if any(one is None or not one <= _WHOLE for one in classes) or not _all_defined(children(expr), others):
        return False
    if isinstance(expr.right, Const):
        return bool(expr.right.value)
    divisor = sum_of(expr.right)
    return divisor is not None and any(
        one.kind == "linear" and one.args[1] == "!=" and sum_of_claim(one.args[0]) == divisor for one in others
    )


def _comparison(fact: Fact) -> bool:
    expr = fact.args[0]
    if not isinstance(expr, Compare) or not _all_defined(expr.operands, fact.premises):
        return False
    return all(
        _link_defined(op, left, right, fact.premises)
        for op, left, right in zip(expr.ops, expr.operands, expr.operands[1:], strict=False)
    )


def _link_defined(op: str, left: Expr, right: Expr, facts: Sequence[Fact]) -> bool:
    if op in ("is", "is not"):
        return True
    if op in ("==", "!="):
        return all(_is_value(side, facts) for side in (left, right))
    if op in ("in", "not in"):
        items = _value(right)
        if type(items) in (tuple, list) and is_value(items):
            return _is_value(left, facts)
        if not isinstance(left, Const) or type(left.value) is not str:
            return False
        keys = Call("keys", (right,))
        return _types(right, facts) == frozenset({dict}) or any(one.kind == "defined" and one.args[0] is keys for one in facts)
    first, second = _types(left, facts), _types(right, facts)
    groups = (_REAL, frozenset({str}), frozenset({bytes}))
    return first is not None and second is not None and any(first <= group and second <= group for group in groups)


def _is_value(part: Expr, facts: Sequence[Fact]) -> bool:
    held = object_of(part)
    if held is not None:
        return is_value(held[1])
    if isinstance(part, TypeSource) or (isinstance(part, Call) and part.function in ("set", "frozenset", "dispatch_keys")):
        return True
    classes = _types(part, facts)
    if classes is not None and classes <= _SCALARS:
        return True
    for one in facts:
        expr = one.args[0] if one.kind in ("true", "false") else None
        if isinstance(expr, Compare) and len(expr.ops) == 1:
            sides = expr.operands if expr.ops[0] in ("==", "!=") else expr.operands[:1] if expr.ops[0] in ("in", "not in") else ()
            if any(side is part or same_path(facts, side, part) for side in sides):
                return True
        if one.kind == "same":
            held = object_of(one.args[1])
            if held is not None and type(held[0]) in (bool, type(None)) and _reaches(facts, one.args[0], part):
                return True
    return False


def _conditions_defined(fact: Fact) -> bool:
    expr = fact.args[0]
    return isinstance(expr, Not | BoolOp | IfExp) and _all_defined(children(expr), fact.premises)


def _values_defined(fact: Fact) -> bool:
    expr = fact.args[0]
    return (
        isinstance(expr, Call) and expr.function == "exact" and _all_defined(expr.args, fact.premises)
        and all(_is_value(side, fact.premises) for side in expr.args)
    )  # fmt: skip


def _sized(fact: Fact) -> bool:
    expr = fact.args[0]
    if not isinstance(expr, Call) or expr.function != "len":
        return False
    arg = expr.args[0]
    keys = Call("keys", (arg,))
    if any(one.kind == "defined" and one.args[0] is keys for one in fact.premises):
        return True
    classes = _types(arg, fact.premises)
    shape = isinstance(arg, AttrSource) and arg.member == "shape"
    return _all_defined((arg,), fact.premises) and (shape or (classes is not None and classes <= _SIZED))


def _of_classes(function: str, allowed: frozenset[type]) -> Callable[[Fact], bool]:
    def rule(fact: Fact) -> bool:
        expr = fact.args[0]
        if not isinstance(expr, Call) or expr.function != function:
            return False
        classes = _types(expr.args[0], fact.premises)
        return classes is not None and classes <= allowed and _all_defined(expr.args, fact.premises)

    return rule


def _items(fact: Fact) -> bool:
    expr = fact.args[0]
    if not isinstance(expr, Call) or expr.function not in ("set", "frozenset") or not _all_defined(expr.args, fact.premises):
        return False
    for one in fact.premises:
        if one.kind == "equals" and one.args[0] is expr.args[0]:
            value = _value(one.args[1])
            # Equal values have equal hashes; what is written as a literal of these is hashable all the way down.
            return type(value) in (tuple, list, set, frozenset) and all(type(item) in _SCALARS for item in value)
    return False


def _both_kinds(rules: dict[str, Callable[[Fact], bool]]) -> dict[tuple[str, str], Callable[[Fact], bool]]:
    return {(kind, name): rule for kind in ("true", "false") for name, rule in rules.items()}


def _of(kind: str, rules: dict[str, Callable[[Fact], bool]]) -> dict[tuple[str, str], Callable[[Fact], bool]]:
    return {(kind, name): rule for name, rule in rules.items()}


RULES: dict[tuple[str, str], Callable[[Fact], bool]] = {
    **_both_kinds(
        {
            "part": _part, "not": _not, "junction": _junction, "chosen": _chosen, "conditions": _conditions,
            "only case": _only_case, "constant": _constant_condition, "is bool": _is_bool, "alias": _alias, "rename": _alias,
            "opposite": _opposite, "anything": _anything, "evaluate": _substituted, "identity": _identity,
            "all same": _partition, "some apart": _partition, "among distinct": _partition, "some same": _partition,
            "all apart": _partition, "known value": _known_value, "known values": _known_values,
            "excluded value": _excluded_value, "class equality": _class_equality, "equal": _equal_terms, "itself": _itself,
            "known keys": _known_keys, "entry": _entry, "choices": _choices, "classes": _instance, "base class": _by_instance,
            "derived class": _by_instance, "no nan": _no_nan, "attribute": _attribute, "not exact": _not_exact,
        }
    ),
    **_of(
        "clause",
        {"if": _if_clause, "some part": _some_part, "conditions": _condition_clause, "member": _member_clause},
    ),
    **_of(
        "type",
        {
            "operand class": _operand_class, "both classes": _both_classes, "instance": _narrowed, "alias": _type_alias,
            "type is": _type_is, "object": _object_class, "exact": _exact_class, "only case": _only_case,
        },
    ),
    **_of(
        "same",
        {
            "is": _said_same, "same": _said_same, "not distinct": _said_same, "class value": _class_value,
            "transitive": _transitive, "one object": _transitive, "congruence": _congruence, "singleton": _singleton,
            "class": _of_class,
        },
    ),
    **_of(
        "apart",
        {
            "is not": _said_apart, "not same": _said_apart, "constants": _constants_apart, "apart": _among,
            "classes": _apart_classes, "values": _apart_values, "objects": _apart_objects, "other class": _other_class,
        },
    ),
    **_of(
        "equals",
        {
            "compare": _compared, "equal values": _equal_values, "same value": _same_value, "exact": _exact_value,
            "object": _object_value, "only case": _only_case,
        },
    ),
    **_of("differs", {"compare": _compared, "member": _not_member, "only case": _only_case}),
    **_of("equal", {"transitive": _equal_path}),
    **_of("linear", {"only case": _only_case}),
    **_of("order", {"only case": _only_case}),
    **_of(
        "absurd",
        {
            "both": _both, "constant": _bad_constant, "missing": _missing, "no class": _no_class,
            "no such value": _no_such_value, "instances": _instances, "two values": _two_values,
            "not this value": _not_this_value, "unequal": _unequal, "no choice": _no_choice, "no case": _no_case,
            "apart": _not_apart, "two objects": _two_objects,
        },
    ),
    **_of(
        "defined",
        {
            "operand": _operand, "constant": _constant_place, "decided": _decided, "always": _always, "alias": _alias,
            "has attribute": _has_attribute, "tensor": _of_tensor, "lower dimension": _lower_dimension,
            "dimension": _dimension, "index": _index, "key": _key, "numbers": _numbers, "divisor": _nonzero,
            "comparison": _comparison, "conditions": _conditions_defined, "values": _values_defined, "sized": _sized,
            "truthiness": _of_classes("bool", _TRUTHY),
            "keys": _of_classes("keys", frozenset({dict})), "items": _items, "anything": _anything,
        },
    ),
}  # fmt: skip
