"""Standard input as a file: what is named ``-`` is read from there, once, and is the same whoever asks again."""

from __future__ import annotations

import sys
from typing import Any, Final

from exactdp.errors import InvalidFileError

NAME: Final = "-"
"""What stands for standard input where a file can be named; a file of this name is ./-."""

_READ: Final[list[tuple[Any, bytes]]] = []
"""The stream that was read last, and what was in it."""


def standard_input(limit: int) -> bytes:
    """Return what is in standard input, at most ``limit`` bytes and one, by which a longer one is told.

    Raises:
        InvalidFileError: for a standard input that is closed, or empty.
    """
    if sys.stdin is None or sys.stdin.closed:
        raise InvalidFileError("- is standard input, which is closed. Name a file, or pipe one in.")
    if not (_READ and _READ[0][0] is sys.stdin):
        try:
            data = sys.stdin.buffer.read(limit + 1)
        except OSError as error:
            raise InvalidFileError(f"- cannot be read: {error.strerror}. Name a file, or pipe one in.") from None
        if not data:
            raise InvalidFileError("- is standard input, which is empty. Name a file, or pipe one in.")
        _READ[:] = [(sys.stdin, data)]
    return _READ[0][1]
