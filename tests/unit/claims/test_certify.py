"""The prover: what it decides is true, and the checker accepts it."""

import json
import os
import pickle
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import (
    Binomial,
    Certificate,
    Claim,
    LogRational,
    Neighbors,
    Randomizer,
    ShuffleProtocol,
    Verdict,
    certify,
    verify,
)
from exactdp.certificates import verify as checker
from exactdp.claims.certify import check
from exactdp.claims.claim import Condition
from exactdp.errors import (
    CertificateRejectedError,
    InvalidValueError,
    MalformedCertificateError,
    NotCheckableError,
    TooLargeError,
)
from exactdp.laws import DiscreteLaplace
from exactdp.numbers.real import Real
from exactdp.protocols.separating_protocols import gap
from tests.certificates import corpus_v1
from tests.expensive import one_in
from tests.thinned import thinned
from tests.together import together
from tests.unit.checker import oracle
from tests.unit.checker.test_truth import noises, views

FLIP = Randomizer({0: {(0,): "3/4", (1,): "1/4"}, 1: {(0,): "1/4", (1,): "3/4"}})
PAIR = ShuffleProtocol(FLIP, 2)
TRUE = Claim.shuffle_dp(PAIR, exp_eps=2, delta="3/16", least="delta")
FALSE = Claim.shuffle_dp(PAIR, exp_eps=2, delta="1/8")
OPEN = Claim.inequality(["x"], hypotheses=[], conclusion={(2,): 1, (1,): -2, (0,): "10000000001/10000000000"})


def decided(claim: Claim) -> Certificate:
    """Certify; whatever is decided must be checkable, and agree with the oracle."""
    certificate = certify(claim)
    assert certificate.level == "certificate"
    assert verify(certificate) is certificate.verdict
    values = [oracle.number(v) for v in json.loads(certificate.witness or "{}").get("point", [])]
    assert oracle.agrees(claim.data, certificate.verdict.value, values)
    return certificate


# --- Completeness ---------------------------------------------------------------------------------------------------

DELTAS = ["0", "1/100", "1/8", "1/4", "1/2", "9/10", "1"]


@one_in(2)
@given(views(), st.sampled_from(["1", "3/2", "2", "5"]), st.sampled_from(DELTAS), st.sampled_from(["none", "delta"]))
def test_every_level_of_a_protocol_is_decided(view: Any, exp_eps: str, delta: str, least: str) -> None:
    base = {"kind": "shuffle_dp", **view, "scope": "this n", "exp_eps": exp_eps, "least": least}
    certificate = decided(Claim.from_data({**base, "delta": delta}))
    if certificate.verdict is Verdict.REFUTED and "smaller" in (certificate.witness or ""):
        smaller = json.loads(certificate.witness or "")["smaller"]
        assert decided(Claim.from_data({**base, "delta": smaller})).verdict is Verdict.PROVED


@one_in(2)
@given(views(), st.sampled_from(DELTAS))
def test_the_least_exp_eps_is_decided(view: Any, delta: str) -> None:
    randomizer = Randomizer(
        {x: {tuple(map(int, o["send"])): o["prob"] for o in row} for x, row in enumerate(view["randomizer"]["rows"])}
    )
    protocol = ShuffleProtocol(randomizer, int(view["n"]))
    needed = protocol.privacy_profile(neighbors=Neighbors(view["neighbors"])).epsilon(delta)
    base = {"kind": "shuffle_dp", **view, "scope": "this n", "delta": delta, "least": "exp_eps"}
    if needed.is_infinite:
        assert decided(Claim.from_data({**base, "exp_eps": "1000"})).verdict is Verdict.REFUTED
        return
    assert decided(Claim.from_data({**base, "exp_eps": str(needed.argument)})).verdict is Verdict.PROVED
    more = Claim.from_data({**base, "exp_eps": str(needed.argument + Fraction(1, 3))})
    assert json.loads(decided(more).witness or "") == {"smaller": str(needed.argument)}


