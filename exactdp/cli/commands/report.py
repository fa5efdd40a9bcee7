"""``report``: one self-contained HTML file: the ledger, the protocols with their exact numbers, figures, experiments.

Or, of one randomizer, eps against n between its two proved ends, beside published bounds; of classes of users, eps of
each.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Final

import click

from exactdp.cli.failures import HOLDS, REFUTED
from exactdp.cli.ledger_rows import cores
from exactdp.cli.options import (
    TARGET,
    file_option,
    option_of,
    options,
    target_options,
    typed_classes,
    typed_command,
    typed_target,
)
from exactdp.cli.output import printable, write_out
from exactdp.cli.progress_bars import watched, working
from exactdp.cli.subjects import refuse_for_classes
from exactdp.cli.values import COUNT, RISING_USERS, TOPIC, refuse_given
from exactdp.errors import InvalidFileError, InvalidValueError
from exactdp.protocols.naming.targets import ClassesTarget, ProtocolTarget
from exactdp.report.page.made import Made, made_by

if TYPE_CHECKING:
    from exactdp.report.page.subject_pages import SubjectPage

_DELTA: Final = "1e-6"
"""A delta that is usual in deployments."""


@click.command("report")
@click.argument("randomizer", type=TARGET, required=False)
@options(target_options)
@click.option("--delta", metavar="D", help="Of RANDOMIZER: the delta of its eps; default 1e-6.")
@option_of(RISING_USERS, "N,N,...", "-n", "--users", help="Of RANDOMIZER: rising numbers of users; default 3 to 10^6.")
@file_option("-o", "--output", help="The HTML file to write; - is stdout, where that is no terminal.")
@file_option("--png", help="Of RANDOMIZER: write its picture too, as PNG or SVG by the name's end.")
@option_of(TOPIC, "TOPIC", "--topic", help="Only the proofs of one topic, and the protocols they are about.")
@option_of(COUNT, "J", "--jobs", help="Run so many proofs at a time; default: as many as there are cores.")
def report_command(output: str | None, png: str | None, topic: str | None, jobs: int | None, **typed: Any) -> int:
    """Write the ledger, the protocols, the figures and the experiments as one HTML file that loads nothing.

    With RANDOMIZER, a file or a name such as @unary-encoding, the page is about that alone: its eps at a delta against
    the number of users, between both proved ends, beside published bounds. Of a file with classes of users it is eps of
    a user of each class, what attains and what proves its ends.

    At the foot of the page stand version, commit, command and the day in UTC, that of SOURCE_DATE_EPOCH where it is
    set.

    Without, the proofs are run first, every number is computed, every figure is drawn, and every experiment is run
    with a few thousand draws. Exit status: 0 if every verdict is the recorded one and every drawn interval contains
    its exact number; else 1, with the file written and stderr naming what is not.

    On two cores it takes about a minute and a half, of RANDOMIZER some seconds.
    """
    from exactdp.report.figures.picture import picture_form
    from exactdp.report.page.html import subject_report

    if typed["randomizer"] is not None:
        refuse_given({"topic": topic, "jobs": jobs}, "for the report of one randomizer")
        target = _target(output)
        if png is not None:
            picture_form(png)
        subject = _subject(typed, png)
        write_out([subject_report(subject, made=made_by(typed_command("output", "png")))], target)
        if png is not None:
            subject.pictures[0].draw(png)
            print(f"wrote {printable(png)}", file=sys.stderr)
        return HOLDS
    refuse_given(typed | {"png": png}, "without RANDOMIZER", "Name one.")
    target = _target(output)
    text, unlike = _page(topic, jobs or cores(), made_by(typed_command("output")))
    write_out([text], target)
    for line in unlike:
        print(line, file=sys.stderr)
    return REFUTED if unlike else HOLDS


def _target(output: str | None) -> str:
    """Return where the page goes, or refuse before anything is computed."""
    if output is None:
        raise InvalidValueError("the report needs a file. Write -o report.html.")
    if output == "-":
        if sys.stdout.isatty():
            raise InvalidValueError("output=- is the terminal, and the report is a page of megabytes. Name a file.")
        return output
    if not output:
        raise InvalidFileError("output='' names no file. Write -o report.html.")
    folder = os.path.dirname(os.path.realpath(output))
    if os.path.isdir(output):
        raise InvalidFileError(f"{printable(output)} is a directory. Name a file.")
    if not os.path.isdir(folder):
        raise InvalidFileError(
            f"{printable(output)} is in a directory that does not exist. Make it, or name another file."
        )
    if not os.access(output if os.path.exists(output) else folder, os.W_OK):
        raise InvalidFileError(f"{printable(output)} cannot be written: Permission denied. Name another file.")
    return output


def _subject(typed: dict[str, Any], png: str | None) -> SubjectPage:
    """Return what the page of one subject shows."""
    if (classes := typed_classes(typed)) is None:
        return _randomizer_page(typed)
    if png is not None:
        raise InvalidValueError("--png has no meaning for classes of users, whose page has no picture. Leave it out.")
    return _classes_page(classes, typed)


def _classes_page(classes: ClassesTarget, typed: dict[str, Any]) -> SubjectPage:
    from exactdp.report.page.subject_pages import classes_page

    refuse_for_classes(classes, typed)
    run = [entry.of for entry in classes.entries]
    with working(f"eps of {len(run)} classes of users"):
        return classes_page(classes.protocol, name=classes.name, run=run, delta=typed["delta"] or _DELTA)


def _randomizer_page(typed: dict[str, Any]) -> SubjectPage:
    from exactdp.report.figures.amplification_curves import USUAL_USERS
    from exactdp.report.page.subject_pages import randomizer_page, title_in_words

    target = typed_target(typed)
    randomizer = None if not isinstance(target, ProtocolTarget) else target.family or target.randomizer()
    if randomizer is None:
        raise InvalidValueError(
            f"{target.name} is no randomizer with a table or a family, so there is no eps against n. Ask "
            "`exactdp curve`."
        )
    family = target.family if isinstance(target, ProtocolTarget) else None
    title = title_in_words(typed["randomizer"], family) or target.name
    users = typed["users"] or USUAL_USERS
    with working(f"eps of {target.name} at n = {users[0]} to {users[-1]}"):
        return randomizer_page(randomizer, name=title, delta=typed["delta"] or _DELTA, users=users)


def _page(topic: str | None, jobs: int, made: Made) -> tuple[str, list[str]]:
    """Run everything; return the page, and a line for each outcome that is not as recorded."""
    from exactdp.cli.ledger_rows import chosen_rows, failures, outcomes_of
    from exactdp.report.page.html import report_page
    from exactdp.report.page.protocols import protocols_of
    from exactdp.report.page.work import done, tasks

    chosen = chosen_rows((), topic)
    outcomes = list(watched("proofs", outcomes_of(chosen, jobs, is_whole=topic is None), len(chosen)))
    about = None if topic is None else sorted({key for row in chosen for key in protocols_of(row.id, row.topic)})
    tables: dict[str, list[Any]] = {}
    figures: list[Any] = []
    experiments: list[Any] = []
    wanted = tasks(about)
    parts = done(wanted, jobs)
    for task in wanted:
        with working(task):
            _, part = next(parts)
        if task.figure:
            figures.append(part)
        elif task.experiment:
            experiments.append(part)
        else:
            tables.setdefault(task.page, []).append(part)
    misses = [f"miss: {shown.name}, {miss}" for shown in experiments for miss in shown.misses]
    page = report_page(outcomes, tables, figures, experiments=experiments, made=made)
    return page, [*failures(outcomes), *misses]
