"""What an observation pins: how much of a value, which identities, and what is left to others."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

import attrs

from guardlang.values import mro_of

__all__ = ["Policy"]

_NO_POLICIES: Mapping[Any, Any] = MappingProxyType({})


@attrs.frozen
class Policy:
    """How values are observed.

    Args:
        eager: whether everything below a value is observed at once, and not only what is asked for.
        alias: which objects are told apart by identity: `all` that can be, `tensors`, those whose identity the program `read`, or
            `none`. An object that is reached by several paths gets one `same`, all of them together one `distinct`.
        scalars: when the value of a number or text is pinned: when it is `read` (before that only the type is), at once
            (`constant`), or never, because the shapes treat it as a `symbol`.
        shapes: whether the sizes, strides and offset of a tensor are pinned (`static`) or left to the shapes (`symbol`).
        strides: which strides are pinned: `all`, `relaxed` (not those of dimensions with at most one element), or `none`.
        tensors: whether a tensor is pinned by its `facts` or, like a parameter that is part of the program, by its `identity`.
        overlap: when the memory that tensors share is pinned: once one of them is `written`, for `all`, or `none`.
        impure: what an attribute or item that only Python code can give means: an error (`refuse`), or an impure guard that runs
            that code (`run`). To observe it runs the code as well.
        hooks: whether modules are pinned to have no hooks.
        metadata: the facts that are pinned of each object of a class, instead of the usual ones of a tensor and besides those of
            any other object. Facts left out are pinned when they are read.
        children: policies for what is below, by attribute name or key; what is not named has the policy of its parent.

    Example:
        >>> Policy(alias="read", children={"lr": Policy(scalars="symbol")}).below("lr").scalars
        'symbol'
    """

    eager: bool = False
    alias: Literal["all", "tensors", "read", "none"] = attrs.field(
        default="all", validator=attrs.validators.in_(("all", "tensors", "read", "none"))
    )
    scalars: Literal["read", "constant", "symbol"] = attrs.field(
        default="read", validator=attrs.validators.in_(("read", "constant", "symbol"))
    )
    shapes: Literal["static", "symbol"] = attrs.field(default="static", validator=attrs.validators.in_(("static", "symbol")))
    strides: Literal["all", "relaxed", "none"] = attrs.field(
        default="all", validator=attrs.validators.in_(("all", "relaxed", "none"))
    )
    tensors: Literal["facts", "identity"] = attrs.field(default="facts", validator=attrs.validators.in_(("facts", "identity")))
    overlap: Literal["written", "all", "none"] = attrs.field(
        default="written", validator=attrs.validators.in_(("written", "all", "none"))
    )
    impure: Literal["refuse", "run"] = attrs.field(default="refuse", validator=attrs.validators.in_(("refuse", "run")))
    hooks: bool = True
    metadata: Mapping[type, tuple[str, ...]] = _NO_POLICIES
    children: Mapping[Any, Policy] = _NO_POLICIES

    def below(self, name: Any) -> Policy:
        """Return the policy for an attribute, item or key.

        Args:
            name: the attribute's name, the position, or the key.

        Example:
            >>> Policy(eager=True).below(0).eager
            True
        """
        # Only names and positions stand in the table: no key of an input is hashed.
        if not self.children or (type(name) is not str and type(name) is not int):
            return self
        return self.children.get(name, self)

    def metadata_of(self, cls: type) -> tuple[str, ...] | None:
        """Return the facts chosen for the objects of a class or of its nearest base that has a choice, or None.

        Args:
            cls: the exact class of an object.

        Example:
            >>> Policy(metadata={Exception: ("args",)}).metadata_of(ValueError)
            ('args',)
        """
        if not self.metadata:
            return None
        for base in mro_of(cls):
            for chosen, names in self.metadata.items():
                if chosen is base:
                    return names
        return None
