"""A refutation at the least instance holds all instances before it."""

import pytest

import exactdp as xdp
from exactdp.claims.claim import Claim
from exactdp.errors import InvalidValueError
from exactdp.proofs import row
from exactdp.proofs.least import refuted_at_least, searched_over

Verdict = xdp.Verdict
SPACE = {"n": range(1, 9)}


def at_most_two(n):
    """Bin(n, 1/2) is at most 2: it fails from n = 3 on."""
    return Claim.tail(xdp.Binomial(n, "1/2"), low=3, at_most=0)


def test_the_least_counterexample_is_refuted_with_all_before_it():
    claim = refuted_at_least(at_most_two, searched_over(**SPACE)(lambda n: n < 3))
    assert xdp.certify(claim).verdict is Verdict.REFUTED
    assert len(claim.data["claim"]["claims"]) == 3


def test_a_later_counterexample_is_not_the_least():
    """At n = 4 the statement fails, and at n = 3 as well."""
    claim = refuted_at_least(at_most_two, searched_over(**SPACE)(lambda n: n < 4))
    assert xdp.certify(claim).verdict is Verdict.PROVED


def test_an_instance_that_holds_is_no_counterexample():
    claim = refuted_at_least(at_most_two, searched_over(**SPACE)(lambda n: n < 2))
    assert xdp.certify(claim).verdict is Verdict.PROVED


def test_the_first_instance_of_all_is_the_statement_itself():
    space = {"n": range(3, 9)}
    assert refuted_at_least(at_most_two, searched_over(**space)(lambda n: n < 3)) == at_most_two(3)


def test_without_a_counterexample_there_is_nothing_to_refute():
    with pytest.raises(InvalidValueError) as caught:
        refuted_at_least(at_most_two, searched_over(**SPACE)(lambda n: True))
    assert str(caught.value) == "there is no counterexample in n in 1..8. Search a larger space."


def test_further_arguments_go_to_the_search_and_to_the_statement():
    asked = []

    @searched_over(**SPACE)
    def below(n, *, bound):
        asked.append((n, bound))
        return n < bound

    assert (below(bound=3).least, below(bound=3).tried, below(bound=5).least) == ({"n": 3}, 3, {"n": 5})
    assert len(asked) == 3 + 5

    def at_most(n, *, bound):
        return Claim.tail(xdp.Binomial(n, "1/2"), low=bound, at_most=0)

    parts = (*(at_most(n, bound=5) for n in range(1, 5)), Claim.negation(at_most(5, bound=5)))
    assert refuted_at_least(at_most, below, bound=5) == Claim.negation(Claim.conjunction(*parts))


LISTED = {
    "dp-ratio-printed": 6,
    "dp-near-printed": 2,
    "sum-sensitivity-printed": 11,
    "sum-sensitivity-printed-replace": 6,
    "laplace-accuracy-printed": 6,
    "exponential-mechanism-half": 2,
}


@pytest.mark.parametrize("name", LISTED)
def test_rows_that_say_the_least_hold_the_whole_list(name):
    proof = row(name)
    assert "the least" in proof.domain
    assert len(proof.claim().data["claim"]["claims"]) == LISTED[name]
