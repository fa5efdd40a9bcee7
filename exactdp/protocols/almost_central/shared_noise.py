"""Sums of independent negative binomial numbers, outcome by outcome, in balls; and their shifts in cells.

Let Y be the sum of NB(r_j, p_j), all r_j >= 1, with weights w. Its generating function f has f' / f = sum over j of
r_j p_j / (1 - p_j z), so that

    t w(t) = sum over j of r_j A_j(t),     A_j(t) = sum over s >= 1 of p_j^s w(t-s) = p_j (A_j(t-1) + w(t-1)):

all terms are positive, and balls stay relatively narrow. Y is log-concave, as a sum of independent log-concave numbers:
w(t) / w(t-1) falls, so what is beyond a t with w(t) = x w(t-1), x < 1, is at most w(t) x / (1-x). And the limit of
w(t) / w(t-1) is the largest p_j.

*Cells.* The loss ln(w(t) / w(t-s)) of Y against Y + s, s > 0, falls in t. An interval of outcomes with the masses P and
Q, P > 0 < Q, and losses between x and y > x is dominated by two outcomes with these losses and together the same
masses: (1 - E e^-loss)_+ is convex in e^-loss. As one outcome, (P, Q) are dominated themselves: merging is processing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, count, pairwise
from typing import Final, NamedTuple

from flint import arb

from exactdp.errors import TooLargeError
from exactdp.numbers.balls import interval_of, precision, real_ball
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.composition.losses import LossPair, integer

MAX_OUTCOMES: Final = 2**21
"""Most outcomes that are listed: 3 s for one negative binomial number, 10 s for a sum of three."""

LISTED_BITS: Final = 192
"""Relative precision of listed weights: far finer than any cell."""

_CHECKED: Final = 64
"""The tail is looked at after so many outcomes each time."""

_FARTHEST: Final = 16
"""Cells are evenly fine so many standard deviations below the mean; further down they grow."""

_GROWTH: Final = 40
"""There each cell is a part of what is left below it: two in so many, or in as many as there are cells to the mean."""


class Cell(NamedTuple):
    """Outcomes of Y and Y + s: their masses, and between which losses of Y against Y + s they are."""

    first: arb
    second: arb
    least: arb
    most: arb


class ShiftedCells(NamedTuple):
    """Y against Y + s in cells, what only Y reaches, and what is beyond the last cell."""

    alone: arb
    """P[Y < s]."""
    cells: tuple[Cell, ...]
    beyond: arb
    """P[Y > last], at most."""
    beyond_shifted: arb
    """P[Y + s > last], at most."""
    limit: arb
    """The limit of the losses of Y + s against Y: none is above it."""


@dataclass(frozen=True)
class SharedNoise:
    """The sum of independent NB(r, p) for ``parts`` (r, p), r >= 1 and 0 < p < 1."""

    parts: tuple[tuple[Real, Real], ...]

    def each_weight(self) -> Iterator[arb]:
        """Yield P[Y = t] for t = 0, 1, 2, ..., at the precision that is set."""
        ratios = [real_ball(p) for _, p in self.parts]
        shapes = [real_ball(r) for r, _ in self.parts]
        weight = arb(1)
        for r, p in zip(shapes, ratios, strict=True):
            weight *= ((1 - p).log() * r).exp()
        yield weight
        sums = [arb(0)] * len(ratios)
        for t in count(1):
            sums = [p * (before + weight) for p, before in zip(ratios, sums, strict=True)]
            weight = sum((r * part for r, part in zip(shapes, sums, strict=True)), arb(0)) / t
            yield weight

    def weights_to(self, tail_bits: int) -> list[arb]:
        """P[Y = t] up to a t beyond which there is less than 2^-tail_bits."""
        tail, listed = arb(2) ** -tail_bits, list[arb]()
        for t, weight in enumerate(self.each_weight()):
            listed.append(weight)
            if t % _CHECKED == _CHECKED - 1 and beyond(listed[-2:]) < tail:
                return listed
            if t == MAX_OUTCOMES:
                break
        raise too_wide(MAX_OUTCOMES)

    def largest_ratio(self) -> arb:
        """The largest p, which is the limit of w(t) / w(t-1)."""
        largest = real_ball(self.parts[0][1])
        for _, p in self.parts[1:]:
            largest = largest.max(real_ball(p))
        return largest

    def cells(self, shift: int, fineness: int | None, tail_bits: int) -> ShiftedCells:
        """Return Y against Y + shift, shift >= 1, in cells of about a ``fineness``-th of a standard deviation.

        Without a fineness every outcome is a cell.
        """
        with precision(LISTED_BITS):
            listed = _kept(self, tail_bits)
            weights, end = listed.weights, len(listed.weights)
            inner = range(end) if fineness is None else self._places(fineness, end)
            places = [shift, *(t for t in inner if t > shift), end]
            losses = {t: (weights[t] / weights[t - shift]).log() for t in {*places[:-1], *(b - 1 for b in places[1:])}}
            cells = tuple(
                Cell(listed.mass(a, b), listed.mass(a - shift, b - shift), losses[b - 1], losses[a])
                for a, b in pairwise(places)
            )
            limit = -shift * self.largest_ratio().log()
            tail = listed.beyond
            return ShiftedCells(listed.below[shift], cells, tail, tail + listed.mass(end - shift, end), limit)

    def _places(self, fineness: int, end: int) -> list[int]:
        """Return where cells begin: losses are about even in 1/t, so these are mean * N / k for k = 1, 2, ..."""
        mean = variance = arb(0)
        for r, p in ((real_ball(r), real_ball(p)) for r, p in self.parts):
            mean += r * p / (1 - p)
            variance += r * p / (1 - p) ** 2
        in_deviations = mean / variance.sqrt()
        parts, middle = max(1, integer(in_deviations * fineness)), max(1, integer(mean))
        places, k = list[int](), parts * middle // end + 1
        while k <= parts + _FARTHEST * fineness:
            places.append(middle * parts // k)
            k += 1
        place = places[-1] if places else end
        while place > 1:
            place -= max(1, 2 * place // max(parts, _GROWTH))
            places.append(place)
        return sorted({t for t in places if t < end})


class _Listed(NamedTuple):
    """Listed weights, P[Y < t] and P[t <= Y <= last] for every t up to their number, and a bound of what is beyond."""

    weights: list[arb]
    below: list[arb]
    above: list[arb]
    beyond: arb

    def mass(self, first: int, end: int) -> arb:
        """P[first <= Y < end], from the side on which it is a good part of the whole."""
        if self.below[first] < self.above[end]:
            return self.below[end] - self.below[first]
        return self.above[first] - self.above[end]


@lru_cache(maxsize=2)
def _kept(noise: SharedNoise, tail_bits: int) -> _Listed:
    weights = noise.weights_to(tail_bits)
    below, above = (list(accumulate(side, initial=arb(0))) for side in (weights, reversed(weights)))
    return _Listed(weights, below, above[::-1], beyond(weights[-2:]))


def beyond(last: Sequence[arb]) -> arb:
    """Return a bound of what is beyond the last two listed weights; infinite where they do not fall yet."""
    before, weight = last
    ratio = weight / before
    return (weight * ratio / (1 - ratio)).upper() if ratio < 1 else arb.pos_inf()


def two_points(cell: Cell) -> list[tuple[arb, arb, arb]]:
    """Return two outcomes (p, q, ln(p/q)) that dominate a cell, with its least and its largest loss."""
    p, q = cell.first, cell.second
    if not cell.most > cell.least:
        return [(p.upper(), (p / cell.most.exp()).upper(), cell.most)]
    high = (p - q * cell.least.exp()) / (1 - (cell.least - cell.most).exp())
    masses = (p - high).max(arb(0)).upper(), high.max(arb(0)).upper()
    both = zip(masses, (cell.least, cell.most), strict=True)
    return [(mass, mass * (-loss).exp(), loss) for mass, loss in both if mass > 0]


def merged(cell: Cell) -> tuple[arb, arb, arb]:
    """Return a cell as one outcome."""
    return cell.first, cell.second, (cell.first / cell.second).log()


def reversed_cell(cell: Cell) -> Cell:
    """Return the cell for Y + s against Y."""
    return Cell(cell.second, cell.first, -cell.most, -cell.least)


def any_of(masses: Sequence[arb], relative_bits: int) -> Interval:
    """Enclose 1 - prod(1 - mass): the probability that one of some independent events occurs."""
    with precision(LISTED_BITS):
        logs = sum(((-mass).log1p() for mass in masses), arb(0))
        return interval_of(-logs.expm1(), relative_bits)


def too_wide(last: int) -> TooLargeError:
    return TooLargeError(
        f"the noise has more than {last} outcomes that matter, the limit. Use a larger eps, or a smaller bound."
    )


class Part(NamedTuple):
    """One of several cases: its masses under the two laws, and by how much Y is moved under the second."""

    first: arb
    second: arb
    shift: int


def loss_pair(
    noise: SharedNoise, parts: Sequence[Part], *, fineness: int | None, tail_bits: int, from_above: bool
) -> LossPair:
    """Return the pair of laws whose cases have the masses of ``parts`` and show Y, moved under the second law.

    The pair dominates it (``from_above``), or is dominated by it; without a fineness it is listed outcome by outcome.
    """
    atoms: list[tuple[arb, arb, arb]] = []
    infinite, rest = arb(0), list[tuple[arb, arb | None]]()
    for part in parts:
        with precision(LISTED_BITS):
            p, q, own = part.first, part.second, (part.first / part.second).log()
            if part.shift == 0:
                atoms.append((p, q, own))
                continue
        both = noise.cells(abs(part.shift), fineness, tail_bits)
        with precision(LISTED_BITS):
            is_forward = part.shift > 0
            cells = both.cells if is_forward else tuple(map(reversed_cell, both.cells))
            for cell in cells:
                outcomes = two_points(cell) if from_above else [merged(cell)]
                atoms += [(p * a, q * b, own + loss) for a, b, loss in outcomes]
            if is_forward:
                infinite += p * both.alone
                rest.append((p * both.beyond, own + both.cells[-1].least))
            else:
                rest.append((p * both.beyond_shifted, own + both.limit))
    return LossPair(atoms, infinite, rest)
