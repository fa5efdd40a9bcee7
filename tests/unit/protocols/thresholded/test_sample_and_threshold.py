"""Sample and threshold: the protocol, its theorem, the least threshold, the largest rate, and samples."""

from fractions import Fraction

import numpy as np
import pytest

import exactdp as xdp
from exactdp import protocols
from exactdp.errors import InvalidDataSetError, InvalidValueError, TooLargeError
from exactdp.mechanisms.dataset import Neighbors
from exactdp.privacy.composition.law_pairs import FinitePair
from exactdp.privacy.composition.profile_pairs import Grid
from exactdp.sampling import sample, simulate
from tests.oracles.releases import both, release
from tests.together import together


def small(**given):
    return protocols.sample_and_threshold(6, **{"rate": "1/4", "threshold": 2, **given})


def test_what_a_user_sends():
    table = small(symbols=2).randomizer.table()
    assert table == {
        0: {(): 1},
        1: {(1,): Fraction(1, 4), (): Fraction(3, 4)},
        2: {(2,): Fraction(1, 4), (): Fraction(3, 4)},
    }
    sent = small(symbols=1000).communication()
    assert (sent.messages, sent.most, sent.symbols, sent.bits) == (Fraction(1, 4), 1, 1000, 10)
    assert small(rate=1).randomizer.table()[1] == {(1,): 1}


def test_the_law_is_that_of_the_shuffled_reports_that_are_dropped():
    protocol, data = small(symbols=2), {0: 1, 1: 3, 2: 2}
    shuffled = xdp.ShuffleProtocol(protocol.randomizer, 6).law(data)
    expected = shuffled.map(lambda counts: tuple(count if count >= 2 else 0 for count in counts))
    assert protocol.law(data) == expected
    assert dict(expected.items()) == {
        k: p for k, p in both(*(release(n, 2, Fraction(1, 4)) for n in (3, 2))).items() if p
    }
    assert protocol.release_law(3).prob(0) == expected.map(lambda counts: counts[0]).prob(0)


def test_estimates_are_of_what_is_kept():
    assert small().estimate(5) == small().estimate([5]) == small().estimate({1: 5}) == 20
    assert small().estimate(1) == small().estimate({}) == 0
    assert small(symbols=3).estimate(np.array([1, 2, 0])) == (0, 8, 0)
    with pytest.raises(InvalidValueError, match="counts has 2 entries for symbols=3"):
        small(symbols=3).estimate([1, 2])
    with pytest.raises(InvalidValueError, match="type str"):
        small().estimate("1")
    with pytest.raises(InvalidValueError, match="a count=-1"):
        small().estimate(-1)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rate": 0}, r"rate=0 is outside \(0, 1\]\. Pass the probability of a report\."),
        ({"rate": "9/8"}, r"rate=9/8 is outside"),
        ({"threshold": 0}, r"threshold=0"),
        ({"symbols": 0}, r"symbols=0"),
        ({"symbols": 10**13}, r"symbols=10000000000000 is more than the limit"),
    ],
)
def test_parameters_without_a_protocol_are_refused(wrong, message):
    with pytest.raises((InvalidValueError, TooLargeError), match=message):
        small(**wrong)


def test_too_much_to_list_is_refused():
    with pytest.raises(TooLargeError, match="32768 rows"):
        _ = small(symbols=10**5).randomizer
    with pytest.raises(TooLargeError, match="not listed"):
        _ = small(symbols=10**7).records
    with pytest.raises(TooLargeError, match="ask release_law"):
        protocols.sample_and_threshold(60, rate="1/2", threshold=1, symbols=30).law(dict.fromkeys(range(1, 31), 2))
    with pytest.raises(InvalidValueError, match="more than n=6"):
        small().release_law(7)
    with pytest.raises(InvalidDataSetError, match="n=6"):
        small().law({1: 5})


def test_the_theorem_keeps_its_promise():
    for eps, delta in ((1, "1e-6"), ("1/4", "1/100")):
        protocol = protocols.sample_and_threshold_from_theorem(10**6, eps=eps, delta=delta)
        assert protocol.privacy_profile().delta(eps=eps).compare(Fraction(delta)) == -1


def test_the_least_threshold_of_a_rate():
    calibration = xdp.calibrate("sample-and-threshold", n=1000, eps=1, delta="1e-6", rate="1/8")
    threshold = calibration.parameter
    assert (calibration.name, calibration.grid, calibration.scope) == ("threshold", 1, "and every larger value")
    for value, order in ((threshold, -1), (threshold - 1, 1)):
        protocol = protocols.sample_and_threshold(1000, rate="1/8", threshold=int(value))
        assert protocol.privacy_profile().delta(eps=1).compare(Fraction(1, 10**6)) == order
    assert calibration.protocol == protocols.sample_and_threshold(1000, rate="1/8", threshold=int(threshold))
    assert calibration.fails_at == threshold - 1
    assert (calibration.holds.verdict, calibration.fails.verdict) == (xdp.Verdict.PROVED, xdp.Verdict.REFUTED)
    assert calibration.level == "certificate"


