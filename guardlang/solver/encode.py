"""Guards as formulas: for each, when it is defined and when it is true, as `semantics` has it.

What a formula cannot say exactly becomes a free variable. So the encoding allows at least the frames that exist, and a proof
that no frame is left holds; a model is only a candidate until a frame made from it has been replayed.

Two things are taken for granted, as the whole solver does: results of `+`, `-`, `*` stay below 2**16 bits, and what is read
through `.shape[i]` and `.ndim` is a tensor or looks like one.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypeGuard

import attrs

from guardlang.ast import BinOp, BoolOp, Call, Compare, Expr, IfExp, Not, TupleDisplay, UnaryOp
from guardlang.exhaustive import assert_never
from guardlang.purity import runs_user_code
from guardlang.solver import encode_compare, encode_numbers
from guardlang.solver.formula import BOOL, FALSE, INT, TRUE, Builder, Term
from guardlang.solver.universe import Universe
from guardlang.solver.valuation import Encoded, Valuation
from guardlang.sources import (
    AttrSource,
    CallFunctionNoArgsSource,
    Const,
    ConstantSource,
    DynamicAttrSource,
    DynamicGetItemSource,
    GetItemSource,
    GlobalSource,
    GlobalStateSource,
    LocalSource,
    TensorProperty,
    TensorPropertySource,
    TupleIteratorGetItemSource,
    TypeSource,
    WeakRefCallSource,
)
from guardlang.walk import children, postorder

__all__ = ["Encoder", "Formula", "known_types"]

_TYPE_NAMES: dict[str, type] = {
    cls.__name__: cls
    for cls in (bool, int, float, complex, str, bytes, type(None), list, tuple, dict, set, frozenset, range, slice)
}
_SEQUENCES = (list, tuple)


@attrs.frozen
class Formula:
    """A guard as a pair of formulas.

    Args:
        defined: when it can be read and computed.
        true: when it is defined and true.
    """

    defined: Term
    true: Term


def known_types(facts: Iterable[Expr]) -> dict[Expr, type]:
    """Return the exact types that the facts state outright.

    Args:
        facts: guards that hold.

    Example:
        >>> from guardlang.parse import parse
        >>> known_types([parse("type(L['n']) is int and L['n'] > 2")])
        {<LocalSource L['n']>: <class 'int'>}
    """
    found: dict[Expr, type] = {}
    pending = list(facts)[::-1]
    while pending:
        match pending.pop():
            case BoolOp(op="and", operands=operands):
                pending.extend(reversed(operands))
            case Compare(ops=("is" | "==",), operands=(TypeSource(base=base), ConstantSource(value=cls))) if issubclass(
                type(cls), type
            ):
                found.setdefault(base, cls)
            case Compare(ops=("is" | "==",), operands=(ConstantSource(value=cls), TypeSource(base=base))) if issubclass(
                type(cls), type
            ):
                found.setdefault(base, cls)
            case _:
                pass
    return found


class Encoder:
    """Encodes the guards of one query over shared variables.

    Args:
        guards: every guard of the query, in the order that numbers the variables.
        types: exact types that are known of some nodes: the class, or the name of a builtin one; other names say nothing.
        defined: nodes that are known to be defined.

    Example:
        >>> from guardlang.parse import parse
        >>> guard = parse("L['n'] % 4 == 1")
        >>> encoder = Encoder([guard], types={guard.operands[0].left: "int"}, defined=[guard.operands[0].left])
        >>> str(encoder.formula(guard).true)
        '(= (mod v2 4) 1)'
    """

    def __init__(self, guards: Iterable[Expr], *, types: Mapping[Expr, str | type] = {}, defined: Collection[Expr] = ()) -> None:
        roots = tuple(guards)
        nodes = list(postorder(*roots))
        self.make = Builder()
        self.universe = Universe(_constants(nodes))
        named = {node: _TYPE_NAMES.get(t) if isinstance(t, str) else t for node, t in types.items()}
        self.types = {node: cls for node, cls in named.items() if cls is not None}
        self.values = Valuation(self.make, self.universe, by_identity=any(map(_relates_identities, nodes)))
        self._certain = frozenset(defined)
        self._known: dict[Expr, Encoded] = {}
        self._impure: set[Expr] = set()
        self._measured = {node.args[0] for node in nodes if isinstance(node, Call) and node.function == "len"}
        self._lengths: dict[Expr, Term] = {}
        self._tensors: dict[Expr, tuple[Term, Term]] = {}
        for node in nodes:
            self._note(node)
            if isinstance(node, ConstantSource) and issubclass(type(node.value), type):
                self.universe.class_code(node.value)

    @property
    def side(self) -> list[Term]:
        """What holds of the variables by what they stand for."""
        return self.values.side

    @property
    def atoms(self) -> dict[Expr, Encoded]:
        """The encoding of every pure node met so far."""
        return self._known

    def formula(self, guard: Expr) -> Formula:
        """Return when a guard is defined and when it is true.

        Args:
            guard: one of the guards of the query. An impure part is read anew for each call.
        """
        own: dict[Expr, Encoded] = {}
        for node in postorder(guard):
            if node not in self._known and node not in own:
                (own if node in self._impure else self._known)[node] = self._encode(node, own)
        result = own.get(guard) or self._known[guard]
        return Formula(result.defined, self.make.both(result.defined, self.truth(result)))

    def _note(self, node: Expr) -> None:
        if runs_user_code(node) or any(child in self._impure for child in children(node)):
            self._impure.add(node)

    def truth(self, value: Encoded) -> Term:
        """Return whether a defined value is True."""
        if value.truth is not None:
            return value.truth
        is_bool = self.make.equal(value.tag, self.make.integer(0))
        return self.make.both(is_bool, self.make.equal(value.integer, self.make.integer(1)))

    def _encode(self, node: Expr, own: Mapping[Expr, Encoded]) -> Encoded:
        below = tuple(own.get(child) or self._known[child] for child in children(node))
        encoded = self._step(node, below)
        if node in self._certain:
            encoded = attrs.evolve(encoded, defined=TRUE)
        return encoded

    def _step(self, node: Expr, below: tuple[Encoded, ...]) -> Encoded:
        make = self.make
        match node:
            case Const():
                return self.values.constant(node.value)
            case ConstantSource():
                return self.values.constant(node.content, identity=node.value)
            case LocalSource() | GlobalSource() | GlobalStateSource():
                return self.values.root(self.types.get(node))
            case AttrSource():
                return self._attribute(node, below[0])
            case GetItemSource():
                return self._item(node, below)
            case TypeSource():
                return self.values.type_of(below[0])
            case TensorPropertySource():
                return self._tensor_property(node, below)
            case (
                WeakRefCallSource() | CallFunctionNoArgsSource() | DynamicAttrSource() | DynamicGetItemSource()
                | TupleIteratorGetItemSource()
            ):  # fmt: skip
                return self._free(node, below)
            case UnaryOp():
                return encode_numbers.unary(self.values, node.op, below[0])
            case Not():
                return self.values.condition(below[0].defined, make.negate(self.truth(below[0])))
            case BinOp():
                return encode_numbers.binary(self.values, node.op, below[0], below[1])
            case Compare():
                compared = encode_compare.chain(self.values, node, below, self._items)
                if node.ops in (("==",), ("!=",)):
                    equal = make.negate(self.truth(compared)) if node.ops == ("!=",) else self.truth(compared)
                    self._relate_keys(node, compared.defined, equal)
                    self._relate_lengths(node, below, make.both(compared.defined, equal))
                    self._relate_sizes(node, compared.defined, equal)
                return compared
            case BoolOp():
                return self._junction(node.op, below)
            case IfExp():
                return self.values.choose(below[1], self.truth(below[1]), below[0], below[2])
            case Call():
                return self._call(node, below)
            case TupleDisplay():
                shown = self.values.free(make.both(*[part.defined for part in below]), tuple)
                return attrs.evolve(shown, valued=make.both(*[part.valued for part in below]))
            case _:
                assert_never(node)

    def _items(self, node: Expr) -> tuple[Encoded, ...] | None:
        """Return the items of a tuple that is written out, or of a constant sequence."""
        if isinstance(node, TupleDisplay):
            return tuple(self._known[item] for item in node.items if item in self._known) or None
        if isinstance(node, Const) and type(node.value) in _SEQUENCES:
            return tuple(self.values.constant(item) for item in node.value)
        return None

    def _free(self, node: Expr, below: Iterable[Encoded], cls: type | None = None) -> Encoded:
        """Return anything at all, defined only if the operands are."""
        defined = self.make.both(*[part.defined for part in below], self.values.fresh("defined", BOOL))
        return self.values.free(defined, cls or self.types.get(node))

    def _junction(self, op: str, below: tuple[Encoded, ...]) -> Encoded:
        make = self.make
        defined = TRUE
        for part in reversed(below):
            stops = make.negate(self.truth(part)) if op == "and" else self.truth(part)
            defined = make.both(part.defined, make.either(stops, defined))
        truths = [self.truth(part) for part in below]
        return self.values.condition(defined, make.both(*truths) if op == "and" else make.either(*truths))

    def _attribute(self, node: AttrSource, base: Encoded) -> Encoded:
        if node.member == "ndim":
            is_tensor, rank = self._rank(node.base, base)
            return self.values.integer(self.make.both(base.defined, is_tensor), rank)
        if node.member == "shape":
            is_tensor, _ = self._rank(node.base, base)
            shape = self.values.free(self.make.both(base.defined, is_tensor), tuple)
            return attrs.evolve(shape, tag=self.values.fresh("class of a shape", INT), valued=TRUE, unequal=FALSE)
        return self.values.attribute(base, node.member, self.types.get(node))

    def _rank(self, node: Expr, base: Encoded) -> tuple[Term, Term]:
        """Return whether an object is a tensor, and its number of dimensions."""
        if node not in self._tensors:
            is_tensor = self.values.fact(base, "is tensor", BOOL)
            rank = self.values.fact(base, "rank", INT)
            self.side.append(self.make.le(self.make.integer(0), rank))
            self._tensors[node] = (is_tensor, rank)
        return self._tensors[node]

    def _tensor_property(self, node: TensorPropertySource, below: tuple[Encoded, ...]) -> Encoded:
        make = self.make
        base = below[0]
        is_tensor, rank = self._rank(node.base, base)
        operands = make.both(*[part.defined for part in below])
        if node.prop is TensorProperty.IS_CONTIGUOUS:
            readable = make.both(is_tensor, self.values.fact(base, "has is_contiguous", BOOL))
            return self.values.condition(make.both(operands, readable), self.values.fact(base, "is contiguous", BOOL))
        if node.index is None:
            readable = make.both(is_tensor, self.values.fact(base, f"has {node.prop.value}", BOOL))
            number = self.values.fact(base, node.prop.value, INT)
            return self.values.integer(make.both(operands, readable), number)
        index = below[1]
        if isinstance(node.index, Const) and type(node.index.value) is int:
            number = self.values.fact(base, f"{node.prop.value} {node.index.value}", INT)
        else:
            number = self.values.fresh(node.prop.value, INT)
        inside = make.both(make.le(make.minus(rank), index.integer), make.lt(index.integer, rank))
        readable = make.both(is_tensor, self.values.is_tag(index, int), inside)
        if node.prop is TensorProperty.SIZE:
            self.side.append(make.le(make.integer(0), number))
        else:
            readable = make.both(readable, self.values.fact(base, f"has {node.prop.value}", BOOL))
        return self.values.integer(make.both(operands, readable), number)

    def _item(self, node: GetItemSource, below: tuple[Encoded, ...]) -> Encoded:
        make = self.make
        base, index = below
        if not isinstance(node.index, Const):
            return self._free(node, below)
        key = node.index.value
        value = self.values.item(base, key, self.types.get(node))
        if type(key) is int and self.types.get(node.base) in _SEQUENCES:
            length = self._length(node.base, base)
            inside = make.both(make.le(make.minus(length), index.integer), make.lt(index.integer, length))
            self.side.append(make.implies(base.defined, make.equal(value.defined, inside)))
        return value

    def _length(self, node: Expr, base: Encoded) -> Term:
        if node not in self._lengths:
            length = self.values.fact(base, "length", INT)
            self.side.append(self.make.le(self.make.integer(0), length))
            self._lengths[node] = length
        return self._lengths[node]

    def _call(self, node: Call, below: tuple[Encoded, ...]) -> Encoded:
        make = self.make
        operands = make.both(*[part.defined for part in below])
        match node.function:
            case "len":
                if isinstance(node.args[0], AttrSource) and node.args[0].member == "shape":
                    return self.values.integer(operands, self._tensors[node.args[0].base][1])
                sized = self.values.is_sized(below[0])
                return self.values.integer(make.both(operands, sized), self._length(node.args[0], below[0]))
            case "keys" | "values":
                mapping = self.values.is_mapping(below[0])
                shown = self.values.free(make.both(operands, mapping), tuple)
                return attrs.evolve(shown, valued=self.values.fact(below[0], f"{node.function} are values", BOOL))
            case "set" | "frozenset" if isinstance(node.args[0], Call) and node.args[0].function == "keys":
                owner = self._known.get(node.args[0].args[0])
                cls = set if node.function == "set" else frozenset
                if owner is None:
                    return self._free(node, below, cls)
                hashes = self.values.fact(owner, "keys have hashes", BOOL)
                shown = self.values.free(make.both(operands, hashes), cls)
                return attrs.evolve(shown, valued=below[0].valued)
            case "same" | "distinct":
                return encode_compare.partition(self.values, node.function, below)
            case "exact":
                return encode_compare.exactly(self.values, below)
            case "isinstance":
                return encode_compare.instance(self.values, node, below)
            case "hasattr":
                member = node.args[1]
                if isinstance(member, Const) and isinstance(member.value, str):
                    return self._has_attribute(node.args[0], below[0], member.value)
                return self._free(node, below, bool)
            case "abs" | "min" | "max" | "floor" | "ceil" | "trunc" | "round" | "sqrt" | "isnan" | "int" | "float" | "bool":
                return encode_numbers.function(self.values, node.function, below)
            case _:
                return self._free(node, below)

    def _relate_lengths(self, node: Compare, below: tuple[Encoded, ...], same: Term) -> None:
        """State that what is equal has the same length, where the query asks for lengths."""
        lengths: list[Term] = []
        for side, encoded in zip(node.operands, below, strict=True):
            if side in self._measured:
                lengths.append(self._length(side, encoded))
            elif isinstance(side, Const) and type(side.value) in (str, bytes, list, tuple, dict, set, frozenset):
                lengths.append(self.make.integer(len(side.value)))
        if len(lengths) == 2:
            self.side.append(self.make.implies(same, self.make.equal(lengths[0], lengths[1])))

    def _relate_sizes(self, node: Compare, defined: Term, equal: Term) -> None:
        """State what `x.shape == (...)` means for the single sizes."""
        make = self.make
        for side, other in (node.operands, node.operands[::-1]):
            sizes = other.value if isinstance(other, Const) else None
            if not (isinstance(side, AttrSource) and side.member == "shape" and type(sizes) is tuple):
                continue
            owner = self._known.get(side.base)
            if owner is None or not all(type(size) is int for size in sizes):
                continue
            _, rank = self._rank(side.base, owner)
            parts = [make.equal(rank, make.integer(len(sizes)))]
            from_the_end: list[Term] = []
            for n, size in enumerate(sizes):
                for index, found in ((n, parts), (n - len(sizes), from_the_end)):
                    fact = self.values.fact(owner, f"{TensorProperty.SIZE.value} {index}", INT)
                    found.append(make.equal(fact, make.integer(size)))
            self.side.append(make.implies(defined, make.equal(equal, make.both(*parts))))
            self.side.append(make.implies(make.both(defined, equal), make.both(*from_the_end)))

    def _relate_keys(self, node: Compare, defined: Term, equal: Term) -> None:
        """State what `keys(d) == (...)` and `set(keys(d)) == {...}` with strings mean for the length and the items of d."""
        for side, other in (node.operands, node.operands[::-1]):
            wanted: Any = other.value if isinstance(other, Const) else None
            as_set = isinstance(side, Call) and side.function in ("set", "frozenset")
            call = side.args[0] if isinstance(side, Call) and as_set else side
            if not _is_keys(call) or type(wanted) not in ((set, frozenset) if as_set else (tuple,)):
                continue
            owner = self._known.get(call.args[0])
            if owner is not None and all(type(key) is str for key in wanted) and len(set(wanted)) == len(wanted):
                same = self.make.both(defined, equal)
                self._state_keys(call.args[0], owner, frozenset(wanted), same, defined if as_set else FALSE)

    def _state_keys(self, base: Expr, owner: Encoded, wanted: frozenset[str], same: Term, defined: Term) -> None:
        """State what follows if the keys are these, and, where `defined` holds, what makes them be these."""
        make = self.make
        texts = sorted(text for text in self.universe.texts if type(text) is str)
        present = {text: self.values.fact(owner, f"has {self.values.item_name(text)}", BOOL) for text in texts}
        there = make.both(*[present[text] for text in sorted(wanted)])
        counted = make.equal(self._length(base, owner), make.integer(len(wanted)))
        others = make.both(*[make.negate(present[text]) for text in texts if text not in wanted])
        plain = make.both(self.values.fact(owner, "keys are values", BOOL), self.values.fact(owner, "keys have hashes", BOOL))
        self.side.append(make.implies(same, make.both(there, counted, others, plain)))
        self.side.append(make.implies(make.both(defined, there, counted), same))

    def _has_attribute(self, base: Expr, owner: Encoded, member: str) -> Encoded:
        node = AttrSource(base, member)
        if base in self._impure or not isinstance(node, AttrSource):
            return self.values.condition(owner.defined, self.values.fresh("has", BOOL))
        if node not in self._known:
            self._known[node] = self._encode(node, {})
        return self.values.condition(owner.defined, self._known[node].defined)


def _is_keys(node: Expr) -> TypeGuard[Call]:
    return isinstance(node, Call) and node.function == "keys"


def _constants(nodes: Iterable[Expr]) -> list[Any]:
    """Return the constants of a query with their items, so that every string has its place in the order."""
    pending: list[Any] = []
    for node in nodes:
        if isinstance(node, Const):
            pending.append(node.value)
        elif isinstance(node, ConstantSource):
            pending.append(node.content)
    found: list[Any] = []
    while pending:
        item = pending.pop()
        found.append(item)
        if type(item) in (tuple, list, set, frozenset):
            pending.extend(item)
        elif type(item) is dict:
            pending.extend([*item.keys(), *item.values()])
    return found


def _relates_identities(node: Expr) -> bool:
    """Tell whether a node asks whether two inputs are one object."""
    match node:
        case Compare(ops=ops, operands=operands):
            for op, (left, right) in zip(ops, itertools.pairwise(operands), strict=True):
                if op in ("is", "is not") and not any(
                    isinstance(side, (Const, ConstantSource, TypeSource)) for side in (left, right)
                ):
                    return True
            return False
        case Call(function="same" | "distinct"):
            return True
        case _:
            return False
