"""Neighbouring data sets."""

from __future__ import annotations

from enum import Enum


class Neighbors(Enum):
    """Which pairs of data sets differ in one user's data.

    ``REPLACE_ONE``: both have n users, and one user's input differs.
    ``ADD_OR_REMOVE_ONE``: one has n users, the other the same without one of them, under the same randomizer.
    """

    REPLACE_ONE = "replace-one"
    ADD_OR_REMOVE_ONE = "add-or-remove-one"
