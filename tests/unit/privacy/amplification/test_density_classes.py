"""Classes of users whose real numbers have different noise: shares of rows, cells in common, and both ends."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import laplace as laplace_law

from exactdp import Claim, Randomizer, ShuffleProtocol
from exactdp.errors import InvalidValueError
from exactdp.mechanisms.density_absence_family import NumbersAway
from exactdp.mechanisms.density_family import DensityFamily, StepFamily
from exactdp.mechanisms.joint_classes import joint_tables
from exactdp.randomizers import gaussian, hybrid, laplace, piecewise, randomized_response, staircase

fractions = st.fractions(min_value=0, max_value=1, max_denominator=64)
HALF = Fraction(1, 2)
tops = st.fractions(min_value=Fraction(9, 8), max_value=100, max_denominator=16)


@given(tops, tops, fractions)
@settings(max_examples=60, deadline=None)
def test_noise_of_a_larger_scale_has_a_share_of_a_mixture(one: Fraction, other: Fraction, v: Fraction) -> None:
    """The mixture of the proof, added up: it is below the row everywhere, and no smaller than the share."""
    top, less = max(one, other), min(one, other)
    share = float(laplace(exp_eps0=top).share_in(laplace(exp_eps0=less)))
    rate, slow, at = math.log(top), math.log(less), float(v)

    def row(y: Any, place: Any, e: float) -> Any:
        return e / 2 * np.exp(-e * abs(y - place))

    def slope(y: float) -> float:
        return slow * float(row(y, at, slow)) * (1 if y < at or (y == at == 1) else -1)

    atoms = {
        0.0: (rate * row(0, at, slow) - slope(0.0)) / rate**2,
        1.0: (rate * row(1, at, slow) + slope(1.0)) / rate**2,
    }
    inside = (slow / rate) ** 2 if 0 < at < 1 else 0.0
    atoms[at] = atoms.get(at, 0.0) + inside
    grid = np.linspace(0, 1, 4001)
    middles = (grid[1:] + grid[:-1]) / 2
    weights = (1 - (slow / rate) ** 2) * row(middles, at, slow) / 4000
    assert min(*atoms.values(), *weights) >= -1e-12
    assert sum(atoms.values()) + weights.sum() >= share - 1e-6
    for y in (-2.0, -0.1, 0.0, 0.3, 0.77, 1.0, 1.5):
        mixture = sum(w * row(y, x, rate) for x, w in atoms.items()) + (weights * row(y, middles, rate)).sum()
        assert mixture <= row(y, at, slow) * (1 + 1e-4)
        if 0 <= y <= 1:
            assert mixture == pytest.approx(row(y, at, slow), rel=1e-3)
    ends = [1 - (1 - slow / rate) * (math.exp(-slow * at) + math.exp(-slow * (1 - at))) / 2, share]
    assert ends[0] >= ends[1] - 1e-12


@given(st.sampled_from([piecewise, staircase]), tops, tops, fractions)
@settings(max_examples=60, deadline=None)
def test_steps_of_a_smaller_eps0_have_a_share(kind: Any, one: Fraction, other: Fraction, place: Fraction) -> None:
    family, noisier = kind(exp_eps0=max(one, other)), kind(exp_eps0=min(one, other))
    share = family.share_in(noisier)
    low, high, _ = family.places
    value = low + (high - low) * place
    cuts = sorted({*family.cuts((value,)), *noisier.cuts((value,))})
    masses = [[b - a for a, b in pairwise([f.below(value, cut, 9) for cut in cuts])] for f in (family, noisier)]
    ratios = [b / a for a, b in zip(*masses, strict=True) if a]
    assert 0 < share <= 1
    assert min(ratios) == share  # a larger one would be none
    assert not noisier.share_in(family) or family == noisier


@pytest.mark.parametrize("family", [piecewise(exp_eps0=4), staircase(exp_eps0=9)], ids=lambda family: family.name)
@given(fractions, fractions)
def test_the_law_of_steps_is_that_of_their_masses(family: StepFamily, one: Fraction, other: Fraction) -> None:
    low, high, _ = family.places
    inputs = [low + (high - low) * share for share in (one, other)]
    ends = sorted({cut + k for x in inputs for cut in family.cuts((x,)) for k in range(-40, 41)})
    told = sorted(
        tuple(b - a for a, b in zip(*each, strict=True))
        for each in pairwise([[family.below(x, cut, 9) for x in inputs] for cut in ends])
    )
    whole = [sum(column) for column in zip(*told, strict=True)]
    assert all(1 - float(total) < 1e-9 for total in whole)
    for exp_eps in (1, 2):
        gain = sum(max(Fraction(0), p - exp_eps * q) for p, q in told)
        assert float(gain) == pytest.approx(
            float(sum(max(Fraction(0), p - exp_eps * q) for p, q in family.steps(inputs))), abs=1e-9
        )


@given(tops, fractions, st.fractions(-3, 4, max_denominator=16))
def test_the_law_of_laplace_noise_is_known_to_any_accuracy(top: Fraction, value: Fraction, point: Fraction) -> None:
    below = [laplace(exp_eps0=top).below(value, point, bits) for bits in (40, 200)]
    expected = laplace_law.cdf(float(point - value), scale=1 / math.log(top))
    assert float(below[0]) == pytest.approx(expected, rel=1e-9)
    assert 0 <= below[1] - below[0] <= Fraction(1, 2**40)


def tables(families: list[DensityFamily], own: int) -> list[Randomizer]:
    """Each family by the cells that both tell apart."""
    joint = joint_tables(families, own)[0]
    each = []
    for group in range(len(families)):
        rows = [[joint.row(c, group, place) for c in joint.table.classes] for place in range(len(joint.inputs))]
        laws = ({(m,): p for m, p in enumerate(row) if p} for row in rows)
        each.append(Randomizer(dict(zip(joint.inputs, laws, strict=True))))
    return each


PAIRS = [
    (laplace(exp_eps0="exp(1)"), laplace(exp_eps0=5)),
    (piecewise(exp_eps0=4), piecewise(exp_eps0=9)),
    (staircase(exp_eps0=4), staircase(exp_eps0=9)),
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair[0].name)
@pytest.mark.parametrize("sizes", [(1, 2), pytest.param((40, 30), marks=pytest.mark.slow)])
def test_data_sets_of_cells_lie_below_the_upper_end(pair: tuple[DensityFamily, DensityFamily], sizes: Any) -> None:
    protocol = ShuffleProtocol(tuple(zip(pair, sizes, strict=True)))
    told = ShuffleProtocol(tuple(zip(tables(list(pair), 1), sizes, strict=True)))
    for place in (0, 1):
        for exp_eps in (Fraction(11, 10), Fraction(3, 2)):
            ends = protocol.privacy_profile(user_class=place).bracket(exp_eps=exp_eps)
            less = told.privacy_profile(user_class=place).bracket(exp_eps=exp_eps)
            assert less.lower.lo <= ends.upper.hi
            assert ends.lower.lo <= less.upper.hi * (1 + Fraction(1, 2**30)) or place == 0


def test_users_with_more_noise_serve_and_those_with_less_do_not() -> None:
    careful, plain = laplace(exp_eps0=2), laplace(exp_eps0=3)
    both = ShuffleProtocol(((careful, 3000), (plain, 3000)))
    level = {"exp_eps": "21/20"}
    with_more, alone, among = (
        one.delta(**level)
        for one in (
            both.privacy_profile(user_class=1),
            ShuffleProtocol(plain, 3000).privacy_profile(),
            ShuffleProtocol(plain, 6000).privacy_profile(),
        )
    )
    assert among.hi < with_more.hi < alone.lo
    assert both.privacy_profile(user_class=1).bracket(**level).theorem.count("classes 0 and 1") == 1
    own = both.privacy_profile(user_class=0).bracket(**level)
    assert "by the other users of class 0" in own.theorem
    assert own.upper.hi < with_more.hi
    assert own.lower.hi < ShuffleProtocol(careful, 3000).privacy_profile().delta(**level).lo


@pytest.mark.parametrize("users", [10, 20])
def test_few_users_of_another_class_never_take_privacy_away(users: int) -> None:
    alone = ShuffleProtocol(piecewise(exp_eps0=9), users).privacy_profile().delta(exp_eps="3/2")
    together = ShuffleProtocol([(piecewise(exp_eps0=9), users), (piecewise(exp_eps0=4), users)])
    assert together.privacy_profile(user_class=0).delta(exp_eps="3/2").hi <= alone.hi * Fraction(10001, 10000)


def test_users_of_a_class_may_be_away() -> None:
    """Who is away half of the time serves less than who is there, and more than nobody; his own class has its coins."""
    narrow, wide = laplace(exp_eps0=3), laplace(exp_eps0=2)

    def upper(own: Any, other: Any) -> Fraction:
        both = ShuffleProtocol(((narrow, 1500), (wide, 3000)), participation=(own, other))
        return both.privacy_profile(user_class=0).bracket(exp_eps="11/10").upper.hi

    alone = ShuffleProtocol(narrow, 1500).privacy_profile().bracket(exp_eps="11/10").upper.lo
    assert upper(1, 1) < upper(1, "1/2") < alone
    away = ShuffleProtocol(narrow, 1500, participation="1/2").privacy_profile().bracket(exp_eps="11/10").upper.lo
    assert upper("1/2", "1/2") < away
    assert float(upper("1/2", 1)) == pytest.approx(float(away), rel=0.02)  # all who are there show who is away
    assert NumbersAway(narrow, HALF).share_in(NumbersAway(wide, HALF)) == narrow.share_in(wide)
    assert NumbersAway(narrow, HALF).share_in(NumbersAway(wide, Fraction(9, 10))) == Fraction(1, 5)
    hidden: Any = {"participation": HALF, "absence": "hidden", "dummy": ("input", 0)}
    with pytest.raises(InvalidValueError, match="no cells in common are known"):
        ShuffleProtocol(((narrow, 10), (wide, 10)), **hidden)


def test_a_larger_share_would_be_a_smaller_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the share has a part in the upper end: with all of the others it is that of one randomizer."""
    from exactdp.mechanisms.laplace_family import LaplaceRandomizer

    pair = ((laplace(exp_eps0="2.5"), 500), (laplace(exp_eps0="3.5"), 501))
    right = ShuffleProtocol(pair).privacy_profile(user_class=1).bracket(exp_eps="6/5").upper
    monkeypatch.setattr(LaplaceRandomizer, "share_in", lambda self, other: Fraction(1))
    wrong = ShuffleProtocol(((pair[0][0], 501), (pair[1][0], 500))).privacy_profile(user_class=1)
    assert wrong.bracket(exp_eps="6/5").upper.hi < right.lo


@pytest.mark.parametrize(
    ("classes", "words"),
    [
        ((gaussian(sigma=1, delta0="1e-9"), gaussian(sigma=2, delta0="1e-9")), "no cells in common are known"),
        ((hybrid(exp_eps0=3), piecewise(exp_eps0=3)), "no cells in common are known"),
        ((laplace(exp_eps0=3), piecewise(exp_eps0=3)), "reads other inputs"),
        ((laplace(exp_eps0=3), randomized_response(2, exp_eps0=3)), "reads other inputs"),
    ],
)
def test_what_is_not_compared_is_refused(classes: Any, words: str) -> None:
    for both in (classes, classes[::-1]):
        with pytest.raises(InvalidValueError, match=words):
            ShuffleProtocol(tuple((one, 100) for one in both))


def test_no_claim_states_them() -> None:
    with pytest.raises(InvalidValueError, match="no claim states products of these, classes or users who"):
        Claim.shuffle_dp(ShuffleProtocol(((laplace(exp_eps0=3), 9), (laplace(exp_eps0=2), 9))), eps=1, delta="1e-6")
