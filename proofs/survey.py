"""The survey of private sums: randomized response unbiased, its variance and its eps, and Laplace noise on integers.

Statement. Each of N users holds a bit x and answers z = x with probability 1/2 + g and z = 1 - x otherwise, where
0 < g < 1/2. Let s be the number of ones, K the number of answers 1, and f = (K - (1/2-g)N) / (2g).

1. The randomizer is eps-DP exactly for e^eps >= (1/2+g)/(1/2-g), shuffled or not.
2. E[K] = (1/2+g) s + (1/2-g) (N-s), so E[f] = s. (As printed, with - N/2 - gN, it would be s - N.)
3. K is a sum of independent bits, so f is an affine function of one: a user's answer moves it by 1/(2g).
4. E[(f-s)^2] = Var[f] = N (1/4 - g^2) / (4 g^2) = N E/(E-1)^2 with E = e^eps of 1. So it is at most N/eps^2, and at
   least N/eps^2 / 1.1025 for eps <= 1; the squared error of the mean f/N is this over N^2.
5. Two-sided geometric noise, P[k] proportional to e^(-eps abs(k)), on a sum that a record moves by at most 1 is eps-DP
   and has the mean absolute error 1/sinh(eps) < 1/eps.
6. Laplace noise on an integer of sensitivity 1 is eps-DP, and so is its rounding.
7. The split noise of private counting with messages +1 and -1 costs (2p/(1-p) + 2r q/(1-q)) / N messages beyond a
   user's own on average, with p = e^-e1, q = e^(-e2/5), r = 3(1 + ln(1/delta)); that is at most
   (2/e1 + 30(1 + ln(1/delta))/e2) / N: one logarithm. The one-sided variant, with messages +1 only and the noise
   NB(r, e^(-eps/5)), is another protocol: it costs at most 15 (1 + ln(1/delta)) / (eps N).
   With both signs it is (e1 + e2, delta)-DP behind a shuffler for e2 <= 1, and errs by k or more with probability
   2 p^k/(1 + p) on every data set.
8. Every eps-DP local protocol for the mean errs on some data set by sqrt(E)/(2(E+1) sqrt(N)) or more with probability
   1/6 at least, if N >= 36 (E+1)^2/E.

Proof. 1: p = E q with p = 1/2 + g, q = 1/2 - g is attained, and any e^eps that will do is at least p/q; one message per
user, so the shuffler adds nothing (proofs/single_message.py). 2, 3: linearity, one user at a time. 4: each answer has
the variance pq, and variances of independent variables add up. With v = e^(eps/2) and x = eps/2 the upper bound says
v^2 - 1 >= 2xv; put v >= 1 + x + x^2/2 in. The lower bound is a box inequality. 5: sum the series; the same inequality
with x = eps. A mass changes by at most e^eps from k to k + 1.
6, Laplace noise: for the input a the output has the density (eps/2) e^(-eps abs(y-a)) at y. For inputs a and b that
differ by at most 1 the exponents differ by eps (abs(y-b) - abs(y-a)) <= eps abs(b-a) <= eps, so the densities, and with
them the probabilities of all events, are within a factor of e^eps; rounding is a function of the output. Its law, with
h = e^(eps/2), is proportional to 2h^2/(1+h) at 0 and to h^(2 - 2k) at abs(k) = k >= 1, the integrals of the density.
6, one bit: rounding to the nearest of 0 and 1 gives the wrong one with P[noise > 1/2], which is the integral of the
density (eps/2) e^(-eps y) from 1/2 on, e^(-eps/2)/2 = 1/(2h). The table of that is eps-DP. 6 is proved in Coq.
7: the mean M of a negative binomial law satisfies M = p (r + M), because k w(k) = (r + k - 1) p w(k-1); and
e^y >= 1 + y. Seen are c + G + W and H + W, the sums of the shares. For c + 1 in place of c either G is one larger,
which is e^e1 times less likely, or H and W are, and W + 1 is (e2, delta)-near W. The estimate is c + G - H. In Coq.
8: N times the estimate is one of the sum, and this is 4 of proofs/local_model.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Final

from exactdp import (
    Analyzer,
    BinomialSum,
    Claim,
    DiscreteLaplace,
    Randomizer,
    Real,
    ShuffleProtocol,
    randomized_response,
)
from exactdp.claims.encoding import MessageSum
from exactdp.errors import InvalidValueError
from exactdp.numbers.balls import enclose_real
from exactdp.proofs.least import searched_over
from exactdp.proofs.local_model import rarely_near
from exactdp.proofs.row_files import decides
from exactdp.proofs.steps import Expression, at_least, equal, implies, positive_on, variables
from exactdp.studies.counterexamples.search import Rationals

_HALF: Final = Fraction(1, 2)
_SHARES: Final = (Fraction(1, 10), Fraction(1, 4), Fraction(2, 5))
"""The gammas of the certificates."""
_USERS: Final = (1, 2, 3, 6)
"""The N of the certificates."""
_BITS: Final = 64
"""Relative accuracy of the tail of Laplace noise."""
_LOCAL: Final = Fraction(21, 20)
"""How far the local error is from sqrt(N)/eps at most, for eps <= 1."""
NUMBERS: Final = {"shares": _SHARES, "users": _USERS, "local": 1 / _LOCAL}
"""The numbers that the rows quote."""


def survey_protocol(n: int, gamma: Fraction) -> ShuffleProtocol:
    """Return the survey's protocol: tell the truth with probability 1/2 + gamma, estimate the sum of the bits."""
    analyzer = Analyzer({1: 1 / (2 * gamma)}, offset=-(_HALF - gamma) * n / (2 * gamma))
    return ShuffleProtocol(randomized_response(2, gamma=1 - 2 * gamma), n, analyzer=analyzer)


