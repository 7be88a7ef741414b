"""What the tests of the C backend share: a cache of their own, and nothing at all where there is no compiler."""

import pytest

from guardlang import GuardSet
from guardlang.codegen.c.building import find_compiler
from guardlang.errors import CompilerNotFound


@pytest.fixture(scope="session", autouse=True)
def compiler():
    try:
        return find_compiler()
    except CompilerNotFound:
        pytest.skip("needs a C compiler")


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cache") / "c"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GUARDLANG_CACHE", str(folder))
        yield folder


@pytest.fixture
def compiled():
    """Return a function that compiles guards to C."""

    def compile_guards(*texts, signature=None, **objects):
        guards = GuardSet(objects=objects)
        for text in texts:
            guards.add(text)
        return guards.compile("c", signature=signature)

    return compile_guards
