"""Roots of what a calibration saves."""

from fractions import Fraction

import pytest

from exactdp import calibrate
from exactdp.calibration.savings import _root, factor, savings
from exactdp.numbers.interval import Interval


@pytest.mark.parametrize("value", [Fraction(2), Fraction(1, 10**60), Fraction(10**60, 3), Fraction(9, 4)])
def test_a_root_is_enclosed_to_53_bits(value):
    around = Interval.around(value, relative_bits=80)
    for root in (_root(value), _root(around)):
        assert root.lo**2 <= value <= root.hi**2
        assert (root.hi - root.lo) * 2**50 <= root.hi
    assert _root(Fraction(0)).lo == 0
    assert _root(Fraction(0)).hi <= Fraction(1, 2**52)


@pytest.mark.parametrize(
    ("published", "exact"), [(Fraction(7, 3), Fraction(2, 5)), (Fraction(1, 9), Fraction(10**9, 7))]
)
def test_a_factor_is_the_quotient_and_contains_it_for_intervals(published, exact):
    ends = [Interval.around(value, relative_bits=20) for value in (published, exact)]
    for first, second in ((published, exact), (ends[0], exact), (published, ends[1]), tuple(ends)):
        found = factor(first, second)
        assert found.lo <= published / exact <= found.hi
        assert (found.hi - found.lo) * 2**17 <= found.hi
    assert factor(ends[0], ends[1]).hi >= ends[0].hi / ends[1].lo
    assert factor(ends[0], ends[1]).lo <= ends[0].lo / ends[1].hi
    assert factor(None, exact) is factor(published, None) is factor(published, Fraction(0)) is None


def test_what_is_compared_depends_on_what_is_calibrated():
    found = calibrate("zsum", n=20_000, eps=1, delta="1e-6")
    rows = {
        row.name: row for row in savings(found, eps=Fraction(1), delta=Fraction(1, 10**6), beta=Fraction(1, 20)).rows
    }
    assert len(rows) > 1
    compared = [row for row in rows.values() if row.theorem is not None]
    assert compared
    for row in compared:
        assert row.factor is not None
        assert row.factor.compare(1) == 1
