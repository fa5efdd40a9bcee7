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
"""Room that a second column needs, in characters, to be kept to itself."""


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
    column = label.end() if label is not None else len(line) - len(line.lstrip())
    indent = " " * (column if width - column >= _NARROWEST else min(2, width - 1))
    broken = textwrap.wrap(
        line[column:],
        width,
        initial_indent=line[:column],
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
    )
    return "\n".join(broken)
