"""What the systems of the reading notes cost. Run: python -m pytest benchmarks --benchmark-only -n 0"""

from fractions import Fraction

import exactdp as xdp
from exactdp import protocols
from exactdp.bounds import split_and_mix_distance


def test_correlated_counting_of_a_billion_users(benchmark):
    """Target: 1 s for delta."""
    protocol = protocols.correlated_counting_from_theorem(10**9, eps=1, delta="1e-6")
    answer = benchmark(lambda: protocol.privacy_profile().delta(eps=1))
    assert 0 < answer.lo <= answer.hi < Fraction(1, 10**6)


def test_its_least_noise_with_certificates(benchmark):
    """Target: 30 s."""
    found = benchmark.pedantic(
        lambda: xdp.calibrate("correlated-counting", n=10**9, eps=1, delta="1e-6"), rounds=3, iterations=1
    )
    assert (found.level, found.holds.verdict) == ("certificate", xdp.Verdict.PROVED)
    assert 8 < found.parameter < 9


def test_split_and_mix_bound_of_a_million_users(benchmark):
    """Target: 1 s."""
    distance = benchmark(lambda: split_and_mix_distance(10**6, modulus=2**32, messages=10))
    assert 0 < distance.hi < Fraction(1, 10**20)


def test_split_and_mix_exact_views(benchmark):
    """Target: 10 s for n = 4, q = 5, m = 3."""
    protocol = protocols.split_and_mix(4, modulus=5, messages=3)
    distance = benchmark.pedantic(lambda: protocol.total_variation({0: 4}, {1: 1, 4: 1, 0: 2}), rounds=1, iterations=1)
    assert 0 < distance < 1


def test_no_local_protocol_of_a_billion_users(benchmark):
    """An error that no local protocol stays below, in some seconds."""
    bound = benchmark.pedantic(lambda: xdp.local_lower_bound(10**9, exp_eps=3, beta="1/20"), rounds=1, iterations=1)
    assert bound.error == 53314
