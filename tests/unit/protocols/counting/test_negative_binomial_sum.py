"""Negative binomial plus geometric: weights, tails and ratios against the convolution, by each of three formulas."""

from fractions import Fraction
from itertools import pairwise

import mpmath
import pytest

from exactdp.numbers.balls import precision, real_ball
from exactdp.numbers.real import Real
from exactdp.protocols.counting.correlated_view import NegativeBinomialPlusGeometric
from tests.thinned import thinned

LAWS = [
    pytest.param("5/2", "2/3", "1/4", id="first-sum"),
    pytest.param("5/2", "999/1000", "998/1000", id="second-sum"),
    pytest.param("7/2", "1/2", "1/2", id="equal"),
    pytest.param("7/2", "1/2", "500001/1000000", id="nearly-equal"),
    pytest.param("1", "1/4", "9/10", id="closed-form"),
    pytest.param("80", "3/4", "1/2", id="many-summands"),
    pytest.param("80", "1/4", "99/100", id="many-summands-closed-form"),
]
FEW = [
    pytest.param("1/2", "2/3", "1/4", id="first-sum"),
    pytest.param("1/1000000", "2/3", "1/4", id="hardly-any-noise"),
    pytest.param("1/2", "9/10", "1/100", id="rising-at-once"),
    pytest.param("99/100", "999/1000", "998/1000", id="second-sum"),
]
"""With r below 1, and q below p: the ratios of weights fall, and rise."""
FALLING = [
    pytest.param("1/2", "1/2", "1/2", id="equal"),
    pytest.param("1/2", "1/2", "500001/1000000", id="nearly-equal"),
    pytest.param("1/2", "1/4", "9/10", id="closed-form"),
]
"""With r below 1, and q at least p: they fall."""
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


@pytest.mark.parametrize(("r", "p", "q"), [*LAWS, *FEW, *FALLING])
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


@pytest.mark.parametrize(("r", "p", "q"), [*LAWS, *FALLING])
@pytest.mark.parametrize("t", thinned([1, 2, 30], every=2))
def test_the_turn_is_where_the_ratio_of_weights_falls_below_the_level(r, p, q, t):
    r, p, q = Fraction(r), Fraction(p), Fraction(q)
    law, truth = NegativeBinomialPlusGeometric(Real(r), Real(p), Real(q)), convolution(r, p, q)
    ratios = [truth[t + i] / truth[t + i - 1] for i in range(2)]
    between = law.turn(Real((ratios[0] + ratios[1]) / 2))
    assert (between.last, between.open, between.first_below) == (t, (), t + 1)
    tied = law.turn(Real(ratios[0]))
    assert (tied.last, tied.open, tied.first_below) == (t - 1, (t,), t + 1)
    assert law.turn(Real(max(p, q))) is None


@pytest.mark.parametrize(("r", "p", "q"), FEW)
def test_below_one_the_ratios_are_below_a_level_on_one_interval(r, p, q):
    """At every level between two ratios, and at every ratio, what is told is what all ratios say."""
    r, p, q = Fraction(r), Fraction(p), Fraction(q)
    law, truth = NegativeBinomialPlusGeometric(Real(r), Real(p), Real(q)), convolution(r, p, q)
    ratios = [truth[t] / truth[t - 1] for t in range(1, LAST + 1)]
    for level in [*ratios[:3], *ratios[-3:], *((one + other) / 2 for one, other in pairwise(ratios[:6])), p]:
        signs = [(ratio > level) - (ratio < level) for ratio in ratios]
        turn = law.turn(Real(level))
        if turn is None:
            assert set(signs) == {1}
            continue
        last = LAST if turn.last_below is None else turn.last_below
        for t, sign in enumerate(signs, 1):
            is_above = t <= turn.last or (turn.again is not None and t >= turn.again)
            assert (sign == 1, sign == 0, sign == -1) == (is_above, t in turn.open, turn.first_below <= t <= last)
        assert (turn.again is None) is (level >= p)


def test_a_level_at_the_valley_leaves_nothing_below_it():
    """rho(1) = rho(2) = 2/5 for p = 8/15, r = 1/2 and q = 2/15: the tie is at both, and at no other integer."""
    law = NegativeBinomialPlusGeometric(Real(Fraction(1, 2)), Real(Fraction(8, 15)), Real(Fraction(2, 15)))
    turn = law.turn(Real(Fraction(2, 5)))
    assert turn == (0, 2, 1, 3)
    assert turn.open == (1, 2)
