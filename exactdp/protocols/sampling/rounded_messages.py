"""Messages that are real numbers, rounded to a grid and drawn exactly: whole numbers from random bits, and no float.

A message y of the law F is rounded to the k with (k - 1/2) step < y <= (k + 1/2) step. With U uniform in [0, 1) the
least k with U < F((k + 1/2) step) has the law of that k. Of U as many bits are drawn as decide each comparison: F is
enclosed to as many bits as are known of U, and both are refined while the enclosures overlap. So k has exactly its law,
if the bits are fair and independent; two comparisons in a row are undecided with a probability of about 2^-64.

*Privacy.* Rounding is a channel on each message that does not depend on the data: every upper end of delta of the
shuffled real numbers holds for the rounded ones, at any step. What a computer tells by how long a draw takes is no part
of it.

*Error.* A rounded message differs from y by at most half a step, and the sum of n of them from that of the real numbers
by at most n step/2: so much is to be added to :meth:`exactdp.protocols.accuracy.number_sums.NumberSum.error`.

Source: Mironov2012 (what floats from real noise give away).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from secrets import randbits
from typing import Final

from exactdp.errors import InvalidValueError
from exactdp.mechanisms.density_family import DensityFamily
from exactdp.mechanisms.family import UserRandomizer
from exactdp.numbers.exact import Exact, as_fraction
from exactdp.numbers.formats import short
from exactdp.progress import with_progress

_BITS: Final = 64
"""Of U, at first, and so many more where that decides nothing."""

_KEPT: Final = 2**16
"""Values of F that are kept: users hold the same numbers."""


def rounded_messages(
    family: UserRandomizer,
    inputs: Iterable[Exact],
    *,
    step: Exact,
    random_bits: Callable[[int], int] | None = None,
) -> list[int]:
    """Return one message of each user, in steps: that of a real number, rounded to the nearest multiple of ``step``.

    Args:
        family: ``laplace``, ``gaussian``, ``staircase``, ``piecewise`` or ``hybrid`` of ``exactdp.randomizers``.
            Gaussian messages are those that are sent as they are.
        inputs: what each user holds, exact numbers in the interval of the randomizer.
        step: the distance of two messages, exact, above 0.
        random_bits: returns so many fair and independent bits as an integer; by default those of the system. A seeded
            one, ``random.Random(1).getrandbits``, is for experiments.

    The law is exact. A message times ``step`` estimates the input, but for half a step.

    Cost: some 0.2 to 2 ms for each user.

    >>> from random import Random
    >>> from exactdp.randomizers import laplace
    >>> rounded_messages(laplace(exp_eps0="exp(1)"), [0, "1/2", 1], step="1/100", random_bits=Random(1).getrandbits)
    [15, 143, -107]
    """
    width = as_fraction(step, name="step")
    if width <= 0:
        raise InvalidValueError(f"step={short(width)} is not above 0. Pass the distance of two messages.")
    numbers: DensityFamily | None = getattr(family, "density", None)
    if numbers is None or numbers.absent or not numbers.cuts(numbers.ends()):
        raise InvalidValueError(
            f"family={short(repr(family))} is none whose law is known to any accuracy. Pass laplace, gaussian, "
            "staircase, piecewise or hybrid of exactdp.randomizers, or draw from a table by exactdp.sample."
        )
    if isinstance(inputs, str) or not isinstance(inputs, Iterable):
        raise InvalidValueError(f"inputs={short(repr(inputs))} is no list. Pass a number for each user, as [0, '1/2'].")
    held = [as_fraction(value, name="an input") for value in inputs]
    if outside := [value for value in held if not numbers.least_input <= value <= 1]:
        raise InvalidValueError(f"the input {short(outside[0])} is none of {numbers.input_space}. Pass such numbers.")
    known: dict[tuple[Fraction, int], Fraction] = {}
    drawn = []
    for value in with_progress(held, len(held)):
        if len(known) > _KEPT:
            known.clear()
        drawn.append(_Draw(numbers, value, width, random_bits or randbits, known).message())
    return drawn


class _Draw:
    """One message, and what is known of its U: ``bits`` of them, as an integer."""

    def __init__(
        self,
        family: DensityFamily,
        value: Fraction,
        step: Fraction,
        random_bits: Callable[[int], int],
        known: dict[tuple[Fraction, int], Fraction],
    ) -> None:
        self.family, self.value, self.step, self.random_bits, self.known = family, value, step, random_bits, known
        self.bits, self.uniform = _BITS, random_bits(_BITS)

    def message(self) -> int:
        """Return the least k with U < F((k + 1/2) step)."""
        high = round(self.value / self.step)
        reach = 1
        if self.is_below(high):
            while self.is_below(high - reach):
                high, reach = high - reach, 2 * reach
            low = high - reach
        else:
            while not self.is_below(high + reach):
                high, reach = high + reach, 2 * reach
            low, high = high, high + reach
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.is_below(middle) else (middle, high)
        return high

    def is_below(self, k: int) -> bool:
        """Whether U < F((k + 1/2) step); more of U is drawn until that is decided."""
        while True:
            least = self._law(k)
            if self.uniform + 1 <= least * 2**self.bits:
                return True
            if self.uniform >= least * 2**self.bits + 1:
                return False
            self.uniform = (self.uniform << _BITS) + self.random_bits(_BITS)
            self.bits += _BITS

    def _law(self, k: int) -> Fraction:
        """Return a number that F is at least, and at most 2^-bits more than."""
        point = (k + Fraction(1, 2)) * self.step
        if self.bits > _BITS:
            return self.family.below(self.value, point, self.bits)
        if (self.value, k) not in self.known:
            self.known[self.value, k] = self.family.below(self.value, point, _BITS)
        return self.known[self.value, k]
