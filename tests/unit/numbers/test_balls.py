"""Enclosures of exp and log against 60 digits of another library."""

from fractions import Fraction

import flint
import mpmath
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers import balls
from exactdp.numbers.balls import (
    at_precision,
    compare_reals,
    enclose_real,
    enclosed,
    floor_real,
    log_interval,
    precision,
    rational_ball,
)
from exactdp.numbers.real import Real
from tests.expensive import one_in
from tests.oracles import high_precision


@one_in(2)
@given(st.fractions(-30, 30), st.integers(1, 190))
def test_exp(x, bits):
    interval = enclose_real(Real.exp(x), relative_bits=bits)
    assert (interval.hi - interval.lo) * 2**bits <= interval.lo
    with high_precision.sixty_digits():
        assert high_precision.contains(interval, mpmath.exp(high_precision.number(x)))


@one_in(2)
@given(st.fractions(Fraction(1, 10**6), 10**6), st.integers(1, 150))
def test_log(x, bits):
    interval = log_interval(x, relative_bits=bits)
    assert (interval.hi - interval.lo) * 2**bits <= min(abs(interval.lo), abs(interval.hi))
    with high_precision.sixty_digits():
        assert high_precision.contains(interval, mpmath.log(high_precision.number(x)))


@pytest.mark.parametrize("tiny", [Fraction(1, 10**50), Fraction(-1, 10**50), Fraction(1, 3**700)])
def test_log_near_one_keeps_its_relative_accuracy(tiny):
    interval = log_interval(1 + tiny, relative_bits=80)
    assert (interval.hi - interval.lo) * 2**80 <= abs(interval.lo)
    assert interval.lo <= tiny  # ln(1 + x) <= x
    assert tiny - tiny * tiny <= interval.hi  # and >= x - x^2 for |x| <= 1/2
    assert (interval.lo > 0) == (tiny > 0)


def test_log_of_one_is_zero():
    assert log_interval(Fraction(1), relative_bits=5).is_point


def test_the_precision_of_the_library_is_put_back():
    before = flint.ctx.prec
    enclose_real(Real.exp(Fraction(1, 3)), relative_bits=1000)
    with pytest.raises(TooLargeError):
        enclose_real(Real.exp(Fraction(1, 3)), relative_bits=2**25)
    assert flint.ctx.prec == before


def test_extreme_arguments():
    big = enclose_real(Real.exp(10**9), relative_bits=30)
    small = enclose_real(Real.exp(-(10**9)), relative_bits=30)
    assert big > 10**300
    assert Fraction(0) not in small
    assert small < Fraction(1, 10**300)
    assert log_interval(Fraction(10) ** 5000, relative_bits=30) > 11512


REALS = [
    (Real(0), Fraction(0)),
    (Real("-7/3"), Fraction(-7, 3)),
    (Real("5/2"), Fraction(5, 2)),
    (Real.exp(1), Fraction(2718281828459045, 10**15)),
    (Real.exp("-1/2"), Fraction(606530659712633, 10**15)),
    (-3 * Real.exp("1/3"), -3 * Fraction(1395612425086089, 10**15)),
    (1 + Real.exp(1), Fraction(3718281828459045, 10**15)),
    (Real.log(7), Fraction(1945910149055313, 10**15)),
    (Real.log(7) - 2, Fraction(-54089850944687, 10**15)),
]


def test_real_numbers_are_in_their_order():
    for left, near_left in REALS:
        for right, near_right in REALS:
            expected = (near_left > near_right) - (near_left < near_right)
            assert compare_reals(left, right) == expected


