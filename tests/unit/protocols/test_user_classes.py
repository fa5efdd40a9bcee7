"""Classes of users: both ends around every data set, by a reading of the definition that shares nothing with them."""

import pickle
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import Interval, Neighbors, Randomizer, ShuffleProtocol, optimal_accuracy, sample
from exactdp.errors import InvalidDataSetError, InvalidValueError
from exactdp.laws import Binomial
from exactdp.mechanisms.joint_classes import joint_tables
from exactdp.mechanisms.pair_table import PairTable
from exactdp.numbers.balls import precision, rational_ball, real_ball
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.amplification import best_homogeneous
from exactdp.privacy.amplification.class_bounds import (
    ALONE,
    _common_bound,
    _proportions,
    least_bound,
)
from exactdp.privacy.amplification.mean_bounds import MeanBound
from exactdp.privacy.amplification.positive_part import Mixture, mixture_of
from exactdp.privacy.amplification.swap_bound import AtPlan, PairBound, VertexBound
from exactdp.privacy.amplification.swap_choices import Plan
from exactdp.randomizers import (
    KAryResponse,
    UnaryEncoding,
    clipped_discrete_laplace,
    randomized_response,
    unary_encoding,
)
from exactdp.reference.shuffled_counts import Coins, mean_over_sets, worst_delta
from tests.expensive import one_in

Row = Mapping[Any, Fraction]
Table = tuple[Row, ...]


def view_law(rows: Sequence[Row]) -> dict[tuple[Any, ...], Fraction]:
    """Return the law of the sorted messages of users with these rows."""
    law: dict[tuple[Any, ...], Fraction] = {(): Fraction(1)}
    for row in rows:
        following: defaultdict[tuple[Any, ...], Fraction] = defaultdict(Fraction)
        for view, p in law.items():
            for message, q in row.items():
                following[tuple(sorted((*view, message)))] += p * q
        law = following
    return law


def hockey_stick(first: Mapping[Any, Fraction], second: Mapping[Any, Fraction], exp_eps: Fraction) -> Fraction:
    return sum(
        (max(Fraction(0), p - exp_eps * second.get(view, Fraction(0))) for view, p in first.items()), Fraction(0)
    )


def worst(tables: Sequence[Table], sizes: Sequence[int], own: int, exp_eps: Fraction) -> Fraction:
    """Return the largest divergence where a user of class ``own`` differs: over all inputs of all others."""
    most = Fraction(0)
    others = [size - (place == own) for place, size in enumerate(sizes)]
    for held in product(*(combinations_with_replacement(table, n) for table, n in zip(tables, others, strict=True))):
        rest = [row for rows in held for row in rows]
        views = [view_law([*rest, row]) for row in tables[own]]
        for first, second in product(views, repeat=2):
            most = max(most, hockey_stick(first, second, exp_eps))
    return most


def randomizer_of(table: Table) -> Randomizer:
    return Randomizer({x: {(message,): p for message, p in row.items() if p} for x, row in enumerate(table)})


def row_of(weights: Sequence[int]) -> Row:
    return {message: Fraction(w, sum(weights)) for message, w in enumerate(weights)}


def tables(inputs: int, messages: int) -> st.SearchStrategy[Table]:
    weights = st.lists(st.integers(0, 4), min_size=messages, max_size=messages).filter(any)
    return st.tuples(*[weights.map(row_of) for _ in range(inputs)])


LEVELS = st.sampled_from([Fraction(1), Fraction(9, 8), Fraction(3, 2), Fraction(5, 2)])


@given(
    st.lists(tables(2, 2), min_size=2, max_size=3),
    st.lists(st.integers(1, 3), min_size=3, max_size=3),
    st.integers(0, 2),
    LEVELS,
)
@one_in(2)
def test_that_both_ends_lie_around_the_worst_data_set(
    several: list[Table], users: list[int], own: int, exp_eps: Fraction
) -> None:
    sizes, own = users[: len(several)], own % len(several)
    protocol = ShuffleProtocol([(randomizer_of(one), n) for one, n in zip(several, sizes, strict=True)])
    truth = worst(several, sizes, own, exp_eps)
    bracket = protocol.privacy_profile(user_class=own).bracket(exp_eps=exp_eps)
    assert low_of(bracket.lower) <= truth <= high_of(bracket.upper)


