"""Users who add dummies: exact where their own message is fixed, two ends where it is random."""

import random
from collections import defaultdict
from fractions import Fraction
from itertools import product
from math import comb

import pytest

import exactdp as xdp
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.amplification import Amplification
from exactdp.privacy.amplification.dummy_pairs import Dummies, FamilyDummies, Hidden, TableDummies
from exactdp.privacy.amplification.input_pairs import FamilyPairs
from exactdp.privacy.amplification.positive_part import Mixture
from exactdp.privacy.amplification.tilted import Atom
from exactdp.randomizers import (
    BallsIntoBins,
    KAryResponse,
    MixedDummies,
    balls_into_bins,
    mixed_dummies,
    randomized_response,
    repeat,
)
from tests.oracles import positive_parts as plain
from tests.thinned import thinned
from tests.together import together

F = Fraction
LEVELS = [F(1), F(9, 8), F(3, 2), F(3)]


def with_dummies(own, chances, slots):
    """The table of bundles: one message of each row of ``own``, and slots, each with a dummy or empty."""
    slot = [((m,), p) for m, p in enumerate(chances) if p] + [((), 1 - sum(chances))]
    table = {}
    for x, row in enumerate(own):
        law = defaultdict(Fraction)
        for parts in product([((m,), p) for m, p in enumerate(row) if p], *[[s for s in slot if s[1]]] * slots):
            chance = F(1)
            for _, p in parts:
                chance *= p
            law[tuple(sorted(m for sent, _ in parts for m in sent))] += chance
        table[x] = dict(law)
    return xdp.Randomizer(table)


def random_chances(rng, size, *, whole):
    weights = [rng.choice([0, 1, 1, 2, 3]) for _ in range(size)]
    weights[rng.randrange(size)] += 1
    return [F(w, sum(weights) + (0 if whole else rng.randrange(1, 4))) for w in weights]


def scanned(randomizer, users, level):
    """The exact worst case over all data sets."""
    profile = xdp.ShuffleProtocol(randomizer, users).privacy_profile()
    assert profile.engine != "amplification"
    return profile.delta(exp_eps=level)


def ends(randomizer, users, level, bits=30):
    return Amplification(TableDummies.of(randomizer), users).bracket(Real(level), bits)


@together("seed", range(24))
def test_fixed_messages_are_exact(seed):
    """Uneven dummies, bins that no dummy hits, empty slots, two inputs in one bin."""
    rng = random.Random(seed)
    size, slots, users = rng.choice([(2, 1, 5), (2, 3, 3), (3, 1, 4), (3, 2, 3), (4, 1, 3), (3, 2, 1)])
    chances = random_chances(rng, size, whole=seed % 3 > 0)
    bins = [*range(size), rng.randrange(size)] if rng.random() < 0.3 else list(range(size))
    randomizer = with_dummies([[F(int(m == own)) for m in range(size)] for own in bins], chances, slots)
    for level in LEVELS:
        bracket, truth = ends(randomizer, users, level), scanned(randomizer, users, level)
        assert bracket.is_closed
        assert truth in bracket.lower
        assert truth in bracket.upper
        assert (bracket.upper.hi - bracket.upper.lo) * 2**30 <= bracket.upper.lo
        pair = xdp.ShuffleProtocol(randomizer, users).pair_profile(*(dict(enumerate(s)) for s in bracket.pair))
        assert pair.delta(exp_eps=level) == truth


@pytest.mark.parametrize("seed", thinned(range(16), every=2))
def test_random_messages_lie_between_the_ends(seed):
    rng = random.Random(100 + seed)
    size, slots, users = rng.choice([(2, 1, 4), (2, 2, 3), (3, 1, 3), (3, 2, 2), (3, 1, 1)])
    own = [random_chances(rng, size, whole=True) for _ in range(rng.choice([2, 3]))]
    if rng.random() < 0.7:
        own = [[(p + F(1, size)) / 2 for p in row] for row in own]
    if all(row == own[0] for row in own):
        own[0] = [F(int(m == 0)) for m in range(size)]
    randomizer = with_dummies(own, random_chances(rng, size, whole=seed % 3 > 0), slots)
    assert Dummies.of(randomizer).own == tuple(tuple(row[m] for m in randomizer.alphabet) for row in own)
    for level in LEVELS[1:]:
        bracket, truth = ends(randomizer, users, level), scanned(randomizer, users, level)
        assert bracket.lower.lo <= truth <= bracket.upper.hi


