"""Rényi divergences and zCDP: against direct sums over outcomes in mpmath, closed forms, and all data sets."""

from fractions import Fraction
from itertools import combinations_with_replacement, permutations
from math import comb, log

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactdp as xdp
from exactdp.errors import InvalidValueError
from exactdp.privacy.composition.renyi import _Curve, _Orders, _runs

ORDERS = (Fraction(101, 100), Fraction(3, 2), Fraction(2), Fraction(7), Fraction(40))
SLACK = mpmath.mpf(10) ** -25


def number(value):
    return mpmath.mpf(value.numerator) / value.denominator


def directly(first, second, order):
    """ln(sum of p^a q^(1-a)) / (a - 1), of two laws as dictionaries; infinite where q is 0 and p is not."""
    with mpmath.workdps(40):
        a, total = number(order), mpmath.mpf(0)
        for outcome, p in first.items():
            q = second.get(outcome, 0)
            if p and not q:
                return mpmath.inf
            if p:
                total += number(p) ** a * number(q) ** (1 - a)
        return mpmath.log(total) / (a - 1)


def over_all_pairs(protocol, order):
    """The largest over all pairs of neighbouring data sets, in both orders."""
    inputs = protocol.randomizer.inputs
    laws = {}

    def law(data):
        counts = {x: data.count(x) for x in inputs if data.count(x)}
        key = tuple(sorted(counts.items()))
        if key not in laws:
            laws[key] = dict(protocol.law(counts).items())
        return laws[key]

    best = mpmath.mpf(0)
    for others in combinations_with_replacement(inputs, protocol.n - 1):
        for x, y in permutations(inputs, 2):
            best = max(best, directly(law((*others, x)), law((*others, y)), order))
    return best


def holds(interval, expected):
    with mpmath.workdps(40):
        return number(interval.lo) <= expected * (1 + SLACK) and expected <= number(interval.hi) * (1 + SLACK)


@st.composite
def tables(draw):
    """Tables of two or three inputs and messages without zeros."""
    k, m = draw(st.integers(2, 3)), draw(st.integers(2, 3))
    rows = {}
    for x in range(k):
        weights = draw(st.lists(st.integers(1, 12), min_size=m, max_size=m))
        rows[x] = {(y,): Fraction(w, sum(weights)) for y, w in enumerate(weights)}
    return xdp.Randomizer(rows)


@settings(max_examples=40, deadline=None)
@given(tables(), st.integers(1, 3), st.fractions(Fraction(101, 100), 60, max_denominator=100))
def test_against_all_pairs_of_small_protocols(table, n, order):
    protocol = xdp.ShuffleProtocol(table, n)
    found = protocol.privacy_profile().renyi(order)
    expected = over_all_pairs(protocol, order)
    if expected < SLACK:
        assert found.hi < Fraction(1, 10**20)
    else:
        assert holds(found, expected)
        assert found.hi - found.lo <= found.hi / 10**15


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    tables(), st.integers(1, 2), st.lists(st.fractions(Fraction(1001, 1000), 10**4, max_denominator=1000), min_size=25)
)
def test_no_order_is_above_zcdp(table, n, orders):
    """Hundreds of orders: D_a <= rho a; and rho is attained, to its width, at some order."""
    protocol = xdp.ShuffleProtocol(table, n)
    rho = protocol.privacy_profile().zcdp(relative_width="1/1000")
    assert rho.hi - rho.lo <= rho.hi / 1000 or rho.hi < Fraction(1, 10**20)
    for order in orders:
        with mpmath.workdps(40):
            assert over_all_pairs(protocol, order) <= number(rho.hi) * number(order) + SLACK
    _, b = _Orders([_Curve.of(_runs(((protocol.privacy_profile().source, 1),)), Fraction(2), 64)]).largest(
        Fraction(1, 1000)
    )
    with mpmath.workdps(40):
        assert over_all_pairs(protocol, b + 1) >= number(rho.lo) * number(b + 1) - SLACK


@pytest.mark.parametrize("order", ORDERS)
def test_closed_forms(order):
    """k-ary response of one user, and discrete Laplace noise."""
    with mpmath.workdps(40):
        a = number(order)
        for k, ratio in ((2, 3), (5, 7)):
            q = mpmath.mpf(1) / (ratio + k - 1)
            total = q * (ratio**a + mpmath.mpf(ratio) ** (1 - a) + k - 2)
            response = xdp.ShuffleProtocol(xdp.randomized_response(k, exp_eps0=ratio), 1).privacy_profile()
            assert holds(response.renyi(order), mpmath.log(total) / (a - 1))
        for noise, eps in (
            (xdp.DiscreteLaplace(2), mpmath.log(2)),
            (xdp.DiscreteLaplace("exp(1/2)"), mpmath.mpf(1) / 2),
        ):
            rise = 1 / (1 + mpmath.exp(-eps))
            total = rise * mpmath.exp((a - 1) * eps) + (1 - rise) * mpmath.exp((1 - a) * eps)
            assert holds(xdp.shift_profile(noise).renyi(order), mpmath.log(total) / (a - 1))


