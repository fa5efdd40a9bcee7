"""Sample and threshold: its published, refined and exact delta, and its curve beside that of randomized response.

Two pictures: the three deltas against the threshold, at the rate alpha (1 - e^-eps), whatever the number of users; and
delta against e^eps of sample and threshold and of randomized response, each with as much noise as one error allows.

Source: BharadwajCormode2022, section 3 (the published bound as printed in secondary sources).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log10
from typing import TYPE_CHECKING, Final

import exactdp as xdp
from exactdp import bounds
from exactdp.report.figures.data import DataTable, Number, log10_ends, middle, number_words
from exactdp.report.figures.style import Picture, Theme, key_below, plot_series, power_axis, tag
from exactdp.studies.calibration.equal_error import BothDeltas, EqualError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_BEYOND: Final = 3
"""Thresholds that are drawn beyond the published one."""


# --- Against the threshold ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ThresholdPoint:
    """delta at one threshold: as published, by the refined bound, and the exact one of all numbers of holders."""

    threshold: int
    published: xdp.Interval
    refined: xdp.Interval
    exact: Fraction


def threshold_points(thresholds: Sequence[int], *, alpha: Fraction, exp_eps: Fraction) -> tuple[ThresholdPoint, ...]:
    """Return the three deltas at the rate alpha (1 - 1/e^eps), for each threshold.

    >>> (point,) = threshold_points([20], alpha=Fraction(1, 4), exp_eps=Fraction(2))
    >>> [f"{float(delta):.2g}" for delta in (point.published, point.refined, point.exact)]
    ['8.1e-06', '4.2e-09', '1.4e-11']

    Cost: 2 ms for each.

    Source: BharadwajCormode2022, section 3 (the published bound as printed in secondary sources).
    """
    return tuple(
        ThresholdPoint(
            threshold,
            bounds.published_sample_threshold_delta(threshold, alpha=alpha),
            bounds.refined_sample_threshold_delta(threshold, alpha=alpha, exp_eps=exp_eps),
            bounds.sample_threshold_worst(threshold, alpha=alpha, exp_eps=exp_eps).delta,
        )
        for threshold in thresholds
    )


def threshold_picture(
    delta: Fraction, *, alpha: Fraction, exp_eps: Fraction, name: str = "sampling-threshold"
) -> Picture:
    """Return the picture of the three deltas against the threshold, and of the least one by each for ``delta``."""
    _, enough = bounds.sample_threshold_parameters(eps=xdp.LogRational(exp_eps), delta=delta, alpha=alpha)
    points = threshold_points(range(1, enough + _BEYOND + 1), alpha=alpha, exp_eps=exp_eps)
    lines: list[list[Number]] = [
        [point.published for point in points], [point.refined for point in points], [point.exact for point in points]
    ]  # fmt: skip
    least = [next(k for k, value in enumerate(line, start=1) if value <= delta) for line in lines]
    rate, at = alpha * (1 - 1 / exp_eps), points[enough - 1]
    caption = (
        f"Sample and threshold at the rate {rate}, which is α (1 − e^−ε) for α = {alpha} and e^ε = "
        f"{number_words(exp_eps)}: δ of one count against the threshold, on a logarithmic scale, the largest over all "
        f"numbers of users and of holders. At the threshold {enough} the published bound is "
        f"{number_words(at.published)}, the refined one {number_words(at.refined)}, and the exact δ "
        f"{number_words(at.exact)}. For δ = {number_words(delta)} (the line) the least thresholds "
        f"are {least[0]} as published, {least[1]} by the refined bound, and {least[2]} exactly."
    )
    title = f"For δ = {number_words(delta)} the published threshold is {least[0]}; {least[2]} is enough"
    rows = tuple((point.threshold, point.published, point.refined, point.exact) for point in points)
    about = (("alpha", str(alpha)), ("exp_eps", str(exp_eps)), ("rate", str(rate)), ("delta wanted", str(delta)))
    return Picture(
        name,
        title,
        caption,
        2.9,
        DataTable(("threshold", "published", "refined", "exact"), rows, about),
        lambda figure, theme: _paint_thresholds(figure, theme, lines, least, delta),
    )


def _paint_thresholds(
    figure: Figure, theme: Theme, lines: Sequence[Sequence[Number]], least: Sequence[int], delta: Fraction
) -> None:
    axes = figure.add_subplot()
    xs, wanted = list(range(1, len(lines[0]) + 1)), log10(delta)
    labels = []
    looks = (("published", theme.series[1]), ("refined", theme.series[2]), ("exact", theme.series[0]))
    for line, enough, (words, series) in zip(lines, least, looks, strict=True):
        heights = [middle(log10_ends(value)) for value in line]
        plot_series(axes, xs, heights, series, markevery=4)
        axes.plot([enough], [heights[enough - 1]], marker=series.marker, markersize=9, color=series.color, zorder=4)
        tag(axes, enough + 0.3, wanted + 0.25, str(enough), theme, ha="left", va="bottom")
        labels.append((heights[-1], words, series))
    axes.axhline(wanted, color=theme.ink, linewidth=0.9)
    axes.set(xlim=(0.5, xs[-1] + 0.5), xlabel="threshold", ylabel="δ of one count")
    axes.set_ylim(None, 0.3)
    power_axis(axes, "y")
    key_below(axes, labels)


# --- At equal error -------------------------------------------------------------------------------------------------


def equal_error_picture(both: EqualError, exp_eps: Sequence[Fraction], *, name: str = "sampling-error") -> Picture:
    """Return the picture of both curves at the values of e^eps, and at the one from which randomized response has 0."""
    pure = (2 - both.gamma) / both.gamma
    curves = both.curves(sorted({*exp_eps, pure}))
    first, last = curves[0], curves[-1]
    n, rate, threshold = both.sampled.n, both.sampled.rate, both.sampled.threshold
    below = sum(at.response < at.sampled for at in curves)
    caption = (
        f"Sample and threshold and randomized response of {n} users, each with as much noise as an error of "
        f"{number_words(both.alpha)} with probability {number_words(1 - both.beta)} on every data set allows: the rate "
        f"{rate} with the threshold {threshold}, and a random answer with probability {both.gamma}. The exact δ of "
        f"both against e^ε from {number_words(first.exp_eps)} to {number_words(last.exp_eps)}, on a logarithmic scale. "
        f"Sample and threshold falls from {number_words(first.sampled, 3)} to {number_words(last.sampled, 3)}, and "
        f"never below {number_words(rate**threshold, 3, up=False)}; randomized response begins at "
        f"{number_words(first.response, 3)} and has 0 from e^ε = {pure} on. At {below} of the {len(curves)} points "
        "randomized response gives away less."
    )
    title = (
        f"At equal error randomized response gives away less: 0 from e^ε = {number_words(pure, 3)} on"
        if below == len(curves)
        else f"At equal error randomized response gives away less at {below} of {len(curves)} values of ε"
    )
    about = (
        ("n", str(n)), ("alpha", str(both.alpha)), ("beta", str(both.beta)), ("gamma", str(both.gamma)),
        ("rate", str(rate)), ("threshold", str(threshold)),
    )  # fmt: skip
    table = DataTable(("exp_eps", "response", "sampled"), tuple(curves), about)
    return Picture(
        name,
        title,
        caption,
        2.9,
        table,
        lambda figure, theme: _paint_curves(figure, theme, curves, pure, rate**threshold),
    )


def _paint_curves(figure: Figure, theme: Theme, curves: Sequence[BothDeltas], pure: Fraction, least: Fraction) -> None:
    axes = figure.add_subplot()
    blue, orange = theme.series[:2]
    shown = [(float(at.exp_eps), middle(log10_ends(at.response))) for at in curves if at.exp_eps < pure]
    floor = 1.06 * min(height for _, height in shown)
    shown.append((float(pure), floor))
    axes.set(xlim=(float(curves[0].exp_eps), float(curves[-1].exp_eps)), ylim=(floor, -0.02 * floor))
    plot_series(axes, [x for x, _ in shown], [y for _, y in shown], orange, markevery=4)
    heights = [middle(log10_ends(at.sampled)) for at in curves]
    plot_series(axes, [float(at.exp_eps) for at in curves], heights, blue, markevery=6)
    axes.axhline(log10(least), color=theme.quiet, linewidth=0.9)
    axes.set(xlabel="e^ε", ylabel="δ")
    power_axis(axes, "y")
    words = f"δ = 0 from\ne^ε = {pure} on"
    tag(axes, float(pure) + 0.05, 0.9 * floor, words, theme, ha="left", va="center")
    words = f"never below {number_words(least, 3, up=False)}"
    tag(axes, float(curves[-1].exp_eps), log10(least) + 0.03 * floor, words, theme, ha="right", va="top")
    key_below(axes, [(heights[-1], "sample and threshold", blue), (floor, "randomized response", orange)])
