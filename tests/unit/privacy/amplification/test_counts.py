"""E[max(0, L_1 + ... + L_n)] by how often each value occurs, against exact fractions."""

import random
from fractions import Fraction

import pytest
from flint import arb

from exactdp import Real
from exactdp.numbers.balls import precision, rational_ball
from exactdp.privacy.amplification import positive_part
from exactdp.privacy.amplification import positive_part as counts
from exactdp.privacy.amplification.positive_part import CountSum, blanket_mixture
from exactdp.privacy.amplification.tilted import FewValues
from exactdp.randomizers import KAryResponse
from tests.oracles import positive_parts as exact
from tests.thinned import thinned

F = Fraction


def enclosed(law, copies, bits, tilt=None):
    """E[max(0, S)] in balls, at a tilt if one is named."""
    with precision(2 * bits + 64 + 2 * copies.bit_length()):
        values = FewValues(tuple(rational_ball(v) for _, v in law), tuple(rational_ball(p) for p, _ in law))
        point = values.saddle(copies) if tilt is None else values.tilted(arb(tilt))
        return CountSum(values, copies, bits, point).positive_part()


def contains(ball, truth):
    with precision(2**12):
        return ball.contains(rational_ball(truth)) or rational_ball(truth).contains(ball)


def random_law(draw):
    """Two to six values, some of them rare, with a mean that is not positive."""
    values = sorted({F(draw.randint(-20, 20), draw.choice([1, 1, 2, 3])) for _ in range(draw.randint(2, 6))})
    weights = [draw.choice([1, 1, 3, 20, 1000, draw.randint(1, 10**6)]) for _ in values]
    law = [(F(weight, sum(weights)), value) for weight, value in zip(weights, values, strict=True)]
    return law if sum(p * v for p, v in law) <= 0 else [(p, -v) for p, v in law]


def check_random(seeds):
    seen = 0
    for seed in seeds:
        draw = random.Random(seed)
        law = random_law(draw)
        copies, bits = draw.choice([1, 2, 3, 9, 20, 60]), draw.choice([1, 2, 4, 16, 40, 120])
        if len(law) < 2 or max(v for _, v in law) <= 0 or copies ** (len(law) - 2) > 2000:
            continue
        truth = exact.by_powers(law, copies) * copies
        assert contains(enclosed(law, copies, bits), truth), (seed, law, copies, bits)
        seen += 1
    return seen


def test_random_laws_at_few_and_many_bits():
    assert check_random(range(120)) > 60


@pytest.mark.slow
def test_many_random_laws():
    assert check_random(range(1000, 5000)) > 2000


RARE = [(F(1, 2000), F(999)), (F(1, 3000), F(-1003, 2)), (F(1, 100), F(-1, 30))]
RARE.append((1 - sum(p for p, _ in RARE), F(0)))
"""A law of which 16 copies are mostly 0, with sums on three scales."""


@pytest.mark.parametrize("bits", [10, 60])
def test_rare_values_that_a_contour_cannot_tell_apart(bits):
    truth = exact.by_counts(RARE, 16) * 16
    found = enclosed(RARE, 16, bits)
    assert contains(found, truth)
    assert found.rel_accuracy_bits() > bits - 2


def test_windows_that_cut_are_charged(monkeypatch):
    """With windows of a deviation or so the sum is well below the truth: the charge makes up for it."""
    law, copies = [(F(1, 3), F(1)), (F(1, 2), F(-1)), (F(1, 6), F(1, 5))], 60
    truth = exact.by_powers(law, copies) * copies
    monkeypatch.setattr(CountSum, "nats", arb(0.5))
    assert contains(enclosed(law, copies, 8), truth)
    monkeypatch.setattr(CountSum, "_tails", lambda *_: arb(0))
    assert not contains(enclosed(law, copies, 8), truth)


