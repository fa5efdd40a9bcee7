"""Users of a randomizer of real numbers who may be away: the spreads of those who are all there, and one message more.

Write q for the probability to take part, L for mu/R_v under R_v, mu = P - E Q, and E >= 1
(:mod:`exactdp.mechanisms.density_family`, :mod:`exactdp.mechanisms.absence_family`).

* *Counted.* Who is away sends nothing. With probability q the value is L, else it is 1 - E: so it has the spread that
  is that of L with probability q, and beside the blanket likewise. Tables of bins have one message more.
* *Listed.* mu is q (P - E Q), the rows are q R_v and the blanket is q c, with 0 for who is away
  (:mod:`exactdp.privacy.shuffle.listed_users`): all messages times q.
* *Hidden*, by a message of the input w: the rows are q R_v + (1 - q) R_w. Whoever sees the counted view and n fills in
  the dummies himself, so that all that bounds counted users bounds hidden ones: given the hidden message, its value is
  the mean of that of the counted one. Of *Steps* the rows are better. The densities of all three and of w are steps,
  whose order changes at the planes named there and where an input lies at the differences 0 and d from w. So L is a
  mixture of what it is at vertices: their coordinates are the least or the largest input, or d or 2 d from one of
  these, or w, or d, 2 d or 3 d from it. A part that is affine in the input may come along as before: what it adds of w
  is constant. The blanket is that of counted users.

*Alone* hidden users have e^eps of at most q e^eps0 + 1 - q: with P = 1, and Q and D at least e^-eps0, the ratio
(q + (1 - q) D)/(q Q + (1 - q) D) falls as Q or D grows. It is that much where the ratio of some row to that of w is
e^eps0, as for w at an end of the interval. Of steps it is the largest ratio in the rows.

Source: BalleBellGasconNissim2019, section 3 (one message of each user, while absence is this page's).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar

from exactdp.mechanisms.density_family import Classes, DensityFamily, Spreads
from exactdp.mechanisms.family import DerivedFamily, FamilyRandomizer
from exactdp.mechanisms.pair_table import PairTable
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.formats import short
from exactdp.numbers.real import Real


@dataclass(frozen=True, slots=True)
class NumbersAway(DerivedFamily, DensityFamily):
    """A randomizer of real numbers of which each user takes part with one probability.

    Made by ``ShuffleProtocol(family, n, participation=...)``.

    >>> from exactdp.randomizers import piecewise
    >>> NumbersAway(piecewise(exp_eps0=4), Fraction(1, 2)).spreads(8).gamma
    Fraction(3, 4)
    """

    name: ClassVar[str] = "participation"

    base: DensityFamily
    participation: Fraction
    dummy: Any = None
    """("input", w) where who is away sends a message of w; None where he sends nothing."""
    is_public: bool = False
    """Whether it is public who takes part."""

    def __repr__(self) -> str:
        return f"{self.base!r} of users who take part with probability {short(self.participation)}"

    @property
    def inputs(self) -> tuple[Fraction, ...]:
        return self.base.inputs

    @property
    def input_space(self) -> str:
        return self.base.input_space

    @property
    def may_send_nothing(self) -> bool:
        return self.dummy is None

    @property
    def in_its_place(self) -> str:
        return self.base.in_its_place

    @property
    def proved_in(self) -> str:
        return f"{self.base.proved_in} and {__name__}"

    def at_least(self, bits: int = 53) -> NumbersAway:
        return NumbersAway(self.base.at_least(bits), self.participation, self.dummy, self.is_public)

    def at_most(self, bits: int = 53) -> NumbersAway:
        return NumbersAway(self.base.at_most(bits), self.participation, self.dummy, self.is_public)

    def local_epsilon(self) -> LogRational | Real:
        eps, q = self.base.local_epsilon(), self.participation
        if self.dummy is None:
            return eps
        if (rows := self._beside_dummy()) is not None:
            return LogRational(max(p / other for row in rows for p, other, _ in row))
        if isinstance(eps, LogRational):
            return LogRational(q * eps.argument + 1 - q)
        return Real.log(q * Real.exp(eps) + (1 - q))

    def ends(self) -> tuple[Any, ...]:
        return self.base.ends()

    def cuts(self, inputs: Sequence[Any]) -> tuple[Fraction, ...]:
        return () if self.dummy else self.base.cuts(inputs)

    def below(self, value: Any, point: Fraction, bits: int) -> Fraction:
        return self.participation * self.base.below(value, point, bits)

    @property
    def told_within(self) -> tuple[Fraction, Fraction] | None:
        return self.base.told_within

    @property
    def absent(self) -> Fraction:
        return Fraction(0) if self.dummy else 1 - self.participation

    def share_of(self, other: DensityFamily) -> Fraction:
        if isinstance(other, NumbersAway) or self.dummy:
            return DensityFamily.share_of(self, other)
        return self.participation * other.share_in(self.base)

    def share_in(self, other: FamilyRandomizer) -> Fraction:
        """Of messages, and of who sends nothing."""
        if not isinstance(other, NumbersAway) or self.dummy or other.dummy:
            return super(NumbersAway, self).share_in(other)
        told = self.base.share_in(other.base) * other.participation / self.participation
        return min(told, other.absent / self.absent)

    @property
    def levels(self) -> tuple[Fraction, ...]:
        return self.base.levels

    def largest_ratios(self, users: int) -> tuple[Fraction, ...]:
        return self.base.largest_ratios(ceil(self.participation * users))

    def spreads(self, cells: int, most: Fraction | None = None) -> Spreads:
        told = self.base.spreads(cells, most)
        rows = self._beside_dummy() or tuple(map(self._counted, told.rows))
        gamma = self.participation * told.gamma + (0 if self.is_public else 1 - self.participation)
        return Spreads(self._counted(told.blanket), rows, gamma, told.leading if self.dummy is None else 0)

    def _counted(self, row: Classes) -> Classes:
        """Return a row of those who are there, with the message of who is away."""
        q = self.participation
        away = () if self.is_public else ((1 - q, 1 - q, 1 - q),)
        return (*((q * p, q * other, q * r) for p, other, r in row), *away)

    def _beside_dummy(self) -> tuple[Classes, ...] | None:
        """Return the rows of hidden users; None where those of counted ones bound them."""
        known = None if self.dummy is None else self.base.rows_beside(self.dummy[1])
        if known is None:
            return None
        return tuple(dict.fromkeys(tuple(self._mixed(cell) for cell in row) for row in known))

    def _mixed(self, cell: tuple[Fraction, ...]) -> Any:
        """Return probabilities beside that of the dummy, which is the last of them."""
        q, away = self.participation, (1 - self.participation) * cell[-1]
        return tuple(q * p + away for p in cell[:-1])

    def binned(self, cells: int) -> tuple[PairTable, ...]:
        told = tuple(map(self._told, self.base.binned(cells)))
        if self.dummy is None:
            return told
        return (*told, *(table.swapped() for table in told))  # a dummy has no mirror image

    def _told(self, table: PairTable) -> PairTable:
        rows: Iterable[tuple[Fraction, ...]] = ((c.first, c.second, c.least, *c.others) for c in table.classes)
        if self.dummy is not None:
            place = table.others.index(self.dummy[1])
            rows = (self._mixed((*row, row[3 + place])) for row in rows)
        else:
            q = self.participation
            away = () if self.is_public else ((1 - q,) * (3 + len(table.others)),)
            rows = (*(tuple(q * p for p in row) for row in rows), *away)
        return PairTable.merged(table.first, table.second, table.others, rows)
