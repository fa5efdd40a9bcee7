"""Correlated counting: its exact delta beside the promise, the least noise against the theorem's, and the slack.

Nothing here depends on the number of users: their shares add up to the same noise, and r is its shape. Three pictures:
delta(eps) with the theorem's r and with the least one; both r, and the messages of all users together, against delta;
and the r that each step of the theorem's proof needs.

Source: GhaziKumarManurangsiPagh2020, section 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log10
from typing import TYPE_CHECKING, Any, Final

import exactdp as xdp
from exactdp import bounds
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS
from exactdp.numbers.real import as_real
from exactdp.protocols.counting.correlated_counting_protocol import CorrelatedCounting
from exactdp.report.figures.data import DataTable, Number, log10_ends, middle, number_words
from exactdp.report.figures.privacy_curve import eps_grid
from exactdp.report.figures.style import Picture, Series, Theme, decimal_axis, key_below, plot_series, power_axis, tag

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_USERS: Final = 10**6
"""Any number: nothing that is drawn depends on it."""
_REACH: Final = Fraction(3, 2)
"""The privacy curve is drawn to so many times the eps that is promised."""
_CELLS: Final = 45
"""Points of the privacy curve."""


def _calibrated(eps: Fraction, delta: Fraction) -> CorrelatedCounting:
    protocol: Any = xdp.calibrate("correlated-counting", n=_USERS, eps=eps, delta=delta).protocol
    return protocol  # type: ignore[no-any-return]


def _shape(protocol: CorrelatedCounting) -> xdp.Interval:
    return enclose_real(as_real(protocol.r, name="r"), relative_bits=DEFAULT_RELATIVE_BITS)


def _messages(protocol: CorrelatedCounting) -> Fraction | xdp.Interval:
    """Return the expected messages of all users together, beside those of their bits."""
    mean = protocol.noise_messages
    if isinstance(mean, Fraction):
        return _USERS * mean
    return xdp.Interval.between(_USERS * mean.lo, _USERS * mean.hi, bits=DEFAULT_RELATIVE_BITS)


# --- The privacy curve ----------------------------------------------------------------------------------------------


def counting_curve_picture(eps: Fraction, delta: Fraction, *, name: str = "counting-curve") -> Picture:
    """Return the picture of delta(eps) with the theorem's r and with the least one, and of what is promised."""
    grid = eps_grid(eps * _REACH, _CELLS)
    theorem = xdp.protocols.correlated_counting_from_theorem(_USERS, eps=eps, delta=delta)
    least = _calibrated(eps, delta)
    curves = [[protocol.privacy_profile().delta(eps=e) for e in grid] for protocol in (theorem, least)]
    shapes = [number_words(_shape(protocol), 3) for protocol in (theorem, least)]
    at, wanted = grid.index(eps), f"ε = {number_words(eps)} and δ = {number_words(delta)}"
    real = theorem.privacy_profile().epsilon(delta)
    there = real if isinstance(real, xdp.Interval) else real.enclose()
    caption = (
        f"Correlated counting for {wanted} (the cross), at any number of users: the exact δ of both counts against ε, "
        f"from 0 to {number_words(grid[-1], 3)}, on a logarithmic scale. With the theorem's r = {shapes[0]} it falls "
        f"from {number_words(curves[0][0])} to {number_words(curves[0][-1])}; at ε = {number_words(eps)} it is "
        f"{number_words(curves[0][at])}, and δ = {number_words(delta)} is reached at ε = {number_words(there, 3)}. "
        f"With the least r that is enough, {shapes[1]}, the curve meets the cross, but for a step of the grid of r."
    )
    title = (
        f"Correlated counting: δ = {number_words(delta)} is promised at ε = {number_words(eps)}, it is "
        f"{number_words(curves[0][at])}"
    )
    table = DataTable(
        ("eps", "theorem", "least"),
        tuple(zip(grid, *curves, strict=True)),
        (
            ("eps wanted", str(eps)),
            ("delta wanted", str(delta)),
            ("r of the theorem", shapes[0]),
            ("least r", shapes[1]),
        ),
    )
    return Picture(
        name,
        title,
        caption,
        2.9,
        table,
        lambda figure, theme: _paint_curve(figure, theme, grid, curves, (eps, delta)),
    )


