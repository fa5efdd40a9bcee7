"""The registry against what the packages define: every name is made from its example, every constructor has a name."""

import subprocess
import sys
from pathlib import Path
from pkgutil import resolve_name

import pytest

from exactdp import laws, protocols, randomizers
from exactdp.laws.registry import CONTINUOUS, FAMILIES
from exactdp.mechanisms.named_randomizers import RANDOMIZERS
from exactdp.numbers.epsilon import read_privacy_level
from exactdp.protocols.named_protocols import (
    ALIASES,
    ENTRIES,
    LAWS,
    MECHANISMS,
    NAMES,
    OPTIONS,
    PROTOCOLS,
    calibrated,
    find,
    measured,
)
from exactdp.protocols.naming.targets import ProtocolTarget, read_target
from exactdp.protocols.naming.typed_noise import NoiseLaw
from exactdp.report.page.protocols import PROTOCOLS as PAGES
from exactdp.studies.calibration import frequency_families, local_families
from exactdp.studies.calibration.grid_search import family_named

ROOT = Path(__file__).resolve().parents[4]

BY_A_THEOREM = "the theorem chooses its parameters from eps and delta at one n: `accuracy`, `slack` and `survey` ask so"
A_VALUE = "the value that the function of the same name makes"
NO_NAME = {
    "Aggregate": A_VALUE,
    "AlmostCentralRealSum": A_VALUE,
    "AlmostCentralSum": A_VALUE,
    "AnyRandomizer": A_VALUE,
    "CorrelatedCounting": A_VALUE,
    "FixedPointSum": A_VALUE,
    "HybridRandomizer": A_VALUE,
    "GaussianRandomizer": A_VALUE,
    "LaplaceRandomizer": A_VALUE,
    "Flooding": A_VALUE,
    "PiecewiseRandomizer": A_VALUE,
    "SampleAndThreshold": A_VALUE,
    "SplitAndMix": A_VALUE,
    "StabilityHistogram": A_VALUE,
    "StaircaseRandomizer": A_VALUE,
    "Product": A_VALUE,
    "Repetition": A_VALUE,
    "FamilyRandomizer": "abstract",
    "RoundedRandomizer": "what from_floats and from_density return",
    "from_density": "made of a function",
    "from_floats": "made of rows",
    "SupportFamily": "abstract",
    "almost_central_real_sum": BY_A_THEOREM,
    "cheu_binary_sum": "@binary-sum, whose gamma is lambda / n",
    "cheu_binary_sum_from_theorem": BY_A_THEOREM,
    "correlated_counting_from_theorem": BY_A_THEOREM,
    "fixed_point_sum": "split and mix of sums in [0, 1], whose privacy is a bound: `security split-and-mix`",
    "fixed_point_sum_from_theorem": BY_A_THEOREM,
    "flooding_from_theorem": BY_A_THEOREM,
    "histogram_from_theorem": BY_A_THEOREM,
    "k_ary": "@randomized-response with its estimate",
    "one_sided_counting_from_theorem": BY_A_THEOREM,
    "private_counting_from_theorem": BY_A_THEOREM,
    "sample_and_threshold_from_theorem": BY_A_THEOREM,
    "zsum_from_theorem": BY_A_THEOREM,
}
"""Public constructor -> why no entry of the registry is named like it."""


def has_an_entry(name: str, value: object) -> bool:
    """Whether a constructor makes what an entry names, or is named like it."""
    makers = {
        resolve_name(path) for entry in MECHANISMS.values() for path in (entry.randomizer, entry.protocol) if path
    }
    return value in makers or name.removesuffix("_randomizer").replace("_", "-") in ENTRIES


def test_every_public_constructor_has_an_entry_or_a_reason() -> None:
    public = {name: getattr(module, name) for module in (protocols, randomizers) for name in module.__all__}
    assert {name for name, value in public.items() if not has_an_entry(name, value)} == set(NO_NAME)


@pytest.mark.parametrize("name", ENTRIES)
def test_every_name_is_made_from_its_example(name: str) -> None:
    entry = ENTRIES[name]
    target = read_target(entry.example)
    assert isinstance(target, NoiseLaw if entry.law else ProtocolTarget)
    assert target.name == entry.example
    for path in (entry.randomizer, entry.protocol, entry.law, *entry.theorems):
        assert not path or callable(resolve_name(path)), path
    assert (ROOT / entry.page).is_file()
    for one in entry.parameters:
        others = {need.name: need.example for need in entry.needed if need.name != one.instead_of}
        given = ",".join(f"{key}={value}" for key, value in {**others, one.name: one.example}.items())
        if entry.law or entry.name == "randomized-response" or one.name != entry.instead(one.name):
            assert read_target(f"@{name}:{given}").name.startswith(f"@{name}:"), given


@pytest.mark.parametrize("alias", ALIASES)
def test_every_alias_is_the_same_thing(alias: str) -> None:
    entry, given = ALIASES[alias]
    assert alias not in ENTRIES
    target = read_target(entry.example.replace(entry.name, alias, 1))
    assert target.name == (f"{entry.example},{given}" if given else entry.example)


def test_the_registry_is_one_table() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert list(ENTRIES) == [*RANDOMIZERS, *PROTOCOLS, *LAWS]
    assert list(LAWS) == [*FAMILIES, *CONTINUOUS]
    assert {family.home for family in (FAMILIES | CONTINUOUS).values()} == {entry.law for entry in LAWS.values()}
    assert {getattr(laws, entry.law.partition(":")[2]) for entry in LAWS.values()} >= {laws.Poisson}
    assert find("nosuch") is None
    for entry in ENTRIES.values():
        assert len(entry.summary) < 72
        assert len(entry.by_name) == len(entry.parameters)
        assert all(one.instead_of in ("", *entry.by_name) for one in entry.parameters)
    assert {option.removeprefix("--") for option in OPTIONS} == {
        one.name for entry in MECHANISMS.values() for one in entry.parameters if one.has_option
    }


def test_what_calibrates_is_what_the_registry_says() -> None:
    assert calibrated("frequency_families") == frequency_families.FREQUENCY_NAMES
    assert {*calibrated("local_families"), local_families.RESPONSE} == {*local_families.LOCAL_NAMES}
    for entry in ENTRIES.values():
        assert entry.calibrated_by in ("", *entry.by_name)
        assert bool(entry.calibrated_by) == bool(entry.calibration or entry.family or entry.calibrated_as)
        name = entry.calibrated_as or entry.name
        if entry.family and name not in ("randomized-response", "sample-and-threshold"):
            family = family_named(name, read_privacy_level(eps=1, exp_eps=None))
            assert family.parameter == entry.calibrated_by.replace("-", "_")
    assert [name for name in measured() if name not in PROTOCOLS] == [
        one for one in RANDOMIZERS if one != "any-randomizer"
    ]


def test_every_protocol_has_a_page_in_the_report() -> None:
    pages = {page.key.removesuffix("s") for page in PAGES}
    for entry in PROTOCOLS.values():
        assert {entry.name, *(name for name, _ in entry.aliases)} & pages, entry.name


def test_the_registry_loads_nothing_slow() -> None:
    code = (
        "import sys, exactdp.protocols.named_protocols\n"
        "slow = ('numpy', 'sympy', 'flint', 'click', 'exactdp.protocols.protocol', 'exactdp.mechanisms.randomizer')\n"
        "print([name for name in slow if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
