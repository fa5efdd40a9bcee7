"""Where along the integers something begins to hold, or is least: doubled steps to find such a place, then halves."""

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


def valley(start: int, first: int, last: int, is_less: Callable[[int, int], bool], *, steady: int = 4) -> int:
    """Return where numbers that fall, then rise are least, from ``first`` to ``last``, in steps from ``start``.

    Args:
        is_less: whether the number at one place is below that at another.
        steady: so many steps are not doubled.

    >>> [valley(start, 0, 99, lambda j, k: abs(j - 60) < abs(k - 60)) for start in (0, 57, 99)]
    [60, 60, 60]
    >>> valley(0, 0, 40, lambda j, k: abs(j - 60) < abs(k - 60))
    40
    """
    step = -1 if start > first and is_less(start - 1, start) else 1
    before = beyond = best = start
    passed = 0
    while beyond != (end := last if step > 0 else first):
        beyond = min(best + step, end) if step > 0 else max(best + step, end)
        if not is_less(beyond, best):
            break
        before, best, passed = best, beyond, passed + 1
        step *= 1 + (passed >= steady)
    low, high = sorted((before, beyond))
    while max(best - low, high - best) > 1:
        place = (best + high) // 2 if high - best >= best - low else (low + best) // 2
        if is_less(place, best):
            low, high, best = (best, high, place) if place > best else (low, best, place)
        else:
            low, high = (low, place) if place > best else (place, high)
    return best
