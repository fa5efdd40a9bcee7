"""What optimal accuracy and calibration cost. Run: python -m pytest benchmarks --benchmark-only -n 0"""

from fractions import Fraction

import pytest

import exactdp as xdp
from exactdp import bounds, protocols
from exactdp.protocols.accuracy.optimal import histogram_optimum
from exactdp.studies.calibration.savings import savings


@pytest.mark.parametrize("beta", ["1/20", "1e-9", "1e-300"])
def test_optimal_accuracy_of_zsum(benchmark, beta):
    """n = 10^9 with the theorem's gamma for eps = 1 and delta = 1e-6. Target: under 50 ms."""
    protocol = protocols.zsum_from_theorem(10**9, eps=1, delta="1e-6")
    alpha = benchmark.pedantic(lambda: xdp.optimal_accuracy(protocol, beta=beta), rounds=5, iterations=1)
    benchmark.extra_info["alpha"] = str(alpha)
    assert alpha < bounds.zsum_accuracy(10**9, gamma=1 - protocol.noise.p, beta=beta)
    assert benchmark.stats.stats.median < 0.05


@pytest.mark.parametrize("gamma", ["1/1000000", "1/1000"])
def test_optimal_accuracy_of_the_histogram(benchmark, gamma):
    """All of d = 10^9 bins together, n = 10^9, beta = 1/20. Target: under 1 s."""
    beta = Fraction(1, 20)
    alpha = benchmark.pedantic(lambda: histogram_optimum(10**9, 10**9, Fraction(gamma), beta), rounds=3, iterations=1)
    benchmark.extra_info["alpha"] = str(alpha)
    assert alpha < bounds.histogram_accuracy(10**9, gamma=gamma, beta=beta)
    assert benchmark.stats.stats.median < 1


@pytest.mark.parametrize("n", [1000, 2000, 10**6, 10**9])
def test_optimal_accuracy_of_randomized_response(benchmark, n):
    """gamma = 1/5, beta = 1e-6: exact to 2000 users, else the bracket."""
    protocol = protocols.k_ary(n, 2, gamma="1/5")
    alpha = benchmark.pedantic(lambda: xdp.optimal_accuracy(protocol, beta="1e-6"), rounds=3, iterations=1)
    benchmark.extra_info["alpha"] = str(alpha)
    assert isinstance(alpha, Fraction) is (n <= 2000)


@pytest.mark.parametrize(
    ("n", "eps", "delta", "target"),
    [(20000, "1", "1e-6", 5), (10**6, "1/10", "1e-9", 60), (10**9, "1/10", "1e-9", None)],
)
def test_calibrate_zsum(benchmark, n, eps, delta, target):
    """The least safe gamma on a grid of 2^-40, both certificates included. Targets: 5 s and 60 s."""
    found = benchmark.pedantic(lambda: xdp.calibrate(protocols.zsum, n=n, eps=eps, delta=delta), rounds=3, iterations=1)
    assert found.scope == "and every larger value up to 1/2"
    assert found.level == "certificate"
    saved = savings(found, eps=Fraction(eps), delta=Fraction(delta), beta=Fraction(1, 20))
    benchmark.extra_info |= {row.name: f"{row.exact}, factor {row.factor}" for row in saved.rows}
    assert target is None or benchmark.stats.stats.median < target


@pytest.mark.parametrize(
    ("family", "n"), [("randomized-response", 100), ("counting", None), ("discrete-gaussian", None)]
)
def test_calibrate_other_families(benchmark, family, n):
    """eps = 1, delta = 1e-6 on a grid of 2^-40, both certificates included."""
    found = benchmark.pedantic(lambda: xdp.calibrate(family, n=n, eps=1, delta="1e-6"), rounds=1, iterations=1)
    benchmark.extra_info["parameter"] = str(found.parameter)
    assert found.level == "certificate"
