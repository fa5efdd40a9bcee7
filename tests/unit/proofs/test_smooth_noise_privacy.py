"""Lemma 2: the rows are decided as recorded, wrong ones are not proved, and random laws and queries obey it."""

from fractions import Fraction
from itertools import product
from random import Random

import pytest

import exactdp as xdp
from exactdp.proofs import check_from_scratch, smooth_noise_privacy
from exactdp.proofs.row_files import rows_of
from exactdp.proofs.smooth_definition import uniform
from exactdp.proofs.smooth_noise_privacy import moved_coordinates
from exactdp.proofs.steps import implies, variables
from tests.together import together

Claim, Verdict, F = xdp.Claim, xdp.Verdict, Fraction
ROWS = rows_of("smooth_noise_privacy")
DECIDED = [row for row in ROWS if row.claim is not None]


def test_every_entry_of_the_lemma_has_a_row():
    assert {entry for row in ROWS for entry in row.notes} == set(map(str, range(7, 17)))
    assert [row.notes for row in ROWS if row.claim is None] == [("9",), ("13",)]


count, norm, step, total, union, one, delta = variables("count norm step Delta bad one delta")
p_all, q_all, bound, p, q, e, order = variables("P Q b p q e E")
good, rest, power, left, x, y = variables("good rest power left x y")
MASSES = (p_all > 0, q_all > 0, bound > 0, p > 0, q > 0, e > 0)
WRONG = {
    "moved: half a step counts as a coordinate": implies(count <= norm, 2 * step >= 1, then=count + 1 <= norm + step),
    "moved: more than Delta": implies(count <= norm, norm <= total, then=count <= total - F(1, 1000)),
    "union: without the new coordinate": implies(
        union <= count * delta, one <= delta, count >= 0, then=union + one <= count * delta
    ),
    "union: a delta below 0": implies(union <= count * delta, count <= total, then=union <= total * delta),
    "union: more coordinates than Delta": implies(union <= count * delta, delta >= 0, then=union <= total * delta),
    "product: one factor is not large": implies(
        *MASSES, p_all <= bound * q_all, then=p_all * p < bound * e * q_all * q
    ),
    "product: without the exponent": implies(
        *MASSES, p_all <= bound * q_all, p < e * q, then=p_all * p < bound * q_all
    ),
    "product: masses of any sign": implies(p_all <= q_all, p < e * q, then=p_all * p < e * q_all * q),
    "exponent: an e^eps below 1": implies(bound >= 1, order > 0, then=bound * order >= bound),
    "event: half the delta": implies(
        2 * union <= total * delta, good <= power * q, power >= 1, then=union + good <= power * q
    ),
    "event: a power below 0": implies(
        union <= delta, good <= power * rest, rest <= q, then=union + good <= power * q + delta
    ),
    "ratio: the law of noise moved up is the law moved down": Claim.equal_laws(
        xdp.Binomial(2, "1/3").law().map(lambda t: t + 1), xdp.Binomial(2, "1/3").law().map(lambda t: t - 1)
    ),
    "norm: a larger e^eps of two coordinates": implies(
        x >= 1, y >= 0, y <= 1, then=(F(1999, 3000) * x) ** 2 > 4 * (F(1003, 3000) * y) ** 2
    ),
    "norm: the noise is smoother": Claim.smooth(xdp.DiscreteLaplace(2), k=1, exp_eps=2, delta=0),
    "union bound: no factor for uniform noise": Claim.shuffle_dp(
        moved_coordinates(uniform(4), 2), exp_eps=4, delta="1/4"
    ),
    "union bound: a little below the exact chance": Claim.shuffle_dp(
        moved_coordinates(uniform(4), 2), exp_eps=4, delta=F(7, 16) - F(1, 10**9)
    ),
    "bernoulli: without delta >= 0": implies(
        left >= 1 - count * delta, delta <= 1, count >= 0, then=left * (1 - delta) > 1 - (count + 1) * delta
    ),
    "scalar: twice the shift": Claim.shift_dp(uniform(4), shift=2, exp_eps=2, delta="1/4"),
    "scalar: a smaller delta": Claim.shift_dp(uniform(4), exp_eps=2, delta=F(1, 4) - F(1, 10**9)),
    "scalar: half a step, with any delta below 1": Claim.shift_dp(
        uniform(4).map(lambda y: 2 * y), exp_eps=10**9, delta="999999/1000000"
    ),
    "coordinates: five coins are smoother": Claim.smooth(xdp.Binomial(5, "1/2"), k=1, exp_eps=5, delta="1/32"),
    "coordinates: five coins with a smaller delta": Claim.smooth(xdp.Binomial(5, "1/2"), k=1, exp_eps=6, delta="1/33"),
    "coordinates: a fall by 5 with the delta of 30 of 32": Claim.shift_dp(
        xdp.Binomial(5, "1/2"), shift=5, exp_eps=6**5, delta="30/32"
    ),
    "neighbours: bits that may be 2": implies(x >= 0, x <= 2, y >= 0, y <= 1, then=x - y <= 1),
    "instances: the delta of one bin at n = 1": Claim.shuffle_dp(
        xdp.ShuffleProtocol(xdp.protocols.histogram_randomizer(2, gamma="1/2"), 1), exp_eps=4, delta="1/2"
    ),
}


