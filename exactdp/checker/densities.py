"""The Laplace randomizer: a number from 0 to 1 plus Laplace noise of scale 1/eps0, sent as the real number that it is.

Lengths are taken by u = e^(eps0 x), which runs from 1 to E0 = e^eps0. A witness names points between the two, at which
cells end; all that follows is rational. Fewer points make a weaker bound or test, and no false one.

Trusted for: binned, messages tell less than they do; spread over the ends of cells they tell more, of every pair of
inputs, beside every input of another user.

It rests on these facts, with their theorems of the Coq kernel:

- the messages of Laplace noise form cells: no theorem of the kernel yet
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import isqrt
from typing import Any, NamedTuple

from .budget import Work, malformed, size
from .facts import LAPLACE_CELLS
from .families import Parameters
from .limits import MAX_LIST
from .pair_classes import Class, InputPair
from .reading import Object, any_object, read_list, read_object, read_short

HALF, ONE = Fraction(1, 2), Fraction(1)
ROOT_BITS = 40
SPREAD_KEYS = ("points", "places", "distances")
"""The ends of cells of messages, of others between the two inputs, and of how far others are beyond one of these."""


class Laplace(NamedTuple):
    """The randomizer, and the cells that a witness names, each list with its ends 1 and E0."""

    words: str
    top: Fraction
    points: Sequence[Fraction] = ()
    places: Sequence[Fraction] = ()
    distances: Sequence[Fraction] = ()
    facts: Sequence[str] = (LAPLACE_CELLS,)

    @classmethod
    def read(cls, value: object) -> Laplace:
        given = Parameters(read_object(value, "the randomizer", ["family", "exp_eps0"]))
        top = given.rational("exp_eps0", 1)
        return cls(f"randomizer {{{given.words}}}", top)

    def named(self, witness: object, keys: Sequence[str]) -> tuple[Laplace, Object]:
        """With the cells of a witness, and what else the witness says."""
        fields = any_object(witness, "the witness")
        cells: dict[str, Any] = {key: self.ends(fields.get(key), key) for key in keys}
        return self._replace(**cells), {key: value for key, value in fields.items() if key not in keys}

    def ends(self, value: object, key: str) -> list[Fraction]:
        points = [ONE, *(read_short(point, key) for point in read_list(value, key, 0, MAX_LIST)), self.top]
        if any(point >= later for point, later in zip(points, points[1:])):
            malformed(f"the {key} do not rise from 1 to e^eps0")
        return points

    def pairs(self, work: Work) -> Iterator[InputPair]:
        """The inputs 0 and 1, which stand for every pair, beside what stands for every input of another user."""
        blanket = [(p, q, min(p, q)) for p, q, _ in self.spread(ONE, self.top, ONE, ONE, work)]
        yield InputPair(blanket, self.beside(work), has_slot=False)

    def beside(self, work: Work) -> Iterator[list[Class]]:
        for i, place in enumerate(self.places):
            cells = zip(self.places[max(0, i - 1) : i + 1], self.places[max(1, i) : i + 2])
            least = min(2 * root(low / high) / (1 + low / high) for low, high in cells)
            yield self.spread(ONE, self.top, place, least, work)
        for near, far in zip(self.distances, self.distances[1:]):
            yield self.spread(near, self.top, ONE, near / far, work)
            yield self.spread(ONE, self.top / near, self.top, near / far, work)

    def spread(self, first: Fraction, second: Fraction, held: Fraction, share: Fraction, work: Work) -> list[Class]:
        """Of two inputs, beside this share of the row of another one: each message is the end of a cell."""
        points = sorted({*self.points, first, second, held})
        self.pay(points, work)
        halves = [HALF, *((high - low) / (2 * (high + low)) for low, high in zip(points, points[1:])), HALF]
        weights = [before + after for before, after in zip(halves, halves[1:])]
        return [
            (w * ratio(first, u), w * ratio(second, u), share * w * ratio(held, u)) for w, u in zip(weights, points)
        ]

    def binned(self, others: str, work: Work) -> list[Class]:
        """Of the inputs 0 and 1, which all others hold too: of a message its cell is told."""
        if others not in ("first", "second"):
            malformed(f"others is {others[:40]!r}, not one of first, second")
        self.pay(self.points, work)
        ends = [(ratio(ONE, u), ratio(self.top, u)) for u in self.points]
        cells = [(abs(p - x), abs(q - y)) for (p, q), (x, y) in zip(ends, ends[1:])]
        masses = [(p / 2, q / 2) for p, q in (ends[0], *cells, ends[-1])]
        return [(p, q, p if others == "first" else q) for p, q in masses]

    def pay(self, points: Sequence[Fraction], work: Work) -> None:
        """For each class, and for sums over all of them."""
        many, longest = len(points), max(size(u) for u in (*points, self.top))
        work.hold(4 * many, 8 * longest)
        work.spend(64 * many, 8 * longest, 8 * longest)
        work.spend(4 * many, 4 * many * longest, 2 * many * longest)


def ratio(one: Fraction, other: Fraction) -> Fraction:
    """e^-(eps0 times the distance of two points)."""
    return min(one, other) / max(one, other)


def root(square: Fraction) -> Fraction:
    """The square root, rounded down to a multiple of 2^-ROOT_BITS."""
    return Fraction(isqrt((square.numerator << 2 * ROOT_BITS) // square.denominator), 1 << ROOT_BITS)
