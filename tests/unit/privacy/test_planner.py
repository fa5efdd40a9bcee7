"""The planner chooses by structure; every engine answers the same question."""

from fractions import Fraction

import pytest

from exactdp import AdditiveProtocol, Binomial, Law, LogRational, Neighbors, Randomizer, ShuffleProtocol, protocols
from exactdp.errors import TooLargeError
from exactdp.privacy.planner import engine_of
from exactdp.privacy.shuffle import pair
from exactdp.randomizers import hadamard_response


def test_engines():
    add = Neighbors.ADD_OR_REMOVE_ONE
    assert protocols.gap(3).privacy_profile().engine == "pairwise scan"
    assert protocols.gap(3).privacy_profile(neighbors=add).engine == "disjoint views"
    assert ShuffleProtocol(protocols.zsum_randomizer(gamma="1/4"), 9).privacy_profile().engine == "shift"
    assert protocols.gap(3).pair_profile({0: 3}, {0: 2, 1: 1}).engine == "one pair"
    assert AdditiveProtocol(Binomial(3, "1/2"), bins=2).privacy_profile().engine == "joint shift"


@pytest.mark.parametrize("n", [1, 2, 40, 10**5])
def test_a_fixed_number_of_messages_gives_a_user_away(n):
    protocol = ShuffleProtocol(protocols.gap_randomizer(), n)
    profile = protocol.privacy_profile(neighbors=Neighbors.ADD_OR_REMOVE_ONE)
    assert profile.delta(exp_eps=10**9) == 1
    assert profile.delta(eps=100).lo == 1
    assert profile.epsilon(1) == LogRational(1)
    assert profile.epsilon("99/100").is_infinite
    assert profile.tradeoff()(0) == 0
    worst = profile.worst_pair(exp_eps=2)
    assert (sum(worst.first.values()), sum(worst.second.values()), worst.delta) == (n, n - 1, 1)


def test_no_messages_give_nobody_away():
    quiet = ShuffleProtocol(Randomizer({0: {(): 1}, 1: {(): 1}}), 5)
    assert quiet.privacy_profile(neighbors=Neighbors.ADD_OR_REMOVE_ONE).epsilon(0) == LogRational(1)


SOMETIMES = Randomizer({x: {(y,): "1/2" if x == y else "1/8" for y in range(3)} | {(): "1/4"} for x in range(3)})


def test_work_that_is_too_large_is_refused_before_it_starts():
    randomizer = Randomizer({x: {(y,): Fraction(1 + (x + 1) * (y + 2) % 7, 40) for y in range(9)} | {(9,): 1 - sum(
        Fraction(1 + (x + 1) * (y + 2) % 7, 40) for y in range(9))} for x in range(5)})  # fmt: skip
    with pytest.raises(TooLargeError, match="the limit is 3; even n=1 is beyond it"):
        ShuffleProtocol(SOMETIMES, 5).privacy_profile(neighbors=Neighbors.ADD_OR_REMOVE_ONE, limit=3)
    assert ShuffleProtocol(randomizer, 100).privacy_profile().engine == "amplification"
    with pytest.raises(TooLargeError):
        ShuffleProtocol(randomizer, 10**6).law({0: 10**6})


def test_added_or_removed_records_of_noisy_counts_are_shown_as_such():
    profile = AdditiveProtocol(Binomial(3, "1/2")).privacy_profile(neighbors=Neighbors.ADD_OR_REMOVE_ONE)
    worst = profile.worst_pair(exp_eps=1)
    assert abs(sum(worst.first.values()) - sum(worst.second.values())) == 1


def test_noise_on_a_wide_grid():
    """Two outcomes 10^9 apart: two numbers, not 10^9."""
    profile = AdditiveProtocol(Law({0: "1/2", 10**9: "1/2"})).privacy_profile()
    assert profile.delta(exp_eps=1) == 1


def test_a_large_change_of_a_count_is_served_or_refused_at_once():
    profile = AdditiveProtocol(Binomial(300, "1/2"), shift=300).privacy_profile()
    assert profile.delta(exp_eps=1) == 1 - Binomial(300, "1/2").exact_pmf(0)


def test_an_executor_is_given_only_scans():
    """Other engines answer from what they keep, executor or not."""

    class Never:
        def map(self, *_):
            raise AssertionError("nothing is to be shared")

    engine = engine_of(AdditiveProtocol(Binomial(9, "1/3")).privacy_profile().source)
    assert engine.worst(Fraction(2), Never()) is engine.worst(Fraction(2))
    scan = engine_of(ShuffleProtocol(protocols.gap_randomizer(), 5).privacy_profile().source)
    with pytest.raises(AssertionError, match="nothing is to be shared"):
        scan.worst(Fraction(2), Never())


def test_a_pair_that_does_not_fit_as_an_integer_is_listed(monkeypatch):
    """Few outcomes in a large box: listed, the answers are the same ones."""
    randomizer = ShuffleProtocol(hadamard_response(4, exp_eps0="7389/1000"), 4).tabulated
    rows = pair.PairRows.of(randomizer, (1, 0, 3, 0), (0, 1, 3, 0))
    packed = pair.packed_masses(rows, (2, 1))
    assert packed[0][0] > 2 * packed[0][1] > 0
    monkeypatch.setattr(pair, "MAX_PACKED_BITS", 0)
    assert pair.packed_masses(rows, (2, 1)) == packed
    monkeypatch.setattr(pair, "_MOST_LISTED", 0)
    with pytest.raises(TooLargeError, match="one pair"):
        pair.packed_masses(rows, (2, 1))
