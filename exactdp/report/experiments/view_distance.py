"""split-and-mix: how far two views of split and mix are apart, drawn against exact.

The statistical distance of two views, of data sets with the same sum modulo q, is P[V in A] - P[V' in A] for the event
A = {y : P[V = y] > P[V' = y]}, which the exact laws give. Views of both data sets are drawn, and the views in A are
counted: two Clopper-Pearson intervals, each of half the risk, give one for the difference. The data sets are those
whose views are furthest apart.

Source: IshaiKushilevitzOstrovskySahai2006; ClopperPearson1934.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Unpack

import exactdp as xdp
from exactdp.mechanisms.dataset import write_dataset
from exactdp.protocols.mixing.split_and_mix_protocol import SplitAndMix
from exactdp.report.experiments.drawn import RISK, Drawing, DrawingOptions
from exactdp.report.experiments.experiment import BITS, Finding, Point
from exactdp.report.experiments.plots import DASHED, Panel, nearest, on_log_axis, place
from exactdp.report.figures.style import Theme, key_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
    """What ``view_distance`` found."""

    name = "split-and-mix"
    statement = "How far two views of split and mix with the same sum are apart, at few users and messages."
    usual_draws = 20_000

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
        """The distances against n and against m."""
        shown = "; ".join(
            f"with q = {modulus} it is {nearest(points[0].distance, 3)} at n = {points[0].n}, drawn between "
            f"{nearest(points[0].drawn.lo, 3)} and {nearest(points[0].drawn.hi, 3)}, and "
            f"{nearest(points[-1].distance, 3)} at n = {points[-1].n}"
            for modulus in _BY_MESSAGES
            if len(points := self.by_users(modulus)) > 1
        )
        ends = "".join(
            f"; with q = {modulus} and n = {points[0].n} it falls from {nearest(points[0].distance, 3)} at "
            f"m = {points[0].messages} to {nearest(points[-1].distance, 3)} at m = {points[-1].messages}"
            for modulus in _BY_MESSAGES
            if len(points := self.by_messages(modulus)) > 1
        )
        return (
            "The statistical distance of the two views that are furthest apart among those with the same sum modulo q, "
            f"exact and as drawn. Above: against n, with m = {_BY_USERS} messages of a user: {shown}. "
            f"Dashed: the bound by components. Below: against m{ends}. Intervals miss with probability 10⁻⁹ at most; "
            f"{len(self.misses())} of {len(self.points)} miss the exact distance."
        )

    def paint(self, figure: Figure, theme: Theme) -> None:
        """Paint the distances against n, and below them against m."""
        upper, lower = figure.subplots(2, 1)
        moduli = dict.fromkeys(p.modulus for p in self.points)
        for index, (modulus, series) in enumerate(zip(moduli, theme.series, strict=False)):
            curves = Panel(upper, self.by_users(modulus), on_log_axis("n"), log_y=False)
            curves.curve("distance", series.color, "solid", label=f"q = {modulus}")
            curves.curve("bound", series.color, DASHED, linewidth=1.0)
            curves.bars("drawn", series, aside=0.02 * index)
            points = self.by_messages(modulus) if modulus in _BY_MESSAGES else []
            if points:
                fewer = Panel(lower, points, lambda p: float(p.messages), log_y=False)
                fewer.curve("distance", series.color, "solid", label=f"q = {modulus}, n = {points[0].n}")
                fewer.bars("drawn", series, aside=0.08 * index)
        ns = sorted({p.n for p in self.points if p.messages == _BY_USERS})
        upper.set_xticks([place(n, log=True) for n in ns], [str(n) for n in ns])
        lower.set_xticks(sorted({p.messages for p in self.points}))
        upper.plot([], [], color=theme.quiet, linestyle=DASHED, linewidth=1.0, label="bound by components")
        for axes, xlabel in ((upper, "n, users"), (lower, "m, messages of a user")):
            axes.set(xlabel=xlabel, ylim=(0, None))
            axes.set_ylabel("statistical distance")
            key_of(axes)


def view_distance(*, grid: tuple[Place, ...] | None = None, **asked: Unpack[DrawingOptions]) -> ViewDistance:
    """Return the statistical distance of the worst pair of views, for each modulus, number of messages and of users.

    Args:
        grid: (q, m, n); by default 18 small ones.
        asked: as of :class:`exactdp.report.experiments.drawn.Drawing`.

    >>> findings = view_distance(seed=1, draws=500, grid=((2, 3, 2), (3, 3, 2)))
    >>> [(str(p), p.distance, p.first, p.second) for p in findings.points], findings.misses()
    ([('q=2, m=3, n=2', Fraction(1, 4), '0=2', '1=2'), ('q=3, m=3, n=2', Fraction(7, 27), '0=2', '1=1,2=1')], ())

    Cost: 0.4 s for each point with 10^4 draws: every share is drawn.

    Source: IshaiKushilevitzOstrovskySahai2006.
    """
    drawing = Drawing(**asked)
    places = grid or (QUICK if drawing.quick else GRID)
    named = drawing.watched(places, lambda triple: "q={}, m={}, n={}".format(*triple))
    return ViewDistance(tuple(_point(*triple, drawing) for triple in named), drawing.seed)


def _point(modulus: int, messages: int, n: int, drawing: Drawing) -> ViewPoint:
    from exactdp.sampling import clopper_pearson

    protocol = xdp.protocols.split_and_mix(n, modulus=modulus, messages=messages)
    worst = protocol.worst_pair()
    more = _event(protocol, worst.first, worst.second)
    seen = [
        _count(
            drawing.draw(protocol, dataset, size=drawing.draws, rng=drawing.generator(10, modulus, messages, n, k)),
            more,
        )
        for k, dataset in enumerate((worst.first, worst.second))
    ]
    first, second = (clopper_pearson(count, drawing.draws, confidence=1 - RISK / 2) for count in seen)
    return ViewPoint(
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
