"""How a figure becomes a file, or an element of a page.

A figure is a :class:`Picture`: what it says (title, caption), its data, and a chart of them, which one painter paints
in a theme. It is rendered with matplotlib's own defaults, never the reader's, without a date and with fixed
identifiers: the bytes are the same for one version of matplotlib.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from exactdp.errors import InvalidFileError
from exactdp.files.atomic_file import write_whole
from exactdp.report.figures.chart import Chart
from exactdp.report.figures.data import DataTable
from exactdp.report.figures.painter import paint
from exactdp.report.figures.style import EDGE, FONT, LIGHT, WIDTH, Theme, filled, heighten, settings_of, variables_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DOTS_PER_INCH: Final = 300
"""Of PNG files: sharp on a screen."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure: what it says, the data that it shows, and how it is painted.

    Args:
        name: of letters, digits and hyphens; identifiers in the SVG begin with it.
        title: states the finding.
        caption: says in words what is to be seen; also the text for readers who do not see it.
        table: the data.
        chart: what is drawn of them.
    """

    name: str
    title: str
    caption: str
    table: DataTable
    chart: Chart = field(repr=False)

    def draw(self, path: str | Path, *, theme: Theme = LIGHT) -> None:
        """Write the picture into an SVG or PNG file, by its suffix: the same bytes every time, or no file.

        Raises:
            InvalidFileError: for another suffix, and where the file cannot be written.
        """
        form = picture_form(path)
        write_whole(path, _finished(self, theme) if form == "svg" else _rendered(self, "png", theme))

    def svg(self) -> str:
        """Return an SVG element to put into a web page: transparent, in the colours of ``figure_css``.

        It is as wide as its place, and has no title in it: the page writes that, in its own letters. Its identifiers
        begin with the name, so that many figures fit into one page.
        """
        text = _finished(self, LIGHT, in_page=True).decode()
        text = text[text.index("<svg") :]
        for variable, color in variables_of(LIGHT).items():
            fallback = "currentColor" if variable == "ink" else color
            text = text.replace(color, f"var(--figure-{variable}, {fallback})")
        head, body = text.split(">", 1)
        return re.sub(r' (width|height)="[^"]*"', "", head) + ' width="100%">' + body


def picture_form(path: str | Path) -> str:
    """Return "svg" or "png", the form that a path asks for.

    >>> picture_form("curve.svg")
    'svg'
    """
    suffix = Path(path).suffix
    if suffix not in (".svg", ".png"):
        raise InvalidFileError(f"{path} ends in {suffix!r}. Figures are written as .svg or .png: name the file so.")
    return suffix[1:]


def _rendered(picture: Picture, form: str, theme: Theme, *, in_page: bool = False) -> bytes:
    """Render with matplotlib's defaults and this module's look, whatever the settings of the reader are."""
    stream = io.BytesIO()
    with painted(picture, theme, in_page=in_page) as figure:
        figure.savefig(stream, format=form, metadata={"Date": None} if form == "svg" else {"Software": None})
    return stream.getvalue()


@contextmanager
def painted(picture: Picture, theme: Theme, *, in_page: bool = False) -> Iterator[Figure]:
    """Yield the matplotlib figure, under the settings that it must be rendered with.

    Args:
        picture: what is painted.
        theme: its colours.
        in_page: transparent and without its title, for a page that writes it.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    settings: Any = settings_of(theme)
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(settings)
        layout = ConstrainedLayoutEngine(w_pad=EDGE, h_pad=2 * EDGE)
        figure = Figure(figsize=(WIDTH, picture.chart.height), layout=layout, dpi=_DOTS_PER_INCH)
        figure.patch.set_facecolor("none" if in_page else theme.page)
        paint(figure, theme, picture.chart)
        if not in_page:
            title = filled(picture.title, bold=True)
            figure.suptitle(title, x=EDGE / WIDTH, ha="left", fontsize=FONT, fontweight="bold", color=theme.ink)
            heighten(figure, 1.3 * FONT * (1.5 + title.count("\n")))
        yield figure


def _finished(picture: Picture, theme: Theme, *, in_page: bool = False) -> bytes:
    """Return the SVG with its text for readers who do not see it, and identifiers of its own."""
    text = _rendered(picture, "svg", theme, in_page=in_page).decode()
    text = re.sub(r"\s*<metadata>.*?</metadata>", "", text, count=1, flags=re.DOTALL)
    text = text.replace("'DejaVu Sans'", "'DejaVu Sans', Verdana, sans-serif")
    text = re.sub(r'\bid="', f'id="{picture.name}-', text)
    text = re.sub(r'(href="#|url\(#)', rf"\g<1>{picture.name}-", text)
    text = text.replace(">*{", f">#{picture.name}-figure_1 *{{", 1)
    words = (
        f'<title id="{picture.name}-title">{escape(picture.title)}</title>\n'
        f'<desc id="{picture.name}-desc">{escape(picture.caption)}</desc>'
    )
    labels = f'role="img" aria-labelledby="{picture.name}-title {picture.name}-desc"'
    return re.sub(r"<svg([^>]*)>", rf"<svg\1 {labels}>\n {words}", text, count=1).encode()
