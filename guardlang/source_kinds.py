"""Every kind of source that PyTorch names, as a function that gives the node, or the composition of nodes, with the same reading.

The nodes with a class of their own are in `sources`. Here, *constructors* return a composition of other nodes, and *tags* return
their base, because what they say is policy and belongs to a guard's origin. Names that never stand in a guard raise
`UnsupportedGuard`.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, NoReturn

from guardlang.ast import Call, Compare, Expr, IfExp, UnaryOp
from guardlang.errors import UnsupportedGuard
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
    TypeSource,
    WeakRefCallSource,
)

__all__ = [
    "UNSUPPORTED",
    "AttrProxySource",
    "CallMethodItemSource",
    "CellContentsSource",
    "ClosureSource",
    "CodeSource",
    "ConstDictKeySource",
    "ContextVarGetSource",
    "ConvertIntSource",
    "CurrentStreamSource",
    "DataclassFieldsSource",
    "DefaultsSource",
    "DictGetItemSource",
    "DictSubclassGetItemSource",
    "DynamicScalarSource",
    "FSDPNNModuleSource",
    "FlattenScriptObjectSource",
    "FloatTensorSource",
    "GenericAttrSource",
    "GlobalWeakRefSource",
    "GradSource",
    "ImportSource",
    "ListGetItemSource",
    "NNModuleSource",
    "NamedTupleFieldsSource",
    "NegateSource",
    "NotNNModuleSource",
    "NumpyTensorSource",
    "ODictGetItemSource",
    "OptimizerSource",
    "ParamBufferSource",
    "RandomValueSource",
    "ScriptObjectQualifiedNameSource",
    "SkipGuardSource",
    "SubclassAttrListSource",
    "TorchFunctionModeStackSource",
    "TypeDictSource",
    "TypeMROSource",
    "UnspecializedBuiltinNNModuleSource",
    "UnspecializedNNModuleSource",
    "UnspecializedParamBufferSource",
    "UnwrapCollectiveTensorSource",
]

# Roots.


def GlobalWeakRefSource(name: str) -> Expr:
    """Return `deref(G['name'])`: the referent of a weak reference that is stored in the globals.

    Example:
        >>> GlobalWeakRefSource("key")
        <WeakRefCallSource deref(G['key'])>
    """
    return WeakRefCallSource(GlobalSource(name))


def ImportSource(module: types.ModuleType, name: str | None = None) -> Expr:
    """Return the named object of a module as it is now; nothing is imported again when a guard is checked.

    Args:
        module: the module.
        name: how texts name it; by default its own name.

    Example:
        >>> import math
        >>> ImportSource(math)
        <ConstantSource math>
    """
    return ConstantSource(name or module.__name__, module)


def RandomValueSource(index: int) -> Expr:
    """Return `L['random_value_i']`: the i-th random draw at frame entry.

    Example:
        >>> RandomValueSource(3)
        <LocalSource L['random_value_3']>
    """
    return LocalSource(f"random_value_{index}")


def TorchFunctionModeStackSource(index: int) -> Expr:
    """Return the i-th torch function mode, outermost first.

    Example:
        >>> TorchFunctionModeStackSource(0)
        <GetItemSource S['torch.function_mode_stack'][0]>
    """
    return GetItemSource(GlobalStateSource("torch.function_mode_stack"), Const(index))


def CurrentStreamSource(device: str) -> Expr:
    """Return the current stream of a device.

    Example:
        >>> CurrentStreamSource("cuda:0")
        <GlobalStateSource S['torch.current_stream.cuda:0']>
    """
    return GlobalStateSource(f"torch.current_stream.{device}")


# Generic Python.


def GenericAttrSource(base: Expr, member: str, *, of_class: bool = False) -> Expr:
    """Return `x.a`; for a class its own entry `x.__dict__['a']`, unbound.

    Example:
        >>> GenericAttrSource(LocalSource("T"), "m", of_class=True)
        <GetItemSource L['T'].__dict__['m']>
    """
    if of_class:
        return GetItemSource(AttrSource(base, "__dict__"), Const(member))
    return AttrSource(base, member)


def ListGetItemSource(base: Expr, index: Any) -> Expr:
    """Return `x[i]` by the base type's own item access.

    Example:
        >>> ListGetItemSource(LocalSource("x"), 0)
        <GetItemSource L['x'][0]>
    """
    return GetItemSource(base, Const(index))


def ODictGetItemSource(base: Expr, index: Any) -> Expr:
    """Return `x[k]` of an OrderedDict.

    Example:
        >>> ODictGetItemSource(LocalSource("x"), "k")
        <GetItemSource L['x']['k']>
    """
    return GetItemSource(base, Const(index))


def DictSubclassGetItemSource(base: Expr, index: Any) -> Expr:
    """Return `x[k]` of a dict subclass, past its own `__getitem__`.

    Example:
        >>> DictSubclassGetItemSource(LocalSource("x"), "k")
        <GetItemSource L['x']['k']>
    """
    return GetItemSource(base, Const(index))


def ConstDictKeySource(base: Expr, index: int) -> Expr:
    """Return `keys(d)[i]`: the i-th key in order.

    Example:
        >>> ConstDictKeySource(LocalSource("d"), 1)
        <GetItemSource keys(L['d'])[1]>
    """
    return GetItemSource(Call("keys", (base,)), Const(index))


def DictGetItemSource(base: Expr, index: Any) -> Expr:
    """Return `d['k']` for a literal key, and `values(d)[i]` for the key at a position, which hashes nothing.

    Args:
        base: the dict.
        index: a literal, or what `ConstDictKeySource` of the same dict gave.

    Example:
        >>> d = LocalSource("d")
        >>> DictGetItemSource(d, "k"), DictGetItemSource(d, ConstDictKeySource(d, 1))
        (<GetItemSource L['d']['k']>, <GetItemSource values(L['d'])[1]>)
    """
    if isinstance(index, GetItemSource) and isinstance(index.base, Call) and index.base.function == "keys":
        return GetItemSource(Call("values", (base,)), index.index)
    return GetItemSource(base, Const(index))


def TypeDictSource(base: Expr) -> Expr:
    """Return `T.__dict__`.

    Example:
        >>> TypeDictSource(TypeSource(LocalSource("x")))
        <AttrSource type(L['x']).__dict__>
    """
    return AttrSource(base, "__dict__")


def TypeMROSource(base: Expr) -> Expr:
    """Return `T.__mro__`.

    Example:
        >>> TypeMROSource(TypeSource(LocalSource("x")))
        <AttrSource type(L['x']).__mro__>
    """
    return AttrSource(base, "__mro__")


def CodeSource(base: Expr, *, bound_method: bool = False) -> Expr:
    """Return `f.__code__`, or that of a bound method's function.

    Example:
        >>> CodeSource(LocalSource("f"), bound_method=True)
        <AttrSource L['f'].__func__.__code__>
    """
    return AttrSource(AttrSource(base, "__func__") if bound_method else base, "__code__")


def ClosureSource(base: Expr) -> Expr:
    """Return `f.__closure__`: the cells, or None.

    Example:
        >>> ClosureSource(LocalSource("f"))
        <AttrSource L['f'].__closure__>
    """
    return AttrSource(base, "__closure__")


def CellContentsSource(base: Expr, attr: str = "cell_contents") -> Expr:
    """Return `cell.cell_contents`. The name of the variable is data of the origin.

    Example:
        >>> CellContentsSource(GetItemSource(ClosureSource(LocalSource("f")), Const(0)))
        <AttrSource L['f'].__closure__[0].cell_contents>
    """
    return AttrSource(base, attr)


def DefaultsSource(base: Expr, index_or_name: int | str, *, is_kw: bool = False) -> Expr:
    """Return `f.__defaults__[i]`, or `f.__kwdefaults__['k']`.

    Example:
        >>> DefaultsSource(LocalSource("f"), "k", is_kw=True)
        <GetItemSource L['f'].__kwdefaults__['k']>
    """
    return GetItemSource(AttrSource(base, "__kwdefaults__" if is_kw else "__defaults__"), Const(index_or_name))


def NamedTupleFieldsSource(base: Expr) -> Expr:
    """Return `type(x)._fields`.

    Example:
        >>> NamedTupleFieldsSource(LocalSource("p"))
        <AttrSource type(L['p'])._fields>
    """
    return AttrSource(TypeSource(base), "_fields")


def DataclassFieldsSource(base: Expr) -> Expr:
    """Return `x.__dataclass_fields__`.

    Example:
        >>> DataclassFieldsSource(LocalSource("x"))
        <AttrSource L['x'].__dataclass_fields__>
    """
    return AttrSource(base, "__dataclass_fields__")


def ContextVarGetSource(base: Expr, *default: Any) -> Expr:
    """Return `contextvar_get(x)`, or with a default `contextvar_get(x, d)`.

    Example:
        >>> ContextVarGetSource(LocalSource("v"), 0)
        <Call contextvar_get(L['v'], 0)>
    """
    return Call("contextvar_get", (base, *[Const(value) for value in default]))


def NegateSource(base: Expr) -> Expr:
    """Return `-x`.

    Example:
        >>> NegateSource(LocalSource("n"))
        <UnaryOp -L['n']>
    """
    return UnaryOp("-", base)


def ConvertIntSource(base: Expr) -> Expr:
    """Return `int(x)`: a bool as 0 or 1.

    Example:
        >>> ConvertIntSource(LocalSource("b"))
        <Call int(L['b'])>
    """
    return Call("int", (base,))


def DynamicScalarSource(base: Expr, is_int: bool) -> Expr:
    """Return `int(x)` or `float(x)` by base value.

    Example:
        >>> DynamicScalarSource(LocalSource("s"), False)
        <Call float(L['s'])>
    """
    return Call("int" if is_int else "float", (base,))


# Tensors, numpy, torch objects.


def GradSource(base: Expr, member: str = "grad") -> Expr:
    """Return `x.grad`, through the adapter, so that reading warns of nothing.

    Example:
        >>> GradSource(LocalSource("x"))
        <AttrSource L['x'].grad>
    """
    return AttrSource(base, member)


def NumpyTensorSource(base: Expr) -> Expr:
    """Return the array itself: its facts are read in place.

    Example:
        >>> NumpyTensorSource(LocalSource("x"))
        <LocalSource L['x']>
    """
    return base


def FloatTensorSource(base: Expr) -> Expr:
    """Return `float(x)`.

    Example:
        >>> FloatTensorSource(LocalSource("x"))
        <Call float(L['x'])>
    """
    return Call("float", (base,))


def CallMethodItemSource(base: Expr) -> Expr:
    """Return `call(getattr(x, 'item'))`: tensor data. Impure.

    Example:
        >>> CallMethodItemSource(LocalSource("x"))
        <CallFunctionNoArgsSource call(getattr(L['x'], 'item'))>
    """
    return CallFunctionNoArgsSource(DynamicAttrSource(base, "item"))


def SubclassAttrListSource(base: Expr) -> Expr:
    """Return the names of the inner tensors of a wrapper subclass. Impure.

    Example:
        >>> SubclassAttrListSource(LocalSource("x"))
        <DynamicGetItemSource getitem(call(getattr(L['x'], '__tensor_flatten__')), 0)>
    """
    return DynamicGetItemSource(CallFunctionNoArgsSource(DynamicAttrSource(base, "__tensor_flatten__")), Const(0))


def UnwrapCollectiveTensorSource(base: Expr, collective_type: type, name: str = "AsyncCollectiveTensor") -> Expr:
    """Return `x.elem if type(x) is T else x`.

    Args:
        base: the tensor.
        collective_type: T.
        name: how texts name T.

    Example:
        >>> UnwrapCollectiveTensorSource(LocalSource("x"), type("Async", (), {}), "Async")
        <IfExp L['x'].elem if type(L['x']) is Async else L['x']>
    """
    test = Compare(("is",), (TypeSource(base), ConstantSource(name, collective_type)))
    return IfExp(test, AttrSource(base, "elem"), base)


def FlattenScriptObjectSource(base: Expr) -> Expr:
    """Return `call(getattr(x, '__obj_flatten__'))`. Impure.

    Example:
        >>> FlattenScriptObjectSource(LocalSource("x"))
        <CallFunctionNoArgsSource call(getattr(L['x'], '__obj_flatten__'))>
    """
    return CallFunctionNoArgsSource(DynamicAttrSource(base, "__obj_flatten__"))


def ScriptObjectQualifiedNameSource(base: Expr) -> Expr:
    """Return the qualified name of a script object's type. Impure.

    Example:
        >>> ScriptObjectQualifiedNameSource(LocalSource("x"))
        <CallFunctionNoArgsSource call(getattr(call(getattr(L['x'], '_type')), 'qualified_name'))>
    """
    kind = CallFunctionNoArgsSource(DynamicAttrSource(base, "_type"))
    return CallFunctionNoArgsSource(DynamicAttrSource(kind, "qualified_name"))


def AttrProxySource(base: Expr) -> Expr:
    """Return `call(getattr(x, 'get_base'))`. Impure.

    Example:
        >>> AttrProxySource(LocalSource("x"))
        <CallFunctionNoArgsSource call(getattr(L['x'], 'get_base'))>
    """
    return CallFunctionNoArgsSource(DynamicAttrSource(base, "get_base"))


def ParamBufferSource(base: Expr, member: str) -> Expr:
    """Return `x.a`; that it is a parameter or buffer is a tag.

    Example:
        >>> ParamBufferSource(LocalSource("m"), "w")
        <AttrSource L['m'].w>
    """
    return AttrSource(base, member)


UnspecializedParamBufferSource = ParamBufferSource


def _tag(name: str, says: str) -> Callable[[Expr], Expr]:
    def tagged(base: Expr) -> Expr:
        return base

    tagged.__name__ = tagged.__qualname__ = name
    tagged.__doc__ = f"Return the base: that it is {says} is policy, kept with the guard's origin."
    return tagged


NNModuleSource = _tag("NNModuleSource", "a specialised module")
UnspecializedNNModuleSource = _tag("UnspecializedNNModuleSource", "an unspecialised module")
UnspecializedBuiltinNNModuleSource = _tag("UnspecializedBuiltinNNModuleSource", "a module of torch.nn")
FSDPNNModuleSource = _tag("FSDPNNModuleSource", "a module that FSDP manages")
NotNNModuleSource = _tag("NotNNModuleSource", "no module")
OptimizerSource = _tag("OptimizerSource", "part of an optimizer")
SkipGuardSource = _tag("SkipGuardSource", "left unguarded by the tracer")

# Names that PyTorch gives to what never stands in a guard, and what to do instead.
UNSUPPORTED: dict[str, str] = {
    "BackwardStateSource": "its guards are ordinary expressions over sizes",
    "EphemeralSource": "symbols without a source must be simplified away first",
    "IndexedSource": "an argument slot is the business of a compiled check",
    "LocalCellSource": "guard the variable's content: L['x']",
    "NonSerializableSetGetItemSource": "the order of a set is no property of its value: guard the set as a whole, or `k in s`",
    "ShapeEnvSource": "its guards are ordinary expressions over sizes",
    "SyntheticLocalSource": "an object that the tracer made is no input",
    "TempLocalSource": "a temporary of the tracer is no input",
}


def __getattr__(name: str) -> Callable[..., NoReturn]:
    """Give a name of `UNSUPPORTED` as a function that refuses, so that a tracer can name it and learn why."""
    hint = UNSUPPORTED.get(name)
    if hint is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise UnsupportedGuard(f"{name} never stands in a guard", hint=hint)

    refuse.__name__ = refuse.__qualname__ = name
    return refuse
