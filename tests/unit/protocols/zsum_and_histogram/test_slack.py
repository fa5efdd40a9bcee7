"""The slack table: a chain, of exact numbers where they can be had, and local thresholds that hold and fail."""

import time
from fractions import Fraction
from itertools import pairwise
from math import comb

import mpmath
import pytest

from exactdp.bounds import zsum_least_n, zsum_rounded_gamma, zsum_slack
from exactdp.errors import HypothesisError, InvalidValueError, TooLargeError, UndecidedError
from exactdp.laws import Binomial
from exactdp.numbers.epsilon import LogRational
from exactdp.privacy.smoothness import smoothness_delta
from exactdp.protocols.protocol import shift_profile
from exactdp.protocols.zsum_and_histogram import slack as slack_module
from tests.oracles.high_precision import contains, number, sixty_digits
from tests.thinned import thinned

CASES = [
    (10**6, 1, "1e-6"),
    (20000, "1/2", "1e-6"),
    (10**9, 1, "1e-6"),
    (10**8, "1/100", "1e-9"),
    (10**6, 1, "99/100"),
    (10**9, LogRational(2), "1e-300"),
    (10**15, 1, "1/2"),
]
NAMES = ["published closed form", "closed form, real constant", "Lemma 3", "exact smoothness", "exact hockey-stick"]


def eps_number(eps):
    return mpmath.log(number(eps.argument)) if isinstance(eps, LogRational) else number(Fraction(eps))


def exact_rows(eps):
    return (
        lambda noise: smoothness_delta(noise, k=1, eps=eps),
        lambda noise: shift_profile(noise).delta(eps=eps),
    )


@pytest.mark.parametrize(("n", "eps", "delta"), thinned(CASES, every=2))
def test_the_chain(n, eps, delta):
    began = time.process_time()
    rows = zsum_slack(n, eps=eps, delta=delta)
    assert time.process_time() - began < 3
    assert [row.name for row in rows] == NAMES
    assert rows[0].delta.lo <= Fraction(delta)
    for above, below in pairwise(rows):
        assert below.delta <= above.delta
        assert below.needed.hi <= above.needed.hi
    mu = n * zsum_rounded_gamma(n, eps=eps, delta=delta)
    for row in rows:
        assert row.ratio is not None
        assert row.ratio.lo * row.needed.lo <= mu <= row.ratio.hi * row.needed.hi
        assert row.ratio.hi >= 1


@pytest.mark.parametrize(("n", "eps", "delta"), thinned(CASES, every=4))
def test_closed_rows(n, eps, delta):
    rows = zsum_slack(n, eps=eps, delta=delta, relative_bits=120)
    with sixty_digits():
        e = eps_number(eps)
        a = mpmath.tanh(e / 2)
        mu = number(n * zsum_rounded_gamma(n, eps=eps, delta=delta))
        level = mpmath.log(2 / number(Fraction(delta)))
        assert contains(rows[0].delta, 2 * mpmath.exp(-(e**2) * mu / 50))
        assert contains(rows[1].delta, 2 * mpmath.exp(-(a**2) * mu / 10))
        assert contains(rows[0].needed, 50 * level / e**2)
        assert contains(rows[1].needed, 10 * level / a**2)

        def lemma(m):
            return mpmath.exp(-(a**2) * m / 8) + mpmath.exp(-(a**2) * m / (8 + 2 * a))

        assert contains(rows[2].delta, lemma(mu))
        low, high = number(rows[2].needed.lo), number(rows[2].needed.hi)
        assert lemma(high) <= number(Fraction(delta)) <= lemma(low)
        assert (high - low) / high < mpmath.mpf(2) ** -110
        assert a * low >= 2  # Lemma 3's own hypothesis for k = 1


@pytest.mark.parametrize(("n", "eps", "delta"), thinned(CASES, every=4))
def test_exact_rows_hold_and_fail_one_step_apart(n, eps, delta):
    gamma = zsum_rounded_gamma(n, eps=eps, delta=delta)
    for row, value in zip(zsum_slack(n, eps=eps, delta=delta)[3:], exact_rows(eps), strict=True):
        assert row.delta == value(Binomial(n, gamma))
        assert row.step is not None
        assert (row.step * 2**53).denominator == 1
        holds, fails = row.needed.hi / n, row.needed.lo / n
        assert holds - fails == row.step
        assert (holds / row.step).denominator == 1
        assert value(Binomial(n, holds)) <= Fraction(delta)
        assert value(Binomial(n, fails)) > Fraction(delta)
        assert row.step == Fraction(1, 2**53) or row.step <= holds / 2**20


