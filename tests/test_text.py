"""Hostile text: a located error or a guard that works, never something half done."""

import ast
import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardlang import GuardlangError, GuardSet, GuardSyntaxError, L, exact, parse, render
from guardlang.codegen import backend_names
from guardlang.sources import AttrSource, Const, LocalSource

BACKENDS = [name for name in backend_names() if name != "reference"]
NAMES = [
    "",
    "'",
    '"',
    'it\'s "quoted"',
    "\n",
    "\r\n\t\0",
    "*/",
    "/* */ // #",
    "'''",
    '"""',
    "\\",
    "\\'",
    "\ud800",
    "\udfff\ud800",
    "\u202e\u2066abc",
    "\u2028",
    "{}",
    "%s{0}",
    "a" * 100_000,
    "é" * 1_000,
    "\U0001f600",
    "ﬁ",
    "class",
    "L['a'] ; import os",
    "__import__('os').system('true')",
    "L",
    "G",
    "check",
    "type",
    "None",
    "??/",
    "\x7f\x1b[31m",
]


@pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name[:20]))
def test_any_string_can_be_a_name_a_key_and_a_value(name):
    class Holder:
        pass

    holder = Holder()
    holder.__dict__[name] = name
    guards = GuardSet()
    guards.add(f"L[{name!r}] == {name!r}")
    guards.add(exact(L["d"][name], name))
    guards.add(f"{name!r} in L['d']")
    guards.add(f"keys(L['d']) == ({name!r},)")
    guards.add(exact(AttrSource(LocalSource("x"), name), name))
    guards.add(f"G[{name!r}] is L['x']")
    frame = {name: name, "d": {name: name}, "x": holder}, {name: holder}
    for guard in guards:
        assert parse(str(guard)) is guard.expr
    for backend in BACKENDS:
        check = guards.compile(backend)
        assert check(*frame) is True
        assert check({**frame[0], name: 1}, frame[1]) is False
        assert check({**frame[0], "d": {}}, frame[1]) is False
    assert guards.explain(*frame)
    assert GuardSet.from_json(guards.to_json()).exprs == guards.exprs
    assert len(str(guards.explain({}, {}))) > 10


@pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name[:20]))
def test_any_string_can_be_a_parameter(name):
    guards = GuardSet()
    guards.add(exact(LocalSource(name), 1))
    for backend in BACKENDS:
        check = guards.compile(backend, signature=("other", name))
        assert check(0, 1) is True
        assert check(1, 0) is False


BAD = [
    "L['a'] ; import os",
    "import os",
    "L['a'] == 1\nL['b'] == 2",
    "L['a'] == 1;",
    "L['a'] == ",
    "L['a' == 1",
    "L['a]",
    "L['a'] == 'x",
    "L['a'] = 1",
    "(L['a'] := 1)",
    "lambda: L['a']",
    "[x for x in L['a']]",
    "f'{L}' == L['a']",
    "L['a'][1:2] == 1",
    "L['a'](1)",
    "L['a'].f(1)",
    "L['a'] @ L['b']",
    "+L['a'] == 1",
    "await L['a']",
    "yield",
    "*L['a']",
    "L['a'] == [*L['b']]",
    "L['a'] == {**L['b']}",
    "L['a'] == [L['b']]",
    "__import__('os')",
    "eval('1')",
    "exec('1') is None",
    "open('/etc/passwd') is None",
    "().__class__ is L['a']" + ".__bases__[0]()",
    "L[0] == 1",
    "L[name] == 1",
    "L.x == 1",
    "L is None",
    "S['no.such.state'] is True",
    "S['torch.grad_mod'] is True",
    "",
    "   ",
    "# only a comment",
    "\0",
    "L['a'] == 1\0",
    "\ud800",
    "L['a'] == '\udfff'",
    "L['a'] == 1 \u202e",
    "L['a'] == \u2066 1",
    "L['a'] \uff1d\uff1d 1",
    "9" * 5_000 + " == L['a']",
    "L['a'] == 1" + " " * 4_000_001,
    "\tL['a'] ==\n 1",
    "print(1)",
    "len() == 1",
    "len(L['a'], L['b']) == 1",
    "same(L['a'])",
    "exact(L['a'])",
    "float('x') == L['a']",
    "range('a') == L['a']",
    "{[]: 1} == L['a']",
    "{[1]} == L['a']",
    "getattr(L['a'], L['b']) == 1",
    "isinstance(L['a'], 3)",
    "hasattr(L['a'], L['b'])",
    "no_such_function(L['a'])",
    "nosuchname == L['a']",
]


