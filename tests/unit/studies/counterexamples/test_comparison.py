"""Bounds beside exact worst cases: the grids are stated, seeded, and catch a bound that is wrong."""

from dataclasses import replace
from fractions import Fraction
from itertools import islice

import pytest

import exactdp as xdp
from exactdp.errors import HypothesisError
from exactdp.studies.counterexamples import comparison
from exactdp.studies.counterexamples.comparison import (
    AT_DELTA,
    AT_EPS,
    Comparison,
    random_case,
    response_case,
    summaries,
)
from exactdp.studies.counterexamples.search import GRIDS

BY_NAME = {grid.name: grid for grid in GRIDS}


def test_cases_are_what_they_say():
    case = response_case(3, 4, Fraction(5))
    assert case.randomizer.table() == xdp.randomized_response(4, gamma="1/2").table()
    assert case.randomizer.local_epsilon().argument == case.exp_eps0
    assert case.levels(4) == [1, 2, 3, 4]


def test_random_tables_are_the_same_for_ever():
    case = random_case(2, 0)
    assert case == random_case(2, 0)
    rows = [[str(p) for p in row.values()] for row in case.randomizer.table().values()]
    assert rows == [["5/18", "5/18", "2/9", "2/9"], ["3/8", "5/16", "1/16", "1/4"]]
    assert case.exp_eps0 == case.randomizer.local_epsilon().argument
    sizes = {(len(c.randomizer.inputs), len(c.randomizer.alphabet)) for c in (random_case(2, i) for i in range(200))}
    assert sizes == {(x, m) for x in (2, 3, 4) for m in (2, 3, 4)}


def test_three_answers_of_a_comparison():
    below = Comparison("b", "l", 2, Fraction(2), Fraction(1, 4), Fraction(1, 3))
    above = Comparison("b", "l", 2, Fraction(2), Fraction(1, 2), Fraction(1, 3))
    unknown = Comparison("b", "l", 2, Fraction(2), xdp.Interval.around(Fraction(1, 3), relative_bits=9), Fraction(1, 3))
    nothing = Comparison("b", "l", 2, Fraction(2), Fraction(1, 2), Fraction(0))
    assert [(c.holds, c.is_below) for c in (below, above, unknown)] == [(False, True), (True, False), (False, False)]
    assert (above.ratio, above.gap, nothing.ratio) == (Fraction(3, 2), Fraction(1, 6), None)
    (summary,) = summaries(GRIDS[0], [below, above, unknown, nothing])
    assert (summary.compared, summary.held, summary.between, summary.below) == (4, 2, 1, 1)
    assert summary.least_ratio == Fraction(3, 4)
    assert summary.first_below is below


@pytest.mark.parametrize("name", ["interior", "thresholds"])
def test_whole_grids_hold(name):
    for summary in summaries(BY_NAME[name], BY_NAME[name].comparisons(False)):
        assert summary.held == summary.compared
        assert summary.least_ratio >= 1


def test_the_worst_data_set_of_the_interior_grid_is_no_end():
    cases = {(each.label, each.exp_eps): each for each in BY_NAME["interior"].comparisons(False)}.values()
    assert len(cases) == 8
    for each in cases:
        assert each.n >= 200
        pair = each.case.profile().worst_pair(exp_eps=each.exp_eps)
        assert min(pair.first.get(0, 0), pair.first.get(1, 0)) > each.n // 20


@pytest.mark.slow
@pytest.mark.parametrize("name", ["responses", "tables", "closed-forms", "noise"])
def test_the_beginning_of_a_long_grid(name):
    compared = list(islice(BY_NAME[name].comparisons(False), 150 if name != "closed-forms" else 20))
    assert all(each.holds or each.bound == "variation-ratio-response" for each in compared)


def test_only_variation_ratio_with_more_than_two_symbols_is_below():
    for k in (2, 3):
        case = response_case(3, k, Fraction(3))
        exact = case.profile().exact_delta(exp_eps=Fraction(5, 2))
        found = {name: bound(case, Fraction(5, 2)) for name, bound in AT_EPS.items() if k == 2 or "sum" not in name}
        below = [name for name, value in found.items() if (value if isinstance(value, Fraction) else value.hi) < exact]
        assert below == ([] if k == 2 else ["variation-ratio-response"])


def test_a_wrong_bound_is_seen_on_the_grid(monkeypatch):
    """The stronger clones with twice the clones are below exact values of binary randomized response."""
    from exactdp.privacy.amplification.variation_ratio import VariationRatio, pair_delta

    def wrong(case, order):
        p = case.exp_eps0
        return pair_delta(case.n, VariationRatio(p, (p - 1) / (p + 1), max(Fraction(1), 3 * p / 4)), order)

    monkeypatch.setitem(comparison.AT_EPS, "stronger-clones", wrong)
    compared = list(islice(BY_NAME["responses"].comparisons(False), 800))
    assert any(each.is_below for each in compared if each.bound == "stronger-clones")


def test_bounds_that_do_not_apply_are_left_out():
    case = random_case(2, 3)
    with pytest.raises(HypothesisError, match="k-ary"):
        AT_EPS["hoeffding-blanket"](case, Fraction(2))
    with pytest.raises(HypothesisError, match="needs bits"):
        AT_DELTA["binary-sum-general"](response_case(1000, 3, Fraction(2)), Fraction(1, 2))
    names = {each.bound for each in islice(BY_NAME["tables"].comparisons(False), 200)}
    assert names == {"clones", "stronger-clones", "hoeffding-blanket-generic", "bennett-blanket-generic"}


def test_grids_are_stated():
    names = ["responses", "tables", "interior", "closed-forms", "noise", "thresholds"]
    names += ["response-sizes", "family-sizes", "any-sizes"]
    assert [grid.name for grid in GRIDS] == names
    assert all(grid.stated != grid.larger for grid in GRIDS)
    assert BY_NAME["tables"].stated.startswith("800 random tables")


@pytest.mark.parametrize("name", ["thresholds", "any-sizes"])
def test_processes_compare_the_same_at_each_point(name: str) -> None:
    grid = replace(BY_NAME[name], points=lambda large: islice(BY_NAME[name].points(large), 2))
    assert list(grid.comparisons(False, jobs=2)) == list(grid.comparisons(False))
