"""What a session of tests knows: the seed of draws that name none, and the seeds that failed before.

Without the pytest plugin there is one session with the seed 0 and nothing pinned. The plugin
(:mod:`exactdp.testing.plugin`) begins one for each run and names the test that is under way. This file loads nothing,
so that the plugin costs no time where nobody uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from exactdp.errors import InvalidValueError

MAX_SEED = 2**64
"""Seeds are below this."""


class SeededFailureError(AssertionError):
    """A comparison of draws that failed: which one, and the seed that shows it again."""

    def __init__(self, message: str, assertion: str, seed: int) -> None:
        super().__init__(message)
        self.assertion, self.seed = assertion, seed

    def __reduce__(self) -> tuple[type[SeededFailureError], tuple[str, str, int]]:
        return type(self), (str(self), self.assertion, self.seed)


@dataclass(slots=True)
class Session:
    """A run of tests."""

    seed: int = 0
    pins: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    """(test, assertion) -> the seeds that failed before, oldest first."""
    test: str | None = None
    """The test that is under way."""

    def seeds(self, assertion: str, seed: int | None) -> Iterator[tuple[int, str]]:
        """Yield the seeds to be tried and where each is from: those that failed before, then the one asked for."""
        wanted = self.seed if seed is None else seed
        pinned = [each for each in self.pins.get((self.test or "", assertion), ()) if each != wanted]
        for each in pinned:
            yield each, "pinned because it failed before"
        yield wanted, "the seed of the session" if seed is None else "the seed that was given"


_sessions = [Session()]


def current() -> Session:
    """Return the session that is under way."""
    return _sessions[-1]


def begin(session: Session) -> None:
    """Begin a session; ``end`` goes back to the one before."""
    _sessions.append(session)


def end() -> None:
    """End the session that was begun last."""
    if len(_sessions) > 1:
        _sessions.pop()


def tried(assertion: str, seed: int | None, judge: Callable[[int], None]) -> None:
    """Judge draws under every seed that is due; a failure names its seed.

    Raises:
        SeededFailureError: an AssertionError, where ``judge`` raised one.
    """
    __tracebackhide__ = True  # pytest shows the line of the test
    for each, origin in current().seeds(assertion, None if seed is None else as_seed(seed)):
        try:
            judge(each)
        except AssertionError as error:
            raise SeededFailureError(f"{error}\nseed={each}, {origin}.", assertion, each) from None


def as_seed(value: object) -> int:
    """Return a seed from 0 to 2^64 - 1, or refuse it."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < MAX_SEED:
        raise InvalidValueError(f"seed={value!r} is not an integer from 0 to 2^64 - 1. Pass one, such as 1.")
    return value
