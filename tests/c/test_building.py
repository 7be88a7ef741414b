"""The compiler, and the cache of what it made."""

import os
import re
import subprocess
import sys
import threading

import pytest

from guardlang import GuardSet
from guardlang.codegen.c import building
from guardlang.errors import BuildError, CompilerNotFound

TEXTS = ("type(L['n']) is int", "L['n'] > 1", "L['d']['k'] == 'a'")


def guards(*texts):
    made = GuardSet()
    for text in texts or TEXTS:
        made.add(text)
    return made


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """Return an empty cache in use, as a new process finds it."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("GUARDLANG_CACHE", str(folder))
    monkeypatch.setattr(building, "_loaded", {})
    return folder


def test_sets_of_equal_form_share_one_file(fresh):
    first, second = guards().compile("c"), guards("type(L['m']) is str", "L['m'] > 7", "L['x']['y'] == 'b'").compile("c")
    assert [path.suffix for path in fresh.iterdir()] == [".so"]
    assert first({"n": 2, "d": {"k": "a"}})
    assert not second({"n": 2, "d": {"k": "a"}})


def test_the_text_does_not_depend_on_the_hash_seed(fresh):
    script = (
        "from guardlang import GuardSet\n"
        "s = GuardSet()\n"
        "for t in (\"L['a'] in {1, 'x'}\", \"L['b'].c is L['a']\", \"G['g'] == 2.5\", \"len(S['sys.modules']) > 0\"): s.add(t)\n"
        "print(s.compile('c').source)"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("0", "1", "2")
    }
    (text,) = texts
    assert not re.search(r"0x[0-9a-f]{6,}", text)


@pytest.mark.parametrize("content", [b"", b"\x7fELF not really", None])
def test_a_damaged_file_is_built_again(fresh, monkeypatch, content):
    check = guards().compile("c")
    (path,) = fresh.iterdir()
    whole = path.read_bytes()
    # A library that is in use is not written to: a new file takes its place.
    path.unlink()
    path.write_bytes(whole[:-40] if content is None else content)
    monkeypatch.setattr(building, "_loaded", {})
    again = guards().compile("c")
    assert check({"n": 2, "d": {"k": "a"}})
    assert again({"n": 2, "d": {"k": "a"}})
    assert building._is_whole(path)


def test_the_folder_is_private(fresh):
    guards().compile("c")
    assert fresh.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_others_can_write_to_is_not_used(fresh):
    fresh.mkdir()
    fresh.chmod(0o777)
    assert guards().compile("c")({"n": 2, "d": {"k": "a"}})
    assert list(fresh.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_not_used(fresh):
    fresh.write_text("a file")
    assert guards().compile("c")({"n": 2, "d": {"k": "a"}})


def test_many_threads_and_processes_build_at_once(fresh):
    script = (
        "from guardlang import GuardSet\n"
        "s = GuardSet(); s.add(\"L['n'] > 1\"); s.add(\"L['m'] == 'a'\")\n"
        "print(s.compile('c')({'n': 2, 'm': 'a'}))"
    )
    running = [subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = []
    threads = [threading.Thread(target=lambda: said.append(guards().compile("c")({"n": 2, "d": {"k": "a"}}))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == [True] * 4
    assert [process.communicate()[0].strip() for process in running] == ["True"] * 3
    assert all(path.suffix == ".so" for path in fresh.iterdir())


def test_a_compiler_that_is_not_there_is_named(fresh, monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler -O1")
    with pytest.raises(CompilerNotFound, match="no compiler 'no-such-compiler', which \\$CC names"):
        guards().compile("c")


def test_without_a_compiler_there_is_advice(fresh, monkeypatch, tmp_path):
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(building.importlib.util, "find_spec", lambda name: None)
    building._find.cache_clear()
    with pytest.raises(CompilerNotFound, match="pip install ziglang"):
        guards().compile("c")
    building._find.cache_clear()


def test_a_refused_text_is_an_error_with_the_compilers_words(fresh):
    with pytest.raises(BuildError, match=r"check\.c.*no_such_type"):
        building.load("no_such_type x;")
    assert [path for path in fresh.iterdir() if path.suffix == ".so"] == []


def test_missing_headers_are_advised_on():
    assert "python3-dev" in building._advice("fatal error: Python.h: No such file or directory")
