"""Differences of tails of a law against sums of its exact weights."""

from __future__ import annotations

from fractions import Fraction

import pytest

from exactdp import Binomial, Geometric
from exactdp.laws.law_balls import compare_weights, enclose_falling, enclose_half_line
from exactdp.numbers.real import Real

BINOMIAL, GEOMETRIC = Binomial(40, "1/3"), Geometric("4/5")


def mass(law, first, last):
    return sum(
        (law.exact_pmf(t) for t in range(max(first, 0), last + 1) if law.high is None or t <= law.high), Fraction(0)
    )


def encloses(found, truth):
    return found.lo <= truth <= found.hi and (found.hi - found.lo) * 2**80 <= abs(truth)


@pytest.mark.parametrize("exp_eps", [Fraction(1), Fraction(11, 10)])
@pytest.mark.parametrize("shift", [1, 3, 16, 17, 20])
def test_half_lines_below_and_above(shift, exp_eps):
    """By single weights up to 16 of them, by tails beyond; also where one reaches over an end of the support."""
    for end in (2, 9, 15, 40):
        truth = mass(BINOMIAL, 0, end) - exp_eps * mass(BINOMIAL, 0, end - shift)
        assert not truth or encloses(
            enclose_half_line(BINOMIAL.enclosed, end, shift, Real(exp_eps), 80),
            truth,
        )
    for start in (20, 5, 41):
        truth = mass(BINOMIAL, start - shift, 40) - exp_eps * mass(BINOMIAL, start, 40)
        assert encloses(enclose_half_line(BINOMIAL.enclosed, start, shift, Real(exp_eps), 80, upper=True), truth)


@pytest.mark.parametrize("shift", [1, 4])
def test_half_lines_that_begin_at_the_shift(shift):
    for law in (BINOMIAL, GEOMETRIC):
        for last in (9, 14):
            truth = mass(law, 0, last - shift) - Fraction(3, 2) * mass(law, shift, last)
            assert encloses(enclose_falling(law.enclosed, last, shift, Real("3/2"), 80), truth)
        truth = 1 - Fraction(3, 2) * (1 - mass(law, 0, shift - 1))
        assert encloses(enclose_falling(law.enclosed, None, shift, Real("3/2"), 80), truth)


def test_weights_are_compared():
    for t, u in [(3, 4), (4, 3), (13, 20), (20, 13)]:
        for bound in (Fraction(1, 2), Fraction(1), Fraction(5)):
            difference = BINOMIAL.exact_pmf(t) - bound * BINOMIAL.exact_pmf(u)
            expected = (difference > 0) - (difference < 0)
            assert compare_weights(BINOMIAL.enclosed, t, u, Real(bound), 64) == expected
    assert compare_weights(BINOMIAL.enclosed, 13, 13, Real(1), 64) is None
