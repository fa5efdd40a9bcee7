"""Amplification bounds: against definitions by brute force, high-precision floats, and their hypotheses."""

from fractions import Fraction
from itertools import product
from math import comb, exp, log
from time import process_time

import mpmath
import pytest

import exactdp as xdp
from exactdp.errors import HypothesisError, TooLargeError
from exactdp.privacy.amplification.blanket import bennett_blanket_delta, blanket_parameters, hoeffding_blanket_delta
from exactdp.privacy.amplification.clones import (
    clones_delta,
    clones_exp_eps,
    stronger_clones_delta,
    stronger_clones_exp_eps,
    stronger_clones_refined_exp_eps,
)
from exactdp.privacy.amplification.response_theorem import (
    binary_sum_delta,
    binary_sum_eps,
    binary_sum_lambda,
    response_gamma,
)
from exactdp.privacy.amplification.variation_ratio import (
    VariationRatio,
    family_parameters,
    response_parameters,
    variation_ratio_delta,
    variation_ratio_exp_eps,
)
from exactdp.protocols.thresholded.waiting_times import (
    published_sample_threshold_delta,
    refined_sample_threshold_delta,
    sample_threshold_parameters,
    sample_threshold_worst,
)
from exactdp.randomizers import (
    ClippedDiscreteLaplace,
    HadamardResponse,
    KAryResponse,
    LocalHashing,
    SubsetSelection,
    UnaryEncoding,
)
from exactdp.studies.counterexamples.comparison import random_case
from tests.thinned import thinned
from tests.together import together

mpmath.mp.dps = 40


def close(interval, value, digits=14):
    """The interval is narrow, and contains a number within so many digits of an independent one."""
    width = Fraction(1, 10**digits)
    middle = Fraction(int(mpmath.nint(value * mpmath.mpf(10) ** 60)), 10**60)
    slack = abs(middle) * width + Fraction(1, 10**58)
    return interval.lo - slack <= middle <= interval.hi + slack and interval.hi - interval.lo <= slack


def by_definition(n, p, alpha, r, order):
    """The divergence of the reduced pair, by convolving the users' laws over (zeros, ones)."""
    rest, other = 1 - alpha * (1 + p), {(1, 0): r, (0, 1): r, (0, 0): 1 - 2 * r}
    laws = []
    for first, second in ((alpha * p, alpha), (alpha, alpha * p)):
        law = {(1, 0): first, (0, 1): second, (0, 0): rest}
        for _ in range(n - 1):
            longer = {}
            for ((a, b), x), ((c, d), y) in product(law.items(), other.items()):
                longer[a + c, b + d] = longer.get((a + c, b + d), 0) + x * y
            law = longer
        laws.append(law)
    return sum(max(Fraction(0), laws[0][v] - order * laws[1].get(v, 0)) for v in laws[0])


PARAMETERS = [
    VariationRatio(p, (Fraction(p) - 1) / (Fraction(p) + 1) * share, q)
    for p, share, q in (
        (2, 1, 2),
        (3, Fraction(1, 2), 3),
        (3, Fraction(1, 3), 1),
        ("5/4", 1, "5/4"),
        (10, Fraction(1, 5), 4),
        (3, 1, "3/2"),  # r = 1/2: nobody else is silent
    )
]


@together("parameters", PARAMETERS, ids=str)
@together("n", [1, 2, 3, 6])
def test_the_reduced_pair_by_definition(n, parameters):
    p = parameters.p
    for order in (Fraction(1), 1 + (p - 1) / 3, (1 + p) / 2, p - (p - 1) / 50, p, p + 1):
        found = variation_ratio_delta(n, parameters, exp_eps=order)
        assert found == by_definition(n, p, parameters.alpha, parameters.r, order)


def test_an_irrational_order_is_enclosed_and_a_long_sum_refused():
    parameters = response_parameters(2, exp_eps0=3)
    ends = [variation_ratio_delta(50, parameters, exp_eps=order) for order in ("16488/10000", "16487/10000")]
    found = variation_ratio_delta(50, parameters, eps="1/2")
    assert ends[0] < found.lo <= found.hi < ends[1]
    assert (found.hi - found.lo) * 2**50 < found.lo
    with pytest.raises(TooLargeError, match="more than the limit of 131072 bits"):
        variation_ratio_delta(10**6, parameters, exp_eps=2)


