"""Classes of families, for every small size, against the tables that list every message."""

import subprocess
import sys
from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp import Claim, LogRational, Randomizer, Real, ShuffleProtocol, optimal_accuracy, randomizers
from exactdp.bounds import family_parameters
from exactdp.claims.encoding import Table
from exactdp.errors import ExactDPError, HypothesisError, InvalidValueError, TooLargeError
from exactdp.mechanisms.pair_table import PairTable, pair_table
from exactdp.mechanisms.support_family import SupportFamily, sampled_bits
from exactdp.numbers.balls import compare_reals
from exactdp.randomizers import (
    AnyRandomizer,
    BallsIntoBins,
    ClippedDiscreteLaplace,
    HadamardResponse,
    KAryResponse,
    LocalHashing,
    MixedDummies,
    Repetition,
    SubsetSelection,
    UnaryEncoding,
    any_randomizer,
    balls_into_bins,
    clipped_discrete_laplace,
    hadamard_response,
    local_hashing,
    mixed_dummies,
    randomized_response,
    repeat,
    subset_selection,
    unary_encoding,
)
from tests.expensive import one_in
from tests.interfaces.test_randomizers import INTERFACE
from tests.oracles.family_classes import covers_every_pair
from tests.together import together

# --- Large ----------------------------------------------------------------------------------------------------------

LARGE = [
    UnaryEncoding(10**6, exp_eps0="55/7"),
    UnaryEncoding(1000, exp_eps0=7, optimized=True),
    SubsetSelection(10**6, exp_eps0=3),
    HadamardResponse(10**6, exp_eps0=3),
    LocalHashing(10**6, exp_eps0=3),
    KAryResponse(10**6, exp_eps0=3),
    Repetition(UnaryEncoding(10**6, exp_eps0=9), 3),
]


@pytest.mark.parametrize("family", LARGE, ids=str)
def test_large_families_have_few_classes_with_short_numbers(family):
    for pair in family.pair_tables():
        assert len(pair.classes) <= 100
        for place in range(len(pair.others)):
            assert sum(c.others[place] for c in pair.classes) == 1
        assert all(c.least <= min(c.first, c.second, *c.others) for c in pair.classes)
        assert all(c.least.denominator.bit_length() < 2000 for c in pair.classes)
    with pytest.raises(TooLargeError, match="the table has 1000"):
        family.table()


@pytest.mark.parametrize("d", [2, 3, 8])
@pytest.mark.parametrize("family", [lambda d: UnaryEncoding(d, exp_eps0=4), lambda d: LocalHashing(d, exp_eps0=3)])
def test_a_least_without_the_messages_of_everyone_is_smaller(family, d, monkeypatch):
    exact = family(d)
    with monkeypatch.context() as patch:
        patch.setattr(type(exact), "everyone", Fraction(0))
        (safe,) = exact.pair_tables()
    (pair,) = exact.pair_tables()
    assert sum(c.least for c in safe.classes) < sum(c.least for c in pair.classes)
    for place in ("first", "second"):
        assert sum(getattr(c, place) for c in safe.classes) == 1


def test_where_the_least_is_not_exact_it_says_so():
    assert UnaryEncoding(1000, exp_eps0=9).least_is_exact is False
    assert LocalHashing(1000, exp_eps0=9).least_is_exact is False
    assert UnaryEncoding(1000, exp_eps0=9).everyone == 0
    assert HadamardResponse(1000, exp_eps0=9).least_is_exact is True


def test_bundles_that_hit_all_bins():
    """With more than three inputs their least probability is left out."""
    for family in (BallsIntoBins(4, dummies=3), MixedDummies(4, exp_eps0=3, dummies=4)):
        assert family.least_is_exact is False
        (pair,) = family.pair_tables()
        listed = pair_table(family.table(), 0, 1, others=pair.others)
        assert sum(c.least for c in pair.classes) < sum(c.least for c in listed.classes)
        assert all(sum(c.others[place] for c in pair.classes) == 1 for place in range(3))
    assert MixedDummies(4, exp_eps0=1, dummies=4).least_is_exact