def error_law(n: int, ones: int, gamma: Fraction) -> Mapping[Fraction, Fraction]:
    """Return error -> probability of the survey's estimate, for a data set with so many ones."""
    truth, lie = _HALF + gamma, _HALF - gamma
    chances = [Fraction(1)]
    for user in range(n):
        p = truth if user < ones else lie
        chances = [(1 - p) * a + p * b for a, b in zip([*chances, Fraction(0)], [Fraction(0), *chances], strict=True)]
    return {(k - lie * n) / (2 * gamma) - ones: chance for k, chance in enumerate(chances)}


# --- Randomized response --------------------------------------------------------------------------------------------


@decides("survey-privacy")
def _privacy() -> Iterator[Claim]:
    """1, with E for e^eps = p/q and A for another e^eps that will do."""
    g, E, A = variables("g E A")
    p, q = _HALF + g, _HALF - g
    at = (g > 0, q > 0, equal(E * q, p))
    yield implies(*at, E >= 0, then=E * p >= q)
    yield implies(*at, then=q * (E - 1) > 0)
    yield implies(*at, q * A >= p, then=q * (A - E) >= 0)
    for share in _SHARES:
        exp_eps = (_HALF + share) / (_HALF - share)
        yield Claim.shuffle_dp(survey_protocol(1, share), exp_eps=exp_eps, delta=0, all_n_from=1, least="exp_eps")


@searched_over(n=range(1, 5), ones=range(5), gamma=Rationals(0, "1/2", 10))
def least_biased(n: int, ones: int, gamma: Fraction) -> bool:
    """Return the first N, number of ones and gamma at which the estimate with the printed sign is biased."""
    if ones > n:
        raise InvalidValueError(f"ones={ones} is above n={n}.")
    count_of_ones = (_HALF + gamma) * ones + (_HALF - gamma) * (n - ones)
    return (count_of_ones - _HALF * n - gamma * n) / (2 * gamma) == ones


@decides("survey-unbiased-printed")
def _biased() -> Claim:
    """As printed, at the first n and number of ones, whatever gamma is."""
    n, ones = least_biased().at("n", "ones")
    G, m = variables("G m")
    mean = equal(m, (1 + G) * ones + (1 - G) * (n - ones))
    return implies(G > 0, G < 1, mean, then=equal(m - n - G * n, 2 * G * ones))


@decides("survey-mean-of-answers")
def _mean_of_answers() -> Claim:
    """2E[K] user by user, with G for 2g: m is that of j users with s ones, q that of one more, who holds x."""
    G, j, s, x, m, q = variables("G j s x m q")
    so_far, one = equal(m, (1 + G) * s + (1 - G) * (j - s)), equal(q, (1 + G) * x + (1 - G) * (1 - x))
    return implies(so_far, one, then=equal(m + q, (1 + G) * (s + x) + (1 - G) * (j + 1 - s - x)))


@decides("survey-unbiased")
def _unbiased() -> Claim:
    """The estimate from 2E[K] = m, with G for 2g and f for the mean of the estimate: G f = G s."""
    G, N, s, m, f = variables("G N s m f")
    mean, estimate = equal(m, (1 + G) * s + (1 - G) * (N - s)), equal(2 * G * f, m - (1 - G) * N)
    return Claim.conjunction(_mean_of_answers(), implies(mean, estimate, then=equal(2 * G * f, 2 * G * s)))


