"""What a formula knows of a value of any type: its class, number, equality class, identity, each as a term."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import attrs

from guardlang.reading.descriptors import ABSENT, find_in_mro
from guardlang.solver.formula import BOOL, FALSE, INT, REAL, TRUE, Builder, Term
from guardlang.solver.universe import BUILTIN_TYPES, CLASS_BASE, Universe
from guardlang.values import Undefined, equal, is_value

__all__ = ["Encoded", "Valuation"]

_SORTS = {
    "tag": INT,
    "integer": INT,
    "nan": BOOL,
    "inf": INT,
    "real": REAL,
    "negative": BOOL,
    "code": REAL,
    "valued": BOOL,
    "unequal": BOOL,
    "bits": INT,
}
# Exact objects of these classes are values, and equal themselves.
_PLAIN = (bool, int, str, bytes, type(None), range, type(Ellipsis), type(NotImplemented))
_SIZED = frozenset({"str", "bytes", "list", "tuple", "dict", "set", "frozenset", "range", "bytearray", "deque"})
_INDEXED = (str, list, tuple, dict, range, deque)
_SINGLETONS = ((type(None), 0), (type(Ellipsis), 3), (type(NotImplemented), 4))


@attrs.frozen(eq=False, slots=True)
class Encoded:
    """A value in a formula. What does not apply to its class is arbitrary.

    Args:
        defined: whether it can be read and computed.
        tag: code of its exact class.
        integer: value of an int or bool.
        nan: whether a float is a NaN.
        inf: -1, 0, 1 for a float that is minus infinity, finite, infinity.
        real: value of a finite float.
        negative: sign bit of a float.
        code: equality class of what is no number.
        valued: whether it is a value at all.
        unequal: whether it holds a NaN, and so does not equal itself.
        bits: class under `exact` of what is no number.
        identity: which object it is.
        keys: terms of the same content that accessors are applied to; empty for a computed value.
        truth: for a condition, whether it is True.
    """

    defined: Term
    tag: Term
    integer: Term
    nan: Term
    inf: Term
    real: Term
    negative: Term
    code: Term
    valued: Term
    unequal: Term
    bits: Term
    identity: Term
    keys: tuple[Term, ...] = ()
    truth: Term | None = None


class Valuation:
    """Makes encoded values, and collects what holds of their variables.

    Args:
        make: the builder of the query.
        universe: the codes of the query.
        by_identity: whether the query asks which inputs are one object; what is known of an object is then a function of its
            identity.

    Example:
        >>> values = Valuation(Builder(), Universe([]), by_identity=False)
        >>> str(values.root(int).tag), str(values.constant(7).integer)
        ('1', '7')
    """

    def __init__(self, make: Builder, universe: Universe, *, by_identity: bool) -> None:
        self.make = make
        self.universe = universe
        self.by_identity = by_identity
        self.side: list[Term] = []
        self.names: dict[str, str] = {}
        self._facts: dict[tuple[Term, str], Term] = {}
        self._zero, self._one, self._real = make.integer(0), make.integer(1), make.real(0)

    def fresh(self, meaning: str, sort: str) -> Term:
        """Return a new variable.

        Args:
            meaning: a word for it in dumps.
            sort: its sort.
        """
        name = f"v{len(self.names)}"
        self.names[name] = meaning
        return self.make.variable(name, sort)

    def is_tag(self, value: Encoded, *classes: type) -> Term:
        """Return whether a value is an exact object of one of the classes."""
        make = self.make
        if value.tag.op == "const":
            return make.boolean(value.tag.value in [self.universe.class_code(cls) for cls in classes])
        return make.either(*[make.equal(value.tag, make.integer(self.universe.class_code(cls))) for cls in classes])

    def is_number(self, value: Encoded) -> Term:
        """Return whether a value is a bool, int or float."""
        return self.is_tag(value, bool, int, float)

    def root(self, cls: type | None) -> Encoded:
        """Return an input that may be missing."""
        identity = self.fresh("identity", INT)
        return self._source(self.fresh("defined", BOOL), identity, (identity,), cls)

    def free(self, defined: Term, cls: type | None = None) -> Encoded:
        """Return a computed value of which nothing but its class may be known."""
        identity = self.fresh("identity", INT)
        return attrs.evolve(self._source(defined, identity, (identity,), cls), keys=())

    def child(self, base: Encoded, name: str, cls: type | None) -> Encoded:
        """Return what an accessor reads from a value."""
        present = self.make.both(base.defined, self.fact(base, f"has {name}", BOOL))
        identity = self.fresh("identity", INT)
        if not self.by_identity or not base.keys:
            return self._source(present, identity, (identity,), cls)
        reads = [self.make.apply(name, (key,), INT) for key in base.keys]
        self.side += [self.make.equal(reads[0], other) for other in reads[1:]]
        if base.tag.op == "const" and self.universe.classes[_int(base.tag)] in (list, tuple, dict):
            return self._source(present, reads[0], (reads[0],), cls)
        # Other accessors may make a fresh object at each read: equal content, another identity.
        return self._source(present, identity, (identity, reads[0]), cls)

    def item_name(self, key: Any) -> str:
        """Return the name of the accessor that reads an item under a constant key."""
        return f"item {self.universe.exact(key)}"

    def fact(self, base: Encoded, name: str, sort: str) -> Term:
        """Return a fact about an object, one term for each object and name."""
        if self.by_identity and base.keys:
            facts = [self.make.apply(name, (key,), sort) for key in base.keys]
            self.side += [self.make.equal(facts[0], other) for other in facts[1:]]
            return facts[0]
        known = self._facts.get((base.identity, name))
        if known is None:
            known = self._facts[base.identity, name] = self.fresh(name, sort)
        return known

    def attribute(self, base: Encoded, member: str, cls: type | None) -> Encoded:
        """Return what an attribute read gives; the objects of builtin classes have no attributes but those of the class."""
        value = self.child(base, f"attribute {member}", cls)
        without = [known for known in BUILTIN_TYPES if find_in_mro(known, member) is ABSENT]
        self.side.append(self.make.implies(value.defined, self.make.negate(self.is_tag(base, *without))))
        return value

    def item(self, base: Encoded, key: Any, cls: type | None) -> Encoded:
        """Return what an item read under a constant key gives: only mappings have items under anything but an int."""
        value = self.child(base, self.item_name(key), cls)
        readable = self.is_mapping(base)
        if type(key) is int:
            readable = self.make.negate(self.is_tag(base, *[known for known in BUILTIN_TYPES if known not in _INDEXED]))
        self.side.append(self.make.implies(value.defined, readable))
        return value

    def integer(self, defined: Term, number: Term, *, tag: Term | None = None) -> Encoded:
        """Return a computed int; with `tag` perhaps a bool."""
        return self._blank(defined, self._one if tag is None else tag, integer=number)

    def condition(self, defined: Term, truth: Term) -> Encoded:
        """Return a computed bool."""
        return self._blank(defined, self._zero, integer=self.make.choose(truth, self._one, self._zero), truth=truth)

    def number(self, defined: Term) -> Encoded:
        """Return a computed float of any value."""
        return self._source(defined, self._zero, (), float)

    def constant(self, value: Any, *, identity: Any = ...) -> Encoded:
        """Return a literal, or a named object.

        Args:
            value: its value, or the object when it has none.
            identity: the named object itself.
        """
        make, universe = self.make, self.universe
        cls = type(value)
        result = self._blank(TRUE, make.integer(universe.class_code(cls)))
        if cls is bool or cls is int:
            result = attrs.evolve(result, integer=make.integer(int(value)))
            result = attrs.evolve(result, truth=make.boolean(value)) if cls is bool else result
        elif cls is float:
            result = attrs.evolve(result, **self._float_constant(value))
        elif issubclass(cls, type):
            number = CLASS_BASE + universe.class_code(value)
            result = attrs.evolve(result, code=make.real(-number))
        elif is_value(value):
            bits = universe.exact(value)
            result = attrs.evolve(
                result,
                code=make.real(universe.value(value)),
                unequal=make.boolean(not _equals_itself(value)),
                bits=self.fresh("bits", INT) if bits is None else make.integer(bits),
            )
        else:
            result = attrs.evolve(result, valued=FALSE, code=self.fresh("code", REAL))
        lasting = value if identity is ... else identity
        if identity is not ... or cls in (bool, *(cls for cls, _ in _SINGLETONS)):
            number_of = make.integer(universe.identity(lasting))
            result = attrs.evolve(result, identity=number_of, keys=(number_of,))
            if self.by_identity:
                for field in ("tag", "code", "valued"):
                    self.side.append(make.equal(make.apply(field, (number_of,), _SORTS[field]), getattr(result, field)))
            return result
        return attrs.evolve(result, identity=self.fresh("identity", INT))

    def type_of(self, base: Encoded) -> Encoded:
        """Return the class of a value."""
        make = self.make
        identity = make.add(make.integer(CLASS_BASE), base.tag)
        metaclass = self.fresh("metaclass", INT)
        self.side.append(make.le(make.integer(len(BUILTIN_TYPES)), metaclass))
        value = self._blank(base.defined, metaclass)
        return attrs.evolve(value, identity=identity, code=make.minus(make.to_real(identity)), keys=(identity,))

    def choose(self, condition: Encoded, truth: Term, yes: Encoded, no: Encoded) -> Encoded:
        """Return `yes if condition else no`."""
        make = self.make
        defined = make.both(condition.defined, make.choose(truth, yes.defined, no.defined))
        return attrs.evolve(self.pick(truth, yes, no), defined=defined)

    def pick(self, truth: Term, yes: Encoded, no: Encoded) -> Encoded:
        """Return one of two values field by field."""
        make = self.make
        fields: dict[str, Any] = {
            name: make.choose(truth, getattr(yes, name), getattr(no, name)) for name in (*_SORTS, "identity", "defined")
        }
        both = None
        if yes.truth is not None and no.truth is not None:
            both = make.choose(truth, yes.truth, no.truth)
        return Encoded(**fields, truth=both)

    def is_mapping(self, value: Encoded) -> Term:
        """Return whether a value is a dict, of a class derived from it, or a view of one."""
        others = [cls for cls in BUILTIN_TYPES if cls is not dict]
        return self._perhaps(value, (dict,), others, "is a mapping")

    def is_sized(self, value: Encoded) -> Term:
        """Return whether a value has a length."""
        sized = [cls for cls in BUILTIN_TYPES if cls.__name__ in _SIZED]
        others = [cls for cls in BUILTIN_TYPES if cls.__name__ not in _SIZED]
        return self.make.either(self.is_mapping(value), self._perhaps(value, sized, others, "has a length"))

    def _perhaps(self, value: Encoded, yes: Iterable[type], no: Iterable[type], name: str) -> Term:
        """Return a fact that is known of the exact objects of some classes, and free for others."""
        make = self.make
        excluded = self.is_tag(value, *no)
        free = FALSE if excluded is TRUE else make.both(make.negate(excluded), self.fact(value, name, BOOL))
        return make.either(self.is_tag(value, *yes), free)

    def _blank(self, defined: Term, tag: Term, *, integer: Term | None = None, truth: Term | None = None) -> Encoded:
        zero, real = self._zero, self._real
        number = zero if integer is None else integer
        return Encoded(defined, tag, number, FALSE, zero, real, FALSE, real, TRUE, FALSE, zero, zero, (), truth)

    def _float_constant(self, value: float) -> dict[str, Any]:
        make = self.make
        finite = math.isfinite(value)
        return {
            "nan": make.boolean(math.isnan(value)),
            "inf": make.integer(0 if finite or math.isnan(value) else 1 if value > 0 else -1),
            "real": make.real(Fraction(value) if finite else 0),
            "negative": make.boolean(math.copysign(1.0, value) < 0),
        }

    def _source(self, defined: Term, identity: Term, keys: tuple[Term, ...], cls: type | None) -> Encoded:
        """Return a value with free variables for what matters to its class."""
        make = self.make

        def field(name: str) -> Term:
            if not (self.by_identity and keys):
                return self.fresh(name, _SORTS[name])
            terms = [make.apply(name, (key,), _SORTS[name]) for key in keys]
            self.side.extend(make.equal(terms[0], other) for other in terms[1:])
            return terms[0]

        needed = self._fields_of(cls)
        tag = make.integer(self.universe.class_code(cls)) if cls is not None else field("tag")
        if cls is not None and self.by_identity and keys:
            self.side.append(make.implies(defined, make.equal(field("tag"), tag)))
        value = attrs.evolve(self._blank(defined, tag), identity=identity, keys=keys)
        fields: dict[str, Any] = {name: field(name) for name in needed}
        value = attrs.evolve(value, **fields)
        if cls is bool:
            value = attrs.evolve(value, truth=make.equal(value.integer, make.integer(1)))
        self._constrain(value, cls)
        return value

    def _fields_of(self, cls: type | None) -> tuple[str, ...]:
        if cls is None:
            return tuple(name for name in _SORTS if name != "tag")
        if cls is int or cls is bool:
            return ("integer",)
        if cls is float:
            return ("nan", "inf", "real", "negative")
        return ("code", "valued", "unequal", "bits")

    def _constrain(self, value: Encoded, cls: type | None) -> None:
        """Add what holds of a value of that class; of any class when it is not known."""
        make = self.make
        zero, one, none = make.integer(0), make.integer(1), make.real(0)
        say = self.side.append
        if cls is None:
            say(make.le(zero, value.tag))
        if cls is None or cls is bool:
            is_bool = self.is_tag(value, bool)
            named = make.both(make.le(one, value.identity), make.le(value.identity, make.integer(2)))
            say(make.equal(is_bool, named))
            say(make.implies(is_bool, make.equal(value.identity, make.add(one, value.integer))))
        if cls is None or cls is float:
            say(make.both(make.le(make.integer(-1), value.inf), make.le(value.inf, one)))
            say(make.implies(value.nan, make.equal(value.inf, zero)))
            say(make.either(make.both(make.negate(value.nan), make.equal(value.inf, zero)), make.equal(value.real, none)))
            below = make.either(make.lt(value.real, none), make.lt(value.inf, zero))
            above = make.either(make.lt(none, value.real), make.lt(zero, value.inf))
            say(make.implies(below, value.negative))
            say(make.implies(above, make.negate(value.negative)))
        if cls not in (bool, int, float):
            self._constrain_other(value)

    def _constrain_other(self, value: Encoded) -> None:
        make = self.make
        say = self.side.append
        plain = self.is_tag(value, *_PLAIN)
        say(make.implies(plain, make.both(value.valued, make.negate(value.unequal))))
        say(make.implies(self.is_tag(value, float, complex), value.valued))
        for cls, number in _SINGLETONS:
            is_one = self.is_tag(value, cls)
            say(make.equal(is_one, make.equal(value.identity, make.integer(number))))
            if cls is type(None):
                say(make.implies(is_one, make.equal(value.code, make.real(self.universe.value(None)))))
        is_class = make.le(make.integer(CLASS_BASE), value.identity)
        say(make.implies(is_class, make.both(value.valued, make.negate(value.unequal))))
        say(make.implies(is_class, make.le(make.integer(len(BUILTIN_TYPES)), value.tag)))
        say(make.implies(is_class, make.equal(value.code, make.minus(make.to_real(value.identity)))))
        low = make.real(1 - CLASS_BASE)
        say(make.implies(make.lt(value.code, low), is_class))


def _equals_itself(value: Any) -> bool:
    try:
        return equal(value, value)
    except Undefined:
        return False


def _int(term: Term) -> int:
    assert isinstance(term.value, int)
    return term.value
