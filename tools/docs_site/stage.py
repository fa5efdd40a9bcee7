"""What Sphinx reads: the pages of the repository at their places, beside the pages that are generated.

A page keeps its path, so that its links lead to the same files here as they do in the repository. What they lead to is
copied, and offered as a download; a link to a folder becomes its words; one to a Markdown file that is no page of the
site is refused.
docs/index.md is the one list of all pages: each of its headings becomes a part of the site's menu.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tools.docs_site.graph import graph_svg
from tools.docs_site.pictures import ROOT, with_pictures

INDEX: Final = "docs/index.md"
PAGES: Final = (
    "docs/*.md",
    "docs/tutorials/*.md",
    "examples/*.md",
    "examples/*/README.md",
    "proofs/*.md",
    "proofs/coq/*.md",
    "proofs/checker/*.md",
    "benchmarks/*.md",
    "tests/*.md",
    "tests/certificates/*.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
)
"""The pages of the repository that are pages of the site. README.md is not: docs/index.md takes its place."""
_FENCE: Final = re.compile(r"^```(?P<word>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
"""A block of code, or of a picture in Mermaid's words."""
_HEAD: Final = re.compile(r"^(#+) ", re.MULTILINE)
"""The beginning of a heading."""
_LINK: Final = re.compile(r"\]\((?P<target>[^)\s]+)\)")
"""Where a link leads."""
_WORDS_AND_LINK: Final = re.compile(r"\[(?P<words>[^\]\n]+)\]\((?P<target>[^)\s]+)\)")
"""A link, with the words that it stands on."""
_OUTSIDE: Final = re.compile(r"[a-z]+:")
"""What begins an address on the web, or of mail."""


_MISREAD: Final = re.compile(
    r"^[^\s#>|*+-][^\n]*\n {0,3}(?P<line>(?:[-+*] |1[.)] )[^\n]*)"
    r"|^ {0,3}(?P<quote>>[^\n]*)"
    r"|(?<![\w\\])(?P<words>_[^\s_](?:[^\n_]*[^\s_])?_)(?!\w)",
    re.MULTILINE,
)
"""What Markdown takes for more than words: a list below a line of a paragraph, a quotation, low lines around words."""


class SiteError(Exception):
    """The pages do not make a site; the message says which page, why, and what to do."""


@dataclass(frozen=True, slots=True)
class Page:
    """A generated page: its path without suffix, its title, its text, files beside it, and what the list says of it."""

    path: str
    title: str
    text: str
    suffix: str = ".md"
    files: Mapping[str, bytes] = field(default_factory=dict)
    about: str = ""


def stage(target: Path, generated: Mapping[str, Sequence[Page]], *, root: Path = ROOT) -> None:
    """Write all that Sphinx reads into a new folder.

    Args:
        target: the folder.
        generated: heading -> pages that no file of the repository holds; they are listed after docs/index.md.
        root: the repository.

    Raises:
        SiteError: for a page that docs/index.md does not lead to, and a link that leads to nothing.
    """
    names = sorted({page.relative_to(root).as_posix() for pattern in PAGES for page in root.glob(pattern)})
    listed = listed_pages((root / INDEX).read_text("utf-8"))
    found = {name for pages in listed.values() for name in pages}
    for name in names:
        if name != INDEX and name not in found:
            raise SiteError(f"{name}: no link in {INDEX} leads there. Add a line to the list that it belongs to.")
    for name in names:
        text = (root / name).read_text("utf-8")
        refuse_what_is_misread(text, name)
        for file in linked_files(text, name, set(names), root):
            _write(target / file, (root / file).read_bytes())
        shown = text + _generated_lists(generated) + _menu(listed, generated) if name == INDEX else text
        shown = with_pictures(without_folders(shown, name, root), name, root)
        _write(target / name, drawn(shown, name).encode())
    for page in (page for pages in generated.values() for page in pages):
        _write(target / (page.path + page.suffix), page.text.encode())
        for file, content in page.files.items():
            _write(target / posixpath.dirname(page.path) / file, content)


def listed_pages(index: str) -> dict[str, list[str]]:
    """Return heading of docs/index.md -> the pages in its lists and tables, each where it is named first.

    >>> listed_pages("# A\\n[x](x.md)\\n## B\\n- [y](../y.md#part), [x](x.md)\\n")
    {'B': ['y.md', 'docs/x.md']}
    """
    listed: dict[str, list[str]] = {}
    seen: set[str] = set()
    for heading, body in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", index, re.MULTILINE | re.DOTALL):
        for name in (_resolved(found["target"], INDEX) for found in _LINK.finditer(_without_code(body))):
            if name.endswith(".md") and name not in seen:
                seen.add(name)
                listed.setdefault(heading, []).append(name)
    return listed


