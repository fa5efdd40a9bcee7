"""Enclosures of exp and log against 60 digits of another library."""

from fractions import Fraction

import flint
import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.errors import TooLargeError
from exactdp.kernel.balls import enclose_real, log_interval
from exactdp.numbers.real import Real
from tests.oracles import high_precision


@given(st.fractions(-30, 30), st.integers(1, 190))
def test_exp(x, bits):
    interval = enclose_real(Real.exp(x), relative_bits=bits)
    assert (interval.hi - interval.lo) * 2**bits <= interval.lo
    with high_precision.sixty_digits():
        assert high_precision.contains(interval, mpmath.exp(high_precision.number(x)))


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
