"""What this package is called: strings alone, which the table of names reads."""

from __future__ import annotations

from typing import Final

from exactdp.mechanisms.named_randomizers import INPUTS, Entry, Parameter, Value

_HERE: Final = "exactdp.protocols"
_WHICH: Final = "docs/which-protocol.md"

ENTRIES: Final = (
    Entry(
        "flooding",
        "the own value, and a random number of uniformly random ones",
        _WHICH,
        (
            INPUTS,
            Parameter(
                "exp-eps0", Value.EXACT, "E", "e^eps0 of the own message, a rational number above 1", "3", "no lie"
            ),
            Parameter(
                "mean",
                Value.MEAN,
                "M",
                "expected number of uniform messages of one user, above 0",
                "1/2",
                passed_as="noise",
            ),
            Parameter(
                "noise",
                Value.LAW,
                "(LAW:...)",
                "law of the number of uniform messages of one user",
                "(binomial:n=2,p=1/4)",
                instead_of="mean",
                has_option=False,
            ),
        ),
        (f"{_HERE}.flooded.flooding_protocol:Flooding",),
        protocol=f"{_HERE}:flooding",
        calibrated_by="mean",
        calibration="frequency_families",
        again=(
            "@flooding --inputs {inputs} --mean {value} --users {users}",
            'xdp.protocols.flooding({users}, {inputs}, noise=xdp.Poisson("{value}")).privacy_profile()',
        ),
        may_be_zero=True,
    ),
)
