"""Decisions about tails that no enclosure makes."""

from fractions import Fraction

import pytest

from exactdp import Binomial, Poisson
from exactdp.errors import UndecidedError
from exactdp.laws.tails import ends, least_integer, least_reach, outside_at_most
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval
from tests.thinned import thinned
from tests.together import together

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


EDGES = [Fraction(i, 3) for i in range(-4, 40, 3)] + [Fraction(i) for i in range(-2, 14)]


@pytest.mark.parametrize(
    "beta", thinned([Fraction(0), Fraction(1, 1000), Fraction(1, 20), Fraction(1, 3), Fraction(9, 10)], every=2)
)
@pytest.mark.parametrize("low_edge", thinned(EDGES, every=3))
def test_the_least_reach_is_the_first_jump_that_is_enough(low_edge, beta):
    law = Binomial(6, "1/3")
    for high_edge in (low_edge, low_edge + 1, low_edge - 4, low_edge - Fraction(1, 2)):

        def outside(reach, high_edge=high_edge):
            return sum(law.exact_pmf(k) for k in range(7) if not low_edge - reach <= k <= high_edge + reach)

        jumps = {Fraction(0)} | {k - high_edge for k in range(-20, 30)} | {low_edge - k for k in range(-20, 30)}
        expected = min(reach for reach in jumps if reach >= 0 and outside(reach) <= beta)
        assert least_reach(law, low_edge, high_edge, beta) == expected


@pytest.mark.parametrize("exponent", [-1, -60, -99_990, -100_020, -130_000, -(10**9)])
def test_short_ends_contain_the_number(exponent):
    tiny = Interval(Dyadic(3, exponent), Dyadic(5, exponent))
    low, high = ends(tiny)
    assert tiny.lower.compare(low) >= 0
    assert tiny.upper.compare(high) <= 0
    assert max(low.denominator.bit_length(), high.denominator.bit_length()) < 10**5 + 10
    assert exponent < -99_000 or (low, high) == (tiny.lo, tiny.hi)


def test_wide_intervals_keep_the_end_that_is_not_tiny():
    low, high = ends(Interval(Dyadic(1, -200_000), Dyadic(1, -1)))
    assert 0 <= low <= Fraction(1, 2**1000)
    assert high == Fraction(1, 2)
    low, high = ends(Interval(Dyadic(0, 0), Dyadic(1, -(10**9))))
    assert low == 0 < high < Fraction(1, 2**1000)
    assert ends(Interval(Dyadic(0, 0), Dyadic(0, 0))) == (0, 0)


@pytest.mark.parametrize("part", [Fraction(1, 100), Fraction(99, 100), Fraction(101, 100)])
def test_irrational_tails_are_compared_too(part):
    """P[Y < 1 or Y > 2] of Poisson(2) = 1 - 4 e^-2, most of it above, and with the sides in the other order below."""
    for rate, low, high in ((2, 1, 2), (2, 2, 9)):
        law = Poisson(rate)
        inside = sum(law.pmf(t, relative_bits=80).lo for t in range(low, high + 1))
        assert outside_at_most(law, low, high, part * (1 - inside)) == (part > 1)


@together("high", [None, 10, 11, 40, 10**9])
@together("above", [-3, 9, 0, 5])
@together("least", [1, 6, 10])
def test_a_search_ends_where_the_property_begins(least, above, high):
    """Wherever it is guessed to be; and by few questions, none of them where the answer is known."""
    if least <= above or (high is not None and (high <= above or least > high)):
        return
    for guess in (-100, 0, least - 1, least, least + 1, 9, 10, 11, 10**6):
        asked = []

        def holds(t, asked=asked):
            asked.append(t)
            return t >= least

        assert least_integer(holds, guess, above=above, high=high) == least
        assert all(t > above and (high is None or t < high) for t in asked)
        assert len(asked) <= 2 * max(3, abs(guess - least), abs(guess)).bit_length() + 3
        assert abs(guess - least) > 1 or len(asked) <= 4
