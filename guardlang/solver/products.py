"""What is true of products and of quotients by terms: they are not linear, so facts are multiplied with each other."""

from __future__ import annotations

from collections.abc import Iterator

from guardlang.solver.context import Context
from guardlang.solver.domains import combine, linear
from guardlang.solver.facts import Fact
from guardlang.solver.polynomial import MAX_DEGREE, Monomial, Polynomial, Quotient, number

__all__ = ["about", "multiplied", "quotient_facts", "unsigned"]

_MAX_FACTS = 140
_MAX_PAIRS = 600


def quotient_facts(context: Context, atom: Quotient) -> list[Fact]:
    """Return the bounds of `a - b * (a // b)` where the sign of b is known.

    Args:
        context: the facts.
        atom: a quotient by a divisor that is no constant.
    """
    top, bottom = atom.parts
    rest = top - bottom * Polynomial({(atom,): 1})
    positive = context.numbers.decide(bottom - number(1), ">=")
    if positive is not None:
        return [
            linear(rest, ">=", "quotient", (positive,), atom),
            linear(bottom - number(1) - rest, ">=", "quotient", (positive,), atom),
        ]
    negative = context.numbers.decide(-bottom - number(1), ">=")
    if negative is not None:
        return [
            linear(-rest, ">=", "quotient", (negative,), atom),
            linear(rest - bottom - number(1), ">=", "quotient", (negative,), atom),
        ]
    return []


def about(context: Context, mono: Monomial) -> list[Fact]:
    """Return facts on a product from the bounds of its factors.

    Args:
        context: the facts.
        mono: two atoms or more.
    """
    numbers = context.numbers
    found: list[Fact] = []
    if len(set(mono)) == 1 and len(mono) % 2 == 0:
        half = Polynomial({mono[: len(mono) // 2]: 1})
        found.append(linear(half * half, ">=", "square", (), half))
    for position, atom in enumerate(mono):
        if atom in mono[:position]:
            continue
        rest = mono[:position] + mono[position + 1 :]
        sides = []
        for part in (Polynomial({(atom,): 1}), Polynomial({rest: 1})):
            sides.append([fact for sign in (1, -1) if (fact := numbers.lower(part.times(sign))) is not None])
        for left in sides[0]:
            for right in sides[1]:
                found.append(linear(left.args[0] * right.args[0], ">=", "product", (left, right)))
        if len(mono) == 2:
            break
    return found


def multiplied(context: Context, facts: list[Fact]) -> list[Fact]:
    """Return facts with those products of two of them that speak of nothing new but products that occur already.

    Args:
        context: the facts' own.
        facts: linear facts.
    """
    monos = {mono for fact in facts for mono in fact.args[0].terms}
    if not any(len(mono) > 1 for mono in monos):
        return facts
    del context
    found = list(facts)
    inequalities = [fact for fact in facts if fact.args[1] == ">=" and fact.args[0].degree <= 2]
    singles = [fact for fact in inequalities if len(fact.args[0].terms) <= 2 and fact.args[0].degree == 1]
    pairs = 0
    seen = {fact.args[0] for fact in facts}
    for fact in inequalities + [fact for fact in facts if fact.args[1] == "=="]:
        poly = fact.args[0]
        if poly.degree >= MAX_DEGREE:
            continue
        for other in singles:
            pairs += 1
            if pairs > _MAX_PAIRS or len(found) > _MAX_FACTS:
                return found
            product = poly * other.args[0]
            if product in seen or product.is_constant:
                continue
            if all(len(mono) <= 1 or mono in monos for mono in product.terms):
                seen.add(product)
                if fact.args[1] == ">=":
                    found.append(linear(product, ">=", "product", (fact, other)))
                else:
                    found.append(linear(product, "==", "multiple", (fact,), other.args[0]))
    return found


def unsigned(context: Context) -> Iterator[tuple[Polynomial, Fact | None]]:
    """Yield divisors and factors of products whose sign is not known, with the fact that they are not zero if there is one.

    Args:
        context: the facts.
    """
    numbers = context.numbers
    done: set[Polynomial] = set()
    for key, row in numbers.rows.items():
        if row.low is None and row.high is None and not row.unequal:
            continue
        for mono in (key,) if isinstance(key, tuple) else key.terms:
            for atom in mono:
                if isinstance(atom, Quotient) and not atom.parts[1].is_constant:
                    divisor = atom.parts[1]
                    if divisor not in done and not quotient_facts(context, atom):
                        done.add(divisor)
                        nonzero = numbers.decide(divisor, "!=")
                        if nonzero is not None:
                            yield divisor, nonzero
            if len(mono) > 1:
                for atom in mono:
                    single = Polynomial({(atom,): 1})
                    if single not in done:
                        done.add(single)
                        if numbers.decide(single, ">=") is None and numbers.decide(-single, ">=") is None:
                            yield single, None


__all__ += ["combine"]
