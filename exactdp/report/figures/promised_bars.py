"""The eps of a shuffled randomizer at one number of users: its two proved ends, beside what published bounds promise.

A bar for each, from 0 on, with its number beside it. The truth lies between the two ends, which are one bar: blue up to
the lower end, and pale from there to the upper one. A bound below the lower end is refuted, and its bar says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from exactdp.errors import InvalidValueError
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS
from exactdp.numbers.interval import Interval
from exactdp.report.figures.amplification_curves import AmplificationCurves
from exactdp.report.figures.data import DataTable, float_ends, number_words
from exactdp.report.figures.style import Picture, Theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENDS: Final = "two proved ends"
"""The name of the bar of the truth."""


def promises_picture(curves: AmplificationCurves, *, name: str = "promises") -> Picture:
    """Return the picture of the most users of ``curves``: both ends, and the published bounds from small to large."""
    point = curves.points[-1]
    if point.least is None or point.most is None or not curves.bounds:
        raise InvalidValueError(
            f"{curves.subject}, n={point.n}: no finite eps and published bound to compare. Ask for other users."
        )
    bounds = sorted(((label, values[-1]) for label, values in curves.bounds), key=lambda bar: bar[1].hi)
    delta = number_words(curves.delta)
    table = DataTable(
        ("bar", "eps"),
        ((ENDS, Interval.between(point.least, point.most, bits=DEFAULT_RELATIVE_BITS)), *bounds),
        (("randomizer", curves.subject), ("n", str(point.n)), ("delta", str(curves.delta))),
    )
    low, high = number_words(point.least, 5, up=False), number_words(point.most, 5)
    promised = f"{number_words(bounds[0][1], 3)} to {number_words(bounds[-1][1], 3)}"
    return Picture(
        name,
        f"{curves.subject}, {point.n:,} users: ε ≤ {number_words(point.most, 4)}; published bounds say {promised}",
        f"ε at δ = {delta}: the truth lies between two proved ends, {low} and {high}; every other bar is what a "
        "published bound promises.",
        0.24 * len(table.rows) + 0.1,
        table,
        lambda figure, theme: _paint(figure, theme, table, {k for k, at in curves.refuted().items() if point.n in at}),
    )


def _paint(figure: Figure, theme: Theme, table: DataTable, refuted: set[str]) -> None:
    axes = figure.add_subplot()
    names = [str(name) for name in table.column("bar")]
    ends = [float_ends(eps) for eps in table.column("eps") if isinstance(eps, Interval)]
    axes.barh(
        names,
        [high for _, high in ends],
        0.62,
        color=[theme.colors[0], *[theme.colors[1]] * (len(ends) - 1)],
        alpha=0.45,
    )
    axes.barh(names[:1], [ends[0][0]], 0.62, color=theme.colors[0])
    for row, (label, eps) in enumerate(zip(names, table.column("eps"), strict=True)):
        assert isinstance(eps, Interval)
        words = f"{number_words(eps, 5, up=False)} to {number_words(eps, 5)}" if label == ENDS else number_words(eps, 3)
        words += ", refuted" if label in refuted else ""
        axes.annotate(words, (ends[row][1], row), (5, 0), textcoords="offset points", va="center")
    axes.set(xlim=(0, 1.3 * max(high for _, high in ends)), xticks=[])
    axes.invert_yaxis()
    axes.tick_params(left=False)
    axes.grid(visible=False)
    axes.spines["bottom"].set_visible(False)
