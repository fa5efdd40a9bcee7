"""Two messages: every data set, order and threshold against sums over outcomes, and against the pairwise scan."""

import functools
from fractions import Fraction

import pytest

from exactdp import LogRational, Neighbors, Randomizer, Real, ShuffleProtocol, protocols
from exactdp.errors import TooLargeError
from exactdp.numbers.real import as_real
from exactdp.privacy import inverse, planner
from exactdp.privacy.engine import _kept_event
from exactdp.privacy.planner import ShufflePairs, engine_of
from exactdp.privacy.shuffle.scan import PairwiseScan
from exactdp.privacy.shuffle.structure import Structure
from exactdp.privacy.two_messages import balls_of_rows as tilted_rows
from exactdp.privacy.two_messages import worst_half_lines as tilted
from exactdp.privacy.two_messages.two_messages import TwoMessageScan, half_line_masses
from tests.thinned import thinned

F = Fraction
SYMMETRIC = [(F(1, 4), F(3, 4)), (F(1, 10), F(9, 10)), (F(49, 100), F(51, 100))]
ASYMMETRIC = [(F(1, 7), F(1, 3)), (F(1, 2), F(9, 10)), (F(1, 1000), F(1, 2)), (F(1, 1000), F(999, 10000))]
TELLING = [(F(0), F(1, 3)), (F(2, 5), F(1)), (F(0), F(1)), (F(0), F(1, 2))]


@functools.cache
def laws_of_ones(n, a, b):
    """The law of the number of ones for each number of users at b, from 0 to n."""
    laws = []
    for high in range(n + 1):
        law = [F(1)]
        for p in [b] * high + [a] * (n - high):
            law = [x * (1 - p) + y * p for x, y in zip([*law, F(0)], [F(0), *law], strict=True)]
        laws.append(law)
    return laws


def by_sums(n, a, b, exp_eps):
    """delta, and the ordered pairs (users at b before, after) that attain it, with no idea about the events."""
    laws = laws_of_ones(n, a, b)
    deltas = {}
    for k in range(n):
        for pair in ((k + 1, k), (k, k + 1)):
            first, second = (laws[i] for i in pair)
            if exp_eps is None:
                deltas[pair] = sum(p for p, q in zip(first, second, strict=True) if q == 0)
            else:
                deltas[pair] = sum(max(F(0), p - exp_eps * q) for p, q in zip(first, second, strict=True))
    delta = max(deltas.values())
    return delta, {pair for pair, value in deltas.items() if value == delta}


def orders_of(a, b):
    """Values of e^eps: none, between, at and beyond what one message can tell."""
    ratios = [x / y for x, y in ((b, a), (1 - a, 1 - b)) if y]
    return [F(1), F(21, 20), F(3, 2), F(4), *ratios, *((1 + ratio) / 2 for ratio in ratios), None]


def check_against_sums(n, a, b, exp_eps):
    engine = TwoMessageScan(n, a, b)
    delta, pairs = by_sums(n, a, b, exp_eps)
    events = engine.attaining(exp_eps)
    for event in events:
        assert event.delta(exp_eps or F(0)) == delta
    assert {(event.first[1], event.second[1]) for event in events} == (pairs if delta else set())
    assert len(events) == (len(pairs) if delta else 0)
    worst = engine.worst(exp_eps)
    assert max(F(0), worst.delta(exp_eps or F(0))) == delta
    enclosed = engine.enclosed(None if exp_eps is None else Real(exp_eps), 60)
    assert delta in enclosed.delta
    assert enclosed.delta.hi - enclosed.delta.lo <= delta / 2**60


@pytest.mark.parametrize(("a", "b"), thinned([*SYMMETRIC, *ASYMMETRIC, *TELLING], every=2), ids=str)
def test_every_data_set_order_and_event(a, b):
    for n in (1, 2, 3, 8):
        for exp_eps in orders_of(a, b):
            check_against_sums(n, a, b, exp_eps)


@pytest.mark.parametrize(("a", "b"), thinned([SYMMETRIC[0], ASYMMETRIC[0], ASYMMETRIC[3]], every=2), ids=str)
def test_thirty_users(a, b):
    for exp_eps in (F(1), F(11, 10), F(2)):
        check_against_sums(30, a, b, exp_eps)


