"""Three ways to hide one message among uniform ones: random numbers of them, fixed numbers, and random answers as well.

The number of uniform messages of all users together is what hides a user's own. Flooding draws it from a Poisson law,
of which n users hold equal shares, so the least mean of all together is the same at every n, and so is the error. Balls
into bins sends a whole number of dummies from each user, at least one: with many users that is far more noise than is
needed. Mixed dummies send one dummy and a random answer in the place of the input.

Source: LiLiuFengHuangHuLiuRenQin2020.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor, log10
from typing import TYPE_CHECKING, Final

from exactdp.errors import InvalidValueError
from exactdp.report.figures.data import Cell, DataTable, Number, log10_ends, middle, number_words
from exactdp.report.figures.style import Picture, Series, Theme, decimal_axis, key_below, plot_series, power_axis
from exactdp.studies.calibration.frequency_comparison import FrequencyRow, compare_frequencies

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BALLS: Final = "balls into bins"
_MIXED: Final = "mixed dummies"
_FLOODING: Final = "flooding"


@dataclass(frozen=True, slots=True)
class FloodedFrequencies:
    """The same privacy by flooding, by balls into bins and by mixed dummies.

    Args:
        d: number of inputs.
        users: where the first two are asked.
        balls: their rows, one for each of ``users``.
        mixed: rows of mixed dummies by the number of users, of which some are left out.
        error: the error of one input by flooding, the same at every n.
        noise: the expected number of its noise messages of all users together, likewise.
        about: what is asked, for the reader of the data.
    """

    d: int
    users: tuple[int, ...]
    balls: tuple[FrequencyRow, ...]
    mixed: dict[int, FrequencyRow]
    error: Number
    noise: Fraction
    about: tuple[tuple[str, str], ...]

    @property
    def single(self) -> int | None:
        """The first of ``users`` for whom one dummy is enough."""
        return next((n for n, row in zip(self.users, self.balls, strict=True) if _dummies(row) == 1), None)


def flooded_frequencies(
    d: int, *, eps: Fraction, delta: Fraction, users: Sequence[int], mixed: Sequence[int] = ()
) -> FloodedFrequencies:
    """Return errors and messages at each n; of mixed dummies at some of them, because one takes a second or more.

    Flooding is asked once: neither its noise nor its error depends on n.

    >>> asked = flooded_frequencies(10, eps=Fraction(1), delta=Fraction(1, 1000), users=[100, 1000])
    >>> float(asked.noise) < 200, [float(row.communication.messages) for row in asked.balls]
    (True, [3.0, 2.0])

    Source: LiLiuFengHuangHuLiuRenQin2020.
    """

    def row(name: str, n: int) -> FrequencyRow:
        found = compare_frequencies(n, d, eps=eps, delta=delta, only=(name,))[0]
        if found.error is None:
            raise InvalidValueError(f"{name} of {n} users has no answer: {found.reason}")
        return found

    flooded = row(_FLOODING, users[0])
    assert flooded.parameter is not None
    assert flooded.error is not None
    return FloodedFrequencies(
        d,
        tuple(users),
        tuple(row(_BALLS, n) for n in users),
        {n: row(_MIXED, n) for n in mixed},
        flooded.error,
        users[0] * flooded.parameter[1],
        (("inputs", str(d)), ("eps", str(eps)), ("delta", str(delta)), ("beta", "1/20")),
    )


def flooding_picture(asked: FloodedFrequencies, *, name: str = "flooding-error") -> Picture:
    """Return the picture of the error of one input, and of what a user sends beside his own message, against n."""
    about = dict(asked.about)
    error, first, last = number_words(asked.error, 3), asked.balls[0], asked.balls[-1]
    at_first, at_last = (number_words(n) for n in (asked.users[0], asked.users[-1]))
    beside = [number_words(asked.noise / n, 3) for n in (asked.users[0], asked.users[-1])]
    caption = (
        f"Frequencies of {asked.d} inputs at ε = {number_words(Fraction(about['eps']))} and δ = "
        f"{number_words(Fraction(about['delta']))}, against the number of users n. Above: the error of one input, in "
        "users, that the worst data set exceeds with probability at most 1/20. Below: the uniform messages that a user "
        f"is expected to send beside his own. Flooding errs by {error} users at every n, and sends "
        f"{number_words(asked.noise, 4)} messages of all users together, {beside[0]} of each at n = {at_first} and "
        f"{beside[1]} at n = {at_last}. Balls into bins sends whole numbers of them: {_dummies(first)} and an error of "
        f"{_error_words(first)} users at n = {at_first}, {_dummies(last)} and {_error_words(last)} at n = {at_last}."
        f"{_single_words(asked)}{_mixed_words(asked)}"
    )
    title = f"Flooding errs by {error} users at every n; at n\u00a0=\u00a0{at_last} a user adds {beside[1]} messages"
    return Picture(name, title, caption, 5.0, _table(asked), lambda figure, theme: _paint(figure, theme, asked))


def _single_words(asked: FloodedFrequencies) -> str:
    if asked.single is None:
        return ""
    row = asked.balls[asked.users.index(asked.single)]
    return (
        f" At n = {number_words(asked.single)} one is enough, with an error of {_error_words(row)} users, which from "
        "there on grows as the root of n."
    )


def _mixed_words(asked: FloodedFrequencies) -> str:
    if not asked.mixed:
        return ""
    n, row = max(asked.mixed.items())
    assert row.error is not None
    low, high = (number_words(row.error, 3, up=up) for up in (False, True))
    return (
        " Mixed dummies, the pale band, send one uniform message beside a random answer: their error is known between "
        f"two ends, {low} and {high} at n = {number_words(n)}, the largest n for which they are drawn."
    )


def _error_words(row: FrequencyRow) -> str:
    assert row.error is not None
    return number_words(row.error, 3)


def _dummies(row: FrequencyRow) -> int:
    assert row.parameter is not None
    return int(row.parameter[1])


def _table(asked: FloodedFrequencies) -> DataTable:
    rows: list[tuple[Cell, ...]] = []
    for n, row in zip(asked.users, asked.balls, strict=True):
        mixed = asked.mixed.get(n)
        rows.append((n, asked.error, asked.noise / n, row.error, _dummies(row), None if mixed is None else mixed.error))
    names = ("n", "flooding_error", "flooding_messages", "balls_error", "balls_messages", "mixed_error")
    return DataTable(names, tuple(rows), asked.about)


def _paint(figure: Figure, theme: Theme, asked: FloodedFrequencies) -> None:
    upper, lower = figure.subplots(2, 1)
    _paint_errors(upper, theme, asked)
    _paint_messages(lower, theme, asked)


def _paint_errors(axes: Axes, theme: Theme, asked: FloodedFrequencies) -> None:
    xs = [log10(n) for n in asked.users]
    flooded = middle(log10_ends(asked.error))
    balls = [middle(log10_ends(row.error)) for row in asked.balls if row.error is not None]
    labels = [(flooded, "flooding", theme.series[0]), (balls[-1], "balls into bins", theme.series[1])]
    plot_series(axes, xs, [flooded] * len(xs), theme.series[0])
    plot_series(axes, xs, balls, theme.series[1])
    heights = [flooded, *balls]
    if asked.mixed:
        known = [(log10(n), log10_ends(row.error)) for n, row in sorted(asked.mixed.items()) if row.error is not None]
        places = [x for x, _ in known]
        lows, highs = ([both[k] for _, both in known] for k in (0, 1))
        series = theme.series[2]
        axes.fill_between(places, lows, highs, color=series.color, alpha=0.2, linewidth=0)
        plot_series(axes, places, lows, series, marker="")
        plot_series(axes, places, highs, series)
        heights += lows + highs
        labels.append((highs[-1], "mixed dummies", series))
    _finish(axes, theme, xs, [float(floor(min(heights))), *heights], "error of one input, in users", labels)


def _paint_messages(axes: Axes, theme: Theme, asked: FloodedFrequencies) -> None:
    xs = [log10(n) for n in asked.users]
    flooded = [middle(log10_ends(asked.noise / n)) for n in asked.users]
    balls = [log10(_dummies(row)) for row in asked.balls]
    labels = [(flooded[-1], "flooding", theme.series[0]), (balls[-1], "balls into bins", theme.series[1])]
    plot_series(axes, xs, flooded, theme.series[0])
    plot_series(axes, xs, balls, theme.series[1])
    _finish(axes, theme, xs, [*flooded, *balls], "expected messages beside the own", labels)


def _finish(
    axes: Axes,
    theme: Theme,
    xs: Sequence[float],
    heights: Sequence[float],
    ylabel: str,
    labels: Sequence[tuple[float, str, Series]],
) -> None:
    low, high = min(heights), max(heights)
    margin = 0.08 * (high - low)
    axes.set(xlim=(xs[0] - 0.15, xs[-1] + 0.15), ylim=(low - margin, high + margin))
    axes.set(xlabel="number of users n", ylabel=ylabel)
    power_axis(axes, "x", most=5)
    if high - low < 2:
        decimal_axis(axes)
    else:
        power_axis(axes, "y")
    key_below(axes, labels)
