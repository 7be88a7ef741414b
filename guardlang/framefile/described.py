"""Tensors that are known by description alone: their facts are written down, there is no memory behind them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from guardlang.adapters import MemoryExtent, TensorAdapter, register_tensor_adapter
from guardlang.functions import lookup
from guardlang.values import Undefined, ValueType, constructor_of, register_value_type, snapshot

__all__ = [
    "DescribedDevice",
    "DescribedTensor",
    "DescribedValue",
    "Description",
    "Storage",
    "construct",
    "contiguous_strides",
    "described_type",
    "device_of",
    "install_constructors",
]

_DEVICE = re.compile(r"([a-z_][a-z0-9_]*)(?::([0-9]{1,3}))?")
_WIDTH = re.compile(r"[a-z]+?([0-9]+)(?:_.*)?")


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides of elements that lie without gaps, the last dimension first.

    Example:
        >>> contiguous_strides((2, 3, 4))
        (12, 4, 1)
    """
    strides: list[int] = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


class Storage:
    """The memory of tensors that share it."""


@attrs.frozen(eq=False)
class Description:
    """The facts of a tensor; what `facts` lacks is undefined.

    Args:
        shape: the size of each dimension.
        facts: stride, storage_offset, dtype, device, layout, requires_grad, data_ptr, dispatch_keys, itemsize, as far as known.
        storage: what tensors that share memory have in common.
        extent: the first byte in the storage and the byte past the last, where they are not to be computed from the facts.
        has_extent: whether it is known where in memory the elements are.
    """

    shape: tuple[int, ...]
    facts: dict[str, Any]
    storage: Storage = attrs.field(factory=Storage)
    extent: tuple[int, int] | None = None
    has_extent: bool = True


class DescribedTensor:
    """An object that says of itself what a tensor would say; the base of the stand-ins for classes of tensors.

    Example:
        >>> x = DescribedTensor.of(DescribedTensor, Description((2, 3), {"stride": (3, 1)}))
        >>> DescribedAdapter().shape(x), DescribedAdapter().is_contiguous(x)
        ((2, 3), True)
    """

    __slots__ = ("_guardlang_description",)
    _guardlang_description: Description

    @staticmethod
    def of(tensor_class: type, description: Description) -> Any:
        """Return a new tensor of a class that is derived from this one.

        Args:
            tensor_class: the class.
            description: its facts.
        """
        made: Any = object.__new__(tensor_class)
        _description.__set__(made, description)
        return made


_description: Any = DescribedTensor.__dict__["_guardlang_description"]


def _facts_of(x: Any) -> Description:
    found: Description = _description.__get__(x)
    return found


def _fact(x: Any, name: str) -> Any:
    try:
        return _facts_of(x).facts[name]
    except KeyError:
        raise Undefined(f"is described without its {name}") from None


class DescribedAdapter(TensorAdapter):
    """Reads the facts of described tensors."""

    def shape(self, x: Any) -> tuple[int, ...]:
        """Return the size of each dimension."""
        return _facts_of(x).shape

    def stride(self, x: Any) -> tuple[int, ...]:
        """Return the step of each dimension."""
        return tuple(_fact(x, "stride"))

    def storage_offset(self, x: Any) -> int:
        """Return the position of the first element."""
        return int(_fact(x, "storage_offset"))

    def dtype(self, x: Any) -> Any:
        """Return the type of the elements."""
        return _fact(x, "dtype")

    def device(self, x: Any) -> Any:
        """Return where the elements are."""
        return _fact(x, "device")

    def layout(self, x: Any) -> Any:
        """Return how the elements are stored."""
        return _fact(x, "layout")

    def requires_grad(self, x: Any) -> bool:
        """Return whether gradients are computed."""
        return bool(_fact(x, "requires_grad"))

    def data_ptr(self, x: Any) -> int:
        """Return the address of the first element."""
        return int(_fact(x, "data_ptr"))

    def dispatch_keys(self, x: Any) -> frozenset[str]:
        """Return the names of the dispatch keys."""
        return frozenset(_fact(x, "dispatch_keys"))

    def is_contiguous(self, x: Any) -> bool:
        """Return whether the strides are those of elements without gaps."""
        facts = _facts_of(x)
        if 0 in facts.shape:
            return True
        wanted = contiguous_strides(facts.shape)
        steps = self.stride(x)
        return all(size == 1 or step == want for size, step, want in zip(facts.shape, steps, wanted, strict=True))

    def extent(self, x: Any) -> MemoryExtent | None:
        """Return where in its storage the elements are."""
        facts = _facts_of(x)
        if 0 in facts.shape:
            return None
        storage = ("described", id(facts.storage))
        if facts.extent is not None:
            return MemoryExtent(storage, *facts.extent)
        if not facts.has_extent:
            raise Undefined("is described without its extent in memory")
        width = _width(x, facts)
        steps = [(size - 1) * step for size, step in zip(facts.shape, self.stride(x), strict=True)]
        first = self.storage_offset(x)
        least = first + sum(step for step in steps if step < 0)
        last = first + sum(step for step in steps if step > 0)
        return MemoryExtent(storage, least * width, (last + 1) * width)


