"""The exact numbers of the experiments, against enumerations of small instances and another arithmetic."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from mpmath import mp, mpf

import exactdp as xdp
from exactdp import protocols
from exactdp.protocols.accuracy.response import response_bracket
from exactdp.report.experiments.central_noise import geometric_failure, geometric_radius, laplace_failure
from exactdp.report.experiments.histogram_error import some_bin_fails, worst_counts
from exactdp.report.experiments.response_error import response_failure, response_level
from exactdp.report.experiments.three_models import flip_holds, least_flip, least_gamma, local_flip
from exactdp.report.experiments.zsum_error import errs, zsum_failure


@pytest.mark.parametrize("gamma", [Fraction(1, 4), Fraction(3, 7), Fraction(1)])
def test_counted_errors_are_those_of_the_analyzer(gamma: Fraction):
    n = 9
    protocol = protocols.zsum(n, gamma=gamma)
    views = np.arange(2 * n + 1)
    for holders, reach in product(range(n + 1), (Fraction(0), Fraction(5, 2), Fraction(4), Fraction(7))):
        expected = [abs(n * protocol.estimate(int(view)) - holders) > reach for view in views]
        assert errs(views, n, gamma, holders, reach).tolist() == expected


@pytest.mark.parametrize("reach", [Fraction(1), Fraction(5, 2), Fraction(4), Fraction(5)])
def test_the_failure_of_zsum_is_the_largest_over_all_data_sets(reach: Fraction):
    n, gamma = 8, Fraction(3, 10)
    protocol = protocols.zsum(n, gamma=gamma)
    fails = []
    for k in range(n + 1):
        law = protocol.estimate_law([1] * k + [0] * (n - k))
        fails.append(sum((p for mean, p in law.items() if abs(n * mean - k) > reach), Fraction(0)))
    found = zsum_failure(n, gamma, reach)
    assert max(fails) in found
    assert fails[reach.__floor__() + 1] == max(fails)
    assert found.hi - found.lo < Fraction(1, 10**12)


@pytest.mark.parametrize(("counts", "reach"), [([4, 4], 3), ([4, 4], 2), ([3, 5], 2), ([8, 0], 4), ([6, 2], 5)])
def test_the_failure_of_the_histogram_is_that_of_its_law(counts: list[int], reach: int):
    n, gamma = sum(counts), Fraction(1, 4)
    protocol = protocols.histogram(n, 2, gamma=gamma)
    law = protocol.estimate_law([0] * counts[0] + [1] * counts[1])
    fails = [any(abs(n * mean - k) > reach for mean, k in zip(means, counts, strict=True)) for means in law]
    expected = sum((law.prob(means) for means, fail in zip(law, fails, strict=True) if fail), Fraction(0))
    assert expected in some_bin_fails(xdp.Binomial(n, gamma), counts, reach)


@pytest.mark.parametrize(("n", "d", "users"), [(10, 3, 4), (12, 3, 4), (12, 2, 5), (7, 9, 3), (5, 2, 5)])
def test_the_worst_counts_are_a_data_set_with_as_many_full_bins_as_there_can_be(n: int, d: int, users: int):
    counts = worst_counts(n, d, users)
    assert sum(counts) == n
    assert len(counts) <= d
    assert all(count > 0 for count in counts)
    most = min(d, n // users)
    assert sum(1 for count in counts if count >= users) == most
    assert sum(1 for count in counts if count == users) >= most - 1


def test_the_level_and_failure_of_randomized_response_are_those_of_its_law():
    n, flip, beta = 12, Fraction(1, 4), Fraction(1, 10)
    law = protocols.k_ary(n, 2, gamma=2 * flip).estimate_law([0] * n).map(abs)
    level = response_level(n, flip, beta)
    tail = {error: sum((p for other, p in law.items() if other > error), Fraction(0)) for error in law}
    assert level == min(error for error in law if tail[error] <= beta)
    assert tail[level] in response_failure(n, flip, level)


@pytest.mark.parametrize(("flips", "factor"), [(Fraction(7), "1.45"), (Fraction(34), "1.37"), (Fraction(2690), "1.26")])
def test_how_far_the_worst_data_set_can_be_from_the_one_where_nobody_holds_1(flips: Fraction, factor: str):
    """What the page and the module of the three models say, at 10^4 users and by the exact scan at 1000."""
    flip, beta = flips / 10**4, Fraction(1, 20)
    assert response_bracket(10**4, flip, beta).hi <= Fraction(factor) * response_level(10**4, flip, beta)
    if flips == 34:
        flip = Fraction(63, 2048)  # the least noise of 1000 users at eps = 1, delta = 10^-6
        exact = xdp.optimal_accuracy(protocols.k_ary(1000, 2, gamma=2 * flip), beta=beta)
        assert response_level(1000, flip, beta) <= exact <= Fraction("1.03") * response_level(1000, flip, beta)


@pytest.mark.parametrize("k", [1, 2, 1000])
def test_central_failures_agree_with_another_arithmetic(k: int):
    with mp.workdps(60):
        a = mp.exp(mpf(-1) / 2)
        for reach in (0, 3, 20):
            found = geometric_failure(k, Fraction(1, 2), reach)
            expected = 1 - (1 - 2 * a ** (reach + 1) / (1 + a)) ** k
            assert mpf(found.lo.numerator) / found.lo.denominator <= expected
            assert expected <= mpf(found.hi.numerator) / found.hi.denominator
        limit = mp.log(mpf(k) * 20)  # the radius at eps = 1
        expected = 1 - (1 - mp.exp(-limit)) ** k
        assert abs(expected - mpf(float(laplace_failure(k, Fraction(1, 20))))) < mpf(10) ** -15


def test_the_geometric_radius_is_the_least():
    for k in (1, 7, 100):
        radius = geometric_radius(k, Fraction(1), Fraction(1, 20))
        assert geometric_failure(k, Fraction(1), radius) <= Fraction(1, 20)
        assert geometric_failure(k, Fraction(1), radius - 1) > Fraction(1, 20)


@pytest.mark.parametrize("eps", [Fraction(1), Fraction(1, 8)])
def test_the_local_noise_is_the_least_on_its_grid(eps: Fraction):
    flip = local_flip(eps)
    level = xdp.LogRational((1 - flip) / flip).enclose(64)
    less = flip - Fraction(1, 2**20)
    assert level <= eps
    assert xdp.LogRational((1 - less) / less).enclose(64) > eps


def test_the_least_flip_holds_and_one_step_less_does_not():
    n, eps, delta = 50, Fraction(1), Fraction(1, 1000)
    found = [least_flip(n, eps, delta, guess=guess) for guess in (Fraction(1, 10), Fraction(1, 4))]
    for flip, step in found:
        profile = protocols.k_ary(n, 2, gamma=2 * flip).privacy_profile()
        less = protocols.k_ary(n, 2, gamma=2 * (flip - step)).privacy_profile()
        assert profile.delta(eps=eps) <= delta
        assert less.delta(eps=eps) > delta
        assert flip_holds(n, flip, eps, delta)
        assert not flip_holds(n, flip - step, eps, delta)
    assert abs(found[0][0] - found[1][0]) <= found[0][1] + found[1][1]


def test_the_least_gamma_holds_and_is_a_float():
    gamma = least_gamma(200, Fraction(1), Fraction(1, 1000))
    assert protocols.zsum(200, gamma=gamma).privacy_profile().delta(eps=1) <= Fraction(1, 1000)
    assert Fraction(float(1 - gamma)) == 1 - gamma
