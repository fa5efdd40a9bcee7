"""A page for each protocol of the report: what the report says of it, its tables, its figures, its rows of the ledger.

Nothing is said here: descriptions, tables and figures are those of `exactdp report`, made anew for every build.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from typing import Final

from exactdp.proofs import rows
from exactdp.protocols.named_protocols import ENTRIES
from exactdp.report.page.cells import NumberTable, short_text
from exactdp.report.page.html import DrawnFigure, source_html
from exactdp.report.page.protocols import PROTOCOLS, ProtocolPage, protocols_of
from exactdp.report.page.typesetting import typeset
from exactdp.report.page.work import done, tasks
from tools.docs_site.pictures import colours
from tools.docs_site.stage import ROOT, Page

_ELSEWHERE: Final = ("survey",)
"""Pages whose figure the report shows alone: docs/survey.md has the words."""
_JOBS: Final = 2
"""Processes that compute tables and figures."""


def protocol_pages() -> list[Page]:
    """Return the page of every protocol; half a minute of one core."""
    shown = [page for page in PROTOCOLS if page.key not in _ELSEWHERE]
    wanted = [task for task in tasks([page.key for page in shown]) if not task.experiment]
    parts = [(task.page, part) for task, part in done(wanted, _JOBS)]
    return [_page(page, [part for key, part in parts if key == page.key]) for page in shown]


def names_page() -> Page:
    """Return the page of everything that has a name: from the table of names alone."""
    text = ["# Names", "What stands behind an `@`, with its parameters; `exactdp protocols NAME` says the same."]
    for entry in ENTRIES.values():
        text += [f"## @{entry.name}", f"{entry.summary[0].upper()}{entry.summary[1:]}."]
        text += ["\n".join(f"- `{one.name}={one.letter}`: {one.help}" for one in entry.parameters)]
        text += [f"`{entry.example}`" + (f", calibrated by `{entry.calibrated_by}`" if entry.calibrated_by else "")]
    return Page("protocols/names", "Names", "\n\n".join(part for part in text if part) + "\n")


def _page(page: ProtocolPage, parts: Sequence[object]) -> Page:
    text = [f"# {page.name}"]
    text += [_html(f"<p>{typeset(paragraph)}</p>") for paragraph in page.description.split("\n\n")]
    text += [_html(f'<p class="source">{_works(page.sources)}</p>')]
    text += [_table(part) for part in parts if isinstance(part, NumberTable)]
    figures = [part for part in parts if isinstance(part, DrawnFigure)]
    text += [_html(f"<style>{colours()}</style>")] if figures else []
    text += [_figure(figure) for figure in figures]
    text += list(_ledger_rows(page))
    text += [f"The numbers with all their digits, and the experiments: `exactdp report`. Made by version {_version()}."]
    return Page(f"protocols/{page.key}", page.name, "\n\n".join(text) + "\n")


def _table(table: NumberTable) -> str:
    lines = [table.heads, ("---",) * len(table.heads), *(tuple(map(short_text, row)) for row in table.rows)]
    cells = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
    return f"## {table.caption}\n\n{cells}\n\n*{table.level}.*"


def _figure(figure: DrawnFigure) -> str:
    drawing = f'<figure class="drawn"><p class="finding">{figure.title}</p>{figure.svg}'
    return _html(f"{drawing}<figcaption>{figure.caption}</figcaption></figure>")


def _ledger_rows(page: ProtocolPage) -> Iterator[str]:
    about = [row.id for row in rows() if page.key in protocols_of(row.id, row.topic)]
    if about:
        yield "## Rows of the ledger"
        yield ", ".join(f"[{name}](../proofs/LEDGER.md#{name})" for name in about) + "."


def _works(sources: str) -> str:
    """The sources in words; the links of the report lead to its own list of works."""
    import re

    return re.sub(r"</?a\b[^>]*>", "", str(source_html(sources)))


def _version() -> str:
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"])


def _html(text: str) -> str:
    return f"```{{raw}} html\n{text}\n```"
