"""docs/findings.md: its words say what its commands print, which test_amplification_page runs."""

import re
from pathlib import Path

from exactdp.proofs.development import theorems
from tests.unit.test_amplification_page import BLOCK, FILE

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e-?\d+)?")
NAMED = re.compile(r"`[^`]*`|\]\([^)]*\)|arXiv [\d.]+|Theorem [\d.]+|^## \d+\.|\b[A-Z]\w+\d{4}\b|eps0", re.MULTILINE)
"""What has digits and states no number: code, links, names of papers and theorems, and the place of an entry."""


def findings(page: str) -> list[str]:
    """The entries of the page, each from its heading on."""
    return re.findall(r"^## \d+\. .*?(?=^## )", page, re.MULTILINE | re.DOTALL)


def numbers_not_printed(finding: str) -> set[str]:
    """The numbers in the words of an entry that no command there names or prints, nor a longer one that begins so."""
    shown = set(NUMBER.findall("\n".join(BLOCK.findall(finding) + [file[0] for file in FILE.findall(finding)])))
    words = NAMED.sub("", FILE.sub("", BLOCK.sub("", finding)))
    return {
        number
        for number in NUMBER.findall(words)
        if number not in shown and not any(one.startswith(f"{number}.") for one in shown)
    }


def test_every_number_in_words_is_one_that_a_command_prints() -> None:
    assert {finding.splitlines()[0]: numbers_not_printed(finding) for finding in findings(PAGE)} == {
        finding.splitlines()[0]: set() for finding in findings(PAGE)
    }


def test_a_number_that_no_command_prints_is_seen() -> None:
    finding = (
        "## 1. Half of 12\n\n```\n$ echo 12.25\n12.25\n```\n\nIt is 12.25, or 12, not 13 or 2 (`14`, Theorem 3).\n\n"
    )
    assert numbers_not_printed(finding) == {"13", "2"}


def test_every_finding_has_a_verdict_and_says_what_it_means() -> None:
    assert len(findings(PAGE)) == 8
    for finding in findings(PAGE):
        shown = "".join(BLOCK.findall(finding))
        assert re.search(
            r"^[a-z-]+: (PROVED|REFUTED), level |^verdict +(PROVED|REFUTED)$|^answer +refuted", shown, re.M
        )
        assert "*If you rely on the old number:*" in finding or "deployed" in finding.splitlines()[0]
    assert "## New to our knowledge" in PAGE


def test_the_report_names_theorems_that_the_development_has() -> None:
    report = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    named = re.findall(r"`(\w+\.\w+)`", report)
    assert len(named) > 8
    assert set(named) <= set(theorems())
