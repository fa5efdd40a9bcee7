"""The integers and rationals of NumPy and SymPy are the exact numbers they are; floats of every library are refused."""

import subprocess
import sys
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy

import exactdp as xdp
from exactdp import protocols
from exactdp.errors import InexactNumberError
from exactdp.numbers.exact import as_fraction, as_integer

EXACT = [
    (np.int64(-7), Fraction(-7)),
    (np.uint8(3), Fraction(3)),
    (sympy.Integer(5), Fraction(5)),
    (sympy.Rational(-2, 6), Fraction(-1, 3)),
    (sympy.Rational(3**400, 7**400), Fraction(3**400, 7**400)),
    (sympy.S.Half, Fraction(1, 2)),
]
INEXACT = [
    (np.float64(0.25), "x=0.25 is a float and has been rounded already."),
    (np.float32(0.25), "x=0.25 is a float32 and has been rounded already."),
    (mpmath.mpf("0.25"), "x=0.25 is a mpf and has been rounded already."),
    (np.bool_(True), "is a bool, not a number. Pass 1 if you mean it."),
    (mpmath.mpi(1, 2), "x=[1.0, 2.0] is a mpi and has been rounded already."),
    (mpmath.mpc(1), "is a mpc and has been rounded already."),
]


@pytest.mark.parametrize(("value", "meant"), EXACT)
def test_integers_and_rationals_are_read_as_they_are(value, meant):
    read = as_fraction(value, name="x")
    assert read == meant
    assert {type(read), type(read.numerator), type(read.denominator)} == {Fraction, int}
    if meant.denominator == 1:
        assert type(as_integer(value, name="x")) is int


@pytest.mark.parametrize(("value", "message"), INEXACT)
def test_floats_and_what_is_no_number_are_refused_with_the_repair(value, message):
    with pytest.raises(InexactNumberError) as error:
        as_fraction(value, name="x")
    assert message in str(error.value)
    assert "Pass" in str(error.value)


def test_whatever_reads_exact_numbers_reads_them():
    plain = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 6)
    other = xdp.ShuffleProtocol(xdp.randomized_response(np.int32(2), gamma=sympy.S.Half), np.int64(6))
    assert plain == other
    exp_eps = sympy.Rational(3, 2)
    assert other.privacy_profile().delta(exp_eps=exp_eps) == plain.privacy_profile().delta(exp_eps="3/2")
    assert other.law({0: np.int64(6)}) == plain.law({0: 6})
    assert xdp.Binomial(np.int64(10), sympy.Rational(1, 3)).exact_cdf(np.int8(4)) == xdp.Binomial(10, "1/3").exact_cdf(
        4
    )
    claim = xdp.Claim.shuffle_dp(other, eps=sympy.Rational(1, 4), delta=sympy.Rational(1, 8))
    assert claim == xdp.Claim.shuffle_dp(plain, eps="1/4", delta="1/8")


def test_estimates_read_what_sample_draws():
    response, zsum = protocols.k_ary(20, 2, gamma="1/2"), protocols.zsum(20, gamma="1/4")
    histogram = protocols.histogram(20, 3, gamma="1/4")
    for protocol, dataset in ((response, {0: 20}), (zsum, {1: 20}), (histogram, {2: 20})):
        row = xdp.sample(protocol, dataset, size=1, rng=np.random.default_rng(1))[0]
        estimate = protocol.estimate(row)
        assert estimate == protocol.estimate(row.tolist())
        assert all(type(number.numerator) is int for number in np.ravel(estimate))
    with pytest.raises(xdp.ExactDPError, match=r"the count of message 0 is 7\.5\. Give an int"):
        zsum.estimate(np.array([7.5]))


def test_reading_them_loads_neither_library():
    code = (
        "import exactdp, sys, fractions\n"
        "exactdp.Binomial(3, fractions.Fraction(1, 3)).exact_cdf(1)\n"
        "print({'numpy', 'sympy', 'mpmath'} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
