"""Trade-off functions: what a test of one data set against a neighbour can do, exactly, and what theorems promise.

(eps, delta)-DP is the statement that the trade-off function lies on or above

    f(a) = max(0, 1 - delta - e^eps a, e^-eps (1 - delta - a)),

a polygon with the corners (0, 1 - delta), (c, c) for c = (1 - delta) / (1 + e^eps), and (1 - delta, 0).

Source: DongRothSu2022, section 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from exactdp.errors import InvalidValueError
from exactdp.numbers.epsilon import LogRational, read_privacy_level
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS
from exactdp.numbers.interval import Interval
from exactdp.privacy.hypotheses import PrivacyBound
from exactdp.privacy.tradeoff import TradeoffFunction
from exactdp.report.figures.data import Cell, DataTable
from exactdp.report.figures.scale import float_ends, middle, number_words
from exactdp.report.figures.style import Picture, Theme, key_of, tag

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
    return Picture(name, title, caption, 3.3, curves.table(), lambda figure, theme: _paint(figure, theme, curves))


def _fixed_point(function: TradeoffFunction) -> Fraction:
    """Return the error c with f(c) = c."""
    for (x0, y0), (x1, y1) in zip(function.vertices, function.vertices[1:], strict=False):
        if x0 <= y0 and y1 <= x1:
            return (y0 * (x1 - x0) - x0 * (y1 - y0)) / (x1 - x0 - (y1 - y0))
    return Fraction(0)


def _paint(figure: Figure, theme: Theme, curves: TradeoffCurves) -> None:
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
