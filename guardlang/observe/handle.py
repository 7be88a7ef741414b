"""A handle: what a tracer holds in place of an input. Each question that the program asks of the input becomes a guard."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from guardlang.ast import Call, Compare, Not
from guardlang.dsl import Term
from guardlang.errors import UnsupportedGuard
from guardlang.observe.attributes import class_attribute
from guardlang.observe.observer import refuse
from guardlang.observe.place import Place
from guardlang.reading import is_instance
from guardlang.sources import Const
from guardlang.values import type_name

__all__ = ["Handle", "place_of"]


class Handle:
    """An observed value: reading through it records what was read, and nothing else.

    `handle.a`, `handle[k]`, iteration, `len` and `in` work as on the value itself and give handles. What Python's protocols
    cannot give has a method; an attribute of the value with the name of such a method is read by `attribute`.

    Example:
        >>> from guardlang import GuardSet, L, observe
        >>> guards = GuardSet()
        >>> config = observe({"layers": [64, 32], "bias": None}, L["config"], into=guards)
        >>> config["layers"][0].value, config["bias"].is_none(), "dropout" in config
        (64, True, False)
        >>> print(guards, end="")
        type(L['config']) is dict
        'layers' in L['config']
        type(L['config']['layers']) is list
        len(L['config']['layers']) == 2
        exact(L['config']['layers'][0], 64)
        'bias' in L['config']
        L['config']['bias'] is None
        'dropout' not in L['config']
        distinct(L['config'], L['config']['layers'])
    """

    __slots__ = ("_place",)
    _place: Place

    def __init__(self, place: Place) -> None:
        object.__setattr__(self, "_place", place)

    @property
    def source(self) -> Term:
        """The path of the value, for guards of one's own. Nothing is recorded."""
        return self._place.term

    @property
    def example(self) -> Any:
        """The value itself. Nothing is recorded: whoever looks at it records what they rely on."""
        return self._place.value

    @property
    def value(self) -> Any:
        """The value as a constant: the program is specialised on it as a whole."""
        return self._place.constant_value()

    def attribute(self, name: str) -> Handle:
        """Return the handle of an attribute.

        Args:
            name: the attribute.

        Raises:
            AttributeError: there is none, which is recorded.
            UnsupportedGuard: only Python code can give it, or it is first read after the program wrote to the object.

        Example:
            >>> from guardlang import GuardSet, L, observe
            >>> guards = GuardSet()
            >>> observe(range(2, 9), L["r"], into=guards).attribute("stop").value
            9
        """
        place = self._place.used()
        return Handle(place.rule.attribute(place, name))

    def has_attribute(self, name: str) -> bool:
        """Return whether the value has an attribute.

        Args:
            name: the attribute.

        Raises:
            UnsupportedGuard: only Python code can tell.

        Example:
            >>> from guardlang import GuardSet, L, observe
            >>> observe([], L["x"], into=GuardSet()).has_attribute("shape")
            False
        """
        place = self._place.used()
        return place.rule.has_attribute(place, name)

    def class_attribute(self, name: str) -> Handle:
        """Return the handle of an attribute of the value's type, unbound: a function, a property, a constant.

        Records that the instance does not hide it and which class has it.

        Args:
            name: the attribute.

        Raises:
            AttributeError: no class has it, which is recorded.

        Example:
            >>> from guardlang import GuardSet, L, observe
            >>> guards = GuardSet()
            >>> method = observe(Exception(), L["e"], into=guards).class_attribute("with_traceback")
            >>> method.source
            <Term type(L['e']).__mro__[1].__dict__['with_traceback']>
        """
        return Handle(class_attribute(self._place.used(), name))

    def fact(self, name: str, index: int | None = None) -> Handle:
        """Return the handle of a fact of a tensor.

        Args:
            name: `shape`, `stride`, `storage_offset`, `data_ptr` or `is_contiguous`.
            index: the dimension, for the first two.

        Raises:
            UnsupportedGuard: it is no tensor, or has no such fact.

        Example:
            >>> from guardlang import GuardSet, L, observe
            >>> observe([], L["x"], into=GuardSet()).fact("stride", 0)
            Traceback (most recent call last):
            ...
            guardlang.errors.UnsupportedGuard: L['x'], a list, is no tensor
        """
        place = self._place.used()
        return Handle(place.rule.fact(place, name, index))

    def item(self, key: Any) -> Handle:
        """Return the handle of an item.

        Args:
            key: a position, or a key: a value, or for a dict also the handle of a key.

        Raises:
            LookupError: there is none, which is recorded.
            UnsupportedGuard: the item cannot be read without running code of the value's type.

        Example:
            >>> from guardlang import GuardSet, L, observe
            >>> observe((5, 6), L["x"], into=GuardSet()).item(-1).source
            <Term L['x'][1]>
        """
        place = self._place.used()
        return Handle(place.rule.item(place, key))

    def length(self) -> int:
        """Return the number of items.

        Example:
            >>> from guardlang import GuardSet, L, observe
            >>> guards = GuardSet()
            >>> observe({"a": 1}, L["d"], into=guards).length()
            1
            >>> print(guards, end="")
            type(L['d']) is dict
            len(L['d']) == 1
        """
        place = self._place.used()
        return place.rule.length(place)

    def contains(self, key: Any) -> bool:
        """Return whether something is in the value.

        Args:
            key: a value, or the handle of an object that is looked for by identity.

        Example:
            >>> from guardlang import GuardSet, L, observe
            >>> observe({1, 2}, L["s"], into=GuardSet()).contains(3)
            False
        """
        place = self._place.used()
        return place.rule.contains(place, key)

    def keys(self) -> tuple[Any, ...]:
        """Return the keys of a dict in order; handles of keys that are no values.

        Example:
            >>> from guardlang import GuardSet, L, observe
            >>> guards = GuardSet()
            >>> observe({"b": 1, "a": 2}, L["d"], into=guards).keys()
            ('b', 'a')
        """
        place = self._place.used()
        return tuple(Handle(key) if type(key) is Place else key for key in place.rule.keys(place))

    def values(self) -> list[Handle]:
        """Return the handles of the values of a dict, in order.

        Example:
            >>> from guardlang import GuardSet, L, observe
            >>> observe({"b": 1, "a": 2}, L["d"], into=GuardSet()).values()[1].value
            2
        """
        place = self._place.used()
        return [Handle(value) for _, value in place.rule.entries(place)]

    def items(self) -> list[tuple[Any, Handle]]:
        """Return the keys of a dict, each with the handle of its value, in order.

        Example:
            >>> from guardlang import GuardSet, L, observe
            >>> [(k, v.value) for k, v in observe({"b": 1}, L["d"], into=GuardSet()).items()]
            [('b', 1)]
        """
        place = self._place.used()
        return [(Handle(key) if type(key) is Place else key, Handle(value)) for key, value in place.rule.entries(place)]

    def type_(self) -> type:
        """Return the exact class of the value.

        Example:
            >>> from guardlang import GuardSet, L, observe
            >>> observe(True, L["x"], into=GuardSet()).type_()
            <class 'bool'>
        """
        place = self._place
        place.add_type()
        return type(place.value)

    def is_instance(self, cls: Any) -> bool:
        """Return whether the value is an instance of a class by the real MRO; only that is recorded.

        Args:
            cls: the class.

        Example:
            >>> from guardlang import GuardSet, L, observe
            >>> guards = GuardSet()
            >>> observe({"a": True}, L["d"], into=guards)["a"].is_instance(int)
            True
            >>> print(guards, end="")
            type(L['d']) is dict
            'a' in L['d']
            isinstance(L['d']['a'], int)
        """
        place = self._place
        verdict = is_instance(place.value, cls)
        test = Call("isinstance", (place.source, place.named(cls)))
        place.add(test if verdict else Not(test))
        return verdict

    def is_none(self) -> bool:
        """Return whether the value is None; only that is recorded.

        Example:
            >>> from guardlang import GuardSet, L, observe
            >>> guards = GuardSet()
            >>> observe({"a": 1}, L["d"], into=guards)["a"].is_none()
            False
            >>> print(guards, end="")
            type(L['d']) is dict
            'a' in L['d']
            L['d']['a'] is not None
        """
        place = self._place
        verdict = place.value is None
        place.add(Compare(("is" if verdict else "is not",), (place.source, Const(None))))
        return verdict

    def is_(self, other: Any) -> bool:
        """Return whether the value and another are one object.

        Args:
            other: a handle, or None, a bool, Ellipsis, a class, a function, a module or another live object.

        Raises:
            UnsupportedGuard: one is a number or text, whose identity is an accident.

        Example:
            >>> from guardlang import GuardSet, L, Policy, observe
            >>> guards, policy = GuardSet(), Policy(alias="read")
            >>> a, b = (observe([], L[name], into=guards, policy=policy) for name in "ab")
            >>> a.is_(b)
            False
            >>> print(guards, end="")
            type(L['a']) is list
            len(L['a']) == 0
            type(L['b']) is list
            len(L['b']) == 0
            L['a'] is not L['b']
        """
        place = self._place
        if isinstance(other, Handle):
            second = other._place  # noqa: SLF001  # of the same class
            verdict = place.value is second.value
            for side in (place, second):
                if _has_accidental_identity(side.value):
                    refuse(side, "is a number or text, whose identity is an accident")
            if place.policy.alias == "read" and not place.quiet and not second.quiet:
                place.add(Compare(("is" if verdict else "is not",), (place.source, second.source)))
                return verdict
            if place.quiet or second.quiet:
                live, path = (place, second) if place.quiet else (second, place)
                path.add(Compare(("is" if verdict else "is not",), (path.source, path.named(live.value, live.source))))
                return verdict
            if not (_joined(place) and _joined(second)):
                place.add(Compare(("is" if verdict else "is not",), (place.source, second.source)))
            return verdict
        if other is not None and _has_accidental_identity(other) and type(other) is not bool:
            raise UnsupportedGuard(
                f"{place.term} is compared by identity with a {type_name(type(other))}, whose identity is an accident",
                hint="compare values: handle.value == ...",
            )
        verdict = place.value is other
        known: Any = Const(other) if other is None or type(other) is bool or other is ... else place.named(other)
        place.add(Compare(("is" if verdict else "is not",), (place.source, known)))
        return verdict

    def identity(self) -> int:
        """Return the id of the object, because the program hashes it, returns it, or otherwise relies on which object it is.

        Example:
            >>> from guardlang import GuardSet, L, Policy, observe
            >>> guards, policy = GuardSet(), Policy(alias="read")
            >>> ids = {observe([], L[name], into=guards, policy=policy).identity() for name in "ab"}
            >>> len(ids), str(guards).splitlines()[-1]
            (2, "distinct(L['a'], L['b'])")
        """
        place = self._place.used()
        place.identify()
        return id(place.value)

    def wrote(self) -> None:
        """Take note that the program writes to the object: no other input may be it, or share its memory, unless it does so now.

        Example:
            >>> from guardlang import GuardSet, L, observe
            >>> x = observe({"n": [1]}, L["x"], into=GuardSet())
            >>> x.wrote()
            >>> x["n"]
            Traceback (most recent call last):
                ...
            guardlang.errors.UnsupportedGuard: L['x']['n'] is read for the first time after the program wrote to L['x']
            hint: guards speak of the values at entry: observe what is read before it is written to
        """
        place = self._place.used()
        place.identify()
        place.written = True
        if place.rule.tensor and not place.quiet and place.policy.overlap != "none":
            place.session.partition.note_tensor(place.value, place.source)
            place.session.partition.compare_memory()

    def pin(self) -> Handle:
        """Record what is pinned of any value of this kind, and everything below it if the policy is eager.

        Returns:
            The handle itself.

        Example:
            >>> from guardlang import GuardSet, L, observe
            >>> guards = GuardSet()
            >>> _ = observe([[]], L["x"], into=guards)[0].pin()
            >>> len(guards)
            5
        """
        if self._place.policy.eager:
            from guardlang.observe.eager import walk

            walk(self._place)
        else:
            self._place.used()
        return self

    def __getattr__(self, name: str) -> Handle:
        return self.attribute(name)

    def __setattr__(self, name: str, value: object) -> None:
        raise UnsupportedGuard("a handle cannot be assigned to", hint="say wrote(), and keep the new value yourself")

    def __getitem__(self, key: Any) -> Handle:
        return self.item(key)

    def __len__(self) -> int:
        return self.length()

    def __contains__(self, key: Any) -> bool:
        return self.contains(key)

    def __iter__(self) -> Iterator[Any]:
        place = self._place.used()
        return iter([Handle(item) if type(item) is Place else item for item in place.rule.iterate(place)])

    def __eq__(self, other: object) -> bool:
        value = self.value
        return bool(value == (other.value if isinstance(other, Handle) else other))

    # Which object it is, the program asks by `identity`.
    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        place = self._place.used()
        return place.rule.truth(place)

    def __repr__(self) -> str:
        return f"<Handle {self._place.term} of type {type_name(type(self._place.value))}>"


def _has_accidental_identity(x: Any) -> bool:
    return type(x) in (int, float, complex, str, bytes)


def _joined(place: Place) -> bool:
    """Tell whether the partition speaks of a place after it has been used."""
    place.used()
    block = place.session.partition.find(place.value)
    return block is not None and block.apart and place.source in block.sources


def place_of(handle: Handle) -> Place:
    """Return the place that a handle stands for.

    Args:
        handle: the handle.
    """
    return handle._place  # noqa: SLF001  # every public name of a handle is one of the value's
