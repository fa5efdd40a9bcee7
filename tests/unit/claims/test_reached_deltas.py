"""The least delta of whole boxes of parameters: by the events that reach it, against the exact engine."""

from __future__ import annotations

import copy
import json
from fractions import Fraction

import pytest

from exactdp import Claim, OpenClaim, ShuffleProtocol, Verdict, certify
from exactdp.checker.budget import CertificateRejectedError, MalformedCertificateError
from exactdp.checker.documents import verify_text
from exactdp.errors import InvalidValueError
from exactdp.mechanisms.dataset import Neighbors
from exactdp.symbolic import SymbolicRandomizer, profile
from tests.certificates import claims

HALF = {"p": (0, "1/2")}
FLIP = SymbolicRandomizer({0: {(0,): "1 - p", (1,): "p"}, 1: {(0,): "p", (1,): "1 - p"}}, HALF)
SIDES = {"a": (0, "1/4"), "b": (0, "1/4")}
SIDED = SymbolicRandomizer({0: {(0,): "1 - a", (1,): "a"}, 1: {(0,): "b", (1,): "1 - b"}}, SIDES)
THREE = {-1: "p", 0: "1 - 2*p", 1: "p"}
FLIPS = ShuffleProtocol(FLIP, 2)
TINY = Fraction(1, 10**12)


def least(protocol, exp_eps, delta, **changes):
    return OpenClaim.shuffle_dp(protocol, exp_eps=exp_eps, delta=delta, least="delta", **changes)


def decided(box, claim):
    """The certificate of a claim for a box, checked from its text."""
    certificate = certify(Claim.for_all(box, claim))
    assert certificate.level == "certificate", certificate.reason
    assert verify_text(certificate.to_json()).verdict == certificate.verdict.value
    return certificate


def engine(randomizer, n, exp_eps, neighbors=Neighbors.REPLACE_ONE, **point):
    return ShuffleProtocol(randomizer.at(**point), n).privacy_profile(neighbors=neighbors).delta(exp_eps=exp_eps)


def shifted(p, exp_eps):
    """The divergence of the law THREE at p and itself moved by one, summed by hand; the law is symmetric."""
    law = {-1: p, 0: 1 - 2 * p, 1: p}
    return sum(max(Fraction(0), w - exp_eps * law.get(k - 1, 0)) for k, w in law.items())


# --- What is least ----------------------------------------------------------------------------------------------------


def test_an_exact_formula_is_the_least_delta():
    """(1 - p)(1 - 2p) of two users who flip a bit, at e^eps = 1, and 10^-12 more is refuted where it is more."""
    for k in range(6):
        p = Fraction(k, 10)
        assert engine(FLIP, 2, 1, p=p) == (1 - p) * (1 - 2 * p)
    proved = decided(HALF, least(FLIPS, 1, "(1 - p)*(1 - 2*p)"))
    assert proved.verdict is Verdict.PROVED
    assert len(json.loads(proved.witness)["reached"]) == 1
    for more in ("1/1000000000000", "p/1000000000000", "(1 - 2*p)^40"):
        assert decided(HALF, least(FLIPS, 1, f"(1 - p)*(1 - 2*p) + {more}")).verdict is Verdict.REFUTED
    assert decided(HALF, least(FLIPS, 1, "(1 - p)*(1 - 2*p) - p/1000000000000")).verdict is Verdict.REFUTED


def test_the_answer_of_a_profile_is_the_least_delta():
    """Its pieces, of which the largest one at each point is what the exact engine says."""
    found = profile(FLIPS).delta(exp_eps=2)
    proved = decided(HALF, least(FLIPS, 2, found))
    assert proved.verdict is Verdict.PROVED
    assert proved.claim == Claim.for_all(HALF, least(FLIPS, 2, ["(1 - p)*(1 - 3*p)", 0]))
    assert len(json.loads(proved.witness)["reached"]) == 2
    for k in range(11):
        p = Fraction(k, 20)
        assert max((1 - p) * (1 - 3 * p), 0) == engine(FLIP, 2, 2, p=p)


@pytest.mark.parametrize("neighbors", Neighbors)
def test_0_is_reached_by_the_event_of_nothing_where_it_is_nowhere_the_largest(neighbors):
    """1 - p of one user who is away with probability p, added, or replaced by one who is always away, is above 0."""
    rows = {0: {(0,): "1 - p", (): "p"}, 1: {(): 1}}
    away = SymbolicRandomizer(rows, HALF)
    found = decided(HALF, least(ShuffleProtocol(away, 1), 1, [0, "1 - p"], neighbors=neighbors))
    assert found.verdict is Verdict.PROVED
    assert json.loads(found.witness)["reached"][0]["event"] == []
    moved = OpenClaim.shift_dp(THREE, exp_eps=1, delta=[0, "p", "1 - 2*p"], least="delta")
    assert decided({"p": ("1/10", "1/3")}, moved).verdict is Verdict.PROVED
    more = certify(Claim.for_all(HALF, least(FLIPS, 1, ["(1 - p)*(1 - 2*p)", "0 - p"])))
    assert more.verdict is Verdict.UNDECIDED


def test_the_least_delta_of_adding_a_user_is_1():
    everybody = least(FLIPS, 2, 1, neighbors=Neighbors.ADD_OR_REMOVE_ONE)
    assert decided(HALF, everybody).verdict is Verdict.PROVED
    less = least(FLIPS, 2, "1 - p/1000000", neighbors=Neighbors.ADD_OR_REMOVE_ONE)
    assert decided(HALF, less).verdict is Verdict.REFUTED


