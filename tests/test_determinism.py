"""Equal sets give equal text, source, JSON and explanations under any hash seed, in any process."""

import os
import subprocess
import sys

PROGRAM = """
from guardlang import GuardSet
from guardlang.portable import content_hash
import collections
class Point: pass
guards = GuardSet(objects={"Point": Point, "dict": dict})
for text in (
    "type(L['x']) is Point", "L['x'].u == {'b', 'a', 'c', 3, 2.5, None}", "L['x'].v == frozenset({('q', 1), ('p', 2)})",
    "hasattr(L['x'], 'w') or L['x'].u is None", "L['d'] == {'k': {5, 1, 'z'}}", "isinstance(L['d'], (dict, list))",
    "same(L['a'], L['b'], L['c'])", "distinct(L['a'], L['b'], G['c'])", "L['s'] <= {'x', 'y', 'z'}",
    "L['n'] + L['m'] > 3 or L['n'] + L['m'] < 0",
):
    guards.add(text)
x = Point()
x.u, x.v = {"q", "r", "s", 1}, frozenset({"t", ("u", 1)})
frame = {"x": x, "d": {"k": {"m", "l"}}, "a": x, "b": 1, "c": x, "s": {"x", "w", "v"}, "n": 1, "m": 2}
print(guards)
print(guards.compile("python").source)
print(guards.explain(frame, {"c": 2}))
print(guards.explain(frame, {"c": 2}).to_json())
portable = guards.filter(lambda guard: "Point" not in str(guard))
print(portable.to_json())
print(content_hash(portable))
"""


def run(seed):
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_hash_seed_changes_nothing():
    first = run("0")
    assert "0x" not in first
    assert len(first.splitlines()) > 60
    assert {run(seed) for seed in ("1", "2", "31337")} == {first}
