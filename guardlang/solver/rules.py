"""The rules of the solver as data: name, what it says, an example before and after, and with that its proof obligation.

The functions that apply a rule are in the module that is named; the checker has its own for each. The tests prove every example
by the tier built in with the rule in the proof, by z3 and by brute force; the table of the documentation is made from this one.
"""

from __future__ import annotations

import attrs

__all__ = ["RULES", "Rule", "table"]


@attrs.frozen
class Rule:
    """One rule.

    Args:
        kind: what kind of fact it gives.
        name: its name in proofs.
        module: where it is applied.
        says: the rule, in words.
        before: guards to which it applies.
        after: a guard that follows by it: that it does is the obligation.
    """

    kind: str
    name: str
    module: str
    says: str
    before: tuple[str, ...]
    after: str


_INT = "type(L['a']) is int"
_INTS = (_INT, "type(L['b']) is int")

RULES: tuple[Rule, ...] = (
    Rule("linear", "compare", "context", "a comparison of integers is a polynomial at least, equal or unequal to zero",
         (_INT, "not L['a'] < 2"), "L['a'] >= 2"),
    Rule("linear", "combine", "domains", "facts times factors add up; a common divisor goes out and the rest is rounded",
         (_INT, "2 * L['a'] >= 5"), "L['a'] >= 3"),
    Rule("linear", "squeeze", "domains", "between two equal bounds there is one value",
         (_INT, "L['a'] > 8", "L['a'] <= 9"), "L['a'] == 9"),
    Rule("linear", "step", "domains", "a bound moves inwards to the next value of the right remainder",
         (_INT, "L['a'] > 2", "L['a'] % 5 == 0"), "L['a'] > 4"),
    Rule("linear", "past", "domains", "a bound moves past a value that is excluded",
         (_INT, "L['a'] >= 2", "L['a'] != 2"), "L['a'] >= 3"),
    Rule("linear", "unrewrite", "domains", "a solved atom is replaced by what it equals",
         (*_INTS, "L['a'] == L['b'] + 1", "L['b'] >= 3"), "L['a'] >= 4"),
    Rule("linear", "quotient", "domains", "for k > 0: 0 <= a - k * (a // k) <= k - 1",
         (_INT, "L['a'] // 4 == 3"), "L['a'] >= 12"),
    Rule("linear", "size", "domains", "lengths, sizes and numbers of dimensions are not negative",
         ("L['a'].shape[0] != 0",), "L['a'].shape[0] >= 1"),
    Rule("linear", "product", "products", "the product of two polynomials that are not negative is not negative",
         ("L['a'].shape[0] >= 2", "L['a'].shape[1] >= 2"), "L['a'].shape[0] * L['a'].shape[1] >= 4"),
    Rule("linear", "square", "products", "a square is not negative",
         (_INT,), "L['a'] * L['a'] >= 0"),
    Rule("clause", "maximum", "search", "a maximum is one of its parts, the others are not larger",
         _INTS, "max(L['a'], L['b']) + min(L['a'], L['b']) == L['a'] + L['b']"),
    Rule("clause", "choice", "search", "a conditional is one of its sides",
         (_INT,), "(L['a'] if L['a'] >= 0 else -L['a']) >= 0"),
    Rule("clause", "either side", "search", "an integer that is not zero is positive or negative",
         (_INT, "3 <= L['a'] <= 5", "L['a'] != 4"), "L['a'] % 2 == 1"),
    Rule("linear", "divisor", "context", "what a defined expression divides by is not zero",
         (*_INTS, "L['a'] % L['b'] == 0", "L['b'] >= 0"), "L['b'] >= 1"),
    Rule("divides", "exact", "domains", "a remainder that is known is a divisibility",
         (_INT, "L['a'] % 12 == 0"), "L['a'] % 4 == 0"),
    Rule("divides", "together", "domains", "two remainders of one number are one remainder by the common multiple",
         (_INT, "L['a'] % 4 == 0", "L['a'] % 6 == 0"), "L['a'] % 12 == 0"),
    Rule("order", "order chain", "orders", "a < b and b < c give a < c, for floats too",
         ("type(L['a']) is float", "type(L['b']) is float", "L['a'] > 1.5", "L['b'] > L['a']"), "L['b'] > 1"),
    Rule("order", "equal order", "orders", "a number that equals a constant is neither above nor below it",
         ("type(L['a']) is float", "L['a'] == 3"), "L['a'] > 2"),
    Rule("same", "congruence", "context", "of one object the same is read",
         ("L['a'] is L['b']", "L['b'].n is None"), "L['a'].n is None"),
    Rule("same", "transitive", "relations", "identity is transitive",
         ("L['a'] is L['b']", "L['c'] is L['b']", "L['d'] is L['c']"), "same(L['d'], L['a'])"),
    Rule("apart", "apart", "context", "different objects stay different under other names",
         ("distinct(L['a'], L['b'])", "L['c'] is L['a']"), "L['c'] is not L['b']"),
    Rule("apart", "classes", "entailment", "objects of different classes are different objects",
         ("type(L['a']) is list", "type(L['b']) is dict"), "L['a'] is not L['b']"),
    Rule("type", "operand class", "context", "arithmetic and order are defined for numbers only",
         ("isinstance(L['a'], int)", "L['a'] % 2 == 1", "L['a'] > 3"), "L['a'] >= 4"),
    Rule("type", "instance", "context", "an instance test strikes out classes by the method resolution order",
         ("isinstance(L['a'], int)", "L['a'] % 2 == 1", "not isinstance(L['a'], bool)"), "type(L['a']) is int"),
    Rule("type", "object", "context", "an object has the class that it has",
         ("L['a'] is True",), "type(L['a']) is bool"),
    Rule("type", "exact", "context", "an exact value has an exact class",
         ("exact(L['a'], 1)",), "type(L['a']) is int"),
    Rule("true", "evaluate", "entailment", "a condition on known values is what its evaluation gives",
         ("exact(L['a'], 2.5)",), "L['a'] * 2 == 5.0"),
    Rule("true", "itself", "entailment", "what holds no NaN equals itself",
         ("type(L['a']) is str",), "L['a'] == L['a']"),
    Rule("equals", "only case", "search", "of a list of values all but one are excluded",
         ("L['a'] in ('x', 'y')", "L['a'] != 'x'"), "L['a'] == 'y'"),
    Rule("true", "known keys", "entailment", "the keys of a dict tell what is in it",
         ("keys(L['a']) == ('x', 'y')",), "'x' in L['a']"),
    Rule("linear", "length of value", "context", "equal values have equal lengths",
         ("keys(L['a']) == ('x', 'y')",), "len(L['a']) == 2"),
    Rule("true", "entry", "entailment", "an entry with a string key that can be read is in the dict",
         ("L['a']['k'] == 1",), "'k' in L['a']"),
    Rule("defined", "key", "definedness", "an entry of a dict that has the key can be read",
         ("'k' in L['a']", "type(L['a']) is dict"), "L['a']['k'] is L['a']['k']"),
    Rule("defined", "index", "definedness", "a position below the length can be read",
         ("type(L['a']) is list", "len(L['a']) > 1"), "L['a'][1] is L['a'][1]"),
    Rule("defined", "dimension", "definedness", "a dimension that exists has a size",
         ("L['a'].ndim > 2",), "L['a'].shape[2] >= 0"),
    Rule("linear", "rank", "context", "a size that can be read is one of the dimensions",
         ("L['a'].shape[1] == 4",), "L['a'].ndim >= 2"),
    Rule("true", "attribute", "entailment", "an attribute that is read is there",
         ("L['a'].q == 2",), "hasattr(L['a'], 'q')"),
    Rule("false", "no nan", "entailment", "what stands in an order is no NaN",
         ("type(L['a']) is float", "L['a'] > 0.0"), "not isnan(L['a'])"),
)  # fmt: skip


def table() -> str:
    """Return the rules as a table in Markdown.

    Example:
        >>> print(table().splitlines()[0])
        | rule | gives | says | from | follows |
    """
    lines = ["| rule | gives | says | from | follows |", "|---|---|---|---|---|"]
    for rule in RULES:
        before = ", ".join(f"`{text}`" for text in rule.before)
        lines.append(f"| {rule.name} | {rule.kind} | {rule.says} | {before} | `{rule.after}` |".replace("||", "\\|\\|"))
    return "\n".join(lines)
