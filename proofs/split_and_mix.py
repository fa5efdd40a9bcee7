"""Split and mix of bits: the distance published for uniform inputs is none for all inputs.

Statement. Each of n users splits a bit into m = 3 bits that are uniform among those with this sum modulo 2, and the
shuffler shows how many of the 3n bits are 1. Published for uniform inputs, in the mean, is a total variation distance
of at most sqrt(2 (e/n)^(m-1)) = sqrt(2) e / n between the views of two data sets with the same sum. At n = 174 those of
all 0 and of all 1 are further apart.

Proof. The view of all x is the sum of n numbers of ones, of the law x + 2 Bin's: P[0] = 1/4, P[2] = 3/4 for x = 0, and
P[1] = 3/4, P[3] = 1/4 for x = 1. So it is 2 Bin(n, 3/4), and n + 2 Bin(n, 1/4). A function of the view, which reads all
counts as one that are 70 and more away from 3n/2, has the two laws that are the rows of a table; one user of it is not
(0, D)-DP, so the total variation distance of the rows is above D, and that of the views is at least that. Last,
sqrt(2) e / n <= D, that is (n D)^2 >= 2 e^2.

Statement. What holds for all inputs is the bound by components of docs/soundness.md, tau, for all n, m and q. Where
users add noise before they split, and the sum modulo q of numbers and noise is (eps, delta)-DP, the shuffled shares
are (eps, delta + (1 + e^eps) tau)-DP, and their sum is that sum.

Proof. Given the noise, the view is within tau of that of the input (s, 0, ..., 0), s the sum modulo q: for an event of
the chances p and p' under neighbours, and its means c and c' for (s, 0, ..., 0) over the two laws of s, p <= c + tau,
c <= e^eps c' + delta, and c' <= p' + tau. In Coq.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import comb
from typing import Final

from exactdp import Claim, Randomizer, ShuffleProtocol
from exactdp.proofs.row_files import decides
from exactdp.proofs.steps import implies, variables

USERS: Final = 174
"""The least number of users at which some two data sets are further apart, by `exactdp search`."""
PUBLISHED: Final = Fraction("0.0220933")
"""D, the published distance at so many users rounded up."""
_REACH: Final = 70
"""Six standard deviations of the number of ones: what is further away has less than a millionth of the weight."""
NUMBERS: Final = {"users": USERS, "published": PUBLISHED}
"""The numbers that the rows quote."""


def views(users: int) -> Randomizer:
    """The views of all 0 and of all 1, each as the messages of one user; rare counts are one message.

    >>> views(2).table()[1][(4,)]
    Fraction(3, 8)
    """
    rows: dict[int, dict[tuple[int | str], Fraction]] = {}
    for x in (0, 1):
        rows[x] = {}
        for high in range(users + 1):
            chance = Fraction(comb(users, high) * 3 ** (high if x == 0 else users - high), 4**users)
            ones = x * users + 2 * high
            sent: tuple[int | str] = (ones if abs(2 * ones - 3 * users) < 2 * _REACH else "rare",)
            rows[x][sent] = rows[x].get(sent, Fraction(0)) + chance
    return Randomizer(rows)


@decides("split-and-mix-average-case")
def _average_case() -> Iterator[Claim]:
    apart = Claim.shuffle_dp(ShuffleProtocol(views(USERS), 1), exp_eps=1, delta=PUBLISHED)
    yield Claim.negation(apart)
    yield Claim.box_inequality({"x": (0, 1)}, [({(0,): (USERS * PUBLISHED) ** 2}, {}), ({(0,): -2}, {(0,): 2})])


@decides("split-and-mix-security")
def _security() -> Iterator[Claim]:
    yield Claim.split_and_mix(40, modulus=7, messages=4, distance=Fraction(3, 200))
    yield Claim.split_and_mix(10**4, modulus=2**32, messages=12, distance=Fraction(1, 2**40))
    yield Claim.split_and_mix(10**6, modulus=2**32, messages=10, distance=Fraction(1, 10**21))


@decides("split-and-mix-noisy-sum")
def _noisy_sum() -> Claim:
    E, p, q, c, k, d, tau = variables("E p q c k d tau")
    return implies(E >= 0, c + tau >= p, E * k + d >= c, q + tau >= k, then=E * q + d + (1 + E) * tau >= p)
