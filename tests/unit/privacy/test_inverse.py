"""The search for eps among enclosures: how few points it asks, and that what chooses them decides nothing."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp import DiscreteGaussian, DiscreteLaplace, NegativeBinomial, Poisson, Real, shift_profile
from exactdp.laws.lattice import LatticeLaw
from exactdp.privacy import inverse
from exactdp.privacy.noise.lattice_shift import LatticeShift
from tests.thinned import thinned

TARGET = Fraction(1, 10**9)
LAWS = [NegativeBinomial(30, Real.exp("-1/1000")), DiscreteGaussian(10**12), Poisson(10**12)]


def engine_of(law: LatticeLaw) -> LatticeShift:
    return LatticeShift(law, shift_profile(law)._engine.shift)


@pytest.mark.parametrize("law", thinned(LAWS, every=2), ids=repr)
def test_a_few_points_are_asked(law, monkeypatch):
    """To 53 bits, from no knowledge of the size of eps."""
    asked = []
    enclosed = LatticeShift.enclosed
    monkeypatch.setattr(
        LatticeShift, "enclosed", lambda engine, exp_eps, bits: asked.append(bits) or enclosed(engine, exp_eps, bits)
    )
    between = inverse.bracket_exp_eps(engine_of(law), TARGET, 55)
    assert 2**55 * (between.high - between.low) <= between.low - 1
    assert len(asked) <= 24


@settings(max_examples=20)
@given(st.lists(st.floats(-0.5, 1.5), min_size=1, max_size=8), st.booleans())
def test_guesses_decide_nothing(shares, is_far):
    """Points anywhere between two ends, or beyond them, in place of the guess, lead to the same eps."""
    engine, turns = engine_of(DiscreteLaplace(Real.exp("1/10"))), iter(shares * 100)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inverse, "is_far", lambda above, below: is_far)
        patch.setattr(
            inverse, "guess_between", lambda low, high, above, below: low + (high - low) * Fraction(next(turns))
        )
        between = inverse.bracket_exp_eps(engine, TARGET, 12)
    assert 2**12 * (between.high - between.low) <= between.low - 1
    low, high = (engine.enclosed(Real(end), 60).delta for end in (between.low, between.high))
    assert low > TARGET
    assert high <= TARGET


def test_a_first_point_that_is_not_enclosed():
    """Where delta at E = 1 is known from below only, the search begins at 1."""
    search = inverse._Search(engine_of(Poisson(100)), TARGET)
    assert search.first() == 1
    assert search.is_above(Real(1))
    assert 1 < search.first() < 2
