"""``prove``: what a terminal shows of the ledger, which rows are meant, and what Coq is asked."""

import dataclasses
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import exactdp
from exactdp import proofs
from exactdp.claims import checks, kinds
from exactdp.claims.certificate import Verdict
from exactdp.cli import ledger_rows
from exactdp.cli.commands import prove
from exactdp.cli.main import cli
from exactdp.proofs import development, ledger, page, stored
from exactdp.proofs.development import propositions
from tests.expensive import one_in


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, ["prove", *args])


def answer(*args: str) -> Any:
    result = run(*args, "--format", "json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


# --- Lines ----------------------------------------------------------------------------------------------------------


def test_a_row_is_a_line_and_the_summary_is_last() -> None:
    result = run("complement-view", "gap-curve")
    assert result.exit_code == 0
    rows, summary = result.stdout.split("\n\n")
    assert [line.split()[:3] for line in rows.splitlines()] == [
        ["PROVED", "kernel", "complement-view"],
        ["PROVED", "certificate", "gap-curve"],
    ]
    assert all(re.search(r" [0-9]+\.[0-9]{3} s$", line) for line in rows.splitlines())
    assert len({len(line) for line in rows.splitlines()}) == 1
    assert summary.startswith("2 of 2 verdicts are as recorded.\nLevels: 1 kernel, 1 certificate.\n")
    assert "1 row is a theorem of the Coq development; not re-checked here" in summary
    prose = next(row.id for row in proofs.rows() if row.claim is None)
    assert "Coq development" not in run(prose).stdout


def test_the_whole_ledger_fits_a_terminal_of_80_columns() -> None:
    """By names alone: nothing is run."""
    widest = max(len(row.id) for row in proofs.rows())
    assert 9 + 2 + 11 + 2 + widest + 2 + 8 <= 80


def test_a_proof_that_fails_is_named_again_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome_of = ledger.outcome_of

    def broken(row: proofs.ProofRow, *said: Any) -> proofs.Outcome:
        outcome = outcome_of(row, *said)
        wrong = row.id == "complement-view"
        return dataclasses.replace(outcome, verdict=Verdict.REFUTED, reason="") if wrong else outcome

    monkeypatch.setattr(ledger, "outcome_of", broken)
    result = run("--topic", "complement")
    assert (result.exit_code, result.stderr) == (
        1,
        "error: proof complement-view is REFUTED, but recorded as PROVED\n",
    )
    first, second, *_ = result.stdout.splitlines()
    assert (first.split()[0], first.split()[2]) == ("REFUTED", "complement-view")
    assert second == "    recorded as PROVED."
    assert "2 of 3 verdicts are as recorded." in result.stdout


def test_a_proof_that_breaks_hides_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    check = ledger.check_from_scratch

    def broken(row: proofs.ProofRow) -> proofs.Outcome:
        if row.id == "complement-view":
            raise RuntimeError("it broke")
        return check(row)

    monkeypatch.setattr(proofs, "check_from_scratch", broken)
    result = run("--topic", "complement", "--from-scratch", "--jobs", "1")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: proof complement-view is UNDECIDED, but recorded as PROVED: RuntimeError: ")
    assert result.stdout.splitlines()[1] == "    recorded as PROVED: RuntimeError: it broke"
    assert "2 of 3 verdicts are as recorded." in result.stdout


# --- Stored certificates --------------------------------------------------------------------------------------------


def test_verdicts_are_printed_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    written = list[str]()
    monkeypatch.setattr(prove, "write_out", lambda lines, output: written.extend(lines))
    outcome_of = ledger.outcome_of

    def decided(row: proofs.ProofRow, *said: Any) -> proofs.Outcome:
        seen.append(len(written))
        return outcome_of(row, *said)

    seen = list[int]()
    monkeypatch.setattr(ledger, "outcome_of", decided)
    assert run("--topic", "complement").exit_code == 0
    assert seen == [0, 1, 2]


def test_no_engine_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither for a verdict nor to compare the claim; from scratch it is."""

    def asked(*_: object) -> NoReturn:
        raise AssertionError("an engine was asked")

    for kind in (getattr(kinds, name) for name in kinds.__all__):
        monkeypatch.setattr(kind, "decide", asked)
    assert run("small-zsum", "gap-perfect-printed").exit_code == 0
    assert "AssertionError: an engine was asked" in run("gap-local", "--from-scratch", "--jobs", "1").stdout


def test_processes_say_what_one_process_says(monkeypatch: pytest.MonkeyPatch) -> None:
    ids = ["small-binary-response", "gap-perfect-printed", "lemma2-instances", "dp-ratio-printed"]
    alone = answer(*ids, "--jobs", "1")
    monkeypatch.setattr(checks, "_ALONE", 0)
    together = answer(*ids, "--jobs", "2")
    assert [entry | {"seconds": ""} for entry in together] == [entry | {"seconds": ""} for entry in alone]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing", "row complement-view: certificates.json.gz holds no certificate of it."),
        ("foreign", "certificates.json.gz holds a certificate of 'no-such-row', which is no row with a claim."),
        ("another's", "row complement-view: certificates.json.gz holds a certificate of another claim, "),
    ],
)
def test_a_missing_or_foreign_certificate_is_an_error(name: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    held = dict(stored.certificates())
    if name == "missing":
        del held["complement-view"]
    elif name == "foreign":
        held["no-such-row"] = held["complement-view"]
    else:
        held["complement-view"] = held["complement-local"]
    monkeypatch.setattr(stored, "certificates", lambda: held)
    result = run()
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"error: {said}")
    assert "`exactdp prove --update-ledger`" in " ".join(result.stderr.split())


def test_a_certificate_that_is_not_verified_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    held, name = dict(stored.certificates()), "small-binary-response"
    for verdict, witness in ((Verdict.PROVED, '{"parts":[]}'), (Verdict.REFUTED, held[name].witness)):
        held[name] = dataclasses.replace(held[name], verdict=verdict, witness=witness)
        monkeypatch.setattr(stored, "certificates", lambda: held)
        result = run(name)
        assert result.exit_code == 1
        assert result.stdout.startswith("UNDECIDED  none ")
        assert "the checker does not verify the stored certificate: " in " ".join(result.stdout.split())


def test_a_row_that_states_another_claim_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The claim is stated wherever rows are named; of the whole ledger tests state them."""
    row = proofs.row("complement-view")
    other = dataclasses.replace(row, claim=proofs.row("complement-local").claim)
    monkeypatch.setattr(prove, "chosen_rows", lambda ids, topic: [other])
    result = run("complement-view")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: row complement-view: it states the claim ")


def test_from_scratch_compares_what_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("--topic", "complement", "--from-scratch", "--jobs", "1").exit_code == 0
    held = dict(stored.certificates())
    held["complement-view"] = dataclasses.replace(held["complement-view"], reason="another")
    monkeypatch.setattr(stored, "certificates", lambda: held)
    result = run("complement-view", "--from-scratch")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: proof complement-view: its certificate, made anew, is not the stored one. ")
    other = dataclasses.replace(proofs.row("complement-view"), claim_id="0")
    monkeypatch.setattr(proofs, "row", lambda name: other)
    said = run("complement-view", "--from-scratch", "--jobs", "1").stderr
    assert "it states the claim " in said
    assert "claim_id='0'" in said
    refused = run("complement-view", "--from-scratch", "--list")
    assert refused.stderr == "error: --list with --from-scratch: nothing is run. Leave out one of them.\n"


def test_the_list_runs_nothing() -> None:
    data = answer("--list")
    assert [entry["id"] for entry in data] == [row.id for row in proofs.rows()]
    assert {entry["verdict"] for entry in data} == {None}
    said = run("--list").stdout
    assert "each with its recorded verdict; `exactdp prove` runs them." in " ".join(said.split())
    assert set(said.split()) >= {row.id for row in proofs.rows()}


def test_the_list_says_verdict_level_and_the_first_words(monkeypatch: pytest.MonkeyPatch) -> None:
    prose = next(row.id for row in proofs.rows() if row.claim is None)
    asked = ["--list", prose, "gap-perfect-printed", "gap-never-pure", "gap-curve"]
    lines = {line.split()[2]: line for line in run(*asked).stdout.splitlines() if line.startswith("    ")}
    for name, verdict, level in (
        (prose, "-", "prose"),
        ("gap-perfect-printed", "REFUTED", "kernel"),
        ("gap-never-pure", "PROVED", "kernel"),
        ("gap-curve", "PROVED", "certificate"),
    ):
        *cells, words = lines[name].split(None, 3)
        assert cells == [verdict, level, name]
        assert proofs.row(name).statement.startswith(words.removesuffix(" ..."))
    assert max(map(len, lines.values())) <= 100
    for width in (40, 64):
        monkeypatch.setattr(ledger_rows, "_width", lambda width=width: width)
        narrow = run(*asked).stdout
        assert max(map(len, narrow.splitlines())) <= width
        assert set(narrow.split()) >= lines.keys()


# --- Paragraphs -----------------------------------------------------------------------------------------------------


def test_show_says_what_a_row_states_and_what_it_rests_on() -> None:
    said = run("--show", "complement-view").stdout
    row = proofs.row("complement-view")
    paragraphs = [" ".join(part.split()) for part in said.split("\n\n")]
    assert paragraphs[:3] == ["complement-view: PROVED, level kernel", row.statement, f"for: {row.domain}"]
    assert f"source: {row.source}" in paragraphs
    behind = "kernel: rows.complement.row_complement_view_holds, from complement.complement_view"
    assert any(part.startswith(behind) and "axioms: " in part for part in paragraphs)
    assert any(part.startswith("the certificate rests on: ") for part in paragraphs)
    prop = propositions()["complement-view"].prop.splitlines()
    assert "what Coq's kernel accepts:\n" + "\n".join(f"    {line}" for line in prop) in said


@pytest.mark.parametrize(
    ("form", "begins"), [("markdown", "# Ledger"), ("notes", "# The reading notes"), ("html", "<!")]
)
def test_a_page_is_printed(form: str, begins: str) -> None:
    printed = run("complement-view", "--format", form)
    assert (printed.exit_code, printed.stdout[: len(begins)]) == (0, begins), printed.stderr


@pytest.mark.parametrize("other", ["--list", "--format json", "--format html"])
def test_show_is_text_about_what_is_run(other: str) -> None:
    refused = run("--show", "complement-view", *other.split())
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.startswith(f"error: --show with {other}: ")


words = st.text(st.characters(whitelist_categories=("L", "N", "P", "S")), min_size=1, max_size=40)


@one_in(2)
@given(st.lists(words, min_size=1, max_size=30), st.integers(1, 120), st.booleans())
def test_no_word_is_cut_at_any_width(listed: list[str], width: int, is_code: bool) -> None:
    text = " ".join(listed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ledger_rows, "_width", lambda: width)
        lines = (ledger_rows._wrapped_code if is_code else ledger_rows._wrapped)(text)
    assert [word for line in lines for word in line.split()] == text.split()
    assert all(len(line) <= width or len(line.split()) == 1 for line in lines)


@pytest.mark.parametrize("width", [8, 30, 60, 71, 80])
def test_no_word_of_a_row_is_cut_in_a_narrow_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_rows, "_width", lambda: width)
    narrow = [run(*args).stdout for args in (("--topic", "complement"), ("--show", "complement-view"))]
    monkeypatch.setattr(ledger_rows, "_width", lambda: 400)
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


