"""Ball arithmetic (Arb, through python-flint): rational bounds of real numbers, and their order.

Precision is an argument. FLINT keeps it in a context that all threads share, so it is set only here, under a lock,
which a child process gets back free when another thread of its parent held it.

Source: Johansson2017, section 3 (midpoint-radius arithmetic with proved error bounds).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from threading import RLock
from typing import Any, Final, Generic, TypeVar

import flint

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Operation, Real, as_real

Value = TypeVar("Value")

MAX_PRECISION: Final = 2**24
"""Most bits of working precision."""

_GUARD_BITS: Final = 32
"""Bits beyond those asked for, lost to rounding once more outward."""


_MAX_LOST_BITS: Final = 384
"""Most bits that large parameters may cost where values are compared to find a threshold: counts to about 10^100."""

MAX_LOST_BITS_OF_A_VALUE: Final = 1024
"""The same for a single weight or tail: counts, or 1 / (1 - p), to about 10^300."""

UNDECIDED_BITS: Final = 2**13
"""Expressions that agree to so many bits are not told apart."""

_LOCK = RLock()
_BEFORE: list[int] = []
"""The precisions to go back to, of the blocks that are entered."""


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Set FLINT's working precision for the block, and put the old one back."""
    if bits > MAX_PRECISION:
        raise TooLargeError(f"relative_bits={bits} needs more than the limit of {MAX_PRECISION} bits. Ask for fewer.")
    with _LOCK:
        _BEFORE.append(flint.ctx.prec)
        try:
            flint.ctx.prec = bits
            yield
        finally:
            flint.ctx.prec = _BEFORE.pop()


def _after_fork_in_child() -> None:
    """Undo what a thread that is gone has left: a child has only the thread that forked."""
    global _LOCK
    if _LOCK.acquire(blocking=False):  # free, or held by the thread that lives on
        _LOCK.release()
        return
    _LOCK = RLock()
    if _BEFORE:
        flint.ctx.prec = _BEFORE[0]
        _BEFORE.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


class at_precision(Generic[Value]):  # a descriptor, named as it reads above a method
    """A property in balls that is computed once at each working precision."""

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self._compute, self.__doc__ = compute, compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = f"_{name}_at_precision"

    def __get__(self, instance: Any, owner: type | None = None) -> Value:
        known: dict[int, Value] = instance.__dict__.setdefault(self._name, {})
        bits = int(flint.ctx.prec)
        if bits not in known:
            known[bits] = self._compute(instance)
        return known[bits]


def dyadic(end: flint.arb) -> Dyadic:
    """Return an end of a ball, which is a dyadic number."""
    return Dyadic.of(*map(int, end.man_exp()))


def log_interval(argument: Fraction, *, relative_bits: int) -> Interval:
    """Return an interval of relative width at most 2**-relative_bits around ln(argument), for argument > 0."""
    if argument == 1:
        return Interval(Dyadic.of(0), Dyadic.of(0))
    near_one = abs(argument - 1) < Fraction(1, 2)
    return enclosed(
        lambda: rational_ball(argument - 1).log1p() if near_one else rational_ball(argument).log(), relative_bits
    )


def normal_tails(square: Fraction, *, relative_bits: int) -> Interval:
    """Enclose P[Z^2 > square] = erfc(sqrt(square / 2)) of a standard normal Z, for square >= 0.

    >>> normal_tails(Fraction(4), relative_bits=30)
    Interval[0.04550026389, 0.04550026390]
    """
    return enclosed(lambda: (rational_ball(square) / 2).sqrt().erfc(), relative_bits)


def compare_reals(first: Fraction | Real, second: Fraction | Real) -> int:
    """Return -1, 0 or 1 as ``first`` is less than, equal to or greater than ``second``.

    Always decided for rational numbers times powers of e; UndecidedError for other expressions that agree to
    ``UNDECIDED_BITS`` bits.
    """
    first, second = as_real(first, name="first"), as_real(second, name="second")
    if first.is_rational and second.is_rational:
        return (first.coefficient > second.coefficient) - (first.coefficient < second.coefficient)
    if first == second:
        return 0
    monomials = first.is_monomial and second.is_monomial
    if monomials and first.coefficient > 0 < second.coefficient:
        return _sign_of_logarithm(first / second)
    difference = first - second
    bits = 64
    while True:
        with precision(bits):
            if sign := proved_sign(real_ball(difference)):
                return sign
        if bits > UNDECIDED_BITS and not monomials:
            raise UndecidedError(
                f"{first} and {second} agree to {bits} bits, and nothing decides which is larger. "
                "Use a rational parameter."
            )
        bits *= 2


