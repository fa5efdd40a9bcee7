"""The report as one HTML file: the parts are made elsewhere, here they are put together.

The page holds its style and its script, and a policy that lets a browser load nothing else. How it was made stands at
its end, and only there: equal outcomes, tables and figures make equal bytes, made by one command on one day.

The page of one subject has what that shows (:mod:`exactdp.report.page.subject_pages`).

The rows of the ledger as the page shows them: text that is set already, and the certificate packed into the page
-----------------------------------------------------------------------------------------------------------------

A certificate is one link whose address is the compressed file itself, ``data:application/gzip;base64,...``: without a
script it saves the file, and the page's script unpacks the same bytes to show the text. All certificates of the ledger
are 2.6 MB as text and a fifteenth of that packed. The works that sources name are read from references.bib.
"""

from __future__ import annotations

import base64
import csv
import gzip
import hashlib
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup, escape

from exactdp import __version__
from exactdp.claims.certificate import Certificate
from exactdp.evidence.levels import LEVELS
from exactdp.proofs import Outcome
from exactdp.proofs.page import VERDICTS, RowView, by_entry, row_views
from exactdp.report.figures.data import csv_text
from exactdp.report.page.cells import NumberTable, full_text, short_text
from exactdp.report.page.made import Made
from exactdp.report.page.protocols import PROTOCOLS, ProtocolPage, protocols_of
from exactdp.report.page.subject_pages import SubjectPage
from exactdp.report.page.typesetting import set_claim, typeset

if TYPE_CHECKING:
    from exactdp.report.figures.picture import Picture

