"""Losses moved onto a grid by merging outcomes, which lowers every divergence.

Let outcomes have masses (P_i, Q_i). For every E the sum of max(0, P_i - E Q_i) does not rise where

* outcomes are merged: the positive part of a sum is at most the sum of the positive parts,
* an outcome is split into shares t and 1 - t, then rounded: P down, and Q up,
* an outcome with P >= E_j Q, E_j = e^(j h), counts as one with the loss j h: P max(0, 1 - E / E_j) <= max(0, P - E Q).

So merge outcomes between two losses of the grid, in rising order, and split the first one beyond: its share is what
brings all of them to the next loss j h exactly. What is lost at an E is that of the outcomes that are merged across it,
where rounding each loss down would lose of all that are above.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from exactdp.numbers.balls import log_interval
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS
from exactdp.privacy.exchange.loss_grid import exp_ends

_MASS_BITS: Final = 512
"""Masses are integers in units of 2 to minus this."""
_SHARE_BITS: Final = 128
"""Shares of an outcome are in units of 2 to minus this."""


def merged_losses(outcomes: Iterable[tuple[Fraction, Fraction]], step: Fraction) -> dict[int, Fraction]:
    """Return masses by their places on the grid whose curve is nowhere above the divergence of the outcomes.

    Args:
        outcomes: lower bounds of P and upper bounds of Q, by rising P/Q for the best result.
        step: h, the distance of losses.

    >>> halves = [(Fraction(1, 4), Fraction(1, 2)), (Fraction(3, 4), Fraction(1, 2))]
    >>> {place: float(mass) for place, mass in merged_losses(halves, Fraction(1, 4)).items()}
    {-2: 0.339..., 1: 0.660...}
    """
    merged = _Merged(step)
    unit = 2**_MASS_BITS
    for first, second in outcomes:
        merged.add((first * unit).__floor__(), (second * unit).__ceil__())
    merged.finish()
    return {place: Fraction(mass, unit) for place, mass in merged.masses.items()}


@dataclass
class _Merged:
    """What has come out, and the outcome that is being made: (P, Q) between the losses ``place`` h and one more h."""

    step: Fraction
    masses: dict[int, int] = field(default_factory=dict)
    first: int = 0
    second: int = 0
    place: int = 0

    def add(self, p: int, q: int) -> None:
        """Merge an outcome, or as much of it as brings what is there to the next loss, and begin anew with the rest."""
        while p:
            if not self.first:
                self.first, self.second, self.place = p, q, self._place(p, q)
                return
            ratio = self._ratio(self.place + 1)
            missing, spare = ratio * self.second - self.first, p - ratio * q
            if missing <= 0:
                self.finish()
            elif spare <= missing:
                self._take(p, q)
                return
            else:
                share = -(-(missing / spare) * 2**_SHARE_BITS // 1)
                rest = 2**_SHARE_BITS - share
                self._take(p * share >> _SHARE_BITS, -(-q * share >> _SHARE_BITS))
                self.finish()
                p, q = p * rest >> _SHARE_BITS, -(-q * rest >> _SHARE_BITS)

    def _take(self, p: int, q: int) -> None:
        self.first, self.second = self.first + p, self.second + q

    def finish(self) -> None:
        """Put what is there at the largest loss of the grid that it is proved to have."""
        if self.first:
            place = self._place(self.first, self.second)
            self.masses[place] = self.masses.get(place, 0) + self.first
        self.first = self.second = 0

    def _place(self, p: int, q: int) -> int:
        """Return a j with P >= e^(j h) Q: the largest one, unless it is too near to be told."""
        loss = log_interval(Fraction(p, q), relative_bits=DEFAULT_RELATIVE_BITS)
        place: int = (loss.lo / self.step).__floor__() + 1
        while p < self._ratio(place) * q:
            place -= 1
        return place

    def _ratio(self, place: int) -> Fraction:
        """Return a number that is hardly above e^(j h)."""
        return exp_ends(place * self.step)[1]
