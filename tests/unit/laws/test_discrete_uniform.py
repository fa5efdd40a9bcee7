"""The discrete uniform law against the list of its outcomes, and at sizes where there is no list."""

import json
from fractions import Fraction as F
from math import ceil
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import exactdp as xdp
from exactdp import DiscreteUniform, Law, shift_profile, smoothness_delta
from exactdp.checker.budget import CertificateRejectedError
from exactdp.checker.documents import verify_text
from exactdp.checker.reading import SCHEMAS, sha256
from exactdp.errors import InvalidValueError
from tests.expensive import one_in
from tests.interfaces import test_laws
from tests.together import together

ENDS = [(0, 0), (0, 1), (-3, 3), (5, 9), (-7, -2), (0, 9)]
LEVELS = [F(1), F(3, 2), F(2), F(10)]
LAWS = together("law", [DiscreteUniform(*ends) for ends in ENDS], ids=str)


def listed(law):
    size = law.high - law.low + 1
    return Law({t: F(1, size) for t in range(law.low, law.high + 1)})


@pytest.mark.parametrize("check", test_laws.INTERFACE)
@LAWS
def test_it_keeps_the_interface_of_laws(check, law):
    test_laws.INTERFACE[check](law)


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


@one_in(3)
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
    for law, shift in ((DiscreteUniform(0, 9999), 7), (DiscreteUniform(1, size), 10**6)):
        alone = F(shift, law.high - law.low + 1)
        assert shift_profile(law, shift=shift).compose(2).delta(exp_eps=2) == 1 - (1 - alone) ** 2
    assert shift_profile(DiscreteUniform(1, 5000), shift=5000).compose(2).delta(exp_eps=9) == 1


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
    """So it has the id that it had before the checker knew the family, and a certificate of the second schema."""
    law = DiscreteUniform(0, 9)
    certificate = xdp.certify(claim(law))
    assert (certificate.verdict.name, certificate.level) == (verdict, "certificate")
    assert '"exactdp-certificate-2"' in certificate.to_json()
    assert xdp.verify(certificate) is certificate.verdict
    assert claim(law).digest() == claim(listed(law)).digest()


