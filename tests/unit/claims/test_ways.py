"""In which ways a claim is certified: ids stay where a claim had a certificate, and ``check`` says what there is."""

import json
from fractions import Fraction
from typing import Any

import pytest

from exactdp import (
    Certificate,
    Claim,
    ExactDPError,
    Neighbors,
    Randomizer,
    ShuffleProtocol,
    Verdict,
    certify,
    hockey_stick_divergence,
    randomized_response,
    verify,
)
from exactdp.checker.budget import Work
from exactdp.checker.limits import MAX_WORK
from exactdp.checker.privacy import Privacy
from exactdp.claims.cost import view_work
from exactdp.claims.target_claims import users_claim
from exactdp.claims.ways import BOUNDED, COMPARED, LISTED, equivalent_statements, ways
from exactdp.cli.subjects import questions
from exactdp.protocols.naming.targets import ProtocolTarget, read_target
from exactdp.randomizers import ClippedDiscreteLaplace, KAryResponse, SubsetSelection, UnaryEncoding
from tests.thinned import thinned

RESPONSE = randomized_response(2, gamma="1/2")
CLOSE = Fraction(1001, 1000)


def claimed(n: int, factor: Fraction) -> Claim:
    """At so many times the worst delta."""
    protocol, exp_eps = ShuffleProtocol(RESPONSE, n), "11/10" if n < 10**5 else "101/100"
    worst = protocol.privacy_profile().delta(exp_eps=exp_eps, relative_bits=30).hi
    return Claim.shuffle_dp(protocol, exp_eps=exp_eps, delta=worst * factor)


@pytest.mark.parametrize(
    ("n", "factor", "key"),
    [
        (30, CLOSE, None),
        (30, 1 / CLOSE, "first"),
        (300, CLOSE, "two_messages"),  # whose views would be listed in seconds
        (300, 1 / CLOSE, "two_messages"),
        (2000, CLOSE, "two_messages"),
        (2000, Fraction(9, 10), "likelihood"),  # as before
        (2000, Fraction(100), "blanket"),  # as before
        (300_000, CLOSE, "swap"),
    ],
)
def test_the_first_witness_that_is_cheap_is_taken(n: int, factor: Fraction, key: str | None) -> None:
    claim = claimed(n, factor)
    certificate = certify(claim)
    verdict = Verdict.PROVED if factor > 1 else Verdict.REFUTED
    assert (certificate.claim, certificate.verdict, certificate.level) == (claim, verdict, "certificate")
    assert next(iter(json.loads(certificate.witness or "")), None) == key
    schema = json.loads(certificate.to_json())["schema"]
    fourth, third = ("swap", "two_messages"), ("likelihood", "blanket")
    assert schema == f"exactdp-certificate-{4 if key in fourth else 3 if key in third else 2}"
    assert verify(certificate) is verdict


TABLES_OF_THREE = {
    "k-ary": randomized_response(3, gamma="1/2"),
    "zeros": Randomizer({0: {(0,): "1/2", (1,): "1/2"}, 1: {(1,): "1/4", (2,): "3/4"}, 2: {(0,): "1/3", (2,): "2/3"}}),
    "nothing in common": Randomizer(
        {x: {(m,): Fraction(w, 1009) for m, w in enumerate((101 + 97 * x, 300, 608 - 97 * x))} for x in range(3)}
    ),
}


@pytest.mark.parametrize("name", TABLES_OF_THREE)
def test_views_of_three_inputs_cost_about_what_is_said(name: str) -> None:
    """So that at 60 users, where they are too many, a shorter witness is tried first."""
    table = TABLES_OF_THREE[name]
    for n in (5, 9):
        protocol, work = ShuffleProtocol(table, n), Work()
        said = view_work(table, n, Neighbors.REPLACE_ONE)
        stated = Privacy.read_shuffle(Claim.shuffle_dp(protocol, exp_eps="3/2", delta=1).data, work)
        stated.prove({}, work)
        assert said is not None
        assert MAX_WORK - work.left <= said <= 3 * (MAX_WORK - work.left)
    claim = Claim.shuffle_dp(ShuffleProtocol(table, 60), exp_eps="3/2", delta="1/20")
    first, *rest = ways(claim.statement)
    assert (first.method, first.fits, [(way.method, way.fits) for way in rest]) == (BOUNDED, True, [(LISTED, False)])
    assert next(iter(json.loads(certify(claim).witness or ""))) in {"blanket", "swap", "likelihood"}


def test_the_claim_of_the_readme_has_a_certificate() -> None:
    claim = Claim.shuffle_dp(ShuffleProtocol(randomized_response(2, gamma="1/5"), 2000), eps="1/4", delta="1e-6")
    certificate = certify(claim)
    assert verify(certificate) is Verdict.PROVED
    assert certificate.claim == claim
    assert "Certified" not in certificate.reason


def test_without_a_certificate_the_claim_is_kept() -> None:
    claim = claimed(300_000, Fraction(100_001, 100_000))
    certificate = certify(claim)
    assert (certificate.claim, certificate.verdict, certificate.level) == (claim, Verdict.PROVED, "enclosure")
    assert "Certified" not in certificate.reason


