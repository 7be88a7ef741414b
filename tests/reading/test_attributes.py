"""`x.a` finds what Python's own lookup finds, as far as no code of the object's type runs."""

import abc
import collections
import dataclasses
import enum
import functools
import io
import operator
import sys
import types
import typing

import pytest

from guardlang.reading import has_attribute, read_attribute
from guardlang.values import Undefined


def cause(x, name):
    with pytest.raises(Undefined) as caught:
        read_attribute(x, name)
    return caught.value.cause


class Base:
    kind = "base"
    shadowed = "class"

    def method(self):
        return 1

    @staticmethod
    def helper():
        return 2

    @classmethod
    def build(cls):
        return cls()

    @property
    def area(self):
        raise ZeroDivisionError

    @functools.cached_property
    def total(self):
        raise ZeroDivisionError

    @functools.cache  # noqa: B019  # the class is the subject
    def cached(self):
        raise ZeroDivisionError


class Derived(Base):
    kind = "derived"


class Slots:
    __slots__ = ("empty", "full")

    def __init__(self):
        self.full = 1


class Point(typing.NamedTuple):
    x: int
    y: int


def made(**values):
    x = Derived()
    x.__dict__.update(values)
    return x


def closure(v):
    return lambda: v


METHOD = made().method
FUNCTION = closure(3)
PARTIAL = functools.partial(max, 1, key=len)
CACHED = functools.lru_cache(FUNCTION)


