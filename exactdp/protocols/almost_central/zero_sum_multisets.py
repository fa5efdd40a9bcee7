"""Multisets of messages that add up to 0, and how an integer is written by them.

For 2 <= abs(i) the multiset of i is a_i = {i, -floor(i/2), -ceil(i/2)}. With e_y for one message y, and e_0 = 0,

    e_i = a_i - e_(-floor(i/2)) - e_(-ceil(i/2)),

where the numbers on the right are about half as large. So every e_x is a sum of c_i(x) a_i plus c_1(x) e_1 plus
c_-1(x) e_-1, with integers c; and the a_i, e_1 and e_-1 are a basis of the integer vectors of counts: each a_i has one
entry 1 at i, and its others are at smaller numbers. c_i(x) >= 0 for i > 0 and <= 0 for i < 0: the signs of the numbers
and of what they are multiplied with change together from one step to the next.

Source: GhaziKumarManurangsiPaghSinha2021, section 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache


def zero_sum_multiset(i: int) -> dict[int, int]:
    """Return the multiset of ``i`` other than 0 and -1 as message -> how often: {1, -1} for 1.

    >>> zero_sum_multiset(5), zero_sum_multiset(-4)
    ({5: 1, -2: 1, -3: 1}, {-4: 1, 2: 2})
    """
    multiset = {i: 1}
    for half in (-(i // 2), -i // 2):
        if half:
            multiset[half] = multiset.get(half, 0) + 1
    return multiset


@lru_cache(maxsize=2**12)
def coefficients(x: int) -> Mapping[int, int]:
    """Return c_i(x) for x >= 0, by i: of e_1 and e_-1 for i = 1 and -1, of the multiset of i for others.

    >>> coefficients(3), coefficients(4)
    ({3: 1, -1: -1, -2: -1, 1: 2}, {4: 1, -2: -2, 1: 4})
    """
    left, written = {x: 1} if x else {}, dict[int, int]()
    while left:
        halves: dict[int, int] = {}
        for i, times in left.items():
            written[i] = written.get(i, 0) + times
            if abs(i) > 1:
                for half, often in zero_sum_multiset(i).items():
                    if half != i:
                        halves[half] = halves.get(half, 0) - times * often
        left = halves
    return written


def moved(x: int, y: int) -> dict[int, int]:
    """Return by how much the coefficients move when a user's number becomes ``y`` instead of ``x``.

    >>> moved(1, 3)
    {1: 1, 3: 1, -1: -1, -2: -1}
    """
    change = {i: -times for i, times in coefficients(x).items()}
    for i, times in coefficients(y).items():
        change[i] = change.get(i, 0) + times
    return {i: times for i, times in change.items() if times}


def spread(bound: int) -> int:
    """Return the largest sum of abs(i c_i(x)) over the multisets, abs(i) >= 2, for x up to ``bound``."""
    return max(sum(abs(i * times) for i, times in coefficients(x).items() if abs(i) > 1) for x in range(bound + 1))
