"""Published bounds: the rows, an independent count, and wrong statements beside each."""

import re
from fractions import Fraction
from itertools import product
from pathlib import Path

import mpmath
import pytest

import exactdp as xdp
from exactdp.bounds import family_parameters
from exactdp.claims.claim import Condition
from exactdp.errors import InvalidValueError
from exactdp.privacy.amplification import variation_ratio
from exactdp.proofs import check, published_bounds, row
from exactdp.proofs.published_bounds import (
    _ABOVE,
    _BELOW,
    _DOMAIN,
    HADAMARD,
    INTERIOR,
    RESPONSES,
    TARGET,
    _protocol,
    _two_users,
    both_clones,
    least_counterexample,
    pair_divergence,
    published,
    published_of_pair,
)
from exactdp.randomizers import HadamardResponse, KAryResponse

Claim, Verdict = xdp.Claim, xdp.Verdict
AT = least_counterexample()


def two_users(k, p, order):
    """The exact delta of two users, by listing pairs and ordered outcomes."""
    chance = lambda x, y: (p if x == y else Fraction(1)) / (p + k - 1)  # noqa: E731
    worst = Fraction(0)
    for x, other, z in product(range(k), repeat=3):
        total = Fraction(0)
        for seen in product(range(k), repeat=2):
            if seen[0] > seen[1]:
                continue
            orders = {seen, seen[::-1]}
            first, second = (sum(chance(u, a) * chance(z, b) for a, b in orders) for u in (x, other))
            total += max(Fraction(0), first - order * second)
        worst = max(worst, total)
    return worst


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize(("p", "order"), [(Fraction(4), Fraction(3)), (Fraction(2), Fraction(7, 4))])
def test_two_users_by_brute_force(k, p, order):
    exact = two_users(k, p, order)
    claimed = (p - order) + max(Fraction(0), (p + k - 3) * (p - order) - (k - 2) * (order - 1))
    assert published(2, k, p, order) == claimed / (p + k - 1) ** 2
    assert exact == _protocol(2, k, p).privacy_profile().delta(exp_eps=order)
    assert (exact > published(2, k, p, order)) is (k > 2)
    assert exact <= min(both_clones(2, p, order))


def test_up_to_half_way_the_published_number_holds_for_two_users():
    for k, p in product((3, 4), (Fraction(2), Fraction(4))):
        for order in (Fraction(1), 1 + (p - 1) / 4, (p + 1) / 2):
            assert two_users(k, p, order) <= published(2, k, p, order)


def test_the_interior_worst_data_set():
    for n, ratio, order in INTERIOR:
        pair = _protocol(n, 2, ratio).privacy_profile().worst_pair(exp_eps=order)
        assert n >= 200
        assert min(pair.first.values()) > n // 4


@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize("r", [Fraction(1, 6), Fraction(1, 3)])
def test_the_divergence_of_the_pair_by_listing_messages(n, r):
    p, u, order = Fraction(3), Fraction(1, 5), Fraction(3, 2)
    law = {0: r, 1: r, None: 1 - 2 * r}
    total = {}
    for mirrored in (False, True):
        telling = {0: u if mirrored else u * p, 1: u * p if mirrored else u, None: 1 - u - u * p}
        for sent in product((0, 1, None), repeat=n):
            chance = telling[sent[0]]
            for message in sent[1:]:
                chance *= law[message]
            counts = total.setdefault((sent.count(0), sent.count(1)), [Fraction(0), Fraction(0)])
            counts[mirrored] += chance
    assert pair_divergence(n, p, u, r, order) == sum(max(Fraction(0), a - order * b) for a, b in total.values())


FORMULAS = {"the constant 1": lambda value: Fraction(1), "a hundredth more": lambda value: value * Fraction(101, 100)}
ON_BOUNDS = (
    *("variation-ratio-as-quoted", "variation-ratio-factor", "variation-ratio-thousand"),
    *("clones-response", "clones-interior"),
)


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("name", ON_BOUNDS)
def test_another_formula_in_the_bound_is_noticed(monkeypatch, name, formula):
    right = variation_ratio.pair_delta
    monkeypatch.setattr(variation_ratio, "pair_delta", lambda *arguments: FORMULAS[formula](right(*arguments)))
    with pytest.raises(InvalidValueError, match="by its definition"):
        row(name).claim()


