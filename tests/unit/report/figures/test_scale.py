"""From exact numbers to floats: the ends are on the right side, however small the number is."""

from fractions import Fraction
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval
from exactdp.report.figures.data import float_ends, log10_ends, number_words, power_words
from tests.expensive import one_in

positive = st.builds(
    lambda mantissa, exponent: Fraction(mantissa) * Fraction(2) ** exponent,
    st.fractions(Fraction(1, 1000), 1000, max_denominator=10**6),
    st.integers(-3000, 300),
)


@one_in(2)
@given(positive)
def test_log10_is_between_its_ends(value: Fraction) -> None:
    low, high = log10_ends(value)
    with mp.workdps(60):
        exact = mp.log10(mpf(value.numerator) / value.denominator)
        assert mpf(low) <= exact <= mpf(high)
        assert high - low <= 1e-12 * max(1, abs(exact))


@one_in(2)
@given(positive, st.integers(2, 60))
def test_log10_of_an_interval_covers_both_ends(value: Fraction, bits: int) -> None:
    interval = Interval.around(value, relative_bits=bits)
    low, high = log10_ends(interval)
    assert low <= log10_ends(interval.lo)[1]
    assert high >= log10_ends(interval.hi)[0]


@pytest.mark.parametrize("power", [-332_193, -(10**9), 10**9])
def test_log10_far_beyond_floats(power: int) -> None:
    low, high = log10_ends(Interval(Dyadic(1, power), Dyadic(1, power)))
    with mp.workdps(40):
        exact = power * mp.log10(2)
        assert mpf(low) <= exact <= mpf(high)
    assert abs(high - low) < 1e-6


def test_log10_of_zero_and_one() -> None:
    assert log10_ends(0) == (-inf, -inf)
    low, high = log10_ends(1)
    assert low <= 0 <= high
    assert high - low < 1e-15


@one_in(2)
@given(st.fractions(max_denominator=10**9))
def test_floats_are_rounded_outward(value: Fraction) -> None:
    low, high = float_ends(value)
    assert Fraction(low) < value < Fraction(high)
    interval = Interval.around(value, relative_bits=20)
    low, high = float_ends(interval)
    assert Fraction(low) < interval.lo
    assert interval.hi < Fraction(high)


def test_floats_of_a_number_below_every_float() -> None:
    low, high = float_ends(Interval(Dyadic(1, -(10**6)), Dyadic(1, -(10**6))))
    assert low <= 0 < high < 1e-300


@one_in(2)
@given(positive, st.integers(1, 5))
def test_words_are_rounded_up_and_close(value: Fraction, digits: int) -> None:
    text = number_words(value, digits)
    mantissa, _, power = text.replace("×10", "|").partition("|")
    if text.startswith("10") and any(c in text for c in "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"):
        mantissa, power = "1", text[2:]
    exponent = int(power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")) or 0)
    shown = Fraction(mantissa) * Fraction(10) ** exponent
    assert value <= shown <= value * (1 + Fraction(10) ** (1 - digits))


def test_words_of_round_numbers() -> None:
    assert [number_words(Fraction(x)) for x in ("1/20", "725", "1/1000000", "0", "123456")] == [
        "0.05", "725", "10⁻⁶", "0", "123456",
    ]  # fmt: skip
    assert [power_words(x) for x in (0, 1, -12, 300)] == ["1", "10", "10⁻¹²", "10³⁰⁰"]