@pytest.mark.parametrize("digits", [20, 200, 3000])
def test_near_numbers_are_told_apart(digits):
    """Numbers that agree to many digits; powers of e are compared however near they are."""
    little = Fraction(1, 10**digits)
    assert compare_reals(Real.exp(little), 1 + little) == 1  # e^x > 1 + x
    assert compare_reals(1 + little, Real.exp(little)) == -1
    assert compare_reals(Real.exp(-little), 1 - little) == 1
    assert compare_reals(2 * Real.exp(little), Real(2)) == 1
    assert compare_reals(-Real.exp(little), -1 - little) == -1
    if digits < 2000:
        assert compare_reals(Real.log(2 + little), Real.log(2)) == 1
    assert compare_reals(Real(1), 1 - little) == 1


def test_equal_expressions_of_two_forms_are_not_decided():
    """ln 4 = 2 ln 2 is found by no number of bits."""
    assert compare_reals(Real.log(4), Real.log(4)) == 0
    assert compare_reals(Real.exp("1/2") * Real.exp("1/2"), Real.exp(1)) == 0
    with pytest.raises(UndecidedError, match="agree to 16384 bits, and nothing decides which is larger"):
        compare_reals(Real.log(4), 2 * Real.log(2))
    with pytest.raises(UndecidedError, match="is an integer to 8192 bits, or just below one"):
        floor_real(Real.log(4) / Real.log(2))


def test_floors():
    for value, near in REALS:
        assert floor_real(value) == near.__floor__()
    assert floor_real(Real(-3)) == -3
    assert floor_real(10**40 + Real.exp("-1/2")) == 10**40
    assert floor_real(Real.exp(Fraction(1, 10**40))) == 1
    assert floor_real(Real.exp(Fraction(-1, 10**40))) == 0


@one_in(2)
@given(st.integers(-(2**90), 2**90).filter(bool), st.integers(-80, 80), st.integers(0, 2**60), st.integers(-200, 0))
@example(2**89 + 1, 3, 0, 0)  # a point of more bits than are kept
def test_an_interval_of_a_ball_contains_it_and_hardly_more(middle, exponent, radius, smaller):
    """The ends of a ball, exactly, at a precision that holds both."""
    reach = Fraction(radius) * Fraction(2) ** (exponent + smaller)
    center = Fraction(middle) * Fraction(2) ** exponent
    with balls.precision(2000):
        ball = rational_ball(center) + flint.arb(0, rational_ball(reach))
        mantissa, power = map(int, ball.rad().man_exp())
        reach = Fraction(mantissa) * Fraction(2) ** power  # rounded up by a little
        found = balls.interval_of(ball, 30)
    slack = abs(center) / 2**59
    assert center - reach - 2 * slack <= found.lo <= center - reach
    assert center + reach <= found.hi <= center + reach + 2 * slack
    if not reach:
        assert found.lower.mantissa.bit_length() <= 64


def test_a_computation_is_repeated_until_it_is_accurate():
    asked = []

    def slowly():
        asked.append(int(flint.ctx.prec))
        return (rational_ball(1 + Fraction(1, 10**300)) - 1) if asked[-1] < 5000 else flint.arb(10) ** -300

    found = enclosed(slowly, 100)
    assert found.lo <= Fraction(1, 10**300) <= found.hi
    assert (found.hi - found.lo) * 2**100 <= found.lo
    assert asked == sorted(set(asked))
    with pytest.raises(TooLargeError, match="cost 385 bits of accuracy, more than the limit of 384"):
        enclosed(slowly, 100, lost_bits=385)
    with pytest.raises(TooLargeError, match="more than the limit of 1024"):
        enclosed(slowly, 100, lost_bits=1025, most=balls.MAX_LOST_BITS_OF_A_VALUE)


def test_what_is_kept_at_a_precision_is_computed_once_there() -> None:
    asked: list[int] = []

    class Third:
        @at_precision
        def ball(self) -> flint.arb:
            asked.append(int(flint.ctx.prec))
            return flint.arb(1) / 3

    third = Third()
    for bits in (64, 128, 64):
        with precision(bits):
            assert third.ball.rel_accuracy_bits() >= bits - 2
            assert third.ball is third.ball
    assert asked == [64, 128]
    with precision(64):
        assert Third().ball is not third.ball
