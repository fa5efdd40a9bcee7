"""What composition costs. Run: python -m pytest benchmarks --benchmark-only -n 0

The comparison with dp-accounting runs in a process of its own: the Python named by EXACTDP_PEERS_PYTHON, or this one.
Without the extra ``peers`` there it is skipped.
"""

import os
import subprocess
import sys
from fractions import Fraction

import pytest

import exactdp as xdp
from exactdp.privacy.composition import composed, mechanisms
from exactdp.privacy.composition import law_pairs as pairs

PEERS = os.environ.get("EXACTDP_PEERS_PYTHON", sys.executable)


def forget() -> None:
    for cached in (composed._bracketed, mechanisms.mechanisms_of, pairs._window_losses, pairs._finite_losses):
        cached.cache_clear()


def closed(benchmark, profile, eps, width, target, rounds=3):
    """Measure one bracket from nothing, and check its width and the target."""
    value = benchmark.pedantic(
        lambda: profile.delta(eps=eps, relative_width=width), setup=forget, rounds=rounds, iterations=1
    )
    found = (value.hi - value.lo) / value.hi
    benchmark.extra_info |= {"delta": str(value), "relative width": f"{float(found):.1e}"}
    assert found <= Fraction(width)
    assert target is None or benchmark.stats.stats.median < target


@pytest.mark.parametrize(("width", "target"), [("1e-3", 0.5), ("1e-5", 4)])
@pytest.mark.parametrize("eps", [1, 2, 3])
def test_ten_runs_of_binomial_noise(benchmark, eps, width, target):
    """Bin(1000, 1/2), shift 1: delta near 1e-8, 1e-25 and 1e-52. Targets: 0.5 s and 4 s."""
    closed(benchmark, xdp.shift_profile(xdp.Binomial(1000, "1/2")).compose(10), eps, width, target)


def test_ten_runs_of_binomial_noise_to_seven_digits(benchmark):
    """The same at eps = 2 and a width of 1e-7."""
    profile = xdp.shift_profile(xdp.Binomial(1000, "1/2")).compose(10)
    closed(benchmark, profile, 2, "1e-7", None, rounds=1)


@pytest.mark.parametrize("eps", [8, 30, 100])
def test_a_thousand_runs_of_binomial_noise(benchmark, eps):
    """Bin(1000, 1/2), shift 1, width 1e-3. Target: 6 s."""
    closed(benchmark, xdp.shift_profile(xdp.Binomial(1000, "1/2")).compose(1000), eps, "1e-3", 6)


@pytest.mark.parametrize("eps", [1, 8])
def test_ten_runs_of_skewed_noise(benchmark, eps):
    """Bin(10^5, 1/100), shift 1: both orders count, and the adaptive bracket ends at the gap between notions."""
    profile = xdp.shift_profile(xdp.Binomial(10**5, "1/100")).compose(10)
    value = benchmark.pedantic(lambda: profile.delta(eps=eps), setup=forget, rounds=1, iterations=1)
    benchmark.extra_info |= {"delta": str(value)}


@pytest.mark.parametrize(("sigma_squared", "times", "eps"), [(100, 10, 1), (100, 100, 4), (10**12, 10**5, "1/500")])
def test_runs_of_gaussian_noise(benchmark, sigma_squared, times, eps):
    """Discrete Gaussian noise, shift 1, width 1e-4: the sum of the outcomes says all. Target: 0.2 s."""
    closed(benchmark, xdp.shift_profile(xdp.DiscreteGaussian(sigma_squared)).compose(times), eps, "1e-4", 0.2)


def test_ten_runs_of_a_histogram(benchmark):
    """1000 users, any number of bins, Bin(1000, 1/2) in each, width 1e-3."""
    profile = xdp.AdditiveProtocol(xdp.Binomial(1000, "1/2"), bins=100).privacy_profile()
    closed(benchmark, profile.compose(10), 1, "1e-3", None)


def test_exact_runs_of_randomized_response(benchmark):
    """10^4 runs, one user, gamma = 1/2: a fraction."""
    profile = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 1).privacy_profile()

    def forget_all() -> None:
        forget()
        composed._exact_products.cache_clear()

    value = benchmark.pedantic(
        lambda: profile.compose(10**4).delta(exp_eps=3**6000), setup=forget_all, rounds=3, iterations=1
    )
    assert isinstance(value, Fraction)


PEER = """
import math, sys, time
try:
    from dp_accounting.pld import privacy_loss_distribution as pld
    from scipy.stats import binom
except ImportError:
    sys.exit(3)
began = time.perf_counter()
first = {t: float(p) for t, p in enumerate(binom.logpmf(range(1001), 1000, 0.5))}
second = {t + 1: p for t, p in first.items()}
sides = []
for pessimistic in (False, True):
    one = pld.from_two_probability_mass_functions(
        first, second, pessimistic_estimate=pessimistic, value_discretization_interval=float(sys.argv[1])
    )
    sides.append(one.self_compose(10))
print(time.perf_counter() - began, *(repr(float(s.get_delta_for_epsilon(e))) for e in (1.0, 2.0) for s in sides))
"""


@pytest.mark.parametrize("interval", ["1e-4", "1e-5"])
def test_dp_accounting(benchmark, interval):
    """The same ten runs with both roundings, at eps = 1 and 2, in floats."""

    def run() -> list[str]:
        done = subprocess.run([PEERS, "-c", PEER, interval], capture_output=True, text=True, check=False)
        if done.returncode == 3:
            pytest.skip("dp-accounting and SciPy are not installed: they come with the extra peers")
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    seconds, low, high, far_low, far_high = benchmark.pedantic(run, rounds=1, iterations=1)
    width = (float(high) - float(low)) / float(high)
    benchmark.extra_info |= {"seconds": seconds, "eps 1": f"[{low}, {high}], width {width:.1e}"}
    benchmark.extra_info |= {"eps 2": f"[{far_low}, {far_high}]"}
