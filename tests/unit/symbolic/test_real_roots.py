"""Roots and signs, against polynomials that are products of factors with known roots."""

import itertools
from fractions import Fraction
from math import isqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.errors import UndecidedError
from exactdp.symbolic.box import Interval
from exactdp.symbolic.real_roots import (
    RealRoot,
    ascending,
    between,
    bound_of_roots,
    compare_roots,
    roots_between,
    sign_at,
    sign_at_root,
    square_free,
    trimmed,
)
from exactdp.symbolic.signs_on_boxes import (
    _is_shown,
    bernstein_coefficients,
    failing_place,
    inner_grid,
    place_other_than_0,
)
from exactdp.symbolic.symbolic_deltas import is_at_most
from tests.expensive import one_in

F = Fraction
rationals = st.fractions(min_value=-3, max_value=3, max_denominator=12)


def times(*factors):
    """The product of polynomials, the constant first."""
    result = [1]
    for factor in factors:
        longer = [0] * (len(result) + len(factor) - 1)
        for i, a in enumerate(result):
            for j, b in enumerate(factor):
                longer[i + j] += a * b
        result = longer
    return tuple(result)


def linear(root):
    return (-root.numerator, root.denominator)


def square_root(number):
    """The positive root of x^2 = number, which is no square."""
    return RealRoot((-number, 0, 1), F(isqrt(number)), F(isqrt(number) + 1))


@one_in(3)
@given(st.lists(rationals, min_size=1, max_size=5, unique=True), st.data())
def test_every_root_inside_is_isolated_and_no_other(roots, data):
    powers = [data.draw(st.integers(1, 3)) for _ in roots]
    polynomial = times(
        *(linear(root) for root, power in zip(roots, powers, strict=True) for _ in range(power)), (1, 0, 1)
    )
    found = ascending(roots_between(square_free(trimmed(polynomial)), F(-2), F(5, 2)), F(-2), F(5, 2))
    inside = sorted(root for root in roots if -2 < root < F(5, 2))
    assert len(found) == len(inside)
    assert all(one.low <= root <= one.high for one, root in zip(found, inside, strict=True))
    assert all(a.high < b.low for a, b in itertools.pairwise(found))


def test_irrational_roots_close_in_on_their_squares():
    low, high = roots_between((-2, 0, 1), F(-3), F(3))
    for root in (low, high):
        narrow = root.narrowed(F(1, 10**30))
        assert min(narrow.low**2, narrow.high**2) < 2 < max(narrow.low**2, narrow.high**2)
        assert narrow.high - narrow.low <= F(1, 10**30)
    assert (compare_roots(low, high), compare_roots(high, high.narrowed(F(1, 10))), compare_roots(high, low)) == (
        -1,
        0,
        1,
    )


CUBIC = (1, -3, 0, 1)  # x^3 - 3x + 1: about -1.879, 0.347 and 1.532


def test_roots_of_one_polynomial_are_told_apart_however_wide_their_intervals():
    """Between neighbours the signs at the ends of the common part are equal; beyond one root they are not."""
    pair = times((-2, 0, 1), (-3, 0, 1))
    first, second = RealRoot(pair, F(1), F(17, 10)), RealRoot(pair, F(3, 2), F(2))
    assert (compare_roots(first, second), compare_roots(second, first), compare_roots(first, first)) == (-1, 1, 0)
    least, middle, most = roots_between(CUBIC, F(-3), F(3))
    assert [compare_roots(least, other) for other in (least, middle, most)] == [0, -1, -1]
    wide = RealRoot(CUBIC, F(-3), F(0)), RealRoot(CUBIC, F(1), F(3))
    assert (compare_roots(*wide), compare_roots(wide[1], wide[0])) == (-1, 1)
    rational = RealRoot.of(F(1, 2))
    assert rational.polynomial == (-1, 2)
    assert compare_roots(rational, RealRoot((-1, 2), F(1, 2), F(1, 2))) == 0
    assert compare_roots(rational, RealRoot((-1, 0, 2), F(1, 2), F(1))) == -1


def test_every_root_is_nearer_to_0_than_cauchys_bound():
    assert (bound_of_roots((-7, 1, 2)), bound_of_roots((5, -12, 0, -4))) == (F(9, 2), 4)
    assert len(roots_between(CUBIC, -bound_of_roots(CUBIC), bound_of_roots(CUBIC))) == 3


def test_an_order_has_ends_apart_from_each_other_and_from_the_interval():
    wide = [RealRoot((-number, 0, 1), F(0), F(2)) for number in (3, 2, 1)]
    for roots in itertools.permutations([wide[0], wide[1], RealRoot((-5, 0, 2), F(1), F(2))]):
        found = ascending(roots, F(0), F(2))
        assert [root.polynomial for root in found] == [(-2, 0, 1), (-5, 0, 2), (-3, 0, 1)]
        ends = [F(0), *(end for root in found for end in (root.low, root.high)), F(2)]
        assert all(a < b for a, b in itertools.pairwise(ends))
        assert all(sign_at(root.polynomial, root.low) < 0 < sign_at(root.polynomial, root.high) for root in found)