def test_real_sizes_are_those_of_the_page():
    """Each instance that the page finds below, and no other, is in the row, at an eps between the numbers there."""
    page = (Path(__file__).parents[3] / "docs" / "published-bounds.md").read_text("utf-8")
    said = re.findall(
        r"^(\d+-ary|hadamard d=\d+).*n=(\d+), e\^eps0=([\d/]+),.* = ([\d.]+); some .* than ([\d.]+)$", page, re.M
    )
    stated = {(f"{k}-ary", *at): x for k, *at, x in RESPONSES} | {(f"hadamard d={d}", *at): x for d, *at, x in HADAMARD}
    assert len(said) == len(stated) == 23
    for kind, n, exp_eps0, promised, needed in said:
        eps = mpmath.log(mpmath.mpf(stated[kind, exp_eps0, int(n)]))
        assert eps / mpmath.mpf(promised) > 1 - 1e-4  # which is rounded up to five digits or more
        assert eps / mpmath.mpf(needed) < 1 + 1e-4


def test_a_number_that_is_not_promised_makes_no_row(monkeypatch):
    monkeypatch.setattr(published_bounds, "RESPONSES", ((4, "7389/1000", 1000, "1.4204"),))
    with pytest.raises(InvalidValueError, match="not at most 1/1000000"):
        row("variation-ratio-thousand").claim()
    assert published_of_pair(1000, family_parameters(HadamardResponse(15, exp_eps0=3)), Fraction("1.12253")) < TARGET


def test_what_the_rows_stand_on():
    names = ("variation-ratio-two-users", "variation-ratio-factor", "variation-ratio-thousand")
    levels = {name: check(row(name)).level for name in names}
    assert levels == dict.fromkeys(names, "kernel")


GRAIN = Fraction(1, 10**9)
WRONG = {
    "thousand: at an e^eps above the proved upper end": Claim.negation(
        Claim.shuffle_dp(
            xdp.ShuffleProtocol(KAryResponse(4, exp_eps0="7389/1000"), 1000), exp_eps="1.4214", delta=TARGET
        )
    ),
    "as published: at the least counterexample with a little less": Claim.shuffle_dp(
        _protocol(AT["n"], AT["k"], AT["exp_eps0"]), exp_eps=AT["exp_eps"], delta=Fraction(1, 9) - GRAIN
    ),
    "every size: with the second part, without e^eps > (e^eps0 + 1) / 2": Claim.inequality(
        ["p", "E", "k"],
        hypotheses=[_DOMAIN[0], _DOMAIN[2]],
        conclusion=Condition(
            {(0, 1, 1): 2, (1, 0, 1): -1, (0, 0, 1): -1, (0, 1, 0): -4, (1, 0, 0): 2, (0, 0, 0): 2}, strict=True
        ),
    ),
    "every size: without e^eps > (e^eps0 + 1) / 2": Claim.inequality(
        ["p", "E", "k"],
        hypotheses=[Condition(_BELOW, strict=True), _DOMAIN[2]],
        conclusion=Condition(_ABOVE, strict=True),
    ),
    "every size: another constant for the real pair": Claim.shuffle_dp(
        _protocol(2, 3, Fraction(2)), exp_eps="19/10", delta=Fraction(2, 10) / 16 - GRAIN
    ),
    "factor: one power of e^eps0 less": Claim.shuffle_dp(
        _protocol(3, 3, Fraction(2)),
        exp_eps="1999/1000",
        delta=2 * published(3, 3, Fraction(2), Fraction(1999, 1000)),
    ),
    "clones: fewer clones": Claim.shuffle_dp(
        _protocol(2, 2, Fraction(2)), exp_eps=1, delta=both_clones(2, Fraction(2), Fraction(1))[1] - GRAIN
    ),
    "clones: one user more than there are": Claim.shuffle_dp(
        _protocol(2, 2, Fraction(3)), exp_eps=2, delta=both_clones(3, Fraction(3), Fraction(2))[1]
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_statement_is_not_proved(name):
    assert xdp.certify(WRONG[name]).verdict is not Verdict.PROVED


def test_the_claim_of_two_users_speaks_about_all_numbers_of_symbols():
    kinds = [part["kind"] for part in _two_users().data["claims"]]
    assert kinds[:2] == ["inequality", "inequality"]
