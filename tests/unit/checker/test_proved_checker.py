"""The checker that is proved correct in Coq: its limits, how it is asked, and that it agrees with Python's."""

from __future__ import annotations

import json
import os
import re
import runpy
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from exactdp.certificates import verify as checker
from exactdp.checker import limits
from exactdp.checker.reading import canonical, sha256
from exactdp.claims import proved_checker
from exactdp.cli.main import cli
from exactdp.errors import ExactDPError
from exactdp.proofs.development import computed_theorems
from tests.certificates import compare_proved, corpus_v4
from tests.certificates.claims import composed, document, lattice, views
from tests.certificates.misspelt import misspelt

ROOT = Path(__file__).resolve().parents[3]
CORPUS = ROOT / "tests" / "certificates"
SOURCES = ROOT / "proofs" / "checker"
needs_program = pytest.mark.skipif(proved_checker.find() is None, reason="make -C proofs/checker has not been run")
needs_posix = pytest.mark.skipif(shutil.which("sh") is None, reason="there is no shell")
SHIFT = CORPUS / "v1" / "correct" / "shift_binomial.json"
ALL_USERS = CORPUS / "v1" / "correct" / "shuffle_eps_all_n.json"
ZSUM = CORPUS / "v1" / "correct" / "additive_zsum.json"
MORE_ANSWERS = corpus_v4.product(corpus_v4.BIT, corpus_v4.MORE_BITS)
AWAY_TOGETHER: dict[str, tuple[list[Any], tuple[tuple[int, int], ...], str]] = {
    "listed": (
        [views(corpus_v4.LISTED, 2, 2), views(corpus_v4.away("listed", "1/3", corpus_v4.TWO_BITS), 5, 1)],
        ((0, 0), (2, 2)),
        "1770135581000711481/36893488147419103232",
    ),
    "hidden by many fair bits": (
        [
            views(corpus_v4.away("hidden", "3/4", corpus_v4.MORE_BITS, dummy="uniform"), 2, 1),
            views(corpus_v4.away("hidden", "2/3", MORE_ANSWERS, dummy=["uniform", "uniform"]), 2, 1),
        ],
        ((0, 2), (0, 0)),
        "2896269717872275383/18446744073709551616",
    ),
}
"""Runs of users who may be away, alone and of a product, the places of tests of them, and what both checkers show."""


def test_the_limits_of_its_reader_are_those_of_the_python_checker() -> None:
    written = runpy.run_path(str(SOURCES / "limits_ml.py"))["written"]()
    assert (SOURCES / "limits.ml").read_text("ascii") == written
    assert f'let max_list = Integer.of_string "{limits.MAX_LIST}"' in written


def test_each_source_is_in_the_project() -> None:
    listed = set((SOURCES / "_CoqProject").read_text("utf-8").split())
    assert {path.name for path in SOURCES.glob("*.v")} == {name for name in listed if name.endswith(".v")} | {
        "extract.v"
    }


def test_nothing_is_admitted() -> None:
    for path in SOURCES.glob("**/*.v"):
        assert not re.search(
            r"\b(Admitted|admit)\.|^\s*(Axiom|Parameter|Conjecture)s? .* :", path.read_text("utf-8"), re.M
        ), path


def test_where_it_is_not_built_the_repair_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(proved_checker.VARIABLE, str(tmp_path / "none"))
    assert proved_checker.find() is None
    ran = CliRunner().invoke(cli, ["verify", "--proved", str(ZSUM)])
    text = str(ran.exception) + ran.output
    assert "make -C proofs/checker" in text
    assert str(tmp_path / "none") in text


def pretend(monkeypatch: pytest.MonkeyPatch, folder: Path, line: str, status: int) -> None:
    """A program that answers this line to everything."""
    program = folder / "program"
    program.write_text(f"#!/bin/sh\necho '{line}'\nexit {status}\n", "ascii")
    program.chmod(0o755)
    monkeypatch.setenv(proved_checker.VARIABLE, str(program))


@needs_posix
def test_an_answer_about_another_claim_is_not_believed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pretend(monkeypatch, tmp_path, "PROVED 0123456789ab another claim [by the theorem check_sound]", 0)
    with pytest.raises(ExactDPError, match="it answered the claim 0123456789ab"):
        proved_checker.answer(str(ZSUM))


