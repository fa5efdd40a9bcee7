"""The picture of eps against n: the band between two proved ends above, and how far off published bounds are below.

Both panels have the number of users on a logarithmic axis. In the lower one everything is divided by the lower end, or
by the exact eps where that is had: the band begins at 1, and a bound below 1 is refuted by a data set. Hue tells where
a bound comes from, dashes and markers which one it is.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, log10
from typing import TYPE_CHECKING, Any, Final

from exactdp.numbers.interval import Interval
from exactdp.report.figures.amplification_curves import AmplificationCurves, AmplificationPoint
from exactdp.report.figures.scale import log10_ends, middle, number_words, power_words
from exactdp.report.figures.style import Picture, Series, Theme, decimal_axis, key_below, plot_series, power_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HUES: Final = {"stronger clones": 1, "clones": 1, "variation ratio": 2, "Bennett": 3, "Hoeffding": 3}
"""Bound -> the series whose hue it has: one for clones, one for the variation ratio, one for the closed forms."""

_FORMS: Final = {"stronger clones": 1, "clones": 2, "variation ratio": 3, "Bennett": 4, "Hoeffding": 1}
"""Bound -> the series whose dashes and marker it has: bounds of one hue have different ones."""

_FACTORS: Final = (0.5, 0.8, 0.9, 0.95, 1, 1.01, 1.02, 1.05, 1.1, 1.2, 1.3, 1.5, 2, 3, 5, 10, 20, 50, 100)
"""Ticks of factors; those are shown that have room."""

_ROOM: Final = 0.09
"""Of the height of the axes, between two ticks."""


def amplification_picture(curves: AmplificationCurves, *, name: str = "amplification") -> Picture:
    """Return the picture of eps against n; its title has both ends at the most users."""
    return Picture(
        name,
        _title(curves),
        _caption(curves),
        4.6 if curves.bounds else 2.8,
        curves.table(),
        lambda figure, theme: _paint(figure, theme, curves),
    )


def _users(n: int) -> str:
    exponent = len(str(n)) - 1
    return power_words(exponent) if n == 10**exponent and n >= 10**3 else str(n)


def _between(point: AmplificationPoint) -> str:
    """Return eps, or both ends, of a point where they are known."""
    assert point.least is not None
    assert point.most is not None
    texts = number_words(point.least, 3, up=False), number_words(point.most, 3)
    return texts[0] if texts[0] == texts[1] else f"{texts[0]} to {texts[1]}"


def _title(curves: AmplificationCurves) -> str:
    last = [point for point in curves.points if point.is_drawn][-1]
    return f"{curves.subject}: ε is {_between(last)} at n\u00a0=\u00a0{_users(last.n)}"


def _caption(curves: AmplificationCurves) -> str:
    last = curves.points[-1]
    alone = "" if curves.exp_eps0 is None else f", alone e^ε₀ = {number_words(curves.exp_eps0, 4)}"
    parts = [
        f"{curves.subject}{alone}: ε at δ = {number_words(curves.delta)} against the number of users n.",
        "Both axes are logarithmic.",
    ]
    if any(point.ends is not None for point in curves.points):
        parts.append(
            "The band lies between two proved ends: at every smaller ε some pair of data sets has a larger δ, at the "
            "upper end no pair has."
        )
    ends = [f"{_between(point)} at n = {_users(point.n)}" for point in curves.points if point.least is not None]
    parts.append(f"ε is {', '.join(ends)}.")
    if exact := [_users(point.n) for point in curves.points if point.exact is not None]:
        parts.append(f"An exact engine gives ε itself at n = {', '.join(exact)} (rings).")
    if curves.bounds:
        promised = ", ".join(f"{name} {number_words(values[-1], 3)}" for name, values in curves.bounds)
        parts.append(f"Published bounds promise, at n = {_users(last.n)}: {promised}. Below, each over the lower end.")
        parts.append("No bound is drawn above ε₀, which holds without any.")
    for name, sizes in curves.refuted().items():
        if sizes:
            shown = ", ".join(map(_users, sizes))
            parts.append(f"At n = {shown} (crosses) {name} promises less than the lower end: a data set refutes it.")
    return " ".join(parts)


def _paint(figure: Figure, theme: Theme, curves: AmplificationCurves) -> None:
    if not curves.bounds:
        axes = figure.add_subplot()
        key = _paint_eps(axes, theme, curves)
        _finish(axes, key)
        return
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    key = _paint_eps(above, theme, curves)
    above.tick_params(labelbottom=False)
    _paint_factors(below, theme, curves)
    _finish(below, key)


def _finish(axes: Axes, key: list[tuple[float, str, Series]]) -> None:
    axes.set_xlabel("number of users n")
    power_axis(axes, "x")
    key_below(axes, key)


def _looks(theme: Theme, curves: AmplificationCurves) -> list[Series]:
    """Return the look of each bound."""
    series = theme.series
    return [
        Series(series[_HUES[name]].color, series[_FORMS[name]].dashes, series[_FORMS[name]].marker, "")
        for name, _ in curves.bounds
    ]


def _height(value: Fraction | Interval) -> float:
    return middle(log10_ends(value))


def _band(curves: AmplificationCurves) -> tuple[list[float], list[float], list[float]]:
    """Return log10 of n and of both ends, where they are known and above 0."""
    known = [(p.n, p.ends) for p in curves.points if p.ends is not None and p.ends.lo > 0]
    xs, lows = [log10(n) for n, _ in known], [_height(ends.lo) for _, ends in known]
    return xs, lows, [_height(ends.hi) for _, ends in known]


def _paint_eps(axes: Axes, theme: Theme, curves: AmplificationCurves) -> list[tuple[float, str, Series]]:
    """Draw eps against n; return what is to be said of its lines."""
    xs = [log10(p.n) for p in curves.points]
    labels: list[tuple[float, str, Series]] = []
    heights: list[float] = []
    for (name, values), series in zip(curves.bounds, _looks(theme, curves), strict=True):
        line = [(x, y) for x, value in zip(xs, values, strict=True) if (y := _height(value)) > -inf]
        plot_series(axes, [x for x, _ in line], [y for _, y in line], series)
        heights += [y for _, y in line]
        if line:
            labels.append((line[-1][1], name, series))
    places, lows, highs = _band(curves)
    blue = theme.series[0]
    axes.fill_between(places, lows, highs, color=blue.color, alpha=0.25, linewidth=0)
    for ends in (lows, highs):
        axes.plot(places, ends, color=blue.color, linewidth=1.4, zorder=4)
    rings = [(log10(p.n), _height(p.exact)) for p in curves.points if p.exact is not None and p.exact.lo > 0]
    ring: dict[str, Any] = {
        "marker": "o",
        "markersize": 7,
        "markerfacecolor": "none",
        "markeredgecolor": theme.ink,
        "zorder": 5,
    }
    axes.plot([x for x, _ in rings], [y for _, y in rings], linestyle="none", **ring)
    heights += [*lows, *highs, *(y for _, y in rings)]
    axes.set(xlim=(xs[0] - 0.1, xs[-1] + 0.1), ylim=(min(heights) - 0.12, max(heights) + 0.12), ylabel="ε")
    decimal_axis(axes)
    if places:
        labels.append(((lows[-1] + highs[-1]) / 2, "between proved ends", Series(blue.color, "solid", "", "")))
    if rings:
        labels.append((rings[-1][1], "exact", Series(theme.ink, "none", "o", "")))
    if any(curves.refuted().values()):
        labels.append((-inf, "refuted there", Series(theme.ink, "none", "x", "")))
    return labels


def _paint_factors(axes: Axes, theme: Theme, curves: AmplificationCurves) -> None:
    """Draw everything over the best lower end, on a logarithmic axis."""
    points = [(k, log10(p.n), _height(p.least)) for k, p in enumerate(curves.points) if p.least]
    heights = [0.0]
    for (name, values), series in zip(curves.bounds, _looks(theme, curves), strict=True):
        line = [(k, x, y - low) for k, x, low in points if (y := _height(values[k])) > -inf]
        plot_series(axes, [x for _, x, _ in line], [y for _, _, y in line], series)
        heights += [y for _, _, y in line]
        wrong = curves.refuted()[name]
        crosses = [(x, y) for k, x, y in line if curves.points[k].n in wrong]
        cross: dict[str, Any] = {
            "marker": "x",
            "markersize": 8,
            "markeredgewidth": 1.8,
            "color": theme.ink,
            "zorder": 6,
        }
        axes.plot([x for x, _ in crosses], [y for _, y in crosses], linestyle="none", **cross)
    ends = [curves.points[k].ends for k, _, _ in points]
    highs = [0.0 if end is None else _height(end.hi) - low for end, (_, _, low) in zip(ends, points, strict=True)]
    axes.fill_between([x for _, x, _ in points], 0, highs, color=theme.colors[0], alpha=0.25, linewidth=0)
    for edge in ([0.0] * len(points), highs):
        axes.plot([x for _, x, _ in points], edge, color=theme.colors[0], linewidth=1.4, zorder=4)
    bottom, top = min(heights), max(*heights, *highs)
    margin = 0.08 * (top - bottom) or 0.01
    axes.set(ylim=(bottom - margin, top + margin), ylabel="ε over the lower end")
    _factor_axis(axes)


def _factor_axis(axes: Axes) -> None:
    """Label factors on an axis of their logarithms, as many as have room."""
    from matplotlib.ticker import FixedLocator, FuncFormatter

    low, high = axes.get_ylim()
    ticks: list[float] = []
    for factor in sorted(_FACTORS, key=lambda factor: (factor != 1, _roundness(factor))):
        place = log10(factor)
        if low <= place <= high and all(abs(place - other) > _ROOM * (high - low) for other in ticks):
            ticks.append(place)
    axes.yaxis.set_major_locator(FixedLocator(sorted(ticks)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"×{10**value:.3g}"))


def _roundness(factor: float) -> int:
    """Return how late a factor is chosen: powers of ten, then 2 and 5, then the others."""
    digits = f"{factor:g}".replace(".", "").strip("0")
    return {"1": 0, "2": 1, "5": 1, "3": 2}.get(digits, 3 + len(digits))
