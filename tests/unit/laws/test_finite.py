"""Finite laws are exact, ordered and equal by their probabilities."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import Law
from exactdp.errors import ExactDPError, InvalidLawError, InvalidValueError
from exactdp.testing import exact_laws
from tests.expensive import one_in


@one_in(2)
@given(exact_laws())
def test_probabilities(law):
    assert sum(p for _, p in law.items()) == 1
    assert all(p > 0 for _, p in law.items())
    assert list(law) == list(law.support) == sorted(law)
    assert len(law) == len(law.support)
    assert law.prob("elsewhere") == 0
    assert Law(dict(law.items())) == law
    assert law.mean() == sum(t * p for t, p in law.items())


@one_in(2)
@given(exact_laws(st.tuples(st.integers(0, 3), st.integers(0, 3))))
def test_vector_outcomes(law):
    assert list(law) == sorted(law)
    assert law.mean() == tuple(sum(v[i] * p for v, p in law.items()) for i in range(2))


@one_in(2)
@given(exact_laws(st.text(max_size=2)))
def test_other_outcomes_keep_their_order(law):
    assert Law(dict(reversed(list(law.items())))) == law
    assert hash(Law(dict(reversed(list(law.items()))))) == hash(law)


@one_in(2)
@given(exact_laws(), st.integers(1, 50))
def test_equality_does_not_see_the_common_denominator(law, factor):
    same = Law.from_weights({t: w * factor for t, w in law.weights.items()}, law.total * factor)
    assert same == law
    assert hash(same) == hash(law)
    assert law != dict(law.items())


def test_zero_probabilities_are_dropped():
    law = Law({"a": 0, "b": 1})
    assert law.support == ("b",)
    assert law == Law({"b": 1})


@pytest.mark.parametrize("table", [{}, {0: "1/2"}, {0: "1/2", 1: "2/3"}, {0: "3/2", 1: "-1/2"}, {0: 0}])
def test_no_law(table):
    with pytest.raises(InvalidLawError):
        Law(table)


@pytest.mark.parametrize("table", [{0: 0.5, 1: 0.5}, {0: True}, {0: None}])
def test_no_exact_law(table):
    with pytest.raises(TypeError):
        Law(table)


def test_a_law_cannot_be_changed():
    law = Law({0: 1})
    with pytest.raises(TypeError):
        law.weights[0] = 2
    with pytest.raises(AttributeError):
        law.total = 5


@pytest.mark.parametrize("outcome", ["a", 0.5, float("nan"), float("inf"), None, ("a",), (0.5,)])
def test_the_mean_of_what_is_not_an_exact_number_is_refused(outcome):
    with pytest.raises(ExactDPError):
        Law({outcome: 1}).mean()


def test_the_mean_of_decimals_is_exact_or_refused():
    long = Decimal("1.23456789012345678901234567890123456")
    try:
        mean = Law({long: "1/3", Decimal(0): "2/3"}).mean()
    except InvalidValueError:
        return
    assert mean == Fraction(long) / 3


def test_the_mean_of_tuples_of_different_lengths_is_refused():
    with pytest.raises(InvalidValueError):
        Law({(1,): "1/2", (1, 2): "1/2"}).mean()


def test_the_mean_of_long_texts_is_refused_quickly():
    with pytest.raises(InvalidValueError):
        Law({"a": Fraction(1, 10**15), "b": 1 - Fraction(1, 10**15)}).mean()


@pytest.mark.parametrize("table", [[("a", 1)], None, "ab"])
def test_a_table_that_is_no_mapping_is_refused(table):
    with pytest.raises(ExactDPError):
        Law(table)


@pytest.mark.parametrize(("weights", "total"), [({}, 0), ({0: 1}, 0), ({0: -1}, -1), ({0: 0}, 0)])
def test_weights_that_are_no_law(weights, total):
    with pytest.raises(InvalidLawError):
        Law.from_weights(weights, total)


def test_a_long_probability_is_not_printed_whole():
    law = Law({0: Fraction(1, 10**5000), 1: 1 - Fraction(1, 10**5000)})
    assert len(repr(law)) < 200
    with pytest.raises(InvalidLawError) as refused:
        Law({0: Fraction(1, 10**5000)})
    assert len(str(refused.value)) < 200
