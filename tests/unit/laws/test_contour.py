"""The trapezoidal rule is a proof whatever its choices: poor tilts and low precision widen balls and spoil none."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random

import flint
import pytest

from exactdp import Binomial
from exactdp.laws import contour
from exactdp.laws.binomial_sum import BinomialSum
from exactdp.laws.contour import Tilt, contour_tail, contour_weight, dyadic
from exactdp.laws.law_balls import (
    EnclosedBinomial,
    EnclosedBinomialSum,
    EnclosedDiscreteGaussian,
    EnclosedNegativeBinomial,
    EnclosedPoisson,
)
from exactdp.laws.negative_binomial import NegativeBinomial
from exactdp.numbers.balls import precision, rational_ball
from exactdp.numbers.real import Real
from exactdp.reference import summed_laws
from tests.oracles import high_precision
from tests.thinned import thinned

THIRD = Fraction(1, 3)


@dataclass(frozen=True)
class Detuned(EnclosedBinomial):
    """A binomial law whose tilts have a wrong radius and a wrong standard deviation, by factors."""

    radius: Fraction = Fraction(1)
    width: Fraction = Fraction(1)

    def tilt(self, mean):
        tilt = EnclosedBinomial.tilt(self, mean)
        return Tilt(tilt.log * self.radius, tilt.deviation * self.width)


def holds(ball, exact):
    """Whether a ball and the exact value have a common point, decided far below the ball's radius."""
    with precision(4000):
        return bool(ball.is_finite() and ball.overlaps(rational_ball(exact)))


def exact_weight_or_tail(law, k, upper):
    if upper is None:
        return law.exact_pmf(k)
    return law.exact_sf(k - 1) if upper else law.exact_cdf(k)


def by_contour(enclosed, k, upper):
    return contour_weight(enclosed, k) if upper is None else contour_tail(enclosed, k, upper=upper)


