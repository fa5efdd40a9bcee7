"""The stability histogram against all of its laws, written out, and against the noise that it is made of."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache, reduce
from itertools import combinations_with_replacement, product
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactdp as xdp
from exactdp import Neighbors, protocols
from exactdp.cli.main import cli
from exactdp.errors import HypothesisError, InvalidValueError, TooLargeError
from exactdp.laws import DiscreteLaplace
from exactdp.protocols.stable.stability_histogram_protocol import StabilityHistogram
from tests.oracles.releases import both, divergence

RATIOS = [Fraction(21, 20), Fraction(4, 3), Fraction(2), Fraction(7)]
LEVELS = [Fraction(1), Fraction(26, 25), Fraction(3, 2), Fraction(2), Fraction(16, 9), Fraction(4), Fraction(40)]


@cache
def released(count: int, a: Fraction, least: int, last: int) -> dict[int, Fraction]:
    """The law of what is released of one bin, added up term by term, what is above ``last`` together.

    Above all counts the ratio of two such laws does not change, so that putting it together loses nothing.
    """
    if not count:
        return {0: Fraction(1)}
    unit = (a - 1) / (a + 1)
    law = {shown: unit * a ** -abs(shown - count) for shown in range(least + 1, last + 1)}
    law[last + 1] = unit * a ** (count - last - 1) * a / (a - 1)
    law[0] = 1 - sum(law.values())
    return law


def data_sets(n: int, bins: int) -> Iterator[tuple[int, ...]]:
    return (counts for counts in product(range(n + 1), repeat=bins) if sum(counts) == n)


def brute_delta(protocol: StabilityHistogram, exp_eps: Fraction, neighbors: Neighbors = Neighbors.REPLACE_ONE) -> Any:
    a, least, last = protocol.noise.exp_eps, 1 + protocol.threshold, max(protocol.n, 1 + protocol.threshold) + 1

    def law(counts: tuple[int, ...]) -> Any:
        laws = [released(count, a, least, last) for count in counts]
        return reduce(both, laws)

    worst = Fraction(0)
    for counts in data_sets(protocol.n, protocol.bins):
        for leaves, joins in product(range(protocol.bins), repeat=2):
            moved = list(counts)
            moved[leaves] -= 1
            if neighbors is Neighbors.REPLACE_ONE:
                moved[joins] += 1
            if min(moved) >= 0 and (leaves != joins or neighbors is Neighbors.ADD_OR_REMOVE_ONE):
                pair = law(counts), law(tuple(moved))
                worst = max(worst, *(divergence(*order, exp_eps) for order in (pair, pair[::-1])))
    return worst


@pytest.mark.parametrize(
    ("n", "bins"), [(1, 2), (1, 3), (2, 2), (2, 3), (3, 3), (4, 2), pytest.param(4, 3, marks=pytest.mark.slow)]
)
def test_delta_is_that_of_all_pairs_of_data_sets(n, bins):
    for a, threshold in product(RATIOS[1:3], (0, 1, 2)):
        protocol = StabilityHistogram(n, bins, exp_noise=a, threshold=threshold)
        for level in LEVELS[:: 1 if n < 3 else 3]:
            assert protocol.privacy_profile().delta(exp_eps=level) == brute_delta(protocol, level)


@pytest.mark.parametrize("bins", [2, 3])
@pytest.mark.parametrize("threshold", [0, 1, 2, 3])
def test_delta_is_that_of_all_two_bins_that_change_among_more_users(bins, threshold):
    """What is beside the bins that change is the same in both data sets, so that two bins say all."""
    a, least = Fraction(4, 3), 1 + threshold
    for n in (3, 5, 6, 9):
        profile = StabilityHistogram(n, bins, exp_noise=a, threshold=threshold).privacy_profile()

        def law(count, last=n + least):
            return released(count, a, least, last)

        moves = [(i, j) for i in range(1, n + 1) for j in range(1, n + 2 - i) if bins > 2 or i + j == n + 1]
        pairs = [(both(law(i), law(j - 1)), both(law(i - 1), law(j))) for i, j in moves]
        for level in LEVELS:
            assert profile.delta(exp_eps=level) == max(divergence(*pair, level) for pair in pairs)


@pytest.mark.parametrize(("n", "bins"), [(1, 2), (2, 3), (3, 2), (5, 2)])
def test_an_added_user_changes_one_bin(n, bins):
    for a, threshold, level in product(RATIOS[1:3], (0, 2), LEVELS):
        protocol = StabilityHistogram(n, bins, exp_noise=a, threshold=threshold)
        profile = protocol.privacy_profile(neighbors=Neighbors.ADD_OR_REMOVE_ONE)
        assert profile.delta(exp_eps=level) == brute_delta(protocol, level, Neighbors.ADD_OR_REMOVE_ONE)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 12),
    st.sampled_from([2, 3, 10**12]),
    st.sampled_from(RATIOS),
    st.integers(0, 4),
    st.fractions(1, 60, max_denominator=50),
    st.sampled_from(list(Neighbors)),
)
def test_the_worst_pair_is_one_of_data_sets_and_enclosures_hold_the_fraction(n, bins, a, threshold, level, neighbors):
    protocol = StabilityHistogram(n, bins, exp_noise=a, threshold=threshold)
    profile = protocol.privacy_profile(neighbors=neighbors)
    delta = profile.delta(exp_eps=level)
    enclosed = profile.delta(exp_eps=level, relative_bits=30)
    assert enclosed.lo <= delta <= enclosed.hi
    pair = profile.worst_pair(exp_eps=level)
    counts = [[data.get(x, 0) for x in (0, 1, 2)] for data in (pair.first, pair.second)]
    sizes = [sum(one) for one in counts]
    assert max(sizes) == n
    assert sizes[0] == sizes[1] or neighbors is Neighbors.ADD_OR_REMOVE_ONE
    laws = [
        reduce(both, (released(c, a, 1 + threshold, n + threshold + 1) for c in one[: min(bins, 3)])) for one in counts
    ]
    assert divergence(*laws, level) == delta == pair.delta


@settings(max_examples=40, deadline=None)
@given(st.fractions("1/20", 6, max_denominator=40), st.integers(1, 60), st.integers(1, 10**12), st.integers(2, 10**12))
def test_it_is_private_as_promised_and_no_smaller_threshold_is(eps, digits, n, bins):
    delta = Fraction(1, 2**digits)
    protocol = protocols.stability_histogram(n, bins, eps=eps, delta=delta)
    at_eps = protocol.privacy_profile().delta(eps=eps)
    assert at_eps.hi <= delta
    with mpmath.workdps(60):
        a = mpmath.mpf(protocol.noise.exp_eps.numerator) / protocol.noise.exp_eps.denominator
        assert 0 <= mpmath.exp(mpmath.mpf(eps.numerator) / eps.denominator / 2) - a <= mpmath.mpf(2) ** -44
        tail = a**-protocol.threshold / (1 + a)
        assert abs(float(at_eps) / float(tail) - 1) < 1e-12
    if protocol.threshold:
        less = StabilityHistogram(n, bins, exp_noise=protocol.noise.exp_eps, threshold=protocol.threshold - 1)
        assert less.privacy_profile().delta(eps=eps).lo > delta


def test_noise_of_a_rational_root_is_not_rounded():
    protocol = protocols.stability_histogram(9, 3, eps=xdp.LogRational(4), delta="1/96")
    assert protocol.noise == DiscreteLaplace(2)
    assert protocol.privacy_profile().delta(exp_eps=4) == Fraction(1, 2**5 * 3)
    assert protocol.threshold == 5


def test_very_long_thresholds_are_enclosed():
    protocol = protocols.stability_histogram(10**9, 10**9, eps="1/10000", delta="1e-8")
    profile = protocol.privacy_profile()
    assert protocol.threshold > 350_000
    assert not profile.is_exact
    assert profile.delta(eps="1/10000").hi <= Fraction(1, 10**8)
    assert profile.epsilon("1e-8").hi <= Fraction(1, 10**4)
    assert protocol.accuracy("1/20", simultaneous=True) < 10**6


def test_runs_lie_between_runs_of_one_pair_and_of_all():
    protocol = StabilityHistogram(9, 3, exp_noise=2, threshold=2)
    twice = protocol.privacy_profile().compose(2)
    law = {c: released(c, Fraction(2), 3, 12) for c in range(10)}
    moves = ((1, 4), (4, 1), (4, 4), (1, 1))
    pairs = [(both(law[i], law[j - 1]), both(law[i - 1], law[j])) for i, j in moves]
    runs = [(both(one[0], two[0]), both(one[1], two[1])) for one, two in combinations_with_replacement(pairs, 2)]
    for level in (Fraction(5, 4), Fraction(3), Fraction(9)):
        tried = max(divergence(*pair, level) for pair in runs)
        found = twice.delta(exp_eps=level, relative_width="1/100")
        assert found.lo <= tried <= found.hi


# --- the error --------------------------------------------------------------------------------------------------------


def error_chance(protocol: StabilityHistogram, count: int, error: int) -> Fraction:
    """P[|released - count| > error], of the law term by term."""
    if not count:
        return Fraction(0)
    law = released(count, protocol.noise.exp_eps, 1 + protocol.threshold, count + error + protocol.threshold + 1)
    return sum((p for shown, p in law.items() if abs(shown - count) > error), Fraction(0))


@settings(max_examples=80, deadline=None)
@given(
    st.integers(1, 14),
    st.integers(2, 4),
    st.sampled_from(RATIOS[1:]),
    st.integers(0, 3),
    st.fractions("1/1000", "999/1000", max_denominator=1000),
)
def test_the_error_is_that_of_the_worst_data_set(n, bins, a, threshold, beta):
    protocol = StabilityHistogram(n, bins, exp_noise=a, threshold=threshold)

    def exceeds(counts: tuple[int, ...], error: int) -> Fraction:
        correct = Fraction(1)
        for count in counts:
            correct *= 1 - error_chance(protocol, count, error)
        return 1 - correct

    def least(sets: list[tuple[int, ...]]) -> int:
        error = 0
        while any(exceeds(counts, error) > beta for counts in sets):
            error += 1
        return error

    assert xdp.optimal_accuracy(protocol, beta=beta) == least([(count,) for count in range(n + 1)])
    together = xdp.optimal_accuracy(protocol, beta=beta, simultaneous=True)
    truth = least(list({tuple(sorted(counts)) for counts in data_sets(n, bins)}))
    if isinstance(together, Fraction):
        assert together == truth
    else:
        assert together.lo <= truth <= together.hi
        assert beta >= Fraction(1, 2) or n <= 1 + threshold


def test_an_error_that_is_exceeded_with_exactly_this_probability_is_enough():
    alone = StabilityHistogram(1, 2, exp_noise=2, threshold=0)
    assert alone.accuracy("1/12", simultaneous=True) == alone.accuracy("1/12") == 2
    two = StabilityHistogram(2, 2, exp_noise=2, threshold=0)
    assert two.accuracy(1 - (1 - Fraction(1, 12)) ** 2, simultaneous=True) == 2


def test_the_error_of_a_bin_does_not_depend_on_the_bins_and_that_of_all_only_on_the_users():
    few, many = (protocols.stability_histogram(10**4, bins, eps=1, delta="1e-6") for bins in (2, 10**12))
    assert few.accuracy("1/20") == many.accuracy("1/20") == 32
    assert many.accuracy("1/20", simultaneous=True) == protocols.stability_histogram(
        10**4, 10**4, eps=1, delta="1e-6"
    ).accuracy("1/20", simultaneous=True)
    assert few.accuracy(1) == 0


# --- what is drawn, and what is refused -------------------------------------------------------------------------------


def test_samples_are_of_the_law_and_empty_bins_are_empty():
    protocol = StabilityHistogram(11, 3, exp_noise=2, threshold=3)
    drawn = xdp.sample(protocol, {0: 7, 1: 4}, size=20000, rng=np.random.default_rng(7))
    assert not drawn[:, 2].any()
    for column, users in ((0, 7), (1, 4)):
        assert sum(protocol.release_probability(users, shown) for shown in range(60)) > 1 - Fraction(1, 10**9)
        for shown in range(12):
            expected = 20000 * float(protocol.release_probability(users, shown))
            assert abs((drawn[:, column] == shown).sum() - expected) < 6 * expected**0.5 + 6
    assert protocol.estimate(drawn[0]) == tuple(map(int, drawn[0]))
    assert protocol.estimate({0: 5}) == (5, 0, 0)


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"bins": 1}, InvalidValueError, "bins=1"),
        ({"bins": 10**13}, TooLargeError, "more than the limit"),
        ({"n": 0}, InvalidValueError, "n=0"),
        ({"eps": 0}, HypothesisError, "0 < eps < infinity"),
        ({"eps": Fraction(1, 2**60)}, HypothesisError, "Pass a larger eps"),
        ({"delta": 0}, HypothesisError, "0 < delta"),
    ],
)
def test_what_is_refused(options, kind, message):
    given_options = {"n": 10, "bins": 3, "eps": 1, "delta": "1e-3", **options}
    with pytest.raises(kind, match=message):
        protocols.stability_histogram(given_options.pop("n"), given_options.pop("bins"), **given_options)


def test_what_is_refused_of_a_protocol():
    protocol = protocols.stability_histogram(10, 10**7, eps=1, delta="1e-3")
    with pytest.raises(InvalidValueError, match="beta=0"):
        protocol.accuracy(0)
    with pytest.raises(TooLargeError, match="not listed"):
        _ = protocol.records
    with pytest.raises(InvalidValueError, match="users=11"):
        protocol.release_probability(11, 0)
    with pytest.raises(InvalidValueError, match="entries for bins"):
        protocols.stability_histogram(10, 3, eps=1, delta="1e-3").estimate([1, 2])
    with pytest.raises(InvalidValueError, match="not above 1"):
        StabilityHistogram(9, 3, exp_noise=1, threshold=2)


def test_the_command_line_asks_it_by_name():
    from click.testing import CliRunner

    name = "@stability-histogram:bins=1000,eps=1,delta=1e-6"
    for command in (f"delta {name} -n 1000000000 --eps 1", f"accuracy {name} -n 10000 --beta 1/20 --simultaneous"):
        outcome = CliRunner().invoke(cli, command.split())
        assert outcome.exit_code == 0
        assert "alpha" in outcome.stdout or "[8.533662760e-7, 8.533662761e-7]" in outcome.stdout
