"""The look of figures: colours that can be told apart, files that are whole and the same every time, sound SVG."""

import os
import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest

from exactdp.errors import InvalidFileError
from exactdp.report.figures.chart import Area, Axis, Chart, Line, Panel, one_panel
from exactdp.report.figures.data import DataTable
from exactdp.report.figures.picture import Picture, painted
from exactdp.report.figures.style import DARK, FONT, LIGHT, WIDTH, Theme, figure_css

ROOT = Path(__file__).resolve().parents[3]
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)


CHART = one_panel(
    Line([0, 1], [0, 1], "a & b"),
    Area([0, 1], [0, 1], [1, 2], 1),
    Area([0, 1], [0, 1], [1, 2], 1, hatch="//"),
    x=Axis("ε"),
    y=Axis("δ"),
    height=2.0,
)


def _picture(name: str = "example", chart: Chart = CHART) -> Picture:
    return Picture(name, "A < B & C", "A caption with <angles> & more.", DataTable(("x",), ()), chart)


# --- Colours --------------------------------------------------------------------------------------------------------


def _linear(color: str) -> list[float]:
    parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]


def _luminance(color: str) -> float:
    red, green, blue = _linear(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(first: str, second: str) -> float:
    low, high = sorted(map(_luminance, (first, second)))
    return (high + 0.05) / (low + 0.05)


# Machado, Oliveira and Fernandes (2009), severity 1
DEFICIENCIES = {
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def _seen(color: str, deficiency: str) -> list[float]:
    """CIE L*a*b* of the colour as it is seen."""
    rgb = [sum(w * c for w, c in zip(row, _linear(color), strict=True)) for row in DEFICIENCIES[deficiency]]
    red, green, blue = (min(max(c, 0.0), 1.0) for c in rgb)
    xyz = (
        (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505,
        0.2126 * red + 0.7152 * green + 0.0722 * blue,
        (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089,
    )
    x, y, z = (c ** (1 / 3) if c > 0.008856 else 7.787 * c + 16 / 116 for c in xyz)
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)]


@THEMES
@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_series_differ_for_every_colour_vision(theme: Theme, deficiency: str) -> None:
    for first, second in combinations(theme.colors, 2):
        gap = sum((a - b) ** 2 for a, b in zip(_seen(first, deficiency), _seen(second, deficiency), strict=True)) ** 0.5
        assert gap > 14, (first, second)


@THEMES
def test_text_and_series_stand_out_from_the_page(theme: Theme) -> None:
    assert _contrast(theme.ink, theme.page) > 12
    assert _contrast(theme.quiet, theme.page) > 4.5
    assert all(_contrast(color, theme.page) > 2.3 for color in theme.colors)
    assert _contrast(theme.colors[0], theme.page) > 7


@THEMES
def test_series_differ_without_colour(theme: Theme) -> None:
    forms = [(series.dashes, series.marker, series.hatch) for series in theme.series]
    for each in zip(*forms, strict=True):
        assert len(set(map(str, each))) == len(forms)
    lightness = [116 * _luminance(color) ** (1 / 3) - 16 for color in theme.colors]
    assert all(abs(a - b) > 4 for a, b in combinations(lightness, 2)), lightness


# --- Files ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.svg", "a.png"])
def test_another_process_with_other_settings_draws_the_same_bytes(name: str, tmp_path: Path) -> None:
    from exactdp.report.figures.calibration_curves import draw_alpha

    draw_alpha(tmp_path / name, cells=20)
    (tmp_path / "matplotlibrc").write_text("font.size: 30\naxes.labelpad: 30\nxtick.major.size: 14\n", encoding="utf-8")
    other = str(tmp_path / f"other_{name}")
    code = f"from exactdp.report.figures.calibration_curves import draw_alpha; draw_alpha({other!r}, cells=20)"
    environment = {**os.environ, "MATPLOTLIBRC": str(tmp_path), "PYTHONHASHSEED": "77", "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    assert (tmp_path / name).read_bytes() == (tmp_path / f"other_{name}").read_bytes()


def test_themes_differ_and_png_is_png(tmp_path: Path) -> None:
    _picture().draw(tmp_path / "light.png")
    _picture().draw(tmp_path / "dark.png", theme=DARK)
    light, dark = (tmp_path / "light.png").read_bytes(), (tmp_path / "dark.png").read_bytes()
    assert light[:8] == dark[:8] == b"\x89PNG\r\n\x1a\n"
    assert light != dark


def test_drawing_leaves_the_settings_alone(tmp_path: Path) -> None:
    import matplotlib as mpl

    with mpl.rc_context({"font.size": 23.0, "xtick.major.size": 14.0}):
        before = dict(mpl.rcParams)
        _picture().draw(tmp_path / "a.svg")
        assert dict(mpl.rcParams) == before


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a.gif", "Figures are written as .svg or .png: name the file so"),
        ("a", "ends in ''"),
        ("no/a.svg", "does not exist. Make it"),
        ("no/a.png", "does not exist. Make it"),
    ],
)
def test_bad_paths_are_refused_without_a_file(name: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidFileError, match=said):
        _picture().draw(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["folder.svg", "folder.png"])
def test_a_directory_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(InvalidFileError, match=r"is a directory\. Name a file"):
        _picture().draw(tmp_path / name)


@pytest.mark.parametrize("name", ["a.svg", "a.png"])
def test_a_failure_leaves_the_old_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / name).write_text("old")

    def fail(source: str, target: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(KeyboardInterrupt):
        _picture().draw(tmp_path / name)
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "old"


def test_a_new_png_has_the_mode_of_a_new_file_and_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    (tmp_path / "link.png").symlink_to(tmp_path / "target.png")
    _picture().draw(tmp_path / "link.png")
    assert (tmp_path / "link.png").is_symlink()
    assert (tmp_path / "target.png").stat().st_mode == (tmp_path / "plain").stat().st_mode


# --- SVG ------------------------------------------------------------------------------------------------------------


def test_the_svg_speaks_and_fits_into_a_page() -> None:
    first, second = _picture().svg(), _picture("other").svg()
    root = ElementTree.fromstring(first)
    space = "{http://www.w3.org/2000/svg}"
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == "example-title example-desc"
    assert root.find(f"{space}title").text == "A < B & C"  # type: ignore[union-attr]
    assert root.find(f"{space}desc").text == "A caption with <angles> & more."  # type: ignore[union-attr]
    assert (root.get("width"), root.get("height")) == ("100%", None)
    identifiers = [
        [each.get("id") for each in ElementTree.fromstring(t).iter() if each.get("id")] for t in (first, second)
    ]
    for found in identifiers:
        assert len(found) == len(set(found))
    assert not set(identifiers[0]) & set(identifiers[1])


def test_every_reference_in_the_svg_is_to_the_svg_itself() -> None:
    text = _picture().svg()
    defined = set(re.findall(r'\bid="([^"]+)"', text))
    used = re.findall(r'href="([^"]+)"', text) + [f"#{name}" for name in re.findall(r"url\(#([^)]+)\)", text)]
    assert used
    assert {name for name in used if name[1:] not in defined or name[0] != "#"} == set()
    assert "<script" not in text
    assert re.findall(r"<style[^>]*>([^{]*)", text) == ["#example-figure_1 *"]
    assert set(re.findall(r"https?://[^\"' ]+", text)) <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


def test_the_colours_of_the_svg_are_the_pages() -> None:
    text = _picture().svg()
    loose = re.sub(r"var\(--figure-[a-z0-9]+, (#[0-9a-f]{6}|currentColor)\)", "", text)
    assert re.findall(r"#[0-9a-fA-F]{6}\b", loose) == []
    assert "var(--figure-ink, currentColor)" in text
    used = set(re.findall(r"var\((--figure-[a-z0-9]+)", text)) - {"--figure-ink"}
    assert len(used) >= 2
    for name in used:
        assert figure_css().count(f"{name}:") == 3, name
    assert DARK.colors[0] in figure_css()


# --- Size ---------------------------------------------------------------------------------------------------------


def _sizes(svg: str) -> set[str]:
    """The sizes of all letters of an SVG."""
    return set(re.findall(r"font(?:-size)?: (?:[a-z0-9]+ )*?([0-9.]+px)", svg))


def test_every_svg_has_one_width_and_letters_of_one_size() -> None:
    named = Axis("a long name of a vertical axis, for which one line is not enough")
    panel = Panel((Line([0, 1], [0, 1], "a line"),), Axis("x"), named, "t", height=2.0)
    for text in (_picture().svg(), _picture(chart=Chart((panel, panel))).svg()):
        assert ElementTree.fromstring(text).get("viewBox", "").split()[:3] == ["0", "0", "246"]
        assert _sizes(text) == {f"{FONT}px"}
    assert round(72 * WIDTH) == 246
    assert _sizes('<text style="font: 700 9px x"/><text style="font-size: 10.5px; y"/>') == {"9px", "10.5px"}


def test_only_the_style_knows_the_size_of_letters() -> None:
    folder = ROOT.parent / "exactdp" / "report"
    assert (folder / "figures" / "style.py").exists()
    said = {
        path.name
        for path in folder.rglob("*.py")
        if re.search(r"fontsize|labelsize|title_fontsize|font\.size", path.read_text("utf-8"))
    }
    assert said == {"style.py", "picture.py"}  # the second writes the title


def test_a_file_has_its_title_and_a_page_writes_it_itself(tmp_path: Path) -> None:
    _picture().draw(tmp_path / "a.svg")
    drawn = re.findall(r"<text[^>]*>([^<]*)</text>", (tmp_path / "a.svg").read_text(encoding="utf-8"))
    assert "A &lt; B &amp; C" in drawn
    assert "A &lt; B &amp; C" not in re.findall(r"<text[^>]*>([^<]*)</text>", _picture().svg())


# --- Keys -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["label", "a label with many words, more of them than one line of a phone has"])
@pytest.mark.parametrize("count", [1, 5])
def test_keys_stand_below_their_axes_and_inside_the_figure(count: int, words: str) -> None:
    lines = tuple(Line([0, 1], [0, k], f"{words} {k}", k) for k in range(count))
    panel = Panel(lines, Axis("x", low=0, high=1), Axis("y"), height=1.0)
    with painted(_picture(chart=Chart((panel, panel))), LIGHT, in_page=True) as figure:
        figure.draw_without_rendering()
        upper, lower = figure.axes
        keys = [list(legend.get_texts()) for axes in (upper, lower) if (legend := axes.get_legend()) is not None]
        for axes, key in zip((upper, lower), keys, strict=True):
            texts = [axes.xaxis.label, *axes.get_xticklabels(), *key]
            boxes = [text.get_window_extent() for text in texts]
            assert not any(a.overlaps(b) for a, b in combinations(boxes, 2) if a.width and b.width)
            assert all(box.y1 < axes.get_window_extent().y0 for box in boxes)
            assert all(figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1 for box in boxes)
            named = [text.get_text().replace("\n", " ") for text in key]
            assert named == [f"{words} {k}" for k in reversed(range(count))]  # as the lines end, from above
        (name,) = lower.texts
        assert name.get_text() == "y"
        assert min(text.get_window_extent().y0 for text in keys[0]) > name.get_window_extent().y1
        panels = [axes.get_window_extent().height / figure.dpi for axes in (upper, lower)]
        assert sum(panels) > 0.45 * 2.0  # keys and names of axes have room of their own
