"""Column sums against brute force over all outputs, all data sets and all pairs, and against other sums at any size."""

import math
import pickle
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction as F
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pytest

import exactdp as xdp
from exactdp import Neighbors, protocols
from exactdp.errors import InvalidDataSetError, InvalidValueError, TooLargeError
from exactdp.mechanisms.unary_encoding_family import StatedBits
from exactdp.privacy.composition.profile_pairs import Fineness
from exactdp.privacy.profile import PrivacyProfile
from exactdp.protocols.aggregated import two_columns
from exactdp.protocols.aggregated.aggregate_protocol import Aggregate
from exactdp.protocols.aggregated.two_columns import Column, ColumnPairs, MovedColumn, TwoColumnScan, Vectors, largest
from exactdp.randomizers import UnaryEncoding, randomized_response, subset_selection, unary_encoding
from tests.thinned import thinned

CHANCES = ((F(3, 4), F(1, 4)), (F(1, 2), F(1, 5)), (F(9, 10), F(1, 3)))
LEVELS = (F(1), F(3, 2), F(2), F(5), F(40))
ZEROS = -1
NAMED = "@aggregate:of=(unary-encoding:inputs=3,exp-eps0=9)"


def column(flags: list[bool], keep: F, noise: F) -> list[F]:
    """The law of the number of ones, one user after the other."""
    weights = [F(1)]
    for flag in flags:
        chance = keep if flag else noise
        weights = [
            (weights[i] * (1 - chance) if i < len(weights) else F(0)) + (weights[i - 1] * chance if i else F(0))
            for i in range(len(weights) + 1)
        ]
    return weights


@lru_cache
def view(data: tuple[int, ...], d: int, keep: F, noise: F) -> dict[tuple[int, ...], F]:
    """The law of all d sums."""
    columns = [column([held == value for held in data], keep, noise) for value in range(d)]
    places = product(range(len(data) + 1), repeat=d)
    return {place: math.prod(law[i] for law, i in zip(columns, place, strict=True)) for place in places}


@lru_cache
def whole(data: tuple[int, ...], d: int, keep: F, noise: F) -> list[int]:
    """The same numbers, in the order of the places, over `unit`."""
    over = unit(len(data), d, keep, noise)
    return [int(chance * over) for chance in view(data, d, keep, noise).values()]


def unit(n: int, d: int, keep: F, noise: F) -> int:
    return math.lcm(keep.denominator, noise.denominator) ** (n * d)


def worst(n: int, d: int, keep: F, noise: F, exp_eps: F, neighbors: Neighbors) -> F:
    """The largest divergence of all neighbouring data sets, both orders, over all outcomes of all columns."""

    def pairs() -> Iterator[tuple[int, int]]:
        if neighbors is Neighbors.REPLACE_ONE:
            return combinations(range(d), 2)
        return ((own, ZEROS) for own in range(d))

    best = 0
    times, over = exp_eps.as_integer_ratio()
    for others in combinations_with_replacement(range(d), n - 1):
        for pair in pairs():
            p, q = (whole(tuple(sorted((*others, own))), d, keep, noise) for own in pair)
            for one, other in ((p, q), (q, p)):
                best = max(best, sum(max(0, over * a - times * b) for a, b in zip(one, other, strict=True)))
    return F(best, over * unit(n, d, keep, noise))


def bits(d: int, keep: F, noise: F, n: int) -> Aggregate:
    made = protocols.aggregate(StatedBits(d, keep=keep, noise=noise), n)
    assert isinstance(made, Aggregate)
    return made