SIZE = 10**30
HUGE, AROUND = DiscreteUniform(1, SIZE), DiscreteUniform(-SIZE, SIZE)
HALVES = xdp.AdditiveProtocol(AROUND, n=10**6, analyzer=xdp.Analyzer({0: "1/2"}))
NEARLY = F(1, SIZE) - F(1, SIZE**2)
LONG = DiscreteUniform(0, 4999)
UNEVEN = {t: F(1, 5000) for t in range(5000)} | {2499: F(1, 10**4), 2501: F(3, 10**4)}
LARGE_CLAIMS = {
    "private": (lambda: xdp.Claim.shift_dp(HUGE, shift=3, exp_eps=2, delta=F(3, SIZE)), "PROVED"),
    "private at eps": (lambda: xdp.Claim.shift_dp(HUGE, shift=3, eps=1, delta=F(3, SIZE)), "PROVED"),
    "not private": (lambda: xdp.Claim.shift_dp(HUGE, exp_eps=2, delta=NEARLY), "REFUTED"),
    "not private at eps": (lambda: xdp.Claim.shift_dp(HUGE, eps=5, delta=NEARLY), "REFUTED"),
    "least delta": (lambda: xdp.Claim.shift_dp(HUGE, exp_eps=2, delta=F(1, SIZE), least="delta"), "PROVED"),
    "no least delta": (lambda: xdp.Claim.shift_dp(HUGE, exp_eps=2, delta=F(2, SIZE), least="delta"), "REFUTED"),
    "no least e^eps": (lambda: xdp.Claim.shift_dp(HUGE, exp_eps=2, delta=F(1, SIZE), least="exp_eps"), "REFUTED"),
    "smooth": (lambda: xdp.Claim.smooth(HUGE, k=3, exp_eps=2, delta=F(3, SIZE)), "PROVED"),
    "smooth at eps": (lambda: xdp.Claim.smooth(HUGE, k=3, eps=1, delta=F(3, SIZE)), "PROVED"),
    "not smooth": (lambda: xdp.Claim.smooth(HUGE, k=1, eps=1, delta=NEARLY), "REFUTED"),
    "not smooth at 1": (lambda: xdp.Claim.smooth(HUGE, k=1, exp_eps=1, delta="999/1000"), "REFUTED"),
    "tail": (lambda: xdp.Claim.tail(AROUND, low=1, at_most=F(SIZE, 2 * SIZE + 1)), "PROVED"),
    "no tail": (lambda: xdp.Claim.tail(AROUND, low=0, at_most="1/2"), "REFUTED"),
    "accurate": (lambda: xdp.Claim.accuracy(HALVES, alpha=SIZE // 4, beta="1/2"), "PROVED"),
    "inaccurate": (lambda: xdp.Claim.accuracy(HALVES, alpha=SIZE // 4 - 1, beta="1/2"), "REFUTED"),
    "equal": (lambda: xdp.Claim.equal_laws(HUGE, HUGE), "PROVED"),
    "equal to a list": (lambda: xdp.Claim.equal_laws(LONG, Law(dict.fromkeys(range(5000), F(1, 5000)))), "PROVED"),
    "unequal to a list": (lambda: xdp.Claim.equal_laws(LONG, Law(UNEVEN)), "REFUTED"),
    "longer than a list": (lambda: xdp.Claim.equal_laws(Law({0: F(1)}), HUGE), "REFUTED"),
    "moved": (lambda: xdp.Claim.equal_laws(HUGE, DiscreteUniform(2, SIZE + 1)), "REFUTED"),
    "longer": (lambda: xdp.Claim.equal_laws(DiscreteUniform(1, SIZE + 1), HUGE), "REFUTED"),
    "not a Poisson law": (lambda: xdp.Claim.equal_laws(HUGE, xdp.Poisson(4)), "REFUTED"),
    "composed": (lambda: xdp.Claim.composed((HUGE, 5), exp_eps=2, delta=F(5, SIZE)), "PROVED"),
    "not composed": (lambda: xdp.Claim.composed((HUGE, 5), exp_eps=2, delta=F(49, 10 * SIZE)), "REFUTED"),
    "composed at eps": (lambda: xdp.Claim.composed((HUGE, 5), eps=1, delta=F(51, 10 * SIZE)), "PROVED"),
    "both": (lambda: xdp.Claim.conjunction(xdp.Claim.tail(HUGE, low=2, at_most=1), SHORT_CLAIM), "PROVED"),
    "neither": (lambda: xdp.Claim.negation(xdp.Claim.equal_laws(HUGE, AROUND)), "PROVED"),
}
SHORT_CLAIM = xdp.Claim.tail(xdp.Poisson(3), low=1, at_most=1)


@together("name", LARGE_CLAIMS)
def test_a_claim_about_a_large_law_has_a_certificate(name):
    """Of the third schema, and nothing is listed: the prover and the checker take milliseconds."""
    claim, verdict = LARGE_CLAIMS[name]
    began = process_time()
    certificate = xdp.certify(claim())
    assert process_time() - began < 2
    assert (certificate.verdict.name, certificate.level) == (verdict, "certificate")
    assert '"exactdp-certificate-3"' in certificate.to_json()
    began = process_time()
    assert verify_text(certificate.to_json()).verdict == verdict
    assert process_time() - began < 0.5


@pytest.mark.parametrize("path", [("law", "low"), ("law", "high"), ("shift",), ("delta",)], ids=".".join)
def test_a_tampered_certificate_fails(path):
    """Sealed again: only the arithmetic can tell that an end or the shift is off by one, or delta less by a hair."""
    honest = xdp.Claim.shift_dp(HUGE, shift=7, exp_eps=2, delta=F(7, SIZE))
    document = json.loads(xdp.certify(honest).to_json())
    holder = document["claim"]["law"] if len(path) > 1 else document["claim"]
    holder[path[-1]] = {"low": "2", "high": str(SIZE - 1), "shift": "8", "delta": str(F(7, SIZE) - F(1, 10**60))}[
        path[-1]
    ]
    document["claim_id"] = sha256(document["claim"])
    with pytest.raises(CertificateRejectedError, match="the divergence exceeds delta"):
        verify_text(json.dumps(document))


@one_in(2)
@given(
    low=st.integers(-5, 5),
    size=st.integers(1, 7),
    shift=st.integers(1, 9),
    exp_eps=st.sampled_from(LEVELS),
    delta=st.fractions(0, 1, max_denominator=42),
)
def test_the_checker_decides_as_brute_force_does(low, size, shift, exp_eps, delta):
    """Divergence, smooth event and range of a law of few outcomes, one by one; the truth is verified, and alone."""
    weights = {t: F(1, size) for t in range(low, low + size)}
    worst = max(
        sum((max(F(0), weights.get(t, F(0)) - exp_eps * weights.get(t - j, F(0))) for t in range(-20, 30)), F(0))
        for j in range(-shift, shift + 1)
        if j
    )
    rough = max(
        sum((p for t, p in weights.items() if p >= exp_eps ** abs(j) * weights.get(t + j, F(0))), F(0))
        for j in range(-shift, shift + 1)
        if j
    )
    end = low + shift - 3
    below = sum((p for t, p in weights.items() if t <= end), F(0))
    law = {"family": "discrete-uniform", "low": str(low), "high": str(low + size - 1)}
    level = {"exp_eps": str(exp_eps), "delta": str(delta)}
    for claim, holds in (
        ({"kind": "shift_dp", "law": law, "shift": str(shift), **level, "least": "none"}, worst <= delta),
        ({"kind": "smooth", "law": law, "k": str(shift), **level}, rough <= delta),
        (
            {
                "kind": "tail",
                "law": law,
                "from": "-infinity",
                "to": str(end),
                "bound": "at most",
                "probability": str(delta),
            },
            below <= delta,
        ),
    ):
        assert proves(claim) == holds, claim


def proves(claim):
    document = {"schema": SCHEMAS[2], "claim": claim, "claim_id": sha256(claim), "verdict": "PROVED", "witness": {}}
    try:
        return verify_text(json.dumps(document)).verdict == "PROVED"
    except CertificateRejectedError:
        return False


def test_bad_ends_are_refused():
    with pytest.raises(InvalidValueError, match=r"^low=5 is above high=3\. Swap the two\.$"):
        DiscreteUniform(5, 3)
    with pytest.raises(InvalidValueError, match="low"):
        DiscreteUniform("1/2", 3)
    assert repr(DiscreteUniform(-1, "3")) == "DiscreteUniform(-1, 3)"
