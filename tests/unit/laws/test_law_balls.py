"""Ends of the supports of laws, and weights beside each other, where what they are is known exactly."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from flint import arb

from exactdp.laws.law_balls import (
    EnclosedBinomial,
    EnclosedBinomialSum,
    EnclosedDiscreteGaussian,
    EnclosedDiscreteLaplace,
    EnclosedGeometric,
    EnclosedNegativeBinomial,
    EnclosedPoisson,
    gaussian_variance,
)
from exactdp.numbers.balls import precision, rational_ball
from exactdp.numbers.real import Real
from tests.oracles import high_precision
from tests.thinned import thinned

THIRD = Fraction(1, 3)
LAWS = [
    EnclosedBinomial(10, THIRD),
    EnclosedBinomial(1, Fraction(1, 2)),
    EnclosedBinomialSum(5, Fraction(1), 7, THIRD),
    EnclosedBinomialSum(7, THIRD, 5, Fraction(1)),
    EnclosedBinomialSum(4, Fraction(0), 7, THIRD),
    EnclosedBinomialSum(3, THIRD, 4, Fraction(4, 5)),
    EnclosedPoisson(Real(3)),
    EnclosedNegativeBinomial(Real(2), Real("2/3")),
    EnclosedNegativeBinomial(Real(60), Real("2/3")),
    EnclosedGeometric(Real("2/3")),
    EnclosedDiscreteLaplace(Real(3)),
    EnclosedDiscreteGaussian(Fraction(5, 2)),
]


def dyadic_exactly(ball: arb) -> Fraction:
    mantissa, exponent = map(int, ball.man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent


def is_near(ball: arb, other: arb) -> bool:
    return bool(ball.overlaps(other)) and float((ball - other).abs_upper()) < 1e-25


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_beyond_its_ends_a_law_has_no_mass(law):
    with precision(140):
        if law.low is not None:
            for k in (law.low - 1, law.low - 7):
                assert law.cdf(k) == 0
                assert law.sf(k) == 1
            assert is_near(law.cdf(law.low), law.pmf(law.low))
        if law.high is not None:
            for k in (law.high, law.high + 5):
                assert law.sf(k) == 0
                assert law.cdf(k) == 1
            assert is_near(law.sf(law.high - 1), law.pmf(law.high))


@pytest.mark.parametrize("law", thinned(LAWS, every=2), ids=repr)
def test_tails_are_the_sums_of_weights(law):
    with precision(140):
        first = -6 if law.low is None else law.low
        last = first + 12 if law.high is None else law.high
        before = law.cdf(first - 1)
        for k in range(first, last + 1):
            before += law.pmf(k)
            assert is_near(law.cdf(k), before)
            assert is_near(law.sf(k), 1 - before)


@pytest.mark.parametrize("sigma_squared", ["1/50", "1/3", "9/10", "1", "3/2", "40"])
def test_the_variance_of_gaussian_noise(sigma_squared):
    """Sums over all outcomes that matter at 60 digits; at few bits as well as at many."""
    value = Fraction(sigma_squared)
    with high_precision.sixty_digits():
        s = high_precision.number(value)
        weights = {t: mpmath.exp(-t * t / (2 * s)) for t in range(-160, 161)}
        truth = sum(t * t * w for t, w in weights.items()) / sum(weights.values())
        for bits in (20, 53, 150):
            with precision(bits):
                ball = gaussian_variance(value)
                accuracy = ball.rel_accuracy_bits()
            with precision(600):
                lower, upper = (dyadic_exactly(end) for end in (ball.lower(), ball.upper()))
            assert high_precision.number(lower) <= truth * (1 + mpmath.mpf(10) ** -50)
            assert truth * (1 - mpmath.mpf(10) ** -50) <= high_precision.number(upper)
            assert accuracy > bits - 16


def test_bounds_are_not_those_of_other_laws():
    """The comparisons above have teeth."""
    with precision(140):
        assert not is_near(LAWS[0].cdf(3), LAWS[0].cdf(4))
        assert not is_near(rational_ball(THIRD), rational_ball(THIRD + Fraction(1, 10**20)))
