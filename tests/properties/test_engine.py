"""The engines equal brute force over all outputs, all data sets and all ordered pairs, on random randomizers."""

from fractions import Fraction
from itertools import permutations, product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from exactdp import (
    AdditiveProtocol,
    Binomial,
    Law,
    Neighbors,
    Randomizer,
    ShuffleProtocol,
    hockey_stick_divergence,
    protocols,
    randomized_response,
)
from exactdp.privacy.planner import engine_of
from exactdp.privacy.shuffle.scan import PairwiseScan
from exactdp.privacy.shuffle.structure import Structure
from exactdp.testing import exact_laws, exp_epsilons, probabilities, randomizers
from exactdp.testing import protocols as shuffle_protocols
from tests.expensive import one_in
from tests.oracles.brute_force import (
    Oracle,
    counts_of,
    hockey_stick,
    hockey_stick_by_events,
    mismatch,
    neighbouring_pairs,
    ordered_law,
    shuffled_law,
)

RELATIONS = st.sampled_from(list(Neighbors))
ORDERS = st.lists(exp_epsilons(), min_size=1, max_size=3)


def oracle_of(protocol: ShuffleProtocol, neighbors: Neighbors = Neighbors.REPLACE_ONE) -> Oracle:
    return Oracle(protocol.randomizer.table(), protocol.n, neighbors.value)


@one_in(2)
@given(shuffle_protocols(max_users=3), RELATIONS, ORDERS)
def test_delta_equals_brute_force(protocol, neighbors, orders):
    profile = protocol.privacy_profile(neighbors=neighbors)
    assert mismatch(lambda e: profile.delta(exp_eps=e), oracle_of(protocol, neighbors), orders) is None


@given(shuffle_protocols(randomizers(max_inputs=2, max_outcomes=3), min_users=4, max_users=4), RELATIONS, ORDERS)
@one_in(3)
def test_delta_equals_brute_force_for_four_users(protocol, neighbors, orders):
    profile = protocol.privacy_profile(neighbors=neighbors)
    assert mismatch(lambda e: profile.delta(exp_eps=e), oracle_of(protocol, neighbors), orders) is None


@given(
    shuffle_protocols(randomizers(min_inputs=4, max_inputs=5, max_messages=4, max_outcomes=4), max_users=2),
    RELATIONS,
    exp_epsilons(),
)
@one_in(3)
def test_delta_equals_brute_force_for_many_inputs(protocol, neighbors, exp_eps):
    profile = protocol.privacy_profile(neighbors=neighbors)
    assert mismatch(lambda e: profile.delta(exp_eps=e), oracle_of(protocol, neighbors), [exp_eps]) is None


@given(
    shuffle_protocols(randomizers(max_sends=4, max_messages=2, max_inputs=2), max_users=3), RELATIONS, exp_epsilons()
)
@one_in(2)
def test_delta_equals_brute_force_for_many_messages(protocol, neighbors, exp_eps):
    profile = protocol.privacy_profile(neighbors=neighbors)
    assert mismatch(lambda e: profile.delta(exp_eps=e), oracle_of(protocol, neighbors), [exp_eps]) is None


@st.composite
def twin_randomizers(draw):
    """Inputs that renamings of the messages exchange, next to rows that break the symmetry, or nearly do."""
    weights = draw(st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(any))
    total = sum(weights)
    renamings = draw(st.lists(st.permutations(range(3)), min_size=2, max_size=4))
    rows = [{(m[j],): Fraction(weights[j], total) for j in range(3)} for m in renamings]
    if draw(st.booleans()):
        other = draw(st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(any))
        rows.append({(j,): Fraction(other[j], sum(other)) for j in range(3)})
    if draw(st.booleans()):  # one more fixed message moves a row without changing its kind
        position = draw(st.integers(0, len(rows) - 1))
        extra = draw(st.integers(0, 2))
        rows[position] = {(*send, extra): p for send, p in rows[position].items()}
    return Randomizer(dict(enumerate(rows)))


