"""The survey's picture: the error of every protocol against the number of users, at one eps and delta.

One line for each protocol, in the colour of its model of trust and with a marker of its own: solid with the least
noise that is enough, or pure, and dashed with the noise of its theorem. An error that is known between two ends is a
pale band.

Source: GhoshRoughgardenSundararajan2012, section 2; BalcerCheu2020, section 3.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from exactdp.numbers.formats import power_of_ten
from exactdp.numbers.interval import Interval
from exactdp.report.figures.data import Cell, DataTable, log10_ends, middle, number_words
from exactdp.report.figures.style import Picture, Series, Theme, key_below, plot_series, power_axis
from exactdp.studies.survey.crossings import order
from exactdp.studies.survey.error_curves import (
    BITS,
    CENTRAL,
    HISTOGRAMS,
    LOCAL,
    MESSAGES,
    ONE_MESSAGE,
    PUBLISHED,
    SUMS,
    Curve,
)
from exactdp.studies.survey.measured import Survey

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PLACES: Final = {MESSAGES: 0, LOCAL: 1, ONE_MESSAGE: 2, CENTRAL: 3}
"""Model -> the place of its colour."""
_UNITS: Final = {
    BITS: "error of the number of users with a 1",
    SUMS: "error of the sum",
    HISTOGRAMS: "error of one bin, in users",
}
"""Task -> the vertical axis."""
_LOWEST: Final = -0.3
"""log10 of the lowest error that is drawn: errors of counts below 1 are no different to a reader."""


_MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p")
"""Of the systems of one model, beginning with the model's own."""
_FAR: Final = "one-sided geometric"
"""An error of 1/delta, which would press all others together."""


def survey_table(answered: Survey, task: str) -> DataTable:
    """Return the errors as a table: n, and a column for each curve of the task."""
    curves = answered.of_task(task)
    rows: list[tuple[Cell, ...]] = []
    for n in answered.users:
        asked = [answered.row(curve, n) for curve in curves]
        rows.append((n, *(None if row is None else row.error.value for row in asked)))
    question = answered.question
    about = {"task": task, "eps": question.eps, "delta": question.delta, "beta": question.beta}
    about |= {HISTOGRAMS: {"inputs": question.inputs}, SUMS: {"bound": question.bound}}.get(task, {})
    names = ("n", *(curve.name for curve in curves))
    return DataTable(names, tuple(rows), tuple((name, str(value)) for name, value in about.items()))


def survey_picture(answered: Survey, task: str, *, name: str = "survey-bit-sums") -> Picture:
    """Return the picture of one task, on two logarithmic axes."""
    table = survey_table(answered, task)
    question, last = answered.question, answered.users[-1]
    shown = [
        f"{curve.system} {_words(row.error.value)}"
        for curve in _drawn(answered, task)
        if curve.noise != PUBLISHED and (row := answered.row(curve, last)) is not None
    ]
    caption = (
        f"{task[0].upper()}{task[1:]}{_of_what(answered, task)}: the error that is exceeded with probability "
        f"{number_words(question.beta)} at most, on every data set, against the number of users n, for ε = "
        f"{number_words(question.eps)} and δ = {number_words(question.delta)}. "
        "Solid lines have the least noise that is enough, or are pure; dashed lines "
        "with small markers have the noise of their theorem, and begin where it has enough users. Pale bands are "
        "errors known between two ends; of a few only an upper bound is known, and drawn. "
        f"{_left_out(answered, task)}"
        f"At n = {_count(last)}: {', '.join(shown)}."
    )
    return Picture(
        name, _title(answered, task), caption, 3.4, table, lambda figure, theme: _paint(figure, theme, answered, task)
    )


def _left_out(answered: Survey, task: str) -> str:
    if not any(curve.system == _FAR for curve in answered.of_task(task)):
        return ""
    return "One-sided geometric noise, which errs by more than 1/δ, is not drawn. "


def _of_what(answered: Survey, task: str) -> str:
    question = answered.question
    return {SUMS: f" of numbers from 0 to {question.bound}", HISTOGRAMS: f" of {question.inputs} inputs"}.get(task, "")


