"""Split and mix: how far apart two views with the same sum can be, against the number of users and of messages.

Against n, for bits in three messages: the exact distance of the worst pair, the bound by components, which every pair
keeps, and the number that is published for uniform inputs. That number falls as 1/n, the worst pair only as its root,
so from some n on it is below a real pair: it is no bound of the worst case. Against m: the bits of security, minus the
binary logarithm of the distance, by both bounds here and as published.

Source: BalleBellGasconNissim2020 (the published numbers, as printed in secondary sources).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log2, log10
from typing import TYPE_CHECKING

import exactdp as xdp
from exactdp import bounds
from exactdp.mechanisms.dataset import write_dataset
from exactdp.numbers.formats import power_of_ten
from exactdp.report.figures.data import DataTable, log10_ends, middle, number_words, power_words
from exactdp.report.figures.style import Picture, Theme, decimal_axis, key_below, plot_series, tag

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class MixPoint:
    """Bits in split and mix with n users.

    Args:
        n: users.
        exact: the distance of the worst pair.
        first, second: the pair.
        bound: by components, for all pairs.
        published: sqrt(q (e/n)^(m-1)), for uniform inputs in the mean.
    """

    n: int
    exact: Fraction
    first: str
    second: str
    bound: xdp.Interval
    published: xdp.Interval

    @property
    def is_refuted(self) -> bool:
        """Whether the published number is below the worst pair."""
        return self.published < self.exact


def mix_points(users: Sequence[int], *, messages: int = 3) -> tuple[MixPoint, ...]:
    """Return the exact distance of the worst pair for bits, and both bounds, for each number of users.

    >>> [(point.n, point.is_refuted) for point in mix_points([173, 174])]
    [(173, False), (174, True)]

    Cost: 30 ms at n = 174, rising with its cube.

    Source: BalleBellGasconNissim2020 (the published number, as printed in secondary sources).
    """
    points = []
    for n in users:
        protocol = xdp.protocols.split_and_mix(n, modulus=2, messages=messages)
        worst = protocol.worst_pair()
        published = bounds.published_split_and_mix_distance(n, modulus=2, messages=messages, average=True)
        pair = write_dataset(worst.first), write_dataset(worst.second)
        points.append(MixPoint(n, Fraction(worst.distance), *pair, protocol.distance_bound(), published))
    return tuple(points)


def mix_users_picture(users: Sequence[int], *, name: str = "mix-users") -> Picture:
    """Return the picture of the three distances against n, and of the ratio of two of them."""
    points = mix_points(users)
    wrong = [point for point in points if point.is_refuted]
    first, last = points[0], points[-1]
    ends = [
        f"at n = {p.n} the worst pair is {number_words(p.exact, 3)} apart, the bound by components is "
        f"{number_words(p.bound, 3)}, and the published number {number_words(p.published, 3)}"
        for p in (first, *wrong[:1], last)
    ]
    caption = (
        "Bits in split and mix with m = 3 messages of a user: the statistical distance of views with the same sum, "
        f"against n, on logarithmic axes. Exactly, {'; '.join(ends)}. The published number, √2 e/n, is for uniform "
        "inputs in the mean. Below: the worst pair over it; above 1 the number is no bound of the worst case."
    )
    title = (
        f"The average case is no worst case: at n = {wrong[0].n} a pair is further apart"
        if wrong
        else "The average case is above the worst pair at each of these n"
    )
    rows = tuple((p.n, p.exact, p.first, p.second, p.bound, p.published) for p in points)
    names = ("n", "worst_distance", "first", "second", "bound_by_components", "published_average_case")
    return Picture(
        name,
        title,
        caption,
        4.6,
        DataTable(names, rows, (("modulus", "2"), ("messages", "3"))),
        lambda figure, theme: _paint_users(figure, theme, points),
    )


def _paint_users(figure: Figure, theme: Theme, points: Sequence[MixPoint]) -> None:
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    xs = [log10(point.n) for point in points]
    blue, orange, green = theme.series[:3]
    labels = []
    for values, words, series in (
        ([p.exact for p in points], "exact, worst pair", blue),
        ([p.bound for p in points], "bound by components", green),
        ([p.published for p in points], "published, uniform inputs", orange),
    ):
        heights = [middle(log10_ends(value)) for value in values]
        plot_series(upper, xs, heights, series)
        labels.append((heights[-1], words, series))
    upper.set_ylabel("statistical distance")
    low, high = upper.get_ylim()
    upper.set_ylim(low, high + 0.05 * (high - low))
    decimal_axis(upper)
    key_below(lower, labels)
    _paint_ratio(lower, theme, points)


def _paint_ratio(lower: Axes, theme: Theme, points: Sequence[MixPoint]) -> None:
    """Draw the worst pair over the published number, and mark where it is first above."""
    xs = [log10(point.n) for point in points]
    blue, orange = theme.series[:2]
    wrong = [point for point in points if point.is_refuted]
    ratios = [log10_ends(p.exact)[0] - log10_ends(p.published)[1] for p in points]
    plot_series(lower, xs, ratios, blue)
    lower.axhline(0, color=theme.ink, linewidth=0.9)
    lower.fill_between(
        xs, [0.0] * len(xs), ratios, where=[r > 0 for r in ratios], interpolate=True, facecolor="none",
        edgecolor=orange.color, hatch="////", linewidth=0,
    )  # fmt: skip
    lower.set(xlabel="n, users", ylabel="worst pair over the published", xlim=(xs[0] - 0.03, xs[-1] + 0.03))
    decimal_axis(lower)
    if wrong:
        place = log10(wrong[0].n)
        lower.plot([place], [0], marker="X", markersize=9, color=theme.ink, zorder=6)
        words = f"n = {wrong[0].n}"
        tag(lower, place - 0.03, 0.16 * lower.get_ylim()[1] + 0.09, words, theme, ha="right", va="center")
    ticks = [n for n in (20, 50, 100, 200, 500, 1000) if points[0].n <= n <= points[-1].n]
    lower.set_xticks([log10(n) for n in ticks], [str(n) for n in ticks])


# --- Bits of security -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MixSecurity:
    """Bounds of the distance with m messages, m of at least 4."""

    messages: int
    worst: xdp.Interval
    average: xdp.Interval
    published_worst: xdp.Interval
    published_average: xdp.Interval


def mix_security(n: int, *, modulus: int, messages: Sequence[int]) -> tuple[MixSecurity, ...]:
    """Return the bounds of the distance for each number of messages.

    >>> [point.worst.hi < Fraction(1, 2**40) for point in mix_security(10**4, modulus=2**32, messages=[9, 10])]
    [False, True]

    Cost: 20 ms for each.

    Source: BalleBellGasconNissim2020 (the published numbers, as printed in secondary sources).
    """
    return tuple(
        MixSecurity(
            m,
            bounds.split_and_mix_distance(n, modulus=modulus, messages=m),
            bounds.split_and_mix_distance(n, modulus=modulus, messages=m, average=True),
            bounds.published_split_and_mix_distance(n, modulus=modulus, messages=m),
            bounds.published_split_and_mix_distance(n, modulus=modulus, messages=m, average=True),
        )
        for m in messages
    )


def mix_security_picture(
    n: int, *, modulus: int, sigma: int, messages: Sequence[int], name: str = "mix-messages"
) -> Picture:
    """Return the picture of the bits of security against the messages, and how many are enough for ``sigma``."""
    points = mix_security(n, modulus=modulus, messages=messages)
    least = [
        bounds.split_and_mix_messages(n, modulus=modulus, sigma=sigma, average=average) for average in (False, True)
    ]
    printed = [
        bounds.published_split_and_mix_messages(n, modulus=modulus, sigma=sigma, average=average)
        for average in (False, True)
    ]
    users = power_words(log10(n))
    caption = (
        f"Split and mix of n = {users} users modulo {_order(modulus)}: bits of security, minus the binary logarithm of "
        f"a bound of the statistical distance of two views with the same sum, against the messages m of a user. "
        f"{sigma} bits (the line) for all inputs need {least[0]} messages by the bound by components, {printed[0]} as "
        f"published; for uniform inputs in the mean, {least[1]} and {printed[1]}. Bounds above 1 are left out."
    )
    title = f"{sigma} bits of security at n = {users}: {least[0]} messages are enough, {printed[0]} as published"
    names = ("messages", "worst_case", "average_case", "published_worst_case", "published_average_case")
    rows = tuple((p.messages, p.worst, p.average, p.published_worst, p.published_average) for p in points)
    return Picture(
        name,
        title,
        caption,
        2.9,
        DataTable(names, rows, (("n", str(n)), ("modulus", str(modulus)))),
        lambda figure, theme: _paint_security(figure, theme, points, sigma),
    )


def _paint_security(figure: Figure, theme: Theme, points: Sequence[MixSecurity], sigma: int) -> None:
    axes = figure.add_subplot()
    labels = []
    blue, orange, green, purple = theme.series[:4]
    lines = (
        ("all inputs", blue, [p.worst for p in points]),
        ("uniform inputs", green, [p.average for p in points]),
        ("all inputs, published", orange, [p.published_worst for p in points]),
        ("uniform inputs, published", purple, [p.published_average for p in points]),
    )
    for words, series, values in lines:
        known = [(p.messages, _bits(value)) for p, value in zip(points, values, strict=True)]
        shown = [(m, bits) for m, bits in known if bits > 0]
        plot_series(axes, [m for m, _ in shown], [bits for _, bits in shown], series)
        labels.append((shown[-1][1], words, series))
    axes.axhline(sigma, color=theme.ink, linewidth=0.9)
    axes.set(
        xlim=(points[0].messages - 0.3, points[-1].messages + 0.3),
        ylim=(0, None),
        xlabel="m, messages of a user",
        ylabel="bits of security",
    )
    tag(axes, points[0].messages, sigma, f"{sigma} bits", theme, ha="left", va="center")
    key_below(axes, labels)


def _order(modulus: int) -> str:
    exponent = modulus.bit_length() - 1
    return power_of_ten(exponent).replace("10", "2", 1) if modulus == 2**exponent else str(modulus)


def _bits(value: xdp.Interval) -> float:
    return -middle(log10_ends(value)) * log2(10)
