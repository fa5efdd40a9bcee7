"""Private counting with correlated noise: the protocol, its theorem, what it gives away and the least r."""

from fractions import Fraction

import mpmath
import pytest

import exactdp as xdp
from exactdp import protocols
from exactdp.bounds import correlated_counting_noise, correlated_counting_slack, negative_binomial_mechanism
from exactdp.errors import HypothesisError, InvalidValueError
from exactdp.numbers.balls import enclose_real
from exactdp.studies.calibration.counting_shares import counting_shares
from tests.oracles.high_precision import contains, sixty_digits
from tests.together import together


def small():
    return protocols.correlated_counting(4, p1="1/2", p2="9/10", r=20)


def test_the_parts_of_the_protocol():
    protocol = small()
    assert protocol.geometric == xdp.Geometric("1/2")
    assert protocol.correlated == xdp.NegativeBinomial(20, "9/10")
    assert protocol.error == xdp.DiscreteLaplace(2)
    assert protocol.noise_messages == Fraction(2, 4) * (protocol.geometric.mean + protocol.correlated.mean)
    assert protocol.analyzer == xdp.Analyzer({1: 1, -1: -1})


def test_the_error_is_the_difference_of_two_geometric_numbers():
    one = [Fraction(1, 2) ** (t + 1) for t in range(60)]
    error = small().error
    for z in (-3, 0, 5):
        law = sum(one[t] * one[t + abs(z)] for t in range(50))
        assert 0 < error.exact_pmf(z) - law < Fraction(1, 2**90)


def test_the_estimate_is_the_difference_of_the_counts():
    assert small().estimate((7, 3)) == small().estimate({1: 7, -1: 3}) == 4
    assert small().estimate({-1: 3}) == -3
    with pytest.raises(InvalidValueError, match=r"counts has 3 entries, for \+1 and -1\. Give one for each\."):
        small().estimate((1, 2, 3))
    with pytest.raises(InvalidValueError, match=r"unknown message 0\. The messages are 1 and -1\."):
        small().estimate({0: 1})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"p1": 0}, r"p1=0 is not between 0 and 1\. Pass the ratio"),
        ({"p2": 1}, r"p2=1 is not between 0 and 1\. Pass the ratio"),
        ({"r": "-1/2"}, r"r=-1/2 is below 0\. Pass the shape of the noise of both counts, 0 for none\."),
        ({"n": 0}, r"n=0"),
    ],
)
def test_parameters_without_a_protocol_are_refused(wrong, message):
    with pytest.raises(InvalidValueError, match=message):
        protocols.correlated_counting(**{"n": 4, "p1": "1/2", "p2": "9/10", "r": 20} | wrong)


def test_adding_a_user_is_refused():
    with pytest.raises(InvalidValueError, match=r"the noise belongs to n=4 users\. Pass Neighbors\.REPLACE_ONE\."):
        small().privacy_profile(neighbors=xdp.Neighbors.ADD_OR_REMOVE_ONE)


def test_the_older_names_are_the_same_functions():
    assert protocols.private_counting is protocols.one_sided_counting
    assert protocols.private_counting_from_theorem is protocols.one_sided_counting_from_theorem


# --- The theorem ----------------------------------------------------------------------------------------------------


def test_the_constants():
    noise = correlated_counting_noise(eps="1/2", delta="1/100", share="1/4")
    with sixty_digits():
        expected = mpmath.exp(mpmath.mpf(-3) / 8), mpmath.exp(mpmath.mpf(-1) / 40), 3 * (1 + mpmath.log(100))
        for parameter, value in zip((noise.p1, noise.p2, noise.r), expected, strict=True):
            assert contains(enclose_real(parameter, relative_bits=150), value)


