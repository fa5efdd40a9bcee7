"""Ball arithmetic (Arb, through python-flint): rational bounds of exp and log of a rational number.

Precision is an argument. FLINT keeps it in a context that all threads share, so it is set only here, under a lock.

Source: Johansson2017, section 3 (midpoint-radius arithmetic with proved error bounds).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from threading import RLock
from typing import Final

import flint

from exactdp.errors import TooLargeError
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real

__all__ = [
    "MAX_PRECISION",
    "compare_reals",
    "enclosed",
    "exp_interval",
    "log_interval",
    "rational_ball",
    "real_ball",
]

MAX_PRECISION: Final = 2**24
"""Most bits of working precision."""

_LOCK = RLock()


@contextmanager
def _precision(bits: int) -> Iterator[None]:
    """Set FLINT's working precision for the block, and put the old one back."""
    if bits > MAX_PRECISION:
        raise TooLargeError(f"relative_bits={bits} needs more than the limit of {MAX_PRECISION} bits. Ask for fewer.")
    with _LOCK:
        old = flint.ctx.prec
        flint.ctx.prec = bits
        try:
            yield
        finally:
            flint.ctx.prec = old


def exp_interval(exponent: Fraction, *, relative_bits: int) -> Interval:
    """Return an interval of relative width at most 2**-relative_bits around e**exponent."""
    return enclosed(lambda: rational_ball(exponent).exp(), relative_bits)


def log_interval(argument: Fraction, *, relative_bits: int) -> Interval:
    """Return an interval of relative width at most 2**-relative_bits around ln(argument), for argument > 0."""
    if argument == 1:
        return Interval(Dyadic.of(0), Dyadic.of(0))
    near_one = abs(argument - 1) < Fraction(1, 2)
    return enclosed(
        lambda: rational_ball(argument - 1).log1p() if near_one else rational_ball(argument).log(), relative_bits
    )


def compare_reals(first: Real, second: Real) -> int:
    """Return -1, 0 or 1 as ``first`` is less than, equal to or greater than ``second``; always decided."""
    ratio = first / second
    if ratio.is_rational:
        return (ratio.coefficient > 1) - (ratio.coefficient < 1)
    bits = 64
    while True:  # e^a with rational a != 0 is transcendental, so the ratio is not 1
        with _precision(bits):
            logarithm = rational_ball(ratio.coefficient).log() + rational_ball(ratio.exponent)
            if logarithm > 0:
                return 1
            if logarithm < 0:
                return -1
        bits *= 2


def enclosed(compute: Callable[[], flint.arb], relative_bits: int, *, lost_bits: int = 0) -> Interval:
    """Compute a number other than 0 at rising precision until the ball is accurate enough.

    ``lost_bits`` is how many bits are expected to be lost on the way; it only saves attempts.
    """
    bits = relative_bits + lost_bits + 16
    while True:
        with _precision(bits):
            ball = compute()
            if ball.is_finite() and ball.rel_accuracy_bits() > relative_bits:
                return _interval(ball)
        bits *= 2


def rational_ball(value: Fraction) -> flint.arb:
    """Return a rational number as a ball at the current precision."""
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def real_ball(value: Real) -> flint.arb:
    """Return c e^a as a ball at the current precision."""
    coefficient = rational_ball(value.coefficient)
    return coefficient if value.is_rational else coefficient * rational_ball(value.exponent).exp()


def _interval(ball: flint.arb) -> Interval:
    middle, middle_exponent = ball.mid().man_exp()
    radius, radius_exponent = ball.rad().man_exp()
    exponent = min(middle_exponent, radius_exponent)
    center = int(middle) << int(middle_exponent - exponent)
    reach = int(radius) << int(radius_exponent - exponent)
    return Interval(Dyadic.of(center - reach, int(exponent)), Dyadic.of(center + reach, int(exponent)))
