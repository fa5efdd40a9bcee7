"""How far the questions about a protocol reach: which engine answers, its work at n users, and the largest n."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import exactdp as xdp
from exactdp.cli.output import count
from exactdp.errors import InvalidValueError, NotCheckableError, TooLargeError
from exactdp.protocols.naming.targets import ProtocolTarget

if TYPE_CHECKING:
    from exactdp.claims.ways import Way

_ALL_DATA_SETS: Final = ("delta", "epsilon", "curve", "compose")
"""The commands that ask about all neighbouring data sets."""
_CERTIFY: Final = ("certify",)
"""The command that asks the checker."""
_LARGEST_DRAW: Final = 2**53
"""The sampler counts in floats."""


def cost_words(pairs: int | None, outcomes: int | None) -> str:
    """Return what a search visits for reading: ordered pairs of data sets, and outcomes of each."""
    if pairs is None:
        return "no scan"
    return f"{pairs} pairs of data sets" + ("" if outcomes is None else f" x {outcomes} outcomes")


@dataclass(frozen=True, slots=True)
class Reach:
    """The engine for some commands, its cost at n users, whether it starts on that, and the largest n it starts on."""

    commands: tuple[str, ...]
    engine: str
    cost: str | None
    within: bool
    largest: int | None
    """None: beyond 10^6."""
    pairs: int | None = None
    outcomes: int | None = None
    may_exceed: bool = False
    """Whether some questions at a larger n are answered, too."""

    @property
    def cost_line(self) -> str:
        """The cost for reading."""
        if self.engine.startswith("none"):
            return "none"
        if self.cost is None:
            return "too large, or not known to fit" if self.commands == _CERTIFY else "too large"
        return self.cost if self.within else f"{self.cost}, beyond the limit"

    @property
    def largest_line(self) -> str:
        """The largest n for reading."""
        from exactdp.privacy.protocol_reach import FAR

        if self.largest is None:
            return f"beyond {FAR}"
        return f"{self.largest} or more" if self.may_exceed else str(self.largest)

    @property
    def data(self) -> dict[str, Any]:
        """The line as JSON data."""
        return {
            "commands": list(self.commands),
            "engine": self.engine,
            "cost": self.cost,
            "within_limit": self.within,
            "largest_n": count(self.largest),
        }


def questions(target: ProtocolTarget, n: int, neighbors: xdp.Neighbors, limit: int) -> list[Reach]:
    """Return what the protocol can be asked; the first line is about all neighbouring data sets."""
    from exactdp.privacy.protocol_reach import largest_size, listed_outcomes, scan_reach

    randomizer = target.randomizer()
    protocol: Any = target.build(n)
    if not protocol.is_shuffled_randomizer:
        engine = protocol.privacy_profile(neighbors=neighbors, limit=limit).engine
        first = Reach(_ALL_DATA_SETS, engine, "no scan", True, None)
    else:
        reach = scan_reach(protocol.numeric_randomizer, n, neighbors, limit)
        visited = (None, None) if reach.work is None else (reach.work.pairs, reach.work.outcomes)
        cost = None if reach.work is None else cost_words(*visited)
        if reach.within and reach.work is None:
            cost = "no scan: two proved ends"
        first = Reach(_ALL_DATA_SETS, reach.engine, cost, reach.within, reach.largest, *visited)
    certified = _certified(target, n, neighbors)
    if randomizer is None:
        return [first, *certified]
    outcomes = listed_outcomes(randomizer, n)
    listing = None if outcomes is None else f"{outcomes} outcomes"
    listed = largest_size(lambda users: listed_outcomes(randomizer, users) is not None)
    drawn = _LARGEST_DRAW // _most_of_one_message(randomizer)
    return [
        first,
        *certified,
        Reach(("law",), "one product", listing, outcomes is not None, listed),
        Reach(("sample",), "binomial draws", "as at every n", n <= drawn, drawn),
    ]


def _certified(target: ProtocolTarget, n: int, neighbors: xdp.Neighbors) -> list[Reach]:
    """Return a line for each way in which ``certify`` has a certificate, of an e^eps and a delta that are short."""
    from exactdp.claims.claimed_targets import users_claim
    from exactdp.claims.ways import ways

    try:
        claim = users_claim(target, n, {"eps": 1, "delta": Fraction(1, 2)}, neighbors=neighbors)
    except TooLargeError:
        return [Reach(_CERTIFY, "none: too large for a table", None, False, 0)]
    except (InvalidValueError, NotCheckableError):
        return [Reach(_CERTIFY, "none: no claim states it", None, False, 0)]
    return [_way(way) for way in ways(claim.statement)] or [
        Reach(_CERTIFY, "none: too large for the checker", None, False, 0)
    ]


def _way(way: Way) -> Reach:
    from exactdp.claims.ways import BOUNDED, COMPARED, LISTED

    is_counted = way.method in (LISTED, COMPARED)
    cost = "for a delta beyond its bound" if way.method == BOUNDED else "as at every n"
    if is_counted:
        cost = "" if way.work is None else f"up to {_rounded(way.work)} steps"
    largest = way.largest
    return Reach(
        _CERTIFY, f"checker: {way.method}", cost or None, way.fits, largest, may_exceed=is_counted and bool(largest)
    )


def _most_of_one_message(randomizer: xdp.Randomizer) -> int:
    """Return how often a user can send one message, at most."""
    return max((send.count(message) for row in randomizer.rows for send, _ in row for message in send), default=1)


def _rounded(steps: int) -> str:
    """Return a number of steps for reading: whole, or with two digits rounded up.

    >>> _rounded(1200), _rounded(123456)
    ('1200', '130000')
    """
    scale = 10 ** max(0, len(str(steps)) - 2) if steps >= 10_000 else 1
    return str(-(-steps // scale) * scale)
