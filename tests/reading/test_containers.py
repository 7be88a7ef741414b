"""Items, lengths and membership by the base type, with no hook of a derived class reached."""

import collections
import enum
import types
from typing import NamedTuple

import pytest

from guardlang.reading import contains, item_by_position, keys_of, length, read_item, values_of
from guardlang.values import Undefined

NAN = float("nan")
ORDERED = collections.OrderedDict(a=1, b=2, c=3)
ORDERED.move_to_end("a")


class Pair(NamedTuple):
    x: int
    y: int


class Level(enum.IntEnum):
    ONE = 1


class Key:
    """A key that counts what is asked of it."""

    def __init__(self, text):
        self.text = text
        self.asked = []

    def __hash__(self):
        self.asked.append("hash")
        return hash(self.text)

    def __eq__(self, other):
        self.asked.append("eq")
        return True


def stored(kind, *keys):
    """Return a container with the keys, none of which has been asked anything since."""
    container = kind(keys) if kind in (set, frozenset) else kind((key, n) for n, key in enumerate(keys))
    for key in keys:
        if type(key) is Key:
            key.asked.clear()
    return container


def cause(function, *args):
    with pytest.raises(Undefined) as caught:
        function(*args)
    return caught.value.cause


@pytest.mark.parametrize(
    ("x", "key", "item"),
    [
        ([5, 6], 0, 5),
        ([5, 6], -2, 5),
        ((5, 6), 1, 6),
        ("ab", -1, "b"),
        (range(0, 10, 3), 2, 6),
        (range(10**30), 10**29, 10**29),
        (collections.deque([5, 6]), 1, 6),
        ({"a": 1}, "a", 1),
        ({1: "a"}, True, "a"),
        ({1: "a"}, 1.0, "a"),
        ({(1, 2): "a"}, (1, 2), "a"),
        ({None: "a"}, None, "a"),
        ({int: "a"}, int, "a"),
        ({Level.ONE: "a"}, 1, "a"),
        ({frozenset({1}): "a"}, frozenset({1}), "a"),
        (types.MappingProxyType({"a": 1}), "a", 1),
        (collections.OrderedDict(a=1), "a", 1),
        (collections.defaultdict(list, a=1), "a", 1),
        (collections.Counter("aab"), "a", 2),
    ],
)
def test_items(x, key, item):
    assert read_item(x, key) == item


@pytest.mark.parametrize(
    ("x", "key", "words"),
    [
        ([5, 6], 2, "has 2 items, so none at 2"),
        ([5], -2, "has 1 item, so none at -2"),
        ((), 0, "has 0 items"),
        ([5], 10**30, "has 1 item"),
        (range(3), 3, "has 3 items"),
        ([5], True, "takes an int as index, not a bool"),
        ([5], "a", "takes an int as index, not a str"),
        ([5], 0.0, "takes an int as index, not a float"),
        ({"a": 1}, "b", "has no key 'b'"),
        ({}, 10**100, "has no key this big"),
        ({}, ("a",), "has no key of type tuple with this value"),
        ({}, "a" * 99, "has no key 'aaa"),
        (collections.defaultdict(list), "a", "has no key 'a'"),
        (collections.Counter(), "a", "has no key 'a'"),
        ({NAN: 1}, NAN, "has no key nan"),
        ({(NAN,): 1}, (NAN,), "has no key of type tuple"),
        ({}, [1], "a list has no hash"),
        ({}, {1}, "a set, which has no hash"),
        ({}, object(), "has its own __hash__"),
        ({}, Level.ONE, "has its own __hash__"),
        ({1}, 0, "has no items to read: it is of type set"),
        ({}.keys(), 0, "has no items to read: it is of type dict_keys"),
        (b"ab", 0, "has no items to read: it is of type bytes"),
        (None, 0, "has no items to read: it is of type NoneType"),
        (types.MappingProxyType(collections.UserDict()), "a", "is a mappingproxy of something that is not a dict"),
    ],
)
def test_items_that_are_undefined(x, key, words):
    assert words in cause(read_item, x, key)


@pytest.mark.parametrize(
    ("x", "count"),
    [
        ([1, 2], 2),
        ((), 0),
        ({"a": 1}, 1),
        ({1, 2}, 2),
        (frozenset({1}), 1),
        ("abc", 3),
        (b"ab", 2),
        (bytearray(b"ab"), 2),
        (range(0, 10, 3), 4),
        (range(5, 0), 0),
        (range(5, 0, -2), 3),
        (range(10**30), 10**30),
        (collections.deque([1]), 1),
        ({"a": 1}.keys(), 1),
        ({"a": 1}.values(), 1),
        ({"a": 1}.items(), 1),
        (ORDERED.keys(), 3),
        (ORDERED.values(), 3),
        (ORDERED.items(), 3),
        (types.MappingProxyType({"a": 1}), 1),
        (ORDERED, 3),
        (Pair(1, 2), 2),
    ],
)
def test_lengths(x, count):
    assert length(x) == count