def test_exact_ties_are_listed():
    """At eps = 0 both orders of a pair agree, and so do k and n-1-k with equal flips."""
    assert len(TwoMessageScan(8, F(1, 4), F(3, 4)).attaining(F(1))) == 4
    assert len(TwoMessageScan(9, F(1, 4), F(3, 4)).attaining(F(1))) == 2
    assert len(TwoMessageScan(9, F(1, 7), F(1, 3)).attaining(F(1))) == 2
    assert len(TwoMessageScan(9, F(1, 4), F(3, 4)).attaining(F(2))) == 2
    assert len(TwoMessageScan(300, F(0), F(1)).attaining(F(2))) == 600


@pytest.mark.parametrize(
    ("a", "b"), thinned([SYMMETRIC[0], SYMMETRIC[2], ASYMMETRIC[0], ASYMMETRIC[3]], every=2), ids=str
)
@pytest.mark.parametrize("n", [90, 121])
def test_the_pairwise_scan_agrees(n, a, b):
    randomizer = Randomizer({x: {(1,): p, (0,): 1 - p} for x, p in enumerate((a, b))})
    structure = Structure.of(randomizer, Neighbors.REPLACE_ONE)
    scan, engine = PairwiseScan(structure, n), TwoMessageScan.of(structure, n)
    for exp_eps in (F(1), F(101, 100), F(9, 8)):
        worst = scan.worst(exp_eps)
        attaining = {(event.first, event.second): event for event in engine.attaining(exp_eps)}
        if worst.delta(exp_eps) <= 0:
            assert attaining == {}
        else:
            assert attaining[worst.first, worst.second].delta(exp_eps) == worst.delta(exp_eps)


NEAR_THE_ENDS = [
    (F(1, 2000), F(1999, 2000)),
    (F(1, 40), F(39, 40)),
    (F(1, 5000), F(1, 2)),
    (F(1, 2) - F(1, 10**5), F(1, 2)),
]


@pytest.mark.parametrize(
    "exp_eps",
    [
        F(1),
        pytest.param(1 + F(1, 10**30), marks=pytest.mark.slow),
        pytest.param(F(1001, 1000), marks=pytest.mark.slow),
        F(2),
    ],
)
def test_what_is_divided_into_parts_holds_the_worst(exp_eps, monkeypatch):
    """By parts and by all values; also where the worst data set is in the middle, and for very uneven rows."""
    for a, b in (SYMMETRIC[0], ASYMMETRIC[0], ASYMMETRIC[2], *NEAR_THE_ENDS):
        monkeypatch.setattr(tilted, "_ROWS_FROM", 10**9)
        expected = TwoMessageScan(250, a, b).candidates(Real(exp_eps), 200)
        monkeypatch.setattr(tilted, "_ROWS_FROM", 1)
        found = TwoMessageScan(250, a, b).candidates(Real(exp_eps), 200)
        assert sorted(found[1]) == sorted(expected[1])
        assert expected[0].compare(found[0]) in (None, 0)