@pytest.mark.parametrize(
    ("x", "name"),
    [
        (made(a=1), "a"),
        (made(a=1), "kind"),
        (made(shadowed="own"), "shadowed"),
        (made(method="own"), "method"),
        (made(total=4), "total"),
        (made(cached=5), "cached"),
        (made(), "helper"),
        (made(), "__dict__"),
        (made(), "__class__"),
        (made(), "__module__"),
        (made(), "__weakref__"),
        (Slots(), "full"),
        (Point(1, 2), "y"),
        (METHOD, "__func__"),
        (METHOD, "__self__"),
        (FUNCTION, "__code__"),
        (FUNCTION, "__closure__"),
        (FUNCTION, "__defaults__"),
        (FUNCTION, "__kwdefaults__"),
        (FUNCTION, "__globals__"),
        (FUNCTION, "__name__"),
        (FUNCTION, "__dict__"),
        (FUNCTION.__closure__[0], "cell_contents"),
        (PARTIAL, "func"),
        (PARTIAL, "args"),
        (PARTIAL, "keywords"),
        (CACHED, "__wrapped__"),
        ({}.keys(), "mapping"),
        (collections.OrderedDict().keys(), "mapping"),
        ([].append, "__self__"),
        (range(1, 5, 2), "step"),
        (slice(1, 2), "stop"),
        (3 + 4j, "imag"),
        (True, "real"),
        (ValueError(1, 2), "args"),
        (sys, "path"),
        (types.SimpleNamespace(a=1), "a"),
        (collections.deque(maxlen=3), "maxlen"),
        (collections.defaultdict(list), "default_factory"),
        (list[int], "__origin__"),
        (property(len), "fget"),
        (staticmethod(len), "__func__"),
        (Derived, "kind"),
        (Derived, "method"),
        (Derived, "helper"),
        (Derived, "area"),
        (Derived, "total"),
        (Derived, "cached"),
        (Derived, "__mro__"),
        (Derived, "__dict__"),
        (Derived, "__name__"),
        (Derived, "__bases__"),
        (Derived, "__qualname__"),
        (Derived, "__module__"),
        (Derived, "__doc__"),
        (Derived, "__class__"),
        (Point, "_fields"),
        (Point, "x"),
        (Slots, "full"),
        (int, "bit_length"),
        (int, "__doc__"),
        (int, "real"),
        (type, "__mro__"),
        (type, "__doc__"),
        (enum.Enum, "__members__"),
        (functools.partial, "__doc__"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_python_finds_is_found(x, name):
    expected = getattr(x, name, None)
    if (x, name) == (enum.Enum, "__members__"):
        assert "property" in cause(x, name)
        return
    got = read_attribute(x, name)
    assert got is expected or (type(got) is type(expected) and got == expected)
    assert has_attribute(x, name)


@pytest.mark.parametrize(
    ("x", "name", "words"),
    [
        (made(), "nothing", "has no attribute 'nothing'"),
        (3, "shape", "has no attribute 'shape'"),
        (Derived, "nothing", "has no attribute 'nothing'"),
        (made(), "method", "write type(x).method"),
        (made(), "build", "write type(x).build"),
        (Derived, "build", "write x.__dict__['build']"),
        (dict, "fromkeys", "write x.__dict__['fromkeys']"),
        (made(), "cached", "write type(x).cached"),
        ([], "append", "write type(x).append"),
        ([], "__len__", "write type(x).__len__"),
        (Derived, "mro", "write type(x).mro"),
        (made(), "area", "only through a property: Python code would run"),
        (made(total_=1), "total", "only through a cached_property: Python code would run"),
        (Slots(), "empty", "has no value in its attribute 'empty'"),
        (types.CellType(), "cell_contents", "is an empty cell"),
        (METHOD, "__code__", "has no attribute '__code__'"),
        (METHOD, "__doc__", "it asks the function"),
        (FUNCTION, "__annotations__", "made when it is first asked for"),
        (sys, "__annotations__", "made when it is first asked for"),
        (Slots, "__annotations__", "made when it is first asked for"),
        (property(len), "__isabstractmethod__", "it asks the function"),
        (list[int], "__parameters__", "it asks the arguments"),
        (sys._getframe(), "f_locals", "it copies the variables"),
        (Slots.__dict__["full"], "__qualname__", "it asks the metaclass"),
        (io.BytesIO(), "closed", None),
        (io.TextIOWrapper(io.BytesIO()), "closed", "it asks the stream"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_is_undefined_says_why(x, name, words):
    if words is None:
        assert read_attribute(x, name) is False
        return
    assert words in cause(x, name)
    assert not has_attribute(x, name)


def test_nothing_is_stored_by_reading():
    x = made()
    for name in ("total", "area", "nothing", "__annotations__"):
        has_attribute(x, name)
        has_attribute(Slots, name)
    assert x.__dict__ == {}
    assert "__annotations__" not in Slots.__dict__


def test_annotations_that_are_there_are_read():
    @dataclasses.dataclass
    class Data:
        n: int = 0

    if sys.version_info < (3, 14):
        assert read_attribute(Data, "__annotations__") == {"n": "int" if isinstance(Data.__annotations__["n"], str) else int}
    assert read_attribute(Data(), "__dataclass_fields__") is Data.__dataclass_fields__
    assert read_attribute(Data(2), "n") == 2


def test_no_hook_of_a_hostile_instance_is_reached(hostile):
    cls, reached = hostile(hashable=False, kind="class")
    x = object.__new__(cls)
    object.__setattr__(x, "own", 1)
    assert read_attribute(x, "own") == 1
    assert read_attribute(x, "kind") == "class"
    assert read_attribute(x, "__dict__") == {"own": 1}
    for name in ("absent", "__class__", "keys", "__len__"):
        assert not has_attribute(x, name)
    assert reached == []


@pytest.mark.parametrize("base", [list, tuple, dict, set, str, bytes, int, float, Exception, types.ModuleType])
def test_no_hook_of_a_hostile_class_derived_from_a_builtin_is_reached(base, hostile):
    cls, reached = hostile(base, hashable=False)
    x = base.__new__(cls, "m") if base is types.ModuleType else base.__new__(cls)
    for name in ("absent", "__class__", "__len__", "__doc__"):
        has_attribute(x, name)
    assert reached == []


def test_no_hook_of_a_hostile_metaclass_is_reached(hostile_meta):
    meta, reached, arm = hostile_meta()
    cls = meta("C", (), {"kind": "class", "method": lambda self: 1})
    x = cls()
    x.own = 1
    arm()
    assert read_attribute(x, "own") == 1
    assert read_attribute(x, "kind") == "class"
    assert read_attribute(cls, "kind") == "class"
    assert read_attribute(cls, "__mro__")[1] is object
    assert read_attribute(cls, "__dict__")["kind"] == "class"
    assert read_attribute(cls, "__doc__") is None
    assert not has_attribute(x, "method")
    assert not has_attribute(cls, "absent")
    assert reached == []


def test_descriptors_in_python_do_not_run():
    ran = []

    class Getter:
        def __get__(self, x, cls):
            ran.append("get")
            return 1

    class Both(Getter):
        def __set__(self, x, value):
            ran.append("set")

    class Setter:
        def __set__(self, x, value):
            ran.append("set")

    class C:
        getter, both, setter = Getter(), Both(), Setter()
        __doc__ = Getter()

    x = C()
    x.__dict__.update(getter="own", both="own", setter="own")
    assert read_attribute(x, "getter") == "own"
    assert read_attribute(x, "setter") == "own" == x.setter
    assert "Python code would run" in cause(x, "both")
    assert "Python code would run" in cause(C, "getter")
    assert "Python code would run" in cause(C, "__doc__")
    assert read_attribute(C, "setter") is C.__dict__["setter"]
    assert ran == []


def test_data_descriptors_go_before_the_instance_dict():
    x = Slots.__new__(type("Open", (Slots,), {}))
    x.full = 1
    x.__dict__["full"] = 2
    assert read_attribute(x, "full") == 1 == x.full
    y = made(area=5)
    assert "property" in cause(y, "area")


def test_a_class_that_hides_the_dict_of_its_instances_is_read_as_python_does_or_not_at_all():
    class Hidden:
        __dict__ = property(lambda self: {"method": "lie"})

        def method(self):
            return 1

        @staticmethod
        def helper():
            return 1

    x = Hidden()
    object.__setattr__(x, "method", "own")
    object.__setattr__(x, "helper", "own")
    assert read_attribute(x, "helper") == "own"
    assert "as a method" in cause(x, "method")
    assert "Python code would run" in cause(x, "__dict__")


def test_an_instance_dict_of_a_derived_class_is_read_as_a_dict(hostile):
    cls, reached = hostile(dict)
    space = cls()
    dict.__setitem__(space, "method", "own")
    x = Derived()
    x.__dict__ = space
    assert read_attribute(x, "method") == "own"
    assert "only through a property" in cause(x, "area")
    assert reached == []


def test_a_class_derived_from_property_without_a_get_of_its_own_is_a_property():
    class Named(property):
        pass

    class Own(property):
        def __get__(self, x, cls=None):
            raise ZeroDivisionError

    class C:
        named, own = Named(len), Own(len)

    assert read_attribute(C, "named") is C.__dict__["named"]
    assert "Python code would run" in cause(C, "own")
    assert "Python code would run" in cause(C(), "named")


def test_abstract_static_methods_are_static_methods():
    class C(abc.ABC):
        @staticmethod
        @abc.abstractmethod
        def helper():
            return 1

    assert read_attribute(C, "helper") is C.helper


def test_a_getter_of_another_type_in_a_class_is_undefined_and_raises_nothing():
    class C:
        step = range.__dict__["step"]

    assert "TypeError while it was looked up" in cause(C(), "step")


def test_the_metaclass_is_searched_as_python_does():
    ran = []

    class Meta(type):
        data = property(lambda cls: ran.append(1))
        plain = "meta"
        both = "meta"

        def method(cls):
            return 1

    class C(metaclass=Meta):
        both = "class"
        data = "class"

    assert read_attribute(C, "both") == "class" == C.both
    assert read_attribute(C, "plain") == "meta" == C.plain
    assert "Python code would run" in cause(C, "data")
    assert "write type(x).method" in cause(C, "method")
    assert ran == []


def test_module_getattr_is_not_asked():
    ran = []
    module = types.ModuleType("m")
    module.__getattr__ = ran.append
    module.k = 3
    assert read_attribute(module, "k") == 3
    assert read_attribute(module, "__name__") == "m"
    assert not has_attribute(module, "other")
    assert ran == []


def test_a_key_of_equal_hash_in_an_instance_dict_that_raises_is_undefined():
    class Evil:
        def __hash__(self):
            return hash("a")

        def __eq__(self, other):
            raise ZeroDivisionError

    x = Derived()
    x.__dict__ = {Evil(): 1}
    assert "ZeroDivisionError while it was looked up" in cause(x, "a")


def test_enum_members_are_read_through_their_instance_dict():
    class Hue(enum.Enum):
        RED = 3

    assert read_attribute(Hue.RED, "_value_") == 3
    assert "Python code would run" in cause(Hue.RED, "value")


def test_named_tuples_of_typing_have_fields():
    class Pair(typing.NamedTuple):
        lo: int

    assert read_attribute(Pair(5), "lo") == 5
    assert read_attribute(Pair, "lo") is Pair.__dict__["lo"]
    assert read_attribute(operator, "add") is operator.add
