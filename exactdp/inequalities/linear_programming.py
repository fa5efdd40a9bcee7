"""Exact linear feasibility: is a point a convex combination of other points?

The first phase of the simplex method on Fractions with Bland's rule, which cannot cycle. It decides which rows of a
randomizer are mixtures of others, so that they can never be worst.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


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
