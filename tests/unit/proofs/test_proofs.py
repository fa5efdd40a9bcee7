"""The ledger: every row is decided as recorded, and a wrong statement beside each is not proved."""

import dataclasses
from fractions import Fraction
from itertools import pairwise, product

import pytest

import exactdp as xdp
from exactdp.claims.claim import Condition
from exactdp.errors import ExactDPError, InvalidValueError
from exactdp.proofs import check, rows
from exactdp.proofs.gap import ATTAINED, _deciding_orders
from exactdp.proofs.ledger import accepted_by_proof
from exactdp.proofs.stored import certificate_of
from exactdp.proofs.zsum import closed_form_delta

Claim, Verdict = xdp.Claim, xdp.Verdict


PROSE = set(
    map(str, [3, 9, 12, 13, 27, 37, 40, 41, 43, 51, 52, 53, 55, 58, 59, 60, 66, 70, 73, 74, 79, 81, 83, 93, 95])
)
"""Entries about the notes that are notation, wording, attribution or a cited bound: these may be prose."""


LONG = {
    "variation-ratio-real-sizes",
    "geometric-three-users",
    "gap-whole-curve",
    "gap-curve",
    "clones-interior",
    "clones-response",
    "small-binary-response-every-eps",
    "stronger-clones-not-optimal",
}
"""Takes seconds each; `exactdp prove` decides all rows in CI, where its pages are compared."""


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=row.id, marks=[pytest.mark.slow] * (row.id in LONG)) for row in rows()]
)
def test_every_row_is_decided_as_recorded_by_the_checker(row):
    outcome = check(row)
    assert outcome.as_recorded
    if row.claim is None:
        assert (outcome.level, outcome.certificate) == ("prose", None)
        assert row.reading
        assert set(row.notes) <= PROSE
        return
    assert outcome.level == ("kernel" if row.proposition else "steps" if row.steps else "certificate")
    computed = row.proposition is not None and row.proposition.is_computed
    others = ("proved",) * (row.id in accepted_by_proof()) + ("kernel",) * computed
    assert outcome.accepted_by == ("python", *others)
    assert bool(outcome.axioms) <= (outcome.level == "kernel")
    assert outcome.checked
    assert outcome.certificate.verdict is row.expected
    assert len(outcome.certificate.to_json()) < 2**22


def test_the_public_checker_says_of_a_certificate_what_the_ledger_says():
    """Of every eighth row: ``check`` asks the same checker."""
    stated = [row for row in rows() if row.claim is not None and row.id not in LONG]
    for row in stated[::8]:
        assert xdp.verify(certificate_of(row)) is row.expected, row.id


def test_ids_are_unique_and_rows_say_what_and_where():
    ids = [row.id for row in rows()]
    assert len(set(ids)) == len(ids)
    assert all(row.statement.endswith(".") and row.domain and row.source for row in rows())
    assert all(row.notes for row in rows() if row.as_printed is not None)
    assert {row.as_printed for row in rows()} == {None, "true", "corrected", "false"}


def test_what_a_note_does_not_force_is_not_called_printed():
    """A row about a note has a mark, or decides a reading that it names, and then it does not say "as printed"."""
    readings = [row for row in rows() if row.notes and row.as_printed is None]
    assert [row.id for row in readings] == ["pure-histogram-from-sum", "survey-laplace-integers-rounded"]
    assert all(row.reading.startswith("read as: ") for row in readings)
    assert not any("printed" in row.id or "As printed" in row.statement for row in readings)


def test_every_entry_about_the_notes_has_a_row():
    assert sorted({int(entry) for row in rows() for entry in row.notes}) == list(range(1, 98))


def test_what_is_false_as_printed_is_refuted():
    """An entry with a row that is false has a claim that is refuted, unless the entry is prose."""
    false = {entry for row in rows() if row.as_printed == "false" for entry in row.notes}
    refuted = {entry for row in rows() if row.expected is Verdict.REFUTED for entry in row.notes}
    assert false <= refuted | PROSE


def gap(n):
    return xdp.protocols.gap(n)


def local(randomizer):
    return xdp.ShuffleProtocol(randomizer.local(), 1)


