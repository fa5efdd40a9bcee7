"""Numbers are read exactly, once, or refused."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.errors import ExactDPError, InexactNumberError
from exactdp.numbers.exact import as_fraction, as_integer, as_probability, coprime_fraction
from exactdp.numbers.formats import decimal_digits, short
from tests.expensive import one_in
from tests.together import together


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1/4", Fraction(1, 4)),
        ("0.25", Fraction(1, 4)),
        ("25e-2", Fraction(1, 4)),
        ("+.25", Fraction(1, 4)),
        ("-2.", Fraction(-2)),
        ("2E3", Fraction(2000)),
        ("2/4", Fraction(1, 2)),
        ("-0", Fraction(0)),
        ("007", Fraction(7)),
        ("0.1", Fraction(1, 10)),
    ],
)
def test_text(text, value):
    assert as_fraction(text, name="x") == value


@one_in(2)
@given(st.fractions())
def test_every_fraction_has_its_text(value):
    assert as_fraction(value, name="x") == as_fraction(str(value), name="x") == value


@one_in(2)
@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20))
def test_every_decimal_is_exact(value):
    assert as_fraction(value, name="x") == Fraction(value)


NO_NUMBERS = [
    "1__000",
    "_1",
    "1_",
    "1_/2",
    "1._5",
    "1_e3",
    "١",
    "½",
    "1/",
    "/2",
    "1/-2",
    "1//2",
    "1/2/3",
    "0x10",
    "1e",
    "e5",
    ".",
    "nan",
    "inf",
    "1/0",
    "--1",
    "1e1.5",
    "1/2e3",
]


@together("text", ["", " 1", "1 ", "1\n", *NO_NUMBERS])
def test_text_that_is_no_number(text):
    with pytest.raises(ValueError, match="x="):
        as_fraction(text, name="x")


@pytest.mark.parametrize("value", [0.5, True, False, float("nan"), float("inf"), None, 1j, b"1", [1], object()])
def test_objects_that_are_no_exact_numbers(value):
    with pytest.raises(InexactNumberError):
        as_fraction(value, name="x")


@pytest.mark.parametrize("value", [Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), Decimal("-Infinity")])
def test_decimals_that_are_not_finite(value):
    with pytest.raises(ValueError, match="not finite"):
        as_fraction(value, name="x")


TOO_LONG = ["1" * 4001, "1e4000", "1e-4001", "1/" + "3" * 4001, "1e99999999", "1e999999999999", Decimal("1e5000")]


@pytest.mark.parametrize("value", TOO_LONG)
def test_too_many_digits(value):
    with pytest.raises(OverflowError, match="x"):
        as_fraction(value, name="x")


def test_the_longest_numbers_that_are_read():
    assert as_fraction("9" * 4000, name="x") == 10**4000 - 1
    assert as_fraction("1e-4000", name="x").denominator == 10**4000


def test_a_very_long_number_is_refused_quickly_and_shortly():
    with pytest.raises(OverflowError) as refused:
        as_fraction(1 << (2**28 + 1), name="x")
    assert len(str(refused.value)) < 200


@given(st.integers())
def test_integers(value):
    assert as_integer(value, name="n") == as_integer(str(value), name="n") == as_integer(Fraction(value), name="n")


@pytest.mark.parametrize("value", ["1/2", Fraction(5, 2), "0.5"])
def test_not_an_integer(value):
    with pytest.raises(ValueError, match="is not an integer"):
        as_integer(value, name="n")


@one_in(2)
@given(st.fractions())
def test_probabilities(value):
    if 0 <= value <= 1:
        assert as_probability(value, name="p") == value
    else:
        with pytest.raises(ExactDPError):
            as_probability(value, name="p")


@given(st.integers(-(10**60), 10**60))
def test_decimal_digits(value):
    assert decimal_digits(value) == len(str(abs(value)))


@pytest.mark.parametrize("power", [1, 2, 12, 24, 100, 999, 1000, 4299])
def test_decimal_digits_around_powers_of_ten(power):
    assert [decimal_digits(10**power + d) for d in (-1, 0, 1)] == [power, power + 1, power + 1]


@one_in(2)
@given(st.fractions())
def test_short_numbers_are_shown_whole(value):
    if max(abs(value.numerator), value.denominator) < 10**24:
        assert short(value) == str(value)


def test_long_numbers_are_cut():
    assert short(Fraction(10**5000 + 1, 3)) == "100000000000...(5001 digits)/3"
    assert short(-(10**30)) == "-100000000000...(31 digits)"
    assert short("a" * 100) == "a" * 40 + "...(100 characters)"


def test_coprime_fraction_is_an_ordinary_fraction():
    value = coprime_fraction(3, 7)
    assert value == Fraction(3, 7)
    assert hash(value) == hash(Fraction(3, 7))
    assert value + 1 == Fraction(10, 7)
