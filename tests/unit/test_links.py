"""The pages of the project name files that are there."""

import re
from pathlib import Path

from tests.together import together

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page
    for folder in (".", "docs", "docs/tutorials", "proofs", "proofs/coq", "benchmarks", "tests", "tests/certificates")
    for page in (ROOT / folder).glob("*.md")
)


def broken_links(text: str, folder: Path) -> list[str]:
    """The targets of links, from this folder, that are not files or folders; the web is not asked."""
    targets = re.findall(r"\]\(([^)#\s]+)", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    return [target for target in targets if "://" not in target and not (folder / target).exists()]


@together("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file(page: Path) -> None:
    assert broken_links(page.read_text("utf-8"), page.parent) == []


def test_a_link_to_nothing_is_found() -> None:
    assert broken_links("[a](README.md), [b](no/such.md#part), [c](https://example.org)", ROOT) == ["no/such.md"]
