"""What is pinned of a tensor of any library: the facts that its adapter reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from guardlang.adapters import TensorAdapter, adapter_for
from guardlang.ast import Call, Compare
from guardlang.observe.attributes import attribute_of, instance_parts
from guardlang.observe.observer import Observer, refuse
from guardlang.observe.place import Place
from guardlang.observe.rules_scalars import FACT, SHAPE
from guardlang.reading import tensor_property
from guardlang.sources import AttrSource, Const, TensorProperty, TensorPropertySource
from guardlang.values import Undefined

__all__ = ["OfTensorLikes"]


class OfTensorLikes(Observer):
    """Tensors: type and facts, each of which can be left out by `Policy.metadata` and is then pinned when it is read."""

    tensor = True

    #: The facts that are pinned unless `Policy.metadata` chooses others.
    usual: tuple[str, ...] = ("dtype", "shape", "stride")

    def pin(self, at: Place) -> None:
        at.add_type()
        chosen = at.policy.metadata_of(type(at.value))
        for name in self.usual if chosen is None else chosen:
            self.pin_fact(at, name)

    def pin_fact(self, at: Place, name: str) -> None:
        """Add the guards of one fact.

        Args:
            at: the place of the tensor.
            name: the fact.
        """
        if name == "shape":
            self.pin_sizes(at)
        elif name == "stride":
            self.pin_strides(at)
        elif name == "storage_offset":
            self.fact(at, name, None).specialise()
        else:
            self.attribute(at, name).specialise()

    def pin_sizes(self, at: Place) -> None:
        """Add the number of dimensions, and their sizes unless the shapes see to them."""
        shape = self._read(at, "shape")
        at.add_equal(AttrSource(at.source, "ndim"), len(shape))
        if at.policy.shapes == "static":
            for i, size in enumerate(shape):
                at.add_equal(TensorPropertySource(at.source, TensorProperty.SIZE, Const(i)), size)

    def pin_strides(self, at: Place) -> None:
        """Add the strides that the policy asks for."""
        if at.policy.shapes != "static" or at.policy.strides == "none":
            return
        shape, strides = self._read(at, "shape"), self._read(at, "stride")
        relaxed = at.policy.strides == "relaxed"
        for i, stride in enumerate(strides):
            if not (relaxed and (shape[i] < 2 or 0 in shape)):
                at.add_equal(TensorPropertySource(at.source, TensorProperty.STRIDE, Const(i)), stride)

    def _read(self, at: Place, fact: str) -> Any:
        try:
            return getattr(self._adapter(at), fact)(at.value)
        except Undefined as error:
            refuse(at, error.cause)

    def _adapter(self, at: Place) -> TensorAdapter:
        adapter = adapter_for(type(at.value))
        if adapter is None:
            refuse(at, "has no adapter that reads its facts")
        return adapter

    def attribute(self, at: Place, name: str) -> Place:
        if name == "shape":
            return at.child(AttrSource(at.source, name), self._read(at, name), name, rule=SHAPE)
        if name == "ndim":
            return at.child(AttrSource(at.source, name), len(self._read(at, "shape")), name, rule=FACT)
        return attribute_of(at, name)

    def fact(self, at: Place, name: str, index: int | None) -> Place:
        """Return the place of a fact that is read by position or by a method call.

        Args:
            at: the place of the tensor.
            name: `shape`, `stride`, `storage_offset`, `data_ptr` or `is_contiguous`.
            index: the dimension, for the first two.
        """
        if index is not None and index < 0:
            count = len(self._read(at, "shape"))
            at.add_equal(AttrSource(at.source, "ndim"), count)
            index += count
        try:
            value = tensor_property(at.value, name, index)
        except Undefined as error:
            refuse(at, error.cause)
        path = TensorPropertySource(at.source, TensorProperty(name), None if index is None else Const(index))
        return at.child(path, value, name, rule=FACT)

    def dispatch_keys(self, at: Place) -> None:
        """Add the dispatch keys in effect, where the library has them."""
        keys = self._read(at, "dispatch_keys")
        at.add(Compare(("==",), (Call("dispatch_keys", (at.source,)), at.constant(keys))))

    def length(self, at: Place) -> int:
        shape = self._read(at, "shape")
        if not shape:
            refuse(at, "has no dimensions, so no length")
        at.add_equal(TensorPropertySource(at.source, TensorProperty.SIZE, Const(0)), shape[0])
        return int(shape[0])

    def constant(self, at: Place) -> Any:
        refuse(at, "holds data, which is no part of a guard", hint="read its facts")

    def truth(self, at: Place) -> bool:
        refuse(at, "holds data, which decides its truth")

    def parts(self, at: Place) -> Iterable[Place]:
        return instance_parts(at)
