"""One place for the look of every figure: its colours, sizes and letters.

*Size.* Every figure is as wide as a phone's page, or a column of a paper, and its letters have one size: panels stand
one above another, the name of a vertical axis stands above it, and what the lines are is said below. A page shows all
of them at one width, so that letters are equal from figure to figure.

*Colour.* The series are told apart by hue for people with any colour vision, by lightness in grey, and by their dashes,
markers and hatches where neither is seen. *Light and dark.* A file is drawn in one theme, on its page. For a web page
its SVG names its colours as CSS variables on a transparent ground: :func:`figure_css` gives them for light
and dark pages, text is in the page's own colour, and without these rules the picture is light.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

FONT: Final = 10.5
"""Of all text, in points."""
WIDTH: Final = 246 / 72
"""Of every figure, in inches: 328 pixels of CSS, the page of a phone of 360 without its margins."""
EDGE: Final = 3 / 72
"""Between text and the edge of the figure, in inches: the padding of matplotlib's layout."""


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


def variables_of(theme: Theme) -> dict[str, str]:
    """Return the CSS variables, without their prefix, and their colours."""
    numbered = {str(k): color for k, color in enumerate(theme.colors, start=1)}
    return {"ink": theme.ink, "quiet": theme.quiet, "page": theme.page, **numbered}


def figure_css() -> str:
    """Return the CSS rules with the colours of figures: the light ones, and the dark ones on dark pages.

    A page that lets its reader choose sets ``data-theme`` to light or dark on its root element; one whose ground is
    another sets ``--figure-page``, the patch behind a label, to it.
    """
    light, dark = (
        "".join(f"--figure-{name}:{color};" for name, color in variables_of(theme).items() if name != "ink")
        for theme in (LIGHT, DARK)
    )
    return (
        f":root{{{light}}}\n@media (prefers-color-scheme: dark){{:root:not([data-theme=light]){{{dark}}}}}\n"
        f":root[data-theme=dark]{{{dark}}}\n"
    )


def settings_of(theme: Theme) -> dict[str, Any]:
    """Return the settings of matplotlib that a figure is rendered with."""
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


# --- Words ----------------------------------------------------------------------------------------------------------


def heighten(figure: Any, points: float) -> None:
    """Make a figure higher."""
    figure.set_figheight(figure.get_figheight() + points / 72)


def filled(words: str, *, width: float = 72 * (WIDTH - 2 * EDGE), bold: bool = False) -> str:
    """Return words in lines of at most so many points, never at " = "; a line broken by hand is joined first."""
    lines = [""]
    for word in words.replace("\n", " ").replace(" = ", "\u00a0=\u00a0").split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width_of(longer, bold=bold) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines).replace("\u00a0=\u00a0", " = ")


def width_of(words: str, *, bold: bool = False) -> float:
    """Return the width of words in the font of all figures, in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=["DejaVu Sans"], size=FONT, weight="bold" if bold else "normal")
    return float(text_to_path.get_text_width_height_descent(words, font, ismath=False)[0])
