"""One place for the look of every figure, and for how a figure becomes a file.

A figure is a :class:`Picture`: what it says (title, caption), its data, and how it is painted on a matplotlib figure in
a :class:`Theme`. It is rendered with matplotlib's own defaults, never the reader's, without a date and with fixed
identifiers: the bytes are the same for one version of matplotlib.

*Colour.* The series are told apart by hue for people with any colour vision, by lightness in grey, and by their dashes,
markers and hatches where neither is seen. *Light and dark.* A file is drawn in one theme, on its page. For a web page
:meth:`Picture.svg` names its colours as CSS variables on a transparent ground: :func:`figure_css` gives them for light
and dark pages, text is in the page's own colour, and without these rules the picture is light.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from math import ceil, floor, log10
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, Final

from exactdp.atomic_file import write_whole
from exactdp.errors import InvalidFileError
from exactdp.report.figures.data import DataTable
from exactdp.report.figures.scale import power_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_FONT: Final = 9.5
"""Of all text, in points: read at the width of a column."""
_DOTS_PER_INCH: Final = 160
"""Of PNG files: sharp on a screen."""
_LETTERS_PER_INCH: Final = 10
"""Of a title; a longer one takes a second line."""


@dataclass(frozen=True, slots=True)
class Series:
    """How one series looks: a colour, and dashes, a marker and a hatch that say the same without colour."""

    color: str
    dashes: Any
    marker: str
    hatch: str


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of a page: ``page`` its ground, ``ink`` text and axes, ``quiet`` what is beside the point."""

    name: str
    page: str
    ink: str
    quiet: str
    colors: tuple[str, ...]

    @property
    def series(self) -> tuple[Series, ...]:
        """The series: the exact one first, then what is compared with it."""
        return tuple(Series(c, *form) for c, form in zip(self.colors, _FORMS, strict=True))


_FORMS: Final = (
    ("solid", "o", ""),
    ((0, (5, 1.8)), "s", "///"),
    ((0, (7, 1.6, 1.4, 1.6)), "^", "\\\\\\"),
    ((0, (1.2, 1.2)), "D", "xxx"),
    ((0, (9, 2.5)), "v", "..."),
)
"""Dashes, marker and hatch of each series."""

LIGHT: Final = Theme("light", "#ffffff", "#1b1f24", "#667080", ("#003a8c", "#cc4a00", "#2a9d7c", "#b0307f", "#d39b16"))
"""The colours of a light page; contrasts are tested."""
DARK: Final = Theme("dark", "#14181d", "#e6e9ed", "#98a2b0", ("#9ad0ff", "#e87722", "#3fbf97", "#c95fa8", "#fff0a8"))
"""The colours of a dark page; contrasts are tested."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure: what it says, the data that it shows, and how it is painted.

    Args:
        name: of letters, digits and hyphens; identifiers in the SVG begin with it.
        title: states the finding.
        caption: says in words what is to be seen; also the text for readers who do not see it.
        size: width and height in inches.
        table: the data.
        paint: paints on an empty matplotlib figure, in a theme.
    """

    name: str
    title: str
    caption: str
    size: tuple[float, float]
    table: DataTable
    paint: Callable[[Figure, Theme], None] = field(repr=False)

    def draw(self, path: str | Path, *, theme: Theme = LIGHT) -> None:
        """Write the picture into an SVG or PNG file, by its suffix: the same bytes every time, or no file.

        Raises:
            InvalidFileError: for another suffix, and where the file cannot be written.
        """
        form = picture_form(path)
        write_whole(path, _finished(self, theme) if form == "svg" else _rendered(self, "png", theme))

    def svg(self) -> str:
        """Return an SVG element to put into a web page: transparent, in the colours of ``figure_css``.

        It is as wide as its place. Its identifiers begin with the name, so that many figures fit into one page.
        """
        text = _finished(self, LIGHT, transparent=True).decode()
        text = text[text.index("<svg") :]
        for variable, color in _variables(LIGHT).items():
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


def _variables(theme: Theme) -> dict[str, str]:
    """The CSS variables, without their prefix, and their colours."""
    numbered = {str(k): color for k, color in enumerate(theme.colors, start=1)}
    return {"ink": theme.ink, "quiet": theme.quiet, "page": theme.page, **numbered}


def figure_css() -> str:
    """Return the CSS rules with the colours of figures: the light ones, and the dark ones on dark pages.

    A page that lets its reader choose sets ``data-theme`` to light or dark on its root element; one whose ground is
    another sets ``--figure-page``, the patch behind a label, to it.
    """
    light, dark = (
        "".join(f"--figure-{name}:{color};" for name, color in _variables(theme).items() if name != "ink")
        for theme in (LIGHT, DARK)
    )
    return (
        f":root{{{light}}}\n@media (prefers-color-scheme: dark){{:root:not([data-theme=light]){{{dark}}}}}\n"
        f":root[data-theme=dark]{{{dark}}}\n"
    )


# --- Rendering ------------------------------------------------------------------------------------------------------


def _rendered(picture: Picture, form: str, theme: Theme, *, transparent: bool = False) -> bytes:
    """Render with matplotlib's defaults and this module's look, whatever the settings of the reader are."""
    stream = io.BytesIO()
    with painted(picture, theme, transparent=transparent) as figure:
        figure.savefig(stream, format=form, metadata={"Date": None} if form == "svg" else {"Software": None})
    return stream.getvalue()