@pytest.mark.parametrize(("eps", "delta"), [(LogRational(2), "1/2"), (LogRational("5/2"), "1/10")])
def test_exact_rows_against_fractions(eps, delta):
    """At the least n, with e^eps rational: sums of C(n, t) gamma^t (1 - gamma)^(n - t) by the definitions."""
    n = zsum_least_n(eps=eps, delta=delta)
    gamma, ratio = zsum_rounded_gamma(n, eps=eps, delta=delta), eps.argument
    a, b, p, q = *gamma.as_integer_ratio(), *ratio.as_integer_ratio()
    w = [comb(n, t) * a**t * (b - a) ** (n - t) for t in range(n + 1)] + [0]  # over b^n
    up = sum(w[t] for t in range(n + 1) if q * w[t] >= p * w[t + 1])
    down = sum(w[t] for t in range(n + 1) if q * w[t] >= p * (w[t - 1] if t else 0))
    first = sum(max(0, q * w[t] - p * (w[t - 1] if t else 0)) for t in range(n + 1))
    second = sum(max(0, q * (w[t - 1] if t else 0) - p * w[t]) for t in range(n + 2))
    rows = zsum_slack(n, eps=eps, delta=delta)
    assert Fraction(max(up, down), b**n) in rows[3].delta
    assert Fraction(max(first, second), q * b**n) in rows[4].delta


def test_noise_below_the_grid_has_no_ratio():
    rows = zsum_slack(10**18, eps=1, delta="1/2")
    assert rows[4].needed.lo == 0
    assert rows[4].ratio is None
    assert rows[4].step == Fraction(1, 2**53)


@pytest.mark.parametrize("least", [1, 2, 3, 37, 1000, 4095, 4096, 4097, 10**7 + 1])
def test_the_bracket_holds_and_fails(least):
    """On a monotone row it finds the threshold to one step, from any start that holds."""
    for start in (least, least + 1, 3 * least + 5, 10**12):
        high, step = slack_module._bracket(lambda units: units >= least, start)
        assert high >= least > high - step
        assert high % step == 0
        assert step == max(1, high >> 20) or step <= high / 2**20


def test_a_row_that_never_holds_is_reported():
    with pytest.raises(UndecidedError, match="against the theorem"):
        slack_module._bracket(lambda units: False, 1000)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (1450, 1, "1e-6"),
            "The zsum theorem needs n >= 100 ln(2/delta) / eps^2, but n=1450",
        ),
        ((2000, 0, "1e-6"), "The zsum theorem needs 0 < eps <= 1, but eps=0"),
        ((2000, 1, 0), "The zsum theorem needs 0 < delta <= 1, but delta=0"),
    ],
)
def test_the_hypothesis_that_fails_is_named(arguments, message):
    n, eps, delta = arguments
    with pytest.raises(HypothesisError) as error:
        zsum_slack(n, eps=eps, delta=delta)
    assert str(error.value).startswith(message)


def test_delta_one_needs_no_noise():
    with pytest.raises(InvalidValueError, match="delta=1 holds without any noise"):
        zsum_slack(2000, eps=1, delta=1)


@pytest.mark.parametrize(
    ("n", "bits", "message"),
    [
        (10**18 + 1, 53, "n=1000000000000000001 is more than the limit of 1000000000000000000 users. Use a smaller n."),
        (2000, 4097, "relative_bits=4097 is more than the table's limit of 4096. Ask for fewer."),
    ],
)
def test_sizes_are_refused_at_once(n, bits, message):
    with pytest.raises(TooLargeError) as error:
        zsum_slack(n, eps=1, delta="1e-6", relative_bits=bits)
    assert str(error.value) == message


def test_smoothness_does_not_fall_with_the_noise():
    """Why an exact row's noise is local: at n = 10^6, eps = 1 the target 10^-6 holds at mu = 43 and fails at 44."""
    n, delta = 10**6, Fraction(1, 10**6)
    less, more = (smoothness_delta(Binomial(n, Fraction(mu, n)), k=1, eps=1) for mu in (43, 44))
    assert less < delta < more.lo
