"""Audits against each other: units, more people, fewer rounds, less eps0, and the numbers of the examples."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from exactdp import Interval, deployment
from exactdp.deployment import Deployment, Participation, Question, Release, UserClass
from exactdp.errors import InvalidValueError
from exactdp.numbers.epsilon import LogRational
from exactdp.protocols.naming.targets import read_randomizer
from tests.together import together

ROOT = Path(__file__).resolve().parents[4]
SPECS = ("krr:inputs=2,eps0=1", "krr:inputs=3,eps0=1")


def deployed(
    specs: tuple[str, ...] = SPECS[:1], n: int = 40, times: int = 3, unit: str = "person", model: str = "always"
) -> Deployment:
    """Return a deployment of one class, whose questions are asked in one release."""
    questions = [Question(f"q{i}", (spec,), (read_randomizer(spec),)) for i, spec in enumerate(specs)]
    way = Participation(model) if model == "always" else Participation(model, Fraction(1, 2))
    names = tuple(one.name for one in questions)
    releases = (Release(names, "separate", times),)
    return Deployment("x", Fraction(1, 100), unit, Fraction(1), (UserClass("a", n),), way, tuple(questions), releases)


def ends(made: Deployment) -> tuple[Fraction, Fraction]:
    """Return both ends of the eps of the whole."""
    eps = made.audit().epsilon
    found = eps.enclose(relative_bits=64) if isinstance(eps, LogRational) else eps
    assert isinstance(found, Interval)
    return found.lo, found.hi


@pytest.mark.slow
def test_what_one_round_sends_is_one_round_of_a_person() -> None:
    """By hand: of several releases the largest of one round counts; what comes after is a function of it."""
    once = {spec: deployed((spec,), times=1).audit().epsilon for spec in SPECS}
    assert deployed(SPECS[:1], times=7, unit="round").audit().epsilon == once[SPECS[0]]
    both = deployed(SPECS, unit="round")
    releases = tuple(Release((one.name,), "separate", 5) for one in both.questions)
    apart = Deployment("x", both.delta, "round", None, both.classes, both.participation, both.questions, releases)
    assert apart.audit().epsilon == max(once.values())
    assert ends(deployed(times=3))[0] > ends(deployed(times=3, unit="round"))[1]


def test_delta_at_the_budget_is_on_the_side_of_eps() -> None:
    made = deployed()
    audit = made.audit()
    assert (audit.delta_at_budget.hi <= audit.delta) is audit.budget_holds
    free = Deployment("x", made.delta, "person", None, made.classes, made.participation, made.questions, made.releases)
    with pytest.raises(InvalidValueError, match="has no budget"):
        _ = free.audit().delta_at_budget


LESS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {"n": 60}),
    ({}, {"times": 2}),
    ({}, {"specs": ("krr:inputs=2,eps0=3/4",)}),
    ({"specs": ("rappor:inputs=3,eps0=1",), "n": 1000}, {"specs": ("rappor:inputs=3,eps0=3/4",)}),
    ({"specs": SPECS, "n": 3, "model": "counted"}, {"n": 4}),
    ({"specs": SPECS[:1] * 2, "n": 3, "times": 2, "model": "counted"}, {"times": 1}),
    ({"specs": SPECS, "n": 5, "model": "listed"}, {"times": 2}),
    ({"specs": ("rappor:inputs=2,eps0=1",), "n": 3, "model": "counted"}, {"specs": ("rappor:inputs=2,eps0=3/4",)}),
]
SAFER: list[dict[str, Any]] = [{"n": 5}, {"times": 1}, {"less": True}]


@pytest.mark.slow
@together("base, change", LESS)
def test_what_is_safer_has_no_larger_ends(base: dict[str, Any], change: dict[str, Any]) -> None:
    """More people, fewer rounds, less eps0: the lower end does not rise, nor the upper by more than 10^-4 of it."""
    check_safer(base, change)


@together("change", SAFER)
@together("model, specs", [("always", ("rappor:inputs=2,eps0=1",)), ("listed", SPECS[:1] * 2)])
def test_so_it_is_for_few_people_who_may_be_away(model: str, specs: tuple[str, ...], change: dict[str, Any]) -> None:
    less = {"specs": tuple(spec.replace("eps0=1", "eps0=3/4") for spec in specs)}
    check_safer({"specs": specs, "n": 3, "times": 2, "model": model}, less if "less" in change else change)


def check_safer(base: dict[str, Any], change: dict[str, Any]) -> None:
    before, after = ends(deployed(**base)), ends(deployed(**base | change))
    assert after[0] <= before[0]
    assert after[1] <= before[1] * (1 + Fraction(1, 10**4))


@pytest.mark.slow
def test_the_questions_of_the_example() -> None:
    """What one question gives away, asked once, of the example that `init --deployment` writes."""
    audit = deployment.read(ROOT / "examples/deployments/telemetry.toml").audit()
    found = {part.name: str(part.epsilon) for part in audit.questions}
    assert found["language"] == found["search engine"] == "[0.01360858516, 0.01360908933]"
    assert found["start page"] == "[0.01688827299, 0.01688891166]"


@pytest.mark.slow
def test_the_whole_of_the_example() -> None:
    audit = deployment.read(ROOT / "examples/deployments/telemetry.toml").audit()
    assert isinstance(audit.epsilon, Interval)
    assert Fraction("0.269") < audit.epsilon.lo < audit.epsilon.hi < Fraction("0.274")
    assert audit.budget_holds
    assert audit.classes[0].epsilon == audit.epsilon
