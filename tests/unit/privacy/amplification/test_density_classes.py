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
from scipy.stats import norm

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


@given(tops, tops, fractions)
@settings(max_examples=60, deadline=None)
def test_a_hybrid_row_has_a_share_of_piecewise_rows(one: Fraction, other: Fraction, place: Fraction) -> None:
    family, noisier = piecewise(exp_eps0=max(one, other)), hybrid(exp_eps0=min(one, other))
    value, share = 2 * place - 1, noisier.share_of(family)
    cuts = sorted({*family.cuts((value,)), *noisier.cuts((value,))})
    masses = [[b - a for a, b in pairwise([f.below(value, cut, 9) for cut in cuts])] for f in (family, noisier)]
    assert min(b / a for a, b in zip(*masses, strict=True) if a) == share
    assert not noisier.share_of(hybrid(exp_eps0=101))  # whose messages of Duchi's are others


@pytest.mark.parametrize(
    "family",
    [piecewise(exp_eps0=4), staircase(exp_eps0=9), hybrid(exp_eps0=9), hybrid(exp_eps0="3/2")],
    ids=lambda family: family.name,
)
@given(fractions, fractions)
def test_the_law_of_steps_is_that_of_their_masses(family: StepFamily, one: Fraction, other: Fraction) -> None:
    low, high, _ = family.places
    inputs = [low + (high - low) * share for share in (one, other)]
    beyond = range(-40, 41) if family.name == "staircase" else (0,)
    ends = sorted({cut + k for x in inputs for cut in family.cuts((x,)) for k in beyond})
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


sigmas = st.fractions(HALF, 8, max_denominator=8)


@given(sigmas, fractions, st.fractions(-9, 10, max_denominator=16))
def test_the_law_of_gaussian_noise_is_known_to_any_accuracy(sigma: Fraction, value: Fraction, point: Fraction) -> None:
    below = [gaussian(sigma=sigma, delta0="1e-9").below(value, point, bits) for bits in (40, 200)]
    assert float(below[0]) == pytest.approx(norm.cdf(float(point - value), scale=float(sigma)), rel=1e-9, abs=1e-15)
    assert 0 <= below[1] - below[0] <= Fraction(1, 2**40)


@given(sigmas, sigmas, fractions)
def test_more_gaussian_noise_has_a_share_of_every_row(one: Fraction, other: Fraction, value: Fraction) -> None:
    less, more = (gaussian(sigma=sigma, delta0="1e-9") for sigma in sorted((one, other)))
    places = np.linspace(-30, 31, 2001)
    logs = [norm.logpdf(places, float(value), float(family.sigma)) for family in (more, less)]
    apart = np.append(logs[0] - logs[1], math.log(less.sigma / more.sigma))  # the last one is where y = x
    share = float(less.share_in(more))
    assert math.log(share) == pytest.approx(min(apart), abs=1e-9)  # and a larger one would be none
    assert less.sigma == more.sigma or (less.share_in(more) < 1 and not more.share_in(less))


def test_cells_beyond_the_range_of_a_class_are_one_with_the_word() -> None:
    """The least range is told, also of the others: within it all three forms of a message are one."""
    wide, narrow = gaussian(sigma=2, delta0="1e-9"), gaussian(sigma=1, delta0="1/100")
    (one, two) = (joint_tables([wide, narrow], own)[0] for own in (0, 1))
    for group, family in enumerate((wide, narrow)):
        outside = norm.cdf(-float(narrow.tau), scale=float(family.sigma))
        outside += norm.sf(float(1 + narrow.tau), scale=float(family.sigma))
        masses = [float(one.row(c, group, 0)) for c in one.table.classes]
        assert sum(masses) == pytest.approx(1)
        assert min(abs(mass - outside) for mass in masses) < 1e-12
    assert len(one.table.classes) == len(two.table.classes)


def both_given_away(first: float, second: float, other: float, exp_eps: float) -> float:
    """The divergence of one of sigma = 1 beside one of sigma = 2: messages are seen, and not whose they are."""
    y = np.linspace(-11, 12, 1500)
    away = norm.pdf(y, other, 2)
    p, q = norm.pdf(y, first, 1), norm.pdf(y, second, 1)
    seen = [np.outer(row, away) + np.outer(away, row) for row in (p, q)]
    return float(np.maximum(0, seen[0] - exp_eps * seen[1]).sum() / 2 * (y[1] - y[0]) ** 2)


def test_two_users_of_different_gaussian_noise_lie_between_the_ends() -> None:
    protocol = ShuffleProtocol([(gaussian(sigma=1, delta0="1e-12"), 1), (gaussian(sigma=2, delta0="1e-12"), 1)])
    ends = protocol.privacy_profile(user_class=0).bracket(exp_eps="3/2")
    true = max(both_given_away(a, 1 - a, b, 1.5) for a in (0, 1) for b in (0, 1))
    assert float(ends.lower.lo) <= true + 1e-6
    assert true <= float(ends.upper.hi) + 1e-6
    assert float(ends.lower.hi) > 0.8 * true


@pytest.mark.slow
def test_gaussian_users_with_more_noise_serve() -> None:
    plain, careful = gaussian(sigma=1, delta0="1e-12"), gaussian(sigma="5/4", delta0="1e-12")
    both, level = ShuffleProtocol(((careful, 3000), (plain, 3000))), {"exp_eps": "21/20"}
    found = both.privacy_profile(user_class=1).bracket(**level)
    alone, among = (ShuffleProtocol(plain, n).privacy_profile().bracket(**level).upper for n in (3000, 6000))
    assert among.hi < found.upper.lo < found.upper.hi < alone.lo
    assert "classes 0 and 1" in found.theorem
    assert "by the other users of class 0" in both.privacy_profile(user_class=0).bracket(**level).theorem


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
    (gaussian(sigma=2, delta0="1e-9"), gaussian(sigma=1, delta0="1e-9")),
    (hybrid(exp_eps0=4), hybrid(exp_eps0=9)),
    (hybrid(exp_eps0=4), piecewise(exp_eps0=9)),
    (hybrid(exp_eps0="3/2"), piecewise(exp_eps0=4)),
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: "-".join(one.name for one in pair))
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
