"""What protocols and noise laws are called, and everything that has a name: strings alone, as of randomizers.

``ENTRIES`` has it all by name, ``find`` knows other names of the same things, and ``OPTIONS`` are the parameters that
the command line has as options too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from exactdp.laws import registry as laws
from exactdp.laws.registry import LawFamily
from exactdp.mechanisms.named_randomizers import INPUTS, RANDOMIZERS, Entry, Parameter, Value, table

_WHICH: Final = "docs/which-protocol.md"
_HERE: Final = "exactdp.protocols"
_NO_DUMMY: Final = Parameter("gamma", Value.EXACT, "G", "probability of no dummy, in [0, 1]", "1/8")

PROTOCOLS: Final = table(
    (
        Entry(
            "binary-sum",
            "the own bit, or with probability G a random one",
            _WHICH,
            (Parameter("gamma", Value.EXACT, "G", "probability of a random answer: lambda / n", "1/8"),),
            ("exactdp.bounds:binary_sum_lambda",),
            "exactdp.mechanisms.k_ary_family:KAryResponse",
            fixed=(("k", 2),),
            calibrated_by="gamma",
            calibrated_as="randomized-response",
        ),
        Entry(
            "zsum",
            "the bit where it is 1, and a dummy or none: never overstates 0",
            _WHICH,
            (_NO_DUMMY,),
            ("exactdp.bounds:zsum_privacy_bound", "exactdp.bounds:zsum_accuracy"),
            f"{_HERE}:zsum_randomizer",
            calibrated_by="gamma",
            calibration="families",
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
            unit="mean",
        ),
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
        ),
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
            calibration="families",
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
            calibration="families",
            unit="sum",
        ),
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
            calibration="families",
            unit="sum",
        ),
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
            calibration="families",
            unit="sum",
        ),
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
        Entry(
            "complement",
            "a bit and its opposite: shuffled, nothing",
            "docs/tutorials/read-a-proof.md",
            theorems=(f"{_HERE}:complement",),
            randomizer=f"{_HERE}:complement_randomizer",
        ),
        Entry(
            "gap",
            "four bits: no eps alone, one in the shuffle of two and more",
            "docs/comparison.md",
            theorems=(f"{_HERE}:gap",),
            randomizer=f"{_HERE}:gap_randomizer",
        ),
    )
)
"""Name -> protocol, in the order in which they are listed. @binary-sum is @randomized-response of bits."""

_VALUES: Final = {
    laws.Parameter.INTEGER: Value.INTEGER,
    laws.Parameter.RATIONAL: Value.EXACT,
    laws.Parameter.REAL: Value.REAL,
}


def of_law(family: LawFamily) -> Entry:
    """Return the entry of a family of laws."""
    examples = dict(entry.split("=", 1) for entry in family.example.split(","))
    parameters = tuple(
        Parameter(name, _VALUES[kind], family.letters[name], family.says[name], examples[name])
        for name, kind in family.fields.items()
    )
    calibrated = ("sigma_squared", "families") if family.name == "discrete-gaussian" else ("", "")
    return Entry(
        family.name,
        family.summary,
        "docs/questions.md",
        parameters,
        (family.home,),
        law=family.home,
        calibrated_by=calibrated[0],
        calibration=calibrated[1],
    )


LAWS: Final = {name: of_law(family) for name, family in (laws.FAMILIES | laws.CONTINUOUS).items()}
"""Name -> noise law, those on integers first."""

MECHANISMS: Final = RANDOMIZERS | PROTOCOLS
"""Name -> what n users run."""

ENTRIES: Final = MECHANISMS | LAWS
"""Name -> whatever has it."""

ALIASES: Final = {alias: (entry, given) for entry in ENTRIES.values() for alias, given in entry.aliases}
"""Another name -> the entry, and the parameters that the name says."""

NAMES: Final = (*ENTRIES, *ALIASES)
"""All that can be typed behind an @."""


@dataclass(frozen=True, slots=True)
class Option:
    """A parameter as an option of the command line: what is typed, and said of it."""

    letter: str | None
    """None for a flag."""
    help: str
    owners: tuple[str, ...]


def _options() -> dict[str, Option]:
    found: dict[str, Option] = {}
    for one in [one for entry in MECHANISMS.values() for one in entry.parameters]:
        if one.has_option and one.option not in found:
            owners = tuple(entry.name for entry in MECHANISMS.values() if one.name in entry.by_name)
            whose = (
                f"Of @{' and @'.join(owners)}: {one.help}" if len(owners) < 3 else one.help[0].upper() + one.help[1:]
            )
            found[one.option] = Option(None if one.value is Value.FLAG else one.letter, f"{whose}.", owners)
    return found


OPTIONS: Final = _options()
"""What is typed before the value -> the option."""


def find(name: str) -> tuple[Entry, str] | None:
    """Return what a name stands for, and the parameters that it says; None for what is no name.

    >>> entry, given = find("oue")
    >>> entry.name, given
    ('unary-encoding', 'optimized=true')
    """
    return (ENTRIES[name], "") if name in ENTRIES else ALIASES.get(name)


def calibrated(file: str) -> tuple[str, ...]:
    """Return what ``calibrate`` knows by a file of exactdp/studies/calibration, by the names that it uses."""
    return tuple(entry.calibrated_as or entry.name for entry in ENTRIES.values() if entry.calibration == file)


def measured() -> tuple[str, ...]:
    """Return the protocols whose least error is a theorem, for ``accuracy``."""
    return tuple(entry.name for entry in ENTRIES.values() if entry.unit)
