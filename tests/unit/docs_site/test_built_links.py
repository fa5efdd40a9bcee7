"""The links of a built site: what leads nowhere is named, and so is what comes from the web."""

from pathlib import Path

from tools.docs_site.built_links import faults_of


def test_links_to_nothing_and_what_is_loaded_from_elsewhere_are_named(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "a.html").write_text(
        '<link rel="stylesheet" href="https://example.org/x.css"><h1 id="top">A</h1>'
        '<a href="deep/b.html#there">ok</a><a href="#top">ok</a><a href="https://example.org">ok</a>'
        '<a href="deep/b.html#nowhere">no</a><a href="no.html">no</a><a href="#no">no</a><img src="no.png">',
        encoding="utf-8",
    )
    (tmp_path / "deep" / "b.html").write_text('<p id="there"><a href="../a.html">A</a></p>', encoding="utf-8")
    assert faults_of(tmp_path) == [
        "a.html: loads https://example.org/x.css: the site must be whole without a network",
        "a.html: the link to deep/b.html#nowhere leads to no place on that page",
        "a.html: the link to no.html leads to no file",
        "a.html: the link to #no leads to no place on that page",
        "a.html: the link to no.png leads to no file",
    ]
