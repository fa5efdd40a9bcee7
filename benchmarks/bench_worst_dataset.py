"""What the worst data set of a two-message randomizer costs. Run: python -m pytest benchmarks --benchmark-only -n 0

The comparison with SciPy needs the extra ``peers``; without it, it is skipped.
"""

from fractions import Fraction

import pytest

import exactdp as xdp
from exactdp.privacy.engine import _kept_event
from exactdp.privacy.planner import engine_of
from exactdp.privacy.two_messages.two_messages import TwoMessageScan, half_line_masses

FLIP = Fraction(1, 10)


def profile_of(n):
    return xdp.ShuffleProtocol(xdp.protocols.randomized_response(2, gamma=2 * FLIP), n).privacy_profile()


def forget() -> None:
    _kept_event.cache_clear()
    engine_of.cache_clear()


@pytest.mark.parametrize(
    ("n", "eps", "target"),
    [
        (10**3, "1/10", 0.13),
        (10**4, "1/10", 0.5),
        (10**4, "1/1000000", 0.5),
        (10**5, "1/30", 15),
        (10**6, "1/100", 15),
        (10**6, "1/1000000", 15),
        (10**9, "1/3000", 0.2),
        (10**12, "1/100000", 2),
    ],
)
def test_delta_over_all_data_sets(benchmark, n, eps, target):
    """To 53 bits; the smallest eps have their worst data set in the middle. Targets: in the list."""
    profile = profile_of(n)
    delta = benchmark.pedantic(lambda: profile.delta(eps=eps), setup=forget, rounds=3, iterations=1)
    benchmark.extra_info["delta"] = str(delta)
    assert delta > 0
    assert benchmark.stats.stats.median < target


@pytest.mark.parametrize("tool", ["exactdp", "scipy"])
def test_a_thousand_data_sets_beside_floats(benchmark, tool):
    """n = 1000, eps = 1/10: all 1000 data sets. Target: no slower than SciPy's floats in the same run."""
    n, exp_eps = 1000, Fraction(221, 200)
    if tool == "exactdp":
        profile = profile_of(n)
        delta = benchmark.pedantic(
            lambda: profile.delta(exp_eps=exp_eps, relative_bits=53), setup=forget, rounds=5, iterations=1
        )
        benchmark.extra_info["delta"] = str(delta)
        return
    numpy = pytest.importorskip("numpy", reason="needs the extra peers")
    binomial = pytest.importorskip("scipy.stats", reason="needs the extra peers").binom
    low, order = float(FLIP), float(exp_eps)

    def scan() -> float:
        best, high = 0.0, 1 - low
        for k in range(n):
            ones = numpy.convolve(
                binomial.pmf(numpy.arange(k + 1), k, high), binomial.pmf(numpy.arange(n - k), n - 1 - k, low)
            )
            same, more = numpy.append(ones, 0), numpy.append(0, ones)
            first, second = low * same + high * more, high * same + low * more
            best = max(best, numpy.maximum(first - order * second, 0).sum())
        return float(best)

    delta = benchmark.pedantic(scan, rounds=3, iterations=1)
    benchmark.extra_info["delta"] = repr(delta)
    assert abs(delta - float(profile_of(n).delta(exp_eps=exp_eps))) < 1e-9


@pytest.mark.parametrize(("n", "target"), [(10**3, 1), (10**4, 1), (10**5, 10)])
def test_eps_over_all_data_sets(benchmark, n, target):
    """The exact least eps at delta = 1e-6, over all data sets and both orders. Target: 1 s at n = 10^4."""
    profile = profile_of(n)
    eps = benchmark.pedantic(lambda: profile.epsilon("1e-6"), setup=forget, rounds=3, iterations=1)
    assert profile.delta(exp_eps=eps.argument) == Fraction(1, 10**6)
    assert benchmark.stats.stats.median < target


@pytest.mark.parametrize("k", [99_998, 50_000])
def test_exact_masses_of_one_event(benchmark, k):
    """P(T) and Q(T) of a worst event of n = 10^5 users, each in lowest terms. Target: 0.2 s at the winner, 99998."""
    n, m = 10**5, 10_000 + 8 * k // 10 + 200
    first, second = benchmark.pedantic(
        lambda: half_line_masses(n - 1, k, FLIP, 1 - FLIP, m), setup=forget, rounds=3, iterations=1
    )
    assert 0 < second < first < 1
    assert benchmark.stats.stats.median < (0.2 if k > n // 2 else 1)


def test_the_worst_data_set_exactly(benchmark):
    """n = 10^5: the pair that attains delta and delta itself, a fraction of 300000 digits."""
    engine = TwoMessageScan(10**5, FLIP, 1 - FLIP)
    event = benchmark.pedantic(lambda: engine.worst(Fraction(31, 30)), rounds=3, iterations=1)
    assert event.delta(Fraction(31, 30)) > 0
    assert benchmark.stats.stats.median < 1


def test_memory_where_the_worst_data_set_is_in_the_middle(peak_megabytes):
    """Target: under 1 GB at n = 10^6, measured in a process of its own."""
    program = (
        "import exactdp as xdp\n"
        "flip = xdp.protocols.randomized_response(2, gamma='1/5')\n"
        "xdp.ShuffleProtocol(flip, 10**6).privacy_profile().delta(eps='1/1000000')\n"
    )

    assert peak_megabytes(program) < 1000
