"""The rules for torch as data."""

import torch
from torch import nn

from tests.observe.rows import Config, Read, Row, twice


class Net(nn.Module):
    def __init__(self, width=3, training=True):
        super().__init__()
        self.lin = nn.Linear(2, width)
        self.drop = nn.Dropout(0.5)
        self.register_buffer("steps", torch.zeros(2))
        self.depth = 1
        self.train(training)

    def forward(self, x):
        return self.lin(x)


class Wider(Net):
    pass


class Logged(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return super().__torch_function__(func, types, args, kwargs or {})


class Pair(torch.Tensor):
    """A wrapper of two tensors."""

    @staticmethod
    def __new__(cls, a, b, tag="t"):
        return torch.Tensor._make_wrapper_subclass(cls, a.shape, dtype=a.dtype, device=a.device)

    def __init__(self, a, b, tag="t"):
        self.a, self.b, self.tag = a, b, tag

    def __tensor_flatten__(self):
        return ["a", "b"], self.tag

    @staticmethod
    def __tensor_unflatten__(inner, tag, size, stride):
        return Pair(inner["a"], inner["b"], tag)

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        raise NotImplementedError


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad):
        return 2 * grad


def net(**changes):
    made = Net()
    for name, value in changes.items():
        made.__dict__[name] = value
    return made


def edited(edit, make=Net):
    made = make()
    edit(made)
    return made


def marked():
    made = torch.ones(2, 3)
    torch._dynamo.mark_dynamic(made, 0)
    return made


def with_grad(size=3):
    made = torch.ones(size, requires_grad=True)
    made.sum().backward()
    return made


BASE = torch.ones(4, 6)
SGD = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)

