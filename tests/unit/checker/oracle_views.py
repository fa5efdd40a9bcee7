"""The oracle's share of randomizers and their views, by brute force on tiny instances.

Data sets are sequences of inputs, views are sorted tuples of messages, probabilities are Fractions. Every answer is
True, False or None: None where only a part of an infinite statement was looked at and nothing was found against it.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from typing import Any

Law = dict[Any, Fraction]

USERS_AHEAD = 2
TINY = Fraction(1, 10**12)


def number(text: str) -> Fraction:
    top, _, bottom = text.partition("/")
    return Fraction(int(top, 0), int(bottom, 0) if bottom else 1)


def whole(text: str) -> int:
    return int(text, 0)


def rows(randomizer: Any) -> list[Law]:
    return [{tuple(o["send"]): number(o["prob"]) for o in row} for row in randomizer["rows"]]


def view(table: list[Law], dataset: tuple[int, ...]) -> Law:
    """The law of the sorted tuple of all messages, by running through the outcomes of one user after the other."""
    law: Law = {(): Fraction(1)}
    for user in dataset:
        grown: Law = {}
        for (messages, p), (sent, q) in product(law.items(), table[user].items()):
            seen = tuple(sorted(messages + sent))
            grown[seen] = grown.get(seen, Fraction(0)) + p * q
        law = grown
    return law


def view_over_all_outputs(table: list[Law], dataset: tuple[int, ...]) -> Law:
    """The same, by listing every joint output of all users."""
    law: Law = {}
    for outputs in product(*(table[user].items() for user in dataset)):
        seen = tuple(sorted(message for sent, _ in outputs for message in sent))
        p = Fraction(1)
        for _, q in outputs:
            p *= q
        law[seen] = law.get(seen, Fraction(0)) + p
    return law


def divergence(p: Law, q: Law, exp_eps: Fraction) -> Fraction:
    return sum((max(Fraction(0), weight - exp_eps * q.get(o, Fraction(0))) for o, weight in p.items()), Fraction(0))


def lost(p: Law, q: Law) -> Fraction:
    return sum((weight for outcome, weight in p.items() if outcome not in q), Fraction(0))


def pairs(table: list[Law], n: int, neighbors: str) -> list[tuple[Law, Law]]:
    """The views of all neighbouring data sets, in both orders."""
    views: dict[tuple[int, ...], Law] = {}

    def law(dataset: tuple[int, ...]) -> Law:
        key = tuple(sorted(dataset))
        if key not in views:
            views[key] = view(table, key)
        return views[key]

    inputs = range(len(table))
    found: list[tuple[Law, Law]] = []
    others = {tuple(sorted(o)) for o in product(inputs, repeat=n - 1)}
    for other in sorted(others):
        if neighbors == "replace-one":
            found += [(law((x, *other)), law((y, *other))) for x in inputs for y in inputs if x != y]
        else:
            for x in inputs:
                found += [(law((x, *other)), law(other)), (law(other), law((x, *other)))]
    return found


def worst(laws: list[tuple[Law, Law]], exp_eps: Fraction) -> Fraction:
    return max((divergence(p, q, exp_eps) for p, q in laws), default=Fraction(0))


def exp_bounds(eps: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals around e^eps, from the standard library's decimal exponential, which is correctly rounded."""
    with localcontext() as context:
        context.prec = 60
        ratio = Decimal(eps.numerator) / Decimal(eps.denominator)
        value = Fraction(ratio.exp())
    return value * (1 - Fraction(1, 10**50)), value * (1 + Fraction(1, 10**50))


def level_holds(laws: list[tuple[Law, Law]], claim: Any) -> bool | None:
    """Whether the claimed level bounds these pairs, and is least where the claim says so."""
    delta = number(claim["delta"])
    if "eps" in claim:
        low, high = exp_bounds(number(claim["eps"]))
        return True if worst(laws, low) <= delta else False if worst(laws, high) > delta else None
    exp_eps = number(claim["exp_eps"])
    attained = worst(laws, exp_eps)
    if attained > delta:
        return False
    if claim["least"] == "delta":
        return attained == delta
    if claim["least"] == "exp_eps" and exp_eps > 1:
        return worst(laws, max(Fraction(1), exp_eps - TINY)) > delta
    return True


def all_hold(answers: list[bool | None]) -> bool | None:
    return False if False in answers else None if None in answers else True


def over_all_data_sets(claim: Any, table: list[Law]) -> bool | None:
    n = whole(claim["n"])
    if claim["scope"] == "this n":
        return level_holds(pairs(table, n, claim["neighbors"]), claim)
    ahead = [level_holds(pairs(table, n + k, claim["neighbors"]), claim) for k in range(USERS_AHEAD + 1)]
    return all_hold([*ahead, None])


def never_dp(claim: Any) -> bool:
    laws = pairs(rows(claim["randomizer"]), whole(claim["n"]), claim["neighbors"])
    return max((lost(p, q) for p, q in laws), default=Fraction(0)) >= number(claim["delta_below"])


def additive_view(claim: Any) -> bool | None:
    table, base = rows(claim["randomizer"]), {whole(k): number(p) for k, p in claim["base"]}
    for n in (1, 2):
        for dataset in product(range(len(table)), repeat=n):
            expected = {sum(whole(claim["shifts"][x]) for x in dataset): Fraction(1)}
            for _ in range(n):
                grown: Law = {}
                for (k, p), (j, q) in product(expected.items(), base.items()):
                    grown[k + j] = grown.get(k + j, Fraction(0)) + p * q
                expected = grown
            if {len(seen): p for seen, p in view(table, dataset).items()} != expected:
                return False
    return None


def zero_estimate(claim: Any) -> bool | None:
    table, weights = rows(claim["randomizer"]), [number(w) for w in claim["weights"]]
    for n in (1, 2):
        for seen in view(table, (whole(claim["input"]),) * n):
            if sum(weights[whole(m)] for m in seen) > n * number(claim["zero_unless_above"]):
                return False
    return None