@contextmanager
def painted(picture: Picture, theme: Theme, *, transparent: bool = False) -> Iterator[Figure]:
    """Yield the matplotlib figure, under the settings that it must be rendered with."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    settings: Any = _settings(theme)
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(settings)
        figure = Figure(figsize=picture.size, layout="constrained", dpi=_DOTS_PER_INCH)
        figure.patch.set_facecolor("none" if transparent else theme.page)
        picture.paint(figure, theme)
        title = fill(picture.title, int(_LETTERS_PER_INCH * picture.size[0]))
        figure.suptitle(title, x=0.012, ha="left", fontsize=_FONT + 1.5, fontweight="bold", color=theme.ink)
        yield figure


def _settings(theme: Theme) -> dict[str, Any]:
    return {
        "svg.hashsalt": "exactdp",
        "svg.fonttype": "none",
        "font.family": ["DejaVu Sans"],
        "font.size": _FONT,
        "axes.edgecolor": theme.quiet,
        "axes.facecolor": "none",
        "axes.grid": True,
        "axes.labelcolor": theme.ink,
        "axes.linewidth": 0.8,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlelocation": "left",
        "axes.titlesize": _FONT,
        "axes.unicode_minus": True,
        "grid.alpha": 0.25,
        "grid.color": theme.quiet,
        "grid.linewidth": 0.6,
        "hatch.linewidth": 0.7,
        "legend.frameon": False,
        "lines.linewidth": 1.8,
        "patch.edgecolor": theme.ink,
        "text.color": theme.ink,
        "text.parse_math": False,
        "xtick.color": theme.quiet,
        "xtick.labelcolor": theme.ink,
        "ytick.color": theme.quiet,
        "ytick.labelcolor": theme.ink,
    }


def _finished(picture: Picture, theme: Theme, *, transparent: bool = False) -> bytes:
    """Return the SVG with its text for readers who do not see it, and identifiers of its own."""
    text = _rendered(picture, "svg", theme, transparent=transparent).decode()
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


# --- What figures share ---------------------------------------------------------------------------------------------


def plot_series(axes: Axes, xs: Sequence[float], ys: Sequence[float], series: Series, **how: Any) -> None:
    """Draw a line through points in the look of its series."""
    look = {"color": series.color, "linestyle": series.dashes, "marker": series.marker, "markersize": 4.5}
    axes.plot(xs, ys, **{**look, **how})


def power_axis(axes: Axes, which: str, *, most: int = 8) -> None:
    """Label an axis whose data are logarithms to base 10 with powers of ten, at most about ``most`` of them."""
    from matplotlib.ticker import FuncFormatter, MultipleLocator

    axis = axes.xaxis if which == "x" else axes.yaxis
    low, high = axes.get_xlim() if which == "x" else axes.get_ylim()
    step = max(1, ceil((high - low) / most))
    magnitude = 10 ** (len(str(step)) - 1)
    step = next(f * magnitude for f in (1, 2, 5, 10) if f * magnitude >= step)
    axis.set_major_locator(MultipleLocator(step))
    axis.set_major_formatter(FuncFormatter(lambda value, _: power_words(value)))


def decimal_axis(axes: Axes) -> None:
    """Label a vertical axis whose data are logarithms to base 10 at 1, 2 and 5 times each power of ten."""
    from matplotlib.ticker import FixedLocator, FuncFormatter

    low, high = axes.get_ylim()
    powers = range(floor(low), ceil(high) + 1)
    ticks = [t for k in powers for t in (k, k + log10(2), k + log10(5)) if low <= t <= high]
    axes.yaxis.set_major_locator(FixedLocator(ticks))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{float(f'{10**value:.1g}'):g}"))


def end_labels(axes: Axes, theme: Theme, labels: Sequence[tuple[float, str, Series]], *, gap: float = 0.078) -> None:
    """Write labels (height, text, series) beside the right end of the axes, moved apart where they would overlap.

    Each begins with a sample of its line, so that the text can be in the colour of text. ``gap`` is the height of a
    line of text as a part of the height of the axes; a text of two lines takes two.
    """
    low, high = axes.get_ylim()
    rising = sorted(labels, key=lambda label: label[0])
    heights = [gap * (1 + text.count("\n")) for _, text, _ in rising]
    places = [(height - low) / (high - low) for height, _, _ in rising]
    bottom, top = -gap / 2, 1.0 + gap / 2
    for k, height in enumerate(heights):
        places[k] = max(places[k], bottom + height / 2)
        bottom = places[k] + height / 2
    for k in reversed(range(len(places))):
        places[k] = min(places[k], top - heights[k] / 2)
        top = places[k] - heights[k] / 2
    for place, (_, text, series) in zip(places, rising, strict=True):
        sample = {"color": series.color, "linestyle": series.dashes, "clip_on": False, "transform": axes.transAxes}
        axes.plot([1.025, 1.075], [place, place], **sample)
        axes.plot([1.05], [place], marker=series.marker, markersize=4.5, **sample)
        axes.text(1.09, place, text, va="center", transform=axes.transAxes, linespacing=1.1)


def tag(axes: Axes, x: float, y: float, text: str, theme: Theme, **how: Any) -> None:
    """Write a text into the axes on a patch of the page's colour, so that a line behind it does not cross it."""
    patch = {"facecolor": theme.page, "edgecolor": "none", "alpha": 0.85, "pad": 1.2}
    axes.text(x, y, text, **{"color": theme.ink, "bbox": patch, "zorder": 5, **how})
