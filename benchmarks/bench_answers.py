"""Answers that took too long to wait for: trade-off functions, pairs of three messages, calibration at large n."""

from __future__ import annotations

import pytest

import exactdp as xdp


def response(n, gamma):
    return xdp.ShuffleProtocol(xdp.randomized_response(2, gamma=gamma), n)


@pytest.mark.parametrize(("n", "gamma"), [(500, "1/2"), (300, f"{2**50 + 1}/{2**53}")])
def test_tradeoff(benchmark, n, gamma):
    """Before: 10 s at n = 500, 11 s at n = 300 with a gamma of 53 bits."""
    found = benchmark.pedantic(lambda: response(n, gamma).privacy_profile().tradeoff(), rounds=1)
    assert len(found.vertices) > 10


def test_pair_of_three_messages(benchmark):
    """Before: 154 s."""
    protocol = xdp.ShuffleProtocol(xdp.randomized_response(3, gamma="1/2"), 5000)
    profile = protocol.pair_profile({0: 5000}, {0: 4999, 1: 1})
    assert benchmark.pedantic(lambda: profile.delta(exp_eps="3/2"), rounds=1) < 1


@pytest.mark.parametrize("n", [10**6, 10**9])
def test_calibrate_randomized_response(benchmark, n):
    found = benchmark.pedantic(lambda: xdp.calibrate("randomized-response", n=n, eps="1/10", delta="1e-6"), rounds=1)
    assert found.local_epsilon is not None