@one_in(2)
@given(twin_randomizers(), st.integers(1, 3), RELATIONS, exp_epsilons())
def test_interchangeable_inputs_lose_no_pair(randomizer, n, neighbors, exp_eps):
    protocol = ShuffleProtocol(randomizer, n)
    profile = protocol.privacy_profile(neighbors=neighbors)
    assert mismatch(lambda e: profile.delta(exp_eps=e), oracle_of(protocol, neighbors), [exp_eps]) is None


@one_in(2)
@given(shuffle_protocols(max_users=3), st.data())
def test_law_equals_brute_force(protocol, data):
    table, alphabet = protocol.randomizer.table(), protocol.randomizer.alphabet
    dataset = data.draw(st.lists(st.sampled_from(protocol.randomizer.inputs), min_size=protocol.n, max_size=protocol.n))
    expected = {}
    for view, p in shuffled_law(table, dataset).items():
        expected[counts_of(view, alphabet)] = p
    law = protocol.law(dataset)
    assert dict(law.items()) == expected
    assert list(law) == sorted(law)
    assert protocol.law({x: dataset.count(x) for x in set(dataset)}) == law


@given(shuffle_protocols(randomizers(max_inputs=2, max_messages=2, max_outcomes=3), max_users=2), exp_epsilons())
@one_in(3)
def test_orderings_of_the_messages_carry_nothing(protocol, exp_eps):
    """The sequence that a shuffler shows is as private as the multiset: the same divergence for every pair."""
    table = protocol.randomizer.table()
    for a, b in neighbouring_pairs(list(table), protocol.n, "add-or-remove-one"):
        by_multiset = hockey_stick(shuffled_law(table, a), shuffled_law(table, b), exp_eps)
        assert hockey_stick(ordered_law(table, a), ordered_law(table, b), exp_eps) == by_multiset


@one_in(2)
@given(shuffle_protocols(max_users=3), RELATIONS, exp_epsilons())
def test_worst_pair_is_a_neighbouring_pair_that_attains_delta(protocol, neighbors, exp_eps):
    profile = protocol.privacy_profile(neighbors=neighbors)
    worst = profile.worst_pair(exp_eps=exp_eps)
    first, second = (
        tuple(x for x, count in side.items() for _ in range(count)) for side in (worst.first, worst.second)
    )
    oracle = oracle_of(protocol, neighbors)
    assert worst.exp_eps == exp_eps
    assert worst.delta == profile.delta(exp_eps=exp_eps) == oracle.delta(exp_eps, [(first, second)])
    moved = sum(abs(worst.first.get(x, 0) - worst.second.get(x, 0)) for x in protocol.randomizer.inputs)
    if neighbors is Neighbors.ADD_OR_REMOVE_ONE:
        assert sorted((len(first), len(second))) == [protocol.n - 1, protocol.n]
        assert moved == 1
    else:
        assert len(first) == len(second) == protocol.n
        assert moved == (2 if len(protocol.randomizer.inputs) > 1 else 0)


@given(shuffle_protocols(max_users=3), RELATIONS)
@one_in(2)
def test_limit_and_largest_ratio_equal_brute_force(protocol, neighbors):
    profile, oracle = protocol.privacy_profile(neighbors=neighbors), oracle_of(protocol, neighbors)
    ratio, epsilon = oracle.largest_ratio(), profile.epsilon(0)
    assert epsilon.is_infinite if ratio is None else epsilon.argument == ratio
    huge = profile.delta(eps=10**9)
    assert huge.is_point or oracle.limit() in huge
    assert (huge.lo == 0) == (oracle.limit() == 0)
    assert profile.delta(exp_eps=10**80) == oracle.limit()


