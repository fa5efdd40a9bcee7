"""What this package is called."""

from __future__ import annotations

from typing import Final

from exactdp.mechanisms.named_randomizers import Entry, Parameter, Value

_HERE: Final = "exactdp.protocols.geometric_sum.geometric_sum_protocol"

ENTRIES: Final = (
    Entry(
        "geometric-sum",
        "a sum of bits plus two-sided geometric noise, which users share",
        "docs/which-protocol.md",
        (Parameter("p", Value.EXACT, "P", "ratio of the noise, in (0, 1)", "1/2"),),
        (f"{_HERE}:geometric_sum_from_theorem",),
        protocol=f"{_HERE}:GeometricSum",
        calibrated_by="p",
        family=f"{_HERE}:geometric_sum_family",
        from_theorem=f"{_HERE}:geometric_sum_from_theorem",
        sums_bits="shuffled, several messages",
        shown=("p",),
        unit="sum",
    ),
)
