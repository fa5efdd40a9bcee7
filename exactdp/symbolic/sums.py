"""Sums of polynomials times exponentials, p_1 e^(u_1) + p_2 e^(u_2) + ..., at rational points.

At a rational point every p_i and u_i is rational, and powers of e with distinct rational exponents are linearly
independent over the rationals (Lindemann). So after the terms with equal exponents are added up, the sum is 0 only
where every coefficient is; otherwise an enclosure that is narrow enough shows its sign.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from operator import add
from typing import Final, TypeAlias

from exactdp.numbers.balls import enclose_real
from exactdp.numbers.real import Real

Polynomial: TypeAlias = Mapping[tuple[int, ...], Fraction]
"""Exponents of the variables -> coefficient."""
Point: TypeAlias = tuple[Fraction, ...]

MAX_BITS: Final = 4096
"""Most bits with which a sign is looked for."""


@dataclass(frozen=True, slots=True)
class ExpTerm:
    """polynomial * e^exponent, both polynomials in the same variables; the exponent {} is 0."""

    polynomial: Polynomial
    exponent: Polynomial


@lru_cache(maxsize=2**14)
def exp_ends(x: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Return rationals around e^x that differ by at most 2^-bits e^x; 1 exactly for x = 0."""
    interval = enclose_real(Real(1, exponent=x), relative_bits=bits)
    return interval.lo, interval.hi


def value_at(polynomial: Polynomial, point: Sequence[Fraction]) -> Fraction:
    """Return the value of a polynomial."""
    value = Fraction(0)
    for exponents, coefficient in polynomial.items():
        term = coefficient
        for coordinate, power in zip(point, exponents, strict=True):
            if power:
                term *= coordinate**power
        value += term
    return value


def value_ends(terms: Sequence[ExpTerm], point: Sequence[Fraction], bits: int) -> tuple[Fraction, Fraction, Fraction]:
    """Return the ends of an enclosure of the sum, and the largest absolute value of its parts.

    The enclosure is wider than 2^-bits times the largest part at most by as many times as there are parts. It is the
    point 0 exactly where the sum is 0.
    """
    parts: dict[Fraction, Fraction] = {}
    for term in terms:
        power = value_at(term.exponent, point)
        parts[power] = parts.get(power, Fraction(0)) + value_at(term.polynomial, point)
    low, high, largest = Fraction(0), Fraction(0), Fraction(0)
    for power, factor in parts.items():
        if factor:
            ends = [factor * end for end in exp_ends(power, bits)]
            low, high, largest = low + min(ends), high + max(ends), max(largest, *map(abs, ends))
    return low, high, largest


def sign_at(terms: Sequence[ExpTerm], point: Sequence[Fraction], *, max_bits: int = MAX_BITS) -> int:
    """Return the sign of the sum; 0 also where ``max_bits`` bits do not show it."""
    bits = 64
    while bits <= max_bits:
        low, high, _ = value_ends(terms, point, bits)
        if low > 0 or high < 0:
            return 1 if low > 0 else -1
        if low == high:
            return 0
        bits *= 2
    return 0


def derivative(terms: Sequence[ExpTerm], variable: int) -> tuple[ExpTerm, ...]:
    """Return the partial derivative of the sum: (p' + p u') e^u for each term."""
    slopes = []
    for term in terms:
        factor = dict(_derivative(term.polynomial, variable))
        for e, c in multiply(term.polynomial, _derivative(term.exponent, variable)).items():
            factor[e] = factor.get(e, Fraction(0)) + c
        slopes.append(ExpTerm({e: c for e, c in factor.items() if c}, term.exponent))
    return tuple(term for term in slopes if term.polynomial)


def multiply(first: Polynomial, second: Polynomial) -> Polynomial:
    """Return the product of two polynomials."""
    terms: dict[tuple[int, ...], Fraction] = {}
    for (e, a), (f, b) in product(first.items(), second.items()):
        exponents = tuple(map(add, e, f))
        terms[exponents] = terms[exponents] + a * b if exponents in terms else a * b
    return terms


def _derivative(polynomial: Polynomial, variable: int) -> Polynomial:
    return {
        (*e[:variable], e[variable] - 1, *e[variable + 1 :]): c * e[variable]
        for e, c in polynomial.items()
        if e[variable]
    }
