"""The rows on clones: the numbers by three ways, the exact engine beside them, and wrong statements."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

import pytest

import exactdp as xdp
from exactdp.bounds import clones_delta, stronger_clones_delta
from exactdp.proofs import check, row
from exactdp.proofs.clone_bounds import NUMBERS, _levels, _tables, clone_values, clones, mean_excess
from exactdp.proofs.published_bounds import pair_divergence

TABLES = list(_tables())


@pytest.mark.parametrize(
    ("n", "p", "order"), list(product((1, 2, 5), (Fraction(2), Fraction(7, 3)), (Fraction(1), Fraction(3, 2))))
)
def test_the_mean_excess_is_the_divergence_of_the_pair(n, p, order):
    own = 1 / (p + 1)
    for share, bound in ((1 / (2 * p), clones_delta), (own, stronger_clones_delta)):
        number = mean_excess(n, clone_values(p, share, order))
        assert number == pair_divergence(n, p, own, share, order) == bound(n, exp_eps0=p, exp_eps=order)


def three_labels(first, second, p, order):
    """The values of "the first is larger", "the second is" and "both" beside others with max(P, Q)/p."""
    distance = sum(max(Fraction(0), a - b) for a, b in zip(first, second, strict=True))
    share = distance / (p - 1)
    rest = 1 - (p + 1) * share
    return (share, p - order), (share, 1 - order * p), (rest / p, p * (1 - order))


@pytest.mark.parametrize(("p", "table"), TABLES, ids=("subsets", "halves", "uneven"))
def test_three_labels_lie_between_the_exact_delta_and_the_stronger_clones(p, table):
    sent = sorted({bundle for law in table.rows for bundle, _ in law})
    rows = [[dict(law).get(bundle, Fraction(0)) for bundle in sent] for law in table.rows]
    for n, order in product((1, 2, 3), _levels(p)):
        labels = max(mean_excess(n, three_labels(a, b, p, order)) for a, b in permutations(rows, 2))
        exact = xdp.ShuffleProtocol(table, n).privacy_profile().delta(exp_eps=order)
        assert exact <= labels <= stronger_clones_delta(n, exp_eps0=p, exp_eps=order)


def test_some_rows_are_nearer_than_the_largest_distance():
    """Else the step from three labels to two would not be tested."""
    p, table = TABLES[2]
    assert table.local_epsilon().argument == p
    first, _, third = (dict(law) for law in table.rows)
    assert 0 < sum(max(Fraction(0), w - third[m]) for m, w in first.items()) < (p - 1) / (p + 1)


@pytest.mark.parametrize(
    "name", ["clones-every-randomizer", "stronger-clones-every-randomizer", "variation-ratio-repaired"]
)
def test_a_row_is_decided_with_the_kernel(name):
    outcome = check(row(name))
    assert (outcome.verdict, outcome.level) == (xdp.Verdict.PROVED, "kernel")


def test_less_than_the_stronger_clones_is_refuted():
    """For bits and two users the bound is the exact delta: no smaller number holds."""
    flip = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 2)
    number = mean_excess(2, clone_values(Fraction(3), Fraction(1, 4), Fraction(2)))
    for delta, verdict in ((number, xdp.Verdict.PROVED), (number * Fraction(999, 1000), xdp.Verdict.REFUTED)):
        assert xdp.certify(xdp.Claim.shuffle_dp(flip, exp_eps=2, delta=delta)).verdict is verdict


def test_the_pair_of_two_classes_is_the_pair_of_stronger_clones():
    for n, p, order in product((2, 3), (Fraction(2), Fraction(3)), (Fraction(1), Fraction(3, 2))):
        delta = clones(n, p).privacy_profile().delta(exp_eps=order)
        exact = stronger_clones_delta(n, exp_eps0=p, exp_eps=order)
        assert delta.lo <= exact <= delta.hi <= exact * (1 + Fraction(1, 10**6))


@pytest.mark.parametrize(("n", "of_clones"), [(n, of_clones) for n, _, _, of_clones in NUMBERS["instances"]])
def test_the_clones_ask_for_more_by_another_test_than_that_of_the_kernel(n, of_clones):
    claim = xdp.Claim.shuffle_dp(clones(n, Fraction(2)), exp_eps=of_clones, delta=NUMBERS["delta"])
    assert xdp.certify(claim).verdict is xdp.Verdict.REFUTED


def test_how_much_more_the_clones_ask_for_is_computed():
    """The largest whole percentage: one more would not hold."""
    for (_, _, enough, of_clones), more in zip(NUMBERS["instances"], NUMBERS["more"], strict=True):
        low, high = Fraction(enough), Fraction(of_clones)
        assert low ** (100 + more) <= high**100 < low ** (101 + more)
