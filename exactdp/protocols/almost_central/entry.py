"""What this package is called: strings alone, which the table of names reads."""

from __future__ import annotations

from typing import Final

from exactdp.mechanisms.named_randomizers import Entry, Parameter, Value

_HERE: Final = "exactdp.protocols"
_WHICH: Final = "docs/which-protocol.md"

ENTRIES: Final = (
    Entry(
        "almost-central",
        "sums of numbers 0 to B in almost one message",
        _WHICH,
        (
            Parameter("r", Value.REAL, "R", "shape of the noise that cancels, from 1 on", "42", "the theorem's"),
            Parameter("bound", Value.INTEGER, "B", "the largest number of a user, at least 1", "1", least=1),
            Parameter("for-eps", Value.EXACT, "E", "the noise is the theorem's for this eps", "1", passed_as="eps"),
            Parameter("for-delta", Value.EXACT, "D", "and for this delta, in (0, 1]", "1e-6", passed_as="delta"),
        ),
        (f"{_HERE}.almost_central.almost_central_theorem:almost_central_noise",),
        protocol=f"{_HERE}:almost_central_sum",
        calibrated_by="r",
        family=f"{_HERE}.almost_central.almost_central_protocol:almost_central_family",
        again=(
            "@almost-central --bound 1 --for-eps {eps} --for-delta 1 --r {value} --users {users}",
            'xdp.protocols.almost_central_sum({users}, bound=1, eps="{eps}", delta=1, r="{value}").privacy_profile()',
        ),
        unit="sum",
    ),
)
