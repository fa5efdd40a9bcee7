"""Lines for a terminal: broken at its width, between words; what goes anywhere else keeps its lines.

There is no colour: nothing that exactdp writes has any, so NO_COLOR, and a terminal without colours, lose nothing.

The pages of ``--help``: as click writes them, but broken at the terminal's width between words only
----------------------------------------------------------------------------------------------------

click cuts words that are long, breaks ``add-or-remove-one`` at its hyphens, and writes no page narrower than 50
columns.
"""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterable
from typing import Final, TextIO

import click

_LABEL: Final = re.compile(r" *\S+(?: \S+)*  +(?=\S)")
"""The first column of a line that has several."""
_NARROWEST: Final = 20
"""Room that a second column needs, in characters, to stand beside the first."""
_BELOW: Final = 4
"""Where it begins below it."""


def terminal_width(stream: TextIO) -> int | None:
    """Return the columns of the terminal that a stream writes to; None for a file or a pipe."""
    return shutil.get_terminal_size().columns if stream.isatty() else None


def wrapped(text: str, width: int | None) -> str:
    """Return a text whose lines are at most so wide where words allow it; what is broken goes on below its column.

    Args:
        text: lines, aligned in columns that are two spaces apart or not.
        width: in characters; None leaves the text as it is.

    >>> print(wrapped("verdict  PROVED by every one of the four steps", 30))
    verdict  PROVED by every one
             of the four steps
    """
    if width is None:
        return text
    return "\n".join(_lines(line, width) for line in text.split("\n"))


def _lines(line: str, width: int) -> str:
    if len(line) <= width:
        return line
    label = _LABEL.match(line)
    if label is not None and width - label.end() < _least_width(line[label.end() :], width):
        name, rest = label[0].rstrip(), line[label.end() :]
        return "\n".join([_lines(name, width), _filled(rest, width, " " * min(_BELOW, width - 1))])
    column = label.end() if label is not None else len(line) - len(line.lstrip())
    return _filled(line[column:], width, " " * min(column, width - 1), line[:column])


def _least_width(text: str, width: int) -> int:
    """Return the width that a second column needs beside the first; else it goes on a line of its own."""
    longest = max(map(len, text.split()))
    return max(_NARROWEST, longest if longest + _BELOW <= width else 0)


def _filled(text: str, width: int, indent: str, begin: str | None = None) -> str:
    return textwrap.fill(
        text,
        width,
        initial_indent=indent if begin is None else begin,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
    )


_KEPT: Final = "\b"
"""The first line of a paragraph whose lines stay as they are, as far as they fit."""
_NARROWEST_PAGE: Final = 20
"""Fewer columns are as good as none."""
_BESIDE: Final = 60
"""Columns from which on the help of an option stands beside it; on a narrower page it stands below."""


class HelpPage(click.HelpFormatter):
    """Writes usage, paragraphs and lists."""

    def __init__(self, indent_increment: int = 2, width: int | None = None, max_width: int | None = None) -> None:
        super().__init__(indent_increment, width, max_width)
        self.width = min(self.width, max(_NARROWEST_PAGE, shutil.get_terminal_size().columns - 2))

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
