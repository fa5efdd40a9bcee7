"""Composition against exact products of small pairs, multiplied out here outcome by outcome."""

from fractions import Fraction
from itertools import product
from random import Random

import pytest

import exactdp as xdp
from exactdp.numbers.real import Real
from exactdp.privacy.composition import bracket as bounds
from exactdp.privacy.composition import heuristics
from exactdp.privacy.composition.law_pairs import FinitePair
from exactdp.privacy.composition.losses import LossPair
from exactdp.privacy.composition.powers import Factor, LowerFactor, Tuning, lower_bound, upper_bound
from exactdp.privacy.composition.ratio_classes import ExactProduct
from tests.thinned import thinned

Rows = list[tuple[int, int]]


def random_pair(random: Random, most: int = 4) -> tuple[Rows, int]:
    """Weights of two laws over one total, with ties and zeros."""
    size, total = random.randint(1, most), random.choice([4, 7, 12, 60])
    sides = []
    for _ in range(2):
        cuts = sorted(random.choices(range(total + 1), k=size - 1))
        sides.append([b - a for a, b in zip([0, *cuts], [*cuts, total], strict=True)])
    return list(zip(*sides, strict=True)), total


def masses(rows: Rows, total: int) -> list[tuple[Fraction, Fraction]]:
    return [(Fraction(p, total), Fraction(q, total)) for p, q in rows]


def divergence(factors: list[tuple[Rows, int]], exp_eps: Fraction) -> Fraction:
    """H_E of the product of all pairs, over all joint outcomes."""
    first = [(Fraction(1), Fraction(1))]
    for rows, total in factors:
        grown: dict[tuple[Fraction, Fraction], int] = {}
        for (p, q), (x, y) in product(first, masses(rows, total)):
            grown[p * x, q * y] = grown.get((p * x, q * y), 0) + 1
        first = [(p * count, q * count) for (p, q), count in grown.items()]
    return sum((max(Fraction(0), p - exp_eps * q) for p, q in first), Fraction(0))


def random_tuning(random: Random) -> Tuning:
    bits = random.choice([20, 40, 80, 200])
    return Tuning(
        step=Fraction(random.randint(1, 40), random.choice([16, 100, 1000])),
        tilt=Fraction(random.choice([0, 0, 1, 5, 20, 80]), 8),
        bits=bits,
        cut=random.randint(8, bits),
        length=random.choice([4, 32, 256, 10**6]),
    )


@pytest.mark.parametrize("seed", thinned(range(3), every=3))
def test_bounds_of_random_products_hold_for_any_tuning(seed):
    """2000 products of up to four factors, heterogeneous; tunings at random: floats choose, they never decide."""
    random = Random(seed)
    closed = 0
    for _ in range(667):
        factors = []
        for _ in range(random.randint(1, 3)):
            rows, total = random_pair(random)
            factors.append((rows, total, random.randint(1, 2)))
        exp_eps = random.choice([Fraction(1), Fraction(3, 2), Fraction(2), Fraction(9), Fraction(7, 3) ** 2])
        truth = divergence([(rows, total) for rows, total, times in factors for _ in range(times)], exp_eps)
        tuning = random_tuning(random)
        pairs = [(LossPair.of(masses(rows, total)), times) for rows, total, times in factors]
        caps = [random.choice([None, None, Fraction(random.randint(-10, 30), 10)]) for _ in pairs]
        upper = upper_bound(
            [Factor((pair,), times, cap) for (pair, times), cap in zip(pairs, caps, strict=True)], Real(exp_eps), tuning
        ).value.fraction()
        lower = lower_bound(
            [LowerFactor(pair, times, cap) for (pair, times), cap in zip(pairs, caps, strict=True)],
            Real(exp_eps),
            tuning,
        ).fraction()
        assert lower <= truth <= upper
        closed += upper - lower <= upper / 50
    assert closed > 133  # and they are not empty words