@together("parameters", PARAMETERS, ids=str)
@together("n", [1, 3, 40, 300])
def test_the_enclosure_contains_the_exact_sum(n, parameters):
    for order in (Fraction(1), 1 + (parameters.p - 1) / 7, (1 + parameters.p) / 2, parameters.p):
        exact = variation_ratio_delta(n, parameters, exp_eps=order)
        found = variation_ratio_delta(n, parameters, exp_eps=order, relative_bits=30)
        assert exact in found
        assert (found.hi - found.lo) * 2**30 <= exact
        assert exact * (1 + Fraction(1, 2**28)) not in found or exact == 0


def test_an_enclosure_that_would_take_minutes_is_refused():
    with pytest.raises(TooLargeError, match=r"relative_bits=200 would take minutes\. Ask for fewer bits"):
        clones_delta(10**6, exp_eps0="7389/1000", exp_eps="101/100", relative_bits=200)


def test_clones_at_a_million_users():
    """Between the closed forms and nothing: at the closed form's eps the pair's delta is below the target."""
    for bound, closed in ((clones_delta, clones_exp_eps), (stronger_clones_delta, stronger_clones_exp_eps)):
        order = closed(10**6, exp_eps0=3, delta="1e-6").lo
        assert 0 < bound(10**6, exp_eps0=3, exp_eps=order, relative_bits=10).hi < Fraction(1, 10**6)
        near_one = bound(10**6, exp_eps0=3, exp_eps=1, relative_bits=20)
        assert Fraction(1, 10**4) < near_one.lo < near_one.hi < Fraction(1, 10**3)


def total_variation(family):
    first, second, *_ = (dict(row) for row in family.table().table().values())
    return sum(max(Fraction(0), p - second.get(message, 0)) for message, p in first.items())


@pytest.mark.parametrize(
    ("family", "times"),
    [
        (KAryResponse(5, exp_eps0="7389/1000"), 1),
        (UnaryEncoding(4, exp_eps0=9), 1),
        (SubsetSelection(6, exp_eps0=3, size=2), 1),
        (HadamardResponse(5, exp_eps0=3), 1),
        (LocalHashing(3, exp_eps0=4, buckets=3), Fraction(3, 2)),  # published as if two inputs never met in a bucket
    ],
    ids=lambda value: value.name if hasattr(value, "name") else "",
)
def test_published_parameters_are_total_variation_distances(family, times):
    parameters = family_parameters(family)
    assert parameters.p == parameters.q == family.local_epsilon().argument
    assert parameters.beta == times * total_variation(family)


@pytest.mark.parametrize(
    ("family", "message"),
    [
        (ClippedDiscreteLaplace(4, exp_eps0=3), "no published parameters for clipped-discrete-laplace"),
        (UnaryEncoding(4, exp_eps0=9, optimized=True), "no published parameters for unary-encoding"),
        (KAryResponse(3, exp_eps0="exp(1)"), "needs a rational e\\^eps0"),
        (SubsetSelection(3, exp_eps0=3, size=3), "needs e\\^eps0 > 1"),
    ],
)
def test_families_without_published_parameters(family, message):
    with pytest.raises(HypothesisError, match=message):
        family_parameters(family)


@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize("ratio", [Fraction(3, 2), Fraction(4)])
def test_clones_pairs_by_their_own_definition(n, ratio):
    """C ~ Bin(n - 1, c), A ~ Bin(C, 1/2), D ~ Ber(p / (p + 1))."""
    truth = ratio / (ratio + 1)
    for bound, c in ((clones_delta, 1 / ratio), (stronger_clones_delta, 2 / (ratio + 1))):
        for order in (Fraction(1), (1 + ratio) / 2):
            laws = [{}, {}]
            for copies in range(n):
                for a in range(copies + 1):
                    weight = (
                        comb(n - 1, copies)
                        * c**copies
                        * (1 - c) ** (n - 1 - copies)
                        * Fraction(comb(copies, a), 2**copies)
                    )
                    for d, chance in ((1, truth), (0, 1 - truth)):
                        for law, view in zip(
                            laws, ((a + d, copies - a + 1 - d), (a + 1 - d, copies - a + d)), strict=True
                        ):
                            law[view] = law.get(view, 0) + weight * chance
            expected = sum(max(Fraction(0), x - order * laws[1].get(v, 0)) for v, x in laws[0].items())
            assert bound(n, exp_eps0=ratio, exp_eps=order) == expected


def test_binary_response_of_few_users_is_the_stronger_clones_pair():
    for n, order in ((2, "3/2"), (2, 2), (3, 2)):
        profile = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), n).privacy_profile()
        assert profile.delta(exp_eps=order) == stronger_clones_delta(n, exp_eps0=3, exp_eps=order)
        assert profile.delta(exp_eps=order) < clones_delta(n, exp_eps0=3, exp_eps=order)