@one_in(2)
@given(
    views(), st.sampled_from(["1/10", "1", "3"]), st.sampled_from(DELTAS), st.sampled_from(["this n", "all n from n"])
)
def test_a_rational_eps_is_decided(view: Any, eps: str, delta: str, scope: str) -> None:
    decided(
        Claim.from_data({"kind": "shuffle_dp", **view, "scope": scope, "eps": eps, "delta": delta, "least": "none"})
    )


@one_in(3)
@given(views(), st.sampled_from(DELTAS[1:]))
def test_never_dp_is_decided(view: Any, delta: str) -> None:
    decided(Claim.from_data({"kind": "never_dp", **view, "delta_below": delta}))


@one_in(2)
@given(
    noises(),
    st.integers(1, 3),
    st.sampled_from(["1", "3/2", "4"]),
    st.sampled_from(DELTAS),
    st.sampled_from(["none", "delta", "exp_eps"]),
)
def test_every_level_of_shifted_noise_is_decided(law: Any, reach: int, exp_eps: str, delta: str, least: str) -> None:
    claim = {"kind": "shift_dp", "law": law, "shift": str(reach), "exp_eps": exp_eps, "delta": delta, "least": least}
    decided(Claim.from_data(claim))


@together("name", [n for n in corpus_v1.CORRECT if n != "shuffle_no_messages"])
def test_the_prover_decides_the_corpus_as_it_stands(name: str) -> None:
    claim, verdict, _ = corpus_v1.CORRECT[name]
    assert decided(Claim.from_data(claim)).verdict.value == verdict


# --- Each kind ------------------------------------------------------------------------------------------------------


def test_the_least_exp_eps_for_all_n_has_an_outcome_that_shows_it() -> None:
    certificate = certify(Claim.shuffle_dp(gap(4), exp_eps="8/5", delta=0, all_n_from=4, least="exp_eps"))
    assert certificate.verdict is Verdict.PROVED
    witness = json.loads(certificate.witness or "")
    assert witness["differing"] == ["1", "0"]
    assert witness["outcome"] in (["4", "0"], ["0", "4"])


def test_a_least_exp_eps_that_falls_with_n_is_not_proved_for_all_n() -> None:
    certificate = certify(Claim.shuffle_dp(gap(3), exp_eps="125/64", delta=0, all_n_from=3, least="exp_eps"))
    assert (certificate.verdict, certificate.level) == (Verdict.UNDECIDED, "none")
    assert certificate.reason == (
        "The e^eps is the least at this n, but no outcome was found that proves it for every larger n."
    )


def test_a_gap_of_1e_minus_300_is_decided() -> None:
    """H_{e^eps} of one user is (3 - e^eps)/4: delta on either side of it."""
    one = ShuffleProtocol(FLIP, 1)
    for side, verdict in ((1, Verdict.PROVED), (-1, Verdict.REFUTED)):
        exact = (3 - _exp_half(400)) / 4 + side * Fraction(1, 10**300)
        delta = Fraction(round(exact * 10**320), 10**320)
        certificate = certify(Claim.shuffle_dp(one, eps="1/2", delta=delta))
        assert (certificate.verdict, certificate.level) == (verdict, "certificate")


def _exp_half(terms: int) -> Fraction:
    total, term = Fraction(0), Fraction(1)
    for k in range(1, terms):
        total, term = total + term, term / (2 * k)
    return total


def test_a_log_rational_eps_is_decided_at_equality() -> None:
    assert certify(Claim.shuffle_dp(PAIR, eps=LogRational(2), delta="3/16")).verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("hypotheses", "conclusion", "verdict"),
    [
        ([{(1,): 1}, {(0,): 1, (1,): -1}], {(1,): 1, (2,): -1}, Verdict.PROVED),
        ([Condition({(1,): 1}, strict=True)], Condition({(0,): 1, (2,): 2}, strict=True), Verdict.PROVED),
        ([Condition({(1,): 1}, strict=True)], Condition({(1,): 1, (2,): 1}, strict=True), Verdict.PROVED),
        ([{(1,): 1}], Condition({(1,): 1}, strict=True), Verdict.REFUTED),
        ([{(1,): 1}], {(1,): 1, (2,): -1}, Verdict.REFUTED),
        ([{(1,): 1000}], {(1,): "1/1000"}, Verdict.PROVED),
        ([{(1,): 1}, {(1,): 1, (2,): 1}], Condition({(0,): "1/999", (1,): 2, (2,): 1}, strict=True), Verdict.PROVED),
    ],
)
def test_inequalities(hypotheses: Any, conclusion: Any, verdict: Verdict) -> None:
    assert decided(Claim.inequality(["x"], hypotheses=hypotheses, conclusion=conclusion)).verdict is verdict


