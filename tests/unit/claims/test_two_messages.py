"""Certificates of randomizers with two messages: whatever is decided is right, down to the last bit, at any delta."""

import json
import random
import time
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import Claim, Randomizer, ShuffleProtocol, certify, randomized_response, verify
from exactdp.checker.budget import MalformedCertificateError, Work
from exactdp.checker.claims import read_claim
from exactdp.claims.certificate import Certificate, Verdict
from exactdp.claims.certify import check
from exactdp.errors import InvalidValueError
from exactdp.privacy.two_messages.two_messages import TwoMessageScan
from exactdp.randomizers import KAryResponse
from tests.expensive import one_in
from tests.thinned import thinned

F = Fraction
HAIR = F(1, 10**60)
RESPONSE = randomized_response(2, gamma="1/2")
RATES = st.fractions(0, 1, max_denominator=12)
LEVELS = st.fractions(1, 4, max_denominator=10)


def table(rates: list[F]) -> Randomizer:
    """Inputs with these probabilities of message 1."""
    rows = [{("0",): 1 - rate, ("1",): rate} for rate in rates]
    return Randomizer({x: {sent: p for sent, p in row.items() if p} for x, row in enumerate(rows)})


def claimed(rates: list[F], n: int, delta: F, **level: F) -> Claim:
    return Claim.two_message_dp(ShuffleProtocol(table(rates), n), delta=delta, **level)


def worst_delta(rates: list[F], n: int, exp_eps: F) -> F:
    """Over every data set and every two inputs of one more user, outcome by outcome."""

    def with_one_more(law: list[F], rate: F) -> list[F]:
        return [(1 - rate) * at + rate * before for before, at in pairwise([F(0), *law, F(0)])]

    worst = F(0)
    for others in combinations_with_replacement(sorted(set(rates)), n - 1):
        law = [F(1)]
        for rate in others:
            law = with_one_more(law, rate)
        for p, q in product([with_one_more(law, rate) for rate in set(rates)], repeat=2):
            worst = max(worst, sum((max(F(0), x - exp_eps * y) for x, y in zip(p, q, strict=True)), F(0)))
    return worst


@one_in(3)
@given(st.lists(RATES, min_size=1, max_size=4), st.integers(1, 5), LEVELS)
def test_every_table_is_decided_at_its_worst_delta(rates: list[F], n: int, exp_eps: F) -> None:
    """Against all data sets of all inputs: proved at delta, refuted below it."""
    if len({rate for rate in rates if rate}) == 0 or all(rate == 1 for rate in rates):
        rates = [*rates, F(1, 2)]  # a message that nobody sends is none of the table
    delta = worst_delta(rates, n, exp_eps)
    certificate = certify(claimed(rates, n, delta, exp_eps=exp_eps))
    assert (certificate.verdict, certificate.level) == (Verdict.PROVED, "certificate")
    if delta:
        below = certify(claimed(rates, n, max(F(0), delta - HAIR), exp_eps=exp_eps))
        assert (below.verdict, below.level) == (Verdict.REFUTED, "certificate")


@pytest.mark.parametrize("n", thinned([50, 400, 2000], every=2))
@pytest.mark.parametrize("rates", [[F(1, 4), F(3, 4)], [F(1, 5), F(1, 3), F(1, 2)]])
def test_the_exact_delta_of_the_engine_is_met_and_nothing_less(rates: list[F], n: int) -> None:
    """The engine compares data sets in balls, the checker by recurrences: they agree about thousands of digits."""
    delta = ShuffleProtocol(table(rates), n).privacy_profile().delta(exp_eps="21/20")
    assert isinstance(delta, F)
    for bound, verdict in ((delta, Verdict.PROVED), (delta * (1 - HAIR), Verdict.REFUTED)):
        certificate = certify(claimed(rates, n, bound, exp_eps=F(21, 20)))
        assert (certificate.verdict, certificate.level) == (verdict, "certificate")
        assert verify(certificate) is verdict


def test_two_thousand_users_are_checked_in_time() -> None:
    """Both orders, well within 3 s of CPU, whatever else the machine does."""
    claim = claimed([F(1, 10), F(8, 10)], 2000, F(1, 100), exp_eps=F(11, 10))
    start = time.process_time()
    read_claim(claim.data, Work()).prove({}, Work())
    assert time.process_time() - start < 1


@pytest.mark.parametrize(
    ("delta", "verdict"), [("69/1000", Verdict.PROVED), ("68/1000", Verdict.REFUTED), ("0", Verdict.REFUTED)]
)
def test_an_irrational_level_is_certified_by_terms(delta: str, verdict: Verdict) -> None:
    certificate = certify(Claim.two_message_dp(ShuffleProtocol(RESPONSE, 20), eps="1/10", delta=delta))
    assert (certificate.verdict, certificate.level) == (verdict, "certificate")
    assert int(json.loads(certificate.witness or "")["terms"]) < 12


def test_above_the_ratio_of_one_message_nothing_is_lost() -> None:
    for level in ({"eps": "111/100"}, {"exp_eps": 3}):  # ln 3 = 1.0986
        certificate = certify(Claim.two_message_dp(ShuffleProtocol(RESPONSE, 500), delta=0, **level))
        assert (certificate.verdict, certificate.level) == (Verdict.PROVED, "certificate")
    assert certify(Claim.two_message_dp(ShuffleProtocol(RESPONSE, 9), eps="109/100", delta=0)).level == "certificate"


