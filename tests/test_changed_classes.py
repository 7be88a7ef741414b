"""Classes and objects that change after a check was compiled: the check still says what the interpreter says."""

import types

import pytest

from guardlang import GuardSet, evaluate
from guardlang.codegen import backend_names

BACKENDS = [name for name in backend_names() if name != "reference"]
TEXTS = ["type(L['x']) is T", "L['x'].u == 1", "L['x'].v == 2", "hasattr(L['x'], 'w') or L['x'].u == 1", "'u' in L['x'].__dict__"]


class Base:
    pass


def fresh():
    """Return a class, an object of it, and checks of the object on every backend."""
    cls = type("T", (Base,), {})
    x = cls()
    x.u, x.v = 1, 2
    guards = GuardSet(objects={"T": cls})
    for text in TEXTS:
        guards.add(text)
    return cls, x, guards, {name: guards.compile(name) for name in BACKENDS}


def say_the_same(guards, checks, x):
    expected = all(bool(evaluate(expr, {"x": x})) for expr in guards.exprs)
    assert {name: check({"x": x}) for name, check in checks.items()} == dict.fromkeys(checks, expected)
    assert bool(guards.explain({"x": x})) is expected
    return expected


class Moved(dict):
    def __missing__(self, key):
        raise AssertionError

    def __contains__(self, key):
        raise AssertionError

    def __getitem__(self, key):
        raise AssertionError


def never(*args):
    raise AssertionError


def add_property(cls, x):
    cls.u = property(never)


def add_property_to_base(cls, x):
    Base.u = property(never)


def add_getattr(cls, x):
    cls.__getattr__ = never


def add_getattribute(cls, x):
    cls.__getattribute__ = never


def add_class_attribute(cls, x):
    cls.u = 5


def add_method(cls, x):
    cls.u = never


def add_data_descriptor(cls, x):
    cls.u = type("Descriptor", (), {"__get__": never, "__set__": never})()


def change_bases(cls, x):
    cls.__bases__ = (type("Other", (Base,), {"u": property(never)}),)


def delete_instance_attribute(cls, x):
    del x.u


def replace_dict(cls, x):
    x.__dict__ = Moved(u=1, v=2)


def replace_dict_with_less(cls, x):
    x.__dict__ = Moved(v=2)


def change_class(cls, x):
    x.__class__ = type("T", (Base,), {})


CHANGES = [
    (add_property, False),
    (add_property_to_base, False),
    (add_getattr, True),
    (add_getattribute, None),
    (add_class_attribute, True),
    (add_method, True),
    (add_data_descriptor, False),
    (change_bases, False),
    (delete_instance_attribute, False),
    (replace_dict, True),
    (replace_dict_with_less, False),
    (change_class, False),
]


@pytest.fixture(autouse=True)
def _base_as_it_was():
    yield
    if "u" in Base.__dict__:
        del Base.u


@pytest.mark.parametrize(("change", "expected"), CHANGES, ids=lambda part: getattr(part, "__name__", ""))
def test_change_after_compile(change, expected):
    cls, x, guards, checks = fresh()
    assert say_the_same(guards, checks, x) is True
    change(cls, x)
    said = say_the_same(guards, checks, x)
    assert expected is None or said is expected
    if change not in (add_property_to_base, change_class):
        # Compiled now, with the class as it is.
        again = {name: guards.compile(name) for name in BACKENDS}
        assert say_the_same(guards, again, x) is said


def test_slot_removed_and_replaced():
    cls = type("T", (), {"__slots__": ("u",)})
    x = cls()
    x.u = 1
    guards = GuardSet(objects={"T": cls})
    guards.add("type(L['x']) is T")
    guards.add("L['x'].u == 1")
    checks = {name: guards.compile(name) for name in BACKENDS}
    assert say_the_same(guards, checks, x) is True
    slot = cls.__dict__["u"]
    del cls.u
    assert say_the_same(guards, checks, x) is False
    cls.u = property(never)
    assert say_the_same(guards, checks, x) is False
    cls.u = 1
    assert say_the_same(guards, checks, x) is True
    cls.u = slot
    assert say_the_same(guards, checks, x) is True
    x.u = 2
    assert say_the_same(guards, checks, x) is False


def test_a_base_that_gains_what_it_hides():
    cls = type("T", (Base,), {"k": 3})
    guards = GuardSet(objects={"T": cls})
    guards.add("type(L['x']) is T")
    guards.add("L['x'].k == 3")
    guards.add("type(L['x']).k == 3")
    checks = {name: guards.compile(name) for name in BACKENDS}
    x = cls()
    assert say_the_same(guards, checks, x) is True
    cls.k = 4
    assert say_the_same(guards, checks, x) is False
    cls.k = 3
    x.k = 5
    assert say_the_same(guards, checks, x) is False


def test_module_attributes():
    module = types.ModuleType("example")
    module.n = 1
    guards = GuardSet(objects={"Module": types.ModuleType})
    guards.add("type(L['x']) is Module")
    guards.add("L['x'].n == 1")
    checks = {name: guards.compile(name) for name in BACKENDS}
    assert say_the_same(guards, checks, module) is True
    module.__getattr__ = never
    assert say_the_same(guards, checks, module) is True
    del module.n
    assert say_the_same(guards, checks, module) is False
