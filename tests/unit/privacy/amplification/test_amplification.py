"""Both ends of delta for any randomizer, against the exact worst case over all data sets."""

import random
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import Neighbors, Randomizer, Real, ShuffleProtocol, randomized_response
from exactdp.errors import ExactDPError
from exactdp.mechanisms import pair_table
from exactdp.privacy.amplification import amplification, guesses, input_pairs
from exactdp.privacy.amplification.amplification import Amplification
from exactdp.privacy.amplification.input_pairs import Candidate, FamilyPairs, TablePairs
from exactdp.privacy.amplification.positive_part import Mixture
from exactdp.privacy.shuffle.scan import PairwiseScan
from exactdp.privacy.shuffle.structure import Structure
from exactdp.privacy.two_messages.two_messages import TwoMessageScan
from exactdp.randomizers import KAryResponse, hadamard_response
from tests.expensive import one_in, recorded
from tests.oracles import positive_parts as exact
from tests.oracles.brute_force import Oracle
from tests.thinned import thinned

F = Fraction
LEVELS = [F(1), F(11, 10), F(3, 2), F(2), F(29, 10), F(7), F(60)]


def random_table(draw, inputs, messages, silent):
    """Rows with zeros, twins and, where ``silent``, users who may send nothing; not all rows equal."""
    sends = [(y,) for y in range(messages)]
    if silent:
        sends[-1] = ()
    rows = []
    for _ in range(inputs):
        weights = [draw.choice([0, 1, 1, 2, 3, 5, draw.randint(1, 30)]) for _ in sends]
        weights[draw.randrange(messages)] += 1
        rows.append(draw.choice(rows) if rows and draw.random() < 0.1 else weights)
    if all(row == rows[0] for row in rows):
        rows[0] = [*rows[0][:-1], rows[0][-1] + 1]
    return {x: {s: F(w, sum(row)) for s, w in zip(sends, row, strict=True) if w} for x, row in enumerate(rows)}


def scanned(randomizer, n, level):
    event = PairwiseScan(Structure.of(randomizer, Neighbors.REPLACE_ONE), n).search(level)
    return max(F(0), event.mass_first - level * event.mass_second)


def check(randomizer, n, level, bits=20):
    """The exact worst case lies between both ends, and is both where they are said to be equal."""
    bracket = Amplification(TablePairs(randomizer), n).bracket(Real(level), bits)
    truth = scanned(randomizer, n, level)
    assert bracket.lower.lower.fraction() <= truth <= bracket.upper.upper.fraction(), (randomizer.table(), n, level)
    if bracket.is_closed:
        assert truth in bracket.lower
        assert truth in bracket.upper
    for end in (bracket.lower, bracket.upper, bracket.pair_delta):
        assert (end.hi - end.lo) * 2**bits <= end.lo
    return bracket, truth


def check_random(seeds):
    met = 0
    for seed in seeds:
        draw = random.Random(seed)
        inputs, messages = draw.randint(2, 5), draw.randint(2, 5)
        n = draw.choice([1, 2, 3, 4, 6, 9, 12] if inputs + messages < 7 else [1, 2, 3, 4])
        table = random_table(draw, inputs, messages, draw.random() < 0.3)
        bracket, truth = check(Randomizer(table), n, draw.choice(LEVELS), draw.choice([6, 20, 30]))
        met += truth in bracket.pair_delta
    return met


def test_random_tables_against_the_scan_of_all_data_sets():
    seeds = recorded(range(30), every=3)
    assert check_random(seeds) > len(seeds) / 2


@pytest.mark.slow
def test_many_random_tables_against_the_scan_of_all_data_sets():
    assert check_random(recorded(range(1000, 5000))) > 500


@one_in(3)
@given(
    st.integers(1, 3),
    st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3).filter(any), min_size=2, max_size=3),
    st.fractions(1, 12, max_denominator=12),
)
def test_every_output_of_every_data_set(n, rows, level):
    table = {x: {(y,): F(w, sum(row)) for y, w in enumerate(row) if w} for x, row in enumerate(rows)}
    engine = Amplification(TablePairs(Randomizer(table)), n)
    bracket = engine.bracket(Real(level), 20)
    oracle = Oracle(table, n)
    truth = oracle.delta(level)
    assert bracket.lower.lower.fraction() <= truth <= bracket.upper.upper.fraction()
    limit = engine.bracket(None, 20)
    assert limit.lower.lower.fraction() <= oracle.limit() <= limit.upper.upper.fraction()
    people = [tuple(x for x, many in zip(table, each, strict=True) for _ in range(many)) for each in bracket.pair]
    pair = oracle.delta(level, [(people[0], people[1])])
    assert pair in bracket.pair_delta or (pair == 0 and not bracket.pair_delta.lo)


