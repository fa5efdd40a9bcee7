"""``survey``: every protocol of the package for the same task, at the same eps and delta, one table for each task.

The JSON is described in docs/json.md.

The answer of ``survey`` for readers and for programs: a table for each task and number of users, and crossings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

import exactdp as xdp
from exactdp.cli.completion import at, named
from exactdp.cli.options import (
    answer_options,
    file_option,
    folder_option,
    option_of,
    options,
    target_option,
    typed_command,
)
from exactdp.cli.output import (
    HONEST_USERS,
    POPULATION,
    Fact,
    Report,
    answer,
    cell,
    count,
    fields,
    kept_in,
    number_data,
    number_fact,
    printable,
    say_written,
    table_lines,
    write_out,
)
from exactdp.cli.progress_bars import Bar
from exactdp.cli.values import COUNT, EXACT, RISING_USERS, STORE, WHOLE, Text
from exactdp.errors import InvalidFileError, InvalidValueError
from exactdp.numbers.formats import about, decimal_text, ends, exact_text, number_text
from exactdp.numbers.interval import Interval, fraction_ends
from exactdp.progress import progress_callback
from exactdp.report.page.made import made_by
from exactdp.studies.survey.error_curves import MODELS, TASKS, Curve, Row, Stated, Unanswered, stated

if TYPE_CHECKING:
    from exactdp.studies.survey.crossings import Crossing, MeasuredOrder
    from exactdp.studies.survey.error_curves import Question
    from exactdp.studies.survey.measured import Store, Survey

_DIGITS: Final = 5
"""Of a decimal in a table of ten columns."""
_NARROW: Final = Fraction(1, 10**4)
"""Ends that differ by less are one number in the table."""
_CROSS: Final = "Where errors cross: at the first n the one error is proved smaller, at the second the other."
_ORDERS: Final = (
    "What the printed table of orders says: the factor of a quantity by its order, and the one that is measured."
)


def task_lines(answered: Survey) -> list[str]:
    """Return the tables, each under a sentence that says what is compared."""
    lines: list[str] = []
    for n in answered.users:
        for task, words in TASKS.items():
            asked = [curve for curve in answered.curves if curve.task == task]
            if asked:
                lines += ["", f"{task}, n = {about(n)}: {words}.", *_table(answered, asked, n)]
    return lines


def _table(answered: Survey, curves: Sequence[Curve], n: int) -> list[str]:
    rows: list[list[Fact]] = []
    missing: list[str] = []
    for model in MODELS:
        lines = []
        for curve in curves:
            row = answered.rows[curve.key][n]
            if curve.model != model:
                continue
            if isinstance(row, Unanswered):
                missing.append(f"  no row: {curve.name}: {row.reason}")
            else:
                lines.append(_row(curve, row))
        if lines:
            head, *others = [fact.said(fact.label) for fact in lines[0] if fact.label]
            rows += [[head.said(head.label, model), *others], *lines]
    return [*table_lines(rows, indent="  "), *missing]


_NUMBERS: Final = {
    "messages": "messages",
    "delta_at_eps": "delta at eps",
    "eps_at_delta": "eps at delta",
    "error": "error",
    "theorem_error": "theorem",
}
"""The numbers of a row, as the JSON and CSV name them, and as people read them."""


def _row(curve: Curve, row: Row | Unanswered) -> list[Fact]:
    """Return a row; one without an answer has only a reason, and is in no table for people."""
    most, bits, remark, reason = None, None, None, None
    parameters: Sequence[tuple[str, Stated]] = ()
    numbers: Sequence[Stated | None] = (None,) * len(_NUMBERS)
    if isinstance(row, Unanswered):
        reason = row.reason
    else:
        most, bits, remark, parameters = row.most, row.bits, row.remark or None, row.parameters
        numbers = (row.messages, row.delta, row.eps, row.error, row.promised)
    messages, *privacy_and_errors = [
        number_fact(name, None if one is None else one.value, label, brief(one))
        for (name, label), one in zip(_NUMBERS.items(), numbers, strict=True)
    ]
    levels = {name: one.level for name, one in zip(_NUMBERS, numbers, strict=True) if one is not None}
    said = dict.fromkeys(levels[name] for name in ("error", "delta_at_eps") if name in levels)
    values = [(name, number_data(one.value), one.level) for name, one in parameters]
    return [
        Fact("task", curve.task),
        Fact("model", curve.model),
        Fact("protocol", curve.system, "protocol", f"  {curve.system}"),
        Fact("noise", curve.noise, "noise", curve.noise),
        Fact("n", count(row.n)),
        Fact(
            "parameters",
            [{"name": name, "value": value, "level": level} for name, value, level in values],
            cells={"parameters": "; ".join(f"{name}={cell(value)}" for name, value, _ in values)},
        ),
        messages,
        Fact("most", count(most)),
        Fact("bits", count(bits), "bits", "-" if bits is None else str(bits)),
        *privacy_and_errors,
        Fact("levels", levels, "levels", ", ".join(said)),
        Fact("remark", remark),
        Fact("reason", reason),
    ]


def brief(number: Stated | None) -> str:
    """Return a number for a table: one decimal, rounded up, where both ends are near, else the two ends.

    >>> brief(Stated(Fraction(1, 3), "exact")), brief(None)
    ('0.33334', '-')
    """
    if number is None:
        return "-"
    low, high = ends(number.value)
    most = decimal_text(high, _DIGITS, up=True)
    least = decimal_text(low, _DIGITS, up=False)
    if isinstance(number.value, Fraction) or _is_narrow(number):
        return most
    return f"at most {most}" if least == "0" else f"{least}..{most}"


def _is_narrow(number: Stated) -> bool:
    low, high = ends(number.value)
    if getattr(high, "magnitude", 0) < -(10**4):  # a tiny delta, of which the decimals tell enough
        return decimal_text(low, 2, up=False)[:1] == decimal_text(high, 2, up=True)[:1]
    least, most = fraction_ends(number.value)
    return most - least <= _NARROW * abs(most)


def _crossing(place: Crossing) -> list[Fact]:
    """Return where errors cross, with the two numbers of users at which the order is proved."""
    return [
        Fact("task", place.task, "task", place.task),
        Fact("before", place.before.name, "smaller error before", place.before.name),
        Fact("after", place.after.name, "smaller error after", place.after.name),
        Fact("low", count(place.low), "proved at n", about(place.low)),
        Fact("high", count(place.high), "and at n", about(place.high)),
    ]


def _order(one: MeasuredOrder) -> list[Fact]:
    """Return a line of the printed table of orders, measured."""
    return [
        Fact("model", one.model),
        Fact("protocol", one.protocol, "protocol", one.protocol),
        Fact("quantity", one.quantity, "quantity", one.quantity),
        Fact("printed", one.printed, "printed order", one.printed),
        Fact("change", one.change, "change", one.change),
        Fact("printed_factor", number_data(one.expected), "printed factor", _factor(one.expected)),
        Fact("measured_factor", number_data(one.measured), "measured factor", _factor(one.measured) or one.reason),
        Fact("reason", one.reason or None),
    ]


def _listed(words: str, rows: Sequence[Sequence[Fact]]) -> list[str]:
    return ["", words, *table_lines(rows, indent="  ")] if rows else []


def _factor(value: Fraction | Interval | None) -> str:
    return "" if value is None else brief(stated(value))


_USUAL_USERS: Final = tuple(10**power for power in range(2, 10))
"""From a class to the world."""
_ORDERS_FROM: Final = 10**4
"""Where the printed orders are measured from: every protocol that they name has an answer there."""


@click.command("survey")
@option_of(RISING_USERS, "N,N,...", "-n", "--users", help="Rising numbers of users; default 10^2, 10^3, ..., 10^9.")
@option_of(EXACT, "EPS", "--eps", required=True, help="eps above 0, rational, the same for every protocol.")
@option_of(EXACT, "D", "--delta", required=True, help="delta in (0, 1), the same for every protocol.")
@option_of(EXACT, "B", "--beta", help="Probability of a larger error; default 1/20.")
@options((target_option("--inputs", WHOLE),))
@option_of(WHOLE, "B", "--bound", help="The largest number in a bounded sum; default 10.")
@option_of(
    Text(named(at("exactdp.studies.survey.measured:names"))),
    "NAME",
    "--only",
    multiple=True,
    help="A task, model, protocol or curve by name; may be given repeatedly.",
)
@option_of(STORE, "FILE", "--store", help="Keep finished rows in FILE, and go on from what is there.")
@option_of(COUNT, "J", "--jobs", help="Run so many processes; default 1.")
@folder_option("--figures", help="Write a figure for each task, as SVG and PNG, and its data into DIR.")
@file_option("--page", help="Write figures, tables and crossings as one HTML file.")
@click.option("--narrow", is_flag=True, help="Narrow by bisection where two errors cross.")
@options(answer_options)
def survey_command(
    users: tuple[int, ...] | None,
    only: tuple[str, ...],
    store: str | None,
    jobs: int | None,
    figures: str | None,
    page: str | None,
    narrow: bool,
    **asked: Any,
) -> Report:
    """What every protocol sends, how private it is, and how large its error, at the same eps and delta.

    One table for each task: bit sums, bounded sums and histograms. With several numbers of users also where the error
    of one protocol becomes smaller than that of another. Finished rows are kept in --store, so that a survey that was
    stopped goes on where it was.

    One number of users takes about 35 seconds for all protocols, at 10^9 about 60; with --jobs 2 half as long.
    """
    from exactdp.studies.survey.measured import Store

    users = users or _USUAL_USERS
    if narrow and len(users) < 2:
        raise InvalidValueError("--narrow needs numbers of users between which errors cross. Write --users 100,1000.")
    _check_places(figures, page)
    question = _question(users[0], **asked)
    made = None if page is None else made_by(typed_command("page", "figures", "store"))
    with Store(store, version=xdp.__version__) as kept:
        try:
            answers = _answers(question, users, only, kept, jobs or 1, narrow)
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


def _question(n: int, beta: Fraction | None, inputs: int | None, bound: int | None, **level: Fraction) -> Question:
    from exactdp.studies.survey.error_curves import USUAL_BETA, USUAL_BOUND, USUAL_INPUTS, read_question

    return read_question(
        n,
        **level,
        beta=USUAL_BETA if beta is None else beta,
        inputs=USUAL_INPUTS if inputs is None else inputs,
        bound=USUAL_BOUND if bound is None else bound,
    )


def _answers(
    question: Question, users: Sequence[int], only: Sequence[str], kept: Store, jobs: int, narrow: bool
) -> _Answers:
    from exactdp.studies.survey.crossings import crossings, is_worth_narrowing, narrowed
    from exactdp.studies.survey.error_curves import TASKS
    from exactdp.studies.survey.measured import survey

    keywords: dict[str, Any] = {"store": kept, "jobs": jobs}
    with Bar("survey", "rows").kept_alive() as bar:
        rows = survey(question, users, only=only, progress=bar, **keywords)
    places = crossings(rows)
    if narrow:
        worth = [place for place in places if is_worth_narrowing(place)]
        rest = [place for place in places if not is_worth_narrowing(place)]
        with Bar("survey", "crossings").kept_alive() as bar:
            near = narrowed(rows, worth, progress=bar, **keywords)
        places = sorted((*near, *rest), key=lambda place: (list(TASKS).index(place.task), place.low))
    orders = [] if only else _orders(question, keywords)
    return _Answers(rows, places, orders)


def _orders(question: Question, keywords: dict[str, Any]) -> Sequence[MeasuredOrder]:
    from exactdp.studies.survey.crossings import measured_orders

    with Bar("survey", "rows of the printed orders").kept_alive() as bar, progress_callback(bar):
        return measured_orders(question.at(_ORDERS_FROM), **keywords)


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
        say_written(write_picture(picture.table, picture, folder, name))


def _report(answers: _Answers) -> Report:
    """Return the answer in its three forms."""
    rows, question = answers.rows, answers.rows.question
    crossings, orders = list(map(_crossing, answers.places)), list(map(_order, answers.orders))
    privacy = f"eps = {number_text(question.eps)}, delta = {number_text(question.delta)}"
    error = f"exceeded with probability {number_text(question.beta)} at most, on every data set"
    each = [_row(curve, rows.rows[curve.key][n]) for n in rows.users for curve in rows.curves]
    return answer(
        Fact("n_counts", POPULATION),
        Fact("eps", exact_text(question.eps), "privacy", privacy),
        Fact("delta", exact_text(question.delta)),
        Fact("beta", exact_text(question.beta), "error", error),
        Fact("inputs", count(question.inputs)),
        Fact("bound", count(question.bound), "bounded sums", f"of numbers from 0 to {question.bound}"),
        Fact(label="histograms", text=f"of {question.inputs} inputs"),
        rows=[[fact.said("") for fact in row] for row in each],
        listed="rows",
        after=[Fact("crossings", list(map(fields, crossings))), Fact("orders", list(map(fields, orders)))],
        notes=[*task_lines(rows), *_listed(_CROSS, crossings), *_listed(_ORDERS, orders), "", HONEST_USERS],
    )
