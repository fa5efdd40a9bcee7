"""The discrete uniform law against the list of its outcomes, and at sizes where there is no list."""

from fractions import Fraction as F
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

import exactdp as xdp
from exactdp import DiscreteUniform, Law, shift_profile, smoothness_delta
from exactdp.errors import InvalidValueError, TooLargeError

ENDS = [(0, 0), (0, 1), (-3, 3), (5, 9), (-7, -2), (0, 9)]
LEVELS = [F(1), F(3, 2), F(2), F(10)]
LAWS = pytest.mark.parametrize("law", [DiscreteUniform(*ends) for ends in ENDS], ids=str)


def listed(law):
    size = law.high - law.low + 1
    return Law({t: F(1, size) for t in range(law.low, law.high + 1)})


@LAWS
def test_weights_tails_and_moments_are_those_of_the_list(law):
    outcomes = listed(law)
    for k in range(law.low - 2, law.high + 3):
        below = sum((p for t, p in outcomes.items() if t <= k), F(0))
        exact = outcomes.prob(k), below, 1 - below
        assert (law.exact_pmf(k), law.exact_cdf(k), law.exact_sf(k)) == exact
        for bits in (1, 53, 700):
            found = [answer(k, relative_bits=bits) for answer in (law.pmf, law.cdf, law.sf)]
            assert all(value in interval for value, interval in zip(exact, found, strict=True))
            assert all((interval.hi - interval.lo) * 2**bits <= interval.hi for interval in found)
    assert law.mean == outcomes.mean()
    assert law.variance == sum(((t - law.mean) ** 2 * p for t, p in outcomes.items()), F(0))
    assert law.exact_pmf(law.mode) == max(p for _, p in outcomes.items())
    assert law.law() == law.listed(law.high - law.low) == outcomes
    assert law.is_symmetric
    assert {law.ratio(t, u) for t in outcomes for u in outcomes} == {xdp.Real(1)}


@LAWS
@pytest.mark.parametrize("q", [F(1, 100), F(1, 10), F(1, 3), F(1, 2), F(7, 10), F(99, 100)])
def test_quantiles_are_those_of_the_list(law, q):
    assert law.quantile(q) == min(k for k in range(law.low, law.high + 1) if law.exact_cdf(k) >= q)


@LAWS
@pytest.mark.parametrize("shift", [1, 2, 5, 12])
def test_privacy_is_that_of_the_list(law, shift):
    own, other = (shift_profile(each, shift=shift) for each in (law, listed(law)))
    for exp_eps in LEVELS:
        delta = other.delta(exp_eps=exp_eps)
        assert own.delta(exp_eps=exp_eps) == delta == min(F(1), F(shift, law.high - law.low + 1))
        assert delta in own.delta(exp_eps=exp_eps, relative_bits=80)
    assert other.delta(exp_eps=1) in own.delta(eps="7/3")
    for target in (F(0), F(1, 10), F(1, 3), F(1, 2), F(1)):
        assert own.epsilon(target) == other.epsilon(target)
    assert own.tradeoff() == other.tradeoff()
    for exp_eps in LEVELS:
        assert own.compose(3).delta(exp_eps=exp_eps) == other.compose(3).delta(exp_eps=exp_eps)


@LAWS
@pytest.mark.parametrize("exp_eps", LEVELS, ids=str)
def test_smoothness_and_two_bins_are_those_of_the_list(law, exp_eps):
    for k in (1, 2, 4):
        assert smoothness_delta(law, k=k, exp_eps=exp_eps) == smoothness_delta(listed(law), k=k, exp_eps=exp_eps)
    own, other = (xdp.AdditiveProtocol(each, bins=2).privacy_profile() for each in (law, listed(law)))
    assert own.delta(exp_eps=exp_eps) == other.delta(exp_eps=exp_eps)
    assert other.delta(exp_eps=exp_eps) in own.delta(exp_eps=exp_eps, relative_bits=60)


