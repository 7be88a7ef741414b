"""The checker's rules on integers and on the order of numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from guardlang.ast import BinOp, BoolOp, Call, Compare, Expr, IfExp
from guardlang.solver.checked_paths import joined, same_path, value_path
from guardlang.solver.checked_sums import (
    Sum,
    atom,
    constant,
    factor_of_claim,
    is_int_term,
    leaves_of,
    sum_of,
    sum_of_claim,
)
from guardlang.solver.facts import Fact
from guardlang.sources import AttrSource, Const, GetItemSource, TensorProperty, TensorPropertySource
from guardlang.walk import children

__all__ = ["RULES"]

_NEGATION = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_INTS = frozenset({bool, int})
_REALS = frozenset({bool, int, float})


def _claim(fact: Fact) -> Sum:
    return sum_of_claim(fact.args[0])


def _is(fact: Fact, relation: str) -> bool:
    return fact.kind == "linear" and fact.args[1] == relation


def _not_negative(fact: Fact) -> bool:
    return _is(fact, ">=") or _is(fact, "==")


def are_ints(leaves: set[Expr], facts: Sequence[Fact]) -> bool:
    """Tell whether facts say of all terms that they are ints or bools."""
    known = {fact.args[0] for fact in facts if fact.kind == "type" and fact.args[1] <= _INTS}
    return leaves <= known


def _said(fact: Fact) -> tuple[Sum, str, set[Expr]] | None:
    """Return what a comparison of integers says, and the terms that must be ints."""
    link = fact.args[0]
    if not isinstance(link, Compare) or len(link.ops) != 1 or link.ops[0] not in _NEGATION:
        return None
    op = link.ops[0] if fact.kind == "true" else _NEGATION[link.ops[0]]
    left, right = (sum_of(side) for side in link.operands)
    if left is None or right is None:
        return None
    leaves = leaves_of(link.operands[0]) | leaves_of(link.operands[1])
    gap = right - left if op in ("<", "<=") else left - right
    scale = math.lcm(*(value.denominator for value in gap.items.values()), 1)
    gap = gap.scaled(scale)
    if op in ("<", ">"):
        return gap - constant(1), ">=", leaves
    return gap, ">=" if op in ("<=", ">=") else op, leaves


def _compare(fact: Fact) -> bool:
    said = _said(fact.premises[0]) if fact.premises[0].kind in ("true", "false") else None
    return said is not None and fact.args[1] == said[1] and _claim(fact) == said[0] and are_ints(said[2], fact.premises[1:])


def _holds(fact: Fact) -> bool:
    """A comparison is true or false because its integers are so related."""
    known, whole = fact.premises[:2]
    said = _said(fact)
    return (
        said is not None
        and whole.kind == "defined"
        and whole.args[0] is fact.args[0]
        and known.kind == "linear"
        and known.args[1] == said[1]
        and _claim(known) == said[0]
        and are_ints(said[2], fact.premises[2:])
    )


def _evaluated_divisors(expr: Expr) -> list[Expr]:
    found: list[Expr] = []
    pending: list[Expr] = list(expr.operands[:2]) if isinstance(expr, Compare) else [expr]
    while pending:
        node = pending.pop()
        if isinstance(node, BinOp) and node.op in ("//", "%"):
            found.append(node.right)
        if isinstance(node, IfExp):
            pending.append(node.test)
        elif isinstance(node, BoolOp | Compare):
            pending.extend(node.operands[: 2 if isinstance(node, Compare) else 1])
        else:
            pending.extend(children(node))
    return found


def _divisor(fact: Fact) -> bool:
    condition = fact.premises[0]
    if condition.kind not in ("true", "false") or fact.args[1] != "!=":
        return False
    claim = _claim(fact)
    return any(
        sum_of(part) == claim and are_ints(leaves_of(part), fact.premises[1:]) for part in _evaluated_divisors(condition.args[0])
    )


def _size(fact: Fact) -> bool:
    return fact.args[1] == ">=" and any(
        _claim(fact) == atom(factor) and _is_size(factor) for factor in _claim(fact).factors() if not isinstance(factor, tuple)
    )


def _is_size(factor: Any) -> bool:
    match factor:
        case TensorPropertySource(prop=TensorProperty.SIZE) | AttrSource(member="ndim") | Call(function="len" | "remaining"):
            return True
    return False


def _quotient(fact: Fact) -> bool:
    top, bottom = (sum_of_claim(part) for part in fact.extra.parts)
    rest = top - bottom * factor_of_claim(fact.extra)
    claim = _claim(fact)
    if fact.args[1] != ">=":
        return False
    positive = bottom.is_number and bottom.number > 0
    negative = bottom.is_number and bottom.number < 0
    for premise in fact.premises:
        positive = positive or (_is(premise, ">=") and _claim(premise) == bottom - constant(1))
        negative = negative or (_is(premise, ">=") and _claim(premise) == -bottom - constant(1))
    if positive and claim in (rest, bottom - constant(1) - rest):
        return True
    return negative and claim in (-rest, rest - bottom - constant(1))


def _peak(fact: Fact) -> bool:
    whole = factor_of_claim(fact.extra)
    return fact.args[1] == ">=" and any(_claim(fact) == whole - sum_of_claim(part) for part in fact.extra.parts)


def _all_parts(fact: Fact) -> bool:
    claim = _claim(fact)
    shape = claim.variable_part
    if fact.args[1] != ">=" or len(shape.items) != 1:
        return False
    (factor,) = shape.factors()
    if not isinstance(factor, tuple) or factor[0] != "max" or shape != -atom(factor):
        return False
    above = [_claim(premise) for premise in fact.premises if _is(premise, ">=")]
    return all(
        any((bound + Sum(dict(part))).is_number and (bound + Sum(dict(part))).number <= claim.number for bound in above)
        for part in factor[1]
    )


def _product(fact: Fact) -> bool:
    left, right = fact.premises
    return fact.args[1] == ">=" and _not_negative(left) and _not_negative(right) and _claim(fact) == _claim(left) * _claim(right)


def _square(fact: Fact) -> bool:
    half = sum_of_claim(fact.extra)
    return fact.args[1] == ">=" and _claim(fact) == half * half


def _multiple(fact: Fact) -> bool:
    (premise,) = fact.premises
    if fact.args[1] == "!=":
        ratio = _claim(fact).ratio(_claim(premise))
        return _is(premise, "!=") and ratio is not None and ratio != 0
    return fact.args[1] == "==" and _is(premise, "==") and _claim(fact) == _claim(premise) * sum_of_claim(fact.extra)


def _number(fact: Fact) -> bool:
    claim = _claim(fact)
    return claim.is_number and _stands(claim.number, fact.args[1])


def _stands(value: Fraction, relation: str) -> bool:
    return value >= 0 if relation == ">=" else value == 0 if relation == "==" else value != 0


def _weighted(premises: Sequence[Fact], factors: Sequence[int]) -> Sum | None:
    if len(premises) != len(factors):
        return None
    total = constant(0)
    for premise, factor in zip(premises, factors, strict=False):
        if not (_is(premise, "==") or (_is(premise, ">=") and factor >= 0)):
            return None
        total = total + _claim(premise).scaled(factor)
    return total


def _combine(fact: Fact) -> bool:
    factors, divisor = fact.extra
    total = _weighted(fact.premises, factors)
    if total is None or fact.args[1] != ">=" or divisor < 1:
        return False
    claim = _claim(fact)
    if any(value.denominator != 1 for value in claim.items.values()):
        return False
    gap = total - claim.scaled(divisor)
    return gap.is_number and gap.number < divisor


def _sum(fact: Fact) -> bool:
    total = _weighted(fact.premises, fact.extra)
    return total is not None and total.is_number and total.number < 0


def _squeeze(fact: Fact) -> bool:
    low, high = fact.premises
    claim = _claim(fact)
    return (
        fact.args[1] == "==" and _not_negative(low) and _not_negative(high)
        and _claim(low) == -_claim(high) and claim in (_claim(low), _claim(high))
    )  # fmt: skip


def _step(fact: Fact) -> bool:
    bound, rest = fact.premises
    shape = _claim(bound).variable_part
    claim = _claim(fact)
    if fact.args[1] != ">=" or not _not_negative(bound) or rest.kind != "divides" or claim.variable_part != shape:
        return False
    modulus: int = rest.args[1]
    base = _claim(rest)
    sign = shape.ratio(base.variable_part)
    if sign not in (1, -1):
        return False
    # t = sign * x >= low, and x = -base.number modulo the modulus.
    low, new = -_claim(bound).number, -claim.number
    first = low + (int(sign) * -base.number - low) % modulus
    return first.denominator == 1 and new <= first


def _past(fact: Fact) -> bool:
    bound, excluded = fact.premises
    return (
        fact.args[1] == ">=" and _not_negative(bound) and _is(excluded, "!=")
        and _claim(excluded).ratio(_claim(bound)) is not None and _claim(fact) == _claim(bound) - constant(1)
    )  # fmt: skip


def _divide(fact: Fact) -> bool:
    (premise,) = fact.premises
    return fact.args[1] == "==" and _is(premise, "==") and fact.extra != 0 and _claim(fact).scaled(fact.extra) == _claim(premise)


def _table(premises: Sequence[Fact], factors: Sequence[Any]) -> dict[Any, Sum] | None:
    """Return what factors are replaced by, read from equations and remainders."""
    table: dict[Any, Sum] = {}
    for premise, claimed in zip(premises, factors, strict=False):
        whole = factor_of_claim(claimed)
        if len(whole.items) != 1 or whole.is_number:
            return None
        (factor,) = whole.factors()
        if whole != atom(factor):
            return None
        if _is(premise, "=="):
            equation = _claim(premise)
            weight = equation.items.get(frozenset({(factor, 1)}))
            if weight is None or factor in (equation - atom(factor).scaled(weight)).factors():
                return None
            table[factor] = (equation - atom(factor).scaled(weight)).scaled(-1 / weight)
        elif premise.kind == "divides" and isinstance(factor, tuple) and factor[0] == "//":
            top, bottom = Sum(dict(factor[1])), Sum(dict(factor[2]))
            gap = top - _claim(premise)
            if (
                not bottom.is_number
                or bottom.number != premise.args[1]
                or not gap.is_number
                or not 0 <= gap.number < bottom.number
            ):
                return None
            table[factor] = _claim(premise).scaled(1 / bottom.number)
        else:
            return None
    return table


def _settled(claim: Sum, table: dict[Any, Sum]) -> Sum:
    for _ in range(64):
        following = claim.replaced(table)
        if following == claim:
            break
        claim = following
    return claim


def _rewrite(fact: Fact) -> bool:
    return _rewritten(fact.premises[0], fact, fact)


def _unrewrite(fact: Fact) -> bool:
    return _rewritten(fact, fact.premises[0], fact)


def _rewritten(before: Fact, after: Fact, fact: Fact) -> bool:
    scale, factors = fact.extra
    if before.kind != "linear" or after.kind != "linear" or before.args[1] != after.args[1] or scale < 1:
        return False
    table = _table(fact.premises[1:], factors)
    if table is None or len(table) != len(fact.premises) - 1:
        return False
    return _settled(_claim(before), table).scaled(scale) == _settled(_claim(after), table)


def _weaken(fact: Fact) -> bool:
    (premise,) = fact.premises
    gap = _claim(fact) - _claim(premise)
    return fact.args[1] == ">=" and _not_negative(premise) and gap.is_number and gap.number >= 0


def _beyond(fact: Fact) -> bool:
    (premise,) = fact.premises
    claim = _claim(fact)
    return fact.args[1] == "!=" and _is(premise, ">=") and _claim(premise) + constant(1) in (claim, -claim)


def _remainder(claim: Sum, modulus: int, premises: Sequence[Fact]) -> int | None:
    """Return a sum modulo a constant, from remainders of its factors."""
    known: dict[Any, tuple[int, int]] = {}
    for premise in premises:
        base = _claim(premise)
        if premise.kind != "divides" or len(base.variable_part.items) != 1:
            return None
        (factor,) = base.variable_part.factors()
        if base.variable_part != atom(factor):
            return None
        known[factor] = (premise.args[1], int(-base.number))
    total = 0
    for product, value in claim.items.items():
        if value.denominator != 1:
            return None
        if value % modulus == 0:
            continue
        rest, common = int(value), 0
        for factor, power in product:
            if factor not in known:
                return None
            common = math.gcd(common, known[factor][0])
            rest *= known[factor][1] ** power
        if product and (common * (int(value) if len(product) == 1 and next(iter(product))[1] == 1 else 1)) % modulus:
            return None
        total += rest
    return total % modulus


def _rest(fact: Fact) -> bool:
    found = _remainder(_claim(fact), fact.extra, fact.premises)
    return fact.args[1] == "!=" and found is not None and found != 0


def _residue(fact: Fact) -> bool:
    return _remainder(_claim(fact), fact.args[1], fact.premises) == 0


def _index_bound(index: Any) -> int | None:
    if not isinstance(index, Const) or type(index.value) is not int:
        return None
    return int(index.value + 1 if index.value >= 0 else -index.value)


def _rank(fact: Fact) -> bool:
    part = fact.premises[0].args[0]
    if fact.premises[0].kind != "defined" or not isinstance(part, TensorPropertySource) or part.index is None:
        return False
    needed = _index_bound(part.index)
    return needed is not None and fact.args[1] == ">=" and _claim(fact) == atom(AttrSource(part.base, "ndim")) - constant(needed)


def _position(fact: Fact) -> bool:
    place, *types = fact.premises
    part = place.args[0]
    if place.kind != "defined" or not isinstance(part, GetItemSource):
        return False
    needed = _index_bound(part.index)
    fits = any(one.kind == "type" and one.args[0] is part.base and one.args[1] <= {list, tuple} for one in types)
    return needed is not None and fits and _claim(fact) == atom(Call("len", (part.base,))) - constant(needed)


def _dimensions(fact: Fact) -> bool:
    size = fact.premises[0].args[0]
    match size:
        case Call(function="len", args=(AttrSource(base=base, member="shape"),)):
            return fact.args[1] == "==" and _claim(fact) == atom(size) - atom(AttrSource(base, "ndim"))
    return False


def _length_of_value(fact: Fact) -> bool:
    (premise,) = fact.premises
    if premise.kind != "equals" or not isinstance(premise.args[1], Const):
        return False
    part, value = premise.args[0], premise.args[1].value
    if type(value) not in (tuple, list, str, bytes, dict, set, frozenset):
        return False
    sizes = [Call("len", (part,))]
    if isinstance(part, Call) and part.function == "keys":
        sizes.append(Call("len", part.args))
    return fact.args[1] == "==" and any(_claim(fact) == atom(size) - constant(len(value)) for size in sizes)


def _equal_lengths(fact: Fact) -> bool:
    terms = [factor for factor in _claim(fact).factors() if isinstance(factor, Call) and factor.function == "len"]
    if len(terms) != 2 or fact.args[1] != "==":
        return False
    left, right = terms
    return _claim(fact) in (atom(left) - atom(right), atom(right) - atom(left)) and value_path(
        fact.premises, left.args[0], right.args[0]
    )


def _same_number(fact: Fact) -> bool:
    terms = [factor for factor in _claim(fact).factors() if not isinstance(factor, tuple)]
    if len(terms) != 2 or fact.args[1] != "==":
        return False
    left, right = terms
    ints = all(is_int_term(term) or are_ints({term}, fact.premises) for term in terms)
    return ints and _claim(fact) in (atom(left) - atom(right), atom(right) - atom(left)) and same_path(fact.premises, left, right)


def _equal_number(fact: Fact) -> bool:
    premise, *types = fact.premises
    if premise.kind != "equals" or not isinstance(premise.args[1], Const) or type(premise.args[1].value) not in (int, bool):
        return False
    part = premise.args[0]
    ints = is_int_term(part) or are_ints({part}, types)
    return ints and fact.args[1] == "==" and _claim(fact) == atom(part) - constant(int(premise.args[1].value))


# Remainders.


def _exact(fact: Fact) -> bool:
    (premise,) = fact.premises
    modulus = fact.args[1]
    whole = factor_of_claim(fact.extra)
    equation = _claim(premise)
    relation = whole.scaled(modulus) - _claim(fact)
    ratio = equation.ratio(relation)
    return _is(premise, "==") and ratio is not None and modulus > 0


def _carry(fact: Fact) -> bool:
    first, equation = fact.premises
    gap = _claim(fact) - _claim(first)
    ratio = gap.ratio(_claim(equation))
    return (
        first.kind == "divides" and _is(equation, "==") and fact.args[1] == first.args[1]
        and ratio is not None and ratio.denominator == 1
    )  # fmt: skip


def _unit(fact: Fact) -> bool:
    (premise,) = fact.premises
    modulus: int = premise.args[1]
    new: int = fact.args[1]
    base, claim = _claim(premise), _claim(fact)
    if any(value.denominator != 1 for value in base.items.values()):
        return False
    shape = Sum({product: Fraction(int(value) % modulus) for product, value in base.variable_part.items.items()})
    weight = shape.ratio(claim.variable_part)
    if weight is None or weight.denominator != 1:
        return False
    rest = -claim.number
    return new == modulus // math.gcd(int(weight), modulus) and (weight * rest + base.number) % modulus == 0


def _together(fact: Fact) -> bool:
    claim, modulus = _claim(fact), fact.args[1]
    common = math.lcm(*(premise.args[1] for premise in fact.premises))
    return (
        common % modulus == 0
        and modulus > 0
        and all(
            premise.kind == "divides"
            and _claim(premise).variable_part == claim.variable_part
            and (_claim(premise).number - claim.number) % premise.args[1] == 0
            for premise in fact.premises
        )
    )


# Contradictions.


def _false(fact: Fact) -> bool:
    (premise,) = fact.premises
    claim = _claim(premise)
    return premise.kind == "linear" and claim.is_number and not _stands(claim.number, premise.args[1])


def _indivisible(fact: Fact) -> bool:
    (premise,) = fact.premises
    claim = _claim(premise)
    return (
        _is(premise, "==") and fact.extra > 0
        and all((value / fact.extra).denominator == 1 for value in claim.variable_part.items.values())
        and (claim.number / fact.extra).denominator != 1
    )  # fmt: skip


def _excluded(fact: Fact) -> bool:
    equation, other = fact.premises
    return _is(equation, "==") and _is(other, "!=") and _claim(other).ratio(_claim(equation)) is not None


def _bad_remainder(fact: Fact) -> bool:
    (premise,) = fact.premises
    claim, modulus = _claim(premise), premise.args[1]
    if premise.kind != "divides" or any(value.denominator != 1 for value in claim.items.values()):
        return False
    common = math.gcd(modulus, *(int(value) for value in claim.variable_part.items.values()))
    return int(claim.number) % common != 0


def _remainders(fact: Fact) -> bool:
    first, second = fact.premises
    common = math.gcd(first.args[1], second.args[1])
    left, right = _claim(first), _claim(second)
    return (
        first.kind == second.kind == "divides" and left.variable_part == right.variable_part
        and (left.number - right.number) % common != 0
    )  # fmt: skip


def _unfit(fact: Fact) -> bool:
    equation, rest = fact.premises
    shape = _claim(equation)
    weight = shape.variable_part.ratio(_claim(rest).variable_part)
    if not _is(equation, "==") or rest.kind != "divides" or not weight:
        return False
    modulus: int = rest.args[1]
    return (-shape.number / weight + _claim(rest).number) % modulus != 0


def _disorder(fact: Fact) -> bool:
    (premise,) = fact.premises
    low, high, strict = premise.args
    if premise.kind != "order":
        return False
    if isinstance(low, Fraction) and isinstance(high, Fraction):
        return low > high or (low == high and strict)
    return low is high and strict


# The order of numbers that need not be ints.


def _side(expr: Expr) -> Any:
    if isinstance(expr, Const) and type(expr.value) in (int, bool, float):
        return Fraction(expr.value) if math.isfinite(expr.value) else None
    return expr


def _order(fact: Fact) -> bool:
    condition, *others = fact.premises
    link = condition.args[0]
    if not isinstance(link, Compare) or len(link.ops) != 1 or link.ops[0] not in ("<", "<=", ">", ">="):
        return False
    left, right = map(_side, link.operands)
    op = link.ops[0]
    typed = {one.args[0]: one.args[1] for one in others if one.kind == "type"}
    ordered = {side for one in others if one.kind == "order" for side in one.args[:2] if not isinstance(side, Fraction)}
    for side in (left, right):
        if side is None:
            return False
        if isinstance(side, Fraction):
            continue
        classes = typed.get(side) or (frozenset({int}) if is_int_term(side) else frozenset({object}))
        if not classes <= _REALS:
            return False
        if condition.kind == "false" and not classes <= _INTS and side not in ordered:
            return False
    if condition.kind == "false":
        op = _NEGATION[op]
    if op in (">", ">="):
        left, right = right, left
    return fact.args == (left, right, op in ("<", ">"))


def _equal_order(fact: Fact) -> bool:
    premise, *types = fact.premises
    if premise.kind != "equals":
        return False
    part, value = premise.args[0], _side(premise.args[1])
    fits = is_int_term(part) or any(one.kind == "type" and one.args[0] is part and one.args[1] <= _REALS for one in types)
    return fits and isinstance(value, Fraction) and fact.args in ((value, part, False), (part, value, False))


def _not_equal_order(fact: Fact) -> bool:
    bound, other = fact.premises
    if bound.kind != "order" or other.kind != "differs":
        return False
    low, high, _ = bound.args
    part = high if isinstance(low, Fraction) else low
    limit = low if isinstance(low, Fraction) else high
    return other.args[0] is part and _side(other.args[1]) == limit and fact.args == (low, high, True)


def _order_chain(fact: Fact) -> bool:
    first, second = fact.premises
    middle = first.args[1] == second.args[0] if isinstance(first.args[1], Fraction) else first.args[1] is second.args[0]
    return (
        first.kind == second.kind == "order" and middle
        and fact.args == (first.args[0], second.args[1], first.args[2] or second.args[2])
    )  # fmt: skip


def _same_order(fact: Fact) -> bool:
    witness, *path = fact.premises
    low, high, strict = fact.args
    stands = witness.kind == "order" and any(side is low or side is high for side in witness.args[:2])
    return stands and not strict and same_path(path, low, high)


def _ordered(fact: Fact) -> bool:
    """A comparison of numbers is true or false by their order."""
    link = fact.args[0]
    if not isinstance(link, Compare) or len(link.ops) != 1 or link.ops[0] not in ("<", "<=", ">", ">="):
        return False
    op = link.ops[0] if fact.kind == "true" else _NEGATION[link.ops[0]]
    low, high = map(_side, link.operands)
    if op in (">", ">="):
        low, high = high, low
    if low is None or high is None or not all(one.kind == "order" for one in fact.premises):
        return False
    strict = op in ("<", ">")
    if len(fact.premises) == 2:
        below, above = fact.premises
        if below.args[0] is not low or above.args[1] is not high:
            return False
        gap = (below.args[1], below.args[2] or above.args[2])
        return gap[0] < above.args[0] or (gap[0] == above.args[0] and (gap[1] or not strict))
    (known,) = fact.premises
    first, second, sharp = known.args
    if isinstance(low, Fraction) and isinstance(first, Fraction):
        return second is high and (first > low or (first == low and (sharp or not strict)))
    if isinstance(high, Fraction) and isinstance(second, Fraction):
        return first is low and (second < high or (second == high and (sharp or not strict)))
    return first is low and second is high and (sharp or not strict)


def _either_side(fact: Fact) -> bool:
    (premise,) = fact.premises
    return _is(premise, "!=") and _splits(fact, 1, _claim(premise))


def _splits(fact: Fact, gap: int, around: Sum | None = None) -> bool:
    """Two sides of an integer: `p >= 0` or `-p >= gap`."""
    if len(fact.args) != 2 or not all(len(one) == 1 and one[0][0] == "linear" and one[0][2] == ">=" for one in fact.args):
        return False
    first, second = (sum_of_claim(one[0][1]) for one in fact.args)
    if any(value.denominator != 1 for side in (first, second) for value in side.items.values()):
        return False
    if around is not None:
        ratio = around.ratio(first + constant(gap))
        return ratio is not None and first + second == constant(-2 * gap)
    return first + second == constant(-gap)


def _integer(fact: Fact) -> bool:
    return not fact.premises and _splits(fact, 1)


def _maximum(fact: Fact) -> bool:
    """Some part of a maximum is the largest."""
    if fact.premises or not fact.args:
        return False
    heads = [alternative[0] for alternative in fact.args]
    if any(head[0] != "linear" or head[2] != "==" for head in heads):
        return False
    parts_left = []
    for alternative in fact.args:
        gap = sum_of_claim(alternative[0][1])
        peaks = [factor for factor in gap.factors() if isinstance(factor, tuple) and factor[0] == "max"]
        whole = next((factor for factor in peaks if any(gap == atom(factor) - Sum(dict(part)) for part in factor[1])), None)
        if whole is None:
            return False
        part = atom(whole) - gap
        others = [Sum(dict(other)) for other in whole[1] if Sum(dict(other)) != part]
        said = [sum_of_claim(literal[1]) for literal in alternative[1:] if literal[0] == "linear" and literal[2] == ">="]
        if len(said) != len(alternative) - 1 or any(part - other not in said for other in others) or len(said) != len(others):
            return False
        parts_left.append((whole, part.key))
    wholes = {whole for whole, _ in parts_left}
    return len(wholes) == 1 and {part for _, part in parts_left} == set(next(iter(wholes))[1])


def _choice(fact: Fact) -> bool:
    """A conditional is one of its sides."""
    if fact.premises or len(fact.args) != 2:
        return False
    (yes, first), (no, second) = fact.args
    if yes[0] != "true" or no[0] != "false" or yes[1] is not no[1]:
        return False
    gaps = [sum_of_claim(literal[1]) for literal in (first, second) if literal[0] == "linear" and literal[2] == "=="]
    if len(gaps) != 2:
        return False
    for factor in gaps[0].factors():
        if isinstance(factor, tuple) and factor[0] == "if" and factor[1] is yes[1]:
            sides = [Sum(dict(part)) for part in factor[2:]]
            if gaps == [atom(factor) - sides[0], atom(factor) - sides[1]]:
                return True
    return False


RULES: dict[tuple[str, str], Callable[[Fact], bool]] = {
    **{
        ("linear", name): rule
        for name, rule in {
            "compare": _compare, "divisor": _divisor, "size": _size, "quotient": _quotient, "peak": _peak,
            "all parts": _all_parts,
            "product": _product, "square": _square, "multiple": _multiple, "zero": _number, "number": _number,
            "combine": _combine, "squeeze": _squeeze, "step": _step, "past": _past, "divide": _divide, "rewrite": _rewrite,
            "unrewrite": _unrewrite, "weaken": _weaken, "beyond": _beyond, "rest": _rest, "rank": _rank, "position": _position,
            "dimensions": _dimensions, "length of value": _length_of_value, "equal lengths": _equal_lengths,
            "same number": _same_number, "equal number": _equal_number,
        }.items()
    },
    **{
        ("divides", name): rule
        for name, rule in {
            "exact": _exact, "carry": _carry, "unit": _unit, "together": _together, "residue": _residue,
        }.items()
    },
    **{
        ("absurd", name): rule
        for name, rule in {
            "sum": _sum, "false": _false, "indivisible": _indivisible, "excluded": _excluded, "remainder": _bad_remainder,
            "remainders": _remainders, "unfit": _unfit, "disorder": _disorder,
        }.items()
    },
    **{
        ("order", name): rule
        for name, rule in {
            "order": _order, "equal order": _equal_order, "not equal order": _not_equal_order, "order chain": _order_chain,
            "same order": _same_order,
        }.items()
    },
    **{(kind, "compare"): _holds for kind in ("true", "false")},
    **{(kind, "order"): _ordered for kind in ("true", "false")},
    ("clause", "either side"): _either_side,
    ("clause", "integer"): _integer,
    ("clause", "maximum"): _maximum,
    ("clause", "choice"): _choice,
}  # fmt: skip

__all__ += ["are_ints", "joined"]
