"""Rows of the ledger that the proved checker computes inside Coq: their claims are the certificates', and no others."""

from __future__ import annotations

import re
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from exactdp import Binomial, BinomialSum, Claim, Poisson, Randomizer, ShuffleProtocol, Verdict, certify, proofs
from exactdp.claims import proved_checker
from exactdp.cli.main import cli
from exactdp.errors import ExactDPError
from exactdp.proofs import binomial_smoothness_printed, development, small_sizes
from exactdp.proofs.clone_bounds import clones
from exactdp.proofs.development import CHECKER, computed_theorems, propositions
from exactdp.proofs.ledger import accepted_by_proof
from exactdp.proofs.row_files import rows_of
from exactdp.proofs.stored import certificate_of
from exactdp.protocols.user_classes_protocol import UserClassesProtocol
from exactdp.randomizers import KAryResponse, any_randomizer
from exactdp.symbolic import SymbolicRandomizer, randomized_response, zsum_randomizer

SOURCES = sorted((CHECKER / "rows").glob("computed_*.v"))
CLAIMED = re.compile(r"^Definition claimed_(\w+) : claim", re.M)
STATED = {row: stated for row, stated in propositions().items() if stated.is_computed}


def built() -> bool:
    """Whether the checker is compiled on this machine."""
    try:
        proved_checker.search_path()
    except ExactDPError:
        return False
    return proved_checker.find() is not None


def needs_checker(test):
    """Mark a test in which Coq computes on top of the compiled checker."""
    reason = "the proved checker is not compiled (make -C proofs/checker)"
    return pytest.mark.slow(pytest.mark.skipif(not built(), reason=reason)(test))


def test_each_file_states_rows_of_its_module_that_are_claims():
    for path in SOURCES:
        text = path.read_text("utf-8")
        listed = {row.id: row for row in rows_of(path.stem.removeprefix("computed_"))}
        written = {name.replace("_", "-") for name in re.findall(r"^Definition row_(\w+) : Prop", text, re.M)}
        claimed = {name.replace("_", "-") for name in CLAIMED.findall(text)}
        assert claimed <= written <= listed.keys()
        assert claimed
        for name in written:
            assert STATED[name].theorem.startswith(f"rows.{path.stem}.")
            assert not listed[name].steps
            assert not listed[name].theorems
    assert sorted(computed_theorems()) == sorted(
        ["checked.check_sound", "claim_file.checked_file_sound", *(each.theorem for each in STATED.values())]
    )


def test_computed_rows_are_accepted_and_explained():
    assert STATED.keys() <= accepted_by_proof()
    words = (CHECKER.parent / "coq" / "STATEMENTS.md").read_text("utf-8").partition("# Rows that are computed")[2]
    assert sorted(re.findall(r"^\| ([a-z0-9-]+[0-9a-z]) \| The same", words, re.M)) == sorted(STATED)


def test_a_computed_row_has_the_level_kernel():
    outcome = proofs.check(proofs.row("laplace-accuracy-experiment"))
    assert (outcome.level, outcome.accepted_by) == ("kernel", ("python", "proved", "kernel"))
    assert len(outcome.axioms) == 4
    assert "some_off 1000 (1 / 20000)" in outcome.proposition.prop
    assert computed_theorems()[outcome.proposition.theorem].source == "proofs/checker/rows/computed_noise_definitions.v"


def test_without_the_compiled_checker_the_repair_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("EXACTDP_CHECKER_BUILD", str(tmp_path))
    (tmp_path / "coqc").write_text("#!/bin/sh\n")
    (tmp_path / "coqc").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(development, "missing_programs", tuple)
    ran = CliRunner().invoke(cli, ["prove", "--kernel", "laplace-accuracy-experiment"])
    assert ran.exit_code == 2
    assert "the proofs of the checker are not compiled here. Build it in a checkout with `make -C" in ran.stderr


# --- Coq ------------------------------------------------------------------------------------------------------------


SHARED = "by_computation.v"
"""What each file of rows requires."""


@pytest.fixture(scope="module")
def shared(tmp_path_factory) -> Path:
    """A folder with that file, compiled."""
    folder = tmp_path_factory.mktemp("rows")
    assert compiled(folder, SHARED, (CHECKER / "rows" / SHARED).read_text("utf-8"), folder) == ""
    return folder


