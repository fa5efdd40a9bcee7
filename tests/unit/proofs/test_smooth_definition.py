"""Smooth laws: the rows are decided as recorded, and the definition is what the masses say."""

from fractions import Fraction
from itertools import product
from math import comb
from random import Random

import pytest

import exactdp as xdp
from exactdp.proofs.row_files import rows_of
from exactdp.proofs.smooth_definition import large_ratio, least_delta, uniform
from exactdp.proofs.steps import equal, implies, variables
from exactdp.studies.counterexamples.search import search

Claim, Verdict, F = xdp.Claim, xdp.Verdict, Fraction
ROWS = rows_of("smooth_definition")
DECIDED = [row for row in ROWS if row.claim is not None]


def test_every_entry_of_the_definition_has_a_row():
    assert {entry for row in ROWS for entry in row.notes} == {"1", "2", "3", "4", "5", "6"}
    assert [row.notes for row in ROWS if row.claim is None] == [("3",)]


large, small, delta, mass, bad, good, rest, q, order, e, f = variables("large small delta mass bad good rest q E e f")
COIN = xdp.Binomial(1, "1/2")
WRONG = {
    "definition: the mass at k' = 0 is below delta": implies(equal(mass, 1), delta < 1, then=mass <= delta),
    "definition: delta may be 1": implies(equal(mass, 1), delta <= 1, then=mass > delta),
    "definition: a smaller delta": Claim.smooth(COIN, k=1, exp_eps=2, delta="499/1000"),
    "complement: a strict inequality": implies(equal(large + small, 1), large <= delta, then=small > 1 - delta),
    "complement: masses that do not add up": implies(large + small <= 1, large <= delta, then=small >= 1 - delta),
    "window: the points, with a smaller delta": Claim.tail(xdp.Binomial(12, "1/2"), low=0, high=8, at_least="95/100"),
    "window: no mass beside Y": implies(mass >= large + small, small >= 0, then=mass > large),
    "private: without the bad mass": implies(
        bad <= delta, good <= order * rest, rest <= q, then=bad + good <= order * q
    ),
    "private: more than E times the mass": implies(
        bad <= delta, good <= order * q, order >= 1, then=bad + good <= q + delta
    ),
    "private: a delta a little smaller": implies(
        bad <= delta, good <= order * q, order >= 1, delta >= 0, then=bad + good <= order * q + delta * F(999, 1000)
    ),
    "histogram: all bins together move by 1": implies(
        e >= 0, e <= 1, f >= 0, f <= 1, equal(e + f, 1), then=(e - f) + (1 - f) <= 1
    ),
    "histogram: a bin moves by less than 1": implies(e >= 0, e <= 1, f >= 0, f <= 1, then=e - f <= F(999, 1000)),
    "histogram: one bin's privacy": Claim.shuffle_dp(
        xdp.ShuffleProtocol(xdp.protocols.histogram_randomizer(2, gamma="1/2"), 1),
        exp_eps=2,
        delta=least_delta(COIN, F(2)),
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_statement_is_refuted(name):
    assert xdp.certify(WRONG[name]).verdict is Verdict.REFUTED


REPAIRED = {
    "definition: delta = 1": Claim.tail(COIN, low=0, high=1, at_most=1),
    "complement: at least 1 - delta": Claim.tail(uniform(2), low=0, high=0, at_least="1/2"),
    "window: with twice the mass of Y": Claim.tail(uniform(2), low=-1, high=1, at_most=1),
    "converse: the delta of smoothness": Claim.smooth(xdp.Binomial(1, "1/3"), k=1, exp_eps=2, delta=1),
}


@pytest.mark.parametrize("name", REPAIRED)
def test_what_is_refuted_as_printed_is_proved_once_repaired(name):
    assert xdp.certify(REPAIRED[name]).verdict is Verdict.PROVED


def random_law(rng):
    weights = [rng.randint(1, 9) for _ in range(rng.randint(2, 6))]
    return xdp.Law({y: F(w, sum(weights)) for y, w in enumerate(weights)})


def test_the_smoothness_of_random_laws_from_the_definition():
    rng = Random(1)
    for _ in range(60):
        law, k, bound = random_law(rng), rng.randint(1, 3), F(rng.randint(4, 12), 4)
        worst = max(large_ratio(law, s, bound ** abs(s)) for s in range(-k, k + 1) if s)
        assert xdp.smoothness_delta(law, k=k, exp_eps=bound) == worst
        assert large_ratio(law, 0, F(1)) == 1
        if worst < 1:
            assert xdp.certify(Claim.smooth(law, k=k, exp_eps=bound, delta=worst)).verdict is Verdict.PROVED
        less = worst * F(999, 1000)
        assert xdp.certify(Claim.smooth(law, k=k, exp_eps=bound, delta=less)).verdict is Verdict.REFUTED


def test_smooth_laws_are_private_and_not_conversely():
    """By listing every event of every small law."""
    rng, converse_fails = Random(2), 0
    for _ in range(60):
        law, bound = random_law(rng), F(rng.randint(4, 12), 4)
        outcomes = range(len(law) + 1)
        moved = {y: law.prob(y - 1) for y in outcomes}
        worst = F(0)
        for event in product((0, 1), repeat=len(outcomes)):
            p = sum(law.prob(y) for y, inside in zip(outcomes, event, strict=True) if inside)
            other = sum(moved[y] for y, inside in zip(outcomes, event, strict=True) if inside)
            worst = max(worst, p - bound * other, other - bound * p)
        smooth = xdp.smoothness_delta(law, k=1, exp_eps=bound)
        assert worst <= smooth
        converse_fails += worst < smooth
    assert converse_fails > 0


def test_large_ratio_of_a_binomial_law_by_its_weights():
    for n, shift in product(range(1, 6), range(-2, 3)):
        weights = [comb(n, y) for y in range(n + 1)]
        other = [weights[y + shift] if 0 <= y + shift <= n else 0 for y in range(n + 1)]
        expected = sum(w for w, v in zip(weights, other, strict=True) if w >= 2 * v)
        assert large_ratio(xdp.Binomial(n, "1/2").law(), shift, F(2)) == F(expected, 2**n)


def test_a_search_without_a_counterexample_is_an_error():
    with pytest.raises(xdp.ExactDPError, match="no counterexample"):
        search(lambda n: n > 0, n=range(1, 3)).at("n")
