"""The ledger promises no more than was checked: levels, steps, Props, and words that a stranger can follow."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from exactdp import proofs
from exactdp.claims.claim import Claim
from exactdp.evidence.levels import LEVELS
from exactdp.proofs import development, ledger, rows, stored
from exactdp.proofs.development import FOLDER, computed_theorems, propositions, read_propositions, theorems
from exactdp.proofs.row_files import rows_of
from exactdp.proofs.steps import equal, implies, variables
from tests.unit.proofs.props import recorded

ROOT = Path(__file__).parents[3]
PROOFS = ROOT / "proofs"
BY_MODULE = {name: rows_of(name) for name in proofs._TOPICS}
NOBODY_HAS = re.compile(r"\b00[0-4](?::\d|_[0-9a-f]{8}|\.txt)")
"""A line, or the name, of a file that readers of this repository cannot open."""


def inequalities(data):
    """Every inequality inside a claim."""
    if data["kind"] == "inequality":
        yield data
    for part in [*data.get("claims", ()), *([data["claim"]] if "claim" in data else [])]:
        yield from inequalities(part)


def scaled(condition):
    """A condition's polynomial in the order of its exponents, with the first coefficient 1 or -1."""
    terms = sorted((tuple(map(str, powers)), Fraction(str(c))) for c, powers in condition["polynomial"])
    return [(powers, c / abs(terms[0][1])) for powers, c in terms]


def empty_steps(claim):
    """The inequalities of a claim whose conclusion is among their own hypotheses."""
    return [
        step
        for step in inequalities(claim.data)
        if any(
            scaled(h) == scaled(step["conclusion"]) and (h["strict"] == "yes" or step["conclusion"]["strict"] == "no")
            for h in step["hypotheses"]
        )
    ]


def test_an_empty_step_is_found():
    x, y = variables("x y")
    assert len(empty_steps(implies(2 * y - 2 * x >= 0, x > 0, then=-x + y >= 0))) == 1
    assert len(empty_steps(Claim.conjunction(Claim.negation(implies(x > y, then=x >= y))))) == 1
    assert not empty_steps(implies(x >= y, then=x > y))
    assert not empty_steps(implies(x >= y, then=2 * x >= y))
    assert len(empty_steps(implies(equal(x, y), then=equal(y, x)))) == 2


def test_no_step_is_empty():
    """Of the claims of the stored certificates, which are those that the rows state (test_proofs.py)."""
    found = {name: empty_steps(certificate.claim) for name, certificate in stored.certificates().items()}
    assert len(found) > 250
    assert {name: steps for name, steps in found.items() if steps} == {}


def test_the_levels_of_rows_are_known():
    assert list(LEVELS) == ["kernel", "certificate", "steps", "exact", "enclosure", "float", "prose", "none"]
    readme = (ROOT / "README.md").read_text("utf-8")
    listed = [line for line in readme.splitlines() if line.startswith(tuple(f"| {level} | " for level in LEVELS))]
    assert listed == [f"| {level} | {words} |" for level, words in LEVELS.items()]


def test_rows_props_and_theorems_match():
    for module, listed in BY_MODULE.items():
        path = PROOFS / "coq" / "rows" / f"{module}.v"
        stated = read_propositions(module, path.read_text("utf-8")) if path.exists() else {}
        written = re.findall(r"\brow_(\w+?)(?:_holds)? *:", path.read_text("utf-8")) if path.exists() else []
        assert sorted(stated) == sorted({name.replace("_", "-") for name in written})
        assert sorted(stated) == sorted(row.id for row in listed if row.theorems)
    recorded = {name for name in [*theorems(), *computed_theorems()] if name.startswith("rows.")}
    assert {each.theorem for each in propositions().values()} == recorded


def test_a_refuted_row_has_the_negation_of_its_statement():
    for row in rows():
        if (stated := propositions().get(row.id)) is not None:
            assert stated.prop.startswith("~") == (row.expected is ledger.Verdict.REFUTED), row.id


def test_what_refutes_a_statement_about_mechanisms_is_a_mechanism():
    """Weights that are no law could refute it as well, so the Prop asks that they are one."""
    laws = re.compile(r"->\s+dist\b")
    refuted = [each.prop for each in propositions().values() if each.prop.startswith("~") and laws.search(each.prop)]
    assert len(refuted) >= 10
    assert [prop for prop in refuted if "proper" not in prop] == []


def test_a_prop_without_its_theorem_does_not_count():
    text = "Definition row_a_b : Prop :=\n  forall x : R,\n    x = x.\n"
    assert read_propositions("gap", text) == {}
    assert read_propositions("gap", f"{text}Theorem row_a_b_holds : row_a_c.\n") == {}
    found = read_propositions("gap", f"{text}Theorem row_a_b_holds : row_a_b.\nProof. easy. Qed.\n")
    assert found["a-b"].prop == "forall x : R,\n  x = x"


