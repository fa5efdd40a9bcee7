"""The table on the page of flooding; as in protocol_tables, it is computed."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from exactdp.report.page.cells import Row, number_table
from exactdp.studies.calibration.frequency_comparison import compare_frequencies

_SHOWN: Final = ("histogram protocol", "k-ary response", "mixed dummies", "balls into bins", "flooding")
"""Rows of the comparison that take a second or two."""
_CHOSEN: Final = {"least": "least", "enough": "enough by a proved upper end"}
"""How the noise was chosen, in words."""


@number_table(
    "Frequencies of 100 inputs among n = 10⁴ users with ε = 1 and δ = 10⁻⁶, β = 1/20",
    ("protocol", "its noise", "δ at ε = 1", "messages of a user", "bits of one", "error of one input, in users",
     "of all inputs together"),
    "enclosure: the noise is enough, and the least on a grid where it says so; the errors are those of the worst data "
    "set",
)  # fmt: skip
def flooding_comparison() -> Iterator[Row]:
    """Return the noise, messages and errors of five protocols for frequencies at one (eps, delta)."""
    for row in compare_frequencies(10**4, 100, eps=1, delta=Fraction(1, 10**6), only=_SHOWN):
        assert row.communication is not None
        yield (
            row.name,
            _CHOSEN[row.choice],
            row.delta,
            row.communication.messages,
            row.communication.bits,
            row.error,
            row.simultaneous,
        )