@pytest.mark.parametrize(("sigma_squared", "shift"), [("1/5", 1), ("2", 3), ("9/4", 1), ("50", 2)])
@pytest.mark.parametrize("order", ORDERS)
def test_gaussian_noise_against_sums(sigma_squared, shift, order):
    with mpmath.workdps(40):
        variance, a = number(Fraction(sigma_squared)), number(order)
        reach = range(-600, 601)
        total = mpmath.fsum(mpmath.exp(-(t**2) / (2 * variance)) for t in reach)
        powers = (mpmath.exp(-(a * t**2 + (1 - a) * (t - shift) ** 2) / (2 * variance)) for t in reach)
        expected = mpmath.log(mpmath.fsum(powers) / total) / (a - 1)
        profile = xdp.shift_profile(xdp.DiscreteGaussian(sigma_squared), shift=shift)
        assert holds(profile.renyi(order), expected)
        assert holds(profile.zcdp(), shift**2 / (2 * variance))


def response_of_many(n, flip, order):
    """The largest D_a of binary response over all data sets and both orders, in floats: all terms are positive."""

    def count(users, chance):
        return np.array([comb(users, j) * chance**j * (1 - chance) ** (users - j) for j in range(users + 1)])

    best = 0.0
    for ones in range(n):
        others = np.convolve(count(ones, 1 - flip), count(n - 1 - ones, flip))
        sides = [np.convolve(others, chances) for chances in ([1 - flip, flip], [flip, 1 - flip])]
        for first, second in (sides, sides[::-1]):
            best = max(best, log(float(np.sum(first**order * second ** (1 - order)))) / (order - 1))
    return best


@pytest.mark.parametrize("order", [pytest.param(Fraction(2), marks=pytest.mark.slow), Fraction(20)])
def test_points_of_a_profile_enclose_all_data_sets(order):
    """Five users, as if their pairs were too many to be listed: both ends, the lower one of one pair at a time."""
    protocol = xdp.ShuffleProtocol(xdp.randomized_response(3, gamma="1/2"), 5)
    expected = over_all_pairs(protocol, order)
    bracket = protocol.privacy_profile(limit=1)
    assert not bracket.is_tight
    found = bracket.renyi(order)
    assert number(found.lo) <= expected <= number(found.hi)
    assert found.lo > found.hi / 2
    rho = bracket.zcdp()
    assert expected <= number(rho.hi) * number(order)
    assert rho.lo > 0


@pytest.mark.slow
def test_two_messages_by_points():
    profile = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 250).privacy_profile()
    expected = response_of_many(250, 0.25, 3.0)
    found = profile.renyi(3)
    assert float(found.lo) <= expected * (1 + 1e-9)
    assert expected <= float(found.hi) * (1 + 1e-9)
    assert found.hi - found.lo <= found.hi / 20


def test_the_largest_curve_of_pairs_is_no_lower_end():
    """What the rule is for: of two pairs whose curves cross, the largest curve has a larger divergence than both."""
    sharp = {0: Fraction(999, 1000), 1: Fraction(1, 1000)}, {0: Fraction(99, 100), 1: Fraction(1, 100)}
    broad = {0: Fraction(11, 20), 1: Fraction(9, 20)}, {0: Fraction(9, 20), 1: Fraction(11, 20)}
    table = xdp.Randomizer({x: {(y,): p for y, p in row.items()} for x, row in enumerate((*sharp, *broad))})
    profile = xdp.ShuffleProtocol(table, 1).privacy_profile()
    found = profile.renyi(3)
    assert holds(found, over_all_pairs(xdp.ShuffleProtocol(table, 1), Fraction(3)))


def test_runs_add_up():
    one = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 3).privacy_profile()
    other = xdp.shift_profile(xdp.DiscreteGaussian(100))
    both = xdp.compose(one.compose(5), other.compose(7))
    for order in (Fraction(3, 2), Fraction(4)):
        added = 5 * one.renyi(order).lo + 7 * other.renyi(order).lo
        assert abs(both.renyi(order).lo - added) < added / 10**15
    rho, separate = both.zcdp(relative_width="1/1000"), 5 * one.zcdp(relative_width="1/1000").hi + Fraction(7, 200)
    assert rho.lo <= separate
    assert rho.hi >= both.renyi(2).lo / 2
    assert other.compose(100).zcdp().lo <= Fraction(1, 2) <= other.compose(100).zcdp().hi


def test_a_run_of_two_bins_is_two_runs():
    gaussian = xdp.DiscreteGaussian(100)
    bins = xdp.AdditiveProtocol(gaussian, bins=3).privacy_profile()
    assert Fraction(1, 100) in bins.zcdp()


def test_infinite_where_delta_does_not_fall_to_0():
    for noise in (xdp.Binomial(100, "1/2"), xdp.Poisson(20)):
        profile = xdp.shift_profile(noise)
        assert profile.renyi(2).is_infinite
        assert profile.zcdp().is_infinite
        assert profile.compose(3).renyi(2).is_infinite
    one_sided = xdp.Randomizer({0: {(0,): 1}, 1: {(0,): "1/2", (1,): "1/2"}})
    assert xdp.ShuffleProtocol(one_sided, 50).privacy_profile().renyi(2).is_infinite
    assert xdp.ShuffleProtocol(one_sided, 50).privacy_profile(limit=1).renyi(2).is_infinite


def test_nothing_is_given_away():
    alike = xdp.Randomizer({x: {(0,): "1/3", (1,): "2/3"} for x in (0, 1)})
    profile = xdp.ShuffleProtocol(alike, 5).privacy_profile()
    assert profile.renyi(2).hi < Fraction(1, 10**20)
    assert profile.zcdp().hi < Fraction(1, 10**20)


@pytest.mark.parametrize("order", [1, "1/2", 0, -3])
def test_orders_of_at_most_1_are_refused(order):
    with pytest.raises(InvalidValueError, match=r"is not above 1\. Pass 2, say"):
        xdp.shift_profile(xdp.DiscreteGaussian(1)).renyi(order)
