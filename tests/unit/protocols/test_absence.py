"""Users who may be away, by three models: against sums over all data sets, all lists and all views, in fractions."""

import pickle
import time
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactdp as xdp
from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.mechanisms.absence_family import Absence, Participating
from exactdp.mechanisms.pair_table import pair_table
from exactdp.mechanisms.unary_encoding_family import _counts_of_ones
from exactdp.privacy.amplification.amplification import Amplification
from exactdp.privacy.amplification.input_pairs import FamilyPairs
from exactdp.privacy.shuffle.listed_users import _mean_of_worst
from exactdp.protocols.accuracy.frequencies import FrequencyEstimate
from exactdp.randomizers import (
    AnyRandomizer,
    ClippedDiscreteLaplace,
    HadamardResponse,
    KAryResponse,
    LocalHashing,
    MixedDummies,
    Product,
    SubsetSelection,
    UnaryEncoding,
)
from exactdp.sampling import sample, sample_blocks
from tests.oracles.small_tables import small_tables
from tests.thinned import thinned

HALF = xdp.randomized_response(2, gamma="1/2")
SKEWED = xdp.Randomizer(
    {0: {(0,): "1/2", (1,): "1/3", (2,): "1/6"}, 1: {(0,): "1/8", (1,): "7/8"}, 2: {(1,): "1/5", (2,): "4/5"}}
)
SEVERAL = xdp.Randomizer({0: {(0, 0): "1/2", (1,): "1/2"}, 1: {(0, 1): "1/4", (): "1/4", (1,): "1/2"}})
LEVELS = ("1", "5/4", "3/2", "2")
FIRST_DIGITS = {
    "listed": (".1743", ".1465", ".1256", ".0837"),
    "counted": (".1675", ".0862", ".0370", ".0081"),
    "hidden": (".1099", ".0381", ".0153", "0"),
    "sure": (".3525", ".2938", ".2512", ".1675"),
}
"""Four models of absence beside each other: 2-ary response with gamma = 1/2, q = 1/2, n = 4."""


def view_of(table, held, chances, dummy, is_listed):
    """The law of what is seen where users send their messages by coins of their own: a sum over all coins."""
    view = {}
    for coins in product((1, 0), repeat=len(held)):
        weight = prod(p if coin else 1 - p for p, coin in zip(chances, coins, strict=True))
        rows = [table[x] if coin else dummy for x, coin in zip(held, coins, strict=True)]
        for sent in product(*(row.items() for row in rows)):
            seen = tuple(sorted(m for messages, _ in sent for m in messages)), coins if is_listed else ()
            view[seen] = view.get(seen, 0) + weight * prod(p for _, p in sent)
    return view


def worst(randomizer, n, own, others, exp_eps, dummy=None, *, is_listed=False):
    """The largest divergence over all data sets: the definition."""
    table, away = randomizer.table(), dummy or {(): Fraction(1)}
    largest = Fraction(0)
    for held in combinations_with_replacement(randomizer.inputs, n - 1):
        chances = [own] + [others] * (n - 1)
        views = [view_of(table, [x, *held], chances, away, is_listed) for x in randomizer.inputs]
        for one, other in permutations(views, 2):
            excess = (p - exp_eps * other.get(seen, 0) for seen, p in one.items())
            largest = max(largest, sum(max(Fraction(0), gain) for gain in excess))
    return largest


def protocol(randomizer, n, q, way, dummy=None):
    return xdp.ShuffleProtocol(randomizer, n, participation=q, absence=way, dummy=dummy)


