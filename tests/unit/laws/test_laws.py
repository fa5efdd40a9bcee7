"""The noise laws against sums of mpmath, scipy, higher precision, one another, and their own limits."""

from fractions import Fraction
from itertools import pairwise
from math import isqrt

import mpmath
import pytest
from scipy import stats

from exactdp import Binomial
from exactdp.errors import ExactDPError, InexactNumberError, InvalidValueError, TooLargeError
from exactdp.laws.binomial_sum import BinomialSum
from exactdp.laws.discrete_gaussian import DiscreteGaussian
from exactdp.laws.discrete_laplace import DiscreteLaplace
from exactdp.laws.negative_binomial import Geometric, NegativeBinomial
from exactdp.laws.poisson import Poisson
from exactdp.numbers.balls import compare_reals, enclose_real
from exactdp.numbers.real import Real
from exactdp.reference import summed_laws
from tests.oracles import high_precision
from tests.thinned import thinned
from tests.together import together

NAMES = ("pmf", "cdf", "sf")
TINY = Fraction(1, 10**300)
THIRD, FIFTH = Fraction(1, 3), Fraction(1, 5)

SMALL = [
    Binomial(12, THIRD),
    BinomialSum(5, "1/4", 8, "2/3"),
    NegativeBinomial("1/2", "3/4"),
    NegativeBinomial(1, "3/4"),
    NegativeBinomial(3, "3/4"),
    NegativeBinomial(400, "1/50"),
    NegativeBinomial(Real.log(3), Real.exp("-1/5")),
    Geometric("2/5"),
    Geometric(Real.exp(-1)),
    DiscreteLaplace("3/2"),
    DiscreteLaplace(Real.exp("1/5")),
    DiscreteGaussian("7/2"),
    Poisson("13/3"),
    Poisson(2 * Real.log(10)),
]
"""One of each kind, with rational and irrational parameters."""


def outcomes(law):
    """Some outcomes of a small law, from its least one on."""
    low = -15 if law.low is None else law.low
    return range(low, low + 31 if law.high is None else law.high + 1)


def meets(interval, value):
    """Whether a 53-bit interval contains an mpmath number, up to 50 of its digits."""
    slack = abs(value) * mpmath.mpf(10) ** -50
    lower, upper = (mpmath.mpf(end) for end in interval.decimals(40))
    return bool(lower <= value + slack and value - slack <= upper and upper - lower < value * mpmath.mpf(2) ** -52)


def overlap(first, second):
    return first.lower.compare(second.upper) <= 0 <= first.upper.compare(second.lower)


def keeps(interval, bits):
    """Whether the interval is as narrow as promised, without building Fractions."""
    ends = interval.lower, interval.upper
    exponent = min(end.exponent for end in ends)
    lower, upper = (end.mantissa << end.exponent - exponent for end in ends)
    return (upper - lower) << bits <= lower


def deviation(law):
    """The standard deviation, rounded up to an integer."""
    variance = law.variance if isinstance(law.variance, Fraction) else law.variance.hi
    return isqrt(variance.__ceil__()) + 1


def is_exactly(interval, value):
    return interval.is_point and interval.lo == value


# --- against mpmath and scipy


def laws_and_sums():
    """Laws with their sums in mpmath, made at 60 digits, and outcomes from the middle to far tails."""
    number, exp, log = high_precision.number, mpmath.exp, mpmath.log
    e = Real.exp("-1/5")
    return [
        (Binomial(5000, THIRD), summed_laws.binomial(5000, number(THIRD)), (1500, 1666, 1667, 1800, 4000, 4999)),
        (Poisson("1/7"), summed_laws.poisson(number(1) / 7), (0, 1, 5, 60)),
        (Poisson(500), summed_laws.poisson(number(500)), (300, 499, 500, 700, 2500)),
        (Poisson(16 * Real.log(100)), summed_laws.poisson(16 * log(number(100))), (20, 73, 74, 150, 900)),
        (NegativeBinomial("1/9", "1/2"), summed_laws.negative_binomial(number(1) / 9, number(1) / 2), (0, 1, 9, 500)),
        (
            NegativeBinomial(3 * (1 + Real.log(100)), e),
            summed_laws.negative_binomial(3 * (1 + log(number(100))), exp(number(-FIFTH))),
            (0, 10, 75, 76, 200, 9000),
        ),
        (
            NegativeBinomial(400 * Real.exp("1/3"), 1 - e),
            summed_laws.negative_binomial(400 * exp(number(THIRD)), 1 - exp(number(-FIFTH))),
            (50, 123, 124, 200, 3000),
        ),
        (Geometric(e), summed_laws.negative_binomial(number(1), exp(number(-FIFTH))), (0, 5, 800)),
        (DiscreteLaplace(1 / e), summed_laws.discrete_laplace(exp(number(-FIFTH))), (-2000, -3, -1, 0, 1, 40)),
        (DiscreteGaussian("1/1000"), summed_laws.discrete_gaussian(number(1) / 1000), (-3, -1, 0, 1)),
        (DiscreteGaussian("3/4"), summed_laws.discrete_gaussian(number(3) / 4), (-9, 0, 2)),
        (DiscreteGaussian("9/2"), summed_laws.discrete_gaussian(number("9/2")), (-60, -2, -1, 0, 1, 8)),
        (DiscreteGaussian(1000), summed_laws.discrete_gaussian(number(1000)), (-90, -1, 0, 50, 3200)),
    ]


