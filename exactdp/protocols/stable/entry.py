"""What this package is called: strings alone, which the table of names reads."""

from __future__ import annotations

from typing import Final

from exactdp.mechanisms.named_randomizers import Entry, Parameter, Value

_HERE: Final = "exactdp.protocols"

ENTRIES: Final = (
    Entry(
        "stability-histogram",
        "central: noisy counts of D bins, where few users or none are 0",
        "docs/stability-histogram.md",
        (
            Parameter("bins", Value.INTEGER, "D", "number of bins", "10"),
            Parameter("eps", Value.EPS, "EPS", "the eps that is promised", "1", has_option=False),
            Parameter("delta", Value.EXACT, "DELTA", "the delta that is promised", "1e-6", has_option=False),
        ),
        (f"{_HERE}:stability_histogram",),
        protocol=f"{_HERE}:stability_histogram",
        unit="sum",
    ),
)