def compiled(folder: Path, source: str, text: str, shared: Path) -> str:
    """What Coq says of a file of rows with this text; "" if it accepts it."""
    (folder / source).write_text(text)
    command = ["coqc", "-q", "-w", "none", *proved_checker.search_path(), "-Q", str(shared), "ExactdpComputed", source]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900, check=False)
    return " ".join(done.stderr.split()) if done.returncode else ""


@needs_checker
def test_coq_computes_rows_again():
    assert development.compute([STATED["laplace-accuracy-experiment"].theorem]) == ""


def without_computations(text: str) -> str:
    """The file without its computations, for what it defines; nothing is believed of it."""
    computation = "vm_cast_no_check (eq_refl true)."
    *proofs, rest = text.split("Qed.")
    ends = ["Admitted." if computation in proof else "Qed." for proof in proofs]
    return "".join(map(str.__add__, proofs, ends)).replace(computation, "admit.") + rest


@needs_checker
@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_the_claims_are_those_of_the_certificates(path, tmp_path, shared):
    ids = [name.replace("_", "-") for name in CLAIMED.findall(path.read_text("utf-8"))]
    lines = ["From ExactdpChecker Require Import claims witnesses."]
    for row in ids:
        certificate = certificate_of(proofs.row(row))
        assert certificate.claim == proofs.row(row).claim()
        (tmp_path / f"{row}.json").write_text(certificate.to_json())
        term = proved_checker.coq_term(str(tmp_path / f"{row}.json"))
        stated = re.search(r"Definition stated : claim :=\n  (.*?)\.\n", term, re.DOTALL)[1]
        lines.append(f"Goal claimed_{row.replace('-', '_')} = ({stated}). Proof. vm_compute. reflexivity. Qed.")
    text = without_computations(path.read_text("utf-8"))
    assert compiled(tmp_path, path.name, f"{text}\nOpen Scope Q_scope.\n" + "\n".join(lines), shared) == ""


def smooth(law, k: int, exp_eps: Fraction, delta: Fraction) -> Claim:
    return Claim.smooth(law, k=k, exp_eps=exp_eps, delta=delta)


def private(protocol: ShuffleProtocol, exp_eps: str) -> Claim:
    return Claim.shuffle_dp(protocol, exp_eps=exp_eps, delta="1e-6")


def variation_ratio_pair(k: int, exp_eps0: Fraction, users: int) -> UserClassesProtocol:
    """The pair of the reduction, and the others, who all send the same whatever they hold."""
    rare = 1 / (exp_eps0 + k - 1)
    likely, rest = exp_eps0 * rare, 1 - rare - exp_eps0 * rare
    differs = [{(0,): likely, (1,): rare, (2,): rest}, {(0,): rare, (1,): likely, (2,): rest}]
    others = [{(0,): rare, (1,): rare, (2,): 1 - 2 * rare}] * 2
    tables = [Randomizer(dict(enumerate(rows))) for rows in (differs, others)]
    return UserClassesProtocol(list(zip(tables, (1, users - 1), strict=True)))


def changed(functions: tuple[str, ...], old: str, new: str, place: int) -> tuple[str, ...]:
    """The functions with another number in one of them."""
    assert functions[place].count(old) == 1
    return (*functions[:place], functions[place].replace(old, new), *functions[place + 1 :])


def ternary(functions: tuple[str, ...], n: int, least: str | None) -> Claim:
    return small_sizes._claim(small_sizes.response(3, "p", {"p": (1, 8)}), n, functions, least=least)


def gap(box, n: int, delta: str, exp_eps: str) -> Claim:
    return small_sizes._claim(SymbolicRandomizer(small_sizes.gap_weights("q", "s"), box), n, delta, exp_eps=exp_eps)


