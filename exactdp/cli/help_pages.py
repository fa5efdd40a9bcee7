"""The pages of ``--help``: as click writes them, but broken at the terminal's width between words only.

click cuts words that are long, breaks ``add-or-remove-one`` at its hyphens, and writes no page narrower than 50
columns.
"""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterable
from typing import Final

import click

from exactdp.cli.wrapping import wrapped

_KEPT: Final = "\b"
"""The first line of a paragraph whose lines stay as they are, as far as they fit."""
_NARROWEST: Final = 20
"""Fewer columns are as good as none."""
_BESIDE: Final = 60
"""Columns from which on the help of an option stands beside it; on a narrower page it stands below."""


class HelpPage(click.HelpFormatter):
    """Writes usage, paragraphs and lists."""

    def __init__(self, indent_increment: int = 2, width: int | None = None, max_width: int | None = None) -> None:
        super().__init__(indent_increment, width, max_width)
        self.width = min(self.width, max(_NARROWEST, shutil.get_terminal_size().columns - 2))

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write how the command is called; what does not fit goes on below its name."""
        begin = "Usage: " if prefix is None else prefix
        self.write(self._filled(f"{prog} {args}", begin, " " * len(begin)) + "\n")

    def write_text(self, text: str) -> None:
        """Write paragraphs."""
        indent = " " * self.current_indent
        paragraphs = []
        for paragraph in re.split(r"\n{2,}", text.strip("\n")):
            head, _, rest = paragraph.partition("\n")
            if head == _KEPT:
                lines = [indent + line for line in rest.split("\n")]
                paragraphs.append("\n".join(wrapped(line, self.width) for line in lines))
            else:
                paragraphs.append(self._filled(" ".join(paragraph.split()), indent, indent))
        self.write("\n\n".join(paragraphs) + "\n")

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Write names and what is said of each, in two columns; below each other on a narrow page."""
        indent, rows = " " * self.current_indent, list(rows)
        widest = max(len(name) for name, _ in rows)
        column = self.current_indent + (min(widest, col_max) + col_spacing if self.width >= _BESIDE else 4)
        for name, said in rows:
            begin, line = indent + name, ""
            if said and len(begin) + col_spacing <= column:
                line = begin.ljust(column)
            else:
                self.write(self._filled(name, indent, indent + " " * 4) + "\n")
            if said:
                self.write(self._filled(" ".join(said.split()), line or " " * column, " " * column) + "\n")

    def _filled(self, text: str, first: str, other: str) -> str:
        return textwrap.fill(
            text,
            self.width,
            initial_indent=first,
            subsequent_indent=other,
            break_long_words=False,
            break_on_hyphens=False,
        )


class PageContext(click.Context):
    """The context of a command whose help is such a page."""

    formatter_class = HelpPage


def with_page(command: click.Command) -> click.Command:
    """Give a command, and its own commands, such a page."""
    command.context_class = PageContext
    for inner in getattr(command, "commands", {}).values():
        with_page(inner)
    return command