@pytest.mark.parametrize("wrong", ["one too few", "E on the wrong side", "a slot lost"])
def test_a_wrong_formula_is_seen(wrong):
    """The scan tells n k + 1 copies of (first - E second)/v from their neighbours."""
    users, slots, level = 3, 2, F(3, 2)
    truth = scanned(balls_into_bins(3, dummies=slots), users, level)
    copies = {"one too few": users * slots, "a slot lost": (users - 1) * slots + 1}.get(wrong, users * slots + 1)
    atoms = (Atom(F(1, 3), F(1), F(0)), Atom(F(1, 3), F(0), F(1)))
    right = Mixture((), atoms).divergence(users * slots + 1, Real(level), relative_bits=30)
    at = Real(1 / level) if wrong.startswith("E") else Real(level)
    assert truth in right
    assert truth not in Mixture((), atoms).divergence(copies, at, relative_bits=30)


@pytest.mark.parametrize("chances", [(F(1, 10), F(9, 10)), (F(9, 10), F(1, 10))])
def test_one_order_is_not_enough(chances):
    """Dummies that hit bins unevenly: which order matters depends on which bin they hit less."""
    randomizer, level = with_dummies([[F(1), F(0)], [F(0), F(1)]], chances, 1), F(2)
    truth = scanned(randomizer, 6, level)
    orders = [Mixture((), (Atom(chances[i], F(1), F(0)), Atom(chances[1 - i], F(0), F(1)))) for i in range(2)]
    deltas = [order.divergence(7, Real(level), relative_bits=30) for order in orders]
    assert sum(truth in delta for delta in deltas) == 1
    assert truth in ends(randomizer, 6, level).upper


@pytest.mark.parametrize("dummies", [1, 3])
def test_two_bins_are_a_binomial_shift_at_a_million_users(dummies):
    noise = xdp.shift_profile(xdp.Binomial(10**6 * dummies, "1/2"))
    family = Amplification(FamilyDummies(BallsIntoBins(2, dummies=dummies)), 10**6)
    profile = xdp.ShuffleProtocol(balls_into_bins(2, dummies=dummies), 10**6).privacy_profile()
    for level in ("1001/1000", "101/100"):
        exact = noise.delta(exp_eps=level, relative_bits=60)
        for delta in (profile.delta(exp_eps=level, relative_bits=30), family.bracket(Real(F(level)), 30).upper):
            assert delta.lo <= exact.hi
            assert exact.lo <= delta.hi
            assert (delta.hi - delta.lo) * 2**29 <= delta.lo
    assert profile.is_tight


def test_balls_into_bins_by_name_of_what_it_is():
    profile = xdp.ShuffleProtocol(balls_into_bins(1000, dummies=2), 10**6).privacy_profile()
    bracket = profile.bracket(exp_eps="11/10")
    assert bracket.is_closed
    assert profile.is_tight
    assert bracket.theorem == "exact: dummies whose law does not depend on the data"
    assert bracket.attained_by.first == {0: 10**6}
    fine = profile.delta(eps="1/7", relative_bits=200)
    assert (fine.hi - fine.lo) * 2**199 < fine.lo
    eps = profile.epsilon("1e-6")
    assert F("0.11608") < eps.lo < eps.hi < F("0.11609")
    assert (eps.hi - eps.lo) * 10**5 < eps.lo
    assert profile.epsilon(0).is_infinite
    limit = profile.delta(eps=xdp.LogRational(None))
    few = BallsIntoBins(1000, dummies=2)
    assert F(999, 1000) ** 6 in Amplification(FamilyDummies(few), 3).bracket(None, 20).lower
    assert 0 < limit.lo < limit.hi < F(1, 10**800)


def test_a_table_is_answered_as_its_family():
    for family in (BallsIntoBins(4, dummies=2), MixedDummies(4, exp_eps0=5, dummies=2)):
        table = family.table()
        read = Dummies.of(table)
        assert (read.slots, read.chances) == (2, (F(1, 4),) * 4)
        for users, level in ((10**4, F(51, 50)), (7, F(6, 5))):
            one = Amplification(TableDummies.of(table), users).bracket(Real(level), 25)
            other = Amplification(FamilyDummies(family), users).bracket(Real(level), 25)
            assert one.upper == other.upper
            assert one.lower.hi >= other.lower.lo
            assert one.theorem == other.theorem
        assert xdp.ShuffleProtocol(family, 10**5).privacy_profile() is not None


