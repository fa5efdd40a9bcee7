"""Is a sum of polynomials times exponentials at least 0 on a box? A search for a tree of cuts, or for a point.

The box is cut until each part has a proof of its own: Taylor bounds of the exponentials and a Bernstein form, which
whoever asks is to check. A proof tends to fail around a minimum at which the sum nearly vanishes, so the cuts are made
there: at the simplest rational where a derivative changes its sign, or a narrow bracket of it. A value below 0 that is
met on the way refutes. Every sign is decided exactly (:mod:`exactdp.symbolic.sums`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from typing import Final, NamedTuple, TypeAlias

from exactdp.errors import InvalidValueError
from exactdp.evidence.theorems import relies_on
from exactdp.numbers.exact import Exact, as_fraction
from exactdp.numbers.formats import short
from exactdp.symbolic.sums import ExpTerm, Point, derivative, sign_at, value_ends

MAX_PARTS: Final = 400
"""Most parts of a box that are looked at."""
MAX_CUTS: Final = 24
"""Most cuts of one part."""
MAX_LEAF_BITS: Final = 1024
"""Most bits of the numbers in a leaf."""

_ORDERS: Final = (4, 8, 16)
_CORNERS_TRIED: Final = 2
"""A proof is tried from so many of the lowest corners of a box, where the sum is nearest to failing."""

_SEARCH_BITS: Final = 96
"""Relative accuracy at which points are looked at; what it does not decide is asked with more."""

_NARROWINGS: Final = 160
"""Thirds in which a place of slope 0 is narrowed down: two of three remain each time, (2/3)^160 < 2^-93 in the end."""

_GRID: Final = {1: 17, 2: 7, 3: 5}
_TOWARDS_OPEN_ENDS: Final = (2, 16, 64, 256, 1000)


@dataclass(frozen=True, slots=True)
class Interval:
    """low < x < high, with the ends that are closed."""

    low: Fraction
    high: Fraction
    low_closed: bool = True
    high_closed: bool = True

    @property
    def width(self) -> Fraction:
        return self.high - self.low

    def contains(self, x: Fraction) -> bool:
        return self.low < x < self.high or (x == self.low and self.low_closed) or (x == self.high and self.high_closed)

    def cut(self, places: Sequence[Fraction]) -> list[Interval]:
        """Return the pieces between these points of it, which ascend; both pieces at a cut contain it."""
        ends = [(self.low, self.low_closed), *((at, True) for at in places), (self.high, self.high_closed)]
        return [Interval(low, high, left, right) for (low, left), (high, right) in pairwise(ends)]


Box: TypeAlias = tuple[Interval, ...]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A part whose sign a Bernstein form shows: from this corner, with Taylor sums of so many terms, so many bits."""

    corner: tuple[str, ...]
    taylor: int
    bits: int


@dataclass(frozen=True, slots=True)
class Cut:
    """The parts of a box where a variable is at most, and at least, a value."""

    variable: int
    at: Fraction
    low: Tree
    high: Tree


Tree: TypeAlias = Leaf | Cut


@relies_on("box_inequality.box_inequality_proved")
def decide_on_box(
    terms: Sequence[ExpTerm], box: Box, *, strict: bool, holds: Callable[[Box, Leaf], bool]
) -> Tree | Point | None:
    """Return a tree whose leaves all hold, or a point of the box where the sum is < 0 (<= 0 if strict), or None.

    ``holds`` says whether a leaf shows that the sum is >= 0, or > 0 if strict, on a part of the box. None where neither
    was found among MAX_PARTS parts.
    """
    search = _Search(tuple(terms), box, strict, holds)
    for point in search.points():
        if search.fails_at(point):
            return point
    proof = search.proof(box, 0)
    return search.shortened(proof) if isinstance(proof, tuple) else proof


