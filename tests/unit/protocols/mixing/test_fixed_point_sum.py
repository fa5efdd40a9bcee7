"""Sums in fixed point by split and mix: rounding, decoding, the worst error and the privacy of the whole."""

from fractions import Fraction
from itertools import product

import pytest

import exactdp as xdp
from exactdp import protocols
from exactdp.bounds import split_and_mix_distance
from exactdp.errors import HypothesisError, InvalidValueError, TooLargeError
from exactdp.protocols.mixing.fixed_point_sum_protocol import fixed_point_accuracy
from tests.thinned import thinned


def few():
    return protocols.fixed_point_sum(3, levels=2, eps=1, messages=3, modulus=64)


def test_rounding_is_to_the_nearest_level():
    protocol = protocols.fixed_point_sum(10, levels=8, eps=1, messages=3)
    for x in (Fraction(i, 97) for i in range(98)):
        k = protocol.rounded(x)
        assert 0 <= k <= 8
        assert -Fraction(1, 2) < k - 8 * x <= Fraction(1, 2)
    assert protocol.rounding_error == Fraction(10, 16)


@pytest.mark.parametrize("modulus", [7, 8, 64, 65])
def test_every_sum_is_read_rightly_while_the_noise_has_room(modulus):
    protocol = protocols.fixed_point_sum(3, levels=2, eps=1, messages=3, modulus=modulus)
    assert protocol.room == (modulus - 7) // 2
    for total, noise in product(range(7), range(-protocol.room, protocol.room + 1)):
        assert protocol.decoded(total + noise) == Fraction(total + noise, 2)
    beyond = {protocol.decoded(total + protocol.room + 2) == Fraction(total + protocol.room + 2, 2) for total in (0, 6)}
    assert False in beyond


def test_the_estimate_adds_the_shares():
    protocol = few()
    shares = {3: 2, 60: 1}  # 6 + 60 = 66, which is 2
    assert protocol.estimate(shares) == 1
    assert protocol.estimate({63: 1}) == Fraction(-1, 2)


def worst_failure(protocol, alpha, rounding):
    """The largest probability of a larger error, over roundings of which no worse one is between; Z to 150."""
    a = 2.718281828459045 ** -(float(protocol.eps) / protocol.levels)
    chance = {z: (1 - a) / (1 + a) * a ** abs(z) for z in range(-150, 151)}
    return max(
        sum(p for z, p in chance.items() if abs(z + r) > alpha * protocol.levels + Fraction(1, 10**9)) for r in rounding
    )


@pytest.mark.parametrize(("n", "levels"), thinned([(1, 1), (2, 1), (3, 2), (4, 5)], every=2))
@pytest.mark.parametrize("beta", ["1/2", "1/20", "1/1000"])
def test_the_least_error_is_that_of_the_worst_rounding(n, levels, beta):
    protocol = protocols.fixed_point_sum(n, levels=levels, eps=1, messages=3)
    alpha, step = xdp.optimal_accuracy(protocol, beta=beta), Fraction(1, 4 * levels)
    rounding = [Fraction(i, 4) for i in range(-2 * n + 1, 2 * n + 1)]
    assert (
        worst_failure(protocol, alpha, rounding)
        <= float(Fraction(beta))
        < worst_failure(protocol, alpha - step, rounding)
    )
    grid = fixed_point_accuracy(protocol, Fraction(beta), on_grid=True)
    plain = xdp.AdditiveProtocol(protocol.noise, analyzer=xdp.Analyzer({0: 1}))
    assert grid * levels == xdp.optimal_accuracy(plain, beta=beta)
    assert grid <= alpha <= grid + protocol.rounding_error


def test_little_room_leaves_two_ends():
    protocol = protocols.fixed_point_sum(3, levels=2, eps=1, messages=3, modulus=41)
    alpha = xdp.optimal_accuracy(protocol, beta="1/1000")
    roomy = xdp.optimal_accuracy(protocols.fixed_point_sum(3, levels=2, eps=1, messages=3), beta="1/1000")
    assert alpha.lo < alpha.hi
    assert alpha.lo <= roomy <= alpha.hi
    with pytest.raises(
        InvalidValueError, match=r"below the probability that the noise leaves modulus=41\. Pass a larger"
    ):
        xdp.optimal_accuracy(protocol, beta=Fraction(1, 10**6))


def test_the_whole_is_as_private_as_the_theorem_promises():
    for eps, delta in ((Fraction(1), Fraction(1, 10**9)), (Fraction(1, 10), Fraction(1, 10**4))):
        protocol = protocols.fixed_point_sum_from_theorem(10**4, eps=eps, delta=delta)
        whole = protocol.privacy_profile()
        assert whole.delta(eps=eps) <= delta
        fewer = split_and_mix_distance(10**4, modulus=protocol.modulus, messages=protocol.messages - 1, simulator=True)
        assert 4 * fewer.lo > delta
        assert protocol.wrap_probability < Fraction(1, 2**64)
    bracket = whole.bracket(eps=eps / 2)
    assert 0 < bracket.lower.lo <= bracket.upper.lo
    assert bracket.upper.hi - bracket.lower.lo < Fraction(1, 10**3)
    assert whole.bracket(eps=eps).lower.lo == 0


def test_noise_of_a_profile_alone_says_nothing_from_below():
    noise = xdp.shift_profile(xdp.DiscreteLaplace(2))
    bracket = protocols.split_and_mix(100, modulus=64, messages=9).with_noise(noise).bracket(exp_eps="3/2")
    assert (bracket.lower.hi, bracket.attained_by, bracket.is_closed) == (0, None, False)


def test_what_a_user_sends():
    protocol = few()
    assert protocol.communication() == protocols.split_and_mix(3, modulus=64, messages=3).communication()
    assert (protocol.communication().messages, protocol.communication().bits) == (3, 6)
    assert protocol.share.r == Fraction(1, 3)


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (
            {"modulus": 6},
            InvalidValueError,
            r"modulus=6 is not above n \* levels = 6, .* Pass a larger modulus, or none\.",
        ),
        ({"levels": 10**7}, TooLargeError, r"levels=10000000 is more than the limit of 1000000\. Use fewer\."),
        ({"eps": 0, "modulus": None}, InvalidValueError, r"eps=0 is not above 0\."),
        ({"messages": 1}, InvalidValueError, r"messages=1"),
    ],
)
def test_parameters_without_a_protocol_are_refused(wrong, error, message):
    with pytest.raises(error, match=message):
        protocols.fixed_point_sum(**{"n": 3, "levels": 2, "eps": 1, "messages": 3, "modulus": 64} | wrong)


def test_inputs_out_of_range_and_no_delta_are_refused():
    with pytest.raises(InvalidValueError, match=r"x=3/2 is not in \[0, 1\]\. Scale the inputs to this range\."):
        few().rounded("3/2")
    with pytest.raises(HypothesisError, match="delta"):
        protocols.fixed_point_sum_from_theorem(10, eps=1, delta=0)
    with pytest.raises(InvalidValueError, match=r"beta=0 is not between 0 and 1\. Pass such a beta\."):
        xdp.optimal_accuracy(few(), beta=0)
