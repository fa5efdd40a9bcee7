"""The built site, of a few pages: what is right passes; a link, a place or a docstring that is wrong ends the build.

They need the extra `docs`, which the step of CI that builds the whole site installs.
"""

from pathlib import Path

import pytest

from tools.docs_site.stage import Page

pytestmark = pytest.mark.slow

START = "# Start\n\nWith delta = 10^-6, see [the words](words.md#box) and `a_long.name`.\n"
WORDS = "# Words\n\n## Box\n\nAn interval.\n"


def faults(
    folder: Path, *, start: str = START, reference: str = "Page\n====\n\n.. py:data:: exactdp.Exact\n"
) -> list[str]:
    pytest.importorskip("sphinx", reason="Sphinx is not installed: pip install '.[docs]'")
    from tools.docs_site.build import build_pages  # which loads the report: only where the tests run

    (folder / "docs").mkdir()
    index = "# Site\n\n## Begin\n\n- [start](start.md)\n- [words](words.md)\n"
    for name, text in (("index", index), ("start", start), ("words", WORDS)):
        (folder / "docs" / f"{name}.md").write_text(text, encoding="utf-8")
    pages = [Page("reference/exactdp", "exactdp", reference, suffix=".rst")]
    return build_pages(folder / "site", {"API": pages}, root=folder)


def test_pages_without_a_fault_become_a_site(tmp_path: Path) -> None:
    assert faults(tmp_path) == []
    shown = (tmp_path / "site" / "docs" / "start.html").read_text("utf-8")
    assert "10<sup>-6</sup>" in shown
    assert 'a_</span><wbr><span class="pre">long.</span><wbr><span class="pre">name' in shown


@pytest.mark.parametrize(
    "start",
    [
        START.replace("#box", "#boxes"),
        "# Start\n\n# Again\n\n```{no-such-directive}\n```\n",
    ],
)
def test_a_dead_place_or_a_block_that_nobody_knows_ends_the_build(start: str, tmp_path: Path) -> None:
    assert faults(tmp_path, start=start) == ["Sphinx ended with status 1: what it warned of is above"]


def test_a_dead_link_in_html_is_found_in_what_was_built(tmp_path: Path) -> None:
    start = START + '\n```{raw} html\n<a href="words.html#boxes">x</a> <img src="https://example.org/x.png">\n```\n'
    assert faults(tmp_path, start=start) == [
        "docs/start.html: loads https://example.org/x.png: the site must be whole without a network",
        "docs/start.html: the link to words.html#boxes leads to no place on that page",
    ]


def test_a_docstring_that_cannot_be_set_ends_the_build(tmp_path: Path) -> None:
    reference = "Page\n====\n\n.. py:function:: exactdp.f(x)\n\n   An ``open literal.\n"
    assert faults(tmp_path, reference=reference) == ["Sphinx ended with status 1: what it warned of is above"]
