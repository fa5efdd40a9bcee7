"""The view of zero-sum noise: its product form against every draw up to a cut, and both ends of delta."""

from fractions import Fraction
from itertools import permutations

import pytest

from exactdp.numbers.real import Real
from exactdp.protocols import AlmostCentralSum, correlated_counting
from exactdp.protocols.almost_central.zero_sum_views import (
    WideZeroSumView,
    ZeroSumNoise,
    ZeroSumPairs,
    ZeroSumView,
    both_ends,
    rough_upper_end,
)
from tests.oracles.zero_sum_noise import divergence, noise_counts

P, COMMON, MULTISETS = Fraction(1, 6), (2, Fraction(1, 8)), (1, Fraction(1, 7))


def noise_of(*multisets: tuple[int, Fraction]) -> ZeroSumNoise:
    return ZeroSumNoise(Real(P), ((Real(COMMON[0]), Real(COMMON[1])),), tuple((Real(r), Real(q)) for r, q in multisets))


@pytest.fixture(scope="module")
def law() -> tuple[dict[tuple[int, ...], float], float]:
    return noise_counts(float(P), [(2, 1 / 8)], [(1, 1 / 7)], 6)


@pytest.mark.parametrize("pair", list(permutations(range(3), 2)))
def test_every_pair_of_numbers_is_a_product(
    law: tuple[dict[tuple[int, ...], float], float], pair: tuple[int, int]
) -> None:
    counts, lost = law
    exp_eps = Real(2)
    ends = both_ends(noise_of(MULTISETS).product(*pair), exp_eps, Fraction(693, 1000), Fraction(1, 2**8))
    low, high = float(ends.lo), float(ends.hi)
    assert 0 < low <= high <= low * 1.02
    exact = divergence(counts, *pair, 2.0)
    assert low - 3 * lost <= exact <= high + 3 * lost
    assert lost < 2e-4 < exact / 20
    assert rough_upper_end(noise_of(MULTISETS).product(*pair), exp_eps, Fraction(693, 1000)) >= ends.lower


def test_the_largest_of_all_pairs_is_delta(law: tuple[dict[tuple[int, ...], float], float]) -> None:
    counts, lost = law
    for exp_eps in (1, 3):
        ends = ZeroSumView(noise_of(MULTISETS), 2, 5).bracket(Real(exp_eps), 7)
        exact = max(divergence(counts, x, y, float(exp_eps)) for x, y in permutations(range(3), 2))
        assert float(ends.lower.lo) - 4 * lost <= exact <= float(ends.upper.hi) + 4 * lost
        worst = [next(x for x in range(2, -1, -1) if side[x]) for side in ends.pair]
        assert tuple(map(sum, ends.pair)) == (5, 5)
        assert divergence(counts, *worst, float(exp_eps)) == pytest.approx(exact, abs=2 * lost)


@pytest.mark.parametrize("pair", [(0, 3), (3, 1)])
def test_three_levels_of_multisets_are_a_product_too(pair: tuple[int, int]) -> None:
    shapes = [(1, Fraction(1, 12)), (1, Fraction(1, 16))]
    counts, lost = noise_counts(float(P), [(2, 1 / 8)], [(1, 1 / 12), (1, 1 / 16)], 4)
    ends = both_ends(noise_of(*shapes).product(*pair), Real(2), Fraction(693, 1000), Fraction(1, 2**8))
    assert float(ends.lo) - 3 * lost <= divergence(counts, *pair, 2.0) <= float(ends.hi) + 3 * lost
    assert lost < 3e-3


NARROW = (Fraction(1, 12), Fraction(1, 48), Fraction(1, 24))
"""Ratios of the noise of the multisets of 2, 3 and 4, all of them different."""


@pytest.fixture(scope="module", params=[3, 4])
def narrow(request: pytest.FixtureRequest) -> tuple[int, ZeroSumNoise, dict[tuple[int, ...], float], float]:
    """Noise of little mass beyond a few draws for a bound, its counts and the mass that the cut leaves out."""
    bound, ratio = request.param, Fraction(1, 24)
    shapes = NARROW[: bound - 1]
    counts, lost = noise_counts(float(ratio), [(1, float(ratio))], [(1, float(q)) for q in shapes], {3: 5, 4: 3}[bound])
    noise = ZeroSumNoise(Real(ratio), ((Real(1), Real(ratio)),), tuple((Real(1), Real(q)) for q in shapes))
    return bound, noise, counts, lost


@pytest.mark.slow
def test_every_pair_of_larger_numbers_is_a_product(
    narrow: tuple[int, ZeroSumNoise, dict[tuple[int, ...], float], float],
) -> None:
    """Each pair with a number that a larger bound brings, so that the noise of each of its multisets counts."""
    bound, noise, counts, lost = narrow
    for pair in permutations(range(bound + 1), 2):
        if bound in pair:
            ends = both_ends(noise.product(*pair), Real(20), Fraction(2996, 1000), Fraction(1, 2**10))
            low, high = float(ends.lo), float(ends.hi)
            assert low - 25 * lost <= divergence(counts, *pair, 20.0) <= high + 25 * lost, pair
            assert high <= low * 1.01


def test_bound_1_is_enclosed_to_any_accuracy_and_meets_its_cells() -> None:
    engine = ZeroSumPairs(noise_of(), 1, 3).plan()
    for exp_eps in (1, 2, 5):
        delta = engine.enclosed(Real(exp_eps), 80).delta
        assert float(delta.hi - delta.lo) <= 2**-80 * float(delta.hi)
        ends = [
            both_ends(noise_of().product(x, 1 - x), Real(exp_eps), Fraction(1, 2), Fraction(1, 256)) for x in (0, 1)
        ]
        assert max(end.lower for end in ends) <= delta.upper
        assert max(end.upper for end in ends) >= delta.lower


def test_the_ends_that_cost_little_are_further_apart() -> None:
    wide = ZeroSumNoise(Real("3/4"), ((Real(20), Real("9/10")),), ((Real(20), Real("9/10")),))
    for exp_eps in (Fraction(2), Fraction(30)):
        little = WideZeroSumView(wide, 2, 5).bracket(Real(exp_eps), 7)
        close = ZeroSumView(wide, 2, 5).bracket(Real(exp_eps), 2)
        assert little.lower.lo <= close.upper.hi <= little.upper.hi
    assert 0 < little.upper.hi < Fraction(1, 100)
    assert WideZeroSumView(wide, 2, 5).bracket(Real("3/2"), 7).lower.lo > Fraction(1, 12)


def test_at_infinity_only_what_one_law_reaches_counts(law: tuple[dict[tuple[int, ...], float], float]) -> None:
    counts, lost = law
    ends = ZeroSumView(noise_of(MULTISETS), 2, 5).bracket(None, 10)
    exact = max(divergence(counts, x, y, 1e9) for x, y in permutations(range(3), 2))
    assert float(ends.lower.lo) == pytest.approx(exact, abs=3 * lost)


def test_runs_of_bits_compose_as_those_of_correlated_counting() -> None:
    counting = correlated_counting(5, p1="1/2", p2="3/4", r=5).privacy_profile()
    bits = AlmostCentralSum(5, bound=1, p="1/2", common=[(5, "3/4")]).privacy_profile()
    for exp_eps in (1, 3):
        one, other = (profile.compose(3).delta(exp_eps=exp_eps) for profile in (counting, bits))
        assert one.compare(other) is None  # they overlap
        assert other.hi <= other.lo * Fraction(101, 100)
