"""How far a protocol can be asked about: the engine, its work at n users, and the largest n that is started on."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, TypeVar

from exactdp.errors import TooLargeError
from exactdp.mechanisms.dataset import Neighbors
from exactdp.mechanisms.family import FamilyRandomizer
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.privacy.engine import Engine, Work
from exactdp.privacy.planner import ShufflePairs
from exactdp.privacy.shuffle.view_law import view_outcomes

Answer = TypeVar("Answer")

FAR: Final = 10**6
"""The largest number of users is searched up to here: beyond, an engine whose work grows has refused."""

_NO_LIMIT: Final = 10**100
"""More than any engine counts."""


@dataclass(frozen=True, slots=True)
class ProtocolReach:
    """The engine for all neighbouring data sets, its work at n users, whether it starts on that, and how far it goes.

    ``largest`` None: beyond 10^6.
    """

    engine: str
    work: Work | None
    within: bool
    largest: int | None


def scan_reach(randomizer: Randomizer | FamilyRandomizer, n: int, neighbors: Neighbors, limit: int) -> ProtocolReach:
    """Let the planner, or the engine itself, say how far it goes within a limit; two ends know no largest n."""
    planned = _unless_refused(ShufflePairs(randomizer, n, neighbors, limit).plan)
    if planned is not None and planned.is_bracket:
        return ProtocolReach(planned.name, None, True, None)
    engine = ShufflePairs(randomizer, 1, neighbors, _NO_LIMIT).plan()
    if engine.resized(1, _NO_LIMIT) is None:
        return ProtocolReach(engine.name, ShufflePairs(randomizer, n, neighbors, limit).plan().work, True, None)
    within = _resized(engine, n, limit) is not None
    if _unless_refused(ShufflePairs(randomizer, FAR, neighbors, limit).plan) is not None:
        planned = ShufflePairs(randomizer, n, neighbors, _NO_LIMIT).plan()
        within = within or planned.resized(n, _NO_LIMIT) is None
        return ProtocolReach(planned.name, planned.work, within, None)
    largest = largest_size(lambda users: _resized(engine, users, limit) is not None) if engine.work.steps else None
    return ProtocolReach(engine.name, _resized(engine, n, _NO_LIMIT), within, largest)


def _resized(engine: Engine, n: int, limit: int) -> Work | None:
    """Return the work at n users, or None if the engine refuses to start on it."""
    resized = _unless_refused(lambda: engine.resized(n, limit))
    return None if resized is None else resized.work


def listed_outcomes(randomizer: Randomizer, n: int) -> int | None:
    """Return a bound of the outcomes of one view of n users, or None if its law is refused."""
    return _unless_refused(lambda: view_outcomes(randomizer, n))


def _unless_refused(call: Callable[[], Answer]) -> Answer | None:
    with suppress(TooLargeError):
        return call()
    return None


def largest_size(fits: Callable[[int], bool]) -> int | None:
    """Return the largest n that fits, None for no end in sight; what fits gets no larger with n.

    >>> largest_size(lambda n: n**2 <= 1000), largest_size(lambda n: True)
    (31, None)
    """
    low, high = 0, 1
    while fits(high):
        low, high = high, 2 * high
        if high > FAR:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
