"""Ambient state by name: `S['torch.grad_mode']` is what a registered reader finds in the calling thread."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable

from guardlang import plugins
from guardlang.errors import GuardNameError, nearest
from guardlang.values import Undefined, type_name

__all__ = ["AUTOCAST_DEVICES", "declared_names", "has_own_reader", "reader_of", "register_state_reader"]

_readers: dict[str, Callable[[], object]] = {}

AUTOCAST_DEVICES = ("cpu", "cuda", "hpu", "ipu", "maia", "mps", "mtia", "privateuseone", "xla", "xpu")

# Known whether torch is there or not, so that a set of guards loads anywhere; `guardlang.pytorch.state` has the readers.
_TORCH_FACTS = (
    "grad_mode",
    "inference_mode",
    "autocast.cache_enabled",
    "deterministic_algorithms",
    "deterministic_algorithms_warn_only",
    "deterministic_fill",
    "default_dtype",
    "default_device",
    "num_threads",
    "allow_tf32",
    "float32_matmul_precision",
    "cudnn.allow_tf32",
    "cudnn.enabled",
    "cudnn.benchmark",
    "cudnn.deterministic",
    "allow_fp16_reduce",
    "allow_bf16_reduce",
    "cublas.fp16_accumulation",
    "sdp.flash",
    "sdp.mem_efficient",
    "sdp.math",
    "sdp.cudnn",
    "mkldnn_enabled",
    "nnpack_enabled",
    "torch_function",
    "torch_function_all_disabled",
    "function_mode_stack",
    "dispatch_modes",
    "dispatch_keys.included",
    "dispatch_keys.excluded",
    "functorch_stack",
    "forward_ad_level",
    "saved_tensors_hooks",
    "saved_tensors_hooks_disabled",
    "anomaly",
    "anomaly_check_nan",
    "autograd_multithreading",
    "view_replay",
    "fwd_grad",
    "current_device.cuda",
    "compile_backend",
    "dynamo_config_hash",
    "nopython",
)
_TORCH_NAMES = frozenset(
    [
        *[f"torch.{fact}" for fact in _TORCH_FACTS],
        *[f"torch.autocast.{device}.{fact}" for device in AUTOCAST_DEVICES for fact in ("enabled", "dtype")],
    ]
)

# Families of names with a device, or a backend and an operation, in them.
_TORCH_FAMILIES = re.compile(r"torch\.(?:current_stream\.[a-z]+(?::\d+)?|fp32_precision\.[a-z0-9_]+\.[a-z0-9_]+)")


def register_state_reader(name: str, reader: Callable[[], object]) -> None:
    """Have a name of ambient state read by a function; one that is there already is replaced.

    Args:
        name: what stands in `S['...']`.
        reader: gives the current value in the calling thread; an error in it makes the state undefined.

    Example:
        >>> register_state_reader("example.level", lambda: 3)
        >>> reader_of("example.level")()
        3
    """
    _readers[name] = reader


def has_own_reader(name: str) -> bool:
    """Tell whether somebody registered a reader for a name, in place of the one that guardlang brings or besides.

    Args:
        name: what stands in `S['...']`.

    Example:
        >>> has_own_reader("torch.grad_mode")
        False
    """
    return name in _readers


def declared_names() -> tuple[str, ...]:
    """Return the names that may be used, sorted; of families of names those that name a usual member.

    Example:
        >>> "torch.grad_mode" in declared_names(), "sys.modules" in declared_names()
        (True, True)
    """
    plugins.load("guardlang.state_readers")
    return tuple(sorted(_TORCH_NAMES | set(_readers)))


def reader_of(name: str) -> Callable[[], object]:
    """Return the function that reads a name of ambient state.

    Args:
        name: what stands in `S['...']`.

    Returns:
        A function without arguments that returns the current value, or raises `Undefined` and nothing else.

    Raises:
        GuardNameError: no such state is known; says which names are close.

    Example:
        >>> reader_of("sys.module")
        Traceback (most recent call last):
            ...
        guardlang.errors.GuardNameError: there is no state 'sys.module'
        hint: did you mean 'sys.modules'?
    """
    reader = _readers.get(name)
    if reader is None and plugins.load("guardlang.state_readers"):
        reader = _readers.get(name)
    if reader is not None:
        return _safely(reader)
    if name in _TORCH_NAMES or _TORCH_FAMILIES.fullmatch(name):
        return _safely(lambda: _torch_reader(name)())  # noqa: PLW0108  # torch may be imported later than this
    raise GuardNameError(f"there is no state {name!r}", hint=nearest(name, declared_names()))


def _safely(reader: Callable[[], object]) -> Callable[[], object]:
    def read() -> object:
        try:
            return reader()
        except Undefined:
            raise
        except Exception as error:  # noqa: BLE001  # a reader is anybody's code; its error means that there is nothing to read
            raise Undefined(f"cannot be read: {type_name(type(error))} in its reader") from None

    return read


_bound: dict[str, Callable[[], object]] = {}


def _torch_reader(name: str) -> Callable[[], object]:
    bound = _bound.get(name)
    if bound is None:
        if "torch" not in sys.modules:
            raise Undefined("cannot be read: torch is not imported")
        found = importlib.import_module("guardlang.pytorch.state").reader_of(name)
        if found is None:
            raise Undefined("cannot be read: this build of torch does not have it")
        bound = _bound[name] = found
    return bound


register_state_reader("sys.modules", lambda: sys.modules)
