"""Objects from tagged JSON: each label and each name is one object, whoever asks for it first."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import attrs

from guardlang.errors import FrameFormatError, GuardlangError, nearest
from guardlang.framefile.described import DescribedTensor, Storage
from guardlang.framefile.standins import Names
from guardlang.jsontext import Members, Path, Unfit, format_error
from guardlang.reading.descriptors import ABSENT, find_in_mro
from guardlang.values import Undefined, hashable

__all__ = ["MAX_DEPTH", "Builder", "Place", "Tag"]

# Values that nest deeper are undefined in any case.
MAX_DEPTH = 100

_TOO_DEEP = "no value is as deep as that: describe less of it"
_PLAIN_DICT = 'a dict with such a key is written {"$dict": {...}}'


@attrs.frozen(eq=False)
class Tag:
    """A kind of tagged object.

    Args:
        make: gives the object at a place.
        kind: what the object is, where it can be of a derived class.
        beside: what may stand beside the tag.
        usual_class: the name of the class when none is given.
    """

    make: Callable[[Builder, Place], Any]
    kind: type | None = None
    beside: tuple[str, ...] = ("$label",)
    usual_class: str | None = None


@attrs.frozen(eq=False)
class Place:
    """A tagged object that is being built.

    Args:
        path: where it stands.
        node: all its members.
        name: its tag.
        tag: what the tag means.
        depth: levels above it.
        label: the label under which others refer to it.
    """

    path: Path
    node: Members
    name: str
    tag: Tag
    depth: int
    label: str | None

    @property
    def content(self) -> Any:
        """What stands behind the tag."""
        return self.node[self.name]

    @property
    def inner(self) -> Path:
        """Where the content stands."""
        return (*self.path, self.name)

    @property
    def is_derived(self) -> bool:
        """Whether a class is named."""
        return "$type" in self.node


class Builder:
    """Builds the objects of one document.

    Args:
        text: the JSON text.
        file: its name, for errors.
        tags: the tags by name.
        names: gives the objects of names.
        named: the part of the document that says what names stand for.
    """

    def __init__(self, text: str, file: str, tags: Mapping[str, Tag], names: Names, named: Members) -> None:
        self.text = text
        self.file = file
        self.tags = tags
        self.names = names
        self.named = named
        self.labels: dict[str, tuple[Path, Members]] = {}
        self.built: dict[str, Any] = {}
        self.waiting: set[str] = set()
        self.naming: set[str] = set()
        self.later: dict[str, list[tuple[Path, Any, int, Callable[[Any], object]]]] = {}
        self.storages: dict[str, Storage] = {}

    # A first look at a document, lenient: which labels there are, and what the instances of each class are.

    def scan(self, document: Members, sections: tuple[str, ...]) -> None:
        """Find the labels and classes of some sections, each an object of names and values."""
        pending: list[tuple[Path, Any, str]] = [
            ((section,), document[section], "names") for section in reversed(sections) if section in document
        ]
        while pending:
            path, node, role = pending.pop()
            if isinstance(node, list):
                pending += [((*path, position), item, "value") for position, item in reversed(list(enumerate(node)))]
            elif isinstance(node, Members):
                if role == "value":
                    self._note(path, node)
                pending += [((*path, name), item, _role(role, name, item)) for name, item in reversed(node.items())]

    def _note(self, path: Path, node: Members) -> None:
        """Take note of the label and the class of a tagged object."""
        tags = [self.tags[name] for name in self.tags if name in node]
        if len(tags) != 1:
            return
        class_name = node.get("$type", tags[0].usual_class)
        kind = tags[0].kind
        if kind is not None and type(class_name) is str:
            self.located((*path, "$type"), lambda: self.names.expect(class_name, kind))
        label = node.get("$label")
        if type(label) is str:
            if label in self.labels:
                self.fail((*path, "$label"), f"the label {label!r:.60} is there twice", "give each object its own")
            self.labels[label] = (path, node)

    # Building.

    def build(self, path: Path, node: Any, depth: int) -> Any:
        """Return the object of a JSON value."""
        if node is None or type(node) in (bool, int, float, str):
            return node
        if isinstance(node, Unfit):
            self.fail(path, node.message, node.hint)
        if depth > MAX_DEPTH:
            self.fail(path, f"nested deeper than {MAX_DEPTH} levels", _TOO_DEEP)
        if isinstance(node, list):
            return [self.build((*path, position), item, depth + 1) for position, item in enumerate(node)]
        self._check_repeated(path, node)
        if not any(name.startswith("$") for name in node):
            return {name: self.build((*path, name), item, depth + 1) for name, item in node.items()}
        name = self._tag_of(path, node)
        label = node.get("$label")
        if label is None:
            return self.tags[name].make(self, Place(path, node, name, self.tags[name], depth, None))
        if type(label) is not str:
            self.fail((*path, "$label"), "a label is a text")
        return self.labelled(label, path, depth)

    def _tag_of(self, path: Path, node: Members) -> str:
        found = [name for name in node if name in self.tags]
        if len(found) > 1:
            self.fail(path, f"{' and '.join(found)} cannot stand together", "an object has one tag")
        if not found:
            unknown = next((name for name in node if name not in _EXTRAS), None)
            if unknown is None:
                self.fail(path, f"{next(iter(node))} stands alone", f"add one of {', '.join(self.tags)}")
            hint = nearest(unknown, self.tags) or _PLAIN_DICT
            self.fail((*path, unknown), f"there is no tag {unknown!r:.60}", hint, at_name=True)
        for name in node:
            if name != found[0] and name not in self.tags[found[0]].beside:
                self.fail((*path, name), f"{name!r:.60} cannot stand beside {found[0]}", _PLAIN_DICT, at_name=True)
        return found[0]

    def labelled(self, label: str, user: Path, depth: int) -> Any:
        """Return the object of a label, building it if it is not there yet."""
        if label in self.built:
            return self.built[label]
        if label in self.waiting:
            raise _Unfinished(label, user)
        path, node = self.labels[label]
        if depth > MAX_DEPTH:
            self.fail(path, f"nested deeper than {MAX_DEPTH} levels", _TOO_DEEP)
        self.waiting.add(label)
        name = self._tag_of(path, node)
        try:
            self.built[label] = self.tags[name].make(self, Place(path, node, name, self.tags[name], depth, label))
        except _Unfinished as wait:
            if wait.label != label:
                raise
            self.fail_cyclic(wait)
        finally:
            self.waiting.discard(label)
        for part in self.later.pop(label, ()):
            self.fill(*part)
        return self.built[label]

    def fill(self, path: Path, node: Any, depth: int, assign: Callable[[Any], object]) -> None:
        """Give a list, dict or object that is there already one of its parts.

        A part that needs an unfinished object, such as the tuple that the list stands in, is built when that one is finished.
        """
        try:
            assign(self.build(path, node, depth))
        except _Unfinished as wait:
            # Takes the place, so that order is kept.
            assign(None)
            self.later.setdefault(wait.label, []).append((path, node, depth, assign))

    def key(self, path: Path, node: Any, depth: int) -> Any:
        """Return an object that is to be looked up in a hash container."""
        try:
            return self.hashed(path, self.build(path, node, depth))
        except _Unfinished as wait:
            self.fail_cyclic(wait)

    def fail_cyclic(self, wait: _Unfinished) -> NoReturn:
        """Raise the error of an object that would have to be there before it is made."""
        hint = "a tuple can be part of itself only through a list, a dict, an object or a tensor"
        self.fail(wait.user, f"the object {wait.label!r:.60} holds itself", hint)

    def named_object(self, name: str, user: Path, depth: int) -> Any:
        """Return the object of a name: as the document says, else as `Names` does."""
        if name in self.named and name not in self.names.objects:
            if name in self.naming:
                self.fail(user, f"the object {name!r:.60} holds itself", 'give it a "$label" in "names" and refer to that')
            self.naming.add(name)
            try:
                self.names.objects[name] = self.build(("names", name), self.named[name], depth + 1)
            finally:
                self.naming.discard(name)
        return self.located(user, lambda: self.names.resolve(name))

    def hold(self, place: Place, made: Any) -> Any:
        """Make an object known by its label, so that what it holds can refer to it."""
        if place.label is not None:
            self.built[place.label] = made
        return made

    def class_of(self, place: Place) -> Any:
        """Return the class that a tagged object names."""
        name = place.node.get("$type", place.tag.usual_class)
        path = (*place.path, "$type") if place.is_derived else place.path
        if type(name) is not str or not name:
            self.fail(path, "a class is given by its name", 'write "$type": "collections.OrderedDict"')
        return self.located(path, lambda: self.names.class_of(name, place.tag.kind or object))

    def set_attributes(self, path: Path, made: Any, members: Members, depth: int) -> None:
        """Set slots and entries of the instance dict of an object; no `__setattr__` is run."""
        cls = type(made)
        holder = find_in_mro(cls, "__dict__")
        own = holder.__get__(made) if type(holder) in (types.GetSetDescriptorType, types.MemberDescriptorType) else None
        for name, node in members.items():
            slot = find_in_mro(cls, name)
            if slot is not ABSENT and type(slot) is types.MemberDescriptorType and slot.__objclass__ is not DescribedTensor:
                assign = functools.partial(slot.__set__, made)
            elif type(own) is dict:
                assign = functools.partial(own.__setitem__, name)
            else:
                self.fail((*path, name), f"objects of this class have no attribute {name!r:.60}", at_name=True)
            self.fill((*path, name), node, depth + 1, assign)

    def hashed(self, path: Path, made: Any) -> Any:
        """Return an object that is to be looked up in a hash container, if that runs no code."""
        try:
            return hashable(made)
        except Undefined as error:
            cls = type(made)
            # Stand-ins and plain objects are looked up by identity.
            if find_in_mro(cls, "__hash__") is object.__hash__ and find_in_mro(cls, "__eq__") is object.__eq__:
                return made
            self.fail(path, f"an item of a set or a key of a dict {error.cause}")

    # What a place must hold.

    def items(self, place: Place, what: str = "a list") -> list[Any]:
        """Return the content of a tag that takes a list."""
        if not isinstance(place.content, list):
            self.fail(place.inner, f"{place.name} takes {what}")
        return place.content

    def parts(self, place: Place) -> list[Any]:
        """Return the objects of a tag that takes a list."""
        return [self.build((*place.inner, n), part, place.depth + 1) for n, part in enumerate(self.items(place))]

    def names_and_values(self, path: Path, node: Any) -> Members:
        """Return an object whose member names are names, whatever they begin with."""
        if not isinstance(node, Members):
            self.fail(path, "takes an object of names and values")
        self._check_repeated(path, node)
        return node

    def _check_repeated(self, path: Path, node: Members) -> None:
        if node.repeated is not None:
            self.fail((*path, node.repeated), f"{node.repeated!r:.60} is there twice", "keep one", at_name=True)

    def located(self, path: Path, make: Callable[[], Any]) -> Any:
        """Run a function whose errors are about a place."""
        try:
            return make()
        except FrameFormatError:
            raise
        except GuardlangError as error:
            self.fail(path, error.message, error.hint)

    def fail(self, path: Path, message: str, hint: str | None = None, *, at_name: bool = False) -> NoReturn:
        """Raise an error about a place."""
        raise format_error(message, self.text, path, file=self.file, hint=hint, at_name=at_name)


class _Unfinished(Exception):
    """A reference to an object that is being built, by something that must be there before it."""

    def __init__(self, label: str, user: Path) -> None:
        self.label = label
        self.user = user
        super().__init__(label)


_EXTRAS = ("$type", "$label", "$attributes", "$arguments")


def _role(role: str, name: str, node: Any) -> str:
    """Return what a member of an object is: a value, names of values, or the fields of a tensor."""
    if role == "value":
        if name in ("$object", "$attributes") or (name == "$dict" and isinstance(node, Members)):
            return "names"
        return "tensor" if name == "$tensor" else "value"
    return "names" if role == "tensor" and name == "attributes" else "value"
