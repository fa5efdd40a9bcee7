"""``survey``: every protocol of the package for the same task, at the same eps and delta, one table for each task.

The JSON is described in docs/json.md.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

import exactdp as xdp
from exactdp.cli.options import answer_options, options, target_option, typed_command
from exactdp.cli.output import (
    COUNTED,
    HONEST_USERS,
    Report,
    cell,
    columns,
    count,
    flat,
    kept_in,
    printable,
    records,
    store_name,
    write_out,
)
from exactdp.cli.progress_bars import Bar
from exactdp.cli.survey_text import crossing_data, crossing_lines, order_data, order_lines, row_data, task_lines
from exactdp.errors import InvalidFileError, InvalidValueError
from exactdp.numbers.exact import as_fraction, as_integer
from exactdp.numbers.formats import exact_text, number_text
from exactdp.progress import progress_callback
from exactdp.protocols.naming.populations import read_population
from exactdp.report.page.made import made_by

if TYPE_CHECKING:
    from exactdp.studies.survey.crossings import Crossing, MeasuredOrder
    from exactdp.studies.survey.error_curves import Question
    from exactdp.studies.survey.measured import Store, Survey

_USUAL_USERS: Final = tuple(10**power for power in range(2, 10))
"""From a class to the world."""
_ORDERS_FROM: Final = 10**4
"""Where the printed orders are measured from: every protocol that they name has an answer there."""


@click.command("survey")
@click.option("-n", "--users", metavar="N,N,...", help="Rising numbers of users; default 10^2, 10^3, ..., 10^9.")
@click.option("--eps", metavar="EPS", required=True, help="eps above 0, rational, the same for every protocol.")
@click.option("--delta", metavar="D", required=True, help="delta in (0, 1), the same for every protocol.")
@click.option("--beta", metavar="B", help="Probability of a larger error; default 1/20.")
@options((target_option("--inputs"),))
@click.option("--bound", metavar="B", help="The largest number in a bounded sum; default 10.")
@click.option(
    "--only", metavar="NAME", multiple=True, help="A task, model, protocol or curve by name; may be given repeatedly."
)
@click.option("--store", metavar="FILE", help="Keep finished rows in FILE, and go on from what is there.")
@click.option("--jobs", metavar="J", help="Run so many processes; default 1.")
@click.option("--figures", metavar="DIR", help="Write a figure for each task, as SVG and PNG, and its data into DIR.")
@click.option("--page", metavar="FILE", help="Write figures, tables and crossings as one HTML file.")
@click.option("--narrow", is_flag=True, help="Narrow by bisection where two errors cross.")
@options(answer_options)
def survey_command(
    only: tuple[str, ...], store: str | None, figures: str | None, page: str | None, narrow: bool, **typed: str | None
) -> Report:
    """What every protocol sends, how private it is, and how large its error, at the same eps and delta.

    One table for each task: bit sums, bounded sums and histograms. With several numbers of users also where the error
    of one protocol becomes smaller than that of another. Finished rows are kept in --store, so that a survey that was
    stopped goes on where it was.

    One number of users takes about 15 seconds for all protocols, at 10^9 about 45; with --jobs 2 half as long.
    """
    users = _USUAL_USERS if typed["users"] is None else tuple(map(read_population, typed["users"].split(",")))
    if narrow and len(users) < 2:
        raise InvalidValueError("--narrow needs numbers of users between which errors cross. Write --users 100,1000.")
    _check_places(figures, page)
    question, jobs = _question(users[0], typed), as_integer(typed["jobs"] or "1", name="jobs", at_least=1)
    made = None if page is None else made_by(typed_command("page", "figures", "store"))
    with _store(store) as kept:
        try:
            answers = _answers(question, users, only, kept, jobs, narrow)
        except KeyboardInterrupt as error:
            raise (error if store is None else kept_in(store, "Finished rows")) from None
    if figures is not None:
        _draw(answers, figures)
    if page is not None:
        from exactdp.report.page.survey_page import survey_report

        write_out([survey_report(answers.rows, answers.places, answers.orders, made)], page)
    return _report(answers)


@dataclass(frozen=True, slots=True)
class _Answers:
    """All that is said: rows, where errors cross, and the printed orders, unless only some protocols are asked."""

    rows: Survey
    places: Sequence[Crossing]
    orders: Sequence[MeasuredOrder]


def _question(n: int, typed: Mapping[str, str | None]) -> Question:
    from exactdp.studies.survey.error_curves import USUAL_BETA, USUAL_BOUND, USUAL_INPUTS, read_question

    beta, inputs, bound = typed["beta"], typed["inputs"], typed["bound"]
    return read_question(
        n,
        eps=as_fraction(typed["eps"], name="eps"),
        delta=as_fraction(typed["delta"], name="delta"),
        beta=USUAL_BETA if beta is None else as_fraction(beta, name="beta"),
        inputs=USUAL_INPUTS if inputs is None else as_integer(inputs, name="inputs"),
        bound=USUAL_BOUND if bound is None else as_integer(bound, name="bound"),
    )


def _store(name: str | None) -> Store:
    from exactdp.studies.survey.measured import Store

    return Store(None if name is None else store_name(name), version=xdp.__version__)


def _answers(
    question: Question, users: Sequence[int], only: Sequence[str], kept: Store, jobs: int, narrow: bool
) -> _Answers:
    from exactdp.studies.survey.crossings import crossings, is_worth_narrowing, narrowed
    from exactdp.studies.survey.error_curves import TASKS
    from exactdp.studies.survey.measured import survey

    told: dict[str, Any] = {"store": kept, "jobs": jobs}
    with _told("rows") as bar:
        rows = survey(question, users, only=only, progress=bar, **told)
    places = crossings(rows)
    if narrow:
        worth = [place for place in places if is_worth_narrowing(place)]
        rest = [place for place in places if not is_worth_narrowing(place)]
        with _told("crossings") as bar:
            near = narrowed(rows, worth, progress=bar, **told)
        places = sorted((*near, *rest), key=lambda place: (list(TASKS).index(place.task), place.low))
    orders = [] if only else _orders(question, told)
    return _Answers(rows, places, orders)


def _orders(question: Question, told: dict[str, Any]) -> Sequence[MeasuredOrder]:
    from exactdp.studies.survey.crossings import measured_orders

    with _told("rows of the printed orders") as bar, progress_callback(bar):
        return measured_orders(question.at(_ORDERS_FROM), **told)


@contextmanager
def _told(pieces: str) -> Iterator[Bar]:
    """Say how far a stage is, and in the end that it is over."""
    bar = Bar("survey", pieces)
    with bar.kept_alive():
        yield bar
    bar.end()


def _check_places(figures: str | None, page: str | None) -> None:
    """Refuse where nothing can be written, before anything is computed."""
    from exactdp.report.experiments.experiment import usable_directory

    if figures is not None:
        usable_directory(figures)
    if page is not None:
        if Path(page).is_dir():
            raise InvalidFileError(f"{printable(page)} is a directory. Name a file: --page survey.html.")
        if not Path(page).absolute().parent.is_dir():
            raise InvalidFileError(
                f"{printable(page)} is in a directory that does not exist. Make it, or name another file."
            )


def _draw(answers: _Answers, folder: str) -> None:
    from exactdp.report.experiments.experiment import write_picture
    from exactdp.report.page.survey_page import survey_pictures

    for name, picture in survey_pictures(answers.rows).items():
        for path in write_picture(picture.table, picture, folder, name):
            print(f"wrote {printable(path)}", file=sys.stderr)


def _report(answers: _Answers) -> Report:
    """Return the answer in its three forms."""
    rows, question = answers.rows, answers.rows.question
    head = {
        "n_counts": COUNTED,
        "eps": exact_text(question.eps),
        "delta": exact_text(question.delta),
        "beta": exact_text(question.beta),
        "inputs": count(question.inputs),
        "bound": count(question.bound),
    }
    data = [row_data(curve, rows.rows[curve.key][n]) for n in rows.users for curve in rows.curves]
    lines = [
        ("privacy", f"eps = {number_text(question.eps)}, delta = {number_text(question.delta)}"),
        ("error", f"exceeded with probability {number_text(question.beta)} at most, on every data set"),
        ("bounded sums", f"of numbers from 0 to {question.bound}"),
        ("histograms", f"of {question.inputs} inputs"),
    ]
    further = [*crossing_lines(answers.places), *order_lines(answers.orders)]
    return Report(
        lambda: [*columns(lines), *task_lines(rows), *further, "", HONEST_USERS],
        lambda: {
            **head,
            "rows": data,
            "crossings": list(map(crossing_data, answers.places)),
            "orders": list(map(order_data, answers.orders)),
        },
        lambda: records(*(flat(head) | _cells(row) for row in data)),
    )


def _cells(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row as cells of CSV."""
    named = {"parameters": "; ".join(f"{one['name']}={cell(one['value'])}" for one in row["parameters"])}
    return flat(row | named, ends=("messages", "delta_at_eps", "eps_at_delta", "error", "theorem_error"))
