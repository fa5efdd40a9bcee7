"""The rows of the local model: the values are those of the program, and a perturbed one is refused."""

from fractions import Fraction

import pytest

import exactdp as xdp
from exactdp.proofs import local_model
from exactdp.proofs.local_model import SPACINGS, answers
from exactdp.proofs.steps import variables


@pytest.mark.parametrize(("users", "ones"), [(1, 1), (3, 0), (3, 2)])
def test_the_polynomials_are_the_laws(users, ones):
    (E,) = variables("E")
    law = xdp.BinomialSum(ones, "3/4", users - ones, "1/4")
    assert [p.subs(E, 3) / 4**users for p in answers(E, users, ones)] == [law.exact_pmf(s) for s in range(users + 1)]


def test_the_spacings_are_the_greatest_even_ones():
    for n, spacing in SPACINGS.items():
        bound = xdp.local_lower_bound(n, exp_eps=3, beta="1/20", points=2)
        assert spacing <= 2 * bound.error <= spacing + 3  # the other half of P[S = n/2] counts there too


def test_greater_spacings_are_refuted(monkeypatch):
    monkeypatch.setattr(local_model, "SPACINGS", {n: spacing + 2 for n, spacing in SPACINGS.items()})
    assert xdp.certify(local_model._overlap()).verdict is xdp.Verdict.REFUTED


@pytest.mark.parametrize("perturbed", ["estimate", "prior", "value"])
def test_another_estimate_prior_or_value_is_not_proved(perturbed):
    (E,) = variables("E")
    estimates, prior, value = [{0: 1}, {1: 1}, {2: 1}], [1, 0, 1], 2 * (E + 1)
    if perturbed == "estimate":
        estimates[1] = {0: 1}
    elif perturbed == "prior":
        prior = [1, 1, 1]
    else:
        value = value - Fraction(1, 1000)
    claim = xdp.Claim.conjunction(*local_model.game(E, estimates, prior, value))
    assert xdp.certify(claim).verdict is not xdp.Verdict.PROVED