@pytest.mark.parametrize("x", [3, None, object(), iter([]), collections.UserList(), memoryview(b""), int, (i for i in ())])
def test_lengths_that_are_undefined(x):
    assert "has no length" in cause(length, x)


@pytest.mark.parametrize(
    ("x", "item", "answer"),
    [
        ([1, 2], 2.0, True),
        ([1, 2], 3, False),
        ([[1]], [1], True),
        ([NAN], NAN, False),
        ([object(), 1], 1, True),
        ((), 1, False),
        (collections.deque([1]), True, True),
        ({"a": 1}, "a", True),
        ({"a": 1}, "b", False),
        ({NAN: 1}, NAN, False),
        ({1, 2}, 1.0, True),
        ({frozenset({1})}, {1}, True),
        (frozenset("ab"), "a", True),
        ({Level.ONE}, 1, True),
        ({(1, 2)}, (1, 2), True),
        ({Pair(1, 2)}, (1, 2), True),
        ({"a": 1}.keys(), "a", True),
        ({"a": 1}.values(), 1.0, True),
        ({"a": 1}.values(), 2, False),
        ({"a": 1}.items(), ("a", True), True),
        ({"a": 1}.items(), ("a", 2), False),
        ({"a": 1}.items(), ("b", 1), False),
        ({"a": 1}.items(), "a", False),
        (ORDERED.keys(), "c", True),
        (ORDERED.values(), 3, True),
        (ORDERED.items(), ("c", 3), True),
        (types.MappingProxyType({"a": 1}), "a", True),
        (range(0, 10, 3), 6, True),
        (range(0, 10, 3), 6.0, True),
        (range(0, 10, 3), 6 + 0j, True),
        (range(0, 10, 3), 6 + 1j, False),
        (range(0, 10, 3), 7, False),
        (range(3), True, True),
        (range(3), NAN, False),
        (range(3), float("inf"), False),
        (range(3), 0.5, False),
        (range(3), "1", False),
        (range(10**30), 1e29, True),
        ("abc", "bc", True),
        ("abc", "", True),
        (b"abc", b"bc", True),
        (b"abc", 97, True),
        (bytearray(b"abc"), b"a", True),
        (bytearray(b"abc"), 100, False),
    ],
)
def test_membership(x, item, answer):
    assert contains(x, item) is answer


@pytest.mark.parametrize(
    ("x", "item", "words"),
    [
        ([object()], 1, "has no equal item, but one that has no value"),
        ([1], object(), "cannot be searched for an object of type object"),
        ([], object(), "cannot be searched for an object of type object"),
        ({1: 1}, [1], "a list has no hash"),
        ({1}, object(), "has its own __hash__"),
        ({"a": object()}.items(), ("a", 1), "has no value"),
        ({"a": 1}.items(), object(), "cannot be searched for"),
        ({"a": object()}.values(), 1, "has no equal item"),
        (range(3), object(), "cannot be searched for"),
        ("abc", 1, "can only be searched for a str"),
        ("abc", b"a", "can only be searched for a str"),
        (b"abc", "a", "can only be searched for bytes or an int"),
        (b"abc", 256, "can only be searched for bytes or an int"),
        (b"abc", 97.0, "can only be searched for bytes or an int"),
        (3, 1, "has no members: it is of type int"),
        (iter([1]), 1, "has no members"),
        (types.MappingProxyType(collections.UserDict()), "a", "of something that is not a dict"),
    ],
)
def test_membership_that_is_undefined(x, item, words):
    assert words in cause(contains, x, item)


@pytest.mark.parametrize("kind", [dict, set, frozenset])
def test_membership_never_asks_a_stored_key_of_a_users_type(kind):
    key = Key("a")
    x = stored(kind, key, "b", (1, 2))
    assert contains(x, "b") is True
    assert contains(x, (1, 2)) is True
    assert contains(x, "c") is False
    assert "same hash that would be compared by Python code" in cause(contains, x, "a")
    if kind is dict:
        assert read_item(x, "b") == 1
    assert key.asked == []


def test_an_item_is_read_by_the_lookup_of_the_program_itself():
    key = Key("a")
    x = stored(dict, key, "b")
    key.asked.clear()
    assert read_item(x, "a") == x["a"] == 0
    assert key.asked != []


