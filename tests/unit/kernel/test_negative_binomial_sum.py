"""Negative binomial plus geometric: weights, tails and ratios against the convolution, by each of three formulas."""

from fractions import Fraction

import mpmath
import pytest

from exactdp.kernel.balls import precision, real_ball
from exactdp.kernel.negative_binomial_sum import NegativeBinomialPlusGeometric
from exactdp.numbers.real import Real

LAWS = [
    pytest.param("5/2", "2/3", "1/4", id="first-sum"),
    pytest.param("5/2", "999/1000", "998/1000", id="second-sum"),
    pytest.param("7/2", "1/2", "1/2", id="equal"),
    pytest.param("7/2", "1/2", "500001/1000000", id="nearly-equal"),
    pytest.param("1", "1/4", "9/10", id="closed-form"),
    pytest.param("80", "3/4", "1/2", id="many-summands"),
    pytest.param("80", "1/4", "99/100", id="many-summands-closed-form"),
]
LAST = 60


def convolution(r: Fraction, p: Fraction, q: Fraction) -> list[Fraction]:
    """P[Y = t] / (1-p)^r for t = 0, 1, ..., exactly."""
    weight, weights = Fraction(1), list[Fraction]()
    before = Fraction(0)
    for t in range(LAST + 1):
        before = q * before + (1 - q) * weight
        weights.append(before)
        weight *= p * (r + t) / (t + 1)
    return weights


@pytest.mark.parametrize(("r", "p", "q"), LAWS)
def test_weights_tails_and_ratios_are_those_of_the_convolution(r, p, q):
    r, p, q = Fraction(r), Fraction(p), Fraction(q)
    law, truth = NegativeBinomialPlusGeometric(Real(r), Real(p), Real(q)), convolution(r, p, q)
    with precision(256), mpmath.workdps(90):
        first = (1 - real_ball(Real(p))) ** real_ball(Real(r))
        for t in (0, 1, 2, 7, 30, LAST):
            total = real_ball(Real(sum(truth[: t + 1]))) * first
            for computed, exact in (
                (law.pmf(t), real_ball(Real(truth[t])) * first),
                (law.cdf(t), total),
                (law.sf(t), 1 - total),
                (law.ratio(t), real_ball(Real(truth[t] / truth[t - 1]))) if t else (law.cdf(-1), real_ball(Real(0))),
            ):
                assert computed.overlaps(exact)
                assert computed.rad() < 2**-150


@pytest.mark.parametrize(("r", "p", "q"), LAWS)
@pytest.mark.parametrize("t", [1, 2, 30])
def test_the_turn_is_where_the_ratio_of_weights_falls_below_the_level(r, p, q, t):
    r, p, q = Fraction(r), Fraction(p), Fraction(q)
    law, truth = NegativeBinomialPlusGeometric(Real(r), Real(p), Real(q)), convolution(r, p, q)
    ratios = [truth[t + i] / truth[t + i - 1] for i in range(2)]
    between = law.turn(Real((ratios[0] + ratios[1]) / 2))
    assert (between.last, between.open, between.first_below) == (t, (), t + 1)
    tied = law.turn(Real(ratios[0]))
    assert (tied.last, tied.open, tied.first_below) == (t - 1, (t,), t + 1)
    assert law.turn(Real(max(p, q))) is None