class _Search:
    """The search on one box; it stops when it has looked at MAX_PARTS parts."""

    def __init__(self, terms: tuple[ExpTerm, ...], box: Box, strict: bool, holds: Callable[[Box, Leaf], bool]) -> None:
        self.terms, self.box, self.strict, self.holds = terms, box, strict, holds
        self.slopes = [derivative(terms, i) for i in range(len(box))]
        self.parts = 0

    def points(self) -> Iterator[Point]:
        """Yield a grid of the box, with points that come close to its open ends."""
        size = _GRID.get(len(self.box), 3)
        sides = []
        for side in self.box:
            listed = [side.low + side.width * Fraction(k, size - 1) for k in range(size)]
            if len(self.box) == 1:
                steps = [side.width / 2**k for k in _TOWARDS_OPEN_ENDS]
                listed += [side.low + step for step in steps] + [side.high - step for step in steps]
            sides.append([x for x in listed if side.contains(x)])
        yield from product(*sides)

    def fails_at(self, point: Point) -> bool:
        """Whether the point lies in the box and refutes the inequality."""
        if not all(side.contains(x) for side, x in zip(self.box, point, strict=True)):
            return False
        low, high, _ = value_ends(self.terms, point, _SEARCH_BITS)
        if low == high == 0:
            return self.strict
        return high < 0 or (low < 0 and sign_at(self.terms, point) < 0)

    def shortened(self, point: Point) -> Point:
        """Return a point with short coordinates that refutes, like this one."""
        for bits in (2**k for k in range(10)):
            rounded = tuple(x.limit_denominator(2**bits) for x in point)
            if self.fails_at(rounded):
                return rounded
        return point

    def proof(self, box: Box, depth: int) -> Tree | Point | None:
        """Return a tree for this part, or a point that refutes."""
        self.parts += 1
        if self.parts > MAX_PARTS:
            return None
        corners = list(product(("low", "high"), repeat=len(box)))
        values = {corner: self.size_at(_corner(box, corner)) for corner in corners}
        if (lowest := min(values, key=lambda corner: values[corner][0])) and self.fails_at(_corner(box, lowest)):
            return _corner(box, lowest)
        for leaf in self.leaves(values):
            if self.holds(box, leaf):
                return leaf
        return self.cut(box, depth) if depth < MAX_CUTS else None

    def size_at(self, point: Point) -> tuple[Fraction, int]:
        """Return a lower bound of the value, and how many bits after the point it takes to see it."""
        bits = 64
        while True:
            low, high, largest = value_ends(self.terms, point, bits)
            if low > 0 or high < 0 or low == high or bits >= 2 * MAX_LEAF_BITS:
                size = min(abs(low), abs(high)) or largest or Fraction(1)
                needed = size.denominator.bit_length() - size.numerator.bit_length()
                return low, max(needed, 0)
            bits *= 2

    def leaves(self, values: dict[tuple[str, ...], tuple[Fraction, int]]) -> Iterator[Leaf]:
        """Yield what may prove a part, given the values at its corners: from the lowest corners first."""
        precision = 64 + max(needed for _, needed in values.values())
        if precision - 64 > MAX_LEAF_BITS:
            return
        ascending = sorted(values, key=lambda corner: values[corner][0])
        for order, corner in product(_ORDERS, ascending[:_CORNERS_TRIED]):
            yield Leaf(corner, order, min(precision, MAX_LEAF_BITS))

    def cut(self, box: Box, depth: int) -> Tree | Point | None:
        """Cut the part, around where a minimum seems to be or through the middle, and prove each piece."""
        variable, places = self.places(box)
        for at in places:
            point = tuple(at if i == variable else (s.low + s.high) / 2 for i, s in enumerate(box))
            if self.fails_at(point):
                return point
        pieces: list[Tree] = []
        for interval in box[variable].cut(places):
            piece = self.proof((*box[:variable], interval, *box[variable + 1 :]), depth + len(places))
            if not isinstance(piece, Leaf | Cut):
                return piece
            pieces.append(piece)
        tree = pieces.pop()
        for at, piece in zip(reversed(places), reversed(pieces), strict=True):
            tree = Cut(variable, at, piece, tree)
        return tree

    def places(self, box: Box) -> tuple[int, list[Fraction]]:
        """Return the variable to cut, and where: at a minimum, on both sides of one, or in the middle."""
        centre = [(side.low + side.high) / 2 for side in box]
        for variable, side in enumerate(box):
            bracket = self.bracket(variable, side, centre)
            if inside := sorted({at for at in bracket if side.low < at < side.high}):
                return variable, inside
        widest = max(range(len(box)), key=lambda i: box[i].width / self.box[i].width)
        return widest, [centre[widest]]

    def bracket(self, variable: int, side: Interval, centre: list[Fraction]) -> tuple[Fraction, ...]:
        """Return a minimum along one variable through the centre, or two ends around it; () if none seems inside."""

        def slope(x: Fraction) -> int:
            return sign_at(self.slopes[variable], (*centre[:variable], x, *centre[variable + 1 :]))

        low, high = side.low, side.high
        if slope(low) >= 0 or slope(high) <= 0:
            return ()
        for _ in range(_NARROWINGS):
            middle = simplest(low + (high - low) / 3, high - (high - low) / 3)
            sign = slope(middle)
            if sign == 0:
                return (middle,)
            low, high = (low, middle) if sign > 0 else (middle, high)
        return low, high


def _corner(box: Box, corner: tuple[str, ...]) -> Point:
    return tuple(side.low if end == "low" else side.high for side, end in zip(box, corner, strict=True))


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """Return the fraction of least denominator in [low, high].

    >>> simplest(Fraction(314, 100), Fraction(315, 100))
    Fraction(22, 7)
    """
    whole = low.numerator // low.denominator
    if low == whole or whole + 1 <= high:
        return Fraction(whole if low == whole else whole + 1)
    return whole + 1 / simplest(1 / (high - whole), 1 / (low - whole))


class Span(NamedTuple):
    """An interval of real numbers, ``low`` < ``high``, whose ends belong to it if they are closed."""

    low: Exact
    high: Exact
    low_is_closed: bool = True
    high_is_closed: bool = True


def as_side(name: str, ends: Span | tuple[Exact, Exact]) -> Interval:
    """Return the interval of a variable from a pair, whose ends belong to it, or from a ``Span``."""
    if not isinstance(ends, tuple) or len(ends) not in (2, 4):
        raise InvalidValueError(f"the interval of {name} is no pair. Pass (low, high), or a Span with open ends.")
    span = Span(*ends)
    low, high = as_fraction(span.low, name=f"low of {name}"), as_fraction(span.high, name=f"high of {name}")
    if low >= high:
        raise InvalidValueError(f"the interval of {name} from {short(low)} to {short(high)} is empty. Give low < high.")
    for closed in (span.low_is_closed, span.high_is_closed):
        if not isinstance(closed, bool):
            raise InvalidValueError(f"an end of the interval of {name} is closed: {closed!r}. Pass True or False.")
    return Interval(low, high, span.low_is_closed, span.high_is_closed)
