"""Samples of sums in almost one message: of the whole view, and user by user, against every draw up to a cut."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from exactdp import Law
from exactdp.protocols import AlmostCentralSum
from exactdp.sampling import sample, simulate
from exactdp.testing import assert_samples_match

PROTOCOL = AlmostCentralSum(4, bound=2, p="1/8", common=[(1, "1/8")], multisets=[(1, "1/8")])
PEOPLE = {0: 2, 1: 1, 2: 1}
NOISE = ((1, 0, 0, 0), (0, 0, 1, 0), (1, 0, 1, 0), (0, 1, 2, 0), (2, 0, 0, 1))
"""A unit of each noise, as counts of 1, 2, -1, -2."""
CUT = 5
BEYOND = (-1, -1, -1, -1)


def law(units: tuple[tuple[int, ...], ...] = NOISE) -> Law:
    """The law of all counts, with one outcome for what needs more draws than the cut; every noise has the ratio 1/8."""
    known: dict[tuple[int, ...], Fraction] = {}
    for draws in product(range(CUT), repeat=5):
        counts = np.array([1, 1, 0, 0]) + sum(t * np.array(unit) for t, unit in zip(draws, units, strict=True))
        if counts.sum() < 8:  # so few messages need fewer draws than the cut
            key = tuple(map(int, counts))
            known[key] = known.get(key, Fraction(0)) + Fraction(7, 8) ** 5 / 8 ** sum(draws)
    return Law(known | {BEYOND: 1 - sum(known.values())})


def cut(drawn):
    return np.where((drawn.sum(axis=1) >= 8)[:, None], np.array(BEYOND), drawn)


def test_the_view_and_the_users_themselves() -> None:
    for draw, seed in ((sample, 1), (simulate, 2)):
        assert_samples_match(
            lambda size, rng, draw=draw: cut(draw(PROTOCOL, PEOPLE, size=size, rng=rng)), law(), size=20_000, seed=seed
        )


def test_a_wrong_multiset_is_caught() -> None:
    swapped = (*NOISE[:3], (0, 1, 1, 0), NOISE[4])
    with pytest.raises(AssertionError):
        assert_samples_match(
            lambda size, rng: cut(sample(PROTOCOL, PEOPLE, size=size, rng=rng)), law(swapped), size=20_000, seed=3
        )
