"""Randomizers as tables."""

from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given

from exactdp import LogRational, Randomizer
from exactdp.errors import ExactDPError, InvalidRandomizerError, TooLargeError
from exactdp.testing import randomizers
from tests.expensive import one_in


@one_in(2)
@given(randomizers())
def test_the_table_comes_back(randomizer):
    table = randomizer.table()
    assert list(table) == list(randomizer.inputs)
    assert all(sum(row.values()) == 1 and min(row.values()) > 0 for row in table.values())
    assert Randomizer(table).table() == table


@one_in(2)
@given(randomizers())
def test_local_epsilon(randomizer):
    table = randomizer.table()
    largest = Fraction(1)
    for row in table.values():
        for other in table.values():
            for send, p in row.items():
                if send not in other:
                    assert randomizer.local_epsilon().is_infinite
                    return
                largest = max(largest, p / other[send])
    assert randomizer.local_epsilon() == LogRational(largest)


@one_in(2)
@given(randomizers(max_sends=3, max_messages=3))
def test_preshuffle(randomizer):
    """Every ordering of a user's own messages with equal probability; doing it twice changes nothing."""
    for value, row in randomizer.table().items():
        expected = {}
        for send, p in row.items():
            orders = list(permutations(send))
            for order in orders:
                expected[order] = expected.get(order, Fraction(0)) + p / len(orders)
        assert randomizer.preshuffle().table()[value] == expected
    once = randomizer.preshuffle()
    assert once.preshuffle().table() == once.table()
    assert once.local_epsilon() <= randomizer.local_epsilon()


def test_any_hashable_labels():
    randomizer = Randomizer({None: {("a", (1, 2)): 1}, (3,): {(): "1/2", (frozenset({1}),): "1/2"}})
    assert randomizer.inputs == (None, (3,))
    assert randomizer.alphabet == ("a", (1, 2), frozenset({1}))


def test_the_alphabet_is_in_order_of_first_appearance():
    assert Randomizer({0: {("b",): "1/2", ("a",): "1/2"}, 1: {("c", "a"): 1}}).alphabet == ("b", "a", "c")


@pytest.mark.parametrize(
    "table",
    [
        {},
        None,
        [],
        {0: {}},
        {0: None},
        {0: [(0,)]},
        {0: {0: 1}},
        {0: {"ab": 1}},
        {0: {(0,): "1/2"}},
        {0: {(0,): "1/2", (1,): "2/3"}},
        {0: {(0,): "-1/2", (1,): "3/2"}},
        {0: {(0,): 1.0}},
        {0: {(0,): True}},
        {0: {(0,): float("nan")}},
        {0: {(0,): "nan"}},
    ],
)
def test_tables_that_are_refused(table):
    with pytest.raises(ExactDPError):
        Randomizer(table)


def test_a_wrong_sum_with_a_very_long_probability_is_one_short_error():
    with pytest.raises(InvalidRandomizerError) as refused:
        Randomizer({"a": {("m",): Fraction(1, 10**5000)}})
    assert len(str(refused.value)) < 300


def test_a_wrong_sum_with_very_long_messages_is_one_short_error():
    with pytest.raises(InvalidRandomizerError) as refused:
        Randomizer({"a": {tuple(range(10**4)): "1/2"}})
    assert len(str(refused.value)) < 1000


def test_too_many_orderings():
    with pytest.raises(TooLargeError):
        Randomizer({0: {tuple(range(9)): 1}}).preshuffle()
    assert len(Randomizer({0: {(0,) * 30: 1}}).preshuffle().rows[0]) == 1


def test_a_randomizer_cannot_be_changed():
    with pytest.raises(AttributeError):
        Randomizer({0: {(): 1}}).rows = ()
