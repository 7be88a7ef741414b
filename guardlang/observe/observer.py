"""What a rule is: how the values of a type are pinned, and how what is below them is read. By default as for any object."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn

from guardlang.errors import UnsupportedGuard
from guardlang.values import is_value, type_name

if TYPE_CHECKING:
    from guardlang.observe.place import Place

__all__ = ["Observer"]


class Observer:
    """A rule for the values of a type: derive from it, override what differs, register it with `observes`.

    A method gets the place of a value: `at.value`, its path `at.source`, and `at.add_...` for the guards. It adds a guard for
    what it reads and for nothing else, and runs no code of the value's own class.

    Example:
        >>> class OfPairs(Observer):
        ...     def pin(self, at):
        ...         at.add_type()
        ...         at.add_length(at.source, 2)
    """

    #: Whether the values are tensors: their memory can be compared.
    tensor = False

    def identifies(self, x: Any) -> bool:
        """Tell whether a program can tell the value from an equal one by its identity."""
        return True

    def is_whole(self, x: Any) -> bool:
        """Tell whether pinning the value as a constant pins everything that `pin` does."""
        return False

    def pin(self, at: Place) -> None:
        """Add the guards that hold for every use of the value."""
        at.add_type()
        for name in at.policy.metadata_of(type(at.value)) or ():
            self.attribute(at, name).specialise()

    def attribute(self, at: Place, name: str) -> Place:
        """Return the place of an attribute."""
        from guardlang.observe.attributes import attribute_of

        return attribute_of(at, name)

    def has_attribute(self, at: Place, name: str) -> bool:
        """Tell whether there is an attribute, and pin that."""
        from guardlang.observe.attributes import has_attribute

        return has_attribute(at, name)

    def fact(self, at: Place, name: str, index: int | None) -> Place:
        """Return the place of a fact of a tensor."""
        refuse(at, "is no tensor")

    def item(self, at: Place, key: Any) -> Place:
        """Return the place of an item; raise KeyError or IndexError, and pin that there is none."""
        refuse(at, "has no items that can be read without running its code")

    def length(self, at: Place) -> int:
        """Return the number of items, and pin it."""
        refuse(at, "has no length that can be read without running its code")

    def contains(self, at: Place, key: Any) -> bool:
        """Tell whether something is in the value, and pin that."""
        refuse(at, "cannot be searched without running its code")

    def iterate(self, at: Place) -> list[Place]:
        """Return the places of what an iteration gives, and pin their number."""
        refuse(at, "cannot be iterated over without running its code")

    def keys(self, at: Place) -> tuple[Any, ...]:
        """Return the keys in order, and pin them."""
        refuse(at, "has no keys")

    def entries(self, at: Place) -> list[tuple[Any, Place]]:
        """Return the keys in order, each with the place of its value, and pin the keys."""
        return [(key, self.item(at, key)) for key in self.keys(at)]

    def constant(self, at: Place) -> Any:
        """Return the value as a constant, and pin it as a whole."""
        if not is_value(at.value):
            refuse(at, "has no value, only an identity", hint="read its attributes or items one by one")
        at.add_exact(at.source, at.value)
        return at.value

    def truth(self, at: Place) -> bool:
        """Return what `bool` gives, and pin that."""
        from guardlang.observe.attributes import truth_of

        return truth_of(at)

    def parts(self, at: Place) -> Iterable[Place]:
        """Return the places of everything below the value, for eager observation."""
        from guardlang.observe.attributes import instance_parts

        return instance_parts(at)

    def settle(self, at: Place) -> None:
        """Pin a value that has nothing below it as a whole, in eager observation."""


def refuse(at: Place, why: str, *, hint: str | None = None) -> NoReturn:
    """Refuse a question that has no pure answer.

    Args:
        at: the place of the value.
        why: the end of the sentence.
        hint: what to do instead.

    Raises:
        UnsupportedGuard: always.
    """
    raise UnsupportedGuard(f"{at.term}, a {type_name(type(at.value))}, {why}", hint=hint)