@pytest.mark.parametrize("place", range(4), ids=LEVELS)
def test_the_four_models_beside_each_other(place):
    exp_eps, q = Fraction(LEVELS[place]), Fraction(1, 2)
    fair = {(0,): Fraction(1, 2), (1,): Fraction(1, 2)}
    found = {
        "listed": worst(HALF, 4, q, q, exp_eps, is_listed=True),
        "counted": worst(HALF, 4, q, q, exp_eps),
        "hidden": worst(HALF, 4, q, q, exp_eps, fair),
    }
    profile = protocol(HALF, 4, q, "counted").privacy_profile()
    assert profile.is_exact
    assert profile.delta(exp_eps=exp_eps) == found["counted"]
    assert protocol(HALF, 4, q, "hidden", "uniform").privacy_profile().delta(exp_eps=exp_eps) == found["hidden"]
    assert protocol(HALF, 4, q, "hidden", fair).privacy_profile().delta(exp_eps=exp_eps) == found["hidden"]
    listed = protocol(HALF, 4, q, "listed").privacy_profile().bracket(exp_eps=exp_eps, relative_bits=40)
    assert listed.is_closed
    assert listed.lower.lo <= found["listed"] <= listed.upper.hi <= found["listed"] * (1 + Fraction(1, 2**38))
    worst_of_each = _mean_of_worst(
        protocol(HALF, 4, q, "listed").privacy_profile().source.plan(), xdp.Real(exp_eps), 40
    )
    beside = xdp.Law({1 + k: xdp.Binomial(3, q).law().prob(k) for k in range(4)})
    sure = xdp.ShuffleProtocol(HALF, beside).privacy_profile().bracket(exp_eps=exp_eps, relative_bits=40)
    assert abs(worst_of_each.fraction() - q * sure.upper.hi) < Fraction(1, 2**38)  # the mean of the suprema
    assert found["listed"] <= worst_of_each.fraction()
    assert abs(float(q * sure.upper.hi) - float((".1763", ".1469", ".1256", ".0837")[place])) < 1e-4
    found["sure"] = sure.upper.hi
    for name, digits in FIRST_DIGITS.items():
        assert abs(float(found[name]) - float(digits[place])) <= 5.1e-5, name


@pytest.mark.parametrize(
    ("randomizer", "dummy"), [(HALF, {1: 1}), (SKEWED, ("input", 2)), (SEVERAL, {(0, 1): "1/3", 1: "2/3"})]
)
@pytest.mark.parametrize("q", ["1/3", "9/10"])
def test_every_model_of_tables_against_all_views(randomizer, dummy, q):
    n, share = 3, Fraction(q)
    law = (
        randomizer.table()[dummy[1]]
        if isinstance(dummy, tuple)
        else {sent if isinstance(sent, tuple) else (sent,): Fraction(p) for sent, p in dummy.items()}
    )
    for exp_eps in (Fraction(1), Fraction(3, 2), Fraction(4)):
        counted = protocol(randomizer, n, q, "counted").privacy_profile()
        assert counted.delta(exp_eps=exp_eps) == worst(randomizer, n, share, share, exp_eps)
        hidden = protocol(randomizer, n, q, "hidden", dummy).privacy_profile()
        assert hidden.delta(exp_eps=exp_eps) == worst(randomizer, n, share, share, exp_eps, law)
        ends = protocol(randomizer, n, q, "listed").privacy_profile().bracket(exp_eps=exp_eps)
        truth = worst(randomizer, n, share, share, exp_eps, is_listed=True)
        assert ends.lower.lo <= truth <= ends.upper.hi
        assert ends.is_closed


@settings(max_examples=25)
@given(small_tables(), st.integers(1, 3), st.sampled_from(["1/4", "2/3"]), st.sampled_from(["1", "3/2", "5"]))
def test_a_list_beside_both_bounds_alone(table, n, q, level):
    """The blanket and the swap bound of sub-probabilities, and the mean of suprema, each without what is closer."""
    source = protocol(table, n, q, "listed").privacy_profile().source
    engine, share = source.plan(), Fraction(q)
    truth = worst(table, n, share, share, Fraction(level), is_listed=True)
    assert truth <= _mean_of_worst(engine, xdp.Real(Fraction(level)), 30).fraction()
    plain = Amplification(engine.pairs, n).bracket(xdp.Real(Fraction(level)), 30)
    assert plain.lower.lo <= truth <= plain.upper.hi
    for bound in engine.pairs.bounds_at(n, xdp.Real(Fraction(level))):
        swapped = getattr(bound, "swapped", lambda *_: None)(n, xdp.Real(Fraction(level)), 20)
        assert swapped is None or isinstance(swapped, xdp.Interval)
    ends = engine.bracket(xdp.Real(Fraction(level)), 30)
    assert ends.lower.lo <= truth <= ends.upper.hi


