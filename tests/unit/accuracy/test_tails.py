"""Decisions about tails that no enclosure makes."""

from fractions import Fraction

import pytest

from exactdp import Binomial, Poisson
from exactdp.accuracy.tails import least_reach, outside_at_most
from exactdp.errors import UndecidedError

TINY = Fraction(1, 2**3000)


@pytest.mark.parametrize(
    ("law", "low", "high"), [(Binomial(4, "1/2"), 1, 3), (Binomial(9, "1/3"), 2, 7), (Binomial(9, "1/3"), 0, 7)]
)
def test_a_bound_that_is_the_probability_is_enough_and_a_little_less_is_not(law, low, high):
    outside = sum((law.exact_pmf(k) for k in range(law.n + 1) if not low <= k <= high), Fraction(0))
    assert outside_at_most(law, low, high, outside)
    assert not outside_at_most(law, low, high, outside - TINY)
    assert outside_at_most(law, low, high, outside + TINY)


def test_an_empty_window_is_left_for_certain():
    assert outside_at_most(Binomial(4, "1/2"), 3, 2, Fraction(1))
    assert not outside_at_most(Binomial(4, "1/2"), 3, 2, 1 - TINY)


def test_what_nothing_decides_is_said():
    law = Poisson(2)
    near = 1 - law.pmf(1, relative_bits=2000).lower.fraction()
    with pytest.raises(UndecidedError, match=r"P\[Y < 1 or Y > 1\] of Poisson\('2'\) .* agree to 1024 bits"):
        outside_at_most(law, 1, 1, near)


@pytest.mark.parametrize("beta", [Fraction(0), Fraction(1, 1000), Fraction(1, 20), Fraction(1, 3), Fraction(9, 10)])
@pytest.mark.parametrize("low_edge", [Fraction(i, 3) for i in range(-4, 40, 3)] + [Fraction(i) for i in range(-2, 14)])
def test_the_least_reach_is_the_first_jump_that_is_enough(low_edge, beta):
    law = Binomial(6, "1/3")
    for high_edge in (low_edge, low_edge + 1, low_edge - 4, low_edge - Fraction(1, 2)):

        def outside(reach, high_edge=high_edge):
            return sum(law.exact_pmf(k) for k in range(7) if not low_edge - reach <= k <= high_edge + reach)

        jumps = {Fraction(0)} | {k - high_edge for k in range(-20, 30)} | {low_edge - k for k in range(-20, 30)}
        expected = min(reach for reach in jumps if reach >= 0 and outside(reach) <= beta)
        assert least_reach(law, low_edge, high_edge, beta) == expected
