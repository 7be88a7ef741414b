"""Numbers that are not known while tracing: they compute as Python's numbers do, and a branch on them leaves a guard.

An integer is held as `scale * term + shift`, with any integer expression as the term, so that arithmetic with constants makes no
nodes and most branches are decided by the bounds of one term.
"""

from __future__ import annotations

import numbers
from typing import Any, NoReturn, Protocol

from guardlang.ast import BinOp, Compare, Expr, UnaryOp
from guardlang.errors import GuardTypeError
from guardlang.interning import text_of
from guardlang.sources import Const

__all__ = ["Affine", "Engine", "SymBool", "SymFloat", "SymInt", "Symbolic"]

Affine = tuple[Expr, int, int]


class Engine(Protocol):
    """What a symbol asks its environment: results, and decisions."""

    def compute(self, op: str, left: Any, right: Any) -> Any:
        """Return `left op right`; NotImplemented for operands that are no numbers."""

    def compare(self, op: str, left: Any, right: Any) -> Any:
        """Return whether `left op right`; NotImplemented for operands that are no numbers."""

    def apply(self, function: str, operand: Symbolic, digits: Any = None) -> Any:
        """Return a function of the language of one number."""

    def decide(self, condition: SymBool) -> bool:
        """Return the truth of a condition, recording what it rests on."""

    def specialize(self, symbol: Symbolic) -> Any:
        """Return the value of a symbol, recording that it has this value."""