def test_closed_forms_by_floats():
    n, p, delta = 10**5, 3, mpmath.mpf("1e-6")
    log = mpmath.log(4 / delta)
    root = mpmath.sqrt
    assert close(
        clones_exp_eps(n, exp_eps0=p, delta="1e-6"),
        1 + mpmath.mpf(2) / 4 * (8 * root(p * log / n) + mpmath.mpf(8 * p) / n),
    )
    assert close(
        stronger_clones_exp_eps(n, exp_eps0=p, delta="1e-6"),
        1 + 2 * (4 * root(2 * log / (4 * n)) + mpmath.mpf(4) / n),
    )
    r = mpmath.mpf(1) / 4
    refined = 1 + mpmath.mpf(1) / 2 * (root(16 * log / (r * (n - 1))) + 2 / (r * (n - 1)))
    assert close(stronger_clones_refined_exp_eps(n, exp_eps0=p, delta="1e-6"), refined)
    assert close(variation_ratio_exp_eps(n, response_parameters(2, exp_eps0=p), delta="1e-6"), refined)
    r, beta = mpmath.mpf(1) / 6, mpmath.mpf(2) / 6
    c = 4 * (1 - 3 * r) / (9 * (1 - 2 * r))
    factor = beta / ((1 - c) * 4 * beta / 2 + c)
    expected = 1 + factor * (root(16 * log / (r * (n - 1))) + 2 / (r * (n - 1)))
    assert close(variation_ratio_exp_eps(n, response_parameters(4, exp_eps0=p), delta="1e-6"), expected)


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize(("ratio", "order"), [(Fraction(3), Fraction(2)), (Fraction(3, 2), Fraction(11, 10))])
def test_the_blanket_of_randomized_response(k, ratio, order):
    given = blanket_parameters(exp_eps0=ratio, exp_eps=order, k=k)
    chances = [ratio / (ratio + k - 1), 1 / (ratio + k - 1)]
    values = [(chances[0] - order * chances[1]) * k, (chances[1] - order * chances[0]) * k]
    values += [(1 - order) * chances[1] * k] * (k - 2)
    assert given.gamma == k / (ratio + k - 1)
    assert given.b_plus.coefficient == max(values)
    assert given.b.coefficient == max(values) - min(values)
    assert given.c.coefficient == sum(value**2 for value in values) / k
    assert sum(values) / k == -given.a.coefficient


# Of the first 40 random tables, those whose rows differ: equal rows have e^eps0 = 1, and no e^eps is below it.
TABLES = [index for index in range(40) if random_case(1, index).exp_eps0 > 1]


@together("index", TABLES)
def test_the_generic_blanket_holds_for_random_tables(index):
    """gamma, the range, the maximum and the second moment of L at gamma = e^-eps0, message by message."""
    case = random_case(1, index)
    ratio = case.exp_eps0
    rows = [dict(row) for row in case.randomizer.rows]
    messages = sorted(rows[0])
    least = {m: min(row[m] for row in rows) for m in messages}
    weight = sum(least.values())
    for order in (1 + (ratio - 1) / 4, 1 + (ratio - 1) * 3 / 4):
        given = blanket_parameters(exp_eps0=ratio, exp_eps=order)
        assert given.gamma <= weight
        for x, y in product(rows, repeat=2):
            if x is not y:
                values = [(weight * (x[m] - order * y[m]) / least[m], least[m] / weight) for m in messages]
                assert max(v for v, _ in values) <= given.b_plus.coefficient
                assert max(v for v, _ in values) - min(v for v, _ in values) <= given.b.coefficient
                assert sum(v * v * p for v, p in values) <= given.c.coefficient


def test_hoeffding_and_bennett_by_the_sum_over_m():
    n, k, p, order = 20, 2, mpmath.mpf(3), mpmath.mpf(2)
    gamma, a, b, plus, c = k / (p + 1), order - 1, mpmath.mpf(3), mpmath.mpf("0.5"), mpmath.mpf(13) / 4
    u = a * plus / c
    phi = (1 + u) * mpmath.log(1 + u) - u
    hoeffding = bennett = mpmath.mpf(0)
    for m in range(n + 1):
        weight = mpmath.binomial(n, m) * gamma**m * (1 - gamma) ** (n - m)
        hoeffding += weight * b**2 / (4 * a) * mpmath.exp(-2 * m * a**2 / b**2)
        if m:
            bennett += weight * plus / mpmath.log(1 + u) * mpmath.exp(-m * c / plus**2 * phi)
    assert close(hoeffding_blanket_delta(n, exp_eps0=3, exp_eps=2, k=2), hoeffding / (gamma * n))
    assert close(bennett_blanket_delta(n, exp_eps0=3, exp_eps=2, k=2), bennett / (gamma * n))


