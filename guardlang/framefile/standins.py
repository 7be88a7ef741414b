"""Stand-ins for what a frame file and guards name, such as `torch.Tensor`: the same name is the same object in both."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Mapping
from typing import Any

from guardlang.errors import GuardNameError, GuardTypeError
from guardlang.framefile.described import DescribedTensor
from guardlang.reading import read_attribute
from guardlang.values import Undefined, mro_of, type_name

__all__ = ["Names", "constructors_in", "is_dotted", "names_in"]

_BUILTINS: dict[str, Any] = {name: value for name, value in vars(builtins).items() if not name.startswith("_")}
_ROOTS = ("L", "G", "S")
# A text that nests deeper than Python's parser can follow is refused when it is added.
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def names_in(text: str) -> tuple[str, ...]:
    """Return the dotted names of objects in a guard text, in order; none when it cannot be parsed.

    Args:
        text: one guard.

    Example:
        >>> names_in("type(L['x']) is torch.Tensor and len(L['y']) == limits.DEPTH")
        ('torch.Tensor', 'limits.DEPTH')
    """
    return _mentions(text)[0]


def constructors_in(text: str) -> tuple[str, ...]:
    """Return the dotted names of what a guard text calls, in order; none when it cannot be parsed.

    Args:
        text: one guard.

    Example:
        >>> constructors_in("L['x'].device == torch.device('cpu') and len(L['y']) == 1")
        ('torch.device', 'len')
    """
    return _mentions(text)[1]


def _mentions(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    try:
        pending: list[ast.AST] = [ast.parse(text.strip(), mode="eval").body]
    except _UNREADABLE:
        return (), ()
    objects: dict[str, None] = {}
    called: dict[str, None] = {}
    while pending:
        node = pending.pop()
        name = _dotted(node.func) if isinstance(node, ast.Call) else _dotted(node)
        if isinstance(node, ast.Call) and name is not None:
            if name.partition(".")[0] not in _ROOTS:
                called[name] = None
            pending.extend(reversed(node.args))
        elif name is None:
            pending.extend(reversed(list(ast.iter_child_nodes(node))))
        elif name.partition(".")[0] not in _ROOTS:
            objects[name] = None
    return tuple(objects), tuple(called)


def is_dotted(name: str) -> bool:
    """Tell whether a name is made of identifiers with dots between them.

    Example:
        >>> is_dotted("torch.float32"), is_dotted("torch.")
        (True, False)
    """
    return all(part.isidentifier() for part in name.split("."))


def _dotted(node: ast.AST) -> str | None:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


class Names:
    """The objects by dotted name: given by the caller, builtins, and for every other name a stand-in class made on demand.

    A stand-in is a class whatever it stands for, because a class can be compared, has an identity and can have instances.

    Args:
        objects: live objects, for which there are no stand-ins.
        bases: for names of classes, the names of their bases.

    Example:
        >>> names = Names()
        >>> names.resolve("torch.float32") is names.resolve("torch.float32"), names.resolve("int")
        (True, <class 'int'>)
    """

    def __init__(self, objects: Mapping[str, Any] | None = None, bases: Mapping[str, tuple[str, ...]] | None = None) -> None:
        self.objects: dict[str, Any] = dict(objects or {})
        self._bases = dict(bases or {})
        self._kinds: dict[str, type] = {}
        self._made: dict[str, type] = {}
        self._open: set[str] = set()

    def resolve(self, name: str) -> Any:
        """Return the object of a name.

        Args:
            name: a dotted name.

        Raises:
            GuardNameError: it leads through a known object that does not have it, or cannot name a class.
        """
        prefix = self._known_prefix(name)
        if prefix is None:
            return self._stand_in(name)
        value = self.objects[prefix] if prefix in self.objects else _BUILTINS[prefix]
        for part in name[len(prefix) :].split(".")[1:]:
            try:
                value = read_attribute(value, part)
            except Undefined as error:
                raise GuardNameError(f"{name!r:.100}: {prefix} {error.cause}") from None
            prefix = f"{prefix}.{part}"
        return value

    def expect(self, name: str, kind: type) -> None:
        """Have a class that is not made yet be derived from a builtin type or from `DescribedTensor`.

        Args:
            name: the name of the class.
            kind: what its instances are.

        Raises:
            GuardTypeError: its instances are something else already.
        """
        known = self._kinds.setdefault(name, kind)
        if known is not kind and kind is not object:
            if known is not object:
                raise GuardTypeError(
                    f"objects of the class {name!r:.100} are given as {_kind_word(known)} and as {_kind_word(kind)}",
                    hint="give one of them another class",
                )
            self._kinds[name] = kind

    def class_of(self, name: str, kind: type) -> type:
        """Return the class of a name whose instances are of a kind.

        Args:
            name: the name of the class.
            kind: a builtin type, `object` or `DescribedTensor`.

        Raises:
            GuardNameError: as `resolve`.
            GuardTypeError: the name does not stand for such a class.
        """
        if self._known_prefix(name) is None:
            self.expect(name, kind)
        cls = self.resolve(name)
        if not issubclass(type(cls), type):
            raise GuardTypeError(f"{name!r:.100} stands for an object of type {type_name(type(cls))}, not for a class")
        if not _is_derived(cls, kind):
            if kind is DescribedTensor:
                raise GuardTypeError(
                    f"{name!r:.100} is a real class, and a description is no real tensor",
                    hint="leave the objects out, or give the frame as module:function",
                )
            raise GuardTypeError(f"{name!r:.100} is not a class of {_kind_word(kind)}")
        return cls  # type: ignore[no-any-return]  # found to be a class above

    def for_guards(self, texts: Iterable[str]) -> dict[str, Any]:
        """Return the objects that guards need: those of the caller, and stand-ins for all other names in the texts.

        Args:
            texts: the guards.

        Example:
            >>> from guardlang.guards import GuardSet
            >>> text = "type(L['x']) is torch.Tensor"
            >>> print(GuardSet(Names().for_guards([text])).add(text))
            type(L['x']) is torch.Tensor
        """
        objects = dict(self.objects)
        for text in texts:
            for name in names_in(text):
                if name not in objects and self._known_prefix(name) is None:
                    objects[name] = self._stand_in(name)
        return objects

    def _known_prefix(self, name: str) -> str | None:
        parts = name.split(".")
        for cut in range(len(parts), 0, -1):
            prefix = ".".join(parts[:cut])
            if prefix in self.objects or (cut == 1 and prefix in _BUILTINS):
                return prefix
        return None

    def _stand_in(self, name: str) -> type:
        known = self._made.get(name)
        if known is not None:
            return known
        if name in self._open:
            raise GuardTypeError(f"the class {name!r:.100} is its own base")
        self._open.add(name)
        try:
            bases = [self.class_of(base, object) for base in self._bases.get(name, ())]
        finally:
            self._open.discard(name)
        kind = self._kinds.get(name, object)
        if not any(_is_derived(base, kind) for base in bases):
            bases.append(kind)
        module, _, last = name.rpartition(".")
        try:
            made = type(last, tuple(bases), {"__module__": module or "__main__"})
        except (ValueError, UnicodeError):
            raise GuardNameError(f"{name!r:.100} cannot name a class") from None
        except TypeError as error:
            raise GuardTypeError(f"no class {name!r:.100} can have these bases: {error}") from None
        self._made[name] = made
        return made


def _is_derived(cls: type, base: type) -> bool:
    return any(above is base for above in mro_of(cls))


def _kind_word(kind: type) -> str:
    return "a tensor" if kind is DescribedTensor else f"{'an' if kind in (object, int) else 'a'} {type_name(kind)}"
