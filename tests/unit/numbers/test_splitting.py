"""Binomial tails and two-coin sums by binary splitting against plain sums."""

from fractions import Fraction
from itertools import accumulate
from math import comb, factorial, gcd

import pytest
from flint import fmpz
from hypothesis import example, given, settings
from hypothesis import strategies as st

from exactdp.numbers import splitting
from exactdp.numbers.splitting import (
    TwoCoins,
    binomial_half_line,
    binomial_half_line_masses,
    binomial_head,
    binomial_weight,
)
from exactdp.testing import probabilities
from tests.expensive import one_in

INNER = probabilities().filter(lambda p: 0 < p < 1)
SEMIPRIME = (2**61 - 1) * (2**89 - 1)
DENOMINATORS = (2, 3, 6, 8, 12, 101, 10**6, 2**53, 2**61 - 1, SEMIPRIME)
EXP_EPS = st.fractions(Fraction(0), Fraction(50), max_denominator=30)


@st.composite
def inner(draw):
    """Probabilities in (0, 1) over small, prime, dyadic and large composite denominators."""
    denominator = draw(st.sampled_from(DENOMINATORS))
    return Fraction(draw(st.integers(1, denominator - 1)), denominator)


def binomial(n, p):
    return [comb(n, t) * p**t * (1 - p) ** (n - t) for t in range(n + 1)]


def head(law, k):
    return sum(law[: max(k + 1, 0)], Fraction(0))


def sum_of_two(k, b, rest, a):
    law = [Fraction(0)] * (k + rest + 1)
    for i, x in enumerate(binomial(k, b)):
        for j, y in enumerate(binomial(rest, a)):
            law[i + j] += x * y
    return law


def large_heads(n, p):
    """D^n P[Y <= k] for k = 0, ..., n."""
    success, failure = p.numerator, p.denominator - p.numerator
    return list(accumulate(comb(n, t) * success**t * failure ** (n - t) for t in range(n + 1)))


@one_in(2)
@given(st.integers(1, 60), INNER, st.data())
def test_binomial_head(n, p, data):
    k = data.draw(st.integers(0, n - 1))
    assert binomial_head(n, p, k) == head(binomial(n, p), k)


@one_in(2)
@given(st.integers(0, 60), st.one_of(probabilities(), inner()), st.data())
@example(5, Fraction(0), None)
@example(5, Fraction(1), None)
def test_binomial_weight(n, p, data):
    k = n if data is None else data.draw(st.integers(0, n))
    assert binomial_weight(n, p, k) == binomial(n, p)[k]


@given(st.integers(0, 40), inner(), st.integers(-3, 44), st.integers(1, 46), EXP_EPS)
@example(40, Fraction(1, 3), 5, 6, Fraction(2))  # the shift is longer than the half-line
@example(40, Fraction(1, 3), 38, 30, Fraction(2))  # two tails have fewer terms than one and the weights between
@example(40, Fraction(1, 3), 42, 1, Fraction(2))  # all of both
@example(40, Fraction(1, 3), 42, 20, Fraction(2))  # all of one
@example(6, Fraction(1, 6), 3, 1, Fraction(7, 12))  # E and p have primes of their denominators in common
@settings(max_examples=120)
def test_half_lines(n, p, k, shift, exp_eps):
    law = binomial(n, p)
    first, second = head(law, k), head(law, k - shift)
    assert binomial_half_line_masses(n, p, k, shift) == (first, second)
    # Fractions are equal when their numerators and denominators are: this sees a missing reduction too.
    assert binomial_half_line(n, p, k, shift, exp_eps) == first - exp_eps * second


