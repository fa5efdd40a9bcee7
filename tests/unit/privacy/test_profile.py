"""Profiles at the edges: tiny values, exact zeros, ties, refused arguments, work that must stay small."""

import time
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import pytest

from exactdp import Interval, LogRational, Randomizer, ShuffleProtocol, protocols, randomized_response
from exactdp.errors import ExactDPError
from tests.thinned import thinned

FLIP = randomized_response(2, gamma="1/2")
NEARLY_HALF = randomized_response(2, gamma="499/500")


def log10(interval):
    return Decimal(interval.decimals()[1]).adjusted()


def narrow(interval, bits):
    """Whether the relative width is at most 2**-bits, without building a Fraction."""
    return (interval.hi - interval.lo) * 2**bits <= interval.lo


def test_far_below_the_floats():
    """n = 2000 coins near 1/2 at a large eps: delta is around 1e-5000, positive, and as accurate as asked for."""
    pair = ShuffleProtocol(NEARLY_HALF, 2000).pair_profile({0: 1000, 1: 1000}, {0: 999, 1: 1001})
    assert NEARLY_HALF.local_epsilon() == LogRational(Fraction(501, 499))
    value = pair.delta(eps="39/10000")
    assert value > 0
    assert log10(value) < -500
    assert narrow(value, 53)
    exact = pair.delta(exp_eps=Fraction(250999, 250000))
    assert exact > 0
    assert exact in pair.delta(exp_eps=Fraction(250999, 250000), relative_bits=20)


def test_exactly_zero_beyond_the_largest_ratio():
    profile = ShuffleProtocol(FLIP, 200).privacy_profile()
    just_below = 3 - Fraction(1, 10**30)
    assert profile.delta(exp_eps=3) == 0
    assert 0 < profile.delta(exp_eps=just_below) < Fraction(1, 10**30)
    assert profile.delta(eps=LogRational(3)) == profile.delta(eps=2) == profile.delta(eps="1.0987")
    assert profile.delta(eps="1.0986") > 0
    assert profile.epsilon(0) == LogRational(3)


def test_a_pair_of_five_thousand_users():
    pair = ShuffleProtocol(FLIP, 5000).pair_profile({0: 2500, 1: 2500}, {0: 2499, 1: 2501})
    value = pair.delta(eps=1)
    assert value > 0
    assert log10(value) < -300
    assert narrow(value, 53)
    assert pair.delta(exp_eps=3) == 0


def test_a_delta_of_1e_minus_300():
    profile = ShuffleProtocol(FLIP, 400).privacy_profile()
    epsilon = profile.epsilon("1e-90")
    assert profile.delta(exp_eps=epsilon.argument) == Fraction(1, 10**90)
    value = protocols.zsum(4000, gamma="1/4").privacy_profile().delta(eps=1)
    assert value > 0
    assert log10(value) < -50
    assert narrow(value, 53)
    limit = protocols.zsum(4000, gamma="1/4").privacy_profile().delta(eps=10**6)
    assert Fraction(3, 4) ** 4000 in limit
    assert log10(limit) < -450


def test_beyond_every_ratio_the_limit_is_reached():
    profile = protocols.gap(1).privacy_profile()
    assert profile.delta(eps=10**12) == Interval.around(Fraction(3, 8), relative_bits=53)
    assert profile.epsilon("3/8") != LogRational(None)
    assert profile.epsilon("37/100").is_infinite


def test_ties():
    """All data sets and both orders are equally bad."""
    randomizer = Randomizer({0: {(0,): "2/3", (1,): "1/3"}, 1: {(0,): "1/3", (1,): "2/3"}})
    profile = ShuffleProtocol(randomizer, 1).privacy_profile()
    assert profile.delta(exp_eps=1) == Fraction(1, 3)
    assert profile.worst_pair(exp_eps=1) == profile.worst_pair(exp_eps="1")
    assert profile.delta(exp_eps=2) == 0


