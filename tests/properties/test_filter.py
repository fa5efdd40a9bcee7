"""The filter rules out nothing wrongly, whatever its precision; the three ways for one pair agree."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import Neighbors, Randomizer, ShuffleProtocol, hockey_stick_divergence, randomized_response
from exactdp.privacy.shuffle import pair as pair_engine
from exactdp.privacy.shuffle import scan
from exactdp.privacy.shuffle.pair import OnePair, PairRows, packed_masses
from exactdp.privacy.shuffle.scan import PairwiseScan
from exactdp.privacy.shuffle.structure import Structure
from exactdp.testing import exp_epsilons, randomizers
from tests.expensive import one_in

PRECISIONS = [1, 2, 3, 5, 8, 16, 33, 64]


def winner(randomizer, n, neighbors, exp_eps, **constants):
    """The worst delta from a fresh scan with other constants in the filter."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in constants.items():
            patch.setattr(scan, name, value)
        engine = PairwiseScan(Structure.of(randomizer, neighbors), n)
        return engine.worst(exp_eps).delta(exp_eps)


def plain_winner(randomizer, n, exp_eps):
    """The same from exact laws and ``hockey_stick_divergence``, over replaced users."""
    protocol = ShuffleProtocol(randomizer, n)
    laws = {
        tuple(sorted(Counter(data).items())): protocol.law(data)
        for data in combinations_with_replacement(randomizer.inputs, n)
    }
    best = Fraction(0)
    for common in combinations_with_replacement(randomizer.inputs, n - 1):
        views = [laws[tuple(sorted(Counter((*common, x)).items()))] for x in randomizer.inputs]
        best = max(best, *(hockey_stick_divergence(p, q, exp_eps=exp_eps) for p in views for q in views))
    return best


@one_in(2)
@given(
    randomizers(min_inputs=2),
    st.integers(1, 6),
    st.sampled_from(list(Neighbors)),
    exp_epsilons(),
    st.sampled_from(PRECISIONS),
    st.integers(1, 2),
    st.sampled_from([1, 4, 32]),
)
def test_every_precision_gives_the_exact_winner(randomizer, n, neighbors, exp_eps, precision, few, ratio_bits):
    exact = winner(randomizer, n, neighbors, exp_eps, _FIRST_PRECISION=10**9)
    filtered = winner(
        randomizer,
        n,
        neighbors,
        exp_eps,
        _FIRST_PRECISION=precision,
        _FEW=few,
        _RATIO_BITS=ratio_bits,
        _GUARD_BITS=4,
        _MANY=1,
        _SPARSE_RATIO=10**9,
    )
    sparse = winner(randomizer, n, neighbors, exp_eps, _SPARSE_RATIO=Fraction(1, 10**9))
    assert filtered == exact == sparse


@given(
    randomizers(min_inputs=2, min_sends=1, max_sends=1), st.integers(2, 7), exp_epsilons(), st.sampled_from(PRECISIONS)
)
@one_in(3)
def test_the_filter_against_laws(randomizer, n, exp_eps, precision):
    found = winner(
        randomizer, n, Neighbors.REPLACE_ONE, exp_eps, _FIRST_PRECISION=precision, _FEW=1, _SPARSE_RATIO=10**9
    )
    assert found == plain_winner(randomizer, n, exp_eps)


@pytest.mark.parametrize("exp_eps", [Fraction(1), Fraction(13, 10), Fraction(10**30, 7)])
def test_the_filter_at_its_own_precision(exp_eps):
    """Sizes at which the filter runs unchanged."""
    randomizer = Randomizer(
        {
            0: {(0,): "3/5", (1,): "3/10", (2,): "1/10"},
            1: {(0,): "1/5", (1,): "1/2", (2,): "3/10"},
            2: {(0,): "1/3", (2,): "2/3"},
        }
    )
    n = 27
    engine = PairwiseScan(Structure.of(randomizer, Neighbors.REPLACE_ONE), n)
    assert engine.ratio_bits > 2 * scan._FIRST_PRECISION, "the filter does not run"
    assert engine.worst(exp_eps).delta(exp_eps) == engine._exact_worst(exp_eps, None).delta(exp_eps)


def test_a_filter_that_lies_is_caught():
    """The comparison above fails for a filter that drops the winner."""
    randomizer = Randomizer({0: {(0,): "5/11", (1,): "6/11"}, 1: {(0,): "1/9", (1,): "8/9"}})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "_FIRST_PRECISION", 2)
        patch.setattr(scan, "_FEW", 1)
        patch.setattr(scan.PairwiseScan, "_survivors", lambda self, *_: [((self.users - 1, 0), (1, 0))])
        wrong = PairwiseScan(Structure.of(randomizer, Neighbors.REPLACE_ONE), 3).worst(Fraction(2))
    assert wrong.delta(Fraction(2)) < plain_winner(randomizer, 3, Fraction(2))


# --- one pair: coins, multinomial, packed ---------------------------------------------------------------------------