def test_a_list_lies_between_bounds_for_each_number_of_users():
    """Among 20 users: q times the mean of both ends of each number of those who take part."""
    n, q, level = 20, Fraction(3, 4), xdp.Real(Fraction(3, 2))
    family = KAryResponse(40, exp_eps0=9)
    ends = protocol(family, n, q, "listed").privacy_profile().source.plan().bracket(level, 20)
    law, pairs = xdp.Binomial(n - 1, q), FamilyPairs(family)
    each = [(law.exact_pmf(k), Amplification(pairs, k + 1).bracket(level, 20)) for k in range(n)]
    best = [(p, Amplification(pairs, k + 1).lower_end(level, 20)[0]) for k, (p, _) in enumerate(each)]
    assert ends.lower.lo <= q * sum(p * one.upper.hi for p, one in each)
    assert ends.lower.hi >= q * sum(p * end.lo for p, end in best) * (1 - Fraction(1, 2**16))
    assert ends.upper.hi >= q * sum(p * one.lower.lo for p, one in each)


FAMILIES = [
    KAryResponse(2, exp_eps0=3),
    KAryResponse(6, exp_eps0=3),
    SubsetSelection(5, exp_eps0=3, size=2),
    LocalHashing(3, exp_eps0=3, buckets=2),
    HadamardResponse(3, exp_eps0=3),
    HadamardResponse(7, exp_eps0=3),
    UnaryEncoding(4, exp_eps0=4),
    UnaryEncoding(3, exp_eps0=4, optimized=True),
    Product(KAryResponse(3, exp_eps0=3), KAryResponse(3, exp_eps0=3)),
    Product(KAryResponse(3, exp_eps0=2), SKEWED),
    Product(KAryResponse(3, exp_eps0=2), ClippedDiscreteLaplace(2, exp_eps0=4)),
]


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
@pytest.mark.parametrize("dummy", [None, "uniform", "first", pytest.param("last", marks=pytest.mark.slow)])
def test_classes_of_families_are_those_of_their_tables(family, dummy):
    """Each pair named has the classes of the table; each pair and other user of the table is among those named."""
    held = {"first": family.inputs[0], "last": family.inputs[len(family.inputs) - 1]}
    asked = ("input", held[dummy]) if dummy in held else dummy
    away = Absence.read(family, "1/3", "hidden" if dummy else "counted", asked).applied(family)
    table = away.table()
    assert table.local_epsilon() == away.local_epsilon()
    is_unary = isinstance(family, UnaryEncoding) and dummy == "uniform"  # a smaller least on one message
    kinds = set()
    for pair in away.pair_tables():
        exact = pair_table(table, pair.first, pair.second, others=pair.others)
        assert is_unary or exact == pair
        for other in pair.others:
            kinds.add(tuple(pair_table(table, pair.first, pair.second, others=[other]).classes))
    for first, second in permutations(table.inputs, 2):
        for other in table.inputs:
            met = tuple(pair_table(table, first, second, others=[other]).classes)
            assert met in kinds or all(c.first == c.second for c in met)


@pytest.mark.parametrize("held", [0, 4, 8, 15, 19])
def test_rows_of_hadamard_beside_one_of_them(held):
    """A matrix with inputs left out: what bounds has every kind of pair, and what attains has inputs alone."""
    family = HadamardResponse(20, exp_eps0=3)
    more, fewer = (Participating(family, Fraction(1, 2), ("input", held), side).pair_tables() for side in (True, False))
    kinds = {tuple(one.among([other]).classes) for one in more for other in one.others}
    table = Participating(family, Fraction(1, 2), ("input", held)).table()
    for pair in fewer:
        assert all(other in family.inputs for other in pair.others)
        assert pair_table(table, pair.first, pair.second, others=pair.others) == pair
    for first, second, other in [
        (held, 3, 7),
        (3, held, 9),
        (3, 7, held),
        (1, 2, 12),
        (5, 9, 17),
        (18, 2, 11),
        (6, 1, 6),
    ]:
        if first != second:
            assert tuple(pair_table(table, first, second, others=[other]).classes) in kinds


