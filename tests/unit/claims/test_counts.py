"""Certificates of correlated counts and of sampled counts: whatever is decided is right, down to the last bit."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp import Binomial, Claim, NegativeBinomial, Real, certify, protocols
from exactdp.claims.certificate import Verdict
from exactdp.claims.certify import check
from exactdp.claims.kinds import counting
from exactdp.protocols.thresholded.waiting_times import sample_threshold_worst
from tests.unit.checker import oracle

F = Fraction
HAIR = F(1, 10**40)
RATES = st.sampled_from([F(1, 8), F(1, 3), F(1, 2), F(2, 3), F(9, 10)])
LEVELS = st.sampled_from([F(11, 10), F(3, 2), F(2), F(5)])


def test_a_protocol_is_certified_whatever_n_is() -> None:
    few, many = (protocols.correlated_counting(n, p1="1/2", p2="9/10", r=20) for n in (3, 10**9))
    claims = [Claim.shuffle_dp(protocol, exp_eps=2, delta="1e-2") for protocol in (few, many)]
    assert claims[0] == claims[1] == Claim.counting_dp(p1="1/2", noise=[few.correlated], exp_eps=2, delta="1e-2")
    result = check(certify(claims[0]))
    assert result.verdict == "PROVED"
    assert result.facts[0] == "correlated counts differ by one law and its shift"


@pytest.mark.parametrize(("side", "verdict"), [(1, Verdict.PROVED), (-1, Verdict.REFUTED)])
@pytest.mark.parametrize("exp_eps", ["1", "3/2", "2", "3"])
def test_a_delta_on_either_side_of_the_divergence(exp_eps: str, side: int, verdict: Verdict) -> None:
    """The engine's own enclosures of 200 bits are the number that is left out."""
    protocol = protocols.correlated_counting(9, p1="2/3", p2=Real.exp("-1/7"), r="11/2")
    delta = protocol.privacy_profile().delta(exp_eps=exp_eps, relative_bits=200)
    certificate = certify(Claim.shuffle_dp(protocol, exp_eps=exp_eps, delta=(delta.lo + delta.hi) / 2 + side * HAIR))
    assert (certificate.verdict, certificate.level) == (verdict, "certificate")


def test_several_laws_are_certified_without_an_engine() -> None:
    """Laws of one ratio add up to one law, of which the engine knows delta."""
    laws = [NegativeBinomial(r, "2/3") for r in ("5/2", "3", "1/3")]
    protocol = protocols.correlated_counting(9, p1="1/3", p2="2/3", r=F(35, 6))
    delta = protocol.privacy_profile().delta(exp_eps=4, relative_bits=100).lo
    for side, verdict in ((1, Verdict.PROVED), (-1, Verdict.REFUTED)):
        claim = Claim.counting_dp(p1="1/3", noise=laws, exp_eps=4, delta=delta + side * F(1, 10**12))
        certificate = certify(claim)
        assert (certificate.verdict, certificate.level) == (verdict, "certificate")


def test_what_is_met_exactly_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "_BITS", ("64", "128"))
    law = NegativeBinomial(2, "1/2")
    for noise in ([law], [NegativeBinomial(1, "1/2")] * 2):
        certificate = certify(Claim.counting_dp(p1="1/2", noise=noise, exp_eps=2, delta="5/32"))
        assert certificate.verdict is Verdict.UNDECIDED
    assert certify(Claim.counting_dp(p1="1/2", noise=[law], exp_eps=2, delta=F(5, 32) + HAIR)).level == "certificate"


@pytest.mark.parametrize("exp_eps", ["11/10", "2", "5"])
@pytest.mark.parametrize("tau", [2, 9, 20])
def test_the_published_worst_pair_is_certified_exactly(tau: int, exp_eps: str) -> None:
    """At the exact supremum over all numbers of holders, and one in the 60th digit below."""
    worst = sample_threshold_worst(tau, alpha="1/2", exp_eps=exp_eps)
    rate = F(1, 2) * (1 - 1 / F(exp_eps))
    for delta, verdict in ((worst.delta, Verdict.PROVED), (worst.delta * (1 - F(1, 10**60)), Verdict.REFUTED)):
        claim = Claim.sample_threshold_dp(rate=rate, threshold=tau, exp_eps=exp_eps, delta=delta)
        certificate = certify(claim)
        assert (certificate.verdict, certificate.level) == (verdict, "certificate")
        assert f"{worst.holders}" in certificate.reason


@settings(deadline=None, max_examples=25)
@given(RATES, LEVELS, st.integers(1, 4), st.integers(1, 12), st.sampled_from([0, -1, 1]))
def test_few_users_are_decided_exactly(rate: F, exp_eps: F, tau: int, users: int, side: int) -> None:
    """Any rate, in both orders, at the worst delta of so many users, and on either side of it."""
    data = Claim.sample_threshold_dp(rate=rate, threshold=tau, users=users, exp_eps=exp_eps, delta=0).data
    low, high = F(0), F(1)
    for _ in range(40):  # by bisection with the oracle, which adds up all outcomes
        middle = (low + high) / 2
        low, high = (low, middle) if oracle.truth({**data, "delta": str(middle)}, []) else (middle, high)
    delta = min(F(1), max(F(0), high + side * F(1, 2**20)))
    certificate = certify(Claim.from_data({**data, "delta": str(delta)}))
    assert certificate.level == "certificate"
    assert oracle.agrees(certificate.claim.data, certificate.verdict.value, [])


@pytest.mark.parametrize(
    ("rate", "exp_eps", "delta", "verdict"),
    [
        ("1/2", "1", "1/5", Verdict.REFUTED),  # no tail bound, but a pair
        ("1/2", "1", "1/4", Verdict.UNDECIDED),
        ("1/4", "2", "0", Verdict.REFUTED),
        ("9/10", "2", "1", Verdict.PROVED),
    ],
)
def test_where_no_tail_bound_helps(rate: str, exp_eps: str, delta: str, verdict: Verdict) -> None:
    certificate = certify(Claim.sample_threshold_dp(rate=rate, threshold=2, exp_eps=exp_eps, delta=delta))
    assert certificate.verdict is verdict


def test_an_irrational_level_is_certified_by_terms() -> None:
    for delta, verdict in (("1e-3", Verdict.REFUTED), ("1e-2", Verdict.PROVED)):
        certificate = certify(Claim.sample_threshold_dp(rate="1/2", threshold=20, eps="1/2", delta=delta))
        assert (certificate.verdict, certificate.level) == (verdict, "certificate")


def test_other_noise_is_refused() -> None:
    with pytest.raises(ValueError, match="no list of 1 to 8 negative binomial laws"):
        Claim.counting_dp(p1="1/2", noise=[Binomial(3, "1/2")], exp_eps=2, delta=0)  # type: ignore[list-item]
