"""What the figures of experiments share: logarithmic axes for counts, curves, error bars, and marked slopes.

Logarithms are drawn as log10 of the data on linear axes, as everywhere in :mod:`exactdp.report`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, log10
from typing import TYPE_CHECKING, Any, Final

from exactdp.numbers.interval import Interval
from exactdp.report.figures.data import float_ends, log10_ends, middle
from exactdp.report.figures.style import Series, Theme, key_of, power_axis, tag

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


DASHED: Final = (0, (5, 1.8))
"""Dashes of published bounds."""


def place(value: int | Fraction | Interval, *, log: bool) -> float:
    """Return where a number is drawn."""
    return middle(log10_ends(value) if log else float_ends(value))


def nearest(value: int | Fraction | Interval, digits: int) -> str:
    """Return a number rounded to the nearest, for reading.

    >>> nearest(Fraction(1, 3), 3)
    '0.333'
    """
    return f"{float(value):.{digits}g}"


@dataclass(frozen=True, slots=True)
class Panel:
    """Axes on which fields of points are drawn: a curve of exact numbers, bars of what was drawn, and marks.

    ``at`` gives the place of a point on the horizontal axis; ``log_y`` says whether heights are logarithms. A point
    whose field is None is left out.
    """

    axes: Axes
    points: Sequence[Any]
    at: Callable[[Any], float]
    log_y: bool = True

    def _known(self, name: str) -> list[tuple[float, Any]]:
        return [(self.at(p), value) for p in self.points if (value := getattr(p, name)) is not None]

    def curve(self, name: str, color: str, dashes: Any, **how: Any) -> list[float]:
        """Draw a curve, with a band where its numbers are intervals of visible width; return its heights."""
        known = self._known(name)
        xs, heights = [x for x, _ in known], [place(y, log=self.log_y) for _, y in known]
        ends = [log10_ends(y) if self.log_y else float_ends(y) for _, y in known]
        if any(high - low > 1e-6 for low, high in ends):
            lows, heights = [low for low, _ in ends], [high for _, high in ends]
            self.axes.fill_between(xs, lows, heights, color=color, alpha=0.25, linewidth=0)
            self.axes.plot(xs, lows, color=color, linestyle=dashes, linewidth=1.0)
        self.axes.plot(xs, heights, color=color, linestyle=dashes, **{"linewidth": 1.5, **how})
        return heights

    def bars(self, name: str, series: Series, *, aside: float = 0.0) -> None:
        """Draw intervals as bars with a marker in the middle, ``aside`` decades beside their place."""
        for x, drawn in self._known(name):
            low, high = (drawn.lo, drawn.hi) if isinstance(drawn, Interval) else (drawn.low, drawn.high)
            if low is None or high is None:
                continue
            ends = place(low, log=self.log_y), place(high, log=self.log_y)
            height = (ends[0] + ends[1]) / 2 if ends[0] > -inf else ends[1]
            self.axes.errorbar(
                [x + aside],
                [height],
                yerr=[[height - max(ends[0], height - 99)], [ends[1] - height]],
                color=series.color,
                marker=series.marker,
                markersize=4.2,
                markerfacecolor="none",
                linewidth=1.1,
                capsize=2.2,
                zorder=4,
            )

    def marks(self, name: str, series: Series, *, aside: float = 0.0) -> None:
        """Mark exact numbers by short lines."""
        for x, value in self._known(name):
            height = place(value, log=False)
            ends = [x + aside - 0.11, x + aside + 0.11]
            self.axes.plot(ends, [height, height], color=series.color, linewidth=2.2, zorder=5)


def paint_errors(
    figure: Figure,
    theme: Theme,
    groups: Mapping[str, Sequence[Any]],
    curves: Mapping[str, Any],
    *,
    asides: Sequence[float],
    ylabel: str,
    finding: Any,
) -> Axes:
    """Paint errors against n, and below them how often the exact one is exceeded; return the axes of the errors.

    Args:
        groups: words -> points with the fields n, sampled, failure and frequency, in one colour each.
        curves: field -> dashes.
        asides: where the bars of each group are, in decades beside their n.
        finding: all points, and beta.
    """
    upper: Axes
    upper, lower = figure.subplots(2, 1)
    for (words, points), series, aside in zip(groups.items(), theme.series, asides, strict=False):
        errors, failures = (Panel(axes, points, on_log_axis("n"), log_y=axes is upper) for axes in (upper, lower))
        for name, dashes in curves.items():
            errors.curve(name, series.color, dashes)
        errors.bars("sampled", series)
        upper.plot([], [], color=series.color, marker=series.marker, markerfacecolor="none", label=words)
        failures.marks("failure", series, aside=aside)
        failures.bars("frequency", series, aside=aside)
    ns = [point.n for point in finding.points]
    count_axes(upper, ns, "n, users", ylabel)
    beta_axis(lower, ns, finding.beta, theme)
    return upper


def on_log_axis(name: str) -> Callable[[Any], float]:
    """Return the place of a point on a logarithmic axis of one of its fields."""
    return lambda point: place(getattr(point, name), log=True)


def kinds_below(axes: Axes, theme: Theme, kinds: Mapping[str, Any]) -> None:
    """Say below the axes what is drawn on them, and what the dashes mean, whatever the colour."""
    for words, dashes in kinds.items():
        axes.plot([], [], color=theme.quiet, linestyle=dashes, linewidth=1.5, label=words)
    key_of(axes)


def count_axes(axes: Axes, ns: Sequence[int], xlabel: str, ylabel: str) -> None:
    """Label both axes with powers of ten."""
    axes.set(xlim=(log10(min(ns)) - 0.15, log10(max(ns)) + 0.15), xlabel=xlabel, ylabel=ylabel)
    low, high = axes.get_ylim()
    axes.set_ylim(low - 0.05 * (high - low), high + 0.05 * (high - low))
    power_axis(axes, "x", most=6)
    power_axis(axes, "y", most=6)
    _minor_ticks(axes)


def count_ticks(axes: Axes, ns: Sequence[int]) -> None:
    """Label the horizontal axis with powers of ten."""
    axes.set_xlim(log10(min(ns)) - 0.25, log10(max(ns)) + 0.25)
    power_axis(axes, "x", most=6)


def _minor_ticks(axes: Axes) -> None:
    """Mark 2, ..., 9 times each power of ten where the axis is short enough."""
    from matplotlib.ticker import FixedLocator

    for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        if high - low < 9:
            powers = range(int(low) - 1, int(high) + 2)
            axis.set_minor_locator(FixedLocator([p + log10(m) for p in powers for m in range(2, 10)]))


def beta_axis(axes: Axes, ns: Sequence[int], beta: Fraction, theme: Theme, *, xlabel: str = "n, users") -> None:
    """Label an axis of probabilities around beta."""
    axes.axhline(float(beta), color=theme.ink, linewidth=0.9, linestyle=(0, (5, 1.8)))
    axes.set(xlim=(log10(min(ns)) - 0.3, log10(max(ns)) + 0.3), xlabel=xlabel, ylabel="probability of a larger error")
    low, high = axes.get_ylim()
    axes.set_ylim(low - 0.05 * (high - low), high + 0.12 * (high - low))
    axes.text(axes.get_xlim()[1], float(beta), " β", va="center", ha="left", color=theme.ink)
    power_axis(axes, "x", most=6)


def marked_slope(
    axes: Axes, x: float, y: float, slope: float, words: str, theme: Theme, *, length: float = 0.8
) -> None:
    """Draw a guide of the slope from (x, y), in decades, and name it."""
    axes.plot([x, x + length], [y, y + slope * length], color=theme.quiet, linewidth=1.0, zorder=1)
    tag(axes, x + length, y + slope * length, f" {words}", theme, color=theme.quiet, va="center")