def _width(x: Any, facts: Description) -> int:
    """Return the bytes of an element: as described, or as the name of the dtype tells."""
    known = facts.facts.get("itemsize")
    if known is not None:
        return int(known)
    dtype = _fact(x, "dtype")
    name = type.__dict__["__qualname__"].__get__(dtype) if issubclass(type(dtype), type) else ""
    if name in ("bool", "uint8"):
        return 1
    found = _WIDTH.fullmatch(name)
    if found is None or int(found[1]) % 8:
        raise Undefined("is described without its itemsize, and its dtype does not tell")
    return int(found[1]) // 8


register_tensor_adapter(DescribedTensor, DescribedAdapter())


@attrs.frozen(eq=False)
class DescribedDevice:
    """A device by type and index, for where torch is not imported.

    Example:
        >>> DescribedDevice.parsed("cuda:1").index
        1
    """

    type: str
    index: int | None = None

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    @staticmethod
    def parsed(text: str, index: int | None = None) -> DescribedDevice:
        """Return the device of a text such as `cuda:0`, or of a type and an index.

        Args:
            text: a type, or a type and an index.
            index: the index, if the text has none.

        Raises:
            ValueError: the text is no device.
        """
        found = _DEVICE.fullmatch(text) if type(text) is str else None
        if found is None or (index is not None and (found[2] is not None or type(index) is not int or index < 0)):
            raise ValueError(f"{text!r:.40} is no device: write one such as 'cpu' or 'cuda:0'")
        return DescribedDevice(found[1], index if found[2] is None else int(found[2]))


_DEVICE_TYPE = register_value_type(ValueType(DescribedDevice, value_of=lambda device: (device.type, device.index)))


class DescribedValue:
    """A value of a type that nobody here knows, such as `numpy.dtype('float32')`: equal when it is written alike.

    Each constructor has a class of its own below this one.
    """

    __slots__ = ("arguments",)
    constructor = ""

    def __init__(self, *arguments: Any) -> None:
        self.arguments = snapshot(arguments)


_described: dict[str, ValueType] = {}


def described_type(constructor: str) -> ValueType:
    """Return the type of the values that are written with an unknown constructor.

    Args:
        constructor: the dotted name.

    Example:
        >>> made = described_type("somelib.dtype").construct("float32")
        >>> made.constructor, made.arguments
        ('somelib.dtype', ('float32',))
    """
    known = _described.get(constructor)
    if known is None:
        module, _, last = constructor.rpartition(".")
        space = {"__slots__": (), "constructor": constructor, "__module__": module or "__main__"}
        cls: Any = type(last, (DescribedValue,), space)
        known = _described[constructor] = register_value_type(
            ValueType(cls, value_of=lambda value: value.arguments, construct=cls, arguments=lambda value: value.arguments)
        )
    return known


def install_constructors(names: Iterable[str]) -> None:
    """Have constructors that guards call and nobody here knows, such as `torch.device('cpu')`, build described values.

    For programs that check guards without the libraries they speak of: in others, the constants would no longer be the library's
    own once it is imported.

    Args:
        names: what the guards call.
    """
    for name in names:
        if "." not in name or lookup(name) is not None or constructor_of(name) is not None:
            continue
        if name == "torch.device":
            shape = attrs.evolve(_DEVICE_TYPE, construct=DescribedDevice.parsed, arguments=lambda device: (str(device),))
        else:
            shape = described_type(name)
        register_value_type(attrs.evolve(shape, name=name))


def construct(name: str, arguments: Sequence[Any]) -> Any:
    """Build a value as a registered value type does, or a described one.

    Args:
        name: the constructor.
        arguments: literals.

    Raises:
        Exception: whatever a registered constructor says of its arguments.
    """
    known = constructor_of(name)
    if known is not None and known.construct is not None:
        return known.construct(*arguments)
    if name == "torch.device":
        return DescribedDevice.parsed(*arguments)
    made: Any = described_type(name).construct
    return made(*arguments)


def device_of(text: str) -> Any:
    """Return the device that a text names: torch's when torch is imported, else a described one.

    Args:
        text: such as `cuda:0`.

    Raises:
        ValueError: the text is no device.

    Example:
        >>> device_of("cpu").type
        'cpu'
    """
    try:
        return construct("torch.device", (text,))
    except RuntimeError:
        # Torch's own complaint is a page of device types.
        raise ValueError(f"{text!r:.40} is no device: write one such as 'cpu' or 'cuda:0'") from None
