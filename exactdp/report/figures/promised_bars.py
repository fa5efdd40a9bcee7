"""The eps of a shuffled randomizer at one number of users: its two proved ends, beside what published bounds promise.

A bar for each, from 0 on, below its name and number. The truth lies between the two ends, which are one bar up to the
upper one. A bound below the lower end is refuted, and its words say so.
"""

from __future__ import annotations

from typing import Any, Final

from exactdp.errors import InvalidValueError
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS
from exactdp.numbers.interval import Interval
from exactdp.report.figures.amplification_curves import AmplificationCurves
from exactdp.report.figures.chart import Axis, Bars, Color, Value, one_panel
from exactdp.report.figures.data import DataTable, number_words
from exactdp.report.figures.picture import Picture

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
    refuted = {label for label, sizes in curves.refuted().items() if point.n in sizes}
    low, high = number_words(point.least, 5, up=False), number_words(point.most, 5)
    promised = f"{number_words(bounds[0][1], 3)} to {number_words(bounds[-1][1], 3)}"
    return Picture(
        name,
        f"{curves.subject}, {point.n:,} users: ε ≤ {number_words(point.most, 4)}; published bounds say {promised}",
        f"ε at δ = {delta}: the truth lies between two proved ends, {low} and {high}; every other bar is what a "
        "published bound promises.",
        table,
        one_panel(
            Bars([_bar(str(label), eps, refuted) for label, eps in table.rows]),
            x=Axis("ε", low=0),
            y=Axis("two proved ends, and what published bounds promise", ticks=()),
            height=0.8 + 0.36 * len(table.rows),
        ),
    )


def _bar(label: str, eps: Any, refuted: set[str]) -> tuple[str, Value, Value, Color]:
    if label == ENDS:
        return f"{label}: {number_words(eps, 5, up=False)} to {number_words(eps, 5)}", 0, eps, 0
    return f"{label}: {number_words(eps, 3)}{', refuted' if label in refuted else ''}", 0, eps, 1