@pytest.mark.parametrize(
    ("bits", "noise"),
    [(30, "1/4"), (120, "2/5"), pytest.param(300, "49/100", marks=pytest.mark.slow), (40, "2/3"), (3, "1/2")],
)
def test_fewer_classes_of_ones_tell_more_and_less(bits, noise):
    """Every half-line of the likelihood ratio, which says everything of two laws."""

    def gain(cells, level):
        return sum(max(Fraction(0), one - level * other) for one, other in cells)

    less = min(Fraction(noise), 1 - Fraction(noise))
    own, fair = xdp.Binomial(bits, less), xdp.Binomial(bits, "1/2")
    exact = [(own.exact_pmf(ones), fair.exact_pmf(ones)) for ones in range(bits + 1)]
    more, fewer = (_counts_of_ones(Fraction(noise), bits, side) for side in (True, False))
    for cells in (more, fewer):
        assert [sum(column) for column in zip(*cells, strict=True)] == [1, 1]
        assert all(min(cell) >= 0 for cell in cells)
    for level in (Fraction(k, 8) ** 5 for k in range(1, 40)):
        assert gain(fewer, level) <= gain(exact, level) <= gain(more, level)
        if Fraction(1, 10) < level < 10:
            assert gain(more, level) - gain(fewer, level) < Fraction(1, 100)


@pytest.mark.parametrize("way", thinned(["hidden", "counted", "listed"], every=3))
def test_a_family_of_a_thousand_inputs(way):
    """Both ends of eps in seconds, a thousandth part apart; fewer who take part, and dummies, hide more."""
    dummy = "uniform" if way == "hidden" else None
    asked, started = protocol(UnaryEncoding(1000, exp_eps0=7), 10**5, "9/10", way, dummy), time.process_time()
    profile = asked.privacy_profile()
    eps = profile.epsilon("1e-6")
    assert time.process_time() - started < 20  # 3 s on an idle machine
    assert eps.hi < eps.lo * Fraction(1001, 1000)
    least = {"counted": "0.0197596", "listed": "0.0219575", "hidden": "0.0197596"}
    assert Fraction(least[way]) < eps.lo < Fraction(least[way]) + Fraction(1, 10**6)
    assert "takes part with probability 9/10" in profile.source.subject


@pytest.mark.slow
@pytest.mark.parametrize("exp_eps0", ["exp(1)", "exp(1/2)"])
@pytest.mark.parametrize(
    "make", [lambda e: KAryResponse(50, exp_eps0=e), lambda e: UnaryEncoding(50, exp_eps0=e, optimized=True)]
)
@pytest.mark.parametrize("dummy", ["uniform", ("input", 7)])
def test_irrational_levels_lie_between_members(make, exp_eps0, dummy):
    """Members at rational numbers a little above and below have deltas around that of the family."""
    family = make(exp_eps0)
    asked = {"participation": "3/4", "absence": "hidden", "dummy": dummy}
    delta = xdp.ShuffleProtocol(family, 1000, **asked).privacy_profile().delta(exp_eps="11/10")
    low, high = (
        xdp.ShuffleProtocol(member, 1000, **asked).privacy_profile().delta(exp_eps="11/10")
        for member in (family.at_most(20), family.at_least(20))
    )
    assert low.lo <= delta.lo <= delta.hi <= high.hi


@pytest.mark.parametrize("randomizer", [HALF, SKEWED, KAryResponse(300, exp_eps0=5)], ids=["half", "skewed", "family"])
@pytest.mark.parametrize("way", ["counted", "listed", "hidden"])
def test_everybody_takes_part(randomizer, way):
    """Participation 1 is the protocol as it was, to the digit, whatever is said of who is away."""
    plain = xdp.ShuffleProtocol(randomizer, 20)
    asked = protocol(randomizer, 20, 1, way, "uniform" if way == "hidden" else None)
    assert asked.privacy_profile() == plain.privacy_profile()
    assert asked.privacy_profile().delta(exp_eps="3/2") == plain.privacy_profile().delta(exp_eps="3/2")
    assert asked.privacy_profile().source.subject == plain.privacy_profile().source.subject
    assert asked.numeric_randomizer is randomizer
    assert repr(plain) == f"ShuffleProtocol(randomizer={randomizer!r}, n=20, analyzer=None)"


def test_a_protocol_that_was_kept_by_an_earlier_version_loads():
    """What 0.2.0 wrote has three fields."""
    plain = xdp.ShuffleProtocol(HALF, 5)
    old = object.__new__(xdp.ShuffleProtocol)
    old.__setstate__([HALF, 5, None])
    assert old == plain
    assert old.privacy_profile() == plain.privacy_profile()
    away = protocol(HALF, 5, "1/2", "hidden", {0: 1})
    assert pickle.loads(pickle.dumps(away)) == away != plain
    assert hash(away) == hash(pickle.loads(pickle.dumps(away)))
    assert pickle.loads(pickle.dumps(away.privacy_profile())) == away.privacy_profile()


