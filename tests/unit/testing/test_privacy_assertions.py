"""`assert_shuffle_dp` and `assert_dp_curve`: the pair, the event and the value that they name are recomputed here."""

import itertools
import re
from fractions import Fraction
from math import prod

import pytest

import exactdp as xdp
from exactdp import LogRational, Neighbors, Randomizer, ShuffleProtocol, errors, protocols, randomized_response
from exactdp.testing import assert_dp_curve, assert_shuffle_dp

FLIP = Randomizer({0: {(0,): "3/4", (1,): "1/4"}, 1: {(0,): "1/4", (1,): "3/4"}})
THREE = Randomizer(
    {
        "a": {("x",): "1/2", ("y",): "1/2"},
        "b": {("x",): "1/4", ("y",): "1/4", ("z",): "1/2"},
        "c": {("z", "z"): "1/2", (): "1/2"},
    }
)


def refusal(assertion, *args, **asked):
    with pytest.raises(AssertionError) as raised:
        assertion(*args, **asked)
    return str(raised.value)


def views(randomizer, dataset):
    """The law of the view by going through what every user sends."""
    law = {}
    rows = [randomizer.table()[x].items() for x, users in dataset.items() for _ in range(users)]
    for sent in itertools.product(*rows):
        messages = [message for messages, _ in sent for message in messages]
        view = tuple(messages.count(label) for label in randomizer.alphabet)
        law[view] = law.get(view, Fraction(0)) + prod(p for _, p in sent)
    return law


def number(text):
    return Fraction(text.split(" ")[0])


@pytest.mark.parametrize("neighbors", list(Neighbors))
@pytest.mark.parametrize(("randomizer", "n"), [(FLIP, 4), (THREE, 3)], ids=["flip", "three"])
def test_the_attack_that_is_named_is_one(randomizer, n, neighbors):
    """By enumeration: the two laws, the event of all views with P > e^eps Q, its probabilities and the value."""
    said = refusal(assert_shuffle_dp, randomizer, n, exp_eps="11/10", delta="1/1000", neighbors=neighbors)
    first, second = (eval(each) for each in re.findall(r"D'? *= ({.*})", said))
    p, q = views(randomizer, first), views(randomizer, second)
    event = {view for view in p if p[view] > Fraction(11, 10) * q.get(view, 0)}
    masses = sum(p[view] for view in event), sum(q.get(view, Fraction(0)) for view in event)
    shown = [number(text) for text in re.findall(r"P_D'?\(T\) = ([^\s,]+)", said)[:2]]
    value = number(re.search(r"exact value: .* = ([^\s,]+)(?: \(|,)", said)[1])
    assert value == masses[0] - Fraction(11, 10) * masses[1] > Fraction(1, 1000)
    assert shown == [pytest.approx(masses[0]), pytest.approx(masses[1])]
    assert f"{len(event)} of {len({*p, *q})} views" in said
    profile = ShuffleProtocol(randomizer, n).privacy_profile(neighbors=neighbors)
    assert value == profile.delta(exp_eps="11/10")
    assert_shuffle_dp(randomizer, n, exp_eps="11/10", delta=value, neighbors=neighbors)


def test_an_event_is_named_by_one_count_or_by_its_views():
    assert "\n  T  = views with at least 4 messages 0: 1 of 5 views\n" in refusal(
        assert_shuffle_dp, FLIP, 4, exp_eps=2, delta=0
    )
    said = refusal(assert_shuffle_dp, randomized_response(3, gamma="1/2"), 4, eps="1/10", delta=0)
    assert re.search(r"T  = {\(\d, \d, \d\)(, \(\d, \d, \d\)){4}, \.\.\.}: \d+ of 15 views, as counts of 0, 1, 2", said)


def test_an_irrational_level_has_an_enclosed_value():
    said = refusal(assert_shuffle_dp, FLIP, 10, eps=1, delta="1/1000")
    low, high = re.search(r"exact value: .* = \[(\S+), (\S+)\], above delta = 1/1000", said).groups()
    assert Fraction(low) <= ShuffleProtocol(FLIP, 10).privacy_profile().delta(eps=1).lo <= Fraction(high)


