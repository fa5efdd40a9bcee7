"""Convex combinations and largest values, exactly, against a float solver, by construction and by their duals."""

from fractions import Fraction

import numpy
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from exactdp.symbolic.linear_programming import convex_weights, maximum
from tests.expensive import one_in

POINTS = st.integers(1, 4).flatmap(
    lambda d: st.lists(st.lists(st.integers(0, 4).map(Fraction), min_size=d, max_size=d), min_size=1, max_size=6)
)


def combination(weights, points):
    return [sum((w * p[i] for w, p in zip(weights, points, strict=True)), Fraction(0)) for i in range(len(points[0]))]


@one_in(2)
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
@one_in(2)
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


@one_in(2)
@given(st.data())
def test_the_maximum_is_scipys_and_its_prices_prove_it(data):
    columns, size = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))
    entries = st.integers(-3, 5).map(Fraction)
    goal = data.draw(st.lists(entries, min_size=columns, max_size=columns))
    rows = [data.draw(st.lists(entries, min_size=columns, max_size=columns)) for _ in range(size)]
    rows.append([Fraction(1)] * columns)  # bounded
    bounds = [Fraction(data.draw(st.integers(0, 6))) for _ in rows]
    best = maximum(goal, rows, bounds)
    assert all(
        sum(a * x for a, x in zip(row, best.point, strict=True)) <= b for row, b in zip(rows, bounds, strict=True)
    )
    assert sum(g * x for g, x in zip(goal, best.point, strict=True)) == best.value
    assert min(*best.point, *best.prices) >= 0
    assert all(sum(row[j] * y for row, y in zip(rows, best.prices, strict=True)) >= goal[j] for j in range(columns))
    assert sum(b * y for b, y in zip(bounds, best.prices, strict=True)) == best.value
