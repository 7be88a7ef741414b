"""Facts of torch's tensors: no `__torch_function__`, no `__torch_dispatch__`, no mode, no warning."""

import gc
from typing import ClassVar

import pytest

torch = pytest.importorskip("torch")

from torch.overrides import TorchFunctionMode  # noqa: E402  # after it is known to be there
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

from guardlang.adapters import TensorAdapter, adapter_for, overlapping, register_tensor_adapter  # noqa: E402
from guardlang.reading import has_attribute, read_attribute, tensor_property  # noqa: E402
from guardlang.values import (  # noqa: E402
    Undefined,
    constructor_of,
    equal,
    exact,
    is_value,
    value_type_of,
)

FACTS = (
    "shape",
    "ndim",
    "dtype",
    "device",
    "layout",
    "requires_grad",
    "grad",
    "is_leaf",
    "grad_fn",
    "_version",
    "is_cuda",
)


def cause(function, *args):
    with pytest.raises(Undefined) as caught:
        function(*args)
    return caught.value.cause


def keys(x):
    return adapter_for(type(x)).dispatch_keys(x)


class Counting(torch.Tensor):
    """Counts what `__torch_function__` is asked."""

    seen: ClassVar[list] = []

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.seen.append(func)
        return super().__torch_function__(func, types, args, kwargs or {})


class Wrapper(torch.Tensor):
    """Counts what `__torch_dispatch__` is asked; the policy says for which facts."""

    seen: ClassVar[list] = []

    @staticmethod
    def __new__(cls, inner, **policy):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype, **policy)

    def __init__(self, inner, **policy):
        self.inner = inner

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        cls.seen.append(func)
        if func is torch.ops.prim.device.default:
            return torch.device("cpu")
        if func is torch.ops.prim.layout.default:
            return torch.strided
        return func(*[x.inner if isinstance(x, Wrapper) else x for x in args], **(kwargs or {}))


@pytest.fixture(autouse=True)
def _fresh():
    Counting.seen.clear()
    Wrapper.seen.clear()


def test_facts_of_a_plain_tensor():
    x = torch.ones(2, 3, 4)[:, 1:, ::2]
    assert read_attribute(x, "shape") == (2, 2, 2)
    assert type(read_attribute(x, "shape")) is tuple
    assert [tensor_property(x, "shape", i) for i in (0, 1, 2, -1)] == [2, 2, 2, 2]
    assert [tensor_property(x, "stride", i) for i in (0, 1, 2, -3)] == [12, 4, 2, 12]
    assert tensor_property(x, "storage_offset") == 4
    assert tensor_property(x, "is_contiguous") is False
    assert tensor_property(x, "data_ptr") == x.data_ptr()
    assert read_attribute(x, "ndim") == 3
    assert read_attribute(x, "dtype") is torch.float32
    assert read_attribute(x, "device") == torch.device("cpu")
    assert read_attribute(x, "layout") is torch.strided
    assert read_attribute(x, "requires_grad") is False
    assert read_attribute(x, "is_leaf") is True
    assert read_attribute(x, "_base") is x._base


@pytest.mark.parametrize(
    ("prop", "index", "words"),
    [
        ("shape", 2, "has 2 dimensions"),
        ("shape", -3, "has 2 dimensions"),
        ("stride", 2, "has 2 dimensions"),
        ("shape", True, "a dimension is an int"),
        ("shape", "a", "a dimension is an int"),
    ],
)
def test_dimensions_that_are_undefined(prop, index, words):
    assert words in cause(tensor_property, torch.ones(2, 3), prop, index)


def test_what_is_no_tensor():
    class Table:
        shape = (5,)

    for prop in ("stride", "storage_offset", "data_ptr", "is_contiguous"):
        assert "is not a tensor, but a list" in cause(tensor_property, [1], prop, 0)
    assert "has no attribute 'shape'" in cause(tensor_property, [1], "shape", 0)
    assert tensor_property(Table(), "shape", 0) == 5
    assert "has 1 dimension" in cause(tensor_property, torch.ones(1), "shape", 1)


