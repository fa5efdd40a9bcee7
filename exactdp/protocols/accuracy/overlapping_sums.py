"""How exact a sum of bits can be in the local model: a lower bound for every protocol, as a number, at every n.

*Randomized response is all there is.* Let the transcript t of n users with bits x_1, ..., x_n be eps-DP in the bit of
each, E = e^eps > 1, and P[t | x] = f_1(t, x_1) ... f_n(t, x_n), as it is where users toss their own coins, whether they
answer at once or in turns that depend on what was said. Unless P[t | x] = 0 for every x, eps-DP says that f_i(t, 0) and
f_i(t, 1) are within a factor of E: some bits of the others make their factors positive. So a_i = (E f_i(t, 0) -
f_i(t, 1)) / (E - 1) and b_i = (E f_i(t, 1) - f_i(t, 0)) / (E - 1) are at least 0; f_i(t, 0) = (E a_i + b_i) / (E + 1),
f_i(t, 1) = (a_i + E b_i) / (E + 1), and

    P[t | x] = sum over y in {0,1}^n of P[y | x] K(t | y),    K(t | y) = product over i of a_i or b_i for y_i = 0 or 1,

where P[y | x] is randomized response: y_i = x_i with probability p = E / (E + 1). Summed over t this says
1 = sum_y P[y | x] K(y) for every x, with K(y) the sum of K(t | y); the matrix P[y | x] has an inverse, so K(y) = 1. The
transcript is drawn from the answers of randomized response, and so is every estimate. Coins that users share change
nothing: what follows holds for each of their outcomes, and so in the mean.

*The bound.* Let k users, drawn at random, hold a 1. All orders of the answers y are equally likely, so that their sum
S ~ Bin(k, p) + Bin(n-k, 1-p) says all that they say. Let k be one of the sums k_1 < ... < k_m, at distance D of each
other, equally likely. An estimate is nearer than D/2 to one of them at most, so it names the true one with probability
1 - F at most, and for some data set it errs by D/2 or more with probability F at least, where

    F = (1/m) sum over neighbours k < k' of (1 - TV(S_k, S_k')),    1 - TV = min over c of P[S_k >= c] + P[S_k' < c].

For the ratio of the laws of S_{k+1} and S_k is that of G + Ber(p) and G + Ber(1-p) with G log-concave: it rises with S.
So the most likely of the m sums rises with S, and neighbours meet where they are equally likely. Where F > beta, every
alpha < D/2 is exceeded with probability above beta: **no eps-DP local protocol is (alpha, beta)-accurate.**

Source: KairouzOhViswanath2015, Theorem 3.1 (randomized response is all there is, while the proof and the bound are this
page's).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Final

from exactdp.errors import InvalidValueError
from exactdp.evidence.theorems import relies_on
from exactdp.laws.binomial_sum import BinomialSum
from exactdp.laws.tails import ends
from exactdp.numbers.bisection import bisect, gallop
from exactdp.numbers.epsilon import LogRational, read_privacy_level
from exactdp.numbers.exact import Exact, as_integer, as_probability
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.frozen import set_fields

_BITS: Final = 64
"""Probabilities are enclosed to so many bits: a double has 53."""


@dataclass(frozen=True, slots=True)
class LocalLowerBound:
    """The bound and what attains it: whatever the protocol, some data set has one of these sums and errs that much.

    Args:
        error: D/2; no smaller error is exceeded with probability beta at most.
        sums: k_1, ..., k_m.
        failure: a lower bound of F, above beta.
    """

    error: Fraction
    sums: tuple[int, ...]
    failure: Fraction

    def __post_init__(self) -> None:
        set_fields(self, error=exact_answer(self.error), failure=exact_answer(self.failure))


@relies_on("local_overlap.local_overlap", "overlapping_answers.half_lines_overlap")
def local_lower_bound(
    n: int,
    *,
    beta: Exact,
    eps: Exact | LogRational | None = None,
    exp_eps: Exact | None = None,
    points: int = 33,
) -> LocalLowerBound:
    """Return an error that no eps-DP local protocol for the sum of n bits stays below but with probability beta.

    Args:
        n: users, at least 1.
        beta: the probability with which a protocol may err by more, exact, in [0, 1).
        eps, exp_eps: the privacy of a user's bit, one of the two.
        points: how many sums are told apart at most, at least 2; more are better and slower.

    Returns:
        The greatest error D/2 found, in users; exact, and proved for all n, whatever the protocol. It is 0 where
        nothing is shown.

    >>> bound = local_lower_bound(10**6, exp_eps=3, beta="1/20", points=5)
    >>> bound.error, bound.sums, f"{float(bound.failure):.6f}"
    (Fraction(1613, 1), (493548, 496774, 500000, 503226, 506452), '0.050023')

    Cost: about a second for 33 sums, at any n to 10^9 and beyond.

    Source: KairouzOhViswanath2015, Theorem 3.1 (the reduction, while the bound is the module's).
    """
    users = as_integer(n, name="n", at_least=1)
    most = as_integer(points, name="points", at_least=2)
    risk = as_probability(beta, name="beta")
    if risk == 1:
        raise InvalidValueError("beta=1 lets every protocol err. Pass a beta below 1.")
    level = read_privacy_level(eps=eps, exp_eps=exp_eps)
    exp_level = level.exp_eps
    if (
        exp_level is None or exp_level.denominator.bit_length() > _BITS
    ):  # a little above: the bound is for more protocols
        exp_level = Fraction(-(-level.enclose(_BITS).hi * 2**_BITS // 1), 2**_BITS)
    truth = exp_level / (exp_level + 1)

    def middle(spacing: int) -> bool:
        """Whether F would be above beta if all neighbours overlapped as the two in the middle do."""
        sums = _sums(users, spacing, most)
        pair = sums[(len(sums) - 1) // 2 :][:2]
        return (len(sums) - 1) * _overlap(users, pair[0], pair[1], truth) > risk * len(sums)

    guess = bisect(users + 1, 0, middle)
    _, spacing = gallop(-guess, 1, lambda d: d >= 0 or _failure(users, _sums(users, -d, most), truth) > risk)
    if spacing >= 0:
        return LocalLowerBound(Fraction(0), (0,), Fraction(0))
    sums = _sums(users, -spacing, most)
    return LocalLowerBound(Fraction(-spacing, 2), sums, _failure(users, sums, truth))


def _sums(users: int, spacing: int, most: int) -> tuple[int, ...]:
    """The sums that are told apart, as many as fit, around the half."""
    count = min(most, users // spacing + 1)
    first = (users - (count - 1) * spacing) // 2
    return tuple(first + j * spacing for j in range(count))


def _failure(users: int, sums: tuple[int, ...], truth: Fraction) -> Fraction:
    """A lower bound of F."""
    overlaps = (_overlap(users, k, after, truth) for k, after in pairwise(sums))
    return sum(overlaps, Fraction(0)) / len(sums)


def _overlap(users: int, k: int, after: int, truth: Fraction) -> Fraction:
    """A lower bound of 1 - TV of the answers' sums where k, and where ``after`` users, hold a 1."""
    if truth == Fraction(1, 2):
        return Fraction(1)
    first, second = (BinomialSum(ones, truth, users - ones, 1 - truth) for ones in (k, after))

    def later(t: int) -> int:
        """1 where t is proved to be likelier after the second sum, -1 after the first, else 0."""
        return second.pmf(t, relative_bits=_BITS).compare(first.pmf(t, relative_bits=_BITS)) or 0

    middle = (first.mean + second.mean) // 2
    _, right = gallop(middle, 1, lambda t: t > users or later(t) > 0)
    _, left = gallop(middle, -1, lambda t: t < 0 or later(t) < 0)
    right = bisect(left, right, lambda t: later(t) > 0)
    left = bisect(right, left, lambda t: later(t) < 0)
    cuts = (
        ends(first.sf(c - 1, relative_bits=_BITS))[0] + ends(second.cdf(c - 1, relative_bits=_BITS))[0]
        for c in range(left + 1, right + 1)
    )
    return min(cuts)
