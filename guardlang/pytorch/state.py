"""A reader for each name of torch's ambient state, for the calling thread."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import torch

from guardlang.pytorch.dispatch import excluded_names, included_names
from guardlang.state import AUTOCAST_DEVICES
from guardlang.values import Undefined

__all__ = ["reader_of"]

_C: Any = torch._C
_Reader = Callable[[], object]


def reader_of(name: str) -> _Reader | None:
    """Return the reader of a name that `guardlang.state` declares, or None when this build of torch does not have it.

    Args:
        name: such as `torch.grad_mode`.

    Example:
        >>> reader = reader_of("torch.grad_mode")
        >>> with torch.no_grad():
        ...     reader()
        False
    """
    reader = _READERS.get(name)
    if reader is not None:
        return reader
    family, _, rest = name.removeprefix("torch.").partition(".")
    if family == "current_stream":
        return lambda: _current_stream(rest)
    if family == "fp32_precision":
        backend, _, operation = rest.partition(".")
        return lambda: _C._get_fp32_precision_getter(backend, operation)
    return None


def _function_modes() -> tuple[object, ...]:
    return tuple(_C._get_function_stack_at(i) for i in range(_C._len_torch_function_stack()))


def _dispatch_modes() -> tuple[object, ...]:
    if not _C._len_torch_dispatch_stack():
        return ()
    from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

    return tuple(_get_current_dispatch_mode_stack())


def _default_device() -> torch.device | None:
    # Not `torch.utils._device.CURRENT_DEVICE`: that is one variable for all threads.
    if not _C._len_torch_function_stack():
        return None
    from torch.utils._device import DeviceContext

    for mode in reversed(_function_modes()):
        if issubclass(type(mode), DeviceContext):
            return mode.device  # type: ignore[attr-defined]
    return None


def _reduction(read: Callable[[], tuple[bool, bool]]) -> _Reader:
    # As torch counts it: allowed, allowed without a split over k, not allowed.
    def level() -> int:
        allowed, split = read()
        return (0 if allowed else 1) if split else 2

    return level


def _functorch_stack() -> tuple[tuple[object, ...], ...]:
    if _C._functorch.peek_interpreter_stack() is None:
        return ()
    from torch._functorch.pyfunctorch import retrieve_all_functorch_interpreters

    return tuple(tuple(interpreter.get_state()) for interpreter in retrieve_all_functorch_interpreters())


def _saved_tensors_hooks() -> tuple[object, object] | None:
    hooks = _C._autograd._top_saved_tensors_default_hooks(True)
    if hooks is None or not all(issubclass(type(hook), torch.fx.GraphModule) for hook in hooks):
        return None
    pack, unpack = hooks
    return pack, unpack


def _current_stream(device: str) -> object:
    if not torch.accelerator.is_available():
        raise Undefined("cannot be read: there is no accelerator here")
    return torch.accelerator.current_stream(device)


def _autocast(device: str) -> tuple[_Reader, _Reader]:
    return lambda: torch.is_autocast_enabled(device), lambda: torch.get_autocast_dtype(device)


# What follows has no place in current releases of torch but in its compiler, which is not imported for the sake of a guard.


def _compiler(module: str) -> Any:
    found = sys.modules.get(module)
    if found is None:
        raise Undefined("cannot be read: torch.compile is not in use")
    return found


def _compile_callbacks() -> list[object]:
    """Return what compiles the frames of this thread: the wrappers, from the outside to the backend."""
    _compiler("torch._dynamo.eval_frame")
    callback = _C._dynamo.eval_frame.get_eval_frame_callback()
    if callback is None or callback is False:
        raise Undefined("cannot be read: no function is being compiled in this thread")
    chain = [callback]
    while hasattr(chain[-1], "_torchdynamo_orig_backend"):
        chain.append(chain[-1]._torchdynamo_orig_backend)
    return chain


def _nopython() -> bool:
    for wrapper in _compile_callbacks():
        one_graph = getattr(wrapper, "_one_graph", None)
        if one_graph is not None:
            return bool(one_graph)
    return False


def _named(where: Any, **readers: str) -> dict[str, _Reader]:
    """Return the readers that this build of torch has, of functions without arguments."""
    found = {}
    for name, function in readers.items():
        reader = getattr(where, function, None)
        if reader is not None:
            found[f"torch.{name.replace('__', '.')}"] = reader
    return found


_READERS: dict[str, _Reader] = {
    **_named(
        torch,
        grad_mode="is_grad_enabled",
        inference_mode="is_inference_mode_enabled",
        autocast__cache_enabled="is_autocast_cache_enabled",
        deterministic_algorithms_warn_only="is_deterministic_algorithms_warn_only_enabled",
        default_dtype="get_default_dtype",
        num_threads="get_num_threads",
        float32_matmul_precision="get_float32_matmul_precision",
        anomaly="is_anomaly_enabled",
        anomaly_check_nan="is_anomaly_check_nan_enabled",
    ),
    **_named(
        _C,
        deterministic_algorithms="_get_deterministic_algorithms",
        deterministic_fill="_get_deterministic_fill_uninitialized_memory",
        allow_tf32="_get_cublas_allow_tf32",
        cudnn__allow_tf32="_get_cudnn_allow_tf32",
        cudnn__enabled="_get_cudnn_enabled",
        cudnn__benchmark="_get_cudnn_benchmark",
        cudnn__deterministic="_get_cudnn_deterministic",
        cublas__fp16_accumulation="_get_cublas_allow_fp16_accumulation",
        sdp__flash="_get_flash_sdp_enabled",
        sdp__mem_efficient="_get_mem_efficient_sdp_enabled",
        sdp__math="_get_math_sdp_enabled",
        sdp__cudnn="_get_cudnn_sdp_enabled",
        mkldnn_enabled="_get_mkldnn_enabled",
        nnpack_enabled="_get_nnpack_enabled",
        torch_function="_is_torch_function_enabled",
        torch_function_all_disabled="_is_torch_function_all_disabled",
        autograd_multithreading="_is_multithreading_enabled",
        view_replay="_is_view_replay_enabled",
        fwd_grad="_is_fwd_grad_enabled",
        current_device__cuda="_cuda_getDevice",
    ),
    **_named(_C._autograd, saved_tensors_hooks_disabled="_saved_tensors_hooks_get_disabled_error_message"),
    "torch.allow_fp16_reduce": _reduction(_C._get_cublas_allow_fp16_reduced_precision_reduction),
    "torch.allow_bf16_reduce": _reduction(_C._get_cublas_allow_bf16_reduced_precision_reduction),
    "torch.default_device": _default_device,
    "torch.function_mode_stack": _function_modes,
    "torch.dispatch_modes": _dispatch_modes,
    "torch.dispatch_keys.included": included_names,
    "torch.dispatch_keys.excluded": excluded_names,
    "torch.functorch_stack": _functorch_stack,
    "torch.forward_ad_level": lambda: torch.autograd.forward_ad._current_level,
    "torch.saved_tensors_hooks": _saved_tensors_hooks,
    "torch.compile_backend": lambda: _compile_callbacks()[-1],
    "torch.dynamo_config_hash": lambda: _compiler("torch._dynamo.config").get_hash(),
    "torch.nopython": _nopython,
}
for _device in AUTOCAST_DEVICES:
    _READERS[f"torch.autocast.{_device}.enabled"], _READERS[f"torch.autocast.{_device}.dtype"] = _autocast(_device)