@together("eps", [1, "1/100", 3, xdp.LogRational("3/2")])
@together("delta", [1, "1/10", "1e-9", "1e-60"])
@together("share", ["1/4", "1/3"])
def test_the_noise_of_the_theorem_is_enough(eps, delta, share):
    """And by the chain: below what W alone gives away at e^(share eps), over 1 + p1."""
    protocol = protocols.correlated_counting_from_theorem(10**6, eps=eps, delta=delta, share=share)
    value = protocol.privacy_profile().delta(eps=eps)
    assert value.hi * (1 + protocol.p1) <= Fraction(delta)
    exact = correlated_counting_noise(eps=eps, delta=delta, share=share)
    for rounded, parameter in ((protocol.p1, exact.p1), (protocol.p2, exact.p2), (protocol.r, exact.r)):
        assert (rounded * 2**53).denominator == 1
        assert float(rounded) == rounded
        assert 0 <= rounded - enclose_real(parameter, relative_bits=100).lo < Fraction(max(1, int(rounded)), 2**52)


def test_other_constants_are_not_enough():
    """A tenth of r, or p2 = e^(-e2) in the place of e^(-e2/5), misses delta = 10^-9 at eps = 1."""
    size = 1 + xdp.Real.log(10**9)
    for r, p2 in ((Fraction(3, 10) * size, "exp(-1/10)"), (3 * size, "exp(-1/2)")):
        protocol = protocols.correlated_counting(10, p1="exp(-1/2)", p2=p2, r=r)
        assert protocol.privacy_profile().delta(eps=1) > Fraction(1, 10**9)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"share": 1}, r"needs 0 < share < 1, but share=1\. Pass share between 0 and 1\."),
        ({"eps": 3}, r"needs share \* eps <= 1, but share=1/2 and eps=3\. Pass a smaller share or eps\."),
        ({"delta": 0}, r"delta"),
        ({"eps": 0}, r"eps"),
    ],
)
def test_hypotheses_are_named(wrong, message):
    with pytest.raises(HypothesisError, match=message):
        protocols.correlated_counting_from_theorem(10, **{"eps": 1, "delta": "1e-6"} | wrong)


def test_what_the_steps_give_away():
    rows = correlated_counting_slack(eps=1, delta="1e-6")
    deltas = [float(row.delta) for row in rows]
    needed = [float(row.needed) for row in rows]
    assert deltas == sorted(deltas, reverse=True)
    assert needed == sorted(needed, reverse=True)
    published = negative_binomial_mechanism(eps="1/2", delta="1e-6")
    alone = xdp.shift_profile(published).delta(eps="1/2")
    assert rows[2].delta.lo <= alone.hi
    assert alone.lo <= rows[2].delta.hi
    for row in rows[2:]:
        for r, holds in ((row.needed.lo, False), (row.needed.hi, True)):
            noise = xdp.NegativeBinomial(r, xdp.Real.exp("-1/10"))
            both = protocols.correlated_counting(1, p1="exp(-1/2)", p2="exp(-1/10)", r=r).privacy_profile()
            value = xdp.shift_profile(noise).delta(eps="1/2") if row is rows[2] else both.delta(eps=1)
            assert (value <= Fraction(1, 10**6)) is holds


@pytest.mark.parametrize(("delta", "needs_noise"), [("1e-2", True), ("1/20", False)])
def test_the_least_r_is_looked_for_from_none_on(delta, needs_noise):
    """Without noise of both counts delta is 1 - p1, 0.0487 at eps = 1/10; W alone always needs some."""
    one, both = correlated_counting_slack(eps="1/10", delta=delta)[2:]
    assert 0 < one.needed.lo < 1
    assert (both.needed.hi > 0, both.ratio is None) == (needs_noise, not needs_noise)
    if needs_noise:
        for r, holds in ((both.needed.lo, False), (both.needed.hi, True)):
            view = protocols.correlated_counting(1, p1="exp(-1/20)", p2="exp(-1/100)", r=r).privacy_profile()
            assert (view.delta(eps="1/10") <= Fraction(delta)) is holds


# --- The least r, and the error -------------------------------------------------------------------------------------


def test_the_least_r_and_the_value_below():
    least = xdp.calibrate("correlated-counting", n=10**9, eps=1, delta="1e-6")
    assert (least.scope, least.level, least.is_least) == ("and every larger value", "certificate", True)
    assert least.parameter - least.fails_at == Fraction(1, 2**40)
    for r, holds in ((least.fails_at, False), (least.parameter, True)):
        profile = protocols.correlated_counting(1, p1="exp(-1/2)", p2="exp(-1/10)", r=r).privacy_profile()
        assert (profile.delta(eps=1, relative_bits=100) <= Fraction(1, 10**6)) is holds
    slack = correlated_counting_slack(eps=1, delta="1e-6")[-1].needed
    assert slack.lo < least.parameter <= slack.hi


