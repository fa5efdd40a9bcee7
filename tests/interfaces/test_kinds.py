"""Claims as values of their kinds: what is written is read again, and every kind of the checker has its places."""

import json
import pickle
from dataclasses import is_dataclass
from pathlib import Path

import pytest

from exactdp import Claim
from exactdp.checker.budget import Work
from exactdp.checker.claims import KINDS, read_claim
from exactdp.checker.reading import sha256
from exactdp.claims import kinds
from exactdp.claims.statement import Decision, read_statement
from tests.together import together
from tests.unit.claims.test_claim import CLAIMS, LABELLED

CORPUS = sorted((Path(__file__).parents[1] / "certificates").glob("v*/correct/*.json"))


# Laws that the checker reads and the package has no value for, or writes in a simpler way.
OTHER_LAWS = {"shift_bits_binomial_real", "shift_bits_negative_binomial_real", "tail_bits_refuted_binomial"}
OWN = [path for path in CORPUS if path.stem not in OTHER_LAWS]


def claimed(path):
    """The claim of a certificate, as JSON data."""
    return json.loads(path.read_text(encoding="utf-8"))["claim"]


def every_kind():
    """All classes of statements with fields."""
    return [kind for kind in (getattr(kinds, name) for name in kinds.__all__) if is_dataclass(kind)]


def test_the_checker_and_the_package_know_the_same_kinds():
    assert {kind.kind for kind in every_kind()} == set(KINDS)


@together("path", OWN, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_what_a_certificate_claims_is_written_as_it_was_read(path):
    data = claimed(path)
    statement = Claim.from_data(data).statement
    assert statement.kind == data["kind"]
    assert statement.data == data


def test_the_corpus_has_every_kind():
    statements = [Claim.from_data(claimed(path)).statement for path in OWN]
    assert {type(statement).__name__ for statement in statements} == {kind.__name__ for kind in every_kind()}


@pytest.mark.parametrize("path", sorted(set(CORPUS) - set(OWN)), ids=lambda path: path.stem)
def test_a_claim_keeps_the_text_of_a_law_that_the_package_does_not_write(path):
    claim = Claim.from_data(claimed(path))
    assert sha256(claim.data) == claim.digest() == sha256(claimed(path))
    assert Claim.negation(claim).data["claim"] == Claim.conjunction(claim).data["claims"][0] == claimed(path)


@together("claim", CLAIMS, ids=lambda claim: claim.kind)
def test_statements_are_values(claim):
    statement = claim.statement
    assert statement == pickle.loads(pickle.dumps(statement)) == read_statement(claim.data)
    assert statement.data == claim.data
    assert read_claim(statement.data, Work()).words == read_claim(claim.data, Work()).words
    assert isinstance(statement.decide(), Decision)


def test_the_fields_are_numbers_and_tables():
    statement = CLAIMS[0].statement
    assert isinstance(statement, kinds.ShuffleDP)
    assert (statement.mechanism.n, statement.delta, statement.level.exp_eps, statement.least) == (
        3,
        CLAIMS[0].statement.delta,
        2,
        None,
    )
    assert statement.mechanism.randomizer.rows == LABELLED.rows
