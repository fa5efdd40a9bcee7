"""Two counts on a staircase: every window, every end and every bound of a tail against exact sums."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import accumulate
from random import Random

import pytest
from flint import arb

from exactdp import Binomial, DiscreteGaussian, DiscreteLaplace, Geometric, Poisson
from exactdp.errors import TooLargeError
from exactdp.laws.lattice import LatticeLaw
from exactdp.numbers.balls import precision, rational_ball, real_ball
from exactdp.numbers.real import Real
from exactdp.privacy.noise import staircase
from exactdp.privacy.noise.staircase import Ends, Staircase
from tests.thinned import thinned

BITS = 300
SLACK = Fraction(1, 2**200)
FAR = 64
"""Beyond so many outcomes what counts of the laws of this page is below 2^-30 of the whole."""


@dataclass(frozen=True)
class Windowed(Staircase):
    """A staircase whose window is chosen here."""

    first: int = 1
    last: int = 2

    def _window(self) -> tuple[int, int]:
        return self.first, self.last


def ends_of(law: LatticeLaw, exp_eps: Real) -> Ends:
    assert law.enclosed is not None
    return Ends(law.enclosed, law.mode, law.tail_ratio, lambda t: law.ratio(t, t - 1), exp_eps)


def stairs(law: LatticeLaw, exp_eps: Fraction, window: tuple[int, int] | None = None) -> Staircase:
    ends = ends_of(law, Real(exp_eps))
    assert law.enclosed is not None
    about = (law.enclosed, law.mode, ends.ratio_ball, ends, Real(exp_eps), 20)
    return Staircase(*about) if window is None else Windowed(*about, *window)


def rational(ball: arb, end: str) -> Fraction:
    with precision(2 * BITS):
        mantissa, exponent = map(int, getattr(ball, end)().man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent


class Law:
    """Exact weights of a law, zero where there are none, and what they say by definition."""

    def __init__(self, law: LatticeLaw) -> None:
        self.law = law
        self.low = -FAR if law.low is None else law.low
        self.high = FAR if law.high is None else law.high
        self.w = {t: law.exact_pmf(t) for t in range(self.low, self.high + 1)}
        self.heads = dict(zip(self.w, accumulate(self.w.values()), strict=True))

    def weight(self, t: int) -> Fraction:
        return self.w.get(t, Fraction(0))

    def head(self, x: int) -> Fraction:
        return Fraction(0) if x < self.low else self.heads[min(x, self.high)]

    @cache  # noqa: B019 (as short-lived as the test)
    def end(self, u: int, exp_eps: Fraction) -> int | None:
        above = (t for t in range(self.high, self.low - 1, -1) if self._is_inside(t, u, exp_eps))
        found = next(above, None)
        return None if self.law.low is None and found == self.low else found

    def _is_inside(self, t: int, u: int, exp_eps: Fraction) -> bool:
        if t - 1 < self.low:
            return self.law.low is not None
        return self.weight(t) * self.weight(u - 1) > exp_eps * self.weight(t - 1) * self.weight(u)

    def sum(self, us: range, exp_eps: Fraction) -> Fraction:
        total = Fraction(0)
        for u in us:
            if (end := self.end(u, exp_eps)) is not None:
                total += self.weight(u - 1) * self.head(end) - exp_eps * self.weight(u) * self.head(end - 1)
        return total

    def head_bound(self, x: int) -> Fraction:
        """w(x) / (1 - w(x-1)/w(x)), where that is a bound below 1."""
        if x < self.low or x >= self.high:
            return Fraction(x >= self.high)
        falling = self.weight(x - 1) / self.weight(x)
        return min(Fraction(1), self.weight(x) / (1 - falling)) if falling < 1 else Fraction(1)

    def tail_bound(self, x: int) -> Fraction:
        if x <= self.low or x > self.high:
            return Fraction(x <= self.low)
        falling = self.weight(x + 1) / self.weight(x)
        return min(Fraction(1), self.weight(x) / (1 - falling)) if falling < 1 else Fraction(1)


COUNTS = [Binomial(6, "1/3"), Binomial(4, "4/5"), Binomial(1, "1/2")]
LEVELS = [Fraction(1), Fraction(3, 2), Fraction(7)]


@pytest.mark.parametrize("exp_eps", LEVELS)
@pytest.mark.parametrize("law", COUNTS, ids=repr)
def test_every_window_is_paid_for(law, exp_eps):
    """What is outside is in the radius, as the geometric bounds of tails say, and no more than that."""
    exact = Law(law)
    truth = exact.sum(range(1, law.n + 2), exp_eps)
    for first in range(1, law.n + 2):
        for last in range(first, law.n + 2):
            with precision(BITS):
                found = stairs(law, exp_eps, (first, last))._sum()
            inside, left_out = exact.sum(range(first, last + 1), exp_eps), Fraction(0)
            if first > 1:
                end = exact.end(first, exp_eps)
                assert end is not None
                left_out += exact.head_bound(end) * exact.head_bound(first - 2)
            if last < law.n + 1:
                left_out += exact.tail_bound(last)
            low, high = rational(found, "lower"), rational(found, "upper")
            assert low <= inside <= truth <= high
            assert inside - low < SLACK + left_out / 2**25
            assert high - inside <= left_out * (1 + Fraction(1, 2**25)) + SLACK


def test_two_sided_noise_is_the_same():
    law, exp_eps = DiscreteLaplace(2), Fraction(3, 2)
    exact = Law(law)
    truth = exact.sum(range(-60, 61), exp_eps)
    for first, last in [(-3, 4), (0, 2), (-12, 1), (1, 1), (-20, 25)]:
        if exact.end(first, exp_eps) is None:
            continue
        with precision(BITS):
            found = stairs(law, exp_eps, (first, last))._sum()
        assert rational(found, "lower") <= exact.sum(range(first, last + 1), exp_eps) + SLACK
        assert rational(found, "upper") >= truth - Fraction(1, 2**60)


@pytest.mark.parametrize("law", [*COUNTS, Geometric("2/3"), DiscreteLaplace(3)], ids=repr)
def test_bounds_of_tails_are_the_geometric_ones(law):
    exact, found = Law(law), stairs(law, Fraction(3, 2))
    for x in range(max(exact.low - 1, -9), min(exact.high + 1, 9) + 1):
        with precision(BITS):
            head, tail = found._head(x), found._tail(x)
        for ball, bound, mass in (
            (head, exact.head_bound(x), exact.head(x)),
            (tail, exact.tail_bound(x), 1 - exact.head(x - 1)),
        ):
            assert rational(ball, "upper") >= mass - Fraction(1, 2**60)
            assert rational(ball, "lower") - SLACK <= bound <= rational(ball, "upper") + SLACK


@pytest.mark.parametrize("exp_eps", LEVELS)
@pytest.mark.parametrize("law", [*COUNTS, Geometric("2/3")], ids=repr)
def test_ends_are_those_of_the_definition_in_any_order(law, exp_eps):
    exact, ends = Law(law), ends_of(law, Real(exp_eps))
    us = list(range(1, (law.high or 30) + 2))
    Random(1).shuffle(us)
    for u in us:
        with precision(64):
            assert ends(u) == exact.end(u, exp_eps)


def test_ends_of_two_sided_noise():
    """r(t) = e^(-(2t-1)/(2s)) for Gaussian noise: ends are known by rational numbers. Laplace noise may have none."""
    s = Fraction(5, 2)
    for eps in (Fraction(0), Fraction(2, 5), Fraction(1), Fraction(9)):
        ends = ends_of(DiscreteGaussian(s), Real.exp(eps))
        for u in (0, 7, -30, 4, 5, 100):
            with precision(64):
                found = ends(u)
            # (2t-1)/(2s) < (2u-1)/(2s) - eps
            assert found == -(-(u - s * eps) // 1) - 1
    laplace = Law(DiscreteLaplace(3))
    for exp_eps in (Fraction(1), Fraction(2), Fraction(8)):
        ends = ends_of(DiscreteLaplace(3), Real(exp_eps))
        for u in (-2, 3, 0, 1, -1, 2):
            with precision(64):
                assert ends(u) == laplace.end(u, exp_eps)


@pytest.mark.parametrize("exp_eps", thinned([Fraction(3, 2), Fraction(1), Fraction(3)], every=3))
@pytest.mark.parametrize(
    "law",
    [Binomial(9, "1/3"), Binomial(60, "9/10"), Binomial(1, "1/2"), Geometric("2/3"), DiscreteLaplace(2)],
    ids=repr,
)
def test_the_window_is_around_the_largest_term_and_no_wider_than_it_must(law, exp_eps):
    """The largest product is at the peak; the window holds all that is not negligible, with room for a factor of 2."""
    exact, found = Law(law), stairs(law, exp_eps)
    us = range(max(exact.low + 1, -40), min(exact.high + 1, 62) + 1)

    def corner(u: int) -> Fraction:
        end = exact.end(u, exp_eps)
        return Fraction(0) if end is None else exact.weight(u - 1) * exact.weight(end)

    with precision(40):
        peak, (first, last) = found._peak, found._window()
        assert corner(peak) >= max(map(corner, us)) * (1 - Fraction(1, 2**30))
        assert first <= peak <= last
        ball = found._sum()
    truth = exact.sum(us, exp_eps)
    assert rational(ball, "lower") <= truth <= rational(ball, "upper") + Fraction(1, 2**55)
    assert ball.rel_accuracy_bits() >= 25
    negligible = corner(peak) / 2**40
    if first > us[0]:
        assert exact.end(first + 1, exp_eps) is not None
        beside = exact.end(first + 1, exp_eps)
        assert exact.head_bound(beside) * exact.head_bound(first - 1) >= negligible / 2
    if last < exact.high + 1:
        assert exact.tail_bound(last - 1) >= negligible / 2


def test_edges_are_the_nearest_places():
    for direction in (-1, 1):
        for end in range(1, 40):
            assert staircase._edge(5, direction, None, lambda u: (u - 5) * direction >= end) == 5 + direction * end  # noqa: B023
            found = staircase._edge(5, direction, 5 + direction * 17, lambda u: (u - 5) * direction >= end)  # noqa: B023
            assert found == 5 + direction * min(end, 17)


def test_a_walk_of_too_many_terms_is_refused(monkeypatch):
    """As many as the window has places for both counts."""
    law, exp_eps = Binomial(9, "1/3"), Fraction(3, 2)
    exact = Law(law)
    for window in ((1, 10), (3, 7)):
        ends = [exact.end(u, exp_eps) for u in window]
        terms = window[1] - window[0] + ends[1] - ends[0]
        monkeypatch.setattr(staircase, "MAX_TERMS", terms)
        with precision(BITS):
            stairs(law, exp_eps, window)._sum()
        monkeypatch.setattr(staircase, "MAX_TERMS", terms - 1)
        with precision(BITS), pytest.raises(TooLargeError, match=f"two bins have {terms} terms that matter"):
            stairs(law, exp_eps, window)._sum()


def test_either_end_of_two_counts():
    for law in (Binomial(3, "1/3"), Geometric("2/3")):
        low, high = law.exact_pmf(0), law.exact_pmf(3) if law.high == 3 else Fraction(0)
        found = staircase.enclose_ends(law.enclosed, 80)
        assert found.lo <= 1 - (1 - low) * (1 - high) <= found.hi
        assert (found.hi - found.lo) * 2**80 <= found.lo


@pytest.mark.parametrize(
    ("weights", "is_concave"),
    [
        ([1], True),
        ([1, 5], True),
        ([1, 2, 1], True),
        ([1, 1, 1], True),
        ([2, 1, 2], False),
        ([1, 2, 3, 4, 6], False),
        ([4, 3, 5, 4], False),
        ([9, 3, 1, 1], False),
    ],
)
def test_log_concave_weights(weights, is_concave):
    assert staircase.is_log_concave(weights) == is_concave


@pytest.mark.parametrize("n", [1, 4, 50])
def test_exact_staircases_by_all_cells(n):
    """Sums of w(t) w(v) below any ends that do not fall, of a law by its weights."""
    law = Binomial(n, "2/5")
    exact, random = Law(law), Random(n)
    for _ in range(2):
        ends = sorted(random.randint(0, n) for _ in range(n + 1))
        first = sum((exact.weight(v) * exact.head(end) for v, end in enumerate(ends)), Fraction(0))
        second = sum((exact.weight(v + 1) * exact.head(end - 1) for v, end in enumerate(ends)), Fraction(0))
        assert staircase.binomial_staircase(n, law.p, ends) == (first, second)
    weights = [int(exact.weight(t) * 5**n) for t in range(n + 1)]
    for exp_eps in LEVELS:
        firsts = seconds = 0
        for u in range(1, n + 2):
            end = exact.end(u, exp_eps)
            firsts += weights[u - 1] * sum(weights[: end + 1])
            seconds += (weights[u] if u <= n else 0) * sum(weights[:end])
        assert staircase.list_staircase(weights, exp_eps) == (firsts, seconds)


def test_ratios_of_poisson_noise_are_kept():
    ends = ends_of(Poisson(4), Real(2))
    with precision(80):
        for t in (3, 4, 3):
            assert ends.ratio_ball(t).overlaps(real_ball(Real(4)) / t)
            assert ends.ratio_ball(t).overlaps(rational_ball(Fraction(4, t)))
