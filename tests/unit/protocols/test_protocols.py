"""The published protocols: tables, laws and estimates."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import Law, LogRational, ShuffleProtocol, protocols, randomized_response
from exactdp.errors import ExactDPError
from exactdp.testing import probabilities
from tests.expensive import one_in
from tests.oracles.brute_force import Oracle


@one_in(2)
@given(st.integers(2, 6), probabilities())
def test_randomized_response(k, gamma):
    randomizer = randomized_response(k, gamma=gamma)
    for x, row in randomizer.table().items():
        for y in range(k):
            assert row.get((y,), 0) == (1 - gamma) * (x == y) + gamma / k
    epsilon = randomizer.local_epsilon()
    assert epsilon.is_infinite if gamma == 0 else epsilon == LogRational(1 + k * (1 - gamma) / gamma)


@pytest.mark.parametrize("n", range(1, 5))
def test_estimates_are_unbiased(n):
    protocol = protocols.k_ary(n, 3, gamma="1/4", symbol=2)
    for data in ([2] * n, [0, 1, 2, 2][:n], [0] * n):
        law = protocol.law(data)
        assert sum(p * protocol.estimate(view) for view, p in law.items()) == data.count(2)
    zsum = protocols.zsum(n, gamma="1/4")
    for ones in range(n + 1):
        law = zsum.law({1: ones, 0: n - ones})
        for count, _ in law.items():
            expected = Fraction(count, n) - Fraction(3, 4) if count > n else 0
            assert zsum.estimate(count) == expected


@pytest.mark.parametrize("n", range(1, 6))
def test_nothing_in_nothing_out(n):
    zsum = protocols.zsum(n, gamma="1/3")
    assert all(zsum.estimate(count) == 0 for count in zsum.law([0] * n))


@pytest.mark.parametrize("n", range(1, 4))
def test_zsum_is_its_randomizer(n):
    named, table = protocols.zsum(n, gamma="1/3"), protocols.zsum_randomizer(gamma="1/3")
    for data in product((0, 1), repeat=n):
        shuffled = ShuffleProtocol(table, n).law(data).map(lambda counts: counts[0])
        assert shuffled == named.law(data)


@pytest.mark.parametrize("n", range(1, 7))
def test_complement_shows_nothing(n):
    protocol = protocols.complement(n)
    for ones in range(n + 1):
        assert protocol.law({1: ones, 0: n - ones}) == Law({(n, n): 1})


@pytest.mark.parametrize("n", [1, 2])
def test_gap_against_brute_force(n):
    oracle, profile = Oracle(protocols.gap_randomizer().table(), n), protocols.gap(n).privacy_profile()
    ratio = oracle.largest_ratio()
    assert profile.epsilon(0).is_infinite if ratio is None else profile.epsilon(0) == LogRational(ratio)
    assert profile.delta(exp_eps="9/8") == oracle.delta(Fraction(9, 8))


@pytest.mark.parametrize(
    "make",
    [
        lambda: randomized_response(1, gamma="1/2"),
        lambda: randomized_response(2, gamma=0.5),
        lambda: randomized_response(2, gamma="3/2"),
        lambda: protocols.zsum(0, gamma="1/2"),
        lambda: protocols.zsum(3, gamma="-1/2"),
        lambda: protocols.k_ary(3, 2, gamma=1),
        lambda: protocols.k_ary(3, 2, gamma="1/2", symbol=5),
        lambda: protocols.k_ary(3, 2, gamma="1/2", symbol=[1]),
        lambda: protocols.complement(-1),
        lambda: protocols.gap(2.0),
    ],
)
def test_parameters_outside_their_range(make):
    with pytest.raises(ExactDPError):
        make()