@pytest.mark.parametrize(
    ("factors", "exp_eps", "tuning"),
    [
        (
            [([(0, 1), (4, 3)], 4, 1), ([(0, 1), (4, 1), (3, 5)], 7, 1)],
            Fraction(3, 2),
            Tuning(Fraction(33, 1000), Fraction(10), 40, 28, 4),
        ),
        (
            [([(0, 2), (2, 6), (10, 2), (0, 2)], 12, 2), ([(3, 1), (9, 11)], 12, 2)],
            Fraction(1),
            Tuning(Fraction(19, 16), Fraction(10), 80, 77, 10**6),
        ),
    ],
)
def test_small_coefficients_are_rounded_up_to_1_and_not_to_0(factors, exp_eps, tuning):
    """Where FLINT's quotient of a small negative coefficient is 0 instead of -1, these two were missed."""
    truth = divergence([(rows, total) for rows, total, times in factors for _ in range(times)], exp_eps)
    pairs = [(LossPair.of(masses(rows, total)), times) for rows, total, times in factors]
    assert lower_bound([LowerFactor(*pair, None) for pair in pairs], Real(exp_eps), tuning).fraction() <= truth
    uppers = [Factor((pair,), times, None) for pair, times in pairs]
    assert truth <= upper_bound(uppers, Real(exp_eps), tuning).value.fraction()


def test_the_largest_profile_dominates_every_mixed_product():
    """One measure above several pairs bounds the product of any choice of them, run by run."""
    random = Random(2)
    for _ in range(250):
        listed = [random_pair(random, 3) for _ in range(random.randint(2, 3))]
        pairs = [LossPair.of(masses(rows, total)) for rows, total in listed]
        exp_eps = random.choice([Fraction(1), Fraction(2), Fraction(11, 10)])
        runs = random.randint(1, 3)
        upper = upper_bound([Factor(tuple(pairs), runs, None)], Real(exp_eps), random_tuning(random)).value.fraction()
        for chosen in product(listed, repeat=runs):
            assert divergence(list(chosen), exp_eps) <= upper


def adaptive(listed: list[list[tuple[Fraction, Fraction]]], runs: int, exp_eps: Fraction) -> Fraction:
    """The best strategy, which chooses a pair after seeing the outcomes before: by recursion over the runs."""
    if runs == 0:
        return max(Fraction(0), 1 - exp_eps)
    return max(
        sum((p if not q else p * adaptive(listed, runs - 1, exp_eps * q / p) for p, q in pair if p), Fraction(0))
        for pair in listed
    )


def test_the_adaptive_bracket_contains_the_best_strategy():
    random = Random(3)
    for _ in range(60):
        listed = [random_pair(random, 3) for _ in range(2)]
        exp_eps = random.choice([Fraction(1), Fraction(2), Fraction(11, 10)])
        finite = [FinitePair.of_weights(dict(enumerate(rows)), total) for rows, total in listed]
        question = bounds.Question(Real(exp_eps), Fraction(0) if exp_eps == 1 else Fraction(1, 2), Fraction(1, 100))
        found = bounds.bracket([(finite, 2)], [((pair, 2),) for pair in finite], question, meets=False).delta
        assert adaptive([masses(*pair) for pair in listed], 2, exp_eps) in found


def test_exact_products_are_the_direct_sums():
    random = Random(4)
    for _ in range(300):
        factors = []
        for _ in range(random.randint(1, 2)):
            rows, total = random_pair(random)
            factors.append((rows, total, random.randint(1, 3 if len(rows) < 4 else 2)))
        exact = ExactProduct(
            tuple(FinitePair.of_weights(dict(enumerate(rows)), total).exact(times) for rows, total, times in factors)
        )
        exp_eps = random.choice([Fraction(1), Fraction(2), Fraction(12, 7)])
        first, second = exact.event(exp_eps)
        listed = [(rows, total) for rows, total, times in factors for _ in range(times)]
        assert exact.is_small
        assert first - exp_eps * second == divergence(listed, exp_eps)
        assert exact.event(None)[0] == sum((p for p, q in _joint(listed) if not q), Fraction(0))


def _joint(listed: list[tuple[Rows, int]]) -> list[tuple[Fraction, Fraction]]:
    joint = [(Fraction(1), Fraction(1))]
    for rows, total in listed:
        joint = [(p * x, q * y) for (p, q), (x, y) in product(joint, masses(rows, total))]
    return joint


def test_domination_is_what_it_says():
    """The comparison at breakpoints agrees with one on a fine grid of E, both ways."""
    random = Random(5)
    seen = set()
    for _ in range(150):
        listed = [random_pair(random, 3) for _ in range(2)]
        one, other = (FinitePair.of_weights(dict(enumerate(rows)), total) for rows, total in listed)
        grid = [Fraction(i, 12) for i in range(40)] + [Fraction(10**4)]
        if one.dominates(other):
            assert all(divergence([listed[0]], e) >= divergence([listed[1]], e) for e in grid)
        else:
            levels = [Fraction(p, q) for rows, _ in listed for p, q in rows if q] + [Fraction(10**6)]
            assert any(divergence([listed[0]], e) < divergence([listed[1]], e) for e in levels)
        seen.add(one.dominates(other))
    assert seen == {True, False}


