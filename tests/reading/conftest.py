"""Classes whose every hook is counted and raises: reading must reach none of them."""

import pytest

HOOKS = [
    "__getattribute__",
    "__getattr__",
    "__eq__",
    "__ne__",
    "__lt__",
    "__le__",
    "__gt__",
    "__ge__",
    "__bool__",
    "__len__",
    "__length_hint__",
    "__iter__",
    "__reversed__",
    "__contains__",
    "__getitem__",
    "__missing__",
    "__repr__",
    "__str__",
    "__bytes__",
    "__format__",
    "__int__",
    "__float__",
    "__complex__",
    "__index__",
    "__trunc__",
    "__floor__",
    "__ceil__",
    "__round__",
    "__abs__",
    "__call__",
    "__dir__",
    "__reduce__",
    "__reduce_ex__",
    "__sizeof__",
    "__instancecheck__",
    "__subclasscheck__",
    "keys",
    "values",
    "items",
    "get",
    "copy",
    "pop",
]


def hostile(base=object, *, hashable=True, **members):
    """Return a class derived from `base`, and the list of the hooks that were reached."""
    reached = []

    def hook(name):
        def run(*args, **kwargs):
            reached.append(name)
            raise ZeroDivisionError(name)

        return run

    space = {name: hook(name) for name in HOOKS}
    if not hashable:
        space["__hash__"] = hook("__hash__")
    else:
        space["__hash__"] = base.__hash__
    space["__class__"] = property(hook("__class__"))
    space["__doc__"] = None
    return type("Hostile", (base,), {**space, **members}), reached


def hostile_meta():
    """Return a metaclass whose every hook is counted and raises, once `reached` is armed, and that list."""
    reached = []

    def hook(name, usual):
        def run(*args, **kwargs):
            if run.armed:
                reached.append(name)
                raise ZeroDivisionError(name)
            return usual(*args, **kwargs)

        run.armed = False
        return run

    hooks = {
        name: hook(name, getattr(type, name))
        for name in ("__getattribute__", "__eq__", "__ne__", "__hash__", "__instancecheck__", "__subclasscheck__", "__repr__")
    }

    def arm():
        for run in hooks.values():
            run.armed = True

    return type("HostileMeta", (type,), dict(hooks)), reached, arm


@pytest.fixture(name="hostile")
def _hostile():
    return hostile


@pytest.fixture(name="hostile_meta")
def _hostile_meta():
    return hostile_meta