def test_every_answer_says_which_model_it_is():
    for way, dummy, words in [
        ("counted", None, "nobody learns who is away"),
        ("listed", None, "who takes part is public"),
        ("hidden", "uniform", "a uniformly random message"),
        ("hidden", ("input", 1), "a message of the input 1"),
        ("hidden", {0: 1}, "a dummy of a stated law"),
    ]:
        asked = protocol(HALF, 5, "1/2", way, dummy)
        subject = asked.privacy_profile().source.subject
        assert "each of whom, the one who differs too, takes part with probability 1/2: " in subject
        assert subject.endswith(words) or words in subject
        assert f"absence={way!r}" in repr(asked)
        if way != "listed":
            assert words in asked.pair_profile([0, 0, 0, 0, 0], [0, 0, 0, 0, 1]).source.subject


def test_what_proves_the_ends_of_a_list():
    """Not the kernel, whose users all take part; among few of them exact engines, where their mean is the less."""
    profile = protocol(SKEWED, 200, "1/2", "listed").privacy_profile()
    assert "proved in exactdp.privacy.shuffle.listed_users" in profile.bracket(exp_eps=2).theorem
    assert profile.place_of_proof == "exactdp.privacy.shuffle.listed_users"
    assert profile.kernel_theorems() == protocol(HALF, 6, "1/2", "counted").privacy_profile().kernel_theorems()[:1]
    for n, word in ((4, "every data set and every list"), (30, "exact engines at every number of users who take part")):
        assert word in protocol(HALF, n, "1/2", "listed").privacy_profile().bracket(exp_eps=1).theorem


def test_one_pair_of_data_sets():
    asked = protocol(HALF, 4, "1/2", "counted")
    both = [0, 0, 0, 0], [0, 0, 0, 1]
    views = [view_of(HALF.table(), held, [Fraction(1, 2)] * 4, {(): Fraction(1)}, False) for held in both]
    law = asked.law(both[1])
    assert {(sum(m == 0 for m in seen), sum(m == 1 for m in seen)): p for (seen, _), p in views[1].items()} == dict(
        law.items()
    )
    largest = max(
        sum(max(Fraction(0), p - 2 * other.get(seen, 0)) for seen, p in one.items())
        for one, other in permutations(views)
    )
    assert asked.pair_profile(*both).delta(exp_eps=2) == largest


def test_a_user_is_added():
    """Counted: one more user who may be away is hidden among those who may be, too."""
    asked = protocol(HALF, 3, "1/2", "counted")
    profile = asked.privacy_profile(neighbors=xdp.Neighbors.ADD_OR_REMOVE_ONE)
    table, q, largest = HALF.table(), Fraction(1, 2), Fraction(0)
    for held in combinations_with_replacement((0, 1), 2):
        without = view_of(table, held, [q] * 2, {(): Fraction(1)}, False)
        for own in (0, 1):
            more = view_of(table, [own, *held], [q] * 3, {(): Fraction(1)}, False)
            for one, other in permutations((more, without)):
                largest = max(largest, sum(max(Fraction(0), p - other.get(seen, 0) * 2) for seen, p in one.items()))
    assert profile.delta(exp_eps=2) == largest < 1
    hidden = protocol(HALF, 3, "1/2", "hidden", "uniform")
    assert hidden.privacy_profile(neighbors=xdp.Neighbors.ADD_OR_REMOVE_ONE).delta(exp_eps=2) == 1


def test_runs_and_decisions():
    for way, dummy in (("counted", None), ("listed", None), ("hidden", "uniform")):
        asked = protocol(HALF, 4, "1/2", way, dummy)
        once = asked.privacy_profile().delta(eps=1)
        assert once.lo <= asked.privacy_profile().compose(2).delta(eps=1).hi <= 1
        assert xdp.is_private(asked, exp_eps=2, delta="1/2") is True
        assert xdp.is_private(asked, exp_eps=1, delta="1/1000") is False
        assert asked.local_epsilon.argument == (Fraction(5, 3) if way == "hidden" else 3)
    counted = protocol(HALF, 4, "1/2", "counted")
    claim = xdp.Claim.shuffle_dp(counted, exp_eps=2, delta=Fraction(33, 4096))
    assert xdp.certify(claim).verdict is xdp.Verdict.PROVED
    less = xdp.Claim.shuffle_dp(counted, exp_eps=2, delta=Fraction(32, 4096))
    assert xdp.certify(less).verdict is xdp.Verdict.REFUTED