@given(st.tuples(tables(3, 3), tables(3, 3)), st.tuples(st.integers(1, 2), st.integers(1, 2)), LEVELS)
@one_in(12)
def test_that_the_worst_class_is_the_worst_of_all(
    several: tuple[Table, Table], sizes: tuple[int, int], exp_eps: Fraction
) -> None:
    protocol = ShuffleProtocol([(randomizer_of(one), n) for one, n in zip(several, sizes, strict=True)])
    truth = max(worst(several, sizes, own, exp_eps) for own in (0, 1))
    bracket = protocol.privacy_profile().bracket(exp_eps=exp_eps)
    assert low_of(bracket.lower) <= truth <= high_of(bracket.upper)


def low_of(end: Fraction | Interval) -> Fraction:
    return end if isinstance(end, Fraction) else end.lo


def high_of(end: Fraction | Interval) -> Fraction:
    return end if isinstance(end, Fraction) else end.hi


SENDS = [(), (0,), (1,), (0, 0), (0, 1), (1, 1)]


@given(
    st.lists(st.tuples(*[st.lists(st.integers(0, 3), min_size=6, max_size=6).filter(any)] * 2), min_size=2, max_size=2),
    st.integers(0, 1),
    LEVELS,
)
@one_in(8)
def test_that_bundles_of_several_messages_are_not_seen(
    weights: list[tuple[list[int], list[int]]], own: int, exp_eps: Fraction
) -> None:
    """The view shows messages alone: an event of bundles would be none of it."""
    several = [
        tuple({send: Fraction(w, sum(row)) for send, w in zip(SENDS, row, strict=True) if w} for row in table)
        for table in weights
    ]
    protocol = ShuffleProtocol([(Randomizer(dict(enumerate(table))), 2) for table in several])

    def views(rows: Sequence[Row]) -> dict[tuple[Any, ...], Fraction]:
        law = {(): Fraction(1)}
        for row in rows:
            more: defaultdict[tuple[Any, ...], Fraction] = defaultdict(Fraction)
            for (seen, p), (send, one) in product(law.items(), row.items()):
                more[tuple(sorted(seen + send))] += p * one
            law = more
        return law

    truth = Fraction(0)
    for others in product(*([several[own]] + [several[1 - own]] * 2)):
        both = [views([row, *others]) for row in several[own]]
        truth = max(truth, *(hockey_stick(*pair, exp_eps) for pair in (both, both[::-1])))
    bracket = protocol.privacy_profile(user_class=own).bracket(exp_eps=exp_eps)
    assert low_of(bracket.lower) <= truth <= high_of(bracket.upper)


coins = st.tuples(*[st.integers(1, 9).map(lambda tenths: Fraction(tenths, 10))] * 2)
SIZES = st.sampled_from([(1, 30), (12, 12), (25, 3), (5, 5, 12)])


@given(st.lists(coins, min_size=3, max_size=3), SIZES, st.integers(0, 2), LEVELS)
@one_in(10)
def test_that_the_ends_hold_for_dozens_of_users(
    several: list[Coins], sizes: tuple[int, ...], own: int, exp_eps: Fraction
) -> None:
    """Where the bounds by several classes matter."""
    several, own = several[: len(sizes)], own % len(sizes)
    made = [Randomizer({x: {(0,): 1 - p, (1,): p} for x, p in enumerate(one)}) for one in several]
    protocol = ShuffleProtocol(tuple(zip(made, sizes, strict=True)))
    truth = worst_delta(several, sizes, own, exp_eps)
    bracket = protocol.privacy_profile(user_class=own).bracket(exp_eps=exp_eps)
    assert low_of(bracket.lower) <= truth <= high_of(bracket.upper)


@given(st.tuples(coins, coins), st.sampled_from([(1, 30), (14, 14), (20, 6)]), st.integers(0, 1), LEVELS)
@one_in(10)
def test_that_every_bound_of_a_pair_holds_by_itself(
    several: tuple[Coins, Coins], sizes: tuple[int, int], own: int, exp_eps: Fraction
) -> None:
    """Also those that are not the least."""
    truth = worst_delta(several, sizes, own, exp_eps)
    made = [Randomizer({x: {(0,): 1 - p, (1,): p} for x, p in enumerate(one)}) for one in several]
    others = [size - (place == own) for place, size in enumerate(sizes)]
    bounds = [least_bound(joint, own, others) for joint in joint_tables(made, own)]
    for options in zip(*(bound.options for bound in bounds), strict=True):
        ends = [bound.divergence(users, Real(exp_eps), relative_bits=20).hi for bound, users, _ in options]
        assert truth <= max(ends)
        assert truth <= max(bound.bound(users, Real(exp_eps)).hi for bound, users, _ in options)