def test_against_sums_of_mpmath_at_60_digits():
    with high_precision.sixty_digits():
        for law, summed, ks in laws_and_sums():
            for k in ks:
                for name in NAMES:
                    assert meets(getattr(law, name)(k), getattr(summed, name)(k)), (law, name, k)


def test_the_comparison_with_mpmath_fails_when_it_should():
    with high_precision.sixty_digits():
        summed = summed_laws.poisson(high_precision.number(500))
        assert meets(Poisson(500).sf(520), summed.sf(520))
        assert not meets(Poisson(500).sf(520), summed.sf(521))
        assert not meets(Poisson("500.00000000000001").sf(520), summed.sf(520))
        assert not meets(Poisson(500).sf(520, relative_bits=20), summed.sf(520))  # too wide


def test_means_and_variances_against_sums_of_mpmath():
    with high_precision.sixty_digits():
        for law, summed, _ in laws_and_sums():
            falls_fast = isinstance(law, Binomial | DiscreteGaussian | Poisson)
            spread = int((16 if falls_fast else 60) * mpmath.sqrt(float(law.variance) + 1)) + 200
            low = -spread if law.low is None else max(law.low, summed.mode - spread)
            high = min(summed.mode + spread, law.high or 10**9)
            terms, term = [], summed.pmf(low)
            for t in range(low, high + 1):
                terms.append((t, term))
                term *= summed.step(t)
            mean = mpmath.fsum(t * mass for t, mass in terms)
            variance = mpmath.fsum((t - mean) ** 2 * mass for t, mass in terms)
            for found, value in ((law.mean, mean), (law.variance, variance)):
                bounds = (found, found) if isinstance(found, Fraction) else (found.lo, found.hi)
                lower, upper = (high_precision.number(end) for end in bounds)
                slack = (abs(value) + (mpmath.sqrt(variance) if value is mean else 0)) * mpmath.mpf(10) ** -25
                assert lower - slack <= value <= upper + slack, law
                assert upper - lower <= abs(value) * mpmath.mpf(2) ** -52 + slack


@pytest.mark.parametrize(
    ("law", "other"),
    [
        (BinomialSum(40, THIRD, 60, THIRD), stats.binom(100, 1 / 3)),
        (NegativeBinomial("5/2", "3/4"), stats.nbinom(2.5, 1 / 4)),
        (NegativeBinomial(1000, "1/10"), stats.nbinom(1000, 9 / 10)),
        (Geometric("3/4"), stats.geom(1 / 4, loc=-1)),
        (DiscreteLaplace(Real.exp("1/5")), stats.dlaplace(1 / 5)),
        (Poisson("1000/3"), stats.poisson(1000 / 3)),
    ],
)
def test_against_scipy(law, other):
    middle, deviation = (
        int(law.mean if isinstance(law.mean, Fraction) else law.mean.lo),
        int(float(law.variance) ** 0.5),
    )
    for k in (middle - deviation, middle, middle + deviation, middle + 5 * deviation):
        for name in NAMES:
            assert float(getattr(law, name)(k)) == pytest.approx(getattr(other, name)(k), rel=1e-8), (name, k)
    assert float(law.mean) == pytest.approx(other.mean(), abs=1e-9)
    assert float(law.variance) == pytest.approx(other.var(), rel=1e-9)


# --- at any size: more precision stays inside

