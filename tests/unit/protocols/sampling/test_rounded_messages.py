"""Rounded messages have the law of real numbers in cells: chi-square, chosen bits, and what refuses."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, norm
from scipy.stats import laplace as laplace_law

from exactdp.errors import InexactNumberError, InvalidValueError
from exactdp.mechanisms.density_absence_family import NumbersAway
from exactdp.mechanisms.density_family import DensityFamily
from exactdp.randomizers import duchi, gaussian, hybrid, laplace, piecewise, product, staircase
from exactdp.sampling import rounded_messages

HALF = Fraction(1, 2)
TIMES = 4000
LEVEL = 1e-6
"""A correct law is rejected with this probability; seeds are fixed."""

LAPLACE = laplace(exp_eps0="exp(1)")
GAUSSIAN = gaussian(sigma=1, delta0="1e-9")
STEPS: list[DensityFamily] = [piecewise(exp_eps0=4), staircase(exp_eps0=9), hybrid(exp_eps0=4)]


def cell(family: DensityFamily, value: Fraction, k: int, step: Fraction) -> float:
    """The probability of a message: of Laplace and Gaussian noise by scipy, else of the density's steps."""
    ends = [(k + sign * HALF) * step for sign in (-1, 1)]
    if family in (LAPLACE, GAUSSIAN):
        law = laplace_law if family is LAPLACE else norm
        low, high = (law.cdf(float(end - value)) for end in ends)
    else:
        low, high = (float(family.below(value, end, 64)) for end in ends)
    return float(high - low)


def chance(drawn: list[int], law: Callable[[int], float]) -> float:
    """The p-value of the chi-square test, cells of less than 10 expected together."""
    often, statistic, cells, rest, left = Counter(drawn), 0.0, 0, 0.0, 0
    for k in range(min(drawn) - 1, max(drawn) + 2):
        expected = law(k) * len(drawn)
        if expected < 10:
            continue
        statistic, cells = statistic + (often[k] - expected) ** 2 / expected, cells + 1
        rest, left = rest + expected, left + often[k]
    expected = len(drawn) - rest
    if expected >= 5:
        statistic, cells = statistic + (len(drawn) - left - expected) ** 2 / expected, cells + 1
    return float(chi2.sf(statistic, cells - 1))


@pytest.mark.parametrize("family", [LAPLACE, GAUSSIAN, *STEPS], ids=lambda one: one.name)
@pytest.mark.parametrize(("value", "step"), [("0", "1/10"), ("2/3", "1/7"), ("1", 2)])
def test_the_law_is_that_of_cells(family: DensityFamily, value: str, step: Any) -> None:
    x, width = Fraction(value), Fraction(step)
    drawn = rounded_messages(family, [x] * TIMES, step=step, random_bits=Random(value + str(step)).getrandbits)
    assert chance(drawn, lambda k: cell(family, x, k, width)) > LEVEL
    beside = max(1, round(HALF / width))
    assert chance(drawn, lambda k: cell(family, x, k + beside, width)) < LEVEL
    if step != 2:
        wrong = {
            LAPLACE: laplace(exp_eps0=4),
            GAUSSIAN: gaussian(sigma=2, delta0="1e-9"),
            STEPS[0]: piecewise(exp_eps0=2),
            STEPS[1]: staircase(exp_eps0=4),
            STEPS[2]: hybrid(exp_eps0=9),
        }[family]
        assert chance(drawn, lambda k: cell(wrong, x, k, width)) < LEVEL


@given(
    st.integers(0, 2**64 - 1),
    st.sampled_from([LAPLACE, GAUSSIAN, *STEPS]),
    st.fractions(0, 1),
)
@settings(max_examples=100, deadline=None)
def test_the_bits_are_those_of_a_number_below_the_law(bits: int, family: DensityFamily, value: Fraction) -> None:
    asked: list[int] = []

    def chosen(count: int) -> int:
        asked.append(count)
        return bits if len(asked) == 1 else 2 ** (count - 1)

    (k,) = rounded_messages(family, [value], step="1/3", random_bits=chosen)
    uniform = sum(
        Fraction(one, 2 ** sum(asked[: place + 1])) for place, one in enumerate([bits] + [2**63] * (len(asked) - 1))
    )
    below = [family.below(value, (k + sign * HALF) / 3, 256) for sign in (-1, 1)]
    assert below[0] <= uniform <= below[1] + Fraction(1, 2**200)


def test_more_bits_are_drawn_where_the_first_decide_nothing() -> None:
    law = LAPLACE.below(Fraction(0), Fraction(1, 2), 300)
    first = math.floor(law * 2**64)  # U may be on either side of F at 1/2
    for more, expected in ((0, 0), (2**64 - 1, 1)):
        given_bits = iter([first, more])
        drawn = rounded_messages(LAPLACE, [0], step=1, random_bits=lambda count, bits=given_bits: next(bits))
        assert drawn == [expected]
        assert next(given_bits, None) is None


def test_the_mean_is_the_input_but_for_rounding() -> None:
    for family, deviation in ((LAPLACE, math.sqrt(2)), (piecewise(exp_eps0=9), math.sqrt(0.75))):
        drawn = rounded_messages(family, ["3/4"] * TIMES, step="1/50", random_bits=Random(9).getrandbits)
        assert abs(sum(drawn) / TIMES / 50 - 0.75) < 5 * deviation / math.sqrt(TIMES) + 0.01


@pytest.mark.parametrize(
    "family",
    [duchi(exp_eps0=3), NumbersAway(LAPLACE, HALF)],
    ids=["duchi", "away"],
)
def test_other_laws_are_refused(family: Any) -> None:
    with pytest.raises(InvalidValueError, match="none whose law is known to any accuracy"):
        rounded_messages(family, [0], step=1)


def test_bad_input_is_refused() -> None:
    for options, words in (
        ({"step": 0}, "is not above 0"),
        ({"inputs": None}, "inputs=None is no list"),
        ({"inputs": "01"}, "inputs='01' is no list"),
        ({"inputs": [2]}, r"the input 2 is none of all numbers from 0 to 1"),
        ({"family": product(STEPS[0], duchi(exp_eps0=3))}, "none whose law"),
    ):
        asked: dict[str, Any] = {"family": LAPLACE, "inputs": [0], "step": 1, **options}
        with pytest.raises(InvalidValueError, match=words):
            rounded_messages(asked.pop("family"), asked.pop("inputs"), **asked)
    with pytest.raises(InexactNumberError):
        rounded_messages(LAPLACE, [0.5], step=1)  # type: ignore[list-item]
    assert rounded_messages(LAPLACE, [], step=1) == []
    assert abs(rounded_messages(LAPLACE, [0], step=1)[0]) < 10**3


def test_a_view_in_floats_is_refused_and_rounded_messages_are_named() -> None:
    for family in (LAPLACE, GAUSSIAN, *STEPS):
        with pytest.raises(InvalidValueError, match=r"no safe draw in floating point.*sampling\.rounded_messages"):
            family.drawn(None)
    away = NumbersAway(LAPLACE, HALF)
    with pytest.raises(
        InvalidValueError, match=r"^LaplaceRandomizer\(.*\) of users who take part with probability 1/2 "
    ):
        away.drawn(None)
