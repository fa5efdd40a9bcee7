"""docs/deployed.md: a section for each deployment with a source, as the command prints it; and numbers known before."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from exactdp import deployment
from exactdp.deployment import Deployment
from tests.peers.deployed import _ADDRESS, FOLDER, HEAD, NAMES, ROOT, _facts, _numbers, ends, marker, section, stored
from tests.together import together


def read(name: str) -> Deployment:
    return deployment.read(FOLDER / f"{name}.toml")


def test_each_deployment_with_a_source_has_a_section() -> None:
    files = sorted(path.stem for path in FOLDER.glob("*.toml"))
    assert sorted(NAMES) == [name for name in files if read(name).source]
    assert all(marker(name).endswith(f" {name} -->") for name in NAMES)


def test_sources_are_in_the_bibliography() -> None:
    """But for a device's report that somebody published, which has no author and no year."""
    known = (ROOT / "exactdp" / "references.bib").read_text("utf-8")
    named = {address for name in NAMES for address in _ADDRESS.findall(read(name).source)}
    assert {address for address in named if f"{{{address}}}" not in known} == {"https://pastebin.com/sJwY5k1h"}


@together("name", NAMES)
def test_the_page_says_what_the_file_does(name: str) -> None:
    lines = stored(name).splitlines()
    deployed = read(name)
    facts = _facts(name, deployed)
    assert lines[: len(facts)] == facts
    assert f"| {' | '.join(HEAD)} |" in lines
    rows = [line for line in lines if line.startswith("| ")][2:]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == [one.questions[0] for one in deployed.releases]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_page_is_what_the_command_prints(name: str) -> None:
    assert section(name) == stored(name)


KNOWN = [
    ("dap_sums", "EPSILON_0 = 5", ".2972", ".2976"),
    ("dap_sums", "EPSILON_0 = 6.5", ".7000", ".7007"),
    ("dap_zeros", "EPSILON_0 = 5", ".211952", ".211953"),
    ("dap_zeros", "EPSILON_0 = 6.5", ".515008", ".515009"),
    ("dap_zeros", "EPSILON_0 = 7", ".714759", ".714760"),
    ("dap_shuffled", "EPSILON_0 = 5", "5.69", "6.39"),
    ("dap_shuffled", "EPSILON_0 = 6.5", "9.27", "9.98"),
    ("dap_shuffled", "EPSILON_0 = 7", "10.56", "11.30"),
    ("nebula", "holders of one value", ".318040", ".318042"),
    ("attribution_reporting", "a click", "8.5198", "8.5199"),
]
"""Ends between which the least eps is known to be, from independent computations before this page was."""


@together("name, what, low, high", KNOWN)
def test_the_numbers_of_the_page_are_those_known_before(name: str, what: str, low: str, high: str) -> None:
    row = next(line for line in stored(name).splitlines() if line.startswith(f"| {what} |"))
    proved = [Fraction(part) for part in row.split(" | ")[2].split(" to ")]
    assert Fraction(low) <= proved[0] <= proved[-1] <= Fraction(high)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "n", "known"), [(0, 10**5, "10.27104"), (0, 10**8, ".9130499"), (1, 10**8, ".9146858")]
)
def test_event_level_reports_among_other_numbers_of_sources(place: int, n: int, known: str) -> None:
    read_file = read("attribution_reporting")
    at = replace(read_file, classes=(replace(read_file.classes[0], n=n),))
    low, high = ends(at.audit().releases[place].epsilon)
    assert abs(low - Fraction(known)) < Fraction(1, 10**4)
    assert low <= high < low * Fraction(10001, 10000)


@together("eps, said", [("1/100", "refuted"), ("8", "holds")])
def test_a_promise_lies_beside_the_ends(eps: str, said: str) -> None:
    deployed = read("nebula")
    release = replace(deployed.releases[0], eps=Fraction(eps))
    audit = replace(deployed, releases=(release,)).audit()
    cells = _numbers(release, audit.releases[0], audit)
    assert cells[0].endswith(f": {said}")
    assert (Fraction(cells[2]) > 1) is (said == "holds")