CHANGES = {
    "a delta of Lemma 3 one unit less": (
        "computed_binomial_smoothness_printed",
        "claimed_lemma3_instances_holds",
        "14773523377532026117%Z, [1; 4]",
        "14773523377532026116%Z, [1; 4]",
        lambda: binomial_smoothness_printed._delta_is_next_to(
            20, Fraction(1, 2), Fraction(9, 10), Fraction(14773523377532026116, 2**64)
        )[1],
    ),
    "a reach that is one further": (
        "computed_binomial_smoothness_printed",
        "claimed_lemma3_furthest_reach_holds",
        "1 # 2, 1 # 2, 43%Z)",
        "1 # 2, 1 # 2, 44%Z)",
        lambda: smooth(Binomial(100, "1/2"), 44, Fraction(3), Fraction(8466383993240527707, 2**64)),
    ),
    "a probability that is too small": (
        "computed_noise_definitions",
        "claimed_laplace_accuracy_experiment_holds",
        "(2439 # 50000)",
        "(4876 # 100000)",
        lambda: Claim.tail(Binomial(1000, "1/20000"), low=1, at_most=Fraction(4876, 100000)),
    ),
    "a delta of 3-ary response that is a bit less for some e^eps0": (
        "computed_small_sizes",
        "ratio_computed",
        "[-3 # 1; -2 # 1; -1 # 1; 2]",
        "[-4 # 1; -2 # 1; -1 # 1; 2]",
        lambda: ternary(small_sizes.over_denominator(3, changed(small_sizes.EXACT[3], "- 3", "- 4", 2)), 3, "delta"),
    ),
    "a delta of zsum that is a bit less for some gamma": (
        "computed_small_sizes",
        "zsum_computed",
        "[0; 2; -5 # 2]",
        "[0; 2; -3 # 1]",
        lambda: small_sizes._claim(
            zsum_randomizer(gamma=(0, 1)), 2, changed(small_sizes.ZSUM[2], "5*gamma", "6*gamma", 1)
        ),
    ),
    "a delta of a flipped bit that is a bit less": (
        "computed_small_sizes",
        "complement_computed",
        "[-3 # 2; 5 # 2]",
        "[-2 # 1; 5 # 2]",
        lambda: small_sizes._claim(
            small_sizes._flips("p", {"p": (0, 1)}), 1, changed(small_sizes.ONE_FLIP, "- 3", "- 4", 1)
        ),
    ),
    "a delta of one user of R^gap that is too small": (
        "computed_small_sizes",
        "gap_one_user_computed",
        "LeastDelta (1%Z, [of_q_s [0%nat] [(1, ",
        "LeastDelta (1%Z, [of_q_s [0%nat] [(1 # 2, ",
        lambda: gap({"q": (0, 1), "s": (0, 1), "E": (1, 1000)}, 1, "q/2", "E"),
    ),
    "a delta of two users of R^gap that is too small": (
        "computed_small_sizes",
        "gap_two_users_computed",
        "(-1 # 1, [0; 2; 1]%nat)]]).",
        "(-2 # 1, [0; 2; 1]%nat)]]).",
        lambda: gap(
            {"q": ("1/10", "1/2"), "s": ("1/10", "1/4"), "u": (0, "1/100")},
            2,
            "u*s*(1 - 2*s)",
            f"{small_sizes._RATIO} - u",
        ),
    ),
    "a delta of R^gap that is a bit less for some q": (
        "computed_small_sizes",
        "gap_computed",
        "[-2 # 25; 16 # 25]",
        "[-3 # 25; 16 # 25]",
        lambda: small_sizes._claim(
            SymbolicRandomizer(small_sizes.gap_weights("q", "1/5"), {"q": (0, 1)}),
            2,
            ("0", "(16*q - 3)/25", small_sizes.GAP[2][2]),
        ),
    ),
    "a bound from clones that is too small": (
        "computed_small_sizes",
        "clones_computed",
        "[3; -8 # 1; 4]",
        "[-8 # 1; -8 # 1; 4]",
        lambda: small_sizes._claim(
            small_sizes.response(2, "p", {"p": (1, 8)}), 2, ("0", "(4*p^2 - 8*p - 8)/(4*p*(p + 1))"), least=None
        ),
    ),
    "a bound from the stronger clones that is a bit less for some e^eps0": (
        "computed_small_sizes",
        "stronger_computed",
        "map (over [2; 4; 2]) [[0; -3 # 1; 2]]",
        "map (over [2; 4; 2]) [[0; -4 # 1; 2]]",
        lambda: small_sizes._claim(
            small_sizes.response(2, "p", {"p": (1, 8)}),
            2,
            changed(small_sizes.STRONGER[2], "- 3", "- 4", 1),
            least=None,
        ),
    ),
    "a bound from the stronger clones at every e^eps that is too small": (
        "computed_small_sizes",
        "beyond_computed",
        "(1%Z, [Quotient [(1, [0; 1]%nat)]",
        "(1%Z, [Quotient [(1 # 2, [0; 1]%nat)]",
        lambda: small_sizes._claim(
            small_sizes.response(2, "E + v", {"E": (1, 1000), "v": (0, 1000)}),
            1,
            "v/(2*(E + v + 1))",
            exp_eps="E",
            least=None,
        ),
    ),
    "a blanket bound that is a bit less": (
        "computed_small_sizes",
        "blanket_computed",
        "map (over [4; 2]) [[-3 # 1; 2]]",
        "map (over [4; 2]) [[-4 # 1; 2]]",
        lambda: ternary(("0", "(2*p - 4)/(2*(p + 2))"), 1, None),
    ),
    "a delta of 3-ary response that is a bit less for some gamma": (
        "computed_small_sizes",
        "ternary_computed",
        "[1; -3 # 2; 1 # 3]",
        "[1; -2 # 1; 1 # 3]",
        lambda: small_sizes._claim(
            randomized_response(3, gamma=(0, 1)), 2, changed(small_sizes.TERNARY[2], "9*gamma", "12*gamma", 0)
        ),
    ),
    "a delta of binary response that is a bit less for some gamma": (
        "computed_small_sizes",
        "binary_computed",
        "[1; -7 # 4; 5 # 8]",
        "[1; -7 # 4; 1 # 2]",
        lambda: small_sizes._claim(randomized_response(2, gamma=(0, 1)), 2, ("(4 - 7*gamma + 2*gamma^2)/4", "0")),
    ),
    "an error that is 1 larger": (
        "computed_local_model",
        "tails_computed",
        "(1000000, 1423)]%Z.\n\nDefinition claimed",
        "(1000000, 1424)]%Z.\n\nDefinition claimed",
        lambda: Claim.tail(BinomialSum(501_424, "3/4", 498_576, "1/4"), high=499_999, at_least=Fraction(1, 20)),
    ),
    "an e^eps that is too small for the pair": (
        "computed_published_bounds",
        "responses_computed",
        "instance 4 (7389 # 1000) 1000 1.4206;",
        "instance 4 (7389 # 1000) 1000 1.4000;",
        lambda: Claim.shuffle_dp(variation_ratio_pair(4, Fraction(7389, 1000), 1000), exp_eps="1.4", delta="1e-6"),
    ),
    "an e^eps that is enough for the protocol": (
        "computed_published_bounds",
        "responses_computed",
        "instance 4 (7389 # 1000) 1000 1.4206;",
        "instance 4 (7389 # 1000) 1000 1.4216;",
        lambda: Claim.negation(
            Claim.shuffle_dp(
                ShuffleProtocol(KAryResponse(4, exp_eps0="7389/1000"), 1000), exp_eps="1.4216", delta="1e-6"
            )
        ),
    ),
    "an e^eps that is 1/100 less": (
        "computed_smooth_laws",
        "claimed_smooth_laws_per_unit_holds",
        "[179; 186; 201; 245]",
        "[178; 186; 201; 245]",
        lambda: smooth(Poisson(25), 1, Fraction(178, 100), Fraction(1, 100)),
    ),
    "an e^eps that is not enough for every randomizer": (
        "computed_clone_bounds",
        "claimed_stronger_clones_not_optimal_holds",
        "1087 # 1000",
        "10857 # 10000",
        lambda: private(ShuffleProtocol(any_randomizer(exp_eps0=2), 1000), "1.0857"),
    ),
    "an e^eps that is enough for every randomizer": (
        "computed_clone_bounds",
        "claimed_stronger_clones_not_optimal_holds",
        "1085 # 1000, 1087",
        "1087 # 1000, 1087",
        lambda: Claim.negation(private(ShuffleProtocol(any_randomizer(exp_eps0=2), 1000), "1.087")),
    ),
    "an e^eps that is enough for the clones": (
        "computed_clone_bounds",
        "clones_computed",
        "1097654 # 1000000",
        "1098000 # 1000000",
        lambda: Claim.negation(private(clones(1000, Fraction(2)), "1.098")),
    ),
}
"""What is changed -> file, the lemma that computes it, old and new text, and a claim of the row that is then false."""


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_constant_is_false(name):
    file, _, old, _, claim = CHANGES[name]
    assert old in (CHECKER / "rows" / f"{file}.v").read_text("utf-8")
    assert certify(claim()).verdict is Verdict.REFUTED


@needs_checker
@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_constant_has_no_proof(name, tmp_path, shared):
    file, lemma, old, new, _ = CHANGES[name]
    text = (CHECKER / "rows" / f"{file}.v").read_text("utf-8").replace(old, new)
    begins = re.search(rf"^Lemma {lemma}\b", text, re.MULTILINE).start()
    last = text[begins : text.index("Qed.", begins)] + "Qed.\n"
    said = compiled(tmp_path, f"{file}.v", without_computations(text[:begins]) + last, shared)
    assert re.search(r"has type|Unable to unify|No matching|Cannot", said)
    assert "Syntax error" not in said