@pytest.mark.slow
@given(st.integers(3, 9), st.integers(2, 9), st.integers(3, 9), LEVELS)
@one_in(12)
def test_that_a_random_number_of_users_is_no_more_than_its_mean(
    noise: int, own: int, chance: int, exp_eps: Fraction
) -> None:
    """K of 40 others run one response: the mean of the worst over K, exactly, and the bound by a polygon."""
    coin, mine, q = Fraction(noise, 20), Fraction(own, 20), Fraction(chance, 10)
    flips, pair = (coin, 1 - coin), (mine, 1 - mine)
    truth = sum(
        (Binomial(40, q).exact_pmf(k) * worst_delta([pair, flips], [1, k], 0, exp_eps) for k in range(41)), Fraction(0)
    )
    least = min(flips)
    columns = [(1 - pair[0], 1 - pair[1], least, *flips[::-1]), (*pair, least, *flips)]
    table = PairTable.merged(0, 1, (0, 1), columns)
    bound = MeanBound(replace(PairBound.of(table), own=None), Binomial(40, q), 0, "")
    assert truth <= bound.divergence(1, Real(exp_eps), relative_bits=20).hi
    assert truth <= bound.bound(1, Real(exp_eps)).hi


def test_that_the_mean_over_the_number_of_users_is_that_of_a_polygon() -> None:
    coin, mine = Fraction(1, 3), (Fraction(1, 5), Fraction(4, 5))
    columns = [(1 - mine[0], 1 - mine[1], coin, 1 - coin, coin), (*mine, coin, coin, 1 - coin)]
    inner = replace(PairBound.of(PairTable.merged(0, 1, (0, 1), columns)), own=None)
    bound, law = MeanBound(inner, Binomial(80, "1/2"), 0, ""), Binomial(80, "1/2")
    plan = bound._plan(Real(1))
    assert plan is not None
    knots = bound._knots(plan)
    with precision(192):
        level = real_ball(Real(1))
        heights = [AtPlan(inner, plan, k + 1, level).bound() for k in knots]
        alone = AtPlan(inner, plan, knots[0] + 1, level).alone
        total = rational_ball(Fraction(0))
        for k in range(81):
            if k < knots[0]:
                height = heights[0] + (knots[0] - k) * alone
            else:
                right = next((place for place, knot in enumerate(knots) if knot > k), len(knots))
                height = heights[right - 1]
                if right < len(knots):
                    part = rational_ball(Fraction(k - knots[right - 1], knots[right] - knots[right - 1]))
                    height = height + part * (heights[right] - height)
            total += rational_ball(law.exact_pmf(k)) * height
        assert abs(bound._mean(plan, level) / total - 1) < rational_ball(Fraction(1, 10**18))
        assert law.exact_cdf(knots[0] - 1) > Fraction(1, 10**15)


@given(st.lists(st.tuples(*[st.lists(st.integers(1, 9), min_size=3, max_size=3)] * 2), min_size=2, max_size=2))
@one_in(3)
def test_that_what_is_common_is_common_to_all(weights: list[tuple[list[int], list[int]]]) -> None:
    rows = [[[Fraction(w, sum(row)) for w in row] for row in table] for table in weights]
    made = [Randomizer({x: {(m,): p for m, p in enumerate(row)} for x, row in enumerate(table)}) for table in rows]
    joint = joint_tables(made, 0)[0]
    bound, beta = _common_bound(joint, (0, 1), (5, 7)), _proportions(joint, (0, 1), (5, 7))
    if bound is None or beta is None:
        return
    unit = bound.law.p * 12 / (5 * beta[0] + 7 * beta[1])
    for row in bound.inner.rows:
        common = {atom.first: atom.weight for atom in row.atoms}
        if len(common) < 3:
            continue
        assert any(
            all(
                b * unit * common[p] <= table[v][m]
                for b, table in zip(beta, rows, strict=True)
                for m, p in enumerate(rows[0][0])
            )
            for v in (0, 1)
        )


