"""Flooding: the exact engine against all users' messages, the two ends of random answers, estimates and samples."""

from fractions import Fraction as F
from itertools import product
from math import ceil, comb, exp, factorial, floor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactdp as xdp
from exactdp import protocols
from exactdp.errors import HypothesisError, InvalidLawError, InvalidValueError
from exactdp.laws import Binomial, Geometric, NegativeBinomial, Poisson
from exactdp.laws.counting_laws import in_bins
from exactdp.numbers.real import Real
from exactdp.protocols.flooded import flooded_response
from exactdp.protocols.flooded.flooded_bins import FloodedMessage
from exactdp.protocols.flooded.flooded_response import CutEvent, FloodedResponse

LEVELS = [F(1), F(3, 2), F(3)]
CASES = [  # n, d, noise, special, bins
    (3, 2, Binomial(2, "1/3"), 1, None),
    (3, 3, Binomial(1, "1/2"), 1, None),
    (2, 2, Binomial(2, "1/2"), 2, 5),
    (2, 2, Binomial(1, "1/2"), 1, 4),
    (2, 2, Binomial(2, 1), 1, None),
]


def scanned(protocol, level):
    """The worst of all pairs of data sets, from the messages of all users."""
    profile = xdp.ShuffleProtocol(protocol.randomizer, protocol.n).privacy_profile()
    assert profile.engine == "pairwise scan"
    return profile.delta(exp_eps=level)


@pytest.mark.parametrize("case", CASES)
def test_all_users_messages_give_the_same(case):
    n, d, noise, special, bins = case
    protocol = protocols.flooding(n, d, noise=noise, special=special, bins=bins)
    for level in LEVELS:
        delta = protocol.privacy_profile().delta(exp_eps=level)
        assert scanned(protocol, level) in delta
        assert delta.hi - delta.lo <= delta.hi / 2**50


def test_a_fixed_number_is_balls_into_bins():
    flooded = protocols.flooding(10**4, 100, noise=Binomial(1, 1)).privacy_profile()
    balls = xdp.ShuffleProtocol(xdp.randomizers.BallsIntoBins(100, dummies=1), 10**4).privacy_profile()
    one, other = (profile.delta(eps=1, relative_bits=20) for profile in (flooded, balls))
    assert one.lo <= other.hi
    assert other.lo <= one.hi


def mean_over_counts(pmf, level, most):
    """The two bins one by one: the sum of max(0, P - E Q) over both counts, in floats, for a law of their number."""
    total = 0.0
    for j in range(most):
        weights = [comb(j, b) / 2**j for b in range(j + 1)]
        both = [(weights[c - 1] if c else 0.0, weights[c] if c <= j else 0.0) for c in range(j + 2)]
        total += pmf(j) * sum(max(0.0, p - level * q) for p, q in both)
    return total


@pytest.mark.parametrize("level", [1.0, 1.5, 2.75])
@pytest.mark.parametrize(
    ("noise", "pmf"),
    [
        (Poisson(6), lambda t: lambda j: exp(-6 * t) * (6 * t) ** j / factorial(j)),
        (Geometric("3/4"), lambda t: lambda j: (1 - q(t)) ** 2 * (j + 1) * q(t) ** j),
        (Binomial(6, "1/4"), lambda t: lambda j: comb(12, j) * (t / 4) ** j * (1 - t / 4) ** (12 - j)),
    ],
)
def test_infinite_laws_are_their_sums(noise, pmf, level):
    users = 1 if isinstance(noise, Poisson) else 2
    delta = protocols.flooding(users, 3, noise=noise).privacy_profile().delta(exp_eps=F(level))
    truth = mean_over_counts(pmf(2 / 3), level, 13 if isinstance(noise, Binomial) else 90)
    assert abs(float(delta) - truth) < 1e-12


@settings(max_examples=25)
@given(
    st.integers(1, 10**6),
    st.integers(2, 1000),
    st.fractions(F(1, 8), 6, max_denominator=64),
    st.integers(0, 30),
)
def test_the_theorem_is_above_the_exact_delta(n, d, eps, bits):
    """A tenth of its mean is not enough, where delta is no larger than 1/16."""
    delta = F(1, 2**bits)
    protocol = protocols.flooding_from_theorem(n, d, eps=eps, delta=delta)
    assert protocol.privacy_profile().delta(eps=eps) <= delta
    if bits >= 4:
        less = protocols.flooding(n, d, noise=Poisson(protocol.noise.mean / 10))
        assert less.privacy_profile().delta(eps=eps).lo > delta


