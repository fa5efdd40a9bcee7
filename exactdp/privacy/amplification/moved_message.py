"""One message that moves from one bin to another among K slots of noise: its divergence at any E, to any accuracy.

A slot holds the first bin's message with probability a, the second one's with b, or neither. The number J of noise
messages in the two bins, Bin(K, a + b), does not depend on where the message is. Given J = j, the first bin holds
B ~ Bin(j, t) of them, t = a/(a + b), and one more if the message is there: so

    delta = sum over j of P[J = j] h(j),      h(j) = P[B >= c - 1] - E P[B >= c],

where c is the least count with c (1 - t) > E t (j + 1 - c): the likelihood ratio rises with the count. Any c makes the
right side a lower bound, and h falls in E; so with lo <= E <= hi and the c of lo, h lies between the values at hi and
at lo. From j to j + 1 the two tails change by one weight, and c by at most one.

What is left out. By (x)_+ <= e^(lam x)/(e lam), h(j) <= A r^(j+1) with A = 1/(e lam) and
r = t e^(lam/t) + (1 - t) e^(-lam E/(1 - t)); so outside a window the sum is at most A r (1 - s + s r)^K times the mass
of Bin(K, s r/(1 - s + s r)) there, s = a + b, which is at most e^(-K D) beyond each end, D the relative entropy.

Source: Hoeffding1963, Theorem 1 (the tails of a binomial law).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Final

from flint import arb

from exactdp.errors import TooLargeError
from exactdp.laws.law_balls import EnclosedBinomial
from exactdp.numbers.balls import enclose_real, interval_of, precision, rational_ball
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.positive_part import Mixture

LONGEST: Final = 2**17
"""Most numbers of messages that are added up: some seconds."""

_TRIALS: Final = 6
"""Precisions and windows tried: each doubles what was spare."""

_BISECTIONS: Final = 40
"""Steps to the lam with the least r, which is a choice."""


@dataclass(frozen=True, slots=True)
class MovedMessage:
    """A message that is in the first bin or in the second one."""

    first: Fraction
    """a > 0."""
    second: Fraction
    """b > 0."""

    @classmethod
    def of(cls, mixture: Mixture) -> MovedMessage | None:
        """Return what a mixture is if it is of this form."""
        atoms = {(atom.first, atom.second): atom.weight for atom in mixture.atoms}
        if mixture.charges or len(mixture.atoms) != 2 or atoms.keys() != {(1, 0), (0, 1)}:
            return None
        return cls(atoms[Fraction(1), Fraction(0)], atoms[Fraction(0), Fraction(1)])

    def divergence(self, slots: int, exp_eps: Real, *, relative_bits: int) -> Interval:
        """Enclose delta to a relative width of 2**-relative_bits.

        Raises:
            TooLargeError: where more than 2^17 numbers of messages matter.
        """
        spare = 64
        for _ in range(_TRIALS):
            level = enclose_real(exp_eps, relative_bits=relative_bits + spare)
            with precision(relative_bits + spare + 2 * slots.bit_length()):
                ball = self._ball(slots, level.lo, level.hi, relative_bits + spare)
                if ball.rel_accuracy_bits() > relative_bits:
                    return interval_of(ball, relative_bits)
            spare *= 2
        raise TooLargeError(f"{slots} slots: {relative_bits} bits are out of reach.")

    def _ball(self, slots: int, low: Fraction, high: Fraction, bits: int) -> arb:
        chance = self.first + self.second
        start, end, left_out = self._window(slots, low, bits)
        step = rational_ball(chance / (1 - chance)) if chance < 1 else arb(0)

        def weights() -> Iterator[arb]:
            weight = self._weight(slots, start)
            for j in range(start, end + 1):
                yield weight
                weight = weight * (slots - j) / (j + 1) * step

        mean = walked_mean(weights(), start, self.first / chance, low, high)
        return mean + arb(0).union(left_out)

    def _weight(self, slots: int, count: int) -> arb:
        """P[J = count]."""
        chance = self.first + self.second
        return EnclosedBinomial(slots, chance).pmf(count) if chance < 1 else arb(1)

    def _window(self, slots: int, level: Fraction, bits: int) -> tuple[int, int, arb]:
        """Return the numbers of messages that matter, and a bound of the rest."""
        if self.first + self.second == 1:
            return slots, slots, arb(0)
        chance = rational_ball(self.first + self.second)
        lam, ratio = tilt(self.first / (self.first + self.second), level)
        moved = chance * ratio / (1 - chance + chance * ratio)
        middle = int((slots * moved).mid().floor().fmpz())
        deviation = isqrt(int((slots * moved * (1 - moved)).mid().floor().fmpz())) + 1
        reach = deviation * (isqrt(2 * bits) + 2) + bits
        start, end = max(0, middle - reach), min(slots, middle + reach)
        if end - start > LONGEST:
            raise TooLargeError(f"{end - start} numbers of messages matter, more than the limit of {LONGEST}.")
        size = ratio / (arb(1).exp() * lam) * (1 - chance + chance * ratio) ** slots
        tails = arb(0)
        if start > 0:
            tails += _chernoff(slots, start - 1, moved)
        if end < slots:
            tails += _chernoff(slots, end + 1, moved)
        return start, end, (size * tails).abs_upper()


def tilt(share: Fraction, level: Fraction) -> tuple[arb, arb]:
    """Return a lam > 0 and its r, near the least one, for t = ``share`` and E = ``level``."""
    t, rest, ratio = rational_ball(share), rational_ball(1 - share), rational_ball(level)

    def value(lam: arb) -> arb:
        return t * (lam / t).exp() + rest * (-lam * ratio / rest).exp()

    low, high = arb(2) ** -_BISECTIONS, arb(1)
    for _ in range(_BISECTIONS):  # r falls where e^(lam/t) < E e^(-lam E/(1-t))
        middle = ((low + high) / 2).mid()
        falls = middle / t + middle * ratio / rest < ratio.log()
        low, high = (middle, high) if falls else (low, middle)
    return low, value(low)


def walked_mean(weights: Iterable[arb], start: int, share: Fraction, low: Fraction, high: Fraction) -> arb:
    """Return the sum of weights times h(j), j from ``start`` on, with t = ``share`` and E between ``low`` and ``high``.

    >>> from exactdp.numbers.balls import precision
    >>> with precision(64):
    ...     mean = walked_mean([arb(1)], 1, Fraction(1, 2), Fraction(2), Fraction(2))
    >>> mean.contains(arb("0.5")), float(mean)
    (True, 0.5)
    """
    t, rest, level = rational_ball(share), rational_ball(1 - share), rational_ball(low).union(rational_ball(high))
    slope = low * share / (1 - share + low * share)
    place = slope.numerator * (start + 1) // slope.denominator + 1
    (point, tail), total = _first(start, share, place), arb(0)
    for j, weight in enumerate(weights, start):
        if j > start:
            tail += point * (place - 1) * rest / (j - place + 1)
            point = point * j * rest / (j + 1 - place)
            if slope.numerator * (j + 1) // slope.denominator + 1 > place:
                tail -= point
                point = point * (j + 1 - place) * t / (place * rest)
                place += 1
        total += weight * (tail - level * (tail - point))
    return total


def _first(count: int, share: Fraction, place: int) -> tuple[arb, arb]:
    """Return P[B = place - 1] and P[B >= place - 1] for B ~ Bin(count, share)."""
    if count == 0:
        return arb(1), arb(1)
    law = EnclosedBinomial(count, share)
    return law.pmf(place - 1), law.sf(place - 2) if place > 1 else arb(1)


def _chernoff(slots: int, count: int, chance: arb) -> arb:
    """Bound the mass of Bin(K, chance) from ``count`` on outward, on the side of it where the mean is not."""
    if count == 0:
        return (1 - chance) ** slots
    if count == slots:
        return chance**slots
    share = rational_ball(Fraction(count, slots))
    entropy = share * (share / chance).log() + (1 - share) * ((1 - share) / (1 - chance)).log()
    return (-slots * entropy).exp()