@pytest.mark.parametrize(("n", "d"), [(1, 2), (2, 2), (3, 2), (4, 2), (1, 3), (2, 3), (3, 3), (2, 4)])
@pytest.mark.parametrize(("keep", "noise"), CHANCES)
def test_delta_is_that_of_all_outputs_of_all_pairs(n: int, d: int, keep: F, noise: F) -> None:
    protocol = bits(d, keep, noise, n)
    for relation in (Neighbors.REPLACE_ONE, Neighbors.REPLACE_BY_ZEROS):
        profile, bounded = (protocol.privacy_profile(neighbors=relation, limit=limit) for limit in (10**8, 1))
        for exp_eps in LEVELS:
            true = worst(n, d, keep, noise, exp_eps, relation)
            assert profile.delta(exp_eps=exp_eps) == true
            if relation is Neighbors.REPLACE_ONE:
                assert bounded.engine == "two sums"
                assert not bounded.is_exact
                ends = bounded.bracket(exp_eps=exp_eps)
                assert ends.lower.lo <= true <= ends.upper.hi


@pytest.mark.parametrize(("d", "exp_eps"), [(2, F(3, 2)), (3, F(3, 2)), (3, F(10)), (4, F(1))])
def test_the_worst_pair_has_the_worst_divergence(d: int, exp_eps: F) -> None:
    protocol = bits(d, F(3, 4), F(1, 4), 3)
    pair = protocol.privacy_profile().worst_pair(exp_eps=exp_eps)
    laws = map(protocol.law, (pair.first, pair.second))
    assert xdp.hockey_stick_divergence(*laws, exp_eps=exp_eps) == pair.delta


def test_no_end_is_always_the_worst() -> None:
    """What the module says of 21 users: 18 of the others hold the user's input, 2 neither his nor the new one."""
    pair = bits(3, F(9, 10), F(1, 10), 21).privacy_profile().worst_pair(exp_eps=F(17))
    assert pair.first == {0: 19, 2: 2}


def test_the_law_is_that_of_independent_columns() -> None:
    protocol = bits(3, F(3, 4), F(1, 4), 3)
    law = protocol.law([0, 0, 2])
    assert dict(law.items()) == view((0, 0, 2), 3, F(3, 4), F(1, 4))
    assert protocol.column_law(2).law() == law.map(lambda sums: sums[0])


@pytest.mark.parametrize(
    ("eps0", "eps"), thinned([("7", 0.7147592108), ("5", 0.2119526772), ("13/2", 0.5150087401)], every=3)
)
def test_one_column_has_the_known_eps(eps0: str, eps: float) -> None:
    """Sums of 100 columns, each bit flipped with probability 1/(e^eps0 + 1), 10^5 users, delta = 1e-9."""
    twice = 2 * F(eps0)
    profile = protocols.aggregate(UnaryEncoding(100, exp_eps0=f"exp({twice})"), 10**5).privacy_profile(
        neighbors=Neighbors.REPLACE_BY_ZEROS
    )
    found = profile.epsilon("1e-9", relative_bits=40)
    assert isinstance(found, xdp.Interval)
    assert abs(float(found) - eps) < 2e-10


@pytest.mark.slow  # docs/aggregate.md shows the digits of the first
@pytest.mark.parametrize(("eps0", "low", "high"), [("5", 0.2847, 0.29755), ("13/2", 0.6452, 0.70045)])
def test_two_columns_are_where_they_are_known_to_be(eps0: str, low: float, high: float) -> None:
    found = protocols.aggregate(UnaryEncoding(100, exp_eps0=f"exp({2 * F(eps0)})"), 10**5).privacy_profile()
    eps = found.epsilon("1e-9")
    assert isinstance(eps, xdp.Interval)
    assert low < float(eps.lo) < float(eps.hi) < high * 1.001
    assert eps.hi / eps.lo < F(1002, 1000)


def test_both_ends_hold_the_sums_of_scipy() -> None:
    """The product of two columns beside others who hold one input, outcome by outcome, at 10^5 users."""
    stats = pytest.importorskip("scipy.stats")
    n, flip, eps = 10**5, 1 / (math.exp(5) + 1), 0.29
    counts = np.arange(n + 1)
    others = stats.binom.pmf(counts, n - 1, 1 - flip)
    below = np.concatenate(([0.0], others[:-1]))
    first, second = (chance * below + (1 - chance) * others for chance in (1 - flip, flip))
    kept = first > 1e-25
    p, q = np.outer(first[kept], first[kept]), np.outer(second[kept], second[kept])
    true = float(np.maximum(p - math.exp(eps) * q, 0).sum())
    ends = protocols.aggregate(UnaryEncoding(9, exp_eps0="exp(10)"), n).privacy_profile().bracket(eps=str(eps))
    assert 0.99 * true < float(ends.lower) < 1.000001 * true
    assert float(ends.upper) < 1.02 * true


