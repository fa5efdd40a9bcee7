"""Binomial laws of any size as enclosures: against exact values, another library, higher precision, and themselves."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from exactdp import AdditiveProtocol, Binomial, protocols
from exactdp.errors import ExactDPError, InvalidValueError, TooLargeError
from exactdp.numbers.real import Real
from exactdp.testing import probabilities
from tests.expensive import one_in
from tests.together import together

HUGE = 10**15


def contains(interval, value):
    return interval.lo <= value <= interval.hi


@one_in(2)
@given(st.integers(0, 300), probabilities(), st.integers(-3, 303), st.sampled_from([1, 24, 53, 200]))
def test_enclosures_contain_the_exact_value_and_are_as_narrow_as_promised(n, p, k, bits):
    law = Binomial(n, p)
    for name in ("pmf", "cdf", "sf"):
        exact = getattr(law, f"exact_{name}")(k)
        interval = getattr(law, name)(k, relative_bits=bits)
        assert contains(interval, exact)
        assert (interval.hi - interval.lo) * 2**bits <= exact


@together(("n", "p"), [(1999, "1/3"), (2000, "1/1000"), (2000, "999/1000")])
@together("k", [0, 1, 2, 600, 666, 1000, 1990, 1998])
def test_enclosures_contain_the_exact_value_at_larger_n(n, p, k):
    law = Binomial(n, p)
    assert contains(law.cdf(k), law.exact_cdf(k))
    assert contains(law.sf(k), law.exact_sf(k))


def test_the_comparison_fails_when_it_should():
    assert not contains(Binomial(100, "1/3").cdf(30), Binomial(100, "1/3").exact_cdf(31))
    assert not contains(Binomial(100, "1/3").cdf(30), Binomial(100, "100001/300000").exact_cdf(30))


@together("deviations", [-40, -8, -1, 0, 1, 8, 40])
@together("n", [10**7, 10**11, HUGE])
def test_more_precision_stays_inside(n, deviations):
    p = Fraction(1, 1000)
    k = int(n * p) + deviations * int((n * p) ** Fraction(1, 2))
    for name in ("pmf", "cdf", "sf"):
        wide, narrow = (getattr(Binomial(n, p), name)(k, relative_bits=bits) for bits in (53, 212))
        assert wide.lo <= narrow.lo <= narrow.hi <= wide.hi
        assert narrow.lo > 0


def summed_upper_tail(n, p, k):
    """P[Y > k] for k above the mode, by adding up terms at 60 digits until they no longer matter."""
    p = mpmath.mpf(p.numerator) / p.denominator
    choose = mpmath.loggamma(n + 1) - mpmath.loggamma(k + 2) - mpmath.loggamma(n - k)
    term = mpmath.exp(choose + (k + 1) * mpmath.log(p) + (n - k - 1) * mpmath.log(1 - p))
    total, t = mpmath.mpf(0), k + 1
    while term > total * mpmath.mpf(10) ** -55:
        total += term
        term *= (n - t) * p / ((t + 1) * (1 - p))
        t += 1
    return total


@pytest.mark.parametrize(("n", "p", "k"), [(10**4, "1/3", 3400), (10**6, "1/2", 505_000), (10**6, "1/2", 700_000)])
def test_against_another_library_at_60_digits(n, p, k):
    with mpmath.workdps(60):
        tail = summed_upper_tail(n, Fraction(p), k)
        lower, upper = (mpmath.mpf(end) for end in Binomial(n, p).sf(k).decimals(30))
        assert lower * (1 - mpmath.mpf(10) ** -28) < tail < upper * (1 + mpmath.mpf(10) ** -28)
        assert upper - lower < tail * mpmath.mpf(10) ** -15


def test_against_scipy():
    for k in (9000, 9900, 10000, 10100, 11000):
        assert float(Binomial(10**7, "1/1000").cdf(k)) == pytest.approx(stats.binom(10**7, 0.001).cdf(k), rel=1e-7)


def test_far_tails_are_never_zero():
    assert Binomial(10**6, "1/2").sf(999_999) > 0
    assert Binomial(HUGE, "1/2").cdf(0) > 0


def test_outside_the_support_and_single_outcomes():
    law = Binomial(5, "1/2")
    assert [float(x) for x in (law.pmf(-1), law.pmf(6), law.cdf(-1), law.sf(5), law.cdf(5), law.sf(-1))] == [
        0,
        0,
        0,
        0,
        1,
        1,
    ]
    for law, only in ((Binomial(0, "1/2"), 0), (Binomial(7, 0), 0), (Binomial(7, 1), 7)):
        assert law.pmf(only).lo == law.pmf(only).hi == law.cdf(only).lo == law.sf(only - 1).hi == 1
        assert law.cdf(only - 1).hi == law.sf(only).hi == law.pmf(only + 1).hi == 0


@one_in(2)
@given(st.integers(0, 60), probabilities(), st.fractions(0, 1, max_denominator=50))
def test_quantiles_are_the_least_that_reach(n, p, q):
    assume(0 < q < 1)
    law = Binomial(n, p)
    k = law.quantile(q)
    assert law.exact_cdf(k) >= q > law.exact_cdf(k - 1)


def test_quantiles_at_ties_and_at_large_n():
    assert Binomial(1, "1/2").quantile("1/2") == 0
    assert Binomial(3, "1/2").quantile("1/2") == 1
    law = Binomial(HUGE, "1/2")
    k = law.quantile("1/40")
    assert law.cdf(k) >= Fraction(1, 40)
    assert law.cdf(k - 1) < Fraction(1, 40)


@pytest.mark.parametrize("q", [0, 1, "-1/2", "3/2", 0.5, None])
def test_quantiles_that_are_refused(q):
    with pytest.raises(ExactDPError):
        Binomial(3, "1/2").quantile(q)


def test_accuracies_that_are_refused():
    with pytest.raises(TooLargeError, match="relative_bits=2000000 is more than the limit of 1048576"):
        Binomial(3, "1/2").cdf(1, relative_bits=2_000_000)
    with pytest.raises(InvalidValueError):
        Binomial(3, "1/2").cdf(1, relative_bits=0)
    with pytest.raises(ExactDPError):
        Binomial(3, "1/2").cdf(0.5)


@one_in(2)
@given(
    st.integers(1, 60),
    probabilities(),
    st.integers(1, 20),
    st.fractions(1, 9, max_denominator=7),
)
def test_enclosed_shift_privacy_contains_the_exact_delta(n, p, shift, exp_eps):
    profile = AdditiveProtocol(Binomial(n, p), shift=shift).privacy_profile()
    exact = profile.delta(exp_eps=exp_eps)
    interval = profile.delta(exp_eps=exp_eps, relative_bits=53)
    assert contains(interval, exact)
    assert (interval.hi - interval.lo) * 2**53 <= exact


@pytest.mark.parametrize("t", [1, 2, 5, 9, 10])
def test_enclosed_shift_privacy_at_a_tie(t):
    """e^eps equal to a likelihood ratio, exactly."""
    noise = Binomial(10, "1/3")
    ratio = noise.exact_pmf(t) / noise.exact_pmf(t - 1)
    exp_eps = max(ratio, 1 / ratio)
    profile = AdditiveProtocol(noise).privacy_profile()
    assert contains(profile.delta(exp_eps=exp_eps, relative_bits=53), profile.delta(exp_eps=exp_eps))


def test_zsum_at_any_number_of_users():
    assert protocols.zsum(HUGE, gamma="1/1000").privacy_profile().delta(eps=1).decimals(4)[0] == "1.646e-114744206279"
    million = protocols.zsum(10**6, gamma="1/1000").privacy_profile()
    assert contains(million.delta(eps="1/5", relative_bits=30), million.delta(eps="1/5", relative_bits=200).lo)
    huge = protocols.zsum(HUGE, gamma="1/1000").privacy_profile()
    assert huge.delta(exp_eps=2) == huge.delta(exp_eps=2, relative_bits=53)
    for exact in (lambda: huge.exact_delta(exp_eps=2), lambda: huge.exact_epsilon("1/10"), huge.exact_tradeoff):
        with pytest.raises(TooLargeError, match="the probabilities of this noise are irrational or too long"):
            exact()


def test_reals():
    tenth = Real("1/10", exponent=2)
    assert (tenth / tenth, repr(tenth)) == (Real(1), "Real[1/10 e^(2)]")
    assert (str(Real(3)), str(Real(1, exponent="-1/5")), str(tenth)) == ("3", "e^(-1/5)", "1/10 e^(2)")
    with pytest.raises(InvalidValueError, match="argument=0 is not above 0, so it has no logarithm"):
        Real.log(0)
