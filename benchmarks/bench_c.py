"""The C backend against the Python closure, against an empty C function, and against the guard tree that torch builds in C++."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import guardlang as gl
from benchmarks.measure import compare
from benchmarks.rows import Options, Row, Unavailable
from guardlang.codegen.c import building
from guardlang.errors import CompilerNotFound

__all__ = ["rows"]

TENSORS = (1, 2, 4, 16, 50)
MIXED = (
    "type(L['n']) is int",
    "L['n'] % 8 == 0",
    "2 <= L['n'] < 2**40",
    "L['s'] == 'text'",
    "L['d']['k'] == 1.5",
    "keys(L['d']) == ('k', 'm')",
    "L['d']['m'] is None",
    "type(L['d']) is dict",
    "len(L['t']) == 3",
    "L['t'][0] == 1",
    "L['t'][1] == 'a'",
    "exact(L['t'], (1, 'a', 2.0))",
    "L['x'] is L['y']",
    "L['x'] is not L['d']",
    "distinct(L['x'], L['d'], L['t'])",
    "'k' in L['d']",
    "'z' not in L['d']",
    "hasattr(L['o'], 'real')",
    "L['o'].real == 3",
    "L['b'] is True",
)


def rows(options: Options) -> Iterable[Row]:
    """Yield the ratios for an empty set, for 20 mixed guards, for tensors, and the times of a build."""
    try:
        building.find_compiler()
    except CompilerNotFound as error:
        raise Unavailable(str(error)) from None
    yield from _plain_rows(options)
    yield from _tensor_rows(options)
    yield from _build_rows()


def _plain_rows(options: Options) -> Iterator[Row]:
    empty = gl.GuardSet().compile("c")
    times = compare({"check": empty, "callable": callable}, args=({},), rounds=options.rounds)
    yield Row.of(
        "empty set / callable(x)",
        ours=times["check"],
        theirs=times["callable"],
        goal=1.3,
        note="a function in C that returns True",
    )
    guards = gl.GuardSet()
    for text in MIXED:
        guards.add(text)
    shared: list[int] = []
    values = {"n": 16, "s": "text", "d": {"k": 1.5, "m": None}, "t": (1, "a", 2.0), "x": shared, "y": shared, "o": 3, "b": True}
    checks: dict[str, Callable[..., object]] = {name: guards.compile(name) for name in ("c", "python")}
    assert all(check(values) is True for check in checks.values())
    times = compare(checks, args=(values,), rounds=options.rounds)
    yield Row.of("20 mixed guards / Python closure", ours=times["c"], theirs=times["python"], goal=0.5)


def _tensor_rows(options: Options) -> Iterator[Row]:
    try:
        import torch
        from torch._C._dynamo.eval_frame import _debug_get_cache_entry_list
    except ImportError:
        return
    for count in TENSORS:
        names = [sys.intern(f"a{number}") for number in range(count)]
        function = _sum_of(names)
        torch.compiler.reset()
        values = {name: torch.ones(4, 4) for name in names}
        torch.compile(function, backend="eager")(**values)
        tree = _debug_get_cache_entry_list(function.__code__)[0].guard_manager.root
        checks: dict[str, Callable[..., object]] = {"c": _tensor_guards(names, torch).compile("c"), "torch": tree.check}
        assert all(check(values) for check in checks.values())
        times = compare(checks, args=(values,), rounds=options.rounds)
        note = "RootGuardManager.check, ambient state included on both sides"
        yield Row.of(f"{count} tensors / torch", ours=times["c"], theirs=times["torch"], goal=0.15, note=note)


def _sum_of(names: list[str]) -> Callable[..., Any]:
    """Return a function with a file of its own: torch.compile leaves code without one alone."""
    text = f"def total({', '.join(names)}):\n    return {' + '.join(names)} + 1\n"
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
        file.write(text)
    space: dict[str, Any] = {}
    exec(compile(text, file.name, "exec"), space)
    Path(file.name).unlink()
    return space["total"]  # type: ignore[no-any-return]


def _tensor_guards(names: list[str], torch: Any) -> gl.GuardSet:
    keys = "frozenset({'ADInplaceOrView', 'AutogradCPU', 'BackendSelect', 'CPU'})"
    guards = gl.GuardSet(objects={"torch": torch})
    for name in names:
        x = f"L['{name}']"
        for text in (f"type({x}) is torch.Tensor", f"dispatch_keys({x}) == {keys}", f"{x}.dtype == torch.float32"):
            guards.add(text)
        for text in (f"{x}.device == torch.device('cpu')", f"{x}.requires_grad is False", f"{x}.ndim == 2"):
            guards.add(text)
        for text in (f"{x}.shape[0] == 4", f"{x}.shape[1] == 4", f"{x}.stride(0) == 4", f"{x}.stride(1) == 1"):
            guards.add(text)
        guards.add(f"not hasattr({x}, '_has_dynamo_dim_marking')")
    if len(names) > 1:
        guards.add(f"distinct({', '.join(f'''L['{name}']''' for name in names)})")
    for name in _STATE.split():
        guards.add(f"S['torch.{name}'] is {name in ('grad_mode', 'torch_function', 'autocast.cache_enabled')}")
    guards.add("S['torch.default_dtype'] == torch.float32")
    guards.add(f"S['torch.num_threads'] == {torch.get_num_threads()}")
    guards.add("len(S['torch.function_mode_stack']) == 0")
    guards.add("S['torch.default_device'] is None")
    guards.add("S['torch.saved_tensors_hooks'] is None")
    return guards


_STATE = """
    grad_mode torch_function torch_function_all_disabled deterministic_algorithms deterministic_algorithms_warn_only allow_tf32
    autocast.cache_enabled autocast.cpu.enabled autocast.cuda.enabled autocast.mtia.enabled autocast.maia.enabled
    autocast.xpu.enabled autocast.ipu.enabled autocast.hpu.enabled autocast.xla.enabled autocast.privateuseone.enabled
    autocast.mps.enabled
"""


def _build_rows() -> Iterator[Row]:
    """Yield the seconds of a build without and with the cache, over the seconds that are wanted."""
    guards = gl.GuardSet()
    for number in range(50):
        guards.add(f"L['d']['k{number}'] {('==', '<', '>=')[number % 3]} {number}")
    with tempfile.TemporaryDirectory() as folder:
        before = os.environ.get("GUARDLANG_CACHE")
        os.environ["GUARDLANG_CACHE"] = folder
        try:
            cold, warm = _seconds(lambda: guards.compile("c")), _seconds(lambda: guards.compile("c"))
        finally:
            if before is None:
                del os.environ["GUARDLANG_CACHE"]
            else:
                os.environ["GUARDLANG_CACHE"] = before
    yield Row.of("50 guards, cold build / 0.3 s", ours=cold, theirs=0.3, goal=1.0)
    yield Row.of("50 guards, from the cache / 5 ms", ours=warm, theirs=5e-3, goal=1.0, note="plan and text included")


def _seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start
