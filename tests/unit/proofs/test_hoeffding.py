"""Hoeffding's inequality: its rows, wrong statements beside them, and the exact tails of small cases."""

from fractions import Fraction
from functools import cache
from itertools import product

import mpmath
import pytest

import exactdp as xdp
from exactdp.proofs import check
from exactdp.proofs.hoeffding import least_against_the_bound, least_against_the_radius, least_against_the_rate
from exactdp.proofs.row_files import rows_of
from exactdp.proofs.steps import equal, implies, positive_on, variables
from exactdp.proofs.survey import error_law
from tests.together import together

Verdict = xdp.Verdict
ROWS = rows_of("hoeffding")
HALF = Fraction(1, 2)
SHARES = (Fraction(1, 10), Fraction(1, 4), Fraction(2, 5))


@cache
def outcome_of(row):
    return check(row)


def test_the_assumptions_are_printed():
    facts = {row.id: " ".join(outcome_of(row).rests_on) for row in ROWS if "printed" not in row.id}
    assert "Markov" not in facts["hoeffding-lemma"]
    assert "Markov" in facts["hoeffding-inequality"]
    assert "union" in facts["hoeffding-bound"]


def real(x):
    return mpmath.mpf(x.numerator) / x.denominator


def wrong_statements():
    p, s, h, y, b, T, W, x, z, X = variables("p s h y b T W x z X")
    left = 1 - h + h**2 / 3
    lemma = (p >= 0, p <= 1, T >= 0, T * left >= x, T * left.subs(h, -h) >= z)
    yield (
        "the lemma with s^2/9",
        positive_on({"p": (0, 1), "s": (-8, 8)}, (1, p * s + s**2 / 9), (p - 1, 0), (-1 * p, s)),
    )
    yield "the lemma in between with s^2/9", positive_on({"s": (-8, 8)}, (1, s / 2 + s**2 / 9), (-HALF, 0), (-HALF, s))
    yield "one variable with 1/4 for 1/3", positive_on({"h": (-4, 4)}, (1 - h + h**2 / 4, h + h**2 / 6), (-1, 0))
    yield "one variable with 1/7 for 1/6", positive_on({"h": (-4, 4)}, (left, h + h**2 / 7), (-1, 0))
    yield "one variable, flipped", positive_on({"h": (-4, 4)}, (-1 * left, h + h**2 / 6), (1, 0))
    yield "e^y > 1 + y strictly", positive_on({"y": (-4, 10)}, (1, y), (-1 - y, 0), strict=True)
    yield "y in a smaller interval", implies(b >= -1, b <= 1, h >= -4, h <= 4, then=b * h + h**2 / 3 <= 9)
    yield "without e^y >= 1 + y", implies(*lemma, W >= 0, then=(1 - p) * x + p * z <= T * W)
    yield "without p <= 1", implies(
        p >= 0, T >= 0, T * left >= x, T * left.subs(h, -h) >= z, 1 + (2 * p - 1) * h + h**2 / 3 <= W,
        then=(1 - p) * x + p * z <= T * W,
    )  # fmt: skip
    yield "large s from 7 on", implies(p >= 0, s >= 7, then=p * s + s**2 / 8 >= s)
    yield "large s without p >= 0", implies(s >= 8, then=p * s + s**2 / 8 >= s)
    yield "the left side for X < 1", implies(p <= 1, X >= 0, then=1 - p + p * X <= X)


def wrong_theorems():
    N, u, k, g, w, q, e, L = variables("N u k g w q e L")
    P, Q, a, c = variables("P Q a c")
    R, r, C, j, m = variables("R r C j m")
    yield "another choice of l", implies(equal(N * k, 2 * u), then=N * k * u - N**2 * k**2 / 8 >= 2 * u**2)
    yield "a better choice of l", implies(N * k >= 4 * u, then=N * k * u - N**2 * k**2 / 8 <= u**2)
    yield "the next user without a >= 0", implies(P >= 0, Q >= P, c >= a, then=Q * c >= P * a)
    yield "the printed exponent", implies(equal(N * e, 2 * q), equal(q, 4 * g**2 * w), then=equal(e, 2 * N * w))
    yield (
        "the exponent 9 g^2 t^2 / N",
        implies(equal(N * e, 2 * q), equal(q, 4 * g**2 * w), w >= 0, then=N * e >= 9 * g**2 * w),
    )
    yield "the radius without g", implies(equal(N * e, 8 * g**2 * w), equal(2 * w, N * L), then=equal(N * e, N * L))
    yield "the mean without N", implies(N >= 1, e >= 0, equal(e, L), then=N * e <= L)
    yield "one value, N > (2gC)^2", implies(equal(r * R, 2 * g * C), 2 * g * C < R, then=R * (1 - 2 * r) > 0)
    yield "one value within 2/3", implies(j >= k + 1, m - k <= r, j - m <= r, then=3 * r >= 2)
    yield (
        "the likelier answer without a + c <= 1",
        implies(a >= 0, c >= 0, g >= 0, g * 2 <= 1, then=(1 + 2 * g) * a + (1 - 2 * g) * c <= 1 + 2 * g),
    )


