"""Exact linear programs: is a point a convex combination of other points, and what is the largest value of a sum?

The simplex method on Fractions with Bland's rule, which cannot cycle. Its first phase decides which rows of a
randomizer are mixtures of others, so that they can never be worst; its second solves the games of the local model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Maximum:
    """The largest value, a point that attains it, and the price of each bound: a solution of the dual program."""

    value: Fraction
    point: tuple[Fraction, ...]
    prices: tuple[Fraction, ...]


def maximum(goal: Sequence[Fraction], rows: Sequence[Sequence[Fraction]], bounds: Sequence[Fraction]) -> Maximum:
    """Maximise goal * x over x >= 0 with rows * x <= bounds, all bounds at least 0, where it is bounded.

    >>> one, two = Fraction(1), Fraction(2)
    >>> maximum([one, one], [[one, two], [two, one]], [two, two])
    Maximum(value=Fraction(4, 3), point=(Fraction(2, 3), Fraction(2, 3)), prices=(Fraction(1, 3), Fraction(1, 3)))
    """
    columns, size = len(goal), len(rows)
    slacks = [[Fraction(i == j) for j in range(size)] for i in range(size)]
    tableau = [[*row, *slack, bound] for row, slack, bound in zip(rows, slacks, bounds, strict=True)]
    tableau.append([-entry for entry in goal] + [Fraction(0)] * (size + 1))  # the last line: what is still to be gained
    basis = list(range(columns, columns + size))
    while (column := next((j for j, entry in enumerate(tableau[-1][:-1]) if entry < 0), None)) is not None:
        ratios = [(row[-1] / row[column], basis[i], i) for i, row in enumerate(tableau[:-1]) if row[column] > 0]
        line = min(ratios)[2]
        _eliminate(tableau, line, column)
        basis[line] = column
    held = dict(zip(basis, tableau, strict=False))
    point = tuple(held[j][-1] if j in held else Fraction(0) for j in range(columns))
    return Maximum(tableau[-1][-1], point, tuple(tableau[-1][columns:-1]))


def convex_weights(target: Sequence[Fraction], points: Sequence[Sequence[Fraction]]) -> tuple[Fraction, ...] | None:
    """Return weights w >= 0 with sum 1 and sum_i w_i * points[i] = target, or None where there are none.

    >>> convex_weights([Fraction(1, 4)], [[Fraction(0)], [Fraction(1)]])
    (Fraction(3, 4), Fraction(1, 4))
    """
    columns = len(points)
    equations = [[point[i] for point in points] + [target[i]] for i in range(len(target))]
    equations.append([Fraction(1)] * (columns + 1))
    tableau = [row if row[-1] >= 0 else [-entry for entry in row] for row in equations]
    basis: list[int | None] = [None] * len(tableau)  # None stands for the row's own artificial variable
    while (pivot := _entering_and_leaving(tableau, basis, columns)) is not None:
        column, line = pivot
        _eliminate(tableau, line, column)
        basis[line] = column
    if any(row[-1] != 0 for row, variable in zip(tableau, basis, strict=True) if variable is None):
        return None
    weights = [Fraction(0)] * columns
    for row, variable in zip(tableau, basis, strict=True):
        if variable is not None:
            weights[variable] = row[-1]
    return tuple(weights)


def _entering_and_leaving(
    tableau: list[list[Fraction]], basis: list[int | None], columns: int
) -> tuple[int, int] | None:
    """Return the pivot by Bland's rule for the goal 'all artificial variables are 0', or None at the optimum."""
    artificial = [row for row, variable in zip(tableau, basis, strict=True) if variable is None]
    for column in range(columns):
        if sum(row[column] for row in artificial) > 0:
            break
    else:
        return None
    ratios = [
        (row[-1] / row[column], columns + line if basis[line] is None else basis[line], line)
        for line, row in enumerate(tableau)
        if row[column] > 0
    ]
    return column, min(ratios)[2]


def _eliminate(tableau: list[list[Fraction]], line: int, column: int) -> None:
    pivot = tableau[line][column]
    tableau[line] = [entry / pivot for entry in tableau[line]]
    for other, row in enumerate(tableau):
        factor = row[column]
        if other != line and factor != 0:
            tableau[other] = [entry - factor * lead for entry, lead in zip(row, tableau[line], strict=True)]