@pytest.mark.slow
def test_delta_does_not_rise_with_n() -> None:
    deltas = [bits(3, F(3, 4), F(1, 4), n).privacy_profile().exact_delta(exp_eps=F(2)) for n in range(1, 9)]
    assert deltas == sorted(deltas, reverse=True)
    lows, highs = [], []
    for n in (100, 300, 1000, 3000):
        ends = bits(3, F(3, 4), F(1, 4), n).privacy_profile().bracket(exp_eps="11/10")
        lows.append(ends.lower.lo)
        highs.append(ends.upper.hi)
    assert lows == sorted(lows, reverse=True)
    assert highs == sorted(highs, reverse=True)


@pytest.mark.parametrize("exp_eps", [F(9, 8), F(2), F(8)])
def test_ends_of_some_users_hold_the_exact_delta(exp_eps: F) -> None:
    """With 16 users both engines answer."""
    for keep, noise in CHANCES:
        vectors = Vectors(16, 5, keep, noise)
        exact = PrivacyProfile(ColumnPairs(vectors)).exact_delta(exp_eps=exp_eps)
        ends = PrivacyProfile(ColumnPairs(vectors, 1)).bracket(exp_eps=exp_eps)
        assert ends.lower.lo <= exact <= ends.upper.hi
        attained = vectors.homogeneous
        assert ends.attained_by is not None
        labels = [
            tuple({i: c for i, c in enumerate(side) if c} for side in vectors.data_sets(*numbers))
            for numbers in attained
        ]
        assert (ends.attained_by.first, ends.attained_by.second) in labels


def test_a_column_is_dominated_and_dominates_at_every_level() -> None:
    """Every k is below the pair from above at any E > 0, and the real pair is above the one from below."""
    for keep, noise in CHANCES:
        one = Column(12, keep, noise)
        mechanism = MovedColumn(one, (True, False))
        fineness = Fineness(F(1, 8), 40, ())
        (above,) = mechanism.dominating_pairs(fineness)
        below = mechanism.real_pairs(fineness)
        for exp_eps in (F(1, 9), F(1, 2), F(1), F(5, 4), F(3)):
            values = []
            for k in range(12):
                flags = [i < k for i in range(11)]
                p, q = (column([*flags, own], keep, noise) for own in (True, False))
                values.append(sum((max(F(0), x - exp_eps * y) for x, y in zip(p, q, strict=True)), F(0)))
            assert divergence(above.masses, exp_eps) >= max(values)
            assert divergence(below[0].masses, exp_eps) <= values[11]
            assert divergence(below[1].masses, exp_eps) <= values[0]
            if exp_eps >= 1:
                assert 0 <= largest(one, exp_eps) - max(values) <= max(values) / 2**10


def divergence(masses: tuple[tuple[F, F], ...], exp_eps: F) -> F:
    return sum((max(F(0), p - exp_eps * q) for p, q in masses), F(0))


def test_a_wrong_column_is_found_out() -> None:
    """The product of one column with itself reversed, in place of both of the pair, is below the exact delta."""
    vectors = Vectors(4, 3, F(9, 10), F(1, 3))
    right = TwoColumnScan(vectors).delta(F(2))
    columns = vectors.columns
    broken = replace(vectors, noise=F(1, 2))
    assert TwoColumnScan(broken).delta(F(2)) != right
    assert columns[0].other.other == columns[0]
    assert two_columns.Counts(columns[0]).laws[0][0] != two_columns.Counts(columns[1]).laws[0][0]