@pytest.mark.parametrize("bits", ["53", Fraction(53), Decimal(53)])
def test_the_accuracy_is_an_exact_integer_in_any_form(bits):
    profile = ShuffleProtocol(FLIP, 3).privacy_profile()
    assert profile.delta(eps="1/2", relative_bits=bits) == profile.delta(eps="1/2", relative_bits=53)
    assert profile.delta(exp_eps="3/2", relative_bits=bits) == profile.delta(exp_eps="3/2", relative_bits=53)


@pytest.mark.parametrize(
    ("k", "n", "gap"),
    [
        pytest.param(2, 10**6, 0, id="one"),
        pytest.param(4, 1000, Fraction(4, 10**4), id="two ends", marks=pytest.mark.slow),
    ],
)
def test_eps_is_found_to_the_accuracy_that_is_asked(k, n, gap):
    profile = ShuffleProtocol(randomized_response(k, exp_eps0=3), n).privacy_profile()
    answers = [profile.epsilon("1e-6", relative_bits=bits) for bits in (2, 10, 40)]
    for bits, eps in zip((2, 10, 40), answers, strict=True):
        assert gap * eps.lo < eps.hi - eps.lo <= (gap * 2 + Fraction(2, 2**bits)) * eps.lo
    for wide, close in pairwise(answers):
        assert wide.lo < close.lo <= close.hi < wide.hi


def test_an_exact_eps_stays_exact():
    profile = ShuffleProtocol(FLIP, 10).privacy_profile()
    assert profile.epsilon("1/100", relative_bits=3) == profile.epsilon("1/100") == LogRational("1214081/492075")
    with pytest.raises(ExactDPError, match="relative_bits"):
        profile.epsilon("1/100", relative_bits=0)


@pytest.mark.parametrize("bits", [0, -1, 53.0, True, "x", 10**13])
@pytest.mark.parametrize("order", [{"eps": "1/2"}, {"exp_eps": "3/2"}])
def test_accuracies_that_are_refused(order, bits):
    with pytest.raises(ExactDPError):
        ShuffleProtocol(FLIP, 3).privacy_profile().delta(**order, relative_bits=bits)


@pytest.mark.parametrize("delta", [-1, "3/2", 0.5, "nan", None, True, float("nan")])
def test_deltas_that_are_refused(delta):
    with pytest.raises(ExactDPError):
        ShuffleProtocol(FLIP, 3).privacy_profile().epsilon(delta)


@pytest.mark.parametrize(
    "order", [{}, {"eps": 1, "exp_eps": 3}, {"eps": -1}, {"exp_eps": "1/2"}, {"eps": 0.5}, {"exp_eps": float("nan")}]
)
def test_orders_that_are_refused(order):
    with pytest.raises(ExactDPError):
        ShuffleProtocol(FLIP, 3).privacy_profile().delta(**order)


def test_a_very_large_eps_at_a_very_large_n_has_an_answer():
    """e^eps is longer than any Fraction that may be built, and below what is known of the largest ratio."""
    assert protocols.zsum(10**5, gamma="1/1024").privacy_profile().delta(eps=800_000) > 0


