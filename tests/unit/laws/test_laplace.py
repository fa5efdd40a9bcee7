"""Continuous Laplace noise: its closed forms against integrals of its density in another library."""

import pickle
from fractions import Fraction
from itertools import pairwise

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp import (
    AdditiveProtocol,
    Claim,
    DiscreteLaplace,
    Laplace,
    LogRational,
    Real,
    is_private,
    optimal_accuracy,
    shift_profile,
    smoothness_delta,
)
from exactdp.errors import ExactDPError, InexactNumberError, InvalidLawError, InvalidValueError, TooLargeError

LN_2 = 1 / Real.log(2)
"""The scale at which a query of sensitivity 1 is (ln 2)-DP."""

positive = st.fractions(Fraction(1, 50), 50, max_denominator=50)


def holds(interval, value, digits=40):
    """Whether an interval contains a number of another library, but for what that one rounds."""
    little = mpmath.mpf(10) ** -digits
    low, high = (mpmath.mpf(end.numerator) / end.denominator for end in (interval.lo, interval.hi))
    return low - little <= value <= high + little


def number(value):
    return mpmath.mpf(value.numerator) / value.denominator


def integrated_delta(ratio, eps):
    """The integral of max(0, p - e^eps q), p and q densities of scale 1 around 0 and ``ratio``."""

    def excess(t):
        return max(mpmath.mpf(0), mpmath.exp(-abs(t)) - mpmath.exp(eps - abs(t - ratio))) / 2

    change = (ratio - eps) / 2  # where the integrand has a corner, if it has one
    corners = sorted({mpmath.mpf(0), ratio, change if change > 0 else mpmath.mpf(0)})
    return mpmath.quad(excess, [-mpmath.inf, *corners, ratio + 40, mpmath.inf])


@settings(max_examples=20)
@given(positive, st.fractions(-60, 60, max_denominator=20))
def test_tails_are_those_of_the_density(scale, x):
    law = Laplace(scale)
    with mpmath.workdps(60):
        below = mpmath.exp(-abs(number(x)) / number(scale)) / 2
        tail, rest = (below, 1 - below) if x >= 0 else (1 - below, below)
        assert holds(law.sf(x), tail)
        assert holds(law.cdf(x), rest)
    assert law.cdf(-x) == law.sf(x)


@settings(max_examples=20)
@given(positive, st.fractions(Fraction(1, 1000), Fraction(999, 1000), max_denominator=1000))
def test_a_quantile_is_where_the_law_reaches_the_level(scale, q):
    law = Laplace(scale)
    x = law.quantile(q, relative_bits=100)
    if q == Fraction(1, 2):
        assert x.is_point
        assert x.lo == 0
    else:
        assert law.cdf(x.lo).lo <= q <= law.cdf(x.hi).hi
        assert law.cdf(x.lo - Fraction(1, 10**6)) < q < law.cdf(x.hi + Fraction(1, 10**6))


@pytest.mark.parametrize(("scale", "shift"), [("2", "1/2"), ("1/3", 1), (5, 12)])
@pytest.mark.parametrize("eps", ["0", "1/20", "1/5", "9/4"])
def test_delta_is_the_integral_of_the_excess(scale, shift, eps):
    """With eps - s/b in place of its half, or one order for the other, the integral is missed."""
    delta = shift_profile(Laplace(scale), shift=shift).delta(eps=eps)
    with mpmath.workdps(30):
        ratio = number(Fraction(shift) / Fraction(scale))
        assert holds(delta, integrated_delta(ratio, number(Fraction(eps))), digits=12)


@settings(max_examples=20)
@given(positive, positive, st.fractions(0, 1, max_denominator=1000))
def test_eps_at_a_delta_and_delta_at_an_eps_are_inverse(scale, shift, delta):
    profile = shift_profile(Laplace(scale), shift=shift)
    eps = profile.epsilon(delta)
    if isinstance(eps, LogRational):
        assert eps.argument == 1
        assert profile.delta(eps=0).compare(delta) in (-1, 0, None)
        return
    assert profile.delta(eps=eps.lo).hi >= delta
    assert profile.delta(eps=eps.hi).lo <= delta
    assert profile.delta(eps=eps.lo * Fraction(999, 1000)).lo > delta
    with mpmath.workdps(30):
        closed = number(shift) / number(scale) + 2 * mpmath.log(1 - number(delta))
        assert holds(eps, closed, digits=15)


