"""Where the draws and the law differ most: the outcomes that a failed comparison names.

They are ranked by their deviance, the n KL of an outcome against all others, which also bounds how likely a right
sampler is to draw this one so often or so seldom.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Final

from exactdp.testing.g_tests import ONE, Cell, deviance

_SHOWN: Final = 5
"""Outcomes that are named."""
_DIGITS: Final = 6
"""Digits of a number."""


@dataclass(frozen=True, slots=True)
class Run:
    """A cell and, where outcomes are ints, the first and the last one in it: None stands for no end."""

    cell: Cell
    ends: tuple[int | None, int | None] | None = None

    def meets(self, other: Run) -> bool:
        """Whether the two share an outcome."""
        if self.ends is None or other.ends is None:
            return False
        (low, high), (first, last) = self.ends, other.ends
        return (low is None or last is None or low <= last) and (first is None or high is None or first <= high)


def worst_outcomes(runs: Iterable[Run], size: int) -> str:
    """Return the five worst outcomes in words, a line each: observed, expected, and by how much.

    >>> from exactdp.testing.g_tests import mass_of
    >>> cells = [Cell(mass_of(1, 2), count, words) for words, count in (("heads", 70), ("tails", 30))]
    >>> print(worst_outcomes(map(Run, cells), 100))
    the worst outcomes: observed, expected, by how much, and a bound of the chance of so much:
      heads: 70, expected 50: 20 more, 1.4 times as many; at most e^-8.22829
      tails: 30, expected 50: 20 fewer, 0.6 times as many; at most e^-8.22829
    """
    ranked = sorted(((deviance(run.cell, size), run) for run in runs), key=lambda entry: -entry[0])
    chosen: list[tuple[Fraction, Run]] = []
    for far, run in ranked:
        if far > 0 and len(chosen) < _SHOWN and not any(run.meets(other) for _, other in chosen):
            chosen.append((far, run))
    lines = (f"  {_words(run.cell, size)}; at most e^-{shown(far)}" for far, run in chosen)
    return "\n".join(
        ("the worst outcomes: observed, expected, by how much, and a bound of the chance of so much:", *lines)
    )


def impossible_outcomes(drawn: Sequence[tuple[object, int]]) -> str:
    """Return the outcomes of probability 0 that were drawn most often, at most five, a line each."""
    most = sorted(drawn, key=lambda entry: -entry[1])[:_SHOWN]
    lines = (f"  {outcome!r}: {count}, expected 0: it has the probability 0" for outcome, count in most)
    return "\n".join((f"the worst outcomes, of {len(drawn)} that the law never draws:", *lines))


def _words(cell: Cell, size: int) -> str:
    expected = Fraction(size * (cell.mass[0] + cell.mass[1]), 2 * ONE)
    gap = abs(cell.count - expected)
    more = "more" if cell.count > expected else "fewer"
    times = f", {shown(cell.count / expected)} times as many" if cell.count else ", none"
    return f"{cell.words}: {cell.count}, expected {shown(expected)}: {shown(gap)} {more}{times}"


def shown(value: Fraction) -> str:
    """Return a number to six digits, for reading.

    >>> shown(Fraction(50)), shown(Fraction(2, 3)), shown(Fraction(1, 10**9))
    ('50', '0.666667', '1e-9')
    """
    number = Context(prec=_DIGITS).divide(Decimal(value.numerator), Decimal(value.denominator)).normalize()
    return f"{number:f}" if -_DIGITS < number.adjusted() < 2 * _DIGITS else f"{number:g}"
