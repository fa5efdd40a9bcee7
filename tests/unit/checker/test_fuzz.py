"""Mutated certificates: a sample of what ``python -m tests.certificates.fuzz`` tries by the hundred thousand."""

import json
import random
import shutil
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from exactdp.certificates import verify as checker
from exactdp.checker import documents
from tests.certificates import falsified, fuzz, mutations
from tests.certificates.claims import PROVED, REFUTED, document, shuffle
from tests.certificates.compare import second_answers

SEED = 2
"""At which two hundred mutants are of every way."""


@pytest.fixture(scope="module", params=[200, pytest.param(600, marks=pytest.mark.slow)])
def report(request: pytest.FixtureRequest) -> fuzz.Report:
    """Enough mutants for each way to come up, at this seed."""
    return fuzz.fuzz(request.param, seed=SEED)


def test_no_mutant_is_verified_unless_its_claim_is_true(report: fuzz.Report) -> None:
    assert report.reached("VERIFIED AND FALSE") == 0, report.bad[:3]


def test_the_checker_refuses_whatever_it_does_not_verify(report: fuzz.Report) -> None:
    assert report.reached("FAILED OTHERWISE") == 0, report.bad[:3]


def test_no_mutant_is_verified_unless_the_format_allows_it(report: fuzz.Report) -> None:
    assert report.reached("VERIFIED, NOT OF THE FORMAT") == 0, report.bad[:3]


def test_most_mutants_reach_the_arithmetic(report: fuzz.Report) -> None:
    mutants = sum(report.counts.values())
    verified = report.reached("arithmetic, verified and true")
    assert mutants in (200, 600)
    assert report.reached("arithmetic, rejected") + verified >= mutants // 2
    assert verified >= mutants // 20
    assert report.reached("arithmetic, rejected") >= mutants // 10
    assert {name for name, _ in report.counts} == set(mutations.MUTATIONS)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [mutations.SMALL, mutations.SWAPS], ids=["blankets and tests", "swaps"])
def test_checks_of_few_users(seeds: list[Any]) -> None:
    """Half of the mutants change a number of these checks or of what they are about."""
    report = fuzz.fuzz(500, seed=1, seeds=seeds)
    assert not report.bad, report.bad[:3]
    assert report.reached("arithmetic, verified and true") >= 125
    assert report.reached("arithmetic, rejected") >= 125


def test_what_only_a_slip_lets_pass_is_not_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is verified as soon as the slip is made."""
    made = list(islice(falsified.falsified(random.Random(3)), 0, 200, 8))
    files = [tmp_path / f"{place}.json" for place in range(len(made))]
    for file, (_, _, certificate) in zip(files, made, strict=True):
        file.write_text(json.dumps(certificate))
        assert checker.report(str(file))[0] == 1
    assert len({name for name, _, _ in made}) >= 10
    if shutil.which("node"):
        answers = zip(second_answers(files), made, strict=True)
        assert {answer for answer, (_, is_clear, _) in answers if is_clear} == {"REJECTED"}
    for file, (name, _, _) in zip(files, made, strict=True):
        with monkeypatch.context() as patch:
            falsified.ALL_SLIPS[name](patch)
            assert documents.report(str(file))[0] == 0, name


def test_the_same_seed_gives_the_same_mutants(report: fuzz.Report) -> None:
    again = fuzz.fuzz(40, seed=SEED)
    assert all(report.counts[key] >= count for key, count in again.counts.items())
    assert again.counts == fuzz.fuzz(40, seed=SEED).counts


def test_the_referee_sees_what_a_bad_checker_lets_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a checker that verifies everything, the oracle alone decides."""
    monkeypatch.setattr(checker, "verify_text", lambda text: None)
    file = tmp_path / "mutant.json"
    true, false = document(shuffle(), PROVED, {}), document(shuffle(delta="1/8"), PROVED, {})
    assert fuzz.reached(true, file) == "arithmetic, verified and true"
    assert fuzz.reached(false, file) == "VERIFIED AND FALSE"
    assert fuzz.reached(document(shuffle(), REFUTED, {}), file) == "VERIFIED AND FALSE"
    for wrong in (
        {**true, "claim_id": "0" * 64},
        document(shuffle(delta="6/32"), PROVED, {}),
        document(shuffle(n="02"), PROVED, {}),
        document(shuffle(), PROVED, {"terms": "1_0"}),
        document(
            {"kind": "conjunction", "claims": [shuffle()], "assuming": ["markov"]},
            PROVED,
            {},
            true["schema"][:-1] + "1",
        ),
    ):
        assert fuzz.reached(wrong, file) == "VERIFIED, NOT OF THE FORMAT", wrong


def test_the_command_prints_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    fuzz.main(["--mutants", "50", "--seed", "7"])
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].split() == ["schema", "limits", "seal", "rejected", "true", "FALSE", "FORM", "FAILED"]
    assert [line[:28].strip() for line in printed[1 : len(mutations.MUTATIONS) + 2]] == [*mutations.MUTATIONS, "all"]
    assert sum(map(int, printed[len(mutations.MUTATIONS) + 1][28:].split())) == 50
