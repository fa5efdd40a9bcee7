"""What noise of any size costs. Run: python -m pytest benchmarks --benchmark-only -n 0

The comparison with dp-accounting needs the extra ``peers``; without it, it is skipped.
"""

import math
import random
from fractions import Fraction

import pytest

import exactdp as xdp
from exactdp.privacy.noise.lattice_shift import _kept_bound
from exactdp.privacy.planner import engine_of


@pytest.mark.parametrize(
    ("n", "eps"), [(10**6, "1/5"), (10**9, "1/100"), (10**12, "1/3000"), (10**15, "1/100000"), (10**15, "1")]
)
def test_enclosed_shift_privacy_of_binomial_noise(benchmark, n, eps):
    """Bin(n, 1/1000) against itself shifted by one, both orders, to 53 bits. Target: under 50 ms each (n = 10^15 and
    eps = 1, a value near 1e-100000000, only has to answer)."""
    profile = xdp.shift_profile(xdp.Binomial(n, "1/1000"))
    assert benchmark.pedantic(lambda: profile.delta(eps=eps), rounds=5, iterations=1) > 0
    assert benchmark.stats.stats.median < 0.05


@pytest.mark.parametrize("eps", ["1/5", "1"])
@pytest.mark.parametrize("tool", ["exactdp", "dp-accounting"])
def test_shift_privacy_beside_a_privacy_loss_distribution(benchmark, tool, eps):
    """Bin(10^6, 1/1000) against itself shifted by one: time and value, from the same two laws, in one run."""
    n, p = 10**6, Fraction(1, 1000)
    if tool == "exactdp":
        profile = xdp.shift_profile(xdp.Binomial(n, p))
        value = benchmark.pedantic(lambda: profile.delta(eps=eps), rounds=5, iterations=1)
        benchmark.extra_info["delta"] = str(value)
        return
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution", reason="needs the extra peers")
    stats = pytest.importorskip("scipy.stats", reason="needs the extra peers")
    masses = stats.binom.logpmf(range(n + 1), n, float(p))
    first = dict(enumerate(map(float, masses)))
    second = {t + 1: mass for t, mass in first.items()}

    def delta() -> float:
        loss = pld.from_two_probability_mass_functions(first, second, symmetric=False)
        return loss.get_delta_for_epsilon(float(Fraction(eps)))

    benchmark.extra_info["delta"] = repr(float(benchmark.pedantic(delta, rounds=1, iterations=1)))


@pytest.mark.parametrize(("n", "target"), [(10**5, 0.2), (10**6, 2)])
def test_exact_delta_of_binomial_noise(benchmark, n, target):
    """Bin(n, 1/3) against itself shifted by one, a fraction in lowest terms. Target: 0.2 s and 2 s."""
    profile = xdp.shift_profile(xdp.Binomial(n, "1/3"))

    def forget() -> None:
        _kept_bound.cache_clear()
        engine_of.cache_clear()

    value = benchmark.pedantic(lambda: profile.delta(exp_eps=2), setup=forget, rounds=3, iterations=1)
    assert isinstance(value, Fraction)
    assert value > 0
    assert benchmark.stats.stats.median < target


def test_memory_of_the_exact_delta(peak_megabytes):
    """Target: under 200 MB at n = 10^6, measured in a process of its own."""
    program = "import exactdp as xdp\nxdp.shift_profile(xdp.Binomial(10**6, '1/3')).delta(exp_eps=2)\n"

    assert peak_megabytes(program) < 200


def test_ten_thousand_enclosed_tails(benchmark):
    """n = 10^6, k uniform within 8 standard deviations, to 53 bits. Target: under 30 s on one core."""
    draw, n, questions = random.Random(1), 10**6, []
    for _ in range(10_000):
        p = Fraction(draw.randint(1, 999), 1000)
        reach = 8 * math.isqrt(int(n * p * (1 - p)))
        questions.append((xdp.Binomial(n, p), int(n * p) + draw.randint(-reach, reach)))

    def answer() -> int:
        return sum(law.cdf(k).upper.mantissa > 0 for law, k in questions)

    assert benchmark.pedantic(answer, rounds=1, iterations=1) == len(questions)
    assert benchmark.stats.stats.median < 30


LAWS = [
    xdp.BinomialSum(10**9, "3/4", 10**9, "1/4"),
    xdp.NegativeBinomial(3 * (1 + xdp.Real.log(10**6)), xdp.Real.exp("-1/1000")),
    xdp.DiscreteLaplace(xdp.Real.exp("1/1000")),
    xdp.DiscreteGaussian(10**12),
    xdp.Poisson(10**12),
]


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_enclosed_shift_privacy_of_other_noise(benchmark, law):
    """At eps = 1/2000 where the noise allows it, to 53 bits."""
    profile = xdp.shift_profile(law)
    benchmark.extra_info["delta"] = str(benchmark.pedantic(lambda: profile.delta(eps="1/2000"), rounds=3, iterations=1))


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_eps_of_other_noise(benchmark, law):
    """The least eps at delta = 1e-9, enclosed to 53 bits."""
    profile = xdp.shift_profile(law)
    benchmark.extra_info["eps"] = str(benchmark.pedantic(lambda: profile.epsilon("1e-9"), rounds=1, iterations=1))
