"""Where numbers begin to be cut, and that nothing cut is on the wrong side."""

from decimal import Decimal
from fractions import Fraction

import pytest

from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.formats import about, decimal_text, short
from exactdp.numbers.notebook import label_latex


def test_integers_of_24_digits_are_whole_and_longer_ones_cut():
    assert short(10**24 - 1) == "9" * 24
    assert short(10**24) == "100000000000...(25 digits)"
    assert short(-(10**24)) == "-100000000000...(25 digits)"


def test_labels_of_12_digits_are_numbers_and_longer_ones_text():
    assert label_latex(10**12 - 1) == "9" * 12
    assert label_latex(1 - 10**12) == f"-{'9' * 12}"
    assert label_latex(10**12) == r"\text{1000000000000}"
    assert label_latex(2 * 10**12) == r"\text{2000000000000}"


@pytest.mark.parametrize("digits", [1, 7, 17])
def test_a_long_fraction_is_rounded_up_by_less_than_its_last_digit(digits):
    for i in range(1, 60):
        value = Fraction(i, 60) + Fraction(1, 3**9000)
        shown = Fraction(Decimal(decimal_text(value, digits, up=True)))
        assert value <= shown
        last = Fraction(10) ** (Decimal(decimal_text(value, digits, up=True)).adjusted() - digits + 1)
        assert shown - last < value


@pytest.mark.parametrize("exponent", [9 * 10**18, 10**19, 3 * 10**18])
@pytest.mark.parametrize("sign", [1, -1])
def test_powers_beyond_the_decimal_module_are_shown(exponent, sign):
    """2^e is 10^(e log10 2), and no decimal number of the standard library reaches these exponents."""
    shown = [Dyadic.of(1, sign * exponent).decimal(12, up=up) for up in (False, True)]
    order = exponent * 301029995663981195213738894724493026 // 10**36
    for text in shown:
        assert abs(int(text.split("e")[1])) in (order, order + 1)


def test_counts_of_more_than_12_digits_are_rounded():
    assert about(10**12 - 1) == "9" * 12
    assert about(10**12) == about(10**12 + 1) == "about 1e12"
    assert about(116 * 10**10) == "about 1.2e12"
    assert about(994 * 10**17) == "about 9.9e19"
    assert about(996 * 10**17) == "about 1e20"
    assert about(-3 * 10**24) == "about -3e24"


def test_words_of_60_characters_are_whole_and_longer_ones_cut():
    assert short("x" * 60) == "x" * 60
    assert short("x" * 61) == f"{'x' * 40}...(61 characters)"