def _drawn(answered: Survey, task: str) -> list[Curve]:
    return [curve for curve in answered.of_task(task) if curve.system != _FAR]


def _title(answered: Survey, task: str) -> str:
    """Return what the picture is about, and from where on every shuffled protocol is better than the local ones."""
    words = {
        BITS: "A shuffler restores the central error of a count",
        SUMS: "Several messages restore the central error of a sum",
        HISTOGRAMS: "Several messages give each bin nearly the central error",
    }[task]
    better = next((n for n in answered.users if _beats_local(answered, task, n)), None)
    return words if better is None else f"{words}; all beat local at n\u00a0=\u00a0{_count(better)}"


def _beats_local(answered: Survey, task: str, n: int) -> bool:
    """Whether each shuffled protocol with the least noise that is enough is proved to err less than each local one."""
    asked = [(curve.model, answered.row(curve, n)) for curve in answered.of_task(task) if curve.noise != PUBLISHED]
    local, shuffled = (
        [row for model, row in asked if model in models] for models in ((LOCAL,), (MESSAGES, ONE_MESSAGE))
    )
    return bool(local and shuffled) and all(
        one is not None and other is not None and order(one.error.value, other.error.value) == -1
        for one in shuffled
        for other in local
    )


def _count(n: int) -> str:
    digits = str(n)
    return power_of_ten(len(digits) - 1) if len(digits) > 4 and digits.strip("0") == "1" else digits


def _words(value: object) -> str:
    if isinstance(value, Interval):
        return f"up to {number_words(value)}"
    return number_words(value)  # type: ignore[arg-type]


def _paint(figure: Figure, theme: Theme, answered: Survey, task: str) -> None:
    axes = figure.add_subplot()
    xs = {n: middle(log10_ends(n)) for n in answered.users}
    labels: list[tuple[float, str, Series]] = []
    heights: list[float] = []
    looks = _looks(theme, _drawn(answered, task))
    for curve in _drawn(answered, task):
        drawn = _draw(axes, looks[curve.system], answered, curve, xs)
        heights += drawn
        if curve.noise != PUBLISHED and answered.row(curve, answered.users[-1]) is not None:
            labels.append((drawn[-1], curve.system, looks[curve.system]))
    low, high = min(heights, default=0.0), max(heights, default=1.0)
    places = list(xs.values())
    axes.set(xlim=(places[0] - 0.08, places[-1] + 0.08), ylim=(max(low, _LOWEST) - 0.2, high + 0.3))
    axes.set(xlabel="number of users n", ylabel=_UNITS[task])
    power_axis(axes, "x")
    power_axis(axes, "y", most=8)
    key_below(axes, labels)


def _draw(axes: Axes, series: Series, answered: Survey, curve: Curve, xs: dict[int, float]) -> list[float]:
    """Draw one curve, and return its heights."""
    known = [
        (xs[n], log10_ends(row.error.value)) for n in answered.users if (row := answered.row(curve, n)) is not None
    ]
    places = [x for x, _ in known]
    lows, highs = ([max(ends[k], _LOWEST) for _, ends in known] for k in (0, 1))
    lows = [low if low > _LOWEST else high for low, high in zip(lows, highs, strict=True)]  # an upper bound alone
    middles = [(low + high) / 2 for low, high in zip(lows, highs, strict=True)]
    axes.fill_between(places, lows, highs, color=series.color, alpha=0.15, linewidth=0)
    look = {"linestyle": (0, (3, 2)), "linewidth": 1.0, "markersize": 3.0} if curve.noise == PUBLISHED else {}
    plot_series(axes, places, middles, series, **look)
    return middles


def _looks(theme: Theme, curves: Sequence[Curve]) -> dict[str, Series]:
    """Return the look of each system: the colour of its model of trust, and a marker of its own in it."""
    looks: dict[str, Series] = {}
    for model, place in _PLACES.items():
        for k, system in enumerate(dict.fromkeys(curve.system for curve in curves if curve.model == model)):
            marker = _MARKERS[(place + k) % len(_MARKERS)]
            looks[system] = replace(theme.series[place], dashes="solid", marker=marker)
    return looks
