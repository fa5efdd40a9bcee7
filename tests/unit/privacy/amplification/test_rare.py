"""E[max(0, L_1 + ... + L_n)] by how often rare large values occur, against exact fractions."""

import random
from fractions import Fraction

import pytest
from flint import arb

from exactdp import Real
from exactdp.mechanisms.unary_encoding_family import UnaryEncoding
from exactdp.numbers.balls import precision, rational_ball
from exactdp.privacy.amplification import positive_part
from exactdp.privacy.amplification.input_pairs import Candidate
from exactdp.privacy.amplification.positive_part import RareSum
from exactdp.privacy.amplification.tilted import FewValues
from tests.oracles import positive_parts as exact

F = Fraction


def sum_of(law, copies, bits):
    """To be used at the precision that is set."""
    values = FewValues(tuple(rational_ball(v) for _, v in law), tuple(rational_ball(p) for p, _ in law))
    return RareSum(values, copies, bits, values.saddle(copies), positive_part._of_law)


def is_found(law, copies, bits):
    with precision(2 * bits + 64):
        ball = sum_of(law, copies, bits).positive_part()
    with precision(2**12):
        return ball.overlaps(rational_ball(exact.by_powers(law, copies) * copies))


def random_law(draw):
    """Three to five values on several scales, with a mean that is not positive."""
    values = {F(draw.randint(-20, 20), draw.choice([1, 10, 100])) * draw.choice([1, 1, 10, 50]) for _ in range(5)}
    weights = [draw.choice([1, 3, 20, 100, 1000, draw.randint(1, 10**4)]) for _ in values]
    law = [(F(weight, sum(weights)), value) for weight, value in zip(weights, sorted(values), strict=True)]
    return law if sum(p * v for p, v in law) <= 0 else [(p, -v) for p, v in law]


def check_random(seeds, monkeypatch):
    seen = 0
    for seed in seeds:
        draw = random.Random(seed)
        law, copies, bits = random_law(draw), draw.choice([2, 3, 5, 8]), draw.choice([1, 4, 16, 40])
        monkeypatch.setattr(positive_part, "_FAR", draw.choice([1, 2, 8]))
        if len(law) < 3 or max(v for _, v in law) <= 0:
            continue
        with precision(2 * bits + 64):
            way = sum_of(law, copies, bits)
            if not way.rare:
                continue
            ball = way.positive_part()
        truth = exact.by_counts(law, copies) * copies
        with precision(2**12):
            assert ball.overlaps(rational_ball(truth)), (seed, law, copies, bits)
        seen += 1
    return seen


def test_random_laws_on_several_scales(monkeypatch):
    assert check_random(range(60), monkeypatch) > 30


@pytest.mark.slow
def test_many_random_laws(monkeypatch):
    assert check_random(range(1000, 4000), monkeypatch) > 1500


TWO_SCALES = [(F(1, 50), F(100)), (F(1, 40), F(-101)), (F(1, 3), F(1)), (F(2, 5), F(-3, 2))]
TWO_SCALES.append((1 - sum(p for p, _ in TWO_SCALES), F(0)))
"""A law of which 40 copies have two rare values, and other values that matter only where these cancel."""


def test_a_law_on_two_scales():
    with precision(100):
        way = sum_of(TWO_SCALES, 40, 20)
        assert set(way.rare) == {0, 1}
        unsure = [counts for counts in way._counts if way._is_unsure(way._mean(counts))]
        assert unsure
        assert len(unsure) < len(way._counts) / 2
    assert is_found(TWO_SCALES, 40, 20)


def test_sure_signs_that_are_charged_nothing(monkeypatch):
    """Where doubt ends too near, what the other values move is lost."""
    monkeypatch.setattr(positive_part.RareSum, "_far", (arb(1), arb(1)))
    monkeypatch.setattr(positive_part.RareSum, "_negligible", arb(10))
    assert is_found(TWO_SCALES, 40, 20)
    monkeypatch.setattr(positive_part.RareSum, "_negligible", arb(2) ** -30)
    assert not is_found(TWO_SCALES, 40, 20)


def test_counts_beyond_windows_charged_nothing(monkeypatch):
    monkeypatch.setattr(positive_part.RareSum, "nats", arb(1))
    assert is_found(TWO_SCALES, 40, 20)
    monkeypatch.setattr(positive_part.RareSum, "beyond", lambda way: arb(0))
    monkeypatch.setattr(positive_part.RareSum, "_negligible", arb(2) ** -30)
    assert not is_found(TWO_SCALES, 40, 20)


def test_the_law_of_the_others_not_shifted(monkeypatch):
    monkeypatch.setattr(positive_part.RareSum, "_shifted", lambda way, counts: way._others)
    assert not is_found(TWO_SCALES, 40, 20)


def test_unary_encoding_with_a_large_eps0():
    """Rare messages that tell much among frequent ones that tell little: no contour answers, nor a sum over counts."""
    (table,) = UnaryEncoding(1000, exp_eps0=10**6).pair_tables()
    mixture, level = Candidate.homogeneous(table, table.others.index(2)).mixture, Real(F(101, 100))
    found = [mixture.divergence(10**6, level, relative_bits=bits) for bits in (5, 20)]
    assert found[0].lower <= found[1].lower
    assert found[1].upper <= found[0].upper
    assert (found[1].hi - found[1].lo) * 2**20 <= found[1].lo


@pytest.mark.parametrize(("others", "looks"), [((5, 9), 1), ((50, 9), 1), ((5, 900), 1), ((50, 900), 1), ((5, 6), 0)])
def test_the_steps_of_rare_values_are_asked_for_where_they_matter(others, looks):
    class Way:
        def __init__(self, steps):
            self.steps = steps

    class Rare:
        least_steps, asked = 7, 0

        @property
        def steps(self):
            Rare.asked += 1
            return 30

    Rare.asked, way = 0, Rare()
    ways = [Way(others[0]), way, Way(others[1])]
    ordered = positive_part._fastest_first(ways, way)
    first = next(ordered)
    assert first.steps == min(*others, 30) if looks == 0 or min(others) < 7 else first in ways
    assert (Rare.asked > 0) == (min(others) >= 7)
    assert [one.steps for one in (first, *ordered)] == sorted([*others, 30])
