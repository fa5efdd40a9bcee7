"""Accuracy experiments: what the exact theorems say, beside what simulated views do.

Each is a function of a seed that returns its findings as exact data, with a table and a figure. The draws come from
:mod:`exactdp.sampling`, and each drawn interval misses with probability at most 10^-9 what the exact engine computed:
the two were written apart, so their agreement says something about both.

>>> sorted(EXPERIMENTS)
['central', 'correlated-counting', 'histogram-error', 'models', 'randomized-response', 'split-and-mix', 'zsum-error']
>>> EXPERIMENTS["zsum-error"].run(draws=1000, quick=True).misses()
()
"""

from __future__ import annotations

from exactdp.report.experiments.experiment import DEFAULT_SEED, Experiment, Finding, write_finding
from exactdp.report.experiments.named_experiments import EXPERIMENTS

__all__ = ["DEFAULT_SEED", "EXPERIMENTS", "Experiment", "Finding", "write_finding"]
