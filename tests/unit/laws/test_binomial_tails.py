"""Bounds of binomial tails: never below the exact tail, and hardly above it."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.laws.binomial import Binomial
from exactdp.laws.tails import binomial_tail_bound
from tests.expensive import one_in


@one_in(2)
@given(st.integers(1, 300), st.integers(1, 40), st.integers(41, 60), st.data())
def test_it_is_just_above_the_tail(n: int, a: int, b: int, data: st.DataObject) -> None:
    p = Fraction(a, b)
    k = data.draw(st.integers((n * p).__ceil__(), n))
    ratio = binomial_tail_bound(n, p, k) / Binomial(n, p).exact_sf(k - 1)
    assert 1 <= ratio < 1 + Fraction(1, 2**26)


@pytest.mark.parametrize("k", [5700, 5800, 6300, 10**4])
def test_so_is_it_of_many(k: int) -> None:
    exact = Binomial(10**4, "4/7").sf(k - 1, relative_bits=64)
    bound = binomial_tail_bound(10**4, Fraction(4, 7), k) if k > 10**4 * 4 / 7 else exact.hi
    assert exact.lo <= bound < exact.hi * (1 + Fraction(1, 2**26))
