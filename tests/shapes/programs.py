"""Small programs on numbers, as data: the same one runs on ints and on symbols, and tells every branch it takes."""

from __future__ import annotations

import math
import operator
from typing import Any

from hypothesis import strategies as st

BINARY = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "/": operator.truediv,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": lambda a, b: a << (b % 8 - 1),
    ">>": lambda a, b: a >> (b % 8 - 1),
    "**": lambda a, b: a ** (b % 4 - 1),
    "divmod": lambda a, b: operator.sub(*divmod(a, b)),
    "min": min,
    "max": max,
}
COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
UNARY = {
    "neg": operator.neg,
    "pos": operator.pos,
    "abs": abs,
    "invert": operator.invert,
    "floor": math.floor,
    "ceil": math.ceil,
    "trunc": math.trunc,
    "round": round,
    "tens": lambda a: round(a, -1),
}
CONNECT = {"&": operator.and_, "|": operator.or_, "^": operator.xor, "==": operator.eq}


def run(program: list[tuple[Any, ...]], inputs: list[Any]) -> tuple[list[Any], list[Any]]:
    """Return the branches that a program takes, an error at its end included, and the numbers that it has then."""
    numbers = list(inputs)
    trace: list[Any] = []
    for place, step in enumerate(program):
        try:
            execute(step, numbers, trace)
        except (ZeroDivisionError, ValueError, TypeError, OverflowError) as error:
            trace.append((place, type(error).__name__))
            break
    return trace, numbers


def execute(step: tuple[Any, ...], numbers: list[Any], trace: list[Any]) -> None:
    def at(place: Any) -> Any:
        kind, value = place
        return numbers[value % len(numbers)] if kind == "var" else value

    match step:
        case ("binary", op, left, right):
            if op in ("min", "max"):
                first, second = at(left), at(right)
                trace.append(bool(second < first if op == "min" else second > first))
            numbers.append(BINARY[op](at(left), at(right)))
        case ("unary", op, operand):
            numbers.append(UNARY[op](at(operand)))
        case ("if", op, left, right):
            trace.append(bool(COMPARE[op](at(left), at(right))))
        case ("connect", connect, (op, left, right), (other, third, fourth)):
            first, second = COMPARE[op](at(left), at(right)), COMPARE[other](at(third), at(fourth))
            trace.append(bool(CONNECT[connect](first, second)))
        case ("number", op, left, right):
            numbers.append(COMPARE[op](at(left), at(right)) + 1)
        case ("truth", operand):
            trace.append(bool(at(operand)))
        case ("index", operand):
            trace.append(list(range(at(operand) % 7))[-1:])


def places(constants: Any) -> Any:
    return st.one_of(st.tuples(st.just("var"), st.integers(0, 40)), st.tuples(st.just("const"), constants))


def steps(constants: Any, operators: tuple[str, ...] = tuple(BINARY)) -> Any:
    place = places(constants)
    comparison = st.tuples(st.sampled_from(sorted(COMPARE)), place, place)
    binary = st.tuples(st.just("binary"), st.sampled_from(operators), place, place)
    branch = st.tuples(st.just("if"), st.sampled_from(sorted(COMPARE)), place, place)
    return st.one_of(
        binary,
        binary,
        st.tuples(st.just("unary"), st.sampled_from(sorted(UNARY)), place),
        branch,
        branch,
        st.tuples(st.just("connect"), st.sampled_from(sorted(CONNECT)), comparison, comparison),
        st.tuples(st.just("number"), st.sampled_from(sorted(COMPARE)), place, place),
        st.tuples(st.just("truth"), place),
        st.tuples(st.just("index"), place),
    )


def programs(constants: Any, operators: tuple[str, ...] = tuple(BINARY), size: int = 12) -> Any:
    return st.lists(steps(constants, operators), min_size=1, max_size=size)
