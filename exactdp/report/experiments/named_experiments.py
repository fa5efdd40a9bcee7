"""The experiments by name, as the command line and the report list them."""

from __future__ import annotations

from typing import Final

from exactdp.report.experiments.central_noise import central_noise
from exactdp.report.experiments.experiment import Experiment
from exactdp.report.experiments.histogram_error import histogram_error
from exactdp.report.experiments.response_error import response_error
from exactdp.report.experiments.three_models import three_models
from exactdp.report.experiments.zsum_error import zsum_error

__all__ = ["EXPERIMENTS"]

_ALL: Final = (
    Experiment("zsum-error", "zsum's error against its theorem, from 10^3 to 10^9 users.", 500_000, zsum_error),
    Experiment(
        "histogram-error",
        "The largest error of all bins does not grow with their number, from 2 to 10^6.",
        10_000,
        histogram_error,
    ),
    Experiment(
        "randomized-response",
        "The error of randomized response against Hoeffding's radius, from 10^3 to 10^9 users.",
        200_000,
        response_error,
    ),
    Experiment(
        "central",
        "Is the union bound of the Laplace mechanism tight? From 1 to 10^4 counts, and with geometric noise.",
        100_000,
        central_noise,
    ),
    Experiment(
        "models",
        "Local against shuffled against central: one binary sum, against n, log(1/delta) and 1/eps.",
        100_000,
        three_models,
    ),
)

EXPERIMENTS: Final[dict[str, Experiment]] = {each.name: each for each in _ALL}
"""Name -> experiment."""
