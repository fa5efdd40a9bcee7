"""Split and mix of bits: the distance published for uniform inputs is none for all inputs.

Statement. Each of n users splits a bit into m = 3 bits that are uniform among those with this sum modulo 2, and the
shuffler shows how many of the 3n bits are 1. Published for uniform inputs, in the mean, is a total variation distance
of at most sqrt(2 (e/n)^(m-1)) = sqrt(2) e / n between the views of two data sets with the same sum. At n = 174 those of
all 0 and of all 1 are further apart.

Proof. The view of all x is the sum of n numbers of ones, of the law x + 2 Bin's: P[0] = 1/4, P[2] = 3/4 for x = 0, and
P[1] = 3/4, P[3] = 1/4 for x = 1. So it is 2 Bin(n, 3/4), and n + 2 Bin(n, 1/4). A function of the view, which reads all
counts as one that are 70 and more away from 3n/2, has the two laws that are the rows of a table; one user of it is not
(0, D)-DP, so the total variation distance of the rows is above D, and that of the views is at least that. Last,
sqrt(2) e / n <= D, that is (n D)^2 >= 2 e^2. In Coq the two laws are computed.

Statement. What holds for all inputs is the bound by components of docs/soundness.md, for all n, m and q. Where users
add noise before they split, and the sum modulo q of numbers and noise is (eps, delta)-DP, the shuffled shares are
(eps, delta + (1 + e^eps) eta)-DP, eta = sqrt(c(q))/2, and their sum is that sum.

Proof. Given the noise, the view is within eta of the nm shares that the simulator makes of s, the sum modulo q: half
the root of chi^2, by exactdp.protocols.mixing.component_bound. For an event of the chances p and p' under neighbours,
and the simulator's means c and c' of its chance over the two laws of s, p <= c + eta, c <= e^eps c' + delta, and c' <=
p' + eta. In Coq.

Statement. Let users hold numbers from 0 to Delta, and add the difference of two draws from NB(1/n, p) each, p =
e^(-eps/Delta). The shuffled shares are (eps, (1 + e^eps) eta)-DP. The estimate, the sum of the shares modulo q read as
a number from -h to q-1-h, errs by k or more with probability at most 2 p^k/(1+p), and at least 2 (p^k - p^l)/(1+p),
for 1 <= k <= l <= h+1 and l + h + n Delta <= q.

Proof. The differences add up to that of two geometric laws of ratio p, which is z with probability (1-p)/(1+p)
p^abs(z): where the sum moves by at most Delta it is (eps, 0)-DP, and so is its residue. For abs(z) < l, sum and noise
together are between -h and q-1-h, and the error is abs(z); so an error of k or more has noise of k or more, and
noise from k to l-1 errs so much. In Coq.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import comb
from typing import Final

from exactdp import Claim, DiscreteLaplace, Randomizer, ShuffleProtocol
from exactdp.proofs.row_files import decides
from exactdp.proofs.steps import implies, variables

USERS: Final = 174
"""The least number of users at which some two data sets are further apart, by `exactdp search`."""
PUBLISHED: Final = Fraction("0.0220933")
"""D, the published distance at so many users rounded up."""
_REACH: Final = 70
"""Six standard deviations of the number of ones: what is further away has less than a millionth of the weight."""
_MARGIN: Final = Fraction(1, 10**9)
"""A tail is enclosed: it is within this of its formula."""
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
    E, p, q, c, k, d, eta = variables("E p q c k d eta")
    return implies(E >= 0, c + eta >= p, E * k + d >= c, q + eta >= k, then=E * q + d + (1 + E) * eta >= p)


@decides("split-and-mix-laplace")
def _laplace() -> Iterator[Claim]:
    """A million users with numbers from 0 to 10, e^(eps/10) = 11/10, q = 2^32 and m = 10; errors below k = 60."""
    ratio, bound, k = Fraction(11, 10), 10, 60
    noise, within = DiscreteLaplace(ratio), 1 - 2 / (ratio**k * (1 + 1 / ratio))
    yield Claim.shift_dp(noise, shift=bound, exp_eps=ratio**bound, delta=0)
    yield Claim.split_and_mix(10**6, modulus=2**32, messages=10, distance=Fraction(1, 10**21))
    yield Claim.tail(noise, low=1 - k, high=k - 1, at_least=within - _MARGIN)
    yield Claim.tail(noise, low=1 - k, high=k - 1, at_most=within + _MARGIN)