def test_two_runs_of_a_list():
    """Both ends around the worst of all pairs of data sets in both runs, and a lower end that is near it."""
    q, exp_eps, largest = Fraction(1, 2), Fraction(3, 2), Fraction(0)
    pairs = []
    for held in combinations_with_replacement((0, 1), 2):
        views = [view_of(HALF.table(), [x, *held], [q] * 3, {(): Fraction(1)}, True) for x in (0, 1)]
        pairs += permutations(views)
    for (one, other), (again, against) in product(pairs, repeat=2):
        seen = (
            (p * r - exp_eps * other.get(a, 0) * against.get(b, 0)) for a, p in one.items() for b, r in again.items()
        )
        largest = max(largest, sum(max(Fraction(0), gain) for gain in seen))
    runs = protocol(HALF, 3, q, "listed").privacy_profile().compose(2).delta(exp_eps=exp_eps)
    assert largest * Fraction(9, 10) < runs.lo <= largest <= runs.hi


@pytest.mark.slow
def test_calibration_of_what_makes_a_protocol():
    """The largest eps0 where users may be away: more than where all take part, and less on a list."""

    def least(**away):
        def made(exp_eps0):
            return xdp.ShuffleProtocol(KAryResponse(40, exp_eps0=exp_eps0), 1000, **away)

        return xdp.calibrate(made, n=1000, eps="1/4", delta="1e-6", certificates=False).parameter

    shares = [{"participation": "1/2", "absence": "listed"}, {"participation": "1/2"}]
    hidden = least(participation="1/2", absence="hidden", dummy="uniform")
    everybody, listed, counted = least(), *(least(**share) for share in shares)
    assert listed < everybody < counted < hidden