HUGE = [
    (Binomial(10**15, "1/1000"), 10**12),
    (Binomial(10**15, 1 - TINY), 10**15),
    (BinomialSum(10**15, "3/4", 10**14, "1/1000"), 750_100_000_000_000),
    (NegativeBinomial(10**12, 1 - Fraction(1, 10**12)), 10**24),
    (NegativeBinomial(10**12 * Real.log(2), Real.exp("-1/5")), 3_130_718_000_000),
    (NegativeBinomial("1/10", "999999/1000000"), 10**5),
    (NegativeBinomial(2, 1 - Fraction(1, 10**12)), 2 * 10**12),
    (Geometric(1 - TINY), 10**300),
    (DiscreteLaplace(1 + TINY), 0),
    (DiscreteGaussian(Fraction(10**12, 7)), 0),
    (DiscreteGaussian(10**40), 0),
    (Poisson(10**12), 10**12),
    (Poisson(10**15 * Real.log(2)), 693147180559945),
]


@together(("law", "middle"), HUGE)
@together("deviations", [-8, 100])
def test_four_times_the_precision_is_inside(law, middle, deviations):
    """From the middle to 100 standard deviations: for a normal law 1e-2174.

    Two intervals that contain the truth have a common point; the narrow one is hardly more than a point.
    """
    k = middle + deviations * deviation(law)
    k = k if law.low is None else max(k, law.low)
    k = k if law.high is None else min(k, law.high)
    for name in NAMES:
        wide, narrow = (getattr(law, name)(k, relative_bits=bits) for bits in (53, 212))
        assert overlap(narrow, wide)
        assert wide > 0 or k == law.high
        assert keeps(wide, 53)
        assert keeps(narrow, 212)


# --- identities


@together("law", SMALL + [law for law, _ in HUGE])
def test_head_and_tail_are_one_and_differences_are_weights(law):
    middle, step = law.mode, deviation(law)
    for k in (middle - 3 * step, middle - 1, middle, middle + 1, middle + 3 * step):
        below, at, head, tail = law.cdf(k - 1), law.pmf(k), law.cdf(k), law.sf(k)
        assert head.lo + tail.lo <= 1 <= head.hi + tail.hi
        assert below.lo + at.lo <= head.hi
        assert head.lo <= below.hi + at.hi
        assert head.hi + tail.hi - head.lo - tail.lo < Fraction(1, 2**50)


@pytest.mark.parametrize(
    ("law", "mirrored", "end"),
    [
        (Binomial(1000, "1/7"), Binomial(1000, "6/7"), 1000),
        (Binomial(10**15, "1/1000"), Binomial(10**15, "999/1000"), 10**15),
        (BinomialSum(70, "1/7", 30, "1/2"), BinomialSum(70, "6/7", 30, "1/2"), 100),
        (DiscreteLaplace(Real.exp("1/5")), DiscreteLaplace(Real.exp("1/5")), 0),
        (DiscreteGaussian(10**6), DiscreteGaussian(10**6), 0),
    ],
)
def test_symmetry(law, mirrored, end):
    for k in (law.mode - 20, law.mode - 1, law.mode, law.mode + 7, law.mode + 20):
        assert overlap(law.pmf(k), mirrored.pmf(end - k))
        assert overlap(law.cdf(k), mirrored.sf(end - k - 1))
        assert not overlap(law.cdf(k), mirrored.sf(end - k))


@pytest.mark.parametrize("p", ["1/7", Fraction(999, 1000), Real.exp("-1/5")])
def test_one_summand_of_a_negative_binomial_law_is_geometric(p):
    for k in (-1, 0, 1, 9, 400):
        for name in NAMES:
            assert overlap(getattr(NegativeBinomial(1, p), name)(k), getattr(Geometric(p), name)(k))


def test_negative_binomial_laws_add_up():
    """NB(r1, p) + NB(r2, p) = NB(r1 + r2, p), with irrational r, by convolution."""
    first, second, p = Real.log(3), Fraction(5, 2), Fraction(3, 5)
    both = NegativeBinomial(first + second, p)
    with high_precision.sixty_digits():
        a = summed_laws.negative_binomial(mpmath.log(3), high_precision.number(p))
        b = summed_laws.negative_binomial(high_precision.number(second), high_precision.number(p))
        for k in range(0, 30, 3):
            assert meets(both.pmf(k), mpmath.fsum(a.pmf(j) * b.pmf(k - j) for j in range(k + 1)))