def test_a_perturbed_bound_fails():
    """The comparisons above have teeth: losses that are a little too small give an upper bound that is missed."""
    rows, total = [(3, 1), (1, 3)], 4
    truth = divergence([(rows, total)] * 3, Fraction(2))
    tuning = Tuning(Fraction(1, 4096), Fraction(1), 120, 100, 10**6)
    honest = upper_bound([Factor((LossPair.of(masses(rows, total)),), 3, None)], Real(2), tuning).value.fraction()
    shrunk = LossPair.of([(p, q * Fraction(1001, 1000)) for p, q in masses(rows, total)])
    assert upper_bound([Factor((shrunk,), 3, None)], Real(2), tuning).value.fraction() < truth <= honest
    raised = LossPair.of([(p, q * Fraction(999, 1000)) for p, q in masses(rows, total)])
    assert lower_bound([LowerFactor(raised, 3, None)], Real(2), tuning).fraction() > truth


def test_both_ends_come_closer_under_refinement():
    pair = LossPair.of([(Fraction(w, 2**9), Fraction(v, 2**9)) for w, v in _binomial_rows(8)])
    before = Fraction(0), Fraction(1)
    for k in range(3, 12, 2):
        tuning = Tuning(Fraction(1, 2**k), Fraction(2), 120, 100, 10**6)
        lower = lower_bound([LowerFactor(pair, 5, None)], Real(3), tuning).fraction()
        upper = upper_bound([Factor((pair,), 5, None)], Real(3), tuning).value.fraction()
        assert before[0] * (1 - Fraction(1, 10**6)) <= lower <= upper <= before[1] * (1 + Fraction(1, 10**20))
        before = lower, upper
    assert before[1] - before[0] < before[1] / 1000


def _binomial_rows(n: int) -> Rows:
    from math import comb

    return [(2 * comb(n, t) if t <= n else 0, 2 * comb(n, t - 1) if t else 0) for t in range(n + 2)]


@pytest.mark.parametrize("seed", range(4))
def test_random_heuristics_still_give_valid_results(seed, monkeypatch):
    random = Random(seed)

    def anything(factors, eps, relative_width):
        caps = tuple(random.choice([None, Fraction(random.randint(0, 9), 4)]) for _ in factors)
        tuning = random_tuning(random)
        return heuristics.Choice(tuning.tilt, caps, tuning.step, tuning.length, -random.randint(0, 40))

    monkeypatch.setattr(bounds, "composition_choice", anything)
    rows = _binomial_rows(6)
    pair = FinitePair.of_weights(dict(enumerate(rows)), 2**7)
    truth = divergence([(rows, 2**7)] * 3, Fraction(2))
    question = bounds.Question(Real(2), Fraction(7, 10), Fraction(1, 50))
    assert truth in bounds.bracket([((pair,), 3)], [((pair, 3),)], question, meets=True).delta


def test_the_three_notions_differ_and_each_is_found():
    table = {0: ["1/2", "1/2", "0"], 1: ["1/8", "7/8", "0"], 2: ["1/4", "5/8", "1/8"]}
    rows = {i: {(m,): p for m, p in enumerate(row) if p != "0"} for i, row in table.items()}
    profile = xdp.ShuffleProtocol(xdp.Randomizer(rows), 1).privacy_profile()
    laws = [[Fraction(p) for p in row] for row in table.values()]
    pairs = [list(zip(p, q, strict=True)) for p in laws for q in laws if p is not q]
    exp_eps = Fraction(2)

    def value(*chosen):
        joint = [(a * c, b * d) for (a, b), (c, d) in product(*chosen)]
        return sum((max(Fraction(0), p - exp_eps * q) for p, q in joint), Fraction(0))

    same = max(value(pair, pair) for pair in pairs)
    mixed = max(value(one, other) for one in pairs for other in pairs)
    best = adaptive(pairs, 2, exp_eps)
    assert same < mixed < best
    assert profile.compose(2, notion="same data").delta(exp_eps=exp_eps) == same
    assert profile.compose(2, notion="non-adaptive").delta(exp_eps=exp_eps) == mixed
    found = profile.compose(2).delta(exp_eps=exp_eps)
    assert best in found
    assert found.lo <= mixed
    assert mixed - found.lo < Fraction(1, 10**6)
