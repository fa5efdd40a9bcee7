"""What this package is called: strings alone, which the table of names reads."""

from __future__ import annotations

from typing import Final

from exactdp.mechanisms.named_randomizers import Entry, Parameter, Value

_HERE: Final = "exactdp.protocols"
_WHICH: Final = "docs/which-protocol.md"
_NO_DUMMY: Final = Parameter("gamma", Value.EXACT, "G", "probability of no dummy, in [0, 1]", "1/8")

ENTRIES: Final = (
    Entry(
        "zsum",
        "the bit where it is 1, and a dummy or none: never overstates 0",
        _WHICH,
        (_NO_DUMMY,),
        ("exactdp.bounds:zsum_privacy_bound", "exactdp.bounds:zsum_accuracy"),
        f"{_HERE}:zsum_randomizer",
        calibrated_by="gamma",
        family=f"{_HERE}.zsum_and_histogram.zsum_protocol:zsum_family",
        again=(
            "@zsum --gamma {value} --users {users}",
            'xdp.protocols.zsum({users}, gamma="{value}").privacy_profile()',
        ),
        may_be_zero=True,
        builders=(f"{_HERE}:zsum",),
        unit="mean",
    ),
    Entry(
        "histogram",
        "zsum in each of D bins: empty bins stay empty",
        _WHICH,
        (_NO_DUMMY, Parameter("bins", Value.INTEGER, "D", "number of bins", "10", passed_as="d")),
        ("exactdp.bounds:histogram_privacy_bound", "exactdp.bounds:histogram_accuracy"),
        f"{_HERE}:histogram_randomizer",
        f"{_HERE}:histogram",
        calibrated_by="gamma",
        calibration="frequency_families",
        again=(
            "@histogram --bins {inputs} --gamma {value} --users {users}",
            'xdp.protocols.histogram({users}, {inputs}, gamma="{value}").privacy_profile()',
        ),
        may_be_zero=True,
        unit="mean",
    ),
)