@pytest.mark.parametrize(
    ("law", "reduced", "moved"),
    [
        (BinomialSum(20, THIRD, 30, THIRD), Binomial(50, THIRD), 0),
        (BinomialSum(0, "1/2", 30, THIRD), Binomial(30, THIRD), 0),
        (BinomialSum(30, THIRD, 0, 1), Binomial(30, THIRD), 0),
        (BinomialSum(20, 0, 30, THIRD), Binomial(30, THIRD), 0),
        (BinomialSum(20, 1, 30, THIRD), Binomial(30, THIRD), 20),
        (BinomialSum(20, 1, 30, 1), Binomial(50, 1), 0),
        (BinomialSum(0, "1/2", 0, "1/3"), Binomial(0, 0), 0),
    ],
)
def test_sums_that_reduce_to_one_binomial_law(law, reduced, moved):
    assert (law.low, law.high) == (reduced.low + moved, reduced.high + moved)
    assert (law.mean, law.variance) == (reduced.mean + moved, reduced.variance)
    for k in (*range(law.low - 2, law.high + 3, 4), law.high, law.high + 1):
        for name in NAMES:
            exact = getattr(reduced, f"exact_{name}")(k - moved)
            assert getattr(law, f"exact_{name}")(k) == exact
            interval = getattr(law, name)(k)
            assert interval.lo <= exact <= interval.hi


@pytest.mark.parametrize(("n1", "p1", "n2", "p2"), [(1, "1/2", 1, "1/3"), (7, "1/5", 4, "9/10"), (3, "1/7", 12, "2/9")])
def test_sums_of_two_binomials_against_convolution(n1, p1, n2, p2):
    law, first, second = BinomialSum(n1, p1, n2, p2), Binomial(n1, p1), Binomial(n2, p2)
    weights = [sum(first.exact_pmf(j) * second.exact_pmf(k - j) for j in range(k + 1)) for k in range(n1 + n2 + 1)]
    for k, weight in enumerate(weights):
        assert law.exact_pmf(k) == weight
        assert law.exact_cdf(k) == sum(weights[: k + 1])
        assert law.exact_sf(k) == sum(weights[k + 1 :])
    assert weights[law.mode] == max(weights)
    assert law.mean == sum(k * weight for k, weight in enumerate(weights))


# --- limits


@pytest.mark.parametrize(
    ("law", "only"),
    [
        (Binomial(0, "1/2"), 0),
        (Binomial(9, 1), 9),
        (BinomialSum(4, 1, 3, 0), 4),
        (NegativeBinomial(5, 0), 0),
        (NegativeBinomial("1/3", 0), 0),
        (Geometric(0), 0),
        (Poisson(0), 0),
    ],
)
def test_laws_of_a_single_outcome(law, only):
    assert law.low == law.high == law.mode == law.mean == law.quantile("1/1000") == only
    assert law.variance == 0
    for k in (only - 1, only, only + 1):
        assert is_exactly(law.pmf(k), k == only)
        assert is_exactly(law.cdf(k), k >= only)
        assert is_exactly(law.sf(k), k < only)
        assert (law.exact_pmf(k), law.exact_cdf(k), law.exact_sf(k)) == (k == only, k >= only, k < only)


@pytest.mark.parametrize("law", [law for law in SMALL if law.low is not None])
def test_beyond_the_ends(law):
    for k in (law.low - 1, -(10**30)):
        assert is_exactly(law.pmf(k), 0)
        assert is_exactly(law.cdf(k), 0)
        assert is_exactly(law.sf(k), 1)
    assert law.cdf(law.low) > 0
    for k in () if law.high is None else (law.high + 1, 10**30):
        assert is_exactly(law.pmf(k), 0)
        assert is_exactly(law.cdf(k), 1)
        assert is_exactly(law.sf(k), 0)
    assert law.sf(10 if law.high is None else law.high - 1) > 0