# Weights over denominators that are longer than the filter's first precision.
@st.composite
def long_randomizers(draw):
    bits = draw(st.sampled_from([20, 64, 65, 100, 128, 200, 400, 1000]))
    denominator = draw(st.integers(2 ** (bits - 1), 2**bits - 1))
    inputs, messages = draw(st.integers(2, 3)), draw(st.integers(2, 3))
    rows = {}
    for x in range(inputs):
        cuts = sorted(draw(st.lists(st.integers(0, denominator), min_size=messages - 1, max_size=messages - 1)))
        steps = [high - low for low, high in zip([0, *cuts], [*cuts, denominator], strict=True)]
        rows[x] = {(y,): Fraction(step, denominator) for y, step in enumerate(steps)}
    return Randomizer(rows)


@one_in(2)
@given(long_randomizers(), st.integers(1, 3), exp_epsilons())
def test_long_denominators(randomizer, n, exp_eps):
    protocol = ShuffleProtocol(randomizer, n)
    profile = protocol.privacy_profile()
    assert mismatch(lambda e: profile.delta(exp_eps=e), oracle_of(protocol), [exp_eps]) is None


@given(long_randomizers(), exp_epsilons())
@one_in(3)
def test_long_denominators_with_more_data_sets(randomizer, exp_eps):
    protocol = ShuffleProtocol(randomizer, 7)
    structure = Structure.of(randomizer, Neighbors.REPLACE_ONE)
    expected = PairwiseScan(structure, 7)._exact_worst(exp_eps, None).delta(exp_eps) if structure.pairs else 0
    assert protocol.privacy_profile().delta(exp_eps=exp_eps) == expected


@given(st.integers(2, 12), probabilities(), exp_epsilons())
@one_in(2)
def test_binary_randomized_response_at_larger_n(n, gamma, exp_eps):
    """An independent recurrence for all data sets of two coins, with plain Fractions."""
    a, b = gamma / 2, 1 - gamma / 2

    def add(law, chance):
        padded = [Fraction(0), *law, Fraction(0)]
        return [padded[t + 1] * (1 - chance) + padded[t] * chance for t in range(len(law) + 1)]

    best = Fraction(0)
    for k in range(n):
        law = [Fraction(1)]
        for i in range(n - 1):
            law = add(law, b if i < k else a)
        low, high = add(law, a), add(law, b)
        for p, q in ((low, high), (high, low)):
            best = max(best, sum(max(Fraction(0), x - exp_eps * y) for x, y in zip(p, q, strict=True)))
    profile = ShuffleProtocol(randomized_response(2, gamma=gamma), n).privacy_profile()
    assert profile.delta(exp_eps=exp_eps) == best


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("gamma", ["0", "1/4", "1/2", "1"])
def test_zsum_by_name_by_table_and_by_brute_force(n, gamma):
    noise_only = protocols.zsum(n, gamma=gamma).privacy_profile()
    shuffled = ShuffleProtocol(protocols.zsum_randomizer(gamma=gamma), n)
    oracle = oracle_of(shuffled)
    for exp_eps in (Fraction(1), Fraction(3, 2), Fraction(7)):
        expected = oracle.delta(exp_eps)
        assert noise_only.delta(exp_eps=exp_eps) == expected
        assert shuffled.privacy_profile().delta(exp_eps=exp_eps) == expected


@one_in(2)
@given(st.integers(1, 12), probabilities(), st.integers(1, 14), exp_epsilons())
def test_shifted_binomial_noise(n, p, shift, exp_eps):
    noise = Binomial(n, p)
    profile = AdditiveProtocol(noise, shift=shift).privacy_profile()
    plain = {t: noise.exact_pmf(t) for t in range(n + 1) if noise.exact_pmf(t)}
    expected = Fraction(0)
    for by in range(1, shift + 1):
        moved = {t + by: mass for t, mass in plain.items()}
        expected = max(expected, hockey_stick(plain, moved, exp_eps), hockey_stick(moved, plain, exp_eps))
    assert profile.delta(exp_eps=exp_eps) == expected
    assert profile.delta(exp_eps=exp_eps) == AdditiveProtocol(noise.law(), shift=shift).privacy_profile().delta(
        exp_eps=exp_eps
    )