def test_zero_is_reached_from_the_local_eps_on() -> None:
    protocol = bits(4, F(3, 4), F(1, 4), 1000)
    profile = protocol.privacy_profile()
    assert profile.delta(exp_eps=9) == xdp.Interval.around(0, relative_bits=1)
    small = bits(4, F(3, 4), F(1, 4), 5).privacy_profile()
    assert small.delta(exp_eps=9) == 0
    assert small.delta(exp_eps=F(9) - F(1, 10**9)) > 0
    assert small.epsilon(0) == protocol.local_epsilon == xdp.LogRational(9)
    eps = profile.epsilon(0)
    assert isinstance(eps, xdp.Interval)
    assert abs(float(eps) - math.log(9)) < 1e-9


@pytest.mark.slow
def test_runs_compose_with_others() -> None:
    protocol = protocols.aggregate(UnaryEncoding(100, exp_eps0="exp(10)"), 10**5).privacy_profile()
    one, ten = protocol.epsilon("1e-9"), protocol.compose(10).epsilon("1e-9", relative_width="1/20")
    other = xdp.ShuffleProtocol(randomized_response(3, gamma="1/2"), 10**5).privacy_profile()
    both = xdp.compose(protocol, other).epsilon("1e-9", relative_width="1/20")
    assert all(isinstance(eps, xdp.Interval) for eps in (one, ten, both))
    assert float(one) < float(both) < float(one) + float(other.epsilon("1e-9"))
    assert 3 * float(one) < float(ten) < 10**0.5 * float(one) * 1.1


def test_few_runs_compose_as_their_products() -> None:
    """Two runs, on one pair of data sets in both, bound the composed delta from below; every pair is below its end."""
    protocol = bits(2, F(3, 4), F(1, 4), 2)
    found = protocol.privacy_profile().compose(2).delta(exp_eps=2)
    first, second = (view(data, 2, F(3, 4), F(1, 4)) for data in ((0, 0), (0, 1)))
    product_ = sum((max(F(0), first[a] * first[b] - 2 * second[a] * second[b]) for a in first for b in first), F(0))
    assert isinstance(found, xdp.Interval)
    assert product_ <= found.hi


def test_k_ary_response_is_the_shuffled_view() -> None:
    table = randomized_response(3, gamma="1/2")
    assert protocols.aggregate(table, 5) == xdp.ShuffleProtocol(table, 5)
    from exactdp.randomizers import KAryResponse

    many = KAryResponse(1000, exp_eps0=9)
    assert protocols.aggregate(many, 5) == xdp.ShuffleProtocol(many, 5)


def test_a_table_of_bit_vectors_is_read_as_what_it_is() -> None:
    for optimized in (False, True):
        table = unary_encoding(3, exp_eps0=9, optimized=optimized)
        assert isinstance(table, xdp.Randomizer)
        family = UnaryEncoding(3, exp_eps0=9, optimized=optimized)
        assert protocols.aggregate(table, 7) == protocols.aggregate(family, 7)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: protocols.aggregate(subset_selection(5, exp_eps0=9), 5), "sends no bits that are flipped"),
        (
            lambda: protocols.aggregate(
                xdp.Randomizer(
                    {
                        0: {((1, 0),): "3/4", ((0, 1),): "1/4"},
                        1: {((1, 0),): "1/4", ((0, 1),): "3/4"},
                    }
                ),
                5,
            ),
            "sends no bits that are flipped",
        ),
        (lambda: protocols.aggregate(UnaryEncoding(3, exp_eps0=1), 5), "tell nothing"),
        (lambda: protocols.aggregate("rappor", 5), "randomizer has the type str"),  # type: ignore[arg-type]
        (lambda: protocols.aggregate(UnaryEncoding(3, exp_eps0=9), 0), "n=0"),
        (
            lambda: protocols.aggregate(UnaryEncoding(3, exp_eps0="exp(1)", optimized=True), 5),
            "is irrational",
        ),
    ],
)
def test_other_randomizers_are_refused(make: object, words: str) -> None:
    with pytest.raises(InvalidValueError, match=words):
        make()  # type: ignore[operator]


