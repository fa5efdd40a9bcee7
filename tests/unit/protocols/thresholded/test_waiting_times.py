"""Sample and threshold: the formulas and scans against all numbers of holders and what every holder does."""

from fractions import Fraction

import pytest

import exactdp as xdp
from exactdp import protocols
from exactdp.errors import TooLargeError
from exactdp.mechanisms.dataset import Neighbors
from exactdp.numbers.real import Real
from exactdp.privacy.planner import engine_of
from exactdp.protocols.thresholded import two_waiting_times
from exactdp.protocols.thresholded.two_waiting_times import ThresholdBracket, ThresholdPairs, TwoWaitingTimes
from tests.oracles.releases import both, divergence, release
from tests.thinned import thinned

CASES = [  # n, tau, rate: few and many users, rates up to 1, no release at all, and one where the other order is worse
    (1, 1, Fraction(1, 2)),
    (3, 4, Fraction(1, 2)),
    (6, 1, Fraction(1, 4)),
    (7, 3, Fraction(5, 8)),
    (8, 2, Fraction(1, 8)),
    (5, 5, Fraction(3, 8)),
    (16, 13, Fraction(23, 25)),
    (4, 2, Fraction(1)),
]
LEVELS = [Fraction(1), Fraction(1001, 1000), Fraction(9, 8), Fraction(9, 4)]


def worst_of_one(n: int, tau: int, rate: Fraction, exp_eps: Fraction) -> Fraction:
    laws = [release(holders, tau, rate) for holders in range(n + 1)]
    pairs = list(zip(laws[1:], laws, strict=False))
    return max(divergence(*order, exp_eps) for pair in pairs for order in (pair, pair[::-1]))


def worst_of_two(n: int, tau: int, rate: Fraction, exp_eps: Fraction) -> Fraction:
    laws = [release(holders, tau, rate) for holders in range(n + 1)]
    return max(
        divergence(both(laws[a + 1], laws[b]), both(laws[a], laws[b + 1]), exp_eps)
        for a in range(n)
        for b in range(n - a)
    )


@pytest.mark.parametrize(("n", "tau", "rate"), CASES)
def test_one_count_is_the_worst_of_all_numbers_of_holders(n, tau, rate):
    protocol = protocols.sample_and_threshold(n, rate=rate, threshold=tau)
    for neighbors in Neighbors:
        profile = protocol.privacy_profile(neighbors=neighbors)
        for level in LEVELS:
            listed = worst_of_one(n, tau, rate, level)
            assert profile.delta(exp_eps=level) == listed
            assert profile.delta(exp_eps=level, relative_bits=40).compare(listed) in (0, None)
            pair = profile.worst_pair(exp_eps=level)
            sides = [release(side.get(1, 0), tau, rate) for side in (pair.first, pair.second)]
            assert divergence(*sides, level) == listed
            assert sum(pair.first.values()) - sum(pair.second.values()) in (
                (0,) if "replace" in neighbors.value else (-1, 1)
            )
        assert profile.exact_limit() == (rate**tau if n >= tau else 0)


def test_the_other_order_can_be_worse():
    profile = protocols.sample_and_threshold(16, rate="23/25", threshold=13).privacy_profile()
    pair = profile.worst_pair(exp_eps="1001/1000")
    assert (pair.first[1], pair.second[1]) == (13, 14)


def test_the_waiting_time_gives_the_release():
    """The randomized function of the proof, at M and at M + 1."""
    tau, rate = 3, Fraction(2, 5)
    wait = xdp.NegativeBinomial(tau, 1 - rate)
    for holders in range(8):
        for later in (0, 1):
            made: dict[int, Fraction] = {}
            for place in range(tau, holders + 1 - later):
                rest = release(holders - place - later, 0, rate)
                for more, chance in rest.items():
                    made[tau + more] = made.get(tau + more, 0) + chance * wait.exact_pmf(place - tau)
            made[0] = 1 - sum(made.values())
            listed = release(holders - later, tau, rate) if holders >= later else {0: 1}
            assert {count: p for count, p in made.items() if p} == listed


@pytest.mark.parametrize(("tau", "rate"), [(1, "1/3"), (9, "1/2")])
def test_over_all_numbers_of_holders_it_is_a_count_with_negative_binomial_noise(tau, rate):
    profile = protocols.sample_and_threshold(10**12, rate=rate, threshold=tau).privacy_profile()
    noise = xdp.shift_profile(xdp.NegativeBinomial(tau, 1 - Fraction(rate)))
    for level in LEVELS:
        assert profile.delta(exp_eps=level) == noise.delta(exp_eps=level)
    assert profile.epsilon("1/1000") == noise.epsilon("1/1000")
    for eps in ("1/100", 1, 3):
        assert profile.delta(eps=eps).compare(noise.delta(eps=eps)) in (0, None)  # the enclosures overlap


def test_fewer_users_cut_the_trade_off_function_off():
    profile = protocols.sample_and_threshold(9, rate="1/3", threshold=2).privacy_profile()
    vertices = profile.tradeoff().vertices
    for level in LEVELS:
        assert max(1 - second - level * first for first, second in vertices) == profile.delta(exp_eps=level)