# --- The definitions ------------------------------------------------------------------------------------------------


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_the_root_of_symmetric_encoding(a, b):
    """Exact for a square; else the largest multiple of 2^-53 below, so that eps0 is not exceeded."""
    ratio = Fraction(max(a, b), min(a, b))
    assert UnaryEncoding(5, exp_eps0=ratio**2).local_epsilon() == LogRational(ratio**2)
    p = UnaryEncoding(5, exp_eps0=ratio).keep
    root = p / (1 - p)
    if root**2 != ratio:
        assert root**2 < ratio < (root + Fraction(1, 2**53)) ** 2
        assert (root * 2**53).denominator == 1


@one_in(6)
@given(st.integers(1, 40), st.fractions(1, 1000, max_denominator=50))
def test_the_ratio_of_clipped_laplace(top, exp_eps0):
    r = ClippedDiscreteLaplace(top, exp_eps0=exp_eps0).ratio
    assert (r * 2**53).denominator == 1
    assert r**-top <= exp_eps0
    assert (r - Fraction(1, 2**53)) ** -top > exp_eps0


def test_irrational_exp_eps0_of_rounded_families():
    """Their members are rational by definition."""
    encoding, laplace = UnaryEncoding(4, exp_eps0="exp(1)"), ClippedDiscreteLaplace(4, exp_eps0="exp(1)")
    for family in (encoding, laplace):
        assert family.is_rational
        assert family.at_least() is family.at_most() is family
        reached = family.local_epsilon().argument
        assert compare_reals(reached, Real.exp(1)) < 0 < compare_reals(reached * (1 + Fraction(1, 2**48)), Real.exp(1))
    assert covers_every_pair(UnaryEncoding(2, exp_eps0="exp(1)"))


@pytest.mark.parametrize(
    "build",
    [
        lambda e: UnaryEncoding(4, exp_eps0=e, optimized=True),
        lambda e: SubsetSelection(12, exp_eps0=e),
        lambda e: HadamardResponse(4, exp_eps0=e),
        lambda e: LocalHashing(4, exp_eps0=e),
        lambda e: MixedDummies(4, exp_eps0=e, dummies=2),
        lambda e: Repetition(KAryResponse(4, exp_eps0=e), 2),
        lambda e: AnyRandomizer(exp_eps0=e),
    ],
)
def test_irrational_exp_eps0_of_the_others(build):
    family = build("exp(1)")
    assert family.local_epsilon() == Real(2 if isinstance(family, Repetition) else 1)
    with pytest.raises(InvalidValueError, match="irrational"):
        family.pair_tables()
    low, high = family.at_most(60), family.at_least(60)
    assert low.parameters["exp_eps0"] < high.parameters["exp_eps0"]
    assert {**low.parameters, "exp_eps0": 0} == {**high.parameters, "exp_eps0": 0}  # one size, one number of buckets
    assert low.pair_tables()
    assert build(1).at_most(3) == build(1)


@pytest.mark.parametrize(
    "build",
    [
        lambda e: UnaryEncoding(3, exp_eps0=e, optimized=True),
        lambda e: UnaryEncoding(3, exp_eps0=e),
        lambda e: SubsetSelection(5, exp_eps0=e, size=2),
        lambda e: HadamardResponse(3, exp_eps0=e),
        lambda e: LocalHashing(2, exp_eps0=e, buckets=3),
        lambda e: KAryResponse(4, exp_eps0=e),
        lambda e: MixedDummies(3, exp_eps0=e, dummies=1),
    ],
)
def test_more_eps0_is_less_privacy(build):
    """What at_least and at_most rest on, on shuffled views of two users."""
    for exp_eps in ("1", "5/4", "2"):
        deltas = [ShuffleProtocol(build(e), 2).privacy_profile().delta(exp_eps=exp_eps) for e in (1, "3/2", 2, 4)]
        assert deltas == sorted(deltas)


