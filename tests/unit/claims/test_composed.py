"""Claims about many runs: what is decided is true, and the checker sees it on a lattice."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from exactdp import Certificate, Claim, Neighbors, Randomizer, ShuffleProtocol, Verdict, certify, shift_profile, verify
from exactdp.claims.claim import Run
from exactdp.errors import InvalidValueError
from exactdp.laws import Binomial, DiscreteGaussian, DiscreteLaplace, Geometric, Law, NegativeBinomial, Poisson

FLIP = Randomizer({0: {(0,): "3/4", (1,): "1/4"}, 1: {(0,): "1/4", (1,): "3/4"}})
SKEWED = Randomizer({0: {(0,): "1/2", (1,): "1/2"}, 1: {(0,): "1/8", (1,): "7/8"}, 2: {(0,): "1/4", (1,): "3/4"}})


def decided(claim: Claim) -> Certificate:
    """The certificate of a claim, which the checker has verified."""
    certificate = certify(claim)
    assert certificate.level == "certificate", certificate.reason
    assert verify(certificate) is certificate.verdict
    return certificate


NOISE = st.one_of(
    st.builds(Binomial, st.integers(2, 1000), st.fractions("1/20", "19/20", max_denominator=30)),
    st.builds(Poisson, st.integers(2, 200)),
    st.builds(NegativeBinomial, st.integers(1, 20), st.just("4/5")),
    st.builds(Geometric, st.fractions("1/2", "9/10", max_denominator=10)),
    st.builds(DiscreteLaplace, st.fractions("11/10", 3, max_denominator=10)),
    st.builds(DiscreteGaussian, st.integers(1, 40)),
)


@pytest.mark.slow
@settings(max_examples=8, phases=[Phase.explicit, Phase.generate])
@given(NOISE, st.integers(2, 6), st.sampled_from(["1/4", "1", "3"]), st.sampled_from([-1, 1]))
def test_noise_within_a_tenth_of_the_truth(noise: Any, times: int, eps: str, side: int) -> None:
    composed = shift_profile(noise).compose(times)
    value = composed.delta(eps=eps, relative_width="1/100")
    bound = value.hi * Fraction(11, 10) if side > 0 else value.lo * Fraction(9, 10)
    if not 0 < bound < 1 or (side < 0 and not composed.is_tight):
        return
    expected = Verdict.PROVED if side > 0 else Verdict.REFUTED
    assert decided(Claim.composed((noise, times), eps=eps, delta=bound)).verdict is expected


@pytest.mark.parametrize("gap", [Fraction(1, 10**6), Fraction(1, 10**300)])
@pytest.mark.parametrize("times", [1, 2, 5])
def test_two_values_of_the_loss_at_any_gap(times: int, gap: Fraction) -> None:
    exact = shift_profile(DiscreteLaplace(3)).compose(times).delta(exp_eps=2)
    assert isinstance(exact, Fraction)
    for delta, verdict in ((exact + gap, Verdict.PROVED), (exact - gap, Verdict.REFUTED)):
        claim = Claim.composed((DiscreteLaplace(3), times), exp_eps=2, delta=delta)
        assert decided(claim).verdict is verdict


def test_pure_privacy_adds_up() -> None:
    protocol = ShuffleProtocol(FLIP, 1)
    assert decided(Claim.composed((protocol, 4), exp_eps=81, delta=0)).verdict is Verdict.PROVED
    assert decided(Claim.composed((protocol, 4), exp_eps="80.9", delta=0)).verdict is Verdict.REFUTED


def test_different_mechanisms_in_one_claim() -> None:
    protocol, law = ShuffleProtocol(FLIP, 6), Law({0: "1/4", 1: "1/2", 2: "1/4"})
    runs = ((protocol, 2), Run(Binomial(500, "1/2"), 3, 2), (law, 1))
    assert decided(Claim.composed(*runs, eps=1, delta="9/10")).verdict is Verdict.PROVED
    assert decided(Claim.composed(*runs, eps=1, delta="1/10")).verdict is Verdict.REFUTED


def test_both_neighbouring_relations() -> None:
    protocol = ShuffleProtocol(Randomizer({0: {(): "3/4", (0,): "1/4"}, 1: {(): "1/4", (0,): "3/4"}}), 3)
    for neighbors in Neighbors:
        for delta, verdict in (("9/10", Verdict.PROVED), ("1/1000", Verdict.REFUTED)):
            claim = Claim.composed((protocol, 2), exp_eps=2, delta=delta, neighbors=neighbors)
            assert decided(claim).verdict is verdict


def test_infinite_losses_stay() -> None:
    """Each of three runs of a coin shows its shift with probability 1/2."""
    coin = Law({0: "1/2", 1: "1/2"})
    for delta, verdict in (("876/1000", Verdict.PROVED), ("874/1000", Verdict.REFUTED)):
        assert decided(Claim.composed((coin, 3), exp_eps=100, delta=delta)).verdict is verdict


def test_what_is_too_close_is_undecided() -> None:
    value = shift_profile(Binomial(300, "1/2")).compose(4).delta(eps=1, relative_width="1/1000000")
    certificate = certify(Claim.composed((Binomial(300, "1/2"), 4), eps=1, delta=value.hi))
    assert certificate.verdict is Verdict.UNDECIDED
    assert "too close" in certificate.reason


def test_a_gap_between_notions_is_undecided() -> None:
    protocol = ShuffleProtocol(SKEWED, 1)
    value = ShuffleProtocol(SKEWED, 1).privacy_profile().compose(3).delta(exp_eps=2)
    assert not isinstance(value, Fraction)
    certificate = certify(Claim.composed((protocol, 3), exp_eps=2, delta=(value.hi + value.lo) / 2))
    assert certificate.verdict is Verdict.UNDECIDED
    assert "not told apart by the bounds of this notion" in certificate.reason


def test_a_tie_is_an_enclosure() -> None:
    exact = shift_profile(DiscreteLaplace(3)).compose(2).delta(exp_eps=2)
    certificate = certify(Claim.composed((DiscreteLaplace(3), 2), exp_eps=2, delta=exact))
    assert (certificate.verdict, certificate.level) == (Verdict.PROVED, "enclosure")


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ((), "no runs given. Pass at least one (protocol or noise, times)."),
        ((Binomial(2, "1/2"),), "a run is no pair. Pass (protocol or noise, times), or a Run with its shift."),
        (((Binomial(2, "1/2"), 0),), "times=0 is below 1."),
        (((Binomial(2, "1/2"), 1, 0),), "shift=0 is below 1."),
    ],
)
def test_bad_runs(runs: Any, message: str) -> None:
    with pytest.raises(InvalidValueError) as error:
        Claim.composed(*runs, eps=1, delta="1/2")
    assert str(error.value).startswith(message)
