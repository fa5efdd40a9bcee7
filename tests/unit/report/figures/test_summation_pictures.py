"""The pictures of correlated counting and of split and mix: what they show, against another arithmetic."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

from exactdp import protocols
from exactdp.numbers.interval import Interval
from exactdp.report.figures.counting_noise import counting_curve_picture, counting_noise, counting_slack_picture
from exactdp.report.figures.mix_security import mix_distances, mix_security, mix_users_picture

EPS, DELTA = Fraction(1), Fraction(1, 10**4)


def test_the_curve_with_the_least_noise_goes_through_what_is_wanted() -> None:
    table = counting_curve_picture(EPS, DELTA).table
    theorem, least = next(row[1:] for row in table.rows if row[0] == EPS)
    assert isinstance(theorem, Interval)
    assert isinstance(least, Interval)
    assert theorem < DELTA / 1000
    assert least <= DELTA < least.hi * Fraction(1001, 1000)
    for name in ("theorem", "least"):
        curve = [value.hi for value in table.column(name) if isinstance(value, Interval)]
        assert curve == sorted(curve, reverse=True)
        assert len(curve) == len(table.rows)


def test_the_noise_is_the_least_and_its_messages_are_those_of_the_shares() -> None:
    ((_, theorem, least, *sent),) = counting_noise(EPS, [4]).rows
    assert isinstance(least, Interval)
    p1, p2 = mp.exp(-mpf(1) / 2), mp.exp(-mpf(1) / 10)
    for r, messages in zip((theorem, least), sent, strict=True):
        expected = 2 * (p1 / (1 - p1) + mpf(float(r)) * p2 / (1 - p2))
        assert abs(float(messages) - expected) < 1e-9 * expected
    assert abs(float(theorem) - 3 * (1 + mp.log(10**4))) < 1e-9
    below, above = (
        protocols.correlated_counting(7, p1="exp(-1/2)", p2="exp(-1/10)", r=r).privacy_profile().delta(eps=EPS)
        for r in (least.lo - Fraction(1, 10**6), least.hi)
    )
    assert above <= DELTA < below


def test_every_step_of_the_proof_needs_less_than_the_one_before() -> None:
    picture = counting_slack_picture(EPS, DELTA)
    needed = [float(value) for value in picture.table.column("needed_r")]  # type: ignore[arg-type]
    assert needed == sorted(needed, reverse=True)
    ((_, _, least, *_),) = counting_noise(EPS, [4]).rows
    assert abs(needed[-1] - float(least)) < 1e-5  # found by another search


@pytest.mark.parametrize("n", [19, 50, 174])
def test_the_worst_pair_of_bits_is_so_far_apart(n: int) -> None:
    """The ones of user i are even or odd: (1 + 3z^2)/4 and (3z + z^3)/4, multiplied in floats."""
    ((_, worst, *pair, bound, published),) = mix_distances([n]).rows
    laws = []
    for dataset in map(str, pair):
        held = dict(map(int, part.split("=")) for part in dataset.split(","))
        law = np.ones(1)
        for bit, users in held.items():
            for _ in range(users):
                law = np.convolve(law, [[0.25, 0, 0.75, 0], [0, 0.75, 0, 0.25]][bit])
        laws.append(law)
    assert abs(np.abs(laws[0] - laws[1]).sum() / 2 - float(worst)) < 1e-12
    assert abs(float(published) - mp.sqrt(2) * mp.e / n) < 1e-6 / n
    assert worst <= bound
    assert (published < worst) == (n == 174)


def test_the_picture_says_where_the_average_case_fails() -> None:
    assert mix_users_picture([19, 26]).title == "The average case is above the worst pair at each of these n"
    assert mix_users_picture([173, 174]).title.endswith("at n\u00a0=\u00a0174 a pair is further apart")


def test_more_messages_are_more_security_and_the_bounds_are_in_order() -> None:
    rows: tuple[tuple[Any, ...], ...] = mix_security(10**4, modulus=2**16, messages=[5, 6, 7]).rows
    for fewer, more in pairwise(rows):
        assert more[1] < fewer[1]
    for _, worst, average, published_worst, published_average in rows:
        assert average < worst < published_worst
        assert average < published_average < published_worst
