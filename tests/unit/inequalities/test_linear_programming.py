"""Convex combinations, exactly, against a float solver and by construction."""

from fractions import Fraction

import numpy
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from exactdp.inequalities.linear_programming import convex_weights

POINTS = st.integers(1, 4).flatmap(
    lambda d: st.lists(st.lists(st.integers(0, 4).map(Fraction), min_size=d, max_size=d), min_size=1, max_size=6)
)


def combination(weights, points):
    return [sum((w * p[i] for w, p in zip(weights, points, strict=True)), Fraction(0)) for i in range(len(points[0]))]


@given(POINTS, st.data())
def test_a_mixture_is_found(points, data):
    parts = data.draw(st.lists(st.integers(0, 5), min_size=len(points), max_size=len(points)).filter(any))
    target = combination([Fraction(part, sum(parts)) for part in parts], points)
    weights = convex_weights(target, points)
    assert weights is not None
    assert sum(weights) == 1
    assert min(weights) >= 0
    assert combination(weights, points) == target


@given(POINTS, st.data())
@settings(max_examples=60)
def test_against_a_float_solver(points, data):
    size = len(points[0])
    target = [Fraction(x) for x in data.draw(st.lists(st.integers(0, 4), min_size=size, max_size=size))]
    weights = convex_weights(target, points)
    matrix = numpy.array([[float(p[i]) for p in points] for i in range(size)] + [[1.0] * len(points)])
    solved = linprog(numpy.zeros(len(points)), A_eq=matrix, b_eq=[*map(float, target), 1.0], method="highs")
    assert (weights is not None) == (solved.status == 0)
    if weights is not None:
        assert combination(weights, points) == target
        assert sum(weights) == 1
        assert min(weights) >= 0


def test_degenerate_points_end():
    """Many equal points and zero rows: Bland's rule does not cycle."""
    points = [[Fraction(0)] * 5] * 10 + [[Fraction(1)] * 5] * 10
    assert convex_weights([Fraction(1, 3)] * 5, points) is not None
    assert convex_weights([Fraction(1, 3)] * 4 + [Fraction(1, 2)], points) is None