MEANS = [
    (KAryResponse(5, exp_eps0=4), "uniform"),
    (SubsetSelection(6, exp_eps0=3, size=2), "uniform"),
    (HadamardResponse(6, exp_eps0=3), ("input", 2)),
    (LocalHashing(3, exp_eps0=3, buckets=2), "uniform"),
    (UnaryEncoding(4, exp_eps0=4), "uniform"),
    (UnaryEncoding(4, exp_eps0=4, optimized=True), ("input", 3)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("family", "dummy"), MEANS, ids=repr)
@pytest.mark.parametrize("way", ["counted", "hidden"])
def test_draws_of_families(family, dummy, way):
    """The mean number of messages that support each input, within six deviations of a mean of 4000 draws."""
    q, n, size = Fraction(2, 3), 30, 4000
    asked = protocol(family, n, q, way, dummy if way == "hidden" else None)
    held = {0: 10, 1: 20}
    draws = sample(asked, held, size=size, rng=np.random.default_rng(5))
    blocks = list(sample_blocks(asked, held, size=size, rng=np.random.default_rng(5), block=1000))
    assert (np.concatenate(blocks) == draws).all()
    table, base = family.table(), family.table()
    away = asked.numeric_randomizer.table()
    for value in family.inputs:
        mean = sum(
            users * sum(p for sent, p in away.table()[own].items() if sent and family.supports(sent[0], value))
            for own, users in held.items()
        )
        assert abs(draws[:, value].mean() - float(mean)) < 6 * (n / 4 / size) ** 0.5 + 1e-9
    assert table == base


def test_draws_of_tables_are_those_of_their_law():
    for way, dummy in (("counted", None), ("listed", None), ("hidden", {0: 1})):
        asked = protocol(SKEWED, 2, "1/2", way, dummy)
        draws = sample(asked, [0, 2], size=20000, rng=np.random.default_rng(3))
        law = asked.law([0, 2])
        for counts, p in law.items():
            share = (draws == np.array(counts)).all(axis=1).mean()
            assert abs(share - float(p)) < 0.02


def test_what_a_user_sends_on_average():
    assert protocol(HALF, 5, "1/2", "counted").communication().messages == Fraction(1, 2)
    assert protocol(KAryResponse(300, exp_eps0=3), 5, "1/4", "counted").communication().messages == Fraction(1, 4)
    assert protocol(KAryResponse(300, exp_eps0=3), 5, "1/4", "hidden", "uniform").communication().messages == 1


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: protocol(HALF, 4, 0, "counted"), InvalidValueError, "participation=0 leaves nobody"),
        (lambda: protocol(HALF, 4, 2, "counted"), InvalidValueError, r"participation=2 is outside \[0, 1\]"),
        (lambda: protocol(HALF, 4, "1/2", "countd"), InvalidValueError, "Did you mean counted"),
        (lambda: protocol(HALF, 4, "1/2", "hidden"), InvalidValueError, "needs what is sent .* dummy="),
        (lambda: protocol(HALF, 4, "1/2", "counted", "uniform"), InvalidValueError, "sends no dummy"),
        (lambda: protocol(HALF, 4, "1/2", "hidden", "unifrom"), InvalidValueError, "Did you mean uniform"),
        (lambda: protocol(HALF, 4, "1/2", "hidden", {0: "1/2"}), InvalidValueError, "sums to 1/2, not 1"),
        (lambda: protocol(HALF, 4, "1/2", "hidden", {0: "3/2"}), InvalidValueError, "outside"),
        (lambda: protocol(HALF, 4, "1/2", "hidden", {7: 1}), InvalidValueError, "7, which is no message"),
        (lambda: protocol(HALF, 4, "1/2", "hidden", ("input", 7)), InvalidValueError, "7, which is no input"),
        (lambda: protocol(HALF, 4, "1/2", "hidden", 7), InvalidValueError, "no law of messages"),
        (lambda: protocol(SEVERAL, 4, "1/2", "hidden", "uniform"), InvalidValueError, "do not all send one"),
        (
            lambda: protocol(KAryResponse(300, exp_eps0=3), 4, "1/2", "hidden", {0: 1}),
            InvalidValueError,
            "whose messages are not listed",
        ),
        (
            lambda: protocol(FAMILIES[-2], 4, "1/2", "hidden", ("uniform",)),
            InvalidValueError,
            "1 parts for 2 factors",
        ),
        (lambda: protocol(AnyRandomizer(exp_eps0=3), 4, "1/2", "listed"), InvalidValueError, "Pass one of them"),
        (lambda: protocol(MixedDummies(10**4, exp_eps0=3, dummies=2), 4, "1/2", "counted"), TooLargeError, "no table"),
        (lambda: protocol(ClippedDiscreteLaplace(300, exp_eps0=3), 4, "1/2", "counted"), TooLargeError, "no table"),
        (lambda: protocol(HALF, xdp.Poisson(5), "1/2", "counted"), InvalidValueError, "with a random n"),
        (
            lambda: protocol(HALF, 4, "1/2", "listed").privacy_profile(neighbors=xdp.Neighbors.ADD_OR_REMOVE_ONE),
            InvalidValueError,
            "delta is 1/2 at every eps",
        ),
        (
            lambda: protocol(KAryResponse(300, exp_eps0=3), 40, "1/2", "counted").privacy_profile(
                neighbors=xdp.Neighbors.ADD_OR_REMOVE_ONE
            ),
            TooLargeError,
            "Pass Neighbors.REPLACE_ONE",
        ),
        (lambda: protocol(HALF, 4, "1/2", "listed").pair_profile([0] * 4, [0, 0, 0, 1]), InvalidValueError, "public"),
        (lambda: protocol(HALF, 4, "1/2", "counted").accuracy("1/20"), InvalidValueError, "may be away"),
        (lambda: protocol(KAryResponse(3, exp_eps0=3), 4, "1/2", "listed").accuracy("1/20"), InvalidValueError, "away"),
        (
            lambda: protocol(KAryResponse(3, exp_eps0=3), 4, "1/2", "hidden", ("input", 0)).accuracy("1/20"),
            InvalidValueError,
            "may be away",
        ),
        (
            lambda: xdp.Claim.shuffle_dp(protocol(HALF, 4, "1/2", "listed"), exp_eps=2, delta=0, least="delta"),
            InvalidValueError,
            "who takes part is public, and this claim is about a table",
        ),
        (
            lambda: xdp.Claim.shuffle_dp(
                protocol(KAryResponse(300, exp_eps0="exp(1)"), 4, "1/2", "counted"), eps=1, delta=0
            ),
            InvalidValueError,
            "is irrational, and a claim holds rational numbers",
        ),
        (
            lambda: sample(
                protocol(Product(*[KAryResponse(50, exp_eps0=3)] * 2), 4, "1/2", "counted"),
                [(0, 0)] * 4,
                size=1,
                rng=np.random.default_rng(1),
            ),
            InvalidValueError,
            "Draw the answers",
        ),
    ],
)
def test_what_is_refused(call, kind, message):
    with pytest.raises(kind, match=message) as refused:
        call()
    assert "\n" not in str(refused.value)