@pytest.mark.parametrize("text", BAD, ids=lambda text: ascii(text[:24]))
def test_bad_text_is_refused_where_it_is_wrong_and_changes_nothing(text):
    guards = GuardSet(objects={"K": 1})
    guards.add("L['kept'] == K", origin="here")
    before, objects = guards.to_json(), dict(guards.objects)
    with pytest.raises(GuardlangError) as caught:
        guards.add(text)
    error = caught.value
    message = str(error)
    assert "object at 0x" not in message
    assert "Error" not in message
    assert len(message) < 2_000
    assert guards.to_json() == before
    assert guards.objects == objects
    if error.source_text is not None and error.start is not None:
        assert 0 <= error.start <= len(text)
        assert "^" in message
    else:
        assert not text.strip() or len(text) > 4_000_000


def test_a_guard_that_is_never_true_is_refused_and_changes_nothing():
    guards = GuardSet()
    for text in ("False", "1 == 2", "not True", "len((1, 2)) == 3", "1 / 0 == 1"):
        with pytest.raises(ValueError, match="reads no input and is never true"):
            guards.add(text)
    assert len(guards) == 0
    assert guards.objects == {}


def parsed(text):
    """Return the expression of a text, or the error with which it is refused."""
    try:
        return parse(text)
    except GuardlangError as error:
        return error


@given(st.text(max_size=40))
def test_any_text_is_refused_or_round_trips(text):
    outcome = parsed(text)
    if isinstance(outcome, GuardlangError):
        assert str(outcome)
        assert outcome.start is None or 0 <= outcome.start <= len(text)
    else:
        assert parse(render(outcome)) is outcome


PIECES = [
    "L['a']",
    "G['b']",
    "==",
    "is",
    "(",
    ")",
    "[",
    "]",
    ",",
    "1",
    "'x'",
    "len",
    ".u",
    "not",
    "and",
    "or",
    "if",
    "else",
    "in",
    "-",
    "**",
    "#",
    "\n",
    " ",
]


@given(st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join))
def test_any_pieces_are_refused_where_python_refuses_them_or_round_trip(text):
    outcome = parsed(text)
    if isinstance(outcome, GuardlangError):
        assert outcome.start is None or 0 <= outcome.start <= len(text)
        assert "^" in str(outcome) or isinstance(outcome, GuardSyntaxError)
    else:
        assert parse(render(outcome)) is outcome
        ast.parse(text.strip(" "), mode="eval")


@pytest.mark.parametrize(
    "value", [10**5_000, -(10**5_000), 2**70_000, 1 << 64, -(1 << 63)], ids=lambda value: f"{value.bit_length()} bits"
)
def test_huge_ints(value):
    guards = GuardSet()
    guards.add(L["n"] == value)
    (expr,) = guards.exprs
    assert parse(render(expr)) is expr
    for backend in BACKENDS:
        assert guards.compile(backend)({"n": value}) is True
        assert guards.compile(backend)({"n": value + 1}) is False
    text = str(guards.explain({"n": value + 1}))
    assert "got" in text
    assert len(str(guards.explain({"n": 1}))) > 0


def test_huge_ints_as_indices_are_undefined_with_a_reason():
    guards = GuardSet()
    guards.add("L['x'][L['i']] == 1")
    for x in ([1], range(10**5_000), "a", (1,)):
        for backend in BACKENDS:
            assert guards.compile(backend)({"x": x, "i": 10**6_000}) is False
        assert "not evaluated" in str(guards.explain({"x": x, "i": 10**6_000}))


@pytest.mark.parametrize("name", [*keyword.kwlist, *keyword.softkwlist, "ﬁ", "a b", "", "1a", "é"])
def test_any_attribute_name_has_a_text(name):
    expr = AttrSource(LocalSource("x"), name)
    assert parse(render(expr)) is expr
    assert Const(name) is parse(render(Const(name)))
