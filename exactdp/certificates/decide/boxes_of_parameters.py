"""Decides claims for whole boxes of parameters: by cells on which the checker shows them, or by a point.

The box is cut, the widest side first, at the simplest number in its middle, until the checker shows the claim on every
cell. Cells that it does not show are where delta is attained nearly: there a point is tried each time. So a claim that
is wrong by 10^-12 is met after some twenty cuts of a side, and one that touches delta at a rational point is cut there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Final, TypeAlias

from exactdp.certificates.certificate import Verdict
from exactdp.certificates.decide.decision import Decision, first_verified, undecided
from exactdp.certificates.encoding import JsonObject, write_integer, write_rational
from exactdp.certificates.kinds import ForAll, Statement, read_statement
from exactdp.checker import for_all
from exactdp.checker.boxes import End
from exactdp.checker.budget import CertificateRejectedError, MalformedCertificateError, Work
from exactdp.checker.reading import canonical
from exactdp.inequalities.box import Box, Interval, simplest
from exactdp.numbers.formats import short

MAX_CELLS: Final = 3000
"""Most cells that are looked at."""
MAX_CUTS: Final = 26
"""Most cuts of one cell: objects in each other, of which a document may have few."""

_GRID: Final = {1: 16, 2: 4}
"""Steps to a side between the points that are tried first; 2 for more parameters."""

Point: TypeAlias = tuple[Fraction, ...]


def decide_for_all(claim: ForAll, decide: Callable[[Statement], Decision]) -> Decision:
    """Decide whether a claim holds at every point of a box; ``decide`` decides it at one."""
    search = _Search(claim)
    found = search.point_on_a_grid() or search.tree()
    if isinstance(found, str):
        return undecided(found)
    if isinstance(found, _Node):
        words = f"It is shown on each of {search.leaves} cells." if search.leaves > 1 else "It is shown on the box."
        return first_verified(claim, Verdict.PROVED, words, [found.written()])
    point = ", ".join(f"{name} = {short(x)}" for name, x in zip(claim.parameters, found, strict=True))
    if search.read.is_none_at(found, Work()):
        reason = f"It is none at {point}: a probability or a bound is not in its domain."
        return first_verified(claim, Verdict.REFUTED, reason, [{"point": list(map(write_rational, found))}])
    inner = decide(read_statement(search.at(found)))
    reason = f"It fails at {point}. {inner.reason}"
    witnesses: list[JsonObject] = []
    if inner.verdict is Verdict.REFUTED and inner.witness is not None:
        witnesses.append({"point": list(map(write_rational, found)), "witness": inner.witness})
    return first_verified(claim, Verdict.REFUTED, reason, witnesses)


@dataclass(slots=True)
class _Node:
    """A part of the box, and where it is cut."""

    box: Box
    depth: int
    variable: int = 0
    at: Fraction = Fraction(0)
    parts: tuple[_Node, ...] = ()

    def cut(self, variable: int, at: Fraction) -> tuple[_Node, ...]:
        """Cut the part in two."""
        before, after = self.box[:variable], self.box[variable + 1 :]
        self.variable, self.at = variable, at
        self.parts = tuple(_Node((*before, side, *after), self.depth + 1) for side in self.box[variable].cut([at]))
        return self.parts

    def written(self) -> JsonObject:
        """Return the tree as the checker reads it."""
        if not self.parts:
            return {}
        low, high = (part.written() for part in self.parts)
        return {"variable": write_integer(self.variable), "at": write_rational(self.at), "low": low, "high": high}


class _Search:
    """The claim as the checker has read it."""

    def __init__(self, claim: ForAll) -> None:
        self.claim, self.leaves = claim, 0
        self.read = for_all.ForAll.read(json.loads(canonical(claim.encode())), Work())

    def at(self, point: Point) -> JsonObject:
        """Return the claim at a point."""
        plain: JsonObject = json.loads(canonical(for_all.at_point(self.read.claim, point, Work())))
        return plain

    def fails_at(self, point: Point) -> bool:
        """Whether the exact check of the claim at a point fails."""
        try:
            if self.read.is_none_at(point, Work()):
                return True
            self.read.plain(point, Work()).prove({}, Work())
        except CertificateRejectedError:
            return True
        except MalformedCertificateError:  # too large, or no claim there
            return False
        return False

    def point_on_a_grid(self) -> Point | None:
        """Return a point of a coarse grid where the claim fails."""
        steps = _GRID.get(len(self.claim.box), 2)
        sides = [list(_places(side, steps)) for side in self.claim.box]
        return next((point for point in product(*sides) if self.fails_at(point)), None)

    def shows(self, box: Box) -> bool:
        """Whether the checker shows the claim on a cell."""
        ends = [(End(side.low, side.low_closed), End(side.high, side.high_closed)) for side in box]
        try:
            self.read.check_cell(ends, Work())
        except CertificateRejectedError:
            return False
        return True

    def tree(self) -> _Node | Point | str:
        """Return the cuts that leave cells on which the claim is shown, or a point where it fails, or why neither."""
        root = _Node(self.claim.box, 0)
        waiting = [root]
        for looked_at, node in enumerate(_taken(waiting)):
            try:
                if self.shows(node.box):
                    self.leaves += 1
                    continue
            except MalformedCertificateError as error:
                return f"Beyond the checker: {error}"
            middles = tuple(simplest(side.low + side.width / 3, side.high - side.width / 3) for side in node.box)
            if self.fails_at(middles):
                return middles
            if looked_at >= MAX_CELLS or node.depth >= MAX_CUTS:
                return f"Cutting the box into {looked_at} cells gave neither a proof nor a point where the claim fails."
            widths = [side.width / whole.width for side, whole in zip(node.box, self.claim.box, strict=True)]
            variable = widths.index(max(widths))
            waiting.extend(node.cut(variable, middles[variable]))
        return root


def _taken(waiting: list[_Node]) -> Iterator[_Node]:
    """Yield the nodes in the order in which they come, also those that come later."""
    place = 0
    while place < len(waiting):
        yield waiting[place]
        place += 1


def _places(side: Interval, steps: int) -> Iterator[Fraction]:
    """Yield places of an interval at equal distances, with the ends that belong to it."""
    for k in range(steps + 1):
        place = side.low + side.width * k / steps
        if side.contains(place):
            yield place
