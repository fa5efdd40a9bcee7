"""Pure DP: wrong statements are not proved, and the first counterexamples are what brute force says."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

import pytest

import exactdp as xdp
from exactdp.claims.claim import Claim
from exactdp.claims.encoding import MessageSum
from exactdp.errors import ExactDPError
from exactdp.proofs import gap, pure_dp_facts
from exactdp.proofs.steps import implies, variables
from tests.together import together

Verdict = xdp.Verdict


def test_the_first_counterexamples():
    assert dict(pure_dp_facts.first_product().counterexample) == {"n": 2, "p": 1, "q": Fraction(1, 2)}
    assert dict(pure_dp_facts.first_order().counterexample) == {"n": 2, "data": 1, "gamma": 0}
    assert dict(pure_dp_facts.first_event().counterexample) == {"n": 2, "data": 1, "event": 1, "gamma": 0}
    assert pure_dp_facts.first_alphabet().counterexample["k"] == 3
    assert pure_dp_facts.first_imperfect().counterexample["n"] == 2


HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
FAIR = {(0,): "1/2", (1,): "1/2"}
THIRD = xdp.ShuffleProtocol(xdp.Randomizer({0: FAIR, 1: FAIR, 2: {(1,): 1}}), 2)
a0, a1, a2, a3 = variables("a0 a1 a2 a3")
WRONG = {
    "X' gives p^(n-1) q, and less": Claim.tail(
        pure_dp_facts._all_in_event(2, Fraction(3, 4), QUARTER), low=2, at_most="2/16"
    ),
    "X' gives p^(n-1) q, and more": Claim.tail(
        pure_dp_facts._all_in_event(2, Fraction(3, 4), QUARTER), low=2, at_least="4/16"
    ),
    "equal users are moved by the shuffler": Claim.negation(
        Claim.equal_laws(pure_dp_facts.in_order((1, 1), QUARTER), pure_dp_facts.shuffled((1, 1), QUARTER))
    ),
    "different users are not": Claim.equal_laws(
        pure_dp_facts.in_order((1, 0), QUARTER), pure_dp_facts.shuffled((1, 0), QUARTER)
    ),
    "gap: a smaller delta": Claim.shuffle_dp(pure_dp_facts._one_user(), exp_eps=1000, delta="37/100"),
    "gap: a larger least delta": Claim.shuffle_dp(pure_dp_facts._one_user(), exp_eps=1, delta="38/100", least="delta"),
    "gap: finite at n = 1": Claim.pure_dp(xdp.protocols.gap(1), exp_eps=10**6, all_n_from=1),
    "gap: less than 5/2 from n = 2 on": Claim.pure_dp(xdp.protocols.gap(2), exp_eps="249/100", all_n_from=2),
    "gap: perfect at n = 9": Claim.shuffle_dp(xdp.protocols.gap(9), exp_eps=1, delta="1/1000"),
    "any weights, even 0": implies(a0 >= 0, a1 >= 0, then=a0 * a1 + a1 * a0 > 0),
    "any weights, without the count 1": implies(a0 > 0, a3 > 0, then=a0 * a1 > 0),
    "some pairs: the third record looks like the others": Claim.equal_laws(
        MessageSum(THIRD, {0: 1, 1: 1, 2: 0}, {0: 0, 1: 1}), MessageSum(THIRD, {0: 1, 1: 0, 2: 1}, {0: 0, 1: 1})
    ),
    "some pairs: more is lost": Claim.never_dp(xdp.ShuffleProtocol(THIRD.randomizer, 1), delta_below="51/100"),
    "weights: without exactly two, finite eps all the same": Claim.never_dp(xdp.protocols.gap(2), delta_below="1/1000"),
    "sums: other records": pure_dp_facts._of_records({0: 1, 1: 0, 2: 1}, {0: 1, 1: 1, 2: 0}, {0: 0, 1: 1, 2: 2}),
    "sums: the histogram follows": pure_dp_facts._histogram_from_sum(),
    "bits only: the 3-ary shuffled eps is less": Claim.pure_dp(
        xdp.ShuffleProtocol(xdp.randomized_response(3, gamma="1/2"), 1), exp_eps="399/100", all_n_from=1
    ),
}


@together("name", WRONG)
def test_a_wrong_statement_is_not_proved(name):
    assert xdp.certify(WRONG[name]).verdict is Verdict.REFUTED


def test_the_printed_statements_become_true_where_they_should():
    """q^n at n = 1, and (0, 0)-DP of the complement protocol."""
    law = pure_dp_facts._all_in_event(1, Fraction(3, 4), QUARTER)
    assert xdp.certify(Claim.tail(law, low=1, at_most=QUARTER)).verdict is Verdict.PROVED
    claim = Claim.shuffle_dp(xdp.protocols.complement(3), exp_eps=1, delta=0)
    assert xdp.certify(claim).verdict is Verdict.PROVED


@pytest.mark.parametrize("data", list(product((0, 1), repeat=3)))
def test_the_shuffled_law_by_listing_orders(data):
    gamma = Fraction(1, 3)
    keep = {(x, y): (1 - gamma) * (x == y) + gamma / 2 for x in (0, 1) for y in (0, 1)}
    law = dict.fromkeys(range(8), Fraction(0))
    for order in permutations(range(3)):
        for bits in product((0, 1), repeat=3):
            p = Fraction(1, 6)
            for x, y in zip(data, bits, strict=True):
                p *= keep[x, y]
            law[sum(bits[place] << i for i, place in enumerate(order))] += p
    assert dict(pure_dp_facts.shuffled(data, gamma).items()) == law
    view: MessageSum = pure_dp_facts.in_order(data, gamma)
    assert view.protocol.n == 3


def test_two_users_of_gap_reach_every_count_by_listing():
    strings = {x: [s for s in product((0, 1), repeat=4) if x == 0 or sum(s) != 2] for x in (0, 1)}
    for x, y in product((0, 1), repeat=2):
        assert {sum(s) + sum(t) for s in strings[x] for t in strings[y]} == set(range(9))


def test_a_point_of_the_curve_that_rounds_otherwise_is_not_stated(monkeypatch):
    monkeypatch.setattr(gap, "_CURVE", {2: ("2.400e-1", "2.241e-1", "2.000e-1")})
    with pytest.raises(xdp.ExactDPError, match=r"n=2: delta is .* at e\^eps=11/10, and its row says 2\.241e-1"):
        gap._curve()
    monkeypatch.setattr(gap, "_CURVE", {2: ("2.400e-1", "2.240e-1", "2.000e-1")})
    assert xdp.certify(gap._curve()).verdict is xdp.Verdict.PROVED


def test_a_curve_that_bends_or_does_not_end_is_no_whole_curve():
    one, two, three = Fraction(1), Fraction(3, 2), Fraction(2)
    gap._check_lines(2, {one: HALF, two: QUARTER, three: Fraction(0)})
    with pytest.raises(ExactDPError, match="n=2: delta is no line between two breakpoints, 1/2, 1/8, 0"):
        gap._check_lines(2, {one: HALF, two: Fraction(1, 8), three: Fraction(0)})
    with pytest.raises(ExactDPError, match="n=2: delta is 1/4 at the last breakpoint"):
        gap._check_lines(2, {one: Fraction(3, 4), two: HALF, three: QUARTER})


def test_at_most_one_one_by_listing():
    """Of n users with input 1 who send at most one 1 there are at most n ones, of one with input 0 up to n + 3."""
    few = [s for s in product((0, 1), repeat=4) if sum(s) <= 1]
    some = list(product((0, 1), repeat=4))
    assert (len(some), sum(sum(s) != 2 for s in some), len(few)) == (16, 10, 5)
    for n in (1, 2, 3):
        others = {sum(map(sum, sent)) for sent in product(few, repeat=n - 1)}
        assert max(sum(s) + rest for s in few for rest in others) == n
        assert max(sum(s) + rest for s in some for rest in others) == n + 3
