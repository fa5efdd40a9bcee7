"""The picture of a sweep: answers against the number of users, or against eps or delta where that is one.

A panel for each number that was given, or for each number of users; in it a line for each protocol or noise law with
its parameters. Both axes of numbers are logarithmic but that of eps; what is known between two ends is a pale band.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Final

from exactdp.errors import InvalidValueError
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.interval import Interval
from exactdp.report.figures.chart import Axis, Chart, Line, Panel
from exactdp.report.figures.data import Cell, DataTable, log10_ends
from exactdp.report.figures.picture import Picture
from exactdp.studies.sweep.sweep_store import StoredRow

_MOST_PANELS: Final = 6
"""As many as fit on a page, two in a line."""
_MOST_LINES: Final = 5
"""As many as have a look of their own."""
_GREEK: Final = {"eps": "ε", "exp_eps": "e^ε", "delta": "δ"}


@dataclass(frozen=True, slots=True)
class _Point:
    """An answer in the picture."""

    panel: str
    line: str
    place: Fraction
    """Users, or the number that was given."""
    value: Fraction | Interval


@dataclass(frozen=True, slots=True)
class _Drawn:
    """What is drawn: points, what is below them, and what is beside them."""

    points: tuple[_Point, ...]
    across: str
    answer: str

    def named(self, which: str) -> list[str]:
        return list(dict.fromkeys(getattr(point, which) for point in self.points))


def sweep_picture(rows: Sequence[StoredRow], *, name: str = "sweep") -> Picture:
    """Return the picture of rows that ask for the same, delta or eps.

    Args:
        rows: of a store; those without a finite positive answer are left out.
        name: of the picture.

    Raises:
        InvalidValueError: for no rows, for rows of both kinds, and for more lines or panels than can be told apart.
    """
    drawn = _drawn(rows)
    panels, lines = drawn.named("panel"), drawn.named("line")
    if len(panels) > _MOST_PANELS or len(lines) > _MOST_LINES:
        raise InvalidValueError(
            f"the picture would have {len(panels)} panels with {len(lines)} lines, and has room for {_MOST_PANELS} "
            f"with {_MOST_LINES}. Choose some of the rows with --only."
        )
    answer, across = _GREEK[drawn.answer], _GREEK.get(drawn.across, drawn.across)
    is_log = drawn.across in ("n", "delta")
    shown = []
    for panel in panels:
        marks = []
        for color, line in enumerate(lines):
            points = [point for point in drawn.points if (point.panel, point.line) == (panel, line)]
            marks.append(Line([point.place for point in points], [point.value for point in points], line, color))
        x = Axis("number of users n" if drawn.across == "n" else across, is_log=is_log)
        shown.append(Panel(tuple(marks), x, Axis(f"least {answer}", is_log=True), panel, height=2.4))
    return Picture(
        name,
        f"The least {answer} of {len(drawn.points)} questions",
        f"The least {answer} against {across}, between its two ends where they differ.",
        _table(drawn),
        Chart(tuple(shown), is_shared=True),
    )


def _drawn(rows: Sequence[StoredRow]) -> _Drawn:
    answered = [row for row in rows if row.value is not None]
    kinds = {row.question.answer for row in answered}
    if len(kinds) > 1:
        raise InvalidValueError(
            "some rows ask for delta and some for eps. Choose one kind: --only eps=, or --only delta=."
        )
    sizes = {row.question.users for row in answered if (row.question.users or "").isdecimal()}
    asked = {row.question.asked for row in answered}
    if len(sizes) < 2 and len(asked) > 1:
        raise InvalidValueError(
            "some rows are given eps and some e^eps. Choose one kind: --only eps=, or --only exp_eps=."
        )
    across = "n" if len(sizes) > 1 else next(iter(asked), "n")
    points = [point for row in answered if (point := _point(row, across)) is not None]
    if not points:
        raise InvalidValueError("no row has a finite positive answer, so that there is nothing to draw.")
    points.sort(key=lambda point: point.place)
    panels = list(dict.fromkeys(_panel(row, across) for row in answered))
    points.sort(key=lambda point: panels.index(point.panel))
    return _Drawn(tuple(points), across, next(iter(kinds)))


def _point(row: StoredRow, across: str) -> _Point | None:
    question = row.question
    value = row.value
    if isinstance(value, LogRational):
        value = None if value.is_infinite else value.enclose()
    place = question.users if across == "n" else question.at
    if value is None or place is None or not place.replace("/", "").isdecimal() or log10_ends(value)[1] == -inf:
        return None
    return _Point(_panel(row, across), _line(row), Fraction(place), value)


def _line(row: StoredRow) -> str:
    """Return the name with what tells it from others: parameters, shift, runs and neighbours that are not the usual."""
    question = row.question
    options = [f"{name.removeprefix('--')} = {value}".removesuffix(" = ") for name, value in question.options]
    if question.kind == "noise":
        options = [question.subject.partition(":")[2]]
    more = [f"shift = {question.shift}"] if question.shift not in (None, "1") else []
    more += [f"{question.runs} runs"] if question.runs > 1 else []
    more += ["add or remove one"] if question.neighbors == "add-or-remove-one" else []
    return ", ".join(filter(None, [row.name, *options, *more]))


def _panel(row: StoredRow, across: str) -> str:
    question = row.question
    if across == "n":
        return f"{_GREEK[question.asked]} = {question.at}"
    return "noise" if question.users is None else f"n = {question.users}"


def _table(drawn: _Drawn) -> DataTable:
    rows: list[tuple[Cell, ...]] = [(point.panel, point.line, point.place, point.value) for point in drawn.points]
    return DataTable(("panel", "line", drawn.across, drawn.answer), tuple(rows))
