"""The report as one HTML file: the parts are made elsewhere, here they are put together.

The page holds its style and its script, and a policy that lets a browser load nothing else. How it was made stands at
its end, and only there: equal outcomes, tables and figures make equal bytes, made by one command on one day.

The page of one subject has what that shows (:mod:`exactdp.report.page.subject_pages`).
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from exactdp import __version__
from exactdp.evidence.levels import LEVELS
from exactdp.proofs.view import VERDICTS, by_entry
from exactdp.report.figures.data import csv_text
from exactdp.report.page.cells import NumberTable, full_text, short_text
from exactdp.report.page.ledger_table import shown_rows, source_html, used_works, works
from exactdp.report.page.made import Made
from exactdp.report.page.protocols import PROTOCOLS, ProtocolPage
from exactdp.report.page.subject_pages import SubjectPage
from exactdp.report.page.typesetting import typeset

if TYPE_CHECKING:
    from exactdp.proofs import Outcome
    from exactdp.report.figures.style import Picture


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
    return report_page([], {key: subject.tables}, figures, pages=(subject.page,), made=made)
