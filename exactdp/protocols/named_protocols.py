"""What protocols and noise laws are called, and everything that has a name: strings alone, as of randomizers.

``ENTRIES`` has it all by name, ``find`` knows other names of the same things, and ``OPTIONS`` are the parameters that
the command line has as options too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Final

from exactdp import protocols
from exactdp.laws import registry as laws
from exactdp.laws.registry import LawFamily
from exactdp.mechanisms.named_randomizers import RANDOMIZERS, Entry, Parameter, Value, table

_WHICH: Final = "docs/which-protocol.md"
_HERE: Final = "exactdp.protocols"

_SHORT: Final = (
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
"""What is no more than a file. @binary-sum is @randomized-response of bits."""


def _of_packages() -> Iterator[Entry]:
    """Yield what the packages of exactdp/protocols are called: each says so in a file ``entry.py``."""
    for package in iter_modules(protocols.__path__, f"{_HERE}."):
        if package.ispkg and find_spec(f"{package.name}.entry") is not None:
            yield from import_module(f"{package.name}.entry").ENTRIES


PROTOCOLS: Final = table(sorted((*_SHORT, *_of_packages()), key=lambda entry: entry.name))
"""Name -> protocol."""

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
    is_calibrated = family.name == "discrete-gaussian"
    return Entry(
        family.name,
        family.summary,
        "docs/questions.md",
        parameters,
        (family.home,),
        law=family.home,
        calibrated_by="sigma_squared" if is_calibrated else "",
        family=f"{_HERE}.one_parameter_families:gaussian_family" if is_calibrated else "",
        again=(
            "@discrete-gaussian:sigma_squared={value}",
            'xdp.shift_profile(xdp.DiscreteGaussian("{value}"))',
        )
        if is_calibrated
        else (),
        noise_depends_on_n=False,
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


def with_family() -> dict[str, Entry]:
    """Return what has a ``Family`` of its own, by the names that ``calibrate`` uses."""
    return {entry.calibrated_as or entry.name: entry for entry in ENTRIES.values() if entry.family}


def measured() -> tuple[str, ...]:
    """Return the protocols whose least error is a theorem, for ``accuracy``."""
    return tuple(entry.name for entry in ENTRIES.values() if entry.unit)
