"""Classes of messages of a pair of inputs, against the bundles one by one."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import Randomizer, randomized_response
from exactdp.errors import InvalidDataSetError, TooLargeError
from exactdp.mechanisms.pair_table import PairTable, every_pair_table, pair_table
from exactdp.testing import exp_epsilons, randomizers
from tests.expensive import one_in


def bundles(randomizer):
    """Input -> bundle -> probability, from the table with labels."""
    laws = {}
    for value, row in randomizer.table().items():
        laws[value] = Counter()
        for sent, p in row.items():
            laws[value][tuple(sorted(sent))] += p
    return laws


def ratio_of(vector):
    return tuple(Fraction(entry) / sum(vector) for entry in vector)


def by_ratio(laws, first, second, others):
    """The classes, found by ratios of exact fractions."""
    totals = {}
    for bundle in {bundle for law in laws.values() for bundle in law}:
        least = min(law[bundle] for law in laws.values())
        vector = (laws[first][bundle], laws[second][bundle], least, *(laws[v][bundle] for v in others))
        if any(vector):
            before = totals.get(ratio_of(vector), (0,) * len(vector))
            totals[ratio_of(vector)] = tuple(a + b for a, b in zip(before, vector, strict=True))
    return sorted(totals.values(), key=ratio_of, reverse=True)


def vectors(table):
    return [(c.first, c.second, c.least, *c.others) for c in table.classes]


@one_in(2)
@given(randomizers(max_inputs=4, max_messages=3, max_sends=3, max_outcomes=6), st.data())
def test_the_classes_are_those_of_the_bundles(randomizer, data):
    first, second = (data.draw(st.sampled_from(randomizer.inputs)) for _ in range(2))
    laws = bundles(randomizer)
    table = pair_table(randomizer, first, second)
    assert vectors(table) == by_ratio(laws, first, second, table.others)
    named = data.draw(st.lists(st.sampled_from(randomizer.inputs), unique=True))
    fewer = pair_table(randomizer, first, second, others=named)
    assert vectors(fewer) == by_ratio(laws, first, second, named)
    assert (fewer.first, fewer.second, fewer.others) == (first, second, tuple(named))


@one_in(2)
@given(randomizers(max_inputs=4))
def test_every_row_is_a_law_and_every_input_is_named_once(randomizer):
    laws = bundles(randomizer)
    for table in every_pair_table(randomizer):
        for column in zip(*((c.first, c.second, *c.others) for c in table.classes), strict=True):
            assert sum(column) == 1
        assert all(0 <= c.least <= min(c.first, c.second, *c.others) for c in table.classes)
        assert table.others[:2] == (table.first, table.second)
        assert len(table.others) == len({tuple(sorted(laws[v].items())) for v in table.others})
        assert all(any(laws[v] == laws[w] for w in table.others) for v in laws)


@one_in(2)
@given(randomizers(max_inputs=4))
def test_every_ordered_pair_of_different_rows_is_yielded_once(randomizer):
    laws = bundles(randomizer)
    pairs = [(table.first, table.second) for table in every_pair_table(randomizer)]
    assert (
        len(pairs)
        == len(set(pairs))
        == len(distinct := {tuple(sorted(w.items())) for w in laws.values()}) * (len(distinct) - 1)
    )
    assert all(table == pair_table(randomizer, table.first, table.second) for table in every_pair_table(randomizer))


@one_in(2)
@given(randomizers(max_inputs=4))
def test_swapping_and_leaving_out(randomizer):
    for table in every_pair_table(randomizer):
        there, back = (table.first, table.second), (table.second, table.first)
        assert table.swapped() == pair_table(randomizer, *back, others=table.others)
        assert table.swapped().swapped() == table
        for named in ((), table.others[:1], table.others[::-1]):
            assert table.among(named) == pair_table(randomizer, *there, others=named)


@one_in(2)
@given(randomizers(min_inputs=2, max_inputs=3, full_support=True), exp_epsilons())
def test_classes_keep_what_a_pair_of_bundles_says(randomizer, exp_eps):
    """n = 1: the divergence of the bundles is that of the classes."""
    laws = bundles(randomizer)
    for table in every_pair_table(randomizer, others=()):
        whole = sum(max(Fraction(0), c.first - exp_eps * c.second) for c in table.classes)
        first, second = laws[table.first], laws[table.second]
        assert whole == sum(max(Fraction(0), first[m] - exp_eps * second[m]) for m in {*first, *second})


def test_two_orders_of_a_bundle_are_one_message():
    ordered = Randomizer({0: {("a", "b"): "1/4", ("b", "a"): "3/4"}, 1: {("b", "a"): "1/2", (): "1/2"}})
    half = Fraction(1, 2)
    assert vectors(pair_table(ordered, 0, 1, others=())) == [(1, half, half), (0, half, 0)]


def test_the_least_is_over_all_rows_and_not_only_those_named():
    silent = Randomizer({0: {(0,): "2/3", (1,): "1/3"}, 1: {(0,): "1/3", (1,): "2/3"}, 2: {(2,): 1}})
    assert [c.least for c in pair_table(silent, 0, 1, others=(0, 1)).classes] == [0, 0]


def test_different_ratios_stay_apart_where_likelihood_ratios_agree():
    """P/Q is 2 on both messages, and c is not in proportion."""
    third = Randomizer(
        {
            0: {(0,): "1/3", (1,): "1/3", (2,): "1/3"},
            1: {(0,): "1/6", (1,): "1/6", (2,): "2/3"},
            2: {(0,): "1/12", (1,): "1/6", (2,): "3/4"},
        }
    )
    assert len(pair_table(third, 0, 1, others=()).classes) == 3


def test_refusals():
    with pytest.raises(InvalidDataSetError, match="5 is no input of the randomizer"):
        pair_table(randomized_response(3, gamma="1/2"), 0, 5)
    primes = [Fraction(1, 2**4001 + 2 * k + 1) for k in range(80)]
    rows = {x: {**{(m,): p for m, p in enumerate(primes)}, ("rest",): 1 - sum(primes)} for x in (0,)}
    with pytest.raises(TooLargeError, match="common denominator"):
        pair_table(Randomizer(rows), 0, 0)


def test_tables_of_fractions_are_merged():
    third = Fraction(1, 3)
    rows = [(third, third, third), (2 * third, 0, 0), (0, 2 * third, 0), (0, 0, 0)]
    table = PairTable.merged("x", "y", (), [*rows, *rows])
    assert vectors(table) == [(4 * third, 0, 0), (2 * third,) * 3, (0, 4 * third, 0)]