FLIPPED = (Fraction(3, 4), Fraction(1, 4))


def test_that_the_mean_over_sets_of_users_is_inside_the_power() -> None:
    """With fixed shares in the exponents the bound would be false: 10 and 10 others, of whom 10 are left."""
    first, second, exp_eps = FLIPPED, FLIPPED[::-1], Fraction(14, 5)
    rows = [(10, second), (10, first)]
    truth = mean_over_sets(first, second, rows, exp_eps, 10)
    vertex = tuple((Fraction(1, 2), mixture_of(zip(first, second, row, strict=True))) for _, row in rows)
    bound = VertexBound.beside(Mixture((), ()), Fraction(1, 4), [vertex])
    plan = Plan(Fraction(32, 25), Fraction(1, 100), Fraction(1, 32), 2**13, (11,))
    with precision(128):
        stage = AtPlan(bound, plan, 21, real_ball(Real(exp_eps)))
        (height,) = stage._enclosed(bound.vertices[0])
        assert rational_ball(truth) < height < rational_ball(10 * truth)

    def moment(row: Any, y: Any) -> Any:
        pairs = [(float(r), float((p - exp_eps * q) / r)) for p, q, r in zip(first, second, row, strict=True)]
        return abs(sum(r * numpy.exp((1.28 + 1j * y) * score) for r, score in pairs))

    y = numpy.linspace(0, 512, 200_001)
    heights = moment(first, y) ** 5 * moment(second, y) ** 5 / (1.28**2 + y**2)
    fixed = numpy.sum(heights[1:] + heights[:-1]) / 2 * (y[1] - y[0])
    assert fixed / (10 * numpy.pi) < 0.99 * float(truth)


@given(st.lists(st.tuples(*[st.integers(1, 8)] * 3), min_size=4, max_size=4), st.sampled_from([2, 4, 6]), LEVELS)
@one_in(2)
def test_that_no_mean_over_sets_exceeds_its_bound(weights: list[tuple[int, ...]], size: int, exp_eps: Fraction) -> None:
    first, second, one, other = ([Fraction(w, sum(row)) for w in row] for row in weights)
    rows = [(3, one), (4, other)]
    truth = mean_over_sets(first, second, rows, exp_eps, size)
    pair = [mixture_of(zip(first, second, row, strict=True)) for _, row in rows]
    vertex = tuple((Fraction(count, 7), mixture) for (count, _), mixture in zip(rows, pair, strict=True))
    bound = VertexBound.beside(Mixture((), ()), Fraction(1, 10), [vertex])
    plan = Plan(Fraction(1, 2), Fraction(1, 50), Fraction(1, 16), 2**10, (8 - size,))
    with precision(128):
        (height,) = AtPlan(bound, plan, 8, real_ball(Real(exp_eps)))._enclosed(bound.vertices[0])
        assert not height < rational_ball(truth)


def test_one_class_and_equal_classes_answer_as_one_randomizer() -> None:
    flip = randomized_response(2, gamma="1/2")
    whole = ShuffleProtocol(flip, 9).privacy_profile()
    for classes in (((flip, 9),), [(flip, 4), (flip, 5)]):
        profile = ShuffleProtocol(classes).privacy_profile()
        assert profile.delta(exp_eps=2) == whole.delta(exp_eps=2)
        assert profile.epsilon("1/100") == whole.epsilon("1/100")
    pair = ShuffleProtocol([(flip, 4), (flip, 5)]).privacy_profile(user_class=1).worst_pair(exp_eps=2)
    assert [sum(one.values()) for one in pair.first] == [sum(one.values()) for one in pair.second] == [4, 5]
    assert pair.first[0] == pair.second[0]


