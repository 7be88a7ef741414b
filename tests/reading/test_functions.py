"""Functions that plug-ins add, those that come with guardlang, and how plug-ins are found."""

import contextvars
import importlib.metadata
import math
import subprocess
import sys
import types
import warnings

import pytest

from guardlang import functions, plugins
from guardlang.errors import GuardNameError
from guardlang.functions import Function, known_functions, lookup, register_function, register_source
from guardlang.types import FLOAT, INT
from guardlang.values import Undefined


def cause(function, *args):
    with pytest.raises(Undefined) as caught:
        function(*args)
    return caught.value.cause


@pytest.fixture
def table(monkeypatch):
    """What is registered in a test is gone after it."""
    known_functions()
    monkeypatch.setattr(functions, "_functions", dict(functions._functions))


@pytest.mark.usefixtures("table")
def test_registering():
    made = register_function("double", lambda n: 2 * n, parameters=(INT,), result=INT)
    assert lookup("double") is made
    assert made(4) == 8
    assert (made.least, made.most, made.pure, made.identity) == (1, 1, True, False)
    assert "double" in known_functions()
    assert known_functions() == tuple(sorted(known_functions()))
    many = register_function("mylib.total", lambda *n: sum(n), parameters=(INT, INT), optional=1, variadic=True)
    assert (many.least, many.most) == (1, None)


@pytest.mark.usefixtures("table")
def test_a_source_has_identity():
    source = register_source("inner", lambda x: x.__dict__["inner"])
    assert source.identity
    assert source.most == 1
    assert "KeyError in inner" in cause(source, types.SimpleNamespace())


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("len", "is part of the language"),
        ("deref", "is part of the language"),
        ("L", "is part of the language"),
        ("cos", "is registered already"),
        ("a b", "is not made of identifiers"),
        ("", "is not made of identifiers"),
        ("a.", "is not made of identifiers"),
        ("lambda", "is not made of identifiers"),
    ],
)
def test_names_that_cannot_be_registered(name, words):
    import guardlang.language  # noqa: F401  # keeps its names

    with pytest.raises(GuardNameError, match=words):
        register_function(name, abs)


@pytest.mark.usefixtures("table")
def test_replacing_is_said():
    register_function("cos", lambda x: 0.0, replace=True)
    assert lookup("cos")(1.0) == 0.0


def test_an_error_in_a_function_is_undefined():
    broken = Function("broken", lambda x: 1 // x)
    assert broken(1) == 1
    assert cause(broken, 0) == "has no value: ZeroDivisionError in broken"
    assert "TypeError in broken" in cause(broken, 1, 2)


@pytest.mark.parametrize(
    "name", ["acos", "asin", "asinh", "atan", "cos", "cosh", "exp", "log", "log2", "sin", "sinh", "tan", "tanh"]
)
def test_float_functions(name):
    function = lookup(name)
    for x in (0.5, 1, True):
        assert function(x) == getattr(math, name)(x)
    assert function.result == FLOAT
    assert math.isnan(function(float("nan")))
    for x in ("1", None, 1j, [1.0]):
        assert "needs a real number" in cause(function, x)


@pytest.mark.parametrize(
    ("name", "x"), [("log", 0), ("log", -1.0), ("acos", 2), ("exp", 1e4), ("cos", math.inf), ("sin", 10**400)]
)
def test_float_functions_outside_their_domain(name, x):
    assert "not defined there, or too large" in cause(lookup(name), x)


@pytest.mark.parametrize(
    ("sizes", "strides", "answer"),
    [
        ((2, 3), (3, 1), True),
        ((2, 3), (1, 2), True),
        ((2, 3), (4, 1), False),
        ((1, 3), (9, 1), True),
        ((0, 3), (9, 7), False),
        ((1,), (7,), True),
        ((0,), (7,), True),
        ((2,), (2,), False),
        ((), (), True),
    ],
)
def test_dense(sizes, strides, answer):
    assert lookup("dense")(sizes, strides) is answer


@pytest.mark.parametrize(
    ("sizes", "strides", "words"),
    [((1,), (1, 2), "has 1 sizes but 2 strides"), ([1], (1,), "needs a tuple of ints"), ((True,), (1,), "needs a tuple of ints")],
)
def test_dense_that_is_undefined(sizes, strides, words):
    assert words in cause(lookup("dense"), sizes, strides)


def test_context_variables():
    get = lookup("contextvar_get")
    variable = contextvars.ContextVar("variable")
    assert cause(get, variable) == "has no value in this context"
    assert get(variable, None) is None
    value = [1]
    variable.set(value)
    assert get(variable) is value
    assert contextvars.Context().run(lambda: get(variable, 5)) == 5
    assert get(contextvars.ContextVar("other", default=3)) == 3
    assert "is not a context variable, but a int" in cause(get, 3)
    assert get.identity
    assert (get.least, get.most) == (1, 2)


def points(monkeypatch, *entries):
    """Have the entry points of a group be these, asked for the first time."""
    group = "guardlang.functions"
    found = [importlib.metadata.EntryPoint(name, value, group) for name, value in entries]
    monkeypatch.setattr(plugins, "_loaded", set())
    monkeypatch.setattr(plugins, "_started", set())
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: found if group == "guardlang.functions" else [])


