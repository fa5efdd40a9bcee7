"""The local model: every protocol for a sum of bits is an estimate from randomized response, and so it errs.

Statement. E = e^eps > 1, and randomized response of a bit is right with probability p = E/(E+1).

1. Two laws (f, g) within a factor of E of each other, what a user with the bit 0 and one with the bit 1 sends, are
   randomized response followed by a channel; so is the transcript of n users, with one channel each.
2. With n even, and k = (n+D)/2 or n - k of the users, drawn at random, holding a 1, either with probability 1/2, an
   estimate of their number errs by D/2 or more with probability at least P[S < n/2], S ~ Bin(k, p) + Bin(n-k, 1-p).
3. The least mean error, over all eps-DP local protocols and in the worst data set, of a sum of n bits is 1/(E+1) for
   n = 1, 2/(E+1) for n = 2 and (3(E+1)^2 - 3E(E-1)t)/(E+1)^3 for n = 3, t = (4E+2)/(E^3+5E^2-E+1).
4. With s^2 = n E/(E+1)^2 some data set has a mean squared error of s^2 or more. For n >= 36 (E+1)^2/E some data set has
   an error of s/2 or more with probability 1/6 or more.
5. With K = (E-1)^2/E and n >= ln(d)/K + 256 K/ln(d) some data set of d bins has a bin that errs by sqrt(n ln(d)/K)/4 or
   more with probability 1/8 or more. Unary encoding errs by less than (F+1)/(F-1) sqrt(n ln(2d/beta)/2), F^2 = E, in
   all bins with probability 1 - beta. So what is enough for the shuffle model is not for the local one, for large d.

Proof. 1: a = (E f - g)/(E-1) and b = (E g - f)/(E-1), message by message: neither is negative, each sums to 1, and
f = p a + (1-p) b, g = (1-p) a + p b. For n users see the docstring of exactdp/protocols/accuracy/overlapping_sums.py.
2: by 1 the estimate is made from the answers of randomized response; all their orders are equally likely, so from their
sum S. What is nearer than D/2 to k is not so to n - k, so it is a guess which of the two it is, and the best guess is k
for S > n/2: S for n - k users is n - S for k users, and their ratio rises with S. It is wrong with probability at least
P[S < n/2]. For any number of sums, and any distance of the laws of S, this is in Coq.
3: the estimate, with f(S) the answer to S ones: f = S for n <= 2; for n = 3 it is 0 for S = 0, 0 with probability t and
1 else for S = 1, and 3 minus that for 3 - S. Its mean error is the value, or less, for each number k of ones. The
prior: 1/2 on k = 0 and n for n <= 2; for n = 3 proportional to E^3+2E^2+2E+1 at k = 0 and 3, 3E(E-1) at 1 and 2.
Given S the mean of abs(a - k) is convex in a and piecewise linear, so it is least where its steps change sign: no
estimate has a smaller mean error under the prior, and some k is not below the mean. This is in Coq too.
4 (in Coq): let the bits be uniform. Given the answers of randomized response they are independent, each with variance
p(1-p) = E/(E+1)^2; so Z = (sum - estimate)^2 has a mean A >= s^2, and E[Z^2] <= C A^2 with C = 3 + 2/s + 1/s^2. For
k >= 0 the indicator of Z >= s^2/4 is at least 2k(Z - s^2/4) - k^2 Z^2, and with k = 3/(4CA) the mean of that is
9/(16 C) or more.
5 (in Coq, separations/): the ratio r of an answer's probabilities for two bins has (E - r)(r - 1/E) >= 0, so a mean of
r^2 is at most E + 1/E - 1; users hold bin v with probability theta, else bin 0. The errors of the protocols above are
Hoeffding's, and those of zsum and of the geometric noise.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from exactdp import Binomial, BinomialSum, Claim, ShuffleProtocol
from exactdp.mechanisms.unary_encoding_family import UnaryEncoding
from exactdp.proofs.row_files import decides
from exactdp.proofs.steps import Expression, Number, at_least, equal, implies, positive_on, variables
from exactdp.protocols.zsum_and_histogram.zsum_protocol import zsum

_LEVEL: Final = 3
"""e^eps of the numbers of row local-lower-bound."""
_RISK: Final = Fraction(1, 20)
"""The probability of an error that no protocol stays below."""
SPACINGS: Final = {10**2: 26, 10**4: 282, 10**6: 2846}
"""n -> the greatest even D with P[S < n/2] at least the risk."""
_WORDS: Final = (15_000, Fraction(131, 20_000), Fraction(1, 100))
"""Users, gamma and the failure of P^hist on words."""
NUMBERS: Final = {
    "level": _LEVEL,
    "risk": _RISK,
    "users": tuple(SPACINGS),
    "errors": tuple(spacing // 2 for spacing in SPACINGS.values()),
    "word_users": f"{_WORDS[0]:,}",
    "word_gamma": _WORDS[1],
    "word_failure": _WORDS[2],
}
"""The numbers that the rows quote."""


@decides("local-randomized-response")
def _one_user() -> Iterator[Claim]:
    """1, message by message, with d for 1/(E-1)."""
    E, d, f, g, a, b = variables("E d f g a b")
    near = (E > 1, d > 0, f >= 0, g >= 0, f <= E * g, g <= E * f, equal(d * (E - 1), 1))
    made = (equal(a, d * (E * f - g)), equal(b, d * (E * g - f)))
    yield implies(*near, *made, then=(a >= 0, b >= 0))
    yield implies(*near, *made, then=equal(E * a + b, (E + 1) * f))
    yield implies(*near, *made, then=equal(a + E * b, (E + 1) * g))
    yield implies(*near, *made, equal(f, 1), equal(g, 1), then=(equal(a, 1), equal(b, 1)))  # what they sum to


@decides("local-lower-bound")
def _overlap() -> Iterator[Claim]:
    truth = Fraction(_LEVEL, _LEVEL + 1)
    for n, spacing in SPACINGS.items():
        ones = (n + spacing) // 2
        answers = BinomialSum(ones, truth, n - ones, 1 - truth)
        yield Claim.tail(answers, high=n // 2 - 1, at_least=_RISK)


def answers(E: Expression, users: int, ones: int) -> list[Number]:
    """(E+1)^n P[S = s | k], s = 0, ..., n, as polynomials in E, user by user."""
    law: list[Number] = [1]
    for user in range(users):
        right = E if user < ones else 1
        wrong = E + 1 - right
        law = [wrong * a + right * b for a, b in zip([*law, 0], [0, *law], strict=True)]
    return law


def game(E: Expression, estimates: list[dict[int, Number]], prior: list[Number], value: Number) -> Iterator[Claim]:
    """Both sides of the value of a game: the estimate's risks and the steps of the mean error under the prior.

    Args:
        estimates: for S = 0, ..., n, answer -> its probability times some factor.
        prior: for k = 0, ..., n, up to a factor.
        value: the error times (E+1)^n and that factor.
    """
    users = len(prior) - 1
    laws = [answers(E, users, k) for k in range(users + 1)]
    mean: Number = 0
    for k, law in enumerate(laws):
        risk: Number = 0
        for s, estimate in enumerate(estimates):
            for a, weight in estimate.items():
                risk = risk + law[s] * weight * abs(a - k)
        mean = mean + prior[k] * risk
        yield implies(E > 1, then=at_least(value, risk))
        yield implies(E > 1, then=at_least(prior[k], 0))
    yield implies(E > 1, then=equal(mean, sum(prior) * value))
    for s, estimate in enumerate(estimates):
        steps = [
            sum(prior[k] * laws[k][s] * (1 if k <= a else -1) for k in range(users + 1)) for a in range(users)
        ]  # the mean error of the answer a + 1 less that of a
        for answer in estimate:
            if answer > 0:
                yield _above_one(E, -steps[answer - 1])
            if answer < users:
                yield _above_one(E, steps[answer])


def _above_one(E: Expression, polynomial: Expression) -> Claim:
    """The polynomial in E is at least 0 for E >= 1: divided by its highest power it is one in x = 1/E on [0, 1]."""
    from sympy import Poly

    (x,) = variables("x")
    turned = sum(coefficient * x**power for power, coefficient in enumerate(Poly(polynomial, E).all_coeffs()))
    return positive_on({"x": (0, 1)}, (turned, 0))


@decides("local-overlapping-sums")
def _two_sums() -> Iterator[Claim]:
    """2, and its last step for three sums: p, q, r are the chances of an outcome and a, b, c those of its guesses."""
    p, q, r, a, b, c = variables("p q r a b c")
    guesses = (a >= 0, b >= 0, c >= 0, a + b + c <= 1)
    yield _overlap()
    yield implies(*guesses, p >= q, q >= r, r >= 0, then=p * a + q * b + r * c <= p)
    yield implies(*guesses, r >= q, q >= p, p >= 0, then=p * a + q * b + r * c <= p + (q - p) + (r - q))


@decides("local-squared-error")
def _posterior() -> Iterator[Claim]:
    """4: one more user at the distance b of the means."""
    p, b, E = variables("p b E")
    yield implies(then=equal(p * (b + 1 - p) ** 2 + (1 - p) * (b - p) ** 2, b**2 + p * (1 - p)))
    yield implies(E > 1, equal(p * (E + 1), E), then=equal(p * (1 - p) * (E + 1) ** 2, E))


@decides("local-error-constant")
def rarely_near() -> Iterator[Claim]:
    """4: the third and the fourth central moment of one bit, the step for the indicator, and C with u for 1/s."""
    p, k, z, u = variables("p k z u")
    v = p * (1 - p)
    yield _posterior()
    yield implies(then=equal(p * (1 - p) ** 3 - (1 - p) * p**3, v * (1 - 2 * p)))
    yield implies(then=equal(p * (1 - p) ** 4 + (1 - p) * p**4, v * (1 - 3 * v)))
    for sign in (1, -1):
        yield implies(sign * (1 - k * z) >= 0, then=1 - 2 * k * z + k**2 * z**2 >= 0)
    yield implies(u >= 0, 6 * u <= 1, then=16 * (3 + 2 * u + u**2) <= 6 * 9)


@decides("local-least-error")
def _games() -> Iterator[Claim]:
    """3; the polynomials of n = 3 are divided by t's denominator nowhere."""
    (E,) = variables("E")
    for n in (1, 2):
        yield from game(E, [{s: 1} for s in range(n + 1)], [1, *[0] * (n - 1), 1], n * (E + 1) ** (n - 1))
    swap, scale = 4 * E + 2, E**3 + 5 * E**2 - E + 1
    yield implies(E > 1, then=(scale - swap >= 0, swap > 0))
    outer, inner = E**3 + 2 * E**2 + 2 * E + 1, 3 * E * (E - 1)
    low: dict[int, Number] = {0: swap, 1: scale - swap}
    estimates = [{0: scale}, low, {3 - a: weight for a, weight in low.items()}, {3: scale}]
    value = 3 * (E + 1) ** 2 * scale - 3 * E * (E - 1) * swap
    yield from game(E, estimates, [outer, inner, inner, outer], value)