def test_default_sizes():
    assert [SubsetSelection(16, exp_eps0=e).size for e in (1, "exp(1)", "exp(2)", "exp(4)")] == [8, 4, 2, 1]
    assert [LocalHashing(16, exp_eps0=e).buckets for e in (1, "exp(1)", "exp(2)", "exp(4)")] == [2, 4, 8, 56]
    assert subset_selection(7, exp_eps0=3, size=1) != randomized_response(7, exp_eps0=3)  # other labels,
    single = SubsetSelection(7, exp_eps0=3, size=1).pair_tables()
    assert single == KAryResponse(7, exp_eps0=3).pair_tables()  # the same classes


def test_functions_return_tables_where_they_are_small():
    assert unary_encoding(6, exp_eps0=9) == UnaryEncoding(6, exp_eps0=9).table()
    assert UnaryEncoding(12, exp_eps0=9).has_small_table
    assert unary_encoding(13, exp_eps0=9) == UnaryEncoding(13, exp_eps0=9)
    assert subset_selection(8, exp_eps0=3) == SubsetSelection(8, exp_eps0=3).table()
    assert HadamardResponse(255, exp_eps0=3).has_small_table
    assert hadamard_response(60, exp_eps0=3) == HadamardResponse(60, exp_eps0=3).table()
    assert hadamard_response(256, exp_eps0=3) == HadamardResponse(256, exp_eps0=3)
    assert local_hashing(3, exp_eps0=3) == LocalHashing(3, exp_eps0=3).table()
    assert clipped_discrete_laplace(40, exp_eps0=3) == ClippedDiscreteLaplace(40, exp_eps0=3).table()
    assert ClippedDiscreteLaplace(255, exp_eps0=3).has_small_table
    assert clipped_discrete_laplace(256, exp_eps0=3) == ClippedDiscreteLaplace(256, exp_eps0=3)
    assert balls_into_bins(6, dummies=3) == BallsIntoBins(6, dummies=3).table()
    assert balls_into_bins(60, dummies=3) == BallsIntoBins(60, dummies=3)
    assert mixed_dummies(6, exp_eps0=3, dummies=3) == MixedDummies(6, exp_eps0=3, dummies=3).table()
    assert mixed_dummies(6, exp_eps0="exp(1)", dummies=3) == MixedDummies(6, exp_eps0="exp(1)", dummies=3)
    assert isinstance(any_randomizer(exp_eps0=3), AnyRandomizer)