@pytest.mark.slow
def test_an_irrational_eps0_beside_a_rational_one_is_between_its_neighbours() -> None:
    made = [KAryResponse(3, exp_eps0=text) for text in ("exp(1)", Fraction(27, 10), Fraction(28, 10))]
    asked = [ShuffleProtocol(((KAryResponse(3, exp_eps0=3), 50), (one, 50))).privacy_profile() for one in made]
    found, below, above = (one.bracket(exp_eps="6/5") for one in asked)
    assert low_of(below.lower) < high_of(found.upper) < low_of(found.lower) * Fraction(3, 2)
    assert low_of(found.lower) < high_of(above.upper)
    with pytest.raises(InvalidValueError, match="has no table of messages, and another class has one"):
        ShuffleProtocol([(UnaryEncoding(3, exp_eps0=e, optimized=True), 5) for e in ("exp(1)", 3)])


def test_a_rounded_eps0_leaves_nothing_beyond_it() -> None:
    careful, plain = (randomized_response(300, exp_eps0=top) for top in ("exp(1)", "exp(2)"))
    both = ShuffleProtocol(((careful, 3000), (plain, 3000)))
    assert not both.privacy_profile(user_class=0).delta(eps="1001/1000").hi
    assert both.privacy_profile(user_class=1).delta(eps="1999/1000").hi > 0


def test_a_class_of_another_kind_is_left_to_itself() -> None:
    bits, categories = unary_encoding(100, exp_eps0=7), randomized_response(100, exp_eps0=400)
    both = ShuffleProtocol(((bits, 5000), (categories, 3000)))
    alone = ShuffleProtocol(bits, 5000).privacy_profile()
    profile = both.privacy_profile(user_class=0)
    assert profile.delta(exp_eps="9/8") == alone.delta(exp_eps="9/8")
    assert "by the other users of class 0, where" in profile.bracket(exp_eps="9/8").theorem


def test_what_proves_the_upper_end_is_said() -> None:
    telling = Randomizer({x: {(x,): "9/10", (1 - x,): "1/10"} for x in (0, 1)})
    unlike = Randomizer({0: {("z",): 1}, 1: {("w",): 1}})
    alone = ShuffleProtocol(((telling, 1), (unlike, 5))).privacy_profile(user_class=0)
    assert alone.bracket(exp_eps=8).theorem == f"{ALONE}, by no other user, where a user of class 0 differs"
    both = ShuffleProtocol(((telling, 10), (randomized_response(2, gamma="1/2"), 10))).privacy_profile()
    said = both.compose(2).bracket(exp_eps=8).theorem
    assert "swap bounds of classes of users" in said
    assert "exact:" not in said
    assert both.kernel_theorems() == alone.kernel_theorems()


@pytest.mark.slow
def test_runs_of_few_users_with_few_messages_have_two_ends() -> None:
    """The sums of their scores are listed: no contour reaches an event of a few of them."""
    both = ShuffleProtocol(((randomized_response(2, gamma="1/2"), 30), (randomized_response(2, gamma="1/3"), 30)))
    one, five = both.privacy_profile().epsilon("1/1000"), both.privacy_profile().compose(5).epsilon("1/1000")
    assert isinstance(one, Interval)
    assert isinstance(five, Interval)
    assert one.lower < five.lower < five.upper
    assert five.hi <= 5 * one.hi


@pytest.mark.slow
def test_unary_encodings_of_different_noise_are_known_to_a_thousandth() -> None:
    protocol = ShuffleProtocol([(unary_encoding(500, exp_eps0=e), 20_000) for e in (3, 30)])
    for own in (0, 1):
        eps = protocol.privacy_profile(user_class=own).epsilon("1/1000000")
        assert 1 < eps.hi / eps.lo < Fraction(1002, 1000)


@pytest.mark.slow
def test_half_of_the_users_at_another_eps0_are_known_to_a_thousandth() -> None:
    """3-ary response: the fixed-shares form says .0926, all users at eps0 = 2 alone .1077."""
    made = [randomized_response(3, exp_eps0=text) for text in ("exp(1)", "exp(2)")]
    profile = ShuffleProtocol([(one, 5000) for one in made]).privacy_profile(user_class=1)
    eps = profile.epsilon("1/1000000")
    assert Fraction("0.0867") < eps.lo < eps.hi < Fraction("0.0868")
    assert "in common" in profile.bracket(eps=eps.hi).theorem


