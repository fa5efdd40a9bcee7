"""The rows of sums in almost one message: neither a smaller shape nor a smaller error is proved."""

from fractions import Fraction
from itertools import combinations
from math import ceil, exp, floor, log

import numpy as np
import pytest
from scipy import stats

import exactdp as xdp
from exactdp.proofs import almost_central
from exactdp.protocols import AlmostCentralSum
from exactdp.protocols.almost_central.zero_sum_views import coefficients, moved, spread


def verdict(claims) -> xdp.Verdict:
    return xdp.certify(claims if isinstance(claims, xdp.Claim) else xdp.Claim.conjunction(*claims)).verdict


def test_less_noise_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert verdict(almost_central._bits()) is xdp.Verdict.PROVED
    (_, ratio), _ = almost_central.bits().common
    less = AlmostCentralSum(1, bound=1, p="1/2", common=[(3, ratio), (3, ratio)])
    monkeypatch.setattr(almost_central, "bits", lambda: less)
    assert verdict(almost_central._bits()) is xdp.Verdict.REFUTED


@pytest.mark.parametrize("error", [5, 7])
def test_another_error_is_refuted(monkeypatch: pytest.MonkeyPatch, error: int) -> None:
    assert verdict(almost_central._error()) is xdp.Verdict.PROVED
    monkeypatch.setattr(almost_central, "ERROR", error)
    assert verdict(almost_central._error()) is xdp.Verdict.REFUTED


def test_the_numbers_of_the_lemma() -> None:
    assert verdict(almost_central._lemma()) is xdp.Verdict.PROVED
    c, v = Fraction(3, 13) + Fraction(1, 17), Fraction(17, 3)
    q = (1 + c * v) / (1 + v)
    assert (c, q, q / c, c * v) == tuple(map(Fraction, ("64/221", "103/260", "1751/1280", "64/39")))
    assert verdict(almost_central.chernoff(c, v)) is xdp.Verdict.PROVED
    assert verdict(almost_central.chernoff(c * Fraction(5, 4), v)) is xdp.Verdict.REFUTED
    assert verdict(almost_central.chernoff(c * Fraction(4, 5), v * Fraction(5, 4))) is xdp.Verdict.PROVED


@pytest.mark.parametrize("step", ["1/2", "1/10", "1/500"])
@pytest.mark.parametrize("lost", ["1", "1/100", "1e-12"])
def test_the_lemma_in_numbers(step: str, lost: str) -> None:
    """At its ends, r and p as small as it allows: neither order loses more than it says."""
    h, b = float(Fraction(step)), float(Fraction(lost))
    r, p, most = 3 * (1 + log(1 / b)), exp(-3 * h / 10), floor(1 / (2 * h))
    noise = stats.nbinom(r, 1 - p)
    t = np.arange(int(noise.isf(1e-14)))
    for d in {1, (most + 1) // 2, most}:
        weight, moved, E = noise.pmf(t), noise.pmf(t - d), exp(d * h)
        assert np.maximum(0, weight - E * moved).sum() <= b
        assert np.maximum(0, moved - E * weight).max() <= 1e-15


def test_the_printed_width_is_below_the_reach_and_above_two_thirds_of_it() -> None:
    widths = {bound: bound * (ceil(log(bound)) + 1) for bound in range(1, 3000)}
    assert next(bound for bound, width in widths.items() if width < spread(bound)) == 17
    assert (widths[17], spread(17)) == (68, 70)
    wide = [bound for bound in range(17, 200) if widths[bound] >= spread(bound)]
    assert wide == [*range(21, 33), *range(55, 65)]
    largest, below = 0, Fraction(0)
    for bound, width in widths.items():
        written = sum(abs(i * times) for i, times in coefficients(bound).items() if abs(i) > 1)
        assert written <= bound * (bound - 1).bit_length()  # ceil(log2 bound) halvings
        largest = max(largest, written)
        below = max(below, Fraction(largest, width))
    assert 1 < below <= Fraction(3, 2)


@pytest.mark.parametrize("bound", [17, 24, 45])
def test_no_change_of_a_number_costs_more_than_its_share_at_the_printed_width(bound: int) -> None:
    """In units of e2: abs(d_i) is at most 3 t_i / 2, and abs(d_i) / (3 t_i) adds up to at most 1."""
    width = bound * (ceil(log(bound)) + 1)
    costs = []
    for x, y in combinations(range(bound + 1), 2):
        parts = [Fraction(abs(d), -(-width // abs(i))) for i, d in moved(x, y).items() if abs(i) > 1]
        assert max(parts, default=0) <= Fraction(3, 2)
        costs.append(sum(parts) / 3)
    assert Fraction(1, 3) < max(costs) <= 1
