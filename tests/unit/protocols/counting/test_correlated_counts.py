"""Two counts with correlated noise: the formula against the law of both counts, at every size and accuracy."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

import mpmath
import pytest

from exactdp import protocols
from exactdp.errors import TooLargeError
from exactdp.numbers.balls import precision, real_ball
from exactdp.numbers.real import Real
from exactdp.protocols.counting.correlated_view import CorrelatedView, NegativeBinomialPlusGeometric
from tests.oracles.two_counts import two_counts
from tests.thinned import thinned

CUT = 44
"""The noise of both counts is listed up to here."""

DIGITS = 40

ROUNDING = 1e-30
"""Far above what 40 digits and 128 bits lose, far below what is not listed."""


def number(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def both_orders(p1: Fraction, p2: Fraction, r: Fraction, levels: list[Fraction]) -> Iterator[list[tuple[Any, Any]]]:
    """For each level the divergence of either order, as far as the noise is listed, and with the mass that is not."""
    first = (1 - number(p2)) ** number(r)
    weights = list(accumulate(range(1, CUT), lambda w, t: w * number(p2 * (r + t - 1) / t), initial=first))
    one, other = two_counts(number(p1), weights), two_counts(number(p1), weights, 1)
    cells = [cell for cell in one if cell in other or cell[0] == 0]
    pairs = [(one[cell], other.get(cell, mpmath.mpf(0))) for cell in cells]
    for exp_eps in map(number, levels):
        forward = mpmath.fsum(max(0, x - exp_eps * y) for x, y in pairs)
        backward = mpmath.fsum(max(0, y - exp_eps * x) for x, y in pairs)
        beyond = [1 - mpmath.fsum(pair[i] for pair in pairs) for i in range(2)]
        yield [(forward, forward + beyond[0]), (backward, backward + beyond[1])]


CASES = [  # p1, p2, r: p1^2 below, above and equal to p2, and nearly; r not an integer, and below 1
    ("1/2", "1/3", "2"),
    ("1/4", "1/2", "1"),
    ("1/2", "1/8", "3"),
    ("1/3", "1/9", "2"),
    ("1/3", "111112/1000000", "3/2"),
    ("1/5", "1/2", "5/2"),
    ("1/3", "1/2", "1/2"),
    ("1/8", "1/2", "1/1000"),
    ("1/2", "1/4", "1/3"),
]
TIES = [Fraction(11, 6), Fraction(1, 2) / (Fraction(1, 4) + Fraction(8640, 40419))]
"""Of the first case: rho(1) is E p1 at the one, rho(4) is p1 / E at the other."""
LEVELS = [*TIES, *map(Fraction, ("1", "11/10", "3/2", "3", "7"))]


@pytest.mark.parametrize("case", CASES)
def test_the_pair_that_is_named_is_in_the_worse_order(case: tuple[str, str, str]) -> None:
    """Of the balls of both orders, which the test below compares with the law of both counts."""
    p1, p2, r = case
    profile, met = protocols.correlated_counting(5, p1=p1, p2=p2, r=r).privacy_profile(), set[bool]()
    view = CorrelatedView(*map(Real, map(Fraction, case)))
    for exp_eps in LEVELS:
        with precision(128):
            forward, backward = view.forward(Real(exp_eps)), view.backward(Real(exp_eps))
        if not forward.overlaps(backward):
            sets = {0: 5}, {0: 4, 1: 1}
            pair = profile.worst_pair(exp_eps=exp_eps)
            assert (pair.first, pair.second) == (sets if forward > backward else sets[::-1])
            met.add(bool(forward > backward))
    assert met


def check(make: Callable[[Real, Real, Real], CorrelatedView], case: tuple[str, str, str]) -> None:
    p1, p2, r = map(Fraction, case)
    made = make(Real(p1), Real(p2), Real(r))
    with mpmath.workdps(DIGITS):
        for exp_eps, truth in zip(LEVELS, both_orders(p1, p2, r, LEVELS), strict=True):
            for order, (least, most) in zip((made.forward, made.backward), truth, strict=True):
                with precision(128):
                    ball = order(Real(exp_eps))
                    low, high = (mpmath.mpf(end.str(DIGITS, radius=False)) for end in (ball.lower(), ball.upper()))
                assert low - ROUNDING <= most
                assert least <= high + ROUNDING
                assert most - least < 1e-9
                assert high - low < ROUNDING


@pytest.mark.parametrize("case", thinned([(case,) for case in CASES], every=2))
def test_both_orders_are_those_of_the_law_of_both_counts(case):
    check(CorrelatedView, case)


@dataclass(frozen=True)
class PlainGeometric(CorrelatedView):
    """Geom(p1) where Geom(p1^2) belongs."""

    @property
    def noise(self) -> NegativeBinomialPlusGeometric:
        return NegativeBinomialPlusGeometric(self.r, self.p2, self.p1)


@dataclass(frozen=True)
class Exchanged(CorrelatedView):
    """E / p1 where E p1 belongs, and the converse."""

    def forward(self, exp_eps):
        return CorrelatedView.forward(self, exp_eps / (self.p1 * self.p1))

    def backward(self, exp_eps):
        return CorrelatedView.backward(self, exp_eps * self.p1 * self.p1)


@dataclass(frozen=True)
class OnlyFarLevels(CorrelatedView):
    """Without what u - v alone gives away below E = 1 / p1."""

    def backward(self, exp_eps):
        p1 = real_ball(self.p1)
        return CorrelatedView.backward(self, exp_eps) - (1 - real_ball(exp_eps) * p1).max(0) / (1 + p1)


@dataclass(frozen=True)
class Falling(NegativeBinomialPlusGeometric):
    """As if the ratios of weights fell for r below 1 too."""

    falls = True


@dataclass(frozen=True)
class OneHalfLine(CorrelatedView):
    """With the events that this gives."""

    @property
    def noise(self) -> NegativeBinomialPlusGeometric:
        return Falling(self.r, self.p2, self.p1 * self.p1)


@pytest.mark.parametrize(
    ("wrong", "case"),
    [(PlainGeometric, 0), (Exchanged, 0), (OnlyFarLevels, 0), (OneHalfLine, -2)],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_wrong_formula_is_caught(wrong, case):
    with pytest.raises(AssertionError):
        check(wrong, CASES[case])


@pytest.mark.parametrize("exp_eps", TIES)
def test_a_tie_is_no_obstacle(exp_eps):
    p1, p2, r = (Real(Fraction(text)) for text in CASES[0])
    law = CorrelatedView(p1, p2, r).noise
    turns = [law.turn(level) for level in (Real(exp_eps) * p1, p1 / Real(exp_eps))]
    assert [turn for turn in turns if turn is not None and turn.open]
    profile = protocols.correlated_counting(5, p1="1/2", p2="1/3", r=2).privacy_profile()
    value = profile.delta(exp_eps=exp_eps, relative_bits=2000)
    assert (value.hi - value.lo) * 2**1999 < value.lo


def test_without_noise_of_both_counts_the_other_count_says_nothing():
    profile = protocols.correlated_counting(10, p1="1/3", p2="1/2", r=0).privacy_profile()
    assert [profile.delta(exp_eps=level) for level in (1, 2, 10**6)] == [Fraction(2, 3)] * 3
    nearly = protocols.correlated_counting(10, p1="1/3", p2="1/2", r=Fraction(1, 2**60)).privacy_profile()
    assert 0 < Fraction(2, 3) - nearly.delta(exp_eps=2).hi < Fraction(1, 2**59)


def oracle_delta(p1, p2, r, exp_eps, last):
    """The greater order by its definition, term by term up to ``last``, at the precision of mpmath that is set."""
    b, w, y, total = p1 * p1, (1 - p2) ** r, mpmath.mpf(0), mpmath.mpf(0)
    for t in range(last):
        before, y = y, b * y + (1 - b) * w
        total += max(0, y - exp_eps * p1 * before)
        w *= p2 * (r + t) / (t + 1)
    return total / (1 + p1)


@pytest.mark.parametrize(
    ("eps", "delta", "level", "last"),
    [("1", "1e-6", "1", 200), ("1/20", "1e-6", "1/20", 4000), ("1/20", "1e-2", "1/30", 6000), ("1", "1e-80", "2", 400)],
)
def test_irrational_parameters_at_sixty_digits(eps, delta, level, last):
    e, d = Fraction(eps), Fraction(delta)
    profile = protocols.correlated_counting(
        10**9, p1=Real.exp(-e / 2), p2=Real.exp(-e / 10), r=3 * (1 + Real.log(1 / d))
    ).privacy_profile()
    value = profile.delta(eps=level, relative_bits=120)
    with mpmath.workdps(60):
        half = mpmath.mpf(e.numerator) / e.denominator
        at = Fraction(level)
        truth = oracle_delta(
            mpmath.exp(-half / 2),
            mpmath.exp(-half / 10),
            3 * (1 + mpmath.log(mpmath.mpf(d.denominator) / d.numerator)),
            mpmath.exp(mpmath.mpf(at.numerator) / at.denominator),
            last,
        )
        low, high = (mpmath.mpf(end.numerator) / end.denominator for end in (value.lo, value.hi))
        assert low * (1 - mpmath.mpf(2) ** -150) <= truth <= high * (1 + mpmath.mpf(2) ** -150)
    assert (value.hi - value.lo) * 2**119 < value.lo


def test_delta_is_one_function_of_n_and_falls_to_its_limit():
    few, many = (protocols.correlated_counting(n, p1="1/2", p2="9/10", r=20).privacy_profile() for n in (1, 10**9))
    assert few.delta(exp_eps=3) == many.delta(exp_eps=3)
    limit = Fraction(1, 2) * Fraction(1, 10) ** 20  # both counts are those of the bits: G1 = W = 0
    at_the_end = many.delta(eps=10**6)
    assert at_the_end.lo <= limit <= at_the_end.hi
    assert many.epsilon(limit / 2).is_infinite
    assert many.epsilon("1/2").argument == 1


@pytest.mark.parametrize("delta", ["1e-3", "1e-9", "1e-19"])
def test_eps_is_the_inverse_of_delta(delta):
    profile = protocols.correlated_counting(10, p1="1/2", p2="9/10", r=20).privacy_profile()
    eps = profile.epsilon(delta)
    assert profile.delta(eps=eps.hi).lo <= Fraction(delta) <= profile.delta(eps=eps.lo).hi
    assert (eps.hi - eps.lo) * 2**52 < eps.lo


def test_the_worst_pair_is_a_pair_of_neighbours():
    pair = protocols.correlated_counting(10, p1="1/2", p2="9/10", r=20).privacy_profile().worst_pair(exp_eps=2)
    assert {pair.first[0], pair.second[0]} == {10, 9}
    assert pair.delta.lo > 0


def test_exact_masses_are_refused_with_the_repair():
    profile = protocols.correlated_counting(10, p1="1/2", p2="9/10", r=20).privacy_profile()
    with pytest.raises(TooLargeError, match=r"enclosed, not built\. Ask for delta and epsilon"):
        profile.exact_delta(exp_eps=2)
