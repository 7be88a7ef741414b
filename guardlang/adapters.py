"""What reads the facts of a tensor: an adapter for each library's tensor type."""

from __future__ import annotations

import enum
import types
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import attrs

from guardlang import plugins
from guardlang.values import Undefined, mro_of, type_name

__all__ = [
    "NOT_HANDLED",
    "MemoryExtent",
    "TensorAdapter",
    "adapter_for",
    "connected",
    "native_tensors",
    "overlapping",
    "register_scalar_type",
    "register_tensor_adapter",
    "scalar_value",
]


class _NotHandled(enum.Enum):
    NOT_HANDLED = enum.auto()


# What `TensorAdapter.attribute` returns for an attribute that is read like that of any other object.
NOT_HANDLED = _NotHandled.NOT_HANDLED


@attrs.frozen
class MemoryExtent:
    """The bytes that the elements of a tensor lie in, from the first to the last.

    Args:
        storage: what the positions count from; extents of different storages never overlap.
        first: position of the first byte.
        stop: position past the last byte.
    """

    storage: Hashable
    first: int
    stop: int


class TensorAdapter:
    """Reads the facts of the tensors of one class and of classes derived from it.

    A method returns a plain value, runs no code of the tensor's own class, changes nothing, and raises `Undefined` for what the
    tensor does not have. Whatever else it raises counts as undefined too. A fact that is not overridden is undefined.

    Example:
        >>> class Grid:
        ...     def __init__(self, rows, columns):
        ...         self.size = (rows, columns)
        >>> class GridAdapter(TensorAdapter):
        ...     def shape(self, x):
        ...         return x.__dict__["size"]
        >>> adapter = register_tensor_adapter(Grid, GridAdapter())
        >>> adapter_for(Grid).attribute(Grid(2, 3), "shape"), adapter.ndim(Grid(2, 3))
        ((2, 3), 2)
    """

    # For generated code: functions in C that read a fact of an instance of exactly one of these classes, with the adapter's own
    # meaning but for symbolic sizes, which they give as they are. `overrides_active(x)`, if there is one, must be false before.
    direct_classes: frozenset[type] = frozenset()
    direct_reads: Mapping[str, Callable[[Any], Any]] = MappingProxyType({})
    overrides_active: Callable[[Any], object] | None = None
    # Direct reads that are right only where another direct read gives one certain object: fact to that other fact and the object.
    direct_when: Mapping[str, tuple[str, object]] = MappingProxyType({})

    # For C code: tells where the library keeps the facts, or None when that cannot be told.
    native: Callable[[], Any] | None = None

    def shape(self, x: Any) -> tuple[int, ...]:
        """Return the size of each dimension."""
        raise Undefined("has no shape")

    def ndim(self, x: Any) -> int:
        """Return the number of dimensions."""
        return len(self.shape(x))

    def stride(self, x: Any) -> tuple[int, ...]:
        """Return the step of each dimension, in elements."""
        raise Undefined("has no strides")

    def storage_offset(self, x: Any) -> int:
        """Return the position of the first element in its storage, in elements."""
        raise Undefined("has no storage offset")

    def dtype(self, x: Any) -> Any:
        """Return the type of the elements."""
        raise Undefined("has no dtype")

    def device(self, x: Any) -> Any:
        """Return where the elements are."""
        raise Undefined("has no device")

    def layout(self, x: Any) -> Any:
        """Return how the elements are stored."""
        raise Undefined("has no layout")

    def requires_grad(self, x: Any) -> bool:
        """Return whether gradients are computed for the tensor."""
        raise Undefined("has no requires_grad")

    def data_ptr(self, x: Any) -> int:
        """Return the address of the first element."""
        raise Undefined("has no address")

    def is_contiguous(self, x: Any) -> bool:
        """Return whether the elements lie in memory without gaps, the last dimension first."""
        raise Undefined("has no memory layout")

    def dispatch_keys(self, x: Any) -> frozenset[str]:
        """Return the names of the dispatch keys in effect in the calling thread."""
        raise Undefined("has no dispatch keys")

    def extent(self, x: Any) -> MemoryExtent | None:
        """Return where in memory the elements are, or None when there is no element."""
        raise Undefined("has no memory that can be compared")

    def is_cow(self, x: Any) -> bool:
        """Return whether the memory is shared with another tensor until one of them is written to."""
        raise Undefined("does not tell whether its memory is shared until written to")

    def attribute(self, x: Any, name: str) -> Any:
        """Return an attribute as the tensor's own library gives it, or NOT_HANDLED to have it read like any object's."""
        read = _FACTS.get(name)
        return NOT_HANDLED if read is None else read(self, x)


# The facts that are written as attributes; the others are methods of a tensor or functions of the language.
_FACTS: dict[str, Callable[[TensorAdapter, Any], Any]] = {
    "shape": lambda adapter, x: adapter.shape(x),
    "ndim": lambda adapter, x: adapter.ndim(x),
    "dtype": lambda adapter, x: adapter.dtype(x),
    "device": lambda adapter, x: adapter.device(x),
    "layout": lambda adapter, x: adapter.layout(x),
    "requires_grad": lambda adapter, x: adapter.requires_grad(x),
}