@settings(max_examples=25)
@given(st.fractions(F(1, 50), 60, max_denominator=100), st.fractions(F(1, 100), 100, max_denominator=100))
def test_the_error_is_below_its_bound(mean, r):
    """2 e^(-r^2/(2 lambda + r)), for the noise of one bin."""
    law = protocols.flooding(3, 2, noise=Poisson(mean * F(2, 3))).count_noise
    assert law.mean == law.variance == mean
    low = mean - r
    outside = float(law.sf(ceil(mean + r) - 1)) + (float(law.cdf(floor(low))) if low >= 0 else 0.0)
    assert outside <= 2 * exp(-(float(r) ** 2) / (2 * float(mean) + float(r))) * (1 + 1e-12)


@pytest.mark.parametrize(
    ("n", "eps", "delta", "message"),
    [
        (0, 1, F(1, 2), "The theorem of flooding needs n >= 1, but n=0. Pass n of at least 1."),
        (5, 0, F(1, 2), "The theorem of flooding needs 0 < eps < infinity, but eps=0. Pass a positive number."),
        (5, 1, 0, "The theorem of flooding needs 0 < delta <= 1, but delta=0. Pass delta in (0, 1]."),
    ],
)
def test_the_hypothesis_that_fails_is_named(n, eps, delta, message):
    with pytest.raises(HypothesisError) as error:
        protocols.flooding_from_theorem(n, 3, eps=eps, delta=delta)
    assert str(error.value) == message


def q(t):
    return 0.75 * t / (0.25 + 0.75 * t)


def test_infinity_leaves_the_empty_bin():
    message = FloodedMessage(Poisson(4).enclosed, F(2))
    limit = message.divergence(None, relative_bits=40)
    assert abs(float(limit) - exp(-2)) < 1e-10
    assert message.divergence(Real(10**9), relative_bits=40).lo >= limit.lo


@pytest.mark.parametrize("noise", [Binomial(10**6, "1/1000"), Poisson(1000), NegativeBinomial(1000, "1/2")])
def test_a_bound_is_above(noise):
    message = FloodedMessage(noise.enclosed, F(50))
    assert message.bound(Real(F(5, 4))).hi >= message.divergence(Real(F(5, 4)), relative_bits=20).hi


@pytest.mark.parametrize("wrong", ["one user less", "a bin more", "own bin only"])
def test_a_wrong_law_is_seen(wrong):
    protocol = protocols.flooding(3, 3, noise=Binomial(1, "1/2"))
    users, chance = {"one user less": (2, F(2, 3)), "a bin more": (3, F(1, 2)), "own bin only": (3, F(1, 3))}[wrong]
    law = in_bins(protocol.noise, users, chance)
    delta = FloodedMessage(law.enclosed, F(2)).divergence(Real(F(3, 2)), relative_bits=30)
    assert scanned(protocol, F(3, 2)) not in delta


@pytest.mark.parametrize(
    ("n", "d", "noise", "exp_eps0"), [(3, 3, Binomial(1, "1/2"), 2), (3, 2, Binomial(2, "1/3"), 4)]
)
def test_random_answers_lie_between_the_ends(n, d, noise, exp_eps0):
    protocol = protocols.flooding(n, d, noise=noise, exp_eps0=exp_eps0)
    for level in LEVELS:
        bracket = protocol.privacy_profile().bracket(exp_eps=level)
        assert bracket.lower.lo <= scanned(protocol, level) <= bracket.upper.hi
    assert bracket.lower.lo > 0 or exp_eps0 <= 3


@pytest.mark.parametrize("users", [2, 3, 20, 100])
def test_an_event_of_cut_laws_holds_for_what_was_cut(users):
    """A user sends nothing, but with the chance that is missing he answers for all: every view is then in the event."""
    missing = F(1, 1000)
    event = CutEvent(((0, F(0), F(1)), (1, F(1), F(0))), ((0, F(1)),), 1, missing)
    for level in LEVELS:
        truth = 1 - level * (1 - (1 - missing) ** (users - 1))
        assert event.divergence(users, Real(level), relative_bits=20).lo <= max(F(0), truth)
    sure = CutEvent(event.bundles, event.others, 1, F(0))
    assert sure.divergence(users, Real(2), relative_bits=20).lo == 1


