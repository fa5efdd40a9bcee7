"""Ends of intervals and algebra of reals against Fractions: on the proved side, and no farther than said."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.errors import InvalidValueError, TooLargeError, UndecidedError
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.exact import MAX_RELATIVE_BITS, as_fraction, as_relative_bits
from exactdp.numbers.exact_fraction import ExactFraction
from exactdp.numbers.formats import decimal_text, fraction_text
from exactdp.numbers.interval import Interval
from exactdp.numbers.notebook import fraction_html, fraction_latex, label_text
from exactdp.numbers.real import Real, read_parameter
from exactdp.symbolic.linear_programming import convex_weights
from tests.expensive import one_in
from tests.together import together

SIGNED = st.fractions(-100, 100, max_denominator=10**6)


@together("exponent", [-3000, -700, 700, 3000])
@together("mantissa", [1, -1, 3**40, -(3**40)])
@together("digits", [5, 57, 60])
def test_decimals_of_long_numbers_enclose_them_to_every_digit(exponent, mantissa, digits):
    number = Dyadic.of(mantissa, exponent)
    low, high = (Decimal(number.decimal(digits, up=up)) for up in (False, True))
    value = Fraction(mantissa) * Fraction(2) ** exponent
    assert Fraction(low) < value < Fraction(high)
    assert Fraction(high) - Fraction(low) <= (2 if digits < 60 else 50) * Fraction(10) ** (low.adjusted() - digits + 1)


@one_in(2)
@given(SIGNED, SIGNED, st.integers(1, 80))
def test_an_interval_between_two_numbers_holds_them_and_little_more(first, second, bits):
    lower, upper = sorted((first, second))
    found = Interval.between(lower, upper, bits=bits)
    for end, value in ((found.lo, lower), (found.hi, upper)):
        assert abs(end - value) * 2 ** (bits - 1) <= abs(value)
    assert found.lo <= lower <= upper <= found.hi


def test_ends_in_the_wrong_order_are_refused():
    low, high = Dyadic.of(1), Dyadic.of(2)
    assert Interval(low, high).compare(Fraction(3, 2)) is None
    assert Interval(low, high).compare(1) is None
    with pytest.raises(InvalidValueError, match="is above upper"):
        Interval(high, low)
    for ends in ((low, 2), (1, high)):
        with pytest.raises(TypeError, match="the ends of an Interval are Dyadic numbers"):
            Interval(*ends)


def test_the_largest_accuracy_is_taken_and_the_next_one_is_not():
    assert as_relative_bits(MAX_RELATIVE_BITS) == MAX_RELATIVE_BITS == 2**20
    with pytest.raises(TooLargeError, match="relative_bits=1048577 is more than the limit of 1048576"):
        as_relative_bits(MAX_RELATIVE_BITS + 1)


@pytest.mark.parametrize(("text", "limit"), [("1e3999", None), ("1e4000", "4001 digits"), ("1e00003999", "exponent")])
def test_exponents_have_a_limit(text, limit):
    if limit is None:
        assert as_fraction(text, name="x") == 10**3999
        assert as_fraction("1e+0000003", name="x") == 1000
        return
    with pytest.raises(TooLargeError, match=limit):
        as_fraction(text + ("9" * (limit == "exponent")), name="x")


@pytest.mark.parametrize(
    ("text", "name", "repair"),
    [
        ("exp(1/2)", "exp_eps", "Pass eps=1/2 instead of exp_eps."),
        ("exp(1/2)", "gamma", "Pass a rational number."),
        ("ln(2)", "exp_eps", "Pass a rational number."),
    ],
)
def test_an_irrational_number_is_refused_with_the_repair(text, name, repair):
    with pytest.raises(InvalidValueError) as refused:
        as_fraction(text, name=name)
    assert str(refused.value) == f"{name}='{text}' is irrational where an exact number is needed. {repair}"


def test_ln_needs_a_positive_argument():
    assert read_parameter("ln(2)", name="mu") == Real.log(2)
    for text in ("ln(0)", "ln(-1)"):
        with pytest.raises(InvalidValueError, match="ln needs an argument above 0"):
            read_parameter(text, name="mu")


def value(real):
    return float(enclose_real(real, relative_bits=60))


@together("power", [-3, -1, 0, 1, 2, 5])
@together(
    "base", [Real("3/2"), Real.exp("1/3"), 1 + Real.exp("1/2"), Real("-2/3") * (1 + Real.exp("1/2")), Real.log(5)]
)
def test_powers_and_quotients_of_reals(base, power):
    assert value(base**power) == pytest.approx(value(base) ** power, rel=1e-12)
    assert value(7 / base) == pytest.approx(7 / value(base), rel=1e-12)
    assert value(base / 7) == pytest.approx(value(base) / 7, rel=1e-12)
    assert (base**0).is_rational
    assert base**1 == base
    assert (base / base).coefficient == 1


@one_in(2)
@given(st.lists(st.tuples(*[st.integers(-4, 4).map(Fraction)] * 2), min_size=1, max_size=5), st.data())
def test_mixtures_of_points_on_both_sides_of_zero(points, data):
    parts = data.draw(st.lists(st.integers(0, 5), min_size=len(points), max_size=len(points)).filter(any))
    shares = [Fraction(part, sum(parts)) for part in parts]
    target = [sum(w * p[i] for w, p in zip(shares, points, strict=True)) for i in range(2)]
    weights = convex_weights(target, points)
    assert weights is not None
    assert (sum(weights), min(weights) >= 0) == (1, True)
    assert [sum(w * p[i] for w, p in zip(weights, points, strict=True)) for i in range(2)] == target
    assert convex_weights([Fraction(-5), target[1]], points) is None


def test_fractions_are_written_out_up_to_a_line():
    whole = ExactFraction(10**33 + 1, 10**33)  # its repr has 80 characters
    assert len(repr(Fraction(whole))) == 80
    assert repr(whole) == repr(Fraction(whole))
    longer = ExactFraction(10**34 + 1, 10**33)
    assert len(repr(Fraction(longer))) == 81
    assert repr(longer) != repr(Fraction(longer))
    assert repr(longer).startswith("10.00001 ")


@together("spec", [".0f", ".3f", ".3e", ".2%", ".9g"])
@together("number", [Fraction(1, 3), Fraction(10**40, 7), Fraction(3**600, 7**400), Fraction(7**400, 3)])
def test_a_decimal_is_the_nearest(spec, number):
    shown = format(ExactFraction(number), spec)
    found = Fraction(Decimal(shown.rstrip("%"))) / (100 if "%" in spec else 1)
    kind, digits = spec[-1], int(spec[1])
    if kind in "f%":
        unit = Fraction(1, 10 ** (digits + 2 * (kind == "%")))
    else:
        leading = Decimal(decimal_text(number, 30, up=True)).adjusted()
        unit = Fraction(10) ** (leading - digits + (kind == "g"))
    assert abs(found - number) <= unit / 2


def test_twelve_digits_are_short_and_more_are_counted():
    short, long = Fraction(10**12 - 1, 17), Fraction(10**12, 17)
    assert fraction_html(short) == str(short)
    assert fraction_latex(-short) == rf"-\frac{{{10**12 - 1}}}{{17}}"
    assert fraction_html(long).endswith("(13/2 digits)")
    assert fraction_html(1 / long).endswith("(2/13 digits)")
    assert fraction_latex(long).endswith(r"\text{(13/2 digits)}")


def test_digits_are_counted_up_to_a_limit_and_estimated_beyond():
    counted, estimated = Fraction(2**200_000 - 1), Fraction(2**200_000)
    assert "about" not in fraction_html(counted)
    assert fraction_html(estimated).endswith("(about 60206 digits)")
    assert fraction_text(1 / estimated).startswith("(about 1/60206 digits")


def test_twelve_entries_of_a_label_are_listed_and_more_are_counted():
    assert label_text(tuple(range(12))) == repr(tuple(range(12)))
    assert label_text(tuple(range(13))) == "(" + "".join(f"{i}, " for i in range(12)) + "... 13 entries)"


def interval(low, high):
    return Interval(Dyadic.of(low), Dyadic.of(high))


@pytest.mark.parametrize(
    ("first", "second", "order"),
    [
        ((4, 6), (1, 3), 1),
        ((4, 6), (1, 4), None),
        ((4, 6), (1, 9), None),
        ((4, 6), (5, 5), None),
        ((4, 6), (4, 6), None),
        ((4, 4), (4, 4), 0),
        ((4, 4), (4, 5), None),
        ((4, 4), (3, 4), None),
        ((4, 4), (3, 3), 1),
    ],
)
def test_the_order_of_two_intervals_is_what_their_ends_prove(first, second, order):
    first, second = interval(*first), interval(*second)
    assert first.compare(second) == order
    assert second.compare(first) == (None if order is None else -order)


@pytest.mark.parametrize(
    ("first", "second", "at_most", "below"),
    [
        ((1, 3), (4, 6), True, True),
        ((1, 4), (4, 6), True, None),
        ((1, 5), (4, 6), None, None),
        ((4, 6), (1, 4), None, False),
        ((4, 6), (1, 3), False, False),
        ((4, 4), (4, 4), True, False),
    ],
)
def test_comparisons_are_answered_where_they_are_proved(first, second, at_most, below):
    first, second = interval(*first), interval(*second)
    for compare, answer in ((Interval.__le__, at_most), (Interval.__lt__, below)):
        if answer is None:
            with pytest.raises(UndecidedError):
                compare(first, second)
        else:
            assert compare(first, second) is answer
    for compare, answer in ((Interval.__gt__, at_most), (Interval.__ge__, below)):
        if answer is None:
            with pytest.raises(UndecidedError):
                compare(first, second)
        else:
            assert compare(first, second) is not answer


@pytest.mark.parametrize("first", [(1, 2), (1, 5), (4, 5)])
@pytest.mark.parametrize("second", [(0, 3), (2, 4), (1, 5)])
def test_the_larger_of_two_numbers_is_at_least_both_ends(first, second):
    largest = Interval.maximum(interval(*first), interval(*second))
    assert (largest.lo, largest.hi) == (max(first[0], second[0]), max(first[1], second[1]))


@pytest.mark.parametrize("real", [Real("3/2"), Real.exp("1/3"), 1 + Real.exp("1/2"), Real.log(5)])
def test_nothing_is_added_by_zero(real):
    assert Real(0) + real == real == real + Real(0) == real + 0 == 0 + real
    assert (real - real).coefficient == 0


def test_a_decimal_without_a_precision_has_the_digits_that_were_taken():
    assert format(ExactFraction(1, 3), "e") == f"3.{'3' * 25}e-1"


def test_zero_times_anything_is_zero():
    assert Real(0) * (1 + Real.exp("1/2")) == Real(0) == Real.log(5) * 0
    assert (Real(0) * Real.log(5)).is_rational
