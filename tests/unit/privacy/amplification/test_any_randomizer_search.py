"""No extreme randomizer of three inputs is less private than k-ary response, of which the lower end is made.

Rows of an eps0-DP randomizer are mixtures of those in which every message is 1 or E = e^eps0 times as likely under one
input as under another; with three inputs three such messages are enough. All of these are tried here: x and x' are the
inputs of the user who differs, and all others hold the third input, whose row may be that of x or x'.
"""

from fractions import Fraction
from itertools import combinations, product

import pytest
from flint import fmpq, fmpq_mat

from exactdp import Real
from exactdp.mechanisms.any_randomizer_family import AnyRandomizer
from exactdp.privacy.amplification import amplification
from exactdp.privacy.amplification.amplification import Amplification
from exactdp.privacy.amplification.input_pairs import FamilyPairs
from exactdp.privacy.amplification.positive_part import mixture_of
from exactdp.randomizers import KAryResponse, any_randomizer

F = Fraction


def extreme(ratio):
    """Yield (P, Q, R) of each message of each extreme randomizer that is not constant."""
    patterns = [tuple(ratio if high else F(1) for high in bits) for bits in product((0, 1), repeat=3)]
    for first, second in combinations(patterns, 2):
        if all(a != b for a, b in zip(first, second, strict=True)):  # one is high where the other is low
            yield [tuple(a / (ratio + 1) for a in row) for row in (first, second)]
    for three in combinations(patterns, 3):
        matrix = fmpq_mat(3, 3, [fmpq(row[i].numerator, row[i].denominator) for i in range(3) for row in three])
        if matrix.det() != 0:
            solved = matrix.solve(fmpq_mat(3, 1, [1, 1, 1])).entries()
            weights = [F(int(w.p), int(w.q)) for w in solved]
            if min(weights) > 0:
                yield [tuple(w * a for a in row) for w, row in zip(weights, three, strict=True)]


def divergences(ratio, n, exp_eps):
    for classes in extreme(ratio):
        assert {sum(column) for column in zip(*classes, strict=True)} == {1}
        if any(p > exp_eps * q for p, q, _ in classes):
            yield mixture_of(classes).divergence(n, Real(exp_eps), relative_bits=20)


def is_least_private(ratio, n, exp_eps):
    engine = Amplification(FamilyPairs(any_randomizer(exp_eps0=ratio)), n)
    lower = engine.bracket(Real(exp_eps), 20).lower
    searched = list(divergences(ratio, n, exp_eps))
    return max(one.lower for one in searched) <= lower.upper and lower.lower <= max(one.upper for one in searched)


QUESTIONS = [
    (ratio, n, 1 + (ratio - 1) * share / divisor)
    for ratio in (F(3, 2), F(3), F(7), F(50))
    for n, divisor in ((2, 1), (5, 1), (20, 1), (200, F(7, 2)), (2000, 11))
    for share in (F(1, 10), F(1, 2), F(9, 10))
]
EACH = [pytest.param(*question, marks=[pytest.mark.slow] * (i % 3 != 1)) for i, question in enumerate(QUESTIONS)]


@pytest.mark.parametrize(("ratio", "n", "exp_eps"), EACH)
def test_no_extreme_randomizer_is_above_the_lower_end(ratio, n, exp_eps):
    assert is_least_private(ratio, n, exp_eps)


@pytest.mark.parametrize("k", [2, 3])
def test_one_member_alone_is_not_enough(monkeypatch, k):
    amplification._kept_candidates.cache_clear()
    amplification._kept_bracket.cache_clear()
    monkeypatch.setattr(AnyRandomizer, "lower_families", lambda self: (KAryResponse(k, exp_eps0=self.exp_eps0),))
    assert not all(is_least_private(*question) for question in QUESTIONS[15:24])
    amplification._kept_candidates.cache_clear()
    amplification._kept_bracket.cache_clear()