def test_a_charge_by_tails_of_a_law_that_is_not_tilted(monkeypatch):
    """Far out a tail without the tilt is no bound: the windows lie around other counts."""
    law, copies = [(F(1, 4), F(2)), (F(3, 4), F(-1))], 200
    law = [(p, v - F(1, 2)) for p, v in law]
    truth = exact.by_powers(law, copies) * copies
    assert contains(enclosed(law, copies, 30), truth)
    charge = CountSum.charge
    monkeypatch.setattr(CountSum, "charge", lambda whole, point: charge(whole, point) / 2**60)
    monkeypatch.setattr(CountSum, "nats", arb(2))
    assert not contains(enclosed(law, copies, 30), truth)


def test_rounded_values_are_charged(monkeypatch):
    law, copies = [(F(1, 3), F(1)), (F(1, 2), F(-1)), (F(1, 6), F(1, 5))], 20
    truth = exact.by_powers(law, copies) * copies
    monkeypatch.setattr(CountSum, "places", 6)
    assert contains(enclosed(law, copies, 60), truth)
    left_out = CountSum._left_out
    monkeypatch.setattr(CountSum, "_left_out", lambda whole: left_out(whole) / 2**40)
    assert not contains(enclosed(law, copies, 60), truth)


def test_a_saddle_that_is_lost():
    """Where one value is large and positive and hardly ever missed, Newton's method runs away."""
    law, copies = [(F(20, 23), F(3, 2)), (F(3, 23), F(-15))], 9
    truth = exact.by_powers(law, copies) * copies
    found = enclosed(law, copies, 16)
    assert contains(found, truth)
    assert found.rel_accuracy_bits() > 14


@pytest.mark.parametrize("tilt", [0, F(1, 3), 3])
def test_any_tilt_gives_a_proof(tilt):
    law, copies = [(F(1, 3), F(1)), (F(1, 2), F(-1)), (F(1, 6), F(1, 5))], 60
    truth = exact.by_powers(law, copies) * copies
    assert contains(enclosed(law, copies, 12, tilt if isinstance(tilt, int) else float(tilt)), truth)


def test_how_many_counts_lie_in_windows():
    half = counts.Half(
        (0, 1, 2),
        (positive_part.Window(0, 3), positive_part.Window(2, 4)),
        (positive_part.Window(0, 3), positive_part.Window(3, 5)),
    )
    assert half.rows == sum(3 <= a + b <= 5 for a in range(4) for b in range(2, 5))


HARD = [
    (16, 10**6, Real(F(103, 100)), 1000, 20),
    (16, 55, Real(1 + F(1, 10**6)), 1000, 20),
    (16, 10**6, Real.exp(F(1, 30)), 10**9, 20),
    (3, F(1648721, 10**6), Real(F(11, 10)), 1000, 80),
    (16, 10**7, Real(F(103, 100)), 10**5, 20),
]
"""k-ary response that a contour answers in minutes or not at all: rare values, values near a lattice, many bits."""


@pytest.mark.parametrize(("k", "exp_eps0", "exp_eps", "n", "bits"), thinned(HARD, every=2))
def test_what_contours_cannot_do_is_narrow_and_nests(k, exp_eps0, exp_eps, n, bits):
    (table,) = KAryResponse(k, exp_eps0=exp_eps0).pair_tables()
    mixture = blanket_mixture(table)
    found = [mixture.divergence(n, exp_eps, relative_bits=many) for many in (bits // 4, bits)]
    assert found[0].lower <= found[1].lower
    assert found[1].upper <= found[0].upper
    assert (found[1].hi - found[1].lo) * 2**bits <= found[1].lo


def test_counts_and_a_contour_agree(monkeypatch):
    (table,) = KAryResponse(16, exp_eps0=55).pair_tables()
    mixture, level = blanket_mixture(table), Real(F(13, 10))
    found = []
    for steps in (-1, 2**22):
        monkeypatch.setattr(positive_part, "_FEW_STEPS", steps)
        found.append(mixture.divergence(1000, level, relative_bits=40))
    assert max(one.lower for one in found) <= min(one.upper for one in found)
    assert found[0] != found[1]