def linked_files(text: str, name: str, pages: set[str], root: Path) -> Iterator[str]:
    """Yield the files, not pages, that the links of a page lead to; refuse a link to what is no file and no page."""
    for found in _LINK.finditer(_without_code(text)):
        target = found["target"]
        if _OUTSIDE.match(target) or target.startswith("#"):
            continue
        file = _resolved(target, name)
        if file in pages or (root / file).is_dir():
            continue
        if file.startswith("..") or not (root / file).is_file() or file.endswith(".md"):
            raise SiteError(f"{name}: the link to {target} leads to no page and no file of the site. Name one.")
        yield file


def refuse_what_is_misread(text: str, name: str) -> None:
    """Refuse words that Markdown would take for a list, a quotation or emphasis: pages mean none of them so.

    >>> refuse_what_is_misread("- A list.\\n- Its weight a_s, f_j - g_j.\\n\\n* e^eps *is* `_so_`.\\n", "a.md")

    Raises:
        SiteError: with the words.
    """
    shown = re.sub(r"<!--.*?-->", "", _FENCE.sub("", text), flags=re.DOTALL)
    found = _MISREAD.search(re.sub(r"`[^`\n]*`|\]\([^)\s]*\)", "x", shown))
    if found:
        part = found["line"] or found["quote"] or found["words"]
        raise SiteError(
            f"{name}: Markdown takes {part!r} for a quotation, a list or emphasis. Break the line elsewhere, or write "
            "it as code; a list begins below an empty line, and emphasis is written with stars."
        )


def without_folders(text: str, name: str, root: Path) -> str:
    """Return a page without its links to folders, of which a site shows nothing: their words stay."""

    def words(found: re.Match[str]) -> str:
        target = found["target"]
        is_folder = not _OUTSIDE.match(target) and target[0] != "#" and (root / _resolved(target, name)).is_dir()
        return found["words"] if is_folder else found[0]

    return _WORDS_AND_LINK.sub(words, text)


def drawn(text: str, name: str) -> str:
    """Return a page with its graphs drawn, its shell blocks named as such, and no empty lines at the end of a block.

    >>> drawn("```\\n$ exactdp --version\\n```\\n", "a.md").splitlines()[0]
    '```console'
    """

    def block(found: re.Match[str]) -> str:
        word, body = found["word"], found["body"].rstrip("\n") + "\n"
        if word == "mermaid":
            return f"```{{raw}} html\n{graph_svg(body, name)}\n```"
        return f"```{word or ('console' if body.startswith('$ ') else '')}\n{body}```"

    return _FENCE.sub(block, one_title(text))


def one_title(text: str) -> str:
    """Return a page with one title: where it has several, all headings after the first go down by a level.

    >>> one_title("# A\\n\\n# B\\n## C\\n")
    '# A\\n\\n## B\\n### C\\n'
    """
    blocks = [found.span() for found in _FENCE.finditer(text)]
    heads = [h for h in _HEAD.finditer(text) if not any(a <= h.start() < b for a, b in blocks)]
    if sum(head[1] == "#" for head in heads) < 2:
        return text
    for head in reversed(heads[1:]):
        text = f"{text[: head.start()]}#{text[head.start() :]}"
    return text


def _generated_lists(generated: Mapping[str, Sequence[Page]]) -> str:
    """The generated pages, as lists below the others."""
    parts = (
        f"\n## {heading}\n\n"
        + "".join(
            f"- [{page.title}]({posixpath.relpath(page.path, 'docs')}{page.suffix}){page.about}\n" for page in pages
        )
        for heading, pages in generated.items()
    )
    return "".join(parts)


def _menu(listed: Mapping[str, Sequence[str]], generated: Mapping[str, Sequence[Page]]) -> str:
    """The menu of the site, which the page itself does not show."""
    parts = {heading: [name.removesuffix(".md") for name in names] for heading, names in listed.items()}
    parts |= {heading: [page.path for page in pages] for heading, pages in generated.items()}
    menus = ("\n```{{toctree}}\n:hidden:\n:caption: {}\n\n{}\n```\n".format(h, "\n".join(f"/{n}" for n in names))
             for h, names in parts.items())  # fmt: skip
    return "".join(menus)


def _resolved(target: str, name: str) -> str:
    """The path in the repository to which a link of a page leads."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), target.partition("#")[0]))


def _without_code(text: str) -> str:
    return re.sub(r"`[^`\n]*`", "", _FENCE.sub("", text))


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
