"""Sensitivities, Laplace noise, one-sided noise, the exponential mechanism and the largest of noisy counts.

Statement. eps > 0, E = e^eps, Df the l1 sensitivity of f.

1. Laplace noise of scale Df/eps on each of k coordinates: the ratio of the densities is at most E, for every k.
   Two-sided geometric noise of ratio a on each of k integer coordinates: the ratio of the probabilities of two answers
   at l1 distance s is at most a^-s, and is a^-s at an outcome.
   One real coordinate, scale b, sensitivity s: the least delta is max(0, 1 - e^((eps - s/b) / 2)) at every eps >= 0.
2. A sum of values v in [lo, hi]: adding or removing one changes it by at most max(abs(lo), abs(hi)), replacing one
   by at most hi - lo. Moving one record of a histogram changes two cells by one: l1 sensitivity 2. Two-sided geometric
   noise of ratio e^-eps on each cell is then 2 eps-DP, and no better.
3. One-sided noise P[Y = t] = (1-p) p^t, t >= 0, on a query of sensitivity j: for every eps the least delta is 1 - p^j,
   as outcomes are lost. For no eps is it eps-DP. Its mean is m = p/(1-p), a bias, its variance p/(1-p)^2.
4. Exp(lam) on a real query of sensitivity Df: for every eps the least delta is 1 - e^(-lam Df). With eps = lam Df its
   mean 1/lam, a bias, is Df/eps, and its variance 1/lam^2 is Df^2/eps^2.
5. One of k Laplace coordinates is off by more than ln(k/beta) Df/eps with the probability 1 - (1 - beta/k)^k, which is
   between 1 - e^-beta and beta, so within beta^2/2 of beta, and is beta only for k = 1; 0 < beta < 1.
   The box of all k within that distance has the probability (1 - beta/k)^k. Conversely, whatever the eps-DP mechanism
   for a sum is: where two records differ by D some data set has an error of k D/2 or more with probability
   1/(1 + e^(k eps)), k <= n.
6. The exponential mechanism, weight e^(eps u(x, r) / (2 Du)) with Du the largest change of u over r and neighbours, is
   eps-DP. Its answer has u <= OPT - (2 Du/eps) (ln abs(R) + c) with probability at most e^-c. For 30 votes against 29
   and e^eps = 4 the one with more votes is named with probability 2/3, and a vote hides at eps = ln 2, not at less.
7. Report noisy max: noise is added to each integer score, and the first of the largest is named. If one record moves a
   score by at most 1, and the law of the noise satisfies w(z) <= e^(eps/2) w(z+1), that is eps-DP. With one-sided
   geometric noise of ratio a = e^(-eps/2) it names the wrong one of two who are m votes apart with probability
   a^(m+1)/(1+a) or, where ties go to him, a^m/(1+a); the exponential mechanism with a^m/(1+a^m), which is no less.
   Every (eps, delta)-DP mechanism that names one of two by 2k+1 votes is wrong with probability (1-delta)/(1+E) or
   more for some votes, k against k+1.

Proof. 1: abs(b - z) - abs(a - z) <= abs(a - b); the exponents add up coordinate by coordinate, to at most (eps/Df) Df.
Moved by v <= s, the logarithm of the ratio does not rise in t: it is v/b up to 0, (v - 2t)/b up to v, then -v/b. It is
above eps < v/b where t < c = (v - b eps)/2. With y = e^(-c/b) and w = e^(-eps/2), so that E w^2 = 1, the noise is below
c with probability 1 - y/2 and the noise moved by v with y w^2 / 2: the divergence is 1 - y, which rises with v.
2: as |v| <= max and |v - w| <= hi - lo. 3: for Y against Y + j the outcomes below j are lost; above, w(t) - E w(t-j) =
(p^j - E) w(t-j) <= 0. In the other order the excess is (1 - E p^j) w(t-j), in total at most 1 - p^j. What the first n
terms lack is p^n (n + m) of the mean and p^n (n^2 + v) of the variance v.

4: the density is w(t) = lam e^(-lam t) for t >= 0, and r = e^(-lam Df) is P[Y >= Df]. Of Y against
Y + Df, moved by the whole sensitivity, the outcomes below Df are lost, with the probability 1 - r; from Df on w(t) is
r w(t - Df), at most E w(t - Df), so nothing is added. In the other order the excess at t >= Df is (1 - E r) w(t - Df)
or 0, in total at most 1 - E r <= 1 - r. A smaller move loses less. The mean is 1/lam and the variance 1/lam^2.

5: P[abs(Lap(b)) > b ln(k/beta)] = beta/k, independently. If B >= 1 - kx, then (1-x) B >= 1 - (k+1) x, strictly for
x > 0 (Bernoulli); 1 - x <= e^-x; e^-beta <= 1 - beta + beta^2/2. 6: with a = e^(eps/2) each weight changes by a factor
of at most a, so does their sum, and together it is a^2. A bad answer has weight at most W e^-c / abs(R), W the best.
7: leave the noise of all others as it is and add 2 to that of the one who is named: with the other data set he is named
too, as his lead over anybody fell by 2 at most. That takes different noises to different ones, each at most E times
less likely. The difference of two one-sided geometric variables of ratio a is two-sided of ratio a, with the tails
a^m/(1+a); and a^m <= a. One vote turns k votes into k+1: with chances p and q of a wrong name, 1 - q <= E p + delta.
All of it is proved in Coq.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Final

from exactdp import Analyzer, Binomial, Claim, DiscreteLaplace, Geometric, Randomizer, ShuffleProtocol, shift_profile
from exactdp.claims.claim import Run
from exactdp.errors import InvalidValueError
from exactdp.proofs.least import refuted_at_least, searched_over
from exactdp.proofs.row_files import decides
from exactdp.proofs.steps import at_least, equal, implies, variables
from exactdp.studies.counterexamples.search import Rationals

_RATIO: Final = Fraction(2)
"""The e^eps of the instances."""
_BILLIONTH: Final = Fraction(1, 10**9)
"""How near a chance is bounded."""
_ONE_SIDED_CASES: Final = ((Fraction(1, 2), 1), (Fraction(1, 3), 2), (Fraction(9, 10), 5))
"""The ratio of a geometric law, and a shift."""


# --- 1 and 5: Laplace noise -----------------------------------------------------------------------------------------


@decides("laplace-privacy", assuming=["taylor"])
def _laplace() -> Iterator[Claim]:
    """r is eps/Df, Dl stands for Df; X and S are the exponent and abs(f(x) - f(x')) summed so far."""
    a, b, c, u, v, r, x, s, m, k, d, e, dl = variables("a b c u v r X S m k d eps Dl")
    sides = (u >= a - b, u >= b - a, v >= b - c, v >= c - b)
    yield implies(*sides, then=(a - c <= u + v, c - a <= u + v))
    yield implies(r >= 0, m - k <= d, then=r * (m - k) <= r * d)
    yield implies(x <= r * s, r * (m - k) <= r * d, then=x + r * (m - k) <= r * (s + d))
    yield implies(r >= 0, s <= dl, equal(r * dl, e), then=r * s <= e)


@decides("laplace-delta")
def _laplace_delta() -> Iterator[Claim]:
    """The turn c of the likelihood ratio, u = 2 c; then masses by y = e^(-c/b) and w = e^(-eps/2)."""
    t, v, b, eps, u, y, w, e, s = variables("t v b eps u y w E s")
    turn = (equal(u, v - b * eps), eps >= 0, b > 0)
    yield implies(*turn, 2 * t <= u, then=v - 2 * t >= b * eps)
    yield implies(*turn, 2 * t > u, then=v - 2 * t < b * eps)
    yield implies(*turn, v > b * eps, then=(u > 0, u <= v))
    yield implies(*turn, v <= b * eps, t >= 0, then=v - 2 * t <= b * eps)
    yield implies(
        equal(e * w * w, 1), y >= 0, then=equal(1 - y * Fraction(1, 2) - e * (y * w * w * Fraction(1, 2)), 1 - y)
    )
    yield implies(*turn, v <= s, then=u <= s - b * eps)


@decides("laplace-discrete")
def _discrete_laplace() -> Iterator[Claim]:
    """Three coordinates that move by one each, and one that moves by three."""
    yield Claim.composed(Run(DiscreteLaplace(_RATIO), times=3), exp_eps=_RATIO**3, delta=0)
    yield Claim.shift_dp(DiscreteLaplace(_RATIO), shift=3, exp_eps=_RATIO**3, delta=0)


def _chance(k: int, beta: Fraction) -> Fraction:
    """The probability that one of k coordinates is off."""
    return 1 - (1 - beta / k) ** k


@searched_over(k=range(1, 6), beta=Rationals(0, 1, 4))
def least_coordinates(k: int, beta: Fraction) -> bool:
    """The least k and beta at which the probability is not beta."""
    return _chance(k, beta) == beta


def _chance_is_beta(k: int, beta: Fraction) -> Claim:
    off = Binomial(k, beta / k)
    return Claim.conjunction(Claim.tail(off, low=1, at_least=beta), Claim.tail(off, low=1, at_most=beta))


@decides("noise-is-necessary")
def _necessary() -> Iterator[Claim]:
    """a is an answer, s and t are sums k D apart; p and q the chances of an error; E is e^(k eps)."""
    a, s, t, d, k, p, q, e, n = variables("a s t D k p q E N")
    yield implies(2 * (a - s) < k * d, 2 * (t - a) < k * d, then=t - s < k * d)
    yield implies(p + e * q >= 1, p * (1 + e) <= 1, 1 + e > 0, then=e * q * (1 + e) >= e)
    yield implies(n >= 1, k > n - 1, k >= 1, then=2 * k >= n)


@decides("laplace-accuracy-printed")
def _printed_chance() -> Claim:
    return refuted_at_least(_chance_is_beta, least_coordinates)


@decides("laplace-accuracy", assuming=["taylor", "independence"])
def _laplace_accuracy() -> Iterator[Claim]:
    """B stands for (1-x)^k, x = beta/k: Bernoulli's inequality by induction, then the end with q >= e^-beta."""
    x, k, big_b, b, q = variables("x k B beta q")
    yield implies(big_b >= 1 - k * x, x >= 0, x <= 1, k >= 0, then=(1 - x) * big_b >= 1 - (k + 1) * x)
    yield implies(big_b >= 1 - k * x, x > 0, x <= 1, k > 0, then=(1 - x) * big_b > 1 - (k + 1) * x)
    yield implies(big_b <= q, q <= 1 - b + b * b / 2, then=1 - big_b >= b - b * b / 2)


@decides("laplace-accuracy-experiment")
def _experiment() -> Iterator[Claim]:
    off = Binomial(1000, Fraction(1, 20000))
    yield Claim.tail(off, low=1, at_least="0.04877")
    yield Claim.tail(off, low=1, at_most="0.04878")


# --- 2: sensitivities -----------------------------------------------------------------------------------------------


def _largest_change(low: int, high: int, *, replace: bool) -> int:
    values = range(low, high + 1)
    return max(abs(v - w) for v in values for w in (values if replace else (0,)))


@searched_over(below=range(6), high=range(1, 6))
def least_domain(below: int, high: int, *, replace: bool) -> bool:
    """The least domain {-below, ..., high} in which one record changes the sum by another amount than its supremum."""
    return _largest_change(-below, high, replace=replace) == high


def _sum_changes_by_supremum(below: int, high: int, *, replace: bool) -> Claim:
    """A record v of this domain, added or in the place of w, lowers the sum s by at most the supremum, to t."""
    v, w, s, t = variables("v w s t")
    values = (v, w) if replace else (v,)
    inside = [bound for value in values for bound in (value >= -below, value <= high)]
    return implies(*inside, equal(t, s + v - w if replace else s + v), then=t - s >= -high)


@decides("sum-sensitivity-printed")
def _printed_sum_of_added_records() -> Claim:
    return refuted_at_least(_sum_changes_by_supremum, least_domain, replace=False)


@decides("sum-sensitivity-printed-replace")
def _printed_sum_of_replaced_records() -> Claim:
    return refuted_at_least(_sum_changes_by_supremum, least_domain, replace=True)


@decides("sum-sensitivity")
def _sums() -> Iterator[Claim]:
    v, w, lo, hi, m = variables("v w lo hi m")
    inside = (v >= lo, v <= hi)
    yield implies(*inside, m >= hi, m >= -lo, then=(v <= m, v >= -m))
    yield implies(*inside, w >= lo, w <= hi, then=(v - w <= hi - lo, w - v <= hi - lo))


@decides("noise-least")
def _least_noise() -> Iterator[Claim]:
    for shift in (1, 2, 5):
        yield Claim.shift_dp(DiscreteLaplace(_RATIO), shift=shift, exp_eps=_RATIO**shift, delta=0, least="exp_eps")


def _moves(n: int, cells: int) -> list[list[int]]:
    """How much each cell changes when one of n records moves, for every histogram and move."""
    if n < 1:
        raise InvalidValueError(f"n={n} has no record to move. Pass at least 1.")
    pairs = product(range(cells), repeat=2)
    return [[(cell == target) - (cell == source) for cell in range(cells)] for source, target in pairs]


def _one_cell(n: int, cells: int) -> int:
    return max(max(map(abs, move)) for move in _moves(n, cells))


def _all_cells(n: int, cells: int) -> int:
    return max(sum(map(abs, move)) for move in _moves(n, cells))


@searched_over(n=range(1, 4), cells=range(2, 5))
def least_cells(n: int, cells: int) -> bool:
    """The least histograms whose l1 sensitivity is not the largest change of one cell."""
    return _all_cells(n, cells) == _one_cell(n, cells)


def _noisy_cells(n: int, cells: int, *, exp_eps: Fraction) -> Claim:
    """Noise of e^eps = 2 on each cell, of which as many change by one as the l1 sensitivity says."""
    return Claim.composed(Run(DiscreteLaplace(_RATIO), times=_all_cells(n, cells)), exp_eps=exp_eps, delta=0)


@decides("histogram-sensitivity-printed")
def _printed_histogram() -> Claim:
    def statement(n: int, cells: int) -> Claim:
        return _noisy_cells(n, cells, exp_eps=_RATIO ** _one_cell(n, cells))

    return refuted_at_least(statement, least_cells)


@decides("histogram-sensitivity")
def _histogram() -> Claim:
    at = least_cells().least
    none_less = Claim.negation(_noisy_cells(**at, exp_eps=_RATIO**2 - Fraction(1, 1000)))
    return Claim.conjunction(_noisy_cells(**at, exp_eps=_RATIO**2), none_less)


# --- 3 and 4: one-sided noise ---------------------------------------------------------------------------------------


@searched_over(p=Rationals(0, 1, 4))
def least_one_sided(p: Fraction) -> bool:
    """The least p for which the geometric law of ratio p is not pure at e^eps = 1/p, as the two-sided one is."""
    return shift_profile(Geometric(p)).exact_delta(exp_eps=1 / p) == 0


@decides("one-sided-printed")
def _printed_one_sided() -> Claim:
    (p,) = least_one_sided().at("p")
    return Claim.shift_dp(Geometric(p), exp_eps=1 / p, delta=0)


def _lost_outcomes(lost: Fraction) -> Claim:
    """Asked only whether the answer is below f + j: with f never for the neighbour, else with probability ``lost``."""
    table = Randomizer({0: {("below",): lost, ("above",): 1 - lost}, 1: {("above",): 1}})
    return Claim.never_dp(ShuffleProtocol(table, 1), delta_below=lost)


@decides("one-sided-never")
def _never() -> Claim:
    tables = [_lost_outcomes(1 - ratio**shift) for ratio, shift in _ONE_SIDED_CASES]
    return Claim.conjunction(*tables, assuming=["post-processing"])


@decides("one-sided-exact")
def _one_sided() -> Iterator[Claim]:
    for p, shift in _ONE_SIDED_CASES:
        for exp_eps in (Fraction(1), p**-shift, Fraction(10**9)):
            yield Claim.shift_dp(Geometric(p), shift=shift, exp_eps=exp_eps, delta=1 - p**shift, least="delta")


@decides("one-sided-moments")
def _moments() -> Iterator[Claim]:
    """w is p^n: what n terms lack of the mean m and, over w, of the variance m + m^2 is one term and what is left."""
    p, m, n, w = variables("p m n w")
    law, v = equal((1 - p) * m, p), m + m * m
    yield implies(law, w >= 0, then=equal(w * (n + m), n * (1 - p) * w + p * w * (n + 1 + m)))
    yield implies(law, n >= 0, m >= 0, then=equal(n * n + v, (n - m) ** 2 * (1 - p) + p * ((n + 1) ** 2 + v)))
    yield implies(law, m >= 0, p < 1, then=equal((1 - p) ** 2 * v, p))


@decides("one-sided-exponential", assuming=["monotone-convergence"])
def _exponential_noise() -> Iterator[Claim]:
    """w is w(t - Df) and r is e^(-lam Df)."""
    w, r, e = variables("w r E")
    yield implies(w >= 0, e >= 1, r <= 1, then=r * w <= e * w)
    yield implies(e >= 1, r >= 0, then=1 - e * r <= 1 - r)


@decides("one-sided-exponential-moments")
def _exponential_moments() -> Iterator[Claim]:
    """m is the mean 1/lam, v the variance 1/lam^2, d is Df."""
    v, m, lam, d = variables("v m lam d")
    yield implies(equal(m * lam, 1), d >= 0, then=equal(m * (lam * d), d))
    yield implies(equal(v * lam**2, 1), d >= 0, then=equal(v * (lam * d) ** 2, d**2))


# --- 6: the exponential mechanism -----------------------------------------------------------------------------------


def exponential_mechanism(*utilities: Sequence[int], ratio: Fraction = _RATIO) -> Randomizer:
    """Return the mechanism with the weights ratio^u, one row of utilities for each data set.

    >>> exponential_mechanism([0, 1], [1, 0]).local_epsilon()
    LogRational('2')
    """
    table = {}
    for x, row in enumerate(utilities):
        total = sum((ratio**u for u in row), Fraction(0))
        table[x] = {(r,): ratio**u / total for r, u in enumerate(row)}
    return Randomizer(table)


@decides("exponential-mechanism-privacy")
def _private_choice() -> Iterator[Claim]:
    """Votes of 30 against 29, and two other scores: each pair of data sets at e^eps = 4."""
    for pair in (([30, 29], [29, 30]), ([0, -1, -2, -3], [-1, 0, -1, -2]), ([1, 0, 0], [0, 1, 1])):
        yield Claim.pure_dp(ShuffleProtocol(exponential_mechanism(*pair), 1), exp_eps=_RATIO**2)


@decides("exponential-mechanism-votes")
def _votes_of_the_notes() -> Iterator[Claim]:
    """The estimate is 1 if the second one is named, the truth if he has more votes: they differ for the wrong name."""
    table, wrong = exponential_mechanism([30, 29], [29, 30]), Fraction(1, 3)
    votes = ShuffleProtocol(table, 1, analyzer=Analyzer({1: 1}))
    yield Claim.shuffle_dp(votes, exp_eps=_RATIO, delta=0, least="exp_eps")
    for beta, holds in ((wrong, True), (wrong - _BILLIONTH, False)):
        claim = Claim.accuracy(votes, alpha=Fraction(1, 2), beta=beta, values={0: 0, 1: 1})
        yield claim if holds else Claim.negation(claim)


@decides("exponential-mechanism-utility")
def _useful_choice() -> Iterator[Claim]:
    """m answers, of which b are bad with the sum B of weights; W is the best, Z the sum of all, q = e^-c, y = W q."""
    m, b, big_b, big_w, z, q, w, y = variables("m b B W Z q w y")
    yield implies(m * big_b <= b * y, m * w <= y, then=m * (big_b + w) <= (b + 1) * y)
    yield implies(m * big_b <= b * y, b <= m, y >= 0, then=m * big_b <= m * y)
    yield implies(z >= big_w, q >= 0, then=big_w * q <= z * q)


def _one_against_all(m: int) -> tuple[list[int], list[int]]:
    return [1] + [0] * (m - 1), [0] + [1] * (m - 1)


@searched_over(m=range(2, 10))
def least_choice(m: int) -> bool:
    """The least number of answers for which the weights e^(eps u / Du) are not eps-DP: one against all others."""
    return exponential_mechanism(*_one_against_all(m)).local_epsilon().argument <= _RATIO


def _private_without_the_half(m: int) -> Claim:
    return Claim.pure_dp(ShuffleProtocol(exponential_mechanism(*_one_against_all(m)), 1), exp_eps=_RATIO)


@decides("exponential-mechanism-half")
def _without_the_half() -> Claim:
    return refuted_at_least(_private_without_the_half, least_choice)


# --- 7: the largest of noisy counts ---------------------------------------------------------------------------------

_WRONG_NAMES: Final = {-2: Fraction(1, 6), -1: Fraction(1, 3)}
"""How far the noise of the right one must be below that of the wrong one, and how often it is, at a = 1/2."""


def _noisy_maximum() -> Randomizer:
    """Return the names of 30 and 29 votes, and of 29 and 30, with ties to the first, at a = 1/2."""
    first, second = _WRONG_NAMES[-2], 1 - _WRONG_NAMES[-1]
    return Randomizer({0: {(0,): 1 - first, (1,): first}, 1: {(0,): 1 - second, (1,): second}})


@decides("noisy-maximum-privacy")
def _private_name() -> Iterator[Claim]:
    """v and u are noisy scores of the one who is named and of another, f and g how the scores move; then two masses."""
    v, u, f, g, w, w1, w2, a = variables("v u f g w w1 w2 A")
    moves = (f >= -1, f <= 1, g >= -1, g <= 1)
    yield implies(v >= u, *moves, then=v + f + 2 >= u + g)
    yield implies(a >= 0, w <= a * w1, w1 <= a * w2, then=w <= a**2 * w2)
    yield Claim.pure_dp(ShuffleProtocol(_noisy_maximum(), 1), exp_eps=_RATIO**2)


@decides("noisy-maximum-votes")
def _wrong_names() -> Iterator[Claim]:
    """The difference of the noises at a = 1/2, and y = a^m."""
    for high, chance in _WRONG_NAMES.items():
        yield Claim.tail(DiscreteLaplace(_RATIO), high=high, at_most=chance + _BILLIONTH)
        yield Claim.tail(DiscreteLaplace(_RATIO), high=high, at_least=chance - _BILLIONTH)
    a, y = variables("a y")
    yield implies(a <= 1, y <= a, y >= 0, then=(y * a <= y, y * (1 + y) <= y * (1 + a)))
    yield _votes_of_the_notes()


@decides("votes-least-error")
def _always_a_wrong_name() -> Claim:
    """b is the bound: p and q below it contradict each other."""
    p, q, e, d, b = variables("p q E delta b")
    bound = equal(b * (1 + e), 1 - d)
    return implies(e > 0, 1 - q <= e * p + d, bound, p < b, q < b, then=at_least(0, 0, strict=True))
