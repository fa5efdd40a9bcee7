"""Exact fractions: what they show, and that everything else is a Fraction's."""

import copy
import pickle
from fractions import Fraction
from operator import add, floordiv, mod, mul, sub, truediv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.errors import FloatUnderflowWarning, TooLargeError
from exactdp.numbers.exact_fraction import ExactFraction, exact_answer
from tests.expensive import one_in

LONG = ExactFraction.of(Fraction(3**60000, 7**40000))
TINY = ExactFraction.of(Fraction(1, 3**60000))

fractions = st.fractions(max_denominator=10**40) | st.builds(
    lambda n, d: Fraction(n, 3**d), st.integers(-(10**30), 10**30), st.integers(0, 300)
)


@one_in(2)
@given(fractions, st.fractions(max_denominator=100).filter(bool))
def test_equality_hash_order_and_arithmetic_are_those_of_a_fraction(value, other):
    exact = exact_answer(value)
    assert type(exact) is ExactFraction
    assert exact == value
    assert hash(exact) == hash(value)
    assert {value: 1}[exact] == 1
    assert (exact < other) == (value < other)
    assert (exact == other) == (value == other)
    for operation in (add, sub, mul, truediv, floordiv, mod):
        for result in (operation(exact, other), operation(exact, exact_answer(other))):
            assert result == operation(value, other)
            assert type(result) is type(operation(value, other))
    assert all(type(result) is Fraction for result in (-exact, +exact, abs(exact), exact**2, round(exact, 3)))


@one_in(2)
@given(fractions)
def test_pickles_and_copies_are_equal_and_of_the_same_type(value):
    exact = exact_answer(value)
    for other in (pickle.loads(pickle.dumps(exact)), copy.copy(exact), copy.deepcopy(exact)):
        assert other == exact
        assert type(other) is ExactFraction
        assert (other.numerator, other.denominator) == (value.numerator, value.denominator)


@one_in(2)
@given(fractions)
def test_text_is_at_most_a_line_and_a_fraction_where_that_fits(value):
    exact = exact_answer(value)
    for text in (repr(exact), str(exact), f"{exact}"):
        assert len(text) <= 80
        assert "\n" not in text
    if len(repr(value)) <= 80:
        assert repr(exact) == repr(value)
        assert str(exact) == str(value) == f"{exact}"
    else:
        digits = f"({len(str(abs(value.numerator)))}/{len(str(value.denominator))} digits)"
        assert str(exact).endswith(digits)
        shown = Fraction(str(exact).split()[0])
        assert 0 <= shown - value <= abs(value) / 10**6


@pytest.mark.parametrize("value", [LONG, TINY, exact_answer(-TINY), exact_answer(Fraction(10**5000))])
def test_what_python_cannot_write_out_has_a_text(value):
    with pytest.raises(ValueError, match="4300 digits"):
        str(Fraction(value))
    for text in (repr(value), str(value), f"{value}", f"{value:.3e}", f"{value:>70}"):
        assert 0 < len(text) <= 80
    assert "digits)" in str(value)


def test_formats():
    third, long = exact_answer(Fraction(1, 3)), exact_answer(Fraction(3**600, 7**400))
    assert [f"{third:.3f}", f"{third:+.2%}", f"{third:>6}", f"{third:*^7}"] == ["0.333", "+33.33%", "   1/3", "**1/3**"]
    assert [f"{long:.3e}", f"{long:.4f}", f"{long:<40}|"] == ["1.712e-52", "0.0000", f"{long!s:<40}|"]
    for digits in (5, 12, 15, 19, 20, 21, 60):  # also more than are taken from the leading bits
        assert abs(Fraction(f"{long:.{digits}e}") - long) <= long / 10**digits
    with pytest.raises(ValueError, match=r"Invalid format specifier 'x' for a Fraction\. Write"):
        f"{third:x}"


def test_floats_are_the_nearest_and_say_when_they_underflow():
    assert float(exact_answer(Fraction(1, 3))) == 1 / 3
    assert float(exact_answer(Fraction(0))) == 0.0
    with pytest.warns(
        FloatUnderflowWarning, match=r"^5\.3\S+e-28628 \(1/28628 digits\) is below every float, and float"
    ):
        assert float(TINY) == 0.0
    with pytest.raises(TooLargeError, match=r"is above every float\. Keep the Fraction, or print it"):
        float(exact_answer(1 / TINY))


def test_everything_else_is_returned_as_it_is():
    assert exact_answer(None) is None
    assert exact_answer("1/4") == "1/4"
    assert type(exact_answer(3)) is int
