"""Arithmetic on huge Fractions, reduced once and by FLINT: Python's gcd takes seconds at a million bits."""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq

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


def _fmpq(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def _fraction(value: fmpq) -> Fraction:
    return coprime_fraction(int(value.numerator), int(value.denominator))
