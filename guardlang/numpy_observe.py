"""Rules for observing numpy's arrays, scalars and types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from guardlang.ast import Call
from guardlang.observe.observer import Observer, refuse
from guardlang.observe.place import Place
from guardlang.observe.registry import observes, register_observer
from guardlang.observe.rules_scalars import Named, OfValueTypes
from guardlang.observe.tensors import OfTensorLikes
from guardlang.reading import base_complex, base_float, base_int, base_str
from guardlang.sources import AttrSource
from guardlang.values import Undefined

__all__ = ["OfArrays", "OfNumpyScalars"]


@observes(np.ndarray)
class OfArrays(OfTensorLikes):
    """Arrays: type, dtype with its byte order, sizes, strides, and whether they can be written to."""

    usual = ("dtype", "shape", "stride", "writeable")

    def pin_fact(self, at: Place, name: str) -> None:
        if name == "writeable":
            path = AttrSource(AttrSource(at.source, "flags"), "writeable")
            at.add_is(path, bool(np.ndarray.__dict__["flags"].__get__(at.value).writeable))
        else:
            super().pin_fact(at, name)


@observes(np.generic, priority=2)
class OfNumpyScalars(Observer):
    """Scalars: the type, and the number when it is used."""

    def identifies(self, x: Any) -> bool:
        return False

    def pin(self, at: Place) -> None:
        at.add_type()
        if at.policy.scalars == "constant":
            self.settle(at)

    def constant(self, at: Place) -> Any:
        self.settle(at)
        return at.value

    def settle(self, at: Place) -> None:
        x, source = at.value, at.source
        try:
            if isinstance(x, np.bool_ | np.integer):
                at.add_equal(Call("int", (source,)), base_int(x))
            elif isinstance(x, np.floating):
                at.add_exact(Call("float", (source,)), base_float(x))
            elif isinstance(x, np.complexfloating):
                at.add_exact(Call("complex", (source,)), base_complex(x))
            elif isinstance(x, np.str_):
                at.add_equal(Call("str", (source,)), base_str(x))
            else:
                refuse(at, "has no value that guards know", hint="observe what it is made of")
        except Undefined as error:
            refuse(at, error.cause)

    def truth(self, at: Place) -> bool:
        self.settle(at)
        return bool(at.value)

    def parts(self, at: Place) -> Iterable[Place]:
        return ()


@observes(np.iinfo, np.finfo)
class OfTypeInfos(Named):
    """What numpy knows of a type of numbers: the type says it all."""

    def __init__(self) -> None:
        super().__init__()

    def pin(self, at: Place) -> None:
        at.add_type()
        place = self.attribute(at, "dtype")
        place.used()


class OfFunctions(Named):
    """Functions of numpy: by identity."""

    def __init__(self) -> None:
        super().__init__()

    def pin(self, at: Place) -> None:
        name = getattr(at.value, "__name__", "")
        at.add_is(at.source, at.value, f"numpy.{name}" if getattr(np, name, None) is at.value else "")


register_observer(np.dtype, OfValueTypes())
register_observer(np.ufunc, OfFunctions())
register_observer(type(np.concatenate), OfFunctions())
