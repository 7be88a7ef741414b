"""Automatic dynamic: what has varied between runs becomes a symbol, what has not stays a constant.

For every source a small lattice holds what was seen: nothing, one constant, or too many values to pin. Joining two histories is
commutative, associative and idempotent, so the histories of several runs or ranks merge in any order to the same state.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from typing import Any

import attrs

from guardlang.errors import FrameFormatError
from guardlang.shapes.policy import DimensionPolicy
from guardlang.shapes.strides import inferred

__all__ = ["AutomaticDynamic", "TensorChoice"]

_FORMAT = "guardlang-automatic-dynamic-1"


@attrs.frozen
class _Atom:
    """What was seen at one place: kind `unset`, `constant`, `infer` (a stride that follows from a dimension) or `dynamic`."""

    kind: str
    # A constant is kept by type and text, so that 1, 1.0 and True are three and a NaN is one.
    value: tuple[str, str] | int | None = None

    def join(self, other: _Atom) -> _Atom:
        if self == other or other.kind == "unset":
            return self
        return other if self.kind == "unset" else _DYNAMIC


_UNSET = _Atom("unset")
_DYNAMIC = _Atom("dynamic")
_Tuple = tuple[_Atom, ...] | _Atom


def _constant(value: bool | float) -> _Atom:
    return _Atom("constant", (type(value).__name__, repr(value)))


def _join_tuples(left: _Tuple, right: _Tuple) -> _Tuple:
    if isinstance(left, _Atom) or isinstance(right, _Atom):
        if _UNSET in (left, right):
            return right if left == _UNSET else left
        return _DYNAMIC
    if len(left) != len(right):
        return _DYNAMIC
    return tuple(mine.join(theirs) for mine, theirs in zip(left, right, strict=True))


@attrs.frozen
class _Entry:
    """What was seen at one source, as a number and as a tensor."""

    scalar: _Atom = _UNSET
    size: _Tuple = _UNSET
    stride: _Tuple = _UNSET

    def join(self, other: _Entry) -> _Entry:
        scalar = self.scalar.join(other.scalar)
        size, stride = _join_tuples(self.size, other.size), _join_tuples(self.stride, other.stride)
        if _UNSET not in (scalar, size):
            return _Entry(_DYNAMIC, _DYNAMIC, _DYNAMIC)
        return _Entry(scalar, size, stride)


@attrs.frozen
class TensorChoice:
    """How the numbers of a tensor are treated: STATIC, DYNAMIC, or INFER_STRIDE for strides."""

    sizes: tuple[DimensionPolicy, ...]
    strides: tuple[DimensionPolicy, ...] | None


class AutomaticDynamic:
    """The history of sources over the traces of one program, by the text of the source.

    Example:
        >>> history = AutomaticDynamic()
        >>> [policy.name for policy in history.tensor("L['x']", (2, 3), (3, 1)).sizes]
        ['STATIC', 'STATIC']
        >>> choice = history.tensor("L['x']", (2, 4), (4, 1))
        >>> [policy.name for policy in choice.sizes], [policy.name for policy in choice.strides]
        (['STATIC', 'DYNAMIC'], ['INFER_STRIDE', 'STATIC'])
    """

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._excluded: dict[str, tuple[int | None, ...]] = {}
        self._lock = threading.Lock()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AutomaticDynamic) and self._entries == other._entries

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __repr__(self) -> str:
        return f"<AutomaticDynamic of {len(self._entries)} sources>"

    def scalar(self, source: str, value: bool | float) -> bool:
        """Take in a number and return whether its source has varied.

        Args:
            source: the text of the source.
            value: the number.

        Example:
            >>> history = AutomaticDynamic()
            >>> history.scalar("L['n']", 3), history.scalar("L['n']", 3), history.scalar("L['n']", 5)
            (False, False, True)
        """
        return self._observe(source, _Entry(scalar=_constant(value)))[1].scalar == _DYNAMIC

    def tensor(self, source: str, shape: Sequence[int], strides: Sequence[int] | None = None) -> TensorChoice:
        """Take in the sizes and strides of a tensor and return how they are to be treated.

        A stride that is a size times another stride is linked to that size before it is joined. After a change of rank, or
        where the source held a number before, everything is dynamic and strides are inferred where the example allows it.

        Args:
            source: the text of the source.
            shape: the sizes.
            strides: the strides, or None.
        """
        stride: _Tuple = _UNSET
        if strides is not None:
            links = inferred(shape, strides)
            stride = tuple(
                _constant(step) if link is None else _Atom("infer", link) for link, step in zip(links, strides, strict=True)
            )
        before, after = self._observe(source, _Entry(size=tuple(map(_constant, shape)), stride=stride))
        self._note_excluded(source, before, after)
        if isinstance(after.size, _Atom):
            sizes = (DimensionPolicy.DYNAMIC,) * len(shape)
            return TensorChoice(sizes, None if strides is None else (DimensionPolicy.INFER_STRIDE,) * len(shape))
        sizes = tuple(_POLICIES[atom.kind] for atom in after.size)
        if strides is None:
            return TensorChoice(sizes, None)
        if isinstance(after.stride, _Atom):
            return TensorChoice(sizes, (DimensionPolicy.INFER_STRIDE,) * len(shape))
        return TensorChoice(sizes, tuple(_POLICIES[atom.kind] for atom in after.stride))

    def excluded(self, source: str) -> tuple[int | None, ...]:
        """Return for each dimension the constant that the last tensor at a source made dynamic, None where nothing changed.

        Args:
            source: the text of the source.

        Example:
            >>> history = AutomaticDynamic()
            >>> _ = history.tensor("L['x']", (2, 3)), history.tensor("L['x']", (2, 4))
            >>> history.excluded("L['x']")
            (None, 3)
        """
        return self._excluded.get(source, ())

    def _observe(self, source: str, seen: _Entry) -> tuple[_Entry, _Entry]:
        with self._lock:
            before = self._entries.get(source, _Entry())
            after = self._entries[source] = before.join(seen)
        return before, after

    def _note_excluded(self, source: str, before: _Entry, after: _Entry) -> None:
        self._excluded.pop(source, None)
        if isinstance(before.size, tuple) and isinstance(after.size, tuple) and before.size != after.size:
            self._excluded[source] = tuple(
                int(old.value[1]) if old != new and isinstance(old.value, tuple) else None
                for old, new in zip(before.size, after.size, strict=True)
            )

    def merge(self, other: AutomaticDynamic) -> None:
        """Join the history of another run or rank into this one.

        Args:
            other: the other history.

        Example:
            >>> here, there = AutomaticDynamic(), AutomaticDynamic()
            >>> _ = here.scalar("L['n']", 3), there.scalar("L['n']", 4)
            >>> here.merge(there)
            >>> print(here.to_json())
            {"format": "guardlang-automatic-dynamic-1", "sources": {"L['n']": {"scalar": "dynamic"}}}
        """
        entries = dict(other._entries)
        with self._lock:
            for source, entry in entries.items():
                self._entries[source] = self._entries.get(source, _Entry()).join(entry)

    def copy(self) -> AutomaticDynamic:
        """Return a history of its own that is as this one is now."""
        made = AutomaticDynamic()
        made.become(self)
        return made

    def become(self, other: AutomaticDynamic) -> None:
        """Forget what was seen, and have seen what another history has.

        Args:
            other: the other history.
        """
        entries, excluded = dict(other._entries), dict(other._excluded)
        with self._lock:
            self._entries, self._excluded = entries, excluded

    def to_json(self) -> str:
        """Return the history as JSON text, the same for equal histories."""
        sources = {
            source: {
                name: _to_data(value)
                for name, value in (("scalar", entry.scalar), ("size", entry.size), ("stride", entry.stride))
                if value != _UNSET
            }
            for source, entry in sorted(self._entries.items())
        }
        return json.dumps({"format": _FORMAT, "sources": sources})

    @classmethod
    def from_json(cls, text: str) -> AutomaticDynamic:
        """Return the history that `to_json` wrote.

        Args:
            text: the JSON text.

        Raises:
            FrameFormatError: the text does not have the form.

        Example:
            >>> history = AutomaticDynamic()
            >>> _ = history.tensor("L['x']", (2, 3), (3, 1))
            >>> AutomaticDynamic.from_json(history.to_json()) == history
            True
        """
        made = cls()
        try:
            data = json.loads(text)
            for source, fields in data["sources"].items():
                made._entries[source] = _Entry(**{name: _from_data(value) for name, value in fields.items()})
        except (ValueError, TypeError, KeyError, AttributeError):
            raise FrameFormatError(
                "the text is no history of automatic dynamic sources", hint=f"to_json writes one, with format {_FORMAT!r}"
            ) from None
        if data.get("format") != _FORMAT:
            raise FrameFormatError(f"the history has the format {data.get('format')!r:.80}, not {_FORMAT!r}")
        return made


_POLICIES = {
    "constant": DimensionPolicy.STATIC,
    "infer": DimensionPolicy.INFER_STRIDE,
    "dynamic": DimensionPolicy.DYNAMIC,
}
_CONSTANTS: dict[str, Any] = {"int": int, "float": float, "bool": {"True": True, "False": False}.__getitem__}


def _to_data(value: _Tuple) -> Any:
    if isinstance(value, tuple):
        return [_to_data(atom) for atom in value]
    if value.kind == "dynamic":
        return "dynamic"
    if isinstance(value.value, tuple):
        name, text = value.value
        return int(text) if name == "int" else {name: text}
    return {"infer": value.value}


def _from_data(data: Any) -> Any:
    if type(data) is list:
        return tuple(_from_data(item) for item in data)
    if data == "dynamic":
        return _DYNAMIC
    if type(data) is int:
        return _constant(data)
    ((name, value),) = data.items()
    if name == "infer":
        return _Atom("infer", int(value))
    return _constant(_CONSTANTS[name](value))
