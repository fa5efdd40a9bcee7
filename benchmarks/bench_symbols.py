"""What laws and deltas for whole boxes of parameters cost. Run: python -m pytest benchmarks --benchmark-only -n 0"""

from fractions import Fraction

import pytest

import exactdp as xdp
from exactdp import symbolic

BOX = ("1/10", "9/10")
THREE = symbolic.randomized_response(3, gamma=BOX)
BINARY = symbolic.randomized_response(2, gamma=BOX)


def test_law_of_3_ary_response_of_6_users(benchmark):
    """Target: 5 s."""
    protocol = xdp.ShuffleProtocol(THREE, 6)
    law = benchmark(lambda: protocol.law([0, 0, 1, 1, 2, 2]))
    assert law.at(gamma="1/3") == xdp.ShuffleProtocol(THREE.at(gamma="1/3"), 6).law([0, 0, 1, 1, 2, 2])


@pytest.mark.parametrize(("randomizer", "n", "pieces"), [(BINARY, 10, 7), (BINARY, 20, 12), (THREE, 6, 12)])
def test_delta_for_all_gamma(benchmark, randomizer, n, pieces):
    """Every pair of data sets, at e^eps = 3/2; no target is set."""
    protocol = xdp.ShuffleProtocol(randomizer, n)
    delta = benchmark.pedantic(lambda: symbolic.profile(protocol).delta(exp_eps="3/2"), rounds=3, iterations=1)
    plain = xdp.ShuffleProtocol(randomizer.at(gamma="1/3"), n).privacy_profile()
    assert delta.at(gamma="1/3") == plain.delta(exp_eps="3/2")
    assert len(delta.pieces) == pieces


def test_event_polynomials_of_three_messages_and_two_parameters(benchmark):
    """n = 4; no target is set."""
    rows = {0: {(0,): "1-p-q", (1,): "p", (2,): "q"}, 1: {(0,): "q", (1,): "1-p-q", (2,): "p"}}
    randomizer = symbolic.randomizer(rows, {"p": ("1/10", "1/4"), "q": ("1/10", "1/5")})
    protocol = xdp.ShuffleProtocol(randomizer, 4)
    delta = benchmark.pedantic(lambda: symbolic.profile(protocol).delta(exp_eps="3/2"), rounds=1, iterations=1)
    plain = xdp.ShuffleProtocol(randomizer.at(p="1/5", q="1/8"), 4).privacy_profile()
    assert delta.at(p="1/5", q="1/8") == plain.delta(exp_eps="3/2")


def test_a_formula_proved_for_ten_sizes(benchmark):
    """(1 - gamma/2)^(n-1) (1 - 3 gamma/2) at e^eps = 2, n = 1 to 10; no target is set."""
    randomizer = symbolic.randomized_response(2, gamma=("1/10", Fraction(2, 3)))
    formula = "(1 - gamma/2)^(n-1) * (1 - 3*gamma/2)"
    proof = benchmark.pedantic(
        lambda: symbolic.prove_formula(randomizer, formula, exp_eps=2, most=10), rounds=1, iterations=1
    )
    assert proof.proved == tuple(range(1, 11))