def test_where_no_view_is_listed_the_pair_and_the_value_are_named():
    said = refusal(assert_shuffle_dp, randomized_response(16, exp_eps0=55), 10**5, eps="1/1000", delta="1/1000")
    assert "D  = {0: 1, 2: 99999}\n" in said
    assert "exact value: the divergence of this pair is [0.0110273" in said
    assert "T  =" not in said


def test_private_protocols_pass():
    assert_shuffle_dp(FLIP, 100, eps=1, delta="1e-6")
    assert_shuffle_dp(FLIP, 10, eps=LogRational(3), delta=0)
    assert_dp_curve(ShuffleProtocol(FLIP, 100), {1: "1e-6", LogRational(3): 0, 0: "1/2"})
    assert_dp_curve(protocols.zsum(1000, gamma="1/8"), {1: "1e-9", "1/2": "1/10"})
    assert_dp_curve(xdp.shift_profile(xdp.Binomial(1000, "1/2")).compose(4), {1: "1e-9"})


def test_a_curve_names_every_point_and_the_worst():
    profile = ShuffleProtocol(FLIP, 10).privacy_profile()
    said = refusal(assert_dp_curve, ShuffleProtocol(FLIP, 10), {LogRational(3): 0, 1: "1/1000", "1/10": "1/100"})
    first, *points, worst = said.split("worst one: ")[0].splitlines()
    assert first == "2 of 3 points of the curve fail:"
    assert [point.split(":")[0] for point in points] == ["  holds", "  fails", "  fails"]
    assert worst == "the "
    assert "the worst one: not (eps, delta)-DP at eps = 1/10, delta = 1/100, for n = 10 users:\n  D  = " in said
    assert "\n  T  = " in said
    with pytest.raises(AssertionError, match="the divergence of this pair is"):
        assert_dp_curve(profile, {1: "1/1000"})


def test_a_wrong_noise_scale_is_named():
    said = refusal(assert_dp_curve, xdp.shift_profile(xdp.DiscreteLaplace("3/2")), {LogRational("5/4"): 0})
    assert "exact value: the divergence of this pair is 1/10 (0.1), above delta = 0." in said


def test_the_relation_is_the_one_asked_for():
    assert_dp_curve(ShuffleProtocol(FLIP, 10), {LogRational(3): 0})
    said = refusal(
        assert_dp_curve, ShuffleProtocol(FLIP, 10), {LogRational(3): 0}, neighbors=Neighbors.ADD_OR_REMOVE_ONE
    )
    assert "exact value: P_D(T) - e^eps P_D'(T) = 1, above delta = 0." in said


def test_what_is_not_decided_neither_passes_nor_fails():
    """A delta between the two proved ends."""
    protocol = ShuffleProtocol(xdp.randomizers.any_randomizer(exp_eps0=7), 10**4)
    ends = protocol.privacy_profile().bracket(exp_eps=2)
    between = (ends.delta.lo + ends.delta.hi) / 2
    for asked in (
        lambda: assert_shuffle_dp(protocol.randomizer, 10**4, exp_eps=2, delta=between),
        lambda: assert_dp_curve(protocol, {LogRational(2): between, LogRational(100): 1}),
    ):
        with pytest.raises(errors.UndecidedError, match="the order is not decided"):
            asked()


def test_bad_input_is_refused():
    with pytest.raises(errors.InvalidValueError, match="points is empty"):
        assert_dp_curve(FLIP, {})
    with pytest.raises(errors.InvalidValueError, match="protocol has the type Randomizer"):
        assert_dp_curve(FLIP, {1: 0})
    with pytest.raises(errors.InvalidValueError, match="delta=2 is outside"):
        assert_shuffle_dp(FLIP, 10, eps=1, delta=2)
    with pytest.raises(errors.InvalidValueError, match="neither of eps and exp_eps given"):
        assert_shuffle_dp(FLIP, 10, delta=0)
