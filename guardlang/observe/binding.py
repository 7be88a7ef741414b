"""A binding: what is known of one input, without the input: its path, its facts, and what stands for it in a traced program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import attrs

from guardlang.adapters import TensorAdapter, adapter_for
from guardlang.ast import Expr
from guardlang.dsl import lift
from guardlang.errors import GuardTypeError
from guardlang.interning import text_of
from guardlang.reading.descriptors import ABSENT, find_in_mro
from guardlang.sources import AttrSource, Const, TensorProperty, TensorPropertySource
from guardlang.values import Undefined, is_value, snapshot

__all__ = ["Binding"]

_FACTS: dict[str, Callable[[TensorAdapter, Any], Any]] = {
    "shape": lambda adapter, x: adapter.shape(x),
    "stride": lambda adapter, x: adapter.stride(x),
    "storage_offset": lambda adapter, x: adapter.storage_offset(x),
    "dtype": lambda adapter, x: adapter.dtype(x),
    "device": lambda adapter, x: adapter.device(x),
    "layout": lambda adapter, x: adapter.layout(x),
    "requires_grad": lambda adapter, x: adapter.requires_grad(x),
}
_INDEXED = {"shape": TensorProperty.SIZE, "stride": TensorProperty.STRIDE}


@attrs.frozen(eq=False)
class Binding:
    """An input by its path and its facts; the example itself is not kept.

    Args:
        source: the path; None for a value that is no input, which is the constant in `facts["value"]`.
        facts: `type`, for a value also `value`, for a tensor the facts that can be read.
        placeholder: what stands for the input in the traced program.
        inner: the tensors that a wrapper of tensors is made of, by attribute: bindings of their own.

    Example:
        >>> from guardlang import L
        >>> binding = Binding.of((2, 3), L["sizes"], placeholder="arg0")
        >>> binding.source, binding.facts["value"], binding.placeholder
        (<LocalSource L['sizes']>, (2, 3), 'arg0')
    """

    source: Expr | None
    facts: Mapping[str, Any]
    placeholder: Any = None
    inner: Mapping[str, Binding] = MappingProxyType({})

    @classmethod
    def of(cls, value: Any, source: Any, *, placeholder: Any = None) -> Binding:
        """Return the binding of an example.

        The parts of a wrapper of tensors come from its own `__tensor_flatten__`, which is Python code and is run.

        Args:
            value: the example.
            source: its path; None for a value that is no input.
            placeholder: what stands for it in the traced program.

        Raises:
            GuardTypeError: it has no path and is no value, so that it can be neither guarded nor folded.
        """
        path = None if source is None else lift(source)
        facts: dict[str, Any] = {"type": type(value)}
        if is_value(value):
            facts["value"] = snapshot(value)
        elif path is None:
            raise GuardTypeError("what has no source is a constant of the program, and this is no value", hint="give it a source")
        adapter = adapter_for(type(value))
        if adapter is not None:
            facts.update(_facts(adapter, value))
        inner: dict[str, Binding] = {}
        if path is not None and find_in_mro(type(value), "__tensor_flatten__") is not ABSENT:
            names, _ = value.__tensor_flatten__()
            inner = {name: cls.of(getattr(value, name), AttrSource(path, name)) for name in names}
        return cls(path, MappingProxyType(facts), placeholder, MappingProxyType(inner))

    @property
    def expr(self) -> Expr:
        """The path, or the constant that a value without a path folds to."""
        return Const(self.facts["value"]) if self.source is None else self.source

    def symbol(self, fact: str, index: int | None = None) -> Expr:
        """Return the path of a fact, which is its symbol.

        Args:
            fact: `shape`, `stride` or `storage_offset`.
            index: the dimension, for the first two.

        Raises:
            GuardTypeError: the input has no such fact.

        Example:
            >>> from guardlang import L
            >>> Binding.of(3, L["n"]).symbol("shape", 0)
            Traceback (most recent call last):
            ...
            guardlang.errors.GuardTypeError: L['n'] has no shape
        """
        known = self.facts.get(fact)
        if fact not in _FACTS or known is None or (fact in _INDEXED and (index is None or not 0 <= index < len(known))):
            raise GuardTypeError(f"{text_of(self.expr)} has no {fact}" + ("" if index is None or known is None else f" {index}"))
        if fact in _INDEXED:
            return TensorPropertySource(self.expr, _INDEXED[fact], Const(index))
        return TensorPropertySource(self.expr, TensorProperty(fact)) if fact == "storage_offset" else AttrSource(self.expr, fact)


def _facts(adapter: TensorAdapter, value: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, read in _FACTS.items():
        try:
            found[name] = read(adapter, value)
        except Undefined:
            continue
    return found