@together("name", WRONG)
def test_a_wrong_statement_is_refuted(name):
    assert xdp.certify(WRONG[name]).verdict is Verdict.REFUTED


REPAIRED = {
    "coordinates: a move by 1 either way": Claim.shift_dp(xdp.Binomial(5, "1/2"), exp_eps=6, delta="1/32"),
    "scalar: a whole step": Claim.shift_dp(uniform(4), exp_eps="101/100", delta="1/4"),
    "ratio: the mass at eta - k": Claim.tail(xdp.Binomial(2, "1/3"), low=0, high=0, at_most="4/9"),
    "union: the factor for two coordinates of uniform noise": Claim.shuffle_dp(
        moved_coordinates(uniform(4), 2), exp_eps=4, delta="1/2"
    ),
}


@pytest.mark.parametrize("name", REPAIRED)
def test_what_is_refuted_as_printed_is_proved_once_repaired(name):
    assert xdp.certify(REPAIRED[name]).verdict is Verdict.PROVED


def test_the_row_on_neighbours_needs_them():
    """Dropping "neighbours" is what the negated part of the row refutes: two users, all their bits."""
    claim = next(row for row in ROWS if row.id == "lemma2-neighbors").claim()
    last = claim.data["claims"][-1]
    assert last["kind"] == "not"
    assert xdp.certify(Claim.from_data(last["claim"])).verdict is Verdict.REFUTED


@pytest.mark.parametrize("factor", [F(101, 100), F(99, 100)])
def test_another_delta_than_the_laws_own_is_noticed(monkeypatch, factor):
    """The certificate of lemma2-instances holds the law's delta on both sides."""
    row = next(row for row in ROWS if row.id == "lemma2-instances")
    own = smooth_noise_privacy.least_delta
    monkeypatch.setattr(smooth_noise_privacy, "least_delta", lambda law, order: min(F(1), own(law, order) * factor))
    assert check_from_scratch(row).verdict is Verdict.REFUTED
    monkeypatch.setattr(smooth_noise_privacy, "least_delta", lambda law, order: F(1, 3))
    assert check_from_scratch(row).verdict is Verdict.REFUTED


def random_law(rng):
    weights = [rng.randint(1, 9) for _ in range(rng.randint(2, 5))]
    return xdp.Law({t: F(w, sum(weights)) for t, w in enumerate(weights)})


def product_divergence(law, moves, bound):
    """H_E of f(X) + noise against f(X') + noise over all outcomes, f(X') - f(X) = moves."""
    total = F(0)
    for etas in product(law, repeat=len(moves)):
        mine, other = F(1), F(1)
        for eta, move in zip(etas, moves, strict=True):
            mine *= law.prob(eta)
            other *= law.prob(eta - move)
        total += max(F(0), mine - bound * other)
    return total


def test_random_laws_and_queries_obey_the_lemma():
    rng, without_the_factor = Random(3), 0
    for _ in range(150):
        law, bound, k = random_law(rng), F(rng.randint(4, 10), 4), rng.randint(1, 2)
        moves = [rng.randint(-k, k) for _ in range(rng.randint(1, 3))]
        reach = sum(map(abs, moves))
        smooth = xdp.smoothness_delta(law, k=k, exp_eps=bound)
        lost = product_divergence(law, moves, bound**reach)
        assert lost <= reach * smooth
        without_the_factor += lost > smooth
    assert without_the_factor > 0


def test_the_bad_event_of_uniform_noise_by_counting():
    for size, m in product(range(1, 6), range(1, 4)):
        bad = sum(size - 1 in etas for etas in product(range(size), repeat=m))
        profile = moved_coordinates(uniform(size), m).privacy_profile()
        assert profile.delta(exp_eps=2**m) == F(bad, size**m) == 1 - (1 - F(1, size)) ** m <= F(m, size)


def test_two_coordinates_of_discrete_laplace_noise():
    """The ratio of the event of the row, by summing the masses."""
    p = [F(1, 3) * F(1, 2) ** abs(t) for t in range(-60, 61)]
    at_most_0, below_0 = sum(p[:61]), sum(p[:60])
    assert abs(at_most_0 - F(2, 3)) < F(1, 2**50)
    assert abs(below_0 - F(1, 3)) < F(1, 2**50)
    assert at_most_0**2 > 3 * below_0**2
