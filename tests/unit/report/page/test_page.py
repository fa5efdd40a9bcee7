"""The page as text: whole, equal for equal outcomes, safe against its contents, and loading nothing."""

import base64
import gzip
import hashlib
import re
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser

import pytest

from exactdp import proofs
from exactdp.claims.certificate import Verdict
from exactdp.report.page.cells import NumberTable
from exactdp.report.page.html import DrawnFigure, ShownExperiment, report_page, works
from exactdp.report.page.protocols import PROTOCOLS, ProtocolPage

EMPTY = {"meta", "link", "input", "br", "img", "hr"}
NAMES = ("complement-view", "complement-local", "dp-near-printed", "dp-local-first", "adding-a-user")
TABLE = NumberTable("a < b", ("n", "delta"), ((1, Fraction(1, 3**40)), ("two", None)), "exact")
FIGURE = DrawnFigure(
    "drawn", "complement", "A title", "A caption.", '<svg role="img" aria-label="x"><path d=""/></svg>'
)

EXPERIMENT = ShownExperiment(
    name="drawn-error",
    statement="The error of 10^3 users.",
    draws=500,
    seed=7,
    figure=replace(FIGURE, name="drawn-error"),
    table=NumberTable("numbers", ("number", "exact", "drawn from", "to"), (("n=1", Fraction(1, 3), 0, 1),), "float"),
    misses=(),
    command="exactdp experiment drawn-error --size 500 --seed 7",
)


