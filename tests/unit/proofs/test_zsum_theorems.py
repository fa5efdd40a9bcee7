"""zsum's theorems: rows as recorded, wrong statements beside them, and the statements in numbers."""

from fractions import Fraction
from math import comb, exp, floor, log
from types import SimpleNamespace

import mpmath
import pytest

import exactdp as xdp
from exactdp import bounds, proofs
from exactdp.claims.claim import Span
from exactdp.proofs import zsum, zsum_accuracy
from exactdp.proofs.row_files import rows_of
from exactdp.proofs.steps import equal, implies, positive_on, variables
from exactdp.proofs.zsum_accuracy import DEVIATION, failure_probability, silent_tail
from exactdp.proofs.zsum_privacy import alpha_above
from tests.together import together

Claim, Verdict = xdp.Claim, xdp.Verdict
ROWS = (*rows_of("zsum"), *rows_of("zsum_privacy"), *rows_of("zsum_accuracy"))
OPEN_EPS = Span(0, 1, False, True)


def test_every_entry_has_a_row():
    numbers = {note for row in ROWS for note in row.notes}
    assert numbers == {str(i) for i in range(25, 37)}
    assert all((row.as_printed == "false") == (row.expected is Verdict.REFUTED) for row in ROWS if row.notes)


# --- Wrong statements -----------------------------------------------------------------------------------------------

a, b, c, e, g, h, k, m, n, p, q, r, s, t, u, v, w, x, y, z, lam = variables(
    "a b c e g h k m n p q r s t u v w x y z lam"
)
HALF_RATIO = equal(u * (2 + h), 2 * h)
WRONG = {
    "ends: eps = 0 allowed where the exponent is": implies(lam > 0, x >= 0, m >= 0, then=m * x**2 < 50 * lam),
    "least users: n >= 50 Lambda/eps^2": implies(
        *(n > 0, r > 0, m > 0, equal(n * r, 1), equal(g, m * r), n >= m), then=g <= Fraction(1, 2)
    ),
    "alpha: above eps/2": alpha_above(4),
    "alpha: a constant just below the threshold": alpha_above(Fraction("4.68269437")),
    "alpha: strict at eps = 0 too": positive_on(
        {"x": (0, 1)}, (5 - x**2, 2 * x), (-10 - 2 * x**2, x), (5 - x**2, 0), strict=True
    ),
    "alpha: eps up to 3/2": positive_on(
        {"x": Span(0, Fraction(3, 2), False, True)}, (5 - x**2, 2 * x), (-10 - 2 * x**2, x), (5 - x**2, 0)
    ),
    "noise level: without eps <= 1": implies(t > 0, equal(t * x, lam), then=t >= lam),
    "noise level: ln 2 >= 0.694": positive_on({"lam": (0, Fraction("0.694"))}, (2, 0), (-1, lam), strict=True),
    "Lemma 3: without n >= 2 mu": implies(p > q, n >= p, then=(n - (p + q) / 2) * q <= (p + q) / 2 * (n - p)),
    "Lemma 3: one more in the interval": implies(
        b >= 0, e > 0, b * p <= e * (n - p), y - 1 <= p, then=b * (y + 1) < e * (n - y)
    ),
    "Lemma 3: the interval where alpha mu >= 1": implies(
        equal(p, (1 + a) * m), a * m >= 1, y <= (1 + a / 2) * m, then=y + 1 <= p
    ),
    "delta sum: alpha = 1 in the second exponent": implies(
        z > 0, equal(z * (8 + 2 * a), a**2 * m), a <= 1, then=z > a**2 * m / 10
    ),
    "delta sum: alpha = 0": implies(a >= 0, m > 0, then=a**2 * m / 8 > a**2 * m / 10),
    "delta sum: gamma n = 0": implies(a > 0, m >= 0, then=a**2 * m / 8 > a**2 * m / 10),
    "delta level: alpha < eps/sqrt(5)": implies(m >= 0, 10 * a**2 >= x**2, then=a**2 * m / 10 >= x**2 * m / 50),
    "delta level: 10 in place of 50": implies(equal(m * x**2, 10 * lam), lam > 0, then=x**2 * m / 50 >= lam),
    "one step: 2 e^-1 > 1": positive_on({"d": (0, 1)}, (2, -variables("d")[0]), (-1, 0), strict=True),
    "error lemma: negative h": implies(w >= 0, k >= 0, m >= 0, w < k, h >= -1, then=m - w <= (1 + h) * m),
    "error lemma: the error alone, without W >= k": implies(
        w >= 0, m >= 0, h >= 0, k > (1 + h) * m, then=w > (1 + h) * m
    ),
    "upper tail: e^u <= 1 + u": positive_on({"u": (0, 1)}, (1 + u, 0), (-1, u)),
    "upper tail: (2 - u) e^u >= 2 + u": positive_on({"u": Span(0, 2, True, False)}, (2 - u, u), (-2 - u, 0)),
    "upper tail: exponent h^2/(2 + h) doubled": implies(
        h > 0, HALF_RATIO, then=(u * (1 + h) - h) * (2 + h) >= 2 * h**2
    ),
    "lower tail: e^-t <= 1 - t + t^2/3": positive_on({"t": (0, 1)}, (1 - t + t**2 / 3, 0), (-1, -t)),
    "lower tail: 1 + x <= e^x fails for 1 + 2x": positive_on({"x": (-1, 1)}, (1, x), (-1 - 2 * x, 0)),
    "power: h = 1.28 eps": implies(e >= 0, e <= 1, then=2 * Fraction("1.28") ** 2 >= 2 + Fraction("1.28") * e),
    "power: eps up to 2": implies(e >= 0, e <= 2, then=2 + DEVIATION * e <= 2 * DEVIATION**2),
    "constant: 114": implies(e <= 1, c >= 0, equal(g, 50 * c), then=g * (1 + DEVIATION * e) <= 114 * c),
    "root: h above 1.2 eps": implies(
        *(e > 0, e <= 1, s > 0, r >= 0, r <= e**2 / 2),
        then=(Fraction("1.2") * e + s) ** 2 > r * (2 + Fraction("1.2") * e + s),
    ),
    "gamma term: for k above mu": implies(w < k, r <= k, then=m - w > r),
    "order: C ln(1/delta) <= 100": implies(*(x >= 0, lam >= Fraction("0.693"), z <= 100), then=25 * (x + lam) - 1 > z),
    "order: ln(1/delta) below ln 2": implies(c >= 0, x >= 0, lam >= x, then=c * (lam + x) <= 2 * c * x),
    "view: rows that differ by two messages": implies(
        *(z >= 0, equal(p, g + (1 - g) * z), equal(r, g * z + (1 - g) * z**2)), then=equal(r, z**2 * p)
    ),
    "half-lines: with n in place of n + 1": implies(
        *(k > 0, equal(k, g + e * (1 - g)), equal(x * k, n * g), t > x), then=(n - t + 1) * g < e * t * (1 - g)
    ),
    "closed form: another least delta where the first order is larger": Claim.shift_dp(
        xdp.Binomial(3, "1/3"), exp_eps="3/2", delta="8/27", least="delta"
    ),
    "half-lines: a weak inequality the other way": implies(
        *(c > 0, e >= 1, equal(x, c * b), equal(y, c * a), b <= e * a), then=x >= e * y
    ),
    "zero: a user with input 1": implies(m <= n, z <= 2, then=m + z <= n + 1),
}