def test_what_is_cut_from_a_law_is_what_is_charged(monkeypatch):
    """Cut early, the noise lacks the chance of many messages, which the event is told of."""
    monkeypatch.setattr(flooded_response, "_MISSING_BITS", 4)
    noise = Binomial(4, "1/6")
    event = FloodedResponse(2, F(4), noise).event(0, 3, Real(F(3, 2)))
    assert F(1, 2000) < 1 - noise.exact_cdf(2) <= event.missing <= F(1, 16)


def test_the_ends_of_many_users_are_near_each_other():
    bracket = (
        protocols.flooding(10**6, 1000, noise=Poisson("1/10"), exp_eps0=1000).privacy_profile().bracket(exp_eps="11/10")
    )
    assert bracket.lower.lo > 0
    assert bracket.upper.hi < bracket.lower.lo * F(21, 20)


def test_estimates_are_unbiased_on_every_data_set():
    for exp_eps0, special in ((None, 2), (3, 1)):
        protocol = protocols.flooding(2, 2, noise=Binomial(1, "1/3"), exp_eps0=exp_eps0, special=special)
        shuffled = xdp.ShuffleProtocol(protocol.randomizer, 2)
        for dataset in product((0, 1), repeat=2):
            law, alphabet = shuffled.law(dataset), protocol.randomizer.alphabet
            means = [F(0), F(0)]
            for counts, chance in law.items():
                estimates = protocol.estimate(dict(zip(alphabet, counts, strict=True)))
                means = [mean + chance * one for mean, one in zip(means, estimates, strict=True)]
            assert means == [dataset.count(0), dataset.count(1)]


def test_the_error_is_that_of_the_noise():
    """Of fixed messages, listed: the estimate of one of two inputs errs by its noise less the mean."""
    protocol = protocols.flooding(4, 2, noise=Binomial(1, "1/2"))
    law = Binomial(4, "1/4")
    for beta in (F(1, 100), F(1, 4), F(1, 2)):
        reach = protocol.accuracy(beta)
        outside = [sum(law.exact_pmf(t) for t in range(5) if abs(t - 1) > a) for a in (reach, reach - F(1, 10**6))]
        assert outside[0] <= beta < outside[1]


def test_independent_bins_together():
    """1 - (1 - t)^d at the least error of all inputs, and above beta just below it."""
    protocol, beta = protocols.flooding(10, 5, noise=Poisson(2)), F(1, 20)
    reach = protocol.accuracy(beta, simultaneous=True)
    law = protocol.count_noise
    for a, is_enough in ((reach, True), (reach - F(1, 100), False)):
        t = law.sf(int(4 + a)).hi + (law.cdf(-int(-(4 - a) // 1) - 1).hi if 4 - a > 0 else 0)
        assert (1 - (1 - t) ** 5 <= beta) is is_enough


def test_samples_have_the_law_of_the_view():
    protocol = protocols.flooding(200, 2, noise=Poisson("1/2"), special=2, bins=5)
    drawn = xdp.sample(protocol, {0: 150, 1: 50}, size=4000, rng=np.random.default_rng(5))
    means = drawn.mean(axis=0)
    assert np.abs(means - np.array([95, 95, 45, 45, 20])).max() < 0.6
    assert abs(drawn[:, 4].var() / 20 - 1) < 0.1
    assert np.abs(drawn[:, 0].var() / (20 + 37.5) - 1) < 0.1


def test_what_a_user_sends():
    protocol = protocols.flooding(7, 3, noise=Poisson("1/2"))
    assert protocol.communication().messages == F(3, 2)
    assert protocol.communication().most is None
    assert protocol.randomizer.alphabet == (0, 1, 2)
    assert protocols.flooding(7, 3, noise=Binomial(4, "1/2")).communication().most == 5


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"noise": 3}, InvalidLawError, "Pass Binomial"),
        ({"noise": Poisson("exp(1)")}, InvalidLawError, "irrational mu"),
        ({"noise": Poisson(1), "bins": 2}, InvalidValueError, "Pass bins of at least 3"),
        ({"noise": Poisson(1), "exp_eps0": 2, "special": 2}, InvalidValueError, "Leave out exp_eps0"),
        ({"noise": Poisson(1), "exp_eps0": 1}, InvalidValueError, "rational number above 1"),
    ],
)
def test_bad_arguments_say_the_repair(arguments, error, words):
    with pytest.raises(error, match=words):
        protocols.flooding(5, 3, **arguments)
    with pytest.raises(InvalidValueError, match="REPLACE_ONE"):
        protocols.flooding(5, 3, noise=Poisson(1)).privacy_profile(neighbors=xdp.Neighbors.ADD_OR_REMOVE_ONE)
