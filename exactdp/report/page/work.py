"""The work behind the report, in processes: tables, figures and experiments, each by name, in the order of the page.

The experiments on the page: each at fewer draws than in the shell, with the command that draws the same again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from exactdp.numbers.formats import power_of_ten
from exactdp.report.page.cells import NumberTable, Value
from exactdp.report.page.html import DrawnFigure, ShownExperiment
from exactdp.report.page.protocols import PROTOCOLS, protocol_table
from exactdp.studies.study_workers import Study

SHOWN: Final = {name: (page.key, draws) for page in PROTOCOLS for name, draws in page.experiments}
"""Experiment -> the page that it stands on, and its draws there: one to four seconds for each."""


def shown_experiment(name: str, *, draws: int | None = None, quick: bool = False) -> ShownExperiment:
    """Run an experiment with the default seed.

    Args:
        name: one of ``SHOWN``.
        draws: of each point; by default those of the page.
        quick: fewer points.

    >>> shown = shown_experiment("split-and-mix", draws=100, quick=True)
    >>> shown.command, shown.misses
    ('exactdp experiment split-and-mix --size 100 --seed 20200707 --quick', ())
    >>> what, exact, low, high = shown.table.rows[0]
    >>> what, exact, low <= exact <= high, len(shown.table.rows)
    ('q=2, m=3, n=2', Fraction(1, 4), True, 4)
    """
    from exactdp.report.experiments import DEFAULT_SEED, EXPERIMENTS
    from exactdp.report.experiments.experiment import drawn_ends

    page, usual = SHOWN[name]
    draws = usual if draws is None else draws
    finding = EXPERIMENTS[name].run(seed=DEFAULT_SEED, draws=draws, quick=quick)
    rows: list[tuple[Value, ...]] = [
        (what, exact, *drawn_ends(drawn)) for point in finding.points for what, drawn, exact in point.comparisons()
    ]
    table = NumberTable(
        f"{len(rows)} numbers, exact and as drawn",
        ("number", "exact", "drawn from", "to"),
        tuple(rows),
        f"float: each drawn interval misses its number with probability at most {power_of_ten(-9)}; exact numbers as "
        "the engine computes or encloses them",
    )
    return ShownExperiment(
        name=name,
        statement=finding.statement,
        draws=draws,
        seed=DEFAULT_SEED,
        figure=DrawnFigure.of(finding.picture(), page),
        table=table,
        misses=finding.misses(),
        command=f"exactdp experiment {name} --size {draws} --seed {DEFAULT_SEED}{' --quick' if quick else ''}",
    )


@dataclass(frozen=True, slots=True)
class Task:
    """A part of the report to compute: the figure or the experiment of a name, or the table at a place of a page."""

    page: str
    figure: str = ""
    experiment: str = ""
    table: int = 0

    def __str__(self) -> str:
        if self.experiment:
            return f"experiment {self.experiment}"
        return f"figure {self.figure}" if self.figure else f"table {self.table + 1} of {self.page}"


Part = NumberTable | DrawnFigure | ShownExperiment
"""What a task makes."""


def tasks(pages: Sequence[str] | None = None) -> list[Task]:
    """Return what the pages with these keys need, and for None what the whole report needs.

    >>> [str(task) for task in tasks(["complement"])]
    ['table 1 of complement']
    """
    from exactdp.report.figures.gallery import FIGURES

    everything = [Task(page.key, table=index) for page in PROTOCOLS for index in range(len(page.tables))]
    everything += [Task(figure.protocol, figure=name) for name, figure in FIGURES.items()]
    everything += [Task(page, experiment=name) for name, (page, _) in SHOWN.items()]
    return [task for task in everything if pages is None or task.page in pages]


def done(wanted: Sequence[Task], jobs: int) -> Iterator[tuple[Task, Part]]:
    """Yield each task with what it made, in the order of the tasks, from ``jobs`` processes."""
    return zip(wanted, Study(wanted, _made).in_order(jobs), strict=True)


def _made(task: Task) -> Part:
    if task.experiment:
        return shown_experiment(task.experiment)
    if not task.figure:
        return protocol_table(task.page, task.table)
    from exactdp.report.figures.gallery import FIGURES

    return DrawnFigure.of(FIGURES[task.figure].picture(), task.page)
