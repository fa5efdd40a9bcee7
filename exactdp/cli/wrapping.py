"""Lines for a terminal: broken at its width, between words; what goes anywhere else keeps its lines.

There is no colour: nothing that exactdp writes has any, so NO_COLOR, and a terminal without colours, lose nothing.
"""

from __future__ import annotations

import re
import shutil
import textwrap
from typing import Final, TextIO

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
    if label is not None and width - label.end() < _room(line[label.end() :], width):
        name, rest = label[0].rstrip(), line[label.end() :]
        return "\n".join([_lines(name, width), _filled(rest, width, " " * min(_BELOW, width - 1))])
    column = label.end() if label is not None else len(line) - len(line.lstrip())
    return _filled(line[column:], width, " " * min(column, width - 1), line[:column])


def _room(text: str, width: int) -> int:
    """Return how much room a second column needs beside the first; else it goes on a line of its own."""
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
