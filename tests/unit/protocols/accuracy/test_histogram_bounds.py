"""The two bounds that enclose a histogram's optimum, each by its definition in exact fractions; unions by mpmath."""

from fractions import Fraction
from functools import cache
from math import comb

import mpmath
import pytest
from scipy import stats

from exactdp.errors import UndecidedError
from exactdp.numbers.interval import Interval
from exactdp.protocols.accuracy import optimal as accuracy
from exactdp.protocols.accuracy.optimal import _union, histogram_optimum
from tests.oracles import high_precision
from tests.thinned import thinned

TINY = Fraction(1, 2**90)


@cache
def beyond(n: int, gamma: Fraction, t: int) -> Fraction:
    """P[Bin(n, gamma) > t]."""
    return sum((comb(n, i) * gamma**i * (1 - gamma) ** (n - i) for i in range(max(t + 1, 0), n + 1)), Fraction(0))


def failing(n: int, d: int, gamma: Fraction, t: int, *, upper: bool) -> Fraction:
    """What the theorem proves of the probability that some bin errs by more than t users."""
    size = t + 1
    all_of_them = upper or n // size < d or n == size * d
    return 1 - (1 - beyond(n, gamma, t)) ** (min(d, n // size) if all_of_them else d - 1)


def bounds(n: int, d: int, gamma: Fraction, beta: Fraction) -> tuple[Fraction, Fraction]:
    """The ends that the theorem proves, in users: an upper bound only from n gamma on, lower bounds everywhere."""
    mean = n * gamma
    first = mean.__ceil__()

    def least(start: int, *, upper: bool) -> Fraction:
        return Fraction(next(t for t in range(start, n + 1) if failing(n, d, gamma, t, upper=upper) <= beta))

    if failing(n, d, gamma, first - 1, upper=False) > beta:
        return least(first, upper=False), least(first, upper=True)
    floor = mean.__floor__()
    return least(0, upper=False), mean if failing(n, d, gamma, floor, upper=True) <= beta else least(floor, upper=True)


@pytest.mark.parametrize(
    ("n", "d", "gamma"),
    thinned(
        [
            (5, 2, Fraction(1, 10)),
            (6, 3, Fraction(1, 3)),
            (8, 3, Fraction(4, 5)),
            (9, 2, Fraction(2, 3)),
            (12, 4, Fraction(1, 3)),
            (12, 30, Fraction(1, 10)),
        ],
        every=2,
    ),
)
def test_both_ends_are_the_bounds_of_the_theorem(n, d, gamma):
    equalities = {failing(n, d, gamma, t, upper=upper) for t in range(n) for upper in (False, True)}
    betas = {p + step for p in sorted(equalities)[::2] for step in (-TINY, 0) if 0 < p + step < 1}
    for beta in betas:
        low, high = bounds(n, d, gamma, beta)
        found = histogram_optimum(n, d, gamma, beta)
        if isinstance(found, Interval):
            assert found.lo <= low / n <= found.lo * (1 + Fraction(1, 2**60))
            assert found.hi * (1 - Fraction(1, 2**60)) <= high / n <= found.hi
        else:
            assert found == low / n == high / n
        assert isinstance(found, Interval) == (low < high)


@pytest.mark.parametrize("first", [Fraction(1, 1000), Fraction(1, 3), Fraction(9, 10), Fraction(5, 2)])
@pytest.mark.parametrize("power", [7, 10**6, 10**12])
def test_a_union_of_independent_events_is_compared_to_twelve_digits(first, power):
    tail = first / power
    with high_precision.sixty_digits():
        number = high_precision.number
        truth = -mpmath.expm1(power * mpmath.log1p(-number(tail)))
        truth = Fraction(int(mpmath.floor(truth * 10**50)), 10**50)
    for digits in (1, 3, 6, 12):
        away = truth / 10**digits
        assert _union(tail, power, truth - away) == 1
        assert _union(tail, power, truth + min(away, (1 - truth) / 2)) == -1
    if power == 7:
        exact = 1 - (1 - tail) ** power
        assert [_union(tail, power, exact + step) for step in (-TINY, 0, TINY)] == [1, 0, -1]


def test_an_equality_is_decided_up_to_the_limit_of_what_is_built(monkeypatch):
    n, d, gamma, t = 12, 4, Fraction(1, 3), 2
    beta = failing(n, d, gamma, t, upper=True)
    bits = 4 * beyond(n, gamma, t).denominator.bit_length()
    law = accuracy.Binomial(n, gamma)
    monkeypatch.setattr(accuracy, "_SHORT_POWER_BITS", 0)
    monkeypatch.setattr(accuracy, "_EXACT_POWER_BITS", bits)
    assert accuracy._some_bin(law, d, t, beta, upper=True)
    assert not accuracy._some_bin(law, d, t, beta - TINY, upper=True)
    monkeypatch.setattr(accuracy, "_EXACT_POWER_BITS", bits - 1)
    with pytest.raises(UndecidedError, match="agree to 1024 bits"):
        accuracy._some_bin(law, d, t, beta, upper=True)


def test_many_bins_of_many_users_below_the_mean():
    """P[W > 0] is 1 but for 2^-1000000, and an A below the mean may be enough."""
    n, d, gamma, beta = 10**6, 10**4, Fraction(1, 2), Fraction(9, 10)
    found = histogram_optimum(n, d, gamma, beta)
    assert isinstance(found, Interval)
    assert found.hi >= gamma
    low = round(found.lo * n)
    assert 0 < low < n * gamma
    tails = [stats.binom.sf(t, n, 0.5) for t in (low - 1, low)]
    assert 1 - (1 - tails[1]) ** 2 <= beta < 1 - (1 - tails[0]) ** 2  # two bins of so many users are all there can be


def test_an_error_that_may_be_certain_is_none():
    assert histogram_optimum(12, 4, Fraction(1, 3), Fraction(1)) == 0
    assert histogram_optimum(12, 4, Fraction(0), Fraction(1, 2)) == 0
    assert histogram_optimum(12, 4, Fraction(1, 3), Fraction(0)) == 1