def test_long_masses_are_enclosed():
    few, many = (protocols.sample_and_threshold(n, rate="1/7", threshold=900) for n in (6000, 10**9))
    for eps in ("1/1000", "1/20"):
        enclosed, exact = few.privacy_profile().delta(eps=eps), few.privacy_profile()
        level = xdp.LogRational(Fraction(11, 10))
        assert exact.delta(eps=level).compare(exact.delta(exp_eps="11/10")) in (0, None)
        assert enclosed.compare(many.privacy_profile().delta(eps=eps)) in (0, -1, None)


def test_everybody_reports_at_the_rate_1_where_nothing_is_enclosed():
    profile = protocols.sample_and_threshold(10, rate=1, threshold=2).privacy_profile()
    for longest in (None, 1):
        eps, pair = profile.epsilon_with_pair("1/100", longest=longest)
        assert eps.is_infinite
        assert (pair.first, pair.second) == ({0: 8, 1: 2}, {0: 9, 1: 1})


# --- two symbols ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "tau", "rate"), thinned([*CASES[:6], (9, 2, Fraction(1, 2)), (4, 2, Fraction(1))], every=2)
)
def test_two_counts_are_the_worst_of_all_pairs_of_counts(n, tau, rate):
    profile = protocols.sample_and_threshold(n, rate=rate, threshold=tau, symbols=7).privacy_profile()
    ends = protocols.sample_and_threshold(n, rate=rate, threshold=tau, symbols=7).privacy_profile(limit=1)
    bracket = ThresholdBracket(TwoWaitingTimes(n, rate, tau, 1))
    for level in LEVELS:
        listed = worst_of_two(n, tau, rate, level)
        assert profile.delta(exp_eps=level) == listed
        both_ends = ends.bracket(exp_eps=level)
        assert both_ends.lower.lo <= listed <= both_ends.upper.hi
        assert bracket._lower_end(level)[2] <= listed <= bracket._upper_end(Real(level), level, 30).hi
        pair = profile.worst_pair(exp_eps=level)
        sides = [both(*(release(side.get(i, 0), tau, rate) for i in (1, 2))) for side in (pair.first, pair.second)]
        assert divergence(*sides, level) == listed
    assert profile.exact_limit() == (rate**tau if n >= tau else 0)


def test_a_second_count_makes_it_worse():
    one, two = (protocols.sample_and_threshold(40, rate="1/4", threshold=3, symbols=d) for d in (1, 2))
    assert one.privacy_profile().delta(exp_eps="9/8") < two.privacy_profile().delta(exp_eps="9/8")
    removed = two.privacy_profile(neighbors=Neighbors.ADD_OR_REMOVE_ONE)
    assert removed.delta(exp_eps="9/8") == one.privacy_profile().delta(exp_eps="9/8")


def test_both_ends_close_where_few_pairs_of_counts_matter(monkeypatch):
    few, many = (ThresholdPairs(Fraction(1, 4), 4, 3, n, Neighbors.REPLACE_ONE) for n in (60, 10**8))
    closed = xdp.PrivacyProfile(many).bracket(exp_eps=2)
    assert closed.is_closed
    assert closed.lower.compare(xdp.PrivacyProfile(few).delta(exp_eps=2)) in (0, None)
    monkeypatch.setattr(two_waiting_times, "_QUICK_STEPS", 0)
    two_waiting_times._kept_bracket.cache_clear()
    opened = xdp.PrivacyProfile(many).bracket(exp_eps=2)
    two_waiting_times._kept_bracket.cache_clear()
    assert not opened.is_closed
    assert opened.lower.lo <= closed.lower.lo <= opened.upper.hi
    assert opened.upper.hi < 2 * opened.lower.lo


@pytest.mark.slow
def test_eps_of_both_ends(monkeypatch):
    monkeypatch.setattr(two_waiting_times, "_QUICK_STEPS", 0)
    protocol = protocols.sample_and_threshold(10**5, rate="1/3", threshold=6, symbols=9)
    profile = protocol.privacy_profile()
    eps = profile.epsilon("1e-2", relative_bits=6)
    assert eps.hi - eps.lo < eps.lo / 5
    assert profile.bracket(eps=eps.lo).upper.hi >= Fraction(1, 100) >= profile.bracket(eps=eps.hi).lower.lo
    assert not profile.is_tight
    with pytest.raises(TooLargeError, match="two proved ends"):
        engine_of(profile.source).worst(Fraction(2))


def test_wide_waiting_times_fall_back_on_basic_composition():
    bracket = ThresholdBracket(TwoWaitingTimes(10**9, Fraction(1, 10**6), 50, 1))
    ends = bracket.bracket(Real(2), 20)
    assert ends.lower.lo <= ends.upper.lo
    one = bracket.scan.one.enclosed(Real("70710678/50000000"), 20)
    assert ends.upper.compare(one.delta) == 1