@pytest.mark.parametrize(
    "name", [name for name, entry in torch._C.TensorBase.__dict__.items() if type(entry).__name__ == "getset_descriptor"]
)
def test_each_getter_gives_what_torch_gives_or_is_undefined(name):
    x = torch.ones(2, 2, dtype=torch.complex64)
    if not has_attribute(x, name):
        assert "each read makes a new tensor" in cause(read_attribute, x, name)
        return
    got = read_attribute(x, name)
    expected = getattr(x, name)
    assert got is expected or got == expected
    assert not isinstance(got, torch.Tensor)


@pytest.mark.parametrize("name", ["T", "mT", "H", "data", "real", "imag"])
def test_getters_that_make_tensors_are_undefined(name):
    assert "each read makes a new tensor" in cause(read_attribute, torch.ones(2, 2, dtype=torch.complex64), name)


def test_methods_are_undefined():
    assert "write type(x).sum" in cause(read_attribute, torch.ones(2), "sum")


def test_marks_and_own_attributes_are_read_plainly():
    x = torch.ones(2)
    assert not has_attribute(x, "_dynamo_dynamic_indices")
    x._dynamo_dynamic_indices = {0}
    assert read_attribute(x, "_dynamo_dynamic_indices") == {0}
    assert read_attribute(x, "__dict__") == {"_dynamo_dynamic_indices": {0}}


def test_the_gradient_of_a_tensor_that_keeps_none_is_none_without_a_warning():
    leaf = torch.ones(2, requires_grad=True)
    inner = leaf * 2
    kept = leaf * 3
    kept.retain_grad()
    (inner + kept).sum().backward()
    assert read_attribute(inner, "grad") is None
    assert read_attribute(leaf, "grad") is leaf.grad
    assert read_attribute(kept, "grad") is kept.grad
    assert read_attribute(inner, "grad_fn") is inner.grad_fn


def test_requires_grad_is_not_masked_by_the_grad_mode():
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        assert read_attribute(x, "requires_grad") is True


def test_a_parameter_is_a_tensor():
    p = torch.nn.Parameter(torch.ones(2, 3))
    assert read_attribute(p, "shape") == (2, 3)
    assert read_attribute(p, "requires_grad") is True


@pytest.mark.parametrize("name", FACTS)
def test_a_torch_function_is_not_asked(name):
    x = torch.ones(4, 3).as_subclass(Counting)
    Counting.seen.clear()
    got = read_attribute(x, name)
    assert Counting.seen == []
    assert got == getattr(torch.ones(4, 3), name)


def test_a_torch_function_is_not_asked_for_the_other_facts():
    x = torch.ones(4, 3).as_subclass(Counting)
    Counting.seen.clear()
    assert tensor_property(x, "shape", 1) == 3
    assert tensor_property(x, "stride", 0) == 3
    assert tensor_property(x, "storage_offset") == 0
    assert tensor_property(x, "is_contiguous") is True
    assert tensor_property(x, "data_ptr") != 0
    assert keys(x) == keys(torch.ones(4, 3))
    assert overlapping([x, x]) == (frozenset({0, 1}),)
    assert not has_attribute(x, "absent")
    assert Counting.seen == []


