"""Roots of what a calibration saves."""

from fractions import Fraction

import pytest

from exactdp.calibration.savings import _root
from exactdp.numbers.interval import Interval


@pytest.mark.parametrize("value", [Fraction(2), Fraction(1, 10**60), Fraction(10**60, 3), Fraction(9, 4)])
def test_a_root_is_enclosed_to_53_bits(value):
    around = Interval.around(value, relative_bits=80)
    for root in (_root(value), _root(around)):
        assert root.lo**2 <= value <= root.hi**2
        assert (root.hi - root.lo) * 2**50 <= root.hi
    assert _root(Fraction(0)).lo == 0
    assert _root(Fraction(0)).hi <= Fraction(1, 2**52)
