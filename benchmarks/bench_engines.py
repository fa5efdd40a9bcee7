"""What the engines cost. Run: python -m pytest benchmarks --benchmark-only -n 0

Results are never cached between rounds, and each benchmark checks the value that it times.
"""

import resource
import subprocess
import sys
import time
from fractions import Fraction
from math import comb

import pytest

import exactdp as xdp
from exactdp.privacy.engine import _kept_event
from exactdp.privacy.planner import engine_of


@pytest.fixture
def uncached():
    """A function that forgets what earlier calls computed."""

    def forget() -> None:
        _kept_event.cache_clear()
        engine_of.cache_clear()

    return forget


def run(benchmark, uncached, compute, target, rounds=3):
    """Time ``compute`` from empty caches; twice the target in seconds is a failure, whatever else the machine does."""
    value = benchmark.pedantic(compute, setup=uncached, rounds=rounds, iterations=1)
    assert benchmark.stats.stats.median < 2 * target
    return value


BINARY = xdp.randomized_response(2, gamma="1/2")
FOUR = xdp.randomized_response(4, gamma="1/2")
THREE = xdp.Randomizer({x: {(y,): Fraction([6, 3, 2][(y - x) % 3], 11) for y in range(3)} for x in range(3)})


def test_worst_data_set_of_binary_randomized_response_200(benchmark, uncached):
    """Target: under 1 s."""
    profile = xdp.ShuffleProtocol(BINARY, 200).privacy_profile()
    assert 0 < run(benchmark, uncached, lambda: profile.delta(exp_eps="3/2"), target=1) < 1


def test_worst_data_set_of_three_inputs_and_messages_60(benchmark, uncached):
    """Target: under 15 s."""
    profile = xdp.ShuffleProtocol(THREE, 60).privacy_profile()
    assert 0 < run(benchmark, uncached, lambda: profile.delta(exp_eps="3/2"), target=15, rounds=2) < 1


@pytest.mark.parametrize(("n", "zeros"), [(1000, 0), (10_000, 0), (10_000, 5000)])
def test_one_pair_of_binary_randomized_response(benchmark, uncached, n, zeros):
    """Target: under 50 ms at n = 10^4."""
    pair = xdp.ShuffleProtocol(BINARY, n).pair_profile({0: zeros, 1: n - zeros}, {0: zeros + 1, 1: n - zeros - 1})
    assert 0 < run(benchmark, uncached, lambda: pair.delta(exp_eps="21/20"), target=0.05, rounds=5) < 1


def test_one_pair_with_a_fraction_for_each_term_1000(benchmark):
    """The way not to do it, at a tenth of the users, for the ratio: time grows like n^2.6."""
    n, f = 1000, Fraction(1, 4)

    def naive() -> Fraction:
        common = [comb(n - 1, t) * f**t * (1 - f) ** (n - 1 - t) for t in range(n)]
        padded = [Fraction(0), *common, Fraction(0)]
        total = Fraction(0)
        for t in range(n + 1):
            p = f * padded[t + 1] + (1 - f) * padded[t]
            q = (1 - f) * padded[t + 1] + f * padded[t]
            total += max(Fraction(0), p - Fraction(21, 20) * q)
        return total

    pair = xdp.ShuffleProtocol(BINARY, n).pair_profile({0: n}, {0: n - 1, 1: 1})
    assert benchmark.pedantic(naive, rounds=1, iterations=1) <= pair.delta(exp_eps="21/20")


def test_four_ary_pair_200_others_on_one_symbol(benchmark, uncached):
    """Target: under 2 s and 200 MB."""
    pair = xdp.ShuffleProtocol(FOUR, 200).pair_profile({2: 199, 0: 1}, {2: 199, 1: 1})
    assert 0 < run(benchmark, uncached, lambda: pair.delta(exp_eps="3/2"), target=2) < 1


def test_four_ary_pair_60_mixed(benchmark, uncached):
    """Target: under 2 s."""
    pair = xdp.ShuffleProtocol(FOUR, 60).pair_profile({0: 16, 1: 15, 2: 14, 3: 15}, {0: 15, 1: 16, 2: 14, 3: 15})
    assert 0 < run(benchmark, uncached, lambda: pair.delta(exp_eps="3/2"), target=2) < 1


def test_memory_of_the_four_ary_pair(peak_megabytes):
    """Target: under 200 MB, measured in a process of its own."""
    program = (
        "import exactdp as xdp\n"
        "pair = xdp.ShuffleProtocol(xdp.randomized_response(4, gamma='1/2'), 200)"
        ".pair_profile({2: 199, 0: 1}, {2: 199, 1: 1})\n"
        "pair.delta(exp_eps='3/2')\n"
    )
    peak = peak_megabytes(program)
    assert peak < 200


def cpu_seconds(*arguments: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_import_over_a_bare_interpreter(benchmark):
    """Target: at most 60 ms of CPU; the difference of two medians is in extra_info."""
    bare = sorted(cpu_seconds("-c", "pass") for _ in range(9))[4]
    ours = sorted(cpu_seconds("-c", "import exactdp") for _ in range(9))[4]
    benchmark.extra_info["cpu_milliseconds_over_bare"] = round(1000 * (ours - bare), 1)
    benchmark.pedantic(lambda: cpu_seconds("-c", "import exactdp"), rounds=5, iterations=1)
    assert ours - bare < 0.060


def test_help(benchmark):
    """Target: under 150 ms."""

    def wall() -> float:
        began = time.perf_counter()
        subprocess.run([sys.executable, "-m", "exactdp", "--help"], check=True, capture_output=True)
        return time.perf_counter() - began

    assert benchmark.pedantic(wall, rounds=5, iterations=1) < 0.3