class Reader(HTMLParser):
    """Reads a page strictly: every element is closed where it was opened."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def all(self, name: str) -> list[str]:
        return [value for _, attribute, value in self.attributes if attribute == name]


@pytest.fixture(scope="module")
def outcomes() -> list[proofs.Outcome]:
    return [proofs.check(proofs.row(name)) for name in NAMES]


@pytest.fixture(scope="module")
def page(outcomes: list[proofs.Outcome]) -> str:
    return report_page(outcomes, {"complement": [TABLE]}, [FIGURE])


def test_the_page_is_well_formed_and_its_links_resolve(page: str) -> None:
    reader = Reader(page)
    ids = reader.all("id")
    assert len(ids) == len(set(ids))
    assert {href[1:] for href in reader.all("href") if href.startswith("#")} <= set(ids)
    assert {name for names in reader.all("aria-labelledby") for name in names.split()} <= set(ids)
    assert set(NAMES) <= set(ids)


def test_the_strict_reader_sees_an_element_left_open() -> None:
    with pytest.raises(AssertionError):
        Reader("<p><b>x</p>")


def test_nothing_on_the_page_is_loaded(page: str) -> None:
    reader = Reader(page)
    assert all(a.startswith(("#", "data:")) for a in reader.all("href"))
    assert not {name for _, name, _ in reader.attributes} & {"src", "srcset", "action", "onclick", "poster"}
    assert "@import" not in page
    assert "url(http" not in page


def test_a_page_without_a_ledger_is_well_formed() -> None:
    page = ProtocolPage("mine", "<mine>", "It sends eps_0.", "BalleBellGasconNissim2019, section 5")
    text = report_page([], {"mine": [TABLE]}, [replace(FIGURE, protocol="mine")], pages=(page,))
    reader = Reader(text)
    ids = reader.all("id")
    assert len(ids) == len(set(ids))
    assert {href[1:] for href in reader.all("href") if href.startswith("#")} <= set(ids)
    assert {"protocol-mine", "figure-drawn", "work-BalleBellGasconNissim2019"} <= set(ids)
    assert not {"ledger", "filters", "figures"} & set(ids)
    assert "&lt;mine&gt;" in text


def test_the_policy_allows_the_script_of_the_page_and_no_other(page: str) -> None:
    (script,) = re.findall("<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page.replace("&#39;", "'").replace("&#x27;", "'")
    assert "default-src 'none'" in page


def test_equal_outcomes_make_equal_bytes(page: str, outcomes: list[proofs.Outcome]) -> None:
    again = [replace(proofs.check(outcome.row), seconds=7.0) for outcome in outcomes]
    assert report_page(again, {"complement": [TABLE]}, [FIGURE]) == page
    assert report_page(again[:-1], {"complement": [TABLE]}, [FIGURE]) != page


def test_the_page_says_what_the_outcomes_say(page: str, outcomes: list[proofs.Outcome]) -> None:
    for outcome in outcomes:
        article = page[page.index(f'<article class="row" id="{outcome.row.id}"') :]
        article = article[: article.index("</article>")]
        verdict = "prose" if outcome.verdict is None else outcome.verdict.name
        assert f">{verdict}</span>" in article
        assert f'data-level="{outcome.level}"' in article
        assert (outcome.certificate is not None) == ('class="certificate"' in article)
        if outcome.certificate is not None:
            assert outcome.certificate.claim.digest() in article
            (packed,) = re.findall(r'href="data:application/gzip;base64,([^"]*)"', article)
            assert gzip.decompress(base64.b64decode(packed)).decode() == outcome.certificate.to_json()


def test_a_verdict_that_is_not_the_recorded_one_is_said_first(outcomes: list[proofs.Outcome], page: str) -> None:
    assert "not the recorded one" not in page
    wrong = replace(outcomes[0], verdict=Verdict.UNDECIDED, level="none", certificate=None, reason="It broke.")
    said = report_page([wrong, *outcomes[1:]], {}, [])
    assert "1 verdict is not the recorded one" in said
    assert said.index("not the recorded one") < said.index('id="ledger"')
    assert "recorded as PROVED" in said


def test_the_kernel_level_names_theorems_and_axioms() -> None:
    """Of a stated outcome, whatever the development holds now."""
    row = proofs.row("complement-view")
    said = report_page([proofs.check(row)], {}, [])
    assert row.theorems[0] in said
    assert "axioms: " in said
    assert "<dt>Coq</dt><dd><code>forall " in said


def test_what_is_shown_cannot_break_the_page(outcomes: list[proofs.Outcome]) -> None:
    evil = "</script><script>alert(1)</script>\"' <b>&"
    row = replace(outcomes[0].row, statement=evil, domain=evil, source=evil, reading=evil)
    table = NumberTable(evil, ("n", evil), ((1, evil),), evil)
    figure = replace(FIGURE, title=evil, caption=evil)
    text = report_page([replace(outcomes[0], row=row, reason=evil)], {"complement": [table]}, [figure])
    Reader(text)
    assert text.count("<script>") == 1
    assert "<b>" not in text


def test_a_figure_without_a_page_and_a_page_without_figures_are_shown(outcomes: list[proofs.Outcome]) -> None:
    text = report_page(outcomes, {"gap": [TABLE]}, [replace(FIGURE, protocol="elsewhere")])
    assert text.index('id="protocol-gap"') < text.index('id="figures"') < text.index('id="figure-drawn"')
    assert 'id="protocol-complement"' not in text


def test_a_figure_has_its_title_its_caption_and_its_data_behind_it() -> None:
    data = 'about,n_lo,n_hi\r\n1,2,3\n"a\nb",5,6\n'
    text = report_page([], {}, [replace(FIGURE, csv=data)])
    figure = text[text.index("<figure") : text.index("</figure>")]
    assert figure.startswith('<figure id="figure-drawn" aria-labelledby="finding-drawn">')
    assert '<p class="finding" id="finding-drawn">A title</p>' in figure
    assert "<figcaption>A caption." in figure
    (address,) = re.findall(r'download="drawn.csv" href="data:text/csv;charset=utf-8;base64,([^"]*)"', figure)
    assert base64.b64decode(address).decode() == data
    assert "2 rows" in figure  # one of them on two lines
    assert 'class="data"' not in report_page([], {}, [FIGURE])


def test_a_picture_comes_with_its_data() -> None:
    from exactdp.report.figures.data import csv_text
    from exactdp.report.figures.gallery import FIGURES

    drawn = DrawnFigure.of(FIGURES["gap-supports"].picture(), "gap")
    assert (drawn.name, drawn.protocol, drawn.title) == ("gap-supports", "gap", FIGURES["gap-supports"].title)
    assert drawn.csv == csv_text(FIGURES["gap-supports"].data)
    assert drawn.rows == len(FIGURES["gap-supports"].data.rows)


def test_every_amplification_and_survey_figure_is_on_the_page() -> None:
    """Of each family that a bound is drawn for, the one of the README, and of each task of the survey."""
    from exactdp.report.figures.gallery import FIGURES
    from exactdp.report.page.survey_page import KEYS
    from exactdp.report.page.work import tasks

    drawn = {task.figure: task.page for task in tasks() if task.figure}
    assert set(drawn) == set(FIGURES)
    assert {name for name, page in drawn.items() if page == "survey"} == {f"survey-{key}" for key in KEYS.values()}
    assert len([name for name, page in drawn.items() if page == "amplification"]) == 8


def test_an_experiment_stands_on_the_page_of_its_protocol_with_its_numbers_and_its_command() -> None:
    text = report_page([], {}, [], experiments=[EXPERIMENT])
    ids = Reader(text).all("id")
    assert len(ids) == len(set(ids))
    section = text[text.index('id="protocol-complement"') :]
    section = section[: section.index("</section>")]
    assert 'id="experiment-drawn-error"' in section
    assert 'id="figure-drawn-error"' in section
    assert "<code>exactdp experiment drawn-error --size 500 --seed 7</code>" in section
    assert "drawn 500 times" in section
    assert "with seed 7" in section
    assert "Each of 1 drawn intervals contains the exact number." in section
    assert "1/3" in section
    missed = report_page([], {}, [], experiments=[replace(EXPERIMENT, misses=("n=1: drawn 0 to 0.2, exact 0.33",))])
    assert "1 of 1 drawn intervals miss the exact number:</strong> n=1: drawn 0 to 0.2, exact 0.33." in missed
    assert "contains the exact number" not in missed


def test_every_experiment_is_shown_on_a_page_at_its_draws() -> None:
    from exactdp.report.experiments import EXPERIMENTS
    from exactdp.report.figures.gallery import FIGURES
    from exactdp.report.page.work import SHOWN

    assert set(SHOWN) == set(EXPERIMENTS)
    assert {page for page, _ in SHOWN.values()} <= {each.key for each in PROTOCOLS}
    assert not set(SHOWN) & set(FIGURES)  # both are names of figures on one page
    assert all(1000 <= draws <= EXPERIMENTS[name].draws for name, (_, draws) in SHOWN.items())


def test_the_version_stands_once(page: str) -> None:
    from exactdp import __version__

    assert page.count(f"exactdp {__version__}") == 1


def test_all_digits_stand_below_a_table(page: str) -> None:
    assert "1/12157665459056928801" in page
    assert "8.225×10⁻²⁰" in page


def test_every_page_speaks_of_rows_and_works_that_are_there() -> None:
    rows = proofs.rows()
    topics, ids = {row.topic for row in rows}, {row.id for row in rows}
    assert len({page.key for page in PROTOCOLS}) == len(PROTOCOLS)
    for each in PROTOCOLS:
        assert set(each.topics) <= topics
        assert set(each.rows) <= ids
        assert re.findall(r"\b[A-Z]\w+[0-9]{4}\b", each.sources)
        assert set(re.findall(r"\b[A-Z]\w+[0-9]{4}\b", each.sources)) <= works().keys()


def test_every_figure_has_a_page() -> None:
    from exactdp.report.figures.gallery import FIGURES

    assert {figure.protocol for figure in FIGURES.values()} <= {each.key for each in PROTOCOLS}