@one_in(2)
@given(exact_laws(), st.integers(1, 4), exp_epsilons())
def test_shifted_finite_noise(noise, shift, exp_eps):
    plain = dict(noise.items())
    expected = Fraction(0)
    for by in range(1, shift + 1):
        moved = {t + by: mass for t, mass in plain.items()}
        expected = max(expected, hockey_stick(plain, moved, exp_eps), hockey_stick(moved, plain, exp_eps))
    assert AdditiveProtocol(noise, shift=shift).privacy_profile().delta(exp_eps=exp_eps) == expected


@given(exact_laws(max_outcomes=4), exp_epsilons())
@one_in(2)
def test_two_bins(noise, exp_eps):
    joint = {(t, u): x * y for t, x in noise.items() for u, y in noise.items()}
    first = {(t + 1, u): mass for (t, u), mass in joint.items()}
    second = {(t, u + 1): mass for (t, u), mass in joint.items()}
    expected = hockey_stick(first, second, exp_eps)
    assert expected == hockey_stick(second, first, exp_eps)
    assert AdditiveProtocol(noise, bins=3).privacy_profile().delta(exp_eps=exp_eps) == expected
    one = AdditiveProtocol(noise).privacy_profile().delta(exp_eps=exp_eps)
    added = AdditiveProtocol(noise, bins=3).privacy_profile(neighbors=Neighbors.ADD_OR_REMOVE_ONE)
    assert added.delta(exp_eps=exp_eps) == one


@given(st.data())
@one_in(2)
def test_shift_engine_agrees_with_the_scan(data):
    """Rows that are one coin plus a constant are served by the shift engine; the scan must say the same."""
    chance = data.draw(probabilities().filter(lambda p: 0 < p < 1))
    constants = data.draw(st.lists(st.integers(0, 3), min_size=2, max_size=3, unique=True))
    randomizer = Randomizer({c: {(1,) * c: 1 - chance, (1,) * (c + 1): chance} for c in constants})
    n, exp_eps = data.draw(st.integers(1, 3)), data.draw(exp_epsilons())
    protocol = ShuffleProtocol(randomizer, n)
    profile = protocol.privacy_profile()
    assert profile.engine == "shift"
    scan = PairwiseScan(Structure.of(randomizer, Neighbors.REPLACE_ONE), n)
    for order in (exp_eps, None):
        shift = engine_of(profile.source).worst(order)
        assert scan.worst(order).delta(order or Fraction(0)) == shift.delta(order or Fraction(0))
    assert mismatch(lambda e: profile.delta(exp_eps=e), oracle_of(protocol), [exp_eps]) is None


@one_in(2)
@given(exact_laws(max_outcomes=4), exact_laws(max_outcomes=4), exp_epsilons())
def test_hockey_stick_is_the_best_event(p, q, exp_eps):
    expected = hockey_stick_by_events(dict(p.items()), dict(q.items()), exp_eps)
    assert hockey_stick_divergence(p, q, exp_eps=exp_eps) == expected


# --- the comparison itself: a wrong engine is caught --------------------------------------------------------------

# At n = 3 and e^eps = 2 the worst bystanders of this table are one of each input, and only one order is worst.
INTERIOR = {0: {(0,): Fraction(5, 11), (1,): Fraction(6, 11)}, 1: {(0,): Fraction(1, 9), (1,): Fraction(8, 9)}}
EXCHANGED = {0: INTERIOR[1], 1: INTERIOR[0]}


def engine_without(drop):
    """An engine that forgets the ordered pairs (table, first, second) for which ``drop`` holds."""

    def delta(oracle, exp_eps):
        return oracle.delta(exp_eps, [pair for pair in oracle.pairs if not drop(*pair)])

    return delta


