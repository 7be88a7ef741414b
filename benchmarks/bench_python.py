"""The Python backend against straight-line Python written by hand for the same guards, and against a list of closures."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import guardlang as gl
from benchmarks.measure import compare
from benchmarks.rows import Options, Row

__all__ = ["rows"]

SIZES = (5, 20, 100, 500)
BUILD_SIZE = 1_000


class Block:
    """An object with attributes, as a program's own classes make them."""

    def __init__(self, number: int) -> None:
        self.width = number
        self.name = f"block{number}"


def rows(options: Options) -> Iterable[Row]:
    """Yield the ratios of a hit and of a miss for each size, and the time to build a large set."""
    for size in SIZES:
        yield from _check_rows(size, options)
    yield _build_row()


def _check_rows(size: int, options: Options) -> Iterator[Row]:
    unit_count = -(-size // len(list(_unit(0))))
    parts = [part for number in range(unit_count) for part in _unit(number)][:size]
    frame = {name: value for number in range(unit_count) for name, value in _values(number).items()}
    objects = _objects()
    guards = gl.GuardSet(objects=objects)
    for text, _ in parts:
        guards.add(text)
    assert len(guards) == size
    check = guards.compile(backend="python")
    lines = [line for _, line in parts]
    by_hand = _by_hand(lines, objects)
    pure = _by_hand(_made_pure(lines), objects | _pure_objects())
    closures = [eval(f"lambda L: {text}", {**objects, "exact": _exactly}) for text, _ in parts]

    def closed(L: dict[str, Any]) -> bool:
        return all(holds(L) for holds in closures)

    assert check(frame) is by_hand(frame) is pure(frame) is closed(frame) is True
    miss = {**frame, f"n{unit_count - 1}": 7, f"d{unit_count - 1}": {"k": "other", "n": 0}}
    assert check(miss) is by_hand(miss) is False
    peers: dict[str, Callable[..., object]] = {"check": check, "by hand": by_hand, "pure": pure, "closures": closed}
    hit = compare(peers, args=(frame,), rounds=options.rounds)
    missed = compare({"check": check, "hit": lambda _: check(frame)}, args=(miss,), rounds=options.rounds)
    note = "straight-line Python that runs no user code either"
    yield Row(f"hit, {size} guards / by hand, pure", hit["check"], hit["pure"], hit["check"] / hit["pure"], 1.1, note)
    note = "straight-line Python that trusts the classes of the inputs"
    yield Row(f"hit, {size} guards / by hand", hit["check"], hit["by hand"], hit["check"] / hit["by hand"], None, note)
    yield Row(f"hit, {size} guards / closures", hit["check"], hit["closures"], hit["check"] / hit["closures"], 0.5, "")
    yield Row(
        f"miss / hit, {size} guards", missed["check"], missed["hit"], missed["check"] / missed["hit"], 1.0, "a value differs"
    )


def _exactly(x: object, wanted: object) -> bool:
    return type(x) is type(wanted) and x == wanted


def _unit(number: int) -> Iterator[tuple[str, str]]:
    """Yield guards on one input of each kind, with the lines that somebody would write for them."""
    n = number
    yield f"type(L['t{n}']) is Tensor", f"t = L['t{n}']\nif type(t) is not Tensor: return False"
    yield f"L['t{n}'].shape[0] == 4", "s = t.shape\nif s[0] != 4: return False"
    yield f"exact(L['d{n}']['k'], 'v{n}')", f"d = L['d{n}']\nk = d['k']\nif type(k) is not str or k != 'v{n}': return False"
    yield f"exact(L['n{n}'], {n})", f"n = L['n{n}']\nif type(n) is not int or n != {n}: return False"
    yield f"type(L['d{n}']) is dict", "if type(d) is not dict: return False"
    yield f"type(L['o{n}']) is Block", f"o = L['o{n}']\nif type(o) is not Block: return False"
    yield f"exact(L['o{n}'].width, {n})", f"w = o.width\nif type(w) is not int or w != {n}: return False"
    yield f"exact(L['o{n}'].name, 'block{n}')", f"b = o.name\nif type(b) is not str or b != 'block{n}': return False"
    yield f"type(L['x{n}']) is list", f"x = L['x{n}']\nif type(x) is not list: return False"
    yield f"len(L['x{n}']) == 3", "if len(x) != 3: return False"
    yield f"exact(L['x{n}'][1], {n})", f"i = x[1]\nif type(i) is not int or i != {n}: return False"
    yield f"type(L['m{n}']) is int", f"m = L['m{n}']\nif type(m) is not int: return False"
    yield f"L['m{n}'] % 8 == 0", "if m % 8 != 0: return False"
    yield f"L['m{n}'] >= 8", "if not m >= 8: return False"
    yield f"exact(L['d{n}']['n'], {n})", f"e = d['n']\nif type(e) is not int or e != {n}: return False"
    yield f"L['t{n}'].shape[1] == 8", "if s[1] != 8: return False"
    yield f"L['t{n}'].dtype is float32", "if t.dtype is not float32: return False"
    yield f"L['t{n}'].ndim == 2", "if t.ndim != 2: return False"
    yield f"L['t{n}'].requires_grad is False", "if t.requires_grad is not False: return False"
    yield f"L['t{n}'].stride(0) == 8", "if t.stride(0) != 8: return False"


def _values(number: int) -> dict[str, Any]:
    import torch

    return {
        f"t{number}": torch.ones(4, 8),
        f"d{number}": {"k": f"v{number}", "n": number},
        f"n{number}": number,
        f"o{number}": Block(number),
        f"x{number}": [0, number, 2],
        f"m{number}": 8 * (number + 1),
    }


def _objects() -> dict[str, Any]:
    import torch

    return {"Tensor": torch.Tensor, "float32": torch.float32, "Block": Block}


def _by_hand(lines: list[str], objects: dict[str, Any]) -> Callable[[dict[str, Any]], bool]:
    """Return the lines as one function, its objects in cells as in the generated code."""
    body = "\n".join(f"            {line}" for part in lines for line in part.split("\n"))
    text = (
        f"def make({', '.join(objects)}):\n    def by_hand(L, G=None):\n        try:\n{body}\n"
        "        except (LookupError, AttributeError, TypeError):\n            return False\n        return True\n"
        "    return by_hand\n"
    )
    namespace: dict[str, Any] = {}
    exec(text, namespace)
    made: Callable[[dict[str, Any]], bool] = namespace["make"](**objects)
    return made


def _made_pure(lines: list[str]) -> list[str]:
    """Return the lines with what keeps them from running user code where a class has been changed or a mode is on."""
    made = ["if type(L) is not dict: return False"]
    for line in lines:
        made.append(line)
        for cls in ("Tensor", "Block"):
            seen = any(f"{cls}.__mro__" in other for other in made)
            if f"is not {cls}: return" in line and not seen:
                made.append(f"if {cls}.__mro__ is not {cls}_mro or not {cls}_lacks({cls}_names): return False")
                made += ["if overrides(t): return False"] if cls == "Tensor" else []
    return made


def _pure_objects() -> dict[str, Any]:
    import torch

    found: dict[str, Any] = {"overrides": torch.overrides.has_torch_function_unary}
    names = {"Tensor": "shape dtype ndim requires_grad stride", "Block": "width name __getattr__"}
    for name, cls in (("Tensor", torch.Tensor), ("Block", Block)):
        found[f"{name}_mro"] = cls.__mro__
        found[f"{name}_lacks"] = cls.__dict__.keys().isdisjoint
        found[f"{name}_names"] = ("__getattribute__", *names[name].split())
    return found


def _build_row() -> Row:
    parts = [text for number in range(BUILD_SIZE // 20) for text, _ in _unit(number)]
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        guards = gl.GuardSet(objects=_objects())
        for text in parts:
            guards.add(text)
        guards.compile(backend="python")
        seconds.append(time.perf_counter() - start)
    taken = sorted(seconds)[2]
    return Row(f"build {BUILD_SIZE} guards", taken, 0.25, taken / 0.25, 1.0, "parse, plan and compile, against 0.25 s")
