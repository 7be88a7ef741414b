"""A key of a user's type that shares the hash of the key asked for: the only place where an input's code could decide."""

import pytest

from guardlang import GuardSet, evaluate


class Impostor:
    """Has the hash of another key and claims to equal everything."""

    def __init__(self, key):
        self.key = key

    def __hash__(self):
        return hash(self.key)

    def __eq__(self, other):
        return True


class Holder:
    pass


def holder():
    x = Holder()
    x.__dict__[Impostor("k")] = 1
    return x


FRAMES = {
    "a dict": (["L['x']['k'] == 1"], {"x": {Impostor("k"): 1}}),
    "a typed dict": (["type(L['x']) is dict", "L['x']['k'] == 1"], {"x": {Impostor("k"): 1}}),
    "an instance dict": (["'k' in L['x'].__dict__"], {"x": holder()}),
    "membership": (["'k' in L['x']"], {"x": {Impostor("k"): 1}}),
    "a set": (["'k' in L['x']"], {"x": {Impostor("k")}}),
}


@pytest.mark.parametrize("where", ["membership", "a set"])
def test_the_interpreter_refuses_to_be_told(where):
    texts, frame = FRAMES[where]
    guards = GuardSet()
    for text in texts:
        guards.add(text)
    assert "would be compared by Python code" in evaluate(guards.exprs[-1], frame).reason
    assert guards.compile("python")(frame) is False


@pytest.mark.parametrize("backend", ["python", "c"])
@pytest.mark.parametrize("where", FRAMES)
def test_the_backends_say_the_same(where, backend):
    texts, frame = FRAMES[where]
    guards = GuardSet()
    for text in texts:
        guards.add(text)
    assert guards.compile(backend)(frame) is all(evaluate(expr, frame) for expr in guards.exprs)


def test_an_item_is_read_as_the_program_reads_it():
    guards = GuardSet()
    guard = guards.add("L['x']['k'] == 1")
    frame = FRAMES["a dict"][1]
    assert frame["x"]["k"] == 1
    assert evaluate(guard.expr, frame)