def test_less_than_one_may_be_enough_and_none_too():
    least = xdp.calibrate(protocols.correlated_counting, n=10, eps="1/10", delta="1e-2", grid="1/8")
    assert (least.parameter, least.fails_at) == (Fraction(1, 2), Fraction(3, 8))
    none = xdp.calibrate(protocols.correlated_counting, n=10, eps="1/10", delta="1/20")
    assert (none.parameter, none.fails_at, none.open_at, none.scope) == (0, None, None, "and every larger value")
    assert isinstance(none.protocol, protocols.CorrelatedCounting)


def test_a_share_is_that_of_the_theorem():
    least = xdp.calibrate("correlated-counting", n=10, exp_eps=3, delta="1e-6", share="1/4", grid="1/1024").protocol
    published = correlated_counting_noise(eps=xdp.LogRational(3), delta="1e-6", share="1/4")
    for own, other in ((least.p1, published.p1), (least.p2, published.p2)):
        assert enclose_real(own, relative_bits=100).compare(enclose_real(other, relative_bits=60).hi) is not None
        assert abs(float(enclose_real(own / other, relative_bits=60)) - 1) < 1e-15


def test_the_best_share_sends_the_fewest_messages_and_the_error_grows():
    compared = counting_shares(10**6, eps=1, delta="1e-6", shares=["1/4", "1/2", "7/8", "15/16"])
    assert compared.fewest.share == Fraction(7, 8)
    sent = [float(row.noise_messages) for row in compared.rows]
    assert sorted(sent) == [sent[2], sent[3], sent[1], sent[0]]
    assert [row.alpha for row in compared.rows] == sorted(row.alpha for row in compared.rows)
    half = compared.rows[1].calibration
    assert half.parameter == xdp.calibrate("correlated-counting", n=1, eps=1, delta="1e-6", grid="1/1048576").parameter
    with pytest.raises(InvalidValueError, match=r"shares is empty\. Pass at least one share of eps, such as 1/2\."):
        counting_shares(10, eps=1, delta="1e-6", shares=[])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"share": "3/2"}, r"share=3/2 is not between 0 and 1\. Pass the share of eps, such as 1/4\."),
        ({"eps": 0}, r"eps=0 leaves p1=1, .* Pass eps above 0\."),
        ({"delta": 0}, r"delta=0 is reached by no r: .* Pass delta above 0\."),
        ({"inputs": 3}, r"inputs has no meaning for this family\. .* belongs to randomizers such as unary-encoding\."),
        ({"family": "zsum", "share": "1/2"}, r"share has no meaning .* it belongs to correlated-counting\."),
    ],
)
def test_what_cannot_be_calibrated_is_refused(wrong, message):
    asked = {"family": "correlated-counting", "n": 10, "eps": 1, "delta": "1e-6"} | wrong
    with pytest.raises(InvalidValueError, match=message):
        xdp.calibrate(asked.pop("family"), **asked)


@pytest.mark.parametrize("beta", ["1/20", "1/1000"])
def test_the_error_is_that_of_discrete_laplace_noise(beta):
    alpha = xdp.optimal_accuracy(small(), beta=beta)
    noise = xdp.AdditiveProtocol(xdp.DiscreteLaplace(2), analyzer=xdp.Analyzer({0: 1}))
    assert alpha == xdp.optimal_accuracy(noise, beta=beta)
    assert 2 * xdp.DiscreteLaplace(2).exact_sf(alpha) <= Fraction(beta) < 2 * xdp.DiscreteLaplace(2).exact_sf(alpha - 1)


def test_a_decision_about_privacy():
    protocol = protocols.correlated_counting_from_theorem(10, eps=1, delta="1e-6")
    assert xdp.is_private(protocol, eps=1, delta="1e-6") is True
    assert xdp.is_private(protocol, eps="1/2", delta="1e-6") is False