def test_the_room_is_there_without_an_import_of_its_own():
    code = "import exactdp as xdp; print(xdp.randomizers.unary_encoding(1000, exp_eps0=9))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("UnaryEncoding(d=1000")
    assert set(randomizers.__all__) <= set(dir(randomizers))
    assert all(getattr(randomizers, name) for name in randomizers.__all__)
    with pytest.raises(AttributeError, match="no attribute 'lost'"):
        randomizers.lost  # noqa: B018


def test_symbols_of_the_tables():
    assert unary_encoding(2, exp_eps0=9).table()[1][((0, 1),)] == Fraction(9, 16)
    assert subset_selection(3, exp_eps0=2, size=2).table()[0] == {
        ((0, 1),): Fraction(2, 5),
        ((0, 2),): Fraction(2, 5),
        ((1, 2),): Fraction(1, 5),
    }
    assert hadamard_response(2, exp_eps0=2).table()[1] == {
        (0,): Fraction(1, 3),
        (1,): Fraction(1, 3),
        (2,): Fraction(1, 6),
        (3,): Fraction(1, 6),
    }
    laplace = ClippedDiscreteLaplace(3, exp_eps0=8)
    assert list(laplace.rows())[1] == [Fraction(1, 3), Fraction(1, 3), Fraction(1, 6), Fraction(1, 6)]


# --- Repetition, any randomizer -------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", [KAryResponse(3, exp_eps0=4), UnaryEncoding(2, exp_eps0=4), KAryResponse(2, gamma=0)])
@pytest.mark.parametrize("times", [1, 2, 3])
def test_repetition_against_its_table(base, times):
    family = Repetition(base, times)
    table = repeat(base, times)
    assert isinstance(table, Randomizer)
    assert table == repeat(base.table(), times)
    assert table.local_epsilon() == family.local_epsilon()
    assert family.messages_per_user == times
    for pair in family.pair_tables():
        listed = pair_table(table, pair.first, pair.second, others=pair.others)
        rows = [(c.first, c.second, c.first * 0, *c.others) for c in pair.classes]
        exact = [(c.first, c.second, c.first * 0, *c.others) for c in listed.classes]
        assert PairTable.merged(0, 1, pair.others, rows) == PairTable.merged(0, 1, pair.others, exact)
        assert sum(c.least for c in pair.classes) <= sum(c.least for c in listed.classes)


def test_repetition_beyond_tables():
    assert repeat(KAryResponse(1000, exp_eps0=4), 2) == Repetition(KAryResponse(1000, exp_eps0=4), 2)
    assert Repetition(KAryResponse(1000, exp_eps0=4), 2).local_epsilon() == LogRational(16)
    with pytest.raises(TooLargeError, match="pass a family"):
        repeat(randomized_response(16, exp_eps0=4), 10)
    with pytest.raises(TooLargeError, match="Repeat less often"):
        Repetition(KAryResponse(1000, exp_eps0=4), 1000).pair_tables()
    with pytest.raises(InvalidValueError, match="one message per user"):
        Repetition(Repetition(KAryResponse(3, exp_eps0=4), 2), 2)
    with pytest.raises(InvalidValueError, match="Pass a Randomizer or a family"):
        repeat("x", 2)


def test_any_randomizer():
    family = any_randomizer(exp_eps0=4)
    (pair,) = family.pair_tables()
    assert [(c.first, c.second, c.least) for c in pair.classes] == [
        (Fraction(4, 5), Fraction(1, 5), Fraction(1, 5)),
        (Fraction(1, 5), Fraction(4, 5), Fraction(1, 5)),
    ]
    assert pair.others == family.inputs == ()
    assert family.lower_families() == (KAryResponse(2, exp_eps0=4), KAryResponse(3, exp_eps0=4))
    assert all(member.local_epsilon() == family.local_epsilon() for member in family.lower_families())
    assert any_randomizer(exp_eps0=1).pair_tables()[0].classes[0].least == Fraction(1)
    with pytest.raises(InvalidValueError, match="stands for every randomizer"):
        ShuffleProtocol(family, 3).law([0, 1, 2])


@settings(max_examples=30)
@given(st.fractions(1, 20, max_denominator=9), st.data())
def test_every_randomizer_is_made_of_clones(exp_eps0, data):
    """Rows of any eps0-DP table are at least (P + Q)/(2E): what the classes of any_randomizer say."""
    ratio = exp_eps0
    weights = [data.draw(st.lists(st.fractions(1, ratio, max_denominator=9), min_size=3, max_size=3)) for _ in range(3)]
    rows = [[w / sum(row) for w in row] for row in weights]
    table = Randomizer({x: {(m,): p for m, p in enumerate(row)} for x, row in enumerate(rows)})
    reached = table.local_epsilon().argument
    for c in pair_table(table, 0, 1, others=()).classes:
        assert c.least >= (c.first + c.second) / (2 * reached)


@together(
    "build",
    [
        lambda: UnaryEncoding(1, exp_eps0=3),
        lambda: UnaryEncoding(4, exp_eps0=3, optimized=1),
        lambda: UnaryEncoding(4, exp_eps0="1/2"),
        lambda: UnaryEncoding(10**10, exp_eps0=3),
        lambda: BallsIntoBins(4, dummies=0),
        lambda: BallsIntoBins(4, dummies=10**10),
        lambda: MixedDummies(4, exp_eps0=3, dummies=101),
        lambda: MixedDummies(4, exp_eps0="1/2", dummies=1),
        lambda: BallsIntoBins(100, dummies=100).pair_tables(),
        lambda: Repetition(BallsIntoBins(4, dummies=1), 2),
        lambda: SubsetSelection(4, exp_eps0=3, size=5),
        lambda: SubsetSelection(4, exp_eps0=3, size=0),
        lambda: HadamardResponse("x", exp_eps0=3),
        lambda: LocalHashing(4, exp_eps0=3, buckets=1),
        lambda: ClippedDiscreteLaplace(0, exp_eps0=3),
        lambda: ClippedDiscreteLaplace(10**5, exp_eps0=3),
        lambda: ClippedDiscreteLaplace(300, exp_eps0=3).pair_tables(),
        lambda: Repetition(AnyRandomizer(exp_eps0=3), 2),
        lambda: repeat(KAryResponse(3, exp_eps0=3), 0),
        lambda: any_randomizer(exp_eps0=0),
        lambda: any_randomizer(exp_eps0=2.5),
    ],
)
def test_refused_parameters(build):
    with pytest.raises(ExactDPError):
        build()


def test_probabilities_of_four_thousand_digits():
    long = "1." + "3" * 3900
    for build in (UnaryEncoding, HadamardResponse, LocalHashing, SubsetSelection, KAryResponse):
        for d in (3, 1000):
            pairs = build(d, exp_eps0=long).pair_tables()
            assert all(sum(c.first for c in pair.classes) == 1 for pair in pairs)


@dataclass(frozen=True)
class Symbols(SupportFamily):
    """k-ary response as a newcomer writes it: no file of the package knows this class."""

    name = "symbols"
    d: int
    exp_eps0: Fraction

    @property
    def inputs(self):
        return range(self.d)

    @property
    def message_space(self):
        return str(self.d), self.d

    @property
    def densities(self):
        least = self.d / (self.exp_eps0 + self.d - 1)
        return self.exp_eps0 * least, least

    everyone = Fraction(0)

    def patterns(self, labels):
        return sampled_bits(self.d, 1, len(labels))

    def drawn(self, source):
        return source.subsets(1, self.densities[1])

    def _table(self):
        return KAryResponse(self.d, exp_eps0=self.exp_eps0).table()


@together("check", INTERFACE.values(), ids=lambda check: check.__name__)
def test_a_newcomer_keeps_the_interface(check):
    check(Symbols(4, Fraction(3)))


@pytest.mark.parametrize("d", [4, 1000])
def test_a_newcomer_is_asked_like_any_other(d):
    mine, known = Symbols(d, Fraction(99)), KAryResponse(d, exp_eps0=99)
    protocols = [ShuffleProtocol(family, 10**4) for family in (mine, known)]
    one, other = (each.privacy_profile().delta(exp_eps=2, relative_bits=10) for each in protocols)
    assert one == other
    assert len({optimal_accuracy(each, beta="1/20") for each in protocols}) == 1
    assert mine.communication() == known.communication()
    assert repeat(mine, 2) == (repeat(known, 2) if d == 4 else Repetition(mine, 2))
    with pytest.raises(HypothesisError, match="no published parameters for symbols"):
        family_parameters(mine)
    if d == 4:
        one, other = (Claim.shuffle_dp(each, exp_eps=2, delta="1/2") for each in protocols)
        assert one.statement.mechanism.randomizer == Table.of(known.table())
    else:
        with pytest.raises(InvalidValueError, match="the randomizer symbols is none of the families"):
            Claim.shuffle_dp(protocols[0], exp_eps=2, delta="1/2")
