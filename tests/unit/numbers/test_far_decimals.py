"""Decimal ends of numbers beyond the range of the decimal module."""

from decimal import Decimal

import pytest

from exactdp import Geometric
from exactdp.numbers.dyadic import Dyadic


def test_a_number_below_the_range_keeps_its_sign():
    assert str(Geometric("1/2").sf(10**30)) == (
        "[1.606731233e-301029995663981195213738894725, 1.606731234e-301029995663981195213738894725]"
    )


@pytest.mark.parametrize("exponent", [10**17 + 3, 7 - 10**17, 12345, -12345])
@pytest.mark.parametrize("mantissa", [3, -7, 12345678901])
@pytest.mark.parametrize("up", [False, True])
def test_both_ways_agree_where_both_are_in_range(exponent, mantissa, up):
    number = Dyadic.of(mantissa, exponent)
    assert Decimal(number._far_decimal(12, up=up)) == Decimal(number.decimal(12, up=up))
