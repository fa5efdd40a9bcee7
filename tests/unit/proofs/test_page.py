"""The ledger as a page: what it says comes from outcomes, and every row and entry is on it."""

import pickle
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner

from exactdp import proofs
from exactdp.certificates import verify as checker
from exactdp.claims.certificate import Verdict
from exactdp.cli.main import cli
from exactdp.errors import InvalidValueError
from exactdp.proofs.ledger import AsPrinted, ProofRow
from exactdp.proofs.page import entries, html_page, markdown_page, notes_page, row_views

PROSE = ProofRow(
    id="an-attribution",
    topic="complement",
    statement="It was first <b>introduced</b> there.",
    domain="prose",
    source="this test",
    claim=None,
    notes=("40",),
    as_printed=AsPrinted.CORRECTED,
    expected=None,
    reading="It was formalised there; randomized response is older.",
)


def outcomes() -> list[proofs.Outcome]:
    rows = [row for row in proofs.rows() if row.topic == "complement"]
    return [proofs.check(row) for row in [*rows, PROSE]]


class Ids(HTMLParser):
    """Collects ids and links, and refuses a tag that is not closed in its order."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "meta":
            self.open.append(tag)
        for name, value in attrs:
            if name == "id" and value:
                self.ids.append(value)
            if name == "href" and value:
                self.links.append(value)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_markdown_says_what_the_checker_and_coq_said() -> None:
    found = outcomes()
    page = markdown_page(found)
    assert "4 rows: 3 PROVED, 0 REFUTED, 0 UNDECIDED, 1 prose; 3 of 3 verdicts are as recorded." in page
    assert "Levels of the decided rows: 3 kernel." in page
    assert "| kernel | a theorem accepted by the Coq kernel states the whole row;" in page
    assert "| [complement-view](#complement-view) | PROVED | kernel | true as printed |" in page
    assert "**PROVED (kernel).** The shuffled view of (x, 1-x)" in page
    assert "- kernel: rows.complement.row_complement_view_holds, from complement.complement_view" in page
    assert "```coq\nforall n" in page
    assert "**prose.** It was first <b>introduced</b> there." in page
    assert "- the certificate rests on: the view is the multiset of messages (proved: shuffler.shuffle_dp_iff" in page
    assert "- accepted by: python" in page
    assert page == markdown_page(outcomes())  # nothing in it depends on the run
    refuted = markdown_page([replace(found[0], verdict=Verdict.REFUTED), *found[1:]])
    assert "2 of 3 verdicts are as recorded" in refuted


def test_a_row_of_steps_says_where_the_proof_stands() -> None:
    row = replace(outcomes()[0].row, id="other", prop="", steps="the proof in proofs/complement.py")
    page = markdown_page([proofs.check_from_scratch(row)])
    assert "**PROVED (steps).**" in page
    assert "- that the steps suffice: the proof in proofs/complement.py" in page
    assert "```coq" not in page


def test_rows_with_one_claim_say_so() -> None:
    first = outcomes()[0]
    second = replace(first, row=replace(first.row, id="other"))
    assert [view.same_claim_as for view in row_views([first, second])] == [("other",), ("complement-view",)]
    assert row_views([first])[0].same_claim_as == ()


def test_assumed_facts_are_the_certificates() -> None:
    (view,) = row_views([proofs.check(proofs.row("zsum-privacy"))])
    assert "Markov's inequality (proved: laws.markov, markov_and_union.markov_masses)" in view.assumes
    assert "assumed" not in view.assumes + view.rests_on


def test_the_notes_page_has_each_entry_in_words() -> None:
    page = notes_page(outcomes())
    assert "## 40. Who introduced the local model" in page
    assert "- verdict: true once corrected" in page
    assert "- what is wrong: It was formalised there;" in page
    assert "- settled by: [an-attribution](LEDGER.md#an-attribution) (prose)" in page
    assert "[complement-view](LEDGER.md#complement-view) (PROVED, kernel)" in page


def test_a_reading_that_the_note_does_not_force_has_a_mark_of_its_own() -> None:
    found = [proofs.check(proofs.row(name)) for name in ("pure-histogram-from-sum", "pure-mean-and-histogram")]
    assert [view.printed for view in row_views(found)] == ["one reading of it", "true once corrected"]
    assert "- verdict: one reading of it; true once corrected\n" in notes_page(found)
    assert "- notes: entry 74, one reading of it\n" in markdown_page(found)
    assert row_views([proofs.check(proofs.row("adding-a-user"))])[0].printed == ""


def test_entries_are_complete() -> None:
    assert [entry.number for entry in entries()] == list(range(1, 98))
    printed: dict[str, set[str | None]] = {}
    for row in proofs.rows():
        for entry in row.notes:
            printed.setdefault(entry, set()).add(row.as_printed)
    for entry in entries():
        assert entry.title, entry.number
        assert entry.says.endswith("."), entry.number
        assert bool(entry.wrong) == (printed[str(entry.number)] != {"true"}), entry.number


def test_the_stored_pages_have_the_rows_and_entries_of_the_ledger() -> None:
    """Fast: that their verdicts and words are those of a run is compared in CI, after `prove --update-ledger` here."""
    folder = Path(proofs.__file__).parent
    ledger, notes = ((folder / name).read_text("utf-8") for name in ("LEDGER.md", "NOTES.md"))
    ids = [row.id for row in proofs.rows()]
    assert re.findall(r"^\| \[([\w-]+)\]\(#\1\) \|", ledger, re.MULTILINE) == ids
    assert set(re.findall(r"LEDGER\.md#([\w-]+)", notes)) <= set(ids)
    assert re.findall(r"^## (\d+)\. ", notes, re.MULTILINE) == [str(entry.number) for entry in entries()]


def test_html_is_well_formed_and_its_links_resolve() -> None:
    parser = Ids()
    page = html_page(outcomes())
    parser.feed(page)
    assert parser.open == []
    assert len(set(parser.ids)) == len(parser.ids) == 4
    assert {link.removeprefix("#") for link in parser.links} <= set(parser.ids)
    assert "&lt;b&gt;introduced&lt;/b&gt;" in page
    assert not re.search(r"https?://|<script", page)


def test_prose_has_no_verdict() -> None:
    outcome = proofs.check(PROSE)
    assert (outcome.verdict, outcome.level, outcome.as_recorded, outcome.certificate) == (None, "prose", True, None)
    assert outcome.reason == PROSE.reading


def test_a_row_travels_by_its_id() -> None:
    row = proofs.row("complement-view")
    assert pickle.loads(pickle.dumps(row)) is not None
    assert pickle.loads(pickle.dumps(row)).id == row.id
    with pytest.raises(InvalidValueError, match="there is no proof 'nothing'"):
        proofs.row("nothing")


def test_jobs_change_nothing() -> None:
    one, two = (
        CliRunner().invoke(cli, ["prove", "--topic", "complement", "--format", "markdown", "--jobs", jobs])
        for jobs in ("1", "2")
    )
    assert one.exit_code == two.exit_code == 0, two.stderr
    assert one.stdout == two.stdout


def test_certificates_are_written_for_the_bare_checker(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["prove", "--topic", "complement", "--certificates", str(tmp_path / "new")])
    assert result.exit_code == 0, result.stderr
    files = sorted((tmp_path / "new").iterdir())
    assert [file.stem for file in files] == ["complement-local", "complement-preshuffle", "complement-view"]
    assert checker.main(list(map(str, files))) == 0
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(cli, ["prove", "complement-view", "--certificates", str(tmp_path / "file")])
    assert (result.exit_code, "cannot be made" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--jobs", "0"), "jobs=0 is below 1."),
        (("--list", "--format", "html"), "--list with --format html: the page shows verdicts."),
        (("--list", "--certificates", "there"), "--list with --certificates: nothing is run, so there is none."),
    ],
)
def test_what_is_refused(more: tuple[str, ...], message: str) -> None:
    result = CliRunner().invoke(cli, ["prove", *more])
    assert result.exit_code == 2
    assert message in result.stderr
