"""What is chosen in floats where the others run several randomizers; every choice gives a bound."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import exp, inf
from typing import Final, TypeAlias

Scores: TypeAlias = Sequence[tuple[int, Fraction]]
"""Scores and their probabilities."""

_NEAR: Final = 0.25
"""Bounds whose logarithms, about, are within this of the least may be the least."""

_MOST_TRIED: Final = 64
"""Messages of which the proportions are tried."""

_BISECTIONS: Final = 60

_CENTER_BITS: Final = 40
"""Of tilted means."""

_MOST_TILT: Final = 2.0**10


def about_least(sizes: Sequence[float]) -> list[int]:
    """Return the places of numbers that may be the least, in rising order."""
    order = sorted(range(len(sizes)), key=sizes.__getitem__)
    return [place for place in order if sizes[place] <= sizes[order[0]] + _NEAR]


def best_proportions(
    gaps: Sequence[Fraction], rows: Sequence[Sequence[Sequence[Fraction]]], others: Sequence[int]
) -> tuple[int, int] | None:
    """Return an input and a message in whose proportions the randomizers have about most in common; None without any.

    Args:
        gaps: P - Q of each message.
        rows: for each input, for each randomizer, the probability of each message.
        others: how many run each randomizer.
    """
    apart = [float(gap) for gap in gaps]
    floats = [[[float(p) for p in row] for row in each] for each in rows]
    telling = sorted((m for m, gap in enumerate(apart) if gap), key=lambda m: -abs(apart[m]))
    best, least = None, inf
    for m, v in product(telling[: max(1, _MOST_TRIED // len(rows))], range(len(rows))):
        beta = [row[m] for row in floats[v]]
        if all(beta) and (spread := _spread(apart, floats, beta, others)) < least:
            best, least = (v, m), spread
    return best


def _spread(
    gaps: Sequence[float], rows: Sequence[Sequence[Sequence[float]]], beta: Sequence[float], others: Sequence[int]
) -> float:
    """Return about the variance of what tells the inputs apart, beside the worst input of the others."""
    commons = [
        [min(p / b for p, b in zip(column, beta, strict=True)) for column in zip(*each, strict=True)] for each in rows
    ]
    users = min(map(sum, commons)) * sum(count * b for count, b in zip(others, beta, strict=True))
    return max(_over(gaps, common) * sum(common) for common in commons) / users if users else inf


def _over(gaps: Sequence[float], common: Sequence[float]) -> float:
    return sum(gap * gap / p if p else inf for gap, p in zip(gaps, common, strict=True) if gap)


def tilted_means(groups: Sequence[tuple[int, Scores]], total: int) -> list[Fraction]:
    """Return about the means of laws tilted alike, so that the sum of so many copies of each has the mean ``total``."""
    low, high = 0.0, 1.0
    while high < _MOST_TILT and _reached(groups, high) < total:
        high *= 2
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if _reached(groups, middle) < total else (low, middle)
    return [Fraction(round(_tilted_mean(law, low) * 2**_CENTER_BITS), 2**_CENTER_BITS) for _, law in groups]


def _reached(groups: Sequence[tuple[int, Scores]], tilt: float) -> float:
    return sum(count * _tilted_mean(law, tilt) for count, law in groups)


def _tilted_mean(law: Scores, tilt: float) -> float:
    most = max(score for score, _ in law)
    weights = [(score, float(p) * exp(tilt * (score - most))) for score, p in law]
    return sum(score * w for score, w in weights) / (sum(w for _, w in weights) or 1.0)


def variance_of(law: Scores) -> float:
    """Return about the variance of a law of scores."""
    mean = sum(score * float(p) for score, p in law)
    return sum(float(p) * (score - mean) ** 2 for score, p in law)
