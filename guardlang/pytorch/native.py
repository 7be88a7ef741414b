"""Where C code finds the facts of a torch tensor: functions of torch's stable C interface, and places verified before use.

Nothing here is taken on trust. The place of the tensor inside the Python object is searched for `_cdata`; the place of the
dispatch keys inside the tensor is searched for what `_dispatch_keys` says; every function is called on tensors of several kinds
and must answer what Python answers. What does not pass is left out, and read through Python.
"""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import torch

from guardlang.pytorch.dispatch import names_in_effect
from guardlang.state import AUTOCAST_DEVICES

__all__ = ["NativeTensors", "Watch", "native_tensors", "watches"]

_C: Any = torch._C
_LARGEST_OBJECT = 512
# What is read of a tensor's own memory: less than its size in every release.
_LEAST_TENSOR = 192
_TLS_SYMBOL = "_ZN3c104impl26raw_local_dispatch_key_setE"
_REQUIRES_GRAD = "_ZNK3c1010TensorImpl13requires_gradEv"
# Keys of tensors whose facts are fields that can be read as they are.
_PLAIN_KEYS = """
    CPU CUDA XPU MPS XLA Meta PrivateUse1 BackendSelect ADInplaceOrView AutogradCPU AutogradCUDA AutogradXPU AutogradMPS
    AutogradXLA AutogradMeta AutogradPrivateUse1 AutogradOther AutocastCPU AutocastCUDA AutocastXPU AutocastMPS AutocastXLA
    AutocastPrivateUse1 Conjugate Negative
"""


class NativeTensors:
    """What was found and verified.

    Args:
        offset: of the handle in a Python tensor, in bytes.
        addresses: of the functions of the C interface, by name; 0 for one that is not there.
        keys_offset: of the dispatch keys in the tensor, in bytes; -1 when they were not found.
        plain_keys: the keys of tensors that are read natively.
        hidden_keys: the keys that `dispatch_keys` leaves out.
        tls: the library and the symbol of the thread's own keys, and what to combine them with; None when they were not found.
    """

    types: tuple[type, ...] = (torch.Tensor, torch.nn.Parameter)

    def __init__(
        self,
        offset: int,
        addresses: dict[str, int],
        keys_offset: int,
        plain_keys: int,
        hidden_keys: int,
        tls: tuple[str, str, int, int] | None,
    ) -> None:
        self.offset = offset
        self.addresses = addresses
        self.keys_offset = keys_offset
        self.plain_keys = plain_keys
        self.hidden_keys = hidden_keys
        self.tls = tls
        self._matchers: dict[frozenset[str], Callable[[Any], bool]] = {}

    @property
    def watches(self) -> tuple[Watch, ...]:
        """The ambient state whose change one call tells."""
        return watches()

    def dtype_code(self, dtype: Any) -> int | None:
        """Return the number of a dtype in the C interface, or None for any other object."""
        if type(dtype) is not torch.dtype:
            return None
        try:
            return int(_ask(self.addresses["dtype"], self.offset, torch.empty(0, dtype=dtype, device="meta"), ctypes.c_int32))
        except RuntimeError:
            return None

    def layout_code(self, layout: Any) -> int | None:
        """Return the number of the strided layout, or None for any other object."""
        return _ask(self.addresses["layout"], self.offset, torch.empty(0), ctypes.c_int32) if layout is torch.strided else None

    def device_code(self, device: Any) -> tuple[int, int] | None:
        """Return the number of the kind of a device and its index, -1 for none; None for any other object."""
        if type(device) is not torch.device:
            return None
        function = getattr(_library(), f"aoti_torch_device_type_{device.type}", None)
        return None if function is None else (int(function()), -1 if device.index is None else device.index)

    def matcher(self, names: Any) -> Callable[[Any], bool] | None:
        """Return a function that tells whether a tensor has these dispatch keys in effect; the same one for the same names."""
        if (
            type(names) is not frozenset
            or not all(type(name) is str for name in names)
            or self.tls is None
            or self.keys_offset < 0
        ):
            return None
        known = self._matchers.get(names)
        if known is None:
            known = self._matchers[names] = lambda x: names_in_effect(x) == names
        return known


