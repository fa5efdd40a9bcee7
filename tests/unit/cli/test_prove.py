"""``prove``: what a terminal shows of the ledger, which rows are meant, and what Coq is asked."""

import dataclasses
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import exactdp
from exactdp import proofs
from exactdp.certificates.certificate import Verdict
from exactdp.cli import ledger_text
from exactdp.cli.commands import prove
from exactdp.cli.main import cli
from exactdp.proofs import ledger, page, rebuilding
from exactdp.proofs.development import Proposition

PROP = "forall n : nat, (2 <= n)%nat ->\n  exact_epsilon n complement_randomizer 0"


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, ["prove", *args])


def answer(*args: str) -> Any:
    result = run(*args, "--format", "json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.fixture
def kernel_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """One row that Coq states, whatever rows/ holds."""
    stated = {"complement-view": Proposition("complement.complement_view", PROP)}
    monkeypatch.setattr(ledger, "propositions", lambda: stated)


# --- Lines ----------------------------------------------------------------------------------------------------------


def test_a_row_is_a_line_and_the_summary_is_last(kernel_row: None) -> None:
    result = run("--topic", "complement")
    assert result.exit_code == 0
    rows, summary = result.stdout.split("\n\n")
    assert [line.split()[:3] for line in rows.splitlines()] == [
        ["PROVED", "kernel", "complement-view"],
        ["PROVED", "certificate", "complement-local"],
        ["PROVED", "certificate", "complement-preshuffle"],
    ]
    assert all(re.search(r" [0-9]+\.[0-9]{3} s$", line) for line in rows.splitlines())
    assert len({len(line) for line in rows.splitlines()}) == 1
    assert summary.startswith("3 of 3 verdicts are as recorded.\nLevels: ")
    assert "1 row is a theorem of the Coq development; not re-checked here" in summary
    assert "Coq development" not in run("lemma3-instances").stdout


def test_the_whole_ledger_fits_a_terminal_of_80_columns() -> None:
    """By names alone: nothing is run."""
    widest = max(len(row.id) for row in proofs.rows())
    assert 9 + 2 + 11 + 2 + widest + 2 + 8 <= 80


@pytest.mark.parametrize("how", ["another verdict", "an error"])
def test_a_proof_that_fails_comes_first(how: str, kernel_row: None, monkeypatch: pytest.MonkeyPatch) -> None:
    check = proofs.check

    def broken(row: proofs.ProofRow) -> proofs.Outcome:
        if row.id != "complement-view":
            return check(row)
        if how == "an error":
            raise RuntimeError("it broke")
        return dataclasses.replace(check(row), verdict=Verdict.REFUTED, reason="")

    monkeypatch.setattr(proofs, "check", broken)
    result = run("--topic", "complement")
    said = "UNDECIDED" if how == "an error" else "REFUTED"
    assert result.exit_code == 1
    (error,) = [line for line in result.stderr.splitlines() if not line.endswith(" ...")]
    assert error.startswith(f"error: proof complement-view is {said}, but recorded as PROVED")
    first, second, *_ = result.stdout.splitlines()
    assert first.split()[0] == said
    assert "complement-view" in first
    assert second == "    recorded as PROVED" + (": RuntimeError: it broke" if how == "an error" else ".")
    assert "2 of 3 verdicts are as recorded." in result.stdout


def test_the_list_runs_nothing() -> None:
    data = answer("--list")
    assert [entry["id"] for entry in data] == [row.id for row in proofs.rows()]
    assert {entry["verdict"] for entry in data} == {None}
    said = run("--list").stdout
    assert "`exactdp prove` runs them." in said
    assert set(said.split()) >= {row.id for row in proofs.rows()}


# --- Paragraphs -----------------------------------------------------------------------------------------------------


def test_show_says_what_a_row_states_and_what_it_rests_on(kernel_row: None) -> None:
    said = run("--show", "complement-view").stdout
    row = proofs.row("complement-view")
    paragraphs = [" ".join(part.split()) for part in said.split("\n\n")]
    assert paragraphs[:3] == ["complement-view: PROVED, level kernel", row.statement, f"for: {row.domain}"]
    assert f"source: {row.source}" in paragraphs
    assert any(part.startswith("kernel: complement.complement_view") and "axioms: " in part for part in paragraphs)
    assert any(part.startswith("the certificate rests on: ") for part in paragraphs)
    assert said.index("what Coq's kernel accepts:\n    forall n : nat, (2 <= n)%nat ->\n      exact_epsilon n ") > 0


@pytest.mark.parametrize("other", ["--list", "--format json", "--format html"])
def test_show_is_text_about_what_is_run(other: str) -> None:
    refused = run("--show", "complement-view", *other.split())
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.startswith(f"error: --show with {other}: ")


words = st.text(st.characters(whitelist_categories=("L", "N", "P", "S")), min_size=1, max_size=40)


@given(st.lists(words, min_size=1, max_size=30), st.integers(1, 120), st.booleans())
def test_no_word_is_cut_at_any_width(listed: list[str], width: int, is_code: bool) -> None:
    text = " ".join(listed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ledger_text, "_width", lambda: width)
        lines = (ledger_text._wrapped_code if is_code else ledger_text._wrapped)(text)
    assert [word for line in lines for word in line.split()] == text.split()
    assert all(len(line) <= width or len(line.split()) == 1 for line in lines)


@pytest.mark.parametrize("width", [8, 30, 60, 71, 80])
def test_no_word_of_a_row_is_cut_in_a_narrow_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_text, "_width", lambda: width)
    narrow = [run(*args).stdout for args in (("--topic", "complement"), ("--show", "complement-view"))]
    monkeypatch.setattr(ledger_text, "_width", lambda: 400)
    wide = [run(*args).stdout for args in (("--topic", "complement"), ("--show", "complement-view"))]
    for few, many in zip(narrow, wide, strict=True):
        assert _untimed(few.split()) == _untimed(many.split())
        assert all(len(line) <= width or len(line.split()) == 1 for line in few.splitlines())