def test_each_prop_is_the_one_that_its_statement_was_compared_with_and_that_coq_accepted():
    assert [row.why_undecided for row in rows() if row.why_undecided] == []


def refused(row):
    """Why a row is undecided, which has no level, axioms or Prop then."""
    outcome = proofs.check(row)
    assert (outcome.verdict, outcome.level, row.level) == (ledger.Verdict.UNDECIDED, "none", "none")
    assert (outcome.axioms, outcome.proposition, outcome.accepted_by) == ((), None, ("python", "proved"))
    return outcome.reason


def test_a_row_without_its_prop_is_undecided(monkeypatch):
    row = proofs.row("complement-preshuffle")
    assert proofs.check(row).level == "kernel"
    monkeypatch.setattr(ledger, "propositions", dict)
    assert "The Prop: none" in refused(row)


def test_a_weaker_prop_is_shown_beside_the_statement(monkeypatch):
    """It is true, so Coq accepts it: what shows it is that the row knows the Prop it was compared with."""
    row, stated = proofs.row("complement-local"), propositions()["complement-local"]
    weaker = replace(stated, prop=stated.prop.replace("delta < 1 ", "delta < 1 / 2 "))
    assert weaker.digest != stated.digest == row.prop
    monkeypatch.setattr(ledger, "propositions", lambda: {row.id: weaker})
    said = refused(row)
    assert said.startswith(f"prop={row.prop!r} is not the digest of the row's Prop, which is {weaker.digest!r}.")
    assert row.statement in said
    assert weaker.prop in said


def test_a_prop_may_be_broken_into_other_lines():
    stated = propositions()["complement-local"]
    assert replace(stated, prop=" ".join(stated.prop.split())).digest == stated.digest


def test_a_proof_that_was_taken_away_since_coq_accepted_it_leaves_its_row_undecided(monkeypatch, tmp_path):
    shutil.copytree(FOLDER, tmp_path / "coq")
    monkeypatch.setattr(development, "FOLDER", tmp_path / "coq")
    row, path = proofs.row("complement-preshuffle"), tmp_path / "coq" / "rows" / "complement.v"
    assert row.why_undecided == ""
    path.write_text(
        re.sub(r"(preshuffle_holds : .*\nProof\.).*?Qed\.", r"\1 Admitted.", path.read_text(), flags=re.DOTALL)
    )
    assert "Admitted." in path.read_text()
    development.changed_source.cache_clear()
    assert refused(row) == (
        "proofs/coq/rows/complement.v is not the file that the record of Coq's kernel speaks of: it is out of date. "
        "`make -C proofs/coq axioms` writes it anew."
    )


def test_a_theorem_that_coq_never_saw_leaves_its_row_undecided(monkeypatch):
    row = proofs.row("complement-preshuffle")
    monkeypatch.setattr(development, "theorems", dict)
    assert refused(row).startswith("rows.complement.row_complement_preshuffle_holds is not in the record of Coq's ker")


def test_a_digest_is_written_into_its_row():
    text = '[[row]]\nid = "a"\nprop = "1"\n\n[[row]]\nid = "b"\nnotes = [1]\n'
    new = recorded(text, "b", "3")
    assert new == text + 'prop = "3"\n'
    assert recorded(new, "a", "2") == new.replace('"1"', '"2"')
    assert recorded(new, "a", "") == new.replace('prop = "1"\n', "")


def test_the_place_of_a_proof_on_paper_is_there():
    """``steps`` names a file of the project and, in quotation marks, words of its docstring."""
    for row in rows():
        if row.steps:
            assert row.claim is not None
            assert row.id not in propositions()
            path = re.search(r"\b(?:proofs|docs|exactdp)/[\w/.]+\.(?:py|md)", row.steps)
            assert path is not None, row.id
            text = " ".join((ROOT / path[0]).read_text("utf-8").split())
            for words in re.findall(r"'([^']+)'", row.steps):
                assert words in text, row.id


def test_kernel_rows_are_many():
    assert len(propositions()) >= 132


@pytest.mark.parametrize("folder", ["proofs", "docs", "exactdp", "README.md", "CHANGELOG.md"])
def test_nothing_points_into_files_that_nobody_has(folder):
    top = ROOT / folder
    suffixes = (".py", ".md", ".v", ".jinja", ".toml")
    files = [top] if top.is_file() else [path for path in top.rglob("*") if path.suffix in suffixes]
    assert [str(path.relative_to(ROOT)) for path in files if NOBODY_HAS.search(path.read_text("utf-8"))] == []


def test_a_line_of_a_file_that_nobody_has_is_found():
    assert NOBODY_HAS.search("as 003:27-32 says")
    assert not NOBODY_HAS.search("0.003: 27 users")