@cache
def native_tensors() -> NativeTensors | None:
    """Return where the facts of tensors are found, or None when this build of torch is not as expected.

    Example:
        >>> native_tensors().offset >= 16
        True
    """
    try:
        samples = list(_samples())
        offset = _place_of_handle(samples)
        if offset is None:
            return None
        addresses = _functions(samples, offset)
    except (OSError, AttributeError, RuntimeError):
        return None
    if addresses is None:
        return None
    keys_offset = _place_of_keys(samples)
    plain, hidden = 0, 0
    for name in _PLAIN_KEYS.split():
        plain |= _bits(name)
    for name in ("Python", "PythonTLSSnapshot", "PythonDispatcher"):
        hidden |= _bits(name)
    return NativeTensors(offset, addresses, keys_offset, plain, hidden, _thread_keys())


def _bits(name: str) -> int:
    key = getattr(_C.DispatchKey, name, None)
    return 0 if key is None else int(_C.DispatchKeySet(key).raw_repr())


def _samples() -> Iterator[Any]:
    with torch.inference_mode(False), torch.no_grad():
        yield torch.empty(2, 3)
        yield torch.empty(4, 5, dtype=torch.int64).t()
        yield torch.empty(7, dtype=torch.bfloat16)[2:]
        yield torch.nn.Parameter(torch.empty(3))
        yield torch.empty(2, 2, device="meta")
        yield torch.empty((), requires_grad=True)
        yield torch.empty(3, dtype=torch.complex64).conj()
    with torch.inference_mode():
        yield torch.empty(1, 1, 1)


def _place_of_handle(samples: list[Any]) -> int | None:
    word = ctypes.sizeof(ctypes.c_void_p)
    places: set[int] | None = None
    for x in samples:
        size = min(type(x).__basicsize__, _LARGEST_OBJECT)
        found = {
            at for at in range(2 * word, size - word + 1, word) if ctypes.c_size_t.from_address(id(x) + at).value == x._cdata
        }
        places = found if places is None else places & found
    return min(places) if places is not None and len(places) == 1 else None


def _place_of_keys(samples: list[Any]) -> int:
    places: set[int] | None = None
    for x in samples:
        raw = _C._dispatch_keys(x).raw_repr()
        found = {at for at in range(0, _LEAST_TENSOR, 8) if ctypes.c_uint64.from_address(x._cdata + at).value == raw}
        places = found if places is None else places & found
    return min(places) if places is not None and len(places) == 1 else -1


@cache
def _library() -> Any:
    folder = Path(torch.__file__).parent / "lib"
    for name in ("libtorch_cpu.so", "libtorch_cpu.dylib", "torch_cpu.dll"):
        if (folder / name).exists():
            return ctypes.CDLL(str(folder / name))
    raise OSError("torch brings no library of that name")


@cache
def _base_library() -> Any:
    folder = Path(torch.__file__).parent / "lib"
    for name in ("libc10.so", "libc10.dylib", "c10.dll"):
        if (folder / name).exists():
            return ctypes.CDLL(str(folder / name))
    raise OSError("torch brings no library of that name")


_FUNCTIONS: dict[str, tuple[str, Any]] = {
    "dim": ("aoti_torch_get_dim", ctypes.c_int64),
    "sizes": ("aoti_torch_get_sizes", ctypes.POINTER(ctypes.c_int64)),
    "strides": ("aoti_torch_get_strides", ctypes.POINTER(ctypes.c_int64)),
    "offset": ("aoti_torch_get_storage_offset", ctypes.c_int64),
    "dtype": ("aoti_torch_get_dtype", ctypes.c_int32),
    "device_type": ("aoti_torch_get_device_type", ctypes.c_int32),
    "device_index": ("aoti_torch_get_device_index", ctypes.c_int32),
    "layout": ("aoti_torch_get_layout", ctypes.c_int32),
    "is_contiguous": ("aoti_torch_is_contiguous", ctypes.c_bool),
}


def _ask(address: int, offset: int, x: Any, kind: Any) -> Any:
    answer = kind()
    function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)(address)
    if function(id(x) + offset, ctypes.addressof(answer)):
        raise RuntimeError
    return answer if isinstance(answer, ctypes._Pointer) else answer.value