def test_a_root_whose_ends_are_those_of_the_interval_is_narrowed():
    for low, high in ((F(1), F(3)), (F(0), F(2))):
        (root,) = ascending([square_root(2)], low, high)
        assert low < root.low < root.high < high


def test_short_rationals_are_chosen_from_the_middle_third():
    assert (between(F(0), F(1)), between(F(0), F(1, 7)), between(F(1), F(4))) == (F(1, 2), F(1, 11), 2)


def test_an_enclosure_is_as_narrow_as_asked():
    assert RealRoot.of(F(0)).enclose(20).lo == RealRoot.of(F(0)).enclose(20).hi == 0
    small = RealRoot((-1, 0, 10**12 + 1), F(-1), F(0)).enclose(40)  # about -10^-6
    assert small.lo**2 > F(1, 10**12 + 1) > small.hi**2
    assert small.hi - small.lo < -small.hi / 2**39


def test_a_root_as_wide_as_asked_is_not_narrowed_and_a_rational_one_is_found_by_halving():
    assert square_root(2).narrowed(F(1)) == square_root(2)
    assert square_root(2).halved() == RealRoot((-2, 0, 1), F(1), F(3, 2))
    assert RealRoot((-1, 0, 4), F(0), F(1)).halved() == RealRoot((-1, 0, 4), F(1, 2), F(1, 2))
    assert RealRoot.of(F(1, 3)).halved() == RealRoot.of(F(1, 3))


@pytest.mark.parametrize(
    ("given", "simple"),
    [
        (times((-2, 0, 1), (-2, 0, 1), (-1, 1)), times((-2, 0, 1), (-1, 1))),
        (times((-3, 1, 2), (-3, 1, 2), (-3, 1, 2)), (-3, 1, 2)),
        ((1, 3, -2), (1, 3, -2)),
        ((3,), (1,)),
        ((), ()),
    ],
)
def test_a_square_free_polynomial_has_each_root_once(given, simple):
    assert square_free(given) in (simple, tuple(-c for c in simple))


@pytest.mark.parametrize(
    ("end", "point", "is_at"),
    [
        (square_root(2), "7/5", True),
        (square_root(2), "3/2", False),
        (square_root(2), "1", True),
        (square_root(2), "2", False),
        (RealRoot((2, 0, -1), F(1), F(2)), "7/5", True),
        (RealRoot((2, 0, -1), F(1), F(2)), "3/2", False),
        (RealRoot.of(F(1, 2)), "1/2", True),
        (F(1, 2), "1/2", True),
        (F(1, 2), "2/3", False),
    ],
)
def test_a_point_is_at_most_an_end(end, point, is_at):
    assert is_at_most(F(point), end) == is_at


def test_roots_that_are_close_are_told_apart():
    first, second = square_root(2), RealRoot((-20000000000000001, 0, 10**16), F(1), F(2))
    assert compare_roots(first, second) == -1
    assert [one.polynomial for one in ascending([second, first], F(0), F(3))] == [first.polynomial, second.polynomial]


def test_the_sign_of_a_polynomial_at_an_irrational_root():
    root = square_root(2)
    assert sign_at_root(times((-2, 0, 1), (1, 1)), root) == 0
    assert sign_at_root((-3, 0, 1), root) == -1
    assert sign_at_root((-19999999999999999, 0, 10**16), root) == 1
    assert sign_at_root((), root) == 0
    whole = RealRoot(times((-2, 0, 1), (-1, 1)), F(5, 4), F(3, 2))  # of a product, whose other root is not this one
    assert sign_at_root((-1, 1), whole) == 1
    assert sign_at_root(times((-2, 0, 1), (-1, 1)), whole) == 0
    assert sign_at_root(times((-1, 1), (-3, 2)), whole) == -1
    assert sign_at_root((-1, 2), RealRoot.of(F(1, 2))) == 0


@one_in(3)
@given(st.lists(rationals, max_size=4), st.sampled_from([1, -1]), st.booleans(), st.booleans(), st.booleans())
def test_a_polynomial_of_one_parameter_is_always_decided(roots, sign, low_closed, high_closed, strict):
    polynomial = times(*map(linear, roots), (sign,))
    side = Interval(F(-1), F(1), low_closed, high_closed)
    found = failing_place({(k,): F(c) for k, c in enumerate(polynomial) if c}, (side,), strict=strict)
    cuts = sorted({F(-1), F(1), *(root for root in roots if -1 < root < 1)})
    places = [*cuts, *((a + b) / 2 for a, b in itertools.pairwise(cuts))]
    fails = [at for at in places if side.contains(at) and sign_at(polynomial, at) < (1 if strict else 0)]
    assert (found is None) == (not fails)
    if found is not None:
        assert isinstance(found[0], RealRoot) or (side.contains(found[0]) and sign_at(polynomial, found[0]) < strict)