@together("name", WRONG)
def test_a_wrong_statement_is_not_proved(name):
    assert xdp.certify(WRONG[name]).verdict is not Verdict.PROVED


# --- The statements in numbers --------------------------------------------------------------------------------------


def test_the_threshold_is_one_over_tanh_squared():
    with mpmath.workdps(40):
        least = 1 / mpmath.tanh(mpmath.mpf(1) / 2) ** 2
        assert mpmath.mpf("4.68269437") < least < mpmath.mpf("4.682694377")
        assert mpmath.sqrt(17) / 4 + mpmath.mpf(1) / 4 < mpmath.mpf("1.2808")


@pytest.mark.parametrize("eps", ["1/10", "1/2", "1"])
@pytest.mark.parametrize("delta", ["1", "1/2", "1/1000"])
def test_the_theorem_is_private_at_its_least_n(eps, delta):
    users = bounds.zsum_least_n(eps=eps, delta=delta)
    protocol = xdp.protocols.zsum_from_theorem(users, eps=eps, delta=delta)
    assert protocol.privacy_profile().delta(eps=eps).hi <= Fraction(delta)


@pytest.mark.parametrize(("eps", "exp_eps"), [("1/2", 0.5), ("2", 2.0), ("4", 4.0)])
def test_the_refined_noise_is_private(eps, exp_eps):
    noise = 10 / float(mpmath.tanh(exp_eps / 2)) ** 2 * log(2 / 0.01)
    users = floor(2 * noise) + 1
    gamma = Fraction(noise / users).limit_denominator(10**6) + Fraction(1, 10**6)
    delta = xdp.protocols.zsum(users, gamma=min(gamma, Fraction(1, 2))).privacy_profile().delta(eps=eps)
    assert delta.hi <= Fraction(1, 100)


def brute_force_failure(n, gamma, k, alpha):
    found = Fraction(0)
    for silent in range(n + 1):
        estimate = Fraction(k + n - silent, n) - (1 - gamma) if k + n - silent > n else Fraction(0)
        if abs(estimate - Fraction(k, n)) > alpha:
            found += comb(n, silent) * gamma**silent * (1 - gamma) ** (n - silent)
    return found


@pytest.mark.parametrize("n", [1, 2, 7, 12])
@pytest.mark.parametrize("gamma", [Fraction(1, 8), Fraction(1, 2), Fraction(1)])
def test_the_failure_probability_by_definition(n, gamma):
    for held in range(n + 1):
        for tenths in range(0, 11, 2):
            alpha = Fraction(tenths, 10)
            assert failure_probability(n, gamma, held, alpha) == brute_force_failure(n, gamma, held, alpha)


