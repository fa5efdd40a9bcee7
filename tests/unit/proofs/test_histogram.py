"""The histogram protocol's theorem: rows as recorded, wrong statements beside them, and the statements in numbers."""

from fractions import Fraction
from itertools import product
from math import comb, floor

import pytest

import exactdp as xdp
from exactdp.claims.encoding import MessageSum
from exactdp.errors import ExactDPError
from exactdp.proofs import check, histogram
from exactdp.proofs.row_files import rows_of
from exactdp.proofs.steps import equal, implies, positive_on, variables
from exactdp.proofs.zsum import closed_form_delta
from exactdp.protocols.zsum_and_histogram import zsum_theorem
from exactdp.protocols.zsum_and_histogram.histogram_protocol import histogram_randomizer
from exactdp.protocols.zsum_and_histogram.zsum_protocol import zsum_randomizer
from tests.together import together

Claim, Verdict = xdp.Claim, xdp.Verdict
HALF = Fraction(1, 2)


def test_every_entry_has_a_row():
    rows = rows_of("histogram")
    assert {note for row in rows for note in row.notes} == {str(i) for i in range(51, 59)}
    assert {row.notes for row in rows if row.claim is None} == {("51",), ("52",)}
    assert all((row.as_printed == "false") == (row.expected is Verdict.REFUTED) for row in rows if row.claim)


# --- Wrong statements -----------------------------------------------------------------------------------------------


def view(d, n, gamma):
    return xdp.ShuffleProtocol(histogram_randomizer(d, gamma=gamma), n)


b, f, g, h, i, k, m, n, p, q, r, s, t, z = variables("b f g h i k m n p q r s t z")
AT = histogram.one_bin_instance()
THERE = histogram.theorem_instance()
WRONG = {
    "privacy: (eps, delta), as if one bin changed": Claim.shuffle_dp(
        view(2, 3, HALF), exp_eps=2, delta=closed_form_delta(3, HALF, Fraction(2))
    ),
    "privacy: (2 eps, delta)": Claim.shuffle_dp(
        view(2, 1, HALF), exp_eps=4, delta=closed_form_delta(1, HALF, Fraction(2))
    ),
    "privacy: two bins lose what one does": implies(p <= f, q <= f, then=p + q <= f),
    "privacy: the noise for delta = 1/4 is enough for 10^-13": Claim.shift_dp(
        xdp.Binomial(208, histogram.noise(208, Fraction(1, 4))), eps=1, delta="1e-13"
    ),
    "bin: another bin's count": Claim.equal_laws(
        MessageSum(view(2, 3, HALF), {0: 1, 1: 2}, {0: 1, 1: 0}),
        MessageSum(xdp.ShuffleProtocol(zsum_randomizer(gamma=HALF), 3), {0: 1, 1: 2}, {1: 1}),
    ),
    "bin: a factor other than 1": implies(g >= 0, g <= 1, equal(z, 2), equal(r, g + (1 - g) * z), then=equal(r, 1)),
    "messages: at most d": Claim.zero_estimate(
        histogram_randomizer(3, gamma="1/3"), weights={0: 1, 1: 1, 2: 1}, zero_unless_above=3, all_hold=1
    ),
    "messages: two dummies for a bin": implies(m <= n, z <= 2, then=m + z <= n + 1),
    "empty bins: a bin that is held": Claim.zero_estimate(
        histogram_randomizer(2, gamma=HALF), weights={0: 1, 1: 0}, zero_unless_above=1, all_hold=0
    ),
    "simultaneous: bins of less than one user": implies(q >= 0, r >= HALF, q * r <= n, then=q <= n),
    "simultaneous: the union over n bins is free": implies(q <= n, f >= 0, f <= b, then=q * f <= b),
    "every beta: without the factor n": implies(q <= n, n >= 1, f >= 0, f <= b, then=n * f <= b),
    "every constant: C(n, k) <= (n/k)^k": implies(i >= 0, k <= n, then=k * (n - i) <= n * (k - i)),
    "every constant: 1 - gamma >= e^-gamma": positive_on({"g": (0, HALF)}, (1 - g, 0), (-1, -g)),
    "every constant: gamma up to 1": positive_on({"g": (0, 1)}, (1 - g, 0), (-1, -2 * g)),
    "every constant: too few bins": implies(q > 0, m * k >= n - k, q * n > k * r, then=q * (m * k) > r * k),
    "printed: a beta of n delta^25": Claim.negation(
        Claim.tail(histogram._bins_that_err(AT), low=1, at_most=AT.n * Fraction(1, 2**25))
    ),
    "printed: one bin fails too": Claim.negation(
        Claim.accuracy(xdp.protocols.zsum(AT.n, gamma=AT.gamma), alpha=AT.alpha, beta=Fraction(1, 2**25))
    ),
    "printed: a smaller alpha is right for one bin": Claim.accuracy(
        xdp.protocols.zsum(AT.n, gamma=AT.gamma), alpha=AT.alpha - Fraction(1, AT.n), beta=Fraction(1, 2**25)
    ),
    "printed: a bin errs with twice the probability": Claim.negation(
        Claim.accuracy(
            xdp.protocols.zsum(THERE.n, gamma=THERE.gamma),
            alpha=THERE.alpha,
            beta=2 * THERE.one_bin,
            dataset={1: THERE.users_per_bin, 0: THERE.n - THERE.users_per_bin},
        )
    ),
    "printed: bins of K - 1 users err": Claim.negation(
        Claim.accuracy(
            xdp.protocols.zsum(AT.n, gamma=AT.gamma),
            alpha=AT.alpha,
            beta=AT.one_bin,
            dataset={1: AT.users_per_bin - 1, 0: AT.n - AT.users_per_bin + 1},
        )
    ),
    "index printed: with n + 1 messages at most": Claim.negation(
        Claim.tail(histogram._empty_bin_is_exact(2), high=2, at_least=1)
    ),
    "one bin: half of the theorem's alpha": Claim.accuracy(
        xdp.protocols.zsum(139, gamma=histogram.noise(139, HALF)), alpha=HALF, beta=Fraction(1, 4**25)
    ),
    "index: any beta": implies(r > 0, t >= 0, f < t, equal(n * r, 1), b >= t, then=f <= b * r),
    "index: a bin that is held is exact": Claim.tail(
        MessageSum(view(2, 1, HALF), {0: 0, 1: 1}, {0: 0, 1: 1}), high=1, at_least=1
    ),
    "chain: more than n bins": implies(q <= 2 * n, f >= 0, equal(n * f, b), s <= q * f, then=s <= b),
}