def test_the_ends_of_mixed_dummies_are_near():
    profile = xdp.ShuffleProtocol(mixed_dummies(100, exp_eps0=7, dummies=2), 10**4).privacy_profile()
    bracket = profile.bracket(exp_eps="101/100")
    assert bracket.lower.lo < bracket.upper.hi < bracket.lower.lo * F(101, 100)
    assert "an event of a sum of message scores" in bracket.attained_by
    assert bracket.theorem.startswith("the blanket of all dummies")
    alone = Amplification(FamilyPairs(KAryResponse(100, exp_eps0=7)), 10**4)
    assert bracket.upper.hi < alone.bracket(Real(F(101, 100)), 20).lower.lo
    assert profile.epsilon(0).hi > F("1.9459")


@pytest.mark.parametrize("users", thinned([9, 40, 120], every=2))
def test_steps_are_above_the_mean_of_all_numbers(users):
    """The own messages of the others that are dummies as well: the bound is at least the mean, and not far above."""
    slots, share, level = 1, F(2, 5), F(3, 2)
    atoms = (Atom(F(1, 4), F(1, 2), F(1, 10)), Atom(F(1, 4), F(1, 10), F(1, 2)), Atom(F(1, 2), F(2, 5), F(2, 5)))
    hidden = Hidden(Mixture((), atoms), slots, share).divergence(users, Real(level), relative_bits=20)
    law = [(a.weight, (a.first - level * a.second) / a.weight) for a in atoms]
    mean = sum(
        comb(users - 1, b) * share**b * (1 - share) ** (users - 1 - b) * plain.by_powers(law, users * slots + 1 + b)
        for b in range(users)
    )
    assert mean <= hidden.hi
    assert hidden.lo <= mean * (F(101, 100) if users < 17 else F(3, 2))
    fewer = Hidden(Mixture((), atoms), slots, F(0)).divergence(users, Real(level), relative_bits=20)
    assert hidden.hi < fewer.lo


def test_what_is_not_of_this_form_is_not_read():
    assert Dummies.of(randomized_response(3, exp_eps0=2)) is None  # one message
    assert Dummies.of(repeat(randomized_response(3, exp_eps0=2), 2)) is None  # both depend on the input
    assert Dummies.of(xdp.protocols.zsum_randomizer(gamma="1/2")) is None  # users of 0 may send nothing
    assert Dummies.of(xdp.protocols.complement_randomizer()) is None
    table = balls_into_bins(3, dummies=2).table()
    assert Dummies.of(xdp.Randomizer(table)) is not None
    moved = F(1, 10**9)
    table[2][2, 2, 2] += moved
    table[2][0, 1, 2] -= moved
    assert Dummies.of(xdp.Randomizer(table)) is None
    assert isinstance(TableDummies.of(repeat(KAryResponse(3, exp_eps0=2), 2)), TableDummies) is False


def test_order_of_sending_does_not_matter():
    table = {x: {(0, x): "1/4", (x, 1): "3/4"} for x in range(2)}
    read = Dummies.of(xdp.Randomizer(table))
    assert (read.slots, read.chances, read.own) == (1, (F(1, 4), F(3, 4)), ((1, 0), (0, 1)))


def test_the_planner_reads_the_table_where_the_scan_ends():
    randomizer = balls_into_bins(5, dummies=3)
    assert xdp.ShuffleProtocol(randomizer, 2).privacy_profile().engine == "pairwise scan"
    assert xdp.ShuffleProtocol(randomizer, 10**12).privacy_profile().is_tight
    added = xdp.ShuffleProtocol(BallsIntoBins(10**6, dummies=3), 9).privacy_profile(
        neighbors=xdp.Neighbors.ADD_OR_REMOVE_ONE
    )
    assert added.delta(exp_eps=2) == 1


def test_composition_reads_the_upper_end():
    one = xdp.ShuffleProtocol(balls_into_bins(4, dummies=1), 10).privacy_profile(limit=1)
    assert one.engine == "amplification"
    assert one.delta(eps="1/2").lo < one.compose(2).delta(eps="1/2").hi < 1


@pytest.mark.slow
def test_runs_of_one_pair_are_composed_below_and_above():
    profile = xdp.ShuffleProtocol(balls_into_bins(300, dummies=2), 10**5).privacy_profile()
    two = profile.compose(2).delta(eps="1/4")
    assert profile.delta(eps="1/4").lo < two.hi
    assert 0 <= two.lo <= two.hi < 1
