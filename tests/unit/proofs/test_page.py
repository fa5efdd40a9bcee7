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
from exactdp.certificates.certificate import Verdict
from exactdp.cli.main import cli
from exactdp.errors import InvalidValueError
from exactdp.proofs.ledger import ProofRow
from exactdp.proofs.page import html_page, markdown_page

PROSE = ProofRow.prose(
    "an-attribution",
    "complement",
    "It was first <b>introduced</b> there.",
    source="this test",
    entry="40",
    as_printed="corrected",
    lines="003:42",
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


def test_markdown_says_what_the_checker_said() -> None:
    found = outcomes()
    page = markdown_page(found)
    assert "4 rows: 3 PROVED, 0 REFUTED, 0 UNDECIDED, 1 prose; 3 of 3 verdicts are as recorded." in page
    assert "**PROVED (kernel).** The shuffled view of (x, 1-x)" in page
    assert "- kernel: complement.complement_view, complement.complement_shuffle_dp (axioms: " in page
    assert "**prose.** It was first <b>introduced</b> there." in page
    assert "| 40 | corrected | [an-attribution](#an-attribution) |" in page
    assert "- rests on: the view is the multiset of messages [shuffler.shuffle_dp_iff_shuffled" in page
    assert page == markdown_page(outcomes())  # nothing in it depends on the run
    refuted = markdown_page([replace(found[0], verdict=Verdict.REFUTED), *found[1:]])
    assert "2 of 3 verdicts are as recorded" in refuted


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
