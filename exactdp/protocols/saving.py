"""What a calibrated protocol saves against its theorem: the noise, its standard deviation, and the error.

Each quantity is given by the theorem's parameter and by the calibrated one, with the factor between the two. The
theorem's accuracy is its own alpha; the calibrated one is the optimal accuracy, which is exact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any, Final, NamedTuple, TypeVar

from exactdp.errors import HypothesisError, UndecidedError
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact
from exactdp.numbers.interval import Interval, fraction_ends

Number = Fraction | Interval
Compared = TypeVar("Compared")

_GUARD_BITS: Final = 8
"""A root is computed to a little more than it is shown to."""


class Calibrated(NamedTuple):
    """What was asked of a calibration, and the value that it found of a parameter."""

    name: str
    parameter: Fraction
    eps: Fraction | LogRational
    delta: Fraction
    beta: Fraction
    share: Exact | None


@dataclass(frozen=True, slots=True)
class Saving:
    """One quantity: by the theorem, None where there is none, and as calibrated, None where it is not known."""

    name: str
    theorem: Number | None
    exact: Number | None

    @property
    def factor(self) -> Interval | None:
        """The theorem's value over the calibrated one."""
        return factor(self.theorem, self.exact)


@dataclass(frozen=True, slots=True)
class Savings:
    """All quantities, and where no theorem is compared why not."""

    rows: tuple[Saving, ...]
    note: str | None

    @classmethod
    def without_theorem(cls, found: Calibrated, note: str) -> Savings:
        """Return the calibrated parameter alone."""
        return cls((Saving(found.name, None, found.parameter),), note)

    @classmethod
    def against(
        cls, protocol: Compared, theorem: Callable[[], Compared], quantities: dict[str, Callable[[Compared], Any]]
    ) -> Savings:
        """Return the quantities of a protocol beside those of the theorem's, where that applies."""
        note, published = None, None
        try:
            published = theorem()
        except HypothesisError as error:
            note = str(error)
        rows = (
            Saving(name, None if published is None else value(published), value(protocol))
            for name, value in quantities.items()
        )
        return cls(tuple(rows), note)


def factor(published: Number | None, exact: Number | None) -> Interval | None:
    """Enclose the quotient of two positive numbers; None where one is missing, or may be 0."""
    if published is None or exact is None:
        return None
    (low, high), (least, most) = fraction_ends(published), fraction_ends(exact)
    return Interval.between(low / most, high / least, bits=DEFAULT_RELATIVE_BITS) if least > 0 else None


def root(value: Number) -> Interval:
    """Enclose the square root of a number of at least 0."""
    low, high = fraction_ends(value)
    scale = 2**DEFAULT_RELATIVE_BITS * (max(1, (1 / high).__ceil__()) if high else 1)
    below, above = isqrt((low * scale**2).__floor__()), isqrt((high * scale**2).__ceil__()) + 1
    return Interval.between(Fraction(below, scale), Fraction(above, scale), bits=DEFAULT_RELATIVE_BITS + _GUARD_BITS)


def least_error(protocol: Any, beta: Fraction) -> Number | None:
    """Return the optimal accuracy; None where it is not decided."""
    try:
        error: Number = protocol.accuracy(beta)
    except UndecidedError:
        return None
    return error