def test_a_constant_is_decided():
    side = Interval(F(0), F(1))
    assert failing_place({}, (side,)) is None
    assert failing_place({(0,): F(1)}, (side,), strict=True) is None
    for fails, strict in (({}, True), ({(0,): F(-1)}, False)):
        (at,) = failing_place(fails, (side,), strict=strict)
        assert 0 < at < 1


@pytest.mark.parametrize(
    ("low_closed", "high_closed", "strict", "place"),
    [(True, True, True, F(0)), (False, True, True, F(1)), (False, False, True, None), (True, True, False, None)],
)
def test_a_polynomial_that_is_0_at_the_ends_alone(low_closed, high_closed, strict, place):
    found = failing_place({(1,): F(1), (2,): F(-1)}, (Interval(F(0), F(1), low_closed, high_closed),), strict=strict)
    assert found == (None if place is None else (place,))


def test_bernstein_coefficients_are_those_of_the_definition():
    """Of x^2 on [1, 3]: (1, 1 * 3, 3^2); of x(1 - x) on [0, 1]: (0, 1/2, 0); of xy with one more degree in y."""
    assert bernstein_coefficients({(2,): F(1)}, (Interval(F(1), F(3)),)) == {(0,): 1, (1,): 3, (2,): 9}
    unit = Interval(F(0), F(1))
    assert bernstein_coefficients({(1,): F(1), (2,): F(-1)}, (unit,)) == {(0,): 0, (1,): F(1, 2), (2,): 0}
    found = bernstein_coefficients({(1, 1): F(1), (0, 2): F(2)}, (unit, Interval(F(0), F(2))))
    assert found == {(0, 0): 0, (0, 1): 0, (0, 2): 8, (1, 0): 0, (1, 1): 1, (1, 2): 10}


def test_points_inside_a_box():
    box = (Interval(F(1), F(2)), Interval(F(0), F(1, 2)))
    assert list(inner_grid(box, [2, 1])) == [(F(5, 4), F(1, 4)), (F(7, 4), F(1, 4))]
    assert place_other_than_0({(1, 0): F(4), (0, 0): F(-5)}, box) == (F(7, 4), F(1, 4))
    curve = {(1, 1): F(1), (1, 0): F(-1, 8), (0, 1): F(-5, 4), (0, 0): F(5, 32)}  # (x - 5/4)(y - 1/8)
    assert place_other_than_0(curve, box) == (F(7, 4), F(3, 8))


def test_a_double_irrational_root_is_no_refusal_unless_strict():
    polynomial = {(4,): F(1), (2,): F(-4), (0,): F(4)}  # (x^2 - 2)^2
    side = Interval(F(0), F(2))
    assert failing_place(polynomial, (side,)) is None
    (root,) = failing_place(polynomial, (side,), strict=True)
    assert root.polynomial in ((-2, 0, 1), (2, 0, -1))


BOX = (Interval(F(1, 4), F(1)), Interval(F(1, 4), F(1)))


@pytest.mark.parametrize(
    ("constant", "box", "strict", "fails"),
    [
        ("-1/16", BOX, False, False),
        ("-1/16", BOX, True, True),
        ("-1/16", (Interval(F(1, 4), F(1), False), BOX[1]), True, False),
        ("-1/15", BOX, False, True),
    ],
)
def test_a_product_on_a_box(constant, box, strict, fails):
    place = failing_place({(1, 1): F(1), (0, 0): F(constant)}, box, strict=strict)
    assert (place is not None) == fails
    assert place is None or place[0] * place[1] + F(constant) < strict


def test_a_curve_of_zeros_inside_is_undecided():
    square = {(2, 0): F(1), (1, 1): F(-2), (0, 2): F(1)}  # (x - y)^2
    with pytest.raises(UndecidedError, match="touch 0 inside"):
        failing_place(square, (Interval(F(0), F(1)), Interval(F(0), F(1, 3))))


@one_in(3)
@given(st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 2)), rationals, min_size=1), rationals, rationals)
def test_values_lie_between_bernstein_coefficients(polynomial, x, y):
    box = (Interval(F(-3), F(3)), Interval(F(-4), F(5)))
    coefficients = bernstein_coefficients(polynomial, box).values()
    value = sum(c * x ** e[0] * y ** e[1] for e, c in polynomial.items())
    assert min(coefficients) <= value <= max(coefficients)


@pytest.mark.parametrize("low_closed", [True, False])
def test_a_strict_sign_needs_a_coefficient_above_0_on_each_face_that_belongs_to_the_box(low_closed):
    """x y is above 0 on (0, 1]^2, and 0 on the faces at 0."""
    product_of_both = {(0, 0): F(0), (0, 1): F(0), (1, 0): F(0), (1, 1): F(1)}
    assert _is_shown(product_of_both, [Interval(F(0), F(1), low_closed)] * 2, strict=True) is not low_closed
    assert _is_shown(product_of_both, [Interval(F(0), F(1), low_closed)] * 2, strict=False)