def test_a_rational_limit_is_decided_exactly():
    profile = shift_profile(Laplace(LN_2))
    assert profile.delta(exp_eps=2).is_point
    assert profile.delta(exp_eps=2).lo == 0
    assert is_private(profile, exp_eps=2, delta=0)
    assert not is_private(profile, exp_eps="1999999/1000000", delta=0)
    with mpmath.workdps(60):
        assert profile.epsilon(0).lo < Fraction(mpmath.nstr(mpmath.log(2), 50)) < profile.epsilon(0).hi
    assert shift_profile(Laplace(2), shift=3).delta(eps="3/2").is_point
    assert Laplace(LN_2).exp_rate(-2) == Real("1/4")
    assert not Laplace(1 / Real.log(2)).exp_rate(10**6).is_rational  # a million bits that nobody wants to read


def test_a_larger_move_is_worse():
    deltas = [shift_profile(Laplace(2), shift=s).delta(eps="1/10") for s in ("1/5", "1/4", 1, 2, 50)]
    assert deltas[0].is_point
    assert all(less < more for less, more in pairwise(deltas))


@pytest.mark.parametrize("steps", [1, 10, 100])
def test_the_noise_on_a_grid_tends_to_the_continuous_one(steps):
    """On a grid of width s/steps delta differs by at most what a cell holds, and its least eps is the same."""
    law = Laplace(3)
    grid = shift_profile(law.on_grid(Fraction(1, steps)), shift=steps)
    continuous = shift_profile(law, shift=1)
    assert grid.epsilon(0).lo <= Fraction(1, 3) <= grid.epsilon(0).hi
    gap = grid.delta(eps="1/7").lo - continuous.delta(eps="1/7").hi
    assert abs(gap) <= Fraction(1, 6 * steps)


def losses_of_two_runs(ratio, eps):
    """delta of two runs from the law of one run's loss: two atoms, and a density between them."""

    def one(level):
        return max(mpmath.mpf(0), 1 - mpmath.exp((level - ratio) / 2)) if level > -ratio else 1 - mpmath.exp(level)

    ends = mpmath.mpf(1) / 2 * one(eps - ratio) + mpmath.exp(-ratio) / 2 * one(eps + ratio)
    inner = mpmath.quad(
        lambda loss: mpmath.exp((loss - ratio) / 2) / 4 * one(eps - loss),
        sorted({-ratio, min(max(eps - ratio, -ratio), ratio), ratio}),
    )
    return ends + inner


@pytest.mark.parametrize("eps", ["1/10", "1/2"])
def test_two_runs_are_the_product_of_one(eps):
    profile = shift_profile(Laplace(2))
    assert shift_profile(Laplace(2)).compose(1).delta(eps=eps).lo <= profile.delta(eps=eps).hi
    bracket = profile.compose(2).delta(eps=eps)
    with mpmath.workdps(30):
        assert holds(bracket, losses_of_two_runs(mpmath.mpf(1) / 2, number(Fraction(eps))), digits=20)
    assert (bracket.hi - bracket.lo) * 100 < bracket.hi


@pytest.mark.parametrize("coordinates", [1, 2, 10, 10**6, 10**18])
@pytest.mark.parametrize("beta", ["1/2", "1/20", "1e-30"])
def test_the_published_radius_is_exceeded_with_probability_below_beta(coordinates, beta):
    law, failure, bits = Laplace(4), Fraction(beta), 300
    radius = 4 * Real.log(coordinates / failure)
    outside = law.outside(radius, coordinates=coordinates, relative_bits=bits)
    if coordinates <= 10:
        exact = 1 - (1 - failure / coordinates) ** coordinates
        assert outside.lo <= exact <= outside.hi
    assert outside.lo <= failure
    assert (coordinates == 1) or outside < failure
    asked = {"coordinates": coordinates, "relative_bits": bits}
    least, published = law.accuracy(beta, **asked), law.accuracy_bound(beta, **asked)
    assert least.lo <= published.hi
    assert (coordinates == 1) or least < published


