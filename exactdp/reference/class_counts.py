"""Classes of users, by definition: all data sets of a few users with two messages, and means over sets of users.

With two messages the view is how often the second occurs: a sum of independent coins, one for each user. So the worst
data set of classes of users is found by trying how many users of each class hold each of two inputs.

:func:`mean_over_sets` is the inner part of the swap bound before anything is bounded: the mean over all sets S of r of
the others of (1/r) E max(0, sum of L_i), with L = (P - E Q)/R under the row R.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import comb, prod
from typing import TypeAlias

Coins: TypeAlias = tuple[Fraction, Fraction]
"""How likely the second message is under each of two inputs."""


def worst_delta(coins: Sequence[Coins], sizes: Sequence[int], own: int, exp_eps: Fraction) -> Fraction:
    """Return the largest divergence over data sets in which a user of one class differs, in both orders.

    >>> half, third = Fraction(1, 2), Fraction(1, 3)
    >>> worst_delta([(Fraction(0), Fraction(1)), (half, half)], [1, 1], 0, Fraction(1))
    Fraction(1, 2)
    """
    others = [size - (place == own) for place, size in enumerate(sizes)]
    most = Fraction(0)
    for ones in product(*(range(count + 1) for count in others)):
        flips = [
            chance
            for (zero, one), count, held in zip(coins, others, ones, strict=True)
            for chance in [zero] * (count - held) + [one] * held
        ]
        rest = _sum_of(flips)
        views = [_with(rest, chance) for chance in coins[own]]
        for first, second in (views, views[::-1]):
            gained = (p - exp_eps * q for p, q in zip(first, second, strict=True))
            most = max(most, sum((gain for gain in gained if gain > 0), Fraction(0)))
    return most


def _sum_of(chances: Sequence[Fraction]) -> list[Fraction]:
    law = [Fraction(1)]
    for chance in chances:
        law = _with(law, chance)
    return law


def _with(law: Sequence[Fraction], chance: Fraction) -> list[Fraction]:
    """Return the law of a sum with one coin more."""
    return [p * (1 - chance) + q * chance for p, q in zip([*law, Fraction(0)], [Fraction(0), *law], strict=True)]


def mean_over_sets(
    first: Sequence[Fraction],
    second: Sequence[Fraction],
    rows: Sequence[tuple[int, Sequence[Fraction]]],
    exp_eps: Fraction,
    size: int,
) -> Fraction:
    """Return the mean over the sets of ``size`` others of (1/size) E max(0, sum of L_i), exactly.

    Args:
        first, second: P and Q, the probabilities of the messages.
        rows: how many others have which row, without zeros.

    >>> half = [Fraction(1, 2)] * 2
    >>> mean_over_sets([Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)], [(2, half)], Fraction(1), 1)
    Fraction(1, 1)
    """
    excess = [p - exp_eps * q for p, q in zip(first, second, strict=True)]
    laws = [[(mu / r, r) for mu, r in zip(excess, row, strict=True)] for _, row in rows]
    total = Fraction(0)
    for chosen in _compositions([count for count, _ in rows], size):
        weight = Fraction(prod(comb(count, k) for (count, _), k in zip(rows, chosen, strict=True)))
        sums = {Fraction(0): Fraction(1)}
        for law, k in zip(laws, chosen, strict=True):
            for _ in range(k):
                following = defaultdict[Fraction, Fraction](Fraction)
                for (value, p), (more, q) in product(sums.items(), law):
                    following[value + more] += p * q
                sums = following
        total += weight * sum((value * p for value, p in sums.items() if value > 0), Fraction(0))
    return total / comb(sum(count for count, _ in rows), size) / size


def _compositions(counts: Sequence[int], size: int) -> Iterator[tuple[int, ...]]:
    return (chosen for chosen in product(*(range(min(count, size) + 1) for count in counts)) if sum(chosen) == size)