def _paint_curve(
    figure: Figure,
    theme: Theme,
    grid: Sequence[Fraction],
    curves: Sequence[Sequence[Number]],
    wanted: tuple[Fraction, Fraction],
) -> None:
    axes = figure.add_subplot()
    xs = [float(e) for e in grid]
    lines = [[middle(log10_ends(value)) for value in curve] for curve in curves]
    floor = min(map(min, lines))
    axes.set(xlim=(xs[0], xs[-1]), ylim=(1.04 * floor, -0.02 * floor), xlabel="ε", ylabel="δ")
    power_axis(axes, "y")
    labels = []
    for line, words, series in zip(lines, ("theorem’s r", "least r"), theme.series, strict=False):
        plot_series(axes, xs, line, series, markevery=_CELLS // 6)
        labels.append((line[-1], f"exact, {words}", series))
    place = float(wanted[0]), log10(wanted[1])
    axes.fill_between(xs, lines[0], lines[1], color=theme.colors[1], alpha=0.13, linewidth=0)
    axes.plot(*[[value] for value in place], marker="P", markersize=11, color=theme.ink, zorder=6)
    tag(axes, place[0] - 0.03 * xs[-1], place[1] + 0.06 * floor, "wanted", theme, ha="right", va="center")
    key_below(axes, labels)


# --- The least noise ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CountingNoise:
    """The theorem's and the least noise at one delta: r, and the messages of all users beside their bits."""

    delta: Fraction
    theorem: xdp.Interval
    least: xdp.Interval
    theorem_messages: Fraction | xdp.Interval
    least_messages: Fraction | xdp.Interval

    @property
    def ratio(self) -> Fraction:
        """How many times more the theorem takes, rounded down."""
        return self.theorem.lo / self.least.hi


def counting_noise(eps: Fraction, powers: Sequence[int]) -> tuple[CountingNoise, ...]:
    """Return both noises at delta = 10^-power, for each power.

    >>> [round(float(point.ratio), 2) for point in counting_noise(Fraction(1), [2, 6])]
    [10.25, 5.06]

    Cost: 0.1 s for each power.

    Source: GhaziKumarManurangsiPagh2020, section 3.
    """
    points = []
    for power in powers:
        delta = Fraction(1, 10**power)
        both = xdp.protocols.correlated_counting_from_theorem(_USERS, eps=eps, delta=delta), _calibrated(eps, delta)
        shapes, messages = [_shape(protocol) for protocol in both], [_messages(protocol) for protocol in both]
        points.append(CountingNoise(delta, shapes[0], shapes[1], messages[0], messages[1]))
    return tuple(points)


def counting_noise_picture(eps: Fraction, powers: Sequence[int], *, name: str = "counting-noise") -> Picture:
    """Return the picture of both r and of both numbers of messages against delta."""
    points = counting_noise(eps, powers)
    first, last = points[0], points[-1]
    ratios = [number_words(point.ratio, 2, up=False) for point in (first, last)]
    caption = (
        f"Correlated counting at ε = {number_words(eps)}, at any number of users, against 1/δ. Above: the shape r of "
        f"the noise of both counts. The theorem takes {number_words(first.theorem, 3)} at δ = "
        f"{number_words(first.delta)} and {number_words(last.theorem, 3)} at δ = {number_words(last.delta)}; "
        f"{number_words(first.least, 3)} and {number_words(last.least, 3)} are enough. Below: the expected messages of "
        f"all users together beside their bits, to be divided by n: {number_words(first.theorem_messages, 3)} and "
        f"{number_words(last.theorem_messages, 3)} by the theorem, {number_words(first.least_messages, 3)} and "
        f"{number_words(last.least_messages, 3)} with the least r. The error of the sum is the same for both."
    )
    title = f"The theorem of correlated counting takes {ratios[1]} to {ratios[0]} times the r that is enough"
    rows = tuple((p.delta, p.theorem, p.least, p.theorem_messages, p.least_messages) for p in points)
    names = ("delta", "theorem_r", "least_r", "theorem_messages", "least_messages")
    return Picture(
        name,
        title,
        caption,
        4.8,
        DataTable(names, rows, (("eps", str(eps)),)),
        lambda figure, theme: _paint_noise(figure, theme, points),
    )


def _paint_noise(figure: Figure, theme: Theme, points: Sequence[CountingNoise]) -> None:
    xs = [-log10(point.delta) for point in points]
    panels: tuple[tuple[str, list[Number], list[Number]], ...] = (
        ("shape r", [p.theorem for p in points], [p.least for p in points]),
        ("messages of all users", [p.theorem_messages for p in points], [p.least_messages for p in points]),
    )
    sides: list[Axes] = list(figure.subplots(2, 1))
    for axes, (ylabel, theorem, least) in zip(sides, panels, strict=True):
        labels = []
        for words, values, series in (("theorem", theorem, theme.series[1]), ("least", least, theme.series[0])):
            heights = [middle(log10_ends(value)) for value in values]
            plot_series(axes, xs, heights, series)
            labels.append((heights[-1], words, series))
        _finish_noise(axes, theme, xs, ylabel, labels)


def _finish_noise(
    axes: Axes, theme: Theme, xs: list[float], ylabel: str, labels: list[tuple[float, str, Series]]
) -> None:
    axes.set(xlim=(xs[0] - 0.4, xs[-1] + 0.4), xlabel="1/δ", ylabel=ylabel)
    low, high = axes.get_ylim()
    axes.set_ylim(low - 0.06 * (high - low), high + 0.06 * (high - low))
    power_axis(axes, "x", most=5)
    decimal_axis(axes)
    key_below(axes, labels)


# --- The slack ------------------------------------------------------------------------------------------------------

_STEPS: Final = ("theorem", "Chernoff’s bound", "noise of both counts, exact", "both counts, exact")
"""The steps of ``bounds.correlated_counting_slack``, as the picture names them."""


def counting_slack_picture(eps: Fraction, delta: Fraction, *, name: str = "counting-slack") -> Picture:
    """Return the picture of the r that each step of the proof needs, and of the delta that it grants."""
    rows = bounds.correlated_counting_slack(eps=eps, delta=delta)
    needed = [number_words(row.needed, 3) for row in rows]
    granted = [number_words(delta if delta in row.delta else row.delta) for row in rows]
    caption = (
        f"What each step of the theorem's proof needs for ε = {number_words(eps)} and δ = {number_words(delta)}, half "
        "of ε for the noise of both counts: the shape r for which it is at most δ. "
        + "; ".join(f"{step}: r = {r}" for step, r in zip(_STEPS, needed, strict=True))
        + ". At the theorem's r they grant "
        + ", ".join(f"δ = {value}" for value in granted)
        + "."
    )
    title = f"Of the theorem’s r = {needed[0]} a proof by Chernoff needs {needed[1]}, the truth {needed[-1]}"
    table = DataTable(
        ("step", "delta", "needed_r", "theorem_over_needed"),
        tuple((row.name, row.delta, row.needed, row.ratio) for row in rows),
        (("eps", str(eps)), ("delta", str(delta))),
    )
    return Picture(name, title, caption, 3.6, table, lambda figure, theme: _paint_slack(figure, theme, rows, granted))


def _paint_slack(figure: Figure, theme: Theme, rows: Sequence[bounds.SlackRow], granted: Sequence[str]) -> None:
    axes = figure.add_subplot()
    looks = (theme.series[1], theme.series[2], theme.series[3], theme.series[0])
    widths = [float(row.needed) for row in rows]
    for k, (width, series) in enumerate(zip(widths, looks, strict=True)):
        axes.barh(
            -k, width, 0.3, facecolor=series.color, edgecolor=theme.page, hatch=series.hatch, linewidth=0, zorder=2
        )
        ratio = rows[k].ratio
        part = f", 1/{number_words(ratio, 3)} of it" if k and ratio is not None else ""
        words = f"{_STEPS[k]}:\nr = {number_words(rows[k].needed, 3)}{part}; δ = {granted[k]}"
        axes.text(0.01 * widths[0], 0.2 - k, words, va="bottom", ha="left", linespacing=1.25)
    axes.set(xlim=(0, widths[0]), ylim=(0.75 - len(rows), 1.0), yticks=[])
    axes.set(xlabel="shape r that the step needs", ylabel="the steps, with the δ that they grant at the theorem’s r")
    axes.grid(visible=False)
