"""Binary sums: wrong statements are not proved, and the theorems hold where they are computed."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, exp, log, sqrt, tanh

import pytest

import exactdp as xdp
from exactdp.bounds import sample_threshold_worst
from exactdp.claims.claim import Claim
from exactdp.proofs import sampled_sums
from exactdp.proofs.binary_sums import least_error
from exactdp.proofs.sampled_sums import forced_zero, least_difference, release
from exactdp.proofs.steps import at_least, equal, implies, positive_on, variables
from tests.together import together

Verdict = xdp.Verdict
FALSE = at_least(0, 0, strict=True)


def test_the_least_counterexamples():
    assert dict(least_error().counterexample) == {"n": 1, "ones": 0, "lam": Fraction(1, 2)}
    assert dict(least_difference().counterexample) == {"n": 1, "ones": 0, "share": Fraction(1, 2)}


def _steps():
    """One wrong variant of each kind of step, with the name of what was changed."""
    n, lam, s, e, t_, x, a, b, t = variables("n lam s e T x a b t")
    estimate = (equal(n * e, (n - lam) * s + n * lam / 2), equal((n - lam) * t_, n * (e - lam / 2)))
    yield (
        "the estimate without lambda/2",
        implies(
            equal(n * e, (n - lam) * s + n * lam / 2),
            equal((n - lam) * t_, n * e),
            then=equal((n - lam) * t_, (n - lam) * s),
        ),
    )
    yield "the estimate is s at lambda = n", implies(*estimate, then=equal(t_, s))
    p, q = ((1 + x) * a + (1 - x) * b) / 2, ((1 - x) * a + (1 + x) * b) / 2
    good, none = (1 + t) * b >= (1 - t) * a, (1 + t * x) * q >= (1 - t * x) * p
    yield "no excess with x of any sign", implies(good, then=none)
    yield "no excess off the window", implies(x >= 0, x <= 1, a >= 0, b >= 0, t >= 0, t <= 1, then=none)
    yield (
        "the excess is at most half of it",
        implies(x >= 0, x <= 1, t >= 0, a >= 0, b >= 0, then=(1 - t * x) * p - (1 + t * x) * q <= x * (1 - t) * a / 2),
    )
    yield (
        "the window of alpha with x > 1",
        implies(x >= 0, t >= 0, a >= 0, b >= 0, good, then=(x + t) * b >= (x - t) * a),
    )
    q, r, k = variables("q r k")
    yield "likelier where q is beyond K/n", implies(q <= r, r > 0, r < 1, then=(q - r) * (k - n * r) <= 0)
    yield "T at most n with all answers 1", implies(n >= 1, lam > 0, equal((n - lam) * t_, n * lam / 2), then=t_ <= n)
    j, w, w1 = variables("j w w1")
    ratio = equal(j * w, (s - j + 1) * w1)
    rest = (t <= 1, t >= 0, w1 >= 0)
    yield (
        "the window without its 1",
        implies(ratio, 2 * j >= s * (1 - t), *rest, then=j * (1 - t) * w <= j * (1 + t) * w1),
    )
    k, c, d = variables("k c d")
    yield (
        "cosh y <= e^(y^2/4)",
        implies((2 * k + 1) * (2 * k + 2) * c <= 4 * (k + 1) * d, k >= 0, c >= 0, then=(k + 1) * c <= (k + 1) * d),
    )
    h, eps, y, z = variables("h eps y z")
    yield "e^-z >= 1 - z/2", positive_on({"z": (0, 1)}, (1, -z), (z / 2 - 1, 0))
    yield "tanh(eps/2) >= 47 eps/100", positive_on({"eps": (0, 1)}, (100 - 47 * eps, eps), (-100 - 47 * eps, 0))
    yield "1 - e^-y >= 4y/5", positive_on({"y": (0, Fraction(1, 2))}, (1 - 4 * y / 5, 0), (-1, -y))
    yield (
        "beyond the domain of Bernstein's step",
        positive_on({"h": (0, 4)}, (h + Fraction(1, 2), h), (-1, h), (Fraction(3, 4), 0), (Fraction(-1, 4), 2 * h)),
    )
    yield "4 > e^(3/2)", positive_on({"z": (0, 1)}, (4, 0), (-1, Fraction(3, 2)), strict=True)
    c, m, u = variables("c m u")
    yield (
        "the mean of q^s where b is no bound",
        implies(x >= 0, u >= 0, c - m >= -1, then=x * m + u * m <= c * (x + u)),
    )
    big_l, g = variables("L G")
    yield "a first branch with exponent L", implies(g >= big_l, 4 * t <= 3, big_l > 1, then=2 * t - g + big_l < 0)
    yield "a second branch with n < 87", implies(n > 9, 3 * x <= 2, then=261 * (n - 1) * (1 - x) >= 86 * n)


@together(("name", "claim"), list(_steps()), ids=lambda value: value if isinstance(value, str) else "")
def test_a_wrong_step_is_not_proved(name, claim):
    assert xdp.certify(claim).verdict is not Verdict.PROVED


WRONG = {
    "sampling is private with less than its rate": Claim.never_dp(
        xdp.ShuffleProtocol(forced_zero(Fraction(1, 4)), 3), delta_below=Fraction(76, 100)
    ),
    "randomized response is not private either": Claim.never_dp(
        xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/4"), 3), delta_below="1/1000"
    ),
    "the laws differ at share 0": Claim.negation(Claim.equal_laws(*sampled_sums._sums(2, 1, Fraction(0)))),
    "the sampled count has the rate of the coins": Claim.equal_laws(
        sampled_sums._sums(3, 2, Fraction(1, 4))[1], xdp.Binomial(2, "1/4")
    ),
}


WRONG |= {
    "the release has the eps of randomized response": xdp.Claim.pure_dp(
        xdp.ShuffleProtocol(release(Fraction(1, 2), 2, (1, 2)), 1), exp_eps=1000
    ),
    "the release loses more than its top": xdp.Claim.never_dp(
        xdp.ShuffleProtocol(release(Fraction(1, 2), 2, (1, 2)), 1), delta_below="26/100"
    ),
    "a threshold of 1 hides a single one": xdp.Claim.pure_dp(
        xdp.ShuffleProtocol(release(Fraction(1, 2), 1, (0, 1)), 1), exp_eps=1
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_statement_is_not_proved(name):
    assert xdp.certify(WRONG[name]).verdict is Verdict.REFUTED


@pytest.mark.parametrize(("tau", "alpha", "order"), [(2, Fraction(1, 2), 2), (3, Fraction(2, 5), 3)])
def test_the_release_is_the_mechanism_of_the_bound(tau, alpha, order):
    """The largest delta of neighbouring releases, s against s + 1 holders, is that of exactdp.bounds."""
    rate = alpha * (1 - Fraction(1, order))

    def lost(held):
        pair = xdp.ShuffleProtocol(release(rate, tau, (held, held + 1)), 1)
        return pair.privacy_profile().delta(exp_eps=order)

    worst = sample_threshold_worst(tau, alpha=alpha, exp_eps=order)
    assert max(map(lost, range(20))) == lost(worst.holders) == worst.delta
    assert lost(tau - 1) >= rate**tau


def test_what_is_left_of_randomized_response_is_private_and_the_release_is_not():
    for n, share, rate, threshold in sampled_sums._THRESHOLDS:
        least = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma=share), n).privacy_profile().epsilon(0)
        assert least.argument == (2 - share) / share
        assert 1 <= threshold <= n
        assert release(rate, threshold, (threshold - 1, threshold)).local_epsilon().is_infinite
        if threshold >= 2:
            assert release(rate, threshold, (0, 1)).local_epsilon().argument == 1


@cache
def _bits_sent(n, ones, f):
    """P[sum y = t], by convolution of n coins."""
    law = [1.0]
    for i in range(n):
        p = 1 - f if i < ones else f
        law = [(law[t] if t < len(law) else 0) * (1 - p) + (law[t - 1] if t else 0) * p for t in range(len(law) + 1)]
    return law


def _worst_delta(n, lam, eps):
    worst = 0.0
    for ones in range(n):
        p, q = _bits_sent(n, ones, lam / (2 * n)), _bits_sent(n, ones + 1, lam / (2 * n))
        for first, second in ((p, q), (q, p)):
            worst = max(worst, sum(max(0.0, a - exp(eps) * b) for a, b in zip(first, second, strict=True)))
    return worst


@together(("n", "share", "eps"), list(product((30, 90), (0.3, 0.6, 0.9), (0.3, 0.6, 1.0, 2.0))))
def test_the_privacy_bound_holds(n, share, eps):
    x = 1 - share
    t = tanh(eps / 2) / x

    def bound(u):
        return 2 * x * exp(2 * u - (n - 1) * share * (1 - exp(-u * u / 2)))

    worst = _worst_delta(n, n * share, eps)
    assert worst <= (0.0 if t >= 1 else bound(t)) + 1e-12
    assert worst <= bound(tanh(eps / 2)) + 1e-12


@pytest.mark.parametrize(("delta", "eps"), [(0.9, 1.0), (0.99, 0.9)])
def test_the_first_branch_holds_at_its_least_n(delta, eps):
    lam = 64 * log(4 / delta) / eps**2
    n = int(3 * lam) + 1
    assert max(_pair_delta(n, lam, eps, ones) for ones in (0, n // 2, n - 1)) <= delta


SECOND = [
    (n, delta, eps)
    for n, delta, eps in product((20, 60, 200), (0.1, 0.01), (0.05, 0.2, 0.5, 1.0))
    if eps <= sqrt(192 * log(4 / delta) / n)
]


@together(("n", "delta", "eps"), SECOND)
def test_the_second_branch_holds_also_below_its_published_eps(n, delta, eps):
    log4 = log(4 / delta)
    lam = n - eps * n**1.5 / sqrt(432 * log4)
    assert max(_pair_delta(n, lam, eps, ones) for ones in (0, n // 2, n - 1)) <= delta


def _pair_delta(n, lam, eps, ones):
    p, q = _bits_sent(n, ones, lam / (2 * n)), _bits_sent(n, ones + 1, lam / (2 * n))
    return max(
        sum(max(0.0, a - exp(eps) * b) for a, b in zip(first, second, strict=True))
        for first, second in ((p, q), (q, p))
    )


@pytest.mark.parametrize(("n", "lam", "beta"), list(product((10, 40), (5, 8), (0.1, 0.5))))
def test_the_error_bound_and_the_moments(n, lam, beta):
    f, scale = lam / (2 * n), n / (n - lam)
    assert lam >= 8 / 9 * log(2 / beta)
    for ones in range(n + 1):
        law = _bits_sent(n, ones, f)
        errors = [scale * (t - lam / 2) - ones for t in range(n + 1)]
        mean = sum(p * e for p, e in zip(law, errors, strict=True))
        variance = sum(p * e * e for p, e in zip(law, errors, strict=True))
        assert abs(mean) < 1e-9
        assert abs(variance - scale**2 * lam / 2 * (1 - lam / (2 * n))) < 1e-8
        radius = scale * sqrt(2 * lam * log(2 / beta))
        assert sum(p for p, e in zip(law, errors, strict=True) if abs(e) > radius) <= beta


def test_the_mixture_identity_on_exact_laws():
    """H_E(P||Q) against Bin(s, 1/2) and its shift at the larger eps, as the proof combines them, for fixed coins."""
    x, t, s = Fraction(2, 3), Fraction(1, 4), 9
    low = [Fraction(comb(s, j), 2**s) for j in range(s + 1)] + [Fraction(0)]
    high = [Fraction(0), *low[:-1]]
    e, inner = (1 + t * x) / (1 - t * x), (1 + t) / (1 - t)
    for a, b in zip(low, high, strict=True):
        p, q = ((1 + x) * a + (1 - x) * b) / 2, ((1 - x) * a + (1 + x) * b) / 2
        assert (1 - t * x) * (p - e * q) == x * (1 - t) * (a - inner * b)


def test_the_most_likely_bits_by_listing():
    """n = 3, lambda = 1: fixed bits, and bits that are drawn with one of 61 shares, for every answer."""
    n, lam, wrong = 3, 1, Fraction(1, 6)
    right = 1 - wrong
    for answers in product((0, 1), repeat=n):
        fixed = {}
        for bits in product((0, 1), repeat=n):
            agree = sum(bit == answer for bit, answer in zip(bits, answers, strict=True))
            fixed[bits] = right**agree * wrong ** (n - agree)
        assert [bits for bits, chance in fixed.items() if chance == max(fixed.values())] == [answers]
        estimate = Fraction(n, n - lam) * (sum(answers) - Fraction(lam, 2))
        assert (0 <= estimate <= n) == (0 < sum(answers) < n)
        drawn = {}
        for share in (Fraction(i, 60) for i in range(61)):
            one = wrong + (right - wrong) * share
            drawn[share] = one ** sum(answers) * (1 - one) ** (n - sum(answers))
        assert max(drawn, key=drawn.__getitem__) == min(1, max(0, estimate / n))