def test_modes_are_not_asked():
    seen = []

    class FunctionMode(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(func)
            return func(*args, **(kwargs or {}))

    class DispatchMode(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(func)
            return func(*args, **(kwargs or {}))

    x, y = torch.ones(4, 3), torch.ones(4, 3).as_subclass(Counting)
    with FunctionMode(), DispatchMode():
        seen.clear()
        for tensor in (x, y):
            for name in FACTS:
                read_attribute(tensor, name)
            for prop in ("storage_offset", "is_contiguous", "data_ptr"):
                tensor_property(tensor, prop)
            tensor_property(tensor, "stride", 0)
            keys(tensor)
            overlapping([tensor, tensor])
        asked = list(seen)
    assert asked == []


@pytest.mark.parametrize(
    "policy",
    [{}, {"dispatch_sizes_strides_policy": "sizes"}, {"dispatch_sizes_strides_policy": "strides"}],
    ids=["none", "sizes", "strides"],
)
def test_the_sizes_of_a_wrapper_are_undefined_and_its_class_is_not_asked(policy):
    x = Wrapper(torch.ones(2, 3), **policy)
    Wrapper.seen.clear()
    for name in ("shape", "ndim"):
        assert "it needs an adapter of its own" in cause(read_attribute, x, name)
    for prop in ("shape", "stride"):
        assert "it needs an adapter of its own" in cause(tensor_property, x, prop, 0)
    for prop in ("storage_offset", "data_ptr", "is_contiguous"):
        assert "it needs an adapter of its own" in cause(tensor_property, x, prop)
    assert "has operand 0 that has a memory" in cause(overlapping, [x])
    assert read_attribute(x, "dtype") is torch.float32
    assert read_attribute(x, "device") == torch.device("cpu")
    assert read_attribute(x, "layout") is torch.strided
    assert read_attribute(x, "requires_grad") is False
    assert read_attribute(x, "inner").shape == (2, 3)
    assert "Python" not in keys(x)
    assert "PythonTLSSnapshot" not in keys(x)
    for name in torch._C.TensorBase.__dict__:
        has_attribute(x, name)
    assert Wrapper.seen == []


def test_a_device_or_layout_that_a_wrapper_answers_itself_is_undefined():
    x = Wrapper(torch.ones(2), dispatch_device=True)
    y = Wrapper(torch.ones(2), dispatch_layout=True)
    Wrapper.seen.clear()
    assert "has a device that its class Wrapper answers by Python code" in cause(read_attribute, x, "device")
    assert "has a is_cuda that its class" in cause(read_attribute, x, "is_cuda")
    assert "has a layout that its class Wrapper answers by Python code" in cause(read_attribute, y, "layout")
    assert read_attribute(x, "layout") is torch.strided
    assert Wrapper.seen == []
    assert torch._C._len_torch_dispatch_stack() == 0


def test_an_adapter_of_its_own_reads_a_wrapper():
    class Own(Wrapper):
        pass

    class OwnAdapter(TensorAdapter):
        def shape(self, x):
            return tuple(x.__dict__["inner"].shape)

    adapter = register_tensor_adapter(Own, OwnAdapter())
    x = Own(torch.ones(2, 3), dispatch_sizes_strides_policy="sizes")
    Wrapper.seen.clear()
    assert adapter_for(type("Derived", (Own,), {})) is adapter
    assert tensor_property(x, "shape", 1) == 3
    assert read_attribute(x, "ndim") == 2
    assert "has no strides" in cause(tensor_property, x, "stride", 0)
    assert "has no dtype" in cause(read_attribute, x, "dtype")
    assert Wrapper.seen == []


def test_symbolic_sizes_are_undefined():
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    mode = FakeTensorMode(shape_env=ShapeEnv())
    x = mode.from_tensor(torch.ones(3, 4))
    assert "it needs an adapter of its own" in cause(read_attribute, x, "shape")
    size = torch.Size(x.shape)
    assert not is_value(size)


def test_tensors_without_memory():
    meta, sparse = torch.ones(2, 3, device="meta"), torch.ones(2, 3).to_sparse()
    assert tensor_property(meta, "shape", 1) == 3
    assert tensor_property(meta, "stride", 0) == 3
    assert "has no memory, so no address" in cause(tensor_property, meta, "data_ptr")
    assert tensor_property(sparse, "shape", 1) == 3
    assert read_attribute(sparse, "layout") is torch.sparse_coo
    assert "has no strides: its layout is torch.sparse_coo" in cause(tensor_property, sparse, "stride", 0)
    assert "has no storage offset: its layout is" in cause(tensor_property, sparse, "storage_offset")
    assert "has no memory layout: its layout is" in cause(tensor_property, sparse, "is_contiguous")
    assert "has no memory, so no address" in cause(tensor_property, sparse, "data_ptr")
    for x in (meta, sparse):
        assert "has operand 1 that has no memory that can be compared" in cause(overlapping, [torch.ones(1), x])
    assert "has operand 0 that is not a tensor" in cause(overlapping, [[1]])


BASE, OTHER = torch.arange(12.0), torch.arange(12.0)


@pytest.mark.parametrize(
    ("tensors", "groups"),
    [
        ([BASE[0:6], BASE[4:8]], [{0, 1}]),
        ([BASE[0:6], BASE[6:8]], []),
        ([BASE, BASE], [{0, 1}]),
        ([BASE[0:6], OTHER[4:8]], []),
        ([BASE[0:4], OTHER, BASE[3:7], BASE[6:9], OTHER[1:2], BASE[9:]], [{0, 2, 3}, {1, 4}]),
        ([BASE[8:], OTHER, BASE[:2], OTHER, BASE[1:9]], [{0, 2, 4}, {1, 3}]),
        ([BASE[::2], BASE[1::2]], [{0, 1}]),
        ([BASE.view(3, 4)[1], BASE.view(3, 4)[:, 0]], [{0, 1}]),
        ([BASE[3:3], BASE[3:3], BASE], []),
        ([BASE[3:4].expand(5), BASE[3:4], BASE[4:5]], [{0, 1}]),
        ([BASE.view(torch.int32)[3:5], BASE[4:5]], [{0, 1}]),
        ([BASE.view(torch.uint8)[15:17], BASE[3:4], BASE[4:5], BASE[5:6]], [{0, 1, 2}]),
        ([torch.tensor(1.0)], []),
        ([], []),
    ],
)
def test_groups_that_share_memory(tensors, groups):
    assert overlapping(tensors) == tuple(frozenset(group) for group in groups)


def test_dispatch_keys_in_effect():
    plain = frozenset({"ADInplaceOrView", "AutogradCPU", "BackendSelect", "CPU"})
    x = torch.ones(2)
    assert keys(x) == plain
    with torch.inference_mode():
        inside = torch.ones(2)
        assert keys(x) != plain
    assert keys(inside) == plain - {"AutogradCPU"}
    assert "Conjugate" in keys(torch.ones(2, dtype=torch.complex64).conj())
    assert "Meta" in keys(torch.ones(2, device="meta"))
    assert "SparseCPU" in keys(torch.ones(2).to_sparse())
    with torch.autocast("cpu"):
        assert "AutocastCPU" in keys(x)
    assert keys(x) == plain


def test_value_types():
    for name in ("cpu", "cuda", "cuda:1", "meta"):
        device = torch.device(name)
        record = value_type_of(torch.device)
        assert exact(record.construct(*record.arguments(device)), device)
        assert is_value(device)
    assert equal(torch.device("cuda:0"), torch.device("cuda", 0))
    assert not equal(torch.device("cpu"), torch.device("cpu", 0))
    assert not equal(torch.device("cpu"), torch.device("meta"))
    assert not equal(torch.device("cpu"), "cpu")
    assert equal(torch.float32, torch.float)
    assert not equal(torch.float32, torch.float64)
    assert not equal(torch.strided, torch.sparse_coo)
    assert not equal(torch.contiguous_format, torch.channels_last)
    assert equal(torch.Size([2, 3]), (2, 3))
    assert not equal(torch.Size([2, 3]), [2, 3])
    assert not exact(torch.Size([2, 3]), (2, 3))
    assert constructor_of("torch.device").type is torch.device
    record = constructor_of("torch.Size")
    assert record.construct(*record.arguments(torch.Size([2]))) == torch.Size([2])


def test_copy_on_write_memory():
    from guardlang.functions import lookup

    is_cow = lookup("is_cow")
    x = torch.ones(2)
    assert is_cow(x) is False
    assert is_cow(torch._lazy_clone(x)) is True
    assert "is not a tensor, but a list" in cause(is_cow, [])
    assert "adapter of its own" in cause(is_cow, Wrapper(x))


def test_reading_leaves_no_reference():
    x = torch.ones(2, 3)
    before = len(gc.get_referrers(x))
    for name in FACTS:
        read_attribute(x, name)
    overlapping([x])
    assert len(gc.get_referrers(x)) == before
