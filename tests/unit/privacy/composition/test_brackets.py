"""The parts of which brackets are made: ends, what shows of them, windows, and which combinations stay."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import mpmath
import pytest

import exactdp as xdp
from exactdp.errors import TooLargeError
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.real import Real
from exactdp.privacy.composition import bracket, composed, law_pairs
from exactdp.privacy.composition.composed import ComposedProfile
from exactdp.privacy.composition.law_pairs import FinitePair, WindowPair
from exactdp.privacy.composition.mechanisms import DominatedByProfile
from exactdp.privacy.composition.profile_pairs import Fineness, level_near, worst_pairs
from tests.oracles import high_precision

ASKED = Fineness(Fraction(1, 8), 40, (Fraction(1, 4), Fraction(1, 2), Fraction(0)))
QUESTION = bracket.Question(Real(2), Fraction(7, 10), Fraction(1, 100))


def random_dyadic(random: Random) -> Dyadic:
    return Dyadic.of(random.choice([0, 1, random.getrandbits(40), random.getrandbits(40)]), random.randint(-60, 20))


def test_what_moved_is_the_exact_comparison():
    """high - low > share of high, away from equality."""
    random, seen = Random(1), set()
    for _ in range(1500):
        high = random_dyadic(random)
        share = Fraction(random.randint(1, 74), random.choice([100, 10**4, 10**9]))
        near = Dyadic.below(high.fraction() * (1 - share * Fraction(random.randint(0, 40), 20)), 60)
        low = random.choice([near, near, random_dyadic(random)])
        if low.fraction() <= high.fraction():
            left, right = high.fraction() - low.fraction(), share * high.fraction()
            if abs(left - right) > high.fraction() / 2**50 or not high.mantissa:
                moved = bracket._moved(low, high, share)
                assert moved == (left > right)
                seen.add((moved, low.mantissa == 0, high.magnitude - low.magnitude))
    assert {(True, False, 0), (True, False, 1), (True, False, 2), (False, False, 0), (False, True, 0)} <= seen


def test_a_scaled_number_is_just_below_the_product():
    random = Random(2)
    for _ in range(300):
        value, factor = random_dyadic(random), Fraction(random.randint(1, 999), random.randint(1, 999))
        found, exact = bracket._scaled(value, factor).fraction(), value.fraction() * factor
        assert exact * (1 - Fraction(1, 2**60)) <= found <= exact


def test_ends_only_come_closer():
    random = Random(3)
    for _ in range(100):
        found = bracket._Bracket(QUESTION)
        assert (found.interval.lo, found.interval.hi) == (0, 1)
        lows, highs = [Fraction(0)], [Fraction(1)]
        for _ in range(5):
            low, high = Dyadic.of(random.randint(0, 500), -10), Dyadic.of(random.randint(500, 1200), -10)
            before = max(lows), min(highs)
            lows.append(low.fraction())
            highs.append(high.fraction())
            moved = found.narrow(low, high)
            assert (found.interval.lo, found.interval.hi) == (max(lows), min(highs))
            after = found.interval.lo, found.interval.hi
            # a quarter of the width asked for shows, measured on the larger number of the two
            assert moved == (after[0] - before[0] > after[0] / 400, before[1] - after[1] > before[1] / 400)
            assert found.is_closed == (after[1] - after[0] <= after[1] / 100)


def coin(p: int, total: int) -> FinitePair:
    """A coin against the other one."""
    return FinitePair.of_weights({0: (p, total - p), 1: (total - p, p)}, total)


def test_nothing_from_below_is_no_bound():
    """Where no pair of data sets is known, the bracket begins at 0."""
    found = bracket.bracket([((coin(3, 4),), 2)], [], QUESTION, meets=False).delta
    truth = Fraction(9, 16) - 2 * Fraction(1, 16)
    assert found.lo == 0
    assert truth <= found.hi <= truth * Fraction(11, 10)


def test_the_best_combinations_stay_and_the_best_is_the_lower_end():
    """A weak pair beside strong ones: it is dropped; alike ones are kept, up to three."""
    strong, alike, weak = coin(30, 40), coin(31, 41), coin(21, 40)
    above = [((strong, alike, weak), 2)]
    attempt = bracket._Attempt.first(above, QUESTION)
    combinations = [((pair, 2),) for pair in (weak, strong, alike, strong, alike)]
    ranked = attempt.ranked(combinations)
    assert len(ranked) == 3
    assert {combination[0][0] for combination in ranked} <= {strong, alike}
    assert attempt.ranked([((weak, 2),), ((strong, 2),)]) == [((strong, 2),)]
    assert attempt.ranked([((weak, 2),)]) == [((weak, 2),)]
    found = bracket.bracket(above, combinations[:2], QUESTION, meets=False).delta
    truth = Fraction(9, 16) - 2 * Fraction(1, 16)
    assert truth * Fraction(98, 100) <= found.lo <= truth


def test_each_run_has_the_cap_of_its_mechanism():
    """Above a cap a loss is set aside: for the mechanism that has one, and in each of its pairs."""
    first, second = coin(3, 4), coin(9, 10)
    above = [((first,), 2), ((second, first), 3)]
    attempt = bracket._Attempt.first(above, QUESTION)
    seen: list[tuple[int, Fraction | None]] = []

    def caught(factors, exp_eps, tuning):
        seen.extend((factor.times, factor.cap) for factor in factors)
        return Dyadic.of(0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bracket, "lower_bound", caught)
        caps = attempt.choice._replace(caps=(Fraction(1), Fraction(2)))
        replace(attempt, choice=caps).lower(((first, 2), (second, 1), (first, 2)))
    assert seen == [(2, Fraction(1)), (1, Fraction(2)), (2, Fraction(2))]


def test_finer_lattices_are_finer_and_by_what_the_width_must_fall():
    attempt = bracket._Attempt.first([((coin(3, 4),), 2)], QUESTION)
    for width, factor in [("1/90", 2), ("3/100", 3), ("1/16", 4), ("1/8", 6), ("1/2", 8), ("1", 4)]:
        best = bracket._Bracket(QUESTION, Dyadic.below(1 - Fraction(width), 50), Dyadic.of(1))
        finer, tuning = attempt.refined(best, meets=True).tuning, attempt.tuning
        assert finer == replace(tuning, step=tuning.step / factor, length=tuning.length * factor)


# --- windows ---

LAWS = [
    xdp.Binomial(10**5, "1/3"),
    xdp.Binomial(10**6, "99999/100000"),
    xdp.Poisson(40),
    xdp.Geometric("9/10"),
    xdp.NegativeBinomial("1/2", "4/5"),
    xdp.DiscreteLaplace("6/5"),
    xdp.DiscreteGaussian(300),
]


@pytest.mark.parametrize("tail_bits", [30, 120])
@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_a_window_leaves_out_little_and_not_much_less(law, tail_bits):
    first, last = law_pairs._window(law, tail_bits)
    assert law.low is None or law.low <= first
    assert first <= law.mode <= last
    assert law.high is None or last <= law.high
    little = Fraction(1, 2**tail_bits)
    if last != law.high:
        assert law.sf(last).hi < little
        assert law.sf(law.mode + (last - law.mode) * 7 // 8 - 2).lo > little
    if first != law.low:
        assert law.cdf(first - 1).hi < little
        if law.is_log_concave:
            assert law.cdf(law.mode - (law.mode - first) * 7 // 8 + 2).lo > little
    if not law.is_log_concave:
        assert first == law.low


def test_windows_are_listed_up_to_a_number_of_outcomes(monkeypatch):
    law = xdp.Binomial(30, "1/3")
    monkeypatch.setattr(law_pairs, "MAX_ATOMS", 31)
    assert len(law_pairs._window_losses(law, 1, 40)[0].atoms) == 30
    monkeypatch.setattr(law_pairs, "MAX_ATOMS", 30)
    with pytest.raises(TooLargeError, match="31 outcomes that matter, more than the limit of 30"):
        law_pairs._window_losses(law, 2, 40)


def test_short_noise_has_no_window():
    assert law_pairs._window(xdp.Binomial(4000, "1/1000"), 20) == (0, 4000)
    assert law_pairs._window(xdp.Binomial(5000, "1/1000"), 20)[1] < 200


def test_what_counts_is_how_many_outcomes_matter_and_not_where_they_are():
    """Bin(10^6, 1 - 10^-5) is 10^6 minus about ten."""
    far = xdp.shift_profile(xdp.Binomial(10**6, "99999/100000"))
    found = far.compose(1, notion="same data").delta(eps=1)
    alone = far.delta(eps=1)
    assert found.lo <= alone.hi
    assert alone.lo <= found.hi <= alone.hi * Fraction(1002, 1000)


def test_each_order_of_a_window_is_its_own():
    law = xdp.Poisson(9)
    forward, backward = (WindowPair(law, 2, side).losses(60) for side in (False, True))
    for (p, q, x), (r, s, y) in zip(forward.atoms, backward.atoms, strict=True):
        assert p.overlaps(s)
        assert q.overlaps(r)
        assert (x + y).contains(0)
    assert forward.infinite > 0
    assert backward.infinite == 0


# --- exact products ---


@pytest.mark.parametrize("width", ["1/2", "1/1000", "1/10000000000", "7/8"])
@pytest.mark.parametrize("eps", [Fraction(1, 10), Fraction(1), Fraction(2)])
def test_exact_runs_at_an_irrational_level(eps, width):
    """Three runs of a coin that is 3 times as probable on one side, against 60 digits."""
    profile = xdp.shift_profile(xdp.DiscreteLaplace(3)).compose(3)
    found = profile.delta(eps=eps, relative_width=width)
    p, q = Fraction(3, 4), Fraction(1, 4)
    with high_precision.sixty_digits():
        level = mpmath.exp(high_precision.number(eps))
        terms = [(1, p**3, q**3), (3, p * p * q, q * q * p), (3, p * q * q, q * p * p), (1, q**3, p**3)]
        truth = sum(c * max(0, high_precision.number(a) - level * high_precision.number(b)) for c, a, b in terms)
        assert high_precision.contains(found, truth)
    assert found.hi - found.lo <= Fraction(width) * found.hi
    assert isinstance(profile.delta(eps=xdp.LogRational(2)), xdp.Interval)
    point = profile.delta(exp_eps=2, relative_width=width)
    assert profile.delta(exp_eps=2) in point
    assert point.hi - point.lo <= Fraction(width) * point.hi


@pytest.mark.parametrize("nearer", [12, 17, 30])
def test_exact_runs_just_below_their_largest_loss(nearer):
    """delta = p^3 - e^eps q^3 loses ``nearer`` digits to cancellation."""
    with high_precision.sixty_digits():
        eps = Fraction(int(3 * mpmath.log(3) * mpmath.mpf(10) ** 55), 10**55) - Fraction(1, 10**nearer)
        truth = (27 - mpmath.exp(high_precision.number(eps))) / 64
    profile = xdp.shift_profile(xdp.DiscreteLaplace(3)).compose(3)
    for width in ("1/10", "1/1000", "1e-9"):
        found = profile.delta(eps=eps, relative_width=width)
        with high_precision.sixty_digits():
            assert high_precision.number(found.lo) <= truth * (1 + mpmath.mpf(10) ** -20)
            assert truth * (1 - mpmath.mpf(10) ** -20) <= high_precision.number(found.hi)
        assert found.hi - found.lo <= Fraction(width) * found.hi


def test_the_lower_end_of_exact_runs_is_one():
    """At levels so near to the largest ratio that what is known of e^eps is a good part of the width."""
    profile = xdp.shift_profile(xdp.DiscreteLaplace(3)).compose(3)
    with high_precision.sixty_digits():
        logarithm = Fraction(int(3 * mpmath.log(3) * mpmath.mpf(10) ** 62), 10**62)
    for i in range(60):
        eps = logarithm - Fraction(2, 3) ** i / 2**50
        found = profile.delta(eps=eps, relative_width="1/2")
        with high_precision.sixty_digits():
            truth = (27 - mpmath.exp(high_precision.number(eps))) / 64
            assert high_precision.number(found.lo) <= truth <= high_precision.number(found.hi)
        assert found.hi - found.lo <= found.hi / 2


def test_the_bits_of_a_width_are_enough_and_few():
    random = Random(5)
    for _ in range(200):
        width = Fraction(random.randint(1, 999), random.randint(1000, 10**9))
        assert Fraction(1, 2 ** composed._bits(width)) <= width < Fraction(1, 2 ** (composed._bits(width) - 2))


def test_ways_to_choose_pairs_are_counted():
    one, two, three = coin(3, 4), coin(4, 5), coin(5, 6)
    for listed in ([((one,), 5)], [((one, two), 3)], [((one, two, three), 3), ((one, two), 2)]):
        found = composed._all_combinations(listed)
        assert len(found) == len(set(found)) == composed._count(listed)
        for combination in found:
            assert sum(times for _, times in combination) == sum(times for _, times in listed)


def test_combinations_with_every_pair_are_tried_from_below():
    """Where all of them are too many: one pair of each mechanism in all its runs, each pair once at least."""
    skewed, symmetric = xdp.shift_profile(xdp.Poisson(30)), xdp.shift_profile(xdp.DiscreteLaplace(2))
    for profile in (xdp.compose(skewed.compose(40), symmetric), xdp.compose(symmetric, skewed.compose(40))):
        tried = composed._tried(profile, ASKED)
        used = {pair for combination in tried for pair, _ in combination}
        assert {pair.backward for pair in used if isinstance(pair, WindowPair)} == {False, True}
        for combination in tried:
            assert sorted(times for _, times in combination) == [1, 40]
    few = composed._tried(skewed.compose(3), ASKED)
    assert {tuple(times for _, times in c) for c in few} == {(3,), (1, 2), (2, 1)}
    assert len(few) == 4


def test_pairs_of_a_profile_are_tried_from_below(monkeypatch):
    """Where pairs are not listed: worst at no eps, at its share for a run and at twice that; those alike once."""
    some = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 6).privacy_profile()
    noise = xdp.shift_profile(xdp.DiscreteLaplace(2))
    profiled, listed = DominatedByProfile(some.source), composed.mechanisms_of(noise.source)[0]
    monkeypatch.setattr(composed, "_mechanisms", lambda parts: ((profiled, 4),))
    expected = {pair for eps in ("0", "1/4", "1/2") for pair in worst_pairs(some.source, level_near(Fraction(eps)))}
    assert set(composed._tried(some.compose(4), ASKED)) == {((pair, 4),) for pair in expected}
    monkeypatch.setattr(composed, "_mechanisms", lambda parts: ((profiled, 2), (listed, 1)))
    tried = composed._tried(xdp.compose(some.compose(2), noise), ASKED)
    assert tried
    assert all([times for _, times in combination] == [2, 1] for combination in tried)


def test_one_data_set_for_all_runs_is_one_pair_for_all_runs():
    """Under this notion no mixture of pairs bounds delta from below."""
    noise = xdp.shift_profile(xdp.Poisson(30)).compose(2, notion="same data")
    assert all(len(combination) == 1 for combination in composed._tried(noise, ASKED))


def test_runs_of_a_profile_whose_pairs_are_not_listed(monkeypatch):
    """From the profile alone: above every real choice of pairs, and from below near the best of one pair's runs."""
    profile = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="5/11"), 3).privacy_profile()
    listed = profile.compose(2, notion="non-adaptive").delta(exp_eps=2)
    profiled = DominatedByProfile(profile.source)
    monkeypatch.setattr(composed, "_mechanisms", lambda parts: tuple((profiled, times) for _, times in parts))
    found = ComposedProfile(((profile.source, 2),)).delta(exp_eps=2, relative_width="1/100")
    assert isinstance(found, xdp.Interval)
    assert found.lo <= listed <= found.hi
    assert listed * Fraction(9, 10) <= found.lo
    assert found.hi <= listed * Fraction(3, 2)


def test_combinations_are_compared_up_to_a_number_of_them():
    """Two pairs and 63 runs are 64 combinations, the most; with one run more the bracket stays open."""
    skewed = xdp.shift_profile(xdp.Poisson(30))
    assert skewed.compose(63, notion="non-adaptive").is_tight
    assert not skewed.compose(64, notion="non-adaptive").is_tight
