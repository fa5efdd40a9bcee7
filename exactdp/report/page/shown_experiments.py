"""The experiments on the page: each at fewer draws than in the shell, with the command that draws the same again."""

from __future__ import annotations

from typing import Final

from exactdp.numbers.formats import power_of_ten
from exactdp.report.experiments import DEFAULT_SEED, EXPERIMENTS
from exactdp.report.experiments.experiment import drawn_ends
from exactdp.report.page.cells import NumberTable, Value
from exactdp.report.page.html import DrawnFigure, ShownExperiment

SHOWN: Final[dict[str, tuple[str, int]]] = {
    "zsum-error": ("zsum", 20_000),
    "histogram-error": ("histogram", 4_000),
    "randomized-response": ("randomized-response", 20_000),
    "central": ("counting", 4_000),
    "models": ("survey", 20_000),
    "correlated-counting": ("correlated-counting", 20_000),
    "split-and-mix": ("split-and-mix", 5_000),
}
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
