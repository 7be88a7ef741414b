"""Torch beyond the rows: what is refused, what stands for something else, memory, and modules as trees."""

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402  # after the check that there is one

from guardlang import Binding, GuardSet, L, Policy, UnsupportedGuard, observe  # noqa: E402
from tests.observe.torch_rows import Net, Pair, edited, twice  # noqa: E402


def observed(value, policy=None):
    guards = GuardSet()
    return guards, observe(value, L["x"], into=guards, policy=policy)


def holds(guards, value, **more):
    frame = {"x": value, **more}
    found = guards.explain(frame)
    assert bool(found) is guards.compile()(frame), str(found)
    return bool(found)


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: torch.ones(2).to_sparse(), "a sparse tensor"),
        (lambda: torch.ones(2, 2).to_sparse_csr(), "a sparse tensor"),
        (lambda: torch.nested.nested_tensor([torch.ones(2)]), "a nested tensor"),
        (nn.parameter.UninitializedParameter, "uninitialised"),
        (lambda: nn.LazyLinear(3), "uninitialised"),
        (lambda: torch.jit.script(nn.Linear(2, 2)), "scripted"),
        (lambda: nn.Linear(2, 2).register_forward_hook(twice), "a handle of a hook"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_what_guards_cannot_speak_of_is_refused(make, what):
    with pytest.raises(UnsupportedGuard, match=what):
        observed(make())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_dual_tensor_is_refused():
    import torch.autograd.forward_ad as fwd

    with fwd.dual_level():
        observed(torch.ones(2))
        with pytest.raises(UnsupportedGuard, match="a dual tensor"):
            observed(fwd.make_dual(torch.ones(2), torch.ones(2)))


def test_a_fake_tensor_stands_for_a_real_one():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode() as mode:
        fake = mode.from_tensor(torch.ones(2, 3))
    guards, _ = observed(fake)
    assert holds(guards, torch.ones(2, 3))
    for other in (torch.ones(3, 2), torch.ones(2, 3, dtype=torch.int8), torch.ones(2, 3, requires_grad=True), None):
        assert not holds(guards, other)


def test_sizes_left_to_the_shapes():
    guards, _ = observed(torch.ones(2, 3), Policy(shapes="symbol"))
    assert holds(guards, torch.ones(5, 7))
    assert not holds(guards, torch.ones(5))


def test_strides_of_dimensions_without_choice_may_be_left_out():
    value, other = torch.ones(1, 3), torch.ones(3, 1).T
    assert value.stride() != other.stride()
    assert not holds(observed(value)[0], other)
    assert holds(observed(value, Policy(strides="relaxed"))[0], other)
    assert holds(observed(torch.ones(2, 3), Policy(strides="none"))[0], torch.ones(3, 2).T)


def test_chosen_facts_and_facts_that_are_read():
    guards, x = observed(torch.ones(2, 3), Policy(metadata={torch.Tensor: ("dtype",)}))
    assert [str(guard) for guard in guards] == ["type(L['x']) is torch.Tensor", "L['x'].dtype == torch.float32"]
    assert x.shape[0].value == 2
    assert len(x.shape) == 2
    assert x.fact("stride", -1).value == 1
    assert x.requires_grad.value is False
    assert x.device.value == torch.device("cpu")
    assert holds(guards, torch.ones(2, 5))
    for other in (torch.ones(3, 3), torch.ones(2, 3, 1), torch.ones(3, 2).T, torch.ones(2, 3, requires_grad=True)):
        assert not holds(guards, other)


def test_a_specialised_parameter_is_known_by_identity():
    weight = nn.Parameter(torch.ones(2))
    guards, _ = observed(weight, Policy(tensors="identity"))
    assert holds(guards, weight)
    assert not holds(guards, nn.Parameter(torch.ones(2)))


def test_parameters_are_told_apart():
    p, q = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))
    guards, _ = observed(p, Policy(alias="tensors"))
    observe(q, L["y"], into=guards, policy=Policy(alias="tensors"))
    observe([], L["z"], into=guards, policy=Policy(alias="tensors"))
    assert str(guards).splitlines()[-1] == "distinct(L['x'], L['y'])"
    assert holds(guards, p, y=q, z=[])
    assert not holds(guards, p, y=p, z=[])


def test_views_that_come_to_overlap():
    base = torch.ones(8)
    guards, x = observed(base[:4])
    observe(base[4:], L["y"], into=guards)
    assert holds(guards, base[:4], y=base[2:6])
    x.wrote()
    assert "overlapping(L['x'], L['y']) == ()" in str(guards)
    assert holds(guards, base[:4], y=base[4:])
    assert holds(guards, torch.ones(4), y=torch.ones(4))
    assert not holds(guards, base[:4], y=base[2:6])