@together("name", WRONG)
def test_a_wrong_statement_is_refuted(name):
    assert xdp.certify(WRONG[name]).verdict is Verdict.REFUTED


# --- The formula of the noise ---------------------------------------------------------------------------------------

NOISY = ("privacy", "simultaneous", "simultaneous-printed", "simultaneous-printed-constant", "one-bin-alpha-fails")
FORMULAS = {"the constant 1": lambda found: Fraction(1), "a hundredth more": lambda found: found * Fraction(101, 100)}


@pytest.mark.parametrize("name", NOISY)
@pytest.mark.parametrize("changed", FORMULAS)
def test_a_row_with_another_formula_of_the_noise_is_not_decided(name, changed, monkeypatch):
    """With another formula in the bound's code, the row's file says that the two differ."""
    row = next(row for row in rows_of("histogram") if row.id == f"histogram-{name}")
    right = zsum_theorem.zsum_rounded_gamma
    monkeypatch.setattr(zsum_theorem, "zsum_rounded_gamma", lambda n, **at: FORMULAS[changed](right(n, **at)))
    histogram.one_bin_instance.cache_clear()
    histogram.theorem_instance.cache_clear()
    try:
        with pytest.raises(ExactDPError, match=r"the theorem's gamma at n=\d+, eps=1, delta=1/\d is "):
            check(row)
    finally:
        histogram.one_bin_instance.cache_clear()
        histogram.theorem_instance.cache_clear()


def test_the_least_n_is_compared_too(monkeypatch):
    monkeypatch.setattr(zsum_theorem, "zsum_least_n", lambda **at: 138)
    with pytest.raises(ExactDPError, match=r"the theorem's least n at n=139, .* is 139 by its formula, and 138"):
        histogram.noise(139, HALF)


# --- The statements in numbers --------------------------------------------------------------------------------------


def weight(n, gamma, t):
    return comb(n, t) * gamma**t * (1 - gamma) ** (n - t)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("gamma", [Fraction(1, 8), HALF])
@pytest.mark.parametrize("exp_eps", [Fraction(3, 2), Fraction(2)])
def test_two_bins_are_two_shifted_counts(n, gamma, exp_eps):
    """The divergence of (W, W' + 1) and (W + 1, W') by summation is the table's, and below 2 delta."""
    law = {t: weight(n, gamma, t) for t in range(n + 1)}
    exact = Fraction(0)
    for first, second in product(range(n + 2), repeat=2):
        here = law.get(first, Fraction(0)) * law.get(second - 1, Fraction(0))
        there = law.get(first - 1, Fraction(0)) * law.get(second, Fraction(0))
        exact += max(Fraction(0), here - exp_eps**2 * there)
    table = view(2, n, gamma).privacy_profile().delta(exp_eps=exp_eps**2)
    assert table == exact <= 2 * closed_form_delta(n, gamma, exp_eps)


def test_the_least_instance_by_direct_summation():
    """At n = 218 two bins of 109 users fail more often than delta^25; at every smaller n the bins do not."""
    tail = sum(weight(AT.n, AT.gamma, t) for t in range(AT.users_per_bin, AT.n + 1))
    assert (AT.n, AT.users_per_bin, AT.bins) == (218, 109, 2)
    assert tail <= Fraction(1, 2**25) < 1 - (1 - tail) ** AT.bins
    assert AT.failure <= 1 - (1 - AT.one_bin) ** AT.bins
    before = histogram._one_bin(AT.n - 1)
    assert before.bins == 1
    assert before.failure <= Fraction(1, 2**25)


def test_one_bin_errs_at_the_alpha_of_the_theorem_less_often_than_delta_to_the_25():
    assert THERE.users_per_bin == floor(THERE.n * THERE.alpha) + 1
    assert THERE.one_bin < Fraction(1, 4**25) < Fraction(1, 2**25) < THERE.failure
    assert THERE.bins > 10**12


@pytest.mark.parametrize("d", [2, 3])
def test_the_corrected_theorem_on_small_tables(d):
    """P[some error > gamma (1 + h)] <= Q P[W >= (1 + h) mu] with Q the bins that have more than (1 + h) mu users."""
    n, gamma = 6, Fraction(1, 4)
    for held in product(range(n + 1), repeat=d):
        if sum(held) != n:
            continue
        for above in (Fraction(0), Fraction(1, 3), Fraction(1)):
            reach = (1 + above) * n * gamma
            no_error = Fraction(1)
            for users in held:
                fails = sum(
                    weight(n, gamma, t) for t in range(n + 1) if (abs(n * gamma - t) if t < users else users) > reach
                )
                no_error *= 1 - fails
            crowded = sum(users > reach for users in held)
            tail = sum(weight(n, gamma, t) for t in range(n + 1) if t >= reach)
            assert 1 - no_error <= crowded * tail
