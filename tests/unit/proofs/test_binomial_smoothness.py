"""Lemma 3: the rows are decided as recorded, wrong ones are not proved, and exact and 60-digit numbers agree."""

from fractions import Fraction
from functools import cache
from math import ceil, comb, floor
from random import Random

import mpmath
import pytest

import exactdp as xdp
from exactdp import bounds
from exactdp.numbers.real import Real
from exactdp.proofs import binomial_smoothness_printed, check, check_from_scratch
from exactdp.proofs.binomial_smoothness import exponents, good_set
from exactdp.proofs.binomial_smoothness_printed import REACHES, instances, step_up_fails, window_fails
from exactdp.proofs.row_files import rows_of
from exactdp.proofs.steps import equal, implies, positive_on, variables
from exactdp.protocols.zsum_and_histogram import smooth_theorems
from tests.together import together

Claim, Verdict, F = xdp.Claim, xdp.Verdict, Fraction
ROWS, PRINTED_ROWS = rows_of("binomial_smoothness"), rows_of("binomial_smoothness_printed")


@cache
def outcome_of(row):
    return check(row)


def test_every_entry_of_the_lemma_has_a_row():
    assert {entry for row in ROWS + PRINTED_ROWS for entry in row.notes} == set(map(str, range(17, 25)))


def test_what_the_lemma_assumes_is_listed():
    rests_on = {row.id: outcome_of(row).rests_on for row in ROWS}
    assert all(any("Markov" in fact for fact in rests_on[name]) for name in ("lemma3", "chernoff-upper"))
    assert not any("Markov" in fact for name in ("lemma3-step-up", "lemma3-step-down") for fact in rests_on[name])


n, gamma, alpha, y, i, k = variables("n gamma alpha y i k")
r, b, factor, order, u, v, x, h, log, sinh, cosh, c, d, f, g, t = variables("r b factor E u v x h L S C c d f g total")
PARTS = (gamma > 0, alpha > 0, alpha * (1 - 2 * gamma) >= 0)
UP, DOWN = n - y - i + 1, n - y + i + 1
AT_HALF = {gamma: F(1, 2), alpha: F(1, 2)}
"""gamma and alpha of statements about y, i, k and n alone."""


def at_half(relation):
    return relation.subs(AT_HALF)


def low(k):
    return good_set(n, gamma, alpha, k)[0]


def high(k):
    return good_set(n, gamma, alpha, k)[1]


