"""What this package is called: strings alone, which the table of names reads."""

from __future__ import annotations

from typing import Final

from exactdp.mechanisms.named_randomizers import Entry, Parameter, Value

ENTRIES: Final = (
    Entry(
        "aggregate",
        "sums of users' flipped bit vectors, by secure aggregation",
        "docs/aggregate.md",
        (
            Parameter(
                "of",
                Value.RANDOMIZER,
                "(NAME:...)",
                "what each user runs: unary encoding, or k-ary response",
                "(unary-encoding:inputs=100,eps0=10)",
                passed_as="randomizer",
                has_option=False,
            ),
        ),
        protocol="exactdp.protocols.aggregated.aggregate_protocol:named_aggregate",
        unit="holders",
    ),
)
