"""How much randomized response is enough in the shuffle model: two published theorems with constants.

*k-ary randomized response.* For eps in (0, 1] and

    gamma = max{ 14 k ln(2/delta) / ((n - 1) eps^2),  27 k / ((n - 1) eps) } < 1

n users who answer at random with probability gamma are (eps, delta)-DP under replacement. A larger gamma is
post-processing of each message, and stays private: so gamma may be rounded up.

*Bits.* Each of n users answers with a fair coin with probability lambda / n, and truthfully otherwise. For delta in
(0, 1) and sqrt(3456) ln(4/delta) / n < eps < 1

    lambda = 64 ln(4/delta) / eps^2                          where eps >= sqrt(192 ln(4/delta) / n),
    lambda = n - eps n^(3/2) / sqrt(432 ln(4/delta))         otherwise

is enough for (eps, delta)-DP; both are n/3 where they meet. And for every lambda of at least 14 ln(4/delta), at most n,

    eps = sqrt(32 ln(4/delta) / v) (1 - v / n),    v = lambda - sqrt(2 lambda ln(2/delta)).

*A bound with its proof.* With t = tanh(eps/2), n >= 2, 0 < lambda <= n,

    delta <= (1 - lambda/n) 2 e^(2t) exp(-lambda ((n-1)/n) (1 - e^(-t^2 / 2))).

Reveal which s ~ Bin(n - 1, lambda/n) of the other users answer at random, and the others' bits. What is left is the
bit of the user who differs, with probability 1 - lambda/n, plus B ~ Bin(s, 1/2). Where |B - s/2| <= t s/2 - 1, both
(s - B + 1) / B and (B + 1) / (s - B) are below (1 + t) / (1 - t) = e^eps; Hoeffding's inequality gives the rest
probability at most 2 e^(2t) e^(-t^2 s / 2), and the mean over s is the exponential above. For the first branch of
lambda, lambda <= n/3, this is below delta: the first branch is proved, without its source.

Source: BalleBellGasconNissim2019, Theorem 3.1; CheuSmithUllmanZeberZhilyaev2019, section 4 (both as printed in
secondary sources).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from exactdp.evidence.theorems import relies_on
from exactdp.numbers.balls import compare_reals, enclose_real, enclose_with_root
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import LogRational, read_privacy_level
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_fraction, as_integer, as_relative_bits
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.hypotheses import NamedTheorem, shown, tanh_half

_RESPONSE: Final = NamedTheorem("The k-ary randomized-response theorem")
_SUM: Final = NamedTheorem("The binary-sum theorem")
_DELTA: Final = NamedTheorem("The binary-sum bound")


def response_gamma(
    n: int, k: int, *, eps: Exact | LogRational, delta: Exact, relative_bits: int = DEFAULT_RELATIVE_BITS
) -> Interval:
    """Enclose the theorem's gamma: the probability of a uniformly random answer that makes n users (eps, delta)-DP.

    Args:
        n: number of users who follow the protocol, at least 2.
        k: number of inputs, at least 2.
        eps: in (0, 1], a rational number or a LogRational.
        delta: in (0, 1], exact.
        relative_bits: relative accuracy.

    Raises:
        HypothesisError: names the hypothesis that fails; among them gamma < 1, which asks for enough users.

    >>> response_gamma(10**6, 4, eps=1, delta="1e-6")
    Interval[0.0008124856458, 0.0008124856459]

    Source: BalleBellGasconNissim2019, Theorem 3.1 (as printed in secondary sources: the authors' program).
    """
    users, size = _RESPONSE.read_users(n), as_integer(k, name="k", at_least=2)
    _RESPONSE.require(users >= 2, "n >= 2", f"n={users}", "Use more users.")
    target = _RESPONSE.read_target(eps=eps, delta=delta)
    others = Fraction(size, users - 1)
    spread, least = 14 * others * target.log_two_over_delta / target.eps**2, 27 * others / target.eps
    gamma = spread if compare_reals(spread, least) >= 0 else least
    _RESPONSE.require(
        compare_reals(gamma, Fraction(1)) < 0,
        "max{14 k ln(2/delta) / ((n-1) eps^2), 27 k / ((n-1) eps)} < 1",
        f"it is {shown(gamma)}",
        "Use more users, or ask for less.",
    )
    return enclose_real(gamma, relative_bits=as_relative_bits(relative_bits))


@relies_on("binary_sums_branches.rr_sum_first_branch", "binary_sums_branches.rr_sum_second_branch")
def binary_sum_lambda(
    n: int, *, eps: Exact | LogRational, delta: Exact, relative_bits: int = DEFAULT_RELATIVE_BITS
) -> Interval:
    """Enclose the theorem's lambda: how many of n users answer at random on average, for (eps, delta)-DP.

    Args:
        n: number of users who follow the protocol, at least 1.
        eps: in (sqrt(3456) ln(4/delta) / n, 1), a rational number or a LogRational.
        delta: in (0, 1), exact.
        relative_bits: relative accuracy.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> binary_sum_lambda(10**6, eps="1/2", delta="1e-6")
    Interval[3891.662059, 3891.662060]

    Source: CheuSmithUllmanZeberZhilyaev2019, Theorem 4.1 (as printed in secondary sources).
    """
    users, bits = _SUM.read_users(n), as_relative_bits(relative_bits)
    target = _SUM.read_target(eps=eps, delta=delta, strict_delta=True)
    _SUM.require(compare_reals(target.eps, Fraction(1)) < 0, "eps < 1", f"eps={eps}", "Pass eps in (0, 1).")
    log, square = Real.log(4 / target.delta), target.eps * target.eps
    least = 3456 * log * log / Fraction(users) ** 2
    _SUM.require(
        compare_reals(square, least) > 0,
        "eps > sqrt(3456) ln(4/delta) / n",
        f"eps^2 = {shown(square)} and its least value is {shown(least)}",
        "Use more users, or a larger eps.",
    )
    if compare_reals(square * users, 192 * log) >= 0:
        return enclose_real(64 * log / square, relative_bits=bits)
    return enclose_with_root(Real(users), Real(-1), square * Fraction(users) ** 3 / (432 * log), relative_bits=bits)


def binary_sum_eps(n: int, *, lam: Exact, delta: Exact, relative_bits: int = DEFAULT_RELATIVE_BITS) -> Interval:
    """Enclose the eps of the general formula for a lambda of at least 14 ln(4/delta).

    With v = lambda - sqrt(2 lambda ln(2/delta)), eps = sqrt(32 ln(4/delta) / v) (1 - v / n).

    Args:
        n: number of users who follow the protocol, at least lambda.
        lam: lambda, how many of them answer at random on average, exact, at least 14 ln(4/delta).
        delta: in (0, 1), exact.
        relative_bits: relative accuracy.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> binary_sum_eps(10**6, lam=1000, delta="1e-6")
    Interval[0.76..., 0.76...]

    Source: CheuSmithUllmanZeberZhilyaev2019, section 4 (as printed in secondary sources).
    """
    users, mean, bits = _SUM.read_users(n), _read_lambda(_SUM, n, lam), as_relative_bits(relative_bits)
    target = _SUM.read_target(eps=1, delta=delta, strict_delta=True)
    log = Real.log(4 / target.delta)
    _SUM.require(
        compare_reals(mean, 14 * log) >= 0,
        "lambda >= 14 ln(4/delta)",
        f"lam={short(mean)} and 14 ln(4/delta) = {shown(14 * log)}",
        "Use a larger lambda.",
    )
    v = enclose_with_root(Real(mean), Real(-1), 2 * mean * target.log_two_over_delta, relative_bits=bits + 8)
    ends = [_eps_at(users, end, log, bits + 8) for end in (v.hi, v.lo)]  # it falls as v grows
    return Interval(ends[0].lower, ends[1].upper)


def _eps_at(users: int, v: Fraction, log: Real, relative_bits: int) -> Interval:
    if v == users:
        return Interval(Dyadic.of(0), Dyadic.of(0))
    return enclose_with_root(Real(0), Real(1 - v / users), 32 * log / v, relative_bits=relative_bits)


@relies_on("binary_sums_privacy.rr_sum_privacy_plain")
def binary_sum_delta(
    n: int,
    *,
    lam: Exact,
    eps: Exact | LogRational | None = None,
    exp_eps: Exact | None = None,
    relative_bits: int = DEFAULT_RELATIVE_BITS,
) -> Interval:
    """Enclose the delta that the module docstring proves.

    With t = tanh(eps/2), delta = (1 - lambda/n) 2 e^(2t) exp(-lambda ((n-1)/n) (1 - e^(-t^2/2))).

    It may exceed 1, and then claims nothing.

    Args:
        n: number of users who follow the protocol, at least 2.
        lam: lambda, exact, in (0, n].
        eps: above 0, a rational number or a LogRational.
        exp_eps: e^eps instead of ``eps``, exact, above 1.
        relative_bits: relative accuracy.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> binary_sum_delta(10**6, lam=1000, exp_eps=2)
    Interval[..., ...]

    Source: CheuSmithUllmanZeberZhilyaev2019, section 4 (the protocol, the bound is the module docstring's).
    """
    users, mean, bits = _DELTA.read_users(n), _read_lambda(_DELTA, n, lam), as_relative_bits(relative_bits)
    _DELTA.require(users >= 2, "n >= 2", f"n={users}", "Use more users.")
    level = read_privacy_level(eps=eps, exp_eps=exp_eps)
    _DELTA.read_eps(level.eps if level.eps is not None else LogRational(level.exp_eps), largest=None)
    if mean == users:
        return Interval(Dyadic.of(0), Dyadic.of(0))
    t = tanh_half(level.real)
    chance = 1 - Real.exp(-(t * t) / 2)
    delta = 2 * (1 - mean / users) * Real.exp(2 * t - mean * Fraction(users - 1, users) * chance)
    return enclose_real(delta, relative_bits=bits)


def _read_lambda(theorem: NamedTheorem, n: int, lam: Exact) -> Fraction:
    mean = as_fraction(lam, name="lam")
    theorem.require(0 < mean <= n, "0 < lambda <= n", f"lam={short(mean)} and n={short(n)}", "Pass lambda in (0, n].")
    return mean
