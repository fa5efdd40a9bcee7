"""``sweep``: a grid of questions answered into a file of SQLite, and ``sweep show``: what is in it.

The JSON is described in docs/json.md.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from exactdp.cli.completion import files
from exactdp.cli.failures import BAD_INPUT, HOLDS, patient
from exactdp.cli.options import file_option, folder_option, format_option, option_of, options, output_options
from exactdp.cli.output import (
    HONEST_USERS,
    RANDOM_POPULATION,
    RANDOM_USERS,
    Fact,
    Report,
    answer,
    columns,
    count,
    deliver,
    kept_in,
    printable,
    say_written,
    write_out,
)
from exactdp.cli.progress_bars import Bar
from exactdp.cli.values import COUNT, FILE, STORE
from exactdp.errors import ExactDPError, InvalidFileError, InvalidValueError, meant
from exactdp.files.spreadsheets import csv_lines
from exactdp.numbers.exact import as_fraction
from exactdp.numbers.formats import exact_text, number_text, short

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from click.shell_completion import CompletionItem

    from exactdp.studies.sweep.sweep_store import StoredRow, SweepStore, Swept

_SHOW: Final = "show"
_RUN: Final = "run"


class _Sweep(click.Group):
    """The group: what is not ``show`` is the name of a spec."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        args = args or ["--help"]
        if args[0] not in (_RUN, _SHOW, *ctx.help_option_names):
            if not Path(args[0]).exists() and (near := meant(args[0], (_SHOW,))):
                raise click.UsageError(f"{args[0]!r} is no file. {near.rstrip()}", ctx)
            args = [_RUN, *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        return [*files(incomplete), *super().shell_complete(ctx, incomplete)]

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(ctx.command_path, "SPEC -o STORE [OPTIONS] | show STORE [OPTIONS]")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        run, show = (self.commands[name] for name in (_RUN, _SHOW))
        with formatter.section("Commands"):
            formatter.write_dl([("SPEC", run.get_short_help_str(90)), (_SHOW, show.get_short_help_str(90))])


@click.group("sweep", cls=_Sweep, no_args_is_help=False)
def sweep_command() -> None:
    """A grid of questions, answered into a file of SQLite: on this machine or a cluster, stopped and resumed at will.

    \b
      exactdp sweep SPEC.toml -o store.sqlite --jobs 4
      exactdp sweep show store.sqlite --figure sweep.svg

    SPEC, a file or - for standard input, lists randomizers and noise laws with their parameters, numbers of users, eps
    and delta; docs/sweep.md has its format. The same command again goes on where it was.

    Ten thousand questions about a bit of a thousand users take about 4 minutes, with --jobs 2 on two cores 2 minutes.
    """


@sweep_command.command(_RUN, hidden=True)
@click.argument("spec", type=FILE)
@option_of(STORE, "STORE", "-o", "--output", "store", required=True, help="The file of SQLite; made, or gone on with.")
@option_of(COUNT, "J", "--jobs", help="Run so many processes; default 1.")
@click.option("--scheduler", metavar="ADDRESS", help="Run on the Dask cluster at this address: tcp://10.0.0.1:8786.")
@options(format_option)
def run_command(spec: str, store: str, jobs: int | None, scheduler: str | None, form: str) -> int:
    """Answer the questions of SPEC that STORE does not answer yet."""
    from exactdp.studies.sweep.sweep_spec import read_sweep_file
    from exactdp.studies.sweep.sweep_store import SweepStore, answer_sweep

    if jobs is not None and scheduler is not None:
        raise InvalidValueError("--jobs and --scheduler are given. Leave out one: the cluster has its own workers.")
    sweep, bar = read_sweep_file(spec), Bar("sweep")
    with SweepStore(store) as kept:
        try:
            with _executor(scheduler) as executor, bar.kept_alive():
                swept = answer_sweep(sweep, kept, jobs=jobs or 1, executor=executor, progress=bar)
        except KeyboardInterrupt:
            bar.stop()
            raise kept_in(store, f"{kept.counts().answered} answers") from None
        return deliver(_swept(swept, kept, store), form=form, output=None)


@contextmanager
def _executor(scheduler: str | None) -> Iterator[Executor | None]:
    if scheduler is None:
        yield None
        return
    from exactdp.studies.sweep.sweep_store import cluster_executor

    with cluster_executor(scheduler) as executor:
        yield executor


def _swept(swept: Swept, kept: SweepStore, store: str) -> Report:
    answered = f"{swept.questions} questions: {swept.before} found answered, {swept.now} answered now"
    left_out = [{"question": question.title, "reason": why} for question, why in swept.left_out]
    report = answer(
        *_counts(kept, store),
        Fact("asked", count(swept.questions), "this sweep", answered),
        Fact("found", count(swept.before)),
        Fact("left_out", left_out, cells={"left_out": len(left_out)}),
        status=BAD_INPUT if left_out else HOLDS,
    )
    remarks = [f"no answer: {one.title}, {one.asked} = {one.at}: {why}" for one, why in swept.left_out]
    return replace(report, remarks=remarks)


def _counts(kept: SweepStore, store: str) -> list[Fact]:
    counts = kept.counts()
    refused = f", of which {counts.errors} say why there is no number" if counts.errors else ""
    certified = count(counts.certificates)
    return [
        Fact("store", store, "store", printable(store)),
        Fact("questions", count(counts.questions)),
        Fact(
            "answered",
            count(counts.answered),
            "answered",
            f"{counts.answered} of {counts.questions} questions{refused}",
        ),
        Fact("errors", count(counts.errors)),
        Fact("certificates", certified, "certificates" if certified else "", str(certified)),
    ]


# --- What is in a store ---------------------------------------------------------------------------------------------


@sweep_command.command(_SHOW)
@click.argument("store", type=STORE)
@click.option(
    "--only",
    metavar="WHAT",
    multiple=True,
    help="Rows of this name, or with gamma=1/10, n=100, eps=1/2, runs=10, ...; repeated, with all of them.",
)
@click.option("--costs", is_flag=True, help="What each row cost, where, and by which versions (JSON and CSV).")
@file_option("--figure", help="Draw the rows into FILE, .svg or .png.")
@folder_option("--certificates", help="Write the certificates of the rows into DIR.")
@options(output_options)
def show_command(
    store: str,
    only: tuple[str, ...],
    costs: bool,
    figure: str | None,
    certificates: str | None,
    form: str,
    output: str | None,
) -> int:
    """Print, draw or export what a store holds, ordered by question."""
    from exactdp.studies.sweep.sweep_store import SweepStore, csv_rows

    _check_places(figure, certificates)
    with SweepStore(store, create=False) as kept:
        if not only and form == "csv" and figure is None and certificates is None:
            write_out(csv_lines(csv_rows(kept.rows(), costs=costs)), output)  # as it is read: a store may hold millions
            return HOLDS
        rows = _chosen(list(kept.rows()), only)
        _write_certificates(rows, certificates)
        if figure is not None:
            from exactdp.report.figures.sweep_picture import sweep_picture

            sweep_picture(rows).draw(figure)
            say_written([figure])
        return deliver(_shown(rows, kept, store, costs=costs), form=form, output=output)


for _name, _command in sweep_command.commands.items():
    sweep_command.commands[_name] = patient(_command)


def _check_places(figure: str | None, certificates: str | None) -> None:
    """Refuse where nothing can be written, before anything is read."""
    if figure is not None:
        from exactdp.report.figures.picture import picture_form

        picture_form(figure)
    if certificates is not None and not Path(certificates).is_dir():
        raise InvalidFileError(f"{printable(certificates)} is no directory. Make it, or name another.")


def _write_certificates(rows: Sequence[StoredRow], folder: str | None) -> None:
    if folder is None:
        return
    from exactdp.studies.sweep.sweep_store import write_certificates

    files = len(set(write_certificates(rows, folder)))
    print(f"wrote {files} certificates into {printable(folder)}", file=sys.stderr)


def _chosen(rows: list[StoredRow], only: tuple[str, ...]) -> list[StoredRow]:
    """Return the rows that each word names, or refuse a word that names none."""
    for word in only:
        known, read = {name for row in rows for name in _named(row)}, _read(word)
        rows = [row for row in rows if row.name == word or _is_named(row, read)]
        if not rows:
            near = "" if "=" in read else meant(read, known)  # no number is near another
            alike = read.partition("=")[0] + "="
            listed = ", ".join(sorted(known, key=lambda name: (not name.startswith(alike), name))[:12])
            raise InvalidValueError(f"--only {short(word)!r} leaves no row. {near}Rows are of {listed}, ...")
    return rows


def _read(word: str) -> str:
    """Return a word as rows are named: n for users, _ for -, numbers in lowest terms."""
    key, equals, value = word.partition("=")
    if not equals:
        return word
    key = "n" if key == "users" else key.replace("-", "_")
    with suppress(ExactDPError):
        value = exact_text(as_fraction(value, name="value"))
    return f"{key}={value}"


def _is_named(row: StoredRow, word: str) -> bool:
    """Whether a word names the row: a name, "n=100", or "eps=" for any eps."""
    return any(name == word or (word.endswith("=") and name.startswith(word)) for name in _named(row))


def _named(row: StoredRow) -> list[str]:
    """Return what can be chosen by."""
    question = row.question
    words = [row.name] if question.is_of_file else [row.name, question.subject]
    words += [
        f"{name.removeprefix('--').replace('-', '_')}={value}".removesuffix("=") for name, value in question.options
    ]
    if question.kind == "noise":
        words += question.subject.partition(":")[2].split(",")
    about = {"n": question.users, "neighbors": question.neighbors, "shift": question.shift, question.asked: question.at}
    return [*words, f"runs={question.runs}", *(f"{name}={value}" for name, value in about.items() if value is not None)]


def _shown(rows: Sequence[StoredRow], kept: SweepStore, store: str, *, costs: bool) -> Report:
    from exactdp.studies.sweep.sweep_store import csv_rows

    about = answer(*_counts(kept, store))
    return Report(
        lambda: [*about.text(), "", *_text(rows), "", *_reasons(rows), *_users_notes(rows)],
        lambda: {**about.data(), "rows": [_data(row, costs=costs) for row in rows]},
        lambda: list(csv_rows(rows, costs=costs)),
    )


_HEADS: Final = {"users": "n", "neighbors": "neighbors", "shift": "shift", "runs": "runs"}
_USUAL: Final = (None, "replace-one", "1", 1)


def _text(rows: Sequence[StoredRow]) -> list[str]:
    """Return the rows for reading: columns in which all have the same usual value are left out."""
    shown = [
        name for name in _HEADS if name == "users" or any(getattr(row.question, name) not in _USUAL for row in rows)
    ]
    lines = [["name", "of", *(_HEADS[name] for name in shown), "given", "least", "level"]]
    for row in rows:
        about = [str(getattr(row.question, name) or "") for name in shown]
        given = f"{row.question.asked} = {row.question.at}"
        lines.append([printable(row.name), row.question.title, *about, given, _number(row), _level(row)])
    return columns(lines)


def _users_notes(rows: Sequence[StoredRow]) -> list[str]:
    """Return whom n counts, and whom where n is random."""
    return [HONEST_USERS, *([RANDOM_USERS] if any(map(_is_random, rows)) else [])]


def _is_random(row: StoredRow) -> bool:
    return (row.question.users or "").startswith("@")


def _reasons(rows: Sequence[StoredRow]) -> list[str]:
    """Return why rows have no number: each reason once, with how many they are."""
    reasons = Counter(row.answer.error for row in rows if row.answer is not None and row.answer.error is not None)
    return [f"none, in {count} of the rows: {reason}" for reason, count in reasons.items()] + ([""] if reasons else [])


def _number(row: StoredRow) -> str:
    from exactdp.numbers.epsilon import LogRational, eps_text

    value = row.value
    if value is None:
        return "none yet" if row.answer is None else "none: see below"
    worst = None if row.answer is None else row.answer.worst_class
    who = "" if worst is None else f", of class {worst}"
    return f"{row.question.answer} {eps_text(value) if isinstance(value, LogRational) else number_text(value)}{who}"


def _level(row: StoredRow) -> str:
    sides = [one.side for one in row.certificates if one.level == "certificate"]
    level = "" if row.answer is None else row.answer.level
    return f"{level}, certified: {' and '.join(sides)}" if sides else level


def _data(row: StoredRow, *, costs: bool) -> dict[str, Any]:
    """Return a row as JSON data: its cells, the answer as one number, and counts as integers."""
    from exactdp.studies.sweep.sweep_answers import value_json
    from exactdp.studies.sweep.sweep_question import CLASSES
    from exactdp.studies.sweep.sweep_store import COST, row_cells

    cells, value = row_cells(row, costs=costs), row.value
    users, asked_for = row.question.users, cells.pop("answer")
    cells |= {"users": count(int(users)) if users is not None and users.isdecimal() else users}
    cells |= {"n_counts": RANDOM_POPULATION} if _is_random(row) else {}
    cells |= {"runs": count(row.question.runs), "delta" if asked_for == "delta" else "epsilon": None}
    for name in ("lo", "hi", *(() if row.question.kind == CLASSES else ("worst_class",))):
        del cells[name]
    if value is not None:
        cells["delta" if asked_for == "delta" else "epsilon"] = value_json(asked_for, value)
    if costs:
        paid = {name: cells.pop(name) for name in COST}
        cells["cost"] = paid | {"microseconds": count(paid["microseconds"])}
    return cells
