"""Accuracy experiments: what the exact theorems say, beside what simulated views do.

Each is a function of a seed that returns its findings as exact data, with a table and a figure. The draws come from
:mod:`exactdp.sampling`, and each drawn interval misses with probability at most 10^-9 what the exact engine computed:
the two were written apart, so their agreement says something about both.

>>> from exactdp.report.experiments import EXPERIMENTS
>>> EXPERIMENTS["zsum-error"].run(draws=1000, quick=True).misses()
()
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from exactdp.report.experiments.experiment import DEFAULT_SEED, Experiment, Finding, write_finding

NAMES: Final = {
    "zsum-error": "zsum_error:ZsumError",
    "histogram-error": "histogram_error:HistogramError",
    "randomized-response": "response_error:ResponseError",
    "central": "central_noise:CentralNoise",
    "models": "three_models:ModelError",
    "correlated-counting": "counting_error:CountingError",
    "split-and-mix": "view_distance:ViewDistance",
}
"""Name -> the module of an experiment, and what it finds."""

EXPERIMENTS: dict[str, Experiment]
"""Name -> experiment, as ``exactdp experiment NAME`` runs it."""

__all__ = ["DEFAULT_SEED", "EXPERIMENTS", "Experiment", "Finding", "write_finding"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = _experiments() if name == "EXPERIMENTS" else getattr(import_module(f"{__name__}.experiment"), name)
    globals()[name] = value
    return value


def _experiments() -> dict[str, Experiment]:
    from exactdp.report.experiments.experiment import Experiment

    found = {}
    for name, path in NAMES.items():
        home, finding = path.split(":")
        kind = getattr(import_module(f"{__name__}.{home}"), finding)
        found[name] = Experiment(name, kind.statement, kind.usual_draws, kind.run)
    return found