@decides("survey-two-meanings-of-k")
def _one_letter() -> Claim:
    """With k for the noisy count throughout: twice E[k], m, would be twice (1/2+g) E[k] + (1/2-g) (N - E[k])."""
    users, ones = 10, 3
    (G,) = variables("G")
    m = (1 + G) * ones + (1 - G) * (users - ones)
    return implies(G > 0, G < 1, then=equal(m, (1 + G) * m / 2 + (1 - G) * (users - m / 2)))


@decides("survey-affine")
def _affine() -> Claim:
    """3: what one answer more does to f, with d for f after it, and the law of K for small N."""
    g, N, K, f, d = variables("g N K f d")
    lie = _HALF - g
    estimate, after = equal(2 * g * f, K - lie * N), equal(2 * g * d, K + 1 - lie * N)
    laws = [
        Claim.equal_laws(
            MessageSum(survey_protocol(n, share), {0: n - ones, 1: ones}, {0: 0, 1: 1}),
            BinomialSum(ones, _HALF + share, n - ones, _HALF - share),
        )
        for n in _USERS
        for ones in range(n + 1)
        for share in _SHARES
    ]
    return Claim.conjunction(implies(estimate, after, then=equal(2 * g * (d - f), 1)), *laws)


def _one_variance() -> list[Claim]:
    """A user's answer has E[z] = p and, as z^2 = z, the variance p - p^2; with g the same for both inputs."""
    g, p = variables("g p")
    answers = (_HALF + g, _HALF - g)
    return [implies(g >= 0, equal(p, answer), then=equal(p - p**2, Fraction(1, 4) - g**2)) for answer in answers]


@decides("survey-variance", assuming=["independence"])
def _variance() -> Iterator[Claim]:
    """4: with V for the variance of K and F for that of f; W for the variance of N users, w for one user's."""
    g, N, w, W, V, F, E = variables("g N w W V F E")
    one = Fraction(1, 4) - g**2
    yield from _one_variance()
    yield implies(equal(W, N * one), equal(w, one), equal(V, W + w), then=equal(V, (N + 1) * one))
    yield implies(equal(V, N * one), equal(4 * g**2 * F, V), then=equal(4 * g**2 * F, N * one))
    for left, right in _in_terms_of_eps(g, E):
        for relation in (at_least(left, right), at_least(right, left)):
            yield implies(E >= 1, equal(2 * g * (E + 1), E - 1), then=relation)


def _in_terms_of_eps(g: Expression, E: Expression) -> tuple[tuple[Expression, Expression], ...]:
    """(1/4 - g^2) / (4 g^2) = E/(E-1)^2: numerator and denominator, both times 4 (E+1)^2 and (E+1)^2."""
    scale = (E + 1) ** 2
    return (4 * g**2 * scale, (E - 1) ** 2), ((1 - 4 * g**2) * scale, 4 * E)


# --- The table of errors --------------------------------------------------------------------------------------------


def sinh_bound() -> Claim:
    """Return v^2 - 1 >= 2 x v for all x >= 0 and v = e^x: sinh(x) >= x."""
    x, v = variables("x v")
    return implies(x >= 0, v >= 1 + x + x**2 / 2, then=v**2 - 1 >= 2 * x * v)


@decides("survey-central-error", assuming=["taylor", "monotone-convergence"])
def _central_error() -> Iterator[Claim]:
    """5, with a = e^-eps, G the sum of a^k and M of k a^k over k >= 1, and A for the mean absolute error."""
    a, G, M, A = variables("a G M A")
    series = equal(G, a + a * G)
    error = (equal(M, G + a * M), equal((1 + a) * A, 2 * (1 - a) * M))
    yield implies(series, *error, a <= 1, then=equal((1 + a) * A, 2 * G))
    yield implies(series, equal((1 + a) * A, 2 * G), a <= 1, then=equal((1 - a**2) * A, 2 * a))
    yield sinh_bound()
    yield Claim.shift_dp(DiscreteLaplace(2), exp_eps=2, delta=0)


@decides("survey-local-error", assuming=["independence", "taylor"])
def _local_error() -> Iterator[Claim]:
    """4 in eps = 2x, v = e^x: v (2x) <= v^2 - 1 <= 21/20 v (2x), the latter for x <= 1/2; E/(E-1)^2 is the square."""
    (x,) = variables("x")
    yield _variance()
    yield sinh_bound()
    yield positive_on({"x": (0, _HALF)}, (2 * _LOCAL * x, x), (-1, 2 * x), (1, 0))


@decides("survey-lower-bound")
def _lower_bound() -> Iterator[Claim]:
    """8: N is q^2; the sum errs by e, by r = t q at least, and the mean by m."""
    q, e, m, r, t = variables("q e m r t")
    yield rarely_near()
    yield implies(q > 0, equal(e, q**2 * m), equal(r, t * q), e >= r, then=q**2 * m >= q * t)