def test_the_largest_rate_of_a_threshold():
    calibration = xdp.calibrate(
        protocols.sample_and_threshold, n=50, exp_eps=2, delta="1/100", threshold=4, grid="1/1024"
    )
    assert (calibration.name, calibration.scope) == ("rate", "and every smaller value")
    for value, holds in ((calibration.parameter, True), (calibration.fails_at, False)):
        protocol = protocols.sample_and_threshold(50, rate=value, threshold=4)
        assert (protocol.privacy_profile().delta(exp_eps=2) <= Fraction(1, 100)) is holds
    assert calibration.fails_at - calibration.parameter == Fraction(1, 1024)


def test_less_is_post_processing():
    """A larger threshold and a smaller rate never have a larger delta: what the scopes of calibrations say."""
    deltas = [[small(rate=Fraction(k, 8), threshold=t).privacy_profile() for k in (1, 3, 7)] for t in (1, 2, 4)]
    for level in ("1", "9/8", "2"):
        values = [[profile.delta(exp_eps=level) for profile in row] for row in deltas]
        assert all(row == sorted(row) for row in values)
        assert all(list(column) == sorted(column, reverse=True) for column in zip(*values, strict=True))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "needs rate or threshold, and not both"),
        ({"rate": "1/8", "threshold": 3}, "needs rate or threshold, and not both"),
        ({"rate": "1/8", "inputs": 3}, "inputs has no meaning for this family"),
        ({"rate": 2}, "rate=2 is outside"),
        ({"threshold": 3, "n": None}, "needs n"),
        ({"threshold": 3, "delta": 0}, "delta=0 is reached by no rate"),
        ({"rate": "1/8", "grid": "1/2"}, "grid=1/2 is no integer"),
    ],
)
def test_calibrations_without_a_meaning_are_refused(given, message):
    with pytest.raises(InvalidValueError, match=message):
        xdp.calibrate("sample-and-threshold", **{"n": 9, "eps": 1, "delta": "1/2", **given})


def test_samples_are_of_the_released_counts():
    protocol, data = small(symbols=2), {0: 1, 1: 3, 2: 2}
    law = protocol.law(data)
    for draw, size in ((sample, 20000), (simulate, 1500)):
        drawn = draw(protocol, data, size=size, rng=np.random.default_rng(7))
        assert drawn.shape == (size, 2)
        for outcome, chance in law.items():
            seen = int((drawn == outcome).all(axis=1).sum())
            assert abs(seen - size * float(chance)) < 6 * (size * float(chance)) ** 0.5 + 6
    many = sample(
        protocols.sample_and_threshold(10**12, rate="1/8", threshold=5),
        {1: 10**12},
        size=2,
        rng=np.random.default_rng(1),
    )
    assert (abs(many - 125 * 10**9) < 10**7).all()


@pytest.mark.slow
def test_runs_are_dominated_by_runs_of_noise():
    profile = protocols.sample_and_threshold(40, rate="1/4", threshold=3).privacy_profile()
    noise = xdp.shift_profile(xdp.NegativeBinomial(3, "3/4"))
    assert profile.compose(3).delta(eps=1).lo <= noise.compose(3).delta(eps=1).hi
    assert profile.compose(3).delta(eps=1).hi >= profile.delta(eps=1).hi
    assert xdp.is_private(profile, eps=1, delta="1/4") is True
    added = protocols.sample_and_threshold(40, rate="1/4", threshold=3)
    assert xdp.is_private(added, eps=0, delta="1/1000", neighbors=Neighbors.ADD_OR_REMOVE_ONE) is False


@together("symbols, threshold", [(1, 3), (2, 3), (2, 1)])
def test_real_runs_bound_many_from_below(symbols: int, threshold: int):
    """The stated pairs are views of neighbours, in both orders, and their runs lie below what dominates all."""
    protocol = protocols.sample_and_threshold(30, rate="1/4", threshold=threshold, symbols=symbols)
    profile = protocol.privacy_profile()
    pairs = profile.source.pairs_from_below(Grid(Fraction(1, 8), 4, 96), Fraction(11, 10))
    assert bool(pairs) is not (symbols == 2 and threshold == 1)
    views = [FinitePair.of(*map(protocol.law, order)) for order in neighbours(symbols)]
    assert all(any(pair.dominates(view) and view.dominates(pair) for view in views) for pair in pairs)
    if pairs and symbols == 1:
        level = Fraction(11, 10)
        lost = [(sum(max(0, p - level * q) for p, q in one.classes) + one.infinite) / one.total for one in pairs]
        assert max(lost) == profile.delta(exp_eps=level)
        runs = profile.compose(2).bracket(exp_eps=Fraction(5, 4), relative_width="1/10")
        assert 0 < runs.lower.lo <= runs.upper.hi


def neighbours(symbols: int):
    """Return data sets of 30 users, one of whom holds the first symbol and then nothing, or the second; both orders."""
    for m in range(1, 31):
        first = {0: 30 - m, 1: m}
        second = {0: 31 - m, 1: m - 1} if symbols == 1 else {0: 30 - m, 1: m - 1, 2: 1}
        yield from ((first, second), (second, first))
