"""`backend="auto"`: Python at once, C when it is worth it."""

import pytest

from guardlang import GuardSet
from guardlang.codegen.c import building
from guardlang.codegen.c.auto import AutoCheck


def many():
    guards = GuardSet()
    for number in range(40):
        guards.add(f"L['d'][{number}] == {number}")
    return guards


FRAME = {"d": list(range(40))}


def call_until_built(check):
    for _ in range(100_000):
        assert check(FRAME)
        if check._current is not check._count.__func__ and check._left <= 0:
            break
    check.wait(60)


def test_a_small_set_stays_in_python():
    guards = GuardSet()
    guards.add("L['n'] == 1")
    check = guards.compile("auto")
    assert check.backend == "python"
    assert "too few for C to be worth a build" in check.report[-1]


def test_a_large_set_becomes_c():
    check = many().compile("auto")
    assert isinstance(check, AutoCheck)
    assert check.backend == "python"
    assert "C is built after" in check.report[-1]
    call_until_built(check)
    assert check.backend == "c"
    assert check.report[-1] == "built in C, in the background"
    assert "holds(" in check.source
    assert check(FRAME)
    assert not check({"d": [0]})


def test_without_a_compiler_it_stays_in_python_and_says_so(monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    check = many().compile("auto")
    call_until_built(check)
    assert check.backend == "python"
    assert "stays in Python: there is no compiler 'no-such-compiler'" in check.report[-1]
    assert check(FRAME)


def test_a_failing_build_leaves_a_working_check(monkeypatch):
    def fail(text):
        raise OSError("disk full")

    monkeypatch.setattr(building, "load", fail)
    check = many().compile("auto")
    call_until_built(check)
    assert check.report[-1] == "stays in Python: OSError while C was built: disk full"
    assert check(FRAME)


@pytest.mark.parametrize("signature", [None, ("d",)])
def test_it_takes_what_the_others_take(signature):
    check = many().compile("auto", signature=signature)
    args = (FRAME,) if signature is None else (FRAME["d"],)
    assert check(*args)
    with pytest.raises(TypeError):
        check()
