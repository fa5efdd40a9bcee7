"""is_private: yes where delta is proved not to be above, no where it is, None where neither is proved."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import exactdp as xdp
from exactdp.errors import InvalidValueError
from tests.expensive import one_in

RESPONSE = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 10)
EXACT = RESPONSE.privacy_profile()


@one_in(2)
@given(
    st.fractions(min_value=1, max_value=8, max_denominator=50),
    st.fractions(min_value=0, max_value=1, max_denominator=50),
)
def test_it_is_what_the_profile_says(exp_eps, delta):
    assert xdp.is_private(RESPONSE, exp_eps=exp_eps, delta=delta) is (EXACT.delta(exp_eps=exp_eps) <= delta)


@pytest.mark.parametrize("gap", [0, Fraction(1, 10**300)])
def test_equality_and_the_narrowest_gaps_are_decided(gap):
    delta = EXACT.delta(exp_eps=2)
    assert xdp.is_private(RESPONSE, exp_eps=2, delta=delta + gap)
    assert xdp.is_private(RESPONSE, exp_eps=2, delta=delta - gap) is (gap == 0)
    least = EXACT.epsilon("1/100")
    assert xdp.is_private(RESPONSE, eps=least, delta="1/100")


def test_a_rational_eps_against_a_delta_that_does_not_depend_on_it():
    """zsum of one user at gamma = 1/3 loses exactly 2/3 at every large eps: no enclosure tells 2/3 from 2/3."""
    one = xdp.protocols.zsum(1, gamma="1/3")
    found = xdp.is_private(one, eps=5, delta="2/3", reason=True)
    assert found.is_private is True
    assert found.level == "exact"
    assert found.reason.startswith("the least eps at delta = 2/3 is ln(")
    assert xdp.is_private(one, eps=5, delta="666666666/1000000000") is False


def test_noise_and_runs_are_asked_alike():
    noise = xdp.shift_profile(xdp.Binomial(10**9, "1/1000"))
    assert xdp.is_private(noise, eps="1/100", delta="2e-27") is True
    assert xdp.is_private(noise, eps="1/100", delta="1e-27") is False
    ten = xdp.shift_profile(xdp.Binomial(1000, "1/2")).compose(10)
    assert xdp.is_private(ten, eps=1, delta="1.8e-8") is True
    assert xdp.is_private(ten, eps=1, delta="1.7e-8") is False
    protocol = xdp.AdditiveProtocol(xdp.Binomial(100, "1/2"))
    assert xdp.is_private(protocol, exp_eps=2, delta="1/10", neighbors=xdp.Neighbors.ADD_OR_REMOVE_ONE) is True


def test_what_is_too_large_is_not_decided_and_says_why():
    rows = {i: {(j,): "1/2" if i == j else "1/8" for j in range(4)} | {(): "1/8"} for i in range(4)}
    protocol, neighbors = xdp.ShuffleProtocol(xdp.Randomizer(rows), 10**6), xdp.Neighbors.ADD_OR_REMOVE_ONE
    assert xdp.is_private(protocol, eps=1, delta="1e-6", neighbors=neighbors) is None
    found = xdp.is_private(protocol, eps=1, delta="1e-6", neighbors=neighbors, reason=True)
    assert (found.is_private, found.delta, found.level) == (None, None, "none")
    assert "limit" in found.reason
    assert len(found.reason) < 400


def test_the_reason_says_what_was_compared():
    found = xdp.is_private(RESPONSE, exp_eps=2, delta="1/100", reason=True)
    assert found == xdp.PrivacyDecision(
        False, "at e^eps = 2 the least delta is 19683/1048576, above 1/100.", Fraction(19683, 1048576), "exact"
    )
    found = xdp.is_private(RESPONSE, eps=1, delta="1/100", reason=True)
    assert found.level == "enclosure"
    assert found.reason.startswith("at eps = 1 the least delta is in [0.00")
    assert found.reason.endswith(", not above 1/100.")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"eps": 1, "exp_eps": 2, "delta": 0}, "both of eps and exp_eps given"),
        ({"delta": 0}, "neither of eps and exp_eps given"),
        ({"eps": -1, "delta": 0}, "eps=-1 is below 0"),
        ({"eps": 1, "delta": 2}, "delta=2"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(InvalidValueError, match=message):
        xdp.is_private(RESPONSE, **arguments)


def test_what_is_no_protocol_is_refused_with_the_repair():
    with pytest.raises(InvalidValueError, match=r"protocol has the type Binomial.*shift_profile\(law\)"):
        xdp.is_private(xdp.Binomial(10, "1/2"), eps=1, delta=0)
    with pytest.raises(InvalidValueError, match="neighbors is given with a profile"):
        xdp.is_private(EXACT, eps=1, delta=0, neighbors=xdp.Neighbors.REPLACE_ONE)
    with pytest.raises(xdp.ExactDPError, match="float"):
        xdp.is_private(RESPONSE, eps=0.5, delta=0)


def test_two_ends_that_differ_decide_what_is_outside_them():
    table = {x: {(m,): Fraction(1 + (x == m) * (x + 1), 5 + x) for m in range(4)} for x in range(4)}
    protocol = xdp.ShuffleProtocol(xdp.Randomizer(table), 2000)
    ends = protocol.privacy_profile().bracket(eps="1/20")
    asked = {ends.upper.hi: True, ends.lower.lo / 2: False, (ends.lower.hi + ends.upper.lo) / 2: None}
    for delta, answer in asked.items():
        decision = xdp.is_private(protocol, eps="1/20", delta=delta, reason=True)
        assert (decision.is_private, decision.level) == (answer, "none" if answer is None else "enclosure")
        assert ("not proved equal" in decision.reason) == (answer is None)
