"""Where along the integers something begins to hold: doubled steps to find such a place, halves to find the first."""

from __future__ import annotations

from collections.abc import Callable


def gallop(start: int, direction: int, holds: Callable[[int], bool]) -> tuple[int, int]:
    """Return the place before the first one, in doubled steps from ``start``, where a property holds, and that one.

    Both are ``start`` where it holds there.
    """
    before, place, step = start, start, direction
    while not holds(place):
        before, place, step = place, place + step, 2 * step
    return before, place


def bisect(outside: int, inside: int, holds: Callable[[int], bool]) -> int:
    """Return the place nearest to ``outside`` where a property holds that holds from there on, as far as ``inside``.

    >>> bisect(0, 100, lambda k: k * k >= 50), bisect(100, 0, lambda k: k * k < 50)
    (8, 7)
    """
    while abs(inside - outside) > 1:
        middle = (outside + inside) // 2
        outside, inside = (outside, middle) if holds(middle) else (middle, inside)
    return inside
