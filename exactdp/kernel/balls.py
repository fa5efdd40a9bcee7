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

__all__ = ["MAX_PRECISION", "exp_interval", "log_interval"]

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
    return _enclosed(lambda: _ball(exponent).exp(), relative_bits)


def log_interval(argument: Fraction, *, relative_bits: int) -> Interval:
    """Return an interval of relative width at most 2**-relative_bits around ln(argument), for argument > 0."""
    if argument == 1:
        return Interval(Dyadic.of(0), Dyadic.of(0))
    near_one = abs(argument - 1) < Fraction(1, 2)
    return _enclosed(lambda: _ball(argument - 1).log1p() if near_one else _ball(argument).log(), relative_bits)


def _enclosed(compute: Callable[[], flint.arb], relative_bits: int) -> Interval:
    """Compute at rising precision until the ball is accurate enough."""
    bits = relative_bits + 16
    while True:
        with _precision(bits):
            ball = compute()
            if ball.is_finite() and ball.rel_accuracy_bits() > relative_bits:
                return _interval(ball)
        bits *= 2


def _ball(value: Fraction) -> flint.arb:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def _interval(ball: flint.arb) -> Interval:
    middle, middle_exponent = ball.mid().man_exp()
    radius, radius_exponent = ball.rad().man_exp()
    exponent = min(middle_exponent, radius_exponent)
    center = int(middle) << int(middle_exponent - exponent)
    reach = int(radius) << int(radius_exponent - exponent)
    return Interval(Dyadic.of(center - reach, int(exponent)), Dyadic.of(center + reach, int(exponent)))
