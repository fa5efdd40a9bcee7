"""The links of the built site: each leads to a page or a file, and to a place on it; and nothing comes from the web."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

_LOADED: Final = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "object": "data"}
"""What a browser loads by itself, and the attribute that says from where."""


class _Read(HTMLParser):
    """The places of a page, its links, and what it loads."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.places: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        self.places |= {named[name] for name in ("id", "name") if name in named}
        if tag == "a" and "href" in named:
            self.links.append(named["href"])
        if tag in _LOADED and named.get(_LOADED[tag]):
            self.loaded.append(named[_LOADED[tag]])


def faults_of(site: Path) -> list[str]:
    """Say which links of a built site lead to nothing, and what its pages load from elsewhere."""
    pages: dict[Path, _Read] = {}
    for path in sorted(site.rglob("*.html")):
        pages[path] = _Read()
        pages[path].feed(path.read_text("utf-8"))
    return [
        f"{path.relative_to(site)}: {fault}" for path, page in pages.items() for fault in _faults(path, page, pages)
    ]


def _faults(path: Path, page: _Read, pages: dict[Path, _Read]) -> Iterator[str]:
    for address in page.loaded:
        if urlsplit(address).scheme not in ("", "data") or urlsplit(address).netloc:
            yield f"loads {address}: the site must be whole without a network"
    for address in dict.fromkeys([*page.links, *page.loaded]):
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not target.is_file():
            yield f"the link to {address} leads to no file"
        elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
            yield f"the link to {address} leads to no place on that page"
