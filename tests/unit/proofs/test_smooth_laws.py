"""Which laws are smooth: the rows are decided as recorded, wrong ones are not, and sums of plain masses agree."""

import math
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactdp as xdp
from exactdp.proofs import check
from exactdp.proofs.row_files import rows_of
from exactdp.proofs.smooth_laws import PER_UNIT, per_unit
from exactdp.proofs.steps import implies, variables

Claim, Verdict, F = xdp.Claim, xdp.Verdict, Fraction
p, q, r, b, e = variables("p q r b e")
LAPLACE, GAUSSIAN, POISSON = xdp.DiscreteLaplace(2), xdp.DiscreteGaussian(25), xdp.Poisson(25)


@pytest.mark.parametrize("row", rows_of("smooth_laws"), ids=lambda row: row.id)
def test_a_row_is_decided_as_recorded(row):
    assert check(row).verdict is Verdict.PROVED


WRONG = {
    "every k: a ratio that is only at most e^eps": implies(b > 0, p <= b * q, q <= e * r, then=p < b * e * r),
    "every k: with delta above 0": Claim.conjunction(
        Claim.smooth(POISSON, k=1, exp_eps=2, delta="1/100"), Claim.smooth(POISSON, k=16, exp_eps=2, delta="1/100")
    ),
    "geometric: at e^eps = 1/a": Claim.smooth(LAPLACE, k=1, exp_eps=2, delta=0),
    "geometric: below 2/3 at e^eps = 1/a": Claim.smooth(LAPLACE, k=64, exp_eps=2, delta=F(2, 3) - F(1, 10**6)),
    "gaussian: delta = 0": Claim.smooth(GAUSSIAN, k=1, exp_eps=100, delta=0),
    "gaussian: the eps of k = 1 for k = 64": Claim.smooth(GAUSSIAN, k=64, exp_eps="165/100", delta="1/100"),
    "gaussian: one point later": Claim.smooth(GAUSSIAN, k=8, eps="19/50", delta=GAUSSIAN.sf(6).hi),
    "bounded: Poisson at k = 16": Claim.smooth(POISSON, k=16, exp_eps=10**9, delta="1/100"),
    "never: Poisson": Claim.smooth(POISSON, k=1, exp_eps=10**9, delta=0),
    "per unit: one eps for all k": per_unit(GAUSSIAN, (165, 165)),
    "per unit: a hundredth less": per_unit(POISSON, (178,)),
    "per unit: a hundredth more": per_unit(POISSON, (180,)),
    "per unit: none where there is one": per_unit(LAPLACE, (None,)),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_statement_is_refuted(name):
    assert xdp.certify(WRONG[name]).verdict is Verdict.REFUTED


def test_the_laws_of_the_table_have_the_same_variance():
    assert {round(float(law.variance)) for _, law, _ in PER_UNIT} == {24, 25}


def test_only_geometric_tails_keep_their_eps():
    """The table says what its row is for: eps per unit is constant for one law and grows for the others."""
    flat, *growing = (hundredths for _, _, hundredths in PER_UNIT)
    assert len(set(flat)) == 1
    for hundredths in growing:
        found = [math.inf if value is None else value for value in hundredths]
        assert all(first < second or second == math.inf for first, second in pairwise(found))


def plain_delta(log_mass, eps, k, span=200):
    """The smoothness from the definition, in floats: the largest mass of a shift's outcomes with a large ratio."""
    points = range(-span, span + 1)
    total = math.fsum(math.exp(log_mass(y)) for y in points)
    shifts = [j for j in range(-k, k + 1) if j]
    large = ([y for y in points if log_mass(y) - log_mass(y + j) >= abs(j) * eps * (1 + 1e-12) + 1e-12] for j in shifts)
    return max(math.fsum(math.exp(log_mass(y)) for y in each) / total for each in large)


@settings(max_examples=25)
@given(s=st.integers(1, 60), k=st.integers(1, 8), hundredths=st.integers(1, 150))
def test_gaussian_tails_by_plain_sums(s, k, hundredths):
    """P[Y >= s eps - k/2], where no outcome lies on the end, against the definition."""
    eps = F(2 * hundredths + 1, 199)
    point = math.ceil(s * eps - F(k, 2))
    formula = xdp.DiscreteGaussian(s).sf(point - 1)
    assert math.isclose(float(formula), plain_delta(lambda y: -y * y / (2 * s), float(eps), k), rel_tol=1e-9)


@settings(max_examples=25)
@given(numerator=st.integers(1, 30), k=st.integers(1, 6))
def test_geometric_tails_by_plain_sums(numerator, k):
    """A little above ln(1/a) nothing has a large ratio; a little below it, the outcomes from 0 on, at the least."""
    a = numerator / 31
    assert plain_delta(lambda y: abs(y) * math.log(a), -math.log(a) + 1e-6, k) == 0
    below = plain_delta(lambda y: abs(y) * math.log(a), -math.log(a) - 1e-6, k, span=600)
    assert below >= 1 / (1 + a) - 1e-9


@settings(max_examples=25)
@given(mean=st.integers(1, 40), k=st.integers(1, 60))
def test_no_eps_is_enough_for_a_law_that_ends(mean, k):
    """The smoothness at a huge e^eps is not below P[Y < k], summed from the masses."""
    below = math.fsum(math.exp(y * math.log(mean) - mean - math.lgamma(y + 1)) for y in range(k))
    found = xdp.smoothness_delta(xdp.Poisson(mean), k=k, exp_eps=10**6)
    assert float(found) >= below * (1 - 1e-9)
