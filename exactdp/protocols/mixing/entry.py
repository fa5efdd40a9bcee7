"""What this package is called: strings alone, which the table of names reads."""

from __future__ import annotations

from typing import Final

from exactdp.mechanisms.named_randomizers import Entry, Parameter, Value

_HERE: Final = "exactdp.protocols"
_WHICH: Final = "docs/which-protocol.md"

ENTRIES: Final = (
    Entry(
        "split-and-mix",
        "M shares modulo Q of the own value: the sum, and little else",
        _WHICH,
        (
            Parameter("modulus", Value.INTEGER, "Q", "inputs and messages are integers modulo Q", "5"),
            Parameter("messages", Value.INTEGER, "M", "messages of one user", "3"),
        ),
        ("exactdp.bounds:split_and_mix_distance",),
        f"{_HERE}:split_and_mix_randomizer",
        unit="sum",
    ),
)