def three_ways(randomizer, first, second, exp_eps):
    """The divergences of both orders by every way that applies to the pair, by the name of the way."""
    rows = PairRows.of(randomizer, first, second)
    ways = {}

    def deltas(masses):
        return tuple(max(Fraction(0), p - exp_eps * q) for p, q in masses)

    ways["packed"] = deltas(packed_masses(rows, (exp_eps.numerator, exp_eps.denominator)))
    if rows.coins() is not None:
        ways["coins"] = deltas(rows.worst_masses(exp_eps))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PairRows, "coins", lambda self: None)
        if rows.symbols() is not None:
            ways["multinomial"] = deltas(rows.worst_masses(exp_eps))
    return ways


def histogram_of(randomizer, data):
    return tuple(list(data).count(x) for x in randomizer.inputs)


@one_in(2)
@given(st.data())
def test_all_ways_for_one_pair_agree(data):
    single = data.draw(st.booleans())
    randomizer = data.draw(
        randomizers(min_inputs=2, min_sends=int(single), max_sends=1 if single else 2, max_messages=2 + single)
    )
    inputs = randomizer.inputs
    n = data.draw(st.integers(1, 7))
    kinds = data.draw(st.lists(st.sampled_from(inputs), min_size=1, max_size=2))
    common = data.draw(st.lists(st.sampled_from(kinds), min_size=n - 1, max_size=n - 1))
    own, other = data.draw(st.permutations(inputs))[:2]
    exp_eps = data.draw(exp_epsilons())
    protocol = ShuffleProtocol(randomizer, n)
    first, second = [*common, own], [*common, other]
    p, q = protocol.law(first), protocol.law(second)
    expected = hockey_stick_divergence(p, q, exp_eps=exp_eps), hockey_stick_divergence(q, p, exp_eps=exp_eps)
    ways = three_ways(randomizer, histogram_of(randomizer, first), histogram_of(randomizer, second), exp_eps)
    assert set(ways.values()) == {expected}, ways
    profile = protocol.pair_profile(first, second)
    assert profile.delta(exp_eps=exp_eps) == max(expected)
    removed = protocol.pair_profile(first, common).delta(exp_eps=exp_eps)
    if n > 1:
        smaller = ShuffleProtocol(randomizer, n - 1).law(common)
        assert removed == max(
            hockey_stick_divergence(p, smaller, exp_eps=exp_eps), hockey_stick_divergence(smaller, p, exp_eps=exp_eps)
        )


@pytest.mark.parametrize("way", ["coins", "multinomial"])
def test_each_way_is_really_used(way):
    randomizer = randomized_response(2, gamma="1/3")
    assert way in three_ways(randomizer, (6, 0), (5, 1), Fraction(3, 2))


@given(st.integers(1, 30), st.integers(0, 30), st.sampled_from(["1/9", "1/2", "8/9"]), exp_epsilons())
@one_in(2)
def test_coins_against_packed_at_larger_n(n, k, gamma, exp_eps):
    randomizer = Randomizer({0: {(0,): "3/4", (1,): "1/4"}, 1: {(0,): gamma, (1,): 1 - Fraction(gamma)}})
    zeros = min(k, n - 1)
    first, second = (n - zeros, zeros), (n - zeros - 1, zeros + 1)
    assert len(set(three_ways(randomizer, first, second, exp_eps).values())) == 1


def test_one_pair_refuses_strangers():
    with pytest.raises(ValueError, match="differ in 2 users"):
        OnePair(randomized_response(2, gamma="1/2"), (3, 0), (1, 2))
    assert pair_engine.OnePair(randomized_response(2, gamma="1/2"), (3, 0), (2, 1)).name == "one pair"


@pytest.mark.parametrize("precision", [4, 8, 16, 28])
@pytest.mark.parametrize("exp_eps", [Fraction(1), Fraction(5, 4), Fraction(22, 7)])
@pytest.mark.parametrize("gamma", ["1/2", "3/7"])
@pytest.mark.parametrize("ratio_bits", [3, 32])
def test_every_interval_of_the_filter_contains_its_divergence(precision, exp_eps, gamma, ratio_bits, monkeypatch):
    """At a precision so low that the rounding of laws, or of e^eps, is most of what is seen."""
    monkeypatch.setattr(scan, "_RATIO_BITS", ratio_bits)
    engine = PairwiseScan(Structure.of(randomized_response(3, gamma=gamma), Neighbors.REPLACE_ONE), 9)
    unit = Fraction(1, 2 ** (precision + scan._GUARD_BITS))
    widths = []
    for candidate, lower, upper in engine._intervals(exp_eps, precision, None):
        exact = max(Fraction(0), engine._exact_worst(exp_eps, [candidate]).delta(exp_eps))
        assert lower * unit <= exact <= upper * unit
        widths.append(upper - lower)
    assert min(widths) > 0, "nothing was rounded, so nothing was tested"


def test_nobody_is_a_twin_of_the_absent_user():
    table = {0: {("a",): "1/2", ("a", "a", "b"): "1/2"}, 1: {("b",): "1/2", ("b", "a", "b"): "1/2"}}
    structure = Structure.of(Randomizer(table), Neighbors.ADD_OR_REMOVE_ONE)
    assert structure.twins[0] == structure.twins[1] != structure.twins[2]