def test_a_wrong_error_term_is_caught(monkeypatch):
    reach = tilted_rows._reach
    monkeypatch.setattr(tilted_rows, "_reach", lambda *about: (reach(*about)[0], reach(*about)[1] // 2))
    with pytest.raises(AssertionError):
        check_against_sums(30, F(1, 4), F(3, 4), F(11, 10))


def test_too_few_nodes_on_the_circle_are_caught(monkeypatch):
    reach = tilted_rows._reach
    monkeypatch.setattr(tilted_rows, "_reach", lambda *about: (min(reach(*about)[0] // 4, 5),) * 2)
    with pytest.raises(AssertionError):
        check_against_sums(30, F(1, 4), F(3, 4), F(11, 10))


def test_a_plane_that_is_too_low_is_caught(monkeypatch):
    """Every part of the search by rows is needed: planes, ceilings, and the shape of straight rows."""
    check = test_what_is_divided_into_parts_holds_the_worst
    with monkeypatch.context() as patch:
        patch.setattr(tilted_rows.Plane, "at", lambda plane, k, y: tilted.arb(-1))
        with pytest.raises(AssertionError):
            check(F(1), patch)
    with monkeypatch.context() as patch:
        patch.setattr(tilted, "_UNEVEN", 1)  # so that all is divided
        patch.setattr(tilted, "ceiling", lambda tilt, ks: tilted.arb(0))
        with pytest.raises(AssertionError):
            check(F(1), patch)
    with monkeypatch.context() as patch:
        patch.setattr(tilted_rows, "_crossing", lambda first, last, left, right: last - 1)
        patch.setattr(tilted_rows._Search, "_rise", lambda search, t, k: tilted.arb(1))
        with pytest.raises(AssertionError):
            check(F(1), patch)


def test_a_missing_threshold_is_caught(monkeypatch):
    monkeypatch.setattr(tilted, "_THRESHOLDS", 1)
    with pytest.raises(AssertionError):
        test_every_data_set_order_and_event(F(1, 7), F(1, 3))


@pytest.mark.parametrize("a", [F(1, 7), F(5, 6)])
@pytest.mark.parametrize("b", [F(1, 3), F(1, 2)])
def test_exact_masses(a, b):
    n = 70
    for k in (0, 20, n - 1):
        law = [F(1)]
        for p in [b] * k + [a] * (n - 1 - k):
            law = [x * (1 - p) + y * p for x, y in zip([*law, F(0)], [F(0), *law], strict=True)]
        for m in (0, 1, 10, 34, 35, 50, n - 1):
            above = sum(law[m + 1 :])
            assert half_line_masses(n - 1, k, a, b, m) == (above + b * law[m], above + a * law[m])


def test_more_inputs_between_the_two_extremes():
    chances = {"x": F(1, 2), "y": F(1, 4), "z": F(3, 4), "u": F(2, 3), "v": F(1, 4)}
    randomizer = Randomizer({x: {("one",): p, ("nil",): 1 - p} for x, p in chances.items()})
    n, exp_eps = 210, F(6, 5)
    profile = ShuffleProtocol(randomizer, n).privacy_profile()
    pair = profile.worst_pair(exp_eps=exp_eps)
    assert profile.engine == "two messages"
    assert {x for x, count in (*pair.first.items(), *pair.second.items()) if count} <= {"y", "z"}
    two = PairwiseScan(Structure.of(protocols.randomized_response(2, gamma="1/2"), Neighbors.REPLACE_ONE), n)
    assert pair.delta == profile.delta(exp_eps=exp_eps) == two.worst(exp_eps).delta(exp_eps)
    alone = ShuffleProtocol(randomizer, n).pair_profile(pair.first, pair.second)
    assert alone.delta(exp_eps=exp_eps) == pair.delta


def test_longer_messages_of_two_kinds():
    """What one user sends is one of two multisets: their number is all that the view shows."""
    kinds = {0: {("a", "a", "b"): F(3, 4), ("a", "c"): F(1, 4)}, 1: {("a", "b", "a"): F(1, 4), ("c", "a"): F(3, 4)}}
    flip = protocols.randomized_response(2, gamma="1/2")
    profiles = [ShuffleProtocol(randomizer, 250).privacy_profile() for randomizer in (Randomizer(kinds), flip)]
    assert {profile.engine for profile in profiles} == {"two messages"}
    assert profiles[0].delta(exp_eps=F(9, 8)) == profiles[1].delta(exp_eps=F(9, 8))


@pytest.fixture
def _for_any_users(monkeypatch):
    """The planner takes the engine from one user on."""
    for cache in (planner.engine_of, _kept_event):
        cache.cache_clear()
    monkeypatch.setattr(planner, "_TWO_MESSAGES_FROM", 1)
    yield
    for cache in (planner.engine_of, _kept_event):
        cache.cache_clear()


def scanned_profile(randomizer, n, monkeypatch):
    """Answers of the pairwise scan."""
    profile = ShuffleProtocol(randomizer, n).privacy_profile()
    with monkeypatch.context() as patch:
        patch.setattr(planner, "_TWO_MESSAGES_FROM", 10**9)
        planner.engine_of.cache_clear()
        _kept_event.cache_clear()
        assert profile.engine == "pairwise scan"
        answers = profile.tradeoff(), [profile.epsilon(delta) for delta in ("1/100", "1e-6", 0, "1/2")]
    planner.engine_of.cache_clear()
    _kept_event.cache_clear()
    return answers


@pytest.mark.usefixtures("_for_any_users")
@pytest.mark.parametrize(("a", "b"), [SYMMETRIC[0], ASYMMETRIC[0], *TELLING[:2]], ids=str)
def test_profiles_do_not_depend_on_the_engine(a, b, monkeypatch):
    randomizer = Randomizer({x: {(1,): p, (0,): 1 - p} for x, p in enumerate((a, b))})
    expected = scanned_profile(randomizer, 7, monkeypatch)
    profile = ShuffleProtocol(randomizer, 7).privacy_profile()
    assert profile.engine == "two messages"
    assert (profile.tradeoff(), [profile.epsilon(delta) for delta in ("1/100", "1e-6", 0, "1/2")]) == expected
    assert profile.delta(eps=100) == profile.delta(eps=LogRational(None))


def test_the_planner_takes_it_where_it_is_faster():
    flip = protocols.randomized_response(2, gamma="1/2")
    assert isinstance(engine_of(ShufflePairs(flip, 100, Neighbors.REPLACE_ONE)), PairwiseScan)
    assert isinstance(engine_of(ShufflePairs(flip, 10**5, Neighbors.REPLACE_ONE)), TwoMessageScan)
    assert ShuffleProtocol(flip, 500).privacy_profile(neighbors=Neighbors.ADD_OR_REMOVE_ONE).engine == "disjoint views"
    long = protocols.randomized_response(2, gamma=F(1, 2**2050))
    assert isinstance(engine_of(ShufflePairs(long, 200, Neighbors.REPLACE_ONE)), PairwiseScan)
    equal = Randomizer({0: {(0,): 1}, 1: {(0,): 1}})
    assert ShuffleProtocol(equal, 500).privacy_profile().delta(exp_eps=1) == 0


def test_large_n():
    profile = ShuffleProtocol(protocols.randomized_response(2, gamma="1/5"), 10**5).privacy_profile()
    delta = profile.delta(eps="1/10")
    assert delta.lo > 0
    assert delta.hi - delta.lo <= delta.lo / 2**53
    assert profile.delta(eps="1/10", relative_bits=100).lo in delta
    assert profile.delta(eps=LogRational("11/10")).lo <= profile.delta(exp_eps="11/10")
    assert profile.delta(exp_eps=9) == profile.delta(eps=LogRational(None)).hi == 0


def test_eps_of_ten_thousand_users():
    profile = ShuffleProtocol(protocols.randomized_response(2, gamma="1/5"), 10**4).privacy_profile()
    eps = profile.exact_epsilon("1e-6")
    assert profile.delta(exp_eps=eps.argument) == F(1, 10**6)
    assert profile.delta(exp_eps=eps.argument * (1 - F(1, 10**12)), relative_bits=53) > F(1, 10**6)


def test_a_billion_users_are_enclosed_and_not_built():
    profile = ShuffleProtocol(protocols.randomized_response(2, gamma="1/5"), 10**9).privacy_profile()
    assert not profile.is_exact
    assert profile.delta(eps="1/3000") > F("7.434e-10")
    assert profile.delta(eps="1/3000") < F("7.435e-10")
    with pytest.raises(TooLargeError, match="irrational or too long"):
        profile.exact_epsilon("1e-6")


def test_eps_of_a_billion_users():
    profile = ShuffleProtocol(protocols.randomized_response(2, gamma="1/5"), 10**9).privacy_profile()
    eps = profile.epsilon("1e-6")
    assert profile.delta(eps=eps.lo - F(1, 10**12)).lo > F("1e-6") > profile.delta(eps=eps.hi + F(1, 10**12)).hi


def flipping(users, exp_eps0):
    """The engine of binary randomized response that alone is eps0-DP."""
    ratio = as_real(exp_eps0, name="exp_eps0")
    low = 1 / (1 + ratio)
    if ratio.is_rational:
        return TwoMessageScan(users, low.coefficient, 1 - low.coefficient)
    return TwoMessageScan(users, low, ratio * low, mirrored=True)


def test_eps_where_some_data_sets_cannot_be_compared(monkeypatch):
    """What is proved before a search is refused mostly decides."""
    engine = flipping(20_000, Real.exp("1/2"))
    expected = engine.enclosed(Real(1), 40).delta
    monkeypatch.setattr(tilted, "_UNEVEN", 1)  # so that all is divided
    monkeypatch.setattr(tilted, "_MOST_PARTS", 0)
    with pytest.raises(TooLargeError, match="is proved to be in"):
        engine.enclosed(Real(1), 40)
    assert inverse._Search(engine, expected.lo / 2).is_above(Real(1))
    with pytest.raises(TooLargeError, match="is proved to be in"):
        inverse._Search(engine, expected.hi).is_above(Real(1))


@pytest.mark.parametrize("users", [5, 400])
def test_irrational_flips(users):
    """Between the two rational neighbours of e^eps0, whose delta rises with eps0."""
    ratio = Real.exp(1)
    engine = flipping(users, ratio)
    assert not engine.is_exact
    assert engine.enclosed(ratio, 53).delta.hi == engine.enclosed(None, 53).delta.hi == 0
    for eps in ("0", "1/10", "9/10"):
        low, high = (
            flipping(users, F(x)).enclosed(Real.exp(eps), 80).delta for x in ("2.718281828459", "2.718281828460")
        )
        middle = engine.enclosed(Real.exp(eps), 53).delta
        assert low < middle < high
    with pytest.raises(TooLargeError, match="irrational"):
        engine.worst(F(1))


def test_irrational_rows_of_two_orders():
    low, high = Real.exp(-2), Real.exp(-1)
    engine = TwoMessageScan(50, low, high)
    near = TwoMessageScan(50, *(value.coefficient for value in (Real("0.135335283236612"), Real("0.367879441171442"))))
    both = [each.enclosed(Real("11/10"), 53) for each in (engine, near)]
    assert abs(both[0].delta.lo - both[1].delta.lo) < F(1, 10**13)
    assert both[0].pair == both[1].pair
    assert engine.enclosed(Real.exp(1), 53).delta.hi == 0
    assert TwoMessageScan(50, F(0), high).enclosed(Real(2), 53).delta.compare(F("0.3678")) == 1


def test_likelihood_ratios_stay_below_their_bound():
    for a, b in (*SYMMETRIC, *ASYMMETRIC, *TELLING):
        for n in (1, 2, 9):
            laws = laws_of_ones(n, a, b)
            pairs = [(laws[i], laws[j]) for k in range(n) for i, j in ((k, k + 1), (k + 1, k))]
            ratios = [p / q for first, second in pairs for p, q in zip(first, second, strict=True) if q]
            assert max(ratios) < 2 ** TwoMessageScan(n, a, b).ratio_bits


def test_work_that_is_too_large_is_refused_with_a_bracket(monkeypatch):
    engine = TwoMessageScan(5000, F(1, 10), F(9, 10))
    delta = engine.enclosed(Real("1.0000001"), 53).delta
    monkeypatch.setattr(tilted, "_UNEVEN", 1)  # so that all is divided
    monkeypatch.setattr(tilted, "_MOST_PARTS", 0)
    with pytest.raises(TooLargeError, match=r"in 0 parts\. .* delta is proved to be in \[") as refused:
        engine.enclosed(Real("1.0000001"), 53)
    bracket = refused.value.bracket
    assert bracket.lo <= delta.lo <= delta.hi <= bracket.hi <= 2 * bracket.lo
    monkeypatch.setattr(tilted_rows, "MAX_NODES", 10)
    with pytest.raises(TooLargeError, match=r"the limit is 10\."):
        engine.enclosed(Real("1.1"), 53)


def test_one_peak_is_not_to_be_counted_on():
    """Along the data sets delta need not rise and then fall, even with three users and equal flips."""
    laws = laws_of_ones(3, F(2, 5), F(3, 5))
    heights = [sum(max(F(0), p - F(9, 8) * q) for p, q in zip(laws[k + 1], laws[k], strict=True)) for k in range(3)]
    assert heights == [F(26, 500), F(24, 500), F(27, 500)]
