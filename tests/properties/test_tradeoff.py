"""Trade-off functions: all outcomes listed at once against a search at every crossing of lines."""

from fractions import Fraction
from time import process_time

from hypothesis import assume, given
from hypothesis import strategies as st

from exactdp import AdditiveProtocol, Binomial, Neighbors, Randomizer, ShuffleProtocol, randomized_response
from exactdp.privacy.planner import engine_of
from exactdp.privacy.tradeoff import TradeoffFunction
from exactdp.privacy.two_messages.two_messages import TwoMessageScan
from exactdp.testing import exact_laws, probabilities
from exactdp.testing import protocols as shuffle_protocols
from tests.expensive import one_in


def searched_tradeoff(profile):
    """The trade-off function by searches at the crossings of lines, whatever the engine could list."""
    first, last = engine_of(profile.source).worst(Fraction(1)), engine_of(profile.source).worst(None)
    events = [first, last, *profile._events_between(first, last)]
    return TradeoffFunction.from_events((event.mass_first, event.mass_second) for event in events)


@one_in(2)
@given(shuffle_protocols(max_users=4), st.sampled_from(list(Neighbors)))
def test_listing_all_pairs_and_searching_give_one_tradeoff(protocol, neighbors):
    profile = protocol.privacy_profile(neighbors=neighbors)
    assert profile.tradeoff() == searched_tradeoff(profile)


@one_in(2)
@given(probabilities(), probabilities(), st.integers(1, 7))
def test_listing_coins_and_searching_give_one_tradeoff(low, high, users):
    assume(low != high)
    engine = TwoMessageScan(users, *sorted((low, high)))
    rows = {x: {(0,): 1 - p, (1,): p} for x, p in enumerate(sorted((low, high)))}
    curves = engine.curves()
    listed = TradeoffFunction.from_weights([event for curve in curves.curves for event in curve], curves.scale)
    assert listed == searched_tradeoff(ShuffleProtocol(Randomizer(rows), users).privacy_profile())


@one_in(2)
@given(exact_laws(outcomes=st.integers(-3, 6)), st.integers(1, 3))
def test_listing_noise_and_searching_give_one_tradeoff(noise, shift):
    profile = AdditiveProtocol(noise, shift=shift).privacy_profile()
    assert profile.tradeoff() == searched_tradeoff(profile)
    binomial = AdditiveProtocol(Binomial(5, "1/3"), shift=shift).privacy_profile()
    assert binomial.tradeoff() == searched_tradeoff(binomial)


def test_tradeoffs_of_hundreds_of_users_take_seconds():
    began = process_time()
    seen = []
    profile = ShuffleProtocol(randomized_response(2, gamma="1/2"), 300).privacy_profile()
    function = profile.tradeoff(progress=lambda done, total: seen.append((done, total)))
    assert process_time() - began < 3  # 1 s, where a search for each vertex took 5
    assert function(0) == 1 - profile._limit(53).delta.lo
    assert len(function.vertices) > 200
    assert seen == [(k, 300) for k in range(1, 301)]
    assert repr(function) == f"TradeoffFunction({len(function.vertices)} vertices)"