def test_the_binary_sum_theorem():
    log = mpmath.log(4 * mpmath.mpf(10) ** 6)
    assert close(binary_sum_lambda(10**6, eps="1/2", delta="1e-6"), 256 * log)
    n, eps = 10**4, mpmath.mpf("0.2")
    assert close(binary_sum_lambda(n, eps="1/5", delta="1e-6"), n - eps * mpmath.mpf(n) ** 1.5 / mpmath.sqrt(432 * log))
    v = 1000 - mpmath.sqrt(2000 * mpmath.log(2 * mpmath.mpf(10) ** 6))
    assert close(binary_sum_eps(10**4, lam=1000, delta="1e-6"), mpmath.sqrt(32 * log / v) * (1 - v / 10**4))
    t = mpmath.mpf(1) / 3
    expected = (
        2 * mpmath.mpf(".9") * mpmath.exp(2 * t - 1000 * mpmath.mpf(9999) / 10000 * (1 - mpmath.exp(-(t**2) / 2)))
    )
    assert close(binary_sum_delta(10**4, lam=1000, exp_eps=2), expected)
    assert binary_sum_delta(10, lam=10, exp_eps=2).is_point  # everybody answers at random


def test_both_branches_of_lambda_meet_at_a_third():
    """eps with eps^2 = 192 ln(4/delta) / n, from just above and just below."""
    n = 10**6
    switch = mpmath.sqrt(192 * mpmath.log(400) / n)
    for step, eps in ((-1, switch * (1 - mpmath.mpf(10) ** -12)), (1, switch * (1 + mpmath.mpf(10) ** -12))):
        found = binary_sum_lambda(n, eps=Fraction(int(eps * 10**20), 10**20), delta="1/100")
        assert abs(found.lo - Fraction(n, 3)) < Fraction(1, 1000), step


def test_the_response_theorem_takes_the_larger_of_two():
    many, few = response_gamma(10**6, 4, eps=1, delta="1e-6"), response_gamma(10**6, 4, eps=1, delta=1)
    assert close(many, 56 * mpmath.log(2 * mpmath.mpf(10) ** 6) / (10**6 - 1))
    assert Fraction(108, 10**6 - 1) in few


@pytest.mark.parametrize(
    ("tau", "rate", "order"), thinned([(1, "1/2", 2), (2, "1/4", 3), (4, "1/3", "3/2"), (6, "1/5", 2)], every=2)
)
def test_sample_and_threshold_by_listing_both_orders(tau, rate, order):
    q = Fraction(rate) * (1 - 1 / Fraction(order))

    def law(holders):
        released = {}
        for t in range(holders + 1):
            shown = t if t >= tau else 0
            released[shown] = released.get(shown, 0) + comb(holders, t) * q**t * (1 - q) ** (holders - t)
        return released

    def divergence(first, second):
        return sum(max(Fraction(0), x - Fraction(order) * second.get(v, 0)) for v, x in first.items())

    worst = sample_threshold_worst(tau, alpha=rate, exp_eps=order)
    listed = []
    for holders in range(60):
        fewer, more = law(holders), law(holders + 1)
        assert divergence(fewer, more) == 0
        listed.append(divergence(more, fewer))
    assert worst.delta == max(listed)
    assert worst.holders == listed.index(max(listed))
    refined = refined_sample_threshold_delta(tau, alpha=rate, exp_eps=order)
    assert worst.delta <= refined.lo
    assert refined.hi <= refined_sample_threshold_delta(tau, alpha=rate).lo
    a = mpmath.mpf(Fraction(rate).numerator) / Fraction(rate).denominator
    assert close(
        published_sample_threshold_delta(tau, alpha=rate), mpmath.exp(-tau * (mpmath.log(1 / a) - 1 / (1 + a)))
    )


