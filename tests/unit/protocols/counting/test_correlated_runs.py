"""Runs of correlated counting: between two proved ends, against products of the law of both counts."""

from collections import defaultdict
from fractions import Fraction
from itertools import combinations_with_replacement

import pytest

from exactdp import protocols
from exactdp.errors import TooLargeError
from exactdp.numbers.balls import precision
from exactdp.numbers.real import Real
from exactdp.privacy.composition.mechanisms import DominatedByProfile, mechanisms_of
from exactdp.protocols.counting.correlated_view import CorrelatedPair, CorrelatedView, correlated_losses
from tests.oracles.two_counts import two_counts

CUT = 40
PROFILE = protocols.correlated_counting(9, p1="1/2", p2="1/4", r=2).privacy_profile()


def classes() -> list[tuple[float, float]]:
    """The masses (P_S, P_(S+1)) of the outcomes of one run, those of one likelihood ratio together."""
    weights = [(t + 1) * Fraction(9, 16) / 4**t for t in range(CUT)]
    first, second = two_counts(Fraction(1, 2), weights), two_counts(Fraction(1, 2), weights, 1)
    masses: dict[Fraction, list[Fraction]] = defaultdict(lambda: [Fraction(0), Fraction(0)])
    for cell, p in first.items():
        q = second.get(cell, Fraction(0))
        if q or not cell[0]:
            masses[q / p][0] += p
            masses[q / p][1] += q
    return [(float(p), float(q)) for p, q in masses.values()]


@pytest.mark.parametrize("exp_eps", [1, 2, "7/2"])
def test_two_runs_are_products_of_one_run(exp_eps):
    one = classes()
    orders = one, [(q, p) for p, q in one]
    truth = max(
        sum(max(0.0, p * a - float(Fraction(exp_eps)) * q * b) for p, q in first for a, b in second)
        for first, second in combinations_with_replacement(orders, 2)
    )
    runs = PROFILE.compose(2, notion="non-adaptive")
    value = runs.delta(exp_eps=exp_eps, relative_width="1/1000")
    assert value.lo * (1 - Fraction(1, 10**9)) <= truth <= value.hi * (1 + Fraction(1, 10**9))
    assert value.hi - value.lo <= value.lo / 1000


@pytest.mark.parametrize("backward", [False, True])
def test_the_losses_of_a_run_hold_all_its_mass(backward):
    pair = CorrelatedPair(CorrelatedView(Real.exp("-1/2"), Real.exp("-1/10"), Real(5)), backward)
    losses = pair.losses(64)
    with precision(320):
        listed = sum(p for p, _, _ in losses.atoms) + losses.infinite
        other = sum(q for _, q, _ in losses.atoms)
        rest = losses.hidden + sum(mass for mass, _ in losses.raised)
        assert (listed + rest).overlaps(Real(1).coefficient.numerator + 0 * listed)
        assert rest < 2**-63
        assert 1 - other < 0.1
        assert all(loss < 10 for _, loss in losses.raised)


def test_noise_that_is_too_wide_to_be_listed_is_composed_by_its_profile():
    wide = protocols.correlated_counting(9, p1="exp(-1/100000)", p2="exp(-1/1000000)", r=50).privacy_profile()
    (mechanism,) = mechanisms_of(wide.source)
    assert mechanism == DominatedByProfile(wide.source)
    with pytest.raises(TooLargeError, match=r"outcomes that matter, more than the limit of 131072\. Use a smaller p2"):
        CorrelatedPair(wide.source.view, False).losses(64)


@pytest.mark.parametrize("r", ["1/1000", "1/2", "2"])
@pytest.mark.parametrize("last", [1, 2, 8])
def test_losses_that_are_not_listed_are_below_their_bound(r, last):
    """For r below 1 the ratios of weights rise again, so that neither order's losses fall from some outcome on."""
    view = CorrelatedView(Real(Fraction(1, 8)), Real(Fraction(1, 2)), Real(Fraction(r)))
    for few, many in zip(correlated_losses(view, last), correlated_losses(view, 40), strict=True):
        ((_, most),) = few.raised
        beyond = [loss for _, _, loss in many.atoms[len(few.atoms) :]]
        assert beyond
        assert all(loss <= most for loss in beyond)


def test_two_runs_with_little_common_noise_are_dominated():
    """One run of (S + G1, G2) alone: a geometric count, whose two runs are its own composition."""
    none, nearly = (
        protocols.correlated_counting(9, p1="1/2", p2="1/4", r=r).privacy_profile().compose(2).delta(exp_eps=2)
        for r in (0, Fraction(1, 2**40))
    )
    assert abs(none.lo - nearly.hi) < Fraction(1, 10**6)
