"""Arithmetic on huge Fractions, reduced once and by FLINT: Python's gcd takes seconds at a million bits."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from flint import fmpq, fmpq_mat

from exactdp.numbers.exact import coprime_fraction


def ratio(numerator: int, denominator: int) -> Fraction:
    """Return numerator / denominator in lowest terms, for a positive denominator.

    >>> ratio(6, 4)
    Fraction(3, 2)
    """
    return _fraction(fmpq(numerator, denominator))


def line_value(first: Fraction, second: Fraction, slope: Fraction) -> Fraction:
    """Return ``first - slope * second``.

    >>> line_value(Fraction(1, 2), Fraction(1, 4), Fraction(3, 2))
    Fraction(1, 8)
    """
    return _fraction(_fmpq(first) - _fmpq(slope) * _fmpq(second))


def line_crossing(first: Fraction, second: Fraction, height: Fraction) -> Fraction:
    """Return the E with ``first - E * second = height``, for ``second`` other than 0.

    >>> line_crossing(Fraction(1, 2), Fraction(1, 4), Fraction(1, 8))
    Fraction(3, 2)
    """
    return _fraction((_fmpq(first) - _fmpq(height)) / _fmpq(second))


def reduced_rows(matrix: Sequence[Sequence[Fraction]]) -> tuple[list[list[Fraction]], tuple[int, ...]]:
    """Return the reduced row echelon form of a matrix, without rows of zeros, and the columns of its leading ones.

    >>> reduced_rows([[Fraction(1), Fraction(2), Fraction(3)], [Fraction(2), Fraction(4), Fraction(8)]])
    ([[Fraction(1, 1), Fraction(2, 1), Fraction(0, 1)], [Fraction(0, 1), Fraction(0, 1), Fraction(1, 1)]], (0, 2))
    """
    form, rank = fmpq_mat([[_fmpq(entry) for entry in row] for row in matrix]).rref()
    rows = [[_fraction(form[row, column]) for column in range(form.ncols())] for row in range(rank)]
    return rows, tuple(next(place for place, entry in enumerate(row) if entry) for row in rows)


def _fmpq(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def _fraction(value: fmpq) -> Fraction:
    return coprime_fraction(int(value.numerator), int(value.denominator))
