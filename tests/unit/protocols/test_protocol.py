"""Protocols as values: equal, hashable, picklable; their arguments are read or refused."""

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from math import comb
from multiprocessing import get_context

import pytest

from exactdp import (
    AdditiveProtocol,
    Analyzer,
    Binomial,
    Interval,
    Law,
    LogRational,
    Neighbors,
    Randomizer,
    ShuffleProtocol,
    protocols,
    randomized_response,
)
from exactdp.errors import ExactDPError
from exactdp.privacy.shuffle import view_law
from tests.oracles.brute_force import counts_of, shuffled_law

FLIP = randomized_response(2, gamma="1/2")


def values():
    """Every kind of public value, made anew at each call."""
    shuffle = ShuffleProtocol(randomized_response(2, gamma="1/2"), 4, analyzer=Analyzer({1: "1/2"}, offset=-1))
    additive = AdditiveProtocol(Law({0: "1/3", 2: "2/3"}), shift=2, analyzer=Analyzer({0: 1}))
    return {
        "randomizer": Randomizer({"a": {("m", ("t", 1)): "1/2", (): "1/2"}, None: {(): 1}}),
        "shuffle protocol": shuffle,
        "additive protocol": additive,
        "zsum": protocols.zsum(5, gamma="1/3"),
        "law": Law({(0, 1): "1/2", (1, 0): "1/2"}),
        "binomial": Binomial(4, "1/3"),
        "log rational": LogRational("3/2"),
        "infinity": LogRational(None),
        "interval": Interval.around(Fraction(1, 3), relative_bits=53),
        "analyzer": Analyzer({"m": "1/3"}, offset="1/7", zero_unless_above=1),
        "profile": shuffle.privacy_profile(neighbors=Neighbors.ADD_OR_REMOVE_ONE),
        "pair profile": shuffle.pair_profile({0: 4}, {0: 3, 1: 1}),
        "additive profile": additive.privacy_profile(),
        "worst pair": shuffle.privacy_profile().worst_pair(exp_eps=2),
        "tradeoff": shuffle.privacy_profile().tradeoff(),
    }


@pytest.mark.parametrize("name", values())
def test_values_are_equal_hashable_and_picklable(name):
    value, again = values()[name], values()[name]
    assert value == again
    assert hash(value) == hash(again)
    assert len({value, again}) == 1
    for other in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
        assert other == value
        assert hash(other) == hash(value)
        assert repr(other) == repr(value)
    assert value != 0


@pytest.mark.parametrize("name", values())
def test_values_cannot_be_changed(name):
    value = values()[name]
    slot = next(iter(type(value).__slots__))
    with pytest.raises((AttributeError, TypeError)):
        setattr(value, slot, None)


def test_results_stay_out_of_pickles():
    profile = ShuffleProtocol(FLIP, 20).privacy_profile()
    before = pickle.dumps(profile)
    profile.tradeoff()
    assert pickle.dumps(profile) == before


def divergence(job):
    profile, order = job
    return profile.delta(exp_eps=order)


@pytest.mark.slow
def test_other_processes_answer_the_same():
    profile = ShuffleProtocol(FLIP, 6).privacy_profile()
    orders = [Fraction(k, 3) for k in range(3, 9)]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert list(pool.map(divergence, [(profile, e) for e in orders])) == [profile.delta(exp_eps=e) for e in orders]


@pytest.mark.parametrize("n", [0, -1, "1/2", 2.0, True, None, float("nan")])
def test_numbers_of_users_that_are_refused(n):
    with pytest.raises(ExactDPError):
        ShuffleProtocol(FLIP, n)


@pytest.mark.parametrize("neighbors", ["add-or-remove-one", "replace-one", None, 0])
@pytest.mark.parametrize("protocol", [ShuffleProtocol(FLIP, 3), AdditiveProtocol(Binomial(3, "1/2"))])
def test_neighbors_is_the_enum(protocol, neighbors):
    with pytest.raises(ExactDPError):
        protocol.privacy_profile(neighbors=neighbors)


@pytest.mark.parametrize("limit", [1.5, None, 0, "x"])
def test_limits_that_are_refused(limit):
    with pytest.raises(ExactDPError):
        ShuffleProtocol(FLIP, 3).privacy_profile(limit=limit)


