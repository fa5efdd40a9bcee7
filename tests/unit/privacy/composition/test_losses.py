"""Measures that dominate: what is raised or rounded goes up, never down."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from exactdp.numbers.balls import precision, rational_ball
from exactdp.privacy.composition.losses import WORKING_BITS, LossPair, _polygon, dominating_measure
from tests.expensive import one_in

STEP = Fraction(1, 10)


def ball(middle, radius):
    return arb(middle, radius)


@one_in(2)
@given(st.fractions(-3, 3, max_denominator=60))
def test_mass_of_a_bounded_loss_is_put_at_or_above_its_bound(loss):
    with precision(WORKING_BITS):
        pair = LossPair([], arb(0), [(arb("0.25"), rational_ball(loss))])
        measure = dominating_measure([pair], rational_ball(STEP), None)
    ((place, mass),) = measure.masses.items()
    assert loss <= place * STEP < loss + 2 * STEP
    assert mass >= arb("0.25")


def test_a_loss_on_the_lattice_whose_ball_reaches_above_is_raised():
    with precision(WORKING_BITS):
        pair = LossPair([], arb(0), [(arb("0.25"), ball(0.25, 2.0**-60))])
        measure = dominating_measure([pair], arb(2) ** -2, None)
    assert list(measure.masses) == [2]


@pytest.mark.parametrize("width", [2.0**-10, 2.0**-4])
def test_the_bends_of_a_polygon_are_bounds_from_above(width):
    """For values anywhere in their balls, no mass is below the bend of their polygon."""
    with precision(WORKING_BITS):
        values = [ball(0.5, width), ball(0.25, width)]
        measure = _polygon([(arb(1), values[0], 0), (arb(2), values[1], 1)], arb(1))
    for first in (0.5 - width, 0.5, 0.5 + width):
        for second in (0.25 - width, 0.25, 0.25 + width):
            corners = [(0, 1.0), (1, first), (2, second), (3, second)]
            slopes = [(b - a) / (y - x) for (x, a), (y, b) in pairwise(corners)]
            for place, (before, after) in enumerate(pairwise(slopes)):
                assert float(measure.masses[place].mid()) >= (after - before) * 2**place - 1e-12
