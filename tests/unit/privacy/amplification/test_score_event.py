"""Events of sums of message scores, against the law of the sum written out."""

import random
from collections import Counter
from fractions import Fraction
from math import lcm

import pytest

from exactdp.errors import TooLargeError
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.score_event import Contour, ScoreEvent
from tests.thinned import thinned


def gained(event, users, exp_eps):
    """The sum over bundles of (P - E Q) P[S >= c - l], from the law of the others' scores."""
    scale = lcm(*(p.denominator for _, p in event.others))
    law = {0: 1}
    for _ in range(users - 1):
        sums = Counter()
        for total, weight in law.items():
            for score, p in event.others:
                sums[total + score] += weight * int(scale * p)
        law = sums
    return sum(
        (p - exp_eps * q) * sum(weight for total, weight in law.items() if total >= event.threshold - score)
        for score, p, q in event.bundles
    ) / scale ** (users - 1)


def random_event(seed):
    rng = random.Random(seed)
    kinds = rng.randrange(2, 5)

    def row():
        weights = [rng.randrange(1, 7) for _ in range(kinds)]
        return [Fraction(weight, sum(weights)) for weight in weights]

    first, second, others = row(), row(), row()
    ratios = [p / q for p, q in zip(first, second, strict=True)]
    scores = sorted(rng.sample(range(-6, 7), kinds))
    ranks = sorted(range(kinds), key=ratios.__getitem__)
    score = {place: scores[rank] for rank, place in enumerate(ranks)}
    users = rng.randrange(1, 90)
    mean = (users - 1) * sum(score[i] * p for i, p in enumerate(others))
    bundles = tuple((score[i], first[i], second[i]) for i in range(kinds))
    event = ScoreEvent(bundles, tuple((score[i], p) for i, p in enumerate(others)), int(mean) + rng.randrange(1, 30))
    return event, users, Fraction(rng.randrange(8, 12), 8)


@pytest.mark.parametrize("block", thinned(range(2), every=2))
def test_an_event_is_enclosed_or_given_up(block):
    enclosed = 0
    for seed in range(20 * block, 20 * block + 20):
        event, users, exp_eps = random_event(seed)
        exact = gained(event, users, exp_eps)
        try:
            interval = event.divergence(users, Real(exp_eps), relative_bits=20)
        except TooLargeError:
            continue
        if interval.upper.mantissa:
            enclosed += 1
            assert exact in interval
            assert (interval.hi - interval.lo) * 2**20 <= interval.lo
        else:
            assert interval.lo == 0
    assert enclosed >= 5


def test_a_lost_bound_of_the_other_periods_is_seen(monkeypatch):
    """With a period that is too short the bound of the other periods keeps the truth inside, and nothing else does."""
    event = ScoreEvent(
        (
            (1, Fraction(1, 2), Fraction(1, 4)),
            (0, Fraction(1, 4), Fraction(1, 4)),
            (-1, Fraction(1, 4), Fraction(1, 2)),
        ),
        ((1, Fraction(1, 4)), (0, Fraction(1, 2)), (-1, Fraction(1, 4))),
        14,
    )
    exact, choose = gained(event, 80, Fraction(51, 50)), Contour.of.__func__

    def short(cls, whole, bits, *, on_lattice=False):
        contour = choose(cls, whole, 24, on_lattice=on_lattice)
        object.__setattr__(contour, "last", contour.last * 3 // 5)
        object.__setattr__(contour, "period", contour.spacing * (2 * contour.last + 1))
        return contour

    monkeypatch.setattr(Contour, "of", classmethod(short))
    assert exact in event.divergence(80, Real(Fraction(51, 50)), relative_bits=2)
    monkeypatch.setattr(f"{ScoreEvent.__module__}.EventContour._tails", lambda contour: contour.point.tilt * 0)
    without = event.divergence(80, Real(Fraction(51, 50)), relative_bits=12)
    assert without.upper.mantissa
    assert exact not in without


def test_few_and_equal_scores_are_added_up():
    one = Fraction(1)
    event = ScoreEvent(((3, one, Fraction(0)), (0, Fraction(0), one)), ((1, one),), 12)
    assert event.divergence(10, Real(2), relative_bits=20).lo <= 1 <= event.divergence(10, Real(2), relative_bits=20).hi
    assert event.divergence(10**9, Real(2), relative_bits=20).hi == 0  # all data sets have the score