def test_every_number_of_users_from_one_on() -> None:
    bound = ShuffleProtocol(RESPONSE, 100).privacy_profile().delta(exp_eps=2)
    for delta, verdict in ((bound, Verdict.PROVED), (bound - HAIR, Verdict.REFUTED)):
        claim = Claim.two_message_dp(ShuffleProtocol(RESPONSE, 5), exp_eps=2, delta=delta, all_n_from=100)
        certificate = certify(claim)
        assert certificate.verdict is verdict
        facts = check(certificate).facts
        assert ("adding a user is post-processing" in facts) is (verdict is Verdict.PROVED)


def test_a_tampered_certificate_is_rejected() -> None:
    """Any other event than the worst one, the other order, one user fewer, and a verdict turned round."""
    n, exp_eps, rates = 12, F(5, 4), [F(1, 5), F(1, 2)]
    delta = worst_delta(rates, n, exp_eps) - HAIR
    certificate = certify(claimed(rates, n, delta, exp_eps=exp_eps))
    event = json.loads(certificate.witness or "")
    assert event == {"message": "0", "holders": "11", "above": "10"}
    statement = certificate.claim.statement
    for message, holders, above in product("01", map(str, range(n)), map(str, range(n))):
        witness = {"message": message, "holders": holders, "above": above}
        assert statement.is_verified(Verdict.REFUTED, witness) is (witness == event)
    assert not statement.is_verified(Verdict.PROVED, {})
    assert not claimed(rates, n + 1, delta, exp_eps=exp_eps).statement.is_verified(Verdict.REFUTED, event)
    turned = Certificate(certificate.claim, Verdict.PROVED, "certificate", "", "{}")
    with pytest.raises(ValueError, match="not shown to be at most delta"):
        verify(turned)


def test_more_users_than_the_checker_can_afford_are_decided_by_the_engine() -> None:
    for n, limit in ((10**6, "MAX_WORK"), (10**7, "outside 1 to 1000000")):
        certificate = certify(Claim.two_message_dp(ShuffleProtocol(RESPONSE, n), exp_eps="101/100", delta="1e-3"))
        assert (certificate.verdict, certificate.level) == (Verdict.PROVED, "enclosure")
        assert limit in certificate.reason
        assert "Claim.shuffle_dp has certificates" in certificate.reason


def test_what_no_enclosure_tells_apart_and_nothing_lists_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TwoMessageScan, "is_exact", False)
    certificate = certify(claimed([F(1, 4), F(3, 4)], 2, F(3, 16), exp_eps=F(2)))
    assert certificate.verdict is Verdict.UNDECIDED
    assert "too close" in certificate.reason


@pytest.mark.parametrize(
    "claim",
    [
        claimed([F(1, 4), F(3, 4)], 10**6, F(1), exp_eps=F(2)),
        claimed([F(1, 4), F(3, 4)], 10**5, F(1), exp_eps=1 + F(1, 2**200000)),
        claimed([F(1, 3) + F(1, 2**50000), F(2, 3)], 80, F(1), exp_eps=F(3, 2)),
        claimed([F(1, 3) + F(1, 2**200000), F(2, 3)], 20, F(1), exp_eps=1 + F(1, 2**200000)),
    ],
    ids=["users", "level", "probabilities", "both"],
)
def test_what_is_too_dear_is_refused_before_it_is_done(claim: Claim) -> None:
    event = {"message": "1", "holders": "9", "above": claim.data["n"]}
    event["above"] = str(int(event["above"]) - 1)
    start = time.process_time()
    for verdict, witness in (("prove", {}), ("refute", event)):
        work = Work()
        with pytest.raises(MalformedCertificateError, match=r"too large|more than 4194304 bits"):
            getattr(read_claim(claim.data, work), verdict)(witness, work)
    assert time.process_time() - start < 1


def test_other_randomizers_are_refused() -> None:
    two_each = Randomizer({0: {("0", "1"): 1}, 1: {("1", "1"): 1}})
    three = randomized_response(3, gamma="1/2")
    for randomizer in (two_each, three):
        with pytest.raises(InvalidValueError, match=r"exactly one of two messages\. Pass it to Claim\.shuffle_dp\."):
            Claim.two_message_dp(ShuffleProtocol(randomizer, 9), exp_eps=2, delta=0)
    family = Claim.two_message_dp(ShuffleProtocol(KAryResponse(2, exp_eps0=3), 9), exp_eps=2, delta=0)
    assert family == Claim.two_message_dp(ShuffleProtocol(RESPONSE, 9), exp_eps=2, delta=0)  # its table is claimed


def test_random_events_never_exceed_the_worst_delta() -> None:
    """What the checker accepts as a refutation is one: losses of events, of long probabilities."""
    rng = random.Random(3)
    for _ in range(20):
        n, whole = rng.randrange(1, 30), rng.getrandbits(70) | 1 << 70
        low, high = sorted(F(rng.randrange(1, whole), whole) for _ in range(2))
        level = 1 + F(rng.getrandbits(30), 2**32)
        event = {"message": str(rng.randrange(2)), "holders": str(rng.randrange(n)), "above": str(rng.randrange(n))}
        rates = [low, high] if event["message"] == "1" else [1 - high, 1 - low]
        law = [F(1)]
        for k in range(n - 1):
            rate = rates[k < int(event["holders"])]
            law = [(1 - rate) * at + rate * before for before, at in pairwise([F(0), *law, F(0)])]
        m = int(event["above"])
        loss = (rates[1] - level * rates[0]) * law[m] - (level - 1) * sum(law[m + 1 :])
        for delta, is_refuted in ((loss - F(1, 2**600), True), (loss, False)):
            if 0 <= delta <= 1:
                statement = claimed([low, high], n, delta, exp_eps=level).statement
                assert statement.is_verified(Verdict.REFUTED, event) is is_refuted
