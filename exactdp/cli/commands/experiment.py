"""``experiment``: an accuracy experiment by name, its table on stdout, or its data and figure in a directory.

CSV is that of :mod:`exactdp.report.figures.data`, the same bytes that ``-o`` writes beside the figure. The JSON is
described in docs/json.md.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import click

from exactdp.cli.completion import at, named
from exactdp.cli.failures import HOLDS, REFUTED
from exactdp.cli.options import folder_option, format_option, option_of, options
from exactdp.cli.output import Report, columns, count, deliver, listing, printable
from exactdp.cli.progress_bars import Counter, working
from exactdp.cli.values import COUNT, Text, Typed, refuse_given
from exactdp.errors import InvalidValueError, meant
from exactdp.numbers.exact import as_integer
from exactdp.numbers.formats import decimal_text, exact_text
from exactdp.numbers.interval import Interval

if TYPE_CHECKING:
    from exactdp.report.experiments import Experiment, Finding
    from exactdp.report.figures.data import Cell, DataTable


_DIGITS: Final = 5
"""Of a decimal in a table that is read across a dozen columns."""
_SHORT: Final = 12
"""Exact numbers of so many characters fit into a column."""
_NARROW: Final = Fraction(1, 10**6)
"""Intervals of this relative width differ from one number by less than the digits that are shown."""


@click.command("experiment")
@click.argument("name", required=False, metavar="[NAME]", type=Text(named(at("exactdp.report.experiments:NAMES"))))
@click.option("--list", "listed", is_flag=True, help="List the experiments.")
@option_of(
    Typed(as_integer, at_least=0), "S", "--seed", help="Seed of the draws; the same seed gives the same numbers."
)
@option_of(COUNT, "DRAWS", "--size", help="Draws of each point, up to 10^7; large points get fewer.")
@click.option("--quick", is_flag=True, help="Fewer points.")
@options(format_option)
@folder_option("-o", "--output", help="Write NAME.csv, .json, .svg and .png into DIR.")
def experiment_command(
    name: str | None, listed: bool, seed: int | None, size: int | None, quick: bool, form: str, output: str | None
) -> int:
    """Draw views with the sampler, and compare them with the exact accuracy and the published one.

    Without NAME the experiments are listed. Each drawn interval has confidence 1 - 10^-9; those that miss the exact
    number are named on stderr.

    Exit status: 0 every interval contains the exact number, 1 one misses it.
    """
    from exactdp.report.experiments.experiment import usable_directory, write_finding

    if name is None or listed:
        given = {"NAME": name, "--seed": seed, "--size": size, "--quick": quick, "-o": output}
        refuse_given(given, "for the list", "`exactdp experiment` lists the names.")
        return deliver(_listing(), form=form, output=None)
    experiment = _named(name)
    if output is not None:
        if form != "text":
            raise InvalidValueError(
                f"--format {form} has no meaning with -o, which writes CSV and JSON. Leave one out."
            )
        usable_directory(output)
    finding = _run(experiment, seed, size, quick)
    misses = finding.misses()
    status, remarks = REFUTED if misses else HOLDS, [f"miss: {miss}" for miss in misses]
    if output is None:
        return deliver(_report(finding.table(), status, remarks), form=form, output=None)
    written = [f"wrote {printable(path)}" for path in write_finding(finding, output, name)]
    for line in (*written, *remarks):
        print(line, file=sys.stderr)
    return status


def _named(name: str) -> Experiment:
    from exactdp.report.experiments import EXPERIMENTS

    if name not in EXPERIMENTS:
        raise InvalidValueError(
            f"there is no experiment {name!r}. {meant(name, EXPERIMENTS)}`exactdp experiment` lists the names."
        )
    return EXPERIMENTS[name]


def _listing() -> Report:
    from exactdp.report.experiments import EXPERIMENTS

    entries = [{"name": e.name, "statement": e.statement, "draws": count(e.draws)} for e in EXPERIMENTS.values()]
    return listing("experiments", entries)


def _run(experiment: Experiment, seed: int | None, draws: int | None, quick: bool) -> Finding:
    from exactdp.report.experiments import DEFAULT_SEED

    start = DEFAULT_SEED if seed is None else seed
    watch = Counter(f"experiment {experiment.name}")
    with working(f"experiment {experiment.name}"):
        finding = experiment.run(seed=start, draws=draws, quick=quick, watch=watch)
    watch.end()
    return finding


def _report(table: DataTable, status: int, remarks: list[str]) -> Report:
    from exactdp.report.figures.data import csv_rows, json_data

    return Report(lambda: _text(table), lambda: json_data(table), lambda: csv_rows(table), status, remarks)


def _text(table: DataTable) -> list[str]:
    """Return the parameters, and the rows with their columns under each other."""
    shown = [name for name in table.columns if any(cell not in (None, "") for cell in table.column(name))]
    rows = [[_brief(row[table.columns.index(name)]) for name in shown] for row in table.rows]
    return [*columns(table.about), "", *columns([[name.replace("_", " ") for name in shown], *rows])]


def _brief(cell: Cell) -> str:
    """Return a cell for reading: an interval by one decimal if it is narrow, else by its ends."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return printable(cell) if cell else ""
    if isinstance(cell, Interval):
        low, high = (decimal_text(end, _DIGITS, up=up) for end, up in ((cell.lower, False), (cell.upper, True)))
        return high if cell.hi - cell.lo <= _NARROW * abs(cell.hi) else f"{low}..{high}"
    exact = exact_text(cell)
    return exact if len(exact) <= _SHORT else decimal_text(Fraction(cell), _DIGITS, up=True)
