"""guardlang: guards as data. One definition gives the check, the solver's facts, the explanation, the text and the saved file."""

from __future__ import annotations

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

__version__ = "0.1.0"