LONG = randomized_response(2, gamma=Fraction(10**999 + 7, 10**1000))
FORTY_MESSAGES = Randomizer(
    {x: {(0,) * i + (1,) * (40 - i): Fraction(1 + x * 2 * i, 41 + x * 1640) for i in range(41)} for x in (0, 1)}
)
SECONDS = {"eps, pair of n = 10^4", "delta, 40 inputs, n = 2"}
SLOW = {
    "trade-off, binary, n = 50": lambda: ShuffleProtocol(FLIP, 50).privacy_profile().tradeoff(),
    "trade-off, three inputs, n = 12": lambda: (
        ShuffleProtocol(randomized_response(3, gamma="1/2"), 12).privacy_profile().tradeoff()
    ),
    "eps(0), binary, n = 200": lambda: ShuffleProtocol(FLIP, 200).privacy_profile().epsilon(0),
    "delta, 16 inputs, n = 4": lambda: (
        ShuffleProtocol(randomized_response(16, gamma="1/2"), 4).privacy_profile().delta(exp_eps=2)
    ),
    "delta, 40 inputs, n = 2": lambda: (
        ShuffleProtocol(randomized_response(40, gamma="1/2"), 2).privacy_profile().delta(exp_eps=2)
    ),
    "delta, 40 messages per user, n = 20": lambda: (
        ShuffleProtocol(FORTY_MESSAGES, 20).privacy_profile().delta(exp_eps=2)
    ),
    "delta, probabilities of 1000 digits, n = 30": lambda: (
        ShuffleProtocol(LONG, 30).privacy_profile().delta(exp_eps=2)
    ),
    "eps, pair of n = 10^4": lambda: (
        ShuffleProtocol(FLIP, 10**4).pair_profile({0: 5000, 1: 5000}, {0: 4999, 1: 5001}).epsilon("1e-30")
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SECONDS)) for name in SLOW])
def test_small_questions_are_quick(name):
    """A wide margin: these take a fraction of it where nothing is wrong."""
    began = time.process_time()
    SLOW[name]()
    assert time.process_time() - began < 10


def test_a_pair_with_a_long_delta_is_shown_short() -> None:
    """Fractions of more than 4300 digits cannot be written by repr."""
    profile = ShuffleProtocol(randomized_response(2, gamma="1/5"), n=10_000).privacy_profile()
    shown = repr(profile.worst_pair(exp_eps="51/50"))
    assert shown.startswith("WorstPair(first={0: ")
    assert "exp_eps=51/50, delta=" in shown
    assert shown.endswith(" digits))")


ATTAINED = {
    "all pairs": ShuffleProtocol(randomized_response(3, gamma="1/2"), 4),
    "two messages": ShuffleProtocol(FLIP, 250),
    "binary sums": ShuffleProtocol(protocols.zsum_randomizer(gamma="1/4"), 20),
}


@pytest.mark.parametrize("name", ATTAINED)
@pytest.mark.parametrize("level", [{"exp_eps": 1}, {"exp_eps": "3/2"}, {"eps": "1/2"}, {"eps": 3}], ids=str)
def test_the_pair_that_comes_with_delta_attains_it(name, level):
    protocol = ATTAINED[name]
    delta, pair = protocol.privacy_profile().delta_with_pair(**level)
    assert delta == protocol.privacy_profile().delta(**level)
    if pair is None:
        assert delta == 0 if isinstance(delta, Fraction) else delta.hi == 0
    else:
        own = protocol.pair_profile(pair.first, pair.second).delta(**level)
        assert own == delta if isinstance(own, Fraction) else own.compare(delta) != -1


@pytest.mark.parametrize("name", thinned(ATTAINED, every=2))
@pytest.mark.parametrize("delta", ["0", "1/1000", "1/10", "9/10"])
def test_the_pair_that_comes_with_eps_allows_no_smaller_one(name, delta):
    protocol = ATTAINED[name]
    eps, pair = protocol.privacy_profile().epsilon_with_pair(delta)
    assert eps == protocol.privacy_profile().epsilon(delta)
    if pair is None:
        assert eps == LogRational(1)
    else:
        assert protocol.pair_profile(pair.first, pair.second).epsilon(delta) == eps


def test_answers_longer_than_wanted_are_enclosed() -> None:
    profile = protocols.zsum(1000, gamma="1/4").privacy_profile()
    exact, enclosed = profile.delta_with_pair(exp_eps=2), profile.delta_with_pair(exp_eps=2, longest=100)
    assert isinstance(exact.delta, Fraction)
    assert isinstance(enclosed.delta, Interval)
    assert exact.delta in enclosed.delta
    assert exact.pair == enclosed.pair
    least, around = profile.epsilon_with_pair("1/1000"), profile.epsilon_with_pair("1/1000", longest=100)
    assert isinstance(least.epsilon, LogRational)
    assert isinstance(around.epsilon, Interval)
    assert around.epsilon.compare(0) == 1
    assert around.pair is not None