@needs_posix
@pytest.mark.parametrize(("line", "status"), [("PROVED, or so it seems", 0), ("", 0), ("something", 9)])
def test_an_answer_that_is_none_is_an_error(
    line: str, status: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pretend(monkeypatch, tmp_path, line, status)
    with pytest.raises(ExactDPError, match="program"):
        proved_checker.answer(str(ZSUM))


@needs_posix
def test_what_it_has_no_program_for_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pretend(monkeypatch, tmp_path, "NOT COVERED some.json: there is no proved program for for_all", 3)
    ran = CliRunner().invoke(cli, ["verify", "--proved", str(ZSUM)])
    assert "NOT COVERED" in ran.output
    assert "no proved program for for_all" in ran.output


@needs_program
def test_it_answers_with_the_claim_and_its_id() -> None:
    answer = proved_checker.answer(str(ZSUM))
    assert (answer.status, answer.verdict) == ("VERIFIED", "PROVED")
    assert answer.claim_id is not None
    assert len(answer.claim_id) == 64
    assert answer.rests_on == ("by the theorem check_sound",)


@needs_posix
def test_a_theorem_is_about_the_claim_that_stands_in_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its text and its verdict are Python's; where Coq stops in them, the term was another claim."""
    (tmp_path / "coqc").write_text(f"#!/bin/sh\ncat {tmp_path}/said >&2\ntest ! -s {tmp_path}/said\n", "ascii")
    (tmp_path / "coqc").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(proved_checker, "search_path", lambda needed: [])
    monkeypatch.setattr(proved_checker, "coq_term", lambda path, form: "Theorem certified.\n" * 9)
    said, target, file = tmp_path / "said", tmp_path / "certified.v", tmp_path / "refuted.json"
    document = json.loads(ZSUM.read_text("ascii"))
    nested = {"kind": "p", "of": [{"sum": [{"sum": ["1", "2"]}, {"product": ["3", {"product": ["4", "5"]}]}, "6"]}]}
    for verdict, claim, holds, text in (
        ("PROVED", document["claim"], "claims.holds stated", canonical(document["claim"])),
        (
            "REFUTED",
            nested,
            "~ claims.holds stated",
            '{"kind":"p","of":[{"sum":["1","2",{"product":["3",{"product":["4","5"]}]},"6"]}]}',
        ),
    ):
        file.write_text(json.dumps(document | {"verdict": verdict, "claim": claim}), "ascii")
        said.write_text("")
        proved_checker.write_theorem(str(file), str(target))
        written = target.read_text("ascii")
        assert f"\nCheck certified : {holds}.\n" in written
        quoted = text.replace('"', '""')
        assert f'\nTheorem written : claim_text.text_of stated = "{quoted}"%string.\n' in written
        for line, fault in ((9, "Coq does not accept it"), (10, f"what it states is not the claim of {file}")):
            said.write_text(f'File "certified.v", line {line}, characters 0-1: Error')
            with pytest.raises(ExactDPError, match=re.escape(f"{target}: {fault}")):
                proved_checker.write_theorem(str(file), str(target))


@pytest.mark.slow
@needs_program
def test_a_certificate_becomes_a_theorem_of_the_kernel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With the four axioms of the development; and not with another claim."""
    try:
        theorem = proved_checker.write_theorem(str(ZSUM), str(tmp_path / "certified.v"))
    except proved_checker.ProvedCheckerMissingError as error:
        pytest.skip(str(error))
    assert sorted(theorem.axioms) == list(computed_theorems()["checked.check_sound"].axioms)
    text = (tmp_path / "certified.v").read_text("ascii")
    monkeypatch.setattr(proved_checker, "coq_term", lambda path, form: text.replace("Qmake (7)%Z", "Qmake (6)%Z"))
    with pytest.raises(ExactDPError, match="Coq does not accept it"):
        proved_checker.write_theorem(str(ZSUM), str(tmp_path / "changed.v"))


WEAKER = {
    "delta is 1": (
        "level l)\n        (rational delta) (least w)",
        'level l)\n        "(Qmake 1 1)" (least w)',
    ),
    "one number of users for all": ('AllFromIt -> "AllFromIt"', 'AllFromIt -> "ThisNumber"'),
}
"""A change of coq_term.ml with which it states a claim that follows from that of the file, and is proved as well."""


@pytest.mark.slow
@needs_program
@pytest.mark.parametrize("name", WEAKER)
def test_a_term_that_is_not_the_claim_of_the_file_is_refused(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    try:
        built = Path(proved_checker.search_path()[-2])
    except proved_checker.ProvedCheckerMissingError as error:
        pytest.skip(str(error))
    old, new = WEAKER[name]
    (programs,) = re.findall("^programs := (.*)$", (SOURCES / "Makefile").read_text("utf-8"), re.MULTILINE)
    sources = [f"{program}.ml" for program in programs.split()]
    for source in sources:
        shutil.copy(built / source, tmp_path)
    text = (SOURCES / "coq_term.ml").read_text("utf-8")
    assert text.count(old) == 1
    (tmp_path / "coq_term.ml").write_text(text.replace(old, new), "utf-8")
    command = ["ocamlfind", "ocamlopt", "-w", "-a", "-package", "zarith,unix", "-linkpkg", *sources, "-o", "program"]
    subprocess.run(command, cwd=tmp_path, check=True)
    monkeypatch.setenv(proved_checker.VARIABLE, str(tmp_path / "program"))
    assert proved_checker.answer(str(ALL_USERS)).status == "VERIFIED"
    with pytest.raises(ExactDPError, match=f"what it states is not the claim of {re.escape(str(ALL_USERS))}"):
        proved_checker.write_theorem(str(ALL_USERS), str(tmp_path / "certified.v"))


@pytest.mark.slow
@needs_program
def test_a_sum_of_sums_is_one_in_the_text_of_its_theorem(tmp_path: Path) -> None:
    p = {"sum": [{"sum": ["1/8", {"product": [{"product": ["1/2", "1/2"]}, "1/2"]}]}, "1/4"]}
    law = {"family": "geometric", "p": p}
    claim = {"kind": "tail", "law": law, "from": "1", "to": "infinity", "bound": "at least", "probability": "1/3"}
    document = {"schema": "exactdp-certificate-2", "claim": claim, "claim_id": sha256(claim), "verdict": "PROVED"}
    file = tmp_path / "nested.json"
    file.write_text(json.dumps(document | {"witness": {"bits": "64"}}), "ascii")
    assert proved_checker.answer(str(file)).status == "VERIFIED"
    try:
        proved_checker.write_theorem(str(file), str(tmp_path / "certified.v"))
    except proved_checker.ProvedCheckerMissingError as error:
        pytest.skip(str(error))


@pytest.mark.slow
@needs_program
def test_the_variant_on_primitive_integers_names_them(tmp_path: Path) -> None:
    """It proves what the program on binary integers accepts, with the axioms that its folder records."""
    try:
        theorem = proved_checker.write_theorem(str(SHIFT), str(tmp_path / "certified.v"), primitive=True)
    except proved_checker.ProvedCheckerMissingError as error:
        pytest.skip(str(error))
    recorded = (SOURCES / "big" / "AXIOMS.expected").read_text("ascii").split()
    assert sorted(theorem.axioms) == recorded
    assert len(theorem.rests_on) == 6
    assert "primitive integers" in theorem.rests_on[-1]


@needs_program
def test_primitive_integers_are_refused_where_there_is_no_program_on_them(tmp_path: Path) -> None:
    try:
        proved_checker.search_path("big/big_program.vo")
    except proved_checker.ProvedCheckerMissingError as error:
        pytest.skip(str(error))
    with pytest.raises(ExactDPError, match="primitive integers"):
        proved_checker.write_theorem(str(ZSUM), str(tmp_path / "certified.v"), primitive=True)


def test_primitive_integers_are_of_use_in_coq_alone() -> None:
    ran = CliRunner().invoke(cli, ["verify", "--primitive-integers", str(ZSUM)])
    assert ran.exit_code == 2
    assert "--kernel" in str(ran.exception) + ran.output


def test_the_axioms_of_the_variant_are_the_four_and_those_of_primitive_integers() -> None:
    own = set((SOURCES / "big" / "AXIOMS.expected").read_text("ascii").split())
    four = set(computed_theorems()["checked.check_sound"].axioms)
    assert len(four) == 4
    assert four < own
    assert all(name.startswith(("PrimInt63.", "Uint63.")) for name in own - four)


ALIKE, OTHER = "PROVED 0123 {} [rests on: arithmetic alone]", "REJECTED 'a.json': the check failed"
PARTED = {
    (OTHER, ALIKE.format("x")): None,
    (ALIKE.format("x"), OTHER): None,
    (ALIKE.format("x"), ALIKE.format("y")): None,
    (ALIKE.format("(1 + 2) + 3"), ALIKE.format("1 + 2 + 3")): compare_proved.FLATTENED,
    ("MALFORMED 'a.json': the check is too large: more than 3 of it", ALIKE.format("x")): compare_proved.LIMITED,
    ("MALFORMED 'a.json': bits is outside its range", ALIKE.format("x")): None,
    (ALIKE.format("x"), "MALFORMED 'a.json': the check is too large: beyond it"): compare_proved.PROVED_LIMITED,
    (ALIKE.format("x"), "MALFORMED 'a.json': bits is outside its range"): None,
    (ALIKE.format("x"), "NOT COVERED 'a.json': there is no program"): compare_proved.UNPROVED,
    (OTHER, "MALFORMED 'a.json': not JSON"): compare_proved.OTHER_FAULT,
}


@pytest.mark.parametrize(("python", "proved"), PARTED)
def test_a_difference_is_explained_by_a_rule_or_a_contradiction(python: str, proved: str) -> None:
    assert compare_proved.rule(python, proved) == PARTED[python, proved]


@needs_program
def test_brackets_are_as_deep_as_in_the_python_checker(tmp_path: Path) -> None:
    """Texts inside the deepest brackets are no deeper than these."""
    files = [str(CORPUS / "v1" / "malformed" / "limit_depth.json")]
    document = json.loads(ZSUM.read_text("ascii"))
    claim = document["claim"]
    for depth in range(20, 34):
        nested = claim
        for _ in range(depth):
            nested = {"kind": "not", "claim": nested}
        files.append(str(tmp_path / f"{depth}.json"))
        Path(files[-1]).write_text(json.dumps(document | {"claim": nested}), "ascii")
    found = compare_proved.compared(files)
    assert not found.contradictions
    lines = [line.partition(": ")[2].startswith("nested deeper") for line in compare_proved.answers(files)]
    assert lines == [checker.report(file)[1].partition(": ")[2].startswith("nested deeper") for file in files]
    assert any(lines[1:])
    assert not all(lines)


@needs_program
def test_bits_that_nothing_reads_are_not_looked_at(tmp_path: Path) -> None:
    """Two listed laws that differ, refuted at an outcome: their probabilities are exact, whatever the bits."""
    document = json.loads((CORPUS / "v2" / "correct" / "equal_laws_bits_of_two_lists.json").read_text("ascii"))
    file = tmp_path / "bits.json"
    file.write_text(json.dumps(document | {"witness": document["witness"] | {"bits": "0"}}), "ascii")
    assert not compare_proved.compared([str(file)]).contradictions


@needs_program
def test_bytes_are_read_as_the_python_checker_reads_them(tmp_path: Path) -> None:
    files = [str(file) for file in misspelt(400, 11, compare_proved.small_certificates(), tmp_path)]
    assert compare_proved.compared(files).contradictions == []


@needs_program
def test_several_files_have_a_process_each(tmp_path: Path) -> None:
    """One that is refused, one that is none, and one after them: their lines in order, the greatest status."""
    files = [str(CORPUS / "v1" / "malformed" / "limit_depth.json"), str(tmp_path), str(ZSUM)]
    words = [compare_proved.word(line) for line in compare_proved.answered(files)]
    assert words == ["MALFORMED", "MALFORMED", "VERIFIED"]


@needs_program
def test_it_agrees_with_the_python_checker_on_the_first_corpus() -> None:
    counts, contradictions = compare_proved.compared(sorted(map(str, CORPUS.glob("v1/*/*.json"))))
    assert not contradictions
    assert counts["VERIFIED", "VERIFIED", compare_proved.ALIKE] > 5
    assert counts["MALFORMED", "MALFORMED", compare_proved.ALIKE] > 5


@needs_program
def test_a_claim_with_one_number_changed_is_not_accepted(tmp_path: Path) -> None:
    text = ZSUM.read_text("ascii")
    assert '"1/8"' in text
    changed = tmp_path / "changed.json"
    changed.write_text(text.replace('"1/8"', '"1/9"', 1), "ascii")
    assert proved_checker.answer(str(changed)).status != "VERIFIED"


@needs_program
def test_what_is_beyond_a_limit_is_malformed_or_of_a_kind_without_a_program() -> None:
    files = sorted(map(str, CORPUS.glob("v*/malformed/limit_*.json")))
    words = {file: compare_proved.word(line) for file, line in zip(files, compare_proved.answers(files), strict=True)}
    assert set(words.values()) <= {"MALFORMED", "NOT COVERED"}
    assert sum(word == "MALFORMED" for word in words.values()) > 50


SWAPS = {
    "swap_table*": (8, 8),
    "swap_k_ary*": (8, 8),
    "swap_unary*": (2, 2),
    "swap_[hlos]*": (9, 15),
    "by_two_messages*": (5, 0),
    "any*": (6, 7),
    "product*": (14, 17),
    "composed_*": (11, 11),
    "counted_*": (7, 9),
    "listed*": (8, 9),
    "hidden_by_an_input*": (4, 6),
    "hidden_by_*bits*": (6, 8),
    "hidden_product*": (4, 5),
    "closed_of_hidden*": (2, 2),
    "classes*": (28, 39),
}
"""Files of the fourth schema, with how many are verified, and rejected, by both at least."""


@needs_program
@pytest.mark.parametrize("files", SWAPS)
def test_it_takes_swaps_products_tests_of_any_randomizer_and_all_counts_of_two_messages(files: str) -> None:
    """A delta less by a hair is rejected by both."""
    counts, contradictions = compare_proved.compared(sorted(map(str, CORPUS.glob(f"v4/*/{files}.json"))))
    assert not contradictions
    assert counts["VERIFIED", "VERIFIED", compare_proved.ALIKE] >= SWAPS[files][0]
    assert counts["REJECTED", "REJECTED", compare_proved.ALIKE] >= SWAPS[files][1]


FUNCTIONS = {"box_[a-k]*": (20, 13), "box_[l-r]*": (17, 18), "box_[s-z]*": (28, 12), "monotone*": (15, 18)}
"""Files of claims with functions of parameters, with how many are verified, and rejected, by both at least."""


@needs_program
@pytest.mark.parametrize("files", FUNCTIONS)
def test_it_takes_every_claim_with_functions_of_parameters(files: str) -> None:
    counts, contradictions = compare_proved.compared(sorted(map(str, CORPUS.glob(f"v3/*/{files}.json"))))
    assert not contradictions
    assert {rule for _, _, rule in counts} == {compare_proved.ALIKE}
    assert counts["VERIFIED", "VERIFIED", compare_proved.ALIKE] >= FUNCTIONS[files][0]
    assert counts["REJECTED", "REJECTED", compare_proved.ALIKE] >= FUNCTIONS[files][1]


@needs_program
def test_it_takes_any_randomizer_in_a_composition(tmp_path: Path) -> None:
    """Proved by a swap at each level, with a slot of one's own and without, and refuted by a test of one of the five;
    of a smaller, or a larger, delta it shows nothing."""
    own = json.loads((CORPUS / "v4" / "correct" / "any_with_an_own_slot.json").read_text("ascii"))
    (plan,) = own["witness"]["swap"]["plans"]
    shared = {key: value for key, value in plan.items() if key != "own_stages"} | {"stages": ["2", "4", "6"]}
    run = {"randomizer": own["claim"]["randomizer"], "n": "8", "neighbors": "replace-one", "times": "2"}
    deltas = [str(int(delta * 2**64)) for delta in (0.5, 0.4, 0.3, 0.25)]
    curves = [
        [{"deltas": deltas, "witness": {"levels": [{"swap": {**own["witness"]["swap"], "plans": [one]}}] * 4}}]
        for one in (plan, shared)
    ]
    proofs = [{"ratio": "5/4", "precision": "64", "curves": curve} for curve in curves]
    score = {"at": "2", "step": "1/16", "bits": "64", "cut": "24", "length": "1024"}
    test = {"ratio": "33/32", "precision": "56", "pairs": [{"likelihood": {"pair": "0", "others": "3", **score}}]}
    cases = [
        *(("PROVED", witness, delta) for witness in proofs for delta in ("9/10", "1/2")),
        ("REFUTED", test, "1/100"),
        ("REFUTED", test, "1/8"),
    ]
    files = [str(tmp_path / f"{place}.json") for place in range(len(cases))]
    for file, (verdict, witness, delta) in zip(files, cases, strict=True):
        claim = {"kind": "composed", "runs": [run], "exp_eps": "2", "delta": delta}
        Path(file).write_text(json.dumps(document(claim, verdict, witness, own["schema"])), "ascii")
    counts, contradictions = compare_proved.compared(files)
    assert not contradictions
    assert counts["VERIFIED", "VERIFIED", compare_proved.ALIKE] == 3
    assert counts["REJECTED", "REJECTED", compare_proved.ALIKE] == 3


@needs_program
@pytest.mark.parametrize("away", [{"absence": "counted"}, {"absence": "hidden", "dummy": "uniform"}])
def test_it_takes_users_who_may_be_away_in_a_composition(tmp_path: Path, away: dict[str, str]) -> None:
    """The curves of users who are all there are above those of users who may be away, by the same blankets."""
    document = json.loads((CORPUS / "v3/correct/composed_of_blankets.json").read_text())
    (run,) = document["claim"]["runs"]
    run["randomizer"] = {"family": "participation", "probability": "9/10", "of": run["randomizer"], **away}
    document |= {"schema": "exactdp-certificate-4", "claim_id": sha256(document["claim"])}
    file = tmp_path / "composed.json"
    file.write_text(json.dumps(document))
    counts, contradictions = compare_proved.compared([str(file)])
    assert not contradictions
    assert counts["VERIFIED", "VERIFIED", compare_proved.ALIKE] == 1


def names_real_messages(file: Path) -> bool:
    """Whether its claim is of the family laplace, whose messages are real numbers."""
    return '"family":"laplace"' in re.sub(r"\s", "", file.read_text("utf-8", "replace"))


@pytest.mark.slow
@needs_program
def test_it_has_a_program_for_all_of_the_corpus_but_real_messages() -> None:
    """What it has none for is the family laplace, and each file of it that is read as far as its claim."""
    files = sorted(CORPUS.glob("v*/*/*.json"))
    lines = compare_proved.answers([str(file) for file in files])
    left = [file for file, line in zip(files, lines, strict=True) if compare_proved.word(line) == "NOT COVERED"]
    assert [file for file in left if not names_real_messages(file)] == []
    correct = [file for file in files if file.parent.name == "correct" and names_real_messages(file)]
    assert [file for file in left if file.parent.name == "correct"] == correct
    assert len(correct) == 18


@needs_program
@pytest.mark.parametrize("who", AWAY_TOGETHER)
@pytest.mark.parametrize(("share", "status"), [(Fraction(999999, 10**6), "VERIFIED"), (Fraction(1), "REJECTED")])
def test_users_who_may_be_away_refute_a_composition_as_they_do_for_the_python_checker(
    share: Fraction, status: str, who: str, tmp_path: Path
) -> None:
    """In runs of two randomizers, and of a product: both checkers show the same bound."""
    runs, places, bound = AWAY_TOGETHER[who]
    tests = [corpus_v4.likelihood(*where, "5/4", "1/16", None) for where in places]
    claim = composed(*runs, exp_eps="3/2", delta=str(Fraction(bound) * share))
    file = tmp_path / "away.json"
    shown = lattice("33/32", 64, pairs=tests)
    file.write_text(json.dumps(document(claim, "REFUTED", shown, corpus_v4.SCHEMA)), "ascii")
    assert compare_proved.word(checker.report(str(file))[1]) == status
    assert proved_checker.answer(str(file)).status == status
