"""What Sphinx reads: pages at their places, listed once, and links that lead somewhere."""

import doctest
from pathlib import Path

import pytest

from tools.docs_site import api_pages, graph, notebooks, stage
from tools.docs_site.stage import Page, SiteError

INDEX = "# Site\n\n## Begin\n\n- [start](start.md)\n"


def repository(folder: Path, **pages: str) -> Path:
    """A repository with these pages in docs/, and one file beside them."""
    (folder / "docs").mkdir(parents=True)
    for name, text in pages.items():
        (folder / "docs" / f"{name}.md").write_text(text, encoding="utf-8")
    (folder / "docs" / "mine.toml").write_text("a = 1\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize("module", [api_pages, graph, notebooks, stage], ids=lambda module: module.__name__)
def test_the_examples_of_the_tools_run(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


def test_every_page_of_this_repository_is_listed_and_every_link_leads_somewhere(tmp_path: Path) -> None:
    stage.stage(tmp_path, {})
    assert (tmp_path / "proofs" / "LEDGER.md").is_file()
    assert not (tmp_path / "README.md").exists()


def test_generated_pages_are_listed_after_the_others(tmp_path: Path) -> None:
    root = repository(tmp_path / "a", index=INDEX, start="# Start\n\n[file](mine.toml), [folder](../docs)\n")
    stage.stage(
        tmp_path / "b",
        {"Notebooks": [Page("examples/x", "X", "# X\n", files={"x.ipynb": b"{}"}, about=": a notebook")]},
        root=root,
    )
    index = (tmp_path / "b" / "docs" / "index.md").read_text("utf-8")
    assert "\n## Notebooks\n\n- [X](../examples/x.md): a notebook\n" in index
    assert ":caption: Begin\n\n/docs/start\n" in index
    assert ":caption: Notebooks\n\n/examples/x\n" in index
    assert (tmp_path / "b" / "docs" / "start.md").read_text("utf-8").endswith("[file](mine.toml), folder\n")
    assert (tmp_path / "b" / "docs" / "mine.toml").read_bytes() == b"a = 1\n"
    assert (tmp_path / "b" / "examples" / "x.ipynb").read_bytes() == b"{}"


def test_a_page_that_is_not_listed_is_refused(tmp_path: Path) -> None:
    root = repository(tmp_path / "a", index=INDEX, start="# Start\n", other="# Other\n")
    with pytest.raises(SiteError, match=r"^docs/other\.md: no link in docs/index\.md leads there\."):
        stage.stage(tmp_path / "b", {}, root=root)


@pytest.mark.parametrize("target", ["no.md", "no.toml", "../../outside.toml", "../README.md"])
def test_a_link_to_nothing_is_refused(target: str, tmp_path: Path) -> None:
    root = repository(tmp_path / "a", index=INDEX, start=f"# Start\n\n`[no](link)` [link]({target})\n")
    (root / "README.md").write_text("# Read me\n", encoding="utf-8")
    with pytest.raises(SiteError, match=r"^docs/start\.md: the link to .* leads to no page and no file of the site\."):
        stage.stage(tmp_path / "b", {}, root=root)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the masses a_s\n>= 0 at s", ">= 0 at s"),
        ("of k\n- 2 for s", "- 2 for s"),
        ("the sum of\n1. and more", "1. and more"),
        ("nu'_j H_{E rho}", "_j H_"),
        ("(d-w)_(s-t) / d_(s)", "_(s-t) / d_"),
    ],
)
def test_words_that_markdown_would_take_for_a_list_a_quotation_or_emphasis_are_refused(text: str, words: str) -> None:
    with pytest.raises(SiteError) as caught:
        stage.refuse_what_is_misread(f"# A\n\nIt is {text}.\n", "docs/a.md")
    assert str(caught.value).startswith(f"docs/a.md: Markdown takes '{words}")
    stage.refuse_what_is_misread(f"# A\n\n```\n{text}\n```\n\n<!--\n>>> {text}\n-->\n", "docs/a.md")


def test_a_graph_is_drawn_with_every_arrow_leading_down() -> None:
    rows = graph._rows([("a", "b"), ("b", "c"), ("a", "c"), ("late", "c")])
    assert rows == [["a"], ["b", "late"], ["c"]]
    page = stage.drawn("```mermaid\ngraph TD\n  a --> b\n```\n", "docs/a.md")
    assert page.startswith("```{raw} html\n<div")
    assert page.count("<rect") == 2
    assert page.count("marker-end") == 1


def test_a_notebook_shows_what_its_cells_printed() -> None:
    files: dict[str, bytes] = {}
    printed = {"output_type": "stream", "text": "1\n"}
    shown = {"output_type": "execute_result", "data": {"text/html": "<table></table>", "text/plain": "x"}}
    drawn = {"output_type": "display_data", "data": {"image/png": "AAAA", "text/plain": "figure"}}
    cell = {"cell_type": "code", "source": "print(1)", "outputs": [printed, shown, drawn]}
    parts = list(notebooks._cell(cell, "first", files))
    assert parts[:2] == ["````python\nprint(1)\n````", "````text\n1\n````"]
    assert "<table></table>" in parts[2]
    assert parts[3] == "![What the cell draws](first-0.png)"
    assert files == {"first-0.png": b"\0\0\0"}
