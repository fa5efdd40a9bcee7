"""Prints the tables of docs/comparison.md: `python -m tests.peers.compare [NAME ...] [--scripts FOLDER]`.

Without a name the first two are printed, or with the folder of their repositories those of the published programs. Of
the tables of real numbers, laplace and gaussian, the rows of programs are there with that folder alone.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.peers.answers import table


def noise_table() -> list[str]:
    from tests.peers.noise_questions import noise_rows

    return table(noise_rows())


def shuffled_table() -> list[str]:
    from tests.peers.shuffled_questions import shuffled_rows

    return table(shuffled_rows())


def script_table(folder: Path) -> list[str]:
    from tests.peers.published_scripts import script_rows

    return table(script_rows(folder))


def laplace_table(folder: Path | None) -> list[str]:
    from tests.peers.real_questions import laplace_rows

    return table(laplace_rows(folder))


def gaussian_table(folder: Path | None) -> list[str]:
    from tests.peers.real_questions import gaussian_rows

    return table(gaussian_rows(folder))


TABLES: dict[str, Callable[[], list[str]]] = {"noise": noise_table, "shuffled": shuffled_table}
REAL: dict[str, Callable[[Path | None], list[str]]] = {"laplace": laplace_table, "gaussian": gaussian_table}
PAGE = Path(__file__).resolve().parents[2] / "docs" / "comparison.md"


def marker(name: str) -> str:
    """The line of the page after which a table stands, and an empty line."""
    words = "--scripts FOLDER" if name == "scripts" else f"{name} --scripts FOLDER" if name in REAL else name
    return f"<!-- printed by: python -m tests.peers.compare {words} -->"


def stored_table(name: str) -> list[str]:
    """The lines of a table of the page."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    start = lines.index(marker(name)) + 2
    return lines[start : start + next(k for k, line in enumerate(lines[start:]) if not line.startswith("|"))]


def write_table(name: str, printed: list[str]) -> None:
    """Put a table in its place on the page."""
    old, new = ("\n".join([marker(name), "", *lines, ""]) for lines in (stored_table(name), printed))
    PAGE.write_text(PAGE.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.peers.compare", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="noise|shuffled|laplace|gaussian", help="tables to print")
    parser.add_argument("--scripts", type=Path, metavar="FOLDER", help="where the published programs are cloned")
    parser.add_argument("--write", action="store_true", help="put what is printed into docs/comparison.md")
    asked = parser.parse_args()
    makers = {**TABLES, **{name: partial(make, asked.scripts) for name, make in REAL.items()}}
    wanted = {name: makers[name] for name in asked.names or (REAL if asked.scripts else TABLES)}
    if asked.scripts and not asked.names:
        wanted = {"scripts": lambda: script_table(asked.scripts), **wanted}
    if asked.write and not asked.scripts and not wanted.keys().isdisjoint(REAL):
        parser.error("rows of programs would be lost: --write needs --scripts FOLDER here")
    for name, make in wanted.items():
        lines = make()
        sys.stdout.write("\n".join([f"{name}:", *lines, "", ""]))
        sys.stdout.flush()
        if asked.write:
            write_table(name, lines)


if __name__ == "__main__":
    main()
