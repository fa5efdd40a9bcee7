"""The survey: every row is decided as recorded, wrong statements beside them are not proved, and brute force agrees."""

from fractions import Fraction
from itertools import product
from math import comb

import mpmath
import pytest
from scipy import stats

import exactdp as xdp
from exactdp.bounds import negative_binomial_mechanism
from exactdp.proofs import check, survey
from exactdp.proofs.row_files import rows_of
from exactdp.proofs.steps import equal, implies, positive_on, variables
from exactdp.proofs.survey import clamped_laplace, error_law, least_biased, least_laplace_on_integers, survey_protocol
from tests.together import together

Claim, Verdict = xdp.Claim, xdp.Verdict
HALF = Fraction(1, 2)
ROWS = rows_of("survey")
ENTRIES = {"80", "81", "82", "83", "84", "86", "87", "88", "89", "93", "94", "95"}


def test_every_entry_of_the_survey_but_those_of_other_files_has_a_row():
    assert {entry for row in ROWS for entry in row.notes} == ENTRIES
    assert {entry for row in ROWS if row.claim is None for entry in row.notes} == {"81", "83", "95"}


def wrong_statements():
    x, v, g, E, A, p, h, G, N, s, m = variables("x v g E A p h G N s m")
    truth, lie = HALF + g, HALF - g
    yield "sinh above 21/20 x", implies(x >= 0, v >= 1 + x + x**2 / 2, then=v**2 - 1 >= Fraction(21, 10) * x * v)
    yield "sinh below x", implies(x >= 0, v >= 1 + x + x**2 / 2, then=v**2 - 1 <= 2 * x * v)
    yield "sinh without x >= 0", implies(v >= 1 + x + x**2 / 2, then=v**2 - 1 >= 2 * x * v)
    yield "local error beyond eps = 1", positive_on({"x": (0, 1)}, (Fraction(21, 10) * x, x), (-1, 2 * x), (1, 0))
    yield "a smaller eps", implies(g > 0, lie > 0, equal(E * lie, truth), A >= 1, then=lie * (A - E) >= 0)
    yield "gamma above 1/2", implies(g > 0, equal(E * lie, truth), E >= -10, then=E >= 1)
    yield "the variance is 1/4", implies(g >= 0, equal(p, truth), then=equal(p - p**2, Fraction(1, 4)))
    yield "another truth", implies(g >= 0, equal(p, 1 - g), then=equal(p - p**2, Fraction(1, 4) - g**2))
    yield "laplace with h < 1", implies(h > 0, then=h**2 * (1 + h) >= 2 * h**2)
    yield "the printed sign", implies(
        N >= 1, s >= 0, s <= N, G > 0, G < 1, equal(m, (1 + G) * s + (1 - G) * (N - s)),
        then=equal(m - N - G * N, 2 * G * s),
    )  # fmt: skip
    a, j, M, q, y, n, e = variables("a j M q y n e")
    yield "the next answer with the other mean", implies(
        equal(m, (1 + G) * s + (1 - G) * (j - s)), equal(q, (1 - G) * x + (1 + G) * (1 - x)), G > 0, x >= 1,
        then=m + q >= (1 + G) * (s + x) + (1 - G) * (j + 1 - s - x),
    )  # fmt: skip
    yield (
        "one letter at N = 6, where 3 ones hide it, and at 5",
        implies(G > 0, G < 1, equal(M, 3 * (1 + G) + 2 * (1 - G)), then=2 * M <= (1 + G) * M + (1 - G) * (10 - M)),
    )
    yield "the mean of the noise without p <= 1", implies(p >= 0, a <= 1, x <= p, then=p - p * (1 - p) * a - p * x >= 0)
    yield "messages with 4 for 5", implies(n >= 0, 5 * y - e >= 0, y >= 0, then=4 * n * y >= n * e)
    yield (
        "the least eps in the shuffle",
        Claim.shuffle_dp(survey_protocol(1, Fraction(1, 4)), exp_eps="299/100", delta=0, all_n_from=1),
    )
    yield "another law of K", Claim.equal_laws(xdp.BinomialSum(1, "3/4", 2, "1/4"), xdp.BinomialSum(2, "3/4", 1, "1/4"))


WRONG = dict(wrong_statements())


@together("name", WRONG)
def test_a_wrong_statement_is_not_proved(name):
    assert xdp.certify(WRONG[name]).verdict is not Verdict.PROVED


def test_the_box_of_the_local_error_is_nearly_the_largest():
    """21/20 is not arbitrary: a thousandth below sinh(1/2)/(1/2) it fails, at 21/20 it holds."""
    (x,) = variables("x")
    factor = Fraction(1041, 1000)
    claim = positive_on({"x": (0, HALF)}, (2 * factor * x, x), (-1, 2 * x), (1, 0))
    assert xdp.certify(claim).verdict is Verdict.REFUTED
    assert float(factor) < 2 * mpmath.sinh(0.5) < 1.05


