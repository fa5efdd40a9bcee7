"""Intervals and dyadic numbers: proved order, outward rounding, sizes that no Fraction could have."""

import time
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.errors import InvalidValueError, TooLargeError, UndecidedError
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval
from tests.expensive import one_in

DYADICS = st.builds(Dyadic.of, st.integers(-(2**70), 2**70), st.integers(-90, 90))
HUGE = st.builds(Dyadic.of, st.integers(-(2**70), 2**70), st.sampled_from([-(10**12), -(10**9), 0, 10**9, 10**12]))


def exact(value):
    return Fraction(value.mantissa) * Fraction(2) ** value.exponent


def sign(value):
    return (value > 0) - (value < 0)


@given(DYADICS, DYADICS)
def test_order_of_dyadic_numbers(a, b):
    assert a.compare(b) == sign(exact(a) - exact(b))
    assert a.fraction() == exact(a)
    assert (a == b) == (exact(a) == exact(b))


@one_in(2)
@given(DYADICS, st.fractions())
def test_order_against_fractions(a, value):
    assert a.compare(value) == sign(exact(a) - value)
    assert a.compare(value.numerator) == sign(exact(a) - value.numerator)


@one_in(2)
@given(st.fractions(), st.integers(1, 200))
def test_below_and_above(value, bits):
    low, high = Dyadic.below(value, bits), Dyadic.above(value, bits)
    assert exact(low) <= value <= exact(high)
    assert (exact(high) - exact(low)) * 2 ** (bits - 1) <= abs(value)


@given(HUGE, HUGE)
def test_huge_exponents_are_ordered(a, b):
    key_a = (sign(a.mantissa), sign(a.mantissa) * a.magnitude if a.mantissa else 0)
    key_b = (sign(b.mantissa), sign(b.mantissa) * b.magnitude if b.mantissa else 0)
    if key_a != key_b:
        assert a.compare(b) == (1 if key_a > key_b else -1)
    assert a.compare(b) == -b.compare(a)


def test_huge_exponents_are_fast():
    began = time.perf_counter()
    tiny = Interval(Dyadic.of(3, -(10**15)), Dyadic.of(5, -(10**15)))
    assert tiny > 0
    assert tiny < Fraction(1, 10**400)
    assert not tiny.is_point
    assert Fraction(0) not in tiny
    low, high = tiny.decimals()
    assert Decimal(low) <= Decimal(high)
    assert repr(tiny).startswith("Interval[")
    with pytest.raises(TooLargeError):
        _ = tiny.lo
    assert time.perf_counter() - began < 1


@given(DYADICS, st.integers(1, 40))
def test_decimals_are_rounded_outward(value, digits):
    low, high = value.decimal(digits, up=False), value.decimal(digits, up=True)
    assert Fraction(Decimal(low)) <= exact(value) <= Fraction(Decimal(high))
    width = Fraction(Decimal(high)) - Fraction(Decimal(low))
    assert width * 10 ** (digits - 1) <= 2 * max(abs(Fraction(Decimal(low))), abs(Fraction(Decimal(high))))


@given(st.integers(-3000, 3000))
def test_powers_of_two_are_rounded_outward(exponent):
    for mantissa in (1, -1, 2**80 + 1):
        value = Dyadic.of(mantissa, exponent)
        assert Fraction(Decimal(value.decimal(12, up=False))) <= exact(value)
        assert exact(value) <= Fraction(Decimal(value.decimal(12, up=True)))


@one_in(2)
@given(st.fractions(), st.integers(1, 200))
def test_around(value, bits):
    interval = Interval.around(value, relative_bits=bits)
    assert value in interval
    assert interval.lo <= value <= interval.hi
    assert (interval.hi - interval.lo) * 2**bits <= min(abs(interval.lo), abs(interval.hi))
    assert (value == 0) == (interval.lo == 0 == interval.hi)


@one_in(2)
@given(DYADICS, DYADICS, DYADICS, DYADICS)
def test_only_proved_order(a, b, c, d):
    first = Interval(*sorted((a, b), key=exact))
    second = Interval(*sorted((c, d), key=exact))
    lo, hi = first.lo, first.hi
    always_less, never_less = hi < second.lo, lo >= second.hi
    if always_less or never_less:
        assert (first < second) is always_less
        assert (second > first) is always_less
    else:
        for compare in (lambda: first < second, lambda: second > first):
            with pytest.raises(UndecidedError):
                compare()
    at_most, above = hi <= second.lo, lo > second.hi
    if at_most or above:
        assert (first <= second) is at_most
        assert (second >= first) is at_most
    else:
        for compare in (lambda: first <= second, lambda: second >= first):
            with pytest.raises(UndecidedError):
                compare()
    order = first.compare(second)
    if order is None:
        assert not always_less
        assert not above
    else:
        assert order == sign(lo - second.lo)


def test_an_undecided_comparison_is_never_false():
    third = Interval.around(Fraction(1, 3), relative_bits=10)
    with pytest.raises(UndecidedError):
        _ = third < Fraction(1, 3)
    with pytest.raises(UndecidedError):
        bool(third)
    with pytest.raises(UndecidedError):
        _ = third > third
    assert third.compare(Fraction(1, 3)) is None
    assert third == Interval.around(Fraction(1, 3), relative_bits=10)
    assert third != Interval.around(Fraction(1, 3), relative_bits=11)
    assert third != Fraction(1, 3)


def test_a_point_is_decided():
    half = Interval.around(Fraction(1, 2), relative_bits=1)
    assert half.is_point
    assert half.compare(Fraction(1, 2)) == 0
    assert half <= Fraction(1, 2) <= half
    assert not half < Fraction(1, 2)


@pytest.mark.parametrize("other", [0.5, True, "1/2", None])
def test_order_with_other_things_is_a_type_error(other):
    half = Interval.around(Fraction(1, 2), relative_bits=1)
    for compare in (lambda: half < other, lambda: half >= other, lambda: half.compare(other)):
        with pytest.raises(TypeError):
            compare()


def test_ends_in_the_wrong_order_are_refused():
    with pytest.raises(InvalidValueError):
        Interval(Dyadic.of(1), Dyadic.of(0))


def test_floats_are_for_display():
    assert float(Interval.around(Fraction(1, 3), relative_bits=60)) == pytest.approx(1 / 3)
    assert float(Interval(Dyadic.of(1, -5000), Dyadic.of(1, -5000))) == 0.0


@pytest.mark.parametrize(
    ("first", "second", "ends"),
    [
        ((0, 8), (2, 4), (2, 8)),
        ((0, 4), (2, 8), (2, 8)),
        ((0, 2), (4, 8), (4, 8)),
        ((1, 3), (1, 3), (1, 3)),
    ],
)
def test_the_larger_of_two_numbers_lies_between_the_larger_ends(first, second, ends):
    one, other = (Interval(Dyadic.of(low), Dyadic.of(high)) for low, high in (first, second))
    for found in (Interval.maximum(one, other), Interval.maximum(other, one)):
        assert (found.lo, found.hi) == ends
