"""Sample and threshold by what every holder does: all reports one by one, and divergences outcome by outcome."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any


def release(holders: int, threshold: int, rate: Fraction) -> dict[int, Fraction]:
    """The law of the released count, one holder after the other; nothing is left out of what has probability 0."""
    reports = {0: Fraction(1)}
    for _ in range(holders):
        after: dict[int, Fraction] = {}
        for count, chance in reports.items():
            after[count] = after.get(count, Fraction(0)) + chance * (1 - rate)
            after[count + 1] = after.get(count + 1, Fraction(0)) + chance * rate
        reports = after
    released: dict[int, Fraction] = {}
    for count, chance in reports.items():
        shown = count if count >= threshold else 0
        released[shown] = released.get(shown, Fraction(0)) + chance
    return released


def both(first: Mapping[Any, Fraction], second: Mapping[Any, Fraction]) -> dict[Any, Fraction]:
    """The law of two independent outcomes."""
    return {(x, y): p * q for (x, p), (y, q) in product(first.items(), second.items())}


def divergence(first: Mapping[Any, Fraction], second: Mapping[Any, Fraction], exp_eps: Fraction) -> Fraction:
    """H_E(first || second)."""
    none = Fraction(0)
    return sum((max(none, p - exp_eps * second.get(outcome, none)) for outcome, p in first.items()), none)
