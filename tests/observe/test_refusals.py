"""What has no pure answer is refused, with the reason and the remedy; what a plug-in adds is observed."""

import collections
import contextlib

import pytest

from guardlang import GuardSet, L, Observer, Policy, UnsupportedGuard, observe, observes, register_observer
from guardlang.observe.registry import register_identity, rule_for


class Properties:
    @property
    def p(self):
        return 5

    @property
    def q(self):
        raise AttributeError

    def __len__(self):
        return 3


class Dynamic:
    def __getattr__(self, name):
        if name == "made":
            return 1
        raise AttributeError(name)


class Loud:
    def __getattribute__(self, name):
        raise RuntimeError


class Override(list):
    def __getitem__(self, key):
        raise RuntimeError

    __iter__ = __len__ = __contains__ = __bool__ = __getitem__


class Missing(dict):
    def __missing__(self, key):
        raise RuntimeError


class OwnGet(dict):
    def __getitem__(self, key):
        raise RuntimeError


class OwnEquality:
    def __eq__(self, other):
        raise RuntimeError

    __hash__ = object.__hash__


def handle(value, policy=None):
    return observe(value, L["x"], into=GuardSet(), policy=policy)


REFUSALS = [
    (lambda: handle(Properties()).p, r"'p' that is found only by Python code"),
    (lambda: handle(Properties()).has_attribute("q"), "whose code decides whether there is one"),
    (lambda: bool(handle(Properties())), "a truth that its __len__ decides"),
    (lambda: handle(Dynamic()).made, "has a __getattr__, which alone knows whether there is 'made'"),
    (lambda: handle(Loud()).a, "has a __getattribute__ in Python"),
    (lambda: handle(Override([1]))[0], "has its own __getitem__"),
    (lambda: list(handle(Override([1]))), "has its own __iter__"),
    (lambda: handle(Override([1])).length(), "has its own __len__"),
    (lambda: handle(Override([1])).contains(1), "has its own __contains__"),
    (lambda: bool(handle(Override([1]))), "has its own __bool__"),
    (lambda: handle(Missing())["k"], "has its own __missing__"),
    (lambda: handle(OwnGet(a=1))["a"], "has its own __getitem__"),
    (lambda: handle([1])["a"], "takes an int as index, not a str"),
    (lambda: handle([object()]).value, "holds objects that are no values"),
    (lambda: handle([1]).contains(handle(1)), "is searched for a value"),
    (lambda: handle([OwnEquality()]).contains(handle(OwnEquality())), "has its own __eq__"),
    (lambda: handle({"a": object()}).value, "holds objects that are no values"),
    (lambda: handle({})[object()], "a key that is no value"),
    (lambda: handle({})[handle(Properties())], "the object of a handle that is not among its keys"),
    (lambda: handle({}).contains(handle(Properties())), "an object that is not among its keys"),
    (lambda: handle({object()}).value, "has members that are no values"),
    (lambda: handle({Properties(): 1}.keys()), "shows keys that are no values"),
    (lambda: list(handle(i for i in (1,))), "cannot be iterated over without running its code"),
    (lambda: handle(iter("a")).length(), "has no length that can be read"),
    (lambda: handle(Properties())[0], "has no items that can be read"),
    (lambda: handle(Properties()).contains(1), "cannot be searched"),
    (lambda: handle(Properties()).keys(), "has no keys"),
    (lambda: handle(Properties()).value, "has no value, only an identity"),
    (lambda: handle(1).length(), "has no length"),
    (lambda: handle(1).contains(1), "has no items"),
    (lambda: handle(b"a")[0], "has no items that can be read one by one"),
    (lambda: handle(3, Policy(scalars="symbol")).value, "is a symbol"),
    (lambda: handle([].append).value, "is made anew at each read"),
    (lambda: handle(slice(1)).length(), "is no sequence"),
    (lambda: handle(1).fact("shape", 0), "is no tensor"),
    (lambda: setattr(handle([]), "a", 1), "a handle cannot be assigned to"),
]


@pytest.mark.parametrize(("ask", "why"), REFUSALS)
def test_refused(ask, why):
    with pytest.raises(UnsupportedGuard, match=why):
        ask()