_ENTRY: Final = re.compile(r"^@\w+\{(?P<key>[^,\s]+),\n(?P<fields>.*?)^\}", re.MULTILINE | re.DOTALL)
"""An entry of BibTeX as references.bib writes it."""
_FIELD: Final = re.compile(r"^ {2}(\w+)\s*=\s*\{(.*?)\},?$(?=\n {2}\w|\s*\Z)", re.MULTILINE | re.DOTALL)
"""A field of an entry, on one line or several."""
_ACCENTS: Final = {'"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "v": "\u030c"}
"""The accents of TeX -> combining characters."""
_ACCENT: Final = re.compile(r"\{?\\([\"'`^~v])\s*\{?(\\?[A-Za-z])\}?\}?")
"""An accent of TeX with its letter."""
_MOST_AUTHORS: Final = 3
"""More are named by the first."""


@dataclass(frozen=True, slots=True)
class PublishedWork:
    """A published work: its key, authors, year, title, and where it appeared."""

    key: str
    authors: tuple[str, ...]
    year: str
    title: str
    place: str
    address: str

    @property
    def short(self) -> str:
        """How a text names it: surnames and year."""
        names = [author.partition(",")[0] for author in self.authors]
        return f"{names[0]} et al. {self.year}" if len(names) > _MOST_AUTHORS else f"{', '.join(names)} {self.year}"


@lru_cache(maxsize=1)
def works() -> dict[str, PublishedWork]:
    """Return every work by its key.

    >>> works()["BalcerCheu2020"].short
    'Balcer, Cheu 2020'
    """
    text = files("exactdp").joinpath("references.bib").read_text("utf-8")
    return {match["key"]: _work(match["key"], match["fields"]) for match in _ENTRY.finditer(text)}


def _work(key: str, text: str) -> PublishedWork:
    fields = {name: _plain(value) for name, value in _FIELD.findall(text)}
    place = next((fields[name] for name in ("journal", "booktitle", "publisher") if name in fields), "")
    doi, eprint = fields.get("doi", ""), fields.get("eprint", "")
    address = f"doi:{doi}" if doi else f"arXiv:{eprint}" if eprint else ""
    return PublishedWork(key, tuple(fields["author"].split(" and ")), fields["year"], fields["title"], place, address)


def _plain(text: str) -> str:
    """Return a field without TeX."""
    import unicodedata

    text = _ACCENT.sub(lambda match: match[2].lstrip("\\") + _ACCENTS[match[1]], text)
    text = unicodedata.normalize("NFC", " ".join(text.split()).replace("\\&", "&").replace("--", "–").replace("~", " "))
    return re.sub(r"[{}\\]", "", text)


_KEY: Final = re.compile(r"\b[A-Z][A-Za-z]+[0-9]{4}[a-z]?\b")
"""A key of references.bib: names and a year."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A certificate inside the page: the address that holds it, and the size of its text."""

    address: str
    size: str


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row of the ledger, ready to be shown."""

    view: RowView
    statement: Markup
    domain: Markup
    protocols: tuple[str, ...]
    evidence: tuple[tuple[str, Markup], ...]
    certificate: Packed | None


def shown_rows(outcomes: Sequence[Outcome]) -> list[ShownRow]:
    """Return rows as the page shows them; equal outcomes give equal rows."""
    return [
        ShownRow(
            view,
            typeset(view.statement),
            typeset(view.domain),
            protocols_of(view.id, view.topic),
            tuple(_evidence(outcome, view)),
            None if outcome.certificate is None else packed(outcome.certificate),
        )
        for outcome, view in zip(outcomes, row_views(outcomes), strict=True)
    ]


def _evidence(outcome: Outcome, view: RowView) -> list[tuple[str, Markup]]:
    """What stands behind a row, below its statement."""
    entries = [(name, _set(name, text)) for name, text in view.fields if name not in ("for", "claim")]
    entries += [
        ("Coq", Markup("<code>{}</code>").format(view.prop) if view.prop else Markup("")),
        ("found", typeset("" if outcome.verdict is None else outcome.reason)),
        ("checker read", _checked(outcome)),
        ("claim", escape(view.claim)),
    ]
    return [(name, text) for name, text in entries if text]


def _set(name: str, text: str) -> Markup:
    """Set one field of a row: names as they are, keys of works as links, mathematics in letters."""
    if name == "source":
        return source_html(text)
    return escape(text) if name in ("kernel", "accepted by", "the same claim as") else typeset(text)


def _checked(outcome: Outcome) -> Markup:
    """Return the claim as the checker said it; nothing where it read none."""
    if outcome.certificate is None or not outcome.checked:
        return Markup("")
    return set_claim(outcome.checked, outcome.certificate.claim.statement)


def packed(certificate: Certificate) -> Packed | None:
    """Return the certificate as the page holds it; None if the checker has nothing to read."""
    if certificate.level != "certificate":
        return None
    text = certificate.to_json().encode()
    data = base64.b64encode(gzip.compress(text, 9, mtime=0)).decode()
    size = f"{len(text) / 1000:.0f} kB" if len(text) >= 9500 else f"{len(text) / 1000:.1f} kB"
    return Packed(f"data:application/gzip;base64,{data}", size)


def source_html(source: str) -> Markup:
    """Return a source with each key as a link to the list of works.

    >>> source_html("BalcerCheu2020, section 4")
    Markup('<a href="#work-BalcerCheu2020">Balcer, Cheu 2020</a>, section 4')
    """
    parts, position = [], 0
    for match in _KEY.finditer(source):
        if match[0] in works():
            link = Markup('<a href="#work-{}">{}</a>').format(match[0], works()[match[0]].short)
            parts += [escape(source[position : match.start()]), link]
            position = match.end()
    return Markup("").join([*parts, escape(source[position:])])


def used_works(sources: Sequence[str]) -> list[str]:
    """Return the keys of the works that these sources name, in the order of the alphabet."""
    return sorted({key for source in sources for key in _KEY.findall(source) if key in works()}, key=str.lower)


@dataclass(frozen=True, slots=True)
class DrawnFigure:
    """A figure as the page takes it: the SVG element, its title and its caption, its data, and the key of its page."""

    name: str
    protocol: str
    title: str
    caption: str
    svg: str
    csv: str = ""

    @classmethod
    def of(cls, picture: Picture, page: str) -> DrawnFigure:
        """Draw a picture for the page of this key."""
        return cls(picture.name, page, picture.title, picture.caption, picture.svg(), csv_text(picture.table))

    @property
    def rows(self) -> int:
        """How many rows the data have, below their head."""
        return max(0, len(list(csv.reader(io.StringIO(self.csv)))) - 1)

    @property
    def data_address(self) -> str:
        """The data as an address that a browser saves without a network."""
        return f"data:text/csv;charset=utf-8;base64,{base64.b64encode(self.csv.encode()).decode()}"


@dataclass(frozen=True, slots=True)
class ShownExperiment:
    """An experiment as the page takes it.

    Args:
        name: as on the command line.
        statement: what it shows.
        draws: of each point, at most.
        seed: of the draws.
        figure: drawn; it names the page.
        table: every drawn interval beside its exact number.
        misses: the drawn intervals without their number, in words.
        command: draws the same again.
    """

    name: str
    statement: str
    draws: int
    seed: int
    figure: DrawnFigure
    table: NumberTable
    misses: tuple[str, ...]
    command: str


def report_page(
    outcomes: Sequence[Outcome],
    tables: Mapping[str, Sequence[NumberTable]],
    figures: Sequence[DrawnFigure],
    *,
    experiments: Sequence[ShownExperiment] = (),
    pages: Sequence[ProtocolPage] = PROTOCOLS,
    title: str = "The privacy of shuffle-model protocols, exactly",
    made: Made | None = None,
) -> str:
    """Return the report as HTML that loads nothing.

    Args:
        outcomes: rows of the ledger that were run, in the order in which they are shown.
        tables: key of a protocol's page -> its tables. A page without tables, figures and experiments is left out.
        figures: drawn, with unique names; one whose protocol has no page of that key stands in a section of its own.
        experiments: each stands on the page that its figure names; one that names another page is left out.
        pages: the protocols that it may be about. Without outcomes there is no ledger on the page.
        title: the heading of the page.
        made: what its foot says beside the version.

    >>> page = report_page([], {}, [])
    >>> page.startswith("<!doctype html>"), "Ledger" in page
    (True, False)

    Cost: 1.5 s for the whole ledger, most of it to set formulas, beside what computing its parts takes.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from exactdp.report.figures.style import figure_css

    environment = Environment(
        loader=PackageLoader("exactdp.report.page", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(short=short_text, full=full_text, typeset=typeset, source=source_html, number=_is_number)
    style, script = figure_css() + _file("report.css"), _file("report.js")
    text = environment.get_template("report.html.jinja").render(
        **_contents(outcomes, tables, figures, experiments, pages),
        title=title,
        levels=LEVELS,
        verdicts=VERDICTS,
        style=Markup(style),
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        version=__version__,
        made=made,
    )
    return _without_empty_lines(text)


def _contents(
    outcomes: Sequence[Outcome],
    tables: Mapping[str, Sequence[NumberTable]],
    figures: Sequence[DrawnFigure],
    experiments: Sequence[ShownExperiment],
    known: Sequence[ProtocolPage],
) -> dict[str, Any]:
    shown = shown_rows(outcomes)
    views = [row.view for row in shown]
    topics = dict.fromkeys(view.topic for view in views)
    drawn = {figure.protocol for figure in (*figures, *(experiment.figure for experiment in experiments))}
    pages = [page for page in known if tables.get(page.key) or page.key in drawn]
    keys = [page.key for page in pages]
    sources = [outcome.row.source for outcome in outcomes] + [page.sources for page in pages]
    return {
        "views": views,
        "topics": {topic: [row for row in shown if row.view.topic == topic] for topic in topics},
        "counts": {name: sum(view.verdict == name for view in views) for name in VERDICTS},
        "unlike": [view for view in views if not view.is_as_recorded],
        "pages": pages,
        "tables": tables,
        "rows_of": {key: [row.view for row in shown if key in row.protocols] for key in keys},
        "figures_of": {key: [figure for figure in figures if figure.protocol == key] for key in keys},
        "experiments_of": {key: [shown for shown in experiments if shown.figure.protocol == key] for key in keys},
        "other_figures": [figure for figure in figures if figure.protocol not in keys],
        "entries": [
            (entry, ", ".join(dict.fromkeys(view.printed for view in rows)), [view.id for view in rows])
            for entry, rows in by_entry(views).items()
        ],
        "works": [works()[key] for key in used_works(sources)],
    }


def _file(name: str) -> str:
    return _without_empty_lines(files("exactdp.report.page").joinpath(name).read_text("utf-8"))


def _without_empty_lines(text: str) -> str:
    return "".join(f"{line}\n" for line in text.split("\n") if line.strip())


def _is_number(value: object) -> bool:
    return value is not None and not isinstance(value, str)


def subject_report(subject: SubjectPage, *, made: Made | None = None) -> str:
    """Return the report of one subject as HTML that loads nothing; ``made`` is what its foot says.

    >>> from exactdp.randomizers import KAryResponse
    >>> from exactdp.report.page.subject_pages import randomizer_page
    >>> subject = randomizer_page(KAryResponse(3, exp_eps0=3), name="my randomizer", delta="1e-4", users=(2, 5))
    >>> page = subject_report(subject)
    >>> "my randomizer" in page, "variation ratio is refuted at n = 2, 5." in page
    (True, True)

    Cost: a second to draw.
    """
    key, figures = subject.page.key, [DrawnFigure.of(picture, subject.page.key) for picture in subject.pictures]
    return report_page([], {key: subject.tables}, figures, pages=(subject.page,), title=subject.title, made=made)
