"""Source nodes: access paths from the frame to the values that guards speak of. They are expressions too."""

from __future__ import annotations

import enum
import keyword
import unicodedata
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import attrs

from guardlang.errors import GuardNameError, GuardTypeError
from guardlang.interning import Node, node
from guardlang.values import Undefined, exact_key, identity_key, snapshot, type_name, value_type_of

if TYPE_CHECKING:
    from guardlang.ast import Expr

__all__ = [
    "AttrSource",
    "CallFunctionNoArgsSource",
    "Const",
    "ConstantSource",
    "DynamicAttrSource",
    "DynamicGetItemSource",
    "GetItemSource",
    "GlobalSource",
    "GlobalStateSource",
    "LocalSource",
    "TensorProperty",
    "TensorPropertySource",
    "TupleIteratorGetItemSource",
    "TypeSource",
    "WeakRefCallSource",
    "is_plain_name",
]


def is_plain_name(member: str) -> bool:
    """Tell whether `x.member` can be written so that Python's parser reads the same name back.

    Args:
        member: an attribute name, any string.

    Returns:
        True for identifiers that are no keywords and that Unicode normalisation leaves alone.

    Example:
        >>> is_plain_name("weight"), is_plain_name("a b"), is_plain_name("class")
        (True, False, False)
    """
    return member.isidentifier() and not keyword.iskeyword(member) and unicodedata.normalize("NFKC", member) == member


@node
class LocalSource(Node):
    """`L['x']`: a local of the frame, read from the first mapping."""

    name: str


@node
class GlobalSource(Node):
    """`G['x']`: a global, read from the second mapping."""

    name: str


@node
class GlobalStateSource(Node):
    """`S['torch.grad_mode']`: ambient state, read in the calling thread by a registered reader."""

    name: str


def _literal(value: Any) -> Any:
    """Return a private copy of a value that has a text of its own."""
    try:
        copy = snapshot(value)
    except Undefined as error:
        raise GuardTypeError(f"the constant {error.cause}", hint="give it a name in `objects`") from None
    pending = [copy]
    while pending:
        item = pending.pop()
        cls = type(item)
        if cls in (tuple, list, set, frozenset):
            pending.extend(item)
        elif cls is dict:
            pending.extend([*item.keys(), *item.values()])
        elif cls is slice:
            pending.extend([item.start, item.stop, item.step])
        elif cls not in _LITERAL_TYPES:
            value_type = value_type_of(cls)
            if value_type is None or value_type.arguments is None:
                raise GuardTypeError(f"an object of type {type_name(cls)} has no literal", hint="give it a name in `objects`")
    return copy


_LITERAL_TYPES = frozenset({type(None), type(Ellipsis), bool, int, float, complex, str, bytes, range})


@node
class Const(Node):
    """A literal: any value that has a text, held as a copy and keyed by exact type and value."""

    value: Any = attrs.field(converter=_literal)

    def _key(self) -> Hashable:
        return exact_key(self.value)


@node
class ConstantSource(Node):
    """A named live object that the set holds, such as `torch.Tensor`.

    `value` is the object itself, for identity. `content` is its value when it has one: a copy of a mutable value.
    """

    name: str
    value: Any
    content: Any = attrs.field(
        init=False, default=attrs.Factory(lambda self: snapshot(self.value, strict=False), takes_self=True)
    )

    def __attrs_post_init__(self) -> None:
        parts = self.name.split(".")
        if not all(map(is_plain_name, parts)) or parts[0] in ("L", "G", "S"):
            raise GuardNameError(
                f"{self.name!r:.80} cannot name an object", hint="use identifiers joined by dots; L, G and S are the roots"
            )

    def _key(self) -> Hashable:
        content = None if self.content is self.value else exact_key(self.content)
        return (self.name, identity_key(self.value), content)

    def __reduce__(self) -> tuple[Any, ...]:
        return ConstantSource, (self.name, self.value)


@node
class AttrSource(Node):
    """`x.a`: the pure attribute read. A member that is no plain name is read from the instance dict."""

    base: Expr
    member: str

    def _canonical(self) -> Node:
        if is_plain_name(self.member):
            return self
        return GetItemSource(AttrSource(self.base, "__dict__"), Const(self.member))


@node
class GetItemSource(Node):
    """`x[k]`: the base type's own item access. `x.shape[i]` is a tensor property."""

    base: Expr
    index: Expr

    def _canonical(self) -> Node:
        if isinstance(self.base, AttrSource) and self.base.member == "shape":
            return TensorPropertySource(self.base.base, TensorProperty.SIZE, self.index)
        return self


@node
class TypeSource(Node):
    """`type(x)`: the exact class."""

    base: Expr


@node
class WeakRefCallSource(Node):
    """`deref(w)`: the object of a weak reference, None when it is dead."""

    base: Expr


@node
class CallFunctionNoArgsSource(Node):
    """`call(x)`: a call without arguments. Impure."""

    base: Expr


@node
class DynamicAttrSource(Node):
    """`getattr(x, 'a')`: the full attribute protocol. Impure."""

    base: Expr
    member: str


@node
class DynamicGetItemSource(Node):
    """`getitem(x, k)`: the full item protocol. Impure."""

    base: Expr
    index: Expr


@node
class TupleIteratorGetItemSource(Node):
    """`peek(it, i)`: the i-th item left of a tuple, list, range or count iterator."""

    base: Expr
    index: Expr


class TensorProperty(enum.Enum):
    """The facts of a tensor that are read by position or by a method call."""

    SIZE = "shape"
    STRIDE = "stride"
    STORAGE_OFFSET = "storage_offset"
    DATA_PTR = "data_ptr"
    IS_CONTIGUOUS = "is_contiguous"

    @property
    def indexed(self) -> bool:
        """Whether the property is one of several, chosen by dimension."""
        return self in (TensorProperty.SIZE, TensorProperty.STRIDE)


@node
class TensorPropertySource(Node):
    """`x.shape[i]`, `x.stride(i)`, `x.storage_offset()`, `x.data_ptr()`, `x.is_contiguous()`."""

    base: Expr
    prop: TensorProperty
    index: Expr | None = None

    def __attrs_post_init__(self) -> None:
        if self.prop.indexed is not (self.index is not None):
            raise TypeError(f"{self.prop.value} takes {'a dimension' if self.prop.indexed else 'no dimension'}")
