"""The survey's picture: the error of every protocol against the number of users, at one eps and delta.

One line for each protocol, in the colour of its model of trust and with a marker of its own: solid with the least
noise that is enough, or pure, and dashed with the noise of its theorem. An error that is known between two ends is a
pale band.

Source: GhoshRoughgardenSundararajan2012, section 2; BalcerCheu2020, section 3.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from exactdp.numbers.formats import power_of_ten
from exactdp.numbers.interval import fraction_ends
from exactdp.report.figures.chart import Axis, Chart, Line, Panel
from exactdp.report.figures.data import Cell, DataTable, number_words
from exactdp.report.figures.picture import Picture
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

_PLACES: Final = {MESSAGES: 0, LOCAL: 1, ONE_MESSAGE: 2, CENTRAL: 3}
"""Model -> the place of its colour."""
_UNITS: Final = {
    BITS: "error of the number of users with a 1",
    SUMS: "error of the sum",
    HISTOGRAMS: "error of one bin, in users",
}
"""Task -> the vertical axis."""
_MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p")
"""Of the systems of one model, beginning with the model's own."""
_HEIGHT: Final = 3.6
_NAME: Final = 0.3
"""The height of a name, of which some take two rows."""
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
    return DataTable.of(names, rows, **about)


def survey_picture(answered: Survey, task: str, *, name: str = "survey-bit-sums") -> Picture:
    """Return the picture of one task, on two logarithmic axes; each protocol is named at the end of its line."""
    question, lines = answered.question, tuple(_lines(answered, task))
    better = next((n for n in answered.users if _beats_local(answered, task, n)), None)
    all_beat = "" if better is None else f" All beat local at n\u00a0=\u00a0{_count(better)}."
    return Picture(
        name,
        _title(answered, task),
        f"Exceeded with probability {number_words(question.beta)} on the worst data set, ε = "
        f"{number_words(question.eps)}, δ = {number_words(question.delta)}. Dashed: a theorem's noise.{all_beat}",
        survey_table(answered, task),
        Chart(
            (
                Panel(
                    lines,
                    Axis(
                        "number of users n",
                        is_log=True,
                        ticks=[(n, _count(n)) for n in answered.users[:: 1 + len(answered.users) // 5]],
                    ),
                    Axis(_UNITS[task], is_log=True, low=Fraction(1, 2)),
                    height=max(_HEIGHT, _NAME * sum(bool(line.label) for line in lines)),
                    is_direct=True,
                ),
            )
        ),
    )


def _lines(answered: Survey, task: str) -> Iterator[Line]:
    """Yield a line for each curve: in the colour of its model of trust, and a marker of its protocol in that."""
    curves, users = _drawn(answered, task), answered.users
    for model, color in _PLACES.items():
        systems = list(dict.fromkeys(curve.system for curve in curves if curve.model == model))
        for curve in (curve for curve in curves if curve.model == model):
            errors = [None if row is None else row.error.value for row in (answered.row(curve, n) for n in users)]
            marker = _MARKERS[(color + systems.index(curve.system)) % len(_MARKERS)]
            if curve.noise == PUBLISHED:
                yield Line(users, errors, "", color, "short", marker, width=1.0, size=3.0)
            else:
                yield Line(users, errors, curve.system if errors[-1] is not None else "", color, "solid", marker)


def _drawn(answered: Survey, task: str) -> list[Curve]:
    return [curve for curve in answered.of_task(task) if curve.system != _FAR]


def _title(answered: Survey, task: str) -> str:
    """Return the least proved errors at the most users: of a shuffled protocol, which it names, a curator and local."""
    n, said = answered.users[-1], []
    for words, models in (("", (MESSAGES, ONE_MESSAGE)), ("a curator", (CENTRAL,)), ("local", (LOCAL,))):
        asked = [
            (fraction_ends(row.error.value)[1], curve.system)
            for curve in _drawn(answered, task)
            if curve.noise != PUBLISHED and curve.model in models and (row := answered.row(curve, n)) is not None
        ]
        if asked:
            error, system = min(asked)
            said.append(f"{words or system} {number_words(error)}")
    return f"Least proved error at n\u00a0=\u00a0{_count(n)}: {', '.join(said)}"


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
