"""The work behind the report, in processes: tables, figures and experiments, each by name, in the order of the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass

from exactdp.report.page.cells import NumberTable
from exactdp.report.page.html import DrawnFigure, ShownExperiment
from exactdp.report.page.protocols import PROTOCOLS, protocol_table


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
    from exactdp.report.page.shown_experiments import SHOWN

    everything = [Task(page.key, table=index) for page in PROTOCOLS for index in range(len(page.tables))]
    everything += [Task(figure.protocol, figure=name) for name, figure in FIGURES.items()]
    everything += [Task(page, experiment=name) for name, (page, _) in SHOWN.items()]
    return [task for task in everything if pages is None or task.page in pages]


def done(wanted: Sequence[Task], jobs: int) -> Iterator[tuple[Task, Part]]:
    """Yield each task with what it made, in the order of the tasks, from ``jobs`` processes."""
    with nullcontext() if jobs == 1 or len(wanted) < 2 else ProcessPoolExecutor(jobs) as executor:
        made = map(_made, wanted) if executor is None else executor.map(_made, wanted)
        yield from zip(wanted, made, strict=True)


def _made(task: Task) -> Part:
    if task.experiment:
        from exactdp.report.page.shown_experiments import shown_experiment

        return shown_experiment(task.experiment)
    if not task.figure:
        return protocol_table(task.page, task.table)
    from exactdp.report.figures.gallery import FIGURES

    return DrawnFigure.of(FIGURES[task.figure].picture(), task.page)
