"""The best tests of every pair at once: what a trade-off function is made of.

For two views P and Q the best events, by the lemma of Neyman and Pearson, are {P > E Q} for the likelihood ratios E:
outcomes taken in the order of falling ratios. So one pass over the outcomes of a pair gives all its lines P(T) - E Q(T)
on the envelope for E >= 1, where a search gives one line for one E.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cmp_to_key
from itertools import accumulate
from typing import Final, TypeAlias

Curve: TypeAlias = list[tuple[int, int]]
"""The weights (P(T), Q(T)) of the events {P > E Q} for falling E >= 1."""

_EXACT_KEY_BITS: Final = 256
"""Ratios of shorter weights are sorted by integers that order them exactly."""

_KEY_BITS: Final = 64
"""Longer ratios are sorted by so many bits first; Python then compares only those that agree in them."""


@dataclass(frozen=True, slots=True)
class Curves:
    """The curves of all ordered pairs, over one total weight; ``count`` is how many there are at most."""

    scale: int
    count: int
    curves: Iterable[Curve]


def likelihood_curve(weights: Iterable[tuple[int, int]]) -> Curve:
    """Return the curve of one ordered pair from the weights (P(y), Q(y)) of its outcomes.

    >>> likelihood_curve([(1, 3), (3, 1), (2, 0)])
    [(2, 0), (5, 1)]
    """
    telling = [(p, q) for p, q in weights if p > q]
    bits = max((p.bit_length() for p, _ in telling), default=0)
    shift = 2 * bits + 1 if bits <= _EXACT_KEY_BITS else bits + _KEY_BITS
    finite = sorted((w for w in telling if w[1]), key=lambda w: -(w[0] << shift) // w[1])
    if bits > _EXACT_KEY_BITS:
        finite.sort(key=cmp_to_key(_by_falling_ratio))
    free = sum(p for p, q in telling if not q)
    events = [(free, 0), *finite] if free else finite
    return list(zip(accumulate(p for p, _ in events), accumulate(q for _, q in events), strict=True))


def _by_falling_ratio(one: tuple[int, int], other: tuple[int, int]) -> int:
    rising = other[0] * one[1] - one[0] * other[1]
    return (rising > 0) - (rising < 0)


def coin_curves(users: int, low: int, high: int, total: int) -> Iterator[Curve]:
    """Yield the curve of each number k of others at ``high``, who send 1 with probability high/total.

    All others are at ``low`` < ``high``, and the one who differs is at ``high`` against ``low``: the likelihood ratio
    rises with the number of ones. From k to k + 1 the law of the others is multiplied by one coin and divided by
    another, in integers.
    """
    others = users - 1
    weights = [(total - low) ** others]
    for t in range(others):
        # C(m, t+1) a^(t+1) b^(m-t-1); a coin that always shows 1 is never the low one
        weights.append(weights[-1] * (others - t) * low // ((t + 1) * (total - low)))
    for k in range(users):
        yield _half_lines(weights, low, high, total)
        if k < others:
            before = last = 0
            for t, weight in enumerate(weights):
                last = ((total - high) * weight + high * before - low * last) // (total - low)
                before, weights[t] = weight, last


def _half_lines(others: list[int], low: int, high: int, total: int) -> Curve:
    """Return the events {ones > m} with a likelihood ratio above 1, from the largest m down."""
    events: Curve = []
    first = second = 0
    for t in range(len(others), -1, -1):
        below, at = (others[t - 1] if t else 0), (others[t] if t < len(others) else 0)
        p, q = high * below + (total - high) * at, low * below + (total - low) * at
        if p <= q and below + at:
            return events
        first, second = first + p, second + q
        events.append((first, second))
    return events