def _untimed(words: Iterable[str]) -> list[str]:
    return [word for word in words if not re.fullmatch(r"[0-9]+\.[0-9]{3}", word)]


# --- Which rows -----------------------------------------------------------------------------------------------------


def test_ids_take_globs() -> None:
    known = [row.id for row in proofs.rows()]
    assert [entry["id"] for entry in answer("--list", "gap-*")] == [name for name in known if name.startswith("gap-")]
    both = [entry["id"] for entry in answer("--list", "gap-all-?", "lemma3")]
    assert both == [name for name in known if name in ("gap-all-n", "lemma3")]


@pytest.mark.parametrize("old", proofs.RENAMED)
def test_a_renamed_row_answers_to_its_old_id(old: str) -> None:
    new, known = proofs.RENAMED[old], {row.id for row in proofs.rows()}
    line = f"{old} is now {new}; the old id goes away with exactdp 0.4."
    assert (new in known, old in known) == (True, False)
    for pattern in (old, f"[{old[0]}]{old[1:]}"):
        result = run("--list", pattern, "--format", "json")
        assert ([entry["id"] for entry in json.loads(result.stdout)], result.stderr) == ([new], f"{line}\n")
    assert run("--list", old, new).stderr == ""
    with pytest.warns(FutureWarning, match=re.escape(line)):
        assert proofs.row(old).id == new


def test_a_renamed_row_is_shown_under_its_new_id() -> None:
    shown = run("--show", "variation-ratio-every-size")
    assert shown.stdout.startswith("variation-ratio-two-users: PROVED, level kernel\n")
    assert shown.stderr.startswith("variation-ratio-every-size is now variation-ratio-two-users; ")
    assert run("--list", "variation-ratio-*").stderr == ""


def test_old_ids_go_away() -> None:
    assert tuple(map(int, exactdp.__version__.split(".")[:2])) < (0, 4) or not proofs.RENAMED


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("gap-all", "there is no proof 'gap-all'. Did you mean gap-"),
        ("no-*-such", "there is no proof 'no-*-such'. `exactdp prove --list` names all "),
        ("9" * 900, "there is no proof '9999999999999999999999999999999999999999...(900 characters)'. `exactdp "),
    ],
)
def test_an_unknown_id_suggests_the_nearest(typed: str, said: str) -> None:
    refused = run(typed)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert len(refused.stderr) < 200
    assert refused.stderr.startswith(f"error: {said}")