def test_parameters_next_to_their_limits():
    """p = 1e-300 and 1 - 1e-300: the first terms of the series, known in closed form."""
    power = (1 - TINY) ** 5
    for law, sf, cdf in (
        (Binomial(5, TINY), 1 - power, power),
        (Binomial(1, 1 - TINY), 1 - TINY, TINY),
        (Geometric(TINY), TINY, 1 - TINY),
        (Geometric(1 - TINY), 1 - TINY, TINY),
        (NegativeBinomial(5, TINY), 1 - power, power),
        (DiscreteLaplace(1 + TINY), 1 / (2 + TINY), (1 + TINY) / (2 + TINY)),
        (DiscreteLaplace(1 / TINY), TINY / (1 + TINY), 1 / (1 + TINY)),
    ):
        for interval, exact in ((law.sf(0), sf), (law.cdf(0), cdf)):
            assert interval.lo <= exact <= interval.hi
            assert (interval.hi - interval.lo) * 2**53 <= exact


@pytest.mark.parametrize("mu", [Fraction(1, 10**50), TINY, Real.exp(-1000)])
def test_a_poisson_law_with_a_tiny_mean(mu):
    law = Poisson(mu)
    bound = enclose_real(Real(1) * mu, relative_bits=80)
    assert bound.lo * (1 - bound.hi) <= law.pmf(1).hi
    assert law.pmf(1).lo <= bound.hi
    assert law.sf(0).lo <= bound.hi
    assert 1 - bound.hi <= law.cdf(0).hi


def test_a_negative_binomial_law_with_an_irrational_p_next_to_one():
    assert NegativeBinomial(10, Real.exp("-1e-300")).sf(5) > Fraction(999, 1000)


def test_no_summand_is_ever_counted_with_an_irrational_r():
    law = NegativeBinomial(Real.log(2), 0)
    assert law.is_rational
    assert law.exact_pmf(0) == 1


@pytest.mark.parametrize("law", [Geometric(1 - Real.exp("-1/5")), NegativeBinomial(Real.log(100), "1/2")])
def test_ratios_of_distant_weights_with_irrational_parameters(law):
    assert law.compare_ratio(1500, 0, Real(1)) < 0
    assert compare_reals(law.ratio(150, 0), Real(1)) < 0


def test_the_mode_of_a_large_sum_at_a_tie():
    assert BinomialSum(10**6, "1/2", 10**6 + 1, "1/2").mode in (10**6, 10**6 + 1)


def test_the_variance_of_a_wide_gaussian_law():
    assert 10**20 * (1 - Fraction(1, 2**52)) <= DiscreteGaussian(10**20).variance.lo <= 10**20


def test_the_middle_weight_of_a_very_narrow_gaussian_law():
    assert DiscreteGaussian("1e-12").pmf(0) > Fraction(99, 100)


# --- shape: mode, log-concavity, ratios, quantiles


def is_ratio(value, law, t, u):
    """Whether a Real agrees with the two weights."""
    ratio = enclose_real(value, relative_bits=80)
    above, below = law.pmf(t), law.pmf(u)
    return above.lo <= ratio.hi * below.hi and ratio.lo * below.lo <= above.hi


@pytest.mark.parametrize("law", SMALL)
def test_ratios_are_those_of_the_weights(law):
    ks = outcomes(law)
    for t, u in [*pairwise(ks), (ks[-1], ks[0]), (ks[0], ks[-1]), (ks[3], ks[3])]:
        assert is_ratio(law.ratio(t, u), law, t, u)
        assert not is_ratio(law.ratio(t, u) * Fraction(10**13 + 1, 10**13), law, t, u)
        if law.is_rational:
            assert law.ratio(t, u) == Real(law.exact_pmf(t) / law.exact_pmf(u))


@pytest.mark.parametrize("law", SMALL)
def test_log_concavity_is_what_the_ratios_say(law):
    ratios = [law.ratio(t, t - 1) for t in outcomes(law)[1:]]
    assert law.is_log_concave == all(compare_reals(after, before) <= 0 for before, after in pairwise(ratios))


def test_only_negative_binomials_with_r_below_1_are_not_log_concave():
    assert [law.r for law in SMALL if not law.is_log_concave] == [Fraction(1, 2)]
    assert NegativeBinomial(Real.exp("1/1000000000"), "1/2").is_log_concave


@together("law", [*SMALL, Poisson(4), Binomial(5, "1/2"), BinomialSum(3, "1/2", 2, "1/2")])
def test_the_mode_is_a_most_likely_outcome(law):
    assert law.holds(law.mode)
    for k in outcomes(law):
        assert compare_reals(law.ratio(law.mode, k), Real(1)) >= 0


@pytest.mark.parametrize("law", [law for law, _ in HUGE])
def test_the_mode_against_its_neighbours_at_any_size(law):
    for k in (law.mode - 1, law.mode + 1):
        assert not law.holds(k) or law.compare_ratio(law.mode, k, Real(1)) >= 0


