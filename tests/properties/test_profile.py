"""What every privacy profile must satisfy, and eps(delta) and the trade-off function against brute force."""

from fractions import Fraction
from itertools import pairwise

import mpmath
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from exactdp import (
    Law,
    LogRational,
    Neighbors,
    ShuffleProtocol,
    hockey_stick_divergence,
    protocols,
    randomized_response,
    total_variation_distance,
)
from exactdp.testing import exact_laws, exp_epsilons, neighboring_pairs, probabilities, randomizers
from exactdp.testing import protocols as shuffle_protocols
from tests.expensive import one_in
from tests.oracles import high_precision
from tests.oracles.brute_force import Oracle

RELATIONS = st.sampled_from(list(Neighbors))
BITS = st.integers(1, 300)


@one_in(2)
@given(shuffle_protocols(max_users=3), RELATIONS, st.lists(exp_epsilons(), min_size=3, max_size=3, unique=True))
def test_delta_is_convex_and_non_increasing(protocol, neighbors, orders):
    low, middle, high = sorted(orders)
    profile = protocol.privacy_profile(neighbors=neighbors)
    a, b, c = (profile.delta(exp_eps=e) for e in (low, middle, high))
    assert 1 >= a >= b >= c >= 0
    assert (high - low) * b <= (high - middle) * a + (middle - low) * c


@one_in(2)
@given(shuffle_protocols(max_users=3), RELATIONS, exp_epsilons(), BITS)
def test_enclosed_delta_contains_the_exact_one(protocol, neighbors, exp_eps, bits):
    profile = protocol.privacy_profile(neighbors=neighbors)
    exact = profile.delta(exp_eps=exp_eps)
    by_eps = profile.delta(eps=LogRational(exp_eps), relative_bits=bits)
    assert by_eps == profile.delta(exp_eps=exp_eps, relative_bits=bits)
    assert exact in by_eps
    assert (by_eps.hi - by_eps.lo) * 2**bits <= by_eps.lo


@given(shuffle_protocols(max_users=3), RELATIONS, st.fractions(0, 3, max_denominator=9), BITS)
@one_in(2)
def test_delta_at_a_rational_eps(protocol, neighbors, eps, bits):
    oracle = Oracle(protocol.randomizer.table(), protocol.n, neighbors.value)
    enclosure = protocol.privacy_profile(neighbors=neighbors).delta(eps=eps, relative_bits=bits)
    assert (enclosure.hi - enclosure.lo) * 2**bits <= enclosure.lo
    with high_precision.sixty_digits():
        pairs = [(oracle.law(a), oracle.law(b)) for a, b in oracle.pairs]
        value = max((high_precision.hockey_stick(p, q, eps) for p, q in pairs), default=mpmath.mpf(0))
        assert high_precision.contains(enclosure, value)
    ratio = oracle.largest_ratio()
    positive = ratio is None or mpmath.log(high_precision.number(ratio)) > high_precision.number(eps)
    assert (enclosure.lo > 0) == (enclosure.hi > 0) == positive


def test_the_precision_check_fails_when_it_should():
    profile = ShuffleProtocol(randomized_response(2, gamma="1/2"), 3).privacy_profile()
    with high_precision.sixty_digits():
        right = profile.delta(eps="1/2")
        value = high_precision.number(right.lo)
        assert high_precision.contains(right, value)
        assert not high_precision.contains(right, value * (1 + mpmath.mpf(2) ** -40))


@one_in(2)
@given(shuffle_protocols(max_users=3), RELATIONS, probabilities(max_denominator=40))
def test_epsilon_equals_brute_force(protocol, neighbors, delta):
    oracle = Oracle(protocol.randomizer.table(), protocol.n, neighbors.value)
    found, expected = protocol.privacy_profile(neighbors=neighbors).epsilon(delta), oracle.exp_epsilon(delta)
    assert found.is_infinite if expected is None else found == LogRational(expected)


@one_in(2)
@given(shuffle_protocols(max_users=3), RELATIONS, probabilities(max_denominator=40))
def test_epsilon_is_enough_and_nothing_less_is(protocol, neighbors, delta):
    profile = protocol.privacy_profile(neighbors=neighbors)
    epsilon = profile.epsilon(delta)
    if epsilon.is_infinite:
        assert profile.delta(exp_eps=10**60) > delta
        return
    assert profile.delta(exp_eps=epsilon.argument) <= delta
    just_below = epsilon.argument - Fraction(1, 10**40)
    assert epsilon.argument == 1 or profile.delta(exp_eps=just_below) > delta


@one_in(2)
@given(shuffle_protocols(max_users=3), exp_epsilons())
def test_round_trip_through_delta(protocol, exp_eps):
    profile = protocol.privacy_profile()
    delta = profile.delta(exp_eps=exp_eps)
    back = profile.epsilon(delta)
    assert not back.is_infinite
    assert back <= LogRational(exp_eps)
    assert profile.delta(exp_eps=back.argument) == delta


@given(shuffle_protocols(randomizers(max_outcomes=3), max_users=3), RELATIONS)
@one_in(3)
def test_tradeoff_is_the_lower_hull_of_all_tests(protocol, neighbors):
    """Below every Neyman-Pearson test, convex, and each of its corners attained by one: this is the lower hull."""
    oracle = Oracle(protocol.randomizer.table(), protocol.n, neighbors.value)
    function = protocol.privacy_profile(neighbors=neighbors).tradeoff()
    errors = {Fraction(k, 12) for k in range(13)} | {x for x, _ in function.vertices}
    for error in errors:
        assert function(error) <= oracle.tradeoff(error)
    for x, y in function.vertices:
        assert function(x) == y == oracle.tradeoff(x)
    grid = [function(Fraction(k, 12)) for k in range(13)]
    assert all(2 * b <= a + c for a, b, c in zip(grid, grid[1:], grid[2:], strict=False))
    assert function(1) == 0


