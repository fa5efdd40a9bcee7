"""What a draw costs, beside NumPy's own. Run: python -m pytest benchmarks/bench_sampling.py --benchmark-only -n 0

Ratios are of medians of alternating runs in one process, so that a busy machine slows both sides.
"""

from fractions import Fraction
from statistics import median
from time import perf_counter

import numpy as np

import exactdp as xdp
from exactdp import Randomizer, ShuffleProtocol, protocols
from exactdp.sampling import clopper_pearson, sample, sample_blocks, simulate
from exactdp.testing import assert_samples_match

N = 10**9
BINS = 10**6
ROUNDS = 15


def rng():
    return np.random.default_rng(1)


def seconds(action):
    began = perf_counter()
    action()
    return perf_counter() - began


def beside(benchmark, ours, bare):
    """Time ``ours`` and ``bare`` in turns; record and return the ratio of their medians, ours over bare."""
    bare()
    ours()
    reference = [seconds(bare)]

    def setup():
        reference.append(seconds(bare))

    benchmark.pedantic(ours, setup=setup, rounds=ROUNDS, iterations=1)
    ratio = benchmark.stats.stats.median / median(reference)
    benchmark.extra_info["ratio to NumPy"] = round(ratio, 3)
    return ratio


def test_zsum_beside_the_bare_binomial(benchmark):
    """10^6 draws at n = 10^9. Target: at least 0.7 of the rate of Generator.binomial with the same parameters."""
    protocol, dataset = protocols.zsum(N, gamma="1/8"), {0: N - 10, 1: 10}
    ratio = beside(
        benchmark,
        lambda: sample(protocol, dataset, size=10**6, rng=rng()),
        lambda: rng().binomial(N, 0.875, 10**6),
    )
    assert 1 / ratio > 0.7


def test_zsum_in_blocks_beside_the_bare_binomial(benchmark):
    """The same draws, a block at a time."""
    protocol, dataset = protocols.zsum(N, gamma="1/8"), {0: N - 10, 1: 10}
    ratio = beside(
        benchmark,
        lambda: sum(map(len, sample_blocks(protocol, dataset, size=10**6, rng=rng(), block=10_000))),
        lambda: rng().binomial(N, 0.875, 10**6),
    )
    assert 1 / ratio > 0.7


def test_all_bins_of_a_histogram_beside_the_bare_binomial(benchmark):
    """One draw of d = 10^6 bins, n = 10^9. Target: within 1.5 times the bare vectorized call."""
    protocol, counts = protocols.histogram(N, BINS, gamma="1/1024"), np.full(BINS, N // BINS)
    ratio = beside(
        benchmark,
        lambda: sample(protocol, counts, size=1, rng=rng()),
        lambda: rng().binomial(N, 1023 / 1024, BINS),
    )
    assert ratio < 1.5


def test_memory_of_all_bins_of_a_histogram(peak_megabytes):
    """Target: under 500 MB for one draw of d = 10^6 bins, n = 10^9, in a process of its own."""
    program = (
        "import numpy as np\n"
        "from exactdp import protocols\n"
        "from exactdp.sampling import sample\n"
        f"counts = np.full({BINS}, {N // BINS})\n"
        f"protocol = protocols.histogram({N}, {BINS}, gamma='1/1024')\n"
        f"assert sample(protocol, counts, size=1, rng=np.random.default_rng(1)).shape == (1, {BINS})\n"
    )
    assert peak_megabytes(program) < 500


def test_sixteen_inputs_and_sixteen_message_types(benchmark):
    """A finite randomizer without structure, every input held, n = 10^9, 10^4 draws. Target: under 1 s."""
    weights = np.random.default_rng(3).integers(1, 100, (16, 16)).tolist()
    table = {x: {(y,): Fraction(w, sum(row)) for y, w in enumerate(row)} for x, row in enumerate(weights)}
    protocol, dataset = ShuffleProtocol(Randomizer(table), N), dict.fromkeys(range(16), N // 16)
    drawn = benchmark.pedantic(lambda: sample(protocol, dataset, size=10**4, rng=rng()), rounds=5, iterations=1)
    assert (drawn.sum(axis=1) == N).all()
    assert benchmark.stats.stats.median < 1


FOUR = ShuffleProtocol(xdp.randomized_response(4, gamma="1/2"), 10**6)
QUARTERS = dict.fromkeys(range(4), 10**6 // 4)


def test_one_draw_of_a_million_users(benchmark):
    """Randomized response on four symbols, n = 10^6, one draw a call. Target: under 2 ms."""
    benchmark.pedantic(lambda: sample(FOUR, QUARTERS, size=1, rng=rng()), rounds=50, iterations=1, warmup_rounds=2)
    benchmark.extra_info["milliseconds a draw of 10^4"] = round(
        seconds(lambda: sample(FOUR, QUARTERS, size=10**4, rng=rng())) / 10, 4
    )
    assert benchmark.stats.stats.median < 0.002


def test_one_simulation_of_a_million_users(benchmark):
    """The same draw by simulating every user and a real shuffle, beside the fast path in the same run."""
    benchmark.pedantic(lambda: simulate(FOUR, QUARTERS, size=1, rng=rng()), rounds=3, iterations=1)
    fast = median(seconds(lambda: sample(FOUR, QUARTERS, size=1, rng=rng())) for _ in range(50))
    ratio = benchmark.stats.stats.median / fast
    benchmark.extra_info["ratio to the fast path"] = round(ratio)
    assert ratio > 10


def test_a_comparison_with_the_exact_law(benchmark):
    """10^5 draws of zsum at n = 10^9 against Bin(n, 7/8), with a false alarm of 1e-9."""
    law = xdp.Binomial(N, "7/8")
    benchmark.pedantic(
        lambda: assert_samples_match(lambda size, rng: rng.binomial(N, 0.875, size), law, size=10**5, seed=1),
        rounds=3,
        iterations=1,
    )


def test_a_confidence_interval(benchmark):
    """Clopper-Pearson at 10^6 trials and confidence 1 - 1e-9."""
    benchmark.pedantic(lambda: clopper_pearson(1234, 10**6, confidence="0.999999999"), rounds=10, iterations=1)
