"""Decimal ends of numbers beyond the range of the decimal module."""

from decimal import Decimal

from mpmath import mp, mpf

from exactdp import Geometric
from exactdp.numbers.dyadic import _WORKING_DIGITS, Dyadic
from tests.together import together


def test_a_number_below_the_range_keeps_its_sign():
    assert str(Geometric("1/2").sf(10**30)) == (
        "[1.606731233e-301029995663981195213738894725, 1.606731234e-301029995663981195213738894725]"
    )


@together("exponent", [10**17 + 3, 7 - 10**17, 12345, -12345])
@together("mantissa", [3, -7, 12345678901])
@together("up", [False, True])
def test_both_ways_agree_where_both_are_in_range(exponent, mantissa, up):
    number = Dyadic.of(mantissa, exponent)
    assert Decimal(number._far_decimal(12, up=up)) == Decimal(number.decimal(12, up=up))


@together("exponent", [10**18 + 1, -(10**18) - 7, 3 * 10**40 + 5, -(10**60)])
@together("mantissa", [1, 3, -7, 12345678901])
@together("digits", [12, 40, _WORKING_DIGITS, _WORKING_DIGITS + 17])
def test_the_ends_enclose_the_number_to_every_digit(exponent, mantissa, digits):
    """As many digits as the work is done with show on which side of the number the slack is."""
    number = Dyadic.of(mantissa, exponent)
    with mp.workdps(300):
        logarithm = mp.log10(abs(mantissa)) + exponent * mp.log10(2)
        for up in (False, True):
            leading, power = number._far_decimal(digits, up=up).split("e")
            found = mp.log10(abs(mpf(leading))) + int(power)
            is_beyond = found > logarithm if up == (mantissa > 0) else found < logarithm
            assert is_beyond or found == logarithm
            assert abs(found - logarithm) < mpf(10) ** (1 - min(digits, _WORKING_DIGITS // 2))