def test_both_ends_are_the_blanket_and_homogeneous_data_sets():
    """Of all ordered pairs, from columns in exact fractions."""
    best, seeds = 0, recorded(range(40))
    for seed in seeds:
        draw = random.Random(seed)
        table = random_table(draw, draw.randint(2, 3), draw.randint(2, 3), False)
        n, level = draw.randint(1, 5), draw.choice(LEVELS)
        bracket = Amplification(TablePairs(Randomizer(table)), n).bracket(Real(level), 30)
        assert exact.blanket(table, n, level) in bracket.upper
        best += exact.homogeneous(table, n, level) in bracket.pair_delta
    assert best >= len(seeds) * 9 / 10  # floats choose which data sets are enclosed


@pytest.mark.parametrize("n", thinned([10**3, 10**4, 10**6], every=2))
@pytest.mark.parametrize("rows", [(F(1, 4), F(3, 4)), (F(1, 10), F(1, 3))])
def test_two_messages_at_many_users(n, rows):
    table = Randomizer({x: {(0,): 1 - p, (1,): p} for x, p in enumerate(rows)})
    for factor in (1, 5):
        level = Real(1 + F(factor, 10 ** (len(str(n)) // 2)))
        truth = TwoMessageScan(n, *rows).enclosed(level, 30).delta
        bracket = Amplification(TablePairs(table), n).bracket(level, 20)
        assert bracket.lower.lower <= truth.upper
        assert truth.lower <= bracket.upper.upper
        if factor == 1:
            assert bracket.upper.hi < 2 * bracket.lower.lo


@pytest.mark.parametrize("n", [5, 60])
def test_the_pair_that_is_named_has_the_divergence_that_is_said(n):
    table = {0: {(0,): "3/5", (1,): "1/5", (2,): "1/5"}, 1: {(0,): "1/7", (1,): "6/7"}, 2: {(1,): "1/2", (2,): "1/2"}}
    randomizer = Randomizer(table)
    for level in (F(1), F(6, 5), F(2)):
        bracket = Amplification(TablePairs(randomizer), n).bracket(Real(level), 30)
        people = [{x: many for x, many in enumerate(each) if many} for each in bracket.pair]
        profile = ShuffleProtocol(randomizer, n).pair_profile(*people)
        assert profile.delta(exp_eps=level) in bracket.pair_delta  # of both orders the larger: the named one


@pytest.mark.parametrize(
    ("k", "exp_eps0", "level", "n", "worst"),
    [
        (3, 3, "3/2", 6, "0.079648"),
        (3, 3, "2", 6, "0.026496"),
        (3, 7, "3", 8, "0.135703251357984"),
        (4, 3, "3/2", 5, "0.0752957818930041"),
        (4, 7, "2", 5, "0.27938"),
    ],
)
def test_worst_data_sets_of_k_ary_response(k, exp_eps0, level, n, worst):
    randomizer = randomized_response(k, exp_eps0=exp_eps0)
    _, truth = check(randomizer, n, F(level), 40)
    assert abs(truth - F(worst)) < F(1, 10 ** (5 if len(worst) < 9 else 14))
    family = Amplification(FamilyPairs(KAryResponse(k, exp_eps0=exp_eps0)), n).bracket(Real(F(level)), 40)
    table = Amplification(TablePairs(randomizer), n).bracket(Real(F(level)), 40)
    assert (family.upper, family.pair_delta) == (table.upper, table.pair_delta)


def test_inputs_with_one_row_have_delta_0():
    row = {(0,): "1/2", (1,): "1/2"}
    for table in ({0: row, 1: row}, {0: row}):
        bracket = Amplification(TablePairs(Randomizer(table)), 5).bracket(Real(1), 20)
        assert bracket.upper == bracket.lower
        assert bracket.upper.is_point
        assert not bracket.upper.hi


def test_no_local_privacy_loss_at_all():
    for engine in (
        Amplification(FamilyPairs(KAryResponse(1000, exp_eps0=1)), 100),
        Amplification(TablePairs(randomized_response(3, gamma=1)), 100),
    ):
        assert not engine.bracket(Real(1), 20).upper.hi
        assert engine.exp_eps_range(F(0)) == engine.exp_eps_range(F(1, 3))
        assert engine.exp_eps_range(F(0)).high == 1


def test_inputs_that_share_no_message_are_told_apart():
    table = {0: {(0,): "1/3", (1,): "2/3"}, 1: {(2,): 1}, 2: {(1,): "1/2", (2,): "1/2"}}
    for n in (1, 2, 10**6):
        bracket = Amplification(TablePairs(Randomizer(table)), n).bracket(Real(5), 20)
        assert bracket.upper.hi >= 1
        assert bracket.lower.lo > F(32, 100)
        check(Randomizer(table), n, F(5)) if n < 9 else None


def test_no_users_are_refused():
    with pytest.raises(ExactDPError, match="n="):
        ShuffleProtocol(KAryResponse(1000, exp_eps0=5), 0)


def test_a_table_of_very_many_inputs_is_bounded_by_the_largest_of_each_column(monkeypatch):
    monkeypatch.setattr(input_pairs, "_MOST_PAIRED", 20)
    rows = {x: {(0,): F(5000 + x, 16000), (1,): F(11000 - x, 16000)} for x in range(0, 1500, 150)}
    randomizer = Randomizer(rows)
    engine = Amplification(TablePairs(randomizer), 1000)
    bracket = engine.bracket(Real(F(101, 100)), 10)
    small = Randomizer({x: rows[x] for x in (0, 1350)})
    below = Amplification(TablePairs(small), 1000).bracket(Real(F(101, 100)), 10)
    assert below.upper.lower <= bracket.upper.upper
    assert bracket.lower.lower <= bracket.upper.upper
    assert bracket.lower.lo > 0


def test_a_table_with_too_many_entries_is_refused(monkeypatch):
    monkeypatch.setattr(input_pairs, "_MOST_ENTRIES", 8)
    with pytest.raises(ExactDPError, match="about 9 entries, more than the limit of 8"):
        TablePairs(randomized_response(3, gamma="1/2"))


def test_probabilities_of_4000_digits():
    digits = F(random.Random(1).randrange(10**3999, 10**4000), 10**4000)
    table = {0: {(0,): digits, (1,): 1 - digits}, 1: {(0,): digits / 2, (1,): 1 - digits / 2}}
    bracket, _ = check(Randomizer(table), 3, F(11, 10))
    assert bracket.upper.hi < 1


# Perturbations that must be seen.


ASYMMETRIC = {
    0: {(0,): F(1, 2), (1,): F(1, 4), (2,): F(1, 4)},
    1: {(0,): F(2, 5), (1,): F(2, 5), (2,): F(1, 5)},
    2: {(0,): F(1, 20), (1,): F(1, 20), (2,): F(9, 10)},
}
CASES = [(ASYMMETRIC, 3, F(1)), (ASYMMETRIC, 3, F(3, 2)), (ASYMMETRIC, 5, F(2))]


def misses():
    """Whether an upper end differs from the maximum over all ordered pairs."""
    amplification._kept_bracket.cache_clear()
    found = [
        exact.blanket(table, n, level)
        not in Amplification(TablePairs(Randomizer(table)), n, by_blankets=True).upper(Real(level), 30)
        for table, n, level in CASES
    ]
    amplification._kept_bracket.cache_clear()
    return any(found)


def test_the_maximum_over_all_pairs_is_met_by_the_unperturbed():
    assert not misses()


@pytest.mark.parametrize("names", list(permutations(range(3))))
def test_the_worst_pair_counts_whichever_it_is_and_whenever_it_is_looked_at(names, monkeypatch):
    """The bounds of the six ordered pairs differ, so that one alone is the largest; floats say nothing of the order."""
    level, n = F(9, 8), 5
    table = {x: ASYMMETRIC[name] for x, name in enumerate(names)}
    least = [min(row[m,] for row in table.values()) for m in range(3)]
    bounds = {
        exact.divergence([(table[i][m,], table[j][m,], least[m]) for m in range(3)], n, level): (i, j)
        for i, j in permutations(range(3), 2)
    }
    assert len(bounds) == 6
    assert bounds[max(bounds)] == (names.index(2), names.index(1))
    pairs = TablePairs(Randomizer(table))
    for turn in range(6):
        places = {blanket: (place + turn) % 6 for place, blanket in enumerate(pairs.blankets)}
        monkeypatch.setattr(amplification, "log_size", lambda bound, *_, places=places: -places[bound])
        end, _ = Amplification(pairs, n, by_blankets=True).upper_end(Real(level), 30)
        assert max(bounds) in end


def test_very_many_pairs_are_ruled_out_by_quick_bounds_that_hold(monkeypatch):
    """Each quick bound is above the bound that it stands for, and what is left has the largest one."""
    ruled_out = 0
    for seed in range(30):
        draw = random.Random(seed)
        table = random_table(draw, draw.randint(2, 5), draw.randint(2, 5), draw.random() < 0.4)
        n, level = draw.choice([1, 2, 5, 12, 100]), draw.choice(LEVELS)
        monkeypatch.setattr(input_pairs, "_MOST_WRITTEN", 10**6)
        plain = TablePairs(Randomizer(table))
        if plain.blankets == (Mixture((), ()),):
            continue
        whole = Amplification(plain, n, by_blankets=True).upper_end(Real(level), 20)[0]
        limit = amplification._limit(Amplification(plain, n, by_blankets=True), 20).upper
        assert Amplification(plain, n, by_blankets=True).leading_upper(Real(level), 20) is None
        monkeypatch.setattr(input_pairs, "_MOST_WRITTEN", 0)
        pairs = TablePairs(Randomizer(table))
        bounds = pairs._quick_bounds(n, Real(level))
        for pair, bound in pairs._rows_bounds.items():
            lower = bound.mixture.divergence(n, Real(level), relative_bits=20).lower
            assert bounds[pair] >= lower
            assert pairs._many_pairs.gain(pair, Real(level)) >= lower
        near = pairs.blankets_at(n, Real(level))
        ruled_out += len(pairs._rows_bounds) - len(near)
        assert Amplification(pairs, n, by_blankets=True).upper_end(Real(level), 20)[0] == whole
        assert amplification._limit(Amplification(pairs, n, by_blankets=True), 20).upper == limit
        assert Amplification(pairs, n, by_blankets=True).leading_upper(Real(level), 20).lower <= whole.upper
    assert ruled_out > 30


@pytest.mark.parametrize(("delta", "n"), thinned([("1e-4", 60), ("1/100", 1000), ("1e-9", 1000)], every=3))
def test_a_search_that_follows_the_leading_pair_finds_the_same(monkeypatch, delta, n):
    table = Randomizer({x: ASYMMETRIC[x] for x in (1, 2, 0)})
    plain = Amplification(TablePairs(table), n, by_blankets=True).exp_eps_range(F(delta))
    monkeypatch.setattr(input_pairs, "_MOST_WRITTEN", 0)
    pairs = TablePairs(table)
    assert Amplification(pairs, n, by_blankets=True).exp_eps_range(F(delta)).low == plain.low
    found = Amplification(pairs, n, by_blankets=True).exp_eps_range(F(delta)).high
    assert abs(found - plain.high) * 2**18 < plain.high - 1
    wrong = pairs._rows_bounds[0, 2].mixture  # not the leading one: all pairs are asked, and it is seen
    monkeypatch.setattr(TablePairs, "leading", lambda *_: wrong)
    found = Amplification(pairs, n, by_blankets=True).exp_eps_range(F(delta)).high
    assert abs(found - plain.high) * 2**18 < plain.high - 1


def test_the_minimum_over_all_rows_but_one(monkeypatch):
    of = pair_table.Bundles.of

    def forgetful(randomizer):
        bundles = of(randomizer)
        least = tuple(map(min, zip(*bundles.rows[:-1], strict=True)))
        return pair_table.Bundles(bundles.inputs, bundles.rows, least, bundles.scale)

    monkeypatch.setattr(pair_table.Bundles, "of", forgetful)
    assert misses()


def test_one_order_of_each_pair_only(monkeypatch):
    representatives = pair_table.Bundles.representatives
    for order in (lambda pair: pair[0] < pair[1], lambda pair: pair[0] > pair[1]):
        monkeypatch.setattr(
            pair_table.Bundles, "representatives", lambda bundles, order=order: filter(order, representatives(bundles))
        )
        if misses():
            return
    pytest.fail("no order of pairs mattered")


def test_one_user_less(monkeypatch):
    divergence = Mixture.divergence
    monkeypatch.setattr(
        Mixture,
        "divergence",
        lambda mixture, copies, level, *, relative_bits: divergence(
            mixture, copies - 1, level, relative_bits=relative_bits
        ),
    )
    assert misses()


# Floats choose; they never decide.


@pytest.mark.parametrize("seed", thinned(range(6), every=2))
def test_random_sizes_in_place_of_estimates(monkeypatch, seed):
    draw = random.Random(seed)
    noise = [float("nan"), float("inf"), -float("inf"), 0.0]

    def size(*_):
        return draw.choice(noise) if draw.random() < 0.2 else draw.gauss(0, 50)

    monkeypatch.setattr(amplification, "log_size", size)
    monkeypatch.setattr(input_pairs, "log_size", size)
    monkeypatch.setattr(guesses, "_log_size", size)
    monkeypatch.setattr(input_pairs, "_CANDIDATES", 3)
    amplification._kept_candidates.cache_clear()
    amplification._kept_bracket.cache_clear()
    for table, n, level in CASES:
        bracket, _ = check(Randomizer(table), n, level)
        assert exact.blanket(table, n, level) in bracket.upper
    amplification._kept_candidates.cache_clear()
    amplification._kept_bracket.cache_clear()


def test_a_delta_of_0_is_for_no_reason_of_a_blanket():
    engine = Amplification(TablePairs(randomized_response(3, exp_eps0=3)), 6)
    for level, said in [(Real(3), "none of which"), (None, "none of which"), (Real(2), "blanket")]:
        bracket = engine.bracket(level, 20)
        assert said in bracket.theorem
        assert (bracket.upper.hi == 0) == (said != "blanket")


def test_rows_of_few_values_are_compared_by_how_often_they_meet(monkeypatch):
    """The same pairs as by comparing all entries; and 200 inputs are paired, which no bound of all at once replaces."""
    tables = [hadamard_response(20, exp_eps0=3), randomized_response(20, exp_eps0=3), hadamard_response(11, exp_eps0=2)]
    for table in tables:
        bundles = pair_table.Bundles.of(table)
        assert bundles.pair_cost < len(bundles.least)
        chosen = list(bundles.representatives())
        with monkeypatch.context() as patch:
            patch.setattr(pair_table.Bundles, "pair_cost", len(bundles.least))
            assert chosen == list(bundles.representatives())
    engine = Amplification(TablePairs(hadamard_response(200, exp_eps0=20)), 1000)
    assert engine.bracket(Real(F(6, 5)), 10).upper.hi < F(6, 1000)


def test_weights_of_the_others_are_searched_for_and_stay_below_the_worst_data_set():
    """Alone, every input of the others gives less: the best weights lie inside, and all weights give a valid end."""
    rows = {0: [1, 1, 2, 1], 1: [1, 1, 1, 1], 2: [1, 1, 8, 1]}
    table = Randomizer({x: {(y,): F(w, sum(row)) for y, w in enumerate(row)} for x, row in rows.items()})
    level = F(101, 100)
    engine = Amplification(TablePairs(table), 4)
    alone, best = engine.lower_end(Real(level), 20)
    end, mixed = engine.mixed_end(best, Real(level), 20)
    evenly = Candidate.of(best.table, tuple(F(weight != 0, 2) for weight in mixed.weights))
    assert sum(mixed.weights) == 1
    assert len(mixed.inputs) == 2
    assert alone.hi < end.lo
    assert evenly.mixture.divergence(4, Real(level), relative_bits=20).hi < end.lo
    assert end.hi < ShuffleProtocol(table, 4).privacy_profile().delta(exp_eps=level)