def test_an_event_less_likely_than_what_is_rounded_has_no_negative_probability() -> None:
    """Composed runs take logarithms of the masses between such events."""
    made = [KAryResponse(20, exp_eps0=text) for text in ("exp(4)", "exp(2)")]
    profile = ShuffleProtocol([(made[0], 50_000), (made[1], 20_000)]).privacy_profile()
    source: Any = profile.source
    pair = best_homogeneous(source.amplifications(), Fraction(11, 10))
    first, second = pair.event(Fraction(8))
    assert first == 0 < second < Fraction(1, 10**70)
    assert pair.event(Fraction(11, 10))[0] > Fraction(1, 10**6)


def test_the_law_of_a_view_and_its_draws() -> None:
    tables = [(row_of([3, 1]), row_of([1, 3])), (row_of([1, 0, 2]), row_of([2, 2, 1]))]
    protocol = ShuffleProtocol([(randomizer_of(one), n) for one, n in zip(tables, (2, 1), strict=True)])
    law = protocol.law(([0, 1], {1: 1}))
    truth = view_law([tables[0][0], tables[0][1], tables[1][1]])
    assert dict(law.items()) == {tuple(view.count(m) for m in range(3)): p for view, p in truth.items()}
    drawn = sample(protocol, ([0, 1], {1: 1}), size=20_000, rng=numpy.random.default_rng(7))
    for view, p in law.items():
        share = (drawn == view).all(axis=1).mean()
        assert abs(share - float(p)) < 5 * (float(p) / 20_000) ** 0.5 + 1e-3


@pytest.mark.parametrize("share", [1, "1/2"])
def test_draws_of_families_without_a_table_count_supports(share: Any) -> None:
    families, users, size = [UnaryEncoding(40, exp_eps0=e) for e in (3, 9)], (300, 500), 400
    protocol = ShuffleProtocol(tuple(zip(families, users, strict=True)), participation=[1, share])
    drawn = sample(protocol, ({0: 300}, {0: 200, 7: 300}), size=size, rng=numpy.random.default_rng(5))
    assert drawn.shape == (size, 40)
    for value, held in ((0, (300, 200)), (7, (0, 300)), (39, (0, 0))):
        mean = sum(
            float(Fraction(q)) * (float(h * one.keep) + float((n - h) * one.noise))
            for one, n, h, q in zip(families, users, held, (1, share), strict=True)
        )
        assert abs(drawn[:, value].mean() - mean) < 5 * (800 / 4 / size) ** 0.5


@given(st.tuples(coins, coins), st.tuples(st.integers(1, 9), st.integers(1, 9)), st.integers(0, 1), LEVELS)
@one_in(3)
def test_that_users_of_classes_may_be_away(
    several: tuple[Coins, Coins], tenths: tuple[int, int], own: int, exp_eps: Fraction
) -> None:
    made = [Randomizer({x: {(0,): 1 - p, (1,): p} for x, p in enumerate(one)}) for one in several]
    shares = [Fraction(one, 10) for one in tenths]
    protocol = ShuffleProtocol(tuple(zip(made, (2, 2), strict=True)), participation=shares)
    rows = tuple(
        tuple({"nothing": 1 - q, "0": q * (1 - p), "1": q * p} for p in one)
        for one, q in zip(several, shares, strict=True)
    )
    truth = worst(rows, (2, 2), own, exp_eps)
    bracket = protocol.privacy_profile(user_class=own).bracket(exp_eps=exp_eps)
    assert low_of(bracket.lower) <= truth <= high_of(bracket.upper)


def test_that_no_estimate_of_all_holders_is_unbiased() -> None:
    """Data sets whose laws add up to nothing, but not their holders of 0: whatever estimates these is biased."""
    made = [randomized_response(3, gamma=gamma) for gamma in ("1/2", "1/4")]
    protocol = ShuffleProtocol([(one, 2) for one in made])
    combined: defaultdict[Any, Fraction] = defaultdict(Fraction)
    holders = Fraction(0)
    for (own, gap), sign in product(enumerate([Fraction(1, 2), Fraction(3, 4)]), (1, -1)):
        for held in range(3):
            pair = [0 if sign == 1 else 1, held]
            dataset = [[one, 2] for one in (pair if own == 0 else pair[::-1])]
            weight = (-1) ** own * sign / (3 * gap)
            holders += weight * sum(one.count(0) for one in dataset)
            for view, p in protocol.law(dataset).items():
                combined[view] += weight * p
    assert not any(combined.values())
    assert holders == 2 - Fraction(4, 3)


