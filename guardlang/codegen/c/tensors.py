"""What C code can tell about tensors without Python: facts that are read in place where a library says how.

A fact of anything else than such a tensor, and one that the library does not give, is left to Python by the same condition.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from guardlang.adapters import native_tensors
from guardlang.ast import Call, Expr
from guardlang.sources import AttrSource, Const, ConstantSource, GlobalStateSource, TensorProperty, TensorPropertySource
from guardlang.walk import postorder

__all__ = ["TensorFacts", "facts_for"]

_COMPARED = ("dtype", "device", "layout", "requires_grad")


def facts_for(guards: Sequence[Expr]) -> TensorFacts:
    """Return what C code can tell about the tensors that guards speak of.

    Args:
        guards: the guards.

    Example:
        >>> from guardlang.parse import parse
        >>> facts_for([parse("L['n'] == 1")]).native is None
        True
    """
    return TensorFacts(native_tensors() if any(map(_speaks_of_tensors, postorder(*guards))) else None)


def _speaks_of_tensors(node: Expr) -> bool:
    match node:
        case TensorPropertySource() | Call(function="dispatch_keys"):
            return True
        case GlobalStateSource():
            return node.name.startswith("torch.")
        case AttrSource():
            return node.member in _COMPARED or node.member == "ndim"
    return False


class TensorFacts:
    """Facts as C code, with `{t}` for the tensor, `{i}` for a dimension and `{0}`, `{1}` for the constants compared with.

    Args:
        native: where a library keeps the facts of its tensors; None for no library.

    Example:
        >>> TensorFacts(None).compares(AttrSource(Const(1), "dtype"))
        False
    """

    def __init__(self, native: Any) -> None:
        self.native = native

    def is_computed(self, node: Expr) -> bool:
        """Tell whether a source is a fact that is read where it is compared, not once for all.

        Args:
            node: a source.
        """
        return self.number(node) is not None or self.compares(node) or self.flag(node) is not None

    def compares(self, node: Expr) -> bool:
        """Tell whether a source is a fact that is only compared with constants.

        Args:
            node: a source.
        """
        match node:
            case AttrSource():
                return self.native is not None and node.member in _COMPARED
            case Call(function="dispatch_keys"):
                return self.native is not None
        return False

    def flag(self, node: Expr) -> str | None:
        """Return C for a fact that is true or false.

        Args:
            node: a source.
        """
        match node:
            case TensorPropertySource(prop=TensorProperty.IS_CONTIGUOUS) if self.native is not None and self._has(
                "is_contiguous"
            ):
                return "is_contiguous({t})"
        return None

    def number(self, node: Expr) -> tuple[str, Expr, int | None] | None:
        """Return C for a fact that is a number, the tensor, and the dimension.

        Args:
            node: a source.
        """
        if self.native is None:
            return None
        match node:
            case TensorPropertySource(prop=TensorProperty.SIZE, index=Const(value=int() as index)) if (
                type(index) is int and abs(index) < 2**31
            ):
                return "size_of({t}, {i})", node.base, index
            case TensorPropertySource(prop=TensorProperty.STRIDE, index=Const(value=int() as index)) if (
                type(index) is int and abs(index) < 2**31
            ):
                return "stride_of({t}, {i})", node.base, index
            case TensorPropertySource(prop=TensorProperty.STORAGE_OFFSET):
                return "storage_offset_of({t})", node.base, None
            case AttrSource(member="ndim"):
                return "ndim_of({t})", node.base, None
        return None

    def comparison(self, left: Expr, right: Const | ConstantSource) -> tuple[str, Expr, list[tuple[str, Any]]] | None:
        """Return C that compares a fact with a constant, the tensor, and the cells; None where there is none.

        Args:
            left: the fact.
            right: the constant.
        """
        if self.native is None:
            return None
        wanted = right.value
        match left:
            case AttrSource(member="dtype"):
                return _with_number("dtype_is({t}, {0})", left.base, self.native.dtype_code(wanted))
            case AttrSource(member="layout"):
                return _with_number("layout_is({t}, {0})", left.base, self.native.layout_code(wanted))
            case AttrSource(member="device"):
                code = self.native.device_code(wanted)
                return None if code is None else ("device_is({t}, {0}, {1})", left.base, [("i", code[0]), ("i", code[1])])
            case AttrSource(member="requires_grad") if self._has("requires_grad") and type(wanted) is bool:
                return _with_number("requires_grad_is({t}, {0})", left.base, int(wanted))
            case Call(function="dispatch_keys", args=(base,)):
                matcher = self.native.matcher(right.value if isinstance(right, Const) else right.content)
                return None if matcher is None else ("has_keys(f, {t}, {0})", base, [("k", matcher)])
        return None

    def _has(self, function: str) -> bool:
        return bool(self.native.addresses[function])

    def configuration(self) -> tuple[Any, ...] | None:
        """Return what the compiled module must know about the library, or None."""
        native = self.native
        if native is None:
            return None
        addresses = native.addresses
        order = (
            "dim",
            "sizes",
            "strides",
            "offset",
            "dtype",
            "device_type",
            "device_index",
            "layout",
            "is_contiguous",
            "requires_grad",
        )
        library, symbol, included, excluded = native.tls or ("", "", 0, 0)
        return (
            *native.types,
            native.offset,
            native.keys_offset,
            native.plain_keys,
            native.hidden_keys,
            library,
            symbol,
            included,
            excluded,
            *[addresses[name] for name in order],
        )


def _with_number(code: str, base: Expr, number: int | None) -> tuple[str, Expr, list[tuple[str, Any]]] | None:
    return None if number is None else (code, base, [("i", number)])