# --- Coq ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("broken", ["", "the development does not compile: Error: no."])
def test_coq_is_asked_for_what_the_row_needs(broken: str, kernel_row: None, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []

    def rebuild(names: Iterable[str], watch: rebuilding.Watch) -> str:
        asked.append(tuple(names))
        watch(1, 3, "sums.v")
        return broken

    monkeypatch.setattr(rebuilding, "missing_programs", tuple)
    monkeypatch.setattr(rebuilding, "rebuild", rebuild)
    result = run("complement-view", "--kernel")
    assert result.exit_code == (1 if broken else 0)
    assert asked == [("complement.complement_view", *proofs.row("complement-view").theorems)]
    assert "Coq: file 1 of 3 (sums.v)" in result.stderr
    assert ("what they need was compiled here" in result.stdout) is not bool(broken)
    assert (f"error: kernel: {broken}" in result.stderr) is bool(broken)


def test_coq_is_not_asked_where_no_theorem_is_behind_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebuilding, "missing_programs", tuple)
    (name,) = [row.id for row in proofs.rows() if row.claim is None][:1]
    refused = run(name, "--kernel")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr == (
        f"error: --kernel: no theorem of the Coq development is behind {name}. Leave out --kernel.\n"
    )


def test_a_rebuild_without_coq_is_refused(kernel_row: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebuilding, "missing_programs", lambda: ("coqc",))
    result = run("--kernel")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "error: --kernel: coqc is not on this machine. Install Coq with Coquelicot (Debian: coq libcoq-coquelicot "
        "make), or leave out --kernel: the kernel rows are then not re-checked here.\n"
    )
    result = run("--kernel", "--list")
    assert result.stderr == "error: --list with --kernel: nothing is run. Leave out one of them.\n"
    said = " ".join(run("complement-view").stdout.split())
    assert "not re-checked here: that takes Coq, which this machine lacks, and `exactdp prove --kernel`." in said


def test_json_says_what_coq_proves_and_that_it_was_not_rechecked(kernel_row: None) -> None:
    kernel, certificate = answer("complement-view", "complement-local")
    assert (kernel["level"], kernel["kernel"]["proposition"]) == ("kernel", PROP)
    assert kernel["kernel"]["theorems"] == list(proofs.row("complement-view").theorems)
    assert "ClassicalDedekindReals.sig_forall_dec" in kernel["kernel"]["axioms"]
    assert kernel["kernel"]["rechecked"] is False
    assert (certificate["level"], certificate["kernel"]) == ("certificate", None)


# --- The stored pages -----------------------------------------------------------------------------------------------


@pytest.fixture
def checkout(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A checkout whose ledger has the rows of one topic."""
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "proofs").mkdir()
    monkeypatch.setattr(proofs, "__file__", str(tmp_path / "proofs" / "__init__.py"))
    monkeypatch.setattr(
        prove, "chosen_rows", lambda ids, topic: [row for row in proofs.rows() if row.topic == "complement"]
    )
    return tmp_path


def test_the_stored_pages_are_written_anew(checkout: Path) -> None:
    result = run("--update-ledger")
    assert result.exit_code == 0
    outcomes = [proofs.check(row) for row in proofs.rows() if row.topic == "complement"]
    assert (checkout / "proofs" / "LEDGER.md").read_text("utf-8") == page.markdown_page(outcomes)
    assert (checkout / "proofs" / "NOTES.md").read_text("utf-8") == page.notes_page(outcomes)


def test_a_verdict_that_is_not_recorded_changes_no_page(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = dataclasses.replace(proofs.row("complement-view"), expected=Verdict.REFUTED)
    monkeypatch.setattr(prove, "outcomes_of", lambda rows, workers: [proofs.check(wrong)])
    assert run("--update-ledger").exit_code == 1
    assert list((checkout / "proofs").iterdir()) == []


def test_an_update_is_refused_where_it_has_no_meaning(checkout: Path) -> None:
    for arguments in (["gap-view"], ["--topic", "complement"], ["--list"]):
        refused = run("--update-ledger", *arguments)
        assert refused.exit_code == 2
        assert "the pages have all rows. Leave out IDS, --topic and --list." in refused.stderr
    (checkout / "pyproject.toml").unlink()
    refused = run("--update-ledger")
    assert refused.exit_code == 2
    assert "is installed, and has no sources to change. Run it in a checkout" in refused.stderr