def test_overlap_that_is_there_is_pinned_too():
    base = torch.ones(8)
    guards, _ = observed(base[:4])
    observe(base[2:6], L["y"], into=guards)
    observe(torch.ones(4), L["z"], into=guards).wrote()
    assert holds(guards, base[:4], y=base[2:6], z=torch.ones(4))
    assert not holds(guards, base[:4], y=torch.ones(4), z=torch.ones(4))


def test_memory_of_three_hundred_tensors():
    base = torch.ones(300)
    guards = GuardSet()
    frame = {f"t{i}": base[i : i + 1] for i in range(300)}
    for name, tensor in frame.items():
        observe(tensor, L[name], into=guards, policy=Policy(overlap="all", metadata={torch.Tensor: ()}))
    assert len(guards) == 302
    check = guards.compile()
    assert check(frame)
    assert not check({**frame, "t7": base[8:9]})
    assert not check({**frame, "t7": frame["t8"]})


def test_a_hook_added_to_a_submodule_is_noticed_by_eager_observation():
    guards, _ = observed(Net(), Policy(eager=True))
    assert holds(guards, Net())
    assert not holds(guards, edited(lambda m: m.lin.register_forward_hook(twice)))
    handle = nn.modules.module.register_module_forward_hook(twice)
    try:
        assert not holds(guards, Net())
    finally:
        handle.remove()
    without, _ = observed(Net(), Policy(eager=True, hooks=False))
    assert holds(without, edited(lambda m: m.lin.register_forward_hook(twice)))


def test_shared_submodules():
    shared = nn.Linear(1, 1)
    guards, _ = observed(nn.Sequential(shared, shared), Policy(eager=True))
    assert holds(guards, nn.Sequential(shared, shared))
    assert not holds(guards, nn.Sequential(nn.Linear(1, 1), nn.Linear(1, 1)))


def test_a_module_with_its_own_getattr_is_refused():
    class Proxy(nn.Linear):
        def __getattr__(self, name):
            return super().__getattr__(name)

    _, m = observed(Proxy(1, 1))
    with pytest.raises(UnsupportedGuard, match="__getattr__ of its own"):
        _ = m.weight


def test_an_optimizer_and_what_it_holds():
    weight = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    guards, x = observed(optimizer)
    assert x.param_groups[0]["lr"].value == 0.1
    assert holds(guards, optimizer)
    optimizer.param_groups[0]["lr"] = 0.2
    assert not holds(guards, optimizer)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_compiled_module():
    model = nn.Linear(1, 1)
    compiled = torch.compile(model)
    guards, _ = observed(compiled)
    assert any("_orig_mod" in str(guard) for guard in guards)
    assert holds(guards, compiled)


def test_bindings_keep_facts_and_no_tensor():
    import gc
    import weakref

    pair = Pair(torch.ones(2), torch.ones(3))
    binding = Binding.of(pair, L["x"], placeholder="arg0")
    alive = weakref.ref(pair)
    del pair
    gc.collect()
    assert alive() is None
    assert binding.inner["b"].facts["shape"] == (3,)
    assert str(binding.inner["b"].symbol("shape", 0)) == "L['x'].b.shape[0]"
    assert binding.facts["dtype"] is torch.float32
    flat = Binding.of(torch.ones(2, 3), L["t"])
    assert flat.facts["stride"] == (3, 1)
    assert [str(flat.symbol(*fact)) for fact in (("stride", 1), ("storage_offset",))] == [
        "L['t'].stride(1)",
        "L['t'].storage_offset()",
    ]


def test_inner_tensors_have_policies_of_their_own():
    policy = Policy(children={"b": Policy(shapes="symbol")})
    guards, _ = observed(Pair(torch.ones(2), torch.ones(3)), policy)
    assert holds(guards, Pair(torch.ones(2), torch.ones(5)))
    assert not holds(guards, Pair(torch.ones(4), torch.ones(3)))


def test_symbols_are_never_constants():
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    guards, n = observed(ShapeEnv().create_unbacked_symint())
    assert len(guards) == 0
    with pytest.raises(UnsupportedGuard, match="is a symbol"):
        _ = n.value


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_distributed_tensor():
    from torch.distributed.tensor import DTensor, Replicate, Shard
    from torch.testing._internal.distributed.fake_pg import FakeStore

    torch.distributed.init_process_group("fake", store=FakeStore(), rank=0, world_size=2)
    try:
        mesh = torch.distributed.device_mesh.init_device_mesh("cpu", (2,))
        make = lambda placement, size=4: DTensor.from_local(torch.ones(size), mesh, [placement], run_check=False)  # noqa: E731
        guards, _ = observed(make(Shard(0)))
        assert holds(guards, make(Shard(0)))
        for other in (make(Replicate()), make(Shard(0), 3), torch.ones(4)):
            assert not holds(guards, other)
    finally:
        torch.distributed.destroy_process_group()
