"""eps(delta) by enclosures: between which two values of E = e^eps delta falls to a target.

delta(E) is convex and does not rise. So where delta at E is above the target, E is below e^eps, and two such points
give a better one by the line through them, which runs below the curve; the chord to a point at or below the target
runs above it and gives a better one from above. Far from the target, where such lines say little, the next point is
where a line through ln(delta) over (E - 1)^2 meets it, which is nearly straight for noise like the normal one. Every
point is judged by an enclosure: the lines only choose it.

The first point is 1 + delta(1) - target, where delta is above the target too: an event T with P(T) - Q(T) = delta(1),
which is above 0, has Q(T) < 1, so that delta(E) >= P(T) - E Q(T) > delta(1) - (E - 1) for E > 1. However near to 0 eps
is, the search begins at its size.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import isqrt
from typing import Final

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.evidence.theorems import relies_on
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.guesses import Excess, guess_between, is_far, log_excess
from exactdp.privacy.engine import Engine, ExpEpsRange, ManyUsersError
from exactdp.progress import report_progress

_DECISION_BITS: Final = (40, 128, 512, 2048)
"""Accuracies one after another; the first decides most points."""

_CLOSE_BITS: Final = 20
"""Points that agree to so many bits are judged by the second accuracy at once: lines through the first say no more."""

_ASIDE_BITS: Final = 3
"""A point is not nearer to a line's than 2^-3 of the width asked for: to judge a nearer one takes needless accuracy."""

_EXTREME: Final = 10**4
"""Values further from the target than 2 to this are not worth a line."""

_GROWTH: Final = 64
"""E - 1 grows by so much while delta is above the target and E below the first guess."""

_FIRST_BITS: Final = 16
"""The first point is short, since only its size matters."""

_MAX_BITS: Final = 2**24
"""The largest log2(E) that is tried."""


@relies_on("hockey_stick.hockey_stick_monotone")
def bracket_exp_eps(engine: Engine, target: Fraction, relative_bits: int) -> ExpEpsRange:
    """Return low <= e^eps(target) <= high with (high - low) at most 2^-relative_bits of low - 1.

    The engine is one that encloses delta at every E.
    """
    search = _Search(engine, target)
    if not search.is_above(Real(1)):
        return ExpEpsRange(Fraction(1), Fraction(1))
    if search.is_above(None) or (target == 0 and engine.is_unbounded):
        return ExpEpsRange(Fraction(1), None)
    low, far = search.first(), engine.far_enough(target)
    high = max(low, min(far, 1 + (low - 1) * _GROWTH)) if low > 1 else far
    while search.is_above(Real(high)):
        low, high = high, high * high if high >= far else min(far, 1 + (high - 1) * _GROWTH)
        if high.numerator.bit_length() > _MAX_BITS:
            raise TooLargeError(
                f"eps is above {_MAX_BITS // 3}, the limit, at delta={short(target)}. Ask for a larger delta."
            )
    earlier: Fraction | None = None
    while (high - low) * 2**relative_bits > low - 1:
        width, aside = high - low, (low - 1) / 2 ** (relative_bits + _ASIDE_BITS)
        least_bits = _DECISION_BITS[1 if width * 2**_CLOSE_BITS < low - 1 else 0]
        for candidate in search.candidates(earlier, low, high, aside):
            if not low < candidate < high:
                continue
            if search.is_above(Real(candidate), least_bits):
                earlier, low = low, candidate
            else:
                high = candidate
            if (high - low) * 4 < width:
                break
    return ExpEpsRange(low, high)


class _Search:
    """The judge of points, and the lines that choose them."""

    def __init__(self, engine: Engine, target: Fraction) -> None:
        self.engine, self.target = engine, target
        self.values: dict[Fraction, Interval] = {}

    def is_above(self, exp_eps: Real | None, least_bits: int = _DECISION_BITS[0]) -> bool:
        """Decide delta(E) > target; None stands for E = infinity."""
        for bits in _DECISION_BITS:
            if bits < least_bits:
                continue
            try:
                delta = self.engine.bracket(exp_eps, bits).delta
            except ManyUsersError as error:
                if error.bracket.lower.compare(self.target) > 0:
                    return True
                raise
            if exp_eps is not None:
                self.values[exp_eps.coefficient] = delta
            report_progress(len(self.values))
            if (order := delta.compare(self.target)) is not None:
                return order > 0
        if self.engine.is_exact:
            exact = None if exp_eps is None else exp_eps.coefficient
            return self.engine.worst(exact).delta(exact) > self.target
        raise UndecidedError(
            f"delta at e^eps = {'infinity' if exp_eps is None else exp_eps} agrees with {short(self.target)} to "
            f"{_DECISION_BITS[-1]} bits. Ask for another delta."
        )

    def first(self) -> Fraction:
        """Return a short number at most 1 + delta(1) - target, and at least 1: delta is above the target there."""
        if Fraction(1) not in self.values:
            return Fraction(1)
        above = self.values[Fraction(1)].lower.fraction() - self.target
        return 1 + Dyadic.below(above, _FIRST_BITS).fraction() if above > 0 else Fraction(1)

    def candidates(
        self, earlier: Fraction | None, low: Fraction, high: Fraction, aside: Fraction
    ) -> Iterator[Fraction]:
        """Yield where to look next, between E where delta is above the target and where it is not.

        Where a line meets the target is moved by ``aside``, away from where the curve does.
        """
        known = low if low in self.values else Fraction(1)
        above, below = self._log_excess(known), self._log_excess(high)
        if above is not None and below is not None and is_far(above, below):
            yield 1 + guess_between(known - 1, high - 1, above, below)
        else:
            for side, line in ((1, self.crossing(low, high)), (-1, self.crossing(earlier, low))):
                if line is not None:
                    yield line + side * aside
        yield _middle(low, high)

    def _log_excess(self, exp_eps: Fraction) -> Excess | None:
        """Return ln(delta) - ln(target) about, where both are above 0."""
        if exp_eps not in self.values or not self.target:
            return None
        value = self.values[exp_eps].upper
        return log_excess(value, self.target) if value.mantissa else None

    def _excess(self, exp_eps: Fraction) -> Fraction | None:
        """Return delta(E) - target about, where both are of a size to be compared."""
        value = self.values[exp_eps].upper
        if value.mantissa and abs(value.magnitude) > _EXTREME:
            return None
        return value.fraction() - self.target

    def crossing(self, first: Fraction | None, second: Fraction) -> Fraction | None:
        """Return where the line through the curve's points at two places meets the target, if it falls."""
        if first is None or first not in self.values or second not in self.values:
            return None
        left, right = self._excess(first), self._excess(second)
        if left is None or right is None or left <= right:
            return None
        step = left * (second - first) / (left - right)
        return short_near(first + step, second - first)


def short_near(value: Fraction, scale: Fraction, spare: int = 64) -> Fraction:
    """Return a number near ``value``, of ``spare`` bits below the scale of a width."""
    bits = max(0, scale.denominator.bit_length() - scale.numerator.bit_length()) + spare
    return Fraction((value.numerator << bits) // value.denominator, 1 << bits)


def _middle(low: Fraction, high: Fraction) -> Fraction:
    """Return a number of few bits near the geometric mean for distant ends, near the mean for close ones."""
    if high > 4 * low:
        product = Dyadic.below(low * high, 64).fraction()
        return Fraction(isqrt(product.__ceil__()))
    return short_near((low + high) / 2, high - low)
