"""The pictures of correlated counting and of split and mix: what they show, against another arithmetic."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from mpmath import mp, mpf

from exactdp import protocols
from exactdp.numbers.interval import Interval
from exactdp.report.figures.counting_noise import counting_curve_picture, counting_noise, counting_slack_picture
from exactdp.report.figures.mix_security import mix_points, mix_security, mix_users_picture

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
    (point,) = counting_noise(EPS, [4])
    p1, p2 = mp.exp(-mpf(1) / 2), mp.exp(-mpf(1) / 10)
    for r, messages in ((point.theorem, point.theorem_messages), (point.least, point.least_messages)):
        expected = 2 * (p1 / (1 - p1) + mpf(float(r)) * p2 / (1 - p2))
        assert abs(float(messages) - expected) < 1e-9 * expected
    assert abs(float(point.theorem) - 3 * (1 + mp.log(10**4))) < 1e-9
    below, above = (
        protocols.correlated_counting(7, p1="exp(-1/2)", p2="exp(-1/10)", r=r).privacy_profile().delta(eps=EPS)
        for r in (point.least.lo - Fraction(1, 10**6), point.least.hi)
    )
    assert above <= DELTA < below


def test_every_step_of_the_proof_needs_less_than_the_one_before() -> None:
    picture = counting_slack_picture(EPS, DELTA)
    needed = [float(value) for value in picture.table.column("needed_r")]  # type: ignore[arg-type]
    assert needed == sorted(needed, reverse=True)
    (point,) = counting_noise(EPS, [4])
    assert abs(needed[-1] - float(point.least)) < 1e-5  # found by another search


@pytest.mark.parametrize("n", [19, 50, 174])
def test_the_worst_pair_of_bits_is_so_far_apart(n: int) -> None:
    """The ones of user i are even or odd: (1 + 3z^2)/4 and (3z + z^3)/4, multiplied in floats."""
    (point,) = mix_points([n])
    laws = []
    for dataset in (point.first, point.second):
        held = dict(map(int, part.split("=")) for part in dataset.split(","))
        law = np.ones(1)
        for bit, users in held.items():
            for _ in range(users):
                law = np.convolve(law, [[0.25, 0, 0.75, 0], [0, 0.75, 0, 0.25]][bit])
        laws.append(law)
    assert abs(np.abs(laws[0] - laws[1]).sum() / 2 - float(point.exact)) < 1e-12
    assert abs(float(point.published) - mp.sqrt(2) * mp.e / n) < 1e-6 / n
    assert point.exact <= point.bound
    assert point.is_refuted == (n == 174)


def test_the_picture_says_where_the_average_case_fails() -> None:
    assert mix_users_picture([19, 26]).title == "The average case is above the worst pair at each of these n"
    assert mix_users_picture([173, 174]).title.endswith("at n = 174 a pair is further apart")


def test_more_messages_are_more_security_and_the_bounds_are_in_order() -> None:
    points = mix_security(10**4, modulus=2**16, messages=[5, 6, 7])
    for fewer, more in pairwise(points):
        assert more.worst < fewer.worst
    for point in points:
        assert point.average < point.worst < point.published_worst
        assert point.average < point.published_average < point.published_worst