def _sign_of_logarithm(value: Real) -> int:
    """Return the sign of ln(c e^a), for c > 0."""
    if value.is_rational:
        return (value.coefficient > 1) - (value.coefficient < 1)
    bits = 64
    while True:  # e^a with rational a != 0 is transcendental, so the logarithm is not 0
        with precision(bits):
            if sign := proved_sign(rational_ball(value.coefficient).log() + rational_ball(value.exponent)):
                return sign
        bits *= 2


def floor_real(value: Fraction | Real) -> int:
    """Return the greatest integer at most ``value``."""
    value = as_real(value, name="value")
    if value.is_rational:
        return value.coefficient.__floor__()
    bits = 64
    while bits <= UNDECIDED_BITS:
        with precision(bits):
            floor = real_ball(value).floor()
            if floor.is_exact() and floor.is_integer():
                return int(floor.fmpz())
        bits *= 2
    raise UndecidedError(
        f"{value} is an integer to {UNDECIDED_BITS} bits, or just below one. Use a rational parameter."
    )


def enclose_real(value: Real, *, relative_bits: int) -> Interval:
    """Return an interval of relative width at most 2**-relative_bits around ``value``."""
    if value.is_rational:
        return Interval.around(value.coefficient, relative_bits=relative_bits)
    return enclosed(lambda: real_ball(value), relative_bits)


def enclosed(
    compute: Callable[[], flint.arb], relative_bits: int, *, lost_bits: int = 0, most: int = _MAX_LOST_BITS
) -> Interval:
    """Compute a number other than 0 at rising precision until the ball is accurate enough.

    ``lost_bits`` is how many bits are expected to be lost on the way; it saves attempts, and where there are more than
    ``most`` of them the numbers are refused.
    """
    check_lost_bits(lost_bits, most)
    bits = relative_bits + lost_bits + 16
    while True:
        with precision(bits):
            ball = compute()
            accuracy = ball.rel_accuracy_bits() if ball.is_finite() else 0
            if accuracy > relative_bits + 1:
                return interval_of(ball, relative_bits)
        missing = relative_bits - accuracy
        bits = bits + missing + 2 * _GUARD_BITS if 2 * missing < relative_bits else 2 * bits


def check_lost_bits(lost_bits: int, most: int = _MAX_LOST_BITS) -> None:
    """Refuse parameters so large that computing with them costs more bits of accuracy than ``most``."""
    if lost_bits > most:
        raise TooLargeError(
            f"the parameters are so large that they cost {lost_bits} bits of accuracy, more than the limit of {most}. "
            "Use fewer users, or parameters below 10^50."
        )


def proved_sign(ball: flint.arb) -> int:
    """Return the sign of every number in a ball; 0 where they have several, or are 0."""
    return (ball > 0) - (ball < 0)


def whole(ball: flint.arb) -> flint.fmpz:
    """Return the integer that a ball without a radius is."""
    number = ball.unique_fmpz()
    assert number is not None
    return number


def rational_ball(value: Fraction) -> flint.arb:
    """Return a rational number as a ball at the current precision; it is in lowest terms, and a quotient is faster."""
    return flint.arb(value.numerator) / flint.arb(value.denominator)


def real_ball(value: Real) -> flint.arb:
    """Return a real number as a ball at the current precision."""
    ball = rational_ball(value.coefficient)
    if value.exponent:
        ball *= rational_ball(value.exponent).exp()
    return ball if value.rest is None else ball * _operation_ball(value.rest)


def _operation_ball(operation: Operation) -> flint.arb:
    balls = [real_ball(term) for term in operation.terms]
    match operation.name:
        case "sum":
            return balls[0] + balls[1]
        case "product":
            return balls[0] * balls[1]
        case "power":
            return balls[0] ** int(operation.terms[1].coefficient)
        case "exp":
            return balls[0].exp()
        case "log":
            return balls[0].log()
        case "inverse":
            return 1 / balls[0]


def interval_of(ball: flint.arb, relative_bits: int) -> Interval:
    """Return the ball with ends of a little more than ``relative_bits`` bits, rounded outward."""
    middle, middle_exponent = map(int, ball.mid().man_exp())
    radius, radius_exponent = map(int, ball.rad().man_exp())
    exponent = middle_exponent + middle.bit_length() - relative_bits - _GUARD_BITS
    center, shift = middle, middle_exponent - exponent
    low, high = (center << shift, center << shift) if shift >= 0 else (center >> -shift, -(-center >> -shift))
    shift = radius_exponent - exponent
    reach = radius << shift if shift >= 0 else -(-radius >> min(-shift, radius.bit_length() + 1))
    return Interval(Dyadic.of(low - reach, exponent), Dyadic.of(high + reach, exponent))


def enclose_with_root(plain: Real, factor: Real, radicand: Real, *, relative_bits: int) -> Interval:
    """Enclose plain + factor * sqrt(radicand), other than 0, for radicand > 0."""
    return enclosed(lambda: real_ball(plain) + real_ball(factor) * real_ball(radicand).sqrt(), relative_bits)