def test_what_no_search_finds_is_undecided() -> None:
    """(x - 1)^2 + 10^-10 is positive, but no sum of products of no hypotheses, and no grid point is against it."""
    certificate = certify(OPEN)
    assert (certificate.verdict, certificate.level) == (Verdict.UNDECIDED, "none")
    assert certificate.reason == (
        "No combination of products of the hypotheses of low degree was found, and no counterexample."
    )


def test_conjunctions_and_negations() -> None:
    not_false = Claim.negation(FALSE)
    assert decided(Claim.conjunction(TRUE, not_false)).verdict is Verdict.PROVED
    refuted = decided(Claim.conjunction(TRUE, OPEN, FALSE))
    assert refuted.verdict is Verdict.REFUTED
    assert refuted.reason == "Part 2: the pair [2, 0] against [1, 1] has delta 3/16." or refuted.reason == (
        "Part 2: the pair [0, 2] against [1, 1] has delta 3/16."
    )
    assert certify(Claim.conjunction(TRUE, OPEN)).reason.startswith("Part 1: No combination")
    assert certify(Claim.negation(OPEN)).verdict is Verdict.UNDECIDED
    assert decided(Claim.negation(Claim.conjunction(TRUE, not_false))).verdict is Verdict.REFUTED


def test_an_executor_changes_nothing() -> None:
    claim = Claim.conjunction(
        TRUE, Claim.negation(FALSE), *(Claim.shuffle_dp(gap(n), exp_eps=3, delta=0) for n in (2, 3))
    )
    with ThreadPoolExecutor(2) as executor:
        assert certify(claim, executor=executor) == certify(claim)


THREE_WAY = Randomizer(
    {
        0: {(0,): "1/2", (1,): "1/3", (2,): "1/6"},
        1: {(0,): "1/7", (1,): "2/7", (2,): "4/7"},
        2: {(0,): "4/7", (1,): "2/7", (2,): "1/7"},
    }
)


@pytest.fixture(scope="module")
def processes() -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(2) as two:
        yield two


@pytest.mark.parametrize("users", thinned([1, 2, 9], every=2))
@pytest.mark.parametrize("delta", ["1/1000", "3/10"])
@pytest.mark.parametrize("table", [THREE_WAY, gap(2).randomizer])
def test_pairs_in_other_processes_change_nothing(
    table: Randomizer, users: int, delta: str, processes: ProcessPoolExecutor
) -> None:
    """Not even which of equal pairs is named: the second table has a symmetry, so there are some."""
    for claim in (
        Claim.shuffle_dp(ShuffleProtocol(table, users), exp_eps="3/2", delta=delta),
        Claim.shuffle_dp(ShuffleProtocol(table, users), eps="1/3", delta=delta),
        Claim.never_dp(ShuffleProtocol(table, users), delta_below=delta),
        Claim.shuffle_dp(ShuffleProtocol(table, users), exp_eps=2, delta=0, neighbors=Neighbors.ADD_OR_REMOVE_ONE),
    ):
        assert certify(claim, executor=processes) == certify(claim)


# --- Levels and limits ----------------------------------------------------------------------------------------------


def test_what_is_beyond_the_checker_is_an_enclosure_without_a_certificate() -> None:
    certificate = certify(Claim.shift_dp(Binomial(10**19, "1/2"), exp_eps=2, delta="1/100"))
    assert (certificate.verdict, certificate.level) == (Verdict.PROVED, "enclosure")
    assert certificate.reason.endswith(
        "The checker cannot confirm it: the n of the law is 10000000000000000000, outside 0 to 1000000000000000000."
    )
    with pytest.raises(NotCheckableError, match="at level='enclosure', which the checker cannot confirm"):
        certificate.to_json()


