"""Sensitivities of queries: against all data sets of all users in every order, and the examples of the notes."""

from fractions import Fraction
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp import Neighbors, sensitivity
from exactdp.errors import InexactNumberError, InvalidValueError, TooLargeError

REPLACE, REMOVE = Neighbors.REPLACE_ONE, Neighbors.ADD_OR_REMOVE_ONE


def distance(first, second, norm):
    first, second = ((x if isinstance(x, tuple) else (x,)) for x in (first, second))
    changes = [abs(Fraction(a) - Fraction(b)) for a, b in zip(first, second, strict=True)]
    return sum(changes) if norm == "l1" else max(changes, default=0)


def by_all_orders(query, domain, n, neighbors, norm):
    """The definition: every user of every ordered data set, whose record is replaced or removed."""
    largest = Fraction(0)
    for records in product(domain, repeat=n):
        for user in range(n):
            others = records[:user] + records[user + 1 :]
            changed = [others] if neighbors is REMOVE else [(*others, record) for record in domain]
            answer = query(sorted_as(records, domain))
            for data_set in changed:
                largest = max(largest, distance(answer, query(sorted_as(data_set, domain)), norm))
    return largest


def sorted_as(records, domain):
    return tuple(sorted(records, key=list(domain).index))


@settings(max_examples=40)
@given(
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(0, 3),
    st.sampled_from([REPLACE, REMOVE]),
    st.sampled_from(["l1", "linf"]),
    st.integers(0, 2**32),
)
def test_any_table_of_answers(records, n, length, neighbors, norm, seed):
    """A query that is a table: with a pair left out, or one order of users missed, some table tells."""
    domain, numbers, table = ("a", "b", "c")[:records], Random(seed), {}

    def query(records):
        if records not in table:
            table[records] = tuple(Fraction(numbers.randint(-9, 9), numbers.randint(1, 4)) for _ in range(length))
        return table[records]

    answer = sensitivity(query, domain, n, neighbors=neighbors, norm=norm)
    assert answer.value == by_all_orders(query, domain, n, neighbors, norm)
    assert distance(query(answer.first), query(answer.second), norm) == answer.value


@pytest.mark.parametrize(("low", "high"), [(-5, 1), (-3, 5), (0, 1), (2, 7)])
@pytest.mark.parametrize("n", [1, 3])
def test_sums(low, high, n):
    """The notes take the supremum of the values for both kinds of neighbours."""
    domain = range(low, high + 1)
    assert sensitivity(sum, domain, n).value == high - low
    assert sensitivity(sum, domain, n, neighbors=REMOVE).value == max(abs(low), abs(high))


def cells(domain):
    return lambda records: tuple(records.count(record) for record in domain)


def test_histograms():
    """The notes take the largest change of a cell, which is the other norm."""
    histogram = cells("abc")
    assert sensitivity(histogram, "abc", 4).value == 2
    assert sensitivity(histogram, "abc", 4, norm="linf").value == 1
    assert sensitivity(histogram, "abc", 4, neighbors=REMOVE).value == 1


def test_password_lists():
    """How many users have each of the listed passwords, how many have any, and the longest list that none has."""
    passwords, listed = ("123456", "password", "qwerty", "long and rare"), ("123456", "password")
    each = sensitivity(cells(listed), passwords, 3)
    assert each.value == 2
    assert {abs(each.first.count(word) - each.second.count(word)) for word in listed} == {1}
    assert sensitivity(lambda users: sum(password in listed for password in users), passwords, 3).value == 1
    assert sensitivity(lambda users: sum(map(len, set(users))), passwords, 3, neighbors=REMOVE).value == 13


def test_a_mean_and_a_median():
    assert sensitivity(lambda x: Fraction(sum(x), len(x)), range(5), 4).value == 1
    median = sensitivity(lambda x: x[1], (0, 1, 100), 3)
    assert (median.value, sorted(median.first), sorted(median.second)) == (100, [0, 0, 100], [0, 100, 100])


def test_only_one_data_set():
    answer = sensitivity(sum, [7], 3)
    assert (answer.value, answer.first, answer.second) == (0, (), ())
    assert sensitivity(sum, [7], 3, neighbors=REMOVE).value == 7


def test_every_data_set_is_asked_once():
    asked = []
    sensitivity(lambda x: asked.append(x) or 0, "ab", 5)
    assert len(asked) == len(set(asked)) == 6


def test_the_size_is_refused_before_the_query_is_asked():
    def never(records):
        raise AssertionError

    with pytest.raises(
        TooLargeError, match=r"n=1000 users of 5 records make .* the limit of 1000000\. Use fewer users"
    ):
        sensitivity(never, range(5), 1000)
    with pytest.raises(TooLargeError, match="pairs of neighbouring data sets"):
        sensitivity(never, range(10**4), 1)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"query": lambda x: 0.5}, InexactNumberError, r"the answer to \('a', 'a'\)=0.5 is a float"),
        ({"query": lambda x: (1,) * len(set(x))}, InvalidValueError, "with 1 numbers and .* with 2"),
        ({"domain": ""}, InvalidValueError, "the domain is empty"),
        ({"domain": "aba"}, InvalidValueError, "the record 'a' twice"),
        ({"domain": [[1]]}, InvalidValueError, "not hashable"),
        ({"n": 0}, InvalidValueError, "n=0 is below 1"),
        ({"norm": "l2"}, InvalidValueError, 'norm="l1" or norm="linf"'),
        ({"neighbors": "replace-one"}, InvalidValueError, "Pass Neighbors.REPLACE_ONE"),
    ],
)
def test_bad_input_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        sensitivity(**{"query": lambda x: x.count("a"), "domain": "ab", "n": 2} | arguments)