WRONG = {
    "complement: the view gives the data away": Claim.never_dp(xdp.protocols.complement(3), delta_below="1/1000"),
    "complement: the randomizer is (1000, 1/2)-DP": Claim.shuffle_dp(
        local(xdp.protocols.complement_randomizer()), exp_eps=1000, delta="1/2"
    ),
    "gap: more is lost for ever than 3/8": Claim.never_dp(
        local(xdp.protocols.gap_randomizer().preshuffle()), delta_below="377/1000"
    ),
    "gap: a smaller eps at n = 3": Claim.shuffle_dp(gap(3), exp_eps="124/64", delta=0),
    "gap: a larger least eps at n = 2": Claim.shuffle_dp(gap(2), exp_eps="51/20", delta=0, least="exp_eps"),
    "gap: 8/5 from n = 3 on": Claim.shuffle_dp(gap(3), exp_eps="8/5", delta=0, all_n_from=3),
    "gap: 79/50 from n = 4 on": Claim.shuffle_dp(gap(4), exp_eps="79/50", delta=0, all_n_from=4),
    "gap: a delta that is not the least": Claim.shuffle_dp(
        gap(5), exp_eps=1, delta=gap(5).privacy_profile().delta(exp_eps=1) + Fraction(1, 10**9), least="delta"
    ),
    "single message: without t > 0": Claim.inequality(
        ["p", "q", "t", "e"],
        hypotheses=[Condition({(1, 0, 0, 0): 1, (0, 1, 0, 1): -1}, strict=True)],
        conclusion=Condition({(1, 0, 1, 0): 1, (0, 1, 1, 1): -1}, strict=True),
    ),
    "single message: a smaller eps in the shuffle": Claim.shuffle_dp(
        xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 1), exp_eps="299/100", delta=0, all_n_from=1
    ),
    "zsum: a dummy less often": Claim.additive_view(
        xdp.protocols.zsum_randomizer(gamma="1/8"), xdp.Binomial(1, "3/4").law(), {0: 0, 1: 1}
    ),
    "zsum: a delta above the closed form is the least": Claim.shift_dp(
        xdp.Binomial(10, "7/8"),
        exp_eps=2,
        delta=closed_form_delta(10, Fraction(1, 8), Fraction(2)) + Fraction(1, 10**12),
        least="delta",
    ),
    "zsum: a delta below the closed form": Claim.shift_dp(
        xdp.Binomial(10, "7/8"),
        exp_eps=2,
        delta=closed_form_delta(10, Fraction(1, 8), Fraction(2)) - Fraction(1, 10**12),
    ),
    "zsum: zero although one user holds 1": Claim.zero_estimate(
        xdp.protocols.zsum_randomizer(gamma="1/8"), weights={1: 1}, zero_unless_above=1, all_hold=1
    ),
    "adding a user: one user is as private as two": Claim.shuffle_dp(
        xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 1),
        exp_eps="3/2",
        delta=xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 2).privacy_profile().delta(exp_eps="3/2"),
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_statement_is_not_proved(name):
    try:
        verdict = xdp.certify(WRONG[name]).verdict
    except InvalidValueError:
        verdict = Verdict.REFUTED
    assert verdict is not Verdict.PROVED


@pytest.mark.parametrize("n", ATTAINED)
def test_the_attaining_pair_and_outcome_of_gap(n):
    """By listing every outcome of every neighbouring pair."""
    first, second, ones = ATTAINED[n]
    largest = Fraction(0)
    for held, (own, other) in product(range(n), ((0, 1), (1, 0))):
        views = []
        for value in (own, other):
            data_set = {0: n - 1 - held, 1: held}
            data_set[value] += 1
            views.append(gap(n).law(data_set))
        for outcome, p in views[0].items():
            largest = max(largest, p / views[1].prob(outcome))
    outcome = (4 * n - ones, ones)
    assert gap(n).law(first).prob(outcome) / gap(n).law(second).prob(outcome) == largest
    assert gap(n).privacy_profile().epsilon(0).argument == largest


def test_a_row_that_breaks_names_itself():
    def broken():
        raise ExactDPError("no claim")

    row = dataclasses.replace(rows()[0], claim=broken)
    with pytest.raises(ExactDPError, match="no claim"):
        check(row)


def test_the_deciding_orders_hold_every_breakpoint_of_gap():
    """Between two neighbouring orders delta is a line: at random points it is on the chord."""
    profile = gap(5).privacy_profile()
    orders = _deciding_orders(profile)
    for low, high in pairwise(orders):
        third = low + (high - low) * Fraction(3, 7)
        ends = profile.delta(exp_eps=low), profile.delta(exp_eps=high)
        assert profile.delta(exp_eps=third) == ends[0] + (ends[1] - ends[0]) * Fraction(3, 7)
    assert profile.delta(exp_eps=orders[-1]) == profile.delta(exp_eps=orders[-1] + 5) == 0
