"""The picture of both ends beside published promises, and the file of it that the README and the first page show."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from exactdp.errors import InvalidValueError
from exactdp.report.figures.promised_bars import ENDS, promises_picture
from exactdp.report.figures.style import figure_css
from tests.unit.report.figures.amplified import between, typed
from tools.docs_site.pictures import PICTURES, ROOT, drawn_file, with_pictures

CURVES = typed(
    "a randomizer",
    [("1.9", "1.95"), ("0.2", "0.21")],
    [None, None],
    {"clones": ["1.95", "0.3"], "variation ratio": ["1.95", "0.19"]},
)


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+\.\d+", text)]


@pytest.mark.slow
@pytest.mark.parametrize("file", PICTURES)
def test_the_stored_picture_is_what_is_drawn(file: str) -> None:
    """Words and shapes; the last digit of a place is matplotlib's."""
    stored, drawn = (ROOT / file).read_text("utf-8"), drawn_file(PICTURES[file])
    assert re.sub(r"-?\d+\.\d+", "x", stored) == re.sub(r"-?\d+\.\d+", "x", drawn)
    assert numbers(stored) == pytest.approx(numbers(drawn), abs=0.01)


def test_the_ends_come_first_and_then_the_promises_from_small_to_large() -> None:
    picture = promises_picture(CURVES)
    assert picture.table.column("bar") == (ENDS, "variation ratio", "clones")
    assert picture.title == "a randomizer, 1,000 users: ε ≤ 0.2101; published bounds say 0.191 to 0.301"
    assert "0.19999 and 0.21001" in picture.caption
    assert len(picture.caption.split()) <= 25


def test_a_bound_below_the_lower_end_is_refuted_in_words() -> None:
    words = re.findall(r"<text[^>]*>([^<]*)</text>", promises_picture(CURVES).svg())
    assert [word for word in words if "refuted" in word] == ["variation ratio: 0.191, refuted"]


def test_an_end_that_is_higher_is_drawn_longer() -> None:
    widths = []
    for high in ("0.21", "0.25"):
        point = replace(CURVES.points[-1], ends=between("0.2", high))
        svg = promises_picture(replace(CURVES, points=(*CURVES.points[:-1], point))).svg()
        bars = re.findall(r"<path d=\"M ([0-9.]+) [0-9.]+ \nL ([0-9.]+) ", svg)
        widths.append(max(float(b) - float(a) for a, b in bars[2:4]))
    assert widths[0] < widths[1]


def test_nothing_to_compare_is_refused() -> None:
    with pytest.raises(InvalidValueError, match=r"^a randomizer, n=1000: no finite eps and published bound"):
        promises_picture(replace(CURVES, bounds=()))


def test_the_site_draws_the_picture_in_the_page_in_the_colours_of_the_page(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    style = f"<style>{figure_css()}</style>"
    (tmp_path / "docs" / "a.svg").write_text(f'<svg role="img" width="420">{style}<path/></svg>\n', encoding="utf-8")
    page = with_pictures("# A\n\n![What is\nseen](a.svg)\n\nHere ![no](a.svg).\n", "docs/index.md", tmp_path)
    assert '<svg role="img" width="100%"><path/></svg>' in page
    assert "body[data-theme=dark]" in page
    assert page.endswith("Here ![no](a.svg).\n")
