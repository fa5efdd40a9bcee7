"""The search for eps(delta) in brackets that are made here, of curves whose crossing is known."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from exactdp.errors import TooLargeError
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.interval import Interval
from exactdp.privacy.composition.bracket import searched_eps
from exactdp.progress import progress_callback
from tests.together import together

Curve = Callable[[Fraction], Fraction]


def falling(height: Fraction) -> Curve:
    """delta(eps) = height / (1 + eps), which is ``target`` at height / target - 1."""
    return lambda eps: height / (1 + eps)


class Brackets:
    """Brackets of a curve as wide as asked for, ``gap`` times as high as they are narrow at best."""

    def __init__(self, curve: Curve, gap: Fraction = Fraction(1), side: Fraction = Fraction(1, 2)) -> None:
        self.curve, self.gap, self.side, self.asked = curve, gap, side, list[Fraction]()

    def __call__(self, eps: Fraction, width: Fraction) -> Interval:
        self.asked.append(eps)
        value = self.curve(eps)
        return Interval(
            Dyadic.below(value * (1 - width * self.side), 200),
            Dyadic.above(value * self.gap * (1 + width * (1 - self.side)), 200),
        )


@together("side", [Fraction(0), Fraction(1, 2), Fraction(1)])
@together("width", [Fraction(1, 10), Fraction(1, 1000), Fraction(1, 10**7)])
@together("crossing", [Fraction(1, 50), Fraction(1, 3), Fraction(1), Fraction(7), Fraction(40000)])
def test_a_crossing_is_enclosed_to_the_width(crossing, width, side):
    target = Fraction(1, 10**6)
    brackets = Brackets(falling(target * (1 + crossing)), side=side)
    found = searched_eps(brackets, target, width)
    assert found.lo <= crossing <= found.hi
    # where delta falls as 1 / (1 + eps), its width is one of (1 + eps) / eps times as much for eps
    assert found.hi - found.lo <= width * found.hi + 2 * width * (1 + crossing)
    assert len(brackets.asked) <= 4 * (width.denominator.bit_length() + 20)
    assert all(eps.denominator.bit_length() <= 2 * width.denominator.bit_length() + 24 for eps in brackets.asked)


@together("width", [Fraction(1, 10), Fraction(1, 1000)])
@together("gap", [Fraction(9, 8), Fraction(2), Fraction(30)])
@together("crossing", [Fraction(1, 3), Fraction(1), Fraction(20)])
def test_both_ends_of_a_gap_are_found(crossing, gap, width):
    """Where nothing is proved between two places, the answer ends near each of them, on the proved side."""
    target = Fraction(1, 10**6)
    brackets = Brackets(falling(target * (1 + crossing)), gap=gap)
    low, high = crossing, gap * (1 + crossing) - 1
    found = searched_eps(brackets, target, width)
    assert found.lo <= low < high <= found.hi
    assert low - found.lo <= width * found.hi + width * (1 + low)
    assert found.hi - high <= width * found.hi + 2 * width * (1 + high)
    assert len(brackets.asked) <= 4 * (width.denominator.bit_length() + 20)


def test_delta_at_0_that_is_not_above_the_target_needs_no_eps():
    for curve in (falling(Fraction(1, 8)), lambda eps: Fraction(0)):
        assert searched_eps(Brackets(curve, side=Fraction(1)), Fraction(1, 8), Fraction(1, 100)) == LogRational(1)
    found = searched_eps(Brackets(falling(Fraction(101, 1000))), Fraction(1, 10), Fraction(1, 1000))
    assert found.lo <= Fraction(1, 100) <= found.hi


def test_an_end_that_is_met_exactly_is_on_its_proved_side():
    """delta = target is no reason to raise eps, and none to be below it."""

    def exact(eps: Fraction, width: Fraction) -> Interval:
        value = Dyadic.of(1, -1 if eps < 1 else -2)
        return Interval(value, value)

    found = searched_eps(exact, Fraction(1, 4), Fraction(1, 10**6))
    assert found.hi == 1
    assert 1 - found.lo <= Fraction(1, 10**6)
    found = searched_eps(exact, Fraction(1, 2), Fraction(1, 10**6))
    assert found == LogRational(1)


def test_what_no_eps_is_enough_for_is_refused():
    with pytest.raises(TooLargeError, match="is above 65536, the limit"):
        searched_eps(Brackets(lambda eps: Fraction(1, 3)), Fraction(1, 4), Fraction(1, 100))
    with pytest.raises(TooLargeError, match="no eps up to 65536 is enough for delta=1/3, as far as is proved"):
        searched_eps(Brackets(lambda eps: Fraction(1, 3)), Fraction(1, 3), Fraction(1, 100))
    last = searched_eps(Brackets(falling(Fraction(65000))), Fraction(1), Fraction(1, 100))
    assert last.lo <= 64999 <= last.hi


def test_every_bracket_is_told():
    brackets, seen = Brackets(falling(Fraction(3))), list[int]()
    with progress_callback(lambda done, total: seen.append(done)):
        searched_eps(brackets, Fraction(1), Fraction(1, 100))
    assert seen == list(range(1, len(brackets.asked) + 1))
