"""The proved checker beside the Python one, in the same run. Run: python -m pytest benchmarks --benchmark-only -n 0

It needs the program of ``make -C proofs/checker``, or the one that EXACTDP_PROVED_CHECKER names; in Coq also its
compiled proofs. Timed is the whole run of the program on a file, its start included, against the Python checker in
this process; the targets are for the processor's time, which other work on the machine does not lengthen.
Delta is within a millionth of the least one, so that the verdict is not easy.
"""

import json
from fractions import Fraction
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from time import process_time

import pytest

import exactdp as xdp
from exactdp.certificates import verify as checker
from exactdp.claims import proved_checker
from exactdp.proofs import rows
from exactdp.proofs.ledger import accepted_by_proof

MARGIN = Fraction(1, 10**6)
CORPUS = Path(__file__).resolve().parent.parent / "tests" / "certificates"

pytestmark = pytest.mark.skipif(proved_checker.find() is None, reason="the proved checker is not built here")

FILES = [
    ("v3/correct/blanket_hadamard.json", 2),
    ("v3/correct/blanket_k_ary_many_users.json", 2),
    ("v3/correct/likelihood_a_billion_users.json", 2),
]
"""Certificates of the corpus, and the target in seconds."""


def exactly(n):
    """A certificate for binomial noise whose every outcome is listed."""
    law = xdp.Binomial(n, "1/2")
    delta = Fraction(xdp.shift_profile(law).delta(exp_eps="21/20")) * (1 + MARGIN)
    document = json.loads(made(law, exp_eps="21/20", delta=delta.limit_denominator(10**12)))
    return json.dumps(document | {"witness": {}})


def enclosed(n):
    """A certificate for binomial noise whose outcomes are walked with rounding."""
    law = xdp.Binomial(n, "1/2")
    return made(law, eps="1/1000", delta=xdp.shift_profile(law).delta(eps="1/1000").hi * (1 + MARGIN))


def made(law, **level):
    """The certificate of a shift of 1."""
    return xdp.certify(xdp.Claim.shift_dp(law, **level)).to_json()


def spent_by_programs():
    """The processor's time that the programs have taken which this process has started, in seconds."""
    return getrusage(RUSAGE_CHILDREN).ru_utime


def compared(benchmark, path, target):
    """Time the proved checker on a file that both verify, and note what the Python checker takes."""
    began = process_time()
    status, line = checker.report(str(path))
    benchmark.extra_info["python_seconds"] = round(process_time() - began, 3)
    assert status == 0, line
    before = spent_by_programs()
    answer = benchmark.pedantic(proved_checker.answer, args=(str(path),), rounds=5, iterations=1)
    spent = (spent_by_programs() - before) / 5
    benchmark.extra_info["proved_seconds"] = round(spent, 3)
    assert answer.status == "VERIFIED", answer.reason
    assert line.startswith(f"{answer.verdict} {answer.claim_id[:12]}")
    assert spent < target


@pytest.mark.parametrize(("certificate", "n", "target"), [(exactly, 10**4, 0.3), (enclosed, 10**9, 1)])
def test_shift_of_binomial_noise(benchmark, tmp_path, certificate, n, target):
    """Targets: exactly 0.3 s at n = 10^4, by enclosure 1 s at 10^9."""
    path = tmp_path / "certificate.json"
    path.write_text(certificate(n), "ascii")
    compared(benchmark, path, target)


def test_a_composition(benchmark, tmp_path):
    """Target: ten runs of noise of a thousand trials in 1 s."""
    path = tmp_path / "certificate.json"
    claim = xdp.Claim.composed((xdp.Binomial(1000, "1/2"), 10), eps=1, delta="1.8e-8")
    path.write_text(xdp.certify(claim).to_json(), "ascii")
    compared(benchmark, path, 1)


@pytest.mark.parametrize(("file", "target"), FILES)
def test_certificates_of_the_corpus(benchmark, file, target):
    """Target: amplification at a million users and more in 2 s."""
    compared(benchmark, CORPUS / file, target)


def test_all_rows_of_the_ledger(benchmark, tmp_path):
    """Target: every row that the proved checker accepts, in 10 s together."""
    known = accepted_by_proof()
    paths = []
    for row in rows():
        if row.id in known:
            paths.append(tmp_path / f"{row.id}.json")
            paths[-1].write_text(xdp.certify(row.claim()).to_json(), "ascii")
    began = process_time()
    assert {checker.report(str(path))[0] for path in paths} == {0}
    benchmark.extra_info["python_seconds"] = round(process_time() - began, 3)
    before = spent_by_programs()
    answers = benchmark.pedantic(lambda: list(proved_checker.answers(map(str, paths))), rounds=1, iterations=1)
    assert {answer.status for answer in answers} == {"VERIFIED"}
    spent = spent_by_programs() - before
    benchmark.extra_info["proved_seconds"] = round(spent, 3)
    assert spent < 10


@pytest.mark.parametrize(("n", "primitive", "rounds", "target"), [(1000, False, 3, 3), (10**4, True, 1, 20)])
def test_inside_coq(benchmark, tmp_path, n, primitive, rounds, target):
    """Targets, of Coq's own time, for noise whose every outcome is compared, as a theorem of the kernel: a thousand
    trials in 3 s, and 10^4 in 20 s on primitive integers. What its axioms take to be printed is part of it."""
    path = tmp_path / "certificate.json"
    path.write_text(exactly(n), "ascii")
    began = process_time()
    assert checker.report(str(path))[0] == 0
    benchmark.extra_info["python_seconds"] = round(process_time() - began, 3)
    before = spent_by_programs()
    try:
        theorem = benchmark.pedantic(
            proved_checker.write_theorem,
            args=(str(path), str(tmp_path / "certified.v")),
            kwargs={"primitive": primitive},
            rounds=rounds,
            iterations=1,
        )
    except proved_checker.ProvedCheckerMissingError as missing:
        pytest.skip(str(missing))
    spent = (spent_by_programs() - before) / rounds
    benchmark.extra_info["coq_seconds"] = round(spent, 2)
    assert theorem.axioms
    assert spent < target