def test_a_ratio_that_is_exactly_enough_is_pure() -> None:
    """e^eps against the second power of the ratio: equal, or of another kind, which only the engine compares."""
    e_to_a_fifth = DiscreteLaplace(Real.exp("1/5"))
    for law, level, verdict, written in (
        (e_to_a_fifth, {"eps": "2/5"}, Verdict.PROVED, "certificate"),
        (e_to_a_fifth, {"eps": "399/1000"}, Verdict.REFUTED, "certificate"),
        (e_to_a_fifth, {"exp_eps": "1492/1000"}, Verdict.PROVED, "enclosure"),
        (e_to_a_fifth, {"exp_eps": "1491/1000"}, Verdict.REFUTED, "certificate"),
        (DiscreteLaplace("3/2"), {"exp_eps": "9/4"}, Verdict.PROVED, "certificate"),
    ):
        certificate = certify(Claim.shift_dp(law, shift=2, delta=0, **level))
        assert (certificate.verdict, certificate.level) == (verdict, written), certificate.reason


def test_what_is_beyond_the_engine_is_refused_before_it_starts() -> None:
    silent = {x: {(m,): Fraction(1 + (x == m), 8) for m in range(6)} | {(): Fraction(1, 8)} for x in range(6)}
    claim = Claim.shuffle_dp(
        ShuffleProtocol(Randomizer(silent), 1000), exp_eps=2, delta=0, neighbors=Neighbors.ADD_OR_REMOVE_ONE
    )
    with pytest.raises(TooLargeError, match="the limit is"):
        certify(claim)


MANY = ShuffleProtocol(
    Randomizer({x: {(m,): Fraction(1 + (x == m) * (x + 1), 6 + x + 1) for m in range(6)} for x in range(6)}), 1000
)
"""Beyond every exact engine: delta is known between two ends that differ."""


@pytest.mark.slow
def test_beyond_the_exact_engines_the_two_ends_decide() -> None:
    ends = MANY.privacy_profile().bracket(exp_eps="11/10")
    middle = (ends.lower.hi + ends.upper.lo) / 2
    assert ends.lower.hi < middle < ends.upper.lo
    for delta, verdict, level in (
        (ends.upper.hi, Verdict.PROVED, "enclosure"),  # too close for a lattice
        (ends.upper.hi * Fraction(101, 100), Verdict.PROVED, "certificate"),
        (ends.lower.lo * Fraction(99, 100), Verdict.REFUTED, "certificate"),
        (middle, Verdict.UNDECIDED, "none"),
    ):
        claim = Claim.shuffle_dp(MANY, exp_eps="11/10", delta=delta)
        certificate = certify(claim)
        assert (certificate.verdict, certificate.level) == (verdict, level), certificate.reason
    for_all_n = certify(Claim.shuffle_dp(MANY, exp_eps="11/10", delta=2 * ends.upper.hi, all_n_from=1000))
    assert (for_all_n.verdict, for_all_n.level) == (Verdict.PROVED, "certificate")
    assert for_all_n.reason.endswith("Adding a user is post-processing.")


def test_two_ends_decide_what_is_least_only_where_they_can() -> None:
    ends = MANY.privacy_profile().bracket(exp_eps="11/10")
    for least in ("delta", "exp_eps"):
        for delta, verdict in (
            (2 * ends.upper.hi, Verdict.REFUTED),  # less is enough
            (ends.lower.lo / 2, Verdict.REFUTED),  # it is not enough
            ((ends.lower.hi + ends.upper.lo) / 2, Verdict.UNDECIDED),
        ):
            assert certify(Claim.shuffle_dp(MANY, exp_eps="11/10", delta=delta, least=least)).verdict is verdict
    zero = Claim.shuffle_dp(MANY, exp_eps=20, delta=0, least="delta")
    assert certify(zero).verdict is Verdict.PROVED


def test_two_ends_decide_whether_outcomes_betray_a_data_set() -> None:
    assert certify(Claim.never_dp(MANY, delta_below="1/100")).verdict is Verdict.REFUTED
    own = {x: {(x,): "1/3", (6,): "1/2", (7,): "1/6"} for x in range(6)}
    telling = ShuffleProtocol(Randomizer(own), 1000)
    assert certify(Claim.never_dp(telling, delta_below="333/1000")).verdict is Verdict.PROVED
    assert certify(Claim.never_dp(telling, delta_below="1/2")).verdict is Verdict.REFUTED


