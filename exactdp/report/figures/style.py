"""One place for the look of every figure, and for how a figure becomes a file.

A figure is a :class:`Picture`: what it says (title, caption), its data, and how it is painted on a matplotlib figure in
a :class:`Theme`. It is rendered with matplotlib's own defaults, never the reader's, without a date and with fixed
identifiers: the bytes are the same for one version of matplotlib.

*Size.* Every figure is as wide as a phone's page, or a column of a paper, and its letters have one size: panels stand
one above another, the name of a vertical axis stands above it, and what the lines are is said below. A page shows all
of them at one width, so that letters are equal from figure to figure.

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
from typing import TYPE_CHECKING, Any, Final

from exactdp.errors import InvalidFileError
from exactdp.files.atomic_file import write_whole
from exactdp.report.figures.data import DataTable, power_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


FONT: Final = 10.5
"""Of all text, in points."""
WIDTH: Final = 246 / 72
"""Of every figure, in inches: 328 pixels of CSS, the page of a phone of 360 without its margins."""
_LINE: Final = 1.3 * FONT
"""Height of a line of text, in points."""
_BELOW: Final = 8
"""Between the names below the axes and their key, in points."""
_EDGE: Final = 3 / 72
"""Between text and the edge of the figure, in inches: the padding of matplotlib's layout."""
_DOTS_PER_INCH: Final = 300
"""Of PNG files: sharp on a screen."""


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
        height: of the panels with the numbers and names of their axes, in inches; a title and keys come on top of it.
        table: the data.
        paint: paints on an empty matplotlib figure, in a theme.
    """

    name: str
    title: str
    caption: str
    height: float
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

        It is as wide as its place, and has no title in it: the page writes that, in its own letters. Its identifiers
        begin with the name, so that many figures fit into one page.
        """
        text = _finished(self, LIGHT, in_page=True).decode()
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

    settings: Any = _settings(theme)
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(settings)
        layout = ConstrainedLayoutEngine(w_pad=_EDGE, h_pad=2 * _EDGE)
        figure = Figure(figsize=(WIDTH, picture.height), layout=layout, dpi=_DOTS_PER_INCH)
        figure.patch.set_facecolor("none" if in_page else theme.page)
        picture.paint(figure, theme)
        for axes in figure.axes:
            _name_above(axes)
            _place_key(axes)
        if not in_page:
            title = _filled(picture.title, bold=True)
            figure.suptitle(title, x=_EDGE / WIDTH, ha="left", fontsize=FONT, fontweight="bold", color=theme.ink)
            _heighten(figure, _LINE * (1.5 + title.count("\n")))
        yield figure


def _settings(theme: Theme) -> dict[str, Any]:
    return {
        "svg.hashsalt": "exactdp",
        "svg.fonttype": "none",
        "font.family": ["DejaVu Sans"],
        "font.size": FONT,
        "axes.edgecolor": theme.quiet,
        "axes.facecolor": "none",
        "axes.grid": True,
        "axes.labelcolor": theme.ink,
        "axes.linewidth": 0.8,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlelocation": "left",
        "axes.titlesize": FONT,
        "axes.unicode_minus": True,
        "grid.alpha": 0.25,
        "grid.color": theme.quiet,
        "grid.linewidth": 0.6,
        "hatch.linewidth": 0.7,
        "legend.borderaxespad": 0,
        "legend.borderpad": 0,
        "legend.columnspacing": 1.4,
        "legend.fontsize": FONT,
        "legend.frameon": False,
        "legend.handlelength": 2.6,
        "legend.labelspacing": 0.4,
        "lines.linewidth": 1.8,
        "patch.edgecolor": theme.ink,
        "text.color": theme.ink,
        "text.parse_math": False,
        "xtick.color": theme.quiet,
        "xtick.labelcolor": theme.ink,
        "xtick.labelsize": FONT,
        "ytick.color": theme.quiet,
        "ytick.labelcolor": theme.ink,
        "ytick.labelsize": FONT,
    }


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


# --- What figures share ---------------------------------------------------------------------------------------------


def plot_series(axes: Axes, xs: Sequence[float], ys: Sequence[float], series: Series, **how: Any) -> None:
    """Draw a line through points in the look of its series."""
    look = {"color": series.color, "linestyle": series.dashes, "marker": series.marker, "markersize": 4.5}
    axes.plot(xs, ys, **{**look, **how})