@given(shuffle_protocols(randomizers(max_outcomes=3), max_users=3), probabilities(), exp_epsilons())
@one_in(2)
def test_tradeoff_is_dual_to_delta(protocol, error, exp_eps):
    """f(a) >= max(0, 1 - delta - E a, (1 - delta - a) / E) for every E, and equal for the best E."""
    profile = protocol.privacy_profile()
    function = profile.tradeoff()

    def line(order):
        delta = profile.delta(exp_eps=order)
        return max(Fraction(0), 1 - delta - order * error, (1 - delta - error) / order)

    assert function(error) >= line(exp_eps)
    points = function.vertices
    slopes = [(y0 - y1) / (x1 - x0) for (x0, y0), (x1, y1) in pairwise(points)]
    orders = {s if s >= 1 else 1 / s for s in slopes if s > 0} | {Fraction(1)}
    assert function(error) == max(line(order) for order in orders)


@one_in(2)
@given(exact_laws(), exact_laws(), exp_epsilons(), st.lists(st.integers(0, 2), min_size=12, max_size=12))
def test_data_processing(p, q, exp_eps, images):
    """No map of the outcomes raises a divergence, and Law.map is the law of the image."""
    before = hockey_stick_divergence(p, q, exp_eps=exp_eps)
    after = hockey_stick_divergence(p.map(lambda t: images[t]), q.map(lambda t: images[t]), exp_eps=exp_eps)
    assert after <= before
    for law in (p, q):
        image = law.map(lambda t: images[t])
        assert sum(image.prob(v) for v in range(3)) == 1
        for v in range(3):
            assert image.prob(v) == sum((mass for t, mass in law.items() if images[t] == v), Fraction(0))


@one_in(2)
@given(exact_laws(), exact_laws(), exact_laws())
def test_total_variation_is_a_metric(p, q, r):
    assert total_variation_distance(p, q) == total_variation_distance(q, p)
    assert (total_variation_distance(p, q) == 0) == (p == q)
    assert total_variation_distance(p, r) <= total_variation_distance(p, q) + total_variation_distance(q, r)


@given(st.data())
@one_in(2)
def test_no_neighbouring_pair_is_above_the_profile(data):
    protocol = data.draw(shuffle_protocols(max_users=4))
    first, second = data.draw(neighboring_pairs(protocol))
    exp_eps = data.draw(exp_epsilons())
    pair = hockey_stick_divergence(protocol.law(first), protocol.law(second), exp_eps=exp_eps)
    assert pair <= protocol.privacy_profile().delta(exp_eps=exp_eps)


@given(st.data())
@one_in(2)
def test_added_or_removed_pairs_differ_in_one_user(data):
    protocol = data.draw(shuffle_protocols())
    first, second = data.draw(neighboring_pairs(protocol, Neighbors.ADD_OR_REMOVE_ONE))
    assert sorted(map(len, (first, second))) == [protocol.n - 1, protocol.n]
    assert max(first, second, key=len)[:-1] == min(first, second, key=len)


@one_in(2)
@given(randomizers(), st.integers(1, 4), RELATIONS, exp_epsilons())
def test_adding_a_user_never_hurts(randomizer, n, neighbors, exp_eps):
    fewer, more = (ShuffleProtocol(randomizer, users).privacy_profile(neighbors=neighbors) for users in (n, n + 1))
    assert more.delta(exp_eps=exp_eps) <= fewer.delta(exp_eps=exp_eps)
    assert more.epsilon(0) <= fewer.epsilon(0)


@one_in(2)
@given(randomizers(min_inputs=2, min_sends=1, max_sends=1), st.integers(1, 6))
def test_one_message_per_user_and_pure_privacy(randomizer, n):
    """The shuffler adds nothing: the pure eps of the view is the local one, for every n."""
    assert ShuffleProtocol(randomizer, n).privacy_profile().epsilon(0) == randomizer.local_epsilon()


@pytest.mark.parametrize("n", [2, 3, 5])
def test_two_messages_break_it(n):
    protocol = protocols.complement(n)
    assert protocol.randomizer.local_epsilon().is_infinite
    assert protocol.privacy_profile().epsilon(0) == LogRational(1)


@given(randomizers(min_inputs=2))
@one_in(2)
def test_local_epsilon_against_the_protocol_of_one_user(randomizer):
    assert ShuffleProtocol(randomizer.local(), 1).privacy_profile().epsilon(0) == randomizer.local_epsilon()


@given(exact_laws(max_outcomes=4), st.integers(1, 3))
@one_in(3)
def test_additive_profiles_have_a_tradeoff_too(noise, shift):
    from exactdp import AdditiveProtocol

    function = AdditiveProtocol(noise, shift=shift).privacy_profile().tradeoff()
    assert function(0) <= 1
    assert function(1) == 0
    xs = [x for x, _ in function.vertices]
    assert xs == sorted(set(xs))
    assume(len(xs) > 1)
    for x, y in function.vertices:
        assert function(y) <= x  # symmetric in the two errors


def test_laws_are_laws():
    assert total_variation_distance(Law({0: 1}), Law({1: 1})) == 1
