"""The state of a proof: the facts taken in so far and what follows from them at once, incremental and with undo.

A condition that holds says three things: its operands are defined, some of them have certain classes, and its own relation. Each
goes to the store that reasons about it. Disjunctions are kept as clauses; `search` looks at their cases.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from guardlang.ast import BinOp, BoolOp, Call, Compare, Expr, IfExp, Not
from guardlang.solver.domains import Numbers, chain, linear
from guardlang.solver.facts import Fact, given
from guardlang.solver.normal import literal, statically_int
from guardlang.solver.orders import Orders
from guardlang.solver.polynomial import Polynomial, number
from guardlang.solver.relations import Classes, constant, signature
from guardlang.solver.structure import WHOLE, all_parts, demands, links, strict_parts
from guardlang.solver.trail import Trail
from guardlang.sources import AttrSource, Const, ConstantSource, GetItemSource, TensorPropertySource, TypeSource
from guardlang.typecheck import static_type
from guardlang.types import BOOL
from guardlang.values import Undefined, equal, mro_of
from guardlang.walk import children, rebuild, rewrite

__all__ = ["Context", "classes_named", "is_condition", "negated"]

_NEGATION = {
    "<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "==",
    "is": "is not", "is not": "is", "in": "not in", "not in": "in",
}  # fmt: skip
_BITWISE = frozenset({"<<", ">>", "&", "|", "^"})
_SCALAR_TYPES = frozenset({bool, int, float, complex, str, bytes, type(None)})


def negated(op: str) -> str:
    """Return the comparison that is true when another is false, between ordered operands.

    Example:
        >>> negated("<"), negated("is")
        ('>=', 'is not')
    """
    return _NEGATION[op]


def is_condition(expr: Expr) -> bool:
    """Tell whether an expression is a condition by its form.

    Example:
        >>> from guardlang.parse import parse
        >>> is_condition(parse("not L['a'] is None")), is_condition(parse("L['a']"))
        (True, False)
    """
    return isinstance(expr, Compare | BoolOp | Not) or (isinstance(expr, IfExp | Call) and static_type(expr) == BOOL)


def classes_named(expr: Expr) -> tuple[type, ...] | None:
    """Return the classes that the second operand of `isinstance` names, None when it is no constant.

    Example:
        >>> from guardlang.parse import parse
        >>> classes_named(parse("isinstance(L['x'], (int, str))").args[1])
        (<class 'int'>, <class 'str'>)
    """
    if isinstance(expr, ConstantSource):
        parts = expr.value if type(expr.value) is tuple else (expr.value,)
    elif hasattr(expr, "items"):
        parts = tuple(item.value if isinstance(item, ConstantSource) else None for item in expr.items)
    else:
        return None
    return parts if all(issubclass(type(part), type) for part in parts) else None


class Context:
    """Facts and their immediate consequences.

    Args:
        guards: conditions that hold; more may be added.

    Example:
        >>> from guardlang.parse import parse
        >>> context = Context([parse("type(L['n']) is int"), parse("L['n'] > 3")])
        >>> context.absurd is None
        True
        >>> context.add(parse("L['n'] < 4"))
        >>> context.absurd is None
        False
    """

    def __init__(self, guards: Iterable[Expr] = ()) -> None:
        self.trail = Trail()
        self.count = 0
        self._flag: dict[str, Fact] = {}
        self.numbers = Numbers(self.trail, self.fail)
        self.orders = Orders(self.trail, self.fail)
        self.same = Classes(self.trail, "same")
        self.equal = Classes(self.trail, "equal")
        # Conditions with the fact that they are true or false.
        self.truths: dict[Expr, Fact] = {}
        # Terms that are defined, with a condition that evaluates them.
        self.defined: dict[Expr, Fact] = {}
        self.undefined: dict[Expr, Fact] = {}
        # By representative: exact classes; the value; values that it is not; instance tests; objects it is not.
        self.types: dict[Expr, Fact] = {}
        self.values: dict[Expr, tuple[Any, Fact]] = {}
        self.exacts: dict[Expr, tuple[Any, Fact]] = {}
        self.unequal: dict[Expr, Any] = {}
        self.finite: dict[Expr, tuple[tuple[Any, ...], Fact]] = {}
        self.instances: dict[Expr, Any] = {}
        self.objects: dict[Expr, tuple[Any, Expr, Fact]] = {}
        self.apart: dict[Expr, Any] = {}
        # Terms below `==` and `in` that hold, which are values therefore.
        self.valued: dict[Expr, Fact] = {}
        self.clauses: dict[Fact, bool] = {}
        # Maxima and conditionals whose cases a search is looking at.
        self.asked: dict[Any, bool] = {}
        # Comparisons that say more once a term is known to be an int, by the term.
        self.waiting: dict[Expr, Any] = {}
        # Reads by position, `.ndim` and `len`, by what they read from.
        self.sized: dict[Expr, Any] = {}
        self.ranks: dict[Expr, Expr] = {}
        # The dimension furthest in that is read of a term, with the number of dimensions that it needs.
        self.deepest: dict[Expr, tuple[int, Expr]] = {}
        self.lengths: dict[Expr, Expr] = {}
        # The index of congruence; made when the first two terms become one.
        self._signatures: dict[Any, Expr] = {}
        self._parents: dict[Expr, Any] = {}
        self._indexed: dict[str, bool] = {}
        for guard in guards:
            self.add(guard)

    # Taking in.

    @property
    def absurd(self) -> Fact | None:
        """The contradiction between the facts, if one has been met."""
        return self._flag.get("absurd")

    def fail(self, fact: Fact) -> None:
        """Note a contradiction; the first one stays.

        Args:
            fact: of kind `absurd`.
        """
        if "absurd" not in self._flag:
            self.trail.set(self._flag, "absurd", fact)

    def add(self, guard: Expr, number_: int | None = None) -> None:
        """Take in a guard that holds.

        Args:
            guard: the condition.
            number_: its place in the question; one more than the last by default.
        """
        place = self.count if number_ is None else number_
        self.count = place + 1
        self.take(given(place, guard))

    def mark(self) -> tuple[int, int]:
        """Return the present state, for `undo`."""
        return self.trail.mark(), self.count

    def undo(self, mark: tuple[int, int]) -> None:
        """Go back to a state."""
        self.trail.undo(mark[0])
        self.count = mark[1]

    def take(self, fact: Fact) -> None:
        """Take in any fact, and what follows from it at once.

        Args:
            fact: the fact.
        """
        if self._flag:
            return
        match fact.kind:
            case "true" | "false":
                self._condition(fact)
            case "linear":
                self.numbers.add(fact)
            case "type":
                self.narrow(fact.args[0], fact.args[1], fact)
            case "same":
                self.unite(fact.args[0], fact.args[1], fact)
            case "apart":
                self._separate(fact)
            case "equals":
                self._equals(fact)
            case "differs":
                self._differs(fact)
            case "order":
                self.orders.add(fact)
            case "clause":
                self.trail.set(self.clauses, fact, True)
            case "absurd":
                self.fail(fact)
            case _:
                pass

    def _condition(self, fact: Fact) -> None:
        expr: Expr = fact.args[0]
        known = self.truths.get(expr)
        if known is not None:
            if known.kind != fact.kind:
                self.fail(Fact("absurd", (), "both", (known, fact)))
            return
        self.trail.set(self.truths, expr, fact)
        defined = self.defined
        for part in strict_parts(expr):
            if part not in defined:
                self.define(part, fact)
        for part, classes in demands(expr):
            self.demand(part, classes, fact)
        truth = fact.kind == "true"
        match expr:
            case Compare(ops=ops, operands=operands):
                if len(ops) == 1:
                    self._link(ops[0], operands[0], operands[1], truth, fact)
                else:
                    self._chain(expr, truth, fact)
            case Not(operand=operand):
                self.take(Fact("false" if truth else "true", (operand,), "not", (fact,)))
            case BoolOp(op=op, operands=operands):
                self._junction(op, operands, truth, fact)
            case IfExp(test=test, body=body, orelse=orelse):
                kind = fact.kind
                self.clause(fact, "if", ((("true", test), (kind, body)), (("false", test), (kind, orelse))))
            case Call(function=function, args=args):
                self._call(function, args, truth, fact)
            case Const(value=value):
                if value is not truth:
                    self.fail(Fact("absurd", (), "constant", (fact,)))
            case _:
                pass

    def clause(self, fact: Fact, rule: str, alternatives: tuple[tuple[tuple[Any, ...], ...], ...]) -> None:
        """Take in that one of some alternatives holds.

        Args:
            fact: what it follows from.
            rule: by which rule.
            alternatives: each a tuple of facts, as kind and arguments.
        """
        made = Fact("clause", alternatives, rule, (fact,))
        if len(alternatives) == 1:
            for kind, *args in alternatives[0]:
                self.take(Fact(kind, tuple(args), "only case", (made,)))
        else:
            self.take(made)

    def _chain(self, expr: Compare, truth: bool, fact: Fact) -> None:
        if truth:
            for link in links(expr):
                self.take(Fact("true", (link,), "part", (fact,)))
            return
        self.clause(fact, "some part", _first_stop(links(expr), "false", "true"))

    def _junction(self, op: str, operands: tuple[Expr, ...], truth: bool, fact: Fact) -> None:
        if truth is (op == "and"):
            for operand in operands:
                self.take(Fact(fact.kind, (operand,), "part", (fact,)))
            return
        going = "true" if op == "and" else "false"
        self.clause(fact, "some part", _first_stop(operands, fact.kind, going))

    def _call(self, function: str, args: tuple[Expr, ...], truth: bool, fact: Fact) -> None:
        match function:
            case "same":
                if truth:
                    for other in args[1:]:
                        self.unite(args[0], other, Fact("same", (args[0], other), "same", (fact,)))
                elif len(args) == 2:
                    self._separate(Fact("apart", (args[0], args[1]), "not same", (fact,)))
            case "distinct":
                if truth:
                    self._group(args, fact)
                elif len(args) == 2:
                    self.unite(args[0], args[1], Fact("same", (args[0], args[1]), "not distinct", (fact,)))
            case "hasattr":
                self._attribute(args, truth, fact)
            case "isinstance":
                self._instance(args[0], args[1], truth, fact)
            case "exact":
                self._exact(args[0], args[1], truth, fact)
            case _:
                pass

    def _attribute(self, args: tuple[Expr, ...], truth: bool, fact: Fact) -> None:
        if not isinstance(args[1], Const) or type(args[1].value) is not str:
            return
        node: Expr = AttrSource(args[0], args[1].value)
        if truth:
            self.define(node, Fact("defined", (node,), "has attribute", (fact,)))
        else:
            self.trail.set(self.undefined, node, fact)
            for other in self.congruent(node):
                self._check_undefined(other)
            self._check_undefined(node)

    def _check_undefined(self, node: Expr) -> None:
        held = self.defined.get(node)
        if held is None:
            return
        for other in (node, *self.congruent(node)):
            missing = self.undefined.get(other)
            if missing is not None:
                why = self.same.why(node.base, other.base) if other is not node else ()  # type: ignore[union-attr]  # attributes
                self.fail(Fact("absurd", (), "missing", (missing, self.definition(node), *why)))
                return

    def known(self, expr: Expr) -> Fact | None:
        """Return the fact that a condition, or one on the same objects, is true or false.

        Args:
            expr: the condition.
        """
        found = self.truths.get(expr)
        if found is not None or not self.same.head:
            return found
        for position, part in enumerate(children(expr)):
            for other in self.same.class_of(part):
                if other is part or isinstance(other, Const | ConstantSource):
                    continue
                below = list(children(expr))
                below[position] = other
                found = self.truths.get(rebuild(expr, tuple(below)))
                if found is not None:
                    return Fact(found.kind, (expr,), "alias", (found, *self.same.why(other, part)))
        return None

    def twin(self, expr: Expr) -> Expr | None:
        """Return a defined term that reads the same of the same objects.

        Args:
            expr: a term that is not known to be defined.
        """
        key = signature(expr, self.same)
        return None if key is None else self._signatures.get(key)

    def canonical(self, expr: Expr, used: list[Fact]) -> Expr:
        """Return an expression with terms that are new under the name of a known term that reads the same.

        Args:
            expr: the expression.
            used: gains the facts that the terms are the same.
        """
        merged = self.same.members
        head = self.same.head
        if not any(child in head or child in merged for part in all_parts(expr) for child in children(part)):
            return expr

        def change(node: Expr) -> Expr:
            if node in self.defined or node in head:
                return node
            twin = self.twin(node)
            if twin is None or twin is node:
                return node
            used.append(self._congruence(node, twin))
            return twin

        return rewrite(expr, change)

    def named(self, part: Expr) -> Expr:
        """Return a term that is known by another name under the name it was first met by."""
        if part in self.same.head:
            return part
        twin = self.twin(part)
        return part if twin is None else twin

    def naming(self, part: Expr) -> Fact | None:
        """Return the fact that a term is what `named` gives for it, None when it is just that."""
        twin = self.named(part)
        return None if twin is part else self._congruence(part, twin)

    def congruent(self, node: Expr) -> tuple[Expr, ...]:
        """Return the other terms that read the same attribute of what is known to be the same object."""
        if not isinstance(node, AttrSource) or not self.same.head:
            return ()
        return tuple(AttrSource(other, node.member) for other in self.same.class_of(node.base) if other is not node.base)

    # Definedness.

    def define(self, part: Expr, fact: Fact) -> None:
        """Take in that a term is defined.

        Args:
            part: the term.
            fact: a condition that evaluates it, or a fact of kind `defined`.
        """
        self.trail.set(self.defined, part, fact)
        match part:
            case TensorPropertySource(base=base):
                self._sized_by(base, part)
            case AttrSource(base=base, member="ndim"):
                self.trail.set(self.ranks, base, part)
                for other in chain(self.sized.get(base)):
                    self._rank(part, other)
            case GetItemSource(base=base):
                self._sized_by(base, part)
            case Call(function="len", args=(base,)):
                self._length(part, base)
            case _:
                pass
        if self.undefined and isinstance(part, AttrSource):
            self._check_undefined(part)
        if self._indexed:
            self._index(part)

    def definition(self, part: Expr) -> Fact:
        """Return the fact that a term is defined, which is known."""
        fact = self.defined[part]
        return fact if fact.kind == "defined" and fact.args[0] is part else Fact("defined", (part,), "operand", (fact,))

    def _sized_by(self, base: Expr, part: Expr) -> None:
        """Note a read by position, and what it says of the number of positions."""
        self.trail.set(self.sized, base, (part, self.sized.get(base)))
        if isinstance(part, TensorPropertySource) and isinstance(part.index, Const) and type(part.index.value) is int:
            needed = part.index.value + 1 if part.index.value >= 0 else -part.index.value
            if needed > self.deepest.get(base, (0, part))[0]:
                self.trail.set(self.deepest, base, (needed, part))
        if isinstance(part, TensorPropertySource):
            rank = self.ranks.get(base)
            if rank is not None:
                self._rank(rank, part)
        else:
            size = self.lengths.get(base)
            if size is not None:
                self._position(size, part)

    def _rank(self, rank: Expr, part: Expr) -> None:
        """A dimension that is read is one of those that are there."""
        if isinstance(part, TensorPropertySource) and isinstance(part.index, Const) and type(part.index.value) is int:
            index = part.index.value
            poly = Polynomial({(rank,): 1}) - number(index + 1 if index >= 0 else -index)
            self.numbers.add(linear(poly, ">=", "rank", (self.definition(part), self.definition(rank))))

    def _length(self, size: Expr, base: Expr) -> None:
        self.trail.set(self.lengths, base, size)
        for part in chain(self.sized.get(base)):
            self._position(size, part)
        if isinstance(base, AttrSource) and base.member == "shape":
            rank = Polynomial({(AttrSource(base.base, "ndim"),): 1})
            self.numbers.add(linear(Polynomial({(size,): 1}) - rank, "==", "dimensions", (self.definition(size),)))
        for other in self.equal.class_of(base):
            known = self.values.get(self.equal.find(other))
            if known is not None:
                self._length_of_value(base, known[0])
                break
        keys = self.equal.find(Call("keys", (base,)))
        if keys in self.values:
            self._length_of_value(Call("keys", (base,)), self.values[keys][0])
        for other in self.equal.class_of(base):
            if other is not base:
                self._equal_lengths(base, other)

    def _position(self, size: Expr, part: Expr) -> None:
        if not isinstance(part, GetItemSource) or not isinstance(part.index, Const) or type(part.index.value) is not int:
            return
        fact = self.types.get(self.same.find(part.base))
        if fact is None or not fact.args[1] <= {list, tuple}:
            return
        index = part.index.value
        poly = Polynomial({(size,): 1}) - number(index + 1 if index >= 0 else -index)
        premises = (self.definition(part), *self.type_premises(part.base))
        self.numbers.add(linear(poly, ">=", "position", premises))

    # Classes.

    def demand(self, part: Expr, classes: frozenset[type], fact: Fact) -> None:
        """Take in that a condition is defined only for values of some classes.

        Args:
            part: an operand.
            classes: its possible exact classes.
            fact: the condition.
        """
        known = self.types.get(self.same.find(part))
        if known is not None and known.args[1] <= classes:
            return
        self.narrow(part, classes, Fact("type", (part, classes), "operand class", (fact,)))

    def narrow(self, part: Expr, classes: frozenset[type], fact: Fact) -> None:
        """Take in the classes of which a term is one.

        Args:
            part: the term.
            classes: the possible exact classes.
            fact: the fact, on this term.
        """
        head = self.same.find(part)
        known = self.types.get(head)
        if known is None:
            both = classes
            if head is not part:
                fact = Fact("type", (head, both), "alias", (fact, *self.same.why(part, head)))
        else:
            both = known.args[1] & classes
            if both == known.args[1]:
                return
            fact = Fact("type", (head, both), "both classes", (known, fact, *self.same.why(part, head)))
        kept = both
        for targets, truth, why in chain(self.instances.get(head)):
            fitting = frozenset(cls for cls in kept if _is_instance(cls, targets) is truth)
            if fitting != kept:
                kept = fitting
                fact = Fact("type", (head, kept), "instance", (fact, why, *self.same.why(head, why.args[0].args[0])))
        self.trail.set(self.types, head, fact)
        if not kept:
            self.fail(Fact("absurd", (), "no class", (fact,)))
            return
        if kept <= WHOLE:
            self._became_int(head)
        elif kept <= {list, tuple}:
            for member in self.same.class_of(head):
                size = Call("len", (member,))
                if size in self.defined:
                    for item in chain(self.sized.get(member)):
                        self._position(size, item)
        if head in self.values:
            self._fit_value(head)

    def _fit_value(self, head: Expr) -> None:
        fact, why = self.types.get(head), self.value_fact(head)
        if fact is not None and why is not None and _value_excludes(self.values[head][0], fact.args[1]):
            self.fail(Fact("absurd", (), "no such value", (why, fact)))

    def _became_int(self, head: Expr) -> None:
        members = self.same.class_of(head)
        for member in members:
            queue = list(chain(self.waiting.get(member)))
            if queue:
                self.trail.set(self.waiting, member, None)
                for fact in reversed(queue):
                    self._compare_ints(fact)
        for member in members[1:]:
            self._same_number(members[0], member)

    def type_premises(self, part: Expr) -> tuple[Fact, ...]:
        """Return the facts from which the class of a term follows."""
        head = self.same.find(part)
        fact = self.types.get(head)
        if fact is None:
            return ()
        return (fact,) if head is part else (Fact("type", (part, fact.args[1]), "alias", (fact, *self.same.why(part, head))),)

    def int_premises(self, leaves: tuple[Expr, ...]) -> tuple[Fact, ...] | Expr:
        """Return the facts that terms are ints, or the first term that is not known to be one."""
        found: tuple[Fact, ...] = ()
        for leaf in leaves:
            if isinstance(leaf, BinOp):
                if leaf.op not in _BITWISE:
                    return leaf
                below = self.int_premises(tuple(part for part in (leaf.left, leaf.right) if not statically_int(part)))
                if not isinstance(below, tuple):
                    return below
                found += below
                continue
            fact = self.types.get(self.same.find(leaf))
            if fact is None or not fact.args[1] <= WHOLE:
                return leaf
            found += self.type_premises(leaf)
        return found

    def _instance(self, part: Expr, second: Expr, truth: bool, fact: Fact) -> None:
        targets = classes_named(second)
        if targets is None:
            return
        head = self.same.find(part)
        for others, other_truth, why in chain(self.instances.get(head)):
            if truth and not other_truth and all(_is_instance(target, others) for target in targets):
                self.fail(Fact("absurd", (), "instances", (fact, why, *self.same.why(part, why.args[0].args[0]))))
            if other_truth and not truth and all(_is_instance(target, targets) for target in others):
                self.fail(Fact("absurd", (), "instances", (why, fact, *self.same.why(part, why.args[0].args[0]))))
        self.trail.set(self.instances, head, ((targets, truth, fact), self.instances.get(head)))
        known = self.types.get(head)
        if known is not None:
            classes = frozenset(cls for cls in known.args[1] if _is_instance(cls, targets) is truth)
            if classes != known.args[1]:
                new = Fact("type", (head, classes), "instance", (known, fact, *self.same.why(head, part)))
                self.trail.set(self.types, head, known)
                self.narrow(head, classes, new)

    # Comparisons.

    def _link(self, op: str, left: Expr, right: Expr, truth: bool, fact: Fact) -> None:
        if op in ("is", "is not"):
            pair = (left, right)
            if (op == "is") is truth:
                self.unite(left, right, Fact("same", pair, "is", (fact,)))
            else:
                self._separate(Fact("apart", pair, "is not", (fact,)))
            return
        if op in ("in", "not in"):
            self._member(left, right, (op == "in") is truth, fact)
            return
        if op in ("==", "!="):
            if is_condition(left) and is_condition(right):
                agree = (op == "==") is truth
                first = (("true", left), ("true" if agree else "false", right))
                second = (("false", left), ("false" if agree else "true", right))
                self.clause(fact, "conditions", (first, second))
                return
            self._equality(left, right, (op == "==") is truth, fact)
        else:
            found = literal(fact.args[0])
            # Between ints by what they are their own store has all there is to say.
            if found is None or found.leaves:
                self.orders.compare(self, op, left, right, truth, fact)
        self._compare_ints(fact)

    def _compare_ints(self, fact: Fact) -> None:
        found = literal(fact.args[0])
        if found is None:
            return
        premises: tuple[Fact, ...] = ()
        if found.leaves:
            ints = self.int_premises(found.leaves)
            if not isinstance(ints, tuple):
                self.trail.set(self.waiting, ints, (fact, self.waiting.get(ints)))
                return
            premises = ints
        for divisor in found.divisors:
            self.numbers.add(linear(divisor, "!=", "divisor", (fact, *premises)))
        self.numbers.add(Fact("linear", found.true if fact.kind == "true" else found.false, "compare", (fact, *premises)))

    def _equality(self, left: Expr, right: Expr, equal_: bool, fact: Fact) -> None:
        for side in (left, right):
            if side not in self.valued and not isinstance(side, Const):
                self.trail.set(self.valued, side, fact)
        for side, other in ((left, right), (right, left)):
            held = constant(other)
            if held is None:
                continue
            if equal_:
                self._equals(Fact("equals", (side, other), "compare", (fact,)))
            else:
                self._differs(Fact("differs", (side, other), "compare", (fact,)))
            return
        if not equal_:
            self.trail.set(self.unequal, left, ((right, fact), self.unequal.get(left)))
            self.trail.set(self.unequal, right, ((left, fact), self.unequal.get(right)))
            self._check_unequal(left)
            return
        merged = self.equal.union(left, right, fact)
        if merged is None:
            return
        kept, gone = merged
        if gone in self.values:
            value, why = self.values[gone]
            if kept not in self.values:
                self.trail.set(self.values, kept, (value, why))
            elif not _values_equal(self.values[kept][0], value):
                path = self.equal.why(self.values[kept][1].args[0], why.args[0])
                self.fail(Fact("absurd", (), "two values", (self.values[kept][1], why, *path)))
                return
            self._values_meet(kept)
        elif kept in self.values:
            self._values_meet(kept)
        self.trail.set(self.unequal, kept, _joined(self.unequal.get(gone), self.unequal.get(kept)))
        self._check_unequal(kept)
        for member in self.equal.class_of(kept):
            if Call("len", (member,)) in self.defined:
                for other in self.equal.class_of(kept):
                    if other is not member:
                        self._equal_lengths(member, other)

    def _equal_lengths(self, left: Expr, right: Expr) -> None:
        poly = Polynomial({(Call("len", (left,)),): 1}) - Polynomial({(Call("len", (right,)),): 1})
        self.numbers.add(linear(poly, "==", "equal lengths", self.equal.why(left, right)))

    def _check_unequal(self, part: Expr) -> None:
        head = self.equal.find(part)
        for other, why in chain(self.unequal.get(head)):
            if isinstance(other, Const | ConstantSource):
                known = self.values.get(head)
                if known is not None and self._surely_equal(known[0], constant(other)):
                    path = self.equal.why(known[1].args[0], why.args[0])
                    self.fail(Fact("absurd", (), "not this value", (known[1], why, *path)))
            else:
                link = why.args[0]
                first, second = link.operands
                if self.equal.find(first) is self.equal.find(second) and first is not second:
                    self.fail(Fact("absurd", (), "unequal", (why, *self.equal.why(first, second))))

    @staticmethod
    def _surely_equal(value: Any, held: tuple[Any, Any] | None) -> bool:
        return held is not None and _values_equal(value, held[1])

    def _equals(self, fact: Fact) -> None:
        part, node = fact.args
        held = constant(node)
        assert held is not None
        value = held[1]
        if issubclass(type(value), type):
            self.unite(part, node, Fact("same", (part, node), "class value", (fact,)))
            return
        self.orders.equals(self, part, value, fact)
        if fact.rule != "compare" and type(value) in (int, bool) and self._is_int(part):
            poly = Polynomial({(part,): 1}) - number(int(value))
            self.numbers.add(linear(poly, "==", "equal number", (fact, *self.type_premises(part))))
            if self._flag:
                return
        head = self.equal.find(part)
        known = self.values.get(head)
        if known is not None:
            if not _values_equal(known[0], value):
                path = self.equal.why(known[1].args[0], part)
                self.fail(Fact("absurd", (), "two values", (known[1], fact, *path)))
            return
        choices = self.finite.get(head)
        if choices is not None and not any(_values_equal(value, other) for other in choices[0]):
            path = self.equal.why(choices[1].args[0].operands[0], part)
            self.fail(Fact("absurd", (), "no choice", (choices[1], fact, *path)))
            return
        self.trail.set(self.values, head, (value, fact))
        self._check_unequal(head)
        self._values_meet(head)
        same_head = self.same.find(part)
        kinds = self.types.get(same_head)
        if kinds is not None and _value_excludes(value, kinds.args[1]):
            premises = (fact, *self.type_premises(part))
            self.fail(Fact("absurd", (), "no such value", premises))

    def _values_meet(self, head: Expr) -> None:
        """Draw what the value of a class says of lengths."""
        value = self.values[head][0]
        for member in self.equal.class_of(head):
            if Call("len", (member,)) in self.defined:
                self._length_of_value(member, value)
            if isinstance(member, Call) and member.function == "keys" and Call("len", member.args) in self.defined:
                self._length_of_value(member, value)

    def _length_of_value(self, part: Expr, value: Any) -> None:
        """Take in the length of a term whose value is known."""
        if type(value) not in (tuple, list, str, bytes, dict, set, frozenset):
            return
        fact = self.value_fact(part)
        if fact is None:
            return
        size = Call("len", part.args) if isinstance(part, Call) and part.function == "keys" else Call("len", (part,))
        for target in {size: None, Call("len", (part,)): None}:
            poly = Polynomial({(target,): 1}) - number(len(value))
            self.numbers.add(linear(poly, "==", "length of value", (fact,)))

    def value_fact(self, part: Expr) -> Fact | None:
        """Return the fact that a term equals a constant."""
        known = self.values.get(self.equal.find(part))
        if known is None:
            return None
        fact = known[1]
        if fact.args[0] is part:
            return fact
        return Fact("equals", (part, fact.args[1]), "equal values", (fact, *self.equal.why(fact.args[0], part)))

    def _differs(self, fact: Fact) -> None:
        part, node = fact.args
        head = self.equal.find(part)
        self.orders.differs(self, part, node, fact)
        self.trail.set(self.unequal, head, ((node, fact), self.unequal.get(head)))
        self._check_unequal(head)
        choices = self.finite.get(head)
        if choices is not None:
            self._choose(head, choices[1])

    def _member(self, part: Expr, container: Expr, inside: bool, fact: Fact) -> None:
        held = constant(container)
        if held is None:
            return
        items = held[1]
        if type(items) in (set, frozenset, dict):
            items = tuple(sorted(items, key=repr)) if type(items) is not dict else tuple(items)
        if type(items) not in (tuple, list) or len(items) > 256:
            return
        if part not in self.valued:
            self.trail.set(self.valued, part, fact)
        if not inside:
            for item in items:
                self._differs(Fact("differs", (part, Const(item)), "member", (fact,)))
            return
        head = self.equal.find(part)
        self.trail.set(self.finite, head, (tuple(items), fact))
        known = self.values.get(head)
        if known is not None and not any(_values_equal(known[0], item) for item in items):
            path = self.equal.why(known[1].args[0], part)
            self.fail(Fact("absurd", (), "no choice", (fact, known[1], *path)))
            return
        self._choose(head, fact)

    def _choose(self, head: Expr, fact: Fact) -> None:
        """Draw what is left of a choice of values: nothing, one value, or a clause."""
        part: Expr = fact.args[0].operands[0]
        left, premises = [], []
        for item in self.finite[head][0]:
            for other, why in chain(self.unequal.get(head)):
                if isinstance(other, Const | ConstantSource) and self._surely_equal(item, constant(other)):
                    premises.append(why)
                    break
            else:
                left.append(item)
        path = tuple(dict.fromkeys(p for why in premises for p in self.equal.why(part, why.args[0])))
        alternatives = tuple((("equals", part, Const(item)),) for item in left)
        made = Fact("clause", alternatives, "member", (fact, *premises, *path))
        if not left:
            self.fail(Fact("absurd", (), "no case", (made,)))
        elif len(left) == 1:
            self._equals(Fact("equals", (part, Const(left[0])), "only case", (made,)))
        else:
            self.take(made)

    def _exact(self, left: Expr, right: Expr, truth: bool, fact: Fact) -> None:
        part, held = (left, constant(right)) if constant(right) is not None else (right, constant(left))
        if held is None or not truth:
            return
        head = self.same.find(part)
        value = held[1]
        if head not in self.exacts:
            self.trail.set(self.exacts, head, (value, fact))
        kinds = frozenset({type(value)})
        self.narrow(part, kinds, Fact("type", (part, kinds), "exact", (fact,)))
        if _values_equal(value, value):
            node = right if part is left else left
            self._equals(Fact("equals", (part, node), "exact", (fact,)))

    # Identity.

    def unite(self, left: Expr, right: Expr, fact: Fact) -> None:
        """Take in that two terms are one object.

        Args:
            left: a term or a constant.
            right: a term or a constant.
            fact: of kind `same`, on these two.
        """
        if isinstance(left, Const | ConstantSource):
            left, right = right, left
        held = constant(right)
        if held is not None:
            self._is_object(left, right, held[0], fact)
            return
        if not self._indexed:
            self.trail.set(self._indexed, "on", True)
            for part in tuple(self.defined):
                self._index(part)
        self._unite_terms(left, right, fact)

    def _unite_terms(self, left: Expr, right: Expr, fact: Fact) -> None:
        pending = [(left, right, fact)]
        while pending and not self._flag:
            left, right, fact = pending.pop()
            first, second = self.same.find(left), self.same.find(right)
            if first is second:
                continue
            merged = self.same.union(left, right, fact)
            assert merged is not None
            kept, gone = merged
            self._merge(kept, gone, left, right)
            for parent in list(chain(self._parents.get(gone))):
                key = signature(parent, self.same)
                other = self._signatures.get(key)
                if other is None:
                    self.trail.set(self._signatures, key, parent)
                elif self.same.find(other) is not self.same.find(parent):
                    pending.append((other, parent, self._congruence(other, parent)))
                self.trail.set(self._parents, kept, (parent, self._parents.get(kept)))

    def _congruence(self, left: Expr, right: Expr) -> Fact:
        why = tuple(
            fact
            for first, second in zip(children(left), children(right), strict=False)
            if first is not second
            for fact in self.same.why(first, second)
        )
        return Fact("same", (left, right), "congruence", why)

    def _index(self, part: Expr) -> None:
        key = signature(part, self.same)
        if key is None:
            return
        for child in children(part):
            head = self.same.find(child)
            self.trail.set(self._parents, head, (part, self._parents.get(head)))
        other = self._signatures.get(key)
        if other is None:
            self.trail.set(self._signatures, key, part)
        elif other is not part and self.same.find(other) is not self.same.find(part):
            self.unite(other, part, self._congruence(other, part))

    def _merge(self, kept: Expr, gone: Expr, left: Expr, right: Expr) -> None:
        """Bring together what is known of two terms that have become one."""
        set_ = self.trail.set
        for targets_truth_why in reversed(list(chain(self.instances.get(gone)))):
            set_(self.instances, kept, (targets_truth_why, self.instances.get(kept)))
        theirs = self.types.get(gone)
        if theirs is not None:
            self.narrow(gone, theirs.args[1], theirs)
        mine = self.types.get(kept)
        if mine is not None and self.instances.get(gone) is not None and not self._flag:
            set_(self.types, kept, mine)
            classes = mine.args[1]
            for targets, truth, why in chain(self.instances.get(kept)):
                fitting = frozenset(cls for cls in classes if _is_instance(cls, targets) is truth)
                if fitting != classes:
                    fact = Fact("type", (kept, fitting), "instance", (mine, why, *self.same.why(kept, why.args[0].args[0])))
                    self.narrow(kept, fitting, fact)
                    break
        if gone in self.exacts and kept not in self.exacts:
            set_(self.exacts, kept, self.exacts[gone])
        if gone in self.objects or kept in self.objects:
            one, other = self.objects.get(kept), self.objects.get(gone)
            if one is not None and other is not None and one[0] is not other[0]:
                path = self.same.why(one[2].args[0], other[2].args[0])
                self.fail(Fact("absurd", (), "two objects", (one[2], other[2], *path)))
                return
            if one is None and other is not None:
                set_(self.objects, kept, other)
            self._object_says(self.same.class_of(kept), kept)
        for pair in list(chain(self.apart.get(gone))):
            set_(self.apart, kept, (pair, self.apart.get(kept)))
        for terms, why in chain(self.apart.get(kept)):
            clash = [term for term in terms if self.same.find(term) is self.same.find(kept)]
            if len(clash) > 1:
                self.fail(Fact("absurd", (), "apart", (why, *self.same.why(clash[0], clash[1]))))
                return
        self._equal_if_same(left, right)
        if self._is_int(kept):
            self._became_int(kept)
        self._same_size(left, right)
        for member in self.same.class_of(kept):
            if self.orders.is_ordered(member):
                self.orders.link(self, member)
                break

    def _is_int(self, part: Expr) -> bool:
        fact = self.types.get(self.same.find(part))
        return statically_int(part) or (fact is not None and fact.args[1] <= WHOLE)

    def _same_number(self, left: Expr, right: Expr) -> None:
        if left is right or not (self._is_int(left) and self._is_int(right)):
            return
        poly = Polynomial({(left,): 1}) - Polynomial({(right,): 1})
        premises = (*self.same.why(left, right), *self.type_premises(left), *self.type_premises(right))
        self.numbers.add(linear(poly, "==", "same number", premises))

    def _same_size(self, left: Expr, right: Expr) -> None:
        if statically_int(left) or statically_int(right):
            self._same_number(left, right)

    def _equal_if_same(self, left: Expr, right: Expr) -> None:
        """Carry the value of one object from one name to the other. It equals itself only if it holds no NaN."""
        for part, other in ((left, right), (right, left)):
            for member in self.same.class_of(part):
                fact = self.value_fact(member)
                if fact is not None and other is not member:
                    path = self.same.why(member, other)
                    self._equals(Fact("equals", (other, fact.args[1]), "same value", (fact, *path)))
                    break

    def object_path(self, part: Expr) -> tuple[Fact, ...]:
        """Return the facts from which it follows which object a term is; there must be one.

        Args:
            part: the term.
        """
        fact = self.objects[self.same.find(part)][2]
        return (*self.same.why(part, fact.args[0]), fact)

    def _is_object(self, part: Expr, node: Expr, thing: Any, fact: Fact) -> None:
        head = self.same.find(part)
        known = self.objects.get(head)
        if known is not None:
            if known[0] is not thing:
                held = Fact("same", (part, known[1]), "transitive", self.object_path(part))
                self.fail(Fact("absurd", (), "two objects", (fact, held)))
            return
        members = self.same.class_of(part)
        self.trail.set(self.objects, head, (thing, node, fact))
        # Hundreds of terms may be None, True or of one class: that they are one object is known by the table alone.
        if not (thing is None or type(thing) is bool or isinstance(part, TypeSource)):
            if not self._indexed:
                self.trail.set(self._indexed, "on", True)
                for other in tuple(self.defined):
                    self._index(other)
            if self.same.find(node) in self.objects or node in self.same.head or node in self.same.members:
                self._unite_terms(node, part, fact)
            else:
                self.same.union(part, node, fact)
                head = self.same.find(part)
                self.trail.set(self.objects, head, (thing, node, fact))
        for terms, why in chain(self.apart.get(head)):
            clash = [term for term in terms if self.same.find(term) is head or self._object_of(term) is thing]
            if len(clash) > 1:
                paths = [self._path_to_object(term) for term in clash[:2]]
                self.fail(Fact("absurd", (), "apart", (why, *(p for path in paths for p in path))))
                return
        self._object_says(members, head)

    def _path_to_object(self, term: Expr) -> tuple[Fact, ...]:
        return () if constant(term) is not None or self.same.find(term) not in self.objects else self.object_path(term)

    def _object_of(self, term: Expr) -> Any:
        held = constant(term)
        if held is not None:
            return held[0]
        known = self.objects.get(self.same.find(term))
        return known[0] if known is not None else Context

    def _object_fact(self, part: Expr) -> Fact:
        node = self.objects[self.same.find(part)][1]
        return Fact("same", (part, node), "transitive", self.object_path(part))

    def _object_says(self, members: tuple[Expr, ...], head: Expr) -> None:
        """Draw what being a certain object says: of its class, its value, and of what has it as a class."""
        thing, node, _ = self.objects[head]
        for member in members:
            if member is node or constant(member) is not None:
                continue
            fact = Fact("same", (member, node), "transitive", self.object_path(member))
            if isinstance(member, TypeSource) and issubclass(type(thing), type):
                kinds = frozenset({thing})
                self.narrow(member.base, kinds, Fact("type", (member.base, kinds), "type is", (fact,)))
                continue
            kinds = frozenset({type(thing)})
            self.narrow(member, kinds, Fact("type", (member, kinds), "object", (fact,)))
            if type(thing) in (bool, type(None)):
                if member not in self.valued:
                    self.trail.set(self.valued, member, fact)
                self._equals(Fact("equals", (member, node), "object", (fact,)))
                if type(thing) is bool and is_condition(member):
                    self.take(Fact("true" if thing else "false", (member,), "is bool", (fact,)))
            if head not in self.exacts and type(thing) in (bool, type(None)):
                self.trail.set(self.exacts, self.same.find(member), (thing, fact))

    def _separate(self, fact: Fact) -> None:
        left, right = fact.args
        if left is right or self.same.find(left) is self.same.find(right):
            self.fail(Fact("absurd", (), "apart", (fact, *self.same.why(left, right))))
            return
        pair = ((left, right), fact)
        for term in (left, right):
            head = self.same.find(term)
            self.trail.set(self.apart, head, (pair, self.apart.get(head)))
        self._apart_objects(left, right, fact)

    def _apart_objects(self, left: Expr, right: Expr, fact: Fact) -> None:
        for part, other in ((left, right), (right, left)):
            held = constant(other)
            known = self.objects.get(self.same.find(part))
            if held is not None and known is not None and known[0] is held[0]:
                self.fail(Fact("absurd", (), "apart", (fact, self._object_fact(part))))

    def _group(self, terms: tuple[Expr, ...], fact: Fact) -> None:
        heads: dict[Expr, Expr] = {}
        for term in terms:
            head = self.same.find(term)
            if head in heads:
                self.fail(Fact("absurd", (), "apart", (fact, *self.same.why(heads[head], term))))
                return
            heads[head] = term
            self.trail.set(self.apart, head, ((terms, fact), self.apart.get(head)))


def _first_stop(operands: Iterable[Expr], stop: str, going: str) -> tuple[tuple[tuple[Any, ...], ...], ...]:
    """Return the cases of a short circuit: the first operand that decides, after those that did not."""
    cases: list[tuple[tuple[Any, ...], ...]] = []
    before: tuple[tuple[Any, ...], ...] = ()
    for operand in operands:
        cases.append((*before, (stop, operand)))
        before = (*before, (going, operand))
    return tuple(cases)


def _is_instance(cls: type, targets: tuple[type, ...]) -> bool:
    line = mro_of(cls)
    return any(target is base for target in targets for base in line)


def _joined(first: Any, second: Any) -> Any:
    for item in reversed(list(chain(first))):
        second = (item, second)
    return second


def _values_equal(left: Any, right: Any) -> bool:
    try:
        return equal(left, right)
    except Undefined:
        return False


_NUMBERS = frozenset({bool, int, float, complex})


def _value_excludes(value: Any, classes: frozenset[type]) -> bool:
    """Tell whether no object of some exact classes equals a value."""
    cls = type(value)
    if cls not in _SCALAR_TYPES or not classes <= _SCALAR_TYPES:
        return False
    if cls in _NUMBERS:
        return not any(_fits(value, other) for other in classes & _NUMBERS)
    return cls not in classes


def _fits(value: Any, cls: type) -> bool:
    try:
        return bool(cls(value.real if type(value) is complex and cls is not complex else value) == value)
    except (ValueError, OverflowError):
        return False