def test_a_verdict_is_no_truth_value() -> None:
    with pytest.raises(InvalidValueError) as caught:
        bool(Verdict.PROVED)
    assert str(caught.value) == "a verdict is not a truth value. Compare it: verdict is Verdict.PROVED."


# --- Certificates and files -----------------------------------------------------------------------------------------


def test_certificates_are_values() -> None:
    certificate = certify(TRUE)
    assert pickle.loads(pickle.dumps(certificate)) == certificate
    assert hash(certificate) == hash(certify(TRUE))
    assert len(certificate.to_json()) < 10_000


def test_a_saved_certificate_is_loaded_and_verified(tmp_path: Path) -> None:
    path = tmp_path / "claim.json"
    certify(FALSE).save(path)
    certificate = certify(TRUE)
    certificate.save(path)
    assert [p.name for p in tmp_path.iterdir()] == ["claim.json"]
    loaded = Certificate.load(path)
    assert (loaded.claim, loaded.verdict, loaded.witness) == (TRUE, Verdict.PROVED, certificate.witness)
    assert loaded.to_json() == certificate.to_json()
    assert verify(path) is verify(str(path)) is verify(loaded) is Verdict.PROVED
    assert check(path).words == check(loaded).words
    assert not os.stat(path).st_mode & 0o111


def test_the_bare_checker_accepts_what_is_saved(tmp_path: Path) -> None:
    path = tmp_path / "claim.json"
    certify(TRUE).save(path)
    done = subprocess.run(
        [sys.executable, "-I", "-S", checker.__file__, str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert done.stdout.startswith(f"PROVED {TRUE.digest()[:12]} ")


def test_a_file_is_read_again_when_it_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "claim.json"
    certify(TRUE).save(path)
    assert verify(path) is Verdict.PROVED
    path.write_text(path.read_text().replace("3/16", "1/16"))
    with pytest.raises(CertificateRejectedError) as caught:
        verify(path)
    assert str(caught.value) == f"{path}: claim_id is not the sha256 of the claim."


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "claim.json"
    for action in (verify, Certificate.load):
        with pytest.raises(MalformedCertificateError) as caught:
            action(path)
        assert str(caught.value) == f"{path}: cannot be read: No such file or directory."
    path.write_text(certify(TRUE).to_json().replace("certificate-2", "certificate-9"))
    with pytest.raises(MalformedCertificateError) as caught:
        Certificate.load(path)
    assert str(caught.value) == f"{path} is no certificate of the schemas exactdp-certificate-1 to 4."
    with pytest.raises(InvalidValueError) as wrong:
        verify(3)  # type: ignore[arg-type]
    assert str(wrong.value) == "certificate is a int. Pass a Certificate or a path."


def test_an_altered_certificate_is_rejected() -> None:
    certificate = certify(TRUE)
    altered = Certificate(FALSE, certificate.verdict, certificate.level, "", "{}")
    with pytest.raises(CertificateRejectedError, match=r"the divergence exceeds delta = 1/8"):
        verify(altered)


def test_a_killed_writer_leaves_the_old_file_whole(tmp_path: Path) -> None:
    """The process dies between writing and renaming: the file keeps its old content."""
    path = tmp_path / "claim.json"
    certify(TRUE).save(path)
    old = path.read_bytes()
    code = """
        import os, signal, sys
        from exactdp import Claim, ShuffleProtocol, certify
        from exactdp.protocols.separating_protocols import gap
        os.fsync = lambda descriptor: os.kill(os.getpid(), signal.SIGKILL)
        certify(Claim.shuffle_dp(gap(2), exp_eps=3, delta=0)).save(sys.argv[1])
    """
    root = Path(checker.__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code), str(path)], cwd=root, check=False)
    assert done.returncode < 0
    assert path.read_bytes() == old


def test_a_failing_write_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        certify(TRUE).save(tmp_path / "claim.json")
    assert list(tmp_path.iterdir()) == []