def test_errors_and_views_by_class() -> None:
    made = [randomized_response(2, gamma="1/2"), randomized_response(2, gamma="1/4")]
    both = ShuffleProtocol(tuple(zip(made, (2, 3), strict=True)))
    dataset = ([0, 1], [1, 1, 0])
    added: defaultdict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for one, other in product(*(part.law(held).items() for part, held in zip(both.parts, dataset, strict=True))):
        added[tuple(map(sum, zip(one[0], other[0], strict=True)))] += one[1] * other[1]
    assert added == dict(both.law(dataset).items())
    families = [KAryResponse(9, exp_eps0=e) for e in (3, 9)]
    away = ShuffleProtocol([(one, 40) for one in families], participation=[1, "1/2"])
    alone = [ShuffleProtocol(one, 40, participation=q) for one, q in zip(families, (1, "1/2"), strict=True)]
    assert [part.accuracy("1/20") for part in away.parts] == [one.accuracy("1/20") for one in alone]
    equal = ShuffleProtocol([(families[0], 15), (families[0], 25)])
    assert optimal_accuracy(equal, beta="1/20") == alone[0].accuracy("1/20")
    with pytest.raises(InvalidValueError, match="do not tell of which they are"):
        away.accuracy("1/20")


FLIP = randomized_response(2, gamma="1/2")


@pytest.mark.parametrize(
    ("classes", "words"),
    [
        ((), "0 classes of users are given"),
        (((FLIP, 0),), "number of users of class 0"),
        (((FLIP, 3), (randomized_response(3, gamma="1/2"), 3)), "class 1 reads other inputs than class 0"),
        (((FLIP, "1/2"),), "number of users of class 0"),
        ((FLIP, 3), "class 0 is"),
    ],
)
def test_what_are_no_classes_is_refused_in_a_sentence(classes: Any, words: str) -> None:
    with pytest.raises(InvalidValueError, match=words):
        ShuffleProtocol(classes)


def test_questions_about_one_randomizer_are_refused() -> None:
    both = ShuffleProtocol(((FLIP, 3), (randomized_response(2, gamma="1/3"), 3)))
    assert pickle.loads(pickle.dumps(both)) == both
    assert both.local_epsilon == randomized_response(2, gamma="1/3").local_epsilon()
    with pytest.raises(InvalidValueError, match="2 classes of users"):
        both.accuracy("1/20")
    with pytest.raises(InvalidValueError, match="user_class=2 is none of the 2 classes"):
        both.privacy_profile(user_class=2)
    with pytest.raises(InvalidValueError, match="add-or-remove-one is not defined"):
        both.privacy_profile(neighbors=Neighbors.ADD_OR_REMOVE_ONE)
    with pytest.raises(InvalidDataSetError, match="one entry for each"):
        both.law([0, 1, 0, 0, 1, 1])
    with pytest.raises(InvalidValueError, match="listed"):
        ShuffleProtocol(((FLIP, 3), (FLIP, 3)), participation="1/2", absence="listed")
    with pytest.raises(InvalidValueError, match="messages of one kind"):
        ShuffleProtocol([(clipped_discrete_laplace(2000, exp_eps0=e), 5) for e in (3, 4)])
    with pytest.raises(InvalidValueError, match="n is missing"):
        ShuffleProtocol(FLIP)


def test_a_table_of_tuples_and_a_family_of_numbers_have_no_message_in_common() -> None:
    """A class beside which others send messages of another kind is left to itself, also where only one has a table."""
    bits, numbers = unary_encoding(10, exp_eps0=4), randomized_response(10, exp_eps0="exp(3/2)")
    assert bits.listed() is not None
    assert numbers.listed() is None
    both = ShuffleProtocol(((bits, 2000), (numbers, 1000)))
    for place, (one, n) in enumerate(((bits, 2000), (numbers, 1000))):
        beside = both.privacy_profile(user_class=place).bracket(exp_eps="6/5")
        alone = ShuffleProtocol(one, n).privacy_profile().bracket(exp_eps="6/5")
        assert (beside.lower, beside.upper) == (alone.lower, alone.upper)
    away = ShuffleProtocol(((bits, 2000), (numbers, 1000)), participation="4/5")
    assert away.privacy_profile(user_class=1).delta(exp_eps="6/5").hi < alone.upper.hi