# --- Estimates ------------------------------------------------------------------------------------------------------

SUPPORTS = (
    KAryResponse(3, exp_eps0=4),
    UnaryEncoding(2, exp_eps0=4),
    UnaryEncoding(2, exp_eps0=4, optimized=True),
    SubsetSelection(4, exp_eps0=3, size=2),
    HadamardResponse(3, exp_eps0=3),
    LocalHashing(2, exp_eps0=3, buckets=2),
)


def errors_of(made, supported, n, q, dummy):
    """For each data set of n users the law of the error of the unbiased estimate of who holds 0, by the views."""
    table, away = made.table(), dummy or {(): Fraction(1)}
    counts = {}
    for held in combinations_with_replacement(made.inputs, n):
        law = counts.setdefault(held, {})
        for (seen, _), p in view_of(table, held, [q] * n, away, is_listed=False).items():
            count = sum(message in supported for message in seen)
            law[count] = law.get(count, 0) + p
    means = [sum(count * p for count, p in counts[(x,) * n].items()) for x in made.inputs[:2]]
    for held, law in counts.items():
        errors = {}
        for count, p in law.items():
            error = abs(n * (count - means[1]) / (means[0] - means[1]) - held.count(made.inputs[0]))
            errors[error] = errors.get(error, 0) + p
        yield errors


def least_error(laws, beta):
    """The least error that every law exceeds with probability at most beta."""
    return max(next(e for e in sorted({0, *law}) if sum(p for f, p in law.items() if f > e) <= beta) for law in laws)


@pytest.mark.parametrize("way", ["counted", "hidden"])
@pytest.mark.parametrize("family", SUPPORTS, ids=lambda one: f"{one.name} {one.parameters}")
def test_the_error_of_an_estimate_of_all_users_against_every_data_set(family, way):
    n, q, table = 3, Fraction(2, 3), family.table()
    dummy = {(m,): Fraction(1, len(table.alphabet)) for m in table.alphabet} if way == "hidden" else None
    supported = {message for message in table.alphabet if family.supports(message, 0)}
    laws = list(errors_of(table, supported, n, q, dummy))
    away = protocol(family, n, q, way, "uniform" if way == "hidden" else None)
    estimate = FrequencyEstimate(away.numeric_randomizer, n)
    read = xdp.ShuffleProtocol(
        table, n, participation=q, absence=way, dummy=dummy, analyzer=estimate.analyzer(0)
    )  # the same estimate, of the table
    for beta in ("1/3", "1/20", "1/1000"):
        assert away.accuracy(beta) == read.accuracy(beta) == least_error(laws, Fraction(beta))
    for law, held in zip(laws, combinations_with_replacement(family.inputs, n), strict=True):
        assert estimate.variance(holders=held.count(0)) == sum(error**2 * p for error, p in law.items())


def test_an_estimate_of_those_who_are_there_is_none_of_all_users():
    """It is biased: half of the holders are missed."""
    present = FrequencyEstimate(KAryResponse(3, exp_eps0=4), 4)
    away = xdp.ShuffleProtocol(present.family.table(), 4, participation="1/2", analyzer=present.analyzer(0))
    with pytest.raises(InvalidValueError, match="unbiased estimate"):
        away.accuracy("1/20")


def test_beyond_a_scan_absence_costs_accuracy():
    family, n = UnaryEncoding(1000, exp_eps0=7), 10**6
    errors = [protocol(family, n, q, "counted").accuracy("1/20") for q in (1, "9/10", "1/2")]
    assert errors[0].hi < errors[1].hi < errors[2].hi
    assert all(one.lo < one.hi < 2 * one.lo for one in errors)