def test_a_verdict_of_an_equivalent_claim_is_one_on_the_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one engine stays open, another one decides, and neither has a certificate."""
    claim = Claim.shuffle_dp(ShuffleProtocol(KAryResponse(2, exp_eps0=3), 2000), exp_eps="11/10", delta="1e-5")

    def of_the_other(asked: Claim, decision: Any) -> Certificate:
        is_open = asked == claim
        return Certificate(
            asked, Verdict.UNDECIDED if is_open else Verdict.PROVED, "none" if is_open else "enclosure", ""
        )

    monkeypatch.setattr("exactdp.claims.certify.certificate_of", of_the_other)
    certificate = certify(claim)
    assert (certificate.claim, certificate.verdict, certificate.level) == (claim, Verdict.PROVED, "enclosure")


# --- What says the same ---------------------------------------------------------------------------------------------


def test_what_is_no_claim_of_two_messages_has_one_kind() -> None:
    two = ShuffleProtocol(RESPONSE, 9)
    level = {"exp_eps": 2, "delta": "1/2"}
    others = [
        Claim.shuffle_dp(ShuffleProtocol(randomized_response(3, gamma="1/2"), 9), **level),
        Claim.shuffle_dp(ShuffleProtocol(Randomizer({0: {("a", "b"): 1}, 1: {("b", "b"): 1}}), 9), **level),
        Claim.shuffle_dp(two, **level, neighbors=Neighbors.ADD_OR_REMOVE_ONE),
        Claim.shuffle_dp(two, exp_eps=2, delta="1/2", least="delta"),
        Claim.never_dp(two, delta_below="1/2"),
        Claim.inequality("x*(1 - x) <= 1/4"),
    ]
    for claim in others:
        assert equivalent_statements(claim.statement) == (claim.statement,)
    stated = Claim.shuffle_dp(two, **level, all_n_from=7)
    assert equivalent_statements(stated.statement) == (stated.statement,)


@pytest.mark.parametrize(
    "family",
    [
        KAryResponse(2, exp_eps0=3),
        KAryResponse(4, exp_eps0=3),
        SubsetSelection(2, exp_eps0=3, size=1),
        UnaryEncoding(3, exp_eps0=4),
        ClippedDiscreteLaplace(2, exp_eps0=3),
    ],
)
def test_claims_that_say_the_same_are_about_equal_views(family: Any) -> None:
    """By brute force: every randomizer that one of them holds has the views of the family, but for labels."""
    claim = Claim.shuffle_dp(ShuffleProtocol(family, 2), exp_eps="3/2", delta="1/10")
    same = equivalent_statements(claim.statement)
    assert len(same) > 1
    worst = {_worst(getattr(stated, "mechanism", stated).randomizer.randomizer()) for stated in same}
    assert len(worst) == 1
    verdicts = {certify(Claim.from_data(stated.data)).verdict for stated in same}
    assert len(verdicts) == 1


def _worst(randomizer: Any) -> Fraction:
    table = randomizer if isinstance(randomizer, Randomizer) else randomizer.table()
    protocol, inputs = ShuffleProtocol(table, 2), table.inputs
    laws = {(x, y): protocol.law([x, y]) for x in inputs for y in inputs}
    pairs = [(laws[x, z], laws[y, z]) for x in inputs for y in inputs for z in inputs]
    return max(hockey_stick_divergence(first, second, exp_eps="3/2") for first, second in pairs)


def test_a_table_of_k_ary_response_is_certified_as_the_family_beyond_a_million_users() -> None:
    rows = {
        x: {(y,): Fraction(5, 8) if (2 * x + 1 - y) % 3 == 0 else Fraction(3, 16) for y in range(3)} for x in range(3)
    }
    protocol = ShuffleProtocol(Randomizer(rows), 10**7)
    certificate = certify(Claim.shuffle_dp(protocol, eps="1/100", delta="1e-3"))
    assert (certificate.verdict, certificate.level) == (Verdict.PROVED, "certificate")
    assert certificate.claim.data["randomizer"] == {"family": "k-ary", "inputs": "3", "exp_eps0": "10/3"}
    assert "shuffle_dp of the family k-ary, in place of shuffle_dp of the table" in certificate.reason


@pytest.mark.parametrize(
    "rows",
    [
        ["5/8 3/16 3/16", "5/8 3/16 3/16", "3/16 3/16 5/8"],
        ["5/8 3/16 3/16", "3/16 5/8 3/16", "3/16 2/8 9/16"],
        ["1/3 1/3 1/3", "1/3 1/3 1/3", "1/3 1/3 1/3"],
        ["5/8 3/8 0", "0 5/8 3/8", "3/8 0 5/8"],
        ["1/2 1/4 1/4", "1/4 1/2 1/4"],
    ],
)
def test_another_table_is_not_taken_for_k_ary_response(rows: list[str]) -> None:
    table = {x: {(y,): p for y, p in enumerate(row.split()) if p != "0"} for x, row in enumerate(rows)}
    claim = Claim.shuffle_dp(ShuffleProtocol(Randomizer(table), 10**7), exp_eps=2, delta="1/2")
    assert equivalent_statements(claim.statement) == (claim.statement,)
    assert not any(way.fits for way in ways(claim.statement) if way.method == BOUNDED)


# --- What check says ------------------------------------------------------------------------------------------------


SIZED = [
    *((f"@randomized-response --gamma 1/5 --inputs {k}", n) for k, n in ((2, 20), (2, 600), (3, 4), (3, 200))),
    ("@randomized-response --gamma 1/5 --inputs 40", 50),
    ("@unary-encoding --inputs 20 --exp-eps0 3", 1000),
    ("@subset-selection --inputs 6 --exp-eps0 3", 20),
    ("@hadamard-response --inputs 30 --exp-eps0 3", 1000),
    ("@local-hashing --inputs 30 --exp-eps0 3", 1000),
    ("@clipped-discrete-laplace --top 3 --exp-eps0 3", 30),
    ("@binary-sum --gamma 1/4", 5),
    ("@zsum --gamma 1/4", 20),
    ("@zsum --gamma 1/4", 3000),
    ("@histogram --bins 3 --gamma 1/5", 15),
    ("@gap", 20),
    ("@complement", 6),
    ("@split-and-mix --modulus 3 --messages 3", 2),
    ("@balls-into-bins --inputs 4 --dummies 1", 30),
    ("@one-sided-counting --r 3 --p 1/2", 20),
    ("@correlated-counting --p1 1/2 --p2 9/10 --r 3", 20),
    ("@sample-and-threshold --rate 1/8 --threshold 3", 20),
]
NEVER = [
    ("@randomized-response --inputs 5 --exp-eps0 exp(1)", 100),
    ("@sample-and-threshold --rate 1/8 --threshold 3 --symbols 2", 20),
    ("@flooding --inputs 4 --mean 2", 100),
    ("@histogram --bins 20 --gamma 1/5", 100),
    ("@gap", 2 * 10**6),
]


def _named(text: str) -> ProtocolTarget:
    name, *words = text.split()
    target = read_target(name, dict(zip(words[::2], words[1::2], strict=True)))
    assert isinstance(target, ProtocolTarget)
    return target


def _methods(target: ProtocolTarget, n: int) -> set[str]:
    """What ``exactdp check`` says is within the limits of the checker."""
    asked = [one for one in questions(target, n, Neighbors.REPLACE_ONE, 10**8) if one.commands == ("certify",)]
    assert all(one.engine.startswith(("checker: ", "none: ")) for one in asked)
    return {one.engine.removeprefix("checker: ") for one in asked if one.within}


@pytest.mark.parametrize(("text", "n"), thinned(SIZED, every=4))
def test_what_check_says_has_a_certificate_has_one(text: str, n: int) -> None:
    target = _named(text)
    methods = _methods(target, n)
    assert methods
    ends = target.build(n).privacy_profile().checkable.bracket(eps="1/10", relative_bits=40)
    low, high = (end if isinstance(end, Fraction) else side for end, side in _sides(ends))
    near = Fraction(1, 1000)
    sides = {Verdict.REFUTED: low * (1 - near), Verdict.PROVED: min(Fraction(1), high * (1 + near))}
    if methods == {BOUNDED}:  # of a blanket and a test, not of the engine
        sides = {
            Verdict.REFUTED: low / 2,
            Verdict.PROVED: Fraction(9, 10) if ends.is_closed else min(2 * high, Fraction(1)),
        }
    for verdict, delta in sides.items():
        claim = users_claim(target, n, {"eps": Fraction(1, 10), "delta": delta})
        certificate = certify(claim)
        if delta:
            assert (certificate.verdict, certificate.level) == (verdict, "certificate")
        assert certificate.claim.statement in equivalent_statements(claim.statement)


def _sides(ends: Any) -> list[tuple[Any, Fraction]]:
    return [(ends.lower, getattr(ends.lower, "lo", None)), (ends.upper, getattr(ends.upper, "hi", None))]


@pytest.mark.parametrize(("text", "n"), NEVER)
def test_where_check_says_there_is_none_there_is_none(text: str, n: int) -> None:
    target = _named(text)
    assert _methods(target, n) == set()
    try:
        certificate = certify(users_claim(target, n, {"eps": 1, "delta": Fraction(1, 2)}))
    except ExactDPError:
        return
    assert certificate.level != "certificate"


@pytest.mark.parametrize(("method", "n"), [(LISTED, 100), (COMPARED, 3000)])
def test_the_largest_n_is_the_last_that_fits(method: str, n: int) -> None:
    claim = Claim.shuffle_dp(ShuffleProtocol(RESPONSE, n), exp_eps=2, delta="1/2")
    (largest,) = (way.largest for way in ways(claim.statement) if way.method == method)
    for users, fits in ((largest, True), (largest + 1, False)):
        again = Claim.shuffle_dp(ShuffleProtocol(RESPONSE, users), exp_eps=2, delta="1/2")
        assert [way.fits for way in ways(again.statement) if way.method == method] == [fits]
