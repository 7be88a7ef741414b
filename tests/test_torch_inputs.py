"""Tensors of every kind as inputs: compiled checks say what the interpreter says, and nothing of torch's hooks is asked."""

import functools
import warnings

import pytest

from guardlang import GuardSet, evaluate

torch = pytest.importorskip("torch")

FACTS = [
    "L['x'].shape[0] == 2",
    "L['x'].ndim == 2",
    "L['x'].stride(0) == 3",
    "L['x'].stride(0) == 0",
    "L['x'].storage_offset() == 0",
    "L['x'].is_contiguous()",
    "L['x'].dtype is torch.float32",
    "L['x'].device == torch.device('cpu')",
    "L['x'].layout is torch.strided",
    "L['x'].requires_grad is False",
    "L['x'].shape == (2, 3)",
    "L['x'].shape[0] * L['x'].shape[1] == 6",
    "L['x'].grad is None",
    "L['x'].is_leaf is True",
    "dispatch_keys(L['x']) == frozenset({'CPU'})",
    "hasattr(L['x'], 'mark')",
    "overlapping(L['x'], L['x']) == (frozenset({0, 1}),)",
]
asked = []


class Sub(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        asked.append(func)
        return super().__torch_function__(func, types, args, kwargs or {})


class Loud(torch.Tensor):
    @property
    def shape(self):
        asked.append("shape")
        return (2, 3)

    def __getattr__(self, name):
        asked.append(name)
        raise AttributeError(name)


class Mode(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        asked.append(func)
        return func(*args, **(kwargs or {}))


def tensors():
    plain = torch.arange(6.0).reshape(2, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            "plain": plain,
            "transposed": torch.arange(6.0).reshape(3, 2).t(),
            "view": torch.arange(12.0).reshape(4, 3)[1:3],
            "expanded": torch.ones(3).expand(2, 3),
            "0-d": torch.tensor(1.0),
            "empty": torch.empty(0, 3),
            "meta": torch.empty(2, 3, device="meta"),
            "parameter": torch.nn.Parameter(torch.ones(2, 3)),
            "needs grad": torch.ones(2, 3, requires_grad=True) * 2,
            "sparse": torch.ones(2, 3).to_sparse(),
            "sparse rows": torch.ones(2, 3).to_sparse_csr(),
            "conjugate": torch.ones(2, 3, dtype=torch.complex64).conj(),
            "quantised": torch.quantize_per_tensor(torch.ones(2, 3), 0.1, 0, torch.qint8),
            "functional": torch._to_functional_tensor(torch.ones(2, 3)),
            "subclass": torch.ones(2, 3).as_subclass(Sub),
            "loud": torch.ones(2, 3).as_subclass(Loud),
            "not a tensor": [1],
        }


def guards_of(cls, texts):
    guards = GuardSet(objects={"torch": torch, "T": cls})
    for text in texts:
        guards.add(text)
    return guards


@functools.cache
def compiled(cls):
    """Return sets for tensors of a class, compiled, with the interpreter's verdict beside them."""
    return [(guards, {name: guards.compile(name) for name in ("interp", "python")}) for guards in sets(cls)]


def sets(cls):
    """Yield sets in which one fact stands alone, behind a type, and where it may be passed over."""
    for fact in FACTS:
        yield guards_of(cls, [fact])
        yield guards_of(cls, ["type(L['x']) is T", fact])
        yield guards_of(cls, ["type(L['x']) is T", f"L['y'] is None or {fact}"])
        yield guards_of(cls, ["type(L['x']) is T", "L['x'].ndim >= 0", "L['x'].shape[0] >= 0", f"not {fact}"])
    yield guards_of(cls, ["type(L['x']) is T", *FACTS])


@pytest.mark.parametrize("around", ["nothing", "mode", "inference", "disabled"])
@pytest.mark.parametrize("kind", tensors())
def test_every_kind_of_tensor(kind, around):
    x = tensors()[kind]
    contexts = {
        "nothing": torch.enable_grad,
        "mode": Mode,
        "inference": torch.inference_mode,
        "disabled": torch._C.DisableTorchFunctionSubclass,
    }
    # What surrounds a check decides in a few ways only: all sets without a context and with a mode, some in the others.
    for guards, checks in compiled(type(x))[:: 1 if around in ("nothing", "mode") else 7]:
        for y in (None, 1):
            frame = {"x": x, "y": y}
            with contexts[around]():
                asked.clear()
                expected = all(evaluate(expr, frame) for expr in guards.exprs)
                said = {name: check(frame) for name, check in checks.items()}
                explained = bool(guards.explain(frame))
                reached = list(asked)
            assert said == dict.fromkeys(checks, expected), checks["python"].source
            assert explained is expected
            assert reached == []


@pytest.mark.parametrize("transform", ["vmap", "grad", "functionalize"])
def test_tensors_inside_a_transform(transform):
    guards = guards_of(torch.Tensor, ["type(L['x']) is T", "L['x'].ndim == 1", "L['x'].shape[0] == 3", "L['x'].stride(0) == 1"])
    check = guards.compile("python")
    said = []

    def run(x):
        said.append((check({"x": x}), all(evaluate(expr, {"x": x}) for expr in guards.exprs)))
        return x.sum()

    one = torch.ones(3)
    {
        "vmap": lambda: torch.vmap(run)(torch.ones(2, 3)),
        "grad": lambda: torch.func.grad(run)(one),
        "functionalize": lambda: torch.func.functionalize(run)(one),
    }[transform]()
    assert said == [(True, True)]
