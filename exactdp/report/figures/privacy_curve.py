"""The privacy curve delta(eps) of any profile, beside published bounds: what a bound gives away, and where it is wrong.

delta is drawn as a band that provably contains it. It never rises with eps, so between two neighbouring points a < b of
the grid it lies between its values at b and at a: each cell of the band goes from the lower end at b to the upper end
at a. The axis is logarithmic, and delta = 0 has no place on it: there the curve ends at the axis.

Trade-off functions: what a test of one data set against a neighbour can do, exactly, and what theorems promise
---------------------------------------------------------------------------------------------------------------

(eps, delta)-DP is the statement that the trade-off function lies on or above

    f(a) = max(0, 1 - delta - e^eps a, e^-eps (1 - delta - a)),

a polygon with the corners (0, 1 - delta), (c, c) for c = (1 - delta) / (1 + e^eps), and (1 - delta, 0).

Source: DongRothSu2022, section 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from exactdp.errors import HypothesisError, InvalidValueError
from exactdp.numbers.epsilon import LogRational, read_privacy_level
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_fraction
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval, fraction_ends
from exactdp.privacy.hypotheses import PrivacyBound
from exactdp.privacy.tradeoff import TradeoffFunction
from exactdp.report.figures.data import (
    Cell,
    DataTable,
    check_rising,
    float_ends,
    log10_ends,
    middle,
    number_words,
    power_words,
)
from exactdp.report.figures.style import LIGHT, Picture, Theme, key_below, key_of, plot_series, power_axis, tag

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Bound = Callable[[Fraction], Fraction | Interval]
"""eps -> the published delta; HypothesisError if there is none."""

_MOST_BOUNDS: Final = 4
"""Beside the exact curve, as many as a theme has series."""


class _Profile(Protocol):
    """What has a privacy curve: a PrivacyProfile, or one of several runs together."""

    def delta(self, *, eps: Fraction) -> Any: ...


@dataclass(frozen=True, slots=True)
class PrivacyCurve:
    """delta and its bounds on a grid of eps.

    Args:
        subject: the protocol with its parameters, in words.
        eps: the grid, rising.
        exact: encloses delta at each point.
        bounds: name -> the published delta at each point, None if its theorem says nothing.
    """

    subject: str
    eps: tuple[Fraction, ...]
    exact: tuple[Interval, ...]
    bounds: tuple[tuple[str, tuple[Fraction | Interval | None, ...]], ...]

    def bands(self) -> list[tuple[Fraction, Fraction, tuple[float, float]]]:
        """Return (a, b, (low, high)): log10 delta is in [low, high] for every eps from a to b."""
        logs = [log10_ends(value) for value in self.exact]
        return [
            (a, b, (right[0], left[1]))
            for (a, left), (b, right) in pairwise(zip(self.eps, logs, strict=True))
        ]  # fmt: skip

    def refuted(self) -> dict[str, tuple[Fraction, ...]]:
        """Return bound -> the eps of the grid at which the exact delta is proved to be above it."""
        return {
            name: tuple(
                eps
                for eps, exact, bound in zip(self.eps, self.exact, values, strict=True)
                if bound is not None and exact.compare(bound) == 1
            )
            for name, values in self.bounds
        }

    def largest_factor(self, name: str) -> Fraction | None:
        """Return a lower end of the largest bound over exact delta on the grid; None if no delta is above 0."""
        values = dict(self.bounds)[name]
        factors = [
            fraction_ends(bound)[0] / exact.hi
            for exact, bound in zip(self.exact, values, strict=True)
            if bound is not None and exact.compare(0) == 1
        ]
        return max(factors, default=None)

    def table(self) -> DataTable:
        """The curve as a table: eps, delta, and a column for each bound."""
        columns = [self.eps, self.exact, *(values for _, values in self.bounds)]
        names = ("eps", "delta", *(name for name, _ in self.bounds))
        return DataTable(names, tuple(zip(*columns, strict=True)), (("protocol", self.subject),))


def eps_grid(last: Exact, cells: int) -> tuple[Fraction, ...]:
    """Return the multiples of last / cells from 0 to ``last``.

    >>> [str(eps) for eps in eps_grid(1, 2)]
    ['0', '1/2', '1']
    """
    end = as_fraction(last, name="last")
    return tuple(end * k / cells for k in range(cells + 1))


def privacy_curve(
    profile: _Profile, *, subject: str, eps: Sequence[Exact], bounds: Mapping[str, Bound] | None = None
) -> PrivacyCurve:
    """Return delta and published bounds of it on a grid of eps.

    Args:
        profile: of any protocol, or of several runs together.
        subject: what it is, in words.
        eps: at least two rational numbers of at least 0, rising.
        bounds: name -> function of eps, at most 4 of them; the slack is shaded up to the first.

    Returns:
        Enclosures, of relative width 2^-53 for a PrivacyProfile.

    >>> from exactdp import protocols
    >>> curve = privacy_curve(protocols.gap(2).privacy_profile(), subject="R^gap", eps=[0, "1/2", 1])
    >>> [float(delta) for delta in curve.exact][2], len(curve.bands())
    (0.0, 2)

    Cost: a question to the profile for each point; 0.4 s for 40 points of zsum of 10^6 users.

    Source: BartheOlmedo2013, Theorem 1.
    """
    grid = tuple(as_fraction(value, name="eps") for value in eps)
    check_rising("eps", grid)
    if grid[0] < 0:
        raise InvalidValueError(f"eps={short(grid[0])} is below 0. Begin at 0 or above.")
    chosen = dict(bounds or {})
    if len(chosen) > _MOST_BOUNDS:
        raise InvalidValueError(f"bounds has {len(chosen)} entries, more than the {_MOST_BOUNDS} of a figure. Choose.")
    exact = tuple(_interval(profile.delta(eps=value)) for value in grid)
    return PrivacyCurve(
        subject, grid, exact, tuple((name, tuple(_at(f, value) for value in grid)) for name, f in chosen.items())
    )


def _interval(value: Fraction | Interval) -> Interval:
    return value if isinstance(value, Interval) else Interval.around(value, relative_bits=DEFAULT_RELATIVE_BITS)


def _at(bound: Bound, eps: Fraction) -> Fraction | Interval | None:
    try:
        return bound(eps)
    except HypothesisError:
        return None


# --- The picture ----------------------------------------------------------------------------------------------------


def privacy_curve_picture(curve: PrivacyCurve, *, name: str = "privacy-curve", title: str | None = None) -> Picture:
    """Return the picture of a privacy curve; without a title it says how far the first bound is from the truth."""
    return Picture(
        name,
        title or _finding(curve),
        _caption(curve),
        2.9,
        curve.table(),
        lambda figure, theme: _paint(figure, theme, curve),
    )


def draw_privacy_curve(path: str | Path, curve: PrivacyCurve, *, theme: Theme = LIGHT) -> None:
    """Draw a privacy curve into an SVG or PNG file; see :meth:`Picture.draw`."""
    privacy_curve_picture(curve).draw(path, theme=theme)


def _finding(curve: PrivacyCurve) -> str:
    wrong = next((name for name, places in curve.refuted().items() if places), None)
    if wrong is not None:
        return f"Refuted: the {wrong} bound falls below the exact δ"
    last, delta = curve.eps[-1], number_words(curve.exact[-1])
    for name, values in curve.bounds[:1]:
        if values[-1] is not None and curve.exact[-1].upper.mantissa:
            return f"δ({number_words(last)}) = {delta}, where the {name} says {number_words(values[-1])}"
    k = len(curve.eps) // 3
    return f"δ({number_words(curve.eps[k])}) = {number_words(curve.exact[k])}: {curve.subject}"


def _caption(curve: PrivacyCurve) -> str:
    first, last = (number_words(eps, 3) for eps in (curve.eps[0], curve.eps[-1]))
    ends = [number_words(delta) for delta in (curve.exact[0], curve.exact[-1])]
    parts = [
        f"Privacy curve of {curve.subject}: δ against ε from {first} to {last}, on a logarithmic scale.",
        f"The exact δ falls from {ends[0]} to {ends[1]}; the pale band around it provably contains it.",
    ]
    k = next((k for k, value in enumerate(curve.exact) if not value.upper.mantissa), len(curve.eps)) - 1
    claims = [f"{name} says {number_words(value)}" for name, values in curve.bounds if (value := values[k]) is not None]
    if claims:
        exact = number_words(curve.exact[k])
        parts.append(f"At ε = {number_words(curve.eps[k], 3)} the exact δ is {exact}; {', '.join(claims)}.")
    for name, places in curve.refuted().items():
        if places:
            span = f"{number_words(places[0], 3)} to {number_words(places[-1], 3)}"
            parts.append(f"At {len(places)} points, ε from {span}, the exact δ is above {name}: it is refuted there.")
    return " ".join(parts)


def _paint(figure: Figure, theme: Theme, curve: PrivacyCurve) -> None:
    axes = figure.add_subplot()
    floor = _floor(curve)
    xs = [float(eps) for eps in curve.eps]
    axes.set(xlim=(xs[0], xs[-1]), ylim=(floor, -0.02 * floor), xlabel="ε", ylabel="δ")
    power_axis(axes, "y")
    exact = [log10_ends(value)[1] for value in curve.exact]
    lines = [[None if v is None else min(0.0, log10_ends(v)[1]) for v in values] for _, values in curve.bounds]
    zero = next((k for k, y in enumerate(exact) if y == -inf), None)
    known = "exact" if zero is None else f"exact, and 0 at ε ≥ {number_words(curve.eps[zero], 3)}"
    labels = [(max(exact[-1], floor), known, theme.series[0])]
    for (name, _), line, series in zip(curve.bounds, lines, theme.series[1:], strict=False):
        places = [k for k, y in enumerate(line) if y is not None and y > -inf]
        heights = [line[k] or 0.0 for k in places]
        plot_series(axes, [xs[k] for k in places], heights, series, markevery=max(1, len(places) // 6))
        if places:
            labels.append((max(heights[-1], floor), name, series))
    _exact_band(axes, theme, curve, floor)
    if lines:
        _shade_slack(axes, theme, xs, exact, lines[0], floor)
    _shade_refuted(axes, theme, curve, xs, exact, lines, floor)
    key_below(axes, labels)


def _floor(curve: PrivacyCurve) -> float:
    """Return the lower end of the axis: a little below the least positive value."""
    least = min((y for value in curve.exact if (y := log10_ends(value)[0]) > -inf), default=-1.0)
    return min(1.04 * least, -0.5)


def _exact_band(axes: Axes, theme: Theme, curve: PrivacyCurve, floor: float) -> None:
    """Draw the band, and a line through the points of the grid; where delta is 0, it ends at the axis."""
    color, xs, bands = theme.colors[0], [float(eps) for eps in curve.eps], curve.bands()
    low, high = ([max(band[2][side], floor) for band in bands] for side in (0, 1))
    axes.fill_between(xs, [*low, low[-1]], [*high, high[-1]], step="post", color=color, alpha=0.22, linewidth=0)
    heights = [log10_ends(value)[1] for value in curve.exact]
    known = [k for k, y in enumerate(heights) if y > -inf]
    points = [(xs[k], heights[k]) for k in known] + [(xs[k], floor) for k in known[-1:] if k + 1 < len(xs)]
    axes.plot([x for x, _ in points], [y for _, y in points], color=color, zorder=4)


def _shade_slack(
    axes: Axes, theme: Theme, xs: list[float], exact: list[float], line: list[float | None], floor: float
) -> None:
    """Shade from the exact curve up to the first bound, where it is above: what it gives away."""
    places = [k for k, y in enumerate(line) if y is not None and -inf < y >= exact[k]]
    if not places:
        return
    low, high = [max(exact[k], floor) for k in places], [max(line[k] or 0.0, floor) for k in places]
    axes.fill_between([xs[k] for k in places], low, high, color=theme.colors[1], alpha=0.13, linewidth=0)
    most = max((high[k] - exact[place] for k, place in enumerate(places) if exact[place] > -inf), default=0.0)
    k = max(range(len(places)), key=lambda j: (0.55 < j / len(places) < 0.8, high[j] - low[j]))
    if high[k] - low[k] > -0.45 * floor:
        factor = power_words(most) if most >= 2 else f"{10**most:.0f}"
        axes.text(
            xs[places[k]], (0.6 * high[k] + 0.4 * low[k]), f"slack: up to\na factor of {factor}",
            ha="center", va="center", color=theme.quiet,
        )  # fmt: skip


def _shade_refuted(
    axes: Axes,
    theme: Theme,
    curve: PrivacyCurve,
    xs: list[float],
    exact: list[float],
    lines: list[list[float | None]],
    floor: float,
) -> None:
    """Hatch from a bound up to the exact curve where the bound is proved to be below."""
    refuted = curve.refuted()
    for (name, _), line, series in zip(curve.bounds, lines, theme.series[1:], strict=False):
        places = [k for k, eps in enumerate(curve.eps) if eps in set(refuted[name])]
        if not places:
            continue
        low = [max(y, floor) if (y := line[k]) is not None else floor for k in places]
        high = [exact[k] for k in places]
        look: dict[str, Any] = {"facecolor": "none", "edgecolor": series.color, "hatch": "////", "linewidth": 0.0}
        axes.fill_between([xs[k] for k in places], low, high, **look)
        k = next((j for j in range(len(places)) if low[j] < 0.8 * floor + 0.2 * high[0]), len(places) - 1)
        words = f"{name}: below\nthe exact δ, refuted"
        tag(axes, xs[places[k]] - 0.03 * xs[-1], low[k], words, theme, ha="right", va="center")


Corner = tuple[Fraction | Interval, Fraction | Interval]

_MOST_CURVES: Final = 3
"""More exact curves lie on each other."""
_MOST_MARKED: Final = 40
"""The corners of a polygon with more of them are not marked."""


@dataclass(frozen=True, slots=True)
class TradeoffCurves:
    """Exact trade-off functions, and the polygons of (eps, delta) promises, by name."""

    subject: str
    exact: tuple[tuple[str, TradeoffFunction], ...]
    promises: tuple[tuple[str, tuple[Corner, ...]], ...]

    def table(self) -> DataTable:
        """The corners as a table: name, kind ("exact" or "promise"), type_one_error, type_two_error."""
        rows: list[tuple[Cell, ...]] = [
            (name, "exact", *corner) for name, function in self.exact for corner in function.vertices
        ]
        rows += [(name, "promise", *corner) for name, corners in self.promises for corner in corners]
        return DataTable(
            ("name", "kind", "type_one_error", "type_two_error"), tuple(rows), (("protocol", self.subject),)
        )


def promised_corners(bound: PrivacyBound) -> tuple[Corner, ...]:
    """Return the three corners of an (eps, delta) promise: exact if e^eps is rational, else enclosed.

    >>> promised_corners(PrivacyBound(LogRational(3), Fraction(0)))[1]
    (Fraction(1, 4), Fraction(1, 4))

    Source: DongRothSu2022, section 2.
    """
    if isinstance(bound.delta, Interval):
        raise InvalidValueError("delta is an Interval. Pass its upper end: a larger delta is promised too.")
    if isinstance(bound.eps, LogRational) and bound.eps.is_infinite:
        raise InvalidValueError("eps is infinite, which promises nothing but delta. Pass a finite eps.")
    rest, level = 1 - bound.delta, read_privacy_level(eps=bound.eps, exp_eps=None)
    middle_corner: Fraction | Interval
    if level.exp_eps is not None:
        middle_corner = rest / (1 + level.exp_eps)
    else:
        exp_eps = level.enclose(DEFAULT_RELATIVE_BITS)
        middle_corner = Interval.between(rest / (1 + exp_eps.hi), rest / (1 + exp_eps.lo), bits=DEFAULT_RELATIVE_BITS)
    return (Fraction(0), rest), (middle_corner, middle_corner), (rest, Fraction(0))


def tradeoff_curves(
    exact: Mapping[str, TradeoffFunction], promises: Mapping[str, PrivacyBound], *, subject: str
) -> TradeoffCurves:
    """Return trade-off functions beside promises, ready to be drawn.

    Args:
        exact: name -> ``profile.tradeoff()``, one to three.
        promises: name -> (eps, delta).
        subject: the protocol, in words.

    >>> from exactdp import protocols
    >>> curves = tradeoff_curves({"n = 2": protocols.gap(2).privacy_profile().tradeoff()}, {}, subject="R^gap")
    >>> curves.exact[0][1]("1/4")
    Fraction(51, 100)

    Cost: none beyond the trade-off functions.
    """
    if not 1 <= len(exact) <= _MOST_CURVES:
        raise InvalidValueError(f"exact has {len(exact)} trade-off functions. Pass one to {_MOST_CURVES}.")
    return TradeoffCurves(
        subject, tuple(exact.items()), tuple((name, promised_corners(bound)) for name, bound in promises.items())
    )


def tradeoff_picture(curves: TradeoffCurves, *, title: str, name: str = "tradeoff") -> Picture:
    """Return the picture of trade-off functions."""
    shown = "; ".join(
        f"{label}, {len(function.vertices)} corners, both errors {number_words(_fixed_point(function), 3)} at best"
        for label, function in curves.exact
    )
    promised = "; ".join(f"{label}, {number_words(corners[1][0], 3)}" for label, corners in curves.promises)
    caption = (
        f"Trade-off functions of {curves.subject}: the least type II error of any test between neighbouring data sets, "
        f"against its type I error. Exact polygons: {shown}."
        + (f" Promised corner, where both errors are equal: {promised}." if promised else "")
        + " The diagonal is a test that sees nothing."
    )
    return Picture(
        name, title, caption, 3.3, curves.table(), lambda figure, theme: _paint_tradeoff(figure, theme, curves)
    )


def _fixed_point(function: TradeoffFunction) -> Fraction:
    """Return the error c with f(c) = c."""
    for (x0, y0), (x1, y1) in zip(function.vertices, function.vertices[1:], strict=False):
        if x0 <= y0 and y1 <= x1:
            return (y0 * (x1 - x0) - x0 * (y1 - y0)) / (x1 - x0 - (y1 - y0))
    return Fraction(0)


def _paint_tradeoff(figure: Figure, theme: Theme, curves: TradeoffCurves) -> None:
    axes = figure.add_subplot()
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="type I error", ylabel="type II error", aspect="equal")
    axes.plot([0, 1], [1, 0], color=theme.quiet, linewidth=0.9, linestyle=(0, (2, 2)))
    handles = []
    for (name, corners), series in zip(curves.promises, theme.series[1:], strict=False):
        xs, ys = ([middle(float_ends(corner[side])) for corner in corners] for side in (0, 1))
        handles += axes.plot(xs, ys, color=series.color, linestyle=series.dashes, linewidth=1.6, label=name, zorder=4)
        axes.fill_between(xs, ys, color=series.color, alpha=0.10, linewidth=0)
    looks = [theme.series[0], *theme.series[1 + len(curves.promises) :]]
    for (name, function), series in zip(curves.exact, looks, strict=False):
        xs, ys = ([middle(float_ends(corner[side])) for corner in function.vertices] for side in (0, 1))
        marker = series.marker if len(xs) <= _MOST_MARKED else ""
        handles += axes.plot(
            [*xs, 1.0], [*ys, 0.0], color=series.color, marker=marker, markersize=3.8, linewidth=1.8, label=name
        )
    key_of(axes, handles)
    tag(axes, 0.62, 0.40, "sees nothing", theme, rotation=-45, ha="center", va="center", color=theme.quiet)
    if curves.promises:
        tag(axes, 0.03, 0.03, "ruled out by\nthe promise", theme, color=theme.quiet, bbox=None)