@pytest.mark.parametrize(
    ("make", "ask", "error"),
    [
        (lambda: [1], lambda x: x[3], IndexError),
        (lambda: {"a": 1}, lambda x: x["z"], KeyError),
        (Exception, lambda x: x.missing, AttributeError),
        (lambda: int, lambda x: x.missing, AttributeError),
        (lambda: "ab", lambda x: x[7], IndexError),
        (lambda: range(3), lambda x: x[7], IndexError),
        (collections.OrderedDict, lambda x: x["z"], KeyError),
        (lambda: 3, lambda x: x.class_attribute("missing"), AttributeError),
    ],
)
def test_what_is_not_there_is_recorded_and_is_the_error_of_python(make, ask, error):
    value, guards = make(), GuardSet()
    with pytest.raises(error):
        ask(observe(value, L["x"], into=guards))
    assert guards.compile()({"x": value})


def test_equality_specialises_on_the_value():
    guards = GuardSet()
    x = observe({"mode": "train", "n": 1}, L["x"], into=guards)
    assert x["mode"] == "train"
    assert x["n"] != 2
    assert x["n"] != x["mode"]
    assert guards.compile()({"x": {"mode": "train", "n": 1}})
    assert not guards.compile()({"x": {"mode": "eval", "n": 1}})
    assert not guards.compile()({"x": {"mode": "train", "n": 2}})
    with pytest.raises(UnsupportedGuard, match="has no value, only an identity"):
        _ = handle(Properties()) == 3
    with pytest.raises(TypeError, match="unhashable"):
        {handle(1)}


def test_impure_reads_can_be_asked_for():
    guards, x = GuardSet(), Properties()
    assert observe(x, L["x"], into=guards, policy=Policy(impure="run")).p.value == 5
    assert "exact(getattr(L['x'], 'p'), 5)" in str(guards)
    assert guards.compile()({"x": x})


def test_observing_runs_no_code_of_the_value():
    for value in (Loud(), Override([1]), OwnGet(a=1), Missing(), OwnEquality(), Dynamic()):
        for policy in (Policy(), Policy(eager=True)):
            with contextlib.suppress(UnsupportedGuard):
                handle(value, policy)


def test_what_is_written_to_is_not_read_for_the_first_time():
    guards = GuardSet()
    x = observe({"a": [1], "b": [2]}, L["x"], into=guards)
    x["a"].pin()
    x.wrote()
    assert x["a"][0].value == 1
    with pytest.raises(UnsupportedGuard, match="after the program wrote to"):
        _ = x["b"]


class Grid:
    def __init__(self, rows):
        self.rows = rows


class Finer(Grid):
    pass


def test_rules_of_plug_ins():
    @observes(Grid)
    class OfGrids(Observer):
        def pin(self, at):
            at.add_type()
            self.attribute(at, "rows").specialise()

    guards = GuardSet()
    observe(Finer(3), L["g"], into=guards)
    assert [str(guard).split(" is ")[0] for guard in guards] == ["type(L['g'])", "exact(L['g'].rows, 3)"]
    assert isinstance(rule_for(Grid(1)), OfGrids)
    only = register_observer(Finer, lambda grid, at: [at.rows >= 2], derived=False)
    assert rule_for(Finer(1)) is only
    one = Finer(1)
    special = Observer()
    register_identity(one, special)
    assert rule_for(one) is special
    assert rule_for(Finer(2)) is only


def test_metadata_of_a_type():
    guards = GuardSet()
    observe(Grid(3), L["g"], into=guards, policy=Policy(metadata={Grid: ("rows",)}))
    made = guards.compile()
    assert made({"g": Grid(3)})
    assert not made({"g": Grid(4)})


def test_policies_of_children():
    guards = GuardSet()
    policy = Policy(eager=True, children={"lr": Policy(scalars="symbol")})
    observe({"lr": 3, "n": 3}, L["x"], into=guards, policy=policy)
    assert guards.compile()({"x": {"lr": 4, "n": 3}})
    assert not guards.compile()({"x": {"lr": 4, "n": 4}})


def test_names_of_local_classes_do_not_clash():
    def make():
        class Local:
            pass

        return Local

    guards = GuardSet()
    a, b = make()(), make()()
    observe(a, L["a"], into=guards)
    observe(b, L["b"], into=guards)
    assert [str(guard) for guard in guards][:2] == ["type(L['a']) is Local", "type(L['b']) is Local_2"]
    assert guards.compile()({"a": a, "b": b})
    assert not guards.compile()({"a": b, "b": a})


def test_names_that_the_set_has_are_used():
    guards = GuardSet(objects={"Mesh": Properties})
    observe(Properties(), L["g"], into=guards)
    assert str(guards) == "type(L['g']) is Mesh\n"
