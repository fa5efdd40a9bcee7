"""What sums of flipped bits cost. Run: python -m pytest benchmarks/bench_sums.py --benchmark-only -n 0"""

from fractions import Fraction as F

import pytest

from exactdp import Neighbors, protocols
from exactdp.privacy import planner
from exactdp.protocols.aggregated import two_columns
from exactdp.randomizers import UnaryEncoding


def forget() -> None:
    for module in (two_columns, planner):
        for kept in vars(module).values():
            if hasattr(kept, "cache_clear"):
                kept.cache_clear()


@pytest.mark.parametrize("n", [10**5, 10**9])
@pytest.mark.parametrize("eps0", ["5", "13/2"])
def test_eps_of_a_replaced_vector(benchmark, eps0, n):
    """Target: 2 s, and ends 0.1 % apart: 100 columns, delta = 1e-9; a cold start, which no cache helps."""
    protocol = protocols.aggregate(UnaryEncoding(100, exp_eps0=f"exp({2 * F(eps0)})"), n)
    eps = benchmark.pedantic(lambda: protocol.privacy_profile().epsilon("1e-9"), setup=forget, rounds=3, iterations=1)
    benchmark.extra_info |= {"eps": str(eps)}
    assert eps.hi / eps.lo < F(1001, 1000)
    assert benchmark.stats.stats.median < 2 * 2  # twice the target is a failure, whatever else the machine does


def test_eps_of_zeros(benchmark):
    """Target: 0.5 s; the same with one column."""
    protocol = protocols.aggregate(UnaryEncoding(100, exp_eps0="exp(10)"), 10**5)
    profile = protocol.privacy_profile(neighbors=Neighbors.REPLACE_BY_ZEROS)
    eps = benchmark.pedantic(lambda: profile.epsilon("1e-9", relative_bits=40), setup=forget, rounds=3, iterations=1)
    benchmark.extra_info |= {"eps": str(eps)}
    assert abs(float(eps) - 0.2119526772) < 2e-10
    assert benchmark.stats.stats.median < 1