WRONG = {
    "slack: without gamma <= 1/2": implies(gamma > 0, alpha > 0, alpha < 1, then=alpha * (1 - 2 * gamma) >= 0),
    "slack: without alpha > 0": implies(gamma > 0, 2 * gamma <= 1, then=alpha * (1 - 2 * gamma) >= 0),
    "slack: strict": implies(gamma > 0, 2 * gamma <= 1, alpha > 0, then=alpha * (1 - 2 * gamma) > 0),
    "slack: the bound 1 + alpha": implies(
        gamma > 0, 2 * gamma <= 1, alpha > 0, alpha < 1, then=1 - gamma <= 1 - gamma - alpha * gamma
    ),
    "numerators: i above k": implies(*map(at_half, (y <= high(k),)), then=at_half(y + i <= (1 + alpha) * gamma * n)),
    "upwards: the printed step, 1 + alpha, y = 13x/2": implies(
        *map(at_half, (n >= 1, x >= 0, F(13, 2) * x <= high(1))),
        then=at_half((1 - gamma) * (F(13, 2) * x + 1) <= (1 + alpha) * gamma * (n - F(13, 2) * x)),
    ),
    "upwards: the flipped inequality": implies(
        *map(at_half, (n >= 1, y >= 0, y <= high(1))),
        then=at_half((1 - alpha) * (1 - gamma) * (y + 1) > (1 + alpha) * gamma * (n - y)),
    ),
    "upwards: y above G": implies(
        *map(at_half, (n >= 1, y >= 0, y <= n)),
        then=at_half((1 - alpha) * (1 - gamma) * (y + 1) < (1 + alpha) * gamma * (n - y)),
    ),
    "downwards: y below G": implies(
        *map(at_half, (n >= 1, y > 0)), then=at_half((1 - alpha) * gamma * (n - y + 1) < (1 + alpha) * (1 - gamma) * y)
    ),
    "downwards: the flipped inequality": implies(
        *map(at_half, (n >= 1, y >= low(1))),
        then=at_half((1 - alpha) * gamma * (n - y + 1) > (1 + alpha) * (1 - gamma) * y),
    ),
    "downwards: without the 1 of y - k + 1": implies(
        *map(at_half, (n >= 1, y >= low(0))), then=at_half(y > (1 - alpha) * gamma * (n + 1))
    ),
    "products: a factor above E": implies(r > 0, r < b, factor > 0, then=r * factor < b * order),
    "products: E to one power less": implies(r > 0, r < b, factor > 0, factor < order, then=r * factor < b),
    "products: factors of any sign": implies(r < b, factor < order, then=r * factor < b * order),
    "G: k a little above alpha mu / 2, k = 9x/64": implies(
        n >= 1, x <= n, then=at_half(n * F(3, 8) >= low(F(9, 64) * x))
    ),
    "G: inside the window": implies(*map(at_half, (n >= 1, y >= low(0))), then=at_half(y >= n * F(3, 8))),
    "exponential: 1 + x + x^2/100": positive_on({"x": (-1, 1)}, (1, x), (-1 - x - x * x, 0)),
    "exponential: doubled from e^x >= x": implies(r >= x, x >= 0, then=r * r >= 1 + 2 * x),
    "exponential: powers of numbers of any sign": implies(b >= r, v >= u, then=b * v >= r * u),
    "exponential: e^-s where s falls": implies(r >= 0, g >= 1 + d, then=r * g >= r),
    "outside: one tail alone": implies(r <= u + v, u <= c, v <= d, then=r <= c),
    "outside: k above alpha mu / 2": implies(n >= 1, k <= n, at_half(y < low(k)), then=at_half(y < n * F(3, 8))),
    "chernoff up: u a little more": positive_on({"u": (0, 2)}, (2 + u, 0), (u - 2, u * F(1001, 1000))),
    "chernoff up: h below 0": positive_on({"u": (-1, 0)}, (2 + u, 0), (u - 2, u)),
    "chernoff up: flipped": positive_on({"u": (0, 2)}, (-2 - u, 0), (2 - u, u)),
    "chernoff up: h^2/2 in place of h^2/(2+h)": implies(
        h >= 0, equal((2 + h) * log, 2 * h), then=2 * ((1 + h) * log - h) >= h * h
    ),
    "chernoff up: alpha^2/8": implies(
        alpha >= 0,
        (2 + alpha / 2) * log >= alpha,
        then=((1 + alpha / 2) * log - alpha / 2) * 8 >= alpha * alpha,
    ),
    "chernoff down: sinh v >= 1.001 v": positive_on({"v": (0, 1)}, (1, v), (-1, -v), (-2 * v * F(1001, 1000), 0)),
    "chernoff down: v below 0": positive_on({"v": (-1, 0)}, (1, v), (-1, -v), (-2 * v, 0)),
    "chernoff down: cosh v >= 1.001": positive_on({"v": (0, 1)}, (1, v), (1, -v), (-2 * F(1001, 1000), 0)),
    "chernoff down: doubling without cosh >= 1": implies(v >= 0, sinh >= v, cosh >= 0, then=sinh * cosh >= v),
    "chernoff down: a larger exponent, h = 1/2, v = 3x/4 at most sinh v": implies(
        x <= 1, then=F(1, 2) - F(3, 8) * x >= F(1, 8) * F(1001, 1000)
    ),
    "total probability: nothing outside G": implies(r >= 0, b >= 0, equal(r, 0), b <= d, then=r + b <= 0),
    "ratio: y in place of y + 1": implies(
        equal(c * (n - y), d * (y + 1)), x >= 0, then=equal(c * x * (n - y), d * x * y)
    ),
    "reach: alpha gamma n / 2 is void as well": implies(
        alpha > 0, alpha < 1, gamma > 0, 2 * gamma <= 1, k >= 1, then=k > alpha * gamma * n / 2
    ),
    "ends: k = 0": implies(k >= 0, then=k > alpha.subs(alpha, 0)),
    "ends: alpha may be 1": implies(alpha > 0, alpha <= 1, then=1 - alpha > 0),
    "ends: alpha may be 0": implies(
        alpha >= 0, alpha < 1, order > 0, equal(order * (1 - alpha), 1 + alpha), then=order > 1
    ),
    "ends: Bin(18, 3/4) is smoother": Claim.smooth(xdp.Binomial(18, "3/4"), k=6, exp_eps=19, delta="6/10"),
    "as printed: k = 1": implies(k <= 1, r >= 1, then=r > k),
    "instances: eps of 1 + alpha": Claim.smooth(xdp.Binomial(400, "1/2"), k=50, exp_eps="11/10", delta="1/1000"),
    "furthest reach: one more": Claim.smooth(
        xdp.Binomial(100, "1/2"),
        k=44,
        exp_eps=3,
        delta=bounds.binomial_smoothness_bound(100, gamma="1/2", alpha="1/2", k=1).delta.hi,
    ),
}


@together("name", WRONG)
def test_a_wrong_statement_is_refuted(name):
    assert xdp.certify(WRONG[name]).verdict is Verdict.REFUTED


