"""The works that sources name, read from references.bib."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final

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