@pytest.mark.usefixtures("table")
def test_a_plugin_is_loaded_when_a_name_is_first_missed(monkeypatch):
    module = types.ModuleType("a_plugin")
    module.register = lambda: register_function("from_plugin", lambda: 1, parameters=())
    monkeypatch.setitem(sys.modules, "a_plugin", module)
    points(monkeypatch, ("a", "a_plugin:register"), ("b", "a_plugin"))
    assert lookup("cos") is not None
    assert "guardlang.functions" not in plugins._loaded
    assert lookup("from_plugin")() == 1
    assert plugins.load("guardlang.functions") is False


@pytest.mark.usefixtures("table")
def test_a_broken_plugin_is_named_and_left_out(monkeypatch):
    points(monkeypatch, ("broken", "no_such_module_of_anybody:register"))
    with pytest.warns(
        plugins.PluginWarning, match=r"plug-in 'broken' \(no_such_module_of_anybody:register\) of guardlang.functions"
    ):
        assert lookup("from_broken") is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert lookup("from_broken") is None


def test_a_library_that_is_still_being_imported_is_not_learned(monkeypatch):
    module = types.ModuleType("half_a_library")
    module.__spec__ = types.SimpleNamespace(_initializing=True)
    monkeypatch.setitem(sys.modules, "half_a_library", module)
    monkeypatch.setattr(plugins, "_absent", {"half_a_library": "no_such_module_of_anybody"})
    assert plugins.load_present() is False
    module.__spec__._initializing = False
    with pytest.warns(plugins.PluginWarning, match="the support of half_a_library could not be loaded: ModuleNotFoundError"):
        assert plugins.load_present() is True
    assert plugins.load_present() is False


def test_a_library_that_is_asked_for_while_it_is_learned_is_not_learned_twice(monkeypatch):
    monkeypatch.setitem(sys.modules, "a_library", types.ModuleType("a_library"))
    monkeypatch.setattr(plugins, "_absent", {"a_library": "its_support"})
    asked = []
    monkeypatch.setattr(plugins, "_import", lambda module, what: asked.append((module, what, plugins.load_present())))
    assert plugins.load_present() is True
    assert asked == [("its_support", "the support of a_library", False)]
    monkeypatch.setattr(plugins, "_learning", set())


def test_plugins_are_not_looked_for_until_a_name_is_missed():
    code = """
from guardlang import plugins
from guardlang.functions import lookup
assert lookup("cos")(0) == 1.0
assert not plugins._loaded
assert lookup("nobodys") is None
assert plugins._loaded == {"guardlang.functions", "guardlang.sources"}
"""
    subprocess.run([sys.executable, "-c", code], check=True)