# By the id of the class, which the entry keeps alive: hashing a class would ask its metaclass.
_adapters: dict[int, tuple[type, TensorAdapter]] = {}
_scalars: dict[int, tuple[type, Callable[[Any], Any]]] = {}


def register_tensor_adapter(cls: type, adapter: TensorAdapter) -> TensorAdapter:
    """Have the facts of a class's objects read by an adapter from then on.

    Args:
        cls: the class; derived classes that have no adapter of their own are read by it too.
        adapter: the adapter.

    Returns:
        The same adapter.
    """
    _adapters[id(cls)] = (cls, adapter)
    return adapter


def adapter_for(cls: type) -> TensorAdapter | None:
    """Return the adapter of a class or of its nearest base that has one, or None.

    Args:
        cls: the exact class of an object.

    Example:
        >>> adapter_for(list) is None
        True
    """
    if id(cls) in _NO_TENSORS:
        return None
    # Not cached by class: `__bases__` can be assigned to, and the walk costs no more than checking that it was not.
    for base in mro_of(cls):
        found = _adapters.get(id(base))
        if found is not None:
            return found[1]
    if plugins.has_news("guardlang.tensor_adapters"):
        return adapter_for(cls)
    return None


def native_tensors() -> Any:
    """Return where the library of an adapter keeps the facts of its tensors, for C code; None when no adapter tells.

    Example:
        >>> import sys
        >>> native_tensors() is None or "torch" in sys.modules
        True
    """
    plugins.has_news("guardlang.tensor_adapters")
    for _, adapter in _adapters.values():
        if adapter.native is not None:
            return adapter.native()
    return None


_PLAIN_TYPES = (dict, list, tuple, str, int, float, bool, set, type(None), type, types.FunctionType, types.ModuleType)
_NO_TENSORS = frozenset(map(id, _PLAIN_TYPES))


def register_scalar_type(cls: type, value_of: Callable[[Any], Any]) -> None:
    """Have `int(x)` and `float(x)` read the objects of a class, and of classes derived from it, by base value.

    Args:
        cls: a class of numbers that are no `int`, `float` or `complex`.
        value_of: gives the Python number, running no code of the object's own class.

    Example:
        >>> import fractions
        >>> register_scalar_type(fractions.Fraction, lambda f: f.__dict__)
    """
    _scalars[id(cls)] = (cls, value_of)


def scalar_value(x: Any) -> Any:
    """Return the Python number that an object of a registered scalar type stands for, or NOT_HANDLED.

    Args:
        x: any object.

    Example:
        >>> scalar_value("7") is NOT_HANDLED
        True
    """
    for base in mro_of(type(x)):
        found = _scalars.get(id(base))
        if found is not None:
            try:
                return found[1](x)
            except Undefined:
                raise
            except Exception as error:  # noqa: BLE001  # an adapter is anybody's code
                raise Undefined(f"has no number: {type_name(type(error))} while it was read") from None
    return scalar_value(x) if plugins.has_news("guardlang.tensor_adapters") else NOT_HANDLED


def overlapping(tensors: Sequence[Any]) -> tuple[frozenset[int], ...]:
    """Return which tensors share memory, as groups of positions.

    Tensors of one group are connected by overlaps of their extents; interleaved tensors count as overlapping, empty ones overlap
    nothing.

    Args:
        tensors: the tensors; one may be there several times.

    Returns:
        The groups of two or more, ordered by their first member.

    Raises:
        Undefined: one of them is no tensor, or has no memory that can be compared.

    Example:
        >>> overlapping([])
        ()
    """
    by_storage: dict[Hashable, list[tuple[int, int, int]]] = {}
    for position, x in enumerate(tensors):
        extent = _extent(position, x)
        if extent is not None and extent.first < extent.stop:
            by_storage.setdefault(extent.storage, []).append((extent.first, position, extent.stop))
    groups = [frozenset(group) for extents in by_storage.values() for group in connected(extents) if len(group) > 1]
    return tuple(sorted(groups, key=min))


def _extent(position: int, x: Any) -> MemoryExtent | None:
    adapter = adapter_for(type(x))
    if adapter is None:
        raise Undefined(f"has operand {position} that is not a tensor")
    try:
        return adapter.extent(x)
    except Undefined as error:
        raise Undefined(f"has operand {position} that {error.cause}") from None
    except Exception as error:  # noqa: BLE001  # an adapter is anybody's code
        raise Undefined(f"has operand {position} whose memory cannot be read: {type_name(type(error))}") from None


def connected(extents: Iterable[tuple[int, int, int]]) -> list[list[int]]:
    """Return the positions of intervals, in runs that are connected by overlaps.

    Args:
        extents: first byte, position, byte past the last.

    Example:
        >>> connected([(0, 0, 8), (8, 1, 12), (4, 2, 9)])
        [[0, 2, 1]]
    """
    runs: list[list[int]] = []
    reach = 0
    for first, position, stop in sorted(extents):
        if runs and first < reach:
            runs[-1].append(position)
            reach = max(reach, stop)
        else:
            runs.append([position])
            reach = stop
    return runs