@given(
    low=st.integers(-(10**60), 10**60),
    size=st.integers(2, 10**60),
    share=st.fractions(F(1, 10**6), F(1) - F(1, 10**6)),
    shift=st.integers(1, 10**6),
)
def test_it_is_exact_at_every_size(low, size, share, shift):
    law = DiscreteUniform(low, low + size - 1)
    k = low + ceil(share * size) - 1
    assert law.quantile(share) == k
    assert law.exact_cdf(k) == F(k - low + 1, size)
    assert law.exact_sf(k) in law.sf(k)
    assert shift_profile(law, shift=shift).delta(exp_eps=3) == min(F(1), F(shift, size))
    assert smoothness_delta(law, k=shift, exp_eps=3) == min(F(1), F(shift, size))


def test_two_bins_and_runs_beyond_every_list():
    """At E the pair of bins differs where one of two ends is left: 1 - (1 - 1/N)^2."""
    size = 10**30
    two = xdp.AdditiveProtocol(DiscreteUniform(1, size), bins=2).privacy_profile().delta(exp_eps=2)
    assert 1 - (1 - F(1, size)) ** 2 in two
    long = shift_profile(DiscreteUniform(0, 9999), shift=7).compose(2).delta(exp_eps=2)
    assert long.compare(1 - (1 - F(7, 10**4)) ** 2) in (0, None)
    with pytest.raises(TooLargeError, match="outcomes that matter"):
        shift_profile(DiscreteUniform(1, size)).compose(2).delta(exp_eps=2)


def test_the_least_error_is_that_of_the_list():
    """|Y| exceeds A with probability at most beta: Y in -10..10 has 21 outcomes."""
    noisy = xdp.AdditiveProtocol(DiscreteUniform(-10, 10), analyzer=xdp.Analyzer({0: 1}))
    for beta in (F(1, 100), F(2, 21), F(1, 3), F(20, 21)):
        least = min(a for a in range(11) if F(2 * (10 - a), 21) <= beta)
        assert xdp.optimal_accuracy(noisy, beta=beta) == least


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (lambda law: xdp.Claim.shift_dp(law, shift=3, exp_eps=2, delta="3/10"), "PROVED"),
        (lambda law: xdp.Claim.shift_dp(law, shift=3, eps=1, delta="29/100"), "REFUTED"),
        (lambda law: xdp.Claim.smooth(law, k=2, exp_eps=2, delta="1/5"), "PROVED"),
        (lambda law: xdp.Claim.tail(law, low=8, at_most="1/5"), "PROVED"),
        (lambda law: xdp.Claim.equal_laws(law, listed(DiscreteUniform(0, 9))), "PROVED"),
    ],
    ids=["private", "not private", "smooth", "tail", "equal"],
)
def test_a_claim_states_a_short_law_as_its_list(claim, verdict):
    """The checker has no room for the family, and needs none: it verifies the claim about the listed law."""
    law = DiscreteUniform(0, 9)
    certificate = xdp.certify(claim(law))
    assert (certificate.verdict.name, certificate.level) == (verdict, "certificate")
    assert xdp.verify(certificate) is certificate.verdict
    assert claim(law).digest() == claim(listed(law)).digest()


def test_a_claim_about_a_long_law_is_decided_and_not_certified():
    certificate = xdp.certify(xdp.Claim.shift_dp(DiscreteUniform(0, 10**9), shift=1, exp_eps=2, delta="1e-8"))
    assert (certificate.verdict, certificate.level) == (xdp.Verdict.PROVED, "enclosure")
    assert "The checker cannot confirm it: family is 'discrete-uniform'" in certificate.reason


def test_bad_ends_are_refused():
    with pytest.raises(InvalidValueError, match=r"^low=5 is above high=3\. Swap the two\.$"):
        DiscreteUniform(5, 3)
    with pytest.raises(InvalidValueError, match="low"):
        DiscreteUniform("1/2", 3)
    assert repr(DiscreteUniform(-1, "3")) == "DiscreteUniform(-1, 3)"