REFUSED = {
    "p > 1": lambda: VariationRatio(1, "1/4", 2),
    "0 < beta <= (p - 1) / (p + 1)": lambda: VariationRatio(3, "51/100", 3),
    "q >= 1 and p beta / ((p - 1) q) <= 1/2": lambda: VariationRatio(3, "1/2", "4/3"),
    "e^eps0 > 1": lambda: clones_delta(3, exp_eps0=1, exp_eps=1),
    "n >= 1": lambda: stronger_clones_delta(0, exp_eps0=2, exp_eps=1),
    "n >= 16 e^eps0 ln(4/delta)": lambda: clones_exp_eps(100, exp_eps0=3, delta="1/100"),
    "n >= 8 (e^eps0 + 1) ln(4/delta)": lambda: stronger_clones_exp_eps(100, exp_eps0=3, delta="1/100"),
    "n > 8 ln(4/delta) / r": lambda: stronger_clones_refined_exp_eps(100, exp_eps0=3, delta="1/100"),
    "r < 1/2": lambda: variation_ratio_exp_eps(1000, VariationRatio(3, "1/2", "3/2"), delta="1/100"),
    "0 < eps < eps0, but e^eps = 3": lambda: hoeffding_blanket_delta(9, exp_eps0=3, exp_eps=3),
    "0 < eps < eps0, but e^eps = 1": lambda: bennett_blanket_delta(9, exp_eps0=3, exp_eps=1, k=2),
    "n >= 2": lambda: response_gamma(1, 2, eps=1, delta="1/2"),
    "< 1, but it is": lambda: response_gamma(50, 2, eps=1, delta="1/100"),
    "0 < eps <= 1": lambda: response_gamma(10**6, 2, eps="11/10", delta="1/100"),
    "eps < 1": lambda: binary_sum_lambda(10**6, eps=1, delta="1/100"),
    "delta < 1": lambda: binary_sum_lambda(10**6, eps="1/2", delta=1),
    "eps > sqrt(3456) ln(4/delta) / n": lambda: binary_sum_lambda(100, eps="1/2", delta="1/100"),
    "lambda >= 14 ln(4/delta)": lambda: binary_sum_eps(1000, lam=50, delta="1/100"),
    "0 < lambda <= n": lambda: binary_sum_delta(100, lam=101, exp_eps=2),
    "0 < eps < infinity": lambda: binary_sum_delta(100, lam=50, exp_eps=1),
    "ln(1/alpha) > 1 / (1 + alpha)": lambda: sample_threshold_parameters(eps=1, delta="1/100", alpha="13/25"),
    "alpha (1 - e^-eps) >= 2^-53": lambda: sample_threshold_parameters(eps="1e-20", delta="1/100"),
    "tau >= 1": lambda: published_sample_threshold_delta(0, alpha="1/2"),
    "0 < alpha < 1": lambda: refined_sample_threshold_delta(3, alpha=1, exp_eps=2),
    "e^eps > 1": lambda: sample_threshold_worst(3, alpha="1/2", exp_eps=1),
}


@together("needs", REFUSED)
def test_a_hypothesis_that_fails_is_named(needs):
    with pytest.raises(HypothesisError) as error:
        REFUSED[needs]()
    assert needs in str(error.value)


def test_the_worst_number_of_holders_is_found_without_a_search():
    worst = sample_threshold_worst(3000, alpha="1/2", exp_eps=2)
    assert worst.holders == 4798  # q = 1/4 and rho = 5/8: the last N with N rho < tau - 1, exactly
    assert worst.delta <= refined_sample_threshold_delta(3000, alpha="1/2", exp_eps=2).lo


@pytest.mark.parametrize(("eps", "delta", "alpha"), [(1, "1e-6", "1/4"), ("1/10", "1/100", "1/2"), (3, 1, "1/3")])
def test_the_published_rate_and_threshold_are_enough_and_one_less_is_not_claimed(eps, delta, alpha):
    rate, threshold = sample_threshold_parameters(eps=eps, delta=delta, alpha=alpha)
    assert published_sample_threshold_delta(threshold, alpha=alpha).compare(Fraction(delta)) in (-1, None)
    if threshold > 1:
        assert published_sample_threshold_delta(threshold - 1, alpha=alpha).compare(Fraction(delta)) == 1
    exact = mpmath.mpf(Fraction(alpha).numerator) / Fraction(alpha).denominator
    exact *= 1 - mpmath.exp(-mpmath.mpf(Fraction(eps).numerator) / Fraction(eps).denominator)
    assert 0 <= exact - mpmath.mpf(rate.numerator) / rate.denominator < 2**-52


def test_the_bound_by_bennett_takes_no_exact_power_of_a_million_users():
    started = process_time()
    bound = bennett_blanket_delta(10**6, exp_eps0=Fraction(7389, 1000), exp_eps=Fraction(101, 100))
    assert process_time() - started < 0.5
    a, p, E = 0.01, 7.389, 1.01
    b_plus, c = p * (1 - E / p**2), p * (E**2 + 1) - 2 * E / p**3
    u = a * b_plus / c
    t = exp(-c / b_plus**2 * ((1 + u) * log(1 + u) - u))
    shown = b_plus / log(1 + u) * p / 10**6 * ((1 - (1 - t) / p) ** 10**6 - (1 - 1 / p) ** 10**6)
    assert float(bound.lo) == pytest.approx(shown, rel=1e-6)
