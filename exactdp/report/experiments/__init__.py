"""Accuracy experiments: what the exact theorems say, beside what simulated views do.

Each is a function of a seed that returns its findings as exact data, with a table and a figure. The draws come from
:mod:`exactdp.sampling`, and each drawn interval misses with probability at most 10^-9 what the exact engine computed:
the two were written apart, so their agreement says something about both.

>>> EXPERIMENTS["zsum-error"].run(draws=1000, quick=True).misses()
()
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from exactdp.report.experiments.central_noise import CentralNoise, central_noise
from exactdp.report.experiments.counting_error import CountingError, counting_error
from exactdp.report.experiments.experiment import DEFAULT_SEED, Experiment, Finding, write_finding
from exactdp.report.experiments.histogram_error import HistogramError, histogram_error
from exactdp.report.experiments.response_error import ResponseError, response_error
from exactdp.report.experiments.three_models import ModelError, three_models
from exactdp.report.experiments.view_distance import ViewDistance, view_distance
from exactdp.report.experiments.zsum_error import ZsumError, zsum_error

__all__ = ["DEFAULT_SEED", "EXPERIMENTS", "Experiment", "Finding", "write_finding"]

_ALL: Final[tuple[tuple[type[Finding], Callable[..., Finding]], ...]] = (
    (ZsumError, zsum_error),
    (HistogramError, histogram_error),
    (ResponseError, response_error),
    (CentralNoise, central_noise),
    (ModelError, three_models),
    (CountingError, counting_error),
    (ViewDistance, view_distance),
)
"""What is found, and what finds it, in the order of the list."""

EXPERIMENTS: Final[dict[str, Experiment]] = {
    finding.name: Experiment(finding.name, finding.statement, finding.usual_draws, function)
    for finding, function in _ALL
}
"""Name -> experiment, as ``exactdp experiment NAME`` runs it."""