@decides("histogram-local-lower-bound")
def _local_histogram() -> Iterator[Claim]:
    """5: one answer; Chebyshev's inequality with 16 standard steps; what is left of d - 1 = m bins, x <= d."""
    E, r, s, t, m, x = variables("E r s t m x")
    yield implies(E > 1, r <= E, E * r >= 1, then=E * r**2 <= (E**2 + 1) * r - E)
    yield implies(s >= 16, t >= 0, t <= 1, then=16 * s * (1 - t) <= s**2)
    yield implies(m >= 1, x <= 2 * m, then=8 * x <= 25 * m)


@decides("local-histogram-attained")
def _unary() -> Iterator[Claim]:
    """5: one user of three bins with F = 2, and the two errors, but for the root that they share."""
    (F,) = variables("F")
    yield Claim.shuffle_dp(ShuffleProtocol(UnaryEncoding(3, exp_eps0=4).table(), 1), exp_eps=4, delta=0)
    yield implies(F > 1, then=equal((F + 1) * (F**2 - 1), (F + 1) ** 2 * (F - 1)))


@decides("separation")
def separation() -> Iterator[Claim]:
    """5: few users; the exponent of the shuffled error; and that e^x >= (1 + x/2)^2 outgrows x."""
    m, x, h = variables("m x h")
    yield implies(m >= 0, x <= 6 * m, then=8 * x <= 49 * m)
    yield implies(h >= 0, then=(h - 2) * (2 + h) <= h**2)
    yield implies(x >= 0, then=x**2 <= (2 + x) ** 2)


@decides("separation-local-words")
def _local_words() -> Iterator[Claim]:
    """5 in numbers: K for e up to 11/4, and what fewer than 240 users less than expected have a chance of."""
    (E,) = variables("E")
    yield implies(E >= 2, 4 * E <= 11, then=1000 * (E - 1) ** 2 <= 1114 * E)
    yield Claim.tail(Binomial(120_000, Fraction(22, 1000)), high=2399, at_most=Fraction(1, 20))


@decides("separation-shuffled-words")
def _shuffled_words() -> Iterator[Claim]:
    """5 in numbers: zsum at half of eps and delta; a bin errs where too many coins are silent, in n bins at most."""
    users, gamma, failure = _WORDS
    yield Claim.shift_dp(zsum(users, gamma=gamma).noise, eps="1/2", delta="5e-7")
    yield Claim.tail(Binomial(users, gamma), low=users // 100 + 1, at_most=failure / users)