@settings(max_examples=20)
@given(positive, st.integers(1, 10**12), st.fractions(Fraction(1, 10**6), Fraction(999, 1000), max_denominator=10**6))
def test_the_least_radius_is_exceeded_with_probability_beta(scale, coordinates, beta):
    law = Laplace(scale)
    radius = law.accuracy(beta, coordinates=coordinates, relative_bits=80)
    assert law.outside(radius.hi, coordinates=coordinates).lo <= beta
    assert law.outside(radius.lo, coordinates=coordinates).hi >= beta
    assert law.outside(radius.lo * Fraction(999, 1000), coordinates=coordinates) > beta


def test_the_least_error_of_a_query_is_the_radius():
    assert optimal_accuracy(Laplace(3), beta="1/20") == Laplace(3).accuracy("1/20")
    assert Laplace(3).accuracy(1).is_point
    with pytest.raises(InvalidValueError, match="beta=0 is not above 0"):
        Laplace(3).accuracy(0)
    with pytest.raises(InvalidValueError, match="bins of a histogram"):
        optimal_accuracy(Laplace(3), beta="1/20", simultaneous=True)


def test_extreme_tails_are_enclosed():
    assert Laplace(1).sf(10**9).upper.compare(0) > 0
    assert Laplace(1).outside(10**9, coordinates=10**9).upper.magnitude < -(10**9)
    assert shift_profile(Laplace(10**30)).delta(eps=0).hi < Fraction(1, 10**30)


def test_moments_and_values():
    law = Laplace("3/2")
    assert (law.mean, law.variance) == (0, Fraction(9, 2))
    assert Laplace(Real.exp(1)).variance.lo > 14
    assert pickle.loads(pickle.dumps(law)) == law == Laplace(Fraction(3, 2))
    assert repr(law) == "Laplace('3/2')"
    assert "all real numbers" in law._repr_html_()


def refused(question):
    with pytest.raises(ExactDPError) as error:
        question()
    return error.value


def test_what_has_no_meaning_is_refused_with_the_repair():
    law = Laplace(1)
    assert "noise.on_grid(1)" in str(refused(lambda: AdditiveProtocol(law)))
    assert isinstance(refused(lambda: AdditiveProtocol(law)), InvalidLawError)
    assert "Pass a Law on integers" in str(refused(lambda: smoothness_delta(law, k=1, eps=1)))
    assert "Pass a Law on integers" in str(refused(lambda: Claim.shift_dp(law, eps=1, delta=0)))
    assert "scale=0 is not above 0" in str(refused(lambda: Laplace(0)))
    assert isinstance(refused(lambda: Laplace(0.5)), InexactNumberError)
    assert "shift=0 is not above 0" in str(refused(lambda: shift_profile(law, shift=0)))
    assert "step=0 is not above 0" in str(refused(lambda: law.on_grid(0)))
    assert "radius=-1 is below 0" in str(refused(lambda: law.outside(-1)))
    assert "q=1 is not between 0 and 1" in str(refused(lambda: law.quantile(1)))
    assert isinstance(refused(lambda: shift_profile(law).exact_tradeoff()), TooLargeError)
    assert "eps is above 100000" in str(refused(lambda: shift_profile(Laplace("1e-6")).epsilon("1e-6")))


def test_a_sampler_in_floats_is_refused_and_the_grid_offered():
    import numpy as np

    from exactdp import sample

    rng = np.random.default_rng(1)
    assert "law.on_grid(step)" in str(refused(lambda: sample(Laplace(1), [], size=1, rng=rng)))
    noise = Laplace(10).on_grid("1/4")
    assert isinstance(noise, DiscreteLaplace)
    draws = sample(AdditiveProtocol(noise), [], size=2000, rng=rng, nearest=True)
    assert abs(float(np.abs(draws).mean()) / 4 - 10) < 2  # E abs(Y) = b