WRONG_ENGINES = {
    "one order": engine_without(lambda first, second: first[-1] > second[-1]),
    "the other order": engine_without(lambda first, second: first[-1] < second[-1]),
    "one bystander data set missing": engine_without(lambda first, _: set(first[:-1]) == {0, 1}),
    "all bystanders alike": engine_without(lambda first, _: len(set(first[:-1])) > 1),
    "rounded to a float": lambda oracle, exp_eps: Fraction(float(oracle.delta(exp_eps))),
    "strictly above E only at integers": lambda oracle, exp_eps: oracle.delta(Fraction(exp_eps.__ceil__())),
}


def caught(engine, table):
    oracle = Oracle(table, 3)
    return mismatch(lambda e: engine(oracle, e), oracle, [Fraction(k, 4) for k in range(4, 10)]) is not None


@pytest.mark.parametrize("name", WRONG_ENGINES)
def test_the_comparison_catches_a_wrong_engine(name):
    assert caught(WRONG_ENGINES[name], INTERIOR) or caught(WRONG_ENGINES[name], EXCHANGED)


def test_the_comparison_passes_a_right_engine():
    for table in (INTERIOR, EXCHANGED):
        profile = ShuffleProtocol(Randomizer(table), 3).privacy_profile()
        assert not caught(lambda _, e, profile=profile: profile.delta(exp_eps=e), table)


def test_the_worst_data_set_is_not_an_endpoint():
    worst = ShuffleProtocol(Randomizer(INTERIOR), 3).privacy_profile().worst_pair(exp_eps=2)
    assert (worst.first, worst.second) == ({0: 2, 1: 1}, {0: 1, 1: 2})


ASYMMETRIC = Randomizer({0: {(0,): "1/2", (1,): "1/2"}, 1: {(0,): "1/10", (1,): "9/10"}, 2: {(): "1/3", (2, 2): "2/3"}})


@given(randomizers(max_inputs=3, max_outcomes=4), st.integers(1, 2), exp_epsilons(), st.data())
@one_in(2)
@example(ASYMMETRIC, 2, Fraction(2), None)
def test_labels_do_not_matter(randomizer, n, exp_eps, data):
    """Renaming and reordering inputs and messages changes no delta."""
    expected = ShuffleProtocol(randomizer, n).privacy_profile().delta(exp_eps=exp_eps)
    table = randomizer.table()
    names = list(permutations(range(len(randomizer.alphabet))))
    order = names[-1] if data is None else data.draw(st.sampled_from(names))
    letter = {m: f"m{k}" for m, k in zip(randomizer.alphabet, order, strict=True)}
    rows = list(table.items())[::-1]
    renamed = Randomizer(
        {f"x{x}": {tuple(letter[m] for m in reversed(send)): p for send, p in reversed(row.items())} for x, row in rows}
    )
    assert ShuffleProtocol(renamed, n).privacy_profile().delta(exp_eps=exp_eps) == expected


@given(randomizers(), st.integers(1, 3), exp_epsilons())
@one_in(2)
def test_preshuffling_changes_no_view(randomizer, n, exp_eps):
    shuffled = randomizer.preshuffle()
    before, after = (ShuffleProtocol(r, n).privacy_profile().delta(exp_eps=exp_eps) for r in (randomizer, shuffled))
    assert before == after


def test_a_point_law_view():
    """Every user sends the same: one outcome, delta 0, for every relation that allows it."""
    quiet = Randomizer({x: {(): 1} for x in "abc"})
    for neighbors, n in product(Neighbors, (1, 2, 5)):
        assert ShuffleProtocol(quiet, n).privacy_profile(neighbors=neighbors).delta(exp_eps=1) == 0
    assert ShuffleProtocol(quiet, 3).law("abc") == Law({(): 1})
