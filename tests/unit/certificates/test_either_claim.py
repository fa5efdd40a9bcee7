"""Which kind of claim a randomizer of two messages is certified by: ids stay where a claim had a certificate."""

from fractions import Fraction

import pytest

from exactdp import Claim, Neighbors, Randomizer, ShuffleProtocol, Verdict, certify, randomized_response
from exactdp.certificates.either_claim import certify_either, of_two_messages
from exactdp.randomizers import KAryResponse

RESPONSE = randomized_response(2, gamma="1/2")
CLOSE = Fraction(1001, 1000)


def claimed(n: int, factor: Fraction) -> Claim:
    """At so many times the worst delta."""
    protocol = ShuffleProtocol(RESPONSE, n)
    worst = protocol.privacy_profile().delta(exp_eps="11/10", relative_bits=30).hi
    return Claim.shuffle_dp(protocol, exp_eps="11/10", delta=worst * factor)


@pytest.mark.parametrize(
    ("n", "factor", "kind"),
    [
        (30, CLOSE, "shuffle_dp"),
        (30, 1 / CLOSE, "shuffle_dp"),
        (300, CLOSE, "two_message_dp"),  # whose views would be listed in seconds
        (2000, CLOSE, "two_message_dp"),
        (2000, Fraction(9, 10), "shuffle_dp"),  # refuted by an event, as before
        (2000, Fraction(100), "shuffle_dp"),  # proved by a blanket, as before
    ],
)
def test_what_had_a_certificate_fast_stays_what_it_is(n: int, factor: Fraction, kind: str) -> None:
    claim = claimed(n, factor)
    certificate = certify_either(claim)
    verdict = Verdict.PROVED if factor > 1 else Verdict.REFUTED
    assert (certificate.verdict, certificate.level, certificate.claim.kind) == (verdict, "certificate", kind)
    assert certificate.claim == (claim if kind == "shuffle_dp" else of_two_messages(claim))


def test_without_either_certificate_the_claim_is_kept() -> None:
    claim = claimed(300_000, CLOSE)
    certificate = certify_either(claim)
    assert (certificate.claim, certificate.verdict, certificate.level) == (claim, Verdict.PROVED, "enclosure")


def test_the_reason_of_a_claim_without_a_certificate_leads_to_the_one_that_has_it() -> None:
    claim = claimed(2000, CLOSE)
    certificate = certify(claim)
    assert certificate.level == "enclosure"
    assert "Claim.two_message_dp states the same" in certificate.reason
    assert certify(Claim.two_message_dp(ShuffleProtocol(RESPONSE, 9), exp_eps=2, delta=1)).level == "certificate"


def test_what_is_no_claim_of_two_messages_has_one_kind() -> None:
    two = ShuffleProtocol(RESPONSE, 9)
    level = {"exp_eps": 2, "delta": "1/2"}
    others = [
        Claim.shuffle_dp(ShuffleProtocol(randomized_response(3, gamma="1/2"), 9), **level),
        Claim.shuffle_dp(ShuffleProtocol(Randomizer({0: {("a", "b"): 1}, 1: {("b", "b"): 1}}), 9), **level),
        Claim.shuffle_dp(ShuffleProtocol(KAryResponse(2, exp_eps0=3), 9), **level),
        Claim.shuffle_dp(two, **level, neighbors=Neighbors.ADD_OR_REMOVE_ONE),
        Claim.shuffle_dp(two, exp_eps=2, delta="1/2", least="delta"),
        Claim.never_dp(two, delta_below="1/2"),
    ]
    assert [of_two_messages(claim) for claim in others] == [None] * len(others)
    assert certify_either(others[-1]) == certify(others[-1])
    stated = Claim.shuffle_dp(two, **level, all_n_from=7)
    assert of_two_messages(stated) == Claim.two_message_dp(two, **level, all_n_from=7)
