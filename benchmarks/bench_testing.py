"""What exactdp.testing costs other people's tests.

Run: python -m pytest benchmarks/bench_testing.py --benchmark-only -n 0 -s

Sessions with and without the plugin run in turns, each in a process of its own, so that a busy machine slows both.
"""

import os
import subprocess
import sys
from statistics import median
from time import perf_counter

import exactdp as xdp
from exactdp.testing import assert_not_refuted, samples_needed

ROUNDS = 11


def test_the_plugin_in_a_session_that_does_not_use_it(benchmark, tmp_path):
    """100 tests that know nothing of exactdp. Target: the plugin adds at most 0.2 s."""
    (tmp_path / "test_other.py").write_text(
        "import pytest\n@pytest.mark.parametrize('k', range(100))\ndef test_other(k):\n    assert k < 100\n"
    )
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

    def session(*options):
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
        began = perf_counter()
        subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
        return perf_counter() - began

    bare = [session()]
    benchmark.pedantic(
        lambda: session("-p", "exactdp.testing.plugin"),
        setup=lambda: bare.append(session()),
        rounds=ROUNDS,
        iterations=1,
    )
    added = benchmark.stats.stats.median - median(bare)
    benchmark.extra_info["seconds added"] = round(added, 3)
    print(f"\nthe plugin adds {1000 * added:.0f} ms to {median(bare):.2f} s")
    assert added < 0.2


def test_how_many_draws_find_every_law(benchmark):
    """The cells of 286 outcomes around the mode, and a search for the size."""
    benchmark.pedantic(lambda: samples_needed(xdp.Poisson(1000), total_variation="1/20"), rounds=3, iterations=1)


def test_a_black_box_that_passes(benchmark):
    """20,000 draws of each: every event is chosen, few are tested."""

    def noisy(count):
        return lambda size, rng: count + rng.geometric(0.5, size) - rng.geometric(0.5, size)

    def laplace(count):
        return lambda size, rng: count + rng.laplace(size=size)

    def both():
        assert_not_refuted(noisy(0), noisy(1), exp_eps=2, delta=0, seed=1)
        assert_not_refuted(laplace(0), laplace(1), eps=1, delta=0, seed=1)

    benchmark.pedantic(both, rounds=3, iterations=1)
