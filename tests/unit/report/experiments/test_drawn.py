"""Intervals from draws: the order statistics cover what they say, exactly, and no closer ranks do."""

from collections.abc import Callable
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.errors import TooLargeError
from exactdp.report.experiments.drawn import (
    RISK,
    Drawing,
    Sampled,
    distances,
    failure_frequency,
    quantile_ranks,
    sampled_quantile,
)
from tests.expensive import one_in
from tests.together import together


def at_most(count: int, trials: int, p: Fraction) -> Fraction:
    """P[Bin(trials, p) <= count], by its definition."""
    return sum((comb(trials, t) * p**t * (1 - p) ** (trials - t) for t in range(count + 1)), Fraction(0))


LAWS: dict[str, Callable[[int], Fraction]] = {  # P[X <= x]
    "uniform on 1..20": lambda x: Fraction(min(max(x, 0), 20), 20),
    "an atom at the quantile": lambda x: Fraction(0) if x < 1 else Fraction(1, 2) if x < 19 else Fraction(1),
    "just above": lambda x: Fraction(0) if x < 1 else Fraction(949, 1000) if x < 19 else Fraction(1),
}


@together("law", LAWS.values(), ids=LAWS.keys())
@together("draws", [5, 60, 150])
@together("risk", [Fraction(1, 10), Fraction(1, 1000)])
def test_the_interval_covers_the_quantile_of_any_law(law: Callable[[int], Fraction], draws: int, risk: Fraction):
    beta = Fraction(1, 20)
    x = next(x for x in range(30) if 1 - law(x) <= beta)
    low, high = quantile_ranks(draws, beta, risk)
    above = at_most(low - 1, draws, law(x)) if low >= 1 else Fraction(0)  # X_(low) > x
    below = 1 - at_most(high - 1, draws, law(x - 1)) if high <= draws else Fraction(0)  # X_(high) < x
    assert above <= risk / 2
    assert below <= risk / 2


@pytest.mark.parametrize("draws", [60, 150])
def test_no_closer_ranks_would_do(draws: int):
    beta, risk = Fraction(1, 20), Fraction(1, 10)
    low, high = quantile_ranks(draws, beta, risk)
    assert at_most(low, draws, 1 - beta) > risk / 2
    assert 1 - at_most(high - 2, draws, 1 - beta) > risk / 2


def test_too_few_draws_say_nothing_about_one_end():
    assert sampled_quantile(np.arange(10), Fraction(1, 20)).high is None
    assert sampled_quantile(np.arange(3), Fraction(1, 20)) == Sampled(None, None)
    assert Fraction(10**9) in Sampled(Fraction(1), None)


@one_in(2)
@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=20), st.fractions(0, 10**6, max_denominator=1000))
def test_distances_are_exact(values: list[int], center: Fraction):
    found, scale = distances(np.array(values), center)
    assert [Fraction(int(each), scale) for each in found] == [abs(value - center) for value in values]


def test_distances_beyond_64_bits_are_refused():
    with pytest.raises(TooLargeError, match=r"is beyond 64-bit integers\. Use a shorter denominator\."):
        distances(np.array([10**9]), Fraction(1, 2**40))


def test_a_point_is_the_same_whichever_others_are_drawn_and_another_seed_is_another_one():
    first, again, other = (
        Drawing(words[0], 1).generator(*words[1:]).integers(2**62) for words in ((1, 2, 3), (1, 2, 3), (2, 2, 3))
    )
    assert first == again != other


def test_the_frequency_interval_has_the_stated_risk():
    found = failure_frequency(7, 100)
    assert 1 - at_most(6, 100, found.lo) <= RISK / 2
    assert at_most(7, 100, found.hi) <= RISK / 2
    assert 1 - at_most(6, 100, found.lo * Fraction(1001, 1000)) > RISK / 2
    assert at_most(7, 100, found.hi * Fraction(999, 1000)) > RISK / 2
