"""The polygon of a trade-off function."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.errors import ExactDPError
from exactdp.privacy.tradeoff import TradeoffFunction
from exactdp.testing import probabilities
from tests.expensive import one_in

MASSES = st.lists(st.tuples(probabilities(), probabilities()), max_size=6)
ENDS = [(Fraction(0), Fraction(0)), (Fraction(1), Fraction(1))]


@one_in(2)
@given(MASSES, probabilities())
def test_lower_hull(masses, error):
    """The value is the least over all mixtures of two events and their mirrors."""
    function = TradeoffFunction.from_events([*masses, *ENDS])
    points = [(q, 1 - p) for p, q in [*masses, *ENDS]]
    points += [(y, x) for x, y in points]
    best = Fraction(1)
    for x0, y0 in points:
        for x1, y1 in points:
            if x0 <= error <= x1:
                best = min(best, y0 if x0 == x1 else y0 + (y1 - y0) * (error - x0) / (x1 - x0))
            if x0 <= error:
                best = min(best, y0)
    assert function(error) == best


def test_a_test_that_looks_at_nothing_is_always_there():
    function = TradeoffFunction.from_events([(Fraction(1, 2), Fraction(1, 4))])
    assert function.vertices == ((0, 1), (Fraction(1, 4), Fraction(1, 2)), (Fraction(1, 2), Fraction(1, 4)), (1, 0))
    assert [function(x) for x in (0, "1/8", "3/4", 1)] == [1, Fraction(3, 4), Fraction(1, 8), 0]


def test_perfect_privacy():
    function = TradeoffFunction.from_events(ENDS)
    assert [function(x) for x in ("0", "1/3", 1)] == [1, Fraction(2, 3), 0]


@pytest.mark.parametrize("error", [-1, "3/2", 0.5, "x"])
def test_errors_are_probabilities(error):
    with pytest.raises(ExactDPError):
        TradeoffFunction.from_events(ENDS)(error)