@pytest.mark.parametrize("analyzer", [5, sum, {0: 1}])
def test_an_analyzer_is_data(analyzer):
    with pytest.raises(ExactDPError):
        ShuffleProtocol(FLIP, 3, analyzer=analyzer)
    with pytest.raises(ExactDPError):
        AdditiveProtocol(Binomial(3, "1/2"), analyzer=analyzer)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({0: 3}, {0: 3}),
        ({0: 3}, {0: 1, 1: 2}),
        ({0: 3}, {0: 1}),
        ({0: 4}, {0: 3, 1: 1}),
        ({0: 2}, {0: 2}),
        ({5: 3}, {0: 3}),
    ],
)
def test_pairs_that_are_no_neighbours(first, second):
    with pytest.raises(ExactDPError):
        ShuffleProtocol(FLIP, 3).pair_profile(first, second)


@pytest.mark.parametrize("noise", [5, Law({"a": 1}), Law({True: 1}), Law({(0,): 1}), FLIP])
def test_noise_that_is_refused(noise):
    with pytest.raises(ExactDPError):
        AdditiveProtocol(noise)


@pytest.mark.parametrize("arguments", [{"shift": 0}, {"bins": 0}, {"shift": 2, "bins": 2}, {"n": 0}, {"shift": 1.0}])
def test_additive_arguments_that_are_refused(arguments):
    with pytest.raises(ExactDPError):
        AdditiveProtocol(Binomial(2, "1/2"), **arguments)


@pytest.mark.parametrize("limits", [{}, {"_FEW_STEPS": 0}, {"_FEW_STEPS": 0, "_MAX_STEPS": 0}], ids=str)
def test_the_law_of_a_view_is_one_however_it_is_found(limits, monkeypatch):
    """Listed at once, as what is less work, and over the box of all counts: the same, and no more than was said."""
    for name, value in limits.items():
        monkeypatch.setattr(view_law, name, value)
    rows = {
        0: {("a",): "1/2", ("b", "a"): "1/4", ("a", "b"): "1/4"},
        1: {("c", "c"): 1},
        2: {(): "1/3", ("c",): "1/3", ("a", "a"): "1/3"},
        3: {("d", "d", "d"): "1/5", ("a",): "4/5"},
    }
    randomizer = Randomizer(rows)
    for dataset in ([0], [1], [1, 1], [0, 2], [0, 0, 1, 3], [3, 3, 2, 0], [2, 2, 2, 1]):
        law = ShuffleProtocol(randomizer, len(dataset)).law(dataset)
        listed = shuffled_law(randomizer.table(), dataset)
        assert dict(law.items()) == {counts_of(view, randomizer.alphabet): p for view, p in listed.items()}
        assert len(law) <= view_law.view_outcomes(randomizer, len(dataset))


def test_a_law_of_users_who_all_send_the_same_is_known_for_any_number():
    sure = Randomizer({0: {("a",): 1}, 1: {("a",): "1/2", ("b",): "1/2"}})
    law = ShuffleProtocol(sure, 10**15).law({0: 10**15 - 1, 1: 1})
    assert dict(law.items()) == {(10**15, 0): Fraction(1, 2), (10**15 - 1, 1): Fraction(1, 2)}


def test_additive_law_of_two_bins():
    protocol = AdditiveProtocol(Law({0: "1/2", 1: "1/2"}), bins=2)
    assert protocol.law([0, 0, 1]).prob((2, 1)) == Fraction(1, 4)
    with pytest.raises(OverflowError):
        AdditiveProtocol(Law({t: Fraction(1, 10) for t in range(10)}), bins=7).law([0])


@pytest.mark.parametrize("counts", [[1], [1, 2, 3], {5: 1}, {0: -1}, {0: 1.0}, 3])
def test_counts_that_are_refused(counts):
    with pytest.raises(ExactDPError):
        ShuffleProtocol(FLIP, 3, analyzer=Analyzer({0: 1})).estimate(counts)


@pytest.mark.parametrize("ones", range(6))
def test_the_law_of_the_estimate_against_its_definition(ones):
    n, gamma = 5, Fraction(1, 3)
    protocol = protocols.zsum(n, gamma=gamma)
    error = protocol.estimate_law({0: n - ones, 1: ones}).map(lambda mean: abs(mean - Fraction(ones, n)))
    expected = {}
    for silent in range(n + 1):  # users without a dummy
        messages = ones + n - silent
        mean = Fraction(messages, n) - (1 - gamma) if messages > n else Fraction(0)
        distance = abs(mean - Fraction(ones, n))
        chance = comb(n, silent) * gamma**silent * (1 - gamma) ** (n - silent)
        expected[distance] = expected.get(distance, 0) + chance
    assert dict(error.items()) == expected


def test_the_law_of_the_estimate_of_randomized_response_is_unbiased():
    protocol = protocols.k_ary(6, 2, gamma="1/2")
    assert protocol.estimate_law({0: 2, 1: 4}).mean() == 4
