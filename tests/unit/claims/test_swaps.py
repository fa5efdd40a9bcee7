"""Certificates of the closed bracket: what two proved ends leave apart is all that stays open, whatever users run."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import Claim, Randomizer, ShuffleProtocol, Verdict, certify, randomized_response, verify
from exactdp.checker.budget import CertificateRejectedError, Work
from exactdp.checker.documents import verify_text
from exactdp.checker.families import closed_divergence, read_family
from exactdp.claims.bracket_witnesses import BracketWitnesses
from exactdp.claims.certificate import document_text
from exactdp.claims.randomizer_specs import RANDOMIZER
from exactdp.claims.swap_witnesses import SwapWitnesses
from exactdp.errors import InvalidValueError
from exactdp.privacy.amplification.amplification import k_ary_bracket_closes
from exactdp.protocols.user_classes_protocol import UserClassesProtocol
from exactdp.randomizers import (
    ClippedDiscreteLaplace,
    HadamardResponse,
    KAryResponse,
    Product,
    SubsetSelection,
    UnaryEncoding,
    any_randomizer,
)
from tests.expensive import one_in
from tests.oracles.brute_force import Oracle
from tests.thinned import thinned

F = Fraction
TABLE = Randomizer(
    {
        0: {("a",): "1/2", ("b",): "1/4", ("c",): "1/4"},
        1: {("a",): "1/4", ("b",): "1/2", ("c",): "1/4"},
        2: {("a",): "1/8", ("b",): "1/8", ("c",): "3/4"},
    }
)
RAPPOR = UnaryEncoding(1000, exp_eps0=7)
HALF: dict[str, Any] = {"participation": "1/2"}
PRODUCT = Product(KAryResponse(20, exp_eps0=3), UnaryEncoding(40, exp_eps0=4), TABLE)

MADE: dict[str, tuple[Callable[[], ShuffleProtocol], dict[str, Any], str | None]] = {
    "a family": (lambda: ShuffleProtocol(RAPPOR, 10**5), {"exp_eps": "51/50"}, "unary-encoding"),
    "a table": (lambda: ShuffleProtocol(TABLE, 10**4), {"eps": "1/15"}, None),
    "any": (lambda: ShuffleProtocol(any_randomizer(exp_eps0=7), 10**4), {"exp_eps": "11/10"}, "any"),
    "counted": (lambda: ShuffleProtocol(RAPPOR, 10**5, **HALF), {"exp_eps": "51/50"}, "participation"),
    "listed": (lambda: ShuffleProtocol(RAPPOR, 10**5, **HALF, absence="listed"), {"eps": "1/50"}, "participation"),
    "listed table": (
        lambda: ShuffleProtocol(TABLE, 10**4, **HALF, absence="listed"),
        {"exp_eps": "21/20"},
        "participation",
    ),
    "hidden": (
        lambda: ShuffleProtocol(SubsetSelection(1000, exp_eps0=7), 10**5, **HALF, absence="hidden", dummy="uniform"),
        {"exp_eps": "101/100"},
        "participation",
    ),
    "many users of a table, counted": (
        lambda: ShuffleProtocol(TABLE, 10**7, **HALF),
        {"exp_eps": "1001/1000"},
        "participation",
    ),
    "many users of a table, hidden": (
        lambda: ShuffleProtocol(TABLE, 10**7, **HALF, absence="hidden", dummy={"a": "1/2", "b": "1/2"}),
        {"exp_eps": "1001/1000"},
        "participation",
    ),
    "hidden by an input": (
        lambda: ShuffleProtocol(KAryResponse(20, exp_eps0=7), 10**6, **HALF, absence="hidden", dummy=("input", 3)),
        {"exp_eps": "201/200"},
        None,
    ),
    "hidden product": (
        lambda: ShuffleProtocol(
            Product(KAryResponse(8, exp_eps0=3), TABLE),
            10**6,
            **HALF,
            absence="hidden",
            dummy=("uniform", {"a": "1/2", "b": "1/2"}),
        ),
        {"exp_eps": "1001/1000"},
        None,
    ),
    "product": (lambda: ShuffleProtocol(PRODUCT, 10**5), {"exp_eps": "21/20"}, "product"),
    "product, counted": (
        lambda: ShuffleProtocol(PRODUCT, 10**5, participation="3/4"),
        {"exp_eps": "21/20"},
        "participation",
    ),
}


def short(value: Fraction) -> Fraction:
    return F(float(value))


@pytest.mark.parametrize("name", thinned(list(MADE), every=8))
def test_all_but_what_lies_between_the_ends_has_a_certificate(name: str) -> None:
    make, level, family = MADE[name]
    protocol = make()
    ends = protocol.privacy_profile().bracket(**level, relative_bits=20).delta
    lower, upper = short(ends.lower.fraction()), short(ends.upper.fraction())
    assert lower < upper < lower * F(12, 10)
    proved = upper * F(10012, 10000)
    for delta, verdict in ((lower * F(98, 100), Verdict.REFUTED), (proved, Verdict.PROVED)):
        claim = Claim.shuffle_dp(protocol, **level, delta=short(delta))
        assert claim.data["randomizer"].get("family") == family
        certificate = certify(claim)
        assert (certificate.verdict, certificate.level) == (verdict, "certificate"), certificate.reason
        assert verify(certificate) is verdict
        written = json.loads(certificate.to_json())
        assert Claim.from_data(written["claim"]) == claim
        assert Claim.from_data(written["claim"]).statement == claim.statement
        keys, is_proved = set(written["witness"]), verdict is Verdict.PROVED
        assert keys - {"terms"} == {"swap" if is_proved else "likelihood"}
        is_old = family in (None, "unary-encoding") and not is_proved
        assert written["schema"] == f"exactdp-certificate-{3 if is_old else 4}"
        if is_proved:
            assert certificate.reason.endswith("The checker sees it by swapped messages.")
            lower_claim = {**claim.data, "delta": Claim.shuffle_dp(protocol, **level, delta=short(lower)).data["delta"]}
            with pytest.raises(CertificateRejectedError, match="not shown"):
                verify_text(document_text(lower_claim, verdict, written["witness"]))
    certificate = certify(Claim.shuffle_dp(protocol, **level, delta=short((lower + upper) / 2)))
    assert (certificate.verdict, certificate.level) == (Verdict.UNDECIDED, "none")
    assert "its two ends are proved, and not proved equal" in certificate.reason


@pytest.mark.parametrize(
    ("randomizer", "level"),
    [(RAPPOR, "3/2"), (SubsetSelection(9, exp_eps0=3), "5/4"), (any_randomizer(exp_eps0=3), "5/4")],
)
@pytest.mark.parametrize("users", thinned([40, 300], every=2))
def test_of_few_users_who_differs_keeps_a_slot_of_his_own(randomizer: Any, level: str, users: int) -> None:
    protocol = ShuffleProtocol(randomizer, users)
    upper = protocol.privacy_profile().checkable.bracket(exp_eps=level, relative_bits=20).upper.upper.fraction()  # type: ignore[union-attr]
    certificate = certify(Claim.shuffle_dp(protocol, exp_eps=level, delta=short(upper * F(10005, 10000))))
    assert (certificate.verdict, certificate.level) == (Verdict.PROVED, "certificate"), certificate.reason
    (plan,) = json.loads(certificate.witness or "")["swap"]["plans"]
    assert "own_stages" in plan
    assert certificate.reason.endswith("The checker sees it by swapped messages.")


@pytest.mark.parametrize("users", [10**6, 10**9])
def test_rappor_of_many_users(users: int) -> None:
    protocol = ShuffleProtocol(RAPPOR, users)
    level = 1 + F(6, round(users**0.5))
    upper = protocol.privacy_profile().bracket(exp_eps=level, relative_bits=20).upper.upper.fraction()  # type: ignore[union-attr]
    certificate = certify(Claim.shuffle_dp(protocol, exp_eps=level, delta=short(upper * F(101, 100))))
    assert (certificate.verdict, certificate.level) == (Verdict.PROVED, "certificate")
    assert "swap" in json.loads(certificate.witness or "")


@pytest.mark.slow
def test_pairs_far_below_delta_share_a_plan() -> None:
    rows = [[100 + 7 * ((3 * x + 5 * y + x * y) % 23) + 500 * (x == y) for y in range(9)] for x in range(9)]
    table = Randomizer({x: {(y,): F(w, sum(row)) for y, w in enumerate(row)} for x, row in enumerate(rows)})
    protocol = ShuffleProtocol(table, 10**5)
    upper = protocol.privacy_profile().bracket(exp_eps="26/25", relative_bits=20).upper.upper.fraction()  # type: ignore[union-attr]
    certificate = certify(Claim.shuffle_dp(protocol, exp_eps="26/25", delta=short(upper * F(1005, 1000))))
    assert (certificate.verdict, certificate.level) == (Verdict.PROVED, "certificate")
    swap = json.loads(certificate.witness or "")["swap"]
    assert len(swap["pairs"]) == 72
    assert len(swap["plans"]) < 20
    assert swap["pairs"].count("0") > 36


def test_an_easy_delta_keeps_its_blanket() -> None:
    protocol = ShuffleProtocol(RAPPOR, 10**5)
    upper = protocol.privacy_profile().checkable.bracket(exp_eps="51/50", relative_bits=20).upper.upper.fraction()  # type: ignore[union-attr]
    certificate = certify(Claim.shuffle_dp(protocol, exp_eps="51/50", delta=short(upper * 20)))
    assert "blanket" in json.loads(certificate.witness or "")
    assert json.loads(certificate.to_json())["schema"] == "exactdp-certificate-3"
    assert certificate.reason.endswith("The checker sees it by a blanket.")


def test_a_blanket_near_delta_is_a_plan_without_stages() -> None:
    """Where few messages are drawn from it, the blanket is the smaller bound: a swap would not show this."""
    protocol = ShuffleProtocol(KAryResponse(3, exp_eps0=1000), 10**5)
    upper = protocol.privacy_profile().bracket(exp_eps="3/2", relative_bits=20).delta.upper.fraction()
    certificate = certify(Claim.shuffle_dp(protocol, exp_eps="3/2", delta=short(upper * F(1002, 1000))))
    (plan,) = json.loads(certificate.witness or "")["swap"]["plans"]
    assert (certificate.verdict, plan["stages"]) == (Verdict.PROVED, [])
    assert certificate.reason.endswith("The checker sees it by a blanket.")


@pytest.mark.slow
def test_a_blanket_with_a_positive_mean_beside_a_swap(monkeypatch: pytest.MonkeyPatch) -> None:
    """One pair needs a swap; of another, whose values have a positive mean, the blanket with opposite signs is near."""
    rows = [["2/7", "3/7", "2/7", "0"], ["8/33", "5/11", "10/33", "0"], ["41/1650", "287/825", "123/275", "9/50"]]
    table = Randomizer({x: {(m,): p for m, p in enumerate(row) if p != "0"} for x, row in enumerate(rows)})
    protocol = ShuffleProtocol(table, 20000)
    upper = protocol.privacy_profile().bracket(exp_eps="101/100", relative_bits=20).delta.upper.fraction()
    claim = Claim.shuffle_dp(protocol, exp_eps="101/100", delta=short(upper * F(10005, 10000)))
    certificate = certify(claim)
    plans = json.loads(certificate.witness or "")["swap"]["plans"]
    assert certificate.verdict is Verdict.PROVED
    assert {plan.get("stages") == [] for plan in plans} == {False, True}
    monkeypatch.setattr(SwapWitnesses, "_by_blanket", lambda _, bound: bound.by_blanket)
    assert "swap" not in json.loads(certify(claim).witness or "{}")


def test_what_was_a_table_stays_its_claim() -> None:
    """Whose ids are those of the first schema."""
    protocols = [
        ShuffleProtocol(TABLE, 100, **HALF),
        ShuffleProtocol(TABLE, 100, **HALF, absence="hidden", dummy="uniform"),
        ShuffleProtocol(KAryResponse(4, exp_eps0=3), 100, **HALF, absence="hidden", dummy=("input", 0)),
        ShuffleProtocol(Product(TABLE, TABLE), 100),
    ]
    for protocol in protocols:
        claim = Claim.shuffle_dp(protocol, exp_eps=2, delta="1/2")
        assert "rows" in claim.data["randomizer"]


def test_the_parts_are_written_and_read() -> None:
    for make, level, _ in MADE.values():
        stated = Claim.shuffle_dp(make(), **level, delta="1/2").statement.mechanism.randomizer  # type: ignore[attr-defined]
        assert RANDOMIZER.read(RANDOMIZER.write(stated)) == stated


@pytest.mark.slow
def test_fair_bits_for_those_of_rappor() -> None:
    """What tells fair bits from others is rounded so that it tells more, which proves, or less, which refutes."""
    protocol = ShuffleProtocol(RAPPOR, 10**5, **HALF, absence="hidden", dummy="uniform")
    ends = protocol.privacy_profile().bracket(exp_eps="51/50", relative_bits=20).delta
    upper, lower = (short(end.fraction()) for end in (ends.upper, ends.lower))
    certificate = certify(Claim.shuffle_dp(protocol, exp_eps="51/50", delta=short(upper * F(1005, 1000))))
    assert (certificate.verdict, certificate.level) == (Verdict.PROVED, "certificate")
    assert verify(certificate) is Verdict.PROVED
    certificate = certify(Claim.shuffle_dp(protocol, exp_eps="51/50", delta=short(lower * F(999, 1000))))
    assert (certificate.verdict, certificate.level) == (Verdict.REFUTED, "certificate"), certificate.reason
    assert verify(certificate) is Verdict.REFUTED
    above = {**certificate.claim.data, "delta": str(upper)}
    with pytest.raises(CertificateRejectedError, match="not shown to be above"):
        verify_text(document_text(above, Verdict.REFUTED, json.loads(certificate.witness or "")))


@pytest.mark.parametrize(
    ("family", "dummy", "said"),
    [
        (HadamardResponse(1000, exp_eps0=7), ("input", 3), "bounds what inputs attain: it refutes nothing."),
        (UnaryEncoding(20_000, exp_eps0=7), "uniform", "The checker's methods do not reach this claim."),
    ],
)
def test_what_no_test_of_hidden_users_tells_is_refuted_without_a_certificate(
    family: Any, dummy: Any, said: str
) -> None:
    protocol = ShuffleProtocol(family, 10**4, **HALF, absence="hidden", dummy=dummy)
    certificate = certify(Claim.shuffle_dp(protocol, exp_eps="51/50", delta="1e-20"))
    assert (certificate.verdict, certificate.level) == (Verdict.REFUTED, "enclosure")
    assert certificate.reason.endswith(said)


LAPLACE = ClippedDiscreteLaplace(3, exp_eps0=7)
REFUSED: list[tuple[Callable[[], ShuffleProtocol], str]] = [
    (
        lambda: ShuffleProtocol(LAPLACE, 10**7, **HALF, absence="hidden", dummy="uniform"),
        "no claim states ClippedDiscreteLaplace(top=3",
    ),
    (
        lambda: ShuffleProtocol(
            Product(KAryResponse(1000, exp_eps0=7), LAPLACE), 100, **HALF, absence="hidden", dummy="uniform"
        ),
        "no claim states ClippedDiscreteLaplace(",
    ),
    (lambda: ShuffleProtocol(any_randomizer(exp_eps0="exp(2)"), 100), "exp_eps0=e^(2) is irrational, and a claim"),
    (
        lambda: ShuffleProtocol(Product(KAryResponse(1000, exp_eps0="exp(1)"), TABLE), 100),
        "exp_eps0=e^(1) is irrational, and a claim",
    ),
]


@pytest.mark.parametrize(("make", "said"), REFUSED, ids=range(len(REFUSED)))
def test_what_the_page_cannot_state_is_refused_with_the_repair(make: Callable[[], ShuffleProtocol], said: str) -> None:
    with pytest.raises(InvalidValueError) as refused:
        Claim.shuffle_dp(make(), exp_eps="11/10", delta="1e-6")
    assert str(refused.value).startswith(said)


def test_users_on_a_list_have_no_claim_about_a_table() -> None:
    with pytest.raises(InvalidValueError, match="who takes part is public, and this claim is about a table"):
        Claim.never_dp(ShuffleProtocol(TABLE, 9, **HALF, absence="listed"), delta_below="1/2")


def test_bundles_beside_a_list_are_not_refuted_by_one_message() -> None:
    bundles = Randomizer({0: {("a", "b"): "3/4", ("a", "a"): "1/4"}, 1: {("a", "b"): "1/4", ("a", "a"): "3/4"}})
    protocol = ShuffleProtocol(bundles, 10**4, **HALF, absence="listed")
    claim = Claim.shuffle_dp(protocol, exp_eps="21/20", delta="1e-12")
    stated: Any = claim.statement
    assert list(BracketWitnesses(stated.mechanism, stated.level, stated.delta).refutations()) == []


# --- The closed bracket of k-ary response -----------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "exp_eps0", "n", "level"), [(500, 7, 5, "2"), (1000, 100, 30, "3"), (300, 9, 400, "1")])
def test_where_the_bracket_is_closed_every_delta_is_decided(k: int, exp_eps0: int, n: int, level: str) -> None:
    family = KAryResponse(k, exp_eps0=exp_eps0)
    of: Any = read_family({"family": "k-ary", "inputs": str(k), "exp_eps0": str(exp_eps0)}, Work())
    exact = closed_divergence(of, n, F(level), Work())
    ends = ShuffleProtocol(family, n).privacy_profile().bracket(exp_eps=level, relative_bits=60).delta
    assert ends.lower.fraction() <= exact <= ends.upper.fraction()
    near = F(1, 10**9) * exact
    for delta, verdict in ((exact + near, Verdict.PROVED), (exact - near, Verdict.REFUTED), (exact, Verdict.PROVED)):
        stated = F(round(delta * 10**30), 10**30) if delta != exact else exact
        if stated.denominator.bit_length() < 4000:
            certificate = certify(Claim.shuffle_dp(ShuffleProtocol(family, n), exp_eps=level, delta=stated))
            assert (certificate.verdict, certificate.level) == (verdict, "certificate"), certificate.reason
            assert json.loads(certificate.witness or "") == {"closed_bracket": {}}


@one_in(3)
@given(
    st.integers(3, 4),
    st.fractions(F(1), F(30), max_denominator=3).filter(lambda e: e > 1),
    st.integers(1, 4),
    st.fractions(F(1), F(6), max_denominator=3),
)
def test_a_closed_bracket_is_the_exact_delta(k: int, exp_eps0: Fraction, n: int, level: Fraction) -> None:
    """Of all data sets; it is said to be open where the engine does not know it to be closed."""
    of: Any = read_family({"family": "k-ary", "inputs": str(k), "exp_eps0": str(exp_eps0)}, Work())
    whole = exp_eps0 + k - 1
    table = {x: {(y,): (exp_eps0 if x == y else 1) / F(whole) for y in range(k)} for x in range(k)}
    try:
        found = closed_divergence(of, n, level, Work())
    except CertificateRejectedError:
        assert not k_ary_bracket_closes(exp_eps0, level, n)
    else:
        assert found == Oracle(table, n).delta(level)


# --- Classes of users -----------------------------------------------------------------------------------------------


def response(exp_eps0: int) -> Randomizer:
    return randomized_response(3, exp_eps0=exp_eps0)


@pytest.mark.parametrize(
    ("classes", "user_class", "used"),
    [
        ([(response(2), 5000), (response(6), 5000)], 0, [["0", "1"]]),
        ([(response(2), 5000), (response(6), 5000)], None, None),
        pytest.param(
            [(UnaryEncoding(1000, exp_eps0=e), 10**5) for e in (4, 7, 9)],
            None,
            [["0"], ["1"], ["2"]],
            marks=pytest.mark.slow,
        ),
        ([(response(4), 20_000), (response(6), 10)], 1, None),
    ],
)
def test_classes_of_users_are_proved_by_a_swap(
    classes: list[tuple[Any, int]], user_class: int | None, used: list[list[str]] | None
) -> None:
    protocol = ShuffleProtocol(classes)
    profile = protocol.privacy_profile(user_class=user_class)
    bracket = profile.bracket(exp_eps="11/10", relative_bits=20)
    delta = short(bracket.upper.upper.fraction() * 10**4)  # type: ignore[union-attr]
    claim = Claim.shuffle_dp(protocol, exp_eps="11/10", delta=min(delta, F(1, 10)), user_class=user_class)
    certificate = certify(claim)
    assert (certificate.verdict, certificate.level) == (Verdict.PROVED, "certificate"), certificate.reason
    assert verify(certificate) is Verdict.PROVED
    written = json.loads(certificate.to_json())
    assert written["schema"] == "exactdp-certificate-4"
    assert Claim.from_data(written["claim"]).statement == claim.statement
    assert used is None or written["witness"]["swap"]["used"] == used
    below = {**written["claim"], "delta": f"1/{10**70}"}
    with pytest.raises(CertificateRejectedError):
        verify_text(document_text(below, Verdict.PROVED, written["witness"]))


def test_what_no_certificate_of_classes_states_is_an_enclosure_with_its_reason() -> None:
    protocol = ShuffleProtocol([(response(2), 5000), (response(6), 5000)])
    ends = protocol.privacy_profile().bracket(exp_eps="11/10", relative_bits=20).delta
    claim = Claim.shuffle_dp(protocol, exp_eps="11/10", delta=short(ends.upper.fraction() * F(11, 10)))
    certificate = certify(claim)
    assert (certificate.verdict, certificate.level) == (Verdict.PROVED, "enclosure")
    assert (
        "The bound that certificates of classes of users state, the swap bound with the rows of all"
        in certificate.reason
    )
    between = certify(Claim.shuffle_dp(protocol, exp_eps="11/10", delta=short((ends.lo + ends.hi) / 2)))
    assert between.verdict is Verdict.UNDECIDED


@pytest.mark.parametrize("eps0", [(2, 6), pytest.param((3, 4, 9), marks=pytest.mark.slow)])
def test_classes_of_tables_are_refuted_by_an_event(eps0: tuple[int, ...]) -> None:
    protocol = ShuffleProtocol([(response(e), 100) for e in eps0])
    ends = protocol.privacy_profile().bracket(eps="1/5", relative_bits=20).delta
    lower, upper = ends.lower.fraction(), ends.upper.fraction()
    certificate = certify(Claim.shuffle_dp(protocol, eps="1/5", delta=short(lower * F(97, 100))))
    assert (certificate.verdict, certificate.level) == (Verdict.REFUTED, "certificate"), certificate.reason
    assert verify(certificate) is Verdict.REFUTED
    written = json.loads(certificate.to_json())
    assert written["schema"] == "exactdp-certificate-4"
    above = {**written["claim"], "delta": Claim.shuffle_dp(protocol, eps="1/5", delta=short(upper)).data["delta"]}
    with pytest.raises(CertificateRejectedError, match="not shown to be above"):
        verify_text(document_text(above, Verdict.REFUTED, written["witness"]))


@pytest.mark.parametrize(
    "families",
    thinned(
        [
            [UnaryEncoding(1000, exp_eps0=e) for e in (4, 7)],
            [UnaryEncoding(100, exp_eps0=e) for e in (4, 5, 7)],
            [KAryResponse(500, exp_eps0=e) for e in (40, 90)],
            [SubsetSelection(500, size=50, exp_eps0=e) for e in (4, 9)],
            [HadamardResponse(500, exp_eps0=e) for e in (4, 9)],
        ],
        every=5,
    ),
)
def test_classes_of_families_are_refuted_by_an_event(families: list[Any]) -> None:
    protocol = ShuffleProtocol([(family, 600) for family in families])
    ends = protocol.privacy_profile().bracket(exp_eps="21/20", relative_bits=20).delta
    lower, upper = (short(end.fraction()) for end in (ends.lower, ends.upper))
    certificate = certify(Claim.shuffle_dp(protocol, exp_eps="21/20", delta=short(lower * F(99, 100))))
    assert (certificate.verdict, certificate.level) == (Verdict.REFUTED, "certificate"), certificate.reason
    assert verify(certificate) is Verdict.REFUTED
    written = json.loads(certificate.to_json())
    assert ("cuts" in written["witness"]["event"], bool(written["witness"]["event"]["cuts"])) == (
        True,
        isinstance(families[0], UnaryEncoding),
    )
    above = {**written["claim"], "delta": str(upper)}
    with pytest.raises(CertificateRejectedError, match="not shown to be above"):
        verify_text(document_text(above, Verdict.REFUTED, written["witness"]))


def test_classes_of_different_families_are_refuted_without_a_certificate() -> None:
    families = [UnaryEncoding(1000, exp_eps0=7), KAryResponse(1000, exp_eps0=7)]
    protocol = ShuffleProtocol([(family, 10**4) for family in families])
    certificate = certify(Claim.shuffle_dp(protocol, exp_eps="101/100", delta="1e-200"))
    assert (certificate.verdict, certificate.level) == (Verdict.REFUTED, "enclosure"), certificate.reason
    assert certificate.reason.endswith("The checker's methods do not reach this claim.")


def test_users_who_run_the_same_are_one_class() -> None:
    whole = Claim.shuffle_dp(ShuffleProtocol(response(2), 100), exp_eps="3/2", delta="1/100")
    same = ShuffleProtocol([(response(2), 40), (response(2), 60)])
    assert Claim.shuffle_dp(same, exp_eps="3/2", delta="1/100") == whole
    assert Claim.shuffle_dp(same, exp_eps="3/2", delta="1/100", user_class=1) == whole
    three = ShuffleProtocol([(response(2), 40), (response(6), 5), (response(2), 60)])
    two = ShuffleProtocol([(response(2), 100), (response(6), 5)])
    claims = [
        Claim.shuffle_dp(protocol, exp_eps="3/2", delta="1/100", user_class=place)
        for protocol, place in ((three, 2), (three, 0), (two, 0))
    ]
    assert len(set(claims)) == 1


def test_messages_of_classes_are_those_of_one_alphabet() -> None:
    other = Randomizer({0: {("b",): "3/4", ("c",): "1/4"}, 1: {("c",): "3/4", ("b",): "1/4"}})
    one = Randomizer({1: {("a",): "1/4", ("b",): "3/4"}, 0: {("a",): "3/4", ("b",): "1/4"}})
    protocol = ShuffleProtocol([(other, 5), (one, 5)])
    assert isinstance(protocol, UserClassesProtocol)
    data = Claim.shuffle_dp(protocol, exp_eps="3/2", delta="1/2").data
    first, second = (entry["randomizer"] for entry in data["classes"])
    assert (first["messages"], second["messages"]) == ("3", "3")
    assert first["rows"][0] == [{"send": ["0"], "prob": "3/4"}, {"send": ["1"], "prob": "1/4"}]
    assert second["rows"][0] == [{"send": ["2"], "prob": "3/4"}, {"send": ["0"], "prob": "1/4"}]


def test_a_claim_about_classes_says_nothing_else() -> None:
    protocol = ShuffleProtocol([(response(2), 40), (response(6), 60)])
    for more in ({"least": "delta"}, {"all_n_from": 9}):
        with pytest.raises(InvalidValueError, match="a claim about classes of users is one of"):
            Claim.shuffle_dp(protocol, exp_eps=2, delta="1/2", **more)
    with pytest.raises(InvalidValueError, match="user_class=2 is none of the 2 classes"):
        Claim.shuffle_dp(protocol, exp_eps=2, delta="1/2", user_class=2)
    with pytest.raises(InvalidValueError, match="user_class=1 is none of the 1 class"):
        Claim.shuffle_dp(ShuffleProtocol(response(2), 9), exp_eps=2, delta="1/2", user_class=1)


# --- Runs -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("family", [RAPPOR, any_randomizer(exp_eps0=7)])
def test_many_runs_have_a_swap_at_each_level(family: Any) -> None:
    protocol = ShuffleProtocol(family, 10**5)
    value = protocol.privacy_profile().compose(52).delta(eps="1/10", relative_width="1/8")
    for delta, verdict in ((value.hi * F(11, 10), Verdict.PROVED), (value.lo * F(8, 10), Verdict.REFUTED)):  # type: ignore[union-attr]
        certificate = certify(Claim.composed((protocol, 52), eps="1/10", delta=short(delta)))
        assert (certificate.verdict, certificate.level) == (verdict, "certificate"), certificate.reason
        assert verify(certificate) is verdict
        witness = json.loads(certificate.witness or "")
        if verdict is Verdict.PROVED:
            assert {key for level in witness["curves"][0]["witness"]["levels"] for key in level} == {"swap"}
