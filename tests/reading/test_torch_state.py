"""Every name of torch's ambient state, under what changes it."""

import contextlib
import threading
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from torch._C import _functorch  # noqa: E402  # after it is known to be there
from torch.overrides import TorchFunctionMode  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

from guardlang.state import AUTOCAST_DEVICES, declared_names, reader_of  # noqa: E402
from guardlang.values import Undefined  # noqa: E402


def read(name):
    return reader_of(f"torch.{name}")()


@contextlib.contextmanager
def setting(get, put, value):
    old = get()
    put(value)
    try:
        yield
    finally:
        put(old)


def by_functions(where, get, put, value):
    return lambda: setting(getattr(where, get), getattr(where, put), value)


@contextlib.contextmanager
def reduction(kind, allowed, split):
    put = getattr(torch._C, f"_set_cublas_allow_{kind}_reduced_precision_reduction")
    put(allowed, split)
    try:
        yield
    finally:
        put(True, True)


C = torch._C
CASES = {
    "grad_mode": (True, torch.no_grad, False),
    "inference_mode": (False, torch.inference_mode, True),
    "autocast.cache_enabled": (True, lambda: torch.autocast("cpu", cache_enabled=False), False),
    "deterministic_algorithms": (
        False,
        by_functions(C, "_get_deterministic_algorithms", "_set_deterministic_algorithms", True),
        True,
    ),
    "deterministic_algorithms_warn_only": (
        False,
        lambda: setting(lambda: False, lambda on: torch.use_deterministic_algorithms(on, warn_only=on), True),
        True,
    ),
    "deterministic_fill": (
        True,
        by_functions(C, "_get_deterministic_fill_uninitialized_memory", "_set_deterministic_fill_uninitialized_memory", False),
        False,
    ),
    "default_dtype": (torch.float32, by_functions(torch, "get_default_dtype", "set_default_dtype", torch.float64), torch.float64),
    "default_device": (None, lambda: torch.device("meta"), torch.device("meta")),
    "num_threads": (torch.get_num_threads(), by_functions(torch, "get_num_threads", "set_num_threads", 1), 1),
    "allow_tf32": (False, by_functions(C, "_get_cublas_allow_tf32", "_set_cublas_allow_tf32", True), True),
    "float32_matmul_precision": (
        "highest",
        by_functions(torch, "get_float32_matmul_precision", "set_float32_matmul_precision", "medium"),
        "medium",
    ),
    "cudnn.allow_tf32": (True, by_functions(C, "_get_cudnn_allow_tf32", "_set_cudnn_allow_tf32", False), False),
    "cudnn.enabled": (True, by_functions(C, "_get_cudnn_enabled", "_set_cudnn_enabled", False), False),
    "cudnn.benchmark": (False, by_functions(C, "_get_cudnn_benchmark", "_set_cudnn_benchmark", True), True),
    "cudnn.deterministic": (False, by_functions(C, "_get_cudnn_deterministic", "_set_cudnn_deterministic", True), True),
    "allow_fp16_reduce": (0, lambda: reduction("fp16", False, True), 1),
    "allow_bf16_reduce": (0, lambda: reduction("bf16", False, False), 2),
    "cublas.fp16_accumulation": (
        False,
        by_functions(C, "_get_cublas_allow_fp16_accumulation", "_set_cublas_allow_fp16_accumulation", True),
        True,
    ),
    "sdp.flash": (True, by_functions(C, "_get_flash_sdp_enabled", "_set_sdp_use_flash", False), False),
    "sdp.mem_efficient": (True, by_functions(C, "_get_mem_efficient_sdp_enabled", "_set_sdp_use_mem_efficient", False), False),
    "sdp.math": (True, by_functions(C, "_get_math_sdp_enabled", "_set_sdp_use_math", False), False),
    "sdp.cudnn": (True, by_functions(C, "_get_cudnn_sdp_enabled", "_set_sdp_use_cudnn", False), False),
    "mkldnn_enabled": (True, by_functions(C, "_get_mkldnn_enabled", "_set_mkldnn_enabled", False), False),
    "nnpack_enabled": (True, by_functions(C, "_get_nnpack_enabled", "_set_nnpack_enabled", False), False),
    "torch_function": (True, C.DisableTorchFunctionSubclass, False),
    "torch_function_all_disabled": (False, C.DisableTorchFunction, True),
    "forward_ad_level": (-1, torch.autograd.forward_ad.dual_level, 0),
    "saved_tensors_hooks_disabled": (
        None,
        lambda: torch.autograd.graph.disable_saved_tensors_hooks("not here"),
        "not here",
    ),
    "anomaly": (False, lambda: torch.autograd.set_detect_anomaly(True, check_nan=False), True),
    "anomaly_check_nan": (True, lambda: torch.autograd.set_detect_anomaly(False, check_nan=False), False),
    "autograd_multithreading": (True, lambda: torch.autograd.set_multithreading_enabled(False), False),
    "view_replay": (False, by_functions(C, "_is_view_replay_enabled", "_set_view_replay_enabled", True), True),
    "fwd_grad": (True, lambda: torch.autograd.forward_ad._set_fwd_grad_enabled(False), False),
    "dispatch_keys.included": (
        frozenset({"ADInplaceOrView", "BackendSelect"}),
        torch.inference_mode,
        frozenset({"BackendSelect"}),
    ),
    "fp32_precision.mkldnn.matmul": (
        ...,  # other settings leave it at one of two names for the same
        lambda: setting(
            lambda: C._get_fp32_precision_getter("mkldnn", "matmul"),
            lambda precision: C._set_fp32_precision_setter("mkldnn", "matmul", precision),
            "bf16",
        ),
        "bf16",
    ),
}
ELSEWHERE = {
    "function_mode_stack",
    "dispatch_modes",
    "dispatch_keys.excluded",
    "functorch_stack",
    "saved_tensors_hooks",
    "current_device.cuda",
    "compile_backend",
    "dynamo_config_hash",
    "nopython",
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore:Anomaly Detection")
@pytest.mark.filterwarnings("ignore:.*TF32.*")
def test_a_fact_is_read_as_it_is(name):
    before, change, inside = CASES[name]
    if before is ...:
        before = read(name)
    assert read(name) == before
    with change():
        got = read(name)
    assert got == inside
    assert type(got) is type(inside)
    assert read(name) == before


@pytest.mark.parametrize("device", AUTOCAST_DEVICES)
def test_autocast(device):
    assert read(f"autocast.{device}.enabled") is False
    before = read(f"autocast.{device}.dtype")
    torch.set_autocast_enabled(device, True)
    torch.set_autocast_dtype(device, torch.float64)
    try:
        assert read(f"autocast.{device}.enabled") is True
        assert read(f"autocast.{device}.dtype") is torch.float64
    finally:
        torch.set_autocast_enabled(device, False)
        torch.set_autocast_dtype(device, before)
    assert read(f"autocast.{device}.enabled") is False


def test_every_declared_name_has_a_case():
    covered = {f"torch.{name}" for name in {*CASES, *ELSEWHERE}}
    covered |= {f"torch.autocast.{device}.{fact}" for device in AUTOCAST_DEVICES for fact in ("enabled", "dtype")}
    declared = {name for name in declared_names() if name.startswith("torch.")}
    assert declared - covered == set()


def test_function_modes_from_the_outside():
    class Mode(TorchFunctionMode):
        pass

    outer, inner = Mode(), Mode()
    assert read("function_mode_stack") == ()
    with outer, inner:
        stack = read("function_mode_stack")
        device = read("default_device")
    assert [mode is kept for mode, kept in zip(stack, (outer, inner), strict=True)] == [True, True]
    assert device is None


def test_dispatch_modes():
    class Mode(TorchDispatchMode):
        pass

    assert read("dispatch_modes") == ()
    with Mode() as mode:
        (got,) = read("dispatch_modes")
    assert got is mode


def test_the_default_device_is_that_of_the_thread():
    seen = []
    torch.set_default_device("meta")
    try:
        thread = threading.Thread(target=lambda: seen.append(read("default_device")))
        thread.start()
        thread.join()
        seen.append(read("default_device"))
    finally:
        torch.set_default_device(None)
    assert seen == [None, torch.device("meta")]


def test_excluded_dispatch_keys():
    assert "AutocastCPU" in read("dispatch_keys.excluded")
    with torch.autocast("cpu"):
        assert "AutocastCPU" not in read("dispatch_keys.excluded")


def test_the_functorch_stack():
    states = []

    def keep(x):
        states.append(read("functorch_stack"))
        return x.sum()

    assert read("functorch_stack") == ()
    torch.func.vmap(keep)(torch.ones(2, 3))
    torch.func.grad(keep)(torch.ones(3))
    assert states == [(("Vmap", 1, "error"),), (("Grad", 1, True),)]
    assert _functorch.peek_interpreter_stack() is None


def test_saved_tensors_hooks_count_only_as_graph_modules():
    class Pass(torch.nn.Module):
        def forward(self, x):
            return x

    pack, unpack = torch.fx.symbolic_trace(Pass()), torch.fx.symbolic_trace(Pass())
    assert read("saved_tensors_hooks") is None
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
        assert read("saved_tensors_hooks") is None
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        got = read("saved_tensors_hooks")
    assert got[0] is pack
    assert got[1] is unpack


def test_what_is_not_there_is_undefined():
    if not torch.accelerator.is_available():
        with pytest.raises(Undefined, match="there is no accelerator here"):
            read("current_stream.cuda:0")
    if not hasattr(torch._C, "_cuda_getDevice"):
        with pytest.raises(Undefined, match="this build of torch does not have it"):
            read("current_device.cuda")
    with pytest.raises(Undefined, match="RuntimeError in its reader"):
        read("fp32_precision.nobody.matmul")


def test_facts_of_the_compiler(monkeypatch):
    import torch._dynamo

    assert read("dynamo_config_hash") == torch._dynamo.config.get_hash()
    with torch._dynamo.config.patch(dynamic_shapes=not torch._dynamo.config.dynamic_shapes):
        assert read("dynamo_config_hash") == torch._dynamo.config.get_hash()
    for name in ("compile_backend", "nopython"):
        with pytest.raises(Undefined, match="no function is being compiled in this thread"):
            read(name)

    def backend(graph, inputs):
        return graph

    frames = SimpleNamespace(_one_graph=True, _torchdynamo_orig_backend=backend)
    outer = SimpleNamespace(_torchdynamo_orig_backend=frames)
    monkeypatch.setattr(torch._C._dynamo.eval_frame, "get_eval_frame_callback", lambda: outer)
    assert read("compile_backend") is backend
    assert read("nopython") is True
    frames._one_graph = False
    assert read("nopython") is False