@pytest.mark.parametrize("gamma", [Fraction(1, 8), Fraction(1, 2)])
def test_the_accuracy_lemma_on_every_outcome(gamma):
    n, mu = 30, 30 * gamma
    for held in range(n + 1):
        for silent in range(n + 1):
            error = abs(mu - silent) if silent < held else held
            for above in (Fraction(0), Fraction(1, 3), Fraction(1), Fraction(3)):
                if error > (1 + above) * mu:
                    assert silent > (1 + above) * mu
                    assert held > (1 + above) * mu
            if held <= mu:
                assert error >= min(held, mu - held)


@pytest.mark.parametrize("gamma", [Fraction(1, 10), Fraction(1, 2)])
def test_the_tails_are_below_their_bounds(gamma):
    n = 60
    mu = n * gamma
    for count in range(n + 1):
        upper, lower = count / float(mu) - 1, 1 - count / float(mu)
        if upper >= 0:
            assert float(silent_tail(n, gamma, count, n)) <= exp(-float(mu) * upper**2 / (2 + upper)) * (1 + 1e-12)
        if 0 <= lower <= 1:
            assert float(silent_tail(n, gamma, 0, count)) <= exp(-float(mu) * lower**2 / 2) * (1 + 1e-12)


@pytest.mark.parametrize("delta", [Fraction(1, 2), Fraction(9, 10), Fraction(1, 100)])
@pytest.mark.parametrize("eps", [Fraction(1, 2), Fraction(1)])
def test_the_accuracy_theorem_at_its_least_n(eps, delta):
    users = bounds.zsum_least_n(eps=eps, delta=delta)
    gamma = bounds.zsum_rounded_gamma(users, eps=eps, delta=delta)
    alpha = gamma * (1 + DEVIATION * eps)
    worst = min(floor(users * alpha) + 1, users)
    assert failure_probability(users, gamma, worst, alpha) <= (delta / 2) ** 25


def test_the_printed_order_is_tried_at_the_first_delta():
    claim = zsum_accuracy._printed_order().data
    users = int(claim["most"])
    gamma = 1 + Fraction(claim["offset"])
    alpha, beta = Fraction(claim["alpha"]), Fraction(claim["beta"])
    with mpmath.workdps(30):
        printed = 115 * mpmath.log(2) / users
        assert printed < mpmath.mpf(alpha.numerator) / alpha.denominator < printed * (1 + mpmath.mpf(2) ** -50)
        assert users - 1 < 100 * mpmath.log(4) <= users
        assert abs(float(gamma) - 50 * log(4) / users) < 1e-15
    assert Fraction(1, 2**25) < beta < brute_force_failure(users, gamma, floor(alpha * users) + 1, alpha)


# --- The closed form ------------------------------------------------------------------------------------------------


def test_the_rises_of_the_least_delta_are_where_the_counterexample_is():
    """Two users, eps = 0: 2 gamma (1 - gamma) between gamma = 1/3 and 1/2, and (1 - gamma)^2 below."""
    for gamma in (Fraction(i, 60) for i in range(1, 31)):
        expected = 2 * gamma * (1 - gamma) if gamma >= Fraction(1, 3) else (1 - gamma) ** 2
        assert zsum.closed_form_delta(2, gamma, Fraction(1)) == expected
        assert xdp.protocols.zsum(2, gamma=gamma).privacy_profile().delta(exp_eps=1) == expected


def test_a_delta_that_serves_at_every_gamma_is_no_counterexample():
    falls = [Claim.shift_dp(xdp.Binomial(2, 1 - gamma), exp_eps=1, delta="1/2") for gamma in zsum._GAMMAS[1:]]
    assert xdp.certify(Claim.negation(Claim.conjunction(falls[0], Claim.negation(falls[1])))).verdict is Verdict.PROVED


def wrong_closed_form(wrong):
    formula = zsum.closed_form_delta
    return lambda n, gamma, order: wrong(formula(n, gamma, order))


@pytest.mark.parametrize("wrong", [lambda _: Fraction(1), lambda delta: delta * Fraction(101, 100)], ids=["1", "1.01"])
def test_with_another_closed_form_the_row_is_not_proved(monkeypatch, wrong):
    row = proofs.row("zsum-closed-form")
    monkeypatch.setattr(zsum, "closed_form_delta", wrong_closed_form(wrong))
    with pytest.raises(xdp.ExactDPError, match="the engine and the closed form differ at n=1"):
        proofs.check_from_scratch(row)
    profile = SimpleNamespace(privacy_profile=lambda: SimpleNamespace(delta=lambda exp_eps: same.pop(0)))
    same = [zsum.closed_form_delta(*at) for at in zsum._INSTANCES]
    monkeypatch.setattr(zsum, "zsum", lambda n, gamma: profile)
    assert proofs.check_from_scratch(row).verdict is Verdict.REFUTED