def mass_is_at_most(law, outcome, bound):
    return Claim.tail(law, low=outcome, high=outcome, at_most=bound)


FIVE, TWO, THREE = xdp.Binomial(5, "1/2"), xdp.Binomial(2, "1/2"), xdp.Binomial(3, "1/2")
REPAIRED = {
    "step up: (1+alpha)/(1-alpha) = 9": mass_is_at_most(FIVE, 3, min(F(1), 9 * FIVE.exact_pmf(4))),
    "step up: the exact ratio 2": mass_is_at_most(FIVE, 3, 2 * FIVE.exact_pmf(4)),
    "ratio up: gamma for y": mass_is_at_most(TWO, 1, 2 * TWO.exact_pmf(2)),
    "ratio down: gamma for y": mass_is_at_most(TWO, 2, F(1, 2) * TWO.exact_pmf(1)),
    "ratio down: k' factors": mass_is_at_most(THREE, 3, F(1, 3) * THREE.exact_pmf(2)),
    "good set: contains the window": implies(y >= F(35, 22), y <= F(85, 22), then=(y >= F(16, 11), y <= 4)),
    "inference: a superset": Claim.tail(xdp.Binomial(1, "1/2"), low=0, high=1, at_least="1/2"),
    "reach: with n": implies(equal(k, 1), then=k <= F(4, 5) * F(1, 2) * 5 / 2),
    "exponent: abs(k') on both sides": implies(order > 1, then=order >= order),
}


@pytest.mark.parametrize("name", REPAIRED)
def test_what_is_refuted_as_printed_is_proved_once_repaired(name):
    assert xdp.certify(REPAIRED[name]).verdict is Verdict.PROVED


# --- The mathematics, again -----------------------------------------------------------------------------------------


def pmf(users, chance, outcome):
    return comb(users, outcome) * chance**outcome * (1 - chance) ** (users - outcome) if 0 <= outcome <= users else F(0)


def parameters(rng):
    """n, gamma, alpha, k under the hypotheses, the ends among them."""
    while True:
        users, width = rng.randint(5, 60), F(rng.randint(1, 19), 20)
        chance = rng.choice([F(1, 2), F(rng.randint(1, 10), 20), F(rng.randint(1, 99), 200)])
        if largest := floor(width * chance * users / 2):
            return users, chance, width, rng.choice([1, largest])


def test_every_ratio_on_the_good_set():
    rng = Random(4)
    for _ in range(150):
        users, chance, width, reach = parameters(rng)
        mu, limit = users * chance, (1 + width) / (1 - width)
        low, high = (1 - width) * mu + reach, (1 + width) * mu - reach
        assert low <= (1 - width / 2) * mu <= (1 + width / 2) * mu <= high
        for outcome in range(max(0, ceil(low)), min(users, floor(high)) + 1):
            for step in range(1, reach + 1):
                here = pmf(users, chance, outcome)
                assert 0 < here < limit**step * pmf(users, chance, outcome + step)
                assert here < limit**step * pmf(users, chance, outcome - step)


def test_the_lemma_by_the_definition():
    """Brute force over every shift and outcome, against 30 digits of delta."""
    rng = Random(5)
    for _ in range(40):
        users, chance, width, reach = parameters(rng)
        limit, mu = (1 + width) / (1 - width), users * chance
        with mpmath.workdps(30):
            a, m = mpmath.mpf(width.numerator) / width.denominator, mpmath.mpf(mu.numerator) / mu.denominator
            bound = mpmath.exp(-a * a * m / 8) + mpmath.exp(-a * a * m / (8 + 2 * a))
        for step in (s for s in range(-reach, reach + 1) if s):
            bad = sum(
                pmf(users, chance, t)
                for t in range(users + 1)
                if pmf(users, chance, t) >= limit ** abs(step) * pmf(users, chance, t + step)
            )
            assert bad.numerator / bad.denominator <= bound if bad else True


def test_chernoff_bounds_far_beyond_one_half():
    rng = Random(6)
    for _ in range(200):
        users, chance = rng.randint(1, 80), F(rng.randint(1, 39), 40)
        mu, far, near = users * chance, F(rng.randint(1, 100), 10), F(rng.randint(1, 99), 100)
        above = sum(pmf(users, chance, t) for t in range(ceil((1 + far) * mu), users + 1))
        below = sum(pmf(users, chance, t) for t in range(floor((1 - near) * mu) + 1))
        with mpmath.workdps(30):
            assert mpmath.mpf(F(above).numerator) / F(above).denominator <= mpmath.exp(
                -mpmath.mpf((far**2 * mu / (2 + far)).numerator) / (far**2 * mu / (2 + far)).denominator
            )
            assert mpmath.mpf(below.numerator) / below.denominator <= mpmath.exp(
                -mpmath.mpf((near**2 * mu / 2).numerator) / (near**2 * mu / 2).denominator
            )


