"""What zsum's theorem takes: its noise against eps beside the noise that is enough, with their errors, and its constant
5.

For each eps the noise mu = n gamma is the theorem's, 50 ln(2/delta) / eps^2, beside the least safe one on a grid, found
and certified by :func:`exactdp.studies.calibration.grid_search.calibrate`. The error is alpha, which the worst data set
exceeds with probability at most beta: by the theorem's formula, and optimal, for either noise.

Source: BalcerCheu2020, section 3.1.

Why the theorem says 5 is seen in the plot of alpha - eps/sqrt(s) for s = 4 and s = 5, alpha = tanh(eps/2). It needs
alpha >= eps/sqrt(s) on (0, 1]. Both terms rise with eps, so between two neighbouring points a < b of the grid the
difference lies between tanh(a/2) - b/sqrt(s) and tanh(b/2) - a/sqrt(s): these are the bands, with the ends enclosed and
rounded outward. That the one for s = 4 falls below 0, and that no value for s = 5 does, are rows of the ledger
(zsum-sqrt4, zsum-sqrt5); the picture shows where.

The picture of a choice: both ends of each family's error, or at equal error of its delta, on one logarithmic axis
------------------------------------------------------------------------------------------------------------------

A bar is what the proved ends leave open, with its upper end in numbers. Families whose bars overlap have no proved
order.

Source: WangBlockiLiJha2017, section 4 (the families).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from pathlib import Path
from typing import TYPE_CHECKING, Final

import exactdp as xdp
from exactdp import bounds
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.exact import as_fraction, as_integer, as_probability
from exactdp.numbers.real import Real
from exactdp.report.figures.data import DataTable, Number, check_rising, float_ends, log10_ends, middle, number_words
from exactdp.report.figures.style import (
    LIGHT,
    Picture,
    Series,
    Theme,
    decimal_axis,
    key_below,
    key_of,
    plot_series,
    power_axis,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from exactdp.studies.calibration.choice import Choices

_TANH_BITS: Final = 64
"""Relative accuracy of tanh, far below what a pixel shows."""
_SCALE: Final = 2**_TANH_BITS
"""The square root is rounded to a multiple of 1 over this."""
_ROOTS: Final = (5, 4)
"""The published constant, and the next smaller integer."""


def alpha_bands(s: int, cells: int) -> list[tuple[Fraction, Fraction, Fraction]]:
    """Return (eps, low, high): for all eps' from eps - 1/cells to eps, alpha - eps'/sqrt(s) is in [low, high].

    >>> [(str(eps), low < 0 < high) for eps, low, high in alpha_bands(5, 2)]
    [('1/2', True), ('1', True)]
    """
    grid = [Fraction(i, cells) for i in range(cells + 1)]
    alphas = [_alpha(eps) for eps in grid]
    root = Fraction(isqrt(s * _SCALE**2), _SCALE)
    above = root if root**2 == s else root + Fraction(1, _SCALE)
    return [
        (right, low[0] - right / root, high[1] - left / above)
        for left, right, low, high in zip(grid, grid[1:], alphas, alphas[1:], strict=False)
    ]


def _alpha(eps: Fraction) -> tuple[Fraction, Fraction]:
    """Return bounds of tanh(eps/2) = 1 - 2/(e^eps + 1)."""
    if eps == 0:
        return Fraction(0), Fraction(0)
    exp_eps = enclose_real(Real.exp(eps), relative_bits=_TANH_BITS)
    return 1 - 2 / (exp_eps.lo + 1), 1 - 2 / (exp_eps.hi + 1)


def alpha_picture(*, cells: int = 500) -> Picture:
    """Return the picture of both bands."""
    bands = {s: alpha_bands(s, cells) for s in _ROOTS}
    ends = {s: (low + high) / 2 for s, band in bands.items() for _, low, high in band[-1:]}
    rows = tuple((s, eps - Fraction(1, cells), eps, low, high) for s, band in bands.items() for eps, low, high in band)
    return Picture(
        "alpha",
        "zsum's constant: 5 is the least integer that works, 4 fails",
        "The difference α − ε/√s, α = tanh(ε/2), against ε from 0 to 1, as bands that provably contain it. For s = 5 "
        f"it rises and falls again, and ends near {number_words(ends[5])}. For s = 4 it falls from the start, to about "
        f"−{number_words(-ends[4])}.",
        2.7,
        DataTable(("s", "eps_from", "eps_to", "low", "high"), rows),
        lambda figure, theme: _paint_bands(figure, theme, bands),
    )


def draw_alpha(path: str | Path, *, cells: int = 500, theme: Theme = LIGHT) -> None:
    """Draw both bands into an SVG or PNG file; the same picture, byte for byte, every time."""
    alpha_picture(cells=cells).draw(path, theme=theme)


def _paint_bands(figure: Figure, theme: Theme, bands: dict[int, list[tuple[Fraction, Fraction, Fraction]]]) -> None:
    axes = figure.add_subplot()
    axes.set(xlim=(0, 1), xlabel="ε", ylabel="α − ε/√s")
    axes.axhline(0, color=theme.ink, linewidth=0.9)
    for (s, band), series in zip(bands.items(), theme.series, strict=False):
        axes.fill_between(
            [0.0, *(float(eps) for eps, _, _ in band)],
            [float_ends(band[0][1])[0], *(float_ends(low)[0] for _, low, _ in band)],
            [float_ends(band[0][2])[1], *(float_ends(high)[1] for _, _, high in band)],
            step="pre",
            facecolor=series.color,
            edgecolor=series.color,
            hatch=series.hatch,
            linewidth=0.6,
            label=f"s = {s}: {'never below 0' if band[-1][1] > 0 else 'below 0'}",
        )
    key_of(axes)


_STEPS: Final = 2**28
"""The grid has so many steps to gamma = 1/2, times the number of users rounded up to a power of two."""


@dataclass(frozen=True, slots=True)
class CalibrationPoint:
    """One eps.

    Args:
        eps: the target.
        theorem, least: n gamma by the theorem (rounded up to a multiple of 2^-53) and the least safe one.
        level: what stands behind the least one, "certificate" or "enclosure".
        published: the theorem's alpha.
        theorem_alpha, least_alpha: the optimal alpha with either noise.
    """

    eps: Fraction
    theorem: Fraction
    least: Fraction
    level: str
    published: xdp.Interval
    theorem_alpha: Fraction | xdp.Interval
    least_alpha: Fraction | xdp.Interval

    @property
    def multiplier(self) -> Fraction:
        """How many times more noise the theorem takes."""
        return self.theorem / self.least


@dataclass(frozen=True, slots=True)
class CalibrationCurves:
    """Points for rising eps at one n, delta and beta."""

    n: int
    delta: Fraction
    beta: Fraction
    points: tuple[CalibrationPoint, ...]

    def table(self) -> DataTable:
        """The points as a table."""
        names = ("eps", "theorem_noise", "least_noise", "level", "published_alpha", "theorem_alpha", "least_alpha")
        rows = tuple(
            (p.eps, p.theorem, p.least, p.level, p.published, p.theorem_alpha, p.least_alpha) for p in self.points
        )
        about = {"protocol": "zsum", "n": self.n, "delta": self.delta, "beta": self.beta}
        return DataTable(names, rows, tuple((name, str(value)) for name, value in about.items()))


def calibration_curves(n: int, *, eps: Sequence[xdp.Exact], delta: xdp.Exact, beta: xdp.Exact) -> CalibrationCurves:
    """Return the theorem's and the least noise of zsum, and their errors, for each eps.

    Args:
        n: number of users who follow the protocol, enough for the theorem at the least eps.
        eps: rising rational numbers in (0, 1], at least two.
        delta: in (0, 1).
        beta: probability of a larger error, in [delta^25, 1).

    Raises:
        HypothesisError: where the theorem does not apply.

    >>> curves = calibration_curves(2000, eps=["9/10", 1], delta="1e-6", beta="1/20")
    >>> [round(point.multiplier) for point in curves.points]
    [23, 21]

    Cost: 0.5 s for each eps.

    Source: BalcerCheu2020, section 3.1.
    """
    users, target = as_integer(n, name="n", at_least=1), as_probability(delta, name="delta")
    failure, grid = as_probability(beta, name="beta"), tuple(as_fraction(value, name="eps") for value in eps)
    check_rising("eps", grid)
    return CalibrationCurves(users, target, failure, tuple(_point(users, value, target, failure) for value in grid))


def _point(n: int, eps: Fraction, delta: Fraction, beta: Fraction) -> CalibrationPoint:
    gamma = bounds.zsum_rounded_gamma(n, eps=eps, delta=delta)
    published = bounds.zsum_theorem_accuracy(n, eps=eps, delta=delta, beta=beta)
    least = xdp.calibrate("zsum", n=n, eps=eps, delta=delta, grid=Fraction(1, _STEPS << n.bit_length()))
    alphas = [xdp.optimal_accuracy(xdp.protocols.zsum(n, gamma=g), beta=beta) for g in (gamma, least.parameter)]
    return CalibrationPoint(eps, n * gamma, n * least.parameter, least.level, published, alphas[0], alphas[1])


def calibration_picture(curves: CalibrationCurves, *, name: str = "calibration") -> Picture:
    """Return the picture: noise above, error below, both logarithmic."""
    factors = [point.multiplier for point in curves.points]
    span = f"{min(factors).__floor__()} to {max(factors).__floor__()}"
    first, last = curves.points[0], curves.points[-1]
    caption = (
        f"zsum of n = {curves.n} users, δ = {number_words(curves.delta)}. Above: the noise nγ against ε. The theorem "
        f"takes {number_words(first.theorem, 3)} at ε = {number_words(first.eps)} and {number_words(last.theorem, 3)} "
        f"at ε = {number_words(last.eps)}; {number_words(first.least, 3)} and {number_words(last.least, 3)} are enough "
        f"({_levels(curves)}). Below: the error α of the mean that the worst data set exceeds with probability "
        f"{number_words(curves.beta)}: the theorem's formula from {number_words(first.published)} to "
        f"{number_words(last.published)}, the optimum for its noise, and the optimum for the least noise from "
        f"{number_words(first.least_alpha)} to {number_words(last.least_alpha)}."
    )
    title = f"zsum's theorem takes {span} times the noise that is enough"
    return Picture(
        name, title, caption, 5.0, curves.table(), lambda figure, theme: _paint(figure, theme, curves)
    )  # fmt: skip


def _levels(curves: CalibrationCurves) -> str:
    levels = sorted({point.level for point in curves.points})
    return "each with a certificate" if levels == ["certificate"] else f"evidence: {' and '.join(levels)}"


def _paint(figure: Figure, theme: Theme, curves: CalibrationCurves) -> None:
    noise, error = figure.subplots(2, 1)
    xs = [float(point.eps) for point in curves.points]
    theorem, least = [p.theorem for p in curves.points], [p.least for p in curves.points]
    blue, orange, green, *_ = theme.series
    _paint_curves(noise, theme, xs, [("theorem", theorem, orange), ("least", least, blue)])
    noise.set_ylabel("noise nγ")
    for k in {0, len(xs) // 2, len(xs) - 1}:
        _arrow(noise, theme, xs[k], least[k], theorem[k])
    alphas: list[tuple[str, Sequence[Number], Series]] = [
        ("theorem's formula", [p.published for p in curves.points], orange),
        ("its noise, optimal", [p.theorem_alpha for p in curves.points], green),
        ("least noise, optimal", [p.least_alpha for p in curves.points], blue),
    ]
    _paint_curves(error, theme, xs, alphas)
    error.set_ylabel("error α of the mean")


def _paint_curves(
    axes: Axes, theme: Theme, xs: list[float], lines: Sequence[tuple[str, Sequence[Number], Series]]
) -> None:
    labels = []
    for name, values, series in lines:
        heights = [middle(log10_ends(value)) for value in values]
        plot_series(axes, xs, heights, series, zorder=3)
        labels.append((heights[-1], name, series))
    low, high = axes.get_ylim()
    margin = 0.08 * (high - low)
    axes.set(xlim=(xs[0] - 0.05, xs[-1] + 0.03), ylim=(low - margin, high + margin), xlabel="ε")
    decimal_axis(axes)
    key_below(axes, labels)


def _arrow(axes: Axes, theme: Theme, x: float, low: Fraction, high: Fraction) -> None:
    """Draw the factor between two noises at x."""
    ends = [middle(log10_ends(value)) for value in (low, high)]
    shape = {"arrowstyle": "<->", "color": theme.quiet, "linewidth": 0.9, "shrinkA": 5, "shrinkB": 5}
    axes.annotate("", (x, ends[0]), (x, ends[1]), arrowprops=shape)
    side = 1 if x < 0.9 * axes.get_xlim()[1] else -1
    axes.annotate(
        f"×{middle(float_ends(high / low)):.0f}", (x, sum(ends) / 2), (5 * side, 0), textcoords="offset points",
        va="center", ha="left" if side > 0 else "right", color=theme.ink,
    )  # fmt: skip


_LEAST: Final = 0.012
"""Half the least length of a bar, in powers of ten."""


def choice_table(found: Choices) -> DataTable:
    """Return the rows with an answer, in their order: places, e^eps0, and both ends of error and delta."""
    question = found.question
    about = {
        "n": question.n,
        "inputs": question.inputs,
        "e^eps" if question.level.eps is None else "eps": question.level.exp_eps or question.level.eps,
        "delta": question.delta,
        "times": question.times,
        "beta": question.beta,
        "equal": "privacy" if question.error is None else f"error of {question.error}",
    }
    rows = []
    for row in found.rows:
        if (places := found.places(row)) is not None:
            rows.append((row.family, row.name, *places, row.exp_eps0, row.error, row.delta))
    names = ("family", "randomizer", "first place", "last place", "exp_eps0", "error", "delta")
    return DataTable(names, tuple(rows), tuple((name, str(value)) for name, value in about.items()))


def choice_picture(found: Choices) -> Picture:
    """Return the picture of a choice."""
    question, rows = found.question, [row for row in found.rows if found.places(row) is not None]
    by_error = question.error is None
    what = "error" if by_error else "δ"
    first = [row.family for row in rows if (found.places(row) or (0,))[0] == 1]
    best = " or ".join([", ".join(first[:-1]), first[-1]] if len(first) > 1 else first) if first else "no family"
    title = f"{'The least error' if by_error else 'The least δ'}: {best}"
    runs = f", {question.times} releases together" if question.times > 1 else ""
    equal = f"δ = {number_words(question.delta)}" if by_error else f"an error of {number_words(question.error or 0)}"
    caption = (
        f"Frequencies of {question.inputs} inputs, n = {question.n}, at {equal}{runs}: both proved ends of the {what} "
        "of each family, and the upper end in numbers. Where two bars overlap, the order is open."
    )
    table = choice_table(found)
    return Picture("choose", title, caption, 2.6, table, lambda figure, theme: _paint_choices(figure, theme, found))


def _paint_choices(figure: Figure, theme: Theme, found: Choices) -> None:
    axes = figure.add_subplot()
    rows = [(row, ends) for row in found.rows if (ends := found.ends(row)) is not None]
    for place, (row, (low, high)) in enumerate(rows):
        # an end of 0 has no logarithm: the bar is then its upper end
        left, right = log10_ends(low or high)[0], log10_ends(high)[1]
        series = theme.series[0 if (found.places(row) or (0,))[0] == 1 else 1]
        middle = (left + right) / 2
        half = max((right - left) / 2, _LEAST)  # what is known better is drawn as wide as can be seen
        bar = [middle - half, middle + half]
        axes.plot(bar, [place, place], color=series.color, linewidth=5, solid_capstyle="butt")
        axes.annotate(number_words(high), (right, place), (6, 0), textcoords="offset points", va="center")
    axes.set_yticks(range(len(rows)), [row.family for row, _ in rows])
    axes.invert_yaxis()
    axes.set(xlabel="error in users" if found.question.error is None else "δ at ε")
    power_axis(axes, "x")
    axes.margins(x=0.35, y=0.15)
