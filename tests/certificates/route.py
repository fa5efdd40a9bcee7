"""What docs/checker.md and the READMEs count: ``python -m tests.certificates.route`` writes it into them."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from functools import cache
from pathlib import Path

from exactdp.claims.bare_checker import bare_checker
from tests.certificates.bare import SOURCES

ROOT = Path(__file__).resolve().parents[2]
PAGE, README = ROOT / "docs" / "checker.md", ROOT / "README.md"
PROVED = ROOT / "proofs" / "checker" / "README.md"
SILENT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
COUNT = re.compile(r"[0-9]+ lines of code in [0-9]+ files")


@cache
def lines_of_code(source: str) -> int:
    """The lines that hold more than a docstring, a comment or nothing."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in SILENT:
            lines |= set(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def reading_order() -> list[str]:
    """The files in the order in which they are joined."""
    return re.findall("^# --- ([a-z_]+) -", bare_checker(), re.MULTILINE)


def table() -> str:
    """One row for each file: its lines, its lines of code, what it holds and what it must be trusted for."""
    rows = ["| file | lines | of code | what it holds | trusted for |", "| --- | --- | --- | --- | --- |"]
    for name in reading_order():
        source = (SOURCES[0].parent / f"{name}.py").read_text(encoding="utf-8")
        paragraphs = [" ".join(part.split()) for part in (ast.get_docstring(ast.parse(source)) or "").split("\n\n")]
        (trust,) = (part.removeprefix("Trusted for: ") for part in paragraphs if part.startswith("Trusted for: "))
        file = f"[{name}](../exactdp/checker/{name}.py)"
        lines = len(source.splitlines())
        rows.append(f"| {file} | {lines} | {lines_of_code(source)} | {paragraphs[0]} | {trust.replace('``', '`')} |")
    return "\n".join(rows)


def counts() -> str:
    sources = [path.read_text(encoding="utf-8") for path in SOURCES if path.stem != "__init__"]
    return f"{sum(map(lines_of_code, sources))} lines of code in {len(sources)} files"


def sentence() -> str:
    lines = [len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES if path.stem != "__init__"]
    return (
        f"It has {counts()}: {sum(lines)} lines with docstrings, comments and blank lines, and at most {max(lines)} in "
        "one file."
    )


def page(text: str) -> str:
    """docs/checker.md with its counts and its table."""
    for name, content in (("count", sentence()), ("files", table())):
        begin, end = f"<!-- {name} -->\n", f"\n<!-- end of {name} -->"
        first, last = text.index(begin) + len(begin), text.index(end[1:])
        text = text[:first] + content + end[:1] + text[last:]
    return text


def readme(text: str) -> str:
    assert len(COUNT.findall(text)) == 1
    return COUNT.sub(counts(), text)


def proved(text: str) -> str:
    """proofs/checker/README.md: the lines of each source that it counts, and how many functions extract.v maps."""

    def counted(match: re.Match[str]) -> str:
        source = (PROVED.parent / match[2]).read_text(encoding="utf-8")
        return f"{match[1]}: {len(source.splitlines())} lines"

    mapped = (PROVED.parent / "extract.v").read_text(encoding="utf-8").count("\nExtract Constant ")
    text = re.sub(r"(\[(\w+\.\w+)\]\(\2\)): [0-9]+ lines", counted, readme(text))
    return re.sub(r"extract\.v maps [0-9]+ functions", f"extract.v maps {mapped} functions", text)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    README.write_text(readme(README.read_text(encoding="utf-8")), encoding="utf-8")
    PROVED.write_text(proved(PROVED.read_text(encoding="utf-8")), encoding="utf-8")