@pytest.mark.parametrize("law", SMALL)
def test_the_tail_ratio_is_the_limit_of_neighbouring_ratios(law):
    far = 10**6
    if law.high is not None:
        assert law.tail_ratio is None
    elif law.tail_ratio is None:
        assert compare_reals(law.ratio(far, far + 1), Real(1000)) > 0
        assert compare_reals(law.ratio(2 * far, 2 * far + 1), law.ratio(far, far + 1)) > 0
    else:
        gap = enclose_real(law.ratio(far, far + 1) / law.tail_ratio - 1, relative_bits=30)
        assert abs(gap.lo) < Fraction(1, 1000)


@together("law", SMALL)
@together("q", ["1e-300", "1/1000", "2/3", 1 - Fraction(1, 10**30)])
def test_quantiles_are_the_least_that_reach(law, q):
    k, level = law.quantile(q), Fraction(q)
    assert law.cdf(k, relative_bits=150) >= level
    assert law.cdf(k - 1, relative_bits=150) < level


@pytest.mark.parametrize(("law", "middle"), thinned([case for case in HUGE if deviation(case[0]) < 10**11], every=2))
def test_quantiles_at_any_size(law, middle):
    k = law.quantile("1/1000")
    assert law.cdf(k, relative_bits=100) >= Fraction(1, 1000)
    assert law.cdf(k - 1, relative_bits=100) < Fraction(1, 1000)
    assert k <= middle


def test_quantiles_at_ties():
    assert Geometric("1/2").quantile("1/2") == 0
    assert Geometric("1/2").quantile("7/8") == 2
    assert DiscreteLaplace(2).quantile("1/3") == -1
    assert NegativeBinomial(2, "1/2").quantile("1/2") == 1


# --- ties of likelihood ratios


@pytest.mark.parametrize("law", thinned(SMALL, every=2))
def test_a_bound_equal_to_the_ratio_is_a_tie(law):
    ks = outcomes(law)
    for t, u in ((ks[1], ks[0]), (ks[0], ks[1]), (ks[9], ks[2]), (ks[2], ks[9]), (ks[5], ks[5])):
        bound = law.ratio(t, u)
        assert law.compare_ratio(t, u, bound) == 0
        assert law.compare_ratio(t, u, bound * Fraction(10**30 - 1, 10**30)) == 1
        assert law.compare_ratio(t, u, bound * Fraction(10**30 + 1, 10**30)) == -1


@pytest.mark.parametrize(
    ("law", "t", "u", "bound"),
    [
        (DiscreteLaplace(Real.exp("1/5")), 3, 2, Real.exp("-1/5")),
        (DiscreteLaplace(Real.exp("1/5")), -(10**9), 0, Real.exp(-2 * 10**8)),
        (DiscreteGaussian(4), 3, 2, Real.exp("-5/8")),
        (DiscreteGaussian(4), 3000, 2000, Real.exp(-625000)),
        (DiscreteGaussian(10**20), 10**15, -(10**15), Real(1)),
        (Geometric(Real.exp("-1/5")), 10**6, 0, Real.exp(-200_000)),
        (Geometric("1/3"), 1000, 0, Real(THIRD**1000)),
        (Binomial(1000, "1/2"), 400, 600, Real(1)),
        (Binomial(10**9, "1/2"), 5 * 10**8 + 500, 5 * 10**8 - 500, Real(1)),
        (NegativeBinomial(3, Real.exp("-1/5")), 2, 0, Real(6, exponent="-2/5")),
        (Poisson(Real.exp("7/2")), 2, 0, Real("1/2", exponent=7)),
        (Poisson(10), 10, 9, Real(1)),
        (BinomialSum(30, "1/4", 30, "3/4"), 20, 40, Real(1)),
    ],
)
def test_ties_are_decided(law, t, u, bound):
    nearly = Fraction(10**30 + 1, 10**30)
    assert law.compare_ratio(t, u, bound) == 0
    assert law.compare_ratio(t, u, bound * nearly) == -1
    assert law.compare_ratio(t, u, bound / Real(nearly)) == 1


# --- bad input

