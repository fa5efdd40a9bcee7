"""Boxes of parameters, cut into cells on each of which the checker shows a claim, or a point where it fails.

The box is cut, the widest side first, at the simplest number in its middle. Cells on which nothing is shown are those
where a bound is attained, or nearly: there a point is tried each time. So a claim that is wrong by 10^-12 is met after
some twenty cuts of a side, and one that touches its bound at a rational point is cut there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

from exactdp.checker import boxes
from exactdp.checker.budget import CertificateRejectedError, MalformedCertificateError
from exactdp.claims.encoding import JsonObject, write_integer, write_rational
from exactdp.symbolic.box import Box, Interval, simplest

MAX_CELLS: Final = 3000
"""Most cells that are looked at."""
MAX_CUTS: Final = 26
"""Most cuts of one cell: objects in each other, of which a document may have few."""

Point: TypeAlias = tuple[Fraction, ...]


@dataclass(slots=True)
class Cells:
    """A part of a box, and where it is cut."""

    box: Box
    depth: int = 0
    variable: int = 0
    at: Fraction = Fraction(0)
    parts: tuple[Cells, ...] = ()

    def cut(self, variable: int, at: Fraction) -> tuple[Cells, ...]:
        """Cut the part in two."""
        before, after = self.box[:variable], self.box[variable + 1 :]
        self.variable, self.at = variable, at
        self.parts = tuple(Cells((*before, side, *after), self.depth + 1) for side in self.box[variable].cut([at]))
        return self.parts

    @property
    def leaves(self) -> int:
        """How many cells there are."""
        return sum(part.leaves for part in self.parts) or 1

    @property
    def words(self) -> str:
        """How something was shown on them."""
        return f"It is shown on each of {self.leaves} cells." if self.parts else "It is shown on the box at once."

    def written(self) -> JsonObject:
        """Return the tree of cuts as the checker reads it."""
        if not self.parts:
            return {}
        low, high = (part.written() for part in self.parts)
        return {"variable": write_integer(self.variable), "at": write_rational(self.at), "low": low, "high": high}


def cells_that_show(
    box: Box, check: Callable[[boxes.Box], None], fails_at: Callable[[Point], bool]
) -> Cells | Point | str:
    """Return cells on each of which ``check`` raises nothing, a point where the claim fails, or why there is neither.

    Args:
        box: the box of the parameters.
        check: the checker's check of a cell.
        fails_at: whether the claim is seen to fail at a point.
    """
    root = Cells(box)
    waiting = [root]
    for looked_at, cell in enumerate(_taken(waiting)):
        try:
            check(_as_checked(cell.box))
            continue
        except CertificateRejectedError:
            pass
        except MalformedCertificateError as error:
            return f"Beyond the checker: {error}"
        middles = tuple(simplest(side.low + side.width / 3, side.high - side.width / 3) for side in cell.box)
        if fails_at(middles):
            return middles
        if looked_at >= MAX_CELLS or cell.depth >= MAX_CUTS:
            return f"Cutting the box into {looked_at} cells gave neither a proof nor a point where it fails."
        widths = [side.width / whole.width for side, whole in zip(cell.box, box, strict=True)]
        variable = widths.index(max(widths))
        waiting.extend(cell.cut(variable, middles[variable]))
    return root


def _taken(waiting: list[Cells]) -> Iterator[Cells]:
    """Yield the cells in the order in which they come, also those that come later."""
    place = 0
    while place < len(waiting):
        yield waiting[place]
        place += 1


def _as_checked(box: Box) -> boxes.Box:
    return [(boxes.End(side.low, side.low_closed), boxes.End(side.high, side.high_closed)) for side in box]


def places(side: Interval, steps: int) -> Iterator[Fraction]:
    """Yield places of an interval at equal distances, with the ends that belong to it."""
    for k in range(steps + 1):
        place = side.low + side.width * k / steps
        if side.contains(place):
            yield place