ROWS = [
    Row(
        "tensor",
        lambda: torch.ones(2, 3),
        lambda: torch.zeros(2, 3),
        [
            lambda: torch.ones(3, 2),
            lambda: torch.ones(2, 3, 1),
            lambda: torch.ones(3, 2).T,
            lambda: torch.ones(2, 3, dtype=torch.float64),
            lambda: torch.ones(2, 3, requires_grad=True),
            lambda: torch.ones(2, 3, device="meta"),
            lambda: nn.Parameter(torch.ones(2, 3), requires_grad=False),
            lambda: torch.ones(2, 3).to_sparse(),
            lambda: torch.ones(2, 3).numpy(),
            lambda: torch._neg_view(torch.ones(2, 3)),
            marked,
        ],
        {
            "offset": Read(
                lambda x: x.fact("storage_offset").value,
                [lambda: torch.ones(7)[1:].view(2, 3), lambda: torch.ones(8)[2:].view(2, 3), lambda: torch.ones(3, 3)[1:]],
            ),
            "attribute": Read(lambda x: x.has_attribute("tag"), [lambda: tagged(1), lambda: tagged(None), lambda: tagged("t")]),
            "leaf": Read(
                lambda x: x._base.is_none(),
                [lambda: torch.ones(6).view(2, 3), lambda: torch.ones(2, 3)[:], lambda: torch.ones(3, 3)[:2]],
            ),
        },
    ),
    Row(
        "parameter",
        lambda: nn.Parameter(torch.ones(3)),
        lambda: nn.Parameter(torch.zeros(3)),
        [
            lambda: torch.ones(3, requires_grad=True),
            lambda: nn.Parameter(torch.ones(4)),
            lambda: nn.Parameter(torch.ones(3), requires_grad=False),
        ],
    ),
    Row(
        "gradient",
        with_grad,
        with_grad,
        [lambda: torch.ones(3), lambda: with_grad(4), lambda: None],
        {
            "none": Read(
                lambda x: x.grad.is_none(),
                [
                    lambda: torch.ones(3, requires_grad=True),
                    lambda: torch.zeros(3, requires_grad=True),
                    lambda: torch.rand(3, requires_grad=True),
                ],
            )
        },
    ),
    Row(
        "marked tensor",
        marked,
        lambda: torch.ones(2, 3),
        [
            lambda: torch.ones(2, 4),
            lambda: torch.ones(3),
            lambda: edited(lambda x: torch._dynamo.mark_dynamic(x, 1), lambda: torch.ones(2, 3)),
        ],
    ),
    Row(
        "tensor with __torch_function__",
        lambda: torch.ones(2).as_subclass(Logged),
        lambda: torch.zeros(2).as_subclass(Logged),
        [
            lambda: torch.ones(2),
            lambda: torch.ones(3).as_subclass(Logged),
            lambda: torch.ones(2, dtype=torch.int8).as_subclass(Logged),
        ],
    ),
    Row(
        "wrapper of tensors",
        lambda: Pair(torch.ones(2), torch.ones(3)),
        lambda: Pair(torch.zeros(2), torch.zeros(3)),
        [
            lambda: Pair(torch.ones(2), torch.ones(4)),
            lambda: Pair(torch.ones(2), torch.ones(3), "other"),
            lambda: Pair(torch.ones(2), torch.ones(3, requires_grad=True)),
            lambda: torch.ones(2),
        ],
    ),
    Row(
        "torch.Size",
        lambda: torch.Size([2, 3]),
        lambda: torch.Size([2, 3]),
        [lambda: (2, 3), lambda: [2, 3], lambda: torch.Size([2])],
        {
            "size": Read(
                lambda x: x[0].value, [lambda: torch.Size([3, 3]), lambda: torch.Size([0, 3]), lambda: torch.Size([1, 3])]
            )
        },
    ),
    Row("dtype", lambda: torch.float32, lambda: torch.float, [lambda: torch.float64, lambda: float, lambda: "torch.float32"]),
    Row("layout", lambda: torch.strided, lambda: torch.strided, [lambda: torch.sparse_coo, lambda: None, lambda: torch.float32]),
    Row(
        "memory format",
        lambda: torch.contiguous_format,
        lambda: torch.contiguous_format,
        [lambda: torch.channels_last, lambda: None, lambda: 0],
    ),
    Row(
        "device",
        lambda: torch.device("cpu"),
        lambda: torch.device("cpu"),
        [lambda: torch.device("cpu:0"), lambda: torch.device("meta"), lambda: "cpu"],
    ),
    Row(
        "finfo",
        lambda: torch.finfo(torch.float16),
        lambda: torch.finfo(torch.float16),
        [lambda: torch.finfo(torch.float32), lambda: torch.iinfo(torch.int8), lambda: None],
    ),
    Row(
        "module",
        Net,
        Net,
        [Wider, lambda: net(forward=twice), lambda: nn.Linear(2, 3)],
        {
            "training": Read(
                lambda m: m.training.value, [lambda: Net(training=False), lambda: net(training=None), lambda: net(training=1)]
            ),
            "parameter": Read(
                lambda m: m.lin.weight.pin(),
                [
                    lambda: Net(4),
                    lambda: edited(lambda m: m.lin.weight.requires_grad_(False)),
                    lambda: edited(lambda m: setattr(m, "lin", nn.ReLU())),
                ],
            ),
            "buffer": Read(
                lambda m: m.steps.pin(),
                [
                    lambda: edited(lambda m: setattr(m, "steps", torch.zeros(3))),
                    lambda: edited(lambda m: setattr(m, "steps", None)),
                    lambda: edited(lambda m: m.steps.resize_(1)),
                ],
            ),
            "hidden submodule": Read(
                lambda m: m.lin.pin(), [lambda: net(lin=1), lambda: net(lin=None), lambda: edited(lambda m: delattr(m, "lin"))]
            ),
            "plain attribute": Read(
                lambda m: m.depth.value, [lambda: net(depth=2), lambda: net(depth=True), lambda: net(depth=None)]
            ),
            "call": Read(
                lambda m: m.forward.pin(),
                [
                    lambda: edited(lambda m: m.register_forward_hook(twice)),
                    lambda: edited(lambda m: m.register_forward_pre_hook(twice)),
                    lambda: edited(lambda m: m.register_full_backward_hook(twice)),
                ],
            ),
            "hook of a submodule": Read(
                lambda m: m.lin.forward.pin(),
                [
                    lambda: edited(lambda m: m.lin.register_forward_hook(twice)),
                    lambda: edited(lambda m: m.lin.register_forward_pre_hook(twice)),
                    lambda: edited(lambda m: m.lin.register_full_backward_hook(twice)),
                ],
            ),
            "absence": Read(
                lambda m: m.has_attribute("extra"),
                [
                    lambda: net(extra=1),
                    lambda: edited(lambda m: m.register_buffer("extra", None)),
                    lambda: edited(lambda m: m.add_module("extra", None)),
                ],
            ),
        },
    ),
    Row(
        "sequential",
        lambda: nn.Sequential(nn.Linear(1, 2), nn.ReLU()),
        lambda: nn.Sequential(nn.Linear(1, 2), nn.ReLU()),
        [lambda: nn.ModuleList([nn.Linear(1, 2), nn.ReLU()]), Net, lambda: None],
        {
            "iteration": Read(
                lambda m: [child.pin() for child in m],
                [lambda: nn.Sequential(nn.Linear(1, 2)), lambda: nn.Sequential(nn.Linear(1, 2), nn.GELU()), nn.Sequential],
            ),
            "length": Read(len, [lambda: nn.Sequential(nn.Linear(1, 2)), nn.Sequential, lambda: nn.Sequential(nn.ReLU())]),
        },
    ),
    Row(
        "autograd function", lambda: Double, lambda: Double, [lambda: torch.autograd.Function, lambda: Double.apply, lambda: None]
    ),
    Row(
        "apply",
        lambda: Double.apply,
        lambda: Double.apply,
        [lambda: torch.autograd.Function.apply, lambda: Double.forward, lambda: len],
    ),
    Row(
        "torch function",
        lambda: torch.sin,
        lambda: torch.sin,
        [lambda: torch.cos, lambda: torch.Tensor.sin, lambda: torch.ops.aten.sin.default],
    ),
    Row(
        "operator",
        lambda: torch.ops.aten.add.Tensor,
        lambda: torch.ops.aten.add.Tensor,
        [lambda: torch.ops.aten.add.Scalar, lambda: torch.ops.aten.add, lambda: torch.add],
    ),
    Row(
        "higher-order operator",
        lambda: torch.ops.higher_order.cond,
        lambda: torch.ops.higher_order.cond,
        [lambda: torch.ops.higher_order.while_loop, lambda: torch.cond, lambda: None],
    ),
    Row(
        "autocast",
        lambda: torch.autocast("cpu"),
        lambda: torch.autocast("cpu"),
        [
            lambda: torch.autocast("cpu", enabled=False),
            lambda: torch.autocast("cpu", dtype=torch.float16),
            lambda: torch.autocast("cpu", cache_enabled=False),
        ],
    ),
    Row(
        "dispatch key",
        lambda: torch._C.DispatchKey.CPU,
        lambda: torch._C.DispatchKey.CPU,
        [lambda: torch._C.DispatchKey.CUDA, lambda: 1, lambda: None],
    ),
    Row("optimizer", lambda: SGD, lambda: SGD, [lambda: torch.optim.SGD([torch.ones(1)], lr=0.1), lambda: None, Config], {}),
    Row(
        "pytree nodes",
        lambda: torch.utils._pytree.SUPPORTED_NODES,
        lambda: (
            dict(torch.utils._pytree.SUPPORTED_NODES)
            if type(torch.utils._pytree.SUPPORTED_NODES) is dict
            else torch.utils._pytree.SUPPORTED_NODES
        ),
        [
            dict,
            lambda: dict(list(torch.utils._pytree.SUPPORTED_NODES.items())[1:]),
            lambda: dict.fromkeys(torch.utils._pytree.SUPPORTED_NODES),
        ],
    ),
]


def tagged(tag):
    made = torch.ones(2, 3)
    made.tag = tag
    return made