NO_NUMBERS = [0.5, 3.0, True, None, "a", "", "1/0", "1e", float("nan"), float("inf"), [1], 1j]
MAKERS = {
    "n": lambda x: Binomial(x, "1/2"),
    "n1": lambda x: BinomialSum(x, "1/2", 3, "1/2"),
    "n2": lambda x: BinomialSum(3, "1/2", x, "1/2"),
    "p": lambda x: Binomial(3, x),
    "p1": lambda x: BinomialSum(3, x, 3, "1/2"),
    "p2": lambda x: BinomialSum(3, "1/2", 3, x),
    "r": lambda x: NegativeBinomial(x, "1/2"),
    "p of NegativeBinomial": lambda x: NegativeBinomial(3, x),
    "p of Geometric": Geometric,
    "exp_eps": DiscreteLaplace,
    "sigma_squared": DiscreteGaussian,
    "mu": Poisson,
}


@together("name", MAKERS)
@together("value", NO_NUMBERS, ids=str)
def test_parameters_that_are_no_exact_numbers(name, value):
    with pytest.raises(ExactDPError, match=rf"^{name.split()[0]}[ =]") as caught:
        MAKERS[name](value)
    assert isinstance(caught.value, InvalidValueError if isinstance(value, str) else InexactNumberError)


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        *[(name, (-1, "1/2", -(10**30)), f"{name}=.* is (below 0|not an integer)") for name in ("n", "n1", "n2")],
        *[(name, (-1, "-1e-300", 1 + TINY, 2), f"{name}=.* is outside .0, 1.") for name in ("p", "p1", "p2")],
        *[
            (f"p of {name}", (-1, 1, "1.01", Real.exp("1e-9"), -1 * Real.exp(-1)), r"p=.* is outside \[0, 1\)")
            for name in ("NegativeBinomial", "Geometric")
        ],
        ("r", (0, -1, -1 * Real.log(2), Real.log("1/2")), "r=.* is not above 0"),
        ("exp_eps", (1, 0, -3, "1/2", Real.exp("-1/5"), Real.exp(0)), "exp_eps=.* is not above 1"),
        ("sigma_squared", (0, -1, "-1/10000"), "sigma_squared=.* is not above 0"),
        ("mu", (-1, "-1e-300", -1 * Real.log(2)), "mu=.* is below 0"),
    ],
)
def test_parameters_outside_their_range(name, values, message):
    for value in values:
        with pytest.raises(InvalidValueError, match=message):
            MAKERS[name](value)


def test_a_parameter_whose_sign_nothing_decides_is_refused():
    with pytest.raises(ExactDPError, match="nothing decides which is larger"):
        Poisson(Real.log(6) - Real.log(2) - Real.log(3))


@pytest.mark.parametrize("law", SMALL)
def test_outcomes_and_accuracies_that_are_refused(law):
    for method in (law.pmf, law.cdf, law.sf):
        for k in (0.5, 1.0, "1/2", True, None, "x"):
            with pytest.raises(ExactDPError, match=r"^k[ =]"):
                method(k)
        for bits in (0, -1, "1/2", 53.0, True, None):
            with pytest.raises(ExactDPError, match=r"^relative_bits[ =]"):
                method(1, relative_bits=bits)
        with pytest.raises(TooLargeError, match="relative_bits=2097152 is more than the limit of 1048576"):
            method(1, relative_bits=2**21)
    for q in (0, 1, -1, "3/2", 0.5, None):
        with pytest.raises(ExactDPError, match=r"^q[ =]"):
            law.quantile(q)


@pytest.mark.parametrize("law", [law for law in SMALL if not law.is_rational])
def test_exact_values_of_irrational_laws_are_refused(law):
    for method in (law.exact_pmf, law.exact_cdf, law.exact_sf):
        with pytest.raises(InvalidValueError, match="are irrational"):
            method(3)


@pytest.mark.parametrize(
    ("law", "limit"),
    [
        (Binomial(10**9, THIRD), "limit of 1000000 for exact"),
        (BinomialSum(10**9, THIRD, 3, "1/2"), "limit of 100000, or"),
        (NegativeBinomial(10**9, THIRD), "limit is 8388608"),
        (Geometric(THIRD), "limit is 8388608"),
        (DiscreteLaplace(3), "limit is 8388608"),
    ],
)
def test_exact_values_that_are_too_long_are_refused_before_the_work(law, limit):
    for method in (law.exact_pmf, law.exact_cdf, law.exact_sf):
        with pytest.raises(TooLargeError, match=limit):
            method(5 * 10**8)
