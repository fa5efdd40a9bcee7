"""The theorems on counting noise and on local protocols, each on one protocol, against what the engines compute."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from math import ceil, isqrt, log

import pytest

import exactdp as xdp
from exactdp.proofs import shared_counts
from exactdp.proofs.shared_counts import BINOMIAL_CASES, CUT, DELTA, FLOODED, POISSON_CASES, rising, two_bins
from exactdp.proofs.steps import equal, implies, variables

LEVEL = 3
"""e^eps of the local protocols."""


def convolved(u, v):
    return [sum(u[i] * v[t - i] for i in range(t + 1)) for t in range(len(u))]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_shares_add_up(n):
    """NB(6, 1/3) from n shares, mass by mass."""
    share = [xdp.NegativeBinomial(Fraction(6, n), "1/3").exact_pmf(t) for t in range(8)]
    summed = [Fraction(t == 0) for t in range(8)]
    for _ in range(n):
        summed = convolved(share, summed)
    assert summed == [xdp.NegativeBinomial(6, "1/3").exact_pmf(t) for t in range(8)]


def test_the_cases_are_within_the_hypotheses():
    assert log(1 / DELTA) < 3
    for change, exp_eps, r, p in BINOMIAL_CASES:
        assert r >= 9
        assert p ** (5 * change) * exp_eps >= 1
        assert exp_eps <= Fraction(27, 10)
    for change, exp_eps, mu in POISSON_CASES:
        gap = 1 - Fraction(1, round(exp_eps ** (1 / change)))
        assert (1 - gap) ** change * exp_eps == 1
        assert mu >= max(30 / gap**2, 2 * change / gap)


@pytest.mark.parametrize("case", BINOMIAL_CASES)
def test_negative_binomial_noise_is_as_private_as_the_theorem_says(case):
    change, exp_eps, r, p = case
    assert xdp.shift_profile(xdp.NegativeBinomial(r, p), shift=change).exact_delta(exp_eps=exp_eps) <= DELTA


@pytest.mark.parametrize("case", POISSON_CASES)
def test_poisson_noise_is_as_private_as_the_theorem_says(case):
    change, exp_eps, mu = case
    assert xdp.shift_profile(xdp.Poisson(mu), shift=change).delta(exp_eps=exp_eps) <= DELTA


def flooded(lam):
    """Who moves between two bins with Poisson noise of this mean in each."""
    return xdp.protocols.flooding(1, 2, noise=xdp.Poisson(2 * lam)).privacy_profile()


def test_flooding_is_as_private_as_the_theorem_says():
    """The listed law is near that of the protocol: neither of two numbers is above the cut, but for 1/250."""
    exp_eps, lam = FLOODED
    t = Fraction(exp_eps - 1, exp_eps + 1)
    assert lam * t**2 * (1 - t**2 / 4) >= 3 + t * (1 - t)
    assert xdp.Poisson(lam).sf(CUT).hi < Fraction(1, 500)
    exact, listed = flooded(lam).delta(exp_eps=exp_eps), two_bins().privacy_profile().delta(exp_eps=exp_eps)
    assert exact.hi <= DELTA
    assert abs(exact.hi - listed) <= Fraction(1, 250)


def test_less_flooding_is_refuted(monkeypatch):
    monkeypatch.setattr(shared_counts, "FLOODED", (9, 1))
    assert xdp.certify(shared_counts._flooding()).verdict is xdp.Verdict.REFUTED


def test_counting_is_as_private_as_the_theorem_says():
    protocol = xdp.protocols.one_sided_counting(3, r=9, p="5/6")
    assert protocol.privacy_profile().exact_delta(exp_eps="5/2") <= DELTA


def test_noise_of_an_eighth_is_refuted(monkeypatch):
    less = tuple((change, e, Fraction(r, 8), p) for change, e, r, p in BINOMIAL_CASES)
    monkeypatch.setattr(shared_counts, "BINOMIAL_CASES", less)
    assert xdp.certify(shared_counts._negative_binomial()).verdict is xdp.Verdict.REFUTED
    monkeypatch.setattr(shared_counts, "POISSON_CASES", tuple((c, e, mu // 40) for c, e, mu in POISSON_CASES))
    assert xdp.certify(shared_counts._poisson()).verdict is xdp.Verdict.REFUTED


def test_another_identity_is_not_proved():
    r, s = variables("r s")
    wrong = implies(then=equal(rising(r, 2) + rising(r, 1) * rising(s, 1) + rising(s, 2), rising(r + s, 2)))
    assert xdp.certify(wrong).verdict is not xdp.Verdict.PROVED


def test_the_exponential_mechanism_is_as_private_and_useful_as_the_theorem_says():
    """e^eps = 9, weights 3^u: with c = ln 3 and three answers a score of OPT - 2 has probability at most 1/3."""
    table = {0: {"a": 3, "b": 1, "c": 1}, 1: {"a": 2, "b": 2, "c": 0}}
    mechanism = xdp.exponential_mechanism(table, exp_eps=9)
    first, second = mechanism.law(0), mechanism.law(1)
    assert all(first.prob(r) <= 9 * second.prob(r) and second.prob(r) <= 9 * first.prob(r) for r in "abc")
    assert first.prob("b") + first.prob("c") <= Fraction(1, 3)


def responses(bits):
    """Randomized response of all users: answers -> probability."""
    for ys in product((0, 1), repeat=len(bits)):
        agree = sum(x == y for x, y in zip(bits, ys, strict=True))
        yield ys, Fraction(LEVEL**agree, (LEVEL + 1) ** len(bits))


ESTIMATES = {
    "the answers": lambda ys: Fraction(sum(ys)),
    "without bias": lambda ys: (sum(ys) - Fraction(len(ys), LEVEL + 1)) * Fraction(LEVEL + 1, LEVEL - 1),
    "the half": lambda ys: Fraction(len(ys), 2),
    "the mean given the answers": lambda ys: sum((Fraction(LEVEL if y else 1, LEVEL + 1) for y in ys), Fraction(0)),
}


@pytest.mark.parametrize("estimate", ESTIMATES.values(), ids=ESTIMATES)
@pytest.mark.parametrize(("n", "sums"), [(1, (0, 1)), (5, (0, 2, 4)), (5, (1, 4))])
def test_no_estimate_tells_overlapping_sums_apart(estimate, n, sums):
    """The distances are summed up outcome by outcome, the errors of 0/1 data sets over all answers."""
    spacing = sums[1] - sums[0]
    laws = [xdp.BinomialSum(k, "3/4", n - k, "1/4") for k in sums]
    overlaps = [sum(min(u.exact_pmf(s), v.exact_pmf(s)) for s in range(n + 1)) for u, v in pairwise(laws)]
    missed = [
        sum(p for ys, p in responses((1,) * k + (0,) * (n - k)) if 2 * abs(estimate(ys) - k) >= spacing) for k in sums
    ]
    assert max(missed) >= sum(overlaps) / len(sums)


@pytest.mark.parametrize("estimate", ESTIMATES.values(), ids=ESTIMATES)
@pytest.mark.parametrize("n", [1, 2, 5])
def test_no_estimate_has_a_smaller_squared_error(estimate, n):
    least = Fraction(n * LEVEL, (LEVEL + 1) ** 2)
    sets = ((1,) * k + (0,) * (n - k) for k in range(n + 1))
    errors = [sum(p * (estimate(ys) - sum(bits)) ** 2 for ys, p in responses(bits)) for bits in sets]
    assert max(errors) >= least
    if n == 1 and estimate is ESTIMATES["the mean given the answers"]:
        assert max(errors) == least


def test_the_estimate_of_many_users_errs_as_the_theorem_says():
    """n = 192 is the least for e^eps = 3, and sqrt(n e^eps)/(2 (e^eps + 1)) is 3: where half of the users hold 1."""
    n = ceil(Fraction(36 * (LEVEL + 1) ** 2, LEVEL))
    error = isqrt(n * LEVEL) // (2 * (LEVEL + 1))
    assert (n, error, error**2 * 4 * (LEVEL + 1) ** 2) == (192, 3, n * LEVEL)
    law = xdp.BinomialSum(n // 2, "3/4", n // 2, "1/4")
    near = sum(law.exact_pmf(n // 2 + d) for d in (-1, 0, 1))  # the unbiased estimate errs by 2 abs(S - n/2), below 3
    assert 1 - near >= Fraction(1, 6)


def test_the_number_of_the_accuracy_bound_is_no_smaller():
    """The bound by overlaps is at least that of the theorem, at the same probability."""
    bound = xdp.local_lower_bound(192, exp_eps=LEVEL, beta="1/6", points=2)
    assert bound.error**2 >= Fraction(192 * LEVEL, 4 * (LEVEL + 1) ** 2)
