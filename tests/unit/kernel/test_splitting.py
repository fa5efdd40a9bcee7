"""Binomial tails and two-coin sums by binary splitting against plain sums."""

from fractions import Fraction
from math import comb

from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.kernel.splitting import TwoCoins, binomial_head
from exactdp.testing import probabilities

INNER = probabilities().filter(lambda p: 0 < p < 1)


def binomial(n, p):
    return [comb(n, t) * p**t * (1 - p) ** (n - t) for t in range(n + 1)]


def sum_of_two(k, b, rest, a):
    law = [Fraction(0)] * (k + rest + 1)
    for i, x in enumerate(binomial(k, b)):
        for j, y in enumerate(binomial(rest, a)):
            law[i + j] += x * y
    return law


@given(st.integers(1, 60), INNER, st.data())
def test_binomial_head(n, p, data):
    k = data.draw(st.integers(0, n - 1))
    assert binomial_head(n, p, k) == sum(binomial(n, p)[: k + 1])


@given(st.integers(0, 40), INNER, st.integers(0, 40), INNER, st.data())
@settings(max_examples=60)
def test_two_coins(k, b, rest, a, data):
    m = data.draw(st.integers(0, k + rest))
    law = [*sum_of_two(k, b, rest, a), Fraction(0)]
    assert TwoCoins(k, b, rest, a).two_points_and_tail(m) == (law[m], law[m + 1], sum(law[m + 2 :]))
