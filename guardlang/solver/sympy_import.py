"""Sympy expressions as guards: every class of torch's shape expressions, read from the tree and never from printed text.

Classes are known by name, so torch need not be there. A rational coefficient is an exact division to sympy, and here a floor
division with a side guard that says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import attrs

from guardlang.ast import BinOp, BoolOp, Call, Compare, Expr, IfExp, Not, TupleDisplay, UnaryOp
from guardlang.errors import GuardNameError, UnsupportedGuard, nearest
from guardlang.functions import lookup
from guardlang.sources import Const

__all__ = ["Imported", "bounds_from_sympy", "from_sympy"]


@attrs.frozen
class Imported:
    """An imported expression.

    Args:
        expr: the expression, or condition.
        guards: what sympy took for granted when it was built: divisibility of quotients, exponents that are not negative.
    """

    expr: Expr
    guards: tuple[Expr, ...] = ()


@attrs.frozen(eq=False)
class _Part:
    """A partial result: a numerator over a denominator, which most stay 1; or an unlimited bound."""

    numerator: Expr
    denominator: Expr | None = None
    infinite: int = 0


def from_sympy(expression: Any, sources: Mapping[Any, Expr]) -> Imported:
    """Return the expression of the language that a sympy expression stands for.

    Args:
        expression: a sympy expression, relation or Boolean.
        sources: the source of each symbol, by the symbol itself or its name.

    Raises:
        GuardNameError: a symbol has no source.
        UnsupportedGuard: a class that guards do not have.

    Example:
        >>> import sympy
        >>> from guardlang.sources import LocalSource
        >>> s = sympy.Symbol("s0", integer=True)
        >>> found = from_sympy(sympy.Eq(s / 2, 3), {"s0": LocalSource("n")})
        >>> str(found.expr), [str(guard) for guard in found.guards]
        ("L['n'] // 2 == 3", ["L['n'] % 2 == 0"])
    """
    importer = _Importer(sources)
    part = importer.run(expression)
    return Imported(importer.whole(part), tuple(dict.fromkeys(importer.guards)))


def bounds_from_sympy(expr: Expr, lower: Any, upper: Any) -> tuple[Expr, ...]:
    """Return the guards for a range of values; an infinite bound gives none.

    Args:
        expr: what is bounded.
        lower: least value: a sympy number, an int, or an infinity of sympy or torch.
        upper: greatest value.

    Example:
        >>> import sympy
        >>> from guardlang.sources import LocalSource
        >>> [str(guard) for guard in bounds_from_sympy(LocalSource("n"), 2, sympy.oo)]
        ["L['n'] >= 2"]
    """
    guards = []
    for op, bound in ((">=", lower), ("<=", upper)):
        part = _Importer({}).run(bound)
        if not part.infinite:
            guards.append(Compare((op,), (expr, _Importer({}).whole(part))))
    return tuple(guards)


class _Importer:
    def __init__(self, sources: Mapping[Any, Expr]) -> None:
        self.by_symbol = dict(sources)
        self.by_name = {key if isinstance(key, str) else str(key.name): expr for key, expr in sources.items()}
        self.guards: list[Expr] = []

    def run(self, root: Any) -> _Part:
        """Import a tree with a stack of our own: operands first, each shared one once."""
        done: dict[Any, _Part] = {}
        stack: list[tuple[Any, bool]] = [(root, False)]
        while stack:
            node, ready = stack.pop()
            key = _key(node)
            if key in done:
                continue
            args = _operands(node)
            if not ready and args:
                stack.append((node, True))
                stack.extend((arg, False) for arg in reversed(args))
                continue
            done[key] = self._step(node, [done[_key(arg)] for arg in args])
        return done[_key(root)]

    def whole(self, part: _Part) -> Expr:
        """Return a part as one expression; a quotient is exact where its guard holds."""
        if part.infinite:
            raise UnsupportedGuard("an infinite integer is a bound, not a value", hint="leave the bound out")
        if part.denominator is None:
            return part.numerator
        rest = BinOp("%", part.numerator, part.denominator)
        self.guards.append(Compare(("==",), (rest, Const(0))))
        return BinOp("//", part.numerator, part.denominator)

    def _step(self, node: Any, parts: list[_Part]) -> _Part:
        leaf = _leaf(node)
        if leaf is not None:
            return leaf
        name = _class_name(node)
        if name in ("Symbol", "Dummy"):
            return _Part(self._source(node))
        if name in _COMPARISONS:
            return self._compare(_COMPARISONS[name], parts)
        rational = _RATIONAL.get(name)
        if rational is not None:
            return rational(self, parts)
        operands = [self.whole(part) for part in parts]
        if name == "Piecewise":
            return _Part(_nested(operands))
        if name == "PowByNatural" and not _is_natural(operands[1]):
            self.guards.append(Compare((">=",), (operands[1], Const(0))))
        build = _BUILDERS.get(name)
        if build is not None:
            return _Part(build(operands))
        if name.startswith("OpaqueUnaryFn_") and len(operands) == 1:
            return _Part(_function(name.removeprefix("OpaqueUnaryFn_"), operands))
        raise UnsupportedGuard(f"guards have nothing for sympy's {name[:80]}", hint=nearest(name, _BUILDERS))

    def _source(self, symbol: Any) -> Expr:
        found = self.by_symbol.get(symbol)
        if found is None:
            found = self.by_name.get(str(symbol.name))
        if found is None:
            hint = nearest(str(symbol.name), self.by_name) or "give each symbol its source"
            raise GuardNameError(f"the symbol {str(symbol.name)[:80]!r} has no source", hint=hint)
        return found

    def _compare(self, op: str, parts: list[_Part]) -> _Part:
        left, right = parts
        if left.infinite or right.infinite:
            a, b = left.infinite, right.infinite
            holds = {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b}[op]
            return _Part(Const(holds))
        # A constant fraction has no integer value: the other side is multiplied instead, which is exact.
        for side, other, swapped in ((left, right, False), (right, left, True)):
            if isinstance(side.numerator, Const) and isinstance(side.denominator, Const):
                scaled = _Part(_product([self.whole(other), side.denominator]))
                left, right = (scaled, _Part(side.numerator)) if swapped else (_Part(side.numerator), scaled)
                break
        return _Part(Compare((op,), (self.whole(left), self.whole(right))))

    def sum(self, parts: list[_Part]) -> _Part:
        """Return a sum over the common denominator."""
        common = _common([part.denominator for part in parts if part.denominator is not None])
        scaled = [_product([part.numerator, *_missing(common, part.denominator)]) for part in parts]
        # Sympy puts a constant first; people write it last.
        scaled = [e for e in scaled if not isinstance(e, Const)] + [e for e in scaled if isinstance(e, Const)]
        return _Part(_sum(scaled), _product(common) if common else None)

    def multiply(self, parts: list[_Part]) -> _Part:
        """Return a product of fractions."""
        bottoms = [part.denominator for part in parts if part.denominator is not None]
        return _Part(_product([part.numerator for part in parts]), _product(bottoms) if bottoms else None)

    def power(self, parts: list[_Part]) -> _Part:
        """Return a power; a negative exponent is a division."""
        base, exponent = parts
        if isinstance(exponent.denominator, Const) and exponent.denominator.value == 2 and exponent.numerator is Const(1):
            return _Part(Call("sqrt", (self.whole(base),)))
        if exponent.denominator is not None or not isinstance(exponent.numerator, Const):
            raise UnsupportedGuard("guards have powers with a literal exponent only", hint="PowByNatural takes any exponent")
        count = exponent.numerator.value
        if type(count) is not int:
            raise UnsupportedGuard("guards have powers with an integer exponent only", hint="FloatPow is for floats")
        top, bottom = base.numerator, base.denominator
        if count < 0:
            top, bottom = (Const(1) if bottom is None else bottom), top
        raised = [None if e is None else _raised(e, abs(count)) for e in (top, bottom)]
        assert raised[0] is not None
        return _Part(raised[0], None if raised[1] is Const(1) else raised[1])

    def floor(self, parts: list[_Part]) -> _Part:
        """Return a floor: of a fraction the floor division, with no side guard."""
        (part,) = parts
        if part.denominator is None:
            return _Part(Call("floor", (part.numerator,)))
        return _Part(BinOp("//", part.numerator, part.denominator))

    def ceiling(self, parts: list[_Part]) -> _Part:
        """Return a ceiling."""
        (part,) = parts
        if part.denominator is None:
            return _Part(Call("ceil", (part.numerator,)))
        return _Part(UnaryOp("-", BinOp("//", UnaryOp("-", part.numerator), part.denominator)))

    def clean(self, parts: list[_Part]) -> _Part:
        """Return a quotient of which sympy was told that it is exact."""
        return _Part(self.whole(_Part(self.whole(parts[0]), self.whole(parts[1]))))


_RATIONAL: dict[str, Callable[[_Importer, list[_Part]], _Part]] = {
    "Add": _Importer.sum,
    "Mul": _Importer.multiply,
    "Pow": _Importer.power,
    "floor": _Importer.floor,
    "ceiling": _Importer.ceiling,
    "CleanDiv": _Importer.clean,
}
_COMPARISONS = {
    "Equality": "==",
    "Unequality": "!=",
    "StrictLessThan": "<",
    "LessThan": "<=",
    "StrictGreaterThan": ">",
    "GreaterThan": ">=",
}
_LEAF_NAMES = frozenset({"BooleanTrue", "BooleanFalse", "NaN", "ComplexInfinity"})


def _class_name(node: Any) -> str:
    return type(node).__name__


def _key(node: Any) -> Any:
    # Sympy calls 1 and 1.0, or 1 and True, equal in some versions: the class is part of the key.
    return (type(node), node)


def _operands(node: Any) -> tuple[Any, ...]:
    if type(node) in (int, float, bool):
        return ()
    args = tuple(node.args)
    if _class_name(node) == "Piecewise":
        return tuple(part for pair in args for part in pair.args)
    if _class_name(node) == "Identity":
        return args[:1]
    return args


def _leaf(node: Any) -> _Part | None:
    if type(node) in (int, float, bool):
        return _Part(Const(node))
    name = _class_name(node)
    if name in ("IntInfinity", "Infinity"):
        return _Part(Const(0), infinite=1)
    if name in ("NegativeIntInfinity", "NegativeInfinity"):
        return _Part(Const(0), infinite=-1)
    if name in ("BooleanTrue", "BooleanFalse"):
        return _Part(Const(name == "BooleanTrue"))
    if getattr(node, "is_Integer", False):
        return _Part(Const(int(node)))
    if getattr(node, "is_Rational", False):
        return _Part(Const(int(node.p)), Const(int(node.q)))
    if getattr(node, "is_Float", False):
        return _Part(Const(float(node)))
    if name in _LEAF_NAMES or getattr(node, "is_NumberSymbol", False):
        raise UnsupportedGuard(f"guards have no constant {name[:80]}")
    return None


def _is_natural(expr: Expr) -> bool:
    return isinstance(expr, Const) and type(expr.value) is int and expr.value >= 0


def _common(denominators: list[Expr]) -> list[Expr]:
    """Return factors of a common denominator: the least common multiple of the numbers, and every other one once."""
    number = math.lcm(*[abs(e.value) for e in denominators if isinstance(e, Const)])
    others = list(dict.fromkeys(e for e in denominators if not isinstance(e, Const)))
    return ([Const(number)] if number != 1 else []) + others


def _missing(common: list[Expr], denominator: Expr | None) -> list[Expr]:
    """Return the factors that bring a denominator to the common one."""
    if denominator is None:
        return common
    if isinstance(denominator, Const):
        return [Const(e.value // denominator.value) if isinstance(e, Const) else e for e in common]
    return [e for e in common if e is not denominator]


def _product(factors: list[Expr]) -> Expr:
    number = 1
    others: list[Expr] = []
    for factor in factors:
        if isinstance(factor, Const) and type(factor.value) is int:
            number *= factor.value
        else:
            others.append(factor)
    if not others:
        return Const(number)
    product = others[0]
    for factor in others[1:]:
        product = BinOp("*", product, factor)
    if number == 1:
        return product
    return UnaryOp("-", product) if number == -1 else BinOp("*", Const(number), product)


def _sum(terms: list[Expr]) -> Expr:
    total = terms[0]
    for term in terms[1:]:
        if isinstance(term, UnaryOp) and term.op == "-":
            total = BinOp("-", total, term.operand)
        elif isinstance(term, Const) and type(term.value) is int and term.value < 0:
            total = BinOp("-", total, Const(-term.value))
        elif isinstance(term, BinOp) and term.op == "*" and isinstance(term.left, Const) and _negative(term.left.value):
            total = BinOp("-", total, BinOp("*", Const(-term.left.value), term.right))
        else:
            total = BinOp("+", total, term)
    return total


def _negative(value: Any) -> bool:
    return type(value) is int and value < 0


def _raised(expr: Expr, count: int) -> Expr:
    return expr if count == 1 else BinOp("**", expr, Const(count))


def _nested(operands: list[Expr]) -> Expr:
    """Return the cases of a Piecewise, innermost last; without a final True the value is undefined there."""
    pairs = list(zip(operands[::2], operands[1::2], strict=True))
    value, condition = pairs[-1]
    if condition is not Const(True):
        raise UnsupportedGuard("a Piecewise needs a last case for everything else", hint="add (value, True)")
    for case, test in reversed(pairs[:-1]):
        value = IfExp(test, case, value)
    return value


def _function(name: str, operands: list[Expr]) -> Expr:
    if name != "sqrt" and lookup(name) is None:
        raise UnsupportedGuard(f"guards have no function {name[:80]!r}", hint="register_function adds one")
    return Call(name, tuple(operands))


def _float(expr: Expr) -> Expr:
    return Const(float(expr.value)) if isinstance(expr, Const) and type(expr.value) is int else Call("float", (expr,))


def _dense(operands: list[Expr]) -> Expr:
    half = len(operands) // 2
    return Call("int", (Call("dense", (TupleDisplay(tuple(operands[:half])), TupleDisplay(tuple(operands[half:])))),))


def _of(op: str) -> Callable[[list[Expr]], Expr]:
    def build(operands: list[Expr]) -> Expr:
        result = operands[0]
        for operand in operands[1:]:
            result = BinOp(op, result, operand)
        return result

    return build


def _call(name: str) -> Callable[[list[Expr]], Expr]:
    return lambda operands: Call(name, tuple(operands)) if len(operands) > 1 or name not in ("max", "min") else operands[0]


_BUILDERS: dict[str, Callable[[list[Expr]], Expr]] = {
    "FloorDiv": _of("//"),
    "CeilDiv": lambda e: UnaryOp("-", BinOp("//", UnaryOp("-", e[0]), e[1])),
    "Mod": _of("%"),
    "PythonMod": _of("%"),
    "ModularIndexing": lambda e: BinOp("%", BinOp("//", e[0], e[1]), e[2]),
    "Where": lambda e: IfExp(e[0], e[1], e[2]),
    "ITE": lambda e: IfExp(e[0], e[1], e[2]),
    "Max": _call("max"),
    "Min": _call("min"),
    "LShift": _of("<<"),
    "RShift": _of(">>"),
    "PowByNatural": _of("**"),
    "FloatPow": lambda e: BinOp("**", _float(e[0]), _float(e[1])),
    "IntTrueDiv": _of("/"),
    "FloatTrueDiv": _of("/"),
    "ToFloat": lambda e: _float(e[0]),
    "FloorToInt": _call("floor"),
    "CeilToInt": _call("ceil"),
    "TruncToInt": _call("trunc"),
    "TruncToFloat": lambda e: Call("float", (Call("trunc", (e[0],)),)),
    "RoundToInt": _call("round"),
    "RoundDecimal": lambda e: Call("float", (Call("round", (e[0], e[1])),)),
    "Identity": lambda e: e[0],
    "BitwiseFn_bitwise_and": _of("&"),
    "BitwiseFn_bitwise_or": _of("|"),
    "BitwiseFn_bitwise_xor": _of("^"),
    "IsNonOverlappingAndDenseIndicator": _dense,
    "cast_symbool_to_symint_guardless": _call("int"),
    "Abs": _call("abs"),
    "And": lambda e: BoolOp("and", tuple(e)),
    "Or": lambda e: BoolOp("or", tuple(e)),
    "Not": lambda e: Not(e[0]),
}
