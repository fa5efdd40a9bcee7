"""The picture of a choice: both ends of each family's error, or at equal error of its delta, on one logarithmic axis.

A bar is what the proved ends leave open, with its upper end in numbers. Families whose bars overlap have no proved
order.

Source: WangBlockiLiJha2017, section 4 (the families).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from exactdp.report.figures.data import DataTable
from exactdp.report.figures.scale import log10_ends, number_words
from exactdp.report.figures.style import Picture, Theme, power_axis

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from exactdp.studies.calibration.choice import Choices

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
    return Picture("choose", title, caption, 2.6, table, lambda figure, theme: _paint(figure, theme, found))


def _paint(figure: Figure, theme: Theme, found: Choices) -> None:
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
