"""Trade-off functions between two polygons: against exact polygons, and against tests of sums of Gaussian noise."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactdp as xdp
from exactdp.numbers.interval import Interval
from exactdp.privacy.composition.tradeoff_bounds import tradeoff_bounds

ERRORS = [
    Fraction(1, 10**6),
    Fraction(1, 100),
    Fraction(1, 10),
    Fraction(1, 3),
    Fraction(1, 2),
    Fraction(9, 10),
    Fraction(1),
]


def around(value: Fraction, spread: Fraction) -> Interval:
    """An interval that holds a value, not in its middle."""
    return Interval.between(max(Fraction(0), value * (1 - spread)), min(Fraction(1), value * (1 + 2 * spread)), bits=64)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.integers(0, 9), min_size=2, max_size=5).filter(any),
    st.lists(st.integers(0, 9), min_size=2, max_size=5).filter(any),
    st.integers(1, 3),
    st.sampled_from([Fraction(0), Fraction(1, 1000), Fraction(1, 10)]),
)
def test_exact_polygons_are_inside(first, second, n, spread):
    """Also where delta does not fall to 0, and where its two ends are apart."""
    rows = {
        x: {(y,): Fraction(w, sum(weights)) for y, w in enumerate(weights) if w}
        for x, weights in enumerate((first, second))
    }
    profile = xdp.ShuffleProtocol(xdp.Randomizer(rows), n).privacy_profile()
    exact = profile.exact_tradeoff()
    limit = around(profile.exact_limit(), spread)
    found = tradeoff_bounds(lambda exp_eps: around(profile.exact_delta(exp_eps=exp_eps), spread), limit)
    for error in ERRORS:
        assert found.lower(error) <= exact(error) <= found.upper(error)
        assert found(error).lo <= exact(error) <= found(error).hi


def test_a_profile_that_is_too_small_is_found_out():
    """What is no upper end of delta gives a polygon that the exact one is below."""
    profile = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 4).privacy_profile()
    exact, nothing = profile.exact_tradeoff(), around(Fraction(0), Fraction(0))
    wrong = tradeoff_bounds(lambda exp_eps: around(profile.exact_delta(exp_eps=exp_eps) / 2, Fraction(0)), nothing)
    assert any(exact(error) < wrong.lower(error) for error in ERRORS)


@pytest.mark.parametrize("times", [1, 30])
def test_gaussian_noise(times):
    """By the sum T of the outcomes: rejecting on T > t errs by P[T > t], and by P[T + k <= t]."""
    profile = xdp.shift_profile(xdp.DiscreteGaussian(100))
    found = (profile if times == 1 else profile.compose(times)).tradeoff()
    variance = 100 * times  # a sum of wide discrete Gaussian laws is one of them, but for 1e-800
    with mpmath.workdps(30):
        weights = {t: mpmath.exp(-mpmath.mpf(t * t) / (2 * variance)) for t in range(-1200, 1201)}
        total = mpmath.fsum(weights.values())
        for t in (-20, 0, 7, 40, 90):
            first = mpmath.fsum(w for u, w in weights.items() if u > t) / total
            second = mpmath.fsum(w for u, w in weights.items() if u + times <= t) / total
            ends = found(xdp.numbers.exact.as_fraction(mpmath.nstr(first, 25), name="error"))
            assert float(ends.lo) <= float(second) * (1 + 1e-12)
            assert float(second) <= float(ends.hi) * (1 + 1e-12)
            assert ends.hi - ends.lo < Fraction(1, 100)


def test_at_real_n_of_a_bracket():
    profile = xdp.ShuffleProtocol(xdp.randomized_response(3, exp_eps0=3), 20).privacy_profile()
    bracket = xdp.ShuffleProtocol(xdp.randomized_response(3, exp_eps0=3), 20).privacy_profile(limit=1)
    exact, found = profile.exact_tradeoff(), bracket.tradeoff()
    assert not bracket.is_tight
    for error in ERRORS:
        assert found.lower(error) <= exact(error) <= found.upper(error)
    assert found(Fraction(1, 2)).hi - found(Fraction(1, 2)).lo < Fraction(1, 100)
