"""mpmath at 60 digits: independent numbers for enclosures. Good digits, not proofs."""

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import mpmath

DIGITS = 60


@contextmanager
def sixty_digits() -> Iterator[None]:
    with mpmath.workdps(DIGITS + 10):
        yield


def number(value: Fraction | int) -> Any:
    exact = Fraction(value)
    return mpmath.mpf(exact.numerator) / exact.denominator


def hockey_stick(p: dict[Any, Fraction], q: dict[Any, Fraction], eps: Fraction) -> Any:
    """H_{e^eps}(P || Q) to about 60 digits, relative to 1."""
    exp_eps = mpmath.exp(number(eps))
    zero = mpmath.mpf(0)
    return mpmath.fsum(max(zero, number(mass) - exp_eps * number(q.get(y, Fraction(0)))) for y, mass in p.items())


def contains(interval: Any, value: Any) -> bool:
    """Whether the interval contains the 60-digit number, up to its last ten digits."""
    slack = abs(value) * mpmath.mpf(10) ** (-DIGITS + 10) + mpmath.mpf(10) ** (-DIGITS + 5)
    return bool(number(interval.lo) <= value + slack and value - slack <= number(interval.hi))
