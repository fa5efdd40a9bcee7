"""The rows of the ledger as the page shows them: text that is set already, and the certificate packed into the page.

A certificate is one link whose address is the compressed file itself, ``data:application/gzip;base64,...``: without a
script it saves the file, and the page's script unpacks the same bytes to show the text. All certificates of the ledger
are 2.6 MB as text and a fifteenth of that packed. The works that sources name are read from references.bib.
"""

from __future__ import annotations

import base64
import gzip
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final

from markupsafe import Markup, escape

from exactdp.claims.certificate import Certificate
from exactdp.proofs import Outcome
from exactdp.proofs.view import RowView, row_views
from exactdp.report.page.protocols import protocols_of
from exactdp.report.page.typesetting import set_claim, typeset

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
