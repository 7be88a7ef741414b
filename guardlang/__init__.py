"""guardlang: guards as data. One definition gives the check, the solver's facts, the explanation, the text and the saved file."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from guardlang.adapters import TensorAdapter, register_tensor_adapter
from guardlang.ast import Expr
from guardlang.codegen import Check, Request, register_backend
from guardlang.dsl import (
    G,
    L,
    S,
    Term,
    abs_,
    and_,
    apply,
    attr,
    bool_,
    call,
    ceil,
    chain,
    deref,
    dispatch_keys,
    distinct,
    exact,
    float_,
    floor,
    getattr_,
    getitem,
    has_attr,
    if_,
    in_,
    int_,
    is_,
    is_instance,
    is_not,
    isnan,
    keys,
    len_,
    lift,
    max_,
    min_,
    named,
    not_,
    not_in,
    opaque,
    or_,
    overlapping,
    peek,
    remaining,
    round_,
    same,
    set_,
    sqrt,
    str_,
    trunc,
    tuple_,
    type_,
    values,
)
from guardlang.errors import (
    BuildError,
    CompilerNotFound,
    FrameFormatError,
    GuardlangError,
    GuardNameError,
    GuardRejected,
    GuardSyntaxError,
    GuardTypeError,
    NoTracingContext,
    PortabilityError,
    UnknownBackend,
    UnsupportedGuard,
)
from guardlang.explain import Explanation
from guardlang.frame import Frame
from guardlang.functions import Function, register_function, register_source
from guardlang.guard import Guard
from guardlang.guards import GuardSet
from guardlang.origin import Origin, here
from guardlang.parse import parse
from guardlang.render import render
from guardlang.semantics import evaluate, register_opaque
from guardlang.state import register_state_reader
from guardlang.truth import Truth
from guardlang.values import Undefined, ValueType, register_value_type

if TYPE_CHECKING:
    from guardlang.observe import Binding, Handle, Observer, Policy, observe, observes, register_observer, release
    from guardlang.shapes import (
        AutomaticDynamic,
        DerivedFrom,
        DimensionPolicy,
        EqualTo,
        Free,
        InRange,
        MultipleOf,
        ShapeEnv,
        SymBool,
        SymFloat,
        SymInt,
    )
    from guardlang.tracing import TracingContext, current, guard, tracing

__all__ = [
    "AutomaticDynamic",
    "Binding",
    "BuildError",
    "Check",
    "CompilerNotFound",
    "DerivedFrom",
    "DimensionPolicy",
    "EqualTo",
    "Explanation",
    "Expr",
    "Frame",
    "FrameFormatError",
    "Free",
    "Function",
    "G",
    "Guard",
    "GuardNameError",
    "GuardRejected",
    "GuardSet",
    "GuardSyntaxError",
    "GuardTypeError",
    "GuardlangError",
    "Handle",
    "InRange",
    "L",
    "MultipleOf",
    "NoTracingContext",
    "Observer",
    "Origin",
    "Policy",
    "PortabilityError",
    "Request",
    "S",
    "ShapeEnv",
    "SymBool",
    "SymFloat",
    "SymInt",
    "TensorAdapter",
    "Term",
    "TracingContext",
    "Truth",
    "Undefined",
    "UnknownBackend",
    "UnsupportedGuard",
    "ValueType",
    "abs_",
    "and_",
    "apply",
    "attr",
    "bool_",
    "call",
    "ceil",
    "chain",
    "current",
    "deref",
    "dispatch_keys",
    "distinct",
    "evaluate",
    "exact",
    "float_",
    "floor",
    "getattr_",
    "getitem",
    "guard",
    "has_attr",
    "here",
    "if_",
    "in_",
    "int_",
    "is_",
    "is_instance",
    "is_not",
    "isnan",
    "keys",
    "len_",
    "lift",
    "max_",
    "min_",
    "named",
    "not_",
    "not_in",
    "observe",
    "observes",
    "opaque",
    "or_",
    "overlapping",
    "parse",
    "peek",
    "register_backend",
    "register_function",
    "register_observer",
    "register_opaque",
    "register_source",
    "register_state_reader",
    "register_tensor_adapter",
    "register_value_type",
    "release",
    "remaining",
    "render",
    "round_",
    "same",
    "set_",
    "sqrt",
    "str_",
    "tracing",
    "trunc",
    "tuple_",
    "type_",
    "values",
]

__version__ = "0.1.0"

# Imported when one of them is first asked for: whoever only checks guards does without.
_LATER = {
    name: module
    for module, names in {
        "guardlang.observe": "Binding Handle Observer Policy observe observes register_observer release",
        "guardlang.shapes": (
            "AutomaticDynamic DerivedFrom DimensionPolicy EqualTo Free InRange MultipleOf ShapeEnv SymBool SymFloat SymInt"
        ),
        "guardlang.tracing": "TracingContext current guard tracing",
    }.items()
    for name in names.split()
}


def __getattr__(name: str) -> Any:
    module = _LATER.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(module), name)
    setattr(sys.modules[__name__], name, found)
    return found


class _Package(ModuleType):
    """Keeps `observe` and `tracing` functions: importing a module of that name would put the module in its place."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _LATER and isinstance(value, ModuleType):
            value = getattr(value, name)
        super().__setattr__(name, value)


# The module `guardlang.guard`, which is imported by now, is no part of the face.
globals().pop("guard", None)
sys.modules[__name__].__class__ = _Package
