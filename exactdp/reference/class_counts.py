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
from functools import reduce
from itertools import product
from math import comb, lcm, prod
from typing import TypeAlias

Coins: TypeAlias = tuple[Fraction, Fraction]
"""How likely the second message is under each of two inputs."""


def worst_delta(coins: Sequence[Coins], sizes: Sequence[int], own: int, exp_eps: Fraction) -> Fraction:
    """Return the largest divergence over data sets in which a user of one class differs, in both orders.

    >>> half, third = Fraction(1, 2), Fraction(1, 3)
    >>> worst_delta([(Fraction(0), Fraction(1)), (half, half)], [1, 1], 0, Fraction(1))
    Fraction(1, 2)
    """
    scale = lcm(*(chance.denominator for pair in coins for chance in pair))
    whole = [[int(chance * scale) for chance in pair] for pair in coins]
    others = [size - (place == own) for place, size in enumerate(sizes)]
    each = [
        [_flips(pair, count, held, scale) for held in range(count + 1)]
        for pair, count in zip(whole, others, strict=True)
    ]
    most = 0
    for laws in product(*each):
        rest = reduce(_sum_of, laws, [1])
        views = [_sum_of(rest, [scale - chance, chance]) for chance in whole[own]]
        for first, second in (views, views[::-1]):
            gained = (exp_eps.denominator * p - exp_eps.numerator * q for p, q in zip(first, second, strict=True))
            most = max(most, sum(gain for gain in gained if gain > 0))
    return Fraction(most, exp_eps.denominator * scale ** sum(sizes))


def _flips(pair: Sequence[int], count: int, held: int, scale: int) -> list[int]:
    """Return the law of the ones of ``count`` users, of whom so many hold the second input, over scale^count."""
    law = [1]
    for user in range(count):
        chance = pair[user < held]
        law = _sum_of(law, [scale - chance, chance])
    return law


def _sum_of(one: Sequence[int], other: Sequence[int]) -> list[int]:
    law = [0] * (len(one) + len(other) - 1)
    for (i, p), (j, q) in product(enumerate(one), enumerate(other)):
        law[i + j] += p * q
    return law


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
