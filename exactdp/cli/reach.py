"""How far the questions about a protocol reach: which engine answers, its work at n users, and the largest n."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from exactdp.cli.output import count
from exactdp.cli.progress import Work, size_of
from exactdp.cli.targets import Target
from exactdp.errors import TooLargeError

if TYPE_CHECKING:
    from exactdp.engines.engine import Engine
    from exactdp.engines.planner import ShufflePairs
    from exactdp.models.neighbors import Neighbors
    from exactdp.models.randomizer import Randomizer

__all__ = ["Reach", "questions"]

_FAR: Final = 10**6
"""The largest number of users is searched up to here."""
_NO_LIMIT: Final = 10**100
_ALL_DATA_SETS: Final = ("delta", "epsilon", "curve", "compose")
_CERTIFY: Final = ("certify",)
_LARGEST_DRAW: Final = 2**53
"""The sampler counts in floats."""


@dataclass(frozen=True, slots=True)
class Reach:
    """The engine for some commands, its work at n users, whether it starts on that, and the largest n it starts on."""

    commands: tuple[str, ...]
    engine: str
    work: Work | None
    within: bool
    largest: int | None
    """None: beyond 10^6."""

    @property
    def cost_line(self) -> str:
        """The work for reading."""
        if self.work is None:
            return "too large, or not known to fit" if self.commands == _CERTIFY else "too large"
        return self.work.cost if self.within else f"{self.work.cost}, beyond the limit"

    @property
    def largest_line(self) -> str:
        """The largest n for reading; a claim is sure to fit up to there, and may fit beyond."""
        if self.largest is None:
            return f"beyond {_FAR}"
        return f"{self.largest} or more" if self.commands == _CERTIFY and self.largest else str(self.largest)

    @property
    def data(self) -> dict[str, Any]:
        """The line as JSON data."""
        return {
            "commands": list(self.commands),
            "engine": self.engine,
            "cost": None if self.work is None else self.work.cost,
            "within_limit": self.within,
            "largest_n": None if self.largest is None else count(self.largest),
        }


def questions(target: Target, n: int, neighbors: Neighbors, limit: int) -> list[Reach]:
    """Return what the protocol can be asked; the first line is about all neighbouring data sets."""
    from exactdp.protocol import AdditiveProtocol

    protocol, randomizer = target.build(n), target.randomizer()
    if isinstance(protocol, AdditiveProtocol):
        engine = protocol.privacy_profile(neighbors=neighbors, limit=limit).engine
        first = Reach(_ALL_DATA_SETS, engine, Work("", None, None, "no scan"), True, None)
    else:
        first = _all_data_sets(protocol.randomizer, n, neighbors, limit)
    if target.table is None:
        return [first, Reach(_CERTIFY, "checker", Work("", None, None, "enclosed weights"), True, None)]
    if randomizer is None:
        return [first, Reach(_CERTIFY, "none: too many bins for a table", None, False, 0)]
    return [
        first,
        _searched(_CERTIFY, "checker", lambda users: _certified(randomizer, users, neighbors), n),
        _searched(("law",), "one product", lambda users: _view(randomizer, users), n),
        _draws(randomizer, n),
    ]


def _all_data_sets(randomizer: Randomizer, n: int, neighbors: Neighbors, limit: int) -> Reach:
    """Let the planner, or the engine itself, say how far it goes."""
    from exactdp.engines.planner import ShufflePairs

    engine = ShufflePairs(randomizer, 1, neighbors, _NO_LIMIT).plan()
    if engine.resized(1, _NO_LIMIT) is None:
        work = size_of(ShufflePairs(randomizer, n, neighbors, limit).plan())
        return Reach(_ALL_DATA_SETS, engine.name, work, True, None)
    if _plans_far(ShufflePairs(randomizer, _FAR, neighbors, limit)):
        planned = ShufflePairs(randomizer, n, neighbors, _NO_LIMIT).plan()
        within = planned.resized(n, _NO_LIMIT) is None or _scanned(engine, n, limit) is not None
        return Reach(_ALL_DATA_SETS, planned.name, size_of(planned), within, None)
    largest = _largest(lambda users: _scanned(engine, users, limit)) if engine.work.steps else None
    within = _scanned(engine, n, limit) is not None
    return Reach(_ALL_DATA_SETS, engine.name, _scanned(engine, n, _NO_LIMIT), within, largest)


def _plans_far(pairs: ShufflePairs) -> bool:
    """Whether the planner has an engine for so many users."""
    try:
        pairs.plan()
    except TooLargeError:
        return False
    return True


def _scanned(engine: Engine, n: int, limit: int) -> Work | None:
    """Return the work at n users, or None where the engine refuses to start on it."""
    try:
        resized = engine.resized(n, limit)
    except TooLargeError:
        return None
    return None if resized is None else size_of(resized)


def _certified(randomizer: Randomizer, n: int, neighbors: Neighbors) -> Work | None:
    """Return a bound of the checker's steps, or None where it may be beyond the checker's limit."""
    from exactdp.certificates.cost import view_work

    steps = view_work(randomizer, n, neighbors)
    return None if steps is None else Work("", None, None, f"up to {_rounded(steps)} steps")


def _draws(randomizer: Randomizer, n: int) -> Reach:
    """Return the line of the sampler, whose cost does not grow with n."""
    most = max((send.count(message) for row in randomizer.rows for send, _ in row for message in send), default=1)
    largest = _LARGEST_DRAW // most
    return Reach(("sample",), "binomial draws", Work("", None, None, "as at every n"), n <= largest, largest)


def _view(randomizer: Randomizer, n: int) -> Work | None:
    """Return the outcomes of one view, or None beyond the limit."""
    from exactdp.engines.view_law import view_outcomes

    try:
        return Work("", None, None, f"{view_outcomes(randomizer, n)} outcomes")
    except TooLargeError:
        return None


def _searched(commands: tuple[str, ...], engine: str, size: Callable[[int], Work | None], n: int) -> Reach:
    """Return the line of a question whose work grows with n."""
    work = size(n)
    return Reach(commands, engine, work, work is not None, _largest(size))


def _largest(size: Callable[[int], Work | None]) -> int | None:
    """Return the largest n that is started on, None for no end in sight; the work grows with n."""
    low, high = 0, 1
    while size(high) is not None:
        low, high = high, 2 * high
        if high > _FAR:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if size(middle) is None else (middle, high)
    return low


def _rounded(steps: int) -> str:
    """Return a number of steps for reading: whole, or with two digits rounded up.

    >>> _rounded(1200), _rounded(123456)
    ('1200', '130000')
    """
    scale = 10 ** max(0, len(str(steps)) - 2) if steps >= 10_000 else 1
    return str(-(-steps // scale) * scale)
