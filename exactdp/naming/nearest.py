"""The name that was meant, where a name is not known: one that differs by a slip of the hand."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

_LONGEST: Final = 200
"""Characters of what is compared: names are shorter."""


def nearest(name: str, known: Iterable[str], *, most: int = 1) -> list[str]:
    """Return the names that are near, the nearest first.

    >>> nearest("detla", ["delta", "epsilon"])
    ['delta']
    """
    return get_close_matches(name[:_LONGEST], list(known), n=most)


def meant(name: str, known: Iterable[str], *, most: int = 1) -> str:
    """Return a question to put into a message, with a space behind it; nothing where no name is near.

    >>> meant("detla", ["delta", "epsilon"]), meant("wholly other", ["delta"])
    ('Did you mean delta? ', '')
    """
    near = nearest(name, known, most=most)
    return f"Did you mean {' or '.join(near)}? " if near else ""