def test_rows_stand_in_the_order_in_which_they_are_named() -> None:
    """And once, where several of the IDS mean them."""
    for ids in (["gap-all-?", "lemma3"], ["lemma3", "gap-all-?"], ["lemma3", "gap-all-n", "lemma*"]):
        named = [entry["id"] for entry in answer("--list", *ids)]
        assert named[:2] == [name.replace("?", "n") for name in ids[:2]]
        assert len(set(named)) == len(named)
    shown = run("--show", "small-complement", "complement-view", "complement-local").stdout
    told = re.findall(r"^([a-z-]+): PROVED, level \w+$", shown, re.MULTILINE)
    assert told == ["small-complement", "complement-view", "complement-local"]


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
def test_coq_is_asked_for_what_the_row_needs(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []

    def rebuild(names: Iterable[str], watch: development.Watch) -> str:
        asked.append(tuple(names))
        watch(1, 3, "sums.v")
        return broken

    monkeypatch.setattr(development, "missing_programs", tuple)
    monkeypatch.setattr(development, "rebuild", rebuild)
    result = run("complement-view", "--kernel")
    assert result.exit_code == (1 if broken else 0)
    stated = proofs.row("complement-view").proposition
    assert stated is not None
    assert asked == [(stated.theorem, *proofs.row("complement-view").theorems)]
    assert "Coq: file 1 of 3 (sums.v)" in result.stderr
    assert ("what they need was compiled here" in result.stdout) is not bool(broken)
    verdict = "UNDECIDED none" if broken else "PROVED kernel"
    assert " ".join(result.stdout.split()).startswith(f"{verdict} complement-view ")
    assert ("recorded as PROVED: Coq was asked, and does not accept it here" in result.stdout) is bool(broken)
    assert "not re-checked here" not in result.stdout
    assert (f"error: kernel: {broken}" in result.stderr) is bool(broken)


def test_coq_is_not_asked_where_no_theorem_is_behind_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(development, "missing_programs", tuple)
    (name,) = [row.id for row in proofs.rows() if row.claim is None][:1]
    refused = run(name, "--kernel")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr == (
        f"error: --kernel: no theorem of the Coq development is behind {name}. Leave out --kernel.\n"
    )


def test_a_rebuild_without_coq_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(development, "missing_programs", lambda: ("coqc",))
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


def test_json_says_what_coq_proves_and_that_it_was_not_rechecked() -> None:
    prose = next(row.id for row in proofs.rows() if row.claim is None)
    kernel, other = answer("complement-view", prose)
    assert (kernel["level"], kernel["kernel"]["proposition"]) == ("kernel", propositions()["complement-view"].prop)
    assert kernel["kernel"]["theorems"] == list(proofs.row("complement-view").theorems)
    assert "ClassicalDedekindReals.sig_forall_dec" in kernel["kernel"]["axioms"]
    assert kernel["kernel"]["rechecked"] is False
    assert (other["level"], other["kernel"]) == ("prose", None)


# --- The stored pages -----------------------------------------------------------------------------------------------


@pytest.fixture
def checkout(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A checkout whose ledger has the rows of one topic."""
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "proofs" / "rows").mkdir(parents=True)
    text = (stored.FILE.parent / "rows" / "complement.toml").read_text("utf-8")
    without = re.sub(r'^claim_id = ".*"\n', "", text, flags=re.MULTILINE)
    assert without != text
    (tmp_path / "proofs" / "rows" / "complement.toml").write_text(without, "utf-8")
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
    held = stored.read((checkout / "proofs" / stored.FILE.name).read_bytes())
    assert held == {name: stored.certificates()[name] for name in sorted(outcome.row.id for outcome in outcomes)}
    written = (checkout / "proofs" / "rows" / "complement.toml").read_text("utf-8")
    assert written == (stored.FILE.parent / "rows" / "complement.toml").read_text("utf-8")


def test_a_verdict_that_is_not_recorded_changes_no_page(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = dataclasses.replace(proofs.row("complement-view"), expected=Verdict.REFUTED)
    monkeypatch.setattr(prove, "outcomes_from_scratch", lambda rows, workers: [proofs.check(wrong)])
    assert run("--update-ledger").exit_code == 1
    assert [path.name for path in (checkout / "proofs").iterdir()] == ["rows"]


def test_an_update_is_refused_where_it_has_no_meaning(checkout: Path) -> None:
    for arguments in (["gap-view"], ["--topic", "complement"], ["--list"]):
        refused = run("--update-ledger", *arguments)
        assert refused.exit_code == 2
        assert "the pages have all rows. Leave out IDS, --topic and --list." in refused.stderr
    (checkout / "pyproject.toml").unlink()
    refused = run("--update-ledger")
    assert refused.exit_code == 2
    assert "is installed, and has no sources to change. Run it in a checkout" in refused.stderr
