"""Sums of polynomials times exponentials against mpmath at 200 digits."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.symbolic.sums import ExpTerm, derivative, sign_at, value_at, value_ends
from tests.expensive import one_in

coefficients = st.fractions(-3, 3, max_denominator=7)
polynomials = st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 2)), coefficients, max_size=3)
sums = st.lists(st.builds(ExpTerm, polynomials, polynomials), max_size=3)
points = st.tuples(*[st.fractions(-2, 2, max_denominator=6)] * 2)


def by_mpmath(terms: list[ExpTerm], x: mpmath.mpf, y: mpmath.mpf) -> mpmath.mpf:
    def value(polynomial: dict[tuple[int, int], Fraction]) -> mpmath.mpf:
        return mpmath.fsum(mpmath.mpf(c.numerator) / c.denominator * x**i * y**j for (i, j), c in polynomial.items())

    return mpmath.fsum(value(dict(t.polynomial)) * mpmath.exp(value(dict(t.exponent))) for t in terms)


def number(x: Fraction) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator


@one_in(3)
@given(sums, points)
def test_values_and_signs(terms: list[ExpTerm], point: tuple[Fraction, Fraction]) -> None:
    with mpmath.workdps(200):
        expected = by_mpmath(terms, *map(number, point))
        low, high, largest = value_ends(terms, point, 64)
        slack = mpmath.mpf(10) ** -150
        assert number(low) - slack <= expected <= number(high) + slack
        assert high - low <= len(terms) * largest * Fraction(1, 2**63)
        sign = sign_at(terms, point)
        assert sign == (0 if abs(expected) < slack else mpmath.sign(expected))


@one_in(3)
@given(sums, points, st.integers(0, 1))
def test_derivatives(terms: list[ExpTerm], point: tuple[Fraction, Fraction], variable: int) -> None:
    with mpmath.workdps(60):
        expected = mpmath.diff(lambda x, y: by_mpmath(terms, x, y), tuple(map(number, point)), (1 - variable, variable))
        found = by_mpmath(list(derivative(terms, variable)), *map(number, point))
        assert mpmath.almosteq(expected, found, rel_eps=mpmath.mpf(10) ** -20, abs_eps=mpmath.mpf(10) ** -20)


def test_equal_exponents_cancel_exactly() -> None:
    """x e^x - x e^(2x - 1) is 0 at x = 1 and nowhere else but at 0."""
    x = {(1,): Fraction(1)}
    terms = [ExpTerm(x, x), ExpTerm({(1,): Fraction(-1)}, {(1,): Fraction(2), (0,): Fraction(-1)})]
    assert [sign_at(terms, (Fraction(k, 2),)) for k in range(4)] == [0, 1, 0, -1]
    assert value_ends(terms, (Fraction(1),), 64)[:2] == (0, 0)


def test_a_sign_beyond_the_bits_is_not_guessed() -> None:
    """e^x - 1 - x is about x^2 / 2 for small x."""
    one = {(0,): Fraction(1)}
    terms = [ExpTerm(one, {(1,): Fraction(1)}), ExpTerm({(0,): Fraction(-1), (1,): Fraction(-1)}, {})]
    tiny = (Fraction(1, 2**400),)
    assert sign_at(terms, tiny, max_bits=512) == 0
    assert sign_at(terms, tiny) == 1


def test_a_point_of_another_dimension_is_refused() -> None:
    with pytest.raises(ValueError, match="argument 2"):
        value_at({(1, 1): Fraction(1)}, (Fraction(1),))