def test_a_stored_tuple_with_a_key_of_a_users_type_is_never_asked():
    key = Key(2)
    x = stored(dict, (1, key))
    key.asked.clear()
    assert contains(x, (1, 3)) is False
    assert "same hash" in cause(contains, x, (1, 2))
    assert key.asked == []


@pytest.mark.parametrize(
    "base", [dict, collections.OrderedDict, collections.defaultdict, list, tuple, set, frozenset, str, bytes]
)
def test_no_hook_of_a_derived_class_is_reached(base, hostile):
    cls, reached = hostile(base)
    items = {dict: {"a": 1}, collections.OrderedDict: {"a": 1}, collections.defaultdict: {"a": 1}, str: "ab", bytes: b"ab"}
    x = base.__new__(cls, *([items.get(base, ["a"])] if base in (tuple, frozenset, str, bytes) else []))
    if issubclass(base, dict):
        base.__init__(x)
        dict.__setitem__(x, "a", 1)
        assert read_item(x, "a") == 1
        if base is not collections.OrderedDict:
            assert keys_of(x) == ("a",)
            assert item_by_position(x, -1, "values") == 1
        assert "has no key 'b'" in cause(read_item, x, "b")
    if base in (list, set):
        base.__init__(x, ["a"])
    if base in (list, tuple, str):
        assert read_item(x, 0) == "a"
    assert length(x) == (2 if base in (str, bytes) else 1)
    assert contains(x, b"a" if base is bytes else "a") is True
    assert reached == []


def test_keys_and_values_of_an_ordered_dict_are_in_its_own_order():
    assert keys_of(ORDERED) == ("b", "c", "a")
    assert values_of(ORDERED) == (2, 3, 1)
    assert [item_by_position(ORDERED, i) for i in (0, 2, -1, -3)] == ["b", "a", "a", "b"]
    assert item_by_position(ORDERED, 0, "values") == 2
    assert keys_of(types.MappingProxyType(ORDERED)) == ("b", "c", "a")


def test_keys_of_a_users_type_are_read_by_position_without_being_asked():
    first, second = Key("a"), Key("b")
    x = stored(dict, first, second)
    assert keys_of(x) == (first, second) or keys_of(x)[1] is second
    first.asked.clear()
    assert keys_of(x)[0] is first
    assert item_by_position(x, -1) is second
    assert item_by_position(x, 0, "values") == 0
    assert first.asked == second.asked == []


def test_the_order_of_an_ordered_dict_is_not_read_when_its_keys_would_be_hashed_by_python_code():
    first, second = Key("a"), Key("b")
    x = stored(collections.OrderedDict, first, second)
    assert "Python code would run to find the order" in cause(keys_of, x)
    assert "Python code would run to find the order" in cause(item_by_position, x, 0)
    one = stored(collections.OrderedDict, first)
    assert item_by_position(one, 0) is first
    plain = object()
    assert keys_of(collections.OrderedDict([(plain, 1), (int, 2)])) == (plain, int)
    assert first.asked == second.asked == []


@pytest.mark.parametrize("function", [keys_of, values_of, lambda x: item_by_position(x, 0)])
@pytest.mark.parametrize("x", [[], {1}, {}.keys(), None, collections.UserDict(a=1)])
def test_only_dicts_have_keys(function, x):
    assert "is not a dict" in cause(function, x)


@pytest.mark.parametrize(
    ("d", "index", "words"),
    [
        ({"a": 1}, 1, "has 1 entry"),
        ({"a": 1, "b": 2}, -3, "has 2 entries"),
        ({}, 0, "has 0 entries"),
        ({"a": 1}, True, "a position is an int"),
        ({"a": 1}, "a", "a position is an int"),
    ],
)
def test_positions_that_are_undefined(d, index, words):
    assert words in cause(item_by_position, d, index)


def test_a_container_that_changes_while_it_is_read_is_undefined():
    class Growing(collections.deque):
        pass

    x = Growing([1])

    class Meta(type):
        pass

    from guardlang.values import ValueType, register_value_type

    class Trigger:
        pass

    def value_of(_):
        x.append(2)
        return 0

    register_value_type(ValueType(Trigger, value_of))
    x.appendleft(Trigger())
    assert "was changed while it was read" in cause(contains, x, 5)


def test_class_dicts_are_mappings():
    class C:
        n = 3

    assert read_item(C.__dict__, "n") == 3
    assert contains(C.__dict__, "m") is False
    assert "n" in keys_of(C.__dict__)
    assert length(C.__dict__) == len(C.__dict__)
