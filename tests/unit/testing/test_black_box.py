"""`assert_not_refuted`: private black boxes pass, others are refuted by an event that is named, with right bounds."""

import re
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from exactdp import Binomial, LogRational, errors
from exactdp.laws import intervals
from exactdp.testing import assert_not_refuted
from exactdp.testing.black_box import promising
from exactdp.testing.session import SeededFailureError

E = Fraction(2)


def geometric(count, p):
    return lambda size, rng: count + rng.geometric(1 - p, size) - rng.geometric(1 - p, size)


def coin(p):
    return lambda size, rng: rng.random(size) < p


def refusal(first, second, **asked):
    with pytest.raises(AssertionError) as raised:
        assert_not_refuted(first, second, **({"exp_eps": 2, "delta": 0, "size": 2000, "seed": 1} | asked))
    return str(raised.value)


def test_a_private_black_box_passes():
    assert_not_refuted(geometric(0, 0.5), geometric(1, 0.5), exp_eps=2, delta=0, size=2000, seed=1)
    assert_not_refuted(coin(0.5), coin(0.25), exp_eps=2, delta=0, size=500, seed=2)


def test_a_wrong_scale_is_refuted_in_both_orders():
    said = refusal(geometric(0, 0.25), geometric(1, 0.25))
    assert said.splitlines()[0] == "refuted: the black box is not (eps, delta)-DP at e^eps = 2, delta = 0."
    assert "\n  event: outcome at most 0\n" in said
    assert re.search(r"of 1000 draws of the first sampler 8\d\d are in it: .*at least 0\.[67]", said)
    assert said.endswith("\nseed=1, the seed that was given.")
    assert "event: outcome at least 1\n" in refusal(geometric(1, 0.25), geometric(0, 0.25))


def test_the_order_that_refutes_is_named():
    """Only P_second <= e^eps P_first is broken."""
    said = refusal(lambda size, rng: ["a"] * size, lambda size, rng: ["ab"[x < 0.3] for x in rng.random(size).tolist()])
    assert "draws of the second sampler" in said.splitlines()[2]


def test_the_ends_are_those_of_clopper_and_pearson():
    """All and none of N draws: the ends are r^(1/N) and 1 - r^(1/N), with r = false_alarm / 24."""
    said = refusal(lambda size, rng: np.zeros(size, int), lambda size, rng: np.ones(size, int), false_alarm="1/50")
    low = (1 / 50 / 24) ** (1 / 1000)
    shown = [float(number) for number in re.findall(r"(?:at least|at most) (0\.\d+)", said)]
    assert shown == pytest.approx([low, 1 - low, low - 2 * (1 - low)], rel=1e-5)
    assert shown[0] <= low
    assert shown[1] >= 1 - low  # rounded outward


def test_false_alarms_are_rarer_than_asked_for(monkeypatch):
    """At the boundary of (ln 2, 0)-DP, with one false alarm in two allowed."""
    monkeypatch.setattr(intervals, "clopper_pearson", cache(intervals.clopper_pearson))  # few different counts
    failed = 0
    for seed in range(60):
        try:
            assert_not_refuted(coin(0.5), coin(0.25), exp_eps=2, delta=0, false_alarm="1/2", size=60, seed=seed)
        except AssertionError:
            failed += 1
    assert Binomial(60, "1/2").sf(54) < Fraction(1, 10**8)
    assert failed <= 54
    refusal(coin(0.5), coin(0.05), false_alarm="1/2", size=400)  # while what is not private is found