def _mean_noise() -> Claim:
    """Of NB(r, p), with M for the sum of k w(k) up to t, F for the mass, S for the sum up to t+1: S = p (r F + M).

    x is (1-p) M / r: if x is at most p, so is (1-p) S / r = p (1-p) F + p x.
    """
    p, F, x = variables("p F x")
    return implies(p >= 0, p <= 1, F <= 1, p - x >= 0, then=p - p * (1 - p) * F - p * x >= 0)


@decides("survey-messages", assuming=["taylor", "monotone-convergence"])
def _messages() -> Iterator[Claim]:
    """7: m and n for N times the means, t and d for e^e1 - 1 and e^(e2/5) - 1: m t = 1, n d = 3 (1 + ln(1/delta))."""
    e1, e2, t, d, m, n = variables("e1 e2 t d m n")
    yield _mean_noise()
    yield implies(m >= 0, t - e1 >= 0, then=m * t >= m * e1)
    yield implies(n >= 0, 5 * d - e2 >= 0, then=5 * n * d >= n * e2)


@decides("correlated-counting", assuming=["taylor", "monotone-convergence"])
def _correlated_counting() -> Iterator[Claim]:
    """7: X, Z are an event's chances for c and c + 1, Y for W + 1 in place of W; q is (1-a)/(1-a^2); the messages."""
    E, F, X, Y, Z, d, a, q = variables("E F X Y Z d a q")
    yield implies(F * Y + d >= X, E * Z >= Y, F >= 0, then=E * F * Z + d >= X)
    yield implies(a > 0, equal(q * (1 + a), 1), then=equal(q * (1 - a**2), 1 - a))
    yield _messages()


@decides("survey-messages-one-sided")
def _one_sided_messages() -> Claim:
    """7, the one-sided variant: n for N times the mean, d for e^(eps/5) - 1: n d = 3 (1 + ln(1/delta))."""
    e, d, n = variables("e d n")
    step = implies(n >= 0, 5 * d - e >= 0, then=5 * n * d >= n * e)
    return Claim.conjunction(_mean_noise(), step, assuming=["taylor", "monotone-convergence"])


# --- Laplace noise on integers --------------------------------------------------------------------------------------


def clamped_laplace(h: Fraction) -> Randomizer:
    """Return a bit plus Laplace noise of scale 1/eps, rounded and clamped to {0, 1}, for e^(eps/2) = h > 1.

    >>> clamped_laplace(Fraction(2)).local_epsilon()
    LogRational('3')
    """
    wrong = 1 / (2 * h)
    tail = enclose_real(Real.exp(-_HALF * Real.log(h**2)) / 2, relative_bits=_BITS)
    if not tail.lo <= wrong <= tail.hi:
        raise InvalidValueError(f"wrong={wrong} is not P[noise > 1/2] = e^(-eps/2)/2, which is {tail!r}.")
    return Randomizer({x: {(y,): 1 - wrong if x == y else wrong for y in (0, 1)} for x in (0, 1)})


@searched_over(h=Rationals(1, 10, 10))
def least_laplace_on_integers(h: Fraction) -> bool:
    """Return the first e^(eps/2) at which Laplace noise on a bit is not "impossible": its rounding is eps-DP."""
    return clamped_laplace(h).local_epsilon().argument > h**2


@decides("survey-laplace-integers-rounded")
def _laplace_is_impossible() -> Claim:
    (h,) = least_laplace_on_integers().at("h")
    return Claim.negation(Claim.shuffle_dp(ShuffleProtocol(clamped_laplace(h), 1), exp_eps=h**2, delta=0))


@decides("survey-laplace-integers", assuming=["post-processing"])
def _laplace() -> Iterator[Claim]:
    """6: c >= abs(y-a) and d >= abs(a-b) bound both values of abs(y-b); then the rounded law.

    With h = e^(eps/2) it is proportional to 2h^2/(1+h) at 0 and to h^(2 - 2k) at abs(k) = k >= 1. So the ratios of
    neighbours are h^2 = e^eps from 1 on, and 2h^2/(1+h) at 0 and 1.
    """
    y, a, b, c, d, h = variables("y a b c d h")
    far = (c >= y - a, c >= a - y, d >= a - b, d >= b - a)
    yield implies(*far, then=y - b <= c + d)
    yield implies(*far, then=b - y <= c + d)
    yield implies(h >= 1, then=h**2 * (1 + h) >= 2 * h**2)
    yield implies(h >= 1, then=h**2 * (2 * h**2) >= 1 + h)
