"""split-and-mix: how far two views of split and mix are apart, drawn against exact.

The statistical distance of two views, of data sets with the same sum modulo q, is P[V in A] - P[V' in A] for the event
A = {y : P[V = y] > P[V' = y]}, which the exact laws give. Views of both data sets are drawn, and the views in A are
counted: two Clopper-Pearson intervals, each of half the risk, give one for the difference. The data sets are those
whose views are furthest apart.

Source: IshaiKushilevitzOstrovskySahai2006; ClopperPearson1934.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import exactdp as xdp
from exactdp.mechanisms.dataset import write_dataset
from exactdp.protocols.mixing.split_and_mix_protocol import SplitAndMix
from exactdp.report.experiments.drawn import RISK, Drawing
from exactdp.report.experiments.experiment import BITS, Finding, Point
from exactdp.report.experiments.plots import HEIGHT, bars, curve, nearest, sample
from exactdp.report.figures.chart import Axis, Chart, Mark, Panel

if TYPE_CHECKING:
    from exactdp.report.experiments.drawn import Counts


Place = tuple[int, int, int]
"""q, m and n."""

GRID: Final[tuple[Place, ...]] = (
    *((2, 3, n) for n in (2, 4, 8, 16, 32)),
    *((3, 3, n) for n in (2, 3, 4, 5)),
    *((5, 3, n) for n in (2, 3)),
    *((2, m, 4) for m in (2, 4, 5, 6)),
    *((3, m, 3) for m in (2, 4, 5)),
)
"""Against n at three messages, for three moduli, and against the messages at few users."""
QUICK: Final[tuple[Place, ...]] = ((2, 3, 2), (2, 3, 16), (3, 3, 3), (2, 5, 4))
"""Both ends of one curve, and two further points."""
_BY_USERS: Final = 3
"""Messages of a user, where n changes."""
_BY_MESSAGES: Final = {2: 4, 3: 3}
"""Modulus -> users, where the messages change."""


@dataclass(frozen=True, slots=True)
class ViewPoint(Point):
    """The views of two data sets with the same sum.

    Args:
        modulus, messages, n: of the protocol.
        first, second: the data sets, a worst pair.
        distance: their statistical distance.
        bound: the bound of it by components; None for two messages, where it says nothing.
        drawn: the interval for the distance.
        draws: views of each data set.
        first_seen, second_seen: how many of them were in the event.
    """

    compared = (("", "drawn", "distance"),)

    modulus: int
    messages: int
    n: int
    first: str
    second: str
    distance: Fraction
    bound: xdp.Interval | None
    drawn: xdp.Interval
    draws: int
    first_seen: int
    second_seen: int

    def __str__(self) -> str:
        return f"q={self.modulus}, m={self.messages}, n={self.n}"


@dataclass(frozen=True, slots=True)
class ViewDistance(Finding):
    """The statistical distance of the worst pair of views, for each modulus, number of messages and of users.

    >>> findings = ViewDistance.run(seed=1, draws=500, grid=((2, 3, 2), (3, 3, 2)))
    >>> [(str(p), p.distance, p.first, p.second) for p in findings.points], findings.misses()
    ([('q=2, m=3, n=2', Fraction(1, 4), '0=2', '1=2'), ('q=3, m=3, n=2', Fraction(7, 27), '0=2', '1=1,2=1')], ())
    """

    name = "split-and-mix"
    statement = "How far two views of split and mix with the same sum are apart, at few users and messages."
    usual_draws = 20_000
    grid = GRID
    few = QUICK
    place = "q={}, m={}, n={}"
    given = ()

    points: tuple[ViewPoint, ...]
    seed: int

    def by_users(self, modulus: int) -> list[ViewPoint]:
        """The points of one modulus with three messages, against n."""
        return [p for p in self.points if p.modulus == modulus and p.messages == _BY_USERS]

    def by_messages(self, modulus: int) -> list[ViewPoint]:
        """The points of one modulus against the messages, at few users."""
        users = _BY_MESSAGES[modulus]
        return sorted((p for p in self.points if (p.modulus, p.n) == (modulus, users)), key=lambda p: p.messages)

    def title(self) -> str:
        """How the distance falls with n."""
        points = self.by_users(self.points[0].modulus) or self.points
        first, last = points[0], points[-1]
        return (
            f"Views modulo {first.modulus} are {nearest(first.distance, 2)} apart at n = {first.n}, "
            f"{nearest(last.distance, 2)} at n = {last.n}"
        )

    def caption(self) -> str:
        """The data sets, and how many intervals miss."""
        return f"Views of the two data sets with one sum that are furthest apart. {self.misses_words()}"

    def chart(self) -> Chart:
        """The distances against n, and below them against m."""
        above: list[Mark] = []
        below: list[Mark] = []
        for color, modulus in enumerate(dict.fromkeys(p.modulus for p in self.points)):
            points = self.by_users(modulus)
            above += [
                curve(points, "n", "distance", f"q = {modulus}", color),
                curve(points, "n", "bound", "", color, "dashed", width=1.0),
                bars(points, "n", "drawn", color, 0.02 * color),
            ]
            if points := self.by_messages(modulus) if modulus in _BY_MESSAGES else []:
                below += [curve(points, "messages", "distance", f"q = {modulus}, n = {points[0].n}", color)]
                below += [bars(points, "messages", "drawn", color, 0.08 * color)]
        above.append(sample("bound by components", "quiet", "dashed"))
        ns = sorted({p.n for p in self.points if p.messages == _BY_USERS})
        users, y = Axis("n, users", is_log=True, ticks=[(n, str(n)) for n in ns]), Axis("statistical distance", low=0)
        messages = Axis("m, messages of a user", ticks="whole")
        return Chart(
            tuple(Panel(tuple(marks), x, y, height=HEIGHT) for marks, x in ((above, users), (below, messages)))
        )

    @classmethod
    def points_at(cls, place: Place, drawing: Drawing) -> Iterator[ViewPoint]:
        """Draw views of the worst pair: 0.4 s with 10^4 draws, every share is drawn."""
        from exactdp.sampling import clopper_pearson

        modulus, messages, n = place
        protocol = xdp.protocols.split_and_mix(n, modulus=modulus, messages=messages)
        worst = protocol.worst_pair()
        more, seen = _event(protocol, worst.first, worst.second), []
        for k, dataset in enumerate((worst.first, worst.second)):
            rng = drawing.generator(10, modulus, messages, n, k)
            seen.append(_count(drawing.draw(protocol, dataset, size=drawing.draws, rng=rng), more))
        first, second = (clopper_pearson(count, drawing.draws, confidence=1 - RISK / 2) for count in seen)
        yield ViewPoint(
            modulus,
            messages,
            n,
            write_dataset(worst.first),
            write_dataset(worst.second),
            Fraction(worst.distance),
            protocol.distance_bound() if messages > 2 else None,
            xdp.Interval.between(max(Fraction(0), first.lo - second.hi), first.hi - second.lo, bits=BITS),
            drawing.draws,
            *seen,
        )


def _event(protocol: SplitAndMix, first: dict[int, int], second: dict[int, int]) -> set[tuple[int, ...]]:
    """Return the views that are likelier under the first data set."""
    one, other = protocol.law(first), protocol.law(second)
    return {view for view, chance in one.items() if chance > other.prob(view)}


def _count(seen: Counts, event: set[tuple[int, ...]]) -> int:
    """Count the drawn views in the event."""
    import numpy as np

    views, counts = np.unique(seen, axis=0, return_counts=True)
    return sum(int(count) for view, count in zip(views.tolist(), counts, strict=True) if tuple(view) in event)