def power_axis(axes: Axes, which: str, *, most: int = 6) -> None:
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


def key_below(axes: Axes, lines: Sequence[tuple[float, str, Series]]) -> None:
    """Say below the axes which line is which: (height at its end, words, look), in the order in which they end."""
    from matplotlib.lines import Line2D

    handles = []
    for _, words, series in sorted(lines, key=lambda line: -line[0]):
        hollow = {"markerfacecolor": "none", "markersize": 7} if series.dashes == "none" else {"markersize": 4.5}
        look: dict[str, Any] = {"color": series.color, "linestyle": series.dashes, "marker": series.marker, **hollow}
        handles.append(Line2D([], [], label=words, **look))
    key_of(axes, handles)


def key_of(axes: Axes, handles: Sequence[Any] | None = None) -> None:
    """Write the words of these samples, or of all that have some, below the axes: in as many columns as have room."""
    from matplotlib import rcParams

    samples = list(axes.get_legend_handles_labels()[0] if handles is None else handles)
    width = 72 * (WIDTH - 2 * _EDGE)
    texts = [_filled(str(sample.get_label()), width=width - 3.6 * FONT) for sample in samples]
    widest = 3.4 * FONT + max(_width(line) for text in texts for line in text.split("\n"))
    gap = rcParams["legend.columnspacing"] * FONT
    columns = max(1, min(len(samples), int((width + gap) / (widest + gap))))
    axes.legend(samples, texts, loc="upper left", ncols=columns)
    rows = [texts[k :: -(-len(texts) // columns)] for k in range(-(-len(texts) // columns))]
    lines = sum(max(1 + text.count("\n") for text in row) for row in rows)
    _heighten(axes.figure, _BELOW + _LINE * lines + rcParams["legend.labelspacing"] * FONT * (len(rows) - 1))


def _place_key(axes: Axes) -> None:
    """Move the key of the axes below their numbers and their name, and to the left edge of the figure."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    key, figure = axes.get_legend(), axes.figure
    if key is None:
        return
    numbers = axes.xaxis.get_tick_params().get("labelbottom", True) and len(axes.get_xticks())
    below = _BELOW + 1.25 * FONT * bool(numbers) + (1.25 * FONT + 5) * bool(axes.get_xlabel())
    lower = axes.transAxes + ScaledTranslation(0, -below / 72, figure.dpi_scale_trans)
    key.set_bbox_to_anchor((_EDGE / WIDTH, 0), blended_transform_factory(figure.transFigure, lower))


def _name_above(axes: Axes) -> None:
    """Write the name of the vertical axis above the axes, after their title, from the left edge of the figure on."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    words = ": ".join(filter(None, (axes.get_title(loc="left"), axes.get_ylabel())))
    axes.set_title("", loc="left")
    axes.set_ylabel("")
    if not words:
        return
    text = _filled(words)
    upper = axes.transAxes + ScaledTranslation(0, 6 / 72, axes.figure.dpi_scale_trans)
    place = blended_transform_factory(axes.figure.transFigure, upper)
    axes.text(_EDGE / WIDTH, 1, text, va="bottom", ha="left", linespacing=1.15, transform=place)
    _heighten(axes.figure, 6 + _LINE * (1 + text.count("\n")))


def _heighten(figure: Any, points: float) -> None:
    figure.set_figheight(figure.get_figheight() + points / 72)


def _filled(words: str, *, width: float = 72 * (WIDTH - 2 * _EDGE), bold: bool = False) -> str:
    """Return words in lines of at most so many points; a line that was broken by hand is joined first."""
    lines = [""]
    for word in words.replace("\n", " ").split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and _width(longer, bold=bold) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines)


def _width(words: str, *, bold: bool = False) -> float:
    """Return the width of words in the font of all figures, in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=["DejaVu Sans"], size=FONT, weight="bold" if bold else "normal")
    return float(text_to_path.get_text_width_height_descent(words, font, ismath=False)[0])


def tag(axes: Axes, x: float, y: float, text: str, theme: Theme, **how: Any) -> None:
    """Write a text into the axes on a patch of the page's colour, so that a line behind it does not cross it."""
    patch = {"facecolor": theme.page, "edgecolor": "none", "alpha": 0.85, "pad": 1.2}
    axes.text(x, y, text, **{"color": theme.ink, "bbox": patch, "zorder": 5, **how})
