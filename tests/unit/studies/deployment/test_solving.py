"""What a budget allows, against every point of the grid near the border, on a stand-in whose eps is known."""

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

import pytest

from exactdp.deployment import Deployment, Participation, Question, Release, UserClass
from exactdp.errors import InvalidValueError
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval
from exactdp.privacy.composition.composed import MAX_TIMES
from exactdp.protocols.naming.targets import read_randomizer
from exactdp.studies.deployment.solving import Solved, rescaled, solve
from tests.together import together


def deployed(
    spec: str = "krr:inputs=4,eps0=1",
    other: str = "krr:inputs=4,eps0=1",
    budget: Any = 1,
    unit: str = "person",
    model: str = "always",
    dummy: Any = None,
) -> Deployment:
    run = tuple(read_randomizer(text) for text in (spec, other))
    return Deployment(
        "solved",
        Fraction(1, 100),
        unit,
        None if budget is None else Fraction(budget),
        (UserClass("a", 1000), UserClass("b", 500)),
        Participation(model),
        (Question("x", (spec, other), run, dummy),),
        (Release(("x",), "separate", 4),),
    )


@dataclass
class StandIn:
    """An audit whose eps is eps0^2 sqrt(times) 30 / n^(1/2), within 1/100, and delta a power of its at the budget."""

    deployment: Deployment
    delta: Any
    progress: Any = None

    @property
    def delta_at_budget(self) -> Interval:
        budget, eps = self.deployment.budget, self.epsilon
        assert budget is not None
        ends = (Fraction(budget / end) ** 2 for end in (eps.lo, eps.hi))
        low, high = (Fraction(float(self.delta) ** float(min(power, 50))) for power in ends)
        return Interval.between(low, high, bits=53)

    @property
    def epsilon(self) -> Interval:
        made = self.deployment
        eps0 = Fraction(made.questions[0].specs[0].rpartition("eps0=")[2])
        n = sum(one.users for one in made.classes)
        square = eps0**4 * made.releases[0].times * Fraction(900, n)
        low = isqrt(int(square * 4**40))
        return Interval(Dyadic(low, -40), Dyadic(low + low // 100, -40))


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Deployment, "audit", lambda self, *, delta=None, progress=None: StandIn(self, delta))


@together("budget", ["1", "2", "5"])
@together("what", ["eps0", "question.x.eps0", "n", "times"])
def test_the_border_is_that_of_the_grid(what: str, budget: str) -> None:
    made = deployed(budget=budget)
    found = solve(made, what)
    assert found.is_monotone
    step = 1 if what == "times" else Fraction(1, 100)
    towards = -step if found.more_is_safer else step
    assert len(found.tried) <= 16
    assert found.safe is not None
    assert found.refuted is not None
    assert found.safe.delta.hi <= found.delta < found.refuted.delta.lo
    beyond = next(one for one in found.tried if one.value == found.safe.value + towards)
    before = next(one for one in found.tried if one.value == found.refuted.value - towards)
    assert beyond.delta.hi > found.delta >= before.delta.lo


def test_nothing_is_safe_where_the_first_step_is_not() -> None:
    found = solve(deployed(budget="1/1000000"), "times")
    assert found.safe is None
    assert found.refuted is not None
    assert found.refuted.value == 1
    assert found.changed == ()


def test_every_class_keeps_somebody() -> None:
    found = solve(deployed(budget=10**6), "n")
    assert (found.safe and found.safe.value, found.refuted) == (Fraction(1, 100), None)
    assert found.changed == ("a: n = 10", "b: n = 5")


def test_everything_is_safe_up_to_the_limit() -> None:
    found = solve(deployed(budget=10**6), "times")
    assert (found.safe and found.safe.value, found.refuted) == (MAX_TIMES, None)


def test_a_lower_end_of_0_is_left_behind_in_few_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing is known from below nothing is refuted, and points are not tried one by one."""
    ends = StandIn.delta_at_budget.fget  # type: ignore[attr-defined]
    monkeypatch.setattr(StandIn, "delta_at_budget", property(lambda self: Interval(Dyadic.of(0), ends(self).upper)))
    found = solve(deployed(), "times")
    assert found.safe is not None
    assert found.refuted is None
    assert len(found.tried) <= 32


@together(
    "spec, other, model, dummy, expected",
    [
        ("krr:inputs=4,eps0=1", "krr:inputs=4,eps0=1", "always", None, True),
        ("rappor:inputs=4,eps0=1", "krr:inputs=4,eps0=2", "counted", None, True),
        ("krr:inputs=4,eps0=1", "krr:inputs=4,eps0=2", "always", None, False),
        ("subset-selection:inputs=4,eps0=1", "subset-selection:inputs=4,eps0=1", "always", None, False),
        ("krr:inputs=4,eps0=1", "krr:inputs=4,eps0=1", "hidden", "uniform", True),
        ("krr:inputs=4,eps0=1", "krr:inputs=4,eps0=1", "hidden", ("input", 0), True),
    ],
)
def test_monotone_is_said_where_a_channel_proves_it(
    spec: str, other: str, model: str, dummy: Any, expected: bool
) -> None:
    found = solve(deployed(spec, other, model=model, dummy=dummy), "eps0")
    assert found.is_monotone is expected
    assert found.scope.startswith("monotone" if expected else "local")


@together(
    "made, what, said",
    [
        (lambda: deployed(budget=None), "eps0", "has no budget"),
        (deployed, "epz0", "Did you mean eps0"),
        (deployed, "question.y.eps0", "is no question"),
        (lambda: deployed(unit="round"), "times", "further rounds cost nothing"),
        (lambda: deployed("krr:inputs=4,exp-eps0=3", "krr:inputs=4,exp-eps0=3"), "eps0", "has no eps0"),
    ],
)
def test_refusals(made: Any, what: str, said: str) -> None:
    with pytest.raises(InvalidValueError, match=said):
        solve(made(), what)


def test_eps0_is_scaled_inside_a_product_too() -> None:
    spec = "product:of=(krr:inputs=4,eps0=1; rappor:inputs=3,eps0=3/2)"
    made = rescaled(Question("x", (spec,), (read_randomizer(spec),)), Fraction(1, 2))
    assert made.specs == ("product:of=(krr:inputs=4,eps0=1/2; rappor:inputs=3,eps0=3/4)",)


def test_solved_is_data() -> None:
    assert isinstance(solve(deployed(), "n"), Solved)