def _functions(samples: list[Any], offset: int) -> dict[str, int] | None:
    """Return the addresses of the C functions; None when one that is needed is not there or does not say what Python says."""
    library = _library()
    addresses: dict[str, int] = {}
    for name, (symbol, _) in _FUNCTIONS.items():
        function = getattr(library, symbol, None)
        if function is None and name != "is_contiguous":
            return None
        addresses[name] = 0 if function is None else ctypes.cast(function, ctypes.c_void_p).value or 0
    for x in samples:
        ask = {name: _ask(addresses[name], offset, x, kind) for name, (_, kind) in _FUNCTIONS.items() if addresses[name]}
        if (
            ask["dim"] != x.dim()
            or tuple(ask["sizes"][: x.dim()]) != tuple(x.shape)
            or tuple(ask["strides"][: x.dim()]) != x.stride()
        ):
            return None
        if ask["offset"] != x.storage_offset() or ask["device_index"] != (-1 if x.device.index is None else x.device.index):
            return None
        if ask.get("is_contiguous", x.is_contiguous()) is not x.is_contiguous():
            return None
        kind = getattr(library, f"aoti_torch_device_type_{x.device.type}")
        if (
            ask["device_type"] != kind()
            or ask["dtype"] != getattr(library, f"aoti_torch_dtype_{str(x.dtype).removeprefix('torch.')}")()
        ):
            return None
        if ask["layout"] != library.aoti_torch_layout_strided():
            return None
    addresses["requires_grad"] = _requires_grad(samples)
    return addresses


def _requires_grad(samples: list[Any]) -> int:
    function = getattr(_base_library(), _REQUIRES_GRAD, None)
    if function is None:
        return 0
    function.argtypes, function.restype = (ctypes.c_void_p,), ctypes.c_bool
    if any(function(x._cdata) is not x.requires_grad for x in samples):
        return 0
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def _thread_keys() -> tuple[str, str, int, int] | None:
    """Return where the keys that a thread adds and takes away are, and what torch combines them with."""
    library = _base_library()
    if not hasattr(library, _TLS_SYMBOL):
        return None
    stored = (ctypes.c_uint64 * 2).in_dll(library, _TLS_SYMBOL)

    def current() -> tuple[int, int]:
        return _C._dispatch_tls_local_include_set().raw_repr(), _C._dispatch_tls_local_exclude_set().raw_repr()

    mixed = tuple(now ^ kept for now, kept in zip(current(), stored, strict=True))
    with torch.inference_mode(True):
        first = all(now == kept ^ mix for now, kept, mix in zip(current(), stored, mixed, strict=True))
    with torch.inference_mode(False), torch.autocast("cpu", dtype=torch.bfloat16):
        second = all(now == kept ^ mix for now, kept, mix in zip(current(), stored, mixed, strict=True))
    if not (first and second):
        return None
    return library._name, _TLS_SYMBOL, mixed[0], mixed[1]


class Watch:
    """Some names of ambient state whose change one call in C tells.

    Args:
        names: the names.
        make: gives the function to call, its operands, and the object it returns while nothing has changed since; None when the
            present state cannot be watched so.
    """

    def __init__(
        self, names: frozenset[str], make: Callable[[], tuple[Callable[..., object], tuple[object, ...], object] | None]
    ) -> None:
        self.names = names
        self.make = make


# What torch's own guard of the global state compares, under the names that it has in its JSON form.
_IN_GLOBAL_STATE = """
    grad_mode deterministic_algorithms deterministic_algorithms_warn_only default_dtype num_threads allow_tf32 allow_fp16_reduce
    allow_bf16_reduce torch_function torch_function_all_disabled
"""


@cache
def watches() -> tuple[Watch, ...]:
    """Return the watches that this build of torch supports.

    Example:
        >>> any("torch.grad_mode" in watch.names for watch in watches())
        True
    """
    found = []
    guard = getattr(getattr(getattr(_C, "_dynamo", None), "guards", None), "GlobalStateGuard", None)
    if guard is not None:
        covered = _covered_by(json.loads(guard().__getstate__()))
        found.append(Watch(covered, lambda: (guard().check, (), True)))
    depth = _C._len_torch_function_stack
    on_empty_stack = frozenset({"torch.function_mode_stack", "torch.default_device"})
    found.append(Watch(on_empty_stack, lambda: None if depth() else (depth, (), 0)))
    hooks = _C._autograd._top_saved_tensors_default_hooks
    found.append(
        Watch(frozenset({"torch.saved_tensors_hooks"}), lambda: None if hooks(True) is not None else (hooks, (True,), None))
    )
    return tuple(found)


def _covered_by(state: dict[str, Any]) -> frozenset[str]:
    covered = {f"torch.{name}" for name in _IN_GLOBAL_STATE.split() if name in state}
    autocast = state.get("autocast_state", {})
    if "cached_enabled" in autocast:
        covered.add("torch.autocast.cache_enabled")
    if len(autocast.get("enabled", ())) == len(AUTOCAST_DEVICES):
        covered.update(f"torch.autocast.{device}.enabled" for device in AUTOCAST_DEVICES)
    return frozenset(covered)