@pytest.mark.parametrize("gamma", [Fraction(1, 7), Fraction(2, 5)])
@pytest.mark.parametrize(("n", "ones"), [(1, 0), (3, 2), (4, 4)])
def test_mean_and_variance_by_listing_all_answers(n, ones, gamma):
    truth = HALF + gamma
    inputs = [1] * ones + [0] * (n - ones)
    mean = square = printed = Fraction(0)
    for answers in product((0, 1), repeat=n):
        chance = Fraction(1)
        for x, z in zip(inputs, answers, strict=True):
            chance *= truth if x == z else 1 - truth
        estimate = (sum(answers) - (HALF - gamma) * n) / (2 * gamma)
        mean += chance * estimate
        square += chance * (estimate - ones) ** 2
        printed += chance * (sum(answers) - HALF * n - gamma * n) / (2 * gamma)
    e = truth / (1 - truth)
    assert mean == ones
    assert printed == ones - n
    assert square == n * (Fraction(1, 4) - gamma**2) / (4 * gamma**2) == n * e / (e - 1) ** 2
    law = error_law(n, ones, gamma)
    assert sum(law.values()) == 1
    assert sum(error**2 * chance for error, chance in law.items()) == square
    counts = survey_protocol(n, gamma).law({0: n - ones, 1: ones})
    found = {survey_protocol(n, gamma).estimate({0: z, 1: k}) - ones: p for (z, k), p in counts.items()}
    assert found == law


def test_the_local_error_lies_between_the_stated_ends():
    for k in range(1, 101):
        eps = mpmath.mpf(k) / 100
        error = mpmath.sqrt(mpmath.exp(eps)) / (mpmath.exp(eps) - 1)
        assert 1 / (mpmath.mpf(21) / 20 * eps) < error < 1 / eps


def test_the_central_error_by_summation():
    for eps in ("0.1", "1", "5"):
        a = mpmath.exp(-mpmath.mpf(eps))
        total = mpmath.nsum(lambda k, a=a: 2 * k * (1 - a) / (1 + a) * a**k, [1, mpmath.inf])
        assert mpmath.almosteq(total, 1 / mpmath.sinh(mpmath.mpf(eps)), 1e-10)
        assert total < 1 / mpmath.mpf(eps)


def test_rounded_laplace_noise_is_the_law_that_the_proof_writes_out():
    for eps in (0.3, 1.0, 2.5):
        noise = stats.laplace(scale=1 / eps)
        h = mpmath.exp(eps / 2)
        chances = [noise.cdf(k + 0.5) - noise.cdf(k - 0.5) for k in range(6)]
        assert chances[0] / chances[1] == pytest.approx(float(2 * h**2 / (1 + h)))
        assert all(chances[k] / chances[k + 1] == pytest.approx(float(h**2)) for k in range(1, 5))


def test_the_rounded_bit_has_the_tail_of_laplace_noise(monkeypatch):
    """Another formula for the tail is noticed, as are other numbers in the table."""
    for h in (Fraction(2), Fraction(7, 3)):
        wrong = 1 / (1 + clamped_laplace(h).local_epsilon().argument)
        noise = stats.laplace(scale=float(1 / (2 * mpmath.log(float(h)))))
        assert float(wrong) == pytest.approx(float(noise.sf(0.5)))
    for factor in (Fraction(101, 100), Fraction(1, 2)):
        monkeypatch.setattr(survey, "_HALF", HALF * factor)
        with pytest.raises(xdp.ExactDPError, match="P\\[noise > 1/2\\]"):
            clamped_laplace(Fraction(2))


def test_the_levels():
    levels = {row.id: check(row).level for row in ROWS if "laplace" in row.id or "k" in row.id.split("-")}
    assert levels == {
        "survey-laplace-integers": "kernel",
        "survey-laplace-integers-rounded": "kernel",
        "survey-laplace-integers-output": "prose",
        "survey-two-meanings-of-k": "kernel",
    }


def test_one_sided_counting_costs_what_its_row_says():
    for eps, delta, n in ((1, Fraction(1, 10**6), 1000), (Fraction(1, 2), Fraction(1, 100), 10)):
        law = negative_binomial_mechanism(eps=eps, delta=delta)
        p, r = mpmath.exp(-mpmath.mpf(str(float(eps))) / 5), 3 * (1 + mpmath.log(1 / mpmath.mpf(float(delta))))
        assert float(law.mean.lo) == pytest.approx(float(r * p / (1 - p)))
        assert float(law.mean.hi) / n <= 15 * (1 + mpmath.log(1 / mpmath.mpf(float(delta)))) / (float(eps) * n)


def test_the_least_bit_on_which_laplace_noise_works():
    found = least_laplace_on_integers()
    assert found.tried == 1
    h = found.counterexample["h"]
    assert clamped_laplace(h).local_epsilon().argument <= h**2
    assert clamped_laplace(h).inputs == (0, 1)


def test_the_least_biased_data_set():
    assert dict(least_biased().counterexample) == {"n": 1, "ones": 0, "gamma": Fraction(1, 3)}


def test_the_mean_number_of_messages_of_private_counting():
    for e1, e2, delta in ((0.5, 0.5, 1e-6), (0.1, 0.9, 1e-3), (3.0, 2.0, 0.5)):
        r = 3 * (1 + mpmath.log(1 / delta))
        p, q = mpmath.exp(-e1), mpmath.exp(-e2 / 5)
        mean = 2 * stats.nbinom(1, float(1 - p)).mean() + 2 * stats.nbinom(float(r), float(1 - q)).mean()
        assert mean == pytest.approx(float(2 * p / (1 - p) + 2 * r * q / (1 - q)))
        assert mean <= 2 / e1 + 30 * (1 + mpmath.log(1 / delta)) / e2


def test_the_law_of_the_count_of_ones():
    gamma, n, ones = Fraction(1, 4), 5, 2
    law = error_law(n, ones, gamma)
    for k in range(n + 1):
        expected = sum(
            comb(ones, j) * comb(n - ones, k - j)
            * (HALF + gamma) ** (j + n - ones - k + j) * (HALF - gamma) ** (ones - j + k - j)
            for j in range(max(0, k - n + ones), min(ones, k) + 1)
        )  # fmt: skip
        assert law[(k - (HALF - gamma) * n) / (2 * gamma) - ones] == expected