def test_the_logarithmic_inequalities_with_sixty_digits():
    with mpmath.workdps(60):
        for power in range(-20, 40):
            far = mpmath.mpf(2) ** (power / mpmath.mpf(2))
            assert (1 + far) * mpmath.log(1 + far) - far > far**2 / (2 + far)
            near = far / (1 + far)
            assert (1 - near) * mpmath.log(1 - near) + near > near**2 / 2
            half = 2 * far / (2 + far)
            assert mpmath.almosteq(2 * half / (2 - half), far, rel_eps=mpmath.mpf(10) ** -50)
            assert mpmath.almosteq((2 + half) / (2 - half), 1 + far, rel_eps=mpmath.mpf(10) ** -50)


def test_the_least_counterexamples_are_least():
    """alpha gamma n >= 2 k with alpha < 1 and gamma <= 1/2 needs n > 4 k; at n = 5 the window holds all of G."""
    assert step_up_fails(5, 1, 1, 3, F(1, 2), F(4, 5))
    assert window_fails(6, 1, 4, F(5, 11), F(5, 6))
    for users in range(1, 5):
        with pytest.raises(xdp.ExactDPError):
            step_up_fails(users, 1, 1, users // 2, F(1, 2), F(999, 1000))
    seen = 0
    for chance, width in ((F(p, 24), F(a, 48)) for p in range(1, 13) for a in range(1, 48)):
        if 5 * chance * width >= 2:
            seen += 1
            low, high = (1 - width) * 5 * chance + 1, (1 + width) * 5 * chance - 1
            inside = range(ceil(low), floor(high) + 1)
            assert not any(window_fails(5, 1, outcome, chance, width) for outcome in inside)
            assert not any(step_up_fails(5, 1, 1, outcome, chance, width) for outcome in inside if outcome < 3)
    assert seen > 10


def test_instances_and_the_furthest_reach():
    listed = instances()
    assert len(listed) > 20
    assert all(1 <= reach <= width * chance * users / 2 for users, chance, width, reach in listed)
    for users, chance, width, reach in REACHES:
        law, limit = xdp.Binomial(users, chance), (1 + width) / (1 - width)
        delta = bounds.binomial_smoothness_bound(users, gamma=chance, alpha=width, k=1).delta
        assert reach > width * chance * users / 2
        assert xdp.smoothness_delta(law, k=reach, exp_eps=limit) <= delta
        assert xdp.smoothness_delta(law, k=reach + 1, exp_eps=limit) > delta


WITH_A_FORMULA = [row for row in PRINTED_ROWS if row.id in ("lemma3-instances", "lemma3-furthest-reach")]
ANOTHER_FORMULA = {
    "the constant 1": lambda delta: Real(F(1)),
    "a hundredth more": lambda delta: delta * F(101, 100),
    "a hundredth less": lambda delta: delta * F(99, 100),
}


@pytest.mark.parametrize("row", WITH_A_FORMULA, ids=lambda row: row.id)
@pytest.mark.parametrize("name", ANOTHER_FORMULA)
def test_another_formula_in_the_bound_is_noticed(monkeypatch, row, name):
    own = smooth_theorems.lemma_three_delta
    monkeypatch.setattr(
        smooth_theorems, "lemma_three_delta", lambda mean, alpha: ANOTHER_FORMULA[name](own(mean, alpha))
    )
    with pytest.raises(xdp.ExactDPError, match=r"by its formula and .* by binomial_smoothness_bound"):
        check(row)


@pytest.mark.parametrize("row", WITH_A_FORMULA, ids=lambda row: row.id)
def test_another_number_in_the_certificate_is_noticed(monkeypatch, row):
    """Lemma 3's formula stands in the claim: a d above it is refuted, though the law is smooth with that d."""
    assert len(WITH_A_FORMULA) == 2
    own = binomial_smoothness_printed._delta
    monkeypatch.setattr(binomial_smoothness_printed, "_delta", lambda *at: own(*at) + F(1, 10**6))
    outcome = check_from_scratch(row)
    assert outcome.verdict is Verdict.REFUTED


def test_the_formula_of_delta_with_thirty_digits():
    first, second = exponents(100, F(1, 2), F(1, 2))
    with mpmath.workdps(30):
        mine = mpmath.exp(mpmath.mpf(first.numerator) / first.denominator)
        mine += mpmath.exp(mpmath.mpf(second.numerator) / second.denominator)
        assert mpmath.almosteq(mine, mpmath.exp(-25 / mpmath.mpf(16)) + mpmath.exp(-50 / mpmath.mpf(36)))
