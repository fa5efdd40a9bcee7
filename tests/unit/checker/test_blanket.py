"""Privacy by a blanket: its bounds against enclosed divergences, and whole claims against sums in fractions."""

from fractions import Fraction
from itertools import permutations
from random import Random

import pytest

from exactdp import Real
from exactdp.checker.blanket import Lattice, least_values
from exactdp.checker.budget import CertificateRejectedError, MalformedCertificateError, Work
from exactdp.checker.claims import read_claim
from exactdp.checker.families import read_family
from exactdp.checker.lattices import check_places
from exactdp.privacy.amplification.positive_part import mixture_of
from tests.oracles.positive_parts import blanket, divergence

F = Fraction

MANY = {10**4: (F(7, 5), 1815), 10**6: (F(103, 100), 17205), 10**9: (F(1001, 1000), 509600)}
"""Numbers of users, e^eps at which 16-ary response of e^eps0 = 55 has a small delta, and a tilt at a step of 1/7."""


def check_many_users(n, length, near):
    ratio, tilt = MANY[n]
    classes = read_family({"family": "k-ary", "inputs": "16", "exp_eps0": "55"}, Work()).blanket()
    truth = mixture_of(classes).divergence(n, Real(ratio), relative_bits=20)
    charge, values = least_values(classes, ratio, Work())
    work = Work()
    reached = Lattice(112, length, []).mean_positive_part(values, n, (F(1, 7), 2**64 // tilt), work)
    assert truth.upper.fraction() < charge + reached <= (1 + near) * truth.lower.fraction()
    assert 2 * 10**8 - work.left < 3000 * length


@pytest.mark.parametrize(("n", "length", "near"), [(10**4, 4096, F(1, 1000)), (10**9, 512, F(1, 20))])
def test_just_above_the_enclosed_divergence_of_many_users(n, length, near):
    check_many_users(n, length, near)


@pytest.mark.slow
@pytest.mark.parametrize("n", MANY)
def test_nearer_with_more_places(n):
    check_many_users(n, 4096, F(1, 1000))
    check_many_users(n, 2**14, F(1, 3000))


def random_table(draw):
    """Rows of the messages 0, 1, 2 or none, in twelfths, and the same as a claim has them."""
    rows = []
    for _ in range(draw.randint(2, 4)):
        cuts = sorted(draw.randint(0, 12) for _ in range(3))
        weights = [b - a for a, b in zip([0, *cuts], [*cuts, 12], strict=True)]
        rows.append({sent: F(w, 12) for sent, w in zip(["0", "1", "2", ""], weights, strict=True) if w})
    listed = [[{"send": sent.split(), "prob": str(p)} for sent, p in row.items()] for row in rows]
    return dict(enumerate(rows)), {"messages": "3", "rows": listed}


def laws_in_order(rows, ratio):
    """The laws of values that take a bound, in the order of pairs, for a lattice on which nothing is spread."""
    messages = list(dict.fromkeys(m for row in rows.values() for m in row))
    columns = {x: [row.get(m, F(0)) for m in messages] for x, row in rows.items()}
    least = [min(column) for column in zip(*columns.values(), strict=True)]
    known = []
    for x, y in permutations(rows, 2):
        if columns[x] != columns[y]:
            key = least_values(zip(columns[x], columns[y], least, strict=True), ratio, Work())
            if key not in known:
                known.append(key)
    return [values for _, values in known if values[-1][0] > 0]


@pytest.mark.parametrize("seed", range(10))
def test_claims_about_tables(seed):
    """At the bound of the worst pair a claim is proved, and just below it there is no proof: no pair is missing."""
    draw = Random(seed)
    (rows, listed), n, ratio = random_table(draw), draw.choice([1, 2, 3, 6]), draw.choice([F(1), F(5, 4), F(2)])
    truth = blanket(rows, n, ratio)
    bounds = [["1/144", str(2**52)] for _ in laws_in_order(rows, ratio)]
    witness = {"blanket": {"bits": "192", "length": str(2**17), "bounds": bounds}}

    def proved(delta):
        claim = {"kind": "shuffle_dp", "randomizer": listed, "n": str(n), "scope": "all n from n", "least": "none"}
        claim |= {"neighbors": "replace-one", "exp_eps": str(ratio), "delta": str(delta)}
        read_claim(claim, Work()).prove(witness, Work())

    proved(min(F(1), truth + F(1, 10**9)))
    if truth:
        with pytest.raises(CertificateRejectedError, match="the bound is not shown to be at most delta"):
            proved(truth * F(10**9 - 1, 10**9))


def test_a_bound_over_data_sets_of_a_table():
    """The worst data set of three users of three-ary response, found among all of them, has 19/256 (E = 5, x = 2)."""
    classes = read_family({"family": "k-ary", "inputs": "3", "exp_eps0": "5"}, Work()).blanket()
    charge, values = least_values(classes, F(2), Work())
    reached = charge + Lattice(128, 2**17, []).mean_positive_part(values, 3, (F(1, 2), 2**60), Work())
    assert divergence(classes, 3, F(2)) <= reached <= divergence(classes, 3, F(2)) + F(1, 10**9)


@pytest.mark.parametrize(("bits", "words"), [(18, "take 262145 places"), (16000, "take 3.019469e4816 ")])
def test_more_places_than_may_be_listed(bits, words):
    """Also a number of them that Python does not print."""
    with pytest.raises(MalformedCertificateError, match=words):
        check_places(0, 2**bits)
