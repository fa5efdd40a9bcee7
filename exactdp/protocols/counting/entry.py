"""What this package is called: strings alone, which the table of names reads."""

from __future__ import annotations

from typing import Final

from exactdp.mechanisms.named_randomizers import Entry, Parameter, Value

_HERE: Final = "exactdp.protocols"
_WHICH: Final = "docs/which-protocol.md"

ENTRIES: Final = (
    Entry(
        "one-sided-counting",
        "a count plus negative binomial noise, which users share",
        _WHICH,
        (
            Parameter("r", Value.EXACT, "R", "shape of the noise, above 0", "42"),
            Parameter("p", Value.EXACT, "P", "ratio of the noise, in [0, 1)", "9/10"),
        ),
        ("exactdp.bounds:negative_binomial_mechanism",),
        protocol=f"{_HERE}:one_sided_counting",
        aliases=(("counting", ""), ("private-counting", "")),
        calibrated_by="r",
        family=f"{_HERE}.counting.counting_protocol:counting_family",
        again=(
            "'@negative-binomial:r={value},p=exp(-{fifth})'",
            'xdp.shift_profile(xdp.NegativeBinomial("{value}", "exp(-{fifth})"))',
        ),
        builders=("exactdp.laws:NegativeBinomial",),
        noise_depends_on_n=False,
        calibrated_as="counting",
    ),
    Entry(
        "correlated-counting",
        "messages +1 and -1, whose common noise cancels in the sum",
        _WHICH,
        (
            Parameter("r", Value.REAL, "R", "shape of the noise of both counts, from 0 on", "42"),
            Parameter("p1", Value.REAL, "P", "ratio of the noise of each count, in (0, 1)", "1/2"),
            Parameter("p2", Value.REAL, "P", "ratio of the noise of both counts, likewise", "9/10"),
        ),
        ("exactdp.bounds:correlated_counting_noise",),
        protocol=f"{_HERE}:correlated_counting",
        calibrated_by="r",
        family=f"{_HERE}.counting.correlated_counting_protocol:correlated_family",
        family_options=("share",),
        again=(
            "@correlated-counting --p1 'exp(-{own})' --p2 'exp(-{shared})' --r {value} --users {users}",
            (
                'xdp.protocols.correlated_counting({users}, p1="exp(-{own})", p2="exp(-{shared})", r="{value}")'
                ".privacy_profile()"
            ),
        ),
        may_be_zero=True,
        never_pure="delta=0 is reached by no r: the counts can be those of the bits. Pass delta above 0.",
        from_theorem=f"{_HERE}:correlated_counting_from_theorem",
        sums_bits="shuffled, several messages",
        shown=("r",),
        unit="sum",
    ),
)
