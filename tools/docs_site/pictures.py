"""The pictures of pages that the repository stores, each drawn from a figure of the report.

`python -m tools.docs_site.pictures` draws them anew; a test compares. As a file a picture is light or dark as the page
that shows it; on the site the drawing stands in the page itself, in the colours that the reader has chosen.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Final

from exactdp.report.figures.style import DARK, LIGHT, figure_css

ROOT: Final = Path(__file__).resolve().parent.parent.parent
PICTURES: Final = {"docs/rappor.svg": "amplification-promises"}
"""File -> the figure that it shows."""
_SHOWN: Final = re.compile(r"^!\[[^\]]*\]\((?P<file>[^)\s]+\.svg)\)$", re.MULTILINE)
"""A picture that stands for itself on a page."""
_ALONE: Final = re.compile(r' width="\d+"><style>.*?</style>', re.DOTALL)
"""What a file has and a drawing in a page has not: its width, and colours of its own."""


def drawn_file(figure: str) -> str:
    """Return the text of the file of a figure of the report."""
    from exactdp.report.figures.gallery import FIGURES

    ink = f":root{{color:{LIGHT.ink}}}@media (prefers-color-scheme: dark){{:root{{color:{DARK.ink}}}}}"
    head, body = FIGURES[figure].svg().split(' width="100%">', 1)
    return f'{head} width="420"><style>{figure_css()}{ink}</style>{body}\n'


def colours() -> str:
    """Return the colours of figures, on the element on which the theme says whether the page is light or dark."""
    return figure_css().replace(":root", "body") + "body{--figure-page:var(--color-background-primary)}"


def with_pictures(text: str, name: str, root: Path) -> str:
    """Return a page of the site with its pictures drawn in it."""

    def inlined(found: re.Match[str]) -> str:
        path = root / posixpath.normpath(posixpath.join(posixpath.dirname(name), found["file"]))
        drawing = _ALONE.sub(' width="100%">', path.read_text("utf-8"), count=1).strip()
        return f'```{{raw}} html\n<style>{colours()}</style><figure class="drawn">{drawing}</figure>\n```'

    return _SHOWN.sub(inlined, text)


if __name__ == "__main__":
    for file, figure in PICTURES.items():
        (ROOT / file).write_text(drawn_file(figure), encoding="utf-8")
