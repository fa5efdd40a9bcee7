"""Sampling in place of randomized response: a user who is not sampled sends 0, with and without a threshold.

Statement. n users hold bits; with probability lambda/n, 0 < lambda < n, a user sends a fair coin, else his bit, as in
proofs/binary_sums.py. Let x = 1 - lambda/n.

1. Sampling at the rate x without a threshold sends 0 in place of the coin. It has another law, already for one user,
   and for no eps a delta below x.
2. Sample-and-threshold: each who holds a 1 reports with probability q, and the number of reports is released if it is
   at least tau, else 0. For 0 < lambda < n, 0 < q <= 1 and 1 <= tau <= n no randomized function of the number of ones
   that randomized response sends has the law of the release on all data sets, and for tau >= 2 none of the release
   has the law of that number.

Proof. 1: one who holds 1 among n-1 who hold 0: a 1 is seen with probability x, and without him never. 2: with tau ones
the release is tau with probability q^tau, with one less never, so for no eps is delta below q^tau; randomized response
is eps-DP with e^eps = (2n - lambda)/lambda, and so is what is made of it. With no one and with a single one the release
is 0, but randomized response has two laws.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import comb
from typing import Final

from exactdp import Binomial, Claim, Randomizer, ShuffleProtocol
from exactdp.claims.encoding import MessageSum
from exactdp.errors import InvalidValueError
from exactdp.proofs.least import searched_over
from exactdp.proofs.row_files import decides
from exactdp.proofs.steps import equal, implies, variables
from exactdp.protocols import k_ary, randomized_response
from exactdp.studies.counterexamples.search import Rationals

_SHARES: Final = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(99, 100))
"""The lambda/n of the certificates."""
_USERS: Final = (1, 2, 3, 4, 5)
"""The n of the certificates."""
_THRESHOLDS: Final = (
    (3, Fraction(1, 2), Fraction(1, 2), 2),
    (1, Fraction(1, 4), Fraction(3, 4), 1),
    (5, Fraction(1, 3), Fraction(2, 3), 3),
    (5, Fraction(1, 10), Fraction(1), 5),
)
"""(n, lambda/n, q, tau) of the certificates."""
NUMBERS: Final = {"shares": _SHARES, "users": _USERS, "thresholds": _THRESHOLDS}
"""The numbers that the rows quote."""


def forced_zero(share: Fraction) -> Randomizer:
    """Sampling at the rate 1 - share, without a threshold: a user who is not sampled sends 0 in place of a coin.

    >>> forced_zero(Fraction(1, 4)).local_epsilon().is_infinite
    True
    """
    return Randomizer({0: {(0,): 1}, 1: {(0,): share, (1,): 1 - share}})


def _sums(n: int, ones: int, share: Fraction) -> tuple[MessageSum, MessageSum]:
    """The number of ones that are sent, by randomized response and by sampling."""
    data_set, weights = {0: n - ones, 1: ones}, {0: 0, 1: 1}
    tables = (randomized_response(2, gamma=share), forced_zero(share))
    first, second = (MessageSum(ShuffleProtocol(table, n), data_set, weights) for table in tables)
    return first, second


@searched_over(n=range(1, 4), ones=range(4), share=Rationals(0, 1, 5))
def least_difference(n: int, ones: int, share: Fraction) -> bool:
    """The first data set and share lambda/n with different laws of the number of ones sent."""
    if ones > n:
        raise InvalidValueError(f"ones={ones} is above n={n}. Pass at most n.")
    laws = [view.protocol.law(view.dataset).map(lambda counts: counts[1]) for view in _sums(n, ones, share)]
    return laws[0] == laws[1]


@decides("sampling-one-law")
def _one_law() -> Claim:
    return Claim.equal_laws(*_sums(**least_difference().least))


# --- 6: with the threshold ------------------------------------------------------------------------------------------


def release(rate: Fraction, threshold: int, ones: tuple[int, int]) -> Randomizer:
    """Sample-and-threshold on two data sets with so many ones: each is an input, the released number the message.

    >>> release(Fraction(1, 2), 2, (1, 2)).local_epsilon().is_infinite
    True
    """
    table: dict[int, dict[tuple[int], Fraction]] = {}
    for held in ones:
        reports = {t: comb(held, t) * rate**t * (1 - rate) ** (held - t) for t in range(held + 1)}
        shown = {(t,): chance for t, chance in reports.items() if t >= threshold and t > 0}
        table[held] = {(0,): 1 - sum(shown.values(), Fraction(0))} | shown
    return Randomizer({held: {sent: chance for sent, chance in row.items() if chance} for held, row in table.items()})


@decides("sampling-equivalence")
def _equivalence() -> Claim:
    """What is made of randomized response has its eps; the release has not."""
    _, share, rate, threshold = _THRESHOLDS[0]
    table = release(rate, threshold, (threshold - 1, threshold))
    return Claim.pure_dp(ShuffleProtocol(table, 1), exp_eps=(2 - share) / share)


@decides("sampling-no-simulation")
def _no_simulation() -> Iterator[Claim]:
    for n, share, rate, threshold in _THRESHOLDS:
        top = ShuffleProtocol(release(rate, threshold, (threshold - 1, threshold)), 1)
        yield Claim.pure_dp(k_ary(n, 2, gamma=share), exp_eps=(2 - share) / share)
        yield Claim.never_dp(top, delta_below=rate**threshold)
        if threshold >= 2:
            yield Claim.pure_dp(ShuffleProtocol(release(rate, threshold, (0, 1)), 1), exp_eps=1)
            none, single = (_sums(n, ones, share)[0] for ones in (0, 1))
            yield Claim.negation(Claim.equal_laws(none, single))


@decides("sampling-without-threshold")
def _sampling_is_not_private() -> Iterator[Claim]:
    """One who holds 1 among n-1 who hold 0: a 1 is sent with probability 1 - share, and without him never."""
    p, q, e, d = variables("p q E d")
    yield implies(equal(q, 0), e >= 1, p > d, then=p > e * q + d)
    for share, n in product(_SHARES, _USERS):
        yield Claim.never_dp(ShuffleProtocol(forced_zero(share), n), delta_below=1 - share)
    for share in _SHARES:
        yield Claim.pure_dp(k_ary(1, 2, gamma=share), exp_eps=(2 - share) / share, all_n_from=1, least="exp_eps")


@decides("sampling-bracket")
def _sampled_count() -> Iterator[Claim]:
    for n in _USERS:
        for ones, share in product(range(n + 1), _SHARES):
            yield Claim.equal_laws(_sums(n, ones, share)[1], Binomial(ones, 1 - share))