def test_iteration_is_over_the_relations_of_every_protocol() -> None:
    assert list(Neighbors) == [Neighbors.REPLACE_ONE, Neighbors.ADD_OR_REMOVE_ONE]
    assert len(Neighbors) == 2
    assert Neighbors("replace-by-zeros") is Neighbors.REPLACE_BY_ZEROS
    assert pickle.loads(pickle.dumps(Neighbors.REPLACE_BY_ZEROS)) is Neighbors.REPLACE_BY_ZEROS


def test_relations_that_are_not_its_own_are_refused_here_and_there() -> None:
    protocol = bits(3, F(3, 4), F(1, 4), 5)
    with pytest.raises(InvalidValueError, match="moves all 3 columns"):
        protocol.privacy_profile(neighbors=Neighbors.ADD_OR_REMOVE_ONE)
    response = xdp.ShuffleProtocol(randomized_response(2, gamma="1/2"), 5)
    others = (
        response.privacy_profile,
        protocols.zsum(5, gamma="1/2").privacy_profile,
        protocols.sample_and_threshold(5, rate="1/2", threshold=2).privacy_profile,
        xdp.ShuffleProtocol(
            ((randomized_response(2, gamma="1/2"), 3), (randomized_response(2, gamma="1/4"), 2))
        ).privacy_profile,
        lambda neighbors: xdp.Claim.shuffle_dp(response, eps=1, delta="1/2", neighbors=neighbors),
    )
    for ask in others:
        with pytest.raises(InvalidValueError, match="is of sums of vectors alone"):
            ask(neighbors=Neighbors.REPLACE_BY_ZEROS)


def test_estimates_are_without_bias_and_err_as_in_the_shuffle() -> None:
    protocol = bits(3, F(3, 4), F(1, 4), 3)
    law = protocol.law([0, 0, 2])
    means = [sum((p * protocol.estimate(sums)[i] for sums, p in law.items()), F(0)) for i in range(3)]
    assert means == [2, 0, 1]
    assert protocol.estimate({0: 3, 1: 0, 2: 1}) == protocol.estimate([3, 0, 1])
    family = StatedBits(3, keep=F(3, 4), noise=F(1, 4))
    assert protocol.accuracy("1/20") == xdp.ShuffleProtocol(family, 3).accuracy("1/20")
    with pytest.raises(InvalidValueError, match="all columns at once"):
        protocol.accuracy("1/20", simultaneous=True)
    with pytest.raises(InvalidValueError, match="Give one for each column"):
        protocol.estimate([1, 2])


def test_draws_have_the_law() -> None:
    from exactdp.sampling import sample, simulate

    protocol = bits(2, F(3, 4), F(1, 4), 3)
    law, size = protocol.law([0, 0, 1]), 8_000
    for draws in (
        sample(protocol, [0, 0, 1], size=size, rng=np.random.default_rng(1)),
        simulate(protocol, [0, 0, 1], size=size, rng=np.random.default_rng(2)),
    ):
        places, counts = np.unique(draws, axis=0, return_counts=True)
        seen = {tuple(map(int, place)): int(count) for place, count in zip(places, counts, strict=True)}
        chi = sum((seen.get(place, 0) - size * float(p)) ** 2 / (size * float(p)) for place, p in law.items())
        assert chi < 45  # 15 degrees of freedom: less than 1e-4 above


def test_large_laws_and_wrong_holders_are_refused() -> None:
    protocol = bits(30, F(3, 4), F(1, 4), 3)
    with pytest.raises(TooLargeError, match="ask column_law"):
        protocol.law([0, 1, 2])
    with pytest.raises(InvalidDataSetError, match="holders=4 is more than n=3"):
        protocol.column_law(4)


