"""Patience: how a long call tells its caller how far it is, and how the caller stops it.

Every call that can take long has the argument ``progress``, a function of two arguments:

    def progress(done: int, total: int | None) -> None: ...

It is called after each piece of work: ``done`` pieces of ``total`` (None: not known) are finished. Work comes
in stages, such as the steps of a search, and each stage begins again at 1. What it returns is not read. What it raises
ends the call and comes out of it as it is, which is how a call is cancelled; nothing half-done is kept. It runs in the
thread that made the call, between pieces; work in another process is not reported.

>>> from exactdp import randomized_response, ShuffleProtocol
>>> seen = []
>>> profile = ShuffleProtocol(randomized_response(3, gamma="1/2"), 6).privacy_profile()
>>> _ = profile.tradeoff(progress=lambda done, total: seen.append((done, total)))
>>> seen[0][0], seen[-1][0] <= seen[-1][1]
(1, True)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, TypeAlias, TypeVar

from exactdp.errors import InvalidValueError

Progress: TypeAlias = Callable[[int, int | None], object]

Piece = TypeVar("Piece")

_LISTENER: Final[ContextVar[Progress | None]] = ContextVar("exactdp_progress", default=None)


@contextmanager
def reported(progress: Progress | None) -> Iterator[None]:
    """Tell ``progress`` of all work inside; None leaves in place whoever is told already."""
    if progress is None:
        yield
        return
    if not callable(progress):
        raise InvalidValueError(
            f"progress has the type {type(progress).__name__}. Pass a function of two arguments, (done, total)."
        )
    token = _LISTENER.set(progress)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def told(done: int, total: int | None = None) -> None:
    """Say that so much is finished, to whoever listens."""
    if (listener := _LISTENER.get()) is not None:
        listener(done, total)


def counted(pieces: Iterable[Piece], total: int | None = None) -> Iterator[Piece]:
    """Yield the pieces of a stage, and say after each that it is finished."""
    for done, piece in enumerate(pieces, start=1):
        yield piece
        told(done, total)