@pytest.mark.parametrize(
    ("n", "p"),
    [
        (129, Fraction(1, 3)),
        (300, Fraction(3, 4)),
        (300, Fraction(10**15 + 1, 2**53)),
        (260, Fraction(5, SEMIPRIME)),
        (700, Fraction(1, 3)),
    ],
)
def test_half_lines_of_several_leaves(n, p):
    heads, total = large_heads(n, p), p.denominator**n
    for k in (1, 63, 127, 128, 129, n // 3, n // 2, n // 2 + 1, n - 65, n - 2, n - 1, n):
        for shift in (1, 2, 64, 129, 200):
            first = heads[k]
            second = heads[k - shift] if k >= shift else 0
            line = binomial_half_line(n, p, k, shift, Fraction(7, 6))
            assert line == Fraction(6 * first - 7 * second, 6 * total)
            masses = binomial_half_line_masses(n, p, k, shift)
            assert masses == (Fraction(first, total), Fraction(second, total))


def test_half_line_of_ten_thousand_trials():
    n, p, k = 10**4, Fraction(1, 3), 2000
    first = sum(comb(n, t) << (n - t) for t in range(k + 1))
    second = first - (comb(n, k) << (n - k))
    assert binomial_half_line(n, p, k, 1, Fraction(3, 2)) == Fraction(2 * first - 3 * second, 2 * 3**n)


def test_another_half_line_is_another_number():
    line = binomial_half_line(500, Fraction(1, 3), 200, 3, Fraction(2))
    for n, k, shift in ((500, 200, 2), (500, 200, 4), (500, 199, 3), (500, 201, 3), (501, 200, 3)):
        assert binomial_half_line(n, Fraction(1, 3), k, shift, Fraction(2)) != line
    assert binomial_half_line(500, Fraction(1, 3), 200, 3, 2 + Fraction(1, 10**300)) != line


def test_a_leaf_divided_by_too_much_is_seen(monkeypatch):
    expected = Fraction(large_heads(600, Fraction(1, 3))[250], 3**600)
    assert binomial_head(600, Fraction(1, 3), 250) == expected
    monkeypatch.setattr(splitting, "_common_divisor", lambda size: fmpz(factorial(size)))
    assert binomial_head(600, Fraction(1, 3), 250) != expected


def test_a_fraction_left_unreduced_is_seen(monkeypatch):
    heads = large_heads(300, Fraction(1, 3))
    k = next(k for k in range(1, 300) if heads[k] % 3 == 0)
    assert binomial_head(300, Fraction(1, 3), k) == Fraction(heads[k], 3**300)
    monkeypatch.setattr(splitting, "_common_with_power", lambda value, base, exponent: fmpz(1))
    assert binomial_head(300, Fraction(1, 3), k) != Fraction(heads[k], 3**300)


def test_half_line_of_mass_zero():
    first, second = binomial_half_line_masses(300, Fraction(1, 3), 120, 2)
    line = binomial_half_line(300, Fraction(1, 3), 120, 2, first / second)
    assert (line.numerator, line.denominator) == (0, 1)
    line = binomial_half_line(300, Fraction(1, 3), -1, 2, Fraction(5, 2))
    assert (line.numerator, line.denominator) == (0, 1)


@given(st.integers(0, 2**200), st.sampled_from(DENOMINATORS), st.integers(0, 400), st.integers(0, 400))
@example(1, 6, 200, 150)
@example(2**500, 6, 300, 1000)  # one prime of the base to a high power, the other not at all
@example(0, 3, 10, 100)
def test_common_divisor_with_a_power(cofactor, base, power, exponent):
    value = cofactor * base**power
    assert splitting._common_with_power(fmpz(value), fmpz(base), exponent) == gcd(value, base**exponent)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 16, 63, 64, 65, 127, 128])
def test_common_divisor_of_a_leaf(size):
    assert splitting._common_divisor(size) == gcd(*(factorial(r) * factorial(size - r) for r in range(size + 1)))


@given(st.integers(0, 40), INNER, st.integers(0, 40), INNER, st.data())
@one_in(3)
def test_two_coins(k, b, rest, a, data):
    m = data.draw(st.integers(0, k + rest))
    law = [*sum_of_two(k, b, rest, a), Fraction(0)]
    assert TwoCoins(k, b, rest, a).two_points_and_tail(m) == (law[m], law[m + 1], sum(law[m + 2 :]))
