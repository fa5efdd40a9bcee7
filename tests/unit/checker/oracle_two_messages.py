"""The oracle's share of randomizers of two messages: every data set, of dozens of users those of two inputs alone.

Of more users it asks the package, which has the worst delta exactly or encloses it.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

from tests.unit.checker.oracle_ends import is_short, private
from tests.unit.checker.oracle_laws import NoLawError
from tests.unit.checker.oracle_views import exp_bounds, number, over_all_data_sets, rows, whole

LISTED = 60
"""Most users whose laws are listed beside all numbers of others with the greatest probability."""


def two_message_dp(claim: Any) -> bool | None:
    found, n = rows(claim["randomizer"]), whole(claim["n"])
    if any(len(sent) != 1 for row in found for sent in row):
        raise NoLawError
    claim = {**claim, "neighbors": "replace-one", "least": "none"}
    if is_short(found, n):
        return over_all_data_sets(claim, found)
    if n > LISTED or claim["scope"] != "this n":
        return private(claim)
    chances = [row.get(("1",), Fraction(0)) for row in found]
    exact = [number(claim["exp_eps"])] if "exp_eps" in claim else exp_bounds(number(claim["eps"]))
    answers = {worst_of_all(min(chances), max(chances), n, exp_eps) <= number(claim["delta"]) for exp_eps in exact}
    return answers.pop() if len(answers) == 1 else None


def worst_of_all(low: Fraction, high: Fraction, n: int, exp_eps: Fraction) -> Fraction:
    """Over all numbers of others who hold the input of the greatest probability, outcome by outcome."""
    total = low.denominator * high.denominator
    a, b = int(total * low), int(total * high)
    worst = 0
    for k in range(n):
        others = [1]
        for heads in [b] * k + [a] * (n - 1 - k):
            others = [(total - heads) * s + heads * t for t, s in pairwise([0, *others, 0])]
        first, second = ([(total - heads) * s + heads * t for t, s in pairwise([0, *others, 0])] for heads in (b, a))
        up, down = exp_eps.numerator, exp_eps.denominator
        for p, q in ((first, second), (second, first)):
            worst = max(worst, sum(max(0, down * x - up * y) for x, y in zip(p, q, strict=True)))
    return Fraction(worst, exp_eps.denominator * total**n)
