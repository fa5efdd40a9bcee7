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
from typing import Any, Final, Protocol

from exactdp.errors import HypothesisError, InvalidValueError
from exactdp.numbers.epsilon import LogRational, read_privacy_level
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_fraction
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval, fraction_ends
from exactdp.privacy.hypotheses import PrivacyBound
from exactdp.privacy.tradeoff import TradeoffFunction
from exactdp.report.figures.chart import Area, Axis, Chart, Line, Mark, Note, Panel, Value, one_panel
from exactdp.report.figures.data import Cell, DataTable, check_rising, log10_ends, number_words, power_words
from exactdp.report.figures.picture import Picture

Bound = Callable[[Fraction], Fraction | Interval]
"""eps -> the published delta; HypothesisError if there is none."""

_ROOM: Final = 0.45
"""Of the vertical axis: a gap as wide holds words."""
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
    refuted = [(bound, places) for bound, places in curve.refuted().items() if places]
    said = "the pale band provably contains the exact δ"
    if refuted:
        bound, places = refuted[0]
        said = f"at {len(places)} points the exact δ is above the {bound}"
    return Picture(name, title or _finding(curve), f"Privacy of {curve.subject}: {said}.", curve.table(), _chart(curve))


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


def _chart(curve: PrivacyCurve) -> Chart:
    """Return the exact curve in its band, the bounds, the slack up to the first, and where a bound is refuted."""
    eps, exact = curve.eps, curve.exact
    zero = next((k for k, value in enumerate(exact) if not value.upper.mantissa), None)
    known = "exact" if zero is None else f"exact, and 0 at ε ≥ {number_words(eps[zero], 3)}"
    every = max(1, len(eps) // 6)
    # a bound that falls far below the least positive delta is not followed there
    least = next((value for value in reversed(exact) if value.upper.mantissa), Fraction(1, 10))
    marks: list[Mark] = [Area(eps, exact[1:] + exact[-1:], exact, alpha=0.22, in_steps=True)]
    marks += [Line(eps, values, name, color, every=every) for color, (name, values) in enumerate(curve.bounds, start=1)]
    if curve.bounds:
        above = [(e, low, high) for e, low, high in zip(eps, exact, curve.bounds[0][1], strict=True)
                 if high is not None and low.compare(high) == -1]  # fmt: skip
        marks.append(Area(*_columns(above), color=1, alpha=0.13))
        marks += _slack_words(above)
    refuted = curve.refuted()
    for color, (name, values) in enumerate(curve.bounds, start=1):
        wrong = [(e, low, high) for e, low, high in zip(eps, values, exact, strict=True)
                 if low is not None and e in set(refuted[name])]  # fmt: skip
        if wrong:
            marks.append(Area(*_columns(wrong), color=color, hatch="////"))
            e, low, _ = next((row for row in wrong if log10_ends(row[1])[0] < log10_ends(least)[0]), wrong[-1])
            marks.append(Note(e, low, f"{name}: below\nthe exact δ, refuted", ha="right", va="bottom", dx=-14, dy=6))
    marks.append(Line(eps, exact, known, marker="", layer=4))
    return one_panel(*marks, x=Axis("ε", low=eps[0], high=eps[-1]), y=Axis("δ", is_log=True, low=least, high=1, most=6))


def _columns(rows: Sequence[tuple[Any, Any, Any]]) -> tuple[list[Any], list[Any], list[Any]]:
    return [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]


def _slack_words(above: Sequence[tuple[Fraction, Interval, Any]]) -> list[Note]:
    """Return by which factor the first bound exceeds the exact delta at most, where there is room to say it."""
    ratios = [(log10_ends(high)[0] - log10_ends(low)[1], e, high) for e, low, high in above if low.upper.mantissa]
    most, e, high = max(ratios, default=(0.0, Fraction(0), None))
    if most < -_ROOM * min((log10_ends(low)[0] for _, low, _ in above if low.upper.mantissa), default=0.0):
        return []
    words = f"slack: up to\na factor of {power_words(most)}"
    return [Note(e, high, words, ha="center", va="top", color="quiet", dx=-40, dy=-24)]


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
    marks: list[Mark] = [Line([0, 1], [1, 0], color="quiet", form="short", width=0.9)]
    for color, (label, corners) in enumerate(curves.promises, start=1):
        across, up = ([corner[side] for corner in corners] for side in (0, 1))
        marks += [Area(across, [0] * len(across), up, color=color, alpha=0.1)]
        marks += [Line(across, up, label, color, marker="", width=1.6, layer=4)]
    colors = [0, *range(1 + len(curves.promises), 5)]
    for color, (label, function) in zip(colors, curves.exact, strict=False):
        closed: list[tuple[Value, Value]] = [*function.vertices, (1, 0)]
        xs, ys = ([corner[side] for corner in closed] for side in (0, 1))
        marker = None if len(closed) <= _MOST_MARKED else ""
        marks.append(Line(xs, ys, label, color, "solid", marker, size=3.8))
    marks.append(
        Note(Fraction(3, 5), Fraction(2, 5), "sees nothing", "center", color="quiet", dx=8, dy=8, rotation=-45)
    )
    if curves.promises:
        marks.append(Note(0, 0, "ruled out by\nthe promise", va="bottom", color="quiet", dx=4, dy=4))
    equal = ", ".join(number_words(_fixed_point(function), 3) for _, function in curves.exact)
    x, y = Axis("type I error", low=0, high=1), Axis("type II error", low=0, high=1)
    return Picture(
        name,
        title,
        f"{curves.subject}: the least type II error of any test between neighbours. Both errors are equal at {equal}.",
        curves.table(),
        Chart((Panel(tuple(marks), x, y, height=3.3, is_square=True),)),
    )


def _fixed_point(function: TradeoffFunction) -> Fraction:
    """Return the error c with f(c) = c."""
    for (x0, y0), (x1, y1) in zip(function.vertices, function.vertices[1:], strict=False):
        if x0 <= y0 and y1 <= x1:
            return (y0 * (x1 - x0) - x0 * (y1 - y0)) / (x1 - x0 - (y1 - y0))
    return Fraction(0)
