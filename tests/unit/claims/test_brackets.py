"""Certificates of what two proved ends decide: every family, tables with zeros, several messages, and what has none."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp import (
    Certificate,
    Claim,
    Interval,
    Neighbors,
    Randomizer,
    ShuffleProtocol,
    Verdict,
    certify,
    randomized_response,
    verify,
)
from exactdp.claims.bracket_witnesses import BracketWitnesses
from exactdp.claims.certify import conjoined
from exactdp.errors import InvalidValueError
from exactdp.laws import Binomial
from exactdp.privacy.amplification.lattice_bound import Blanket, Likelihood, PairLaw, Saddle, Scores
from exactdp.randomizers import (
    ClippedDiscreteLaplace,
    HadamardResponse,
    KAryResponse,
    LocalHashing,
    MixedDummies,
    Repetition,
    SubsetSelection,
    UnaryEncoding,
    any_randomizer,
)
from tests.thinned import thinned

K_ARY = KAryResponse(16, exp_eps0=55)
FAMILIES = {
    "k-ary": K_ARY,
    "unary-encoding": UnaryEncoding(10**4, exp_eps0=9),
    "optimized": UnaryEncoding(500, exp_eps0=9, optimized=True),
    "subset-selection": SubsetSelection(100, exp_eps0=30),
    "hadamard": HadamardResponse(5, exp_eps0=3),
    "three rows": HadamardResponse(3, exp_eps0=20),
    "local-hashing": LocalHashing(50, exp_eps0=30),
    "two inputs": LocalHashing(2, exp_eps0=3),
    "clipped-discrete-laplace": ClippedDiscreteLaplace(3, exp_eps0=20),
}
SIZES = ((10**4, "21/20"), (10**6, "201/200"), (10**9, "10001/10000"))


def moved(end: Interval | Fraction, side: int, gap: Fraction) -> Fraction:
    """A short number at a relative distance above an upper end, or below a lower one."""
    near = end if isinstance(end, Fraction) else (end.upper if side > 0 else end.lower).fraction()
    scale = 2 ** (40 + max(0, near.denominator.bit_length() - near.numerator.bit_length()))
    return Fraction(round(near * (1 + side * gap) * scale), scale)


def decided(protocol: ShuffleProtocol, exp_eps: Any, side: int, gap: Fraction, **more: Any) -> Certificate:
    """The certificate of a claim at a distance from an end, which has to be verified."""
    ends = protocol.privacy_profile().by_blankets.bracket(exp_eps=exp_eps, relative_bits=20)
    delta = moved(ends.upper if side > 0 else ends.lower, side, gap)
    certificate = certify(Claim.shuffle_dp(protocol, exp_eps=exp_eps, delta=delta, **more))
    assert certificate.verdict is (Verdict.PROVED if side > 0 else Verdict.REFUTED), certificate.reason
    assert certificate.level == "certificate", certificate.reason
    assert verify(certificate) is certificate.verdict
    return certificate


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("name", thinned(FAMILIES, every=2))
def test_every_family_is_proved_and_refuted(name: str, side: int) -> None:
    certificate = decided(ShuffleProtocol(FAMILIES[name], 10**4), "21/20", side, Fraction(1, 20))
    assert len(certificate.to_json()) < 2000


@pytest.mark.slow
@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize(("n", "exp_eps"), SIZES)
@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_is_decided_at_every_size_and_near_the_ends(name: str, n: int, exp_eps: str, side: int) -> None:
    certificate = decided(ShuffleProtocol(FAMILIES[name], n), exp_eps, side, Fraction(1, 1000))
    assert len(certificate.to_json()) < 2000


@pytest.mark.parametrize("side", [1, -1])
def test_a_billion_users_are_decided(side: int) -> None:
    decided(ShuffleProtocol(K_ARY, 10**9), "1001/1000", side, Fraction(1, 100))


def test_a_bound_is_claimed_for_every_larger_number_of_users() -> None:
    certificate = decided(ShuffleProtocol(K_ARY, 10**4), "4/3", 1, Fraction(1, 100), all_n_from=10**4)
    assert certificate.claim.data["scope"] == "all n from n"
    assert certificate.reason.endswith("Adding a user is post-processing.")


@pytest.mark.parametrize("verdict", [Verdict.PROVED, Verdict.REFUTED])
def test_an_irrational_exp_eps_is_enclosed_by_its_series(verdict: Verdict) -> None:
    ends = ShuffleProtocol(K_ARY, 10**4).privacy_profile().bracket(eps="3/10", relative_bits=20)
    side = 1 if verdict is Verdict.PROVED else -1
    delta = moved(ends.upper if side > 0 else ends.lower, side, Fraction(1, 100))
    certificate = certify(Claim.shuffle_dp(ShuffleProtocol(K_ARY, 10**4), eps="3/10", delta=delta))
    assert (certificate.verdict, certificate.level) == (verdict, "certificate")
    assert '"terms"' in str(certificate.witness)


@pytest.mark.parametrize("side", [1, pytest.param(-1, marks=pytest.mark.slow)])
def test_a_table_and_the_family_of_it_are_decided_alike(side: int) -> None:
    table, family = (
        decided(ShuffleProtocol(one, 10**4), "21/20", side, Fraction(1, 50)) for one in (K_ARY.table(), K_ARY)
    )
    assert table.verdict is family.verdict
    assert table.claim.digest() != family.claim.digest()
    assert (table.claim.data["randomizer"]["messages"], family.claim.data["randomizer"]["family"]) == ("16", "k-ary")


def test_a_table_is_claimed_up_to_a_million_users() -> None:
    rows = ("1/2 1/4 1/4", "1/4 1/2 1/4", "1/4 5/16 7/16")  # no k-ary response, which is claimed as that family
    table = Randomizer({x: {(y,): p for y, p in enumerate(row.split())} for x, row in enumerate(rows)})
    claim = Claim.shuffle_dp(ShuffleProtocol(table, 10**6 + 1), exp_eps="103/100", delta="2e-6")
    certificate = certify(claim)
    assert (certificate.verdict, certificate.level) == (Verdict.PROVED, "enclosure")
    assert (
        "The claim of a table has a certificate up to n = 1000000, that of a family up to 10^12" in certificate.reason
    )


ZEROS = Randomizer(
    {
        0: {(0,): "1/2", (1,): "1/4", (2,): "1/4"},
        1: {(1,): "1/2", (2,): "1/4", (3,): "1/4"},
        2: {(0,): "1/4", (1,): "1/4", (2,): "1/4", (3,): "1/4"},
        3: {(0,): "1/4", (1,): "1/4", (2,): "1/4", (3,): "1/4"},
        4: {(2,): "1/2", (): "1/2"},
    }
)
"""Messages that some inputs never send, two inputs with one row, and one that may send nothing."""
SEVERAL = Randomizer(
    {
        0: {(0, 0): "1/2", (0, 1): "1/4", (1, 2): "1/4"},
        1: {(1, 1): "1/2", (0, 1): "1/4", (1, 2): "1/4"},
        2: {(0, 0): "1/8", (1, 1): "1/8", (0, 1): "1/4", (2, 2): "1/2"},
    }
)
"""Two messages a user."""


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("randomizer", [ZEROS, SEVERAL], ids=["zeros", "several messages"])
def test_tables_with_zeros_and_with_several_messages(randomizer: Randomizer, side: int) -> None:
    certificate = decided(ShuffleProtocol(randomizer, 2000), "11/10", side, Fraction(1, 20))
    several = "event" if randomizer is SEVERAL else "likelihood"
    assert f'{{"{"blanket" if side > 0 else several}"' in str(certificate.witness)


@pytest.mark.slow
def test_others_at_random_refute_where_no_homogeneous_data_set_does() -> None:
    """Of unary encoding some mixed data set is worse than all homogeneous ones, and the test names its weights."""
    protocol = ShuffleProtocol(UnaryEncoding(4, exp_eps0=3).table(), 300)
    certificate = decided(protocol, "11/10", -1, Fraction(1, 100))
    assert certificate.witness is not None
    weights = json.loads(certificate.witness)["likelihood"]["others"]
    assert sum(Fraction(weight) for weight in weights) == 1


def test_a_view_that_is_too_large_to_be_listed_is_decided_by_a_bound() -> None:
    """Two messages, thousands of users: the engine is exact, and the checker lists no such views."""
    protocol = ShuffleProtocol(randomized_response(2, exp_eps0=3), 10**4)
    assert protocol.privacy_profile().is_tight
    for side, gap in ((1, Fraction(3)), (-1, Fraction(1, 100))):
        decided(protocol, "51/50", side, gap)


NO_CLAIM: list[tuple[Callable[[], Claim], str]] = [
    (
        lambda: Claim.shuffle_dp(ShuffleProtocol(Repetition(KAryResponse(300, exp_eps0=3), 2), 9), exp_eps=2, delta=0),
        "the randomizer repetition is none of the families that a claim can hold: k-ary, unary-encoding,",
    ),
    (
        lambda: Claim.shuffle_dp(ShuffleProtocol(KAryResponse(9, exp_eps0="exp(1)"), 9), exp_eps=2, delta=0),
        "exp_eps0=e^(1) is irrational, and a claim holds rational numbers.",
    ),
    (
        lambda: Claim.shuffle_dp(ShuffleProtocol(KAryResponse(10**6, gamma=0), 9), exp_eps=2, delta=0),
        "k-ary with local eps = infinity: the claim of a family needs a finite one above 0.",
    ),
    (
        lambda: Claim.shuffle_dp(ShuffleProtocol(K_ARY, Binomial(9, "1/2")), exp_eps=2, delta=0),
        "n is random, by Binomial(9, '1/2'), and no certificate speaks of that. Claim it for one n",
    ),
    (
        lambda: Claim.never_dp(ShuffleProtocol(UnaryEncoding(100, exp_eps0=3), 9), delta_below="1/2"),
        "the randomizer unary-encoding has no table of at most 65536 entries, and this claim needs one",
    ),
]


@pytest.mark.parametrize(("claim", "said"), NO_CLAIM, ids=range(len(NO_CLAIM)))
def test_what_no_claim_can_hold_is_refused_in_words(claim: Callable[[], Claim], said: str) -> None:
    with pytest.raises(InvalidValueError) as refused:
        claim()
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize(
    ("family", "more"),
    [
        (MixedDummies(3, exp_eps0=3, dummies=1), {}),
        (KAryResponse(3, gamma=0), {}),
        (K_ARY, {"least": "delta"}),
        (K_ARY, {"neighbors": Neighbors.ADD_OR_REMOVE_ONE}),
    ],
    ids=["no claimed family", "infinite eps0", "least", "other neighbours"],
)
def test_a_small_family_is_claimed_by_its_table_where_its_parameters_are_not_enough(family: Any, more: Any) -> None:
    claim = Claim.shuffle_dp(ShuffleProtocol(family, 4), exp_eps=2, delta="1/2", **more)
    assert claim == Claim.shuffle_dp(ShuffleProtocol(family.table(), 4), exp_eps=2, delta="1/2", **more)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_a_claim_of_a_family_is_read_back(family: Any) -> None:
    claim = Claim.shuffle_dp(ShuffleProtocol(family, 10**12), exp_eps=2, delta="1/2")
    statement = claim.statement
    assert statement.data == claim.data
    back = statement.mechanism.randomizer.randomizer()  # type: ignore[attr-defined]
    assert back.pair_tables() == family.pair_tables()
    assert back.local_epsilon() == family.local_epsilon()


def test_certificates_are_joined_without_being_decided_again() -> None:
    protocol = ShuffleProtocol(K_ARY, 10**4)
    parts = [decided(protocol, "4/3", side, Fraction(1, 10)) for side in (1, -1)]
    both = conjoined(*parts)
    assert (both.level, verify(both)) == ("certificate", Verdict.PROVED)
    assert both.claim == Claim.conjunction(parts[0].claim, Claim.negation(parts[1].claim))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("factor", "verdict"),
    [("6/5", Verdict.PROVED), ("4/5", Verdict.REFUTED)],
)
def test_runs_of_a_family_are_composed(factor: str, verdict: Verdict) -> None:
    protocol = ShuffleProtocol(K_ARY, 10**4)
    delta = moved(protocol.privacy_profile().compose(2).delta(exp_eps="3/2", relative_width="1/100"), 1, Fraction(0))
    certificate = certify(Claim.composed((protocol, 2), exp_eps="3/2", delta=delta * Fraction(factor)))
    assert (certificate.verdict, certificate.level) == (verdict, "certificate"), certificate.reason
    assert verify(certificate) is verdict
    assert ('"levels"' if verdict is Verdict.PROVED else '"likelihood"') in str(certificate.witness)
    assert len(certificate.to_json()) < 10_000


# --- The prover's own evaluation ------------------------------------------------------------------------------------


@st.composite
def tables(draw: st.DrawFn) -> Randomizer:
    """Three or four inputs, single messages, some of them never sent."""
    inputs, messages = draw(st.integers(2, 4)), draw(st.integers(2, 4))
    rows = {}
    for x in range(inputs):
        weights = draw(st.lists(st.integers(0, 9), min_size=messages, max_size=messages).filter(any))
        rows[x] = {(m,): Fraction(w, sum(weights)) for m, w in enumerate(weights) if w}
    return Randomizer(rows)


def mean_positive(items: Any, copies: int) -> Fraction:
    """E[max(0, S)]/n, by the law of the sum."""
    law = {Fraction(0): Fraction(1)}
    for _ in range(copies):
        after: dict[Fraction, Fraction] = {}
        for total, chance in law.items():
            for value, mass in items:
                after[total + value] = after.get(total + value, Fraction(0)) + chance * mass
        law = after
    return sum((max(Fraction(0), total) * chance for total, chance in law.items()), Fraction(0)) / copies


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(*[st.integers(0, 9)] * 2, st.integers(1, 9)), min_size=2, max_size=4),
    st.integers(1, 6),
    st.integers(1, 40),
)
def test_a_blanket_on_a_lattice_is_an_upper_bound(weights: Any, copies: int, fineness: int) -> None:
    total = sum(c for *_, c in weights)
    law = PairLaw.of(((Fraction(p, 9), Fraction(q, 9), Fraction(c, total)) for p, q, c in weights), Fraction(3, 2))
    if not law.needs_bound:
        return
    exact = mean_positive(law.items, copies)
    saddle = Saddle.of(law.items, copies)
    step = (law.items[-1][0] - law.items[0][0]) / fineness
    bound = Blanket(law.items, step, saddle.of_step(step), 96, 64).bound(copies)
    assert exact <= bound
    fine = Blanket(law.items, step / 64, saddle.of_step(step / 64), 96, 2**14).bound(copies)
    assert fine <= exact * Fraction(11, 10) + Fraction(1, 50) * step


@settings(max_examples=25, deadline=None)
@given(tables(), st.integers(1, 5), st.sampled_from(["1", "3/2", "3"]), st.data())
def test_a_test_is_a_lower_bound_of_the_exact_divergence(
    randomizer: Randomizer, users: int, exp_eps: str, data: st.DataObject
) -> None:
    inputs = len(randomizer.inputs)
    first, second, other = (data.draw(st.integers(0, inputs - 1)) for _ in range(3))
    ratio = Fraction(exp_eps)
    exact = ShuffleProtocol(randomizer, users).privacy_profile().exact_delta(exp_eps=ratio)
    rows = [dict(randomizer.rows[x]) for x in (first, second, other)]
    sent = sorted({send for row in rows for send in row})
    classes = tuple(tuple(row.get(send, Fraction(0)) for row in rows) for send in sent)
    test = Likelihood(classes, ratio, ratio, Fraction(1, data.draw(st.integers(1, 30))), 80, 64, 40)  # type: ignore[arg-type]
    assert test.best(users).gain <= exact
    scores = [data.draw(st.integers(-3, 3)) for _ in randomizer.alphabet]
    laws = []
    for x in range(inputs):
        law: dict[int, Fraction] = {}
        for send, p in randomizer.rows[x]:
            place = sum(scores[m] for m in send)
            law[place] = law.get(place, Fraction(0)) + p
        laws.append(law)
    others = [0] * inputs
    others[other] = users - 1
    assert Scores(laws, first, second, others, ratio, 80).best().gain <= exact


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(tables(), st.integers(1000, 10**5), st.sampled_from([1, -1]), st.sampled_from([20, 300]))
def test_claims_about_tables_at_random_are_decided(randomizer: Randomizer, n: int, side: int, gap: int) -> None:
    profile = ShuffleProtocol(randomizer, n).privacy_profile().by_blankets
    if profile.is_tight:
        return
    exp_eps = 1 + Fraction(3, int(n**0.5))
    ends = profile.bracket(exp_eps=exp_eps, relative_bits=20)
    limit = moved(ends.upper if side > 0 else ends.lower, side, Fraction(1, gap))
    if limit >= 1 or ends.upper.upper.fraction() == 0:  # type: ignore[union-attr]
        return
    decided(ShuffleProtocol(randomizer, n), exp_eps, side, Fraction(1, gap))


def test_every_randomizer_is_proved_by_the_end_that_certificates_state() -> None:
    """The clones of few users are not stated, and the bound by swaps is larger."""
    protocol = ShuffleProtocol(any_randomizer(exp_eps0=3), 20)
    profile = protocol.privacy_profile()
    better, stated = (one.bracket(exp_eps="3/2").upper for one in (profile, profile.checkable))
    assert better < stated
    between = (better.upper.fraction() + stated.lower.fraction()) / 2  # type: ignore[union-attr]
    for delta, level in ((between, "enclosure"), (stated.upper.fraction() * Fraction(10001, 10000), "certificate")):  # type: ignore[union-attr]
        certificate = certify(Claim.shuffle_dp(protocol, exp_eps="3/2", delta=delta))
        assert (certificate.verdict, certificate.level) == (Verdict.PROVED, level), certificate.reason
    assert profile.checkable.checkable == profile.checkable != profile


@pytest.mark.slow
def test_runs_of_few_users_far_out_are_proved_with_an_own_slot() -> None:
    protocol = ShuffleProtocol(UnaryEncoding(1000, exp_eps0=9), 1000)
    runs = (protocol, 3)
    end = protocol.privacy_profile().compose(3).delta(exp_eps="11/10", relative_width="1/5")
    certificate = certify(Claim.composed(runs, exp_eps="11/10", delta=end.upper.fraction()))  # type: ignore[union-attr]
    assert (certificate.verdict, certificate.level) == (Verdict.PROVED, "certificate"), certificate.reason
    assert verify(certificate) is Verdict.PROVED


def test_a_witness_is_not_looked_for_where_the_claim_is_between_the_ends() -> None:
    protocol = ShuffleProtocol(UnaryEncoding(10**4, exp_eps0=9), 10**4)
    ends = protocol.privacy_profile().bracket(exp_eps="21/20", relative_bits=20)
    between = (ends.lower.upper.fraction() + ends.upper.lower.fraction()) / 2  # type: ignore[union-attr]
    claim = Claim.shuffle_dp(protocol, exp_eps="21/20", delta=between)
    assert certify(claim).verdict is Verdict.UNDECIDED
    statement: Any = claim.statement
    witnesses = BracketWitnesses(statement.mechanism, statement.level, statement.delta)
    assert list(witnesses.proofs()) == list(witnesses.refutations()) == []
