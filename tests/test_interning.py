"""Nodes: one object for each structure, in every thread, for as long as anybody holds it."""

import copy
import gc
import pickle
import threading

from guardlang import GuardSet, parse
from guardlang.ast import BinOp, Compare
from guardlang.interning import interned_count
from guardlang.sources import AttrSource, Const, LocalSource


def test_equal_structure_is_one_object():
    assert parse("L['a'].u[0] + 1 == 2") is parse("((L['a']).u[0]+1)==2")
    assert Const(1) is not Const(True)
    assert Const(1) is not Const(1.0)
    assert Const(0.0) is not Const(-0.0)
    assert Const((1,)) is not Const((True,))
    assert Const(float("nan")) is Const(float("nan"))
    assert Const({1, 2}) is Const({2, 1})
    assert Const({"a": 1, "b": 2}) is not Const({"b": 2, "a": 1})


def test_a_constant_is_a_copy():
    value = [1]
    constant = Const(value)
    value.append(2)
    assert constant.value == [1]
    assert Const([1]) is constant


def test_copies_and_pickles_are_the_node():
    expr = parse("L['a'] is None or 2 <= L['n'].shape[0] < 9 and same(L['a'], L['b'])")
    assert copy.copy(expr) is copy.deepcopy(expr) is pickle.loads(pickle.dumps(expr)) is expr


def test_threads_get_the_same_object():
    threads, rounds = 8, 200
    start = threading.Barrier(threads)
    built = [[] for _ in range(threads)]

    def build(mine):
        start.wait()
        for number in range(rounds):
            mine.append(BinOp("+", AttrSource(LocalSource(f"thread {number}"), "u"), Const((number, "thread"))))

    workers = [threading.Thread(target=build, args=(mine,)) for mine in built]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for same in zip(*built, strict=True):
        assert len(set(map(id, same))) == 1


def build_and_drop(count):
    guards = GuardSet()
    for number in range(count):
        guards.add(f"L['dropped {number}'].u[{number}] == 'dropped {number}' and len(L['dropped {number}']) == {number}")
    frame = {f"dropped {number}": number for number in range(count)}
    for backend in ("interp", "python"):
        guards.compile(backend)(frame)
    str(guards.explain(frame))
    guards.to_json()


def test_dropped_sets_free_their_nodes():
    build_and_drop(5)
    gc.collect()
    before = interned_count()
    build_and_drop(300)
    gc.collect()
    assert interned_count() <= before


def test_a_deep_node_is_freed():
    gc.collect()
    before = interned_count()
    expr = LocalSource("deep")
    for _ in range(50_000):
        expr = Compare(("is",), (AttrSource(expr, "u"), Const(None)))
    del expr
    gc.collect()
    assert interned_count() <= before + 3
