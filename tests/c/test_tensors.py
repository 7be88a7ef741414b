"""Facts of tensors read in place, and ambient state that is watched."""

import threading

import pytest

from guardlang import GuardSet

torch = pytest.importorskip("torch")

FACTS = [
    "type(L['x']) is torch.Tensor",
    "L['x'].dtype == torch.float32",
    "L['x'].dtype is torch.float32",
    "L['x'].device == torch.device('cpu')",
    "L['x'].device != torch.device('meta')",
    "L['x'].layout is torch.strided",
    "L['x'].requires_grad is False",
    "L['x'].ndim == 2",
    "L['x'].shape[0] == 4",
    "L['x'].shape[-1] == 3",
    "L['x'].shape[0] * L['x'].shape[1] % 5 == 2",
    "L['x'].stride(0) == 3",
    "L['x'].stride(5) == 3",
    "L['x'].storage_offset() == 0",
    "L['x'].is_contiguous()",
    "not L['x'].is_contiguous()",
    "not hasattr(L['x'], 'mark')",
    "L['x'].mark == 1",
    "L['x'].shape == (4, 3)",
    "L['x'].device.type == 'cpu'",
    "L['x'].is_leaf is True",
    "L['x'].grad is None",
    "dispatch_keys(L['x']) == frozenset({'ADInplaceOrView', 'AutogradCPU', 'BackendSelect', 'CPU'})",
    "L['x'].shape[0] == L['y'].shape[0]",
    "distinct(L['x'], L['y'])",
]


class Derived(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        raise AssertionError("a check ran code of the tensor's class")


def tensors():
    marked = torch.ones(4, 3)
    marked.mark = 1
    yield from (
        torch.ones(4, 3),
        marked,
        torch.ones(3, 4).t(),
        torch.ones(4, 3, dtype=torch.int64),
        torch.ones(4),
        torch.ones(()),
    )
    yield from (torch.ones(4, 3, requires_grad=True), torch.ones(4, 3, device="meta"), torch.ones(5, 3)[1:], torch.ones(0, 3))
    yield from (torch.nn.Parameter(torch.ones(4, 3)), torch.ones(4, 3).as_subclass(Derived), torch.ones(4, 3).to_sparse())
    yield from (
        torch.ones(4, 3, dtype=torch.complex64).conj(),
        torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
        3,
        None,
    )
    with torch.inference_mode():
        yield torch.ones(4, 3)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("text", FACTS)
def test_a_fact_is_what_the_interpreter_says(text):
    guards = GuardSet(objects={"torch": torch})
    guards.add(text)
    check, meant = guards.compile("c"), guards.compile("interp")
    for x in tensors():
        frame = {"x": x, "y": torch.ones(4)}
        assert check(frame) is meant(frame), (text, type(x))
        for context in (torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16), torch.no_grad()):
            with context:
                assert check(frame) is meant(frame), (text, type(x), context)


def test_keys_of_another_thread_are_its_own():
    guards = GuardSet()
    guards.add("dispatch_keys(L['x']) == frozenset({'ADInplaceOrView', 'AutogradCPU', 'BackendSelect', 'CPU'})")
    check = guards.compile("c")
    x = torch.ones(2)
    said = []
    with torch.inference_mode():
        thread = threading.Thread(target=lambda: said.append(check({"x": x})))
        thread.start()
        thread.join()
        said.append(check({"x": x}))
    assert said == [True, False]


def test_a_change_of_ambient_state_is_noticed():
    guards = GuardSet(objects={"torch": torch})
    for text in (
        "S['torch.grad_mode'] is True",
        "S['torch.autocast.cpu.enabled'] is False",
        "S['torch.autocast.cache_enabled'] is True",
        "S['torch.default_dtype'] == torch.float32",
        "S['torch.deterministic_algorithms'] is False",
        "S['torch.deterministic_algorithms_warn_only'] is False",
        f"S['torch.num_threads'] == {torch.get_num_threads()}",
        "S['torch.torch_function'] is True",
        "S['torch.torch_function_all_disabled'] is False",
        "S['torch.allow_tf32'] is False",
        "S['torch.allow_fp16_reduce'] == 0",
        "S['torch.allow_bf16_reduce'] == 0",
        "len(S['torch.function_mode_stack']) == 0",
        "S['torch.default_device'] is None",
        "S['torch.saved_tensors_hooks'] is None",
        "L['n'] == 1",
    ):
        guards.add(text)
    check, meant = guards.compile("c"), guards.compile("interp")
    frame = {"n": 1}
    assert check(frame)
    assert check(frame)
    assert not check({"n": 2})

    def toggle(change, undo):
        change()
        try:
            assert meant(frame) is False
            assert check(frame) is False
        finally:
            undo()
        assert check(frame)

    with torch.no_grad():
        assert not check(frame)
    with torch.autocast("cpu"):
        assert not check(frame)
    with torch.device("meta"):
        assert not check(frame)
    with torch._C.DisableTorchFunctionSubclass():
        assert not check(frame)
    with torch._C.DisableTorchFunction():
        assert not check(frame)
    assert check(frame)
    threads, cublas = torch.get_num_threads(), torch.backends.cuda.matmul
    toggle(lambda: torch.set_default_dtype(torch.float64), lambda: torch.set_default_dtype(torch.float32))
    toggle(lambda: torch.use_deterministic_algorithms(True), lambda: torch.use_deterministic_algorithms(False))
    toggle(lambda: torch.set_num_threads(threads + 1), lambda: torch.set_num_threads(threads))
    toggle(lambda: torch.set_autocast_cache_enabled(False), lambda: torch.set_autocast_cache_enabled(True))
    toggle(lambda: setattr(cublas, "allow_tf32", True), lambda: setattr(cublas, "allow_tf32", False))
    for name in ("allow_fp16_reduced_precision_reduction", "allow_bf16_reduced_precision_reduction"):
        toggle(lambda name=name: setattr(cublas, name, False), lambda name=name: setattr(cublas, name, True))
