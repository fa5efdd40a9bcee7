"""True and False are proved; everything else is None, with what is in the way."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import exactdp as xdp
from exactdp import is_private, protocols
from exactdp.levels import LEVELS
from exactdp.testing import exp_epsilons, probabilities
from exactdp.testing import protocols as shuffle_protocols

RESPONSE = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 100)


@given(shuffle_protocols(max_users=3), exp_epsilons(), probabilities(), st.sampled_from(list(xdp.Neighbors)))
def test_the_answer_is_that_of_the_exact_delta(protocol, exp_eps, delta, neighbors):
    exact = protocol.privacy_profile(neighbors=neighbors).exact_delta(exp_eps=exp_eps)
    for target in (delta, exact):
        decision = is_private(protocol, exp_eps=exp_eps, delta=target, neighbors=neighbors, reason=True)
        assert decision.answer is (exact <= target)
        assert (decision.level, decision.delta) == ("exact", exact)
        assert is_private(protocol, exp_eps=exp_eps, delta=target, neighbors=neighbors) is decision.answer


@pytest.mark.parametrize(
    "protocol",
    [
        RESPONSE,
        protocols.zsum(10**6, gamma="1/1000"),
        xdp.AdditiveProtocol(xdp.DiscreteGaussian(20)),
        protocols.k_ary(10**6, 2, gamma="1/5"),
        protocols.histogram(10**6, 10**9, gamma="1/1000"),
    ],
)
def test_enclosures_decide_where_they_are_proved(protocol):
    delta = protocol.privacy_profile().delta(eps="1/20")
    for target, answer in ((delta.hi, True), (delta.lo, False), (2 * delta.hi, True), (delta.lo / 2, False)):
        decision = is_private(protocol, eps="1/20", delta=target, reason=True)
        assert decision.answer is answer or target in (delta.lo, delta.hi)
        assert decision.answer in (answer, None)
        assert decision.level in LEVELS


def test_pure_privacy_and_infinite_eps():
    pure = RESPONSE.privacy_profile().epsilon(0)
    assert is_private(RESPONSE, eps=pure, delta=0) is True
    assert is_private(RESPONSE, exp_eps=pure.argument - Fraction(1, 10**20), delta=0) is False
    assert is_private(RESPONSE, eps=xdp.LogRational(None), delta=0) is True
    assert is_private(protocols.zsum(3, gamma="1/2"), eps=xdp.LogRational(None), delta=0) is False


def test_what_is_beyond_the_engines_is_none_with_the_reason():
    huge = xdp.ShuffleProtocol(xdp.randomized_response(3, gamma="1/2"), 10**5)
    assert is_private(huge, eps=1, delta="1e-6") is None
    decision = is_private(huge, eps=1, delta="1e-6", reason=True)
    assert (decision.answer, decision.level, decision.delta) == (None, "none", None)
    assert decision.reason.startswith("pairwise scan: about 5.1e19 steps (")
    assert "the limit is 100000000; the largest n here is 117." in decision.reason


def test_reasons():
    assert is_private(RESPONSE, exp_eps=2, delta="1e-6", reason=True).reason == (
        "delta is 1.585614e-8 (52/60 digits), at most 0.000001."
    )
    words = is_private(RESPONSE, eps="1/2", delta="1/1000000", reason=True).reason
    assert words.startswith("delta is in [0.0")
    assert words.endswith("], above 0.000001.")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: is_private(xdp.Binomial(3, "1/2"), eps=1, delta=0), "for a noise law AdditiveProtocol(law)"),
        (lambda: is_private(RESPONSE, eps=1, exp_eps=2, delta=0), "both of eps and exp_eps given"),
        (lambda: is_private(RESPONSE, eps=1, delta=1.5), "delta=1.5 is a float"),
        (lambda: is_private(RESPONSE, eps=1, delta="3/2"), "delta=3/2 is outside [0, 1]"),
        (lambda: is_private(RESPONSE, eps=1, delta=0, reason="yes"), "reason='yes' is no bool"),
    ],
)
def test_bad_arguments_are_refused(call, words):
    with pytest.raises(xdp.ExactDPError) as error:
        call()
    assert words in str(error.value)