class Symbolic:
    """A number of the traced program: an expression, and its value on the example.

    The value is `hint`; None for a number that has none while tracing. The text and the repr show the expression and never the
    value, and leave no guard; everything else that needs the value itself (`int`, `hash`, use as an index, pickling into a
    format) pins it.
    """

    __slots__ = ("__weakref__", "_expr", "env", "hint")

    env: Engine
    hint: Any
    _expr: Expr | None

    @property
    def expr(self) -> Expr:
        """The expression, for guards."""
        assert self._expr is not None
        return self._expr

    def __str__(self) -> str:
        return text_of(self.expr)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {text_of(self.expr)}>"

    def __format__(self, spec: str) -> str:
        return format(self.env.specialize(self), spec) if spec else str(self)

    def __hash__(self) -> int:
        """Return the hash of the value, which pins it: a dict that does not find a number branches on it without comparing."""
        return hash(self.env.specialize(self))

    def __copy__(self) -> Symbolic:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Symbolic:
        return self

    def __reduce__(self) -> NoReturn:
        raise GuardTypeError(f"{text_of(self.expr)} belongs to a trace and cannot be pickled", hint="pickle int(x) or float(x)")

    def __int__(self) -> int:
        return int(self.env.specialize(self))

    def __float__(self) -> float:
        return float(self.env.specialize(self))

    def __complex__(self) -> complex:
        return complex(self.env.specialize(self))

    def __add__(self, other: Any) -> Any:
        return self.env.compute("+", self, other)

    def __radd__(self, other: Any) -> Any:
        return self.env.compute("+", other, self)

    def __sub__(self, other: Any) -> Any:
        return self.env.compute("-", self, other)

    def __rsub__(self, other: Any) -> Any:
        return self.env.compute("-", other, self)

    def __mul__(self, other: Any) -> Any:
        return self.env.compute("*", self, other)

    def __rmul__(self, other: Any) -> Any:
        return self.env.compute("*", other, self)

    def __truediv__(self, other: Any) -> Any:
        return self.env.compute("/", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self.env.compute("/", other, self)

    def __floordiv__(self, other: Any) -> Any:
        return self.env.compute("//", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self.env.compute("//", other, self)

    def __mod__(self, other: Any) -> Any:
        return self.env.compute("%", self, other)

    def __rmod__(self, other: Any) -> Any:
        return self.env.compute("%", other, self)

    def __divmod__(self, other: Any) -> Any:
        return _pair(self.env, self, other)

    def __rdivmod__(self, other: Any) -> Any:
        return _pair(self.env, other, self)

    def __pow__(self, other: Any, modulus: Any = None) -> Any:
        if modulus is not None:
            return pow(_plain(self), _plain(other), _plain(modulus))
        return self.env.compute("**", self, other)

    def __rpow__(self, other: Any) -> Any:
        return self.env.compute("**", other, self)

    def __lshift__(self, other: Any) -> Any:
        return self.env.compute("<<", self, other)

    def __rlshift__(self, other: Any) -> Any:
        return self.env.compute("<<", other, self)

    def __rshift__(self, other: Any) -> Any:
        return self.env.compute(">>", self, other)

    def __rrshift__(self, other: Any) -> Any:
        return self.env.compute(">>", other, self)

    def __and__(self, other: Any) -> Any:
        return self.env.compute("&", self, other)

    def __rand__(self, other: Any) -> Any:
        return self.env.compute("&", other, self)

    def __or__(self, other: Any) -> Any:
        return self.env.compute("|", self, other)

    def __ror__(self, other: Any) -> Any:
        return self.env.compute("|", other, self)

    def __xor__(self, other: Any) -> Any:
        return self.env.compute("^", self, other)

    def __rxor__(self, other: Any) -> Any:
        return self.env.compute("^", other, self)

    def __eq__(self, other: object) -> Any:
        return self.env.compare("==", self, other)

    def __ne__(self, other: object) -> Any:
        return self.env.compare("!=", self, other)

    def __lt__(self, other: Any) -> Any:
        return self.env.compare("<", self, other)

    def __le__(self, other: Any) -> Any:
        return self.env.compare("<=", self, other)

    def __gt__(self, other: Any) -> Any:
        return self.env.compare(">", self, other)

    def __ge__(self, other: Any) -> Any:
        return self.env.compare(">=", self, other)

    def __neg__(self) -> Any:
        return self.env.apply("-", self)

    def __pos__(self) -> Any:
        return self.env.apply("+", self)

    def __abs__(self) -> Any:
        return self.env.apply("abs", self)

    def __round__(self, digits: Any = None) -> Any:
        return self.env.apply("round", self, digits)

    def __floor__(self) -> Any:
        return self.env.apply("floor", self)

    def __ceil__(self) -> Any:
        return self.env.apply("ceil", self)

    def __trunc__(self) -> Any:
        return self.env.apply("trunc", self)

    @property
    def real(self) -> Any:
        """The number itself, as an int is its own real part."""
        return self.env.apply("+", self)

    @property
    def imag(self) -> Any:
        """Zero, of the number's own type."""
        return 0.0 if type(self) is SymFloat else 0

    def conjugate(self) -> Any:
        """Return the number itself."""
        return self.env.apply("+", self)

    def as_integer_ratio(self) -> tuple[int, int]:
        """Return the value as a ratio, which pins it."""
        ratio: tuple[int, int] = self.env.specialize(self).as_integer_ratio()
        return ratio


def _plain(x: Any) -> Any:
    return x.env.specialize(x) if isinstance(x, Symbolic) else x


def _pair(env: Engine, left: Any, right: Any) -> Any:
    quotient = env.compute("//", left, right)
    return NotImplemented if quotient is NotImplemented else (quotient, env.compute("%", left, right))


class SymInt(Symbolic):
    """An integer of the traced program.

    It computes as an `int` does; `isinstance(x, numbers.Integral)` holds, `isinstance(x, int)` does not. Branching on it records
    a guard with the user's line. `int(x)`, `range(x)`, `hash(x)`, use as an index and everything else that needs the number
    itself pin it to its value. It comes from `ShapeEnv.symbol`.

    Example:
        >>> from guardlang import L
        >>> from guardlang.shapes import ShapeEnv
        >>> env = ShapeEnv()
        >>> n = env.symbol(L["n"], hint=12)
        >>> (n + 4) // 8, n % 4 == 0
        (<SymInt (L['n'] + 4) // 8>, <SymBool L['n'] % 4 == 0>)
        >>> "even" if n % 2 == 0 else "odd"
        'even'
        >>> for guard in env.guards:
        ...     print(guard)
        type(L['n']) is int
        L['n'] % 2 == 0
    """

    __slots__ = ("affine",)
    affine: Affine

    def __init__(self, env: Engine, affine: Affine, hint: int | None) -> None:
        self.env = env
        self.affine = affine
        self.hint = hint
        self._expr = None

    @property
    def expr(self) -> Expr:
        """The expression, for guards."""
        if self._expr is None:
            term, scale, shift = self.affine
            made: Expr = term if scale == 1 else UnaryOp("-", term) if scale == -1 else BinOp("*", term, Const(scale))
            if shift:
                made = BinOp("+" if shift > 0 else "-", made, Const(abs(shift)))
            self._expr = made
        return self._expr

    def __bool__(self) -> bool:
        return bool(self.env.compare("!=", self, 0))

    def __index__(self) -> int:
        return int(self.env.specialize(self))

    # With ints, which is most of it, without a detour: the rest is as for every symbol.

    def __add__(self, other: Any) -> Any:
        if type(other) is int:
            term, scale, shift = self.affine
            return SymInt(self.env, (term, scale, shift + other), None if self.hint is None else self.hint + other)
        return self.env.compute("+", self, other)

    def __radd__(self, other: Any) -> Any:
        return self + other if type(other) is int else self.env.compute("+", other, self)

    def __sub__(self, other: Any) -> Any:
        return self + -other if type(other) is int else self.env.compute("-", self, other)

    def __mul__(self, other: Any) -> Any:
        if type(other) is int and other:
            term, scale, shift = self.affine
            return SymInt(self.env, (term, scale * other, shift * other), None if self.hint is None else self.hint * other)
        return self.env.compute("*", self, other)

    def __rmul__(self, other: Any) -> Any:
        return self * other if type(other) is int else self.env.compute("*", other, self)

    __hash__ = Symbolic.__hash__

    def __lt__(self, other: Any) -> Any:
        if type(other) is int:
            hint = self.hint
            return SymBool(self.env, None if hint is None else hint < other, None, ("<", self, other))
        return self.env.compare("<", self, other)

    def __le__(self, other: Any) -> Any:
        if type(other) is int:
            hint = self.hint
            return SymBool(self.env, None if hint is None else hint <= other, None, ("<=", self, other))
        return self.env.compare("<=", self, other)

    def __gt__(self, other: Any) -> Any:
        if type(other) is int:
            hint = self.hint
            return SymBool(self.env, None if hint is None else hint > other, None, (">", self, other))
        return self.env.compare(">", self, other)

    def __ge__(self, other: Any) -> Any:
        if type(other) is int:
            hint = self.hint
            return SymBool(self.env, None if hint is None else hint >= other, None, (">=", self, other))
        return self.env.compare(">=", self, other)

    def __eq__(self, other: object) -> Any:
        if type(other) is int:
            hint = self.hint
            return SymBool(self.env, None if hint is None else hint == other, None, ("==", self, other))
        return self.env.compare("==", self, other)

    def __ne__(self, other: object) -> Any:
        if type(other) is int:
            hint = self.hint
            return SymBool(self.env, None if hint is None else hint != other, None, ("!=", self, other))
        return self.env.compare("!=", self, other)

    def __invert__(self) -> Any:
        return self.env.compute("-", -1, self)

    @property
    def numerator(self) -> Any:
        """The number itself."""
        return self.env.apply("+", self)

    @property
    def denominator(self) -> int:
        """One."""
        return 1

    def is_integer(self) -> bool:
        """Return True."""
        return True

    def bit_length(self) -> int:
        """Return how many bits the value has, which pins it."""
        return int(self).bit_length()

    def bit_count(self) -> int:
        """Return how many bits of the value are ones, which pins it."""
        return int(self).bit_count()

    def to_bytes(self, length: int = 1, byteorder: Any = "big", *, signed: bool = False) -> bytes:
        """Return the value as bytes, which pins it."""
        return int(self).to_bytes(length, byteorder, signed=signed)


class SymFloat(Symbolic):
    """A float of the traced program.

    It computes as a `float` does. Branching on it records a guard with the user's line; `floor`, `ceil`, `trunc` and `round` give
    a `SymInt`; `float(x)` pins it to the bit, `int(x)` pins no more than the integer part.

    Example:
        >>> import math
        >>> from guardlang import L
        >>> from guardlang.shapes import ShapeEnv
        >>> env = ShapeEnv()
        >>> v = env.symbol(L["v"], hint=2.5)
        >>> math.floor(v * 2), v > 1
        (<SymInt floor(L['v'] * 2)>, <SymBool L['v'] > 1>)
    """

    __slots__ = ()

    def __init__(self, env: Engine, expr: Expr, hint: float | None) -> None:
        self.env = env
        self._expr = expr
        self.hint = hint

    def __bool__(self) -> bool:
        return bool(self.env.compare("!=", self, 0.0))

    def __int__(self) -> int:
        return int(self.env.apply("trunc", self))

    def is_integer(self) -> bool:
        """Return whether the value is whole, which is a branch."""
        if not abs(self) < float("inf"):
            return False
        return bool(self.env.apply("floor", self) == self)

    def hex(self) -> str:
        """Return the value in hexadecimal, which pins it."""
        return float(self).hex()


class SymBool(Symbolic):
    """A condition of the traced program.

    `bool(x)`, and so `if`, `while`, `and`, `or` and `not`, records a guard unless what is known decides it already. `&`, `|` and
    `^` of two conditions are conditions and record nothing. As a number it is 1 or 0.

    Example:
        >>> from guardlang import L
        >>> from guardlang.shapes import ShapeEnv
        >>> env = ShapeEnv()
        >>> n = env.symbol(L["x"].shape[0], hint=4)
        >>> both = (n > 3) & (n < 9)
        >>> both, bool(both), bool(n > 2)
        (<SymBool L['x'].shape[0] > 3 and L['x'].shape[0] < 9>, True, True)
        >>> for guard in env.guards:
        ...     print(guard)
        L['x'].shape[0] >= 2
        L['x'].shape[0] > 3
        L['x'].shape[0] < 9
    """

    __slots__ = ("link",)
    #: For a comparison of integers: the operator, the left side and the right side.
    link: tuple[str, SymInt, Any] | None

    def __init__(
        self, env: Engine, hint: bool | None, expr: Expr | None = None, link: tuple[str, SymInt, Any] | None = None
    ) -> None:
        self.env = env
        self.hint = hint
        self._expr = expr
        self.link = link

    @property
    def expr(self) -> Expr:
        """The expression, for guards."""
        if self._expr is None:
            assert self.link is not None
            op, left, right = self.link
            self._expr = Compare((op,), (left.expr, right.expr if type(right) is SymInt else Const(right)))
        return self._expr

    def __bool__(self) -> bool:
        return self.env.decide(self)

    def __index__(self) -> int:
        return int(bool(self))

    def __int__(self) -> int:
        return int(bool(self))

    def __invert__(self) -> Any:
        return self.env.compute("-", -1, self)


numbers.Integral.register(SymInt)
numbers.Integral.register(SymBool)
numbers.Real.register(SymFloat)