def test_two_parameters():
    """At e^eps = 2 and n = 1: the outcome 0 of the input 0 against 1, or the outcome 1 of the input 1 against 0."""
    listed = ["1 - a - 2*b", "1 - b - 2*a"]
    for a, b in ((Fraction(i, 12), Fraction(j, 12)) for i in range(4) for j in range(4)):
        assert engine(SIDED, 1, 2, a=a, b=b) == max(1 - a - 2 * b, 1 - b - 2 * a)
    protocol = ShuffleProtocol(SIDED, 1)
    assert decided(SIDES, least(protocol, 2, listed)).verdict is Verdict.PROVED
    assert decided(SIDES, least(protocol, 2, listed[:1])).verdict is Verdict.REFUTED
    assert decided(SIDES, least(protocol, 2, [listed[0], "1 - b - 2*a + a*b/1000000000"])).verdict is Verdict.REFUTED


def test_a_shift():
    box, listed = {"p": ("1/5", "9/20")}, ["1 - 3*p", "p", "6*p - 2"]
    for k in range(11):
        p = Fraction(1, 5) + Fraction(k, 40)
        assert shifted(p, 2) == max(1 - 3 * p, p, 6 * p - 2)
    assert decided(box, OpenClaim.shift_dp(THREE, exp_eps=2, delta=listed, least="delta")).verdict is Verdict.PROVED
    for wrong in (listed[:2], ["1 - 3*p", "p + 1/1000000000000", "6*p - 2"]):
        claim = OpenClaim.shift_dp(THREE, exp_eps=2, delta=wrong, least="delta")
        (place,) = (Fraction(x) for x in json.loads(decided(box, claim).witness)["point"])
        assert shifted(place, 2) != max(
            1 - 3 * place, *([place] if wrong == listed[:2] else [place + TINY, 6 * place - 2])
        )


def test_an_event_without_outcomes_reaches_nothing():
    """delta 0 is the least one of one user who flips a bit with p >= 1/4, at e^eps = 4."""
    proved = decided({"p": ("1/4", "1/2")}, least(ShuffleProtocol(FLIP, 1), 4, 0))
    assert proved.verdict is Verdict.PROVED
    assert json.loads(proved.witness)["reached"][0]["event"] == []


# --- What is not decided, or refused ----------------------------------------------------------------------------------


def test_a_formula_that_is_too_large_near_one_point_is_refuted_there():
    """By 10^-12 at p = 1/4, and less than the other one from 1/4 + 10^-7 on."""
    peak = "(1 - p)*(1 - 2*p) + 1/1000000000000 - 100*(4*p - 1)^2"
    refuted = decided(HALF, least(FLIPS, 1, ["(1 - p)*(1 - 2*p)", peak]))
    assert refuted.verdict is Verdict.REFUTED
    assert json.loads(refuted.witness)["point"] == ["1/4"]


def test_a_function_that_is_nowhere_the_largest_has_no_event():
    formula = "(1 - p)*(1 - 2*p)"
    certificate = certify(Claim.for_all(HALF, least(FLIPS, 1, [formula, f"{formula} - 1/100"])))
    assert certificate.verdict is Verdict.UNDECIDED
    assert certificate.reason == (
        "No event was found whose delta is 99/100 + -3*p + 2*p^2 identically. "
        "Leave it out if it is nowhere the largest."
    )


def test_tampered_events_are_not_verified():
    """Each event with an outcome less or more, for another function or pair, and each claim with more functions."""
    box, listed = {"p": ("1/5", "9/20")}, ["1 - 3*p", "p", "6*p - 2"]
    for claim in (
        OpenClaim.shift_dp(THREE, exp_eps=2, delta=listed, least="delta"),
        least(FLIPS, 2, ["(1 - p)*(1 - 3*p)", 0]),
    ):
        certificate = decided(box if claim.kind == "shift_dp" else HALF, claim)
        data, witness = certificate.claim.data, json.loads(certificate.witness)
        changed = [{"cells": witness["cells"]}, witness["cells"], {**witness, "reached": witness["reached"][1:]}]
        changed.append({**witness, "reached": witness["reached"][::-1]})
        for place, entry in enumerate(witness["reached"]):
            more = "7" if claim.kind == "shift_dp" else ["2", "0"]
            events = [entry["event"][1:], [*entry["event"], *entry["event"]], [["x"]]] if entry["event"] else []
            events += [
                [*entry["event"], *(["0", "1"] if claim.kind == "shift_dp" else [["2", "0"], ["0", "2"]])],
                [more] * 2,
            ]
            for event in events:
                tampered = copy.deepcopy(witness)
                tampered["reached"][place]["event"] = event
                changed.append(tampered)
        for false in changed:
            with pytest.raises((CertificateRejectedError, MalformedCertificateError)):
                verify_text(json.dumps(claims.document(data, "PROVED", false)))
        with pytest.raises((CertificateRejectedError, MalformedCertificateError)):
            verify_text(
                json.dumps(claims.document({**data, "claim": {**data["claim"], "least": "none"}}, "PROVED", witness))
            )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: least(FLIPS, 1, []), "delta is the largest of no functions. Give at least one."),
        (lambda: OpenClaim.shuffle_dp(FLIPS, exp_eps=1, delta=0, least="exp_eps"), 'pass "delta" or None'),
        (
            lambda: least(FLIPS, 1, 0, all_n_from=2),
            "least='delta' with all_n_from=2: the least delta may fall as n grows",
        ),
        (lambda: least(FLIPS, 1, ["p"] * 17), "the largest of 17 functions. Certificates take 16. Leave out those"),
    ],
)
def test_what_is_no_least_delta_is_refused(make, message):
    with pytest.raises(InvalidValueError, match=message):
        make()