def test_a_vector_of_zeros_is_claimed_as_its_column() -> None:
    protocol = bits(5, F(3, 4), F(1, 4), 50)
    level = {"exp_eps": F(2), "delta": F(1, 100)}
    zeros = xdp.Claim.shuffle_dp(protocol, **level, neighbors=Neighbors.REPLACE_BY_ZEROS)
    assert zeros == xdp.Claim.shuffle_dp(protocol.column, **level)
    delta = protocol.privacy_profile(neighbors=Neighbors.REPLACE_BY_ZEROS).exact_delta(exp_eps=2)
    assert delta == protocol.column.privacy_profile().exact_delta(exp_eps=2)
    for at, verdict in ((delta, xdp.Verdict.PROVED), (delta - F(1, 10**9), xdp.Verdict.REFUTED)):
        claim = xdp.Claim.shuffle_dp(protocol, exp_eps=2, delta=at, neighbors=Neighbors.REPLACE_BY_ZEROS)
        assert xdp.verify(xdp.certify(claim)) is verdict
    with pytest.raises(InvalidValueError, match="no claim of"):
        xdp.Claim.shuffle_dp(protocol, **level)
    with pytest.raises(InvalidValueError, match="replace-one neighbours"):
        xdp.Claim.shuffle_dp(protocol, **level, neighbors=Neighbors.ADD_OR_REMOVE_ONE)


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("delta @aggregate:of=(unary-encoding:inputs=3,exp-eps0=9) -n 3 --exp-eps 2", "837/4096"),
        (
            "delta @aggregate:of=(unary-encoding:inputs=3,exp-eps0=9) -n 3 --exp-eps 2 --neighbors replace-by-zeros",
            "neighbours: replace-by-zeros",
        ),
        ("law @aggregate:of=(unary-encoding:inputs=2,exp-eps0=9) --dataset 0=1,1=1", "25/64"),
        ("accuracy aggregate --of x -n 3 --beta 1/20", "No such option"),
        ("delta @zsum:gamma=1/4 -n 9 --eps 1 --neighbors replace-by-zeros", "is of sums of vectors alone"),
        (
            "delta @aggregate:of=(subset-selection:inputs=9,exp-eps0=9) -n 9 --eps 1",
            "sends no bits that are flipped independently",
        ),
        (f"certify {NAMED} -n 9 --exp-eps 2 --delta 1/2 --neighbors replace-by-zeros", "PROVED"),
        (
            f"certify {NAMED} -n 9 --exp-eps 2 --delta 1/2",
            "no claim states @aggregate",
        ),
    ],
)
def test_the_shell_asks_it(command: str, shown: str) -> None:
    from click.testing import CliRunner

    from exactdp.cli.main import cli

    assert shown in CliRunner().invoke(cli, command.split()).output


@pytest.mark.parametrize("exp_eps", [F(21, 20), F(6, 5), F(8, 5)])
def test_optimized_bits_are_between_the_ends_too(exp_eps: F) -> None:
    """p + q is not 1, so that the two columns differ: floats over all others of both columns, 40 users."""
    n, keep, noise = 40, 0.5, 0.1
    vectors = Vectors(n, 3, F(1, 2), F(1, 10))

    def laws(held: int) -> tuple[np.ndarray, np.ndarray]:
        others = np.array([1.0])
        for chance, count in ((keep, held), (noise, n - 1 - held)):
            for _ in range(count):
                others = np.convolve(others, [1 - chance, chance])
        one, other = (np.convolve(others, [1 - chance, chance]) for chance in (keep, noise))
        return one, other

    columns = [laws(held) for held in range(n)]
    best = 0.0
    for a in range(n):
        for b in range(n - a):
            p = np.outer(columns[a][0], columns[b][1])
            q = np.outer(columns[a][1], columns[b][0])
            best = max(best, float(np.maximum(p - float(exp_eps) * q, 0).sum()))
    ends = PrivacyProfile(ColumnPairs(vectors)).bracket(exp_eps=exp_eps)
    assert float(ends.lower.lo) * (1 - 1e-9) <= best <= float(ends.upper.hi) * (1 + 1e-9)
    assert float(ends.upper.hi) < 1.2 * best
