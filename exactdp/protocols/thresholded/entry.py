"""What this package is called: strings alone, which the table of names reads."""

from __future__ import annotations

from typing import Final

from exactdp.mechanisms.named_randomizers import Entry, Parameter, Value

_HERE: Final = "exactdp.protocols"
_WHICH: Final = "docs/which-protocol.md"

ENTRIES: Final = (
    Entry(
        "sample-and-threshold",
        "holders report with probability Q; counts below T are dropped",
        "docs/sample-and-threshold.md",
        (
            Parameter("rate", Value.EXACT, "Q", "probability that a holder reports, in (0, 1]", "1/8"),
            Parameter("threshold", Value.INTEGER, "T", "the least count that is released, at least 1", "20"),
            Parameter("symbols", Value.INTEGER, "D", "number of symbols; the input 0 holds none", "2", default="1"),
        ),
        ("exactdp.bounds:sample_threshold_parameters",),
        protocol=f"{_HERE}:sample_and_threshold",
        calibrated_by="threshold",
        family=f"{_HERE}.thresholded.sample_and_threshold_protocol:thresholded_family",
        family_options=("rate", "threshold"),
        again=(
            "@sample-and-threshold --rate {rate} --threshold {threshold} --users {users}",
            'xdp.protocols.sample_and_threshold({users}, rate="{rate}", threshold={threshold}).privacy_profile()',
        ),
        never_pure="delta=0 is reached by no rate and threshold of sample-and-threshold. Pass delta above 0.",
        unit="sum",
    ),
)