def test_the_event_is_chosen_and_tested_on_different_halves():
    """A first half that differs and a second that does not: what is chosen on one does not hold on the other."""

    def half(value):
        return lambda size, rng: np.repeat([value, 0], size // 2)

    assert_not_refuted(half(1), half(2), exp_eps=1, delta=0, size=2000, seed=1)
    refusal(lambda size, rng: np.ones(size, int), lambda size, rng: np.zeros(size, int), exp_eps=1)


def test_delta_is_subtracted():
    pair = (lambda size, rng: np.zeros(size, int)), coin(0.5)
    assert_not_refuted(*pair, exp_eps=1, delta="1/2", size=2000, seed=1)
    refusal(*pair, exp_eps=1, delta="1/3")


def test_an_irrational_level_is_rounded_up():
    assert "at eps = 1/2, delta = 0." in refusal(geometric(0, 0.25), geometric(1, 0.25), exp_eps=None, eps="1/2")
    said = refusal(geometric(0, 0.25), geometric(1, 0.25), exp_eps=None, eps=LogRational("3/2"))
    assert "at e^eps = 3/2" in said


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (lambda rng, n: rng.normal(size=n), lambda rng, n: rng.normal(3, size=n), "outcome at most "),
        (lambda rng, n: rng.integers(0, 9, n) * 2, lambda rng, n: rng.integers(0, 9, n) * 2 + 1, "outcome in {"),
        (lambda rng, n: rng.normal(size=n), lambda rng, n: 9 * rng.normal(size=n), "outcome in {("),
        (lambda rng, n: rng.normal(3, size=(n, 2)), lambda rng, n: rng.normal(size=(n, 2)), "sum(outcome) at least "),
        (lambda rng, n: [()] * n, lambda rng, n: [("x",)] * n, "outcome in {()}"),
    ],
    ids=["half-line", "set", "ranges", "sum", "labels"],
)
def test_each_kind_of_event_is_found(first, second, words):
    rng = np.random.default_rng(1)
    drawn = [list(map(_plain, f(rng, 1000))) for f in (first, second)]
    events = {event.words: event for event in promising(*drawn, E)}
    name = next(name for name in events if name.startswith(words))
    seen, other = (sum(map(events[name].holds, outcomes)) for outcomes in drawn)
    assert seen > 2 * other + 100


def _plain(outcome):
    return tuple(outcome.tolist()) if isinstance(outcome, np.ndarray) else getattr(outcome, "item", lambda: outcome)()


def test_a_failure_is_an_assertion_that_knows_its_seed():
    with pytest.raises(SeededFailureError) as raised:
        assert_not_refuted(coin(1), coin(0), exp_eps=2, delta=0, size=200, seed=77)
    assert (raised.value.seed, raised.value.assertion) == (77, "assert_not_refuted")
    assert refusal(coin(0.9), coin(0.2)) == refusal(coin(0.9), coin(0.2))


REFUSED = [
    ({"first": lambda size, rng: [[1]] * size}, errors.InvalidValueError, "cannot be counted: unhashable type"),
    (
        {"first": lambda size, rng: np.full(size, np.nan)},
        errors.InvalidValueError,
        "returned NaN, which is no outcome.",
    ),
    (
        {"first": lambda size, rng: np.zeros((size, 1, 1))},
        errors.InvalidValueError,
        "an array of the shape (100, 1, 1)",
    ),
    ({"first": lambda size, rng: [0]}, AssertionError, "a sampler returned 1 outcomes, not size=100."),
    ({"size": 1}, errors.InvalidValueError, "size=1 is below 2."),
    ({"delta": 2}, errors.InvalidValueError, "delta=2 is outside [0, 1]."),
    ({"eps": 1}, errors.InvalidValueError, "both of eps and exp_eps given."),
    ({"false_alarm": 0}, errors.InvalidValueError, "false_alarm=0 is not between 0 and 1."),
    ({"false_alarm": "1e-199"}, errors.InvalidValueError, "is below the limit of 10^-198. Write 1e-9."),
    ({"seed": True}, errors.InvalidValueError, "seed=True is not an integer from 0 to 2^64 - 1."),
]


@pytest.mark.parametrize(("given", "error", "said"), REFUSED, ids=[str(k) for k in range(len(REFUSED))])
def test_bad_input_is_refused(given, error, said):
    asked = {"first": coin(0.5), "second": coin(0.5), "exp_eps": 2, "delta": 0, "size": 100, "seed": 1} | given
    with pytest.raises(error) as raised:
        assert_not_refuted(asked.pop("first"), asked.pop("second"), **asked)
    assert said in str(raised.value)
