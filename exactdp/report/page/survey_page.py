"""The page of a survey: for each task a picture and tables, where errors cross, and the printed table of orders."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from exactdp.report.figures.data import number_words
from exactdp.report.figures.picture import Picture
from exactdp.report.figures.survey_picture import survey_picture
from exactdp.report.page.cells import NumberTable, Value
from exactdp.report.page.html import DrawnFigure, report_page
from exactdp.report.page.made import Made
from exactdp.report.page.protocols import ProtocolPage
from exactdp.studies.survey.crossings import Crossing, MeasuredOrder
from exactdp.studies.survey.error_curves import BITS, HISTOGRAMS, NOISES, SUMS, TASKS, Row, Stated, Unanswered
from exactdp.studies.survey.measured import Survey

KEYS: Final = {BITS: "bit-sums", SUMS: "bounded-sums", HISTOGRAMS: "histograms"}
"""Task -> the key of its page and the name of its picture."""
_ORDERS: Final = "orders"
_SOURCES: Final = "BalcerCheu2020; GhaziKumarManurangsiPagh2020; BalleBellGasconNissim2020"


def survey_pictures(answered: Survey) -> dict[str, Picture]:
    """Return the picture of each task that was asked about, by its name."""
    asked = [task for task in KEYS if answered.of_task(task)]
    return {f"survey-{KEYS[task]}": survey_picture(answered, task, name=f"survey-{KEYS[task]}") for task in asked}


def survey_report(
    answered: Survey, places: Sequence[Crossing], orders: Sequence[MeasuredOrder], made: Made | None = None
) -> str:
    """Return the survey as HTML that loads nothing.

    Args:
        answered: rows at two or more numbers of users.
        places: where errors cross.
        orders: the printed table of orders, measured.
        made: what the foot of the page says.
    """
    tables = {
        KEYS[task]: [
            _errors(answered, task),
            _sent(answered, task),
            _theorems(answered, task),
            _crossings(places, task),
        ]
        for task in KEYS
        if answered.of_task(task)
    }
    question = answered.question
    words = (
        f"ε = {number_words(question.eps)}, δ = {number_words(question.delta)}, β = {number_words(question.beta)}; "
        f"bounded sums of numbers from 0 to {question.bound}, histograms of {question.inputs} inputs. "
    )
    pages = [
        ProtocolPage(
            KEYS[task],
            task[0].upper() + task[1:],
            f"{TASKS[task][0].upper()}{TASKS[task][1:]}. {words}{_noises()}",
            _SOURCES,
        )
        for task in KEYS
    ]
    if orders:
        tables[_ORDERS] = [order_table(orders)]
        pages.append(ProtocolPage(_ORDERS, "The printed table of orders", _ORDER_WORDS, _SOURCES))
    figures = [
        DrawnFigure.of(picture, name.removeprefix("survey-")) for name, picture in survey_pictures(answered).items()
    ]
    return report_page(
        [], tables, figures, pages=tuple(pages), title="Private sums and histograms, measured", made=made
    )


_ORDER_WORDS: Final = (
    "A survey of private sums prints orders, with constants left out. Each line changes n, delta or eps, and compares "
    "the factor by which the printed order changes with the factor of the numbers themselves. The printed local order "
    "is that of a mean, the others are those of sums."
)


def _noises() -> str:
    return "Noise: " + "; ".join(f"“{name}” is {words}" for name, words in NOISES.items()) + "."


def _grouped(n: int) -> str:
    return f"{n:,}".replace(",", "\u202f")


def _errors(answered: Survey, task: str) -> NumberTable:
    """Return the errors, a column for each number of users."""
    return _by_users(
        answered, task, "Error that the worst data set exceeds with probability β at most", lambda row: row.error.value
    )


def _sent(answered: Survey, task: str) -> NumberTable:
    """Return the expected messages of a user, a column for each number of users."""
    return _by_users(answered, task, "Expected messages of a user", lambda row: row.messages.value)


def _by_users(answered: Survey, task: str, caption: str, value: object) -> NumberTable:
    assert callable(value)
    rows: list[tuple[Value, ...]] = []
    levels: dict[str, None] = {}
    for curve in answered.of_task(task):
        asked = [answered.row(curve, n) for n in answered.users]
        rows.append((curve.model, curve.system, curve.noise, *(None if row is None else value(row) for row in asked)))
        levels |= dict.fromkeys(row.error.level for row in asked if row is not None)
    heads = ("model", "protocol", "noise", *(f"n = {_grouped(n)}" for n in answered.users))
    return NumberTable(caption, heads, tuple(rows), "; ".join(levels))


def _theorems(answered: Survey, task: str) -> NumberTable:
    """Return how private and how exact each row at the last number of users really is, and why others are missing."""
    n = answered.users[-1]
    rows: list[tuple[Value, ...]] = []
    for curve in answered.curves:
        if curve.task != task:
            continue
        row = answered.rows[curve.key][n]
        if isinstance(row, Unanswered):
            rows.append((curve.system, curve.noise, None, None, None, None, None, row.reason))
        else:
            rows.append((curve.system, curve.noise, row.bits, *_privacy(row), row.remark))
    heads = ("protocol", "noise", "bits of a message", "δ at ε", "ε at δ", "error", "error by the theorem", "remark")
    caption = f"At n = {_grouped(n)}: what is really private, and what a theorem says"
    return NumberTable(caption, heads, tuple(rows), "enclosure, exact where a fraction; a theorem's error is prose")


def _privacy(row: Row) -> tuple[Value, ...]:
    def number(one: Stated | None) -> Fraction | Value:
        return None if one is None else one.value

    return number(row.delta), number(row.eps), row.error.value, number(row.promised)


def _crossings(places: Sequence[Crossing], task: str) -> NumberTable:
    """Return where the error of one protocol becomes smaller than that of another."""
    rows = tuple((place.before.name, place.after.name, place.low, place.high) for place in places if place.task == task)
    heads = ("smaller error before", "smaller error after", "proved at n", "and at n")
    return NumberTable("Where errors cross", heads, rows, "order of the errors proved at both n, nothing between them")


def order_table(orders: Sequence[MeasuredOrder]) -> NumberTable:
    """Return the printed table of orders, measured."""
    heads = ("model", "protocol", "quantity", "printed", "change", "printed factor", "measured factor")
    rows = tuple(
        (one.model, one.protocol, one.quantity, one.printed, one.change, one.expected, _measured(one)) for one in orders
    )
    return NumberTable("What the printed orders say, and what is measured", heads, rows, "exact, or enclosure")


def _measured(one: MeasuredOrder) -> Value:
    return one.reason if one.measured is None else one.measured