def test_any_tilt_and_any_precision_give_a_true_ball():
    """The radius is off by a factor of 1/2 to 2, the deviation by 1/8 to 8, and 8 to 200 bits are set."""
    rng, accurate = Random("tilts"), 0
    for _ in range(400):
        n, p = rng.randint(1, 80), Fraction(rng.randint(1, 19), 20)
        upper = rng.choice((None, True, False))
        mean = n * p
        k = (
            rng.randint(0, n)
            if upper is None
            else rng.randint(-(-mean // 1), n)
            if upper
            else rng.randint(0, mean // 1)
        )
        enclosed = Detuned(n, p, Fraction(rng.randint(8, 32), 16), Fraction(2) ** rng.randint(-3, 3))
        with precision(rng.choice((8, 20, 64, 200))):
            ball = by_contour(enclosed, k, upper)
        assert holds(ball, exact_weight_or_tail(Binomial(n, p), k, upper)), (enclosed, k, upper)
        accurate += ball.rel_accuracy_bits() > 15
    assert accurate > 100  # and many are of use


@pytest.mark.parametrize("goal", thinned([2, 4, 8], every=3))
@pytest.mark.parametrize("upper", [None, True, False])
def test_few_nodes_are_paid_for_in_the_radius(monkeypatch, goal, upper):
    """With a goal of a few bits, aliases and the nodes left out are most of the radius, and none is forgotten."""
    monkeypatch.setattr(contour, "_goal", lambda _: goal)
    widest = 0
    for n, width in product((6, 17, 40, 90), (1, 4, 16, 64)):
        enclosed, law = Detuned(n, THIRD, width=Fraction(1, width)), Binomial(n, THIRD)
        for k in range(n + 1) if upper is None else range(n // 3 + 1, n + 1) if upper else range(n // 3 + 1):
            with precision(100):
                ball = by_contour(enclosed, k, upper)
            assert holds(ball, exact_weight_or_tail(law, k, upper)), (enclosed, k)
            widest = max(widest, float(ball.rad() / ball.mid()))
    assert widest > 2.0 ** (-goal - 12)


@pytest.mark.parametrize("upper", [None, True, False])
@pytest.mark.parametrize(
    ("enclosed", "law"),
    [
        (EnclosedBinomial(200, Fraction(1, 3)), Binomial(200, "1/3")),
        (EnclosedBinomialSum(90, Fraction(1, 4), 110, Fraction(2, 3)), BinomialSum(90, "1/4", 110, "2/3")),
        (EnclosedBinomialSum(5, Fraction(1), 70, Fraction(1, 2)), BinomialSum(5, 1, 70, "1/2")),
        (EnclosedNegativeBinomial(Real(400), Real("1/2")), NegativeBinomial(400, "1/2")),
    ],
)
def test_weights_and_tails_are_exact_to_the_bits_that_are_set(enclosed, law, upper):
    middle = int(law.mean)
    for k in (middle - 30, middle - 5, middle - 1) if upper is False else (middle + 1, middle + 5, middle + 30):
        with precision(120 + enclosed.lost_bits):
            ball = by_contour(enclosed, k, upper)
        assert holds(ball, exact_weight_or_tail(law, k, upper))
        assert ball.rel_accuracy_bits() > 80


def test_the_comparison_fails_when_it_should():
    enclosed, law = EnclosedBinomial(200, Fraction(1, 3)), Binomial(200, "1/3")
    with precision(100):
        ball = contour_tail(enclosed, 80, upper=True)
    assert holds(ball, law.exact_sf(79))
    assert not holds(ball, law.exact_sf(80))
    assert not holds(ball, law.exact_sf(79) * (1 + Fraction(1, 10**18)))


@pytest.mark.parametrize(
    ("enclosed", "law"),
    [
        (EnclosedPoisson(Real(50)), lambda: summed_laws.poisson(high_precision.number(50))),
        (EnclosedDiscreteGaussian(Fraction(40)), lambda: summed_laws.discrete_gaussian(high_precision.number(40))),
        (
            EnclosedDiscreteGaussian(Fraction(1, 9)),
            lambda: summed_laws.discrete_gaussian(high_precision.number(Fraction(1, 9))),
        ),
    ],
)
@pytest.mark.parametrize("distance", [0, 1, 3, 9, 30])
def test_irrational_generating_functions_against_sums_of_mpmath(enclosed, law, distance):
    for k, upper in ((int(enclosed.mean) + distance + 1, True), (int(enclosed.mean) - distance, False)):
        with precision(150):
            ball, weight = contour_tail(enclosed, k, upper=upper), contour_weight(enclosed, k)
        with high_precision.sixty_digits():
            tail = law().sf(k - 1) if upper else law().cdf(k)
            for found, expected in ((ball, tail), (weight, law().pmf(k))):
                middle, radius = (high_precision.number(dyadic_exactly(x)) for x in (found.mid(), found.rad()))
                assert abs(middle - expected) <= radius + expected * high_precision.number(Fraction(1, 10**50))
                assert radius < expected * high_precision.number(Fraction(1, 10**20))


def dyadic_exactly(ball):
    mantissa, exponent = map(int, ball.man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent


def test_dyadic_is_near():
    for value in (Fraction(1, 3), Fraction(-22, 7), Fraction(10**40), Fraction(1, 10**40)):
        with precision(200):
            near = dyadic(rational_ball(value))
        assert abs(near - value) * 2**60 < abs(value)
        assert near.numerator.bit_length() <= 256 or near.denominator == 1


def test_the_precision_is_not_moved():
    before = flint.ctx.prec
    Binomial(100, "1/3").sf(40, relative_bits=300)
    assert flint.ctx.prec == before


@pytest.mark.parametrize(
    ("r", "rate", "k"), [(1000, "1e-20", 5 * 10**22), (301, "1e-18", 20 * 301 * 10**18)], ids=["middle", "tail"]
)
def test_the_circle_stays_inside_the_pole(r, rate, k):
    """NB(r, e^-h) for tiny h is the sum of r exponential variables, over h: P[Y > k] is P[Poisson(h k) < r] nearly."""
    with high_precision.sixty_digits():
        gamma = summed_laws.poisson(high_precision.number(Fraction(rate) * k)).cdf(r - 1)
        interval = NegativeBinomial(r, Real.exp("-" + rate)).sf(k)
        lo, hi = high_precision.number(interval.lo), high_precision.number(interval.hi)
        slack = gamma * high_precision.number(Fraction(1, 10**12))
        assert lo <= gamma + slack
        assert gamma - slack <= hi


@pytest.mark.parametrize("nodes", [3, 9, 21])
@pytest.mark.parametrize("tail", [False, True])
def test_nodes_that_are_left_out_count_as_much_as_the_last(monkeypatch, nodes, tail):
    """abs(F) hardly falls for Bin(1, 10^-6): what is left out at k = 0 is all of one sign, and is the radius."""
    monkeypatch.setattr(contour, "_NODES_PER_BIT", 0)
    program, tilt = EnclosedBinomial(1, Fraction(1, 10**6)), Tilt(Fraction(1, 10), Fraction(1))
    view = contour._View(program, 1)
    low, high = Fraction(999999, 10**6), Fraction(1, 10**6)
    with precision(200):
        ball = view.mean_over_circle(tilt, 0, nodes, 20, tail=tail)
        radius = rational_ball(tilt.log).exp()
        # the residue class of 0; or 0 and 1, each with the factor 1 / (1 - r^-nodes)
        exact = rational_ball(low + high) / (1 - radius**-nodes) if tail else rational_ball(low)
        assert ball.overlaps(exact)
        assert ball.rad() > rational_ball(Fraction(nodes - 3, 2 * nodes))
        assert tail or ball.rad() < rational_ball(Fraction(nodes - 3, nodes) + Fraction(1, 1000))