WRONG = dict(wrong_statements()) | dict(wrong_theorems())


@together("name", WRONG)
def test_a_wrong_statement_is_not_proved(name):
    assert xdp.certify(WRONG[name]).verdict is not Verdict.PROVED


def test_the_lemma_on_a_grid():
    with mpmath.workdps(40):
        for i, k in product(range(21), range(-60, 61)):
            p, s = mpmath.mpf(i) / 20, mpmath.mpf(k) / 5
            assert 1 - p + p * mpmath.exp(s) <= mpmath.exp(p * s + s**2 / 8)


def test_the_derivative_that_explains_the_box():
    for k in range(-40, 41):
        h = mpmath.mpf(k) / 10
        slope = mpmath.diff(lambda t: mpmath.exp(t + t**2 / 6) * (1 - t + t**2 / 3), h)
        assert mpmath.almosteq(slope, h**3 / 9 * mpmath.exp(h + h**2 / 6), 1e-8, 1e-8)


@pytest.mark.parametrize("gamma", SHARES)
@pytest.mark.parametrize("n", [1, 2, 7, 20])
def test_exact_tails_are_below_the_bound_and_the_radius_holds(n, gamma):
    for ones in {0, n // 2, n}:
        law = error_law(n, ones, gamma)
        for t in sorted({abs(error) for error in law if error}):
            tail = sum(chance for error, chance in law.items() if abs(error) >= t)
            assert real(tail) <= 2 * mpmath.exp(-8 * real(gamma) ** 2 * real(t) ** 2 / n)
        for delta in (0.5, 0.1, 1e-3):
            radius = mpmath.sqrt(n * mpmath.log(2 / mpmath.mpf(delta)) / 8) / real(gamma)
            assert sum(chance for error, chance in law.items() if real(abs(error)) >= radius) <= delta


@pytest.mark.parametrize("gamma", SHARES)
def test_no_faster_rate_by_exact_laws(gamma):
    for constant in (1, 3):
        n = int((4 * gamma * constant) ** 2) + 1
        for ones in range(n + 1):
            law = error_law(n, ones, gamma)
            inside = sum(chance for error, chance in law.items() if n * error**2 <= constant**2)
            assert inside <= Fraction(1, 2) + gamma


def tail_above(at, t):
    law = error_law(at["N"], at["ones"], at["gamma"])
    return sum(chance for error, chance in law.items() if real(abs(error)) > t)


def test_the_mean_has_the_rate_and_every_row_its_theorem():
    assert {outcome_of(row).level for row in ROWS} == {"kernel"}
    for n, gamma, delta in product((1, 5, 40), SHARES, (0.5, 0.01)):
        law = error_law(n, n // 2, gamma)
        radius = mpmath.sqrt(mpmath.log(2 / mpmath.mpf(delta)) / (8 * n)) / real(gamma)
        assert sum(chance for error, chance in law.items() if real(abs(error)) / n >= radius) <= delta


def test_one_user_is_never_within_three_halves_of_his_bit():
    """As the kernel refutes what is printed: g = 1/8, whichever bit he holds."""
    for ones in (0, 1):
        assert min(abs(error) for error in error_law(1, ones, Fraction(1, 8))) >= Fraction(3, 2)
    assert 2 * mpmath.exp(-4.5) < 1
    assert mpmath.sqrt(mpmath.log(2) / 2) < 1.5
    assert 8 * mpmath.sqrt(mpmath.log(mpmath.mpf(8) / 7) / 8) < 1.5


def test_the_counterexamples_found_break_what_is_printed():
    at = least_against_the_bound().counterexample
    assert at["N"] == 1
    assert real(tail_above(at, real(at["t"]))) > 2 * mpmath.exp(-2 * at["N"] * real(at["t"]) ** 2)
    for scaled in (False, True):
        at = least_against_the_radius(scaled=scaled).counterexample
        n, gamma = at["N"], real(at["gamma"])
        t = mpmath.sqrt(mpmath.log(1 / real(at["delta"])) * (n / (8 * gamma**2) if scaled else 1 / (2 * n)))
        assert tail_above(at, t) > at["delta"]
    at = dict(least_against_the_rate().counterexample) | {"gamma": Fraction(1, 4)}
    assert tail_above(at, 8 / mpmath.sqrt(at["N"])) > 0.1
