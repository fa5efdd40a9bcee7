"""The oracle's share of split and mix: views of few users, by adding up all choices of all shares."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, product
from math import comb
from typing import Any

from tests.unit.checker.oracle_laws import TooLongError
from tests.unit.checker.oracle_views import number, whole

MOST_OUTCOMES = 4000
"""Of a view that is listed."""
MOST_PAIRS = 200
"""Pairs of inputs that are all compared; of more, those of the first input of each sum and the last two."""


def split_and_mix(claim: Any) -> bool | None:
    """Whether no two listed inputs are further apart; None where not all pairs are compared."""
    n, q, m = (whole(claim[name]) for name in ("n", "modulus", "messages"))
    if n == 1:
        return True
    if q > 5 or n > 400 or comb(n * m + q - 1, q - 1) > MOST_OUTCOMES or q**m > 10_000:
        raise TooLongError
    distance, classes = number(claim["distance"]), dict[int, list[tuple[int, ...]]]()
    for inputs in combinations_with_replacement(range(q), n) if q > 2 else bits(n):
        classes.setdefault(sum(inputs) % q, []).append(inputs)
    pairs = sum(comb(len(alike), 2) for alike in classes.values())
    is_whole = pairs <= MOST_PAIRS
    for alike in classes.values():
        for one, other in combinations(alike, 2) if is_whole else product(alike[:1], alike[-2:]):
            if apart(view(one, q, m), view(other, q, m), q ** (n * (m - 1))) > distance:
                return False
    return True if is_whole else None


def bits(n: int) -> list[tuple[int, ...]]:
    return [(0,) * (n - ones) + (1,) * ones for ones in range(n + 1)]


@lru_cache(maxsize=2000)
def view(inputs: tuple[int, ...], q: int, m: int) -> dict[int, int]:
    """The multiset of shares, as the sum of 10^(4 share) over all of them, with the number of choices that give it."""
    law: Counter[int] = Counter({0: 1})
    for element in inputs:
        after: Counter[int] = Counter()
        for before, ways in law.items():
            for counts, choices in shares(element, q, m).items():
                after[before + counts] += ways * choices
        law = after
    return dict(law)


@lru_cache(maxsize=100)
def shares(element: int, q: int, m: int) -> dict[int, int]:
    law: Counter[int] = Counter()
    for free in product(range(q), repeat=m - 1):
        law[sum(10 ** (4 * share) for share in (*free, (element - sum(free)) % q))] += 1
    return dict(law)


def apart(first: dict[int, int], second: dict[int, int], total: int) -> Fraction:
    return Fraction(sum(max(0, ways - second.get(counts, 0)) for counts, ways in first.items()), total)
