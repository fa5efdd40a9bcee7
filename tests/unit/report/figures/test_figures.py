"""The figures of the report: each is drawn, says what it shows, and has no text over another."""

import json
import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest

from exactdp.errors import InvalidFileError
from exactdp.report.experiments import EXPERIMENTS
from exactdp.report.figures.amplification_curves import AmplificationCurves, amplification_picture
from exactdp.report.figures.chart import Axis, Line, Note, one_panel
from exactdp.report.figures.data import DataTable
from exactdp.report.figures.gallery import FIGURES, Figure
from exactdp.report.figures.picture import Picture, painted
from exactdp.report.figures.style import DARK, FONT, LIGHT, Theme
from tests.thinned import thinned
from tests.unit.report.figures.amplified import AMPLIFIED

ROOT = Path(__file__).resolve().parents[3]
CHEAP = ("gap-supports", "smoothness")
SLOW = (
    "gap-supports",
    "smoothness",
    "zsum-tradeoff",
    "almost-central",
    "amplification-",
    "calibration",
    "counting-curve",
    "counting-noise",
    "flooding-",
    "histogram-models",
    "mix-",
    "response-curve",
    "sampling-error",
    "survey",
    "zsum-curve",
)


def _overlapping_texts(name: str, theme: Theme = LIGHT) -> list[tuple[str, str]]:
    from matplotlib.text import Text

    with painted(FIGURES[name].picture(), theme) as figure:
        figure.draw_without_rendering()
        texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
        ticks = {label for axes in figure.axes for axis in (axes.xaxis, axes.yaxis) for label in axis.get_ticklabels()}
        shown = [text for text in texts if text not in ticks]
        for axes in figure.axes:
            for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
                shown += [
                    tick.label1
                    for tick in axis.get_major_ticks()
                    if min(low, high) <= tick.get_loc() <= max(low, high) and tick.label1.get_visible()
                ]
        boxes = [(text.get_text(), text.get_window_extent()) for text in dict.fromkeys(shown)]
        whole = figure.bbox
        assert all(box.x0 >= whole.x0 - 1 and box.x1 <= whole.x1 + 1 for _, box in boxes), name
    return [(a, b) for (a, p), (b, q) in combinations(boxes, 2) if a and b and p.overlaps(q)]


MOST_WORDS = 25


def _words(caption: str) -> int:
    """Words and numbers; signs between them are none."""
    return sum(any(letter.isalnum() for letter in word) for word in caption.split())


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_caption_of_an_experiment_is_short(name: str) -> None:
    picture = EXPERIMENTS[name].run(draws=300, quick=True).picture()
    assert 10 <= _words(picture.caption) <= MOST_WORDS
    assert 10 < len(picture.title) < 100
    assert picture.caption.endswith(".")
    assert "nan" not in picture.svg()


def test_a_caption_that_is_too_long_is_counted() -> None:
    assert _words("At ε = 1, with − signs, " + "word " * 21) == MOST_WORDS + 1


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name.startswith(SLOW) else []) for name in FIGURES]
)
def test_the_figure_is_whole(name: str, tmp_path: Path) -> None:
    """One test for each figure, because its data takes seconds."""
    figure = FIGURES[name]
    assert figure.picture() is figure.picture()
    assert figure.picture().name == name
    assert 10 < len(figure.title) < 100
    assert 10 <= _words(figure.caption) <= MOST_WORDS
    assert figure.caption.endswith(".")
    text = figure.svg()
    assert len(list(ElementTree.fromstring(text).iter())) > 50
    assert "nan" not in text
    assert set(re.findall(r"([0-9.]+px)", " ".join(re.findall('font[^;"]*', text)))) == {f"{FONT}px"}
    assert ElementTree.fromstring(text).get("viewBox", "").split()[2] == "246"
    assert _overlapping_texts(name) == []
    for suffix in ("json", "csv"):
        figure.write_data(tmp_path / f"data.{suffix}")
    rows = json.loads((tmp_path / "data.json").read_text(encoding="utf-8"))["rows"]
    assert 3 <= len(rows) == len(figure.data.rows)
    assert len((tmp_path / "data.csv").read_text(encoding="utf-8").splitlines()) == len(rows) + 1


def test_texts_that_overlap_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = Line([0, 1], [0, 1]), Note(0.5, 0.5, "one text"), Note(0.52, 0.5, "another")
    chart = one_panel(*texts, x=Axis(), y=Axis(), height=2.0)
    picture = Picture("clash", "A clash of texts", "Two texts.", DataTable(("x",), ()), chart)
    monkeypatch.setitem(FIGURES, "clash", Figure("zsum", lambda: picture))
    assert _overlapping_texts("clash") == [("one text", "another")]


@pytest.mark.parametrize("curves", thinned(AMPLIFIED, every=2), ids=lambda curves: curves.subject)
def test_no_text_is_over_another_however_the_curves_run(
    curves: AmplificationCurves, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = amplification_picture(curves, name="amplified")
    monkeypatch.setitem(FIGURES, "amplified", Figure("amplification", lambda: picture))
    assert _overlapping_texts("amplified") == []
    assert "nan" not in picture.svg()


def test_all_figures_fit_into_one_page() -> None:
    found: list[str] = []
    for name in CHEAP:
        found += [each.get("id", "") for each in ElementTree.fromstring(FIGURES[name].svg()).iter() if each.get("id")]
    assert len(found) == len(set(found))


@pytest.mark.slow
def test_another_process_draws_the_same_bytes(tmp_path: Path) -> None:
    code = (
        "import sys; from exactdp.report.figures.gallery import FIGURES\n"
        "from exactdp.report.figures.style import DARK\n"
        f"for name in {CHEAP!r}:\n"
        "    FIGURES[name].draw(f'{sys.argv[1]}/{name}.svg', theme=DARK)\n"
        "    FIGURES[name].draw(f'{sys.argv[1]}/{name}.png')\n"
    )
    other = tmp_path / "other"
    other.mkdir()
    subprocess.run([sys.executable, "-c", code, str(other)], check=True, cwd=ROOT)
    for name in CHEAP:
        FIGURES[name].draw(tmp_path / f"{name}.svg", theme=DARK)
        FIGURES[name].draw(tmp_path / f"{name}.png")
        for suffix in ("svg", "png"):
            assert (tmp_path / f"{name}.{suffix}").read_bytes() == (other / f"{name}.{suffix}").read_bytes(), name


def test_a_wrong_suffix_is_refused_before_anything_is_computed(tmp_path: Path) -> None:
    def compute() -> Picture:
        raise AssertionError("computed")

    with pytest.raises(InvalidFileError, match=r"Figures are written as \.svg or \.png: name the file so"):
        Figure("zsum", compute).draw(tmp_path / "a.jpeg")
    with pytest.raises(AssertionError, match="computed"):
        Figure("zsum", compute).draw(tmp_path / "a.svg")
    assert list(tmp_path.iterdir()) == []


def test_the_list_loads_no_library() -> None:
    code = "import sys, exactdp.report.figures.gallery; print(*{'matplotlib', 'numpy', 'jinja2'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.split() == []
