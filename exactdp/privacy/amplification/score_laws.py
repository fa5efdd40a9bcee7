"""Laws of sums of message scores of one bundle: what events of scores
(:mod:`exactdp.privacy.amplification.score_event`) are made of where a bundle is a message and dummies, or several
independent messages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import product
from math import gcd
from typing import Final, TypeAlias

_SCORES: Final = 128
"""A bundle's scores are at most about this: each costs as much at each node."""

ScoreLaw: TypeAlias = Mapping[int, Fraction]
"""Score -> its probability."""


def coarse_scores(scores: Mapping[int, int], messages: int) -> dict[int, int]:
    """Return scores without a common divisor, so small that those of a bundle of so many messages are few."""
    most = max(1, _SCORES // messages)
    largest = max(map(abs, scores.values()), default=0)
    if largest > most:
        scores = {m: round(Fraction(score * most, largest)) for m, score in scores.items()}
    common = gcd(*scores.values()) or 1
    return {m: score // common for m, score in scores.items()}


def law_of_scores(pairs: Iterable[tuple[int, Fraction]]) -> ScoreLaw:
    """Return the law of scores with these probabilities; equal scores are added up."""
    law: defaultdict[int, Fraction] = defaultdict(Fraction)
    for score, p in pairs:
        if p:
            law[score] += p
    return law


def sum_of_scores(one: ScoreLaw, other: ScoreLaw) -> ScoreLaw:
    """Return the law of the sum of two independent scores."""
    return law_of_scores((s + t, p * q) for (s, p), (t, q) in product(one.items(), other.items()))


def repeated_scores(law: ScoreLaw, times: int) -> ScoreLaw:
    """Return the law of the sum of several independent scores."""
    total: ScoreLaw = {0: Fraction(1)}
    for _ in range(times):
        total = sum_of_scores(total, law)
    return total
